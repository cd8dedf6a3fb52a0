/*
 * convert_plan.c - the rule of every op, and ops that have none
 *
 * Ops of one type that one rule converts are one row.  Without a listener those
 * that have no rule and are not allowed are the failure (convert_refusal.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "engine/convert_dialect.h"

struct row {
    uint64_t                   count;
    uint32_t                   first; /* node */
    const struct tn_lang_rule *rule;
};

struct planning {
    struct tn_conversion       *c;
    const struct tn_net        *from;
    const char                 *to;
    const struct tn_map_report *report;
    struct tn_intern            keys; /* rule, domain, type                   */
    struct tn_list              rows; /* struct row, by key                   */
    struct tn_buffer            scratch, why;
    struct tn_conversion_words  words;
};

/* "Swirl", in whatever domain, or "com.acme::Swirl", as plans say it. */
static bool is_called(const struct tn_net *net, const struct tn_net_op *op,
                      const char *name)
{
    const char *colons = strstr(name, "::");

    if (tn_bytes_is(op->type, name))
        return true;
    if (!colons)
        return false;
    struct tn_bytes domain = tn_bytes(name, (size_t)(colons - name));
    return tn_bytes_equal(tn_net_domain(net, domain), op->domain) &&
           tn_bytes_is(op->type, colons + 2);
}

static bool is_allowed(const struct planning *p, const struct row *row)
{
    const struct tn_map_options *how = p->c->how;
    const struct tn_net_op      *op  = tn_net_node(p->from, row->first).op;

    for (uint32_t i = 0; i < how->allow_count; i++)
        if (is_called(p->from, op, how->allow[i]))
            return true;
    return false;
}

/* ---- rows --------------------------------------------------------------- */

static void count_node(struct planning *p, uint32_t id)
{
    const struct tn_net_node   node = tn_net_node(p->from, id);
    const struct tn_lang_rule *rule = tn_map_rule(p->report, id);

    tn_buffer_clear(&p->scratch);
    tn_buffer_add(&p->scratch, tn_bytes(&rule, sizeof rule));
    tn_buffer_add(&p->scratch, node.op->domain);
    tn_buffer_add(&p->scratch, tn_bytes("", 1));
    tn_buffer_add(&p->scratch, node.op->type);
    uint32_t key =
        tn_intern_copy(&p->keys, tn_buffer_bytes(&p->scratch), p->c->error);
    if (key == TN_NO_NAME)
        return;
    if (key == p->rows.count) {
        struct row *row = tn_list_push(&p->rows, struct row, p->c->error);
        if (!row)
            return;
        *row = (struct row){ .first = id, .rule = rule };
    }
    tn_list_at(&p->rows, struct row, key)->count++;
}

static void count_nodes(struct planning *p)
{
    for (uint32_t i = 0; i < p->report->rules.count && !tn_failed(p->c->error);
         i++)
        if (!tn_net_node(p->from, i).is_removed)
            count_node(p, i);
}

/* ---- words -------------------------------------------------------------- */

static void add_place(struct tn_buffer *to, const struct tn_location *place)
{
    tn_buffer_format(to, "%s:%" PRIu32, place->file ? place->file : "rules",
                     place->line);
}

static const char *why_not(struct planning *p, uint32_t node)
{
    uint32_t                    count;
    const struct tn_map_reason *reason =
        tn_map_reasons(p->report, node, &count);

    tn_buffer_clear(&p->why);
    for (uint32_t i = 0; i < count; i++, reason++) {
        tn_buffer_text(&p->why, i ? "\n" : "");
        if (reason->rule) {
            add_place(&p->why, &reason->place);
            tn_buffer_text(&p->why, ": ");
        }
        tn_buffer_text(&p->why, reason->text ? reason->text : "does not apply");
    }
    if (!p->why.size)
        tn_buffer_text(&p->why, "there is no rule for it");
    return tn_buffer_string(&p->why);
}

