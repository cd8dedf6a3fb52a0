/* fb.c - reading a FlatBuffer: tables, vectors and strings by slot */
#include "wire/fb/fb.h"

#include "base/arith.h"
#include "base/number.h"

/* A source that is not mapped is read in pages of this size. */
#define PAGE_SIZE UINT64_C(65536)

enum tn_status tn_fb_open(struct tn_fb *fb, struct tn_span span,
                          struct tn_arena *arena, struct tn_error *error)
{
    *fb = (struct tn_fb){ .span = span, .error = error };
    if (span.length < 8)
        return tn_error_set(error, TN_TRUNCATED, span.offset,
                            "%" PRIu64 " bytes are too few for a FlatBuffer",
                            span.length);
    if (span.length > TN_FB_SIZE_LIMIT)
        return tn_error_set(error, TN_LIMIT, span.offset,
                            "%" PRIu64 " bytes, a FlatBuffer has less than "
                            "2 GiB",
                            span.length);
    if (!tn_inside(span.offset, span.length, span.source->size))
        return tn_error_set(error, TN_TRUNCATED, span.source->size,
                            "the source ends inside the FlatBuffer");
    if (span.source->map) {
        fb->map = span.source->map + span.offset;
        return TN_OK;
    }
    uint64_t pages = (span.length + PAGE_SIZE - 1) / PAGE_SIZE;
    fb->pages      = tn_new(arena, const uint8_t *, pages, error);
    return error->status;
}

void tn_fb_prefer(struct tn_fb *fb, struct tn_bytes head)
{
    fb->head = head;
    fb->map  = NULL;
}

void tn_fb_view(struct tn_fb *fb, struct tn_source *source,
                struct tn_error *error)
{
    *fb = (struct tn_fb){ .span  = { source, 0, source->size },
                          .map   = source->map,
                          .error = error };
}

/* ---- bytes ------------------------------------------------------------ */

static const uint8_t *page_of(struct tn_fb *fb, uint64_t number)
{
    uint64_t at   = number * PAGE_SIZE;
    size_t   size = (size_t)tn_min(PAGE_SIZE, fb->span.length - at);

    if (!fb->pages[number])
        fb->pages[number] = tn_source_pin(fb->span.source, fb->span.offset + at,
                                          size, fb->error);
    return fb->pages[number];
}

/* Reads without a table of pages: in blocks that the source keeps for a
 * while. */
static const uint8_t *recent_bytes(struct tn_fb *fb, uint64_t at, uint64_t size)
{
    uint64_t       begin = at - at % PAGE_SIZE, got;
    const uint8_t *bytes =
        tn_source_window(fb->span.source, fb->span.offset + begin,
                         at - begin + size, PAGE_SIZE, &got, fb->error);

    return bytes ? bytes + (at - begin) : NULL;
}

const uint8_t *tn_fb_take_slowly(struct tn_fb *fb, uint64_t at, uint64_t size)
{
    if (tn_failed(fb->error))
        return NULL;
    if (!tn_inside(at, size, fb->span.length)) {
        tn_error_set(fb->error, TN_TRUNCATED, fb->span.offset + at,
                     "need %" PRIu64 " bytes, the FlatBuffer has %" PRIu64,
                     size, fb->span.length);
        return NULL;
    }
    if (tn_inside(at, size, fb->head.size))
        return fb->head.data + at;
    if (fb->span.source->map)
        return fb->span.source->map + fb->span.offset + at;
    if (!fb->pages)
        return recent_bytes(fb, at, size);
    uint64_t first = at / PAGE_SIZE;
    if (size > 0 && first != (at + size - 1) / PAGE_SIZE) /* across pages */
        return tn_source_pin(fb->span.source, fb->span.offset + at,
                             (size_t)size, fb->error);
    if (size == 0)
        return (const uint8_t *)"";
    const uint8_t *page = page_of(fb, first);
    return page ? page + at % PAGE_SIZE : NULL;
}

