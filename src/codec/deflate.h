/*
 * deflate.h - deflate streams (RFC 1951), as zip entries hold them: no header
 *
 * Two libraries: libdeflate is two to three times as fast and needs input and
 * output in memory; zlib works in portions, with 40 KiB whatever the length.
 */
#ifndef TN_CODEC_DEFLATE_H
#define TN_CODEC_DEFLATE_H

#include "codec/stream.h"

/* The highest ratio that a stream can reach: 258 bytes for two bits. */
#define TN_DEFLATE_MOST 1032

/* Appends the content of the one stream that fills `packed`: exactly `size`
 * bytes.  Memory is allocated only after that size was found possible.
 * libdeflate's own 11 KiB are not counted: it supports no other allocator than
 * that of the process. */
enum tn_status tn_deflate_decode(struct tn_bytes packed, uint64_t offset,
                                 uint64_t size, struct tn_buffer *to,
                                 struct tn_error *error);

/* Appends the bytes packed at level 1 to 12. */
enum tn_status tn_deflate_encode(struct tn_bytes bytes, int level,
                                 struct tn_buffer *to, struct tn_error *error);

/* The same in portions.  Yours to close. */
enum tn_status tn_deflate_unpacker(struct tn_stream **stream,
                                   struct tn_memory *memory, uint64_t offset,
                                   struct tn_error *error);
enum tn_status tn_deflate_packer(struct tn_stream **stream,
                                 struct tn_memory *memory, int level,
                                 struct tn_error *error);

#endif
