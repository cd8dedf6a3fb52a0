/*
 * lang_eval.h - what an expression of a rule amounts to
 *
 * An item is small and is passed by value; lists and texts lie in the scratch
 * arena of whoever evaluates, for as long as one node is looked at.
 *
 * Unknown is a value: what is computed from it is unknown, unless it does not
 * matter (`false and ?` is false).  It remembers the expression that could not
 * tell, so that a refusal reads "rank(X) is not known".
 */
#ifndef TN_MAP_LANG_EVAL_H
#define TN_MAP_LANG_EVAL_H

#include "map/lang.h"
#include "map/net.h"

enum tn_item_kind {
    TN_ITEM_UNSET,   /* a name that nothing was bound to                      */
    TN_ITEM_NONE,    /* not given                                             */
    TN_ITEM_UNKNOWN, /* .expr could not tell; may be NULL                     */
    TN_ITEM_BOOL,    /* .number                                               */
    TN_ITEM_INT,     /* .number                                               */
    TN_ITEM_FLOAT,   /* .real                                                 */
    TN_ITEM_STRING,  /* .text, of .count bytes                                */
    TN_ITEM_DTYPE,   /* .number: enum tn_dtype, and enum tn_net_wrap << 8     */
    TN_ITEM_LIST,    /* .items, .count of them                                */
    TN_ITEM_VALUE,   /* .number: a value of the net that is read              */
    TN_ITEM_MADE,    /* .number: a value of the net that is written           */
    TN_ITEM_TENSOR,  /* .tensor: of an attribute                              */
    TN_ITEM_GRAPH,   /* .number: a graph of the net that is read              */
    TN_ITEM_OTHER,   /* .attr: handed on as it is (functions, types)          */
};

struct tn_item {
    uint32_t kind;  /* enum tn_item_kind                                      */
    uint32_t count; /* of a list or string                                    */
    union {
        int64_t                     number;
        double                      real;
        const char                 *text;
        const struct tn_item       *items;
        const struct tn_tensor     *tensor;
        const struct tn_attr_value *attr;
        const struct tn_lang_expr  *expr;
    } of;
};

/* Bounds that hold for every rule and every node: items of one list, work
 * (expressions and items), nodes that one node becomes, depth of expressions.
 */
#define TN_LANG_LIST_MAX  (UINT32_C(1) << 20)
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

static inline struct tn_item tn_item_int(int64_t number)
{
    return (struct tn_item){ .kind = TN_ITEM_INT, .of.number = number };
}

static inline struct tn_item tn_item_bool(bool is_true)
{
    return (struct tn_item){ .kind = TN_ITEM_BOOL, .of.number = is_true };
}

static inline struct tn_item tn_item_float(double real)
{
    return (struct tn_item){ .kind = TN_ITEM_FLOAT, .of.real = real };
}

/* Longer texts than 4 GiB are cut; nothing that we read has any. */
static inline struct tn_item tn_item_text(struct tn_bytes text)
{
    return (struct tn_item){ .kind    = TN_ITEM_STRING,
                             .count   = (uint32_t)text.size,
                             .of.text = (const char *)text.data };
}

static inline struct tn_bytes tn_item_bytes(struct tn_item text)
{
    return tn_bytes(text.of.text, text.count);
}

static inline struct tn_item tn_item_dtype(enum tn_dtype    dtype,
                                           enum tn_net_wrap wrap)
{
    return (struct tn_item){ .kind      = TN_ITEM_DTYPE,
                             .of.number = (int64_t)dtype | (int64_t)wrap << 8 };
}

static inline enum tn_dtype tn_item_to_dtype(struct tn_item dtype)
{
    return (enum tn_dtype)(dtype.of.number & 0xff);
}

static inline enum tn_net_wrap tn_item_to_wrap(struct tn_item dtype)
{
    return (enum tn_net_wrap)(dtype.of.number >> 8);
}

/* Whether elements of the type are TN_ITEM_FLOAT. */
static inline bool tn_item_is_real(enum tn_dtype dtype)
{
    return dtype >= TN_FLOAT32 && dtype <= TN_FLOAT4E2M1;
}

static inline struct tn_item tn_item_none(void)
{
    return (struct tn_item){ .kind = TN_ITEM_NONE };
}

static inline struct tn_item tn_item_unknown(const struct tn_lang_expr *expr)
{
    return (struct tn_item){ .kind = TN_ITEM_UNKNOWN, .of.expr = expr };
}

static inline struct tn_item tn_item_list(const struct tn_item *items,
                                          uint32_t              count)
{
    return (struct tn_item){ .kind     = TN_ITEM_LIST,
                             .count    = count,
                             .of.items = items };
}

/* ---- evaluating --------------------------------------------------------- */

struct tn_code;
struct tn_infer;

/* Why a rule does not go on. */
struct tn_refusal {
    bool                is_set;
    struct tn_map_place place;
    char                text[200];
};

struct tn_eval {
    const struct tn_net      *net;   /* of TN_ITEM_VALUE                      */
    const struct tn_net      *made;  /* of TN_ITEM_MADE; NULL: none           */
    struct tn_infer          *facts; /* folds values; NULL: nothing folds     */
    struct tn_infer          *made_facts; /* those of `made`, or NULL         */
    const struct tn_net_node *node; /* whose rule runs                       */
    const uint8_t            *uses; /* by value: whether somebody uses it;
                                       NULL: everybody is wanted             */
    struct tn_arena *scratch; /* what lists and texts lie in                  */
    struct tn_item  *frame;   /* slots of what runs                           */
    uint64_t         steps;   /* taken by this rule                           */
    uint64_t         total;   /* by the rules before it                       */
    uint32_t         depth;
    uint32_t         output; /* of the node, in rules of shapes              */
    uint32_t missing;   /* one of those that must be folded first: infer.c */
    bool     is_fold;   /* inside of tn_fold(): do not start another    */
    bool     looks_far; /* at the name of a value, or into a graph    */
    struct tn_refusal refusal;
    struct tn_error  *error; /* for what is no rule's fault: memory           */
};

/* What it amounts to.  After a refusal or failure the item means nothing. */
struct tn_item tn_eval(struct tn_eval *e, const struct tn_code *code);

/* Whether there is no point in going on. */
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

/* "rank(X) is not known": a refusal for an unknown that somebody needs. */
struct tn_item tn_eval_not_known(struct tn_eval *e, struct tn_item unknown,
                                 const struct tn_lang_expr *at);

/* Whether two items are equal: 1, 0, or -1 for "cannot be told", which is also
 * said of lists that are too large to compare.  The second counts the work. */
int tn_item_equal(struct tn_item a, struct tn_item b);
int tn_eval_equal(struct tn_eval *e, const struct tn_lang_expr *at,
                  struct tn_item a, struct tn_item b);

/* Numbers of any kind; false: it is none, or does not fit. */
bool tn_item_to_int(struct tn_item item, int64_t *number);
bool tn_item_to_double(struct tn_item item, double *real);

/* A code made of literals alone, in the arena; false: it is not. */
bool tn_code_literal(const struct tn_code *code, struct tn_arena *arena,
                     struct tn_item *out, struct tn_error *error);

/* The bounds of xs[a:b:s] in a list of `count`, as Python has them. */
struct tn_item_range {
    int64_t first, step;
    int64_t count;
};
struct tn_item_range tn_item_slice(int64_t count, const int64_t *begin,
                                   const int64_t *end, int64_t step);

#endif
