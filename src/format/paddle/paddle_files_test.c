/*
 * paddle_files_test.c - files that stand beside a program: parameters that
 * several share, vocabularies, the container of 1.6, .info and .meta
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "format/paddle/paddle_testing.h"

#define CORPUS TN_CORPUS "/paddle/"

/* Names and files only. */
static struct tn_model *must_open_bare(const char *path)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    if (tn_model_open(&model, path, NULL, &error) != TN_OK)
        fail_msg("%s: %s: %s", path, error.where, error.what);
    return model;
}

/* A program without operators, whose variables are given as text. */
static void put_program(struct tn_scratch *scratch, const char *name,
                        const char *variables)
{
    char text[2000];

    snprintf(text, sizeof text, "blocks { idx: 0 parent_idx: -1 %s }",
             variables);
    tn_scratch_write(scratch, "text.pdmodel.txt", text);
    struct tn_model *model =
        must_open_bare(tn_in_scratch(scratch, "text.pdmodel.txt"));
    must_write(model, tn_in_scratch(scratch, name), NULL);
    tn_model_close(model);
    unlinkat(scratch->folder, "text.pdmodel.txt", 0);
}

#define VAR(name, kind)                                                        \
    "vars { name: \"" name "\" persistable: true type { type: " kind " } } "
#define INT8S(name, count)                                                     \
    "vars { name: \"" name "\" persistable: true type { type: LOD_TENSOR "     \
    "lod_tensor { tensor { data_type: INT8 dims: " count " } } } } "

#define HEAD "00000000 0000000000000000 00000000 04000000 0815 10"

static void put_hex(struct tn_scratch *scratch, const char *name,
                    const char *hex)
{
    struct tn_bytes bytes = tn_hex(hex);

    tn_scratch_put(scratch, name, bytes);
    free((void *)(uintptr_t)bytes.data);
}

/* The first byte of a tensor. */
static int first_of(const struct tn_model *model, const char *name)
{
    const struct tn_tensor *tensor = tn_model_find(model, name);
    struct tn_error         error  = TN_ERROR_INIT;
    uint8_t                 byte;

    if (!tensor || tn_tensor_read(tensor, 0, &byte, 1, &error) != TN_OK)
        fail_msg("%s is not there: %s", name, error.what);
    return byte;
}

/* Two functions: `a` and `b` are one's, `b` and `c` the other's, and one file
 * holds all three. */
static void test_shared(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model;

    (void)state;
    put_program(&scratch, "m.pdmodel", INT8S("a", "1") INT8S("b", "2"));
    put_program(&scratch, "m.f.pdmodel", INT8S("b", "2") INT8S("c", "3"));
    put_hex(&scratch, "m.pdiparams",
            HEAD "01 0a" HEAD "02 0b0b" HEAD "03 0c0c0c");
    model = must_open_bare(tn_in_scratch(&scratch, "m.f.pdmodel"));
    assert_int_equal(tn_model_tensor_count(model), 2);
    assert_int_equal(first_of(model, "b"), 0x0b);
    assert_int_equal(first_of(model, "c"), 0x0c);
    tn_model_close(model);
    model = must_open_bare(tn_in_scratch(&scratch, "m.pdiparams"));
    assert_int_equal(tn_model_tensor_count(model), 2);
    tn_model_close(model);
    model = must_open_bare(tn_in_scratch(&scratch, "m.pdmodel"));
    assert_int_equal(tn_model_tensor_count(model), 2);
    assert_int_equal(first_of(model, "a"), 0x0a);
    assert_int_equal(first_of(model, "b"), 0x0b);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* u64 count, then u64 length, the word, i32 id. */
#define WORDS                                                                  \
    "0200000000000000 0100000000000000 61 00000000 "                           \
    "0200000000000000 6262 01000000"
#define WORD "0100000000000000 0100000000000000 63 07000000"

static void test_vocabularies(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    (void)state;
    put_program(&scratch, "m.pdmodel", VAR("v", "VOCAB") VAR("u", "VOCAB"));
    put_hex(&scratch, "m.pdiparams", WORD WORDS);
    model = must_open_bare(tn_in_scratch(&scratch, "m.pdmodel"));
    assert_int_equal(tn_tensor_size(tn_model_find(model, "u")), 21);
    assert_int_equal(tn_tensor_size(tn_model_find(model, "v")), 35);
    assert_int_equal(first_of(model, "u"), 1);
    assert_int_equal(first_of(model, "v"), 2);
    mkdirat(scratch.folder, "apart", 0777);
    must_write(model, tn_in_scratch(&scratch, "apart/__model__"), NULL);
    tn_model_close(model);
    model = must_open_bare(tn_in_scratch(&scratch, "apart/__model__"));
    assert_int_equal(tn_tensor_size(tn_model_find(model, "v")), 35);
    must_write(model, tn_in_scratch(&scratch, "n.pdmodel"), NULL);
    tn_model_close(model);
    struct tn_bytes was = tn_load_file(tn_in_scratch(&scratch, "m.pdiparams"));
    struct tn_bytes now = tn_load_file(tn_in_scratch(&scratch, "n.pdiparams"));
    assert_true(tn_bytes_equal(was, now));
    free((void *)(uintptr_t)was.data);
    free((void *)(uintptr_t)now.data);
    put_hex(&scratch, "m.pdiparams", WORD "ffffffffffffff00 00");
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "m.pdmodel"),
                                   NULL, &error),
                     TN_TRUNCATED);
    assert_int_equal(error.offset, 29);
    tn_scratch_close(&scratch);
}

