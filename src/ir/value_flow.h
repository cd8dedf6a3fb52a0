/*
 * value_flow.h - types, ranks and sizes along a graph, and through graphs that
 * nodes run
 *
 * Producers are checked before their consumers, whatever the order of the file.
 * If a node runs graphs (If, Loop, a call of a function), what is known about
 * its inputs is passed into them, and their outputs are the node's outputs;
 * branches must agree.
 *
 * A subgraph belongs to one node, and is walked once.  A function is walked
 * once for each set of types and ranks that it is called with, up to a limit: a
 * library of functions that call each other costs no more than its size times
 * that limit.  About the outputs of a function that is already being walked
 * (recursion) nothing is known.
 *
 * A loop may change the rank of its loop variables.  So it is first tried
 * without reporting anything: if a variable comes out with another rank,
 * nothing is known about it.  Trials have a budget, since loops may be nested.
 *
 * If a graph may be one that never runs, and is wrong only for the ranks that
 * it would get, that is a note; if this holds for all graphs of a node, the
 * node cannot run.
 */
#ifndef TN_IR_VALUE_FLOW_H
#define TN_IR_VALUE_FLOW_H

#include "ir/value_sizes.h"
#include "ir/value_types.h"

struct tn_call_types;

struct tn_flow {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    struct tn_report          *report;
    struct tn_error           *error;
    struct tn_arena            arena;
    struct tn_typing           typing;
    struct tn_ranking          ranking;
    struct tn_sizing           sizing;
    struct tn_typed_kind     **kinds; /* by op; NULL: not known            */
    uint32_t *order;  /* of ops, graph by graph; NULL: as they come          */
    uint32_t *bodies; /* by op: the first graph in it, + 1; NULL: none has   */
    uint32_t *siblings;                 /* by graph: the next one, + 1       */
    uint8_t  *states;                   /* by graph                          */
    struct tn_call_types **call_typess; /* by graph                          */
    const struct tn_results **results;  /* by op; NULL: none run graphs      */
    struct tn_list            frames;
    struct tn_report          silence; /* where findings of trials go         */
    uint64_t                  tried;   /* ops in trials                       */
    uint8_t                  *loops;   /* by graph: it has TN_MERGES_ROUNDS   */
};

void tn_flow_init(struct tn_flow *flow, const struct tn_model *model,
                  const struct tn_vocab_use *use, struct tn_report *report,
                  struct tn_error *error);
void tn_flow_done(struct tn_flow *flow);

/* A kind of op; NULL on failure. */
struct tn_typed_kind *tn_flow_prepare(struct tn_flow           *flow,
                                      const struct tn_vocab_op *op);

/* Records what kind of op a node is; `attrs` is NULL where they are those of
 * the last node of the kind. */
void tn_flow_note(struct tn_flow *flow, struct tn_typed_kind *kind, uint32_t op,
                  const struct tn_attr_types *attrs);

/* Checks all nodes, after they were recorded. */
void tn_flow_run(struct tn_flow *flow);

#endif
