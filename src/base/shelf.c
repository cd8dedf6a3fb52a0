/*
 * shelf.c - large blocks of memory, kept for the next who wants one
 *
 * Sizes are rounded up, so that what nearly fits does.  A block on the shelf
 * begins with its size.  Threads exchange the places one by one, there is
 * nothing to be locked: a block is either in one place or in one hand.
 */
#include "base/shelf.h"

#include "base/arith.h"

#define LEAST (UINT64_C(32) << 10)

struct shelved {
    uint64_t size;
};

/* Up to a thirty-second more, in whole pages. */
static uint64_t rounded(uint64_t size)
{
    uint64_t step = 4096;

    if (size < LEAST || size > SIZE_MAX / 4)
        return size;
    while (step * 64 <= size)
        step *= 2;
    return (size + step - 1) / step * step;
}

static struct shelved *take_from(struct tn_shelf *shelf, unsigned place)
{
    uintptr_t block = atomic_exchange(&shelf->places[place], 0);

    if (!block)
        return NULL;
    atomic_fetch_sub(&shelf->kept, ((struct shelved *)block)->size);
    return (struct shelved *)block;
}

static bool put_down(struct tn_shelf *shelf, struct shelved *block)
{
    uint64_t size = block->size; /* not ours any more once it lies there */

    for (unsigned i = 0; i < TN_SHELF_PLACES; i++) {
        uintptr_t none = 0;
        atomic_fetch_add(&shelf->kept, size);
        if (atomic_compare_exchange_strong(&shelf->places[i], &none,
                                           (uintptr_t)block))
            return true;
        atomic_fetch_sub(&shelf->kept, size);
    }
    return false;
}

static void give_back(struct tn_shelf *shelf, struct shelved *block)
{
    if (block)
        tn_memory_free(shelf->purse, block, block->size);
}

/* First the tools: their memory comes to lie on the shelf. */
static void clear(struct tn_shelf *shelf)
{
    for (unsigned i = 0; i < TN_SHELF_TOOLS; i++) {
        struct tn_tool *tool =
            (struct tn_tool *)atomic_exchange(&shelf->tools[i], 0);
        if (tool)
            tool->drop(tool);
    }
    for (unsigned i = 0; i < TN_SHELF_PLACES; i++)
        give_back(shelf, take_from(shelf, i));
}

static struct shelved *find(struct tn_shelf *shelf, uint64_t size)
{
    for (unsigned i = 0; i < TN_SHELF_PLACES; i++) {
        struct shelved *block = take_from(shelf, i);
        if (block && block->size == size)
            return block;
        if (block && !put_down(shelf, block))
            give_back(shelf, block);
    }
    return NULL;
}

static void *allocate(struct tn_shelf *shelf, uint64_t size,
                      struct tn_error *error)
{
    struct tn_error ignored = TN_ERROR_INIT;
    void           *block   = size < LEAST ? NULL : find(shelf, rounded(size));

    if (block)
        return block;
    block = tn_memory_resize(shelf->purse, NULL, 0, rounded(size), &ignored);
    if (block)
        return block;
    clear(shelf);
    return tn_memory_resize(shelf->purse, NULL, 0, rounded(size), error);
}

void tn_shelf_init(struct tn_shelf *shelf, struct tn_memory *purse,
                   uint64_t most)
{
    tn_memory_init(&shelf->memory, &purse->allocator, 0);
    shelf->memory.shelf = shelf;
    shelf->purse        = purse;
    shelf->most         = most;
    atomic_init(&shelf->kept, 0);
    atomic_init(&shelf->oldest, 0);
    for (unsigned i = 0; i < TN_SHELF_PLACES; i++)
        atomic_init(&shelf->places[i], 0);
    for (unsigned i = 0; i < TN_SHELF_TOOLS; i++)
        atomic_init(&shelf->tools[i], 0);
}

void tn_shelf_done(struct tn_shelf *shelf)
{
    clear(shelf);
}

void *tn_shelf_resize(struct tn_shelf *shelf, void *block, uint64_t old_size,
                      uint64_t new_size, struct tn_error *error)
{
    if (!block)
        return allocate(shelf, new_size, error);
    if (rounded(old_size) == rounded(new_size))
        return block;
    if (tn_max(old_size, new_size) < LEAST)
        return tn_memory_resize(shelf->purse, block, old_size, new_size, error);
    void *moved = allocate(shelf, new_size, error);
    if (!moved)
        return NULL;
    memcpy(moved, block, (size_t)tn_min(old_size, new_size));
    tn_shelf_free(shelf, block, old_size);
    return moved;
}

void tn_shelf_free(struct tn_shelf *shelf, void *block, uint64_t size)
{
    struct shelved *back = block;

    if (!block || size < LEAST || rounded(size) > shelf->most) {
        tn_memory_free(shelf->purse, block, rounded(size));
        return;
    }
    back->size = rounded(size);
    /* What nobody asked for makes room for what somebody just had. */
    for (unsigned i = 0; i < TN_SHELF_PLACES; i++) {
        if (atomic_load(&shelf->kept) + rounded(size) <= shelf->most &&
            put_down(shelf, back))
            return;
        unsigned oldest = atomic_fetch_add(&shelf->oldest, 1);
        give_back(shelf, take_from(shelf, oldest % TN_SHELF_PLACES));
    }
    give_back(shelf, back);
}

/* ---- tools -------------------------------------------------------------- */

/* A thread begins to look where it left its last tool: that one is still in
 * the cache of its core.  Stacks tell threads apart. */
static unsigned own_place(unsigned i)
{
    uint8_t on_stack;

    return (unsigned)(((uintptr_t)&on_stack >> 16) + i) % TN_SHELF_TOOLS;
}

static bool hang_up(struct tn_shelf *shelf, struct tn_tool *tool)
{
    for (unsigned i = 0; i < TN_SHELF_TOOLS; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&shelf->tools[own_place(i)], &none,
                                           (uintptr_t)tool))
            return true;
    }
    return false;
}

struct tn_tool *tn_shelf_take_tool(struct tn_memory *memory, tn_tool_drop *drop)
{
    struct tn_shelf *shelf = memory->shelf;

    for (unsigned i = 0; shelf && i < TN_SHELF_TOOLS; i++) {
        struct tn_tool *tool =
            (struct tn_tool *)atomic_exchange(&shelf->tools[own_place(i)], 0);
        if (tool && tool->drop == drop)
            return tool;
        if (tool && !hang_up(shelf, tool))
            tool->drop(tool);
    }
    return NULL;
}

void tn_shelf_keep_tool(struct tn_memory *memory, struct tn_tool *tool)
{
    if (!memory->shelf || !hang_up(memory->shelf, tool))
        tool->drop(tool);
}
