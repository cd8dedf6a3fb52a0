/*
 * flow_stack.c - lists that a Loop writes, and scan outputs of the Loop
 *
 * A list becomes a scan output (tn_flow_stack()):
 *
 *   list, first <- create_list(0)
 *   v', last    <- Loop(M, c, v, first) {body, write_list(list, i, y, ...)}
 *   stacked     <- gather_list(list, [-1], last)
 *
 *   v', stacked <- Loop(M, c, v) {body -> v, y}
 *
 * if the body writes y at index i in round i, and the list has no other users.
 * Only this form has a type and shape for the result if there is no round.
 *
 * tn_flow_scans(), at the end of this file, is the reverse.
 */
#include "map/flow/flow.h"
#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"

struct stacking {
    struct tn_net *net;
    struct tn_list uses; /* uint32_t by value: how often it is used           */

    /* of the list at hand */
    struct tn_flow_loop loop;
    uint32_t            gather, maker, writer; /* nodes                       */
    uint32_t variable; /* its flow is that one of the Loop                    */
};

/* ---- what values are ---------------------------------------------------- */

static void use(struct stacking *s, const uint32_t *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (values[i] != TN_NONE)
            ++*tn_list_at(&s->uses, uint32_t, values[i]);
}

static bool count_uses(struct stacking *s)
{
    const struct tn_net *net = s->net;

    if (!tn_list_grow(&s->uses, net->values.count, net->error))
        return false;
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed)
            use(s, tn_net_node(net, i).inputs, tn_net_node(net, i).input_count);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        use(s, outputs->items, outputs->count);
    }
    return true;
}

static uint32_t uses_of(const struct stacking *s, uint32_t value)
{
    return *tn_list_at(&s->uses, uint32_t, value);
}

/* The value that it is a copy of, if neither has other users; TN_NONE. */
static uint32_t only_behind(const struct stacking *s, uint32_t value)
{
    uint32_t origin = tn_flow_behind(s->net, value);

    for (uint32_t at = value; at != TN_NONE && uses_of(s, at) == 1;
         at = tn_net_node(s->net, tn_net_value(s->net, at).producer).inputs[0])
        if (at == origin)
            return origin;
    return TN_NONE;
}

/* ---- whether it can become a scan output --------------------------------- */

/* Whether the body passes the flow from its input through one write to its
 * output. */
static bool is_written_once(struct stacking *s)
{
    uint32_t in  = tn_flow_loop_in(&s->loop, s->variable + 2);
    uint32_t out = only_behind(s, tn_flow_loop_out(&s->loop, s->variable + 1));

    s->writer = tn_flow_maker(s->net, out, "write_list", 4);
    if (s->writer == TN_NONE ||
        tn_net_node(s->net, s->writer).graph != s->loop.body)
        return false;
    const uint32_t *inputs = tn_net_node(s->net, s->writer).inputs;
    return inputs[3] != TN_NONE && only_behind(s, inputs[3]) == in &&
           inputs[0] == tn_net_node(s->net, s->maker).outputs[0] &&
           inputs[2] != TN_NONE && tn_flow_is_round(&s->loop, inputs[1]);
}

/* Whether it is an empty list that only the writer and the gatherer use. */
static bool is_own_list(struct stacking *s)
{
    const struct tn_net_node gather = tn_net_node(s->net, s->gather);
    const struct tn_net_node loop   = tn_net_node(s->net, s->loop.node);

    s->maker = tn_flow_maker(s->net, gather.inputs[0], "create_list", 1);
    if (s->maker == TN_NONE)
        return false;
    const struct tn_net_node maker = tn_net_node(s->net, s->maker);
    return maker.output_count == 2 && maker.outputs[0] == gather.inputs[0] &&
           maker.outputs[1] != TN_NONE &&
           tn_flow_runs_with(s->net, maker.graph, loop.graph) &&
           loop.inputs[s->variable + 2] == maker.outputs[1] &&
           tn_flow_is_number(s->net, maker.inputs[0], 0) &&
           uses_of(s, maker.outputs[0]) == 2 &&
           uses_of(s, maker.outputs[1]) == 1;
}

static bool find_list(struct stacking *s, uint32_t node)
{
    const struct tn_net_node gather = tn_net_node(s->net, node);

    s->gather = node;
    if (gather.is_removed || gather.input_count != 3 ||
        gather.output_count != 1 || gather.outputs[0] == TN_NONE ||
        !tn_flow_is_number(s->net, gather.inputs[1], -1) ||
        gather.inputs[2] == TN_NONE)
        return false;
    uint32_t last = only_behind(s, gather.inputs[2]);
    uint32_t loop = tn_flow_maker(s->net, last, "Loop", 3);
    if (loop == TN_NONE || tn_net_node(s->net, loop).graph != gather.graph)
        return false;
    s->variable = tn_net_value(s->net, last).output;
    return tn_flow_loop(&s->loop, s->net, loop) &&
           s->variable + 2 < tn_net_node(s->net, loop).input_count &&
           is_own_list(s) && is_written_once(s);
}

static void change(struct stacking *s)
{
    tn_net_remove(s->net, s->gather);
    tn_flow_loop_stack(&s->loop, s->variable,
                       tn_net_node(s->net, s->writer).inputs[2],
                       tn_net_node(s->net, s->gather).outputs[0]);
    tn_net_remove(s->net, s->writer);
    tn_net_remove(s->net, s->maker);
}

enum tn_status tn_flow_stack(struct tn_net *net)
{
    struct stacking s           = { .net = net };
    bool            has_changed = false;

    tn_list_init(&s.uses, net->arena->memory, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        if (!tn_bytes_is(tn_net_node(net, i).op->type, "gather_list"))
            continue;
        if (!s.uses.count && !count_uses(&s))
            break;
        if (!find_list(&s, i) || tn_failed(net->error))
            continue;
        change(&s);
        has_changed = true;
    }
    tn_list_done(&s.uses);
    if (has_changed && !tn_failed(net->error))
        tn_net_prune(net); /* copies of what was written */
    return net->error->status;
}

/* ---- scan outputs become lists ----------------------------------------- */

/*
 *   Loop(M, c, v) {body} -> (v', stacked)
 *
 *   list, first <- create_list(0)
 *   v', last    <- Loop(M, c, v, first) {body, then write_list(list, i, ...)}
 *   stacked     <- gather_list(list, [-1], last)
 *
 * Dataflow of nd4j has no other way to keep a value of every round.  The list
 * begins empty, because the number of rounds may be unknown.
 */

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
    tn_net_set_int(net,
                   add_node(s, s->graph, "create_list", &size, 1,
                            (uint32_t[]){ list->handle, list->first }, 2),
                   "importDataType", TN_ATTR_DTYPE,
                   tn_net_value(net, value).type->dtype);
    uint32_t round =
        *tn_list_at(&tn_net_graph(net, s->body)->inputs, uint32_t, 0);
    uint32_t write[] = { list->handle, round, value, list->inside };
    add_node(s, s->body, "write_list", write, 4, &written, 1);
    tn_net_add_input(net, s->body, list->inside, tn_bytes(NULL, 0));
    *body_output(s, scan) = written;
}

/* Replaces the result of the node by the elements of the list at the end. */
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
