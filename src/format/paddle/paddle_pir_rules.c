/*
 * paddle_pir_rules.c - JSON, attributes, and rules/paddle_pir.names:
 *
 *   paddle-pir 1                                the first line
 *   unary NAME...                               op NAME = NAME (X) -> (Out)
 *   op PIR = LEGACY (IN...) -> (OUT...) [when A=1] [when A>0] [all A] [aligned]
 *   also PIR = LEGACY ...                       from the ProgramDesc's side
 *       NAME[=LEGACY] KIND [= JSON]             an attribute
 *
 *   IN   Slot  Slot?  Slot*  [Slot]@attr:KIND[=JSON][|Parts*]
 *   OUT  Slot  Slot?  Slot*  Slot!  Slot=InSlot
 *
 * Rows are few: they are searched one by one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/byte_view.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "codec/stored.h"
#include "format/paddle/paddle_pir.h"
#include "wire/pb/pb_write.h"

/* ---- JSON in memory, and as Paddle prints it ---------------------------- */

/*
 * Numbers: of all decimal forms that read back to the same double the shortest,
 * 0.d1d2... * 10^n, in plain notation for -4 < n <= 15 (with ".0" when it is
 * whole), else d.ddde-06 with two digits of exponent or more.
 */

#define KEY_LIMIT 256

/* Brackets inside brackets: what is read is walked by functions that call
 * themselves, on a small stack. */
#define DEPTH_LIMIT 200

/* ---- reading ------------------------------------------------------------ */

/* A tree under construction: where its next child goes. */
struct open_tree {
    struct tn_tree        *tree;
    const struct tn_tree **link;
};

static bool is_bracket(enum tn_json_event event)
{
    return event == TN_JSON_OBJECT_BEGIN || event == TN_JSON_ARRAY_BEGIN;
}

static void check_key(const struct tn_tree *object, struct tn_bytes key,
                      struct tn_json_reader *reader)
{
    if (object->count >= KEY_LIMIT) {
        tn_fail_at(reader->cursor, reader->offset, TN_LIMIT,
                   "an object of more than %d keys", KEY_LIMIT);
        return;
    }
    for (const struct tn_tree *c = object->first; c; c = c->next)
        if (tn_bytes_equal(c->key, key))
            tn_fail_at(reader->cursor, reader->offset, TN_MALFORMED,
                       "the key \"%.*s\" is here twice", TN_FMT(key));
}

static struct tn_tree *new_tree(struct open_tree *parent, struct tn_bytes key,
                                enum tn_json_event     event,
                                struct tn_json_reader *reader,
                                struct tn_arena       *arena)
{
    struct tn_error *error = reader->cursor->error;
    struct tn_tree  *tree  = tn_new(arena, struct tn_tree, 1, error);

    if (!tree)
        return NULL;
    tree->kind   = (uint8_t)event;
    tree->offset = reader->offset;
    tree->key    = key;
    if (event == TN_JSON_STRING || event == TN_JSON_NUMBER)
        tree->text = tn_bytes_dup(arena, reader->text, error);
    if (parent) {
        *parent->link = tree;
        parent->link  = &tree->next;
        parent->tree->count++;
    }
    return tree;
}

/* All of it, with a stack of the brackets that are open. */
static const struct tn_tree *read_all(struct tn_json_reader *reader,
                                      struct tn_list        *stack,
                                      struct tn_arena       *arena)
{
    struct tn_error      *error = reader->cursor->error;
    const struct tn_tree *root  = NULL;
    struct tn_bytes       key   = { NULL, 0 };
    enum tn_json_event    event;

