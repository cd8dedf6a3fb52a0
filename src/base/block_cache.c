/*
 * block_cache.c - large blocks of memory, kept for the next use
 *
 * Sizes are rounded up, so that a block that nearly fits does.  A cached block
 * begins with its size.  Threads exchange slots atomically, so no lock is
 * needed: a block is either in one slot or owned by one thread.
 */
#include "base/block_cache.h"

#include "base/arith.h"

#define LEAST (UINT64_C(32) << 10)

struct cached {
    uint64_t size;
};

/* Up to a thirty-second more, in whole pages. */
static uint64_t rounded(uint64_t size)
{
    uint64_t step = 4096;

    if (size < LEAST || size > SIZE_MAX / 4)
        return size;
    while (step * 64 <= size)
        step *= 2;
    return (size + step - 1) / step * step;
}

static struct cached *take_from(struct tn_block_cache *cache, unsigned slot)
{
    uintptr_t block = atomic_exchange(&cache->slots[slot], 0);

    if (!block)
        return NULL;
    atomic_fetch_sub(&cache->kept, ((struct cached *)block)->size);
    return (struct cached *)block;
}

static bool put_down(struct tn_block_cache *cache, struct cached *block)
{
    uint64_t size = block->size; /* not ours any more once it lies there */

    for (unsigned i = 0; i < TN_BLOCK_CACHE_SLOTS; i++) {
        uintptr_t none = 0;
        atomic_fetch_add(&cache->kept, size);
        if (atomic_compare_exchange_strong(&cache->slots[i], &none,
                                           (uintptr_t)block))
            return true;
        atomic_fetch_sub(&cache->kept, size);
    }
    return false;
}

static void give_back(struct tn_block_cache *cache, struct cached *block)
{
    if (block)
        tn_memory_free(cache->budget, block, block->size);
}

/* The tools first: freeing them returns their memory to the cache. */
static void clear(struct tn_block_cache *cache)
{
    for (unsigned i = 0; i < TN_BLOCK_CACHE_TOOLS; i++) {
        struct tn_tool *tool =
            (struct tn_tool *)atomic_exchange(&cache->tools[i], 0);
        if (tool)
            tool->drop(tool);
    }
    for (unsigned i = 0; i < TN_BLOCK_CACHE_SLOTS; i++)
        give_back(cache, take_from(cache, i));
}

static struct cached *find(struct tn_block_cache *cache, uint64_t size)
{
    for (unsigned i = 0; i < TN_BLOCK_CACHE_SLOTS; i++) {
        struct cached *block = take_from(cache, i);
        if (block && block->size == size)
            return block;
        if (block && !put_down(cache, block))
            give_back(cache, block);
    }
    return NULL;
}

static void *allocate(struct tn_block_cache *cache, uint64_t size,
                      struct tn_error *error)
{
    struct tn_error ignored = TN_ERROR_INIT;
    void           *block   = size < LEAST ? NULL : find(cache, rounded(size));

    if (block)
        return block;
    block = tn_memory_resize(cache->budget, NULL, 0, rounded(size), &ignored);
    if (block)
        return block;
    clear(cache);
    return tn_memory_resize(cache->budget, NULL, 0, rounded(size), error);
}

void tn_block_cache_init(struct tn_block_cache *cache, struct tn_memory *budget,
                         uint64_t most)
{
    tn_memory_init(&cache->memory, &budget->allocator, 0);
    cache->memory.cache = cache;
    cache->budget       = budget;
    cache->most         = most;
    atomic_init(&cache->kept, 0);
    atomic_init(&cache->oldest, 0);
    for (unsigned i = 0; i < TN_BLOCK_CACHE_SLOTS; i++)
        atomic_init(&cache->slots[i], 0);
    for (unsigned i = 0; i < TN_BLOCK_CACHE_TOOLS; i++)
        atomic_init(&cache->tools[i], 0);
}

void tn_block_cache_done(struct tn_block_cache *cache)
{
    clear(cache);
}

void *tn_block_cache_resize(struct tn_block_cache *cache, void *block,
                            uint64_t old_size, uint64_t new_size,
                            struct tn_error *error)
{
    if (!block)
        return allocate(cache, new_size, error);
    if (rounded(old_size) == rounded(new_size))
        return block;
    if (tn_max(old_size, new_size) < LEAST)
        return tn_memory_resize(cache->budget, block, old_size, new_size,
                                error);
    void *moved = allocate(cache, new_size, error);
    if (!moved)
        return NULL;
    memcpy(moved, block, (size_t)tn_min(old_size, new_size));
    tn_block_cache_free(cache, block, old_size);
    return moved;
}

void tn_block_cache_free(struct tn_block_cache *cache, void *block,
                         uint64_t size)
{
    struct cached *back = block;

    if (!block || size < LEAST || rounded(size) > cache->most) {
        tn_memory_free(cache->budget, block, rounded(size));
        return;
    }
    back->size = rounded(size);
    /* A block that nobody has requested for a long time is dropped in favour of
     * one that was just returned. */
    for (unsigned i = 0; i < TN_BLOCK_CACHE_SLOTS; i++) {
        if (atomic_load(&cache->kept) + rounded(size) <= cache->most &&
            put_down(cache, back))
            return;
        unsigned oldest = atomic_fetch_add(&cache->oldest, 1);
        give_back(cache, take_from(cache, oldest % TN_BLOCK_CACHE_SLOTS));
    }
    give_back(cache, back);
}

/* ---- tools -------------------------------------------------------------- */

/* A thread looks first where it left its last tool, which is still in the cache
 * of its core. Threads are told apart by their stacks. */
static unsigned own_place(unsigned i)
{
    uint8_t on_stack;

    return (unsigned)(((uintptr_t)&on_stack >> 16) + i) % TN_BLOCK_CACHE_TOOLS;
}

static bool hang_up(struct tn_block_cache *cache, struct tn_tool *tool)
{
    for (unsigned i = 0; i < TN_BLOCK_CACHE_TOOLS; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&cache->tools[own_place(i)], &none,
                                           (uintptr_t)tool))
            return true;
    }
    return false;
}

struct tn_tool *tn_block_cache_take_tool(struct tn_memory *memory,
                                         tn_tool_drop     *drop)
{
    struct tn_block_cache *cache = memory->cache;

    for (unsigned i = 0; cache && i < TN_BLOCK_CACHE_TOOLS; i++) {
        struct tn_tool *tool =
            (struct tn_tool *)atomic_exchange(&cache->tools[own_place(i)], 0);
        if (tool && tool->drop == drop)
            return tool;
        if (tool && !hang_up(cache, tool))
            tool->drop(tool);
    }
    return NULL;
}

void tn_block_cache_keep_tool(struct tn_memory *memory, struct tn_tool *tool)
{
    if (!memory->cache || !hang_up(memory->cache, tool))
        tool->drop(tool);
}
