/* branches.c - replaces an If by one of its graphs if the condition is constant
 */
#include "map/simplify/branches.h"

#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"

/* The graph that an If runs, or TN_NONE: that is not known, or it gives other
 * outputs. */
static uint32_t find_branch(const struct tn_net      *net,
                            const struct tn_net_node *node)
{
    double condition;

    if (node->is_removed || node->op->domain.size ||
        !tn_bytes_is(node->op->type, "If") || node->input_count != 1 ||
        node->control_count ||
        !tn_flow_constant(net, node->inputs[0], &condition))
        return TN_NONE;
    const struct tn_attr_value *branch =
        tn_net_attr(node, condition != 0 ? "then_branch" : "else_branch");
    if (!branch || branch->kind != TN_ATTR_GRAPH || branch->count != 1)
        return TN_NONE;
    uint32_t graph = (uint32_t)branch->of.ints[0];
    if (graph >= net->graphs.count || tn_net_graph(net, graph)->inputs.count ||
        tn_net_graph(net, graph)->outputs.count < node->output_count)
        return TN_NONE;
    return graph;
}

/* Moves its nodes to the place of the If. */
static void dissolve(struct tn_net *net, uint32_t id, uint32_t branch)
{
    const struct tn_net_node node = tn_net_node(net, id);

    for (uint64_t i = 0; i < tn_net_graph(net, branch)->nodes.count; i++)
        tn_net_move_node(
            net, *tn_list_at(&tn_net_graph(net, branch)->nodes, uint32_t, i),
            node.graph);
    for (uint32_t i = 0; i < node.output_count; i++)
        if (node.outputs[i] != TN_NONE)
            tn_net_replace(
                net, node.outputs[i],
                *tn_list_at(&tn_net_graph(net, branch)->outputs, uint32_t, i));
    tn_net_graph(net, branch)->nodes.count   = 0;
    tn_net_graph(net, branch)->outputs.count = 0;
    tn_net_remove(net, id);
}

/* The graph that the values and subgraphs of each graph belong to now; an
 * enclosing graph may have been replaced the same way. */
static void settle(struct tn_net *net, const uint32_t *into)
{
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        struct tn_net_graph *graph = tn_net_graph(net, i);
        while (graph->parent != TN_NONE && into[graph->parent] != TN_NONE)
            graph->parent = into[graph->parent];
    }
    for (uint32_t i = 0; i < net->values.count; i++) {
        struct tn_net_value_row *row = tn_net_value_row(net, i);
        while (into[row->graph] != TN_NONE)
            row->graph = into[row->graph];
    }
}

uint64_t tn_choose_branches(struct tn_net *net)
{
    uint64_t        count = 0;
    struct tn_arena arena;

    if (net->graphs.count < 2)
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    uint32_t *into = tn_new(&arena, uint32_t, net->graphs.count, net->error);
    for (uint32_t i = 0; into && i < net->graphs.count; i++)
        into[i] = TN_NONE;
    for (uint32_t i = 0; into && i < net->nodes.count && tn_net_goes_on(net);
         i++) {
        const struct tn_net_node node   = tn_net_node(net, i);
        uint32_t                 branch = find_branch(net, &node);
        if (branch == TN_NONE || into[branch] != TN_NONE ||
            branch == node.graph)
            continue;
        into[branch] = node.graph;
        dissolve(net, i, branch);
        count++;
    }
    if (count && !tn_failed(net->error)) {
        settle(net, into);
        tn_net_forget_uses(net);
        tn_net_order(net, NULL);
    }
    tn_arena_done(&arena);
    return count;
}
