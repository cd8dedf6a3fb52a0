/*
 * paddle_pir_attr.c - attributes: as JSON, and as messages of a ProgramDesc
 *
 *   {"#":"0.a_i32","D":3}                                  INT
 *   {"#":"0.a_array","D":[{"#":"0.a_i32","D":3},...]}      INTS
 *   {"#":"0.a_f32","VD":"NaN"}                             FLOAT
 *   {"#":"1.a_intarray","D":[3,4]}, {"#":"1.a_dtype","D":"float32"}: only a
 *   rule knows what they are there
 */
#include "format/paddle/paddle_pir.h"

#include <math.h>

#include "base/number.h"
#include "wire/pb/pb_write.h"

/* By enum tn_pir_kind: the word in rules, the type in a ProgramDesc, the ids
 * of the attribute and of its items. */
static const struct kind_row {
    const char *word;
    uint8_t     type;
    const char *id, *item;
} kinds[] = {
    { "bool", TN_DESC_BOOL, "0.a_bool", NULL },
    { "int", TN_DESC_INT, "0.a_i32", NULL },
    { "long", TN_DESC_LONG, "0.a_i64", NULL },
    { "float", TN_DESC_FLOAT, "0.a_f32", NULL },
    { "double", TN_DESC_DOUBLE, "0.a_f64", NULL },
    { "string", TN_DESC_STRING, "0.a_str", NULL },
    { "bools", TN_DESC_BOOLS, "0.a_array", "0.a_bool" },
    { "ints", TN_DESC_INTS, "0.a_array", "0.a_i32" },
    { "longs", TN_DESC_LONGS, "0.a_array", "0.a_i64" },
    { "floats", TN_DESC_FLOATS, "0.a_array", "0.a_f32" },
    { "doubles", TN_DESC_DOUBLES, "0.a_array", "0.a_f64" },
    { "strings", TN_DESC_STRINGS, "0.a_array", "0.a_str" },
    { "ints/i64", TN_DESC_INTS, "0.a_array", "0.a_i64" },
    { "intarray", TN_DESC_INTS, "1.a_intarray", NULL },
    { "shape", TN_DESC_LONGS, "1.a_intarray", NULL },
    { "dtype", TN_DESC_INT, "1.a_dtype", NULL },
    { "place", TN_DESC_NONE, "1.a_place", NULL },
    { "fill", TN_DESC_FLOAT, "0.a_f32", NULL },
    { "values", TN_DESC_NONE, "0.a_array", NULL },
    { "float+", TN_DESC_FLOAT, "0.a_array", "0.a_f32" },
};

bool tn_pir_kind_parse(struct tn_bytes word, enum tn_pir_kind *kind)
{
    for (unsigned i = 0; i < TN_PIR_KIND_COUNT; i++)
        if (tn_bytes_is(word, kinds[i].word)) {
            *kind = (enum tn_pir_kind)i;
            return true;
        }
    return false;
}

uint8_t tn_pir_kind_type(enum tn_pir_kind kind)
{
    return kinds[kind].type;
}

/* ---- element types ------------------------------------------------------ */

static const struct {
    int16_t     number;
    const char *word, *id;
} dtypes[] = {
    { 0, "bool", "0.t_bool" },
    { 1, "int16", "0.t_i16" },
    { 2, "int32", "0.t_i32" },
    { 3, "int64", "0.t_i64" },
    { 4, "float16", "0.t_f16" },
    { 5, "float32", "0.t_f32" },
    { 6, "float64", "0.t_f64" },
    { 20, "uint8", "0.t_ui8" },
    { 21, "int8", "0.t_i8" },
    { 22, "bfloat16", "0.t_bf16" },
    { 23, "complex64", "0.t_c64" },
    { 24, "complex128", "0.t_c128" },
    { 32, "float8_e4m3fn", "0.t_f8e4m3fn" },
    { 33, "float8_e5m2", "0.t_f8e5m2" },
    { 19, "uint64", "0.t_index" },
    { 36, "uint16", NULL },
    { 37, "uint32", NULL },
    { 38, "uint64", NULL },
    { 29, "pstring", NULL },
    { -1, "Undefined(ALL_DTYPE)", NULL },
};

#define DTYPE_COUNT (sizeof dtypes / sizeof dtypes[0])