    while ((event = tn_json_next(reader)) != TN_JSON_END) {
        struct open_tree *top =
            stack->count ? tn_list_at(stack, struct open_tree, stack->count - 1)
                         : NULL;
        if (event == TN_JSON_OBJECT_END || event == TN_JSON_ARRAY_END) {
            stack->count--;
            continue;
        }
        if (event == TN_JSON_KEY) {
            key = tn_bytes_dup(arena, reader->text, error);
            check_key(top->tree, key, reader);
            continue;
        }
        struct tn_tree *tree = new_tree(top, key, event, reader, arena);
        key                  = tn_bytes(NULL, 0);
        root                 = root ? root : tree;
        top                  = NULL;
        if (tree && is_bracket(event))
            top = tn_list_push(stack, struct open_tree, error);
        if (top)
            *top = (struct open_tree){ tree, &tree->first };
        if (stack->count > DEPTH_LIMIT)
            tn_fail_at(reader->cursor, reader->offset, TN_LIMIT,
                       "brackets more than %d deep", DEPTH_LIMIT);
        if (tn_failed(error))
            return NULL;
    }
    return tn_failed(error) ? NULL : root;
}

const struct tn_tree *tn_tree_read(struct tn_cursor *c, struct tn_arena *arena)
{
    struct tn_json_reader reader;
    struct tn_list        stack;

    tn_list_init(&stack, arena->memory, sizeof(struct open_tree));
    tn_json_open(&reader, c, arena->memory);
    const struct tn_tree *root = read_all(&reader, &stack, arena);
    tn_json_close(&reader);
    tn_list_done(&stack);
    return root;
}

const struct tn_tree *tn_tree_member(const struct tn_tree *tree,
                                     const char           *key)
{
    if (!tree || tree->kind != TN_JSON_OBJECT_BEGIN)
        return NULL;
    for (const struct tn_tree *c = tree->first; c; c = c->next)
        if (tn_bytes_is(c->key, key))
            return c;
    return NULL;
}

const struct tn_tree *tn_tree_item(const struct tn_tree *tree, uint32_t index)
{
    if (!tn_tree_is_list(tree))
        return NULL;
    const struct tn_tree *c = tree->first;
    while (c && index--)
        c = c->next;
    return c;
}

bool tn_tree_int(const struct tn_tree *tree, int64_t *value)
{
    return tree && tree->kind == TN_JSON_NUMBER &&
           tn_int64_parse(tree->text, value);
}

/* ---- writing ------------------------------------------------------------ */

void tn_pir_put_int(struct tn_buffer *to, int64_t value)
{
    tn_buffer_format(to, "%" PRId64, value);
}

