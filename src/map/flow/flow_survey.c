/*
 * flow_survey.c - which nodes of a dataflow graph are one If or one Loop
 *
 * Merges that take back one decision and do not wait for each other are one If:
 * those of the same depth, which is the number of Merges on the longest way to
 * them.  Merges that come round in one frame are the variables of one Loop, and
 * its Exits are what is left of them.
 */
#include "map/flow/flow_raise.h"

/* ---- what is needed ----------------------------------------------------- */

static void need(struct tn_raising *r, struct tn_list *stack, uint32_t value)
{
    uint32_t node = tn_raise_producer(r, value);

    if (node == TN_NONE)
        return;
    if (tn_net_value(r->net, value).output == 1 &&
        tn_raise_kind(r, node) == TN_FLOW_MERGE)
        tn_flow_refuse(
            r->net, node,
            "the index of the chosen input is used, which is not supported");
    if (*tn_list_at(&r->needed, bool, node))
        return;
    *tn_list_at(&r->needed, bool, node) = true;
    tn_raise_push(r, stack, node);
}

static void find_needed(struct tn_raising *r)
{
    const struct tn_list *outputs = &tn_net_graph(r->net, 0)->outputs;
    struct tn_list        stack;

    tn_list_init(&stack, r->net->arena->memory, sizeof(uint32_t));
    for (uint64_t i = 0; i < outputs->count; i++)
        need(r, &stack, *tn_list_at(outputs, uint32_t, i));
    for (uint64_t i = 0; i < stack.count && !tn_failed(r->net->error); i++) {
        const struct tn_net_node node =
            tn_net_node(r->net, *tn_list_at(&stack, uint32_t, i));
        for (uint32_t k = 0; k < node.input_count; k++)
            need(r, &stack, node.inputs[k]);
    }
    tn_list_done(&stack);
}

static void find_depth(struct tn_raising *r, uint32_t id)
{
    const struct tn_net_node node  = tn_net_node(r->net, id);
    uint32_t                 depth = 0;

    for (uint32_t i = 0; i < node.input_count; i++) {
        uint32_t from = tn_raise_producer(r, node.inputs[i]);
        uint32_t of =
            from == TN_NONE ? 0 : *tn_list_at(&r->depth, uint32_t, from);
        depth = of > depth ? of : depth;
    }
    if (tn_flow_kind(node.op) == TN_FLOW_MERGE)
        depth++;
    *tn_list_at(&r->depth, uint32_t, id) = depth;
}

/* ---- which Merges are one If, which are one Loop ------------------------- */

static uint32_t group_of(struct tn_raising       *r,
                         struct tn_flow_decision *decision, uint32_t depth)
{
    uint32_t side =
        tn_guard_child(&r->guards, decision->above, decision->condition, 1);
    uint32_t found = tn_pairs_find(&r->group_index, side, depth);

    if (found != TN_NONE)
        return found;
    uint32_t               id = (uint32_t)r->groups.count;
    struct tn_raise_group *group =
        tn_list_push(&r->groups, struct tn_raise_group, r->net->error);
    if (!group)
        return TN_NONE;
    *group = (struct tn_raise_group){ decision->above, decision->condition, 0 };
    return tn_pairs_add(&r->group_index, side, depth, id, r->net->error);
}

static enum tn_status add_to_group(struct tn_raising *r, uint32_t merge)
{
    const struct tn_net_node node = tn_net_node(r->net, merge);
    struct tn_flow_decision  decision;

    if (node.input_count != 2 || node.inputs[0] == TN_NONE ||
        node.inputs[1] == TN_NONE ||
        !tn_flow_decision(&r->guards, node.inputs, &decision))
        return tn_flow_refuse(r->net, merge,
                              "no condition decides between its inputs");
    uint32_t id =
        group_of(r, &decision, *tn_list_at(&r->depth, uint32_t, merge));
    struct tn_raise_member *member =
        tn_list_push(&r->members, struct tn_raise_member, r->net->error);
    if (id == TN_NONE || !member)
        return r->net->error->status;
    struct tn_raise_group *group =
        tn_list_at(&r->groups, struct tn_raise_group, id);
    *member      = (struct tn_raise_member){ merge, group->first };
    group->first = (uint32_t)r->members.count;
    *tn_list_at(&r->group, uint32_t, merge) = id + 1;
    return TN_OK;
}

/* The frame whose variable the node is; TN_NONE: it is none, or refused. */
static uint32_t frame_of_variable(struct tn_raising *r, uint32_t node)
{
    if (!*tn_list_at(&r->needed, bool, node) ||
        tn_raise_kind(r, node) != TN_FLOW_MERGE ||
        !tn_flow_merge(r->net, node).is_loop)
        return TN_NONE;
    const struct tn_guard *guard =
        tn_guard_at(&r->guards, tn_raise_guard(r, node));
    if (guard->is_frame)
        return guard->what;
    tn_flow_refuse(r->net, node, "a loop without an Enter");
    return TN_NONE;
}

