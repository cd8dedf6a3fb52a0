/*
 * fb_json_read.c - a FlatBuffer from JSON
 *
 * One pass, children first, as the builder wants it.  What a table has so far
 * is kept on a stack (`values`), and so are the elements of vectors (`bytes`,
 * `refs`): each level notes their heights and restores them.  A union that
 * comes before its type is skipped and read when its table ends.
 */
#include "wire/fb/fb_json_read.h"

#include <math.h>

#include "base/buffer.h"
#include "base/json_read.h"
#include "base/number.h"
#include "wire/fb/fb_build.h"
#include "wire/fb/fb_verify.h"

/* A field that was read. */
struct value {
    const struct tn_fb_field *field;
    uint32_t                  ref;   /* what is not inline                 */
    uint64_t                  bits;  /* of a scalar                        */
    struct tn_bytes           bytes; /* of a struct, or a union's types    */
    uint64_t                  later; /* where a union is that comes too early,
                                      * else TN_NOWHERE                    */
};

struct undump {
    const struct tn_fb_schema *schema;
    struct tn_fb_builder      *build;
    struct tn_json_reader     *json;
    struct tn_arena           *arena;
    struct tn_error           *error;
    struct tn_span             text;
    struct tn_list             values; /* struct value   */
    struct tn_list             refs;   /* uint32_t       */
    struct tn_buffer           bytes;
    uint32_t                   depth;
};

static uint32_t read_table(struct undump *u, const struct tn_fb_object *type);
static bool     read_struct(struct undump *u, const struct tn_fb_object *type,
                            uint8_t *to);

static bool refuse(struct undump *u, const char *what)
{
    tn_error_set(u->error, TN_MALFORMED, u->json->offset, "%s", what);
    return false;
}

static bool is_going(const struct undump *u)
{
    return !tn_failed(u->error);
}

/* ---- scalars ---------------------------------------------------------- */

static bool whole_fits(enum tn_fb_base base, int64_t value)
{
    switch (base) {
    case TN_FB_BOOL:
    case TN_FB_UTYPE:
    case TN_FB_U8: return value >= 0 && value <= UINT8_MAX;
    case TN_FB_I8: return value >= INT8_MIN && value <= INT8_MAX;
    case TN_FB_I16: return value >= INT16_MIN && value <= INT16_MAX;
    case TN_FB_U16: return value >= 0 && value <= UINT16_MAX;
    case TN_FB_I32: return value >= INT32_MIN && value <= INT32_MAX;
    case TN_FB_U32: return value >= 0 && value <= UINT32_MAX;
    default: return true;
    }
}

static bool read_whole(struct undump *u, enum tn_fb_base base, uint64_t *bits)
{
    int64_t value = 0;

    if (base == TN_FB_U64) {
        *bits = tn_json_uint64(u->json);
        return is_going(u);
    }
    value = tn_json_int64(u->json);
    if (is_going(u) && !whole_fits(base, value))
        return refuse(u, "a number that its type cannot hold");
    *bits = (uint64_t)value;
    return is_going(u);
}

static bool is_word(struct tn_bytes text, const char *word)
{
    size_t size = strlen(word);

    for (size_t i = 0; i < size && i < text.size; i++)
        if ((text.data[i] | 0x20) != (uint8_t)word[i])
            return false;
    return text.size == size;
}

static bool read_real(struct undump *u, enum tn_fb_base base, uint64_t *bits)
{
    struct tn_bytes text  = u->json->text;
    bool            minus = text.size && text.data[0] == '-';
    double          value;

    if (text.size && (minus || text.data[0] == '+') &&
        (text.size < 2 || text.data[1] < '0' || text.data[1] > '9'))
        text = tn_bytes(text.data + 1, text.size - 1);
    if (is_word(text, "nan"))
        value = (double)NAN;
    else if (is_word(text, "inf") || is_word(text, "infinity"))
        value = (double)INFINITY;
    else
        value = fabs(tn_json_double(u->json));
    if (minus)
        value = -value;
    *bits = base == TN_FB_F64 ? tn_double_bits(value)
                              : tn_float_bits(tn_double_to_float(value));
    return is_going(u);
}

