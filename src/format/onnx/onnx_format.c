/*
 * onnx_format.c - recognizes ONNX files, and defines their formats
 *
 *   08 nn ... 3a ...   a ModelProto: ir_version = 1 (varint), graph = 7,
 *                      opset_import = 8; a SavedModel has 1 and 2 alone
 *   08 dd 10 tt ...    a TensorProto, as test data sets have them:
 *                      dims = 1, data_type = 2 (varint)
 *
 * There is no magic number.  The set of top-level fields decides, never the
 * name of the file.
 */
#include "format/format.h"
#include "format/onnx/onnx_write.h"
#include "format/onnx/onnx.h"
#include "format/settings.h"
#include "ir/changes.h"

/* ---- looking ------------------------------------------------------------ */

/* Walks the fields of a message of which only the head may be at hand.  The
 * callback says whether the message could be its own. */
typedef bool tn_field_test(void *context, const struct tn_pb_field *field,
                           bool is_whole);

static bool walk_head(struct tn_bytes head, bool is_cut, tn_field_test *test,
                      void *context)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(head, 0, &error);

    while (tn_more(&c)) {
        struct tn_cursor   here = c;
        struct tn_pb_field field;
        if (tn_pb_next(&c, &field)) {
            if (!test(context, &field, true))
                return false;
            continue;
        }
        if (!is_cut || error.status != TN_TRUNCATED)
            return false;
        /* The last one is longer than the head: look at its tag and its
         * beginning. */
        error        = (struct tn_error)TN_ERROR_INIT;
        uint64_t tag = tn_varint(&here);
        field.number = (uint32_t)(tag >> 3);
        field.type   = (enum tn_wire_type)(tag & 7);
        if (field.type == TN_WIRE_LEN)
            tn_varint(&here);
        field.body = here;
        return tn_failed(&error) || test(context, &field, false);
    }
    return true;
}

static bool test_graph_field(void *context, const struct tn_pb_field *field,
                             bool is_whole)
{
    (void)context;
    (void)is_whole;
    switch (field->number) {
    case GRAPH_NODE:
    case GRAPH_NAME:
    case GRAPH_INITIALIZER:
    case 10: /* doc_string */
    case GRAPH_INPUT:
    case GRAPH_OUTPUT:
    case GRAPH_VALUE_INFO:
    case GRAPH_QUANTIZATION:
    case GRAPH_SPARSE_INITIALIZER:
    case GRAPH_METADATA: return field->type == TN_WIRE_LEN;
    default: return field->number > GRAPH_METADATA;
    }
}

struct model_signs {
    bool has_ir_version, has_graph, has_import;
};

static bool test_model_field(void *context, const struct tn_pb_field *field,
                             bool is_whole)
{
    struct model_signs *signs = context;
    struct tn_bytes     body  = tn_bytes(
             field->body.at, field->type == TN_WIRE_LEN
                                 ? (size_t)(field->body.end - field->body.at)
                                 : 0);

    switch (field->number) {
    case MODEL_IR_VERSION:
        signs->has_ir_version = true;
        return field->type == TN_WIRE_VARINT && field->value < 1000;
    case MODEL_VERSION: return field->type == TN_WIRE_VARINT;
    case MODEL_PRODUCER_NAME:
    case MODEL_PRODUCER_VERSION: /* short texts, never the end of the head */
        return field->type == TN_WIRE_LEN && is_whole;
    case MODEL_GRAPH:
        signs->has_graph = true;
        return field->type == TN_WIRE_LEN &&
               walk_head(body, !is_whole, test_graph_field, NULL);
    case MODEL_OPSET_IMPORT:
        signs->has_import = true;
        return field->type == TN_WIRE_LEN;
    default: return field->type == TN_WIRE_LEN || field->number > 26;
    }
}

static bool is_onnx_name(const char *name)
{
    size_t size = strlen(name);

    return size > 5 && !strcmp(name + size - 5, ".onnx");
}

static int onnx_probe(const struct tn_probe *probe)
{
    struct model_signs signs  = { false, false, false };
    bool               is_cut = probe->size > probe->head.size;

    if (probe->entries || probe->size == 0 ||
        !walk_head(probe->head, is_cut, test_model_field, &signs))
        return 0;
    if (signs.has_graph)
        return 16 + 12 * signs.has_ir_version + 12 * signs.has_import;
    /* The graph is after something long, or was cut off. */
    if (signs.has_ir_version && signs.has_import)
        return 20;
    return signs.has_ir_version && is_onnx_name(probe->name) ? 8 : 0;
}

struct tensor_signs {
    bool has_type, has_data, has_no_elements;
};

static bool test_dims(struct tensor_signs      *signs,
                      const struct tn_pb_field *field)
{
    if (field->type == TN_WIRE_VARINT && field->value == 0)
        signs->has_no_elements = true;
    return field->type == TN_WIRE_VARINT || field->type == TN_WIRE_LEN;
}

static bool test_tensor_field(void *context, const struct tn_pb_field *field,
                              bool is_whole)
{
    struct tensor_signs *signs = context;

    (void)is_whole;
    switch (field->number) {
    case TENSOR_DIMS: return test_dims(signs, field);
    case TENSOR_DATA_TYPE:
        signs->has_type = true;
        return field->type == TN_WIRE_VARINT && tn_onnx_type(field->value);
    case TENSOR_FLOAT_DATA:
    case TENSOR_INT32_DATA:
    case TENSOR_INT64_DATA:
    case TENSOR_DOUBLE_DATA:
    case TENSOR_UINT64_DATA:
        signs->has_data = true;
        return field->type != TN_WIRE_GROUP_BEGIN;
    case TENSOR_STRING_DATA:
    case TENSOR_RAW_DATA:
    case TENSOR_EXTERNAL_DATA:
        signs->has_data = true;
        return field->type == TN_WIRE_LEN;
    case TENSOR_DATA_LOCATION: return field->type == TN_WIRE_VARINT;
    case TENSOR_NAME:
    case 12: /* doc_string */
    case 16: /* metadata_props */ return field->type == TN_WIRE_LEN;
    default: return false; /* segments are not met, sequences begin alike */
    }
}