/* The digits of the shortest form that reads back; *exponent is n. */
static int shortest(double value, char digits[20], int *exponent)
{
    char text[40], plain[40];
    int  count = 0;

    for (int precision = 0; precision <= 16; precision++) {
        double back;
        int    size = snprintf(text, sizeof text, "%.*e", precision, value);
        int    at   = 0;
        count       = 0;
        /* The locale may have its own point. */
        for (; at < size && text[at] != 'e'; at++)
            if (text[at] >= '0' && text[at] <= '9')
                digits[count++] = text[at];
        snprintf(plain, sizeof plain, "0.%.*se%+d", count, digits,
                 (*exponent = atoi(text + at + 1) + 1));
        if (tn_double_parse(tn_text(plain), &back) && back == value)
            break;
    }
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static void put_fixed(struct tn_buffer *to, const char *digits, int count,
                      int n)
{
    if (n <= 0) {
        tn_buffer_format(to, "0.%.*s%.*s", -n, "0000", count, digits);
    } else if (n >= count) {
        tn_buffer_format(to, "%.*s%.*s.0", count, digits, n - count,
                         "000000000000000");
    } else {
        tn_buffer_format(to, "%.*s.%.*s", n, digits, count - n, digits + n);
    }
}

void tn_pir_put_double(struct tn_buffer *to, double value)
{
    char digits[20];
    int  n;

    if (!isfinite(value)) { /* JSON has no word for it */
        tn_buffer_text(to, "null");
        return;
    }
    if (signbit(value))
        tn_buffer_byte(to, '-');
    if (value == 0) {
        tn_buffer_text(to, "0.0");
        return;
    }
    int count = shortest(fabs(value), digits, &n);
    if (n > -4 && n <= 15)
        put_fixed(to, digits, count, n);
    else
        tn_buffer_format(to, "%c%s%.*se%c%02d", digits[0], count > 1 ? "." : "",
                         count - 1, digits + 1, n > 0 ? '+' : '-', abs(n - 1));
}

/* Bytes that are no UTF-8 (names of old programs are just bytes) are written
 * as U+FFFD: JSON could not hold them. */
void tn_pir_put_string(struct tn_buffer *to, struct tn_bytes text)
{
    const uint8_t *at = text.data, *end = at + text.size;
    char           escape[TN_JSON_ESCAPE];

    tn_buffer_byte(to, '"');
    while (text.size && at < end) {
        unsigned size = tn_utf8_check(at, end);
        if (size == 0)
            tn_buffer_text(to, "\xef\xbf\xbd");
        else if (*at == '"' || *at == '\\' ||
                 tn_utf8_is_harmful(tn_utf8_code(at, size)))
            tn_buffer_add(
                to, tn_bytes(escape,
                             tn_json_escape(escape, tn_utf8_code(at, size))));
        else
            tn_buffer_add(to, tn_bytes(at, size));
        at += size ? size : 1;
    }
    tn_buffer_byte(to, '"');
}

static void put_number(struct tn_buffer *to, struct tn_bytes text)
{
    int64_t  whole;
    uint64_t large;
    double   real;
    bool     is_real = tn_bytes_find(text, '.') || tn_bytes_find(text, 'e') ||
                   tn_bytes_find(text, 'E');

    if (!is_real && tn_int64_parse(text, &whole))
        tn_pir_put_int(to, whole);
    else if (!is_real && tn_uint64_parse(text, &large))
        tn_buffer_format(to, "%" PRIu64, large);
    else if (tn_double_parse(text, &real) && real - real == 0)
        tn_pir_put_double(to, real);
    else /* past what a double holds: as it was */
        tn_buffer_add(to, text);
}

/* The member after `last` in the order of keys.  Objects are small. */
static const struct tn_tree *next_key(const struct tn_tree *object,
                                      const struct tn_tree *last)
{
    const struct tn_tree *best = NULL;

    for (const struct tn_tree *c = object->first; c; c = c->next)
        if ((!last || tn_bytes_compare(c->key, last->key) > 0) &&
            (!best || tn_bytes_compare(c->key, best->key) < 0))
            best = c;
    return best;
}

static void put_object(struct tn_buffer *to, const struct tn_tree *tree)
{
    const struct tn_tree *last = NULL;

    tn_buffer_byte(to, '{');
    for (const struct tn_tree *c = next_key(tree, NULL); c;
         c                       = next_key(tree, c)) {
        if (last)
            tn_buffer_byte(to, ',');
        tn_pir_put_string(to, c->key);
        tn_buffer_byte(to, ':');
        tn_tree_put(to, c);
        last = c;
    }
    tn_buffer_byte(to, '}');
}

static void put_list(struct tn_buffer *to, const struct tn_tree *tree)
{
    tn_buffer_byte(to, '[');
    for (const struct tn_tree *c = tree->first; c; c = c->next) {
        if (c != tree->first)
            tn_buffer_byte(to, ',');
        tn_tree_put(to, c);
    }
    tn_buffer_byte(to, ']');
}

/* As deep as the reader lets trees be: DEPTH_LIMIT. */
void tn_tree_put(struct tn_buffer *to, const struct tn_tree *tree)
{
    switch (tree->kind) {
    case TN_JSON_OBJECT_BEGIN: put_object(to, tree); break;
    case TN_JSON_ARRAY_BEGIN: put_list(to, tree); break;
    case TN_JSON_STRING: tn_pir_put_string(to, tree->text); break;
    case TN_JSON_NUMBER: put_number(to, tree->text); break;
    case TN_JSON_TRUE: tn_buffer_text(to, "true"); break;
    case TN_JSON_FALSE: tn_buffer_text(to, "false"); break;
    default: tn_buffer_text(to, "null"); break;
    }
}

/* ---- attributes: as JSON, and as messages of a ProgramDesc -------------- */

/*
 *   {"#":"0.a_i32","D":3}                                  INT
 *   {"#":"0.a_array","D":[{"#":"0.a_i32","D":3},...]}      INTS
 *   {"#":"0.a_f32","VD":"NaN"}                             FLOAT
 *   {"#":"1.a_intarray","D":[3,4]}, {"#":"1.a_dtype","D":"float32"}: only a
 *   rule knows what they are there
 */

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

static bool kind_parse(struct tn_bytes word, enum tn_pir_kind *kind)
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

void tn_pir_put_desc(struct tn_rope *to, struct tn_bytes name,
                     const struct tn_pir_value *value)
{
    struct tn_rope body;

    tn_rope_init(&body, to->arena, to->error);
    tn_pb_put_bytes(&body, ATTR_NAME, name);
    tn_pb_put_varint(&body, ATTR_TYPE, value->type);
    for (uint32_t i = 0; i < value->count && !tn_failed(to->error); i++) {
        uint32_t field = fields[value->type].field;
        switch (fields[value->type].wire) {
        case TN_WIRE_LEN:
            tn_pb_put_bytes(&body, field, tn_pir_text_at(value, i));
            break;
        case TN_WIRE_FIXED32:
            tn_pb_put_fixed32(
                &body, field,
                tn_float_bits(tn_double_to_float(tn_pir_real_at(value, i))));
            break;
        case TN_WIRE_FIXED64:
            tn_pb_put_fixed64(&body, field,
                              tn_double_bits(tn_pir_real_at(value, i)));
            break;
        default:
            tn_pb_put_varint(&body, field, (uint64_t)tn_pir_int_at(value, i));
            break;
        }
    }
    tn_pb_put_message(to, OP_ATTRS, &body);
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

extern const unsigned char tn_rules_paddle_pir_text[];
extern const size_t        tn_rules_paddle_pir_text_size;

struct tn_bytes tn_pir_rules_text(struct tn_arena *arena,
                                  struct tn_error *error)
{
    return tn_stored_read(
        tn_bytes(tn_rules_paddle_pir_text, tn_rules_paddle_pir_text_size),
        arena, error);
}

struct parser {
    struct tn_arena     *arena;
    struct tn_error     *error;
    struct tn_pir_rules *rules;
    struct tn_list       ports, attrs; /* of the row being read               */
    struct tn_pir_rule  *row;          /* NULL: none yet                      */
};

/* ---- words -------------------------------------------------------------- */

static struct tn_bytes next_word(struct tn_cursor *line)
{
    while (tn_more(line) && (*line->at == ' ' || *line->at == '('))
        tn_skip(line, 1);
    const uint8_t *p = line->at;
    if (p < line->end && *p == ')')
        return tn_take_bytes(line, 1);
    while (p < line->end && *p != ' ' && *p != ')')
        p++;
    return tn_take_bytes(line, (uint64_t)(p - line->at));
}

/* What is before `mark`, which is dropped; the rest stays in *text.  With no
 * mark in it all of the text is before. */
static struct tn_bytes cut(struct tn_bytes *text, char mark, bool *has_mark)
{
    const uint8_t  *at   = tn_bytes_find(*text, mark);
    struct tn_bytes head = *text;

    if (has_mark)
        *has_mark = at != NULL;
    if (!at) {
        *text = tn_bytes(NULL, 0);
        return head;
    }
    head.size = (size_t)(at - text->data);
    *text     = tn_bytes(at + 1, text->size - head.size - 1);
    return head;
}

static bool drop_end(struct tn_bytes *text, char mark)
{
    if (text->size == 0 || text->data[text->size - 1] != (uint8_t)mark)
        return false;
    text->size--;
    return true;
}

static const struct tn_tree *read_json(struct parser *p, struct tn_bytes text,
                                       const struct tn_cursor *line)
{
    struct tn_cursor c = tn_cursor_bytes(text, line->offset, p->error);

    return tn_tree_read(&c, p->arena);
}

static enum tn_pir_kind read_kind(struct tn_bytes word, struct tn_cursor *line)
{
    enum tn_pir_kind kind = TN_PIR_BOOL;

    if (!kind_parse(word, &kind))
        tn_fail(line, TN_MALFORMED, "'%.*s' is not a kind", TN_FMT(word));
    return kind;
}

/* ---- ports -------------------------------------------------------------- */

static void read_port(struct parser *p, struct tn_cursor *line,
                      struct tn_bytes word, bool is_result)
{
    struct tn_pir_port *port =
        tn_list_push(&p->ports, struct tn_pir_port, p->error);
    bool has_attr, has_fallback;

    if (!port)
        return;
    struct tn_bytes rest = word, head = cut(&rest, '|', NULL);
    port->parts = rest;
    drop_end(&port->parts, '*');
    if (is_result) {
        port->slot  = cut(&head, '=', NULL);
        port->alias = head;
    } else {
        port->slot = cut(&head, '@', &has_attr);
        if (has_attr) {
            port->attr           = cut(&head, ':', NULL);
            struct tn_bytes kind = cut(&head, '=', &has_fallback);
            port->kind           = read_kind(kind, line);
            if (has_fallback)
                port->fallback = read_json(p, head, line);
            port->is_optional = true;
        }
    }
    port->is_optional |= drop_end(&port->slot, '?');
    port->is_list = drop_end(&port->slot, '*');
    port->is_made = drop_end(&port->slot, '!');
    port->is_over = drop_end(&port->slot, '^');
}

static void *keep(struct parser *p, struct tn_list *list, uint32_t *count)
{
    void *copy =
        tn_list_keep_items(list, p->arena, alignof(max_align_t), p->error);

    *count      = copy ? (uint32_t)list->count : 0;
    list->count = 0;
    return copy;
}

static const struct tn_pir_port *read_ports(struct parser    *p,
                                            struct tn_cursor *line,
                                            bool is_result, uint32_t *count)
{
    p->ports.count = 0;
    for (;;) {
        struct tn_bytes word = next_word(line);
        if (word.size == 0)
            tn_fail(line, TN_MALFORMED, "')' is missing here");
        if (word.size == 0 || tn_bytes_is(word, ")"))
            break;
        read_port(p, line, word, is_result);
    }
    return keep(p, &p->ports, count);
}

/* ---- lines -------------------------------------------------------------- */

static void finish_row(struct parser *p)
{
    if (p->row)
        p->row->attrs = keep(p, &p->attrs, &p->row->attr_count);
}

static void new_row(struct parser *p)
{
    finish_row(p);
    p->row = tn_list_push(&p->rules->rows, struct tn_pir_rule, p->error);
}

static void expect_word(struct tn_cursor *line, const char *word)
{
    if (!tn_bytes_is(next_word(line), word))
        tn_fail(line, TN_MALFORMED, "'%s' is missing before here", word);
}

static void read_condition(struct parser *p, struct tn_cursor *line)
{
    struct tn_bytes word = next_word(line), rest = word;
    bool            is_equal;

    cut(&rest, '=', &is_equal);
    p->row->when_how = is_equal ? '=' : '>';
    p->row->when     = cut(&word, p->row->when_how, NULL);
    if (!tn_int64_parse(word, &p->row->when_value))
        tn_fail(line, TN_MALFORMED, "a number is missing before here");
}

static void read_flags(struct parser *p, struct tn_cursor *line)
{
    for (struct tn_bytes word = next_word(line); word.size;
         word                 = next_word(line)) {
        if (tn_bytes_is(word, "when"))
            read_condition(p, line);
        else if (tn_bytes_is(word, "all"))
            p->row->all = next_word(line);
        else if (tn_bytes_is(word, "aligned"))
            p->row->is_aligned = true;
        else
            tn_fail(line, TN_MALFORMED, "'%.*s' is not a flag", TN_FMT(word));
    }
}

static void read_op(struct parser *p, struct tn_cursor *line, bool is_also)
{
    new_row(p);
    if (!p->row)
        return;
    p->row->is_also = is_also;
    p->row->pir     = next_word(line);
    expect_word(line, "=");
    p->row->legacy = next_word(line);
    p->row->in     = read_ports(p, line, false, &p->row->in_count);
    expect_word(line, "->");
    p->row->out = read_ports(p, line, true, &p->row->out_count);
    read_flags(p, line);
}

static void read_unary(struct parser *p, struct tn_cursor *line)
{
    static const struct tn_pir_port in[]  = { { .slot = { (const uint8_t *)"X",
                                                          1 } } };
    static const struct tn_pir_port out[] = {
        { .slot = { (const uint8_t *)"Out", 3 } }
    };

    for (struct tn_bytes name                    = next_word(line);
         name.size && !tn_failed(p->error); name = next_word(line)) {
        new_row(p);
        if (p->row)
            *p->row = (struct tn_pir_rule){ .pir       = name,
                                            .legacy    = name,
                                            .in        = in,
                                            .out       = out,
                                            .in_count  = 1,
                                            .out_count = 1 };
    }
}

static void read_attr(struct parser *p, struct tn_cursor *line)
{
    struct tn_pir_attr_rule *attr =
        tn_list_push(&p->attrs, struct tn_pir_attr_rule, p->error);
    struct tn_bytes word = next_word(line);

    if (!attr)
        return;
    attr->pir    = cut(&word, '=', NULL);
    attr->legacy = word.size ? word : attr->pir;
    attr->kind   = read_kind(next_word(line), line);
    if (next_word(line).size)
        attr->fallback = read_json(
            p, tn_bytes(line->at, (size_t)(line->end - line->at)), line);
}

static void read_line(struct parser *p, struct tn_cursor *line)
{
    if (!tn_more(line) || *line->at == '#')
        return;
    if (*line->at == ' ') {
        if (p->row)
            read_attr(p, line);
        else
            tn_fail(line, TN_MALFORMED, "an attribute of no operator");
        return;
    }
    struct tn_bytes word = next_word(line);
    if (tn_bytes_is(word, "op") || tn_bytes_is(word, "also"))
        read_op(p, line, word.size == 4);
    else if (tn_bytes_is(word, "unary"))
        read_unary(p, line);
    else if (!tn_bytes_is(word, "paddle-pir"))
        tn_fail(line, TN_MALFORMED, "'%.*s' begins no line", TN_FMT(word));
}

enum tn_status tn_pir_rules_read(struct tn_pir_rules *rules,
                                 struct tn_arena *arena, struct tn_bytes text,
                                 struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_bytes(text, 0, error);
    struct parser    p = { .arena = arena, .error = error, .rules = rules };

    tn_list_init(&rules->rows, arena->memory, sizeof(struct tn_pir_rule));
    tn_list_init(&p.ports, arena->memory, sizeof(struct tn_pir_port));
    tn_list_init(&p.attrs, arena->memory, sizeof(struct tn_pir_attr_rule));
    while (tn_more(&c)) {
        const uint8_t   *end = memchr(c.at, '\n', (size_t)(c.end - c.at));
        struct tn_cursor line =
            tn_sub(&c, (uint64_t)((end ? end : c.end) - c.at));
        read_line(&p, &line);
        if (end)
            tn_skip(&c, 1);
        if (tn_failed(error))
            break;
    }
    finish_row(&p);
    tn_list_done(&p.ports);
    tn_list_done(&p.attrs);
    return error->status;
}

void tn_pir_rules_done(struct tn_pir_rules *rules)
{
    tn_list_done(&rules->rows);
}

const struct tn_pir_rule *tn_pir_rule_of(const struct tn_pir_rules *rules,
                                         struct tn_bytes            pir,
                                         struct tn_bytes            legacy)
{
    for (uint64_t i = 0; i < rules->rows.count; i++) {
        const struct tn_pir_rule *row =
            tn_list_at(&rules->rows, struct tn_pir_rule, i);
        if (tn_bytes_equal(row->pir, pir) &&
            (legacy.size ? tn_bytes_equal(row->legacy, legacy) : !row->is_also))
            return row;
    }
    return NULL;
}
