/*
 * lang_both.c - HEAD <=> call: one line, two rules
 *
 *   both   A(X, B?; a, b: 1, c, -d) <=> z(X, B; e: a, f: 2, g: T(c), -h)
 *
 *   there  A(X, B?; a, b: 1, c, -d) => z(X, B; e: a, f: 2, g: T(c))
 *   back   z(X, B?; e as a, f: 2, g as "T(c)", -h)
 *                                   => A(X, B; a: a, b: 1, c: T'("T(c)"))
 *
 * where T' is T with keys and values exchanged.  What is set to a literal on
 * one way must be that literal on the other.  A guard holds for both.
 */
#include "map/lang/lang_both.h"

struct both {
    struct tn_lang_parser     *p;
    const struct tn_lang_head *head;
    const struct tn_lang_expr *call;
    struct tn_lang_rule       *back;
};

#define FAIL(x, place, ...)                                                    \
    (tn_location_fail((x)->p->error, place, TN_MALFORMED, __VA_ARGS__) == TN_OK)

static struct tn_lang_expr *name_expr(struct tn_lang_parser *p,
                                      struct tn_bytes        name,
                                      struct tn_location     place)
{
    struct tn_lang_expr *expr = tn_lang_expr_new(p, TN_LANG_NAME, place);

    if (expr)
        expr->text = name;
    return expr;
}

/* ---- the way there ------------------------------------------------------ */

/* The call without -names, which concern the way back alone. */
static const struct tn_lang_expr *without_ignored(
    struct tn_lang_parser *p, const struct tn_lang_expr *call)
{
    struct tn_lang_expr *copy = tn_lang_expr_new(p, call->kind, call->place);
    struct tn_lang_attr *attrs =
        tn_new(p->arena, struct tn_lang_attr, call->attr_count, p->error);

    if (!copy || !attrs)
        return NULL;
    *copy            = *call;
    copy->attrs      = attrs;
    copy->attr_count = 0;
    for (uint32_t i = 0; i < call->attr_count; i++)
        if (!call->attrs[i].is_ignored)
            attrs[copy->attr_count++] = call->attrs[i];
    return copy;
}

/* ---- inputs ------------------------------------------------------------- */

static const struct tn_lang_param *find_input(const struct tn_lang_head *head,
                                              struct tn_bytes            name)
{
    for (uint32_t i = 0; i < head->input_count; i++)
        if (tn_bytes_equal(head->inputs[i].name, name))
            return &head->inputs[i];
    return NULL;
}

/* The head's input that an argument is; NULL if it is not one. */
static const struct tn_lang_param *input_of(const struct both         *x,
                                            const struct tn_lang_expr *item)
{
    bool is_spread = item->kind == TN_LANG_SPREAD;

    if (is_spread)
        item = item->items[0];
    const struct tn_lang_param *param =
        item->kind == TN_LANG_NAME ? find_input(x->head, item->text) : NULL;
    return param && (param->arity == TN_LANG_MANY) == is_spread ? param : NULL;
}

static bool is_among(const struct tn_lang_param *params, uint32_t count,
                     struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(params[i].name, name))
            return true;
    return false;
}

static bool turn_inputs(const struct both *x)
{
    uint32_t              count  = x->call->item_count;
    struct tn_lang_param *inputs = tn_new(x->p->arena, struct tn_lang_param,
                                          count ? count : 1, x->p->error);

    if (!inputs)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_lang_expr  *item  = x->call->items[i];
        const struct tn_lang_param *param = input_of(x, item);

        if (!param || is_among(inputs, i, param->name))
            return FAIL(x, &item->place,
                        "the way back needs each input once, by its name");
        inputs[i] = (struct tn_lang_param){ .name  = param->name,
                                            .arity = param->arity,
                                            .place = item->place };
    }
    for (uint32_t i = 0; i < x->head->input_count; i++)
        if (x->head->inputs[i].arity == TN_LANG_ONE &&
            !is_among(inputs, count, x->head->inputs[i].name))
            return FAIL(x, &x->head->inputs[i].place,
                        "'%.*s' does not come back from the right side",
                        TN_FMT(x->head->inputs[i].name));
    x->back->head.inputs      = inputs;
    x->back->head.input_count = count;
    return true;
}

/* ---- tables ------------------------------------------------------------- */

