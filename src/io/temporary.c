/* temporary.c - the names of temporary files, for signal handlers */
#define _DEFAULT_SOURCE
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define SLOTS     32
#define NAME_SIZE 512

enum { SLOT_FREE, SLOT_TAKEN, SLOT_WHOLE };

struct tn_temporary {
    atomic_int             state;
    int                    folder;
    enum tn_temporary_kind kind;
    char                   name[NAME_SIZE];
};

struct block {
    struct block       *next; /* set before the block is reachable            */
    struct tn_temporary slots[SLOTS];
};

struct tn_temporaries {
    struct tn_allocator     allocator;
    _Atomic(struct block *) blocks;
    atomic_bool             is_incomplete; /* a name found no room            */
};

enum tn_status tn_temporaries_new(struct tn_temporaries    **out,
                                  const struct tn_allocator *allocator,
                                  struct tn_error           *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_allocator    with = tn_allocator_or_malloc(allocator);
    struct tn_temporaries *list =
        with.resize(with.context, NULL, 0, sizeof *list);

    *out = list;
    if (!list)
        return tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                            "out of memory at %zu bytes", sizeof *list);
    list->allocator = with;
    atomic_init(&list->blocks, NULL);
    atomic_init(&list->is_incomplete, false);
    return TN_OK;
}

void tn_temporaries_close(struct tn_temporaries *list)
{
    if (!list)
        return;
    struct tn_allocator with = list->allocator;
    for (struct block *block = atomic_load(&list->blocks); block;) {
        struct block *next = block->next;
        with.resize(with.context, block, sizeof *block, 0);
        block = next;
    }
    with.resize(with.context, list, sizeof *list, 0);
}

/* ---- slots -------------------------------------------------------------- */

static struct tn_temporary *take_free(struct tn_temporaries *list)
{
    for (struct block *block = atomic_load(&list->blocks); block;
         block               = block->next)
        for (unsigned i = 0; i < SLOTS; i++) {
                          int expected = SLOT_FREE;
                          if (atomic_compare_exchange_strong(&block->slots[i].state,
                                                             &expected, SLOT_TAKEN))
                return &block->slots[i];
        }
    return NULL;
}

/* A new block, whose first slot is taken already. */
static struct tn_temporary *take_new(struct tn_temporaries *list)
{
    struct tn_allocator with = list->allocator;
    struct block *block = with.resize(with.context, NULL, 0, sizeof *block);

    if (!block)
        return NULL;
    memset(block, 0, sizeof *block);
    for (unsigned i = 0; i < SLOTS; i++)
        atomic_init(&block->slots[i].state, i ? SLOT_FREE : SLOT_TAKEN);
    struct block *first = atomic_load(&list->blocks);
    do
        block->next = first;
    while (!atomic_compare_exchange_weak(&list->blocks, &first, block));
    return &block->slots[0];
}

struct tn_temporary *tn_temporary_add(struct tn_temporaries *list,
                                      enum tn_temporary_kind kind, int folder,
                                      const char *name)
{
    struct tn_temporary *slot = NULL;

    if (!list)
        return NULL;
    if (strlen(name) < NAME_SIZE)
        slot = take_free(list);
    if (!slot && strlen(name) < NAME_SIZE)
        slot = take_new(list);
    if (!slot) {
        atomic_store(&list->is_incomplete, true);
        return NULL;
    }
    slot->folder = folder;
    slot->kind   = kind;
    strcpy(slot->name, name);
    atomic_store(&slot->state, SLOT_WHOLE);
    return slot;
}

void tn_temporary_drop(struct tn_temporary *temporary)
{
    if (temporary)
        atomic_store(&temporary->state, SLOT_FREE);
}

/* ---- in a signal handler ------------------------------------------------ */

/* Whether one of that kind was removed. */
static bool remove_all(struct tn_temporaries *list, enum tn_temporary_kind kind)
{
    bool is_any = false;

    for (struct block *block = atomic_load(&list->blocks); block;
         block               = block->next)
        for (unsigned i = 0; i < SLOTS; i++) {
                          struct tn_temporary *slot = &block->slots[i];
                          if (atomic_load(&slot->state) == SLOT_WHOLE && slot->kind == kind)
                is_any |= unlinkat(slot->folder, slot->name,
                                   kind == TN_TEMPORARY_FOLDER ? AT_REMOVEDIR
                                                                             : 0) == 0;
        }
    return is_any;
}

void tn_temporaries_remove(struct tn_temporaries *list)
{
    int number = errno;

    if (!list)
        return;
    remove_all(list, TN_TEMPORARY_FILE);
    while (remove_all(list, TN_TEMPORARY_FOLDER)) {
        /* The next round removes the folders that these were in. */
    }
    if (!atomic_load(&list->is_incomplete))
        remove_all(list, TN_TEMPORARY_LOCK);
    errno = number;
}
