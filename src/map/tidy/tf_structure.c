/*
 * tf_structure.c - functional If, Case and While become If and Loop
 *
 *   If(c, args) {then, else}     If(c) with two graphs: copies of the bodies
 *                                that use the arguments from outside
 *   Case(i, args) {b0, b1, b2}   If(i == 0) b0 else If(i == 1) b1 else b2
 *   While(args) {cond, body}     Loop( , cond(args), args): the graph is a copy
 *                                of the body and one of the condition behind it
 *
 * A value that a While passes on unchanged, as it does with everything that its
 * functions capture, does not become a variable of the Loop: the graph uses it
 * from outside.
 */
#include <inttypes.h>

#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

bool tn_tf_is_structure(const struct tn_net_node *node)
{
    static const char *const names[] = { "If",    "StatelessIf",
                                         "Case",  "StatelessCase",
                                         "While", "StatelessWhile",
                                         NULL };

    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind == TN_ATTR_FUNCTION)
            return tn_tf_type_in(node->op->type, names);
    return false;
}

static enum tn_status function_of(struct tn_tf_work *work, uint32_t node,
                                  const char *attr, uint32_t index,
                                  uint32_t *function)
{
    const struct tn_net_node    n = tn_net_node(work->net, node);
    const struct tn_attr_value *f = tn_net_attr(&n, attr);

    *function = f && f->kind == TN_ATTR_FUNCTION && index < f->count
                    ? tn_tf_function(work, f->of.strings[index])
                    : TN_NONE;
    if (*function == TN_NONE)
        return tn_error_set(work->error, TN_INVALID, TN_NOWHERE,
                            "%.*s (%.*s): %s names no function of the library",
                            TN_FMT(n.name), TN_FMT(n.op->type), attr);
    return TN_OK;
}

static uint64_t output_count(const struct tn_tf_work *work, uint32_t function)
{
    return tn_net_graph(work->net, function)->outputs.count;
}

/* The end of tidying makes sure that it is made in the graph, once. */
static void add_output(struct tn_tf_work *work, uint32_t graph, uint32_t value)
{
    if (value == TN_NONE)
        return;
    tn_net_add_output(work->net, graph, value, tn_bytes(NULL, 0));
    tn_tf_need(work, value);
}

static const char *name_below(struct tn_net *net, uint32_t node,
                              const char *word)
{
    return tn_text_format(net->arena, net->error, "%.*s/%s",
                          TN_FMT(tn_net_node(net, node).name), word);
}

/* ---- If and Case -------------------------------------------------------- */

/* A graph that is a copy of a function, applied to values around it. */
static uint32_t branch(struct tn_tf_work *work, uint32_t node, uint32_t parent,
                       uint32_t function, const char *word)
{
    struct tn_net     *net    = work->net;
    struct tn_net_node call   = tn_net_node(net, node);
    const char        *prefix = name_below(net, node, word);
    uint64_t           count  = output_count(work, function);
    uint32_t          *rets   = tn_new(net->arena, uint32_t, count, net->error);

    if (!prefix || !rets)
        return TN_NONE;
    uint32_t graph =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text(prefix), parent);
    if (graph == TN_NONE || !call.input_count ||
        tn_tf_instantiate(work,
                          &(struct tn_tf_call){ function, graph, node,
                                                call.inputs + 1,
                                                call.input_count - 1, prefix },
                          rets) != TN_OK)
        return TN_NONE;
    for (uint64_t i = 0; i < count; i++)
        add_output(work, graph, rets[i]);
    return graph;
}

/* An unused output is still an output: the graphs produce it. */
static uint32_t given_output(struct tn_net *net, const struct tn_net_node *node,
                             uint32_t index)
{
    if (index < node->output_count && node->outputs[index] != TN_NONE)
        return node->outputs[index];
    return tn_net_add_value(net, node->graph, node->name);
}

static const char *const branches[] = { "then_branch", "else_branch" };