/* An integer of 1, 2, 4 or 8 bytes, zero-extended. */
static uint64_t load(struct tn_fb *fb, uint64_t at, unsigned size)
{
    const uint8_t *p = tn_fb_take(fb, at, size);

    if (!p)
        return 0;
    switch (size) {
    case 1: return p[0];
    case 2: return tn_load16(p);
    case 4: return tn_load32(p);
    default: return tn_load64(p);
    }
}

uint64_t tn_fb_follow(struct tn_fb *fb, uint64_t at)
{
    uint64_t distance = load(fb, at, 4);

    return distance ? at + distance : 0;
}

/* ---- tables ----------------------------------------------------------- */

bool tn_fb_has_identifier(struct tn_fb *fb, const char identifier[4])
{
    const uint8_t *p = tn_fb_take(fb, 4, 4);

    return p && !memcmp(p, identifier, 4);
}

struct tn_fb_table tn_fb_table_at(struct tn_fb *fb, uint64_t at)
{
    struct tn_fb_table none  = { 0 };
    const uint8_t     *p     = at ? tn_fb_take(fb, at, 4) : NULL;
    struct tn_fb_table table = { fb, at, 0, 0, 0 };

    if (!p)
        return none;
    int64_t vtable = (int64_t)at - (int32_t)tn_load32(p);
    p              = vtable < 0 ? NULL : tn_fb_take(fb, (uint64_t)vtable, 4);
    if (!p)
        return none;
    table.vtable      = (uint64_t)vtable;
    table.vtable_size = tn_load16(p);
    table.size        = tn_load16(p + 2);
    return table;
}

struct tn_fb_table tn_fb_root(struct tn_fb *fb)
{
    return tn_fb_table_at(fb, tn_fb_follow(fb, 0));
}

uint64_t tn_fb_field(const struct tn_fb_table *table, uint16_t slot)
{
    uint32_t entry = 4 + 2 * (uint32_t)slot;

    if (!table->fb || entry + 2 > table->vtable_size)
        return 0;
    uint64_t place = load(table->fb, table->vtable + entry, 2);
    return place ? table->at + place : 0;
}

/* A scalar of the table, in the low bits. */
static bool load_field(const struct tn_fb_table *table, uint16_t slot,
                       unsigned size, uint64_t *value)
{
    uint64_t at = tn_fb_field(table, slot);

    if (!at)
        return false;
    *value = load(table->fb, at, size);
    return true;
}

#define SCALAR(name, type)                                                     \
    type name(const struct tn_fb_table *table, uint16_t slot, type otherwise)  \
    {                                                                          \
        uint64_t value;                                                        \
                                                                               \
        return load_field(table, slot, sizeof(type), &value) ? (type)value     \
                                                             : otherwise;      \
    }

SCALAR(tn_fb_i8, int8_t)
SCALAR(tn_fb_u8, uint8_t)
SCALAR(tn_fb_u16, uint16_t)
SCALAR(tn_fb_i32, int32_t)
SCALAR(tn_fb_u32, uint32_t)
SCALAR(tn_fb_i64, int64_t)

bool tn_fb_bool(const struct tn_fb_table *table, uint16_t slot, bool otherwise)
{
    uint64_t value;

    return load_field(table, slot, 1, &value) ? value != 0 : otherwise;
}

double tn_fb_f64(const struct tn_fb_table *table, uint16_t slot,
                 double otherwise)
{
    uint64_t value;

    return load_field(table, slot, 8, &value) ? tn_double_of_bits(value)
                                              : otherwise;
}

/* What the field refers to; 0 when it is absent. */
static uint64_t follow_field(const struct tn_fb_table *table, uint16_t slot)
{
    uint64_t at = tn_fb_field(table, slot);

    return at ? tn_fb_follow(table->fb, at) : 0;
}

