/*
 * tf_object_graph.h - which checkpoint entry holds which variable
 *
 * A TF 2 model describes its objects twice: in the MetaGraphDef
 * (SavedObjectGraph) and in the checkpoint (TrackableObjectGraph).  Their
 * numbers need not agree, so both graphs are walked from their roots along
 * equal names.
 */
#ifndef TN_FORMAT_TF_OBJECT_GRAPH_H
#define TN_FORMAT_TF_OBJECT_GRAPH_H

#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_bundle.h"

struct tn_tf_object {
    bool                is_variable;
    bool                is_reached; /* in both graphs                         */
    bool                is_of_optimizer; /* a child of one that has slots     */
    uint32_t            twin;   /* its number in the checkpoint's graph   */
    uint64_t            offset; /* of the SavedObject                     */
    struct tn_bytes     name;   /* SavedVariable.name: not unique         */
    uint64_t            type;   /* DataType                               */
    struct tn_tf_shape *shape;  /* variables only                         */
    struct tn_bytes     key;    /* checkpoint_key; empty: none            */
};

struct tn_tf_objects {
    struct tn_tf_object *items; /* by id of the SavedObjectGraph              */
    uint32_t             count;
    uint32_t             variable_count;
    uint32_t             tied_count; /* variables with an entry in the table  */
};

/* Finds a tensor of a checkpoint by the path of objects that leads to it, or by
 * the name of its variable in the graph if that is unique; NULL if there is
 * none.  Can be used as tn_model.find_alias. */
const struct tn_tensor *tn_tf_find_alias(const struct tn_model *model,
                                         struct tn_bytes        name);

/* The key of the TrackableObjectGraph in checkpoints. */
#define TN_TF_OBJECT_GRAPH_KEY "_CHECKPOINTABLE_OBJECT_GRAPH"

/* `saved` is a SavedObjectGraph.  `table` may be NULL: no checkpoint, so
 * nothing is tied. */
enum tn_status tn_tf_objects_read(struct tn_tf_objects      *objects,
                                  struct tn_span             saved,
                                  const struct tn_tf_bundle *table,
                                  struct tn_arena           *arena,
                                  struct tn_error           *error);

#endif
