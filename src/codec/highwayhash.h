/* highwayhash.h - HighwayHash64: a keyed hash at the speed of memory */
#ifndef TN_CODEC_HIGHWAYHASH_H
#define TN_CODEC_HIGHWAYHASH_H

#include "base/sink.h"

#define TN_HIGHWAYHASH_PACKET 32

struct tn_highwayhash_state {
    uint64_t v0[4], v1[4], m0[4], m1[4];
};

/* A sink that hashes what it is given; mapped spans are hashed in place. */
struct tn_highwayhash {
    struct tn_sink              sink; /* first */
    struct tn_highwayhash_state state;
    uint8_t                     held[TN_HIGHWAYHASH_PACKET];
    size_t                      held_size; /* below a packet                  */
};

void tn_highwayhash_init(struct tn_highwayhash *hash, const uint64_t key[4]);
void tn_highwayhash_add(struct tn_highwayhash *hash, struct tn_bytes bytes);

/* The hash of all that was added; nothing can be added afterwards. */
uint64_t tn_highwayhash_finish(struct tn_highwayhash *hash);

/* All at once. */
uint64_t tn_highwayhash64(const uint64_t key[4], struct tn_bytes bytes);

/* Takes `count` whole packets, by AVX2 where the machine has it; and the same
 * without special instructions, on any machine. */
void tn_highwayhash_packets(struct tn_highwayhash_state *state,
                            const uint8_t *at, size_t count);
void tn_highwayhash_packets_plainly(struct tn_highwayhash_state *state,
                                    const uint8_t *at, size_t count);

#endif
