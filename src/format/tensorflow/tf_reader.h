/*
 * tf_reader.h - a GraphDef on its way into a model, for its own files
 *
 * tf_graph_read.c has the whole and the functions, tf_node_read.c one node,
 * tf_ends.c what a graph takes and gives.
 */
#ifndef TN_FORMAT_TENSORFLOW_READER_H
#define TN_FORMAT_TENSORFLOW_READER_H

#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_uses.h"

/* More ends than this help nobody, and a hostile graph could be all ends. */
#define TN_TF_IO_LIMIT 65536

/* A placeholder that was met; its attributes are looked at in the end. */
struct tn_tf_placeholder {
    struct tn_bytes name;
    struct tn_span  wire;
};

/* The next node of the graph being filled. */
void tn_tf_node_read(struct tn_tf_reader *reader, struct tn_cursor *c);

/* The value of that name in the graph being filled, made when it is new. */
uint32_t tn_tf_value_named(struct tn_tf_reader *reader, struct tn_bytes text);

/* What the graph takes and gives, after its last node. */
void tn_tf_find_io(struct tn_tf_reader *reader);

#endif
