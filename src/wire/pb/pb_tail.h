/*
 * pb_tail.h - remembers how messages end
 *
 * A model has a million nodes of a few kinds.  Their names differ, but writers
 * of protobuf put names first, and what comes after them is the same bytes
 * again and again.  A reader that found nothing to keep in such a tail notes
 * that, with what it did find out, and steps over the next one that is equal.
 * There is one slot for each hash: a later tail replaces an earlier one.
 *
 * The bytes are borrowed and must outlive the table, as the views of a cursor
 * do.
 */
#ifndef TN_WIRE_PB_TAIL_H
#define TN_WIRE_PB_TAIL_H

#include <string.h>

#include "wire/pb/pb_wire.h"

#define TN_PB_TAIL_SLOTS   1024u
#define TN_PB_TAIL_LONGEST 512u

struct tn_pb_tail {
    struct tn_bytes bytes; /* empty: none                                     */
    uint32_t        type, domain; /* names that are in it, or what the reader
                                     makes of these                           */
    uint32_t number; /* from 1 on; every tail has its own              */
};

struct tn_pb_tails {
    struct tn_pb_tail slots[TN_PB_TAIL_SLOTS];
    uint32_t          count; /* tails so far                                  */
};

/* What is left of a message from this field on, its tag and length included, if
 * it is short and in memory; else empty.  The cursor is after the field. */
static inline struct tn_bytes tn_pb_tail_of(const struct tn_cursor   *c,
                                            const struct tn_pb_field *field)
{
    const uint8_t *begin = c->at - (size_t)(c->offset - field->offset);
    size_t         size  = (size_t)(c->end - begin);

    return c->beyond || field->type != TN_WIRE_LEN || size > TN_PB_TAIL_LONGEST
               ? tn_bytes(NULL, 0)
               : tn_bytes(begin, size);
}

/* By a few bytes of it; it is not empty. */
static inline struct tn_pb_tail *tn_pb_tail_slot(struct tn_pb_tails *tails,
                                                 struct tn_bytes     tail)
{
    uint64_t first = 0, middle = 0, last = 0;

    if (tail.size < sizeof last) {
        memcpy(&last, tail.data, tail.size);
    } else {
        size_t end = tail.size - sizeof last;
        memcpy(&first, tail.data, sizeof first);
        memcpy(&middle, tail.data + end / 2, sizeof middle);
        memcpy(&last, tail.data + end, sizeof last);
    }
    first ^= (middle << 21 | middle >> 43) ^ (last << 42 | last >> 22);
    first = (first ^ tail.size) * UINT64_C(0x9e3779b97f4a7c15);
    return &tails->slots[(first >> 40) % TN_PB_TAIL_SLOTS];
}

/* Puts it into its slot. */
static inline void tn_pb_tail_keep(struct tn_pb_tails *tails,
                                   struct tn_pb_tail  *slot,
                                   struct tn_pb_tail   tail)
{
    *slot        = tail;
    slot->number = ++tails->count;
}

#endif
