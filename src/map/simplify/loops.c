/* loops.c - loops without what goes round in them for nothing */
#include "map/simplify/loops.h"

#include "base/buffer.h"
#include "ir/element.h"
#include "map/net/net_build.h"

/* Before the states: of the node, of its body, of what the body gives. */
enum { NODE_INPUTS = 2, BODY_INPUTS = 2, BODY_OUTPUTS = 1 };

struct loop {
    struct tn_net       *net;
    const bool          *is_used; /* by value: by a node, or as an output     */
    uint32_t             node, graph;
    uint32_t             states;
    struct tn_net_graph *body;
};

static uint32_t at(const struct tn_list *list, uint64_t index)
{
    return *tn_list_at(list, uint32_t, index);
}

/* The node of that operator and number of inputs that makes the value. */
static bool is_made_by(const struct tn_net *net, uint32_t value, const char *op,
                       struct tn_net_node *node)
{
    const struct tn_net_value v =
        value == TN_NONE ? (struct tn_net_value){ .producer = TN_NONE }
                         : tn_net_value(net, value);

    if (v.producer == TN_NONE || v.constant)
        return false;
    *node = tn_net_node(net, v.producer);
    return !node->is_removed && !node->op->domain.size &&
           tn_bytes_is(node->op->type, op) && node->input_count == 2 &&
           node->inputs[0] != TN_NONE && node->inputs[1] != TN_NONE;
}

/* A single number; false: it is not known. */
static bool is_number(const struct tn_net *net, uint32_t value, int64_t *number)
{
    const struct tn_elements *constant =
        value == TN_NONE ? NULL : tn_net_value(net, value).constant;
    struct tn_error  own = TN_ERROR_INIT;
    struct tn_buffer bytes;
    uint64_t         count;

    if (!constant || !tn_shape_count(&constant->shape, &count) || count != 1 ||
        (constant->shape.dtype != TN_INT64 && constant->shape.dtype != TN_BOOL))
        return false;
    tn_buffer_init(&bytes, net->arena->memory, &own);
    tn_payload_stream(constant, 0, 1, net->arena->memory, &bytes.sink, &own);
    bool is_read = !tn_failed(&own) && bytes.size > 0;
    if (is_read)
        *number = tn_element_int64(constant->shape.dtype, bytes.data);
    tn_buffer_done(&bytes);
    return is_read;
}

static bool is_the_number(const struct tn_net *net, uint32_t value,
                          int64_t wanted)
{
    int64_t number;

    return is_number(net, value, &number) && number == wanted;
}

/* One number of 64 bits, as the runtime counts. */
static bool is_counter(const struct tn_net *net, uint32_t value)
{
    const struct tn_net_type *type = tn_net_value(net, value).type;

    return type->dtype == TN_INT64 && type->wrap == TN_NET_TENSOR &&
           type->has_rank && type->rank == 0;
}

/* ---- counting ----------------------------------------------------------- */

/* Less(count, most), or that and something else. */
struct condition {
    uint32_t count, most, rest; /* TN_NONE: nothing else                      */
};

static bool read_condition(const struct tn_net *net, uint32_t value,
                           struct condition *c)
{
    struct tn_net_node both, less;

    if (is_made_by(net, value, "Less", &less)) {
        *c = (struct condition){ less.inputs[0], less.inputs[1], TN_NONE };
        return true;
    }
    if (!is_made_by(net, value, "And", &both))
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (is_made_by(net, both.inputs[i], "Less", &less)) {
            *c = (struct condition){ less.inputs[0], less.inputs[1],
                                     both.inputs[1 - i] };
            return true;
        }
    return false;
}

/* Whether state `index` begins at 0 and is one more each time. */
static bool counts(const struct loop *l, uint32_t index, uint32_t next)
{
    const struct tn_net_node node  = tn_net_node(l->net, l->node);
    uint32_t                 count = at(&l->body->inputs, BODY_INPUTS + index);
    struct tn_net_node       sum;

    if (at(&l->body->outputs, BODY_OUTPUTS + index) != next ||
        !is_made_by(l->net, next, "Add", &sum) || !is_counter(l->net, count) ||
        !is_the_number(l->net, node.inputs[NODE_INPUTS + index], 0))
        return false;
    return (sum.inputs[0] == count &&
            is_the_number(l->net, sum.inputs[1], 1)) ||
           (sum.inputs[1] == count && is_the_number(l->net, sum.inputs[0], 1));
}

