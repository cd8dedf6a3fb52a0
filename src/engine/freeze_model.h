/*
 * freeze_model.h - variables of a SavedModel as constants of its graph
 *
 * A GraphDef has no place for the values of variables.  So, as TensorFlow's own
 * tools do for it, what makes a variable becomes a Const that holds the value,
 * by reference, and what reads it becomes an operator on tensors:
 *
 *   VarHandleOp, VariableV2, Variable   Const
 *   ReadVariableOp                      Identity
 *   ResourceGather, ResourceGatherNd    GatherV2, GatherNd
 *   VariableShape                       Shape
 *
 * Names stay, so that every signature's inputs and outputs are found under the
 * names that they had.  Functions stay, too: what they took as a handle they
 * take as a tensor, through calls, If, Case and While.  What no signature needs,
 * such as the operators that save and restore, is left out; so is everything
 * that such operators alone called.
 *
 * A variable that the graph writes to, or hands to operators that take nothing
 * but a variable, is no constant: it stays what it is, and is told by name.
 */
#ifndef TN_ENGINE_FREEZE_MODEL_H
#define TN_ENGINE_FREEZE_MODEL_H

#include <tenon/verbs.h>

/* Whether there are variables with values. */
bool tn_freeze_is_needed(const struct tn_model *model);

/* `model` was opened with its graph.  What the frozen one does not have is told
 * to `loss`, which may be NULL.  *frozen is yours to close. */
enum tn_status tn_freeze(const struct tn_model   *model,
                         const struct tn_options *options, tn_on_loss *loss,
                         void *loss_context, struct tn_model **frozen,
                         struct tn_error *error);

#endif
