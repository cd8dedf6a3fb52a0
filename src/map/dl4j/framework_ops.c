/*
 * framework_ops.c - the frameworks' own op definitions, as vocabularies
 *
 * Names and values are written as the language of vocabularies has them, ops in
 * the order of their names.
 */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/sort.h"
#include "map/dl4j/framework_ops.h"
#include "map/dl4j/ir_types.h"

struct tn_rewriting {
    struct tn_buffer out;
    struct tn_error *error;
};

/* Writes one op. */
typedef enum tn_status tn_rewrite_op(struct tn_rewriting        *w,
                                     const struct tn_text_field *op);

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

/* The string of a field, which must be a name. */
static enum tn_status rewrite_name(struct tn_rewriting        *w,
                                   const struct tn_text_field *field,
                                   struct tn_bytes            *name)
{
    TN_TRY(tn_text_string(field, name, w->error));
    if (!is_name(*name))
        return tn_text_fail(w->error, field, TN_MALFORMED,
                            "'%.*s' is not a name", TN_FMT(*name));
    return TN_OK;
}

/* The name in a message's field; the field must be there. */
static enum tn_status rewrite_need_name(struct tn_rewriting        *w,
                                        const struct tn_text_field *message,
                                        const char                 *field,
                                        struct tn_bytes            *name)
{
    const struct tn_text_field *f;

    TN_TRY(tn_text_message(message, w->error));
    f = tn_text_find(message, field);
    if (!f)
        return tn_text_fail(w->error, message, TN_MALFORMED,
                            "'%.*s' without '%s'", TN_FMT(message->name),
                            field);
    return rewrite_name(w, f, name);
}

static bool rewrite_is_true(const struct tn_text_field *message,
                            const char                 *name)
{
    const struct tn_text_field *f = tn_text_find(message, name);

    return f && f->kind == TN_TEXT_WORD && tn_bytes_is(f->text, "true");
}

/* ---- values ------------------------------------------------------------- */

