/*
 * infer.c - the types of what a node makes, by rules of shapes
 *
 * What the model declares stays, a rule fills in what it leaves open.  Large
 * models consist of equal nodes with inputs of equal types; the rule is run for
 * one of them.
 */
#include "map/flow/flow.h"
#include "map/lang/fold_items.h"
#include "map/lang/infer.h"
#include "map/lang/lang_match.h"
#include "map/net/net_build.h"

struct tn_infer {
    struct tn_net     *net;
    struct tn_code_set set;
    struct tn_arena    arena; /* memos, and what rules saw of nodes           */
    uint64_t           steps; /* that rules have taken                        */

    /* infer.c */
    struct tn_arena  scratch;
    struct tn_intern nodes;    /* what rules saw of nodes, as words           */
    struct tn_list   outcomes; /* uint32_t by id: first of the types          */
    struct tn_list   types;    /* const struct tn_net_type *: outputs         */

    /* graph by graph */
    struct tn_list seen;       /* uint8_t by graph                            */
    uint64_t       turns_left; /* nodes of loops to look at once more         */
    tn_infer_visitor *before;  /* see tn_infer_visit(); NULL: nobody          */
    void             *before_context;

    /* folding values */
    struct tn_arena fold_scratch;
    struct tn_list  states;     /* uint32_t by value                          */
    struct tn_list  memos;      /* struct tn_item                             */
    struct tn_list  stack;      /* uint32_t: values that wait                 */
    uint64_t        item_count; /* of the memos                               */
    struct tn_list  values;     /* uint8_t by op: see has_values()            */
    struct tn_intern in_vain; /* nodes that were folded in vain, as words     */
    struct tn_list   lacked;  /* uint32_t by id: their inputs, a bit each, whose
                                 elements the rules asked for                 */
    const struct tn_net_node *folding; /* the node at hand; NULL: none        */
    uint32_t                  asked_inputs; /* of it, a bit each              */
    bool asked_others; /* also for elements that it does not take             */
    uint32_t asked[TN_INFER_ASKED_MAX];
    uint32_t asked_count;
};

/* Whether rules may take more steps; if not, their results are unknown. */
static bool infer_has_time(struct tn_infer *infer)
{
    return tn_net_goes_on(infer->net) &&
           infer->steps <= tn_lang_most_steps(infer->net);
}

static void infer_count_steps(struct tn_infer *infer, const struct tn_eval *e)
{
    infer->steps += e->total + e->steps;
}

static struct tn_eval infer_eval(struct tn_infer          *infer,
                                 const struct tn_net_node *node,
                                 struct tn_arena          *scratch)
{
    return (struct tn_eval){ .net       = infer->net,
                             .facts     = infer,
                             .node      = node,
                             .scratch   = scratch,
                             .missing   = TN_NONE,
                             .is_silent = true,
                             .error     = infer->net->error };
}

/* The rule's statement about an output.  The last one holds for all further
 * outputs. */
static const struct tn_code_shape *infer_shape(const struct tn_code_rule *rule,
                                               uint32_t output)
{
    uint32_t count = rule->rule->shape_count;

    if (!count)
        return NULL;
    return &rule->shapes[output < count ? output : count - 1];
}

static const struct tn_code_rule *infer_enter(struct tn_infer *infer,
                                              struct tn_eval  *e);

/* ---- the number of rounds of a Loop that counts -------------------------- */

/*
 * A Loop that came from frames has no trip count, but a condition:
 *
 *     less(i, n) and flag        before the first turn
 *     less(i + 1, n) and flag    in each
 *
 * where the next i is i + 1, and the flag is true and stays as it is.  Only
 * facts of the main graph count: those of bodies may be taken back.
 */

#define COPIES_MAX 64

/* A condition as above; `flag` is TN_NONE where there is none. */
struct condition {
    uint32_t from, to, flag;
};

/* The inputs of the op that makes a value; NULL: another one makes it. */
static const uint32_t *inputs_of(const struct tn_net *net, uint32_t value,
                                 const char *op, uint32_t count)
{
    uint32_t maker =
        value == TN_NONE ? TN_NONE : tn_net_value(net, value).producer;

    if (maker == TN_NONE)
        return NULL;
    const struct tn_net_node node = tn_net_node(net, maker);
    return tn_bytes_is(node.op->type, op) && node.input_count == count
               ? node.inputs
               : NULL;
}

/* The value that this one is a copy of. */
static uint32_t original(const struct tn_net *net, uint32_t value)
{
    for (int i = 0; i < COPIES_MAX; i++) {
        const uint32_t *copied = inputs_of(net, value, "identity", 1);
        if (!copied)
            return value;
        value = copied[0];
    }
    return value;
}

static bool read_less(const struct tn_net *net, uint32_t value,
                      struct condition *to)
{
    const uint32_t *less = inputs_of(net, original(net, value), "less", 2);

    if (!less)
        return false;
    to->from = original(net, less[0]);
    to->to   = original(net, less[1]);
    return true;
}

static bool read_condition(const struct tn_net *net, uint32_t value,
                           struct condition *to)
{
    const uint32_t *both =
        inputs_of(net, original(net, value), "boolean_and", 2);

    to->flag = TN_NONE;
    if (!both)
        return read_less(net, value, to);
    to->flag = original(net, both[1]);
    return read_less(net, both[0], to);
}

/* A single number of the main graph. */
static bool read_number(struct tn_infer *infer, uint32_t value, int64_t *number)
{
    struct tn_item item;

    if (value == TN_NONE || tn_net_value(infer->net, value).graph != 0 ||
        tn_fold(infer, value, &item) != TN_OK || item.kind != TN_ITEM_LIST ||
        item.count != 1)
        return false;
    *number = item.of.items[0].of.number;
    return item.of.items[0].kind == TN_ITEM_INT ||
           item.of.items[0].kind == TN_ITEM_BOOL;
}

