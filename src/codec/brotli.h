/* brotli.h - Brotli streams (RFC 7932), by libbrotli */
#ifndef TN_CODEC_BROTLI_H
#define TN_CODEC_BROTLI_H

#include "codec/stream.h"

#define TN_BROTLI_QUALITY_MAX    11
#define TN_BROTLI_WINDOW_LOG_MIN 10
#define TN_BROTLI_WINDOW_LOG_MAX 30 /* above 24: the large window extension */

/* An unpacker; takes large windows too.  It asks for memory as the content
 * grows, not as the stream announces.  Yours to close. */
enum tn_status tn_brotli_unpacker(struct tn_stream **stream,
                                  struct tn_memory *memory, uint64_t offset,
                                  struct tn_error *error);

/* A packer.  `size` is how many bytes there will be, as a hint. */
enum tn_status tn_brotli_packer(struct tn_stream **stream,
                                struct tn_memory *memory, int quality,
                                int window_log, uint64_t size,
                                struct tn_error *error);

/* A packer of one part of a stream: `size` bytes that come after `before` plain
 * ones.  What the packers of all parts give, one after the other, is the
 * stream; so several threads can make it. */
enum tn_status tn_brotli_part_packer(struct tn_stream **stream,
                                     struct tn_memory *memory, int quality,
                                     int window_log, uint64_t size,
                                     uint64_t before, bool is_final,
                                     struct tn_error *error);

/* About the most memory that a packer of a long stream needs. */
uint64_t tn_brotli_packer_memory(int quality, int window_log);

#endif
