/*
 * value_flow.c - types, ranks and sizes along a graph, and through graphs that
 * nodes run
 */
#include "ir/value_flow.h"

#include <inttypes.h>
#include <stdio.h>

/* The most sets of types and ranks with which a function is walked.  The
 * results of further ones are unknown. */
#define CALL_TYPES_LIMIT 8

/* The most graphs of one node; if it runs more, their results are unknown. */
#define BODY_LIMIT 64

/* A rank that is known to change, as from one round of a loop to the next. */
#define RANK_OPEN UINT8_MAX

enum state { NEW, OPEN, DONE, WRONG };

/* What happens to findings. */
enum mode { ERRORS, NOTES, SILENT };

/* Rounds of trials; after these, nothing is known about loop variables. */
#define ROUND_LIMIT 4

/* Ops in trials, for each op of the model. */
#define TRIAL_BUDGET 16

/* What is known about a loop variable. */
enum carried { ASSUMED, KEPT, CHANGED };

/* What a function gives for what it is called with. */
struct tn_call_types {
    struct tn_call_types *next;
    enum mode             mode;
    bool                  is_choice; /* it may be one that never runs      */
    bool                  is_wrong;
    uint64_t          size;  /* of `key`                                    */
    const uint8_t    *key;   /* types and ranks of the arguments            */
    struct tn_results gives; /* by output of the function                  */
};

/* A graph that is being walked. */
struct frame {
    uint32_t              graph;
    uint64_t              next; /* op of it                               */
    struct tn_call_types *call_types; /* of a call; NULL if it is not one */
    uint64_t              findings; /* that there were before it              */
    enum mode             mode;
    uint8_t               state;    /* of the graph before                    */
    bool                  is_alone; /* nobody waits for what it gives         */
    bool      is_settling; /* a trial: which loops in it keep their ranks     */
    enum mode settled;     /* the mode after it                               */
    uint32_t  passes;

    /* The op whose graphs are being walked; TN_NONE: none. */
    uint32_t  op;
    uint32_t  sibling; /* next graph in it, + 1                              */
    uint32_t  callee;  /* next function that it calls                        */
    uint32_t  body;    /* number of the graph being walked                   */
    uint32_t *said;    /* by result: the value that told its type            */
    struct tn_results       *results;
    const struct tn_results *called; /* what the only function that it calls
                                        gives; NULL: it is merged             */
    bool is_open; /* what one of its graphs gives is not known                */
    bool is_trial;
    bool is_moved; /* by it: something is CHANGED                        */
    uint32_t rounds;
    uint64_t untried;        /* findings that there were before it */
    uint8_t *carried;        /* by input: enum carried; NULL: nothing is     */
    uint32_t chosen, failed; /* graphs that may never run; those wrong       */
};

static struct frame *top_of(struct tn_flow *flow)
{
    return tn_list_at(&flow->frames, struct frame, flow->frames.count - 1);
}

static void set_mode(struct tn_flow *flow, enum mode mode)
{
    struct tn_report *report = mode == SILENT ? &flow->silence : flow->report;

    flow->typing.findings.report   = report;
    flow->ranking.findings.report  = report;
    flow->sizing.findings.report   = report;
    flow->typing.findings.is_note  = mode == NOTES;
    flow->ranking.findings.is_note = mode == NOTES;
    flow->sizing.findings.is_note  = mode == NOTES;
}

/* How findings about the op whose graphs are walked are reported. */
static enum mode op_mode(const struct frame *f)
{
    return f->is_trial ? SILENT : f->mode;
}

static bool has_budget(const struct tn_flow *flow)
{
    return flow->tried <= TRIAL_BUDGET * flow->model->ops.count;
}

/* ---- before the walk ---------------------------------------------------- */

/* The op that a graph is in; TN_NONE: in none. */
static uint32_t op_around(const struct tn_model *model, uint32_t index)
{
    const struct tn_graph *graph = tn_model_graph_at(model, index);
    const struct tn_graph *outer;

    if (graph->kind != TN_GRAPH_SUBGRAPH || graph->parent_node == TN_NONE ||
        graph->parent_graph >= model->graphs.count)
        return TN_NONE;
    outer = tn_model_graph_at(model, graph->parent_graph);
    return graph->parent_node < outer->op_count
               ? outer->first_op + graph->parent_node
               : TN_NONE;
}

/* Graphs in a node, in order. */
static void chain_bodies(struct tn_flow *flow)
{
    const struct tn_model *model = flow->model;

    flow->siblings =
        tn_new(&flow->arena, uint32_t, model->graphs.count, flow->error);
    for (uint64_t i = model->graphs.count; i-- && !tn_failed(flow->error);) {
        uint32_t op = op_around(model, (uint32_t)i);
        if (op == TN_NONE)
            continue;
        if (!flow->bodies)
            flow->bodies =
                tn_new(&flow->arena, uint32_t, model->ops.count, flow->error);
        if (flow->bodies) {
            flow->siblings[i] = flow->bodies[op];
            flow->bodies[op]  = (uint32_t)i + 1;
        }
    }
}

