/* view_order.h - an order of the nodes of a graph in which producers come
 * first */
#ifndef TN_VIEW_VIEW_ORDER_H
#define TN_VIEW_VIEW_ORDER_H

#include "view/picture.h"

struct tn_view_sorter {
    struct tn_picture *picture;
    uint32_t          *levels; /* by node: longest path from an input         */
    uint32_t          *fans, *lows, *highs; /* by node: how many take it, and
                                               their levels                  */
    uint32_t *stack, *next; /* of a depth-first walk                          */
    uint8_t  *states;
};

/* For all graphs of a picture; memory comes from its arena when it is
 * needed. */
void tn_view_sorter_init(struct tn_view_sorter *sorter,
                         struct tn_picture     *picture);

/* Writes the nodes of a graph to `order`.  The order of the file is kept where
 * it is one; otherwise nodes come right before the first that needs them, so
 * that what belongs together is together.  What is used far and wide, such as
 * a mask that every layer takes, comes before all of it.  Edges of loops are
 * ignored.  On failure the error of the picture is set. */
void tn_view_sort(struct tn_view_sorter *sorter, uint32_t graph,
                  uint32_t *order);

#endif
