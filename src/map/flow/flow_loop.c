/* flow_loop.c - a Loop of a net: its variables, its rounds */
#include "map/flow/flow_loop.h"

#include "ir/element.h"
#include "map/flow/flow_guard.h"
#include "map/net/net_build.h"

/* ---- values ------------------------------------------------------------- */

uint32_t tn_flow_behind(const struct tn_net *net, uint32_t value)
{
    for (uint64_t step = 0; step < net->nodes.count; step++) {
        uint32_t producer =
            value == TN_NONE ? TN_NONE : tn_net_value(net, value).producer;
        if (producer == TN_NONE ||
            tn_flow_kind(tn_net_node(net, producer).op) != TN_FLOW_IDENTITY ||
            tn_net_node(net, producer).input_count != 1)
            break;
        value = tn_net_node(net, producer).inputs[0];
    }
    return value;
}

bool tn_flow_constant(const struct tn_net *net, uint32_t value, double *number)
{
    const struct tn_elements *elements =
        value == TN_NONE ? NULL : tn_net_value(net, value).constant;
    struct tn_buffer buffer;
    uint64_t         count = 0;

    if (!elements || !tn_shape_count(&elements->shape, &count) || count != 1 ||
        !tn_dtype_size(elements->shape.dtype))
        return false;
    tn_buffer_init(&buffer, net->arena->memory, net->error);
    bool is_read = tn_net_try_read(net, elements, 1, &buffer.sink);
    if (is_read)
        *number = tn_element_double(elements->shape.dtype,
                                    tn_buffer_bytes(&buffer).data);
    tn_buffer_done(&buffer);
    return is_read;
}

bool tn_flow_is_number(const struct tn_net *net, uint32_t value, int64_t number)
{
    double constant;

    return tn_flow_constant(net, value, &constant) &&
           constant == (double)number;
}

bool tn_flow_numbers(const struct tn_net *net, uint32_t value, int64_t *numbers,
                     uint64_t most, uint64_t *count)
{
    const struct tn_elements *elements =
        value == TN_NONE ? NULL : tn_net_value(net, value).constant;
    struct tn_buffer buffer;

    if (!elements || !tn_shape_count(&elements->shape, count) ||
        *count > most ||
        (elements->shape.dtype != TN_INT64 &&
         elements->shape.dtype != TN_INT32))
        return false;
    enum tn_dtype dtype = elements->shape.dtype;
    tn_buffer_init(&buffer, net->arena->memory, net->error);
    bool is_read = tn_net_try_read(net, elements, *count, &buffer.sink);
    for (uint64_t i = 0; is_read && i < *count; i++)
        numbers[i] = tn_element_int64(dtype, tn_buffer_bytes(&buffer).data +
                                                 i * tn_dtype_size(dtype));
    tn_buffer_done(&buffer);
    return is_read;
}

uint32_t tn_flow_maker(const struct tn_net *net, uint32_t value,
                       const char *type, uint32_t inputs)
{
    uint32_t node =
        value == TN_NONE ? TN_NONE : tn_net_value(net, value).producer;

    return node != TN_NONE && !tn_net_node(net, node).op->domain.size &&
                   tn_bytes_is(tn_net_node(net, node).op->type, type) &&
                   tn_net_node(net, node).input_count >= inputs
               ? node
               : TN_NONE;
}

/* Of ONNX and TensorFlow: a node that takes the first element, or leaves it. */
static bool keeps_first(const struct tn_net *net, uint32_t node)
{
    static const char *const all[]   = { "Cast",      "Squeeze", "Reshape",
                                         "Unsqueeze", "Expand",  "ExpandDims" };
    static const char *const first[] = { "Gather", "Slice", "StridedSlice" };
    const struct tn_net_node n       = tn_net_node(net, node);

    if (n.op->domain.size || !n.input_count || n.inputs[0] == TN_NONE)
        return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (tn_bytes_is(n.op->type, all[i]))
            return true;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (tn_bytes_is(n.op->type, first[i]))
            return n.input_count > 1 && n.inputs[1] != TN_NONE &&
                   tn_flow_is_number(net, tn_flow_behind(net, n.inputs[1]), 0);
    return false;
}

uint32_t tn_flow_row_count_of(const struct tn_net *net, uint32_t number)
{
    for (unsigned step = 0; step < 10; step++) {
        number = tn_flow_behind(net, number);
        if (number == TN_NONE)
            return TN_NONE;
        uint32_t shape = tn_flow_maker(net, number, "Shape", 1);
        const struct tn_attr_value *start =
            shape == TN_NONE ? NULL : tn_net_attr_of(net, shape, "start");
        uint32_t node = tn_net_value(net, number).producer;
        if (shape != TN_NONE)
            return start && (start->kind != TN_ATTR_INT || start->of.ints[0])
                       ? TN_NONE
                       : tn_flow_behind(net, tn_net_node(net, shape).inputs[0]);
        if (node == TN_NONE || !keeps_first(net, node))
            return TN_NONE;
        number = tn_net_node(net, node).inputs[0];
    }
    return TN_NONE;
}

