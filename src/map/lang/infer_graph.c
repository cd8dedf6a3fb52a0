/*
 * infer_graph.c - the types of whole graphs, with their subgraphs and loops
 *
 * Nodes are taken in their order; a subgraph when its node is reached, so that
 * the node can ask for the types of the subgraph's outputs.  The variables of a
 * Loop are taken to keep the dims that they enter with; when its body says
 * otherwise, what they do not keep is forgotten and the body is done again.
 */
#include "map/flow/flow.h"
#include "map/lang/infer_facts.h"
#include "map/net/net_build.h"

/* Graphs inside of each other. */
#define GRAPH_DEPTH_MAX 64

/* ---- subgraphs ---------------------------------------------------------- */

/* Which ops hand their inputs to their subgraphs, from which input on.  How
 * many dims a state has may change from turn to turn, its type may not. */
static const struct {
    const char *dialect, *op;
    uint32_t    first;
} callers[] = {
    { "onnx", "Loop", 0 },        { "tensorflow", "Loop", 0 },
    { "nd4j", "Loop", 0 },        { "paddle", "Loop", 0 },
    { "onnx", "Scan", 0 },        { "onnx", "SequenceMap", 0 },
    { "tensorflow", "While", 0 }, { "tensorflow", "StatelessWhile", 0 },
    { "tensorflow", "If", 1 },    { "tensorflow", "StatelessIf", 1 },
};

static void seed_input(struct tn_infer *infer, uint32_t from, uint32_t to,
                       bool is_element)
{
    struct tn_net_type type = *tn_net_value(infer->net, to).type;

    if (from == TN_NONE || type.dtype != TN_UNDEFINED)
        return;
    const struct tn_net_type *source = tn_net_value(infer->net, from).type;
    type.dtype                       = source->dtype;
    type.wrap = is_element ? TN_NET_TENSOR : source->wrap;
    tn_net_set_type(infer->net, to, &type);
}

static void seed_graph(struct tn_infer *infer, const struct tn_net_node *node,
                       uint32_t graph, uint32_t first)
{
    const struct tn_net_graph *g = tn_net_graph(infer->net, graph);
    bool is_element              = tn_bytes_is(node->op->type, "SequenceMap");

    for (uint64_t i = 0; i < g->inputs.count; i++)
        if (i + first < node->input_count)
            seed_input(infer, node->inputs[i + first],
                       *tn_list_at(&g->inputs, uint32_t, i), is_element);
}

static void seed_by_op(struct tn_infer *infer, const struct tn_net_node *node,
                       uint32_t graph)
{
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (!strcmp(infer->net->dialect, callers[i].dialect) &&
            tn_bytes_is(node->op->type, callers[i].op))
            seed_graph(infer, node, graph, callers[i].first);
}

static void infer_graph(struct tn_infer *infer, uint32_t graph, unsigned depth);

/* ---- loops -------------------------------------------------------------- */

static void forget_rank(struct tn_net *net, uint32_t value)
{
    struct tn_net_type type = *tn_net_value(net, value).type;

    type.has_rank = false;
    tn_net_set_type(net, value, &type);
}

/* What two values that may stand for one have in common; false: nothing was
 * lost of what is known of `value`. */
static bool widen(struct tn_infer *infer, uint32_t value,
                  const struct tn_net_type *other)
{
    struct tn_net_type type     = *tn_net_value(infer->net, value).type;
    bool               is_wider = false;

    if (!type.has_rank)
        return false;
    if (!other->has_rank || other->rank != type.rank) {
        forget_rank(infer->net, value);
        return true;
    }
    int64_t *dims =
        tn_new(&infer->scratch, int64_t, type.rank, infer->net->error);
    for (uint32_t i = 0; dims && i < type.rank; i++) {
        dims[i] = type.dims[i];
        if (dims[i] < 0 || dims[i] == other->dims[i])
            continue;
        dims[i]  = -1;
        is_wider = true;
    }
    type.dims = dims;
    if (dims)
        tn_net_set_type(infer->net, value, &type);
    return is_wider;
}

/* What was found out under an assumption that did not hold. */
static void forget_graph(struct tn_infer *infer, uint32_t graph, unsigned depth)
{
    const struct tn_list *nodes = &tn_net_graph(infer->net, graph)->nodes;
    uint8_t              *seen  = tn_list_at(&infer->seen, uint8_t, graph);

    if (!*seen)
        return; /* that includes a graph inside itself */
    *seen = false;
    for (uint64_t i = 0; i < nodes->count && depth <= GRAPH_DEPTH_MAX; i++) {
        const struct tn_net_node node =
            tn_net_node(infer->net, *tn_list_at(nodes, uint32_t, i));
        for (uint32_t k = 0; k < node.output_count; k++)
            if (node.outputs[k] != TN_NONE)
                forget_rank(infer->net, node.outputs[k]);
        for (uint32_t k = 0; k < node.attr_count; k++)
            if (node.attrs[k].value.kind == TN_ATTR_GRAPH &&
                (uint64_t)node.attrs[k].value.of.ints[0] <
                    infer->net->graphs.count)
                forget_graph(infer, (uint32_t)node.attrs[k].value.of.ints[0],
                             depth + 1);
    }
}

