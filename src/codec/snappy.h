/* snappy.h - raw Snappy blocks (no framing), by libsnappy */
#ifndef TN_CODEC_SNAPPY_H
#define TN_CODEC_SNAPPY_H

#include "base/buffer.h"

/* Appends what `packed` unpacks to.  `offset` is where it is in the file, for
 * messages.  Memory is allocated only after the announced length was found
 * possible: three bytes of Snappy stand for at most 64. */
enum tn_status tn_snappy_decode(struct tn_bytes packed, uint64_t offset,
                                struct tn_buffer *to, struct tn_error *error);

/* Appends the packed form of `plain`, at most 4 GiB - 1. */
enum tn_status tn_snappy_encode(struct tn_bytes plain, struct tn_buffer *to,
                                struct tn_error *error);

#endif
