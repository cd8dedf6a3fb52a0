/*
 * wire_walk.h - the fields of wire of any length, in little memory
 *
 * A cursor keeps what it has read of an unmapped source until the source is
 * closed: right for structure that is parsed once, wrong for a walk over a
 * million fields to find ten.  This walk frees what it has passed.
 */
#ifndef TN_CHUNK_WIRE_WALK_H
#define TN_CHUNK_WIRE_WALK_H

#include "wire/pb/pb_wire.h"

struct tn_wire_walk {
    struct tn_source window; /* reads the other one, and frees                */
    struct tn_span   wire;
    struct tn_cursor cursor;
    uint64_t         begin; /* what is kept was read since here               */
};

void tn_wire_walk_init(struct tn_wire_walk *walk, struct tn_span wire,
                       struct tn_error *error);
void tn_wire_walk_done(struct tn_wire_walk *walk);

/* The next field, and where it is as a whole; its body can be read until the
 * next call.  False at the end and after a failure. */
bool tn_wire_walk_next(struct tn_wire_walk *walk, struct tn_pb_field *field,
                       struct tn_span *whole);

/* A field that is bytes or a message: its span, and the length of its head. */
struct tn_wire_row {
    uint64_t offset, length;
    uint32_t head; /* tag and length                                          */
};

/* The next fields as long as they are like the first: the same number, bytes or
 * messages, and in the window.  Returns how many, at most `most`; their places
 * go to `rows`. 0: the next one is of another kind; use tn_wire_walk_next().
 * Takes half the time for a million elements of one field. */
uint64_t tn_wire_walk_rows(struct tn_wire_walk *walk, uint32_t *number,
                           struct tn_wire_row *rows, uint64_t most);

/* The sum of such fields. */
struct tn_row_sum {
    uint64_t count, size;     /* of the fields                                */
    uint64_t bodies, largest; /* bytes without tags and lengths, all and most */
};

/* The same if their places are not needed. */
struct tn_row_sum tn_wire_walk_sum(struct tn_wire_walk *walk, uint32_t *number,
                                   uint64_t most);

/* The same for fields in memory up to `end` that begin before `stop`; the first
 * begins at `at`, which is a valid address. */
struct tn_row_sum tn_wire_sum(const uint8_t *at, const uint8_t *stop,
                              const uint8_t *end, uint64_t most);

/* A part of such wire, and the sum of the fields that were found in it. */
struct tn_wire_strip {
    const uint8_t    *at, *stop; /* the next field; none begins from here on  */
    struct tn_row_sum sum;
};

/* The same for several strips with fields of one tag, up to `most` of each.
 * Each field of a strip tells where the next one is, so a single walk mostly
 * waits for memory; here the others go on meanwhile. */
void tn_wire_sum_strips(struct tn_wire_strip *strips, unsigned count,
                        uint8_t tag, const uint8_t *end, uint64_t most);

/* Where the body of a field is, in the source that was walked. */
static inline struct tn_span tn_wire_body(const struct tn_pb_field *field,
                                          struct tn_span            whole)
{
    struct tn_span body = tn_pb_body_span(field);

    body.source = whole.source;
    return body;
}

#endif
