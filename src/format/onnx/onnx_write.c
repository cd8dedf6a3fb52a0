/*
 * onnx_write.c - writes a model, and moves weights into external files and back
 *
 * The file is written from the one that was read.  Everything that does not
 * change is a span of it, and adjacent spans are joined, so a million nodes
 * cost as much as one.  Only tensors change: for each it is decided where its
 * elements go, and those that move are patches in the walk, which also rewrites
 * the messages around them because their lengths change.
 *
 * Weights for an external file are written first, so that their offsets are
 * known when the model is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/sort.h"
#include "format/onnx/onnx_write.h"
#include "ir/changes.h"

static void put_holder(struct tn_onnx_writer *w, struct tn_rope *to,
                       const struct tn_elements *elements, uint32_t tensor);
static void put_spliced_field(struct tn_onnx_writer *w, struct tn_rope *to,
                              uint32_t number, struct tn_span message);

/* ---- a model that an edit has touched, out of its tables ---------------- */

/*
 * What an edit did not touch is spliced from the wire: whole graphs, whole
 * nodes, single attributes.  A touched message is put together in the order of
 * its field numbers, and what the tables do not hold (doc strings, value infos,
 * fields that we do not know) follows from its old bytes.
 *
 * A model without a file gets the versions in its facts, or old ones that
 * nearly all programs read.
 */

#define DEFAULT_IR      8
#define DEFAULT_OPSET   17
#define FUNCTIONS_SINCE 8

/* Fields that a touched message takes from the tables, as bits. */
#define BIT(number) (UINT32_C(1) << (number))
#define OF_NODE                                                                \
    (BIT(NODE_INPUT) | BIT(NODE_OUTPUT) | BIT(NODE_NAME) | BIT(NODE_OP_TYPE) | \
     BIT(NODE_ATTRIBUTE) | BIT(NODE_DOMAIN))
#define OF_GRAPH (BIT(GRAPH_NODE) | BIT(GRAPH_NAME) | BIT(GRAPH_INITIALIZER))
#define OF_IO    (BIT(GRAPH_INPUT) | BIT(GRAPH_OUTPUT))
#define OF_VALUE (BIT(VALUE_NAME) | BIT(VALUE_TYPE))
#define OF_FUNCTION                                                            \
    (BIT(FUNCTION_NAME) | BIT(FUNCTION_INPUT) | BIT(FUNCTION_OUTPUT) |         \
     BIT(FUNCTION_NODE) | BIT(FUNCTION_DOMAIN))

static void put_graph(struct tn_onnx_writer *w, struct tn_rope *to,
                      uint32_t number, uint32_t graph, unsigned depth);

/* The bytes of a LEN field. */
static struct tn_bytes text_of(const struct tn_pb_field *field)
{
    struct tn_cursor body = field->body;

    return tn_take_bytes(&body, tn_left(&body));
}

/* A field as it is, but for patches inside. */
static void put_field(struct tn_onnx_writer *w, struct tn_rope *to,
                      const struct tn_cursor   *c,
                      const struct tn_pb_field *field)
{
    if (field->type == TN_WIRE_LEN && w->patches.count)
        put_spliced_field(w, to, field->number, tn_pb_body_span(field));
    else
        tn_rope_span(to, tn_pb_field_span(c, field));
}

/* The fields of a message that the tables do not have. */
static void put_rest(struct tn_onnx_writer *w, struct tn_rope *to,
                     struct tn_span wire, uint32_t said)
{
    struct tn_cursor   c = tn_cursor_span(wire, w->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number >= 32 || !(said & BIT(field.number)))
            put_field(w, to, &c, &field);
}

static void put_name(struct tn_onnx_writer *w, struct tn_rope *to,
                     uint32_t number, uint32_t name)
{
    struct tn_bytes text = tn_model_name(w->model, name);

    if (text.size)
        tn_pb_put_bytes(to, number, text);
}

/* ---- attributes --------------------------------------------------------- */

static void put_tensor(struct tn_onnx_writer *w, struct tn_rope *to,
                       uint32_t number, const struct tn_elements *elements,
                       struct tn_bytes name, uint32_t tensor)
{
    uint32_t       type = tn_onnx_type_number(elements->shape.dtype);
    struct tn_rope message;

    if (!type) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "ONNX has no elements of type %s",
                     tn_dtype_name(elements->shape.dtype));
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    for (uint32_t i = 0; i < elements->shape.rank; i++)
        tn_pb_put_varint(&message, TENSOR_DIMS, elements->shape.dims[i]);
    tn_pb_put_varint(&message, TENSOR_DATA_TYPE, type);
    if (name.size)
        tn_pb_put_bytes(&message, TENSOR_NAME, name);
    put_holder(w, &message, elements, tensor);
    tn_pb_put_message(to, number, &message);
}

/* The place of an attribute that is being written. */
struct attr_place {
    uint32_t op, slot;
    unsigned depth;
};

static void put_tensor_value(struct tn_onnx_writer *w, struct tn_rope *to,
                             uint32_t number, const struct tn_attr_value *value,
                             uint32_t index, const struct attr_place *place)
{
    const struct tn_tensor *tensor = value->of.tensors[index];
    uint32_t row = tn_pairs_find(&w->values, place->op, place->slot);

    put_tensor(w, to, number, &tensor->elements, tn_tensor_name(tensor),
               row == UINT32_MAX ? TN_NONE : row + index);
}

/* One value, or one of a list. */
static void put_value(struct tn_onnx_writer *w, struct tn_rope *to,
                      uint32_t number, const struct tn_attr_value *value,
                      uint32_t index, const struct attr_place *place)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
        tn_pb_put_varint(to, number, (uint64_t)value->of.ints[index]);
        break;
    case TN_ATTR_DTYPE:
        tn_pb_put_varint(
            to, number,
            tn_onnx_type_number((enum tn_dtype)value->of.ints[index]));
        break;
    case TN_ATTR_FLOAT:
        tn_pb_put_fixed32(to, number, tn_float_bits(value->of.floats[index]));
        break;
    case TN_ATTR_TENSOR:
        put_tensor_value(w, to, number, value, index, place);
        break;
    case TN_ATTR_GRAPH:
        put_graph(w, to, number, (uint32_t)value->of.ints[index],
                  place->depth + 1);
        break;
    default: tn_pb_put_bytes(to, number, value->of.strings[index]); break;
    }
}

/* A type of the format's own for kinds that ONNX does not tell apart. */
static enum tn_attr_kind plain_kind(enum tn_attr_kind kind)
{
    switch (kind) {
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: return TN_ATTR_INT;
    case TN_ATTR_FUNCTION: return TN_ATTR_STRING;
    default: return kind;
    }
}

static void put_shape(struct tn_rope *to, const struct tn_attr_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        tn_pb_put_varint(to, ATTR_INTS, (uint64_t)shape->dims[i]);
    tn_pb_put_varint(to, ATTR_TYPE, tn_onnx_attr_type(TN_ATTR_INT, true));
}

static void put_attr_value(struct tn_onnx_writer *w, struct tn_rope *to,
                           const struct tn_attr_value *value,
                           const struct attr_place    *place)
{
    uint32_t type = tn_onnx_attr_type(plain_kind(value->kind), value->is_list);

    if (value->kind == TN_ATTR_REFERENCE) {
        tn_pb_put_bytes(to, ATTR_REF, value->of.strings[0]);
        return;
    }
    if (value->kind == TN_ATTR_SHAPE && !value->is_list) {
        put_shape(to, &value->of.shapes[0]);
        return;
    }
    if (value->kind == TN_ATTR_NONE)
        return;
    if (!type) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "a value of a kind that ONNX attributes do not have");
        return;
    }
    for (uint32_t i = 0; i < value->count; i++)
        put_value(w, to, tn_onnx_attr_field(type), value, i, place);
    tn_pb_put_varint(to, ATTR_TYPE, type);
}

static void put_slot(struct tn_onnx_writer *w, struct tn_rope *to,
                     const struct tn_attr_slot *slot,
                     const struct attr_place   *place)
{
    struct tn_rope message;

    if (!slot->value) {
        put_spliced_field(w, to, NODE_ATTRIBUTE, slot->wire);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_name(w, &message, ATTR_NAME, slot->name);
    put_attr_value(w, &message, slot->value, place);
    tn_pb_put_message(to, NODE_ATTRIBUTE, &message);
}

/* ---- nodes -------------------------------------------------------------- */

/* Names of values; one that is not given is "". */
static void put_refs(struct tn_onnx_writer *w, struct tn_rope *to,
                     uint32_t number, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = tn_model_ref_at(w->model, (uint64_t)first + i);
        uint32_t name  = value == TN_NONE
                             ? TN_NO_NAME
                             : tn_model_value_at(w->model, value)->name;
        tn_pb_put_bytes(to, number, tn_model_name(w->model, name));
    }
}

