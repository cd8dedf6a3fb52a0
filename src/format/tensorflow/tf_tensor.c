/*
 * tf_tensor.c - TensorProto: where a constant keeps its elements
 *
 *   1 dtype   2 tensor_shape   4 tensor_content, or one of the typed fields
 *   5 float_val    6 double_val   7 int_val     8 string_val   9 scomplex_val
 *   10 int64_val   11 bool_val    12 dcomplex_val   13 half_val
 *   14 resource_handle_val   15 variant_val   16 uint32_val   17 uint64_val
 *   18 float8_val (bytes, one an element)
 *
 * tensor_content wins when it is not empty, and must be complete.  Typed values
 * may be fewer than the shape has elements: the last one is repeated; none at
 * all are zeros.  More than that are ignored.  Weights are never read here:
 * fixed-size values are counted by their length, and varints only where they
 * are few.
 */
#include <stddef.h>

#include "base/arith.h"
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_dtype.h"

/* ---- TensorFlow's DataType numbers, and what they mean ------------------ */

/* By number. */
static const struct tf_type {
    const char   *name, *ref_name;
    enum tn_dtype dtype;
    uint32_t      value_field;
} types[] = {
#define TYPE(name) "DT_" #name, "DT_" #name "_REF"
    { "DT_INVALID", NULL, TN_UNDEFINED, 0 },
    { TYPE(FLOAT), TN_FLOAT32, TN_TF_FLOAT_VAL },
    { TYPE(DOUBLE), TN_FLOAT64, TN_TF_DOUBLE_VAL },
    { TYPE(INT32), TN_INT32, TN_TF_INT_VAL },
    { TYPE(UINT8), TN_UINT8, TN_TF_INT_VAL },
    { TYPE(INT16), TN_INT16, TN_TF_INT_VAL },
    { TYPE(INT8), TN_INT8, TN_TF_INT_VAL },
    { TYPE(STRING), TN_STRING, TN_TF_STRING_VAL },
    { TYPE(COMPLEX64), TN_COMPLEX64, TN_TF_SCOMPLEX_VAL },
    { TYPE(INT64), TN_INT64, TN_TF_INT64_VAL },
    { TYPE(BOOL), TN_BOOL, TN_TF_BOOL_VAL },
    { TYPE(QINT8), TN_QINT8, TN_TF_INT_VAL },
    { TYPE(QUINT8), TN_QUINT8, TN_TF_INT_VAL },
    { TYPE(QINT32), TN_QINT32, TN_TF_INT_VAL },
    { TYPE(BFLOAT16), TN_BFLOAT16, TN_TF_HALF_VAL },
    { TYPE(QINT16), TN_QINT16, TN_TF_INT_VAL },
    { TYPE(QUINT16), TN_QUINT16, TN_TF_INT_VAL },
    { TYPE(UINT16), TN_UINT16, TN_TF_INT_VAL },
    { TYPE(COMPLEX128), TN_COMPLEX128, TN_TF_DCOMPLEX_VAL },
    { TYPE(HALF), TN_FLOAT16, TN_TF_HALF_VAL },
    { TYPE(RESOURCE), TN_RESOURCE, TN_TF_RESOURCE_VAL },
    { TYPE(VARIANT), TN_VARIANT, TN_TF_VARIANT_VAL },
    { TYPE(UINT32), TN_UINT32, TN_TF_UINT32_VAL },
    { TYPE(UINT64), TN_UINT64, TN_TF_UINT64_VAL },
    { TYPE(FLOAT8_E5M2), TN_FLOAT8E5M2, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E4M3FN), TN_FLOAT8E4M3FN, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E4M3FNUZ), TN_FLOAT8E4M3FNUZ, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E4M3B11FNUZ), TN_FLOAT8E4M3B11FNUZ, TN_TF_FLOAT8_VAL },
    { TYPE(FLOAT8_E5M2FNUZ), TN_FLOAT8E5M2FNUZ, TN_TF_FLOAT8_VAL },
    { TYPE(INT4), TN_INT4, TN_TF_INT_VAL },
    { TYPE(UINT4), TN_UINT4, TN_TF_INT_VAL },
    { TYPE(INT2), TN_INT2, TN_TF_INT_VAL },
    { TYPE(UINT2), TN_UINT2, TN_TF_INT_VAL },
    { TYPE(FLOAT4_E2M1FN), TN_FLOAT4E2M1, TN_TF_FLOAT8_VAL },
#undef TYPE
};

#define TYPE_COUNT (sizeof types / sizeof *types)

enum tn_dtype tn_tf_dtype(uint64_t number)
{
    if (number > TN_TF_REF)
        number -= TN_TF_REF;
    return number < TYPE_COUNT ? types[number].dtype : TN_UNDEFINED;
}

uint32_t tn_tf_dtype_number(enum tn_dtype dtype)
{
    for (uint32_t i = 1; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype)
            return i;
    return 0;
}