/* What the loop begins under, besides 0 < most; false: it is not that. */
static bool read_start(const struct loop *l, uint32_t start, uint32_t most,
                       uint32_t *rest)
{
    struct condition c;
    int64_t          number;

    if (read_condition(l->net, start, &c) && c.most == most &&
        is_the_number(l->net, c.count, 0)) {
        *rest = c.rest;
        return true;
    }
    /* Of a constant, 0 < most has been computed. */
    *rest = is_the_number(l->net, start, 1) ? TN_NONE : start;
    return start != TN_NONE && is_number(l->net, most, &number) && number > 0;
}

/* Whether the body can see the value that the node takes. */
static bool is_outside(const struct loop *l, uint32_t value)
{
    uint32_t graph = tn_net_value(l->net, value).graph;

    for (uint32_t g = l->graph; g != TN_NONE;
         g          = tn_net_graph(l->net, g)->parent)
        if (g == graph)
            return g != l->graph;
    return false;
}

static uint32_t make_true(struct tn_net *net, uint32_t graph)
{
    static const int64_t yes = 1;

    return tn_net_add_ints(net, graph, tn_text(""), TN_BOOL, &yes, 0, NULL);
}

/* The state that has become the number of the iteration, or TN_NONE. */
static uint32_t count_by_itself(struct loop *l)
{
    struct tn_net     *net  = l->net;
    struct tn_net_node node = tn_net_node(net, l->node);
    struct condition   c;
    uint32_t           rest, index = 0;

    if (node.inputs[0] != TN_NONE ||
        !read_condition(net, at(&l->body->outputs, 0), &c) ||
        !is_counter(net, c.most) || !is_outside(l, c.most))
        return TN_NONE;
    while (index < l->states && !counts(l, index, c.count))
        index++;
    if (index == l->states || !read_start(l, node.inputs[1], c.most, &rest))
        return TN_NONE;
    uint32_t *inputs =
        tn_new(net->arena, uint32_t, node.input_count, net->error);
    if (!inputs)
        return TN_NONE;
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    inputs[0] = c.most;
    inputs[1] = rest == TN_NONE ? make_true(net, node.graph) : rest;
    tn_net_set_inputs(net, l->node, inputs, node.input_count);
    /* While it runs, the condition that it was begun under is true. */
    *tn_list_at(&l->body->outputs, uint32_t, 0) =
        c.rest == TN_NONE ? at(&l->body->inputs, 1) : c.rest;
    uint32_t iteration = at(&l->body->inputs, 0);
    uint32_t counter   = at(&l->body->inputs, BODY_INPUTS + index);
    tn_net_set_type(net, iteration, tn_net_value(net, counter).type);
    tn_net_replace(net, counter, iteration);
    return counter;
}

/* The number of an iteration is below that of all: no remainder is another. */
static bool drop_remainders(struct loop *l)
{
    struct tn_net           *net         = l->net;
    const struct tn_net_node node        = tn_net_node(net, l->node);
    uint32_t                 first       = at(&l->body->inputs, 0);
    bool                     has_dropped = false;

    if (node.inputs[0] == TN_NONE)
        return false;
    for (uint64_t i = 0; i < l->body->nodes.count; i++) {
        struct tn_net_node mod = tn_net_node(net, at(&l->body->nodes, i));
        if (mod.is_removed || mod.op->domain.size || mod.input_count != 2 ||
            !tn_bytes_is(mod.op->type, "Mod") || mod.inputs[0] != first ||
            mod.inputs[1] != node.inputs[0])
            continue;
        tn_net_replace(net, mod.outputs[0], first);
        tn_net_remove(net, at(&l->body->nodes, i));
        has_dropped = true;
    }
    return has_dropped;
}

/* ---- states ------------------------------------------------------------- */

static void remove_row(struct tn_list *list, uint64_t index, size_t size)
{
    if (index >= list->count)
        return;
    char *row = (char *)list->items + index * size;
    memmove(row, row + size, (size_t)(list->count - index - 1) * size);
    list->count--;
}

static void remove_state(struct loop *l, uint32_t index)
{
    struct tn_net     *net     = l->net;
    struct tn_net_node node    = tn_net_node(net, l->node);
    uint32_t           inputs  = node.input_count - 1;
    uint32_t           outputs = node.output_count - 1;
    uint32_t           skipped = NODE_INPUTS + index;
    uint32_t *ids = tn_new(net->arena, uint32_t, inputs + outputs, net->error);

    if (!ids)
        return;
    for (uint32_t i = 0; i < inputs; i++)
        ids[i] = node.inputs[i + (i >= skipped)];
    for (uint32_t i = 0; i < outputs; i++)
        ids[inputs + i] = node.outputs[i + (i >= index)];
    tn_net_set_inputs(net, l->node, ids, inputs);
    tn_net_set_outputs(net, l->node, ids + inputs, outputs);
    remove_row(&l->body->inputs, BODY_INPUTS + index, sizeof(uint32_t));
    remove_row(&l->body->input_names, BODY_INPUTS + index,
               sizeof(struct tn_bytes));
    remove_row(&l->body->outputs, BODY_OUTPUTS + index, sizeof(uint32_t));
    remove_row(&l->body->output_names, BODY_OUTPUTS + index,
               sizeof(struct tn_bytes));
    remove_row(&l->body->output_types, BODY_OUTPUTS + index,
               sizeof(const struct tn_net_type *));
    l->states--;
}