void tn_flow_init(struct tn_flow *flow, const struct tn_model *model,
                  const struct tn_vocab_use *use, struct tn_report *report,
                  struct tn_error *error)
{
    *flow = (struct tn_flow){
        .model = model, .use = use, .report = report, .error = error
    };
    tn_arena_init(&flow->arena, model->memory);
    tn_list_init(&flow->frames, model->memory, sizeof(struct frame));
    tn_typing_init(&flow->typing, model, use, report, error);
    tn_ranking_init(&flow->ranking, model, use, report, error);
    tn_sizing_init(&flow->sizing, model, use, &flow->ranking, report, error);
    if (!use->declare_ranks &&
        (!use->compares_types || tn_typing_is_by_attrs(&flow->typing)))
        return; /* nothing goes from node to node */
    flow->kinds =
        tn_new(&flow->arena, struct tn_typed_kind *, model->ops.count, error);
    flow->sizing.kinds = (const struct tn_typed_kind *const *)flow->kinds;
    if (use->declare_ranks)
        flow->ranking.kinds = flow->sizing.kinds;
    flow->states = tn_new(&flow->arena, uint8_t, model->graphs.count, error);
    flow->call_typess = tn_new(&flow->arena, struct tn_call_types *,
                               model->graphs.count, error);
    chain_bodies(flow);
    if (flow->bodies || use->callee) {
        flow->results         = tn_new(&flow->arena, const struct tn_results *,
                                       model->ops.count, error);
        flow->typing.results  = flow->results;
        flow->ranking.results = flow->results;
    }
}

void tn_flow_done(struct tn_flow *flow)
{
    tn_sizing_done(&flow->sizing);
    tn_ranking_done(&flow->ranking);
    tn_typing_done(&flow->typing);
    tn_list_done(&flow->frames);
    tn_arena_done(&flow->arena);
}

struct tn_typed_kind *tn_flow_prepare(struct tn_flow           *flow,
                                      const struct tn_vocab_op *op)
{
    struct tn_typed_kind *kind =
        tn_new(&flow->arena, struct tn_typed_kind, 1, flow->error);

    if (!kind)
        return NULL;
    tn_typing_prepare(&flow->typing, kind, op);
    kind->is_ranked = op->has_ranks || flow->use->made_rank;
    return kind;
}

void tn_flow_note(struct tn_flow *flow, struct tn_typed_kind *kind, uint32_t op,
                  const struct tn_attr_types *attrs)
{
    if (flow->kinds)
        flow->kinds[op] = kind;
    if (flow->typing.types && tn_typing_is_by_attrs(&flow->typing))
        tn_typing_note(&flow->typing, kind, op, attrs);
}

/* ---- the order ---------------------------------------------------------- */

/* An op whose producers come first. */
struct step {
    uint32_t op, next;
};

struct ordering {
    struct tn_flow *flow;
    uint8_t        *seen;  /* by op                                           */
    struct tn_list  steps; /* struct step                                     */
    uint64_t        count; /* of flow->order                                  */
};

/* A producer of the same graph that is not in order yet; TN_NONE: no more. */
static uint32_t next_producer(struct ordering *o, struct step *step)
{
    const struct tn_model *model = o->flow->model;
    const struct tn_op    *row   = tn_model_op_at(model, step->op);

    while (step->next < row->input_count - row->control_count) {
        uint32_t value =
            tn_model_ref_at(model, (uint64_t)row->first_input + step->next++);
        const struct tn_value *from =
            value == TN_NONE ? NULL : tn_model_value_at(model, value);
        if (from && from->kind == TN_VALUE_OUTPUT &&
            from->producer != TN_NONE &&
            !tn_ranking_closes_loop(&o->flow->ranking, value) &&
            !o->seen[from->producer] &&
            tn_model_op_at(model, from->producer)->graph == row->graph)
            return from->producer;
    }
    return TN_NONE;
}

static void add_step(struct ordering *o, uint32_t op)
{
    struct step *step = tn_list_push(&o->steps, struct step, o->flow->error);

    o->seen[op] = 1;
    if (step)
        *step = (struct step){ op, 0 };
}

/* Whether ops come after what they use, as most writers have it. */
static bool is_in_order(const struct tn_flow *flow)
{
    const struct tn_model *model = flow->model;

    for (uint32_t op = 0; op < model->ops.count; op++) {
        const struct tn_op *row = tn_model_op_at(model, op);
        for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
            uint32_t value =
                tn_model_ref_at(model, (uint64_t)row->first_input + i);
            const struct tn_value *from =
                value == TN_NONE ? NULL : tn_model_value_at(model, value);
            if (from && from->kind == TN_VALUE_OUTPUT &&
                from->producer != TN_NONE && from->producer >= op &&
                !tn_ranking_closes_loop(&flow->ranking, value))
                return false;
        }
    }
    return true;
}

/* Depth first, with a stack of our own; an edge that closes a cycle is left
 * out. */
static void order_from(struct ordering *o, uint32_t op)
{
    add_step(o, op);
    while (o->steps.count && !tn_failed(o->flow->error)) {
        struct step *top =
            tn_list_at(&o->steps, struct step, o->steps.count - 1);
        uint32_t producer = next_producer(o, top);
        if (producer != TN_NONE) {
            add_step(o, producer);
            continue;
        }
        o->flow->order[o->count++] = top->op;
        o->steps.count--;
    }
}

