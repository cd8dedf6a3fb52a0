/*
 * freeze_model.h - variables of a SavedModel as constants of its graph
 *
 * A GraphDef has no place for the values of variables.  So, like TensorFlow's
 * own tools, this makes a Const of what creates a variable, with the value by
 * reference, and an operator on tensors of what reads it:
 *
 *   VarHandleOp, VariableV2, Variable   Const
 *   ReadVariableOp                      Identity
 *   ResourceGather, ResourceGatherNd    GatherV2, GatherNd
 *   VariableShape                       Shape
 *
 * Names stay, so that every signature's inputs and outputs keep their names.
 * Functions stay, too: where they took a handle they take a tensor, through
 * calls, If, Case and While.  What no signature needs, such as the operators
 * that save and restore, is left out; so is everything that only such operators
 * called.
 *
 * A variable that the graph writes to, or passes to operators that accept
 * nothing but a variable, cannot be a constant: it stays as it is and is
 * reported by name.
 */
#ifndef TN_ENGINE_FREEZE_MODEL_H
#define TN_ENGINE_FREEZE_MODEL_H

#include <tenon/verbs.h>

/* Whether there are variables with values. */
bool tn_freeze_is_needed(const struct tn_model *model);

/* `model` must have its graph.  What the frozen model lacks is reported to
 * `loss`, which may be NULL.  *frozen is yours to close. */
enum tn_status tn_freeze(const struct tn_model   *model,
                         const struct tn_options *options, tn_on_loss *loss,
                         void *loss_context, struct tn_model **frozen,
                         struct tn_error *error);

#endif
