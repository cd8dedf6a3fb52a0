/*
 * onnx_tidy.c - inlines functions and constants of an ONNX graph
 *
 * Nodes are visited one after the other.  The nodes of an inlined body are
 * added at the end, and so are visited, too.
 */
#include "map/net/net_build.h"
#include "map/tidy/calls.h"
#include "map/tidy/onnx_tidy.h"

/* ---- a Scan is a Loop that looks up its slices -------------------------- */

/*
 *   Scan(v..., x...) {body(v..., slice...) -> (v'..., y...)}
 *
 *   n    = Gather(Shape(x0), axis)
 *   Loop(n, , v...) {body(i, go, v...) -> (go', v'..., y...)}
 *          slice = Gather(x, i; axis)         backwards: Gather(x, n - 1 - i)
 *
 * Results that are stacked backwards are reversed after the loop, and those
 * that are stacked along another axis than the first are transposed.  Where the
 * rank of such a result is not known, or Slice has no steps yet, a Scan stays.
 *
 * That of opset 8 has an axis of batches before all others, and works on one
 * batch after the other: a Loop over them with a Scan of today inside.
 *
 *   Loop(batches, ) {(b, go) -> (go', Scan(Gather(v, b)..., Gather(x, b)...))}
 */

struct scan {
    struct tn_net *net;
    uint32_t       node, graph, body;
    uint32_t       states, slices;
    uint32_t       count; /* value: how often                                 */
};

/* Number `index` of a list that may be missing. */
static int64_t item_of(const struct scan *s, const char *name, uint32_t index)
{
    const struct tn_attr_value *list = tn_net_attr_of(s->net, s->node, name);

    return list && list->kind == TN_ATTR_INT && index < list->count
               ? list->of.ints[index]
               : 0;
}

/* Counted from the front; false: unknown. */
static bool axis_of(const struct scan *s, uint32_t index, int64_t *axis)
{
    uint32_t value = tn_net_node(s->net, s->node).inputs[s->states + index];
    const struct tn_net_type *type = tn_net_value(s->net, value).type;

    *axis = item_of(s, "scan_input_axes", index);
    if (*axis < 0 && type->has_rank)
        *axis += type->rank;
    return *axis >= 0;
}

/* The axis of rounds of a stacked result, from the front, and its rank; false:
 * unknown.  Axis 0 is 0 for any rank. */
static bool place_of_rounds(const struct scan *s, uint32_t index, int64_t *axis,
                            int64_t *rank)
{
    const struct tn_net_graph *body = tn_net_graph(s->net, s->body);
    uint32_t value = *tn_list_at(&body->outputs, uint32_t, s->states + index);
    const struct tn_net_type *type = tn_net_value(s->net, value).type;

    *axis = item_of(s, "scan_output_axes", index);
    *rank = type->has_rank ? (int64_t)type->rank + 1 : 0;
    if (*axis < 0)
        *axis += *rank;
    return *axis == 0 || (*axis > 0 && *axis < *rank);
}

static bool is_turned(const struct scan *s, uint32_t index)
{
    return item_of(s, "scan_output_directions", index) != 0;
}

static bool is_plain(const struct scan *s)
{
    const struct tn_net_node   node  = tn_net_node(s->net, s->node);
    const struct tn_net_graph *body  = tn_net_graph(s->net, s->body);
    uint64_t                   scans = body->outputs.count - s->states;
    int64_t                    axis, rank;

    for (uint32_t i = 0; i < node.input_count; i++)
        if (node.inputs[i] == TN_NONE)
            return false;
    for (uint32_t i = 0; i < s->slices; i++)
        if (!axis_of(s, i, &axis))
            return false;
    for (uint32_t i = 0; i < scans; i++)
        if (!place_of_rounds(s, i, &axis, &rank) ||
            (is_turned(s, i) && s->net->version < 10))
            return false;
    return true;
}

