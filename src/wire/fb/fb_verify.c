/*
 * fb_verify.c - verifies that a buffer is a FlatBuffer of a type
 *
 * A walk from the root, one call a table.  `work` is the sum of the bytes of
 * the tables and of the vectors of references that were walked.  Without
 * sharing that is at most the size of the buffer; from there on, what was
 * walked is remembered and not walked again.  Sharing then costs nothing, so
 * work far beyond the size means objects that overlap, which no builder makes
 * and which could make the walk quadratic.
 */
#include "wire/fb/fb_verify.h"

#include "base/arith.h"
#include "base/mix.h"

/* A buffer may seem to have this many times its size. */
#define OVERLAP_LIMIT 8

/* Open addressing; 0 is an empty place, and no key. */
struct seen {
    uint64_t *keys;
    uint64_t  room; /* a power of two, or 0 */
    uint64_t  count;
};

struct verifier {
    struct tn_fb          *fb;
    uint64_t               size;
    uint64_t               work;
    uint64_t               seed; /* of the set's hash */
    uint32_t               depth;
    uint32_t               depth_limit;
    bool                   allow_end_as_null;
    struct seen            seen;
    struct tn_memory      *memory;
    struct tn_fb_verified *found;
};

/* A place where something is wrong. */
#define REFUSE(v, at, status, ...)                                             \
    (tn_error_set((v)->fb->error, (status), (v)->fb->span.offset + (at),       \
                  __VA_ARGS__),                                                \
     false)

static bool verify_table(struct verifier *v, uint64_t at,
                         const struct tn_fb_object *type);
static bool verify_buffer(struct tn_fb *fb, const struct tn_fb_object *root,
                          const struct verifier *like, uint32_t depth);

/* ---- what was walked -------------------------------------------------- */

static uint64_t place_of(const struct verifier *v, uint64_t key, uint64_t room)
{
    return tn_mix(key ^ v->seed, UINT64_C(0x9fb21c651e98df25)) & (room - 1);
}

static bool grow_seen(struct verifier *v)
{
    struct seen *old = &v->seen;
    struct seen new  = { NULL, old->room ? old->room * 2 : 1024, old->count };
    uint64_t size    = new.room * sizeof *new.keys;

    new.keys = tn_memory_resize(v->memory, NULL, 0, size, v->fb->error);
    if (!new.keys)
        return false;
    memset(new.keys, 0, (size_t)size);
    for (uint64_t i = 0; i < old->room; i++) {
        if (!old->keys[i])
            continue;
        uint64_t at = place_of(v, old->keys[i], new.room);
        while (new.keys[at])
            at = (at + 1) & (new.room - 1);
        new.keys[at] = old->keys[i];
    }
    tn_memory_free(v->memory, old->keys, old->room * sizeof *old->keys);
    *old = new;
    return true;
}

/* Whether an object was walked as `kind` before.  From now on it counts as
 * walked. */
static bool was_seen(struct verifier *v, uint64_t at, uint64_t kind)
{
    uint64_t key = at << 32 | (kind + 1);

    if (v->seen.count >= v->seen.room / 2 && !grow_seen(v))
        return true; /* out of memory: the error is set, and the walk ends */
    uint64_t i = place_of(v, key, v->seen.room);
    for (; v->seen.keys[i]; i = (i + 1) & (v->seen.room - 1))
        if (v->seen.keys[i] == key)
            return true;
    v->seen.keys[i] = key;
    v->seen.count++;
    return false;
}

/* What a place was walked as: a table of a type, a vector of such tables, a
 * buffer with such a root, a vector of strings. */
static uint64_t table_kind(const struct tn_fb_object *type)
{
    return 4 * (uint64_t)type->index;
}

static uint64_t vector_kind(const struct tn_fb_type *type)
{
    return type->object ? table_kind(type->object) + 1 : 3;
}

static uint64_t nested_kind(const struct tn_fb_object *type)
{
    return table_kind(type) + 2;
}

/* Before walking `bytes`. */
static inline bool charge(struct verifier *v, uint64_t at, uint64_t bytes)
{
    v->work += bytes;
    if (v->work / OVERLAP_LIMIT <= v->size)
        return true;
    return REFUSE(v, at, TN_MALFORMED,
                  "the objects of these %" PRIu64
                  " bytes overlap: they come to more than %d times as much",
                  v->size, OVERLAP_LIMIT);
}

/* The same; false also when they were walked before. */
static inline bool should_walk(struct verifier *v, uint64_t at, uint64_t kind,
                               uint64_t bytes)
{
    if (v->work > v->size && was_seen(v, at, kind))
        return false;
    return charge(v, at, bytes);
}

/* Whether the walk may stop here. */
static bool is_fine(const struct verifier *v)
{
    return !tn_failed(v->fb->error);
}

