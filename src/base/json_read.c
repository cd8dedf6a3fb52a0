/*
 * json_read.c - pull reader for JSON, strict, with byte offsets
 *
 *   text   := space value space
 *   value  := object | array | string | number | true | false | null
 *   object := { } | { string : value (, string : value)* }
 *   array  := [ ] | [ value (, value)* ]
 *
 * A string or number that is in the cursor's window and has no escapes is
 * returned as a view of the window; only the others are copied.
 */
#include "base/json_read.h"

#include <math.h>

#include "base/number.h"
#include "base/utf8.h"

enum state {
    WANTS_VALUE,
    WANTS_VALUE_OR_END, /* after [ */
    WANTS_KEY_OR_END,   /* after { */
    WANTS_COMMA_OR_END,
    IS_DONE,
};

void tn_json_open(struct tn_json_reader *reader, struct tn_cursor *cursor,
                  struct tn_memory *memory)
{
    *reader = (struct tn_json_reader){ .cursor = cursor,
                                       .offset = cursor->offset,
                                       .state  = WANTS_VALUE };
    tn_buffer_init(&reader->scratch, memory, cursor->error);
}

void tn_json_close(struct tn_json_reader *reader)
{
    tn_buffer_done(&reader->scratch);
}

/* The next byte without taking it; 0 at the end, which no token begins with. */
static uint8_t peek(struct tn_cursor *c)
{
    if (c->at < c->end)
        return *c->at;
    if (!tn_more(c))
        return 0;
    struct tn_cursor ahead = *c;
    if (!tn_take(&ahead, 1))
        return 0;
    /* keep the window that was pinned for it, and step back */
    ahead.at--;
    ahead.offset--;
    *c = ahead;
    return *c->at;
}

static void skip_space(struct tn_cursor *c)
{
    for (;;) {
        uint8_t byte = peek(c);
        if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')
            return;
        tn_skip(c, 1);
    }
}

/* Complains about the byte that is here. */
static void expected(struct tn_cursor *c, const char *what)
{
    if (!tn_more(c)) {
        tn_fail(c, TN_TRUNCATED, "the text ends, expected %s", what);
        return;
    }
    uint8_t byte = peek(c);
    if (byte > 0x20 && byte < 0x7f)
        tn_fail(c, TN_MALFORMED, "found '%c', expected %s", byte, what);
    else
        tn_fail(c, TN_MALFORMED, "found byte 0x%02x, expected %s", byte, what);
}

static bool in_object(const struct tn_json_reader *r)
{
    uint32_t level = r->depth - 1;

    return r->stack[level / 8] >> level % 8 & 1;
}

static void after_value(struct tn_json_reader *r)
{
    r->state = r->depth ? WANTS_COMMA_OR_END : IS_DONE;
}

static enum tn_json_event open_bracket(struct tn_json_reader *r, bool is_object)
{
    uint32_t level = r->depth;

    if (level == TN_JSON_DEPTH_LIMIT) {
        tn_fail(r->cursor, TN_LIMIT, "brackets nested deeper than %d",
                TN_JSON_DEPTH_LIMIT);
        return TN_JSON_END;
    }
    tn_skip(r->cursor, 1);
    r->stack[level / 8] = (uint8_t)((r->stack[level / 8] & ~(1u << level % 8)) |
                                    (unsigned)is_object << level % 8);
    r->depth++;
    r->state = is_object ? WANTS_KEY_OR_END : WANTS_VALUE_OR_END;
    return is_object ? TN_JSON_OBJECT_BEGIN : TN_JSON_ARRAY_BEGIN;
}

static enum tn_json_event close_bracket(struct tn_json_reader *r)
{
    bool was_object = in_object(r);

    tn_skip(r->cursor, 1);
    r->depth--;
    after_value(r);
    return was_object ? TN_JSON_OBJECT_END : TN_JSON_ARRAY_END;
}

static enum tn_json_event literal(struct tn_json_reader *r, const char *word,
                                  enum tn_json_event event)
{
    for (const char *at = word; *at; at++) {
        if (peek(r->cursor) != (uint8_t)*at) {
            expected(r->cursor, word);
            return TN_JSON_END;
        }
        tn_skip(r->cursor, 1);
    }
    after_value(r);
    return event;
}

/* Strings */

/* How far from `at` a string goes on without escape, end or mistake. */
static const uint8_t *plain_end(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at != '"' && *at != '\\' && *at >= 0x20) {
        unsigned size = *at < 0x80 ? 1 : tn_utf8_check(at, end);
        if (size == 0)
            break;
        at += size;
    }
    return at;
}

static unsigned hex4(struct tn_cursor *c)
{
    unsigned value = 0;

    for (int i = 0; i < 4; i++) {
        int digit = tn_hex_digit(peek(c));
        if (digit < 0)
            expected(c, "four hex digits");
        else
            value = value << 4 | (unsigned)digit;
        tn_skip(c, tn_more(c));
    }
    return value;
}

