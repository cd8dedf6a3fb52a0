/* convert_model.c - the same model in another container */
#include <inttypes.h>
#include <stdio.h>

#include "engine/convert_dialect.h"
#include "engine/dumping.h"
#include "engine/opened.h"
#include "engine/target.h"

#define DEFAULT_THRESHOLD 1024

/* The longest suffix of the format that the path has. */
static size_t suffix_size(const struct tn_format *format, const char *path)
{
    size_t longest = 0;

    for (const char *const *s = format->suffixes; s && *s; s++)
        if (tn_text_ends_with(path, *s) && strlen(*s) > longest)
            longest = strlen(*s);
    return longest;
}

/* By the longest suffix that fits; then what can be written, and formats of
 * this model's dialect, come first: ".pb" is a GraphDef for TensorFlow and a
 * tensor for ONNX. */
static const struct tn_format *format_for_path(const struct tn_model *model,
                                               const char            *path)
{
    const struct tn_format *best      = NULL;
    size_t                  best_rank = 0;

    for (const struct tn_format *const *f = tn_formats; *f; f++) {
        bool   is_ours = strcmp((*f)->dialect, tn_model_dialect(model)) == 0;
        size_t size    = suffix_size(*f, path);
        size_t rank    = size * 4 + ((*f)->write ? 2 : 0) + is_ours;
        if (size && rank > best_rank) {
            best      = *f;
            best_rank = rank;
        }
    }
    return best;
}

/* Text and JSON of the same format: written by the dumper. */
static bool is_text_path(const char *path, enum tn_dump_form *form)
{
    static const char *const text[] = { ".pbtxt",    ".textproto", ".txtpb",
                                        ".prototxt", ".onnxtxtpb", NULL };

    for (const char *const *end = text; *end; end++)
        if (tn_text_ends_with(path, *end)) {
            *form = TN_DUMP_TEXT;
            return true;
        }
    *form = TN_DUMP_JSON;
    return tn_text_ends_with(path, ".json") ||
           tn_text_ends_with(path, ".onnxjson");
}

/* "out/model" has no extension. */
static bool has_extension(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strchr(slash ? slash + 1 : path, '.') != NULL;
}

/* Where the path says nothing: the model's own format for a stream, and for a
 * folder when it is one. */
static const struct tn_format *own_format(const struct tn_model *model,
                                          const char            *path)
{
    const struct tn_format *own = tn_opened_of(model)->format;

    if (strcmp(path, "-") == 0 || (own->is_folder && !has_extension(path)))
        return own;
    return NULL;
}

static enum tn_status choose_format(const struct tn_model           *model,
                                    const struct tn_convert_options *convert,
                                    const char                      *path,
                                    const struct tn_format         **format,
                                    struct tn_error                 *error)
{
    enum tn_dump_form       form;
    const struct tn_format *own = tn_opened_of(model)->format;

    if (convert->to)
        *format = tn_format_named(convert->to);
    else
        *format = format_for_path(model, path);
    /* ".json" is text, but ".safetensors.index.json" is not, nor what Paddle 3
     * writes. */
    if (!convert->to && is_text_path(path, &form) && own->message &&
        (!*format ||
         ((form == TN_DUMP_TEXT ||
           strcmp((*format)->dialect, own->dialect) != 0) &&
          suffix_size(*format, path) <= strlen(strrchr(path, '.')))))
        *format = own;
    if (!*format && !convert->to)
        *format = own_format(model, path);
    if (!*format)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            convert->to ? "no format is called '%s'"
                                        : "'%s' says no format",
                            convert->to ? convert->to : path);
    if (!(*format)->write)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s can be read but not written", (*format)->name);
    return TN_OK;
}

static enum tn_status check_dialect(const struct tn_model  *model,
                                    const struct tn_format *format,
                                    struct tn_error        *error)
{
    const char *from = tn_model_dialect(model);

    if (format->dialect[0] == '\0' || from[0])
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "bare tensors are no graph, which %s needs",
                        format->name);
}

