/*
 * lang_expr.c - reads the expressions and values of the rule language
 *
 *   expr     if expr then expr else expr | operators over operands
 *   operand  literal | name | name(expr, ...) | [expr, ...] | (expr)
 *            | [expr for name in expr if expr]
 *            each with [expr] or [expr:expr:expr] behind it
 *   value    name | name[expr] | none | op(value, ...; name: expr, ...)
 *            | const(expr, ...) | [value, ...] | if expr then value else value
 *
 * Operators bind in this order, the loosest first:
 *
 *   or    and    not    == != < <= > >= in    + -    * / // %    -x    **
 */
#include <inttypes.h>
#include <math.h>

#include "map/lang/lang_parser.h"

/* More attributes or arguments than any op has. */
#define ATTR_LIMIT 256

static struct tn_map_place place_of(struct tn_lang_parser *p)
{
    return tn_lang_look(p)->place;
}

/* ---- making nodes of the tree ------------------------------------------- */

struct tn_lang_expr *tn_lang_expr_new(struct tn_lang_parser *p,
                                      enum tn_lang_kind      kind,
                                      struct tn_map_place    place)
{
    struct tn_lang_expr *expr =
        tn_new(p->arena, struct tn_lang_expr, 1, p->error);

    if (!expr)
        return NULL;
    expr->kind  = kind;
    expr->place = place;
    expr->depth = 1;
    return expr;
}

static void deepen(struct tn_lang_expr *expr, const struct tn_lang_expr *child)
{
    if (child && child->depth >= expr->depth)
        expr->depth = child->depth + 1;
}

static const struct tn_lang_expr *bounded(struct tn_lang_parser *p,
                                          struct tn_lang_expr   *expr)
{
    if (expr->depth <= TN_LANG_DEPTH)
        return expr;
    tn_map_fail(p->error, &expr->place, TN_LIMIT,
                "an expression of more than %d levels", TN_LANG_DEPTH);
    return NULL;
}

const struct tn_lang_expr *tn_lang_expr_of(struct tn_lang_parser      *p,
                                           struct tn_lang_expr        *expr,
                                           const struct tn_lang_expr **items,
                                           uint32_t                    count)
{
    if (!expr || !items)
        return NULL;
    expr->items      = items;
    expr->item_count = count;
    for (uint32_t i = 0; i < count; i++)
        deepen(expr, items[i]);
    for (uint32_t i = 0; i < expr->attr_count; i++)
        deepen(expr, expr->attrs[i].value);
    return bounded(p, expr);
}

/* Of up to four items, which may be NULL where a slice leaves them out. */
static const struct tn_lang_expr *make(struct tn_lang_parser            *p,
                                       enum tn_lang_kind                 kind,
                                       struct tn_map_place               place,
                                       const struct tn_lang_expr *const *items,
                                       uint32_t                          count)
{
    const struct tn_lang_expr **copy =
        tn_new(p->arena, const struct tn_lang_expr *, count, p->error);

    if (!copy)
        return NULL;
    memcpy(copy, items, count * sizeof *copy);
    return tn_lang_expr_of(p, tn_lang_expr_new(p, kind, place), copy, count);
}

#define MAKE(p, kind, place, count, ...)                                       \
    make(p, kind, place, (const struct tn_lang_expr *const[]){ __VA_ARGS__ },  \
         count)

static bool push(struct tn_lang_parser *p, const struct tn_lang_expr *expr)
{
    const struct tn_lang_expr **to =
        expr ? tn_list_push(&p->exprs, const struct tn_lang_expr *, p->error)
             : NULL;

    if (to)
        *to = expr;
    return to;
}

/* ---- lists of expressions or values ------------------------------------- */

typedef const struct tn_lang_expr *reader(struct tn_lang_parser *p);

/* One of a list, perhaps with ... behind it. */
static const struct tn_lang_expr *read_element(struct tn_lang_parser *p,
                                               reader                *read)
{
    struct tn_map_place        place = place_of(p);
    const struct tn_lang_expr *expr  = read(p);

    if (!expr || !tn_lang_accept(p, "..."))
        return expr;
    return MAKE(p, TN_LANG_SPREAD, place, 1, expr);
}

