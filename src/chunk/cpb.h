/*
 * cpb.h - chunks in a file: PREFIX.cpb
 *
 *   Riegeli/records file; record 0 .. n-1 are the chunks, record n, the last,
 *   is the ChunkMetadata that says where each is and what it is for.
 *
 * In version 2 there may be further files of chunks, PREFIX.NAME.cpb, which the
 * metadata lists, and the metadata may be in several records (chunk_meta.h).
 *
 * There is no end mark: a file that was cut off ends with some other record.  A
 * last record is taken as metadata only if the chunks that it names exist; for
 * further files it also has their size.
 */
#ifndef TN_CHUNK_CPB_H
#define TN_CHUNK_CPB_H

#include <pthread.h>

#include "chunk/chunk_merge.h"
#include "io/bundle.h"
#include "wire/riegeli/riegeli.h"
#include "wire/riegeli/riegeli_write.h"

/* Unpacked chunks of records are kept while they take no more than this; beyond
 * that they are unpacked again for each read. */
#define TN_CPB_KEPT_MEMORY ((uint64_t)64 << 20)

#define TN_CPB_RECENT 4

/* A chunk of records, unpacked. */
struct tn_cpb_chunk {
    uint64_t                 file; /* 0: the main one                         */
    uint64_t                 begin;
    struct tn_riegeli_chunk *chunk;
};

/* A further file; opened when one of its chunks is requested. */
struct tn_cpb_member {
    char             *name; /* PREFIX.NAME.cpb                                */
    struct tn_riegeli file; /* .source is NULL until then                     */
};

/* Metadata may be split at most this many levels deep. */
#define TN_CPB_LEVEL_LIMIT 8

struct tn_cpb {
    struct tn_chunk_store store; /* first, so that it can be found again      */
    struct tn_memory     *memory;
    struct tn_arena       arena;
    struct tn_riegeli     file;
    struct tn_chunk_meta  meta;
    uint64_t              last;  /* position of the metadata                  */
    uint64_t              parts; /* records of metadata, including the last  */
    bool is_two;   /* laid out as version 2                                   */
    bool is_loose; /* chunks that no field refers to are left to the caller   */
    struct tn_bundle     *bundle;  /* that has the members; NULL: none       */
    const char           *name;    /* of the main file there                 */
    struct tn_cpb_member *members; /* meta.file_count of them                */
    struct tn_list        kept; /* struct tn_cpb_chunk, ascending            */
    struct tn_list        made; /* struct tn_source *: records in blocks of
                                   the file, or unpacked when read           */
    bool verifies_late;       /* long chunks are verified when written        */
    struct tn_list      late; /* struct late *: those (cpb_late.c)            */
    uint64_t            kept_memory, kept_limit;
    pthread_mutex_t     lock; /* of what follows                            */
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
/* The same for callers that want to report all problems: chunks may be missing,
 * which fails when they are read. */
enum tn_status tn_cpb_open_for_check(struct tn_cpb    *cpb,
                                     struct tn_bundle *bundle, const char *name,
                                     struct tn_source *source,
                                     struct tn_error  *error);
void           tn_cpb_close(struct tn_cpb *cpb);

/* For callers that will read all chunks: unpacks and verifies the long ones
 * now, several at once.  If they take more than 32 MiB together, they go to
 * unnamed files.  Chunks that cannot be read fail later, when they are read. */
void tn_cpb_load(struct tn_cpb *cpb, unsigned workers);

/* For callers that will write all chunks: the long ones are verified when
 * tn_cpb_stream() writes them, and not before.  Until then nothing made of the
 * chunks is known to be intact. */
void tn_cpb_verify_late(struct tn_cpb *cpb);

/* Writes what was merged from chunks whose verification was put off.  A failure
 * says that something is wrong, but not always what. */
enum tn_status tn_cpb_stream(struct tn_cpb *cpb, const struct tn_rope *message,
                             unsigned workers, struct tn_sink *to,
                             struct tn_error *error);

/* Further file `index`, which is below meta.file_count.  NOT_FOUND if it is
 * missing, TRUNCATED if it is shorter than it was; both name it. */
enum tn_status tn_cpb_member(struct tn_cpb *cpb, uint64_t index,
                             struct tn_riegeli **file, struct tn_error *error);

/* Whether a name is one that the writer gives to further files of a prefix:
 * PREFIX.bytes.cpb, PREFIX.00001-of-00002.cpb. */
bool tn_cpb_is_member(const char *name, const char *prefix);

/* Whether it begins with the signature of a records file. */
bool tn_cpb_probe(struct tn_bytes head);

/* ---- writing ------------------------------------------------------------- */

/* How chunks are written to files. */
struct tn_chunk; /* splitter.h */
struct tn_cpb_job {
    struct tn_chunk *const          *chunks;
    uint64_t                         count;
    const struct tn_chunked         *message;
    struct tn_split_format           format;
    const struct tn_split_version   *version; /* NULL: that of the format     */
    const struct tn_riegeli_options *options;
    struct tn_arena                 *arena;

    /* Returns the sink for a file: PREFIX.member.cpb, or PREFIX.cpb for NULL,
     * which is requested last. */
    enum tn_status (*open)(void *context, const char *member,
                           struct tn_sink **sink, struct tn_error *error);
    void *context;
};

enum tn_status tn_cpb_write_files(const struct tn_cpb_job *job,
                                  struct tn_error         *error);

/* The longest chunk that fits into a file of this many bytes (at least
 * TN_CPB_LEAST_FILE). */
#define TN_CPB_LEAST_FILE     1024
#define TN_CPB_LEAST_METADATA 256
uint64_t tn_cpb_chunk_room(uint64_t max_file);

#endif
