/*
 * pb_text_write.h - any message as protobuf's text format
 *
 * Byte for byte what `protoc --decode` prints.  protoc refuses a message
 * because of a string that is not UTF-8; this prints it, escaped.
 *
 * Payloads go through windows: memory grows with the number of changes between
 * fields, and with map entries, never with bytes.
 */
#ifndef TN_WIRE_PB_TEXT_WRITE_H
#define TN_WIRE_PB_TEXT_WRITE_H

#include "base/sink.h"
#include "wire/pb/pb_schema.h"

/* The error's offset is in the source, its path in the message. */
enum tn_status tn_pb_text_write(const struct tn_pb_message *type,
                                struct tn_span message, struct tn_sink *to,
                                struct tn_memory *memory,
                                struct tn_error  *error);

/* How deep protoc looks into unknown fields for messages. */
#define TN_PB_UNKNOWN_DEPTH 10

/* Whether the bytes of an unknown field can be read as a message, and are
 * therefore printed as one: whole fields to the last byte, groups no deeper
 * than `budget`. */
bool tn_pb_looks_like_message(struct tn_span body, int budget);

#endif
