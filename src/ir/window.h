/*
 * window.h - a cursor that moves over a span of any length in constant memory
 *
 * The base cursor pins what it reads until the source is closed, which is
 * right for structure and wrong for weights.  A window holds at most 64 KiB of
 * its span, or none when the source is mapped, and threads may have one each.
 */
#ifndef TN_IR_WINDOW_H
#define TN_IR_WINDOW_H

#include "base/arith.h"
#include "base/cursor.h"
#include "base/memory.h"

#define TN_WINDOW_SIZE (UINT64_C(64) << 10)

struct tn_window {
    struct tn_cursor  cursor; /* what is in memory; its beyond is always 0   */
    uint64_t          beyond; /* bytes of the span after that                */
    struct tn_memory *memory;
    uint8_t          *buffer; /* NULL: mapped                                */
    uint64_t          room;
};

/* A failure is in the error, and the window then empty. */
void tn_window_open(struct tn_window *w, struct tn_span span,
                    struct tn_memory *memory, struct tn_error *error);
void tn_window_done(struct tn_window *w);

/* Bring more of the span into memory, or nothing at its end. */
void tn_window_slide(struct tn_window *w);

static inline uint64_t tn_window_left(const struct tn_window *w)
{
    return tn_left(&w->cursor) + (tn_failed(w->cursor.error) ? 0 : w->beyond);
}

/* The next 16 bytes are in memory, or all there are. */
static inline void tn_window_ready(struct tn_window *w)
{
    if (w->cursor.end - w->cursor.at < 16 && w->beyond)
        tn_window_slide(w);
}

static inline uint64_t tn_window_varint(struct tn_window *w)
{
    tn_window_ready(w);
    return tn_varint(&w->cursor);
}

/* Steps over n bytes without reading them; past the end is a failure. */
void tn_window_skip(struct tn_window *w, uint64_t n);

/* Copies n bytes out; past the end is a failure. */
void tn_window_copy(struct tn_window *w, uint8_t *to, uint64_t n);

#endif
