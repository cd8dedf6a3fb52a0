/*
 * tf_block_lstm.c - BlockLSTM as a loop of cells
 *
 * Rules turn a BlockLSTM into a layer if its gates are not used, and unroll it
 * if its number of steps is known.  All others become a Loop:
 *
 *   h, c, gates... <- Loop(seq_len_max, none, h_prev, cs_prev)
 *                     {LSTMBlockCell(x[round], c, h, w, ...)}
 *
 * Rows after seq_len_max are zeros.  The last row of the states of all steps is
 * the final state: if no other row is used, onnx_rnn.c can turn the loop into a
 * layer.
 */
#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

enum { STEPS, X, C0, H0, W, WCI, WCF, WCO, B, ARGUMENTS };
enum { GATE_I, STATES, GATE_F, GATE_O, GATE_CI, GATE_CO, HIDDEN, RESULTS };

/* The users of a value, and the nodes that take only its last row. */
struct uses {
    uint32_t count, last_count;
    uint32_t first_last; /* node + 1; 0: none                                 */
};

struct finding {
    struct tn_net  *net;
    struct tn_arena arena;
    struct uses    *uses; /* by value                                         */
    uint32_t       *next; /* by node: the next that takes the same last row   */
};

struct block {
    struct tn_net        *net;
    const struct finding *all;
    struct tn_net_node    node;
    uint32_t              id;
    bool                  is_second; /* BlockLSTMV2: gates are i, f, c, o     */
    bool                  takes_all; /* seq_len_max is the number of steps    */
};

/* ---- looking at it ------------------------------------------------------ */

static bool is_block(const struct tn_net_node *node)
{
    return !node->is_removed && node->input_count == ARGUMENTS &&
           node->output_count == RESULTS &&
           (tn_bytes_is(node->op->type, "BlockLSTM") ||
            tn_bytes_is(node->op->type, "BlockLSTMV2"));
}

static double float_attr(const struct tn_net_node *node, const char *name,
                         double other)
{
    const struct tn_attr_value *value = tn_net_attr(node, name);

    return value && value->kind == TN_ATTR_FLOAT && value->count == 1
               ? value->of.floats[0]
               : other;
}

/* StridedSlice(value, [-1], ...) without that axis. */
static bool is_last_row(const struct tn_net      *net,
                        const struct tn_net_node *node)
{
    int64_t  begin, step;
    uint64_t count;

    return tn_bytes_is(node->op->type, "StridedSlice") &&
           node->input_count == 4 && node->inputs[1] != TN_NONE &&
           node->inputs[3] != TN_NONE &&
           tn_flow_numbers(net, tn_flow_behind(net, node->inputs[1]), &begin, 1,
                           &count) &&
           count == 1 && begin == -1 &&
           tn_flow_numbers(net, tn_flow_behind(net, node->inputs[3]), &step, 1,
                           &count) &&
           count == 1 && step == 1 &&
           tn_net_int_attr(node, "shrink_axis_mask", 0) == 1 &&
           tn_net_int_attr(node, "begin_mask", 0) == 0 &&
           tn_net_int_attr(node, "ellipsis_mask", 0) == 0 &&
           tn_net_int_attr(node, "new_axis_mask", 0) == 0;
}

static int64_t steps_of(const struct block *b)
{
    const struct tn_net_type *type =
        tn_net_value(b->net, b->node.inputs[X]).type;

    return type->has_rank && type->rank == 3 ? type->dims[0] : -1;
}

static bool takes_all(const struct block *b)
{
    int64_t  number;
    uint64_t count;

    if (tn_flow_numbers(b->net, tn_flow_behind(b->net, b->node.inputs[STEPS]),
                        &number, 1, &count))
        return count == 1 && number == steps_of(b);
    return tn_flow_row_count_of(b->net, b->node.inputs[STEPS]) ==
           tn_flow_behind(b->net, b->node.inputs[X]);
}

