/*
 * flow_raise.c - Switch, Merge and frames become If and Loop
 *
 * Starting from the outputs of the graph, everything that a value needs is
 * copied to the place where the value is used.  A place is a graph and a guard
 * (flow_guard.h): values under that guard are made there, values under an outer
 * guard in the place around it.  Meanwhile
 *
 *   Switch, Enter, LoopCond   are replaced by their input
 *   Merge under a condition   becomes an output of an If; all Merges of one
 *                             condition that do not depend on each other become
 *                             one If, whose branches are two places
 *   Exit                      becomes an output of the Loop of its frame
 *   Merge of a loop           becomes a variable, depending on the place:
 *
 *       first    the condition before the loop: variables are what enters
 *       body     the graph of the Loop:         variables are its inputs
 *       again    the condition after the body:  variables are what comes next
 *
 * So the condition is copied twice, as Loop wants it, and the rest once.
 */
#include "map/flow/flow.h"
#include "map/flow/flow_guard.h"
#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"

enum tn_raise_region_kind {
    TN_REGION_PLAIN, /* the graph, a branch, the body of a loop */
    TN_REGION_FIRST,
    TN_REGION_BODY, /* around the body: under the frame's own guard */
    TN_REGION_AGAIN,
};

struct tn_raise_region {
    enum tn_raise_region_kind kind;
    uint32_t parent; /* place; TN_NONE: none                  */
    uint32_t guard;
    uint32_t graph;
    uint32_t loop; /* of a frame's places: which              */
};

/* A node that is to be made in a place. */
struct tn_raise_job {
    uint32_t place, node;
};

/* A frame, copied into a place: one Loop. */
struct tn_raise_loop {
    uint32_t body;   /* place: where the condition holds                      */
    uint32_t inputs; /* in `inputs`: of the body, one for each variable       */
};

/* Merges that end the same decision. */
struct tn_raise_group {
    uint32_t above, condition; /* of the decision: see flow_guard.h           */
    uint32_t first;            /* in members, + 1                             */
};

/* A Merge of a group, or an Exit of a frame, and the next one, + 1. */
struct tn_raise_member {
    uint32_t node, next;
};

struct tn_raising {
    struct tn_net   *net;
    struct tn_guards guards;
    uint64_t         old_count; /* of nodes                                   */

    /* the survey of Merges */
    struct tn_list needed;  /* bool by node                                   */
    struct tn_list depth;   /* uint32_t by node: Merges on the way to it      */
    struct tn_list group;   /* uint32_t by Merge: the decision that it ends, +
                               1 */
    struct tn_list  groups; /* struct tn_raise_group                          */
    struct tn_pairs group_index; /* (guard of the decision, depth)            */
    struct tn_list  members;     /* struct tn_raise_member: of groups         */
    struct tn_list  variables;   /* uint32_t: Merges of loops, by frame       */
    struct tn_list  frame_first; /* uint32_t by frame: in variables; the next
                                    one's is where it ends                    */
    struct tn_list slots;        /* uint32_t by Merge of a loop: which one    */
    struct tn_list exits;        /* struct tn_raise_member: needed ones       */
    struct tn_list frame_exits;  /* uint32_t by frame: in exits, + 1          */

    /* what places and structures are made of */
    struct tn_list places;  /* struct tn_raise_region; the first is the main
                               graph                                          */
    struct tn_list  loops;  /* struct tn_raise_loop                           */
    struct tn_list  inputs; /* uint32_t: values                               */
    struct tn_pairs made;   /* (place, value): the value there                */
    struct tn_pairs queued; /* (place, node)                                  */
    struct tn_list  jobs;   /* struct tn_raise_job                            */
    struct tn_list  kept;   /* bool by node: stays in the main graph          */
};

static struct tn_raise_region *raise_place_at(const struct tn_raising *r,
                                              uint32_t                 place)
{
    return tn_list_at(&r->places, struct tn_raise_region, place);
}

static enum tn_flow_kind raise_kind(const struct tn_raising *r, uint32_t node)
{
    return tn_flow_kind(tn_net_node(r->net, node).op);
}

static uint32_t raise_guard(const struct tn_raising *r, uint32_t node)
{
    return *tn_list_at(&r->guards.of_node, uint32_t, node);
}

static uint32_t raise_producer(const struct tn_raising *r, uint32_t value)
{
    return value == TN_NONE ? TN_NONE : tn_net_value(r->net, value).producer;
}

