/*
 * view_layout.h - where the boxes of one block are
 *
 * Layers from top to bottom, in time that is linear in items and edges but for
 * sorting.  There are no places for long edges between boxes: an edge that
 * passes by boxes has a lane, the x of a vertical part, beside them; one that
 * is too long for that ends in stubs.
 */
#ifndef TN_VIEW_VIEW_LAYOUT_H
#define TN_VIEW_VIEW_LAYOUT_H

#include "view/picture.h"

/* The page uses the same numbers: px. */
enum {
    TN_VIEW_MARGIN    = 16, /* around the boxes of a block                    */
    TN_VIEW_HEADER    = 30, /* of an open block                               */
    TN_VIEW_ROW       = 30, /* height of a box with one line                  */
    TN_VIEW_ROWS      = 44, /* with two                                       */
    TN_VIEW_LEAST_BOX = 72,
    TN_VIEW_MOST_BOX  = 320
};

/* Boxes and lines of a block, which need not be in a picture.  Fills in layer,
 * x and y of items, lanes and ends of edges; w and h are given. */
struct tn_view_sheet {
    struct tn_view_item *items;
    uint32_t             item_count;
    struct tn_view_edge *edges;
    uint32_t             edge_count;
    int32_t              width, height;
};

/* Memory for one sheet after the other. */
struct tn_view_layouter {
    struct tn_arena  arena;
    struct tn_error *error;
};

void tn_view_layouter_init(struct tn_view_layouter *layouter,
                           struct tn_memory *memory, struct tn_error *error);
void tn_view_layouter_done(struct tn_view_layouter *layouter);
void tn_view_layout(struct tn_view_layouter *layouter,
                    struct tn_view_sheet    *sheet);

/* How wide a text is, about: as a label (13 px, bold), or as a detail. */
int32_t tn_view_text_width(struct tn_bytes text, bool is_label);

/* Lays out all blocks of a picture. */
enum tn_status tn_view_layout_all(struct tn_picture *picture);

#endif
