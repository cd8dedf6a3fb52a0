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
#include <inttypes.h>

#include "map/flow.h"
#include "map/flow_guard.h"

/* Copies that structure may cost, for each node. */
#define COPY_LIMIT 64

enum place_kind {
    PLACE_PLAIN, /* the graph, a branch, the body of a loop                   */
    PLACE_FIRST,
    PLACE_BODY, /* around the body: under the frame's own guard               */
    PLACE_AGAIN,
};

struct place {
    enum place_kind kind;
    uint32_t        parent; /* place; TN_NONE: none                           */
    uint32_t        guard;
    uint32_t        graph;
    uint32_t        loop; /* of a frame's places: which                       */
};

/* A frame, copied into a place: one Loop. */
struct loop {
    uint32_t body;   /* place: where the condition holds                      */
    uint32_t first;  /* in `variables`: its Merges, in the order of the frame */
    uint32_t inputs; /* in `inputs`: of the body, one for each                */
};

struct raising {
    struct tn_net   *net;
    struct tn_guards guards;
    struct tn_list   places; /* struct place; the first is the main graph     */
    struct tn_list   loops;  /* struct loop                                   */
    struct tn_list   inputs; /* uint32_t: values                              */
    struct tn_pairs  made;   /* (place, value): the value there               */
    struct tn_pairs  queued; /* (place, node)                                 */
    struct tn_list   jobs;   /* struct job                                    */
    struct tn_list   kept;   /* bool by node: stays in the main graph         */
    struct tn_list   needed; /* bool by node                                  */
    struct tn_list   depth;  /* uint32_t by node: Merges on the way to it     */
    struct tn_list   group;  /* uint32_t by Merge: which decision it takes
                                back, + 1                                     */
    struct tn_list  groups;  /* struct group                                  */
    struct tn_pairs group_index; /* (guard of the decision, depth)           */
    struct tn_list  members; /* struct member: Merges of groups              */
    struct tn_list  variables; /* uint32_t: Merges of loops, by frame        */
    struct tn_list  frame_first; /* uint32_t by frame: in variables          */
    struct tn_list  slots; /* uint32_t by Merge of a loop: which one     */
    struct tn_list  exits; /* struct member: needed ones, by frame      */
    struct tn_list  frame_exits; /* uint32_t by frame: in exits, + 1          */
    uint64_t        old_count; /* of nodes                                   */
};

struct job {
    uint32_t place, node;
};

struct group {
    uint32_t above, condition;
    uint32_t first; /* in members, + 1 */
};

/* A Merge of a group, or an Exit of a frame, and the next one, + 1. */
struct member {
    uint32_t node, next;
};

static struct place *place_at(const struct raising *r, uint32_t place)
{
    return tn_list_at(&r->places, struct place, place);
}

static enum tn_flow_kind kind_of(const struct raising *r, uint32_t node)
{
    return tn_flow_kind(tn_net_node(r->net, node));
}

static uint32_t guard_of_node(const struct raising *r, uint32_t node)
{
    return *tn_list_at(&r->guards.of_node, uint32_t, node);
}

static enum tn_status refuse(struct raising *r, uint32_t node, const char *why)
{
    const struct tn_net_node *n = tn_net_node(r->net, node);

    return tn_error_set(r->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%.*s (%.*s): %s", TN_FMT(n->name), TN_FMT(n->op->type),
                        why);
}

static void push(struct raising *r, struct tn_list *list, uint32_t item)
{
    uint32_t *slot = tn_list_push(list, uint32_t, r->net->error);

    if (slot)
        *slot = item;
}

static uint32_t producer_of(const struct raising *r, uint32_t value)
{
    return value == TN_NONE ? TN_NONE : tn_net_value(r->net, value)->producer;
}

/* ---- what is needed ----------------------------------------------------- */

static void need(struct raising *r, struct tn_list *stack, uint32_t value)
{
    uint32_t node = producer_of(r, value);

    if (node == TN_NONE)
        return;
    if (tn_net_value(r->net, value)->output == 1 &&
        kind_of(r, node) == TN_FLOW_MERGE)
        refuse(r, node, "which of its inputs came is asked for");
    if (*tn_list_at(&r->needed, bool, node))
        return;
    *tn_list_at(&r->needed, bool, node) = true;
    push(r, stack, node);
}