/* Whether the body gives back what it was given, of one type. */
static bool stays(const struct loop *l, uint32_t index)
{
    const struct tn_net_node node  = tn_net_node(l->net, l->node);
    uint32_t                 given = node.inputs[NODE_INPUTS + index];
    uint32_t                 state = at(&l->body->inputs, BODY_INPUTS + index);

    return given != TN_NONE && node.outputs[index] != TN_NONE &&
           at(&l->body->outputs, BODY_OUTPUTS + index) == state &&
           is_outside(l, given);
}

/* Nothing looks at it, in the body or behind it. */
static bool is_idle(const struct loop *l, uint32_t index, bool was_counted)
{
    const struct tn_net_node node  = tn_net_node(l->net, l->node);
    uint32_t                 state = at(&l->body->inputs, BODY_INPUTS + index);
    uint32_t                 after = node.outputs[index];

    if (after != TN_NONE && l->is_used[after])
        return false;
    return was_counted || !l->is_used[state];
}

/* `counter` is a state that has become the number of the iteration. */
static bool drop_states(struct loop *l, uint32_t counter)
{
    bool has_dropped = false;

    for (uint32_t i = l->states; i-- > 0 && !tn_failed(l->net->error);) {
        const struct tn_net_node node  = tn_net_node(l->net, l->node);
        uint32_t                 state = at(&l->body->inputs, BODY_INPUTS + i);
        uint32_t                 given = node.inputs[NODE_INPUTS + i];
        uint32_t                 after = node.outputs[i];
        if (stays(l, i)) {
            remove_state(l, i);
            tn_net_replace(l->net, state, given);
            tn_net_replace(l->net, after, given);
        } else if (is_idle(l, i, state == counter)) {
            remove_state(l, i);
        } else {
            continue;
        }
        has_dropped = true;
    }
    return has_dropped;
}

/* ---- all of them -------------------------------------------------------- */

static bool find_loop(struct loop *l, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(l->net, id);

    if (node.is_removed || node.op->domain.size || node.control_count ||
        !tn_bytes_is(node.op->type, "Loop") || node.input_count < NODE_INPUTS)
        return false;
    const struct tn_attr_value *body = tn_net_attr(&node, "body");
    if (!body || body->kind != TN_ATTR_GRAPH || body->count != 1 ||
        (uint64_t)body->of.ints[0] >= l->net->graphs.count)
        return false;
    l->node   = id;
    l->graph  = (uint32_t)body->of.ints[0];
    l->body   = tn_net_graph(l->net, l->graph);
    l->states = node.input_count - NODE_INPUTS;
    return l->body->inputs.count == BODY_INPUTS + (uint64_t)l->states &&
           l->body->outputs.count ==
               BODY_OUTPUTS + (uint64_t)node.output_count &&
           node.output_count >= l->states;
}

static bool simplify_loop(struct loop *l)
{
    uint32_t counter     = count_by_itself(l);
    bool     has_dropped = drop_states(l, counter);

    return drop_remainders(l) || has_dropped || counter != TN_NONE;
}

static bool *find_used(struct tn_net *net, struct tn_arena *arena)
{
    bool *is_used = tn_net_find_outputs(net, arena);

    for (uint32_t i = 0; is_used && i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                is_used[node.inputs[k]] = true;
    }
    return is_used;
}

uint64_t tn_simplify_loops(struct tn_net *net)
{
    struct loop     l     = { .net = net };
    uint64_t        count = 0;
    struct tn_arena arena;

    if (net->graphs.count < 2)
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    l.is_used     = find_used(net, &arena);
    uint32_t last = (uint32_t)net->nodes.count;
    for (uint32_t i = 0; l.is_used && i < last && tn_net_goes_on(net); i++)
        if (find_loop(&l, i))
            count += simplify_loop(&l);
    if (count && !tn_failed(net->error)) {
        tn_net_prune(net);
        tn_net_forget_uses(net);
        tn_net_order(net, NULL);
    }
    tn_arena_done(&arena);
    return count;
}