/* An option that would do nothing is a misunderstanding. */
static enum tn_status check_wishes(const struct tn_convert_options *convert,
                                   const struct tn_format          *format,
                                   struct tn_error                 *error)
{
    bool is_onnx   = strcmp(format->dialect, "onnx") == 0;
    bool is_paddle = strncmp(format->name, "paddle", 6) == 0;

    if (convert->layout && !is_paddle)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "--layout is for PaddlePaddle, not for %s",
                            format->name);
    if (is_paddle && convert->external && format->dialect[0] &&
        !convert->is_inline)
        return TN_OK;
    if (!is_onnx && (convert->external || convert->is_inline))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "--external and --inline are for ONNX, not for %s",
                            format->name);
    if (convert->is_image && strcmp(format->name, "tf-saved-model") != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "--image-format is for tf-saved-model, not for %s",
                            format->name);
    if (is_onnx && convert->shard_size)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "--shard-size is for checkpoints, not for %s",
                            format->name);
    return TN_OK;
}

static enum tn_status open_output(struct tn_output      **output,
                                  const struct tn_format *format,
                                  struct tn_memory       *memory,
                                  const struct tn_target *target,
                                  struct tn_error        *error)
{
    struct tn_output_options how = tn_target_options(target);

    if (format->is_folder)
        return tn_output_folder(output, memory, target->path, &how, error);
    return tn_output_file(output, memory, target->path, &how, error);
}

/* Of several versions of a model one is written, whatever the format. */
static void lose_tags(const struct tn_model         *model,
                      const struct tn_write_options *how)
{
    const struct tn_format *from = tn_format_named(model->format);

    if (from && from->has_tags && model->tags.count > 1)
        how->loss(how->loss_context, TN_NOWHERE, "tags.txt",
                  "the other tags stay behind");
}

static enum tn_status write_model(const struct tn_model         *model,
                                  const struct tn_format        *format,
                                  const struct tn_write_options *how,
                                  const struct tn_target        *target,
                                  uint64_t *written, struct tn_error *error)
{
    struct tn_output *output = NULL;

    if (open_output(&output, format, model->memory, target, error) == TN_OK &&
        format->write(model, how, output, error) == TN_OK &&
        tn_output_flush(output, error) == TN_OK && !target->is_dry_run)
        tn_output_commit(output, error);
    if (!tn_failed(error))
        lose_tags(model, how);
    *written = tn_output_bytes(output);
    tn_output_close(output);
    return error->status;
}

/* Counts what is left behind, and tells who asked. */
struct loss_listener {
    const struct tn_convert_options *convert;
    uint64_t                        *count;
};

static void hear_loss(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    struct loss_listener *listener = context;

    ++*listener->count;
    if (listener->convert->loss)
        listener->convert->loss(listener->convert->loss_context, offset, where,
                                what);
}

/* The model as it is, in another container. */
static enum tn_status write_as(const struct tn_model           *model,
                               const struct tn_format          *format,
                               const struct tn_convert_options *convert,
                               const struct tn_target          *target,
                               const struct tn_options         *options,
                               struct tn_convert_summary       *summary,
                               struct tn_error                 *error)
{
    struct loss_listener listener = { convert, &summary->losses };
    struct tn_meter      meter;

    tn_meter_init(&meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "writing",
                  model->file_size);
    struct tn_write_options how = {
        .external  = convert->external,
        .is_inline = convert->is_inline,
        .threshold =
            convert->threshold ? convert->threshold : DEFAULT_THRESHOLD,
        .shard_size    = convert->shard_size,
        .meter         = &meter,
        .tensors_moved = &summary->tensors_moved,
        .loss          = hear_loss,
        .loss_context  = &listener,
        .is_image      = convert->is_image,
        .image_size    = convert->image_size,
        .records       = convert->records,
        .leaves_debug  = convert->leaves_debug,
        .layout        = convert->layout,
    };
    return write_model(model, format, &how, target, &summary->bytes_written,
                       error);
}

/* The receipt is whole before the model gets its name: whatever keeps it from
 * being written keeps the model, too. */
static void write_carried(const struct tn_carrying        *c,
                          const struct tn_convert_options *convert,
                          const struct tn_target          *target,
                          struct tn_convert_summary       *summary)
{
    struct tn_output *receipt = NULL;
    struct tn_error  *error   = c->error;

