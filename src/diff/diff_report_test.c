/* diff_report_test.c - inputs, outputs, versions and texts */
#define _GNU_SOURCE
#include "support/changes_table.h"

#define IO(kind, name, type)                                                   \
    kind " { name: " name " type { tensor_type { elem_type: " type             \
         " shape { dim { dim_value: 2 } } } } } "
#define REPORT(x, type, opset, fields)                                         \
    "ir_version: 8 opset_import { version: " opset " } " fields                \
    " graph { name: \"g\" node { op_type: \"Neg\" name: \"n\" input: " x       \
    " output: \"y\" } " IO("input", x, type) IO("output", "\"y\"", type) "}"
#define MORE                                                                   \
    "ir_version: 8 opset_import { version: 17 } graph { name: \"g\" node { "   \
    "op_type: \"Neg\" name: \"n\" input: \"x\" output: \"y\" } " IO(           \
        "input", "\"x\"", "1") IO("output", "\"y\"", "1")                      \
        IO("output", "\"x\"", "1") "}"

/* clang-format off */
static const struct change_row rows[] = {
    { "the same", REPORT("\"x\"", "1", "17", ""), REPORT("\"x\"", "1", "17", ""), "" },
    { "an input of another type", REPORT("\"x\"", "1", "17", ""), REPORT("\"x\"", "11", "17", ""), "~ input x; type: float32 [2] -> float64 [2]\n~ output y; type: float32 [2] -> float64 [2]\n" },
    { "another opset", REPORT("\"x\"", "1", "17", ""), REPORT("\"x\"", "1", "18", ""), "~ version ai.onnx; value: 17 -> 18\n" },
    { "another producer", REPORT("\"x\"", "1", "17", "producer_name: \"a\""), REPORT("\"x\"", "1", "17", "producer_name: \"b\""), "~ metadata producer; value: a -> b\n" },
    { "a text that is new", REPORT("\"x\"", "1", "17", ""), REPORT("\"x\"", "1", "17", "metadata_props { key: \"k\" value: \"v\" }"), "+ metadata metadata_props; value:  -> 1\n+ metadata metadata; value:  -> k=v\n" },
    { "one more output", REPORT("\"x\"", "1", "17", ""), MORE, "+ output x\n" },
};
/* clang-format on */

CHANGES_MAIN(rows)
