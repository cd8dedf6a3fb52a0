/* lang_parser.c - tokens, words and stacks: what every part of a rule is read
 * with */
#include "map/lang/lang_parser.h"

#include <stdio.h>

/* What one item may nest: the stack is ours, not the file's. */
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
        tn_map_fail(p->error, &token->place, TN_MALFORMED,
                    "expected %s, not a string", what);
    else if (token->kind != TN_TOKEN_END)
        tn_map_fail(p->error, &token->place, TN_MALFORMED,
                    "expected %s, not '%.*s'", what, TN_FMT(token->text));
    else
        tn_map_fail(p->error, &token->place, TN_MALFORMED,
                    "expected %s, not the end of %s", what,
                    token == &p->stop ? "what is indented" : "the file");
    return false;
}

/* ---- words -------------------------------------------------------------- */

static const char *const reserved[] = {
    "let", "if",   "then",  "else", "for", "in",  "when",   "and",     "or",
    "not", "true", "false", "none", "inf", "nan", "refuse", "require",
};

/* Words are compared with many others, and most differ at once. */
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

struct tn_bytes tn_lang_bound_name(struct tn_lang_parser *p, const char *what)
{
    struct tn_map_place place = tn_lang_look(p)->place;
    struct tn_bytes     name  = tn_lang_name(p, what);

    if (!name.size || tn_lang_dtype(name) == TN_UNDEFINED)
        return name;
    tn_map_fail(p->error, &place, TN_MALFORMED,
                "expected %s, not the type '%.*s'", what, TN_FMT(name));
    return tn_bytes(NULL, 0);
}

/* ---- depth and stacks --------------------------------------------------- */

bool tn_lang_enter(struct tn_lang_parser *p)
{
    if (p->depth++ < NESTING_LIMIT)
        return true;
    tn_map_fail(p->error, &tn_lang_look(p)->place, TN_LIMIT,
                "nested deeper than %d levels", NESTING_LIMIT);
    return false;
}

void tn_lang_leave(struct tn_lang_parser *p)
{
    p->depth--;
}

void *tn_lang_cut(struct tn_lang_parser *p, struct tn_list *stack,
                  uint64_t mark, uint32_t *count)
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
                         struct tn_bytes text, const struct tn_map_place *begin,
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
