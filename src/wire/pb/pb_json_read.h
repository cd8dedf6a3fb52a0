/*
 * pb_json_read.h - protobuf's JSON to bytes
 *
 * Reads what the canonical mapping allows: names as in the .proto or in
 * lowerCamel, 64-bit integers as numbers or strings, base64 of either
 * alphabet, enums by name or number, null for a field that is not set.
 * Unknown and repeated keys are refused.
 *
 * A long base64 string in a mapped source is decoded when the rope is written.
 */
#ifndef TN_WIRE_PB_JSON_READ_H
#define TN_WIRE_PB_JSON_READ_H

#include "base/rope.h"
#include "wire/pb/pb_schema.h"

/* Appends the message to the rope, whose arena keeps what it needs; the text's
 * source must stay open until the rope is written.  The error's offset is the
 * byte in the text, its path the field. */
enum tn_status tn_pb_json_read(const struct tn_pb_schema  *schema,
                               const struct tn_pb_message *type,
                               struct tn_span text, struct tn_rope *to,
                               struct tn_error *error);

#endif
