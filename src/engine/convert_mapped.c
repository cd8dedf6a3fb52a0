/*
 * convert_mapped.c - what mappers of Deeplearning4j's rule files did to a model
 *
 * A caller that uses such a file wants to know three things: what a mapper left
 * out of a node, which mistakes are known of it, and which nodes it refused, so
 * that the library's own rules converted them.  The first two are losses, the
 * third is a note.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "engine/convert_dialect.h"
#include "engine/interpreter.h"
#include "ir/dialect_facts.h"
#include "map/dl4j/explain.h"
#include "map/lang/lang_pack.h"

struct mapped {
    struct tn_conversion       *c;
    const struct tn_net        *from;
    const struct tn_map_report *report;
    struct tn_rule_set          ours;
};

/* Whether a mapper of the caller's files converted the node. */
static bool is_mapped(const struct mapped *m, uint32_t node)
{
    const struct tn_lang_rule *rule = tn_map_rule(m->report, node);

    return rule && tn_bytes_is(rule->native, TN_MAPPER_FUNCTION);
}

/* The place in the model that a node came from; empty: unknown. */
static void path_of(const struct mapped *m, uint32_t source, char *path,
                    size_t size)
{
    *path = '\0';
    if (source != TN_NONE && m->from->source)
        tn_op_path(m->from->source, source, path, size);
}

/* ---- known mistakes ----------------------------------------------------- */

static void tell_defects(const struct mapped *m, const struct tn_net_node *node)
{
    const struct tn_conversion *c = m->c;
    char                        where[256], what[300];
    const char                 *defect;

    path_of(m, node->source, where, sizeof where);
    for (unsigned k = 0; (defect = tn_map_unseen_defect(
                              tn_text(m->from->dialect), node->op->type, k));
         k++) {
        snprintf(what, sizeof what, "a known mistake of the mapper of %.*s: %s",
                 TN_FMT(node->op->type), defect);
        c->loss(c->loss_context, TN_NOWHERE, where, what);
    }
}

/* Once for each op. */
static void tell_all_defects(const struct mapped *m)
{
    bool *is_told =
        tn_new(m->from->arena, bool, m->from->pool->ops.ops.count, m->c->error);

    for (uint32_t i = 0; is_told && i < m->report->rules.count; i++) {
        const struct tn_net_node node = tn_net_node(m->from, i);
        if (node.is_removed || !is_mapped(m, i) || is_told[node.op->id])
            continue;
        is_told[node.op->id] = true;
        tell_defects(m, &node);
    }
}

/* ---- what mappers ignore ------------------------------------------------ */

/* A rule of ours that ignores an attribute shows that it does not affect the
 * result: where the computation runs, what it is checked for. */
static bool is_read_by(const struct mapped *m, const struct tn_lang_file *file,
                       const struct tn_unmapped *row, bool *is_known)
{
    bool                  leads = tn_bytes_is(file->from, m->from->dialect);
    const struct tn_list *rules = leads ? &file->rules : &file->back;

    for (uint64_t i = 0; i < rules->count; i++) {
        struct tn_lang_rule *rule = tn_list_at(rules, struct tn_lang_rule, i);
        const struct tn_lang_head *head = &rule->head;
        if (!tn_bytes_equal(head->op, row->op->type) ||
            tn_lang_complete_rule(file, rule, m->c->error) != TN_OK)
            continue;
        for (uint32_t k = 0; k < head->attr_count; k++) {
            if (!tn_bytes_equal(head->attrs[k].name, row->name))
                continue;
            *is_known = true;
            if (!head->attrs[k].is_ignored)
                return true;
        }
    }
    return false;
}

/* If no rule of ours mentions it, its effect is unknown. */
static bool matters(const struct mapped *m, const struct tn_unmapped *row)
{
    bool is_known = false;

    for (uint32_t i = 0; i < m->ours.count; i++)
        if (is_read_by(m, m->ours.files[i], row, &is_known))
            return true;
    return !is_known;
}