const char *tn_tf_dtype_name(uint64_t number)
{
    if (number < TYPE_COUNT)
        return types[number].name;
    if (number > TN_TF_REF && number - TN_TF_REF < TYPE_COUNT)
        return types[number - TN_TF_REF].ref_name;
    return NULL;
}

uint32_t tn_tf_value_field(enum tn_dtype dtype)
{
    return types[tn_tf_dtype_number(dtype)].value_field;
}

/* Packed varints up to this many bytes are structure: we look how many there
 * are, so that a splat can be told from a full list. */
#define COUNT_LIMIT 4096

void tn_tf_shape_init(struct tn_tf_shape *shape)
{
    shape->unknown_rank = false;
    shape->rank         = 0;
}

static int64_t read_dim(struct tn_cursor *c)
{
    struct tn_pb_field field;
    int64_t            size = 0;

    while (tn_pb_next(c, &field))
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            size = (int64_t)field.value;
    return size;
}

void tn_tf_shape_read(struct tn_cursor *c, struct tn_tf_shape *shape)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_VARINT)) {
            shape->unknown_rank = field.value != 0;
        } else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN)) {
            if (shape->rank == TN_TF_RANK_LIMIT)
                tn_fail_at(c, field.offset, TN_LIMIT,
                           "a shape of more than %d dimensions",
                           TN_TF_RANK_LIMIT);
            else
                shape->dims[shape->rank++] = read_dim(&field.body);
        }
    }
}

/* The dims as a tensor has them; false when one is negative, the rank is not
 * known or their product does not fit. */
static bool shape_dims(const struct tn_tf_shape *shape, struct tn_arena *arena,
                       struct tn_shape *dims, struct tn_error *error)
{
    uint64_t count;

    if (shape->unknown_rank)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0)
            return false;
    dims->rank = shape->rank;
    dims->dims = NULL;
    if (shape->rank) {
        uint64_t *to = tn_new(arena, uint64_t, shape->rank, error);
        for (uint32_t i = 0; to && i < shape->rank; i++)
            to[i] = (uint64_t)shape->dims[i];
        dims->dims = to;
        if (!to)
            return false;
    }
    return tn_shape_count(dims, &count);
}

/* ---- reading ------------------------------------------------------------ */

static void take_values(const struct tn_cursor *c, struct tn_tf_tensor *tensor,
                        const struct tn_pb_field *field)
{
    tensor->occurrences++;
    if (field->type != TN_WIRE_LEN)
        return;
    tensor->packed_occurrences++;
    tensor->last_occurrence = tn_pb_field_span(c, field);
    tensor->values          = tn_pb_body_span(field);
    tensor->value_bytes += tensor->values.length;
}

static void take_field(struct tn_cursor *c, struct tn_tf_tensor *tensor,
                       struct tn_pb_field *field, bool *is_late)
{
    switch (field->number) {
    case 1:
        if (!tn_pb_expect(c, field, TN_WIRE_VARINT))
            return;
        tensor->type  = field->value;
        tensor->field = tn_tf_value_field(tn_tf_dtype(field->value));
        break;
    case 2:
        if (tn_pb_expect(c, field, TN_WIRE_LEN))
            tn_tf_shape_read(&field->body, &tensor->shape);
        break;
    case TN_TF_TENSOR_CONTENT:
        if (tn_pb_expect(c, field, TN_WIRE_LEN))
            tensor->content = tn_pb_body_span(field);
        break;
    default:
        if (field->number == tensor->field)
            take_values(c, tensor, field);
        else if (!tensor->type)
            *is_late = true;
        break;
    }
}

/* Values that precede the type: rare, so they cost a second walk. */
static void take_values_again(struct tn_cursor c, struct tn_tf_tensor *tensor)
{
    struct tn_pb_field field;

    tensor->occurrences = tensor->packed_occurrences = 0;
    tensor->value_bytes                              = 0;
    while (tn_pb_next(&c, &field))
        if (field.number == tensor->field)
            take_values(&c, tensor, &field);
}

void tn_tf_tensor_read(struct tn_cursor *c, struct tn_tf_tensor *tensor)
{
    struct tn_cursor   begin   = *c;
    bool               is_late = false;
    struct tn_pb_field field;

    tensor->wire        = (struct tn_span){ c->source, c->offset, tn_left(c) };
    tensor->type        = 0;
    tensor->content     = (struct tn_span){ NULL, 0, 0 };
    tensor->field       = 0;
    tensor->occurrences = tensor->packed_occurrences = tensor->value_bytes = 0;
    tn_tf_shape_init(&tensor->shape);
    while (tn_pb_next(c, &field))
        take_field(c, tensor, &field, &is_late);
    if (is_late && tensor->field)
        take_values_again(begin, tensor);
}

/* ---- from fields to a payload ------------------------------------------- */

static bool has_no_fixed_size(enum tn_dtype dtype)
{
    return tn_dtype_size(dtype) == 0;
}

static uint64_t count_varints(struct tn_span span, struct tn_error *error)
{
    struct tn_cursor c     = tn_cursor_span(span, error);
    uint64_t         count = 0;

    while (tn_more(&c))
        count += tn_u8(&c) < 0x80;
    return count;
}

