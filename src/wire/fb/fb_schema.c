/*
 * fb_schema.c - a binary schema (.bfbs) as structs
 *
 * Two passes: first what every object and enum is called and how large it is,
 * then the fields, which refer to them by index.  What later walks rely on is
 * checked here: indices, slots without gaps, structs whose fields are side by
 * side and do not contain themselves.
 */
#include "wire/fb/fb_schema.h"

#include "base/byte_view.h"
#include "base/number.h"
#include "wire/fb/fb_verify.h"

/* ---- the schema of binary schemas --------------------------------------- */

/* What a .bfbs file consists of, so that it can be verified before it is read.
 * Slots that are not read here (documentation, services) are not listed. */

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

static const struct tn_fb_object reflected_object, reflected_field,
    reflected_type, reflected_enum, reflected_value, reflected_attribute;

#define NUMBER(name, base, size)                                               \
    {                                                                          \
        name, { base, 0, 0, size, size, NULL, NULL, 0 }, 0, 0, 0, NULL, 0, 0   \
    }
#define REQUIRED_STRING(name)                                                  \
    {                                                                          \
        name, { TN_FB_STRING, 0, 0, 4, 4, NULL, NULL, 0 }, 0, 0, 0, NULL, 1, 0 \
    }
#define STRING(name)                                                           \
    {                                                                          \
        name, { TN_FB_STRING, 0, 0, 4, 4, NULL, NULL, 0 }, 0, 0, 0, NULL, 0, 0 \
    }
#define TABLE(name, type, required)                                            \
    {                                                                          \
        name, { TN_FB_OBJECT, 0, 0, 4, 4, type, NULL, 0 }, 0, 0, 0, NULL,      \
            required, 0                                                        \
    }