/* Ops that merge, and graphs with loops of such. */
static void find_merges(struct tn_flow *flow)
{
    const struct tn_model *model = flow->model;

    if (!flow->use->is_merge || !flow->ranking.told)
        return;
    flow->loops =
        tn_new(&flow->arena, uint8_t, model->graphs.count, flow->error);
    flow->ranking.merges =
        tn_new(&flow->arena, uint8_t, model->ops.count, flow->error);
    for (uint32_t op = 0; !tn_failed(flow->error) && op < model->ops.count;
         op++) {
        const struct tn_op *row   = tn_model_op_at(model, op);
        uint8_t            *merge = &flow->ranking.merges[op];
        if (!flow->use->is_merge(flow->use->context, op))
            continue;
        *merge = TN_MERGES_BRANCHES;
        for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
            uint32_t value =
                tn_model_ref_at(model, (uint64_t)row->first_input + i);
            if (value != TN_NONE &&
                tn_ranking_closes_loop(&flow->ranking, value))
                *merge = TN_MERGES_ROUNDS;
        }
        flow->loops[row->graph] |= *merge == TN_MERGES_ROUNDS;
    }
}

static void find_order(struct tn_flow *flow)
{
    const struct tn_model *model = flow->model;
    struct ordering        o     = { .flow = flow };

    if (model->dialect->is_ordered || is_in_order(flow))
        return;
    tn_list_init(&o.steps, model->memory, sizeof(struct step));
    flow->order = tn_new(&flow->arena, uint32_t, model->ops.count, flow->error);
    o.seen      = tn_new(&flow->arena, uint8_t, model->ops.count, flow->error);
    for (uint32_t g = 0; g < model->graphs.count; g++) {
        const struct tn_graph *graph = tn_model_graph_at(model, g);
        o.count                      = graph->first_op;
        for (uint64_t i = 0; i < graph->op_count && !tn_failed(flow->error);
             i++)
            if (!o.seen[graph->first_op + i])
                order_from(&o, graph->first_op + (uint32_t)i);
    }
    tn_list_done(&o.steps);
}

/* ---- into a graph and out of it ----------------------------------------- */

static uint64_t findings(const struct tn_flow *flow)
{
    uint64_t count = 0;

    for (int i = 0; i <= TN_LEVEL_ERROR; i++)
        count += flow->report->counts[i] + flow->silence.counts[i];
    return count;
}

/* The value that an input or output of a graph is; TN_NONE: none. */
static uint32_t value_of(const struct tn_flow *flow, uint32_t graph,
                         bool is_output, uint32_t index)
{
    const struct tn_model *model = flow->model;
    const struct tn_graph *row   = tn_model_graph_at(model, graph);
    const struct tn_io    *io =
        is_output ? &row->outputs.items[index] : &row->inputs.items[index];
    return tn_model_find_named(model, graph, io->name);
}

static uint32_t input_of(const struct tn_flow *flow, uint32_t op,
                         uint32_t number)
{
    const struct tn_op *row = tn_model_op_at(flow->model, op);

    return number >= row->input_count - row->control_count
               ? TN_NONE
               : tn_model_ref_at(flow->model,
                                 (uint64_t)row->first_input + number);
}

static uint32_t inputs_of(const struct tn_flow *flow, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(flow->model, op);

    return row->input_count - row->control_count;
}

static bool pass(struct tn_flow *flow, const struct frame *f, uint32_t graph,
                 bool is_output, uint32_t index, struct tn_passing *to)
{
    const struct tn_graph *row = tn_model_graph_at(flow->model, graph);
    struct tn_crossing     c   = {
              .op        = f->op,
              .graph     = graph,
              .body      = f->body,
              .is_output = is_output,
              .index     = index,
    };

    *to = (struct tn_passing){ .number = TN_NONE, .start = TN_NONE };
    if (index >= (is_output ? row->outputs.count : row->inputs.count) ||
        !flow->use->pass)
        return false;
    if (flow->kinds[f->op])
        c.kind = flow->kinds[f->op]->op;
    if (!flow->use->pass(flow->use->context, &c, to))
        return false;
    /* A missing input ends the search: otherwise many ops that each pass one
     * value to a function with many inputs would take quadratic time. */
    return is_output || to->number == TN_NONE ||
           to->number < inputs_of(flow, f->op);
}

/* A rank that is larger by `deeper`; 0: not known. */
static uint8_t shift_rank(uint8_t rank, int deeper)
{
    int shifted = rank + deeper;

    return !rank || shifted < 1 || shifted > UINT8_MAX ? 0 : (uint8_t)shifted;
}

/* Type and rank of the value that is passed there. */
static void look_at_input(struct tn_flow *flow, const struct frame *f,
                          const struct tn_passing *p, uint32_t *outer,
                          uint8_t *type, uint8_t *rank)
{
    *outer = TN_NONE;
    *type  = p->type;
    *rank  = p->rank;
    if (p->number == TN_NONE)
        return;
    *outer = input_of(flow, f->op, p->number);
    *type = *rank = 0;
    if (*outer == TN_NONE)
        return;
    *type = tn_typing_type(&flow->typing, *outer);
    if (p->is_element && *type >> 6 == TN_WRAP_SEQUENCE)
        *type = TN_TYPE(*type & 63, TN_WRAP_NONE);
    if (p->has_rank &&
        !(f->carried && p->is_carried && f->carried[p->number] == CHANGED))
        *rank = shift_rank(tn_ranking_rank(&flow->ranking, *outer), p->deeper);
}

