/*
 * flow_lower.c - If and Loop become Switch, Merge and frames
 *
 * Innermost graphs come first, so that a graph only receives flat ones.  The
 * nodes of a branch move to the graph around it:
 *
 *   If      what a branch uses from outside passes a Switch; each output is a
 *           Merge.  An output that uses nothing from outside passes a Switch
 *           itself, because otherwise it would be computed in both cases.
 *   Loop    the counter, the condition and the variables are passed from round
 *           to round; values from outside enter the frame as constants
 *
 * Constants and inputs of the graph need neither.
 */
#include <inttypes.h>

#include "ir/dialect_facts.h"
#include "ir/pairs.h"
#include "map/flow/flow.h"
#include "map/flow/flow_guard.h"
#include "map/net/net_build.h"

/* The most nodes that let values in, for each node and in addition: a value
 * passes one for every graph around its use. */
#define DOORS_A_NODE   8
#define DOORS_AT_LEAST (UINT64_C(1) << 14)

struct words {
    const char *flow[6]; /* Switch, Merge, Enter, Exit, Next, Cond            */
    const char *frame_name, *is_constant;
    const char *less, *both, *add, *identity;
    uint32_t    merge_outputs; /* two: it says which input was there, too     */
};

enum { SWITCH, MERGE, ENTER, EXIT, NEXT, COND };

static const struct words dialects[TN_DIALECT_COUNT] = {
    [TN_DIALECT_ND4J]       = { { "switch", "merge", "enter", "exit",
                                  "next_iteration", "loop_cond" },
                                "frameName",
                                "isConstant",
                                "less",
                                "boolean_and",
                                "add",
                                "identity",
                                1 },
    [TN_DIALECT_TENSORFLOW] = { { "Switch", "Merge", "Enter", "Exit",
                                  "NextIteration", "LoopCond" },
                                "frame_name",
                                "is_constant",
                                "Less",
                                "LogicalAnd",
                                "AddV2",
                                "Identity",
                                2 },
};

struct lowering {
    struct tn_net      *net;
    const struct words *words;
    struct tn_pairs     outside; /* (0 or 1, value): what it is inside        */
    struct tn_list      gated;   /* uint32_t by value: 1 + side               */
    struct tn_list      wanted;  /* uint8_t by value: it is used              */
    uint64_t            doors, most_doors;
};

/* ---- users of values ---------------------------------------------------- */

static void want_all(struct lowering *l, const uint32_t *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (values[i] != TN_NONE)
            *tn_list_at(&l->wanted, uint8_t, values[i]) = true;
}

static void find_wanted(struct lowering *l)
{
    const struct tn_net *net = l->net;

    if (!tn_list_grow(&l->wanted, net->values.count, net->error))
        return;
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed)
            want_all(l, tn_net_node(net, i).inputs,
                     tn_net_node(net, i).input_count);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        if (outputs->count)
            want_all(l, tn_list_at(outputs, uint32_t, 0), outputs->count);
    }
}

/* An unused output of a loop would look like a result of the model. */
static uint32_t if_wanted(const struct lowering *l, uint32_t value)
{
    if (value == TN_NONE || value >= l->wanted.count)
        return value;
    return *tn_list_at(&l->wanted, uint8_t, value) ? value : TN_NONE;
}

/* A new value like another one; TN_NONE on failure, and if the other is
 * TN_NONE. */
static uint32_t value_in(struct tn_net *net, uint32_t graph, uint32_t like)
{
    uint32_t value =
        like == TN_NONE
            ? TN_NONE
            : tn_net_add_value(net, graph, tn_net_value(net, like).name);

    if (value != TN_NONE)
        tn_net_copy_type(net, value, like);
    return value;
}

static uint32_t add_node(struct lowering *l, uint32_t graph, const char *type,
                         const uint32_t *inputs, uint32_t input_count,
                         const uint32_t *outputs, uint32_t output_count)
{
    struct tn_bytes name = { NULL, 0 };

    for (uint32_t i = 0; i < output_count; i++)
        if (outputs[i] != TN_NONE)
            name = tn_net_value(l->net, outputs[i]).name;
    return tn_net_add_node(
        l->net, &(struct tn_net_node){ .name   = name,
                                       .op     = tn_net_own_op(l->net, type),
                                       .graph  = graph,
                                       .inputs = inputs,
                                       .input_count  = input_count,
                                       .outputs      = outputs,
                                       .output_count = output_count,
                                       .source       = TN_NONE });
}

