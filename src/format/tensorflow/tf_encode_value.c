/*
 * tf_encode_value.c - constants and attributes as bytes
 *
 *   TensorProto  1 dtype  2 tensor_shape {2 dim {1 size}}  4 tensor_content
 *                or 8 string_val; resources and variants have 14 and 15
 *   AttrValue    as in tf_attr.c
 */
#include "base/number.h"
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_encode.h"

static void put_dims(struct tn_tf_encoder *encoder, struct tn_rope *shape,
                     const struct tn_shape *of)
{
    for (uint32_t i = 0; i < of->rank; i++) {
        struct tn_rope dim;
        tn_rope_init(&dim, encoder->arena, encoder->error);
        if (of->dims[i])
            tn_pb_put_varint(&dim, 1, of->dims[i]);
        tn_pb_put_message(shape, 2, &dim);
        tn_rope_done(&dim);
    }
}

struct string_context {
    struct tn_rope *to;
    uint32_t        field;
};

static enum tn_status put_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct string_context *c = context;

    (void)index;
    tn_pb_put_span(c->to, c->field, text);
    return error->status;
}

static void put_content(struct tn_tf_encoder     *encoder,
                        const struct tn_elements *elements, struct tn_rope *to)
{
    struct tn_span              span;
    struct tn_payload_producer *producer;

    if (tn_payload_is_plain(elements, false, &span)) {
        tn_pb_put_span(to, TN_TF_TENSOR_CONTENT, span);
        return;
    }
    producer =
        tn_new(encoder->arena, struct tn_payload_producer, 1, encoder->error);
    if (producer &&
        tn_payload_producer_init(producer, elements, encoder->arena->memory,
                                 false, encoder->error) == TN_OK)
        tn_pb_put_producer(to, TN_TF_TENSOR_CONTENT, &producer->producer);
}

/* A TensorProto. */
static void encode_tensor(struct tn_tf_encoder     *encoder,
                          const struct tn_elements *elements,
                          struct tn_rope           *to)
{
    enum tn_dtype  dtype  = elements->shape.dtype;
    uint32_t       number = tn_tf_dtype_number(dtype);
    uint64_t       count;
    struct tn_rope shape;

    if (number == 0 || !tn_shape_count(&elements->shape, &count)) {
        tn_error_set(encoder->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "TensorFlow has no elements of type %s",
                     tn_dtype_name(dtype));
        return;
    }
    tn_pb_put_varint(to, 1, number);
    tn_rope_init(&shape, encoder->arena, encoder->error);
    put_dims(encoder, &shape, &elements->shape);
    tn_pb_put_message(to, 2, &shape);
    tn_rope_done(&shape);
    if (count == 0 || elements->payload.encoding == TN_ENCODING_NONE)
        return; /* nothing stored means zeros, or empty strings */
    if (tn_dtype_size(dtype)) {
        put_content(encoder, elements, to);
    } else {
        struct string_context strings = { to, tn_tf_value_field(dtype) };
        tn_payload_strings(elements, 0, count, put_string, &strings,
                           encoder->error);
    }
}

/* ---- attributes --------------------------------------------------------- */

static void put_shape(struct tn_tf_encoder *encoder, struct tn_rope *to,
                      uint32_t number, const struct tn_attr_shape *of)
{
    struct tn_rope shape, dim;

    tn_rope_init(&shape, encoder->arena, encoder->error);
    for (uint32_t i = 0; of->has_rank && i < of->rank; i++) {
        tn_rope_init(&dim, encoder->arena, encoder->error);
        if (of->dims[i])
            tn_pb_put_varint(&dim, 1, (uint64_t)of->dims[i]);
        tn_pb_put_message(&shape, 2, &dim);
        tn_rope_done(&dim);
    }
    if (!of->has_rank)
        tn_pb_put_varint(&shape, 3, 1);
    tn_pb_put_message(to, number, &shape);
    tn_rope_done(&shape);
}

static void put_tensor(struct tn_tf_encoder *encoder, struct tn_rope *to,
                       uint32_t number, const struct tn_tensor *tensor)
{
    struct tn_rope message;

    /* A tensor that a TensorProto holds already is that TensorProto. */
    if (tensor->wire.length && tensor->role == TN_ROLE_ATTRIBUTE &&
        tensor->model && tensor->model->dialect == &tn_dialect_tensorflow) {
        tn_pb_put_span(to, number, tensor->wire);
        return;
    }
    tn_rope_init(&message, encoder->arena, encoder->error);
    encode_tensor(encoder, &tensor->elements, &message);
    tn_pb_put_message(to, number, &message);
    tn_rope_done(&message);
}

