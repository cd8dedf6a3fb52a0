/* pb_text_tree.c - protobuf's text format as a tree, without a schema */
#include "wire/pb/pb_text_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "base/source.h"
#include "wire/pb/pb_text_lex.h"
#include "wire/pb/pb_wire.h"

struct planting {
    struct tn_arena *arena;
    struct tn_bytes  text;
    struct tn_error *error;
    struct tn_buffer string;
    struct tn_lex    lex;
};

/* Where the next field of a message is linked. */
struct branch {
    const struct tn_text_field **end;
    unsigned                     depth;
};

static void read_fields(struct planting *p, struct branch branch, int close);

/* ---- values ------------------------------------------------------------- */

static struct tn_bytes token_view(const struct planting *p)
{
    return tn_bytes(p->text.data + p->lex.offset, p->lex.text.size);
}

static void read_string(struct planting *p, struct tn_text_field *field)
{
    field->kind = TN_TEXT_STRING;
    tn_buffer_clear(&p->string);
    tn_lex_string(&p->lex, &p->string.sink);
    field->text = tn_bytes_dup(p->arena, tn_buffer_bytes(&p->string), p->error);
}

/* The sign may be a token of its own: then it is joined with the number. */
static void read_number(struct planting *p, struct tn_text_field *field,
                        bool is_negative)
{
    bool is_word = p->lex.kind == TN_LEX_NAME;

    field->kind = is_word && !is_negative ? TN_TEXT_WORD : TN_TEXT_NUMBER;
    field->text = token_view(p);
    if (is_negative) {
        tn_buffer_clear(&p->string);
        tn_buffer_byte(&p->string, '-');
        tn_buffer_add(&p->string, field->text);
        field->text =
            tn_bytes_dup(p->arena, tn_buffer_bytes(&p->string), p->error);
    }
    tn_lex_next(&p->lex);
}

static void read_scalar(struct planting *p, struct tn_text_field *field)
{
    bool is_negative = tn_lex_is(&p->lex, '-');

    if (is_negative)
        tn_lex_next(&p->lex);
    if (p->lex.kind == TN_LEX_STRING && !is_negative)
        read_string(p, field);
    else if (p->lex.kind == TN_LEX_NAME || p->lex.kind == TN_LEX_INTEGER ||
             p->lex.kind == TN_LEX_FLOAT)
        read_number(p, field, is_negative);
    else
        tn_lex_fail(&p->lex, TN_MALFORMED, "expected a value, not %s",
                    tn_lex_describe(&p->lex));
}

static void read_block(struct planting *p, struct tn_text_field *field,
                       unsigned depth)
{
    int close = tn_lex_is(&p->lex, '{') ? '}' : '>';

    if (depth == TN_PB_DEPTH_LIMIT) {
        tn_lex_fail(&p->lex, TN_LIMIT, "deeper than %d messages",
                    TN_PB_DEPTH_LIMIT);
        return;
    }
    field->kind = TN_TEXT_MESSAGE;
    tn_lex_next(&p->lex);
    read_fields(p, (struct branch){ &field->fields, depth + 1 }, close);
}

/* ---- fields ------------------------------------------------------------- */

static struct tn_text_field *add_field(struct planting            *p,
                                       struct branch              *branch,
                                       const struct tn_text_field *like)
{
    struct tn_text_field *field =
        tn_new(p->arena, struct tn_text_field, 1, p->error);

    if (!field)
        return NULL;
    *field       = *like;
    *branch->end = field;
    branch->end  = &field->next;
    return field;
}

static void read_value(struct planting *p, struct branch *branch,
                       const struct tn_text_field *like, bool has_colon)
{
    struct tn_text_field *field = add_field(p, branch, like);

    if (!field)
        return;
    if (tn_lex_is(&p->lex, '{') || tn_lex_is(&p->lex, '<'))
        read_block(p, field, branch->depth);
    else if (has_colon)
        read_scalar(p, field);
    else
        tn_lex_fail(&p->lex, TN_MALFORMED, "expected ':' or '{', not %s",
                    tn_lex_describe(&p->lex));
}

static void read_list(struct planting *p, struct branch *branch,
                      const struct tn_text_field *like)
{
    tn_lex_next(&p->lex);
    if (!tn_lex_is(&p->lex, ']'))
        read_value(p, branch, like, true);
    while (tn_lex_is(&p->lex, ',') && !tn_failed(p->error)) {
        tn_lex_next(&p->lex);
        read_value(p, branch, like, true);
    }
    if (!tn_lex_is(&p->lex, ']'))
        tn_lex_fail(&p->lex, TN_MALFORMED, "expected ',' or ']', not %s",
                    tn_lex_describe(&p->lex));
    tn_lex_next(&p->lex);
}

