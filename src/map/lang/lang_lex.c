/*
 * lang_lex.c - the words and marks of a rule file
 *
 *   word    [A-Za-z_][A-Za-z0-9_]*, several of them joined by single dots
 *   int     [0-9]+
 *   float   [0-9]+ with .[0-9]+ or e[+-][0-9]+ or both
 *   string  "..." on one line, with \n \t \" \\
 *   mark    the longest of the table below
 *   # to the end of the line is a comment
 *
 * 1..12 is two numbers and a mark: a point belongs to a number only when a
 * digit follows it.
 */
#include "map/lang/lang_lex.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/utf8.h"

/* Each before those that it begins with. */
static const char *const marks[] = {
    "<=>", "<->", "...", "=>", "->", "<-", "<=", ">=", "==", "!=", "**",
    "//",  "::",  "..",  "(",  ")",  "[",  "]",  "{",  "}",  ",",  ";",
    ":",   "=",   "<",   ">",  "+",  "-",  "*",  "/",  "%",  "@",  "?",
};

struct lexer {
    const struct tn_location *begin;
    struct tn_arena          *arena;
    struct tn_list           *tokens;
    struct tn_error          *error;
    struct tn_bytes           text;
    size_t                    at, line_begin;
    uint32_t margin; /* columns before the first line of the text     */
    uint32_t line;
    bool     is_line_begun; /* something stands on it already         */
};

static struct tn_location place_at(const struct lexer *x, size_t at)
{
    return (struct tn_location){ .file   = x->begin->file,
                                 .offset = x->begin->offset + at,
                                 .line   = x->line,
                                 .column = x->margin +
                                           (uint32_t)(at - x->line_begin + 1) };
}

static uint8_t peek(const struct lexer *x, size_t ahead)
{
    return ahead < x->text.size - x->at ? x->text.data[x->at + ahead] : 0;
}

static bool is_letter(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '_';
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

bool tn_lang_is_word(struct tn_bytes text)
{
    bool begins = true;

    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (!is_letter(byte) && (begins || (!is_digit(byte) && byte != '.')))
            return false;
        begins = byte == '.';
    }
    return text.size > 0 && !begins;
}

/* ---- what separates ----------------------------------------------------- */

static void end_line(struct lexer *x)
{
    x->at++;
    x->line++;
    x->line_begin    = x->at;
    x->margin        = 0;
    x->is_line_begun = false;
}

static void skip_blank(struct lexer *x)
{
    while (x->at < x->text.size) {
        uint8_t byte = x->text.data[x->at];

        if (byte == '\n')
            end_line(x);
        else if (byte == ' ' || byte == '\t' || byte == '\r')
            x->at++;
        else if (byte == '#')
            while (x->at < x->text.size && x->text.data[x->at] != '\n')
                x->at++;
        else
            return;
    }
}

/* ---- tokens ------------------------------------------------------------- */

static void take_word(struct lexer *x, struct tn_token *token)
{
    token->kind = TN_TOKEN_WORD;
    while (is_letter(peek(x, 0)) || is_digit(peek(x, 0)) ||
           (peek(x, 0) == '.' && is_letter(peek(x, 1))))
        x->at++;
}

static void take_digits(struct lexer *x)
{
    while (is_digit(peek(x, 0)))
        x->at++;
}

static bool take_fraction(struct lexer *x)
{
    if (peek(x, 0) != '.' || !is_digit(peek(x, 1)))
        return false;
    x->at++;
    take_digits(x);
    return true;
}

static bool take_exponent(struct lexer *x)
{
    size_t sign = peek(x, 1) == '+' || peek(x, 1) == '-';

    if ((peek(x, 0) != 'e' && peek(x, 0) != 'E') ||
        !is_digit(peek(x, 1 + sign)))
        return false;
    x->at += 1 + sign;
    take_digits(x);
    return true;
}

static enum tn_status take_number(struct lexer *x, struct tn_token *token)
{
    size_t begin = x->at;

    take_digits(x);
    bool has_point = take_fraction(x);
    bool is_float  = take_exponent(x) || has_point;
    token->text    = tn_bytes(x->text.data + begin, x->at - begin);
    token->kind    = is_float ? TN_TOKEN_FLOAT : TN_TOKEN_INT;
    if (is_letter(peek(x, 0))) {
        struct tn_location place = place_at(x, x->at);
        return tn_location_fail(x->error, &place, TN_MALFORMED,
                                "a letter right after a number");
    }
    if (is_float && tn_double_parse(token->text, &token->real))
        return TN_OK;
    if (!is_float && tn_uint64_parse(token->text, &token->number) &&
        token->number <= UINT64_C(1) << 63)
        return TN_OK;
    return tn_location_fail(x->error, &token->place, TN_MALFORMED,
                            "%.*s is not a 64-bit number", TN_FMT(token->text));
}