static void find_needed(struct raising *r)
{
    const struct tn_list *outputs = &tn_net_graph(r->net, 0)->outputs;
    struct tn_list        stack;

    tn_list_init(&stack, r->net->arena->memory, sizeof(uint32_t));
    for (uint64_t i = 0; i < outputs->count; i++)
        need(r, &stack, *tn_list_at(outputs, uint32_t, i));
    for (uint64_t i = 0; i < stack.count && !tn_failed(r->net->error); i++) {
        const struct tn_net_node *node =
            tn_net_node(r->net, *tn_list_at(&stack, uint32_t, i));
        for (uint32_t k = 0; k < node->input_count; k++)
            need(r, &stack, node->inputs[k]);
    }
    tn_list_done(&stack);
}

static void find_depth(struct raising *r, uint32_t id)
{
    const struct tn_net_node *node  = tn_net_node(r->net, id);
    uint32_t                  depth = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t from = producer_of(r, node->inputs[i]);
        uint32_t of =
            from == TN_NONE ? 0 : *tn_list_at(&r->depth, uint32_t, from);
        depth = of > depth ? of : depth;
    }
    if (tn_flow_kind(node) == TN_FLOW_MERGE)
        depth++;
    *tn_list_at(&r->depth, uint32_t, id) = depth;
}

/* ---- which Merges are one If, which are one Loop ------------------------- */

static uint32_t group_of(struct raising *r, struct tn_flow_decision *decision,
                         uint32_t depth)
{
    uint32_t side =
        tn_guard_child(&r->guards, decision->above, decision->condition, 1);
    uint32_t found = tn_pairs_find(&r->group_index, side, depth);

    if (found != TN_NONE)
        return found;
    uint32_t      id    = (uint32_t)r->groups.count;
    struct group *group = tn_list_push(&r->groups, struct group, r->net->error);
    if (!group)
        return TN_NONE;
    *group = (struct group){ decision->above, decision->condition, 0 };
    return tn_pairs_add(&r->group_index, side, depth, id, r->net->error);
}

static enum tn_status add_to_group(struct raising *r, uint32_t merge)
{
    const struct tn_net_node *node = tn_net_node(r->net, merge);
    struct tn_flow_decision   decision;

    if (node->input_count != 2 || node->inputs[0] == TN_NONE ||
        node->inputs[1] == TN_NONE ||
        !tn_flow_decision(&r->guards, node->inputs, &decision))
        return refuse(r, merge, "no condition decides between its inputs");
    uint32_t id =
        group_of(r, &decision, *tn_list_at(&r->depth, uint32_t, merge));
    struct member *member =
        tn_list_push(&r->members, struct member, r->net->error);
    if (id == TN_NONE || !member)
        return r->net->error->status;
    struct group *group = tn_list_at(&r->groups, struct group, id);
    *member             = (struct member){ merge, group->first };
    group->first        = (uint32_t)r->members.count;
    *tn_list_at(&r->group, uint32_t, merge) = id + 1;
    return TN_OK;
}

/* Merges of loops, sorted by frame: counted first. */
static enum tn_status add_variables(struct raising *r)
{
    const struct tn_list *nodes  = &tn_net_graph(r->net, 0)->nodes;
    uint64_t              frames = r->guards.frame_parents.count;

    if (!tn_list_grow(&r->frame_first, frames + 1, r->net->error))
        return r->net->error->status;
    for (int fill = 0; fill < 2; fill++) {
        for (uint64_t i = 0; i < nodes->count; i++) {
            uint32_t id = *tn_list_at(nodes, uint32_t, i);
            if (!*tn_list_at(&r->needed, bool, id) ||
                kind_of(r, id) != TN_FLOW_MERGE ||
                !tn_flow_merge(r->net, id).is_loop)
                continue;
            const struct tn_guard *guard =
                tn_guard(&r->guards, guard_of_node(r, id));
            if (!guard->is_frame)
                return refuse(r, id, "a loop without an Enter");
            uint32_t *first =
                tn_list_at(&r->frame_first, uint32_t, guard->what);
            if (fill)
                *tn_list_at(&r->variables, uint32_t, (*first)++) = id;
            else
                first[1]++;
        }
        for (uint64_t i = 0; !fill && i < frames; i++)
            *tn_list_at(&r->frame_first, uint32_t, i + 1) +=
                *tn_list_at(&r->frame_first, uint32_t, i);
        if (!fill && *tn_list_at(&r->frame_first, uint32_t, frames) &&
            !tn_list_grow(&r->variables,
                          *tn_list_at(&r->frame_first, uint32_t, frames),
                          r->net->error))
            return r->net->error->status;
    }
    for (uint64_t i = frames; i > 0; i--) /* filling moved them on */
        *tn_list_at(&r->frame_first, uint32_t, i) =
            *tn_list_at(&r->frame_first, uint32_t, i - 1);
    *tn_list_at(&r->frame_first, uint32_t, 0) = 0;
    return TN_OK;
}

