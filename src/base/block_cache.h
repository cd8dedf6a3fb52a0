/*
 * block_cache.h - large blocks of memory, kept for the next who wants one
 *
 * Fresh memory costs more than most of what is done with it: the kernel clears
 * every page when it is touched first.  Who does the same thing again and again
 * (a codec for every chunk of a file) gets the same blocks again from a cache.
 * What lies on it stays charged to the budget that it came from; when that is
 * empty the cache is cleared first.  Tools lie there, too.
 */
#ifndef TN_BASE_BLOCK_CACHE_H
#define TN_BASE_BLOCK_CACHE_H

#include "base/memory.h"

#define TN_BLOCK_CACHE_PLACES 24
#define TN_BLOCK_CACHE_TOOLS  16

/* The first member of what is costly to make and can be used again, such as
 * the context of a codec: what drops it says what it is. */
struct tn_tool;
typedef void tn_tool_drop(struct tn_tool *tool);

struct tn_tool {
    tn_tool_drop *drop;
};

struct tn_block_cache {
    struct tn_memory memory; /* as a budget, for several threads at once      */
    struct tn_memory *budget;
    uint64_t          most; /* bytes that may lie unused                      */
    _Atomic uint64_t  kept;
    _Atomic unsigned  oldest; /* place to be cleared next                     */
    _Atomic uintptr_t places[TN_BLOCK_CACHE_PLACES];
    _Atomic uintptr_t tools[TN_BLOCK_CACHE_TOOLS];
};

/* Borrows the budget. */
void tn_block_cache_init(struct tn_block_cache *cache, struct tn_memory *budget,
                         uint64_t most);

/* Everything that was taken is back by now. */
void tn_block_cache_done(struct tn_block_cache *cache);

/* What tn_memory_resize and tn_memory_free do when there is a cache. */
void *tn_block_cache_resize(struct tn_block_cache *cache, void *block,
                            uint64_t old_size, uint64_t new_size,
                            struct tn_error *error);
void  tn_block_cache_free(struct tn_block_cache *cache, void *block,
                          uint64_t size);

/* A tool that somebody put back into such a budget, yours now; NULL: none is
 * there, or the budget has no cache. */
struct tn_tool *tn_block_cache_take_tool(struct tn_memory *memory,
                                         tn_tool_drop     *drop);

/* For the next one; dropped where there is no place for it. */
void tn_block_cache_keep_tool(struct tn_memory *memory, struct tn_tool *tool);

#endif
