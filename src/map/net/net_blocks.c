/*
 * net_blocks.c - a Paddle program becomes a net: blocks that write variables
 *
 * A block of Paddle runs with the variables of the blocks around it, reads them
 * as they are then and writes them.  In a net a graph has values of its own,
 * and what it writes comes out of the node that holds it:
 *
 *   while              Loop(none, condition, v...) {body}
 *   conditional_block  If(condition) {the block} else {the variables as before}
 *   select_input       If(mask) {the second} else {the first}
 *
 * with a v for each variable of the outside that the block, or one within it,
 * writes (flow.h).  A condition of Paddle has one element, that of a net none.
 *
 * A variable that nobody has written before is nothing that may be read, but an
 * If must give something: zeros of the declared type, or an empty list.
 *
 * write_to_array changes its array.  Here it takes the array as it was, in
 * `Array`, and gives another; an element that is there already goes first:
 *
 *   kept <- If(I < length) {array_erase(Array, I)} else {Array}
 */
#include <inttypes.h>

#include "map/net/net_build.h"
#include "map/net/net_loading.h"

/* A variable that crosses the border of a block. */
struct crossing {
    uint32_t home;
    uint32_t before; /* what it was                                           */
    bool     was_defined, was_handed;
};

struct crossings {
    struct crossing *items;
    uint32_t         count;
};

enum { DEPTH_MAX = 128 };

/* ---- variables ---------------------------------------------------------- */

/* The outermost value of that name which means the same variable: declared in
 * one block, it is used in others inside. */
static uint32_t find_home(const struct tn_net_loading *l, uint32_t value)
{
    const struct tn_value *row   = tn_model_value_at(l->model, value);
    struct tn_bytes        name  = tn_model_name(l->model, row->name);
    uint32_t               graph = row->graph, home = value;
    struct tn_declared     unused;

    for (int left = DEPTH_MAX; left; left--) {
        if (l->model->dialect->declared(l->model, graph, name, &unused))
            return home;
        graph = tn_model_graph_at(l->model, graph)->parent_graph;
        if (graph == TN_NONE)
            return home;
        uint32_t outer = tn_model_find_value(l->model, graph, row->name);
        if (outer != TN_NONE)
            home = outer;
    }
    return home;
}

static uint32_t depth_of(const struct tn_net_loading *l, uint32_t graph)
{
    return tn_model_graph_at(l->model, graph)->depth;
}

static void write_outside(struct tn_net_loading *l, uint32_t graph,
                          uint32_t home)
{
    uint32_t outside = tn_model_value_at(l->model, home)->graph;

    if (depth_of(l, outside) >= depth_of(l, graph) ||
        l->stamps[home] == graph + 1)
        return;
    struct tn_net_written *row =
        tn_list_push(&l->written, struct tn_net_written, l->net->error);
    if (!row)
        return;
    *row = (struct tn_net_written){ home, l->first_written[graph] };
    l->first_written[graph] = (uint32_t)l->written.count;
    l->stamps[home]         = graph + 1;
}

static void find_written(struct tn_net_loading *l, uint32_t graph)
{
    const struct tn_graph *g = tn_model_graph_at(l->model, graph);

    for (uint32_t i = 0; i < g->op_count; i++) {
        uint32_t op = g->first_op + i;
        for (uint32_t k = 0; k < tn_model_op_at(l->model, op)->output_count;
             k++)
            if (tn_op_output(l->model, op, k) != TN_NONE)
                write_outside(l, graph, l->home[tn_op_output(l->model, op, k)]);
    }
    for (uint32_t inner = l->first_inner[graph]; inner != TN_NONE;
         inner          = l->next_inner[inner])
        for (uint32_t at = l->first_written[inner]; at;
             at = tn_list_at(&l->written, struct tn_net_written, at - 1)->next)
            write_outside(
                         l, graph,
                         tn_list_at(&l->written, struct tn_net_written, at - 1)->home);
}

/* Blocks stand behind those that they are in. */
static enum tn_status find_all_written(struct tn_net_loading *l)
{
    uint32_t count = (uint32_t)l->model->graphs.count;