/* ---- values and nodes in places ----------------------------------------- */

/*
 * What a value stands for depends on the place: constants and inputs are the
 * same everywhere, a value under an outer guard belongs to the place around,
 * and all others are copied into the place, by a job for their node.
 */

/* The most copies of each node. */
#define COPY_LIMIT 64

static void raise_push(struct tn_raising *r, struct tn_list *list,
                       uint32_t item)
{
    uint32_t *slot = tn_list_push(list, uint32_t, r->net->error);

    if (slot)
        *slot = item;
}

/* ---- values in places --------------------------------------------------- */

static bool holds_in(const struct tn_raising *r, uint32_t place, uint32_t guard)
{
    return place != TN_NONE &&
           tn_guard_holds(&r->guards, raise_place_at(r, place)->guard, guard);
}

/* The place around (or at) `place` that has the guard; if there is none, the
 * outermost one where all of the guard is decided. */
static uint32_t place_under(const struct tn_raising *r, uint32_t place,
                            uint32_t guard)
{
    uint32_t at = place;

    while (at != TN_NONE && raise_place_at(r, at)->guard != guard)
        at = raise_place_at(r, at)->parent;
    if (at != TN_NONE || !holds_in(r, place, guard))
        return at;
    while (holds_in(r, raise_place_at(r, place)->parent, guard))
        place = raise_place_at(r, place)->parent;
    return place;
}

static uint32_t raise_new_place(struct tn_raising     *r,
                                struct tn_raise_region place)
{
    uint32_t                id = (uint32_t)r->places.count;
    struct tn_raise_region *row =
        tn_list_push(&r->places, struct tn_raise_region, r->net->error);

    if (!row)
        return TN_NONE;
    *row = place;
    return id;
}

/* In the main graph a value stays the same; elsewhere it gets a copy. */
static void raise_make_value(struct tn_raising *r, uint32_t place,
                             uint32_t value)
{
    uint32_t graph = raise_place_at(r, place)->graph, copy = value;

    if (value == TN_NONE || tn_pairs_find(&r->made, place, value) != TN_NONE)
        return;
    if (place) {
        copy =
            tn_net_add_value(r->net, graph, tn_net_value(r->net, value).name);
        if (copy == TN_NONE)
            return;
        tn_net_copy_type(r->net, copy, value);
    }
    tn_pairs_add(&r->made, place, value, copy, r->net->error);
}

/* Schedules the node to be made there, once; its outputs exist at once. */
static void raise_queue(struct tn_raising *r, uint32_t place, uint32_t node)
{
    if (tn_pairs_find(&r->queued, place, node) != TN_NONE ||
        tn_pairs_add(&r->queued, place, node, 1, r->net->error) == TN_NONE)
        return;
    if (r->jobs.count > COPY_LIMIT * (r->old_count + 64))
        tn_error_set(r->net->error, TN_LIMIT, TN_NOWHERE,
                     "structure costs more than %d copies of each node",
                     COPY_LIMIT);
    struct tn_raise_job *job =
        tn_list_push(&r->jobs, struct tn_raise_job, r->net->error);
    if (job)
        *job = (struct tn_raise_job){ place, node };
    for (uint32_t i = 0; i < tn_net_node(r->net, node).output_count; i++)
        raise_make_value(r, place, tn_net_node(r->net, node).outputs[i]);
}

/* One step towards what a value stands for inside; false if it is made here. */
static bool step_behind(struct tn_raising *r, uint32_t node, uint32_t *place,
                        uint32_t *value)
{
    const struct tn_net_node      n     = tn_net_node(r->net, node);
    const struct tn_raise_region *at    = raise_place_at(r, *place);
    struct tn_flow_merge          merge = { .is_loop = false };

    switch (tn_flow_kind(n.op)) {
    case TN_FLOW_SWITCH:
    case TN_FLOW_ENTER:
    case TN_FLOW_COND: *value = n.input_count ? n.inputs[0] : TN_NONE; break;
    case TN_FLOW_MERGE:
        merge = tn_flow_merge(r->net, node);
        if (!merge.is_loop || at->kind == TN_REGION_BODY)
            return false;
        if (at->kind == TN_REGION_FIRST) {
            *value = merge.enter;
            break;
        }
        *value = tn_net_node(r->net, raise_producer(r, merge.next)).inputs[0];
        *place = tn_list_at(&r->loops, struct tn_raise_loop, at->loop)->body;
        break;
    default: return false;
    }
    return true;
}

