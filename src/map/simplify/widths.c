/*
 * widths.c - sizes that are temporarily cast to 32 bits
 *
 * Values of int32 that are computed from each other form a group, which begins
 * with Casts of sizes and places.  A group with a user that does not take int64
 * does not change.
 */
#include "map/simplify/widths.h"

#include "map/net/net_build.h"
#include "map/simplify/node_ops.h"

enum { LONGEST_LIST = 64 };

struct widening {
    struct tn_net   *net;
    struct tn_infer *facts;
    const bool      *is_output;
    uint32_t        *parents; /* by value: of its group + 1; 0: in none     */
    bool            *is_left; /* by value: its group stays                  */
    uint64_t         values;  /* that there were when it began              */
    uint64_t         count;
};

static uint32_t group_of(const struct widening *w, uint32_t value)
{
    if (value >= w->values || !w->parents[value])
        return TN_NONE;
    while (w->parents[value] != value + 1)
        value = w->parents[value] - 1;
    return value;
}

static enum tn_dtype dtype_of(const struct tn_net *net, uint32_t value)
{
    return value == TN_NONE ? TN_UNDEFINED
                            : tn_net_value(net, value).type->dtype;
}

/* ---- finding ------------------------------------------------------------ */

/* A size or an index that was only moved since then, so that it is never
 * larger. */
static bool is_size(const struct tn_net *net, uint32_t value)
{
    static const char *const makers[] = { "Shape",   "Size",
                                          "ArgMax",  "ArgMin",
                                          "NonZero", "NonMaxSuppression" };
    static const char *const movers[] = { "Gather", "Slice", "Squeeze",
                                          "Unsqueeze", "Reshape" };
    enum { MOVES_MAX = 4 };

    for (int i = 0; value != TN_NONE && i <= MOVES_MAX; i++) {
        uint32_t maker = tn_net_value(net, value).producer;
        if (maker == TN_NONE)
            return false;
        const struct tn_net_node node = tn_net_node(net, maker);
        if (TN_NODE_IS_AMONG(&node, makers))
            return true;
        if (!TN_NODE_IS_AMONG(&node, movers) || !node.input_count)
            return false;
        value = node.inputs[0];
    }
    return false;
}

/* A Cast of sizes to int32. */
static bool is_begin(const struct widening *w, const struct tn_net_node *node)
{
    if (!tn_node_is(node, "Cast") || node->input_count != 1 ||
        node->inputs[0] == TN_NONE || node->output_count != 1 ||
        dtype_of(w->net, node->inputs[0]) != TN_INT64 ||
        dtype_of(w->net, node->outputs[0]) != TN_INT32)
        return false;
    return is_size(w->net, node->inputs[0]);
}

/* How many inputs of a node are the integers that it returns; the others are
 * places, and may have either type. */
static uint32_t count_data(const struct tn_net_node *node)
{
    static const char *const movers[] = { "Gather",   "Unsqueeze", "Squeeze",
                                          "Slice",    "Reshape",   "Expand",
                                          "Identity", "ReduceProd" };
    static const char *const all[]    = { "Concat", "Mul", "Add", "Sub",
                                          "Div",    "Max", "Min", "Range" };

    if (TN_NODE_IS_AMONG(node, movers))
        return 1;
    return TN_NODE_IS_AMONG(node, all) ? node->input_count : 0;
}

static bool is_comparison(const struct tn_net_node *node)
{
    static const char *const names[] = { "Less", "LessOrEqual", "Greater",
                                         "GreaterOrEqual", "Equal" };

    return TN_NODE_IS_AMONG(node, names);
}

/* Whether it accepts int32 and int64 for its other inputs. */
static bool is_place(const struct tn_net_node *node, uint32_t input)
{
    return (tn_node_is(node, "Gather") || tn_node_is(node, "GatherElements")) &&
           input == 1;
}

/* A short list that can be written in 64 bits. */
static bool is_list(const struct widening *w, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(w->net, value);
    struct tn_item            list;
    uint64_t                  count;

    return v.constant && v.constant->shape.dtype == TN_INT32 &&
           v.constant->shape.rank <= 1 &&
           tn_shape_count(&v.constant->shape, &count) &&
           count <= LONGEST_LIST && tn_fold(w->facts, value, &list) == TN_OK &&
           list.kind == TN_ITEM_LIST && list.count == count;
}

static void unite(struct widening *w, uint32_t a, uint32_t b)
{
    if (a == b)
        return;
    w->is_left[a] = w->is_left[a] || w->is_left[b];
    w->parents[b] = a + 1;
}

/* All of the first `count` inputs are members or lists. */
static bool are_wide(const struct widening *w, const struct tn_net_node *node,
                     uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (count > LONGEST_LIST || node->inputs[k] == TN_NONE ||
            (group_of(w, node->inputs[k]) == TN_NONE &&
             !is_list(w, node->inputs[k])))
            return false;
    return true;
}

static bool takes_wide(const struct widening *w, const struct tn_net_node *node,
                       uint32_t input)
{
    uint32_t data = count_data(node);

    if (tn_node_is(node, "Cast") || is_place(node, input))
        return true;
    if (is_comparison(node))
        return are_wide(w, node, node->input_count);
    return input < data && are_wide(w, node, data) && node->output_count == 1 &&
           node->outputs[0] != TN_NONE;
}

