/*
 * map_tensor.c - small constants: what a framework's TensorProto holds
 *
 *   tensorflow  1 dtype  2 shape { 2 dim* { 1 size } }  4 content
 *               5 float*  6 double*  7 int*  8 string*  10 int64*  11 bool*
 *               13 half*  16 uint32*  17 uint64*
 *               too few values: the last one is repeated
 *   onnx        1 dims*  2 data_type  4 float*  5 int32*  6 string*  7 int64*
 *               9 raw  10 double*  11 uint64*
 */
#include "map/dl4j/map_tensor.h"

#include "base/arith.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/rope.h"
#include "ir/element.h"
#include "map/dl4j/ir_types.h"
#include "wire/pb/pb_wire.h"
#include "wire/pb/pb_write.h"

struct taking {
    enum tn_framework     framework;
    struct tn_map_tensor *tensor;
    struct tn_arena      *arena;
    struct tn_error      *error;
    struct tn_bytes       raw;
    int64_t              *dims;
    struct tn_list        values;  /* uint64_t: bits as on the wire           */
    struct tn_list        strings; /* struct tn_bytes                         */
};

/* ---- shape -------------------------------------------------------------- */

static void add_dim(struct taking *t, int64_t size)
{
    if (t->tensor->rank == TN_MAP_RANK)
        tn_error_set(t->error, TN_LIMIT, TN_NOWHERE,
                     "a constant of more than %d dimensions", TN_MAP_RANK);
    else if (size < 0)
        tn_error_set(t->error, TN_MALFORMED, TN_NOWHERE,
                     "a constant with a dimension of %lld", (long long)size);
    else
        t->dims[t->tensor->rank++] = size;
}

static void read_tensorflow_dim(struct taking *t, struct tn_cursor dim)
{
    struct tn_pb_field f;
    int64_t            size = 0;

    while (tn_pb_next(&dim, &f))
        if (f.number == 1 && tn_pb_expect(&dim, &f, TN_WIRE_VARINT))
            size = (int64_t)f.value;
    add_dim(t, size);
}

static void read_tensorflow_shape(struct taking *t, struct tn_cursor shape)
{
    struct tn_pb_field f;

    while (tn_pb_next(&shape, &f))
        if (f.number == 2 && tn_pb_expect(&shape, &f, TN_WIRE_LEN))
            read_tensorflow_dim(t, f.body);
}

static void count_elements(struct taking *t)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < t->tensor->rank; i++)
        if (!tn_mul(count, (uint64_t)t->dims[i], &count)) {
            tn_error_set(t->error, TN_MALFORMED, TN_NOWHERE,
                         "a constant of more than 2^64 elements");
            return;
        }
    t->tensor->count = count;
}

/* ---- values on the wire ------------------------------------------------- */

/* The wire type of the values in a field; false: it holds none. */
static bool is_values(const struct taking *t, uint32_t field,
                      enum tn_wire_type *type)
{
    bool is_onnx = t->framework != TN_FRAMEWORK_TENSORFLOW;

    *type = TN_WIRE_VARINT;
    if (field == (is_onnx ? 4u : 5u))
        *type = TN_WIRE_FIXED32;
    else if (field == (is_onnx ? 10u : 6u))
        *type = TN_WIRE_FIXED64;
    else if (is_onnx)
        return field == 5 || field == 7 || field == 11;
    else
        return field == 7 || field == 10 || field == 11 || field == 13 ||
               field == 16 || field == 17;
    return true;
}

/* One more than can be wanted is enough to say that there are too many. */
static void take_values(struct taking *t, struct tn_cursor *c,
                        struct tn_pb_field *f, enum tn_wire_type type)
{
    uint64_t bits;

    while (t->values.count <= TN_MAP_ELEMENTS &&
           tn_pb_number(c, f, type, &bits)) {
        uint64_t *value = tn_list_push(&t->values, uint64_t, t->error);
        if (!value)
            return;
        *value = bits;
    }
}

