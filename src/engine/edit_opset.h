/*
 * edit_opset.h - writes a model in another opset, as an action of an edit
 *
 * The same passes as `tenon convert --opset`; texts about the model stay.
 */
#ifndef TN_ENGINE_EDIT_OPSET_H
#define TN_ENGINE_EDIT_OPSET_H

#include "engine/edit_draft.h"

/* The edit must have no changes, and continues with the result.  UNSUPPORTED if
 * an operator has no form in that opset; the message names it. */
enum tn_status tn_edit_set_opset(struct tn_edit *edit, uint32_t opset,
                                 struct tn_error *error);

#endif
