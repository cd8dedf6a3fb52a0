/*
 * flow_raise.c - Switch, Merge and frames become If and Loop
 *
 * What a value needs is copied into the place where it is wanted, starting from
 * the outputs of the graph.  A place is a graph and a guard (flow_guard.h):
 * what lives under that guard is made there, what lives under an outer one in
 * the place around it.  Along the way
 *
 *   Switch, Enter, LoopCond   are what they get, seen from inside
 *   Merge under a condition   is an output of an If; all Merges that take back
 *                             one decision and do not wait for each other are
 *                             one If, whose branches are two places
 *   Exit                      is an output of the Loop of its frame
 *   Merge of a loop           is a variable; which, depends on the place:
 *
 *       first    the condition before the loop: variables are what enters
 *       body     the graph of the Loop:         variables are its inputs
 *       again    the condition after the body:  variables are what comes next
 *
 * So the condition is copied twice, as Loop wants it, and the rest once.
 */
#include "map/flow/flow.h"
#include "map/flow/flow_raise.h"
#include "map/net/net_build.h"

/* An If comes with one of its Merges, a Loop with one of its Exits. */
static bool is_first(struct tn_raising *r, uint32_t place, uint32_t node)
{
    uint32_t key;

    if (tn_raise_kind(r, node) == TN_FLOW_MERGE)
        key = *tn_list_at(&r->group, uint32_t, node) - 1;
    else
        key =
            UINT32_MAX - 2 - tn_raise_guard(r, tn_raise_merge_behind(r, node));
    /* jobs are keyed by nodes, these by numbers beyond them */
    uint32_t slot = UINT32_MAX - 1 - place;
    if (tn_pairs_find(&r->queued, slot, key) != TN_NONE)
        return false;
    tn_pairs_add(&r->queued, slot, key, 1, r->net->error);
    return true;
}

static enum tn_status run_job(struct tn_raising *r, struct tn_raise_job job)
{
    switch (tn_raise_kind(r, job.node)) {
    case TN_FLOW_MERGE:
        return is_first(r, job.place, job.node)
                   ? tn_raise_add_if(r, job.place, job.node)
                   : TN_OK;
    case TN_FLOW_EXIT:
        return is_first(r, job.place, job.node)
                   ? tn_raise_add_loop(r, job.place, job.node)
                   : TN_OK;
    case TN_FLOW_NEXT:
        return tn_flow_refuse(r->net, job.node, "used outside of its loop");
    default: return tn_raise_add_node(r, job.place, job.node);
    }
}

/* The name by which the world knows an output stays. */
static void set_output(struct tn_raising *r, uint64_t index, uint32_t value)
{
    struct tn_net_graph *graph = tn_net_graph(r->net, 0);
    uint32_t            *slot  = tn_list_at(&graph->outputs, uint32_t, index);

    if (value == TN_NONE || value == *slot)
        return;
    struct tn_bytes name = tn_net_output_name(r->net, 0, (uint32_t)index);
    while (graph->output_names.count <= index &&
           tn_list_push(&graph->output_names, struct tn_bytes, r->net->error))
        ;
    if (tn_failed(r->net->error))
        return;
    *tn_list_at(&graph->output_names, struct tn_bytes, index) = name;
    *slot                                                     = value;
}

static void remove_at(struct tn_list *list, uint64_t index)
{
    uint8_t *items = list->items;
    size_t   size  = list->item_size;

    if (index >= list->count)
        return;
    memmove(items + index * size, items + (index + 1) * size,
            (size_t)(list->count - index - 1) * size);
    list->count--;
}

/* What a graph that names no outputs seems to have as such, because nobody uses
 * it: which input of a Merge came, and all that may not have been computed. */
static bool is_loose_end(const struct tn_raising *r, uint32_t value)
{
    uint32_t node = tn_raise_producer(r, value);

    if (node == TN_NONE)
        return false;
    return tn_guard_of(&r->guards, value) ||
           (tn_raise_kind(r, node) == TN_FLOW_MERGE &&
            tn_net_value(r->net, value).output == 1);
}

/* If nothing else is left they were meant, and are refused later. */
static void drop_loose_ends(struct tn_raising *r)
{
    struct tn_net_graph *graph = tn_net_graph(r->net, 0);

    for (uint64_t i = graph->outputs.count; i-- > 0;) {
        if (graph->outputs.count == 1 || !graph->are_outputs_guessed ||
            !is_loose_end(r, *tn_list_at(&graph->outputs, uint32_t, i)))
            continue;
        remove_at(&graph->outputs, i);
        remove_at(&graph->output_names, i);
        remove_at(&graph->output_types, i);
    }
}

