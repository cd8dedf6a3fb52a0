/*
 * edit_append.h - connects two models, one after the other
 *
 * Outputs of the first become inputs of the second.  The second keeps its
 * names, except those that the first also has, or all of them get a prefix.
 */
#ifndef TN_ENGINE_EDIT_APPEND_H
#define TN_ENGINE_EDIT_APPEND_H

#include "engine/edit_draft.h"

struct tn_append {
    const struct tn_model *model;  /* with its graph; outlives the draft      */
    const char            *prefix; /* NULL: none                              */
    const char *const     *pairs;  /* an output of the first, an input of the
                                      second, and so on; none: those of the same
                                      name, or the only ones                  */
    uint32_t pair_count;
};

/* The draft must have no changes.  Outputs that became inputs are no longer
 * outputs; unconnected inputs are inputs of the result. */
enum tn_status tn_draft_append_model(struct tn_draft        *draft,
                                     const struct tn_append *how,
                                     struct tn_error        *error);

#endif
