/* simplify.c - the same graph with fewer nodes: round by round */
#include "map/simplify/simplify.h"

#include "map/net/net_build.h"

#include "map/lang/lang_apply.h"

/* Each round takes away nodes, or is the last; what one leaves for the next is
 * a chain of chains, which graphs do not have deeper than this. */
#define MOST_ROUNDS 16

bool *tn_simplify_outputs(struct tn_net *net, struct tn_arena *arena)
{
    bool *is_output = tn_new(arena, bool, net->values.count, net->error);

    for (uint32_t i = 0; is_output && i < net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            is_output[*tn_list_at(outputs, uint32_t, k)] = true;
    }
    return is_output;
}

static uint64_t count_rewritten(const struct tn_map_report *report)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < report->rules.count; i++) {
        const struct tn_lang_rule *rule = tn_map_rule(report, i);
        count += rule && rule->head.op.size; /* control flow has no head */
    }
    return count;
}

/* From one net to the next. */
static uint64_t rewrite(struct tn_net *from, struct tn_net *to,
                        const struct tn_simplify_how *how,
                        struct tn_infer              *facts)
{
    struct tn_infer     *made = NULL;
    struct tn_map_report report;
    uint64_t             count = 0;

    to->source  = from->source;
    to->version = from->version;
    tn_map_report_init(&report, from->arena);
    if (tn_infer_open(&made, to, how->shapes) == TN_OK &&
        tn_lang_apply(&how->rules, 1, facts, from, made, to, &report) ==
            TN_OK) {
        count = count_rewritten(&report);
        if (how->on_rules && count)
            how->on_rules(how->context, from, &report);
    }
    tn_infer_close(made);
    tn_map_report_done(&report);
    return count;
}

static void keep_versions(const struct tn_net *from, struct tn_net *to)
{
    for (uint64_t i = 0; i < from->versions.count; i++) {
        struct tn_net_version *row =
            tn_list_push(&to->versions, struct tn_net_version, to->error);
        if (row)
            *row = *tn_list_at(&from->versions, struct tn_net_version, i);
    }
}

/* One round; the net that it ends with, or NULL. */
static struct tn_net *run_round(struct tn_net                *net,
                                const struct tn_simplify_how *how,
                                struct tn_simplified *did, bool *has_changed)
{
    struct tn_infer *facts  = NULL;
    uint64_t         folded = 0, rewritten = 0;
    struct tn_net   *to = how->new_net(how->context);

    if (to && tn_infer_open(&facts, net, how->shapes) == TN_OK &&
        tn_infer_run(facts) == TN_OK) {
        if (!how->folds_nothing)
            folded = tn_simplify_fold(net, facts, how->fold_limit);
        if (!tn_failed(net->error)) {
            keep_versions(net, to);
            rewritten = rewrite(net, to, how, facts);
        }
    }
    tn_infer_close(facts);
    tn_net_done(net);
    if (!to || tn_failed(to->error))
        return NULL;
    tn_net_prune(to);
    uint64_t shared = tn_simplify_share(to);
    tn_net_prune(to);
    tn_net_forget_uses(to);
    did->folded += folded;
    did->rewritten += rewritten;
    did->shared += shared;
    did->rounds++;
    *has_changed = folded || rewritten || shared;
    return tn_net_order(to, NULL) == TN_OK ? to : NULL;
}

struct tn_net *tn_simplify(struct tn_net                *net,
                           const struct tn_simplify_how *how,
                           struct tn_simplified         *did)
{
    bool has_changed = true;

    *did = (struct tn_simplified){ 0 };
    while (net && has_changed && did->rounds < MOST_ROUNDS)
        net = run_round(net, how, did, &has_changed);
    return net;
}