/* The input of a Loop's graph that a variable is. */
static uint32_t variable_in(struct tn_raising *r, uint32_t place,
                            uint32_t merge)
{
    const struct tn_raise_loop *loop = tn_list_at(
        &r->loops, struct tn_raise_loop, raise_place_at(r, place)->loop);
    uint32_t slot = *tn_list_at(&r->slots, uint32_t, merge);

    return *tn_list_at(&r->inputs, uint32_t, loop->inputs + slot);
}

/* The value that stands for this one in that place; TN_NONE on failure. */
static uint32_t raise_seen_from(struct tn_raising *r, uint32_t place,
                                uint32_t value)
{
    for (uint64_t step = 0; step <= 4 * r->old_count + 4; step++) {
        uint32_t node = raise_producer(r, value);
        if (node == TN_NONE || tn_failed(r->net->error))
            return value; /* constants and inputs can be used everywhere */
        uint32_t at = place_under(r, place, tn_guard_of(&r->guards, value));
        if (at == TN_NONE) {
            tn_flow_refuse(r->net, node, "it is used where it does not live");
            return TN_NONE;
        }
        place         = at;
        uint32_t made = tn_pairs_find(&r->made, place, value);
        if (made != TN_NONE)
            return made;
        if (step_behind(r, node, &place, &value))
            continue;
        if (raise_place_at(r, place)->kind == TN_REGION_BODY &&
            raise_kind(r, node) == TN_FLOW_MERGE &&
            tn_flow_merge(r->net, node).is_loop)
            return variable_in(r, place, node);
        raise_queue(r, place, node);
        return tn_pairs_find(&r->made, place, value);
    }
    tn_error_set(r->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                 "a cycle that is not a loop");
    return TN_NONE;
}

/* ---- making nodes ------------------------------------------------------- */

/* An output of a subgraph is made in it. */
static void raise_add_output(struct tn_raising *r, uint32_t graph,
                             uint32_t value)
{
    struct tn_net *net = r->net;

    if (value == TN_NONE)
        return;
    uint32_t output =
        tn_net_add_value(net, graph, tn_net_value(net, value).name);
    if (output == TN_NONE)
        return;
    tn_net_copy_type(net, output, value);
    struct tn_net_node node = { .name = tn_net_value(net, output).name,
                                .op = tn_net_own_op(net, net->facts->identity),
                                .graph        = graph,
                                .inputs       = &value,
                                .input_count  = 1,
                                .outputs      = &output,
                                .output_count = 1,
                                .source       = TN_NONE };
    tn_net_add_node(net, &node);
    tn_net_add_output(net, graph, output, tn_bytes(NULL, 0));
}

static uint32_t *raise_new_ids(struct tn_raising *r, uint64_t count)
{
    return tn_new(r->net->arena, uint32_t, count, r->net->error);
}

/* The inputs of a node, as they are in a place. */
static uint32_t *inputs_in(struct tn_raising *r, uint32_t place, uint32_t node)
{
    uint32_t  count  = tn_net_node(r->net, node).input_count;
    uint32_t *inputs = raise_new_ids(r, count);

    for (uint32_t i = 0; inputs && i < count; i++) {
        uint32_t value = tn_net_node(r->net, node).inputs[i];
        inputs[i] =
            value == TN_NONE ? TN_NONE : raise_seen_from(r, place, value);
    }
    return inputs;
}

/* The node itself in the main graph, a copy of it elsewhere. */
static enum tn_status raise_add_node(struct tn_raising *r, uint32_t place,
                                     uint32_t id)
{
    struct tn_net     *net  = r->net;
    struct tn_net_node node = tn_net_node(net, id);

    if (tn_net_holds_graphs(&node))
        return tn_flow_refuse(r->net, id,
                              "control flow with graphs inside Switch and "
                              "Merge is not supported");
    uint32_t *inputs  = inputs_in(r, place, id);
    uint32_t *outputs = raise_new_ids(r, node.output_count);
    if (!inputs || !outputs || tn_failed(net->error))
        return net->error->status;
    if (!place) {
        *tn_list_at(&r->kept, bool, id) = true;
        tn_net_set_inputs(net, id, inputs, node.input_count);
        return net->error->status;
    }
    for (uint32_t i = 0; i < node.output_count; i++)
        outputs[i] = node.outputs[i] == TN_NONE
                         ? TN_NONE
                         : tn_pairs_find(&r->made, place, node.outputs[i]);
    node.graph         = raise_place_at(r, place)->graph;
    node.inputs        = inputs;
    node.outputs       = outputs;
    node.controls      = NULL;
    node.control_count = 0;
    tn_net_add_node(net, &node);
    return net->error->status;
}