static void enter(struct tn_flow *flow, const struct frame *f, uint32_t graph,
                  enum mode mode)
{
    const struct tn_graph *row = tn_model_graph_at(flow->model, graph);
    struct tn_passing      p;
    bool                   is_known = true;

    for (uint32_t i = 0; i < row->inputs.count; i++) {
        uint32_t inner = value_of(flow, graph, false, i), outer = TN_NONE;
        uint8_t  type = 0, rank = 0;
        is_known = is_known && pass(flow, f, graph, false, i, &p);
        if (is_known)
            look_at_input(flow, f, &p, &outer, &type, &rank);
        if (inner == TN_NONE)
            continue;
        set_mode(flow, op_mode(f));
        tn_typing_enter(&flow->typing, f->op, outer, inner, type);
        set_mode(flow, mode);
        if (is_known && p.is_carried)
            tn_ranking_begin(&flow->ranking, inner, rank);
        else
            tn_ranking_enter(&flow->ranking, f->op, outer, inner, rank);
    }
}

/* Takes the inputs of the graph as unknown. */
static void forget_inputs(struct tn_flow *flow, uint32_t graph)
{
    const struct tn_graph *row = tn_model_graph_at(flow->model, graph);

    for (uint32_t i = 0; i < row->inputs.count; i++) {
        uint32_t inner = value_of(flow, graph, false, i);
        if (inner != TN_NONE)
            tn_ranking_begin(&flow->ranking, inner, 0);
    }
}

/* What the graph gives, by output. */
static void look_at_outputs(struct tn_flow *flow, uint32_t graph,
                            struct tn_results *to)
{
    const struct tn_graph *row   = tn_model_graph_at(flow->model, graph);
    uint32_t               count = row->outputs.count;

    to->types = tn_new(&flow->arena, uint8_t, count, flow->error);
    to->ranks = tn_new(&flow->arena, uint8_t, count, flow->error);
    if (tn_failed(flow->error))
        return;
    to->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_io *io    = &row->outputs.items[i];
        uint32_t            value = value_of(flow, graph, true, i);
        if (tn_typing_is_by_attrs(&flow->typing))
            to->types[i] =
                strcmp(io->note, "list") ? TN_TYPE(io->dtype, TN_WRAP_NONE) : 0;
        else if (value != TN_NONE)
            to->types[i] = tn_typing_type(&flow->typing, value);
        if (value != TN_NONE)
            to->ranks[i] = tn_ranking_rank(&flow->ranking, value);
    }
}

/* ---- what several graphs give as one ------------------------------------ */

/* Room for the results of an op; false on failure. */
static bool open_results(struct tn_flow *flow, struct frame *f)
{
    uint32_t count = flow->model->dialect->names_outputs
                         ? tn_model_op_at(flow->model, f->op)->output_count
                         : tn_typing_output_count(&flow->typing, f->op);

    if (f->results)
        return true;
    f->said    = tn_new(&flow->arena, uint32_t, count, flow->error);
    f->results = tn_new(&flow->arena, struct tn_results, 1, flow->error);
    if (tn_failed(flow->error))
        return false;
    f->results->types = tn_new(&flow->arena, uint8_t, count, flow->error);
    f->results->ranks = tn_new(&flow->arena, uint8_t, count, flow->error);
    f->results->count = tn_failed(flow->error) ? 0 : count;
    return !tn_failed(flow->error);
}

static void merge_type(struct tn_flow *flow, struct frame *f, uint32_t graph,
                       const struct tn_passing *p, uint32_t inner, uint8_t type)
{
    uint8_t *so_far = &f->results->types[p->number];
    uint32_t start  = TN_NONE;

    if (p->start < tn_model_graph_at(flow->model, graph)->inputs.count)
        start = value_of(flow, graph, false, p->start);
    if (p->is_element && type)
        type = type >> 6 == TN_WRAP_NONE ? TN_TYPE(type, TN_WRAP_SEQUENCE) : 0;
    if (!type)
        return;
    if (start != TN_NONE)
        tn_typing_expect_same(&flow->typing, f->op, start,
                              tn_typing_type(&flow->typing, start), inner,
                              type);
    if (*so_far) {
        tn_typing_expect_same(&flow->typing, f->op, f->said[p->number], *so_far,
                              inner, type);
        return;
    }
    *so_far            = type;
    f->said[p->number] = inner;
}

/* The rank of the input that an output of a loop is fed back to; 0: not
 * known. */
static uint8_t rank_begun(struct tn_flow *flow, const struct frame *f,
                          uint32_t graph, uint32_t start, struct tn_passing *p)
{
    uint32_t outer;
    uint8_t  type, rank = 0;

    if (pass(flow, f, graph, false, start, p) && p->is_carried)
        look_at_input(flow, f, p, &outer, &type, &rank);
    return rank;
}

