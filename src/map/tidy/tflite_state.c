/*
 * tflite_state.c - state that a model keeps between runs
 *
 * A graph of ONNX keeps no state, but its caller can.  So state becomes an
 * input NAME, its value before the run, and an output NAME_next, its value
 * after the run.  There are two kinds.
 *
 *   variable tensors    of LSTM, RNN and SVDF, which process one step of a
 *                       sequence per run: they return their state as further
 *                       outputs
 *   VAR_HANDLE          by name: READ_VARIABLE returns the value that
 *                       ASSIGN_VARIABLE stored before, or CALL_ONCE at first. A
 *                       variable that nothing changes is a constant
 *
 * Operators that process a whole sequence begin at zero in each run, and a note
 * says so: converters give them variables although models do not use the state
 * that is left.  The order of operators is that of the file.
 */
#include "map/net/net_build.h"
#include "map/tidy/tflite_tidy.h"

struct tn_tflite_states tn_tflite_states_of(const struct tn_net_node *node)
{
    static const struct {
        const char             *type;
        struct tn_tflite_states states;
    } ops[] = {
        { "LSTM", { 18, 2, true } },
        { "RNN", { 4, 1, true } },
        { "SVDF", { 4, 1, true } },
        { "UNIDIRECTIONAL_SEQUENCE_LSTM", { 18, 2, false } },
        { "UNIDIRECTIONAL_SEQUENCE_RNN", { 4, 1, false } },
        { "BIDIRECTIONAL_SEQUENCE_LSTM", { 35, 4, false } },
        { "BIDIRECTIONAL_SEQUENCE_RNN", { 4, 1, false } },
    };

    for (size_t i = 0; !node->op->domain.size && i < sizeof ops / sizeof *ops;
         i++)
        if (tn_bytes_is(node->op->type, ops[i].type))
            return ops[i].states;
    return (struct tn_tflite_states){ 0 };
}

/* ---- variable tensors ----------------------------------------------------- */

static void add_next(struct tn_tflite_work *work, struct tn_bytes name,
                     uint32_t value)
{
    struct tn_net *net = work->net;
    char          *next =
        tn_text_format(net->arena, net->error, "%.*s_next", TN_FMT(name));

    if (next)
        tn_net_add_output(net, 0, value, tn_text(next));
    work->did->states++;
}

/* Makes an input of the main graph of the constant that a state was. */
static uint32_t become_input(struct tn_tflite_work *work, uint32_t constant)
{
    struct tn_net  *net   = work->net;
    uint32_t        input = tn_net_add_value(net, 0, tn_text("state"));
    struct tn_bytes name  = tn_net_value(net, constant).name;

    if (input == TN_NONE)
        return TN_NONE;
    tn_net_set_shape(net, input, &tn_net_value(net, constant).constant->shape);
    tn_net_swap_names(net, input, constant);
    tn_net_add_input(net, 0, input, name);
    return input;
}

static bool is_state(const struct tn_net *net, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(net, value);

    return v.constant && v.is_trained;
}

/* One more output for each state. */
static enum tn_status hand_on(struct tn_tflite_work *work, uint32_t id,
                              struct tn_tflite_states states)
{
    struct tn_net           *net   = work->net;
    const struct tn_net_node node  = tn_net_node(net, id);
    uint32_t                 count = states.count + 1;
    uint32_t                *inputs =
        tn_new(net->arena, uint32_t, node.input_count, net->error);
    uint32_t *outputs = tn_new(net->arena, uint32_t, count, net->error);

    if (!inputs || !outputs)
        return net->error->status;
    if (node.graph)
        return tn_error_set(net->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%.*s keeps a state, and is in a branch or a loop",
                            TN_FMT(node.op->type));
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    outputs[0] = node.output_count ? node.outputs[0] : TN_NONE;
    for (uint32_t i = 0; i < states.count; i++) {
        uint32_t at    = states.first + i;
        outputs[1 + i] = TN_NONE;
        if (at >= node.input_count || inputs[at] == TN_NONE ||
            !is_state(net, inputs[at]))
            continue;
        struct tn_bytes name  = tn_net_value(net, inputs[at]).name;
        uint32_t        input = become_input(work, inputs[at]);
        outputs[1 + i]        = tn_net_add_value(net, 0, name);
        if (input == TN_NONE || outputs[1 + i] == TN_NONE)
            return net->error->status;
        tn_net_copy_type(net, outputs[1 + i], input);
        inputs[at] = input;
    }
    tn_net_set_inputs(net, id, inputs, node.input_count);
    tn_net_set_outputs(net, id, outputs, count);
    for (uint32_t i = 0; i < states.count; i++)
        if (outputs[1 + i] != TN_NONE)
            add_next(work, tn_net_value(net, inputs[states.first + i]).name,
                     outputs[1 + i]);
    tn_tflite_note(work, id,
                   "keeps a state: it is an input now, and what it becomes an "
                   "output");
    return net->error->status;
}

