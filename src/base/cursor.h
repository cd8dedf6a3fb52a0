/*
 * cursor.h - the one way to read bytes that we do not trust
 *
 * A cursor is a window that nothing can be read beyond.  It is sticky: after a
 * failure it is empty, reads return zero, loops end by themselves, and the
 * status is checked once, at the end.
 *
 * Over memory or a mapping, the window is the whole range.  Over a source that
 * is not mapped, the window is a pinned block, and `beyond` counts the bytes of
 * the cursor after it; tn_span() skips them without reading.
 */
#ifndef TN_BASE_CURSOR_H
#define TN_BASE_CURSOR_H

#include <inttypes.h>

#include "base/byte_view.h"
#include "base/error.h"
#include "base/little.h"
#include "base/source.h"

struct tn_cursor {
    const uint8_t    *at;     /* next unread byte                             */
    const uint8_t    *end;    /* one past the last byte of the window         */
    uint64_t          offset; /* where `at` is in the source                  */
    uint64_t          beyond; /* bytes after the window, not yet in memory    */
    struct tn_source *source; /* NULL: plain memory                           */
    struct tn_error  *error;  /* shared by every cursor over the same file    */
};

/* Over plain memory; `offset` is where it is in the outermost file. */
static inline struct tn_cursor tn_cursor_bytes(struct tn_bytes  bytes,
                                               uint64_t         offset,
                                               struct tn_error *error)
{
    static const uint8_t nothing[1];
    const uint8_t       *at = bytes.data ? bytes.data : nothing;

    return (struct tn_cursor){ at, at + bytes.size, offset, 0, NULL, error };
}

/* Over a range of a source; fails at once if the range is not inside. */
struct tn_cursor tn_cursor_span(struct tn_span span, struct tn_error *error);

/* Records the first failure, at the cursor's offset, and empties the cursor. */
TN_COLD void tn_fail(struct tn_cursor *c, enum tn_status status,
                     const char *format, ...) TN_PRINTF(3, 4);

/* The same, at an offset that was noted earlier. */
TN_COLD void tn_fail_at(struct tn_cursor *c, uint64_t offset,
                        enum tn_status status, const char *format, ...)
    TN_PRINTF(4, 5);

/* The parts that need the source; use the inline ones below. */
const uint8_t *tn_take_slowly(struct tn_cursor *c, uint64_t n);
void           tn_skip_slowly(struct tn_cursor *c, uint64_t n);

/* Bytes that are left. */
static inline uint64_t tn_left(const struct tn_cursor *c)
{
    return (uint64_t)(c->end - c->at) + c->beyond;
}

static inline bool tn_more(const struct tn_cursor *c)
{
    return c->at < c->end || c->beyond > 0;
}

/* Borrows the next n bytes, or fails and returns NULL.  What it returns stays
 * valid until the source is closed. */
static inline const uint8_t *tn_take(struct tn_cursor *c, uint64_t n)
{
    if (n > (uint64_t)(c->end - c->at)) /* compare; never add first */
        return tn_take_slowly(c, n);
    const uint8_t *bytes = c->at;
    c->at += (size_t)n;
    c->offset += n;
    return bytes;
}

static inline struct tn_bytes tn_take_bytes(struct tn_cursor *c, uint64_t n)
{
    const uint8_t *bytes = tn_take(c, n);

    return bytes ? tn_bytes(bytes, (size_t)n) : (struct tn_bytes){ NULL, 0 };
}

/* Skips n bytes without reading them. */
static inline void tn_skip(struct tn_cursor *c, uint64_t n)
{
    if (n > (uint64_t)(c->end - c->at)) {
        tn_skip_slowly(c, n);
        return;
    }
    c->at += (size_t)n;
    c->offset += n;
}

/* Returns where the next n bytes are, and skips them. */
static inline struct tn_span tn_span(struct tn_cursor *c, uint64_t n)
{
    struct tn_span span = { c->source, c->offset, n };

    tn_skip(c, n);
    return tn_failed(c->error) ? (struct tn_span){ NULL, c->offset, 0 } : span;
}

/* A cursor over the next n bytes, which are skipped here: so nothing can be
 * read beyond a length prefix. */
static inline struct tn_cursor tn_sub(struct tn_cursor *c, uint64_t n)
{
    struct tn_cursor child = *c;

    tn_skip(c, n);
    if (tn_failed(c->error)) {
        child.end    = child.at;
        child.beyond = 0;
    } else if (n <= (uint64_t)(child.end - child.at)) {
        child.end    = child.at + (size_t)n;
        child.beyond = 0;
    } else {
        child.beyond = n - (uint64_t)(child.end - child.at);
    }
    return child;
}

static inline uint8_t tn_u8(struct tn_cursor *c)
{
    const uint8_t *p = tn_take(c, 1);

    return p ? *p : 0;
}

static inline uint16_t tn_u16(struct tn_cursor *c)
{
    const uint8_t *p = tn_take(c, 2);

    return p ? tn_load16(p) : 0;
}

static inline uint32_t tn_u32(struct tn_cursor *c)
{
    const uint8_t *p = tn_take(c, 4);

    return p ? tn_load32(p) : 0;
}

static inline uint64_t tn_u64(struct tn_cursor *c)
{
    const uint8_t *p = tn_take(c, 8);

    return p ? tn_load64(p) : 0;
}

uint64_t tn_varint_slowly(struct tn_cursor *c);

/* A base-128 number of at most ten bytes; bits past 64 are refused. */
static inline uint64_t tn_varint(struct tn_cursor *c)
{
    if (c->at < c->end && *c->at < 0x80) {
        c->offset++;
        return *c->at++;
    }
    return tn_varint_slowly(c);
}

#endif
