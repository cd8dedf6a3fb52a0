/* lang_check.c - a rule file against the vocabularies of its dialects */
#include "map/lang/lang_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/dialect_facts.h"
#include "map/lang/lang_checking.h"

void tn_lang_found(struct tn_lang_checks *x, const struct tn_map_place *place,
                   const char *format, ...)
{
    char what[sizeof x->error->what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (x->on)
        x->on(x->context, place, what);
    tn_map_fail(x->error, place, TN_MALFORMED, "%s", what);
}

/* ---- tables ------------------------------------------------------------- */

static void check_table(struct tn_lang_checks      *x,
                        const struct tn_lang_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (tn_lang_is_same(table->keys[i], table->keys[k])) {
                tn_lang_found(x, &table->keys[i]->place,
                              "table '%.*s' has this key already",
                              TN_FMT(table->name));
                break;
            }
}

/* ---- rules that are never tried ----------------------------------------- */

/* Rules of one op stand together; how far back others are looked for. */
#define LOOK_BACK 1000

/* Whether nothing in it can refuse: names and literals alone. */
static bool is_sure(const struct tn_lang_expr *expr)
{
    if (expr->kind <= TN_LANG_NAME)
        return true;
    if (expr->kind == TN_LANG_CALL && expr->callee != TN_LANG_TO_OP)
        return false;
    if (expr->kind != TN_LANG_CALL && expr->kind != TN_LANG_SPREAD)
        return false;
    for (uint32_t i = 0; i < expr->item_count; i++)
        if (!is_sure(expr->items[i]))
            return false;
    for (uint32_t i = 0; i < expr->attr_count; i++)
        if (expr->attrs[i].value->kind > TN_LANG_NAME)
            return false;
    return true;
}

static bool takes_all(const struct tn_lang_rule *rule)
{
    for (uint32_t i = 0; i < rule->head.attr_count; i++)
        if (rule->head.attrs[i].is_match)
            return false;
    return !rule->head.guard && rule->body.count == 1 &&
           rule->body.steps[0].kind == TN_LANG_EMIT &&
           is_sure(rule->body.steps[0].expr);
}

static bool covers(const struct tn_lang_rule *first,
                   const struct tn_lang_rule *rule)
{
    const struct tn_lang_head *a = &first->head, *b = &rule->head;

    if (!tn_bytes_equal(a->op, b->op) ||
        !tn_bytes_equal(a->domain, b->domain) || a->since > b->since ||
        a->until < b->until || a->input_count != b->input_count ||
        a->output_count != b->output_count)
        return false;
    for (uint32_t i = 0; i < a->input_count; i++)
        if (a->inputs[i].arity < b->inputs[i].arity)
            return false;
    return takes_all(first);
}

static void check_is_tried(struct tn_lang_checks *x,
                           const struct tn_list *rules, uint64_t index)
{
    const struct tn_lang_rule *rule =
        tn_list_at(rules, struct tn_lang_rule, index);
    uint64_t first = index > LOOK_BACK ? index - LOOK_BACK : 0;

    for (uint64_t i = first; i < index; i++) {
        const struct tn_lang_rule *other =
            tn_list_at(rules, struct tn_lang_rule, i);

        if (!covers(other, rule))
            continue;
        tn_lang_found(x, &rule->place,
                      "never tried: the rule of line %u takes all there is",
                      (unsigned)other->place.line);
        return;
    }
}

/* ---- files -------------------------------------------------------------- */

static void check_rules(struct tn_lang_checks *x, const struct tn_list *rules)
{
    for (uint64_t i = 0; i < rules->count; i++) {
        const struct tn_lang_rule *rule =
            tn_list_at(rules, struct tn_lang_rule, i);

        tn_lang_check_head(x, &rule->head, !x->file->is_shapes);
        tn_lang_check_rule(x, rule);
        if (!x->file->is_shapes)
            check_is_tried(x, rules, i);
    }
}

enum tn_status tn_lang_check(const struct tn_lang_file *file,
                             const struct tn_lang_side *from,
                             const struct tn_lang_side *to,
                             tn_on_lang_finding *on, void *context,
                             struct tn_error *error)
{
    struct tn_lang_checks x = { .file    = file,
                                .source  = from,
                                .target  = to,
                                .on      = on,
                                .context = context,
                                .error   = error,
                                .memory  = file->arena->memory };

    for (uint64_t i = 0; i < file->tables.count; i++)
        check_table(&x, tn_list_at(&file->tables, struct tn_lang_table, i));
    for (uint64_t i = 0; i < file->defs.count; i++)
        tn_lang_check_def(&x, tn_list_at(&file->defs, struct tn_lang_def, i));
    for (uint64_t i = 0; i < file->macros.count; i++)
        tn_lang_check_macro(&x,
                            tn_list_at(&file->macros, struct tn_lang_macro, i));
    struct tn_lang_side written = *from;
    written.oldest = written.newest = written.version;
    if (tn_bytes_equal(file->from, file->to))
        x.source = &written; /* what rules have made is rewritten */
    check_rules(&x, &file->rules);
    x.source = to;
    x.target = from;
    check_rules(&x, &file->back);
    return error->status;
}

/* ---- what the library carries ------------------------------------------- */

enum tn_status tn_lang_side_open(struct tn_lang_side *side,
                                 struct tn_vocab *vocab, struct tn_arena *arena,
                                 struct tn_bytes  dialect,
                                 struct tn_error *error)
{
    struct tn_bytes copy = tn_bytes_dup(arena, dialect, error);

    if (!copy.data)
        return error->status;
    const char                    *name      = (const char *)copy.data;
    const struct tn_dialect_facts *facts     = tn_dialect_facts(name);
    bool                           has_vocab = tn_vocab_builtin(name).size > 0;
    *side = (struct tn_lang_side){ .vocab   = has_vocab ? vocab : NULL,
                                   .newest  = INT64_MAX,
                                   .version = INT64_MAX };
    if (facts->rule_version) {
        side->oldest  = facts->oldest_version;
        side->version = facts->rule_version;
    }
    return has_vocab ? tn_vocab_open(vocab, arena, name, error) : TN_OK;
}
