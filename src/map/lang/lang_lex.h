/*
 * lang_lex.h - the words and marks of a rule file
 *
 * A file is small, so all of its tokens are made at once: the parser may look
 * as far ahead as it likes.  White space and comments only separate tokens;
 * tokens in the first column are marked, because heads of rules begin there.
 */
#ifndef TN_MAP_LANG_LEX_H
#define TN_MAP_LANG_LEX_H

#include "base/location.h"
#include "base/memory.h"

enum tn_token_kind {
    TN_TOKEN_END,    /* of the text                                           */
    TN_TOKEN_WORD,   /* letters, digits, '_'; parts of it joined by dots      */
    TN_TOKEN_INT,    /* .number: at most 2^63                                 */
    TN_TOKEN_FLOAT,  /* .real                                                 */
    TN_TOKEN_STRING, /* .text: without quotes, escapes resolved               */
    TN_TOKEN_MARK,   /* .text: one of the marks                               */
};

struct tn_token {
    enum tn_token_kind kind;
    struct tn_bytes    text;
    uint64_t           number;
    double             real;
    uint64_t           begin, end; /* in the text                            */
    bool               is_margin;  /* in column 1                             */
    bool               is_first;   /* on its line                             */
    struct tn_location place;
};

/* Appends the tokens of a text to a list of struct tn_token; the last is END.
 * Strings with escapes live in the arena, the others in the text.  `begin` is
 * where the text stands in its file. */
enum tn_status tn_lang_lex(struct tn_list *tokens, struct tn_arena *arena,
                           struct tn_bytes           text,
                           const struct tn_location *begin,
                           struct tn_error          *error);

/* Whether all of the text is one word: "com.acme". */
bool tn_lang_is_word(struct tn_bytes text);

#endif
