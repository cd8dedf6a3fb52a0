/* gguf_about.c - metadata of GGUF as texts, for formats that hold texts */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "format/gguf/gguf.h"

/* Longer values are left out and reported. */
#define TEXT_LIMIT  (UINT64_C(1) << 20)
#define ARRAY_LIMIT 4096

/* Vocabularies are data of llama.cpp, not texts about a model. */
static bool is_about(const struct tn_gguf_pair *pair)
{
    return !tn_gguf_is_split_key(pair->key) &&
           !tn_bytes_is(pair->key, TN_GGUF_KEY_ALIGNMENT) &&
           (pair->type == TN_GGUF_ARRAY ? pair->value.length <= ARRAY_LIMIT
                                        : pair->value.length <= TEXT_LIMIT);
}

static void add(struct tn_about *about, const struct tn_gguf_file *file,
                const struct tn_gguf_pair *pair, struct tn_memory *memory)
{
    struct tn_json_writer json;
    struct tn_buffer      text;
    size_t                size = (size_t)pair->value.length;

    tn_buffer_init(&text, memory, about->error);
    if (pair->type != TN_GGUF_ARRAY && pair->type != TN_GGUF_STRING) {
        tn_gguf_show_value(&text, file, pair, memory, about->error);
    } else if (pair->type == TN_GGUF_STRING) {
        uint8_t *room = size ? tn_buffer_room(&text, size) : NULL;
        if (room && tn_source_read(pair->value.source, pair->value.offset, room,
                                   size, about->error) == TN_OK)
            text.size += size;
    } else {
        tn_json_writer_init(&json, &text.sink, false, about->error);
        tn_gguf_put_value(&json, file, pair, memory, about->error);
    }
    struct tn_bytes value =
        tn_bytes_dup(about->arena, tn_buffer_bytes(&text), about->error);
    if (!tn_failed(about->error))
        tn_about_add(about, pair->key, value);
    tn_buffer_done(&text);
}

void tn_gguf_describe(const struct tn_model *model, struct tn_about *about)
{
    const struct tn_gguf_detail *detail = model->detail;
    const struct tn_gguf_file   *file   = detail ? &detail->files[0] : NULL;

    for (uint64_t i = 0; file && i < file->pairs.count; i++) {
        const struct tn_gguf_pair *pair =
            tn_list_at(&file->pairs, struct tn_gguf_pair, i);
        if (is_about(pair) && !tn_failed(about->error))
            add(about, file, pair, model->memory);
    }
}

enum tn_status tn_gguf_report_rest(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   bool is_bare, struct tn_error *error)
{
    const struct tn_gguf_detail *detail = model->detail;
    const struct tn_gguf_file   *file   = detail ? &detail->files[0] : NULL;

    (void)is_bare;
    for (uint64_t i = 0; file && options->loss && i < file->pairs.count; i++) {
        const struct tn_gguf_pair *pair =
            tn_list_at(&file->pairs, struct tn_gguf_pair, i);
        char where[160], what[120];
        if (is_about(pair) || tn_gguf_is_split_key(pair->key) ||
            tn_bytes_is(pair->key, TN_GGUF_KEY_ALIGNMENT))
            continue;
        snprintf(where, sizeof where, "%.*s", TN_FMT(pair->key));
        if (pair->type == TN_GGUF_ARRAY)
            snprintf(what, sizeof what,
                     "left behind: metadata: an array of %" PRIu64 " %s",
                     pair->count, tn_gguf_value_name(pair->element));
        else
            snprintf(what, sizeof what,
                     "left behind: metadata: a text of %" PRIu64 " bytes",
                     pair->value.length);
        options->loss(options->loss_context, pair->wire.offset, where, what);
    }
    return error->status;
}
