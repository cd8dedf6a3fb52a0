/*
 * onnx_io.c - inputs and outputs: a name and a type
 *
 *   ValueInfoProto   name = 1, type = 2
 *   TypeProto        tensor = 1, sequence = 4, map = 5, opaque = 7,
 *                    sparse tensor = 8, optional = 9; types may nest
 *   tensor           elem_type = 1, shape = 2 { dim = 1 { value | param } }
 *
 * Of a nested type the outermost kind is the note, and the innermost tensor
 * gives element type and shape.
 */
#include "format/onnx/onnx.h"

/* ---- element types: their numbers, and where they are kept -------------- */

static const struct tn_onnx_type types[] = {
#define FLOATS  TENSOR_FLOAT_DATA, TN_WIRE_FIXED32
#define DOUBLES TENSOR_DOUBLE_DATA, TN_WIRE_FIXED64
#define INT32S  TENSOR_INT32_DATA, TN_WIRE_VARINT
#define INT64S  TENSOR_INT64_DATA, TN_WIRE_VARINT
#define UINT64S TENSOR_UINT64_DATA, TN_WIRE_VARINT
    [1]  = { "FLOAT", TN_FLOAT32, FLOATS, 1, 1 },
    [2]  = { "UINT8", TN_UINT8, INT32S, 1, 1 },
    [3]  = { "INT8", TN_INT8, INT32S, 1, 1 },
    [4]  = { "UINT16", TN_UINT16, INT32S, 1, 1 },
    [5]  = { "INT16", TN_INT16, INT32S, 1, 1 },
    [6]  = { "INT32", TN_INT32, INT32S, 1, 1 },
    [7]  = { "INT64", TN_INT64, INT64S, 1, 1 },
    [8]  = { "STRING", TN_STRING, TENSOR_STRING_DATA, TN_WIRE_LEN, 1, 1 },
    [9]  = { "BOOL", TN_BOOL, INT32S, 1, 1 },
    [10] = { "FLOAT16", TN_FLOAT16, INT32S, 1, 1 },
    [11] = { "DOUBLE", TN_FLOAT64, DOUBLES, 1, 1 },
    [12] = { "UINT32", TN_UINT32, UINT64S, 1, 1 },
    [13] = { "UINT64", TN_UINT64, UINT64S, 1, 1 },
    [14] = { "COMPLEX64", TN_COMPLEX64, FLOATS, 1, 1 },
    [15] = { "COMPLEX128", TN_COMPLEX128, DOUBLES, 1, 1 },
    [16] = { "BFLOAT16", TN_BFLOAT16, INT32S, 1, 4 },
    [17] = { "FLOAT8E4M3FN", TN_FLOAT8E4M3FN, INT32S, 1, 9 },
    [18] = { "FLOAT8E4M3FNUZ", TN_FLOAT8E4M3FNUZ, INT32S, 1, 9 },
    [19] = { "FLOAT8E5M2", TN_FLOAT8E5M2, INT32S, 1, 9 },
    [20] = { "FLOAT8E5M2FNUZ", TN_FLOAT8E5M2FNUZ, INT32S, 1, 9 },
    [21] = { "UINT4", TN_UINT4, INT32S, 2, 10 },
    [22] = { "INT4", TN_INT4, INT32S, 2, 10 },
    [23] = { "FLOAT4E2M1", TN_FLOAT4E2M1, INT32S, 2, 11 },
    [24] = { "FLOAT8E8M0", TN_FLOAT8E8M0, INT32S, 1, 12 },
    [25] = { "UINT2", TN_UINT2, INT32S, 4, 13 },
    [26] = { "INT2", TN_INT2, INT32S, 4, 13 },
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

const struct tn_onnx_type *tn_onnx_type(uint64_t number)
{
    return number > 0 && number < TYPE_COUNT ? &types[number] : NULL;
}

uint32_t tn_onnx_type_number(enum tn_dtype dtype)
{
    for (uint32_t i = 1; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype)
            return i;
    return 0;
}

static void read_dim(struct tn_cursor *body, struct tn_dim *dim)
{
    struct tn_pb_field field;

    *dim = (struct tn_dim){ .value = -1 };
    while (tn_pb_next(body, &field)) {
        if (field.number == DIM_VALUE &&
            tn_pb_expect(body, &field, TN_WIRE_VARINT)) {
            int64_t value = (int64_t)field.value;
            *dim          = (struct tn_dim){ .value = value < 0 ? -1 : value };
        } else if (field.number == DIM_PARAM &&
                   tn_pb_expect(body, &field, TN_WIRE_LEN)) {
            *dim = (struct tn_dim){ .value = -1, .symbol = tn_pb_text(&field) };
        }
    }
}

static void read_shape(struct tn_cursor *body, struct tn_arena *arena,
                       struct tn_io *io)
{
    struct tn_cursor   count = *body;
    struct tn_pb_field field;
    uint32_t           rank = 0;

    while (tn_pb_next(&count, &field))
        rank += field.number == SHAPE_DIM;
    struct tn_dim *dims = tn_new(arena, struct tn_dim, rank, body->error);
    if (rank && !dims)
        return;
    io->has_rank = true;
    io->rank     = rank;
    io->dims     = dims;
    while (tn_pb_next(body, &field))
        if (field.number == SHAPE_DIM &&
            tn_pb_expect(body, &field, TN_WIRE_LEN))
            read_dim(&field.body, dims++);
}

static void read_tensor_type(struct tn_cursor *body, struct tn_arena *arena,
                             struct tn_io *io)
{
    struct tn_pb_field field;

    while (tn_pb_next(body, &field)) {
        if (field.number == TENSOR_TYPE_ELEM &&
            tn_pb_expect(body, &field, TN_WIRE_VARINT)) {
            const struct tn_onnx_type *type = tn_onnx_type(field.value);
            io->dtype                       = type ? type->dtype : TN_UNDEFINED;
        } else if (field.number == TENSOR_TYPE_SHAPE &&
                   tn_pb_expect(body, &field, TN_WIRE_LEN)) {
            read_shape(&field.body, arena, io);
        }
    }
}

static const char *kind_note(uint32_t number)
{
    switch (number) {
    case TYPE_SEQUENCE: return "sequence";
    case TYPE_MAP: return "map";
    case TYPE_OPAQUE: return "opaque";
    case TYPE_SPARSE: return "sparse";
    case TYPE_OPTIONAL: return "optional";
    default: return NULL;
    }
}

/* The member of the type that is set: the last one on the wire. */
static bool pick_kind(struct tn_cursor *body, struct tn_pb_field *kind)
{
    struct tn_pb_field field;
    bool               is_found = false;

    while (tn_pb_next(body, &field)) {
        if (field.number != TYPE_TENSOR && !kind_note(field.number))
            continue;
        if (!tn_pb_expect(body, &field, TN_WIRE_LEN))
            return false;
        *kind    = field;
        is_found = true;
    }
    return is_found && !tn_failed(body->error);
}

/* The type inside a sequence, an optional or a map; a cursor at its end when
 * there is none. */
static struct tn_cursor inner_type(struct tn_pb_field *kind)
{
    struct tn_cursor inner =
        tn_cursor_bytes(tn_bytes(NULL, 0), kind->body.offset, kind->body.error);
    uint32_t           wanted = kind->number == TYPE_MAP ? MAP_VALUE_TYPE : 1;
    struct tn_pb_field field;

    while (tn_pb_next(&kind->body, &field))
        if (field.number == wanted &&
            tn_pb_expect(&kind->body, &field, TN_WIRE_LEN))
            inner = field.body;
    return inner;
}

/* Every step goes into a shorter message, so depth costs no stack. */
static void read_type(struct tn_cursor type, struct tn_arena *arena,
                      struct tn_io *io)
{
    struct tn_pb_field kind;

    while (pick_kind(&type, &kind)) {
        if (kind_note(kind.number) && !io->note[0])
            io->note = kind_note(kind.number);
        if (kind.number == TYPE_TENSOR || kind.number == TYPE_SPARSE)
            read_tensor_type(&kind.body, arena, io);
        if (kind.number == TYPE_TENSOR || kind.number == TYPE_SPARSE ||
            kind.number == TYPE_OPAQUE)
            return;
        type = inner_type(&kind);
    }
}

void tn_onnx_io_read(struct tn_cursor *body, struct tn_arena *arena,
                     struct tn_io *io)
{
    struct tn_pb_field field;

    *io = (struct tn_io){ .note = "" };
    while (tn_pb_next(body, &field)) {
        if (field.number != VALUE_NAME && field.number != VALUE_TYPE)
            continue;
        if (!tn_pb_expect(body, &field, TN_WIRE_LEN))
            return;
        if (field.number == VALUE_NAME)
            io->name = tn_pb_text(&field);
        else
            read_type(field.body, arena, io);
    }
}