/* ---- references, strings, vectors ------------------------------------- */

static bool beyond_end(struct verifier *v, uint64_t at, const char *what,
                       uint64_t size)
{
    return REFUSE(v, at, TN_TRUNCATED,
                  "%s of %" PRIu64 " bytes, the FlatBuffer has %" PRIu64, what,
                  size, v->size);
}

/* The u32 at `at`, whose place has been checked, to an object of at least four
 * bytes. */
static inline bool follow(struct verifier *v, uint64_t at, uint64_t *target)
{
    const uint8_t *p = tn_fb_take(v->fb, at, 4);

    if (!p)
        return false;
    uint32_t distance = tn_load32(p);
    if (distance == 0 || distance > TN_FB_SIZE_LIMIT)
        return REFUSE(v, at, TN_MALFORMED, "a reference by %" PRIu32 " bytes",
                      distance);
    *target = at + distance;
    if (*target % 4 != 0)
        return REFUSE(v, at, TN_MALFORMED,
                      "a reference to byte %" PRIu64 ", which is not aligned",
                      *target);
    if (!tn_inside(*target, 4, v->size))
        return REFUSE(v, at, TN_TRUNCATED,
                      "a reference to byte %" PRIu64 " of %" PRIu64, *target,
                      v->size);
    return true;
}

/* The count of a vector whose elements fit and are aligned. */
static inline bool verify_elements(struct verifier *v, uint64_t at,
                                   uint32_t size, uint32_t align,
                                   uint32_t *count)
{
    const uint8_t *p = tn_fb_take(v->fb, at, 4);

    if (!p)
        return false;
    *count         = tn_load32(p);
    uint64_t bytes = (uint64_t)*count * size;
    if (!tn_inside(at + 4, bytes, v->size))
        return beyond_end(v, at, "a vector", bytes);
    if (*count > 0 && ((at + 4) & (align - 1)) != 0)
        return REFUSE(v, at, TN_MALFORMED,
                      "elements at byte %" PRIu64 ", not aligned to %" PRIu32,
                      at + 4, align);
    return true;
}

static inline bool verify_string(struct verifier *v, uint64_t at)
{
    uint32_t size;

    if (!verify_elements(v, at, 1, 1, &size))
        return false;
    if (!tn_inside(at + 4, (uint64_t)size + 1, v->size))
        return beyond_end(v, at, "a string", (uint64_t)size + 1);
    const uint8_t *end = tn_fb_take(v->fb, at + 4 + size, 1);
    if (!end)
        return false;
    if (*end != 0)
        return REFUSE(v, at + 4 + size, TN_MALFORMED,
                      "a string ends with 0x%02x instead of 0", *end);
    return true;
}

static bool is_end_null(const struct verifier *v, uint64_t at)
{
    const uint8_t *p = tn_fb_take(v->fb, at, 4);

    if (!v->allow_end_as_null || !p || at + tn_load32(p) != v->size)
        return false;
    if (v->found->nulls++ == 0)
        v->found->null_where = v->fb->span.offset + at;
    return true;
}

static bool verify_references(struct verifier *v, uint64_t at, uint32_t count,
                              const struct tn_fb_type *type)
{
    uint64_t target;

    if (!should_walk(v, at, vector_kind(type), 4 + (uint64_t)count * 4))
        return is_fine(v);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = at + 4 + (uint64_t)i * 4;
        if (type->object && is_end_null(v, from))
            continue;
        if (follow(v, from, &target) &&
            (type->object ? verify_table(v, target, type->object)
                          : verify_string(v, target)))
            continue;
        tn_error_where(v->fb->error, "[%" PRIu32 "]", i);
        return false;
    }
    return true;
}

/* ---- unions ----------------------------------------------------------- */

/* A member that the schema does not know is only known to be inside. */
static bool verify_member(struct verifier *v, uint64_t at, uint8_t which,
                          const struct tn_fb_enum *members)
{
    const struct tn_fb_name *member = tn_fb_enum_name(members, which);

    if (!member || member->type.base == TN_FB_NONE)
        return true;
    if (member->type.base == TN_FB_STRING)
        return verify_string(v, at);
    const struct tn_fb_object *type = member->type.object;
    if (!type->is_struct)
        return verify_table(v, at, type);
    if ((at & (type->align - 1)) != 0 || !tn_inside(at, type->size, v->size))
        return REFUSE(v, at, TN_MALFORMED,
                      "a struct of %" PRIu32 " bytes does not fit", type->size);
    return true;
}