static void put_op(struct tn_onnx_writer *w, struct tn_rope *to,
                   uint32_t number, uint32_t index, unsigned depth)
{
    const struct tn_op *op = tn_model_op_at(w->model, index);
    struct tn_rope      message;

    if (op->first_attr == TN_NONE && op->wire_length) {
        put_spliced_field(w, to, number, tn_model_op_wire(w->model, op));
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_refs(w, &message, NODE_INPUT, op->first_input, op->input_count);
    put_refs(w, &message, NODE_OUTPUT, op->first_output, op->output_count);
    put_name(w, &message, NODE_NAME, op->name);
    put_name(w, &message, NODE_OP_TYPE, op->type);
    for (uint32_t i = 0; op->first_attr != TN_NONE && i < op->attr_count; i++)
        put_slot(w, &message,
                 tn_list_at(&w->model->attrs, struct tn_attr_slot,
                            (uint64_t)op->first_attr + i),
                 &(struct attr_place){ index, i, depth });
    put_name(w, &message, NODE_DOMAIN, op->domain);
    put_rest(w, &message, tn_model_op_wire(w->model, op), OF_NODE);
    tn_pb_put_message(to, number, &message);
}

/* ---- plain nodes --------------------------------------------------------
 *
 * Nodes that an edit or a conversion made, of names, numbers and texts, are put
 * together when they are written: before that only their lengths are needed.
 * There may be a million, with attributes that are equal again and again. */

/* Consecutive ones. */
struct series {
    struct tn_producer           producer;
    const struct tn_onnx_writer *w;
    uint32_t                     number, first, count;
};

#define SERIES_BLOCK ((size_t)64 << 10)

static bool is_plain(const struct tn_onnx_writer *w, const struct tn_op *op)
{
    bool is_plain = op->wire_length == 0;

    for (uint32_t i = 0;
         is_plain && op->first_attr != TN_NONE && i < op->attr_count; i++) {
        const struct tn_attr_value *value =
            tn_list_at(&w->model->attrs, struct tn_attr_slot,
                       (uint64_t)op->first_attr + i)
                ->value;
        is_plain = value && value->kind != TN_ATTR_TENSOR &&
                   value->kind != TN_ATTR_GRAPH;
    }
    return is_plain;
}

/* The attributes as fields, made once for all nodes that share them. */
static void make_attrs(struct tn_onnx_writer *w, const struct tn_op *op)
{
    static const struct attr_place nowhere = { 0, 0, 0 };
    struct tn_buffer               bytes;
    struct tn_rope                 fields;

    tn_rope_init(&fields, &w->arena, w->error);
    tn_buffer_init(&bytes, w->arena.memory, w->error);
    for (uint32_t i = 0; i < op->attr_count; i++)
        put_slot(w, &fields,
                 tn_list_at(&w->model->attrs, struct tn_attr_slot,
                            (uint64_t)op->first_attr + i),
                 &nowhere);
    tn_rope_write(&fields, &bytes.sink, w->error);
    struct tn_bytes *slot =
        tn_list_push(&w->attr_bytes, struct tn_bytes, w->error);
    if (slot)
        *slot = tn_bytes_dup(&w->arena, tn_buffer_bytes(&bytes), w->error);
    tn_buffer_done(&bytes);
    tn_rope_done(&fields);
}

static struct tn_bytes find_attrs(const struct tn_onnx_writer *w,
                                  const struct tn_op          *op)
{
    uint32_t at = TN_NONE;

    if (op->first_attr != TN_NONE && op->attr_count)
        at = tn_pairs_find(&w->attr_lists, op->first_attr, op->attr_count);
    return at == TN_NONE ? tn_bytes(NULL, 0)
                         : *tn_list_at(&w->attr_bytes, struct tn_bytes, at);
}

static void need_attrs(struct tn_onnx_writer *w, const struct tn_op *op)
{
    uint32_t next = (uint32_t)w->attr_bytes.count;

    if (op->first_attr != TN_NONE && op->attr_count &&
        tn_pairs_add(&w->attr_lists, op->first_attr, op->attr_count, next,
                     w->error) == next)
        make_attrs(w, op);
}

/* The fields of a node have numbers below 16: tags of one byte. */
static uint64_t text_size(struct tn_bytes text)
{
    return 1 + (uint64_t)tn_varint_size(text.size) + text.size;
}

static uint8_t *put_plain_text(uint8_t *at, uint32_t number,
                               struct tn_bytes text)
{
    *at++ = (uint8_t)tn_tag(number, TN_WIRE_LEN);
    at += tn_varint_put(at, text.size);
    if (text.size)
        memcpy(at, text.data, text.size);
    return at + text.size;
}

static struct tn_bytes ref_name(const struct tn_onnx_writer *w, uint64_t ref)
{
    return tn_model_value_name(w->model, tn_model_ref_at(w->model, ref));
}

static uint64_t plain_size(const struct tn_onnx_writer *w,
                           const struct tn_op *op, struct tn_bytes attrs)
{
    const uint32_t texts[] = { op->name, op->type, op->domain };
    uint64_t       size    = attrs.size;

    for (uint32_t i = 0; i < op->input_count; i++)
        size += text_size(ref_name(w, (uint64_t)op->first_input + i));
    for (uint32_t i = 0; i < op->output_count; i++)
        size += text_size(ref_name(w, (uint64_t)op->first_output + i));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tn_bytes text = tn_model_name(w->model, texts[i]);
        size += text.size ? text_size(text) : 0;
    }
    return size;
}

static uint8_t *put_plain_name(const struct tn_onnx_writer *w, uint8_t *at,
                               uint32_t number, uint32_t name)
{
    struct tn_bytes text = tn_model_name(w->model, name);

    return text.size ? put_plain_text(at, number, text) : at;
}

static void put_plain(const struct series *s, const struct tn_op *op,
                      struct tn_buffer *to)
{
    const struct tn_onnx_writer *w     = s->w;
    struct tn_bytes              attrs = find_attrs(w, op);
    uint64_t                     size  = plain_size(w, op, attrs);
    uint8_t *at    = tn_buffer_room(to, (size_t)size + 2 * TN_VARINT_MAX);
    uint8_t *begin = at;

    if (!at)
        return;
    at += tn_varint_put(at, tn_tag(s->number, TN_WIRE_LEN));
    at += tn_varint_put(at, size);
    for (uint32_t i = 0; i < op->input_count; i++)
        at = put_plain_text(at, NODE_INPUT,
                            ref_name(w, (uint64_t)op->first_input + i));
    for (uint32_t i = 0; i < op->output_count; i++)
        at = put_plain_text(at, NODE_OUTPUT,
                            ref_name(w, (uint64_t)op->first_output + i));
    at = put_plain_name(w, at, NODE_NAME, op->name);
    at = put_plain_name(w, at, NODE_OP_TYPE, op->type);
    if (attrs.size)
        memcpy(at, attrs.data, attrs.size);
    at = put_plain_name(w, at + attrs.size, NODE_DOMAIN, op->domain);
    to->size += (size_t)(at - begin);
}

static enum tn_status produce_series(const struct tn_producer *producer,
                                     struct tn_sink *to, struct tn_error *error)
{
    const struct series *s = (const struct series *)producer;
    struct tn_buffer     block;

    tn_buffer_init(&block, s->w->model->memory, error);
    for (uint32_t i = 0; i < s->count && !tn_failed(error); i++) {
        put_plain(s, tn_model_op_at(s->w->model, s->first + i), &block);
        if (block.size < SERIES_BLOCK && i + 1 < s->count)
            continue;
        tn_sink_write(to, tn_buffer_bytes(&block), error);
        tn_buffer_clear(&block);
    }
    tn_buffer_done(&block);
    return error->status;
}

/* The plain nodes from `first` on; returns how many they are. */
static uint32_t put_series(struct tn_onnx_writer *w, struct tn_rope *to,
                           uint32_t number, uint32_t first, uint32_t most)
{
    uint64_t length = 0;
    uint32_t count  = 0;

    for (; count < most && !tn_failed(w->error); count++) {
        const struct tn_op *op = tn_model_op_at(w->model, first + count);
        if (!is_plain(w, op))
            break;
        need_attrs(w, op);
        uint64_t size = plain_size(w, op, find_attrs(w, op));
        length += tn_varint_size(tn_tag(number, TN_WIRE_LEN)) +
                  tn_varint_size(size) + size;
    }
    struct series *s =
        count ? tn_new(&w->arena, struct series, 1, w->error) : NULL;
    if (!s)
        return count;
    *s = (struct series){ { produce_series, length }, w, number, first, count };
    tn_rope_producer(to, &s->producer);
    return count;
}

static void put_ops(struct tn_onnx_writer *w, struct tn_rope *to,
                    uint32_t number, const struct tn_graph *graph,
                    unsigned depth)
{
    uint64_t i = 0;

    while (i < graph->op_count && !tn_failed(w->error)) {
        uint32_t first = graph->first_op + (uint32_t)i;
        uint32_t count =
            put_series(w, to, number, first, (uint32_t)(graph->op_count - i));
        if (!count)
            put_op(w, to, number, first, depth);
        i += count ? count : 1;
    }
}

