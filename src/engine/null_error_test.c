/*
 * null_error_test.c - every public call, failing, by a caller without an error
 *
 * The headers say which calls there are: one that is missing here is a failure.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <glob.h>
#include <stdio.h>

#include <tenon/tenon.h>

#include "support/hostile.h"
#include "support/little_models.h"
#include "support/scratch.h"

#define NOWHERE "/nonexistent/folder/file.onnx"

static struct {
    const char *names[200];
    size_t      count;
} called;

static bool is_called(const char *name)
{
    for (size_t i = 0; i < called.count; i++)
        if (strcmp(called.names[i], name) == 0)
            return true;
    return false;
}

static void note(const char *name)
{
    assert_true(called.count < sizeof called.names / sizeof called.names[0]);
    called.names[called.count++] = name;
}

#define FAILS(name, ...)                                                       \
    do {                                                                       \
        note(#name);                                                           \
        if (name(__VA_ARGS__, NULL) == TN_OK)                                  \
            fail_msg("%s did not fail", #name);                                \
    } while (0)

static const struct tn_target nowhere    = { .path = NOWHERE };
static const struct tn_step   no_field[] = { TN_NAME("no such field") };
static const struct tn_step   graph[]    = { TN_NAME("graph") };

static int hear_string(void *context, uint64_t index, struct tn_bytes text)
{
    (void)context;
    (void)index;
    (void)text;
    return 0;
}

static void hear_text(void *context, struct tn_bytes text)
{
    struct tn_bytes *heard = context;

    assert_true(text.size > 0 && text.size <= heard->size);
    memcpy((void *)(uintptr_t)heard->data, text.data, text.size);
    heard->size = text.size;
}

static int refuse_read(void *context, uint64_t offset, void *to, size_t size)
{
    (void)context;
    (void)offset;
    (void)to;
    (void)size;
    return 5; /* EIO */
}

static void *no_memory(void *context, void *memory, size_t old_size,
                       size_t new_size)
{
    (void)context;
    (void)memory;
    (void)old_size;
    (void)new_size;
    return NULL;
}

/* ---- models and verbs ---------------------------------------------------- */

static struct tn_model *open_model(void)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model   = NULL;

    assert_int_equal(tn_model_open(&model, TN_CORPUS "/onnx/everything.onnx",
                                   &options, NULL),
                     TN_OK);
    return model;
}

static int hear_statistics(void *context, uint64_t index,
                           const struct tn_statistics *statistics)
{
    (void)context;
    (void)index;
    (void)statistics;
    return 0;
}

/* A type that DLPack does not have. */
static void arrays(void)
{
    const uint8_t    one = 1;
    struct tn_edit  *edit;
    struct tn_model *model;
    struct tn_array *array;
    void            *managed;

    assert_int_equal(tn_edit_new(&edit, "safetensors", NULL, NULL), TN_OK);
    assert_int_equal(tn_edit_add_elements(edit, TN_NONE, "x", TN_FLOAT8E5M2, 0,
                                          NULL, tn_bytes(&one, 1), NULL),
                     TN_OK);
    assert_int_equal(tn_edit_commit(edit, &model, NULL), TN_OK);
    assert_int_equal(
        tn_array_open(&array, tn_model_tensor(model, 0), NULL, NULL, NULL),
        TN_OK);
    FAILS(tn_array_dlpack, array, &managed);
    tn_array_close(array);
    tn_model_close(model);
    tn_edit_close(edit);
}

