/*
 * chunk_merge.h - chunks back into one message
 *
 * The message that results is a mosaic: by reference, whatever its size.
 */
#ifndef TN_CHUNK_MERGE_H
#define TN_CHUNK_MERGE_H

#include "chunk/chunk_meta.h"
#include "chunk/mosaic.h"

/* That a chunk is whole fields, found out once for all who merge it. */
struct tn_chunk_known {
    bool is_whole;
    bool is_unseen;     /* it will be seen by who writes it                   */
    bool must_be_whole; /* and then turn out to be whole fields               */
    uint32_t run_count;
    uint64_t offset; /* where it lay then                                     */
    union {
        const struct tn_field_run *runs; /* is_whole                          */
        uint64_t late; /* is_unseen: number among those, for the store        */
    };
};

/* Where chunks come from.  Read when they are needed, and only those. */
struct tn_chunk_store {
    uint64_t count;
    bool     is_in_order; /* fields are merged as the caller lists them: those
                             of one place need not be neighbours              */
    /* Chunk `index`, which is below count.  Its source must outlive the
     * merged message. */
    enum tn_status (*read)(struct tn_chunk_store *store, uint64_t index,
                           struct tn_span *chunk, struct tn_error *error);
    struct tn_chunk_known *known; /* by chunk; NULL: it does not remember     */
    struct tn_arena       *arena; /* of what is known                         */
    char joined[120]; /* the first string or bytes that several chunks made   */
};

/* About store->joined, in a file of version 1. */
#define TN_JOINED_WARNING                                                      \
    "several chunks for %s, put one behind the other; TensorFlow's merger "    \
    "keeps the last of them"

/* Chunks may be used more than once, but all together they may not make more
 * than so many times their bytes: a short file must not become an endless
 * message. */
#define TN_CHUNK_REUSE_LIMIT 16
#define TN_CHUNK_REUSE_FREE  ((uint64_t)1 << 20)

/* Merges into `to`, which is of the type that was split.  `message` is sorted
 * (tn_chunked_sort()), unless the store says that its order counts.  Several
 * chunks for one string or bytes field are put one behind the other. */
enum tn_status tn_chunk_merge(struct tn_mosaic        *to,
                              const struct tn_chunked *message,
                              struct tn_chunk_store   *store);

#endif
