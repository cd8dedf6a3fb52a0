/*
 * pb_time.h - durations, points in time and field masks, as JSON spells them
 *
 *   google.protobuf.Duration   "1.500s"                 seconds, nanoseconds
 *   google.protobuf.Timestamp  "1972-01-01T10:00:20Z"   since 1970, in UTC
 *   google.protobuf.FieldMask  "user.displayName,photo" names in lowerCamel
 */
#ifndef TN_WIRE_PB_TIME_H
#define TN_WIRE_PB_TIME_H

#include "base/buffer.h"
#include "base/byte_view.h"

#define TN_PB_TIME_ROOM 48

struct tn_pb_time {
    int64_t seconds;
    int64_t nanos;
};

/* Returns the length, or 0 if protobuf does not allow the time: more than about
 * ten thousand years, or nanoseconds that are not below a second with the same
 * sign. */
unsigned tn_pb_duration_print(char to[TN_PB_TIME_ROOM], struct tn_pb_time t);
bool     tn_pb_duration_parse(struct tn_bytes text, struct tn_pb_time *t);

/* The years 1 to 9999.  Parsing accepts any offset from UTC. */
unsigned tn_pb_timestamp_print(char to[TN_PB_TIME_ROOM], struct tn_pb_time t);
bool     tn_pb_timestamp_parse(struct tn_bytes text, struct tn_pb_time *t);

/* Appends displayName for display_name, and the reverse; false if the
 * conversion could not be reversed. */
bool tn_pb_mask_camel(struct tn_buffer *to, struct tn_bytes path);
bool tn_pb_mask_snake(struct tn_buffer *to, struct tn_bytes path);

#endif
