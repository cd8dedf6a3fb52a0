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
        struct tn_target target = { .path = tn_in_scratch(&scratch, files[i]),
                                    .can_replace = true };
        assert_int_equal(
            tn_edit_write(model, NULL, &target, NULL, NULL, &error), TN_OK);
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

/* y = x w, of any number of rows: a model that other programs run. */
static void put_product(struct tn_edit *edit, struct tn_error *error)
{
    static const float    w[]    = { 1, 2, 3, 4 };
    static const uint64_t dims[] = { 2, 2 };
    const struct tn_dim   rows[] = { { -1, tn_text("n") }, { 2, { NULL, 0 } } };
    struct tn_io          io     = { .name     = tn_text("x"),
                                     .dtype    = TN_FLOAT32,
                                     .has_rank = true,
                                     .rank     = 2,
                                     .dims     = rows };
    struct tn_op_spec     spec   = { .name    = "product",
                                     .type    = "MatMul",
                                     .inputs  = (const char *const[]){ "x", "w" },
                                     .outputs = (const char *const[]){ "y" },
                                     .input_count  = 2,
                                     .output_count = 1 };

    tn_edit_add_input(edit, 0, &io, error);
    io.name = tn_text("y");
    tn_edit_add_output(edit, 0, &io, error);
    tn_edit_add_elements(edit, 0, "w", TN_FLOAT32, 2, dims,
                         tn_bytes(w, sizeof w), error);
    tn_edit_add_op(edit, 0, TN_NONE, &spec, NULL, error);
}

static void a_new_model_has_ends(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model, *again;
    struct tn_edit   *edit;
    char              path[64];

    (void)state;
    assert_int_equal(tn_edit_new(&edit, "onnx", NULL, &error), TN_OK);
    put_product(edit, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_edit_commit(edit, &model, &error), TN_OK);
    tn_edit_close(edit);
    tn_op_path(model, 0, path, sizeof path);
    assert_string_equal(path, "graph.node[0]");
    write_to(&scratch, model, "new.onnx");
    tn_model_close(model);
    assert_int_equal(findings_in(&scratch, "new.onnx"), 0);
    assert_int_equal(tn_model_open(&again, tn_in_scratch(&scratch, "new.onnx"),
                                   &with_graph, &error),
                     TN_OK);
    assert_int_equal(tn_model_inputs(again).count, 1);
    assert_true(
        tn_bytes_is(tn_model_inputs(again).items[0].dims[0].symbol, "n"));
    assert_true(tn_bytes_is(tn_model_outputs(again).items[0].name, "y"));
    write_to(&scratch, again, "new.fb"); /* rules take it from there */
    tn_model_close(again);
    tn_scratch_close(&scratch);
}

/* A model that can be trained, made from nothing: w is trained, b is not. */
static void put_training(struct tn_edit *edit, struct tn_error *error)
{
    static const float       b[] = { 5, 6 }, m[] = { 1, 1, 2, 2 };
    static const uint64_t    two      = 2;
    static const char *const losses[] = { "y" };
    struct tn_op_spec        spec     = { .name = "product",
                                          .type = "xw_plus_b",
                                          .inputs = (const char *const[]){ "x", "w", "b" },
                                          .outputs = (const char *const[]){ "y" },
                                          .input_count  = 3,
                                          .output_count = 1 };
    const struct tn_dim rows[] = { { -1, { NULL, 0 } }, { 2, { NULL, 0 } } };
    struct tn_io        io     = { .name     = tn_text("x"),
                                   .dtype    = TN_FLOAT32,
                                   .has_rank = true,
                                   .rank     = 2,
                                   .dims     = rows };

    tn_edit_add_input(edit, 0, &io, error);
    tn_edit_add_elements(edit, 0, "w", TN_FLOAT32, 2,
                         (const uint64_t[]){ 2, 2 }, tn_bytes(m, sizeof m),
                         error);
    tn_edit_add_elements(edit, 0, "b", TN_FLOAT32, 1, &two,
                         tn_bytes(b, sizeof b), error);
    tn_edit_add_op(edit, 0, TN_NONE, &spec, NULL, error);
    tn_edit_set_variable(edit, 0, "w", TN_VARIABLE_TRAINED, error);
    tn_edit_set_training(edit, "{\"updater\": {\"@class\": \"a.b.Adam\"}}",
                         error);
    tn_edit_set_losses(edit, losses, 1, error);
    tn_edit_set_state_elements(edit, "w", "M", tn_bytes(m, sizeof m), error);
    tn_edit_set_state_elements(edit, "w", "V", tn_bytes(m, sizeof m), error);
}