/* Makes the node If(cond) with two graphs; all outputs exist then. */
static enum tn_status become_if(struct tn_tf_work *work, uint32_t node,
                                uint32_t cond, const uint32_t *graphs)
{
    struct tn_net            *net   = work->net;
    const struct tn_net_attr *attrs =
        tn_net_graph_attrs(net, branches, graphs, 2);
    uint64_t  count   = tn_net_graph(net, graphs[0])->outputs.count;
    uint32_t *outputs = tn_new(net->arena, uint32_t, count, net->error);

    if (!attrs || !outputs)
        return net->error->status;
    const struct tn_net_node n = tn_net_node(net, node);
    for (uint32_t i = 0; i < count; i++)
        outputs[i] = given_output(net, &n, i);
    tn_net_set_op(net, node, tn_net_own_op(net, "If"));
    tn_net_set_attrs(net, node, attrs, 2);
    tn_net_set_outputs(net, node, outputs, (uint32_t)count);
    tn_net_set_inputs(net, node, &cond, 1);
    tn_tf_need(work, cond);
    return net->error->status;
}

static struct tn_attr_value dtype_attr(struct tn_net *net, enum tn_dtype dtype)
{
    int64_t *kept = tn_new(net->arena, int64_t, 1, net->error);

    if (kept)
        *kept = dtype;
    return (struct tn_attr_value){ .kind    = TN_ATTR_DTYPE,
                                   .count   = kept ? 1 : 0,
                                   .of.ints = kept };
}

/* A node that is not in the file: two values in, one out. */
/* Numbers are true unless zero. */
static uint32_t condition(struct tn_tf_work *work, uint32_t node)
{
    struct tn_net              *net  = work->net;
    const struct tn_net_node    n    = tn_net_node(net, node);
    const struct tn_attr_value *type = tn_net_attr(&n, "Tcond");
    uint32_t                    cond = n.input_count ? n.inputs[0] : TN_NONE;

    if (cond == TN_NONE || !type || type->kind != TN_ATTR_DTYPE ||
        type->of.ints[0] == TN_BOOL)
        return cond;
    struct tn_attr_value from = *type, to = dtype_attr(net, TN_BOOL);
    uint32_t             value = tn_net_add_call(net, n.graph, "Cast", &cond, 1,
                                                 tn_text(name_below(net, node, "cond")));
    if (value == TN_NONE)
        return TN_NONE;
    tn_net_set_attr(net, tn_net_value(net, value).producer, "SrcT", &from);
    tn_net_set_attr(net, tn_net_value(net, value).producer, "DstT", &to);
    return value;
}

static enum tn_status structure_if(struct tn_tf_work *work, uint32_t node)
{
    uint32_t functions[2], graphs[2], cond = condition(work, node);

    for (int i = 0; i < 2; i++) {
        TN_TRY(function_of(work, node, branches[i], 0, &functions[i]));
        graphs[i] = branch(work, node, tn_net_node(work->net, node).graph,
                           functions[i], i ? "else" : "then");
        if (graphs[i] == TN_NONE)
            break;
    }
    if (tn_failed(work->error))
        return work->error->status;
    if (cond == TN_NONE ||
        output_count(work, graphs[0]) != output_count(work, graphs[1]))
        return tn_error_set(work->error, TN_INVALID, TN_NOWHERE,
                            "%.*s: its branches give different outputs",
                            TN_FMT(tn_net_node(work->net, node).name));
    return become_if(work, node, cond, graphs);
}

/* index == k, in `graph`. */
static uint32_t is_index(struct tn_tf_work *work, uint32_t graph,
                         uint32_t index, uint32_t k, uint32_t node)
{
    struct tn_net       *net    = work->net;
    struct tn_bytes      name   = tn_text(name_below(net, node, "is"));
    struct tn_attr_value type   = dtype_attr(net, TN_INT32);
    int64_t              number = k;
    uint32_t pair[2] = { index, tn_net_add_ints(net, graph, name, TN_INT32,
                                                &number, 0, NULL) };
    uint32_t value   = tn_net_add_call(net, graph, "Equal", pair, 2, name);

    if (value != TN_NONE)
        tn_net_set_attr(net, tn_net_value(net, value).producer, "T", &type);
    return value;
}

