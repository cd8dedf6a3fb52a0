/*
 * source.h - bytes that live somewhere: the interface, and bytes in memory
 *
 * A source has a size and can be read at any offset.  Implementations over
 * files and callbacks are in `io`; a deflated entry or a compressed record is
 * a source too.  A span is a range of a source: it is how weights are moved
 * without being loaded.
 */
#ifndef TN_BASE_SOURCE_H
#define TN_BASE_SOURCE_H

#include "base/byte_view.h"
#include "base/error.h"
#include "base/memory.h"

struct tn_source;

struct tn_source_ops {
    /* Reads exactly `size` bytes from `offset`; the caller has checked that
     * they are inside.  Safe to call from several threads at once. */
    enum tn_status (*read_at)(struct tn_source *source, uint64_t offset,
                              void *to, size_t size, struct tn_error *error);
    void (*close)(struct tn_source *source);
};

/* A block that was read and is kept. */
struct tn_pin {
    const uint8_t *data;
    uint64_t       offset;
    uint64_t       size;
};

#define TN_RECENT_PINS 16

/* Shorter holes are not worth skipping. */
#define TN_HOLE_MIN (UINT64_C(32) << 10)

struct tn_source {
    const struct tn_source_ops *ops;
    uint64_t                    size;
    const uint8_t              *map;  /* all of it in memory, or NULL         */
    const char                 *name; /* for messages; "" for the main file   */
    struct tn_memory           *memory; /* pays for pinned blocks             */
    struct tn_arena             pins; /* structure read once, kept till close */
    struct tn_pin               recent[TN_RECENT_PINS]; /* looked at first, so
                                         that neighbours are not read twice  */
    unsigned next_recent;

    /* Of a file that is hopped over (see file_source.h): its mapping, which is
     * not used meanwhile, and what was read instead. */
    const uint8_t *aside;
    uint64_t       hopped;

    /* How many bytes from `offset` on, at most `length`, are of one kind: a
     * hole, which reads as zeros, or data.  NULL if it is all data. */
    uint64_t (*extent)(struct tn_source *source, uint64_t offset,
                       uint64_t length, bool *is_hole);

    /* Bytes from `offset` on (which is inside) that are in memory anyway and
     * stay there until the source is closed; *got is how many.  NULL if nothing
     * is in memory; the callback may also return NULL. */
    const uint8_t *(*look)(struct tn_source *source, uint64_t offset,
                           uint64_t *got);

    /* Bytes are far away: windows after a jump are short, as if the file were
     * hopped over. */
    bool is_far;

    /* See tn_source_expect(); NULL: there is no use for it. */
    void (*expect)(struct tn_source *source, uint64_t offset, uint64_t length);

    /* See tn_source_take(); NULL: bytes are copied out. */
    const uint8_t *(*lend)(struct tn_source *source, uint64_t offset,
                           uint64_t most, uint64_t *got,
                           struct tn_error *error);
    void (*give_back)(struct tn_source *source, uint64_t offset, size_t size);
};

struct tn_span {
    struct tn_source *source; /* NULL: no bytes at all */
    uint64_t          offset;
    uint64_t          length;
};

/* Removes the first part that is of one kind, a hole or data, from the span. */
static inline struct tn_span tn_span_extent(struct tn_span *span, bool *is_hole)
{
    struct tn_span run = *span;

    *is_hole = false;
    if (span->source->extent)
        run.length = span->source->extent(span->source, span->offset,
                                          span->length, is_hole);
    span->offset += run.length;
    span->length -= run.length;
    return run;
}

/* A source over bytes that outlive it.  Close it to release its pins. */
void tn_source_memory(struct tn_source *source, struct tn_memory *memory,
                      struct tn_bytes bytes);

/* NULL is fine. */
void tn_source_close(struct tn_source *source);

/* Copies bytes out.  TRUNCATED at `offset` if they are not inside. */
enum tn_status tn_source_read(struct tn_source *source, uint64_t offset,
                              void *to, size_t size, struct tn_error *error);

/* Announces that these bytes will be read next, in order: a source over a
 * network then requests them ahead, and no others. */
static inline void tn_source_expect(struct tn_source *source, uint64_t offset,
                                    uint64_t length)
{
    if (source->expect)
        source->expect(source, offset, length);
}

/* The next bytes of a range that is read in order: at least one, at most
 * `most`.  A source that has them in memory lends them; otherwise as many as
 * fit are read into `room`.  They are valid until they are given back.  No
 * bytes: failed.
 *
 * If there is room for TN_WHOLE bytes, their number is a multiple of it, except
 * at the end of the range: so a window has whole elements of any type. */
#define TN_WHOLE 16
struct tn_bytes tn_source_take(struct tn_source *source, uint64_t offset,
                               uint64_t most, void *room, size_t room_size,
                               struct tn_error *error);

/* `taken` and `room` are those of tn_source_take(). */
static inline void tn_source_give_back(struct tn_source *source,
                                       uint64_t offset, struct tn_bytes taken,
                                       const void *room)
{
    if (source->give_back && taken.data != room)
        source->give_back(source, offset, taken.size);
}

/* All of it in memory, or NULL; a file is no longer hopped over. */
static inline const uint8_t *tn_source_map(struct tn_source *source)
{
    if (source->aside)
        source->map = source->aside;
    source->aside = NULL;
    return source->map;
}

/* What is in memory from `offset` on (which is inside): `map` or `look`. */
const uint8_t *tn_source_look(struct tn_source *source, uint64_t offset,
                              uint64_t *got);

/* Bytes that stay valid until the source is closed: out of the mapping, or
 * read once and pinned.  For structure, never for weights.  Not safe from
 * several threads unless the source is mapped.  NULL on failure. */
const uint8_t *tn_source_pin(struct tn_source *source, uint64_t offset,
                             size_t size, struct tn_error *error);

/* What is available from `offset` on: at least `size` bytes; *got is how many.
 * Reads and pins a block of up to `most` if no recent one has them. */
const uint8_t *tn_source_window(struct tn_source *source, uint64_t offset,
                                uint64_t size, uint64_t most, uint64_t *got,
                                struct tn_error *error);

#endif
