/*
 * cpb.h - chunks in a file: PREFIX.cpb
 *
 *   Riegeli/records file; record 0 .. n-1 are the chunks, record n, the last,
 *   is the ChunkMetadata that says where each is and what it is for.
 *
 * There is no end mark: a file that was cut off ends in some other record.
 * Metadata are taken for such only when they name chunks that are there.
 */
#ifndef TN_CHUNK_CPB_H
#define TN_CHUNK_CPB_H

#include <pthread.h>

#include "chunk/chunk_merge.h"
#include "wire/riegeli/riegeli.h"
#include "wire/riegeli/riegeli_write.h"

/* Unpacked chunks of records are kept while they take no more than this; after
 * that they are unpacked again when they are read. */
#define TN_CPB_KEPT_MEMORY ((uint64_t)64 << 20)

#define TN_CPB_RECENT 4

struct tn_cpb_chunk {
    uint64_t                 begin;
    struct tn_riegeli_chunk *chunk;
};

struct tn_cpb {
    struct tn_chunk_store store; /* first, so that it can be found again      */
    struct tn_memory     *memory;
    struct tn_arena       arena;
    struct tn_riegeli     file;
    struct tn_chunk_meta  meta;
    uint64_t              last; /* position of the metadata                  */
    struct tn_list        kept; /* struct tn_cpb_chunk, ascending            */
    struct tn_list        made; /* struct tn_source *: records in blocks of
                                   the file, or unpacked when read           */
    uint64_t            kept_memory, kept_limit;
    pthread_mutex_t     lock; /* of what follows                            */
    struct tn_cpb_chunk recent[TN_CPB_RECENT];
    unsigned            next_recent;
};

/* Reads the metadata, checks their version, sorts them.  On failure *cpb is
 * closed already. */
enum tn_status tn_cpb_open(struct tn_cpb *cpb, struct tn_source *source,
                           struct tn_memory *memory, struct tn_error *error);
void           tn_cpb_close(struct tn_cpb *cpb);

/* Looks like one: the signature of a records file. */
bool tn_cpb_probe(struct tn_bytes head);

/* Writes chunks (struct tn_chunk_record) and their metadata, of which `chunks`
 * is filled in. */
struct tn_chunk_record {
    enum tn_chunk_type    type;
    const struct tn_rope *content;
};
enum tn_status tn_cpb_write(struct tn_sink               *to,
                            const struct tn_chunk_record *chunks,
                            uint64_t count, const struct tn_chunked *message,
                            const struct tn_riegeli_options *options,
                            struct tn_arena *arena, struct tn_error *error);

#endif