static void models_and_tensors(void)
{
    struct tn_array_options      part = { .slice = "no slice" };
    struct tn_array             *array;
    const struct tn_tensor_list *tensors;
    const struct tn_op_list     *ops;
    const struct tn_metadata_list *metadata;
    struct tn_allocator     none = { no_memory, NULL };
    struct tn_temporaries  *list;
    struct tn_model        *model  = open_model(), *other;
    const struct tn_tensor *tensor = tn_model_tensor(model, 0);
    struct tn_options       little = { .max_expand = 1 };
    struct tn_options       starved = { .allocator = &none };
    struct tn_get_options   get = { .form = TN_GET_RAW, .slice = "no slice" };
    struct tn_attr         *attr;
    uint8_t                 digest[TN_HASH_SIZE], digests[64][TN_HASH_SIZE];

    FAILS(tn_temporaries_new, &list, &none);
    FAILS(tn_model_open, &other, NOWHERE, NULL);
    assert_null(other);
    FAILS(tn_scan, NOWHERE, NULL, NULL, NULL, NULL);
    FAILS(tn_catalog, &(const char *){ NOWHERE }, 1, NULL, &nowhere, NULL, NULL);
    FAILS(tn_model_open_source, &other, "name", 100, refuse_read, NULL, NULL);
    FAILS(tn_tensor_read, tensor, 1, digest, 1);
    FAILS(tn_tensor_level, tensor, 0, NULL, 0, &(uint64_t){ 0 });
    FAILS(tn_tensor_strings, tensor, 0, 1, hear_string, NULL);
    FAILS(tn_get, tensor, &get, &nowhere, NULL);
    FAILS(tn_array_open, &array, tensor, &part, NULL);
    FAILS(tn_tensor_list_open, &tensors, model, &starved);
    FAILS(tn_op_list_open, &ops, model, &starved);
    FAILS(tn_metadata_list_open, &metadata, model, &starved);
    FAILS(tn_attr_open, &attr, model, TN_NONE, 0);
    FAILS(tn_attr_find, &attr, model, TN_NONE, "name");
    assert_true(tn_model_tensor_count(model) <= 64);
    FAILS(tn_model_hash, model, &little, digests);
    FAILS(tn_model_hash_decoded, model, &little, digests);
    FAILS(tn_statistics_compute, model, &tensor, 1, &little, hear_statistics,
          NULL);
    tn_model_close(model);
    assert_int_equal(tn_model_open(&model,
                                   TN_CORPUS "/onnx/tensor-minus-one.onnx",
                                   NULL, NULL),
                     TN_OK);
    FAILS(tn_tensor_hash, tn_model_tensor(model, 0), digest);
    FAILS(tn_tensor_hash_decoded, tn_model_tensor(model, 0), digest);
    struct tn_diff        *diff = NULL;
    struct tn_diff_options how  = { .tolerance = -1 };
    FAILS(tn_diff_open, &diff, model, model, &how, NULL);
    tn_model_close(model);
    model         = open_model();
    how.tolerance = 0;
    assert_int_equal(tn_diff_open(&diff, model, model, &how, NULL, NULL),
                     TN_OK);
    FAILS(tn_diff_write_patch, diff, &nowhere, NULL, NULL);
    FAILS(tn_diff_write_view, diff, &nowhere, NULL, NULL);
    tn_diff_close(diff);
    tn_model_close(model);
}

static void verbs(void)
{
    struct tn_model          *model   = open_model();
    struct tn_dump_options    dump    = { 0 };
    struct tn_convert_options convert = { .to = "no such format" };

    FAILS(tn_check, NOWHERE, NULL, NULL, NULL, NULL, NULL);
    FAILS(tn_text_read, NOWHERE, NULL, hear_text, NULL);
    FAILS(tn_dump, NOWHERE, NULL, &dump, &nowhere, NULL, NULL);
    FAILS(tn_undump, NOWHERE, NULL, &dump, &nowhere);
    FAILS(tn_convert, model, &convert, &nowhere, NULL, NULL);
    FAILS(tn_plan, model, &convert, NOWHERE, NULL, NULL, NULL);
    FAILS(tn_split, NOWHERE, NULL, NULL, &nowhere, NULL);
    FAILS(tn_merge_file, NOWHERE, NULL, NULL, &nowhere, NULL);
    FAILS(tn_strip, NOWHERE, NULL,
          (&(struct tn_strip_options){ .callstack = true }), &nowhere, NULL);
    FAILS(tn_view, model, NULL, &nowhere, NULL, NULL);
    FAILS(tn_folder_models, NOWHERE, NULL, NULL, NULL);
    FAILS(tn_tag_list, NOWHERE, NULL, true, NULL, NULL);
    FAILS(tn_tag_diff, NOWHERE, "a", "b", NULL, NULL, NULL);
    FAILS(tn_tag_add, NOWHERE, "tag", model, NULL, NULL, NULL);
    FAILS(tn_tag_remove, NOWHERE, "tag", NULL, NULL, NULL);
    FAILS(tn_tag_compact, NOWHERE, NULL, NULL, NULL);
    FAILS(tn_tag_repair, NOWHERE, NULL, NULL, NULL, (&(bool){ false }));
    tn_model_close(model);
}

/* ---- edits ----------------------------------------------------------------
 */

