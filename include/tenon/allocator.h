/* allocator.h - where the library's memory comes from; options.h has how much */
#ifndef TENON_ALLOCATOR_H
#define TENON_ALLOCATOR_H

#include <stddef.h>

/* Replaces malloc for one call, and for what it opens.  `resize` behaves like realloc: a NULL
 * pointer allocates, size 0 frees and returns NULL.  Both sizes are given, so
 * that counting allocators need no header.  Must be safe to call from several
 * threads, unless options.workers is 1. */
struct tn_allocator {
    void *(*resize)(void *context, void *memory, size_t old_size,
                    size_t new_size);
    void *context;
};

#endif