/* ---- graphs ------------------------------------------------------------- */

static void put_initializers(struct tn_onnx_writer *w, struct tn_rope *to,
                             uint32_t graph)
{
    for (uint64_t i = 0; i < w->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&w->model->tensors, struct tn_tensor, i);
        if (row->graph != graph || row->node != TN_NONE ||
            row->role != TN_ROLE_INITIALIZER)
            continue;
        if (row->wire.source)
            put_spliced_field(w, to, GRAPH_INITIALIZER, row->wire);
        else
            put_tensor(w, to, GRAPH_INITIALIZER, &row->elements,
                       tn_tensor_name(row), (uint32_t)i);
    }
}

static void put_dim(struct tn_rope *to, struct tn_arena *arena,
                    const struct tn_dim *dim)
{
    struct tn_rope message;

    tn_rope_init(&message, arena, to->error);
    if (dim->symbol.size)
        tn_pb_put_bytes(&message, DIM_PARAM, dim->symbol);
    else if (dim->value >= 0)
        tn_pb_put_varint(&message, DIM_VALUE, (uint64_t)dim->value);
    tn_pb_put_message(to, SHAPE_DIM, &message);
}

/* A type in a message of its own: field 1 of the one that contains it. */
static void put_wrapped(struct tn_onnx_writer *w, struct tn_rope *to,
                        uint32_t number, struct tn_rope *type)
{
    struct tn_rope holder;

    tn_rope_init(&holder, &w->arena, w->error);
    tn_pb_put_message(&holder, 1, type);
    tn_pb_put_message(to, number, &holder);
}

static void put_tensor_type(struct tn_onnx_writer *w, struct tn_rope *to,
                            const struct tn_io *io)
{
    struct tn_rope tensor, shape;

    tn_rope_init(&tensor, &w->arena, w->error);
    tn_rope_init(&shape, &w->arena, w->error);
    tn_pb_put_varint(&tensor, TENSOR_TYPE_ELEM, tn_onnx_type_number(io->dtype));
    for (uint32_t i = 0; i < io->rank; i++)
        put_dim(&shape, &w->arena, &io->dims[i]);
    if (io->has_rank)
        tn_pb_put_message(&tensor, TENSOR_TYPE_SHAPE, &shape);
    tn_pb_put_message(to, TYPE_TENSOR, &tensor);
    tn_rope_done(&shape);
    tn_rope_done(&tensor);
}

static uint32_t type_field(const struct tn_io *io)
{
    const char *note = io->note ? io->note : "";

    return strcmp(note, "sequence") == 0   ? TYPE_SEQUENCE
           : strcmp(note, "optional") == 0 ? TYPE_OPTIONAL
                                           : 0;
}

static void put_type(struct tn_onnx_writer *w, struct tn_rope *to,
                     const struct tn_io *io)
{
    struct tn_rope type, outer;

    tn_rope_init(&type, &w->arena, w->error);
    tn_rope_init(&outer, &w->arena, w->error);
    put_tensor_type(w, &type, io);
    if (type_field(io))
        put_wrapped(w, &outer, type_field(io), &type);
    tn_pb_put_message(to, VALUE_TYPE, type_field(io) ? &outer : &type);
    tn_rope_done(&outer);
    tn_rope_done(&type);
}

static void put_io_list(struct tn_onnx_writer *w, struct tn_rope *to,
                        uint32_t number, struct tn_io_list io_list,
                        bool has_types)
{
    for (uint32_t i = 0; i < io_list.count; i++) {
        struct tn_rope message;
        if (!has_types) {
            tn_pb_put_bytes(to, number, io_list.items[i].name);
            continue;
        }
        tn_rope_init(&message, &w->arena, w->error);
        tn_pb_put_bytes(&message, VALUE_NAME, io_list.items[i].name);
        if (io_list.items[i].dtype != TN_UNDEFINED)
            put_type(w, &message, &io_list.items[i]);
        tn_pb_put_message(to, number, &message);
    }
}

/* A graph must have a name.  The main graph of a model that was ONNX before
 * keeps its name. */
static void put_new_name(struct tn_onnx_writer *w, struct tn_rope *to,
                         uint32_t index)
{
    struct tn_bytes name =
        tn_model_name(w->model, tn_model_graph_at(w->model, index)->name);
    struct tn_bytes said = { NULL, 0 };

    if (index == 0 && w->options->about)
        said = tn_about_find(w->options->about, "onnx.graph_name");
    if (said.size)
        name = said;
    tn_pb_put_bytes(to, GRAPH_NAME, name.size ? name : tn_text("graph"));
}

/* ---- inputs, outputs and value infos that an edit changed --------------- */

/* Declarations of values in the file, by name, in one of the three lists. */
struct told {
    struct tn_intern names;
    struct tn_list   wires; /* struct tn_span by name                         */
};

static void collect_told(struct tn_onnx_writer *w, uint32_t graph,
                         uint32_t number, struct told *to)
{
    struct tn_span     piece;
    struct tn_pb_field field;
    struct tn_io       io;

    tn_intern_init(&to->names, &w->arena);
    tn_list_init(&to->wires, w->model->memory, sizeof(struct tn_span));
    for (uint64_t i = 0; tn_onnx_graph_piece(w->model, graph, i, &piece); i++) {
        struct tn_cursor c = tn_cursor_span(piece, w->error);
        while (tn_pb_next(&c, &field)) {
            if (field.number != number || field.type != TN_WIRE_LEN)
                continue;
            struct tn_span wire = tn_pb_body_span(&field);
            tn_onnx_io_read(&field.body, &w->arena, &io);
            uint32_t id = tn_intern_copy(&to->names, io.name, w->error);
            if (id == to->wires.count) {
                struct tn_span *slot =
                    tn_list_push(&to->wires, struct tn_span, w->error);
                if (slot)
                    *slot = wire;
            }
        }
    }
}

static void told_done(struct told *told)
{
    tn_list_done(&told->wires);
    tn_intern_done(&told->names);
}

static struct tn_bytes name_in_file(const struct tn_io *io)
{
    return io->key.size ? io->key : io->name;
}

/* An unset span if the file has no declaration. */
static struct tn_span find_told(const struct told *told, const struct tn_io *io)
{
    uint32_t id = tn_intern_find(&told->names, name_in_file(io));

    return id == TN_NO_NAME ? (struct tn_span){ NULL, 0, 0 }
                            : *tn_list_at(&told->wires, struct tn_span, id);
}

static bool is_same_type(const struct tn_io *a, const struct tn_io *b)
{
    if (a->dtype != b->dtype || a->has_rank != b->has_rank ||
        (a->has_rank && a->rank != b->rank))
        return false;
    for (uint32_t i = 0; a->has_rank && i < a->rank; i++)
        if (a->dims[i].value != b->dims[i].value ||
            !tn_bytes_equal(a->dims[i].symbol, b->dims[i].symbol))
            return false;
    return true;
}

/* If the type did not change, its bytes stay, because they may have more than
 * is read here. */
static void put_changed_io(struct tn_onnx_writer *w, struct tn_rope *to,
                           uint32_t number, const struct tn_io *io,
                           struct tn_span wire)
{
    struct tn_rope message;
    struct tn_io   old = { .note = "" };

    if (wire.source) {
        struct tn_cursor c = tn_cursor_span(wire, w->error);
        tn_onnx_io_read(&c, &w->arena, &old);
    }
    bool is_same = wire.source && is_same_type(&old, io);
    if (is_same && tn_bytes_equal(old.name, io->name)) {
        tn_pb_put_span(to, number, wire);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    tn_pb_put_bytes(&message, VALUE_NAME, io->name);
    if (!is_same && io->dtype != TN_UNDEFINED)
        put_type(w, &message, io);
    if (wire.source)
        put_rest(w, &message, wire, is_same ? BIT(VALUE_NAME) : OF_VALUE);
    tn_pb_put_message(to, number, &message);
}

static void put_changed_list(struct tn_onnx_writer *w, struct tn_rope *to,
                             uint32_t graph, uint32_t number,
                             struct tn_io_list list)
{
    struct told told;

    collect_told(w, graph, number, &told);
    for (uint32_t i = 0; i < list.count && !tn_failed(w->error); i++)
        put_changed_io(w, to, number, &list.items[i],
                       find_told(&told, &list.items[i]));
    told_done(&told);
}

/* ---- names in what the tables do not hold ------------------------------- */

static bool has_renames(const struct tn_onnx_writer *w)
{
    return w->model->changes && w->model->changes->rename_count > 0;
}

/* A message with the name of a value in the field `name`. */
static void put_renamed(struct tn_onnx_writer *w, struct tn_rope *to,
                        uint32_t number, uint32_t name, uint32_t graph,
                        struct tn_span wire)
{
    struct tn_cursor   c = tn_cursor_span(wire, w->error);
    struct tn_rope     message;
    struct tn_pb_field field;

