/*
 * tf_freeze.c - variables become constants: tensors of the checkpoint
 *
 * The graph itself says which entry of the checkpoint belongs to a variable: it
 * contains the subgraph that restores it.
 *
 *   RestoreV2(prefix, Const ["a/b/.ATTRIBUTES/VARIABLE_VALUE", ...], slices)
 *       :k -> Identity -> AssignVariableOp(VarHandleOp, .)        TF 2
 *       :k -> Assign(VariableV2, .)                               TF 1
 *
 * In TF 2 that is the body of a function, and the handles are its arguments; so
 * what is known about an argument is passed to the calls.  In a graph without a
 * saver, names decide: the entry with the name of the variable.
 */
#include <inttypes.h>

#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

#define OBJECT_TAIL "/.ATTRIBUTES/VARIABLE_VALUE"

static const char *const sources[] = { "VarHandleOp", "VariableV2", "Variable",
                                       "AutoReloadVariable", NULL };
static const char *const reads[]   = { "ReadVariableOp", "ResourceGather",
                                       "VariableV2", "Variable", NULL };
static const char *const assigns[] = { "AssignVariableOp",
                                       "AssignAddVariableOp",
                                       "AssignSubVariableOp",
                                       "ResourceScatterUpdate",
                                       "ResourceScatterAdd",
                                       "ResourceScatterSub",
                                       "ResourceStridedSliceAssign",
                                       "ResourceApplyGradientDescent",
                                       NULL };

bool tn_tf_is_read(const struct tn_net_node *node)
{
    return tn_tf_type_in(node->op->type, reads);
}

bool tn_tf_is_variable(const struct tn_net_node *node)
{
    return tn_tf_type_in(node->op->type, sources);
}

/* ---- which entry a variable is ------------------------------------------ */

/* An argument of a function that holds the handle of a variable. */
struct argument {
    uint32_t graph, index, tensor;
};

/* A node that calls a function, and the next one that calls the same. */
struct call {
    uint32_t node, next;
};

struct binding {
    struct tn_tf_work *work;
    struct tn_intern   entries; /* names of variables in the checkpoint       */
    struct tn_list     tensors; /* uint32_t by entry                          */
    struct tn_list     arguments; /* struct argument                          */
    struct tn_pairs    known;     /* (graph, index): there is an argument     */
    struct tn_list     calls;     /* struct call                              */
    struct tn_list     first_call; /* uint32_t by graph: in calls, + 1        */
};

static void find_entries(struct binding *b)
{
    const struct tn_model *model = b->work->net->source;

    for (uint64_t i = 0; model && i < model->tensors.count; i++) {
        const struct tn_tensor *tensor =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        if (tensor->role != TN_ROLE_VARIABLE && tensor->role != TN_ROLE_STATE)
            continue;
        uint32_t before = tn_intern_count(&b->entries);
        uint32_t id     = tn_intern_borrow(
                &b->entries, tn_model_name(model, tensor->name), b->work->error);
        uint32_t *slot =
            id != before ? NULL
                         : tn_list_push(&b->tensors, uint32_t, b->work->error);
        if (slot)
            *slot = (uint32_t)i;
    }
}

static uint32_t find_entry(const struct binding *b, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&b->entries, name);

    if (id >= b->tensors.count)
        return TN_NONE;
    return *tn_list_at(&b->tensors, uint32_t, id);
}

struct wanted_string {
    struct tn_arena *arena;
    struct tn_bytes  text;
};

static enum tn_status keep_string(void *context, uint64_t index,
                                  struct tn_span text, struct tn_error *error)
{
    struct wanted_string *wanted = context;
    uint8_t *bytes = tn_new(wanted->arena, uint8_t, text.length + 1, error);

    (void)index;
    if (!bytes)
        return error->status;
    if (text.length)
        TN_TRY(tn_source_read(text.source, text.offset, bytes,
                              (size_t)text.length, error));
    wanted->text = tn_bytes(bytes, (size_t)text.length);
    return TN_OK;
}