    if (c->how->receipt)
        tn_carry_receipt(c, target, &receipt);
    if (!tn_failed(error))
        write_as(c->model, c->format, convert, target, c->options, summary,
                 error);
    if (!tn_failed(error) && receipt && !target->is_dry_run)
        tn_output_commit(receipt, error);
    tn_output_close(receipt);
}

/* The same in another dialect, or with other ends. */
static enum tn_status carry_and_write(const struct tn_model           *model,
                                      const struct tn_format          *format,
                                      const struct tn_convert_options *convert,
                                      const struct tn_target          *target,
                                      const struct tn_options         *options,
                                      struct tn_convert_summary       *summary,
                                      struct tn_error                 *error)
{
    struct loss_listener listener = { convert, &summary->losses };
    struct tn_carrying   c        = { .how          = convert->map,
                                      .options      = options,
                                      .format       = format,
                                      .loss         = hear_loss,
                                      .loss_context = &listener };

    if (tn_carry(&c, model, error) == TN_OK)
        write_carried(&c, convert, target, summary);
    tn_carry_done(&c);
    return error->status;
}

/* What only a change of dialect or of the ends can do is not forgotten in
 * silence. */
static enum tn_status check_uncarried(const struct tn_convert_options *convert,
                                      const struct tn_format          *format,
                                      struct tn_error                 *error)
{
    const struct tn_map_options *map = convert->map;

    if (map && (map->input_count || map->output_count))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%s has no graph that could begin or end elsewhere",
                            format->name);
    if (map && map->signature)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a signature is chosen for another dialect, and "
                            "this is %s before and after",
                            format->title);
    if (map && map->receipt)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a receipt says what rules made of tensors, and "
                            "no rules are needed here");
    return TN_OK;
}

enum tn_status tn_convert(const struct tn_model           *model,
                          const struct tn_convert_options *convert,
                          const struct tn_target          *target,
                          const struct tn_options         *options,
                          struct tn_convert_summary       *summary,
                          struct tn_error                 *error)
{
    static const struct tn_convert_options defaults;
    const struct tn_format                *format = NULL;
    struct tn_convert_summary              unused;
    enum tn_dump_form                      form;

    convert  = convert ? convert : &defaults;
    summary  = summary ? summary : &unused;
    *summary = (struct tn_convert_summary){ 0 };
    if (convert->external && convert->is_inline)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "external and inline exclude each other");
    TN_TRY(choose_format(model, convert, target->path, &format, error));
    TN_TRY(check_dialect(model, format, error));
    TN_TRY(check_wishes(convert, format, error));
    snprintf(summary->format, sizeof summary->format, "%s", format->name);
    if (tn_carry_is_needed(model, format, convert))
        return carry_and_write(model, format, convert, target, options, summary,
                               error);
    TN_TRY(check_uncarried(convert, format, error));
    if (format == tn_opened_of(model)->format && format->message &&
        is_text_path(target->path, &form))
        return tn_dump_model(model, form, target, options,
                             &summary->bytes_written, error);
    return write_as(model, format, convert, target, options, summary, error);
}

enum tn_status tn_plan(const struct tn_model           *model,
                       const struct tn_convert_options *convert,
                       const char *path, const struct tn_options *options,
                       tn_on_plan *on, void *context,
                       struct tn_plan_summary *summary, struct tn_error *error)
{
    static const struct tn_convert_options defaults;
    struct tn_plan_summary                 unused;
    const struct tn_format                *format = NULL;
    struct tn_carrying c = { .options = options, .on = on, .context = context };

    convert    = convert ? convert : &defaults;
    c.how      = convert->map;
    c.summary  = summary ? summary : &unused;
    *c.summary = (struct tn_plan_summary){ 0 };
    TN_TRY(choose_format(model, convert, path, &format, error));
    TN_TRY(check_dialect(model, format, error));
    snprintf(c.summary->format, sizeof c.summary->format, "%s", format->name);
    if (!format->dialect[0])
        return TN_OK;
    c.format = format;
    tn_carry(&c, model, error);
    tn_carry_done(&c);
    return error->status;
}
