/*
 * paddle_attr.c - the dialect: attributes of operators, decoded on demand
 *
 *   Attr   name = 1, type = 2, i = 3, f = 4, s = 5, ints = 6, floats = 7,
 *          strings = 8, b = 10, bools = 11, block_idx = 12, l = 13,
 *          blocks_idx = 14, longs = 15, float64s = 16, var_name = 17,
 *          vars_name = 18, float64 = 19, scalar = 20, scalars = 21
 *
 * `type` says which field is meant; an empty list is a type and no field.  VAR
 * and VARS are names of variables whose value is the attribute's at run time.
 * Scalars are kept as the messages they are.
 */
#include "format/paddle/paddle.h"

#include "base/number.h"
#include "ir/attr.h"
#include "wire/pb/pb_write.h"

static const struct attr_type {
    uint8_t           field;
    enum tn_attr_kind kind;
    bool              is_list;
    enum tn_wire_type wire; /* of one value */
    const char       *word;
} attr_types[] = {
    /* by the number of AttrType */
    { 3, TN_ATTR_INT, false, TN_WIRE_VARINT, "int" },
    { 4, TN_ATTR_FLOAT, false, TN_WIRE_FIXED32, "float" },
    { 5, TN_ATTR_STRING, false, TN_WIRE_LEN, "string" },
    { 6, TN_ATTR_INT, true, TN_WIRE_VARINT, "list(int)" },
    { 7, TN_ATTR_FLOAT, true, TN_WIRE_FIXED32, "list(float)" },
    { 8, TN_ATTR_STRING, true, TN_WIRE_LEN, "list(string)" },
    { 10, TN_ATTR_BOOL, false, TN_WIRE_VARINT, "bool" },
    { 11, TN_ATTR_BOOL, true, TN_WIRE_VARINT, "list(bool)" },
    { 12, TN_ATTR_GRAPH, false, TN_WIRE_VARINT, "graph" },
    { 13, TN_ATTR_INT, false, TN_WIRE_VARINT, "int" },
    { 14, TN_ATTR_GRAPH, true, TN_WIRE_VARINT, "list(graph)" },
    { 15, TN_ATTR_INT, true, TN_WIRE_VARINT, "list(int)" },
    { 16, TN_ATTR_DOUBLE, true, TN_WIRE_FIXED64, "list(double)" },
    { 17, TN_ATTR_REFERENCE, false, TN_WIRE_LEN, "reference" },
    { 18, TN_ATTR_REFERENCE, true, TN_WIRE_LEN, "reference" },
    { 19, TN_ATTR_DOUBLE, false, TN_WIRE_FIXED64, "double" },
    { 20, TN_ATTR_OTHER, false, TN_WIRE_LEN, "scalar" },
    { 21, TN_ATTR_OTHER, true, TN_WIRE_LEN, "list(scalar)" },
};

#define TYPE_COUNT (sizeof attr_types / sizeof attr_types[0])

static void paddle_find_attrs(struct tn_cursor *op)
{
    tn_pb_step_to(op, OP_ATTRS);
}

static bool paddle_next_attr(struct tn_cursor *op, struct tn_bytes *name,
                             struct tn_span *wire)
{
    return tn_pb_next_named(op, OP_ATTRS, ATTR_NAME, name, wire);
}

