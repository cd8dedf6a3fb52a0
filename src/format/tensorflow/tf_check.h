/* tf_check.h - what the checks of this folder share */
#ifndef TN_FORMAT_TF_CHECK_H
#define TN_FORMAT_TF_CHECK_H

#include "format/tensorflow/tf.h"

struct tn_tf_checking {
    struct tn_bundle      *bundle;
    const struct tn_model *model;
    struct tn_report      *report;
    struct tn_error       *error; /* of the machine, not of the file          */
    struct tn_arena        arena; /* scratch                                  */
    const char            *file;  /* of the model's message                   */
    struct tn_pairs        functions; /* (main graph, name) -> graph          */
    struct tn_list         calls;     /* struct tn_tf_call                    */
};

/* Function `from` has a node that runs function `to`: graph indices. */
struct tn_tf_call {
    uint32_t from, to;
    uint64_t offset; /* of the node                                           */
};

/* Every node of every graph: names, attributes, constants, calls. */
void tn_tf_check_nodes(struct tn_tf_checking *c);

/* The same against the operators that TensorFlow has. */
void tn_tf_check_vocab(struct tn_tf_checking *c);

#endif
