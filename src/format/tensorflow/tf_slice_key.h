/*
 * tf_slice_key.h - the keys of slices in the tables of checkpoints
 *
 *   key  := 00, name with 00 -> 00 ff and ff -> ff 00, 00 01, num(rank),
 *           per dimension snum(start) snum(length)
 *   num  := one byte n (0..8), then n bytes big-endian, no leading zero
 *   snum := k bytes (1..10): the low bytes of v in two's complement,
 *           big-endian, k the least with -2^(7k-1) <= v < 2^(7k-1); the first
 *           ones are xored with k set bits, so that keys sort as numbers do
 *
 * A whole dimension is start 0, length -1.
 */
#ifndef TN_FORMAT_TF_SLICE_KEY_H
#define TN_FORMAT_TF_SLICE_KEY_H

#include "base/buffer.h"
#include "base/cursor.h"

/* One dimension of a slice. */
struct tn_tf_extent {
    int64_t start;
    int64_t length; /* -1: all of it */
};

#define TN_TF_WHOLE (-1)

/* The most dimensions a tensor of TensorFlow has. */
#define TN_TF_RANK_LIMIT 254

void tn_tf_num_put(struct tn_buffer *to, uint64_t value);
void tn_tf_snum_put(struct tn_buffer *to, int64_t value);

/* Fail the cursor if the bytes are not a number in its shortest form. */
uint64_t tn_tf_num(struct tn_cursor *c);
int64_t  tn_tf_snum(struct tn_cursor *c);

void tn_tf_slice_key_put(struct tn_buffer *to, struct tn_bytes name,
                         const struct tn_tf_extent *extents, uint32_t rank);

/* Whether the key is that of a slice; if so, appends the name. */
bool tn_tf_slice_key_read(struct tn_bytes key, struct tn_buffer *name,
                          struct tn_tf_extent extents[TN_TF_RANK_LIMIT],
                          uint32_t           *rank);

#endif
