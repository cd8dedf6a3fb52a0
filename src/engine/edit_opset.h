/*
 * edit_opset.h - a model in another opset, as an action of an edit
 *
 * The same passes as `tenon convert --opset`; texts about the model stay.
 */
#ifndef TN_ENGINE_EDIT_OPSET_H
#define TN_ENGINE_EDIT_OPSET_H

#include "engine/edit_draft.h"

/* The edit has no changes yet, and goes on with the result.  UNSUPPORTED, with
 * the operator, where one has no form in that opset. */
enum tn_status tn_edit_set_opset(struct tn_edit *edit, uint32_t opset,
                                 struct tn_error *error);

#endif