int tn_pir_dtype_number(struct tn_bytes word)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (tn_bytes_is(word, dtypes[i].word) && dtypes[i].number != 19)
            return dtypes[i].number;
    return -2;
}

const char *tn_pir_dtype_word(int64_t number)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (dtypes[i].number == number)
            return dtypes[i].word;
    return NULL;
}

int tn_pir_type_number(struct tn_bytes id)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (dtypes[i].id && tn_bytes_is(id, dtypes[i].id))
            return dtypes[i].number;
    return -1;
}

const char *tn_pir_type_id(int64_t number)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (dtypes[i].number == number)
            return dtypes[i].id;
    return NULL;
}

/* ---- out of JSON -------------------------------------------------------- */

/* Where elements of a value go; all are of one sort. */
struct room {
    int64_t         *ints;
    double          *reals;
    struct tn_bytes *texts;
};

static void make_room(struct room *room, struct tn_pir_value *value, char sort,
                      uint32_t count, struct tn_arena *arena,
                      struct tn_error *error)
{
    *room        = (struct room){ NULL, NULL, NULL };
    value->count = count;
    if (sort == 's')
        value->texts = room->texts =
            tn_new(arena, struct tn_bytes, count, error);
    else if (sort == 'f')
        value->reals = room->reals = tn_new(arena, double, count, error);
    else
        value->ints = room->ints = tn_new(arena, int64_t, count, error);
}

/* The sort of a scalar attribute: its row among `kinds`, and how its elements
 * are kept. */
static bool scalar_kind(struct tn_bytes id, enum tn_pir_kind *kind, char *sort)
{
    if (tn_bytes_is(id, "0.a_index"))
        id = tn_text("0.a_i64");
    for (unsigned i = TN_PIR_BOOL; i <= TN_PIR_STRING; i++)
        if (tn_bytes_is(id, kinds[i].id)) {
            *kind = (enum tn_pir_kind)i;
            *sort = i == TN_PIR_STRING                        ? 's'
                    : i == TN_PIR_FLOAT || i == TN_PIR_DOUBLE ? 'f'
                                                              : 'i';
            return true;
        }
    return false;
}

static bool read_real(const struct tn_tree *data, const struct tn_tree *word,
                      double *to)
{
    if (word) {
        struct tn_bytes text = tn_tree_text(word);
        *to                  = tn_bytes_is(text, "INF")    ? HUGE_VAL
                               : tn_bytes_is(text, "-INF") ? -HUGE_VAL
                                                           : nan("");
        return true;
    }
    return data && data->kind == TN_JSON_NUMBER &&
           tn_double_parse(data->text, to);
}

static bool read_scalar(const struct tn_tree *data, const struct tn_tree *word,
                        const struct room *room, uint32_t at)
{
    if (room->reals)
        return read_real(data, word, &room->reals[at]);
    if (!data)
        return false;
    if (room->texts) {
        room->texts[at] = data->text;
        return data->kind == TN_JSON_STRING;
    }
    if (data->kind == TN_JSON_TRUE || data->kind == TN_JSON_FALSE) {
        room->ints[at] = data->kind == TN_JSON_TRUE;
        return true;
    }
    return tn_tree_int(data, &room->ints[at]);
}

static bool read_array(const struct tn_tree *list, struct tn_arena *arena,
                       struct tn_pir_value *value, struct tn_error *error)
{
    enum tn_pir_kind kind;
    struct room      room;
    uint32_t         at = 0;
    char             sort;

    if (list->count == 0) {
        value->type = TN_DESC_NONE;
        return true;
    }
    struct tn_bytes id = tn_tree_text(tn_tree_member(list->first, "#"));
    if (!scalar_kind(id, &kind, &sort))
        return false;
    make_room(&room, value, sort, list->count, arena, error);
    for (const struct tn_tree *c = list->first; c && !tn_failed(error);
         c                       = c->next)
        if (!tn_bytes_equal(tn_tree_text(tn_tree_member(c, "#")), id) ||
            !read_scalar(tn_tree_member(c, "D"), tn_tree_member(c, "VD"), &room,
                                               at++))
            return false;
    value->type = kinds[kind + (TN_PIR_BOOLS - TN_PIR_BOOL)].type;
    return true;
}

