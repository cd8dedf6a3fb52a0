/*
 * nd4j_hash.h - custom operations of nd4j are numbered by a hash of their name
 *
 * A character counts as two bytes, the second of which is zero.
 */
#ifndef TN_BASE_ND4J_HASH_H
#define TN_BASE_ND4J_HASH_H

#include <stdint.h>

#include "base/byte_view.h"

struct tn_nd4j_hasher {
    uint64_t table[256];
};

void    tn_nd4j_hasher_init(struct tn_nd4j_hasher *hasher);
int64_t tn_nd4j_hash(const struct tn_nd4j_hasher *hasher, struct tn_bytes name);

#endif