    for (uint32_t i = count; i-- > 1;) {
        uint32_t parent = tn_model_graph_at(l->model, i)->parent_graph;
        if (parent >= i)
            continue;
        find_written(l, i);
        l->next_inner[i]       = l->first_inner[parent];
        l->first_inner[parent] = i;
    }
    return l->net->error->status;
}

enum tn_status tn_net_find_homes(struct tn_net_loading *l)
{
    uint64_t         values = l->model->values.count;
    uint64_t         graphs = l->model->graphs.count;
    struct tn_error *error  = l->net->error;

    if (!l->model->dialect->declared)
        return TN_OK;
    l->home          = tn_new(&l->scratch, uint32_t, values, error);
    l->stamps        = tn_new(&l->scratch, uint32_t, values, error);
    l->is_handed     = tn_new(&l->scratch, bool, values, error);
    l->first_written = tn_new(&l->scratch, uint32_t, graphs, error);
    l->first_inner   = tn_new(&l->scratch, uint32_t, graphs, error);
    l->next_inner    = tn_new(&l->scratch, uint32_t, graphs, error);
    if (tn_failed(error))
        return error->status;
    memset(l->first_inner, 0xff, (size_t)graphs * sizeof *l->first_inner);
    for (uint32_t i = 0; i < values; i++)
        l->home[i] = find_home(l, i);
    return find_all_written(l);
}

static bool is_defined(const struct tn_net_loading *l, uint32_t home)
{
    const struct tn_net_value now = tn_net_value(l->net, l->now[home]);

    return now.producer != TN_NONE || now.constant || l->is_cut[home] ||
           l->is_handed[home];
}

static struct tn_bytes name_of(const struct tn_net_loading *l, uint32_t home)
{
    return tn_model_name(l->model, tn_model_value_at(l->model, home)->name);
}

/* What a block around the value says of it. */
static bool find_declared(const struct tn_net_loading *l, uint32_t home,
                          struct tn_declared *to)
{
    uint32_t graph = tn_model_value_at(l->model, home)->graph;

    for (int left = DEPTH_MAX; left && graph != TN_NONE; left--) {
        if (l->model->dialect->declared(l->model, graph, name_of(l, home), to))
            return true;
        graph = tn_model_graph_at(l->model, graph)->parent_graph;
    }
    return false;
}

/* ---- nodes that are not in the file ------------------------------------- */

/* Arguments stand as in the vocabulary. */
static uint32_t add_node(struct tn_net_loading *l, uint32_t graph,
                         const char *type, const uint32_t *inputs,
                         uint32_t input_count, struct tn_bytes wish)
{
    uint32_t output = tn_net_add_value(l->net, graph, wish);

    if (output == TN_NONE)
        return TN_NONE;
    struct tn_net_node node = { .op           = tn_net_own_op(l->net, type),
                                .graph        = graph,
                                .inputs       = inputs,
                                .input_count  = input_count,
                                .outputs      = &output,
                                .output_count = 1,
                                .source       = TN_NONE };
    return tn_net_add_node(l->net, &node) == TN_NONE ? TN_NONE : output;
}

static void set_ints(struct tn_net_loading *l, uint32_t value, const char *name,
                     const int64_t *items, uint32_t count, bool is_list)
{
    int64_t *kept = tn_new(l->net->arena, int64_t, count, l->net->error);

    if (!kept || value == TN_NONE)
        return;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = items[i];
    tn_net_set_attr(l->net, tn_net_value(l->net, value).producer, name,
                    &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                             .is_list = is_list,
                                             .count   = count,
                                             .of.ints = kept });
}

static void set_graph(struct tn_net_loading *l, uint32_t node, const char *name,
                      uint32_t graph)
{
    int64_t *kept = tn_new(l->net->arena, int64_t, 1, l->net->error);

    if (!kept || node == TN_NONE)
        return;
    *kept = graph;
    tn_net_set_attr(l->net, node, name,
                    &(struct tn_attr_value){
                        .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = kept });
}

static uint32_t as_scalar(struct tn_net_loading *l, uint32_t graph,
                          uint32_t value)
{
    uint32_t made =
        add_node(l, graph, "reshape2", &value, 1, tn_text("condition"));

    set_ints(l, made, "shape", NULL, 0, true);
    return made;
}

