/* value_ranks.c - checks the ranks of values */
#include "ir/value_ranks.h"

#include <stdio.h>

#include "ir/op_arguments.h"
#include "ir/value_types.h"

static unsigned rank_of(uint8_t rank)
{
    return rank - 1U;
}

void tn_ranking_init(struct tn_ranking *r, const struct tn_model *model,
                     const struct tn_vocab_use *use, struct tn_report *report,
                     struct tn_error *error)
{
    *r = (struct tn_ranking){
        .model    = model,
        .use      = use,
        .findings = { model, report, use->file, false },
        .error    = error,
    };
    tn_arena_init(&r->arena, model->memory);
    if (!use->declare_ranks || tn_failed(error))
        return;
    r->told  = tn_new(&r->arena, uint8_t, model->values.count, error);
    r->given = tn_new(&r->arena, uint8_t, model->values.count, error);
    r->bound = tn_new(&r->arena, uint8_t, model->ops.count, error);
    if (tn_failed(error))
        return;
    use->declare_ranks(use->context, r->told);
    if (model->values.count)
        memcpy(r->given, r->told, (size_t)model->values.count);
}

void tn_ranking_done(struct tn_ranking *r)
{
    tn_arena_done(&r->arena);
}

/* What the node is; NULL: nothing is known about its ranks. */
static const struct tn_vocab_op *kind_of(const struct tn_ranking *r,
                                         uint32_t                 op)
{
    return r->kinds[op] && r->kinds[op]->is_ranked ? r->kinds[op]->op : NULL;
}

/* ---- what is known ------------------------------------------------------ */

static uint8_t result_rank(const struct tn_ranking *r, uint32_t value,
                           const struct tn_results *results)
{
    uint32_t number = r->use->result_number
                          ? r->use->result_number(r->use->context, value)
                          : tn_model_value_at(r->model, value)->output;

    return number < results->count ? results->ranks[number] : 0;
}

/* By the operator that makes it; 0 if unknown. */
static uint8_t made_rank(const struct tn_ranking *r, uint32_t value)
{
    const struct tn_value      *row = tn_model_value_at(r->model, value);
    const struct tn_vocab_op   *kind;
    const struct tn_vocab_rank *rank;
    uint32_t                    index;

    if (row->kind != TN_VALUE_OUTPUT || row->producer == TN_NONE ||
        r->model->dialect->next_slot)
        return 0; /* what has slots is declared */
    if (r->results && r->results[row->producer])
        return result_rank(r, value, r->results[row->producer]);
    if (r->merges && r->merges[row->producer] && row->output == 0)
        return r->bound[row->producer];
    kind = kind_of(r, row->producer);
    if (!kind || kind->has_lists || !kind->output_count)
        return 0;
    index = tn_op_output_number(r->model, kind, row);
    if (index == TN_NONE)
        return 0;
    rank = &kind->outputs[index].rank;
    if (rank->is_variable)
        return r->bound[row->producer];
    return rank->is_said && rank->least == rank->most ? TN_RANK(rank->least)
                                                      : 0;
}

uint8_t tn_ranking_rank(const struct tn_ranking *r, uint32_t value)
{
    if (!r->told)
        return 0;
    value = tn_model_defining_value(r->model, value);
    return r->given[value] ? r->given[value] : made_rank(r, value);
}

/* Ranks of the first inputs of a node, which are asked for twice. */
#define FIRST_INPUTS 8

static bool is_within(const struct tn_vocab_rank *rank, uint8_t given)
{
    return rank_of(given) >= rank->least && rank_of(given) <= rank->most;
}

/* The rank that the variable of an operator stands for; 0: not known.  Unless
 * *is_odd, no input is of a rank that it cannot have. */