static void add_merge(struct lowering *l, uint32_t graph,
                      const uint32_t inputs[2], uint32_t output)
{
    uint32_t outputs[2] = { output, TN_NONE };

    add_node(l, graph, l->words->flow[MERGE], inputs, 2, outputs,
             l->words->merge_outputs);
}

/* ---- moving a graph into the one around it ------------------------------ */

/* Whether it may be used as it is: constants, and in a frame also inputs of the
 * model.  A branch must not use those directly: if it is not taken, their
 * shapes may not fit it. */
static bool is_everywhere(const struct tn_net *net, uint32_t value,
                          bool is_frame)
{
    const struct tn_net_value v = tn_net_value(net, value);

    return v.constant || (is_frame && v.producer == TN_NONE && v.graph == 0);
}

typedef uint32_t carry(struct lowering *l, void *context, uint32_t value);

/* The value inside that stands for one from outside; made once. */
static uint32_t carried(struct lowering *l, uint32_t side, uint32_t value,
                        carry *each, void *context)
{
    uint32_t found = tn_pairs_find(&l->outside, side, value);

    if (found == TN_NONE && ++l->doors > l->most_doors) {
        tn_error_set(l->net->error, TN_LIMIT, TN_NOWHERE,
                     "graphs nest so deep that more than %" PRIu64
                     " nodes must let values in",
                     l->most_doors);
    } else if (found == TN_NONE) {
        found = each(l, context, value);
        if (found != TN_NONE)
            tn_pairs_add(&l->outside, side, value, found, l->net->error);
    }
    return found;
}

static uint32_t *gate_of(struct lowering *l, uint32_t value)
{
    if (value >= l->gated.count &&
        !tn_list_grow(&l->gated, l->net->values.count - l->gated.count,
                      l->net->error))
        return NULL;
    return tn_list_at(&l->gated, uint32_t, value);
}

struct moving {
    uint32_t from, to, side;
    bool     is_frame;
    carry   *each;
    void    *context;
};

/* Whether an input must come in although it may be used as it is.  A frame must
 * not run in a branch that is not taken: so everything that enters it,
 * constants too, must pass into the branch first.  The outputs of a Switch must
 * be dead if the Switch itself is not reached.  And a list is made again in
 * every round. */
static bool must_enter(const struct lowering *l, const struct moving *m,
                       uint32_t node, uint32_t input)
{
    struct tn_bytes type = tn_net_node(l->net, node).op->type;

    if (tn_bytes_is(type, l->words->flow[SWITCH]))
        return input == 0;
    return tn_bytes_is(type, l->words->flow[ENTER]) ||
           (m->is_frame && tn_bytes_is(type, "create_list"));
}

static bool is_gated(struct lowering *l, uint32_t value)
{
    const uint32_t *gate = gate_of(l, value);

    return gate && *gate;
}

/* Whether an input of the node must pass the border between the two graphs:
 * everything from outside must, and so must an input that has to come in and is
 * computed from constants alone, because no branch holds it back. */
static bool comes_in(struct lowering *l, const struct moving *m, uint32_t node,
                     uint32_t input, uint32_t value)
{
    struct tn_net *net = l->net;

    if (is_everywhere(net, value, m->is_frame))
        return must_enter(l, m, node, input);
    return tn_net_value(net, value).graph != m->from ||
           tn_pairs_find(&l->outside, m->side, value) != TN_NONE ||
           (!m->is_frame && !is_gated(l, value) &&
            must_enter(l, m, node, input));
}

static void move_node(struct lowering *l, const struct moving *m, uint32_t id)
{
    struct tn_net *net    = l->net;
    uint32_t       count  = tn_net_node(net, id).input_count;
    uint32_t      *inputs = tn_new(net->arena, uint32_t, count, net->error);
    uint32_t       gate   = 0;

    for (uint32_t i = 0; inputs && i < count; i++) {
        inputs[i] = tn_net_node(net, id).inputs[i];
        if (inputs[i] == TN_NONE)
            continue;
        if (comes_in(l, m, id, i, inputs[i]))
            inputs[i] = carried(l, m->side, inputs[i], m->each, m->context);
        if (inputs[i] != TN_NONE && is_gated(l, inputs[i]))
            gate = *gate_of(l, inputs[i]);
    }
    if (!inputs || tn_failed(net->error))
        return;
    struct tn_net_node node = tn_net_node(net, id);
    if (count && memcmp(inputs, node.inputs, count * sizeof *inputs) != 0)
        tn_net_set_inputs(net, id, inputs, count);
    node = tn_net_node(net, id);
    for (uint32_t i = 0; i < node.output_count; i++)
        if (node.outputs[i] != TN_NONE && gate_of(l, node.outputs[i]))
            *gate_of(l, node.outputs[i]) = gate;
}