const struct tn_vocab_op *tn_conversion_definition(
    struct tn_conversion_words *words, const struct tn_net *net,
    const struct tn_net_node *node)
{
    struct tn_error unheard = TN_ERROR_INIT;

    if (!words->is_read)
        words->is_read = tn_vocab_open(&words->vocab, net->arena, net->dialect,
                                       &unheard) == TN_OK;
    if (!words->is_read)
        return NULL;
    return tn_vocab_find(&words->vocab, node->op->domain, node->op->type,
                         net->version ? net->version : INT64_MAX, &unheard);
}

static const char *stub_of(struct planning *p, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(p->from, id);

    tn_buffer_clear(&p->scratch);
    tn_buffer_format(&p->scratch, "rules %s -> %s 1\n\n", p->from->dialect,
                     p->to);
    tn_conversion_stub(&p->scratch, &node,
                       tn_conversion_definition(&p->words, p->from, &node));
    return tn_buffer_string(&p->scratch);
}

void tn_conversion_node_path(const struct tn_net *net, uint32_t node, char *to,
                             size_t size)
{
    uint32_t op = tn_net_node(net, node).source;

    to[0] = '\0';
    if (op != TN_NONE && net->source)
        tn_op_path(net->source, op, to, size);
}

/* ---- telling ------------------------------------------------------------ */

/* "onnx_nd4j.rules:14"; an op that is copied without a rule has no line. */
static void name_rule(const struct tn_lang_rule *rule, char *to, size_t size)
{
    const char *file = rule->place.file ? rule->place.file : "rules";

    if (rule->place.line > 0)
        snprintf(to, size, "%s:%" PRIu32, file, rule->place.line);
    else
        snprintf(to, size, "%s", file);
}

static void tell_row(struct planning *p, const struct row *row)
{
    const struct tn_net_node node = tn_net_node(p->from, row->first);
    char                     where[256], rule[300];
    struct tn_plan_row       told = { .from   = p->from->dialect,
                                      .to     = p->to,
                                      .op     = node.op->type,
                                      .domain = node.op->domain,
                                      .count  = row->count,
                                      .where  = where };

    tn_conversion_node_path(p->from, row->first, where, sizeof where);
    if (row->rule) {
        name_rule(row->rule, rule, sizeof rule);
        told.rule = rule;
    } else {
        told.why        = why_not(p, row->first);
        told.stub       = stub_of(p, row->first);
        told.is_allowed = is_allowed(p, row);
    }
    if (!tn_failed(p->c->error) && p->c->plan->op)
        p->c->plan->op(p->c->plan->context, &told);
}

static void sum_up(struct planning *p, const struct row *row)
{
    struct tn_plan_summary *s = p->c->summary;

    if (!s)
        return;
    if (row->rule)
        s->mapped += row->count;
    else if (is_allowed(p, row))
        s->allowed += row->count;
    else
        s->unmapped += row->count;
}

/* Missing weights leave shapes unknown, so that rules do not apply: it is
 * better to report the missing weights. */
static enum tn_status find_weights(const struct planning *p)
{
    const struct tn_model *model = p->c->from;
    char                   byte;

    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *t =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        struct tn_span span = t->elements.payload.span;
        if (t->is_external && span.source && span.length)
            TN_TRY(tn_source_read(span.source, span.offset, &byte, 1,
                                  p->c->error));
    }
    return TN_OK;
}

static enum tn_status refuse(struct planning *p, uint32_t count)
{
    struct tn_refused_op *ops =
        tn_new(p->from->arena, struct tn_refused_op, count, p->c->error);

    TN_TRY(find_weights(p));
    count = 0;
    for (uint64_t i = 0; ops && i < p->rows.count; i++) {
        const struct row *row = tn_list_at(&p->rows, struct row, i);
        if (!row->rule && !is_allowed(p, row))
            ops[count++] = (struct tn_refused_op){ row->first, row->count };
    }
    return ops ? tn_conversion_refuse(p->c, p->from, p->report, ops, count)
               : p->c->error->status;
}

/* Values of a call have positions in nd4j's vocabulary; an op that is not in it
 * has none. */
