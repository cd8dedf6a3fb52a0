/*
 * convert_shapes.c - shapes of inputs that the caller gives
 *
 * A model may leave sizes of its inputs open, or even their rank, although
 * rules need them.  What the model declares stays; what it leaves open is
 * filled in.  If the model declares nothing, its operators decide: those that
 * use such an input must accept the rank that it gets.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/convert_dialect.h"
#include "ir/vocab.h"
#include "map/net/net_build.h"

/* By the name that it has as an input, or as a value; "x" is "x:0" as well. */
static bool is_called(struct tn_bytes name, const char *wanted)
{
    size_t size = strlen(wanted);

    if (tn_bytes_is(name, wanted))
        return true;
    return name.size == size + 2 && memcmp(name.data, wanted, size) == 0 &&
           memcmp(name.data + size, ":0", 2) == 0;
}

/* The value that is the input; TN_NONE if there is no such input. */
static uint32_t find_input(const struct tn_net *net, const char *name)
{
    const struct tn_list *inputs = &tn_net_graph(net, 0)->inputs;

    for (uint32_t i = 0; i < inputs->count; i++) {
        uint32_t value = *tn_list_at(inputs, uint32_t, i);
        if (is_called(tn_net_input_name(net, 0, i), name) ||
            is_called(tn_net_value(net, value).name, name))
            return value;
    }
    return TN_NONE;
}

static enum tn_status refuse(struct tn_conversion *c, const char *name,
                             const char *what, int64_t model, int64_t told)
{
    return tn_error_because(c->error, TN_INVALID, TN_REASON_BAD_SHAPE,
                            TN_NOWHERE,
                            "the shape given for input '%.120s' does not fit "
                            "the model: %s %" PRId64 " instead of %" PRId64,
                            name, what, told, model);
}

/* The name that is told, else the one that the model has. */
static struct tn_bytes name_for(struct tn_conversion        *c,
                                const struct tn_net_type    *type,
                                const struct tn_input_shape *shape, uint32_t i)
{
    const char *told = shape->symbols ? shape->symbols[i] : NULL;

    if (told && told[0])
        return tn_bytes_dup(c->net->arena, tn_text(told), c->error);
    return type->symbols && type->has_rank ? type->symbols[i] : tn_text("");
}

static enum tn_status set_shape(struct tn_conversion        *c,
                                const struct tn_input_shape *shape)
{
    struct tn_net     *net   = c->net;
    uint32_t           value = find_input(net, shape->name);
    struct tn_net_type type;
    char               what[40];

    if (value == TN_NONE)
        return tn_error_because(c->error, TN_INVALID, TN_REASON_UNKNOWN_INPUT,
                                TN_NOWHERE,
                                "a shape is given for '%.120s', which is not "
                                "an input of the graph",
                                shape->name);
    type = *tn_net_value(net, value).type;
    if (type.has_rank && type.rank != shape->rank)
        return refuse(c, shape->name, "rank", type.rank, shape->rank);
    int64_t         *dims = tn_new(net->arena, int64_t, shape->rank, c->error);
    struct tn_bytes *symbols =
        type.symbols || shape->symbols
            ? tn_new(net->arena, struct tn_bytes, shape->rank, c->error)
            : NULL;
    if (tn_failed(c->error))
        return c->error->status;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t known = type.has_rank ? type.dims[i] : -1;
        snprintf(what, sizeof what, "dimension %" PRIu32 " is", i);
        if (known >= 0 && shape->dims[i] >= 0 && known != shape->dims[i])
            return refuse(c, shape->name, what, known, shape->dims[i]);
        dims[i] = known >= 0 ? known : shape->dims[i] < 0 ? -1 : shape->dims[i];
        if (symbols && dims[i] < 0) /* a number has no name */
            symbols[i] = name_for(c, &type, shape, i);
    }
    type.has_rank = true;
    type.rank     = shape->rank;
    type.dims     = dims;
    type.symbols  = symbols;
    tn_net_set_type(net, value, &type);
    return c->error->status;
}

