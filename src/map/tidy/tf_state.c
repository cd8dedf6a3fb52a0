/*
 * tf_state.c - variables that a signature changes
 *
 * A graph without variables cannot keep state between runs, but its caller can.
 * So a variable that is assigned becomes an input NAME, its value before the
 * run, and an output NAME_next, its value after the run.
 *
 *   v' = f(v, x); AssignVariableOp(v, v')         v, x -> ..., v_next
 *
 * A read before the assignment gives the input, a read after it (by control
 * edges) the assigned value.  Only one assignment of each variable is allowed,
 * outside of branches and loops; anything else is refused.  This holds for
 * signatures: if the caller chose the outputs of a graph, operators that change
 * a variable are left out and reported.
 */
#include "map/net/net_build.h"
#include "map/tidy/tf_work.h"

#define NEST_MAX 32

/* Operators that change a variable, and how; all other changes are refused. */
static const struct {
    const char *type, *op; /* of the old value and the other; NULL: the other */
    bool        is_known;
} changes[] = {
    { "AssignVariableOp", NULL, true },
    { "AssignAddVariableOp", "AddV2", true },
    { "AssignSubVariableOp", "Sub", true },
    { "ResourceScatterUpdate", NULL, false },
    { "ResourceScatterAdd", NULL, false },
    { "ResourceScatterSub", NULL, false },
    { "ResourceScatterNdUpdate", NULL, false },
    { "ResourceScatterNdAdd", NULL, false },
    { "ResourceStridedSliceAssign", NULL, false },
    { "ResourceApplyGradientDescent", NULL, false },
};

enum { CHANGES = sizeof changes / sizeof changes[0] };

static size_t change_of(struct tn_bytes type)
{
    size_t i = 0;

    while (i < CHANGES && !tn_bytes_is(type, changes[i].type))
        i++;
    return i;
}

bool tn_tf_is_change(const struct tn_net_node *node)
{
    return change_of(node->op->type) < CHANGES && node->input_count >= 2 &&
           node->inputs[0] != TN_NONE && node->inputs[1] != TN_NONE;
}

/* In the slot of a graph: 0 for not known yet. */
enum { CHANGES_NOTHING = 1, CHANGES_SOMETHING };

static bool changes_within(struct tn_tf_work *work, uint32_t graph,
                           unsigned depth)
{
    struct tn_net *net  = work->net;
    uint32_t      *slot = tn_tf_slot(work, &work->changing, graph);

    if (!slot || depth > NEST_MAX)
        return false; /* too deep to be called, too */
    if (*slot)
        return *slot == CHANGES_SOMETHING;
    *slot = CHANGES_NOTHING; /* of a function that calls itself */
    const struct tn_list *nodes       = &tn_net_graph(net, graph)->nodes;
    bool                  is_changing = false;
    for (uint64_t i = 0; i < nodes->count && !is_changing; i++) {
        const struct tn_net_node node =
            tn_net_node(net, *tn_list_at(nodes, uint32_t, i));
        uint32_t callee = tn_tf_callee(work, &node);
        is_changing =
            tn_tf_is_change(&node) ||
            (callee != TN_NONE && changes_within(work, callee, depth + 1));
    }
    slot = tn_tf_slot(work, &work->changing, graph);
    if (slot && is_changing)
        *slot = CHANGES_SOMETHING;
    return is_changing;
}

bool tn_tf_changes(struct tn_tf_work *work, uint32_t graph)
{
    return graph != TN_NONE && changes_within(work, graph, 0);
}

/* ---- the state ---------------------------------------------------------- */

static enum tn_status refuse(struct tn_tf_work        *work,
                             const struct tn_net_node *node, const char *why)
{
    return tn_error_set(work->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%.*s (%.*s) changes a variable %s: a graph that keeps "
                        "nothing cannot; export a signature that takes and "
                        "returns it",
                        TN_FMT(node->name), TN_FMT(node->op->type), why);
}