static uint8_t bind(const struct tn_ranking *r, const struct tn_vocab_op *kind,
                    uint32_t op, uint8_t ranks[FIRST_INPUTS], bool *is_odd)
{
    struct tn_op_arguments a;
    uint8_t                bound = 0, largest = 0;
    bool                   is_up_to = false, is_open = false, is_mixed = false;

    *is_odd = false;
    tn_op_arguments_init(&a, r->model, kind, op, false);
    while (tn_op_arguments_next(&a)) {
        const struct tn_vocab_rank *rank = &a.arg->rank;
        uint8_t                     given;
        if (!rank->is_said && !rank->is_variable)
            continue;
        given = tn_ranking_rank(r, a.value);
        if (a.index < FIRST_INPUTS)
            ranks[a.index] = given;
        *is_odd |= given && rank->is_said && !is_within(rank, given);
        if (!rank->is_variable)
            continue;
        if (rank->is_up_to) {
            is_up_to = true;
            is_open |= !given;
            largest = given > largest ? given : largest;
        } else if (!bound) {
            bound = given;
        } else {
            is_mixed |= given && given != bound;
        }
    }
    *is_odd |= is_mixed || (is_up_to && bound);
    if (is_up_to)
        return is_open ? 0 : largest;
    return bound;
}

/* ---- ops that give one of their inputs ---------------------------------- */

/* A dialect may have the ops that merge among those that close loops. */
bool tn_ranking_closes_loop(const struct tn_ranking *r, uint32_t value)
{
    const struct tn_model *model = r->model;
    const struct tn_value *row   = tn_model_value_at(model, value);
    const char *const     *loop  = model->dialect->loop_ops;
    struct tn_bytes        type;

    if (!loop || row->kind != TN_VALUE_OUTPUT || row->producer == TN_NONE)
        return false;
    type = tn_model_name(model, tn_model_op_at(model, row->producer)->type);
    while (*loop && !tn_bytes_is(type, *loop))
        loop++;
    return *loop && !(r->use->is_merge &&
                      r->use->is_merge(r->use->context, row->producer));
}

/* The rank that all of them have, of those that close a loop or of the others;
 * 0: not known, or there is none. */
static uint8_t rank_of_inputs(const struct tn_ranking *r, uint32_t op,
                              bool closes_loop)
{
    const struct tn_op *row  = tn_model_op_at(r->model, op);
    uint8_t             rank = 0;

    for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
        uint32_t value =
            tn_model_ref_at(r->model, (uint64_t)row->first_input + i);
        uint8_t given;
        if (value == TN_NONE || tn_ranking_closes_loop(r, value) != closes_loop)
            continue;
        given = tn_ranking_rank(r, value);
        if (!given || (rank && rank != given))
            return 0;
        rank = given;
    }
    return rank;
}

bool tn_ranking_comes_round(const struct tn_ranking *r, uint32_t op)
{
    return !r->bound[op] || rank_of_inputs(r, op, true) == r->bound[op];
}

/* ---- what is wrong ------------------------------------------------------ */

static void complain(struct tn_ranking *r, uint32_t op, const char *rule,
                     uint32_t value, uint8_t rank, const char *rest)
{
    tn_value_complain(&r->findings, op, rule, "'%.*s' has rank %u, %s",
                      TN_FMT(tn_value_short_name(r->model, value)),
                      rank_of(rank), rest);
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

static void judge_input(struct tn_ranking *r, uint32_t op,
                        const struct tn_op_arguments *a, uint8_t given,
                        uint32_t *first)
{
    const struct tn_vocab_rank *rank = &a->arg->rank;
    char                        range[40], rest[200];

    if (!given)
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
                 TN_FMT(tn_value_short_name(r->model, *first)),
                 rank_of(r->bound[op]), TN_FMT(a->kind->name));
        complain(r, op, "rank-mismatch", a->value, given, rest);
    }
}

