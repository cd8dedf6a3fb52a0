/*
 * net_lay_names.c - what values are called when a net is laid out
 *
 * What the world calls an end is settled first, and whatever else had that name
 * gets another.  An output that is no result of a node of its own graph (an
 * input, a constant, a value from outside, one that is an output already) goes
 * through an identity.  nd4j's files have no list of outputs: they are what
 * nobody takes, but for results next to one that somebody takes.  So there an
 * output that somebody takes goes through one, too, and one whose neighbours
 * are not all outputs.
 */
#include "map/net/net_laying.h"

#include <inttypes.h>

enum { NOT_ASKED, PLAIN, NOT_PLAIN }; /* tn_laying.plain */

void tn_lay_scope_init(struct tn_lay_scope *scope, struct tn_memory *memory)
{
    tn_list_init(&scope->taken, memory, sizeof(uint64_t));
    tn_list_init(&scope->tries, memory, sizeof(uint32_t));
}

void tn_lay_scope_done(struct tn_lay_scope *scope)
{
    tn_list_done(&scope->taken);
    tn_list_done(&scope->tries);
}

/* False: somebody had it before. */
static bool take(struct tn_laying *l, struct tn_lay_scope *scope, uint32_t name)
{
    uint64_t bit = UINT64_C(1) << name % 64, index = name / 64;

    if (index >= scope->taken.count &&
        !tn_list_grow(&scope->taken, index + 1 - scope->taken.count, l->error))
        return true;
    uint64_t *word    = tn_list_at(&scope->taken, uint64_t, index);
    bool      is_free = !(*word & bit);
    *word |= bit;
    return is_free;
}

/* wish_1, wish_2...: from where the last one who wished it got to. */
static uint32_t numbered(struct tn_laying *l, struct tn_lay_scope *scope,
                         uint32_t wish)
{
    struct tn_intern *names = &l->model->names;
    struct tn_bytes   of    = tn_intern_text(names, wish);
    struct tn_list   *tries = &scope->tries;

    if (wish >= tries->count &&
        !tn_list_grow(tries, wish + UINT64_C(1) - tries->count, l->error))
        return TN_NO_NAME;
    while (!tn_failed(l->error)) {
        char *text =
            tn_text_format(&l->model->arena, l->error, "%.*s_%" PRIu32,
                           TN_FMT(of), ++*tn_list_at(tries, uint32_t, wish));
        uint32_t id = text ? tn_intern_borrow(names, tn_text(text), l->error)
                           : TN_NO_NAME;
        if (id == TN_NO_NAME || take(l, scope, id))
            return id;
    }
    return TN_NO_NAME;
}

uint32_t tn_lay_name(struct tn_laying *l, struct tn_lay_scope *scope,
                     struct tn_bytes wish)
{
    uint32_t id = tn_intern_borrow(&l->model->names,
                                   wish.size ? wish : tn_text("v"), l->error);

    if (id == TN_NO_NAME || take(l, scope, id))
        return id;
    return numbered(l, scope, id);
}

/* What was made on the way to a value is called after it and what it is. */
static struct tn_bytes wish_of(struct tn_laying *l, uint32_t value)
{
    const struct tn_net_value v    = tn_net_value(l->net, value);
    struct tn_bytes           what = tn_text("const");

    if (!v.is_inner)
        return v.name;
    if (v.producer != TN_NONE)
        what = tn_net_node(l->net, v.producer).op->type;
    char *text = tn_text_format(&l->model->arena, l->error, "%.*s/%.*s",
                                TN_FMT(v.name), TN_FMT(what));
    return text ? tn_text(text) : v.name;
}

bool tn_lay_is_made(const struct tn_laying *l, uint32_t value)
{
    uint32_t producer = tn_net_value(l->net, value).producer;

    return producer != TN_NONE && !tn_net_node(l->net, producer).is_removed;
}

static bool is_made_here(const struct tn_laying *l, uint32_t value,
                         uint32_t graph)
{
    return tn_net_value(l->net, value).graph == graph &&
           tn_lay_is_made(l, value);
}

static void relay(struct tn_laying *l, uint32_t graph, uint32_t from,
                  uint32_t to)
{
    struct tn_lay_relay *r =
        tn_list_push(&l->relays, struct tn_lay_relay, l->error);

    if (r)
        *r = (struct tn_lay_relay){ graph, from, to };
    l->is_used[from] = true;
    if (tn_net_value(l->net, from).producer != TN_NONE)
        l->plain[tn_net_value(l->net, from).producer] = NOT_PLAIN;
}

