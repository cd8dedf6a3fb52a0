/*
 * lang_emit.h - the body of a rule makes nodes
 *
 * Nodes go straight into the target.  A rule that refuses half way has left
 * some there: its caller records the lengths of the target's lists before and
 * cuts them back (lang_apply.c).
 */
#ifndef TN_MAP_LANG_EMIT_H
#define TN_MAP_LANG_EMIT_H

#include "map/lang/lang_apply.h"
#include "map/lang/lang_code.h"

struct tn_emit {
    struct tn_eval eval;
    struct tn_net *to;
    uint32_t       graph; /* of `to`, where nodes go                          */
    uint32_t       depth; /* of macros                                        */
    bool           has_doubles; /* attributes of the target are doubles       */

    struct tn_list ids;     /* uint32_t by value of the source: the value it
                               became, TN_NONE: none yet                      */
    struct tn_list carried; /* uint32_t: values of the source that became one
                               while this rule ran                            */
    uint32_t first_node, first_value; /* of `to`, when the rule began         */
    const uint32_t *controls; /* of the nodes that are made                   */
    uint32_t        control_count;
};

/* Runs the steps, which bind values in the frame. */
void tn_emit_block(struct tn_emit *e, const struct tn_code_block *block);

/* The value of the target for a value of the source.  Constants are copied
 * here, and so are values that have not been made yet: a loop uses a value
 * before its node is visited. */
uint32_t tn_emit_unchanged(struct tn_emit *e, uint32_t value);

static inline bool tn_emit_stopped(const struct tn_emit *e)
{
    return tn_eval_stopped(&e->eval);
}

/* An expression whose value is needed: if it is unknown, the rule refuses. */
struct tn_item tn_emit_need(struct tn_emit *e, const struct tn_code *code);

/* A value of the target, as an item. */
static inline struct tn_item tn_emit_made(uint32_t value)
{
    return (struct tn_item){ .kind = TN_ITEM_MADE, .of.number = value };
}

/* ---- lang_const.c ------------------------------------------------------- */

/* Numbers or texts on their way into a constant. */
#define TN_EMIT_RANK_MAX 8

struct tn_emit_cells {
    struct tn_item *items;
    uint64_t        count;
    uint64_t        dims[TN_EMIT_RANK_MAX];
    uint32_t        rank;
};

/* A constant of the target; a refusal names the place `at`.  TN_NONE after a
 * refusal. */
uint32_t tn_emit_constant(struct tn_emit *e, const struct tn_lang_expr *at,
                          const struct tn_emit_cells *cells,
                          enum tn_dtype               dtype);

/* rescaled(...) of a rule. */
struct tn_item tn_emit_rescaled_call(struct tn_emit       *e,
                                     const struct tn_code *code);

/* const(...) of a rule. */
struct tn_item tn_emit_const_call(struct tn_emit       *e,
                                  const struct tn_code *code);

/* ---- nodes and values --------------------------------------------------- */

/* Adds a node whose type, inputs and attributes are set; its outputs go to
 * `outs`.  Those that have TN_ITEM_NONE there already get no value. */
void tn_emit_node(struct tn_emit *e, const struct tn_lang_expr *at,
                  struct tn_net_node *node, struct tn_item *outs,
                  uint32_t out_count);

/* The value for an item that is an input; TN_NONE if it is none, or after a
 * refusal. */
uint32_t tn_emit_input(struct tn_emit *e, const struct tn_lang_expr *at,
                       struct tn_item item);

/* A value of the target without a name. */
uint32_t tn_emit_value(struct tn_emit *e);

/* Names an intermediate value after the first output of the node. */
void tn_emit_name_inner(const struct tn_emit *e, struct tn_net_value_row *row);

#endif