/* One name of an enum, perhaps with that of the enum before it. */
static const struct tn_fb_name *find_name(const struct tn_fb_enum *names,
                                          struct tn_bytes          text)
{
    for (uint32_t i = 0; i < names->count; i++) {
        size_t size = strlen(names->names[i].name);
        if (text.size < size ||
            memcmp(text.data + text.size - size, names->names[i].name, size))
            continue;
        if (text.size == size || text.data[text.size - size - 1] == '.')
            return &names->names[i];
    }
    return NULL;
}

/* Names with spaces between, or one number. */
static bool read_names(struct undump *u, enum tn_fb_base base,
                       const struct tn_fb_enum *names, uint64_t *bits)
{
    const uint8_t *at  = u->json->text.data;
    const uint8_t *end = at + u->json->text.size;

    *bits = 0;
    if (at < end && (*at == '-' || (*at >= '0' && *at <= '9')))
        return read_whole(u, base, bits);
    while (at < end) {
        const uint8_t *stop = memchr(at, ' ', (size_t)(end - at));
        if (!stop || !names->is_flags)
            stop = end;
        const struct tn_fb_name *name =
            find_name(names, tn_bytes(at, (size_t)(stop - at)));
        if (!name && stop != at)
            return refuse(u, "a name that the enum does not have");
        *bits |= name ? (uint64_t)name->value : 0;
        at = stop < end ? stop + 1 : end;
    }
    return u->json->text.size > 0 || refuse(u, "an empty name");
}

/* The event that holds the scalar was read. */
static bool read_scalar(struct undump *u, enum tn_json_event event,
                        enum tn_fb_base base, const struct tn_fb_enum *names,
                        uint64_t *bits)
{
    bool is_real = base == TN_FB_F32 || base == TN_FB_F64;

    *bits = 0;
    switch (event) {
    case TN_JSON_TRUE: *bits = is_real ? 0 : 1; /* fall through */
    case TN_JSON_FALSE:
        return !is_real || refuse(u, "true or false for a float");
    case TN_JSON_STRING:
        if (names)
            return read_names(u, base, names, bits);
        if (base == TN_FB_BOOL && is_word(u->json->text, "true"))
            return *bits = 1, true;
        if (base == TN_FB_BOOL && is_word(u->json->text, "false"))
            return true; /* fall through */
    case TN_JSON_NUMBER:
        return is_real ? read_real(u, base, bits) : read_whole(u, base, bits);
    default: return is_going(u) && refuse(u, "expected a number or a name");
    }
}

static bool is_default(const struct tn_fb_field *field, uint64_t bits)
{
    uint32_t size = field->type.size;
    uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;

    if (field->is_optional)
        return false;
    if (field->type.base == TN_FB_F32)
        return (uint32_t)bits == tn_float_bits(tn_double_to_float(field->real));
    if (field->type.base == TN_FB_F64)
        return bits == tn_double_bits(field->real);
    return ((bits ^ (uint64_t)field->whole) & mask) == 0;
}

/* ---- structs ---------------------------------------------------------- */

static bool read_inline(struct undump *u, enum tn_json_event event,
                        const struct tn_fb_type *type, enum tn_fb_base base,
                        uint8_t *to)
{
    uint64_t bits;

    if (base == TN_FB_OBJECT)
        return event == TN_JSON_OBJECT_BEGIN
                   ? read_struct(u, type->object, to)
                   : is_going(u) && refuse(u, "expected an object");
    if (!read_scalar(u, event, base, type->names, &bits))
        return false;
    tn_store_little(to, bits, tn_fb_scalar_size(base));
    return true;
}

static bool read_array(struct undump *u, const struct tn_fb_type *type,
                       uint8_t *to)
{
    uint32_t step = type->size / type->length;

    if (tn_json_next(u->json) != TN_JSON_ARRAY_BEGIN)
        return is_going(u) && refuse(u, "expected an array");
    for (uint32_t i = 0; i < type->length; i++)
        if (!read_inline(u, tn_json_next(u->json), type, type->element,
                         to + (size_t)i * step))
            return false;
    return tn_json_next(u->json) == TN_JSON_ARRAY_END ||
           (is_going(u) && refuse(u, "an array of another length"));
}

