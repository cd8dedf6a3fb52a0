/* edit_test.c - models made from nothing and from others, through files */
#define _GNU_SOURCE
#include <stdio.h>

#include "support/little_models.h"

static const struct tn_options with_graph = { .wants_graph = true };

static void open_little(struct tn_scratch *scratch, const char *name,
                        const char *text, struct tn_model **model)
{
    struct tn_error error = TN_ERROR_INIT;

    tn_make_model(scratch, name, text);
    assert_int_equal(
        tn_model_open(model, tn_in_scratch(scratch, name), &with_graph, &error),
        TN_OK);
}

static void write_to(struct tn_scratch *scratch, const struct tn_model *model,
                     const char *name)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_target target = { .path = tn_in_scratch(scratch, name) };

    if (tn_convert(model, NULL, &target, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
}

static int count_findings(void *context, const struct tn_finding *finding)
{
    printf("%s: %s: %s\n", finding->rule, finding->where, finding->what);
    ++*(int *)context;
    return 0;
}

static int findings_in(struct tn_scratch *scratch, const char *name)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_check_summary summary;
    int                     count = 0;

    assert_int_equal(tn_check(tn_in_scratch(scratch, name), NULL, NULL,
                              count_findings, &count, &summary, &error),
                     TN_OK);
    return (int)(summary.errors + summary.warnings);
}

/* ---- changing ----------------------------------------------------------- */

static const struct {
    const char *name, *text;
} dialects[] = {
    { "a.onnx", little_onnx },
    { "a.pb", little_graph },
};

/* x + w becomes -(x) + w: a node in front, the weights where they were. */
static void insert_negation(struct tn_edit *edit, bool is_onnx,
                            struct tn_error *error)
{
    uint32_t             op, sum = is_onnx ? 0 : 2;
    int64_t              dtype = TN_FLOAT32;
    struct tn_attr_value t     = { .kind    = TN_ATTR_DTYPE,
                                   .count   = 1,
                                   .of.ints = &dtype };
    struct tn_op_spec    spec  = {
            .name         = "neg",
            .type         = "Neg",
            .inputs       = (const char *const[]){ "x" },
            .input_count  = 1,
            .outputs      = (const char *const[]){ "neg" },
            .output_count = 1,
    };

    tn_edit_add_op(edit, 0, sum, &spec, &op, error);
    tn_edit_set_input(edit, sum, 0, "neg", error);
    if (!is_onnx)
        tn_edit_set_attr(edit, op, "T", &t, error);
    assert_int_equal(error->status, TN_OK);
}

static void inserts_a_node(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_model  *model, *result, *again;
        struct tn_edit   *edit;
        float             w[2];

        open_little(&scratch, dialects[i].name, dialects[i].text, &model);
        assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
        insert_negation(edit, i == 0, &error);
        assert_int_equal(tn_edit_commit(edit, &result, &error), TN_OK);
        tn_edit_close(edit);
        tn_model_close(model); /* the result keeps what it shares alive */
        const char *out = i == 0 ? "out.onnx" : "out.pb";
        write_to(&scratch, result, out);
        assert_int_equal(findings_in(&scratch, out), 0);
        assert_int_equal(tn_model_open(&again, tn_in_scratch(&scratch, out),
                                       &with_graph, &error),
                         TN_OK);
        assert_int_equal(tn_model_op_count(again), tn_model_op_count(result));
        assert_int_equal(
            tn_tensor_read(tn_model_find(again, "w"), 0, w, sizeof w, &error),
            TN_OK);
        assert_true(w[0] == 1 && w[1] == 2);
        tn_model_close(again);
        tn_model_close(result);
        tn_scratch_close(&scratch);
    }
}

static void an_edit_of_nothing_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_model  *model, *result;
        struct tn_edit   *edit;

        open_little(&scratch, dialects[i].name, dialects[i].text, &model);
        assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
        assert_int_equal(tn_edit_commit(edit, &result, &error), TN_OK);
        write_to(&scratch, result, i == 0 ? "out.onnx" : "out.pb");
        struct tn_bytes before =
            tn_load_file(tn_in_scratch(&scratch, dialects[i].name));
        struct tn_bytes after = tn_load_file(
            tn_in_scratch(&scratch, i == 0 ? "out.onnx" : "out.pb"));
        assert_int_equal(before.size, after.size);
        assert_memory_equal(before.data, after.data, after.size);
        free((void *)(uintptr_t)before.data);
        free((void *)(uintptr_t)after.data);
        tn_edit_close(edit);
        tn_model_close(result);
        tn_model_close(model);
        tn_scratch_close(&scratch);
    }
}

