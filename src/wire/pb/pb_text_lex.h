/*
 * pb_text_lex.h - the tokens of protobuf's text format
 *
 *   space   := blanks, and "#" to the end of the line
 *   name    := letter or "_", then letters, digits and "_"
 *   integer := decimal | 0 octal | 0x hex
 *   float   := digits "." digits exponent, with at least a point, an exponent
 *              or a final f
 *   string  := "..." or '...' on one line, with escapes
 *
 * Reads through a window, so memory does not depend on the size of the text.
 */
#ifndef TN_WIRE_PB_TEXT_LEX_H
#define TN_WIRE_PB_TEXT_LEX_H

#include "base/buffer.h"
#include "base/source.h"

enum tn_lex_kind {
    TN_LEX_END,
    TN_LEX_NAME,
    TN_LEX_INTEGER,
    TN_LEX_FLOAT,
    TN_LEX_STRING, /* begins here; tn_lex_string() reads it                   */
    TN_LEX_SYMBOL, /* one byte                                                */
};

#define TN_LEX_WINDOW 16384

struct tn_lex {
    struct tn_source *source;
    uint64_t          at, end;    /* next byte and end, in the source         */
    uint64_t          line;       /* of `at`, from 1                        */
    uint64_t          line_begin; /* where that line begins                 */
    const uint8_t    *window;     /* bytes from window_begin                */
    uint64_t          window_begin, window_end;
    struct tn_error  *error;

    /* the current token */
    enum tn_lex_kind kind;
    uint8_t          symbol;
    uint64_t         offset;
    struct tn_buffer text; /* NAME, INTEGER, FLOAT: as written */

    uint8_t block[TN_LEX_WINDOW];
};

/* Does not read the first token yet. */
void tn_lex_init(struct tn_lex *lex, struct tn_span text,
                 struct tn_memory *memory, struct tn_error *error);
void tn_lex_done(struct tn_lex *lex);

/* The next token; END after a failure. */
void tn_lex_next(struct tn_lex *lex);

/* Fails at the current token: "line 3, column 7: ..." */
TN_COLD void tn_lex_fail(struct tn_lex *lex, enum tn_status status,
                         const char *format, ...) TN_PRINTF(3, 4);

/* The current token for messages: at most a few words. */
const char *tn_lex_describe(struct tn_lex *lex);

/* Writes the bytes of a string literal, and of those that follow it directly,
 * piece by piece; then the token after them is current. */
void tn_lex_string(struct tn_lex *lex, struct tn_sink *to);

static inline bool tn_lex_is(const struct tn_lex *lex, uint8_t symbol)
{
    return lex->kind == TN_LEX_SYMBOL && lex->symbol == symbol;
}

#endif