/* Whether it has the rank that it began with. */
static void look_at_carried(struct tn_flow *flow, struct frame *f,
                            uint32_t graph, uint32_t start, uint8_t rank)
{
    struct tn_passing p;
    uint8_t           begun = rank_begun(flow, f, graph, start, &p);

    if (!f->carried || !begun)
        return;
    f->carried[p.number] = begun == rank ? KEPT : CHANGED;
    f->is_moved |= f->carried[p.number] == CHANGED;
}

static void merge_rank(struct tn_flow *flow, struct frame *f, uint32_t graph,
                       const struct tn_passing *p, uint8_t rank)
{
    uint8_t          *so_far = &f->results->ranks[p->number];
    struct tn_passing in;

    rank = p->has_rank ? shift_rank(rank, -p->deeper) : 0;
    if (p->start != TN_NONE && f->is_trial)
        look_at_carried(flow, f, graph, p->start, rank);
    if (p->start != TN_NONE) { /* a loop may not run at all */
        uint8_t begun = rank_begun(flow, f, graph, p->start, &in);
        rank          = in.is_carried && begun != rank ? 0 : rank;
    }
    if (!rank || (*so_far && *so_far != rank))
        *so_far = RANK_OPEN;
    else
        *so_far = rank;
}

/* What a loop that keeps ranks (Scan) gives, against what went in. */
static void expect_kept_rank(struct tn_flow *flow, const struct frame *f,
                             uint32_t graph, const struct tn_passing *p,
                             uint32_t inner, uint8_t rank)
{
    struct tn_passing in;
    uint32_t          start;

    if (p->start == TN_NONE || inner == TN_NONE || !p->has_rank ||
        !pass(flow, f, graph, false, p->start, &in) || in.is_carried ||
        !in.has_rank)
        return;
    start = value_of(flow, graph, false, p->start);
    if (start != TN_NONE)
        tn_ranking_expect_same(&flow->ranking, f->op, start,
                               tn_ranking_rank(&flow->ranking, start), inner,
                               rank);
}

static void merge(struct tn_flow *flow, struct frame *f, uint32_t graph,
                  const struct tn_results *gives)
{
    struct tn_passing p;

    if (!open_results(flow, f))
        return;
    set_mode(flow, op_mode(f));
    for (uint32_t i = 0; i < gives->count; i++) {
        uint32_t inner;
        if (!pass(flow, f, graph, true, i, &p) ||
            (p.number != TN_NONE && p.number >= f->results->count))
            break; /* not known, or more than the op gives */
        inner = value_of(flow, graph, true, i);
        if (p.number == TN_NONE && inner != TN_NONE)
            tn_typing_expect(&flow->typing, f->op, inner, gives->types[i],
                             p.type);
        if (p.number == TN_NONE)
            continue;
        if (inner != TN_NONE)
            merge_type(flow, f, graph, &p, inner, gives->types[i]);
        expect_kept_rank(flow, f, graph, &p, inner, gives->ranks[i]);
        merge_rank(flow, f, graph, &p, gives->ranks[i]);
    }
}

/* A node that is a call gives what the function gives; others say what they do
 * with it. */
static void take_results(struct tn_flow *flow, struct frame *f, uint32_t graph,
                         const struct tn_call_types *s)
{
    f->chosen += s->is_choice;
    f->failed += s->is_choice && s->is_wrong;
    if (!flow->model->dialect->names_outputs && !flow->kinds[f->op])
        f->called = &s->gives;
    else
        merge(flow, f, graph, &s->gives);
}

/* ---- functions ---------------------------------------------------------- */

/* Types and ranks of what the op calls it with. */
static struct tn_call_types *look_at_call(struct tn_flow     *flow,
                                          const struct frame *f, uint32_t graph)
{
    uint32_t              most = inputs_of(flow, f->op);
    struct tn_call_types *s =
        tn_new(&flow->arena, struct tn_call_types, 1, flow->error);
    uint8_t *key =
        tn_new(&flow->arena, uint8_t, 2 * (uint64_t)most, flow->error);
    struct tn_passing p;
    uint32_t          outer;

    if (tn_failed(flow->error))
        return NULL;
    while (s->size < 2 * (uint64_t)most &&
           pass(flow, f, graph, false, (uint32_t)s->size / 2, &p)) {
        look_at_input(flow, f, &p, &outer, &key[s->size], &key[s->size + 1]);
        s->is_choice |= p.is_choice && key[s->size + 1];
        s->size += 2;
    }
    s->key  = key;
    s->mode = op_mode(f);
    if (s->is_choice && s->mode == ERRORS)
        s->mode = NOTES;
    return s;
}

/* Finds the same call, whose findings were reported at least at this level.
 * Counts the calls so far. */
static struct tn_call_types *find_call_types(const struct tn_flow       *flow,
                                             uint32_t                    graph,
                                             const struct tn_call_types *like,
                                             uint32_t                   *count)
{
    struct tn_call_types *s = flow->call_typess[graph];

    *count = 0;
    while (s && (s->mode > like->mode || s->is_choice != like->is_choice ||
                 s->size != like->size ||
                 (s->size && memcmp(s->key, like->key, (size_t)s->size)))) {
        *count += s->mode <= like->mode;
        s = s->next;
    }
    return s;
}