/* Whether a Slice leaves axis 0 as long as it is: it takes parts of other axes
 * only, or all rows from the last to the first. */
static bool keeps_rows(const struct tn_net      *net,
                       const struct tn_net_node *slice)
{
    enum { AXES_MAX = 8 };
    int64_t  part[4][AXES_MAX]; /* from, to, axes, steps */
    uint64_t count[4];

    if (slice->input_count < 4)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        bool is_given = i + 1 < slice->input_count;
        count[i]      = 0;
        if (is_given &&
            (slice->inputs[i + 1] == TN_NONE ||
             !tn_flow_numbers(net, tn_flow_behind(net, slice->inputs[i + 1]),
                              part[i], AXES_MAX, &count[i])))
            count[i] = 0;
    }
    for (uint64_t i = 0; i < count[2]; i++) {
        bool is_known = i < count[0] && i < count[1] && i < count[3];
        if (part[2][i] < 0 || (part[2][i] == 0 &&
                               !(is_known && part[0][i] == -1 &&
                                 part[1][i] <= -INT32_MAX && part[3][i] == -1)))
            return false;
    }
    return count[2] > 0;
}

/* The input whose rows a node keeps in number; TN_NONE: another node. */
static uint32_t rows_before(const struct tn_net *net, uint32_t value)
{
    uint32_t turn = tn_flow_maker(net, value, "ReverseSequence", 2);
    uint32_t move = tn_flow_maker(net, value, "Transpose", 1);
    uint32_t part = tn_flow_maker(net, value, "Slice", 4);
    const struct tn_attr_value *perm =
        move == TN_NONE ? NULL : tn_net_attr_of(net, move, "perm");

    if (turn != TN_NONE)
        return tn_net_node(net, turn).inputs[0];
    if (part != TN_NONE) {
        const struct tn_net_node slice = tn_net_node(net, part);
        return keeps_rows(net, &slice) ? slice.inputs[0] : TN_NONE;
    }
    return perm && perm->kind == TN_ATTR_INT && perm->count &&
                   perm->of.ints[0] == 0
               ? tn_net_node(net, move).inputs[0]
               : TN_NONE;
}

uint32_t tn_flow_rows_of(const struct tn_net *net, uint32_t value)
{
    for (unsigned step = 0; step < 10; step++) {
        value           = tn_flow_behind(net, value);
        uint32_t before = rows_before(net, value);
        if (before == TN_NONE)
            break;
        value = before;
    }
    return value;
}

/* ---- the Loop ----------------------------------------------------------- */

bool tn_flow_loop(struct tn_flow_loop *loop, struct tn_net *net, uint32_t node)
{
    const struct tn_net_node    n    = tn_net_node(net, node);
    const struct tn_attr_value *body = tn_net_attr(&n, "body");

    if (n.is_removed || n.op->domain.size || !tn_bytes_is(n.op->type, "Loop") ||
        !body || body->kind != TN_ATTR_GRAPH || body->count != 1 ||
        (uint64_t)body->of.ints[0] >= net->graphs.count)
        return false;
    *loop = (struct tn_flow_loop){ net, node, (uint32_t)body->of.ints[0] };
    const struct tn_net_graph *graph = tn_net_graph(net, loop->body);
    return graph->inputs.count == n.input_count &&
           graph->outputs.count == n.output_count + UINT64_C(1) &&
           n.input_count >= 2 && n.output_count + UINT64_C(2) >= n.input_count;
}

static uint32_t end_at(const struct tn_list *values, uint32_t place)
{
    return place < values->count ? *tn_list_at(values, uint32_t, place)
                                 : TN_NONE;
}

uint32_t tn_flow_loop_in(const struct tn_flow_loop *loop, uint32_t place)
{
    return end_at(&tn_net_graph(loop->net, loop->body)->inputs, place);
}

uint32_t tn_flow_loop_out(const struct tn_flow_loop *loop, uint32_t place)
{
    return end_at(&tn_net_graph(loop->net, loop->body)->outputs, place);
}

/* The node that adds two values, whatever its name in the dialect. */
static uint32_t sum_of(const struct tn_net *net, uint32_t value)
{
    static const char *const names[] = { "add", "Add", "AddV2" };
    uint32_t                 node    = TN_NONE;

    for (size_t i = 0; node == TN_NONE && i < sizeof names / sizeof *names; i++)
        node = tn_flow_maker(net, value, names[i], 2);
    return node;
}

