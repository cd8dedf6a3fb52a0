/* paddle_check_types_test.c - types, ranks and sizes of variables */
#define _GNU_SOURCE
#include "format/paddle/paddle_check_testing.h"

/* clang-format off */
#define SIZED(x, y, op, attrs) BLOCK(VARS ENDS TYPED("p", "FP32", x) TYPED("q", "FP32", y) TYPED("z", "FP32", "") \
    "ops { " IN("X", A("p")) IN("Y", A("q")) OUT("Out", "z") "type: '" op "' " attrs " }")
static const struct paddle_row rows[] = {
    { "two types", BLOCK(VARS ENDS TYPED("i", "INT64", "dims: 2") "ops { " IN("Y", A("i")) IN("X", A("x")) OUT("Out", "y") "type: 'elementwise_add' }"), "type-mismatch" },
    { "a real number and a complex one", BLOCK(VARS ENDS TYPED("c", "COMPLEX64", "dims: 2") TYPED("d", "COMPLEX64", "dims: 2") "ops { " IN("X", A("x")) IN("Y", A("c")) OUT("Out", "d") "type: 'elementwise_add' }"), NULL },
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
    { "sizes", SIZED("dims: -1 dims: 4", "dims: 4 dims: 5", "matmul_v2", ""), NULL },
    { "sizes that differ", SIZED("dims: -1 dims: 4", "dims: 5 dims: 4", "matmul_v2", ""), "size-mismatch" },
    { "sizes of what is turned", SIZED("dims: -1 dims: 4", "dims: 5 dims: 4", "matmul_v2", "attrs { name: 'trans_y' type: BOOLEAN b: true }"), NULL },
    { "sizes in a loop", SIZED("dims: -1 dims: 4", "dims: 5 dims: 4", "matmul_v2", "") "blocks { idx: 1 parent_idx: 0 }", NULL },
    { "broadcast", SIZED("dims: 3 dims: 4", "dims: 3 dims: 1", "elementwise_add", ""), NULL },
    { "no broadcast", SIZED("dims: 3 dims: 4", "dims: 3", "elementwise_add", ""), "size-mismatch" },
    { "aligned otherwise", SIZED("dims: 3 dims: 4", "dims: 3", "elementwise_add", "attrs { name: 'axis' type: INT i: 0 }"), NULL },
    { "flattened", SIZED("dims: -1 dims: 2 dims: 2", "dims: 4 dims: 5", "mul", ""), NULL },
    { "flattened to another size", SIZED("dims: -1 dims: 2 dims: 2", "dims: 5 dims: 4", "mul", ""), "size-mismatch" },
    { "an axis", SIZED("dims: 3 dims: 4", "dims: 1", "softmax", "attrs { name: 'axis' type: INT i: -2 }"), NULL },
    { "no axis", SIZED("dims: 3 dims: 4", "dims: 1", "softmax", "attrs { name: 'axis' type: INT i: 2 }"), "bad-axis" },
    { "no axis to sum", SIZED("dims: 3 dims: 4", "dims: 1", "reduce_sum", "attrs { name: 'dim' type: INTS ints: 2 }"), "bad-axis" },
    { "all are summed", SIZED("dims: 3 dims: 4", "dims: 1", "reduce_sum", "attrs { name: 'dim' type: INTS ints: 2 } attrs { name: 'reduce_all' type: BOOLEAN b: true }"), NULL },
    { "axes in order", SIZED("dims: 3 dims: 4", "dims: 1", "transpose2", "attrs { name: 'axis' type: INTS ints: 1 ints: 0 }"), NULL },
    { "an axis twice", SIZED("dims: 3 dims: 4", "dims: 1", "transpose2", "attrs { name: 'axis' type: INTS ints: 1 ints: 1 }"), "bad-axis" },
    { "an axis less", SIZED("dims: 3 dims: 4", "dims: 1", "transpose2", "attrs { name: 'axis' type: INTS ints: 0 }"), "wrong-length" },
    { "another number of elements", SIZED("dims: 3 dims: 4", "dims: 1", "reshape2", "attrs { name: 'shape' type: INTS ints: 5 ints: -1 }"), "size-mismatch" },
    { "a rank that nobody inferred", BLOCK(VARS ENDS TYPED("z", "FP32", "") "ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' }"), NULL },
};
/* clang-format on */

static void types_and_ranks_agree(void **state)
{
    (void)state;
    hold_programs(rows, sizeof rows / sizeof rows[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_ranks_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
