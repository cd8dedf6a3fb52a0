/*
 * tf_tidy.c - a TensorFlow graph, as it was saved, becomes one that computes
 *
 * Needed nodes are visited one after the other, each once (tf_work.h).  Then
 * nodes that are not needed are removed, and the rest is put in order: inputs,
 * control edges, outputs of subgraphs.
 */
#include "map/flow/flow.h"
#include "map/flow/flow_guard.h"
#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

/* ---- small things ------------------------------------------------------- */

uint8_t *tn_tf_mark_of(struct tn_tf_work *work, uint32_t node)
{
    struct tn_list *marks = &work->marks;

    if (node >= marks->count &&
        !tn_list_grow(marks, work->net->nodes.count - marks->count,
                      work->error))
        return NULL;
    return tn_list_at(marks, uint8_t, node);
}

uint32_t *tn_tf_slot(struct tn_tf_work *work, struct tn_list *list,
                     uint32_t index)
{
    if (index == TN_NONE)
        return NULL;
    if (index >= list->count &&
        !tn_list_grow(list, index + 1 - list->count, work->error))
        return NULL;
    return tn_list_at(list, uint32_t, index);
}

bool tn_tf_type_in(struct tn_bytes type, const char *const *names)
{
    for (; *names; names++)
        if (tn_bytes_is(type, *names))
            return true;
    return false;
}

/* Dropout is a function whose body is missing in some frozen graphs: outside of
 * training it changes nothing. */
bool tn_tf_is_identity(struct tn_bytes type)
{
    static const char *const names[] = { "Identity",
                                         "StopGradient",
                                         "PreventGradient",
                                         "Snapshot",
                                         "PlaceholderWithDefault",
                                         "EnsureShape",
                                         "Print",
                                         "DebugIdentity",
                                         "DebugIdentityV2",
                                         "RefIdentity",
                                         "DeepCopy",
                                         "Dropout",
                                         NULL };

    return tn_tf_type_in(type, names);
}

uint32_t tn_tf_behind(const struct tn_net *net, uint32_t value)
{
    static const char *const carriers[] = { "Enter", "RefEnter", "Switch",
                                            "RefSwitch", NULL };

    /* A cycle of such nodes needs a Merge; a hostile one is cut short. */
    for (uint64_t step = 0; step < net->nodes.count; step++) {
        uint32_t producer = tn_net_value(net, value).producer;
        if (producer == TN_NONE)
            return value;
        const struct tn_net_node node = tn_net_node(net, producer);
        if (!node.input_count || node.inputs[0] == TN_NONE ||
            (!tn_tf_is_identity(node.op->type) &&
             !tn_tf_type_in(node.op->type, carriers)))
            return value;
        value = node.inputs[0];
    }
    return value;
}

static uint32_t add_identity(struct tn_tf_work *work, uint32_t graph,
                             uint32_t value, struct tn_bytes wish)
{
    struct tn_net *net    = work->net;
    uint32_t       output = tn_net_add_value(net, graph, wish);

    if (output == TN_NONE)
        return TN_NONE;
    tn_net_copy_type(net, output, value);
    struct tn_net_node node = { .name         = tn_net_value(net, output).name,
                                .op           = tn_net_own_op(net, "Identity"),
                                .graph        = graph,
                                .inputs       = &value,
                                .input_count  = 1,
                                .outputs      = &output,
                                .output_count = 1,
                                .source       = TN_NONE };
    uint32_t           id   = tn_net_add_node(net, &node);
    uint8_t           *mark = id == TN_NONE ? NULL : tn_tf_mark_of(work, id);
    if (mark)
        *mark |= TN_TF_NEEDED;
    return mark ? output : TN_NONE;
}

static bool *wanted_slot(struct tn_tf_work *work, uint32_t value)
{
    struct tn_list *wanted = &work->wanted;

    if (value >= wanted->count &&
        !tn_list_grow(wanted, work->net->values.count - wanted->count,
                      work->error))
        return NULL;
    return tn_list_at(wanted, bool, value);
}

