/*
 * payload_gather.h - a start and a stride per axis over somebody's elements
 *
 * Under payload_view.c.  The output is cut into boxes that are contiguous in
 * it, of at most a megabyte; each is gathered from the leaf and written.
 */
#ifndef TN_IR_PAYLOAD_GATHER_H
#define TN_IR_PAYLOAD_GATHER_H

#include "ir/payload_view.h"

/* What is asked for, and by whose means. */
struct tn_range {
    uint64_t          first, count; /* elements, in C order                   */
    struct tn_memory *memory;
    unsigned          depth; /* of views around this one                      */
    struct tn_error  *error;
};

/* Elements of an input of a view, itself perhaps a view (payload_view.c).
 * first and count must be inside. */
enum tn_status tn_view_input(const struct tn_elements *input,
                             const struct tn_range *range, struct tn_sink *to);

/* How an input will be read. */
enum tn_access_kind {
    TN_ACCESS_FORWARD, /* once, from the front                                */
    TN_ACCESS_RUNS,    /* in long runs, anywhere                              */
    TN_ACCESS_POINTS,  /* element by element, anywhere                        */
};

/* An input opened for that. */
struct tn_access {
    struct tn_elements elements;
    struct tn_range    range; /* whose memory and depth                       */
    unsigned           size;  /* of an element                                */
    unsigned           swap;  /* bytes to reverse after reading; 0: none      */
    const uint8_t     *bytes; /* all elements in memory, or NULL              */
    struct tn_span     span;  /* else: where they lie as they are, or 0       */
    uint8_t           *owned; /* decoded: to be given back                    */
    uint64_t           owned_size;
};

/* What cannot be read that way where it is gets decoded into memory. */
enum tn_status tn_access_open(struct tn_access         *access,
                              const struct tn_elements *elements,
                              enum tn_access_kind       kind,
                              const struct tn_range    *range);
void           tn_access_close(struct tn_access *access);

/* Some elements as they are handed out. */
enum tn_status tn_access_stream(struct tn_access *access, uint64_t first,
                                uint64_t count, struct tn_sink *to,
                                struct tn_error *error);

struct tn_strided {
    uint32_t rank;
    uint64_t start; /* of element 0, ... 0, in elements of the leaf           */
    uint64_t dims[TN_VIEW_RANK_LIMIT];
    int64_t  strides[TN_VIEW_RANK_LIMIT];
};

/* Drops axes of one and joins neighbours that are one axis: the fewer axes,
 * the longer the runs. */
void tn_strided_simplify(struct tn_strided *s);

enum tn_status tn_strided_stream(const struct tn_strided  *s,
                                 const struct tn_elements *leaf,
                                 const struct tn_range    *range,
                                 struct tn_sink           *to);

/* Stored bytes of everything below, as far as views may nest; saturates. */
uint64_t tn_stored_bytes(const struct tn_elements *e, unsigned depth);

/* A sink that joins small writes and lets large splices through. */
struct tn_batcher {
    struct tn_sink    sink; /* first */
    struct tn_sink   *to;
    struct tn_memory *memory;
    uint8_t          *buffer;
    size_t            used;
};

enum tn_status tn_batcher_open(struct tn_batcher *batcher, struct tn_sink *to,
                               struct tn_memory *memory,
                               struct tn_error  *error);
/* Writes what is left; the status is the error's. */
enum tn_status tn_batcher_close(struct tn_batcher *batcher,
                                struct tn_error   *error);

#endif
