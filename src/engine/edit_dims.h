/*
 * edit_dims.h - changes the size or the name of a dimension of the inputs
 *
 * Everything downstream follows: shapes are inferred again, constants that hold
 * the old size (of Reshape, Expand, Slice, Resize) change if their meaning can
 * be proved, and values of one row are repeated if the new size needs it.
 * Otherwise the edit is refused, with the name of the node.
 */
#ifndef TN_ENGINE_EDIT_DIMS_H
#define TN_ENGINE_EDIT_DIMS_H

#include "engine/edit_draft.h"

/* A dimension of the inputs, and what it becomes. */
struct tn_dim_change {
    struct tn_bytes input; /* by name; empty: every dimension that is called
                              `was`                                          */
    struct tn_bytes was;
    uint32_t        axis;
    int64_t         size; /* -1: it is open, and called `symbol`            */
    struct tn_bytes symbol;
};

/* The draft has no changes yet.  NOT_FOUND for an input or a name that is not
 * there, UNSUPPORTED where a node would not work any more. */
enum tn_status tn_edit_change_dim(struct tn_edit             *edit,
                                  const struct tn_dim_change *change,
                                  struct tn_error            *error);

/* The number of rows: the first dimension of the first input that has any, and
 * all that are equal to it.  Every row of the outputs is computed as before:
 * also refused where rows would no longer be independent of each other. */
enum tn_status tn_edit_change_rows(struct tn_edit *edit, int64_t size,
                                   struct tn_bytes  symbol,
                                   struct tn_error *error);

#endif
