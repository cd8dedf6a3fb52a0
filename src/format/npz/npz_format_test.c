/* npz_format_test.c - arrays in zips and alone; numpy judges in tests/judges */
#define _GNU_SOURCE
#include "format/npz/npz.h"

#include <stdlib.h>

#include "format/npz/npz_testing.h"
#include "support/little_models.h"

/* A zip of one entry. */
static void make_zip(struct tn_scratch *scratch, const char *name,
                     const char *entry, const char *dict, struct tn_bytes data,
                     bool is_deflated)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_buffer     file, array;
    struct tn_zip_writer zip;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_buffer_init(&array, &memory, &error);
    npz_put_array(&array, dict, data);
    tn_zip_writer_init(&zip, &file.sink, &memory, &error);
    zip.has_keys = true;
    npz_put_entry(&zip, entry, tn_buffer_bytes(&array), is_deflated);
    tn_zip_finish(&zip);
    assert_int_equal(error.status, TN_OK);
    tn_zip_writer_done(&zip);
    tn_scratch_put(scratch, name, tn_buffer_bytes(&file));
    tn_buffer_done(&array);
    tn_buffer_done(&file);
}

/* ---- what arrays become ------------------------------------------------- */

#define SIX "\0\1\2\3\4\5"

/* clang-format off */
static const struct {
    const char    *name, *dict, *data;
    size_t         size;
    enum tn_status status;
    uint64_t       offset;        /* of the complaint, in the entry           */
    const char    *elements;      /* little-endian, C order                   */
    enum tn_dtype  dtype;
} arrays[] = {
    { "bytes", NPY_HEAD("'|u1'", "False", "(2, 3)"), SIX, 6, TN_OK, 0, "\0\1\2\3\4\5", TN_UINT8 },
    { "Fortran order", NPY_HEAD("'|u1'", "True", "(2, 3)"), SIX, 6, TN_OK, 0, "\0\2\4\1\3\5", TN_UINT8 },
    { "a vector in Fortran order", NPY_HEAD("'|i1'", "True", "(6,)"), SIX, 6, TN_OK, 0, "\0\1\2\3\4\5", TN_INT8 },
    { "big-endian", NPY_HEAD("'>u2'", "False", "(3,)"), SIX, 6, TN_OK, 0, "\1\0\3\2\5\4", TN_UINT16 },
    { "big-endian Fortran", NPY_HEAD("'>u2'", "True", "(3, 1)"), SIX, 6, TN_OK, 0, "\1\0\3\2\5\4", TN_UINT16 },
    { "bfloat16", NPY_HEAD("'<V2'", "False", "(3,)"), SIX, 6, TN_OK, 0, "\0\1\2\3\4\5", TN_BFLOAT16 },
    { "truths", NPY_HEAD("'|b1'", "False", "()"), "\1", 1, TN_OK, 0, "\1", TN_BOOL },
    { "nothing", NPY_HEAD("'<f4'", "False", "(0, 7)"), "", 0, TN_OK, 0, "", TN_FLOAT32 },
    { "objects", NPY_HEAD("'|O'", "False", "(1,)"), "\x80\4.", 3, TN_UNSUPPORTED, 20, NULL, TN_UNDEFINED },
    { "structures", NPY_HEAD("[('a', '<f4')]", "False", "(1,)"), "", 0, TN_UNSUPPORTED, 20, NULL, TN_UNDEFINED },
    { "dates", NPY_HEAD("'<M8[ns]'", "False", "(1,)"), SIX, 6, TN_UNSUPPORTED, 20, NULL, TN_UNDEFINED },
    { "too few", NPY_HEAD("'<u4'", "False", "(2,)"), SIX, 6, TN_TRUNCATED, 68, NULL, TN_UNDEFINED },
    { "too many", NPY_HEAD("'<u4'", "False", "(1,)"), SIX, 6, TN_MALFORMED, 72, NULL, TN_UNDEFINED },
    { "a call", "{'descr': exit()}", "", 0, TN_MALFORMED, 20, NULL, TN_UNDEFINED },
    { "too wide", NPY_HEAD("'<U16385'", "False", "(0,)"), "", 0, TN_UNSUPPORTED, TN_NOWHERE, NULL, TN_UNDEFINED },
};
/* clang-format on */