#define TABLES(name, type, required)                                           \
    {                                                                          \
        name, { TN_FB_VECTOR, TN_FB_OBJECT, 0, 4, 4, type, NULL, 0 }, 0, 0, 0, \
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
static const struct tn_fb_object reflection =
    OBJECT("reflection.Schema", schema_fields, 6);

#define STRUCT_SIZE_LIMIT  65535
#define STRUCT_ALIGN_LIMIT 256
#define STRUCT_DEPTH_LIMIT 64

struct loader {
    struct tn_fb         fb;
    struct tn_arena     *arena;
    struct tn_error     *error;
    struct tn_fb_schema *schema;
    struct tn_fb_object *objects;
    struct tn_fb_enum   *enums;
    uint8_t             *depths; /* of structs in structs; 0: not yet known */
    uint64_t             left;   /* elements that the file may still have   */
};

uint32_t tn_fb_scalar_size(enum tn_fb_base base)
{
    static const uint8_t sizes[] = { 0, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };

    return (unsigned)base < sizeof sizes ? sizes[base] : 0;
}

/* ---- small things ------------------------------------------------------- */

static bool refuse(struct loader *l, uint64_t at, const char *what)
{
    tn_error_set(l->error, TN_MALFORMED, at, "%s", what);
    return false;
}

/* A copy, or NULL with the error set. */
static const char *load_name(struct loader *l, const struct tn_fb_table *table,
                             uint16_t slot)
{
    struct tn_bytes name = tn_fb_string(table, slot);

    if (name.size == 0 || tn_bytes_find(name, 0)) {
        refuse(l, table->at, "a name is empty or has a zero byte in it");
        return NULL;
    }
    return (const char *)tn_bytes_dup(l->arena, name, l->error).data;
}

/* A vector of tables, paid for: one that many objects share would be copied
 * for each of them. */
static struct tn_fb_vector load_vector(struct loader            *l,
                                       const struct tn_fb_table *table,
                                       uint16_t                  slot)
{
    struct tn_fb_vector vector = tn_fb_vector(table, slot, 4);

    if (vector.count > l->left) {
        refuse(l, vector.at,
               "more fields and names than the file has room for");
        return (struct tn_fb_vector){ 0 };
    }
    l->left -= vector.count;
    return vector;
}

/* The value of an attribute; .data is NULL when it is not there. */
static struct tn_bytes find_attribute(const struct tn_fb_table *table,
                                      uint16_t slot, const char *key)
{
    struct tn_fb_vector all = tn_fb_vector(table, slot, 4);

    for (uint32_t i = 0; i < all.count; i++) {
        struct tn_fb_table one = tn_fb_vector_table(&all, i);
        if (!tn_bytes_is(tn_fb_string(&one, ATTRIBUTE_KEY), key))
            continue;
        struct tn_bytes value = tn_fb_string(&one, ATTRIBUTE_VALUE);
        return value.data ? value : tn_text("");
    }
    return tn_bytes(NULL, 0);
}

/* ---- types -------------------------------------------------------------- */

/* What one value, or one element of a vector or array, takes. */
static bool size_type(struct loader *l, uint64_t at, enum tn_fb_base base,
                      struct tn_fb_type *type)
{
    type->size = type->align = 4;
    if (tn_fb_is_scalar(base))
        type->size = type->align = tn_fb_scalar_size(base);
    if (base == TN_FB_OBJECT && !type->object)
        return refuse(l, at, "an object's type is not in the schema");
    if (base == TN_FB_UNION && (!type->names || !type->names->is_union))
        return refuse(l, at, "a union's type is not in the schema");
    if (base == TN_FB_OBJECT && type->object->is_struct) {
        type->size  = type->object->size;
        type->align = type->object->align;
    }
    return true;
}

static bool link_type(struct loader *l, const struct tn_fb_table *from,
                      enum tn_fb_base base, struct tn_fb_type *type)
{
    int32_t index = tn_fb_i32(from, TYPE_INDEX, -1);

    if (index < 0)
        return true;
    uint32_t limit =
        base == TN_FB_OBJECT ? l->schema->object_count : l->schema->enum_count;
    if ((uint32_t)index >= limit)
        return refuse(l, from->at, "a type's index is past the end");
    if (base == TN_FB_OBJECT)
        type->object = &l->objects[index];
    else
        type->names = &l->enums[index];
    return true;
}

static bool load_type(struct loader *l, const struct tn_fb_table *from,
                      struct tn_fb_type *type)
{
    type->base        = (enum tn_fb_base)tn_fb_u8(from, TYPE_BASE, 0);
    type->element     = (enum tn_fb_base)tn_fb_u8(from, TYPE_ELEMENT, 0);
    type->length      = tn_fb_u16(from, TYPE_LENGTH, 0);
    bool has_elements = type->base == TN_FB_VECTOR || type->base == TN_FB_ARRAY;
    enum tn_fb_base inner = has_elements ? type->element : type->base;

    if (type->base > TN_FB_ARRAY || inner > TN_FB_UNION ||
        inner == TN_FB_NONE || inner == TN_FB_VECTOR)
        return refuse(l, from->at, "an unknown type");
    if (!link_type(l, from, inner, type) ||
        !size_type(l, from->at, inner, type))
        return false;
    if (type->base != TN_FB_ARRAY)
        return true;
    if (type->length == 0 || type->size > STRUCT_SIZE_LIMIT / type->length)
        return refuse(l, from->at, "an array of no or too many elements");
    type->size *= type->length;
    return true;
}

/* ---- fields ------------------------------------------------------------- */

static bool load_field(struct loader *l, const struct tn_fb_table *from,
                       struct tn_fb_field *field)
{
    struct tn_fb_table type = tn_fb_child(from, FIELD_TYPE);

    field->name = load_name(l, from, FIELD_NAME);
    if (!field->name || !load_type(l, &type, &field->type))
        return false;
    field->offset      = tn_fb_u16(from, FIELD_OFFSET, 0);
    field->whole       = tn_fb_i64(from, FIELD_WHOLE, 0);
    field->real        = tn_fb_f64(from, FIELD_REAL, 0);
    field->is_required = tn_fb_bool(from, FIELD_IS_REQUIRED, false);
    field->is_optional = tn_fb_bool(from, FIELD_IS_OPTIONAL, false);
    return true;
}

/* Whether it is called `name` in the namespace `space`, which has `size`
 * bytes. */
static bool is_called(const char *full, const char *space, size_t size,
                      struct tn_bytes name)
{
    size_t length = strlen(full);

    if (size == 0)
        return tn_bytes_equal(tn_bytes(full, length), name);
    return length == size + 1 + name.size && !memcmp(full, space, size) &&
           full[size] == '.' && tn_bytes_is(name, full + size + 1);
}

static const struct tn_fb_object *find_in(const struct loader *l,
                                          const char *space, size_t size,
                                          struct tn_bytes name)
{
    for (uint32_t i = 0; i < l->schema->object_count; i++)
        if (is_called(l->objects[i].name, space, size, name))
            return &l->objects[i];
    return NULL;
}

/* "force_align: 16"; invalid alignments are ignored. */
static uint32_t find_force(const struct tn_fb_table *from)
{
    int64_t value;

    if (!tn_int64_parse(find_attribute(from, FIELD_ATTRIBUTES, "force_align"),
                        &value) ||
        value < 1 || value > STRUCT_ALIGN_LIMIT || (value & (value - 1)))
        return 0;
    return (uint32_t)value;
}

/* The root type of the buffer inside a vector of bytes: its name is looked up
 * from the namespace of the table outwards, as flatc does. */
static void find_nested(const struct loader *l, const struct tn_fb_table *from,
                        const char *space, struct tn_fb_field *field)
{
    struct tn_bytes name =
        find_attribute(from, FIELD_ATTRIBUTES, "nested_flatbuffer");
    size_t size = strlen(space);

    if (!name.size || field->type.base != TN_FB_VECTOR ||
        field->type.element != TN_FB_U8)
        return;
    while (!field->nested && size > 0) {
        while (size > 0 && space[size - 1] != '.')
            size--;
        size -= size > 0;
        field->nested = find_in(l, space, size, name);
    }
    if (field->nested && field->nested->is_struct)
        field->nested = NULL;
}

/* flatc numbers fields without gaps, a union's type before the union. */
static bool load_fields(struct loader *l, const struct tn_fb_table *from,
                        struct tn_fb_object *object)
{
    struct tn_fb_vector all = load_vector(l, from, OBJECT_FIELDS);
    struct tn_fb_field *fields =
        tn_new(l->arena, struct tn_fb_field, all.count, l->error);
    bool *is_taken = tn_new(l->arena, bool, all.count, l->error);

    object->fields = fields;
    object->count  = all.count;
    for (uint32_t i = 0; fields && is_taken && i < all.count; i++) {
        struct tn_fb_table one  = tn_fb_vector_table(&all, i);
        uint16_t           slot = tn_fb_u16(&one, FIELD_ID, 0);
        if (slot >= all.count || is_taken[slot])
            return refuse(l, one.at, "slots with gaps, or one used twice");
        is_taken[slot] = true;
        if (tn_fb_bool(&one, FIELD_IS_DEPRECATED, false))
            continue;
        if (!load_field(l, &one, &fields[slot]))
            return false;
        find_nested(l, &one, object->name, &fields[slot]);
        fields[slot].type.force = find_force(&one);
        object->has_required |= fields[slot].is_required;
    }
    return !tn_failed(l->error);
}

/* ---- what tables and structs may be ------------------------------------- */

static enum tn_fb_base inner_base(const struct tn_fb_type *type)
{
    return type->base == TN_FB_VECTOR || type->base == TN_FB_ARRAY
               ? type->element
               : type->base;
}

/* Every union has its type in the slot before. */
static bool check_table(struct loader *l, uint64_t at,
                        const struct tn_fb_object *object)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const struct tn_fb_field *field = &object->fields[i];
        if (!field->name)
            continue;
        if (field->type.base == TN_FB_ARRAY)
            return refuse(l, at, "an array outside of a struct");
        if (inner_base(&field->type) != TN_FB_UNION)
            continue;
        const struct tn_fb_field *kind = i > 0 ? field - 1 : field;
        if (!kind->name || inner_base(&kind->type) != TN_FB_UTYPE ||
            (kind->type.base == TN_FB_VECTOR) !=
                (field->type.base == TN_FB_VECTOR))
            return refuse(l, at, "a union without its type before it");
    }
    return true;
}

