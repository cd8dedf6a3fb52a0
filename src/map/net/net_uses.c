/*
 * net_uses.c - who uses a value, and another in its place
 *
 * This is known only once somebody asks to replace a value: then every value
 * gets a list of its users, and what is added later is added there too.
 * Entries of a list are hints, since inputs may have been set anew; whoever
 * walks a list looks at the node itself.
 */
#include "map/net/net.h"

struct use {
    uint32_t user; /* node, or graph whose output it is */
    uint32_t next; /* in net->uses, + 1; 0: the last    */
    bool     is_output;
};

void tn_net_uses_init(struct tn_net *net)
{
    struct tn_memory *memory = net->arena->memory;

    tn_list_init(&net->uses, memory, sizeof(struct use));
    tn_list_init(&net->first_uses, memory, sizeof(uint32_t));
}

/* Where the list of its users begins, or NULL with the error set. */
static uint32_t *uses_of(struct tn_net *net, uint32_t value)
{
    uint64_t known = net->first_uses.count;

    if (value >= known &&
        !tn_list_grow(&net->first_uses, net->values.count - known, net->error))
        return NULL;
    return tn_list_at(&net->first_uses, uint32_t, value);
}

void tn_net_note_use(struct tn_net *net, uint32_t value, uint32_t user,
                     bool is_output)
{
    uint32_t   *first = value < net->values.count ? uses_of(net, value) : NULL;
    struct use *use =
        first ? tn_list_push(&net->uses, struct use, net->error) : NULL;

    if (!use)
        return;
    *use   = (struct use){ user, *first, is_output };
    *first = (uint32_t)net->uses.count;
}

void tn_net_note_inputs(struct tn_net *net, uint32_t node)
{
    const struct tn_net_node_row *row = tn_net_node_row(net, node);

    for (uint32_t i = 0; i < row->input_count; i++)
        tn_net_note_use(net, row->edges[i], node, false);
}

/* ---- replacing a value -------------------------------------------------- */

static void find_uses(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++)
        tn_net_note_inputs(net, i);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            tn_net_note_use(net, *tn_list_at(outputs, uint32_t, k), i, true);
    }
    net->has_uses = true;
}

/* The ids are the net's own copy, so that they may change in place. */
static void swap_ids(uint32_t *ids, uint64_t count, uint32_t from, uint32_t to)
{
    for (uint64_t i = 0; i < count; i++)
        if (ids[i] == from)
            ids[i] = to;
}

static void swap_outputs(struct tn_net *net, uint32_t graph, uint32_t from,
                         uint32_t to)
{
    struct tn_net_graph *g = tn_net_graph(net, graph);

    while (g->output_names.count < g->outputs.count && !tn_failed(net->error))
        tn_list_push(&g->output_names, struct tn_bytes, net->error);
    if (tn_failed(net->error))
        return;
    for (uint64_t i = 0; i < g->outputs.count; i++) {
        uint32_t *output = tn_list_at(&g->outputs, uint32_t, i);
        if (*output != from)
            continue;
        struct tn_bytes *name =
            tn_list_at(&g->output_names, struct tn_bytes, i);
        if (!name->size) /* the world keeps its name for it */
            *name = tn_net_value(net, from)->name;
        *output = to;
    }
}

void tn_net_replace(struct tn_net *net, uint32_t from, uint32_t to)
{
    uint32_t last = 0;

    if (from == to)
        return;
    if (!net->has_uses)
        find_uses(net);
    uint32_t *first = uses_of(net, from) ? uses_of(net, to) : NULL;
    uint32_t *old   = first ? uses_of(net, from) : NULL;
    for (uint32_t at = old ? *old : 0; at;) {
        struct use *use = tn_list_at(&net->uses, struct use, at - 1);
        if (use->is_output) {
            swap_outputs(net, use->user, from, to);
        } else {
            struct tn_net_node_row *user = tn_net_node_row(net, use->user);
            swap_ids(user->edges, user->input_count, from, to);
        }
        last = at;
        at   = use->next;
    }
    if (!last)
        return;
    tn_list_at(&net->uses, struct use, last - 1)->next = *first;
    *first                                             = *old;
    *old                                               = 0;
}

void tn_net_forget_uses(struct tn_net *net)
{
    tn_list_done(&net->uses);
    tn_list_done(&net->first_uses);
    net->has_uses = false;
}