static void look_at(struct widening *w, uint32_t id)
{
    const struct tn_net_node node  = tn_net_node(w->net, id);
    uint32_t                 all   = TN_NONE;
    bool                     gives = false;

    if (node.is_removed)
        return;
    for (uint32_t k = 0; k < node.input_count; k++) {
        uint32_t g = group_of(w, node.inputs[k]);
        if (g == TN_NONE)
            continue;
        if (tn_net_value(w->net, node.inputs[k]).graph != node.graph ||
            !takes_wide(w, &node, k))
            w->is_left[g] = true;
        if (is_place(&node, k) || tn_node_is(&node, "Cast"))
            continue;
        if (all != TN_NONE)
            unite(w, all, g);
        else
            all = g;
        gives = count_data(&node) > 0;
    }
    uint32_t made = node.output_count ? node.outputs[0] : TN_NONE;
    if (made == TN_NONE)
        return;
    if (is_begin(w, &node))
        w->parents[made] = made + 1;
    else if (gives && all != TN_NONE)
        w->parents[made] = all + 1;
    if (w->parents[made] && w->is_output[made])
        w->is_left[group_of(w, made)] = true;
}

/* ---- widening ----------------------------------------------------------- */

static uint32_t widen_list(struct widening *w, uint32_t value)
{
    const struct tn_net_value v                   = tn_net_value(w->net, value);
    int64_t                   items[LONGEST_LIST] = { 0 };
    struct tn_item            list;
    uint64_t                  count = 0;

    if (tn_fold(w->facts, value, &list) == TN_OK && list.kind == TN_ITEM_LIST)
        for (; count < list.count && count < LONGEST_LIST; count++)
            tn_item_to_int(list.of.items[count], &items[count]);
    return tn_net_add_ints(w->net, v.graph, v.name, TN_INT64, items,
                           v.constant->shape.rank, &count);
}

/* Rewrites lists beside members. */
static void widen_lists(struct widening *w, uint32_t id, uint32_t count)
{
    const struct tn_net_node node = tn_net_node(w->net, id);
    uint32_t                 inputs[LONGEST_LIST];

    if (node.input_count > LONGEST_LIST)
        return;
    for (uint32_t k = 0; k < node.input_count; k++) {
        inputs[k] = node.inputs[k];
        if (k < count && is_list(w, inputs[k]))
            inputs[k] = widen_list(w, inputs[k]);
    }
    tn_net_set_inputs(w->net, id, inputs, node.input_count);
}

static bool is_wide(const struct widening *w, uint32_t value)
{
    uint32_t g = group_of(w, value);

    return g != TN_NONE && !w->is_left[g];
}

static void widen(struct widening *w, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(w->net, id);
    uint32_t made = node.output_count ? node.outputs[0] : TN_NONE;

    if (node.is_removed || made == TN_NONE || !node.input_count)
        return;
    bool compares = is_comparison(&node) &&
                    (is_wide(w, node.inputs[0]) || is_wide(w, node.inputs[1]));
    if (compares || (is_wide(w, made) && count_data(&node)))
        widen_lists(w, id, compares ? node.input_count : count_data(&node));
    if (is_wide(w, made)) {
        tn_net_set_dtype(w->net, made, TN_INT64);
        w->count++;
    }
}

/* Removes a Cast from int64 to int64, which began or ended a group. */
static void leave_out_cast(struct widening *w, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(w->net, id);

    if (node.is_removed || !tn_node_is(&node, "Cast") ||
        node.input_count != 1 || node.output_count != 1 ||
        node.outputs[0] == TN_NONE || w->is_output[node.outputs[0]] ||
        dtype_of(w->net, node.inputs[0]) != TN_INT64 ||
        dtype_of(w->net, node.outputs[0]) != TN_INT64)
        return;
    tn_net_replace(w->net, node.outputs[0], node.inputs[0]);
    tn_net_remove(w->net, id);
}

static bool has_begin(const struct widening *w)
{
    for (uint32_t i = 0; i < w->net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(w->net, i);
        if (!node.is_removed && is_begin(w, &node))
            return true;
    }
    return false;
}

static void run(struct widening *w)
{
    for (uint32_t g = 0; g < w->net->graphs.count; g++) {
        const struct tn_list *nodes = &tn_net_graph(w->net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count && tn_net_goes_on(w->net); i++)
            look_at(w, *tn_list_at(nodes, uint32_t, i));
    }
    uint32_t last = (uint32_t)w->net->nodes.count;
    for (uint32_t i = 0; i < last && !tn_failed(w->net->error); i++)
        widen(w, i);
    for (uint32_t i = 0; w->count && i < last && !tn_failed(w->net->error); i++)
        leave_out_cast(w, i);
}

uint64_t tn_widen_sizes(struct tn_net *net, struct tn_infer *facts)
{
    struct widening w = { .net    = net,
                          .facts  = facts,
                          .values = net->values.count };
    struct tn_arena arena;

    if (!has_begin(&w))
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    w.is_output = tn_net_find_outputs(net, &arena);
    w.parents   = tn_new(&arena, uint32_t, net->values.count, net->error);
    w.is_left   = tn_new(&arena, bool, net->values.count, net->error);
    if (w.is_output && w.parents && w.is_left)
        run(&w);
    tn_arena_done(&arena);
    return w.count;
}
