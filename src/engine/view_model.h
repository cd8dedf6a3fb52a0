/* view_model.h - draws a model whose ops have states, for comparisons */
#ifndef TN_ENGINE_VIEW_MODEL_H
#define TN_ENGINE_VIEW_MODEL_H

#include <tenon/view.h>

/* How an op differs from that of another model (view_data.h). */
enum tn_op_state {
    TN_OP_SAME,
    TN_OP_ADDED,
    TN_OP_REMOVED,
    TN_OP_CHANGED,
};

/* The name that a picture shows for the model at a path. */
const char *tn_view_name(const char *path);

struct tn_view_changes; /* picture.h */

/* What differs: states and changes by op, and changes of the model as a whole.
 */
struct tn_view_difference {
    const uint8_t                *states;
    const struct tn_view_changes *changes, *of_model;
};

/* Like tn_view(), of a model with its graph. */
enum tn_status tn_view_states(const struct tn_model           *model,
                              const struct tn_view_difference *difference,
                              const char *name, const struct tn_target *target,
                              const struct tn_options *options,
                              struct tn_view_summary  *summary,
                              struct tn_error         *error);

#endif