/* The k-th string of a constant; empty if it has none. */
static struct tn_bytes string_at(struct binding *b, uint32_t value, uint32_t k)
{
    struct tn_net            *net    = b->work->net;
    struct wanted_string      wanted = { .arena = net->arena };
    const struct tn_elements *of     = NULL;
    const struct tn_net_value v      = tn_net_value(net, value);
    uint64_t                  count;

    if (v.constant)
        of = v.constant;
    else if (v.producer != TN_NONE) {
        const struct tn_attr_value *tensor =
            tn_net_attr_of(net, v.producer, "value");
        if (tensor && tensor->kind == TN_ATTR_TENSOR && tensor->count == 1)
            of = &tensor->of.tensors[0]->elements;
    }
    if (of && of->shape.dtype == TN_STRING &&
        tn_shape_count(&of->shape, &count) && k < count)
        tn_payload_strings(of, k, 1, keep_string, &wanted, net->error);
    return wanted.text;
}

/* The entry that is assigned; TN_NONE: something else is. */
static uint32_t restored_entry(struct binding *b, uint32_t value)
{
    const struct tn_net      *net = b->work->net;
    const struct tn_net_value v   = tn_net_value(net, tn_tf_behind(net, value));

    if (v.producer == TN_NONE)
        return TN_NONE;
    const struct tn_net_node node = tn_net_node(net, v.producer);
    if (!tn_bytes_is(node.op->type, "RestoreV2") || node.input_count < 2)
        return TN_NONE;
    struct tn_bytes name = string_at(b, node.inputs[1], v.output);
    return name.size ? find_entry(b, name) : TN_NONE;
}

static void add_argument(struct binding *b, struct argument argument)
{
    struct argument *slot =
        tn_list_push(&b->arguments, struct argument, b->work->error);

    if (slot)
        *slot = argument;
}

/* Records that the handle, a variable or an argument, belongs to that entry. */
static void bind_handle(struct binding *b, uint32_t handle, uint32_t tensor)
{
    struct tn_net *net      = b->work->net;
    uint32_t       value    = tn_tf_behind(net, handle);
    uint32_t       producer = tn_net_value(net, value).producer;

    if (producer != TN_NONE) {
        if (!tn_tf_type_in(tn_net_node(net, producer).op->type, sources))
            return;
        uint32_t *slot = tn_tf_slot(b->work, &b->work->keys, producer);
        if (slot && !*slot)
            *slot = tensor + 1;
        return;
    }
    uint32_t                   graph = tn_net_value(net, value).graph;
    const struct tn_net_graph *g     = tn_net_graph(net, graph);
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        if (*tn_list_at(&g->inputs, uint32_t, i) != value)
            continue;
        if (tn_pairs_find(&b->known, graph, i) == TN_NONE &&
            tn_pairs_add(&b->known, graph, i, 1, b->work->error) != TN_NONE)
            add_argument(b, (struct argument){ graph, i, tensor });
    }
}

static void add_call(struct binding *b, uint32_t node, uint32_t function)
{
    uint32_t    *first = tn_tf_slot(b->work, &b->first_call, function);
    struct call *call  = tn_list_push(&b->calls, struct call, b->work->error);

    if (!first || !call)
        return;
    *call  = (struct call){ node, *first };
    *first = (uint32_t)b->calls.count;
}

static void look_at_assign(struct binding *b, const struct tn_net_node *node)
{
    if (node->input_count < 2 || node->inputs[0] == TN_NONE ||
        node->inputs[1] == TN_NONE)
        return;
    uint32_t handle = node->inputs[0];
    uint32_t tensor = restored_entry(b, node->inputs[1]);
    if (tensor != TN_NONE)
        bind_handle(b, handle, tensor);
}

static void look_at_nodes(struct binding *b)
{
    struct tn_net *net = b->work->net;

    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node   = tn_net_node(net, i);
        uint32_t                 callee = tn_tf_callee(b->work, &node);
        if (callee != TN_NONE)
            add_call(b, i, callee);
        else if (tn_bytes_is(node.op->type, "AssignVariableOp") ||
                 tn_bytes_is(node.op->type, "Assign"))
            look_at_assign(b, &node);
    }
}