static const char escapes[][2] = {
    { 'n', '\n' }, { 't', '\t' }, { '"', '"' }, { '\\', '\\' }
};

static const char *find_escape(uint8_t byte)
{
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
        if ((uint8_t)escapes[i][0] == byte)
            return &escapes[i][1];
    return NULL;
}

/* Only for strings that have some; every one is known to be good. */
static enum tn_status resolve_escapes(struct lexer *x, struct tn_token *token)
{
    uint8_t *to   = tn_new(x->arena, uint8_t, token->text.size, x->error);
    size_t   size = 0;

    if (!to)
        return x->error->status;
    for (size_t i = 0; i < token->text.size; i++) {
        uint8_t byte = token->text.data[i];
        to[size++] =
            byte == '\\' ? (uint8_t)*find_escape(token->text.data[++i]) : byte;
    }
    token->text = tn_bytes(to, size);
    return TN_OK;
}

/* One character of a string, or the first half of an escape. */
static enum tn_status take_character(struct lexer *x, struct tn_token *token,
                                     bool *has_escapes)
{
    struct tn_location place = place_at(x, x->at);
    const uint8_t     *at    = x->text.data + x->at;
    unsigned           size  = tn_utf8_check(at, x->text.data + x->text.size);

    if (x->at == x->text.size || *at == '\n')
        return tn_location_fail(x->error, &token->place, TN_MALFORMED,
                                "a string without an end on its line");
    if (size == 0 || (*at < ' ' && *at != '\t'))
        return tn_location_fail(x->error, &place, TN_MALFORMED,
                                "byte 0x%02x in a string", *at);
    x->at += size;
    if (*at != '\\')
        return TN_OK;
    if (!find_escape(peek(x, 0)))
        return tn_location_fail(x->error, &place, TN_MALFORMED,
                                "an escape is \\n, \\t, \\\" or \\\\");
    *has_escapes = true;
    x->at++;
    return TN_OK;
}

static enum tn_status take_string(struct lexer *x, struct tn_token *token)
{
    bool   has_escapes = false;
    size_t begin       = ++x->at;

    token->kind = TN_TOKEN_STRING;
    while (x->at == x->text.size || peek(x, 0) != '"')
        TN_TRY(take_character(x, token, &has_escapes));
    token->text = tn_bytes(x->text.data + begin, x->at++ - begin);
    return has_escapes ? resolve_escapes(x, token) : TN_OK;
}

static enum tn_status take_mark(struct lexer *x, struct tn_token *token)
{
    token->kind = TN_TOKEN_MARK;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if ((uint8_t)marks[i][0] != peek(x, 0))
            continue; /* most are not */
        size_t size = strlen(marks[i]);
        if (size > x->text.size - x->at ||
            memcmp(x->text.data + x->at, marks[i], size) != 0)
            continue;
        token->text = tn_bytes(x->text.data + x->at, size);
        x->at += size;
        return TN_OK;
    }
    return tn_location_fail(x->error, &token->place, TN_MALFORMED,
                            "byte 0x%02x begins nothing here", peek(x, 0));
}

static enum tn_status take_token(struct lexer *x, struct tn_token *token)
{
    size_t begin = x->at;

    if (begin == x->text.size)
        return TN_OK; /* END is 0 */
    if (is_digit(peek(x, 0)))
        return take_number(x, token);
    if (peek(x, 0) == '"')
        return take_string(x, token);
    if (!is_letter(peek(x, 0)))
        return take_mark(x, token);
    take_word(x, token);
    token->text = tn_bytes(x->text.data + begin, x->at - begin);
    return TN_OK;
}

enum tn_status tn_lang_lex(struct tn_list *tokens, struct tn_arena *arena,
                           struct tn_bytes           text,
                           const struct tn_location *begin,
                           struct tn_error          *error)
{
    struct lexer       x = { .begin  = begin,
                             .arena  = arena,
                             .tokens = tokens,
                             .error  = error,
                             .text   = text,
                             .line   = begin->line,
                             .margin = begin->column - 1 };
    enum tn_token_kind kind;

    do {
        skip_blank(&x);
        struct tn_token *token = tn_list_push(tokens, struct tn_token, error);
        if (!token)
            return error->status;
        token->place     = place_at(&x, x.at);
        token->begin     = x.at;
        token->is_margin = token->place.column == 1;
        token->is_first  = !x.is_line_begun;
        x.is_line_begun  = true;
        TN_TRY(take_token(&x, token));
        token->end = x.at;
        kind       = token->kind;
    } while (kind != TN_TOKEN_END);
    return TN_OK;
}
