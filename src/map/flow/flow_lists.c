/*
 * flow_lists.c - lists of tensors, as values that are passed on
 *
 * In TensorFlow and nd4j a list is an object that ops change; they run in order
 * because each passes a number to the next, its flow.  Where nothing may be
 * changed, the flow itself can be the list: an op that writes takes one flow
 * and returns another.  So the flow of a list becomes a sequence with the
 * list's elements, wherever control flow passes it.
 */
#include "map/flow/flow.h"
#include "map/flow/flow_guard.h"
#include "map/net/net_build.h"

/* Nested control flow: a change moves by one level in each pass. */
#define PASS_LIMIT 64

/* The names of list ops in a dialect; their arguments are the same. */
struct list_ops {
    const char *create, *write, *scatter, *split;
    const char *held; /* attribute of `create`: the type of elements          */
};

static const struct list_ops nd4j_ops       = { "create_list", "write_list",
                                                "scatter_list", "split_list",
                                                "importDataType" };
static const struct list_ops tensorflow_ops = { "TensorArrayV3",
                                                "TensorArrayWriteV3",
                                                "TensorArrayScatterV3",
                                                "TensorArraySplitV3", "dtype" };

struct marking {
    struct tn_net         *net;
    const struct list_ops *ops;
    bool                   has_changed;
};

static const struct list_ops *ops_of(const struct tn_net *net)
{
    return net->facts->has_array_ops ? &tensorflow_ops : &nd4j_ops;
}

static void mark(struct marking *m, uint32_t value, enum tn_dtype dtype)
{
    struct tn_net_type list = { .dtype = dtype, .wrap = TN_NET_SEQUENCE };

    if (value == TN_NONE ||
        tn_net_value(m->net, value).type->wrap == TN_NET_SEQUENCE)
        return;
    tn_net_set_type(m->net, value, &list);
    m->has_changed = true;
}

/* A value that is a list stays one. */
static void carry(struct marking *m, uint32_t from, uint32_t to)
{
    if (from == TN_NONE)
        return;
    const struct tn_net_type *type = tn_net_value(m->net, from).type;
    if (type->wrap == TN_NET_SEQUENCE)
        mark(m, to, type->dtype);
}

static uint32_t output_at(const struct tn_net_node *node, uint32_t index)
{
    return index < node->output_count ? node->outputs[index] : TN_NONE;
}

static enum tn_dtype held_by(const struct tn_net_node *node,
                             const struct list_ops    *ops)
{
    const struct tn_attr_value *held = tn_net_attr(node, ops->held);

    return held && held->kind == TN_ATTR_DTYPE && held->count
               ? (enum tn_dtype)held->of.ints[0]
               : TN_FLOAT32;
}

/* Inputs and outputs of a graph inside a node; the first `first` outputs are
 * not among them. */
static void carry_outputs(struct marking *m, const struct tn_net_node *node,
                          uint32_t graph, uint32_t first)
{
    const struct tn_list *outputs = &tn_net_graph(m->net, graph)->outputs;

    for (uint32_t i = first; i < outputs->count; i++)
        carry(m, *tn_list_at(outputs, uint32_t, i), output_at(node, i - first));
}

static void carry_inputs(struct marking *m, const struct tn_net_node *node,
                         uint32_t graph)
{
    const struct tn_list *inputs = &tn_net_graph(m->net, graph)->inputs;

    for (uint32_t i = 0; i < inputs->count && i < node->input_count; i++)
        carry(m, node->inputs[i], *tn_list_at(inputs, uint32_t, i));
}

static void mark_structure(struct marking *m, const struct tn_net_node *node)
{
    bool is_loop = tn_bytes_is(node->op->type, "Loop");

    for (uint32_t i = 0; i < node->attr_count; i++) {
        const struct tn_attr_value *value = &node->attrs[i].value;
        if (value->kind != TN_ATTR_GRAPH || value->count != 1 ||
            (uint64_t)value->of.ints[0] >= m->net->graphs.count)
            continue;
        uint32_t graph = (uint32_t)value->of.ints[0];
        if (is_loop)
            carry_inputs(m, node, graph);
        carry_outputs(m, node, graph, is_loop);
    }
}

static void mark_node(struct marking *m, const struct tn_net_node *node)
{
    const char *const writers[] = { m->ops->write, m->ops->scatter,
                                    m->ops->split };

    if (tn_flow_is_structure(node))
        mark_structure(m, node);
    else if (tn_bytes_is(node->op->type, m->ops->create))
        mark(m, output_at(node, 1), held_by(node, m->ops));
    else if (tn_flow_kind(node->op) == TN_FLOW_IDENTITY && node->input_count)
        carry(m, node->inputs[0], output_at(node, 0));
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (tn_bytes_is(node->op->type, writers[i]) && node->input_count > 3)
            carry(m, node->inputs[3], output_at(node, 0));
}

/* The index of the value among the inputs of an op that writes a list; 0:
 * another op. */
static uint32_t written_at(const struct tn_net_node *node,
                           const struct list_ops    *ops)
{
    if (tn_bytes_is(node->op->type, ops->write) ||
        tn_bytes_is(node->op->type, ops->scatter))
        return 2;
    return tn_bytes_is(node->op->type, ops->split) ? 1 : 0;
}

/* Older files do not declare the type of a list's elements: it is the type of
 * what is written to it. */
static void say_held(struct tn_net *net, const struct list_ops *ops,
                     const struct tn_net_node *writer)
{
    uint32_t at = written_at(writer, ops);

    if (!at || writer->input_count <= at || writer->inputs[0] == TN_NONE ||
        writer->inputs[at] == TN_NONE)
        return;
    uint32_t      maker = tn_net_value(net, writer->inputs[0]).producer;
    enum tn_dtype dtype = tn_net_value(net, writer->inputs[at]).type->dtype;
    if (maker == TN_NONE || dtype == TN_UNDEFINED ||
        !tn_bytes_is(tn_net_node(net, maker).op->type, ops->create) ||
        tn_net_attr_of(net, maker, ops->held))
        return;
    tn_net_set_int(net, maker, ops->held, TN_ATTR_DTYPE, dtype);
}

void tn_flow_lists(struct tn_net *net)
{
    struct marking m = { .net = net, .ops = ops_of(net), .has_changed = true };

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (!node.is_removed)
            say_held(net, m.ops, &node);
    }

    for (int pass = 0; m.has_changed && pass < PASS_LIMIT; pass++) {
        m.has_changed = false;
        for (uint32_t i = 0; i < net->nodes.count; i++) {
            const struct tn_net_node node = tn_net_node(net, i);
            if (!node.is_removed)
                mark_node(&m, &node);
        }
    }
}
