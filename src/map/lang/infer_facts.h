/*
 * infer_facts.h - what the parts of infer have in common
 *
 * infer.c has the types of what a node makes, infer_graph.c those of whole
 * graphs, infer_turns.c how often loops turn, infer_fold.c elements.
 */
#ifndef TN_MAP_INFER_FACTS_H
#define TN_MAP_INFER_FACTS_H

#include "map/lang/infer.h"
#include "map/lang/lang_match.h"

struct tn_infer {
    struct tn_net     *net;
    struct tn_code_set set;
    struct tn_arena    arena; /* memos, and what rules saw of nodes           */
    uint64_t           steps; /* that rules have taken                        */

    /* infer.c */
    struct tn_arena  scratch;
    struct tn_intern nodes;    /* what rules saw of nodes, as words           */
    struct tn_list   outcomes; /* uint32_t by id: first of the types          */
    struct tn_list   types;    /* const struct tn_net_type *: outputs         */

    /* infer_graph.c */
    struct tn_list seen;       /* uint8_t by graph                            */
    uint64_t       turns_left; /* nodes of loops to look at once more         */

    /* infer_fold.c */
    struct tn_arena fold_scratch;
    struct tn_list  states;     /* uint32_t by value                          */
    struct tn_list  memos;      /* struct tn_item                             */
    struct tn_list  stack;      /* uint32_t: values that wait                 */
    uint64_t        item_count; /* of the memos                               */
    uint32_t        asked[TN_INFER_ASKED_MAX];
    uint32_t        asked_count;
};

/* Whether rules may take more steps; else what they would say is unknown. */
static inline bool tn_infer_has_time(struct tn_infer *infer)
{
    return tn_net_goes_on(infer->net) &&
           infer->steps <= tn_lang_most_steps(infer->net);
}

static inline void tn_infer_count_steps(struct tn_infer      *infer,
                                        const struct tn_eval *e)
{
    infer->steps += e->total + e->steps;
}

static inline struct tn_eval tn_infer_eval(struct tn_infer          *infer,
                                           const struct tn_net_node *node,
                                           struct tn_arena          *scratch)
{
    return (struct tn_eval){ .net     = infer->net,
                             .facts   = infer,
                             .node    = node,
                             .scratch = scratch,
                             .missing = TN_NONE,
                             .error   = infer->net->error };
}

/* What the rule says of an output: the last says it of all that follow. */
static inline const struct tn_code_shape *tn_infer_shape(
    const struct tn_code_rule *rule, uint32_t output)
{
    uint32_t count = rule->rule->shape_count;

    if (!count)
        return NULL;
    return &rule->shapes[output < count ? output : count - 1];
}

/* The rule that takes the node, entered; NULL: none does. */
const struct tn_code_rule *tn_infer_enter(struct tn_infer *infer,
                                          struct tn_eval  *e);

/* How often a Loop turns that counts; -1: not known. */
int64_t tn_infer_turns(struct tn_infer *infer, const struct tn_net_node *loop,
                       const struct tn_net_graph *body);

#endif
