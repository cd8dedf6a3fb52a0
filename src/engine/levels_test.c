/* levels_test.c - sequences in tensors: read, set, written, checked */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tenon/tenon.h>

#include "ir/levels.h"
#include "support/scratch.h"

/* Two levels over nine rows of one byte each, as PaddlePaddle writes them. */
static const uint64_t two[]    = { 0, 2, 3, 0, 4, 5, 9 };
static const uint64_t counts[] = { 3, 4 };

struct bench {
    struct tn_scratch scratch;
    char             *path, *other;
    struct tn_error   error;
};

static void must(struct bench *b, enum tn_status status)
{
    if (status != TN_OK)
        fail_msg("%s: %s", b->error.where, b->error.what);
}

static void put_u64(FILE *file, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        fputc((int)(value >> 8 * i & 0xff), file);
}

/* levels.tensor: the offsets of `two`, but for one of them. */
static void write_record(struct bench *b, size_t changed, uint64_t value)
{
    static const char zero[4] = { 0 };
    FILE             *file    = fopen(b->path, "wb");
    size_t            next    = 0;

    fwrite(zero, 1, 4, file);
    put_u64(file, 2);
    for (int level = 0; level < 2; level++) {
        put_u64(file, 8 * counts[level]);
        for (uint64_t i = 0; i < counts[level]; i++, next++)
            put_u64(file, next == changed ? value : two[next]);
    }
    fwrite(zero, 1, 4, file);
    fwrite("\4\0\0\0\x08\x14\x10\x09", 1, 8, file); /* uint8 [9] */
    fwrite("123456789", 1, 9, file);
    fclose(file);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    b->scratch = tn_scratch_open();
    b->path    = tn_scratch_path(&b->scratch, "levels.tensor");
    b->other   = tn_scratch_path(&b->scratch, "other.pdiparams");
    *state     = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    free(b->path);
    free(b->other);
    tn_scratch_close(&b->scratch);
    free(b);
    return 0;
}

static void levels_are(struct bench *b, const struct tn_tensor *tensor,
                       uint64_t levels, const uint64_t *sizes,
                       const uint64_t *want)
{
    uint64_t have[8], count;

    assert_int_equal(tn_tensor_level_count(tensor), levels);
    for (uint64_t i = 0; i < levels; i++) {
        must(b, tn_tensor_level(tensor, i, have, 8, &count, &b->error));
        assert_int_equal(count, sizes[i]);
        assert_memory_equal(have, want, (size_t)count * sizeof *want);
        want += count;
    }
    assert_int_equal(tn_tensor_level(tensor, levels, have, 8, &count, NULL),
                     TN_NOT_FOUND);
}

static void read_and_written(void **state)
{
    struct bench    *b      = *state;
    struct tn_target target = { .path = b->other };
    struct tn_model *model;
    uint64_t         one[2] = { 7, 7 }, count;

    write_record(b, SIZE_MAX, 0);
    must(b, tn_model_open(&model, b->path, NULL, &b->error));
    levels_are(b, tn_model_tensor(model, 0), 2, counts, two);
    must(b, tn_tensor_level(tn_model_tensor(model, 0), 1, one, 1, &count,
                            &b->error));
    assert_int_equal(count, 4); /* there are more than fit */
    assert_int_equal(one[1], 7);
    must(b, tn_convert(model, NULL, &target, NULL, NULL, &b->error));
    tn_model_close(model);
    must(b, tn_model_open(&model, b->other, NULL, &b->error));
    levels_are(b, tn_model_tensor(model, 0), 2, counts, two);
    tn_model_close(model);
}

