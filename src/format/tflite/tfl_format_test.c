/*
 * tfl_format_test.c - TFLite models: what is read, checked and written
 */
#define _GNU_SOURCE
#include <tenon/edit.h>

#include "format/registry.h"
#include "format/tflite/tfl_testing.h"
#include "support/tired.h"
#include "support/little_models.h"

static void make_file(struct tn_scratch *scratch, const char *name,
                      const char *json, const char *tail, size_t tail_size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer bytes;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    tfl_make(&bytes, json, &memory, &error);
    if (tail)
        tn_buffer_add(&bytes, tn_bytes(tail, tail_size));
    if (tn_failed(&error))
        fail_msg("%s: %s", error.where, error.what);
    tn_scratch_put(scratch, name, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

static struct tn_model *open_graph(struct tn_scratch *scratch, const char *name)
{
    struct tn_options options = { .size        = sizeof options,
                                  .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    if (tn_model_open(&model, tn_in_scratch(scratch, name), &options, &error) !=
        TN_OK)
        fail_msg("%s: %s: %s", name, error.where, error.what);
    return model;
}

static const struct tn_attr_value *attr(const struct tn_model *model,
                                        uint32_t op, const char *name,
                                        struct tn_attr **to)
{
    struct tn_error error = TN_ERROR_INIT;

    if (tn_attr_find(to, model, op, name, &error) != TN_OK)
        fail_msg("%s: %s", name, error.what);
    return tn_attr_get(*to);
}

/* ---- the tables --------------------------------------------------------- */

/* tools/make_tflite_tables.py and the compiled schema agree. */
static void tables_are_those_of_the_schema(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_fb_schema schema;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(
        tn_fb_schema_load_builtin(&schema, &arena, TN_FB_TFLITE, &error),
        TN_OK);
    for (uint32_t i = 1; i < tn_tfl_options_count; i++) {
        const struct tn_tfl_options *row = &tn_tfl_options[i];
        const struct tn_fb_object   *object =
            tn_fb_schema_find(&schema, row->name);
        assert_non_null(object);
        for (uint32_t k = 0; k < row->count; k++) {
            const struct tn_tfl_field *field = &row->fields[k];
            assert_true(field->slot < object->count);
            assert_string_equal(object->fields[field->slot].name, field->name);
            assert_int_equal(object->fields[field->slot].whole,
                             field->otherwise);
            assert_int_equal(
                tn_fb_is_scalar(object->fields[field->slot].type.base),
                field->kind <= TN_TFL_SUBGRAPH);
        }
    }
    for (uint32_t i = 0; i < schema.enum_count; i++) {
        const struct tn_fb_enum *e = &schema.enums[i];
        if (strcmp(e->name, "tflite.BuiltinOperator") == 0) {
            assert_int_equal(e->count, tn_tfl_builtin_count);
            for (uint32_t k = 0; k < e->count; k++)
                assert_string_equal(e->names[k].name, tn_tfl_builtins[k].name);
        }
        if (strcmp(e->name, "tflite.BuiltinOptions") == 0)
            for (uint32_t k = 1; k < e->count; k++)
                assert_string_equal(e->names[k].name, tn_tfl_options[k].name);
    }
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

/* ---- reading ------------------------------------------------------------ */

static void graphs_become_tables(void **state)
{
    struct tn_scratch    scratch = tn_scratch_open();
    struct tn_attr      *a;
    struct tn_graph_info info;

    (void)state;
    make_file(&scratch, "a.tflite", TFL_SAMPLE, NULL, 0);
    struct tn_model *m = open_graph(&scratch, "a.tflite");
    assert_string_equal(tn_model_format(m), "tflite");
    assert_int_equal(tn_model_graph_count(m), 3);
    assert_int_equal(tn_model_function_count(m), 2);
    assert_int_equal(tn_model_node_count(m), 4);
    info = tn_model_graph(m, 2);
    assert_true(tn_bytes_is(info.name, "subgraph_2")); /* "branch" is taken */
    assert_true(tn_bytes_is(tn_model_op(m, 0).type, "CONV_2D"));
    assert_true(tn_bytes_is(tn_model_op(m, 2).type, "Mine"));
    assert_true(tn_bytes_is(tn_model_op(m, 2).domain, "custom"));
    assert_int_equal(tn_op_input(m, 0, 2), TN_NONE);
    /* names that are missing or taken */
    assert_true(tn_bytes_is(
        tn_model_value_info(m, tn_op_output(m, 1, 0)).name, "y:4"));
    assert_true(tn_bytes_is(
        tn_model_value_info(m, tn_op_output(m, 2, 0)).name, "tensor_5"));

    const struct tn_attr_value *v = attr(m, 0, "padding", &a);
    assert_int_equal(v->kind, TN_ATTR_STRING);
    assert_true(tn_bytes_is(v->of.strings[0], "VALID"));
    tn_attr_close(a);
    v = attr(m, 0, "dilation_w_factor", &a); /* not in the file */
    assert_int_equal(v->of.ints[0], 1);
    tn_attr_close(a);
    v = attr(m, 0, "quantized_bias_type", &a);
    assert_int_equal(v->kind, TN_ATTR_DTYPE);
    assert_int_equal(v->of.ints[0], TN_FLOAT32);
    tn_attr_close(a);
    v = attr(m, 1, "else_subgraph_index", &a);
    assert_int_equal(v->kind, TN_ATTR_FUNCTION);
    assert_true(tn_bytes_is(v->of.strings[0], "subgraph_2"));
    tn_attr_close(a);
    v = attr(m, 2, "custom_options", &a);
    assert_true(tn_bytes_equal(v->of.strings[0], tn_bytes("\7\10", 2)));
    tn_attr_close(a);
    v = attr(m, 3, "approximate", &a);
    assert_int_equal(v->kind, TN_ATTR_BOOL);
    assert_int_equal(v->of.ints[0], 1);
    tn_attr_close(a);

    assert_int_equal(tn_model_inputs(m).items[0].dims[0].value, -1);
    assert_int_equal(tn_model_signature_count(m), 2);
    assert_true(tn_bytes_is(tn_model_signature(m, 0)->inputs.items[1].key,
                            "which"));
    assert_int_equal(m->signature_graphs[1], 1);
    tn_model_close(m);
    tn_scratch_close(&scratch);
}

static void values_are_described(void **state)
{
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_value_about about;
    struct tn_arena       arena;

    (void)state;
    make_file(&scratch, "a.tflite", TFL_SAMPLE, NULL, 0);
    struct tn_model *m = open_graph(&scratch, "a.tflite");
    tn_arena_init(&arena, m->memory);
    assert_true(m->dialect->describe_value(m, 0, tn_text("w"), &arena, &about,
                                           &error));
    assert_int_equal(about.dtype, TN_INT8);
    assert_int_equal(about.scale_count, 2);
    assert_true(about.scales[1] == 0.125f);
    assert_int_equal(about.zero_points[1], 0);
    assert_int_equal(about.axis, 0);
    assert_true(m->dialect->describe_value(m, 0, tn_text("x"), &arena, &about,
                                           &error));
    assert_int_equal(about.dims[0], -1);
    assert_int_equal(about.zero_points[0], -3);
    assert_true(m->dialect->describe_value(m, 0, tn_text("state"), &arena,
                                           &about, &error));
    assert_true(about.is_variable);
    assert_int_equal(about.scale_count, 0);
    assert_false(m->dialect->describe_value(m, 0, tn_text("none"), &arena,
                                            &about, &error));
    tn_arena_done(&arena);
    tn_model_close(m);
    tn_scratch_close(&scratch);
}

static enum tn_status see_word(void *context, uint64_t index,
                               struct tn_span text, struct tn_error *error)
{
    (void)error;
    assert_int_equal(text.length, index == 0 ? 1 : 2);
    ++*(int *)context;
    return TN_OK;
}

static void data_are_read(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    float             dense[4];
    int8_t            nibbles[3];
    uint8_t           zeros[16];
    int               words = 0;

    (void)state;
    make_file(&scratch, "a.tflite", TFL_SAMPLE, NULL, 0);
    struct tn_model *m = open_graph(&scratch, "a.tflite");
    assert_int_equal(tn_tensor_read(tn_model_find(m, "sparse"), 0, dense,
                                    sizeof dense, &error),
                     TN_OK);
    assert_true(dense[0] == 0 && dense[1] == 2 && dense[2] == 3 &&
                dense[3] == 0);
    assert_int_equal(tn_tensor_read(tn_model_find(m, "nibbles"), 0, nibbles,
                                    sizeof nibbles, &error),
                     TN_OK);
    assert_true(nibbles[0] == 1 && nibbles[1] == 2 && nibbles[2] == 3);
    assert_int_equal(tn_tensor_read(tn_model_find(m, "state"), 0, zeros,
                                    sizeof zeros, &error),
                     TN_OK);
    assert_int_equal(zeros[15], 0);
    assert_int_equal(tn_payload_strings(&tn_model_find(m, "words")->elements, 0,
                                        2, see_word, &words, &error),
                     TN_OK);
    assert_int_equal(words, 2);
    tn_model_close(m);
    tn_scratch_close(&scratch);
}

/* ---- checking ----------------------------------------------------------- */

#define ONE(tensor, rest)                                                      \
    "{'version':3,'operator_codes':[{'deprecated_builtin_code':101}],"         \
    "'buffers':[{},{'data':[0,0,0,0]}],'subgraphs':[{'tensors':["              \
    "{'shape':[1],'name':'x'},{'shape':[1],'name':'y'}" tensor                 \
    "],'inputs':[0],'outputs':[1],'operators':[{'inputs':[0],'outputs':[1]}]" \
    rest

/* An operator of two inputs: the second one is given. */
#define TWO(code, first, second, inputs)                                       \
    "{'version':3,'operator_codes':[{'deprecated_builtin_code':" code "}],"    \
    "'buffers':[{}],'subgraphs':[{'tensors':[{'name':'x'," first "},"          \
    "{'name':'y','shape':[1]},{'name':'z'," second "}],'inputs':[0,2],"        \
    "'outputs':[1],'operators':[{'inputs':" inputs ",'outputs':[1]}]}]}"

static const struct {
    const char *rule, *json;
} wrong[] = {
    { "", ONE("", "}]}") },
    { "", TWO("39", "'shape':[1,2]", "'shape':[2],'type':'INT32'", "[0,2]") },
    { "wrong-arity",
      TWO("39", "'shape':[1,2]", "'shape':[2],'type':'INT32'", "[0]") },
    { "wrong-arity",
      TWO("101", "'shape':[1,2]", "'shape':[2],'type':'INT32'", "[0,2]") },
    { "missing-input",
      TWO("39", "'shape':[1,2]", "'shape':[2],'type':'INT32'", "[0,-1]") },
    { "type-not-allowed",
      TWO("39", "'shape':[1,2]", "'shape':[2],'type':'FLOAT32'", "[0,2]") },
    { "type-mismatch", TWO("71", "'shape':[2]", "'shape':[2]", "[0,2]") },
    { "rank-not-allowed",
      TWO("39", "'shape':[1,2]", "'shape':[1,2],'type':'INT32'", "[0,2]") },
    { "rank-not-allowed",
      TWO("3", "'shape':[1,2,2]", "'shape':[1,2,2,2]", "[0,2]") },
    { "wrong-version", "{'version':2,'subgraphs':[{'tensors':[]}]}" },
    { "bad-index", ONE(",{'shape':[1],'buffer':7,'name':'z'}", "}]}") },
    { "wrong-data", ONE(",{'shape':[2],'buffer':1,'name':'z'}", "}]}") },
    { "outside-file",
      "{'version':3,'buffers':[{},{'offset':100000,'size':4}],"
      "'subgraphs':[{'tensors':[]}]}" },
    { "first-buffer",
      "{'version':3,'buffers':[{'data':[1]}],'subgraphs':[{'tensors':[]}]}" },
    { "unknown-type", ONE(",{'shape':[1],'type':99,'name':'z'}", "}]}") },
    { "bad-shape", ONE(",{'shape':[-3],'name':'z'}", "}]}") },
    { "bad-shape",
      ONE(",{'shape':[2147483647,2147483647,2147483647],'name':'z'}", "}]}") },
    { "unsafe-location",
      ONE("", "}],'external_buffer_groups':[{'name':'../x'}]}") },
    { "missing-file", ONE("", "}],'external_buffer_groups':[{'name':'x'}]}") },
    { "shape-mismatch",
      ONE(",{'shape':[1],'shape_signature':[2],'name':'z'}", "}]}") },
    { "wrong-scales",
      ONE(",{'shape':[3],'type':'INT8','name':'z','quantization':"
          "{'scale':[1,2],'zero_point':[0,0]}}",
          "}]}") },
    { "wrong-zero-points",
      ONE(",{'shape':[3],'type':'INT8','name':'z','quantization':"
          "{'scale':[1,2,3],'zero_point':[0,0]}}",
          "}]}") },
    { "wrong-quantized-dimension",
      ONE(",{'shape':[2],'type':'INT8','name':'z','quantization':"
          "{'scale':[1,2],'quantized_dimension':1}}",
          "}]}") },
    { "wrong-block-size",
      ONE(",{'shape':[2],'type':'INT4','name':'z','quantization':"
          "{'details_type':'BlockwiseQuantization','details':{'scales':1}}}",
          "}]}") },
    { "wrong-options",
      "{'version':3,'operator_codes':[{'deprecated_builtin_code':101}],"
      "'buffers':[{}],'subgraphs':[{'tensors':[{'shape':[1],'name':'x'},"
      "{'shape':[1],'name':'y'}],'inputs':[0],'outputs':[1],'operators':["
      "{'inputs':[0],'outputs':[1],'builtin_options_type':'AddOptions',"
      "'builtin_options':{}}]}]}" },
    { "recursion",
      "{'version':3,'operator_codes':[{'deprecated_builtin_code':119,"
      "'builtin_code':119}],'buffers':[{}],'subgraphs':[{'tensors':["
      "{'shape':[1],'name':'x'},{'shape':[1],'name':'y'}],'inputs':[0],"
      "'outputs':[1],'operators':[{'inputs':[0],'outputs':[1],"
      "'builtin_options_type':'WhileOptions','builtin_options':{}}]}]}" },
    { "unknown-builtin",
      "{'version':3,'operator_codes':[{'builtin_code':5000}],"
      "'subgraphs':[{'tensors':[]}]}" },
    { "nameless-custom-op",
      "{'version':3,'operator_codes':[{'deprecated_builtin_code':32}],"
      "'subgraphs':[{'tensors':[]}]}" },
    { "dangling-input",
      ONE(",{'shape':[1],'name':'z'}",
          ",'name':'g'},{'tensors':[{'shape':[1]},{'shape':[1]}],'outputs':[1],"
          "'operators':[{'inputs':[0],'outputs':[1]}]}]}") },
    { "duplicate-name",
      "{'version':3,'operator_codes':[{'deprecated_builtin_code':101}],"
      "'buffers':[{}],'subgraphs':[{'tensors':[{'shape':[1],'name':'x'},"
      "{'shape':[1],'name':'y'}],'inputs':[0],'outputs':[1],'operators':["
      "{'inputs':[0],'outputs':[1]},{'inputs':[0],'outputs':[1]}]}]}" },
};

struct seen {
    const char *rule;
    bool        was_seen;
    int         others;
};

static int see_finding(void *context, const struct tn_finding *finding)
{
    struct seen *seen = context;

    if (strcmp(finding->rule, seen->rule) == 0)
        seen->was_seen = true;
    else if (finding->severity != TN_SEVERITY_NOTE)
        seen->others++;
    assert_true(finding->offset == TN_NOWHERE || finding->offset < (1 << 20));
    return 0;
}

static void check_finds_every_rule(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct seen             seen    = { wrong[i].rule, !wrong[i].rule[0], 0 };
        struct tn_check_summary summary = { 0 };
        struct tn_error         error   = TN_ERROR_INIT;
        make_file(&scratch, "a.tflite", wrong[i].json, NULL, 0);
        if (tn_check(tn_in_scratch(&scratch, "a.tflite"), NULL, NULL, see_finding,
                     &seen, &summary, &error) != TN_OK)
            fail_msg("%s: %s", wrong[i].rule, error.what);
        if (!seen.was_seen || seen.others)
            fail_msg("'%s': %s, %d others", wrong[i].rule,
                     seen.was_seen ? "found" : "not found", seen.others);
    }
    tn_scratch_close(&scratch);
}

/* ---- hostility ------------------------------------------------------------ */

static enum tn_status open_source(struct tn_source *source,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct tn_report report = { 0 };
    struct tn_bundle bundle;
    struct tn_model  model;

    if (tn_bundle_from_source(&bundle, memory, source, "a.tflite", error) !=
        TN_OK)
        return error->status;
    tn_model_init(&model, memory);
    model.format      = tn_format_tflite.name;
    model.wants_graph = true;
    if (tn_format_tflite.open(&bundle, &model, error) == TN_OK &&
        tn_format_tflite.check_bytes(&bundle, &report, error) == TN_OK)
        tn_format_tflite.check(&bundle, &model, &report, error);
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error->status;
}

static enum tn_status open_bytes(struct tn_bytes bytes,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_source source;

    tn_source_memory(&source, memory, bytes);
    source.name = "";
    return open_source(&source, memory, error);
}

/* Padding at the end belongs to no table. */
static size_t whole_size;

static bool is_whole(struct tn_bytes prefix)
{
    return prefix.size + 4 > whole_size;
}

static void models_survive_hostility(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer bytes;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    tfl_make(&bytes, TFL_SAMPLE, &memory, &error);
    assert_int_equal(error.status, TN_OK);
    whole_size = bytes.size;
    tn_refuses_every_prefix(open_bytes, tn_buffer_bytes(&bytes), is_whole);
    tn_survives_every_flip(open_bytes, tn_buffer_bytes(&bytes));
    tn_survives_no_memory(open_bytes, tn_buffer_bytes(&bytes));
    tn_survives_failing_reads(open_source, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_the_schema),
        cmocka_unit_test(graphs_become_tables),
        cmocka_unit_test(values_are_described),
        cmocka_unit_test(data_are_read),
        cmocka_unit_test(check_finds_every_rule),
        cmocka_unit_test(models_survive_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
