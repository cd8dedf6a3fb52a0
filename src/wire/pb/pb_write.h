/*
 * pb_write.h - writes protobuf messages as ropes
 *
 * Messages are written into a rope: scalars and names in memory, payloads as
 * spans.  A nested message is built in a rope of its own and appended with its
 * length, which is known by then.
 */
#ifndef TN_WIRE_PB_WRITE_H
#define TN_WIRE_PB_WRITE_H

#include "base/rope.h"
#include "base/varint.h"

void tn_pb_put_varint(struct tn_rope *to, uint32_t number, uint64_t value);
void tn_pb_put_fixed32(struct tn_rope *to, uint32_t number, uint32_t bits);
void tn_pb_put_fixed64(struct tn_rope *to, uint32_t number, uint64_t bits);
void tn_pb_put_bytes(struct tn_rope *to, uint32_t number,
                     struct tn_bytes bytes); /* copied */
void tn_pb_put_text(struct tn_rope *to, uint32_t number, const char *text);

/* Tag and length of a LEN field; the caller adds `size` bytes. */
void tn_pb_put_len(struct tn_rope *to, uint32_t number, uint64_t size);

/* A number of any wire type: with its tag, or bare as in a packed field. */
void tn_pb_put_number(struct tn_rope *to, uint32_t number,
                      enum tn_wire_type type, uint64_t bits);
void tn_pb_put_bare(struct tn_rope *to, enum tn_wire_type type, uint64_t bits);

/* A LEN field whose body is elsewhere. */
void tn_pb_put_span(struct tn_rope *to, uint32_t number, struct tn_span body);
void tn_pb_put_producer(struct tn_rope *to, uint32_t number,
                        const struct tn_producer *body);

/* A LEN field whose body is `message`, which is released. */
void tn_pb_put_message(struct tn_rope *to, uint32_t number,
                       struct tn_rope *message);

/* The same as a group, between its two tags. */
void tn_pb_put_group(struct tn_rope *to, uint32_t number,
                     struct tn_rope *group);

#endif
