/*
 * tf_check_calls.c - what goes into functions and comes out of them, and what
 * signatures say of both
 *
 * A node calls a function by being called like it, or by an attribute, which
 * tf_callers.c lists.  Types of arguments and results are what the function's
 * signature says.
 */
#include "format/tensorflow/tf_check.h"

#include <stdio.h>

#include "ir/output_name.h"

/* Names of outputs are looked for in functions of at most so many. */
#define NAMED_LIMIT 64

void tn_tf_calls_init(struct tn_tf_calls *calls, struct tn_tf_checking *c,
                      const uint32_t *mains)
{
    uint32_t                   count;
    const struct tn_tf_caller *all = tn_tf_callers(&count);

    *calls = (struct tn_tf_calls){ .c = c, .mains = mains, .op = TN_NONE };
    tn_pairs_init(&calls->lists, c->model->memory);
    tn_pairs_init(&calls->callers, c->model->memory);
    tn_list_init(&calls->claims, c->model->memory, sizeof(struct tn_tf_claim));
    tn_tf_plan_init(&calls->plan, c->model->memory);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = tn_intern_find(&c->model->names, tn_text(all[i].type));
        if (name != TN_NO_NAME &&
            (i == 0 || strcmp(all[i].type, all[i - 1].type)))
            tn_pairs_add(&calls->callers, name, 0, i, c->error);
    }
}

void tn_tf_calls_done(struct tn_tf_calls *calls)
{
    tn_tf_plan_done(&calls->plan);
    tn_list_done(&calls->claims);
    tn_pairs_done(&calls->callers);
    tn_pairs_done(&calls->lists);
}

/* The operator's first row; NULL: it runs no functions. */
static const struct tn_tf_caller *find_caller(const struct tn_tf_calls *calls,
                                              uint32_t                  type)
{
    uint32_t count, row = type == TN_NO_NAME
                              ? UINT32_MAX
                              : tn_pairs_find(&calls->callers, type, 0);

    return row == UINT32_MAX ? NULL : &tn_tf_callers(&count)[row];
}

/* ---- who is called ------------------------------------------------------ */

/* The function that an attribute names: one, or one of a list. */
static uint32_t find_named(const struct tn_tf_calls *calls, uint32_t op,
                           const char *name, uint32_t number)
{
    const struct tn_model      *model   = calls->c->model;
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    uint32_t                    found = TN_NONE;

    if (tn_attr_find(&attr, model, op, name, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_FUNCTION && number < value->count) {
            uint32_t id =
                tn_intern_find(&model->names, value->of.strings[number]);
            uint32_t graph = tn_model_op_at(model, op)->graph;
            if (id != TN_NO_NAME)
                found = tn_pairs_find(&calls->c->functions, calls->mains[graph],
                                      id);
        }
    }
    tn_attr_close(attr);
    return found;
}

uint32_t tn_tf_check_callee(const struct tn_tf_calls *calls, uint32_t op,
                            uint32_t number)
{
    const struct tn_op        *row = tn_model_op_at(calls->c->model, op);
    const struct tn_tf_caller *caller;
    uint32_t                   place;

    if (!calls->c->functions.count)
        return TN_NONE;
    caller = find_caller(calls, row->type);
    if (!caller)
        return number ? TN_NONE
                      : tn_pairs_find(&calls->c->functions,
                                      calls->mains[row->graph], row->type);
    caller = tn_tf_caller_at(caller, number, &place);
    return caller ? find_named(calls, op, caller->attr, place) : TN_NONE;
}

/* ---- arguments and results ---------------------------------------------- */

/* Arguments that stand for several values. */
static void find_list_arguments(struct tn_tf_calls *calls, uint32_t graph)
{
    const struct tn_model *model = calls->c->model;
    struct tn_io_list      ends  = tn_model_graph_at(model, graph)->inputs;

    for (uint32_t i = 0; i < ends.count; i++) {
        uint32_t name = tn_intern_find(&model->names, ends.items[i].name);
        uint32_t value =
            name == TN_NO_NAME || strcmp(ends.items[i].note, "list")
                ? TN_NONE
                : tn_model_find_value(model, graph, name);
        if (value != TN_NONE)
            tn_pairs_add(&calls->lists, value, 0, 0, calls->c->error);
    }
}

/* Whether the op has an input that stands for several: such an argument, or
 * "node:out" in the body of a function. */
static bool has_list_input(const struct tn_tf_calls *calls, uint32_t op)
{
    const struct tn_model *model = calls->c->model;
    const struct tn_op    *row   = tn_model_op_at(model, op);

    if (tn_model_graph_at(model, row->graph)->kind != TN_GRAPH_FUNCTION)
        return false;
    for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
        uint32_t value = tn_op_input(model, op, i);
        if (value == TN_NONE ||
            tn_pairs_find(&calls->lists, value, 0) != UINT32_MAX ||
            tn_output_name_is_list(tn_model_value_name(model, value)))
            return true;
    }
    return false;
}

/* Looks at the call once for all its arguments; false: nothing is known. */
static bool look_at(struct tn_tf_calls *calls, const struct tn_crossing *c,
                    const struct tn_tf_caller *caller)
{
    const struct tn_graph *callee =
        tn_model_graph_at(calls->c->model, c->graph);
    uint32_t place;

    if (calls->op == c->op && calls->graph == c->graph &&
        calls->body == c->body)
        return calls->is_in_step;
    calls->op    = c->op;
    calls->graph = c->graph;
    calls->body  = c->body;
    if (caller)
        caller = tn_tf_caller_at(caller, c->body, &place);
    calls->is_in_step =
        !calls->c->lists[c->graph] && !has_list_input(calls, c->op);
    if (!calls->is_in_step || !caller)
        return calls->is_in_step;
    if (c->kind)
        tn_tf_plan_make(&calls->plan, calls->c->model, c->op, c->kind, caller,
                        callee->inputs.count, callee->outputs.count,
                        calls->c->error);
    calls->is_in_step = c->kind && !tn_failed(calls->c->error);
    return calls->is_in_step;
}