static void number_variables(struct raising *r)
{
    for (uint64_t f = 0; f + 1 < r->frame_first.count; f++) {
        uint32_t first = *tn_list_at(&r->frame_first, uint32_t, f);
        uint32_t end   = *tn_list_at(&r->frame_first, uint32_t, f + 1);
        for (uint32_t i = first; i < end; i++)
            *tn_list_at(&r->slots, uint32_t,
                        *tn_list_at(&r->variables, uint32_t, i)) = i - first;
    }
}

/* The Merge whose last value an Exit hands out; TN_NONE: none. */
static uint32_t merge_behind(const struct raising *r, uint32_t exit)
{
    uint32_t value = tn_net_node(r->net, exit)->input_count
                         ? tn_net_node(r->net, exit)->inputs[0]
                         : TN_NONE;

    for (uint64_t step = 0; step <= r->old_count; step++) {
        uint32_t node = producer_of(r, value);
        if (node == TN_NONE)
            return TN_NONE;
        enum tn_flow_kind kind = kind_of(r, node);
        if (kind == TN_FLOW_MERGE)
            return tn_flow_merge(r->net, node).is_loop ? node : TN_NONE;
        if (kind != TN_FLOW_SWITCH && kind != TN_FLOW_IDENTITY)
            return TN_NONE;
        value = tn_net_node(r->net, node)->inputs[0];
    }
    return TN_NONE;
}

static enum tn_status add_to_frame(struct raising *r, uint32_t exit)
{
    uint32_t               merge = merge_behind(r, exit);
    const struct tn_guard *guard =
        merge == TN_NONE ? NULL : tn_guard(&r->guards, guard_of_node(r, merge));

    if (!guard || !guard->is_frame || !tn_net_node(r->net, exit)->output_count)
        return refuse(r, exit, "no variable of a loop is behind it");
    uint32_t      *first = tn_list_at(&r->frame_exits, uint32_t, guard->what);
    struct member *member =
        tn_list_push(&r->exits, struct member, r->net->error);
    if (!member)
        return r->net->error->status;
    *member = (struct member){ exit, *first };
    *first  = (uint32_t)r->exits.count;
    return TN_OK;
}

static enum tn_status sort_merges(struct raising *r)
{
    const struct tn_list *nodes = &tn_net_graph(r->net, 0)->nodes;

    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t id = *tn_list_at(nodes, uint32_t, i);
        if (!*tn_list_at(&r->needed, bool, id))
            continue;
        find_depth(r, id);
        if (kind_of(r, id) == TN_FLOW_EXIT)
            TN_TRY(add_to_frame(r, id));
        if (kind_of(r, id) == TN_FLOW_MERGE &&
            !tn_flow_merge(r->net, id).is_loop)
            TN_TRY(add_to_group(r, id));
    }
    TN_TRY(add_variables(r));
    number_variables(r);
    return r->net->error->status;
}

/* ---- values in places --------------------------------------------------- */

/* The place around (or at) `place` that has the guard. */
static uint32_t place_under(const struct raising *r, uint32_t place,
                            uint32_t guard)
{
    while (place != TN_NONE && place_at(r, place)->guard != guard)
        place = place_at(r, place)->parent;
    return place;
}

static uint32_t new_place(struct raising *r, struct place place)
{
    uint32_t      id  = (uint32_t)r->places.count;
    struct place *row = tn_list_push(&r->places, struct place, r->net->error);

    if (!row)
        return TN_NONE;
    *row = place;
    return id;
}

/* A value of the main graph stays itself; elsewhere it is another one. */
static void make_value(struct raising *r, uint32_t place, uint32_t value)
{
    uint32_t graph = place_at(r, place)->graph, copy = value;

    if (value == TN_NONE || tn_pairs_find(&r->made, place, value) != TN_NONE)
        return;
    if (place) {
        copy =
            tn_net_add_value(r->net, graph, tn_net_value(r->net, value)->name);
        if (copy == TN_NONE)
            return;
        tn_net_copy_type(r->net, copy, value);
    }
    tn_pairs_add(&r->made, place, value, copy, r->net->error);
}

