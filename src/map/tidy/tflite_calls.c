/*
 * tflite_calls.c - subgraphs that operators call
 *
 *   CALL, STABLEHLO_COMPOSITE   a copy of the subgraph replaces the operator
 *   IF(c, args)                 If(c) with two graphs: copies that use the
 *                               arguments from outside
 *   STABLEHLO_CASE(i, args)     Ifs, each in the one before
 *   WHILE(args)                 Loop( , cond(args), args): the graph is a copy
 *                               of the body and one of the condition behind it
 *   STABLEHLO_REDUCE, ...       what the subgraph does, as a word
 *                               (tflite_regions.c)
 *
 * A subgraph uses only its arguments.  A value that a WHILE passes on unchanged
 * does not become a variable of the Loop.
 */
#include <inttypes.h>

#include "map/net/net_build.h"
#include "map/tidy/calls.h"
#include "map/tidy/tflite_tidy.h"

struct calling {
    struct tn_tflite_work *work;
    struct tn_net         *net;
    struct tn_calls        calls;
    struct tn_intern       names;     /* of functions                         */
    struct tn_list         functions; /* uint32_t by name: graph              */
    struct tn_list         depths;    /* uint32_t by node: in so many calls   */
    struct tn_list         copies; /* uint32_t by value of a function: its copy
                                      + 1                                     */
    struct tn_list touched;        /* uint32_t: values with a copy            */
};

static uint32_t *slot(struct calling *c, struct tn_list *list, uint32_t index)
{
    while (list->count <= index)
        if (!tn_list_push(list, uint32_t, c->net->error))
            return NULL;
    return tn_list_at(list, uint32_t, index);
}

/* ---- functions ----------------------------------------------------------- */

static void find_functions(struct calling *c)
{
    for (uint32_t i = 0; i < c->net->graphs.count; i++) {
        const struct tn_net_graph *g = tn_net_graph(c->net, i);
        if (g->kind != TN_GRAPH_FUNCTION)
            continue;
        uint32_t id = tn_intern_borrow(&c->names, g->name, c->net->error);
        if (id == TN_NO_NAME)
            return;
        uint32_t *to = slot(c, &c->functions, id);
        if (to)
            *to = i;
    }
}

/* One of the functions that an attribute names. */
static enum tn_status function_at(struct calling *c, uint32_t node,
                                  const char *attr, uint64_t index,
                                  uint32_t *function)
{
    const struct tn_net_node    n  = tn_net_node(c->net, node);
    const struct tn_attr_value *f  = tn_net_attr(&n, attr);
    uint32_t                    id = TN_NO_NAME;

    if (f && f->kind == TN_ATTR_FUNCTION && index < f->count)
        id = tn_intern_find(&c->names, f->of.strings[index]);
    if (id == TN_NO_NAME || id >= c->functions.count)
        return tn_error_set(c->net->error, TN_INVALID, TN_NOWHERE,
                            "%.*s: %s names no subgraph", TN_FMT(n.op->type),
                            attr);
    *function = *tn_list_at(&c->functions, uint32_t, id);
    return TN_OK;
}

static enum tn_status function_of(struct calling *c, uint32_t node,
                                  const char *attr, uint32_t *function)
{
    const struct tn_net_node    n = tn_net_node(c->net, node);
    const struct tn_attr_value *f = tn_net_attr(&n, attr);

    return function_at(c, node, attr, f && f->count > 1 ? UINT64_MAX : 0,
                       function);
}

/* ---- copies --------------------------------------------------------------- */

/* The target of a copy, and its arguments. */
struct body {
    uint32_t        function, graph, depth;
    const uint32_t *args;
    uint32_t        arg_count;
};

static void bind(struct calling *c, uint32_t value, uint32_t copy)
{
    uint32_t *known = slot(c, &c->copies, value);
    uint32_t *mark  = tn_list_push(&c->touched, uint32_t, c->net->error);

    if (known && mark && copy != TN_NONE) {
        *known = copy + 1;
        *mark  = value;
    }
}

static uint32_t copy_of(struct calling *c, const struct body *b, uint32_t value)
{
    if (value == TN_NONE)
        return TN_NONE;
    uint32_t *known = slot(c, &c->copies, value);
    if (!known || *known)
        return known ? *known - 1 : TN_NONE;
    const struct tn_net_value from = tn_net_value(c->net, value);
    uint32_t copy = tn_net_add_value(c->net, b->graph, from.name);
    if (copy == TN_NONE)
        return TN_NONE;
    tn_net_copy_type(c->net, copy, value);
    if (from.constant)
        tn_net_copy_constant(c->net, copy, value);
    bind(c, value, copy);
    return copy;
}

