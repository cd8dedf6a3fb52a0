/*
 * wire_watch.h - whether bytes that pass by are whole fields
 *
 * For a message that is on its way from one place to another, window by window,
 * and nowhere as a whole.  It says yes or "who knows": groups, and whatever is
 * wrong, are for a walk to look at, which can say where.
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

/* All that was seen so far is whole fields, without groups among them. */
bool tn_wire_watch_is_whole(const struct tn_wire_watch *watch);

#endif
