/*
 * farmhash.h - FarmHash's Fingerprint64, which TensorFlow's fingerprints use
 *
 * Detects accidents, not attacks: it is easy to make two inputs with the same
 * fingerprint.
 */
#ifndef TN_CODEC_FARMHASH_H
#define TN_CODEC_FARMHASH_H

#include "base/sink.h"

#define TN_FARMHASH_BLOCK 64

/* Running values of an input of more than one block. */
struct tn_farmhash_state {
    uint64_t x, y, z;
    uint64_t v[2], w[2];
};

/* A sink that computes the fingerprint of what it is given; mapped spans are
 * read in place. */
struct tn_farmhash {
    struct tn_sink           sink; /* first */
    struct tn_farmhash_state state;
    uint8_t held[2 * TN_FARMHASH_BLOCK]; /* the block before, then what came
                                            after it                         */
    size_t held_size; /* of the second half: 1 .. 64, once there is any     */
    bool   is_begun;  /* a block was taken                                  */
};

void tn_farmhash_init(struct tn_farmhash *hash);
void tn_farmhash_add(struct tn_farmhash *hash, struct tn_bytes bytes);

/* The fingerprint of all that was added; nothing can be added afterwards. */
uint64_t tn_farmhash_finish(struct tn_farmhash *hash);

/* All at once. */
uint64_t tn_farmhash64(struct tn_bytes bytes);

#endif