void tn_tf_need_node(struct tn_tf_work *work, uint32_t node)
{
    uint8_t *mark = tn_tf_mark_of(work, node);

    if (!mark || (*mark & TN_TF_NEEDED))
        return;
    *mark |= TN_TF_NEEDED;
    uint32_t *slot = tn_list_push(&work->queue, uint32_t, work->error);
    if (slot)
        *slot = node;
}

void tn_tf_need(struct tn_tf_work *work, uint32_t value)
{
    if (value == TN_NONE)
        return;
    bool    *wanted = wanted_slot(work, value);
    uint32_t node   = tn_net_value(work->net, value).producer;
    uint8_t *mark   = node == TN_NONE ? NULL : tn_tf_mark_of(work, node);

    if (wanted)
        *wanted = true;
    if (mark)
        tn_tf_need_node(work, node);
}

void tn_tf_replace(struct tn_tf_work *work, uint32_t from, uint32_t to)
{
    bool *wanted = wanted_slot(work, from);

    tn_net_replace(work->net, from, to);
    if (wanted && *wanted)
        tn_tf_need(work, to);
}

/* ---- effects ------------------------------------------------------------ */

/* Why a node exists whose data is not used; NULL: it only computes. */
static const char *effect_of(struct tn_bytes type)
{
    static const struct {
        const char *type, *why;
    } effects[] = {
        { "Assert", "checks only" },
        { "Print", "prints only" },
        { "PrintV2", "prints only" },
        { "AssignVariableOp", "changes a variable for the next run" },
        { "AssignAddVariableOp", "changes a variable for the next run" },
        { "AssignSubVariableOp", "changes a variable for the next run" },
        { "Assign", "changes a variable for the next run" },
        { "AssignAdd", "changes a variable for the next run" },
        { "AssignSub", "changes a variable for the next run" },
        { "ScalarSummary", "records only" },
        { "HistogramSummary", "records only" },
        { "MergeSummary", "records only" },
        { "WriteSummary", "records only" },
        { "WriteScalarSummary", "records only" },
    };

    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (tn_bytes_is(type, effects[i].type))
            return effects[i].why;
    return NULL;
}

static void watch(struct tn_tf_work *work, struct tn_list *stack, uint32_t node)
{
    uint8_t *mark = tn_tf_mark_of(work, node);

    if (!mark || (*mark & (TN_TF_WATCHED | TN_TF_NEEDED)))
        return;
    *mark |= TN_TF_WATCHED;
    uint32_t *slot = tn_list_push(stack, uint32_t, work->error);
    if (slot)
        *slot = node;
}

static void watch_behind(struct tn_tf_work *work, struct tn_list *stack,
                         uint32_t id)
{
    const struct tn_net_node node = tn_net_node(work->net, id);

    for (uint32_t i = 0; i < node.control_count; i++)
        watch(work, stack, node.controls[i]);
}

/* Handles a node that exists only for its effect: a variable that it changes
 * becomes state, other effects become a note. */
static void note_effect(struct tn_tf_work *work, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(work->net, id);
    const char              *why  = effect_of(node.op->type);
    uint32_t                 next;

    if (node.is_removed)
        return;
    if (tn_tf_is_change(&node)) {
        tn_tf_add_state(work, &node, node.inputs[0], node.inputs[1], &next);
        return;
    }
    if (why)
        tn_tidy_note(work->notes, work->net, &node, why);
    if (tn_tf_changes(work, tn_tf_callee(work, &node)))
        tn_tf_need_node(work, id);
}

/* Finds nodes that existed only for their effects, by following control
 * edges. */
static void note_effects(struct tn_tf_work *work)
{
    struct tn_net *net = work->net;
    struct tn_list stack;

    tn_list_init(&stack, net->arena->memory, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++)
        if (*tn_tf_mark_of(work, i) & TN_TF_NEEDED)
            watch_behind(work, &stack, i);
    for (uint64_t i = 0; i < stack.count && !tn_failed(net->error); i++) {
        uint32_t id = *tn_list_at(&stack, uint32_t, i);
        note_effect(work, id);
        watch_behind(work, &stack, id);
    }
    tn_list_done(&stack);
}