bool tn_flow_counts_rounds(const struct tn_flow_loop *loop, uint32_t variable)
{
    const struct tn_net     *net    = loop->net;
    const struct tn_net_node node   = tn_net_node(net, loop->node);
    uint32_t                 inside = tn_flow_loop_in(loop, variable + 2);
    uint32_t next = tn_flow_behind(net, tn_flow_loop_out(loop, variable + 1));
    uint32_t add  = sum_of(net, next);

    if (add == TN_NONE || variable + 2 >= node.input_count ||
        !tn_flow_is_number(net, tn_flow_behind(net, node.inputs[variable + 2]),
                           0))
        return false;
    const uint32_t *sum = tn_net_node(net, add).inputs;
    return (tn_flow_behind(net, sum[0]) == inside &&
            tn_flow_is_number(net, sum[1], 1)) ||
           (tn_flow_behind(net, sum[1]) == inside &&
            tn_flow_is_number(net, sum[0], 1));
}

bool tn_flow_is_round(const struct tn_flow_loop *loop, uint32_t place)
{
    uint32_t count = tn_net_node(loop->net, loop->node).input_count;

    place = tn_flow_behind(loop->net, place);
    if (place == TN_NONE)
        return false;
    if (place == tn_flow_loop_in(loop, 0))
        return true;
    for (uint32_t i = 2; i < count; i++)
        if (place == tn_flow_loop_in(loop, i))
            return tn_flow_counts_rounds(loop, i - 2);
    return false;
}

/* ---- changing it -------------------------------------------------------- */

void tn_flow_remove_at(struct tn_list *list, uint64_t index)
{
    uint8_t *items = list->items;
    size_t   size  = list->item_size;

    if (index >= list->count)
        return;
    memmove(items + index * size, items + (index + 1) * size,
            (size_t)(list->count - index - 1) * size);
    list->count--;
}

static uint32_t *without(struct tn_net *net, const uint32_t *from,
                         uint32_t count, uint32_t index)
{
    uint32_t *to = tn_new(net->arena, uint32_t, count, net->error);

    for (uint32_t i = 0, at = 0; to && i < count; i++)
        if (i != index)
            to[at++] = from[i];
    return to;
}

void tn_flow_loop_drop(const struct tn_flow_loop *loop, uint32_t variable)
{
    struct tn_net           *net  = loop->net;
    struct tn_net_graph     *body = tn_net_graph(net, loop->body);
    const struct tn_net_node node = tn_net_node(net, loop->node);
    uint32_t                 ins = node.input_count, outs = node.output_count;
    uint32_t *inputs  = without(net, node.inputs, ins, variable + 2);
    uint32_t *outputs = without(net, node.outputs, outs, variable);

    if (!inputs || !outputs)
        return;
    if (variable + 2 < ins) {
        tn_net_set_inputs(net, loop->node, inputs, ins - 1);
        tn_flow_remove_at(&body->inputs, variable + 2);
        tn_flow_remove_at(&body->input_names, variable + 2);
    }
    tn_net_set_outputs(net, loop->node, outputs, outs - 1);
    tn_flow_remove_at(&body->outputs, variable + 1);
    tn_flow_remove_at(&body->output_names, variable + 1);
    tn_flow_remove_at(&body->output_types, variable + 1);
}

void tn_flow_loop_stack(const struct tn_flow_loop *loop, uint32_t variable,
                        uint32_t each, uint32_t stacked)
{
    struct tn_net *net = loop->net;

    tn_flow_loop_drop(loop, variable);
    const struct tn_net_node node = tn_net_node(net, loop->node);
    uint32_t                *outputs =
        tn_new(net->arena, uint32_t, node.output_count + 1, net->error);
    if (!outputs)
        return;
    memcpy(outputs, node.outputs, node.output_count * sizeof *outputs);
    outputs[node.output_count] = stacked;
    tn_net_set_outputs(net, loop->node, outputs, node.output_count + 1);
    tn_net_add_output(net, loop->body, each, tn_bytes(NULL, 0));
}

/* ---- where graphs run --------------------------------------------------- */

/* Whether a node holds a graph, and is an If. */
static bool has_branch(const struct tn_net_node *node, uint32_t graph)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind == TN_ATTR_GRAPH &&
            (uint64_t)node->attrs[i].value.of.ints[0] == graph)
            return tn_bytes_is(node->op->type, "If");
    return false;
}

static bool is_branch(const struct tn_net *net, uint32_t graph)
{
    uint32_t              parent = tn_net_graph(net, graph)->parent;
    const struct tn_list *nodes =
        parent == TN_NONE ? NULL : &tn_net_graph(net, parent)->nodes;

    for (uint64_t i = 0; nodes && i < nodes->count; i++) {
        const struct tn_net_node node =
            tn_net_node(net, *tn_list_at(nodes, uint32_t, i));
        if (!node.is_removed && has_branch(&node, graph))
            return true;
    }
    return false;
}

bool tn_flow_runs_with(const struct tn_net *net, uint32_t outer, uint32_t inner)
{
    for (uint64_t step = 0; inner != outer && step < net->graphs.count;
         step++) {
        if (!is_branch(net, inner))
            return false;
        inner = tn_net_graph(net, inner)->parent;
    }
    return inner == outer;
}