/* After \u: a character, or two halves of one. */
static void read_unicode(struct tn_json_reader *r, uint64_t begin)
{
    struct tn_cursor *c    = r->cursor;
    uint32_t          code = hex4(c);
    uint8_t           utf8[4];

    if (code >= 0xd800 && code < 0xdc00) {
        uint32_t low = 0;
        if (peek(c) == '\\') {
            tn_skip(c, 1);
            if (peek(c) == 'u') {
                tn_skip(c, 1);
                low = hex4(c);
            }
        }
        code = low >= 0xdc00 && low < 0xe000
                   ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                   : 0xd800;
    }
    if (code >= 0xd800 && code < 0xe000)
        tn_fail_at(c, begin, TN_MALFORMED, "half of a surrogate pair");
    else
        tn_buffer_add(&r->scratch, tn_bytes(utf8, tn_utf8_put(utf8, code)));
}

static void read_escape(struct tn_json_reader *r)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char means[]   = "\"\\/\b\f\n\r\t";
    struct tn_cursor *c         = r->cursor;
    uint64_t          begin     = c->offset;

    tn_skip(c, 1);
    uint8_t     byte  = peek(c);
    const char *known = byte ? strchr(letters, byte) : NULL;
    if (byte == 'u') {
        tn_skip(c, 1);
        read_unicode(r, begin);
    } else if (known) {
        tn_skip(c, 1);
        tn_buffer_byte(&r->scratch, (uint8_t)means[known - letters]);
    } else {
        expected(c, "an escape");
    }
}

/* One character outside of the plain run: it may straddle two windows. */
static void read_character(struct tn_json_reader *r)
{
    struct tn_cursor *c    = r->cursor;
    uint64_t          at   = c->offset;
    uint8_t           byte = peek(c);
    unsigned          size = tn_utf8_size(byte);

    if (!tn_more(c)) {
        tn_fail(c, TN_TRUNCATED, "the text ends inside a string");
        return;
    }
    if (byte < 0x20) {
        tn_fail(c, TN_MALFORMED, "byte 0x%02x in a string, not escaped", byte);
        return;
    }
    struct tn_bytes text =
        size && size <= tn_left(c) ? tn_take_bytes(c, size) : tn_bytes(NULL, 0);
    if (text.size == 0 || !tn_utf8_is_valid(text))
        tn_fail_at(c, at, TN_MALFORMED, "byte 0x%02x is not UTF-8", byte);
    else
        tn_buffer_add(&r->scratch, text);
}

/* After the opening quote, up to and with the closing one. */
static void read_string_slowly(struct tn_json_reader *r)
{
    struct tn_cursor *c = r->cursor;

    tn_buffer_clear(&r->scratch);
    while (!tn_failed(c->error) && peek(c) != '"') {
        const uint8_t *end = plain_end(c->at, c->end);
        if (end > c->at)
            tn_buffer_add(&r->scratch,
                          tn_take_bytes(c, (uint64_t)(end - c->at)));
        else if (peek(c) == '\\')
            read_escape(r);
        else
            read_character(r);
    }
    if (tn_failed(c->error)) {
        tn_skip(c, tn_left(c));
        return;
    }
    tn_skip(c, 1);
    r->text = tn_buffer_bytes(&r->scratch);
}

static void read_string(struct tn_json_reader *r)
{
    struct tn_cursor *c = r->cursor;

    tn_skip(c, 1);
    peek(c);
    const uint8_t *end = plain_end(c->at, c->end);
    if (end == c->end || *end != '"') {
        read_string_slowly(r);
        return;
    }
    r->text = tn_take_bytes(c, (uint64_t)(end - c->at));
    tn_skip(c, 1);
}

/* Numbers */

static void take_digits(struct tn_json_reader *r)
{
    struct tn_cursor *c = r->cursor;

    if (peek(c) < '0' || peek(c) > '9')
        expected(c, "a digit");
    while (peek(c) >= '0' && peek(c) <= '9')
        tn_buffer_byte(&r->scratch, tn_u8(c));
}

static bool take_one(struct tn_json_reader *r, const char *of)
{
    uint8_t byte = peek(r->cursor);

    if (!byte || !strchr(of, byte))
        return false;
    tn_buffer_byte(&r->scratch, tn_u8(r->cursor));
    return true;
}

static enum tn_json_event number(struct tn_json_reader *r)
{
    tn_buffer_clear(&r->scratch);
    take_one(r, "-");
    if (!take_one(r, "0"))
        take_digits(r);
    if (take_one(r, "."))
        take_digits(r);
    if (take_one(r, "eE")) {
        take_one(r, "+-");
        take_digits(r);
    }
    if (tn_failed(r->cursor->error))
        return TN_JSON_END;
    r->text = tn_buffer_bytes(&r->scratch);
    after_value(r);
    return TN_JSON_NUMBER;
}

