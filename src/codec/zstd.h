/* zstd.h - Zstandard frames (RFC 8878), by libzstd */
#ifndef TN_CODEC_ZSTD_H
#define TN_CODEC_ZSTD_H

#include "codec/stream.h"

#define TN_ZSTD_LEVEL_MIN      (-131072)
#define TN_ZSTD_LEVEL_MAX      22
#define TN_ZSTD_WINDOW_LOG_MIN 10
#define TN_ZSTD_WINDOW_LOG_MAX 31

/* Appends what the one frame that fills `packed` holds: exactly `size` bytes.
 * Memory is asked for only after that was found possible: no four bytes of a
 * frame say more than 128 KiB. */
enum tn_status tn_zstd_decode(struct tn_bytes packed, uint64_t offset,
                              uint64_t size, struct tn_buffer *to,
                              struct tn_error *error);

/* Appends the frame of all these bytes; unlike a packer it needs no window to
 * copy them into. */
enum tn_status tn_zstd_encode(struct tn_bytes plain, int level, int window_log,
                              struct tn_buffer *to, struct tn_error *error);

/* The same to a sink, for what may stay too long for memory; what there is room
 * for in `head` (may be NULL) goes there first, without a copy. */
enum tn_status tn_zstd_encode_to(struct tn_bytes plain, int level,
                                 int window_log, struct tn_memory *memory,
                                 struct tn_buffer *head, struct tn_sink *to,
                                 struct tn_error *error);

/* An unpacker of one frame, for what does not fit into memory.  It needs a
 * window as large as the frame says, counted.  Yours to close. */
enum tn_status tn_zstd_unpacker(struct tn_stream **stream,
                                struct tn_memory *memory, uint64_t offset,
                                struct tn_error *error);

/* A packer of exactly `size` bytes.  window_log 0: by level. */
enum tn_status tn_zstd_packer(struct tn_stream **stream,
                              struct tn_memory *memory, int level,
                              int window_log, uint64_t size,
                              struct tn_error *error);

#endif