/* Whether its attributes and its body agree. */
static bool open_scan(struct scan *s)
{
    const struct tn_net_node    node  = tn_net_node(s->net, s->node);
    const struct tn_attr_value *body  = tn_net_attr(&node, "body");
    const struct tn_attr_value *count = tn_net_attr(&node, "num_scan_inputs");

    if (!body || body->kind != TN_ATTR_GRAPH || body->is_list ||
        (uint64_t)body->of.ints[0] >= s->net->graphs.count || !count ||
        count->kind != TN_ATTR_INT || count->of.ints[0] < 1 ||
        count->of.ints[0] > node.input_count)
        return false;
    s->graph                     = node.graph;
    s->body                      = (uint32_t)body->of.ints[0];
    s->slices                    = (uint32_t)count->of.ints[0];
    s->states                    = node.input_count - s->slices;
    const struct tn_net_graph *g = tn_net_graph(s->net, s->body);
    return g->inputs.count == node.input_count &&
           g->outputs.count >= s->states &&
           node.output_count <= g->outputs.count && is_plain(s);
}

static uint32_t new_value(struct scan *s, uint32_t graph, const char *name,
                          enum tn_dtype dtype)
{
    uint32_t value = tn_net_add_value(s->net, graph, tn_text(name));

    if (value != TN_NONE)
        tn_net_set_scalar(s->net, value, dtype);
    return value;
}

/* One node with one result. */
static uint32_t make_with(struct scan *s, uint32_t graph, const char *type,
                          const uint32_t *inputs, uint32_t count,
                          const struct tn_net_attr *attr, uint32_t output)
{
    tn_net_add_node(
        s->net,
        &(struct tn_net_node){ .op           = tn_net_own_op(s->net, type),
                               .graph        = graph,
                               .inputs       = inputs,
                               .input_count  = count,
                               .outputs      = &output,
                               .output_count = 1,
                               .attrs        = attr,
                               .attr_count   = attr != NULL,
                               .source = tn_net_node(s->net, s->node).source });
    return output;
}

/* `axis` below 0: it has no such attribute. */
static uint32_t make(struct scan *s, uint32_t graph, const char *type,
                     const uint32_t *inputs, uint32_t count, int64_t axis,
                     uint32_t output)
{
    int64_t *number = tn_new(s->net->arena, int64_t, 1, s->net->error);

    if (!number || tn_failed(s->net->error))
        return TN_NONE;
    *number                 = axis;
    struct tn_net_attr attr = { tn_text("axis"),
                                { TN_ATTR_INT, false, 1, { .ints = number } } };
    return make_with(s, graph, type, inputs, count, axis >= 0 ? &attr : NULL,
                     output);
}

static uint32_t number(struct scan *s, int64_t value)
{
    return tn_net_add_ints(s->net, s->graph, tn_text("axis"), TN_INT64, &value,
                           0, NULL);
}

static void count_rounds(struct scan *s)
{
    uint32_t x     = tn_net_node(s->net, s->node).inputs[s->states];
    uint32_t shape = tn_net_add_value(s->net, s->graph, tn_text("shape"));
    int64_t  axis  = 0;

    axis_of(s, 0, &axis);
    make(s, s->graph, "Shape", &x, 1, -1, shape);
    uint32_t pair[] = { shape, number(s, axis) };
    s->count        = make(s, s->graph, "Gather", pair, 2, 0,
                           new_value(s, s->graph, "rounds", TN_INT64));
}

/* The index i, or the one from the other end. */
static uint32_t place_of(struct scan *s, uint32_t i, bool is_backwards)
{
    if (!is_backwards)
        return i;
    uint32_t ends[] = { s->count, number(s, 1) };
    uint32_t last   = make(s, s->graph, "Sub", ends, 2, -1,
                           new_value(s, s->graph, "last", TN_INT64));
    uint32_t pair[] = { last, i };
    return make(s, s->body, "Sub", pair, 2, -1,
                new_value(s, s->body, "place", TN_INT64));
}

static void look_up(struct scan *s, uint32_t index, uint32_t i)
{
    uint32_t slice        = *tn_list_at(&tn_net_graph(s->net, s->body)->inputs,
                                        uint32_t, s->states + index);
    bool     is_backwards = item_of(s, "scan_input_directions", index) == 1;
    uint32_t pair[] = { tn_net_node(s->net, s->node).inputs[s->states + index],
                        place_of(s, i, is_backwards) };
    int64_t  axis   = 0;

    axis_of(s, index, &axis);
    make(s, s->body, "Gather", pair, 2, axis, slice);
}

