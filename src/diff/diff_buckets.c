/* diff_buckets.c - items by key, taken in order */
#include "diff/diff_buckets.h"

#include "base/mix.h"

enum tn_status tn_diff_buckets_init(struct tn_diff_buckets *buckets,
                                    struct tn_memory *memory, uint64_t count,
                                    struct tn_error *error)
{
    uint64_t slots = 16;

    while (slots < count + count / 2)
        slots *= 2;
    *buckets       = (struct tn_diff_buckets){ .memory     = memory,
                                               .slot_count = slots,
                                               .link_room  = count };
    buckets->slots = tn_memory_resize(memory, NULL, 0,
                                      slots * sizeof *buckets->slots, error);
    buckets->links = tn_memory_resize(
        memory, NULL, 0, (count + 1) * sizeof *buckets->links, error);
    if (buckets->slots)
        tn_diff_buckets_clear(buckets);
    return error->status;
}

void tn_diff_buckets_done(struct tn_diff_buckets *buckets)
{
    if (buckets->slots)
        tn_memory_free(buckets->memory, buckets->slots,
                       buckets->slot_count * sizeof *buckets->slots);
    if (buckets->links)
        tn_memory_free(buckets->memory, buckets->links,
                       (buckets->link_room + 1) * sizeof *buckets->links);
    buckets->slots = NULL;
    buckets->links = NULL;
}

void tn_diff_buckets_clear(struct tn_diff_buckets *buckets)
{
    memset(buckets->slots, 0,
           (size_t)(buckets->slot_count * sizeof *buckets->slots));
    buckets->link_count = 0;
}

/* The slot of the key, or the free one where it would be.  The address goes in,
 * so that nobody can choose keys that collide. */
static struct tn_diff_entry *slot_of(const struct tn_diff_buckets *buckets,
                                     uint64_t                      key)
{
    uint64_t mask = buckets->slot_count - 1;
    uint64_t at   = tn_mix(key ^ UINT64_C(0x9e3779b97f4a7c15),
                           tn_mix_seed(buckets->slots) | 1) &
                  mask;

    while (buckets->slots[at].head && buckets->slots[at].key != key)
        at = (at + 1) & mask;
    return &buckets->slots[at];
}

void tn_diff_buckets_add(struct tn_diff_buckets *buckets, uint64_t key,
                         uint32_t item)
{
    struct tn_diff_entry *slot = slot_of(buckets, key);

    if (buckets->link_count >= buckets->link_room)
        return; /* more than was announced: our own mistake, and harmless */
    buckets->links[buckets->link_count++] =
        (struct tn_diff_link){ item, slot->head };
    slot->key  = key;
    slot->head = (uint32_t)buckets->link_count;
    slot->count++;
}

uint32_t tn_diff_buckets_count(const struct tn_diff_buckets *buckets,
                               uint64_t                      key)
{
    return slot_of(buckets, key)->count;
}

uint32_t tn_diff_buckets_first(struct tn_diff_buckets *buckets, uint64_t key,
                               const uint32_t *taken)
{
    struct tn_diff_entry *slot = slot_of(buckets, key);

    if (!slot->head)
        return UINT32_MAX;
    for (;;) {
        struct tn_diff_link link = buckets->links[slot->head - 1];
        if (taken[link.item] == UINT32_MAX)
            return link.item;
        if (!link.next)
            return UINT32_MAX; /* the last one stays, so that the key does */
        slot->head = link.next;
    }
}