static void lose_attrs(struct planning *p, const struct row *row)
{
    const struct tn_net_node node = tn_net_node(p->from, row->first);
    char                     where[256], what[300];

    if (p->c->plan || !p->c->loss ||
        !tn_dialect_facts(p->to)->names_everything || node.attr_count == 0)
        return;
    tn_conversion_node_path(p->from, row->first, where, sizeof where);
    snprintf(what, sizeof what,
             "the attributes of %.*s are left behind: %s does not know the op",
             TN_FMT(node.op->type), p->to);
    for (uint64_t i = 0; i < row->count; i++)
        p->c->loss(p->c->loss_context, TN_NOWHERE, where, what);
}

static enum tn_status judge(struct planning *p)
{
    uint32_t refused = 0;

    for (uint64_t i = 0; i < p->rows.count; i++) {
        const struct row *row = tn_list_at(&p->rows, struct row, i);
        sum_up(p, row);
        if (p->c->plan)
            tell_row(p, row);
        if (!row->rule && is_allowed(p, row))
            lose_attrs(p, row);
        else if (!row->rule)
            refused++;
    }
    if (refused && !p->c->plan)
        return refuse(p, refused);
    return p->c->error->status;
}

enum tn_status tn_conversion_report(struct tn_conversion *c,
                                    const struct tn_net *from, const char *to,
                                    const struct tn_map_report *report)
{
    struct tn_memory *memory = from->arena->memory;
    struct planning   p = { .c = c, .from = from, .to = to, .report = report };

    tn_intern_init(&p.keys, from->arena);
    tn_list_init(&p.rows, memory, sizeof(struct row));
    tn_buffer_init(&p.scratch, memory, c->error);
    tn_buffer_init(&p.why, memory, c->error);
    count_nodes(&p);
    if (!tn_failed(c->error))
        judge(&p);
    tn_buffer_done(&p.why);
    tn_buffer_done(&p.scratch);
    tn_list_done(&p.rows);
    tn_intern_done(&p.keys);
    return c->error->status;
}

static struct tn_bytes name_of(const struct tn_net      *net,
                               const struct tn_net_node *node)
{
    if (node->name.size || !node->output_count || node->outputs[0] == TN_NONE)
        return node->name;
    return tn_net_value(net, node->outputs[0]).name;
}

void tn_conversion_note_node(struct tn_conversion *c, const struct tn_net *net,
                             uint32_t id, const char *how)
{
    const struct tn_net_node node = tn_net_node(net, id);
    struct tn_touched       *row =
        tn_list_push(&c->touched, struct tn_touched, c->error);

    if (row)
        *row = (struct tn_touched){ name_of(net, &node), node.op->type, how };
}

enum tn_status tn_conversion_note(struct tn_conversion       *c,
                                  const struct tn_net        *from,
                                  const struct tn_map_report *report)
{
    for (uint32_t i = 0; i < report->rules.count && !tn_failed(c->error); i++) {
        const struct tn_lang_rule *rule = tn_map_rule(report, i);
        if (rule && !tn_net_node_row(from, i)->is_removed)
            tn_conversion_note_node(
                c, from, i,
                tn_text_format(from->arena, c->error, "%s:%" PRIu32,
                               rule->place.file ? rule->place.file : "rules",
                               rule->place.line));
    }
    return c->error->status;
}

/* ---- random numbers that are left out ------------------------------------ */

static bool is_by_chance(struct tn_bytes op)
{
    static const char *const ops[] = {
        "RandomUniform",          "RandomStandardNormal",
        "StatelessRandomUniform", "StatelessRandomUniformV2",
        "StatelessRandomNormal",  "StatelessRandomNormalV2",
    };

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (tn_bytes_is(op, ops[i]))
            return true;
    return false;
}

void tn_conversion_note_chance(struct tn_conversion       *c,
                               const struct tn_net        *from,
                               const struct tn_map_report *report)
{
    for (uint32_t i = 0; i < report->rules.count; i++) {
        const struct tn_net_node   node = tn_net_node(from, i);
        const struct tn_lang_rule *rule = tn_map_rule(report, i);
        if (rule && !node.is_removed && is_by_chance(node.op->type) &&
            !tn_bytes_equal(rule->head.op, node.op->type))
            tn_conversion_note_node(
                c, from, i,
                "left out: dropout is for training, nothing is random now");
    }
}
