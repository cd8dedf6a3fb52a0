/*
 * convert_needs.c - reports what a conversion leaves out because no output
 * needs it
 *
 * A saved model holds more than the computation of one signature: operators
 * that train, that save, that run only because of a control dependency;
 * functions for them; weights that only they use.  Rules never see those.  Each
 * is reported.
 */
#include <stdio.h>

#include "engine/convert_dialect.h"
#include "ir/attr.h"

static void lose(const struct tn_conversion *c, struct tn_bytes name,
                 const char *what)
{
    char where[200];

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    c->loss(c->loss_context, TN_NOWHERE, where, what);
}

/* Signatures of TensorFlow's own that name an operator to run: facts of the
 * model, no way to call it. */
static void lose_hooks(const struct tn_conversion *c)
{
    static const char *const hooks[][2] = {
        { "init_op", "__saved_model_init_op" },
        { "train_op", "__saved_model_train_op" },
    };

    for (uint32_t i = 0; i < tn_model_fact_count(c->from); i++)
        for (int k = 0; k < 2; k++)
            if (tn_bytes_is(tn_model_fact(c->from, i).key, hooks[k][0]))
                lose(c, tn_text(hooks[k][1]), "left behind: a signature");
}

static void lose_signatures(const struct tn_conversion *c,
                            const struct tn_net        *net)
{
    for (uint32_t i = 0; i < c->from->signatures.count; i++) {
        const struct tn_signature *s =
            tn_list_at(&c->from->signatures, struct tn_signature, i);
        if (!net->signature.size || !tn_bytes_equal(s->name, net->signature))
            lose(c, s->name, "left behind: a signature");
    }
    lose_hooks(c);
}

/* ---- operators ---------------------------------------------------------- */

/* By its name, or by its path where it has none. */
static void lose_node(const struct tn_conversion *c, const struct tn_net *net,
                      const struct tn_net_node *node, const char *what)
{
    char path[200] = "";

    if (node->source != TN_NONE && net->source && !node->name.size)
        tn_op_path(net->source, node->source, path, sizeof path);
    lose(c, node->name.size ? node->name : tn_text(path), what);
}

/* Nodes that only declare an input or output; the net has them as inputs and
 * outputs. */
static bool is_graph_io(const struct tn_net      *net,
                        const struct tn_net_node *node,
                        const struct tn_intern   *inputs)
{
    if (net->facts->has_inputs_as_ops)
        return tn_bytes_is(node->op->type, "feed") ||
               tn_bytes_is(node->op->type, "fetch");
    return node->name.size && tn_intern_find(inputs, node->name) != TN_NO_NAME;
}

static void list_inputs(const struct tn_net *net, struct tn_intern *names)
{
    const struct tn_list *inputs = &tn_net_graph(net, 0)->inputs;

    for (uint64_t i = 0; i < inputs->count; i++)
        tn_intern_borrow(
            names, tn_net_value(net, *tn_list_at(inputs, uint32_t, i)).name,
            net->error);
}

/* A node that runs before everything else: the values that it sets are already
 * known (tflite_state.c). */
static bool is_set_up(const struct tn_net_node *node)
{
    return tn_bytes_is(node->op->type, "CALL_ONCE");
}

static void lose_nodes(const struct tn_conversion *c, const struct tn_net *net,
                       const bool *by_data, const bool *by_control,
                       const struct tn_intern *inputs)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (by_data[i] || node.is_removed || node.graph != 0 ||
            is_graph_io(net, &node, inputs) || is_set_up(&node))
            continue;
        lose_node(c, net, &node,
                  by_control[i] ? "left behind: an operator that only runs by "
                                  "a control dependency"
                                : "left behind: an operator that no output "
                                  "needs");
    }
}

/* ---- functions ---------------------------------------------------------- */

struct calling {
    struct tn_net *net;
    bool          *is_called; /* by graph                                    */
    struct tn_intern names;   /* of functions                                */
    struct tn_list   graphs;  /* uint32_t by id of the name                  */
    struct tn_list   queue;   /* uint32_t: graphs to look into               */
};

static void call(struct calling *c, uint32_t graph)
{
    uint32_t *slot = c->is_called[graph]
                         ? NULL
                         : tn_list_push(&c->queue, uint32_t, c->net->error);

    if (slot)
        *slot = graph;
    c->is_called[graph] = true;
}

static void call_named(struct calling *c, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&c->names, name);

    if (id != TN_NO_NAME)
        call(c, *tn_list_at(&c->graphs, uint32_t, id));
}

/* A function is called by its name in an attribute, by graph, or as the
 * operator itself. */
static void look_at(struct calling *c, const struct tn_net_node *node)
{
    call_named(c, node->op->type);
    for (uint32_t i = 0; i < node->attr_count; i++) {
        const struct tn_attr_value *value = &node->attrs[i].value;
        for (uint32_t k = 0; k < value->count; k++) {
            if (value->kind == TN_ATTR_FUNCTION)
                call_named(c, value->of.strings[k]);
            else if (value->kind == TN_ATTR_GRAPH &&
                     (uint64_t)value->of.ints[k] < c->net->graphs.count)
                call(c, (uint32_t)value->of.ints[k]);
        }
    }
}

static void name_functions(struct calling *c)
{
    for (uint32_t i = 0; i < c->net->graphs.count; i++) {
        const struct tn_net_graph *graph = tn_net_graph(c->net, i);
        uint32_t                   known = tn_intern_count(&c->names);
        if (graph->kind != TN_GRAPH_FUNCTION ||
            tn_intern_borrow(&c->names, graph->name, c->net->error) != known)
            continue;
        uint32_t *slot = tn_list_push(&c->graphs, uint32_t, c->net->error);
        if (slot)
            *slot = i;
    }
}

