/*
 * fb_schema.h - a binary schema (.bfbs) as structs
 *
 * Made by `flatc --binary --schema`; with --bfbs-builtins it also has nested
 * buffers and bit flags.  It is a FlatBuffer itself, and not trusted either.
 */
#ifndef TN_WIRE_FB_SCHEMA_H
#define TN_WIRE_FB_SCHEMA_H

#include "base/byte_view.h"
#include "base/memory.h"
#include "wire/fb/fb_builtin.h"

/* The numbers are those of binary schemas. */
enum tn_fb_base {
    TN_FB_NONE,
    TN_FB_UTYPE, /* which member of a union                                   */
    TN_FB_BOOL,
    TN_FB_I8,
    TN_FB_U8,
    TN_FB_I16,
    TN_FB_U16,
    TN_FB_I32,
    TN_FB_U32,
    TN_FB_I64,
    TN_FB_U64,
    TN_FB_F32,
    TN_FB_F64,
    TN_FB_STRING,
    TN_FB_VECTOR,
    TN_FB_OBJECT, /* a table or a struct                                      */
    TN_FB_UNION,
    TN_FB_ARRAY, /* of fixed length, in structs only                          */
};

struct tn_fb_object;
struct tn_fb_enum;

struct tn_fb_type {
    enum tn_fb_base            base;
    enum tn_fb_base            element; /* of a vector or an array            */
    uint16_t                   length;  /* of an array                        */
    uint32_t                   size;  /* of a value, an element in a vector   */
    uint32_t                   align; /*   or array; references have 4        */
    const struct tn_fb_object *object; /* of an object or element             */
    const struct tn_fb_enum   *names;  /* of a union, or of an enum's number  */
    uint32_t                   force; /* alignment that writers give a vector of
                                         it; 0: no other                      */
};

struct tn_fb_field {
    const char                *name; /* NULL: unused or deprecated            */
    struct tn_fb_type          type;
    uint32_t                   offset; /* in a struct                         */
    int64_t                    whole;  /* default of an integer               */
    double                     real;   /* default of a float or double        */
    const struct tn_fb_object *nested; /* the bytes are a buffer of this type */
    bool                       is_required;
    bool                       is_optional; /* absent is not the default      */
};

struct tn_fb_object {
    const char               *name; /* with its namespace                     */
    const struct tn_fb_field *fields; /* by slot; of a struct in their order  */
    uint32_t                  count;  /* of fields, unused ones too           */
    uint32_t                  size;  /* of a struct                           */
    uint32_t                  align; /* of a struct                           */
    uint32_t                  index; /* in the schema                         */
    bool                      is_struct;
    bool                      has_required;
};

struct tn_fb_name {
    const char       *name;
    int64_t           value;
    struct tn_fb_type type; /* of a union's member; base NONE for no member   */
};

struct tn_fb_enum {
    const char              *name;
    const struct tn_fb_name *names; /* by value                               */
    uint32_t                 count;
    enum tn_fb_base          base;
    bool                     is_union;
    bool                     is_flags; /* values are bits                     */
};

struct tn_fb_schema {
    const struct tn_fb_object *objects;
    uint32_t                   object_count;
    const struct tn_fb_enum   *enums;
    uint32_t                   enum_count;
    const struct tn_fb_object *root;          /* or NULL                      */
    char                       identifier[5]; /* or ""                        */
};

/* Everything is copied to the arena.  Verifies the bytes first; the error's
 * offset is in them. */
enum tn_status tn_fb_schema_load(struct tn_fb_schema *schema,
                                 struct tn_arena *arena, struct tn_bytes bfbs,
                                 struct tn_error *error);

/* The same of a schema that is built in, which needs no verification: that
 * takes longer than the rest. */
enum tn_status tn_fb_schema_load_builtin(struct tn_fb_schema *schema,
                                         struct tn_arena     *arena,
                                         enum tn_fb_builtin   which,
                                         struct tn_error     *error);

/* By full name, or by the last part if that is unique; NULL if there is
 * none. */
const struct tn_fb_object *tn_fb_schema_find(const struct tn_fb_schema *schema,
                                             const char                *name);

/* NULL if it has none of that name. */
const struct tn_fb_field *tn_fb_object_field(const struct tn_fb_object *object,
                                             struct tn_bytes            name);

/* NULL if no name has the value. */
const struct tn_fb_name *tn_fb_enum_name(const struct tn_fb_enum *names,
                                         int64_t                  value);

/* Whether it is a number, an enum or a bool. */
static inline bool tn_fb_is_scalar(enum tn_fb_base base)
{
    return base >= TN_FB_UTYPE && base <= TN_FB_F64;
}

/* Bytes of a scalar; 0 for other types. */
uint32_t tn_fb_scalar_size(enum tn_fb_base base);

#endif