enum tn_status tn_conversion_set_shapes(struct tn_conversion *c)
{
    for (uint32_t i = 0; i < c->how->shape_count; i++)
        TN_TRY(set_shape(c, &c->how->shapes[i]));
    return TN_OK;
}

/* ---- what operators take ------------------------------------------------ */

/* By value: the input whose given shape it depends on; NULL: none. */
struct dependence {
    struct tn_conversion         *c;
    struct tn_net                *net;
    const struct tn_input_shape **of;
};

/* The argument at that place, if it is one value; lists are not told apart. */
static const struct tn_vocab_arg *arg_at(const struct tn_vocab_op *op,
                                         uint32_t                  index)
{
    if (index >= op->input_count)
        return NULL;
    for (uint32_t i = 0; i <= index; i++)
        if (op->inputs[i].arity != TN_VOCAB_ONE &&
            op->inputs[i].arity != TN_VOCAB_OPTIONAL)
            return NULL;
    return &op->inputs[index];
}

static void say_ranks(const struct tn_vocab_rank *rank, char *to, size_t size)
{
    if (rank->most == TN_VOCAB_RANK_LIMIT)
        snprintf(to, size, "at least %u", rank->least);
    else if (rank->least == rank->most)
        snprintf(to, size, "%u", rank->least);
    else
        snprintf(to, size, "%u to %u", rank->least, rank->most);
}

static void check_input(struct dependence *d, const struct tn_net_node *node,
                        uint32_t index, const struct tn_vocab_arg *arg)
{
    const struct tn_input_shape *shape = d->of[node->inputs[index]];
    const struct tn_net_type    *type =
        tn_net_value(d->net, node->inputs[index]).type;
    char ranks[40];

    if (!shape || !arg || !arg->rank.is_said || !type->has_rank ||
        type->wrap != TN_NET_TENSOR ||
        (type->rank >= arg->rank.least && type->rank <= arg->rank.most))
        return;
    say_ranks(&arg->rank, ranks, sizeof ranks);
    tn_error_because(d->c->error, TN_INVALID, TN_REASON_BAD_SHAPE, TN_NOWHERE,
                     "the shape given for input '%.120s' does not fit the "
                     "model: %.*s takes '%.*s' of rank %s, which would have "
                     "rank %" PRIu32,
                     shape->name, TN_FMT(node->op->type), TN_FMT(arg->name),
                     ranks, type->rank);
}

static void check_node(struct dependence *d, struct tn_conversion_words *words,
                       uint32_t id)
{
    const struct tn_net_node     node  = tn_net_node(d->net, id);
    const struct tn_vocab_op    *op    = NULL;
    const struct tn_input_shape *shape = NULL;

    for (uint32_t i = 0; i < node.input_count && !node.is_removed; i++)
        if (node.inputs[i] != TN_NONE && d->of[node.inputs[i]]) {
            if (!shape)
                op = tn_conversion_definition(words, d->net, &node);
            shape = d->of[node.inputs[i]];
            if (op && op->has_ranks)
                check_input(d, &node, i, arg_at(op, i));
        }
    for (uint32_t i = 0; shape && i < node.output_count; i++)
        if (node.outputs[i] != TN_NONE)
            d->of[node.outputs[i]] = shape;
}

enum tn_status tn_conversion_check_shapes(struct tn_conversion *c,
                                          struct tn_net        *net)
{
    struct tn_conversion_words words = { 0 };
    struct dependence          d     = { .c = c, .net = net };
    struct tn_arena            arena;

    tn_arena_init(&arena, net->arena->memory);
    d.of = tn_new(&arena, const struct tn_input_shape *, net->values.count,
                  c->error);
    for (uint32_t i = 0; d.of && i < c->how->shape_count; i++) {
        uint32_t value = find_input(net, c->how->shapes[i].name);
        if (value != TN_NONE)
            d.of[value] = &c->how->shapes[i];
    }
    for (uint32_t g = 0; d.of && g < net->graphs.count; g++) {
        const struct tn_list *nodes = &tn_net_graph(net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count && !tn_failed(c->error); i++)
            check_node(&d, &words, *tn_list_at(nodes, uint32_t, i));
    }
    tn_arena_done(&arena);
    return c->error->status;
}
