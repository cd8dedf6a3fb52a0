/* pb_text_lex.c - the tokens of protobuf's text format */
#include "wire/pb/pb_text_lex.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/utf8.h"

/* Nothing that has to be kept whole is longer. */
#define TOKEN_LIMIT 65536

void tn_lex_init(struct tn_lex *lex, struct tn_span text,
                 struct tn_memory *memory, struct tn_error *error)
{
    lex->source       = text.source;
    lex->at           = text.offset;
    lex->end          = text.offset + text.length;
    lex->line         = 1;
    lex->line_begin   = text.offset;
    lex->window       = lex->block;
    lex->window_begin = lex->window_end = text.offset;
    lex->error                          = error;
    lex->kind                           = TN_LEX_END;
    lex->offset                         = text.offset;
    tn_buffer_init(&lex->text, memory, error);
    if (text.source && text.source->map) {
        lex->window     = text.source->map + text.offset;
        lex->window_end = lex->end;
    }
}

void tn_lex_done(struct tn_lex *lex)
{
    tn_buffer_done(&lex->text);
}

void tn_lex_fail(struct tn_lex *lex, enum tn_status status, const char *format,
                 ...)
{
    char what[sizeof lex->error->what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_error_set(lex->error, status, lex->offset,
                 "line %" PRIu64 ", column %" PRIu64 ": %s", lex->line,
                 lex->offset - lex->line_begin + 1, what);
    if (lex->source)
        tn_error_file(lex->error, lex->source->name);
    lex->at   = lex->end;
    lex->kind = TN_LEX_END;
}

/* The same at a byte inside the token. */
static void fail_here(struct tn_lex *lex, enum tn_status status,
                      const char *what)
{
    lex->offset = lex->at;
    tn_lex_fail(lex, status, "%s", what);
}

static bool load(struct tn_lex *lex)
{
    size_t size = (size_t)tn_min(TN_LEX_WINDOW, lex->end - lex->at);

    if (size == 0 || tn_failed(lex->error) ||
        tn_source_read(lex->source, lex->at, lex->block, size, lex->error) !=
            TN_OK)
        return false;
    lex->window       = lex->block;
    lex->window_begin = lex->at;
    lex->window_end   = lex->at + size;
    return true;
}

/* The byte at `at`, or -1 at the end. */
static int peek(struct tn_lex *lex)
{
    if (lex->at >= lex->end)
        return -1;
    if (lex->at >= lex->window_end && !load(lex))
        return -1;
    return lex->window[lex->at - lex->window_begin];
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(int c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void skip_comment(struct tn_lex *lex)
{
    int c;

    while ((c = peek(lex)) >= 0 && c != '\n')
        lex->at++;
}

static void skip_space(struct tn_lex *lex)
{
    for (;;) {
        int c = peek(lex);
        if (c == '#')
            skip_comment(lex);
        else if (c == ' ' || (c >= '\t' && c <= '\r'))
            lex->at++;
        else
            return;
        if (c == '\n') {
            lex->line++;
            lex->line_begin = lex->at;
        }
    }
}

static void keep(struct tn_lex *lex)
{
    if (lex->text.size == TOKEN_LIMIT)
        tn_lex_fail(lex, TN_LIMIT, "a word longer than %d bytes", TOKEN_LIMIT);
    else
        tn_buffer_byte(&lex->text, (uint8_t)peek(lex));
    lex->at += lex->at < lex->end;
}

static bool keep_digits(struct tn_lex *lex)
{
    bool any = false;

    for (; is_digit(peek(lex)); any = true)
        keep(lex);
    return any;
}

static void scan_hex(struct tn_lex *lex)
{
    keep(lex);
    if (hex_digit(peek(lex)) < 0)
        fail_here(lex, TN_MALFORMED, "0x and no hex digits");
    while (hex_digit(peek(lex)) >= 0)
        keep(lex);
}

static void scan_octal(struct tn_lex *lex)
{
    while (peek(lex) >= '0' && peek(lex) <= '7')
        keep(lex);
    if (is_digit(peek(lex)))
        fail_here(lex, TN_MALFORMED, "a leading 0 makes it octal");
}

static void scan_fraction(struct tn_lex *lex)
{
    int c = peek(lex);

    if (c == '.') {
        lex->kind = TN_LEX_FLOAT;
        keep(lex);
        keep_digits(lex);
        c = peek(lex);
    }
    if (c == 'e' || c == 'E') {
        lex->kind = TN_LEX_FLOAT;
        keep(lex);
        if (peek(lex) == '-' || peek(lex) == '+')
            keep(lex);
        if (!keep_digits(lex))
            fail_here(lex, TN_MALFORMED, "an exponent without digits");
    }
    c = peek(lex);
    if (c == 'f' || c == 'F') { /* marks a float, and does not change the
                                   value */
        lex->kind = TN_LEX_FLOAT;
        lex->at++;
    }
}

static void scan_number(struct tn_lex *lex)
{
    int first = peek(lex);

    lex->kind = TN_LEX_INTEGER;
    if (first == '0')
        keep(lex);
    if (first == '0' && (peek(lex) == 'x' || peek(lex) == 'X')) {
        scan_hex(lex);
    } else if (first == '0' && is_digit(peek(lex))) {
        scan_octal(lex);
    } else {
        keep_digits(lex);
        scan_fraction(lex);
    }
    if (is_letter(peek(lex)) || is_digit(peek(lex)) || peek(lex) == '.')
        fail_here(lex, TN_MALFORMED, "no space after a number");
}

/* A point alone is a symbol, before a digit it begins a number. */
static void scan_point(struct tn_lex *lex)
{
    tn_buffer_byte(&lex->text, '.');
    lex->at++;
    if (!is_digit(peek(lex))) {
        lex->kind   = TN_LEX_SYMBOL;
        lex->symbol = '.';
        return;
    }
    lex->kind = TN_LEX_FLOAT;
    keep_digits(lex);
    if (peek(lex) != '.')
        scan_fraction(lex);
    if (is_letter(peek(lex)) || peek(lex) == '.')
        fail_here(lex, TN_MALFORMED, "no space after a number");
}

void tn_lex_next(struct tn_lex *lex)
{
    skip_space(lex);
    tn_buffer_clear(&lex->text);
    lex->kind   = TN_LEX_END;
    lex->offset = lex->at;
    int c       = tn_failed(lex->error) ? -1 : peek(lex);
    if (c < 0)
        return;
    if (is_letter(c)) {
        lex->kind = TN_LEX_NAME;
        while (is_letter(peek(lex)) || is_digit(peek(lex)))
            keep(lex);
    } else if (is_digit(c)) {
        scan_number(lex);
    } else if (c == '"' || c == '\'') {
        lex->kind = TN_LEX_STRING;
    } else if (c == '.') {
        scan_point(lex);
    } else if (c > 0x20 && c < 0x7f) {
        lex->kind   = TN_LEX_SYMBOL;
        lex->symbol = (uint8_t)c;
        lex->at++;
    } else {
        tn_lex_fail(lex, TN_MALFORMED,
                    "unexpected byte 0x%02x: this is not text", (unsigned)c);
    }
    if (tn_failed(lex->error))
        lex->kind = TN_LEX_END;
}

const char *tn_lex_describe(struct tn_lex *lex)
{
    if (lex->kind == TN_LEX_STRING)
        return "a string";
    if (lex->kind == TN_LEX_END)
        return "the end";
    if (lex->kind == TN_LEX_SYMBOL) {
        tn_buffer_clear(&lex->text);
        tn_buffer_byte(&lex->text, lex->symbol);
    }
    if (lex->text.size > 60)
        lex->text.size = 60;
    return tn_buffer_string(&lex->text);
}

/* Strings */

/* Bytes on their way out, a block at a time. */
struct spill {
    struct tn_sink *to;
    size_t          used;
    uint8_t         bytes[1024];
};

static void spill_out(struct tn_lex *lex, struct spill *s)
{
    if (!tn_failed(lex->error))
        tn_sink_write(s->to, tn_bytes(s->bytes, s->used), lex->error);
    s->used = 0;
}

static void spill_byte(struct tn_lex *lex, struct spill *s, uint8_t byte)
{
    if (s->used == sizeof s->bytes)
        spill_out(lex, s);
    s->bytes[s->used++] = byte;
}

/* Up to `most` digits of a base; -1 when there are fewer than `least`. */
static int64_t take_digits(struct tn_lex *lex, unsigned base, int least,
                           int most)
{
    int64_t value = 0;
    int     n     = 0;

    for (; n < most; n++) {
        int digit = hex_digit(peek(lex));
        if (digit < 0 || digit >= (int)base)
            break;
        value = value * (int)base + digit;
        lex->at++;
    }
    return n < least ? -1 : value;
}

/* After the first half of a pair: joins it with "\uDC00" if that follows. */
static int64_t join_pair(struct tn_lex *lex, int64_t high)
{
    uint64_t begin = lex->at;

    if (peek(lex) != '\\')
        return high;
    lex->at++;
    int64_t low = -1;
    if (peek(lex) == 'u') {
        lex->at++;
        low = take_digits(lex, 16, 4, 4);
    }
    if (low >= 0xdc00 && low < 0xe000)
        return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    lex->at = begin; /* no pair: protoc takes the half as it is */
    return high;
}

static bool unescape_unicode(struct tn_lex *lex, struct spill *s, int digits)
{
    uint8_t utf8[4];
    int64_t code = take_digits(lex, 16, digits, digits);

    if (code >= 0xd800 && code < 0xdc00)
        code = join_pair(lex, code);
    if (code < 0 || code > 0x10ffff)
        return false;
    unsigned size = tn_utf8_put(utf8, (uint32_t)code);
    for (unsigned i = 0; i < size; i++)
        spill_byte(lex, s, utf8[i]);
    return true;
}

static bool unescape(struct tn_lex *lex, struct spill *s)
{
    static const char letters[] = "abfnrtv\\?'\"";
    static const char means[]   = "\a\b\f\n\r\t\v\\?'\"";
    int               c         = peek(lex);
    const char       *known     = c > 0 ? strchr(letters, c) : NULL;

    if (c >= '0' && c <= '7') {
        spill_byte(lex, s, (uint8_t)take_digits(lex, 8, 1, 3));
        return true;
    }
    lex->at += c >= 0;
    if (c == 'u' || c == 'U')
        return unescape_unicode(lex, s, c == 'u' ? 4 : 8);
    if (c == 'x') {
        int64_t byte = take_digits(lex, 16, 1, 2);
        spill_byte(lex, s, (uint8_t)byte);
        return byte >= 0;
    }
    if (known)
        spill_byte(lex, s, (uint8_t)means[known - letters]);
    return known != NULL;
}

static bool is_octal(uint8_t c)
{
    return c >= '0' && c <= '7';
}

/* Reads what dumps of weights consist of, plain bytes and escapes of three
 * octal digits, up to the end of the window.  Everything else is left to the
 * slow path. */
static void copy_common(struct tn_lex *lex, struct spill *s, int quote)
{
    const uint8_t *begin = lex->window + (lex->at - lex->window_begin);
    const uint8_t *end   = lex->window + (lex->window_end - lex->window_begin);
    const uint8_t *at    = begin;

    while (at < end && s->used < sizeof s->bytes) {
        uint8_t c = *at;
        if (c == '\\') {
            if (end - at < 4 || !is_octal(at[1]) || !is_octal(at[2]) ||
                !is_octal(at[3]))
                break;
            c = (uint8_t)((at[1] - '0') << 6 | (at[2] - '0') << 3 |
                          (at[3] - '0'));
            at += 4;
        } else if (c == quote || c == '\n' || c == 0) {
            break;
        } else {
            at++;
        }
        s->bytes[s->used++] = c;
    }
    lex->at += (uint64_t)(at - begin);
}

/* One literal, quotes and all. */
static void read_literal(struct tn_lex *lex, struct spill *s)
{
    int quote = peek(lex);

    lex->at++;
    for (;;) {
        int c = peek(lex);
        if (c >= 0) {
            copy_common(lex, s, quote);
            c = peek(lex);
        }
        if (c == quote)
            break;
        uint64_t begin = lex->at;
        if (c <= 0 || c == '\n') {
            fail_here(lex, c < 0 ? TN_TRUNCATED : TN_MALFORMED,
                      "a string that does not end on its line");
            return;
        }
        lex->at++;
        if (c != '\\') {
            spill_byte(lex, s, (uint8_t)c);
        } else if (!unescape(lex, s)) {
            lex->at = begin;
            fail_here(lex, TN_MALFORMED, "an escape that means nothing");
            return;
        }
    }
    lex->at++;
}

void tn_lex_string(struct tn_lex *lex, struct tn_sink *to)
{
    struct spill s;

    s.to   = to;
    s.used = 0;
    while (lex->kind == TN_LEX_STRING) {
        read_literal(lex, &s);
        tn_lex_next(lex);
    }
    spill_out(lex, &s);
}
