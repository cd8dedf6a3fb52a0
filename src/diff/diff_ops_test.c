/* diff_ops_test.c - what differs between two ops */
#define _GNU_SOURCE
#include "support/changes_table.h"

#define AXIS(n)   "attribute { name: \"axis\" type: INT i: " n " }"
#define ONE(rest) ONNX_OF(NODE("Softmax", "n", "\"x\"", "y", rest), "")

/* clang-format off */
static const struct change_row rows[] = {
    { "nothing", ONE(""), ONE(""), "" },
    { "an attribute is new", ONE(""), ONE(AXIS("0")), "~ operator n; axis:  -> 0\n" },
    { "another value", ONE(AXIS("1")), ONE(AXIS("0")), "~ operator n; axis: 1 -> 0\n" },
    { "it is gone", ONE(AXIS("0")), ONE(""), "~ operator n; axis: 0 -> \n" },
    { "another operator", ONE(""), ONNX_OF(NODE("LogSoftmax", "n", "\"x\"", "y", ""), ""), "~ operator n; operator: Softmax -> LogSoftmax\n" },
    { "another input", ONNX_OF(NODE("Neg", "a", "\"x\"", "h", "") NODE("Abs", "b", "\"h\"", "y", ""), ""),
      ONNX_OF(NODE("Neg", "a", "\"x\"", "h", "") NODE("Abs", "b", "\"x\"", "y", ""), ""), "~ operator b; input 0: h -> x\n" },
    { "one more", ONE(""), ONNX_OF(NODE("Softmax", "n", "\"x\"", "h", "") NODE("Abs", "b", "\"h\"", "y", ""), ""), "renamed operator n; output 0: y -> h\n+ operator b\n" },
    { "another name", ONE(""), ONNX_OF(NODE("Softmax", "m", "\"x\"", "y", ""), ""), "renamed operator n -> m\n" },
};
/* clang-format on */

CHANGES_MAIN(rows)
