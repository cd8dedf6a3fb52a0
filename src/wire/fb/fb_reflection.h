/*
 * fb_reflection.h - the schema of binary schemas
 *
 * What a .bfbs file consists of, so that it can be verified before it is read.
 * Slots that are not read here (documentation, services) are not listed.
 */
#ifndef TN_WIRE_FB_REFLECTION_H
#define TN_WIRE_FB_REFLECTION_H

#include "wire/fb/fb_schema.h"

/* Of the file, table Schema. */
enum { SCHEMA_OBJECTS, SCHEMA_ENUMS, SCHEMA_IDENTIFIER, SCHEMA_ROOT = 4 };

/* Of a table or struct. */
enum {
    OBJECT_NAME,
    OBJECT_FIELDS,
    OBJECT_IS_STRUCT,
    OBJECT_ALIGN,
    OBJECT_SIZE
};

enum {
    FIELD_NAME,
    FIELD_TYPE,
    FIELD_ID,
    FIELD_OFFSET,
    FIELD_WHOLE,
    FIELD_REAL,
    FIELD_IS_DEPRECATED,
    FIELD_IS_REQUIRED,
    FIELD_ATTRIBUTES  = 9,
    FIELD_IS_OPTIONAL = 11
};

enum { TYPE_BASE, TYPE_ELEMENT, TYPE_INDEX, TYPE_LENGTH };

enum { ENUM_NAME, ENUM_VALUES, ENUM_IS_UNION, ENUM_TYPE, ENUM_ATTRIBUTES };

enum { VALUE_NAME, VALUE_NUMBER, VALUE_TYPE = 3 };

enum { ATTRIBUTE_KEY, ATTRIBUTE_VALUE };

/* Table Schema. */
extern const struct tn_fb_object tn_fb_reflection;

#endif