/* What stands for a variable that is not written yet; TN_NONE on failure. */
static uint32_t placeholder(struct tn_net_loading *l, uint32_t graph,
                            uint32_t home)
{
    struct tn_declared told = { 0 };
    uint32_t           made;

    if (!find_declared(l, home, &told) || !told.has_type) {
        tn_error_set(l->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "'%.*s' is used before the block that writes it",
                     TN_FMT(name_of(l, home)));
        return TN_NONE;
    }
    int64_t *dims = tn_new(&l->scratch, int64_t, told.rank, l->net->error);
    for (uint32_t i = 0; dims && i < told.rank; i++)
        dims[i] = told.dims[i] < 0 ? 1 : told.dims[i];
    made = add_node(l, graph, told.is_list ? "create_array" : "fill_constant",
                    NULL, 0, name_of(l, home));
    if (dims && !told.is_list)
        set_ints(l, made, "shape", dims, told.rank, true);
    set_ints(l, made, "dtype", &(int64_t){ told.number }, 1, false);
    return tn_failed(l->net->error) ? TN_NONE : made;
}

static uint32_t current(struct tn_net_loading *l, uint32_t graph, uint32_t home)
{
    return is_defined(l, home) ? l->now[home] : placeholder(l, graph, home);
}

/* ---- what crosses ------------------------------------------------------- */

static struct crossings list_crossings(struct tn_net_loading *l, uint32_t block)
{
    struct crossings all = { NULL, 0 };

    for (uint32_t at = l->first_written[block]; at;
         at = tn_list_at(&l->written, struct tn_net_written, at - 1)->next)
        all.count++;
    all.items = tn_new(&l->scratch, struct crossing, all.count, l->net->error);
    uint32_t at = l->first_written[block];
    /* They were put in front of each other. */
    for (uint32_t i = all.count; all.items && i-- > 0;) {
        struct tn_net_written *row =
            tn_list_at(&l->written, struct tn_net_written, at - 1);
        uint32_t home = row->home;
        all.items[i] =
            (struct crossing){ home, l->now[home], is_defined(l, home),
                               l->is_handed[home] };
        at = row->next;
    }
    return all;
}

/* The node gives each variable as it is behind it. */
static uint32_t add_structure(struct tn_net_loading *l, uint32_t op,
                              const char *type, const uint32_t *inputs,
                              uint32_t input_count, struct crossings all)
{
    uint32_t  graph   = tn_model_op_at(l->model, op)->graph;
    uint32_t *outputs = tn_new(&l->scratch, uint32_t, all.count, l->net->error);

    for (uint32_t i = 0; outputs && i < all.count; i++) {
        uint32_t home = all.items[i].home;
        outputs[i]    = tn_net_add_value(l->net, graph, name_of(l, home));
        l->now[home]  = outputs[i];
    }
    if (tn_failed(l->net->error))
        return TN_NONE;
    struct tn_net_node node = { .op           = tn_net_own_op(l->net, type),
                                .graph        = graph,
                                .inputs       = inputs,
                                .input_count  = input_count,
                                .outputs      = outputs,
                                .output_count = all.count,
                                .source       = op };
    l->nodes[op]            = tn_net_add_node(l->net, &node);
    return l->nodes[op];
}

static void add_output(struct tn_net_loading *l, uint32_t graph, uint32_t value)
{
    if (value != TN_NONE && !tn_failed(l->net->error))
        tn_net_add_output(l->net, graph, value, tn_bytes(NULL, 0));
}

/* ---- arguments ---------------------------------------------------------- */

/* The one with that number in a slot: the variable, or TN_NONE. */
static uint32_t argument(struct tn_net_loading *l, uint32_t op,
                         const char *slot, uint32_t number)
{
    const struct tn_op *row = tn_model_op_at(l->model, op);
    uint32_t            at = 0, count = 0, value = TN_NONE;
    struct tn_bytes     name;

    if (!row->wire_length)
        return TN_NONE;
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){
            *tn_list_at(&l->model->sources, struct tn_source *, row->source),
            row->wire_offset, row->wire_length },
        l->net->error);
    while (l->model->dialect->next_slot(&c, false, &name, &count)) {
        if (tn_bytes_is(name, slot) && number < count &&
            at + number < row->input_count)
            value = tn_op_input(l->model, op, at + number);
        at += count;
    }
    return value == TN_NONE ? TN_NONE : l->home[value];
}

