/*
 * framework_ops.c - the frameworks' own op definitions, as vocabularies: what
 * they have in common
 *
 * Names and values are written as the language of vocabularies has them, ops in
 * the order of their names.  framework_tf_ops.c and framework_onnx_ops.c have
 * the ops themselves.
 */
#include <inttypes.h>

#include "base/number.h"
#include "base/sort.h"
#include "map/dl4j/framework_rewrite.h"
#include "map/dl4j/ir_types.h"

/* ---- words -------------------------------------------------------------- */

static bool is_name(struct tn_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || c == '_' || c == '.'))
            return false;
    }
    return text.size > 0;
}

enum tn_status tn_rewrite_name(struct tn_rewriting        *w,
                               const struct tn_text_field *field,
                               struct tn_bytes            *name)
{
    TN_TRY(tn_text_string(field, name, w->error));
    if (!is_name(*name))
        return tn_text_fail(w->error, field, TN_MALFORMED,
                            "'%.*s' is not a name", TN_FMT(*name));
    return TN_OK;
}

enum tn_status tn_rewrite_need_name(struct tn_rewriting        *w,
                                    const struct tn_text_field *message,
                                    const char *field, struct tn_bytes *name)
{
    const struct tn_text_field *f;

    TN_TRY(tn_text_message(message, w->error));
    f = tn_text_find(message, field);
    if (!f)
        return tn_text_fail(w->error, message, TN_MALFORMED,
                            "'%.*s' without '%s'", TN_FMT(message->name),
                            field);
    return tn_rewrite_name(w, f, name);
}

bool tn_rewrite_is_true(const struct tn_text_field *message, const char *name)
{
    const struct tn_text_field *f = tn_text_find(message, name);

    return f && f->kind == TN_TEXT_WORD && tn_bytes_is(f->text, "true");
}

/* ---- values ------------------------------------------------------------- */

static void put_quoted(struct tn_rewriting *w, struct tn_bytes text)
{
    tn_buffer_byte(&w->out, '"');
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (c == '\n')
            tn_buffer_text(&w->out, "\\n");
        else if (c == '\t')
            tn_buffer_text(&w->out, "\\t");
        else if (c == '"' || c == '\\')
            tn_buffer_format(&w->out, "\\%c", c);
        else
            tn_buffer_byte(&w->out, c);
    }
    tn_buffer_byte(&w->out, '"');
}

enum tn_status tn_rewrite_dtype(struct tn_rewriting        *w,
                                const struct tn_text_field *field)
{
    enum tn_dtype dtype = field->kind == TN_TEXT_WORD
                              ? tn_ir_of_tensorflow_name(field->text)
                              : TN_UNDEFINED;

    if (dtype == TN_UNDEFINED)
        return tn_text_fail(w->error, field, TN_UNSUPPORTED,
                            "unknown type '%.*s'", TN_FMT(field->text));
    tn_buffer_text(&w->out, tn_dtype_name(dtype));
    return TN_OK;
}

enum tn_status tn_rewrite_number(struct tn_rewriting        *w,
                                 const struct tn_text_field *field,
                                 bool                        is_real)
{
    char    text[TN_NUMBER_ROOM];
    int64_t number;
    double  real;

    if (!is_real) {
        TN_TRY(tn_text_int(field, &number, w->error));
        tn_buffer_format(&w->out, "%" PRId64, number);
        return TN_OK;
    }
    TN_TRY(tn_text_double(field, &real, w->error));
    tn_float_print(text, tn_double_to_float(real));
    tn_buffer_text(&w->out, text);
    return TN_OK;
}

static enum tn_status put_shape(struct tn_rewriting        *w,
                                const struct tn_text_field *shape)
{
    const char *between = "";

    TN_TRY(tn_text_message(shape, w->error));
    if (tn_rewrite_is_true(shape, "unknown_rank")) {
        tn_buffer_byte(&w->out, '?');
        return TN_OK;
    }
    tn_buffer_byte(&w->out, '[');
    for (const struct tn_text_field *f = shape->fields; f; f = f->next) {
        if (!tn_text_is(f, "dim"))
            continue;
        const struct tn_text_field *size = tn_text_find(f, "size");
        tn_buffer_text(&w->out, between);
        between = " ";
        if (size)
            TN_TRY(tn_rewrite_number(w, size, false));
        else
            tn_buffer_byte(&w->out, '0');
    }
    tn_buffer_byte(&w->out, ']');
    return TN_OK;
}