/* All users at once: there may be many blocks. */
static bool find_uses(struct finding *f)
{
    struct tn_net *net = f->net;

    f->uses = tn_new(&f->arena, struct uses, net->values.count, net->error);
    f->next = tn_new(&f->arena, uint32_t, net->nodes.count, net->error);
    for (uint32_t i = 0; f->uses && f->next && i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++) {
            if (node.inputs[k] == TN_NONE)
                continue;
            struct uses *uses = &f->uses[node.inputs[k]];
            uses->count++;
            if (k || node.output_count != 1 || !is_last_row(net, &node))
                continue;
            uses->last_count++;
            f->next[i]       = uses->first_last;
            uses->first_last = i + 1;
        }
    }
    for (uint32_t g = 0; f->uses && g < net->graphs.count; g++) {
        const struct tn_list *outputs = &tn_net_graph(net, g)->outputs;
        for (uint64_t i = 0; i < outputs->count; i++)
            f->uses[*tn_list_at(outputs, uint32_t, i)].count++;
    }
    return f->uses && f->next && !tn_failed(net->error);
}

static const struct uses *uses_of(const struct block *b, uint32_t result)
{
    static const struct uses none;
    uint32_t                 value = b->node.outputs[result];

    return value == TN_NONE ? &none : &b->all->uses[value];
}

/* Whether rules would have to unroll it, and a loop is better: because the
 * number of steps is unknown, or because the loop becomes a layer. */
static bool needs_loop(const struct block *b)
{
    bool has_gates = false, is_layer = b->takes_all;

    for (uint32_t i = 0; i < HIDDEN; i++) {
        const struct uses *uses = uses_of(b, i);
        has_gates               = has_gates || uses->count;
        is_layer =
            is_layer && uses->count == (i == STATES ? uses->last_count : 0);
    }
    bool clips = float_attr(&b->node, "cell_clip", b->is_second ? 0 : 3) > 0;
    return (has_gates || clips) && (steps_of(b) < 0 || (is_layer && !clips));
}

/* ---- making it ---------------------------------------------------------- */

static uint32_t add(const struct block *b, uint32_t graph, const char *type,
                    const uint32_t *inputs, uint32_t input_count,
                    uint32_t output_count)
{
    uint32_t outputs[RESULTS + 2];

    for (uint32_t i = 0; i < output_count; i++)
        outputs[i] = tn_net_add_value(b->net, graph, b->node.name);
    if (tn_failed(b->net->error))
        return TN_NONE;
    const struct tn_net_node node = { .op     = tn_net_own_op(b->net, type),
                                      .graph  = graph,
                                      .inputs = inputs,
                                      .input_count  = input_count,
                                      .outputs      = outputs,
                                      .output_count = output_count,
                                      .source       = b->node.source };
    return tn_net_add_node(b->net, &node) == TN_NONE ? TN_NONE : outputs[0];
}

static uint32_t maker_of(const struct block *b, uint32_t value)
{
    return tn_net_value(b->net, value).producer;
}

static void set_int(const struct block *b, uint32_t value, const char *name,
                    enum tn_attr_kind kind, int64_t number)
{
    if (value != TN_NONE)
        tn_net_set_int(b->net, maker_of(b, value), name, kind, number);
}

static void set_type(const struct block *b, uint32_t value, const char *name,
                     enum tn_dtype dtype)
{
    set_int(b, value, name, TN_ATTR_DTYPE, dtype);
}

static enum tn_dtype dtype_of(const struct block *b)
{
    const struct tn_attr_value *type = tn_net_attr(&b->node, "T");

    return type && type->kind == TN_ATTR_DTYPE && type->count == 1
               ? (enum tn_dtype)type->of.ints[0]
               : TN_FLOAT32;
}

static uint32_t add_ints(const struct block *b, uint32_t graph,
                         enum tn_dtype dtype, const int64_t *items,
                         uint32_t rank, uint64_t count)
{
    return tn_net_add_ints(b->net, graph, b->node.name, dtype, items, rank,
                           &count);
}

static uint32_t add_int(const struct block *b, uint32_t graph, int64_t number)
{
    return add_ints(b, graph, TN_INT32, &number, 0, 1);
}

static uint32_t joined(const struct block *b, const uint32_t *values,
                       uint32_t count, enum tn_dtype dtype, int64_t axis)
{
    uint32_t inputs[5];

    memcpy(inputs, values, count * sizeof *inputs);
    inputs[count] = add_int(b, b->node.graph, axis);
    uint32_t made = add(b, b->node.graph, "ConcatV2", inputs, count + 1, 1);
    set_int(b, made, "N", TN_ATTR_INT, count);
    set_type(b, made, "T", dtype);
    set_type(b, made, "Tidx", TN_INT32);
    return made;
}

