/*
 * flow_structure.c - an If for Merges, a Loop for a frame
 *
 * The node is added when all values that it takes and its graphs give have been
 * asked for; the jobs that make them come later, and tn_net_order() puts nodes
 * in order in the end.
 */
#include "map/flow/flow_raise.h"
#include "map/net/net_build.h"

/* ---- If ----------------------------------------------------------------- */

struct branches {
    uint32_t graphs[2], places[2]; /* then, else                              */
    uint32_t *outputs, count;
};

static enum tn_status begin_branches(struct tn_raising *r, uint32_t place,
                                     const struct tn_raise_group *group,
                                     struct branches             *b)
{
    uint32_t graph = tn_raise_place_at(r, place)->graph;

    for (uint32_t i = 0; i < 2; i++) {
        b->graphs[i] = tn_net_add_graph(r->net, TN_GRAPH_SUBGRAPH,
                                        tn_text(i ? "else" : "then"), graph);
        if (b->graphs[i] == TN_NONE)
            return r->net->error->status;
        b->places[i] = tn_raise_new_place(
            r, (struct tn_raise_place){
                   .parent = place,
                   .guard  = tn_guard_child(&r->guards, group->above,
                                            group->condition, !i),
                   .graph  = b->graphs[i],
                   .loop   = TN_NONE });
    }
    for (uint32_t m = group->first; m;
         m = tn_list_at(&r->members, struct tn_raise_member, m - 1)->next)
        b->count++;
    b->outputs = tn_raise_new_ids(r, b->count);
    return r->net->error->status;
}

static enum tn_status add_branch_outputs(struct tn_raising *r, uint32_t place,
                                         struct branches *b, uint32_t merge,
                                         uint32_t index)
{
    struct tn_net_node      node = tn_net_node(r->net, merge);
    struct tn_flow_decision decision;

    tn_flow_decision(&r->guards, node.inputs, &decision);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t branch = decision.sides[i] ? 0 : 1;
        tn_raise_add_output(
            r, b->graphs[branch],
            tn_raise_seen_from(r, b->places[branch], node.inputs[i]));
    }
    tn_raise_make_value(r, place, node.outputs[0]);
    b->outputs[index] = node.outputs[0] == TN_NONE
                            ? TN_NONE
                            : tn_pairs_find(&r->made, place, node.outputs[0]);
    return r->net->error->status;
}

enum tn_status tn_raise_add_if(struct tn_raising *r, uint32_t place,
                               uint32_t merge)
{
    static const char *const names[] = { "then_branch", "else_branch" };
    uint32_t                 id = *tn_list_at(&r->group, uint32_t, merge) - 1;
    struct tn_raise_group    group =
        *tn_list_at(&r->groups, struct tn_raise_group, id);
    struct branches b     = { .count = 0 };
    uint32_t        index = 0;

    /* The other Merges of the group come with the first. */
    TN_TRY(begin_branches(r, place, &group, &b));
    for (uint32_t m = group.first; m; index++) {
        struct tn_raise_member member =
            *tn_list_at(&r->members, struct tn_raise_member, m - 1);
        tn_raise_queue(r, place, member.node);
        TN_TRY(add_branch_outputs(r, place, &b, member.node, index));
        m = member.next;
    }
    uint32_t condition = tn_raise_seen_from(r, place, group.condition);
    if (tn_failed(r->net->error))
        return r->net->error->status;
    tn_raise_add_structure(
        r, place, merge,
        (struct tn_net_node){ .op           = tn_net_own_op(r->net, "If"),
                              .inputs       = &condition,
                              .input_count  = 1,
                              .outputs      = b.outputs,
                              .output_count = b.count,
                              .attr_count   = 2 },
        names, b.graphs);
    return r->net->error->status;
}

/* ---- Loop --------------------------------------------------------------- */

/* The condition of the Switch behind an Exit. */
static uint32_t condition_of(const struct tn_raising *r, uint32_t exit)
{
    uint32_t value = tn_net_node(r->net, exit).inputs[0];

    for (uint64_t step = 0; step <= r->old_count; step++) {
        uint32_t                 node = tn_raise_producer(r, value);
        const struct tn_net_node n    = tn_net_node(r->net, node);
        if (tn_flow_kind(n.op) == TN_FLOW_SWITCH)
            return n.input_count > 1 ? tn_flow_condition(r->net, n.inputs[1])
                                     : TN_NONE;
        if (tn_flow_kind(n.op) == TN_FLOW_MERGE)
            return TN_NONE;
        value = n.inputs[0];
    }
    return TN_NONE;
}

