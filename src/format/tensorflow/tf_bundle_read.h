/* tf_bundle_read.h - what the readers of both checkpoint versions share */
#ifndef TN_FORMAT_TF_BUNDLE_READ_H
#define TN_FORMAT_TF_BUNDLE_READ_H

#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_slice_key.h"
#include "wire/pb/pb_wire.h"
#include "wire/sstable/sstable.h"

/* A tensor, or a slice, on its way from the table. */
struct tn_tf_draft {
    struct tn_tf_bundle_entry  entry;
    const struct tn_tf_extent *extents; /* slice_count times rank            */
    uint64_t                   slice_count;
    bool                       is_used; /* a slice that some tensor lists    */
};

struct tn_tf_bundle_reader {
    struct tn_tf_bundle *index;
    struct tn_error     *error;
    tn_tf_shard_opener  *open;
    void                *context;
    struct tn_list       tensors; /* struct tn_tf_draft                      */
    struct tn_list       slices;  /* the same, ascending by key              */
    /* Scratch for one message. */
    struct tn_list   dims;    /* uint64_t                                    */
    struct tn_list   extents; /* struct tn_tf_extent                         */
    struct tn_list   ranks;   /* uint64_t: extents of each slice             */
    struct tn_buffer name;
};

/* Messages, into the scratch of the reader. */
void tn_tf_read_dims(struct tn_tf_bundle_reader *r, struct tn_cursor *c);
void tn_tf_read_extents(struct tn_tf_bundle_reader *r, struct tn_cursor *c);

/* From scratch into the draft; fails when they contradict each other.  Sets
 * the shape's rank and dims, extents and slice_count. */
void tn_tf_keep_shape(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                      struct tn_tf_draft *draft);

/* One value of a table of version 1. */
void tn_tf_read_old_meta(struct tn_tf_bundle_reader *r,
                         struct tn_sstable_entry    *entry);
void tn_tf_read_old_slice(struct tn_tf_bundle_reader *r,
                          struct tn_sstable_entry    *entry);

/* Gives a slice of version 1 the shape and type that only its tensor knows,
 * and the payload. */
void tn_tf_shape_old_slice(struct tn_tf_bundle_reader *r,
                           struct tn_tf_bundle_entry  *slice,
                           const struct tn_shape      *shape);

#endif