/* The world's names of the main graph's ends are taken as they are. */
static void name_inputs(struct tn_laying *l)
{
    const struct tn_list *inputs = &tn_net_graph(l->net, 0)->inputs;

    for (uint32_t i = 0; i < inputs->count; i++) {
        uint32_t        value = *tn_list_at(inputs, uint32_t, i);
        struct tn_bytes text  = tn_net_input_name(l->net, 0, i);
        uint32_t        name = tn_intern_copy(&l->model->names, text, l->error);
        if (name == TN_NO_NAME)
            return;
        if (!take(l, &l->value_names, name))
            tn_error_set(l->error, TN_INVALID, TN_NOWHERE,
                         "two inputs are named '%.*s'", TN_FMT(text));
        l->names[value] = name;
    }
}

/* Whether nd4j's readers see that it is an output.  Asked once of a node: it
 * may make as many as a file has room for. */
static bool is_plain_output(const struct tn_laying *l, uint32_t value)
{
    uint32_t                 id   = tn_net_value(l->net, value).producer;
    const struct tn_net_node node = tn_net_node(l->net, id);

    for (uint32_t i = 0; !l->plain[id] && i < node.output_count; i++)
        if (node.outputs[i] == TN_NONE || l->is_used[node.outputs[i]] ||
            l->wanted[node.outputs[i]] != 1)
            l->plain[id] = NOT_PLAIN;
    if (!l->plain[id])
        l->plain[id] = PLAIN;
    return l->plain[id] == PLAIN;
}

static void name_output(struct tn_laying *l, uint32_t graph, uint32_t index,
                        uint32_t name)
{
    uint32_t value =
        *tn_list_at(&tn_net_graph(l->net, graph)->outputs, uint32_t, index);
    bool is_direct =
        is_made_here(l, value, graph) && !l->is_output[value] &&
        !(l->facts->names_everything && !is_plain_output(l, value));

    l->end_names[graph][index] = name;
    if (is_direct) {
        l->names[value]     = name;
        l->is_output[value] = true;
    } else {
        relay(l, graph, value, name);
    }
}

/* An output that is an input of the same name needs no more. */
static bool is_input_too(const struct tn_laying *l, uint32_t value,
                         uint32_t name)
{
    return l->is_input[value] && l->names[value] == name;
}

static void name_outputs(struct tn_laying *l)
{
    const struct tn_list *outputs = &tn_net_graph(l->net, 0)->outputs;

    for (uint32_t i = 0; i < outputs->count; i++) {
        uint8_t *wanted = &l->wanted[*tn_list_at(outputs, uint32_t, i)];
        *wanted         = *wanted ? 2 : 1;
    }
    for (uint32_t i = 0; i < outputs->count && !tn_failed(l->error); i++) {
        uint32_t        value = *tn_list_at(outputs, uint32_t, i);
        struct tn_bytes text  = tn_net_output_name(l->net, 0, i);
        uint32_t        name = tn_intern_copy(&l->model->names, text, l->error);
        l->end_names[0][i]   = name;
        if (name == TN_NO_NAME || is_input_too(l, value, name))
            continue;
        if (!take(l, &l->value_names, name))
            tn_error_set(l->error, TN_INVALID, TN_NOWHERE,
                         "two outputs are named '%.*s': choose one of them "
                         "with --outputs",
                         TN_FMT(text));
        else
            name_output(l, 0, i, name);
    }
}

static void name_inner_outputs(struct tn_laying *l, uint32_t graph)
{
    const struct tn_list *outputs = &tn_net_graph(l->net, graph)->outputs;

    for (uint32_t i = 0; i < outputs->count && !tn_failed(l->error); i++) {
        uint32_t value = *tn_list_at(outputs, uint32_t, i);
        name_output(l, graph, i,
                    tn_lay_name(l, &l->value_names, wish_of(l, value)));
    }
}

/* Those that something uses, takes or makes, but for the world's ends. */
static void name_rest(struct tn_laying *l, bool is_inner)
{
    for (uint32_t i = 0; i < l->net->values.count && !tn_failed(l->error); i++)
        if (l->names[i] == TN_NO_NAME &&
            tn_net_value(l->net, i).is_inner == is_inner &&
            (l->is_used[i] || l->is_input[i] || tn_lay_is_made(l, i)))
            l->names[i] = tn_lay_name(l, &l->value_names, wish_of(l, i));
}

void tn_lay_name_values(struct tn_laying *l)
{
    name_inputs(l);
    name_outputs(l);
    for (uint32_t i = 1; i < l->net->graphs.count && !tn_failed(l->error); i++)
        if (l->placed[i] != TN_NONE)
            name_inner_outputs(l, i);
    name_rest(l, false);
    name_rest(l, true);
}