/* Bare numbers, as in an intarray. */
static bool read_numbers(const struct tn_tree *list, char sort,
                         struct tn_arena *arena, struct tn_pir_value *value,
                         struct tn_error *error)
{
    struct room room;
    uint32_t    at = 0;

    make_room(&room, value, sort, list->count, arena, error);
    for (const struct tn_tree *c = list->first; c && !tn_failed(error);
         c                       = c->next)
        if (!read_scalar(c, NULL, &room, at++))
            return false;
    return true;
}

static bool read_dtype(const struct tn_tree *data, struct tn_arena *arena,
                       struct tn_pir_value *value, struct tn_error *error)
{
    int number = tn_pir_dtype_number(tn_tree_text(data));

    *value = tn_pir_int_value(arena, TN_DESC_NONE, number, error);
    return number >= -1;
}

bool tn_pir_value_read(const struct tn_tree *attr, struct tn_arena *arena,
                       struct tn_pir_value *value, struct tn_error *error)
{
    struct tn_bytes       id   = tn_tree_text(tn_tree_member(attr, "#"));
    const struct tn_tree *data = tn_tree_member(attr, "D");
    struct room           room;
    enum tn_pir_kind      kind;
    char                  sort;

    *value = (struct tn_pir_value){ .type = TN_DESC_NONE };
    if (scalar_kind(id, &kind, &sort)) {
        make_room(&room, value, sort, 1, arena, error);
        value->type = kinds[kind].type;
        return !tn_failed(error) &&
               read_scalar(data, tn_tree_member(attr, "VD"), &room, 0);
    }
    if (tn_bytes_is(id, "0.a_array") && tn_tree_is_list(data))
        return read_array(data, arena, value, error);
    if (tn_bytes_is(id, "1.a_intarray") && tn_tree_is_list(data))
        return read_numbers(data, 'i', arena, value, error);
    if (tn_bytes_is(id, "1.a_dtype"))
        return read_dtype(data, arena, value, error);
    if (tn_bytes_is(id, "1.a_scalar") && tn_tree_is_list(data) &&
        data->count == 2) {
        make_room(&room, value, 'f', 1, arena, error);
        return !tn_failed(error) &&
               read_scalar(data->first->next, NULL, &room, 0);
    }
    return false;
}

bool tn_pir_value_bare(const struct tn_tree *data, enum tn_pir_kind kind,
                       struct tn_arena *arena, struct tn_pir_value *value,
                       struct tn_error *error)
{
    uint8_t     type = kinds[kind].type;
    char        sort = type == TN_DESC_STRING || type == TN_DESC_STRINGS ? 's'
                       : type == TN_DESC_FLOAT || type == TN_DESC_FLOATS ||
                        type == TN_DESC_DOUBLE || type == TN_DESC_DOUBLES
                           ? 'f'
                           : 'i';
    struct room room;

    *value = (struct tn_pir_value){ .type = type };
    if (kind == TN_PIR_DTYPE) {
        bool is_good = read_dtype(data, arena, value, error);
        value->type  = type;
        return is_good;
    }
    if (tn_tree_is_list(data))
        return read_numbers(data, sort, arena, value, error);
    make_room(&room, value, sort, 1, arena, error);
    return !tn_failed(error) && read_scalar(data, NULL, &room, 0);
}

struct tn_pir_value tn_pir_int_value(struct tn_arena *arena, uint8_t type,
                                     int64_t value, struct tn_error *error)
{
    int64_t *room = tn_new(arena, int64_t, 1, error);

    if (room)
        *room = value;
    return (struct tn_pir_value){ .type  = type,
                                  .count = room ? 1 : 0,
                                  .ints  = room };
}

struct tn_pir_value tn_pir_text_value(struct tn_arena *arena,
                                      struct tn_bytes  text,
                                      struct tn_error *error)
{
    struct tn_bytes *room = tn_new(arena, struct tn_bytes, 1, error);

    if (room)
        *room = text;
    return (struct tn_pir_value){ .type  = TN_DESC_STRING,
                                  .count = room ? 1 : 0,
                                  .texts = room };
}

/* ---- from one type to another ------------------------------------------- */

bool tn_pir_is_one(uint8_t type)
{
    return type == TN_DESC_INT || type == TN_DESC_FLOAT ||
           type == TN_DESC_STRING || type == TN_DESC_BOOL ||
           type == TN_DESC_LONG || type == TN_DESC_DOUBLE ||
           type == TN_DESC_BLOCK || type == TN_DESC_VAR ||
           type == TN_DESC_SCALAR;
}