static void follow_calls(struct calling *c, const bool *needed)
{
    for (uint32_t i = 0; i < c->net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(c->net, i);
        if (node.graph == 0 && (needed[i] || is_set_up(&node)))
            look_at(c, &node);
    }
    while (c->queue.count && !tn_failed(c->net->error)) {
        uint32_t graph = *tn_list_at(&c->queue, uint32_t, --c->queue.count);
        const struct tn_list *nodes = &tn_net_graph(c->net, graph)->nodes;
        for (uint64_t i = 0; i < nodes->count; i++) {
            const struct tn_net_node node =
                tn_net_node(c->net, *tn_list_at(nodes, uint32_t, i));
            look_at(c, &node);
        }
    }
}

static void lose_functions(const struct tn_conversion *c, struct tn_net *net,
                           const bool *needed, struct tn_arena *scratch)
{
    struct calling calls = { .net = net };

    calls.is_called = tn_new(scratch, bool, net->graphs.count, net->error);
    tn_intern_init(&calls.names, scratch);
    tn_list_init(&calls.graphs, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&calls.queue, net->arena->memory, sizeof(uint32_t));
    if (calls.is_called) {
        name_functions(&calls);
        if (calls.graphs.count)
            follow_calls(&calls, needed);
    }
    for (uint64_t i = 0; i < calls.graphs.count && !tn_failed(net->error);
         i++) {
        uint32_t graph = *tn_list_at(&calls.graphs, uint32_t, i);
        if (!calls.is_called[graph])
            lose(c, tn_net_graph(net, graph)->name,
                 "left behind: a function that no output needs");
    }
    tn_list_done(&calls.queue);
    tn_list_done(&calls.graphs);
    tn_intern_done(&calls.names);
}

static bool are_all_needed(const struct tn_net *net, const bool *needed)
{
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!needed[i] || tn_net_node_row(net, i)->is_removed)
            return false;
    return true;
}

bool tn_conversion_unneeded(const struct tn_conversion *c, struct tn_net *net)
{
    bool             are_all = false;
    struct tn_arena  scratch;
    struct tn_intern inputs;

    if (!c->loss || c->plan || tn_failed(net->error))
        return false;
    lose_signatures(c, net);
    if (c->how->output_count)
        return false; /* the caller said what is wanted */
    tn_arena_init(&scratch, net->arena->memory);
    tn_intern_init(&inputs, &scratch);
    list_inputs(net, &inputs);
    const bool *by_data    = tn_net_needed(net, true, &scratch);
    const bool *by_control = tn_net_has_controls(net)
                                 ? tn_net_needed(net, false, &scratch)
                                 : by_data;
    are_all                = by_data && are_all_needed(net, by_data);
    if (by_data && by_control && !are_all)
        lose_nodes(c, net, by_data, by_control, &inputs);
    if (by_data && by_control)
        lose_functions(c, net, by_data, &scratch);
    tn_intern_done(&inputs);
    tn_arena_done(&scratch);
    return are_all;
}

/* ---- tensors ------------------------------------------------------------ */

static void mark_value(const struct tn_conversion *c, const struct tn_net *net,
                       uint32_t value, bool *is_used)
{
    const struct tn_tensor *origin =
        value == TN_NONE ? NULL : tn_net_value(net, value).origin;
    /* One that is in an attribute of a node is not among the model's own. */
    uint64_t index = ((uintptr_t)origin - (uintptr_t)c->from->tensors.items) /
                     sizeof *origin;

    if (origin && origin->model == c->from &&
        tn_model_tensor(c->from, index) == origin)
        is_used[index] = true;
}

static void mark_used(const struct tn_conversion *c, const struct tn_net *net,
                      bool *is_used)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            mark_value(c, net, node.inputs[k], is_used);
    }
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            mark_value(c, net, *tn_list_at(outputs, uint32_t, k), is_used);
    }
}

bool tn_conversion_is_whole(const struct tn_conversion *c, struct tn_net *net)
{
    uint64_t        count = c->from->tensors.count, kept = 0;
    struct tn_arena scratch;

    tn_arena_init(&scratch, net->arena->memory);
    bool *is_used = tn_new(&scratch, bool, count, net->error);
    if (is_used)
        mark_used(c, net, is_used);
    for (uint64_t i = 0; is_used && i < count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(c->from, i);
        kept += !tensor->is_external &&
                (is_used[i] || tensor->role == TN_ROLE_ATTRIBUTE);
    }
    tn_arena_done(&scratch);
    return kept == count;
}

void tn_conversion_unused(const struct tn_conversion *c, struct tn_net *net)
{
    uint64_t        count = c->from->tensors.count;
    struct tn_arena scratch;

    if (!c->loss || c->plan || c->how->output_count || tn_failed(net->error))
        return;
    tn_arena_init(&scratch, net->arena->memory);
    bool *is_used = tn_new(&scratch, bool, count, net->error);
    if (is_used)
        mark_used(c, net, is_used);
    for (uint64_t i = 0; is_used && i < count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(c->from, i);
        if (!is_used[i] && tensor->role != TN_ROLE_ATTRIBUTE &&
            tensor->role != TN_ROLE_STATE)
            lose(c, tn_tensor_name(tensor),
                 "left behind: a tensor that no output needs");
    }
    tn_arena_done(&scratch);
}