static bool verify_union(struct verifier *v, const struct tn_fb_table *table,
                         uint16_t slot, uint64_t at,
                         const struct tn_fb_field *field)
{
    uint8_t  which = tn_fb_u8(table, (uint16_t)(slot - 1), 0);
    uint64_t target;

    if (which == 0)
        return REFUSE(v, at, TN_MALFORMED, "a member, and no type for it");
    return follow(v, at, &target) &&
           verify_member(v, target, which, field->type.names);
}

/* The types are a vector of their own, in the slot before, and verified.  The
 * members mean nothing without it, so the walk is not remembered. */
static bool verify_unions(struct verifier *v, const struct tn_fb_table *table,
                          uint16_t slot, uint64_t at, uint32_t count,
                          const struct tn_fb_field *field)
{
    struct tn_fb_vector types = tn_fb_vector(table, (uint16_t)(slot - 1), 1);
    uint64_t            target;

    if (types.count != count)
        return REFUSE(v, at, TN_MALFORMED,
                      "%" PRIu32 " members, %" PRIu32 " types", count,
                      types.count);
    if (!charge(v, at, 4 + (uint64_t)count * 4))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t which = tn_fb_vector_u8(&types, i);
        if (which == 0 || (follow(v, at + 4 + (uint64_t)i * 4, &target) &&
                           verify_member(v, target, which, field->type.names)))
            continue;
        tn_error_where(v->fb->error, "[%" PRIu32 "]", i);
        return false;
    }
    return true;
}

/* ---- fields ----------------------------------------------------------- */

/* Bytes that are a buffer themselves; its alignment is its own. */
static bool verify_nested(struct verifier *v, uint64_t at, uint32_t size,
                          const struct tn_fb_object *type)
{
    struct tn_span  span = { v->fb->span.source, v->fb->span.offset + at + 4,
                             size };
    struct tn_arena arena;
    struct tn_fb    nested;

    if (!should_walk(v, at, nested_kind(type), size))
        return is_fine(v);
    tn_arena_init(&arena, v->memory);
    bool is_good = tn_fb_open(&nested, span, &arena, v->fb->error) == TN_OK &&
                   verify_buffer(&nested, type, v, v->depth);
    tn_arena_done(&arena);
    return is_good;
}

static bool verify_vector(struct verifier *v, const struct tn_fb_table *table,
                          uint16_t slot, uint64_t at,
                          const struct tn_fb_field *field)
{
    const struct tn_fb_type *type = &field->type;
    uint32_t                 count;

    if (!verify_elements(v, at, type->size, type->align, &count))
        return false;
    switch (type->element) {
    case TN_FB_STRING: return verify_references(v, at, count, type);
    case TN_FB_OBJECT:
        return type->object->is_struct || verify_references(v, at, count, type);
    case TN_FB_UNION: return verify_unions(v, table, slot, at, count, field);
    default:
        return !field->nested || verify_nested(v, at, count, field->nested);
    }
}

static bool verify_reference(struct verifier          *v,
                             const struct tn_fb_table *table, uint16_t slot,
                             uint64_t at, const struct tn_fb_field *field)
{
    uint64_t target;

    if (field->type.base == TN_FB_UNION)
        return verify_union(v, table, slot, at, field);
    if (!follow(v, at, &target))
        return false;
    switch (field->type.base) {
    case TN_FB_STRING: return verify_string(v, target);
    case TN_FB_VECTOR: return verify_vector(v, table, slot, target, field);
    default: return verify_table(v, target, field->type.object);
    }
}

/* Inline values are done when they are inside and aligned. */
static inline bool is_reference(const struct tn_fb_type *type)
{
    return type->base >= TN_FB_STRING &&
           !(type->base == TN_FB_OBJECT && type->object->is_struct);
}

static inline bool verify_field(struct verifier          *v,
                                const struct tn_fb_table *table, uint16_t slot,
                                uint16_t place, const struct tn_fb_field *field)
{
    const struct tn_fb_type *type   = &field->type;
    bool                     refers = is_reference(type);
    uint32_t                 size   = refers ? 4 : type->size;
    uint32_t                 align  = refers ? 4 : type->align;
    uint64_t                 at     = table->at + place;

    if (place < 4 || !tn_inside(place, size, table->size))
        return REFUSE(v, table->vtable + 4 + 2 * (uint64_t)slot, TN_MALFORMED,
                      "a field of %" PRIu32 " bytes at %" PRIu16
                      " in a table of %" PRIu16,
                      size, place, table->size);
    if ((at & (align - 1)) != 0)
        return REFUSE(v, at, TN_MALFORMED,
                      "a field at byte %" PRIu64 ", not aligned to %" PRIu32,
                      at, align);
    return !refers || verify_reference(v, table, slot, at, field);
}

/* ---- tables ----------------------------------------------------------- */

