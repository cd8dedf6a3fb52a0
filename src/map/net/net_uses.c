/*
 * net_uses.c - the users of a value, and replacing it
 *
 * Users are recorded from the first replacement on: then every value gets a
 * list of its users, and later uses are added to it.  Entries of a list are
 * hints, since inputs may have been changed and nodes removed; code that walks
 * a list checks the node itself, and drops entries that are no longer true.
 * Otherwise a chain of replaced values would pass all former users from link to
 * link.
 */
#include <inttypes.h>

#include "map/net/net_build.h"

struct use {
    uint32_t user;      /* node, or graph whose output it is */
    uint32_t next;      /* in net->uses, + 1; 0: the last    */
    uint32_t slot : 31; /* which of its inputs or outputs    */
    uint32_t is_output : 1;
};

/* How many users may be moved to another value: for each recorded use, and in
 * addition.  Real models stay far below; a file made for the purpose can move
 * thousands of users through thousands of names. */
#define STEPS_A_USE    UINT64_C(64)
#define STEPS_AT_LEAST (UINT64_C(1) << 26)

void tn_net_uses_init(struct tn_net *net)
{
    struct tn_memory *memory = net->arena->memory;

    tn_list_init(&net->uses, memory, sizeof(struct use));
    tn_list_init(&net->first_uses, memory, sizeof(uint32_t));
}

/* The head of the list of its users, or NULL with the error set. */
static uint32_t *uses_of(struct tn_net *net, uint32_t value)
{
    uint64_t known = net->first_uses.count;

    if (value >= known &&
        !tn_list_grow(&net->first_uses, net->values.count - known, net->error))
        return NULL;
    return tn_list_at(&net->first_uses, uint32_t, value);
}

static void note_use(struct tn_net *net, uint32_t value, struct use noted)
{
    uint32_t   *first = value < net->values.count ? uses_of(net, value) : NULL;
    struct use *use =
        first ? tn_list_push(&net->uses, struct use, net->error) : NULL;

    if (!use)
        return;
    *use      = noted;
    use->next = *first;
    *first    = (uint32_t)net->uses.count;
}

void tn_net_note_output(struct tn_net *net, uint32_t graph, uint64_t index)
{
    uint32_t value =
        *tn_list_at(&tn_net_graph(net, graph)->outputs, uint32_t, index);

    note_use(net, value,
             (struct use){ .user      = graph,
                           .slot      = (uint32_t)index & INT32_MAX,
                           .is_output = true });
}

void tn_net_note_inputs(struct tn_net *net, uint32_t node)
{
    const struct tn_net_node_row *row = tn_net_node_row(net, node);

    for (uint32_t i = 0; i < row->input_count; i++)
        note_use(net, row->edges[i],
                 (struct use){ .user = node, .slot = i & INT32_MAX });
}

/* ---- replacing a value -------------------------------------------------- */

static void find_uses(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++)
        tn_net_note_inputs(net, i);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        uint64_t count = tn_net_graph(net, i)->outputs.count;
        for (uint64_t k = 0; k < count; k++)
            tn_net_note_output(net, i, k);
    }
    net->has_uses = true;
}

/* The public name of the input or output stays. */
static void swap_output(struct tn_net *net, struct tn_net_graph *g,
                        uint64_t index, uint32_t to)
{
    uint32_t *output = tn_list_at(&g->outputs, uint32_t, index);

    while (g->output_names.count < g->outputs.count && !tn_failed(net->error))
        tn_list_push(&g->output_names, struct tn_bytes, net->error);
    if (tn_failed(net->error))
        return;
    struct tn_bytes *name =
        tn_list_at(&g->output_names, struct tn_bytes, index);
    if (!name->size)
        *name = tn_net_value(net, *output).name;
    *output = to;
}

/* Outputs move up when one before them is taken away. */
static bool swap_outputs(struct tn_net *net, const struct use *use,
                         uint32_t from, uint32_t to)
{
    struct tn_net_graph *g     = tn_net_graph(net, use->user);
    bool                 found = false;

    if (use->slot < g->outputs.count &&
        *tn_list_at(&g->outputs, uint32_t, use->slot) == from) {
        swap_output(net, g, use->slot, to);
        return true;
    }
    for (uint64_t i = 0; i < g->outputs.count; i++) {
        if (*tn_list_at(&g->outputs, uint32_t, i) != from)
            continue;
        swap_output(net, g, i, to);
        found = true;
    }
    return found;
}

/* The ids are the net's own copy, so that they may change in place.  False if
 * this user need not be moved again. */
static bool swap_use(struct tn_net *net, const struct use *use, uint32_t from,
                     uint32_t to)
{
    if (use->is_output)
        return swap_outputs(net, use, from, to);
    if (use->user >= net->nodes.count) /* it was taken back */
        return false;
    struct tn_net_node_row *row = tn_net_node_row(net, use->user);
    if (use->slot >= row->input_count || row->edges[use->slot] != from)
        return false; /* what it has by now was noted then */
    row->edges[use->slot] = to;
    return !row->is_removed;
}

static bool can_step(struct tn_net *net)
{
    uint64_t most = STEPS_A_USE * net->uses.count + STEPS_AT_LEAST;

    if (++net->replaced <= most)
        return true;
    tn_error_set(net->error, TN_LIMIT, TN_NOWHERE,
                 "values are replaced more than %" PRIu64 " times", most);
    return false;
}

void tn_net_replace(struct tn_net *net, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    if (!net->has_uses)
        find_uses(net);
    uint32_t *first = uses_of(net, from) ? uses_of(net, to) : NULL;
    uint32_t *old   = first ? uses_of(net, from) : NULL;
    for (uint32_t at = old ? *old : 0; at && can_step(net);) {
        struct use *use  = tn_list_at(&net->uses, struct use, at - 1);
        uint32_t    next = use->next;
        if (swap_use(net, use, from, to)) {
            use->next = *first;
            *first    = at;
        }
        at = next;
    }
    if (old)
        *old = 0;
}

void tn_net_forget_uses(struct tn_net *net)
{
    tn_list_done(&net->uses);
    tn_list_done(&net->first_uses);
    net->has_uses = false;
}
