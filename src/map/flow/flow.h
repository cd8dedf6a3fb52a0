/*
 * flow.h - control flow of graphs, in its two forms
 *
 * Structured (ONNX, TensorFlow 2): a node has graphs that may or may not run.
 * In a net of any dialect these two nodes express it, with ONNX's meaning.
 * Rules never see them: lang_apply.c copies them and maps their graphs.
 *
 *   If(cond) {then_branch, else_branch}
 *       graphs without inputs; the node's outputs are those of the one that ran
 *   Loop(M?, cond?, v...) {body}
 *       body(i, cond, v...) -> (cond', v'..., scans...)
 *       the node's outputs are v..., then each scan stacked along a new axis 0
 *
 * A graph uses values of the graphs around it by their ids; graph attributes
 * are indices in the net's graphs, whose `parent` is the graph of the node.
 *
 * As dataflow (TensorFlow 1, nd4j): one flat graph in which values that must
 * not be computed are dead.
 *
 *   Switch(value, cond) -> (if false, if true)
 *   Merge(a, b) -> (the one that lives, which one)
 *   Enter(v) {frame_name}, Merge(enter, next), LoopCond(cond),
 *   Switch(merge, loop_cond) -> (to Exit, to the body), NextIteration(v)
 *
 * In an nd4j net the ops and attributes have nd4j's names: switch, merge,
 * enter {frameName, isConstant}, exit, next_iteration, loop_cond.
 */
#ifndef TN_MAP_FLOW_H
#define TN_MAP_FLOW_H

#include "map/net/net.h"

/* Whether the node is one of the two. */
bool tn_flow_is_structure(const struct tn_net_node *node);

/* In an nd4j net: scan outputs of Loops become lists, whose flows are variables
 * of the Loop.  Types of what is stacked are known. */
enum tn_status tn_flow_scans(struct tn_net *net);

/* Every If and Loop of the main graph becomes dataflow, inside out; values that
 * a body uses from around it enter its frame.  Needs no types.  UNSUPPORTED:
 * a Loop with scan outputs (tn_flow_scans() first). */
enum tn_status tn_flow_lower(struct tn_net *net);

/* In a TensorFlow net: if the second output of a Merge is used (the number of
 * the input that arrived), a second Merge computes it.  Call it before
 * tn_flow_raise(). */
void tn_flow_number(struct tn_net *net);

/* Every Switch, Merge and frame of the main graph becomes If and Loop.
 * UNSUPPORTED, with the node, if a graph has no structured form: a Merge of
 * values that do not depend on a common condition, two conditions in one frame,
 * an Exit that does not come from a Switch. */
enum tn_status tn_flow_raise(struct tn_net *net);

/* In an nd4j net: a list that a Loop writes in every round, and that is used
 * nowhere else, becomes a scan output of the Loop.  Call it after
 * tn_flow_raise(). */
enum tn_status tn_flow_stack(struct tn_net *net);

/* In a TensorFlow net: rows that an array only passes on are taken from its
 * tensor directly, and an array that a Loop fills, round by round, becomes a
 * scan output of it.  Call it after tn_flow_raise(). */
enum tn_status tn_flow_arrays(struct tn_net *net);

/* For an nd4j net that will be converted to a dialect with sequences: the
 * values between the ops of a list become sequences.  Call it after
 * tn_flow_raise(). */
void tn_flow_lists(struct tn_net *net);

#endif
