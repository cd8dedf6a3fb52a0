/* memory.c - counted memory, arenas and growing lists */
#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <tenon/options.h>

#include "base/arith.h"
#include "base/block_cache.h"
#include "base/watch.h"

/* Small first so that a small model stays small; doubling up to here. */
#define FIRST_BLOCK   (UINT64_C(4) << 10)
#define LARGEST_BLOCK (UINT64_C(1) << 20)

/* After so many bytes the caller is asked whether to go on: a call that works
 * for a long time takes memory again and again, whatever it does. */
#define ASK_SIZE FIRST_BLOCK

struct tn_arena_block {
    struct tn_arena_block *next;
    uint64_t               size; /* of the whole block, this header included */
};

static void *resize_with_malloc(void *context, void *memory, size_t old_size,
                                size_t new_size)
{
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_size);
}

struct tn_allocator tn_allocator_or_malloc(const struct tn_allocator *allocator)
{
    return allocator ? *allocator
                     : (struct tn_allocator){ resize_with_malloc, NULL };
}

void tn_memory_init(struct tn_memory          *memory,
                    const struct tn_allocator *allocator, uint64_t limit)
{
    memory->allocator   = tn_allocator_or_malloc(allocator);
    memory->limit       = limit ? limit : UINT64_MAX;
    memory->cache       = NULL;
    memory->workers     = 0;
    memory->temporaries = NULL;
    atomic_init(&memory->used, 0);
    atomic_init(&memory->has_refused, false);
    atomic_init(&memory->watches, NULL);
    memory->watch_lock = (atomic_flag)ATOMIC_FLAG_INIT;
}

void tn_memory_take_options(struct tn_memory        *memory,
                            const struct tn_options *options)
{
    tn_memory_init(memory, options ? options->allocator : NULL,
                   options ? options->max_memory : 0);
    memory->workers     = options ? options->workers : 0;
    memory->temporaries = options ? options->temporaries : NULL;
    memory->remote      = options ? options->remote : NULL;
}

/* Charges before it allocates, so that two threads cannot both stay below the
 * limit. */
static bool charge(struct tn_memory *memory, uint64_t size,
                   struct tn_error *error)
{
    uint64_t before = atomic_fetch_add(&memory->used, size);

    if (size <= memory->limit && before <= memory->limit - size)
        return true;
    atomic_fetch_sub(&memory->used, size);
    memory->has_refused = true;
    tn_error_because(error, TN_LIMIT, TN_REASON_MEMORY_LIMIT, TN_NOWHERE,
                     "needs %" PRIu64 " more bytes of memory; %" PRIu64
                     " of %" PRIu64 " are in use",
                     size, before, memory->limit);
    return false;
}

void *tn_memory_resize(struct tn_memory *memory, void *block, uint64_t old_size,
                       uint64_t new_size, struct tn_error *error)
{
    if (new_size == 0) {
        tn_memory_free(memory, block, old_size);
        return NULL;
    }
    if (new_size > SIZE_MAX / 2) {
        tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                     "cannot allocate %" PRIu64 " bytes of memory", new_size);
        return NULL;
    }
    if (memory->cache)
        return tn_block_cache_resize(memory->cache, block, old_size, new_size,
                                     error);
    if (new_size >= ASK_SIZE && tn_watch_poll(memory, error) != TN_OK)
        return NULL;
    if (!charge(memory, new_size, error))
        return NULL;
    void *moved = memory->allocator.resize(memory->allocator.context, block,
                                           (size_t)old_size, (size_t)new_size);
    /* Either the new block or the old one is still there, never both. */
    atomic_fetch_sub(&memory->used, moved ? old_size : new_size);
    if (!moved)
        tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                     "out of memory at %" PRIu64 " bytes", new_size);
    return moved;
}

void tn_memory_free(struct tn_memory *memory, void *block, uint64_t size)
{
    if (!block)
        return;
    if (memory->cache) {
        tn_block_cache_free(memory->cache, block, size);
        return;
    }
    memory->allocator.resize(memory->allocator.context, block, (size_t)size, 0);
    atomic_fetch_sub(&memory->used, size);
}

void tn_arena_init(struct tn_arena *arena, struct tn_memory *memory)
{
    *arena = (struct tn_arena){ .memory = memory };
}

void tn_arena_done(struct tn_arena *arena)
{
    struct tn_arena_block *block = arena->blocks;

    while (block) {
        struct tn_arena_block *next = block->next;
        tn_memory_free(arena->memory, block, block->size);
        block = next;
    }
    *arena = (struct tn_arena){ .memory = arena->memory };
}

void tn_arena_rewind(struct tn_arena *arena)
{
    struct tn_arena_block *kept = arena->blocks;

    if (!kept)
        return;
    arena->blocks = kept->next;
    tn_arena_done(arena);
    kept->next    = NULL;
    arena->blocks = kept;
    arena->at     = (uint8_t *)(kept + 1);
    arena->end    = (uint8_t *)kept + kept->size;
}

static uint64_t next_block_size(const struct tn_arena *arena)
{
    if (!arena->blocks)
        return FIRST_BLOCK;
    return tn_min(tn_max(arena->blocks->size, FIRST_BLOCK / 2) * 2,
                  LARGEST_BLOCK);
}

/* A block with room for size bytes at any alignment.  A large request gets a
 * block of its own after the newest, whose free space stays in use. */
static uint8_t *add_block(struct tn_arena *arena, uint64_t size,
                          struct tn_error *error)
{
    uint64_t usual = next_block_size(arena);
    uint64_t needed;

