/*
 * pb_text_read.c - protobuf's text format to bytes
 *
 *   message := (field (";" | ",")?)*
 *   field   := name ":" value            a number, bool, enum, string
 *            | name ":"? body            a message
 *            | name ":" "[" values "]"   a repeated field
 *   name    := NAME | "[" extension "]" | "[" host "/" type "]" | INTEGER
 *   body    := "{" message "}" | "<" message ">"
 */
#include "wire/pb/pb_text_read.h"

#include <math.h>

#include "base/byte_view.h"
#include "base/number.h"
#include "wire/pb/pb_assemble.h"
#include "wire/pb/pb_text_lex.h"
#include "wire/pb/pb_rules.h"

/* A string longer than this is not kept but read again when it is written. */
#define KEEP_LIMIT 65536

/* Counts what a string holds; keeps it as long as it is short. */
struct measure {
    struct tn_sink   sink;
    uint64_t         length;
    struct tn_buffer bytes;
};

struct reader {
    const struct tn_pb_schema *schema;
    struct tn_arena           *arena;
    struct tn_error           *error;
    struct tn_lex              lex;
    struct tn_pb_assembly      to;
    struct measure             string;
    struct tn_buffer           name; /* of an extension or a type */
};

/* Strings */

static enum tn_status measure_write(struct tn_sink *sink, struct tn_bytes bytes,
                                    struct tn_error *error)
{
    struct measure *m = (struct measure *)sink;

    m->length += bytes.size;
    if (m->length <= KEEP_LIMIT)
        tn_buffer_add(&m->bytes, bytes);
    return error->status;
}

static const struct tn_sink_ops measure_ops = { .write = measure_write };

/* A string literal that is unescaped when it is asked for. */
struct literal {
    struct tn_producer producer;
    struct tn_memory  *memory;
    struct tn_span     text; /* from its first quote to the token after it */
};

static enum tn_status literal_produce(const struct tn_producer *producer,
                                      struct tn_sink           *to,
                                      struct tn_error          *error)
{
    const struct literal *literal = (const struct literal *)producer;
    struct tn_lex        *lex =
        tn_memory_resize(literal->memory, NULL, 0, sizeof *lex, error);

    if (!lex)
        return error->status;
    tn_lex_init(lex, literal->text, literal->memory, error);
    tn_lex_next(lex);
    tn_lex_string(lex, to);
    tn_lex_done(lex);
    tn_memory_free(literal->memory, lex, sizeof *lex);
    return error->status;
}

/* Reads a string; NULL when it was short and is in r->string, else a producer
 * that will read it again. */
static const struct tn_producer *read_string(struct reader *r)
{
    uint64_t begin = r->lex.offset;

    if (r->lex.kind != TN_LEX_STRING) {
        tn_lex_fail(&r->lex, TN_MALFORMED, "found %s, expected a string",
                    tn_lex_describe(&r->lex));
        return NULL;
    }
    r->string.length = 0;
    tn_buffer_clear(&r->string.bytes);
    tn_lex_string(&r->lex, &r->string.sink);
    if (tn_failed(r->error) || r->string.length <= KEEP_LIMIT)
        return NULL;
    struct literal *literal = tn_new(r->arena, struct literal, 1, r->error);
    if (!literal)
        return NULL;
    literal->producer =
        (struct tn_producer){ literal_produce, r->string.length };
    literal->memory = r->arena->memory;
    literal->text =
        (struct tn_span){ r->lex.source, begin, r->lex.offset - begin };
    return &literal->producer;
}

/* Numbers */

static bool take_symbol(struct reader *r, uint8_t symbol)
{
    if (!tn_lex_is(&r->lex, symbol))
        return false;
    tn_lex_next(&r->lex);
    return true;
}

static bool expect_symbol(struct reader *r, uint8_t symbol)
{
    if (take_symbol(r, symbol))
        return true;
    tn_lex_fail(&r->lex,
                r->lex.kind == TN_LEX_END ? TN_TRUNCATED : TN_MALFORMED,
                "found %s, expected '%c'", tn_lex_describe(&r->lex), symbol);
    return false;
}