/* ---- nodes one by one --------------------------------------------------- */

/* State that none of our files can hold. */
static const char *refusal(struct tn_bytes type)
{
    static const struct {
        const char *begin, *why;
    } rows[] = {
        { "Iterator", "a dataset" },
        { "OneShotIterator", "a dataset" },
        { "MakeIterator", "a dataset" },
        { "FIFOQueue", "a queue" },
        { "Queue", "a queue" },
        { "RandomShuffleQueue", "a queue" },
        { "PaddingFIFOQueue", "a queue" },
        { "ReadFile", "a file" },
        { "Stage", "a staging area" },
        { "PyFunc", "a function of Python" },
        { "EagerPyFunc", "a function of Python" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tn_bytes_starts_with(type, rows[i].begin))
            return rows[i].why;
    return NULL;
}

static enum tn_status become_constant(struct tn_tf_work *work, uint32_t id)
{
    struct tn_net              *net    = work->net;
    const struct tn_net_node    node   = tn_net_node(net, id);
    const struct tn_attr_value *tensor = tn_net_attr(&node, "value");

    if (!tensor || tensor->kind != TN_ATTR_TENSOR || tensor->count != 1 ||
        !node.output_count)
        return tn_error_set(work->error, TN_INVALID, TN_NOWHERE,
                            "%.*s: a Const without a value", TN_FMT(node.name));
    const struct tn_tensor *from = tensor->of.tensors[0];
    if (from->elements.shape.dtype == TN_UNDEFINED)
        return tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%.*s: unknown element type", TN_FMT(node.name));
    tn_net_remove(net, id);
    if (node.outputs[0] == TN_NONE)
        return TN_OK;
    tn_net_set_constant(net, node.outputs[0], &from->elements, from);
    return work->error->status;
}

/* Last of all, because until then their control edges tell in which branch they
 * are. */
static enum tn_status find_constants(struct tn_tf_work *work)
{
    struct tn_net *net = work->net;

    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed &&
            tn_bytes_is(tn_net_node(net, i).op->type, "Const"))
            TN_TRY(become_constant(work, i));
    return work->error->status;
}

static void type_from_attrs(struct tn_net *net, uint32_t id, uint32_t value)
{
    const struct tn_net_node    node  = tn_net_node(net, id);
    const struct tn_attr_value *dtype = tn_net_attr(&node, "dtype");
    const struct tn_attr_value *shape = tn_net_attr(&node, "shape");
    struct tn_net_type          type  = *tn_net_value(net, value).type;

    if (dtype && dtype->kind == TN_ATTR_DTYPE && dtype->count)
        type.dtype = (enum tn_dtype)dtype->of.ints[0];
    if (!type.has_rank && shape && shape->kind == TN_ATTR_SHAPE &&
        shape->count && shape->of.shapes[0].has_rank) {
        type.has_rank = true;
        type.rank     = shape->of.shapes[0].rank;
        type.dims     = shape->of.shapes[0].dims;
    }
    tn_net_set_type(net, value, &type);
}

/* A Placeholder is an input even if it is not listed as one. */
static enum tn_status become_input(struct tn_tf_work *work, uint32_t id)
{
    struct tn_net           *net  = work->net;
    const struct tn_net_node node = tn_net_node(net, id);
    uint32_t value = node.output_count ? node.outputs[0] : TN_NONE;

    if (value == TN_NONE)
        return TN_OK;
    if (node.graph)
        return tn_error_set(work->error, TN_INVALID, TN_NOWHERE,
                            "%.*s: a Placeholder inside a function",
                            TN_FMT(node.name));
    type_from_attrs(net, id, value);
    uint32_t *is_input = tn_tf_slot(work, &work->inputs, value);
    if (is_input && !*is_input)
        tn_net_add_input(net, 0, value, tn_bytes(NULL, 0));
    tn_net_set_producer(net, value, TN_NONE, 0);
    tn_net_remove(net, id);
    return work->error->status;
}