static void take_string(struct taking *t, struct tn_bytes text)
{
    struct tn_bytes *string;

    if (t->strings.count > TN_MAP_ELEMENTS)
        return;
    string = tn_list_push(&t->strings, struct tn_bytes, t->error);
    if (string)
        *string = text;
}

static void take_field(struct taking *t, struct tn_cursor *c,
                       struct tn_pb_field *f)
{
    bool              is_onnx = t->framework != TN_FRAMEWORK_TENSORFLOW;
    enum tn_wire_type type;

    if (is_values(t, f->number, &type))
        take_values(t, c, f, type);
    else if (f->number == (is_onnx ? 6u : 8u)) {
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            take_string(t, tn_pb_text(f));
    } else if (f->number == (is_onnx ? 9u : 4u)) {
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            t->raw = tn_pb_text(f);
    } else if (f->number == (is_onnx ? 2u : 1u)) {
        if (tn_pb_expect(c, f, TN_WIRE_VARINT))
            t->tensor->dtype = is_onnx ? tn_ir_dtype((int64_t)f->value)
                                       : tn_ir_of_tensorflow((int64_t)f->value);
    } else if (is_onnx && f->number == 1) {
        uint64_t dim;
        while (tn_pb_number(c, f, TN_WIRE_VARINT, &dim))
            add_dim(t, (int64_t)dim);
    } else if (!is_onnx && f->number == 2 && tn_pb_expect(c, f, TN_WIRE_LEN)) {
        read_tensorflow_shape(t, f->body);
    }
}

/* ---- values as numbers -------------------------------------------------- */

/* The element that the bits of a typed field stand for. */
static void element_of_bits(const struct taking *t, uint64_t bits,
                            uint8_t element[TN_ELEMENT_MAX])
{
    unsigned size = tn_dtype_size(t->tensor->dtype);

    tn_store_little(element, bits, size < 8 ? size : 8);
}

static void set_number(int64_t *ints, double *reals, uint64_t at,
                       enum tn_dtype dtype, const uint8_t *element)
{
    ints[at]  = tn_element_int64(dtype, element);
    reals[at] = tn_element_double(dtype, element);
}

static bool fill_raw(struct taking *t, int64_t *ints, double *reals)
{
    unsigned size = tn_dtype_size(t->tensor->dtype);

    if (t->raw.size != t->tensor->count * size) {
        tn_error_set(t->error, TN_MALFORMED, TN_NOWHERE,
                     "a constant of %llu elements of %u bytes in %zu bytes",
                     (unsigned long long)t->tensor->count, size, t->raw.size);
        return false;
    }
    for (uint64_t i = 0; i < t->tensor->count; i++)
        set_number(ints, reals, i, t->tensor->dtype, t->raw.data + i * size);
    return true;
}

/* TensorFlow leaves out repetitions at the end, and zeros altogether. */
static bool fill_typed(struct taking *t, int64_t *ints, double *reals)
{
    uint64_t have    = t->values.count;
    bool     repeats = t->framework == TN_FRAMEWORK_TENSORFLOW;

    if (have > t->tensor->count || (have < t->tensor->count && !repeats)) {
        tn_error_set(t->error, TN_MALFORMED, TN_NOWHERE,
                     "a constant of %llu elements with %llu values",
                     (unsigned long long)t->tensor->count,
                     (unsigned long long)have);
        return false;
    }
    for (uint64_t i = 0; i < t->tensor->count; i++) {
        uint8_t  element[TN_ELEMENT_MAX] = { 0 };
        uint64_t from                    = i < have ? i : have - 1;
        if (have > 0)
            element_of_bits(t, *tn_list_at(&t->values, uint64_t, from),
                            element);
        set_number(ints, reals, i, t->tensor->dtype, element);
    }
    return true;
}

static void fill_strings(struct taking *t)
{
    struct tn_bytes *strings =
        tn_new(t->arena, struct tn_bytes, t->tensor->count, t->error);

    if (!strings || t->strings.count == 0)
        return;
    for (uint64_t i = 0; i < t->tensor->count; i++) {
        uint64_t last = t->strings.count - 1;
        strings[i] =
            *tn_list_at(&t->strings, struct tn_bytes, i < last ? i : last);
    }
    t->tensor->strings    = strings;
    t->tensor->has_values = true;
}