static bool has_state(const struct tn_net *net, const struct tn_net_node *node,
                      struct tn_tflite_states states)
{
    for (uint32_t i = 0; i < states.count; i++) {
        uint32_t at = states.first + i;
        if (at < node->input_count && node->inputs[at] != TN_NONE &&
            is_state(net, node->inputs[at]))
            return true;
    }
    return false;
}

/* The kernel of old files has its state as an argument. */
static bool is_old_lstm(const struct tn_net_node *node)
{
    const struct tn_attr_value *kernel = tn_net_attr(node, "kernel_type");

    return kernel && kernel->kind == TN_ATTR_STRING && kernel->count &&
           tn_bytes_is(kernel->of.strings[0], "BASIC");
}

static void keep_tensors(struct tn_tflite_work *work)
{
    struct tn_net *net   = work->net;
    uint64_t       count = net->nodes.count;

    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++) {
        const struct tn_net_node node   = tn_net_node(net, i);
        struct tn_tflite_states  states = tn_tflite_states_of(&node);
        if (node.is_removed || !states.count || is_old_lstm(&node) ||
            tn_net_graph(net, node.graph)->kind == TN_GRAPH_FUNCTION ||
            !has_state(net, &node, states))
            continue;
        if (states.is_step)
            hand_on(work, i, states);
        else
            tn_tflite_note(work, i, "its state is zero at the beginning of "
                                    "each run");
    }
}

/* ---- variables by name ------------------------------------------------------ */

struct variable {
    struct tn_bytes name;
    uint32_t        first; /* the constant it begins as; TN_NONE: not known   */
    uint32_t        now;   /* what it is in the main graph; TN_NONE: nothing yet */
    uint32_t        input; /* of the main graph; TN_NONE: none                */
    bool            is_changed;
};

struct keeping {
    struct tn_tflite_work *work;
    struct tn_net         *net;
    struct tn_list         variables; /* struct variable                      */
};

static bool is_op(const struct tn_net_node *node, const char *type)
{
    return !node->is_removed && !node->op->domain.size &&
           tn_bytes_is(node->op->type, type);
}

static struct tn_bytes text_attr(const struct tn_net_node *node,
                                 const char               *name)
{
    const struct tn_attr_value *text = tn_net_attr(node, name);

    return text && text->kind == TN_ATTR_STRING && text->count
               ? text->of.strings[0]
               : tn_bytes(NULL, 0);
}

/* The variable of a handle; NULL: it is unknown, or the net has failed. */
static struct variable *variable_of(struct keeping *k, uint32_t handle)
{
    uint32_t maker = handle == TN_NONE ? TN_NONE
                                       : tn_net_value(k->net, handle).producer;

    if (maker == TN_NONE)
        return NULL;
    const struct tn_net_node node = tn_net_node(k->net, maker);
    if (!is_op(&node, "VAR_HANDLE"))
        return NULL;
    struct tn_bytes name = text_attr(&node, "shared_name");
    for (uint64_t i = 0; i < k->variables.count; i++) {
        struct variable *v = tn_list_at(&k->variables, struct variable, i);
        if (tn_bytes_equal(v->name, name))
            return v;
    }
    struct variable *v =
        tn_list_push(&k->variables, struct variable, k->net->error);
    if (v)
        *v = (struct variable){ name, TN_NONE, TN_NONE, TN_NONE, false };
    return v;
}

static enum tn_status refuse(struct keeping *k, const struct tn_net_node *node,
                             const char *why)
{
    return tn_error_set(k->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%.*s '%.*s': %s", TN_FMT(node->op->type),
                        TN_FMT(node->output_count && node->outputs[0] != TN_NONE
                                   ? tn_net_value(k->net, node->outputs[0]).name
                                   : node->name),
                        why);
}