static void assert_trained(const struct tn_model *model)
{
    const struct tn_tensor *state = tn_model_find(model, "updater/V/w");
    struct tn_bytes         parameter, key;

    assert_int_equal(tn_tensor_role(tn_model_find(model, "w")),
                     TN_ROLE_VARIABLE);
    assert_int_equal(tn_tensor_role(tn_model_find(model, "b")),
                     TN_ROLE_INITIALIZER);
    assert_true(tn_tensor_state(state, &parameter, &key));
    assert_true(tn_bytes_is(parameter, "w") && tn_bytes_is(key, "V"));
    assert_false(tn_tensor_state(tn_model_find(model, "w"), &parameter, &key));
    assert_int_equal(tn_model_loss_count(model), 1);
    assert_true(tn_bytes_is(tn_model_loss(model, 0), "y"));
    assert_int_equal(tn_model_loss(model, 1).size, 0);
    assert_true(tn_bytes_starts_with(tn_model_training(model), "{\"updater\""));
}

static void builds_what_can_be_trained(void **state)
{
    static const char *const files[] = { "t.samediff", "t.fb", "t.sdnb",
                                         "t.sdz" };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_model  *model, *again;
        struct tn_edit   *edit;

        assert_int_equal(tn_edit_new(&edit, "samediff", NULL, &error), TN_OK);
        put_training(edit, &error);
        assert_int_equal(tn_edit_commit(edit, &model, &error), TN_OK);
        tn_edit_close(edit);
        assert_trained(model);
        write_to(&scratch, model, files[i]);
        tn_model_close(model);
        assert_int_equal(findings_in(&scratch, files[i]), 0);
        assert_int_equal(tn_model_open(&again,
                                       tn_in_scratch(&scratch, files[i]),
                                       &with_graph, &error),
                         TN_OK);
        assert_trained(again);
        tn_model_close(again);
        tn_scratch_close(&scratch);
    }
}

/* At every allocation that may fail. */
static void training_ends_without_memory(void **state)
{
    (void)state;
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_model    *model     = NULL;
        struct tn_edit     *edit;

        if (tn_edit_new(&edit, "samediff", &options, &error) == TN_OK)
            put_training(edit, &error);
        if (error.status == TN_OK)
            tn_edit_commit(edit, &model, &error);
        tn_edit_close(edit);
        tn_model_close(model);
        assert_int_equal(budget.blocks, 0);
        if (error.status == TN_OK)
            break;
        assert_int_equal(error.status, TN_NO_MEMORY);
    }
}

static void losses_are_variables(void **state)
{
    static const char *const losses[] = { "y", "nope" };
    struct tn_error          error    = TN_ERROR_INIT;
    struct tn_model         *model;
    struct tn_edit          *edit;

    (void)state;
    assert_int_equal(tn_edit_new(&edit, "samediff", NULL, &error), TN_OK);
    put_training(edit, &error);
    tn_edit_set_losses(edit, losses, 2, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_edit_commit(edit, &model, &error), TN_INVALID);
    assert_non_null(strstr(error.what, "'nope' cannot be a loss"));
    assert_null(model);
    tn_edit_close(edit);
}

static void only_samediff_is_trained(void **state)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_edit *edit;

    (void)state;
    assert_int_equal(tn_edit_new(&edit, "onnx", NULL, &own), TN_OK);
    put_product(edit, &own);
    assert_int_equal(
        tn_edit_set_variable(edit, 0, "w", TN_VARIABLE_TRAINED, NULL),
        TN_UNSUPPORTED);
    assert_int_equal(tn_edit_set_training(edit, "{}", NULL), TN_UNSUPPORTED);
    assert_int_equal(tn_edit_set_losses(edit, NULL, 0, NULL), TN_UNSUPPORTED);
    assert_int_equal(tn_edit_remove_states(edit, NULL, NULL), TN_UNSUPPORTED);
    tn_edit_close(edit);
}

