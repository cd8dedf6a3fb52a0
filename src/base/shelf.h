/*
 * shelf.h - large blocks of memory, kept for the next who wants one
 *
 * Fresh memory costs more than most of what is done with it: the kernel clears
 * every page when it is touched first.  Who does the same thing again and again
 * (a codec for every chunk of a file) gets the same blocks again from a shelf.
 * What lies on it stays charged to the purse that it came from; when that is
 * empty the shelf is cleared first.  Tools lie there, too.
 */
#ifndef TN_BASE_SHELF_H
#define TN_BASE_SHELF_H

#include "base/memory.h"

#define TN_SHELF_PLACES 24
#define TN_SHELF_TOOLS  16

/* The first member of what is costly to make and can be used again, such as
 * the context of a codec: what drops it says what it is. */
struct tn_tool;
typedef void tn_tool_drop(struct tn_tool *tool);

struct tn_tool {
    tn_tool_drop *drop;
};

struct tn_shelf {
    struct tn_memory  memory; /* as a purse, for several threads at once      */
    struct tn_memory *purse;
    uint64_t          most; /* bytes that may lie unused                      */
    _Atomic uint64_t  kept;
    _Atomic unsigned  oldest; /* place to be cleared next                     */
    _Atomic uintptr_t places[TN_SHELF_PLACES];
    _Atomic uintptr_t tools[TN_SHELF_TOOLS];
};

/* Borrows the purse. */
void tn_shelf_init(struct tn_shelf *shelf, struct tn_memory *purse,
                   uint64_t most);

/* Everything that was taken is back by now. */
void tn_shelf_done(struct tn_shelf *shelf);

/* What tn_memory_resize and tn_memory_free do when there is a shelf. */
void *tn_shelf_resize(struct tn_shelf *shelf, void *block, uint64_t old_size,
                      uint64_t new_size, struct tn_error *error);
void  tn_shelf_free(struct tn_shelf *shelf, void *block, uint64_t size);

/* A tool that somebody put back into such a purse, yours now; NULL: none is
 * there, or the purse has no shelf. */
struct tn_tool *tn_shelf_take_tool(struct tn_memory *memory,
                                   tn_tool_drop     *drop);

/* For the next one; dropped where there is no place for it. */
void tn_shelf_keep_tool(struct tn_memory *memory, struct tn_tool *tool);

#endif
