/*
 * intern.h - names as 32-bit numbers, each stored once
 *
 * Ids count from 0 in order of first appearance; TN_NO_NAME is not an id.  The
 * text is borrowed if the caller says that it outlives the table (names inside
 * a mapping), else copied.
 *
 * A table of a million names is larger than any CPU cache, so a lookup should
 * touch one cache line of it: hash and id are stored side by side.
 */
#ifndef TN_BASE_INTERN_H
#define TN_BASE_INTERN_H

#include "base/byte_view.h"
#include "base/memory.h"

#define TN_NO_NAME UINT32_MAX

struct tn_intern_slot {
    uint32_t entry; /* id + 1, 0: free                                        */
    uint32_t hash;
};

struct tn_intern {
    struct tn_arena       *arena; /* owns copied text                         */
    struct tn_list         names; /* struct tn_bytes by id                    */
    struct tn_intern_slot *slots; /* open addressing                          */
    uint64_t               slot_count;
    uint64_t               used_count; /* of the slots                        */
    uint64_t seed; /* made from the address of the table, so that nobody can
                      choose names that collide                               */
};

void tn_intern_init(struct tn_intern *table, struct tn_arena *arena);
void tn_intern_done(struct tn_intern *table);

/* The id of the text; a new one if it has none yet.  TN_NO_NAME on failure. */
uint32_t tn_intern_borrow(struct tn_intern *table, struct tn_bytes text,
                          struct tn_error *error);
uint32_t tn_intern_copy(struct tn_intern *table, struct tn_bytes text,
                        struct tn_error *error);

/* A new id for borrowed text that will never be looked up: tn_intern_find()
 * does not find it, and equal texts get different ids. */
uint32_t tn_intern_append(struct tn_intern *table, struct tn_bytes text,
                          struct tn_error *error);

/* Makes an id of tn_intern_append() one that tn_intern_find() finds.  Returns
 * it, or the id that the text already has. */
uint32_t tn_intern_adopt(struct tn_intern *table, uint32_t id,
                         struct tn_error *error);

/* Prefetches the slot of a text that will be looked up soon. */
void tn_intern_fetch(const struct tn_intern *table, struct tn_bytes text);

/* Room for so many more texts at once.  False on failure. */
bool tn_intern_reserve(struct tn_intern *table, uint64_t more,
                       struct tn_error *error);

/* The id of the text, or TN_NO_NAME if it was never interned. */
uint32_t tn_intern_find(const struct tn_intern *table, struct tn_bytes text);

static inline uint32_t tn_intern_count(const struct tn_intern *table)
{
    return (uint32_t)table->names.count;
}

/* The text of an id; empty for TN_NO_NAME. */
static inline struct tn_bytes tn_intern_text(const struct tn_intern *table,
                                             uint32_t                id)
{
    if (id >= table->names.count)
        return (struct tn_bytes){ NULL, 0 };
    return ((const struct tn_bytes *)table->names.items)[id];
}

/* A hash of bytes, for tables only: not stable across releases. */
uint32_t tn_hash_bytes(struct tn_bytes bytes, uint64_t seed);

#endif
