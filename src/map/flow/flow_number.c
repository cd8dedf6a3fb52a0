/*
 * flow_number.c - which input of a Merge came
 *
 * A Merge of TensorFlow has a second result, the number of the input that
 * lives.  An If has no such thing.  But a number that is computed from an input
 * lives and dies with it, and so another Merge says the same:
 *
 *   Merge(a, b) -> (x, n)
 *
 *   Merge(a, b) -> (x)
 *   Merge(Size(a) * 0 + 0, Size(b) * 0 + 1) -> (n)
 */
#include "map/flow/flow.h"
#include "map/flow/flow_guard.h"
#include "map/net/net_build.h"

static uint32_t compute(struct tn_net *net, uint32_t graph, const char *type,
                        const uint32_t *inputs, uint32_t count)
{
    uint32_t output = tn_net_add_value(net, graph, tn_text("which"));

    if (output == TN_NONE)
        return TN_NONE;
    tn_net_set_scalar(net, output, TN_INT32);
    tn_net_add_node(net, &(struct tn_net_node){ .op = tn_net_own_op(net, type),
                                                .graph        = graph,
                                                .inputs       = inputs,
                                                .input_count  = count,
                                                .outputs      = &output,
                                                .output_count = 1,
                                                .source       = TN_NONE });
    return output;
}

static uint32_t number(struct tn_net *net, uint32_t graph, uint32_t number)
{
    int64_t item = number;

    return tn_net_add_ints(net, graph, tn_text("number"), TN_INT32, &item, 0,
                           NULL);
}

/* `n`, as soon as there is a value. */
static uint32_t number_with(struct tn_net *net, uint32_t graph, uint32_t value,
                            uint32_t n)
{
    uint32_t pair[2] = { compute(net, graph, "Size", &value, 1),
                         number(net, graph, 0) };

    pair[0] = compute(net, graph, "Mul", pair, 2);
    pair[1] = number(net, graph, n);
    return compute(net, graph, "AddV2", pair, 2);
}

static void number_merge(struct tn_net *net, uint32_t id)
{
    struct tn_net_node node = tn_net_node(net, id);
    uint32_t          *inputs =
        tn_new(net->arena, uint32_t, node.input_count, net->error);

    for (uint32_t i = 0; inputs && i < node.input_count; i++)
        inputs[i] = number_with(net, node.graph, node.inputs[i], i);
    if (tn_failed(net->error))
        return;
    uint32_t outputs[2] = { node.outputs[1], TN_NONE };
    tn_net_set_outputs(net, id, node.outputs, 1);
    node.name         = tn_net_value(net, outputs[0]).name;
    node.inputs       = inputs;
    node.outputs      = outputs;
    node.output_count = 2;
    tn_net_add_node(net, &node);
}

void tn_flow_number(struct tn_net *net)
{
    uint64_t count = net->nodes.count;

    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (!node.is_removed && tn_flow_kind(node.op) == TN_FLOW_MERGE &&
            node.output_count > 1 && node.outputs[1] != TN_NONE)
            number_merge(net, i);
    }
}
