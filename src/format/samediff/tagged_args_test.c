/* tagged_args_test.c - arguments by name, from file to file */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/samediff/tagged_testing.h"
#include "ir/nd4j_calls.h"

#define NAMED(what) TN_CORPUS "/samediff/named-args-" what ".samediff"

enum { MOST = 64, REST = 3 };

/* ---- every operator, in one graph --------------------------------------- */

struct making {
    struct tagged_fixture *f;
    struct tn_edit        *edit;
    bool                   is_permuted;
    bool                   is_named;
};

static void set_list(struct making *m, uint32_t op, const char *name,
                     const char *names_name, struct tn_attr_value *values,
                     const struct tn_bytes *names)
{
    struct tn_attr_value texts = { .kind       = TN_ATTR_STRING,
                                   .is_list    = true,
                                   .count      = values->count,
                                   .of.strings = names };

    tagged_must(m->f,
                tn_edit_set_attr(m->edit, op, name, values, &m->f->error));
    if (m->is_named)
        tagged_must(m->f, tn_edit_set_attr(m->edit, op, names_name, &texts,
                                           &m->f->error));
}

static void add_list(struct making *m, uint32_t id,
                     const struct tn_vocab_op *op, enum tn_vocab_list list)
{
    static const enum tn_attr_kind kinds[]    = { TN_ATTR_INT, TN_ATTR_DOUBLE,
                                                  TN_ATTR_BOOL, TN_ATTR_DTYPE,
                                                  TN_ATTR_STRING };
    static const char *const       lists[][2] = { { "iArgs", "iArgNames" },
                                                  { "tArgs", "tArgNames" },
                                                  { "bArgs", "bArgNames" },
                                                  { "dArgs", "dArgNames" },
                                                  { "sArgs", "sArgNames" } };
    struct tn_bytes                names[MOST], texts[MOST];
    int64_t                        ints[MOST];
    double                         doubles[MOST];
    uint32_t                       count = 0, singles = 0;
    struct tn_attr_value           value = {
                  kinds[list - TN_VOCAB_IARGS], true, 0, { .ints = ints }
    };

    for (; count < MOST; count++) {
        const struct tn_vocab_attr *attr = tn_vocab_find_slot(op, list, count);
        if (!attr || (attr->is_rest && count >= attr->slot + REST))
            break;
        singles += !attr->is_rest;
    }
    for (uint32_t i = 0; i < count; i++) {
        /* the list first, then single ones backwards */
        uint32_t slot = !m->is_permuted       ? i
                        : i < count - singles ? singles + i
                                              : count - 1 - i;
        names[i]      = tn_arg_name(op, list, slot);
        texts[i]      = tn_text(slot % 2 ? "odd" : "even");
        ints[i]       = list == TN_VOCAB_IARGS || list == TN_VOCAB_BARGS
                            ? slot % 2
                            : TN_FLOAT32 + slot % 2;
        doubles[i]    = 0.5 * slot;
    }
    value.count = count;
    if (value.kind == TN_ATTR_DOUBLE)
        value.of.doubles = doubles;
    else if (value.kind == TN_ATTR_STRING)
        value.of.strings = texts;
    if (count)
        set_list(m, id, lists[list - TN_VOCAB_IARGS][0],
                 lists[list - TN_VOCAB_IARGS][1], &value, names);
}

static void add_op(struct making *m, const struct tn_vocab_op *op)
{
    static const char *const input = "x";
    char                     type[200], name[sizeof type + 2];
    const char              *output = name;
    uint32_t                 id;

    snprintf(type, sizeof type, "%.*s", TN_FMT(op->name));
    snprintf(name, sizeof name, "y_%s", type);
    struct tn_op_spec spec = { .name         = name,
                               .type         = type,
                               .inputs       = &input,
                               .input_count  = 1,
                               .outputs      = &output,
                               .output_count = 1 };
    tagged_must(m->f,
                tn_edit_add_op(m->edit, 0, TN_NONE, &spec, &id, &m->f->error));
    for (enum tn_vocab_list list = TN_VOCAB_IARGS; list <= TN_VOCAB_SARGS;
         list++)
        add_list(m, id, op, list);
}