/* Moves the nodes and values of the graph to the graph around it. */
static void move_graph(struct lowering *l, const struct moving *m)
{
    struct tn_net *net   = l->net;
    struct tn_list nodes = tn_net_graph(net, m->from)->nodes;

    tn_list_init(&tn_net_graph(net, m->from)->nodes, net->arena->memory,
                 sizeof(uint32_t));
    for (uint64_t i = 0; i < nodes.count && !tn_failed(net->error); i++) {
        uint32_t id = *tn_list_at(&nodes, uint32_t, i);
        if (!tn_net_node(net, id).is_removed)
            move_node(l, m, id);
    }
    for (uint64_t i = 0; i < nodes.count && !tn_failed(net->error); i++)
        tn_net_move_node(net, *tn_list_at(&nodes, uint32_t, i), m->to);
    tn_list_done(&nodes);
}

static uint32_t body_end(const struct tn_net *net, uint32_t body,
                         uint32_t index, bool is_output)
{
    const struct tn_net_graph *graph = tn_net_graph(net, body);

    return *tn_list_at(is_output ? &graph->outputs : &graph->inputs, uint32_t,
                       index);
}

/* Whether every one of these values is there. */
static bool has_all(const uint32_t *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (values[i] == TN_NONE)
            return false;
    return true;
}

static bool has_all_outputs(const struct tn_net *net, uint32_t graph)
{
    const struct tn_list *outputs = &tn_net_graph(net, graph)->outputs;

    return has_all(outputs->items, outputs->count);
}

static uint32_t graph_attr(const struct tn_net *net, uint32_t node,
                           const char *name)
{
    const struct tn_attr_value *attr = tn_net_attr_of(net, node, name);

    if (!attr || attr->kind != TN_ATTR_GRAPH || attr->count != 1 ||
        attr->of.ints[0] < 0 || (uint64_t)attr->of.ints[0] >= net->graphs.count)
        return TN_NONE;
    return (uint32_t)attr->of.ints[0];
}

/* ---- If ----------------------------------------------------------------- */

struct branch {
    uint32_t graph, condition, side;
};

/* Switch(value, condition): the output of that side. */
static uint32_t through_switch(struct lowering *l, void *context,
                               uint32_t value)
{
    const struct branch *b          = context;
    uint32_t             inputs[2]  = { value, b->condition };
    uint32_t             outputs[2] = { TN_NONE, TN_NONE };

    outputs[b->side] = value_in(l->net, b->graph, value);
    if (outputs[b->side] == TN_NONE)
        return TN_NONE;
    add_node(l, b->graph, l->words->flow[SWITCH], inputs, 2, outputs, 2);
    uint32_t *gate = gate_of(l, outputs[b->side]);
    if (gate)
        *gate = 1 + b->side;
    return outputs[b->side];
}

/* The outputs of a branch, each dead when the branch is not taken. */
static enum tn_status lower_branch(struct lowering *l, struct branch *b,
                                   uint32_t graph, uint32_t *outputs)
{
    struct tn_net *net = l->net;

    move_graph(l, &(struct moving){ graph, b->graph, b->side, false,
                                    through_switch, b });
    uint64_t count = tn_net_graph(net, graph)->outputs.count;
    for (uint64_t i = 0; i < count && !tn_failed(net->error); i++) {
        uint32_t value =
            *tn_list_at(&tn_net_graph(net, graph)->outputs, uint32_t, i);
        uint32_t *gate = gate_of(l, value);
        if (!gate)
            break;
        outputs[i] = *gate == 1 + b->side && tn_pairs_find(&l->outside, b->side,
                                                           value) == TN_NONE
                         ? value
                         : carried(l, b->side, value, through_switch, b);
    }
    return net->error->status;
}

static enum tn_status lower_if(struct lowering *l, uint32_t node)
{
    struct tn_net *net       = l->net;
    uint32_t       graphs[2] = { graph_attr(net, node, "else_branch"),
                                 graph_attr(net, node, "then_branch") };

