/*
 * tf_inline.c - bodies of functions in place of calls
 *
 * A body is copied from its outputs backwards, so nodes that only order or save
 * something are never copied.  The name of the call is put in front of the
 * names of nodes: layer/PartitionedCall + dense/MatMul.
 */
#include <inttypes.h>
#include <stdio.h>

#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

void tn_tf_find_functions(struct tn_tf_work *work)
{
    struct tn_net *net = work->net;

    work->calls = tn_calls_of(net);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        const struct tn_net_graph *graph = tn_net_graph(net, i);
        if (graph->kind != TN_GRAPH_FUNCTION)
            continue;
        uint32_t before = tn_intern_count(&work->functions);
        uint32_t id =
            tn_intern_borrow(&work->functions, graph->name, work->error);
        uint32_t *slot =
            id < before || id == TN_NO_NAME
                ? NULL
                : tn_list_push(&work->function_graphs, uint32_t, work->error);
        if (slot)
            *slot = i;
    }
}

uint32_t tn_tf_function(const struct tn_tf_work *work, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&work->functions, name);

    if (id >= work->function_graphs.count)
        return TN_NONE;
    return *tn_list_at(&work->function_graphs, uint32_t, id);
}

uint32_t tn_tf_callee(const struct tn_tf_work  *work,
                      const struct tn_net_node *node)
{
    static const char *const    calls[] = { "PartitionedCall",
                                            "StatefulPartitionedCall", NULL };
    const struct tn_attr_value *f       = tn_net_attr(node, "f");

    if (!tn_tf_type_in(node->op->type, calls))
        return tn_tf_function(work, node->op->type);
    if (!f || f->kind != TN_ATTR_FUNCTION || f->count != 1)
        return TN_NONE;
    return tn_tf_function(work, f->of.strings[0]);
}

/* ---- copying a body ----------------------------------------------------- */

struct copying {
    struct tn_tf_work       *work;
    const struct tn_tf_call *call;
    uint32_t                 place; /* instance + 1                           */
    struct tn_list           nodes; /* uint32_t: of the body, to copy         */
    struct tn_list           assigned; /* struct assigned                     */
    uint64_t                 done;
};

/* A node of the body that changes a variable, and what that is then. */
struct assigned {
    uint32_t node, next;
};

static void bind(struct copying *c, uint32_t from, uint32_t to)
{
    struct tn_tf_work *work = c->work;
    uint32_t          *slot = tn_tf_slot(work, &work->copies, from);
    uint32_t *touched = tn_list_push(&work->touched, uint32_t, work->error);

    if (!slot || !touched)
        return;
    *slot    = to + 1;
    *touched = from;
}

/* caller/name, or caller/name:2. */
static struct tn_bytes prefixed(struct copying *c, struct tn_bytes name,
                                uint32_t output)
{
    struct tn_net *net      = c->work->net;
    char           tail[16] = "";

    if (output)
        snprintf(tail, sizeof tail, ":%" PRIu32, output);
    char *text = tn_text_format(net->arena, net->error, "%s/%.*s%s",
                                c->call->prefix, TN_FMT(name), tail);
    return text ? tn_text(text) : tn_bytes(NULL, 0);
}

static void queue_body_node(struct copying *c, uint32_t node)
{
    uint8_t *mark = tn_tf_mark_of(c->work, node);

    if (!mark || (*mark & TN_TF_COPIED))
        return;
    *mark |= TN_TF_COPIED;
    uint32_t *slot = tn_list_push(&c->nodes, uint32_t, c->work->error);
    if (slot)
        *slot = node;
}

static uint32_t copy_constant(struct copying *c, uint32_t value)
{
    struct tn_net            *net  = c->work->net;
    const struct tn_net_value from = tn_net_value(net, value);
    struct tn_bytes           name = prefixed(c, from.name, 0);

    return tn_net_add_constant(net, c->call->graph, name, from.constant,
                               from.origin);
}

