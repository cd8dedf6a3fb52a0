/*
 * flow_loop.h - a Loop of a net: its variables, its rounds
 *
 * Loop(M?, cond?, v...) {body(i, cond, v...) -> (cond', v'..., scans...)}
 */
#ifndef TN_MAP_FLOW_LOOP_H
#define TN_MAP_FLOW_LOOP_H

#include "map/net/net.h"

struct tn_flow_loop {
    struct tn_net *net;
    uint32_t       node; /* the Loop                                          */
    uint32_t       body; /* its graph                                         */
};

/* Whether the node is a Loop whose body has the inputs and outputs of one. */
bool tn_flow_loop(struct tn_flow_loop *loop, struct tn_net *net, uint32_t node);

/* The value that enters the body in each round, by position among its inputs,
 * and the one that leaves it; TN_NONE: there is none. */
uint32_t tn_flow_loop_in(const struct tn_flow_loop *loop, uint32_t place);
uint32_t tn_flow_loop_out(const struct tn_flow_loop *loop, uint32_t place);

/* A variable of the Loop that begins with 0 and grows by 1. */
bool tn_flow_counts_rounds(const struct tn_flow_loop *loop, uint32_t variable);

/* Whether the value is the number of the round, from 0 on, in the body. */
bool tn_flow_is_round(const struct tn_flow_loop *loop, uint32_t place);

/* Removes a variable: its input, its output of the body and its result of the
 * Loop.  Numbers after those of the variables are those of scan outputs. */
void tn_flow_loop_drop(const struct tn_flow_loop *loop, uint32_t variable);

/* Removes a variable, and adds `stacked` after all results: `each`, stacked
 * over all rounds. */
void tn_flow_loop_stack(const struct tn_flow_loop *loop, uint32_t variable,
                        uint32_t each, uint32_t stacked);

/* Removes one item from a list of a graph's inputs or outputs. */
void tn_flow_remove_at(struct tn_list *list, uint64_t index);

/* The value that this one is a copy of. */
uint32_t tn_flow_behind(const struct tn_net *net, uint32_t value);

/* The number in a constant of one element, false if it cannot be read; and
 * whether it is a given one. */
bool tn_flow_constant(const struct tn_net *net, uint32_t value, double *number);
bool tn_flow_is_number(const struct tn_net *net, uint32_t value,
                       int64_t number);

/* The integers of a constant that has at most so many. */
bool tn_flow_numbers(const struct tn_net *net, uint32_t value, int64_t *numbers,
                     uint64_t most, uint64_t *count);

/* The node that makes the value, if it is of that type, of the dialect's own
 * domain, and has that many inputs or more; else TN_NONE. */
uint32_t tn_flow_maker(const struct tn_net *net, uint32_t value,
                       const char *type, uint32_t inputs);

/* The value whose first dimension the number is, which is its number of rows.
 * The number may be cast, reshaped, or repeated.  TN_NONE if there is no such
 * value. */
uint32_t tn_flow_row_count_of(const struct tn_net *net, uint32_t number);

/* The value that an operator of ONNX took the rows of, as many as `value` has:
 * behind ReverseSequence, and behind Transposes of the other axes. */
uint32_t tn_flow_rows_of(const struct tn_net *net, uint32_t value);

/* Whether values of one graph are computed again whenever the other one runs:
 * there are only branches between them, and no loops. */
bool tn_flow_runs_with(const struct tn_net *net, uint32_t outer,
                       uint32_t inner);

#endif
