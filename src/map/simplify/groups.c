/* groups.c - joins convolutions of parts of the channels to one with groups */
#include "map/simplify/groups.h"

#include "map/net/net_build.h"

/* The axes of channels in images, and in weights of a convolution; a transposed
 * one has them first. */
enum { CHANNELS = 1 };

static const char *const convolutions[] = { "Conv", "ConvTranspose" };

struct joining {
    struct tn_net   *net;
    struct tn_infer *facts;
    uint32_t        *uses; /* by value, outputs of graphs included            */
    uint32_t         count; /* of `uses`                                      */
};

/* One convolution out of several. */
struct group {
    const char     *op;    /* which convolution                           */
    uint32_t        image; /* the value all of them take a part of        */
    uint32_t        attrs; /* of the first, as a row of a node has them   */
    const uint64_t *dims;  /* of each weight                              */
    uint32_t        rank;
    uint32_t        source;
    bool            has_bias;
    uint32_t       *weights, *biases;
};

static bool is_op(const struct tn_net_node *node, const char *type)
{
    return !node->is_removed && !node->control_count &&
           !node->op->domain.size && tn_bytes_is(node->op->type, type);
}

/* The node that makes a value which nothing else uses. */
static bool find_maker(const struct joining *j, uint32_t value, uint32_t *id,
                       struct tn_net_node *node)
{
    if (value == TN_NONE || value >= j->count || j->uses[value] != 1)
        return false;
    *id = tn_net_value(j->net, value).producer;
    if (*id == TN_NONE)
        return false;
    *node = tn_net_node(j->net, *id);
    return true;
}

static bool has_one(const struct tn_net_node *node, const char *name,
                    int64_t number, bool is_default)
{
    const struct tn_attr_value *value = tn_net_attr(node, name);

    if (!value)
        return is_default;
    return value->kind == TN_ATTR_INT && value->count == 1 &&
           value->of.ints[0] == number;
}

/* ---- parts of an image --------------------------------------------------- */

enum { SLICED_MAX = 8 }; /* axes */

/* Integers of an input, `count` of them; without it they stay as they are. */
static bool read_numbers(const struct joining     *j,
                         const struct tn_net_node *node, uint32_t input,
                         uint32_t *count, int64_t *numbers)
{
    struct tn_item items;

    if (input >= node->input_count || node->inputs[input] == TN_NONE)
        return true;
    if (tn_fold(j->facts, node->inputs[input], &items) != TN_OK ||
        items.kind != TN_ITEM_LIST || items.count > SLICED_MAX ||
        (*count && items.count != *count))
        return false;
    *count = items.count;
    for (uint32_t i = 0; i < items.count; i++)
        if (!tn_item_to_int(items.of.items[i], &numbers[i]))
            return false;
    return true;
}

/* The image of which a Slice takes the channels from `first` on, and all of its
 * other axes. */
static uint32_t sliced_image(const struct joining     *j,
                             const struct tn_net_node *node, uint64_t first,
                             uint64_t size)
{
    int64_t  from[SLICED_MAX], to[SLICED_MAX];
    int64_t  axis[SLICED_MAX] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    int64_t  step[SLICED_MAX] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    uint32_t count            = 0;
    bool     is_part          = false;

    if (!is_op(node, "Slice") || node->input_count < 3 ||
        !read_numbers(j, node, 1, &count, from) ||
        !read_numbers(j, node, 2, &count, to) ||
        !read_numbers(j, node, 3, &count, axis) ||
        !read_numbers(j, node, 4, &count, step))
        return TN_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (step[i] != 1 || from[i] < 0)
            return TN_NONE;
        if (axis[i] == CHANNELS)
            is_part = (uint64_t)from[i] == first && to[i] > from[i] &&
                      (uint64_t)(to[i] - from[i]) == size;
        else if (from[i] != 0 || to[i] < INT32_MAX)
            return TN_NONE;
    }
    return is_part ? node->inputs[0] : TN_NONE;
}

