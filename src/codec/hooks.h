/*
 * hooks.h - counted memory for libraries that bring an allocator interface
 *
 * A library frees without saying how much, so each block remembers its size.
 * The blocks are also in a list: all of them can be given back at once when a
 * library is left in the middle of its work.
 */
#ifndef TN_CODEC_HOOKS_H
#define TN_CODEC_HOOKS_H

#include "base/memory.h"

struct tn_hook_block;

struct tn_hooks {
    struct tn_memory     *memory;
    struct tn_hook_block *blocks;
    struct tn_error       error; /* why the first one failed that did: a library
                                    may ask for several blocks before it looks */
};

void tn_hooks_init(struct tn_hooks *hooks, struct tn_memory *memory);

/* Gives back what the library did not. */
void tn_hooks_done(struct tn_hooks *hooks);

/* As libraries want them; `hooks` is a struct tn_hooks.  NULL is fine for the
 * second. */
void *tn_hook_alloc(void *hooks, size_t size);
void  tn_hook_free(void *hooks, void *block);

#endif