static enum tn_status refuse(struct tn_net_loading *l, uint32_t op,
                             const char *why)
{
    tn_error_set(l->net->error, TN_MALFORMED, TN_NOWHERE, "%s", why);
    return tn_net_place_op(l, op);
}

/* The block of an op that nobody else has; TN_NONE with the error set. */
static uint32_t block_of(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(l->model, op);

    l->decoded.count = 0;
    if (tn_attr_list(l->model, op, l->net->arena, &l->decoded, l->net->error) !=
        TN_OK)
        return TN_NONE;
    for (uint64_t i = 0; i < l->decoded.count; i++) {
        const struct tn_attr_named *attr =
            tn_list_at(&l->decoded, struct tn_attr_named, i);
        if (!tn_bytes_is(attr->name, "sub_block") ||
            attr->value.kind != TN_ATTR_GRAPH || attr->value.count != 1 ||
            (uint64_t)attr->value.of.ints[0] >= l->model->graphs.count)
            continue;
        uint32_t               block = (uint32_t)attr->value.of.ints[0];
        const struct tn_graph *g     = tn_model_graph_at(l->model, block);
        if (g->kind == TN_GRAPH_SUBGRAPH && g->parent_graph == row->graph &&
            tn_model_graph_at(l->model, row->graph)->first_op +
                    (uint64_t)g->parent_node ==
                op)
            return block;
    }
    refuse(l, op, "it has no block of its own");
    return TN_NONE;
}

/* ---- structures --------------------------------------------------------- */

static enum tn_status load_block(struct tn_net_loading *l, uint32_t graph,
                                 int depth);

static void hand_in(struct tn_net_loading *l, uint32_t body,
                    struct crossings all)
{
    uint32_t round = tn_net_add_value(l->net, body, tn_text("round"));
    uint32_t going = tn_net_add_value(l->net, body, tn_text("going"));

    if (tn_failed(l->net->error))
        return;
    tn_net_set_scalar(l->net, round, TN_INT64);
    tn_net_set_scalar(l->net, going, TN_BOOL);
    tn_net_add_input(l->net, body, round, tn_bytes(NULL, 0));
    tn_net_add_input(l->net, body, going, tn_bytes(NULL, 0));
    for (uint32_t i = 0; i < all.count && !tn_failed(l->net->error); i++) {
        uint32_t home = all.items[i].home;
        uint32_t now  = tn_net_add_value(l->net, body, name_of(l, home));
        if (now == TN_NONE)
            return;
        tn_net_add_input(l->net, body, now, tn_bytes(NULL, 0));
        l->now[home]       = now;
        l->is_handed[home] = true;
    }
}

static enum tn_status load_loop(struct tn_net_loading *l, uint32_t op,
                                int depth)
{
    uint32_t         graph = tn_model_op_at(l->model, op)->graph;
    uint32_t         going = argument(l, op, "Condition", 0);
    uint32_t         body  = block_of(l, op);
    struct crossings all;

    if (body == TN_NONE)
        return l->net->error->status;
    if (going == TN_NONE || !is_defined(l, going))
        return refuse(l, op, "nothing defines the condition");
    all = list_crossings(l, body);
    uint32_t *inputs =
        tn_new(&l->scratch, uint32_t, (uint64_t)all.count + 2, l->net->error);
    if (!all.items || !inputs)
        return l->net->error->status;
    inputs[0] = TN_NONE;
    inputs[1] = as_scalar(l, graph, l->now[going]);
    for (uint32_t i = 0; i < all.count && !tn_failed(l->net->error); i++)
        inputs[i + 2] = current(l, graph, all.items[i].home);
    if (tn_failed(l->net->error))
        return tn_net_place_op(l, op);
    hand_in(l, body, all);
    TN_TRY(load_block(l, body, depth + 1));
    add_output(l, body, as_scalar(l, body, l->now[going]));
    for (uint32_t i = 0; i < all.count; i++)
        add_output(l, body, l->now[all.items[i].home]);
    set_graph(l, add_structure(l, op, "Loop", inputs, all.count + 2, all),
              "body", body);
    return l->net->error->status;
}