/* Scalars and structs, side by side, aligned, inside. */
static bool check_struct(struct loader *l, uint64_t at,
                         const struct tn_fb_object *object)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < object->count; i++) {
        const struct tn_fb_field *field = &object->fields[i];
        enum tn_fb_base           inner = inner_base(&field->type);
        bool                      is_inline =
            field->name && field->type.base != TN_FB_VECTOR &&
            (tn_fb_is_scalar(inner) ||
             (inner == TN_FB_OBJECT && field->type.object->is_struct));
        if (!is_inline || field->offset < end ||
            field->offset % field->type.align != 0 ||
            field->type.align > object->align)
            return refuse(l, at, "a struct whose fields do not fit together");
        end = (uint64_t)field->offset + field->type.size;
    }
    if (end > object->size)
        return refuse(l, at, "a struct that is longer than its size");
    return true;
}

/* How deep structs are in structs; more than the limit also for one that
 * contains itself. */
static uint32_t struct_depth(struct loader             *l,
                             const struct tn_fb_object *object, uint32_t limit)
{
    uint32_t deepest = 0;

    if (limit == 0 || l->depths[object->index])
        return limit == 0 ? 1 : l->depths[object->index];
    for (uint32_t i = 0; i < object->count; i++) {
        const struct tn_fb_object *inner = object->fields[i].type.object;
        uint32_t depth = inner ? struct_depth(l, inner, limit - 1) : 0;
        if (depth > deepest)
            deepest = depth;
        if (deepest >= limit)
            return limit + 1;
    }
    l->depths[object->index] = (uint8_t)(deepest + 1);
    return deepest + 1;
}