/* for x in xs if c, after the element; the brackets are the caller's. */
static const struct tn_lang_expr *read_each(struct tn_lang_parser     *p,
                                            struct tn_map_place        place,
                                            const struct tn_lang_expr *element)
{
    const struct tn_lang_expr *items[3] = { element };
    uint32_t                   count    = 2;
    struct tn_bytes name = tn_lang_name(p, "a name"), index = { NULL, 0 };

    if (name.size && tn_lang_accept(p, ",")) {
        index = name;
        name  = tn_lang_name(p, "a name");
    }
    if (!name.size || !tn_lang_expect(p, "in") || !(items[1] = tn_lang_expr(p)))
        return NULL;
    if (tn_lang_accept(p, "if") && !(items[count++] = tn_lang_expr(p)))
        return NULL;
    const struct tn_lang_expr *each =
        make(p, TN_LANG_EACH, place, items, count);
    if (!each)
        return NULL;
    struct tn_lang_expr *named = (struct tn_lang_expr *)each; /* just made */
    named->text                = name;
    named->second              = index;
    return each;
}

/* [a, b...] or [a for ...] */
static const struct tn_lang_expr *read_list(struct tn_lang_parser *p,
                                            reader                *read)
{
    struct tn_map_place place = place_of(p);
    uint64_t            mark  = p->exprs.count;

    if (!tn_lang_expect(p, "["))
        return NULL;
    while (!tn_lang_is(p, "]")) {
        const struct tn_lang_expr *element = read_element(p, read);

        if (element && p->exprs.count == mark && tn_lang_accept(p, "for")) {
            element = read_each(p, place, element);
            return element && tn_lang_expect(p, "]") ? element : NULL;
        }
        if (!push(p, element))
            return NULL;
        if (!tn_lang_accept(p, ","))
            break;
    }
    if (!tn_lang_expect(p, "]"))
        return NULL;
    uint32_t count;
    void    *items = tn_lang_cut(p, &p->exprs, mark, &count);
    return tn_lang_expr_of(p, tn_lang_expr_new(p, TN_LANG_LIST, place), items,
                           count);
}

/* ---- calls -------------------------------------------------------------- */

bool tn_lang_has_attr(const struct tn_lang_parser *p, uint64_t mark,
                      struct tn_bytes name)
{
    for (uint64_t i = mark; i < p->attrs.count; i++)
        if (tn_bytes_equal(tn_list_at(&p->attrs, struct tn_lang_attr, i)->name,
                           name))
            return true;
    return false;
}

/* name: expr, or name alone, which is name: name; -name is only for the way
 * back of <=>. */
static bool read_attr(struct tn_lang_parser *p, uint64_t mark)
{
    struct tn_lang_attr attr = { .is_ignored =
                                     p->may_ignore && tn_lang_accept(p, "-"),
                                 .place = place_of(p) };

    attr.name = tn_lang_word(p, "the name of an attribute");
    if (!attr.name.size)
        return false;
    if (tn_lang_has_attr(p, mark, attr.name))
        return tn_map_fail(p->error, &attr.place, TN_MALFORMED,
                           "'%.*s' is set twice", TN_FMT(attr.name)) == TN_OK;
    if (!attr.is_ignored && tn_lang_accept(p, ":")) {
        attr.value = tn_lang_expr(p);
        if (!attr.value)
            return false;
    } else if (!attr.is_ignored) {
        struct tn_lang_expr *same =
            tn_lang_expr_new(p, TN_LANG_NAME, attr.place);
        if (!same)
            return false;
        same->text = attr.name;
        attr.value = same;
    }
    struct tn_lang_attr *to =
        tn_list_push(&p->attrs, struct tn_lang_attr, p->error);
    if (to)
        *to = attr;
    return to;
}

static bool read_attrs(struct tn_lang_parser *p, struct tn_lang_expr *call)
{
    uint64_t mark = p->attrs.count;

    do {
        if (!read_attr(p, mark))
            return false;
        if (p->attrs.count - mark > ATTR_LIMIT)
            return tn_map_fail(p->error, &call->place, TN_LIMIT,
                               "more than %d attributes", ATTR_LIMIT) == TN_OK;
    } while (tn_lang_accept(p, ","));
    call->attrs = tn_lang_cut(p, &p->attrs, mark, &call->attr_count);
    return call->attrs;
}

