/*
 * pb_text_read.h - protobuf's text format to bytes
 *
 * Reads what `protoc --encode` reads, with the same bytes as the result.  Also
 * reads the numeric form of unknown fields, which protoc prints but does not
 * read: `5: 12` is a varint, `5: 0x0000000c` (eight digits) four bytes, sixteen
 * digits eight bytes, `5: "..."` bytes, `5 { ... }` a message.  Unknown fields
 * come at the end of their message.
 *
 * Memory grows with the structure, not with its strings: a long string literal
 * is unescaped when the rope is written.
 */
#ifndef TN_WIRE_PB_TEXT_READ_H
#define TN_WIRE_PB_TEXT_READ_H

#include "base/rope.h"
#include "wire/pb/pb_schema.h"

/* Appends the message to the rope, whose arena keeps what it needs; the text's
 * source must stay open until the rope is written.  The error's offset is the
 * byte in the text, its message names line and column, its path the field. */
enum tn_status tn_pb_text_read(const struct tn_pb_schema  *schema,
                               const struct tn_pb_message *type,
                               struct tn_span text, struct tn_rope *to,
                               struct tn_error *error);

#endif