/* A graph in which the variables are what they were. */
static uint32_t add_unchanged(struct tn_net_loading *l, uint32_t parent,
                              struct crossings all)
{
    uint32_t graph =
        tn_net_add_graph(l->net, TN_GRAPH_SUBGRAPH, tn_text("else"), parent);

    for (uint32_t i = 0;
         graph != TN_NONE && i < all.count && !tn_failed(l->net->error); i++) {
        const struct crossing *c = &all.items[i];
        add_output(l, graph,
                   c->was_defined ? add_node(l, graph, "assign", &c->before, 1,
                                             name_of(l, c->home))
                                  : placeholder(l, graph, c->home));
    }
    return graph;
}

/* All elements of the condition must be true; it has one, mostly. */
static uint32_t branch_condition(struct tn_net_loading *l, uint32_t op,
                                 uint32_t value)
{
    uint32_t graph  = tn_model_op_at(l->model, op)->graph;
    bool     is_one = false;

    for (uint64_t i = 0; i < l->decoded.count; i++) {
        const struct tn_attr_named *attr =
            tn_list_at(&l->decoded, struct tn_attr_named, i);
        if (tn_bytes_is(attr->name, "is_scalar_condition") &&
            attr->value.kind == TN_ATTR_BOOL)
            is_one = attr->value.of.ints[0];
    }
    if (!is_one) {
        value = add_node(l, graph, "reduce_all", &value, 1, tn_text("all"));
        set_ints(l, value, "reduce_all", &(int64_t){ 1 }, 1, false);
    }
    return value == TN_NONE ? TN_NONE : as_scalar(l, graph, value);
}

static enum tn_status load_branch(struct tn_net_loading *l, uint32_t op,
                                  int depth)
{
    uint32_t         graph = tn_model_op_at(l->model, op)->graph;
    uint32_t         given = argument(l, op, "Cond", 0);
    uint32_t         block = block_of(l, op), cond, other;
    struct crossings all;

    if (block == TN_NONE)
        return l->net->error->status;
    if (given == TN_NONE || !is_defined(l, given) ||
        argument(l, op, "Cond", 1) != TN_NONE)
        return refuse(l, op, "expected one condition that is defined");
    cond = branch_condition(l, op, l->now[given]);
    all  = list_crossings(l, block);
    if (!all.items || cond == TN_NONE)
        return l->net->error->status;
    TN_TRY(load_block(l, block, depth + 1));
    for (uint32_t i = 0; i < all.count; i++) {
        add_output(l, block, l->now[all.items[i].home]);
        l->is_handed[all.items[i].home] = all.items[i].was_handed;
    }
    other = add_unchanged(l, graph, all);
    if (tn_failed(l->net->error))
        return tn_net_place_op(l, op);
    uint32_t node = add_structure(l, op, "If", &cond, 1, all);
    set_graph(l, node, "then_branch", block);
    set_graph(l, node, "else_branch", other);
    return l->net->error->status;
}

/* A graph that hands out one value of the outside. */
static uint32_t add_pick(struct tn_net_loading *l, uint32_t parent,
                         uint32_t value, struct tn_bytes name)
{
    uint32_t graph =
        tn_net_add_graph(l->net, TN_GRAPH_SUBGRAPH, tn_text("branch"), parent);

    if (graph != TN_NONE)
        add_output(l, graph, add_node(l, graph, "assign", &value, 1, name));
    return graph;
}

static enum tn_status load_select(struct tn_net_loading *l, uint32_t op)
{
    uint32_t graph  = tn_model_op_at(l->model, op)->graph;
    uint32_t mask   = argument(l, op, "Mask", 0);
    uint32_t pair[] = { argument(l, op, "X", 1), argument(l, op, "X", 0) };
    uint32_t out    = tn_model_op_at(l->model, op)->output_count
                          ? tn_op_output(l->model, op, 0)
                          : TN_NONE;