/* (a, b; c: d); attributes only where nodes are made. */
static const struct tn_lang_expr *read_arguments(struct tn_lang_parser *p,
                                                 struct tn_lang_expr   *call,
                                                 reader *read, bool has_attrs)
{
    uint64_t mark = p->exprs.count;

    if (!tn_lang_expect(p, "("))
        return NULL;
    if (!tn_lang_is(p, ")") && !tn_lang_is(p, ";"))
        do
            if (!push(p, read_element(p, read)))
                return NULL;
        while (tn_lang_accept(p, ","));
    uint32_t count;
    void    *items = tn_lang_cut(p, &p->exprs, mark, &count);
    if (!items || (has_attrs && tn_lang_accept(p, ";") && !read_attrs(p, call)))
        return NULL;
    if (!tn_lang_is(p, ")")) {
        tn_lang_expected(p, "',' or ')'");
        return NULL;
    }
    tn_lang_accept(p, ")");
    return tn_lang_expr_of(p, call, items, count);
}

#define FIND(list, T, wanted, index)                                           \
    do {                                                                       \
        for (uint32_t i_ = 0; i_ < (list)->count; i_++)                        \
            if (tn_bytes_equal(tn_list_at(list, T, i_)->name, wanted)) {       \
                *(index) = i_;                                                 \
                return true;                                                   \
            }                                                                  \
        return false;                                                          \
    } while (0)

static bool find_def(const struct tn_lang_parser *p, struct tn_bytes name,
                     uint32_t *index)
{
    FIND(&p->file->defs, struct tn_lang_def, name, index);
}

static bool find_table(const struct tn_lang_parser *p, struct tn_bytes name,
                       uint32_t *index)
{
    FIND(&p->file->tables, struct tn_lang_table, name, index);
}

static bool find_macro(const struct tn_lang_parser *p, struct tn_bytes name,
                       uint32_t *index)
{
    FIND(&p->file->macros, struct tn_lang_macro, name, index);
}

/* A builtin, def or table: what computes. */
static const struct tn_lang_expr *read_function(struct tn_lang_parser *p,
                                                struct tn_lang_expr   *call)
{
    if (find_def(p, call->text, &call->target)) {
        call->callee = TN_LANG_TO_DEF;
        deepen(
            call,
            tn_list_at(&p->file->defs, struct tn_lang_def, call->target)->body);
    } else if (find_table(p, call->text, &call->target)) {
        call->callee = TN_LANG_TO_TABLE;
    } else if (find_macro(p, call->text, &call->target)) {
        tn_map_fail(p->error, &call->place, TN_MALFORMED,
                    "'%.*s' makes nodes: it cannot stand in an expression",
                    TN_FMT(call->text));
        return NULL;
    }
    return read_arguments(p, call, tn_lang_expr, false);
}

/* A macro, op or const: what makes nodes. */
static const struct tn_lang_expr *read_maker(struct tn_lang_parser *p,
                                             struct tn_lang_expr   *call)
{
    if (!call->domain.size && tn_bytes_is(call->text, "const")) {
        call->callee = TN_LANG_TO_CONST;
        return read_arguments(p, call, tn_lang_expr, false);
    }
    call->callee =
        !call->domain.size && find_macro(p, call->text, &call->target)
            ? TN_LANG_TO_MACRO
            : TN_LANG_TO_OP;
    return read_arguments(p, call, tn_lang_value, true);
}

/* ---- [i] and [a:b:c] behind an operand ---------------------------------- */

/* One part of a slice, or NULL where there is none; false: failed. */
static bool read_part(struct tn_lang_parser      *p,
                      const struct tn_lang_expr **part)
{
    if (tn_lang_is(p, ":") || tn_lang_is(p, "::") || tn_lang_is(p, "]"))
        return true;
    *part = tn_lang_expr(p);
    return *part;
}

static const struct tn_lang_expr *read_index(struct tn_lang_parser     *p,
                                             const struct tn_lang_expr *of)
{
    const struct tn_lang_expr *items[4] = { of };
    uint32_t                   count    = 1;
    bool                       is_slice = false;

    tn_lang_accept(p, "[");
    while (count < 4) {
        if (!read_part(p, &items[count++]))
            return NULL;
        if (count < 4 && tn_lang_accept(p, ":"))
            is_slice = true;
        else if (count < 3 && tn_lang_accept(p, "::"))
            is_slice = count++; /* never 0 */
        else
            break;
    }
    if (!is_slice && !items[1]) {
        tn_lang_expected(p, "an index");
        return NULL;
    }
    if (!tn_lang_expect(p, "]"))
        return NULL;
    return make(p, is_slice ? TN_LANG_SLICE : TN_LANG_INDEX, of->place, items,
                is_slice ? 4 : 2);
}