    if (graphs[0] == TN_NONE || graphs[1] == TN_NONE ||
        tn_net_node(net, node).input_count != 1)
        return tn_flow_refuse(l->net, node, "it has no branches");
    if (tn_net_node(net, node).inputs[0] == TN_NONE)
        return tn_flow_refuse(l->net, node, "it has no condition");
    uint32_t  count  = tn_net_node(net, node).output_count;
    uint32_t *pairs  = tn_new(net->arena, uint32_t, count * 2, net->error);
    uint32_t *halves = tn_new(net->arena, uint32_t, count * 2, net->error);
    if (!pairs || !halves)
        return net->error->status;
    for (uint32_t side = 0; side < 2; side++) {
        if (tn_net_graph(net, graphs[side])->outputs.count != count ||
            !has_all_outputs(net, graphs[side]))
            return tn_flow_refuse(l->net, node,
                                  "its branches give different outputs");
        struct branch b = { tn_net_node(net, node).graph,
                            tn_net_node(net, node).inputs[0], side };
        TN_TRY(lower_branch(l, &b, graphs[side], halves + side * count));
    }
    const struct tn_net_node old = tn_net_node(net, node);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t inputs[2] = { halves[i], halves[count + i] };
        if (old.outputs[i] != TN_NONE)
            add_merge(l, old.graph, inputs, old.outputs[i]);
    }
    tn_net_remove(net, node);
    return net->error->status;
}

/* ---- Loop --------------------------------------------------------------- */

struct loop {
    uint32_t        graph, body;
    struct tn_bytes frame;
    uint32_t        test; /* the value of LoopCond                            */
};

static uint32_t enter(struct lowering *l, const struct loop *loop,
                      uint32_t value, bool is_constant)
{
    uint32_t output = value_in(l->net, loop->graph, value);

    if (output == TN_NONE)
        return TN_NONE;
    uint32_t node =
        add_node(l, loop->graph, l->words->flow[ENTER], &value, 1, &output, 1);
    tn_net_set_text(l->net, node, l->words->frame_name, loop->frame);
    tn_net_set_int(l->net, node, l->words->is_constant, TN_ATTR_BOOL,
                   is_constant);
    return output;
}

static uint32_t through_enter(struct lowering *l, void *context, uint32_t value)
{
    return enter(l, context, value, true);
}

/* One value that is passed from round to round. */
struct round {
    uint32_t merge, next; /* values                                           */
    uint32_t inside;      /* in the body                                      */
};

static void begin_round(struct lowering *l, const struct loop *loop,
                        uint32_t first, struct round *round)
{
    uint32_t inputs[2] = { enter(l, loop, first, false), TN_NONE };

    round->next  = value_in(l->net, loop->graph, first);
    round->merge = value_in(l->net, loop->graph, first);
    if (tn_failed(l->net->error))
        return;
    inputs[1] = round->next;
    add_merge(l, loop->graph, inputs, round->merge);
}

/* The Switch: one output goes to the Exit, the other into the body. */
static void turn_round(struct lowering *l, const struct loop *loop,
                       struct round *round, uint32_t result)
{
    uint32_t inputs[2]  = { round->merge, loop->test };
    uint32_t outputs[2] = { TN_NONE,
                            value_in(l->net, loop->graph, round->merge) };

    if (result != TN_NONE)
        outputs[0] = value_in(l->net, loop->graph, round->merge);
    if (tn_failed(l->net->error))
        return;
    add_node(l, loop->graph, l->words->flow[SWITCH], inputs, 2, outputs, 2);
    round->inside = outputs[1];
    if (result != TN_NONE)
        add_node(l, loop->graph, l->words->flow[EXIT], &outputs[0], 1, &result,
                 1);
}

static uint32_t scalar(struct lowering *l, uint32_t graph, enum tn_dtype dtype,
                       int64_t number, const char *wish)
{
    return tn_net_add_ints(l->net, graph, tn_text(wish), dtype, &number, 0,
                           NULL);
}

static uint32_t add_two(struct lowering *l, uint32_t graph, const char *type,
                        uint32_t a, uint32_t b, enum tn_dtype dtype)
{
    uint32_t inputs[2] = { a, b };
    uint32_t output    = tn_net_add_value(l->net, graph, tn_text(type));

    if (output == TN_NONE)
        return TN_NONE;
    tn_net_set_scalar(l->net, output, dtype);
    add_node(l, graph, type, inputs, 2, &output, 1);
    return output;
}