/* The least memory in which an edit opens is too little to commit it. */
static void commit_without_memory(const struct tn_model *model)
{
    struct tn_options options = { .max_memory = 0 };
    struct tn_edit   *edit    = NULL;
    struct tn_model  *made;

    while (!edit) {
        options.max_memory += 512;
        (void)tn_edit_open(&edit, model, &options, NULL);
    }
    FAILS(tn_edit_commit, edit, &made);
    tn_edit_close(edit);
}

static void edits(void)
{
    struct tn_model        *model = open_model();
    struct tn_edit         *edit, *other;
    struct tn_op_spec       spec   = { 0 };
    struct tn_attr_value    value  = { 0 };
    struct tn_io            io     = { 0 };
    const struct tn_tensor *tensor = tn_model_tensor(model, 0);
    uint32_t                number;
    uint64_t                dim = 3;

    assert_int_equal(tn_edit_open(&edit, model, NULL, NULL), TN_OK);
    FAILS(tn_edit_new, &other, "no such format", NULL);
    FAILS(tn_edit_open, &other, model,
          (&(struct tn_options){ .max_memory = 1 }));
    FAILS(tn_edit_add_op, edit, TN_NONE, TN_NONE, &spec, &number);
    FAILS(tn_edit_replace_op, edit, TN_NONE, &spec);
    FAILS(tn_edit_remove_op, edit, TN_NONE);
    FAILS(tn_edit_set_input, edit, TN_NONE, 0, "x");
    FAILS(tn_edit_set_attr, edit, TN_NONE, "a", &value);
    FAILS(tn_edit_remove_attr, edit, TN_NONE, "a");
    FAILS(tn_edit_add_tensor, edit, TN_NONE, "t", tensor);
    FAILS(tn_edit_add_elements, edit, 0, "t", TN_FLOAT32, 1, &dim,
          ((struct tn_bytes){ NULL, 0 }));
    FAILS(tn_edit_add_borrowed, edit, 0, "t", TN_FLOAT32, 1, &dim,
          ((struct tn_bytes){ NULL, 0 }));
    FAILS(tn_edit_add_source, edit, 0, "t", TN_STRING, 1, &dim, refuse_read,
          NULL);
    FAILS(tn_edit_replace_tensor, edit, 0, "no such tensor", tensor);
    FAILS(tn_edit_replace_elements, edit, 0, "no such tensor", TN_FLOAT32, 1,
          &dim, tn_bytes(&dim, 4));
    FAILS(tn_edit_set_variable, edit, 0, "no such tensor", TN_VARIABLE_TRAINED);
    FAILS(tn_edit_set_training, edit, "no JSON");
    FAILS(tn_edit_set_losses, edit, NULL, 0);
    FAILS(tn_edit_set_state, edit, "no such tensor", "M", tensor);
    FAILS(tn_edit_set_state_elements, edit, "no such tensor", "M",
          tn_bytes(&dim, 4));
    FAILS(tn_edit_remove_states, edit, NULL);
    FAILS(tn_edit_set_levels, edit, 0, "no such tensor", 0, NULL, NULL);
    FAILS(tn_edit_remove_tensor, edit, 0, "no such tensor");
    FAILS(tn_edit_add_input, edit, TN_NONE, &io);
    FAILS(tn_edit_add_output, edit, TN_NONE, &io);
    (void)tn_edit_add_function(edit, "f", "d", NULL, 0, NULL, 0, &number, NULL);
    FAILS(tn_edit_add_function, edit, "f", "d", NULL, 0, NULL, 0, &number);
    FAILS(tn_edit_type_io, edit, TN_NONE, "x", TN_FLOAT32);
    FAILS(tn_edit_copy_function, edit, model, TN_NONE, "f", &number);
    FAILS(tn_edit_remove_function, edit, TN_NONE);
    FAILS(tn_edit_act, edit, "no such action", NULL);
    FAILS(tn_edit_run, edit, (struct tn_bytes){ (const uint8_t *)"x y", 3 });
    FAILS(tn_edit_set_metadata, edit, "\xff", "x");
    FAILS(tn_edit_set_signature, edit, &(struct tn_signature){ 0 });
    FAILS(tn_edit_remove_signature, edit, "no such signature");
    FAILS(tn_edit_run_file, edit, NOWHERE);
    FAILS(tn_edit_run_patch, edit, NOWHERE);
    FAILS(tn_edit_rename_op, edit, TN_NONE, "x");
    FAILS(tn_edit_rename, edit, 0, "no such value", "x");
    FAILS(tn_apply, NOWHERE, NULL, NULL, &nowhere, NULL);
    FAILS(tn_edit_write, model, NULL, &nowhere, NULL, &(struct tn_convert_summary){ 0 });
    tn_edit_close(edit);
    commit_without_memory(model);
    tn_model_close(model);
}