/* The value of the body that a name of the function stands for. */
static uint32_t copy_value(struct copying *c, uint32_t value)
{
    struct tn_net *net = c->work->net;
    uint32_t       copy;

    if (value == TN_NONE)
        return TN_NONE;
    uint32_t *known = tn_tf_slot(c->work, &c->work->copies, value);
    if (!known || *known)
        return known ? *known - 1 : TN_NONE;
    const struct tn_net_value from = tn_net_value(net, value);
    if (from.constant) {
        copy = copy_constant(c, value);
    } else if (from.producer == TN_NONE) {
        tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                     "function %.*s uses %.*s, which nothing gives",
                     TN_FMT(tn_net_graph(net, c->call->function)->name),
                     TN_FMT(from.name));
        return TN_NONE;
    } else {
        struct tn_bytes name = tn_net_node(net, from.producer).name;
        queue_body_node(c, from.producer);
        copy = tn_net_add_value(net, c->call->graph,
                                prefixed(c, name, from.output));
    }
    if (copy != TN_NONE)
        bind(c, value, copy);
    return copy;
}

static const uint32_t *copy_values(struct copying *c, const uint32_t *values,
                                   uint32_t count, bool only_used)
{
    struct tn_net *net  = c->work->net;
    uint32_t      *list = tn_new(net->arena, uint32_t, count, net->error);

    for (uint32_t i = 0; list && i < count; i++) {
        uint32_t *known =
            values[i] == TN_NONE
                ? NULL
                : tn_tf_slot(c->work, &c->work->copies, values[i]);
        if (only_used)
            list[i] = known && *known ? *known - 1 : TN_NONE;
        else
            list[i] = copy_value(c, values[i]);
    }
    return list;
}

/* "$T" in a body is the call's T. */
static const struct tn_net_attr *copy_attrs(struct copying           *c,
                                            const struct tn_net_node *node)
{
    struct tn_net           *net  = c->work->net;
    const struct tn_net_node call = tn_net_node(net, c->call->node);
    struct tn_net_attr      *attrs =
        tn_new(net->arena, struct tn_net_attr, node->attr_count, net->error);

    for (uint32_t i = 0; attrs && i < node->attr_count; i++) {
        attrs[i] = node->attrs[i];
        if (attrs[i].value.kind != TN_ATTR_REFERENCE || !attrs[i].value.count)
            continue;
        struct tn_bytes name = attrs[i].value.of.strings[0];
        tn_calls_charge(&c->work->calls, net, call.attr_count);
        for (uint32_t k = 0; k < call.attr_count; k++)
            if (tn_bytes_equal(call.attrs[k].name, name))
                attrs[i].value = call.attrs[k].value;
    }
    return attrs;
}

static uint32_t assigned_by(const struct copying *c, uint32_t node)
{
    for (uint64_t i = 0; i < c->assigned.count; i++) {
        const struct assigned *row =
            tn_list_at(&c->assigned, struct assigned, i);
        if (row->node == node)
            return row->next;
    }
    return TN_NONE;
}

/* A read that comes after an assignment is a copy of what was assigned. */
static bool read_assigned(struct copying *c, uint32_t id,
                          struct tn_net_node *node, uint32_t *next)
{
    struct tn_tf_work *work = c->work;
    uint32_t           by   = TN_NONE;

    if (!tn_tf_is_read(node) || tn_tf_find_assignment(work, id, &by) != TN_OK ||
        by == TN_NONE)
        return false;
    *next = assigned_by(c, by);
    if (*next == TN_NONE || !tn_bytes_is(node->op->type, "ReadVariableOp")) {
        tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "%.*s reads what %.*s (%.*s) wrote: a variable that "
                     "changes cannot become a constant",
                     TN_FMT(node->name),
                     TN_FMT(tn_net_node(work->net, by).name),
                     TN_FMT(tn_net_node(work->net, by).op->type));
        return false;
    }
    node->op          = tn_net_own_op(work->net, "Identity");
    node->inputs      = next;
    node->input_count = 1;
    node->attr_count  = 0;
    return true;
}

