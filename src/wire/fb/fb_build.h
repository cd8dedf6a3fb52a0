/*
 * fb_build.h - building a FlatBuffer, weights by reference
 *
 * Children come first: strings, vectors and tables return a reference, which is
 * then added to the table or vector that contains them.  One table is open at a
 * time.
 *
 *   tn_fb_build_init(&b, &arena, &error);
 *   uint32_t name = tn_fb_put_string(&b, tn_text("w"));
 *   uint32_t data = tn_fb_put_span(&b, weights, 1, 64);
 *   tn_fb_begin(&b);
 *   tn_fb_add_ref(&b, 1, name);
 *   tn_fb_add_i8(&b, 2, dtype, 0);
 *   tn_fb_add_ref(&b, 4, data);
 *   tn_fb_finish(&b, tn_fb_end(&b), "SDAR", &rope);
 *
 * The buffer grows from its end to its beginning.  Small parts are written into
 * the arena; long ones stay where they are until the rope is written.  The same
 * calls give the same bytes.  Equal vtables are stored once.
 *
 * Sticky: after a failure every call does nothing and returns 0.
 */
#ifndef TN_WIRE_FB_BUILD_H
#define TN_WIRE_FB_BUILD_H

#include "base/number.h"
#include "base/rope.h"

struct tn_fb_vtables; /* those that are written already */
struct tn_fb_layouts; /* of the tables that were made last */

/* A field of the table that is open. */
enum tn_fb_pending_kind {
    TN_FB_PENDING_SCALAR,
    TN_FB_PENDING_REF,
    TN_FB_PENDING_STRUCT
};

struct tn_fb_pending {
    uint64_t shape; /* tn_fb_shape()                                          */
    union {
        uint64_t       bits;  /* of a scalar, or what it refers to            */
        const uint8_t *bytes; /* of a struct                                  */
    };
};

static inline uint64_t tn_fb_shape(uint16_t slot, uint32_t size, uint32_t align,
                                   enum tn_fb_pending_kind kind)
{
    return (uint64_t)kind << 48 | (uint64_t)align << 32 | (uint64_t)size << 16 |
           slot;
}

struct tn_fb_builder {
    struct tn_arena *arena;
    struct tn_error *error;
    struct tn_list   pieces;  /* struct tn_piece, the last of them first */
    struct tn_list   pending; /* struct tn_fb_pending: of the open table   */
    struct tn_fb_vtables *vtables;
    struct tn_fb_layouts *layouts; /* NULL: none yet                          */
    uint8_t              *begin; /* free room: from here                      */
    uint8_t              *at;    /*   to here                                 */
    uint8_t              *end;   /* from `at` to here: not yet a piece        */
    uint64_t              size;  /* of everything so far                      */
    uint64_t              block; /* room that was taken last                  */
    uint32_t              align; /* the largest that was asked for            */
    bool is_again; /* a table is being built for the second time, see below   */
    bool is_ahead; /* it is only measured: vtables are taken as they are, and */
    bool is_lost;  /*   one was missing                                       */
};

/* The arena must live until the rope is written. */
void tn_fb_build_init(struct tn_fb_builder *b, struct tn_arena *arena,
                      struct tn_error *error);
void tn_fb_build_done(struct tn_fb_builder *b);

/* ---- strings and vectors: each gives a reference, 0 after a failure --- */

uint32_t tn_fb_put_string(struct tn_fb_builder *b, struct tn_bytes text);

/* A vector of references; none of them may be 0. */
uint32_t tn_fb_put_refs(struct tn_fb_builder *b, const uint32_t *refs,
                        uint32_t count);

/* Vectors of numbers in the byte order of the host. */
uint32_t tn_fb_put_i32s(struct tn_fb_builder *b, const int32_t *values,
                        uint32_t count);
uint32_t tn_fb_put_i64s(struct tn_fb_builder *b, const int64_t *values,
                        uint32_t count);
uint32_t tn_fb_put_f64s(struct tn_fb_builder *b, const double *values,
                        uint32_t count);

/* Elements of `element` bytes that are little-endian already, copied.  Their
 * first byte is aligned to `align`, a power of two up to 4096. */
uint32_t tn_fb_put_vector(struct tn_fb_builder *b, struct tn_bytes bytes,
                          uint32_t element, uint32_t align);

/* The same by reference: read when the rope is written. */
uint32_t tn_fb_put_span(struct tn_fb_builder *b, struct tn_span span,
                        uint32_t element, uint32_t align);