static void set(void **state)
{
    static const uint64_t all[] = { 0, 9 }, size[] = { 2 }, nine[] = { 9 };
    static const uint64_t bad[]  = { 0, 8 };
    struct bench         *b      = *state;
    struct tn_target      target = { .path = b->other };
    struct tn_model      *model;
    struct tn_edit       *edit;

    must(b, tn_edit_new(&edit, "paddle", NULL, &b->error));
    must(b, tn_edit_add_elements(edit, 0, "w", TN_UINT8, 1, nine,
                                 tn_bytes("123456789", 9), &b->error));
    assert_int_equal(tn_edit_set_levels(edit, 0, "w", 1, size, bad, &b->error),
                     TN_INVALID);
    assert_string_equal(b->error.what, "LoD level 0 ends at 8, not at 9");
    b->error = (struct tn_error)TN_ERROR_INIT;
    must(b, tn_edit_set_levels(edit, 0, "w", 1, size, all, &b->error));
    must(b, tn_edit_commit(edit, &model, &b->error));
    must(b, tn_convert(model, NULL, &target, NULL, NULL, &b->error));
    tn_model_close(model);
    tn_edit_close(edit);
    must(b, tn_model_open(&model, b->other, NULL, &b->error));
    levels_are(b, tn_model_tensor(model, 0), 1, size, all);
    tn_model_close(model);
}

/* A record alone is no graph: it can be edited as it is, and its tensor can be
 * a weight of a new program. */
static void set_in_records(void **state)
{
    static const uint64_t     all[] = { 0, 4, 9 }, size[] = { 3 };
    struct tn_options         wanting = { .wants_graph = true };
    struct bench             *b       = *state;
    struct tn_target          target  = { .path = b->other };
    struct tn_convert_options bare    = { .to = "paddle-params" };
    struct tn_model          *model, *changed;
    struct tn_edit           *edit;

    write_record(b, SIZE_MAX, 0);
    must(b, tn_model_open(&model, b->path, &wanting, &b->error));
    must(b, tn_edit_open(&edit, model, NULL, &b->error));
    tn_edit_close(edit);
    must(b, tn_edit_new(&edit, "paddle", NULL, &b->error));
    must(b, tn_edit_add_tensor(edit, 0, "w", tn_model_tensor(model, 0),
                               &b->error));
    must(b, tn_edit_set_levels(edit, 0, "w", 1, size, all, &b->error));
    must(b, tn_edit_commit(edit, &changed, &b->error));
    must(b, tn_convert(changed, &bare, &target, NULL, NULL, &b->error));
    tn_edit_close(edit);
    tn_model_close(changed);
    tn_model_close(model);
    must(b, tn_model_open(&model, b->other, NULL, &b->error));
    assert_string_equal(tn_model_format(model), "paddle-params");
    levels_are(b, tn_model_tensor(model, 0), 1, size, all);
    tn_model_close(model);
}

static int hear(void *context, const struct tn_finding *finding)
{
    char *what = context;

    if (finding->severity == TN_SEVERITY_ERROR)
        snprintf(what, 200, "%s [%s]", finding->what, finding->rule);
    return 0;
}

static void checked(void **state)
{
    struct bench *b = *state;
    static const struct {
        size_t      changed;
        uint64_t    value;
        const char *found;
    } cases[] = {
        { SIZE_MAX, 0, "" },
        { 0, 1, "LoD level 0 begins at 1, not at 0 [wrong-lod]" },
        { 1, 4, "LoD level 0 goes back from 4 to 3 [wrong-lod]" },
        { 2, 2, "LoD level 0 ends at 2, not at 3 [wrong-lod]" },
        { 6, 8, "LoD level 1 ends at 8, not at 9 [wrong-lod]" },
        { 5, UINT64_MAX,
          "LoD level 1 goes back from 18446744073709551615 to 9 [wrong-lod]" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char found[200] = "";
        write_record(b, cases[i].changed, cases[i].value);
        must(b, tn_check(b->path, NULL, NULL, hear, found, NULL, &b->error));
        assert_string_equal(found, cases[i].found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(read_and_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(set_in_records, set_up, tear_down),
        cmocka_unit_test_setup_teardown(checked, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