static void copy_node(struct copying *c, uint32_t id)
{
    struct tn_tf_work *work = c->work;
    struct tn_net     *net  = work->net;
    struct tn_net_node node = tn_net_node(net, id);
    uint32_t           next;

    if (tn_calls_count(&work->calls, net, &node) != TN_OK)
        return;
    bool is_read = read_assigned(c, id, &node, &next);
    bool changes = tn_tf_changes(work, tn_tf_callee(work, &node));
    node.graph   = c->call->graph;
    node.name    = prefixed(c, node.name, 0);
    if (!is_read)
        node.inputs = copy_values(c, node.inputs, node.input_count, false);
    node.attrs         = copy_attrs(c, &node);
    node.controls      = NULL;
    node.control_count = 0;
    c->done++;
    if (tn_failed(work->error))
        return;
    node.outputs    = copy_values(c, node.outputs, node.output_count, true);
    uint32_t  copy  = tn_net_add_node(net, &node);
    uint32_t *place = tn_tf_slot(work, &work->places, copy);
    if (copy != TN_NONE && place)
        *place = c->place;
    if (copy != TN_NONE && changes)
        tn_tf_need_node(work, copy);
}

static void note_assigned(struct copying *c, uint32_t id)
{
    struct tn_tf_work       *work = c->work;
    const struct tn_net_node node = tn_net_node(work->net, id);
    struct assigned          row  = { .node = id, .next = TN_NONE };

    if (c->call->graph && work->net->signature.size) {
        tn_tf_refuse_change(work, &node);
        return;
    }
    uint32_t handle = copy_value(c, node.inputs[0]);
    uint32_t value  = copy_value(c, node.inputs[1]);
    if (tn_tf_add_state(work, &node, handle, value, &row.next) != TN_OK)
        return;
    struct assigned *slot =
        tn_list_push(&c->assigned, struct assigned, work->error);
    if (slot)
        *slot = row;
}

/* Nodes that change a variable, or call a function that does, may have no user
 * in the body. */
static void copy_changes(struct copying *c)
{
    struct tn_tf_work    *work  = c->work;
    struct tn_net        *net   = work->net;
    const struct tn_list *nodes = &tn_net_graph(net, c->call->function)->nodes;

    if (!tn_tf_changes(work, c->call->function))
        return;
    for (uint64_t i = 0; i < nodes->count && !tn_failed(work->error); i++) {
        uint32_t                 id   = *tn_list_at(nodes, uint32_t, i);
        const struct tn_net_node node = tn_net_node(net, id);
        if (tn_tf_is_change(&node))
            note_assigned(c, id);
        else if (tn_tf_changes(work, tn_tf_callee(work, &node)))
            queue_body_node(c, id);
        nodes = &tn_net_graph(net, c->call->function)->nodes;
    }
}

static void forget_copies(struct copying *c)
{
    struct tn_tf_work *work = c->work;

    for (uint64_t i = 0; i < work->touched.count; i++)
        *tn_list_at(&work->copies, uint32_t,
                    *tn_list_at(&work->touched, uint32_t, i)) = 0;
    work->touched.count = 0;
    for (uint64_t i = 0; i < c->nodes.count; i++)
        *tn_list_at(&work->marks, uint8_t,
                    *tn_list_at(&c->nodes, uint32_t, i)) &=
            (uint8_t)~TN_TF_COPIED;
    tn_list_done(&c->nodes);
    tn_list_done(&c->assigned);
}

/* All outputs of a node are made when it is copied; so all that will be
 * requested are found first. */
static void want_outputs(struct copying *c)
{
    struct tn_net *net = c->work->net;

    for (uint64_t i = 0; i < c->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node =
            tn_net_node(net, *tn_list_at(&c->nodes, uint32_t, i));
        for (uint32_t k = 0; k < node.input_count; k++)
            copy_value(c, node.inputs[k]);
    }
}

static enum tn_status enter_instance(struct copying *c)
{
    struct tn_tf_work *work   = c->work;
    uint32_t          *slot   = tn_tf_slot(work, &work->places, c->call->node);
    uint32_t           parent = slot && *slot ? *slot - 1 : TN_NONE;
    struct tn_bytes    name  = tn_net_graph(work->net, c->call->function)->name;
    uint32_t           depth = 0;

