/*
 * chunk_merge.h - merges chunks into one message
 *
 * The resulting message is a mosaic: it refers to the chunks, whatever its
 * size.
 */
#ifndef TN_CHUNK_MERGE_H
#define TN_CHUNK_MERGE_H

#include "chunk/chunk_meta.h"
#include "chunk/mosaic.h"

/* What is known about a chunk; found out once for all merges that use it. */
struct tn_chunk_known {
    bool is_whole;
    bool is_unseen;     /* it is verified when it is written                  */
    bool must_be_whole; /* and must then prove to be whole fields             */
    uint32_t series_count;
    uint64_t offset; /* where the chunk was then                              */
    union {
        const struct tn_field_series *series; /* is_whole */
        uint64_t late; /* is_unseen: its number among those, for the store    */
    };
};

/* Where chunks come from.  Only those that are needed are read. */
struct tn_chunk_store {
    uint64_t count;
    bool     is_in_order; /* fields are merged in the caller's order: those of
                             one place need not be neighbours                 */
    /* Chunk `index`, which is below count.  Its source must outlive the
     * merged message. */
    enum tn_status (*read)(struct tn_chunk_store *store, uint64_t index,
                           struct tn_span *chunk, struct tn_error *error);
    struct tn_chunk_known *known; /* by chunk; NULL: it keeps nothing         */
    struct tn_arena       *arena; /* of what is known                         */
    char joined[120]; /* the first string or bytes made of several chunks     */
};

/* About store->joined, in a file of version 1. */
#define TN_JOINED_WARNING                                                      \
    "several chunks for %s, put one behind the other; TensorFlow's merger "    \
    "keeps the last of them"

/* Chunks may be used more than once, but the result may not have more than this
 * many times their bytes: a short file must not become an endless message. */
#define TN_CHUNK_REUSE_LIMIT 16
#define TN_CHUNK_REUSE_FREE  ((uint64_t)1 << 20)

/* The file that a caller names: PREFIX.cpb if it exists, else PREFIX.pb, else
 * what has that very name (a file, a folder), or "-".  NULL on failure. */
char *tn_merge_find(const char *prefix, struct tn_arena *arena,
                    struct tn_error *error);

/* Merges into `to`, which has the type of the message that was split.
 * `message` must be sorted (tn_chunked_sort()), unless the store says that the
 * order counts.  Several chunks for one string or bytes field are joined. */
enum tn_status tn_chunk_merge(struct tn_mosaic        *to,
                              const struct tn_chunked *message,
                              struct tn_chunk_store   *store);

#endif