/* Loops of the graph keep their ranks, as long as nothing else is known. */
static void assume_rounds(struct tn_flow *flow, uint32_t graph,
                          enum tn_merging assumed)
{
    const struct tn_graph *row = tn_model_graph_at(flow->model, graph);

    for (uint64_t i = 0; i < row->op_count; i++) {
        uint8_t *merge = &flow->ranking.merges[row->first_op + i];
        if (*merge == TN_MERGES_ROUNDS || *merge == TN_MERGES_ANY)
            *merge = (uint8_t)assumed;
    }
}

static struct frame *push_frame(struct tn_flow *flow, uint32_t graph,
                                struct tn_call_types *call_types,
                                enum mode             mode)
{
    struct frame *f = tn_list_push(&flow->frames, struct frame, flow->error);
    bool          has_loops = flow->loops && flow->loops[graph];

    if (!f)
        return NULL;
    *f                  = (struct frame){ .graph      = graph,
                                          .op         = TN_NONE,
                                          .call_types = call_types,
                                          .findings   = findings(flow),
                                          .mode       = mode,
                                          .state      = flow->states[graph] };
    flow->states[graph] = OPEN;
    if (has_loops)
        assume_rounds(flow, graph,
                      has_budget(flow) ? TN_MERGES_ROUNDS : TN_MERGES_ANY);
    if (has_loops && has_budget(flow)) {
        f->is_settling = true;
        f->settled     = mode;
        f->mode        = SILENT;
    }
    return f;
}

/* The graph by itself, of whose inputs nothing is known. */
static struct frame *push_alone(struct tn_flow *flow, uint32_t graph)
{
    struct frame *f;

    forget_inputs(flow, graph);
    f = push_frame(flow, graph, NULL, ERRORS);
    if (f)
        f->is_alone = true;
    return f;
}

/* Whether the call is finished; otherwise it has to be visited again. */
static bool call(struct tn_flow *flow, struct frame *f, uint32_t graph)
{
    uint32_t              count;
    struct tn_call_types *s = look_at_call(flow, f, graph);
    struct tn_call_types *known =
        s ? find_call_types(flow, graph, s, &count) : NULL;

    if (!s)
        return true;
    if (flow->states[graph] == OPEN) {
        f->is_open = true; /* it calls itself, which is reported elsewhere */
    } else if (s->mode == NOTES && flow->states[graph] == NEW) {
        push_alone(flow, graph); /* what is wrong for any rank is not a note */
        return false;
    } else if (known) {
        take_results(flow, f, graph, known);
    } else if (flow->states[graph] == WRONG || count >= CALL_TYPES_LIMIT) {
        f->is_open = true; /* what is wrong in it was reported */
    } else {
        s->next                  = flow->call_typess[graph];
        flow->call_typess[graph] = s;
        enter(flow, f, graph, s->mode);
        push_frame(flow, graph, s, s->mode);
    }
    return true;
}

/* ---- the walk ----------------------------------------------------------- */

static void visit(struct tn_flow *flow, uint32_t op,
                  const struct tn_results *results)
{
    uint64_t before;

    flow->tried += top_of(flow)->mode == SILENT;
    tn_typing_judge(&flow->typing, flow->kinds[op], op, results);
    before = findings(flow);
    tn_ranking_judge(&flow->ranking, op, results);
    if (flow->kinds[op])
        tn_sizing_judge(&flow->sizing, flow->kinds[op], op,
                        findings(flow) != before);
}

/* The graphs of the op, from the first on. */
static void begin_graphs(struct tn_flow *flow, struct frame *f)
{
    f->sibling = flow->bodies ? flow->bodies[f->op] : 0;
    f->callee = f->body = f->chosen = f->failed = 0;
    f->results                                  = NULL;
    f->called                                   = NULL;
    f->is_open = f->is_moved = false;
}

/* Marks loop variables of known rank as CHANGED, unless something is known
 * about them already, or all of them; whether there is any. */
static bool change_carried(struct tn_flow *flow, struct frame *f,
                           uint32_t graph, bool all)
{
    const struct tn_graph *row    = tn_model_graph_at(flow->model, graph);
    bool                   is_any = false;
    struct tn_passing      p;

    for (uint32_t i = 0; i < row->inputs.count; i++) {
        uint32_t outer;
        uint8_t  type, rank = 0;
        if (!pass(flow, f, graph, false, i, &p))
            break;
        if (!p.is_carried || p.number == TN_NONE)
            continue;
        look_at_input(flow, f, &p, &outer, &type, &rank);
        if (!rank || (f->carried && !all && f->carried[p.number] != ASSUMED))
            continue;
        is_any = true;
        if (f->carried)
            f->carried[p.number] = CHANGED;
    }
    return is_any;
}

static bool change_all_carried(struct tn_flow *flow, struct frame *f, bool all)
{
    uint32_t graph  = flow->bodies ? flow->bodies[f->op] : 0;
    bool     is_any = false;

    for (f->body = 0; graph; graph = flow->siblings[graph - 1], f->body++)
        is_any |= change_carried(flow, f, graph - 1, all);
    for (f->body = 0; flow->use->callee && f->body < BODY_LIMIT; f->body++) {
        graph = flow->use->callee(flow->use->context, f->op, f->body);
        if (graph == TN_NONE)
            break;
        is_any |= change_carried(flow, f, graph, all);
    }
    return is_any;
}

