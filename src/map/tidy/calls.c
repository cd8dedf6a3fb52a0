/* calls.c - limits what inlined functions may add to a graph */
#include "map/tidy/calls.h"

#include <inttypes.h>

/* Functions that call functions. */
#define DEPTH_LIMIT 64

/* The most that calls may add, for each part of the file and in addition. */
#define PARTS_A_PART   64
#define PARTS_AT_LEAST (UINT64_C(1) << 18)

static uint64_t parts_of(const struct tn_net_node *node)
{
    return UINT64_C(1) + node->input_count + node->output_count +
           node->attr_count;
}

struct tn_calls tn_calls_of(const struct tn_net *net)
{
    uint64_t parts = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        parts += parts_of(&node);
    }
    return (struct tn_calls){ .most = PARTS_A_PART * parts + PARTS_AT_LEAST };
}

enum tn_status tn_calls_charge(struct tn_calls *calls, struct tn_net *net,
                               uint64_t parts)
{
    calls->made += parts;
    if (calls->made <= calls->most)
        return TN_OK;
    return tn_error_set(net->error, TN_LIMIT, TN_NOWHERE,
                        "inlined calls make more than %" PRIu64
                        " nodes, inputs and attributes",
                        calls->most);
}

enum tn_status tn_calls_count(struct tn_calls *calls, struct tn_net *net,
                              const struct tn_net_node *node)
{
    return tn_calls_charge(calls, net, parts_of(node));
}

enum tn_status tn_calls_enter(struct tn_net *net, uint32_t depth,
                              struct tn_bytes function)
{
    if (depth < DEPTH_LIMIT)
        return TN_OK;
    return tn_error_set(net->error, TN_LIMIT, TN_NOWHERE,
                        "calls nest deeper than %d at function %.*s",
                        DEPTH_LIMIT, TN_FMT(function));
}
