/*
 * onnx_tidy.c - an ONNX graph without what is no computation
 *
 * Nodes are looked at one after the other; those that a body brings are new
 * nodes at the end and so are looked at, too.
 */
#include "map/tidy/onnx_tidy.h"
#include "map/net/net_build.h"

#include "map/tidy/calls.h"

/* What a value of a body has become in the call of that number; others are of
 * earlier calls.  Bodies themselves never change. */
struct copied {
    uint32_t call, value; /* TN_NONE: not given */
};

struct tidying {
    struct tn_net   *net;
    struct tn_arena  scratch;
    struct tn_intern functions; /* "domain" 0 "name"                          */
    struct tn_list   bodies;    /* uint32_t: graph, by id of the name         */
    struct tn_list   depths;    /* uint32_t by node: calls it was brought by  */
    struct copied   *copies;    /* by value of the file: what it is in a call */
    uint64_t         known;     /* values of the file                         */
    struct tn_calls  made;      /* by calls                                   */
    uint32_t         calls;     /* so far                                     */
};

/* ---- Constant ----------------------------------------------------------- */

/* A new constant of what an attribute holds; TN_NONE: it is none of ours. */
static uint32_t make_constant(struct tn_net *net, uint32_t graph,
                              const struct tn_net_attr *attr)
{
    const struct tn_attr_value *v      = &attr->value;
    const uint64_t              dims[] = { v->count };
    uint32_t                    rank   = v->is_list ? 1 : 0;

    if (v->kind == TN_ATTR_TENSOR && !v->is_list)
        return tn_net_add_constant(net, graph, attr->name,
                                   &v->of.tensors[0]->elements,
                                   v->of.tensors[0]);
    if (v->kind == TN_ATTR_INT)
        return tn_net_add_ints(net, graph, attr->name, TN_INT64, v->of.ints,
                               rank, dims);
    if (v->kind == TN_ATTR_STRING)
        return tn_net_add_strings(net, graph, attr->name, v->of.strings, rank,
                                  dims);
    if (v->kind != TN_ATTR_FLOAT)
        return TN_NONE;
    double *items = tn_new(net->arena, double, v->count, net->error);
    for (uint32_t i = 0; items && i < v->count; i++)
        items[i] = (double)v->of.floats[i];
    return items ? tn_net_add_doubles(net, graph, attr->name, TN_FLOAT32, items,
                                      rank, dims)
                 : TN_NONE;
}

static void settle_constant(struct tn_net *net, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(net, id);

    if (node.attr_count != 1 || node.output_count != 1 ||
        node.outputs[0] == TN_NONE)
        return;
    uint32_t made = make_constant(net, node.graph, &node.attrs[0]);
    if (made == TN_NONE)
        return;
    tn_net_copy_constant(net, node.outputs[0], made);
    tn_net_remove(net, id);
}

/* ---- functions ---------------------------------------------------------- */

static struct tn_bytes key_of(struct tidying *t, struct tn_bytes domain,
                              struct tn_bytes name)
{
    uint8_t *key = tn_new(&t->scratch, uint8_t, domain.size + 1 + name.size,
                          t->net->error);

    if (!key)
        return tn_bytes(NULL, 0);
    if (domain.size)
        memcpy(key, domain.data, domain.size);
    if (name.size)
        memcpy(key + domain.size + 1, name.data, name.size);
    return tn_bytes(key, domain.size + 1 + name.size);
}

static void list_functions(struct tidying *t)
{
    for (uint32_t i = 0; i < t->net->graphs.count; i++) {
        const struct tn_net_graph *g = tn_net_graph(t->net, i);
        if (g->kind != TN_GRAPH_FUNCTION)
            continue;
        uint32_t id = tn_intern_copy(
            &t->functions, key_of(t, g->domain, g->name), t->net->error);
        uint32_t *body = id == t->bodies.count
                             ? tn_list_push(&t->bodies, uint32_t, t->net->error)
                             : NULL;
        if (body)
            *body = i;
    }
}

static uint32_t body_of(struct tidying *t, const struct tn_net_node *node)
{
    if (!t->bodies.count)
        return TN_NONE;
    uint32_t id = tn_intern_find(&t->functions,
                                 key_of(t, node->op->domain, node->op->type));
    return id < t->bodies.count ? *tn_list_at(&t->bodies, uint32_t, id)
                                : TN_NONE;
}

static uint32_t depth_of(const struct tidying *t, uint32_t node)
{
    return node < t->depths.count ? *tn_list_at(&t->depths, uint32_t, node) : 0;
}

/* One call on its way into the graph of the caller. */
struct call {
    struct tidying *t;
    uint32_t        node, body, depth;
    uint32_t        number; /* from 1                                         */
};

