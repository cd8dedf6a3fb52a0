/*
 * wire_walk.h - the fields of wire of any length, in little memory
 *
 * A cursor keeps what it has read of a source that is not mapped, for as long
 * as the source is open: right for structure that is parsed once, wrong for a
 * walk over a million fields to find ten.  This walk forgets behind itself.
 */
#ifndef TN_CHUNK_WIRE_WALK_H
#define TN_CHUNK_WIRE_WALK_H

#include "wire/pb/pb_wire.h"

struct tn_wire_walk {
    struct tn_source window; /* reads the other one, and forgets              */
    struct tn_span   wire;
    struct tn_cursor cursor;
    uint64_t         begin; /* what is kept was read since here               */
};

void tn_wire_walk_init(struct tn_wire_walk *walk, struct tn_span wire,
                       struct tn_error *error);
void tn_wire_walk_done(struct tn_wire_walk *walk);

/* The next field, and where all of it is; the body of the field can be read
 * until the next call.  False at the end and after a failure. */
bool tn_wire_walk_next(struct tn_wire_walk *walk, struct tn_pb_field *field,
                       struct tn_span *whole);

/* A field that is bytes or a message: all of it, and the head of that. */
struct tn_wire_row {
    uint64_t offset, length;
    uint32_t head; /* tag and length                                          */
};

/* The next fields as far as they are like the first: one number, bytes or
 * messages, in the window.  How many, at most `most`; their places go to
 * `rows`.  0: the next one is of another kind, tn_wire_walk_next has it.  A
 * million elements of one field are walked in half the time. */
uint64_t tn_wire_walk_rows(struct tn_wire_walk *walk, uint32_t *number,
                           struct tn_wire_row *rows, uint64_t most);

/* Such fields together. */
struct tn_row_sum {
    uint64_t count, size;     /* of the fields                                */
    uint64_t bodies, largest; /* bytes without tags and lengths, all and most */
};

/* The same, when nobody wants to know their places. */
struct tn_row_sum tn_wire_walk_sum(struct tn_wire_walk *walk, uint32_t *number,
                                   uint64_t most);

/* The same for fields in memory up to `end` that begin before `stop`, the first
 * at `at`, where a byte is. */
struct tn_row_sum tn_wire_sum(const uint8_t *at, const uint8_t *stop,
                              const uint8_t *end, uint64_t most);

/* A part of such a wire, and the fields that were found there last. */
struct tn_wire_strip {
    const uint8_t    *at, *stop; /* the next field; none begins from here on  */
    struct tn_row_sum sum;
};

/* The same for several strips with fields of one tag, up to `most` of each.
 * Fields of one strip say where the next one is, so a walk waits for memory
 * most of the time; here the others go on meanwhile. */
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
