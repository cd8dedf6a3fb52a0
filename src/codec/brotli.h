/* brotli.h - Brotli streams (RFC 7932), by libbrotli */
#ifndef TN_CODEC_BROTLI_H
#define TN_CODEC_BROTLI_H

#include "codec/stream.h"

#define TN_BROTLI_QUALITY_MAX    11
#define TN_BROTLI_WINDOW_LOG_MIN 10
#define TN_BROTLI_WINDOW_LOG_MAX 30 /* above 24: the large window extension */

/* An unpacker; it accepts large windows.  Its memory grows with the content,
 * not with what the stream announces.  Yours to close. */
enum tn_status tn_brotli_unpacker(struct tn_stream **stream,
                                  struct tn_memory *memory, uint64_t offset,
                                  struct tn_error *error);

/* A packer.  `size` is how many bytes there will be, as a hint. */
enum tn_status tn_brotli_packer(struct tn_stream **stream,
                                struct tn_memory *memory, int quality,
                                int window_log, uint64_t size,
                                struct tn_error *error);

/* A packer for one part of a stream: `size` bytes that come after `before`
 * plain ones.  The outputs of the packers of all parts, one after the other,
 * are the stream; so several threads can make it. */
enum tn_status tn_brotli_part_packer(struct tn_stream **stream,
                                     struct tn_memory *memory, int quality,
                                     int window_log, uint64_t size,
                                     uint64_t before, bool is_final,
                                     struct tn_error *error);

/* About the most memory that a packer of a long stream needs. */
uint64_t tn_brotli_packer_memory(int quality, int window_log);

#endif
