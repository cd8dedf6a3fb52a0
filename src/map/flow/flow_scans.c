/*
 * flow_scans.c - what a Loop stacks becomes a list that it writes
 *
 *   Loop(M, c, v) {body} -> (v', stacked)
 *
 *   list, first <- create_list(0)
 *   v', last    <- Loop(M, c, v, first) {body, then write_list(list, i, ...)}
 *   stacked     <- gather_list(list, [-1], last)
 *
 * Dataflow of nd4j knows no other way to keep something of every round.  The
 * list begins empty, since how many rounds there are may be known to none.
 */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

struct scanning {
    struct tn_net *net;
    uint32_t       node, graph, body;
    uint32_t       variables; /* inputs of the node before                    */
    uint32_t       scans;
};

struct list {
    uint32_t handle, first, inside, last;
};

static uint32_t add_flow(struct tn_net *net, uint32_t graph, const char *wish)
{
    uint32_t value = tn_net_add_value(net, graph, tn_text(wish));

    if (value != TN_NONE)
        tn_net_set_scalar(net, value, TN_FLOAT32);
    return value;
}

static uint32_t add_node(const struct scanning *s, uint32_t graph,
                         const char *type, const uint32_t *inputs,
                         uint32_t input_count, const uint32_t *outputs,
                         uint32_t output_count)
{
    struct tn_net_node node = {
        .name         = tn_net_value(s->net, outputs[output_count - 1]).name,
        .op           = tn_net_own_op(s->net, type),
        .graph        = graph,
        .inputs       = inputs,
        .input_count  = input_count,
        .outputs      = outputs,
        .output_count = output_count,
        .source       = tn_net_node(s->net, s->node).source,
    };

    return tn_net_add_node(s->net, &node);
}

static void set_dtype(struct tn_net *net, uint32_t node, enum tn_dtype dtype)
{
    int64_t *kept = tn_new(net->arena, int64_t, 1, net->error);

    if (!kept || node == TN_NONE)
        return;
    *kept = dtype;
    tn_net_set_attr(net, node, "importDataType",
                    &(struct tn_attr_value){
                        .kind = TN_ATTR_DTYPE, .count = 1, .of.ints = kept });
}

static uint32_t *body_output(const struct scanning *s, uint32_t scan)
{
    return tn_list_at(&tn_net_graph(s->net, s->body)->outputs, uint32_t,
                      s->variables - 1 + scan);
}

/* The list, and the body that writes it. */
static void open_list(const struct scanning *s, uint32_t scan,
                      struct list *list)
{
    struct tn_net *net   = s->net;
    int64_t        zero  = 0;
    uint32_t       value = *body_output(s, scan);
    uint32_t size = tn_net_add_ints(net, s->graph, tn_text("rounds"), TN_INT32,
                                    &zero, 0, NULL);

    list->handle     = tn_net_add_value(net, s->graph, tn_text("list"));
    list->first      = add_flow(net, s->graph, "flow");
    list->inside     = add_flow(net, s->body, "flow");
    list->last       = add_flow(net, s->graph, "flow");
    uint32_t written = add_flow(net, s->body, "flow");
    if (tn_failed(net->error))
        return;
    set_dtype(net,
              add_node(s, s->graph, "create_list", &size, 1,
                       (uint32_t[]){ list->handle, list->first }, 2),
              tn_net_value(net, value).type->dtype);
    uint32_t round =
        *tn_list_at(&tn_net_graph(net, s->body)->inputs, uint32_t, 0);
    uint32_t write[] = { list->handle, round, value, list->inside };
    add_node(s, s->body, "write_list", write, 4, &written, 1);
    tn_net_add_input(net, s->body, list->inside, tn_bytes(NULL, 0));
    *body_output(s, scan) = written;
}

/* What the node gave is what the list holds in the end. */
static void close_list(const struct scanning *s, const struct list *list,
                       uint32_t stacked)
{
    int64_t  all   = -1;
    uint32_t every = tn_net_add_ints(s->net, s->graph, tn_text("every"),
                                     TN_INT32, &all, 1, (uint64_t[]){ 1 });

    if (stacked == TN_NONE || every == TN_NONE)
        return;
    uint32_t inputs[] = { list->handle, every, list->last };
    add_node(s, s->graph, "gather_list", inputs, 3, &stacked, 1);
}

/* The lists' flows are variables of the loop. */
static void go_round(const struct scanning *s, const struct list *lists)
{
    struct tn_net *net    = s->net;
    uint32_t       first  = s->variables - 2;
    uint32_t      *inputs = tn_new(net->arena, uint32_t,
                                   (uint64_t)s->variables + s->scans, net->error);
    uint32_t      *outputs =
        tn_new(net->arena, uint32_t, (uint64_t)first + s->scans, net->error);

    if (!inputs || !outputs)
        return;
    for (uint32_t i = 0; i < s->variables; i++)
        inputs[i] = tn_net_node(net, s->node).inputs[i];
    for (uint32_t i = 0; i < first; i++)
        outputs[i] = tn_net_node(net, s->node).outputs[i];
    for (uint32_t i = 0; i < s->scans; i++) {
        inputs[s->variables + i] = lists[i].first;
        outputs[first + i]       = lists[i].last;
    }
    tn_net_set_inputs(net, s->node, inputs, s->variables + s->scans);
    tn_net_set_outputs(net, s->node, outputs, first + s->scans);
}

static void rewrite(const struct scanning *s)
{
    struct tn_net *net = s->net;
    struct list *lists = tn_new(net->arena, struct list, s->scans, net->error);

    for (uint32_t i = 0; lists && i < s->scans && !tn_failed(net->error); i++) {
        const struct tn_net_node node = tn_net_node(net, s->node);
        uint32_t                 at   = s->variables - 2 + i;
        uint32_t stacked = at < node.output_count ? node.outputs[at] : TN_NONE;
        open_list(s, i, &lists[i]);
        if (!tn_failed(net->error))
            close_list(s, &lists[i], stacked);
    }
    if (!tn_failed(net->error))
        go_round(s, lists);
}

/* Whether the node is a Loop with scan outputs; lowering reports what is wrong
 * with one. */
static bool find_scans(struct scanning *s)
{
    const struct tn_net_node    node = tn_net_node(s->net, s->node);
    const struct tn_attr_value *body = tn_net_attr(&node, "body");

    if (node.is_removed || !tn_bytes_is(node.op->type, "Loop") || !body ||
        body->kind != TN_ATTR_GRAPH || body->count != 1 ||
        (uint64_t)body->of.ints[0] >= s->net->graphs.count)
        return false;
    s->body                      = (uint32_t)body->of.ints[0];
    s->graph                     = node.graph;
    s->variables                 = node.input_count;
    const struct tn_net_graph *g = tn_net_graph(s->net, s->body);
    if (s->variables < 2 || g->inputs.count != s->variables ||
        node.output_count + 2 < s->variables ||
        g->outputs.count + 1 <= s->variables)
        return false;
    s->scans = (uint32_t)(g->outputs.count + 1 - s->variables);
    return true;
}

enum tn_status tn_flow_scans(struct tn_net *net)
{
    uint64_t count = net->nodes.count;

    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++) {
        struct scanning s = { .net = net, .node = i };
        if (find_scans(&s))
            rewrite(&s);
    }
    return tn_failed(net->error) ? net->error->status : tn_net_order(net, NULL);
}
