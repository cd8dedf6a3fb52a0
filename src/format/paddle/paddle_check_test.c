/*
 * paddle_check_test.c - every rule of check finds what it is for, and a sound
 * program passes
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "format/paddle/paddle_check_testing.h"

/* clang-format off */
static const struct paddle_row rows[] = {
    { "a sound program", BLOCK(VARS FEED("x", "0") OP("") FETCH("y", "0")), NULL },
    { "feeds in reverse", BLOCK(VARS FEED("y", "1") FEED("x", "0") FETCH("y", "0")), NULL },
    { "an inner block", BLOCK(VARS ENDS OP("attrs { name: 'sub_block' type: BLOCK block_idx: 1 }")) "blocks { idx: 1 parent_idx: 0 " OP("") "}", NULL },
    { "an empty list", BLOCK(VARS ENDS OP("attrs { name: 'axes' type: INTS }")), NULL },
    { "a wrong number", BLOCK(VARS ENDS) "blocks { idx: 2 parent_idx: 0 }", "block-number" },
    { "around itself", BLOCK(VARS ENDS) "blocks { idx: 1 parent_idx: 1 }", "block-parent" },
    { "nowhere", BLOCK(VARS ENDS) "blocks { idx: 1 parent_idx: -1 }", "block-parent" },
    { "an unknown container", BLOCK(VARS ENDS "vars { name: 'v' type { type: INT8 } }"), "variable-type" },
    { "elements that are none", BLOCK(VARS ENDS "vars { name: 'v' type { type: LOD_TENSOR lod_tensor { tensor { data_type: READER } } } }"), "variable-type" },
    { "no name", BLOCK(VARS ENDS FLOATS("", "")), "unnamed-variable" },
    { "declared twice", BLOCK(VARS ENDS FLOATS("x", "")), "duplicate-variable" },
    { "undeclared", BLOCK(HOLDERS FLOATS("x", "") ENDS), "undeclared-variable" },
    { "declared in an inner block only", BLOCK(HOLDERS FLOATS("x", "") FEED("x", "0") FETCH("y", "0")) "blocks { idx: 1 parent_idx: 0 " FLOATS("y", "") "}", "undeclared-variable" },
    { "no operator", BLOCK(VARS ENDS "ops { type: '' }"), "untyped-operator" },
    { "no value", BLOCK(VARS ENDS OP("attrs { name: 'a' type: INT }")), "attribute-value" },
    { "another value", BLOCK(VARS ENDS OP("attrs { name: 'a' type: INT i: 1 s: 'x' }")), "attribute-value" },
    { "block 0", BLOCK(VARS ENDS OP("attrs { name: 'a' type: BLOCK block_idx: 0 }")), "attribute-block" },
    { "a block that is not there", BLOCK(VARS ENDS OP("attrs { name: 'a' type: BLOCKS blocks_idx: 7 }")), "attribute-block" },
    { "a gap in the inputs", BLOCK(VARS FEED("x", "0") FEED("y", "2") FETCH("y", "0")), "feed-column" },
    { "outputs twice", BLOCK(VARS FEED("x", "0") FETCH("y", "0") FETCH("x", "0")), "fetch-column" },
    { "no column", BLOCK(VARS FETCH("y", "0") "ops { outputs { parameter: 'Out' arguments: 'x' } type: 'feed' }"), "feed-column" },
    { "no inputs", BLOCK(VARS FETCH("y", "0")), "no-feed" },
    { "no outputs", BLOCK(VARS FEED("x", "0")), "no-fetch" },
    { "no such version", BLOCK(VARS ENDS) "version { version: -3 }", "odd-version" },
    { "no parameters", BLOCK(VARS ENDS "vars { name: 'w' persistable: true type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 } } } }"), "missing-parameter" },
    { "a name that leaves", BLOCK(VARS ENDS "vars { name: '../w' persistable: true type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 } } } }"), "unsafe-name" },
    { "source paths", BLOCK(VARS ENDS OP("attrs { name: 'op_callstack' type: STRINGS strings: 'a.py' }")), "op-callstack" },
    { "training", BLOCK(VARS ENDS OP("attrs { name: 'op_role' type: INT i: 2 }")), "training-ops" },
};
/* clang-format on */