/* Loops with variables of known rank are tried first. */
static void begin_op(struct tn_flow *flow, struct frame *f, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(flow->model, op);

    f->op       = op;
    f->carried  = NULL;
    f->rounds   = 0;
    f->untried  = findings(flow);
    f->is_trial = change_all_carried(flow, f, true);
    if (f->is_trial)
        f->carried =
            tn_new(&flow->arena, uint8_t, row->input_count, flow->error);
    if (f->carried && !has_budget(flow)) {
        change_all_carried(flow, f, true);
        f->is_trial = false;
    }
    begin_graphs(flow, f);
}

/* The result of the trial: another round, or the final one. What is wrong in
 * the first round of a loop is wrong, whatever comes after it. */
static void finish_trial(struct tn_flow *flow, struct frame *f)
{
    bool is_wrong = f->rounds == 0 && findings(flow) != f->untried;
    bool is_over  = f->is_open || ++f->rounds == ROUND_LIMIT;
    bool is_left  = !is_wrong && change_all_carried(flow, f, is_over);

    if (is_wrong)
        memset(f->carried, ASSUMED,
               tn_model_op_at(flow->model, f->op)->input_count);
    f->is_trial = !is_wrong && !is_over && (f->is_moved || is_left);
    begin_graphs(flow, f);
}

/* All graphs of the op were walked. */
static void finish_op(struct tn_flow *flow, struct frame *f)
{
    const struct tn_results *results = f->called;

    set_mode(flow, f->mode);
    if (f->chosen && f->failed == f->callee)
        tn_value_complain(&flow->ranking.findings, f->op, "rank-not-allowed",
                          "all of the functions that it may call are wrong for "
                          "the ranks of its inputs");

    if (!results && open_results(flow, f)) {
        results = f->results;
        for (uint32_t i = 0; i < results->count; i++)
            if (f->is_open || results->ranks[i] == RANK_OPEN)
                results->ranks[i] = 0;
    }
    if (tn_failed(flow->error))
        return;
    flow->results[f->op] = results;
    visit(flow, f->op, results);
    f->op = TN_NONE;
}

/* The next graph of the op; false if there is none. */
static bool enter_next(struct tn_flow *flow, struct frame *f)
{
    uint64_t depth = flow->frames.count;
    uint32_t graph;

    if (f->sibling) {
        graph      = f->sibling - 1;
        f->sibling = flow->siblings[graph];
        if (flow->states[graph] != OPEN) {
            enter(flow, f, graph, op_mode(f));
            push_frame(flow, graph, NULL, op_mode(f));
        }
        return true;
    }
    if (!flow->use->callee || f->callee == BODY_LIMIT)
        return false;
    graph = flow->use->callee(flow->use->context, f->op, f->callee);
    if (graph == TN_NONE)
        return false;
    if (!call(flow, f, graph))
        return true;
    f = tn_list_at(&flow->frames, struct frame, depth - 1);
    f->callee++;
    if (flow->frames.count == depth)
        f->body++; /* not walked, or before */
    return true;
}

static bool runs_graphs(const struct tn_flow *flow, uint32_t op)
{
    return (flow->bodies && flow->bodies[op]) ||
           (flow->use->callee &&
            flow->use->callee(flow->use->context, op, 0) != TN_NONE);
}

/* The graph on top is done: its node gets what it gives. */
static void leave(struct tn_flow *flow)
{
    struct frame      done  = *top_of(flow);
    struct tn_results gives = { 0, NULL, NULL };
    bool              is_function =
        tn_model_graph_at(flow->model, done.graph)->kind == TN_GRAPH_FUNCTION;

    bool is_wrong = findings(flow) != done.findings;

    flow->states[done.graph] = done.mode != ERRORS       ? done.state
                               : is_function && is_wrong ? WRONG
                                                         : DONE;
    flow->frames.count--;
    if (flow->frames.count == 0 || done.is_alone)
        return;
    look_at_outputs(flow, done.graph, &gives);
    if (done.call_types) {
        done.call_types->gives    = gives;
        done.call_types->is_wrong = is_wrong;
        if (is_wrong && done.call_types->is_choice && gives.count)
            memset(gives.ranks, 0, gives.count);
        take_results(flow, top_of(flow), done.graph, done.call_types);
    } else {
        merge(flow, top_of(flow), done.graph, &gives);
    }
    top_of(flow)->body++;
}

/* Whether loops of the graph on top keep their ranks; once more, or for good.
 */
static void settle(struct tn_flow *flow, struct frame *f)
{
    const struct tn_graph *row      = tn_model_graph_at(flow->model, f->graph);
    bool                   is_moved = false;

    for (uint32_t i = 0; i < row->op_count; i++) {
        uint8_t *merge = &flow->ranking.merges[row->first_op + i];
        if (*merge != TN_MERGES_ROUNDS ||
            tn_ranking_comes_round(&flow->ranking, row->first_op + i))
            continue;
        *merge   = TN_MERGES_ANY;
        is_moved = true;
    }
    if (++f->passes == ROUND_LIMIT && is_moved)
        assume_rounds(flow, f->graph, TN_MERGES_ANY);
    f->next = 0;
    if (is_moved && f->passes < ROUND_LIMIT)
        return;
    f->is_settling = false;
    f->mode        = f->settled;
    f->findings    = findings(flow);
}

