/*
 * onnx_about.c - texts about an ONNX model, and fields that other formats do
 * not have
 *
 * Texts of the model and of its main graph get the key "onnx.FIELD", metadata
 * keep their keys.  Texts from another format go to the field of that key, or
 * else to metadata_props.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "format/onnx/onnx_write.h"
#include "ir/changes.h"

#define GRAPH_PREFIX "onnx.graph_metadata."

enum { GRAPH_DOC = 10 };

/* ---- reading ------------------------------------------------------------ */

/* A key may hold anything, zeros too. */
static struct tn_bytes joined(struct tn_about *about, struct tn_bytes prefix,
                              struct tn_bytes key)
{
    uint8_t *whole =
        tn_new(about->arena, uint8_t, prefix.size + key.size + 1, about->error);

    if (!whole)
        return tn_bytes(NULL, 0);
    memcpy(whole, prefix.data, prefix.size);
    if (key.size)
        memcpy(whole + prefix.size, key.data, key.size);
    return tn_bytes(whole, prefix.size + key.size);
}

static void add_entry(struct tn_about *about, struct tn_pb_field *field,
                      const char *prefix)
{
    struct tn_bytes key, value;

    tn_onnx_entry_read(&field->body, &key, &value);
    if (prefix[0])
        key = joined(about, tn_text(prefix), key);
    tn_about_add(about, key, value);
}

static void describe_graph(struct tn_span wire, struct tn_about *about)
{
    struct tn_cursor   c = tn_cursor_span(wire, about->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == GRAPH_NAME)
            tn_about_add_text(about, "onnx.graph_name", tn_pb_text(&field));
        else if (field.number == GRAPH_DOC)
            tn_about_add_text(about, "onnx.graph_doc_string",
                              tn_pb_text(&field));
        else if (field.number == GRAPH_METADATA)
            add_entry(about, &field, GRAPH_PREFIX);
    }
}

static const struct model_text {
    uint32_t          number;
    const char       *key;
    enum tn_text_kind kind;
} model_texts[] = {
    { MODEL_PRODUCER_NAME, "onnx.producer_name", TN_TEXT_PRODUCER },
    { MODEL_PRODUCER_VERSION, "onnx.producer_version",
      TN_TEXT_PRODUCER_VERSION },
    { MODEL_DOMAIN, "onnx.domain", TN_TEXT_DOMAIN },
    { MODEL_DOC, "onnx.doc_string", TN_TEXT_DOC },
};
#define MODEL_TEXTS (sizeof model_texts / sizeof model_texts[0])

static void describe_field(struct tn_pb_field *field, struct tn_about *about)
{
    if (field->number == MODEL_VERSION && field->type == TN_WIRE_VARINT)
        tn_about_add_number(about, "onnx.model_version", (int64_t)field->value);
    if (field->type != TN_WIRE_LEN)
        return;
    if (field->number == MODEL_METADATA)
        add_entry(about, field, "");
    if (field->number == MODEL_GRAPH)
        describe_graph(tn_pb_body_span(field), about);
    for (unsigned i = 0; i < MODEL_TEXTS; i++)
        if (model_texts[i].number == field->number)
            tn_about_add_text(about, model_texts[i].key, tn_pb_text(field));
}

