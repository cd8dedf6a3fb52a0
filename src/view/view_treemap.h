/* view_treemap.h - the tensors of a model without a graph, as areas */
#ifndef TN_VIEW_VIEW_TREEMAP_H
#define TN_VIEW_VIEW_TREEMAP_H

#include "view/picture.h"

/* Lays out blocks of tensors: the area of an item is its bytes.  A block is as
 * high and wide as the box that it is in, but for a factor. */
enum tn_status tn_view_layout_treemap(struct tn_picture *picture);

#endif
