/*
 * lang_example_read.c - the grammar of examples
 *
 *   EXAMPLE  NODE => VALUE | VALUE <= NODE
 *   NODE     op@version(input, ...; name: literal, ...) -> (name, ...)
 *   input    none | name | name:dtype | name:dtype[dim, ...], then = literal
 */
#include "map/lang/lang_example_run.h"

/* [2, ?, 3] */
static bool read_dims(struct tn_example *r, struct tn_example_input *input)
{
    input->has_rank = true;
    while (!tn_lang_is(&r->p, "]")) {
        const struct tn_token *token = tn_lang_look(&r->p);

        if (input->rank == TN_EXAMPLE_RANK_MAX)
            return tn_lang_expected(&r->p, "at most 16 dims");
        if (token->kind != TN_TOKEN_INT && !tn_lang_is(&r->p, "?"))
            return tn_lang_expected(&r->p, "a dim");
        input->dims[input->rank++] =
            token->kind == TN_TOKEN_INT ? (int64_t)token->number : -1;
        r->p.at++;
        if (!tn_lang_accept(&r->p, ","))
            break;
    }
    return tn_lang_expect(&r->p, "]");
}

static bool read_input(struct tn_example *r, struct tn_example_input *input)
{
    struct tn_lang_parser *p = &r->p;

    if (tn_lang_accept(p, "none"))
        return true;
    input->name = tn_lang_name(p, "an input");
    if (!input->name.size)
        return false;
    if (tn_lang_accept(p, ":")) {
        input->dtype = tn_lang_dtype(tn_lang_look(p)->text);
        if (input->dtype == TN_UNDEFINED)
            return tn_lang_expected(p, "a type");
        p->at++;
        if (tn_lang_accept(p, "[") && !read_dims(r, input))
            return false;
    }
    if (!tn_lang_accept(p, "="))
        return true;
    if (input->dtype == TN_UNDEFINED)
        return tn_lang_expected(p, "a type before a value");
    input->value = tn_lang_literal(p);
    return input->value;
}

static bool read_inputs(struct tn_example *r)
{
    while (!tn_lang_is(&r->p, ";") && !tn_lang_is(&r->p, ")")) {
        if (r->input_count == TN_EXAMPLE_IO_MAX)
            return tn_lang_expected(&r->p, "at most 64 inputs");
        if (!read_input(r, &r->inputs[r->input_count++]))
            return false;
        if (!tn_lang_accept(&r->p, ","))
            break;
    }
    return true;
}

static bool read_attrs(struct tn_example *r)
{
    do {
        struct tn_lang_attr *attr =
            tn_list_push(&r->attrs, struct tn_lang_attr, r->error);
        if (!attr)
            return false;
        attr->place = tn_lang_look(&r->p)->place;
        attr->name  = tn_lang_word(&r->p, "the name of an attribute");
        if (!attr->name.size || !tn_lang_expect(&r->p, ":") ||
            !(attr->value = tn_lang_literal(&r->p)))
            return false;
    } while (tn_lang_accept(&r->p, ","));
    return true;
}

/* -> (a, b); without it there is one. */
static bool read_outputs(struct tn_example *r)
{
    r->outputs[0]   = tn_text("out");
    r->output_count = 1;
    if (!tn_lang_accept(&r->p, "->"))
        return true;
    if (!tn_lang_expect(&r->p, "("))
        return false;
    r->output_count = 0;
    do {
        if (r->output_count == TN_EXAMPLE_IO_MAX)
            return tn_lang_expected(&r->p, "at most 64 outputs");
        struct tn_bytes name = tn_lang_name(&r->p, "an output");
        if (!name.size)
            return false;
        r->outputs[r->output_count++] = name;
    } while (tn_lang_accept(&r->p, ","));
    return tn_lang_expect(&r->p, ")");
}

static bool read_node(struct tn_example *r)
{
    struct tn_lang_parser *p = &r->p;

    r->op = tn_lang_word(p, "an op");
    if (tn_lang_accept(p, "::")) {
        r->domain = r->op;
        r->op     = tn_lang_word(p, "an op");
    }
    r->version = -1;
    if (tn_lang_accept(p, "@")) {
        if (tn_lang_look(p)->kind != TN_TOKEN_INT)
            return tn_lang_expected(p, "a version");
        r->version = (int64_t)tn_lang_look(p)->number;
        p->at++;
    }
    if (!r->op.size || !tn_lang_expect(p, "(") || !read_inputs(r) ||
        (tn_lang_accept(p, ";") && !read_attrs(r)))
        return false;
    return tn_lang_expect(p, ")") && read_outputs(r);
}

bool tn_example_read(struct tn_example *r)
{
    struct tn_lang_parser *p = &r->p;

    if (!tn_lang_parser_open(p, &r->words, r->example->text, &r->example->place,
                             r->error))
        return false;
    if (r->example->is_back) {
        r->wanted = tn_lang_value(p);
        if (!r->wanted || !tn_lang_expect(p, "<=") || !read_node(r))
            return false;
    } else {
        if (!read_node(r) || !tn_lang_expect(p, "=>") ||
            !(r->wanted = tn_lang_value(p)))
            return false;
    }
    return tn_lang_look(p)->kind == TN_TOKEN_END ||
           tn_lang_expected(p, "the end of the example");
}

struct tn_item tn_example_item(struct tn_example         *r,
                               const struct tn_lang_expr *expr)
{
    switch (expr->kind) {
    case TN_LANG_BOOL: return tn_item_bool(expr->number);
    case TN_LANG_INT: return tn_item_int(expr->number);
    case TN_LANG_FLOAT: return tn_item_float(expr->real);
    case TN_LANG_STRING: return tn_item_text(expr->text);
    case TN_LANG_DTYPE:
        return tn_item_dtype((enum tn_dtype)expr->number, TN_NET_TENSOR);
    case TN_LANG_LIST: break;
    default: return tn_item_none();
    }
    struct tn_item *items =
        tn_new(r->arena, struct tn_item, expr->item_count, r->error);
    for (uint32_t i = 0; items && i < expr->item_count; i++)
        items[i] = tn_example_item(r, expr->items[i]);
    return tn_item_list(items, items ? expr->item_count : 0);
}
