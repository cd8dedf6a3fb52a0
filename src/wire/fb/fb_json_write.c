/* fb_json_write.c - any FlatBuffer as JSON, as flatc --strict-json prints it */
#include "wire/fb/fb_json_write.h"

#include <math.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "wire/fb/fb_verify.h"

/* The output may be this many times as long as the buffer. */
#define SHARING_LIMIT 64
#define FLUSH_SIZE    65536
#define SHARING_FREE  (UINT64_C(1) << 20)

struct dump {
    struct tn_fb         *fb;
    struct tn_json_writer json; /* into `out`, which is emptied now and then */
    struct tn_buffer      out;
    struct tn_sink       *to;
    struct tn_error      *error;
    struct tn_memory     *memory;
    uint64_t              left; /* bytes that may still be walked */
    uint32_t              depth;
    bool                  is_strict;
};

static void dump_table(struct dump *d, const struct tn_fb_table *table,
                       const struct tn_fb_object *type);

static bool is_going(const struct dump *d)
{
    return !tn_failed(d->error);
}

static void refuse(struct dump *d, uint64_t at, enum tn_status status,
                   const char *what)
{
    tn_error_set(d->error, status, d->fb->span.offset + at, "%s", what);
}

static void flush(struct dump *d, size_t limit)
{
    if (d->out.size < limit || !is_going(d))
        return;
    tn_sink_write(d->to, tn_buffer_bytes(&d->out), d->error);
    tn_buffer_clear(&d->out);
}

static void charge(struct dump *d, uint64_t at, uint64_t bytes)
{
    if (bytes > d->left)
        refuse(d, at, TN_LIMIT,
               "what is shared would make more than 64 times the buffer");
    else
        d->left -= bytes;
}

/* ---- scalars ---------------------------------------------------------- */

static void dump_real(struct dump *d, double value, bool is_float)
{
    char text[TN_NUMBER_ROOM];

    if (isnan(value)) {
        tn_json_text(&d->json, "nan");
    } else if (isinf(value)) {
        tn_json_text(&d->json, value > 0 ? "inf" : "-inf");
    } else if (is_float && value != 0) {
        unsigned size = tn_float_print_short(text, (float)value);
        tn_json_raw(&d->json, tn_bytes(text, size));
    } else {
        tn_json_put_double(&d->json, value);
    }
}