static const struct tn_lang_expr *read_postfix(struct tn_lang_parser     *p,
                                               const struct tn_lang_expr *expr)
{
    while (expr && tn_lang_is(p, "["))
        expr = read_index(p, expr);
    return expr;
}

/* ---- operands ----------------------------------------------------------- */

static const struct tn_lang_expr *leaf(struct tn_lang_parser *p,
                                       enum tn_lang_kind kind, int64_t number,
                                       double real)
{
    const struct tn_token *token = tn_lang_look(p);
    struct tn_lang_expr   *expr  = tn_lang_expr_new(p, kind, token->place);

    if (!expr)
        return NULL;
    expr->number = number;
    expr->real   = real;
    expr->text   = token->text;
    p->at++;
    return expr;
}

static const struct {
    const char       *word;
    enum tn_lang_kind kind;
    int64_t           number;
    double            real;
} constants[] = {
    { "none", TN_LANG_NONE, 0, 0 },   { "true", TN_LANG_BOOL, 1, 0 },
    { "false", TN_LANG_BOOL, 0, 0 },  { "inf", TN_LANG_FLOAT, 0, INFINITY },
    { "nan", TN_LANG_FLOAT, 0, NAN },
};

static const struct tn_lang_expr *read_number(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    if (token->kind == TN_TOKEN_FLOAT)
        return leaf(p, TN_LANG_FLOAT, 0, token->real);
    if (token->number <= INT64_MAX)
        return leaf(p, TN_LANG_INT, (int64_t)token->number, 0);
    tn_map_fail(p->error, &token->place, TN_MALFORMED,
                "%.*s is not a 64-bit number", TN_FMT(token->text));
    return NULL;
}

/* A word is a call, a constant, a type or a name. */
static const struct tn_lang_expr *read_word(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        if (tn_token_is(token, constants[i].word))
            return leaf(p, constants[i].kind, constants[i].number,
                        constants[i].real);
    if (token[1].kind == TN_TOKEN_MARK && tn_bytes_is(token[1].text, "(")) {
        struct tn_lang_expr *call =
            tn_lang_expr_new(p, TN_LANG_CALL, token->place);
        if (!call)
            return NULL;
        call->text = tn_lang_name(p, "a function");
        if (!call->text.size)
            return NULL;
        return read_function(p, call);
    }
    enum tn_dtype dtype = tn_lang_dtype(token->text);
    if (dtype != TN_UNDEFINED)
        return leaf(p, TN_LANG_DTYPE, dtype, 0);
    if (!tn_lang_name(p, "an expression").size)
        return NULL;
    p->at--;
    return leaf(p, TN_LANG_NAME, 0, 0);
}

static const struct tn_lang_expr *read_parentheses(struct tn_lang_parser *p)
{
    tn_lang_accept(p, "(");
    const struct tn_lang_expr *expr = tn_lang_expr(p);

    return expr && tn_lang_expect(p, ")") ? expr : NULL;
}

const struct tn_lang_expr *tn_lang_operand(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    switch (token->kind) {
    case TN_TOKEN_STRING: return leaf(p, TN_LANG_STRING, 0, 0);
    case TN_TOKEN_INT:
    case TN_TOKEN_FLOAT: return read_number(p);
    case TN_TOKEN_WORD: return read_word(p);
    default: break;
    }
    if (tn_lang_is(p, "["))
        return read_list(p, tn_lang_expr);
    if (tn_lang_is(p, "("))
        return read_parentheses(p);
    if (p->file->is_shapes && tn_lang_is(p, "?"))
        return leaf(p, TN_LANG_UNKNOWN, 0, 0);
    tn_lang_expected(p, "an expression");
    return NULL;
}

/* ---- operators ---------------------------------------------------------- */

enum level { OR = 1, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER };

