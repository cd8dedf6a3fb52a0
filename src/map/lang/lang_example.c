/*
 * lang_example.c - examples under rules, run
 */
#include "map/lang/lang_example.h"

#include <inttypes.h>

#include "map/lang/lang_apply.h"
#include "map/lang/lang_attr.h"
#include "map/lang/lang_check.h"
#include "map/lang/lang_example_run.h"
#include "map/lang/rule_sets.h"
#include "map/net/net_build.h"

/* ---- the node ----------------------------------------------------------- */

/* What the vocabulary wants an attribute to be. */
static struct tn_attr_wish wish_of(const struct tn_example  *r,
                                   const struct tn_vocab_op *op,
                                   struct tn_bytes           name)
{
    struct tn_attr_wish wish = { .has_doubles = r->from.facts->has_doubles };
    const struct tn_vocab_attr *attr = op ? tn_vocab_find_attr(op, name) : NULL;

    if (attr) {
        wish.kind    = tn_attr_kind_of(attr->type);
        wish.is_list = attr->is_list;
    }
    return wish;
}

static bool make_attrs(struct tn_example *r, const struct tn_vocab_op *op,
                       struct tn_net_attr *attrs)
{
    for (uint64_t i = 0; i < r->attrs.count; i++) {
        const struct tn_lang_attr *attr =
            tn_list_at(&r->attrs, struct tn_lang_attr, i);
        struct tn_attr_wish wish = wish_of(r, op, attr->name);
        const char         *wrong =
            tn_attr_from_item(tn_example_item(r, attr->value), &wish, r->arena,
                              &attrs[i].value, r->error);

        attrs[i].name = attr->name;
        if (wrong)
            return tn_map_fail(r->error, &attr->place, TN_MALFORMED,
                               "'%.*s' %s", TN_FMT(attr->name), wrong) == TN_OK;
    }
    return !tn_failed(r->error);
}

/* The numbers of a constant, flat. */
static bool flatten(struct tn_example *r, const struct tn_lang_expr *expr,
                    struct tn_list *ints, struct tn_list *doubles)
{
    if (expr->kind == TN_LANG_LIST) {
        for (uint32_t i = 0; i < expr->item_count; i++)
            if (!flatten(r, expr->items[i], ints, doubles))
                return false;
        return true;
    }
    int64_t *number = tn_list_push(ints, int64_t, r->error);
    double  *real   = tn_list_push(doubles, double, r->error);
    if (!number || !real)
        return false;
    if (expr->kind != TN_LANG_INT && expr->kind != TN_LANG_FLOAT &&
        expr->kind != TN_LANG_BOOL)
        return tn_map_fail(r->error, &expr->place, TN_MALFORMED,
                           "expected numbers") == TN_OK;
    *number = expr->number;
    *real   = expr->kind == TN_LANG_FLOAT ? expr->real : (double)expr->number;
    return true;
}

static uint32_t add_constant(struct tn_example             *r,
                             const struct tn_example_input *input)
{
    struct tn_list ints, doubles;
    uint64_t       dims[TN_EXAMPLE_RANK_MAX], count = 1;
    uint32_t       value = TN_NONE;

    tn_list_init(&ints, r->arena->memory, sizeof(int64_t));
    tn_list_init(&doubles, r->arena->memory, sizeof(double));
    for (uint32_t i = 0; i < input->rank; i++) {
        dims[i] = input->dims[i] < 0 ? 0 : (uint64_t)input->dims[i];
        count   = dims[i] > 0x10000 ? 0x10000 : count * dims[i] % 0x10000;
    }
    if (flatten(r, input->value, &ints, &doubles)) {
        if (count != ints.count)
            tn_map_fail(r->error, &input->value->place, TN_MALFORMED,
                        "%" PRIu64 " numbers, and dims for another count",
                        ints.count);
        else if (tn_item_is_real(input->dtype))
            value = tn_net_add_doubles(&r->from, 0, input->name, input->dtype,
                                       doubles.items, input->rank, dims);
        else
            value = tn_net_add_ints(&r->from, 0, input->name, input->dtype,
                                    ints.items, input->rank, dims);
    }
    tn_list_done(&ints);
    tn_list_done(&doubles);
    return value;
}

