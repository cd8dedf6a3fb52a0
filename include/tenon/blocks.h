/*
 * blocks.h - tensors whose elements are stored in quantised blocks
 *
 * GGUF stores most weights this way.  Everything that reads elements gets
 * float32 (tn_tensor_read, tn_get, tn_convert); these functions are about the
 * stored blocks.
 */
#ifndef TENON_BLOCKS_H
#define TENON_BLOCKS_H

#include <tenon/model.h>
#include <tenon/verbs.h>

/* Made by the library alone, so that later versions may add members at the
 * end. */
struct tn_block_info {
    const char *name;     /* "q4_K"                                           */
    uint32_t    elements; /* of a block                                       */
    uint32_t    bytes;    /* of a block                                       */
};

/* Returns false for a tensor that is not stored in blocks. */
TN_API bool tn_tensor_blocks(const struct tn_tensor *tensor,
                             struct tn_block_info   *info);

/* tn_tensor_hash() and tn_model_hash() of such a tensor identify its blocks and
 * their type.  These functions identify the float32 that they stand for: the
 * hash of the same tensor in a format without blocks. */
TN_API enum tn_status tn_tensor_hash_decoded(const struct tn_tensor *tensor,
                                             uint8_t digest[TN_HASH_SIZE],
                                             struct tn_error *error);
TN_API enum tn_status tn_model_hash_decoded(const struct tn_model   *model,
                                            const struct tn_options *options,
                                            uint8_t (*digests)[TN_HASH_SIZE],
                                            struct tn_error *error);

#endif
