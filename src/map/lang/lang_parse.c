/*
 * lang_parse.c - reads the rule language: what a file says, item by item
 *
 *   rules FROM -> TO 1 | rules FROM <-> TO 1 | shapes DIALECT 1
 *
 *   table NAME { literal: literal, ... }
 *   def NAME(names) = expr
 *   macro NAME(inputs; attrs) -> (outputs) { steps }
 *   HEAD => value             HEAD => native NAME
 *   HEAD { steps }            HEAD <=> call
 *   call <= HEAD
 *   HEAD : dtype dims = value; ...          in files of shapes
 *   example ...
 *   ignore NAME NAME ...
 *
 *   HEAD  domain::Op@since..until(inputs; attrs) -> (outputs) when expr
 *
 * An item begins at the left margin; what belongs to it is indented, or stands
 * in its braces.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "map/lang/lang_both.h"
#include "map/lang/lang_parser.h"

static bool read_block(struct tn_lang_parser *p, struct tn_lang_block *block);

/* ---- tokens, words and stacks: what every part of a rule is read with --- */

/* The deepest nesting of an item, so that a file cannot exhaust the call
 * stack. */
#define NESTING_LIMIT 64

/* ---- tokens ------------------------------------------------------------- */

const struct tn_token *tn_lang_look(struct tn_lang_parser *p)
{
    struct tn_token *token = tn_list_at(&p->tokens, struct tn_token, p->at);

    if (!token->is_margin || p->braces || p->at == p->item)
        return token;
    p->stop = (struct tn_token){ .place = token->place, .end = token->end };
    return &p->stop;
}

bool tn_lang_accept(struct tn_lang_parser *p, const char *text)
{
    bool is_next = tn_lang_is(p, text);

    p->at += is_next;
    return is_next;
}

bool tn_lang_expect(struct tn_lang_parser *p, const char *text)
{
    char what[24];

    if (tn_lang_accept(p, text))
        return true;
    snprintf(what, sizeof what, "'%s'", text);
    return tn_lang_expected(p, what);
}

bool tn_lang_expected(struct tn_lang_parser *p, const char *what)
{
    const struct tn_token *token = tn_lang_look(p);

    if (token->kind == TN_TOKEN_STRING)
        tn_location_fail(p->error, &token->place, TN_MALFORMED,
                         "expected %s, not a string", what);
    else if (token->kind != TN_TOKEN_END)
        tn_location_fail(p->error, &token->place, TN_MALFORMED,
                         "expected %s, not '%.*s'", what, TN_FMT(token->text));
    else
        tn_location_fail(p->error, &token->place, TN_MALFORMED,
                         "expected %s, not the end of %s", what,
                         token == &p->stop ? "what is indented" : "the file");
    return false;
}

/* ---- words -------------------------------------------------------------- */

static const char *const reserved[] = {
    "let", "if",   "then",  "else", "for", "in",  "when",   "and",     "or",
    "not", "true", "false", "none", "inf", "nan", "refuse", "require",
};

/* Words are compared with many others, most of which differ in the first
 * byte. */
static bool begins_alike(struct tn_bytes word, const char *other)
{
    return word.size && word.data[0] == (uint8_t)other[0];
}

static bool is_reserved(struct tn_bytes word)
{
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (begins_alike(word, reserved[i]) && tn_bytes_is(word, reserved[i]))
            return true;
    return false;
}

enum tn_dtype tn_lang_dtype(struct tn_bytes name)
{
    for (int dtype = 1; dtype < TN_DTYPE_COUNT; dtype++)
        if (begins_alike(name, tn_dtype_name((enum tn_dtype)dtype)) &&
            tn_bytes_is(name, tn_dtype_name((enum tn_dtype)dtype)))
            return (enum tn_dtype)dtype;
    return TN_UNDEFINED;
}

struct tn_bytes tn_lang_word(struct tn_lang_parser *p, const char *what)
{
    const struct tn_token *token = tn_lang_look(p);

    if (token->kind != TN_TOKEN_WORD) {
        tn_lang_expected(p, what);
        return tn_bytes(NULL, 0);
    }
    p->at++;
    return token->text;
}

struct tn_bytes tn_lang_name(struct tn_lang_parser *p, const char *what)
{
    const struct tn_token *token = tn_lang_look(p);

    if (token->kind != TN_TOKEN_WORD || !is_reserved(token->text))
        return tn_lang_word(p, what);
    tn_lang_expected(p, what);
    return tn_bytes(NULL, 0);
}

bool tn_lang_can_be_bound(struct tn_bytes word)
{
    return !is_reserved(word) && tn_lang_dtype(word) == TN_UNDEFINED;
}

/* A name that the item binds: `float32` would never be seen again. */
static struct tn_bytes bound_name(struct tn_lang_parser *p, const char *what)
{
    struct tn_location place = tn_lang_look(p)->place;
    struct tn_bytes    name  = tn_lang_name(p, what);

    if (!name.size || tn_lang_dtype(name) == TN_UNDEFINED)
        return name;
    tn_location_fail(p->error, &place, TN_MALFORMED,
                     "expected %s, not the type '%.*s'", what, TN_FMT(name));
    return tn_bytes(NULL, 0);
}

/* ---- depth and stacks --------------------------------------------------- */

/* One level deeper; false and LIMIT past the bound. */
bool tn_lang_enter(struct tn_lang_parser *p)
{
    if (p->depth++ < NESTING_LIMIT)
        return true;
    tn_location_fail(p->error, &tn_lang_look(p)->place, TN_LIMIT,
                     "nested deeper than %d levels", NESTING_LIMIT);
    return false;
}

void tn_lang_leave(struct tn_lang_parser *p)
{
    p->depth--;
}

/* Copies what is above `mark` in a stack to the arena; NULL: failed.  The stack
 * is cut back to the mark. */