static bool is_true(struct tn_infer *infer, uint32_t value)
{
    int64_t number;

    return value == TN_NONE ||
           (read_number(infer, value, &number) && number != 0);
}

/* The variable of the body that a value is, numbered like the inputs of the
 * Loop; 0: none. */
static uint32_t variable_of(const struct tn_net_node  *loop,
                            const struct tn_net_graph *body, uint32_t value)
{
    for (uint32_t i = 2; i < body->inputs.count && i < loop->input_count &&
                         i - 1 < body->outputs.count;
         i++)
        if (*tn_list_at(&body->inputs, uint32_t, i) == value)
            return i;
    return 0;
}

/* The variable that grows by one in every round, numbered as by variable_of();
 * 0: none. */
static uint32_t counter_of(struct tn_infer           *infer,
                           const struct tn_net_node  *loop,
                           const struct tn_net_graph *body, uint32_t next)
{
    const uint32_t *sum = inputs_of(infer->net, next, "add", 2);
    int64_t         one;

    if (!sum || !read_number(infer, sum[1], &one) || one != 1)
        return 0;
    uint32_t variable = variable_of(loop, body, original(infer->net, sum[0]));
    return variable &&
                   original(infer->net, *tn_list_at(&body->outputs, uint32_t,
                                                    variable - 1)) == next
               ? variable
               : 0;
}

/* Whether the condition of the body, apart from the count, is true in every
 * round. */
static bool stays_true(struct tn_infer *infer, const struct tn_net_node *loop,
                       const struct tn_net_graph *body, uint32_t flag)
{
    uint32_t variable = flag == TN_NONE ? 0 : variable_of(loop, body, flag);

    if (!variable)
        return is_true(infer, flag);
    return original(infer->net, *tn_list_at(&body->outputs, uint32_t,
                                            variable - 1)) == flag &&
           is_true(infer, original(infer->net, loop->inputs[variable]));
}

/* The number of rounds of a Loop that counts; -1: unknown. */
static int64_t infer_turns(struct tn_infer           *infer,
                           const struct tn_net_node  *loop,
                           const struct tn_net_graph *body)
{
    const struct tn_net *net = infer->net;
    struct condition     first, next;
    int64_t              start, end;

    if (loop->input_count < 3 || loop->inputs[0] != TN_NONE ||
        !body->outputs.count || !read_condition(net, loop->inputs[1], &first) ||
        !read_condition(net, *tn_list_at(&body->outputs, uint32_t, 0), &next) ||
        first.to != next.to)
        return -1;
    uint32_t counter = counter_of(infer, loop, body, next.from);
    if (!counter || original(net, loop->inputs[counter]) != first.from ||
        !read_number(infer, first.from, &start) ||
        !read_number(infer, first.to, &end) || !is_true(infer, first.flag) ||
        !stays_true(infer, loop, body, next.flag))
        return -1;
    return end <= start ? 0 : start < 0 ? -1 : end - start;
}

/* ---- the types of whole graphs, with their subgraphs and loops ---------- */

/*
 * Nodes are taken in their order; a subgraph when its node is reached, so that
 * the node can ask for the types of the subgraph's outputs.  The variables of a
 * Loop are taken to keep the dims that they enter with; when its body says
 * otherwise, what they do not keep is forgotten and the body is done again.
 */

/* The deepest nesting of graphs. */
#define GRAPH_DEPTH_MAX 64

/* ---- subgraphs ---------------------------------------------------------- */

/* Ops that pass their inputs to their subgraphs, and from which input on.  The
 * rank of a state may change from round to round, its type may not. */
static const struct {
    const char *op;
    uint32_t    first;
} callers[] = {
    { "Loop", 0 },        { "Scan", 0 },           { "SequenceMap", 0 },
    { "While", 0 },       { "StatelessWhile", 0 }, { "If", 1 },
    { "StatelessIf", 1 },
};

static void seed_input(struct tn_infer *infer, uint32_t from, uint32_t to,
                       bool is_element)
{
    struct tn_net_type type = *tn_net_value(infer->net, to).type;

    if (from == TN_NONE || type.dtype != TN_UNDEFINED)
        return;
    const struct tn_net_type *source = tn_net_value(infer->net, from).type;
    type.dtype                       = source->dtype;
    type.wrap = is_element ? TN_NET_TENSOR : source->wrap;
    tn_net_set_type(infer->net, to, &type);
}

static void seed_graph(struct tn_infer *infer, const struct tn_net_node *node,
                       uint32_t graph, uint32_t first)
{
    const struct tn_net_graph *g = tn_net_graph(infer->net, graph);
    bool is_element              = tn_bytes_is(node->op->type, "SequenceMap");

    for (uint64_t i = 0; i < g->inputs.count; i++)
        if (i + first < node->input_count)
            seed_input(infer, node->inputs[i + first],
                       *tn_list_at(&g->inputs, uint32_t, i), is_element);
}

static void seed_by_op(struct tn_infer *infer, const struct tn_net_node *node,
                       uint32_t graph)
{
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (tn_bytes_is(node->op->type, callers[i].op))
            seed_graph(infer, node, graph, callers[i].first);
}

static void infer_graph(struct tn_infer *infer, uint32_t graph, unsigned depth);

/* ---- loops -------------------------------------------------------------- */

static void forget_rank(struct tn_net *net, uint32_t value)
{
    struct tn_net_type type = *tn_net_value(net, value).type;

    type.has_rank = false;
    tn_net_set_type(net, value, &type);
}

/* Keeps what two types have in common; false if nothing was lost of what is
 * known about `value`. */