static bool is_one_of(struct tn_bytes type, const char *a, const char *b)
{
    return tn_bytes_is(type, a) || tn_bytes_is(type, b);
}

/* Only the first input is passed on; Print has more. */
static void become_identity(struct tn_tf_work *work, uint32_t id)
{
    static const char *const plain[] = { "Identity", "StopGradient", NULL };
    struct tn_net           *net     = work->net;
    const struct tn_net_node node    = tn_net_node(net, id);
    const char              *why     = effect_of(node.op->type);

    if (why)
        tn_tidy_note(work->notes, work->net, &node, why);
    if (!node.input_count || tn_tf_type_in(node.op->type, plain))
        return;
    const struct tn_attr_value *type = tn_net_attr(&node, "T");
    struct tn_attr_value kept     = type ? *type : (struct tn_attr_value){ 0 };
    uint32_t             input    = node.inputs[0];
    bool                 has_type = type != NULL;
    tn_net_set_op(net, id, tn_net_own_op(net, "Identity"));
    tn_net_set_attrs(net, id, NULL, 0);
    if (has_type)
        tn_net_set_attr(net, id, "T", &kept);
    tn_net_set_inputs(net, id, &input, 1);
}

static enum tn_status need_inputs(struct tn_tf_work *work, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(work->net, id);

    for (uint32_t i = 0; i < node.input_count; i++)
        tn_tf_need(work, node.inputs[i]);
    return work->error->status;
}

/* In the main graph every read returns the value before the run. */
static enum tn_status check_read(struct tn_tf_work *work, uint32_t id)
{
    struct tn_net *net = work->net;
    uint32_t       by;

    TN_TRY(tn_tf_find_assignment(work, id, &by));
    if (by == TN_NONE)
        return TN_OK;
    return tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%.*s reads what %.*s (%.*s) wrote: a variable that "
                        "changes cannot become a constant",
                        TN_FMT(tn_net_node(net, id).name),
                        TN_FMT(tn_net_node(net, by).name),
                        TN_FMT(tn_net_node(net, by).op->type));
}

static enum tn_status look_at(struct tn_tf_work *work, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(work->net, id);
    const char              *why  = refusal(node.op->type);

    if (why)
        return tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%.*s (%.*s) needs %s", TN_FMT(node.name),
                            TN_FMT(node.op->type), why);
    if (is_one_of(node.op->type, "Placeholder", "PlaceholderV2"))
        return become_input(work, id);
    if (tn_tf_is_read(&node)) {
        if (!tn_net_graph(work->net, node.graph)->kind)
            TN_TRY(check_read(work, id));
        return tn_tf_freeze(work, id);
    }
    if (tn_tf_is_lookup(&node)) {
        bool is_done;
        TN_TRY(tn_tf_look_up(work, id, &is_done));
        return is_done ? TN_OK : need_inputs(work, id);
    }
    if (tn_tf_is_structure(&node))
        return tn_tf_structure(work, id);
    if (tn_tf_callee(work, &node) != TN_NONE)
        return tn_tf_inline_call(work, id);
    if (tn_tf_is_identity(node.op->type))
        become_identity(work, id);
    return need_inputs(work, id);
}

/* ---- before and after --------------------------------------------------- */

/* The node no longer gives that output. */
static void take_output(struct tn_net *net, uint32_t node, uint32_t output)
{
    const struct tn_net_node n = tn_net_node(net, node);
    uint32_t                *outputs =
        tn_new(net->arena, uint32_t, n.output_count, net->error);

    if (!outputs || output >= n.output_count)
        return;
    memcpy(outputs, n.outputs, n.output_count * sizeof *outputs);
    outputs[output] = TN_NONE;
    tn_net_set_outputs(net, node, outputs, n.output_count);
}

