/*
 * tf_renew.h - the fingerprint of a SavedModel that is being written
 *
 * A folder that had a fingerprint gets a correct one; others get none.
 */
#ifndef TN_FORMAT_TF_RENEW_H
#define TN_FORMAT_TF_RENEW_H

#include "chunk/splitter.h"
#include "codec/farmhash.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "io/output.h"

/* What replaces the old files. */
struct tn_tf_written {
    struct tn_bundle   *from; /* the old folder                               */
    struct tn_output   *to;
    struct tn_splitter *splitter; /* the message, already split into one or more
                                     chunks                                   */
    uint64_t checkpoint;          /* hash of its index, 0: there is none    */
    bool is_same_model; /* only the container changes: the uuid is kept       */
};

/* Writes fingerprint.pb if the old folder has one.  If that cannot be read, or
 * there is no formula for what was written, none is written, and *dropped says
 * why. */
enum tn_status tn_tf_renew(const struct tn_tf_written *written,
                           struct tn_error *dropped, struct tn_error *error);

/* The hash of the old folder's checkpoint, 0: it has none. */
enum tn_status tn_tf_old_checkpoint(struct tn_bundle *from, uint64_t *hash,
                                    struct tn_error *error);

/* A sink that also computes the fingerprint of what it passes on. */
struct tn_tf_tee {
    struct tn_sink     sink; /* first */
    struct tn_sink    *to;
    struct tn_farmhash hash;
};
void tn_tf_tee_init(struct tn_tf_tee *tee, struct tn_sink *to);

#endif