static void read_field(struct planting *p, struct branch *branch)
{
    struct tn_text_field like = {
        .name   = token_view(p),
        .offset = p->lex.offset,
        .line   = (uint32_t)p->lex.line,
        .column = (uint32_t)(p->lex.offset - p->lex.line_begin + 1),
    };

    if (p->lex.kind != TN_LEX_NAME) {
        tn_lex_fail(&p->lex, TN_MALFORMED, "expected a field, not %s",
                    tn_lex_describe(&p->lex));
        return;
    }
    tn_lex_next(&p->lex);
    bool has_colon = tn_lex_is(&p->lex, ':');
    if (has_colon)
        tn_lex_next(&p->lex);
    if (has_colon && tn_lex_is(&p->lex, '['))
        read_list(p, branch, &like);
    else
        read_value(p, branch, &like, has_colon);
    if (tn_lex_is(&p->lex, ',') || tn_lex_is(&p->lex, ';'))
        tn_lex_next(&p->lex);
}

/* `close` ends the message: a bracket, or 0 for the end of the text. */
static void read_fields(struct planting *p, struct branch branch, int close)
{
    while (p->lex.kind != TN_LEX_END && !tn_failed(p->error) &&
           !(close && tn_lex_is(&p->lex, (uint8_t)close)))
        read_field(p, &branch);
    if (close && p->lex.kind == TN_LEX_END)
        tn_lex_fail(&p->lex, TN_TRUNCATED, "the text ends before its '%c'",
                    close);
    else if (close)
        tn_lex_next(&p->lex);
}

enum tn_status tn_text_tree_read(struct tn_text_field *root,
                                 struct tn_arena *arena, struct tn_bytes text,
                                 struct tn_error *error)
{
    struct planting  p = { .arena = arena, .text = text, .error = error };
    struct tn_source source;

    *root = (struct tn_text_field){ .line = 1, .column = 1 };
    tn_source_memory(&source, arena->memory, text);
    tn_buffer_init(&p.string, arena->memory, error);
    tn_lex_init(&p.lex, (struct tn_span){ &source, 0, text.size },
                arena->memory, error);
    tn_lex_next(&p.lex);
    read_fields(&p, (struct branch){ &root->fields, 0 }, 0);
    tn_lex_done(&p.lex);
    tn_buffer_done(&p.string);
    tn_source_close(&source);
    return error->status;
}

/* ---- looking at it ------------------------------------------------------ */

enum tn_status tn_text_fail(struct tn_error            *error,
                            const struct tn_text_field *at,
                            enum tn_status status, const char *format, ...)
{
    char what[sizeof error->what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return tn_error_set(error, status, at->offset,
                        "line %" PRIu32 ", column %" PRIu32 ": %s", at->line,
                        at->column, what);
}

const struct tn_text_field *tn_text_find(const struct tn_text_field *message,
                                         const char                 *name)
{
    const struct tn_text_field *found = NULL;

    for (const struct tn_text_field *f = message->fields; f; f = f->next)
        if (tn_text_is(f, name))
            found = f;
    return found;
}

uint32_t tn_text_count(const struct tn_text_field *message, const char *name)
{
    uint32_t count = 0;

    for (const struct tn_text_field *f = message->fields; f; f = f->next)
        count += tn_text_is(f, name);
    return count;
}

static enum tn_status want(const struct tn_text_field *field, const char *what,
                           struct tn_error *error)
{
    return tn_text_fail(error, field, TN_MALFORMED, "'%.*s' takes %s",
                        TN_FMT(field->name), what);
}

enum tn_status tn_text_string(const struct tn_text_field *field,
                              struct tn_bytes *value, struct tn_error *error)
{
    if (field->kind != TN_TEXT_STRING)
        return want(field, "a string", error);
    *value = field->text;
    return TN_OK;
}

enum tn_status tn_text_int(const struct tn_text_field *field, int64_t *value,
                           struct tn_error *error)
{
    if (field->kind != TN_TEXT_NUMBER || !tn_int64_parse(field->text, value))
        return want(field, "a whole number of 64 bits", error);
    return TN_OK;
}

enum tn_status tn_text_double(const struct tn_text_field *field, double *value,
                              struct tn_error *error)
{
    bool is_text = field->kind == TN_TEXT_WORD || field->kind == TN_TEXT_NUMBER;
    bool is_negative     = is_text && field->text.data[0] == '-';
    struct tn_bytes size = tn_bytes(field->text.data + is_negative,
                                    field->text.size - is_negative);

    if (is_text && (tn_bytes_is(size, "inf") || tn_bytes_is(size, "infinity")))
        *value = is_negative ? -INFINITY : INFINITY;
    else if (is_text && tn_bytes_is(size, "nan"))
        *value = NAN;
    else if (field->kind != TN_TEXT_NUMBER ||
             !tn_double_parse(field->text, value))
        return want(field, "a number", error);
    return TN_OK;
}

enum tn_status tn_text_bool(const struct tn_text_field *field, bool *value,
                            struct tn_error *error)
{
    *value = field->kind == TN_TEXT_WORD && tn_bytes_is(field->text, "true");
    if (!*value &&
        !(field->kind == TN_TEXT_WORD && tn_bytes_is(field->text, "false")))
        return want(field, "true or false", error);
    return TN_OK;
}

enum tn_status tn_text_message(const struct tn_text_field *field,
                               struct tn_error            *error)
{
    return field->kind == TN_TEXT_MESSAGE ? TN_OK
                                          : want(field, "a message", error);
}
