/*
 * tf_tidy.h - a TensorFlow graph, as it was saved, becomes one that computes
 *
 * A saved graph is a program: it creates variables and restores them, calls
 * functions, orders operations that have effects, monitors itself.  Rules need
 * none of that.  After tidying, the main graph of a net holds only nodes that
 * compute what its outputs need:
 *
 *   Const                    a constant of the net, by reference
 *   Placeholder              an input of the graph
 *   PlaceholderWithDefault   an input if it is named as one, else its default
 *   VarHandleOp, VariableV2  a trained constant: the tensor of the checkpoint
 *                            that the saver's own graph puts there
 *   ReadVariableOp           the constant itself; ResourceGather becomes Gather
 *   AssignVariableOp, ...    of a signature: its variable is an input of the
 *                            main graph, and what it becomes an output
 *   LookupTableFindV2        a lookup in constants (tf_tables.c)
 *   PartitionedCall, calls   the function's body, named caller/node
 *   If, Case, While          If and Loop with subgraphs (flow.h); Switch, Merge
 *                            and frames of TensorFlow 1 too
 *   Assert, Print, summaries dropped, with a note
 *   Snapshot, EnsureShape,   Identity, which rules convert, so that names of
 *   PreventGradient, ...     outputs stay
 *   ^control                 dropped: what is left has no effects.  A constant
 *                            that only a control edge keeps in its branch of a
 *                            Merge gets a Switch of its own instead.
 *
 * The net as tn_net_load() gives it: graph 0 is the main one; every function of
 * the library is a graph of kind FUNCTION, its inputs are its arguments and its
 * outputs are what it returns, in the order of its signature.  `output` of a
 * value counts over all outputs of its node.
 *
 * Datasets, queues, variables without a value and assignments that are not
 * state (tf_state.c) are refused; the message names the node.
 */
#ifndef TN_MAP_TF_TIDY_H
#define TN_MAP_TF_TIDY_H

#include "map/tidy/tidy_note.h"

/* What the first of the passes did. */
struct tn_tf_resolved {
    uint64_t variables; /* that became constants                              */
    uint64_t calls;     /* that were replaced by bodies                       */
    struct tn_list *files; /* struct tn_bytes: assets whose lines became
                              constants; NULL: not wanted                     */
};

/* Four passes, in this order.  Variables, calls and what only a running
 * program needs: `notes` is a list of struct tn_tidy_note, NULL if not wanted;
 * `did` may be NULL.  Names and texts are in the net's arena. */
enum tn_status tn_tf_resolve(struct tn_net *net, struct tn_list *notes,
                             struct tn_tf_resolved *did);

/* Switch, Merge and frames become If and Loop. */
enum tn_status tn_tf_raise(struct tn_net *net);

/* TensorList ops become tensors and scan outputs of Loops. */
enum tn_status tn_tf_lists(struct tn_net *net);

/* Inputs of the main graph get the ranks that follow from what uses them.  The
 * nodes are in order. */
enum tn_status tn_tf_ranks(struct tn_net *net);

/* BlockLSTMs that no rule turns into a layer become Loops of cells.  Returns
 * whether there is one, and how many became one.  Shapes must have been
 * inferred. */
bool           tn_tf_has_block_lstm(const struct tn_net *net);
enum tn_status tn_tf_block_lstm(struct tn_net *net, uint64_t *found);
/* Before rules: values, constants and attributes of quantised types are of the
 * integers that they are made of.  Returns how many values were. */
uint64_t tn_tf_integers(struct tn_net *net);

/* Which tensor of the model each of its variables is, for a net that was just
 * loaded from the model and is left as it is.  `tensors` is a list of uint32_t
 * by op of the model: tensor + 1, or 0 for what is not a variable, or one that
 * no entry of a checkpoint is restored to. */
enum tn_status tn_tf_variables(struct tn_net *net, struct tn_list *tensors);

#endif