/* The graph of "else": one If, or the last branch itself. */
static uint32_t case_rest(struct tn_tf_work *work, uint32_t node,
                          uint32_t parent, uint32_t k, uint32_t count,
                          uint32_t *inner)
{
    struct tn_net *net = work->net;
    uint32_t       function;

    *inner = TN_NONE;
    if (k + 1 == count) {
        if (function_of(work, node, "branches", k, &function) != TN_OK)
            return TN_NONE;
        return branch(work, node, parent, function, "default");
    }
    const char *name = name_below(net, node, "else");
    uint32_t    graph =
        name ? tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text(name), parent)
                : TN_NONE;
    if (graph == TN_NONE)
        return TN_NONE;
    struct tn_net_node copy = tn_net_node(net, node);
    copy.graph              = graph;
    copy.output_count       = 0;
    *inner                  = tn_net_add_node(net, &copy);
    return graph;
}

/* The outputs of an inner If are those of the graph around it. */
static void pass_outputs(struct tn_tf_work *work, uint32_t graph,
                         uint32_t inner, uint64_t count)
{
    struct tn_net  *net     = work->net;
    uint32_t       *outputs = tn_new(net->arena, uint32_t, count, net->error);
    struct tn_bytes name    = tn_net_node(net, inner).name;

    for (uint64_t i = 0; outputs && i < count; i++) {
        outputs[i] = tn_net_add_value(net, graph, name);
        if (outputs[i] == TN_NONE)
            return;
        tn_net_add_output(net, graph, outputs[i], tn_bytes(NULL, 0));
    }
    if (outputs)
        tn_net_set_outputs(net, inner, outputs, (uint32_t)count);
    uint8_t *mark = tn_tf_mark_of(work, inner);
    if (mark)
        *mark |= TN_TF_NEEDED;
}

/* One step of a Case: the node becomes an If, `inner` is the next one. */
static enum tn_status case_step(struct tn_tf_work *work, uint32_t node,
                                uint32_t k, uint32_t count, uint32_t *inner)
{
    struct tn_net *net   = work->net;
    uint32_t       graph = tn_net_node(net, node).graph, function, graphs[2];
    uint32_t       index = tn_net_node(net, node).inputs[0];

    TN_TRY(function_of(work, node, "branches", k, &function));
    graphs[0]     = branch(work, node, graph, function, "case");
    graphs[1]     = case_rest(work, node, graph, k + 1, count, inner);
    uint32_t cond = is_index(work, graph, index, k, node);
    if (tn_failed(work->error))
        return work->error->status;
    if (*inner != TN_NONE)
        pass_outputs(work, graphs[1], *inner, output_count(work, graphs[0]));
    return become_if(work, node, cond, graphs);
}

static enum tn_status structure_case(struct tn_tf_work *work, uint32_t node)
{
    const struct tn_net_node    n     = tn_net_node(work->net, node);
    const struct tn_attr_value *list  = tn_net_attr(&n, "branches");
    uint32_t                    count = list ? list->count : 0;

    if (!count || !n.input_count)
        return tn_error_set(work->error, TN_INVALID, TN_NOWHERE,
                            "%.*s: a Case without branches", TN_FMT(n.name));
    if (count == 1) { /* nothing to choose: the If has two equal branches */
        uint32_t inner, function, graphs[2];
        uint32_t cond = is_index(work, n.graph, n.inputs[0], 0, node);
        TN_TRY(function_of(work, node, "branches", 0, &function));
        graphs[0] = branch(work, node, tn_net_node(work->net, node).graph,
                           function, "case");
        graphs[1] = case_rest(work, node, tn_net_node(work->net, node).graph, 0,
                              1, &inner);
        if (tn_failed(work->error))
            return work->error->status;
        return become_if(work, node, cond, graphs);
    }
    for (uint32_t k = 0; k + 1 < count && node != TN_NONE; k++)
        TN_TRY(case_step(work, node, k, count, &node));
    return work->error->status;
}