/* What is named as an input is not computed, whatever produces it. */
static void detach_inputs(struct tn_tf_work *work)
{
    struct tn_net             *net  = work->net;
    const struct tn_net_graph *main = tn_net_graph(net, 0);

    for (uint64_t i = 0; i < main->inputs.count; i++) {
        uint32_t  value    = *tn_list_at(&main->inputs, uint32_t, i);
        uint32_t  producer = tn_net_value(net, value).producer;
        uint32_t *is_input = tn_tf_slot(work, &work->inputs, value);
        if (is_input)
            *is_input = 1;
        if (producer == TN_NONE)
            continue;
        type_from_attrs(net, producer, value);
        take_output(net, producer, tn_net_value(net, value).output);
        tn_net_set_producer(net, value, TN_NONE, 0);
    }
}

static enum tn_status look_at_queue(struct tn_tf_work *work)
{
    while (work->looked < work->queue.count && !tn_failed(work->error)) {
        uint32_t node = *tn_list_at(&work->queue, uint32_t, work->looked++);
        TN_TRY(look_at(work, node));
    }
    return work->error->status;
}

static enum tn_status follow_needs(struct tn_tf_work *work)
{
    struct tn_net *net = work->net;

    for (uint64_t i = 0; i < tn_net_graph(net, 0)->outputs.count; i++)
        tn_tf_need(work,
                   *tn_list_at(&tn_net_graph(net, 0)->outputs, uint32_t, i));
    return look_at_queue(work);
}

/* Effects may need further nodes, which may have effects again. */
static enum tn_status follow_effects(struct tn_tf_work *work)
{
    uint64_t before;

    do {
        before = work->queue.count;
        note_effects(work);
        TN_TRY(look_at_queue(work));
    } while (work->queue.count > before);
    return work->error->status;
}

/* Outputs of a subgraph are made in it, each once. */
static void seal_subgraph(struct tn_tf_work *work, uint32_t graph,
                          struct tn_list *seen)
{
    struct tn_net *net = work->net;

    for (uint64_t i = 0; i < tn_net_graph(net, graph)->outputs.count; i++) {
        uint32_t value =
            *tn_list_at(&tn_net_graph(net, graph)->outputs, uint32_t, i);
        uint32_t *slot = tn_tf_slot(work, seen, value);
        if (!slot)
            return;
        const struct tn_net_value from = tn_net_value(net, value);
        if (from.graph == graph && from.producer != TN_NONE && !*slot) {
            *slot = 1;
            continue;
        }
        uint32_t copy = add_identity(work, graph, value, from.name);
        if (copy == TN_NONE)
            return;
        *tn_list_at(&tn_net_graph(net, graph)->outputs, uint32_t, i) = copy;
    }
}

static void seal_subgraphs(struct tn_tf_work *work)
{
    struct tn_net *net = work->net;
    struct tn_list seen;

    tn_list_init(&seen, net->arena->memory, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->graphs.count && !tn_failed(net->error); i++)
        if (tn_net_graph(net, i)->kind == TN_GRAPH_SUBGRAPH)
            seal_subgraph(work, i, &seen);
    tn_list_done(&seen);
}

static void sweep(struct tn_tf_work *work)
{
    struct tn_net *net = work->net;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        uint8_t *mark = tn_tf_mark_of(work, i);
        if (!mark)
            return;
        if (!(*mark & TN_TF_NEEDED))
            tn_net_remove(net, i);
        tn_net_set_controls(net, i, NULL, 0);
    }
}

static void work_init(struct tn_tf_work *work, struct tn_net *net)
{
    struct tn_memory *memory = net->arena->memory;

    tn_intern_init(&work->functions, net->arena);
    tn_list_init(&work->function_graphs, memory, sizeof(uint32_t));
    tn_list_init(&work->marks, memory, sizeof(uint8_t));
    tn_list_init(&work->places, memory, sizeof(uint32_t));
    tn_list_init(&work->wanted, memory, sizeof(bool));
    tn_list_init(&work->inputs, memory, sizeof(uint32_t));
    tn_list_init(&work->queue, memory, sizeof(uint32_t));
    tn_list_init(&work->instances, memory, sizeof(struct tn_tf_instance));
    tn_list_init(&work->keys, memory, sizeof(uint32_t));
    tn_list_init(&work->frozen, memory, sizeof(uint32_t));
    tn_list_init(&work->states, memory, sizeof(uint32_t));
    tn_list_init(&work->changing, memory, sizeof(uint32_t));
    tn_list_init(&work->tables, memory, sizeof(struct tn_tf_table));
    tn_list_init(&work->table_of, memory, sizeof(uint32_t));
    tn_list_init(&work->copies, memory, sizeof(uint32_t));
    tn_list_init(&work->touched, memory, sizeof(uint32_t));
}