static bool read_member_of_struct(struct undump            *u,
                                  const struct tn_fb_field *field, uint8_t *to)
{
    to += field->offset;
    if (field->type.base == TN_FB_ARRAY)
        return read_array(u, &field->type, to);
    return read_inline(u, tn_json_next(u->json), &field->type, field->type.base,
                       to);
}

static bool read_struct_keys(struct undump *u, const struct tn_fb_object *type,
                             uint8_t *to, size_t seen)
{
    uint32_t           count = 0;
    enum tn_json_event event;

    while ((event = tn_json_next(u->json)) == TN_JSON_KEY) {
        const struct tn_fb_field *field =
            tn_fb_object_field(type, u->json->text);
        if (!field)
            return refuse(u, "a key that the struct does not have");
        if (u->bytes.data[seen + (size_t)(field - type->fields)]++)
            return refuse(u, "a key twice");
        if (!read_member_of_struct(u, field, to)) {
            tn_error_where(u->error, "%s", field->name);
            return false;
        }
        count++;
    }
    if (event == TN_JSON_OBJECT_END && count != type->count)
        return refuse(u, "a struct needs all of its fields");
    return is_going(u);
}

/* All fields, each once; the brace was read.  Which were there is noted on the
 * stack of bytes.  Structs in structs are as deep as the schema was checked
 * for. */
static bool read_struct(struct undump *u, const struct tn_fb_object *type,
                        uint8_t *to)
{
    size_t   seen  = u->bytes.size;
    uint8_t *marks = tn_buffer_room(&u->bytes, type->count);

    if (!marks)
        return false;
    memset(marks, 0, type->count);
    u->bytes.size += type->count;
    bool is_good  = read_struct_keys(u, type, to, seen);
    u->bytes.size = seen;
    return is_good;
}

/* ---- vectors ---------------------------------------------------------- */

/* Scalars and structs are collected on the stack of bytes. */
static uint32_t read_elements(struct undump *u, const struct tn_fb_type *type,
                              struct value *value)
{
    size_t             begin = u->bytes.size;
    uint32_t           ref   = 0;
    enum tn_json_event event;
    uint8_t *element = tn_arena_alloc(u->arena, type->size, 1, u->error);

    while (element && (event = tn_json_next(u->json)) != TN_JSON_ARRAY_END &&
           event != TN_JSON_END) {
        if (!read_inline(u, event, type, type->element, element))
            break;
        tn_buffer_add(&u->bytes, tn_bytes(element, type->size));
    }
    struct tn_bytes all = tn_bytes("", 0);
    if (u->bytes.size > begin)
        all = tn_bytes(u->bytes.data + begin, u->bytes.size - begin);
    if (is_going(u))
        ref = tn_fb_put_vector(u->build, all, type->size,
                               type->force > type->align ? type->force
                                                         : type->align);
    if (type->element == TN_FB_UTYPE && is_going(u))
        value->bytes = tn_bytes_dup(u->arena, all, u->error);
    u->bytes.size = begin;
    return ref;
}

static uint32_t read_string(struct undump *u, enum tn_json_event event)
{
    if (event == TN_JSON_STRING)
        return tn_fb_put_string(u->build, u->json->text);
    return is_going(u) ? refuse(u, "expected a string") : 0;
}

static uint32_t read_child(struct undump *u, enum tn_json_event event,
                           const struct tn_fb_object *type)
{
    if (event == TN_JSON_OBJECT_BEGIN)
        return read_table(u, type);
    return is_going(u) ? refuse(u, "expected an object") : 0;
}

/* What a member of a union is; nothing for NONE. */
static uint32_t read_member(struct undump *u, enum tn_json_event event,
                            const struct tn_fb_enum *members, uint8_t which)
{
    const struct tn_fb_name *member = tn_fb_enum_name(members, which);
    uint8_t                 *bytes;

    if (!member || member->type.base == TN_FB_NONE)
        return refuse(u, "a member for a type that has none");
    if (member->type.base == TN_FB_STRING)
        return read_string(u, event);
    if (!member->type.object->is_struct)
        return read_child(u, event, member->type.object);
    bytes = tn_arena_alloc(u->arena, member->type.object->size, 1, u->error);
    if (!bytes || !read_inline(u, event, &member->type, TN_FB_OBJECT, bytes))
        return 0;
    return tn_fb_put_struct(u->build,
                            tn_bytes(bytes, member->type.object->size),
                            member->type.object->align);
}

