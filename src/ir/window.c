/* window.c - a cursor that moves over a span of any length */
#include "ir/window.h"

void tn_window_open(struct tn_window *w, struct tn_span span,
                    struct tn_memory *memory, struct tn_error *error)
{
    *w        = (struct tn_window){ .cursor = tn_cursor_span(span, error),
                                    .memory = memory };
    w->beyond = w->cursor.beyond;
    w->cursor.beyond = 0;
    if (!w->beyond)
        return;
    w->room   = tn_min(w->beyond, TN_WINDOW_SIZE);
    w->buffer = tn_memory_resize(memory, NULL, 0, w->room, error);
    if (!w->buffer)
        w->room = w->beyond = 0;
}

void tn_window_done(struct tn_window *w)
{
    if (w->buffer)
        tn_memory_free(w->memory, w->buffer, w->room);
    w->buffer = NULL;
}

void tn_window_slide(struct tn_window *w)
{
    struct tn_cursor *c    = &w->cursor;
    size_t            kept = (size_t)(c->end - c->at);
    uint64_t          size = tn_min(w->beyond, w->room - kept);

    if (tn_failed(c->error))
        return;
    memmove(w->buffer, c->at, kept);
    c->at = w->buffer;
    if (tn_source_read(c->source, c->offset + kept, w->buffer + kept,
                       (size_t)size, c->error) != TN_OK) {
        c->end    = c->at;
        w->beyond = 0;
        return;
    }
    c->end = c->at + kept + size;
    w->beyond -= size;
}

static bool reaches(struct tn_window *w, uint64_t n)
{
    uint64_t left = tn_window_left(w);

    if (n <= left)
        return true;
    tn_fail(&w->cursor, TN_TRUNCATED,
            "need %" PRIu64 " bytes, %" PRIu64 " left", n, left);
    return false;
}

void tn_window_skip(struct tn_window *w, uint64_t n)
{
    struct tn_cursor *c  = &w->cursor;
    uint64_t          in = tn_min(n, (uint64_t)(c->end - c->at));

    if (!reaches(w, n))
        return;
    c->at += in;
    c->offset += n;
    w->beyond -= n - in;
}

void tn_window_copy(struct tn_window *w, uint8_t *to, uint64_t n)
{
    struct tn_cursor *c  = &w->cursor;
    uint64_t          in = tn_min(n, (uint64_t)(c->end - c->at));

    if (n == 0 || !reaches(w, n))
        return;
    memcpy(to, c->at, (size_t)in);
    tn_window_skip(w, in);
    if (in == n)
        return;
    /* The window is used up: the bytes are read to their place without it. */
    if (tn_source_read(c->source, c->offset, to + in, (size_t)(n - in),
                       c->error) != TN_OK)
        tn_fail(c, c->error->status, "unreadable");
    else
        tn_window_skip(w, n - in);
}