static char sort_of(uint8_t type)
{
    switch (type) {
    case TN_DESC_FLOAT:
    case TN_DESC_FLOATS:
    case TN_DESC_DOUBLE:
    case TN_DESC_DOUBLES: return 'f';
    case TN_DESC_STRING:
    case TN_DESC_STRINGS:
    case TN_DESC_VAR:
    case TN_DESC_VARS: return 's';
    default: return 'i';
    }
}

static bool to_reals(struct tn_pir_value *value, struct tn_arena *arena,
                     struct tn_error *error)
{
    double *reals = tn_new(arena, double, value->count, error);

    for (uint32_t i = 0; reals && i < value->count; i++)
        reals[i] = (double)value->ints[i];
    value->ints  = NULL;
    value->reals = reals;
    return reals != NULL || value->count == 0;
}

/* As much of each as a float holds. */
static bool to_floats(struct tn_pir_value *value, struct tn_arena *arena,
                      struct tn_error *error)
{
    double *reals = tn_new(arena, double, value->count, error);

    for (uint32_t i = 0; reals && i < value->count; i++)
        reals[i] = (double)tn_double_to_float(value->reals[i]);
    value->reals = reals;
    return reals != NULL;
}

/* Whole ones only. */
static bool to_ints(struct tn_pir_value *value, struct tn_arena *arena,
                    struct tn_error *error)
{
    int64_t *ints = tn_new(arena, int64_t, value->count, error);

    for (uint32_t i = 0; ints && i < value->count; i++) {
        double real = value->reals[i];
        if (!(real >= -9.2e18 && real <= 9.2e18) || real != floor(real))
            return false;
        ints[i] = (int64_t)real;
    }
    value->reals = NULL;
    value->ints  = ints;
    return ints != NULL || value->count == 0;
}

static bool fits(const struct tn_pir_value *value, uint8_t type)
{
    bool is_int  = type == TN_DESC_INT || type == TN_DESC_INTS;
    bool is_bool = type == TN_DESC_BOOL || type == TN_DESC_BOOLS;

    for (uint32_t i = 0; value->ints && i < value->count; i++)
        if ((is_int &&
             (value->ints[i] < INT32_MIN || value->ints[i] > INT32_MAX)) ||
            (is_bool && (value->ints[i] < 0 || value->ints[i] > 1)))
            return false;
    return true;
}

bool tn_pir_value_as(struct tn_pir_value *value, uint8_t type,
                     struct tn_arena *arena, struct tn_error *error)
{
    char want = sort_of(type);
    char have = value->texts ? 's' : value->reals ? 'f' : 'i';

    if (tn_pir_is_one(type) && value->count != 1)
        return false;
    if (value->count && want != have) {
        if (want == 's' || have == 's')
            return false;
        if (want == 'f' ? !to_reals(value, arena, error)
                        : !to_ints(value, arena, error))
            return false;
    }
    value->type = type;
    if (value->reals && (type == TN_DESC_FLOAT || type == TN_DESC_FLOATS))
        return to_floats(value, arena, error);
    return fits(value, type);
}

static bool same_element(const struct tn_pir_value *a,
                         const struct tn_pir_value *b, uint32_t at)
{
    if (a->texts)
        return tn_bytes_equal(tn_pir_text_at(a, at), tn_pir_text_at(b, at));
    if (a->ints)
        return tn_pir_int_at(a, at) == tn_pir_int_at(b, at);
    /* By bits, so that NaN is NaN; a float when either is one. */
    if (a->type == TN_DESC_FLOAT || a->type == TN_DESC_FLOATS)
        return tn_float_bits(tn_double_to_float(tn_pir_real_at(a, at))) ==
               tn_float_bits(tn_double_to_float(tn_pir_real_at(b, at)));
    return tn_double_bits(tn_pir_real_at(a, at)) ==
           tn_double_bits(tn_pir_real_at(b, at));
}

bool tn_pir_value_equal(const struct tn_pir_value *a,
                        const struct tn_pir_value *b)
{
    if (a->type != b->type || a->count != b->count || !a->texts != !b->texts ||
        !a->ints != !b->ints)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!same_element(a, b, i))
            return false;
    return true;
}