/* Reads one element of a vector of references. */
static uint32_t read_far(struct undump *u, enum tn_json_event event,
                         const struct tn_fb_type *type, struct tn_bytes kinds,
                         uint64_t index)
{
    if (type->element == TN_FB_STRING)
        return read_string(u, event);
    if (type->element == TN_FB_OBJECT)
        return read_child(u, event, type->object);
    if (index >= kinds.size)
        return refuse(u, "more members than types");
    return read_member(u, event, type->names, kinds.data[index]);
}

static uint32_t read_refs(struct undump *u, const struct tn_fb_type *type,
                          struct tn_bytes kinds)
{
    uint64_t           begin = u->refs.count, count = 0;
    uint32_t           ref = 0;
    enum tn_json_event event;

    while ((event = tn_json_next(u->json)) != TN_JSON_ARRAY_END &&
           event != TN_JSON_END) {
        uint32_t  far = read_far(u, event, type, kinds, count);
        uint32_t *item =
            far ? tn_list_push(&u->refs, uint32_t, u->error) : NULL;
        if (!item) {
            tn_error_where(u->error, "[%" PRIu64 "]", count);
            break;
        }
        *item = far;
        count++;
    }
    if (is_going(u) && type->element == TN_FB_UNION && count != kinds.size)
        refuse(u, "fewer members than types");
    if (is_going(u))
        ref = tn_fb_put_refs(
            u->build, count ? tn_list_at(&u->refs, uint32_t, begin) : NULL,
            (uint32_t)count);
    u->refs.count = begin;
    return ref;
}

static uint32_t read_vector(struct undump *u, enum tn_json_event event,
                            const struct tn_fb_type *type,
                            struct tn_bytes kinds, struct value *value)
{
    if (event != TN_JSON_ARRAY_BEGIN)
        return is_going(u) ? refuse(u, "expected an array") : 0;
    if (tn_fb_is_scalar(type->element) ||
        (type->element == TN_FB_OBJECT && type->object->is_struct))
        return read_elements(u, type, value);
    return read_refs(u, type, kinds);
}

/* ---- fields ----------------------------------------------------------- */

/* A nested buffer, which is a vector of bytes in this one. */
static uint32_t read_nested(struct undump *u, const struct tn_fb_object *type)
{
    struct tn_fb_builder *outer = u->build, inner;
    struct tn_rope        rope;
    uint32_t              ref = 0;

    tn_rope_init(&rope, u->arena, u->error);
    tn_fb_build_init(&inner, u->arena, u->error);
    u->build      = &inner;
    uint32_t root = read_table(u, type);
    u->build      = outer;
    if (is_going(u) && tn_fb_finish(&inner, root, NULL, &rope) == TN_OK)
        ref = tn_fb_put_rope(outer, &rope, 1, inner.align);
    tn_fb_build_done(&inner);
    tn_rope_done(&rope);
    return ref;
}

/* The type of a union, or the types of a vector of them, if they are known. */
static struct value *find_value(const struct undump *u, uint64_t begin,
                                const struct tn_fb_field *field)
{
    for (uint64_t i = begin; i < u->values.count; i++) {
        struct value *value = tn_list_at(&u->values, struct value, i);
        if (value->field == field)
            return value;
    }
    return NULL;
}

static bool is_union(const struct tn_fb_type *type)
{
    return type->base == TN_FB_UNION ||
           (type->base == TN_FB_VECTOR && type->element == TN_FB_UNION);
}

static bool read_union(struct undump *u, enum tn_json_event event,
                       const struct value *kind, struct value *value)
{
    const struct tn_fb_type *type = &value->field->type;

    value->ref = type->base == TN_FB_VECTOR
                     ? read_vector(u, event, type, kind->bytes, value)
                     : read_member(u, event, type->names, (uint8_t)kind->bits);
    return value->ref != 0;
}

static bool read_struct_field(struct undump *u, enum tn_json_event event,
                              struct value *value)
{
    const struct tn_fb_type *type = &value->field->type;
    uint8_t *bytes = tn_arena_alloc(u->arena, type->size, 1, u->error);