static const uint32_t *copy_list(struct calling *c, const struct body *b,
                                 const uint32_t *values, uint32_t count)
{
    uint32_t *list = tn_new(c->net->arena, uint32_t, count, c->net->error);

    for (uint32_t i = 0; list && i < count; i++)
        list[i] = copy_of(c, b, values[i]);
    return list;
}

static enum tn_status copy_node(struct calling *c, const struct body *b,
                                uint32_t id)
{
    struct tn_net_node node = tn_net_node(c->net, id);

    TN_TRY(tn_calls_count(&c->calls, c->net, &node));
    node.inputs        = copy_list(c, b, node.inputs, node.input_count);
    node.outputs       = copy_list(c, b, node.outputs, node.output_count);
    node.graph         = b->graph;
    node.control_count = 0;
    if (tn_failed(c->net->error))
        return c->net->error->status;
    uint32_t  copy  = tn_net_add_node(c->net, &node);
    uint32_t *depth = copy == TN_NONE ? NULL : slot(c, &c->depths, copy);
    if (depth)
        *depth = b->depth;
    return c->net->error->status;
}

/* `rets` gets what the body returns; it has room. */
static enum tn_status copy_body(struct calling *c, const struct body *b,
                                uint32_t *rets)
{
    const struct tn_net_graph *from = tn_net_graph(c->net, b->function);
    uint64_t                   nodes = from->nodes.count;

    TN_TRY(tn_calls_enter(c->net, b->depth, from->name));
    TN_TRY(tn_calls_charge(&c->calls, c->net,
                           from->inputs.count + from->outputs.count));
    if (from->inputs.count != b->arg_count)
        return tn_error_set(c->net->error, TN_INVALID, TN_NOWHERE,
                            "subgraph %.*s takes %" PRIu64
                            " values, and is given %" PRIu32,
                            TN_FMT(from->name), from->inputs.count,
                            b->arg_count);
    for (uint32_t i = 0; i < b->arg_count; i++)
        bind(c, *tn_list_at(&from->inputs, uint32_t, i), b->args[i]);
    for (uint64_t i = 0; i < nodes && !tn_failed(c->net->error); i++) {
        uint32_t id = *tn_list_at(&tn_net_graph(c->net, b->function)->nodes,
                                  uint32_t, i);
        if (!tn_net_node(c->net, id).is_removed)
            copy_node(c, b, id);
    }
    from = tn_net_graph(c->net, b->function);
    for (uint32_t i = 0; i < from->outputs.count && !tn_failed(c->net->error);
         i++) {
        rets[i] = copy_of(c, b, *tn_list_at(&from->outputs, uint32_t, i));
        from    = tn_net_graph(c->net, b->function);
    }
    for (uint64_t i = 0; i < c->touched.count; i++)
        *tn_list_at(&c->copies, uint32_t,
                    *tn_list_at(&c->touched, uint32_t, i)) = 0;
    c->touched.count = 0;
    c->work->did->calls++;
    return c->net->error->status;
}

static uint64_t output_count(const struct calling *c, uint32_t function)
{
    return tn_net_graph(c->net, function)->outputs.count;
}

static uint32_t depth_below(struct calling *c, uint32_t node)
{
    const uint32_t *depth = slot(c, &c->depths, node);

    return depth ? *depth + 1 : 1;
}

/* ---- calls ---------------------------------------------------------------- */

static enum tn_status inline_call(struct calling *c, uint32_t id,
                                  const char *attr)
{
    struct tn_net           *net  = c->net;
    const struct tn_net_node node = tn_net_node(net, id);
    struct body b = { .graph     = node.graph,
                      .depth     = depth_below(c, id),
                      .args      = node.inputs,
                      .arg_count = node.input_count };

    TN_TRY(function_of(c, id, attr, &b.function));
    uint64_t  count = output_count(c, b.function);
    uint32_t *rets  = tn_new(net->arena, uint32_t, count, net->error);
    if (!rets)
        return net->error->status;
    if (node.output_count > count)
        return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                            "%.*s: subgraph %.*s gives %" PRIu64 " values",
                            TN_FMT(node.op->type),
                            TN_FMT(tn_net_graph(net, b.function)->name), count);
    TN_TRY(copy_body(c, &b, rets));
    for (uint32_t i = 0; i < node.output_count; i++) {
        if (node.outputs[i] == TN_NONE || rets[i] == TN_NONE)
            continue;
        tn_net_swap_names(net, node.outputs[i], rets[i]);
        tn_net_replace(net, node.outputs[i], rets[i]);
    }
    tn_net_remove(net, id);
    return net->error->status;
}