/* Follows arguments to their calls: the list grows if a function passes its own
 * arguments on. */
static void look_at_calls(struct binding *b)
{
    struct tn_net *net = b->work->net;

    for (uint64_t i = 0; i < b->arguments.count && !tn_failed(net->error);
         i++) {
        struct argument a     = *tn_list_at(&b->arguments, struct argument, i);
        uint32_t       *first = tn_tf_slot(b->work, &b->first_call, a.graph);
        for (uint32_t at = first ? *first : 0; at;) {
            struct call call = *tn_list_at(&b->calls, struct call, at - 1);
            const struct tn_net_node node = tn_net_node(net, call.node);
            if (a.index < node.input_count && node.inputs[a.index] != TN_NONE)
                bind_handle(b, node.inputs[a.index], a.tensor);
            at = call.next;
        }
    }
}

enum tn_status tn_tf_bind_variables(struct tn_tf_work *work)
{
    struct tn_memory *memory = work->net->arena->memory;
    struct binding    b      = { .work = work };

    tn_intern_init(&b.entries, work->net->arena);
    tn_list_init(&b.tensors, memory, sizeof(uint32_t));
    tn_list_init(&b.arguments, memory, sizeof(struct argument));
    tn_list_init(&b.calls, memory, sizeof(struct call));
    tn_list_init(&b.first_call, memory, sizeof(uint32_t));
    tn_pairs_init(&b.known, memory);
    find_entries(&b);
    if (b.tensors.count) {
        look_at_nodes(&b);
        look_at_calls(&b);
    }
    tn_intern_done(&b.entries);
    tn_list_done(&b.tensors);
    tn_list_done(&b.arguments);
    tn_list_done(&b.calls);
    tn_list_done(&b.first_call);
    tn_pairs_done(&b.known);
    return work->error->status;
}

/* ---- a variable's constant ---------------------------------------------- */

static struct tn_bytes text_attr(const struct tn_net_node *node,
                                 const char               *name)
{
    const struct tn_attr_value *attr = tn_net_attr(node, name);

    if (!attr || attr->kind != TN_ATTR_STRING || attr->count != 1)
        return tn_bytes(NULL, 0);
    return attr->of.strings[0];
}

static bool is_called(struct tn_bytes entry, struct tn_bytes name)
{
    struct tn_bytes tail = tn_text(OBJECT_TAIL);

    if (entry.size == name.size + tail.size)
        entry.size = memcmp(entry.data + name.size, tail.data, tail.size)
                         ? 0
                         : name.size;
    return name.size && tn_bytes_equal(entry, name);
}

/* A graph without a saver: an entry of the variable's name. */
static uint32_t entry_by_name(struct tn_tf_work *work, uint32_t node)
{
    const struct tn_model   *model  = work->net->source;
    const struct tn_net_node n      = tn_net_node(work->net, node);
    struct tn_bytes          shared = text_attr(&n, "shared_name");

    for (uint64_t i = 0; model && i < model->tensors.count; i++) {
        const struct tn_tensor *tensor =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        struct tn_bytes name = tn_model_name(model, tensor->name);
        if (tensor->role == TN_ROLE_VARIABLE &&
            (is_called(name, shared) || is_called(name, n.name)))
            return (uint32_t)i;
    }
    return TN_NONE;
}

uint32_t tn_tf_variable_tensor(struct tn_tf_work *work, uint32_t node)
{
    const uint32_t *key = tn_tf_slot(work, &work->keys, node);

    if (!key)
        return TN_NONE;
    return *key ? *key - 1 : entry_by_name(work, node);
}

/* The variable's handle is no longer read, so its name is free for the value;
 * users look for their weights by it. */
static void take_name(struct tn_net *net, uint32_t node, uint32_t constant)
{
    const struct tn_net_node n = tn_net_node(net, node);

    if (n.output_count &&
        tn_bytes_equal(tn_net_value(net, n.outputs[0]).name, n.name))
        tn_net_swap_names(net, constant, n.outputs[0]);
}