    if (!has_renames(w)) {
        tn_pb_put_span(to, number, wire);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    while (tn_pb_next(&c, &field))
        if (field.number == name && field.type == TN_WIRE_LEN)
            tn_pb_put_bytes(
                &message, name,
                tn_changes_name(w->model->changes, graph, text_of(&field)));
        else
            tn_rope_span(&message, tn_pb_field_span(&c, &field));
    tn_pb_put_message(to, number, &message);
}

/* TensorAnnotation: 1 tensor_name, 2 { 1 key, 2 tensor name } */
static void put_annotation(struct tn_onnx_writer *w, struct tn_rope *to,
                           uint32_t graph, struct tn_span wire)
{
    struct tn_cursor   c = tn_cursor_span(wire, w->error);
    struct tn_rope     message;
    struct tn_pb_field field;

    tn_rope_init(&message, &w->arena, w->error);
    while (tn_pb_next(&c, &field))
        if (field.number == 1 && field.type == TN_WIRE_LEN)
            tn_pb_put_bytes(
                &message, 1,
                tn_changes_name(w->model->changes, graph, text_of(&field)));
        else if (field.number == 2 && field.type == TN_WIRE_LEN)
            put_renamed(w, &message, 2, ENTRY_VALUE, graph,
                        tn_pb_body_span(&field));
        else
            tn_rope_span(&message, tn_pb_field_span(&c, &field));
    tn_pb_put_message(to, GRAPH_QUANTIZATION, &message);
}

static void put_annotations(struct tn_onnx_writer *w, struct tn_rope *to,
                            uint32_t graph, struct tn_span piece)
{
    struct tn_cursor   c = tn_cursor_span(piece, w->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == GRAPH_QUANTIZATION && field.type == TN_WIRE_LEN)
            put_annotation(w, to, graph, tn_pb_body_span(&field));
}

static void put_function_infos(struct tn_onnx_writer *w, struct tn_rope *to,
                               uint32_t graph)
{
    struct tn_cursor c =
        tn_cursor_span(tn_model_graph_at(w->model, graph)->wire, w->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == FUNCTION_VALUE_INFO && field.type == TN_WIRE_LEN)
            put_renamed(w, to, FUNCTION_VALUE_INFO, VALUE_NAME, graph,
                        tn_pb_body_span(&field));
}

/* Those of the file in its order, then new ones. */
static void put_value_infos(struct tn_onnx_writer *w, struct tn_rope *to,
                            uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(w->model, index);
    struct told            told;
    const struct tn_io   **changed;

    collect_told(w, index, GRAPH_VALUE_INFO, &told);
    changed =
        tn_new(&w->arena, const struct tn_io *, told.wires.count, w->error);
    for (uint32_t i = 0; changed && i < graph->values.count; i++) {
        const struct tn_io *io = &graph->values.items[i];
        uint32_t            id = tn_intern_find(&told.names, name_in_file(io));
        if (id != TN_NO_NAME)
            changed[id] = io;
    }
    for (uint32_t i = 0; i < told.wires.count && !tn_failed(w->error); i++) {
        struct tn_span wire = *tn_list_at(&told.wires, struct tn_span, i);
        if (!changed[i] && !graph->drops_values)
            put_renamed(w, to, GRAPH_VALUE_INFO, VALUE_NAME, index, wire);
        else if (changed[i] && changed[i]->dtype != TN_UNDEFINED)
            put_changed_io(w, to, GRAPH_VALUE_INFO, changed[i], wire);
    }
    for (uint32_t i = 0; i < graph->values.count && !tn_failed(w->error); i++) {
        const struct tn_io *io = &graph->values.items[i];
        if (io->dtype != TN_UNDEFINED && !io->is_guessed &&
            !find_told(&told, io).source)
            put_changed_io(w, to, GRAPH_VALUE_INFO, io,
                           (struct tn_span){ NULL, 0, 0 });
    }
    told_done(&told);
}

static void put_graph_body(struct tn_onnx_writer *w, struct tn_rope *to,
                           uint32_t index, unsigned depth)
{
    const struct tn_graph *graph = tn_model_graph_at(w->model, index);
    uint32_t               said  = OF_GRAPH;
    struct tn_span         piece;

    put_ops(w, to, GRAPH_NODE, graph, depth);
    if (graph->wire.source)
        put_name(w, to, GRAPH_NAME, graph->name);
    else
        put_new_name(w, to, index);
    put_initializers(w, to, index);
    if (!graph->wire.source) {
        if (index == 0)
            tn_onnx_put_graph_about(w, to);
        put_io_list(w, to, GRAPH_INPUT, graph->inputs, true);
        put_io_list(w, to, GRAPH_OUTPUT, graph->outputs, true);
        put_io_list(w, to, GRAPH_VALUE_INFO, graph->values, true);
        return;
    }
    if (graph->has_other_io) {
        put_changed_list(w, to, index, GRAPH_INPUT, graph->inputs);
        put_changed_list(w, to, index, GRAPH_OUTPUT, graph->outputs);
        said |= OF_IO;
    }
    if (graph->values.count || graph->drops_values || has_renames(w)) {
        put_value_infos(w, to, index);
        said |= BIT(GRAPH_VALUE_INFO);
    }
    if (has_renames(w))
        said |= BIT(GRAPH_QUANTIZATION);
    for (uint64_t i = 0; tn_onnx_graph_piece(w->model, index, i, &piece); i++) {
        put_rest(w, to, piece, said);
        if (has_renames(w))
            put_annotations(w, to, index, piece);
    }
}

static void put_graph(struct tn_onnx_writer *w, struct tn_rope *to,
                      uint32_t number, uint32_t graph, unsigned depth)
{
    struct tn_rope message;

    if (graph >= w->model->graphs.count || depth > TN_ONNX_DEPTH_LIMIT) {
        tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                     depth > TN_ONNX_DEPTH_LIMIT
                         ? "graphs nested too deep"
                         : "an attribute names a graph that is not there");
        return;
    }
    const struct tn_graph *row = tn_model_graph_at(w->model, graph);
    struct tn_span         piece;
    if (!row->is_touched && row->wire.source) {
        for (uint64_t i = 0; tn_onnx_graph_piece(w->model, graph, i, &piece);
             i++)
            put_spliced_field(w, to, number, piece);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_graph_body(w, &message, graph, depth);
    tn_pb_put_message(to, number, &message);
}

/* ---- versions ----------------------------------------------------------- */

static void put_import(struct tn_rope *to, struct tn_arena *arena,
                       uint32_t number, struct tn_bytes domain,
                       uint64_t version)
{
    struct tn_rope message;

    tn_rope_init(&message, arena, to->error);
    if (domain.size)
        tn_pb_put_bytes(&message, IMPORT_DOMAIN, domain);
    tn_pb_put_varint(&message, IMPORT_VERSION, version);
    tn_pb_put_message(to, number, &message);
}

static bool read_number(struct tn_bytes text, uint64_t *value)
{
    int64_t number;

    if (!tn_int64_parse(text, &number) || number < 0)
        return false;
    *value = (uint64_t)number;
    return true;
}

bool tn_onnx_opset_read(struct tn_bytes fact, struct tn_bytes *domain,
                        uint64_t *version)
{
    size_t space = fact.size;

    while (space > 0 && fact.data[space - 1] != ' ')
        space--;
    if (space == 0)
        return false;
    *domain = tn_onnx_domain(tn_bytes(fact.data, space - 1));
    return read_number(tn_bytes(fact.data + space, fact.size - space), version);
}

/* The domains imported so far, by id. */
struct imports {
    struct tn_onnx_writer *w;
    struct tn_rope        *to;
    uint32_t               number; /* of the field to write, 0: only collect */
    struct tn_intern       domains;
};

static void import(struct imports *imports, struct tn_bytes domain,
                   uint64_t version, bool is_written)
{
    uint32_t count = tn_intern_count(&imports->domains);

    tn_intern_copy(&imports->domains, domain, imports->w->error);
    if (!is_written && tn_intern_count(&imports->domains) > count)
        put_import(imports->to, &imports->w->arena, imports->number, domain,
                   version);
}

/* Opsets that the model already imports: on its wire, or in its facts. */
static void import_known(struct imports *imports, bool is_written)
{
    const struct tn_model       *model  = imports->w->model;
    const struct tn_onnx_detail *detail = model->detail;

    for (uint64_t i = 0; detail && i < detail->import_count; i++)
        import(imports, tn_onnx_domain(detail->imports[i].domain),
               (uint64_t)detail->imports[i].version, is_written);
    for (uint64_t i = 0; !detail && i < model->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&model->facts, struct tn_fact, i);
        struct tn_bytes domain;
        uint64_t        version;
        if (tn_bytes_is(fact->key, "opset") &&
            tn_onnx_opset_read(fact->value, &domain, &version))
            import(imports, domain, version, is_written);
    }
}

/* Domains of new nodes and functions, in their first version. */
static void import_new(struct imports *imports)
{
    const struct tn_model *model    = imports->w->model;
    bool                   has_last = false;
    uint32_t               last     = TN_NO_NAME; /* most have that of the one
                                                     before                   */

    for (uint64_t i = 0; i < model->ops.count; i++) {
        const struct tn_op *op = tn_list_at(&model->ops, struct tn_op, i);
        if ((op->wire_length && op->first_attr == TN_NONE) ||
            (has_last && op->domain == last))
            continue;
        struct tn_bytes domain = tn_model_name(model, op->domain);
        import(imports, domain, domain.size ? 1 : DEFAULT_OPSET, false);
        has_last = true;
        last     = op->domain;
    }
    for (uint64_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph =
            tn_list_at(&model->graphs, struct tn_graph, i);
        if (graph->kind == TN_GRAPH_FUNCTION)
            import(imports, tn_model_name(model, graph->domain), 1, false);
    }
}

static void put_imports(struct tn_onnx_writer *w, struct tn_rope *to,
                        uint32_t number, bool is_written)
{
    struct imports imports = { .w = w, .to = to, .number = number };

    tn_intern_init(&imports.domains, &w->arena);
    import_known(&imports, is_written);
    if (!w->model->wire.source)
        import(&imports, tn_bytes("", 0), DEFAULT_OPSET, false);
    import_new(&imports);
    tn_intern_done(&imports.domains);
}

/* The smallest version that supports what was added. */
static uint64_t needed_ir(const struct tn_model *model)
{
    uint64_t needed = 0;

    for (uint64_t i = 0; i < model->graphs.count; i++)
        if (tn_list_at(&model->graphs, struct tn_graph, i)->kind ==
            TN_GRAPH_FUNCTION)
            needed = FUNCTIONS_SINCE;
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        const struct tn_onnx_type *type =
            tn_onnx_type(tn_onnx_type_number(row->elements.shape.dtype));
        if (!row->wire.source && type && type->since > needed)
            needed = type->since;
    }
    return needed;
}

