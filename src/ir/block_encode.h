/*
 * block_encode.h - floats as quantised blocks
 *
 * Rounding is that of ggml's reference quantisers, without an importance
 * matrix, bit by bit.  The scale is stored as a half, and the quotients are
 * those of the float that it was rounded from.
 */
#ifndef TN_IR_BLOCK_ENCODE_H
#define TN_IR_BLOCK_ENCODE_H

#include "ir/blocks.h"
#include "ir/payload.h"

/* q4_0, q4_1, q5_0, q5_1 and q8_0; other kinds run searches that are not
 * defined bit by bit. */
bool tn_block_can_encode(unsigned kind);

/* `count` blocks of finite elements. */
void tn_block_encode(unsigned kind, const float *from, size_t count,
                     uint8_t *blocks);

/* Streams the elements as blocks of that kind.  `elements` are float32 and their
 * rows whole blocks; INVALID if one is not finite. */
enum tn_status tn_payload_quantise(const struct tn_elements *elements,
                                   unsigned kind, struct tn_memory *memory,
                                   struct tn_sink *to, struct tn_error *error);

#endif
