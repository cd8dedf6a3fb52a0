/*
 * tf_split.h - SavedModels and GraphDefs taken apart as TensorFlow does it
 *
 * TensorFlow has two splitters, one in C++ and one in Python, which differ in
 * small things.  Each rule set here gives the chunks that its model gives, in
 * the same order and under the same paths.
 */
#ifndef TN_FORMAT_TF_SPLIT_H
#define TN_FORMAT_TF_SPLIT_H

#include <tenon/chunk.h>

struct tn_tf_split_options {
    enum tn_split_rules rules;
    uint64_t            max_size; /* 0: as the rules have it                  */
};

/* The limit that the rules have by themselves. */
uint64_t tn_tf_split_limit(enum tn_split_rules rules);

/* For a splitter of a tensorflow.GraphDef or tensorflow.SavedModel that nothing
 * was taken out of yet.  Both keep the base, unless it is a child.  UNSUPPORTED
 * when a node is too large and no constant: the rules know no way. */
enum tn_status tn_tf_split_graph(struct tn_splitter               *splitter,
                                 const struct tn_tf_split_options *options,
                                 struct tn_error                  *error);
enum tn_status tn_tf_split_saved_model(
    struct tn_splitter *splitter, const struct tn_tf_split_options *options,
    struct tn_error *error);

#endif