/* Columns of the second version in the order of the cell: i, c, f, o. */
static uint32_t in_order(const struct block *b, uint32_t value, int64_t axis)
{
    const uint32_t inputs[] = { add_int(b, b->node.graph, axis), value };

    if (!b->is_second)
        return value;
    uint32_t first = add(b, b->node.graph, "Split", inputs, 2, 4);
    set_int(b, first, "num_split", TN_ATTR_INT, 4);
    set_type(b, first, "T", dtype_of(b));
    const uint32_t parts[] = { first, first + 2, first + 1, first + 3 };
    return first == TN_NONE ? TN_NONE : joined(b, parts, 4, dtype_of(b), axis);
}

static uint32_t add_row(const struct block *b, uint32_t body, uint32_t round)
{
    const uint32_t inputs[] = { b->node.inputs[X], round, add_int(b, body, 0) };
    uint32_t       row      = add(b, body, "GatherV2", inputs, 3, 1);

    set_type(b, row, "Tparams", dtype_of(b));
    set_type(b, row, "Tindices", TN_INT64);
    set_type(b, row, "Taxis", TN_INT32);
    return row;
}

/* The cell of one round: the first of its results. */
static uint32_t add_cell(const struct block *b, uint32_t body, uint32_t row,
                         uint32_t c, uint32_t h)
{
    static const float none     = 0;
    const uint32_t    *in       = b->node.inputs;
    const uint32_t     inputs[] = { row,     c,
                                    h,       in_order(b, in[W], 1),
                                    in[WCI], in[WCF],
                                    in[WCO], in_order(b, in[B], 0) };
    uint32_t           first    = add(b, body, "LSTMBlockCell", inputs,
                                      sizeof inputs / sizeof *inputs, RESULTS);

    if (first == TN_NONE)
        return TN_NONE;
    tn_net_copy_attrs(b->net, maker_of(b, first), b->id);
    if (!b->is_second)
        return first;
    tn_net_set_attr(b->net, maker_of(b, first), "forget_bias",
                    &(struct tn_attr_value){ .kind      = TN_ATTR_FLOAT,
                                             .count     = 1,
                                             .of.floats = &none });
    if (!tn_net_attr(&b->node, "cell_clip"))
        tn_net_set_attr(b->net, maker_of(b, first), "cell_clip",
                        &(struct tn_attr_value){ .kind      = TN_ATTR_FLOAT,
                                                 .count     = 1,
                                                 .of.floats = &none });
    return first;
}

/* Zeros behind the last round, up to the number of rows of x. */
static uint32_t padded(const struct block *b, uint32_t scan)
{
    static const int64_t zeros[4] = { 0 }, dims[] = { 3, 2 }, one = 1;
    uint32_t             graph = b->node.graph;

    if (b->takes_all)
        return scan;
    uint32_t shape = add(b, graph, "Shape", &b->node.inputs[X], 1, 1);
    set_type(b, shape, "T", dtype_of(b));
    set_type(b, shape, "out_type", TN_INT64);
    const uint32_t first[] = { shape, add_int(b, graph, 0),
                               add_int(b, graph, 0) };
    uint32_t       rows    = add(b, graph, "GatherV2", first, 3, 1);
    set_type(b, rows, "Tparams", TN_INT64);
    set_type(b, rows, "Tindices", TN_INT32);
    set_type(b, rows, "Taxis", TN_INT32);
    uint32_t rest =
        add(b, graph, "Sub", (uint32_t[]){ rows, b->node.inputs[STEPS] }, 2, 1);
    set_type(b, rest, "T", TN_INT64);
    uint32_t one_rest = add(
        b, graph, "Reshape",
        (uint32_t[]){ rest, add_ints(b, graph, TN_INT32, &one, 1, 1) }, 2, 1);
    set_type(b, one_rest, "T", TN_INT64);
    set_type(b, one_rest, "Tshape", TN_INT32);
    const uint32_t parts[] = { add_ints(b, graph, TN_INT64, zeros, 1, 1),
                               one_rest,
                               add_ints(b, graph, TN_INT64, zeros, 1, 4) };
    uint32_t       pads =
        add(b, graph, "Reshape",
            (uint32_t[]){ joined(b, parts, 3, TN_INT64, 0),
                          add_ints(b, graph, TN_INT32, dims, 1, 2) },
            2, 1);
    set_type(b, pads, "T", TN_INT64);
    set_type(b, pads, "Tshape", TN_INT32);
    uint32_t made = add(b, graph, "Pad", (uint32_t[]){ scan, pads }, 2, 1);
    set_type(b, made, "T", dtype_of(b));
    set_type(b, made, "Tpaddings", TN_INT64);
    return made;
}