/* Whether there is another round: the body's condition and, if there is one,
 * the count. */
static void add_test(struct lowering *l, struct loop *loop,
                     const struct round *counter, const struct round *condition,
                     uint32_t limit)
{
    uint32_t test = condition->merge;

    if (limit != TN_NONE) {
        if (!is_everywhere(l->net, limit, true))
            limit = enter(l, loop, limit, true);
        test = add_two(l, loop->graph, l->words->both,
                       add_two(l, loop->graph, l->words->less, counter->merge,
                               limit, TN_BOOL),
                       test, TN_BOOL);
    }
    loop->test = tn_net_add_value(l->net, loop->graph, tn_text("keep_going"));
    if (loop->test == TN_NONE || tn_failed(l->net->error))
        return;
    tn_net_set_scalar(l->net, loop->test, TN_BOOL);
    add_node(l, loop->graph, l->words->flow[COND], &test, 1, &loop->test, 1);
}

/* Outputs that the body does not make itself are passed in like everything it
 * uses; after a node moves out of the body it cannot be told from what was
 * outside before. */
static void carry_outputs(struct lowering *l, struct loop *loop)
{
    struct tn_net *net = l->net;

    for (uint32_t i = 0; i < tn_net_graph(net, loop->body)->outputs.count;
         i++) {
        uint32_t value = body_end(net, loop->body, i, true);
        if (!is_everywhere(net, value, true) &&
            tn_net_value(net, value).graph != loop->body)
            carried(l, 0, value, through_enter, loop);
    }
}

static uint32_t output_inside(struct lowering *l, struct loop *loop,
                              uint32_t index)
{
    uint32_t value  = body_end(l->net, loop->body, index, true);
    uint32_t inside = tn_pairs_find(&l->outside, 0, value);

    return inside == TN_NONE ? value : inside;
}

static enum tn_status check_loop(struct lowering *l, uint32_t node,
                                 uint32_t body)
{
    const struct tn_net_node   n = tn_net_node(l->net, node);
    const struct tn_net_graph *g =
        body == TN_NONE ? NULL : tn_net_graph(l->net, body);

    if (!g || n.input_count < 2 || g->inputs.count != n.input_count ||
        !has_all(n.inputs + 2, n.input_count - 2) ||
        !has_all_outputs(l->net, body))
        return tn_flow_refuse(l->net, node,
                              "its body does not take its variables");
    if (g->outputs.count + 1 != n.input_count)
        return tn_flow_refuse(l->net, node, "it stacks what its body gives");
    return TN_OK;
}

struct rounds {
    struct round *items; /* counter, condition, variables                     */
    uint32_t      count;
};

static void begin_rounds(struct lowering *l, uint32_t node, struct loop *loop,
                         struct rounds *rounds)
{
    struct tn_net_node n = tn_net_node(l->net, node);

    for (uint32_t i = 0; i < rounds->count && !tn_failed(l->net->error); i++) {
        uint32_t first = n.inputs[i];
        if (i == 0)
            first = scalar(l, loop->graph, TN_INT64, 0, "iteration");
        else if (i == 1 && first == TN_NONE)
            first = scalar(l, loop->graph, TN_BOOL, 1, "always");
        begin_round(l, loop, first, &rounds->items[i]);
    }
    if (tn_failed(l->net->error))
        return;
    add_test(l, loop, &rounds->items[0], &rounds->items[1], n.inputs[0]);
    for (uint32_t i = 0; i < rounds->count && !tn_failed(l->net->error); i++)
        turn_round(l, loop, &rounds->items[i],
                   i >= 2 && i - 2 < n.output_count
                       ? if_wanted(l, n.outputs[i - 2])
                       : TN_NONE);
}

static void end_rounds(struct lowering *l, struct loop *loop,
                       const struct rounds *rounds)
{
    uint32_t one  = scalar(l, loop->graph, TN_INT64, 1, "one");
    uint32_t next = add_two(l, loop->graph, l->words->add,
                            rounds->items[0].inside, one, TN_INT64);

    for (uint32_t i = 0; i < rounds->count && !tn_failed(l->net->error); i++) {
        const struct round *round = &rounds->items[i];
        uint32_t            value = i ? output_inside(l, loop, i - 1) : next;
        add_node(l, loop->graph, l->words->flow[NEXT], &value, 1, &round->next,
                 1);
    }
}