    value->bytes = tn_bytes(bytes, type->size);
    return bytes && read_inline(u, event, type, TN_FB_OBJECT, bytes);
}

/* Everything but unions. */
static bool read_value(struct undump *u, enum tn_json_event event,
                       struct value *value)
{
    const struct tn_fb_field *field = value->field;
    const struct tn_fb_type  *type  = &field->type;

    if (tn_fb_is_scalar(type->base))
        return read_scalar(u, event, type->base, type->names, &value->bits);
    if (type->base == TN_FB_OBJECT && type->object->is_struct)
        return read_struct_field(u, event, value);
    if (type->base == TN_FB_STRING)
        value->ref = read_string(u, event);
    else if (type->base == TN_FB_OBJECT)
        value->ref = read_child(u, event, type->object);
    else if (field->nested && event == TN_JSON_OBJECT_BEGIN)
        value->ref = read_nested(u, field->nested);
    else
        value->ref = read_vector(u, event, type, tn_bytes(NULL, 0), value);
    return value->ref != 0;
}

/* Steps over the value whose first event was read. */
static void skip_value(struct undump *u, enum tn_json_event event)
{
    uint32_t open =
        event == TN_JSON_OBJECT_BEGIN || event == TN_JSON_ARRAY_BEGIN;

    while (open > 0 && is_going(u)) {
        event = tn_json_next(u->json);
        if (event == TN_JSON_OBJECT_BEGIN || event == TN_JSON_ARRAY_BEGIN)
            open++;
        else if (event == TN_JSON_OBJECT_END || event == TN_JSON_ARRAY_END)
            open--;
    }
}

/* The key was read; its value follows. */
static bool read_field(struct undump *u, const struct tn_fb_field *field,
                       uint64_t begin)
{
    enum tn_json_event  event = tn_json_next(u->json);
    struct value        value = { .field = field, .later = TN_NOWHERE };
    const struct value *kind  = NULL;

    if (event == TN_JSON_NULL)
        return true;
    if (is_union(&field->type)) {
        kind = find_value(u, begin, field - 1);
        if (kind && !read_union(u, event, kind, &value))
            return false;
        if (!kind) {
            value.later = u->json->offset;
            skip_value(u, event);
        }
    } else if (!read_value(u, event, &value)) {
        return false;
    }
    struct value *new = tn_list_push(&u->values, struct value, u->error);
    if (new)
        *new = value;
    return new != NULL;
}

static bool read_fields(struct undump *u, const struct tn_fb_object *type,
                        uint64_t begin)
{
    while (tn_json_next(u->json) == TN_JSON_KEY) {
        const struct tn_fb_field *field =
            tn_fb_object_field(type, u->json->text);
        if (!field) {
            tn_error_set(u->error, TN_MALFORMED, u->json->offset,
                         "%s has no field '%.*s'", type->name,
                         TN_FMT(u->json->text));
            return false;
        }
        if (find_value(u, begin, field))
            return refuse(u, "a key twice");
        if (!read_field(u, field, begin)) {
            tn_error_where(u->error, "%s", field->name);
            return false;
        }
    }
    return is_going(u);
}

/* ---- tables ----------------------------------------------------------- */

/* Reads a union that came before its type: goes back to its text. */
static bool read_late(struct undump *u, struct value *value, uint64_t begin)
{
    struct tn_json_reader *outer = u->json, inner;
    const struct value    *kind  = find_value(u, begin, value->field - 1);
    struct tn_span         text  = u->text;
    struct value           late  = *value;

    if (!kind) {
        tn_error_set(u->error, TN_MALFORMED, value->later,
                     "a union without its type, '%s'",
                     (value->field - 1)->name);
        return false;
    }
    struct value copy = *kind; /* the stack moves */
    text.length -= value->later - text.offset;
    text.offset             = value->later;
    struct tn_cursor cursor = tn_cursor_span(text, u->error);
    tn_json_open(&inner, &cursor, u->arena->memory);
    u->json = &inner;
    read_union(u, tn_json_next(&inner), &copy, &late);
    u->json = outer;
    tn_json_close(&inner);
    value = find_value(u, begin, late.field);
    if (value)
        *value = late;
    return is_going(u);
}

