/*
 * flow_guard.h - under which conditions the values of a dataflow graph are
 * computed
 *
 * A guard is a path of decisions: "in the frame `while`, where its condition is
 * true and `p` is false".  Guards form a tree; everything at its root always
 * runs.  A Switch leads one step down, a Merge back up to what its inputs have
 * in common, Enter into a frame and Exit out of it.  Nodes that do not depend
 * on such a node may still be kept in a branch by control edges.
 */
#ifndef TN_MAP_FLOW_GUARD_H
#define TN_MAP_FLOW_GUARD_H

#include "ir/pairs.h"
#include "map/net/net.h"

enum tn_flow_kind {
    TN_FLOW_OTHER,
    TN_FLOW_SWITCH,
    TN_FLOW_MERGE,
    TN_FLOW_ENTER,
    TN_FLOW_EXIT,
    TN_FLOW_NEXT,
    TN_FLOW_COND,
    TN_FLOW_IDENTITY, /* returns its input                                    */
};

/* TensorFlow's and nd4j's names. */
enum tn_flow_kind tn_flow_kind(const struct tn_net_op *op);

/* UNSUPPORTED, at that node: "name (op): why". */
enum tn_status tn_flow_refuse(struct tn_net *net, uint32_t node,
                              const char *why);

/* Ends with NULL; for tn_net_order(). */
extern const char *const tn_flow_loop_ops[];

/* The value before Identity and LoopCond: two conditions are the same if these
 * values are. */
uint32_t tn_flow_condition(const struct tn_net *net, uint32_t value);

/* A Merge of a loop: which input is from Enter and which from NextIteration. */
struct tn_flow_merge {
    bool     is_loop;
    uint32_t enter, next; /* values, of a loop                                */
};
struct tn_flow_merge tn_flow_merge(const struct tn_net *net, uint32_t node);

struct tn_guard {
    uint32_t parent; /* TN_NONE: the root                                     */
    uint32_t depth;
    bool     is_frame;
    uint32_t what; /* a condition (value), or the number of a frame           */
    uint32_t side; /* 0: where the condition is false                         */
};

struct tn_guards {
    struct tn_net   *net;
    struct tn_list   rows;  /* struct tn_guard; the first is the root         */
    struct tn_pairs  index; /* (parent, what * 2 + side or frame)             */
    struct tn_intern frames;
    struct tn_list   frame_parents; /* uint32_t by frame: guard               */
    struct tn_list   of_value;      /* uint32_t: guard by value               */
    struct tn_list   of_node;       /* uint32_t: guard by node                */
};

void tn_guards_init(struct tn_guards *guards, struct tn_net *net);
void tn_guards_done(struct tn_guards *guards);

/* Fills of_value and of_node for graph 0, whose nodes are in order. */
enum tn_status tn_guards_find(struct tn_guards *guards, bool with_controls);

static inline const struct tn_guard *tn_guard_at(const struct tn_guards *guards,
                                                 uint32_t                guard)
{
    return tn_list_at(&guards->rows, struct tn_guard, guard);
}

static inline uint32_t tn_guard_of(const struct tn_guards *guards,
                                   uint32_t                value)
{
    return *tn_list_at(&guards->of_value, uint32_t, value);
}

/* The guard one condition further down. */
uint32_t tn_guard_child(struct tn_guards *guards, uint32_t parent,
                        uint32_t condition, uint32_t side);

/* Whether everything that `guard` requires also holds under the guard `under`,
 * which may require more. */
bool tn_guard_holds(const struct tn_guards *guards, uint32_t under,
                    uint32_t guard);

/* The decision that a Merge of two values ends: a condition below `above`, and
 * on which side of it each input is computed.  An input that is always
 * computed, such as a constant, is on the side that the other one does not
 * take. */
struct tn_flow_decision {
    uint32_t above, condition, sides[2];
};
bool tn_flow_decision(const struct tn_guards *guards, const uint32_t *inputs,
                      struct tn_flow_decision *decision);

#endif