static void fill(struct taking *t)
{
    if (t->tensor->dtype == TN_STRING) {
        fill_strings(t);
        return;
    }
    int64_t *ints  = tn_new(t->arena, int64_t, t->tensor->count, t->error);
    double  *reals = tn_new(t->arena, double, t->tensor->count, t->error);
    if (!ints || !reals)
        return;
    t->tensor->ints  = ints;
    t->tensor->reals = reals;
    t->tensor->has_values =
        t->raw.size > 0 ? fill_raw(t, ints, reals) : fill_typed(t, ints, reals);
}

static bool is_readable(enum tn_dtype dtype)
{
    return dtype == TN_STRING ||
           (tn_dtype_bits(dtype) >= 8 && dtype != TN_COMPLEX64 &&
            dtype != TN_COMPLEX128);
}

enum tn_status tn_map_tensor_read(struct tn_map_tensor *tensor,
                                  enum tn_framework     framework,
                                  struct tn_bytes bytes, struct tn_arena *arena,
                                  struct tn_error *error)
{
    struct taking t = {
        .framework = framework, .tensor = tensor, .arena = arena, .error = error
    };
    struct tn_cursor   c = tn_cursor_bytes(bytes, 0, error);
    struct tn_pb_field f;

    *tensor = (struct tn_map_tensor){ 0 };
    t.dims  = tn_new(arena, int64_t, TN_MAP_RANK, error);
    tn_list_init(&t.values, arena->memory, sizeof(uint64_t));
    tn_list_init(&t.strings, arena->memory, sizeof(struct tn_bytes));
    while (!tn_failed(error) && tn_pb_next(&c, &f))
        take_field(&t, &c, &f);
    tensor->dims = t.dims;
    if (!tn_failed(error))
        count_elements(&t);
    if (!tn_failed(error) && tensor->count <= TN_MAP_ELEMENTS &&
        is_readable(tensor->dtype))
        fill(&t);
    tn_list_done(&t.values);
    tn_list_done(&t.strings);
    return error->status;
}

/* ---- as a framework writes it ------------------------------------------- */

static void put_shape(struct tn_rope *to, const struct tn_map_elements *from,
                      struct tn_arena *arena, bool is_onnx)
{
    struct tn_rope shape, dim;

    tn_rope_init(&shape, arena, to->error);
    for (uint32_t i = 0; i < from->rank; i++) {
        tn_rope_init(&dim, arena, to->error);
        if (is_onnx)
            tn_pb_put_varint(to, 1, (uint64_t)from->dims[i]);
        else
            tn_pb_put_varint(&dim, 1, (uint64_t)from->dims[i]);
        if (!is_onnx)
            tn_pb_put_message(&shape, 2, &dim);
        tn_rope_done(&dim);
    }
    if (!is_onnx)
        tn_pb_put_message(to, 2, &shape);
    tn_rope_done(&shape);
}

static void put_element(const struct tn_attr_value *items, uint32_t i,
                        enum tn_dtype dtype, uint8_t *to)
{
    if (items->kind == TN_ATTR_FLOAT)
        tn_element_from_double(dtype, (double)items->of.floats[i], to);
    else if (items->kind == TN_ATTR_DOUBLE)
        tn_element_from_double(dtype, items->of.doubles[i], to);
    else
        tn_element_from_int64(dtype, items->of.ints[i], to);
}

static void put_raw(struct tn_rope *to, const struct tn_map_elements *from,
                    struct tn_arena *arena, uint32_t field)
{
    const struct tn_attr_value *items = from->items;
    size_t                      size  = tn_dtype_size(from->dtype);
    uint8_t *raw = tn_new(arena, uint8_t, items->count * size, to->error);

    for (uint32_t i = 0; raw && i < items->count; i++)
        put_element(items, i, from->dtype, raw + i * size);
    if (raw)
        tn_pb_put_bytes(to, field, tn_bytes(raw, items->count * size));
}