static bool widen(struct tn_infer *infer, uint32_t value,
                  const struct tn_net_type *other)
{
    struct tn_net_type type     = *tn_net_value(infer->net, value).type;
    bool               is_wider = false;

    if (!type.has_rank)
        return false;
    if (!other->has_rank || other->rank != type.rank) {
        forget_rank(infer->net, value);
        return true;
    }
    int64_t *dims =
        tn_new(&infer->scratch, int64_t, type.rank, infer->net->error);
    for (uint32_t i = 0; dims && i < type.rank; i++) {
        dims[i] = type.dims[i];
        if (dims[i] < 0 || dims[i] == other->dims[i])
            continue;
        dims[i]  = -1;
        is_wider = true;
    }
    type.dims = dims;
    if (dims)
        tn_net_set_type(infer->net, value, &type);
    return is_wider;
}

/* Forgets what was found under an assumption that turned out to be wrong. */
static void forget_graph(struct tn_infer *infer, uint32_t graph, unsigned depth)
{
    const struct tn_list *nodes = &tn_net_graph(infer->net, graph)->nodes;
    uint8_t              *seen  = tn_list_at(&infer->seen, uint8_t, graph);

    if (!*seen)
        return; /* that includes a graph inside itself */
    *seen = false;
    for (uint64_t i = 0; i < nodes->count && depth <= GRAPH_DEPTH_MAX; i++) {
        const struct tn_net_node node =
            tn_net_node(infer->net, *tn_list_at(nodes, uint32_t, i));
        for (uint32_t k = 0; k < node.output_count; k++)
            if (node.outputs[k] != TN_NONE)
                forget_rank(infer->net, node.outputs[k]);
        for (uint32_t k = 0; k < node.attr_count; k++)
            if (node.attrs[k].value.kind == TN_ATTR_GRAPH &&
                (uint64_t)node.attrs[k].value.of.ints[0] <
                    infer->net->graphs.count)
                forget_graph(infer, (uint32_t)node.attrs[k].value.of.ints[0],
                             depth + 1);
    }
}

/* The variables of a Loop are taken to keep the dims that they enter with,
 * until the body says otherwise. */
static bool widen_variables(struct tn_infer *infer, uint32_t body, bool is_last)
{
    const struct tn_net_graph *g        = tn_net_graph(infer->net, body);
    bool                       is_wider = false;

    for (uint64_t i = 2; i < g->inputs.count && i - 1 < g->outputs.count; i++) {
        uint32_t next = *tn_list_at(&g->outputs, uint32_t, i - 1);
        is_wider |= widen(infer, *tn_list_at(&g->inputs, uint32_t, i),
                          is_last ? &tn_net_unknown
                                  : tn_net_value(infer->net, next).type);
    }
    return is_wider;
}

static void take_rank(struct tn_net_type *type, const struct tn_net_type *from)
{
    type->has_rank = from->has_rank;
    type->rank     = from->rank;
    type->dims     = from->dims;
}

static void seed_variables(struct tn_infer *infer, uint32_t id, uint32_t body)
{
    const struct tn_net_node   node = tn_net_node(infer->net, id);
    const struct tn_net_graph *g    = tn_net_graph(infer->net, body);

    for (uint64_t i = 2; i < g->inputs.count && i < node.input_count; i++) {
        uint32_t           input = *tn_list_at(&g->inputs, uint32_t, i);
        struct tn_net_type type  = *tn_net_value(infer->net, input).type;
        if (node.inputs[i] == TN_NONE || type.has_rank ||
            type.wrap != TN_NET_TENSOR)
            continue;
        take_rank(&type, tn_net_value(infer->net, node.inputs[i]).type);
        tn_net_set_type(infer->net, input, &type);
    }
}

#define LOOP_PASSES 4

/* Loops in loops multiply their passes: together they may visit each node this
 * many times; after that, values in them stay unknown. */
#define LOOP_TURNS 16

static bool may_turn(struct tn_infer *infer, uint32_t body)
{
    uint64_t count = tn_net_graph(infer->net, body)->nodes.count + 1;

    if (infer->turns_left < count) {
        *tn_list_at(&infer->seen, uint8_t, body) = true;
        return false;
    }
    infer->turns_left -= count;
    return true;
}

static void infer_loop(struct tn_infer *infer, uint32_t node, uint32_t body,
                       unsigned depth)
{
    if (!may_turn(infer, body))
        return;
    seed_variables(infer, node, body);
    infer_graph(infer, body, depth);
    for (int pass = 1; pass <= LOOP_PASSES && !tn_failed(infer->net->error);
         pass++) {
        if (!widen_variables(infer, body, pass == LOOP_PASSES))
            return;
        forget_graph(infer, body, depth);
        if (!may_turn(infer, body))
            return;
        infer_graph(infer, body, depth);
    }
}

/* A collected value has the number of rounds as its first dim. */
static struct tn_net_type stacked(struct tn_infer          *infer,
                                  const struct tn_net_type *type, int64_t turns)
{
    struct tn_net_type all = *type;

    if (!type->has_rank)
        return all;
    int64_t *dims = tn_new(&infer->scratch, int64_t, (uint64_t)type->rank + 1,
                           infer->net->error);
    all.has_rank  = dims != NULL;
    all.dims      = dims;
    all.rank      = type->rank + 1;
    if (dims)
        dims[0] = turns;
    for (uint32_t i = 0; dims && i < type->rank; i++)
        dims[i + 1] = type->dims[i];
    return all;
}

/* The first graph that returns a value sets its type; others can only make it
 * less specific. */
static void type_output(struct tn_infer *infer, uint32_t value,
                        const struct tn_net_type *from, bool is_first)
{
    struct tn_net_type type = *tn_net_value(infer->net, value).type;

    if (type.dtype == TN_UNDEFINED) {
        type.dtype = from->dtype;
        type.wrap  = from->wrap;
    }
    if (is_first && !type.has_rank)
        take_rank(&type, from);
    tn_net_set_type(infer->net, value, &type);
    if (!is_first)
        widen(infer, value, from);
}

