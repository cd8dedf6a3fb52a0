/*
 * paddle_check_order.c - variables that are read before anything writes them
 *
 * Operators run in the order of their block.  A variable that is declared has
 * no value until an operator, a feed or a parameter gives it one: Paddle stops
 * where one is read before.  Of these it can be said for certain where
 * operators run, which is in the outermost block and in the loops of it; in a
 * branch, or in a loop in a loop, a read may come after a write that stands
 * behind it.
 *
 * What nothing ever writes is left alone: a program may be fed by hand.
 */
#include "format/paddle/paddle_check.h"
#include "ir/attr.h"
#include "ir/value_findings.h"

/* How deep in loops a read is certain. */
#define CERTAIN 1

struct order {
    struct tn_value_findings findings;
    struct tn_error         *error;
    struct tn_arena          arena;
    uint32_t                *homes; /* by value: the block that declares it;
                                       TN_NONE: it is no tensor, or unknown  */
    uint32_t       *inner; /* by op: the first graph in it, + 1              */
    uint32_t       *next;  /* by graph: the next one, + 1                    */
    struct tn_pairs ever, written; /* (home, name): by some op, by now       */
};

static uint32_t find_home(const struct tn_model *model, uint32_t value)
{
    const struct tn_value *row   = tn_model_value_at(model, value);
    uint32_t               graph = row->graph;
    struct tn_declared     told;

    for (int depth = 0; graph != TN_NONE && depth < TN_PADDLE_DEPTH_LIMIT;
         depth++) {
        if (tn_paddle_declared(model, graph, tn_model_name(model, row->name),
                               &told))
            return told.has_type && !told.is_list ? graph : TN_NONE;
        graph = tn_model_graph_at(model, graph)->parent_graph;
    }
    return TN_NONE;
}

/* Whether it has a value before anything runs. */
static bool is_given(const struct order *o, uint32_t home, uint32_t name)
{
    const struct tn_model *model = o->findings.model;
    uint32_t               value = tn_model_find_value(model, home, name);
    uint32_t               kind;

    if (value == TN_NONE)
        return false;
    kind = tn_model_value_at(model, value)->kind;
    return kind == TN_VALUE_INPUT || kind == TN_VALUE_INITIALIZER;
}

static void check_read(const struct order *o, uint32_t op, uint32_t value)
{
    const struct tn_model *model = o->findings.model;
    uint32_t               name, home;

    if (value == TN_NONE || o->homes[value] == TN_NONE)
        return;
    name = tn_model_value_at(model, value)->name;
    home = o->homes[value];
    if (tn_pairs_find(&o->ever, home, name) == UINT32_MAX ||
        tn_pairs_find(&o->written, home, name) != UINT32_MAX ||
        is_given(o, home, name))
        return;
    tn_value_complain(&o->findings, op, "unset-variable",
                      "'%.*s' is read, and is written later only",
                      TN_FMT(tn_value_short_name(model, value)));
}

static void note_written(struct order *o, struct tn_pairs *to, uint32_t op)
{
    const struct tn_model *model = o->findings.model;
    const struct tn_op    *row   = tn_model_op_at(model, op);

    for (uint32_t i = 0; i < row->output_count && !tn_failed(o->error); i++) {
        uint32_t value = tn_op_output(model, op, i);
        if (value != TN_NONE && o->homes[value] != TN_NONE)
            tn_pairs_add(to, o->homes[value],
                         tn_model_value_at(model, value)->name, 0, o->error);
    }
}

/* Operators that run blocks, or take one of their inputs, name variables that
 * may have no value. */
static bool reads_all(const struct order *o, uint32_t op)
{
    const struct tn_model *model = o->findings.model;
    struct tn_bytes        type =
        tn_model_name(model, tn_model_op_at(model, op)->type);
    static const char *const others[] = {
        "fetch", "select_input",      "select_output",
        "while", "conditional_block", "conditional_block_infer"
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tn_bytes_is(type, others[i]))
            return false;
    return true;
}

static bool is_loop(const struct order *o, uint32_t op)
{
    const struct tn_model *model = o->findings.model;

    return tn_bytes_is(tn_model_name(model, tn_model_op_at(model, op)->type),
                       "while");
}

static void walk(struct order *o, uint32_t graph, int loops, int depth)
{
    const struct tn_model *model = o->findings.model;
    const struct tn_graph *row   = tn_model_graph_at(model, graph);

    if (depth > TN_PADDLE_DEPTH_LIMIT)
        return;
    for (uint32_t i = 0; i < row->op_count && !tn_failed(o->error); i++) {
        uint32_t op    = row->first_op + i;
        uint32_t count = tn_model_op_at(model, op)->input_count;
        if (loops > CERTAIN || o->inner[op] || !reads_all(o, op))
            count = 0;
        for (uint32_t k = 0; k < count && !o->findings.report->is_stopped; k++)
            check_read(o, op, tn_op_input(model, op, k));
        for (uint32_t inner = o->inner[op]; inner; inner = o->next[inner - 1])
            walk(o, inner - 1, is_loop(o, op) ? loops + 1 : CERTAIN + 1,
                 depth + 1);
        note_written(o, &o->written, op);
    }
}

static void chain_blocks(struct order *o)
{
    const struct tn_model *model = o->findings.model;

    for (uint32_t i = (uint32_t)model->graphs.count; i-- > 1;) {
        const struct tn_graph *row   = tn_model_graph_at(model, i);
        const struct tn_graph *outer = NULL;
        if (row->parent_graph < i)
            outer = tn_model_graph_at(model, row->parent_graph);
        if (!outer || row->parent_node >= outer->op_count)
            continue;
        o->next[i] = o->inner[outer->first_op + row->parent_node];
        o->inner[outer->first_op + row->parent_node] = i + 1;
    }
}

static void survey(struct order *o)
{
    const struct tn_model *model = o->findings.model;

    for (uint32_t i = 0; i < model->values.count; i++)
        o->homes[i] = find_home(model, i);
    for (uint32_t op = 0; op < model->ops.count && !tn_failed(o->error); op++)
        note_written(o, &o->ever, op);
    chain_blocks(o);
}

enum tn_status tn_paddle_check_order(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error)
{
    uint64_t     graphs = model->graphs.count;
    struct order o      = {
             .findings = { .model  = model,
                           .report = report,
                           .file =
                          model->wire.source ? model->wire.source->name : "" },
             .error    = error,
    };

    if (graphs == 0 || !tn_model_graph_at(model, 0)->inputs.count)
        return error->status; /* fed by hand */
    tn_arena_init(&o.arena, model->memory);
    tn_pairs_init(&o.ever, model->memory);
    tn_pairs_init(&o.written, model->memory);
    o.homes = tn_new(&o.arena, uint32_t, model->values.count, error);
    o.inner = tn_new(&o.arena, uint32_t, model->ops.count, error);
    o.next  = tn_new(&o.arena, uint32_t, graphs, error);
    if (!tn_failed(error))
        survey(&o);
    if (!tn_failed(error))
        walk(&o, 0, 0, 0);
    tn_pairs_done(&o.written);
    tn_pairs_done(&o.ever);
    tn_arena_done(&o.arena);
    return error->status;
}