/* ---- IF ------------------------------------------------------------------- */

/* Outputs that nothing uses are still outputs. */
static const uint32_t *all_outputs(struct tn_net            *net,
                                   const struct tn_net_node *node,
                                   uint64_t                  count)
{
    uint32_t *outputs = tn_new(net->arena, uint32_t, count, net->error);

    for (uint32_t i = 0; outputs && i < count; i++)
        outputs[i] = i < node->output_count && node->outputs[i] != TN_NONE
                         ? node->outputs[i]
                         : tn_net_add_value(net, node->graph, node->op->type);
    return outputs;
}

static uint32_t add_graph(struct calling *c, const struct tn_net_node *node,
                          uint32_t function)
{
    return tn_net_add_graph(c->net, TN_GRAPH_SUBGRAPH,
                            tn_net_graph(c->net, function)->name, node->graph);
}

static enum tn_status become_if(struct calling *c, uint32_t id)
{
    static const char *const attrs[] = { "then_subgraph_index",
                                         "else_subgraph_index" };
    static const char *const names[] = { "then_branch", "else_branch" };
    struct tn_net           *net     = c->net;
    const struct tn_net_node node    = tn_net_node(net, id);
    uint32_t                 graphs[2];
    uint64_t                 count = 0;

    if (!node.input_count || node.inputs[0] == TN_NONE)
        return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                            "an IF without a condition");
    for (int i = 0; i < 2; i++) {
        struct body b = { .depth     = depth_below(c, id),
                          .args      = node.inputs + 1,
                          .arg_count = node.input_count - 1 };
        TN_TRY(function_of(c, id, attrs[i], &b.function));
        if (i && output_count(c, b.function) != count)
            return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                                "the branches of an IF give different numbers "
                                "of values");
        count          = output_count(c, b.function);
        b.graph        = add_graph(c, &node, b.function);
        uint32_t *rets = tn_new(net->arena, uint32_t, count, net->error);
        if (!rets || b.graph == TN_NONE)
            return net->error->status;
        TN_TRY(copy_body(c, &b, rets));
        for (uint64_t k = 0; k < count; k++)
            tn_net_add_output(net, b.graph, rets[k], tn_bytes(NULL, 0));
        graphs[i] = b.graph;
    }
    const uint32_t *outputs = all_outputs(net, &node, count);
    if (!outputs)
        return net->error->status;
    uint32_t condition = node.inputs[0];
    tn_net_set_op(net, id, tn_net_own_op(net, "If"));
    tn_net_set_attrs(net, id, tn_net_graph_attrs(net, names, graphs, 2), 2);
    tn_net_set_outputs(net, id, outputs, (uint32_t)count);
    tn_net_set_inputs(net, id, &condition, 1);
    return net->error->status;
}

/* ---- CASE ------------------------------------------------------------------ */

/* More would be too deep for programs that run them. */
enum { BRANCH_MAX = 64 };

struct choice {
    struct tn_net_node node;
    uint32_t           id, branches;
    uint64_t           outputs;
};

/* A branch of the CASE as a graph in another. */
static enum tn_status add_branch(struct calling *c, const struct choice *choice,
                                 uint32_t branch, uint32_t parent,
                                 uint32_t *graph)
{
    struct tn_net *net = c->net;
    struct body    b   = { .depth     = depth_below(c, choice->id),
                           .args      = choice->node.inputs + 1,
                           .arg_count = choice->node.input_count - 1 };

    TN_TRY(function_at(c, choice->id, "branch_subgraph_indices", branch,
                       &b.function));
    if (output_count(c, b.function) != choice->outputs)
        return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                            "the branches of a CASE give different numbers of "
                            "values");
    b.graph = tn_net_add_graph(net, TN_GRAPH_SUBGRAPH,
                               tn_net_graph(net, b.function)->name, parent);
    uint32_t *rets = tn_new(net->arena, uint32_t, choice->outputs, net->error);
    if (!rets || b.graph == TN_NONE)
        return net->error->status;
    TN_TRY(copy_body(c, &b, rets));
    for (uint64_t k = 0; k < choice->outputs; k++)
        tn_net_add_output(net, b.graph, rets[k], tn_bytes(NULL, 0));
    *graph = b.graph;
    return net->error->status;
}

