/*
 * diff_buckets.h - items of the right side by a 64-bit key, taken one by one
 *
 * Items are added last first, so that those of a key come out in order.  An
 * item that was taken or matched elsewhere is skipped once and for all: a
 * million equal items cost as much as a million different ones.
 */
#ifndef TN_DIFF_BUCKETS_H
#define TN_DIFF_BUCKETS_H

#include "base/memory.h"

struct tn_diff_entry {
    uint64_t key;
    uint32_t head; /* entry in `links` + 1; 0: a free slot                    */
    uint32_t count;
};

struct tn_diff_link {
    uint32_t item, next;
};

struct tn_diff_buckets {
    struct tn_memory     *memory;
    struct tn_diff_entry *slots;
    uint64_t              slot_count; /* a power of two                       */
    struct tn_diff_link  *links;
    uint64_t              link_room, link_count;
};

/* Room for `count` items. */
enum tn_status tn_diff_buckets_init(struct tn_diff_buckets *buckets,
                                    struct tn_memory *memory, uint64_t count,
                                    struct tn_error *error);
void           tn_diff_buckets_done(struct tn_diff_buckets *buckets);
void           tn_diff_buckets_clear(struct tn_diff_buckets *buckets);
void tn_diff_buckets_add(struct tn_diff_buckets *buckets, uint64_t key,
                         uint32_t item);

/* How many were added with the key. */
uint32_t tn_diff_buckets_count(const struct tn_diff_buckets *buckets,
                               uint64_t                      key);

/* The first item of the key that has no match yet (`taken` is UINT32_MAX for
 * it); UINT32_MAX: none.  It stays first. */
uint32_t tn_diff_buckets_first(struct tn_diff_buckets *buckets, uint64_t key,
                               const uint32_t *taken);

#endif