/* A pickle and back again is the same container. */
static void test_container(void **state)
{
    struct tn_scratch         scratch = tn_scratch_open();
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_setting         layout  = { "layout", "seed" };
    struct tn_convert_options seed    = { .settings      = &layout,
                                          .setting_count = 1 };
    struct tn_target target = { .path = tn_in_scratch(&scratch, "x.pdparams") };
    struct tn_model *model  = must_open_bare(CORPUS "container.pdparams");
    struct tn_bytes  was, now;

    (void)state;
    assert_int_equal(tn_convert(model, &seed, &target, NULL, NULL, &error),
                     TN_INVALID);
    must_write(model, tn_in_scratch(&scratch, "a.pdparams"), "pickle");
    tn_model_close(model);
    was = tn_load_file(tn_in_scratch(&scratch, "a.pdparams"));
    assert_int_equal(was.data[0], 0x80);
    free((void *)(uintptr_t)was.data);
    model = must_open_bare(tn_in_scratch(&scratch, "a.pdparams"));
    must_write(model, tn_in_scratch(&scratch, "b.pdparams"), "container");
    tn_model_close(model);
    was = tn_load_file(CORPUS "container.pdparams");
    now = tn_load_file(tn_in_scratch(&scratch, "b.pdparams"));
    assert_int_equal(was.size, now.size);
    assert_memory_equal(was.data + 256, now.data + 256, was.size - 256);
    free((void *)(uintptr_t)was.data);
    free((void *)(uintptr_t)now.data);
    tn_scratch_close(&scratch);
}

static const char *fact_of(const struct tn_model *model, const char *name)
{
    static char text[300];

    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact fact = tn_model_fact(model, i);
        if (!tn_bytes_is(fact.key, name))
            continue;
        snprintf(text, sizeof text, "%.*s", TN_FMT(fact.value));
        return text;
    }
    return "?";
}

#define INFO "80027d5801000000617d73 2e"              /* {"a": {}} */
#define META "0a0f 0a05 4e65742e6e 1002 20fdffffff0f" /* Net.n = ... */