/* Counted two places ahead, so that sums are where the frame before begins. */
static enum tn_status count_variables(struct tn_raising *r, uint64_t frames)
{
    const struct tn_list *nodes = &tn_net_graph(r->net, 0)->nodes;

    if (!tn_list_grow(&r->frame_first, frames + 2, r->net->error))
        return r->net->error->status;
    uint32_t *first = r->frame_first.items;
    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t frame = frame_of_variable(r, *tn_list_at(nodes, uint32_t, i));
        if (frame != TN_NONE)
            first[frame + 2]++;
    }
    for (uint64_t i = 1; i < frames + 2; i++)
        first[i] += first[i - 1];
    return r->net->error->status;
}

/* Merges of loops, sorted by frame.  Filling in moves what counting left on to
 * where each frame begins. */
static enum tn_status add_variables(struct tn_raising *r)
{
    const struct tn_list *nodes  = &tn_net_graph(r->net, 0)->nodes;
    uint64_t              frames = r->guards.frame_parents.count;

    TN_TRY(count_variables(r, frames));
    uint32_t *first = r->frame_first.items;
    if (first[frames + 1] &&
        !tn_list_grow(&r->variables, first[frames + 1], r->net->error))
        return r->net->error->status;
    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t node  = *tn_list_at(nodes, uint32_t, i);
        uint32_t frame = frame_of_variable(r, node);
        if (frame != TN_NONE)
            *tn_list_at(&r->variables, uint32_t, first[frame + 1]++) = node;
    }
    return TN_OK;
}

static void number_variables(struct tn_raising *r)
{
    for (uint64_t f = 0; f + 1 < r->frame_first.count; f++) {
        uint32_t first = *tn_list_at(&r->frame_first, uint32_t, f);
        uint32_t end   = *tn_list_at(&r->frame_first, uint32_t, f + 1);
        for (uint32_t i = first; i < end; i++)
            *tn_list_at(&r->slots, uint32_t,
                        *tn_list_at(&r->variables, uint32_t, i)) = i - first;
    }
}

uint32_t tn_raise_merge_behind(const struct tn_raising *r, uint32_t exit)
{
    uint32_t value = tn_net_node(r->net, exit).input_count
                         ? tn_net_node(r->net, exit).inputs[0]
                         : TN_NONE;

    for (uint64_t step = 0; step <= r->old_count; step++) {
        uint32_t node = tn_raise_producer(r, value);
        if (node == TN_NONE)
            return TN_NONE;
        enum tn_flow_kind kind = tn_raise_kind(r, node);
        if (kind == TN_FLOW_MERGE)
            return tn_flow_merge(r->net, node).is_loop ? node : TN_NONE;
        if (kind != TN_FLOW_SWITCH && kind != TN_FLOW_IDENTITY)
            return TN_NONE;
        value = tn_net_node(r->net, node).inputs[0];
    }
    return TN_NONE;
}

static enum tn_status add_to_frame(struct tn_raising *r, uint32_t exit)
{
    uint32_t               merge = tn_raise_merge_behind(r, exit);
    const struct tn_guard *guard =
        merge == TN_NONE ? NULL
                         : tn_guard_at(&r->guards, tn_raise_guard(r, merge));

    if (!guard || !guard->is_frame || !tn_net_node(r->net, exit).output_count)
        return tn_flow_refuse(r->net, exit,
                              "no variable of a loop is behind it");
    uint32_t *first = tn_list_at(&r->frame_exits, uint32_t, guard->what);
    struct tn_raise_member *member =
        tn_list_push(&r->exits, struct tn_raise_member, r->net->error);
    if (!member)
        return r->net->error->status;
    *member = (struct tn_raise_member){ exit, *first };
    *first  = (uint32_t)r->exits.count;
    return TN_OK;
}

enum tn_status tn_raise_survey(struct tn_raising *r)
{
    const struct tn_list *nodes = &tn_net_graph(r->net, 0)->nodes;

    find_needed(r);
    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t id = *tn_list_at(nodes, uint32_t, i);
        if (!*tn_list_at(&r->needed, bool, id))
            continue;
        find_depth(r, id);
        if (tn_raise_kind(r, id) == TN_FLOW_EXIT)
            TN_TRY(add_to_frame(r, id));
        if (tn_raise_kind(r, id) == TN_FLOW_MERGE &&
            !tn_flow_merge(r->net, id).is_loop)
            TN_TRY(add_to_group(r, id));
    }
    TN_TRY(add_variables(r));
    number_variables(r);
    return r->net->error->status;
}
