/*
 * strip_wire.h - a protobuf message without certain fields
 *
 * What is left is spliced; only messages that contain a removed field are
 * assembled again.
 */
#ifndef TN_ENGINE_STRIP_WIRE_H
#define TN_ENGINE_STRIP_WIRE_H

#include "base/rope.h"
#include "format/format.h"
#include "wire/pb/pb_schema.h"

/* Appends the message without those fields (a list that ends with NULL) at any
 * depth; *fields and *bytes count what was removed. */
enum tn_status tn_strip_wire(const struct tn_pb_message  *type,
                             struct tn_span               message,
                             const struct tn_strip_field *without,
                             struct tn_rope *to, uint64_t *fields,
                             uint64_t *bytes, struct tn_error *error);

#endif