    if (!tn_add(size, sizeof(struct tn_arena_block) + alignof(max_align_t),
                &needed))
        needed = UINT64_MAX;
    bool     is_own = needed > usual / 2 && arena->blocks;
    uint64_t room   = is_own ? needed : tn_max(needed, usual);

    struct tn_arena_block *block =
        tn_memory_resize(arena->memory, NULL, 0, room, error);
    if (!block)
        return NULL;
    block->size = room;
    if (is_own) {
        block->next         = arena->blocks->next;
        arena->blocks->next = block;
        return (uint8_t *)(block + 1);
    }
    block->next   = arena->blocks;
    arena->blocks = block;
    arena->at     = (uint8_t *)(block + 1);
    arena->end    = (uint8_t *)block + room;
    return arena->at;
}

static uint8_t *aligned(uint8_t *at, size_t align)
{
    uintptr_t rest = (uintptr_t)at & (align - 1);

    return rest ? at + (align - rest) : at;
}

void *tn_arena_take(struct tn_arena *arena, uint64_t size, size_t align,
                    struct tn_error *error)
{
    uint8_t *at = arena->at ? aligned(arena->at, align) : NULL;

    if (!at || at > arena->end || size > (uint64_t)(arena->end - at)) {
        uint8_t *fresh = add_block(arena, size, error);
        if (!fresh)
            return NULL;
        at = aligned(fresh, align);
        if (fresh != arena->at) /* a block of its own */
            return at;
    }
    arena->at = at + size;
    return at;
}

void *tn_arena_alloc(struct tn_arena *arena, uint64_t size, size_t align,
                     struct tn_error *error)
{
    void *piece = tn_arena_take(arena, size, align, error);

    return piece ? memset(piece, 0, (size_t)size) : NULL;
}

void *tn_arena_array(struct tn_arena *arena, uint64_t count, size_t item_size,
                     size_t align, struct tn_error *error)
{
    uint64_t size;

    if (!tn_mul(count, item_size, &size)) {
        tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                     "cannot allocate %" PRIu64 " items of %zu bytes", count,
                     item_size);
        return NULL;
    }
    return tn_arena_alloc(arena, size, align, error);
}

struct tn_bytes tn_bytes_dup(struct tn_arena *arena, struct tn_bytes bytes,
                             struct tn_error *error)
{
    uint8_t *copy = tn_arena_alloc(arena, (uint64_t)bytes.size + 1, 1, error);

    if (!copy)
        return (struct tn_bytes){ NULL, 0 };
    if (bytes.size)
        memcpy(copy, bytes.data, bytes.size);
    return tn_bytes(copy, bytes.size);
}

char *tn_text_dup(struct tn_arena *arena, const char *text,
                  struct tn_error *error)
{
    uint64_t size = (uint64_t)strlen(text) + 1;
    char    *copy = tn_arena_alloc(arena, size, 1, error);

    if (copy)
        memcpy(copy, text, (size_t)size);
    return copy;
}

char *tn_text_format(struct tn_arena *arena, struct tn_error *error,
                     const char *format, ...)
{
    va_list arguments, again;

    va_start(arguments, format);
    va_copy(again, arguments);
    int   size = vsnprintf(NULL, 0, format, arguments);
    char *text = NULL;
    if (size >= 0)
        text = tn_arena_alloc(arena, (uint64_t)size + 1, 1, error);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void tn_list_init(struct tn_list *list, struct tn_memory *memory,
                  uint32_t item_size)
{
    *list = (struct tn_list){ .memory = memory, .item_size = item_size };
}

void tn_list_done(struct tn_list *list)
{
    tn_memory_free(list->memory, list->items, list->room * list->item_size);
    tn_list_init(list, list->memory, list->item_size);
}

static bool set_room(struct tn_list *list, uint64_t room,
                     struct tn_error *error)
{
    uint64_t size;

    if (!tn_mul(room, list->item_size, &size))
        size = UINT64_MAX;
    void *items = tn_memory_resize(list->memory, list->items,
                                   list->room * list->item_size, size, error);
    if (!items)
        return false;
    list->items = items;
    list->room  = room;
    return true;
}

bool tn_list_reserve(struct tn_list *list, uint64_t room,
                     struct tn_error *error)
{
    return room <= list->room || set_room(list, room, error);
}

void *tn_list_grow(struct tn_list *list, uint64_t count, struct tn_error *error)
{
    uint64_t needed;

    if (!tn_add(list->count, count, &needed))
        needed = UINT64_MAX;
    if (needed > list->room || !list->items) {
        /* Grows by half, so that copies stay linear and little is wasted. */
        uint64_t room = tn_max(needed, list->room + list->room / 2 + 8);
        if (!set_room(list, room, error))
            return NULL;
    }
    uint8_t *first = (uint8_t *)list->items + list->count * list->item_size;
    memset(first, 0, (size_t)(count * list->item_size));
    list->count = needed;
    return first;
}

void tn_list_trim(struct tn_list *list)
{
    struct tn_error ignored = TN_ERROR_INIT;

    if (list->count && list->count < list->room)
        (void)set_room(list, list->count, &ignored);
}

void *tn_list_keep_items(const struct tn_list *list, struct tn_arena *arena,
                         size_t align, struct tn_error *error)
{
    void *kept =
        tn_arena_array(arena, list->count, list->item_size, align, error);

    if (kept && list->count)
        memcpy(kept, list->items, (size_t)(list->count * list->item_size));
    return kept;
}