static const struct binary {
    const char       *text;
    enum tn_lang_kind kind;
    enum level        level;
} operators[] = {
    { "or", TN_LANG_OR, OR },      { "and", TN_LANG_AND, AND },
    { "==", TN_LANG_EQ, COMPARE }, { "!=", TN_LANG_NE, COMPARE },
    { "<", TN_LANG_LT, COMPARE },  { "<=", TN_LANG_LE, COMPARE },
    { ">", TN_LANG_GT, COMPARE },  { ">=", TN_LANG_GE, COMPARE },
    { "in", TN_LANG_IN, COMPARE }, { "+", TN_LANG_ADD, SUM },
    { "-", TN_LANG_SUB, SUM },     { "*", TN_LANG_MUL, PRODUCT },
    { "/", TN_LANG_DIV, PRODUCT }, { "//", TN_LANG_FLOOR, PRODUCT },
    { "%", TN_LANG_MOD, PRODUCT }, { "**", TN_LANG_POWER, POWER },
};

static const struct binary *find_operator(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (tn_token_is(token, operators[i].text))
            return &operators[i];
    return NULL;
}

static const struct tn_lang_expr *read_from(struct tn_lang_parser *p,
                                            enum level             level);

/* -2 is a literal, so that -2^63 can be one too. */
static const struct tn_lang_expr *read_negative(struct tn_lang_parser *p)
{
    struct tn_map_place    place = place_of(p);
    const struct tn_token *token = (tn_lang_accept(p, "-"), tn_lang_look(p));

    if (token->kind == TN_TOKEN_INT && token->number > INT64_MAX)
        return leaf(p, TN_LANG_INT, INT64_MIN, 0);
    const struct tn_lang_expr *of = read_from(p, SIGN);
    if (!of || (of->kind != TN_LANG_INT && of->kind != TN_LANG_FLOAT))
        return of ? MAKE(p, TN_LANG_NEGATE, place, 1, of) : NULL;
    struct tn_lang_expr *negative = tn_lang_expr_new(p, of->kind, place);
    if (!negative)
        return NULL;
    negative->number = of->number == INT64_MIN ? 0 : -of->number;
    negative->real   = -of->real;
    return negative;
}

static const struct tn_lang_expr *read_prefix(struct tn_lang_parser *p,
                                              enum level             level)
{
    struct tn_map_place place = place_of(p);

    if (tn_lang_is(p, "-"))
        return read_negative(p);
    if (level <= NOT && tn_lang_accept(p, "not")) {
        const struct tn_lang_expr *of = read_from(p, NOT);
        return of ? MAKE(p, TN_LANG_NOT, place, 1, of) : NULL;
    }
    return read_postfix(p, tn_lang_operand(p));
}

/* left OP right, where OP comes next; ** binds to the right. */
static const struct tn_lang_expr *read_right(struct tn_lang_parser     *p,
                                             const struct binary       *binary,
                                             const struct tn_lang_expr *left)
{
    struct tn_map_place place = place_of(p);
    enum level next = binary->level == POWER ? POWER : binary->level + 1;
    const struct tn_lang_expr *right = (p->at++, read_from(p, next));
    const struct binary       *again = right ? find_operator(p) : NULL;

    if (again && binary->level == COMPARE && again->level == COMPARE) {
        tn_lang_expected(p, "one comparison at a time");
        return NULL;
    }
    return right ? MAKE(p, binary->kind, place, 2, left, right) : NULL;
}

/* a not in b */
static const struct tn_lang_expr *read_not_in(struct tn_lang_parser     *p,
                                              const struct tn_lang_expr *left)
{
    struct tn_map_place place = place_of(p);

    tn_lang_accept(p, "not");
    if (!tn_lang_is(p, "in")) {
        tn_lang_expected(p, "'in'");
        return NULL;
    }
    left = read_right(p, find_operator(p), left);
    return left ? MAKE(p, TN_LANG_NOT, place, 1, left) : NULL;
}

/* Operators of that level and those that bind tighter. */
static const struct tn_lang_expr *read_from(struct tn_lang_parser *p,
                                            enum level             level)
{
    if (!tn_lang_enter(p))
        return NULL;
    const struct tn_lang_expr *left = read_prefix(p, level);
    while (left) {
        const struct binary *binary = find_operator(p);

        if (binary && binary->level >= level)
            left = read_right(p, binary, left);
        else if (level <= COMPARE && tn_lang_is(p, "not"))
            left = read_not_in(p, left);
        else
            break;
    }
    tn_lang_leave(p);
    return left;
}