static uint32_t add_input(struct tn_example             *r,
                          const struct tn_example_input *input)
{
    if (!input->name.size)
        return TN_NONE;
    if (input->value)
        return add_constant(r, input);
    uint32_t value = tn_net_add_value(&r->from, 0, input->name);
    if (tn_failed(r->error))
        return TN_NONE;
    tn_net_set_type(&r->from, value,
                    &(struct tn_net_type){ .dtype    = input->dtype,
                                           .has_rank = input->has_rank,
                                           .rank     = input->rank,
                                           .dims     = input->dims });
    tn_net_add_input(&r->from, 0, value, input->name);
    return value;
}

/* The same name is the same value. */
static uint32_t input_value(struct tn_example *r, uint32_t index,
                            const uint32_t *values)
{
    for (uint32_t i = 0; i < index; i++)
        if (r->inputs[index].name.size &&
            tn_bytes_equal(r->inputs[i].name, r->inputs[index].name))
            return values[i];
    return add_input(r, &r->inputs[index]);
}

static bool make_node(struct tn_example *r, const struct tn_vocab_op *op)
{
    uint32_t            inputs[TN_EXAMPLE_IO_MAX], outputs[TN_EXAMPLE_IO_MAX];
    struct tn_net_attr *attrs =
        tn_new(r->arena, struct tn_net_attr, r->attrs.count, r->error);

    if (!attrs || !make_attrs(r, op, attrs))
        return false;
    tn_net_add_graph(&r->from, TN_GRAPH_MAIN, tn_text("example"), TN_NONE);
    for (uint32_t i = 0; i < r->input_count; i++)
        inputs[i] = input_value(r, i, inputs);
    for (uint32_t i = 0; i < r->output_count; i++)
        outputs[i] = tn_net_add_value(&r->from, 0, r->outputs[i]);
    if (tn_failed(r->error))
        return false;
    tn_net_add_node(&r->from, &(struct tn_net_node){
                                  .op = tn_net_op(&r->from, r->op, r->domain),
                                  .inputs       = inputs,
                                  .input_count  = r->input_count,
                                  .outputs      = outputs,
                                  .output_count = r->output_count,
                                  .attrs        = attrs,
                                  .attr_count   = (uint32_t)r->attrs.count,
                                  .source       = TN_NONE,
                              });
    for (uint32_t i = 0; i < r->output_count; i++)
        tn_net_add_output(&r->from, 0, outputs[i], r->outputs[i]);
    return !tn_failed(r->error);
}

/* ---- running ------------------------------------------------------------ */

/* Why the rule did not take it. */
static const char *refusal(struct tn_example          *r,
                           const struct tn_map_report *report)
{
    const struct tn_lang_rule *taken =
        report->rules.count ? tn_map_rule(report, 0) : NULL;
    uint32_t                    count;
    const struct tn_map_reason *reason = tn_map_reasons(report, 0, &count);

    if (taken == r->rule)
        return NULL;
    if (taken)
        return tn_text_format(r->arena, r->error,
                              "the rule of line %u takes it before",
                              (unsigned)taken->place.line);
    for (uint32_t i = 0; i < count; i++, reason++) {
        if (reason->rule == r->rule)
            return tn_text_format(r->arena, r->error,
                                  "the rule does not take it: line %u, column "
                                  "%u: %s",
                                  (unsigned)reason->place.line,
                                  (unsigned)reason->place.column, reason->text);
    }
    return "the rule does not take it";
}

static const char *apply(struct tn_example *r, struct tn_infer *facts,
                         struct tn_infer *made)
{
    const struct tn_lang_file *file = r->file;
    struct tn_map_report       report;
    const char                *why = NULL;

    tn_map_report_init(&report, r->arena);
    if (tn_infer_run(facts) == TN_OK &&
        tn_lang_apply(&file, 1, facts, &r->from, made, &r->to, &report) ==
            TN_OK)
        why = refusal(r, &report);
    tn_map_report_done(&report);
    return why || tn_failed(r->error) ? why : tn_example_compare(r, made);
}

