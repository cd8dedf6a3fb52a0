/* pairs.h - a hash map from two 32-bit numbers to one */
#ifndef TN_IR_PAIRS_H
#define TN_IR_PAIRS_H

#include "base/memory.h"

struct tn_pairs {
    struct tn_memory *memory;
    uint64_t         *keys;   /* a << 32 | b                                  */
    uint32_t         *values; /* TN_NONE: a free slot                         */
    uint64_t          room;   /* a power of two, or 0                         */
    uint64_t          count;
    uint64_t          seed; /* odd, and unknown to others                     */
};

void tn_pairs_init(struct tn_pairs *pairs, struct tn_memory *memory);
void tn_pairs_done(struct tn_pairs *pairs);

/* The number stored for (a, b); UINT32_MAX: none. */
uint32_t tn_pairs_find(const struct tn_pairs *pairs, uint32_t a, uint32_t b);

/* Stores `value`, which must not be UINT32_MAX, if (a, b) is new; returns what
 * is stored now, or UINT32_MAX on failure. */
uint32_t tn_pairs_add(struct tn_pairs *pairs, uint32_t a, uint32_t b,
                      uint32_t value, struct tn_error *error);

#endif