static void queue(struct raising *r, uint32_t place, uint32_t node)
{
    if (tn_pairs_find(&r->queued, place, node) != TN_NONE ||
        tn_pairs_add(&r->queued, place, node, 1, r->net->error) == TN_NONE)
        return;
    if (r->jobs.count > COPY_LIMIT * (r->old_count + 64))
        tn_error_set(r->net->error, TN_LIMIT, TN_NOWHERE,
                     "structure costs more than %d copies of each node",
                     COPY_LIMIT);
    struct job *job = tn_list_push(&r->jobs, struct job, r->net->error);
    if (job)
        *job = (struct job){ place, node };
    for (uint32_t i = 0; i < tn_net_node(r->net, node)->output_count; i++)
        make_value(r, place, tn_net_node(r->net, node)->outputs[i]);
}

/* A step to what a value is, seen from inside; false: it is made here. */
static bool step_behind(struct raising *r, uint32_t node, uint32_t *place,
                        uint32_t *value)
{
    const struct tn_net_node *n     = tn_net_node(r->net, node);
    const struct place       *at    = place_at(r, *place);
    struct tn_flow_merge      merge = { .is_loop = false };

    switch (tn_flow_kind(n)) {
    case TN_FLOW_SWITCH:
    case TN_FLOW_ENTER:
    case TN_FLOW_COND: *value = n->input_count ? n->inputs[0] : TN_NONE; break;
    case TN_FLOW_MERGE:
        merge = tn_flow_merge(r->net, node);
        if (!merge.is_loop || at->kind == PLACE_BODY)
            return false;
        if (at->kind == PLACE_FIRST) {
            *value = merge.enter;
            break;
        }
        *value = tn_net_node(r->net, producer_of(r, merge.next))->inputs[0];
        *place = tn_list_at(&r->loops, struct loop, at->loop)->body;
        break;
    default: return false;
    }
    return true;
}

/* The input of a Loop's graph that a variable is. */
static uint32_t variable_in(struct raising *r, uint32_t place, uint32_t merge)
{
    const struct loop *loop =
        tn_list_at(&r->loops, struct loop, place_at(r, place)->loop);
    uint32_t slot = *tn_list_at(&r->slots, uint32_t, merge);

    return *tn_list_at(&r->inputs, uint32_t, loop->inputs + slot);
}

/* What the value is in that place; TN_NONE on failure. */
static uint32_t seen_from(struct raising *r, uint32_t place, uint32_t value)
{
    for (uint64_t step = 0; step <= 4 * r->old_count + 4; step++) {
        uint32_t node = producer_of(r, value);
        if (node == TN_NONE || tn_failed(r->net->error))
            return value; /* constants and inputs are seen from everywhere */
        uint32_t at = place_under(r, place, tn_guard_of(&r->guards, value));
        if (at == TN_NONE) {
            refuse(r, node, "it is used where it does not live");
            return TN_NONE;
        }
        place         = at;
        uint32_t made = tn_pairs_find(&r->made, place, value);
        if (made != TN_NONE)
            return made;
        if (step_behind(r, node, &place, &value))
            continue;
        if (place_at(r, place)->kind == PLACE_BODY &&
            kind_of(r, node) == TN_FLOW_MERGE)
            return variable_in(r, place, node);
        queue(r, place, node);
        return tn_pairs_find(&r->made, place, value);
    }
    tn_error_set(r->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                 "a cycle that is no loop");
    return TN_NONE;
}

/* ---- making nodes ------------------------------------------------------- */

static const char *identity_name(const struct tn_net *net)
{
    return strcmp(net->dialect, "nd4j") == 0 ? "identity" : "Identity";
}

/* An output of a subgraph is made in it. */
static void add_output(struct raising *r, uint32_t graph, uint32_t value)
{
    struct tn_net *net = r->net;

    if (value == TN_NONE)
        return;
    uint32_t output =
        tn_net_add_value(net, graph, tn_net_value(net, value)->name);
    if (output == TN_NONE)
        return;
    tn_net_copy_type(net, output, value);
    struct tn_net_node node = { .name  = tn_net_value(net, output)->name,
                                .op    = tn_net_own_op(net, identity_name(net)),
                                .graph = graph,
                                .inputs       = &value,
                                .input_count  = 1,
                                .outputs      = &output,
                                .output_count = 1,
                                .source       = TN_NONE };
    tn_net_add_node(net, &node);
    tn_net_add_output(net, graph, output, tn_bytes(NULL, 0));
}