static const char *run_nets(struct tn_example *r)
{
    struct tn_infer *facts = NULL, *made = NULL;
    const char      *why     = NULL;
    bool             is_back = r->example->is_back;

    if (tn_infer_open(&facts, &r->from, &r->both->shapes[is_back]) == TN_OK &&
        tn_infer_open(&made, &r->to, &r->both->shapes[!is_back]) == TN_OK)
        why = apply(r, facts, made);
    tn_infer_close(made);
    tn_infer_close(facts);
    return why;
}

/* The version that the example is of: as it says, or the newest that the rule
 * is for, if that is known. */
static int64_t version_of(const struct tn_example   *r,
                          const struct tn_lang_side *side)
{
    if (r->version >= 0)
        return r->version;
    if (r->rule->head.until != INT64_MAX)
        return r->rule->head.until;
    if (side->version == INT64_MAX)
        return 0;
    return r->rule->head.since > side->version ? r->rule->head.since
                                               : side->version;
}

static const char *run_example(struct tn_example *r, const char *from,
                               const char *to)
{
    struct tn_vocab     vocabs[2];
    struct tn_lang_side sides[2];
    const char         *why     = NULL;
    struct tn_error     ignored = TN_ERROR_INIT;

    if (tn_lang_side_open(&sides[0], &vocabs[0], r->arena, tn_text(from),
                          r->error) != TN_OK ||
        tn_lang_side_open(&sides[1], &vocabs[1], r->arena, tn_text(to),
                          r->error) != TN_OK)
        return NULL;
    r->from.version = version_of(r, &sides[0]);
    r->to.version   = sides[1].version == INT64_MAX ? 0 : sides[1].version;
    const struct tn_vocab_op *op =
        sides[0].vocab ? tn_vocab_find(sides[0].vocab, r->domain, r->op,
                                       r->from.version, &ignored)
                       : NULL;
    if (make_node(r, op))
        why = run_nets(r);
    return why;
}

/* A dialect's name with a zero behind it. */
static const char *name_of(struct tn_example *r, struct tn_bytes dialect)
{
    return (const char *)tn_bytes_dup(r->arena, dialect, r->error).data;
}

enum tn_status tn_example_shapes_open(struct tn_example_shapes  *both,
                                      const struct tn_lang_file *file,
                                      struct tn_arena           *arena,
                                      struct tn_error           *error)
{
    struct tn_bytes names[] = { file->from, file->to };

    *both = (struct tn_example_shapes){ 0 };
    for (int i = 0; i < 2; i++) {
        struct tn_bytes name = tn_bytes_dup(arena, names[i], error);
        if (!name.data)
            return error->status;
        TN_TRY(tn_shapes_read(&both->shapes[i], arena, (const char *)name.data,
                              error));
    }
    return TN_OK;
}

void tn_example_shapes_done(struct tn_example_shapes *both)
{
    tn_lang_done(&both->shapes[0]);
    tn_lang_done(&both->shapes[1]);
}

enum tn_status tn_lang_example_run(const struct tn_lang_file      *file,
                                   const struct tn_example_shapes *both,
                                   const struct tn_lang_example   *example,
                                   struct tn_arena *arena, const char **why,
                                   struct tn_error *error)
{
    const struct tn_list *rules = example->is_back ? &file->back : &file->rules;
    struct tn_example    *r     = tn_new(arena, struct tn_example, 1, error);

    *why = NULL;
    if (!r)
        return error->status;
    r->file    = file;
    r->both    = both;
    r->example = example;
    r->rule    = tn_list_at(rules, struct tn_lang_rule, example->rule);
    r->arena   = arena;
    r->error   = error;
    r->words   = (struct tn_lang_file){ .name = file->name, .arena = arena };
    tn_list_init(&r->attrs, arena->memory, sizeof(struct tn_lang_attr));
    const char *from = name_of(r, example->is_back ? file->to : file->from);
    const char *to   = name_of(r, example->is_back ? file->from : file->to);
    if (from && to) {
        tn_net_init(&r->from, arena, from, error);
        tn_net_init(&r->to, arena, to, error);
        if (tn_example_read(r))
            *why = run_example(r, from, to);
        tn_lang_parser_close(&r->p);
        tn_net_done(&r->to);
        tn_net_done(&r->from);
    }
    tn_list_done(&r->attrs);
    return error->status;
}
