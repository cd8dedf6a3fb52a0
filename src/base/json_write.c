/* json_write.c - writes JSON, pretty or on one line, to a sink */
#include "base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/utf8.h"

static void put(struct tn_json_writer *w, const void *data, size_t size)
{
    if (!tn_failed(w->error))
        tn_sink_write(w->to, tn_bytes(data, size), w->error);
}

static void put_text(struct tn_json_writer *w, const char *text)
{
    put(w, text, strlen(text));
}

void tn_json_writer_init(struct tn_json_writer *writer, struct tn_sink *to,
                         bool is_pretty, struct tn_error *error)
{
    *writer = (struct tn_json_writer){ .to        = to,
                                       .error     = error,
                                       .is_pretty = is_pretty };
}

static void new_line(struct tn_json_writer *w)
{
    static const char spaces[] = "                ";

    if (!w->is_pretty)
        return;
    put_text(w, "\n");
    for (uint32_t left = w->depth * 2; left;) {
        uint32_t size = left < 16 ? left : 16;
        put(w, spaces, size);
        left -= size;
    }
}

/* What is between this item and the one before. */
static void begin_item(struct tn_json_writer *w)
{
    if (w->is_after_key) {
        w->is_after_key = false;
        return;
    }
    if (w->has_items)
        put_text(w, w->is_pretty ? "," : ", ");
    if (w->depth)
        new_line(w);
    w->has_items = true;
}

static void open_bracket(struct tn_json_writer *w, const char *bracket)
{
    begin_item(w);
    put_text(w, bracket);
    w->depth++;
    w->has_items = false;
}

static void close_bracket(struct tn_json_writer *w, const char *bracket)
{
    w->depth--;
    if (w->has_items)
        new_line(w);
    put_text(w, bracket);
    w->has_items = true; /* the bracket itself, in what is around it */
}

void tn_json_object_begin(struct tn_json_writer *writer)
{
    open_bracket(writer, "{");
}

void tn_json_object_end(struct tn_json_writer *writer)
{
    close_bracket(writer, "}");
}

void tn_json_array_begin(struct tn_json_writer *writer)
{
    open_bracket(writer, "[");
}

void tn_json_array_end(struct tn_json_writer *writer)
{
    close_bracket(writer, "]");
}

/* Bytes from here that need no escape. */
static size_t plain_run(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *begin = at;

    while (at < end) {
        unsigned size = tn_utf8_check(at, end);
        if (size == 0 || *at == '"' || *at == '\\' ||
            tn_utf8_is_harmful(tn_utf8_code(at, size)))
            break;
        at += size;
    }
    return (size_t)(at - begin);
}

size_t tn_json_escape(char to[TN_JSON_ESCAPE], uint32_t code)
{
    char escape[TN_JSON_ESCAPE] = { '\\', (char)code };

    switch (code) {
    case '"':
    case '\\': break;
    case '\b': escape[1] = 'b'; break;
    case '\f': escape[1] = 'f'; break;
    case '\n': escape[1] = 'n'; break;
    case '\r': escape[1] = 'r'; break;
    case '\t': escape[1] = 't'; break;
    case 0xfffd: memcpy(escape, "\xef\xbf\xbd", 4); break;
    default:
        if (code > 0xffff)
            snprintf(escape, sizeof escape, "\\u%04x\\u%04x",
                     (unsigned)(0xd800 + ((code - 0x10000) >> 10 & 0x3ff)),
                     (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
        else
            snprintf(escape, sizeof escape, "\\u%04x",
                     (unsigned)(code & 0xffff));
    }
    memcpy(to, escape, sizeof escape);
    return strlen(to);
}

/* Invalid UTF-8 becomes U+FFFD. Characters that could control a terminal are
 * written as escapes, which mean the same. */
static size_t put_escape(struct tn_json_writer *w, const uint8_t *at,
                         const uint8_t *end)
{
    unsigned size = tn_utf8_check(at, end);
    uint32_t code = size ? tn_utf8_code(at, size) : 0xfffd;
    char     escape[TN_JSON_ESCAPE];

    put(w, escape, tn_json_escape(escape, code));
    return size ? size : 1;
}

void tn_json_string_piece(struct tn_json_writer *writer, struct tn_bytes text)
{
    const uint8_t *at  = text.size ? text.data : (const uint8_t *)"";
    const uint8_t *end = at + text.size;

    while (at < end) {
        size_t run = plain_run(at, end);
        put(writer, at, run);
        at += run;
        if (at < end)
            at += put_escape(writer, at, end);
    }
}

static void put_string(struct tn_json_writer *w, struct tn_bytes text)
{
    put_text(w, "\"");
    tn_json_string_piece(w, text);
    put_text(w, "\"");
}

void tn_json_string_begin(struct tn_json_writer *writer)
{
    begin_item(writer);
    put_text(writer, "\"");
}

void tn_json_string_end(struct tn_json_writer *writer)
{
    put_text(writer, "\"");
}

void tn_json_key_bytes(struct tn_json_writer *writer, struct tn_bytes key)
{
    begin_item(writer);
    put_string(writer, key);
    put_text(writer, ": ");
    writer->is_after_key = true;
}

void tn_json_key(struct tn_json_writer *writer, const char *key)
{
    tn_json_key_bytes(writer, tn_text(key));
}

void tn_json_string(struct tn_json_writer *writer, struct tn_bytes text)
{
    begin_item(writer);
    put_string(writer, text);
}

void tn_json_text(struct tn_json_writer *writer, const char *text)
{
    tn_json_string(writer, tn_text(text));
}

void tn_json_raw(struct tn_json_writer *writer, struct tn_bytes json)
{
    begin_item(writer);
    put(writer, json.data, json.size);
}

static void put_number(struct tn_json_writer *w, const char *text, int size)
{
    tn_json_raw(w, tn_bytes(text, (size_t)size));
}

void tn_json_put_int64(struct tn_json_writer *writer, int64_t value)
{
    char text[TN_NUMBER_ROOM];

    put_number(writer, text, snprintf(text, sizeof text, "%" PRId64, value));
}

void tn_json_put_uint64(struct tn_json_writer *writer, uint64_t value)
{
    char text[TN_NUMBER_ROOM];

    put_number(writer, text, snprintf(text, sizeof text, "%" PRIu64, value));
}

/* JSON has no way to write these numbers; this is how protobuf's JSON does. */
static const char *special_name(double value)
{
    return isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

void tn_json_put_double(struct tn_json_writer *writer, double value)
{
    char text[TN_NUMBER_ROOM];

    if (value == 0 && signbit(value)) /* "-0" is an integer to many readers */
        tn_json_raw(writer, tn_text("-0.0"));
    else if (isfinite(value))
        put_number(writer, text, (int)tn_double_print(text, value));
    else
        tn_json_text(writer, special_name(value));
}

void tn_json_bool(struct tn_json_writer *writer, bool value)
{
    tn_json_raw(writer, tn_text(value ? "true" : "false"));
}

void tn_json_null(struct tn_json_writer *writer)
{
    tn_json_raw(writer, tn_text("null"));
}