/* What the model declares about the result of a Loop also holds for what is
 * collected. */
static void refine_collected(struct tn_infer *infer, uint32_t value,
                             const struct tn_net_type *all)
{
    struct tn_net_type type = *tn_net_value(infer->net, value).type;

    if (!all->has_rank || !all->rank ||
        (type.has_rank && type.rank + 1 != all->rank))
        return;
    int64_t *dims =
        tn_new(&infer->scratch, int64_t, all->rank, infer->net->error);
    for (uint32_t i = 0; dims && i + 1 < all->rank; i++)
        dims[i] = type.has_rank && type.dims[i] >= 0 ? type.dims[i]
                                                     : all->dims[i + 1];
    if (!dims)
        return;
    type.has_rank = true;
    type.rank     = all->rank - 1;
    type.dims     = dims;
    tn_net_set_type(infer->net, value, &type);
}

/* The types of a Loop: its graph returns the condition first, its variables
 * keep their initial values if there is no round, and outputs that are not
 * variables are collected. */
static void type_loop_outputs(struct tn_infer           *infer,
                              const struct tn_net_node  *loop,
                              const struct tn_net_graph *body, bool is_first)
{
    const struct tn_list *given = &body->outputs;
    int64_t               turns = infer_turns(infer, loop, body);

    for (uint32_t i = 0; i < loop->output_count && i + 1 < given->count; i++) {
        uint32_t           from        = *tn_list_at(given, uint32_t, i + 1);
        struct tn_net_type type        = *tn_net_value(infer->net, from).type;
        bool               is_variable = i + 2 < loop->input_count;
        uint32_t           out         = loop->outputs[i];
        if (out == TN_NONE)
            continue;
        if (!is_variable) {
            refine_collected(infer, from, tn_net_value(infer->net, out).type);
            type = stacked(infer, tn_net_value(infer->net, from).type, turns);
        }
        type_output(infer, out, &type, is_first);
        if (is_variable && loop->inputs[i + 2] != TN_NONE)
            type_output(infer, out,
                        tn_net_value(infer->net, loop->inputs[i + 2]).type,
                        false);
    }
}

static void type_if_outputs(struct tn_infer          *infer,
                            const struct tn_net_node *node,
                            const struct tn_list *given, bool is_first)
{
    for (uint32_t i = 0; i < node->output_count && i < given->count; i++) {
        uint32_t from = *tn_list_at(given, uint32_t, i);
        if (node->outputs[i] != TN_NONE)
            type_output(infer, node->outputs[i],
                        tn_net_value(infer->net, from).type, is_first);
    }
}

/* The outputs of If and Loop, in dialects whose files of shapes do not know
 * them: what their graphs give. */
static void type_structure(struct tn_infer *infer, uint32_t node)
{
    const struct tn_net_node n        = tn_net_node(infer->net, node);
    bool                     is_first = true;

    if (!tn_flow_is_structure(&n) || infer->net->facts->types_structures)
        return;
    for (uint32_t a = 0; a < n.attr_count; a++) {
        const struct tn_attr_value *value = &n.attrs[a].value;
        if (value->kind != TN_ATTR_GRAPH ||
            (uint64_t)value->of.ints[0] >= infer->net->graphs.count)
            continue;
        const struct tn_net_graph *given =
            tn_net_graph(infer->net, (uint32_t)value->of.ints[0]);
        if (tn_bytes_is(n.op->type, "Loop"))
            type_loop_outputs(infer, &n, given, is_first);
        else
            type_if_outputs(infer, &n, &given->outputs, is_first);
        is_first = false;
    }
}

static void infer_attrs(struct tn_infer *infer, uint32_t node, unsigned depth)
{
    const struct tn_net_node n = tn_net_node(infer->net, node);

    for (uint32_t i = 0; i < n.attr_count; i++) {
        const struct tn_attr_value *value = &n.attrs[i].value;
        for (uint32_t k = 0; value->kind == TN_ATTR_GRAPH && k < value->count;
             k++) {
            uint64_t graph = (uint64_t)value->of.ints[k];
            if (graph >= infer->net->graphs.count)
                continue;
            seed_by_op(infer, &n, (uint32_t)graph);
            if (tn_flow_is_structure(&n) && tn_bytes_is(n.op->type, "Loop"))
                infer_loop(infer, node, (uint32_t)graph, depth + 1);
            else
                infer_graph(infer, (uint32_t)graph, depth + 1);
        }
    }
}

/* Visits every graph once, so that a graph inside itself ends the walk. */
static void infer_graph(struct tn_infer *infer, uint32_t graph, unsigned depth)
{
    uint8_t *seen = tn_list_at(&infer->seen, uint8_t, graph);

    if (*seen || depth > GRAPH_DEPTH_MAX)
        return;
    *seen                       = true;
    const struct tn_list *nodes = &tn_net_graph(infer->net, graph)->nodes;
    for (uint64_t i = 0; i < nodes->count && !tn_failed(infer->net->error);
         i++) {
        uint32_t node = *tn_list_at(nodes, uint32_t, i);
        if (tn_net_node(infer->net, node).is_removed)
            continue;
        if (infer->before)
            infer->before(infer->before_context, node);
        infer_attrs(infer, node, depth);
        type_structure(infer, node);
        tn_infer_node(infer, node);
    }
}

void tn_infer_visit(struct tn_infer *infer, tn_infer_visitor *before,
                    void *context)
{
    infer->before         = before;
    infer->before_context = context;
}

enum tn_status tn_infer_run(struct tn_infer *infer)
{
    struct tn_net *net   = infer->net;
    uint64_t       count = net->graphs.count;

    infer->seen.count = 0;
    infer->turns_left = LOOP_TURNS * (net->nodes.count + 64);
    if (count && !tn_list_grow(&infer->seen, count, net->error))
        return net->error->status;
    for (uint32_t i = 0; i < count && !tn_failed(net->error); i++)
        infer_graph(infer, i, 0);
    return net->error->status;
}