/* The same for a Split, which has sizes or makes equal parts. */
static uint32_t split_image(const struct joining     *j,
                            const struct tn_net_node *node, uint32_t value,
                            uint32_t index, uint64_t size)
{
    if (!is_op(node, "Split") || !has_one(node, "axis", CHANNELS, false) ||
        tn_net_value(j->net, value).output != index)
        return TN_NONE;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] == TN_NONE)
            return TN_NONE;
        const struct tn_net_type *type =
            tn_net_value(j->net, node->outputs[i]).type;
        if (!type->has_rank || type->rank <= CHANNELS ||
            type->dims[CHANNELS] < 0 || (uint64_t)type->dims[CHANNELS] != size)
            return TN_NONE;
    }
    return node->inputs[0];
}

static uint32_t image_of(const struct joining *j, uint32_t part, uint32_t index,
                         uint64_t size)
{
    uint32_t           id;
    struct tn_net_node node;

    if (!find_maker(j, part, &id, &node))
        return TN_NONE;
    uint32_t image = sliced_image(j, &node, index * size, size);
    return image != TN_NONE ? image : split_image(j, &node, part, index, size);
}

/* ---- convolutions -------------------------------------------------------- */

/* The numbers of input and output channels of one. */
static uint64_t taken(const struct group *g)
{
    return g->dims[g->op == convolutions[0] ? CHANNELS : 0];
}

static const uint64_t *made(const struct group *g)
{
    return &g->dims[g->op == convolutions[0] ? 0 : CHANNELS];
}

static bool has_dims(const struct tn_elements *elements, const uint64_t *dims,
                     uint32_t rank)
{
    if (elements->shape.rank != rank)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (elements->shape.dims[i] != dims[i])
            return false;
    return true;
}

/* The weights and biases of one. */
static bool take_weights(const struct joining *j, struct group *g,
                         const struct tn_net_node *conv, uint32_t index)
{
    const struct tn_elements *weights =
        tn_net_value(j->net, conv->inputs[1]).constant;
    bool has_bias = conv->input_count > 2 && conv->inputs[2] != TN_NONE;

    if (!weights || weights->shape.rank < 3)
        return false;
    if (index == 0) {
        g->dims     = weights->shape.dims;
        g->rank     = weights->shape.rank;
        g->has_bias = has_bias;
    }
    if (!has_dims(weights, g->dims, g->rank) || has_bias != g->has_bias)
        return false;
    g->weights[index] = conv->inputs[1];
    if (!has_bias)
        return true;
    const struct tn_elements *bias =
        tn_net_value(j->net, conv->inputs[2]).constant;
    g->biases[index] = conv->inputs[2];
    return bias && has_dims(bias, made(g), 1);
}

static bool take_conv(const struct joining *j, struct group *g, uint32_t value,
                      uint32_t index)
{
    uint32_t           id;
    struct tn_net_node conv;

    if (!find_maker(j, value, &id, &conv))
        return false;
    for (size_t i = 0; index == 0 && i < 2; i++)
        if (is_op(&conv, convolutions[i]))
            g->op = convolutions[i];
    if (!g->op || !is_op(&conv, g->op) || conv.input_count < 2 ||
        !conv.has_common_attrs || !has_one(&conv, "group", 1, true) ||
        !take_weights(j, g, &conv, index))
        return false;
    uint32_t attrs = tn_net_node_row(j->net, id)->attrs;
    uint32_t image = image_of(j, conv.inputs[0], index, taken(g));
    if (index == 0) {
        g->image  = image;
        g->attrs  = attrs;
        g->source = conv.source;
    }
    return image != TN_NONE && image == g->image && attrs == g->attrs;
}

/* Whether the parts make up the whole image. */
static bool is_whole(const struct joining *j, const struct group *g,
                     uint32_t count)
{
    const struct tn_net_type *type = tn_net_value(j->net, g->image).type;

    return type->has_rank && type->rank == g->rank &&
           type->dims[CHANNELS] >= 0 &&
           (uint64_t)type->dims[CHANNELS] == taken(g) * count;
}

