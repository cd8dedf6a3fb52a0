/*
 * tflite_cells.c - sequences of LSTM cells that ONNX has no layer for
 *
 * ONNX's LSTM layer neither projects its output nor normalises its gates.  A
 * UNIDIRECTIONAL_SEQUENCE_LSTM that does so becomes a Loop of steps of the
 * operator LSTM:
 *
 *   h, c, rows <- Loop(steps, none, h, c) {LSTM(x[round], weights..., h, c,
 * ...)}
 */
#include "map/net/net_build.h"
#include "map/tidy/tflite_tidy.h"

enum { X = 0, PROJECTION = 16, H = 18, C = 19, NORM = 21, MOST = 24 };

struct cells {
    struct tn_net     *net;
    struct tn_net_node node;
    uint32_t           id;
    bool               is_first; /* the first dimension is time               */
};

static bool is_set(const struct tn_net_node *node, const char *name)
{
    const struct tn_attr_value *flag = tn_net_attr(node, name);

    return flag && flag->kind == TN_ATTR_BOOL && flag->count &&
           flag->of.ints[0];
}

static bool needs_loop(const struct tn_net_node *node)
{
    return !node->is_removed && !node->op->domain.size &&
           tn_bytes_is(node->op->type, "UNIDIRECTIONAL_SEQUENCE_LSTM") &&
           node->input_count <= MOST && tn_net_has_input(node, X) &&
           tn_net_has_input(node, H) && tn_net_has_input(node, C) &&
           node->output_count == 1 && node->outputs[0] != TN_NONE &&
           !is_set(node, "diagonal_recurrent_tensors") &&
           (tn_net_has_input(node, PROJECTION) || tn_net_has_input(node, NORM));
}

/* A node whose outputs are new; the first of them. */
static uint32_t add(const struct cells *s, uint32_t graph, const char *type,
                    const uint32_t *inputs, uint32_t input_count,
                    uint32_t output_count)
{
    uint32_t outputs[3];

    for (uint32_t i = 0; i < output_count; i++)
        outputs[i] = tn_net_add_value(s->net, graph, s->node.name);
    if (tn_failed(s->net->error))
        return TN_NONE;
    const struct tn_net_node node = { .op     = tn_net_own_op(s->net, type),
                                      .graph  = graph,
                                      .inputs = inputs,
                                      .input_count  = input_count,
                                      .outputs      = outputs,
                                      .output_count = output_count,
                                      .source       = s->node.source };
    return tn_net_add_node(s->net, &node) == TN_NONE ? TN_NONE : outputs[0];
}

static void set_attr(const struct cells *s, uint32_t value, const char *name,
                     const struct tn_attr_value *to)
{
    if (value != TN_NONE && !tn_failed(s->net->error))
        tn_net_set_attr(s->net, tn_net_value(s->net, value).producer, name, to);
}

static void set_int(const struct cells *s, uint32_t value, const char *name,
                    enum tn_attr_kind kind, int64_t number)
{
    if (value != TN_NONE && !tn_failed(s->net->error))
        tn_net_set_int(s->net, tn_net_value(s->net, value).producer, name, kind,
                       number);
}

/* Time and batch change places, unless time is first anyway. */
static uint32_t turned(const struct cells *s, uint32_t value)
{
    static const int64_t  perm[] = { 1, 0, 2 };
    static const uint64_t three  = 3;

    if (s->is_first || value == TN_NONE)
        return value;
    uint32_t inputs[] = { value,
                          tn_net_add_ints(s->net, s->node.graph, s->node.name,
                                          TN_INT32, perm, 1, &three) };
    return add(s, s->node.graph, "TRANSPOSE", inputs, 2, 1);
}

