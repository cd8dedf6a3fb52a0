/* cursor.c - the slow paths of the bounded cursor */
#include "base/cursor.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"

/* Bytes that are read at once from a source that is not mapped: enough for a
 * structure, and so few that skipping a thousand tensors pins a few MiB. */
#define PIN_SIZE (UINT64_C(8) << 10)

static void empty(struct tn_cursor *c)
{
    c->end    = c->at;
    c->beyond = 0;
}

void tn_fail(struct tn_cursor *c, enum tn_status status, const char *format,
             ...)
{
    char what[sizeof c->error->what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_fail_at(c, c->offset, status, "%s", what);
}

void tn_fail_at(struct tn_cursor *c, uint64_t offset, enum tn_status status,
                const char *format, ...)
{
    char what[sizeof c->error->what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_error_set(c->error, status, offset, "%s", what);
    if (c->source)
        tn_error_file(c->error, c->source->name);
    empty(c);
}

struct tn_cursor tn_cursor_span(struct tn_span span, struct tn_error *error)
{
    static const uint8_t nothing[1];
    struct tn_source    *source = span.source;
    struct tn_cursor c = { nothing, nothing, span.offset, 0, source, error };

    if (!source)
        return c;
    if (!tn_inside(span.offset, span.length, source->size))
        tn_fail(&c, TN_TRUNCATED,
                "need %" PRIu64 " bytes, the file has %" PRIu64, span.length,
                source->size);
    else if (source->map) {
        c.at  = source->map + span.offset;
        c.end = c.at + span.length;
    } else {
        c.beyond = span.length;
    }
    return c;
}

static bool reaches(struct tn_cursor *c, uint64_t n)
{
    uint64_t left = tn_left(c);

    if (n <= left)
        return true;
    tn_fail(c, TN_TRUNCATED, "need %" PRIu64 " bytes, %" PRIu64 " left", n,
            left);
    return false;
}

/* Pin a new window that starts here and holds at least n bytes. */
static bool refill(struct tn_cursor *c, uint64_t n)
{
    uint64_t       left = tn_left(c), got = 0;
    const uint8_t *window = tn_source_window(
        c->source, c->offset, n, tn_min(left, PIN_SIZE), &got, c->error);

    if (!window) {
        empty(c);
        return false;
    }
    got       = tn_min(got, left);
    c->at     = window;
    c->end    = window + got;
    c->beyond = left - got;
    return true;
}

const uint8_t *tn_take_slowly(struct tn_cursor *c, uint64_t n)
{
    if (!reaches(c, n) || !refill(c, n))
        return NULL;
    return tn_take(c, n);
}

void tn_skip_slowly(struct tn_cursor *c, uint64_t n)
{
    if (!reaches(c, n))
        return;
    c->beyond -= n - (uint64_t)(c->end - c->at);
    c->at = c->end; /* the next read pins a window of its own */
    c->offset += n;
}

uint64_t tn_varint_slowly(struct tn_cursor *c)
{
    uint64_t begin = c->offset;
    uint64_t value = 0;

    /* Usually two bytes: the caller has already handled one. */
    if (c->end - c->at >= 2 && c->at[1] < 0x80) {
        value = (uint64_t)(c->at[0] & 0x7f) | (uint64_t)c->at[1] << 7;
        c->at += 2;
        c->offset += 2;
        return value;
    }
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = tn_u8(c);
        if (tn_failed(c->error))
            return 0;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    tn_fail_at(c, begin, TN_MALFORMED, "a varint of more than 64 bits");
    return 0;
}