enum tn_status tn_infer(struct tn_net *net, const struct tn_lang_file *shapes)
{
    struct tn_infer *infer;

    TN_TRY(tn_infer_open(&infer, net, shapes));
    enum tn_status status = tn_infer_run(infer);
    tn_infer_close(infer);
    return status;
}

/* ---- elements of values, on demand -------------------------------------- */

/*
 * Elements are computed on demand, and never by recursion: a rule that asks for
 * the elements of a value that is not folded yet gets "unknown", and the value
 * is put on the stack; when everything it asked for is folded, the rule runs
 * again.  A chain of a million additions takes a stack of a million entries,
 * not frames.
 */

/* States of a value that is not in the memos (yet). */
enum {
    NOT_ASKED,
    IN_PROGRESS, /* asked for again: it depends on itself                     */
    FIRST_MEMO,
};

/* The most items of all memos together: 256 MiB. */
#define MEMO_ITEMS_MAX (UINT64_C(1) << 24)

static uint32_t *state_of(const struct tn_infer *infer, uint32_t value)
{
    if (value >= infer->states.count)
        return NULL;
    return tn_list_at(&infer->states, uint32_t, value);
}

void tn_infer_watch(struct tn_infer *infer)
{
    if (infer)
        infer->asked_count = 0;
}

uint32_t tn_infer_asked(const struct tn_infer *infer, const uint32_t **asked)
{
    *asked = infer ? infer->asked : NULL;
    return infer ? infer->asked_count : 0;
}

static void note_input(struct tn_infer *infer, uint32_t value)
{
    const struct tn_net_node *node = infer->folding;
    uint32_t                  i    = 0;

    while (i < node->input_count && node->inputs[i] != value)
        i++;
    if (i < node->input_count && i < TN_INFER_IO_MAX)
        infer->asked_inputs |= UINT32_C(1) << i;
    else
        infer->asked_others = true;
}

/* Notes that the elements of a value were requested; those of an input are
 * never known. */
static void note_asked(struct tn_infer *infer, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(infer->net, value);

    if (!v.constant && v.producer == TN_NONE)
        return;
    if (infer->folding)
        note_input(infer, value);
    if (infer->asked_count < TN_INFER_ASKED_MAX)
        infer->asked[infer->asked_count] = value;
    infer->asked_count++;
}

bool tn_fold_peek(struct tn_infer *infer, uint32_t value, struct tn_item *out)
{
    const uint32_t *state = state_of(infer, value);

    if (value < infer->net->values.count)
        note_asked(infer, value);
    if (!state || *state == IN_PROGRESS) {
        *out = tn_item_unknown(NULL);
        return true;
    }
    if (*state == NOT_ASKED)
        return false;
    *out = *tn_list_at(&infer->memos, struct tn_item, *state - FIRST_MEMO);
    return true;
}

/* A copy of the items that lasts; of texts, too. */
static struct tn_item keep_items(struct tn_infer *infer, struct tn_item list)
{
    struct tn_error *error = infer->net->error;

    if (list.kind != TN_ITEM_LIST || list.count > TN_FOLD_MAX ||
        infer->item_count + list.count > MEMO_ITEMS_MAX)
        return tn_item_unknown(NULL);
    struct tn_item *kept =
        tn_new(&infer->arena, struct tn_item, list.count, error);
    if (!kept)
        return tn_item_unknown(NULL);
    for (uint32_t i = 0; i < list.count; i++) {
        kept[i] = list.of.items[i];
        if (kept[i].kind == TN_ITEM_STRING)
            kept[i] = tn_item_text(
                tn_bytes_dup(&infer->arena, tn_item_bytes(kept[i]), error));
        else if (kept[i].kind == TN_ITEM_LIST)
            return tn_item_unknown(NULL);
    }
    infer->item_count += list.count;
    return tn_item_list(kept, list.count);
}

static void set_memo(struct tn_infer *infer, uint32_t value,
                     struct tn_item items)
{
    struct tn_item *memo =
        tn_list_push(&infer->memos, struct tn_item, infer->net->error);

    if (!memo)
        return;
    *memo                   = items;
    *state_of(infer, value) = FIRST_MEMO + (uint32_t)(infer->memos.count - 1);
}

static struct tn_item run_values(struct tn_eval            *e,
                                 const struct tn_code_rule *rule)
{
    const struct tn_code_shape *shape = infer_shape(rule, e->output);
    struct tn_item              items = tn_item_unknown(NULL);

    if (shape && shape->value.expr && e->missing == TN_NONE)
        items = tn_eval(e, &shape->value);
    return tn_eval_stopped(e) ? tn_item_unknown(NULL) : items;
}

/* Whether rules give elements for at least some nodes of the op. */
static bool has_values(struct tn_infer *infer, const struct tn_net_op *op)
{
    enum { NOT_KNOWN, YES, NO };

    if (op->id >= infer->values.count &&
        (op->id == TN_NONE ||
         !tn_list_grow(&infer->values, op->id + 1 - infer->values.count,
                       infer->net->error)))
        return true;
    uint8_t *answer = tn_list_at(&infer->values, uint8_t, op->id);
    if (*answer != NOT_KNOWN)
        return *answer == YES;
    *answer = NO;
    for (const struct tn_code_rule *rule =
             tn_code_find(&infer->set, op->type, op->domain, infer->net->error);
         rule; rule = rule->next)
        for (uint32_t i = 0; i < rule->rule->shape_count; i++)
            if (rule->shapes[i].value.expr)
                *answer = YES;
    return *answer == YES;
}

/*
 * Most values are unknown because elements of inputs are unknown.  That holds
 * for all nodes that are equal for rules and lack the same elements: the rules
 * are run for one of them.
 */