static void compare(struct tn_model *model, size_t which)
{
    struct tn_error         error  = TN_ERROR_INIT;
    const struct tn_tensor *tensor = tn_model_tensor(model, 0);
    uint8_t                 got[8];

    assert_int_equal(tn_model_tensor_count(model), 1);
    assert_int_equal(tn_tensor_dtype(tensor), arrays[which].dtype);
    assert_int_equal(tn_tensor_size(tensor), arrays[which].size);
    assert_int_equal(tn_tensor_read(tensor, 0, got, arrays[which].size, &error),
                     TN_OK);
    if (memcmp(got, arrays[which].elements, arrays[which].size) != 0)
        fail_msg("%s: other elements", arrays[which].name);
}

static void open_array(struct tn_scratch *scratch, const char *file,
                       size_t which)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    tn_model_open(&model, tn_in_scratch(scratch, file), NULL, &error);
    bool is_right =
        error.status == arrays[which].status &&
        (error.status == TN_OK || error.offset == arrays[which].offset);
    if (!is_right)
        fail_msg("%s in %s: status %d at %d: %s", arrays[which].name, file,
                 error.status, (int)error.offset, error.what);
    if (model)
        compare(model, which);
    else if (strcmp(file, "a.npy") != 0) /* said once */
        assert_true(!strcmp(error.where, "x/y.npy") !=
                    !strcmp(error.file, "x/y.npy"));
    tn_model_close(model);
}

static void arrays_are_tensors(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        struct tn_bytes  data  = tn_bytes(arrays[i].data, arrays[i].size);
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer alone;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&alone, &memory, &error);
        npz_put_array(&alone, arrays[i].dict, data);
        tn_scratch_put(&scratch, "a.npy", tn_buffer_bytes(&alone));
        tn_buffer_done(&alone);
        make_zip(&scratch, "s.npz", "x/y.npy", arrays[i].dict, data, false);
        make_zip(&scratch, "d.npz", "x/y.npy", arrays[i].dict, data, true);
        open_array(&scratch, "a.npy", i);
        open_array(&scratch, "s.npz", i);
        open_array(&scratch, "d.npz", i);
    }
    tn_scratch_close(&scratch);
}

/* ---- names -------------------------------------------------------------- */

static const char *const names[] = {
    "w",    "W", "a/b:0", "/abs/olute", "../up",    "C:\\x",
    "a//b", ".", "x y",   "%",          "\xc3\xa9",
};

#define NAME_COUNT (sizeof names / sizeof names[0])

/* Keys are keys: whatever they look like, they come back. */
static void names_are_keys(void **state)
{
    struct tn_scratch    scratch = tn_scratch_open();
    struct tn_error      error   = TN_ERROR_INIT;
    struct tn_target     target;
    struct tn_memory     memory;
    struct tn_buffer     file, array;
    struct tn_zip_writer zip;
    struct tn_model     *model;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_buffer_init(&array, &memory, &error);
    npz_put_array(&array, arrays[0].dict, tn_bytes(SIX, 6));
    tn_zip_writer_init(&zip, &file.sink, &memory, &error);
    zip.has_keys = true;
    for (size_t i = 0; i < NAME_COUNT; i++) {
        char entry[40];
        snprintf(entry, sizeof entry, "%s.npy", names[i]);
        npz_put_entry(&zip, entry, tn_buffer_bytes(&array), false);
    }
    npz_put_entry(&zip, "readme.txt", tn_text("no array"), false);
    tn_zip_finish(&zip);
    tn_zip_writer_done(&zip);
    tn_scratch_put(&scratch, "a.npz", tn_buffer_bytes(&file));
    tn_buffer_done(&array);
    tn_buffer_done(&file);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(&scratch, "a.npz"), NULL, &error),
        TN_OK);
    target = (struct tn_target){ .path = tn_in_scratch(&scratch, "b.npz") };
    assert_int_equal(tn_convert(model, NULL, &target, NULL, NULL, &error),
                     TN_OK);
    tn_model_close(model);
    assert_int_equal(tn_model_open(&model, target.path, NULL, &error), TN_OK);
    assert_int_equal(tn_model_tensor_count(model), NAME_COUNT);
    for (size_t i = 0; i < NAME_COUNT; i++)
        assert_non_null(tn_model_find(model, names[i]));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* ---- what is left out --------------------------------------------------- */

static void note_loss(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    char  *losses = context;
    size_t used   = strlen(losses);

    (void)offset;
    (void)where;
    snprintf(losses + used, 400 - used, "%s%s", used ? "; " : "", what);
}

static const char *facts_of(const struct tn_model *model)
{
    static char all[400];

    all[0] = '\0';
    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact fact = tn_model_fact(model, i);
        size_t         used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%.*s=%.*s", used ? "; " : "",
                 TN_FMT(fact.key), TN_FMT(fact.value));
    }
    return all;
}