static enum tn_status rewrite_dtype(struct tn_rewriting        *w,
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

static enum tn_status rewrite_number(struct tn_rewriting        *w,
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
    if (rewrite_is_true(shape, "unknown_rank")) {
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
            TN_TRY(rewrite_number(w, size, false));
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
    TN_TRY(rewrite_dtype(w, dtype));
    tn_buffer_byte(&w->out, '[');
    for (const struct tn_text_field *f = tensor->fields; f; f = f->next) {
        bool is_int = tn_text_is(f, "int_val") || tn_text_is(f, "int64_val");
        if (!is_int && !tn_text_is(f, "float_val") &&
            !tn_text_is(f, "double_val"))
            continue;
        tn_buffer_text(&w->out, between);
        between = " ";
        TN_TRY(rewrite_number(w, f, !is_int));
    }
    tn_buffer_byte(&w->out, ']');
    return TN_OK;
}

static enum tn_status put_string(struct tn_rewriting        *w,
                                 const struct tn_text_field *field)
{
    struct tn_bytes text;

    TN_TRY(tn_text_string(field, &text, w->error));
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
    return TN_OK;
}

/* A value, as the field is called in messages of both: s, i, f, b, type, shape,
 * tensor.  And numbers and types by themselves. */
static enum tn_status rewrite_value(struct tn_rewriting        *w,
                                    const struct tn_text_field *field)
{
    if (tn_text_is(field, "s"))
        return put_string(w, field);
    if (tn_text_is(field, "i"))
        return rewrite_number(w, field, false);
    if (tn_text_is(field, "f"))
        return rewrite_number(w, field, true);
    if (tn_text_is(field, "type"))
        return rewrite_dtype(w, field);
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

static struct tn_bytes sort_name(const struct tn_text_field *op)
{
    const struct tn_text_field *name =
        tn_text_find(op, tn_text_is(op, "node") ? "op_type" : "name");

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

/* The vocabulary of all messages `which` of the root, in order of their names,
 * behind the text `head`. */
static enum tn_status rewrite(struct tn_vocab *vocab, struct tn_arena *arena,
                              const struct tn_text_field *root,
                              const char *which, const char *head,
                              tn_rewrite_op *on, struct tn_error *error)
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

/* ---- ONNX's ops as Deeplearning4j keeps them, as a vocabulary ----------- */

/*
 *   node { op_type  input*  output*  attribute* { name type strings* } }
 */

/* What AttributeProto calls the types; others do not occur in definitions. */
static const struct {
    const char *word, *type, *value;
} onnx_types[] = {
    { "FLOAT", "float", "f" },
    { "INT", "int", "i" },
    { "STRING", "string", "s" },
    { "TENSOR", "tensor", NULL },
    { "GRAPH", "graph", NULL },
    { "FLOATS", "list(float)", NULL },
    { "INTS", "list(int)", NULL },
    { "STRINGS", "list(string)", NULL },
    { "TENSORS", "list(tensor)", NULL },
    { "GRAPHS", "list(graph)", NULL },
    { "SPARSE_TENSOR", "sparse_tensor", NULL },
    { "TYPE_PROTO", "type_proto", NULL },
};

/* "X-types": what an input may be.  The lists do not say which inputs are of
 * one type, nor which may be left out, so that they bind nothing here. */
static bool is_type_list(struct tn_bytes name)
{
    return name.size > 6 && tn_bytes_ends_with(name, "-types");
}

static enum tn_status put_onnx_attr(struct tn_rewriting        *w,
                                    const struct tn_text_field *attr)
{
    const struct tn_text_field *named = tn_text_find(attr, "name");
    const struct tn_text_field *kind  = tn_text_find(attr, "type");
    struct tn_bytes             name;

    if (!named || !kind)
        return tn_text_fail(w->error, attr, TN_MALFORMED,
                            "an attribute needs name and type");
    TN_TRY(tn_text_string(named, &name, w->error));
    if (is_type_list(name))
        return TN_OK;
    TN_TRY(rewrite_name(w, named, &name));
    for (size_t i = 0; i < sizeof onnx_types / sizeof onnx_types[0]; i++) {
        if (!tn_bytes_is(kind->text, onnx_types[i].word))
            continue;
        const struct tn_text_field *value =
            onnx_types[i].value ? tn_text_find(attr, onnx_types[i].value)
                                : NULL;
        bool has =
            value && !(value->kind == TN_TEXT_STRING && value->text.size == 0);
        tn_buffer_format(&w->out, "    %.*s%s %s", TN_FMT(name), has ? "" : "?",
                         onnx_types[i].type);
        if (has) {
            tn_buffer_text(&w->out, " = ");
            TN_TRY(rewrite_value(w, value));
        }
        tn_buffer_byte(&w->out, '\n');
        return TN_OK;
    }
    return tn_text_fail(w->error, kind, TN_UNSUPPORTED, "unknown type '%.*s'",
                        TN_FMT(kind->text));
}

/* Every argument may be left out, as far as these definitions know. */
static enum tn_status put_onnx_args(struct tn_rewriting        *w,
                                    const struct tn_text_field *op,
                                    const char                 *which)
{
    const char     *between = "";
    struct tn_bytes name;

    tn_buffer_byte(&w->out, '(');
    for (const struct tn_text_field *f = op->fields; f; f = f->next) {
        if (!tn_text_is(f, which))
            continue;
        TN_TRY(rewrite_name(w, f, &name));
        tn_buffer_format(&w->out, "%s%.*s? any", between, TN_FMT(name));
        between = ", ";
    }
    tn_buffer_byte(&w->out, ')');
    return TN_OK;
}

static enum tn_status put_onnx_op(struct tn_rewriting        *w,
                                  const struct tn_text_field *op)
{
    struct tn_bytes name;

    TN_TRY(rewrite_need_name(w, op, "op_type", &name));
    tn_buffer_format(&w->out, "op %.*s ", TN_FMT(name));
    TN_TRY(put_onnx_args(w, op, "input"));
    tn_buffer_text(&w->out, " -> ");
    TN_TRY(put_onnx_args(w, op, "output"));
    tn_buffer_byte(&w->out, '\n');
    for (const struct tn_text_field *f = op->fields; f; f = f->next)
        if (tn_text_is(f, "attribute"))
            TN_TRY(put_onnx_attr(w, f));
    return TN_OK;
}

enum tn_status tn_onnx_ops_read(struct tn_vocab *vocab, struct tn_arena *arena,
                                const struct tn_text_field *root,
                                struct tn_error            *error)
{
    return rewrite(vocab, arena, root, "node",
                   "vocabulary onnx 1\n"
                   "types any = {float32 float64 float16 bfloat16 int8 int16 "
                   "int32 int64 uint8 uint16 uint32 uint64 bool complex64 "
                   "complex128 string}\n"
                   "domain ai.onnx \"\"\n",
                   put_onnx_op, error);
}

/* ---- TensorFlow's ops.pbtxt, as a vocabulary ---------------------------- */

/*
 *   op { name  input_arg* { name type type_attr number_attr type_list_attr }
 *        output_arg*  attr* { name type default_value allowed_values minimum }
 *        is_stateful is_commutative is_aggregate deprecation }
 */

static enum tn_status put_list(struct tn_rewriting        *w,
                               const struct tn_text_field *list,
                               const char *open, const char *close)
{
    TN_TRY(tn_text_message(list, w->error));
    tn_buffer_text(&w->out, open);
    for (const struct tn_text_field *f = list->fields; f; f = f->next) {
        TN_TRY(rewrite_value(w, f));
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
                                 : rewrite_value(w, f);
}

static enum tn_status put_attr(struct tn_rewriting        *w,
                               const struct tn_text_field *attr)
{
    struct tn_bytes name, type;

    TN_TRY(rewrite_need_name(w, attr, "name", &name));
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
    if (rewrite_is_true(attr, "has_minimum")) {
        tn_buffer_text(&w->out, " >= ");
        if (minimum)
            TN_TRY(rewrite_number(w, minimum, false));
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
        TN_TRY(rewrite_name(w, list, &name));
        tn_buffer_format(&w->out, " *%.*s", TN_FMT(name));
        return TN_OK;
    }
    tn_buffer_text(&w->out, rewrite_is_true(arg, "is_ref") ? " &" : " ");
    if (count) {
        TN_TRY(rewrite_name(w, count, &name));
        tn_buffer_format(&w->out, "%.*s*", TN_FMT(name));
    }
    if (attr) {
        TN_TRY(rewrite_name(w, attr, &name));
        tn_buffer_format(&w->out, "$%.*s", TN_FMT(name));
        return TN_OK;
    }
    return type ? rewrite_dtype(w, type)
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
        TN_TRY(rewrite_need_name(w, f, "name", &name));
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

    if (rewrite_is_true(op, "is_stateful"))
        tn_buffer_text(&w->out, " stateful");
    if (rewrite_is_true(op, "is_commutative"))
        tn_buffer_text(&w->out, " commutative");
    if (rewrite_is_true(op, "is_aggregate"))
        tn_buffer_text(&w->out, " aggregate");
    if (since) {
        tn_buffer_text(&w->out, " deprecated@");
        TN_TRY(rewrite_number(w, since, false));
    }
    tn_buffer_byte(&w->out, '\n');
    return TN_OK;
}

static enum tn_status put_tensorflow_op(struct tn_rewriting        *w,
                                        const struct tn_text_field *op)
{
    struct tn_bytes name;

    TN_TRY(rewrite_need_name(w, op, "name", &name));
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
    return rewrite(vocab, arena, root, "op",
                   "vocabulary tensorflow 1\ndomain \"\"\n", put_tensorflow_op,
                   error);
}
