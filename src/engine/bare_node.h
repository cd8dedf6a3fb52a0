/*
 * bare_node.h - a node or a tensor without a model around it
 *
 * Callers of the interpreter have single nodes and constants, as bytes of a
 * framework's messages.  The formats read models: so the bytes become the only
 * node or tensor of one.
 */
#ifndef TN_ENGINE_BARE_NODE_H
#define TN_ENGINE_BARE_NODE_H

#include "base/buffer.h"
#include "map/dl4j/map_tensor.h"

/* The format that a framework's nodes are read by. */
const struct tn_format *tn_framework_format(enum tn_framework framework);

/* A node and the model that it was read from. */
struct tn_bare_node {
    struct tn_map_node node;
    struct tn_buffer   bytes;
    struct tn_model   *model;
};

/* Reads a NodeDef, a NodeProto or an OpDesc.  The node lives in the arena until
 * it is closed.  Close it after a failure, too. */
enum tn_status tn_bare_node_open(struct tn_bare_node *bare,
                                 enum tn_framework    framework,
                                 struct tn_bytes bytes, struct tn_arena *arena,
                                 struct tn_error *error);
void           tn_bare_node_close(struct tn_bare_node *bare);

/* Reads a TensorProto of the framework, of ONNX for Paddle.  The tensor lives
 * in the arena alone. */
enum tn_status tn_bare_tensor_read(struct tn_map_tensor *tensor,
                                   enum tn_framework     framework,
                                   struct tn_bytes       bytes,
                                   struct tn_arena      *arena,
                                   struct tn_error      *error);

/* Writes values as such a TensorProto, in the arena.  UNSUPPORTED: nd4j has no
 * such type. */
enum tn_status tn_bare_tensor_write(const struct tn_map_elements *from,
                                    enum tn_framework             framework,
                                    struct tn_arena              *arena,
                                    struct tn_bytes              *bytes,
                                    struct tn_error              *error);

#endif