static bool can_be_inverted(const struct both          *x,
                            const struct tn_lang_table *table,
                            const struct tn_lang_expr  *call)
{
    for (uint32_t i = 0; i < table->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (tn_lang_is_same(table->values[i], table->values[k]))
                return FAIL(x, &call->place,
                            "table '%.*s' cannot be inverted: line %u gives "
                            "the same twice",
                            TN_FMT(table->name), table->values[i]->place.line);
    return true;
}

/* The index of the inverse, made on first use; its name is not a word, so that
 * rules cannot use it. */
static bool find_inverse(const struct both *x, const struct tn_lang_expr *call,
                         uint32_t *index)
{
    struct tn_list      *tables = &x->p->file->tables;
    struct tn_lang_table inverse =
        *tn_list_at(tables, struct tn_lang_table, call->target);
    char *name = tn_text_format(x->p->arena, x->p->error, "%.*s, inverted",
                                TN_FMT(inverse.name));

    if (!name || !can_be_inverted(x, &inverse, call))
        return false;
    inverse.name = tn_text(name);
    for (*index = 0; *index < tables->count; ++*index)
        if (tn_bytes_equal(
                tn_list_at(tables, struct tn_lang_table, *index)->name,
                inverse.name))
            return true;
    const struct tn_lang_expr **keys = inverse.keys;
    inverse.keys                     = inverse.values;
    inverse.values                   = keys;
    struct tn_lang_table *to =
        tn_list_push(tables, struct tn_lang_table, x->p->error);
    if (to)
        *to = inverse;
    return to;
}

/* ---- attributes --------------------------------------------------------- */

/* TABLE(name) */
static bool is_lookup(const struct tn_lang_expr *value)
{
    return value->kind == TN_LANG_CALL && value->callee == TN_LANG_TO_TABLE &&
           value->item_count == 1 && value->items[0]->kind == TN_LANG_NAME;
}

/* The name on the left that an attribute of the right side stands for. */
static struct tn_bytes carried(const struct tn_lang_attr *attr)
{
    if (attr->is_ignored)
        return tn_bytes(NULL, 0);
    if (attr->value->kind == TN_LANG_NAME)
        return attr->value->text;
    return is_lookup(attr->value) ? attr->value->items[0]->text
                                  : tn_bytes(NULL, 0);
}

static const struct tn_lang_attr *find_carrier(const struct both *x,
                                               uint32_t           count,
                                               struct tn_bytes    name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(carried(&x->call->attrs[i]), name))
            return &x->call->attrs[i];
    return NULL;
}

static bool is_left(const struct both *x, struct tn_bytes name)
{
    for (uint32_t i = 0; i < x->head->attr_count; i++)
        if (tn_bytes_equal(x->head->attrs[i].as, name))
            return true;
    return false;
}

/* What an attribute of the call is in the head of the way back. */
static bool turn_attr(const struct both *x, uint32_t index,
                      struct tn_lang_attr *to)
{
    const struct tn_lang_attr *from = &x->call->attrs[index];
    struct tn_bytes            name = carried(from);

    *to = *from;
    if (from->is_ignored)
        return true;
    if (!name.size) {
        to->is_match = true;
        return tn_lang_is_literal(from->value) ||
               FAIL(x, &from->value->place,
                    "the way back needs a name, a literal or TABLE(name)");
    }
    if (!is_left(x, name) || find_carrier(x, index, name))
        return FAIL(x, &from->value->place,
                    "the way back needs each attribute of the left once, "
                    "not '%.*s'",
                    TN_FMT(name));
    to->value = NULL;
    to->as    = name;
    if (!is_lookup(from->value))
        return true;
    const char *looked_up =
        tn_text_format(x->p->arena, x->p->error, "%.*s(%.*s)",
                       TN_FMT(from->value->text), TN_FMT(name));
    to->as = tn_text(looked_up ? looked_up : "");
    return to->as.size;
}

static bool turn_attrs(const struct both *x)
{
    uint32_t             count = x->call->attr_count;
    struct tn_lang_attr *attrs = tn_new(x->p->arena, struct tn_lang_attr,
                                        count ? count : 1, x->p->error);

    if (!attrs)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!turn_attr(x, i, &attrs[i]))
            return false;
    x->back->head.attrs      = attrs;
    x->back->head.attr_count = count;
    return true;
}

/* ---- what the way back makes -------------------------------------------- */

