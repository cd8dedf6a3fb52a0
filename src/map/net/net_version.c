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
        *version = (struct tn_net_version){ domain, 1 };
}

static void look_at(struct tn_net *net, const struct tn_vocab *vocab,
                    const struct tn_net_node *node)
{
    if (node->is_removed)
        return;
    if (node->op->domain.size) {
        name_domain(net, node->op->domain);
        return;
    }
    int64_t first =
        tn_vocab_first_version(vocab, node->op->domain, node->op->type);
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