/* An If or Loop in that place, called after the node `like`; `node` has op,
 * inputs, outputs and the number of graphs. */
static void raise_add_structure(struct tn_raising *r, uint32_t place,
                                uint32_t like, struct tn_net_node node,
                                const char *const *names,
                                const uint32_t    *graphs)
{
    struct tn_net *net = r->net;

    node.attrs = tn_net_graph_attrs(net, names, graphs, node.attr_count);
    if (!node.attrs)
        return;
    node.name   = tn_net_node(net, like).name;
    node.source = tn_net_node(net, like).source;
    node.graph  = raise_place_at(r, place)->graph;
    tn_net_add_node(net, &node);
}

/* ---- which nodes of a dataflow graph are one If or one Loop ------------- */

/*
 * Merges that end the same decision and do not wait for each other are one If:
 * those of the same depth, which is the number of Merges on the longest path to
 * them.  Merges with a NextIteration in one frame are the variables of one
 * Loop, and its Exits are their last values.
 */

/* ---- what is needed ----------------------------------------------------- */

static void need(struct tn_raising *r, struct tn_list *stack, uint32_t value)
{
    uint32_t node = raise_producer(r, value);

    if (node == TN_NONE)
        return;
    if (tn_net_value(r->net, value).output == 1 &&
        raise_kind(r, node) == TN_FLOW_MERGE)
        tn_flow_refuse(
            r->net, node,
            "the index of the chosen input is used, which is not supported");
    if (*tn_list_at(&r->needed, bool, node))
        return;
    *tn_list_at(&r->needed, bool, node) = true;
    raise_push(r, stack, node);
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
        uint32_t from = raise_producer(r, node.inputs[i]);
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

/* The frame whose variable the node is; TN_NONE if it is not one, or
 * refused. */
static uint32_t frame_of_variable(struct tn_raising *r, uint32_t node)
{
    if (!*tn_list_at(&r->needed, bool, node) ||
        raise_kind(r, node) != TN_FLOW_MERGE ||
        !tn_flow_merge(r->net, node).is_loop)
        return TN_NONE;
    const struct tn_guard *guard =
        tn_guard_at(&r->guards, raise_guard(r, node));
    if (guard->is_frame)
        return guard->what;
    tn_flow_refuse(r->net, node, "a loop without an Enter");
    return TN_NONE;
}

/* Counts a frame two places ahead, so that after summing, first[frame + 1] is
 * where it begins. */
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

/* Merges of loops, sorted by frame.  Filling in advances first[frame + 1] to
 * where the next frame begins. */
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

/* The Merge whose last value an Exit returns; TN_NONE: none. */
static uint32_t raise_merge_behind(const struct tn_raising *r, uint32_t exit)
{
    uint32_t value = tn_net_node(r->net, exit).input_count
                         ? tn_net_node(r->net, exit).inputs[0]
                         : TN_NONE;

    for (uint64_t step = 0; step <= r->old_count; step++) {
        uint32_t node = raise_producer(r, value);
        if (node == TN_NONE)
            return TN_NONE;
        enum tn_flow_kind kind = raise_kind(r, node);
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
    uint32_t               merge = raise_merge_behind(r, exit);
    const struct tn_guard *guard =
        merge == TN_NONE ? NULL
                         : tn_guard_at(&r->guards, raise_guard(r, merge));

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

/* Fills needed, depth, groups, variables and exits. */
static enum tn_status raise_survey(struct tn_raising *r)
{
    const struct tn_list *nodes = &tn_net_graph(r->net, 0)->nodes;

    find_needed(r);
    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t id = *tn_list_at(nodes, uint32_t, i);
        if (!*tn_list_at(&r->needed, bool, id))
            continue;
        find_depth(r, id);
        if (raise_kind(r, id) == TN_FLOW_EXIT)
            TN_TRY(add_to_frame(r, id));
        if (raise_kind(r, id) == TN_FLOW_MERGE &&
            !tn_flow_merge(r->net, id).is_loop)
            TN_TRY(add_to_group(r, id));
    }
    TN_TRY(add_variables(r));
    number_variables(r);
    return r->net->error->status;
}

/* ---- an If for Merges, a Loop for a frame ------------------------------- */

/*
 * The node is added when all values that it takes and its graphs give have been
 * asked for; the jobs that make them come later, and tn_net_order() puts nodes
 * in order in the end.
 */

/* ---- If ----------------------------------------------------------------- */

struct branches {
    uint32_t graphs[2], places[2]; /* then, else                              */
    uint32_t *outputs, count;
};

static enum tn_status begin_branches(struct tn_raising *r, uint32_t place,
                                     const struct tn_raise_group *group,
                                     struct branches             *b)
{
    uint32_t graph = raise_place_at(r, place)->graph;

    for (uint32_t i = 0; i < 2; i++) {
        b->graphs[i] = tn_net_add_graph(r->net, TN_GRAPH_SUBGRAPH,
                                        tn_text(i ? "else" : "then"), graph);
        if (b->graphs[i] == TN_NONE)
            return r->net->error->status;
        b->places[i] = raise_new_place(
            r, (struct tn_raise_region){
                   .parent = place,
                   .guard  = tn_guard_child(&r->guards, group->above,
                                            group->condition, !i),
                   .graph  = b->graphs[i],
                   .loop   = TN_NONE });
    }
    for (uint32_t m = group->first; m;
         m = tn_list_at(&r->members, struct tn_raise_member, m - 1)->next)
        b->count++;
    b->outputs = raise_new_ids(r, b->count);
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
        raise_add_output(r, b->graphs[branch],
                         raise_seen_from(r, b->places[branch], node.inputs[i]));
    }
    raise_make_value(r, place, node.outputs[0]);
    b->outputs[index] = node.outputs[0] == TN_NONE
                            ? TN_NONE
                            : tn_pairs_find(&r->made, place, node.outputs[0]);
    return r->net->error->status;
}

/* The If whose outputs that Merge and all others of its group are, and the Loop
 * whose outputs are all Exits of a frame. */
static enum tn_status raise_add_if(struct tn_raising *r, uint32_t place,
                                   uint32_t merge)
{
    static const char *const names[] = { "then_branch", "else_branch" };
    uint32_t                 id = *tn_list_at(&r->group, uint32_t, merge) - 1;
    struct tn_raise_group    group =
        *tn_list_at(&r->groups, struct tn_raise_group, id);
    struct branches b     = { .count = 0 };
    uint32_t        index = 0;

    /* The other Merges of the group are made together with the first. */
    TN_TRY(begin_branches(r, place, &group, &b));
    for (uint32_t m = group.first; m; index++) {
        struct tn_raise_member member =
            *tn_list_at(&r->members, struct tn_raise_member, m - 1);
        raise_queue(r, place, member.node);
        TN_TRY(add_branch_outputs(r, place, &b, member.node, index));
        m = member.next;
    }
    uint32_t condition = raise_seen_from(r, place, group.condition);
    if (tn_failed(r->net->error))
        return r->net->error->status;
    raise_add_structure(r, place, merge,
                        (struct tn_net_node){ .op = tn_net_own_op(r->net, "If"),
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
        uint32_t                 node = raise_producer(r, value);
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
                            enum tn_raise_region_kind kind, uint32_t graph)
{
    return raise_new_place(r, (struct tn_raise_region){ .kind   = kind,
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
        raise_push(r, &r->inputs, value);
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
                                raise_place_at(r, f->place)->graph);
    f->loop  = (uint32_t)r->loops.count;
    loop     = tn_list_push(&r->loops, struct tn_raise_loop, net->error);
    if (f->graph == TN_NONE || !loop)
        return net->error->status;
    loop->inputs = (uint32_t)r->inputs.count;
    f->first_place =
        frame_place(r, f, TN_REGION_FIRST, raise_place_at(r, f->place)->graph);
    f->body_place  = frame_place(r, f, TN_REGION_BODY, f->graph);
    f->again_place = frame_place(r, f, TN_REGION_AGAIN, f->graph);
    f->inner_place = raise_new_place(
        r, (struct tn_raise_region){
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
        *tn_list_at(&r->slots, uint32_t, raise_merge_behind(r, exit));

    if (condition_of(r, exit) != f->condition)
        return tn_flow_refuse(r->net, exit, "its loop has two conditions");
    if (f->exits[slot] != TN_NONE)
        return tn_flow_refuse(r->net, exit,
                              "its variable has left the loop before");
    raise_queue(r, f->place, exit);
    f->exits[slot] =
        tn_pairs_find(&r->made, f->place, tn_net_node(r->net, exit).outputs[0]);
    return r->net->error->status;
}

/* All Exits of the frame: the Loop gives them together. */
static enum tn_status add_exits(struct tn_raising *r, struct frame *f)
{
    uint32_t frame = tn_guard_at(&r->guards, f->guard)->what;
    uint32_t at    = *tn_list_at(&r->frame_exits, uint32_t, frame);

    f->exits = raise_new_ids(r, f->count);
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

/* A Loop returns all of its variables, used or not. */
static void fill_exits(struct tn_raising *r, struct frame *f)
{
    uint32_t graph = raise_place_at(r, f->place)->graph;

    for (uint32_t i = 0; i < f->count; i++)
        if (f->exits[i] == TN_NONE)
            f->exits[i] = tn_net_add_value(
                r->net, graph, tn_net_node(r->net, f->merges[i]).name);
}

/* For each variable, the value that enters the loop is an input of the Loop,
 * and the value for the next round an output of its graph. */
static enum tn_status carry_variables(struct tn_raising *r, struct frame *f,
                                      uint32_t *inputs)
{
    for (uint32_t i = 0; i < f->count && !tn_failed(r->net->error); i++) {
        struct tn_flow_merge     merge = tn_flow_merge(r->net, f->merges[i]);
        const struct tn_net_node next =
            tn_net_node(r->net, raise_producer(r, merge.next));
        if (!next.input_count || next.inputs[0] == TN_NONE)
            return tn_flow_refuse(r->net, f->merges[i],
                                  "the loop has no back edge");
        uint32_t again = next.inputs[0];
        inputs[i]      = raise_seen_from(r, f->first_place, merge.enter);
        raise_add_output(r, f->graph,
                         raise_seen_from(r, f->inner_place, again));
    }
    return r->net->error->status;
}

static enum tn_status fill_frame(struct tn_raising *r, struct frame *f)
{
    static const char *const names[] = { "body" };
    uint32_t                *inputs  = raise_new_ids(r, f->count + 2);

    if (!inputs)
        return r->net->error->status;
    inputs[0] = TN_NONE;
    inputs[1] = raise_seen_from(r, f->first_place, f->condition);
    raise_add_output(r, f->graph,
                     raise_seen_from(r, f->again_place, f->condition));
    TN_TRY(carry_variables(r, f, inputs + 2));
    raise_add_structure(
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

static enum tn_status raise_add_loop(struct tn_raising *r, uint32_t place,
                                     uint32_t exit)
{
    struct frame f = { .place     = place,
                       .guard     = raise_guard(r, raise_merge_behind(r, exit)),
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

/* ---- Merges of one decision become outputs of one If -------------------- */

/*
 * Merges of a decision were grouped by depth, which is always correct, but
 * separates the outputs of an If when one of them comes from an If in its
 * branch and another does not.  Here groups of one decision are joined if
 * neither depends on the other, however far apart they are: an If waits for
 * everything that its outputs need, a Loop for all of its variables.
 */

/* The most visits of nodes, for each node of the graph. */
enum { LOOKS_PER_NODE = 32 };

struct joining {
    struct tn_raising *r;
    struct tn_list     seen;  /* uint32_t by node: in which search            */
    struct tn_list     stack; /* uint32_t: nodes                              */
    struct tn_list     same;  /* uint32_t by group: the one before of the same
                                 decision, + 1                                */
    uint32_t search;
    uint64_t looks;
};

static struct tn_raise_group *group_at(const struct joining *j, uint32_t group)
{
    return tn_list_at(&j->r->groups, struct tn_raise_group, group);
}

static const struct tn_raise_member *member_at(const struct joining *j,
                                               uint32_t              number)
{
    return tn_list_at(&j->r->members, struct tn_raise_member, number - 1);
}

/* ---- dependencies ------------------------------------------------------- */

static void look_at(struct joining *j, uint32_t node)
{
    if (node == TN_NONE || node >= j->seen.count)
        return;
    uint32_t *seen = tn_list_at(&j->seen, uint32_t, node);
    if (*seen == j->search)
        return;
    *seen = j->search;
    j->looks++;
    raise_push(j->r, &j->stack, node);
}

static void look_behind(struct joining *j, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(j->r->net, id);

    for (uint32_t i = 0; i < node.input_count; i++)
        look_at(j, raise_producer(j->r, node.inputs[i]));
}

/* All variables of its frame. */
static void look_round(struct joining *j, uint32_t merge)
{
    const struct tn_guard *guard =
        tn_guard_at(&j->r->guards, raise_guard(j->r, merge));
    const uint32_t *first = j->r->frame_first.items;

    if (!guard->is_frame ||
        guard->what + UINT64_C(1) >= j->r->frame_first.count)
        return;
    for (uint32_t i = first[guard->what]; i < first[guard->what + 1]; i++)
        look_at(j, *tn_list_at(&j->r->variables, uint32_t, i));
}

static void look_at_group(struct joining *j, uint32_t group)
{
    for (uint32_t m = group_at(j, group)->first; m; m = member_at(j, m)->next)
        look_at(j, member_at(j, m)->node);
}

static bool waits_for(struct joining *j, uint32_t group, uint32_t other)
{
    struct tn_raising *r = j->r;

    j->search++;
    j->stack.count = 0;
    look_at_group(j, group);
    for (uint64_t i = 0; i < j->stack.count && !tn_failed(r->net->error); i++) {
        uint32_t node = *tn_list_at(&j->stack, uint32_t, i);
        uint32_t of   = *tn_list_at(&r->group, uint32_t, node);
        if (of == other + 1)
            return true;
        if (of && of != group + 1)
            look_at_group(j, of - 1);
        else if (!of && raise_kind(r, node) == TN_FLOW_MERGE)
            look_round(j, node);
        look_behind(j, node);
    }
    return false;
}

/* ---- making one of two -------------------------------------------------- */

static void join(struct joining *j, uint32_t group, uint32_t other)
{
    uint32_t last = 0;

    for (uint32_t m = group_at(j, other)->first; m; m = member_at(j, m)->next) {
        *tn_list_at(&j->r->group, uint32_t, member_at(j, m)->node) = group + 1;
        last                                                       = m;
    }
    if (!last)
        return;
    tn_list_at(&j->r->members, struct tn_raise_member, last - 1)->next =
        group_at(j, group)->first;
    group_at(j, group)->first = group_at(j, other)->first;
    group_at(j, other)->first = 0;
}

/* Joins it with the first group before it that it need not wait for. */
static void join_one(struct joining *j, uint32_t group)
{
    uint64_t most = LOOKS_PER_NODE * j->r->old_count;

    for (uint32_t before = *tn_list_at(&j->same, uint32_t, group);
         before && j->looks < most && !tn_failed(j->r->net->error);
         before = *tn_list_at(&j->same, uint32_t, before - 1)) {
        if (!group_at(j, before - 1)->first ||
            waits_for(j, group, before - 1) || waits_for(j, before - 1, group))
            continue;
        join(j, before - 1, group);
        return;
    }
}

/* `last` is by the first group of a decision: the one that was met last, + 1.
 */
static void note_same(struct joining *j)
{
    struct tn_raising *r = j->r;
    struct tn_pairs    firsts;
    struct tn_list     last;

    tn_pairs_init(&firsts, r->net->arena->memory);
    tn_list_init(&last, r->net->arena->memory, sizeof(uint32_t));
    tn_list_grow(&last, r->groups.count, r->net->error);
    for (uint32_t i = 0; i < r->groups.count && !tn_failed(r->net->error);
         i++) {
        const struct tn_raise_group *group = group_at(j, i);
        uint32_t first = tn_pairs_add(&firsts, group->above, group->condition,
                                      i, r->net->error);
        if (first == UINT32_MAX)
            break;
        *tn_list_at(&j->same, uint32_t, i) =
            *tn_list_at(&last, uint32_t, first);
        *tn_list_at(&last, uint32_t, first) = i + 1;
    }
    tn_list_done(&last);
    tn_pairs_done(&firsts);
}

/* After the survey: joins groups of one decision where that is possible. */
static enum tn_status raise_join(struct tn_raising *r)
{
    struct joining    j      = { .r = r };
    struct tn_memory *memory = r->net->arena->memory;

    if (r->groups.count < 2)
        return TN_OK;
    tn_list_init(&j.seen, memory, sizeof(uint32_t));
    tn_list_init(&j.stack, memory, sizeof(uint32_t));
    tn_list_init(&j.same, memory, sizeof(uint32_t));
    if (tn_list_grow(&j.seen, r->old_count, r->net->error) &&
        tn_list_grow(&j.same, r->groups.count, r->net->error)) {
        note_same(&j);
        for (uint32_t i = 1; i < r->groups.count && !tn_failed(r->net->error);
             i++)
            join_one(&j, i);
    }
    tn_list_done(&j.seen);
    tn_list_done(&j.stack);
    tn_list_done(&j.same);
    return r->net->error->status;
}

/* An If comes with one of its Merges, a Loop with one of its Exits. */
static bool is_first(struct tn_raising *r, uint32_t place, uint32_t node)
{
    uint32_t key;

    if (raise_kind(r, node) == TN_FLOW_MERGE)
        key = *tn_list_at(&r->group, uint32_t, node) - 1;
    else
        key = UINT32_MAX - 2 - raise_guard(r, raise_merge_behind(r, node));
    /* jobs are keyed by nodes, these by numbers beyond them */
    uint32_t slot = UINT32_MAX - 1 - place;
    if (tn_pairs_find(&r->queued, slot, key) != TN_NONE)
        return false;
    tn_pairs_add(&r->queued, slot, key, 1, r->net->error);
    return true;
}

static enum tn_status run_job(struct tn_raising *r, struct tn_raise_job job)
{
    switch (raise_kind(r, job.node)) {
    case TN_FLOW_MERGE:
        return is_first(r, job.place, job.node)
                   ? raise_add_if(r, job.place, job.node)
                   : TN_OK;
    case TN_FLOW_EXIT:
        return is_first(r, job.place, job.node)
                   ? raise_add_loop(r, job.place, job.node)
                   : TN_OK;
    case TN_FLOW_NEXT:
        return tn_flow_refuse(r->net, job.node, "used outside of its loop");
    default: return raise_add_node(r, job.place, job.node);
    }
}

/* An output keeps its public name. */
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

/* Values that look like outputs in a graph without named outputs, because they
 * are not used: numbers of the inputs that Merges took, and values that may not
 * have been computed. */
static bool is_loose_end(const struct tn_raising *r, uint32_t value)
{
    uint32_t node = raise_producer(r, value);

    if (node == TN_NONE)
        return false;
    return tn_guard_of(&r->guards, value) ||
           (raise_kind(r, node) == TN_FLOW_MERGE &&
            tn_net_value(r->net, value).output == 1);
}

/* If there are no others, these are the outputs, and are refused later. */
static void drop_loose_ends(struct tn_raising *r)
{
    struct tn_net_graph *graph = tn_net_graph(r->net, 0);

    for (uint64_t i = graph->outputs.count; i-- > 0;) {
        if (graph->outputs.count == 1 || !graph->are_outputs_guessed ||
            !is_loose_end(r, *tn_list_at(&graph->outputs, uint32_t, i)))
            continue;
        tn_flow_remove_at(&graph->outputs, i);
        tn_flow_remove_at(&graph->output_names, i);
        tn_flow_remove_at(&graph->output_types, i);
    }
}

static enum tn_status raise_all(struct tn_raising *r)
{
    struct tn_net *net = r->net;

    for (uint64_t i = 0; i < tn_net_graph(net, 0)->outputs.count; i++) {
        uint32_t value =
            *tn_list_at(&tn_net_graph(net, 0)->outputs, uint32_t, i);
        set_output(r, i, raise_seen_from(r, 0, value));
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
    raise_new_place(
        r, (struct tn_raise_region){ .parent = TN_NONE, .loop = TN_NONE });
    drop_loose_ends(r);
    TN_TRY(raise_survey(r));
    return raise_join(r);
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

    each(&r->places, sizeof(struct tn_raise_region), memory);
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

/* ---- which input of a Merge came --------------------------------------- */

/*
 * A Merge of TensorFlow has a second result, the number of the input that
 * lives.  An If has no such thing.  But a number that is computed from an input
 * is dead if the input is, so another Merge can return it:
 *
 *   Merge(a, b) -> (x, n)
 *
 *   Merge(a, b) -> (x)
 *   Merge(Size(a) * 0 + 0, Size(b) * 0 + 1) -> (n)
 */

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