static void *cut(struct tn_lang_parser *p, struct tn_list *stack, uint64_t mark,
                 uint32_t *count)
{
    uint64_t above = stack->count - mark;
    size_t   size  = stack->item_size;
    void    *copy  = tn_arena_array(p->arena, above ? above : 1, size,
                                    alignof(max_align_t), p->error);

    *count = (uint32_t)above;
    if (!copy)
        return NULL;
    if (above)
        memcpy(copy, (uint8_t *)stack->items + mark * size,
               (size_t)(above * size));
    stack->count = mark;
    return copy;
}

/* ---- beginning and end -------------------------------------------------- */

bool tn_lang_parser_open(struct tn_lang_parser *p, struct tn_lang_file *file,
                         struct tn_bytes text, const struct tn_location *begin,
                         struct tn_error *error)
{
    struct tn_memory *memory = file->arena->memory;

    *p = (struct tn_lang_parser){
        .file = file, .arena = file->arena, .error = error, .text = text
    };
    tn_list_init(&p->tokens, memory, sizeof(struct tn_token));
    tn_list_init(&p->exprs, memory, sizeof(const struct tn_lang_expr *));
    tn_list_init(&p->attrs, memory, sizeof(struct tn_lang_attr));
    tn_list_init(&p->params, memory, sizeof(struct tn_lang_param));
    tn_list_init(&p->names, memory, sizeof(struct tn_bytes));
    tn_list_init(&p->steps, memory, sizeof(struct tn_lang_step));
    return tn_lang_lex(&p->tokens, p->arena, text, begin, error) == TN_OK;
}

void tn_lang_parser_close(struct tn_lang_parser *p)
{
    tn_list_done(&p->tokens);
    tn_list_done(&p->exprs);
    tn_list_done(&p->attrs);
    tn_list_done(&p->params);
    tn_list_done(&p->names);
    tn_list_done(&p->steps);
}

/* ---- reads the expressions and values of the rule language -------------- */

/*
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

/* More attributes or arguments than any op has. */
#define ATTR_LIMIT 256

static struct tn_location place_of(struct tn_lang_parser *p)
{
    return tn_lang_look(p)->place;
}

/* ---- making nodes of the tree ------------------------------------------- */

struct tn_lang_expr *tn_lang_expr_new(struct tn_lang_parser *p,
                                      enum tn_lang_kind      kind,
                                      struct tn_location     place)
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
    tn_location_fail(p->error, &expr->place, TN_LIMIT,
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
                                       struct tn_location                place,
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
    struct tn_location         place = place_of(p);
    const struct tn_lang_expr *expr  = read(p);

    if (!expr || !tn_lang_accept(p, "..."))
        return expr;
    return MAKE(p, TN_LANG_SPREAD, place, 1, expr);
}

/* for x in xs if c, after the element; the brackets are the caller's. */
static const struct tn_lang_expr *read_each(struct tn_lang_parser     *p,
                                            struct tn_location         place,
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
    struct tn_location place = place_of(p);
    uint64_t           mark  = p->exprs.count;

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
    void    *items = cut(p, &p->exprs, mark, &count);
    return tn_lang_expr_of(p, tn_lang_expr_new(p, TN_LANG_LIST, place), items,
                           count);
}

/* ---- calls -------------------------------------------------------------- */

/* Whether an attribute of that name is above the mark. */
static bool has_attr(const struct tn_lang_parser *p, uint64_t mark,
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
    if (has_attr(p, mark, attr.name))
        return tn_location_fail(p->error, &attr.place, TN_MALFORMED,
                                "'%.*s' is set twice",
                                TN_FMT(attr.name)) == TN_OK;
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
            return tn_location_fail(p->error, &call->place, TN_LIMIT,
                                    "more than %d attributes",
                                    ATTR_LIMIT) == TN_OK;
    } while (tn_lang_accept(p, ","));
    call->attrs = cut(p, &p->attrs, mark, &call->attr_count);
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
    void    *items = cut(p, &p->exprs, mark, &count);
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
        tn_location_fail(p->error, &call->place, TN_MALFORMED,
                         "'%.*s' makes nodes: it cannot stand in an expression",
                         TN_FMT(call->text));
        return NULL;
    }
    return read_arguments(p, call, tn_lang_expr, false);
}

