/*
 * pb_schema.h - message types, from a compiled descriptor set
 *
 * `protoc --include_imports --descriptor_set_out=my.desc my.proto` gives the
 * bytes; ours are embedded.  Everything is resolved when it is loaded: fields
 * know their message and enum types by pointer.
 */
#ifndef TN_WIRE_PB_SCHEMA_H
#define TN_WIRE_PB_SCHEMA_H

#include "base/byte_view.h"
#include "base/memory.h"
#include "base/varint.h"

/* The numbers of google.protobuf.FieldDescriptorProto.Type. */
enum tn_pb_type {
    TN_PB_DOUBLE = 1,
    TN_PB_FLOAT,
    TN_PB_INT64,
    TN_PB_UINT64,
    TN_PB_INT32,
    TN_PB_FIXED64,
    TN_PB_FIXED32,
    TN_PB_BOOL,
    TN_PB_STRING,
    TN_PB_GROUP,
    TN_PB_MESSAGE,
    TN_PB_BYTES,
    TN_PB_UINT32,
    TN_PB_ENUM,
    TN_PB_SFIXED32,
    TN_PB_SFIXED64,
    TN_PB_SINT32,
    TN_PB_SINT64,
};

enum tn_pb_label { TN_PB_OPTIONAL = 1, TN_PB_REQUIRED, TN_PB_REPEATED };

struct tn_pb_message;

struct tn_pb_enum {
    const char *full_name; /* "onnx.TensorProto.DataType"                     */
    uint32_t    value_count;
    const struct tn_pb_enum_value {
        const char *name;
        int32_t     number;
    } * values;   /* as declared                                            */
    bool is_open; /* proto3: unknown numbers are legal values               */
    const uint32_t *by_number; /* indices, ascending; aliases as declared     */
    const uint32_t *by_name;   /* indices, ascending by name                  */
};

struct tn_pb_field_type {
    const char *name;      /* "tensor_content"; extensions: "pkg.ext"      */
    const char *json_name; /* "tensorContent"; extensions: "[pkg.ext]"     */
    uint32_t    number;
    enum tn_pb_type  type;
    enum tn_pb_label label;
    bool    is_packed;    /* how it is written; both are read            */
    bool    has_presence; /* optional in proto2, messages, oneofs      */
    bool    is_map;       /* repeated message that is a map entry        */
    bool    is_extension;
    int32_t oneof; /* index in the message, -1: none              */
    const struct tn_pb_message *message; /* MESSAGE and GROUP               */
    const struct tn_pb_enum    *enumeration; /* ENUM                          */
    struct tn_bytes default_text; /* as in the .proto; empty: the type's zero */
};

struct tn_pb_message {
    const char                    *full_name;
    const char                    *name; /* the last part */
    uint32_t                       field_count;
    const struct tn_pb_field_type *fields; /* ascending by number             */
    uint32_t                       oneof_count;
    const char *const             *oneofs;
    bool                           is_map_entry;
    bool                           is_proto3;
    uint32_t range_count; /* extension ranges: tolerated, kept as unknown  */
    const struct tn_pb_range {
        uint32_t begin, end;
    } * ranges;
    const uint16_t *by_number; /* number -> index + 1, for small numbers      */
    uint32_t        by_number_size;
    const uint32_t *by_name; /* indices, ascending by name                    */
};

struct tn_pb_schema {
    struct tn_arena            *arena;
    uint32_t                    message_count;
    const struct tn_pb_message *messages; /* ascending by full name          */
    uint32_t                    enum_count;
    const struct tn_pb_enum    *enums; /* ascending by full name          */
};

/* A longer full name is refused: every message repeats the names of those that
 * contain it, and a short file must not become a long list of long names. */
#define TN_PB_NAME_LIMIT 1000

/* Reads a FileDescriptorSet; everything lives in the arena, which also keeps a
 * copy of the names.  Refuses unresolved types, duplicate names and numbers,
 * invalid map entries, and defaults that are not values of their type.  The
 * error has the place: "my.proto: pkg.Message.field". */
enum tn_status tn_pb_schema_load(struct tn_pb_schema *schema,
                                 struct tn_arena *arena, struct tn_bytes set,
                                 struct tn_error *error);

/* By full name, with or without a leading dot; NULL if there is none. */
const struct tn_pb_message *tn_pb_schema_find(const struct tn_pb_schema *schema,
                                              const char *full_name);

/* NULL if the message has no such field: then it is unknown. */
const struct tn_pb_field_type *tn_pb_message_field(
    const struct tn_pb_message *message, uint32_t number);
const struct tn_pb_field_type *tn_pb_message_field_named(
    const struct tn_pb_message *message, struct tn_bytes name);
/* By json_name, as the JSON mapping writes it. */
const struct tn_pb_field_type *tn_pb_message_field_json(
    const struct tn_pb_message *message, struct tn_bytes json_name);

/* The default of a number, bool or enum, as tn_pb_decode() would return it:
 * sign-extended, float and double as bits.  False if default_text is not such a
 * value, or the field is of another kind. */
bool tn_pb_field_default(const struct tn_pb_field_type *field, uint64_t *bits);

/* NULL if the enum has no such number; the first if there are aliases. */
const char *tn_pb_enum_name(const struct tn_pb_enum *type, int32_t number);
bool tn_pb_enum_number(const struct tn_pb_enum *type, struct tn_bytes name,
                       int32_t *number);

/* The wire type of one value of this type. */
enum tn_wire_type tn_pb_wire_type(enum tn_pb_type type);

/* Numbers, bools and enums: what may be packed. */
bool tn_pb_is_packable(enum tn_pb_type type);

#endif