/* The variables of a Loop are taken to keep the dims that they enter with,
 * until the body says otherwise. */
static bool widen_variables(struct tn_infer *infer, uint32_t body, bool is_last)
{
    const struct tn_net_graph *g        = tn_net_graph(infer->net, body);
    bool                       is_wider = false;

    for (uint64_t i = 2; i < g->inputs.count && i - 1 < g->outputs.count; i++) {
        uint32_t next = *tn_list_at(&g->outputs, uint32_t, i - 1);
        is_wider |= widen(infer, *tn_list_at(&g->inputs, uint32_t, i),
                          is_last ? &tn_net_unknown
                                  : tn_net_value(infer->net, next).type);
    }
    return is_wider;
}

static void take_rank(struct tn_net_type *type, const struct tn_net_type *from)
{
    type->has_rank = from->has_rank;
    type->rank     = from->rank;
    type->dims     = from->dims;
}

static void seed_variables(struct tn_infer *infer, uint32_t id, uint32_t body)
{
    const struct tn_net_node   node = tn_net_node(infer->net, id);
    const struct tn_net_graph *g    = tn_net_graph(infer->net, body);

    for (uint64_t i = 2; i < g->inputs.count && i < node.input_count; i++) {
        uint32_t           input = *tn_list_at(&g->inputs, uint32_t, i);
        struct tn_net_type type  = *tn_net_value(infer->net, input).type;
        if (node.inputs[i] == TN_NONE || type.has_rank ||
            type.wrap != TN_NET_TENSOR)
            continue;
        take_rank(&type, tn_net_value(infer->net, node.inputs[i]).type);
        tn_net_set_type(infer->net, input, &type);
    }
}

#define LOOP_PASSES 4

/* Loops in loops multiply their passes: all of them together may look at every
 * node so many times, then what is in them stays unknown. */
#define LOOP_TURNS 16

static bool may_turn(struct tn_infer *infer, uint32_t body)
{
    uint64_t count = tn_net_graph(infer->net, body)->nodes.count + 1;

    if (infer->turns_left < count) {
        *tn_list_at(&infer->seen, uint8_t, body) = true;
        return false;
    }
    infer->turns_left -= count;
    return true;
}

static void infer_loop(struct tn_infer *infer, uint32_t node, uint32_t body,
                       unsigned depth)
{
    if (!may_turn(infer, body))
        return;
    seed_variables(infer, node, body);
    infer_graph(infer, body, depth);
    for (int pass = 1; pass <= LOOP_PASSES && !tn_failed(infer->net->error);
         pass++) {
        if (!widen_variables(infer, body, pass == LOOP_PASSES))
            return;
        forget_graph(infer, body, depth);
        if (!may_turn(infer, body))
            return;
        infer_graph(infer, body, depth);
    }
}

/* What a Loop collects has its turns in front. */
static struct tn_net_type stacked(struct tn_infer          *infer,
                                  const struct tn_net_type *type, int64_t turns)
{
    struct tn_net_type all = *type;

    if (!type->has_rank)
        return all;
    int64_t *dims = tn_new(&infer->scratch, int64_t, (uint64_t)type->rank + 1,
                           infer->net->error);
    all.has_rank  = dims != NULL;
    all.dims      = dims;
    all.rank      = type->rank + 1;
    if (dims)
        dims[0] = turns;
    for (uint32_t i = 0; dims && i < type->rank; i++)
        dims[i + 1] = type->dims[i];
    return all;
}

/* The first graph that gives a value says what it is, others only what it need
 * not be. */
static void type_output(struct tn_infer *infer, uint32_t value,
                        const struct tn_net_type *from, bool is_first)
{
    struct tn_net_type type = *tn_net_value(infer->net, value).type;

    if (type.dtype == TN_UNDEFINED) {
        type.dtype = from->dtype;
        type.wrap  = from->wrap;
    }
    if (is_first && !type.has_rank)
        take_rank(&type, from);
    tn_net_set_type(infer->net, value, &type);
    if (!is_first)
        widen(infer, value, from);
}

/* What the model says of the result of a Loop, it says of what is collected. */
static void refine_collected(struct tn_infer *infer, uint32_t value,
                             const struct tn_net_type *all)
{
    struct tn_net_type type = *tn_net_value(infer->net, value).type;

    if (!all->has_rank || !all->rank ||
        (type.has_rank && type.rank + 1 != all->rank))
        return;
    int64_t *dims =
        tn_new(&infer->scratch, int64_t, all->rank, infer->net->error);
    for (uint32_t i = 0; dims && i + 1 < all->rank; i++)
        dims[i] = type.has_rank && type.dims[i] >= 0 ? type.dims[i]
                                                     : all->dims[i + 1];
    if (!dims)
        return;
    type.has_rank = true;
    type.rank     = all->rank - 1;
    type.dims     = dims;
    tn_net_set_type(infer->net, value, &type);
}