static void tell_unmapped(const struct mapped *m, const struct tn_unmapped *row)
{
    const struct tn_conversion *c = m->c;
    char                        where[256], what[400];

    path_of(m, row->source, where, sizeof where);
    snprintf(what, sizeof what,
             "%s of %.*s is ignored by the mapper at %s:%" PRIu32, row->what,
             TN_FMT(row->op->type), row->place->file, row->place->line);
    c->loss(c->loss_context, TN_NOWHERE, where, what);
}

static void tell_all_unmapped(struct mapped *m, const char *to)
{
    struct tn_conversion *c   = m->c;
    struct tn_unmapped   *row = NULL;
    enum tn_framework     framework;

    if (tn_framework_named(tn_text(m->from->dialect), &framework))
        row = c->mapper_rules[framework].unmapped;
    if (tn_rule_set_read(&m->ours, m->from->arena, c->cache, m->from->dialect,
                         to, NULL, 0, c->error) == TN_OK)
        for (; row; row = row->next)
            if (matters(m, row))
                tell_unmapped(m, row);
    tn_rule_set_done(&m->ours);
}

/* ---- what mappers refused ----------------------------------------------- */

static bool is_refused(const struct mapped *m, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(m->from, id);

    return !node.is_removed && !node.op->domain.size && !is_mapped(m, id) &&
           tn_mappers_find(&m->c->mapped->mappers, tn_text(m->from->dialect),
                           node.op->type);
}

/* "Conv (2), Pad (1)"; gives the number of nodes. */
static uint64_t list_refused(const struct mapped *m, struct tn_buffer *to)
{
    enum { MOST = 12 };
    const struct tn_list *ops = &m->from->pool->ops.ops;
    uint64_t *count = tn_new(m->from->arena, uint64_t, ops->count, m->c->error);
    uint64_t  nodes = 0, kinds = 0;

    for (uint32_t i = 0; count && i < m->report->rules.count; i++)
        if (is_refused(m, i))
            count[tn_net_node(m->from, i).op->id]++;
    for (uint32_t i = 0; count && i < m->report->rules.count; i++) {
        const struct tn_net_op *op = tn_net_node(m->from, i).op;
        if (!count[op->id] || !is_refused(m, i))
            continue;
        nodes += count[op->id];
        if (kinds++ < MOST)
            tn_buffer_format(to, "%s%.*s (%" PRIu64 ")", kinds > 1 ? ", " : "",
                             TN_FMT(op->type), count[op->id]);
        count[op->id] = 0;
    }
    if (kinds > MOST)
        tn_buffer_format(to, " and %" PRIu64 " more operator%s", kinds - MOST,
                         kinds == MOST + 1 ? "" : "s");
    return nodes;
}

static void note_refused(const struct mapped *m)
{
    struct tn_conversion *c = m->c;
    struct tn_buffer      list, what;

    tn_buffer_init(&list, m->from->arena->memory, c->error);
    tn_buffer_init(&what, m->from->arena->memory, c->error);
    uint64_t nodes = list_refused(m, &list);
    tn_buffer_format(&what,
                     "%" PRIu64 " %s converted by Tenon's own rules, since the "
                     "mapper of the operator refuses: %s",
                     nodes, nodes == 1 ? "node is" : "nodes are",
                     tn_buffer_string(&list));
    if (nodes && !tn_failed(c->error))
        c->note(c->note_context, TN_NOWHERE, "", tn_buffer_string(&what));
    tn_buffer_done(&what);
    tn_buffer_done(&list);
}

void tn_conversion_mapped(struct tn_conversion *c, const struct tn_net *from,
                          const char *to, const struct tn_map_report *report)
{
    struct mapped m = { .c = c, .from = from, .report = report };

    if (!tn_dialect_facts(to)->is_mapped_to || c->plan)
        return;
    if (c->loss)
        tell_all_defects(&m);
    if (c->loss && !tn_failed(c->error))
        tell_all_unmapped(&m, to);
    if (c->note && !tn_failed(c->error))
        note_refused(&m);
}