struct tn_bytes tn_fb_string(const struct tn_fb_table *table, uint16_t slot)
{
    return tn_fb_string_at(table->fb, follow_field(table, slot));
}

struct tn_fb_table tn_fb_child(const struct tn_fb_table *table, uint16_t slot)
{
    return tn_fb_table_at(table->fb, follow_field(table, slot));
}

static struct tn_fb_vector vector_at(struct tn_fb *fb, uint64_t at,
                                     uint32_t element)
{
    const uint8_t *p = at ? tn_fb_take(fb, at, 4) : NULL;

    if (!p)
        return (struct tn_fb_vector){ 0 };
    struct tn_fb_vector vector = { fb, at + 4, tn_load32(p), element };
    uint64_t            size   = (uint64_t)vector.count * element;
    if (tn_inside(vector.at, size, fb->span.length))
        return vector;
    tn_error_set(fb->error, TN_TRUNCATED, fb->span.offset + at,
                 "%" PRIu32 " elements of %" PRIu32 " bytes do not fit",
                 vector.count, element);
    return (struct tn_fb_vector){ 0 };
}

struct tn_fb_vector tn_fb_vector(const struct tn_fb_table *table, uint16_t slot,
                                 uint32_t element)
{
    return vector_at(table->fb, follow_field(table, slot), element);
}

/* ---- vectors and strings ---------------------------------------------- */

struct tn_bytes tn_fb_string_at(struct tn_fb *fb, uint64_t at)
{
    const uint8_t *p = at ? tn_fb_take(fb, at, 4) : NULL;

    if (!p)
        return tn_bytes(NULL, 0);
    uint32_t size = tn_load32(p);
    p             = tn_fb_take(fb, at + 4, (uint64_t)size + 1);
    return tn_bytes(p, p ? size : 0);
}

static uint64_t load_element(const struct tn_fb_vector *vector, uint32_t index,
                             unsigned size)
{
    if (index >= vector->count || vector->element < size)
        return 0;
    return load(vector->fb, vector->at + (uint64_t)index * vector->element,
                size);
}

int8_t tn_fb_vector_i8(const struct tn_fb_vector *vector, uint32_t index)
{
    return (int8_t)load_element(vector, index, 1);
}

uint8_t tn_fb_vector_u8(const struct tn_fb_vector *vector, uint32_t index)
{
    return (uint8_t)load_element(vector, index, 1);
}

int32_t tn_fb_vector_i32(const struct tn_fb_vector *vector, uint32_t index)
{
    return (int32_t)load_element(vector, index, 4);
}

int64_t tn_fb_vector_i64(const struct tn_fb_vector *vector, uint32_t index)
{
    return (int64_t)load_element(vector, index, 8);
}

double tn_fb_vector_f64(const struct tn_fb_vector *vector, uint32_t index)
{
    return tn_double_of_bits(load_element(vector, index, 8));
}

static uint64_t follow_element(const struct tn_fb_vector *vector,
                               uint32_t                   index)
{
    if (index >= vector->count)
        return 0;
    return tn_fb_follow(vector->fb, vector->at + (uint64_t)index * 4);
}

struct tn_bytes tn_fb_vector_string(const struct tn_fb_vector *vector,
                                    uint32_t                   index)
{
    return tn_fb_string_at(vector->fb, follow_element(vector, index));
}

struct tn_fb_table tn_fb_vector_table(const struct tn_fb_vector *vector,
                                      uint32_t                   index)
{
    uint64_t at = follow_element(vector, index);

    if (vector->fb && at == vector->fb->span.length)
        at = 0;
    return tn_fb_table_at(vector->fb, at);
}

struct tn_span tn_fb_vector_span(const struct tn_fb_vector *vector)
{
    if (!vector->fb)
        return (struct tn_span){ NULL, 0, 0 };
    return (struct tn_span){ vector->fb->span.source,
                             vector->fb->span.offset + vector->at,
                             (uint64_t)vector->count * vector->element };
}
