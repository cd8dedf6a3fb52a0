/*
 * lang_parser.h - the parser of the rule language, for lang_parse.c and its
 * neighbours
 *
 * Everything fails softly: a function that returns a pointer gives NULL, one
 * that returns bool gives false, and the error says where and what was
 * expected there.
 *
 * Lists grow in scratch lists of the parser, used as stacks: note the count,
 * push, and cut off what is above the mark into the arena.
 */
#ifndef TN_MAP_LANG_PARSER_H
#define TN_MAP_LANG_PARSER_H

#include "map/lang/lang.h"
#include "map/lang/lang_lex.h"

struct tn_lang_parser {
    struct tn_lang_file *file;
    struct tn_arena     *arena;
    struct tn_error     *error;
    struct tn_bytes      text;
    struct tn_list       tokens; /* struct tn_token                           */
    uint32_t             at;
    uint32_t             item;  /* token that begins the rule or definition   */
    uint32_t             depth; /* of what is being read                      */
    uint32_t             braces;
    struct tn_token      stop; /* stands for what begins the next item        */

    /* stacks */
    struct tn_list exprs;  /* const struct tn_lang_expr *                     */
    struct tn_list attrs;  /* struct tn_lang_attr                             */
    struct tn_list params; /* struct tn_lang_param                            */
    struct tn_list names;  /* struct tn_bytes                                 */
    struct tn_list steps;  /* struct tn_lang_step                             */
    bool may_ignore; /* a call may say -name: what its way back drops         */
    bool may_match;  /* inputs of a head may be patterns                      */
    uint32_t pattern_nodes, pattern_swaps; /* of the head that is read        */
};

/* Makes the tokens of a text that is there in its file; false: failed.  Closed
 * also then. */
bool tn_lang_parser_open(struct tn_lang_parser *p, struct tn_lang_file *file,
                         struct tn_bytes text, const struct tn_location *begin,
                         struct tn_error *error);
void tn_lang_parser_close(struct tn_lang_parser *p);

/* ---- tokens ------------------------------------------------------------- */

/* The next token; END when the next item begins, unless braces are open. */
const struct tn_token *tn_lang_look(struct tn_lang_parser *p);

/* Whether a token is a word or mark of that text: asked so often that most
 * answers must come from the first byte. */
static inline bool tn_token_is(const struct tn_token *token, const char *text)
{
    return (token->kind == TN_TOKEN_WORD || token->kind == TN_TOKEN_MARK) &&
           token->text.data[0] == (uint8_t)text[0] &&
           tn_bytes_is(token->text, text);
}

/* A word or mark of that text comes next; skip it; or else fail. */
static inline bool tn_lang_is(struct tn_lang_parser *p, const char *text)
{
    return tn_token_is(tn_lang_look(p), text);
}
bool tn_lang_accept(struct tn_lang_parser *p, const char *text);
bool tn_lang_expect(struct tn_lang_parser *p, const char *text);

/* "expected WHAT, not ..." at the next token. */
TN_COLD bool tn_lang_expected(struct tn_lang_parser *p, const char *what);

/* One level deeper; false and LIMIT past the bound. */
bool tn_lang_enter(struct tn_lang_parser *p);
void tn_lang_leave(struct tn_lang_parser *p);

/* Any word, and one that is not a keyword.  Empty: failed. */
struct tn_bytes tn_lang_word(struct tn_lang_parser *p, const char *what);
struct tn_bytes tn_lang_name(struct tn_lang_parser *p, const char *what);

/* Whether the word can be bound: it is neither a keyword nor a type. */
bool tn_lang_can_be_bound(struct tn_bytes word);

/* The type of that name, or TN_UNDEFINED. */
enum tn_dtype tn_lang_dtype(struct tn_bytes name);

/* ---- expressions -------------------------------------------------------- */

const struct tn_lang_expr *tn_lang_expr(struct tn_lang_parser *p);

/* An expression for a value: a name, an element, or a call that makes nodes. */
const struct tn_lang_expr *tn_lang_value(struct tn_lang_parser *p);

/* A number, string, type, true, false or none, or a list of these. */
const struct tn_lang_expr *tn_lang_literal(struct tn_lang_parser *p);
bool                       tn_lang_is_literal(const struct tn_lang_expr *expr);

/* A new one; its items, which live in the arena, after its attributes. */
struct tn_lang_expr       *tn_lang_expr_new(struct tn_lang_parser *p,
                                            enum tn_lang_kind      kind,
                                            struct tn_location     place);
const struct tn_lang_expr *tn_lang_expr_of(struct tn_lang_parser      *p,
                                           struct tn_lang_expr        *expr,
                                           const struct tn_lang_expr **items,
                                           uint32_t                    count);

#endif