static bool check_object(struct loader *l, uint64_t at,
                         const struct tn_fb_object *object)
{
    return object->is_struct ? check_struct(l, at, object)
                             : check_table(l, at, object);
}

/* ---- enums -------------------------------------------------------------- */

static bool load_value(struct loader *l, const struct tn_fb_table *from,
                       bool is_union, struct tn_fb_name *value)
{
    struct tn_fb_table type = tn_fb_child(from, VALUE_TYPE);

    value->name  = load_name(l, from, VALUE_NAME);
    value->value = tn_fb_i64(from, VALUE_NUMBER, 0);
    if (!value->name)
        return false;
    if (!is_union || !type.fb || tn_fb_u8(&type, TYPE_BASE, 0) == TN_FB_NONE)
        return true;
    if (!load_type(l, &type, &value->type))
        return false;
    if (value->type.base != TN_FB_STRING && value->type.base != TN_FB_OBJECT)
        return refuse(l, from->at,
                      "a union of something other than tables and strings");
    return true;
}

static bool load_values(struct loader *l, const struct tn_fb_table *from,
                        struct tn_fb_enum *names)
{
    struct tn_fb_vector all = load_vector(l, from, ENUM_VALUES);
    struct tn_fb_name  *values =
        tn_new(l->arena, struct tn_fb_name, all.count, l->error);

    names->names = values;
    names->count = all.count;
    for (uint32_t i = 0; values && i < all.count; i++) {
        struct tn_fb_table one = tn_fb_vector_table(&all, i);
        if (!load_value(l, &one, names->is_union, &values[i]))
            return false;
    }
    return !tn_failed(l->error);
}

static bool name_enum(struct loader *l, const struct tn_fb_table *from,
                      struct tn_fb_enum *names)
{
    struct tn_fb_table type = tn_fb_child(from, ENUM_TYPE);

