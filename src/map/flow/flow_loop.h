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

/* What goes into the body in a round, by the place among its inputs, and what
 * comes out of it; TN_NONE: there is none. */
uint32_t tn_flow_loop_in(const struct tn_flow_loop *loop, uint32_t place);
uint32_t tn_flow_loop_out(const struct tn_flow_loop *loop, uint32_t place);

/* A variable of the Loop that begins with 0 and grows by 1. */
bool tn_flow_counts_rounds(const struct tn_flow_loop *loop, uint32_t variable);

/* Whether the value is the number of the round, from 0 on, in the body. */
bool tn_flow_is_round(const struct tn_flow_loop *loop, uint32_t place);

/* The variable goes: what goes in, what comes out, what the Loop gives.  A
 * number behind those of variables is that of a scan output. */
void tn_flow_loop_drop(const struct tn_flow_loop *loop, uint32_t variable);

/* The variable goes, and `stacked` comes behind all results: what `each` is in
 * every round. */
void tn_flow_loop_stack(const struct tn_flow_loop *loop, uint32_t variable,
                        uint32_t each, uint32_t stacked);

/* Takes one item out of a list of a graph's inputs or outputs. */
void tn_flow_remove_at(struct tn_list *list, uint64_t index);

/* What the value is a copy of. */
uint32_t tn_flow_behind(const struct tn_net *net, uint32_t value);

/* The number that a constant of one element is, false if it cannot be read; and
 * whether it is that one. */
bool tn_flow_constant(const struct tn_net *net, uint32_t value, double *number);
bool tn_flow_is_number(const struct tn_net *net, uint32_t value,
                       int64_t number);

/* The integers of a constant that has at most so many. */
bool tn_flow_numbers(const struct tn_net *net, uint32_t value, int64_t *numbers,
                     uint64_t most, uint64_t *count);

/* The node of that type, of the dialect's own, that makes the value, with that
 * many inputs or more; TN_NONE. */
uint32_t tn_flow_maker(const struct tn_net *net, uint32_t value,
                       const char *type, uint32_t inputs);

/* The value of whose shape the number is the first: how many rows it has.  The
 * number may be cast and shaped, or repeated.  TN_NONE: it is not such one. */
uint32_t tn_flow_row_count_of(const struct tn_net *net, uint32_t number);

/* Whether what is made in one graph is made anew whenever the other one runs:
 * there are no rounds between them, only branches. */
bool tn_flow_runs_with(const struct tn_net *net, uint32_t outer,
                       uint32_t inner);

#endif