static void work_done(struct tn_tf_work *work)
{
    tn_intern_done(&work->functions);
    tn_list_done(&work->function_graphs);
    tn_list_done(&work->marks);
    tn_list_done(&work->places);
    tn_list_done(&work->wanted);
    tn_list_done(&work->inputs);
    tn_list_done(&work->queue);
    tn_list_done(&work->instances);
    tn_list_done(&work->keys);
    tn_list_done(&work->frozen);
    tn_list_done(&work->states);
    tn_list_done(&work->changing);
    tn_list_done(&work->tables);
    tn_list_done(&work->table_of);
    tn_list_done(&work->copies);
    tn_list_done(&work->touched);
}

static uint64_t count_frozen(const struct tn_tf_work *work)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < work->frozen.count; i++)
        count += *tn_list_at(&work->frozen, uint32_t, i) != 0;
    return count;
}

static enum tn_status resolve(struct tn_tf_work *work)
{
    tn_tf_find_functions(work);
    TN_TRY(tn_tf_order_signature(work));
    TN_TRY(tn_tf_bind_variables(work));
    TN_TRY(tn_tf_bind_tables(work));
    detach_inputs(work);
    TN_TRY(follow_needs(work));
    TN_TRY(follow_effects(work));
    TN_TRY(tn_tf_end_states(work));
    seal_subgraphs(work);
    if (tn_failed(work->error))
        return work->error->status;
    TN_TRY(tn_tf_gate(work));
    sweep(work);
    return find_constants(work);
}

static void list_files(const struct tn_tf_work *work, struct tn_list *files)
{
    for (uint64_t i = 0; files && i < work->tables.count; i++) {
        const struct tn_tf_table *table =
            tn_list_at(&work->tables, struct tn_tf_table, i);
        struct tn_bytes *slot =
            table->file && table->keys != TN_NONE
                ? tn_list_push(files, struct tn_bytes, work->error)
                : NULL;
        if (slot)
            *slot = table->file->file;
    }
}

enum tn_status tn_tf_resolve(struct tn_net *net, struct tn_list *notes,
                             struct tn_tf_resolved *did)
{
    struct tn_tf_work work = { .net   = net,
                               .error = net->error,
                               .notes = notes };

    work_init(&work, net);
    resolve(&work);
    if (did) {
        did->calls     = work.instances.count;
        did->variables = count_frozen(&work);
        list_files(&work, did->files);
    }
    work_done(&work);
    return net->error->status;
}

enum tn_status tn_tf_raise(struct tn_net *net)
{
    tn_flow_number(net);
    TN_TRY(tn_net_order(net, tn_flow_loop_ops));
    return tn_flow_raise(net);
}

static void note_variables(struct tn_tf_work *work, struct tn_list *tensors)
{
    struct tn_net *net = work->net;

    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        uint32_t *slot   = node.source == TN_NONE || !tn_tf_is_variable(&node)
                               ? NULL
                               : tn_tf_slot(work, tensors, node.source);
        uint32_t  tensor = slot ? tn_tf_variable_tensor(work, i) : TN_NONE;
        if (tensor != TN_NONE)
            *slot = tensor + 1;
    }
}

enum tn_status tn_tf_variables(struct tn_net *net, struct tn_list *tensors)
{
    struct tn_tf_work work = { .net = net, .error = net->error };

    work_init(&work, net);
    tn_tf_find_functions(&work);
    if (tn_tf_bind_variables(&work) == TN_OK)
        note_variables(&work, tensors);
    work_done(&work);
    return net->error->status;
}
