/*
 * memory.h - counted memory, and arenas on top of it
 *
 * A tn_memory is one context's budget: an allocator and a limit.  Everything
 * the library allocates is charged to one, so --max-mem holds everywhere and
 * tests can make the n-th allocation fail.
 *
 * An arena hands out memory that lives until the arena is done.  Parsers
 * allocate from it and never free, so an early return cannot leak.
 */
#ifndef TN_BASE_MEMORY_H
#define TN_BASE_MEMORY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenon/allocator.h>

#include "base/byte_view.h"
#include "base/error.h"

struct tn_options;
struct tn_remote_options;
struct tn_block_cache; /* block_cache.h */
struct tn_temporaries;
struct tn_watch; /* watch.h */

struct tn_memory {
    struct tn_allocator    allocator;
    uint64_t               limit; /* bytes; UINT64_MAX: none               */
    _Atomic uint64_t       used;
    _Atomic bool           has_refused; /* a request, because of the limit */
    struct tn_block_cache *cache;   /* blocks come from there; NULL: none    */
    unsigned               workers; /* threads that may allocate; 0: any   */
    struct tn_temporaries *temporaries; /* for outputs that use this
                                           budget; NULL: none              */
    const struct tn_remote_options *remote; /* for URLs; NULL: as usual      */
    _Atomic(struct tn_watch *) watches; /* calls that may be stopped         */
    atomic_flag watch_lock;             /* to change that list              */
};

/* The caller's allocator, or malloc if it is NULL. */
struct tn_allocator tn_allocator_or_malloc(
    const struct tn_allocator *allocator);

/* allocator may be NULL: malloc.  limit 0 means none. */
void tn_memory_init(struct tn_memory          *memory,
                    const struct tn_allocator *allocator, uint64_t limit);

/* Takes allocator and limit from the options of a call, which may be NULL. */
void tn_memory_take_options(struct tn_memory        *memory,
                            const struct tn_options *options);

/* Like realloc on the budget; size 0 frees.  On failure sets NO_MEMORY or
 * LIMIT, leaves the old block alone and returns NULL. */
void *tn_memory_resize(struct tn_memory *memory, void *block, uint64_t old_size,
                       uint64_t new_size, struct tn_error *error);
void  tn_memory_free(struct tn_memory *memory, void *block, uint64_t size);

struct tn_arena_block;

struct tn_arena {
    struct tn_memory      *memory;
    struct tn_arena_block *blocks; /* newest first                          */
    uint8_t               *at;     /* free space in the newest              */
    uint8_t               *end;
};

void tn_arena_init(struct tn_arena *arena, struct tn_memory *memory);

/* Frees everything.  The arena may be used again. */
void tn_arena_done(struct tn_arena *arena);

/* Forgets everything that was allocated, and keeps one block for later. */
void tn_arena_rewind(struct tn_arena *arena);

/* Zeroed memory, or NULL with the error set. */
void *tn_arena_alloc(struct tn_arena *arena, uint64_t size, size_t align,
                     struct tn_error *error);

/* The same, not zeroed: for memory that is overwritten completely. */
void *tn_arena_take(struct tn_arena *arena, uint64_t size, size_t align,
                    struct tn_error *error);

/* count items; the product is checked. */
void *tn_arena_array(struct tn_arena *arena, uint64_t count, size_t item_size,
                     size_t align, struct tn_error *error);

/* An array of T, zeroed: T *p = tn_new(arena, T, count, error). */
#define tn_new(arena, T, count, error)                                         \
    ((T *)tn_arena_array((arena), (count), sizeof(T), alignof(T), (error)))

/* A copy that lives as long as the arena, with a zero byte after it that is
 * not counted.  .data is NULL on failure. */
struct tn_bytes tn_bytes_dup(struct tn_arena *arena, struct tn_bytes bytes,
                             struct tn_error *error);
char           *tn_text_dup(struct tn_arena *arena, const char *text,
                            struct tn_error *error);

/* printf into the arena. */
char *tn_text_format(struct tn_arena *arena, struct tn_error *error,
                     const char *format, ...) TN_PRINTF(3, 4);

/*
 * A growing array of items in counted memory, for lists whose length the file
 * does not announce.  `items` moves when it grows; indices stay.
 */
struct tn_list {
    struct tn_memory *memory;
    void             *items;
    uint64_t          count;
    uint64_t          room;
    uint32_t          item_size;
};

void tn_list_init(struct tn_list *list, struct tn_memory *memory,
                  uint32_t item_size);
void tn_list_done(struct tn_list *list);

/* Room for `count` more zeroed items at the end; returns the first, or NULL. */
void *tn_list_grow(struct tn_list *list, uint64_t count,
                   struct tn_error *error);

/* Room for this many items in total.  The memory is not touched before it is
 * used.  False on failure. */
bool tn_list_reserve(struct tn_list *list, uint64_t room,
                     struct tn_error *error);

/* Frees what was reserved and never used. */
void tn_list_trim(struct tn_list *list);

/* A copy of its items that lives as long as the arena; never NULL for an empty
 * list.  NULL on failure: T *p = tn_list_keep(list, T, arena, e). */
void *tn_list_keep_items(const struct tn_list *list, struct tn_arena *arena,
                         size_t align, struct tn_error *error);

#define tn_list_keep(list, T, arena, error)                                    \
    ((T *)tn_list_keep_items((list), (arena), alignof(T), (error)))

/* One more; `size` is the list's item_size, known to the compiler. */
static inline void *tn_list_push_item(struct tn_list *list, size_t size,
                                      struct tn_error *error)
{
    if (list->count >= list->room)
        return tn_list_grow(list, 1, error);
    void *item = (uint8_t *)list->items + list->count++ * size;
    return memset(item, 0, size);
}

#define tn_list_push(list, T, error)                                           \
    ((T *)tn_list_push_item((list), sizeof(T), (error)))
#define tn_list_at(list, T, index) (&((T *)(list)->items)[index])

#endif