/* A value that takes the place of another. */
static void hand_on(const struct block *b, uint32_t from, uint32_t to)
{
    if (from == TN_NONE || to == TN_NONE || tn_failed(b->net->error))
        return;
    tn_net_copy_type(b->net, to, from);
    tn_net_swap_names(b->net, from, to);
    tn_net_replace(b->net, from, to);
}

/* Replaces last rows of results by the final values of the Loop. */
static void replace_last(const struct block *b, uint32_t result, uint32_t state)
{
    struct tn_net *net  = b->net;
    uint32_t       node = b->takes_all ? uses_of(b, result)->first_last : 0;

    for (; node && !tn_failed(net->error); node = b->all->next[node - 1]) {
        tn_net_replace(net, tn_net_node(net, node - 1).outputs[0], state);
        tn_net_remove(net, node - 1);
    }
}

static bool is_scanned(const struct block *b, uint32_t result)
{
    const struct uses *uses = uses_of(b, result);

    return uses->count > (b->takes_all ? uses->last_count : 0);
}

static void become_loop(struct block *b)
{
    struct tn_net *net   = b->net;
    uint32_t       graph = b->node.graph, count = 2;
    uint32_t       body =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("steps"), graph);

    if (body == TN_NONE)
        return;
    uint32_t round = tn_net_new_input(b->net, body, "round");
    uint32_t going = tn_net_new_input(b->net, body, "going");
    uint32_t h     = tn_net_new_input(b->net, body, "h");
    uint32_t c     = tn_net_new_input(b->net, body, "c");
    if (tn_failed(net->error))
        return;
    tn_net_set_scalar(net, round, TN_INT64);
    tn_net_set_scalar(net, going, TN_BOOL);
    tn_net_copy_type(net, h, b->node.inputs[H0]);
    tn_net_copy_type(net, c, b->node.inputs[C0]);
    uint32_t cell = add_cell(b, body, add_row(b, body, round), c, h);
    if (cell == TN_NONE)
        return;
    tn_net_add_output(net, body, going, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, cell + HIDDEN, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, cell + STATES, tn_bytes(NULL, 0));
    for (uint32_t i = 0; i < RESULTS; i++) {
        if (!is_scanned(b, i))
            continue;
        tn_net_add_output(net, body, cell + i, tn_bytes(NULL, 0));
        count++;
    }
    const uint32_t inputs[] = { b->node.inputs[STEPS], TN_NONE,
                                b->node.inputs[H0], b->node.inputs[C0] };
    uint32_t       loop     = add(b, graph, "Loop", inputs, 4, count);
    set_int(b, loop, "body", TN_ATTR_GRAPH, body);
    if (tn_failed(net->error))
        return;
    replace_last(b, HIDDEN, loop);
    replace_last(b, STATES, loop + 1);
    for (uint32_t i = 0, k = 2; i < RESULTS && !tn_failed(net->error); i++)
        if (is_scanned(b, i))
            hand_on(b, b->node.outputs[i], padded(b, loop + k++));
    tn_net_remove(net, b->id);
}

bool tn_tf_has_block_lstm(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (is_block(&node))
            return true;
    }
    return false;
}

static bool is_given(const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] == TN_NONE)
            return false;
    return true;
}

static uint64_t find_blocks(const struct finding *f)
{
    struct tn_net *net   = f->net;
    uint64_t       count = net->nodes.count, found = 0;

    for (uint32_t i = 0; i < count && tn_net_goes_on(net); i++) {
        struct block b = {
            .net = net, .all = f, .node = tn_net_node(net, i), .id = i
        };
        if (!is_block(&b.node) || !is_given(&b.node))
            continue;
        b.is_second = tn_bytes_is(b.node.op->type, "BlockLSTMV2");
        b.takes_all = takes_all(&b);
        if (!needs_loop(&b))
            continue;
        become_loop(&b);
        found++;
    }
    return found;
}

enum tn_status tn_tf_block_lstm(struct tn_net *net, uint64_t *found)
{
    struct finding f = { .net = net };

    tn_arena_init(&f.arena, net->arena->memory);
    *found = find_uses(&f) ? find_blocks(&f) : 0;
    tn_arena_done(&f.arena);
    if (!*found || tn_failed(net->error))
        return net->error->status;
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, NULL);
}