/* Events */

static enum tn_json_event value(struct tn_json_reader *r)
{
    switch (peek(r->cursor)) {
    case '{': return open_bracket(r, true);
    case '[': return open_bracket(r, false);
    case 't': return literal(r, "true", TN_JSON_TRUE);
    case 'f': return literal(r, "false", TN_JSON_FALSE);
    case 'n': return literal(r, "null", TN_JSON_NULL);
    case '"':
        read_string(r);
        after_value(r);
        return TN_JSON_STRING;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return number(r);
    default: expected(r->cursor, "a value"); return TN_JSON_END;
    }
}

static enum tn_json_event key(struct tn_json_reader *r)
{
    struct tn_cursor *c = r->cursor;

    if (peek(c) != '"') {
        expected(c, "a key in quotes");
        return TN_JSON_END;
    }
    read_string(r);
    skip_space(c);
    if (peek(c) != ':')
        expected(c, "':'");
    else
        tn_skip(c, 1);
    r->state = WANTS_VALUE;
    return TN_JSON_KEY;
}

static enum tn_json_event comma_or_end(struct tn_json_reader *r)
{
    bool is_object = in_object(r);

    if (peek(r->cursor) == (is_object ? '}' : ']'))
        return close_bracket(r);
    if (peek(r->cursor) != ',') {
        expected(r->cursor, is_object ? "',' or '}'" : "',' or ']'");
        return TN_JSON_END;
    }
    tn_skip(r->cursor, 1);
    skip_space(r->cursor);
    r->offset = r->cursor->offset;
    return is_object ? key(r) : value(r);
}

static enum tn_json_event step(struct tn_json_reader *r)
{
    uint8_t byte = peek(r->cursor);

    switch ((enum state)r->state) {
    case WANTS_VALUE: return value(r);
    case WANTS_VALUE_OR_END: return byte == ']' ? close_bracket(r) : value(r);
    case WANTS_KEY_OR_END: return byte == '}' ? close_bracket(r) : key(r);
    case WANTS_COMMA_OR_END: return comma_or_end(r);
    case IS_DONE:
        if (tn_more(r->cursor))
            expected(r->cursor, "the end of the text");
    }
    return TN_JSON_END;
}

enum tn_json_event tn_json_next(struct tn_json_reader *reader)
{
    if (tn_failed(reader->cursor->error))
        return TN_JSON_END;
    reader->text = tn_bytes(NULL, 0);
    skip_space(reader->cursor);
    reader->offset           = reader->cursor->offset;
    enum tn_json_event event = step(reader);
    return tn_failed(reader->cursor->error) ? TN_JSON_END : event;
}

bool tn_json_expect(struct tn_json_reader *reader, enum tn_json_event wanted,
                    const char *what)
{
    enum tn_json_event event = tn_json_next(reader);

    if (event != wanted && !tn_failed(reader->cursor->error))
        tn_fail_at(reader->cursor, reader->offset, TN_MALFORMED,
                   "%s was expected", what);
    return event == wanted && !tn_failed(reader->cursor->error);
}

void tn_json_skip(struct tn_json_reader *reader)
{
    uint32_t depth = reader->depth;

    do {
        if (tn_json_next(reader) == TN_JSON_END)
            return;
    } while (reader->depth > depth);
}

int64_t tn_json_int64(struct tn_json_reader *reader)
{
    int64_t number = 0;

    if (!tn_int64_parse(reader->text, &number))
        tn_fail_at(reader->cursor, reader->offset, TN_MALFORMED,
                   "\"%.*s\" is not a 64-bit integer", TN_FMT(reader->text));
    return number;
}

uint64_t tn_json_uint64(struct tn_json_reader *reader)
{
    uint64_t number = 0;

    if (!tn_uint64_parse(reader->text, &number))
        tn_fail_at(reader->cursor, reader->offset, TN_MALFORMED,
                   "\"%.*s\" is not an unsigned 64-bit integer",
                   TN_FMT(reader->text));
    return number;
}

static bool special_number(struct tn_bytes text, double *value)
{
    *value = tn_bytes_is(text, "NaN")         ? (double)NAN
             : tn_bytes_is(text, "Infinity")  ? (double)INFINITY
             : tn_bytes_is(text, "-Infinity") ? (double)-INFINITY
                                              : 0;
    return *value != 0;
}

double tn_json_double(struct tn_json_reader *reader)
{
    double number = 0;

    if (special_number(reader->text, &number))
        return number;
    if (!tn_double_parse(reader->text, &number) || isinf(number)) {
        tn_fail_at(reader->cursor, reader->offset, TN_MALFORMED,
                   "\"%.*s\" does not fit a 64-bit float",
                   TN_FMT(reader->text));
        return 0;
    }
    return number;
}
