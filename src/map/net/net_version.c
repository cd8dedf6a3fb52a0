/*
 * net_version.c - the opsets that a net of ONNX needs
 *
 * Rules are written for one opset.  An op that came later asks for its own, and
 * the other ops mean the same there: what an opset changes, it changes by
 * adding types and optional attributes to them.
 */
#include "base/byte_view.h"
#include "ir/vocab.h"
#include "map/net/net_build.h"

/* The version of ai.onnx.ml that rules write: the one that came with opset
 * 15. */
#define ML_VERSION 3

static void name_domain(struct tn_net *net, struct tn_bytes domain)
{
    for (uint64_t i = 0; i < net->versions.count; i++)
        if (tn_bytes_equal(
                tn_list_at(&net->versions, struct tn_net_version, i)->domain,
                domain))
            return;
    struct tn_net_version *version =
        tn_list_push(&net->versions, struct tn_net_version, net->error);
    if (version)
        *version = (struct tn_net_version){
            domain, tn_bytes_is(domain, "ai.onnx.ml") ? ML_VERSION : 1
        };
}

/* ---- types that came later ----------------------------------------------
 *
 * Operators that compare take strings since a later opset than numbers; those
 * that quantise, integers of 16 bits and of few bits. */

static bool is_late(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_STRING:
    case TN_INT16:
    case TN_UINT16:
    case TN_INT4:
    case TN_UINT4:
    case TN_INT2:
    case TN_UINT2:
        return true;
    default:
        return false;
    }
}

static const struct tn_vocab_types *types_of(const struct tn_vocab_op  *op,
                                             const struct tn_vocab_arg *arg)
{
    for (uint32_t i = 0; arg->variable.size && i < op->variable_count; i++)
        if (tn_bytes_equal(op->variables[i].name, arg->variable))
            return &op->variables[i].types;
    return &arg->types;
}

static bool takes_late(const struct tn_net      *net,
                          const struct tn_net_node *node,
                          const struct tn_vocab_op *op)
{
    for (uint32_t i = 0; i < node->input_count && op->input_count; i++) {
        const struct tn_vocab_arg *arg =
            &op->inputs[i < op->input_count ? i : op->input_count - 1];
        enum tn_dtype dtype =
            node->inputs[i] == TN_NONE
                ? TN_UNDEFINED
                : tn_net_value(net, node->inputs[i]).type->dtype;
        if (is_late(dtype) && !(types_of(op, arg)->tensors >> dtype & 1))
            return false;
    }
    return true;
}

static bool has_late(const struct tn_net      *net,
                        const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != TN_NONE &&
            is_late(tn_net_value(net, node->inputs[i]).type->dtype))
            return true;
    return false;
}

int64_t tn_net_first_version(const struct tn_net *net, struct tn_vocab *vocab,
                             const struct tn_net_node *node)
{
    struct tn_bytes domain = node->op->domain, type = node->op->type;
    int64_t         first = tn_vocab_first_version(vocab, domain, type);

    if (first < 0 || !has_late(net, node))
        return first;
    for (int64_t at = first; at > 0;
         at         = tn_vocab_next_version(vocab, domain, type, at)) {
        const struct tn_vocab_op *op =
            tn_vocab_find(vocab, domain, type, at, net->error);
        if (!op)
            break;
        if (takes_late(net, node, op))
            return at;
    }
    return first;
}

static void look_at(struct tn_net *net, struct tn_vocab *vocab,
                    const struct tn_net_node *node)
{
    if (node->is_removed)
        return;
    if (node->op->domain.size) {
        name_domain(net, node->op->domain);
        return;
    }
    int64_t first = tn_net_first_version(net, vocab, node);
    if (first > net->version)
        net->version = first;
}

void tn_net_set_versions(struct tn_net *net)
{
    struct tn_vocab vocab;

    if (tn_vocab_open(&vocab, net->arena, "onnx", net->error) != TN_OK)
        return;
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        look_at(net, &vocab, &node);
    }
}
