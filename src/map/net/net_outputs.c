/*
 * net_outputs.c - all outputs that an op has, used or not
 *
 * A kernel identifies its outputs by position, so an unused one still needs its
 * position.  Only outputs that the definition calls optional may be left out.
 */
#include "ir/vocab.h"
#include "map/net/net_build.h"

/* Whether output `index` may be left out.  The last definition stands for all
 * outputs of a list. */
static bool is_optional(const struct tn_vocab_op *op, uint32_t index)
{
    uint32_t last = op->output_count - 1;

    return op->output_count &&
           op->outputs[index < last ? index : last].arity == TN_VOCAB_OPTIONAL;
}

static uint32_t needed_outputs(const struct tn_net_node *node,
                               const struct tn_vocab_op *op, bool has_holes)
{
    uint32_t count = node->output_count;

    while (has_holes && count > op->min_outputs &&
           node->outputs[count - 1] == TN_NONE && is_optional(op, count - 1))
        count--;
    return count < op->min_outputs ? op->min_outputs : count;
}

static bool is_complete(const struct tn_net_node *node,
                        const struct tn_vocab_op *op, uint32_t count,
                        bool has_holes)
{
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] == TN_NONE && !(has_holes && is_optional(op, i)))
            return false;
    return node->output_count == count;
}

void tn_net_complete_outputs(struct tn_net *net, uint32_t id,
                             const struct tn_vocab_op *op, bool has_holes)
{
    const struct tn_net_node node = tn_net_node(net, id);
    uint32_t                 count;

    if (!op->has_signature || op->min_outputs == UINT32_MAX)
        return;
    count = needed_outputs(&node, op, has_holes);
    if (is_complete(&node, op, count, has_holes))
        return;
    uint32_t *outputs = tn_new(net->arena, uint32_t, count, net->error);
    for (uint32_t i = 0; outputs && i < count; i++) {
        outputs[i] = i < node.output_count ? node.outputs[i] : TN_NONE;
        if (outputs[i] != TN_NONE || (has_holes && is_optional(op, i)))
            continue;
        outputs[i] = tn_net_add_value(net, node.graph, node.name);
        if (outputs[i] == TN_NONE)
            return;
    }
    if (outputs)
        tn_net_set_outputs(net, id, outputs, count);
}

enum tn_status tn_net_complete_onnx(struct tn_net *net)
{
    struct tn_vocab vocab;

    TN_TRY(tn_vocab_open(&vocab, net->arena, "onnx", net->error));
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node   = tn_net_node(net, i);
        struct tn_bytes          domain = node.op->domain;
        int64_t version = domain.size ? INT64_MAX : net->version;
        const struct tn_vocab_op *op =
            node.is_removed ? NULL
                            : tn_vocab_find(&vocab, domain, node.op->type,
                                            version, net->error);
        if (op)
            tn_net_complete_outputs(net, i, op, true);
    }
    return net->error->status;
}