static int tensor_probe(const struct tn_probe *probe)
{
    struct tensor_signs signs  = { false, false, false };
    bool                is_cut = probe->size > probe->head.size;

    if (probe->entries || probe->size == 0 ||
        !walk_head(probe->head, is_cut, test_tensor_field, &signs) ||
        !signs.has_type)
        return 0;
    return signs.has_data || signs.has_no_elements ? 14 : 0;
}

/* ---- a tensor on its own ------------------------------------------------ */

static enum tn_status tensor_open(struct tn_bundle *bundle,
                                  struct tn_model  *model,
                                  struct tn_error  *error)
{
    struct tn_onnx_tensor   tensor;
    struct tn_onnx_external external;

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not a tensor");
    model->wire = (struct tn_span){ bundle->main, 0, bundle->main->size };
    struct tn_cursor c = tn_cursor_span(model->wire, error);
    tn_onnx_tensor_read(&c, &model->arena, &tensor);
    if (tn_failed(error))
        return error->status;
    struct tn_tensor *row = tn_model_add_tensor(model, error);
    if (!row)
        return error->status;
    row->wire        = tensor.wire;
    row->role        = TN_ROLE_INITIALIZER;
    row->is_external = tensor.is_external;
    if (tensor.name.size)
        row->name = tn_intern_borrow(&model->names, tensor.name, error);
    tn_onnx_tensor_locate(&tensor, &model->arena, &row->elements, error);
    tn_onnx_external_init(&external, bundle, &model->arena);
    if (tensor.is_external)
        tn_onnx_external_locate(&external, &tensor, &row->elements, error);
    tn_onnx_external_done(&external);
    return error->status;
}

/* ---- the formats -------------------------------------------------------- */

static const struct tn_format_setting external = {
    .says  = { .name     = "external",
               .kind     = TN_OPTION_FILE,
               .letter   = 'x',
               .value    = "FILE",
               .help     = "weights into FILE, beside OUT",
               .excludes = "inline" },
    .field = TN_WRITE_FIELD(external),
};

static const struct tn_format_setting is_inline = {
    .says  = { .name   = "inline",
               .kind   = TN_OPTION_FLAG,
               .letter = 'i',
               .help   = "weights into OUT itself" },
    .field = TN_WRITE_FIELD(is_inline),
};

static const struct tn_format_setting threshold = {
    .says  = { .name     = "threshold",
               .kind     = TN_OPTION_SIZE,
               .value    = "SIZE",
               .standard = "1KiB",
               .help     = "--external: smaller tensors stay in OUT",
               .needs    = "external" },
    .field = TN_WRITE_FIELD(threshold),
};

static const struct tn_format_setting *const settings[] = {
    &external,
    &is_inline,
    &threshold,
    NULL,
};

static const struct tn_strip_field traces[] = {
    { "onnx.ModelProto", 6 },
    { "onnx.GraphProto", 10 },
    { "onnx.NodeProto", 6 },
    { "onnx.NodeProto", 9 },
    { "onnx.ValueInfoProto", 3 },
    { "onnx.TensorProto", 12 },
    { "onnx.AttributeProto", 13 },
    { "onnx.FunctionProto", 8 },
    { NULL, 0 },
};

static const struct tn_strip_field training[] = {
    { "onnx.ModelProto", 20 },
    { NULL, 0 },
};

const struct tn_format tn_format_onnx = {
    .name        = "onnx",
    .title       = "ONNX model",
    .dialect     = "onnx",
    .dialect_ops = &tn_dialect_onnx,
    .suffixes    = (const char *const[]){ ".onnx", NULL },
    .schema      = TN_PB_ONNX,
    .message     = "onnx.ModelProto",
    .probe       = onnx_probe,
    .open        = tn_onnx_open,
    .check       = tn_onnx_check,
    .check_graph = tn_onnx_check_graph,
    .describe    = tn_onnx_describe,
    .has_about   = true,
    .texts       = 1u << TN_TEXT_METADATA | 1u << TN_TEXT_DOC |
             1u << TN_TEXT_PRODUCER | 1u << TN_TEXT_PRODUCER_VERSION |
             1u << TN_TEXT_DOMAIN | 1u << TN_TEXT_VERSION |
             1u << TN_TEXT_GRAPH_NAME,
    .write       = tn_onnx_write,

    .taken_by_graph   = tn_onnx_taken_by_graph,
    .taken_by_tensors = tn_onnx_taken_by_tensors,
    .settings         = settings,
    .trace_fields     = traces,
    .training_fields  = training,
};

const struct tn_format tn_format_onnx_tensor = {
    .name     = "onnx-tensor",
    .title    = "ONNX tensor",
    .dialect  = "",
    .suffixes = (const char *const[]){ ".pb", NULL },
    .schema   = TN_PB_ONNX,
    .message  = "onnx.TensorProto",
    .probe    = tensor_probe,
    .open     = tensor_open,
    .check    = tn_onnx_check_lone,
};