/* Arrays that are not read here do not keep the others from being read; a
 * conversion tells them and what is not an array. */
static void some_entries_are_left_out(void **state)
{
    struct tn_scratch         scratch = tn_scratch_open();
    struct tn_error           error   = TN_ERROR_INIT;
    char                      losses[400];
    struct tn_convert_options options = TN_CONVERT_OPTIONS_INIT;
    struct tn_target          target  = { .can_replace = true };
    struct tn_memory          memory;
    struct tn_buffer          file, good, objects;
    struct tn_zip_writer      zip;
    struct tn_model          *model;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_buffer_init(&good, &memory, &error);
    tn_buffer_init(&objects, &memory, &error);
    npz_put_array(&good, arrays[0].dict, tn_bytes(SIX, 6));
    npz_put_array(&objects, NPY_HEAD("'|O'", "False", "()"), tn_bytes(SIX, 6));
    tn_zip_writer_init(&zip, &file.sink, &memory, &error);
    zip.has_keys = true;
    npz_put_entry(&zip, "config.npy", tn_buffer_bytes(&objects), false);
    npz_put_entry(&zip, "w.npy", tn_buffer_bytes(&good), false);
    npz_put_entry(&zip, "more.npy", tn_buffer_bytes(&objects), true);
    npz_put_entry(&zip, "readme.txt", tn_text("no array"), false);
    tn_zip_finish(&zip);
    tn_zip_writer_done(&zip);
    tn_scratch_put(&scratch, "a.npz", tn_buffer_bytes(&file));
    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(&scratch, "a.npz"), NULL, &error),
        TN_OK);
    assert_int_equal(tn_model_tensor_count(model), 1);
    assert_non_null(tn_model_find(model, "w"));
    assert_non_null(
        strstr(facts_of(model), "unread_array=config: elements of type 'O'"));
    assert_non_null(strstr(facts_of(model), "other_entries=1"));
    options.loss         = note_loss;
    options.loss_context = losses;
    for (int i = 0; i < 2; i++) {
        target.path = tn_in_scratch(&scratch, i ? "b.npz" : "b.safetensors");
        losses[0]   = '\0';
        assert_int_equal(
            tn_convert(model, &options, &target, NULL, NULL, &error), TN_OK);
        assert_string_equal(
            losses, "left behind: 2 arrays that are not read here, such as "
                    "'config'; left behind: 1 entry that is not an array, "
                    "'readme.txt'");
    }
    tn_model_close(model);
    tn_buffer_done(&objects);
    tn_buffer_done(&good);
    tn_buffer_done(&file);
    tn_scratch_close(&scratch);
}

/* ---- check -------------------------------------------------------------- */

static int note_rule(void *context, const struct tn_finding *finding)
{
    char  *rules = context;
    size_t used  = strlen(rules);

    snprintf(rules + used, 200 - used, "%s%s", used ? " " : "", finding->rule);
    return 0;
}

static const char *check(struct tn_scratch *scratch, const char *file)
{
    static char     rules[200];
    struct tn_error error = TN_ERROR_INIT;

    rules[0] = '\0';
    assert_int_equal(tn_check(tn_in_scratch(scratch, file), NULL, NULL,
                              note_rule, rules, NULL, &error),
                     TN_OK);
    return rules;
}

static void check_says_what_is_wrong(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    make_zip(&scratch, "a.npz", "a.npy", arrays[0].dict, tn_bytes(SIX, 6), 0);
    assert_string_equal(check(&scratch, "a.npz"), "");
    make_zip(&scratch, "b.npz", "a.npy", NPY_HEAD("'|O'", "False", "()"),
             tn_bytes(SIX, 6), 0);
    assert_string_equal(check(&scratch, "b.npz"), "unsupported-array");
    make_zip(&scratch, "c.npz", "a.npy", NPY_HEAD("'|u1'", "False", "(9,)"),
             tn_bytes(SIX, 6), 0);
    assert_string_equal(check(&scratch, "c.npz"), "bad-array");
    /* A flipped byte of the data is what the checksum is for. */
    struct tn_bytes bytes = tn_load_file(tn_in_scratch(&scratch, "a.npz"));
    uint8_t        *at    = memmem(bytes.data, bytes.size, "\1\2\3\4\5", 5);
    assert_non_null(at);
    *at ^= 8;
    tn_scratch_put(&scratch, "d.npz", bytes);
    assert_string_equal(check(&scratch, "d.npz"), "zip-crc");
    free((void *)(uintptr_t)bytes.data);
    tn_scratch_close(&scratch);
}

/* ---- strings ------------------------------------------------------------ */