struct node_words {
    uint64_t words[TN_INFER_NODE_WORDS + 2 * TN_INFER_IO_MAX + 1];
    uint32_t count;
};

static struct tn_bytes say_node(const struct tn_net      *net,
                                const struct tn_net_node *node,
                                struct node_words        *to);

#define OUTCOMES_MAX (UINT64_C(1) << 16)

enum vanity { NOT_IN_VAIN, IN_VAIN, NOT_YET };

/* Whether none of these inputs has elements.  Those that were not requested yet
 * are pushed onto the stack. */
static enum vanity lacks_elements(struct tn_infer          *infer,
                                  const struct tn_net_node *node,
                                  uint32_t                  inputs)
{
    enum vanity answer = IN_VAIN;

    for (uint32_t i = 0; inputs >> i; i++) {
        const uint32_t *state = state_of(infer, node->inputs[i]);
        if (!(inputs >> i & 1))
            continue;
        if (!state || *state == IN_PROGRESS ||
            (*state >= FIRST_MEMO &&
             tn_list_at(&infer->memos, struct tn_item, *state - FIRST_MEMO)
                     ->kind != TN_ITEM_UNKNOWN))
            return NOT_IN_VAIN;
        if (*state == NOT_ASKED)
            answer = NOT_YET;
    }
    for (uint32_t i = 0; answer == NOT_YET && inputs >> i; i++)
        if (inputs >> i & 1 && *state_of(infer, node->inputs[i]) == NOT_ASKED)
            tn_fold_want(infer, node->inputs[i]);
    return answer;
}

static enum vanity is_in_vain(struct tn_infer          *infer,
                              const struct tn_net_node *node,
                              struct tn_bytes           key)
{
    uint32_t id = key.size ? tn_intern_find(&infer->in_vain, key) : TN_NO_NAME;

    return id == TN_NO_NAME
               ? NOT_IN_VAIN
               : lacks_elements(infer, node,
                                *tn_list_at(&infer->lacked, uint32_t, id));
}

static void note_in_vain(struct tn_infer *infer, const struct tn_net_node *node,
                         struct tn_bytes key)
{
    struct tn_error *error = infer->net->error;

    if (!key.size || infer->asked_others || tn_failed(error) ||
        infer->lacked.count >= OUTCOMES_MAX ||
        tn_intern_find(&infer->in_vain, key) != TN_NO_NAME ||
        lacks_elements(infer, node, infer->asked_inputs) != IN_VAIN)
        return;
    uint32_t *lacked = tn_list_push(&infer->lacked, uint32_t, error);
    if (!lacked)
        return;
    *lacked = infer->asked_inputs;
    if (tn_intern_copy(&infer->in_vain, key, error) == TN_NO_NAME)
        infer->lacked.count--;
}

/* Folds by the rule of the node that makes it.  False if other values must be
 * folded before: they are on the stack now. */
static bool fold_made(struct tn_infer *infer, uint32_t value)
{
    const struct tn_net_value v     = tn_net_value(infer->net, value);
    const struct tn_net_node  node  = tn_net_node(infer->net, v.producer);
    struct tn_item            items = tn_item_unknown(NULL);
    struct tn_bytes           key   = { NULL, 0 };
    struct node_words         words;

    if (has_values(infer, node.op) && tn_infer_has_words(&node)) {
        say_node(infer->net, &node, &words);
        words.words[words.count++] = v.output;
        key = tn_bytes(words.words, words.count * sizeof *words.words);
    }
    enum vanity vanity = is_in_vain(infer, &node, key);
    if (vanity == NOT_YET)
        return false;
    if (vanity == IN_VAIN || !has_values(infer, node.op)) {
        set_memo(infer, value, items);
        return true;
    }
    struct tn_eval e = infer_eval(infer, &node, &infer->fold_scratch);
    tn_arena_rewind(&infer->fold_scratch);
    e.is_fold                       = true;
    e.output                        = v.output;
    bool has_time                   = infer_has_time(infer);
    infer->folding                  = &node;
    infer->asked_inputs             = 0;
    infer->asked_others             = false;
    const struct tn_code_rule *rule = has_time ? infer_enter(infer, &e) : NULL;
    if (rule)
        items = run_values(&e, rule);
    infer->folding = NULL;
    infer_count_steps(infer, &e);
    if (e.missing != TN_NONE)
        return false;
    if (items.kind == TN_ITEM_UNKNOWN && has_time && !e.looks_far)
        note_in_vain(infer, &node, key);
    set_memo(infer, value, keep_items(infer, items));
    return true;
}

static bool fold_value(struct tn_infer *infer, uint32_t value)
{
    const struct tn_net_value v     = tn_net_value(infer->net, value);
    struct tn_item            items = tn_item_unknown(NULL);

    if (!v.constant && v.producer != TN_NONE &&
        v.producer < infer->net->nodes.count)
        return fold_made(infer, value);
    if (v.constant && infer->item_count <= MEMO_ITEMS_MAX)
        tn_fold_items(v.constant, &infer->arena, &items, infer->net->error);
    infer->item_count += items.count;
    set_memo(infer, value, items);
    return true;
}

void tn_fold_want(struct tn_infer *infer, uint32_t value)
{
    uint32_t *slot = tn_list_push(&infer->stack, uint32_t, infer->net->error);

    if (slot)
        *slot = value;
}

/* Nodes may have been added since the facts were opened; values, too. */
static bool grow_states(struct tn_infer *infer)
{
    uint64_t count = infer->net->values.count;

    if (infer->states.count >= count)
        return true;
    return tn_list_grow(&infer->states, count - infer->states.count,
                        infer->net->error);
}

