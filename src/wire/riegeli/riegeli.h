/*
 * riegeli.h - Riegeli/records files: reading
 *
 *   file  := chunk*                  the first one is the signature
 *   chunk := header[40]  data[data_size]  zeros up to its end
 *
 *   header:  0 u64 hash of the 32 bytes after it
 *            8 u64 data_size
 *           16 u64 hash of the data, as stored
 *           24 u8  type: s signature, m metadata, p padding,
 *                        r records, t transposed records
 *           25 u56 record_count
 *           32 u64 decoded_size: of all records together
 *
 * At every multiple of 64 KiB, in the middle of whatever is there:
 *
 *   block:   0 u64 hash of the 16 bytes after it
 *            8 u64 from the begin of the interrupted chunk to here
 *           16 u64 from here to its end
 *
 *   data of r := u8 compression  varint n  sizes[n]  values
 *   data of t := riegeli_transposed.c;  m is a t of one record
 *
 * Little-endian.  The hash is HighwayHash64.  `sizes` are varints, `values` all
 * records joined; each is packed by the compression (0 none, b brotli, z zstd,
 * s snappy) and, unless that is none, comes after its plain size as a varint.
 *
 * A record's position is its chunk's begin plus its index there.  It is unique
 * and ascends, since a chunk has at least as many bytes as records; it is not
 * where the record's bytes are.
 *
 * There is no end mark: a file that is cut between two chunks is a valid,
 * shorter file.
 */
#ifndef TN_WIRE_RIEGELI_H
#define TN_WIRE_RIEGELI_H

#include "base/buffer.h"
#include "base/rope.h"
#include "base/source.h"

#define TN_RIEGELI_SIGNATURE_SIZE 64

extern const uint8_t  tn_riegeli_signature[TN_RIEGELI_SIGNATURE_SIZE];
extern const uint64_t tn_riegeli_key[4]; /* of all hashes                     */

enum tn_riegeli_type {
    TN_RIEGELI_SIGNATURE  = 's',
    TN_RIEGELI_METADATA   = 'm',
    TN_RIEGELI_PADDING    = 'p',
    TN_RIEGELI_SIMPLE     = 'r',
    TN_RIEGELI_TRANSPOSED = 't',
};

enum tn_riegeli_compression {
    TN_RIEGELI_NONE   = 0,
    TN_RIEGELI_BROTLI = 'b',
    TN_RIEGELI_ZSTD   = 'z',
    TN_RIEGELI_SNAPPY = 's',
};

/* How to pack: the numbers of the codecs, window_log 0 for their own. */
struct tn_riegeli_codec {
    enum tn_riegeli_compression type;
    int                         level;
    int                         window_log;
};

/* ---- the file ----------------------------------------------------------- */

struct tn_riegeli {
    struct tn_source *source;
    struct tn_memory *memory;
    uint64_t limit; /* a chunk that unpacks to more is TN_LIMIT            */
    uint64_t in_memory; /* one that unpacks to more is spooled to a file      */
};

/* Verifies the signature.  Nothing needs to be closed; the source must outlive
 * it.  By default `limit` is what a file of that size may expand to
 * (base/expand.h) and `in_memory` is 32 MiB. */
enum tn_status tn_riegeli_open(struct tn_riegeli *file,
                               struct tn_source  *source,
                               struct tn_memory  *memory,
                               struct tn_error   *error);

/* ---- chunks ------------------------------------------------------------- */

/* The header of a chunk, and where the chunk is. */
struct tn_riegeli_frame {
    uint64_t begin, end;
    uint64_t data_size;
    uint64_t data_hash;
    uint64_t record_count;
    uint64_t decoded_size;
    uint8_t  type; /* enum tn_riegeli_type, or an unknown type                */
};

/* Where a reader that skips damage continues. */
struct tn_riegeli_fault {
    uint64_t resume;
    bool     is_lost; /* look for the next good block from there on           */
};

/* The chunk that begins at `begin`: its header, with both hashes; it ends in
 * the file.  `fault` may be NULL. */
enum tn_status tn_riegeli_frame_read(const struct tn_riegeli *file,
                                     uint64_t                 begin,
                                     struct tn_riegeli_frame *frame,
                                     struct tn_riegeli_fault *fault,
                                     struct tn_error         *error);

/* Reads all of it and verifies the hash of the data, every block in it, and
 * that only zeros follow the data. */
enum tn_status tn_riegeli_frame_check(const struct tn_riegeli       *file,
                                      const struct tn_riegeli_frame *frame,
                                      struct tn_riegeli_fault       *fault,
                                      struct tn_error               *error);

/* The chunk with the record at this position, or the first one after it when
 * the position names none.  Reads headers only, those of one block.  At the end
 * of the file *frame has begin == end == the size. */
enum tn_status tn_riegeli_frame_find(const struct tn_riegeli *file,
                                     uint64_t                 position,
                                     struct tn_riegeli_frame *frame,
                                     struct tn_error         *error);

/* The last chunk with a record; false when there is none and after a failure.
 * Reads headers only, from the end backwards. */
bool tn_riegeli_frame_last(const struct tn_riegeli *file,
                           struct tn_riegeli_frame *frame,
                           struct tn_error         *error);

/* An unpacked chunk.  Chunks are independent: keep as many as memory allows. */
struct tn_riegeli_chunk;

