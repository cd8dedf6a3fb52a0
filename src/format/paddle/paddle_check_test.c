/*
 * paddle_check_test.c - every rule of check finds what it is for, and a sound
 * program passes
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"
#include "support/little_models.h"

#define BLOCK(body) "blocks { idx: 0 parent_idx: -1 " body " }"
#define FLOATS(name, dims)                                                     \
    "vars { name: '" name "' type { type: LOD_TENSOR lod_tensor { tensor { "   \
    "data_type: FP32 " dims " } } } } "
#define HOLDERS                                                                \
    "vars { name: 'feed' type { type: FEED_MINIBATCH } persistable: true } "   \
    "vars { name: 'fetch' type { type: FETCH_LIST } persistable: true } "
#define FEED(name, col)                                                        \
    "ops { inputs { parameter: 'X' arguments: 'feed' } outputs { parameter: "  \
    "'Out' arguments: '" name "' } type: 'feed' attrs { name: 'col' type: "    \
    "INT i: " col " } } "
#define FETCH(name, col)                                                       \
    "ops { inputs { parameter: 'X' arguments: '" name "' } outputs { "         \
    "parameter: 'Out' arguments: 'fetch' } type: 'fetch' attrs { name: 'col' " \
    "type: INT i: " col " } } "
#define OP(attrs)                                                              \
    "ops { inputs { parameter: 'X' arguments: 'x' } outputs { parameter: "     \
    "'Out' arguments: 'y' } type: 'relu' " attrs " } "
#define TYPED(name, type, dims)                                                \
    "vars { name: '" name "' type { type: LOD_TENSOR lod_tensor { tensor { "   \
    "data_type: " type " " dims " } } } } "
#define IN(slot, names) "inputs { parameter: '" slot "' " names " } "
#define OUT(slot, name)                                                        \
    "outputs { parameter: '" slot "' arguments: '" name "' } "
#define A(name) "arguments: '" name "' "
#define VARS HOLDERS FLOATS("x", "dims: 2") FLOATS("y", "dims: 2")
#define ENDS FEED("x", "0") FETCH("y", "0")

/* clang-format off */
static const struct {
    const char *name, *program;
    const char *rule; /* NULL: nothing is wrong                               */
} rows[] = {
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
    { "two types", BLOCK(VARS ENDS TYPED("i", "INT64", "dims: 2") "ops { " IN("Y", A("i")) IN("X", A("x")) OUT("Out", "y") "type: 'elementwise_add' }"), "type-mismatch" },
    { "a real number and a complex one", BLOCK(VARS ENDS TYPED("c", "COMPLEX64", "dims: 2") "ops { " IN("X", A("x")) IN("Y", A("c")) OUT("Out", "c") "type: 'elementwise_add' }"), NULL },
    { "one of many", BLOCK(VARS ENDS TYPED("h", "FP16", "dims: 2") "ops { " IN("X", A("x") A("@EMPTY@") A("y") A("h")) OUT("Out", "y") "type: 'concat' }"), "type-mismatch" },
    { "a filter of halves", BLOCK(VARS ENDS TYPED("w", "FP16", "") "ops { " IN("Filter", A("w")) IN("Input", A("x")) OUT("Output", "y") "type: 'conv2d' }"), "type-mismatch" },
    { "a filter of bytes", BLOCK(VARS ENDS TYPED("v", "FP32", "") TYPED("w", "INT8", "") TYPED("z", "UINT8", "") "ops { " IN("Filter", A("w")) IN("Input", A("v")) OUT("Output", "z") "type: 'conv2d' }"), NULL },
    { "a filter of indices", BLOCK(VARS ENDS TYPED("w", "INT64", "") "ops { " IN("Filter", A("w")) OUT("Output", "y") "type: 'conv2d' }"), "type-not-allowed" },
    { "an index of floats", BLOCK(VARS ENDS "ops { " IN("X", A("x")) IN("Index", A("x")) OUT("Out", "y") "type: 'gather' }"), "type-not-allowed" },
    { "a condition of floats", BLOCK(VARS ENDS "ops { " IN("Condition", A("x")) IN("X", A("x")) IN("Y", A("x")) OUT("Out", "y") "type: 'where' }"), "type-not-allowed" },
    { "a comparison is no float", BLOCK(VARS ENDS "ops { " IN("X", A("x")) IN("Y", A("x")) OUT("Out", "y") "type: 'less_than' }"), "type-mismatch" },
    { "gives another type", BLOCK(VARS ENDS TYPED("h", "FP16", "dims: 2") "ops { " IN("X", A("x")) OUT("Out", "h") "type: 'relu' }"), "type-mismatch" },
    { "gives what it says", BLOCK(VARS ENDS TYPED("h", "FP16", "dims: 2") "ops { " IN("X", A("x")) OUT("Out", "h") "type: 'cast' attrs { name: 'out_dtype' type: INT i: 4 } }"), NULL },
    { "does not give what it says", BLOCK(VARS ENDS TYPED("h", "FP16", "dims: 2") "ops { " IN("X", A("x")) OUT("Out", "h") "type: 'cast' attrs { name: 'out_dtype' type: INT i: 5 } }"), "type-mismatch" },
    { "the index of the largest", BLOCK(VARS ENDS "ops { " IN("X", A("x")) OUT("Out", "y") "type: 'arg_max' attrs { name: 'dtype' type: INT i: -1 } }"), "type-mismatch" },
    { "a slot that nobody knows", BLOCK(VARS ENDS TYPED("i", "INT64", "dims: 2") "ops { " IN("X", A("x")) IN("Why", A("i")) OUT("Out", "y") "type: 'relu' }"), NULL },
    { "declared around it", BLOCK(VARS TYPED("i", "INT64", "dims: 2") ENDS OP("attrs { name: 'sub_block' type: BLOCK block_idx: 1 }")) "blocks { idx: 1 parent_idx: 0 ops { " IN("X", A("x")) IN("Y", A("i")) OUT("Out", "y") "type: 'elementwise_add' } }", "type-mismatch" },
    { "an operator that nobody knows", BLOCK(VARS TYPED("i", "INT64", "dims: 2") ENDS "ops { " IN("X", A("i")) OUT("Out", "y") "type: 'my_own' }"), NULL },
    { "an image without a batch", BLOCK(VARS ENDS TYPED("i", "FP32", "dims: 3 dims: 8 dims: 8") TYPED("w", "FP32", "dims: 4 dims: 3 dims: 1 dims: 1") TYPED("z", "FP32", "dims: 1 dims: 4 dims: 8 dims: 8") "ops { " IN("Filter", A("w")) IN("Input", A("i")) OUT("Output", "z") "type: 'conv2d' }"), "rank-not-allowed" },
    { "a shape of another rank", BLOCK(VARS ENDS TYPED("z", "FP32", "dims: 1 dims: 2") "ops { " IN("X", A("x")) OUT("Out", "z") "type: 'reshape2' attrs { name: 'shape' type: INTS ints: 1 ints: 2 ints: 1 } }"), "rank-mismatch" },
    { "a shape of that rank", BLOCK(VARS ENDS TYPED("z", "FP32", "dims: 1 dims: 2") "ops { " IN("X", A("x")) OUT("Out", "z") "type: 'reshape2' attrs { name: 'shape' type: INTS ints: 1 ints: -1 } }"), NULL },
    { "a shape that an input says", BLOCK(VARS ENDS TYPED("s", "INT32", "dims: 2") TYPED("z", "FP32", "dims: 1 dims: 2") "ops { " IN("X", A("x")) IN("Shape", A("s")) OUT("Out", "z") "type: 'reshape2' attrs { name: 'shape' type: INTS ints: 1 ints: 2 ints: 1 } }"), NULL },
    { "an axis more", BLOCK(VARS ENDS TYPED("z", "FP32", "dims: 1 dims: 2") "ops { " IN("X", A("x")) OUT("Out", "z") "type: 'unsqueeze2' attrs { name: 'axes' type: INTS ints: 0 } }"), NULL },
    { "an axis more than that", BLOCK(VARS ENDS "ops { " IN("X", A("x")) OUT("Out", "y") "type: 'unsqueeze2' attrs { name: 'axes' type: INTS ints: 0 } }"), "rank-mismatch" },
    { "a loop", BLOCK(VARS ENDS TYPED("c", "BOOL", "dims: 1") "ops { " IN("Condition", A("c")) "type: 'while' }"), NULL },
    { "a loop of a scalar", BLOCK(VARS ENDS TYPED("c", "BOOL", "") "ops { " IN("X", A("x")) IN("Condition", A("c")) "type: 'while' }"), NULL },
    { "a loop by a float", BLOCK(VARS ENDS TYPED("c", "FP32", "dims: 1") "ops { " IN("X", A("x")) IN("Condition", A("c")) "type: 'while' }"), "type-not-allowed" },
    { "a loop by two", BLOCK(VARS ENDS TYPED("c", "BOOL", "dims: 1 dims: 2") "ops { " IN("Condition", A("c")) "type: 'while' }"), "condition-size" },
    { "a block by a float", BLOCK(VARS ENDS "ops { " IN("Cond", A("x")) "type: 'conditional_block' attrs { name: 'is_scalar_condition' type: BOOLEAN b: true } }"), "type-not-allowed" },
    { "a block by any tensor", BLOCK(VARS ENDS "ops { " IN("Cond", A("x")) "type: 'conditional_block' attrs { name: 'is_scalar_condition' type: BOOLEAN b: false } }"), NULL },
    { "a branch by its number", BLOCK(VARS ENDS TYPED("m", "INT32", "dims: 1") "ops { " IN("Mask", A("m")) IN("X", A("x") A("x")) OUT("Out", "y") "type: 'select_input' }"), NULL },
    { "a branch by a float", BLOCK(VARS ENDS "ops { " IN("Mask", A("x")) IN("X", A("x") A("x")) OUT("Out", "y") "type: 'select_input' }"), "type-not-allowed" },
    { "a branch by two", BLOCK(VARS ENDS TYPED("m", "BOOL", "dims: 2") "ops { " IN("Mask", A("m")) IN("X", A("x") A("x")) OUT("Out", "y") "type: 'select_input' }"), "condition-size" },
    { "a result of another rank", BLOCK(VARS ENDS TYPED("z", "FP32", "dims: 1 dims: 2") "ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' }"), "rank-mismatch" },
    { "a rank that nobody inferred", BLOCK(VARS ENDS TYPED("z", "FP32", "") "ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' }"), NULL },
    { "training", BLOCK(VARS ENDS OP("attrs { name: 'op_role' type: INT i: 2 }")), "training-ops" },
};
/* clang-format on */

