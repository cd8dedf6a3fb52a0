/* gzip.h - gzip files (RFC 1952) of one member, in memory */
#ifndef TN_CODEC_GZIP_H
#define TN_CODEC_GZIP_H

#include "base/buffer.h"

/* Whether the bytes begin like a gzip file. */
bool tn_is_gzip(struct tn_bytes bytes);

/* Appends the content of the file: at most `most` bytes.  A wrong checksum is
 * an error. */
enum tn_status tn_gzip_decode(struct tn_bytes packed, uint64_t most,
                              struct tn_buffer *to, struct tn_error *error);

#endif
