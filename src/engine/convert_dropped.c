/*
 * convert_dropped.c - attributes that a caller's rule does not speak of
 *
 * Of an op that a vocabulary knows, `tenon rules check` finds what a rule
 * forgets.  Of an op that nobody knows, only a node tells which attributes
 * there are: those that neither the rule nor its file names are told as losses.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/convert_dialect.h"

struct dropping {
    struct tn_carrying   *c;
    const struct tn_net  *from;
    struct tn_carry_words words;
};

/* The caller's file that the rule stands in; NULL: it is one of ours. */
static const struct tn_lang_file *own_file(const struct dropping     *d,
                                           const struct tn_lang_rule *rule)
{
    const struct tn_map_options *how  = d->c->how;
    const char                  *name = rule->place.file;

    for (uint32_t i = 0; name && i < how->rule_count; i++)
        for (uint32_t k = 0; k < d->c->file_count; k++)
            if (!strcmp(how->rules[i], name) &&
                !strcmp(d->c->files[k]->name, name))
                return d->c->files[k];
    return NULL;
}

/* Without a vocabulary nobody can say. */
static bool is_known(struct dropping *d, const struct tn_net_node *node)
{
    return tn_carry_definition(&d->words, d->from, node) || !d->words.is_read;
}

static bool is_named(const struct tn_lang_file *file,
                     const struct tn_lang_rule *rule, struct tn_bytes name)
{
    if (name.size > 0 && name.data[0] == '_')
        return true;
    for (uint32_t i = 0; i < rule->head.attr_count; i++)
        if (tn_bytes_equal(rule->head.attrs[i].name, name))
            return true;
    for (uint64_t i = 0; i < file->ignored.count; i++)
        if (tn_bytes_equal(*tn_list_at(&file->ignored, struct tn_bytes, i),
                           name))
            return true;
    return false;
}

static void tell(const struct dropping *d, const struct tn_net_node *node,
                 const struct tn_lang_rule *rule, struct tn_bytes name)
{
    char where[256] = "", what[300];

    if (node->source != TN_NONE && d->from->source)
        tn_op_path(d->from->source, node->source, where, sizeof where);
    snprintf(what, sizeof what,
             "attribute '%.*s' is dropped: %s:%" PRIu32 " does not name it",
             TN_FMT(name), rule->place.file, rule->place.line);
    d->c->loss(d->c->loss_context, TN_NOWHERE, where, what);
}

static void look_at(struct dropping *d, const struct tn_net_node *node,
                    const struct tn_lang_rule *rule)
{
    const struct tn_lang_file *file = own_file(d, rule);

    if (!file || node->attr_count == 0 || is_known(d, node))
        return;
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (!is_named(file, rule, node->attrs[i].name))
            tell(d, node, rule, node->attrs[i].name);
}

void tn_carry_dropped(struct tn_carrying *c, const struct tn_net *from,
                      const struct tn_map_report *report)
{
    struct dropping d = { .c = c, .from = from };

    if (!c->loss || c->on || c->how->rule_count == 0)
        return;
    for (uint32_t i = 0; i < report->rules.count; i++) {
        const struct tn_net_node  *node = tn_net_node(from, i);
        const struct tn_lang_rule *rule = tn_map_rule(report, i);
        if (rule && !node->is_removed)
            look_at(&d, node, rule);
    }
}