    names->name     = load_name(l, from, ENUM_NAME);
    names->is_union = tn_fb_bool(from, ENUM_IS_UNION, false);
    names->base     = (enum tn_fb_base)tn_fb_u8(&type, TYPE_BASE, 0);
    names->is_flags = find_attribute(from, ENUM_ATTRIBUTES, "bit_flags").data;
    if (names->base < TN_FB_UTYPE || names->base > TN_FB_U64)
        return refuse(l, from->at, "an enum that is not an integer");
    return names->name != NULL;
}

/* ---- objects ------------------------------------------------------------ */

static bool name_object(struct loader *l, const struct tn_fb_table *from,
                        struct tn_fb_object *object)
{
    int32_t size  = tn_fb_i32(from, OBJECT_SIZE, 0);
    int32_t align = tn_fb_i32(from, OBJECT_ALIGN, 0);

    object->name      = load_name(l, from, OBJECT_NAME);
    object->is_struct = tn_fb_bool(from, OBJECT_IS_STRUCT, false);
    if (!object->name || !object->is_struct)
        return object->name != NULL;
    if (align < 1 || align > STRUCT_ALIGN_LIMIT || (align & (align - 1)) ||
        size < 1 || size > STRUCT_SIZE_LIMIT || size % align != 0)
        return refuse(l, from->at, "a struct of an odd size or alignment");
    object->size  = (uint32_t)size;
    object->align = (uint32_t)align;
    return true;
}

/* First pass. */
static bool load_names(struct loader *l, const struct tn_fb_vector *objects,
                       const struct tn_fb_vector *enums)
{
    l->objects =
        tn_new(l->arena, struct tn_fb_object, objects->count, l->error);
    l->enums = tn_new(l->arena, struct tn_fb_enum, enums->count, l->error);
    if (!l->objects || !l->enums)
        return false;
    for (uint32_t i = 0; i < objects->count; i++) {
        struct tn_fb_table one = tn_fb_vector_table(objects, i);
        l->objects[i].index    = i;
        if (!name_object(l, &one, &l->objects[i]))
            return false;
    }
    for (uint32_t i = 0; i < enums->count; i++) {
        struct tn_fb_table one = tn_fb_vector_table(enums, i);
        if (!name_enum(l, &one, &l->enums[i]))
            return false;
    }
    return true;
}

/* Second pass. */
static bool load_insides(struct loader *l, const struct tn_fb_vector *objects,
                         const struct tn_fb_vector *enums)
{
    for (uint32_t i = 0; i < objects->count; i++) {
        struct tn_fb_table one = tn_fb_vector_table(objects, i);
        if (!load_fields(l, &one, &l->objects[i]) ||
            !check_object(l, one.at, &l->objects[i])) {
            tn_error_where(l->error, "%s", l->objects[i].name);
            return false;
        }
    }
    for (uint32_t i = 0; i < enums->count; i++) {
        struct tn_fb_table one = tn_fb_vector_table(enums, i);
        if (!load_values(l, &one, &l->enums[i])) {
            tn_error_where(l->error, "%s", l->enums[i].name);
            return false;
        }
    }
    l->depths = tn_new(l->arena, uint8_t, l->schema->object_count, l->error);
    for (uint32_t i = 0; l->depths && i < l->schema->object_count; i++)
        if (l->objects[i].is_struct &&
            struct_depth(l, &l->objects[i], STRUCT_DEPTH_LIMIT) >
                STRUCT_DEPTH_LIMIT)
            return refuse(l, TN_NOWHERE, "structs in structs without end");
    return l->depths != NULL;
}

/* The root is stored a second time in full; its name tells which object it
 * is. */
static void find_root(struct loader *l, const struct tn_fb_table *schema)
{
    struct tn_fb_table root  = tn_fb_child(schema, SCHEMA_ROOT);
    struct tn_bytes    ident = tn_fb_string(schema, SCHEMA_IDENTIFIER);

    if (root.fb)
        l->schema->root = find_in(l, "", 0, tn_fb_string(&root, OBJECT_NAME));
    if (l->schema->root && l->schema->root->is_struct)
        l->schema->root = NULL;
    if (ident.size == 4)
        memcpy(l->schema->identifier, ident.data, 4);
}