/* ---- chunks ---------------------------------------------------------------
 */

static void split_message(struct tn_message *message)
{
    struct tn_splitter    *splitter, *child, *other;
    struct tn_split_format format = { .version = 99 };
    uint64_t               number;
    char                   byte;
    struct tn_bytes        bytes;
    bool                   is_chunked;

    assert_int_equal(tn_splitter_open(&splitter, message, NULL), TN_OK);
    FAILS(tn_splitter_child, &child, splitter, no_field, 1);
    FAILS(tn_splitter_add_chunk, splitter, TN_CHUNK_BYTES,
          ((struct tn_bytes){ NULL, 0 }), no_field, 1, TN_AT_END);
    FAILS(tn_splitter_take, splitter, no_field, 1, TN_AT_END);
    FAILS(tn_splitter_hollow, splitter, no_field, 1, TN_AT_END);
    FAILS(tn_splitter_slice, splitter, no_field, 1, 0, 1, TN_AT_END);
    FAILS(tn_splitter_clear, splitter, no_field, 1);
    FAILS(tn_splitter_count, splitter, no_field, 1, &number);
    FAILS(tn_splitter_size, splitter, no_field, 1, &number);
    FAILS(tn_splitter_format, splitter, &format);
    FAILS(tn_splitter_tags, splitter, no_field, 1, &bytes);
    FAILS(tn_splitter_scalars, splitter, (enum tn_scalar_form)99);
    FAILS(tn_splitter_version, splitter,
          &(struct tn_split_version){ -1, 0, NULL, 0 });
    FAILS(tn_splitter_adopt, splitter, NULL, NULL, 0,
          ((struct tn_bytes){ (const uint8_t *)"\xff", 1 }));
    FAILS(tn_splitter_graph_def, &other, message, NULL);
    FAILS(tn_splitter_saved_model, &other, message, NULL);
    FAILS(tn_splitter_model_proto, &other, message,
          &(struct tn_split_rule){ TN_SPLIT_CPP, 1 });
    FAILS(tn_splitter_graph_def_child, &other, splitter, graph, 1, NULL);
    FAILS(tn_splitter_saved_model_child, &other, splitter, graph, 1, NULL);
    FAILS(tn_splitter_model_proto_child, &other, splitter, graph, 1, NULL);
    FAILS(tn_splitter_chunk_read, splitter, 99, 0, &byte, 1);
    FAILS(tn_splitter_write, splitter, &nowhere, NULL, NULL);
    FAILS(tn_splitter_write_memory, splitter, "no such codec", &bytes,
          &is_chunked);
    tn_splitter_close(splitter);
    assert_int_equal(tn_splitter_open(&splitter, message, NULL), TN_OK);
    assert_int_equal(tn_splitter_child(&child, splitter, graph, 1, NULL),
                     TN_OK);
    FAILS(tn_splitter_split, child); /* that is for its parent */
    assert_int_equal(tn_splitter_split(splitter, NULL), TN_OK);
    FAILS(tn_splitter_keep_base, splitter); /* it is split */
    FAILS(tn_splitter_by_size, splitter, 100);
    tn_splitter_close(splitter);
}