static enum tn_status lower_loop(struct lowering *l, uint32_t node)
{
    struct tn_net *net  = l->net;
    struct loop    loop = { .graph = tn_net_node(net, node).graph,
                            .body  = graph_attr(net, node, "body") };
    struct rounds  rounds;

    TN_TRY(check_loop(l, node, loop.body));
    loop.frame   = tn_net_name(net, tn_net_node(net, node).name);
    rounds.count = tn_net_node(net, node).input_count;
    rounds.items = tn_new(net->arena, struct round, rounds.count, net->error);
    if (!rounds.items)
        return net->error->status;
    begin_rounds(l, node, &loop, &rounds);
    for (uint32_t i = 0; i < rounds.count && !tn_failed(net->error); i++)
        tn_pairs_add(&l->outside, 0, body_end(net, loop.body, i, false),
                     rounds.items[i].inside, net->error);
    carry_outputs(l, &loop);
    move_graph(l, &(struct moving){ loop.body, loop.graph, 0, true,
                                    through_enter, &loop });
    end_rounds(l, &loop, &rounds);
    tn_net_remove(net, node);
    return net->error->status;
}

/* ---- the whole ---------------------------------------------------------- */

bool tn_flow_is_structure(const struct tn_net_node *node)
{
    return (tn_bytes_is(node->op->type, "If") ||
            tn_bytes_is(node->op->type, "Loop")) &&
           node->attr_count && node->attrs[0].value.kind == TN_ATTR_GRAPH;
}

static enum tn_status lower_node(struct lowering *l, uint32_t node)
{
    bool is_if = tn_bytes_is(tn_net_node(l->net, node).op->type, "If");

    TN_TRY(is_if ? lower_if(l, node) : lower_loop(l, node));
    tn_pairs_done(&l->outside);
    tn_pairs_init(&l->outside, l->net->arena->memory);
    return l->net->error->status;
}

static uint32_t depth_of(const struct tn_net *net, uint32_t graph)
{
    uint32_t depth = 0;

    while (graph != TN_NONE && depth <= net->graphs.count) {
        graph = tn_net_graph(net, graph)->parent;
        depth++;
    }
    return depth;
}

/* Nodes that hold graphs, by how deep they lie. */
static enum tn_status lower_all(struct lowering *l, struct tn_list *found)
{
    struct tn_net *net     = l->net;
    uint32_t       deepest = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed || !tn_flow_is_structure(&node))
            continue;
        uint32_t *slot  = tn_list_push(found, uint32_t, net->error);
        uint32_t  depth = depth_of(net, node.graph);
        deepest         = depth > deepest ? depth : deepest;
        if (slot)
            *slot = i;
    }
    for (uint32_t depth = deepest; depth > 0; depth--) {
        /* Nodes that were moved into a graph are at its end, used or not. */
        TN_TRY(tn_net_order(net, tn_flow_loop_ops));
        for (uint64_t i = 0; i < found->count; i++) {
            uint32_t node = *tn_list_at(found, uint32_t, i);
            if (!tn_net_node(net, node).is_removed &&
                depth_of(net, tn_net_node(net, node).graph) == depth)
                TN_TRY(lower_node(l, node));
        }
    }
    return net->error->status;
}

enum tn_status tn_flow_lower(struct tn_net *net)
{
    const struct words *words = &dialects[tn_dialect_facts(net->dialect)->id];
    struct lowering     l     = { .net        = net,
                                  .words      = words,
                                  .most_doors = DOORS_A_NODE * net->nodes.count +
                                                DOORS_AT_LEAST };
    struct tn_list      found;

    if (!words->identity)
        return tn_error_set(net->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s has no dataflow control", net->dialect);
    tn_list_init(&found, net->arena->memory, sizeof(uint32_t));
    tn_pairs_init(&l.outside, net->arena->memory);
    tn_list_init(&l.gated, net->arena->memory, sizeof(uint32_t));
    tn_list_init(&l.wanted, net->arena->memory, sizeof(uint8_t));
    find_wanted(&l);
    if (!tn_failed(net->error))
        lower_all(&l, &found);
    tn_list_done(&found);
    tn_pairs_done(&l.outside);
    tn_list_done(&l.gated);
    tn_list_done(&l.wanted);
    return tn_failed(net->error) ? net->error->status
                                 : tn_net_order(net, tn_flow_loop_ops);
}
