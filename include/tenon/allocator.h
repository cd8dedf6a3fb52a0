/* allocator.h - where the library's memory comes from (for how much, see
 * options.h) */
#ifndef TENON_ALLOCATOR_H
#define TENON_ALLOCATOR_H

#include <stddef.h>

/* Replaces malloc for one call and for everything that call opens.  `resize`
 * behaves like realloc: a NULL pointer allocates, size 0 frees and returns
 * NULL.  Both sizes are passed, so a counting allocator needs no header of its
 * own.  It must be safe to call from several threads unless options.workers is
 * 1. */
struct tn_allocator {
    void *(*resize)(void *context, void *memory, size_t old_size,
                    size_t new_size);
    void *context;
};

#endif