static void chunks(void)
{
    struct tn_schema      *schema, *none;
    struct tn_message     *message, *other;
    struct tn_merger      *merger;
    struct tn_splitter    *splitter;
    struct tn_bytes        junk = { (const uint8_t *)"\xff\xff\xff", 3 };
    struct tn_message_part part;
    char                   byte;

    FAILS(tn_schema_open, &none, junk, NULL);
    FAILS(tn_schema_builtin, &none, "no such schema", NULL);
    assert_int_equal(tn_schema_builtin(&schema, "onnx", NULL, NULL), TN_OK);
    FAILS(tn_message_open, &other, schema, "onnx.ModelProto", NOWHERE, NULL);
    FAILS(tn_message_bytes, &other, schema, "no such type", junk, NULL);
    assert_int_equal(tn_message_open(&message, schema, "onnx.ModelProto",
                                     TN_CORPUS "/onnx/everything.onnx", NULL,
                                     NULL),
                     TN_OK);
    FAILS(tn_message_read, message, UINT64_MAX, &byte, 1);
    FAILS(tn_message_write, message, &nowhere);
    split_message(message);
    assert_int_equal(
        tn_message_bytes(&other, schema, "onnx.ModelProto", junk, NULL, NULL),
        TN_OK);
    FAILS(tn_splitter_open, &splitter, other);
    assert_null(splitter);
    tn_message_close(other);
    FAILS(tn_merge, &other, schema, "onnx.ModelProto", &junk, 1, junk, NULL);
    FAILS(tn_merge_read, &other, schema, "onnx.ModelProto", NOWHERE, NULL, 0,
          NULL);
    FAILS(tn_merge_bytes, &other, schema, "no such type", junk, NULL);
    FAILS(tn_merger_open, &merger, schema, "onnx.ModelProto", NOWHERE, NULL);
    FAILS(tn_merger_open_bytes, &merger, schema, "no such type", junk, NULL);
    FAILS(tn_merger_open_chunks, &merger, schema, "onnx.ModelProto", &junk, 1,
          junk, NULL);
    FAILS(tn_message_part, message, 1, 0, 1, &part);
    assert_int_equal(tn_merger_open(&merger, schema, "onnx.TensorProto",
                                    TN_CORPUS "/onnx/input_0", NULL, NULL),
                     TN_OK);
    FAILS(tn_merger_get, &other, merger, no_field, 1);
    FAILS(tn_merger_merge, &other, merger, &(struct tn_path){ no_field, 1 }, 1);
    tn_merger_close(merger);
    tn_message_close(message);
    tn_schema_close(schema);
}

/* ---- rules ----------------------------------------------------------------
 */

static enum tn_status emit_nonsense(void *context, struct tn_rule_call *call,
                                    struct tn_error *error)
{
    struct tn_arg arg = { .type = (enum tn_arg_type)99 };

    (void)context;
    (void)error;
    FAILS(tn_call_emit, call, &arg);
    return TN_OK;
}

static void interpreter_calls(const char *const *files)
{
    /* op: "LeakyRelu", attr { key: "slope" value { i: 25 } } */
    static const char node[] = "\x0a\x01n\x12\x09LeakyRelu\x1a\x01x"
                               "\x2a\x0b\x0a\x05slope\x12\x02\x18\x19";
    const struct tn_custom_function     function = { "percent", emit_nonsense,
                                                     NULL };
    const struct tn_interpreter_options how      = { .files          = files,
                                                     .file_count     = 2,
                                                     .functions      = &function,
                                                     .function_count = 1 };
    const struct tn_interpreter_options broken   = {
          .files = &(const char *){ NOWHERE }, .file_count = 1
    };
    const struct tn_interpret_context around = { 0 };
    struct tn_interpreter            *i, *other;
    struct tn_op_descriptor          *op = NULL;
    struct tn_bytes  junk  = { (const uint8_t *)"\xff\xff\xff", 3 };
    struct tn_model *model = open_model();
    size_t           size;

    FAILS(tn_interpreter_open, &other, &broken, NULL);
    FAILS(tn_interpreter_extract, &other, &(const char *){ NOWHERE }, 1, NULL);
    assert_int_equal(tn_interpreter_open(&i, &how, NULL, NULL), TN_OK);
    FAILS(tn_interpret_tensorflow, &op, i, junk, &around);
    FAILS(tn_interpret_onnx, &op, i, junk, &around);
    FAILS(tn_interpret_paddle, &op, i, junk, &around);
    FAILS(tn_interpret_node, &op, i, junk, &around);
    note("tn_interpret_model"); /* it may well succeed */
    (void)tn_interpret_model(&op, i, model, NULL);
    tn_op_descriptor_close(op);
    tn_model_close(model);
    FAILS(tn_interpreter_explain, i, TN_NONE, NULL, NULL);
    FAILS(tn_interpreter_export, i, TN_EXPORT_OPS, TN_DUMP_TEXT, &nowhere);
    (void)tn_interpret_tensorflow(
        &op, i, (struct tn_bytes){ (const uint8_t *)node, sizeof node - 1 },
        &around, NULL);
    tn_op_descriptor_close(op);
    FAILS(tn_op_descriptor_encode, tn_interpreter_op(i, 0),
          (enum tn_descriptor_form)9, false, NULL, 0, &size);
    FAILS(tn_op_descriptor_write, tn_interpreter_op(i, 0), TN_DESCRIPTOR_TEXT,
          false, &nowhere);
    tn_interpreter_close(i);
}

static enum tn_status make_nonsense(void *context, struct tn_native_call *call,
                                    struct tn_error *error)
{
    const struct tn_native_node node = { .op = "no such op" };
    const struct tn_attr_value  none = { 0 };
    uint32_t                    value;
    uint64_t                    dim = 7;