/* What subgraphs that run once put into variables. */
static void find_first(struct keeping *k)
{
    for (uint32_t i = 0; i < k->net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(k->net, i);
        if (!is_op(&node, "ASSIGN_VARIABLE") || node.input_count != 2 ||
            node.inputs[1] == TN_NONE ||
            tn_net_graph(k->net, node.graph)->kind != TN_GRAPH_FUNCTION ||
            !tn_net_value(k->net, node.inputs[1]).constant)
            continue;
        struct variable *v = variable_of(k, node.inputs[0]);
        if (v && v->first == TN_NONE)
            v->first = node.inputs[1];
    }
}

static void find_changes(struct keeping *k)
{
    for (uint32_t i = 0; i < k->net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(k->net, i);
        if (!is_op(&node, "ASSIGN_VARIABLE") || !node.input_count ||
            tn_net_graph(k->net, node.graph)->kind == TN_GRAPH_FUNCTION)
            continue;
        struct variable *v = variable_of(k, node.inputs[0]);
        if (v)
            v->is_changed = true;
        if (!v)
            refuse(k, &node, "changes a variable that is not known");
        else if (node.graph)
            refuse(k, &node, "changes a variable in a branch or a loop");
    }
}

/* A constant of the main graph. */
static uint32_t first_value(struct keeping *k, const struct variable *v)
{
    uint32_t value = tn_net_add_value(k->net, 0, v->name);

    if (value == TN_NONE)
        return TN_NONE;
    tn_net_copy_type(k->net, value, v->first);
    tn_net_copy_constant(k->net, value, v->first);
    return value;
}

static void read_variable(struct keeping *k, uint32_t id)
{
    struct tn_net           *net  = k->net;
    const struct tn_net_node node = tn_net_node(net, id);
    struct variable         *v =
        node.input_count ? variable_of(k, node.inputs[0]) : NULL;

    if (node.output_count != 1 || node.outputs[0] == TN_NONE)
        return;
    if (!v) {
        refuse(k, &node, "reads a variable that is not known");
        return;
    }
    if (v->is_changed && node.graph) {
        refuse(k, &node, "reads a variable that changes in a branch or a loop");
        return;
    }
    if (v->now == TN_NONE && v->is_changed) {
        v->now = tn_net_add_value(net, 0, v->name);
        if (v->now == TN_NONE)
            return;
        if (v->first != TN_NONE)
            tn_net_copy_type(net, v->now, v->first);
        else
            tn_net_copy_type(net, v->now, node.outputs[0]);
        v->input = v->now;
        tn_net_add_input(net, 0, v->now, v->name);
    } else if (v->now == TN_NONE && v->first != TN_NONE) {
        v->now = first_value(k, v);
    } else if (v->now == TN_NONE) {
        refuse(k, &node, "reads a variable that has no value");
        return;
    }
    tn_net_replace(net, node.outputs[0], v->now);
    tn_net_remove(net, id);
}

static void keep_variables(struct keeping *k)
{
    struct tn_net *net   = k->net;
    uint64_t       count = net->nodes.count;

    find_first(k);
    find_changes(k);
    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed ||
            tn_net_graph(net, node.graph)->kind == TN_GRAPH_FUNCTION)
            continue;
        if (is_op(&node, "READ_VARIABLE"))
            read_variable(k, i);
        if (is_op(&node, "ASSIGN_VARIABLE") && node.input_count == 2) {
            struct variable *v = variable_of(k, node.inputs[0]);
            if (v)
                v->now = node.inputs[1];
            tn_tflite_note(k->work, i,
                           "changes a variable: what it becomes is an output "
                           "now");
            tn_net_remove(net, i);
        }
        if (is_op(&node, "CALL_ONCE"))
            tn_net_remove(net, i);
    }
    for (uint64_t i = 0; i < k->variables.count && !tn_failed(net->error);
         i++) {
        const struct variable *v =
            tn_list_at(&k->variables, struct variable, i);
        if (v->is_changed && v->now != TN_NONE)
            add_next(k->work, v->name, v->now);
    }
}

enum tn_status tn_tflite_state(struct tn_tflite_work *work)
{
    struct keeping k = { .work = work, .net = work->net };

    tn_list_init(&k.variables, work->net->arena->memory,
                 sizeof(struct variable));
    keep_tensors(work);
    if (!tn_failed(work->net->error))
        keep_variables(&k);
    tn_list_done(&k.variables);
    return work->net->error->status;
}
