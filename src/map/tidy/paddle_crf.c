/*
 * paddle_crf.c - the best path through tags, which needs two loops
 *
 * Rules make nodes, not graphs.  So this makes the loops, and leaves to rules
 * what is computed in them and around them:
 *
 *   rows, first, last, count, start <- crf_edges(emission, length, offsets)
 *   alphas    <- Loop(count, none, start) {crf_step}
 *                the best score so far of each tag, row by row
 *   ends, steps <- crf_best(alphas, transition)
 *                where a best path ends, and from where it comes
 *   tags      <- Loop(count, none, 0) {crf_back}
 *                back from the last row
 *   path      <- crf_path(tags, emission, label, length)
 */
#include "map/tidy/paddle_tidy.h"
#include "map/net/net_build.h"

enum { EMISSION, TRANSITION, LABEL, LENGTH, OFFSETS, ARGUMENTS };

struct decoding {
    struct tn_net *net;
    uint32_t       graph, source;
    uint32_t       in[ARGUMENTS];
};

/* The first of the outputs, which have ids one after the other; TN_NONE on
 * failure. */
static uint32_t add_node(const struct decoding *d, uint32_t graph,
                         const char *type, const uint32_t *inputs,
                         uint32_t input_count, uint32_t output_count)
{
    uint32_t outputs[5];

    for (uint32_t i = 0; i < output_count; i++)
        outputs[i] = tn_net_add_value(d->net, graph, tn_text(type));
    if (tn_failed(d->net->error))
        return TN_NONE;
    const struct tn_net_node node = { .op     = tn_net_own_op(d->net, type),
                                      .graph  = graph,
                                      .inputs = inputs,
                                      .input_count  = input_count,
                                      .outputs      = outputs,
                                      .output_count = output_count,
                                      .source       = d->source };
    return tn_net_add_node(d->net, &node) == TN_NONE ? TN_NONE : outputs[0];
}

/* Every state of so many rounds, the first one left out.  The body is one node,
 * of the state, of `around`, and of the round. */
static uint32_t add_loop(const struct decoding *d, const char *type,
                         uint32_t count, uint32_t start, const uint32_t *around,
                         uint32_t around_count)
{
    struct tn_net *net = d->net;
    uint32_t       body =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("rounds"), d->graph);
    uint32_t inputs[8];

    if (body == TN_NONE)
        return TN_NONE;
    uint32_t round = tn_net_new_input(d->net, body, "round");
    uint32_t going = tn_net_new_input(d->net, body, "going");
    inputs[0]      = tn_net_new_input(d->net, body, "state");
    if (tn_failed(net->error))
        return TN_NONE;
    tn_net_set_scalar(net, round, TN_INT64);
    tn_net_set_scalar(net, going, TN_BOOL);
    memcpy(inputs + 1, around, around_count * sizeof *inputs);
    inputs[around_count + 1] = round;
    uint32_t next   = add_node(d, body, type, inputs, around_count + 2, 1);
    uint32_t loop[] = { count, TN_NONE, start };
    uint32_t last   = add_node(d, d->graph, "Loop", loop, 3, 2);
    int64_t *index  = tn_new(net->arena, int64_t, 1, net->error);
    if (next == TN_NONE || last == TN_NONE || !index)
        return TN_NONE;
    tn_net_add_output(net, body, going, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, next, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, next, tn_bytes(NULL, 0));
    *index = body;
    tn_net_set_attr(net, tn_net_value(net, last).producer, "body",
                    &(struct tn_attr_value){
                        .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = index });
    return last + 1;
}

/* The path; TN_NONE on failure. */
static uint32_t decode(const struct decoding *d)
{
    const uint32_t edge[] = { d->in[EMISSION], d->in[LENGTH], d->in[OFFSETS] };
    const int64_t  zero   = 0;
    uint32_t       rows   = add_node(d, d->graph, "crf_edges", edge, 3, 5);
    uint32_t       first = rows + 1, last = rows + 2, count = rows + 3;

    if (rows == TN_NONE)
        return TN_NONE;
    const uint32_t step[]   = { rows, d->in[TRANSITION], first };
    uint32_t       alphas   = add_loop(d, "crf_step", count, rows + 4, step, 3);
    const uint32_t scored[] = { alphas, d->in[TRANSITION] };
    uint32_t       ends     = alphas == TN_NONE
                                  ? TN_NONE
                                  : add_node(d, d->graph, "crf_best", scored, 2, 2);
    uint32_t none = tn_net_add_ints(d->net, d->graph, tn_text("tag"), TN_INT64,
                                    &zero, 0, NULL);
    if (ends == TN_NONE || none == TN_NONE)
        return TN_NONE;
    const uint32_t back[] = { ends, ends + 1, last, count };
    uint32_t       tags   = add_loop(d, "crf_back", count, none, back, 4);
    const uint32_t path[] = { tags, d->in[EMISSION], d->in[LABEL],
                              d->in[LENGTH] };
    return tags == TN_NONE ? TN_NONE
                           : add_node(d, d->graph, "crf_path", path, 4, 1);
}

static void replace(struct tn_net *net, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(net, id);
    struct decoding          d    = { net, node.graph, node.source, { 0 } };
    uint32_t old = node.output_count ? node.outputs[0] : TN_NONE;

    for (uint32_t i = 0; i < ARGUMENTS; i++)
        d.in[i] = i < node.input_count ? node.inputs[i] : TN_NONE;
    uint32_t path = old == TN_NONE ? TN_NONE : decode(&d);
    if (path == TN_NONE)
        return;
    /* The value keeps its name: it is another node that makes it. */
    tn_net_set_outputs(net, tn_net_value(net, path).producer, &old, 1);
    tn_net_set_outputs(net, id, NULL, 0);
    tn_net_remove(net, id);
}

enum tn_status tn_paddle_crf(struct tn_net *net)
{
    uint64_t count = net->nodes.count;

    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++)
        if (!tn_net_node(net, i).is_removed &&
            tn_bytes_is(tn_net_node(net, i).op->type, "crf_decoding"))
            replace(net, i);
    return net->error->status;
}