/* ---- While -------------------------------------------------------------- */

struct loop {
    struct tn_net_node node;
    uint32_t           id, cond, body; /* functions                           */
    uint32_t           graph;          /* of the Loop                         */
    uint32_t           count;          /* of the While's arguments            */
    bool              *is_fixed;       /* by argument: handed round unchanged */
    uint32_t          *outer, *inner;  /* arguments of cond and body          */
    uint32_t          *next;           /* what the body gives                 */
};

/* Whether the body returns its argument. */
static bool is_handed_round(const struct tn_net *net, uint32_t body, uint32_t i)
{
    const struct tn_net_graph *graph = tn_net_graph(net, body);

    if (i >= graph->inputs.count || i >= graph->outputs.count)
        return false;
    return tn_tf_behind(net, *tn_list_at(&graph->outputs, uint32_t, i)) ==
           *tn_list_at(&graph->inputs, uint32_t, i);
}

static enum tn_status loop_begin(struct tn_tf_work *work, struct loop *loop)
{
    struct tn_net *net  = work->net;
    const char    *name = name_below(net, loop->id, "body");
    uint32_t       n    = loop->count;

    TN_TRY(function_of(work, loop->id, "cond", 0, &loop->cond));
    TN_TRY(function_of(work, loop->id, "body", 0, &loop->body));
    loop->is_fixed = tn_new(net->arena, bool, n, net->error);
    loop->outer    = tn_new(net->arena, uint32_t, n, net->error);
    loop->inner    = tn_new(net->arena, uint32_t, n, net->error);
    loop->next     = tn_new(net->arena, uint32_t,
                            output_count(work, loop->body) + 1, net->error);
    if (!name || tn_failed(net->error))
        return net->error->status;
    if (output_count(work, loop->cond) != 1 ||
        output_count(work, loop->body) != n)
        return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                            "%.*s: its functions do not fit %" PRIu32
                            " arguments",
                            TN_FMT(loop->node.name), n);
    loop->graph = tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text(name),
                                   loop->node.graph);
    return net->error->status;
}

static void loop_input(struct tn_tf_work *work, struct loop *loop,
                       const char *word, enum tn_dtype dtype, uint32_t *value)
{
    struct tn_net *net  = work->net;
    const char    *name = name_below(net, loop->id, word);

    *value = name ? tn_net_add_value(net, loop->graph, tn_text(name)) : TN_NONE;
    if (*value == TN_NONE)
        return;
    if (dtype != TN_UNDEFINED)
        tn_net_set_scalar(net, *value, dtype);
    tn_net_add_input(net, loop->graph, *value, tn_bytes(NULL, 0));
}

static void loop_inputs(struct tn_tf_work *work, struct loop *loop)
{
    uint32_t unused;

    loop_input(work, loop, "iteration", TN_INT64, &unused);
    loop_input(work, loop, "keep_going", TN_BOOL, &unused);
    for (uint32_t i = 0; i < loop->count; i++) {
        loop->is_fixed[i] = is_handed_round(work->net, loop->body, i);
        loop->outer[i]    = loop->node.inputs[i];
        if (loop->is_fixed[i])
            loop->inner[i] = loop->outer[i];
        else
            loop_input(work, loop, "variable", TN_UNDEFINED, &loop->inner[i]);
    }
}

static uint32_t loop_condition(struct tn_tf_work *work, struct loop *loop,
                               uint32_t graph, const uint32_t *args,
                               const char *word)
{
    uint32_t    result = TN_NONE;
    const char *prefix = name_below(work->net, loop->id, word);

    if (!prefix ||
        tn_tf_instantiate(work,
                          &(struct tn_tf_call){ loop->cond, graph, loop->id,
                                                args, loop->count, prefix },
                          &result) != TN_OK)
        return TN_NONE;
    return result;
}