struct frame {
    uint32_t        place, guard, condition, graph, loop;
    uint32_t        first_place, body_place, again_place, inner_place;
    const uint32_t *merges;
    uint32_t        count;
    uint32_t       *exits; /* values, by variable                             */
};

static uint32_t frame_place(struct tn_raising *r, const struct frame *f,
                            enum tn_raise_place_kind kind, uint32_t graph)
{
    return tn_raise_new_place(r, (struct tn_raise_place){ .kind   = kind,
                                                          .parent = f->place,
                                                          .guard  = f->guard,
                                                          .graph  = graph,
                                                          .loop   = f->loop });
}

static void add_body_input(struct tn_raising *r, struct frame *f,
                           const char *wish, const struct tn_net_type *type,
                           uint32_t merge)
{
    struct tn_net  *net  = r->net;
    struct tn_bytes name = tn_text(wish);

    if (merge != TN_NONE)
        name = tn_net_node(net, merge).name;
    uint32_t value = tn_net_add_value(net, f->graph, name);
    if (value == TN_NONE)
        return;
    tn_net_set_type(net, value, type);
    tn_net_add_input(net, f->graph, value, tn_bytes(NULL, 0));
    if (merge != TN_NONE)
        tn_raise_push(r, &r->inputs, value);
}

static void add_body_inputs(struct tn_raising *r, struct frame *f)
{
    struct tn_net *net = r->net;

    add_body_input(r, f, "iteration",
                   &(struct tn_net_type){ .dtype = TN_INT64, .has_rank = true },
                   TN_NONE);
    add_body_input(r, f, "keep_going",
                   &(struct tn_net_type){ .dtype = TN_BOOL, .has_rank = true },
                   TN_NONE);
    for (uint32_t i = 0; i < f->count && !tn_failed(net->error); i++)
        add_body_input(
            r, f, "",
            tn_net_value(net, tn_net_node(net, f->merges[i]).outputs[0]).type,
            f->merges[i]);
}

static enum tn_status begin_frame(struct tn_raising *r, struct frame *f)
{
    struct tn_net        *net = r->net;
    struct tn_raise_loop *loop;

    f->graph = tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("body"),
                                tn_raise_place_at(r, f->place)->graph);
    f->loop  = (uint32_t)r->loops.count;
    loop     = tn_list_push(&r->loops, struct tn_raise_loop, net->error);
    if (f->graph == TN_NONE || !loop)
        return net->error->status;
    loop->inputs   = (uint32_t)r->inputs.count;
    f->first_place = frame_place(r, f, TN_PLACE_FIRST,
                                 tn_raise_place_at(r, f->place)->graph);
    f->body_place  = frame_place(r, f, TN_PLACE_BODY, f->graph);
    f->again_place = frame_place(r, f, TN_PLACE_AGAIN, f->graph);
    f->inner_place = tn_raise_new_place(
        r, (struct tn_raise_place){
               .parent = f->body_place,
               .guard  = tn_guard_child(&r->guards, f->guard, f->condition, 1),
               .graph  = f->graph,
               .loop   = TN_NONE });
    tn_list_at(&r->loops, struct tn_raise_loop, f->loop)->body = f->inner_place;
    add_body_inputs(r, f);
    return net->error->status;
}

/* One Exit: the last value of a variable. */
static enum tn_status add_exit(struct tn_raising *r, struct frame *f,
                               uint32_t exit)
{
    uint32_t slot =
        *tn_list_at(&r->slots, uint32_t, tn_raise_merge_behind(r, exit));

    if (condition_of(r, exit) != f->condition)
        return tn_flow_refuse(r->net, exit, "its loop has two conditions");
    if (f->exits[slot] != TN_NONE)
        return tn_flow_refuse(r->net, exit,
                              "its variable has left the loop before");
    tn_raise_queue(r, f->place, exit);
    f->exits[slot] =
        tn_pairs_find(&r->made, f->place, tn_net_node(r->net, exit).outputs[0]);
    return r->net->error->status;
}

