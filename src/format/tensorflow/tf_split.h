/*
 * tf_split.h - splits SavedModels and GraphDefs as TensorFlow does
 *
 * TensorFlow has two splitters, in C++ and in Python, which differ in details.
 * Each set of rules here makes the same chunks as one of them, in the same
 * order and with the same paths.
 */
#ifndef TN_FORMAT_TF_SPLIT_H
#define TN_FORMAT_TF_SPLIT_H

#include <tenon/chunk.h>

struct tn_tf_split_options {
    enum tn_split_rules rules;
    uint64_t            max_size; /* 0: the limit of the rules                */
};

/* The default limit of the rules. */
uint64_t tn_tf_split_limit(enum tn_split_rules rules);

/* For a splitter of a tensorflow.GraphDef or tensorflow.SavedModel from which
 * nothing was taken yet.  Both keep the base, unless it is a child.
 * UNSUPPORTED if a node that is not a constant is too large: the rules cannot
 * divide it. */
enum tn_status tn_tf_split_graph(struct tn_splitter               *splitter,
                                 const struct tn_tf_split_options *options,
                                 struct tn_error                  *error);
enum tn_status tn_tf_split_saved_model(
    struct tn_splitter *splitter, const struct tn_tf_split_options *options,
    struct tn_error *error);

#endif
