/* view_nodes.h - the nodes of a picture: operators, inputs, outputs, shared
 * weights */
#ifndef TN_VIEW_VIEW_NODES_H
#define TN_VIEW_VIEW_NODES_H

#include "base/buffer.h"
#include "view/picture.h"

/* Fills in nodes, uses, makers, weights and lists of attributes. */
enum tn_status tn_view_find_nodes(struct tn_picture *picture);

/* The tensors of a model without a graph as nodes. */
enum tn_status tn_view_find_tensors(struct tn_picture *picture);

/* Adds the type of an input or output: "float32 [1, 3, ?]"; nothing if it is
 * not known. */
void tn_view_type_text(struct tn_buffer *to, const struct tn_io *io);

/* Constants and arithmetic on shapes are small: they belong to what uses
 * them. */
void tn_view_mark_small(struct tn_picture *picture, const uint32_t *order,
                        uint32_t count);

#endif