    (void)context;
    (void)error;
    if (!is_called("tn_native_make")) {
        FAILS(tn_native_bind, call, 99, 99);
        FAILS(tn_native_constant, call, TN_FLOAT32, &none, &dim, 1, &value);
        FAILS(tn_native_make, call, &node, &value, 1);
    }
    tn_native_refuse(call, "that is all");
    return TN_OK;
}

static void native_calls(const char *rules)
{
    const struct tn_native      function    = { "horner", make_nonsense, NULL };
    const struct tn_map_options map         = { .rules          = &rules,
                                                .rule_count     = 1,
                                                .functions      = &function,
                                                .function_count = 1 };
    const struct tn_convert_options how     = { .map = &map, .to = "samediff" };
    struct tn_options               options = { .wants_graph = true };
    struct tn_model                *model;

    assert_int_equal(
        tn_model_open(&model, TN_CORPUS "/onnx/if.onnx", &options, NULL),
        TN_OK);
    (void)tn_plan(model, &how, "x.fb", &options, NULL, NULL, NULL);
    tn_model_close(model);
}

static void hear_finding(void *context, const struct tn_rule_finding *finding)
{
    (void)context;
    (void)finding;
}

static void hear_example(void *context, const struct tn_rule_example *example)
{
    (void)context;
    (void)example;
}

static void rulebook_calls(const char *rules)
{
    struct tn_rulebook     *book, *other;
    struct tn_rule_examples sum;

    FAILS(tn_rulebook_open, &other, &(const char *){ NOWHERE }, 1, NULL);
    assert_int_equal(tn_rulebook_open(&book, &rules, 1, NULL, NULL), TN_OK);
    FAILS(tn_rulebook_explain, book, TN_NONE, NULL, NULL);
    FAILS(tn_rulebook_makes, book, TN_NONE, NULL, NULL);
    note("tn_rulebook_check");
    (void)tn_rulebook_check(book, hear_finding, NULL, NULL);
    note("tn_rulebook_test");
    (void)tn_rulebook_test(book, &sum, hear_example, NULL, NULL);
    tn_rulebook_close(book);
}

static void rules(void)
{
    struct tn_scratch scratch  = tn_scratch_open();
    char             *files[3] = { tn_scratch_path(&scratch, "ops.pbtxt"),
                                   tn_scratch_path(&scratch, "rules.pbtxt"),
                                   tn_scratch_path(&scratch, "my.rules") };

    tn_scratch_write(
        &scratch, "ops.pbtxt",
        "opList { name: \"lrelu\" argDescriptor { name: \"input\" "
        "argType: INPUT_TENSOR argIndex: 0 } argDescriptor { name: "
        "\"alpha\" argType: DOUBLE argIndex: 0 } argDescriptor { "
        "name: \"output\" argType: OUTPUT_TENSOR argIndex: 0 } "
        "opDeclarationType: OP_IMPL }");
    tn_scratch_write(
        &scratch, "rules.pbtxt",
        "mappings { frameworkName: \"tensorflow\" opName: \"lrelu\" "
        "inputFrameworkOpName: \"LeakyRelu\" rule { ruleName: "
        "\"percent\" inputToOutput { key: \"alpha\" value: "
        "\"slope\" } } }");
    tn_scratch_write(&scratch, "my.rules",
                     "rules onnx -> nd4j 1\n"
                     "Identity(X) => native horner\n"
                     "Add(X, Y) => native horner\n"
                     "Relu(X) => native horner\n");
    interpreter_calls((const char *const *)files);
    native_calls(files[2]);
    rulebook_calls(files[2]);
    for (int i = 0; i < 3; i++)
        free(files[i]);
    tn_scratch_close(&scratch);
}

/* ---- the headers ----------------------------------------------------------
 */