/* After a failure nothing may stay "in progress". */
static void clear_stack(struct tn_infer *infer)
{
    while (infer->stack.count) {
        uint32_t value =
            *tn_list_at(&infer->stack, uint32_t, --infer->stack.count);
        if (*state_of(infer, value) == IN_PROGRESS)
            *state_of(infer, value) = NOT_ASKED;
    }
}

void tn_infer_forget(struct tn_infer *infer, uint32_t first)
{
    if (infer->states.count > first)
        infer->states.count = first;
}

enum tn_status tn_fold(struct tn_infer *infer, uint32_t value,
                       struct tn_item *out)
{
    struct tn_error *error = infer->net->error;

    *out = tn_item_unknown(NULL);
    if (value >= infer->net->values.count || !grow_states(infer) ||
        tn_fold_peek(infer, value, out))
        return error->status;
    tn_fold_want(infer, value);
    while (infer->stack.count && !tn_failed(error)) {
        uint32_t top =
            *tn_list_at(&infer->stack, uint32_t, infer->stack.count - 1);
        uint32_t *state  = state_of(infer, top);
        bool      is_new = *state < FIRST_MEMO;
        if (is_new)
            *state = IN_PROGRESS;
        if (!is_new || fold_value(infer, top))
            infer->stack.count--;
    }
    clear_stack(infer);
    if (!tn_failed(error))
        tn_fold_peek(infer, value, out);
    return error->status;
}

/* More than any dialect has: larger results stay unknown, because otherwise one
 * value could make all others large. */
#define RANK_MAX 255

/* ---- open and close ----------------------------------------------------- */

static struct tn_infer *new_infer(struct tn_net *net)
{
    struct tn_memory *memory = net->arena->memory;
    struct tn_infer  *infer =
        tn_memory_resize(memory, NULL, 0, sizeof *infer, net->error);

    if (!infer)
        return NULL;
    memset(infer, 0, sizeof *infer);
    infer->net = net;
    tn_arena_init(&infer->arena, memory);
    tn_arena_init(&infer->scratch, memory);
    tn_arena_init(&infer->fold_scratch, memory);
    tn_list_init(&infer->states, memory, sizeof(uint32_t));
    tn_list_init(&infer->memos, memory, sizeof(struct tn_item));
    tn_list_init(&infer->stack, memory, sizeof(uint32_t));
    tn_list_init(&infer->values, memory, sizeof(uint8_t));
    tn_intern_init(&infer->in_vain, &infer->arena);
    tn_list_init(&infer->lacked, memory, sizeof(uint32_t));
    tn_list_init(&infer->seen, memory, sizeof(uint8_t));
    tn_intern_init(&infer->nodes, &infer->arena);
    tn_list_init(&infer->outcomes, memory, sizeof(uint32_t));
    tn_list_init(&infer->types, memory, sizeof(const struct tn_net_type *));
    return infer;
}

enum tn_status tn_infer_open(struct tn_infer **out, struct tn_net *net,
                             const struct tn_lang_file *shapes)
{
    struct tn_infer *infer = new_infer(net);

    *out = NULL;
    if (!infer)
        return net->error->status;
    tn_code_init(&infer->set, net->arena->memory, net, NULL, 0, net->error);
    if (!tn_failed(net->error) && shapes)
        tn_code_add(&infer->set, shapes, net->error);
    if (tn_failed(net->error)) {
        tn_infer_close(infer);
        return net->error->status;
    }
    *out = infer;
    return TN_OK;
}

void tn_infer_close(struct tn_infer *infer)
{
    if (!infer)
        return;
    tn_code_done(&infer->set);
    tn_list_done(&infer->types);
    tn_list_done(&infer->outcomes);
    tn_intern_done(&infer->nodes);
    tn_list_done(&infer->seen);
    tn_list_done(&infer->lacked);
    tn_intern_done(&infer->in_vain);
    tn_list_done(&infer->values);
    tn_list_done(&infer->stack);
    tn_list_done(&infer->memos);
    tn_list_done(&infer->states);
    tn_arena_done(&infer->fold_scratch);
    tn_arena_done(&infer->scratch);
    tn_arena_done(&infer->arena);
    tn_memory_free(infer->net->arena->memory, infer, sizeof *infer);
}

/* The rule that takes the node, entered; NULL: none does. */
static const struct tn_code_rule *infer_enter(struct tn_infer *infer,
                                              struct tn_eval  *e)
{
    const struct tn_code_rule *rule = tn_code_find(
        &infer->set, e->node->op->type, e->node->op->domain, infer->net->error);

    for (; rule; rule = rule->next)
        if (tn_rule_enter(e, rule) || e->missing != TN_NONE)
            return rule;
    return NULL;
}

/* ---- types -------------------------------------------------------------- */

static void set_dtype(struct tn_net_type *type, struct tn_item dtype)
{
    if (dtype.kind != TN_ITEM_DTYPE || type->dtype != TN_UNDEFINED)
        return;
    type->dtype = tn_item_to_dtype(dtype);
    type->wrap  = tn_item_to_wrap(dtype);
}

/* A dim as types have it. */
static int64_t dim_of(struct tn_item item)
{
    int64_t dim;

    return tn_item_to_int(item, &dim) && dim >= 0 ? dim : -1;
}

/* Whether the rule knows a dim that the model leaves open, or declares
 * otherwise. */
static bool is_better(const struct tn_net_type *type, struct tn_item dims)
{
    if (!type->has_rank)
        return true;
    if (type->rank != dims.count)
        return false;
    for (uint32_t i = 0; i < dims.count; i++) {
        int64_t dim = dim_of(dims.of.items[i]);
        if (dim >= 0 && dim != type->dims[i])
            return true;
    }
    return false;
}

/* What follows from the node counts: what a model declares may be left from an
 * older version of it.  The dims are in the scratch arena. */