/* A macro, op or constant: what makes nodes. */
static const struct tn_lang_expr *read_maker(struct tn_lang_parser *p,
                                             struct tn_lang_expr   *call)
{
    if (!call->domain.size && tn_bytes_is(call->text, "const")) {
        call->callee = TN_LANG_TO_CONST;
        return read_arguments(p, call, tn_lang_expr, false);
    }
    if (!call->domain.size && tn_bytes_is(call->text, "rescaled")) {
        call->callee = TN_LANG_TO_RESCALED;
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
    if (kind == TN_LANG_NAME || kind == TN_LANG_STRING)
        expr->text = token->text;
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
    tn_location_fail(p->error, &token->place, TN_MALFORMED,
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

/* Without operators and indices: what else is there must be in parentheses. */
static const struct tn_lang_expr *operand(struct tn_lang_parser *p)
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
    struct tn_location     place = place_of(p);
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
    struct tn_location place = place_of(p);

    if (tn_lang_is(p, "-"))
        return read_negative(p);
    if (level <= NOT && tn_lang_accept(p, "not")) {
        const struct tn_lang_expr *of = read_from(p, NOT);
        return of ? MAKE(p, TN_LANG_NOT, place, 1, of) : NULL;
    }
    return read_postfix(p, operand(p));
}

/* left OP right, where OP comes next; ** binds to the right. */
static const struct tn_lang_expr *read_right(struct tn_lang_parser     *p,
                                             const struct binary       *binary,
                                             const struct tn_lang_expr *left)
{
    struct tn_location place = place_of(p);
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
    struct tn_location place = place_of(p);

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
    struct tn_location         place = place_of(p);
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
    tn_location_fail(
        p->error, &expr->place, TN_MALFORMED,
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

/* ---- reads heads and steps of the rule language ------------------------- */

/*
 *   head   domain::Op@since..until(inputs; attrs) -> (outputs) when expr
 *   input  X | B? | xs... | literal as X |
 *          [once] [maybe] op(inputs; attrs)[N] as X
 *          Op{a, b}: two inputs in any order
 *   attr   name | name as a | name = expr | name as a = expr |
 *          name: literal | -name
 *   step   let x = expr | a, b... <- value | refuse expr |
 *          require expr, "why" | if expr { } else { } | for i, x in expr { }
 */

/* More than any op has. */
#define PARAM_LIMIT 256

/* Pushes a name; an empty one is a failure that was reported. */
static bool push_name(struct tn_lang_parser *p, struct tn_bytes name)
{
    struct tn_bytes *to =
        name.size ? tn_list_push(&p->names, struct tn_bytes, p->error) : NULL;

    if (to)
        *to = name;
    return to;
}

/* ---- heads -------------------------------------------------------------- */

static bool is_bound_above(const struct tn_lang_parser *p, uint64_t mark,
                           struct tn_bytes name)
{
    for (uint64_t i = mark; i < p->params.count; i++)
        if (tn_bytes_equal(
                tn_list_at(&p->params, struct tn_lang_param, i)->name, name))
            return true;
    return false;
}

/* A node of a pattern comes next: "Conv(", "Conv{", "Conv@7", "a::Conv". */
static bool is_op_at(const struct tn_token *token)
{
    return token->kind == TN_TOKEN_WORD && !token[1].is_margin &&
           (tn_token_is(&token[1], "(") || tn_token_is(&token[1], "{") ||
            tn_token_is(&token[1], "@") || tn_token_is(&token[1], "::"));
}

static bool is_pattern_next(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    if (token->kind != TN_TOKEN_WORD)
        return false;
    bool is_word = tn_token_is(token, "once") || tn_token_is(token, "maybe");
    return is_op_at(token) ||
           (is_word && token[1].kind == TN_TOKEN_WORD && !token[1].is_margin);
}

static bool accept_before_op(struct tn_lang_parser *p, const char *word)
{
    return !is_op_at(tn_lang_look(p)) && tn_lang_accept(p, word);
}

static bool read_op(struct tn_lang_parser *p, struct tn_lang_head *head);
static bool read_head_arguments(struct tn_lang_parser *p,
                                struct tn_lang_head   *head);

/* [N]: which output of the node; without it the first. */
static bool read_output_number(struct tn_lang_parser *p, uint32_t *output)
{
    if (!tn_lang_accept(p, "["))
        return true;
    const struct tn_token *token = tn_lang_look(p);
    if (token->kind != TN_TOKEN_INT || token->number > PARAM_LIMIT)
        return tn_lang_expected(p, "the number of an output");
    *output = (uint32_t)token->number;
    p->at++;
    return tn_lang_expect(p, "]");
}

static bool read_pattern(struct tn_lang_parser *p, struct tn_lang_param *param)
{
    struct tn_lang_pattern *pattern =
        tn_new(p->arena, struct tn_lang_pattern, 1, p->error);

    if (!pattern || !tn_lang_enter(p))
        return false;
    if (!p->may_match)
        return tn_lang_expected(p, "a name: only the left side of '=>' has "
                                   "nodes in it");
    if (++p->pattern_nodes > TN_LANG_PATTERN_NODES)
        return tn_location_fail(p->error, &param->place, TN_LIMIT,
                                "a pattern of more than %d nodes",
                                TN_LANG_PATTERN_NODES) == TN_OK;
    pattern->is_once  = accept_before_op(p, "once");
    pattern->is_maybe = accept_before_op(p, "maybe");
    if (!read_op(p, &pattern->head) ||
        !read_head_arguments(p, &pattern->head) ||
        !read_output_number(p, &pattern->output))
        return false;
    if (pattern->is_maybe && (!pattern->head.input_count || pattern->output))
        return tn_location_fail(
                   p->error, &param->place, TN_MALFORMED,
                   "'maybe' needs a node with an input, and is about "
                   "its first output") == TN_OK;
    tn_lang_leave(p);
    param->maker = pattern;
    param->name =
        tn_lang_accept(p, "as") ? bound_name(p, "a name") : tn_text("_");
    return param->name.size;
}

static bool is_literal_next(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    return token->kind == TN_TOKEN_INT || token->kind == TN_TOKEN_FLOAT ||
           tn_token_is(token, "-") || tn_token_is(token, "true") ||
           tn_token_is(token, "false");
}

/* X, B?, xs..., or what must be there. */
static bool read_param(struct tn_lang_parser *p, uint64_t mark)
{
    struct tn_lang_param param = { .place = tn_lang_look(p)->place };

    if (p->may_match && is_literal_next(p)) {
        param.literal = tn_lang_literal(p);
        if (!param.literal)
            return false;
        param.name =
            tn_lang_accept(p, "as") ? bound_name(p, "a name") : tn_text("_");
        if (!param.name.size)
            return false;
    } else if (is_pattern_next(p)) {
        if (!read_pattern(p, &param))
            return false;
    } else {
        param.name = bound_name(p, "a name");
        if (!param.name.size)
            return false;
        if (!p->may_match && is_bound_above(p, mark, param.name))
            return tn_location_fail(p->error, &param.place, TN_MALFORMED,
                                    "'%.*s' is there already",
                                    TN_FMT(param.name)) == TN_OK;
        if (tn_lang_accept(p, "?"))
            param.arity = TN_LANG_OPTIONAL;
        else if (tn_lang_accept(p, "..."))
            param.arity = TN_LANG_MANY;
    }
    struct tn_lang_param *to =
        tn_list_push(&p->params, struct tn_lang_param, p->error);
    if (to)
        *to = param;
    return to;
}

/* Up to ')', '}' or ';', which is left. */
static const struct tn_lang_param *read_params(struct tn_lang_parser *p,
                                               uint32_t              *count)
{
    uint64_t mark = p->params.count;

    while (!tn_lang_is(p, ")") && !tn_lang_is(p, ";") && !tn_lang_is(p, "}")) {
        if (!read_param(p, mark))
            return NULL;
        const struct tn_lang_param *last =
            tn_list_at(&p->params, struct tn_lang_param, p->params.count - 1);
        if (p->params.count - mark > PARAM_LIMIT) {
            tn_location_fail(p->error, &last->place, TN_LIMIT,
                             "more than %d names", PARAM_LIMIT);
            return NULL;
        }
        if (last->arity == TN_LANG_MANY || !tn_lang_accept(p, ","))
            break; /* what takes the rest is the last */
    }
    return cut(p, &p->params, mark, count);
}

/* name | name as a | name = expr | name as a = expr | name: literal | -name */
static bool read_head_attr(struct tn_lang_parser *p, struct tn_lang_attr *attr)
{
    attr->is_ignored = tn_lang_accept(p, "-");
    attr->place      = tn_lang_look(p)->place;
    attr->name       = tn_lang_word(p, "the name of an attribute");
    if (!attr->name.size || attr->is_ignored)
        return attr->name.size;
    if (tn_lang_accept(p, ":")) {
        attr->is_match = true;
        attr->value    = tn_lang_literal(p);
        return attr->value;
    }
    attr->as = attr->name;
    if (!tn_lang_accept(p, "as"))
        p->at--; /* its own name must be one that can be bound */
    attr->as = bound_name(p, "a name");
    if (!attr->as.size || !tn_lang_accept(p, "="))
        return attr->as.size;
    attr->value = tn_lang_expr(p);
    return attr->value;
}

static bool read_head_attrs(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    uint64_t mark = p->attrs.count;

    do {
        struct tn_lang_attr attr = { 0 };

        if (!read_head_attr(p, &attr))
            return false;
        if (has_attr(p, mark, attr.name))
            return tn_location_fail(p->error, &attr.place, TN_MALFORMED,
                                    "'%.*s' is there already",
                                    TN_FMT(attr.name)) == TN_OK;
        if (p->attrs.count - mark >= PARAM_LIMIT)
            return tn_location_fail(p->error, &attr.place, TN_LIMIT,
                                    "more than %d attributes",
                                    PARAM_LIMIT) == TN_OK;
        struct tn_lang_attr *to =
            tn_list_push(&p->attrs, struct tn_lang_attr, p->error);
        if (!to)
            return false;
        *to = attr;
    } while (tn_lang_accept(p, ","));
    head->attrs = cut(p, &p->attrs, mark, &head->attr_count);
    return head->attrs;
}

/* {a, b} */
static bool check_swapped(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    bool is_pair = head->input_count == 2 &&
                   head->inputs[0].arity == TN_LANG_ONE &&
                   head->inputs[1].arity == TN_LANG_ONE;

    if (!is_pair)
        return tn_location_fail(p->error, &head->place, TN_MALFORMED,
                                "'{}' is for two inputs in any order") == TN_OK;
    if (++p->pattern_swaps > TN_LANG_PATTERN_SWAPS)
        return tn_location_fail(p->error, &head->place, TN_LIMIT,
                                "more than %d nodes with inputs in any order",
                                TN_LANG_PATTERN_SWAPS) == TN_OK;
    return true;
}

/* (inputs; attrs) */
static bool read_head_arguments(struct tn_lang_parser *p,
                                struct tn_lang_head   *head)
{
    head->is_any_order = p->may_match && tn_lang_accept(p, "{");
    const char *end    = head->is_any_order ? "}" : ")";

    if (!head->is_any_order && !tn_lang_expect(p, "("))
        return false;
    head->inputs = read_params(p, &head->input_count);
    if (!head->inputs || (tn_lang_accept(p, ";") && !read_head_attrs(p, head)))
        return false;
    if (!tn_lang_is(p, end))
        return tn_lang_expected(p, head->is_any_order ? "',' or '}'"
                                                      : "',' or ')'");
    tn_lang_accept(p, end);
    return !head->is_any_order || check_swapped(p, head);
}

/* -> (outputs); without it there is one. */
static bool read_outputs(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    p->may_match = false; /* outputs have names alone */
    if (tn_lang_accept(p, "->")) {
        if (!tn_lang_expect(p, "("))
            return false;
        head->outputs = read_params(p, &head->output_count);
        return head->outputs && tn_lang_expect(p, ")");
    }
    struct tn_lang_param *only =
        tn_new(p->arena, struct tn_lang_param, 1, p->error);
    if (!only)
        return false;
    *only         = (struct tn_lang_param){ .name  = tn_text(TN_LANG_OUTPUT),
                                            .place = head->place };
    head->outputs = only;
    head->output_count = 1;
    return true;
}

static bool read_version(struct tn_lang_parser *p, int64_t *version)
{
    const struct tn_token *token = tn_lang_look(p);

    if (token->kind != TN_TOKEN_INT || token->number > INT32_MAX)
        return tn_lang_expected(p, "a version");
    *version = (int64_t)token->number;
    p->at++;
    return true;
}

/* @7, @7..12, @7.. or @..12 */
static bool read_versions(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    struct tn_location place = tn_lang_look(p)->place;

    head->until = INT64_MAX;
    if (!tn_lang_accept(p, "@"))
        return true;
    if (!tn_lang_is(p, "..") && !read_version(p, &head->since))
        return false;
    if (!tn_lang_accept(p, ".."))
        head->until = head->since;
    else if (!tn_lang_is(p, "(") && !read_version(p, &head->until))
        return false;
    if (head->since > head->until)
        return tn_location_fail(p->error, &place, TN_MALFORMED,
                                "versions from %" PRId64 " to %" PRId64,
                                head->since, head->until) == TN_OK;
    return true;
}

static bool read_op(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    head->place = tn_lang_look(p)->place;
    head->op    = tn_lang_word(p, "an op");
    if (tn_lang_accept(p, "::")) {
        head->domain = head->op;
        head->op     = tn_lang_word(p, "an op");
    }
    return head->op.size && read_versions(p, head);
}

static bool read_head(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    if (!read_op(p, head) || !read_head_arguments(p, head) ||
        !read_outputs(p, head))
        return false;
    return !tn_lang_accept(p, "when") || (head->guard = tn_lang_expr(p));
}

/* ---- steps -------------------------------------------------------------- */

static bool read_let(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    step->kind = TN_LANG_LET;
    if (!push_name(p, bound_name(p, "a name")) || !tn_lang_expect(p, "="))
        return false;
    return (step->expr = tn_lang_expr(p));
}

static bool read_refuse(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    step->kind = TN_LANG_REFUSE;
    return (step->expr = tn_lang_expr(p));
}

static bool read_require(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    step->kind = TN_LANG_REQUIRE;
    step->expr = tn_lang_expr(p);
    if (!step->expr || !tn_lang_expect(p, ","))
        return false;
    if (tn_lang_look(p)->kind != TN_TOKEN_STRING)
        return tn_lang_expected(p, "a string that says why not");
    step->why = tn_lang_look(p)->text;
    p->at++;
    return true;
}

static bool read_else(struct tn_lang_parser *p, struct tn_lang_block *other);

static bool read_when(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    step->kind = TN_LANG_WHEN;
    step->expr = tn_lang_expr(p);
    if (!step->expr || !read_block(p, &step->body))
        return false;
    return !tn_lang_accept(p, "else") || read_else(p, &step->other);
}

/* { steps }, or another if, which is then a block of one step. */
static bool read_else(struct tn_lang_parser *p, struct tn_lang_block *other)
{
    struct tn_location place = tn_lang_look(p)->place;

    if (!tn_lang_accept(p, "if"))
        return read_block(p, other);
    struct tn_lang_step *step =
        tn_lang_enter(p) ? tn_new(p->arena, struct tn_lang_step, 1, p->error)
                         : NULL;
    if (!step || !read_when(p, step))
        return false;
    step->place = place;
    *other      = (struct tn_lang_block){ step, 1 };
    tn_lang_leave(p);
    return true;
}

static bool read_for(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    uint64_t mark = p->names.count;

    step->kind = TN_LANG_FOR;
    do
        if (!push_name(p, bound_name(p, "a name")))
            return false;
    while (p->names.count - mark < 2 && tn_lang_accept(p, ","));
    step->names = cut(p, &p->names, mark, &step->name_count);
    if (!step->names || !tn_lang_expect(p, "in"))
        return false;
    step->expr = tn_lang_expr(p);
    return step->expr && read_block(p, &step->body);
}

/* a, b <- value; a, bs... <- value */
static bool read_emit(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    step->kind = TN_LANG_EMIT;
    do {
        if (!push_name(p, bound_name(p, "a step")))
            return false;
        step->last_is_many = tn_lang_accept(p, "...");
    } while (!step->last_is_many && tn_lang_accept(p, ","));
    return tn_lang_expect(p, "<-") && (step->expr = tn_lang_value(p));
}

typedef bool step_reader(struct tn_lang_parser *p, struct tn_lang_step *step);

static const struct {
    const char  *word;
    step_reader *read;
} step_kinds[] = {
    { "let", read_let },       { "if", read_when },         { "for", read_for },
    { "refuse", read_refuse }, { "require", read_require },
};

static step_reader *find_step(struct tn_lang_parser *p)
{
    for (size_t i = 0; i < sizeof step_kinds / sizeof step_kinds[0]; i++)
        if (tn_lang_accept(p, step_kinds[i].word))
            return step_kinds[i].read;
    return read_emit;
}

static bool read_step(struct tn_lang_parser *p)
{
    struct tn_lang_step step = { .place = tn_lang_look(p)->place };
    uint64_t            mark = p->names.count;

    if (!find_step(p)(p, &step))
        return false;
    if (!step.names)
        step.names = cut(p, &p->names, mark, &step.name_count);
    struct tn_lang_step *to =
        step.names ? tn_list_push(&p->steps, struct tn_lang_step, p->error)
                   : NULL;
    if (to)
        *to = step;
    return to;
}

/* { steps } */
static bool read_block(struct tn_lang_parser *p, struct tn_lang_block *block)
{
    uint64_t mark = p->steps.count;

    if (!tn_lang_enter(p) || !tn_lang_expect(p, "{"))
        return false;
    p->braces++;
    while (!tn_lang_is(p, "}"))
        if (!read_step(p))
            return false;
    tn_lang_accept(p, "}");
    p->braces--;
    tn_lang_leave(p);
    block->steps = cut(p, &p->steps, mark, &block->count);
    return block->steps;
}

/* Definitions of a kind: they are searched one by one. */
#define DEFINITION_LIMIT 1024

/* ---- bodies ------------------------------------------------------------- */

bool tn_lang_one_step(struct tn_lang_parser *p, struct tn_lang_rule *rule,
                      const struct tn_lang_expr *value)
{
    const struct tn_lang_head *head = &rule->head;
    struct tn_lang_step       *step =
        tn_new(p->arena, struct tn_lang_step, 1, p->error);
    struct tn_bytes *names =
        tn_new(p->arena, struct tn_bytes, head->output_count, p->error);

    if (!step || !names)
        return false;
    for (uint32_t i = 0; i < head->output_count; i++) {
        names[i]           = head->outputs[i].name;
        step->last_is_many = head->outputs[i].arity == TN_LANG_MANY;
    }
    step->kind       = TN_LANG_EMIT;
    step->names      = names;
    step->name_count = head->output_count;
    step->expr       = value;
    step->place      = value->place;
    rule->body       = (struct tn_lang_block){ step, 1 };
    return true;
}

/* => value, or => native NAME */
static bool read_way_there(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    const struct tn_token *next = tn_lang_look(p) + 1;

    if (tn_lang_is(p, "native") && next->kind == TN_TOKEN_WORD &&
        !next->is_margin) {
        tn_lang_accept(p, "native");
        rule->native = tn_lang_word(p, "a function");
        return rule->native.size;
    }
    const struct tn_lang_expr *value = tn_lang_value(p);
    return value && tn_lang_one_step(p, rule, value);
}

static bool read_steps(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    if (rule->head.output_count &&
        tn_bytes_is(rule->head.outputs[0].name, TN_LANG_OUTPUT))
        return tn_lang_expected(p, "'-> (outputs)' before a block");
    return read_block(p, &rule->body);
}

/* ---- shapes ------------------------------------------------------------- */

/* dtype dims [= value]; ? is what is not known. */
static bool read_shape(struct tn_lang_parser *p, struct tn_lang_shape *shape)
{
    if (!tn_lang_accept(p, "?") && !(shape->dtype = operand(p)))
        return false;
    if (!tn_lang_accept(p, "?") && !(shape->dims = tn_lang_expr(p)))
        return false;
    return !tn_lang_accept(p, "=") || (shape->value = tn_lang_expr(p));
}

static bool read_shapes(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    struct tn_lang_shape *shapes = tn_new(p->arena, struct tn_lang_shape,
                                          rule->head.output_count, p->error);

    if (!shapes || !tn_lang_expect(p, ":"))
        return false;
    for (uint32_t i = 0; i < rule->head.output_count; i++)
        if ((i && !tn_lang_expect(p, ";")) || !read_shape(p, &shapes[i]))
            return false;
    rule->shapes      = shapes;
    rule->shape_count = rule->head.output_count;
    return true;
}

/* ---- rules -------------------------------------------------------------- */

/* The text of an item, from the margin to the last token that was read. */
static struct tn_lang_piece text_of_item(const struct tn_lang_parser *p)
{
    uint64_t begin = tn_list_at(&p->tokens, struct tn_token, p->item)->begin;
    uint64_t end   = tn_list_at(&p->tokens, struct tn_token, p->at - 1)->end;

    return (struct tn_lang_piece){ (uint32_t)begin, (uint32_t)(end - begin) };
}

static bool add_rule(struct tn_lang_parser *p, struct tn_list *to,
                     const struct tn_lang_rule *rule)
{
    struct tn_lang_rule *added =
        tn_list_push(to, struct tn_lang_rule, p->error);

    if (!added)
        return false;
    *added             = *rule;
    added->text        = text_of_item(p);
    added->has_pattern = tn_lang_has_pattern(&rule->head);
    return true;
}

/* call <= HEAD: whether the parenthesis that the op opens is followed by <=. */
static bool is_way_back(struct tn_lang_parser *p)
{
    const struct tn_token *token =
        tn_list_at(&p->tokens, struct tn_token, p->at);
    uint32_t open = 0;

    for (; token->kind != TN_TOKEN_END; token++) {
        if (token->kind != TN_TOKEN_MARK)
            continue;
        if (tn_bytes_is(token->text, "("))
            open++;
        else if (tn_bytes_is(token->text, ")") && --open == 0)
            return token[1].kind == TN_TOKEN_MARK &&
                   tn_bytes_is(token[1].text, "<=");
        if (!open && !tn_bytes_is(token->text, "::"))
            return false;
    }
    return false;
}

static bool read_back_rule(struct tn_lang_parser *p)
{
    struct tn_lang_rule        rule  = { .place = tn_lang_look(p)->place };
    const struct tn_lang_expr *value = tn_lang_value(p);

    if (!value || !tn_lang_expect(p, "<=") || !read_head(p, &rule.head))
        return false;
    if (!p->file->is_both_ways)
        return tn_location_fail(p->error, &rule.place, TN_MALFORMED,
                                "a way back in rules of one direction") ==
               TN_OK;
    return tn_lang_one_step(p, &rule, value) &&
           add_rule(p, &p->file->back, &rule);
}

/* HEAD <=> call: one rule each way. */
static bool read_both(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    struct tn_lang_rule back = { .place = rule->place };

    p->may_ignore                   = true;
    const struct tn_lang_expr *call = tn_lang_value(p);
    p->may_ignore                   = false;
    if (!call)
        return false;
    if (!p->file->is_both_ways)
        return tn_location_fail(p->error, &rule->place, TN_MALFORMED,
                                "'<=>' in rules of one direction") == TN_OK;
    if (!tn_lang_both(p, rule, call, &back) ||
        !add_rule(p, &p->file->rules, rule))
        return false;
    return !back.head.op.size || add_rule(p, &p->file->back, &back);
}

/* Of a rule that makes nodes: its inputs may be patterns. */
static bool read_matching_head(struct tn_lang_parser *p,
                               struct tn_lang_head   *head)
{
    p->may_match     = !p->file->is_shapes;
    p->pattern_nodes = p->pattern_swaps = 0;
    bool is_read                        = read_head(p, head);
    p->may_match                        = false;
    return is_read;
}

static bool read_rule(struct tn_lang_parser *p)
{
    struct tn_lang_rule rule = { .place = tn_lang_look(p)->place };

    if (!p->file->is_shapes && is_way_back(p))
        return read_back_rule(p);
    if (!read_matching_head(p, &rule.head))
        return false;
    if (p->file->is_shapes)
        return read_shapes(p, &rule) && add_rule(p, &p->file->rules, &rule);
    if (tn_lang_has_pattern(&rule.head) && tn_lang_is(p, "<=>"))
        return tn_lang_expected(p, "'=>' or '{': a pattern leads one way");
    if (tn_lang_accept(p, "<=>"))
        return read_both(p, &rule);
    if (tn_lang_is(p, "{"))
        return read_steps(p, &rule) && add_rule(p, &p->file->rules, &rule);
    if (!tn_lang_accept(p, "=>"))
        return tn_lang_expected(p, "'=>', '<=>', '{', '->' or 'when'");
    return read_way_there(p, &rule) && add_rule(p, &p->file->rules, &rule);
}

/* ---- definitions -------------------------------------------------------- */

static bool is_defined(const struct tn_lang_file *file, struct tn_bytes name)
{
    for (uint64_t i = 0; i < file->defs.count; i++)
        if (tn_bytes_equal(tn_list_at(&file->defs, struct tn_lang_def, i)->name,
                           name))
            return true;
    for (uint64_t i = 0; i < file->tables.count; i++)
        if (tn_bytes_equal(
                tn_list_at(&file->tables, struct tn_lang_table, i)->name, name))
            return true;
    for (uint64_t i = 0; i < file->macros.count; i++)
        if (tn_bytes_equal(
                tn_list_at(&file->macros, struct tn_lang_macro, i)->name, name))
            return true;
    return false;
}

/* The name of a def, table or macro: new in the file. */
static struct tn_bytes new_name(struct tn_lang_parser *p, struct tn_list *list)
{
    struct tn_location place = tn_lang_look(p)->place;
    struct tn_bytes    name  = tn_lang_name(p, "a name");

    if (name.size && is_defined(p->file, name))
        tn_location_fail(p->error, &place, TN_MALFORMED,
                         "'%.*s' is defined already", TN_FMT(name));
    else if (name.size && list->count >= DEFINITION_LIMIT)
        tn_location_fail(p->error, &place, TN_LIMIT, "more than %d of a kind",
                         DEFINITION_LIMIT);
    else
        return name;
    return tn_bytes(NULL, 0);
}

/* def NAME(x, y) = expr */
static bool read_def(struct tn_lang_parser *p)
{
    struct tn_lang_def def  = { .place = tn_lang_look(p)->place };
    uint64_t           mark = p->names.count;

    def.name = new_name(p, &p->file->defs);
    if (!def.name.size || !tn_lang_expect(p, "("))
        return false;
    if (!tn_lang_is(p, ")"))
        do
            if (!push_name(p, bound_name(p, "a name")))
                return false;
        while (tn_lang_accept(p, ","));
    def.params = cut(p, &p->names, mark, &def.param_count);
    if (!def.params || !tn_lang_expect(p, ")") || !tn_lang_expect(p, "=") ||
        !(def.body = tn_lang_expr(p)))
        return false;
    struct tn_lang_def *to =
        tn_list_push(&p->file->defs, struct tn_lang_def, p->error);
    if (to)
        *to = def;
    return to;
}

static bool push_literal(struct tn_lang_parser *p)
{
    const struct tn_lang_expr  *expr = tn_lang_literal(p);
    const struct tn_lang_expr **to =
        expr ? tn_list_push(&p->exprs, const struct tn_lang_expr *, p->error)
             : NULL;

    if (to)
        *to = expr;
    return to;
}

/* { literal: literal, ... }; keys and values lie in turn on the stack. */
static bool read_pairs(struct tn_lang_parser *p, struct tn_lang_table *table)
{
    uint64_t mark = p->exprs.count;

    while (!tn_lang_is(p, "}")) {
        if (!push_literal(p) || !tn_lang_expect(p, ":") || !push_literal(p))
            return false;
        if (!tn_lang_accept(p, ","))
            break;
    }
    table->count = (uint32_t)(p->exprs.count - mark) / 2;
    table->keys =
        tn_new(p->arena, const struct tn_lang_expr *, table->count, p->error);
    table->values =
        tn_new(p->arena, const struct tn_lang_expr *, table->count, p->error);
    if (!table->keys || !table->values)
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct tn_lang_expr **pair = tn_list_at(
            &p->exprs, const struct tn_lang_expr *, mark + 2 * (uint64_t)i);
        table->keys[i]   = pair[0];
        table->values[i] = pair[1];
    }
    p->exprs.count = mark;
    return true;
}

static bool read_table(struct tn_lang_parser *p)
{
    struct tn_lang_table table = { .place = tn_lang_look(p)->place };

    table.name = new_name(p, &p->file->tables);
    if (!table.name.size || !tn_lang_expect(p, "{"))
        return false;
    p->braces++;
    if (!read_pairs(p, &table) || !tn_lang_expect(p, "}"))
        return false;
    p->braces--;
    struct tn_lang_table *to =
        tn_list_push(&p->file->tables, struct tn_lang_table, p->error);
    if (to)
        *to = table;
    return to;
}

/* macro NAME(inputs; attrs) -> (outputs) { steps } */
static bool read_macro(struct tn_lang_parser *p)
{
    struct tn_lang_macro macro = { .place = tn_lang_look(p)->place };

    macro.name       = new_name(p, &p->file->macros);
    macro.head.op    = macro.name;
    macro.head.until = INT64_MAX;
    macro.head.place = macro.place;
    if (!macro.name.size || !read_head_arguments(p, &macro.head))
        return false;
    if (!tn_lang_is(p, "->"))
        return tn_lang_expected(p, "'->'");
    if (!read_outputs(p, &macro.head) || !read_block(p, &macro.body))
        return false;
    struct tn_lang_macro *to =
        tn_list_push(&p->file->macros, struct tn_lang_macro, p->error);
    if (to)
        *to = macro;
    return to;
}

/* ---- examples ----------------------------------------------------------- */

static bool is_example_next(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    return tn_lang_is(p, "example") && token->is_first &&
           token[1].kind == TN_TOKEN_WORD;
}

/* The text up to the next example or item. */
static bool read_example(struct tn_lang_parser *p, bool is_back)
{
    struct tn_list        *rules   = is_back ? &p->file->back : &p->file->rules;
    struct tn_lang_example example = { .is_back = is_back,
                                       .rule    = (uint32_t)rules->count - 1,
                                       .place   = tn_lang_look(p)[1].place };
    const struct tn_token *first = tn_lang_look(p) + 1, *last = first;

    if (!rules->count)
        return tn_lang_expected(p, "a rule before an example");
    for (p->at++; tn_lang_look(p)->kind != TN_TOKEN_END && !is_example_next(p);
         p->at++)
        last = tn_lang_look(p);
    struct tn_lang_example *to =
        tn_list_push(&p->file->examples, struct tn_lang_example, p->error);
    if (!to)
        return false;
    example.text = (struct tn_lang_piece){
        (uint32_t)first->begin, (uint32_t)(last->end - first->begin)
    };
    *to = example;
    return true;
}

/* ---- the file ----------------------------------------------------------- */

/* ignore NAME NAME ...: attributes that no head of the file needs to name. */
static bool read_ignored(struct tn_lang_parser *p)
{
    do {
        struct tn_bytes  name = tn_lang_word(p, "the name of an attribute");
        struct tn_bytes *to =
            name.size
                ? tn_list_push(&p->file->ignored, struct tn_bytes, p->error)
                : NULL;
        if (!to)
            return false;
        *to = name;
    } while (tn_lang_look(p)->kind != TN_TOKEN_END);
    return true;
}

/* Words that begin definitions may be ops too: those have a parenthesis. */
static bool is_item(struct tn_lang_parser *p, const char *word)
{
    if (!tn_lang_is(p, word) || tn_lang_look(p)[1].kind != TN_TOKEN_WORD)
        return false;
    p->at++;
    return true;
}

static bool read_item(struct tn_lang_parser *p, bool *is_back)
{
    uint64_t backs = p->file->back.count, rules = p->file->rules.count;

    if (is_item(p, "table"))
        return read_table(p);
    if (is_item(p, "def"))
        return read_def(p);
    if (is_item(p, "ignore"))
        return read_ignored(p);
    if (!p->file->is_shapes && is_item(p, "macro"))
        return read_macro(p);
    if (is_example_next(p))
        return read_example(p, *is_back);
    bool takes_pairs = !p->file->is_shapes && is_item(p, "pairs");
    if (!read_rule(p))
        return false;
    if (takes_pairs && p->file->rules.count > rules)
        tn_list_at(&p->file->rules, struct tn_lang_rule, rules)->takes_pairs =
            true;
    *is_back = p->file->back.count > backs && p->file->rules.count == rules;
    while (is_example_next(p))
        if (!read_example(p, *is_back))
            return false;
    return true;
}

static bool read_items(struct tn_lang_parser *p)
{
    bool is_back = false;

    for (;;) {
        const struct tn_token *token =
            tn_list_at(&p->tokens, struct tn_token, p->at);

        if (token->kind == TN_TOKEN_END)
            return true;
        if (!token->is_margin)
            return tn_lang_expected(p, "the next rule at the left margin");
        p->item = p->at;
        if (!read_item(p, &is_back))
            return false;
    }
}

static bool read_header(struct tn_lang_parser *p)
{
    struct tn_lang_file *file = p->file;

    file->is_shapes = tn_lang_accept(p, "shapes");
    if (!file->is_shapes && !tn_lang_accept(p, "rules"))
        return tn_lang_expected(p, "'rules' or 'shapes'");
    file->from = tn_lang_word(p, "a dialect");
    if (file->from.size && !file->is_shapes) {
        file->is_both_ways = tn_lang_accept(p, "<->");
        if (!file->is_both_ways && !tn_lang_expect(p, "->"))
            return false;
        file->to = tn_lang_word(p, "a dialect");
    }
    if (tn_failed(p->error))
        return false;
    const struct tn_token *token = tn_lang_look(p);
    if (token->kind != TN_TOKEN_INT)
        return tn_lang_expected(p, "the version of the language");
    if (token->number != 1)
        return tn_location_fail(p->error, &token->place, TN_UNSUPPORTED,
                                "version %" PRIu64 " of the language, not 1",
                                token->number) == TN_OK;
    p->at++;
    if (file->is_shapes)
        return true;
    file->is_simplifier = tn_lang_accept(p, "simplify");
    file->is_older      = tn_lang_accept(p, "older");
    file->is_newer      = tn_lang_accept(p, "newer");
    if (!file->is_simplifier && !file->is_older && !file->is_newer)
        return true;
    return (tn_bytes_equal(file->from, file->to) && !file->is_both_ways) ||
           tn_lang_expected(p, "rules within one dialect");
}

void tn_lang_init(struct tn_lang_file *file, struct tn_arena *arena,
                  const char *name)
{
    struct tn_memory *memory = arena->memory;

    *file = (struct tn_lang_file){ .name = name, .arena = arena };
    tn_list_init(&file->rules, memory, sizeof(struct tn_lang_rule));
    tn_list_init(&file->back, memory, sizeof(struct tn_lang_rule));
    tn_list_init(&file->defs, memory, sizeof(struct tn_lang_def));
    tn_list_init(&file->tables, memory, sizeof(struct tn_lang_table));
    tn_list_init(&file->macros, memory, sizeof(struct tn_lang_macro));
    tn_list_init(&file->examples, memory, sizeof(struct tn_lang_example));
    tn_list_init(&file->ignored, memory, sizeof(struct tn_bytes));
}

enum tn_status tn_lang_parse(struct tn_lang_file *file, struct tn_arena *arena,
                             const char *name, struct tn_bytes text,
                             struct tn_error *error)
{
    const struct tn_location begin = { name, 0, 1, 1 };
    struct tn_lang_parser    p;

    tn_lang_init(file, arena, name);
    file->text = text;
    if (tn_lang_parser_open(&p, file, text, &begin, error) && read_header(&p))
        read_items(&p);
    tn_lang_parser_close(&p);
    return error->status;
}

void tn_lang_done(struct tn_lang_file *file)
{
    tn_list_done(&file->rules);
    tn_list_done(&file->back);
    tn_list_done(&file->defs);
    tn_list_done(&file->tables);
    tn_list_done(&file->macros);
    tn_list_done(&file->examples);
    tn_list_done(&file->ignored);
}
