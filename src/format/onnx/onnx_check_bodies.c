/*
 * onnx_check_bodies.c - how values go into the graphs that nodes run, and come
 * out of them
 *
 *   If           nothing goes in; results are the outputs of either branch
 *   Loop         iteration number, condition and carried values go in;
 * condition, carried values and rows of scan outputs come out.  Shapes of
 *                carried values may change from one iteration to the next
 *   Scan         states, and slices of scan inputs, which have one axis less
 *   SequenceMap  elements of sequences
 *   functions    arguments as they are
 */
#include "format/onnx/onnx_check.h"

/* What Scan says of its inputs; UINT32_MAX: it cannot be said. */
static uint32_t count_scan_inputs(const struct tn_model *model, uint32_t op)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    uint32_t                    count = UINT32_MAX;

    if (tn_attr_find(&attr, model, op, "num_scan_inputs", &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_INT && !value->is_list &&
            value->of.ints[0] >= 0 && value->of.ints[0] < UINT32_MAX)
            count = (uint32_t)value->of.ints[0];
    }
    tn_attr_close(attr);
    return count;
}

static bool pass_loop(const struct tn_crossing *c, uint32_t inputs,
                      uint32_t condition, struct tn_passing *to)
{
    uint32_t carried = inputs < 2 ? 0 : inputs - 2;

    if (!c->is_output && c->index >= 2) {
        to->number     = c->index;
        to->has_rank   = true;
        to->is_carried = true;
    } else if (!c->is_output && c->index == 1 && condition != TN_NONE) {
        to->number   = 1;
        to->has_rank = true;
    } else if (!c->is_output) {
        to->type = TN_TYPE(c->index ? TN_BOOL : TN_INT64, TN_WRAP_NONE);
        to->rank = TN_RANK(0);
    } else if (c->index == 0) {
        to->type = TN_TYPE(TN_BOOL, TN_WRAP_NONE);
    } else {
        to->number   = c->index - 1;
        to->has_rank = true;
        if (to->number < carried)
            to->start = to->number + 2;
        else
            to->deeper = -1; /* of scan outputs it gives a row */
    }
    return true;
}

/* The first version has batches, and their lengths in front. */
static bool pass_scan(struct tn_onnx_checker *ch, const struct tn_crossing *c,
                      uint32_t inputs, struct tn_passing *to)
{
    uint32_t first = c->kind->since < 9 ? 1 : 0;
    uint32_t scans, states;

    if (ch->scan_op != c->op) {
        ch->scan_op     = c->op;
        ch->scan_inputs = count_scan_inputs(ch->model, c->op);
    }
    scans = ch->scan_inputs;
    if (inputs < first || scans > inputs - first)
        return false;
    states       = inputs - first - scans;
    to->has_rank = true;
    to->deeper   = (int8_t)(c->index < states ? 0 : -1);
    if (first)
        to->deeper--;
    to->number = c->is_output ? c->index : c->index + first;
    if (c->is_output && c->index < states)
        to->start = c->index;
    return true;
}

bool tn_onnx_pass(struct tn_onnx_checker *ch, const struct tn_crossing *c,
                  struct tn_passing *to)
{
    const struct tn_op *row    = tn_model_op_at(ch->model, c->op);
    uint32_t            inputs = row->input_count;

    if (tn_model_graph_at(ch->model, c->graph)->kind == TN_GRAPH_FUNCTION ||
        (c->kind && tn_bytes_is(c->kind->name, "If") && c->is_output)) {
        to->number   = c->index;
        to->has_rank = true;
        return true;
    }
    if (!c->kind)
        return false;
    if (tn_bytes_is(c->kind->name, "Loop"))
        return pass_loop(c, inputs, tn_op_input(ch->model, c->op, 1), to);
    if (tn_bytes_is(c->kind->name, "Scan"))
        return pass_scan(ch, c, inputs, to);
    if (!tn_bytes_is(c->kind->name, "SequenceMap"))
        return false;
    to->number     = c->index;
    to->is_element = true;
    to->has_rank   = !c->is_output;
    return true;
}

