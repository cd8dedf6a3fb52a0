/* pb_special.c - the types of google.protobuf that have a JSON of their own */
#include "wire/pb/pb_json_write.h"

#include "wire/pb/pb_rules.h"

/* A user's schema may use these names for something else: the special form
 * needs the fields it stands for. */
static bool has_field(const struct tn_pb_message *type, uint32_t number,
                      const char *name, enum tn_pb_type kind)
{
    const struct tn_pb_field_type *field = tn_pb_message_field(type, number);

    return field && strcmp(field->name, name) == 0 && field->type == kind;
}

static bool is_wrapper(const struct tn_pb_message *type)
{
    static const char *const names[] = {
        "DoubleValue", "FloatValue", "Int64Value",  "UInt64Value", "Int32Value",
        "UInt32Value", "BoolValue",  "StringValue", "BytesValue",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type->name, names[i]) == 0)
            return type->field_count == 1 && type->fields[0].number == 1 &&
                   type->fields[0].label != TN_PB_REPEATED &&
                   !tn_pb_is_message(type->fields[0].type);
    return false;
}

static bool is_time(const struct tn_pb_message *type)
{
    return has_field(type, 1, "seconds", TN_PB_INT64) &&
           has_field(type, 2, "nanos", TN_PB_INT32);
}

enum tn_pb_special tn_pb_special_of(const struct tn_pb_message *type)
{
    static const char package[] = "google.protobuf.";

    if (strncmp(type->full_name, package, sizeof package - 1) != 0 ||
        strcmp(type->full_name + sizeof package - 1, type->name) != 0)
        return TN_PB_ORDINARY;
    if (is_wrapper(type))
        return TN_PB_WRAPPER;
    if (strcmp(type->name, "Any") == 0 &&
        has_field(type, 1, "type_url", TN_PB_STRING) &&
        has_field(type, 2, "value", TN_PB_BYTES))
        return TN_PB_ANY;
    if (strcmp(type->name, "Struct") == 0 &&
        has_field(type, 1, "fields", TN_PB_MESSAGE) && type->fields[0].is_map)
        return TN_PB_STRUCT;
    if (strcmp(type->name, "ListValue") == 0 &&
        has_field(type, 1, "values", TN_PB_MESSAGE) &&
        type->fields[0].label == TN_PB_REPEATED)
        return TN_PB_LIST;
    if (strcmp(type->name, "Value") == 0 && type->field_count == 6 &&
        has_field(type, 1, "null_value", TN_PB_ENUM) &&
        has_field(type, 2, "number_value", TN_PB_DOUBLE) &&
        has_field(type, 3, "string_value", TN_PB_STRING) &&
        has_field(type, 4, "bool_value", TN_PB_BOOL) &&
        has_field(type, 5, "struct_value", TN_PB_MESSAGE) &&
        has_field(type, 6, "list_value", TN_PB_MESSAGE))
        return TN_PB_VALUE;
    if (strcmp(type->name, "Duration") == 0 && is_time(type))
        return TN_PB_DURATION;
    if (strcmp(type->name, "Timestamp") == 0 && is_time(type))
        return TN_PB_TIMESTAMP;
    if (strcmp(type->name, "FieldMask") == 0 &&
        has_field(type, 1, "paths", TN_PB_STRING) &&
        type->fields[0].label == TN_PB_REPEATED)
        return TN_PB_FIELD_MASK;
    return TN_PB_ORDINARY;
}

const struct tn_pb_message *tn_pb_any_type(const struct tn_pb_schema *schema,
                                           struct tn_buffer          *url)
{
    const char *text  = tn_buffer_string(url);
    const char *slash = strrchr(text, '/');

    if (!schema || strlen(text) != url->size)
        return NULL;
    return tn_pb_schema_find(schema, slash ? slash + 1 : text);
}

bool tn_pb_is_null_enum(const struct tn_pb_field_type *field)
{
    return field->type == TN_PB_ENUM &&
           strcmp(field->enumeration->full_name, "google.protobuf.NullValue") ==
               0;
}
