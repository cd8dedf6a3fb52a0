/* view_blocks.h - blocks of a picture from its hierarchy; equal ones are one */
#ifndef TN_VIEW_VIEW_BLOCKS_H
#define TN_VIEW_VIEW_BLOCKS_H

#include "view/view_tree.h"

/* Fills in blocks, items and edges (without places), order and positions. */
enum tn_status tn_view_make_blocks(struct tn_picture   *picture,
                                   struct tn_view_tree *tree);

#endif
