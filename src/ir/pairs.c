/* pairs.c - a hash map from two 32-bit numbers to one */
#include "ir/pairs.h"

#include "base/mix.h"

#define FREE UINT32_MAX
#define FIRST_ROOM 64

void tn_pairs_init(struct tn_pairs *pairs, struct tn_memory *memory)
{
    *pairs = (struct tn_pairs){ .memory = memory,
                                 .seed   = tn_mix_seed(pairs) | 1 };
}

void tn_pairs_done(struct tn_pairs *pairs)
{
    tn_memory_free(pairs->memory, pairs->keys,
                   pairs->room * sizeof *pairs->keys);
    tn_memory_free(pairs->memory, pairs->values,
                   pairs->room * sizeof *pairs->values);
    tn_pairs_init(pairs, pairs->memory);
}

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* The slot of the key, or the free one where it belongs.  Ids are handed out
 * by us in order, but which of them come together is for the file to choose:
 * hence the seed. */
static uint64_t find_slot(const struct tn_pairs *pairs, uint64_t key)
{
    uint64_t mask = pairs->room - 1;
    uint64_t hash = tn_mix(key >> 3, pairs->seed);
    /* Eight ids in a row share a cache line. */
    uint64_t slot = ((hash ^ hash >> 32) << 3 | (key & 7)) & mask;

    while (pairs->values[slot] != FREE && pairs->keys[slot] != key)
        slot = (slot + 1) & mask;
    return slot;
}

uint32_t tn_pairs_find(const struct tn_pairs *pairs, uint32_t a, uint32_t b)
{
    if (pairs->room == 0)
        return FREE;
    return pairs->values[find_slot(pairs, key_of(a, b))];
}

static bool grow(struct tn_pairs *pairs, struct tn_error *error)
{
    struct tn_pairs bigger = { .memory = pairs->memory,
                               .seed   = pairs->seed,
                               .room =
                                   pairs->room ? pairs->room * 2 : FIRST_ROOM,
                               .count = pairs->count };

    bigger.keys   = tn_memory_resize(pairs->memory, NULL, 0,
                                     bigger.room * sizeof *bigger.keys, error);
    bigger.values = tn_memory_resize(
        pairs->memory, NULL, 0, bigger.room * sizeof *bigger.values, error);
    if (!bigger.keys || !bigger.values) {
        tn_pairs_done(&bigger);
        return false;
    }
    memset(bigger.values, 0xff, (size_t)(bigger.room * sizeof *bigger.values));
    for (uint64_t i = 0; i < pairs->room; i++) {
        if (pairs->values[i] == FREE)
            continue;
        uint64_t slot       = find_slot(&bigger, pairs->keys[i]);
        bigger.keys[slot]   = pairs->keys[i];
        bigger.values[slot] = pairs->values[i];
    }
    tn_pairs_done(pairs);
    *pairs = bigger;
    return true;
}

uint32_t tn_pairs_add(struct tn_pairs *pairs, uint32_t a, uint32_t b,
                      uint32_t value, struct tn_error *error)
{
    if (pairs->count * 4 >= pairs->room * 3 && !grow(pairs, error))
        return FREE;
    uint64_t slot = find_slot(pairs, key_of(a, b));
    if (pairs->values[slot] != FREE)
        return pairs->values[slot];
    pairs->keys[slot]   = key_of(a, b);
    pairs->values[slot] = value;
    pairs->count++;
    return value;
}
