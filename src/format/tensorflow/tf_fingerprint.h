/*
 * tf_fingerprint.h - fingerprint.pb: hashes by which TensorFlow identifies a
 * model
 *
 *   FingerprintDef  1 saved_model_checksum   2 graph_def_program_hash
 *                   3 signature_def_hash     4 saved_object_graph_hash
 *                   5 checkpoint_hash        6 version {1 producer}   7 uuid
 *
 * All hashes are made of F, FarmHash's Fingerprint64, over deterministic
 * serializations.  A saved_model.pb and a saved_model.cpb have different
 * formulas, so that the same model has different fingerprints in the two.
 */
#ifndef TN_FORMAT_TF_FINGERPRINT_H
#define TN_FORMAT_TF_FINGERPRINT_H

#include "chunk/chunk_merge.h"
#include "chunk/splitter.h"
#include "codec/farmhash.h"
#include "io/bundle.h"
#include "io/output.h"

#define TN_TF_FINGERPRINT "fingerprint.pb"

/* Which program made it, and by which formulas. */
#define TN_TF_PRODUCER_WHOLE   4 /* of a saved_model.pb                       */
#define TN_TF_PRODUCER_CHUNKED 2 /* of a saved_model.cpb */
#define TN_TF_PRODUCER_NAMED   5 /* only a uuid                               */

enum tn_tf_hash {
    TN_TF_CHECKSUM,
    TN_TF_PROGRAM,
    TN_TF_SIGNATURES,
    TN_TF_OBJECTS,
    TN_TF_CHECKPOINT,
    TN_TF_HASH_COUNT, /* they are fields 1 to 5                               */
};

struct tn_tf_fingerprint {
    uint64_t        hashes[TN_TF_HASH_COUNT];
    struct tn_bytes uuid;
    uint64_t        producer;
    uint64_t        places[TN_TF_HASH_COUNT]; /* where each was read, or
                                                 TN_NOWHERE                   */
};

/* "graph_def_program_hash" and so on. */
extern const char *const tn_tf_hash_names[TN_TF_HASH_COUNT];

/* The uuid stays where it is. */
enum tn_status tn_tf_fingerprint_read(struct tn_tf_fingerprint *print,
                                      struct tn_span            file,
                                      struct tn_error          *error);
void           tn_tf_fingerprint_write(const struct tn_tf_fingerprint *print,
                                       struct tn_rope                 *to);

/* The producer and the first four hashes, of a SavedModel in one message or in
 * chunks (`chunked` is sorted).  UNSUPPORTED if TensorFlow's formulas do not
 * cover this model; other statuses are about the bytes or the system. */
enum tn_status tn_tf_fingerprint_message(struct tn_tf_fingerprint *print,
                                         struct tn_span            message,
                                         struct tn_memory         *memory,
                                         struct tn_error          *error);
enum tn_status tn_tf_fingerprint_chunks(struct tn_tf_fingerprint *print,
                                        const struct tn_chunked  *chunked,
                                        struct tn_chunk_store    *store,
                                        struct tn_memory         *memory,
                                        struct tn_error          *error);

/* The last hash: of the bytes of variables/variables.index; NULL if there is
 * none. */
enum tn_status tn_tf_fingerprint_checkpoint(struct tn_tf_fingerprint *print,
                                            struct tn_source         *index,
                                            struct tn_error          *error);

/* Sets a uuid of 128 bits in TensorFlow's form, derived from the hashes, so
 * that the same model gets the same uuid.  In the arena. */
enum tn_status tn_tf_fingerprint_name(struct tn_tf_fingerprint *print,
                                      struct tn_arena          *arena,
                                      struct tn_error          *error);

/* ---- checking ------------------------------------------------------------ */

/* Compares the fingerprint of a folder, if there is one, with the message in
 * it: whole, or in chunks (`store` is not NULL). */
struct tn_tf_fingerprinted {
    struct tn_bundle        *bundle;
    struct tn_span           message;
    const struct tn_chunked *chunked;
    struct tn_chunk_store   *store;
    const char *no_formula; /* why there is no formula; NULL: there is one    */
};
struct tn_report;
enum tn_status tn_tf_check_fingerprint(const struct tn_tf_fingerprinted *what,
                                       struct tn_report                 *report,
                                       struct tn_error                  *error);

/* ---- the parts ----------------------------------------------------------- */

/* Two hashes as one. */
uint64_t tn_tf_hash_join(uint64_t a, uint64_t b);

/* The first meta graph; else false, and it is UNSUPPORTED. */
struct tn_pb_view;

/* F of the deterministic serialization. */
uint64_t tn_tf_hash_view(const struct tn_pb_view *view);

/* One hash of the chunks for the places at or below a path.  `chunked` is
 * sorted. */
enum tn_status tn_tf_hash_chunks(const struct tn_chunked *chunked,
                                 struct tn_tags           path,
                                 struct tn_chunk_store   *store,
                                 struct tn_arena *arena, uint64_t *hash,
                                 struct tn_error *error);

/* ---- writing --------------------------------------------------------------
 */

/* A folder that had a fingerprint gets a correct one; others get none. */

/* What replaces the old files. */
struct tn_tf_written {
    struct tn_bundle   *from; /* the old folder                               */
    struct tn_output   *to;
    struct tn_splitter *splitter; /* the message, already split into one or more
                                     chunks                                   */
    uint64_t checkpoint;          /* hash of its index, 0 if there is none    */
    bool is_same_model; /* only the container changes: the uuid is kept       */
};

/* Writes fingerprint.pb if the old folder has one.  If that cannot be read, or
 * there is no formula for what was written, none is written, and *dropped says
 * why. */
enum tn_status tn_tf_write_fingerprint(const struct tn_tf_written *written,
                                       struct tn_error            *dropped,
                                       struct tn_error            *error);

/* The hash of the old folder's checkpoint, 0 if it has none. */
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