static bool read_all_late(struct undump *u, uint64_t begin)
{
    for (uint64_t i = begin; i < u->values.count && is_going(u); i++) {
        struct value *value = tn_list_at(&u->values, struct value, i);
        if (value->later != TN_NOWHERE && !read_late(u, value, begin)) {
            value = tn_list_at(&u->values, struct value, i);
            tn_error_where(u->error, "%s", value->field->name);
        }
    }
    return is_going(u);
}

static bool check_required(struct undump *u, const struct tn_fb_object *type,
                           uint64_t begin)
{
    for (uint32_t i = 0; type->has_required && i < type->count; i++)
        if (type->fields[i].is_required &&
            !find_value(u, begin, &type->fields[i])) {
            tn_error_set(u->error, TN_MALFORMED, u->json->offset,
                         "%s needs '%s'", type->name, type->fields[i].name);
            return false;
        }
    return true;
}

/* By slot, so that the order of the keys does not matter. */
static void add_values(struct undump *u, const struct tn_fb_object *type,
                       uint64_t begin)
{
    tn_fb_begin(u->build);
    for (uint32_t i = 0; u->values.count > begin && i < type->count; i++) {
        const struct value      *value = find_value(u, begin, &type->fields[i]);
        const struct tn_fb_type *kind  = &type->fields[i].type;
        if (!value)
            continue;
        if (value->ref)
            tn_fb_add_ref(u->build, (uint16_t)i, value->ref);
        else if (kind->base == TN_FB_OBJECT)
            tn_fb_add_struct(u->build, (uint16_t)i, value->bytes, kind->align);
        else if (!is_default(value->field, value->bits))
            tn_fb_add(u->build, (uint16_t)i, value->bits, kind->size);
    }
}

/* The brace was read.  0 after a failure. */
static uint32_t read_table(struct undump *u, const struct tn_fb_object *type)
{
    uint64_t begin = u->values.count;
    uint32_t ref   = 0;

    if (u->depth >= TN_FB_DEPTH_LIMIT) {
        tn_error_set(u->error, TN_LIMIT, u->json->offset,
                     "tables in tables, more than %d deep", TN_FB_DEPTH_LIMIT);
        return 0;
    }
    u->depth++;
    if (read_fields(u, type, begin) && read_all_late(u, begin) &&
        check_required(u, type, begin)) {
        add_values(u, type, begin);
        ref = tn_fb_end(u->build);
    }
    u->depth--;
    u->values.count = begin;
    return ref;
}

/* ---- the whole -------------------------------------------------------- */

static void read_root(struct undump *u, const struct tn_fb_object *type,
                      struct tn_rope *to)
{
    const char *identifier = type == u->schema->root && u->schema->identifier[0]
                                 ? u->schema->identifier
                                 : NULL;
    uint32_t    root       = read_child(u, tn_json_next(u->json), type);

    if (is_going(u) && tn_json_next(u->json) == TN_JSON_END && is_going(u))
        tn_fb_finish(u->build, root, identifier, to);
}

enum tn_status tn_fb_json_read(const struct tn_fb_schema *schema,
                               const struct tn_fb_object *root,
                               struct tn_span text, struct tn_rope *to,
                               struct tn_error *error)
{
    struct tn_memory     *memory = to->arena->memory;
    struct tn_cursor      cursor = tn_cursor_span(text, error);
    struct tn_fb_builder  build;
    struct tn_json_reader json;
    struct undump         u = { .schema = schema,
                                .build  = &build,
                                .json   = &json,
                                .arena  = to->arena,
                                .error  = error,
                                .text   = text };

    tn_list_init(&u.values, memory, sizeof(struct value));
    tn_list_init(&u.refs, memory, sizeof(uint32_t));
    tn_buffer_init(&u.bytes, memory, error);
    tn_fb_build_init(&build, to->arena, error);
    tn_json_open(&json, &cursor, memory);
    if (!tn_failed(error))
        read_root(&u, root, to);
    tn_json_close(&json);
    tn_fb_build_done(&build);
    tn_buffer_done(&u.bytes);
    tn_list_done(&u.refs);
    tn_list_done(&u.values);
    return error->status;
}