uint32_t tn_onnx_callee(const struct tn_onnx_checker *ch, uint32_t op,
                        uint32_t number)
{
    return number || !ch->callees.count ? TN_NONE
                                        : tn_pairs_find(&ch->callees, op, 0);
}

/* ---- how many ----------------------------------------------------------- */

struct arity {
    uint32_t inputs, outputs; /* that the graph has to have                   */
};

/* False: the op is none that runs graphs, as far as we know. */
static bool find_arity(const struct tn_onnx_checker *ch, uint32_t op,
                       struct arity *to)
{
    const struct tn_op *row  = tn_model_op_at(ch->model, op);
    struct tn_bytes     type = tn_model_name(ch->model, row->type);
    int64_t             version;

    if (tn_onnx_domain(tn_model_name(ch->model, row->domain)).size ||
        !tn_onnx_imported(ch, ch->roots[row->graph], TN_NO_NAME, &version))
        return false;
    *to = (struct arity){ row->input_count, row->output_count };
    if (tn_bytes_is(type, "If")) {
        to->inputs = 0;
    } else if (tn_bytes_is(type, "Loop")) {
        to->inputs = row->input_count < 2 ? 2 : row->input_count;
        to->outputs++;
    } else if (tn_bytes_is(type, "Scan")) {
        to->inputs -= version < 9 && to->inputs ? 1 : 0;
    } else {
        return tn_bytes_is(type, "SequenceMap");
    }
    return true;
}

static void expect_count(struct tn_onnx_checker *ch, uint32_t op,
                         uint32_t graph, const char *word, uint32_t found,
                         uint32_t wanted)
{
    const struct tn_op    *row = tn_model_op_at(ch->model, op);
    const struct tn_graph *g   = tn_model_graph_at(ch->model, graph);

    if (found != wanted)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "argument-count", g->wire.offset,
                         TN_ONNX_AT(g->path),
                         "%" PRIu32 " %s, the %.*s around it needs %" PRIu32,
                         found, word,
                         TN_FMT(tn_model_name(ch->model, row->type)), wanted);
}

static void check_call(struct tn_onnx_checker *ch, uint32_t op, uint32_t graph)
{
    const struct tn_op    *row = tn_model_op_at(ch->model, op);
    const struct tn_graph *g   = tn_model_graph_at(ch->model, graph);

    if (row->input_count > g->inputs.count ||
        row->output_count > g->outputs.count)
        tn_onnx_complain(ch, TN_LEVEL_ERROR, "argument-count", row->wire_offset,
                         &(struct tn_onnx_place){ NULL, op, TN_NONE },
                         "%" PRIu32 " inputs and %" PRIu32
                         " outputs, the function has %" PRIu32 " and %" PRIu32,
                         row->input_count, row->output_count, g->inputs.count,
                         g->outputs.count);
}

void tn_onnx_check_arity(struct tn_onnx_checker *ch)
{
    const struct tn_model *model = ch->model;
    struct arity           arity;

    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *g = tn_model_graph_at(model, i);
        uint32_t               op;
        if (ch->report->is_stopped)
            return;
        if (g->kind != TN_GRAPH_SUBGRAPH || g->parent_graph == TN_NONE ||
            g->parent_node == TN_NONE)
            continue;
        op = tn_model_graph_at(model, g->parent_graph)->first_op +
             g->parent_node;
        if (!find_arity(ch, op, &arity))
            continue;
        expect_count(ch, op, i, "inputs", g->inputs.count, arity.inputs);
        expect_count(ch, op, i, "outputs", g->outputs.count, arity.outputs);
    }
    for (uint32_t op = 0;
         ch->callees.count && op < model->ops.count && !ch->report->is_stopped;
         op++) {
        uint32_t graph = tn_onnx_callee(ch, op, 0);
        if (graph != TN_NONE)
            check_call(ch, op, graph);
    }
}