static uint32_t copy_value(struct call *call, uint32_t graph, uint32_t value)
{
    struct tn_net *net = call->t->net;

    if (value == TN_NONE || value >= call->t->known)
        return value;
    if (call->t->copies[value].call == call->number)
        return call->t->copies[value].value;
    uint32_t copy = tn_net_add_value(net, graph, tn_net_value(net, value).name);
    if (copy == TN_NONE)
        return TN_NONE;
    tn_net_copy_type(net, copy, value);
    if (tn_net_value(net, value).constant)
        tn_net_copy_constant(net, copy, value);
    call->t->copies[value] = (struct copied){ call->number, copy };
    return copy;
}

static const uint32_t *copy_values(struct call *call, uint32_t graph,
                                   const uint32_t *values, uint32_t count)
{
    uint32_t *copies =
        tn_new(&call->t->scratch, uint32_t, count, call->t->net->error);

    for (uint32_t i = 0; copies && i < count; i++)
        copies[i] = copy_value(call, graph, values[i]);
    return copies;
}

static void copy_graph(struct call *call, uint32_t body, uint32_t graph);

/* A graph in a body is copied with each call. */
static struct tn_attr_value copy_graphs(struct call *call, uint32_t parent,
                                        const struct tn_attr_value *from)
{
    struct tn_net       *net  = call->t->net;
    struct tn_attr_value copy = *from;
    int64_t *ids = tn_new(net->arena, int64_t, from->count, net->error);

    copy.of.ints = ids;
    for (uint32_t i = 0; ids && i < from->count && !tn_failed(net->error);
         i++) {
        uint32_t old = (uint32_t)from->of.ints[i];
        uint32_t id  = tn_net_add_graph(net, TN_GRAPH_SUBGRAPH,
                                        tn_net_graph(net, old)->name, parent);
        if (id == TN_NONE)
            break;
        ids[i] = id;
        for (uint32_t k = 0; k < tn_net_graph(net, old)->inputs.count; k++)
            tn_net_add_input(
                net, id,
                copy_value(
                    call, id,
                    *tn_list_at(&tn_net_graph(net, old)->inputs, uint32_t, k)),
                tn_text(""));
        copy_graph(call, old, id);
        for (uint32_t k = 0; k < tn_net_graph(net, old)->outputs.count; k++)
            tn_net_add_output(
                net, id,
                copy_value(
                    call, id,
                    *tn_list_at(&tn_net_graph(net, old)->outputs, uint32_t, k)),
                tn_text(""));
    }
    return copy;
}

static const struct tn_attr_value *attr_named(const struct tn_net_attr *attrs,
                                              uint32_t                  count,
                                              struct tn_bytes           name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(attrs[i].name, name))
            return &attrs[i].value;
    return NULL;
}

/* What the body takes from its caller is the caller's, else what the function
 * says of it; NULL: neither says anything. */
static const struct tn_attr_value *referred(const struct call *call,
                                            struct tn_bytes    name)
{
    const struct tn_net_node    node = tn_net_node(call->t->net, call->node);
    const struct tn_net_graph  *body = tn_net_graph(call->t->net, call->body);
    const struct tn_attr_value *said =
        attr_named(node.attrs, node.attr_count, name);

    tn_calls_charge(&call->t->made, call->t->net,
                    (uint64_t)node.attr_count + body->default_count);
    return said ? said : attr_named(body->defaults, body->default_count, name);
}

static void copy_attrs(struct call *call, uint32_t graph,
                       struct tn_net_node *node)
{
    struct tn_net      *net   = call->t->net;
    struct tn_net_attr *attrs = tn_new(&call->t->scratch, struct tn_net_attr,
                                       node->attr_count, net->error);
    uint32_t            count = 0;

    for (uint32_t i = 0; attrs && i < node->attr_count; i++) {
        const struct tn_net_attr   *from  = &node->attrs[i];
        const struct tn_attr_value *value = &from->value;
        if (value->kind == TN_ATTR_REFERENCE)
            value = referred(call, value->of.strings[0]);
        if (!value)
            continue;
        attrs[count++] = (struct tn_net_attr){
            from->name, value->kind == TN_ATTR_GRAPH && value == &from->value
                            ? copy_graphs(call, graph, value)
                            : *value
        };
    }
    node->attrs      = attrs;
    node->attr_count = attrs ? count : 0;
}

static void copy_node(struct call *call, uint32_t id, uint32_t graph)
{
    struct tn_net     *net  = call->t->net;
    struct tn_net_node copy = tn_net_node(net, id);

    if (tn_calls_count(&call->t->made, net, &copy) != TN_OK)
        return;
    copy.graph   = graph;
    copy.source  = tn_net_node(net, call->node).source;
    copy.inputs  = copy_values(call, graph, copy.inputs, copy.input_count);
    copy.outputs = copy_values(call, graph, copy.outputs, copy.output_count);
    copy.control_count = 0;
    copy_attrs(call, graph, &copy);
    if (tn_failed(net->error))
        return;
    uint32_t made    = tn_net_add_node(net, &copy);
    uint64_t missing = made == TN_NONE || made < call->t->depths.count
                           ? 0
                           : made + 1 - call->t->depths.count;
    if (missing && tn_list_grow(&call->t->depths, missing, net->error))
        *tn_list_at(&call->t->depths, uint32_t, made) = call->depth + 1;
}

