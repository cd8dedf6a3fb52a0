/*
 * tfl_format.c - the format tflite: TensorFlow Lite and LiteRT models
 */
#include "format/registry.h"
#include "format/tflite/tflite.h"
#include "ir/changes.h"

/* The identifier, and a root table that is inside. */
#define IDENTIFIER_BITS 32
#define ROOT_BITS       48

static int tfl_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head;

    if (probe->entries || head.size < 8 ||
        memcmp(head.data + 4, TN_TFL_IDENTIFIER, 4) != 0)
        return 0;
    uint32_t root = tn_load32(head.data);
    return root >= 8 && root < probe->size ? ROOT_BITS : IDENTIFIER_BITS;
}

/* The bytes after the FlatBuffer begin with the first data there, or with an
 * archive. */
static uint64_t end_of_flat(const struct tn_fb_table *root)
{
    struct tn_source   *source = root->fb->span.source;
    uint64_t            end    = root->fb->span.length;
    struct tn_fb_vector rows   = tn_fb_vector(root, TN_TFL_MODEL_BUFFERS, 4);
    struct tn_span      zip    = tn_tfl_attached(source, source->memory);

    for (uint32_t i = 0; i < rows.count; i++) {
        struct tn_fb_table row    = tn_fb_vector_table(&rows, i);
        uint64_t           offset = (uint64_t)tn_fb_i64(&row,
                                                        TN_TFL_BUFFER_OFFSET, 0);
        if (offset > 1 && offset < end)
            end = offset;
    }
    return zip.length && zip.offset < end ? zip.offset : end;
}

static enum tn_status flat_span(struct tn_bundle *bundle, struct tn_bytes tag,
                                struct tn_span *span, struct tn_error *error)
{
    struct tn_arena    arena;
    struct tn_fb_table root;

    (void)tag;
    *span = tn_tfl_flat_span(bundle->main);
    tn_arena_init(&arena, bundle->memory);
    root = tn_tfl_root(bundle->main, &arena, error);
    if (root.fb)
        span->length = end_of_flat(&root);
    tn_arena_done(&arena);
    return error->status;
}

const struct tn_format tn_format_tflite = {
    .name        = "tflite",
    .title       = "TensorFlow Lite model",
    .dialect     = "tflite",
    .suffixes    = (const char *const[]){ ".tflite", NULL },
    .flat        = "tflite.Model",
    .flat_span   = flat_span,
    .dialect_ops = &tn_dialect_tflite,
    .probe       = tfl_probe,
    .open        = tn_tfl_open,
    .check_bytes = tn_tfl_check_bytes,
    .check       = tn_tfl_check,
    .check_graph = tn_tfl_check_graph,
    .describe    = tn_tfl_describe,
    .report_rest = tn_tfl_report_rest,
    .texts =
        1u << TN_TEXT_METADATA | 1u << TN_TEXT_DOC | 1u << TN_TEXT_SIGNATURE,
    .write = tn_tfl_write,
};