bool tn_tf_check_pass(struct tn_tf_calls *calls, const struct tn_crossing *c,
                      struct tn_passing *to)
{
    const struct tn_op        *row    = tn_model_op_at(calls->c->model, c->op);
    const struct tn_tf_caller *caller = find_caller(calls, row->type);
    const struct tn_list      *plan =
        c->is_output ? &calls->plan.gives : &calls->plan.takes;

    if (!look_at(calls, c, caller))
        return false;
    if (!caller) {
        to->number   = c->index;
        to->has_rank = true;
        return true;
    }
    if (c->index >= plan->count)
        return false;
    *to = *tn_list_at(plan, struct tn_passing, c->index);
    return true;
}

/* In the body of a function "node:out:2" is called by the argument's name. */
uint32_t tn_tf_check_result_number(const struct tn_tf_calls *calls,
                                   uint32_t                  value)
{
    const struct tn_model *model = calls->c->model;
    const struct tn_value *row   = tn_model_value_at(model, value);
    struct tn_bytes        argument =
        tn_output_name_parse(tn_model_name(model, row->name)).argument;
    const struct tn_graph *callee;
    uint32_t               graph;

    if (tn_model_graph_at(model, row->graph)->kind != TN_GRAPH_FUNCTION ||
        row->producer == TN_NONE || !argument.data ||
        find_caller(calls, tn_model_op_at(model, row->producer)->type))
        return row->output;
    graph = tn_tf_check_callee(calls, row->producer, 0);
    if (graph == TN_NONE)
        return row->output;
    callee = tn_model_graph_at(model, graph);
    for (uint32_t i = 0;
         callee->outputs.count <= NAMED_LIMIT && i < callee->outputs.count; i++)
        if (tn_bytes_equal(callee->outputs.items[i].key, argument))
            return i;
    return TN_NONE;
}

/* ---- what signatures say ------------------------------------------------ */

static void add_claim(struct tn_tf_calls *calls, uint32_t value,
                      const struct tn_io *end, struct tn_tf_claim claim)
{
    struct tn_tf_claim *row;

    if (value == TN_NONE || end->note[0])
        return;
    row = tn_list_push(&calls->claims, struct tn_tf_claim, calls->c->error);
    if (!row)
        return;
    *row            = claim;
    row->said.value = value;
    row->end        = end;
    if (end->dtype != TN_UNDEFINED)
        row->said.type = TN_TYPE(end->dtype, TN_WRAP_NONE);
    if (end->has_rank)
        row->said.rank = TN_RANK(end->rank);
}

static void claim_results(struct tn_tf_calls *calls, uint32_t graph)
{
    const struct tn_model *model = calls->c->model;
    const struct tn_graph *row   = tn_model_graph_at(model, graph);

    for (uint32_t i = 0; i < row->outputs.count; i++)
        add_claim(
            calls,
            tn_model_find_value(
                model, graph,
                tn_intern_find(&model->names, row->outputs.items[i].name)),
            &row->outputs.items[i],
            (struct tn_tf_claim){ .said  = { .offset = row->wire.offset },
                                  .graph = graph,
                                  .index = i });
}

static void claim_ends(struct tn_tf_calls *calls, const struct tn_tf_meta *meta,
                       const struct tn_signature *signature,
                       struct tn_io_list ends, bool is_output)
{
    const struct tn_model *model = calls->c->model;

    for (uint32_t i = 0; i < ends.count; i++) {
        struct tn_tf_ref ref  = tn_tf_ref_parse(ends.items[i].name, false);
        uint32_t         name = tn_intern_find(&model->names, ref.value);
        add_claim(calls,
                  name == TN_NO_NAME
                      ? TN_NONE
                      : tn_model_find_value(model, meta->graph, name),
                  &ends.items[i],
                  (struct tn_tf_claim){ .said = { .offset = meta->wire.offset },
                                        .signature = signature,
                                        .is_output = is_output });
    }
}

void tn_tf_calls_survey(struct tn_tf_calls *calls)
{
    const struct tn_model     *model = calls->c->model;
    const struct tn_tf_detail *d     = tn_tf_detail_of(model);

    for (uint32_t i = 0; i < model->graphs.count; i++)
        if (tn_model_graph_at(model, i)->kind == TN_GRAPH_FUNCTION) {
            find_list_arguments(calls, i);
            claim_results(calls, i);
        }
    for (uint32_t i = 0; i < d->meta_count; i++)
        for (uint32_t k = 0; k < d->metas[i].signature_count; k++) {
            const struct tn_signature *signature =
                tn_model_signature(model, d->metas[i].first_signature + k);
            claim_ends(calls, &d->metas[i], signature, signature->inputs,
                       false);
            claim_ends(calls, &d->metas[i], signature, signature->outputs,
                       true);
        }
}

void tn_tf_claim_path(const struct tn_tf_calls *calls, uint64_t index, char *to,
                      size_t size)
{
    const struct tn_tf_claim *claim =
        tn_list_at(&calls->claims, struct tn_tf_claim, index);

    if (claim->signature)
        snprintf(to, size, "signature_def[%.*s].%s[%.*s]",
                 TN_FMT(claim->signature->name),
                 claim->is_output ? "outputs" : "inputs",
                 TN_FMT(claim->end->key));
    else
        snprintf(to, size, "%s.signature.output_arg[%" PRIu32 "]",
                 tn_model_graph_at(calls->c->model, claim->graph)->path,
                 claim->index);
}