/* One input serves all of them, of whatever type they take. */
static const struct tn_convert_options all_the_same = { .force_invalid = true };

/* All operators of nd4j with all of their arguments, as a file. */
static struct tn_bytes write_all(struct tagged_fixture *f, bool is_named,
                                 bool is_permuted, const char *path)
{
    struct tn_io        x      = { .name = tn_text("x"), .dtype = TN_FLOAT32 };
    struct making       m      = { f, NULL, is_permuted, is_named };
    struct tn_target    target = { .path = path, .can_replace = true };
    struct tn_nd4j_book book;
    struct tn_arena     arena;
    struct tn_model    *model;

    tn_arena_init(&arena, &f->memory);
    tagged_must(f, tn_nd4j_book_init(&book, &arena, &f->error));
    tagged_must(f, tn_edit_new(&m.edit, "samediff", NULL, &f->error));
    tagged_must(f, tn_edit_add_input(m.edit, 0, &x, &f->error));
    for (uint32_t i = 0; i < book.vocab.row_count; i++)
        add_op(&m, tn_vocab_at(&book.vocab, i, &f->error));
    tagged_must(f, tn_edit_commit(m.edit, &model, &f->error));
    tagged_must(
        f, tn_convert(model, &all_the_same, &target, NULL, NULL, &f->error));
    tn_model_close(model);
    tn_edit_close(m.edit);
    tn_arena_done(&arena);
    return tn_load_file(path);
}

static void must_equal(struct tn_bytes a, struct tn_bytes b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free((void *)(uintptr_t)b.data);
}

/* Without names, with names, with names in another order: one graph. */
static void test_every_operator(void **state)
{
    struct tagged_fixture *f   = *state;
    char                  *fb  = tn_scratch_path(&f->scratch, "all.fb");
    char                  *zip = tn_scratch_path(&f->scratch, "all.samediff");

    struct tn_bytes plain = write_all(f, false, false, fb);
    must_equal(plain, write_all(f, true, false, fb));
    must_equal(plain, write_all(f, true, true, fb));
    struct tn_bytes named = write_all(f, false, false, zip);
    must_equal(named, write_all(f, true, true, zip));

    struct tn_model *model  = tagged_open_file(f, zip, NULL);
    struct tn_target target = { .path = fb, .can_replace = true };
    tagged_must(
        f, tn_convert(model, &all_the_same, &target, NULL, NULL, &f->error));
    tn_model_close(model);
    must_equal(plain, tn_load_file(fb));
    free((void *)(uintptr_t)plain.data);
    free((void *)(uintptr_t)named.data);
    free(zip);
    free(fb);
}

/* ---- files that others wrote -------------------------------------------- */

/* iArgs of the matmul, as a classic file has them. */
static void test_files_are_read_by_name(void **state)
{
    static const char *const files[] = { NAMED("permuted"),
                                         NAMED("only-second") };
    struct tagged_fixture   *f       = *state;
    char                    *fb      = tn_scratch_path(&f->scratch, "m.fb");

    for (size_t i = 0; i < 2; i++) {
        struct tn_model *model  = tagged_open_file(f, files[i], NULL);
        struct tn_target target = { .path = fb, .can_replace = true };
        struct tn_attr  *attr;
        tagged_must(f, tn_convert(model, NULL, &target, NULL, NULL, &f->error));
        tn_model_close(model);
        model = tagged_open_file(f, fb, NULL);
        tagged_must(f, tn_attr_find(&attr, model, 9, "iArgs", &f->error));
        assert_int_equal(tn_attr_get(attr)->count, 2);
        assert_int_equal(tn_attr_get(attr)->of.ints[0], 0);
        assert_int_equal(tn_attr_get(attr)->of.ints[1], 1);
        tn_attr_close(attr);
        tn_model_close(model);
    }
    free(fb);
}

static int count(void *context, const struct tn_finding *finding)
{
    uint32_t *counts = context;

    counts[0] += finding->severity == TN_SEVERITY_ERROR &&
                 !strcmp(finding->rule, "unknown-argument");
    counts[1]++;
    return 0;
}

