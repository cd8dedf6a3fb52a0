/*
 * riegeli_packed.h - the packed buffers that chunk data are made of
 *
 *   buffer := varint plain_size  stream        -- unless uncompressed:
 *   buffer := bytes
 *
 * A stream is one brotli stream, one zstd frame or one raw snappy block, and
 * fills its place exactly.
 */
#ifndef TN_WIRE_RIEGELI_PACKED_H
#define TN_WIRE_RIEGELI_PACKED_H

#include "base/rope.h"
#include "io/spool.h"
#include "wire/riegeli/riegeli.h"

/* Fails unless it is one of the four. */
enum tn_status tn_riegeli_check_compression(uint8_t type, uint64_t offset,
                                            struct tn_error *error);

/* Appends the contents of the buffer that fills `packed`, at most `most` bytes.
 * Offsets in errors are those of the span's source. */
enum tn_status tn_riegeli_unpack(enum tn_riegeli_compression type,
                                 struct tn_span packed, uint64_t most,
                                 struct tn_buffer *to, struct tn_error *error);

/* The same to a sink, in portions; exactly `size` bytes.  Snappy cannot work in
 * portions: it needs all of them in memory. */
enum tn_status tn_riegeli_unpack_to(enum tn_riegeli_compression type,
                                    struct tn_span packed, uint64_t size,
                                    struct tn_memory *memory,
                                    struct tn_sink *to, struct tn_error *error);

/* The same into an unnamed file, for what does not fit into memory. */
enum tn_status tn_riegeli_unpack_spooled(enum tn_riegeli_compression type,
                                         struct tn_span packed, uint64_t size,
                                         struct tn_memory  *memory,
                                         struct tn_source **to,
                                         struct tn_error   *error);

/* Appends `plain` as a packed buffer. */
enum tn_status tn_riegeli_pack(const struct tn_riegeli_codec *codec,
                               struct tn_bytes plain, struct tn_buffer *to,
                               struct tn_error *error);

/* Writes it to a sink, in portions; snappy needs all of it in memory, a long
 * brotli stream is packed by several workers.  How many does not change the
 * bytes. */
enum tn_status tn_riegeli_pack_rope(const struct tn_riegeli_codec *codec,
                                    const struct tn_rope          *plain,
                                    unsigned workers, struct tn_memory *memory,
                                    struct tn_sink *to, struct tn_error *error);

/* A sink into memory, and into an unnamed file once that becomes too large. */
struct tn_riegeli_spill {
    struct tn_sink    sink; /* first */
    struct tn_buffer *to;
    struct tn_spool   spool;
    bool              is_spooled;
};

/* Bytes by zstd, in one go, on the caller's thread alone. */
enum tn_status tn_riegeli_pack_bytes(const struct tn_riegeli_codec *codec,
                                     struct tn_bytes                plain,
                                     struct tn_memory              *memory,
                                     struct tn_riegeli_spill       *to,
                                     struct tn_error               *error);

/* Streams up to this length are packed in one part. */
#define TN_RIEGELI_ONE_PART (UINT64_C(32) << 20)

/* Whether all of it is in memory or mapped, so that any thread can read it. */
bool tn_riegeli_is_at_hand(const struct tn_rope *rope);

/* How many of the wanted brotli packers fit into memory. */
unsigned tn_riegeli_brotli_workers(const struct tn_riegeli_codec *codec,
                                   unsigned                       workers,
                                   const struct tn_memory        *memory);

void tn_riegeli_spill_init(struct tn_riegeli_spill *spill,
                           struct tn_buffer        *to);

/* What is not in the buffer, or NULL.  Must be called. */
void tn_riegeli_spill_finish(struct tn_riegeli_spill *spill,
                             struct tn_source **rest, struct tn_error *error);

#define TN_RIEGELI_BROTLI_WINDOW_LOG 22 /* the default */

#endif
