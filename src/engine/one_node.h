/*
 * one_node.h - a model that consists of one node
 *
 * Rules convert models, not nodes.  So a node that is to be interpreted becomes
 * the only one of a model: the values that it takes become inputs, or constants
 * if they are known, and its results become outputs.
 */
#ifndef TN_ENGINE_ONE_NODE_H
#define TN_ENGINE_ONE_NODE_H

#include "base/buffer.h"
#include "base/rope.h"
#include "engine/node_inputs.h"

struct tn_one_node {
    struct tn_bytes             bytes; /* as it was given                     */
    struct tn_node_known        known;
    const struct tn_node_input *inputs; /* by input                           */
    const char *output; /* the only one that is wanted; NULL: all             */
    bool may_assume; /* required attributes of TensorFlow that are types or
                        shapes and do not follow from inputs                  */

    /* Set by tn_one_node_write(): */
    const struct tn_bytes **sorted; /* the node's inputs by name              */
    const struct tn_bytes **sorted_names; /* NULL: the model's are the node's */
    struct tn_bytes *names;   /* by input: its name in the model              */
    struct tn_bytes  assumed; /* the attributes: "DstT=float32"; may be empty */
};

/* Appends the model: a GraphDef, a ModelProto or a ProgramDesc.  What is filled
 * in lives in the arena. */
enum tn_status tn_one_node_write(struct tn_one_node *one,
                                 struct tn_arena *arena, struct tn_buffer *to,
                                 struct tn_error *error);

/* The node's name for the value of this name in the model. */
struct tn_bytes tn_one_node_name(const struct tn_one_node *one,
                                 struct tn_bytes           name);

/* Whether this is the first input of that name: the others are the same
 * value. */
bool tn_one_node_is_first(const struct tn_one_node *one, uint32_t input);

bool tn_one_node_has_input(const struct tn_one_node *one, struct tn_bytes name);

/* ---- one_program.c ------------------------------------------------------ */

/* A ProgramDesc of Paddle. */
void tn_one_program(struct tn_one_node *one, struct tn_arena *arena,
                    struct tn_rope *to, struct tn_error *error);

#endif
