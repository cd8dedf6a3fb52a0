/*
 * framework_tf_ops.c - TensorFlow's ops.pbtxt, as a vocabulary
 *
 *   op { name  input_arg* { name type type_attr number_attr type_list_attr }
 *        output_arg*  attr* { name type default_value allowed_values minimum }
 *        is_stateful is_commutative is_aggregate deprecation }
 */
#include "map/dl4j/framework_rewrite.h"

static enum tn_status put_list(struct tn_rewriting        *w,
                               const struct tn_text_field *list,
                               const char *open, const char *close)
{
    TN_TRY(tn_text_message(list, w->error));
    tn_buffer_text(&w->out, open);
    for (const struct tn_text_field *f = list->fields; f; f = f->next) {
        TN_TRY(tn_rewrite_value(w, f));
        tn_buffer_text(&w->out, f->next ? " " : "");
    }
    tn_buffer_text(&w->out, close);
    return TN_OK;
}

static enum tn_status put_default(struct tn_rewriting        *w,
                                  const struct tn_text_field *value,
                                  struct tn_bytes             type)
{
    TN_TRY(tn_text_message(value, w->error));
    const struct tn_text_field *f = value->fields;
    bool is_func = tn_bytes_is(type, "func") || tn_bytes_is(type, "list(func)");
    if (!f || is_func)
        return TN_OK;
    tn_buffer_text(&w->out, " = ");
    return tn_text_is(f, "list") ? put_list(w, f, "[", "]")
                                 : tn_rewrite_value(w, f);
}

static enum tn_status put_attr(struct tn_rewriting        *w,
                               const struct tn_text_field *attr)
{
    struct tn_bytes name, type;

    TN_TRY(tn_rewrite_need_name(w, attr, "name", &name));
    const struct tn_text_field *kind    = tn_text_find(attr, "type");
    const struct tn_text_field *value   = tn_text_find(attr, "default_value");
    const struct tn_text_field *allowed = tn_text_find(attr, "allowed_values");
    const struct tn_text_field *minimum = tn_text_find(attr, "minimum");
    if (!kind)
        return tn_text_fail(w->error, attr, TN_MALFORMED,
                            "an attribute without type");
    TN_TRY(tn_text_string(kind, &type, w->error));
    tn_buffer_format(&w->out, "    %.*s %.*s", TN_FMT(name), TN_FMT(type));
    if (value)
        TN_TRY(put_default(w, value, type));
    if (allowed && allowed->fields) {
        tn_buffer_text(&w->out, " in ");
        TN_TRY(put_list(w, allowed->fields, "{", "}"));
    }
    if (tn_rewrite_is_true(attr, "has_minimum")) {
        tn_buffer_text(&w->out, " >= ");
        if (minimum)
            TN_TRY(tn_rewrite_number(w, minimum, false));
        else
            tn_buffer_byte(&w->out, '0');
    }
    tn_buffer_byte(&w->out, '\n');
    return TN_OK;
}

static enum tn_status put_arg(struct tn_rewriting        *w,
                              const struct tn_text_field *arg)
{
    const struct tn_text_field *list  = tn_text_find(arg, "type_list_attr");
    const struct tn_text_field *count = tn_text_find(arg, "number_attr");
    const struct tn_text_field *attr  = tn_text_find(arg, "type_attr");
    const struct tn_text_field *type  = tn_text_find(arg, "type");
    struct tn_bytes             name;

    if (list) {
        TN_TRY(tn_rewrite_name(w, list, &name));
        tn_buffer_format(&w->out, " *%.*s", TN_FMT(name));
        return TN_OK;
    }
    tn_buffer_text(&w->out, tn_rewrite_is_true(arg, "is_ref") ? " &" : " ");
    if (count) {
        TN_TRY(tn_rewrite_name(w, count, &name));
        tn_buffer_format(&w->out, "%.*s*", TN_FMT(name));
    }
    if (attr) {
        TN_TRY(tn_rewrite_name(w, attr, &name));
        tn_buffer_format(&w->out, "$%.*s", TN_FMT(name));
        return TN_OK;
    }
    return type ? tn_rewrite_dtype(w, type)
                : tn_text_fail(w->error, arg, TN_MALFORMED,
                               "an argument without a type");
}

static enum tn_status put_args(struct tn_rewriting        *w,
                               const struct tn_text_field *op,
                               const char                 *which)
{
    const char     *between = "";
    struct tn_bytes name;

    tn_buffer_byte(&w->out, '(');
    for (const struct tn_text_field *f = op->fields; f; f = f->next) {
        if (!tn_text_is(f, which))
            continue;
        TN_TRY(tn_rewrite_need_name(w, f, "name", &name));
        tn_buffer_format(&w->out, "%s%.*s", between, TN_FMT(name));
        between = ", ";
        TN_TRY(put_arg(w, f));
    }
    tn_buffer_byte(&w->out, ')');
    return TN_OK;
}

static enum tn_status put_flags(struct tn_rewriting        *w,
                                const struct tn_text_field *op)
{
    const struct tn_text_field *old = tn_text_find(op, "deprecation");
    const struct tn_text_field *since =
        old ? tn_text_find(old, "version") : NULL;

    if (tn_rewrite_is_true(op, "is_stateful"))
        tn_buffer_text(&w->out, " stateful");
    if (tn_rewrite_is_true(op, "is_commutative"))
        tn_buffer_text(&w->out, " commutative");
    if (tn_rewrite_is_true(op, "is_aggregate"))
        tn_buffer_text(&w->out, " aggregate");
    if (since) {
        tn_buffer_text(&w->out, " deprecated@");
        TN_TRY(tn_rewrite_number(w, since, false));
    }
    tn_buffer_byte(&w->out, '\n');
    return TN_OK;
}

static enum tn_status put_tensorflow_op(struct tn_rewriting        *w,
                                        const struct tn_text_field *op)
{
    struct tn_bytes name;

    TN_TRY(tn_rewrite_need_name(w, op, "name", &name));
    tn_buffer_format(&w->out, "op %.*s ", TN_FMT(name));
    TN_TRY(put_args(w, op, "input_arg"));
    tn_buffer_text(&w->out, " -> ");
    TN_TRY(put_args(w, op, "output_arg"));
    TN_TRY(put_flags(w, op));
    for (const struct tn_text_field *f = op->fields; f; f = f->next)
        if (tn_text_is(f, "attr"))
            TN_TRY(put_attr(w, f));
    return TN_OK;
}

enum tn_status tn_tensorflow_ops_read(struct tn_vocab            *vocab,
                                      struct tn_arena            *arena,
                                      const struct tn_text_field *root,
                                      struct tn_error            *error)
{
    return tn_rewrite(vocab, arena, root, "op",
                      "vocabulary tensorflow 1\ndomain \"\"\n",
                      put_tensorflow_op, error);
}