    if (mask == TN_NONE || !is_defined(l, mask) || pair[0] == TN_NONE ||
        pair[1] == TN_NONE || out == TN_NONE)
        return refuse(l, op, "expected two values and a mask");
    uint32_t cond =
        add_node(l, graph, "cast", &l->now[mask], 1, tn_text("mask"));
    set_ints(l, cond, "out_dtype", &(int64_t){ 0 }, 1, false);
    cond              = as_scalar(l, graph, cond);
    uint32_t from[]   = { current(l, graph, pair[0]),
                          current(l, graph, pair[1]) };
    uint32_t graphs[] = { TN_NONE, TN_NONE };
    for (int i = 0; i < 2 && !tn_failed(l->net->error); i++)
        graphs[i] = add_pick(l, graph, from[i], name_of(l, l->home[out]));
    if (tn_failed(l->net->error))
        return tn_net_place_op(l, op);
    struct crossing  one  = { .home = l->home[out] };
    struct crossings all  = { &one, 1 };
    uint32_t         node = add_structure(l, op, "If", &cond, 1, all);
    set_graph(l, node, "then_branch", graphs[0]);
    set_graph(l, node, "else_branch", graphs[1]);
    return l->net->error->status;
}

/* ---- arrays ------------------------------------------------------------- */

/* `array` without element I, when it has one. */
static uint32_t without(struct tn_net_loading *l, uint32_t graph,
                        uint32_t array, uint32_t index)
{
    struct tn_bytes name = tn_net_value(l->net, array).name;
    uint32_t        length =
        add_node(l, graph, "lod_array_length", &array, 1, tn_text("length"));
    uint32_t inside =
        add_node(l, graph, "less_than", (uint32_t[]){ index, length }, 2,
                 tn_text("inside"));
    uint32_t has = as_scalar(l, graph, inside);
    uint32_t then =
        tn_net_add_graph(l->net, TN_GRAPH_SUBGRAPH, tn_text("has"), graph);
    uint32_t other = add_pick(l, graph, array, name);
    uint32_t kept  = add_node(l, graph, "If", &has, 1, name);
    if (tn_failed(l->net->error))
        return TN_NONE;
    add_output(l, then,
               add_node(l, then, "array_erase", (uint32_t[]){ array, index }, 2,
                        name));
    uint32_t node = tn_net_value(l->net, kept).producer;
    set_graph(l, node, "then_branch", then);
    set_graph(l, node, "else_branch", other);
    return kept;
}

uint32_t tn_net_array_before(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op *row   = tn_model_op_at(l->model, op);
    uint32_t            index = argument(l, op, "I", 0);

    if (row->output_count != 1 || index == TN_NONE ||
        tn_op_output(l->model, op, 0) == TN_NONE) {
        tn_error_set(l->net->error, TN_MALFORMED, TN_NOWHERE,
                     "expected an index and an array");
        return TN_NONE;
    }
    uint32_t home = l->home[tn_op_output(l->model, op, 0)];
    if (!is_defined(l, home))
        return placeholder(l, row->graph, home);
    return without(l, row->graph, l->now[home], l->now[index]);
}

/* ---- the whole ---------------------------------------------------------- */

static enum tn_status load_op(struct tn_net_loading *l, uint32_t op, int depth)
{
    struct tn_bytes type =
        tn_model_name(l->model, tn_model_op_at(l->model, op)->type);

    if (tn_bytes_is(type, "while"))
        return load_loop(l, op, depth);
    if (tn_bytes_is(type, "conditional_block") ||
        tn_bytes_is(type, "conditional_block_infer"))
        return load_branch(l, op, depth);
    if (tn_bytes_is(type, "select_input"))
        return load_select(l, op);
    return tn_net_load_op(l, op);
}

static enum tn_status load_block(struct tn_net_loading *l, uint32_t graph,
                                 int depth)
{
    const struct tn_graph *g = tn_model_graph_at(l->model, graph);

    if (depth > DEPTH_MAX)
        return tn_error_set(l->net->error, TN_LIMIT, TN_NOWHERE,
                            "blocks nested deeper than %d", DEPTH_MAX);
    for (uint32_t i = 0; i < g->op_count; i++)
        TN_TRY(load_op(l, g->first_op + i, depth));
    return TN_OK;
}

enum tn_status tn_net_load_blocks(struct tn_net_loading *l)
{
    return load_block(l, 0, 0);
}