/* ---- the convolution that replaces them ---------------------------------- */

static uint32_t join(struct joining *j, uint32_t graph, const uint32_t *parts,
                     uint32_t count)
{
    static const int64_t outermost = 0;
    struct tn_net_attr   axis      = {
               .name  = tn_text("axis"),
               .value = { .kind = TN_ATTR_INT, .count = 1, .of.ints = &outermost },
    };
    uint32_t to =
        tn_net_add_value(j->net, graph, tn_net_value(j->net, parts[0]).name);
    struct tn_net_node node = { .op           = tn_net_own_op(j->net, "Concat"),
                                .inputs       = parts,
                                .input_count  = count,
                                .outputs      = &to,
                                .output_count = 1,
                                .attrs        = &axis,
                                .attr_count   = 1,
                                .graph        = graph,
                                .source       = TN_NONE };

    if (to != TN_NONE)
        tn_net_add_node(j->net, &node);
    return to;
}

static void replace(struct joining *j, uint32_t id, const struct group *g)
{
    const struct tn_net_node concat = tn_net_node(j->net, id);
    struct tn_net_list       list   = tn_net_list_at(j->net, g->attrs);
    uint32_t                 output = concat.outputs[0];
    uint32_t                 count  = concat.input_count;
    uint32_t inputs[3] = { g->image, join(j, concat.graph, g->weights, count),
                           g->has_bias ? join(j, concat.graph, g->biases, count)
                                       : TN_NONE };
    int64_t *number    = tn_new(j->net->arena, int64_t, 1, j->net->error);
    struct tn_attr_value value = { .kind    = TN_ATTR_INT,
                                   .count   = 1,
                                   .of.ints = number };
    struct tn_net_node   node  = { .name         = concat.name,
                                   .op           = tn_net_own_op(j->net, g->op),
                                   .inputs       = inputs,
                                   .input_count  = g->has_bias ? 3 : 2,
                                   .outputs      = &output,
                                   .output_count = 1,
                                   .attrs        = list.attrs,
                                   .attr_count   = list.count,
                                   .graph        = concat.graph,
                                   .source       = g->source };

    if (!number || tn_failed(j->net->error))
        return;
    *number = count;
    tn_net_remove(j->net, id);
    uint32_t made = tn_net_add_node(j->net, &node);
    if (made != TN_NONE)
        tn_net_set_attr(j->net, made, "group", &value);
}

static bool join_one(struct joining *j, uint32_t id, struct tn_arena *arena)
{
    const struct tn_net_node concat = tn_net_node(j->net, id);
    struct group             g      = { .image = TN_NONE };
    uint32_t                 count  = concat.input_count, i;

    if (!is_op(&concat, "Concat") || count < 2 ||
        concat.outputs[0] == TN_NONE ||
        !has_one(&concat, "axis", CHANNELS, false))
        return false;
    g.weights = tn_new(arena, uint32_t, count, j->net->error);
    g.biases  = tn_new(arena, uint32_t, count, j->net->error);
    for (i = 0; g.weights && g.biases && i < count; i++)
        if (!take_conv(j, &g, concat.inputs[i], i))
            return false;
    if (i < count || !is_whole(j, &g, count))
        return false;
    replace(j, id, &g);
    return !tn_failed(j->net->error);
}

uint64_t tn_join_groups(struct tn_net *net, struct tn_infer *facts)
{
    struct joining  j     = { .net = net, .facts = facts };
    uint32_t        last  = (uint32_t)net->nodes.count;
    uint64_t        count = 0;
    struct tn_arena arena;

    if (!tn_net_may_have_op(net, "Concat") ||
        (!tn_net_may_have_op(net, convolutions[0]) &&
         !tn_net_may_have_op(net, convolutions[1])))
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    j.count = (uint32_t)net->values.count;
    j.uses  = tn_net_count_uses(net, &arena);
    for (uint32_t i = 0; j.uses && i < last && tn_net_goes_on(net); i++)
        count += join_one(&j, i, &arena);
    tn_arena_done(&arena);
    return count;
}
