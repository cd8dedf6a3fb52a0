/* map_tensor.c - small constants, which rules turn into arguments */
#include "map/dl4j/map_tensor.h"

#include "base/buffer.h"
#include "base/number.h"
#include "base/rope.h"
#include "ir/element.h"
#include "map/dl4j/ir_types.h"
#include "wire/pb/pb_write.h"

/* ---- from a model ------------------------------------------------------- */

static bool is_readable(enum tn_dtype dtype)
{
    return dtype == TN_STRING ||
           (tn_dtype_bits(dtype) >= 8 && dtype != TN_COMPLEX64 &&
            dtype != TN_COMPLEX128);
}

static enum tn_status read_shape(struct tn_map_tensor  *tensor,
                                 const struct tn_shape *shape,
                                 struct tn_arena *arena, struct tn_error *error)
{
    int64_t *dims = tn_new(arena, int64_t, shape->rank, error);

    if (shape->dtype == TN_UNDEFINED)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "a constant of unknown type or impossible shape");
    if (shape->rank > TN_MAP_RANK)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "a constant of more than %d dimensions",
                            TN_MAP_RANK);
    if (!tn_shape_count(shape, &tensor->count))
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "a constant of more than 2^64 elements");
    for (uint32_t i = 0; dims && i < shape->rank; i++)
        dims[i] = (int64_t)shape->dims[i];
    tensor->dtype = shape->dtype;
    tensor->rank  = shape->rank;
    tensor->dims  = dims;
    return error->status;
}

static void read_numbers(struct tn_map_tensor     *tensor,
                         const struct tn_elements *elements,
                         struct tn_arena *arena, struct tn_error *error)
{
    enum tn_dtype    dtype = tensor->dtype;
    unsigned         size  = tn_dtype_size(dtype);
    int64_t         *ints  = tn_new(arena, int64_t, tensor->count, error);
    double          *reals = tn_new(arena, double, tensor->count, error);
    struct tn_buffer bytes;

    if (!ints || !reals)
        return;
    tn_buffer_init(&bytes, arena->memory, error);
    tn_payload_stream(elements, 0, tensor->count, arena->memory, &bytes.sink,
                      error);
    for (uint64_t i = 0; !tn_failed(error) && i < tensor->count; i++) {
        ints[i]  = tn_element_int64(dtype, bytes.data + i * size);
        reals[i] = tn_element_double(dtype, bytes.data + i * size);
    }
    tn_buffer_done(&bytes);
    tensor->ints       = ints;
    tensor->reals      = reals;
    tensor->has_values = !tn_failed(error);
}

struct reading {
    struct tn_arena *arena;
    struct tn_bytes *strings;
};

/* A tn_string_visitor. */
static enum tn_status read_string(void *context, uint64_t index,
                                  struct tn_span text, struct tn_error *error)
{
    struct reading *to   = context;
    uint8_t        *copy = tn_new(to->arena, uint8_t, text.length, error);

    if (!copy)
        return error->status;
    if (text.length)
        TN_TRY(tn_source_read(text.source, text.offset, copy,
                              (size_t)text.length, error));
    to->strings[index] = tn_bytes(copy, (size_t)text.length);
    return TN_OK;
}

static void read_strings(struct tn_map_tensor     *tensor,
                         const struct tn_elements *elements,
                         struct tn_arena *arena, struct tn_error *error)
{
    struct reading to = { arena, tn_new(arena, struct tn_bytes, tensor->count,
                                        error) };

    if (to.strings)
        tn_payload_strings(elements, 0, tensor->count, read_string, &to, error);
    tensor->strings    = to.strings;
    tensor->has_values = !tn_failed(error);
}

enum tn_status tn_map_tensor_read(struct tn_map_tensor     *tensor,
                                  const struct tn_elements *elements,
                                  struct tn_arena          *arena,
                                  struct tn_error          *error)
{
    *tensor = (struct tn_map_tensor){ 0 };
    TN_TRY(read_shape(tensor, &elements->shape, arena, error));
    if (tensor->count > TN_MAP_ELEMENTS || !is_readable(tensor->dtype))
        return TN_OK;
    TN_TRY(tn_payload_check(elements, error));
    if (tensor->dtype == TN_STRING)
        read_strings(tensor, elements, arena, error);
    else
        read_numbers(tensor, elements, arena, error);
    return error->status;
}

/* ---- from values -------------------------------------------------------- */

static void make_element(const struct tn_attr_value *items, uint32_t i,
                         enum tn_dtype dtype, uint8_t *to)
{
    if (items->kind == TN_ATTR_FLOAT)
        tn_element_from_double(dtype, (double)items->of.floats[i], to);
    else if (items->kind == TN_ATTR_DOUBLE)
        tn_element_from_double(dtype, items->of.doubles[i], to);
    else
        tn_element_from_int64(dtype, items->of.ints[i], to);
}