static uint32_t add_node(struct tn_tf_work *work, const char *type,
                         const uint32_t *inputs, uint32_t count,
                         const struct tn_net_node *like)
{
    struct tn_net *net    = work->net;
    uint32_t       output = tn_net_add_value(net, 0, like->name);

    if (output == TN_NONE)
        return TN_NONE;
    struct tn_net_node node = { .name         = like->name,
                                .op           = tn_net_own_op(net, type),
                                .inputs       = inputs,
                                .input_count  = count,
                                .outputs      = &output,
                                .output_count = 1,
                                .source       = TN_NONE };
    return tn_net_add_node(net, &node) == TN_NONE ? TN_NONE : output;
}

/* The value of the variable after the change, computed in the main graph. */
static uint32_t next_value(struct tn_tf_work        *work,
                           const struct tn_net_node *node, uint32_t handle,
                           uint32_t value)
{
    const char *op = changes[change_of(node->op->type)].op;
    uint32_t    both[2];

    if (!op)
        return value;
    both[0] = add_node(work, "ReadVariableOp", &handle, 1, node);
    both[1] = value;
    uint32_t made =
        both[0] == TN_NONE ? TN_NONE : add_node(work, op, both, 2, node);
    const struct tn_attr_value *type = tn_net_attr(node, "dtype");
    if (made != TN_NONE && type)
        tn_net_set_attr(work->net, tn_net_value(work->net, made).producer, "T",
                        type);
    return made;
}

enum tn_status tn_tf_add_state(struct tn_tf_work        *work,
                               const struct tn_net_node *node, uint32_t handle,
                               uint32_t value, uint32_t *next)
{
    struct tn_net *net = work->net;
    uint32_t       variable =
        handle == TN_NONE
                  ? TN_NONE
                  : tn_net_value(net, tn_tf_behind(net, handle)).producer;

    *next = TN_NONE;
    if (!net->signature.size) {
        tn_tidy_note(work->notes, work->net, node,
                     "changes a variable for the next run");
        return work->error->status;
    }
    if (!changes[change_of(node->op->type)].is_known)
        return refuse(work, node, "in a way that has no rule");
    if (variable == TN_NONE || value == TN_NONE)
        return refuse(work, node, "of another graph");
    struct tn_net_node of = tn_net_node(net, variable);
    if (!tn_tf_is_variable(&of))
        return refuse(work, node, "of another graph");
    uint32_t *is_state = tn_tf_slot(work, &work->states, variable);
    if (!is_state)
        return work->error->status;
    if (*is_state)
        return refuse(work, node, "that is changed elsewhere, too");
    *is_state = 1;
    *next     = next_value(work, node, handle, value);
    char *name =
        tn_text_format(net->arena, net->error, "%.*s_next", TN_FMT(of.name));
    if (*next == TN_NONE || !name)
        return work->error->status;
    tn_tidy_note(
        work->notes, work->net, node,
        "changes a variable: it is an input now, and what it becomes an "
        "output");
    tn_net_add_output(net, 0, *next, tn_text(name));
    tn_tf_need(work, *next);
    return work->error->status;
}

enum tn_status tn_tf_refuse_change(struct tn_tf_work        *work,
                                   const struct tn_net_node *node)
{
    return refuse(work, node, "in a branch or a loop");
}

/* Makes an input of the constant that the variable had become. */
static void become_input(struct tn_tf_work *work, uint32_t variable,
                         uint32_t constant)
{
    struct tn_net *net   = work->net;
    uint32_t       input = tn_net_add_value(net, 0, tn_text("state"));

    if (input == TN_NONE)
        return;
    tn_net_set_shape(net, input, &tn_net_value(net, constant).constant->shape);
    tn_net_swap_names(net, input, constant);
    tn_net_add_input(net, 0, input, tn_net_node(net, variable).name);
    tn_net_replace(net, constant, input);
}

enum tn_status tn_tf_end_states(struct tn_tf_work *work)
{
    for (uint32_t i = 0; i < work->states.count && !tn_failed(work->error);
         i++) {
        const uint32_t *frozen = tn_tf_slot(work, &work->frozen, i);
        if (*tn_list_at(&work->states, uint32_t, i) && frozen && *frozen)
            become_input(work, i, *frozen - 1);
    }
    return work->error->status;
}