/* Compares what the file declares with what the operator makes. */
static void judge_output(struct tn_ranking *r, uint32_t op,
                         const struct tn_op_arguments *a)
{
    const struct tn_vocab_rank *rank = &a->arg->rank;
    uint8_t                     told = r->told[a->value], made = 0;
    char                        range[40], rest[120];

    if (told && r->use->made_rank)
        made = r->use->made_rank(r->use->context, op, a->kind, a->index);
    if (!told || (!rank->is_said && !made))
        return;
    if (made && made != told)
        snprintf(rest, sizeof rest, "and %.*s makes it of rank %u",
                 TN_FMT(a->kind->name), rank_of(made));
    else if (!rank->is_said)
        return;
    else if (rank->is_variable && r->bound[op] && told != r->bound[op])
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

static bool has_told_output(const struct tn_ranking *r, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(r->model, op);

    for (uint32_t i = 0; i < row->output_count; i++) {
        uint32_t value =
            tn_model_ref_at(r->model, (uint64_t)row->first_output + i);
        if (value != TN_NONE && r->told[value])
            return true;
    }
    return false;
}

/* Compares what it declares with what the graphs of the node return. */
static void judge_results(struct tn_ranking *r, uint32_t op,
                          const struct tn_results *results)
{
    const struct tn_op *row = tn_model_op_at(r->model, op);
    char                rest[60];

    for (uint32_t i = 0; i < row->output_count && i < results->count; i++) {
        uint32_t value =
            tn_model_ref_at(r->model, (uint64_t)row->first_output + i);
        if (value == TN_NONE || !r->told[value] || !results->ranks[i] ||
            r->told[value] == results->ranks[i])
            continue;
        snprintf(rest, sizeof rest, "and its graph gives it with rank %u",
                 rank_of(results->ranks[i]));
        complain(r, op, "rank-mismatch", value, r->told[value], rest);
    }
}

void tn_ranking_judge(struct tn_ranking *r, uint32_t op,
                      const struct tn_results *results)
{
    const struct tn_vocab_op *kind;
    struct tn_op_arguments    a;
    uint32_t                  first = TN_NONE;
    uint8_t                   ranks[FIRST_INPUTS];
    bool                      is_odd;

    if (!r->kinds)
        return;
    if (r->merges && r->merges[op]) {
        r->bound[op] =
            r->merges[op] == TN_MERGES_ANY ? 0 : rank_of_inputs(r, op, false);
        return;
    }
    if (results)
        judge_results(r, op, results);
    kind = kind_of(r, op);
    if (!kind)
        return;
    r->bound[op] = bind(r, kind, op, ranks, &is_odd);
    tn_op_arguments_init(&a, r->model, kind, op, false);
    while (is_odd && tn_op_arguments_next(&a))
        if (a.arg->rank.is_said)
            judge_input(r, op, &a,
                        a.index < FIRST_INPUTS ? ranks[a.index]
                                               : tn_ranking_rank(r, a.value),
                        &first);
    if (results || !has_told_output(r, op))
        return;
    tn_op_arguments_init(&a, r->model, kind, op, true);
    while (tn_op_arguments_next(&a))
        judge_output(r, op, &a);
}

void tn_ranking_enter(struct tn_ranking *r, uint32_t op, uint32_t outer,
                      uint32_t value, uint8_t rank)
{
    char rest[160];

    if (!r->told)
        return;
    r->given[value] = r->told[value] ? r->told[value] : rank;
    if (!rank || r->given[value] == rank || outer == TN_NONE)
        return;
    snprintf(rest, sizeof rest, "and is given '%.*s' with rank %u",
             TN_FMT(tn_value_short_name(r->model, outer)), rank_of(rank));
    complain(r, op, "rank-mismatch", value, r->given[value], rest);
}

void tn_ranking_begin(struct tn_ranking *r, uint32_t value, uint8_t rank)
{
    if (r->told)
        r->given[value] = r->told[value] ? r->told[value] : rank;
}

void tn_ranking_expect_same(struct tn_ranking *r, uint32_t op, uint32_t first,
                            uint8_t first_rank, uint32_t second,
                            uint8_t second_rank)
{
    struct tn_bytes kind =
        tn_model_name(r->model, tn_model_op_at(r->model, op)->type);
    char rest[200];

    if (!first_rank || !second_rank || first_rank == second_rank)
        return;
    if (kind.size > 60)
        kind.size = 60;
    snprintf(rest, sizeof rest,
             "and '%.*s' has rank %u; %.*s gives them in one rank",
             TN_FMT(tn_value_short_name(r->model, second)),
             rank_of(second_rank), TN_FMT(kind));
    complain(r, op, "rank-mismatch", first, first_rank, rest);
}