static enum tn_status constant_of(struct tn_tf_work *work, uint32_t node,
                                  uint32_t *constant)
{
    struct tn_net *net  = work->net;
    uint32_t      *done = tn_tf_slot(work, &work->frozen, node);

    if (!done)
        return work->error->status;
    if (!*done) {
        uint32_t tensor = tn_tf_variable_tensor(work, node);
        if (tn_failed(work->error))
            return work->error->status;
        if (tensor == TN_NONE) {
            tn_error_because(work->error, TN_UNSUPPORTED,
                             TN_REASON_MISSING_VARIABLE, TN_NOWHERE,
                             "the variable has no value: the model has no "
                             "checkpoint with an entry for it");
            tn_error_where(work->error, "%.*s",
                           TN_FMT(tn_net_node(net, node).name));
            return work->error->status;
        }
        const struct tn_tensor *from =
            tn_list_at(&net->source->tensors, struct tn_tensor, tensor);
        uint32_t value = tn_net_add_constant(
            net, 0, tn_net_node(net, node).name, &from->elements, from);
        if (value == TN_NONE)
            return work->error->status;
        tn_net_set_trained(net, value, true);
        take_name(net, node, value);
        done  = tn_tf_slot(work, &work->frozen, node);
        *done = value + 1;
    }
    *constant = *done - 1;
    return TN_OK;
}

/* The node behind a handle that makes the variable. */
static enum tn_status variable_of(struct tn_tf_work *work, uint32_t node,
                                  uint32_t *variable)
{
    struct tn_net           *net = work->net;
    const struct tn_net_node n   = tn_net_node(net, node);

    if (tn_tf_type_in(n.op->type, sources)) {
        *variable = node;
        return TN_OK;
    }
    uint32_t handle = n.input_count ? n.inputs[0] : TN_NONE;
    if (handle != TN_NONE)
        *variable = tn_net_value(net, tn_tf_behind(net, handle)).producer;
    if (handle == TN_NONE || *variable == TN_NONE ||
        !tn_tf_type_in(tn_net_node(net, *variable).op->type, sources))
        return tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%.*s reads a variable of another graph",
                            TN_FMT(n.name));
    return TN_OK;
}

/* ResourceGather(handle, indices) is GatherV2 of the constant along axis 0. */
static enum tn_status become_gather(struct tn_tf_work *work, uint32_t node,
                                    uint32_t constant)
{
    struct tn_net              *net   = work->net;
    const struct tn_net_node    n     = tn_net_node(net, node);
    const struct tn_attr_value *batch = tn_net_attr(&n, "batch_dims");
    struct tn_attr_value        kept;
    int64_t                     axis = 0;

    if (n.input_count < 2 || n.inputs[1] == TN_NONE)
        return tn_error_set(work->error, TN_INVALID, TN_NOWHERE,
                            "%.*s has no indices", TN_FMT(n.name));
    if (batch) {
        kept = *batch;
        axis = kept.kind == TN_ATTR_INT ? kept.of.ints[0] : 0;
    }
    struct tn_bytes name      = n.name;
    uint32_t        inputs[3] = { constant, n.inputs[1],
                                  tn_net_add_ints(net, 0, name, TN_INT32, &axis, 0,
                                                  NULL) };
    tn_net_set_op(net, node, tn_net_own_op(net, "GatherV2"));
    tn_net_set_attrs(net, node, NULL, 0);
    tn_net_set_inputs(net, node, inputs, 3);
    if (batch)
        tn_net_set_attr(net, node, "batch_dims", &kept);
    tn_tf_need(work, inputs[1]);
    return work->error->status;
}

enum tn_status tn_tf_freeze(struct tn_tf_work *work, uint32_t node)
{
    struct tn_net *net      = work->net;
    uint32_t       variable = TN_NONE, constant = TN_NONE;

    TN_TRY(variable_of(work, node, &variable));
    TN_TRY(constant_of(work, variable, &constant));
    const struct tn_net_node n = tn_net_node(net, node);
    if (tn_bytes_is(n.op->type, "ResourceGather"))
        return become_gather(work, node, constant);
    if (n.output_count && n.outputs[0] != TN_NONE)
        tn_tf_replace(work, n.outputs[0], constant);
    tn_net_remove(net, node);
    return work->error->status;
}

