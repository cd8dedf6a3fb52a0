/* node_text.h - a node of a framework, as text, JSON or binary */
#ifndef TN_ENGINE_NODE_TEXT_H
#define TN_ENGINE_NODE_TEXT_H

#include "map/dl4j/map_node.h"

/* A NodeDef, NodeProto or OpDesc as protobuf text, JSON or binary becomes
 * binary, in the arena or where it is.  NOT_FOUND: it is none of them. */
enum tn_status tn_node_bytes(struct tn_arena *arena, struct tn_bytes node,
                             enum tn_framework *framework,
                             struct tn_bytes *bytes, struct tn_error *error);

#endif