static void replaces_a_tensor(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model, *other, *result;
    struct tn_edit   *edit;
    float             w[2];

    (void)state;
    open_little(&scratch, "a.onnx", little_onnx, &model);
    open_little(&scratch, "a.pb", little_graph, &other);
    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    tn_edit_replace_tensor(edit, 0, "w", tn_model_find(other, "w"), &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_edit_commit(edit, &result, &error), TN_OK);
    tn_edit_close(edit);
    tn_model_close(other);
    write_to(&scratch, result, "out.onnx");
    assert_int_equal(findings_in(&scratch, "out.onnx"), 0);
    assert_int_equal(
        tn_tensor_read(tn_model_find(result, "w"), 0, w, sizeof w, &error),
        TN_OK);
    assert_true(w[0] == 1 && w[1] == 2);
    tn_model_close(result);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* ---- graphs inside nodes ------------------------------------------------ */

/* A node with a list of two graphs and a single one behind a plain attribute.
 */
static const char nested_onnx[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "opset_import { domain: \"local\" version: 1 }\n"
    "graph {\n"
    "  node { input: \"x\" output: \"y\" op_type: \"Choose\" name: \"c\"\n"
    "    domain: \"local\"\n"
    "    attribute { name: \"k\" i: 1 type: INT }\n"
    "    attribute { name: \"many\" type: GRAPHS\n"
    "      graphs { name: \"g0\" node { input: \"x\" output: \"a\"\n"
    "        op_type: \"Neg\" } output { name: \"a\" } }\n"
    "      graphs { name: \"g1\" node { input: \"x\" output: \"b\"\n"
    "        op_type: \"Abs\" } output { name: \"b\" } } }\n"
    "    attribute { name: \"one\" type: GRAPH\n"
    "      g { name: \"g2\" node { input: \"x\" output: \"d\"\n"
    "        op_type: \"Exp\" } output { name: \"d\" } } }\n"
    "  }\n"
    "  name: \"g\"\n"
    "  input { name: \"x\" type { tensor_type { elem_type: 1 shape { } } } }\n"
    "  output { name: \"y\" type { tensor_type { elem_type: 1 shape { } } } }\n"
    "}\n";

static uint32_t find_op(const struct tn_model *model, const char *type)
{
    for (uint32_t i = 0; i < tn_model_op_count(model); i++) {
        struct tn_bytes t = tn_model_op(model, i).type;
        if (t.size == strlen(type) && memcmp(t.data, type, t.size) == 0)
            return i;
    }
    return TN_NONE;
}

/* Changes one op deep inside and one attribute outside; all else stays. */
static void graphs_inside_keep_their_neighbours(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model, *result, *twice, *again;
    struct tn_edit   *edit;
    struct tn_op_spec spec = {
        .type         = "Sqrt",
        .inputs       = (const char *const[]){ "x" },
        .input_count  = 1,
        .outputs      = (const char *const[]){ "b" },
        .output_count = 1,
    };

    (void)state;
    open_little(&scratch, "a.onnx", nested_onnx, &model);
    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    tn_edit_replace_op(edit, find_op(model, "Abs"), &spec, &error);
    tn_edit_remove_attr(edit, find_op(model, "Choose"), "k", &error);
    assert_int_equal(tn_edit_commit(edit, &result, &error), TN_OK);
    tn_edit_close(edit);
    assert_int_equal(tn_edit_open(&edit, result, NULL, &error), TN_OK);
    assert_int_equal(tn_edit_commit(edit, &twice, &error), TN_OK);
    tn_edit_close(edit);
    write_to(&scratch, twice, "out.onnx");
    assert_int_equal(findings_in(&scratch, "out.onnx"), 0);
    assert_int_equal(tn_model_open(&again, tn_in_scratch(&scratch, "out.onnx"),
                                   &with_graph, &error),
                     TN_OK);
    assert_int_equal(tn_model_subgraph_count(again), 3);
    assert_true(find_op(again, "Neg") != TN_NONE);
    assert_true(find_op(again, "Sqrt") != TN_NONE);
    assert_true(find_op(again, "Exp") != TN_NONE);
    assert_true(find_op(again, "Abs") == TN_NONE);
    assert_int_equal(tn_op_attr_count(again, find_op(again, "Choose")), 2);
    tn_model_close(again);
    tn_model_close(twice);
    tn_model_close(result);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* ---- from nothing ------------------------------------------------------- */

static void builds_from_nothing(void **state)
{
    static const char *const formats[] = { "onnx", "tf-graph" };
    static const char *const files[]   = { "new.onnx", "new.pb" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_model  *model, *again;
        struct tn_edit   *edit;
        struct tn_op_spec spec = {
            .name         = "noise",
            .type         = i == 0 ? "RandomNormal" : "NoOp",
            .outputs      = (const char *const[]){ "noise" },
            .output_count = 1,
        };
        int64_t              sides[] = { 2, 3 };
        struct tn_attr_value shape   = {
              .kind = TN_ATTR_INT, .is_list = true, .count = 2, .of.ints = sides
        };
        uint32_t op;

        assert_int_equal(tn_edit_new(&edit, formats[i], NULL, &error), TN_OK);
        tn_edit_add_op(edit, 0, TN_NONE, &spec, &op, &error);
        if (i == 0)
            tn_edit_set_attr(edit, op, "shape", &shape, &error);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(tn_edit_commit(edit, &model, &error), TN_OK);
        tn_edit_close(edit);
        write_to(&scratch, model, files[i]);
        tn_model_close(model);
        assert_int_equal(findings_in(&scratch, files[i]), 0);
        assert_int_equal(tn_model_open(&again,
                                       tn_in_scratch(&scratch, files[i]),
                                       &with_graph, &error),
                         TN_OK);
        assert_int_equal(tn_model_op_count(again), 1);
        tn_model_close(again);
        tn_scratch_close(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inserts_a_node),
        cmocka_unit_test(an_edit_of_nothing_changes_nothing),
        cmocka_unit_test(replaces_a_tensor),
        cmocka_unit_test(graphs_inside_keep_their_neighbours),
        cmocka_unit_test(builds_from_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