static void ends_are_refused(void **state)
{
    static const struct {
        const char    *format, *name;
        uint32_t       graph;
        enum tn_status status;
    } cases[] = {
        { "onnx", "x", 0, TN_INVALID }, /* a second one */
        { "onnx", "", 0, TN_INVALID },
        { "onnx", "z", 1, TN_INVALID },
        { "tf-graph", "z", 0, TN_UNSUPPORTED },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error error = TN_ERROR_INIT, ignored = TN_ERROR_INIT;
        struct tn_io    io = { .name = tn_text("x"), .dtype = TN_FLOAT32 };
        struct tn_edit *edit;
        assert_int_equal(tn_edit_new(&edit, cases[i].format, NULL, &error),
                         TN_OK);
        (void)tn_edit_add_input(edit, 0, &io, &ignored);
        io.name = tn_text(cases[i].name);
        assert_int_equal(tn_edit_add_input(edit, cases[i].graph, &io, &error),
                         cases[i].status);
        tn_edit_close(edit);
    }
}

/* ---- what a caller may ask for ------------------------------------------ */

static void numbers_past_the_end_give_nothing(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    struct tn_attr   *attr;

    (void)state;
    open_little(&scratch, "a.onnx", little_onnx, &model);
    assert_null(tn_model_tensor(model, tn_model_tensor_count(model)));
    assert_null(tn_model_signature(model, 0));
    assert_null(tn_model_op_kind(model, UINT32_MAX));
    assert_int_equal(tn_model_op(model, UINT32_MAX).type.size, 0);
    assert_int_equal(tn_model_graph(model, 99).op_count, 0);
    assert_int_equal(tn_model_value_info(model, UINT32_MAX).producer, TN_NONE);
    assert_int_equal(tn_model_fact(model, 99).key.size, 0);
    assert_int_equal(tn_model_tag(model, 0).size, 0);
    assert_int_equal(tn_op_input(model, 99, 0), TN_NONE);
    assert_int_equal(tn_op_output(model, 99, 0), TN_NONE);
    assert_int_equal(tn_op_attr_count(model, 99), 0);
    assert_int_equal(tn_attr_open(&attr, model, 99, 0, &error), TN_INVALID);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static int gather(void *context, uint64_t index, struct tn_bytes text)
{
    char  *to   = context;
    size_t used = strlen(to);

    snprintf(to + used, 64 - used, "%d:%.*s ", (int)index, (int)text.size,
             (const char *)text.data);
    return text.size == 4; /* "stop" */
}

static void strings_can_be_read(void **state)
{
    static const char text[] =
        "graph { initializer { name: \"s\" data_type: 8 dims: 4\n"
        "  string_data: \"one\" string_data: \"\" string_data: \"stop\"\n"
        "  string_data: \"far\" } }\n"
        "ir_version: 8 opset_import { version: 17 }\n";
    const struct tn_options unmapped = { .keep_unmapped = true };
    struct tn_scratch       scratch  = tn_scratch_open();
    struct tn_error         error    = TN_ERROR_INIT;

    (void)state;
    tn_make_model(&scratch, "s.onnx", text);
    for (int i = 0; i < 2; i++) {
        char             got[64] = "";
        struct tn_model *model;
        assert_int_equal(tn_model_open(&model,
                                       tn_in_scratch(&scratch, "s.onnx"),
                                       i ? &unmapped : NULL, &error),
                         TN_OK);
        const struct tn_tensor *s = tn_model_find(model, "s");
        assert_int_equal(tn_tensor_strings(s, 0, 4, gather, got, &error),
                         TN_OK);
        assert_int_equal(tn_tensor_strings(s, 3, 1, gather, got, &error),
                         TN_OK);
        assert_string_equal(got, "0:one 1: 2:stop 3:far ");
        assert_int_equal(tn_tensor_strings(s, 3, 2, gather, got, &error),
                         TN_INVALID);
        error = (struct tn_error)TN_ERROR_INIT;
        tn_model_close(model);
    }
    tn_scratch_close(&scratch);
}

/* Programs that change what they are given need not ask whether it has a
 * graph. */
static void tensors_alone_are_in_graph_0(void **state)
{
    const float      ones[]  = { 1, 1, 1 };
    const uint64_t   three[] = { 3 }, ends[] = { 0, 3 };
    struct tn_bytes  all   = { (const uint8_t *)ones, 12 };
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_edit  *edit;
    struct tn_model *model;

    (void)state;
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *read, *changed;
    assert_int_equal(tn_edit_new(&edit, "npz", NULL, &error), TN_OK);
    tn_edit_add_elements(edit, 0, "a", TN_FLOAT32, 1, three, all, &error);
    tn_edit_add_elements(edit, 0, "b", TN_FLOAT32, 1, three, all, &error);
    tn_edit_commit(edit, &model, &error);
    tn_edit_close(edit);
    write_to(&scratch, model, "m.npz");
    tn_model_close(model);
    tn_model_open(&read, tn_in_scratch(&scratch, "m.npz"), &with_graph, &error);
    tn_edit_open(&edit, read, NULL, &error);
    tn_edit_replace_elements(edit, 0, "a", TN_UINT8, 1, three,
                             (struct tn_bytes){ all.data, 3 }, &error);
    tn_edit_set_levels(edit, 0, "a", 1, &(uint64_t){ 2 }, ends, &error);
    tn_edit_remove_tensor(edit, 0, "b", &error);
    tn_edit_rename(edit, 0, "a", "c", &error);
    tn_edit_commit(edit, &changed, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_model_tensor_count(changed), 1);
    assert_int_equal(tn_tensor_dtype(tn_model_find(changed, "c")), TN_UINT8);
    tn_model_close(changed);
    assert_int_equal(tn_edit_remove_tensor(edit, 1, "a", &error), TN_NOT_FOUND);
    tn_edit_close(edit);
    tn_model_close(read);
    tn_scratch_close(&scratch);
}

static int zeros_at(void *context, uint64_t offset, void *to, size_t size)
{
    (void)context;
    (void)offset;
    memset(to, 0, size);
    return 0;
}

/* What the caller has is no expansion of something small, however large it is:
 * not of the edit itself, and not of those that follow it. */
static void elements_of_the_caller_may_be_large(void **state)
{
    const uint64_t   size    = (UINT64_C(1) << 30) + (UINT64_C(1) << 20);
    struct tn_error  error   = TN_ERROR_INIT;
    struct tn_target nowhere = { .path = "large.onnx", .is_dry_run = true };
    struct tn_model *model, *again;
    struct tn_edit  *edit, *next;

    (void)state;
    assert_int_equal(tn_edit_new(&edit, "onnx", NULL, &error), TN_OK);
    put_product(edit, &error);
    tn_edit_add_source(edit, 0, "large", TN_UINT8, 1, &size, zeros_at, NULL,
                       &error);
    assert_int_equal(tn_edit_commit(edit, &model, &error), TN_OK);
    tn_edit_close(edit);
    assert_int_equal(tn_edit_open(&next, model, NULL, &error), TN_OK);
    tn_edit_rename(next, 0, "w", "weights", &error);
    assert_int_equal(tn_edit_commit(next, &again, &error), TN_OK);
    tn_edit_close(next);
    tn_model_close(model);
    if (tn_convert(again, NULL, &nowhere, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    tn_model_close(again);
}

/* Each of these actions begins with a model that the ones before it made. */
static void a_hundred_steps_take_no_time(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    struct tn_edit   *edit;

    (void)state;
    assert_int_equal(tn_edit_new(&edit, "onnx", NULL, &error), TN_OK);
    put_product(edit, &error);
    for (int i = 0; i < 100; i++)
        assert_int_equal(tn_edit_act(edit, "insert-identity", "x", &error),
                         TN_OK);
    assert_int_equal(tn_edit_commit(edit, &model, &error), TN_OK);
    tn_edit_close(edit);
    write_to(&scratch, model, "long.onnx");
    assert_int_equal(tn_model_op_count(model), 101);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_alone_are_in_graph_0),
        cmocka_unit_test(inserts_a_node),
        cmocka_unit_test(an_edit_of_nothing_changes_nothing),
        cmocka_unit_test(replaces_a_tensor),
        cmocka_unit_test(graphs_inside_keep_their_neighbours),
        cmocka_unit_test(builds_from_nothing),
        cmocka_unit_test(a_new_model_has_ends),
        cmocka_unit_test(elements_of_the_caller_may_be_large),
        cmocka_unit_test(a_hundred_steps_take_no_time),
        cmocka_unit_test(builds_what_can_be_trained),
        cmocka_unit_test(training_ends_without_memory),
        cmocka_unit_test(losses_are_variables),
        cmocka_unit_test(only_samediff_is_trained),
        cmocka_unit_test(ends_are_refused),
        cmocka_unit_test(numbers_past_the_end_give_nothing),
        cmocka_unit_test(strings_can_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
