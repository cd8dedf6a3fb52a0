/*
 * cpb.h - chunks in a file: PREFIX.cpb
 *
 *   Riegeli/records file; record 0 .. n-1 are the chunks, record n, the last,
 *   is the ChunkMetadata that says where each is and what it is for.
 *
 * In version 2 there may be further files of chunks, PREFIX.NAME.cpb, which the
 * metadata list, and metadata may be in several records (chunk_meta.h).
 *
 * There is no end mark: a file that was cut off ends in some other record.
 * Metadata are taken for such only when they name chunks that are there; of
 * further files they know the size.
 */
#ifndef TN_CHUNK_CPB_H
#define TN_CHUNK_CPB_H

#include <pthread.h>

#include "chunk/chunk_merge.h"
#include "io/bundle.h"
#include "wire/riegeli/riegeli.h"
#include "wire/riegeli/riegeli_write.h"

/* Unpacked chunks of records are kept while they take no more than this; after
 * that they are unpacked again when they are read. */
#define TN_CPB_KEPT_MEMORY ((uint64_t)64 << 20)

#define TN_CPB_RECENT 4

/* A chunk of records, unpacked. */
struct tn_cpb_chunk {
    uint64_t                 file; /* 0: the main one                         */
    uint64_t                 begin;
    struct tn_riegeli_chunk *chunk;
};

/* A further file; opened when a chunk in it is asked for. */
struct tn_cpb_member {
    char             *name; /* PREFIX.NAME.cpb                                */
    struct tn_riegeli file; /* .source is NULL until then                     */
};

/* Metadata are taken apart at most so many times over. */
#define TN_CPB_LEVEL_LIMIT 8

struct tn_cpb {
    struct tn_chunk_store store; /* first, so that it can be found again      */
    struct tn_memory     *memory;
    struct tn_arena       arena;
    struct tn_riegeli     file;
    struct tn_chunk_meta  meta;
    uint64_t              last;  /* position of the metadata                  */
    uint64_t              parts; /* records that are metadata, the last too  */
    bool is_two;   /* laid out as version 2                                   */
    bool is_loose; /* chunks that are nowhere are for who reads them          */
    struct tn_bundle     *bundle;  /* that members are in; NULL: none        */
    const char           *name;    /* of the main file there                 */
    struct tn_cpb_member *members; /* meta.file_count of them                */
    struct tn_list        kept; /* struct tn_cpb_chunk, ascending            */
    struct tn_list        made; /* struct tn_source *: records in blocks of
                                   the file, or unpacked when read           */
    bool            puts_off; /* long chunks are verified when written        */
    struct tn_list  late;     /* struct late *: those (cpb_late.c)            */
    uint64_t        kept_memory, kept_limit;
    pthread_mutex_t lock; /* of what follows                            */
    struct tn_cpb_chunk recent[TN_CPB_RECENT];
    unsigned            next_recent;
};

/* Reads the metadata, checks their version, sorts them.  On failure *cpb is
 * closed already. */
enum tn_status tn_cpb_open(struct tn_cpb *cpb, struct tn_source *source,
                           struct tn_memory *memory, struct tn_error *error);
/* The same; further files are those beside `name` in the bundle. */
enum tn_status tn_cpb_open_in(struct tn_cpb *cpb, struct tn_bundle *bundle,
                              const char *name, struct tn_source *source,
                              struct tn_error *error);
/* The same for somebody who wants to know all that is wrong: chunks may be
 * where there is nothing, which fails when they are read. */
enum tn_status tn_cpb_open_loosely(struct tn_cpb *cpb, struct tn_bundle *bundle,
                                   const char *name, struct tn_source *source,
                                   struct tn_error *error);
void           tn_cpb_close(struct tn_cpb *cpb);

/* Whoever is going to read all chunks: unpacks and verifies the long ones now,
 * several at once.  Together more than 32 MiB go to files without a name.  What
 * cannot be read fails when it is read. */
void tn_cpb_load(struct tn_cpb *cpb, unsigned workers);

/* Whoever is going to write all chunks: looks at the long ones when they are
 * written, by tn_cpb_stream, and not before.  After this nothing that the
 * chunks make is known to be what it was. */
void tn_cpb_put_off(struct tn_cpb *cpb);

/* Writes what was merged out of chunks that were put off.  A failure says that
 * something is wrong, not always what. */
enum tn_status tn_cpb_stream(struct tn_cpb *cpb, const struct tn_rope *message,
                             unsigned workers, struct tn_sink *to,
                             struct tn_error *error);

/* Further file `index`, which is below meta.file_count.  NOT_FOUND names it
 * when it is missing, TRUNCATED when it is not as long as it was. */
enum tn_status tn_cpb_member(struct tn_cpb *cpb, uint64_t index,
                             struct tn_riegeli **file, struct tn_error *error);

/* A name as the writer gives it to further files of a prefix:
 * PREFIX.bytes.cpb, PREFIX.00001-of-00002.cpb. */
bool tn_cpb_is_member(const char *name, const char *prefix);

/* Looks like one: the signature of a records file. */
bool tn_cpb_probe(struct tn_bytes head);

/* ---- writing ------------------------------------------------------------- */

/* Chunks on their way to files. */
struct tn_chunk; /* splitter.h */
struct tn_cpb_job {
    struct tn_chunk *const          *chunks;
    uint64_t                         count;
    const struct tn_chunked         *message;
    struct tn_split_format           format;
    const struct tn_split_version   *version; /* NULL: that of the format     */
    const struct tn_riegeli_options *options;
    struct tn_arena                 *arena;

    /* A sink for a file: PREFIX.member.cpb, or PREFIX.cpb for NULL, which is
     * the last one to be asked for. */
    enum tn_status (*open)(void *context, const char *member,
                           struct tn_sink **sink, struct tn_error *error);
    void *context;
};

enum tn_status tn_cpb_write_files(const struct tn_cpb_job *job,
                                  struct tn_error         *error);

/* The longest chunk that fits into a file of so many bytes, which are at least
 * TN_CPB_LEAST_FILE. */
#define TN_CPB_LEAST_FILE     1024
#define TN_CPB_LEAST_METADATA 256
uint64_t tn_cpb_chunk_room(uint64_t max_file);

#endif