static uint32_t *new_ids(struct raising *r, uint64_t count)
{
    return tn_new(r->net->arena, uint32_t, count, r->net->error);
}

/* The inputs of a node, as they are in a place. */
static uint32_t *inputs_in(struct raising *r, uint32_t place, uint32_t node)
{
    uint32_t  count  = tn_net_node(r->net, node)->input_count;
    uint32_t *inputs = new_ids(r, count);

    for (uint32_t i = 0; inputs && i < count; i++) {
        uint32_t value = tn_net_node(r->net, node)->inputs[i];
        inputs[i] = value == TN_NONE ? TN_NONE : seen_from(r, place, value);
    }
    return inputs;
}

static bool holds_graphs(const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind == TN_ATTR_GRAPH)
            return true;
    return false;
}

static enum tn_status place_node(struct raising *r, uint32_t place, uint32_t id)
{
    struct tn_net     *net  = r->net;
    struct tn_net_node node = *tn_net_node(net, id);

    if (holds_graphs(&node))
        return refuse(r, id, "it holds a graph inside of dataflow");
    uint32_t *inputs  = inputs_in(r, place, id);
    uint32_t *outputs = new_ids(r, node.output_count);
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
    node.graph         = place_at(r, place)->graph;
    node.inputs        = inputs;
    node.outputs       = outputs;
    node.controls      = NULL;
    node.control_count = 0;
    tn_net_add_node(net, &node);
    return net->error->status;
}

static uint32_t add_structure(struct raising *r, uint32_t place,
                              const char *type, uint32_t like,
                              const char *const *names, const uint32_t *graphs,
                              uint32_t graph_count, const uint32_t *inputs,
                              uint32_t input_count, const uint32_t *outputs,
                              uint32_t output_count)
{
    struct tn_net     *net = r->net;
    struct tn_net_attr attrs[2];
    int64_t *ids = tn_new(net->arena, int64_t, graph_count, net->error);

    for (uint32_t i = 0; ids && i < graph_count; i++) {
        ids[i]   = graphs[i];
        attrs[i] = (struct tn_net_attr){
            tn_text(names[i]),
            { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = &ids[i] }
        };
    }
    struct tn_net_node node = { .name         = tn_net_node(net, like)->name,
                                .op           = tn_net_own_op(net, type),
                                .graph        = place_at(r, place)->graph,
                                .inputs       = inputs,
                                .input_count  = input_count,
                                .outputs      = outputs,
                                .output_count = output_count,
                                .attrs        = attrs,
                                .attr_count   = graph_count,
                                .source = tn_net_node(net, like)->source };
    return ids ? tn_net_add_node(net, &node) : TN_NONE;
}

/* ---- If ----------------------------------------------------------------- */

struct branches {
    uint32_t graphs[2], places[2]; /* then, else                              */
    uint32_t *outputs, count;
};

static enum tn_status begin_branches(struct raising *r, uint32_t place,
                                     const struct group *group,
                                     struct branches    *b)
{
    uint32_t graph = place_at(r, place)->graph;

    for (uint32_t i = 0; i < 2; i++) {
        b->graphs[i] = tn_net_add_graph(r->net, TN_GRAPH_SUBGRAPH,
                                        tn_text(i ? "else" : "then"), graph);
        if (b->graphs[i] == TN_NONE)
            return r->net->error->status;
        b->places[i] = new_place(
            r, (struct place){ .parent = place,
                               .guard = tn_guard_child(&r->guards, group->above,
                                                       group->condition, !i),
                               .graph = b->graphs[i],
                               .loop  = TN_NONE });
    }
    for (uint32_t m = group->first; m;
         m          = tn_list_at(&r->members, struct member, m - 1)->next)
        b->count++;
    b->outputs = new_ids(r, b->count);
    return r->net->error->status;
}

static enum tn_status add_branch_outputs(struct raising *r, uint32_t place,
                                         struct branches *b, uint32_t merge,
                                         uint32_t index)
{
    struct tn_net_node      node = *tn_net_node(r->net, merge);
    struct tn_flow_decision decision;

    tn_flow_decision(&r->guards, node.inputs, &decision);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t branch = decision.sides[i] ? 0 : 1;
        add_output(r, b->graphs[branch],
                   seen_from(r, b->places[branch], node.inputs[i]));
    }
    make_value(r, place, node.outputs[0]);
    b->outputs[index] = node.outputs[0] == TN_NONE
                            ? TN_NONE
                            : tn_pairs_find(&r->made, place, node.outputs[0]);
    return r->net->error->status;
}