/* The table and its vtable are whole. */
static inline bool verify_head(struct verifier *v, struct tn_fb_table *table)
{
    const uint8_t *p = tn_fb_take(v->fb, table->at, 4);

    if (!p)
        return false;
    int64_t vtable = (int64_t)table->at - (int32_t)tn_load32(p);
    if (vtable < 0 || vtable % 2 != 0 ||
        !tn_inside((uint64_t)vtable, 4, v->size))
        return REFUSE(v, table->at, TN_MALFORMED,
                      "a vtable at byte %" PRId64 " of %" PRIu64, vtable,
                      v->size);
    table->vtable = (uint64_t)vtable;
    p             = tn_fb_take(v->fb, table->vtable, 4);
    if (!p)
        return false;
    table->vtable_size = tn_load16(p);
    table->size        = tn_load16(p + 2);
    if (table->vtable_size < 4 || table->vtable_size % 2 != 0 ||
        !tn_inside(table->vtable, table->vtable_size, v->size))
        return REFUSE(v, table->vtable, TN_MALFORMED,
                      "a vtable of %" PRIu16 " bytes", table->vtable_size);
    if (table->size < 4 || !tn_inside(table->at, table->size, v->size))
        return REFUSE(v, table->vtable + 2, TN_MALFORMED,
                      "a table of %" PRIu16 " bytes at byte %" PRIu64
                      " of %" PRIu64,
                      table->size, table->at, v->size);
    return true;
}

static bool verify_required(struct verifier *v, const struct tn_fb_table *table,
                            const struct tn_fb_object *type)
{
    for (uint32_t i = 0; i < type->count; i++)
        if (type->fields[i].is_required && !tn_fb_has(table, (uint16_t)i))
            return REFUSE(v, table->at, TN_MALFORMED,
                          "the required field '%s' is absent",
                          type->fields[i].name);
    return true;
}

/* By slot: a vtable often has far fewer than the type. */
static bool verify_fields(struct verifier *v, const struct tn_fb_table *table,
                          const struct tn_fb_object *type)
{
    uint32_t       slots   = (table->vtable_size - 4u) / 2u;
    uint32_t       count   = slots < type->count ? slots : type->count;
    const uint8_t *entries = tn_fb_take(v->fb, table->vtable + 4, 2u * count);

    for (uint32_t i = 0; entries && i < count; i++) {
        uint16_t                  place = tn_load16(entries + 2 * (size_t)i);
        const struct tn_fb_field *field = &type->fields[i];
        if (place == 0 || !field->name)
            continue;
        if (verify_field(v, table, (uint16_t)i, place, field))
            continue;
        tn_error_where(v->fb->error, "%s", field->name);
        return false;
    }
    return entries && (!type->has_required || verify_required(v, table, type));
}

static bool verify_table(struct verifier *v, uint64_t at,
                         const struct tn_fb_object *type)
{
    struct tn_fb_table table = { v->fb, at, 0, 0, 0 };

    if (!verify_head(v, &table))
        return false;
    if (!should_walk(v, at, table_kind(type), table.size))
        return is_fine(v);
    if (v->depth >= v->depth_limit)
        return REFUSE(v, at, TN_LIMIT,
                      "tables in tables, more than %" PRIu32 " deep",
                      v->depth_limit);
    v->depth++;
    bool is_good = verify_fields(v, &table, type);
    v->depth--;
    return is_good;
}

static bool verify_buffer(struct tn_fb *fb, const struct tn_fb_object *root,
                          const struct verifier *like, uint32_t depth)
{
    struct verifier v = *like;
    uint64_t        at;

    v.fb         = fb;
    v.size       = fb->span.length;
    v.work       = 0;
    v.depth      = depth;
    v.seen       = (struct seen){ 0 };
    v.seed       = tn_mix_seed(fb);
    bool is_good = follow(&v, 0, &at) && verify_table(&v, at, root);
    tn_memory_free(v.memory, v.seen.keys, v.seen.room * sizeof *v.seen.keys);
    return is_good;
}

enum tn_status tn_fb_verify(struct tn_fb *fb, const struct tn_fb_object *root,
                            const struct tn_fb_verify_options *options,
                            struct tn_fb_verified             *found,
                            struct tn_memory                  *memory)
{
    static const struct tn_fb_verify_options usual;
    struct tn_fb_verified                    ignored = { 0 };
    const struct tn_fb_verify_options       *how = options ? options : &usual;

    if (found)
        *found = ignored;
    struct verifier v = {
        .depth_limit = how->depth_limit ? how->depth_limit : TN_FB_DEPTH_LIMIT,
        .allow_end_as_null = how->allow_end_as_null,
        .memory            = memory,
        .found             = found ? found : &ignored,
    };
    if (!tn_failed(fb->error))
        verify_buffer(fb, root, &v, 0);
    return fb->error->status;
}
