/*
 * pb_wire.h - walking protobuf bytes without a schema and without copying
 *
 *   message := field*
 *   field   := varint tag (number << 3 | type), then by type
 *     0 VARINT   varint            1 FIXED64  8 bytes
 *     2 LEN      varint n, n bytes 5 FIXED32  4 bytes
 *     3 GROUP    fields, then tag of type 4 with the same number
 *
 * Lengths are 64-bit.  The body of a LEN field is skipped, not read: only code
 * that uses `body` touches it.
 */
#ifndef TN_WIRE_PB_WIRE_H
#define TN_WIRE_PB_WIRE_H

#include "base/cursor.h"
#include "base/varint.h"

/* Nesting beyond this is refused everywhere, as protobuf itself does. */
#define TN_PB_DEPTH_LIMIT 100

struct tn_pb_field {
    uint32_t          number;
    enum tn_wire_type type;
    uint64_t          offset; /* of the tag, in the source                    */
    uint64_t          value;  /* VARINT, FIXED32, FIXED64: the bits           */
    struct tn_cursor  body;   /* LEN: the bytes; GROUP: the fields inside     */
};

/* Any field; use tn_pb_next(). */
bool tn_pb_next_slowly(struct tn_cursor *c, struct tn_pb_field *field);

/* A tag or length of at most two bytes; *size is how many, 0: it is longer, or
 * there is no such byte.  `left` is at least one. */
static inline uint32_t tn_pb_short_varint(const uint8_t *at, uint64_t left,
                                          unsigned *size)
{
    *size = 1;
    if (at[0] < 0x80)
        return at[0];
    *size = left >= 2 && at[1] < 0x80 ? 2 : 0;
    return *size ? (at[0] & 0x7fu) | (uint32_t)at[1] << 7 : 0;
}

/* Nearly all fields are numbers and byte strings below 16 KiB that are in the
 * window; those are read here, without a call.  False: it is another kind, or
 * something is wrong with it, and nothing was read. */
static inline bool tn_pb_next_quickly(struct tn_cursor   *c,
                                      struct tn_pb_field *field)
{
    const uint8_t *at   = c->at;
    uint64_t       left = (uint64_t)(c->end - at);
    unsigned       head, more;

    if (left < 2)
        return false;
    uint32_t tag = tn_pb_short_varint(at, left, &head);
    if (head == 0 || head == left)
        return false;
    uint32_t value = tn_pb_short_varint(at + head, left - head, &more);
    head += more;
    uint32_t size = (tag & 7) == TN_WIRE_LEN ? value : 0;
    if (more == 0 || tag < 8 || size > left - head || tn_failed(c->error) ||
        ((tag & 7) != TN_WIRE_LEN && (tag & 7) != TN_WIRE_VARINT))
        return false;
    *field =
        (struct tn_pb_field){ tag >> 3,
                              (enum tn_wire_type)(tag & 7),
                              c->offset,
                              value - size,
                              { at + head, at + head + size, c->offset + head,
                                0, c->source, c->error } };
    c->at += head + size;
    c->offset += head + size;
    return true;
}

/* The next field, or false at the end and after a failure. */
static inline bool tn_pb_next(struct tn_cursor *c, struct tn_pb_field *field)
{
    return tn_more(c) &&
           (tn_pb_next_quickly(c, field) || tn_pb_next_slowly(c, field));
}

/* The whole field in the source, with its tag: from field->offset to the
 * position of `c`. */
static inline struct tn_span tn_pb_field_span(const struct tn_cursor   *c,
                                              const struct tn_pb_field *field)
{
    return (struct tn_span){ c->source, field->offset,
                             c->offset - field->offset };
}

/* A LEN body as a span: for payloads. */
static inline struct tn_span tn_pb_body_span(const struct tn_pb_field *field)
{
    return (struct tn_span){ field->body.source, field->body.offset,
                             tn_left(&field->body) };
}

/* A LEN body as bytes: for names and other structure. */
static inline struct tn_bytes tn_pb_text(struct tn_pb_field *field)
{
    return tn_take_bytes(&field->body, tn_left(&field->body));
}

/* A LEN body of at most `most` bytes that is in the window, as bytes; empty
 * otherwise.  Nothing is taken: it can still be walked. */
static inline struct tn_bytes tn_pb_short_body(const struct tn_pb_field *field,
                                               size_t                    most)
{
    const struct tn_cursor *body = &field->body;
    size_t                  size = (size_t)(body->end - body->at);

    return body->beyond || size > most ? tn_bytes(NULL, 0)
                                       : tn_bytes(body->at, size);
}

/* Fails the cursor unless the field has this wire type: "field 7 is a varint, a
 * message was expected". */
bool tn_pb_expect(struct tn_cursor *c, const struct tn_pb_field *field,
                  enum tn_wire_type type);

/* To the first field of that number, which is not read, or to the end. */
void tn_pb_step_to(struct tn_cursor *c, uint32_t number);

/* The next message in field `number`, and its name, the last string in its
 * field `name_number`; other fields are skipped. */
bool tn_pb_next_named(struct tn_cursor *c, uint32_t number,
                      uint32_t name_number, struct tn_bytes *name,
                      struct tn_span *message);

/* Repeated numbers, packed or not: call for each occurrence of the field; gives
 * one value a call, false when this occurrence has no more.
 *   struct tn_pb_field f; uint64_t v;
 *   while (tn_pb_number(c, &f, TN_WIRE_VARINT, &v)) ...
 * `type` is the wire type of one element.  Other wire types fail. */
bool tn_pb_number(struct tn_cursor *c, struct tn_pb_field *field,
                  enum tn_wire_type type, uint64_t *value);

/* How many values a repeated field has in the message; `type` as above. */
uint64_t tn_pb_count_values(struct tn_cursor message, uint32_t number,
                            enum tn_wire_type type);

#endif