static void test_unknown_names_stop_a_conversion(void **state)
{
    struct tagged_fixture *f         = *state;
    uint32_t               counts[2] = { 0 };
    struct tn_model *model  = tagged_open_file(f, NAMED("unknown-names"), NULL);
    char            *path   = tn_scratch_path(&f->scratch, "u.fb");
    struct tn_target target = { .path = path };

    tagged_must(f, tn_check(NAMED("unknown-names"), NULL, NULL, count, counts,
                            NULL, &f->error));
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 2);
    assert_int_equal(tn_convert(model, NULL, &target, NULL, NULL, &f->error),
                     TN_MALFORMED);
    assert_non_null(strstr(f->error.what, "'bogus'"));
    tn_model_close(model);
    free(path);
}

static int count_missing(void *context, const struct tn_finding *finding)
{
    *(uint32_t *)context += finding->severity == TN_SEVERITY_ERROR &&
                            !strcmp(finding->rule, "missing-argument");
    return 0;
}

/* A pooling of which only the first arguments are there. */
static void test_missing_arguments_are_found(void **state)
{
    static const int64_t     sizes[] = { 2, 2, 1, 1, 0, 0, 1, 1, 1 };
    static const char *const names[] = { "x", "y" };
    struct tagged_fixture   *f       = *state;
    struct tn_op_spec        spec    = { .name         = "pool",
                                         .type         = "avgpool2d",
                                         .inputs       = &names[0],
                                         .outputs      = &names[1],
                                         .input_count  = 1,
                                         .output_count = 1 };
    struct tn_io             x = { .name = tn_text("x"), .dtype = TN_FLOAT32 };
    char                    *path = tn_scratch_path(&f->scratch, "p.samediff");
    struct tn_target         target = { .path = path, .can_replace = true };
    uint32_t                 wanted = sizeof sizes / sizeof *sizes;

    for (uint32_t given = 2; given <= wanted; given += wanted - 2) {
        struct tn_attr_value value = {
            TN_ATTR_INT, true, given, { .ints = sizes }
        };
        uint32_t         missing = 0, op;
        struct tn_edit  *edit;
        struct tn_model *model;
        tagged_must(f, tn_edit_new(&edit, "samediff", NULL, &f->error));
        tagged_must(f, tn_edit_add_input(edit, 0, &x, &f->error));
        tagged_must(f, tn_edit_add_op(edit, 0, TN_NONE, &spec, &op, &f->error));
        tagged_must(f, tn_edit_set_attr(edit, op, "iArgs", &value, &f->error));
        tagged_must(f, tn_edit_commit(edit, &model, &f->error));
        tagged_must(f, tn_convert(model, &all_the_same, &target, NULL, NULL,
                                  &f->error));
        tagged_must(f, tn_check(path, NULL, NULL, count_missing, &missing, NULL,
                                &f->error));
        assert_int_equal(missing, wanted - given);
        tn_model_close(model);
        tn_edit_close(edit);
    }
    free(path);
}

/* An edit that changes how many values there are must say what they are. */
static void test_more_values_than_names(void **state)
{
    static const int64_t   four[] = { 1, 0, 0, 0 };
    struct tagged_fixture *f      = *state;
    struct tn_attr_value   value  = { TN_ATTR_INT, true, 4, { .ints = four } };
    struct tn_model       *model = tagged_open_file(f, NAMED("permuted"), NULL),
                    *other;
    char            *path   = tn_scratch_path(&f->scratch, "e.samediff");
    struct tn_target target = { .path = path };
    struct tn_edit  *edit;

    tagged_must(f, tn_edit_open(&edit, model, NULL, &f->error));
    tagged_must(f, tn_edit_set_attr(edit, 9, "iArgs", &value, &f->error));
    tagged_must(f, tn_edit_commit(edit, &other, &f->error));
    assert_int_equal(tn_convert(other, NULL, &target, NULL, NULL, &f->error),
                     TN_INVALID);
    assert_string_equal(f->error.what, "2 names for 4 iArgs");
    tn_model_close(other);
    tn_edit_close(edit);
    tn_model_close(model);
    free(path);
}

static int set_up(void **state)
{
    struct tagged_fixture *f = calloc(1, sizeof *f);

    tagged_begin_setup(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    tagged_teardown(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_operator, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_are_read_by_name, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_names_stop_a_conversion,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_arguments_are_found,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_more_values_than_names, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
