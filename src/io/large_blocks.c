/* large_blocks.c - large blocks of memory that go back to the system at once */
#define _GNU_SOURCE
#include "io/large_blocks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arith.h"

#define LARGE ((size_t)1 << 20)

/* A sanitizer watches what is malloc's. */
#ifdef __SANITIZE_ADDRESS__
#define IS_WATCHED true
#else
#define IS_WATCHED false
#endif

static bool is_large(size_t size)
{
    return !IS_WATCHED && size >= LARGE;
}

static void *map(size_t size)
{
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return block == MAP_FAILED ? NULL : block;
}

static void release(void *block, size_t size)
{
    if (is_large(size))
        munmap(block, size);
    else
        free(block);
}

static void *move(void *block, size_t old_size, size_t new_size)
{
    void *moved = is_large(new_size) ? map(new_size) : malloc(new_size);

    if (moved && block) {
        memcpy(moved, block, (size_t)tn_min(old_size, new_size));
        release(block, old_size);
    }
    return moved;
}

static void *resize(void *context, void *block, size_t old_size,
                    size_t new_size)
{
    (void)context;
    if (new_size == 0) {
        if (block)
            release(block, old_size);
        return NULL;
    }
    if (!is_large(old_size) && !is_large(new_size))
        return realloc(block, new_size);
#ifdef MREMAP_MAYMOVE
    if (is_large(old_size) && is_large(new_size)) {
        void *moved = mremap(block, old_size, new_size, MREMAP_MAYMOVE);
        return moved == MAP_FAILED ? NULL : moved;
    }
#endif
    return move(block, old_size, new_size);
}

struct tn_allocator tn_large_blocks(void)
{
    return (struct tn_allocator){ resize, NULL };
}