/* Whether it is this branch. */
static uint32_t add_question(struct calling *c, const struct choice *choice,
                             uint32_t branch, uint32_t graph)
{
    int64_t  number    = branch;
    uint32_t values[2] = { choice->node.inputs[0],
                           tn_net_add_ints(c->net, graph, tn_text("branch"),
                                           TN_INT32, &number, 0, NULL) };
    uint32_t result =
        values[1] == TN_NONE
            ? TN_NONE
            : tn_net_add_call(c->net, graph, "EQUAL", values, 2,
                              tn_text("is_branch"));

    if (result != TN_NONE)
        tn_net_set_dtype(c->net, result, TN_BOOL);
    return result;
}

/* An If without outputs in that graph; TN_NONE after a failure. */
static uint32_t add_if(struct tn_net *net, uint32_t graph)
{
    return tn_net_add_node(
        net, &(struct tn_net_node){ .op     = tn_net_own_op(net, "If"),
                                    .graph  = graph,
                                    .source = TN_NONE });
}

/* If(it is this branch) { this branch } else { the same for the next one };
 * every other number is the last branch. */
static enum tn_status choose(struct calling *c, const struct choice *choice,
                             uint32_t id, uint32_t branch, uint32_t graph,
                             const uint32_t *outputs)
{
    static const char *const names[] = { "then_branch", "else_branch" };
    struct tn_net           *net     = c->net;
    uint32_t                 graphs[2];
    uint32_t condition = add_question(c, choice, branch, graph);

    if (condition == TN_NONE)
        return net->error->status;
    TN_TRY(add_branch(c, choice, branch, graph, &graphs[0]));
    if (branch + 2 == choice->branches) {
        TN_TRY(add_branch(c, choice, branch + 1, graph, &graphs[1]));
    } else {
        graphs[1] = tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("branches"),
                                     graph);
        const struct tn_net_node none = { .graph = graphs[1],
                                          .op    = choice->node.op };
        uint32_t next = graphs[1] == TN_NONE ? TN_NONE : add_if(net, graphs[1]);
        const uint32_t *inner =
            next == TN_NONE ? NULL : all_outputs(net, &none, choice->outputs);
        if (!inner)
            return net->error->status;
        TN_TRY(choose(c, choice, next, branch + 1, graphs[1], inner));
        for (uint64_t k = 0; k < choice->outputs; k++)
            tn_net_add_output(net, graphs[1], inner[k], tn_bytes(NULL, 0));
    }
    tn_net_set_op(net, id, tn_net_own_op(net, "If"));
    tn_net_set_attrs(net, id, tn_net_graph_attrs(net, names, graphs, 2), 2);
    tn_net_set_outputs(net, id, outputs, (uint32_t)choice->outputs);
    tn_net_set_inputs(net, id, &condition, 1);
    return net->error->status;
}

static enum tn_status become_choice(struct calling *c, uint32_t id)
{
    static const char           attr[] = "branch_subgraph_indices";
    struct tn_net              *net    = c->net;
    struct choice               choice = { .node = tn_net_node(net, id),
                                           .id   = id };
    const struct tn_attr_value *list   = tn_net_attr(&choice.node, attr);
    uint32_t                    first;

    if (!choice.node.input_count || choice.node.inputs[0] == TN_NONE)
        return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                            "a CASE without the number of a branch");
    TN_TRY(function_at(c, id, attr, 0, &first));
    if (list->count > BRANCH_MAX)
        return tn_error_set(net->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "a CASE of %" PRIu32 " branches, %d are allowed",
                            list->count, BRANCH_MAX);
    choice.branches = (uint32_t)list->count;
    choice.outputs  = output_count(c, first);
    if (choice.branches == 1) {
        tn_net_set_inputs(net, id, choice.node.inputs + 1,
                          choice.node.input_count - 1);
        return inline_call(c, id, attr);
    }
    const uint32_t *outputs = all_outputs(net, &choice.node, choice.outputs);
    return outputs ? choose(c, &choice, id, 0, choice.node.graph, outputs)
                   : net->error->status;
}

/* ---- WHILE ---------------------------------------------------------------- */

