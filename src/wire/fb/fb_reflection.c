/* fb_reflection.c - the schema of binary schemas */
#include "wire/fb/fb_reflection.h"

static const struct tn_fb_object reflected_object, reflected_field,
    reflected_type, reflected_enum, reflected_value, reflected_attribute;

#define NUMBER(name, base, size)                                               \
    {                                                                          \
        name, { base, 0, 0, size, size, NULL, NULL }, 0, 0, 0, NULL, 0, 0      \
    }
#define REQUIRED_STRING(name)                                                  \
    {                                                                          \
        name, { TN_FB_STRING, 0, 0, 4, 4, NULL, NULL }, 0, 0, 0, NULL, 1, 0    \
    }
#define STRING(name)                                                           \
    {                                                                          \
        name, { TN_FB_STRING, 0, 0, 4, 4, NULL, NULL }, 0, 0, 0, NULL, 0, 0    \
    }
#define TABLE(name, type, required)                                            \
    {                                                                          \
        name, { TN_FB_OBJECT, 0, 0, 4, 4, type, NULL }, 0, 0, 0, NULL,         \
            required, 0                                                        \
    }
#define TABLES(name, type, required)                                           \
    {                                                                          \
        name, { TN_FB_VECTOR, TN_FB_OBJECT, 0, 4, 4, type, NULL }, 0, 0, 0,    \
            NULL, required, 0                                                  \
    }
#define OBJECT(name, fields, index)                                            \
    {                                                                          \
        name, fields, sizeof fields / sizeof fields[0], 0, 0, index, 0, 1      \
    }

static const struct tn_fb_field attribute_fields[] = {
    [ATTRIBUTE_KEY]   = REQUIRED_STRING("key"),
    [ATTRIBUTE_VALUE] = STRING("value"),
};
static const struct tn_fb_object reflected_attribute =
    OBJECT("reflection.KeyValue", attribute_fields, 0);

static const struct tn_fb_field type_fields[] = {
    [TYPE_BASE]    = NUMBER("base_type", TN_FB_I8, 1),
    [TYPE_ELEMENT] = NUMBER("element", TN_FB_I8, 1),
    [TYPE_INDEX]   = NUMBER("index", TN_FB_I32, 4),
    [TYPE_LENGTH]  = NUMBER("fixed_length", TN_FB_U16, 2),
};
static const struct tn_fb_object reflected_type =
    OBJECT("reflection.Type", type_fields, 1);

static const struct tn_fb_field value_fields[] = {
    [VALUE_NAME]   = REQUIRED_STRING("name"),
    [VALUE_NUMBER] = NUMBER("value", TN_FB_I64, 8),
    [VALUE_TYPE]   = TABLE("union_type", &reflected_type, 0),
};
static const struct tn_fb_object reflected_value =
    OBJECT("reflection.EnumVal", value_fields, 2);

static const struct tn_fb_field enum_fields[] = {
    [ENUM_NAME]       = REQUIRED_STRING("name"),
    [ENUM_VALUES]     = TABLES("values", &reflected_value, 1),
    [ENUM_IS_UNION]   = NUMBER("is_union", TN_FB_BOOL, 1),
    [ENUM_TYPE]       = TABLE("underlying_type", &reflected_type, 1),
    [ENUM_ATTRIBUTES] = TABLES("attributes", &reflected_attribute, 0),
};
static const struct tn_fb_object reflected_enum =
    OBJECT("reflection.Enum", enum_fields, 3);

static const struct tn_fb_field field_fields[] = {
    [FIELD_NAME]          = REQUIRED_STRING("name"),
    [FIELD_TYPE]          = TABLE("type", &reflected_type, 1),
    [FIELD_ID]            = NUMBER("id", TN_FB_U16, 2),
    [FIELD_OFFSET]        = NUMBER("offset", TN_FB_U16, 2),
    [FIELD_WHOLE]         = NUMBER("default_integer", TN_FB_I64, 8),
    [FIELD_REAL]          = NUMBER("default_real", TN_FB_F64, 8),
    [FIELD_IS_DEPRECATED] = NUMBER("deprecated", TN_FB_BOOL, 1),
    [FIELD_IS_REQUIRED]   = NUMBER("required", TN_FB_BOOL, 1),
    [FIELD_ATTRIBUTES]    = TABLES("attributes", &reflected_attribute, 0),
    [FIELD_IS_OPTIONAL]   = NUMBER("optional", TN_FB_BOOL, 1),
};
static const struct tn_fb_object reflected_field =
    OBJECT("reflection.Field", field_fields, 4);

static const struct tn_fb_field object_fields[] = {
    [OBJECT_NAME]      = REQUIRED_STRING("name"),
    [OBJECT_FIELDS]    = TABLES("fields", &reflected_field, 1),
    [OBJECT_IS_STRUCT] = NUMBER("is_struct", TN_FB_BOOL, 1),
    [OBJECT_ALIGN]     = NUMBER("minalign", TN_FB_I32, 4),
    [OBJECT_SIZE]      = NUMBER("bytesize", TN_FB_I32, 4),
};
static const struct tn_fb_object reflected_object =
    OBJECT("reflection.Object", object_fields, 5);

static const struct tn_fb_field schema_fields[] = {
    [SCHEMA_OBJECTS]    = TABLES("objects", &reflected_object, 1),
    [SCHEMA_ENUMS]      = TABLES("enums", &reflected_enum, 1),
    [SCHEMA_IDENTIFIER] = STRING("file_ident"),
    [SCHEMA_ROOT]       = TABLE("root_table", &reflected_object, 0),
};
const struct tn_fb_object tn_fb_reflection =
    OBJECT("reflection.Schema", schema_fields, 6);
