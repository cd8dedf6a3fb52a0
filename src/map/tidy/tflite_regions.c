/*
 * tflite_regions.c - operators of StableHLO that compute with a subgraph
 *
 *   STABLEHLO_REDUCE, STABLEHLO_REDUCE_WINDOW   how two elements become one
 *   STABLEHLO_SCATTER      how an element and its update become one
 *   STABLEHLO_SORT         whether one element comes before another
 *
 * Most of these subgraphs are one operator on their two arguments.  The
 * operator is then tenon::Reduce, tenon::ReduceWindow, tenon::Scatter or
 * tenon::Sort, and its attribute `by` has the name of what is done: "add",
 * "ascending", ...  Those of a Sort compare the elements of one of its inputs:
 * `key` is its number.
 */
#include "map/net/net_build.h"
#include "map/tidy/tflite_tidy.h"

/* The operators that a reduction's subgraph may have. */
static const struct {
    const char *type, *by;
} reducers[] = {
    { "STABLEHLO_ADD", "add" },
    { "ADD", "add" },
    { "STABLEHLO_MULTIPLY", "multiply" },
    { "MUL", "multiply" },
    { "STABLEHLO_MAXIMUM", "maximum" },
    { "MAXIMUM", "maximum" },
    { "STABLEHLO_MINIMUM", "minimum" },
    { "MINIMUM", "minimum" },
    { "STABLEHLO_AND", "and" },
    { "LOGICAL_AND", "and" },
    { "STABLEHLO_OR", "or" },
    { "LOGICAL_OR", "or" },
};

/* A subgraph of one operator, or of none. */
struct region {
    uint64_t           count;  /* of its arguments                            */
    bool               is_one; /* it has an operator                          */
    struct tn_net_node node;
    uint32_t           arguments[2]; /* numbers of those that it takes        */
};

static uint32_t argument_of(const struct tn_net_graph *g, uint32_t value)
{
    for (uint32_t i = 0; i < g->inputs.count; i++)
        if (*tn_list_at(&g->inputs, uint32_t, i) == value)
            return i;
    return TN_NONE;
}

/* Whether an operator is all that the subgraph computes, from two of its
 * arguments. */
static bool is_whole(const struct tn_net_graph *g, struct region *r,
                     uint32_t result)
{
    if (r->node.input_count != 2 || r->node.output_count != 1 ||
        r->node.outputs[0] != result)
        return false;
    for (int i = 0; i < 2; i++) {
        r->arguments[i] = argument_of(g, r->node.inputs[i]);
        if (r->arguments[i] == TN_NONE)
            return false;
    }
    return r->arguments[0] != r->arguments[1];
}

static bool read_region(const struct tn_net *net, uint32_t function,
                        struct region *r)
{
    const struct tn_net_graph *g = tn_net_graph(net, function);

    *r = (struct region){ .count = g->inputs.count };
    if (g->outputs.count != 1)
        return false;
    uint32_t result = *tn_list_at(&g->outputs, uint32_t, 0);
    for (uint64_t i = 0; i < g->nodes.count; i++) {
        struct tn_net_node node =
            tn_net_node(net, *tn_list_at(&g->nodes, uint32_t, i));
        if (node.is_removed)
            continue;
        if (r->is_one || node.op->domain.size)
            return false;
        r->node   = node;
        r->is_one = true;
    }
    if (r->is_one)
        return is_whole(g, r, result);
    r->arguments[0] = argument_of(g, result);
    return r->arguments[0] != TN_NONE;
}

/* The text of an attribute; empty where it has none. */
static struct tn_bytes text_of(const struct tn_net_node *node, const char *name)
{
    const struct tn_attr_value *value = tn_net_attr(node, name);

    return value && value->kind == TN_ATTR_STRING && value->count == 1
               ? value->of.strings[0]
               : tn_bytes(NULL, 0);
}

static const char *reducer_of(const struct region *r)
{
    if (r->count != 2)
        return NULL;
    if (!r->is_one)
        return r->arguments[0] == 1 ? "second" : NULL;
    struct tn_bytes also = text_of(&r->node, "fused_activation_function");
    if (also.size && !tn_bytes_is(also, "NONE"))
        return NULL;
    for (size_t i = 0; i < sizeof reducers / sizeof *reducers; i++)
        if (tn_bytes_is(r->node.op->type, reducers[i].type))
            return reducers[i].by;
    return NULL;
}

/* Arguments 2k and 2k + 1 are elements of input k. */
static const char *order_of(const struct region *r, uint32_t *key)
{
    if (!r->is_one || r->arguments[0] / 2 != r->arguments[1] / 2)
        return NULL;
    bool            is_turned = r->arguments[0] > r->arguments[1];
    struct tn_bytes how = tn_bytes_is(r->node.op->type, "STABLEHLO_COMPARE")
                              ? text_of(&r->node, "comparison_direction")
                              : r->node.op->type;

    *key = r->arguments[0] / 2;
    if (tn_bytes_is(how, "STABLEHLO_COMPARISON_DIRECTION_LT") ||
        tn_bytes_is(how, "LESS"))
        return is_turned ? "descending" : "ascending";
    if (tn_bytes_is(how, "STABLEHLO_COMPARISON_DIRECTION_GT") ||
        tn_bytes_is(how, "GREATER"))
        return is_turned ? "ascending" : "descending";
    return NULL;
}

static const struct {
    const char *type, *attr, *becomes;
    uint32_t    inputs; /* 0: any number                                      */
} operators[] = {
    { "STABLEHLO_REDUCE", "body_subgraph_index", "Reduce", 2 },
    { "STABLEHLO_REDUCE_WINDOW", "body_subgraph_index", "ReduceWindow", 2 },
    { "STABLEHLO_SCATTER", "update_computation_subgraph_index", "Scatter", 3 },
    { "STABLEHLO_SORT", "comparator_subgraph_index", "Sort", 0 },
};

const char *tn_tflite_region_attr(const struct tn_net_node *node)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (tn_bytes_is(node->op->type, operators[i].type) &&
            (!operators[i].inputs || node->input_count == operators[i].inputs))
            return operators[i].attr;
    return NULL;
}

void tn_tflite_name_region(struct tn_net *net, uint32_t id, uint32_t function)
{
    const struct tn_net_node node = tn_net_node(net, id);
    struct region            region;
    const char              *by  = NULL;
    uint32_t                 key = TN_NONE;
    size_t                   i   = 0;

    while (!tn_bytes_is(node.op->type, operators[i].type))
        i++;
    if (!read_region(net, function, &region))
        return;
    if (operators[i].inputs)
        by = reducer_of(&region);
    else if (region.count == 2 * (uint64_t)node.input_count)
        by = order_of(&region, &key);
    if (!by)
        return;
    tn_net_set_op(
        net, id,
        tn_net_op(net, tn_text(operators[i].becomes), tn_text("tenon")));
    tn_net_set_text(net, id, "by", tn_text(by));
    if (key != TN_NONE)
        tn_net_set_int(net, id, "key", TN_ATTR_INT, key);
}
