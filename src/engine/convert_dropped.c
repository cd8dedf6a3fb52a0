/*
 * convert_dropped.c - attributes that no rule mentions
 *
 * For ops that a vocabulary knows, `tenon rules check` finds attributes that a
 * rule forgets.  But nodes have attributes that the vocabulary does not have:
 * notes of the program that wrote the file, such as Paddle's op_callstack.  And
 * for an unknown op, only the node shows which attributes there are.  Those
 * that neither the rule nor its file nor the vocabulary names are reported as
 * losses.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "engine/convert_dialect.h"
#include "ir/dialect_facts.h"

/* An attribute by its name, whatever the op. */
struct dropped {
    uint64_t count;
    uint32_t first; /* node */
};

struct dropping {
    struct tn_conversion      *c;
    const struct tn_net       *from;
    struct tn_conversion_words words;
    struct tn_intern           names;
    struct tn_list rows; /* struct dropped, by id of the name      */
    uint32_t       id;   /* of the node at hand                      */
};

/* The caller's file that has the rule; NULL: it is one of ours. */
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

/* Without a vocabulary this is unknown. */
static bool is_known(struct dropping *d, const struct tn_net_node *node)
{
    return tn_conversion_definition(&d->words, d->from, node) ||
           !d->words.is_read;
}

/* Whether the head of an op of that type, or a head inside it, names it. */
static bool is_in_head(const struct tn_lang_head *head, struct tn_bytes type,
                       struct tn_bytes name)
{
    bool is_of_it = tn_bytes_equal(head->op, type);

    for (uint32_t i = 0; is_of_it && i < head->attr_count; i++)
        if (tn_bytes_equal(head->attrs[i].name, name))
            return true;
    for (uint32_t i = 0; i < head->input_count; i++)
        if (head->inputs[i].maker &&
            is_in_head(&head->inputs[i].maker->head, type, name))
            return true;
    return false;
}

static bool is_named(const struct tn_lang_file *file,
                     const struct tn_lang_rule *rule, struct tn_bytes type,
                     struct tn_bytes name)
{
    if (name.size > 0 && name.data[0] == '_')
        return true;
    if (is_in_head(&rule->head, type, name))
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

/* Zero, false or nothing. */
static bool is_empty(const struct tn_attr_value *value)
{
    switch (value->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
        return !value->count || (value->count == 1 && !value->of.ints[0]);
    case TN_ATTR_STRING:
        return !value->count ||
               (value->count == 1 && !value->of.strings[0].size);
    default: return !value->count;
    }
}

static void count_unknown(struct dropping *d, struct tn_bytes name)
{
    uint32_t known = tn_intern_count(&d->names);
    uint32_t id    = tn_intern_borrow(&d->names, name, d->c->error);

    if (id == known) {
        struct dropped *row =
            tn_list_push(&d->rows, struct dropped, d->c->error);
        if (row)
            row->first = d->id;
    }
    if (!tn_failed(d->c->error))
        tn_list_at(&d->rows, struct dropped, id)->count++;
}

/* For an op that the vocabulary has: attributes that the vocabulary does not
 * have. */
static void look_for_unknown(struct dropping *d, const struct tn_net_node *node,
                             const struct tn_lang_rule *rule)
{
    const struct tn_vocab_op *op = NULL;

    /* In later steps, our own rules made the node. */
    if (!tn_is_same_dialect(d->from->dialect, d->c->path.dialects[0]))
        return;
    for (uint32_t i = 0; i < node->attr_count; i++) {
        const struct tn_net_attr *attr = &node->attrs[i];
        if (is_in_head(&rule->head, node->op->type, attr->name) ||
            is_empty(&attr->value))
            continue;
        if (!op && !(op = tn_conversion_definition(&d->words, d->from, node)))
            return;
        if (!op->is_loose && !tn_vocab_find_attr(op, attr->name))
            count_unknown(d, attr->name);
    }
}

static void look_at(struct dropping *d, const struct tn_net_node *node,
                    const struct tn_lang_rule *rule)
{
    const struct tn_lang_file *file = own_file(d, rule);

    if (node->attr_count == 0)
        return;
    if (!file || is_known(d, node)) {
        look_for_unknown(d, node, rule);
        return;
    }
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (!is_named(file, rule, node->op->type, node->attrs[i].name))
            tell(d, node, rule, node->attrs[i].name);
}

static void tell_list(const struct dropping *d, const char *where,
                      struct tn_buffer *what)
{
    tn_buffer_text(what, ", which no rule reads");
    if (!tn_failed(d->c->error))
        d->c->loss(d->c->loss_context, TN_NOWHERE, where,
                   tn_buffer_string(what));
    tn_buffer_clear(what);
}

/* "left behind: attributes op_role (12 operators), use_mkldnn (3), ..."; a long
 * list is reported in several pieces. */
static void tell_unknown(struct dropping *d)
{
    enum { LONGEST = 400 };
    char             where[256] = "";
    struct tn_buffer what;

    tn_buffer_init(&what, d->from->arena->memory, d->c->error);
    for (uint32_t i = 0; i < d->rows.count && !tn_failed(d->c->error); i++) {
        const struct dropped    *row  = tn_list_at(&d->rows, struct dropped, i);
        const struct tn_net_node node = tn_net_node(d->from, row->first);
        if (!what.size && node.source != TN_NONE && d->from->source)
            tn_op_path(d->from->source, node.source, where, sizeof where);
        tn_buffer_format(&what, "%s%.*s (%" PRIu64 ")",
                         what.size ? ", " : "left behind: attributes ",
                         TN_FMT(tn_intern_text(&d->names, i)), row->count);
        if (what.size > LONGEST || i + 1 == d->rows.count)
            tell_list(d, where, &what);
    }
    tn_buffer_done(&what);
}

void tn_conversion_dropped(struct tn_conversion *c, const struct tn_net *from,
                           const struct tn_map_report *report)
{
    struct dropping d = { .c = c, .from = from };

    if (!c->loss || c->plan)
        return;
    tn_intern_init(&d.names, from->arena);
    tn_list_init(&d.rows, from->arena->memory, sizeof(struct dropped));
    for (uint32_t i = 0; i < report->rules.count && !tn_failed(c->error); i++) {
        const struct tn_net_node   node = tn_net_node(from, i);
        const struct tn_lang_rule *rule = tn_map_rule(report, i);
        d.id                            = i;
        if (rule && !node.is_removed)
            look_at(&d, &node, rule);
    }
    tell_unknown(&d);
    tn_list_done(&d.rows);
    tn_intern_done(&d.names);
}
