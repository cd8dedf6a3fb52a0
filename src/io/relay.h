/*
 * relay.h - copying a range to a sink while looking at every byte
 *
 * A checksum of what is copied would cost another pass over the bytes, unless
 * it is computed on the way.  Two threads share the work: while one writes a
 * window, the other reads the next and looks at it.  Each takes whatever is
 * next, so that one thread alone also finishes.
 */
#ifndef TN_IO_RELAY_H
#define TN_IO_RELAY_H

#include "base/sink.h"

struct tn_relay_reader {
    /* Gets the windows in order, one at a time, perhaps from another thread
     * than the caller's. */
    void (*see)(void *context, struct tn_bytes window);
    void *context;
};

/* `to` NULL: only looks.  Short ranges are done on the caller's thread.  Holes
 * are read as zeros: skip them before. */
enum tn_status tn_relay(struct tn_span span, struct tn_sink *to,
                        const struct tn_relay_reader *eye,
                        struct tn_memory *memory, struct tn_error *error);

#endif