static void put_ir_version(struct tn_onnx_writer *w, struct tn_rope *to,
                           uint64_t said)
{
    uint64_t needed = needed_ir(w->model);

    tn_pb_put_varint(to, MODEL_IR_VERSION, needed > said ? needed : said);
}

/* ---- the model ---------------------------------------------------------- */

static void put_function(struct tn_onnx_writer *w, struct tn_rope *to,
                         uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(w->model, index);
    struct tn_rope         message;

    if (!graph->is_touched && graph->wire.source) {
        put_spliced_field(w, to, MODEL_FUNCTIONS, graph->wire);
        return;
    }
    tn_rope_init(&message, &w->arena, w->error);
    put_name(w, &message, FUNCTION_NAME, graph->name);
    put_io_list(w, &message, FUNCTION_INPUT, graph->inputs, false);
    put_io_list(w, &message, FUNCTION_OUTPUT, graph->outputs, false);
    put_ops(w, &message, FUNCTION_NODE, graph, 0);
    if (!graph->wire.source)
        put_imports(w, &message, FUNCTION_OPSET_IMPORT, false);
    tn_pb_put_bytes(&message, FUNCTION_DOMAIN,
                    tn_model_name(w->model, graph->domain));
    put_rest(w, &message, graph->wire,
             OF_FUNCTION | (has_renames(w) ? BIT(FUNCTION_VALUE_INFO) : 0));
    if (has_renames(w))
        put_function_infos(w, &message, index);
    tn_pb_put_message(to, MODEL_FUNCTIONS, &message);
}

static void put_functions(struct tn_onnx_writer *w, struct tn_rope *to)
{
    for (uint32_t i = 0; i < w->model->graphs.count; i++)
        if (tn_model_graph_at(w->model, i)->kind == TN_GRAPH_FUNCTION)
            put_function(w, to, i);
}

static uint32_t find_training(const struct tn_model *model, struct tn_span wire)
{
    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind == TN_GRAPH_OTHER && graph->is_touched &&
            graph->wire.source == wire.source &&
            graph->wire.offset == wire.offset)
            return i;
    }
    return TN_NONE;
}

static void put_training(struct tn_onnx_writer *w, struct tn_rope *to,
                         struct tn_span wire)
{
    struct tn_cursor   c = tn_cursor_span(wire, w->error);
    struct tn_pb_field field;
    struct tn_rope     message;
    bool               is_put[TRAINING_ALGORITHM + 1] = { false };

    tn_rope_init(&message, &w->arena, w->error);
    while (tn_pb_next(&c, &field)) {
        uint32_t graph = TN_NONE;
        if (field.number <= TRAINING_ALGORITHM && is_put[field.number])
            continue; /* a further piece of what is written already */
        if (field.number == TRAINING_INITIALIZATION ||
            field.number == TRAINING_ALGORITHM)
            graph = find_training(w->model, tn_pb_body_span(&field));
        if (graph == TN_NONE) {
            put_field(w, &message, &c, &field);
            continue;
        }
        put_graph(w, &message, field.number, graph, 0);
        is_put[field.number] = true;
    }
    tn_pb_put_message(to, MODEL_TRAINING, &message);
}

static bool has_other_imports(const struct tn_onnx_writer *w)
{
    const struct tn_onnx_detail *detail = w->model->detail;

    return detail && detail->has_other_imports;
}

/* Texts that an edit set after the file was read. */
static void keep_changes(struct tn_model *made, const struct tn_model *base,
                         struct tn_error *error)
{
    struct tn_changes *changes;

    if (!base->changes)
        return;
    changes = tn_new(&made->arena, struct tn_changes, 1, error);
    if (changes)
        *changes = *base->changes;
    made->changes = changes;
}

enum tn_status tn_onnx_keep_texts(struct tn_model       *made,
                                  const struct tn_model *base,
                                  struct tn_error       *error)
{
    const struct tn_onnx_detail *was = base->detail;

    keep_changes(made, base, error);
    struct tn_onnx_detail *is =
        tn_new(&made->arena, struct tn_onnx_detail, 1, error);
    struct tn_onnx_import *imports =
        tn_new(&made->arena, struct tn_onnx_import, made->facts.count, error);

    if (!is || !imports || !was)
        return error->status;
    *is = (struct tn_onnx_detail){ .has_ir_version    = was->has_ir_version,
                                   .ir_version        = was->ir_version,
                                   .imports           = imports,
                                   .has_other_imports = true };
    for (uint64_t i = 0; i < made->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&made->facts, struct tn_fact, i);
        uint64_t version;
        if (tn_bytes_is(fact->key, "opset") &&
            tn_onnx_opset_read(fact->value, &imports[is->import_count].domain,
                               &version))
            imports[is->import_count++].version = (int64_t)version;
    }
    made->detail = is;
    made->wire   = base->wire;
    return error->status;
}

struct progress {
    bool  has_graph, has_functions;
    bool *texts; /* by change: it is written                                  */
};

/* ---- texts about the model ---------------------------------------------- */

static const struct {
    uint32_t          field;
    enum tn_text_kind kind;
} text_fields[] = {
    { MODEL_PRODUCER_NAME, TN_TEXT_PRODUCER },
    { MODEL_PRODUCER_VERSION, TN_TEXT_PRODUCER_VERSION },
    { MODEL_DOMAIN, TN_TEXT_DOMAIN },
    { MODEL_VERSION, TN_TEXT_VERSION },
    { MODEL_DOC, TN_TEXT_DOC },
};

enum { TEXT_COUNT = sizeof text_fields / sizeof text_fields[0] };

static const struct tn_text_change *text_of_field(
    const struct tn_onnx_writer *w, uint32_t number)
{
    for (size_t i = 0; i < TEXT_COUNT; i++)
        if (text_fields[i].field == number)
            return tn_changes_text(w->model->changes, text_fields[i].kind,
                                   tn_bytes(NULL, 0));
    return NULL;
}

static void put_text(struct tn_rope *to, uint32_t number, struct tn_bytes value)
{
    int64_t version;

    if (number != MODEL_VERSION)
        tn_pb_put_bytes(to, number, value);
    else if (tn_int64_parse(value, &version))
        tn_pb_put_varint(to, number, (uint64_t)version);
}

static void put_property(struct tn_onnx_writer *w, struct tn_rope *to,
                         struct tn_bytes key, struct tn_bytes value)
{
    struct tn_rope entry;

    tn_rope_init(&entry, &w->arena, w->error);
    tn_pb_put_bytes(&entry, ENTRY_KEY, key);
    tn_pb_put_bytes(&entry, ENTRY_VALUE, value);
    tn_pb_put_message(to, MODEL_METADATA, &entry);
}

static const struct tn_text_change *change_of_entry(
    const struct tn_onnx_writer *w, const struct tn_pb_field *field)
{
    struct tn_cursor   c   = field->body;
    struct tn_bytes    key = { NULL, 0 };
    struct tn_pb_field part;

    while (field->type == TN_WIRE_LEN && tn_pb_next(&c, &part))
        if (part.number == ENTRY_KEY && part.type == TN_WIRE_LEN)
            key = text_of(&part);
    return tn_changes_text(w->model->changes, TN_TEXT_METADATA, key);
}