static uint32_t unit_size(enum tn_dtype dtype)
{
    if (dtype == TN_COMPLEX64)
        return 4;
    return dtype == TN_COMPLEX128 ? 8 : tn_dtype_size(dtype);
}

/* Floats and doubles in one packed field are raw units already: large ones can
 * then be copied as they are.  Small ones stay what the file calls them. */
static void set_fixed(const struct tn_tf_tensor *tensor,
                      struct tn_elements *elements, uint64_t needed)
{
    struct tn_payload *payload = &elements->payload;
    enum tn_dtype      dtype   = elements->shape.dtype;
    uint64_t           unit    = unit_size(dtype);
    uint64_t           stored  = tensor->values.length / unit;

    if (dtype == TN_COMPLEX64 || dtype == TN_COMPLEX128)
        stored &= ~UINT64_C(1);
    if (stored == 0)
        return;
    payload->stored = tn_min(stored, needed);
    payload->span   = tensor->values;
    if (tensor->values.length <= COUNT_LIMIT &&
        tensor->field != TN_TF_FLOAT8_VAL) {
        payload->encoding = TN_ENCODING_FIELD;
        payload->field    = tensor->field;
        payload->span     = tensor->last_occurrence;
    } else {
        payload->encoding    = TN_ENCODING_RAW;
        payload->span.length = payload->stored * unit;
    }
}

static void set_varints(const struct tn_tf_tensor *tensor,
                        struct tn_payload *payload, uint64_t needed,
                        struct tn_error *error)
{
    payload->encoding     = TN_ENCODING_VARINTS;
    payload->span         = tensor->values;
    payload->is_uncounted = tensor->values.length > COUNT_LIMIT;
    if (payload->is_uncounted)
        return;
    uint64_t count  = count_varints(tensor->values, error);
    payload->stored = tn_min(count, needed);
    if (count == 0)
        payload->encoding = TN_ENCODING_NONE;
}

/* Several occurrences, packed or one by one, or messages and strings. */
static void set_runs(const struct tn_tf_tensor *tensor,
                     struct tn_elements *elements, uint64_t needed)
{
    struct tn_payload *payload = &elements->payload;

    payload->encoding = TN_ENCODING_FIELD;
    payload->span     = tensor->wire;
    payload->field    = tensor->field;
    if (tensor->packed_occurrences == 0 ||
        has_no_fixed_size(elements->shape.dtype))
        payload->stored = tn_min(tensor->occurrences, needed);
    else
        payload->is_uncounted = true;
}

static void set_values(const struct tn_tf_tensor *tensor,
                       struct tn_elements *elements, uint64_t needed,
                       struct tn_error *error)
{
    enum tn_dtype dtype = elements->shape.dtype;
    bool          is_one_run =
        tensor->occurrences == 1 && tensor->packed_occurrences == 1;

    if (tensor->field == TN_TF_FLOAT8_VAL) { /* bytes: the last one counts */
        if (tensor->values.length)
            set_fixed(tensor, elements, needed);
    } else if (has_no_fixed_size(dtype) || !is_one_run) {
        set_runs(tensor, elements, needed);
    } else if (tensor->field == TN_TF_FLOAT_VAL ||
               tensor->field == TN_TF_DOUBLE_VAL ||
               tensor->field == TN_TF_SCOMPLEX_VAL ||
               tensor->field == TN_TF_DCOMPLEX_VAL) {
        set_fixed(tensor, elements, needed);
    } else {
        set_varints(tensor, &elements->payload, needed, error);
    }
}

static void set_content(const struct tn_tf_tensor *tensor,
                        struct tn_elements        *elements)
{
    if (!has_no_fixed_size(elements->shape.dtype)) {
        elements->payload =
            tn_payload_raw(&elements->shape, tensor->content, 1);
        return;
    }
    elements->payload.encoding = TN_ENCODING_LENGTHS;
    elements->payload.span     = tensor->content;
    elements->payload.stored   = tn_payload_needed(&elements->shape, 1);
}

void tn_tf_tensor_elements(const struct tn_tf_tensor *tensor,
                           struct tn_arena *arena, struct tn_elements *elements,
                           struct tn_error *error)
{
    *elements = (struct tn_elements){ .payload.per_byte = 1 };
    elements->payload.span.offset = tensor->wire.offset;
    enum tn_dtype dtype =
        tensor->type < TN_TF_REF ? tn_tf_dtype(tensor->type) : TN_UNDEFINED;
    if (dtype == TN_UNDEFINED ||
        !shape_dims(&tensor->shape, arena, &elements->shape, error)) {
        elements->shape = (struct tn_shape){ TN_UNDEFINED, 0, NULL };
        return;
    }
    elements->shape.dtype = dtype;
    uint64_t needed       = tn_payload_needed(&elements->shape, 1);
    if (needed == 0)
        return;
    if (tensor->content.length)
        set_content(tensor, elements);
    else if (tensor->occurrences)
        set_values(tensor, elements, needed, error);
}
