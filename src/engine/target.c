/* target.c - one file for a caller: filled, then committed */
#include "engine/target.h"

#include "io/meter.h"
#include "io/path.h"
#include "io/remote_url.h"

enum tn_status tn_target_check_bundle(const struct tn_target *target,
                                      const struct tn_bundle *bundle,
                                      struct tn_memory       *memory,
                                      struct tn_error        *error)
{
    struct tn_output_options how    = tn_target_options(target);
    struct tn_output        *output = NULL;

    if (tn_output_file(&output, memory, target->path, &how, error) == TN_OK)
        tn_output_check_inputs(output, bundle, TN_OVERWRITE_NONE, error);
    tn_output_close(output);
    return error->status;
}

static enum tn_status spare(const char *path, const struct tn_opened *opened,
                            enum tn_output_overwrite place,
                            struct tn_memory *memory, struct tn_error *error)
{
    struct tn_output_options how    = { .can_replace = true, .is_dry = true };
    struct tn_output        *output = NULL;

    if (tn_output_file(&output, memory, path, &how, error) == TN_OK)
        tn_output_check_inputs(output, &opened->bundle, place, error);
    tn_output_close(output);
    return error->status;
}

enum tn_status tn_target_check_input(const char *path, const char *input,
                                     enum tn_output_overwrite place,
                                     const struct tn_options *options,
                                     struct tn_error         *error)
{
    struct tn_options how     = { 0 };
    struct tn_error   ignored = TN_ERROR_INIT;
    struct tn_model  *model   = NULL;
    struct tn_opened *opened;

    if (!strcmp(input, "-") || tn_output_is_stream(path) ||
        (!tn_url_is(path) &&
         (!tn_path_exists(path) || tn_path_is_folder(path))))
        return TN_OK;
    if (options)
        how = *options;
    how.progress = NULL;
    if (tn_model_open(&model, input, &how, &ignored) == TN_OK) {
        spare(path, tn_opened_of(model), place, model->memory, error);
        tn_model_close(model);
        return error->status;
    }
    TN_TRY(tn_opened_files(&opened, input, &how, error));
    spare(path, opened, place, &opened->memory, error);
    tn_opened_release(opened);
    return error->status;
}

enum tn_status tn_target_write(const struct tn_target  *target,
                               const struct tn_options *options,
                               uint64_t max_expand, struct tn_memory *memory,
                               tn_fill *fill, void *context, uint64_t *written,
                               struct tn_error *error)
{
    struct tn_output_options how    = tn_target_options(target);
    struct tn_output        *output = NULL;
    struct tn_meter          meter;
    struct tn_watch          watch;
    struct tn_sink          *sink;

    tn_meter_init(&meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "writing", 0);
    tn_meter_watch(&meter, &watch, memory);
    how.meter      = &meter;
    how.max_expand = max_expand;
    if (tn_output_file(&output, memory, target->path, &how, error) == TN_OK &&
        tn_output_main(output, &sink, error) == TN_OK &&
        fill(context, sink, error) == TN_OK && !target->is_dry_run)
        tn_output_commit(output, error);
    if (written)
        *written = tn_output_bytes(output);
    tn_output_close(output);
    tn_watch_end(&watch);
    return error->status;
}
