/*
 * relay.h - copying a range to a sink, with somebody looking at every byte
 *
 * A checksum of what is copied costs a pass of its own over the bytes, unless
 * it is taken on the way.  Two threads share the work: while one writes a
 * window the other reads the next and looks at it.  Either does whatever is
 * next, so that one alone gets to the end as well.
 */
#ifndef TN_IO_RELAY_H
#define TN_IO_RELAY_H

#include "base/sink.h"

struct tn_relay_eye {
    /* Sees the windows in order, one at a time, perhaps from another thread
     * than the caller's. */
    void (*see)(void *context, struct tn_bytes window);
    void *context;
};

/* `to` NULL: only looks.  A range that is short is done on the caller's
 * thread.  Holes are read as zeros: step over them before. */
enum tn_status tn_relay(struct tn_span span, struct tn_sink *to,
                        const struct tn_relay_eye *eye,
                        struct tn_memory *memory, struct tn_error *error);

#endif
