/* value_ranks.c - ranks of values: what is given against what is taken */
#include "ir/value_ranks.h"

#include <stdio.h>

#include "ir/op_arguments.h"

/* Where nodes stand in any order: so often what is known is carried along.
 * Files are in order but for a few, and what is missed is not judged. */
#define SWEEPS 4

/* Names in findings are cut to so many bytes. */
#define NAME_SIZE 60

static unsigned rank_of(uint8_t rank)
{
    return rank - 1U;
}

void tn_ranking_init(struct tn_ranking *r, const struct tn_model *model,
                     const struct tn_vocab_use *use, struct tn_report *report,
                     struct tn_error *error)
{
    *r = (struct tn_ranking){
        .model = model, .use = use, .report = report, .error = error
    };
    tn_arena_init(&r->arena, model->memory);
    if (!use->declare_ranks || tn_failed(error))
        return;
    r->told  = tn_new(&r->arena, uint8_t, model->values.count, error);
    r->bound = tn_new(&r->arena, uint8_t, model->ops.count, error);
    r->kinds = tn_new(&r->arena, const struct tn_vocab_op *, model->ops.count,
                      error);
    if (!tn_failed(error))
        use->declare_ranks(use->context, r->told);
}

void tn_ranking_done(struct tn_ranking *r)
{
    tn_arena_done(&r->arena);
}

void tn_ranking_note(struct tn_ranking *r, const struct tn_vocab_op *kind,
                     uint32_t op)
{
    if (r->kinds && kind->has_ranks)
        r->kinds[op] = kind;
}

/* ---- what is known ------------------------------------------------------ */

/* By the operator that makes it; 0: it does not tell. */
static uint8_t made_rank(const struct tn_ranking *r, const struct tn_value *row)
{
    const struct tn_vocab_op   *kind;
    const struct tn_vocab_rank *rank;
    uint32_t                    index = row->output;

    if (row->kind != TN_VALUE_OUTPUT || row->producer == TN_NONE ||
        r->model->dialect->next_slot)
        return 0; /* what has slots is declared */
    kind = r->kinds[row->producer];
    if (!kind || kind->has_lists || !kind->output_count)
        return 0;
    if (index >= kind->output_count)
        index = kind->output_count - 1;
    rank = &kind->outputs[index].rank;
    if (rank->is_variable)
        return r->bound[row->producer];
    return rank->is_said && rank->least == rank->most ? TN_RANK(rank->least)
                                                      : 0;
}

static uint8_t given_rank(const struct tn_ranking *r, uint32_t value)
{
    const struct tn_value *row;

    value = tn_model_defining_value(r->model, value);
    if (r->told[value])
        return r->told[value];
    row = tn_model_value_at(r->model, value);
    if (tn_model_graph_at(r->model, row->graph)->kind == TN_GRAPH_FUNCTION &&
        !r->model->dialect->names_outputs)
        return 0; /* outputs go by names there */
    return made_rank(r, row);
}

/* The rank that the variable of an operator stands for; 0: not known. */
static uint8_t bind(const struct tn_ranking *r, uint32_t op)
{
    struct tn_op_arguments a;
    uint8_t                bound = 0, largest = 0;
    bool                   is_up_to = false, is_open = false;

    tn_op_arguments_init(&a, r->model, r->kinds[op], op, false);
    while (tn_op_arguments_next(&a)) {
        uint8_t given;
        if (!a.arg->rank.is_variable)
            continue;
        given = given_rank(r, a.value);
        if (a.arg->rank.is_up_to) {
            is_up_to = true;
            is_open |= !given;
            largest = given > largest ? given : largest;
        } else if (!bound) {
            bound = given;
        }
    }
    if (is_up_to)
        return is_open ? 0 : largest;
    return bound;
}

static bool sweep(struct tn_ranking *r)
{
    bool has_changed = false;

    for (uint32_t op = 0; op < r->model->ops.count; op++) {
        uint8_t bound;
        if (!r->kinds[op] || r->bound[op])
            continue;
        bound = bind(r, op);
        has_changed |= bound != 0;
        r->bound[op] = bound;
    }
    return has_changed;
}

/* ---- what is wrong ------------------------------------------------------ */

static struct tn_bytes short_name(const struct tn_ranking *r, uint32_t value)
{
    struct tn_bytes name = tn_model_value_name(r->model, value);

