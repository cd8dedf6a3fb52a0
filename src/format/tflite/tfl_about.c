/* tfl_about.c - texts of a TFLite model, and what other formats do not hold */
#include <stdio.h>

#include "format/tflite/tflite.h"

static void describe_metadata(const struct tn_fb_table *root,
                              struct tn_about          *about)
{
    struct tn_fb_vector rows    = tn_fb_vector(root, TN_TFL_MODEL_METADATA, 4);
    struct tn_fb_vector buffers = tn_fb_vector(root, TN_TFL_MODEL_BUFFERS, 4);
    uint64_t            left    = root->fb->span.length;
    struct tn_bytes     text;

    for (uint32_t i = 0; i < rows.count && !tn_failed(about->error); i++) {
        struct tn_fb_table row = tn_fb_vector_table(&rows, i);
        if (tn_tfl_metadata_text(&buffers, &row, about->arena, &left, &text,
                                 about->error))
            tn_about_add(about, tn_fb_string(&row, TN_TFL_METADATA_NAME), text);
    }
}

void tn_tfl_describe(const struct tn_model *model, struct tn_about *about)
{
    const struct tn_tfl_detail *detail = tn_tfl_detail_of(model);
    struct tn_fb                fb;

    if (!detail)
        return;
    tn_fb_view(&fb, detail->source, about->error);
    struct tn_fb_table root = tn_fb_table_at(&fb, detail->root);
    tn_about_add_text(about, TN_TFL_ABOUT_DESCRIPTION,
                      tn_fb_string(&root, TN_TFL_MODEL_DESCRIPTION));
    describe_metadata(&root, about);
}

static void lose(const struct tn_write_options *options, uint64_t at,
                 struct tn_bytes name, const char *what)
{
    char where[160];

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    if (options->loss)
        options->loss(options->loss_context, at, where, what);
}

/* Metadata that is not text; describe() lists it. */
static void lose_metadata(const struct tn_model         *model,
                          const struct tn_fb_table      *root,
                          const struct tn_write_options *options,
                          struct tn_error               *error)
{
    struct tn_fb_vector rows    = tn_fb_vector(root, TN_TFL_MODEL_METADATA, 4);
    struct tn_fb_vector buffers = tn_fb_vector(root, TN_TFL_MODEL_BUFFERS, 4);
    uint64_t            left    = root->fb->span.length;
    struct tn_bytes     text;
    struct tn_arena     arena;

    tn_arena_init(&arena, model->memory);
    for (uint32_t i = 0; i < rows.count && !tn_failed(error); i++) {
        struct tn_fb_table row = tn_fb_vector_table(&rows, i);
        tn_arena_rewind(&arena);
        if (!tn_tfl_metadata_text(&buffers, &row, &arena, &left, &text, error))
            lose(options, row.fb->span.offset + row.at,
                 tn_fb_string(&row, TN_TFL_METADATA_NAME),
                 "left behind: metadata");
    }
    tn_arena_done(&arena);
}

/* Constants whose elements mean nothing without their scales. */
static void lose_scales(const struct tn_model         *model,
                        const struct tn_write_options *options,
                        struct tn_error               *error)
{
    struct tn_arena arena;
    uint64_t        count = 0;
    char            what[120];

    tn_arena_init(&arena, model->memory);
    for (uint64_t i = 0; i < model->tensors.count && !tn_failed(error); i++) {
        const struct tn_tensor *t = tn_model_tensor(model, i);
        struct tn_value_about   about;
        tn_arena_rewind(&arena);
        if (t->graph != TN_NONE &&
            model->dialect->describe_value(model, t->graph,
                                           tn_model_name(model, t->name),
                                           &arena, &about, error))
            count += about.scale_count || about.block_size;
    }
    tn_arena_done(&arena);
    snprintf(what, sizeof what,
             "left behind: scales and zero points of %" PRIu64 " tensors",
             count);
    if (count)
        lose(options, TN_NOWHERE, tn_text("quantization"), what);
}

enum tn_status tn_tfl_report_rest(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  bool is_bare, struct tn_error *error)
{
    const struct tn_tfl_detail *detail = tn_tfl_detail_of(model);
    struct tn_fb                fb;
    char                        what[80];

    if (!detail || !options->loss)
        return TN_OK;
    tn_fb_view(&fb, detail->source, error);
    struct tn_fb_table  root = tn_fb_table_at(&fb, detail->root);
    lose_metadata(model, &root, options, error);
    struct tn_span zip = tn_tfl_attached(detail->source, model->memory);
    snprintf(what, sizeof what, "left behind: an archive of %" PRIu64 " bytes",
             zip.length);
    if (zip.length)
        lose(options, zip.offset, tn_text("attached files"), what);
    if (is_bare && !tn_failed(error))
        lose_scales(model, options, error);
    return error->status;
}
