/*
 * calls.h - how much bodies of functions may bring, put in place of calls
 *
 * Two lines that call the line before double it each time, so a file of a
 * kilobyte can ask for any number of nodes.  Everything that a body brings is
 * counted and held against what the file has itself.
 */
#ifndef TN_MAP_CALLS_H
#define TN_MAP_CALLS_H

#include "map/net/net.h"

struct tn_calls {
    uint64_t made; /* nodes, with what they take, give and say of themselves  */
    uint64_t most;
};

/* Counts the net as it is in the file. */
struct tn_calls tn_calls_of(const struct tn_net *net);

/* One more node, or other work of that size. */
enum tn_status tn_calls_count(struct tn_calls *calls, struct tn_net *net,
                              const struct tn_net_node *node);
enum tn_status tn_calls_charge(struct tn_calls *calls, struct tn_net *net,
                               uint64_t parts);

/* A call inside of `depth` others; `function` is what it calls. */
enum tn_status tn_calls_enter(struct tn_net *net, uint32_t depth,
                              struct tn_bytes function);

#endif