static void test_programs(void **state)
{
    (void)state;
    hold_programs(rows, sizeof rows / sizeof rows[0]);
}

/* ---- parameters --------------------------------------------------------- */

#define STORED(dims)                                                           \
    BLOCK(VARS ENDS                                                            \
          "vars { name: 'w' persistable: true type { type: LOD_TENSOR "        \
          "lod_tensor { tensor { data_type: FP32 " dims " } } } } ")
#define HEAD "00000000 0000000000000000 00000000 "
#define LEVEL                                                                  \
    "00000000 0100000000000000 0800000000000000 0000000000000000 00000000 "

/* clang-format off */
static const struct {
    const char *name, *dims, *record;
    const char *rule; /* NULL: nothing is wrong                               */
    bool        is_combined;
} records[] = {
    { "as declared", "dims: 2", HEAD "04000000 08051002 0000000000000000", NULL, false },
    { "of any size", "dims: -1", HEAD "04000000 08051002 0000000000000000", NULL, false },
    { "half", "dims: 2", HEAD "04000000 08041002 00000000", "parameter-precision", false },
    { "bfloat16", "dims: 2", HEAD "04000000 08161002 00000000", "parameter-precision", false },
    { "whole numbers", "dims: 2", HEAD "04000000 08021002 0000000000000000", "parameter-dtype", false },
    { "another length", "dims: 3", HEAD "04000000 08051002 0000000000000000", "parameter-shape", false },
    { "another rank", "dims: 2 dims: 1", HEAD "04000000 08051002 0000000000000000", "parameter-rank", false },
    { "ragged", "dims: 2", LEVEL "04000000 08051002 0000000000000000", "parameter-lod", false },
    { "cut", "dims: 2", HEAD "04000000 08051002 000000", "truncated", false },
    { "too long", "dims: 2", HEAD "04000000 08051002 000000000000000000", "malformed", false },
    { "combined, another length", "dims: 3", HEAD "04000000 08051002 0000000000000000", "malformed", true },
    { "combined, too long", "dims: 2", HEAD "04000000 08051002 0000000000000000 00", "malformed", true },
};
/* clang-format on */

static void save_hex(struct tn_scratch *scratch, const char *name,
                     const char *hex)
{
    struct tn_bytes bytes = tn_hex(hex);
    int             file =
        openat(scratch->folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    assert_true(file >= 0);
    assert_int_equal(write(file, bytes.data, bytes.size), bytes.size);
    close(file);
    free((void *)(uintptr_t)bytes.data);
}

static void test_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        char              program[2000];
        struct heard      heard;
        snprintf(program, sizeof program, STORED("%s"), records[i].dims);
        tn_write_text(&scratch, "__model__.txt", program);
        save_hex(&scratch, records[i].is_combined ? "__params__" : "w",
                 records[i].record);
        check_path(tn_in_scratch(&scratch, "__model__.txt"), &heard);
        bool is_right = records[i].rule ? has_rule(&heard, records[i].rule)
                                        : heard.count == 0;
        if (!is_right)
            fail_msg("%s: found%s", records[i].name, heard.rules);
        tn_scratch_close(&scratch);
    }
}

/* Files that the program does not name are said, and only those. */
static void test_left_over(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct heard      heard;

    (void)state;
    tn_write_text(&scratch, "__model__.txt", STORED("dims: 2"));
    save_hex(&scratch, "w", HEAD "04000000 08051002 0000000000000000");
    save_hex(&scratch, "w_old", HEAD "04000000 08051002 0000000000000000");
    check_path(tn_in_scratch(&scratch, "__model__.txt"), &heard);
    assert_int_equal(heard.count, 1);
    assert_true(has_rule(&heard, "left-over-file"));
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_left_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
