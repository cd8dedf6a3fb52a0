/*
 * onnx_attr.c - the dialect: attributes of nodes, found and decoded on demand
 *
 *   AttributeProto   name = 1, f = 2, i = 3, s = 4, t = 5, g = 6, floats = 7,
 *                    ints = 8, strings = 9, tensors = 10, graphs = 11,
 *                    tp = 14, type_protos = 15, type = 20, ref_attr_name = 21,
 *                    sparse_tensor = 22, sparse_tensors = 23
 *
 * `type` says which field is meant: writers of the proto3 flavour leave out a
 * field that holds zero.  Files of IR version 1 have no `type`, and the field
 * that is there decides.
 */
#include "format/onnx/onnx.h"

#include "base/bisect.h"
#include "base/number.h"

static void onnx_find_attrs(struct tn_cursor *node)
{
    tn_pb_step_to(node, NODE_ATTRIBUTE);
}

static bool onnx_next_attr(struct tn_cursor *node, struct tn_bytes *name,
                           struct tn_span *wire)
{
    return tn_pb_next_named(node, NODE_ATTRIBUTE, ATTR_NAME, name, wire);
}

static bool onnx_next_default(struct tn_cursor *function, struct tn_bytes *name,
                              struct tn_span *wire)
{
    return tn_pb_next_named(function, FUNCTION_ATTRIBUTE_PROTO, ATTR_NAME, name,
                            wire);
}

/* ---- the kinds of attributes --------------------------------------------- */

static const struct attr_type {
    uint32_t          field;
    enum tn_attr_kind kind;
    bool              is_list;
    enum tn_wire_type wire; /* of one value                                  */
} attr_types[] = {
    /* by the number of AttributeType */
    [1]  = { ATTR_F, TN_ATTR_FLOAT, false, TN_WIRE_FIXED32 },
    [2]  = { ATTR_I, TN_ATTR_INT, false, TN_WIRE_VARINT },
    [3]  = { ATTR_S, TN_ATTR_STRING, false, TN_WIRE_LEN },
    [4]  = { ATTR_T, TN_ATTR_TENSOR, false, TN_WIRE_LEN },
    [5]  = { ATTR_G, TN_ATTR_GRAPH, false, TN_WIRE_LEN },
    [6]  = { ATTR_FLOATS, TN_ATTR_FLOAT, true, TN_WIRE_FIXED32 },
    [7]  = { ATTR_INTS, TN_ATTR_INT, true, TN_WIRE_VARINT },
    [8]  = { ATTR_STRINGS, TN_ATTR_STRING, true, TN_WIRE_LEN },
    [9]  = { ATTR_TENSORS, TN_ATTR_TENSOR, true, TN_WIRE_LEN },
    [10] = { ATTR_GRAPHS, TN_ATTR_GRAPH, true, TN_WIRE_LEN },
    [11] = { ATTR_SPARSE_TENSOR, TN_ATTR_OTHER, false, TN_WIRE_LEN },
    [12] = { ATTR_SPARSE_TENSORS, TN_ATTR_OTHER, true, TN_WIRE_LEN },
    [13] = { ATTR_TP, TN_ATTR_OTHER, false, TN_WIRE_LEN },
    [14] = { ATTR_TYPE_PROTOS, TN_ATTR_OTHER, true, TN_WIRE_LEN },
};

#define ATTR_TYPE_COUNT (sizeof attr_types / sizeof attr_types[0])

uint32_t tn_onnx_attr_field(uint64_t type)
{
    return type < ATTR_TYPE_COUNT ? attr_types[type].field : 0;
}

static const struct attr_type *type_of_field(uint32_t number)
{
    for (uint32_t i = 1; i < ATTR_TYPE_COUNT; i++)
        if (attr_types[i].field == number)
            return &attr_types[i];
    return NULL;
}

uint32_t tn_onnx_attr_type(enum tn_attr_kind kind, bool is_list)
{
    for (uint32_t i = 1; i < ATTR_TYPE_COUNT; i++)
        if (attr_types[i].kind == kind && attr_types[i].is_list == is_list)
            return kind == TN_ATTR_OTHER ? 0 : i;
    return 0;
}

/* One walk: the type, as said or guessed, and the reference if it is one. */
static const struct attr_type *find_type(struct tn_cursor c,
                                         struct tn_bytes *reference)
{
    const struct attr_type *guess = NULL;
    struct tn_pb_field      field;
    uint64_t                said = 0;

