/*
 * block_cache.h - large blocks of memory, kept for the next use
 *
 * Fresh memory costs more than most of what is done with it: the kernel clears
 * every page when it is first touched.  Code that does the same thing again and
 * again (a codec for every chunk of a file) gets the same blocks again from a
 * cache.  Cached blocks stay charged to the budget they came from; when the
 * budget is exhausted, the cache is emptied first.  A cache also keeps tools.
 */
#ifndef TN_BASE_BLOCK_CACHE_H
#define TN_BASE_BLOCK_CACHE_H

#include "base/memory.h"

#define TN_BLOCK_CACHE_SLOTS 24
#define TN_BLOCK_CACHE_TOOLS 16

/* The first member of an object that is expensive to create and can be reused,
 * such as the context of a codec.  Its `drop` function identifies the kind of
 * tool. */
struct tn_tool;
typedef void tn_tool_drop(struct tn_tool *tool);

struct tn_tool {
    tn_tool_drop *drop;
};

struct tn_block_cache {
    struct tn_memory memory; /* as a budget, for several threads at once      */
    struct tn_memory *budget;
    uint64_t          most; /* bytes that may be kept unused                  */
    _Atomic uint64_t  kept;
    _Atomic unsigned  oldest; /* slot to be emptied next                      */
    _Atomic uintptr_t slots[TN_BLOCK_CACHE_SLOTS];
    _Atomic uintptr_t tools[TN_BLOCK_CACHE_TOOLS];
};

/* The budget is borrowed. */
void tn_block_cache_init(struct tn_block_cache *cache, struct tn_memory *budget,
                         uint64_t most);

/* Every block that was taken must have been returned. */
void tn_block_cache_done(struct tn_block_cache *cache);

/* What tn_memory_resize and tn_memory_free do when there is a cache. */
void *tn_block_cache_resize(struct tn_block_cache *cache, void *block,
                            uint64_t old_size, uint64_t new_size,
                            struct tn_error *error);
void  tn_block_cache_free(struct tn_block_cache *cache, void *block,
                          uint64_t size);

/* A tool that was put back into this budget, now yours; NULL if there is none,
 * or if the budget has no cache. */
struct tn_tool *tn_block_cache_take_tool(struct tn_memory *memory,
                                         tn_tool_drop     *drop);

/* Keeps a tool for the next use; closes it if there is no room. */
void tn_block_cache_keep_tool(struct tn_memory *memory, struct tn_tool *tool);

#endif
