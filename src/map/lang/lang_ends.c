/* lang_ends.c - whether applying rules that simplify ends */
#include "map/lang/lang_ends.h"

/* ---- nodes that a rule makes -------------------------------------------- */

static uint32_t made_by_block(const struct tn_lang_file  *file,
                              const struct tn_lang_block *block);

static uint32_t add(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Once for each item of a list, which may have any number of them. */
static uint32_t repeated(uint32_t made)
{
    return made ? UINT32_MAX : 0;
}

static uint32_t made_by(const struct tn_lang_file *file,
                        const struct tn_lang_expr *expr)
{
    uint32_t sum = 0;

    if (!expr)
        return 0;
    if (expr->kind == TN_LANG_IF)
        return larger(made_by(file, expr->items[1]),
                      made_by(file, expr->items[2]));
    if (expr->kind == TN_LANG_EACH)
        return repeated(made_by(file, expr->items[0]));
    for (uint32_t i = 0; i < expr->item_count; i++)
        sum = add(sum, made_by(file, expr->items[i]));
    if (expr->kind == TN_LANG_CALL && expr->callee == TN_LANG_TO_OP)
        sum = add(sum, 1);
    if (expr->kind == TN_LANG_CALL && expr->callee == TN_LANG_TO_MACRO)
        sum = add(sum, made_by_block(file, &tn_list_at(&file->macros,
                                                       struct tn_lang_macro,
                                                       expr->target)
                                                ->body));
    return sum;
}

static uint32_t made_by_step(const struct tn_lang_file *file,
                             const struct tn_lang_step *step)
{
    switch (step->kind) {
    case TN_LANG_EMIT: return made_by(file, step->expr);
    case TN_LANG_WHEN:
        return larger(made_by_block(file, &step->body),
                      made_by_block(file, &step->other));
    case TN_LANG_FOR: return repeated(made_by_block(file, &step->body));
    default: return 0;
    }
}

static uint32_t made_by_block(const struct tn_lang_file  *file,
                              const struct tn_lang_block *block)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < block->count; i++)
        sum = add(sum, made_by_step(file, &block->steps[i]));
    return sum;
}

uint32_t tn_lang_makes(const struct tn_lang_file *file,
                       const struct tn_lang_rule *rule)
{
    return made_by_block(file, &rule->body);
}

/* ---- nodes that it takes away ------------------------------------------- */

/* A value with a name may be used by the nodes that the rule makes. */
uint32_t tn_lang_takes(const struct tn_lang_head *head)
{
    uint32_t sum = 1;

    for (uint32_t i = 0; i < head->input_count; i++) {
        const struct tn_lang_pattern *maker = head->inputs[i].maker;
        if (maker && maker->is_once && !maker->is_maybe &&
            tn_bytes_is(head->inputs[i].name, "_"))
            sum += tn_lang_takes(&maker->head);
    }
    return sum;
}

/* ---- shorter paths ------------------------------------------------------ */

/* How often the pattern takes a value; behind `maybe` it need not be there. */
static uint32_t taken(const struct tn_lang_head *head, struct tn_bytes name)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < head->input_count; i++) {
        const struct tn_lang_pattern *maker = head->inputs[i].maker;
        if (maker && !maker->is_maybe)
            count += taken(&maker->head, name);
        else if (!maker)
            count += tn_bytes_equal(head->inputs[i].name, name);
    }
    return count;
}

static bool has_maker(const struct tn_lang_head *head)
{
    for (uint32_t i = 0; i < head->input_count; i++)
        if (head->inputs[i].maker && !head->inputs[i].maker->is_maybe)
            return true;
    return false;
}

static uint32_t count_name(const struct tn_lang_expr *call,
                           struct tn_bytes            name)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < call->item_count; i++)
        count += call->items[i]->kind == TN_LANG_NAME &&
                 tn_bytes_equal(call->items[i]->text, name);
    return count;
}

/* One node, of values that the pattern takes and of constants. */
static bool is_of_leaves(const struct tn_lang_head *head,
                         const struct tn_lang_expr *call)
{
    if (call->kind != TN_LANG_CALL || call->callee != TN_LANG_TO_OP)
        return false;
    for (uint32_t i = 0; i < call->item_count; i++) {
        const struct tn_lang_expr *item = call->items[i];
        bool                       is_const =
            item->kind == TN_LANG_NONE ||
            (item->kind == TN_LANG_CALL && item->callee == TN_LANG_TO_CONST);
        if (!is_const &&
            (item->kind != TN_LANG_NAME ||
             count_name(call, item->text) > taken(head, item->text)))
            return false;
    }
    return true;
}

static bool is_not_const(const struct tn_lang_expr *e, struct tn_bytes name)
{
    if (e->kind == TN_LANG_AND)
        return is_not_const(e->items[0], name) ||
               is_not_const(e->items[1], name);
    if (e->kind != TN_LANG_NOT)
        return false;
    const struct tn_lang_expr *call = e->items[0];
    return call->kind == TN_LANG_CALL && tn_bytes_is(call->text, "is_const") &&
           call->item_count == 1 && call->items[0]->kind == TN_LANG_NAME &&
           tn_bytes_equal(call->items[0]->text, name);
}

/* A value that is computed, and that the new node does not take. */
static bool drops_value(const struct tn_lang_head *head,
                        const struct tn_lang_expr *call)
{
    for (uint32_t i = 0; head->guard && i < head->input_count; i++)
        if (is_not_const(head->guard, head->inputs[i].name) &&
            !count_name(call, head->inputs[i].name))
            return true;
    return false;
}

bool tn_lang_shortens(const struct tn_lang_rule *rule)
{
    const struct tn_lang_head *head = &rule->head;

    if (rule->body.count != 1 || rule->body.steps[0].kind != TN_LANG_EMIT)
        return false;
    const struct tn_lang_expr *call = rule->body.steps[0].expr;
    return is_of_leaves(head, call) &&
           (has_maker(head) || drops_value(head, call));
}