uint32_t tn_fb_put_producer(struct tn_fb_builder     *b,
                            const struct tn_producer *producer,
                            uint32_t element, uint32_t align);
/* All pieces of a rope, such as a buffer inside the buffer. */
uint32_t tn_fb_put_rope(struct tn_fb_builder *b, const struct tn_rope *rope,
                        uint32_t element, uint32_t align);

/* A struct that is a member of a union. */
uint32_t tn_fb_put_struct(struct tn_fb_builder *b, struct tn_bytes bytes,
                          uint32_t align);

/* ---- tables ----------------------------------------------------------- */

void     tn_fb_begin(struct tn_fb_builder *b);
uint32_t tn_fb_end(struct tn_fb_builder *b);

/* Where there is no room for it yet. */
void tn_fb_add_pending(struct tn_fb_builder *b, struct tn_fb_pending field);

/* A scalar of 1, 2, 4 or 8 bytes, written whatever its value. */
static inline void tn_fb_add(struct tn_fb_builder *b, uint16_t slot,
                             uint64_t bits, uint32_t size)
{
    struct tn_fb_pending field = { .shape = tn_fb_shape(slot, size, size,
                                                        TN_FB_PENDING_SCALAR),
                                   .bits  = bits };

    if (b->pending.count == b->pending.room)
        tn_fb_add_pending(b, field);
    else
        *tn_list_at(&b->pending, struct tn_fb_pending, b->pending.count++) =
            field;
}

/* 0 adds nothing. */
static inline void tn_fb_add_ref(struct tn_fb_builder *b, uint16_t slot,
                                 uint32_t ref)
{
    struct tn_fb_pending field = {
        .shape = tn_fb_shape(slot, 4, 4, TN_FB_PENDING_REF), .bits = ref
    };

    if (!ref)
        return;
    if (b->pending.count == b->pending.room)
        tn_fb_add_pending(b, field);
    else
        *tn_list_at(&b->pending, struct tn_fb_pending, b->pending.count++) =
            field;
}

/* Borrowed until tn_fb_end(). */
void tn_fb_add_struct(struct tn_fb_builder *b, uint16_t slot,
                      struct tn_bytes bytes, uint32_t align);

/* Not written if it is the default. */
static inline void tn_fb_add_bool(struct tn_fb_builder *b, uint16_t slot,
                                  bool value, bool otherwise)
{
    if (value != otherwise)
        tn_fb_add(b, slot, value, 1);
}

static inline void tn_fb_add_i8(struct tn_fb_builder *b, uint16_t slot,
                                int8_t value, int8_t otherwise)
{
    if (value != otherwise)
        tn_fb_add(b, slot, (uint8_t)value, 1);
}

static inline void tn_fb_add_i32(struct tn_fb_builder *b, uint16_t slot,
                                 int32_t value, int32_t otherwise)
{
    if (value != otherwise)
        tn_fb_add(b, slot, (uint32_t)value, 4);
}

static inline void tn_fb_add_u32(struct tn_fb_builder *b, uint16_t slot,
                                 uint32_t value, uint32_t otherwise)
{
    if (value != otherwise)
        tn_fb_add(b, slot, value, 4);
}

static inline void tn_fb_add_i64(struct tn_fb_builder *b, uint16_t slot,
                                 int64_t value, int64_t otherwise)
{
    if (value != otherwise)
        tn_fb_add(b, slot, (uint64_t)value, 8);
}

/* ---- many tables ------------------------------------------------------ */

/* Builds table `index`, children first; temporary memory comes from b->arena,
 * failures go to b->error.  It must make the same calls each time, and where
 * several threads build tables it must change nothing else. */
typedef uint32_t tn_fb_make(struct tn_fb_builder *b, void *context,
                            uint32_t index);

/* A vector of `count` tables.  They are built once to learn their sizes, and
 * again when the rope is written, a few at a time, so that a million tables
 * take no memory.  So `context` and everything it refers to must live until
 * then.  Several threads build them, both times, if `is_solo` is not NULL and
 * points to false. */
uint32_t tn_fb_put_tables(struct tn_fb_builder *b, uint32_t count,
                          tn_fb_make *make, void *context, const bool *is_solo);

/* ---- the whole -------------------------------------------------------- */

/* Appends the buffer to the rope; `identifier` has four letters or is NULL.
 * The length is a multiple of the largest alignment. */
enum tn_status tn_fb_finish(struct tn_fb_builder *b, uint32_t root,
                            const char *identifier, struct tn_rope *rope);

#endif