/* In front of the list of inputs or outputs, and without the last ones. */
static void put_first(struct tn_net *net, struct tn_list *ends,
                      struct tn_list *names, const uint32_t *first,
                      uint32_t count, uint64_t kept)
{
    uint64_t had = ends->count;

    names->count = 0;
    if (!tn_list_grow(ends, count, net->error))
        return;
    uint32_t *ids = ends->items;
    memmove(ids + count, ids, (size_t)(kept < had ? kept : had) * sizeof *ids);
    memcpy(ids, first, count * sizeof *ids);
    ends->count = count + kept;
}

static void rewrite_body(struct scan *s)
{
    uint32_t i  = new_value(s, s->body, "i", TN_INT64);
    uint32_t go = new_value(s, s->body, "go", TN_BOOL);
    uint32_t on = make(s, s->body, "Identity", &go, 1, -1,
                       new_value(s, s->body, "on", TN_BOOL));

    for (uint32_t k = 0; k < s->slices && !tn_failed(s->net->error); k++)
        look_up(s, k, i);
    if (tn_failed(s->net->error))
        return;
    struct tn_net_graph *g       = tn_net_graph(s->net, s->body);
    uint32_t             pair[2] = { i, go };
    put_first(s->net, &g->inputs, &g->input_names, pair, 2, s->states);
    put_first(s->net, &g->outputs, &g->output_names, &on, 1, g->outputs.count);
}

/* ---- results that are not stacked in front, forwards -------------------- */

static uint32_t list_of_one(struct scan *s, int64_t value)
{
    uint64_t one = 1;

    return tn_net_add_ints(s->net, s->graph, tn_text("bound"), TN_INT64, &value,
                           1, &one);
}

/* The first axis goes to `axis`. */
static void move_rounds(struct scan *s, uint32_t from, int64_t axis,
                        int64_t rank, uint32_t to)
{
    int64_t *order =
        tn_new(s->net->arena, int64_t, (uint64_t)rank, s->net->error);

    if (!order)
        return;
    for (int64_t i = 0; i < rank; i++)
        order[i] = i < axis ? i + 1 : i == axis ? 0 : i;
    make_with(s, s->graph, "Transpose", &from, 1,
              &(struct tn_net_attr){
                  tn_text("perm"),
                  { TN_ATTR_INT, true, (uint32_t)rank, { .ints = order } } },
              to);
}

static uint32_t unnamed(struct scan *s)
{
    return tn_net_add_value(s->net, s->graph, tn_text("stacked"));
}

/* The output of the loop from which `wanted` is made. */
static uint32_t stacked_for(struct scan *s, uint32_t index, uint32_t wanted)
{
    int64_t axis = 0, rank = 0;

    if (wanted == TN_NONE || !place_of_rounds(s, index, &axis, &rank))
        return wanted;
    if (axis > 0) {
        uint32_t front = unnamed(s);
        move_rounds(s, front, axis, rank, wanted);
        wanted = front;
    }
    if (is_turned(s, index)) {
        uint32_t forwards = unnamed(s);
        /* Reverses the rounds. */
        uint32_t inputs[] = { forwards, list_of_one(s, -1),
                              list_of_one(s, INT64_MIN), list_of_one(s, 0),
                              list_of_one(s, -1) };
        make(s, s->graph, "Slice", inputs, 5, -1, wanted);
        wanted = forwards;
    }
    return wanted;
}

/* Outputs of the loop; while the node is still a Scan. */
static const uint32_t *loop_outputs(struct scan *s)
{
    const struct tn_net_node old   = tn_net_node(s->net, s->node);
    uint32_t                 count = old.output_count;
    uint32_t *outputs = tn_new(s->net->arena, uint32_t, count, s->net->error);

    if (!outputs)
        return NULL;
    memcpy(outputs, old.outputs, count * sizeof *outputs);
    for (uint32_t i = s->states; i < count; i++)
        outputs[i] = stacked_for(s, i - s->states, outputs[i]);
    return outputs;
}

static void make_loop(struct scan *s, const uint32_t *outputs)
{
    const struct tn_net_node old  = tn_net_node(s->net, s->node);
    struct tn_net_node       loop = old;
    uint32_t                *inputs =
        tn_new(s->net->arena, uint32_t, (uint64_t)s->states + 2, s->net->error);
    struct tn_net_attr body = { tn_text("body"), *tn_net_attr(&old, "body") };

    if (!inputs)
        return;
    inputs[0] = s->count;
    inputs[1] = TN_NONE;
    if (s->states)
        memcpy(inputs + 2, old.inputs, s->states * sizeof *inputs);
    loop.op          = tn_net_own_op(s->net, "Loop");
    loop.inputs      = inputs;
    loop.input_count = s->states + 2;
    loop.outputs     = outputs;
    loop.attrs       = &body;
    loop.attr_count  = 1;
    tn_net_remove(s->net, s->node);
    tn_net_add_node(s->net, &loop);
}

