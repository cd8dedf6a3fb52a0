/*
 * tf_encode.h - writes a model's graph as a GraphDef
 *
 * What the model did not change is spliced from where it was read; an edited
 * node, function or constant is written anew; what the tables do not hold
 * (devices, debug info, unknown fields) is copied from its old bytes.
 */
#ifndef TN_FORMAT_TF_ENCODE_H
#define TN_FORMAT_TF_ENCODE_H

#include "format/tensorflow/tf.h"
#include "wire/pb/pb_write.h"

struct tn_tf_encoder {
    const struct tn_model *model;
    struct tn_arena       *arena; /* of ropes and producers, until written    */
    struct tn_error       *error;
};

/* Where a GraphDef was read.  A meta graph may hold it in several pieces, which
 * together are one message. */
struct tn_tf_pieces {
    const struct tn_span *items;
    uint64_t              count;
};

/* The GraphDef whose nodes are graph `main` and whose functions are the graphs
 * after it, up to `end`; without pieces, it is a new one. */
void tn_tf_encode_graph(struct tn_tf_encoder *encoder, uint32_t main,
                        uint32_t end, struct tn_tf_pieces old,
                        struct tn_rope *to);

#endif
