/*
 * calls.h - limits what inlined functions may add to a graph
 *
 * A function that calls another one twice doubles its size, so a file of a
 * kilobyte can ask for any number of nodes.  Everything that inlining adds is
 * counted and compared with the size of the file.
 */
#ifndef TN_MAP_CALLS_H
#define TN_MAP_CALLS_H

#include "map/net/net.h"

struct tn_calls {
    uint64_t made; /* nodes, with their inputs, outputs and attributes        */
    uint64_t most;
};

/* Counts the net as it is in the file. */
struct tn_calls tn_calls_of(const struct tn_net *net);

/* One more node, or other work of that size. */
enum tn_status tn_calls_count(struct tn_calls *calls, struct tn_net *net,
                              const struct tn_net_node *node);
enum tn_status tn_calls_charge(struct tn_calls *calls, struct tn_net *net,
                               uint64_t parts);

/* A call of `function` inside of `depth` others. */
enum tn_status tn_calls_enter(struct tn_net *net, uint32_t depth,
                              struct tn_bytes function);

#endif