void tn_onnx_describe(const struct tn_model *model, struct tn_about *about)
{
    struct tn_cursor   c = tn_cursor_span(model->wire, about->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        describe_field(&field, about);
}

/* ---- writing ------------------------------------------------------------ */

/* Whether a number is in the form in which a field returns it: not "007", and
 * not 0, which means that it is not set. */
static bool is_version(struct tn_bytes text, int64_t *version)
{
    char again[24];

    if (!tn_int64_parse(text, version) || *version == 0)
        return false;
    snprintf(again, sizeof again, "%" PRId64, *version);
    return tn_bytes_is(text, again);
}

/* Texts with a field, and a value that the field can hold; the others are
 * metadata. */
static bool has_field(const struct tn_fact *item)
{
    static const char *const others[] = { "onnx.graph_name",
                                          "onnx.graph_doc_string" };
    int64_t                  version;

    if (tn_bytes_starts_with(item->key, GRAPH_PREFIX))
        return true;
    if (tn_bytes_is(item->key, "onnx.model_version"))
        return is_version(item->value, &version);
    if (!item->value.size)
        return false;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (tn_bytes_is(item->key, others[i]))
            return true;
    for (unsigned i = 0; i < MODEL_TEXTS; i++)
        if (tn_bytes_is(item->key, model_texts[i].key))
            return true;
    return false;
}

static void put_entry(struct tn_onnx_writer *w, struct tn_rope *to,
                      uint32_t number, struct tn_bytes key,
                      struct tn_bytes value)
{
    struct tn_rope entry;

    tn_rope_init(&entry, &w->arena, w->error);
    tn_pb_put_bytes(&entry, ENTRY_KEY, key);
    tn_pb_put_bytes(&entry, ENTRY_VALUE, value);
    tn_pb_put_message(to, number, &entry);
}

/* A text about the model: what an edit set, or what the model said that this
 * one was made of.  A model that was made by an edit has the former alone. */
static struct tn_bytes said(const struct tn_onnx_writer *w,
                            enum tn_text_kind kind, const char *key)
{
    const struct tn_text_change *change =
        tn_changes_text(w->model->changes, kind, tn_bytes(NULL, 0));

    if (change)
        return change->value;
    return w->options->about ? tn_about_find(w->options->about, key)
                             : tn_bytes(NULL, 0);
}

void tn_onnx_put_about(struct tn_onnx_writer *w, struct tn_rope *to)
{
    struct tn_bytes producer = said(w, model_texts[0].kind, model_texts[0].key);
    int64_t         version;

    tn_pb_put_bytes(to, MODEL_PRODUCER_NAME,
                    producer.size ? producer : tn_text("tenon"));
    for (unsigned i = 1; i < MODEL_TEXTS; i++) {
        struct tn_bytes text = said(w, model_texts[i].kind, model_texts[i].key);
        if (text.size)
            tn_pb_put_bytes(to, model_texts[i].number, text);
    }
    if (is_version(said(w, TN_TEXT_VERSION, "onnx.model_version"), &version))
        tn_pb_put_varint(to, MODEL_VERSION, (uint64_t)version);
}

/* Texts that an edit set, unless they were written already. */
static void put_set_metadata(struct tn_onnx_writer *w, struct tn_rope *to)
{
    const struct tn_changes *changes = w->model->changes;
    const struct tn_about   *about   = w->options->about;

    for (uint32_t i = 0; changes && i < changes->text_count; i++) {
        const struct tn_text_change *text = &changes->texts[i];
        if (text->kind != TN_TEXT_METADATA ||
            (about && tn_about_has(about, text->key)))
            continue;
        if (text->value.data)
            put_entry(w, to, MODEL_METADATA, text->key, text->value);
        else
            tn_changes_miss(text, w->error);
    }
}

void tn_onnx_put_metadata(struct tn_onnx_writer *w, struct tn_rope *to)
{
    const struct tn_about *about = w->options->about;

    for (uint64_t i = 0; about && i < about->items.count; i++) {
        const struct tn_fact *item =
            tn_list_at(&about->items, struct tn_fact, i);
        if (!has_field(item))
            put_entry(w, to, MODEL_METADATA, item->key, item->value);
    }
    put_set_metadata(w, to);
}

void tn_onnx_put_graph_about(struct tn_onnx_writer *w, struct tn_rope *to)
{
    const struct tn_about *about = w->options->about;
    struct tn_bytes        doc;

    if (!about)
        return;
    doc = tn_about_find(about, "onnx.graph_doc_string");
    if (doc.size)
        tn_pb_put_bytes(to, GRAPH_DOC, doc);
    for (uint64_t i = 0; i < about->items.count; i++) {
        const struct tn_fact *item =
            tn_list_at(&about->items, struct tn_fact, i);
        if (tn_bytes_starts_with(item->key, GRAPH_PREFIX))
            put_entry(w, to, GRAPH_METADATA,
                      tn_bytes(item->key.data + strlen(GRAPH_PREFIX),
                               item->key.size - strlen(GRAPH_PREFIX)),
                      item->value);
    }
}

/* ---- the rest ----------------------------------------------------------- */

/* clang-format off */
#define MODEL_FIELDS "ir_version! producer_name! producer_version! domain! model_version! doc_string! metadata_props! opset_import! "
#define TENSOR { "onnx.TensorProto", NULL, "dims! data_type! float_data! int32_data! string_data! int64_data! name! raw_data! double_data! uint64_data! external_data! data_location!" }

/* Types of inner values are inferred again; functions are inlined. */
const struct tn_rest_row tn_onnx_taken_by_graph[] = {
    { "onnx.ModelProto", NULL, MODEL_FIELDS "graph functions" },
    { "onnx.GraphProto", "graph", "node name! initializer doc_string! input output value_info sparse_initializer metadata_props!" },
    { "onnx.GraphProto", NULL, "node name! initializer input output value_info sparse_initializer" },
    { "onnx.NodeProto", NULL, "input! output! name! op_type! attribute domain! overload!" },
    { "onnx.AttributeProto", NULL, "name! f! i! s! t g floats! ints! strings! tensors graphs tp type_protos type! ref_attr_name! sparse_tensor sparse_tensors" },
    { "onnx.ValueInfoProto", NULL, "name! type" },
    { "onnx.TypeProto", NULL, "tensor_type sequence_type map_type opaque_type! sparse_tensor_type optional_type" },
    { "onnx.TypeProto.Tensor", NULL, "elem_type! shape" },
    { "onnx.TypeProto.SparseTensor", NULL, "elem_type! shape" },
    { "onnx.TypeProto.Sequence", NULL, "elem_type" },
    { "onnx.TypeProto.Optional", NULL, "elem_type" },
    { "onnx.TypeProto.Map", NULL, "key_type! value_type" },
    { "onnx.TensorShapeProto", NULL, "dim" },
    { "onnx.TensorShapeProto.Dimension", NULL, "dim_value! dim_param!" },
    { "onnx.SparseTensorProto", NULL, "values indices dims!" },
    { "onnx.FunctionProto", NULL, "name! input! output! attribute! node opset_import! domain! attribute_proto value_info overload!" },
    TENSOR,
    { NULL, NULL, NULL },
};

/* The loss "the graph is left behind" covers everything in it but its
 * tensors. */
const struct tn_rest_row tn_onnx_taken_by_tensors[] = {
    { "onnx.ModelProto", NULL, MODEL_FIELDS "graph functions!" },
    { "onnx.GraphProto", NULL, "node! name! initializer doc_string! input! output! value_info! quantization_annotation! sparse_initializer metadata_props!" },
    { "onnx.SparseTensorProto", NULL, "values indices dims!" },
    TENSOR,
    { NULL, NULL, NULL },
};
/* clang-format on */