/* Verifies all of the frame and unpacks it.  Yours to close.  A chunk without
 * records (signature, padding) has none; metadata has one. */
enum tn_status tn_riegeli_chunk_open(struct tn_riegeli_chunk      **chunk,
                                     const struct tn_riegeli       *file,
                                     const struct tn_riegeli_frame *frame,
                                     struct tn_riegeli_fault       *fault,
                                     struct tn_error               *error);
void           tn_riegeli_chunk_close(struct tn_riegeli_chunk *chunk);

/* Finds only where the records end, for listing them: of a simple chunk only
 * the sizes are unpacked, and the hash of the data is not verified; other
 * chunks are opened in full.  The records must not be read. */
enum tn_status tn_riegeli_chunk_measure(struct tn_riegeli_chunk      **chunk,
                                        const struct tn_riegeli       *file,
                                        const struct tn_riegeli_frame *frame,
                                        struct tn_error               *error);

/* The same for callers that will read all of it later, by
 * tn_riegeli_chunk_pass(): the records of a simple chunk that is not compressed
 * can be read, unverified.  UNSUPPORTED for other chunks. */
enum tn_status tn_riegeli_chunk_trust(struct tn_riegeli_chunk      **chunk,
                                      const struct tn_riegeli       *file,
                                      const struct tn_riegeli_frame *frame,
                                      struct tn_error               *error);

/* Verifies all of a chunk that was trusted, and writes its records to `to`, one
 * after the other, in windows, whatever its size. */
enum tn_status tn_riegeli_chunk_pass(const struct tn_riegeli_chunk *chunk,
                                     const struct tn_riegeli       *file,
                                     struct tn_sink                *to,
                                     struct tn_error               *error);

uint64_t tn_riegeli_chunk_count(const struct tn_riegeli_chunk *chunk);

/* The length of record `index`; and how the chunk is packed: an enum
 * tn_riegeli_compression if it has records or metadata. */
uint64_t tn_riegeli_chunk_size(const struct tn_riegeli_chunk *chunk,
                               uint64_t                       index);
uint8_t  tn_riegeli_chunk_packing(const struct tn_riegeli_chunk *chunk);

/* Record `index` of it.  The source of the span is the chunk's, valid until it
 * is closed; of an uncompressed simple chunk nothing was copied. */
struct tn_span tn_riegeli_chunk_record(const struct tn_riegeli_chunk *chunk,
                                       uint64_t                       index);

/* The same as pieces of a rope: of an uncompressed simple chunk they are spans
 * of the file itself, which the kernel can copy.  Valid as long as the chunk.
 */
void tn_riegeli_chunk_spans(const struct tn_riegeli_chunk *chunk,
                            uint64_t index, struct tn_rope *to);

/* ---- walking ------------------------------------------------------------ */

struct tn_riegeli_record {
    struct tn_span bytes; /* valid until the walk leaves the chunk            */
    uint64_t       chunk; /* where that begins                                */
    uint64_t       index; /* in it                                            */
};

static inline uint64_t tn_riegeli_position(
    const struct tn_riegeli_record *record)
{
    return record->chunk + record->index;
}

/* Damage that was skipped: [begin, end) of the file, and what was wrong. */
typedef void tn_riegeli_skipped(void *context, uint64_t begin, uint64_t end,
                                const struct tn_error *why);

struct tn_riegeli_ahead;

struct tn_riegeli_walk {
    const struct tn_riegeli *file;
    struct tn_error         *error;
    tn_riegeli_skipped      *skipped; /* NULL: stop at the first damage       */
    void                    *context;
    struct tn_riegeli_chunk *chunk; /* the one being walked, or NULL          */
    struct tn_riegeli_frame  frame; /* its frame                              */
    uint64_t                 index; /* of the next record in it               */
    uint64_t                 next;  /* where the next chunk begins            */
    unsigned                 workers; /* threads that unpack chunks ahead     */
    struct tn_riegeli_ahead *ahead;   /* what they unpack; NULL: nothing yet  */
};

/* At the first record.  Afterwards set `skipped` to go on over damage, and
 * `workers` to unpack a few chunks at once, ahead of the walk: 1 until then.
 * More have threads until the walk is done. */
void tn_riegeli_walk_init(struct tn_riegeli_walk  *walk,
                          const struct tn_riegeli *file,
                          struct tn_error         *error);
void tn_riegeli_walk_done(struct tn_riegeli_walk *walk);

/* The next record, or false at the end and after a failure. */
bool tn_riegeli_next(struct tn_riegeli_walk   *walk,
                     struct tn_riegeli_record *record);

/* The next record will be the one at `position`, or the first after it. */
enum tn_status tn_riegeli_seek(struct tn_riegeli_walk *walk, uint64_t position);

/* The last record of the file, without reading what is before its chunk; false
 * when there is none and after a failure.  The walk is at the end then. */
bool tn_riegeli_last(struct tn_riegeli_walk   *walk,
                     struct tn_riegeli_record *record);

/* Appends the file's metadata, a serialized message.  *has is whether there is
 * any: it can only be in the chunk after the signature. */
enum tn_status tn_riegeli_metadata(const struct tn_riegeli *file,
                                   struct tn_buffer *to, bool *has,
                                   struct tn_error *error);

#endif
