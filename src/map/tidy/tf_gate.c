/*
 * tf_gate.c - adds a Switch to values that only a control edge keeps in a
 * branch
 *
 *   Const ^cond/switch_t ------> Merge         Const -> Switch(., p):1 -> Merge
 *   f(Switch(x, p):0) ---------> Merge    =>   f(Switch(x, p):0) -------> Merge
 *
 * Control edges are dropped from a graph that only computes.  But in dataflow
 * they also say when a value is dead, and a Merge takes the live input.  So if
 * an input would always be live without its control edge, the condition becomes
 * a data edge.
 */
#include "map/flow/flow_guard.h"
#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

struct gating {
    struct tn_tf_work *work;
    struct tn_guards   guards; /* with control edges                          */
    struct tn_guards   data;   /* without                                     */
    struct tn_list     merges; /* uint32_t                                    */
};

/* Whether the value is dead by data alone where the condition is not on that
 * side. */
static bool is_gated(const struct gating *g, uint32_t value, uint32_t condition,
                     uint32_t side)
{
    uint32_t at = tn_guard_of(&g->data, value);

    for (; at; at = tn_guard_at(&g->data, at)->parent) {
        const struct tn_guard *row = tn_guard_at(&g->data, at);
        if (!row->is_frame && row->what == condition && row->side == side)
            return true;
    }
    return false;
}

/* Switch(value, condition), and the output of that side. */
static uint32_t add_switch(struct gating *g, uint32_t value, uint32_t condition,
                           uint32_t side)
{
    struct tn_net  *net        = g->work->net;
    struct tn_bytes name       = tn_net_value(net, value).name;
    uint32_t        inputs[2]  = { value, condition };
    uint32_t        outputs[2] = { TN_NONE, TN_NONE };

    outputs[side] = tn_net_add_value(net, 0, name);
    if (outputs[side] == TN_NONE)
        return TN_NONE;
    struct tn_net_node node = { .name   = tn_net_value(net, outputs[side]).name,
                                .op     = tn_net_own_op(net, "Switch"),
                                .inputs = inputs,
                                .input_count  = 2,
                                .outputs      = outputs,
                                .output_count = 2,
                                .source       = TN_NONE };
    uint32_t           id   = tn_net_add_node(net, &node);
    uint8_t           *mark = id == TN_NONE ? NULL : tn_tf_mark_of(g->work, id);
    if (mark)
        *mark |= TN_TF_NEEDED;
    return mark ? outputs[side] : TN_NONE;
}

static void gate_merge(struct gating *g, uint32_t merge)
{
    struct tn_net           *net  = g->work->net;
    const struct tn_net_node node = tn_net_node(net, merge);
    struct tn_flow_decision  decision;
    uint32_t                 inputs[2];

    if (node.input_count != 2 || tn_flow_merge(net, merge).is_loop)
        return;
    memcpy(inputs, node.inputs, sizeof inputs);
    if (inputs[0] == TN_NONE || inputs[1] == TN_NONE ||
        !tn_flow_decision(&g->guards, inputs, &decision))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        if (!is_gated(g, inputs[i], decision.condition, decision.sides[i]))
            inputs[i] =
                add_switch(g, inputs[i], decision.condition, decision.sides[i]);
        if (inputs[i] == TN_NONE)
            return;
    }
    tn_net_set_inputs(net, merge, inputs, 2);
}

static void find_merges(struct gating *g)
{
    struct tn_net *net = g->work->net;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        uint8_t                 *mark = tn_tf_mark_of(g->work, i);
        if (!mark)
            return;
        if (node.is_removed || node.graph || !(*mark & TN_TF_NEEDED) ||
            tn_flow_kind(node.op) != TN_FLOW_MERGE)
            continue;
        uint32_t *slot = tn_list_push(&g->merges, uint32_t, net->error);
        if (slot)
            *slot = i;
    }
}

static enum tn_status gate(struct gating *g)
{
    struct tn_net *net = g->work->net;

    find_merges(g);
    if (!g->merges.count || tn_failed(net->error))
        return net->error->status;
    TN_TRY(tn_net_order(net, tn_flow_loop_ops));
    TN_TRY(tn_guards_find(&g->guards, true));
    TN_TRY(tn_guards_find(&g->data, false));
    for (uint64_t i = 0; i < g->merges.count && !tn_failed(net->error); i++)
        gate_merge(g, *tn_list_at(&g->merges, uint32_t, i));
    return net->error->status;
}

enum tn_status tn_tf_gate(struct tn_tf_work *work)
{
    struct gating g = { .work = work };

    tn_guards_init(&g.guards, work->net);
    tn_guards_init(&g.data, work->net);
    tn_list_init(&g.merges, work->net->arena->memory, sizeof(uint32_t));
    gate(&g);
    tn_guards_done(&g.guards);
    tn_guards_done(&g.data);
    tn_list_done(&g.merges);
    return work->error->status;
}
