/* convert_needs_test.c - what no output needs is told, and nothing else */
#define _GNU_SOURCE
#include <stdio.h>

#include "support/little_models.h"

#define FLOAT(key) "attr { key: '" key "' value { type: DT_FLOAT } } "
#define X          "node { name: 'x' op: 'Placeholder' " FLOAT("dtype") "} "
#define RELU(name, in, more)                                                   \
    "node { name: '" name "' op: 'Relu' input: '" in "' " more FLOAT("T") "} "
#define CALL(name, f) "node { name: '" name "' op: '" f "' input: 'x' } "
#define FUNCTION(name, body, result)                                           \
    "function { signature { name: '" name "' input_arg { name: 'a' type: "     \
    "DT_FLOAT } output_arg { name: 'o' type: DT_FLOAT } } " body               \
    "ret { key: 'o' value: '" result "' } } "
#define INNER(f) "node_def { name: 'n' op: '" f "' input: 'a' } "
#define SAVED(graph, signatures)                                               \
    "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "       \
    "'serve' } graph_def { " graph " } " signatures " } "
#define SIGNATURE(name, y)                                                     \
    "signature_def { key: '" name "' value { inputs { key: 'i' value { name: " \
    "'x:0' dtype: DT_FLOAT } } outputs { key: 'o' value { name: '" y ":0' "    \
    "dtype: DT_FLOAT } } } } "
#define ONNX(nodes, tensors)                                                   \
    "ir_version: 8 opset_import { version: 17 } graph { name: 'g' " nodes      \
        tensors                                                                \
    "input { name: 'x' type { tensor_type { elem_type: 1 shape { dim "         \
    "{ dim_value: 2 } } } } } output { name: 'y' type { tensor_type { "        \
    "elem_type: 1 shape { dim { dim_value: 2 } } } } } }"
#define W(name)                                                                \
    "initializer { dims: 2 data_type: 1 name: '" name "' float_data: 1 "       \
    "float_data: 2 } "

/* clang-format off */
static const struct {
    const char *name, *file, *text;
    const char *outputs; /* that are asked for; NULL: the model's             */
    const char *losses;  /* "where: what", each on a line                     */
} rows[] = {
    { "nothing", "m.onnx", ONNX("node { op_type: 'Add' input: 'x' input: 'w' output: 'y' } ", W("w")), NULL, "" },
    { "an operator", "m.onnx", ONNX("node { op_type: 'Relu' input: 'x' output: 'y' } node { name: 'n' op_type: 'Abs' input: 'x' output: 'z' } ", ""), NULL,
      "n: left behind: an operator that no output needs\n" },
    { "an operator without a name", "m.onnx", ONNX("node { op_type: 'Abs' input: 'x' output: 'z' } node { op_type: 'Relu' input: 'x' output: 'y' } ", ""), NULL,
      "graph.node[0]: left behind: an operator that no output needs\n" },
    { "a weight", "m.onnx", ONNX("node { op_type: 'Relu' input: 'x' output: 'y' } ", W("w")), NULL,
      "w: left behind: a tensor that no output needs\n" },
    { "an operator with its weight", "m.onnx", ONNX("node { op_type: 'Relu' input: 'x' output: 'y' } node { name: 'n' op_type: 'Add' input: 'x' input: 'w' output: 'z' } ", W("w")), NULL,
      "n: left behind: an operator that no output needs\nw: left behind: a tensor that no output needs\n" },
    { "what runs by control alone", "m.pb", X RELU("a", "x", "") RELU("y", "x", "input: '^a' "), NULL,
      "a: left behind: an operator that only runs by a control dependency\n" },
    { "what the caller did not ask for", "m.pb", X RELU("a", "x", "") RELU("y", "x", ""), "y", "" },
    { "a function", "m.pb", X RELU("y", "x", "") "library { " FUNCTION("f", "", "a") "} ", NULL,
      "f: left behind: a function that no output needs\n" },
    { "a function that a needed one calls", "m.pb", X CALL("y", "f") "library { " FUNCTION("f", INNER("g"), "n:o:0") FUNCTION("g", "", "a") "} ", NULL, "" },
    { "functions of what is not needed", "m.pb", X CALL("z", "f") RELU("y", "x", "input: '^z' ") "library { " FUNCTION("f", INNER("g"), "n:o:0") FUNCTION("g", "", "a") "} ", NULL,
      "z: left behind: an operator that only runs by a control dependency\nf: left behind: a function that no output needs\ng: left behind: a function that no output needs\n" },
};
/* clang-format on */

static void note(void *context, uint64_t offset, const char *where,
                 const char *what)
{
    char  *to   = context;
    size_t size = strlen(to);

    (void)offset;
    snprintf(to + size, 1000 - size, "%s: %s\n", where, what);
}

static void convert(struct tn_scratch *scratch, const char *path,
                    const char *outputs, char *heard)
{
    struct tn_options         open    = { .wants_graph = true };
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_model          *model   = NULL;
    const char               *wanted  = outputs;
    struct tn_map_options     map     = { .outputs      = &wanted,
                                          .output_count = outputs ? 1 : 0 };
    struct tn_convert_options options = { .map          = &map,
                                          .loss         = note,
                                          .loss_context = heard };
    struct tn_target          target = { .path = tn_in_scratch(scratch, "o.sdz"),
                                         .can_replace = true };

    heard[0] = '\0';
    assert_int_equal(tn_model_open(&model, path, &open, &error), TN_OK);
    if (tn_convert(model, &options, &target, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    tn_model_close(model);
}

static void what_is_not_needed_is_told(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              heard[1000];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tn_make_model(&scratch, rows[i].file, rows[i].text);
        convert(&scratch, tn_in_scratch(&scratch, rows[i].file),
                rows[i].outputs, heard);
        if (strcmp(heard, rows[i].losses))
            fail_msg("%s:\n%s", rows[i].name, heard);
    }
    tn_scratch_close(&scratch);
}

/* A group gives no value, and what it waits for is no output. */
static void a_graph_without_outputs_is_refused(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model   = NULL;
    struct tn_target  target  = { .path = tn_in_scratch(&scratch, "o.sdz") };
    char              heard[1000];

    (void)state;
    tn_make_model(&scratch, "m.pb",
                  X RELU("y", "x", "")
                      "node { name: 'group' op: 'NoOp' input: '^y' } ");
    const char *path = tn_in_scratch(&scratch, "m.pb");
    assert_int_equal(tn_model_open(&model, path, NULL, &error), TN_OK);
    assert_int_equal(tn_convert(model, NULL, &target, NULL, NULL, &error),
                     TN_UNSUPPORTED);
    assert_non_null(strstr(error.what, "choose them with --outputs"));
    tn_model_close(model);
    convert(&scratch, path, "y", heard);
    assert_string_equal(heard, "");
    tn_scratch_close(&scratch);
}

/* Of a SavedModel the default signature is converted. */
static void other_signatures_are_told(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              heard[1000];

    (void)state;
    tn_write_text(&scratch, "saved_model.pbtxt",
                  SAVED(X RELU("y", "x", "") RELU("z", "x", ""),
                        SIGNATURE("serving_default", "y")
                            SIGNATURE("other", "z")));
    convert(&scratch, scratch.path, NULL, heard);
    if (!strstr(heard, "other: left behind: a signature\n") ||
        !strstr(heard, "z: left behind: an operator that no output needs\n") ||
        strstr(heard, "serving_default"))
        fail_msg("%s", heard);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_needed_is_told),
        cmocka_unit_test(a_graph_without_outputs_is_refused),
        cmocka_unit_test(other_signatures_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
