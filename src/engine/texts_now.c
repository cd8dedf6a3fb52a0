/* texts_now.c - the texts about a model, including changes by edits */
#include "engine/texts_now.h"

#include "engine/opened.h"

#define GRAPH_NAME "onnx.graph_name"

static const struct tn_text_field fields[] = {
    { "onnx.producer_name", "producer", TN_TEXT_PRODUCER },
    { "onnx.producer_version", "producer-version", TN_TEXT_PRODUCER_VERSION },
    { "onnx.domain", "domain", TN_TEXT_DOMAIN },
    { "onnx.doc_string", "doc", TN_TEXT_DOC },
    { "onnx.model_version", "model-version", TN_TEXT_VERSION },
    { "tflite.description", "doc", TN_TEXT_DOC },
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

const struct tn_text_field *tn_text_field_of(struct tn_bytes key)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (tn_bytes_is(key, fields[i].key))
            return &fields[i];
    return NULL;
}

/* The key of a text; empty if it is none about the model. */
static struct tn_bytes key_of(const struct tn_text_change *text,
                              const struct tn_format      *format)
{
    bool is_onnx = format->texts >> TN_TEXT_PRODUCER & 1;

    if (text->kind == TN_TEXT_METADATA)
        return text->key;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (fields[i].kind == text->kind &&
            tn_bytes_starts_with(tn_text(fields[i].key),
                                 is_onnx ? "onnx." : "tflite."))
            return tn_text(fields[i].key);
    return tn_bytes(NULL, 0);
}

static const struct tn_text_change *change_of(const struct tn_changes *changes,
                                              const struct tn_format  *format,
                                              struct tn_bytes          key)
{
    for (uint32_t i = 0; changes && i < changes->text_count; i++)
        if (tn_bytes_equal(key_of(&changes->texts[i], format), key))
            return &changes->texts[i];
    return NULL;
}

static void add(struct tn_about *about, const struct tn_text_change *text,
                struct tn_bytes key)
{
    bool is_field = text->kind != TN_TEXT_METADATA;

    if (key.size && text->value.data && !(is_field && !text->value.size))
        tn_about_add(about, key, text->value);
}

/* The name of the main graph is in its row; one that was not named by anybody
 * is "graph". */
static struct tn_bytes graph_name(const struct tn_model  *model,
                                  const struct tn_format *format,
                                  const struct tn_about  *found)
{
    struct tn_bytes name = { NULL, 0 };

    if (format->texts >> TN_TEXT_GRAPH_NAME & 1 && model->graphs.count)
        name = tn_model_name(model, tn_model_graph_at(model, 0)->name);
    if (tn_bytes_is(name, "graph") && !tn_about_find(found, GRAPH_NAME).size)
        name.size = 0;
    return name;
}

/* The texts of the file, except for those that an edit removed or set; then
 * those that it added. */
void tn_describe_now(const struct tn_model *model, struct tn_about *about)
{
    const struct tn_format  *format  = tn_opened_of(model)->format;
    const struct tn_changes *changes = model->changes;
    struct tn_about          found;

    if (!model->is_edited) {
        if (format->describe)
            format->describe(model, about);
        return;
    }
    tn_about_init(&found, about->arena, about->error);
    if (format->describe)
        format->describe(model, &found);
    struct tn_bytes name = graph_name(model, format, &found);
    for (uint64_t i = 0; i < found.items.count; i++) {
        const struct tn_fact *item =
            tn_list_at(&found.items, struct tn_fact, i);
        const struct tn_text_change *change =
            change_of(changes, format, item->key);
        if (change)
            add(about, change, item->key);
        else if (name.size && tn_bytes_is(item->key, GRAPH_NAME))
            tn_about_add(about, item->key, name);
        else
            tn_about_add(about, item->key, item->value);
    }
    if (!tn_about_has(about, tn_text(GRAPH_NAME)))
        tn_about_add_text(about, GRAPH_NAME, name);
    about->others += found.others;
    tn_about_done(&found);
    for (uint32_t i = 0; changes && i < changes->text_count; i++) {
        const struct tn_text_change *text = &changes->texts[i];
        struct tn_bytes              key  = key_of(text, format);
        if (!tn_about_has(about, key))
            add(about, text, key);
    }
}
