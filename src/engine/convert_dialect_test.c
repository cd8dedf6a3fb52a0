/* convert_dialect_test.c - models in the words of another dialect, and back */
#define _GNU_SOURCE
#include <stdio.h>

#include "support/little_models.h"

static const struct tn_options with_graph = { .wants_graph = true };

/* y = Mystery(Relu(x)), and z = Relu(x). */
static const char mystery_onnx[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "opset_import { domain: \"my.ops\" version: 1 }\n"
    "graph {\n"
    "  node { input: \"x\" output: \"z\" op_type: \"Relu\" }\n"
    "  node { input: \"z\" output: \"y\" op_type: \"Mystery\"\n"
    "    domain: \"my.ops\"\n"
    "    attribute { name: \"deep\" type: INT i: 3 } }\n"
    "  name: \"g\"\n"
    "  input { name: \"x\" type { tensor_type { elem_type: 1 shape {\n"
    "    dim { dim_value: 2 } } } } }\n"
    "  output { name: \"y\" type { tensor_type { elem_type: 1 } } }\n"
    "  output { name: \"z\" type { tensor_type { elem_type: 1 } } }\n"
    "}\n";

/* y = twice(x) = x + x, by a function; two is a Constant node. */
static const char function_onnx[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "opset_import { domain: \"own\" version: 1 }\n"
    "graph {\n"
    "  node { input: \"x\" output: \"t\" op_type: \"twice\" domain: \"own\"\n"
    "    attribute { name: \"k\" type: INT i: 0 } }\n"
    "  node { output: \"two\" op_type: \"Constant\"\n"
    "    attribute { name: \"value_floats\" type: FLOATS floats: 2\n"
    "      floats: 3 } }\n"
    "  node { input: \"t\" input: \"two\" output: \"y\" op_type: \"Mul\" }\n"
    "  name: \"g\"\n"
    "  input { name: \"x\" type { tensor_type { elem_type: 1 shape {\n"
    "    dim { dim_value: 2 } } } } }\n"
    "  output { name: \"y\" type { tensor_type { elem_type: 1 shape {\n"
    "    dim { dim_value: 2 } } } } }\n"
    "}\n"
    "functions { name: \"twice\" domain: \"own\" input: \"a\" output: \"b\"\n"
    "  attribute: \"k\"\n"
    "  node { input: \"a\" input: \"a\" output: \"s\" op_type: \"Add\" }\n"
    "  node { input: \"s\" output: \"b\" op_type: \"Softmax\"\n"
    "    attribute { name: \"axis\" type: INT ref_attr_name: \"k\" } }\n"
    "  opset_import { version: 17 } }\n";

/* Of three parts the first is wanted, and the second is used. */
static const char parts_onnx[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "graph {\n"
    "  node { input: \"x\" output: \"a\" output: \"b\" output: \"c\"\n"
    "    op_type: \"Split\" attribute { name: \"axis\" type: INT i: 0 } }\n"
    "  node { input: \"b\" output: \"y\" op_type: \"Relu\" }\n"
    "  name: \"g\"\n"
    "  input { name: \"x\" type { tensor_type { elem_type: 1 shape {\n"
    "    dim { dim_value: 6 } } } } }\n"
    "  output { name: \"y\" type { tensor_type { elem_type: 1 } } }\n"
    "  output { name: \"a\" type { tensor_type { elem_type: 1 } } }\n"
    "  output { name: \"x\" type { tensor_type { elem_type: 1 } } }\n"
    "}\n";

/* A fills in for Mystery. */
static const char own_rules[] = "rules onnx -> nd4j 1\n"
                                "my.ops::Mystery(x; deep) -> (y) {\n"
                                "    require deep == 3, \"only three\"\n"
                                "    y <- identity(x)\n"
                                "}\n";

static const char sum_rules[] = "rules tensorflow -> nd4j 1\n"
                                "AddV2(x, y) => add(x, y)\n";

static struct tn_model *open_in(struct tn_scratch *scratch, const char *name,
                                const char *text)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;

    if (text)
        tn_make_model(scratch, name, text);
    if (tn_model_open(&model, tn_in_scratch(scratch, name), &with_graph,
                      &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    return model;
}

static enum tn_status convert(struct tn_scratch     *scratch,
                              const struct tn_model *model, const char *name,
                              const struct tn_map_options *map,
                              struct tn_error             *error)
{
    struct tn_target          target  = { .path = tn_in_scratch(scratch, name),
                                          .can_replace = true };
    struct tn_convert_options options = { .map = map };

    *error = (struct tn_error)TN_ERROR_INIT;
    return tn_convert(model, &options, &target, NULL, NULL, error);
}

static void must_convert(struct tn_scratch     *scratch,
                         const struct tn_model *model, const char *name,
                         const struct tn_map_options *map)
{
    struct tn_error error;

    if (convert(scratch, model, name, map, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
}

static void ops_are(const struct tn_model *model, const char *expected)
{
    char   got[256] = "";
    size_t at       = 0;

    for (uint32_t i = 0; i < tn_model_op_count(model); i++)
        at +=
            (size_t)snprintf(got + at, sizeof got - at, "%s%.*s", i ? " " : "",
                             (int)tn_model_op(model, i).type.size,
                             (const char *)tn_model_op(model, i).type.data);
    assert_string_equal(got, expected);
}

static void outputs_are(const struct tn_model *model, const char *expected)
{
    struct tn_io_list io_list  = tn_model_outputs(model);
    char              got[256] = "";
    size_t            at       = 0;

    for (uint32_t i = 0; i < io_list.count; i++)
        at += (size_t)snprintf(got + at, sizeof got - at, "%s%.*s",
                               i ? " " : "", (int)io_list.items[i].name.size,
                               (const char *)io_list.items[i].name.data);
    assert_string_equal(got, expected);
}

static void there_and_back(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model   = open_in(&scratch, "a.onnx", little_onnx);
    uint8_t           before[TN_HASH_SIZE], after[TN_HASH_SIZE];
    struct tn_error   error = TN_ERROR_INIT;

    (void)state;
    must_convert(&scratch, model, "a.fb", NULL);
    struct tn_model *middle = open_in(&scratch, "a.fb", NULL);
    assert_string_equal(tn_model_dialect(middle), "nd4j");
    ops_are(middle, "add");
    outputs_are(middle, "y");
    must_convert(&scratch, middle, "b.onnx", NULL);
    struct tn_model *back = open_in(&scratch, "b.onnx", NULL);
    ops_are(back, "Add");
    outputs_are(back, "y");
    assert_int_equal(tn_tensor_hash(tn_model_find(model, "w"), before, &error),
                     TN_OK);
    assert_int_equal(tn_tensor_hash(tn_model_find(back, "w"), after, &error),
                     TN_OK);
    assert_memory_equal(before, after, TN_HASH_SIZE);
    tn_model_close(back);
    tn_model_close(middle);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void every_container_of_the_dialect_takes_it(void **state)
{
    static const char *const names[] = { "a.fb", "a.sdnb", "a.sdz",
                                         "a.samediff" };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_model         *model   = open_in(&scratch, "a.onnx", little_onnx);

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        must_convert(&scratch, model, names[i], NULL);
        struct tn_model *there = open_in(&scratch, names[i], NULL);
        ops_are(there, "add");
        tn_model_close(there);
    }
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void tensorflow_goes_the_long_way(void **state)
{
    static const char *const outputs[] = { "y:0" };
    struct tn_scratch        scratch   = tn_scratch_open();
    struct tn_model         *model = open_in(&scratch, "a.pb", little_graph);

    (void)state;
    tn_write_text(&scratch, "sum.rules", sum_rules);
    const char *const     files[] = { tn_in_scratch(&scratch, "sum.rules") };
    struct tn_map_options map     = {
            .outputs = outputs, .output_count = 1, .rules = files, .rule_count = 1
    };
    must_convert(&scratch, model, "a.onnx", &map);
    struct tn_model *there = open_in(&scratch, "a.onnx", NULL);
    ops_are(there, "Add");
    outputs_are(there, "y:0"); /* exactly as it was asked for */
    tn_model_close(there);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void other_ends_cut_the_graph(void **state)
{
    static const char *const z[]     = { "z" };
    struct tn_map_options    map     = { .outputs = z, .output_count = 1 };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_model         *model = open_in(&scratch, "m.onnx", mystery_onnx);

    (void)state;
    must_convert(&scratch, model, "z.onnx", &map);
    struct tn_model *cut = open_in(&scratch, "z.onnx", NULL);
    ops_are(cut, "Relu");
    outputs_are(cut, "z");
    tn_model_close(cut);
    map.inputs      = z;
    map.input_count = 1;
    map.outputs     = (const char *const[]){ "y" };
    must_convert(&scratch, model, "y.onnx", &map);
    cut = open_in(&scratch, "y.onnx", NULL);
    ops_are(cut, "Mystery");
    assert_int_equal(tn_model_inputs(cut).count, 1);
    tn_model_close(cut);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void what_has_no_rule_is_refused_or_allowed(void **state)
{
    static const char *const mystery[] = { "Mystery" };
    struct tn_map_options    map       = { 0 };
    struct tn_scratch        scratch   = tn_scratch_open();
    struct tn_model         *model = open_in(&scratch, "m.onnx", mystery_onnx);
    struct tn_error          error;

    (void)state;
    assert_int_equal(convert(&scratch, model, "m.fb", NULL, &error),
                     TN_UNSUPPORTED);
    assert_int_equal(error.reason, TN_REASON_NO_RULE);
    assert_string_equal(error.where, "graph.node[1]");
    assert_non_null(strstr(error.what,
                           "cannot convert to SameDiff: an operator has no "
                           "rule: my.ops::Mystery (1 node)"));
    map.allow       = mystery;
    map.allow_count = 1;
    must_convert(&scratch, model, "m.fb", &map);
    struct tn_model *there = open_in(&scratch, "m.fb", NULL);
    ops_are(there, "relu Mystery identity"); /* z is used, and an output */
    outputs_are(there, "y z");
    tn_model_close(there);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void own_rules_go_first(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model   = open_in(&scratch, "m.onnx", mystery_onnx);

    (void)state;
    tn_write_text(&scratch, "own.rules", own_rules);
    const char *const     files[] = { tn_in_scratch(&scratch, "own.rules") };
    struct tn_map_options map     = { .rules = files, .rule_count = 1 };
    must_convert(&scratch, model, "m.fb", &map);
    struct tn_model *there = open_in(&scratch, "m.fb", NULL);
    ops_are(there, "relu identity identity");
    tn_model_close(there);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void functions_and_constants_dissolve(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model   = open_in(&scratch, "f.onnx", function_onnx);

    (void)state;
    must_convert(&scratch, model, "f.fb", NULL);
    struct tn_model *there = open_in(&scratch, "f.fb", NULL);
    ops_are(there, "add softmax multiply");
    assert_int_equal(tn_model_tensor_count(there), 1);
    tn_model_close(there);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* One of them is an input, one an output beside others of its operator. */
static void outputs_keep_their_order(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model   = open_in(&scratch, "p.onnx", parts_onnx);

    (void)state;
    must_convert(&scratch, model, "p.fb", NULL);
    struct tn_model *middle = open_in(&scratch, "p.fb", NULL);
    must_convert(&scratch, middle, "q.onnx", NULL);
    struct tn_model *back = open_in(&scratch, "q.onnx", NULL);
    outputs_are(back, "y a x");
    tn_model_close(back);
    tn_model_close(middle);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

struct heard {
    uint64_t rows, without;
    char     stub[256];
};

static void hear(void *context, const struct tn_plan_row *row)
{
    struct heard *heard = context;

    heard->rows++;
    assert_string_equal(row->from, "onnx");
    assert_string_equal(row->to, "nd4j");
    if (row->rule) {
        assert_non_null(strstr(row->rule, "onnx_nd4j.rules:"));
        return;
    }
    heard->without++;
    assert_string_equal(row->where, "graph.node[1]");
    snprintf(heard->stub, sizeof heard->stub, "%s", row->stub);
}

static void a_plan_writes_nothing(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_model        *model   = open_in(&scratch, "m.onnx", mystery_onnx);
    struct tn_error         error   = TN_ERROR_INIT;
    struct heard            heard   = { 0 };
    struct tn_plan_summary  summary;
    struct tn_plan_listener listener = { .op = hear, .context = &heard };

    (void)state;
    assert_int_equal(tn_plan(model, NULL, tn_in_scratch(&scratch, "m.fb"), NULL,
                             &listener, &summary, &error),
                     TN_OK);
    assert_int_equal(heard.rows, 2);
    assert_int_equal(heard.without, 1);
    assert_int_equal(summary.mapped, 1);
    assert_int_equal(summary.unmapped, 1);
    assert_string_equal(summary.way, "onnx -> nd4j");
    assert_string_equal(heard.stub, "rules onnx -> nd4j 1\n\n"
                                    "my.ops::Mystery(x0; deep) -> (y0) {\n"
                                    "    refuse \"to be written\"\n}\n");
    assert_int_not_equal(access(tn_in_scratch(&scratch, "m.fb"), F_OK), 0);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void a_receipt_names_sources(void **state)
{
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_model      *model   = open_in(&scratch, "a.onnx", little_onnx);
    struct tn_map_options map     = { .receipt = tn_in_scratch(&scratch, "r") };
    char                  line[512] = "";

    (void)state;
    must_convert(&scratch, model, "a.fb", &map);
    FILE *file = fopen(tn_in_scratch(&scratch, "r"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(strstr(line, "{\"tensor\": \"w\", \"source\": \"w\", "
                                 "\"transform\": \"none\", "
                                 "\"dtype\": \"float32\", \"shape\": [2], "
                                 "\"sha256\": \""));
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "{\"loss\": \"left behind: texts about the "
                              "model: onnx.producer_name, onnx.graph_name\", "
                              "\"where\": \"\", \"kind\": \"text\"}\n");
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* A model without its receipt would be half of what was asked for. */
static void without_a_receipt_there_is_no_model(void **state)
{
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_model      *model   = open_in(&scratch, "a.onnx", little_onnx);
    struct tn_map_options folder  = { .receipt = scratch.path };
    struct tn_map_options nowhere = { .receipt = "/nowhere/r" };
    struct tn_error       error;

    (void)state;
    assert_int_equal(convert(&scratch, model, "a.fb", &folder, &error),
                     TN_INVALID);
    assert_int_equal(convert(&scratch, model, "a.fb", &nowhere, &error), TN_IO);
    assert_int_not_equal(access(tn_in_scratch(&scratch, "a.fb"), F_OK), 0);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* Where no rules are needed there is nothing to tell, to cut or to choose. */
static void wishes_are_not_forgotten(void **state)
{
    static const char *const y[]     = { "y" };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_model         *model   = open_in(&scratch, "a.onnx", little_onnx);
    struct tn_map_options    receipt = { .receipt = "/nowhere/r" };
    struct tn_map_options    choosing = { .signature = "serve" };
    struct tn_map_options    cutting  = { .outputs = y, .output_count = 1 };
    struct tn_error          error;

    (void)state;
    assert_int_equal(convert(&scratch, model, "b.onnx", &receipt, &error),
                     TN_INVALID);
    assert_int_equal(convert(&scratch, model, "b.onnx", &choosing, &error),
                     TN_INVALID);
    assert_int_equal(convert(&scratch, model, "a.npz", &cutting, &error),
                     TN_INVALID);
    must_convert(&scratch, model, "b.onnx", &cutting);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

struct lost {
    uint64_t count;
    char     where[64], what[128];
};

static void hear_lost(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    struct lost *lost = context;

    (void)offset;
    if (lost->count++ > 0)
        return; /* the first is kept */
    snprintf(lost->where, sizeof lost->where, "%s", where);
    snprintf(lost->what, sizeof lost->what, "%s", what);
}

static void what_is_allowed_tells_what_it_loses(void **state)
{
    static const char *const  names[] = { "my.ops::Mystery", "ops::Mystery",
                                          "my.ops::Myst", "my.ops::" };
    struct tn_scratch         scratch = tn_scratch_open();
    struct tn_model          *model = open_in(&scratch, "m.onnx", mystery_onnx);
    struct tn_map_options     map   = { .allow = names, .allow_count = 1 };
    struct lost               lost  = { 0 };
    struct tn_convert_options how   = { .map          = &map,
                                        .loss         = hear_lost,
                                        .loss_context = &lost };
    struct tn_target target = { .path = tn_in_scratch(&scratch, "m.fb") };
    struct tn_error  error  = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(tn_convert(model, &how, &target, NULL, NULL, &error),
                     TN_OK);
    assert_int_equal(lost.count, 2); /* and the name of the graph */
    assert_string_equal(lost.where, "graph.node[1]");
    assert_non_null(strstr(lost.what, "the attributes of Mystery"));
    how.is_strict = true;
    target.path   = tn_in_scratch(&scratch, "strict.fb");
    assert_int_equal(tn_convert(model, &how, &target, NULL, NULL, &error),
                     TN_UNSUPPORTED);
    assert_int_not_equal(access(target.path, F_OK), 0);
    error = (struct tn_error)TN_ERROR_INIT;
    map   = (struct tn_map_options){ .allow = names + 1, .allow_count = 3 };
    assert_int_equal(convert(&scratch, model, "n.fb", &map, &error),
                     TN_UNSUPPORTED);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void wrong_wishes_are_refused(void **state)
{
    static const char *const nobody[] = { "nobody" };
    struct tn_scratch        scratch  = tn_scratch_open();
    struct tn_model         *model = open_in(&scratch, "a.onnx", little_onnx);
    struct tn_error          error;
    struct tn_map_options    outputs = { .outputs = nobody, .output_count = 1 };
    struct tn_map_options    inputs  = { .inputs = nobody, .input_count = 1 };
    struct tn_map_options    rules   = { .rules = nobody, .rule_count = 1 };
    struct tn_map_options    signature = { .signature = "nobody" };

    (void)state;
    assert_int_equal(convert(&scratch, model, "a.fb", &outputs, &error),
                     TN_INVALID);
    assert_int_equal(convert(&scratch, model, "a.fb", &inputs, &error),
                     TN_INVALID);
    assert_int_equal(convert(&scratch, model, "a.fb", &rules, &error), TN_IO);
    assert_int_equal(convert(&scratch, model, "a.fb", &signature, &error),
                     TN_INVALID);
    assert_int_equal(convert(&scratch, model, "a.pb", NULL, &error),
                     TN_UNSUPPORTED); /* no rules lead to TensorFlow */
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void a_file_of_nd4j_can_be_cut_too(void **state)
{
    static const char *const mystery[] = { "Mystery" }, *const y[] = { "y" };
    struct tn_map_options allowed = { .allow = mystery, .allow_count = 1 };
    struct tn_map_options cutting = { .outputs = y, .output_count = 1 };
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_model      *model   = open_in(&scratch, "m.onnx", mystery_onnx);

    (void)state;
    must_convert(&scratch, model, "m.fb", &allowed);
    struct tn_model *whole = open_in(&scratch, "m.fb", NULL);
    must_convert(&scratch, whole, "cut.fb", &cutting);
    struct tn_model *cut = open_in(&scratch, "cut.fb", NULL);
    ops_are(cut, "relu Mystery"); /* without the identity that gave z */
    outputs_are(cut, "y");
    tn_model_close(cut);
    tn_model_close(whole);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* Of TensorFlow and Paddle only parts are ever written anew. */
static void other_graphs_are_not_put_together(void **state)
{
    static const char *const y[]     = { "y" };
    struct tn_map_options    map     = { .outputs = y, .output_count = 1 };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_model         *model   = open_in(&scratch, "a.pb", little_graph);
    struct tn_error          error;

    (void)state;
    assert_int_equal(convert(&scratch, model, "b.pb", &map, &error),
                     TN_UNSUPPORTED);
    assert_non_null(strstr(error.what, "cannot be written from scratch"));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* One more digit must not ask for a table of a billion outputs. */
static void a_name_far_out_is_no_output(void **state)
{
    static const char text[] =
        "node { name: \"x\" op: \"Placeholder\"\n"
        "  attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
        "node { name: \"y\" op: \"NobodyKnows\" input: \"x\" }\n"
        "node { name: \"z\" op: \"Neg\" input: \"y:70000\"\n"
        "  attr { key: \"T\" value { type: DT_FLOAT } } }\n";
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model   = open_in(&scratch, "far.pb", text);
    struct tn_error   error;

    (void)state;
    assert_int_equal(convert(&scratch, model, "far.fb", NULL, &error),
                     TN_LIMIT);
    assert_string_equal(error.where, "node[1]");
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* Each of forty functions calls the one before it twice. */
static void functions_that_double_are_refused(void **state)
{
    static char       text[16384];
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error;
    int               at = snprintf(text, sizeof text,
                                    "node { name: \"x\" op: \"Placeholder\"\n"
                                                  "  attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
                                                  "node { name: \"y\" op: \"f40\" input: \"x\" }\n"
                                                  "library {\n");

    (void)state;
    for (int i = 1; i <= 40; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "function { signature { name: \"f%d\"\n"
                     "  input_arg { name: \"a\" type: DT_FLOAT }\n"
                     "  output_arg { name: \"b\" type: DT_FLOAT } }\n"
                     "  node_def { name: \"p\" op: \"f%d\" input: \"a\" }\n"
                     "  node_def { name: \"q\" op: \"f%d\" input: \"p:b:0\" }\n"
                     "  ret { key: \"b\" value: \"q:b:0\" } }\n",
                     i, i - 1, i - 1);
    snprintf(text + at, sizeof text - (size_t)at, "}\n");
    struct tn_model *model = open_in(&scratch, "double.pb", text);
    assert_int_equal(convert(&scratch, model, "double.fb", NULL, &error),
                     TN_LIMIT);
    assert_non_null(strstr(error.what, "calls make more than"));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void memory_may_end_anywhere(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    bool              is_done = false;

    (void)state;
    tn_make_model(&scratch, "f.onnx", function_onnx);
    for (uint64_t limit = 1 << 14; !is_done; limit += limit / 16) {
        struct tn_options options = { .wants_graph = true,
                                      .max_memory  = limit };
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_target  target  = { .path = tn_in_scratch(&scratch, "f.fb"),
                                      .can_replace = true };
        struct tn_model  *model   = NULL;
        if (tn_model_open(&model, tn_in_scratch(&scratch, "f.onnx"), &options,
                          &error) == TN_OK)
            is_done = tn_convert(model, NULL, &target, &options, NULL,
                                 &error) == TN_OK;
        if (!is_done)
            assert_int_equal(error.status, TN_LIMIT);
        tn_model_close(model);
    }
    tn_scratch_close(&scratch);
}

static enum tn_status convert_within(struct tn_scratch     *scratch,
                                     const struct tn_model *model,
                                     const char *name, struct tn_rulebook *book,
                                     uint64_t limit)
{
    struct tn_options         within = { .max_memory = limit };
    struct tn_map_options     map    = { .book = book };
    struct tn_convert_options how    = { .map = &map };
    struct tn_target          target = { .path = tn_in_scratch(scratch, name),
                                         .can_replace = true };
    struct tn_error           error  = TN_ERROR_INIT;

    return tn_convert(model, &how, &target, &within, NULL, &error);
}

/* A conversion that has a book takes no rules into its own memory. */
static void a_book_spares_reading(void **state)
{
    struct tn_scratch   scratch = tn_scratch_open();
    struct tn_model    *model   = open_in(&scratch, "a.onnx", little_onnx);
    struct tn_error     error   = TN_ERROR_INIT;
    uint64_t            limit   = 1 << 14;
    struct tn_rulebook *book;

    (void)state;
    must_convert(&scratch, model, "a.fb", NULL);
    struct tn_bytes expected = tn_load_file(tn_in_scratch(&scratch, "a.fb"));
    assert_int_equal(tn_rulebook_open(&book, NULL, 0, NULL, &error), TN_OK);
    while (convert_within(&scratch, model, "b.fb", book, limit) != TN_OK)
        limit += limit / 16;
    assert_int_equal(
        convert_within(&scratch, model, "c.fb", NULL, limit + limit / 4),
        TN_LIMIT);
    assert_int_equal(convert_within(&scratch, model, "b.fb", book, limit),
                     TN_OK);
    struct tn_bytes got = tn_load_file(tn_in_scratch(&scratch, "b.fb"));
    assert_true(tn_bytes_equal(got, expected));
    free((void *)(uintptr_t)got.data);
    free((void *)(uintptr_t)expected.data);
    tn_rulebook_close(book);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void a_book_of_files_is_refused(void **state)
{
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_model      *model   = open_in(&scratch, "a.onnx", little_onnx);
    struct tn_map_options map     = { 0 };
    struct tn_error       error   = TN_ERROR_INIT;

    (void)state;
    tn_write_text(&scratch, "own.rules", own_rules);
    const char *const files[] = { tn_in_scratch(&scratch, "own.rules") };
    assert_int_equal(tn_rulebook_open(&map.book, files, 1, NULL, &error),
                     TN_OK);
    assert_int_equal(convert(&scratch, model, "a.fb", &map, &error),
                     TN_INVALID);
    assert_string_equal(error.what,
                        "the rulebook was opened with files; open one "
                        "without files");
    tn_rulebook_close(map.book);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* The graph is read when it is needed, though nobody asked for it. */
static void same_files(struct tn_scratch *scratch, const char *one,
                       const char *other)
{
    struct tn_bytes a = tn_load_file(tn_in_scratch(scratch, one));
    struct tn_bytes b = tn_load_file(tn_in_scratch(scratch, other));

    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free((void *)(uintptr_t)a.data);
    free((void *)(uintptr_t)b.data);
}

/* It is gone when the graph is asked for: whoever opens it once more finds
 * nothing. */
static void no_file_is_opened_twice(void **state)
{
    static const char *const names[] = { "a.onnx", "a.pbtxt" };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_model         *model   = open_in(&scratch, "b.onnx", little_onnx);

    (void)state;
    must_convert(&scratch, model, "b.fb", NULL);
    tn_model_close(model);
    tn_write_text(&scratch, "a.pbtxt", little_onnx);
    tn_make_model(&scratch, "a.onnx", little_onnx);
    for (unsigned i = 0; i < 2; i++) {
        const char *path = tn_in_scratch(&scratch, names[i]);
        assert_int_equal(tn_model_open(&model, path, NULL, &error), TN_OK);
        assert_int_equal(unlink(path), 0);
        must_convert(&scratch, model, "a.fb", NULL);
        must_convert(&scratch, model, "a.fb", NULL);
        same_files(&scratch, "a.fb", "b.fb");
        tn_model_close(model);
    }
    tn_scratch_close(&scratch);
}

static int read_bytes(void *context, uint64_t offset, void *to, size_t size)
{
    memcpy(to, (const uint8_t *)context + offset, size);
    return 0;
}

/* Nor is a file needed at all. */
static void bytes_are_converted_like_a_file(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model   = open_in(&scratch, "b.onnx", little_onnx);
    struct tn_bytes   bytes   = tn_load_file(tn_in_scratch(&scratch, "b.onnx"));

    (void)state;
    must_convert(&scratch, model, "b.fb", NULL);
    tn_model_close(model);
    assert_int_equal(
        tn_model_open_source(&model, "bytes", bytes.size, read_bytes,
                             (void *)(uintptr_t)bytes.data, NULL, &error),
        TN_OK);
    must_convert(&scratch, model, "a.fb", NULL);
    same_files(&scratch, "a.fb", "b.fb");
    tn_model_close(model);
    free((void *)(uintptr_t)bytes.data);
    tn_scratch_close(&scratch);
}

/* Which size it has follows from the nodes; callers know it by its name. */
static void named_dims_keep_their_names(void **state)
{
    static const char text[] =
        "ir_version: 8 opset_import { version: 17 }\n"
        "graph { name: \"g\"\n"
        "  node { input: \"x\" input: \"r\" output: \"y\" op_type: \"Tile\" }\n"
        "  initializer { dims: 1 data_type: 7 name: \"r\" int64_data: 2 }\n"
        "  input { name: \"x\" type { tensor_type { elem_type: 1 shape {\n"
        "    dim { dim_value: 2 } } } } }\n"
        "  output { name: \"y\" type { tensor_type { elem_type: 1 shape {\n"
        "    dim { dim_param: \"wide\" } } } } } }\n";
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_model  *model   = open_in(&scratch, "a.onnx", text);

    (void)state;
    must_convert(&scratch, model, "a.fb", NULL);
    struct tn_model *middle = open_in(&scratch, "a.fb", NULL);
    must_convert(&scratch, middle, "b.onnx", NULL);
    struct tn_model  *back    = open_in(&scratch, "b.onnx", NULL);
    struct tn_io_list outputs = tn_model_outputs(back);
    assert_int_equal(outputs.items[0].rank, 1);
    assert_true(tn_bytes_is(outputs.items[0].dims[0].symbol, "wide"));
    tn_model_close(back);
    tn_model_close(middle);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_dims_keep_their_names),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(every_container_of_the_dialect_takes_it),
        cmocka_unit_test(tensorflow_goes_the_long_way),
        cmocka_unit_test(other_ends_cut_the_graph),
        cmocka_unit_test(what_has_no_rule_is_refused_or_allowed),
        cmocka_unit_test(own_rules_go_first),
        cmocka_unit_test(functions_and_constants_dissolve),
        cmocka_unit_test(outputs_keep_their_order),
        cmocka_unit_test(a_plan_writes_nothing),
        cmocka_unit_test(a_receipt_names_sources),
        cmocka_unit_test(without_a_receipt_there_is_no_model),
        cmocka_unit_test(wishes_are_not_forgotten),
        cmocka_unit_test(what_is_allowed_tells_what_it_loses),
        cmocka_unit_test(wrong_wishes_are_refused),
        cmocka_unit_test(a_file_of_nd4j_can_be_cut_too),
        cmocka_unit_test(other_graphs_are_not_put_together),
        cmocka_unit_test(a_name_far_out_is_no_output),
        cmocka_unit_test(functions_that_double_are_refused),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(a_book_spares_reading),
        cmocka_unit_test(a_book_of_files_is_refused),
        cmocka_unit_test(no_file_is_opened_twice),
        cmocka_unit_test(bytes_are_converted_like_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