/* ---- opset 8 ------------------------------------------------------------ */

/* The first input is the lengths of sequences, which must be left out. */
static bool has_batches(const struct scan *s)
{
    const struct tn_net_node    node = tn_net_node(s->net, s->node);
    const struct tn_attr_value *body = tn_net_attr(&node, "body");

    for (uint32_t i = 1; i < node.input_count; i++)
        if (node.inputs[i] == TN_NONE)
            return false;
    return node.input_count > 1 && node.inputs[0] == TN_NONE && body &&
           body->kind == TN_ATTR_GRAPH && !body->is_list &&
           (uint64_t)body->of.ints[0] < s->net->graphs.count;
}

/* In the graph of the loop: a Scan over one element of the batch; returns its
 * node. */
static uint32_t scan_batch(struct scan *s, uint32_t batch)
{
    struct tn_net_node inner = tn_net_node(s->net, s->node);
    uint32_t           count = inner.input_count - 1;
    uint32_t *inputs = tn_new(s->net->arena, uint32_t, count, s->net->error);
    uint32_t *outputs =
        tn_new(s->net->arena, uint32_t, inner.output_count, s->net->error);
    struct tn_net_attr *attrs = tn_new(s->net->arena, struct tn_net_attr,
                                       inner.attr_count, s->net->error);

    if (!inputs || !outputs || !attrs)
        return TN_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pair[] = { inner.inputs[i + 1], batch };
        inputs[i]       = make(s, s->body, "Gather", pair, 2, 0,
                               tn_net_add_value(s->net, s->body, tn_text("item")));
    }
    for (uint32_t i = 0; i < inner.output_count; i++)
        outputs[i] = tn_net_add_value(s->net, s->body, tn_text("result"));
    for (uint32_t i = 0; i < inner.attr_count; i++) {
        attrs[i] = inner.attrs[i];
        if (tn_bytes_is(attrs[i].name, "directions"))
            attrs[i].name = tn_text("scan_input_directions");
    }
    inner.name        = tn_text("");
    inner.graph       = s->body;
    inner.inputs      = inputs;
    inner.input_count = count;
    inner.outputs     = outputs;
    inner.attrs       = attrs;
    return tn_failed(s->net->error) ? TN_NONE : tn_net_add_node(s->net, &inner);
}

/* The loop, once the graph of its body is there. */
static void loop_batches(struct scan *s)
{
    struct tn_net_node loop  = tn_net_node(s->net, s->node);
    int64_t           *graph = tn_new(s->net->arena, int64_t, 1, s->net->error);
    uint32_t shape = tn_net_add_value(s->net, s->graph, tn_text("shape"));

    if (!graph || shape == TN_NONE)
        return;
    *graph = s->body;
    make(s, s->graph, "Shape", &loop.inputs[1], 1, -1, shape);
    uint32_t           pair[]   = { shape, number(s, 0) };
    uint32_t           inputs[] = { make(s, s->graph, "Gather", pair, 2, 0,
                                         new_value(s, s->graph, "batches", TN_INT64)),
                                    TN_NONE };
    struct tn_net_attr body     = {
            tn_text("body"), { TN_ATTR_GRAPH, false, 1, { .ints = graph } }
    };
    loop.op          = tn_net_own_op(s->net, "Loop");
    loop.inputs      = inputs;
    loop.input_count = 2;
    loop.attrs       = &body;
    loop.attr_count  = 1;
    tn_net_remove(s->net, s->node);
    if (!tn_failed(s->net->error))
        tn_net_add_node(s->net, &loop);
}