/* Depth is that of graphs in the file, which its reader limits. */
static void copy_graph(struct call *call, uint32_t body, uint32_t graph)
{
    struct tn_net *net = call->t->net;

    for (uint64_t i = 0;
         i < tn_net_graph(net, body)->nodes.count && !tn_failed(net->error);
         i++)
        copy_node(call,
                  *tn_list_at(&tn_net_graph(net, body)->nodes, uint32_t, i),
                  graph);
}

/* Arguments are what the caller gives; one that it leaves out is not given in
 * the body either. */
static void bind_inputs(struct call *call, uint32_t body)
{
    const struct tn_net_node node   = tn_net_node(call->t->net, call->node);
    const struct tn_list    *inputs = &tn_net_graph(call->t->net, body)->inputs;

    for (uint32_t i = 0; i < inputs->count; i++) {
        uint32_t value = i < node.input_count ? node.inputs[i] : TN_NONE;
        call->t->copies[*tn_list_at(inputs, uint32_t, i)] =
            (struct copied){ call->number, value };
    }
}

/* The results take the places of what the call gave. */
static void bind_outputs(struct call *call, uint32_t body)
{
    struct tn_net *net = call->t->net;

    for (uint32_t i = 0; i < tn_net_graph(net, body)->outputs.count; i++) {
        const struct tn_net_node node = tn_net_node(net, call->node);
        uint32_t                 value =
            *tn_list_at(&tn_net_graph(net, body)->outputs, uint32_t, i);
        if (i >= node.output_count || node.outputs[i] == TN_NONE)
            continue;
        uint32_t made = copy_value(call, node.graph, value);
        if (made != TN_NONE && !tn_failed(net->error))
            tn_net_replace(net, node.outputs[i], made);
    }
}

static enum tn_status expand(struct tidying *t, uint32_t node, uint32_t body)
{
    struct tn_net *net  = t->net;
    struct call    call = { .t      = t,
                            .node   = node,
                            .body   = body,
                            .depth  = depth_of(t, node),
                            .number = ++t->calls };

    const struct tn_net_graph *g = tn_net_graph(net, body);
    TN_TRY(tn_calls_enter(net, call.depth, tn_net_node(net, node).op->type));
    TN_TRY(tn_calls_charge(&t->made, net, g->inputs.count + g->outputs.count));
    bind_inputs(&call, body);
    copy_graph(&call, body, tn_net_node(net, node).graph);
    if (!tn_failed(net->error))
        bind_outputs(&call, body);
    tn_net_remove(net, node);
    tn_arena_done(&t->scratch);
    return net->error->status;
}

/* ---- the whole ---------------------------------------------------------- */

static bool in_function(const struct tn_net *net, uint32_t node)
{
    uint32_t graph = tn_net_node(net, node).graph;

    for (uint64_t left = net->graphs.count; left && graph != TN_NONE; left--) {
        if (tn_net_graph(net, graph)->kind == TN_GRAPH_FUNCTION)
            return true;
        graph = tn_net_graph(net, graph)->parent;
    }
    return false;
}

static bool is_onnx(struct tn_bytes domain)
{
    return !domain.size || tn_bytes_is(domain, "ai.onnx");
}

static enum tn_status tidy_node(struct tidying *t, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(t->net, id);

    if (node.is_removed || in_function(t->net, id))
        return TN_OK;
    uint32_t body = body_of(t, &node);
    if (body != TN_NONE)
        return expand(t, id, body);
    if (is_onnx(node.op->domain) && tn_bytes_is(node.op->type, "Constant"))
        settle_constant(t->net, id);
    else if (is_onnx(node.op->domain) && tn_bytes_is(node.op->type, "Scan"))
        tn_onnx_scan(t->net, id);
    return t->net->error->status;
}

/* Bodies have served. */
static void drop_functions(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (in_function(net, i))
            tn_net_remove(net, i);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        struct tn_net_graph *g = tn_net_graph(net, i);
        if (g->kind != TN_GRAPH_FUNCTION)
            continue;
        g->kind          = TN_GRAPH_OTHER;
        g->outputs.count = 0;
        g->inputs.count  = 0;
    }
}

enum tn_status tn_onnx_tidy(struct tn_net *net)
{
    struct tidying t = { .net = net };

    tn_arena_init(&t.scratch, net->arena->memory);
    tn_intern_init(&t.functions, net->arena);
    tn_list_init(&t.bodies, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&t.depths, net->arena->memory, sizeof(uint32_t));
    t.known = net->values.count;
    t.made  = tn_calls_of(net);
    list_functions(&t);
    if (t.bodies.count)
        t.copies = tn_new(net->arena, struct copied, t.known, net->error);
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++)
        tidy_node(&t, i);
    if (!tn_failed(net->error))
        drop_functions(net);
    tn_list_done(&t.depths);
    tn_list_done(&t.bodies);
    tn_intern_done(&t.functions);
    tn_arena_done(&t.scratch);
    return net->error->status;
}