static enum tn_status put_tensor(struct tn_rewriting        *w,
                                 const struct tn_text_field *tensor)
{
    const struct tn_text_field *dtype;
    const char                 *between = "";

    TN_TRY(tn_text_message(tensor, w->error));
    dtype = tn_text_find(tensor, "dtype");
    if (!dtype)
        return tn_text_fail(w->error, tensor, TN_MALFORMED,
                            "a tensor without dtype");
    TN_TRY(tn_rewrite_dtype(w, dtype));
    tn_buffer_byte(&w->out, '[');
    for (const struct tn_text_field *f = tensor->fields; f; f = f->next) {
        bool is_int = tn_text_is(f, "int_val") || tn_text_is(f, "int64_val");
        if (!is_int && !tn_text_is(f, "float_val") &&
            !tn_text_is(f, "double_val"))
            continue;
        tn_buffer_text(&w->out, between);
        between = " ";
        TN_TRY(tn_rewrite_number(w, f, !is_int));
    }
    tn_buffer_byte(&w->out, ']');
    return TN_OK;
}

static enum tn_status put_string(struct tn_rewriting        *w,
                                 const struct tn_text_field *field)
{
    struct tn_bytes text;

    TN_TRY(tn_text_string(field, &text, w->error));
    put_quoted(w, text);
    return TN_OK;
}

enum tn_status tn_rewrite_value(struct tn_rewriting        *w,
                                const struct tn_text_field *field)
{
    if (tn_text_is(field, "s"))
        return put_string(w, field);
    if (tn_text_is(field, "i"))
        return tn_rewrite_number(w, field, false);
    if (tn_text_is(field, "f"))
        return tn_rewrite_number(w, field, true);
    if (tn_text_is(field, "type"))
        return tn_rewrite_dtype(w, field);
    if (tn_text_is(field, "shape"))
        return put_shape(w, field);
    if (tn_text_is(field, "tensor"))
        return put_tensor(w, field);
    if (tn_text_is(field, "b") && field->kind == TN_TEXT_WORD) {
        tn_buffer_add(&w->out, field->text);
        return TN_OK;
    }
    return tn_text_fail(w->error, field, TN_UNSUPPORTED,
                        "a value cannot be '%.*s'", TN_FMT(field->name));
}

/* ---- all ops, in order -------------------------------------------------- */

static const char *key_of(const struct tn_text_field *op)
{
    return tn_text_is(op, "node") ? "op_type" : "name";
}

static struct tn_bytes sort_name(const struct tn_text_field *op)
{
    const struct tn_text_field *name = tn_text_find(op, key_of(op));

    return name ? name->text : tn_bytes(NULL, 0);
}

static bool is_before(const void *left, const void *right)
{
    return tn_bytes_compare(sort_name(left), sort_name(right)) < 0;
}

static void put_ops(struct tn_rewriting *w, struct tn_arena *arena,
                    const struct tn_text_field *root, const char *which,
                    tn_rewrite_op *on)
{
    uint32_t     count = tn_text_count(root, which), at = 0;
    const void **order = tn_new(arena, const void *, count, w->error);

    if (!order)
        return;
    for (const struct tn_text_field *f = root->fields; f; f = f->next)
        if (tn_text_is(f, which))
            order[at++] = f;
    tn_sort(order, count, is_before);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++)
        on(w, order[i]);
}

enum tn_status tn_rewrite(struct tn_vocab *vocab, struct tn_arena *arena,
                          const struct tn_text_field *root, const char *which,
                          const char *head, tn_rewrite_op *on,
                          struct tn_error *error)
{
    struct tn_rewriting w = { .error = error };

    tn_buffer_init(&w.out, arena->memory, error);
    tn_buffer_text(&w.out, head);
    put_ops(&w, arena, root, which, on);
    if (!tn_failed(error)) {
        struct tn_bytes text =
            tn_bytes_dup(arena, tn_buffer_bytes(&w.out), error);
        if (text.data)
            tn_vocab_index(vocab, arena, text, error);
    }
    tn_buffer_done(&w.out);
    return error->status;
}