/* The graph: the body, then whether to go on with what it gave. */
static enum tn_status loop_body(struct tn_tf_work *work, struct loop *loop)
{
    struct tn_net *net    = work->net;
    const char    *prefix = name_below(net, loop->id, "body");

    if (!prefix)
        return net->error->status;
    TN_TRY(tn_tf_instantiate(work,
                             &(struct tn_tf_call){ loop->body, loop->graph,
                                                   loop->id, loop->inner,
                                                   loop->count, prefix },
                             loop->next));
    uint32_t *args = tn_new(net->arena, uint32_t, loop->count, net->error);
    for (uint32_t i = 0; args && i < loop->count; i++)
        args[i] = loop->is_fixed[i] ? loop->outer[i] : loop->next[i];
    uint32_t again =
        args ? loop_condition(work, loop, loop->graph, args, "again") : TN_NONE;
    if (again == TN_NONE)
        return net->error->status;
    add_output(work, loop->graph, again);
    for (uint32_t i = 0; i < loop->count; i++)
        if (!loop->is_fixed[i])
            add_output(work, loop->graph, loop->next[i]);
    return net->error->status;
}

/* The node itself: variables only, in and out. */
static enum tn_status become_loop(struct tn_tf_work *work, struct loop *loop,
                                  uint32_t first)
{
    static const char *const  names[] = { "body" };
    struct tn_net            *net     = work->net;
    const struct tn_net_attr *attrs =
        tn_net_graph_attrs(net, names, &loop->graph, 1);
    uint32_t                 *inputs =
        tn_new(net->arena, uint32_t, loop->count + 2, net->error);
    uint32_t *outputs = tn_new(net->arena, uint32_t, loop->count, net->error);
    uint32_t  count   = 0;

    if (!attrs || !inputs || !outputs)
        return net->error->status;
    inputs[0] = TN_NONE;
    inputs[1] = first;
    tn_tf_need(work, first);
    for (uint32_t i = 0; i < loop->count; i++) {
        uint32_t out =
            i < loop->node.output_count ? loop->node.outputs[i] : TN_NONE;
        if (loop->is_fixed[i]) {
            if (out != TN_NONE)
                tn_tf_replace(work, out, loop->outer[i]);
            continue;
        }
        outputs[count]      = given_output(net, &loop->node, i);
        inputs[2 + count++] = loop->node.inputs[i];
        tn_tf_need(work, loop->node.inputs[i]);
    }
    tn_net_set_op(net, loop->id, tn_net_own_op(net, "Loop"));
    tn_net_set_attrs(net, loop->id, attrs, 1);
    tn_net_set_outputs(net, loop->id, outputs, count);
    tn_net_set_inputs(net, loop->id, inputs, count + 2);
    return net->error->status;
}

static enum tn_status structure_while(struct tn_tf_work *work, uint32_t node)
{
    struct loop loop = { .node = tn_net_node(work->net, node), .id = node };

    loop.count = loop.node.input_count;
    TN_TRY(loop_begin(work, &loop));
    loop_inputs(work, &loop);
    if (tn_failed(work->error))
        return work->error->status;
    uint32_t first =
        loop_condition(work, &loop, loop.node.graph, loop.outer, "first");
    if (first == TN_NONE)
        return work->error->status;
    TN_TRY(loop_body(work, &loop));
    return become_loop(work, &loop, first);
}

enum tn_status tn_tf_structure(struct tn_tf_work *work, uint32_t node)
{
    struct tn_bytes type = tn_net_node(work->net, node).op->type;

    if (tn_bytes_is(type, "If") || tn_bytes_is(type, "StatelessIf"))
        return structure_if(work, node);
    if (tn_bytes_is(type, "While") || tn_bytes_is(type, "StatelessWhile"))
        return structure_while(work, node);
    return structure_case(work, node);
}
