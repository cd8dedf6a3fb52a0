/*
 * tf_bundle_write.h - writing checkpoints of version 2
 *
 * Data is written in the given order, contiguous and little-endian; the table
 * is sorted by key.  Checksums are computed while the data is written.
 */
#ifndef TN_FORMAT_TF_BUNDLE_WRITE_H
#define TN_FORMAT_TF_BUNDLE_WRITE_H

#include "io/output.h"
#include "ir/payload.h"

struct tn_tf_bundle_tensor {
    struct tn_bytes           key; /* not empty, unique                       */
    const struct tn_elements *elements;
};

struct tn_tf_bundle_options {
    /* A new data file is begun before one would become longer than this; a
     * tensor is never split.  0: one file. */
    uint64_t shard_size;
    /* The index is the main file of the output; otherwise it is a side file. */
    bool is_main;
    /* Called after each tensor; stops unless it returns TN_OK.  May be NULL. */
    enum tn_status (*after)(void *context, uint64_t tensor, uint64_t bytes,
                            struct tn_error *error);
    void *context;
};

/* Hands out sinks by file name, one at a time. */
typedef enum tn_status tn_tf_sink_opener(void *context, const char *name,
                                         struct tn_sink **sink,
                                         struct tn_error *error);

enum tn_status tn_tf_bundle_write(struct tn_output *to, const char *prefix,
                                  const struct tn_tf_bundle_tensor  *tensors,
                                  uint64_t                           count,
                                  const struct tn_tf_bundle_options *options,
                                  struct tn_memory                  *memory,
                                  struct tn_error                   *error);

/* The same into any sinks; options->is_main is ignored. */
enum tn_status tn_tf_bundle_write_to(tn_tf_sink_opener *open, void *opener,
                                     const char                        *prefix,
                                     const struct tn_tf_bundle_tensor  *tensors,
                                     uint64_t                           count,
                                     const struct tn_tf_bundle_options *options,
                                     struct tn_memory                  *memory,
                                     struct tn_error                   *error);

#endif