struct loop {
    struct tn_net_node node;
    uint32_t           id, cond, body; /* functions                           */
    uint32_t           graph;          /* of the Loop                         */
    uint32_t           count;          /* of the WHILE's arguments            */
    uint32_t          *inner, *next;   /* arguments of the body, what it gives */
    bool              *is_fixed;       /* by argument: handed round unchanged */
};

static bool is_handed_round(const struct tn_net *net, uint32_t body, uint32_t i)
{
    const struct tn_net_graph *g = tn_net_graph(net, body);

    return i < g->inputs.count && i < g->outputs.count &&
           *tn_list_at(&g->inputs, uint32_t, i) ==
               *tn_list_at(&g->outputs, uint32_t, i);
}

static uint32_t loop_input(struct calling *c, struct loop *loop,
                           const char *word, enum tn_dtype dtype)
{
    uint32_t value = tn_net_add_value(c->net, loop->graph, tn_text(word));

    if (value == TN_NONE)
        return TN_NONE;
    if (dtype != TN_UNDEFINED)
        tn_net_set_scalar(c->net, value, dtype);
    tn_net_add_input(c->net, loop->graph, value, tn_bytes(NULL, 0));
    return value;
}

static enum tn_status open_loop(struct calling *c, struct loop *loop)
{
    struct tn_net *net = c->net;

    TN_TRY(function_of(c, loop->id, "cond_subgraph_index", &loop->cond));
    TN_TRY(function_of(c, loop->id, "body_subgraph_index", &loop->body));
    if (output_count(c, loop->cond) != 1 ||
        output_count(c, loop->body) != loop->count)
        return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                            "a WHILE whose subgraphs do not fit its %" PRIu32
                            " values",
                            loop->count);
    loop->inner    = tn_new(net->arena, uint32_t, loop->count, net->error);
    loop->next     = tn_new(net->arena, uint32_t, loop->count, net->error);
    loop->is_fixed = tn_new(net->arena, bool, loop->count, net->error);
    loop->graph    = add_graph(c, &loop->node, loop->body);
    if (tn_failed(net->error))
        return net->error->status;
    loop_input(c, loop, "iteration", TN_INT64);
    loop_input(c, loop, "keep_going", TN_BOOL);
    for (uint32_t i = 0; i < loop->count; i++) {
        loop->is_fixed[i] = is_handed_round(net, loop->body, i);
        loop->inner[i] =
            loop->is_fixed[i]
                ? loop->node.inputs[i]
                : loop_input(c, loop, "variable", TN_UNDEFINED);
        if (!loop->is_fixed[i] && loop->inner[i] != TN_NONE &&
            loop->node.inputs[i] != TN_NONE)
            tn_net_set_dtype(
                net, loop->inner[i],
                tn_net_value(net, loop->node.inputs[i]).type->dtype);
    }
    return net->error->status;
}

/* Files have conditions of one element, a Loop takes a number. */
static uint32_t as_number(struct calling *c, uint32_t graph, uint32_t value)
{
    uint32_t number =
        tn_net_add_value(c->net, graph, tn_net_value(c->net, value).name);
    struct tn_net_node node = { .op      = tn_net_own_op(c->net, "SQUEEZE"),
                                .graph   = graph,
                                .inputs  = &value,
                                .outputs = &number,
                                .input_count  = 1,
                                .output_count = 1,
                                .source       = TN_NONE };

    if (number == TN_NONE || tn_net_add_node(c->net, &node) == TN_NONE)
        return TN_NONE;
    tn_net_set_scalar(c->net, number, TN_BOOL);
    return number;
}

static enum tn_status add_condition(struct calling *c, const struct loop *loop,
                                    uint32_t graph, const uint32_t *args,
                                    uint32_t *result)
{
    struct body b = { .function  = loop->cond,
                      .graph     = graph,
                      .depth     = depth_below(c, loop->id),
                      .args      = args,
                      .arg_count = loop->count };

    TN_TRY(copy_body(c, &b, result));
    if (*result != TN_NONE)
        *result = as_number(c, graph, *result);
    return c->net->error->status;
}

static enum tn_status fill_loop(struct calling *c, struct loop *loop)
{
    struct tn_net *net = c->net;
    struct body    b   = { .function  = loop->body,
                           .graph     = loop->graph,
                           .depth     = depth_below(c, loop->id),
                           .args      = loop->inner,
                           .arg_count = loop->count };
    uint32_t       again = TN_NONE;