static bool load_schema(struct loader *l)
{
    struct tn_fb_table  root    = tn_fb_root(&l->fb);
    struct tn_fb_vector objects = load_vector(l, &root, SCHEMA_OBJECTS);
    struct tn_fb_vector enums   = load_vector(l, &root, SCHEMA_ENUMS);

    l->schema->object_count = objects.count;
    l->schema->enum_count   = enums.count;
    if (!load_names(l, &objects, &enums) || !load_insides(l, &objects, &enums))
        return false;
    l->schema->objects = l->objects;
    l->schema->enums   = l->enums;
    find_root(l, &root);
    return true;
}

static enum tn_status load_bytes(struct tn_fb_schema *schema,
                                 struct tn_arena *arena, struct tn_bytes bfbs,
                                 bool is_trusted, struct tn_error *error)
{
    struct loader l = {
        .arena = arena, .error = error, .schema = schema, .left = bfbs.size / 4
    };
    struct tn_source source;

    *schema = (struct tn_fb_schema){ 0 };
    tn_source_memory(&source, arena->memory, bfbs);
    struct tn_span span = { &source, 0, bfbs.size };
    if (tn_fb_open(&l.fb, span, arena, error) == TN_OK &&
        !tn_fb_has_identifier(&l.fb, "BFBS"))
        tn_error_set(error, TN_MALFORMED, 4,
                     "not a binary schema: make one with flatc --binary "
                     "--schema");
    if (!tn_failed(error) &&
        (is_trusted ||
         tn_fb_verify(&l.fb, &reflection, NULL, NULL, arena->memory) == TN_OK))
        load_schema(&l);
    tn_source_close(&source);
    return error->status;
}

enum tn_status tn_fb_schema_load(struct tn_fb_schema *schema,
                                 struct tn_arena *arena, struct tn_bytes bfbs,
                                 struct tn_error *error)
{
    return load_bytes(schema, arena, bfbs, false, error);
}

enum tn_status tn_fb_schema_load_builtin(struct tn_fb_schema *schema,
                                         struct tn_arena     *arena,
                                         enum tn_fb_builtin   which,
                                         struct tn_error     *error)
{
    struct tn_bytes bfbs = tn_fb_builtin_schema(which, arena, error);

    *schema = (struct tn_fb_schema){ 0 };
    return bfbs.data ? load_bytes(schema, arena, bfbs, true, error)
                     : error->status;
}

/* ---- looking up --------------------------------------------------------- */

const struct tn_fb_object *tn_fb_schema_find(const struct tn_fb_schema *schema,
                                             const char                *name)
{
    const struct tn_fb_object *found = NULL;

    for (uint32_t i = 0; i < schema->object_count; i++) {
        const char *full = schema->objects[i].name;
        if (!strcmp(full, name))
            return &schema->objects[i];
        const char *last = strrchr(full, '.');
        if (!last || strcmp(last + 1, name) != 0)
            continue;
        if (found)
            return NULL;
        found = &schema->objects[i];
    }
    return found;
}

const struct tn_fb_field *tn_fb_object_field(const struct tn_fb_object *object,
                                             struct tn_bytes            name)
{
    for (uint32_t i = 0; i < object->count; i++)
        if (object->fields[i].name && tn_bytes_is(name, object->fields[i].name))
            return &object->fields[i];
    return NULL;
}

const struct tn_fb_name *tn_fb_enum_name(const struct tn_fb_enum *names,
                                         int64_t                  value)
{
    if (value >= 0 && value < names->count &&
        names->names[value].value == value)
        return &names->names[value]; /* most enums count from 0 */
    for (uint32_t i = 0; i < names->count; i++)
        if (names->names[i].value == value)
            return &names->names[i];
    return NULL;
}
