/*
 * pb_text_write.h - any message as protobuf's text format
 *
 * Byte for byte what `protoc --decode` prints.  Where protoc would refuse the
 * bytes over a string that is not UTF-8, this prints it, escaped.
 *
 * Payloads go through windows: memory is in the number of times a message
 * changes from one field to another, and in map entries, never in bytes.
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

/* An unknown field's bytes can be read as a message, and so are printed as
 * one: whole fields to the last byte, groups no deeper than `budget`. */
bool tn_pb_looks_like_message(struct tn_span body, int budget);

#endif