static enum tn_status place_if(struct raising *r, uint32_t place,
                               uint32_t merge)
{
    static const char *const names[] = { "then_branch", "else_branch" };
    uint32_t                 id = *tn_list_at(&r->group, uint32_t, merge) - 1;
    struct group             group = *tn_list_at(&r->groups, struct group, id);
    struct branches          b     = { .count = 0 };
    uint32_t                 index = 0;

    /* The other Merges of the group come with the first. */
    TN_TRY(begin_branches(r, place, &group, &b));
    for (uint32_t m = group.first; m; index++) {
        struct member member = *tn_list_at(&r->members, struct member, m - 1);
        queue(r, place, member.node);
        TN_TRY(add_branch_outputs(r, place, &b, member.node, index));
        m = member.next;
    }
    uint32_t condition = seen_from(r, place, group.condition);
    if (tn_failed(r->net->error))
        return r->net->error->status;
    add_structure(r, place, "If", merge, names, b.graphs, 2, &condition, 1,
                  b.outputs, b.count);
    return r->net->error->status;
}

/* ---- Loop --------------------------------------------------------------- */

/* The condition of the Switch behind an Exit. */
static uint32_t condition_of(const struct raising *r, uint32_t exit)
{
    uint32_t value = tn_net_node(r->net, exit)->inputs[0];

    for (uint64_t step = 0; step <= r->old_count; step++) {
        uint32_t                  node = producer_of(r, value);
        const struct tn_net_node *n    = tn_net_node(r->net, node);
        if (tn_flow_kind(n) == TN_FLOW_SWITCH)
            return n->input_count > 1 ? tn_flow_condition(r->net, n->inputs[1])
                                      : TN_NONE;
        if (tn_flow_kind(n) == TN_FLOW_MERGE)
            return TN_NONE;
        value = n->inputs[0];
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

static uint32_t frame_place(struct raising *r, const struct frame *f,
                            enum place_kind kind, uint32_t graph)
{
    return new_place(r, (struct place){ .kind   = kind,
                                        .parent = f->place,
                                        .guard  = f->guard,
                                        .graph  = graph,
                                        .loop   = f->loop });
}

static void add_body_input(struct raising *r, struct frame *f, const char *wish,
                           const struct tn_net_type *type, uint32_t merge)
{
    struct tn_net  *net  = r->net;
    struct tn_bytes name = tn_text(wish);

    if (merge != TN_NONE)
        name = tn_net_node(net, merge)->name;
    uint32_t value = tn_net_add_value(net, f->graph, name);
    if (value == TN_NONE)
        return;
    tn_net_set_type(net, value, type);
    tn_net_add_input(net, f->graph, value, tn_bytes(NULL, 0));
    if (merge != TN_NONE)
        push(r, &r->inputs, value);
}

static enum tn_status begin_frame(struct raising *r, struct frame *f)
{
    struct tn_net *net = r->net;
    struct loop   *loop;

    f->graph = tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("body"),
                                place_at(r, f->place)->graph);
    f->loop  = (uint32_t)r->loops.count;
    loop     = tn_list_push(&r->loops, struct loop, net->error);
    if (f->graph == TN_NONE || !loop)
        return net->error->status;
    loop->inputs = (uint32_t)r->inputs.count;
    f->first_place =
        frame_place(r, f, PLACE_FIRST, place_at(r, f->place)->graph);
    f->body_place  = frame_place(r, f, PLACE_BODY, f->graph);
    f->again_place = frame_place(r, f, PLACE_AGAIN, f->graph);
    f->inner_place =
        new_place(r, (struct place){ .parent = f->body_place,
                                     .guard  = tn_guard_child(
                                          &r->guards, f->guard, f->condition, 1),
                                     .graph = f->graph,
                                     .loop  = TN_NONE });
    tn_list_at(&r->loops, struct loop, f->loop)->body = f->inner_place;
    add_body_input(r, f, "iteration",
                   &(struct tn_net_type){ .dtype = TN_INT64, .has_rank = true },
                   TN_NONE);
    add_body_input(r, f, "keep_going",
                   &(struct tn_net_type){ .dtype = TN_BOOL, .has_rank = true },
                   TN_NONE);
    for (uint32_t i = 0; i < f->count && !tn_failed(net->error); i++)
        add_body_input(
            r, f, "",
            tn_net_value(net, tn_net_node(net, f->merges[i])->outputs[0])->type,
            f->merges[i]);
    return net->error->status;
}

/* One Exit: the last value of a variable. */
static enum tn_status add_exit(struct raising *r, struct frame *f,
                               uint32_t exit)
{
    uint32_t slot = *tn_list_at(&r->slots, uint32_t, merge_behind(r, exit));

    if (condition_of(r, exit) != f->condition)
        return refuse(r, exit, "its loop has two conditions");
    if (f->exits[slot] != TN_NONE)
        return refuse(r, exit, "its variable has left the loop before");
    queue(r, f->place, exit);
    f->exits[slot] = tn_pairs_find(&r->made, f->place,
                                   tn_net_node(r->net, exit)->outputs[0]);
    return r->net->error->status;
}

/* All Exits of the frame: the Loop gives them together. */
static enum tn_status add_exits(struct raising *r, struct frame *f)
{
    uint32_t frame = tn_guard(&r->guards, f->guard)->what;
    uint32_t at    = *tn_list_at(&r->frame_exits, uint32_t, frame);

    f->exits = new_ids(r, f->count);
    if (!f->exits)
        return r->net->error->status;
    memset(f->exits, 0xff, f->count * sizeof *f->exits);
    while (at) {
        struct member exit = *tn_list_at(&r->exits, struct member, at - 1);
        TN_TRY(add_exit(r, f, exit.node));
        at = exit.next;
    }
    return r->net->error->status;
}

/* A Loop gives all of its variables, wanted or not. */
static void fill_exits(struct raising *r, struct frame *f)
{
    uint32_t graph = place_at(r, f->place)->graph;

    for (uint32_t i = 0; i < f->count; i++)
        if (f->exits[i] == TN_NONE)
            f->exits[i] = tn_net_add_value(
                r->net, graph, tn_net_node(r->net, f->merges[i])->name);
}

static enum tn_status fill_frame(struct raising *r, struct frame *f)
{
    static const char *const names[] = { "body" };
    uint32_t                *inputs  = new_ids(r, f->count + 2);

    if (!inputs)
        return r->net->error->status;
    inputs[0] = TN_NONE;
    inputs[1] = seen_from(r, f->first_place, f->condition);
    add_output(r, f->graph, seen_from(r, f->again_place, f->condition));
    for (uint32_t i = 0; i < f->count && !tn_failed(r->net->error); i++) {
        struct tn_flow_merge      merge = tn_flow_merge(r->net, f->merges[i]);
        const struct tn_net_node *next =
            tn_net_node(r->net, producer_of(r, merge.next));
        if (!next->input_count || next->inputs[0] == TN_NONE)
            return refuse(r, f->merges[i], "nothing comes round");
        uint32_t again = next->inputs[0];
        inputs[2 + i]  = seen_from(r, f->first_place, merge.enter);
        add_output(r, f->graph, seen_from(r, f->inner_place, again));
    }
    if (tn_failed(r->net->error))
        return r->net->error->status;
    add_structure(r, f->place, "Loop", f->merges[0], names, &f->graph, 1,
                  inputs, f->count + 2, f->exits, f->count);
    return r->net->error->status;
}

static enum tn_status place_loop(struct raising *r, uint32_t place,
                                 uint32_t exit)
{
    struct frame f = { .place     = place,
                       .guard     = guard_of_node(r, merge_behind(r, exit)),
                       .condition = condition_of(r, exit) };

    if (f.condition == TN_NONE)
        return refuse(r, exit, "no Switch lets it out of its loop");
    uint32_t frame = tn_guard(&r->guards, f.guard)->what;
    uint32_t first = *tn_list_at(&r->frame_first, uint32_t, frame);
    f.merges       = tn_list_at(&r->variables, uint32_t, first);
    f.count        = *tn_list_at(&r->frame_first, uint32_t, frame + 1) - first;
    TN_TRY(begin_frame(r, &f));
    TN_TRY(add_exits(r, &f));
    fill_exits(r, &f);
    return fill_frame(r, &f);
}

/* ---- the whole ---------------------------------------------------------- */

/* An If comes with one of its Merges, a Loop with one of its Exits. */
static bool is_first(struct raising *r, uint32_t place, uint32_t node)
{
    uint32_t key;

    if (kind_of(r, node) == TN_FLOW_MERGE)
        key = *tn_list_at(&r->group, uint32_t, node) - 1;
    else
        key = UINT32_MAX - 2 - guard_of_node(r, merge_behind(r, node));
    /* jobs are keyed by nodes, these by numbers beyond them */
    uint32_t slot = UINT32_MAX - 1 - place;
    if (tn_pairs_find(&r->queued, slot, key) != TN_NONE)
        return false;
    tn_pairs_add(&r->queued, slot, key, 1, r->net->error);
    return true;
}

static enum tn_status run_job(struct raising *r, struct job job)
{
    switch (kind_of(r, job.node)) {
    case TN_FLOW_MERGE:
        return is_first(r, job.place, job.node)
                   ? place_if(r, job.place, job.node)
                   : TN_OK;
    case TN_FLOW_EXIT:
        return is_first(r, job.place, job.node)
                   ? place_loop(r, job.place, job.node)
                   : TN_OK;
    case TN_FLOW_NEXT: return refuse(r, job.node, "used outside of its loop");
    default: return place_node(r, job.place, job.node);
    }
}

/* The name by which the world knows an output stays. */
static void set_output(struct raising *r, uint64_t index, uint32_t value)
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
static bool is_loose_end(const struct raising *r, uint32_t value)
{
    uint32_t node = producer_of(r, value);

    if (node == TN_NONE)
        return false;
    return tn_guard_of(&r->guards, value) ||
           (kind_of(r, node) == TN_FLOW_MERGE &&
            tn_net_value(r->net, value)->output == 1);
}

/* If nothing else is left they were meant, and are refused later. */
static void drop_loose_ends(struct raising *r)
{
    struct tn_net_graph *graph = tn_net_graph(r->net, 0);

    for (uint64_t i = graph->outputs.count; i-- > 0;) {
        if (graph->outputs.count == 1 || !graph->are_outputs_guessed ||
            !is_loose_end(r, *tn_list_at(&graph->outputs, uint32_t, i)))
            continue;
        remove_at(&graph->outputs, i);
        remove_at(&graph->output_names, i);
    }
}

static enum tn_status raise_all(struct raising *r)
{
    struct tn_net *net = r->net;

    for (uint64_t i = 0; i < tn_net_graph(net, 0)->outputs.count; i++) {
        uint32_t value =
            *tn_list_at(&tn_net_graph(net, 0)->outputs, uint32_t, i);
        set_output(r, i, seen_from(r, 0, value));
    }
    for (uint64_t i = 0; i < r->jobs.count && !tn_failed(net->error); i++)
        TN_TRY(run_job(r, *tn_list_at(&r->jobs, struct job, i)));
    for (uint32_t i = 0; i < r->old_count; i++)
        if (tn_net_node(net, i)->graph == 0 && !*tn_list_at(&r->kept, bool, i))
            tn_net_remove(net, i);
    return net->error->status;
}

static enum tn_status prepare(struct raising *r)
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
    new_place(r, (struct place){ .parent = TN_NONE, .loop = TN_NONE });
    drop_loose_ends(r);
    find_needed(r);
    return sort_merges(r);
}

