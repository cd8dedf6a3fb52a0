/*
 * lang_eval.h - expressions of rules, evaluated
 */
#ifndef TN_MAP_LANG_EVAL_H
#define TN_MAP_LANG_EVAL_H

#include "map/lang/lang_item.h"

/* Bounds that hold for every rule and every node: work (expressions and items),
 * nodes that one node becomes, depth of expressions.  See also
 * TN_LANG_LIST_MAX. */
#define TN_LANG_STEPS_MAX (UINT64_C(1) << 22)
#define TN_LANG_NODES_MAX 10000
#define TN_LANG_DEPTH_MAX 256

/* Bounds for all nodes of a net together, so that what a rule set costs is in
 * proportion to the model: steps, and nodes over all nets on the way. */
static inline uint64_t tn_lang_most_steps(const struct tn_net *net)
{
    if (net->most_steps)
        return net->most_steps;
    return (UINT64_C(1) << 26) + 4096 * net->nodes.count;
}

static inline uint64_t tn_lang_most_nodes(const struct tn_net *net)
{
    if (net->most_nodes)
        return net->most_nodes;
    return (UINT64_C(1) << 20) + 256 * net->nodes.count;
}

struct tn_code;
struct tn_infer;

/* Why a rule stopped. */
struct tn_refusal {
    bool               is_set;
    bool               is_plain; /* the text is for users who do not know
                                    rules                                    */
    enum tn_reason     reason; /* NONE: the rule is for other nodes          */
    struct tn_location place;
    char               text[400];
};

struct tn_eval {
    const struct tn_net      *net;   /* of TN_ITEM_VALUE                      */
    const struct tn_net      *made;  /* of TN_ITEM_MADE; NULL: none           */
    struct tn_infer          *facts; /* folds values; NULL: nothing folds     */
    struct tn_infer          *made_facts; /* those of `made`, or NULL         */
    const struct tn_net_node *node; /* whose rule runs                       */
    const uint8_t            *uses; /* by value: how many use it, 2 for more;
                                       NULL: taken as 2                      */
    uint32_t
        inner[TN_LANG_PATTERN_NODES]; /* nodes that a pattern has used up */
    uint32_t         inner_count;
    struct tn_arena *scratch; /* what lists and texts are in                  */
    struct tn_item  *frame;   /* slots of what runs                           */
    uint64_t         steps;   /* taken by this rule                           */
    uint64_t         total;   /* by the rules before it                       */
    uint32_t         depth;
    uint32_t         output;  /* of the node, in rules of shapes              */
    uint32_t         missing; /* one of those that must be folded first, or
                                 TN_NONE: infer.c                             */
    struct tn_item missed;    /* the last unknown item that known() was asked
                                 about                                        */
    bool is_fold;             /* inside of tn_fold(): do not start another    */
    bool looks_far;           /* at the name of a value, or into a graph      */
    bool has_pairs;           /* complex numbers have rules of their own      */
    bool is_silent;           /* reasons are not needed: refusals have no
                                 text                                         */
    struct tn_refusal refusal;
    struct tn_error  *error; /* for failures that no rule causes: memory      */
};

/* Evaluates an expression.  After a refusal or failure the item is meaningless.
 */
struct tn_item tn_eval(struct tn_eval *e, const struct tn_code *code);

/* Whether there was a refusal or failure. */
static inline bool tn_eval_stopped(const struct tn_eval *e)
{
    return e->refusal.is_set || tn_failed(e->error);
}

/* The rule does not apply, and why; the first refusal stays. */
struct tn_item tn_eval_refuse(struct tn_eval *e, const struct tn_lang_expr *at,
                              const char *format, ...) TN_PRINTF(3, 4);

/* Counts work; refuses when there was too much of it. */
bool tn_eval_steps(struct tn_eval *e, const struct tn_lang_expr *at,
                   uint64_t count);

/* Room for a list, counted; NULL after a refusal. */
struct tn_item *tn_eval_list(struct tn_eval *e, const struct tn_lang_expr *at,
                             uint64_t count);

/* "needs the rank of 'X', which is unknown": a refusal because a needed value
 * is unknown. */
struct tn_item tn_eval_not_known(struct tn_eval *e, struct tn_item unknown,
                                 const struct tn_lang_expr *at);

/* A requirement was not met, in the words of the rule, which also has the name
 * of a value that was not known when it was asked. */
void tn_eval_refuse_requirement(struct tn_eval            *e,
                                const struct tn_lang_expr *at,
                                struct tn_bytes            why);

/* tn_item_equal(), and the work is counted. */
int tn_eval_equal(struct tn_eval *e, const struct tn_lang_expr *at,
                  struct tn_item a, struct tn_item b);

/* A code made of literals alone, in the arena; false: it is not. */
bool tn_code_literal(const struct tn_code *code, struct tn_arena *arena,
                     struct tn_item *out, struct tn_error *error);

#endif