    TN_TRY(copy_body(c, &b, loop->next));
    TN_TRY(add_condition(c, loop, loop->graph, loop->next, &again));
    tn_net_add_output(net, loop->graph, again, tn_bytes(NULL, 0));
    for (uint32_t i = 0; i < loop->count; i++)
        if (!loop->is_fixed[i])
            tn_net_add_output(net, loop->graph, loop->next[i],
                              tn_bytes(NULL, 0));
    return net->error->status;
}

static enum tn_status become_loop(struct calling *c, uint32_t id)
{
    static const char *const names[] = { "body" };
    struct tn_net           *net     = c->net;
    struct loop loop  = { .node = tn_net_node(net, id), .id = id };
    uint32_t    first = TN_NONE, count = 0;

    loop.count = loop.node.input_count;
    TN_TRY(open_loop(c, &loop));
    TN_TRY(add_condition(c, &loop, loop.node.graph, loop.node.inputs, &first));
    TN_TRY(fill_loop(c, &loop));
    const uint32_t *all = all_outputs(net, &loop.node, loop.count);
    uint32_t       *inputs =
        tn_new(net->arena, uint32_t, (uint64_t)loop.count + 2, net->error);
    uint32_t *outputs = tn_new(net->arena, uint32_t, loop.count, net->error);
    if (!all || !inputs || !outputs)
        return net->error->status;
    inputs[0] = TN_NONE;
    inputs[1] = first;
    for (uint32_t i = 0; i < loop.count; i++) {
        if (loop.is_fixed[i]) {
            if (loop.node.inputs[i] != TN_NONE)
                tn_net_replace(net, all[i], loop.node.inputs[i]);
            continue;
        }
        outputs[count]      = all[i];
        inputs[2 + count++] = loop.node.inputs[i];
    }
    tn_net_set_op(net, id, tn_net_own_op(net, "Loop"));
    tn_net_set_attrs(net, id, tn_net_graph_attrs(net, names, &loop.graph, 1),
                     1);
    tn_net_set_outputs(net, id, outputs, count);
    tn_net_set_inputs(net, id, inputs, count + 2);
    return net->error->status;
}

/* ---- words for subgraphs --------------------------------------------------- */

static enum tn_status name_region(struct calling *c, uint32_t id,
                                  const char *attr)
{
    uint32_t function;

    TN_TRY(function_of(c, id, attr, &function));
    tn_tflite_name_region(c->net, id, function);
    return c->net->error->status;
}

/* ---- all of them ---------------------------------------------------------- */

static enum tn_status resolve_node(struct calling *c, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(c->net, id);

    if (node.is_removed || node.op->domain.size ||
        tn_net_graph(c->net, node.graph)->kind == TN_GRAPH_FUNCTION)
        return TN_OK;
    if (tn_bytes_is(node.op->type, "CALL"))
        return inline_call(c, id, "subgraph");
    if (tn_bytes_is(node.op->type, "STABLEHLO_COMPOSITE"))
        return inline_call(c, id, "decomposition_subgraph_index");
    if (tn_bytes_is(node.op->type, "IF"))
        return become_if(c, id);
    if (tn_bytes_is(node.op->type, "STABLEHLO_CASE"))
        return become_choice(c, id);
    if (tn_bytes_is(node.op->type, "WHILE") ||
        tn_bytes_is(node.op->type, "STABLEHLO_WHILE"))
        return become_loop(c, id);
    const char *region = tn_tflite_region_attr(&node);
    return region ? name_region(c, id, region) : TN_OK;
}

enum tn_status tn_tflite_calls(struct tn_tflite_work *work)
{
    struct tn_net    *net    = work->net;
    struct tn_memory *memory = net->arena->memory;
    struct calling    c      = { .work  = work,
                                 .net   = net,
                                 .calls = tn_calls_of(net) };

    tn_intern_init(&c.names, &work->arena);
    tn_list_init(&c.functions, memory, sizeof(uint32_t));
    tn_list_init(&c.depths, memory, sizeof(uint32_t));
    tn_list_init(&c.copies, memory, sizeof(uint32_t));
    tn_list_init(&c.touched, memory, sizeof(uint32_t));
    find_functions(&c);
    /* those that are copied come at the end */
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++)
        resolve_node(&c, i);
    tn_intern_done(&c.names);
    tn_list_done(&c.functions);
    tn_list_done(&c.depths);
    tn_list_done(&c.copies);
    tn_list_done(&c.touched);
    return net->error->status;
}