/* A changed text stays at its place, once. */
static bool put_changed_text(struct tn_onnx_writer *w, struct tn_rope *to,
                             const struct tn_pb_field *field,
                             struct progress          *done)
{
    const struct tn_text_change *text = field->number == MODEL_METADATA
                                            ? change_of_entry(w, field)
                                            : text_of_field(w, field->number);

    if (!text)
        return false;
    bool *is_put = &done->texts[text - w->model->changes->texts];
    if (!*is_put && text->value.data && field->number == MODEL_METADATA)
        put_property(w, to, text->key, text->value);
    else if (!*is_put && text->value.data)
        put_text(to, field->number, text->value);
    *is_put = true;
    return true;
}

static void put_new_texts(struct tn_onnx_writer *w, struct tn_rope *to,
                          const struct progress *done)
{
    const struct tn_changes *changes = w->model->changes;

    for (uint32_t i = 0; changes && done->texts && i < changes->text_count;
         i++) {
        const struct tn_text_change *text = &changes->texts[i];
        if (done->texts[i])
            continue;
        if (text->kind == TN_TEXT_METADATA && !text->value.data)
            tn_changes_miss(text, w->error);
        else if (text->kind == TN_TEXT_METADATA)
            put_property(w, to, text->key, text->value);
        for (size_t k = 0; text->value.data && k < TEXT_COUNT; k++)
            if (text_fields[k].kind == text->kind)
                put_text(to, text_fields[k].field, text->value);
    }
}

static void put_model_field(struct tn_onnx_writer *w, struct tn_rope *to,
                            const struct tn_cursor   *c,
                            const struct tn_pb_field *field,
                            struct progress          *done)
{
    bool is_touched = tn_model_graph_at(w->model, 0)->is_touched;

    if (done->texts && put_changed_text(w, to, field, done))
        return;
    switch (field->number) {
    case MODEL_IR_VERSION: put_ir_version(w, to, field->value); break;
    case MODEL_GRAPH:
        if (!is_touched)
            put_field(w, to, c, field);
        else if (!done->has_graph)
            put_graph(w, to, MODEL_GRAPH, 0, 0);
        done->has_graph = true;
        break;
    case MODEL_OPSET_IMPORT:
        if (!has_other_imports(w))
            put_field(w, to, c, field);
        break;
    case MODEL_TRAINING: put_training(w, to, tn_pb_body_span(field)); break;
    case MODEL_FUNCTIONS:
        if (!done->has_functions)
            put_functions(w, to);
        done->has_functions = true;
        break;
    default: put_field(w, to, c, field); break;
    }
}

/* Nodes of attributes that an edit made, for finding their tensors' placements.
 */
static void list_values(struct tn_onnx_writer *w)
{
    for (uint64_t i = 0; i < w->model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&w->model->tensors, struct tn_tensor, i);
        if (row->wire.source || row->node == TN_NONE || row->graph == TN_NONE)
            continue;
        uint32_t op =
            tn_model_graph_at(w->model, row->graph)->first_op + row->node;
        tn_pairs_add(&w->values, op, row->slot, (uint32_t)i, w->error);
    }
}

/* The version of the format that came with an opset.  Later ones brought
 * element types, which ask for theirs. */
static uint64_t ir_of_opset(uint64_t opset)
{
    return opset < 12 ? 6 : opset < 15 ? 7 : DEFAULT_IR;
}

static uint64_t ir_of_facts(const struct tn_model *model)
{
    uint64_t        version, ir = DEFAULT_IR;
    struct tn_bytes domain;

    for (uint64_t i = 0; i < model->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&model->facts, struct tn_fact, i);
        if (tn_bytes_is(fact->key, "ir_version") &&
            read_number(fact->value, &version))
            return version;
        if (tn_bytes_is(fact->key, "opset") &&
            tn_onnx_opset_read(fact->value, &domain, &version) && !domain.size)
            ir = ir_of_opset(version);
    }
    return ir;
}

static void put_new_model(struct tn_onnx_writer *w, struct tn_rope *to)
{
    put_ir_version(w, to, ir_of_facts(w->model));
    tn_onnx_put_about(w, to);
    put_graph(w, to, MODEL_GRAPH, 0, 0);
    put_imports(w, to, MODEL_OPSET_IMPORT, false);
    tn_onnx_put_metadata(w, to);
    put_functions(w, to);
}

/* The whole model, out of its tables and what is left of its wire. */
static void put_edited(struct tn_onnx_writer *w, struct tn_rope *to)
{
    struct tn_cursor   c    = tn_cursor_span(w->model->wire, w->error);
    struct progress    done = { .has_graph = false };
    struct tn_pb_field field;

    list_values(w);
    if (!w->model->wire.source) {
        put_new_model(w, to);
        return;
    }
    if (w->model->changes && w->model->changes->text_count)
        done.texts =
            tn_new(&w->arena, bool, w->model->changes->text_count, w->error);
    while (tn_pb_next(&c, &field))
        put_model_field(w, to, &c, &field, &done);
    put_new_texts(w, to, &done);
    put_imports(w, to, MODEL_OPSET_IMPORT, !has_other_imports(w));
    if (!done.has_functions)
        put_functions(w, to);
}

/* Where a tensor may begin in an external file: on a page for those that are
 * worth mapping, so that a file system can share its blocks too. */
#define PAGE_WORTH (UINT64_C(64) << 10)
#define PAGE       UINT64_C(4096)
#define LINE       UINT64_C(64)

/* ---- placements
 * -------------------------------------------------------------- */

static const struct tn_tensor *row_at(const struct tn_onnx_writer *w,
                                      uint64_t                     index)
{
    return tn_list_at(&w->model->tensors, struct tn_tensor, index);
}

/* Names the tensor in an error. */
static enum tn_status fail_at_row(struct tn_onnx_writer *w, uint64_t index)
{
    char path[sizeof w->error->where];

    tn_tensor_path(row_at(w, index), path, sizeof path);
    tn_error_where(w->error, "%s", path);
    return w->error->status;
}

/* Strings have no raw form.  The indices of a sparse tensor stay inside: other
 * programs look for them there alone. */
static bool may_leave(const struct tn_tensor *row)
{
    return row->elements.shape.dtype != TN_STRING &&
           row->elements.shape.dtype != TN_UNDEFINED &&
           row->role != TN_ROLE_SPARSE_INDICES;
}

static enum tn_status decide(struct tn_onnx_writer *w, uint64_t index)
{
    const struct tn_tensor   *row  = row_at(w, index);
    struct tn_onnx_placement *fate = &w->placements[index];
    uint64_t                  count;

    if (!w->options->external && !w->options->is_inline)
        return TN_OK;
    if (!may_leave(row) && !row->is_external)
        return TN_OK;
    if (!tn_onnx_raw_size(&row->elements, &fate->length)) {
        if (!tn_shape_count(&row->elements.shape, &count))
            tn_shape_refuse(&row->elements.shape, row->wire.offset, w->error);
        else if (row->is_external)
            tn_error_set(w->error, TN_MALFORMED, row->wire.offset,
                         "external data of no known size");
        else /* nothing that could be moved */
            return TN_OK;
        return fail_at_row(w, index);
    }
    if (!w->options->is_inline && may_leave(row) &&
        fate->length >= w->options->threshold)
        fate->move = TN_ONNX_EXTERNAL;
    else
        fate->move = row->is_external ? TN_ONNX_INLINE : TN_ONNX_STAYS;
    if (fate->move == TN_ONNX_STAYS)
        return TN_OK;
    ++*w->options->tensors_moved;
    if (fate->move == TN_ONNX_EXTERNAL && w->options->tensors_outside)
        ++*w->options->tensors_outside;
    if (tn_payload_check(&row->elements, w->error) != TN_OK)
        return fail_at_row(w, index);
    return TN_OK;
}

static enum tn_status decide_all(struct tn_onnx_writer *w)
{
    w->placements = tn_new(&w->arena, struct tn_onnx_placement,
                           w->model->tensors.count, w->error);
    if (tn_failed(w->error))
        return w->error->status;
    for (uint64_t i = 0; i < w->model->tensors.count; i++)
        TN_TRY(decide(w, i));
    return TN_OK;
}

/* ---- the external file -------------------------------------------------- */

/* Tensors that shared a range of an external file still share it. */
struct shared {
    struct tn_intern keys;
    struct tn_list   offsets; /* uint64_t by key                             */
};

static bool is_shareable(const struct tn_tensor *row)
{
    return row->is_external &&
           row->elements.payload.encoding == TN_ENCODING_RAW;
}

/* The offset of the range if it has been written; else room for it. */
static uint64_t *find_shared(struct tn_onnx_writer *w, struct shared *shared,
                             const struct tn_tensor *row, bool *is_new)
{
    struct tn_span span = row->elements.payload.span;
    uint64_t key[3]     = { (uintptr_t)span.source, span.offset, span.length };
    uint32_t id =
        tn_intern_copy(&shared->keys, tn_bytes(key, sizeof key), w->error);

    if (id == TN_NO_NAME)
        return NULL;
    *is_new = id == shared->offsets.count;
    if (*is_new && !tn_list_push(&shared->offsets, uint64_t, w->error))
        return NULL;
    return tn_list_at(&shared->offsets, uint64_t, id);
}