/* ---- reads after assignments -------------------------------------------- */

/* The most steps of searching backwards, for each node. */
#define WALK_LIMIT 64

static void walk_to(struct tn_tf_work *work, struct tn_list *stack,
                    uint32_t node)
{
    uint8_t *mark = tn_tf_mark_of(work, node);

    if (!mark || (*mark & TN_TF_WATCHED))
        return;
    *mark |= TN_TF_WATCHED;
    uint32_t *slot = tn_list_push(stack, uint32_t, work->error);
    if (slot)
        *slot = node;
}

static void walk_behind(struct tn_tf_work *work, struct tn_list *stack,
                        uint32_t node)
{
    const struct tn_net_node n = tn_net_node(work->net, node);

    for (uint32_t i = 0; i < n.control_count; i++)
        walk_to(work, stack, n.controls[i]);
    for (uint32_t i = 0; i < n.input_count; i++) {
        uint32_t producer = n.inputs[i] == TN_NONE
                                ? TN_NONE
                                : tn_net_value(work->net, n.inputs[i]).producer;
        if (producer != TN_NONE)
            walk_to(work, stack, producer);
    }
}

/* A call that takes the handle and changes the variable: its new value is not
 * searched inside the call. */
static bool is_changing_call(struct tn_tf_work        *work,
                             const struct tn_net_node *node, uint32_t handle)
{
    uint32_t callee = tn_tf_callee(work, node);

    if (callee == TN_NONE || !tn_tf_changes(work, callee))
        return false;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != TN_NONE &&
            tn_tf_behind(work->net, node->inputs[i]) == handle)
            return true;
    return false;
}

static void look_for_assignment(struct tn_tf_work *work, struct tn_list *stack,
                                uint32_t read, uint32_t handle,
                                uint32_t *assignment)
{
    const struct tn_net *net = work->net;

    for (uint64_t i = 0; i < stack->count && !tn_failed(work->error); i++) {
        uint32_t                 at = *tn_list_at(stack, uint32_t, i);
        const struct tn_net_node n  = tn_net_node(net, at);
        bool                     is_assignment =
            (tn_tf_type_in(n.op->type, assigns) || tn_tf_is_change(&n)) &&
            n.input_count && n.inputs[0] != TN_NONE &&
            tn_tf_behind(net, n.inputs[0]) == handle;
        if (is_assignment && *assignment == TN_NONE)
            *assignment = at;
        else if (is_assignment || is_changing_call(work, &n, handle))
            tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                         "%.*s reads what %.*s (%.*s) wrote: a variable that "
                         "changes cannot become a constant",
                         TN_FMT(tn_net_node(net, read).name), TN_FMT(n.name),
                         TN_FMT(n.op->type));
        if (++work->walked > WALK_LIMIT * (net->nodes.count + 1024))
            tn_error_set(work->error, TN_LIMIT, TN_NOWHERE,
                         "the order of reads and writes of variables is too "
                         "tangled");
        walk_behind(work, stack, at);
    }
}

enum tn_status tn_tf_find_assignment(struct tn_tf_work *work, uint32_t node,
                                     uint32_t *assignment)
{
    const struct tn_net_node n = tn_net_node(work->net, node);
    struct tn_list           stack;

    *assignment = TN_NONE;
    if (!n.control_count || !n.input_count || n.inputs[0] == TN_NONE)
        return TN_OK;
    tn_list_init(&stack, work->net->arena->memory, sizeof(uint32_t));
    uint32_t handle = tn_tf_behind(work->net, n.inputs[0]);
    walk_behind(work, &stack, node);
    look_for_assignment(work, &stack, node, handle, assignment);
    for (uint64_t i = 0; i < stack.count; i++)
        *tn_list_at(&work->marks, uint8_t, *tn_list_at(&stack, uint32_t, i)) &=
            (uint8_t)~TN_TF_WATCHED;
    tn_list_done(&stack);
    return work->error->status;
}