/* The name before the first parenthesis. */
static void check_declaration(const char *from, const char *to)
{
    const char *end = memchr(from, '(', (size_t)(to - from));
    char        name[100];

    if (!end || !memmem(from, (size_t)(to - from), "struct tn_error", 15))
        return;
    const char *begin = end;
    while (begin > from &&
           (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
    if (!is_called(name))
        fail_msg("nobody calls %s without an error", name);
}

static size_t check_header(const char *path)
{
    struct tn_bytes bytes = tn_load_file(path);
    char           *text  = strndup((const char *)bytes.data, bytes.size);
    size_t          count = 0;

    for (char *at = text; (at = strstr(at, "TN_API ")) != NULL; count++) {
        char *end = strchr(at, ';');
        assert_non_null(end);
        check_declaration(at, end);
        at = end;
    }
    free(text);
    free((void *)(uintptr_t)bytes.data);
    return count;
}

static void every_call_may_have_no_error(void **state)
{
    glob_t found;
    size_t count = 0;

    (void)state;
    models_and_tensors();
    arrays();
    verbs();
    edits();
    chunks();
    rules();
    assert_int_equal(
        glob(TN_CORPUS "/../../include/tenon/*.h", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        count += check_header(found.gl_pathv[i]);
    globfree(&found);
    assert_true(count > 150);
}

/* The least that each verb can be called with: paths and models. */
static void options_and_results_may_be_left_out(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char             *text    = strdup(tn_in_scratch(&scratch, "m.textproto"));
    char             *folder  = strdup(tn_in_scratch(&scratch, "."));
    char             *path    = strdup(tn_in_scratch(&scratch, "m.onnx"));
    const char       *paths[] = { path, folder };
    struct tn_options with_graph = { .wants_graph = true };
    struct tn_model  *model;
    struct tn_diff   *diff;
    struct tn_array  *array;
    struct tn_interpreter *interpreter;
    struct tn_rulebook    *book;

    (void)state;
#define TO(name)    (&(struct tn_target){ .path = tn_in_scratch(&scratch, name) })
#define WORKS(call) assert_int_equal(call, TN_OK)
    tn_make_model(&scratch, "m.onnx", little_onnx);
    WORKS(tn_model_open(&model, path, &with_graph, NULL));
    WORKS(tn_check(path, NULL, NULL, NULL, NULL, NULL, NULL));
    WORKS(tn_scan(path, NULL, NULL, NULL, NULL, NULL));
    WORKS(tn_get(tn_model_tensor(model, 0), NULL, TO("w.npy"), NULL, NULL));
    WORKS(tn_array_open(&array, tn_model_tensor(model, 0), NULL, NULL, NULL));
    tn_array_close(array);
    WORKS(tn_dump(path, NULL, NULL, TO("m.textproto"), NULL, NULL, NULL));
    char            copy[1 << 16];
    struct tn_bytes heard = { (const uint8_t *)copy, sizeof copy };
    WORKS(tn_text_read(text, NULL, hear_text, &heard, NULL));
    assert_non_null(memmem(heard.data, heard.size, "ir_version", 10));
    WORKS(tn_undump(text, NULL, NULL, TO("u.onnx"), NULL));
    WORKS(tn_convert(model, NULL, TO("c.onnx"), NULL, NULL, NULL));
    WORKS(tn_folder_models(paths[1], NULL, NULL, NULL, NULL));
    WORKS(tn_statistics_compute(
        model, (const struct tn_tensor *[]){ tn_model_tensor(model, 0) }, 1,
        NULL, NULL, NULL, NULL));
    WORKS(tn_plan(model, NULL, NULL, NULL, NULL, NULL, NULL));
    WORKS(tn_split(path, NULL, NULL, TO("parts"), NULL, NULL));
    WORKS(tn_merge_file(tn_in_scratch(&scratch, "parts"), NULL, NULL,
                        TO("whole.onnx"), NULL, NULL));
    WORKS(tn_view(model, NULL, TO("v.html"), NULL, NULL, NULL));
    WORKS(tn_diff_open(&diff, model, model, NULL, NULL, NULL));
    WORKS(tn_diff_write_patch(diff, TO("p.patch"), NULL, NULL, NULL));
    WORKS(tn_diff_write_view(diff, TO("d.html"), NULL, NULL, NULL));
    tn_diff_close(diff);
    WORKS(tn_apply(path, NULL, NULL, TO("a.onnx"), NULL, NULL));
    WORKS(tn_catalog(paths, 1, NULL, TO("c.ndjson"), NULL, NULL, NULL));
    WORKS(tn_tag_add(tn_in_scratch(&scratch, "t.sdz"), "v1", model, NULL, NULL,
                     NULL, NULL));
    WORKS(tn_tag_list(tn_in_scratch(&scratch, "t.sdz"), NULL, true, NULL, NULL,
                      NULL));
    WORKS(tn_tag_diff(tn_in_scratch(&scratch, "t.sdz"), "v1", "v1", NULL, NULL,
                      NULL, NULL));
    WORKS(tn_interpreter_open(&interpreter, NULL, NULL, NULL));
    tn_interpreter_close(interpreter);
    WORKS(tn_rulebook_open(&book, NULL, 0, NULL, NULL));
    assert_int_equal(tn_rulebook_check(book, NULL, NULL, NULL), 0);
    WORKS(tn_rulebook_test(book, NULL, NULL, NULL, NULL));
    tn_rulebook_close(book);
    /* Nothing is removed unless it is named. */
    assert_int_equal(tn_strip(path, NULL, NULL, TO("s.onnx"), NULL, NULL),
                     TN_INVALID);
    free(text);
    free(path);
    free(folder);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* An argument of main() that was not given. */
static void a_path_that_is_null_is_invalid(void **state)
{
    static const struct tn_target none;
    struct tn_scratch             scratch = tn_scratch_open();
    struct tn_target to    = { .path = tn_in_scratch(&scratch, "out.onnx") };
    const char      *in    = TN_CORPUS "/onnx/everything.onnx";
    struct tn_model *model = open_model(), *other;
    struct tn_diff  *diff;
    struct tn_error  error            = TN_ERROR_INIT;
    const struct tn_strip_options all = { .callstack = true };

    (void)state;
#define INVALID(call) assert_int_equal(call, TN_INVALID)
    INVALID(tn_model_open(&other, NULL, NULL, &error));
    assert_non_null(strstr(error.what, "NULL"));
    INVALID(tn_check(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    INVALID(tn_scan(NULL, NULL, NULL, NULL, NULL, NULL));
    INVALID(tn_folder_models(NULL, NULL, NULL, NULL, NULL));
    INVALID(tn_dump(NULL, NULL, NULL, &to, NULL, NULL, NULL));
    INVALID(tn_dump(in, NULL, NULL, &none, NULL, NULL, NULL));
    INVALID(tn_text_read(NULL, NULL, hear_text, NULL, NULL));
    INVALID(tn_undump(NULL, NULL, NULL, &to, NULL));
    INVALID(tn_undump(in, NULL, NULL, NULL, NULL));
    INVALID(tn_split(NULL, NULL, NULL, &to, NULL, NULL));
    INVALID(tn_split(in, NULL, NULL, &none, NULL, NULL));
    INVALID(tn_merge_file(NULL, NULL, NULL, &to, NULL, NULL));
    INVALID(tn_merge_file(in, NULL, NULL, NULL, NULL, NULL));
    INVALID(tn_strip(NULL, NULL, &all, &to, NULL, NULL));
    INVALID(tn_strip(in, NULL, &all, &none, NULL, NULL));
    INVALID(tn_convert(model, NULL, NULL, NULL, NULL, NULL));
    INVALID(tn_edit_write(model, NULL, &none, NULL, NULL, NULL));
    INVALID(tn_get(tn_model_tensor(model, 0), NULL, &none, NULL, NULL));
    INVALID(tn_view(model, NULL, &none, NULL, NULL, NULL));
    INVALID(tn_catalog(&in, 1, NULL, NULL, NULL, NULL, NULL));
    INVALID(
        tn_catalog(&(const char *){ NULL }, 1, NULL, &to, NULL, NULL, NULL));
    INVALID(tn_catalog(NULL, 1, NULL, &to, NULL, NULL, NULL));
    INVALID(tn_apply(NULL, NULL, NULL, &to, NULL, NULL));
    INVALID(tn_apply(in, NULL, NULL, NULL, NULL, NULL));
    INVALID(tn_tag_list(NULL, NULL, false, NULL, NULL, NULL));
    INVALID(tn_tag_add(NULL, "tag", model, NULL, NULL, NULL, NULL));
    INVALID(tn_tag_remove(NULL, "tag", NULL, NULL, NULL, NULL));
    INVALID(tn_tag_compact(NULL, NULL, NULL, NULL, NULL));
    INVALID(tn_tag_repair(NULL, NULL, NULL, NULL, NULL, NULL));
    assert_int_equal(tn_diff_open(&diff, model, model, NULL, NULL, NULL),
                     TN_OK);
    INVALID(tn_diff_write_patch(diff, &none, NULL, NULL, NULL));
    INVALID(tn_diff_write_view(diff, NULL, NULL, NULL, NULL));
    assert_null(tn_model_find(model, NULL));
    tn_diff_close(diff);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_have_no_error),
        cmocka_unit_test(options_and_results_may_be_left_out),
        cmocka_unit_test(a_path_that_is_null_is_invalid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