struct heard {
    char     rules[1000];
    unsigned count;
};

static int hear(void *context, const struct tn_finding *finding)
{
    struct heard *heard = context;
    size_t        used  = strlen(heard->rules);

    heard->count++;
    assert_true(finding->what[0]);
    snprintf(heard->rules + used, sizeof heard->rules - used, " %s ",
             finding->rule);
    return 0;
}

static void check_path(const char *path, struct heard *heard)
{
    struct tn_error error = TN_ERROR_INIT;

    *heard = (struct heard){ "", 0 };
    if (tn_check(path, NULL, NULL, hear, heard, NULL, &error) != TN_OK)
        fail_msg("%s: %s", path, error.what);
}

static bool has_rule(const struct heard *heard, const char *rule)
{
    char wanted[80];

    snprintf(wanted, sizeof wanted, " %s ", rule);
    return strstr(heard->rules, wanted) != NULL;
}

static void test_programs(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct heard heard;
        tn_write_text(&scratch, "m.pdmodel.txt", rows[i].program);
        check_path(tn_in_scratch(&scratch, "m.pdmodel.txt"), &heard);
        bool is_right =
            rows[i].rule ? has_rule(&heard, rows[i].rule) : heard.count == 0;
        if (!is_right)
            fail_msg("%s: found%s", rows[i].name, heard.rules);
    }
    tn_scratch_close(&scratch);
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