enum tn_status tn_map_tensor_encode(const struct tn_map_elements *from,
                                    enum tn_framework             framework,
                                    struct tn_arena              *arena,
                                    struct tn_bytes              *bytes,
                                    struct tn_error              *error)
{
    bool    is_onnx = framework != TN_FRAMEWORK_TENSORFLOW;
    bool    is_text = from->dtype == TN_STRING;
    int64_t type =
        is_onnx ? tn_ir_type(from->dtype) : tn_tensorflow_type(from->dtype);
    struct tn_rope   rope;
    struct tn_buffer buffer;

    if (type == 0 || is_text != (from->items->kind == TN_ATTR_STRING) ||
        (!is_text && !tn_dtype_size(from->dtype)))
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "no constant of type %s can be made here",
                            tn_dtype_name(from->dtype));
    tn_rope_init(&rope, arena, error);
    tn_buffer_init(&buffer, arena->memory, error);
    tn_pb_put_varint(&rope, is_onnx ? 2 : 1, (uint64_t)type);
    put_shape(&rope, from, arena, is_onnx);
    if (!is_text)
        put_raw(&rope, from, arena, is_onnx ? 9 : 4);
    for (uint32_t i = 0; is_text && i < from->items->count; i++)
        tn_pb_put_bytes(&rope, is_onnx ? 6 : 8, from->items->of.strings[i]);
    if (!tn_failed(error) && tn_rope_write(&rope, &buffer.sink, error) == TN_OK)
        *bytes = tn_bytes_dup(arena, tn_buffer_bytes(&buffer), error);
    tn_buffer_done(&buffer);
    tn_rope_done(&rope);
    return error->status;
}

/* ---- as the import IR writes it ----------------------------------------- */

static void put_packed(struct tn_rope *to, const struct tn_map_tensor *tensor,
                       struct tn_arena *arena, bool is_real)
{
    struct tn_rope run;

    tn_rope_init(&run, arena, to->error);
    for (uint64_t i = 0; i < tensor->count; i++)
        if (is_real)
            tn_pb_put_bare(&run, TN_WIRE_FIXED64,
                           tn_double_bits(tensor->reals[i]));
        else
            tn_pb_put_bare(&run, TN_WIRE_VARINT, (uint64_t)tensor->ints[i]);
    if (tensor->count > 0)
        tn_pb_put_message(to, is_real ? 10 : 7, &run);
    tn_rope_done(&run);
}

static void put_floats(struct tn_rope *to, const struct tn_map_tensor *tensor,
                       struct tn_arena *arena)
{
    struct tn_rope run;

    tn_rope_init(&run, arena, to->error);
    for (uint64_t i = 0; i < tensor->count; i++)
        tn_pb_put_bare(&run, TN_WIRE_FIXED32,
                       tn_float_bits(tn_double_to_float(tensor->reals[i])));
    if (tensor->count > 0)
        tn_pb_put_message(to, 4, &run);
    tn_rope_done(&run);
}

static void put_dims(struct tn_rope *to, const struct tn_map_tensor *tensor,
                     struct tn_arena *arena)
{
    struct tn_rope run;

    tn_rope_init(&run, arena, to->error);
    for (uint32_t i = 0; i < tensor->rank; i++)
        tn_pb_put_bare(&run, TN_WIRE_VARINT, (uint64_t)tensor->dims[i]);
    if (tensor->rank > 0)
        tn_pb_put_message(to, 1, &run);
    tn_rope_done(&run);
}

/* Narrow integers become INT64, halves DOUBLE: the IR's lists for them hold
 * bit patterns, which its readers get wrong. */
static int64_t written_type(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_STRING:
    case TN_FLOAT32: return tn_ir_type(dtype);
    case TN_FLOAT64:
    case TN_FLOAT16:
    case TN_BFLOAT16: return tn_ir_type(TN_FLOAT64);
    default: return tn_ir_type(TN_INT64);
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
    int64_t          type = written_type(tensor->dtype);
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
