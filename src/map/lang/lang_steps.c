/*
 * lang_steps.c - reads heads and steps of the rule language
 *
 *   head   domain::Op@since..until(inputs; attrs) -> (outputs) when expr
 *   input  X | B? | xs...
 *   attr   name | name as a | name = expr | name as a = expr | name: literal
 *          | -name
 *   step   let x = expr | a, b... <- value | refuse expr | require expr, "why"
 *          | if expr { } else { } | for i, x in expr { }
 */
#include <inttypes.h>

#include "map/lang/lang_parser.h"

/* More than any op has. */
#define PARAM_LIMIT 256

bool tn_lang_push_name(struct tn_lang_parser *p, struct tn_bytes name)
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

/* X, B? or xs... */
static bool read_param(struct tn_lang_parser *p, uint64_t mark)
{
    struct tn_lang_param param = { .place = tn_lang_look(p)->place };

    param.name = tn_lang_bound_name(p, "a name");
    if (!param.name.size)
        return false;
    if (is_bound_above(p, mark, param.name))
        return tn_map_fail(p->error, &param.place, TN_MALFORMED,
                           "'%.*s' is there already",
                           TN_FMT(param.name)) == TN_OK;
    if (tn_lang_accept(p, "?"))
        param.arity = TN_LANG_OPTIONAL;
    else if (tn_lang_accept(p, "..."))
        param.arity = TN_LANG_MANY;
    struct tn_lang_param *to =
        tn_list_push(&p->params, struct tn_lang_param, p->error);
    if (to)
        *to = param;
    return to;
}

/* Up to ')' or ';', which is left. */
static const struct tn_lang_param *read_params(struct tn_lang_parser *p,
                                               uint32_t              *count)
{
    uint64_t mark = p->params.count;

    while (!tn_lang_is(p, ")") && !tn_lang_is(p, ";")) {
        if (!read_param(p, mark))
            return NULL;
        const struct tn_lang_param *last =
            tn_list_at(&p->params, struct tn_lang_param, p->params.count - 1);
        if (p->params.count - mark > PARAM_LIMIT) {
            tn_map_fail(p->error, &last->place, TN_LIMIT, "more than %d names",
                        PARAM_LIMIT);
            return NULL;
        }
        if (last->arity == TN_LANG_MANY || !tn_lang_accept(p, ","))
            break; /* what takes the rest is the last */
    }
    return tn_lang_cut(p, &p->params, mark, count);
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
    attr->as = tn_lang_bound_name(p, "a name");
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
        if (tn_lang_has_attr(p, mark, attr.name))
            return tn_map_fail(p->error, &attr.place, TN_MALFORMED,
                               "'%.*s' is there already",
                               TN_FMT(attr.name)) == TN_OK;
        if (p->attrs.count - mark >= PARAM_LIMIT)
            return tn_map_fail(p->error, &attr.place, TN_LIMIT,
                               "more than %d attributes", PARAM_LIMIT) == TN_OK;
        struct tn_lang_attr *to =
            tn_list_push(&p->attrs, struct tn_lang_attr, p->error);
        if (!to)
            return false;
        *to = attr;
    } while (tn_lang_accept(p, ","));
    head->attrs = tn_lang_cut(p, &p->attrs, mark, &head->attr_count);
    return head->attrs;
}

/* (inputs; attrs) */
bool tn_lang_read_arguments(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    if (!tn_lang_expect(p, "("))
        return false;
    head->inputs = read_params(p, &head->input_count);
    if (!head->inputs || (tn_lang_accept(p, ";") && !read_head_attrs(p, head)))
        return false;
    if (!tn_lang_is(p, ")"))
        return tn_lang_expected(p, "',' or ')'");
    return tn_lang_accept(p, ")");
}

/* -> (outputs); without it there is one. */
bool tn_lang_read_outputs(struct tn_lang_parser *p, struct tn_lang_head *head)
{
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
    struct tn_map_place place = tn_lang_look(p)->place;

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
        return tn_map_fail(p->error, &place, TN_MALFORMED,
                           "versions from %" PRId64 " to %" PRId64, head->since,
                           head->until) == TN_OK;
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

bool tn_lang_read_head(struct tn_lang_parser *p, struct tn_lang_head *head)
{
    if (!read_op(p, head) || !tn_lang_read_arguments(p, head) ||
        !tn_lang_read_outputs(p, head))
        return false;
    return !tn_lang_accept(p, "when") || (head->guard = tn_lang_expr(p));
}

/* ---- steps -------------------------------------------------------------- */

static bool read_let(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    step->kind = TN_LANG_LET;
    if (!tn_lang_push_name(p, tn_lang_bound_name(p, "a name")) ||
        !tn_lang_expect(p, "="))
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
    if (!step->expr || !tn_lang_read_block(p, &step->body))
        return false;
    return !tn_lang_accept(p, "else") || read_else(p, &step->other);
}

/* { steps }, or another if, which is then a block of one step. */
static bool read_else(struct tn_lang_parser *p, struct tn_lang_block *other)
{
    struct tn_map_place place = tn_lang_look(p)->place;

    if (!tn_lang_accept(p, "if"))
        return tn_lang_read_block(p, other);
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
        if (!tn_lang_push_name(p, tn_lang_bound_name(p, "a name")))
            return false;
    while (p->names.count - mark < 2 && tn_lang_accept(p, ","));
    step->names = tn_lang_cut(p, &p->names, mark, &step->name_count);
    if (!step->names || !tn_lang_expect(p, "in"))
        return false;
    step->expr = tn_lang_expr(p);
    return step->expr && tn_lang_read_block(p, &step->body);
}

/* a, b <- value; a, bs... <- value */
static bool read_emit(struct tn_lang_parser *p, struct tn_lang_step *step)
{
    step->kind = TN_LANG_EMIT;
    do {
        if (!tn_lang_push_name(p, tn_lang_bound_name(p, "a step")))
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
        step.names = tn_lang_cut(p, &p->names, mark, &step.name_count);
    struct tn_lang_step *to =
        step.names ? tn_list_push(&p->steps, struct tn_lang_step, p->error)
                   : NULL;
    if (to)
        *to = step;
    return to;
}

bool tn_lang_read_block(struct tn_lang_parser *p, struct tn_lang_block *block)
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
    block->steps = tn_lang_cut(p, &p->steps, mark, &block->count);
    return block->steps;
}