static void put_function(struct tn_tf_encoder *encoder, struct tn_rope *to,
                         uint32_t number, struct tn_bytes name)
{
    struct tn_rope function;

    tn_rope_init(&function, encoder->arena, encoder->error);
    tn_pb_put_bytes(&function, 1, name);
    tn_pb_put_message(to, number, &function);
    tn_rope_done(&function);
}

/* Field numbers of a kind in AttrValue and, if it differs, in its list. */
static uint32_t kind_number(enum tn_attr_kind kind, bool is_list)
{
    switch (kind) {
    case TN_ATTR_STRING: return 2;
    case TN_ATTR_INT: return 3;
    case TN_ATTR_FLOAT: return 4;
    case TN_ATTR_BOOL: return 5;
    case TN_ATTR_DTYPE: return 6;
    case TN_ATTR_SHAPE: return 7;
    case TN_ATTR_TENSOR: return 8;
    case TN_ATTR_REFERENCE: return is_list ? 0 : 9;
    case TN_ATTR_FUNCTION: return is_list ? 9 : 10;
    case TN_ATTR_NONE:
    case TN_ATTR_GRAPH:
    case TN_ATTR_OTHER:
    case TN_ATTR_DOUBLE: return 0;
    }
    return 0;
}

static uint64_t number_bits(const struct tn_attr_value *value, uint32_t index)
{
    if (value->kind == TN_ATTR_DTYPE)
        return tn_tf_dtype_number((enum tn_dtype)value->of.ints[index]);
    return (uint64_t)value->of.ints[index];
}

static void put_one(struct tn_tf_encoder *encoder, struct tn_rope *to,
                    uint32_t number, const struct tn_attr_value *value,
                    uint32_t i)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE:
        tn_pb_put_varint(to, number, number_bits(value, i));
        break;
    case TN_ATTR_FLOAT:
        tn_pb_put_fixed32(to, number, tn_float_bits(value->of.floats[i]));
        break;
    case TN_ATTR_SHAPE:
        put_shape(encoder, to, number, &value->of.shapes[i]);
        break;
    case TN_ATTR_TENSOR:
        put_tensor(encoder, to, number, value->of.tensors[i]);
        break;
    case TN_ATTR_FUNCTION:
        put_function(encoder, to, number, value->of.strings[i]);
        break;
    default: tn_pb_put_bytes(to, number, value->of.strings[i]); break;
    }
}

/* Numbers in a list are packed, as TensorFlow writes them. */
static void put_packed(struct tn_tf_encoder *encoder, struct tn_rope *to,
                       uint32_t number, const struct tn_attr_value *value)
{
    struct tn_buffer packed;

    tn_buffer_init(&packed, encoder->arena->memory, encoder->error);
    for (uint32_t i = 0; i < value->count; i++)
        if (value->kind == TN_ATTR_FLOAT)
            tn_buffer_u32(&packed, tn_float_bits(value->of.floats[i]));
        else
            tn_buffer_varint(&packed, number_bits(value, i));
    tn_pb_put_bytes(to, number, tn_buffer_bytes(&packed));
    tn_buffer_done(&packed);
}

static void put_list(struct tn_tf_encoder *encoder, struct tn_rope *to,
                     uint32_t number, const struct tn_attr_value *value)
{
    struct tn_rope list;

    tn_rope_init(&list, encoder->arena, encoder->error);
    if (value->count && number >= 3 && number <= 6)
        put_packed(encoder, &list, number, value);
    else
        for (uint32_t i = 0; i < value->count; i++)
            put_one(encoder, &list, number, value, i);
    tn_pb_put_message(to, 1, &list);
    tn_rope_done(&list);
}

void tn_tf_encode_attr(struct tn_tf_encoder       *encoder,
                       const struct tn_attr_value *value, struct tn_rope *to)
{
    uint32_t number = kind_number(value->kind, value->is_list);

    if (number == 0 && value->count) {
        tn_error_set(encoder->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "TensorFlow has no attributes of kind %d",
                     (int)value->kind);
        return;
    }
    if (value->is_list)
        put_list(encoder, to, number, value);
    else if (value->count)
        put_one(encoder, to, number, value, 0);
}
