/*
 * hooks.h - counted memory for libraries that bring an allocator interface
 *
 * Libraries free a block without giving its size, so each block remembers it.
 * The blocks are also in a list: all of them can be freed at once if a library
 * is abandoned in the middle of its work.
 */
#ifndef TN_CODEC_HOOKS_H
#define TN_CODEC_HOOKS_H

#include "base/memory.h"

struct tn_hook_block;

struct tn_hooks {
    struct tn_memory     *memory;
    struct tn_hook_block *blocks;
    struct tn_error       error; /* of the first request that failed: a library
                                    may make several before it stops          */
};

void tn_hooks_init(struct tn_hooks *hooks, struct tn_memory *memory);

/* Frees what the library did not. */
void tn_hooks_done(struct tn_hooks *hooks);

/* In the form that libraries expect; `hooks` is a struct tn_hooks.  The second
 * accepts NULL. */
void *tn_hook_alloc(void *hooks, size_t size);
void  tn_hook_free(void *hooks, void *block);

#endif
