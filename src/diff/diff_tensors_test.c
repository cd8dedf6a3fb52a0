/* diff_tensors_test.c - what differs between two tensors */
#define _GNU_SOURCE
#include "support/changes_table.h"

#define SUM(tensors)                                                           \
    ONNX_OF(NODE("Add", "n", "\"x\" input: \"w\"", "y", "") tensors, "")
#define FOUR(last) "float_data: [1, 2, 3, " last "]"

/* clang-format off */
static const struct change_row rows[] = {
    { "the same", SUM(TENSOR("w", "1", SQUARE, FOUR("4"))), SUM(TENSOR("w", "1", SQUARE, FOUR("4"))), "" },
    { "one element", SUM(TENSOR("w", "1", SQUARE, FOUR("4"))), SUM(TENSOR("w", "1", SQUARE, FOUR("5"))), "~ tensor w; 1 of 4, 1, 0.2\n" },
    { "NaN is NaN", SUM(TENSOR("w", "1", SQUARE, FOUR("nan"))), SUM(TENSOR("w", "1", SQUARE, FOUR("nan"))), "" },
    { "another type", SUM(TENSOR("w", "1", SQUARE, FOUR("4"))), SUM(TENSOR("w", "11", SQUARE, "double_data: [1, 2, 3, 4]")), "~ tensor w; type: float32 [2,2] -> float64 [2,2]\n" },
    { "another shape", SUM(TENSOR("w", "1", SQUARE, FOUR("4"))), SUM(TENSOR("w", "1", "dims: 4", FOUR("4"))), "~ tensor w; type: float32 [2,2] -> float32 [4]\n" },
    { "stored in another way", SUM(TENSOR("w", "1", "dims: 1", "float_data: 1")), SUM(TENSOR("w", "1", "dims: 1", "raw_data: \"\\000\\000\\200?\"")), "" },
    { "one more", SUM(TENSOR("w", "1", SQUARE, FOUR("4"))), SUM(TENSOR("w", "1", SQUARE, FOUR("4")) TENSOR("v", "1", "dims: 1", "float_data: 9")), "+ tensor v\n" },
};
/* clang-format on */

CHANGES_MAIN(rows)
