/*
 * pb_json_write.h - any message as protobuf's JSON
 *
 * The canonical mapping: 64-bit integers as strings, bytes in base64, enums by
 * name, maps as objects in order of their keys, and the special forms of
 * google.protobuf's Any, wrappers, Struct, Value, ListValue, Duration,
 * Timestamp and FieldMask.
 *
 * An Any whose type the schema does not have is {"@type": url, "value":
 * base64}.  Unknown fields have no place in JSON: pb_losses.h reports them.
 */
#ifndef TN_WIRE_PB_JSON_WRITE_H
#define TN_WIRE_PB_JSON_WRITE_H

#include "base/buffer.h"
#include "base/sink.h"
#include "wire/pb/pb_schema.h"

struct tn_pb_json_options {
    const struct tn_pb_schema *schema; /* where an Any's type is looked up    */
    bool                       is_pretty;
    bool has_lower_camel_names; /* tensorContent, else tensor_content         */
};

/* The error's offset is in the source, its path in the message. */
enum tn_status tn_pb_json_write(const struct tn_pb_message      *type,
                                struct tn_span                   message,
                                const struct tn_pb_json_options *options,
                                struct tn_sink *to, struct tn_memory *memory,
                                struct tn_error *error);

/* Types whose JSON is not an object of their fields. */
enum tn_pb_special {
    TN_PB_ORDINARY,
    TN_PB_ANY,
    TN_PB_WRAPPER, /* {value: x} is x                                         */
    TN_PB_STRUCT,  /* {fields: map} is the map                                */
    TN_PB_LIST,    /* {values: list} is the list                              */
    TN_PB_VALUE,   /* the one field that is set, or null                      */
    TN_PB_DURATION, /* pb_time.h has these three                            */
    TN_PB_TIMESTAMP,
    TN_PB_FIELD_MASK,
};
enum tn_pb_special tn_pb_special_of(const struct tn_pb_message *type);

/* The type that the URL of an Any names after its last slash; NULL if the
 * schema (which may be NULL) does not have it. */
const struct tn_pb_message *tn_pb_any_type(const struct tn_pb_schema *schema,
                                           struct tn_buffer          *url);

/* Whether this is the enum whose only value is JSON's null. */
bool tn_pb_is_null_enum(const struct tn_pb_field_type *field);

#endif