/* ---- messages ----------------------------------------------------------- */

/* By AttrType: the field, and the wire type of an element. */
static const struct {
    uint8_t           field;
    enum tn_wire_type wire;
} fields[] = {
    { 3, TN_WIRE_VARINT },   { 4, TN_WIRE_FIXED32 }, { 5, TN_WIRE_LEN },
    { 6, TN_WIRE_VARINT },   { 7, TN_WIRE_FIXED32 }, { 8, TN_WIRE_LEN },
    { 10, TN_WIRE_VARINT },  { 11, TN_WIRE_VARINT }, { 12, TN_WIRE_VARINT },
    { 13, TN_WIRE_VARINT },  { 14, TN_WIRE_VARINT }, { 15, TN_WIRE_VARINT },
    { 16, TN_WIRE_FIXED64 }, { 17, TN_WIRE_LEN },    { 18, TN_WIRE_LEN },
    { 19, TN_WIRE_FIXED64 }, { 20, TN_WIRE_LEN },    { 21, TN_WIRE_LEN },
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static void put_element(struct tn_rope *to, const struct tn_pir_value *value,
                        uint32_t at)
{
    uint32_t field = fields[value->type].field;

    switch (fields[value->type].wire) {
    case TN_WIRE_LEN:
        tn_pb_put_bytes(to, field, tn_pir_text_at(value, at));
        break;
    case TN_WIRE_FIXED32:
        tn_pb_put_fixed32(
            to, field,
            tn_float_bits(tn_double_to_float(tn_pir_real_at(value, at))));
        break;
    case TN_WIRE_FIXED64:
        tn_pb_put_fixed64(to, field, tn_double_bits(tn_pir_real_at(value, at)));
        break;
    default:
        tn_pb_put_varint(to, field, (uint64_t)tn_pir_int_at(value, at));
        break;
    }
}

void tn_pir_put_desc(struct tn_rope *to, struct tn_bytes name,
                     const struct tn_pir_value *value)
{
    struct tn_rope body;

    tn_rope_init(&body, to->arena, to->error);
    tn_pb_put_bytes(&body, ATTR_NAME, name);
    tn_pb_put_varint(&body, ATTR_TYPE, value->type);
    for (uint32_t i = 0; i < value->count && !tn_failed(to->error); i++)
        put_element(&body, value, i);
    tn_pb_put_message(to, OP_ATTRS, &body);
    tn_rope_done(&body);
}

static uint32_t count_elements(struct tn_cursor c, uint8_t type)
{
    struct tn_pb_field field;
    uint32_t           count = 0;
    uint64_t           bits;

    while (tn_pb_next(&c, &field)) {
        if (field.number != fields[type].field)
            continue;
        if (fields[type].wire == TN_WIRE_LEN)
            count++;
        else
            while (tn_pb_number(&c, &field, fields[type].wire, &bits))
                count++;
    }
    return count;
}

/* Scalar: type = 1, b = 2, i = 3, r = 4 */
static double read_scalar_message(struct tn_cursor c)
{
    struct tn_pb_field field;
    double             value = 0;

    while (tn_pb_next(&c, &field))
        if (field.number == 2 || field.number == 3)
            value = (double)(int64_t)field.value;
        else if (field.number == 4)
            value = tn_double_of_bits(field.value);
    return value;
}

static void fill_number(const struct room *room, enum tn_wire_type wire,
                        uint32_t at, uint64_t bits)
{
    if (wire == TN_WIRE_FIXED32)
        room->reals[at] = (double)tn_float_of_bits((uint32_t)bits);
    else if (wire == TN_WIRE_FIXED64)
        room->reals[at] = tn_double_of_bits(bits);
    else
        room->ints[at] = (int64_t)bits;
}

static void fill(struct tn_cursor c, uint8_t type, const struct room *room)
{
    struct tn_pb_field field;
    uint32_t           at = 0;
    uint64_t           bits;

    while (tn_pb_next(&c, &field)) {
        if (field.number != fields[type].field)
            continue;
        if (type == TN_DESC_SCALAR || type == TN_DESC_SCALARS)
            room->reals[at++] = read_scalar_message(field.body);
        else if (fields[type].wire == TN_WIRE_LEN)
            room->texts[at++] = tn_pb_text(&field);
        else
            while (tn_pb_number(&c, &field, fields[type].wire, &bits))
                fill_number(room, fields[type].wire, at++, bits);
    }
}

bool tn_pir_value_desc(struct tn_cursor body, struct tn_arena *arena,
                       struct tn_bytes *name, struct tn_pir_value *value)
{
    struct tn_cursor   c    = body;
    uint64_t           type = TN_DESC_NONE;
    struct tn_pb_field field;
    struct room        room;

    *value = (struct tn_pir_value){ .type = TN_DESC_NONE };
    *name  = tn_bytes("", 0);
    while (tn_pb_next(&c, &field)) {
        if (field.number == ATTR_NAME && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            *name = tn_pb_text(&field);
        else if (field.number == ATTR_TYPE)
            type = field.value;
    }
    if (type >= FIELD_COUNT || tn_failed(body.error))
        return false;
    bool is_scalar = type == TN_DESC_SCALAR || type == TN_DESC_SCALARS;
    value->type    = (uint8_t)type;
    make_room(&room, value, is_scalar ? 'f' : sort_of(value->type),
              count_elements(body, value->type), arena, body.error);
    if (!tn_failed(body.error))
        fill(body, value->type, &room);
    return !tn_failed(body.error) &&
           (!tn_pir_is_one(value->type) || value->count);
}

/* ---- JSON --------------------------------------------------------------- */

static void put_real(struct tn_buffer *to, double value)
{
    if (isnan(value))
        tn_buffer_text(to, "\"VD\":\"NaN\"");
    else if (isinf(value))
        tn_buffer_text(to, value > 0 ? "\"VD\":\"INF\"" : "\"VD\":\"-INF\"");
    else {
        tn_buffer_text(to, "\"D\":");
        tn_pir_put_double(to, value);
    }
}

static void put_item(struct tn_buffer *to, const struct tn_pir_value *value,
                     uint32_t at, const char *id)
{
    tn_buffer_format(to, "{\"#\":\"%s\",", id);
    if (value->reals) {
        put_real(to, tn_pir_real_at(value, at));
    } else {
        tn_buffer_text(to, "\"D\":");
        if (value->texts)
            tn_pir_put_string(to, tn_pir_text_at(value, at));
        else if (!strcmp(id, "0.a_bool"))
            tn_buffer_text(to, tn_pir_int_at(value, at) ? "true" : "false");
        else
            tn_pir_put_int(to, tn_pir_int_at(value, at));
    }
    tn_buffer_byte(to, '}');
}

static enum tn_pir_kind kind_of(uint8_t type)
{
    for (unsigned i = 0; i < TN_PIR_INTS64; i++)
        if (kinds[i].type == type)
            return (enum tn_pir_kind)i;
    switch (type) {
    case TN_DESC_VAR: return TN_PIR_STRING;
    case TN_DESC_VARS: return TN_PIR_STRINGS;
    case TN_DESC_BLOCK: return TN_PIR_INT;
    case TN_DESC_SCALAR: return TN_PIR_DOUBLE;
    case TN_DESC_SCALARS: return TN_PIR_DOUBLES;
    default: return TN_PIR_INTS;
    }
}

static void put_items(struct tn_buffer *to, const struct tn_pir_value *value,
                      const char *id, const char *item)
{
    tn_buffer_format(to, "{\"#\":\"%s\",\"D\":[", id);
    for (uint32_t i = 0; i < value->count; i++) {
        if (i)
            tn_buffer_byte(to, ',');
        if (item)
            put_item(to, value, i, item);
        else
            tn_pir_put_int(to, tn_pir_int_at(value, i));
    }
    tn_buffer_text(to, "]}");
}

void tn_pir_put_value(struct tn_buffer *to, const struct tn_pir_value *value,
                      enum tn_pir_kind kind)
{
    if (kind == TN_PIR_KIND_COUNT)
        kind = kind_of(value->type);
    if (kind == TN_PIR_DTYPE) {
        const char *word = tn_pir_dtype_word(tn_pir_int_at(value, 0));
        tn_buffer_format(to, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
                         word ? word : "Undefined(ALL_DTYPE)");
    } else if (kinds[kind].item || !strcmp(kinds[kind].id, "1.a_intarray")) {
        put_items(to, value, kinds[kind].id, kinds[kind].item);
    } else {
        put_item(to, value, 0, kinds[kind].id);
    }
}