/* The value of an attribute of the left, from what the right side says. */
static const struct tn_lang_expr *come_back(const struct both         *x,
                                            const struct tn_lang_attr *left)
{
    const struct tn_lang_attr *from =
        find_carrier(x, x->call->attr_count, left->as);

    if (left->is_match)
        return left->value;
    if (!from) {
        tn_location_fail(x->p->error, &left->place, TN_MALFORMED,
                         "'%.*s' does not come back from the right side",
                         TN_FMT(left->name));
        return NULL;
    }
    if (!is_lookup(from->value))
        return name_expr(x->p, left->as, from->place);
    struct tn_lang_expr *inverse =
        tn_lang_expr_new(x->p, TN_LANG_CALL, from->value->place);
    const struct tn_lang_expr **items =
        tn_new(x->p->arena, const struct tn_lang_expr *, 1, x->p->error);
    if (!inverse || !items || !find_inverse(x, from->value, &inverse->target))
        return NULL;
    inverse->callee = TN_LANG_TO_TABLE;
    inverse->text   = from->value->text;
    items[0] = name_expr(x->p, x->back->head.attrs[from - x->call->attrs].as,
                         from->place);
    return items[0] ? tn_lang_expr_of(x->p, inverse, items, 1) : NULL;
}

static bool make_attrs(const struct both *x, struct tn_lang_expr *call)
{
    struct tn_lang_attr *attrs =
        tn_new(x->p->arena, struct tn_lang_attr,
               x->head->attr_count ? x->head->attr_count : 1, x->p->error);

    if (!attrs)
        return false;
    call->attrs = attrs;
    for (uint32_t i = 0; i < x->head->attr_count; i++) {
        const struct tn_lang_attr *left = &x->head->attrs[i];

        if (left->is_ignored)
            continue;
        struct tn_lang_attr *to = &attrs[call->attr_count++];
        *to = (struct tn_lang_attr){ .name = left->name, .place = left->place };
        to->value = come_back(x, left);
        if (!to->value)
            return false;
    }
    return true;
}

/* The argument for an input of the left: its name, or none. */
static const struct tn_lang_expr *make_input(const struct both          *x,
                                             const struct tn_lang_param *param)
{
    struct tn_lang_parser *p = x->p;

    if (!is_among(x->back->head.inputs, x->back->head.input_count, param->name))
        return tn_lang_expr_new(p, TN_LANG_NONE, param->place);
    struct tn_lang_expr *name = name_expr(p, param->name, param->place);
    if (!name || param->arity != TN_LANG_MANY)
        return name;
    const struct tn_lang_expr **items =
        tn_new(p->arena, const struct tn_lang_expr *, 1, p->error);
    if (!items)
        return NULL;
    items[0] = name;
    return tn_lang_expr_of(p, tn_lang_expr_new(p, TN_LANG_SPREAD, param->place),
                           items, 1);
}

static const struct tn_lang_expr *make_call(const struct both *x)
{
    uint32_t             count = x->head->input_count;
    struct tn_lang_expr *call =
        tn_lang_expr_new(x->p, TN_LANG_CALL, x->head->place);
    const struct tn_lang_expr **items =
        tn_new(x->p->arena, const struct tn_lang_expr *, count ? count : 1,
               x->p->error);

    if (!call || !items || !make_attrs(x, call))
        return NULL;
    call->callee = TN_LANG_TO_OP;
    call->text   = x->head->op;
    call->domain = x->head->domain;
    for (uint32_t i = 0; i < count; i++)
        if (!(items[i] = make_input(x, &x->head->inputs[i])))
            return NULL;
    return tn_lang_expr_of(x->p, call, items, count);
}

bool tn_lang_both(struct tn_lang_parser *p, struct tn_lang_rule *rule,
                  const struct tn_lang_expr *call, struct tn_lang_rule *back)
{
    const struct both x = { p, &rule->head, call, back };

    if (call->kind != TN_LANG_CALL || call->callee != TN_LANG_TO_OP)
        return FAIL(&x, &call->place, "the way back needs one op");
    const struct tn_lang_expr *there = without_ignored(p, call);
    if (!there || !tn_lang_one_step(p, rule, there))
        return false;
    if (rule->head.until != INT64_MAX)
        return true;
    back->is_reversed = true;
    back->head        = (struct tn_lang_head){
               .domain       = call->domain,
               .until        = INT64_MAX,
               .outputs      = rule->head.outputs,
               .output_count = rule->head.output_count,
               .guard        = rule->head.guard,
               .place        = call->place,
    };
    if (!turn_inputs(&x) || !turn_attrs(&x))
        return false;
    const struct tn_lang_expr *value = make_call(&x);
    back->head.op                    = call->text;
    return value && tn_lang_one_step(p, back, value);
}
