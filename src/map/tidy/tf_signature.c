/*
 * tf_signature.c - the order of a signature's inputs and outputs
 *
 * A signature is a map and has no order, but the function that it calls has
 * one. The wrapper of a signature has its arguments in alphabetical order and
 * calls the user's function, whose arguments and results are in the order in
 * which they were written.  So inputs and outputs get the order of the inner
 * call or, if there is none, that of the outer one.
 */
#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

/* Where a value goes into a call, or comes out of one. */
struct place {
    uint32_t node; /* TN_NONE: of no call, or of several                      */
    uint32_t index;
};

struct ordering {
    struct tn_tf_work *work;
    bool               is_input;
    struct tn_arena    arena;
};

static const struct place nowhere = { TN_NONE, 0 };

static bool is_same_call(struct place a, struct place b)
{
    return a.node == b.node;
}

/* The only call in a graph that takes the value, and as which argument. */
static struct place taken_by(const struct ordering *o, uint32_t graph,
                             uint32_t value)
{
    const struct tn_net  *net   = o->work->net;
    const struct tn_list *nodes = &tn_net_graph(net, graph)->nodes;
    struct place          found = nowhere;

    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t                 id   = *tn_list_at(nodes, uint32_t, i);
        const struct tn_net_node node = tn_net_node(net, id);
        for (uint32_t k = 0; k < node.input_count; k++) {
            if (node.inputs[k] != value)
                continue;
            if (found.node != TN_NONE ||
                tn_tf_callee(o->work, &node) == TN_NONE)
                return nowhere;
            found = (struct place){ id, k };
        }
    }
    return found;
}

static struct place given_by(const struct ordering *o, uint32_t value)
{
    const struct tn_net      *net = o->work->net;
    const struct tn_net_value v   = tn_net_value(net, tn_tf_behind(net, value));

    if (v.producer == TN_NONE)
        return nowhere;
    const struct tn_net_node node = tn_net_node(net, v.producer);
    return tn_tf_callee(o->work, &node) == TN_NONE
               ? nowhere
               : (struct place){ v.producer, v.output };
}

/* The place in the call that is inside of the function that is called. */
static struct place inside(const struct ordering *o, struct place outer)
{
    const struct tn_net     *net   = o->work->net;
    const struct tn_net_node node  = tn_net_node(net, outer.node);
    uint32_t                 graph = tn_tf_callee(o->work, &node);

    if (graph == TN_NONE)
        return nowhere;
    const struct tn_list *ends = o->is_input
                                     ? &tn_net_graph(net, graph)->inputs
                                     : &tn_net_graph(net, graph)->outputs;
    if (outer.index >= ends->count)
        return nowhere;
    uint32_t value = *tn_list_at(ends, uint32_t, outer.index);
    return o->is_input ? taken_by(o, graph, value) : given_by(o, value);
}

/* ---- sorting ------------------------------------------------------------ */

static void swap_items(struct tn_list *list, uint64_t a, uint64_t b)
{
    uint8_t *items = list->items;
    size_t   size  = list->item_size;
    uint8_t  kept[sizeof(struct tn_bytes) + sizeof(void *)];

    if (a >= list->count || b >= list->count || size > sizeof kept)
        return;
    memcpy(kept, items + a * size, size);
    memcpy(items + a * size, items + b * size, size);
    memcpy(items + b * size, kept, size);
}

/* By insertion: signatures are short, and most are in order. */
static void sort(struct tn_net_graph *graph, bool is_input,
                 struct place *places, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t k = i; k > 0 && places[k].index < places[k - 1].index;
             k--) {
            struct place kept = places[k];
            places[k]         = places[k - 1];
            places[k - 1]     = kept;
            swap_items(is_input ? &graph->inputs : &graph->outputs, k, k - 1);
            swap_items(is_input ? &graph->input_names : &graph->output_names, k,
                       k - 1);
            if (!is_input)
                swap_items(&graph->output_types, k, k - 1);
        }
}

/* Whether all of these inputs or outputs are arguments or results of one call.
 */
static bool is_one_call(const struct place *places, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (places[i].node == TN_NONE || !is_same_call(places[i], places[0]))
            return false;
    return true;
}

/* More are never written by hand. */
#define ENDS_MAX 256

static void order_ends(struct ordering *o)
{
    struct tn_net        *net   = o->work->net;
    struct tn_net_graph  *graph = tn_net_graph(net, 0);
    const struct tn_list *ends = o->is_input ? &graph->inputs : &graph->outputs;
    uint64_t              count = ends->count;
    struct place *outer = tn_new(&o->arena, struct place, count, net->error);
    struct place *inner = tn_new(&o->arena, struct place, count, net->error);

    if (!outer || !inner || count < 2 || count > ENDS_MAX ||
        (!o->is_input && graph->output_types.count != count &&
         graph->output_types.count != 0))
        return;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value = *tn_list_at(ends, uint32_t, i);
        outer[i] = o->is_input ? taken_by(o, 0, value) : given_by(o, value);
    }
    if (!is_one_call(outer, count))
        return;
    for (uint64_t i = 0; i < count; i++)
        inner[i] = inside(o, outer[i]);
    sort(graph, o->is_input, is_one_call(inner, count) ? inner : outer, count);
}

enum tn_status tn_tf_order_signature(struct tn_tf_work *work)
{
    struct ordering o = { .work = work, .is_input = true };

    if (!work->net->signature.size)
        return work->error->status;
    tn_arena_init(&o.arena, work->net->arena->memory);
    order_ends(&o);
    o.is_input = false;
    order_ends(&o);
    tn_arena_done(&o.arena);
    return work->error->status;
}
