/* large_blocks.c - large blocks of memory that go back to the system at once */
#define _GNU_SOURCE
#include "io/large_blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arith.h"

#define LARGE ((size_t)1 << 20)

/* Sanitizers only watch memory that comes from malloc(). */
#ifdef __SANITIZE_ADDRESS__
#define IS_WATCHED true
#else
#define IS_WATCHED false
#endif

static bool is_large(size_t size)
{
    return !IS_WATCHED && size >= LARGE;
}

/* ---- blocks that are kept ----------------------------------------------- */

enum { SLOTS = 24 };

/* Longer blocks hold whole tables, and the same size is seldom requested
 * again. */
#define LONGEST ((size_t)24 << 20)

struct kept {
    void  *block;
    size_t size;
};

/* Used and kept blocks together are never more than the most that was used at
 * one time: keeping blocks does not make the peak higher. */
struct keeper {
    pthread_mutex_t lock;
    _Atomic size_t  holders;
    size_t          used, most;
    size_t          held, count; /* bytes and number of those that are kept   */
    struct kept     slots[SLOTS]; /* oldest first                             */
};

/* Up to a sixteenth more, in whole pages, so that a kept block fits the next
 * request of about that size.  Blocks that are not kept are not made longer,
 * because their size counts against the limit of the process. */
static size_t rounded(size_t size)
{
    size_t step = 4096;

    if (size > LONGEST)
        return size;
    while (step * 16 <= size)
        step *= 2;
    return (size + step - 1) / step * step;
}

static struct kept take(struct keeper *k, size_t slot)
{
    struct kept taken = k->slots[slot];

    k->count--;
    k->held -= taken.size;
    memmove(&k->slots[slot], &k->slots[slot + 1],
            (k->count - slot) * sizeof taken);
    return taken;
}

/* Frees kept blocks until `size` bytes more are no new peak, or none is
 * left. */
static void make_room(struct keeper *k, size_t size)
{
    while (k->count && (k->used > k->most || k->held > k->most - k->used ||
                        size > k->most - k->used - k->held)) {
        struct kept oldest = take(k, 0);
        munmap(oldest.block, oldest.size);
    }
}

static void count_used(struct keeper *k, size_t size)
{
    k->used += size;
    if (k->used > k->most)
        k->most = k->used;
}

static void *find_kept(struct keeper *k, size_t size)
{
    for (size_t i = k->count; i-- > 0;)
        if (k->slots[i].size == size)
            return take(k, i).block;
    return NULL;
}

static void *map_anew(size_t size)
{
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return block == MAP_FAILED ? NULL : block;
}

static void drop_all(struct keeper *k)
{
    while (k->count) {
        struct kept last = take(k, k->count - 1);
        munmap(last.block, last.size);
    }
}

static void *map(struct keeper *k, size_t size)
{
    if (!k)
        return map_anew(size);
    pthread_mutex_lock(&k->lock);
    size        = rounded(size);
    void *block = find_kept(k, size);
    if (!block) {
        make_room(k, size);
        block = map_anew(size);
    }
    if (!block && k->count) { /* there is a limit on this process */
        drop_all(k);
        block = map_anew(size);
    }
    if (block)
        count_used(k, size);
    pthread_mutex_unlock(&k->lock);
    return block;
}

static void unmap(struct keeper *k, void *block, size_t size)
{
    if (!k) {
        munmap(block, size);
        return;
    }
    size = rounded(size);
    pthread_mutex_lock(&k->lock);
    k->used -= size;
    bool is_kept = size <= LONGEST;
    if (is_kept) {
        if (k->count == SLOTS) {
            struct kept oldest = take(k, 0);
            munmap(oldest.block, oldest.size);
        }
        k->slots[k->count++] = (struct kept){ block, size };
        k->held += size;
    }
    pthread_mutex_unlock(&k->lock);
    if (!is_kept)
        munmap(block, size);
}

#ifdef MREMAP_MAYMOVE
static void *remap(struct keeper *k, void *block, size_t old_size,
                   size_t new_size)
{
    if (k) {
        old_size = rounded(old_size);
        new_size = rounded(new_size);
    }
    if (old_size == new_size)
        return block;
    if (k)
        pthread_mutex_lock(&k->lock);
    if (k && new_size > old_size)
        make_room(k, new_size - old_size);
    void *moved = mremap(block, old_size, new_size, MREMAP_MAYMOVE);
    if (k && moved == MAP_FAILED && k->count) {
        drop_all(k);
        moved = mremap(block, old_size, new_size, MREMAP_MAYMOVE);
    }
    if (k && moved != MAP_FAILED) {
        k->used -= old_size;
        count_used(k, new_size);
    }
    if (k)
        pthread_mutex_unlock(&k->lock);
    return moved == MAP_FAILED ? NULL : moved;
}
#endif

/* ---- the allocator ------------------------------------------------------ */

static void release(struct keeper *k, void *block, size_t size)
{
    if (is_large(size))
        unmap(k, block, size);
    else
        free(block);
}

static void *move(struct keeper *k, void *block, size_t old_size,
                  size_t new_size)
{
    void *moved = is_large(new_size) ? map(k, new_size) : malloc(new_size);

    if (moved && block) {
        memcpy(moved, block, (size_t)tn_min(old_size, new_size));
        release(k, block, old_size);
    }
    return moved;
}

static void *resize(void *context, void *block, size_t old_size,
                    size_t new_size)
{
    struct keeper *k = context;

    if (new_size == 0) {
        if (block)
            release(k, block, old_size);
        return NULL;
    }
    if (!is_large(old_size) && !is_large(new_size))
        return realloc(block, new_size);
#ifdef MREMAP_MAYMOVE
    if (is_large(old_size) && is_large(new_size))
        return remap(k, block, old_size, new_size);
#endif
    return move(k, block, old_size, new_size);
}

struct tn_allocator tn_large_blocks(void)
{
    return (struct tn_allocator){ resize, NULL };
}

struct tn_allocator tn_large_blocks_hold(const struct tn_allocator *given)
{
    struct tn_allocator of = given ? *given : tn_large_blocks();
    struct keeper      *k  = of.resize == resize ? of.context : NULL;

    if (k)
        k->holders++;
    if (given || IS_WATCHED || !(k = malloc(sizeof *k)))
        return of;
    *k = (struct keeper){ .holders = 1 };
    pthread_mutex_init(&k->lock, NULL);
    of.context = k;
    return of;
}

void tn_large_blocks_drop(struct tn_allocator of)
{
    struct keeper *k = of.resize == resize ? of.context : NULL;

    if (!k || atomic_fetch_sub(&k->holders, 1) != 1)
        return;
    drop_all(k);
    pthread_mutex_destroy(&k->lock);
    free(k);
}
