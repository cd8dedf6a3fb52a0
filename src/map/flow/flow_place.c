/*
 * flow_place.c - values and nodes in places
 *
 * What a value is depends on from where it is seen: constants and inputs are
 * the same everywhere, what lives under an outer guard is seen in the place
 * around, and the rest is copied into the place, by a job for its node.
 */
#include "map/flow/flow_raise.h"
#include "map/net/net_build.h"

/* Copies that structure may cost, for each node. */
#define COPY_LIMIT 64

void tn_raise_push(struct tn_raising *r, struct tn_list *list, uint32_t item)
{
    uint32_t *slot = tn_list_push(list, uint32_t, r->net->error);

    if (slot)
        *slot = item;
}

/* ---- values in places --------------------------------------------------- */

static bool holds_in(const struct tn_raising *r, uint32_t place, uint32_t guard)
{
    return place != TN_NONE &&
           tn_guard_holds(&r->guards, tn_raise_place_at(r, place)->guard,
                          guard);
}

/* The place around (or at) `place` that has the guard; if there is none, the
 * outermost one where all of the guard is decided. */
static uint32_t place_under(const struct tn_raising *r, uint32_t place,
                            uint32_t guard)
{
    uint32_t at = place;

    while (at != TN_NONE && tn_raise_place_at(r, at)->guard != guard)
        at = tn_raise_place_at(r, at)->parent;
    if (at != TN_NONE || !holds_in(r, place, guard))
        return at;
    while (holds_in(r, tn_raise_place_at(r, place)->parent, guard))
        place = tn_raise_place_at(r, place)->parent;
    return place;
}

uint32_t tn_raise_new_place(struct tn_raising *r, struct tn_raise_place place)
{
    uint32_t               id = (uint32_t)r->places.count;
    struct tn_raise_place *row =
        tn_list_push(&r->places, struct tn_raise_place, r->net->error);

    if (!row)
        return TN_NONE;
    *row = place;
    return id;
}

/* A value of the main graph stays itself; elsewhere it is another one. */
void tn_raise_make_value(struct tn_raising *r, uint32_t place, uint32_t value)
{
    uint32_t graph = tn_raise_place_at(r, place)->graph, copy = value;

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

void tn_raise_queue(struct tn_raising *r, uint32_t place, uint32_t node)
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
        tn_raise_make_value(r, place, tn_net_node(r->net, node).outputs[i]);
}

/* A step to what a value is, seen from inside; false: it is made here. */
static bool step_behind(struct tn_raising *r, uint32_t node, uint32_t *place,
                        uint32_t *value)
{
    const struct tn_net_node     n     = tn_net_node(r->net, node);
    const struct tn_raise_place *at    = tn_raise_place_at(r, *place);
    struct tn_flow_merge         merge = { .is_loop = false };

    switch (tn_flow_kind(n.op)) {
    case TN_FLOW_SWITCH:
    case TN_FLOW_ENTER:
    case TN_FLOW_COND: *value = n.input_count ? n.inputs[0] : TN_NONE; break;
    case TN_FLOW_MERGE:
        merge = tn_flow_merge(r->net, node);
        if (!merge.is_loop || at->kind == TN_PLACE_BODY)
            return false;
        if (at->kind == TN_PLACE_FIRST) {
            *value = merge.enter;
            break;
        }
        *value =
            tn_net_node(r->net, tn_raise_producer(r, merge.next)).inputs[0];
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
        &r->loops, struct tn_raise_loop, tn_raise_place_at(r, place)->loop);
    uint32_t slot = *tn_list_at(&r->slots, uint32_t, merge);

    return *tn_list_at(&r->inputs, uint32_t, loop->inputs + slot);
}

uint32_t tn_raise_seen_from(struct tn_raising *r, uint32_t place,
                            uint32_t value)
{
    for (uint64_t step = 0; step <= 4 * r->old_count + 4; step++) {
        uint32_t node = tn_raise_producer(r, value);
        if (node == TN_NONE || tn_failed(r->net->error))
            return value; /* constants and inputs are seen from everywhere */
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
        if (tn_raise_place_at(r, place)->kind == TN_PLACE_BODY &&
            tn_raise_kind(r, node) == TN_FLOW_MERGE &&
            tn_flow_merge(r->net, node).is_loop)
            return variable_in(r, place, node);
        tn_raise_queue(r, place, node);
        return tn_pairs_find(&r->made, place, value);
    }
    tn_error_set(r->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                 "a cycle that is not a loop");
    return TN_NONE;
}

/* ---- making nodes ------------------------------------------------------- */

static const char *identity_name(const struct tn_net *net)
{
    return net->facts->identity;
}

/* An output of a subgraph is made in it. */
void tn_raise_add_output(struct tn_raising *r, uint32_t graph, uint32_t value)
{
    struct tn_net *net = r->net;

    if (value == TN_NONE)
        return;
    uint32_t output =
        tn_net_add_value(net, graph, tn_net_value(net, value).name);
    if (output == TN_NONE)
        return;
    tn_net_copy_type(net, output, value);
    struct tn_net_node node = { .name  = tn_net_value(net, output).name,
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

uint32_t *tn_raise_new_ids(struct tn_raising *r, uint64_t count)
{
    return tn_new(r->net->arena, uint32_t, count, r->net->error);
}

/* The inputs of a node, as they are in a place. */
static uint32_t *inputs_in(struct tn_raising *r, uint32_t place, uint32_t node)
{
    uint32_t  count  = tn_net_node(r->net, node).input_count;
    uint32_t *inputs = tn_raise_new_ids(r, count);

    for (uint32_t i = 0; inputs && i < count; i++) {
        uint32_t value = tn_net_node(r->net, node).inputs[i];
        inputs[i] =
            value == TN_NONE ? TN_NONE : tn_raise_seen_from(r, place, value);
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

enum tn_status tn_raise_add_node(struct tn_raising *r, uint32_t place,
                                 uint32_t id)
{
    struct tn_net     *net  = r->net;
    struct tn_net_node node = tn_net_node(net, id);

    if (holds_graphs(&node))
        return tn_flow_refuse(r->net, id,
                              "control flow with graphs inside Switch and "
                              "Merge is not supported");
    uint32_t *inputs  = inputs_in(r, place, id);
    uint32_t *outputs = tn_raise_new_ids(r, node.output_count);
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
    node.graph         = tn_raise_place_at(r, place)->graph;
    node.inputs        = inputs;
    node.outputs       = outputs;
    node.controls      = NULL;
    node.control_count = 0;
    tn_net_add_node(net, &node);
    return net->error->status;
}

void tn_raise_add_structure(struct tn_raising *r, uint32_t place, uint32_t like,
                            struct tn_net_node node, const char *const *names,
                            const uint32_t *graphs)
{
    struct tn_net     *net = r->net;
    struct tn_net_attr attrs[2];
    int64_t *ids = tn_new(net->arena, int64_t, node.attr_count, net->error);

    if (!ids)
        return;
    for (uint32_t i = 0; i < node.attr_count; i++) {
        ids[i]   = graphs[i];
        attrs[i] = (struct tn_net_attr){
            tn_text(names[i]),
            { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = &ids[i] }
        };
    }
    node.name   = tn_net_node(net, like).name;
    node.source = tn_net_node(net, like).source;
    node.graph  = tn_raise_place_at(r, place)->graph;
    node.attrs  = attrs;
    tn_net_add_node(net, &node);
}