    *reference = (struct tn_bytes){ NULL, 0 };
    while (tn_pb_next(&c, &field)) {
        if (field.number == ATTR_TYPE &&
            tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            said = field.value;
        else if (field.number == ATTR_REF &&
                 tn_pb_expect(&c, &field, TN_WIRE_LEN))
            *reference = tn_pb_text(&field);
        else if (!guess)
            guess = type_of_field(field.number);
    }
    return said > 0 && said < ATTR_TYPE_COUNT ? &attr_types[said] : guess;
}

/* In the words of a vocabulary. */
static const char *onnx_attr_word(struct tn_span wire)
{
    static const char *const words[] = {
        "",
        "float",
        "int",
        "string",
        "tensor",
        "graph",
        "list(float)",
        "list(int)",
        "list(string)",
        "list(tensor)",
        "list(graph)",
        "sparse_tensor",
        "list(sparse_tensor)",
        "type_proto",
        "list(type_proto)",
    };
    struct tn_error         failure = TN_ERROR_INIT;
    struct tn_bytes         reference;
    const struct attr_type *type =
        find_type(tn_cursor_span(wire, &failure), &reference);

    if (tn_failed(&failure))
        return "";
    if (!type)
        return reference.size ? "reference" : "";
    return words[type - attr_types];
}

/* ---- decoding ----------------------------------------------------------- */

struct decoder {
    const struct tn_model  *model;
    const struct attr_type *type;
    struct tn_arena        *arena;
    struct tn_attr_value   *value;
    struct tn_error        *error;
    union {
        int64_t                 *ints;
        float                   *floats;
        struct tn_bytes         *strings;
        const struct tn_tensor **tensors;
    } to;
};

static bool is_number(const struct attr_type *type)
{
    return type->wire != TN_WIRE_LEN;
}

static bool allocate(struct decoder *d, uint64_t count)
{
    switch (d->type->kind) {
    case TN_ATTR_FLOAT:
        d->value->of.floats = d->to.floats =
            tn_new(d->arena, float, count, d->error);
        break;
    case TN_ATTR_TENSOR:
        d->to.tensors =
            tn_new(d->arena, const struct tn_tensor *, count, d->error);
        d->value->of.tensors = d->to.tensors;
        break;
    case TN_ATTR_STRING:
    case TN_ATTR_OTHER:
        d->value->of.strings = d->to.strings =
            tn_new(d->arena, struct tn_bytes, count, d->error);
        break;
    default:
        d->value->of.ints = d->to.ints =
            tn_new(d->arena, int64_t, count, d->error);
        break;
    }
    return !tn_failed(d->error);
}

/* Rows are in the order of the file unless an edit moved them. */
static const struct tn_tensor *find_row(const struct tn_model *model,
                                        struct tn_span         wire)
{
    uint64_t at = 0;

    if (!model->is_edited)
        TN_BISECT(
            at, 0, model->tensors.count,
            tn_list_at(&model->tensors, struct tn_tensor, at)->wire.offset <
                wire.offset);
    for (; at < model->tensors.count; at++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, at);
        if (row->wire.source == wire.source && row->wire.offset == wire.offset)
            return row;
        if (!model->is_edited)
            break;
    }
    return NULL;
}

static const struct tn_tensor *tensor_at(struct decoder   *d,
                                         struct tn_cursor *body)
{
    struct tn_span wire         = { body->source, body->offset, tn_left(body) };
    const struct tn_tensor *row = find_row(d->model, wire);
    struct tn_onnx_tensor   tensor;

    if (row)
        return row;
    /* A message that the model has no row for: out of another model's node. */
    struct tn_tensor *fresh = tn_new(d->arena, struct tn_tensor, 1, d->error);
    if (!fresh)
        return NULL;
    tn_onnx_tensor_read(body, d->arena, &tensor);
    fresh->model = d->model;
    fresh->wire  = wire;
    fresh->role  = TN_ROLE_ATTRIBUTE;
    fresh->name = fresh->graph = fresh->node = TN_NONE;
    fresh->slot = fresh->part = TN_NONE;
    tn_onnx_tensor_locate(&tensor, d->arena, &fresh->elements, d->error);
    if (tensor.is_external)
        tn_error_set(d->error, TN_UNSUPPORTED, wire.offset,
                     "external data of a tensor that is not in the model");
    return fresh;
}

static bool is_graph_at(const struct tn_model *model, uint32_t graph,
                        const struct tn_cursor *body)
{
    const struct tn_graph *g = tn_model_graph_at(model, graph);

    return g->wire.source == body->source && g->wire.offset == body->offset;
}

static int64_t search_graph(const struct tn_model  *model,
                            const struct tn_cursor *body)
{
    for (uint32_t i = 0; i < model->graphs.count; i++)
        if (is_graph_at(model, i, body))
            return i;
    return TN_NONE;
}

static int64_t graph_at(const struct tn_model  *model,
                        const struct tn_cursor *body)
{
    const struct tn_onnx_detail *detail = model->detail;
    uint64_t                     at;

    if (model->is_edited || !detail)
        return search_graph(model, body);
    TN_BISECT(
        at, 0, model->graphs.count,
        tn_model_graph_at(model, detail->graphs_by_offset[at])->wire.offset <
            body->offset);
    if (at < model->graphs.count &&
        is_graph_at(model, detail->graphs_by_offset[at], body))
        return detail->graphs_by_offset[at];
    return search_graph(model, body);
}

static void fill_message(struct decoder *d, struct tn_pb_field *field,
                         uint64_t index)
{
    switch (d->type->kind) {
    case TN_ATTR_TENSOR:
        d->to.tensors[index] = tensor_at(d, &field->body);
        break;
    case TN_ATTR_GRAPH:
        d->to.ints[index] = graph_at(d->model, &field->body);
        break;
    default: d->to.strings[index] = tn_pb_text(field); break;
    }
}