/* Gives the Scan inside, or TN_NONE. */
static uint32_t open_batches(struct scan *s)
{
    struct tn_net *net = s->net;
    uint32_t inner = (uint32_t)tn_net_attr_of(net, s->node, "body")->of.ints[0];

    s->graph = tn_net_node(net, s->node).graph;
    s->body =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("batch"), s->graph);
    if (s->body == TN_NONE)
        return TN_NONE;
    tn_net_graph(net, inner)->parent = s->body;
    uint32_t b                       = new_value(s, s->body, "b", TN_INT64);
    uint32_t go                      = new_value(s, s->body, "go", TN_BOOL);
    uint32_t on                      = make(s, s->body, "Identity", &go, 1, -1,
                                            new_value(s, s->body, "on", TN_BOOL));
    uint32_t scan                    = scan_batch(s, b);
    if (scan == TN_NONE)
        return TN_NONE;
    tn_net_add_input(net, s->body, b, tn_text(""));
    tn_net_add_input(net, s->body, go, tn_text(""));
    tn_net_add_output(net, s->body, on, tn_text(""));
    for (uint32_t i = 0; i < tn_net_node(net, scan).output_count; i++)
        tn_net_add_output(net, s->body, tn_net_node(net, scan).outputs[i],
                          tn_text(""));
    loop_batches(s);
    return scan;
}

/* Replaces one Scan; it stays if no Loop can express it. */
static enum tn_status onnx_scan(struct tn_net *net, uint32_t node)
{
    struct scan s = { .net = net, .node = node };

    if (net->version < 9) {
        s.node = has_batches(&s) ? open_batches(&s) : TN_NONE;
        if (s.node == TN_NONE)
            return net->error->status;
    }
    if (!open_scan(&s))
        return TN_OK;
    count_rounds(&s);
    const uint32_t *outputs = loop_outputs(&s);
    if (!tn_failed(net->error))
        rewrite_body(&s);
    if (!tn_failed(net->error))
        make_loop(&s, outputs);
    return net->error->status;
}

/* The copy of a body's value in the call of that number; other numbers are
 * those of earlier calls.  Bodies themselves never change. */
struct copied {
    uint32_t call, value; /* TN_NONE: not given */
};

struct tidying {
    bool             keeps_scans;
    const bool      *is_output; /* by value, of those that the file has */
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

/* A new constant from an attribute; TN_NONE if it is not one that we can
 * use. */
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

/* A call that is being inlined into the graph of the caller. */
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

/* An attribute that the body takes from its caller: the caller's value, else
 * the function's default; NULL: neither. */
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

/* Replaces the outputs of the call by the results. */
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

/* An output of a graph that stays ONNX: a value that nothing makes would need
 * an Identity there. */
static bool is_wanted_output(const struct tidying     *t,
                             const struct tn_net_node *node)
{
    return t->is_output && node->output_count == 1 &&
           node->outputs[0] < t->known && t->is_output[node->outputs[0]];
}

static enum tn_status tidy_node(struct tidying *t, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(t->net, id);

    if (node.is_removed || in_function(t->net, id))
        return TN_OK;
    uint32_t body = body_of(t, &node);
    if (body != TN_NONE)
        return expand(t, id, body);
    if (!node.op->domain.size && tn_bytes_is(node.op->type, "Constant")) {
        if (!is_wanted_output(t, &node))
            settle_constant(t->net, id);
    } else if (!t->keeps_scans && !node.op->domain.size &&
               tn_bytes_is(node.op->type, "Scan")) {
        onnx_scan(t->net, id);
    }
    return t->net->error->status;
}

/* The bodies are no longer needed. */
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

static enum tn_status tidy(struct tn_net *net, bool keeps_scans)
{
    struct tidying t = { .net = net, .keeps_scans = keeps_scans };

    tn_arena_init(&t.scratch, net->arena->memory);
    tn_intern_init(&t.functions, net->arena);
    tn_list_init(&t.bodies, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&t.depths, net->arena->memory, sizeof(uint32_t));
    t.known = net->values.count;
    t.made  = tn_calls_of(net);
    if (keeps_scans)
        t.is_output = tn_net_find_outputs(net, net->arena);
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

enum tn_status tn_onnx_tidy(struct tn_net *net)
{
    return tidy(net, false);
}

enum tn_status tn_onnx_inline(struct tn_net *net)
{
    return tidy(net, true);
}

bool tn_onnx_has_to_inline(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->graphs.count; i++)
        if (tn_net_graph(net, i)->kind == TN_GRAPH_FUNCTION)
            return true;
    return tn_net_may_have_op(net, "Constant");
}
