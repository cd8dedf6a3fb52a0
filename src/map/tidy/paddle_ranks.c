/*
 * paddle_ranks.c - ranks that a program declares
 *
 * A program declares the dims of every variable that Paddle knew when it was
 * built.  If nothing follows from operators, as with a computed shape, the
 * number of dims is taken from there, but not their sizes, because they may
 * contain the batch size that the program was built with.
 */
#include "ir/attr.h"
#include "map/net/net_build.h"
#include "map/tidy/paddle_tidy.h"

enum { RANK_MAX = 9 };

/* In the block of an operator, or around it. */
static bool find_declared(const struct tn_model *model, uint32_t op,
                          struct tn_bytes name, struct tn_declared *to)
{
    uint32_t graph = tn_model_op_at(model, op)->graph;

    for (uint64_t left = model->graphs.count; left && graph != TN_NONE;
         left--) {
        if (model->dialect->declared(model, graph, name, to))
            return to->has_type && !to->is_list;
        graph = tn_model_graph_at(model, graph)->parent_graph;
    }
    return false;
}

/* A variable without dims may be one whose dims were unknown. */
static bool set_rank(struct tn_net *net, uint32_t value, uint32_t op)
{
    struct tn_net_type type = *tn_net_value(net, value).type;
    int64_t            open[RANK_MAX];
    struct tn_declared told;

    if (type.has_rank || type.wrap != TN_NET_TENSOR ||
        !find_declared(net->source, op, tn_net_value(net, value).name, &told) ||
        told.rank == 0 || told.rank > RANK_MAX)
        return false;
    for (uint32_t i = 0; i < told.rank; i++)
        open[i] = -1;
    type.has_rank = true;
    type.rank     = told.rank;
    type.dims     = open;
    if (type.dtype == TN_UNDEFINED)
        type.dtype = told.dtype;
    tn_net_set_type(net, value, &type);
    return true;
}

uint64_t tn_paddle_ranks(struct tn_net *net)
{
    uint64_t count = 0;

    if (!net->source || !net->source->dialect->declared)
        return 0;
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed || node.source == TN_NONE)
            continue;
        for (uint32_t k = 0; k < node.output_count; k++)
            if (node.outputs[k] != TN_NONE)
                count += set_rank(net, node.outputs[k], node.source);
    }
    return count;
}
