/* zstd.h - Zstandard frames (RFC 8878), by libzstd */
#ifndef TN_CODEC_ZSTD_H
#define TN_CODEC_ZSTD_H

#include "codec/stream.h"

#define TN_ZSTD_LEVEL_MIN      (-131072)
#define TN_ZSTD_LEVEL_MAX      22
#define TN_ZSTD_WINDOW_LOG_MIN 10
#define TN_ZSTD_WINDOW_LOG_MAX 31

/* Appends the content of the one frame that fills `packed`: exactly `size`
 * bytes.  Memory is allocated only after that size was found possible: four
 * bytes of a frame stand for at most 128 KiB. */
enum tn_status tn_zstd_decode(struct tn_bytes packed, uint64_t offset,
                              uint64_t size, struct tn_buffer *to,
                              struct tn_error *error);

/* The same into room for `size` bytes, with a static context that is made once:
 * frames of a few kilobytes are unpacked in less time than it takes to make a
 * context.  Not by two threads at once. */
enum tn_status tn_zstd_decode_into(struct tn_bytes packed, uint64_t size,
                                   uint8_t *room, struct tn_memory *memory,
                                   struct tn_error *error);

/* Appends one frame with all these bytes; unlike a packer it does not copy them
 * into a window. */
enum tn_status tn_zstd_encode(struct tn_bytes plain, int level, int window_log,
                              struct tn_buffer *to, struct tn_error *error);

/* The same to a sink, for frames that may be too long for memory; the beginning
 * goes to `head` (may be NULL) as far as it has room, without a copy. */
enum tn_status tn_zstd_encode_to(struct tn_bytes plain, int level,
                                 int window_log, struct tn_memory *memory,
                                 struct tn_buffer *head, struct tn_sink *to,
                                 struct tn_error *error);

/* An unpacker of one frame, for content that does not fit into memory.  It
 * needs a window as large as the frame says, charged to the budget.  Yours to
 * close. */
enum tn_status tn_zstd_unpacker(struct tn_stream **stream,
                                struct tn_memory *memory, uint64_t offset,
                                struct tn_error *error);

/* A packer of exactly `size` bytes.  window_log 0: by level. */
enum tn_status tn_zstd_packer(struct tn_stream **stream,
                              struct tn_memory *memory, int level,
                              int window_log, uint64_t size,
                              struct tn_error *error);

#endif
