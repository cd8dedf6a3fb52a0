/* diff_content_test.c - tensors that are the same under another name */
#define _GNU_SOURCE
#include "support/changes_table.h"

#define SUM(w, tensors)                                                        \
    ONNX_OF(NODE("Add", "n", "\"x\" input: \"" w "\"", "y", "") tensors, "")
#define TWO(a, b)                                                              \
    ONNX_OF(NODE("Add", "n", "\"" a "\" input: \"" b "\"", "y", "")            \
                TENSOR(a, "1", SQUARE, "float_data: [1, 1, 1, 1]")             \
                    TENSOR(b, "1", SQUARE, "float_data: [1, 1, 1, 1]"),        \
            "")
#define PAIR(a, b)                                                             \
    ONNX_OF(NODE("Sub", "n", "\"" a "\" input: \"" b "\"", "y", "")            \
                TENSOR(a, "1", SQUARE, "float_data: [1, 2, 3, 4]")             \
                    TENSOR(b, "1", SQUARE, "float_data: [5, 6, 7, 8]"),        \
            "")

/* clang-format off */
static const struct change_row rows[] = {
    { "another name", SUM("w", TENSOR("w", "1", SQUARE, "float_data: [1, 2, 3, 4]")), SUM("v", TENSOR("v", "1", SQUARE, "float_data: [1, 2, 3, 4]")), "renamed tensor w -> v\n" },
    { "two that are equal go by name", TWO("a", "b"), TWO("a", "b"), "" },
    { "names change places", PAIR("a", "b"), PAIR("b", "a"), "~ operator n; input 0: a -> b; input 1: b -> a\n~ tensor a; 4 of 4, 4, 0.8\n~ tensor b; 4 of 4, 4, 0.8\n" },
    { "transposed", SUM("w", TENSOR("w", "1", SQUARE, "float_data: [1, 2, 3, 4]")), SUM("v", TENSOR("v", "1", SQUARE, "float_data: [1, 3, 2, 4]")), "~ tensor w -> v; axes: [0,1] -> [1,0]\n" },
    { "cast", SUM("w", TENSOR("w", "1", SQUARE, "float_data: [1, 2, 3, 4]")), SUM("v", TENSOR("v", "11", SQUARE, "double_data: [1, 2, 3, 4]")), "~ tensor w -> v; type: float32 [2,2] -> float64 [2,2]\n" },
    { "others", SUM("w", TENSOR("w", "1", SQUARE, "float_data: [1, 2, 3, 4]")), SUM("v", TENSOR("v", "1", SQUARE, "float_data: [5, 6, 7, 8]")), "~ operator n; input 1: w -> v\n- tensor w\n+ tensor v\n" },
};
/* clang-format on */

CHANGES_MAIN(rows)