static enum tn_status put_elements(struct tn_onnx_writer    *w,
                                   const struct tn_elements *elements,
                                   struct tn_sink           *sink)
{
    struct tn_payload_producer producer;
    struct tn_span             span;

    if (tn_payload_is_plain(elements, true, &span))
        return tn_sink_splice(sink, span, w->error);
    TN_TRY(tn_payload_producer_init(&producer, elements, w->model->memory, true,
                                    w->error));
    return producer.producer.produce(&producer.producer, sink, w->error);
}

static enum tn_status put_aligned(struct tn_onnx_writer *w, uint64_t index,
                                  struct tn_sink *sink)
{
    struct tn_onnx_placement *fate = &w->placements[index];
    uint64_t                  begin;

    if (!tn_align(sink->offset, fate->length >= PAGE_WORTH ? PAGE : LINE,
                  &begin))
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "more than 2^64 bytes to write");
    TN_TRY(tn_sink_zeros(sink, begin - sink->offset, w->error));
    fate->offset = begin;
    TN_TRY(put_elements(w, &row_at(w, index)->elements, sink));
    if (w->options->meter)
        TN_TRY(tn_meter_add(w->options->meter, fate->length, w->error));
    return TN_OK;
}

static enum tn_status move_out(struct tn_onnx_writer *w, struct shared *shared,
                               uint64_t index, struct tn_sink *sink)
{
    uint64_t *offset = NULL;
    bool      is_new = true;

    if (is_shareable(row_at(w, index))) {
        offset = find_shared(w, shared, row_at(w, index), &is_new);
        if (!offset)
            return w->error->status;
        w->placements[index].offset = *offset;
    }
    if (!is_new)
        return TN_OK;
    if (put_aligned(w, index, sink) != TN_OK)
        return fail_at_row(w, index);
    if (offset)
        *offset = w->placements[index].offset;
    return TN_OK;
}

static enum tn_status move_all_out(struct tn_onnx_writer *w)
{
    struct tn_sink *sink = NULL;
    struct shared   shared;
    enum tn_status  status = TN_OK;

    tn_intern_init(&shared.keys, &w->arena);
    tn_list_init(&shared.offsets, w->model->memory, sizeof(uint64_t));
    for (uint64_t i = 0; i < w->model->tensors.count && status == TN_OK; i++) {
        if (w->placements[i].move != TN_ONNX_EXTERNAL)
            continue;
        if (!sink)
            status =
                tn_output_side(w->to, w->options->external, &sink, w->error);
        if (status == TN_OK)
            status = move_out(w, &shared, i, sink);
    }
    tn_list_done(&shared.offsets);
    tn_intern_done(&shared.keys);
    return status;
}

/* ---- external files that stay ------------------------------------------- */

static enum tn_status copy_side(struct tn_onnx_writer *w,
                                struct tn_source      *source)
{
    struct tn_sink *sink;

    if (tn_output_has(w->to, source->name, source))
        return TN_OK; /* the output goes into the same folder */
    TN_TRY(tn_output_side(w->to, source->name, &sink, w->error));
    TN_TRY(tn_sink_splice(sink, (struct tn_span){ source, 0, source->size },
                          w->error));
    if (w->options->meter)
        return tn_meter_add(w->options->meter, source->size, w->error);
    return TN_OK;
}

/* Copies external files whose data stay outside: each once, whole, under its
 * own name, so that offsets stay valid. */
static enum tn_status copy_sides(struct tn_onnx_writer *w)
{
    struct tn_intern seen;
    enum tn_status   status = TN_OK;

    tn_intern_init(&seen, &w->arena);
    for (uint64_t i = 0; i < w->model->tensors.count && status == TN_OK; i++) {
        const struct tn_tensor *row    = row_at(w, i);
        struct tn_source       *source = row->elements.payload.span.source;
        uint32_t                count  = tn_intern_count(&seen);
        if (!row->is_external || !row->wire.source ||
            w->placements[i].move != TN_ONNX_STAYS)
            continue;
        tn_intern_copy(&seen, tn_bytes(&source, sizeof source), w->error);
        if (tn_failed(w->error))
            status = w->error->status;
        else if (tn_onnx_absent_of(source))
            status = tn_source_read(source, 0, &(char){ 0 }, 1, w->error);
        else if (tn_intern_count(&seen) > count)
            status = copy_side(w, source);
        if (status != TN_OK)
            fail_at_row(w, i);
    }
    tn_intern_done(&seen);
    return status;
}

/* ---- patches ------------------------------------------------------------ */

static int by_wire(const void *left, const void *right, void *context)
{
    const struct tn_onnx_patch *a = left, *b = right;

    (void)context;
    if (a->wire.source != b->wire.source)
        return (uintptr_t)a->wire.source < (uintptr_t)b->wire.source ? -1 : 1;
    return (a->wire.offset > b->wire.offset) -
           (a->wire.offset < b->wire.offset);
}

/* Whether the tensor has another name in the file. */
static bool is_renamed(struct tn_onnx_writer *w, const struct tn_tensor *row)
{
    struct tn_pb_field field;

    if (!w->model->changes || w->model->changes->rename_count == 0 ||
        row->node != TN_NONE || !row->wire.source)
        return false;
    struct tn_cursor c = tn_cursor_span(row->wire, w->error);
    while (tn_pb_next(&c, &field))
        if (field.number == TENSOR_NAME && field.type == TN_WIRE_LEN)
            return !tn_bytes_equal(text_of(&field), tn_tensor_name(row));
    return false;
}

static enum tn_status list_patches(struct tn_onnx_writer *w)
{
    for (uint64_t i = 0; i < w->model->tensors.count; i++) {
        if (!row_at(w, i)->wire.source ||
            (w->placements[i].move == TN_ONNX_STAYS &&
             !is_renamed(w, row_at(w, i))))
            continue;
        struct tn_onnx_patch *patch =
            tn_list_push(&w->patches, struct tn_onnx_patch, w->error);
        if (!patch)
            return w->error->status;
        *patch = (struct tn_onnx_patch){ row_at(w, i)->wire, (uint32_t)i };
    }
    if (w->patches.count)
        tn_sort_items(w->patches.items, w->patches.count,
                      sizeof(struct tn_onnx_patch), by_wire, NULL);
    return TN_OK;
}

static const struct tn_onnx_patch *patch_at(const struct tn_onnx_writer *w,
                                            uint64_t                     index)
{
    if (index >= w->patches.count)
        return NULL;
    return tn_list_at(&w->patches, struct tn_onnx_patch, index);
}

/* The first patch at or after the beginning of the span, in its source. */
static uint64_t first_patch(const struct tn_onnx_writer *w, struct tn_span span)
{
    struct tn_onnx_patch wanted = { span, 0 };
    uint64_t             at;

    TN_BISECT(at, 0, w->patches.count,
              by_wire(patch_at(w, at), &wanted, NULL) < 0);
    return at;
}

static bool is_within(const struct tn_onnx_patch *patch, struct tn_span span)
{
    return patch && patch->wire.source == span.source &&
           patch->wire.offset >= span.offset &&
           patch->wire.offset - span.offset <= span.length &&
           patch->wire.length <=
               span.length - (patch->wire.offset - span.offset);
}

/* ---- a tensor, written anew --------------------------------------------- */

static void put_entry(struct tn_rope *to, struct tn_arena *arena,
                      const char *key, const char *value)
{
    struct tn_rope entry;

    tn_rope_init(&entry, arena, to->error);
    tn_pb_put_text(&entry, ENTRY_KEY, key);
    tn_pb_put_text(&entry, ENTRY_VALUE, value);
    tn_pb_put_message(to, TENSOR_EXTERNAL_DATA, &entry);
}

static void put_location(struct tn_onnx_writer *w, struct tn_rope *to,
                         const struct tn_onnx_placement *fate)
{
    char number[24];

    put_entry(to, &w->arena, "location", w->options->external);
    snprintf(number, sizeof number, "%" PRIu64, fate->offset);
    put_entry(to, &w->arena, "offset", number);
    snprintf(number, sizeof number, "%" PRIu64, fate->length);
    put_entry(to, &w->arena, "length", number);
    tn_pb_put_varint(to, TENSOR_DATA_LOCATION, 1);
}

static void put_raw(struct tn_onnx_writer *w, struct tn_rope *to,
                    const struct tn_elements *elements)
{
    struct tn_span span;

    if (tn_payload_is_plain(elements, true, &span)) {
        tn_pb_put_span(to, TENSOR_RAW_DATA, span);
        return;
    }
    struct tn_payload_producer *producer =
        tn_new(&w->arena, struct tn_payload_producer, 1, w->error);
    if (producer &&
        tn_payload_producer_init(producer, elements, w->model->memory, true,
                                 w->error) == TN_OK)
        tn_pb_put_producer(to, TENSOR_RAW_DATA, &producer->producer);
}