static enum tn_status raise_all(struct tn_raising *r)
{
    struct tn_net *net = r->net;

    for (uint64_t i = 0; i < tn_net_graph(net, 0)->outputs.count; i++) {
        uint32_t value =
            *tn_list_at(&tn_net_graph(net, 0)->outputs, uint32_t, i);
        set_output(r, i, tn_raise_seen_from(r, 0, value));
    }
    for (uint64_t i = 0; i < r->jobs.count && !tn_failed(net->error); i++)
        TN_TRY(run_job(r, *tn_list_at(&r->jobs, struct tn_raise_job, i)));
    for (uint32_t i = 0; i < r->old_count; i++)
        if (tn_net_node(net, i).graph == 0 && !*tn_list_at(&r->kept, bool, i))
            tn_net_remove(net, i);
    return net->error->status;
}

static enum tn_status prepare(struct tn_raising *r)
{
    struct tn_net *net = r->net;

    TN_TRY(tn_net_order(net, tn_flow_loop_ops));
    TN_TRY(tn_guards_find(&r->guards, true));
    r->old_count = net->nodes.count;
    if (!tn_list_grow(&r->kept, r->old_count, net->error) ||
        !tn_list_grow(&r->needed, r->old_count, net->error) ||
        !tn_list_grow(&r->depth, r->old_count, net->error) ||
        !tn_list_grow(&r->group, r->old_count, net->error) ||
        !tn_list_grow(&r->slots, r->old_count, net->error) ||
        !tn_list_grow(&r->frame_exits, r->guards.frame_parents.count + 1,
                      net->error))
        return net->error->status;
    tn_raise_new_place(
        r, (struct tn_raise_place){ .parent = TN_NONE, .loop = TN_NONE });
    drop_loose_ends(r);
    TN_TRY(tn_raise_survey(r));
    return tn_raise_join(r);
}

static bool has_flow(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        enum tn_flow_kind        kind = tn_flow_kind(node.op);
        if (!node.is_removed && kind != TN_FLOW_OTHER &&
            kind != TN_FLOW_IDENTITY)
            return true;
    }
    return false;
}

static void raising_lists(struct tn_raising *r,
                          void (*each)(struct tn_list *, uint32_t,
                                       struct tn_memory *))
{
    struct tn_memory *memory = r->net->arena->memory;

    each(&r->places, sizeof(struct tn_raise_place), memory);
    each(&r->loops, sizeof(struct tn_raise_loop), memory);
    each(&r->inputs, sizeof(uint32_t), memory);
    each(&r->jobs, sizeof(struct tn_raise_job), memory);
    each(&r->kept, sizeof(bool), memory);
    each(&r->needed, sizeof(bool), memory);
    each(&r->depth, sizeof(uint32_t), memory);
    each(&r->group, sizeof(uint32_t), memory);
    each(&r->groups, sizeof(struct tn_raise_group), memory);
    each(&r->members, sizeof(struct tn_raise_member), memory);
    each(&r->variables, sizeof(uint32_t), memory);
    each(&r->frame_first, sizeof(uint32_t), memory);
    each(&r->slots, sizeof(uint32_t), memory);
    each(&r->exits, sizeof(struct tn_raise_member), memory);
    each(&r->frame_exits, sizeof(uint32_t), memory);
}

static void list_init(struct tn_list *list, uint32_t size,
                      struct tn_memory *memory)
{
    tn_list_init(list, memory, size);
}

static void list_done(struct tn_list *list, uint32_t size,
                      struct tn_memory *memory)
{
    (void)size;
    (void)memory;
    tn_list_done(list);
}

enum tn_status tn_flow_raise(struct tn_net *net)
{
    struct tn_raising r = { .net = net };

    if (!has_flow(net))
        return TN_OK;
    raising_lists(&r, list_init);
    tn_pairs_init(&r.made, net->arena->memory);
    tn_pairs_init(&r.queued, net->arena->memory);
    tn_pairs_init(&r.group_index, net->arena->memory);
    tn_guards_init(&r.guards, net);
    if (prepare(&r) == TN_OK)
        raise_all(&r);
    raising_lists(&r, list_done);
    tn_pairs_done(&r.made);
    tn_pairs_done(&r.queued);
    tn_pairs_done(&r.group_index);
    tn_guards_done(&r.guards);
    return tn_failed(net->error) ? net->error->status : tn_net_order(net, NULL);
}