/* For a field that is not a list, the last occurrence counts. */
static void fill(struct decoder *d, struct tn_cursor c)
{
    struct tn_pb_field field;
    uint64_t           next = 0, bits;

    while (tn_pb_next(&c, &field)) {
        if (field.number != d->type->field)
            continue;
        if (!is_number(d->type)) {
            if (tn_pb_expect(&c, &field, TN_WIRE_LEN))
                fill_message(d, &field, d->type->is_list ? next++ : 0);
            continue;
        }
        while (tn_pb_number(&c, &field, d->type->wire, &bits)) {
            uint64_t index = d->type->is_list ? next++ : 0;
            if (d->type->kind == TN_ATTR_FLOAT)
                d->to.floats[index] = tn_float_of_bits((uint32_t)bits);
            else
                d->to.ints[index] = (int64_t)bits;
        }
    }
}

static enum tn_status refer(struct tn_arena *arena, struct tn_bytes reference,
                            const struct attr_type *type,
                            struct tn_attr_value *value, struct tn_error *error)
{
    struct tn_bytes *name = tn_new(arena, struct tn_bytes, 1, error);

    if (!name)
        return error->status;
    *name  = reference;
    *value = (struct tn_attr_value){ .kind       = TN_ATTR_REFERENCE,
                                     .is_list    = type && type->is_list,
                                     .count      = 1,
                                     .of.strings = name };
    return TN_OK;
}

static enum tn_status onnx_decode(const struct tn_model *model, uint32_t op,
                                  struct tn_span wire, struct tn_arena *arena,
                                  struct tn_attr_value *value,
                                  struct tn_error      *error)
{
    struct tn_cursor        c = tn_cursor_span(wire, error);
    struct tn_bytes         reference;
    const struct attr_type *type = find_type(c, &reference);

    (void)op;
    *value = (struct tn_attr_value){ .kind = TN_ATTR_NONE };
    if (tn_failed(error))
        return error->status;
    if (reference.size)
        return refer(arena, reference, type, value, error);
    if (!type)
        return TN_OK;
    uint64_t       count = tn_pb_count_values(c, type->field, type->wire);
    struct decoder d     = { model, type, arena, value, error, { NULL } };
    if (!type->is_list && count == 0 &&
        (type->kind == TN_ATTR_TENSOR || type->kind == TN_ATTR_GRAPH ||
         type->kind == TN_ATTR_OTHER))
        return tn_error_set(error, TN_MALFORMED, wire.offset,
                            "the attribute lacks field %" PRIu32
                            ", which its type means",
                            type->field);
    if (count > UINT32_MAX)
        return tn_error_set(error, TN_LIMIT, wire.offset,
                            "more than 2^32 values");
    value->kind    = type->kind;
    value->is_list = type->is_list;
    value->count   = type->is_list ? (uint32_t)count : 1;
    if (allocate(&d, type->is_list ? count : 1))
        fill(&d, c);
    return error->status;
}

/* ---- how tensors are called --------------------------------------------- */

static bool is_sparse(const struct tn_tensor *tensor)
{
    return tensor->role == TN_ROLE_SPARSE_VALUES ||
           tensor->role == TN_ROLE_SPARSE_INDICES;
}

static bool is_in_function(const struct tn_tensor *tensor)
{
    return tensor->graph != TN_NONE &&
           tn_model_graph_at(tensor->model, tensor->graph)->kind ==
               TN_GRAPH_FUNCTION;
}

static const char *onnx_tensor_word(const struct tn_tensor *tensor)
{
    if (tensor->node != TN_NONE)
        return "attribute";
    if (is_in_function(tensor))
        return "attribute_proto";
    return is_sparse(tensor) ? "sparse_initializer" : "initializer";
}

static const char *onnx_tensor_tail(const struct tn_tensor *tensor)
{
    bool is_value = tensor->role == TN_ROLE_SPARSE_VALUES;

    if (tensor->node == TN_NONE && !is_in_function(tensor))
        return !is_sparse(tensor) ? "" : is_value ? ".values" : ".indices";
    if (!is_sparse(tensor))
        return tensor->part == TN_NONE ? ".t" : ".tensors";
    if (tensor->part == TN_NONE)
        return is_value ? ".sparse_tensor.values" : ".sparse_tensor.indices";
    return is_value ? ".sparse_tensors.values" : ".sparse_tensors.indices";
}

const struct tn_dialect tn_dialect_onnx = {
    .name          = "onnx",
    .find_attrs    = onnx_find_attrs,
    .next_attr     = onnx_next_attr,
    .next_default  = onnx_next_default,
    .decode        = onnx_decode,
    .attr_type     = onnx_attr_word,
    .tensor_word   = onnx_tensor_word,
    .tensor_tail   = onnx_tensor_tail,
    .is_ordered    = true,
    .names_outputs = true,
};