static bool has_flow(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node *node = tn_net_node(net, i);
        enum tn_flow_kind         kind = tn_flow_kind(node);
        if (!node->is_removed && kind != TN_FLOW_OTHER &&
            kind != TN_FLOW_IDENTITY)
            return true;
    }
    return false;
}

static void raising_lists(struct raising *r,
                          void (*each)(struct tn_list *, uint32_t,
                                       struct tn_memory *))
{
    struct tn_memory *memory = r->net->arena->memory;

    each(&r->places, sizeof(struct place), memory);
    each(&r->loops, sizeof(struct loop), memory);
    each(&r->inputs, sizeof(uint32_t), memory);
    each(&r->jobs, sizeof(struct job), memory);
    each(&r->kept, sizeof(bool), memory);
    each(&r->needed, sizeof(bool), memory);
    each(&r->depth, sizeof(uint32_t), memory);
    each(&r->group, sizeof(uint32_t), memory);
    each(&r->groups, sizeof(struct group), memory);
    each(&r->members, sizeof(struct member), memory);
    each(&r->variables, sizeof(uint32_t), memory);
    each(&r->frame_first, sizeof(uint32_t), memory);
    each(&r->slots, sizeof(uint32_t), memory);
    each(&r->exits, sizeof(struct member), memory);
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
    struct raising r = { .net = net };

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