static void test_sides(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model;

    (void)state;
    put_program(&scratch, "m.pdmodel", INT8S("a", "1"));
    put_hex(&scratch, "m.pdiparams", HEAD "01 0a");
    put_hex(&scratch, "m.pdiparams.info", INFO);
    put_hex(&scratch, "m.meta", META);
    model = must_open_bare(tn_in_scratch(&scratch, "m.pdmodel"));
    assert_string_equal(fact_of(model, "info"),
                        "m.pdiparams.info names 1 variables");
    assert_string_equal(fact_of(model, "meta"), "Net.n = 4294967293");
    must_write(model, tn_in_scratch(&scratch, "n.pdmodel"), NULL);
    tn_model_close(model);
    model = must_open_bare(tn_in_scratch(&scratch, "n.pdiparams.info"));
    assert_string_equal(fact_of(model, "info"),
                        "n.pdiparams.info names 1 variables");
    assert_string_equal(fact_of(model, "meta"), "Net.n = 4294967293");
    tn_model_close(model);
    tn_scratch_write(&scratch, "n.pdiparams.info", "no pickle");
    tn_scratch_write(&scratch, "n.meta", "");
    model = must_open_bare(tn_in_scratch(&scratch, "n.pdmodel"));
    assert_non_null(strstr(fact_of(model, "info"), "cannot be read"));
    assert_string_equal(fact_of(model, "meta"), "n.meta says nothing");
    assert_int_equal(first_of(model, "a"), 0x0a);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* ---- what .meta says ---------------------------------------------------- */

/* One property: `name` of a letter, then the fields of its value. */
static const struct {
    const char *what, *hex, *fact;
} properties[] = {
    { "a number", "0a05 0a016e 2007", "n = 7" },
    { "a float", "0a08 0a016e 1d0000003f", "n = 0.5" },
    { "a text", "0a06 0a016e 2a0171", "n = q" },
    { "a tensor", "0a05 0a016e 3200", "n = a tensor" },
    { "floats", "0a0d 0a016e 3d0000003f 3d0000803f", "n = 0.5 1" },
    { "numbers in one field", "0a08 0a016e 4203010203", "n = 1 2 3" },
    { "texts", "0a09 0a016e 4a0161 4a0162", "n = a, b" },
    { "tensors", "0a07 0a016e 5200 5200", "n = a tensor, a tensor" },
    { "no name", "0a02 2007", " = 7" },
    { "no value", "0a03 0a016e", "n = " },
    { "a float that is a number", "0a05 0a016e 1801", "n = " },
    { "a number that is a text", "0a06 0a016e 220171", "n = " },
    { "a text that is a number", "0a05 0a016e 2801", "n = " },
    { "another field", "1001", "m.meta says nothing" },
    { "torn", "0a05 0a", "m.meta cannot be read: need 5 bytes, 1 left" },
    { "torn inside", "0a03 0a0571",
      "m.meta cannot be read: need 5 bytes, 1 left" },
};

static void test_properties(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    put_program(&scratch, "m.pdmodel", "");
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        put_hex(&scratch, "m.meta", properties[i].hex);
        struct tn_model *model =
            must_open_bare(tn_in_scratch(&scratch, "m.pdmodel"));
        if (strcmp(fact_of(model, "meta"), properties[i].fact) != 0)
            fail_msg("%s: %s", properties[i].what, fact_of(model, "meta"));
        tn_model_close(model);
    }
    tn_scratch_close(&scratch);
}

/* A value of 300 bytes is cut, and says so. */
static void test_long_property(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    uint8_t meta[309] = { 0x0a, 0xb2, 0x02, 0x0a, 0x01, 'n', 0x2a, 0xac, 0x02 };

    (void)state;
    put_program(&scratch, "m.pdmodel", "");
    memset(meta + 9, 'q', 300);
    tn_scratch_put(&scratch, "m.meta", tn_bytes(meta, sizeof meta));
    struct tn_model *model =
        must_open_bare(tn_in_scratch(&scratch, "m.pdmodel"));
    const char *fact = fact_of(model, "meta");
    assert_true(strlen(fact) < 210);
    assert_true(tn_text_ends_with(fact, "..."));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared),     cmocka_unit_test(test_vocabularies),
        cmocka_unit_test(test_container),  cmocka_unit_test(test_sides),
        cmocka_unit_test(test_properties), cmocka_unit_test(test_long_property),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