static void set_dims(struct tn_infer *infer, struct tn_net_type *type,
                     struct tn_item list)
{
    if (list.kind != TN_ITEM_LIST || list.count > RANK_MAX ||
        !is_better(type, list))
        return;
    int64_t *dims =
        tn_new(&infer->scratch, int64_t, list.count, infer->net->error);
    if (!dims)
        return;
    for (uint32_t i = 0; i < list.count; i++) {
        dims[i] = dim_of(list.of.items[i]);
        if (dims[i] < 0 && type->has_rank)
            dims[i] = type->dims[i];
    }
    type->dims     = dims;
    type->rank     = list.count;
    type->has_rank = true;
}

/* If one part of a rule refuses, the others are still used. */
static struct tn_item part_of(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item item = tn_item_unknown(NULL);

    if (code->expr)
        item = tn_eval(e, code);
    if (e->refusal.is_set)
        item = tn_item_unknown(NULL);
    e->refusal.is_set = false;
    return item;
}

static void infer_outputs(struct tn_infer *infer, struct tn_eval *e,
                          const struct tn_code_rule *rule)
{
    for (e->output = 0; e->output < e->node->output_count; e->output++) {
        uint32_t                    value = e->node->outputs[e->output];
        const struct tn_code_shape *shape = infer_shape(rule, e->output);
        if (value == TN_NONE || !shape)
            continue;
        struct tn_item     dtype = part_of(e, &shape->dtype);
        struct tn_item     dims  = part_of(e, &shape->dims);
        struct tn_net_type type  = *tn_net_value(infer->net, value).type;
        set_dtype(&type, dtype);
        set_dims(infer, &type, dims);
        tn_net_set_type(infer->net, value, &type);
    }
}

/* ---- equal nodes -------------------------------------------------------- */

bool tn_infer_has_words(const struct tn_net_node *node)
{
    return node->has_common_attrs && node->input_count <= TN_INFER_IO_MAX &&
           node->output_count <= TN_INFER_IO_MAX;
}

/* Which inputs are the same value: for each input the first one with its value,
 * in four bits. */
static uint64_t twins_of(const struct tn_net_node *node)
{
    uint64_t twins = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        uint64_t first = 0;
        while (node->inputs[first] != node->inputs[i])
            first++;
        twins |= first << 4 * i;
    }
    return twins;
}

uint32_t tn_infer_node_words(const struct tn_net_node *node, uint64_t *words)
{
    words[0] = (uintptr_t)node->op;
    words[1] = (uint64_t)node->input_count << 32 | node->output_count;
    words[2] = node->attr_count ? (uintptr_t)node->attrs : 0;
    words[3] = twins_of(node);
    return TN_INFER_NODE_WORDS;
}

/* Types are aligned, so that the lowest bits of their addresses are free. */
uint64_t tn_infer_word(const struct tn_net *net, uint32_t value)
{
    if (value == TN_NONE)
        return 0;
    const struct tn_net_value v = tn_net_value(net, value);
    unsigned kind = v.constant ? 1 : v.producer == TN_NONE ? 2 : 3;
    return (uintptr_t)v.type | kind;
}

static struct tn_bytes say_node(const struct tn_net      *net,
                                const struct tn_net_node *node,
                                struct node_words        *to)
{
    to->count = tn_infer_node_words(node, to->words);
    for (uint32_t i = 0; i < node->input_count; i++)
        to->words[to->count++] = tn_infer_word(net, node->inputs[i]);
    for (uint32_t i = 0; i < node->output_count; i++)
        to->words[to->count++] = tn_infer_word(net, node->outputs[i]);
    return tn_bytes(to->words, to->count * sizeof *to->words);
}

/* The types that an equal node gave its outputs; false: there was none. */
static bool infer_again(struct tn_infer *infer, const struct tn_net_node *node,
                        struct tn_bytes key)
{
    uint32_t id = tn_intern_find(&infer->nodes, key);

    if (id == TN_NO_NAME)
        return false;
    uint32_t first = *tn_list_at(&infer->outcomes, uint32_t, id);
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE)
            tn_net_set_own_type(infer->net, node->outputs[i],
                                *tn_list_at(&infer->types,
                                            const struct tn_net_type *,
                                            first + i));
    return true;
}

static void note_outcome(struct tn_infer *infer, const struct tn_net_node *node,
                         struct tn_bytes key)
{
    struct tn_error *error = infer->net->error;
    uint32_t         first = (uint32_t)infer->types.count;

    if (infer->outcomes.count >= OUTCOMES_MAX || tn_failed(error))
        return;
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct tn_net_type **type =
            tn_list_push(&infer->types, const struct tn_net_type *, error);
        if (!type)
            return;
        *type = node->outputs[i] == TN_NONE
                    ? NULL
                    : tn_net_value(infer->net, node->outputs[i]).type;
    }
    uint32_t *outcome = tn_list_push(&infer->outcomes, uint32_t, error);
    if (!outcome)
        return;
    *outcome = first;
    if (tn_intern_copy(&infer->nodes, key, error) == TN_NO_NAME)
        infer->outcomes.count--;
}

void tn_infer_node(struct tn_infer *infer, uint32_t node)
{
    const struct tn_net_node n     = tn_net_node(infer->net, node);
    uint32_t                 asked = infer->asked_count;
    struct tn_bytes          key   = { NULL, 0 };
    struct node_words        words;

    if (!infer_has_time(infer))
        return;
    if (tn_infer_has_words(&n))
        key = say_node(infer->net, &n, &words);
    if (key.size && infer_again(infer, &n, key))
        return;
    struct tn_eval e = infer_eval(infer, &n, &infer->scratch);
    tn_arena_rewind(&infer->scratch);
    const struct tn_code_rule *rule = infer_enter(infer, &e);
    if (rule)
        infer_outputs(infer, &e, rule);
    infer_count_steps(infer, &e);
    if (key.size && infer->asked_count == asked && !e.looks_far)
        note_outcome(infer, e.node, key);
}
