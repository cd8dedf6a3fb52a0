/* stored.c - compressed bytes inside the library */
#include "codec/stored.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/bisect.h"
#include "base/cursor.h"
#include "codec/zstd.h"

struct block {
    uint32_t        begin, end; /* in the content                            */
    struct tn_bytes frame;
};

struct stored {
    struct tn_pack_blocks  blocks; /* first */
    struct tn_memory      *memory;
    uint8_t               *content;
    _Atomic unsigned char *is_there;
    struct block          *items;
    uint32_t               count;
};

/* The first block that ends after a byte of the content. */
static uint32_t find(const struct stored *s, uint64_t offset)
{
    uint64_t at;

    TN_BISECT(at, 0, s->count, s->items[at].end <= offset);
    return (uint32_t)at;
}

/* Unpacks one block at a time, because other threads may use the content as
 * well. */
static pthread_mutex_t unpacking = PTHREAD_MUTEX_INITIALIZER;

static enum tn_status unpack(struct stored *s, uint32_t i,
                             struct tn_error *error)
{
    const struct block *block = &s->items[i];

    pthread_mutex_lock(&unpacking);
    if (!s->is_there[i])
        s->is_there[i] =
            tn_zstd_decode_into(block->frame, block->end - block->begin,
                                s->content + block->begin, s->memory,
                                error) == TN_OK;
    pthread_mutex_unlock(&unpacking);
    return error->status;
}

static enum tn_status need(struct tn_pack_blocks *blocks, uint64_t from,
                           uint64_t to, struct tn_error *error)
{
    struct stored *s = (struct stored *)blocks;

    for (uint32_t i = find(s, from); i < s->count && s->items[i].begin < to;
         i++)
        if (!atomic_load_explicit(&s->is_there[i], memory_order_acquire))
            TN_TRY(unpack(s, i, error));
    return TN_OK;
}

/* Reads where all blocks are: none is empty, and together they are the
 * content. */
static enum tn_status read_blocks(struct stored *s, struct tn_cursor *in,
                                  uint32_t size)
{
    struct tn_cursor frames = *in;
    uint32_t         end    = 0;

    tn_skip(&frames, (uint64_t)s->count * 8);
    for (uint32_t i = 0; i < s->count && !tn_failed(in->error); i++) {
        struct block *block = &s->items[i];

        block->begin = end;
        block->end = end = tn_u32(in);
        block->frame     = tn_take_bytes(&frames, tn_u32(in));
        if (!tn_failed(in->error) && (end <= block->begin || end > size))
            tn_error_set(in->error, TN_MALFORMED, TN_NOWHERE,
                         "block %u ends at %u of %u stored bytes", i, end,
                         size);
    }
    if (!tn_failed(in->error) && end != size)
        tn_error_set(in->error, TN_MALFORMED, TN_NOWHERE,
                     "stored blocks end at %u of %u bytes", end, size);
    return in->error->status;
}

/* NULL on failure; `content` and `is_there` are still missing. */
static struct stored *open_stored(struct tn_bytes bytes, uint32_t *size,
                                  struct tn_arena *arena,
                                  struct tn_error *error)
{
    struct tn_cursor in = tn_cursor_bytes(bytes, 0, error);

    *size          = tn_u32(&in);
    uint32_t count = tn_u32(&in);
    if (tn_failed(error) || (uint64_t)count * 8 > bytes.size) {
        tn_error_set(error, TN_TRUNCATED, TN_NOWHERE, "%zu stored bytes",
                     bytes.size);
        return NULL;
    }
    struct stored *s     = tn_new(arena, struct stored, 1, error);
    struct block  *items = tn_new(arena, struct block, count, error);
    if (!s || !items)
        return NULL;
    *s = (struct stored){ .blocks = { need },
                          .memory = arena->memory,
                          .items  = items,
                          .count  = count };
    return read_blocks(s, &in, *size) == TN_OK ? s : NULL;
}

struct tn_bytes tn_stored_open(const struct tn_stored *stored,
                               struct tn_arena        *arena,
                               struct tn_pack_blocks **blocks,
                               struct tn_error        *error)
{
    uint32_t       size;
    struct stored *s =
        open_stored(tn_bytes(stored->bytes, stored->size), &size, arena, error);

    *blocks = s ? &s->blocks : NULL;
    if (!s)
        return tn_bytes(NULL, 0);
    s->content  = stored->content;
    s->is_there = stored->is_there;
    return tn_bytes(s->content, size);
}

struct tn_bytes tn_stored_read(struct tn_bytes stored, struct tn_arena *arena,
                               struct tn_error *error)
{
    uint32_t       size;
    struct stored *s = open_stored(stored, &size, arena, error);

    if (!s)
        return tn_bytes(NULL, 0);
    s->content  = tn_arena_take(arena, size ? size : 1, 1, error);
    s->is_there = tn_new(arena, _Atomic unsigned char, s->count, error);
    if (!s->content || !s->is_there ||
        need(&s->blocks, 0, size, error) != TN_OK)
        return tn_bytes(NULL, 0);
    return tn_bytes(s->content, size);
}