/* Sign-extended, as the names of an enum are kept. */
static int64_t signed_value(enum tn_fb_base base, uint64_t bits)
{
    switch (base) {
    case TN_FB_I8: return (int8_t)bits;
    case TN_FB_I16: return (int16_t)bits;
    case TN_FB_I32: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

static void dump_whole(struct dump *d, enum tn_fb_base base, uint64_t bits)
{
    if (base == TN_FB_BOOL && bits <= 1)
        tn_json_bool(&d->json, bits != 0);
    else if (base == TN_FB_U64)
        tn_json_put_uint64(&d->json, bits);
    else
        tn_json_put_int64(&d->json, signed_value(base, bits));
}

/* Names of all the bits, or false when one has none. */
static bool dump_flags(struct dump *d, const struct tn_fb_enum *names,
                       uint64_t bits)
{
    uint64_t known = 0;

    for (uint32_t i = 0; i < names->count; i++)
        known |= (uint64_t)names->names[i].value;
    if (bits == 0 || (bits & ~known))
        return false;
    tn_json_string_begin(&d->json);
    for (uint32_t i = 0; i < names->count; i++) {
        uint64_t flag = (uint64_t)names->names[i].value;
        if (!(bits & flag))
            continue;
        tn_json_string_piece(&d->json, tn_text(names->names[i].name));
        bits &= ~flag;
        if (bits)
            tn_json_string_piece(&d->json, tn_text(" "));
    }
    tn_json_string_end(&d->json);
    return true;
}

static void dump_scalar(struct dump *d, enum tn_fb_base base,
                        const struct tn_fb_enum *names, uint64_t bits)
{
    const struct tn_fb_name *name = NULL;

    if (base == TN_FB_F32) {
        dump_real(d, (double)tn_float_of_bits((uint32_t)bits), true);
        return;
    }
    if (base == TN_FB_F64) {
        dump_real(d, tn_double_of_bits(bits), false);
        return;
    }
    if (names && names->is_flags && dump_flags(d, names, bits))
        return;
    if (names && !names->is_flags)
        name = tn_fb_enum_name(names, signed_value(base, bits));
    if (name)
        tn_json_text(&d->json, name->name);
    else
        dump_whole(d, base, bits);
}

/* ---- strings and structs ---------------------------------------------- */

static void dump_string(struct dump *d, uint64_t at)
{
    struct tn_bytes text = tn_fb_string_at(d->fb, at);

    charge(d, at, text.size);
    if (d->is_strict && !tn_utf8_is_valid(text))
        refuse(d, at, TN_UNSUPPORTED,
               "a string that is not UTF-8 could not be restored");
    if (is_going(d))
        tn_json_string(&d->json, text);
}

/* Depth and sizes are what the schema was checked for. */
static void dump_struct(struct dump *d, const uint8_t *bytes,
                        const struct tn_fb_object *type);

static void dump_inline(struct dump *d, const uint8_t *bytes,
                        const struct tn_fb_type *type, enum tn_fb_base base)
{
    if (base == TN_FB_OBJECT)
        dump_struct(d, bytes, type->object);
    else
        dump_scalar(d, base, type->names,
                    tn_load_little(bytes, tn_fb_scalar_size(base)));
}

static void dump_array(struct dump *d, const uint8_t *bytes,
                       const struct tn_fb_type *type)
{
    uint32_t step = type->size / type->length;

    tn_json_array_begin(&d->json);
    for (uint32_t i = 0; i < type->length && is_going(d); i++)
        dump_inline(d, bytes + (size_t)i * step, type, type->element);
    tn_json_array_end(&d->json);
}

static void dump_struct(struct dump *d, const uint8_t *bytes,
                        const struct tn_fb_object *type)
{
    tn_json_object_begin(&d->json);
    for (uint32_t i = 0; i < type->count && is_going(d); i++) {
        const struct tn_fb_field *field = &type->fields[i];
        tn_json_key(&d->json, field->name);
        if (field->type.base == TN_FB_ARRAY)
            dump_array(d, bytes + field->offset, &field->type);
        else
            dump_inline(d, bytes + field->offset, &field->type,
                        field->type.base);
    }
    tn_json_object_end(&d->json);
}

/* ---- vectors ---------------------------------------------------------- */

/* Elements that need no reference, in windows: the vector may be weights. */
static void dump_elements(struct dump *d, const struct tn_fb_vector *vector,
                          const struct tn_fb_type *type)
{
    uint8_t        small[4096];
    uint64_t       window = sizeof small / vector->element;
    struct tn_span span   = tn_fb_vector_span(vector);

    for (uint64_t i = 0; i < vector->count && is_going(d); i += window) {
        uint64_t count = tn_min(window, vector->count - i);
        if (tn_source_read(span.source, span.offset + i * vector->element,
                           small, (size_t)(count * vector->element),
                           d->error) != TN_OK)
            return;
        for (uint64_t k = 0; k < count && is_going(d); k++)
            dump_inline(d, small + k * vector->element, type, type->element);
        flush(d, FLUSH_SIZE);
    }
}

/* Prints structs that are longer than a window. */
static void dump_large_structs(struct dump               *d,
                               const struct tn_fb_vector *vector,
                               const struct tn_fb_object *type)
{
    for (uint32_t i = 0; i < vector->count && is_going(d); i++) {
        const uint8_t *bytes = tn_fb_take(
            d->fb, vector->at + (uint64_t)i * vector->element, vector->element);
        if (bytes)
            dump_struct(d, bytes, type);
    }
}

static void dump_tables(struct dump *d, const struct tn_fb_vector *vector,
                        const struct tn_fb_object *type)
{
    for (uint32_t i = 0; i < vector->count && is_going(d); i++) {
        struct tn_fb_table table = tn_fb_vector_table(vector, i);
        if (table.fb)
            dump_table(d, &table, type);
        else if (is_going(d))
            tn_json_null(&d->json);
        tn_error_where(d->error, "[%" PRIu32 "]", i);
    }
}

static void dump_strings(struct dump *d, const struct tn_fb_vector *vector)
{
    for (uint32_t i = 0; i < vector->count && is_going(d); i++) {
        dump_string(d, tn_fb_follow(d->fb, vector->at + (uint64_t)i * 4));
        tn_error_where(d->error, "[%" PRIu32 "]", i);
    }
}

/* A member that the schema does not know is null. */
static void dump_member(struct dump *d, uint64_t from, uint8_t which,
                        const struct tn_fb_enum *members)
{
    const struct tn_fb_name *member = tn_fb_enum_name(members, which);

    if (!member || member->type.base == TN_FB_NONE) {
        if (d->is_strict && which != 0)
            refuse(d, from, TN_UNSUPPORTED,
                   "a member of a union that the schema does not know");
        tn_json_null(&d->json);
        return;
    }
    uint64_t at = tn_fb_follow(d->fb, from);
    if (member->type.base == TN_FB_STRING) {
        dump_string(d, at);
    } else if (member->type.object->is_struct) {
        const uint8_t *bytes = tn_fb_take(d->fb, at, member->type.object->size);
        if (bytes)
            dump_struct(d, bytes, member->type.object);
    } else {
        struct tn_fb_table table = tn_fb_table_at(d->fb, at);
        dump_table(d, &table, member->type.object);
    }
}

static void dump_members(struct dump *d, const struct tn_fb_vector *vector,
                         const struct tn_fb_vector *types,
                         const struct tn_fb_enum   *members)
{
    for (uint32_t i = 0; i < vector->count && is_going(d); i++) {
        dump_member(d, vector->at + (uint64_t)i * 4, tn_fb_vector_u8(types, i),
                    members);
        tn_error_where(d->error, "[%" PRIu32 "]", i);
    }
}

static void dump_vector(struct dump *d, const struct tn_fb_table *table,
                        uint16_t slot, const struct tn_fb_type *type)
{
    struct tn_fb_vector vector = tn_fb_vector(table, slot, type->size);
    struct tn_fb_vector types  = { 0 };

    charge(d, vector.at, (uint64_t)vector.count * type->size);
    tn_json_array_begin(&d->json);
    if (type->element == TN_FB_STRING) {
        dump_strings(d, &vector);
    } else if (type->element == TN_FB_UNION) {
        types = tn_fb_vector(table, (uint16_t)(slot - 1), 1);
        dump_members(d, &vector, &types, type->names);
    } else if (type->element == TN_FB_OBJECT && !type->object->is_struct) {
        dump_tables(d, &vector, type->object);
    } else if (type->size > 4096) {
        dump_large_structs(d, &vector, type->object);
    } else {
        dump_elements(d, &vector, type);
    }
    tn_json_array_end(&d->json);
}

/* ---- tables ----------------------------------------------------------- */

static void dump_nested(struct dump *d, const struct tn_fb_table *table,
                        uint16_t slot, const struct tn_fb_object *type)
{
    struct tn_fb_vector bytes = tn_fb_vector(table, slot, 1);
    struct tn_fb       *outer = d->fb;
    struct tn_arena     arena;
    struct tn_fb        inner;

    charge(d, bytes.at, bytes.count);
    tn_arena_init(&arena, d->memory);
    if (is_going(d) && tn_fb_open(&inner, tn_fb_vector_span(&bytes), &arena,
                                  d->error) == TN_OK) {
        struct tn_fb_table root = tn_fb_root(&inner);
        d->fb                   = &inner;
        dump_table(d, &root, type);
        d->fb = outer;
    }
    tn_arena_done(&arena);
}

static void dump_field(struct dump *d, const struct tn_fb_table *table,
                       uint16_t slot, const struct tn_fb_field *field)
{
    const struct tn_fb_type *type = &field->type;
    uint64_t                 at   = tn_fb_field(table, slot);
    struct tn_fb_table       child;

    if (field->nested) {
        dump_nested(d, table, slot, field->nested);
    } else if (type->base == TN_FB_STRING) {
        dump_string(d, tn_fb_follow(d->fb, at));
    } else if (type->base == TN_FB_VECTOR) {
        dump_vector(d, table, slot, type);
    } else if (type->base == TN_FB_UNION) {
        dump_member(d, at, tn_fb_u8(table, (uint16_t)(slot - 1), 0),
                    type->names);
    } else if (type->base == TN_FB_OBJECT && !type->object->is_struct) {
        child = tn_fb_child(table, slot);
        dump_table(d, &child, type->object);
    } else {
        const uint8_t *bytes = tn_fb_take(d->fb, at, type->size);
        if (bytes)
            dump_inline(d, bytes, type, type->base);
    }
}

/* Slots that are filled and have no field. */
static void check_unknown(struct dump *d, const struct tn_fb_table *table,
                          const struct tn_fb_object *type)
{
    uint32_t slots = (table->vtable_size - 4u) / 2u;

    for (uint32_t i = 0; i < slots && is_going(d); i++)
        if ((i >= type->count || !type->fields[i].name) &&
            tn_fb_has(table, (uint16_t)i))
            refuse(d, table->at, TN_UNSUPPORTED,
                   "a field that is not in the schema could not be restored");
}

static void dump_table(struct dump *d, const struct tn_fb_table *table,
                       const struct tn_fb_object *type)
{
    charge(d, table->at, table->size);
    if (d->depth >= TN_FB_DEPTH_LIMIT)
        refuse(d, table->at, TN_LIMIT, "tables in tables, more than 64 deep");
    if (d->is_strict)
        check_unknown(d, table, type);
    if (!is_going(d))
        return;
    d->depth++;
    tn_json_object_begin(&d->json);
    for (uint32_t i = 0; i < type->count && is_going(d); i++) {
        const struct tn_fb_field *field = &type->fields[i];
        if (!field->name || !tn_fb_has(table, (uint16_t)i))
            continue;
        tn_json_key(&d->json, field->name);
        dump_field(d, table, (uint16_t)i, field);
        tn_error_where(d->error, "%s", field->name);
    }
    tn_json_object_end(&d->json);
    flush(d, FLUSH_SIZE);
    d->depth--;
}

enum tn_status tn_fb_json_write(struct tn_fb                    *fb,
                                const struct tn_fb_object       *root,
                                const struct tn_fb_json_options *options,
                                struct tn_sink *to, struct tn_memory *memory)
{
    struct tn_fb_table table = tn_fb_root(fb);
    struct dump        d     = {
                   .fb        = fb,
                   .error     = fb->error,
                   .memory    = memory,
                   .to        = to,
                   .left      = fb->span.length * SHARING_LIMIT + SHARING_FREE,
                   .is_strict = options->is_strict,
    };

    tn_buffer_init(&d.out, memory, fb->error);
    tn_json_writer_init(&d.json, &d.out.sink, options->is_pretty, fb->error);
    if (table.fb)
        dump_table(&d, &table, root);
    tn_buffer_byte(&d.out, '\n');
    flush(&d, 0);
    tn_buffer_done(&d.out);
    return fb->error->status;
}
