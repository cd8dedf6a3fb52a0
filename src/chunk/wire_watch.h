/*
 * wire_watch.h - whether bytes that pass through are whole fields
 *
 * For a message that is copied window by window and is never in memory as a
 * whole.  It answers yes or "unknown": groups and errors are left to a walk,
 * which can say where they are.
 */
#ifndef TN_CHUNK_WIRE_WATCH_H
#define TN_CHUNK_WIRE_WATCH_H

#include <stdbool.h>

#include "base/byte_view.h"
#include "base/varint.h"

struct tn_wire_watch {
    uint64_t body;                    /* bytes to step over                   */
    uint8_t  head[2 * TN_VARINT_MAX]; /* of a field that a window ended in    */
    size_t   held;
    bool     is_odd;
};

void tn_wire_watch_init(struct tn_wire_watch *watch);
void tn_wire_watch_see(struct tn_wire_watch *watch, struct tn_bytes window);

/* Everything so far is whole fields, without groups. */
bool tn_wire_watch_is_whole(const struct tn_wire_watch *watch);

#endif
