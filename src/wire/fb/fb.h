/*
 * fb.h - reading a FlatBuffer: tables, vectors and strings by slot
 *
 * Everything is little-endian; a position is a byte of the buffer.
 *
 *   buffer   u32 where the root table is, [4 bytes of identifier], the rest
 *   table    i32 back to its vtable (t - v), then its fields
 *   vtable   u16 own size in bytes, u16 size of the table, u16 per slot: where
 *            the field is in the table, 0 when it is absent
 *   string   u32 size, bytes, a zero byte
 *   vector   u32 count, elements; of strings, tables and vectors: u32 each
 *
 * A u32 that refers to something counts from its own position and only points
 * forward.  So there are no cycles, but two places may refer to the same
 * object.
 *
 * Call tn_fb_verify() (fb_verify.h) before you trust anything.  These functions
 * never read outside of the buffer: a position that does not exist reads as the
 * default and sets the buffer's error, which is sticky.  Nothing is copied, and
 * the bytes of a long vector are not read: see tn_fb_vector_span().
 */
#ifndef TN_WIRE_FB_H
#define TN_WIRE_FB_H

#include "base/cursor.h"
#include "base/memory.h"
#include "base/source.h"

/* Offsets have 31 significant bits. */
#define TN_FB_SIZE_LIMIT UINT64_C(0x7fffffff)

struct tn_fb {
    struct tn_span   span;  /* the buffer in its source                       */
    const uint8_t   *map;   /* all of it in memory, or NULL                   */
    struct tn_bytes  head;  /* otherwise its first bytes, which are in memory */
    const uint8_t  **pages; /* and what was read of it, by page               */
    struct tn_error *error; /* sticky; offsets are in the source              */
};

struct tn_fb_table {
    struct tn_fb *fb; /* NULL if there is no such table                       */
    uint64_t      at;
    uint64_t      vtable;
    uint16_t      vtable_size;
    uint16_t      size;
};

struct tn_fb_vector {
    struct tn_fb *fb; /* NULL: absent, and the count is 0                     */
    uint64_t      at; /* of the first element                                 */
    uint32_t      count;
    uint32_t      element; /* bytes of one                                    */
};

/* Over a range of a source, which must stay open.  A source that is not mapped
 * is read in pages that are kept until it is closed; the arena holds a table
 * of them.  Only the size is checked here. */
enum tn_status tn_fb_open(struct tn_fb *fb, struct tn_span span,
                          struct tn_arena *arena, struct tn_error *error);

/* Takes the first bytes of the buffer from `head`, which was read before and
 * outlives it, so that the pages of a mapping are not touched. */
void tn_fb_prefer(struct tn_fb *fb, struct tn_bytes head);

/* All of a source, to read at positions that are known from before: its size
 * has no limit, and nothing is checked or kept.  Never fails. */
void tn_fb_view(struct tn_fb *fb, struct tn_source *source,
                struct tn_error *error);

/* Whether the four bytes after the root's offset are these. */
bool tn_fb_has_identifier(struct tn_fb *fb, const char identifier[4]);

struct tn_fb_table tn_fb_root(struct tn_fb *fb);

/* ---- fields of a table ------------------------------------------------ */

/* The position of a field in the buffer; 0 if it is absent. */
uint64_t tn_fb_field(const struct tn_fb_table *table, uint16_t slot);

static inline bool tn_fb_has(const struct tn_fb_table *table, uint16_t slot)
{
    return tn_fb_field(table, slot) != 0;
}

/* Scalars; `otherwise` if the field is absent. */
bool tn_fb_bool(const struct tn_fb_table *table, uint16_t slot, bool otherwise);
int8_t   tn_fb_i8(const struct tn_fb_table *table, uint16_t slot,
                  int8_t otherwise);
uint8_t  tn_fb_u8(const struct tn_fb_table *table, uint16_t slot,
                  uint8_t otherwise);
uint16_t tn_fb_u16(const struct tn_fb_table *table, uint16_t slot,
                   uint16_t otherwise);
int32_t  tn_fb_i32(const struct tn_fb_table *table, uint16_t slot,
                   int32_t otherwise);
uint32_t tn_fb_u32(const struct tn_fb_table *table, uint16_t slot,
                   uint32_t otherwise);
int64_t  tn_fb_i64(const struct tn_fb_table *table, uint16_t slot,
                   int64_t otherwise);
double   tn_fb_f64(const struct tn_fb_table *table, uint16_t slot,
                   double otherwise);

/* .data is NULL if it is absent; else a zero byte follows it. */
struct tn_bytes tn_fb_string(const struct tn_fb_table *table, uint16_t slot);

/* .fb is NULL if it is absent. */
struct tn_fb_table tn_fb_child(const struct tn_fb_table *table, uint16_t slot);

/* `element` is the size of one: 4 for strings and tables. */
struct tn_fb_vector tn_fb_vector(const struct tn_fb_table *table, uint16_t slot,
                                 uint32_t element);

/* ---- elements of a vector; an index past the end reads as nothing ----- */

int8_t  tn_fb_vector_i8(const struct tn_fb_vector *vector, uint32_t index);
uint8_t tn_fb_vector_u8(const struct tn_fb_vector *vector, uint32_t index);
int32_t tn_fb_vector_i32(const struct tn_fb_vector *vector, uint32_t index);
int64_t tn_fb_vector_i64(const struct tn_fb_vector *vector, uint32_t index);
double  tn_fb_vector_f64(const struct tn_fb_vector *vector, uint32_t index);
struct tn_bytes tn_fb_vector_string(const struct tn_fb_vector *vector,
                                    uint32_t                   index);
/* .fb is NULL for an element that points at the very end of the buffer, which
 * is how one writer spells a null (fb_verify.h, allow_end_as_null). */
struct tn_fb_table tn_fb_vector_table(const struct tn_fb_vector *vector,
                                      uint32_t                   index);

/* Where the elements are in the source; they are not read. */
struct tn_span tn_fb_vector_span(const struct tn_fb_vector *vector);

/* ---- by position, for code that walks a schema --------------------------- */

/* Borrows bytes of the buffer; NULL, with the error set, if they are not inside
 * or cannot be read. */
const uint8_t *tn_fb_take_slowly(struct tn_fb *fb, uint64_t at, uint64_t size);

static inline const uint8_t *tn_fb_take(struct tn_fb *fb, uint64_t at,
                                        uint64_t size)
{
    uint64_t whole = fb->span.length;

    if (fb->map && at <= whole && size <= whole - at)
        return fb->map + at;
    return tn_fb_take_slowly(fb, at, size);
}

/* The position that the u32 at a position refers to; 0 if that is invalid. */
uint64_t           tn_fb_follow(struct tn_fb *fb, uint64_t at);
struct tn_fb_table tn_fb_table_at(struct tn_fb *fb, uint64_t at);
struct tn_bytes    tn_fb_string_at(struct tn_fb *fb, uint64_t at);

#endif