static enum tn_status join(void *context, uint64_t index, struct tn_span text,
                           struct tn_error *error)
{
    char  *all  = context;
    size_t used = strlen(all);

    if (index)
        all[used++] = ',';
    return text.length ? tn_source_read(text.source, text.offset, all + used,
                                        (size_t)text.length, error)
                       : TN_OK;
}

static void strings_are_strings(void **state)
{
    static const struct {
        const char *descr, *order, *data;
        size_t      size;
        const char *joined;
    } cases[] = {
        { "'|S2'", "False", "ab\0\0c\0de", 8, "ab,,c,de" },
        { "'|S2'", "True", "ab\0\0c\0de", 8, "ab,c,,de" },
        { "'<U1'", "False", "a\0\0\0\xe9\0\0\0\0\0\0\0b\0\0\0", 16,
          "a,\xc3\xa9,,b" },
        { "'>U1'", "True", "\0\0\0a\0\0\0\xe9\0\0\0\0\0\0\0b", 16,
          "a,,\xc3\xa9,b" },
        { "'|S0'", "False", "", 0, ",,," },
    };
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_model *model;
        char             dict[200], all[100] = "";
        snprintf(dict, sizeof dict,
                 "{'descr': %s, 'fortran_order': %s, 'shape': (2, 2)}",
                 cases[i].descr, cases[i].order);
        make_zip(&scratch, "a.npz", "a.npy", dict,
                 tn_bytes(cases[i].data, cases[i].size), true);
        assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "a.npz"),
                                       NULL, &error),
                         TN_OK);
        const struct tn_tensor *tensor = tn_model_find(model, "a");
        if (tn_payload_strings(&tensor->elements, 0, 4, join, all, &error) !=
            TN_OK)
            fail_msg("%s: %s", cases[i].descr, error.what);
        assert_string_equal(all, cases[i].joined);
        tn_model_close(model);
    }
    tn_scratch_close(&scratch);
}

/* ---- trouble with the machine ------------------------------------------- */

static enum tn_status open_and_write(struct tn_scratch       *scratch,
                                     const struct tn_options *options,
                                     const char *from, struct tn_error *error)
{
    struct tn_target target = { .path        = tn_in_scratch(scratch, "o.npz"),
                                .can_replace = true };
    struct tn_model *model;

    tn_model_open(&model, tn_in_scratch(scratch, from), options, error);
    if (model)
        tn_convert(model, NULL, &target, options, NULL, error);
    tn_model_close(model);
    return error->status;
}

static void every_allocation_may_fail(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    make_zip(&scratch, "a.npz", "a.npy", NPY_HEAD("'>U1'", "True", "(1, 2)"),
             tn_bytes("\0\0\0a\0\0\0b", 8), true);
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        enum tn_status      status =
            open_and_write(&scratch, &options, "a.npz", &error);
        assert_int_equal(budget.blocks, 0);
        if (status == TN_OK)
            break;
        assert_int_equal(status, TN_NO_MEMORY);
        assert_false(tn_scratch_has(&scratch, "o.npz"));
    }
    tn_scratch_close(&scratch);
}

/* Every prefix is refused, and every flipped bit survived. */
static void files_survive_hostility(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    make_zip(&scratch, "a.npz", "a.npy", arrays[1].dict, tn_bytes(SIX, 6),
             true);
    struct tn_bytes good = tn_load_file(tn_in_scratch(&scratch, "a.npz"));
    for (size_t size = 0; size < good.size; size++) {
        struct tn_error error = TN_ERROR_INIT;
        tn_scratch_put(&scratch, "b.npz", tn_bytes(good.data, size));
        assert_int_not_equal(open_and_write(&scratch, NULL, "b.npz", &error),
                             TN_OK);
    }
    for (size_t i = 0; i < good.size * 8; i++) {
        struct tn_error error = TN_ERROR_INIT;
        uint8_t        *byte  = (uint8_t *)(uintptr_t)good.data + i / 8;
        *byte ^= (uint8_t)(1 << i % 8);
        tn_scratch_put(&scratch, "b.npz", good);
        open_and_write(&scratch, NULL, "b.npz", &error);
        assert_true(error.status == TN_OK || error.what[0]);
        *byte ^= (uint8_t)(1 << i % 8);
    }
    free((void *)(uintptr_t)good.data);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_tensors),
        cmocka_unit_test(names_are_keys),
        cmocka_unit_test(some_entries_are_left_out),
        cmocka_unit_test(check_says_what_is_wrong),
        cmocka_unit_test(strings_are_strings),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(files_survive_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