/* Of a Loop: its graph gives the condition first, its variables are what they
 * were before when it never turns, and what is no variable is collected. */
static void type_loop_outputs(struct tn_infer           *infer,
                              const struct tn_net_node  *loop,
                              const struct tn_net_graph *body, bool is_first)
{
    const struct tn_list *given = &body->outputs;
    int64_t               turns = tn_infer_turns(infer, loop, body);

    for (uint32_t i = 0; i < loop->output_count && i + 1 < given->count; i++) {
        uint32_t           from        = *tn_list_at(given, uint32_t, i + 1);
        struct tn_net_type type        = *tn_net_value(infer->net, from).type;
        bool               is_variable = i + 2 < loop->input_count;
        uint32_t           out         = loop->outputs[i];
        if (out == TN_NONE)
            continue;
        if (!is_variable) {
            refine_collected(infer, from, tn_net_value(infer->net, out).type);
            type = stacked(infer, tn_net_value(infer->net, from).type, turns);
        }
        type_output(infer, out, &type, is_first);
        if (is_variable && loop->inputs[i + 2] != TN_NONE)
            type_output(infer, out,
                        tn_net_value(infer->net, loop->inputs[i + 2]).type,
                        false);
    }
}

static void type_if_outputs(struct tn_infer          *infer,
                            const struct tn_net_node *node,
                            const struct tn_list *given, bool is_first)
{
    for (uint32_t i = 0; i < node->output_count && i < given->count; i++) {
        uint32_t from = *tn_list_at(given, uint32_t, i);
        if (node->outputs[i] != TN_NONE)
            type_output(infer, node->outputs[i],
                        tn_net_value(infer->net, from).type, is_first);
    }
}

/* The outputs of If and Loop, in dialects whose files of shapes do not know
 * them: what their graphs give. */
static void type_structure(struct tn_infer *infer, uint32_t node)
{
    const struct tn_net_node n        = tn_net_node(infer->net, node);
    bool                     is_first = true;

    if (!tn_flow_is_structure(&n) || infer->net->facts->types_structures)
        return;
    for (uint32_t a = 0; a < n.attr_count; a++) {
        const struct tn_attr_value *value = &n.attrs[a].value;
        if (value->kind != TN_ATTR_GRAPH ||
            (uint64_t)value->of.ints[0] >= infer->net->graphs.count)
            continue;
        const struct tn_net_graph *given =
            tn_net_graph(infer->net, (uint32_t)value->of.ints[0]);
        if (tn_bytes_is(n.op->type, "Loop"))
            type_loop_outputs(infer, &n, given, is_first);
        else
            type_if_outputs(infer, &n, &given->outputs, is_first);
        is_first = false;
    }
}

static void infer_attrs(struct tn_infer *infer, uint32_t node, unsigned depth)
{
    const struct tn_net_node n = tn_net_node(infer->net, node);

    for (uint32_t i = 0; i < n.attr_count; i++) {
        const struct tn_attr_value *value = &n.attrs[i].value;
        for (uint32_t k = 0; value->kind == TN_ATTR_GRAPH && k < value->count;
             k++) {
            uint64_t graph = (uint64_t)value->of.ints[k];
            if (graph >= infer->net->graphs.count)
                continue;
            seed_by_op(infer, &n, (uint32_t)graph);
            if (tn_flow_is_structure(&n) && tn_bytes_is(n.op->type, "Loop"))
                infer_loop(infer, node, (uint32_t)graph, depth + 1);
            else
                infer_graph(infer, (uint32_t)graph, depth + 1);
        }
    }
}

/* Every graph once; a graph inside itself ends there. */
static void infer_graph(struct tn_infer *infer, uint32_t graph, unsigned depth)
{
    uint8_t *seen = tn_list_at(&infer->seen, uint8_t, graph);

    if (*seen || depth > GRAPH_DEPTH_MAX)
        return;
    *seen                       = true;
    const struct tn_list *nodes = &tn_net_graph(infer->net, graph)->nodes;
    for (uint64_t i = 0; i < nodes->count && !tn_failed(infer->net->error);
         i++) {
        uint32_t node = *tn_list_at(nodes, uint32_t, i);
        if (tn_net_node(infer->net, node).is_removed)
            continue;
        infer_attrs(infer, node, depth);
        type_structure(infer, node);
        tn_infer_node(infer, node);
    }
}

enum tn_status tn_infer_run(struct tn_infer *infer)
{
    struct tn_net *net   = infer->net;
    uint64_t       count = net->graphs.count;

    infer->seen.count = 0;
    infer->turns_left = LOOP_TURNS * (net->nodes.count + 64);
    if (count && !tn_list_grow(&infer->seen, count, net->error))
        return net->error->status;
    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++)
        infer_graph(infer, i, 0);
    return net->error->status;
}

enum tn_status tn_infer(struct tn_net *net, const struct tn_lang_file *shapes)
{
    struct tn_infer *infer;

    TN_TRY(tn_infer_open(&infer, net, shapes));
    enum tn_status status = tn_infer_run(infer);
    tn_infer_close(infer);
    return status;
}