enum tn_status tn_map_tensor_fill(struct tn_map_tensor         *tensor,
                                  const struct tn_map_elements *from,
                                  struct tn_arena              *arena,
                                  struct tn_error              *error)
{
    uint32_t count   = from->items->count;
    bool     is_text = from->dtype == TN_STRING;
    int64_t *ints    = tn_new(arena, int64_t, is_text ? 0 : count, error);
    double  *reals   = tn_new(arena, double, is_text ? 0 : count, error);

    *tensor = (struct tn_map_tensor){ .dtype = from->dtype,
                                      .rank  = from->rank,
                                      .dims  = from->dims,
                                      .count = count };
    if (!ints || !reals || !is_readable(from->dtype) ||
        is_text != (from->items->kind == TN_ATTR_STRING))
        return error->status;
    for (uint32_t i = 0; !is_text && i < count; i++) {
        uint8_t element[TN_ELEMENT_MAX] = { 0 };
        make_element(from->items, i, from->dtype, element);
        ints[i]  = tn_element_int64(from->dtype, element);
        reals[i] = tn_element_double(from->dtype, element);
    }
    tensor->ints       = is_text ? NULL : ints;
    tensor->reals      = is_text ? NULL : reals;
    tensor->strings    = is_text ? from->items->of.strings : NULL;
    tensor->has_values = true;
    return TN_OK;
}

/* ---- as the import IR writes it ----------------------------------------- */

static void put_packed(struct tn_rope *to, const struct tn_map_tensor *tensor,
                       struct tn_arena *arena, bool is_real)
{
    struct tn_rope values;

    tn_rope_init(&values, arena, to->error);
    for (uint64_t i = 0; i < tensor->count; i++)
        if (is_real)
            tn_pb_put_bare(&values, TN_WIRE_FIXED64,
                           tn_double_bits(tensor->reals[i]));
        else
            tn_pb_put_bare(&values, TN_WIRE_VARINT, (uint64_t)tensor->ints[i]);
    if (tensor->count > 0)
        tn_pb_put_message(to, is_real ? 10 : 7, &values);
    tn_rope_done(&values);
}

static void put_floats(struct tn_rope *to, const struct tn_map_tensor *tensor,
                       struct tn_arena *arena)
{
    struct tn_rope values;

    tn_rope_init(&values, arena, to->error);
    for (uint64_t i = 0; i < tensor->count; i++)
        tn_pb_put_bare(&values, TN_WIRE_FIXED32,
                       tn_float_bits(tn_double_to_float(tensor->reals[i])));
    if (tensor->count > 0)
        tn_pb_put_message(to, 4, &values);
    tn_rope_done(&values);
}

static void put_dims(struct tn_rope *to, const struct tn_map_tensor *tensor,
                     struct tn_arena *arena)
{
    struct tn_rope values;

    tn_rope_init(&values, arena, to->error);
    for (uint32_t i = 0; i < tensor->rank; i++)
        tn_pb_put_bare(&values, TN_WIRE_VARINT, (uint64_t)tensor->dims[i]);
    if (tensor->rank > 0)
        tn_pb_put_message(to, 1, &values);
    tn_rope_done(&values);
}

enum tn_dtype tn_map_tensor_written(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_STRING:
    case TN_FLOAT32: return dtype;
    case TN_FLOAT64:
    case TN_FLOAT16:
    case TN_BFLOAT16: return TN_FLOAT64;
    default: return TN_INT64;
    }
}

static void put_values(struct tn_rope *to, const struct tn_map_tensor *tensor,
                       struct tn_arena *arena, int64_t type)
{
    if (type == tn_ir_type(TN_FLOAT32))
        put_floats(to, tensor, arena);
    else if (type != tn_ir_type(TN_STRING))
        put_packed(to, tensor, arena, type == tn_ir_type(TN_FLOAT64));
    else
        for (uint64_t i = 0; i < tensor->count; i++)
            tn_pb_put_bytes(to, 6, tensor->strings[i]);
}

enum tn_status tn_map_tensor_write(const struct tn_map_tensor *tensor,
                                   struct tn_arena            *arena,
                                   struct tn_bytes            *bytes,
                                   struct tn_error            *error)
{
    int64_t          type = tn_ir_type(tn_map_tensor_written(tensor->dtype));
    struct tn_rope   rope;
    struct tn_buffer buffer;

    tn_rope_init(&rope, arena, error);
    tn_buffer_init(&buffer, arena->memory, error);
    put_dims(&rope, tensor, arena);
    tn_pb_put_varint(&rope, 2, (uint64_t)type);
    put_values(&rope, tensor, arena, type);
    if (!tn_failed(error) && tn_rope_write(&rope, &buffer.sink, error) == TN_OK)
        *bytes = tn_bytes_dup(arena, tn_buffer_bytes(&buffer), error);
    tn_buffer_done(&buffer);
    tn_rope_done(&rope);
    return error->status;
}