/* All Exits of the frame: the Loop gives them together. */
static enum tn_status add_exits(struct tn_raising *r, struct frame *f)
{
    uint32_t frame = tn_guard_at(&r->guards, f->guard)->what;
    uint32_t at    = *tn_list_at(&r->frame_exits, uint32_t, frame);

    f->exits = tn_raise_new_ids(r, f->count);
    if (!f->exits)
        return r->net->error->status;
    memset(f->exits, 0xff, f->count * sizeof *f->exits);
    while (at) {
        struct tn_raise_member exit =
            *tn_list_at(&r->exits, struct tn_raise_member, at - 1);
        TN_TRY(add_exit(r, f, exit.node));
        at = exit.next;
    }
    return r->net->error->status;
}

/* A Loop gives all of its variables, wanted or not. */
static void fill_exits(struct tn_raising *r, struct frame *f)
{
    uint32_t graph = tn_raise_place_at(r, f->place)->graph;

    for (uint32_t i = 0; i < f->count; i++)
        if (f->exits[i] == TN_NONE)
            f->exits[i] = tn_net_add_value(
                r->net, graph, tn_net_node(r->net, f->merges[i]).name);
}

/* Of each variable, what enters the loop is an input of the Loop, and what
 * comes round an output of its graph. */
static enum tn_status carry_variables(struct tn_raising *r, struct frame *f,
                                      uint32_t *inputs)
{
    for (uint32_t i = 0; i < f->count && !tn_failed(r->net->error); i++) {
        struct tn_flow_merge     merge = tn_flow_merge(r->net, f->merges[i]);
        const struct tn_net_node next =
            tn_net_node(r->net, tn_raise_producer(r, merge.next));
        if (!next.input_count || next.inputs[0] == TN_NONE)
            return tn_flow_refuse(r->net, f->merges[i],
                                  "the loop has no back edge");
        uint32_t again = next.inputs[0];
        inputs[i]      = tn_raise_seen_from(r, f->first_place, merge.enter);
        tn_raise_add_output(r, f->graph,
                            tn_raise_seen_from(r, f->inner_place, again));
    }
    return r->net->error->status;
}

static enum tn_status fill_frame(struct tn_raising *r, struct frame *f)
{
    static const char *const names[] = { "body" };
    uint32_t                *inputs  = tn_raise_new_ids(r, f->count + 2);

    if (!inputs)
        return r->net->error->status;
    inputs[0] = TN_NONE;
    inputs[1] = tn_raise_seen_from(r, f->first_place, f->condition);
    tn_raise_add_output(r, f->graph,
                        tn_raise_seen_from(r, f->again_place, f->condition));
    TN_TRY(carry_variables(r, f, inputs + 2));
    tn_raise_add_structure(
        r, f->place, f->merges[0],
        (struct tn_net_node){ .op           = tn_net_own_op(r->net, "Loop"),
                              .inputs       = inputs,
                              .input_count  = f->count + 2,
                              .outputs      = f->exits,
                              .output_count = f->count,
                              .attr_count   = 1 },
        names, &f->graph);
    return r->net->error->status;
}

enum tn_status tn_raise_add_loop(struct tn_raising *r, uint32_t place,
                                 uint32_t exit)
{
    struct frame f = { .place = place,
                       .guard =
                           tn_raise_guard(r, tn_raise_merge_behind(r, exit)),
                       .condition = condition_of(r, exit) };

    if (f.condition == TN_NONE)
        return tn_flow_refuse(r->net, exit,
                              "no Switch lets it out of its loop");
    uint32_t frame = tn_guard_at(&r->guards, f.guard)->what;
    uint32_t first = *tn_list_at(&r->frame_first, uint32_t, frame);
    f.merges       = tn_list_at(&r->variables, uint32_t, first);
    f.count        = *tn_list_at(&r->frame_first, uint32_t, frame + 1) - first;
    TN_TRY(begin_frame(r, &f));
    TN_TRY(add_exits(r, &f));
    fill_exits(r, &f);
    return fill_frame(r, &f);
}