static bool digits_value(struct tn_bytes text, uint64_t *value)
{
    unsigned base = 10;
    size_t   i    = 0;

    if (text.size > 1 && text.data[0] == '0') {
        base = (text.data[1] | 0x20) == 'x' ? 16 : 8;
        i    = base == 16 ? 2 : 1;
    }
    for (*value = 0; i < text.size; i++) {
        unsigned c     = text.data[i];
        unsigned digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

/* An integer token no larger than `limit`; the token after it is current. */
static bool read_unsigned(struct reader *r, uint64_t limit, uint64_t *value)
{
    if (r->lex.kind != TN_LEX_INTEGER) {
        tn_lex_fail(&r->lex, TN_MALFORMED, "found %s, expected an integer",
                    tn_lex_describe(&r->lex));
        return false;
    }
    if (!digits_value(tn_buffer_bytes(&r->lex.text), value) || *value > limit) {
        tn_lex_fail(&r->lex, TN_MALFORMED, "%s is out of range",
                    tn_lex_describe(&r->lex));
        return false;
    }
    tn_lex_next(&r->lex);
    return !tn_failed(r->error);
}

static bool read_integer(struct reader *r, enum tn_pb_type type,
                         uint64_t *value)
{
    bool     is_signed = tn_pb_is_signed(type);
    bool     is_minus  = is_signed && take_symbol(r, '-');
    unsigned bits      = (tn_pb_is_32bit(type) ? 32u : 64u) - is_signed;
    uint64_t limit     = (UINT64_MAX >> (64 - bits)) + is_minus;

    if (!read_unsigned(r, limit, value))
        return false;
    if (is_minus)
        *value = ~*value + 1;
    return true;
}

static bool same_word(struct tn_bytes text, const char *word)
{
    if (text.size != strlen(word))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((text.data[i] | 0x20) != word[i])
            return false;
    return true;
}

static bool word_value(struct tn_bytes text, double *value)
{
    if (same_word(text, "inf") || same_word(text, "infinity"))
        *value = (double)INFINITY;
    else if (same_word(text, "nan"))
        *value = (double)NAN;
    else
        return false;
    return true;
}

static bool read_double(struct reader *r, double *value)
{
    bool            is_minus = take_symbol(r, '-');
    struct tn_bytes text     = tn_buffer_bytes(&r->lex.text);
    bool            is_good  = false;

    if (r->lex.kind == TN_LEX_NAME)
        is_good = word_value(text, value);
    else if (r->lex.kind == TN_LEX_FLOAT)
        is_good = tn_double_parse(text, value);
    else if (r->lex.kind == TN_LEX_INTEGER) /* decimal, as protoc demands */
        is_good = (text.size == 1 || text.data[0] != '0') &&
                  tn_double_parse(text, value);
    if (!is_good) {
        tn_lex_fail(&r->lex, TN_MALFORMED, "found %s, expected a number",
                    tn_lex_describe(&r->lex));
        return false;
    }
    *value = is_minus ? -*value : *value;
    tn_lex_next(&r->lex);
    return !tn_failed(r->error);
}

/* A float's NaN keeps the sign that the text gave it. */
static uint64_t float_value(double value)
{
    float narrow = tn_double_to_float(value);

    if (isnan(value))
        return 0x7fc00000u | (signbit(value) ? 0x80000000u : 0);
    return tn_float_bits(narrow);
}

static bool read_bool(struct reader *r, uint64_t *value)
{
    struct tn_bytes text = tn_buffer_bytes(&r->lex.text);

    if (r->lex.kind == TN_LEX_INTEGER)
        return read_unsigned(r, 1, value);
    bool is_true = tn_bytes_is(text, "true") || tn_bytes_is(text, "True") ||
                   tn_bytes_is(text, "t");
    bool is_false = tn_bytes_is(text, "false") || tn_bytes_is(text, "False") ||
                    tn_bytes_is(text, "f");
    if (r->lex.kind != TN_LEX_NAME || (!is_true && !is_false)) {
        tn_lex_fail(&r->lex, TN_MALFORMED, "found %s, expected true or false",
                    tn_lex_describe(&r->lex));
        return false;
    }
    *value = is_true;
    tn_lex_next(&r->lex);
    return !tn_failed(r->error);
}

static bool read_enum(struct reader *r, const struct tn_pb_field_type *field,
                      uint64_t *value)
{
    int32_t  number;
    uint64_t begin = r->lex.offset;

    if (r->lex.kind != TN_LEX_NAME) {
        if (!read_integer(r, TN_PB_ENUM, value))
            return false;
        if (field->enumeration->is_open ||
            tn_pb_enum_name(field->enumeration, (int32_t)(int64_t)*value))
            return true;
        r->lex.offset = begin;
        tn_lex_fail(&r->lex, TN_MALFORMED, "%s has no number %" PRId64,
                    field->enumeration->full_name, (int64_t)*value);
        return false;
    }
    if (!tn_pb_enum_number(field->enumeration, tn_buffer_bytes(&r->lex.text),
                           &number)) {
        tn_lex_fail(&r->lex, TN_MALFORMED, "%s has no value %s",
                    field->enumeration->full_name, tn_lex_describe(&r->lex));
        return false;
    }
    *value = (uint64_t)(int64_t)number;
    tn_lex_next(&r->lex);
    return !tn_failed(r->error);
}

static bool read_number(struct reader *r, const struct tn_pb_field_type *field,
                        uint64_t *value)
{
    double real;

    switch (field->type) {
    case TN_PB_BOOL: return read_bool(r, value);
    case TN_PB_ENUM: return read_enum(r, field, value);
    case TN_PB_DOUBLE:
    case TN_PB_FLOAT:
        if (!read_double(r, &real))
            return false;
        *value = field->type == TN_PB_DOUBLE ? tn_double_bits(real)
                                             : float_value(real);
        return true;
    default: return read_integer(r, field->type, value);
    }
}

/* Messages */

static void read_fields(struct reader *r, uint8_t closing);

/* "{" or "<" and what must close it; 0 when neither stands here. */
static uint8_t open_body(struct reader *r)
{
    if (take_symbol(r, '{'))
        return '}';
    if (take_symbol(r, '<'))
        return '>';
    tn_lex_fail(&r->lex,
                r->lex.kind == TN_LEX_END ? TN_TRUNCATED : TN_MALFORMED,
                "found %s, expected '{'", tn_lex_describe(&r->lex));
    return 0;
}

/* Of a field, or of one that is known by number only (`field` is NULL). */
static void read_body(struct reader *r, const struct tn_pb_message *type,
                      const struct tn_pb_field_type *field, uint32_t number,
                      bool is_group)
{
    uint64_t begin   = r->lex.offset;
    uint8_t  closing = open_body(r);

    if (!closing || !tn_pb_begin(&r->to, type, begin))
        return;
    read_fields(r, closing);
    if (!expect_symbol(r, closing))
        return;
    if (field)
        tn_pb_end(&r->to, field);
    else
        tn_pb_end_unknown(&r->to, number, is_group);
}

static void read_value(struct reader *r, const struct tn_pb_field_type *field)
{
    uint64_t value = 0;

    if (tn_pb_is_message(field->type)) {
        read_body(r, field->message, field, 0, false);
    } else if (tn_pb_is_blob(field->type)) {
        const struct tn_producer *producer = read_string(r);
        if (tn_failed(r->error))
            return;
        if (producer)
            tn_pb_add_producer(&r->to, field, producer);
        else
            tn_pb_add_blob(&r->to, field, tn_buffer_bytes(&r->string.bytes));
    } else if (read_number(r, field, &value)) {
        tn_pb_add_number(&r->to, field, value);
    }
}

static void step_where(struct reader *r, const struct tn_pb_field_type *field,
                       uint64_t index)
{
    if (field->label == TN_PB_REPEATED)
        tn_error_where(r->error, "%s[%" PRIu64 "]", field->name, index);
    else
        tn_error_where(r->error, "%s", field->name);
}

static void read_list(struct reader *r, const struct tn_pb_field_type *field)
{
    if (take_symbol(r, ']'))
        return;
    do {
        uint64_t index = tn_pb_count(&r->to, field);
        read_value(r, field);
        if (tn_failed(r->error)) {
            step_where(r, field, index);
            return;
        }
    } while (take_symbol(r, ','));
    expect_symbol(r, ']');
}

static bool check_singular(struct reader                 *r,
                           const struct tn_pb_field_type *field)
{
    const struct tn_pb_field_type *rival = tn_pb_other_member(&r->to, field);

    if (field->label != TN_PB_REPEATED && tn_pb_count(&r->to, field))
        tn_lex_fail(&r->lex, TN_MALFORMED, "%s is given twice", field->name);
    else if (rival)
        tn_lex_fail(&r->lex, TN_MALFORMED,
                    "%s is given, and %s of the same oneof", field->name,
                    rival->name);
    return !tn_failed(r->error);
}

/* After the name. */
static void read_known(struct reader *r, const struct tn_pb_field_type *field)
{
    uint64_t index = tn_pb_count(&r->to, field);

    if (tn_pb_is_message(field->type))
        take_symbol(r, ':');
    else if (!expect_symbol(r, ':'))
        return;
    if (!check_singular(r, field))
        return;
    if (field->label == TN_PB_REPEATED && take_symbol(r, '[')) {
        read_list(r, field);
        return;
    }
    read_value(r, field);
    if (tn_failed(r->error))
        step_where(r, field, index);
}

/* Names */

static const struct tn_pb_message *current_type(struct reader *r)
{
    return r->to.frames[r->to.depth - 1].type;
}

static void no_such_field(struct reader *r, const char *name)
{
    const struct tn_pb_message *type = current_type(r);

    tn_lex_fail(&r->lex, TN_MALFORMED, "%s has no field %.80s",
                type ? type->full_name : "an unknown message", name);
}

/* A group is written by the name of its type, which begins with a capital; the
 * name of the field is the same in small letters. */
static const struct tn_pb_field_type *find_group(
    const struct tn_pb_message *type, struct tn_bytes name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct tn_pb_field_type *field = &type->fields[i];
        if (field->type == TN_PB_GROUP && !field->is_extension &&
            tn_bytes_is(name, field->message->name))
            return field;
    }
    return NULL;
}

/* The field of that name, or of a name that it got later: a schema keeps the
 * later name as a JSON name with a `_`, which protoc itself never makes. */
static const struct tn_pb_field_type *find_named(
    const struct tn_pb_message *type, struct tn_bytes name)
{
    const struct tn_pb_field_type *field =
        tn_pb_message_field_named(type, name);

    if (!field && name.size && tn_bytes_find(name, '_'))
        field = tn_pb_message_field_json(type, name);
    return field;
}

static void read_named(struct reader *r)
{
    const struct tn_pb_message    *type  = current_type(r);
    struct tn_bytes                name  = tn_buffer_bytes(&r->lex.text);
    const struct tn_pb_field_type *field = type ? find_named(type, name) : NULL;

    if (field && (field->type == TN_PB_GROUP || field->is_extension))
        field = NULL;
    if (!field && type)
        field = find_group(type, name);
    if (!field) {
        no_such_field(r, tn_lex_describe(&r->lex));
        return;
    }
    tn_lex_next(&r->lex);
    read_known(r, field);
}

/* An Any whose content is spelled out. */
static void read_any(struct reader *r, const char *url, const char *name)
{
    const struct tn_pb_message    *any   = current_type(r);
    const struct tn_pb_field_type *title = tn_pb_message_field(any, 1);
    const struct tn_pb_field_type *value = tn_pb_message_field(any, 2);
    const struct tn_pb_message    *inner = tn_pb_schema_find(r->schema, name);

    if (!inner || !title || !value || title->type != TN_PB_STRING ||
        value->type != TN_PB_BYTES) {
        tn_lex_fail(&r->lex, TN_NOT_FOUND, "no message type %.80s", name);
        return;
    }
    if (!check_singular(r, title) || !check_singular(r, value))
        return;
    tn_pb_add_blob(&r->to, title, tn_text(url));
    take_symbol(r, ':');
    read_body(r, inner, value, 0, false);
    tn_error_where(r->error, "value");
}

/* "[" names, points and slashes "]"; the text between is in r->name. */
static bool read_bracketed(struct reader *r)
{
    tn_buffer_clear(&r->name);
    tn_lex_next(&r->lex);
    while (!take_symbol(r, ']')) {
        bool is_joint = tn_lex_is(&r->lex, '.') || tn_lex_is(&r->lex, '/') ||
                        tn_lex_is(&r->lex, '-');
        if (is_joint)
            tn_buffer_byte(&r->name, r->lex.symbol);
        else if (r->lex.kind == TN_LEX_NAME)
            tn_buffer_add(&r->name, tn_buffer_bytes(&r->lex.text));
        else
            tn_lex_fail(&r->lex,
                        r->lex.kind == TN_LEX_END ? TN_TRUNCATED : TN_MALFORMED,
                        "found %s in the name of an extension",
                        tn_lex_describe(&r->lex));
        if (r->name.size > TN_PB_NAME_LIMIT)
            tn_lex_fail(&r->lex, TN_LIMIT, "a name longer than %d bytes",
                        TN_PB_NAME_LIMIT);
        if (tn_failed(r->error))
            return false;
        tn_lex_next(&r->lex);
    }
    return !tn_failed(r->error);
}

static void read_extension(struct reader *r)
{
    const struct tn_pb_message *type  = current_type(r);
    uint64_t                    begin = r->lex.offset;

    if (!read_bracketed(r))
        return;
    const char *name  = tn_buffer_string(&r->name);
    const char *slash = strrchr(name, '/');
    if (slash && type && strcmp(type->full_name, "google.protobuf.Any") == 0) {
        read_any(r, name, slash + 1);
        return;
    }
    const struct tn_pb_field_type *field =
        type ? tn_pb_message_field_named(type, tn_text(name)) : NULL;
    if (!field || !field->is_extension) {
        r->lex.offset = begin;
        no_such_field(r, name);
        return;
    }
    read_known(r, field);
}

/* Unknown fields, by number */

/* Whether a value of that wire type is one of the field.  Enums of proto2 are
 * printed by number when they have no name for it. */
static bool is_of_field(const struct tn_pb_field_type *field,
                        enum tn_wire_type              type)
{
    if (!field || (field->enumeration && type == TN_WIRE_VARINT))
        return false;
    return tn_pb_wire_type(field->type) == type ||
           (type == TN_WIRE_LEN && field->label == TN_PB_REPEATED &&
            tn_pb_is_packable(field->type));
}

static const struct tn_pb_field_type *field_of(struct reader *r,
                                               uint32_t       number)
{
    const struct tn_pb_message *message = current_type(r);

    return message ? tn_pb_message_field(message, number) : NULL;
}

/* A number is for fields without a name: if the message has a field of that
 * number, only with another wire type.  Otherwise the value would have to match
 * the field, which is not checked here. */
static bool is_unknown(struct reader *r, uint32_t number,
                       enum tn_wire_type type)
{
    const struct tn_pb_field_type *field = field_of(r, number);

    if (!is_of_field(field, type))
        return true;
    tn_lex_fail(&r->lex, TN_MALFORMED, "field %" PRIu32 " goes by its name, %s",
                number, field->name);
    return false;
}

static void read_unknown_number(struct reader *r, uint32_t number)
{
    struct tn_bytes   text = tn_buffer_bytes(&r->lex.text);
    bool              hex  = text.size > 2 && (text.data[1] | 0x20) == 'x';
    enum tn_wire_type type = TN_WIRE_VARINT;
    uint64_t          value;

    if (hex && text.size == 10)
        type = TN_WIRE_FIXED32;
    else if (hex && text.size == 18)
        type = TN_WIRE_FIXED64;
    else if (hex)
        tn_lex_fail(&r->lex, TN_MALFORMED,
                    "an unknown field has 8 or 16 hex digits, not %zu",
                    text.size - 2);
    if (is_unknown(r, number, type) && read_unsigned(r, UINT64_MAX, &value))
        tn_pb_add_unknown(&r->to, number, type, value);
}

static void read_unknown_string(struct reader *r, uint32_t number)
{
    const struct tn_producer *producer =
        is_unknown(r, number, TN_WIRE_LEN) ? read_string(r) : NULL;

    if (tn_failed(r->error))
        return;
    if (producer)
        tn_pb_add_unknown_producer(&r->to, number, producer);
    else
        tn_pb_add_unknown_blob(&r->to, number,
                               tn_buffer_bytes(&r->string.bytes));
}

/* The value has a length. If the field itself is of a type with a length, then
 * this can only be a group. */
static void read_unknown_body(struct reader *r, uint32_t number)
{
    bool is_group = is_of_field(field_of(r, number), TN_WIRE_LEN);

    if (!is_group || is_unknown(r, number, TN_WIRE_GROUP_BEGIN))
        read_body(r, NULL, NULL, number, is_group);
}

static void read_unknown(struct reader *r)
{
    uint64_t number = 0;

    if (!read_unsigned(r, (1u << 29) - 1, &number))
        return;
    bool has_colon = take_symbol(r, ':');
    if (number == 0)
        tn_lex_fail(&r->lex, TN_MALFORMED, "there is no field 0");
    else if (tn_lex_is(&r->lex, '{') || tn_lex_is(&r->lex, '<'))
        read_unknown_body(r, (uint32_t)number);
    else if (!has_colon)
        expect_symbol(r, ':');
    else if (r->lex.kind == TN_LEX_STRING)
        read_unknown_string(r, (uint32_t)number);
    else
        read_unknown_number(r, (uint32_t)number);
    tn_error_where(r->error, "%" PRIu64, number);
}

static void read_fields(struct reader *r, uint8_t closing)
{
    while (r->lex.kind != TN_LEX_END && !tn_failed(r->error)) {
        if (closing && tn_lex_is(&r->lex, closing))
            return;
        if (r->lex.kind == TN_LEX_NAME)
            read_named(r);
        else if (r->lex.kind == TN_LEX_INTEGER)
            read_unknown(r);
        else if (tn_lex_is(&r->lex, '['))
            read_extension(r);
        else
            tn_lex_fail(&r->lex, TN_MALFORMED, "found %s, expected a field",
                        tn_lex_describe(&r->lex));
        if (!take_symbol(r, ';'))
            take_symbol(r, ',');
    }
}

enum tn_status tn_pb_text_read(const struct tn_pb_schema  *schema,
                               const struct tn_pb_message *type,
                               struct tn_span text, struct tn_rope *to,
                               struct tn_error *error)
{
    struct tn_memory *memory = to->arena->memory;
    struct reader    *r = tn_memory_resize(memory, NULL, 0, sizeof *r, error);

    if (!r)
        return error->status;
    r->schema      = schema;
    r->arena       = to->arena;
    r->error       = error;
    r->string.sink = (struct tn_sink){ &measure_ops, 0 };
    tn_lex_init(&r->lex, text, to->arena->memory, error);
    tn_pb_assembly_init(&r->to, to->arena, error);
    tn_buffer_init(&r->string.bytes, to->arena->memory, error);
    tn_buffer_init(&r->name, to->arena->memory, error);
    if (tn_pb_begin(&r->to, type, text.offset)) {
        tn_lex_next(&r->lex);
        read_fields(r, 0);
        if (!tn_failed(error))
            tn_pb_finish(&r->to, to);
    }
    tn_buffer_done(&r->name);
    tn_buffer_done(&r->string.bytes);
    tn_pb_assembly_done(&r->to);
    tn_lex_done(&r->lex);
    tn_memory_free(memory, r, sizeof *r);
    if (tn_failed(to->error) && !tn_failed(error))
        *error = *to->error;
    return error->status;
}
