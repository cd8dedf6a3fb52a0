/*
 * riegeli_write.h - writing Riegeli/records files
 *
 * Uncompressed simple files are byte for byte Google's for the same records and
 * options.  Chunks are packed by several threads; what is written does not
 * depend on how many.  The target may be a pipe; if it cannot be patched, a
 * long record is first written to a temporary file.
 */
#ifndef TN_WIRE_RIEGELI_WRITE_H
#define TN_WIRE_RIEGELI_WRITE_H

#include "base/rope.h"
#include "base/block_cache.h"
#include "io/pipeline.h"
#include "wire/riegeli/riegeli.h"

struct tn_riegeli_options {
    struct tn_riegeli_codec codec;
    bool is_transposed;              /* fields in columns; for messages       */
    bool keeps_plain;                /* what the codec does not shrink by 5 % is
                                        stored uncompressed                   */
    double          bucket_fraction; /* of a transposed chunk, packed at once */
    uint64_t        chunk_size;    /* 0: 1 MiB, uncompressed 4 KiB            */
    uint64_t        final_padding; /* pad to a multiple of that; 0, 1: do not */
    bool            has_metadata;
    struct tn_bytes metadata; /* a serialized message                         */
    unsigned        workers;  /* 0: as many as there are cores                */
    bool records_last; /* the sources of records live until the writer is done:
                          they need not be copied                             */
};

/* Google's default: brotli of quality 6. */
#define TN_RIEGELI_OPTIONS_INIT                                                \
    {                                                                          \
        .codec = { TN_RIEGELI_BROTLI, 6, 0 }, .bucket_fraction = 1.0           \
    }

/* Parses options in the syntax of Google's writer, such as
 * "zstd:9,transpose,chunk_size:4M".  INVALID names the wrong word. */
enum tn_status tn_riegeli_options_parse(struct tn_riegeli_options *options,
                                        const char                *text,
                                        struct tn_error           *error);

struct tn_riegeli_batch;

/* Records whose mapped pages are still to be released. */
#define TN_RIEGELI_LEFT 16

struct tn_riegeli_writer {
    struct tn_sink           *to;
    struct tn_memory         *memory;
    struct tn_error          *error; /* sticky, as in buffers                 */
    struct tn_riegeli_options options;
    uint64_t                  base;         /* of the file in the sink        */
    uint64_t                  record_count; /* added so far                   */
    struct tn_list            begins; /* of chunks written, see position      */
    struct tn_block_cache     cache; /* what batches and codecs work in       */
    struct tn_arena           arena; /* of ropes; it stays empty             */
    struct tn_riegeli_batch  *batches; /* slots of the pipeline; the next one is
                                         open                                 */
    uint32_t batch_room;
    uint64_t waiting;  /* bytes in closed batches                     */
    uint64_t written;  /* records in chunks that are written         */
    bool     is_stuck; /* a batch could not be written: no more are */
    struct tn_pipeline pipeline; /* packs batches and writes them, in order */
    pthread_mutex_t    left_lock;
    uint32_t           left_count;
    struct tn_span     left[TN_RIEGELI_LEFT]; /* packed, and still mapped     */
};

/* Writes signature and metadata.  The sink's next byte is the file's first.
 * Until it is done the writer has the threads that it packs with, and must stay
 * where it is. */
void tn_riegeli_writer_init(struct tn_riegeli_writer        *writer,
                            struct tn_sink                  *to,
                            const struct tn_riegeli_options *options,
                            struct tn_memory *memory, struct tn_error *error);
void tn_riegeli_writer_done(struct tn_riegeli_writer *writer);

/* Adds a record; its number is the record_count before.  A rope is borrowed for
 * the call only, and so is what it is made of, unless options say it lasts.  A
 * long one that is not compressed is read twice, because the hash comes before
 * the bytes. */
void tn_riegeli_add(struct tn_riegeli_writer *writer, struct tn_bytes record);
void tn_riegeli_add_rope(struct tn_riegeli_writer *writer,
                         const struct tn_rope     *record);

/* The position of a record that was added.  Chunks that are complete are
 * written first; the open one stays open. */
enum tn_status tn_riegeli_position_of(struct tn_riegeli_writer *writer,
                                      uint64_t number, uint64_t *position);

/* Writes what is left, and the final padding. */
enum tn_status tn_riegeli_finish(struct tn_riegeli_writer *writer);

#endif