/* if c then a else b, where a and b are read by `read` */
static const struct tn_lang_expr *read_if(struct tn_lang_parser *p,
                                          reader                *read)
{
    struct tn_map_place        place = place_of(p);
    const struct tn_lang_expr *test, *yes, *no;

    tn_lang_accept(p, "if");
    if (!(test = tn_lang_expr(p)) || !tn_lang_expect(p, "then") ||
        !(yes = read(p)) || !tn_lang_expect(p, "else") || !(no = read(p)))
        return NULL;
    return MAKE(p, TN_LANG_IF, place, 3, test, yes, no);
}

const struct tn_lang_expr *tn_lang_expr(struct tn_lang_parser *p)
{
    if (!tn_lang_enter(p))
        return NULL;
    const struct tn_lang_expr *expr =
        tn_lang_is(p, "if") ? read_if(p, tn_lang_expr) : read_from(p, OR);
    tn_lang_leave(p);
    return expr;
}

/* ---- values ------------------------------------------------------------- */

static bool is_call_next(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    return token->kind == TN_TOKEN_WORD && token[1].kind == TN_TOKEN_MARK &&
           (tn_bytes_is(token[1].text, "(") ||
            tn_bytes_is(token[1].text, "::"));
}

/* op(...), domain::op(...) */
static const struct tn_lang_expr *read_call(struct tn_lang_parser *p)
{
    struct tn_lang_expr *call = tn_lang_expr_new(p, TN_LANG_CALL, place_of(p));

    if (!call)
        return NULL;
    call->text = tn_lang_word(p, "an op");
    if (tn_lang_accept(p, "::")) {
        call->domain = call->text;
        call->text   = tn_lang_word(p, "an op");
    }
    return call->text.size ? read_maker(p, call) : NULL;
}

static const struct tn_lang_expr *read_value(struct tn_lang_parser *p)
{
    if (tn_lang_is(p, "if"))
        return read_if(p, tn_lang_value);
    if (tn_lang_is(p, "["))
        return read_postfix(p, read_list(p, tn_lang_value));
    if (tn_lang_is(p, "none"))
        return leaf(p, TN_LANG_NONE, 0, 0);
    if (is_call_next(p))
        return read_call(p);
    if (!tn_lang_name(p, "a value: a name, an op or const()").size)
        return NULL;
    p->at--;
    return read_postfix(p, leaf(p, TN_LANG_NAME, 0, 0));
}

const struct tn_lang_expr *tn_lang_value(struct tn_lang_parser *p)
{
    if (!tn_lang_enter(p))
        return NULL;
    const struct tn_lang_expr *value = read_value(p);
    tn_lang_leave(p);
    return value;
}

/* ---- literals ----------------------------------------------------------- */

bool tn_lang_is_literal(const struct tn_lang_expr *expr)
{
    if (expr->kind == TN_LANG_UNKNOWN || expr->kind == TN_LANG_NAME)
        return false;
    if (expr->kind != TN_LANG_LIST)
        return expr->kind < TN_LANG_NAME;
    for (uint32_t i = 0; i < expr->item_count; i++)
        if (!tn_lang_is_literal(expr->items[i]))
            return false;
    return true;
}

const struct tn_lang_expr *tn_lang_literal(struct tn_lang_parser *p)
{
    const struct tn_lang_expr *expr = tn_lang_expr(p);

    if (!expr || tn_lang_is_literal(expr))
        return expr;
    tn_map_fail(p->error, &expr->place, TN_MALFORMED,
                "expected a literal: a number, string, type or list of these");
    return NULL;
}

bool tn_lang_is_same(const struct tn_lang_expr *a, const struct tn_lang_expr *b)
{
    if (a->kind != b->kind || a->number != b->number ||
        a->item_count != b->item_count || a->real < b->real ||
        a->real > b->real ||
        (a->kind == TN_LANG_STRING && !tn_bytes_equal(a->text, b->text)))
        return false;
    for (uint32_t i = 0; i < a->item_count; i++)
        if (!tn_lang_is_same(a->items[i], b->items[i]))
            return false;
    return true;
}