static void walk(struct tn_flow *flow, uint32_t root)
{
    push_alone(flow, root);
    while (flow->frames.count && !flow->report->is_stopped &&
           !tn_failed(flow->error)) {
        struct frame          *f     = top_of(flow);
        const struct tn_graph *graph = tn_model_graph_at(flow->model, f->graph);
        uint32_t               op;
        if (f->op != TN_NONE) {
            if (enter_next(flow, f))
                continue;
            if (f->is_trial)
                finish_trial(flow, f);
            else
                finish_op(flow, f);
            continue;
        }
        if (f->next == graph->op_count) {
            if (f->is_settling)
                settle(flow, f);
            else
                leave(flow);
            continue;
        }
        op = graph->first_op + (uint32_t)f->next++;
        if (flow->order)
            op = flow->order[op];
        if (runs_graphs(flow, op)) {
            begin_op(flow, f, op);
        } else {
            set_mode(flow, f->mode);
            visit(flow, op, NULL);
        }
    }
    flow->frames.count = 0;
}

/* ---- claims ------------------------------------------------------------- */

static void complain_claim(struct tn_flow *flow, uint64_t index,
                           const struct tn_value_claim *claim,
                           enum tn_finding_level level, const char *rule,
                           const char *what)
{
    char where[200] = "";

    flow->use->claim_path(flow->use->context, index, where, sizeof where);
    tn_report_format(flow->report, level, rule, flow->use->file, claim->offset,
                     where, "'%.*s' %s",
                     TN_FMT(tn_value_short_name(flow->model, claim->value)),
                     what);
}

/* A warning: programs that run models compute sizes themselves. */
static void compare_claimed_sizes(struct tn_flow *flow, uint64_t index,
                                  const struct tn_value_claim *claim)
{
    const struct tn_dims *made = tn_sizing_made(&flow->sizing, claim->value);
    const struct tn_dims *told = claim->dims;
    char                  what[200];

    for (uint32_t i = 0; made && made->rank == told->rank && i < made->rank;
         i++) {
        if (told->sizes[i] == made->sizes[i] ||
            told->sizes[i] == TN_SIZE_UNKNOWN ||
            made->sizes[i] == TN_SIZE_UNKNOWN)
            continue;
        snprintf(what, sizeof what,
                 "is declared with %" PRId64 " as dimension %" PRIu32
                 ", and has %" PRId64,
                 told->sizes[i], i, made->sizes[i]);
        complain_claim(flow, index, claim, TN_LEVEL_WARNING, "declared-size",
                       what);
        return;
    }
}

static void compare_claim(struct tn_flow *flow, uint64_t index,
                          const struct tn_value_claim *claim)
{
    uint8_t type = tn_typing_type(&flow->typing, claim->value);
    uint8_t rank = tn_ranking_rank(&flow->ranking, claim->value);
    char    what[200];

    if (type && claim->type && type != claim->type) {
        snprintf(what, sizeof what, "is declared as %s, and is %s",
                 tn_type_words(claim->type).text, tn_type_words(type).text);
        complain_claim(flow, index, claim, TN_LEVEL_ERROR, "type-mismatch",
                       what);
    }
    if (rank && claim->rank && rank != claim->rank) {
        snprintf(what, sizeof what, "is declared with rank %u, and has rank %u",
                 claim->rank - 1U, rank - 1U);
        complain_claim(flow, index, claim, TN_LEVEL_ERROR, "rank-mismatch",
                       what);
    }
    if (claim->dims)
        compare_claimed_sizes(flow, index, claim);
}

static void compare_claims(struct tn_flow *flow)
{
    struct tn_value_claim claim;

    for (uint64_t i = 0; flow->use->claim && !flow->report->is_stopped &&
                         flow->use->claim(flow->use->context, i, &claim);
         i++)
        if (claim.value != TN_NONE)
            compare_claim(flow, i, &claim);
}

/* ---- from the top ------------------------------------------------------- */

/* Graphs that no other graph runs come first; then functions that nothing has
 * called, whose arguments are unknown. */
static bool is_root(const struct tn_flow *flow, uint32_t graph, int round)
{
    const struct tn_graph *row = tn_model_graph_at(flow->model, graph);

    switch (round) {
    case 0:
        return row->kind != TN_GRAPH_FUNCTION &&
               op_around(flow->model, graph) == TN_NONE;
    case 1: return row->kind == TN_GRAPH_FUNCTION;
    default: return true; /* in nodes that are in each other */
    }
}

static void walk_all(struct tn_flow *flow)
{
    find_order(flow);
    find_merges(flow);
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < flow->model->graphs.count; i++)
            if (!tn_failed(flow->error) && !flow->report->is_stopped &&
                flow->states[i] == NEW && is_root(flow, i, round))
                walk(flow, i);
}

void tn_flow_run(struct tn_flow *flow)
{
    if (flow->kinds && !tn_failed(flow->error))
        walk_all(flow);
    if (tn_failed(flow->error) || (!flow->kinds && !flow->typing.types))
        return;
    set_mode(flow, ERRORS);
    tn_typing_compare(&flow->typing);
    compare_claims(flow);
}