struct string_writer {
    struct tn_rope *to;
};

static enum tn_status put_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct string_writer *strings = context;

    (void)index;
    tn_pb_put_span(strings->to, TENSOR_STRING_DATA, text);
    return error->status;
}

/* The elements of tensor row `tensor` (TN_NONE: it has none) as its fate says:
 * the fields that hold them, at the end of a TensorProto. */
static void put_holder(struct tn_onnx_writer *w, struct tn_rope *to,
                       const struct tn_elements *elements, uint32_t tensor)
{
    struct string_writer strings = { to };
    uint64_t             count   = 0;

    if (tensor != TN_NONE && w->placements[tensor].move == TN_ONNX_EXTERNAL)
        put_location(w, to, &w->placements[tensor]);
    else if (elements->shape.dtype != TN_STRING)
        put_raw(w, to, elements);
    else if (tn_shape_count(&elements->shape, &count))
        tn_payload_strings(elements, 0, count, put_string, &strings, w->error);
    else
        tn_shape_refuse(&elements->shape, TN_NOWHERE, w->error);
}

/* Fields that say where the elements are. */
static bool is_holder(uint32_t number)
{
    switch (number) {
    case TENSOR_FLOAT_DATA:
    case TENSOR_INT32_DATA:
    case TENSOR_STRING_DATA:
    case TENSOR_INT64_DATA:
    case TENSOR_RAW_DATA:
    case TENSOR_DOUBLE_DATA:
    case TENSOR_UINT64_DATA:
    case TENSOR_EXTERNAL_DATA:
    case TENSOR_DATA_LOCATION: return true;
    default: return false;
    }
}

/* The old message with another name or another holder, which goes where its
 * number belongs among fields that usually ascend. */
static void put_patched(struct tn_onnx_writer *w, struct tn_rope *to,
                        const struct tn_onnx_patch *patch)
{
    const struct tn_elements *elements = &row_at(w, patch->tensor)->elements;
    struct tn_cursor          c        = tn_cursor_span(patch->wire, w->error);
    uint32_t holder = w->placements[patch->tensor].move == TN_ONNX_EXTERNAL
                          ? TENSOR_EXTERNAL_DATA
                          : TENSOR_RAW_DATA;
    bool     stays  = w->placements[patch->tensor].move == TN_ONNX_STAYS;
    uint32_t named  = is_renamed(w, row_at(w, patch->tensor)) ? TENSOR_NAME : 0;
    struct tn_pb_field field;
    bool               is_put = stays;

    while (tn_pb_next(&c, &field)) {
        if (!is_put && field.number > holder) {
            put_holder(w, to, elements, patch->tensor);
            is_put = true;
        }
        if (named && field.number == named)
            tn_pb_put_bytes(to, named,
                            tn_tensor_name(row_at(w, patch->tensor)));
        else if (stays || !is_holder(field.number))
            tn_rope_span(to, tn_pb_field_span(&c, &field));
    }
    if (!is_put)
        put_holder(w, to, elements, patch->tensor);
}

/* ---- splicing around patches -------------------------------------------- */

/* A message on the path to a patch.  The stack is in memory of ours, because
 * the file decides how deep it is. */
struct level {
    struct tn_cursor c;
    struct tn_rope   rope;
    uint32_t         number; /* of the field that holds it                   */
};

struct descent {
    struct tn_onnx_writer *w;
    struct tn_list         levels; /* struct level                           */
    uint64_t               next;   /* patch                                  */
};

static struct level *top_of(struct descent *d)
{
    return tn_list_at(&d->levels, struct level, d->levels.count - 1);
}

static void push_level(struct descent *d, struct tn_cursor c, uint32_t number)
{
    struct level *level = tn_list_push(&d->levels, struct level, d->w->error);

    if (!level)
        return;
    level->c      = c;
    level->number = number;
    tn_rope_init(&level->rope, &d->w->arena, d->w->error);
}

/* Puts the finished message on top into the one below it. */
static void pop_level(struct descent *d)
{
    struct level *level = top_of(d);
    struct level *below = level - 1;

    d->levels.count--;
    tn_pb_put_message(&below->rope, level->number, &level->rope);
    tn_rope_done(&level->rope);
}

static void put_patch(struct descent *d, uint32_t number)
{
    struct tn_rope message;

    tn_rope_init(&message, &d->w->arena, d->w->error);
    put_patched(d->w, &message, patch_at(d->w, d->next++));
    tn_pb_put_message(&top_of(d)->rope, number, &message);
}

static void splice_field(struct descent *d, const struct tn_pb_field *field)
{
    const struct tn_onnx_patch *patch = patch_at(d->w, d->next);
    struct tn_span              body  = { NULL, 0, 0 };

    if (field->type == TN_WIRE_LEN)
        body = tn_pb_body_span(field);
    if (!is_within(patch, body)) {
        struct level *top = top_of(d);
        tn_rope_span(&top->rope, tn_pb_field_span(&top->c, field));
    } else if (patch->wire.offset == body.offset) {
        put_patch(d, field->number);
    } else {
        push_level(d, field->body, field->number);
    }
}

static void descend(struct descent *d)
{
    struct tn_pb_field field;

    while (!tn_failed(d->w->error)) {
        if (tn_pb_next(&top_of(d)->c, &field))
            splice_field(d, &field);
        else if (d->levels.count > 1)
            pop_level(d);
        else
            return;
    }
}

/* The bytes of a message, spliced, with the patches that fall into it. */
static void put_spliced(struct tn_onnx_writer *w, struct tn_rope *to,
                        struct tn_span message)
{
    struct descent d = { .w = w, .next = first_patch(w, message) };

    if (!is_within(patch_at(w, d.next), message)) {
        tn_rope_span(to, message);
        return;
    }
    if (patch_at(w, d.next)->wire.offset == message.offset) {
        put_patched(w, to, patch_at(w, d.next));
        return;
    }
    tn_list_init(&d.levels, w->model->memory, sizeof(struct level));
    push_level(&d, tn_cursor_span(message, w->error), 0);
    if (!tn_failed(w->error))
        descend(&d);
    if (!tn_failed(w->error))
        tn_rope_append(to, &top_of(&d)->rope);
    while (d.levels.count > 0) {
        tn_rope_done(&top_of(&d)->rope);
        d.levels.count--;
    }
    tn_list_done(&d.levels);
}

/* A field that holds such a message. */
static void put_spliced_field(struct tn_onnx_writer *w, struct tn_rope *to,
                              uint32_t number, struct tn_span message)
{
    struct tn_rope body;

    tn_rope_init(&body, &w->arena, w->error);
    put_spliced(w, &body, message);
    tn_pb_put_message(to, number, &body);
}

/* ---- from the top ------------------------------------------------------- */

static enum tn_status put_model(struct tn_onnx_writer *w)
{
    struct tn_sink *sink;
    struct tn_rope  model;

    tn_rope_init(&model, &w->arena, w->error);
    if (w->model->is_edited)
        put_edited(w, &model);
    else
        put_spliced(w, &model, w->model->wire);
    if (!tn_failed(w->error) && model.length >= TN_ONNX_FILE_LIMIT)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an ONNX file of %" PRIu64 " bytes, but no other program "
                     "opens more than %" PRIu64 ": put the weights into a "
                     "side file (--external NAME)",
                     model.length, TN_ONNX_FILE_LIMIT - 1);
    if (!tn_failed(w->error) && tn_output_main(w->to, &sink, w->error) == TN_OK)
        tn_rope_write(&model, sink, w->error);
    if (!tn_failed(w->error) && w->options->meter)
        tn_meter_add(w->options->meter, model.length, w->error);
    tn_rope_done(&model);
    return w->error->status;
}

static enum tn_status write_all(struct tn_onnx_writer *w)
{
    TN_TRY(decide_all(w));
    TN_TRY(list_patches(w));
    TN_TRY(move_all_out(w));
    TN_TRY(copy_sides(w));
    return put_model(w);
}

enum tn_status tn_onnx_write(const struct tn_model         *model,
                             const struct tn_write_options *options,
                             struct tn_output *to, struct tn_error *error)
{
    struct tn_onnx_writer w = {
        .model = model, .options = options, .to = to, .error = error
    };

    tn_arena_init(&w.arena, model->memory);
    tn_list_init(&w.patches, model->memory, sizeof(struct tn_onnx_patch));
    tn_pairs_init(&w.values, model->memory);
    tn_pairs_init(&w.attr_lists, model->memory);
    tn_list_init(&w.attr_bytes, model->memory, sizeof(struct tn_bytes));
    write_all(&w);
    tn_list_done(&w.attr_bytes);
    tn_pairs_done(&w.attr_lists);
    tn_pairs_done(&w.values);
    tn_list_done(&w.patches);
    tn_arena_done(&w.arena);
    return error->status;
}
