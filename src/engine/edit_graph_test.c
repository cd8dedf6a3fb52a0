/* edit_graph_test.c - words of the actions that look at a whole graph */
#define _GNU_SOURCE
#include "engine/edit_action.h"
#include "engine/edit_testing.h"

static const struct {
    const char    *action, *value;
    enum tn_status status;
    const char    *what;
} cases[] = {
    { "set-dim", "x[0]=4", TN_UNSUPPORTED, "does not work with another size" },
    { "set-dim", "x[0]=0", TN_INVALID, "'0' is not a size" },
    { "set-dim", "x[0]=-3", TN_INVALID, "'-3' is not a size" },
    { "set-dim", "x[0]=99999999999999999999", TN_INVALID, "is not a size" },
    { "set-dim", "x[]=4", TN_INVALID, "'x[]' is not a dimension" },
    { "set-dim", "[0]=4", TN_INVALID, "'[0]' is not a dimension" },
    { "set-dim", "x[-1]=4", TN_INVALID, "is not a dimension" },
    { "set-dim", "nothing=4", TN_NOT_FOUND, "is called 'nothing'" },
    { "set-dim", "x[0]", TN_INVALID, "takes INPUT[AXIS]=SIZE" },
    { "dynamic", "x[0]=4", TN_INVALID, "'4' is a number" },
    { "batch", "", TN_INVALID, "is not a size" },
    { "batch", "2", TN_OK, "" },
    { "outputs", "y,z", TN_NOT_FOUND, "no value 'z'" },
    { "outputs", "y", TN_OK, "" },
    { "inputs", "y", TN_INVALID, "an input and an output" },
    { "extract", "nowhere", TN_NOT_FOUND, "in scope 'nowhere'" },
    { "insert-casts", "x=text", TN_INVALID, "'text' is not a type" },
    { "insert-qdq", "x nothing", TN_INVALID, "'nothing' is not a scale" },
    { "insert-qdq", "x 0.5 half", TN_INVALID, "'half' is not a zero point" },
    { "insert-qdq", "x 0.5 300 uint8", TN_INVALID, "a zero point of the type" },
    { "insert-qdq", "x -1", TN_INVALID, "a scale above 0" },
    { "insert-identity", "z", TN_NOT_FOUND, "no value 'z'" },
    { "opset", "many", TN_INVALID, "'many' is not a number" },
    { "opset", "4294967296", TN_INVALID, "the newest" },
    { "append", "missing.onnx", TN_IO, "cannot open" },
    { "append", "in.onnx y", TN_INVALID, "without an input" },
    { "float16", NULL, TN_OK, "" },
    { "bfloat16-io", NULL, TN_OK, "" },
};

/* y = x + w again, of one row; adding w to other sizes does not work. */
static const char *model_for(const char *action)
{
    static const char rows[] =
        "ir_version: 8 opset_import { version: 17 }\n"
        "graph { name: \"g\"\n"
        "  node { input: \"x\" output: \"y\" name: \"n\" op_type: \"Relu\" }\n"
        "  input " FLOATS("x", "1") "  output " FLOATS("y", "1") "}\n";

    return strcmp(action, "batch") == 0 ? rows : little_onnx;
}

static void words_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        begin(&s, model_for(cases[i].action));
        tn_edit_act(s.edit, cases[i].action, cases[i].value, &s.error);
        if (s.error.status != cases[i].status ||
            !strstr(s.error.what, cases[i].what))
            fail_msg("%s %s: %d: %s", cases[i].action,
                     cases[i].value ? cases[i].value : "", s.error.status,
                     s.error.what);
        end(&s);
    }
}

/* Without a graph there is nothing to cut or to measure. */
static void tensors_alone_are_refused(void **state)
{
    static const char *const actions[][2] = {
        { "batch", "2" },  { "outputs", "w" }, { "opset", "17" },
        { "append", "x" }, { "extract", "w" }, { "remove-casts", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        struct scene     s;
        struct tn_model *bare;
        struct tn_edit  *edit;
        begin(&s, little_onnx);
        struct tn_target target = { .path = tn_in_scratch(&s.scratch,
                                                          "a.safetensors") };
        assert_int_equal(
            tn_convert(s.model, NULL, &target, NULL, NULL, &s.error), TN_OK);
        assert_int_equal(
            tn_model_open(&bare, target.path, &with_graph, &s.error), TN_OK);
        assert_int_equal(tn_edit_open(&edit, bare, NULL, &s.error), TN_OK);
        assert_int_equal(
            tn_edit_act(edit, actions[i][0], actions[i][1], &s.error),
            TN_UNSUPPORTED);
        tn_edit_close(edit);
        tn_model_close(bare);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_read),
        cmocka_unit_test(tensors_alone_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