    if (name.size > NAME_SIZE)
        name.size = NAME_SIZE;
    return name;
}

static void complain(struct tn_ranking *r, uint32_t op, const char *rule,
                     uint32_t value, uint8_t rank, const char *rest)
{
    const struct tn_op *row = tn_model_op_at(r->model, op);
    char                where[200];

    tn_op_path(r->model, op, where, sizeof where);
    tn_report_format(r->report, TN_LEVEL_ERROR, rule, r->use->file,
                     row->wire_length ? row->wire_offset : TN_NOWHERE, where,
                     "'%.*s' has rank %u, %s",
                     TN_FMT(short_name(r, value)), rank_of(rank), rest);
}

/* "at least 3", "3 to 5" */
static void say_range(const struct tn_vocab_rank *rank, char *to, size_t size)
{
    if (rank->most == TN_VOCAB_RANK_LIMIT)
        snprintf(to, size, "at least %u", rank->least);
    else if (rank->least == rank->most)
        snprintf(to, size, "%u", rank->least);
    else
        snprintf(to, size, "%u to %u", rank->least, rank->most);
}

static bool is_within(const struct tn_vocab_rank *rank, uint8_t given)
{
    return rank_of(given) >= rank->least && rank_of(given) <= rank->most;
}

static void judge_input(struct tn_ranking *r, uint32_t op,
                        const struct tn_op_arguments *a, uint32_t *first)
{
    const struct tn_vocab_rank *rank  = &a->arg->rank;
    uint8_t                     given = given_rank(r, a->value);
    char                        range[40], rest[200];

    if (!rank->is_said || !given)
        return;
    if (!is_within(rank, given)) {
        say_range(rank, range, sizeof range);
        snprintf(rest, sizeof rest, "%.*s takes '%.*s' of rank %s",
                 TN_FMT(a->kind->name), TN_FMT(a->arg->name), range);
        complain(r, op, "rank-not-allowed", a->value, given, rest);
    } else if (!rank->is_variable || rank->is_up_to) {
        return;
    } else if (*first == TN_NONE) {
        *first = a->value;
    } else if (given != r->bound[op]) {
        snprintf(rest, sizeof rest,
                 "and '%.*s' has rank %u; %.*s takes them in one rank",
                 TN_FMT(short_name(r, *first)), rank_of(r->bound[op]),
                 TN_FMT(a->kind->name));
        complain(r, op, "rank-mismatch", a->value, given, rest);
    }
}

/* What the file declares, against what the operator makes. */
static void judge_output(struct tn_ranking *r, uint32_t op,
                         const struct tn_op_arguments *a)
{
    const struct tn_vocab_rank *rank = &a->arg->rank;
    uint8_t                     told = r->told[a->value];
    char                        range[40], rest[120];

    if (!rank->is_said || !told)
        return;
    if (rank->is_variable && r->bound[op] && told != r->bound[op])
        snprintf(rest, sizeof rest, "and %.*s makes it of rank %u",
                 TN_FMT(a->kind->name), rank_of(r->bound[op]));
    else if (!is_within(rank, told)) {
        say_range(rank, range, sizeof range);
        snprintf(rest, sizeof rest, "and %.*s makes it of rank %s",
                 TN_FMT(a->kind->name), range);
    } else {
        return;
    }
    complain(r, op, "rank-mismatch", a->value, told, rest);
}

static void judge(struct tn_ranking *r, uint32_t op)
{
    struct tn_op_arguments a;
    uint32_t               first = TN_NONE;

    tn_op_arguments_init(&a, r->model, r->kinds[op], op, false);
    while (tn_op_arguments_next(&a))
        judge_input(r, op, &a, &first);
    tn_op_arguments_init(&a, r->model, r->kinds[op], op, true);
    while (tn_op_arguments_next(&a))
        judge_output(r, op, &a);
}

void tn_ranking_compare(struct tn_ranking *r)
{
    if (!r->kinds || tn_failed(r->error))
        return;
    for (int i = 0; i < SWEEPS && sweep(r); i++) {
    }
    for (uint32_t op = 0; op < r->model->ops.count && !r->report->is_stopped;
         op++)
        if (r->kinds[op])
            judge(r, op);
}