static const struct attr_type *find_type(struct tn_cursor c)
{
    struct tn_pb_field field;
    uint64_t           type = TYPE_COUNT;

    while (tn_pb_next(&c, &field))
        if (field.number == ATTR_TYPE &&
            tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            type = field.value;
    return type < TYPE_COUNT ? &attr_types[type] : NULL;
}

static const char *paddle_attr_word(struct tn_span wire)
{
    struct tn_error         failure = TN_ERROR_INIT;
    const struct attr_type *type    = find_type(tn_cursor_span(wire, &failure));

    return type && !tn_failed(&failure) ? type->word : "";
}

/* The array for decoded values: one of them, by type. */
struct room {
    int64_t         *ints;
    float           *floats;
    double          *doubles;
    struct tn_bytes *strings;
};

static void make_room(struct room *room, const struct attr_type *type,
                      uint64_t count, struct tn_arena *arena,
                      struct tn_attr_value *value, struct tn_error *error)
{
    if (type->wire == TN_WIRE_LEN)
        value->of.strings = room->strings =
            tn_new(arena, struct tn_bytes, count, error);
    else if (type->wire == TN_WIRE_FIXED32)
        value->of.floats = room->floats = tn_new(arena, float, count, error);
    else if (type->wire == TN_WIRE_FIXED64)
        value->of.doubles = room->doubles = tn_new(arena, double, count, error);
    else
        value->of.ints = room->ints = tn_new(arena, int64_t, count, error);
}

/* As in protobuf: any number but 0 is true, and a number in a field of 32 bits
 * keeps its lower half.  Fields of 64 bits are l and longs. */
static int64_t whole_number(const struct attr_type *type, uint64_t bits)
{
    if (type->kind == TN_ATTR_BOOL)
        return bits != 0;
    if (type->field == 13 || type->field == 15)
        return (int64_t)bits;
    return (int32_t)(uint32_t)bits;
}

static void put_number(struct room *room, const struct attr_type *type,
                       uint64_t index, uint64_t bits)
{
    if (type->wire == TN_WIRE_FIXED32)
        room->floats[index] = tn_float_of_bits((uint32_t)bits);
    else if (type->wire == TN_WIRE_FIXED64)
        memcpy(&room->doubles[index], &bits, sizeof bits);
    else
        room->ints[index] = whole_number(type, bits);
}

/* For a field that is not a list, the last occurrence counts. */
static void fill(struct room *room, const struct attr_type *type,
                 struct tn_cursor c)
{
    struct tn_pb_field field;
    uint64_t           next = 0, bits;

    while (tn_pb_next(&c, &field)) {
        if (field.number != type->field)
            continue;
        if (type->wire == TN_WIRE_LEN) {
            if (tn_pb_expect(&c, &field, TN_WIRE_LEN))
                room->strings[type->is_list ? next++ : 0] = tn_pb_text(&field);
            continue;
        }
        while (tn_pb_number(&c, &field, type->wire, &bits))
            put_number(room, type, type->is_list ? next++ : 0, bits);
    }
}

static enum tn_status paddle_decode(const struct tn_model *model, uint32_t op,
                                    struct tn_span wire, struct tn_arena *arena,
                                    struct tn_attr_value *value,
                                    struct tn_error      *error)
{
    struct tn_cursor        c    = tn_cursor_span(wire, error);
    const struct attr_type *type = find_type(c);
    struct room             room = { NULL, NULL, NULL, NULL };

    (void)model;
    (void)op;
    *value = (struct tn_attr_value){ .kind = TN_ATTR_NONE };
    if (tn_failed(error) || !type)
        return error->status;
    uint64_t count =
        type->is_list ? tn_pb_count_values(c, type->field, type->wire) : 1;
    if (count > UINT32_MAX)
        return tn_error_set(error, TN_LIMIT, wire.offset,
                            "more than 2^32 values");
    value->kind    = type->kind;
    value->is_list = type->is_list;
    value->count   = (uint32_t)count;
    make_room(&room, type, count, arena, value, error);
    if (!tn_failed(error))
        fill(&room, type, c);
    return error->status;
}

/* ---- writing one -------------------------------------------------------- */

enum {
    TYPE_INT      = 0,
    TYPE_FLOAT    = 1,
    TYPE_STRING   = 2,
    TYPE_INTS     = 3,
    TYPE_FLOATS   = 4,
    TYPE_STRINGS  = 5,
    TYPE_BOOLEAN  = 6,
    TYPE_BOOLEANS = 7,
    TYPE_BLOCK    = 8,
    TYPE_LONG     = 9,
    TYPE_BLOCKS   = 10,
    TYPE_LONGS    = 11,
    TYPE_FLOAT64S = 12,
    TYPE_VAR      = 13,
    TYPE_VARS     = 14,
    TYPE_FLOAT64  = 15,
    TYPE_SCALAR   = 16,
    TYPE_SCALARS  = 17
};

/* An int of Paddle's has 32 bits; a long is taken where one needs more. */
static bool needs_longs(const struct tn_attr_value *value)
{
    for (uint32_t i = 0; i < value->count; i++)
        if (value->of.ints[i] < INT32_MIN || value->of.ints[i] > INT32_MAX)
            return true;
    return false;
}

/* AttrType, or -1. */
static int type_for(const struct tn_attr_value *value)
{
    bool is_list = value->is_list;

    switch (value->kind) {
    case TN_ATTR_INT:
        if (needs_longs(value))
            return is_list ? TYPE_LONGS : TYPE_LONG;
        return is_list ? TYPE_INTS : TYPE_INT;
    case TN_ATTR_FLOAT: return is_list ? TYPE_FLOATS : TYPE_FLOAT;
    case TN_ATTR_DOUBLE: return is_list ? TYPE_FLOAT64S : TYPE_FLOAT64;
    case TN_ATTR_BOOL: return is_list ? TYPE_BOOLEANS : TYPE_BOOLEAN;
    case TN_ATTR_STRING: return is_list ? TYPE_STRINGS : TYPE_STRING;
    case TN_ATTR_REFERENCE: return is_list ? TYPE_VARS : TYPE_VAR;
    case TN_ATTR_GRAPH: return is_list ? TYPE_BLOCKS : TYPE_BLOCK;
    case TN_ATTR_OTHER: return is_list ? TYPE_SCALARS : TYPE_SCALAR;
    case TN_ATTR_DTYPE: return is_list ? TYPE_INTS : TYPE_INT;
    default: return -1;
    }
}

/* One number of the list, as it is on the wire. */
static uint64_t bits_of(const struct tn_attr_value *value, uint32_t index,
                        const uint32_t *blocks, uint32_t block_count)
{
    uint64_t number;

    if (value->kind == TN_ATTR_FLOAT)
        return tn_float_bits(value->of.floats[index]);
    if (value->kind == TN_ATTR_DOUBLE)
        return tn_double_bits(value->of.doubles[index]);
    number = (uint64_t)value->of.ints[index];
    if (value->kind == TN_ATTR_DTYPE)
        return (uint64_t)(int64_t)tn_lod_type((enum tn_dtype)number);
    if (value->kind == TN_ATTR_GRAPH && blocks && number < block_count)
        return blocks[number];
    return number;
}

void tn_paddle_put_attr(struct tn_rope *to, struct tn_arena *arena,
                        struct tn_bytes name, const struct tn_attr_value *value,
                        const uint32_t *blocks, uint32_t block_count)
{
    int            type = type_for(value);
    struct tn_rope attr;

    if (type < 0) {
        tn_error_set(to->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "attribute '%.*s': a value of a kind that PaddlePaddle "
                     "does not have",
                     TN_FMT(name));
        return;
    }
    tn_rope_init(&attr, arena, to->error);
    tn_pb_put_bytes(&attr, ATTR_NAME, name);
    tn_pb_put_varint(&attr, ATTR_TYPE, (uint64_t)type);
    for (uint32_t i = 0; i < value->count; i++) {
        if (attr_types[type].wire == TN_WIRE_LEN)
            tn_pb_put_bytes(&attr, attr_types[type].field,
                            value->of.strings[i]);
        else
            tn_pb_put_number(&attr, attr_types[type].field,
                             attr_types[type].wire,
                             bits_of(value, i, blocks, block_count));
    }
    tn_pb_put_message(to, OP_ATTRS, &attr);
}

/* ---- slots -------------------------------------------------------------- */

static void read_slot(struct tn_cursor c, struct tn_bytes *name,
                      uint32_t *count)
{
    struct tn_pb_field field;

    *name  = tn_bytes(NULL, 0);
    *count = 0;
    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == SLOT_PARAMETER)
            *name = tn_pb_text(&field);
        else if (field.number == SLOT_ARGUMENTS)
            ++*count;
    }
}

static bool paddle_next_slot(struct tn_cursor *node, bool is_output,
                             struct tn_bytes *name, uint32_t *count)
{
    struct tn_pb_field field;

    while (tn_pb_next(node, &field)) {
        if (field.number != (is_output ? OP_OUTPUTS : OP_INPUTS) ||
            field.type != TN_WIRE_LEN)
            continue;
        read_slot(field.body, name, count);
        return true;
    }
    return false;
}

static const char *paddle_tensor_word(const struct tn_tensor *tensor)
{
    (void)tensor;
    return "vars";
}

const struct tn_dialect tn_dialect_paddle = {
    .name          = "paddle",
    .find_attrs    = paddle_find_attrs,
    .next_attr     = paddle_next_attr,
    .next_slot     = paddle_next_slot,
    .declared      = tn_paddle_declared,
    .decode        = paddle_decode,
    .attr_type     = paddle_attr_word,
    .tensor_word   = paddle_tensor_word,
    .is_ordered    = true,
    .names_outputs = true,
};
