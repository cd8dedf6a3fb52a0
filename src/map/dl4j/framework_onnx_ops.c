/*
 * framework_onnx_ops.c - ONNX's ops as Deeplearning4j keeps them, as a
 * vocabulary
 *
 *   node { op_type  input*  output*  attribute* { name type strings* } }
 */
#include "map/dl4j/framework_rewrite.h"

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
    TN_TRY(tn_rewrite_name(w, named, &name));
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
            TN_TRY(tn_rewrite_value(w, value));
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
        TN_TRY(tn_rewrite_name(w, f, &name));
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

    TN_TRY(tn_rewrite_need_name(w, op, "op_type", &name));
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
    return tn_rewrite(
        vocab, arena, root, "node",
        "vocabulary onnx 1\n"
        "types any = {float32 float64 float16 bfloat16 int8 int16 "
        "int32 int64 uint8 uint16 uint32 uint64 bool complex64 "
        "complex128 string}\n"
        "domain ai.onnx \"\"\n",
        put_onnx_op, error);
}