/* One step: what it gives, its state and its cell after it. */
static uint32_t add_step(const struct cells *s, uint32_t body, uint32_t rows,
                         uint32_t round, const uint32_t state[2])
{
    static const struct tn_bytes full   = { (const uint8_t *)"FULL", 4 };
    static const char *const     same[] = { "fused_activation_function",
                                            "cell_clip", "proj_clip",
                                            "asymmetric_quantize_inputs" };
    uint32_t                     inputs[MOST];
    uint32_t row = add(s, body, "GATHER", (uint32_t[]){ rows, round }, 2, 1);

    set_int(s, row, "axis", TN_ATTR_INT, 0);
    set_int(s, row, "batch_dims", TN_ATTR_INT, 0);
    memcpy(inputs, s->node.inputs, s->node.input_count * sizeof *inputs);
    inputs[X]     = row;
    inputs[H]     = state[0];
    inputs[C]     = state[1];
    uint32_t step = add(s, body, "LSTM", inputs, s->node.input_count, 3);
    set_attr(s, step, "kernel_type",
             &(struct tn_attr_value){
                 .kind = TN_ATTR_STRING, .count = 1, .of.strings = &full });
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const struct tn_attr_value *value = tn_net_attr(&s->node, same[i]);
        if (value)
            set_attr(s, step, same[i], value);
    }
    return step;
}

static void become_loop(const struct cells *s, int64_t steps)
{
    struct tn_net *net   = s->net;
    uint32_t       graph = s->node.graph;
    uint32_t       body =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("steps"), graph);
    uint32_t rows = turned(s, s->node.inputs[X]);

    if (body == TN_NONE || rows == TN_NONE)
        return;
    uint32_t round    = tn_net_new_input(s->net, body, "round");
    uint32_t going    = tn_net_new_input(s->net, body, "going");
    uint32_t state[2] = { tn_net_new_input(s->net, body, "h"),
                          tn_net_new_input(s->net, body, "c") };
    if (tn_failed(net->error))
        return;
    tn_net_set_scalar(net, round, TN_INT64);
    tn_net_set_scalar(net, going, TN_BOOL);
    for (uint32_t i = 0; i < 2; i++)
        tn_net_copy_type(net, state[i], s->node.inputs[H + i]);
    uint32_t step = add_step(s, body, rows, round, state);
    if (step == TN_NONE)
        return;
    tn_net_add_output(net, body, going, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, step + 1, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, step + 2, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, step, tn_bytes(NULL, 0));
    const uint32_t inputs[] = { tn_net_add_ints(net, graph, s->node.name,
                                                TN_INT64, &steps, 0, NULL),
                                TN_NONE, s->node.inputs[H], s->node.inputs[C] };
    uint32_t       loop     = add(s, graph, "Loop", inputs, 4, 3);
    set_int(s, loop, "body", TN_ATTR_GRAPH, body);
    uint32_t made = loop == TN_NONE ? TN_NONE : turned(s, loop + 2);
    if (made == TN_NONE || tn_failed(net->error))
        return;
    tn_net_copy_type(net, made, s->node.outputs[0]);
    tn_net_swap_names(net, s->node.outputs[0], made);
    tn_net_replace(net, s->node.outputs[0], made);
    tn_net_remove(net, s->id);
}

enum tn_status tn_tflite_cells(struct tn_tflite_work *work)
{
    struct tn_net *net   = work->net;
    uint64_t       count = net->nodes.count, found = 0;

    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++) {
        struct cells s = { .net = net, .node = tn_net_node(net, i), .id = i };
        if (!needs_loop(&s.node))
            continue;
        s.is_first = is_set(&s.node, "time_major");
        const struct tn_net_type *type =
            tn_net_value(net, s.node.inputs[X]).type;
        int64_t steps = type->has_rank && type->rank == 3
                            ? type->dims[s.is_first ? 0 : 1]
                            : -1;
        if (steps < 0)
            continue; /* the rule says what is missing */
        become_loop(&s, steps);
        found++;
    }
    if (!found || tn_failed(net->error))
        return net->error->status;
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return tn_net_order(net, NULL);
}
