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

/* Bounds that hold for every rule and every node. */
#define TN_LANG_LIST_MAX (UINT32_C(1) << 20) /* items of one list */
#define TN_LANG_STEPS_MAX                                                      \
    (UINT64_C(1) << 24)         /* expressions and items a node  */
#define TN_LANG_NODES_MAX 10000 /* nodes that one node becomes   */
#define TN_LANG_DEPTH_MAX 256   /* of expressions, through defs  */

#endif
