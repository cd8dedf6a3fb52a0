/* riegeli_put.h - writes a chunk into the file, with the block headers in
 * between */
#ifndef TN_WIRE_RIEGELI_PUT_H
#define TN_WIRE_RIEGELI_PUT_H

#include "base/rope.h"
#include "codec/highwayhash.h"
#include "wire/riegeli/riegeli.h"

/* Writes one chunk: header, data, and zeros to its end.  `base` is where the
 * file begins in the sink, whose next byte is the chunk's first.  Of the frame
 * type, record_count and decoded_size are given; the rest is filled in. */
enum tn_status tn_riegeli_put_chunk(struct tn_sink *to, uint64_t base,
                                    struct tn_riegeli_frame *frame,
                                    const struct tn_rope    *data,
                                    struct tn_error         *error);

/* The hash of data; and the same for data whose hash is already in the
 * frame. */
enum tn_status tn_riegeli_hash(const struct tn_rope *data, uint64_t *hash,
                               struct tn_error *error);
enum tn_status tn_riegeli_put_hashed(struct tn_sink *to, uint64_t base,
                                     struct tn_riegeli_frame *frame,
                                     const struct tn_rope    *data,
                                     struct tn_error         *error);

/* The same for data whose length is only known at the end: it is written to the
 * first sink here, and what comes before it is patched at the end. */
struct tn_riegeli_chunk_sink {
    struct tn_sink        sink; /* first; for the data                        */
    struct tn_sink       *to;   /* tn_sink_can_patch()                        */
    uint64_t              base;
    uint64_t              begin, end; /* of the chunk                         */
    struct tn_highwayhash hash;
};

enum tn_status tn_riegeli_chunk_begin(struct tn_riegeli_chunk_sink *laying,
                                      struct tn_sink *to, uint64_t base,
                                      struct tn_error *error);
enum tn_status tn_riegeli_chunk_end(struct tn_riegeli_chunk_sink *laying,
                                    struct tn_riegeli_frame      *frame,
                                    struct tn_error              *error);

/* Writes a padding chunk up to a multiple of `multiple`; nothing if the file
 * already ends there, or for 0 and 1. */
enum tn_status tn_riegeli_put_padding(struct tn_sink *to, uint64_t base,
                                      uint64_t          multiple,
                                      struct tn_memory *memory,
                                      struct tn_error  *error);

#endif