    for (uint32_t at = parent; at != TN_NONE; depth++) {
        const struct tn_tf_instance *in =
            tn_list_at(&work->instances, struct tn_tf_instance, at);
        if (in->function == c->call->function)
            return tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                                "function %.*s calls itself", TN_FMT(name));
        at = in->parent;
    }
    TN_TRY(tn_calls_enter(work->net, depth, name));
    struct tn_tf_instance *in =
        tn_list_push(&work->instances, struct tn_tf_instance, work->error);
    if (!in)
        return work->error->status;
    *in      = (struct tn_tf_instance){ c->call->function, parent, depth + 1 };
    c->place = (uint32_t)work->instances.count;
    return TN_OK;
}

static enum tn_status bind_args(struct copying *c)
{
    struct tn_net             *net   = c->work->net;
    const struct tn_net_graph *graph = tn_net_graph(net, c->call->function);

    if (graph->inputs.count != c->call->arg_count)
        return tn_error_set(
            net->error, TN_INVALID, TN_NOWHERE,
            "%.*s gives function %.*s %" PRIu32 " arguments, it takes %" PRIu64,
            TN_FMT(tn_net_node(net, c->call->node).name), TN_FMT(graph->name),
            c->call->arg_count, graph->inputs.count);
    for (uint32_t i = 0; i < c->call->arg_count; i++)
        bind(c, *tn_list_at(&graph->inputs, uint32_t, i), c->call->args[i]);
    return net->error->status;
}

enum tn_status tn_tf_instantiate(struct tn_tf_work       *work,
                                 const struct tn_tf_call *call, uint32_t *rets)
{
    struct tn_net *net = work->net;
    struct copying c   = { .work = work, .call = call };

    const struct tn_net_graph *body = tn_net_graph(net, call->function);
    TN_TRY(tn_calls_charge(&work->calls, net,
                           body->inputs.count + body->outputs.count));
    TN_TRY(enter_instance(&c));
    tn_list_init(&c.nodes, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&c.assigned, net->arena->memory, sizeof(struct assigned));
    if (bind_args(&c) == TN_OK) {
        copy_changes(&c);
        uint64_t count = tn_net_graph(net, call->function)->outputs.count;
        for (uint64_t i = 0; i < count; i++)
            rets[i] = copy_value(
                &c, *tn_list_at(&tn_net_graph(net, call->function)->outputs,
                                uint32_t, i));
        want_outputs(&c);
        for (uint64_t i = 0; i < c.nodes.count && !tn_failed(net->error); i++)
            copy_node(&c, *tn_list_at(&c.nodes, uint32_t, i));
    }
    forget_copies(&c);
    return net->error->status;
}

/* ---- calls -------------------------------------------------------------- */

enum tn_status tn_tf_inline_call(struct tn_tf_work *work, uint32_t node)
{
    struct tn_net     *net   = work->net;
    struct tn_net_node call  = tn_net_node(net, node);
    uint32_t           f     = tn_tf_callee(work, &call);
    uint64_t           count = tn_net_graph(net, f)->outputs.count;
    uint32_t          *rets  = tn_new(net->arena, uint32_t, count, net->error);
    char              *prefix =
        tn_text_format(net->arena, net->error, "%.*s", TN_FMT(call.name));

    if (!rets || !prefix)
        return net->error->status;
    TN_TRY(tn_tf_instantiate(work,
                             &(struct tn_tf_call){ f, call.graph, node,
                                                   call.inputs,
                                                   call.input_count, prefix },
                             rets));
    for (uint32_t i = 0; i < call.output_count; i++) {
        if (call.outputs[i] == TN_NONE)
            continue;
        if (i >= count)
            return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                                "%.*s: function %.*s has no output %" PRIu32,
                                TN_FMT(call.name),
                                TN_FMT(tn_net_graph(net, f)->name), i);
        tn_tf_replace(work, call.outputs[i], rets[i]);
    }
    tn_net_remove(net, node);
    return net->error->status;
}
