/* convert_model.c - the same model in another container */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/expect.h"
#include "base/given.h"
#include "base/sized.h"
#include "engine/convert_dialect.h"
#include "engine/convert_losses.h"
#include "engine/convert_model.h"
#include "engine/convert_rest.h"
#include "engine/dumping.h"
#include "engine/freeze_model.h"
#include "engine/opened.h"
#include "engine/target.h"
#include "format/settings.h"
#include "io/remote_url.h"
#include "ir/dialect_facts.h"

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
        bool is_ours =
            tn_is_same_dialect((*f)->dialect, tn_model_dialect(model));
        size_t size = suffix_size(*f, path);
        size_t rank = size * 4 + ((*f)->write ? 2 : 0) + is_ours;
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

/* If the path does not determine the format: the model's own for a stream, and
 * for a folder if it is written as one. */
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
           !tn_is_same_dialect((*format)->dialect, own->dialect)) &&
          suffix_size(*format, path) <= strlen(strrchr(path, '.')))))
        *format = own;
    if (!*format && !convert->to)
        *format = own_format(model, path);
    if (!*format)
        return tn_error_because(
            error, TN_NOT_FOUND, TN_REASON_UNKNOWN_TARGET_FORMAT, TN_NOWHERE,
            convert->to ? "unknown format '%.*s'"
                        : "cannot tell the format from '%.*s'",
            (int)(convert->to       ? strlen(convert->to)
                  : tn_url_is(path) ? strcspn(path, "?#") /* a secret? */
                                    : strlen(path)),
            convert->to ? convert->to : path);
    if (!(*format)->write)
        return tn_error_because(
            error, TN_UNSUPPORTED, TN_REASON_UNWRITABLE_FORMAT, TN_NOWHERE,
            "%s can be read but not written", (*format)->name);
    return TN_OK;
}

enum tn_status tn_convert_format(const struct tn_model           *model,
                                 const struct tn_convert_options *convert,
                                 const char *path, const char **format,
                                 const char **dialect, struct tn_error *error)
{
    const struct tn_format *chosen;

    TN_TRY(choose_format(model, convert, path, &chosen, error));
    *format  = chosen->name;
    *dialect = chosen->dialect;
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
                        "%s needs a graph, and %s has %s", format->name,
                        tn_model_format(model),
                        tn_model_tensor_count(model) ? "only tensors" : "none");
}

/* Formats report progress once for each tensor.  One tensor may take hours, so
 * the watch also asks whether to stop while its bytes are written. */
static int ask_meanwhile(void *context, const char *doing, uint64_t done,
                         uint64_t total)
{
    const struct tn_meter *meter = context;

    (void)doing;
    (void)done;
    (void)total;
    return meter->callback(meter->context, meter->doing,
                           atomic_load(&meter->done), meter->total);
}

static enum tn_status open_output(struct tn_output      **output,
                                  const struct tn_format *format,
                                  struct tn_memory       *memory,
                                  const struct tn_target *target,
                                  struct tn_meter *watch, uint64_t max_expand,
                                  struct tn_error *error)
{
    struct tn_output_options how = tn_target_options(target);

    how.meter      = watch;
    how.max_expand = max_expand;
    if (format->is_folder)
        return tn_output_folder(output, memory, target->path, &how, error);
    return tn_output_file(output, memory, target->path, &how, error);
}

/* Only one of several versions is written, whatever the format is. */
static void lose_tags(const struct tn_model         *model,
                      const struct tn_write_options *how)
{
    const struct tn_format *from = tn_format_named(model->format);

    if (from && from->has_tags && model->tags.count > 1)
        how->loss(how->loss_context, TN_NOWHERE, "tags.txt",
                  "the other tags are left behind");
}

/* A conversion that is running. */
struct conversion {
    const struct tn_model           *model;
    const struct tn_format          *format;
    const struct tn_convert_options *convert;
    const struct tn_target          *target;
    const struct tn_options         *options;
    struct tn_convert_summary       *summary;
    struct tn_error                 *error;
    struct tn_write_options          how; /* by the settings of the caller    */
    struct tn_losses                 losses;
    struct tn_arena                  arena;
    struct tn_about                  about;
    struct tn_meter                  meter, watch;
};

/* Formats of one family of messages keep a tensor as it is stored; all others
 * want its elements, if only to pack them. */
static enum tn_status check_tensors(const struct conversion *c,
                                    const struct tn_model *model, uint64_t most)
{
    const struct tn_format *from = tn_format_named(model->format);
    const struct tn_format *to   = c->format;

    if (!from || !from->message || !to->message || from->schema != to->schema)
        return tn_opened_check_expansion(model, most, c->error);
    return c->convert->force_invalid
               ? TN_OK
               : tn_opened_check_payloads(model, c->error);
}

/* Watches both models, because unpacking weights of the source may take as long
 * as writing. */
static enum tn_status write_watched(struct conversion             *c,
                                    const struct tn_model         *model,
                                    const struct tn_write_options *how,
                                    struct tn_output              *output)
{
    struct tn_watch of_source, of_result;

    tn_meter_watch(&c->watch, &of_source, c->model->memory);
    tn_meter_watch(&c->watch, &of_result, model->memory);
    if (c->format->write(model, how, output, c->error) == TN_OK)
        tn_output_flush(output, c->error);
    tn_watch_end(&of_result);
    tn_watch_end(&of_source);
    return c->error->status;
}

/* About as many bytes as will be written, for the progress.  What an edit made
 * is not a file. */
static uint64_t expected_size(const struct tn_model *model)
{
    uint64_t sum = model->file_size;

    for (uint64_t i = 0; !model->file_size && i < model->tensors.count; i++)
        if (!tn_add(sum, tn_tensor_size(tn_model_tensor(model, i)), &sum))
            return 0;
    return sum;
}

/* All of the model, but not committed: the receipt comes first.  *output is
 * yours to close, also after a failure. */
static enum tn_status write_model(struct conversion     *c,
                                  const struct tn_model *model,
                                  struct tn_output     **output)
{
    const struct tn_options *options = c->options;
    uint64_t most = tn_opened_may_expand(tn_opened_of(model), options);

    TN_TRY(check_tensors(c, model, most));
    tn_meter_init(&c->meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "writing",
                  expected_size(model));
    tn_meter_init(&c->watch, c->meter.callback ? ask_meanwhile : NULL,
                  &c->meter, c->meter.doing, 0);
    struct tn_write_options how = c->how;
    how.meter                   = &c->meter;
    how.tensors_moved           = &c->summary->tensors_moved;
    how.tensors_outside         = &c->summary->tensors_outside;
    how.loss                    = tn_losses_add;
    how.loss_context            = &c->losses;
    how.note                    = c->convert->note;
    how.note_context            = c->convert->note_context;
    how.about                   = &c->about;
    TN_TRY(open_output(output, c->format, model->memory, c->target, &c->watch,
                       most, c->error));
    TN_TRY(write_watched(c, model, &how, *output));
    lose_tags(c->model, &how);
    return c->error->status;
}

/* Whether the file at the target is of the format that is written. */
static bool is_of_kind(const struct conversion *c)
{
    struct tn_error   ignored = TN_ERROR_INIT;
    struct tn_opened *there   = NULL;
    bool              is_same = false;

    if (tn_opened_files(&there, c->target->path, NULL, &ignored) != TN_OK)
        return false;
    if (tn_find_format(&there->bundle, NULL, &there->format, &ignored) == TN_OK)
        is_same = there->format == c->format;
    tn_opened_release(there);
    return is_same;
}

/* One of several versions does not replace the whole file; and only a file of
 * the same format can replace a side file. */
static enum tn_output_overwrite place_of(const struct conversion *c,
                                         const struct tn_output  *output)
{
    const struct tn_bundle *bundle = &tn_opened_of(c->model)->bundle;

    if (c->model->tags.count > 1)
        return TN_OVERWRITE_NONE;
    if (c->how.external ||
        (tn_output_is_beside(output, bundle) && !is_of_kind(c)))
        return TN_OVERWRITE_MODEL;
    return TN_OVERWRITE_SIDES;
}

static void finish(struct conversion *c, struct tn_output *output)
{
    if (!tn_failed(c->error) && output)
        tn_output_check_inputs(output, &tn_opened_of(c->model)->bundle,
                               place_of(c, output), c->error);
    if (!tn_failed(c->error) && output && !c->target->is_dry_run)
        tn_output_commit(output, c->error);
    c->summary->bytes_written = tn_output_bytes(output);
    tn_output_close(output);
}

/* The model as it is, in another container. */
static enum tn_status write_as(struct conversion *c)
{
    struct tn_output *output = NULL;

    if (c->format->dialect[0] != '\0')
        tn_convert_lose_comments(&c->about, &c->losses);
    else if (c->format != tn_opened_of(c->model)->format)
        TN_TRY(
            tn_convert_rest(c->model, c->format, &c->about, &c->losses, NULL));
    if (write_model(c, c->model, &output) == TN_OK)
        tn_losses_refuse(&c->losses);
    finish(c, output);
    return c->error->status;
}

/* Errors in the result explain more than a writer that fails because of
 * them. */
static enum tn_status end_judging(struct conversion    *c,
                                  struct tn_conversion *mapped)
{
    struct tn_error invalid = TN_ERROR_INIT;

    if (tn_judging_end_made(&mapped->judging, &invalid) != TN_OK)
        *c->error = invalid;
    return c->error->status;
}

/* The receipt is complete before the model gets its name: if the receipt cannot
 * be written, the model is not written, either.  It ends with the losses, so
 * that both are written before either is committed.  A large result is judged
 * while it is written, but for what goes into a pipe and cannot be taken
 * back. */
static void write_mapped(struct conversion *c, struct tn_conversion *mapped)
{
    struct tn_output_options how    = tn_target_options(c->target);
    struct tn_output        *output = NULL, *receipt = NULL;

    if (mapped->how->receipt)
        tn_output_file(&receipt, c->model->memory, mapped->how->receipt, &how,
                       c->error);
    if (receipt)
        tn_output_check_inputs(receipt, &tn_opened_of(c->model)->bundle,
                               TN_OVERWRITE_NONE, c->error);
    if (!tn_failed(c->error) && tn_output_is_stream(c->target->path))
        end_judging(c, mapped);
    if (!tn_failed(c->error))
        write_model(c, mapped->model, &output);
    if (end_judging(c, mapped) == TN_OK &&
        tn_output_check_other(output, receipt, c->error) == TN_OK &&
        tn_losses_refuse(&c->losses) == TN_OK && receipt)
        tn_conversion_receipt(mapped, &c->losses, receipt);
    finish(c, output);
    if (!tn_failed(c->error) && receipt && !c->target->is_dry_run)
        tn_output_commit(receipt, c->error);
    tn_output_close(receipt);
}

/* The elements as the new dialect needs them, and all elements for a receipt.
 * They are examined in the source model, because the result has its format
 * already. */
static enum tn_status check_mapped(const struct conversion    *c,
                                   const struct tn_conversion *mapped)
{
    const struct tn_model *to = mapped->model;
    uint64_t most = tn_opened_may_expand(tn_opened_of(to), c->options);

    if (tn_is_same_dialect(tn_model_dialect(c->model), tn_model_dialect(to)) &&
        !(mapped->how && mapped->how->receipt))
        return TN_OK;
    return tn_opened_check_expansion(to, most, c->error);
}

static struct tn_validity validity_of(const struct tn_convert_options *convert,
                                      struct tn_convert_summary       *summary)
{
    return (struct tn_validity){
        .is_forced = convert->force_invalid ||
                     (convert->map && convert->map->force_invalid),
        .each    = convert->finding,
        .context = convert->finding_context,
        .count   = &summary->findings,
    };
}

/* A writer that lays the graph out again needs a valid graph. */
static enum tn_status check_relaid(struct conversion *c)
{
    struct tn_validity validity = validity_of(c->convert, c->summary);

    if (!c->format->lays_out_anew || !c->model->dialect ||
        c->format == tn_opened_of(c->model)->format)
        return TN_OK;
    return tn_refuse_invalid(c->model, &validity, c->error);
}

static void lose_ranks(struct tn_losses *losses, struct tn_io_list list,
                       const char *what)
{
    struct tn_error ignored = TN_ERROR_INIT;

    for (uint32_t i = 0; i < list.count; i++) {
        struct tn_bytes name =
            tn_bytes_dup(&losses->arena, list.items[i].name, &ignored);
        if (!list.items[i].has_rank && name.data)
            tn_losses_add(losses, TN_NOWHERE, (const char *)name.data, what);
    }
}

/* ONNX requires a shape, at least a rank, of every input and output.  `check`
 * reports those without one; a list of losses that left them out would promise
 * more than the file has. */
static void lose_unknown_ranks(struct conversion     *c,
                               const struct tn_model *made)
{
    if (!tn_dialect_facts(c->format->dialect)->wants_ranks ||
        tn_is_same_dialect(tn_model_dialect(c->model), c->format->dialect))
        return;
    lose_ranks(&c->losses, tn_model_inputs(made),
               "an input of unknown rank: ONNX requires a shape there");
    lose_ranks(&c->losses, tn_model_outputs(made),
               "an output of unknown rank: ONNX requires a shape there");
}

/* The same in another dialect, or with other inputs or outputs. */
static enum tn_status map_and_write(struct conversion *c)
{
    struct tn_conversion mapped = { .how          = c->convert->map,
                                    .options      = c->options,
                                    .format       = c->format,
                                    .loss         = tn_losses_add,
                                    .loss_context = &c->losses,
                                    .note         = c->convert->note,
                                    .note_context = c->convert->note_context,
                                    .validity =
                                        validity_of(c->convert, c->summary),
                                    .judges_beside = true };
    struct tn_rest_ahead rest;

    tn_rest_ahead_init(&rest, c->model, c->format);
    tn_rest_ahead_begin(&rest, c->options ? c->options->workers : 0);
    if (tn_conversion_make(&mapped, c->model, c->error) == TN_OK) {
        c->losses.files_taken = &mapped.files_taken;
        tn_about_add_text(&c->about, "tensorflow.signature", mapped.signature);
    }
    tn_rest_ahead_end(&rest);
    if (!tn_failed(c->error) && check_mapped(c, &mapped) == TN_OK &&
        tn_convert_rest(c->model, c->format, &c->about, &c->losses, &rest) ==
            TN_OK) {
        lose_unknown_ranks(c, mapped.model);
        write_mapped(c, &mapped);
    }
    c->losses.files_taken = NULL;
    tn_conversion_done(&mapped);
    tn_rest_ahead_done(&rest);
    return c->error->status;
}

/* Options that only work with a change of dialect, inputs or outputs are not
 * ignored silently. */
static enum tn_status check_not_mapped(const struct tn_convert_options *convert,
                                       const struct tn_format          *format,
                                       struct tn_error                 *error)
{
    const struct tn_map_options *map = convert->map;

    if (map && map->shape_count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%s has no graph, and so no inputs with shapes",
                            format->name);
    if (map && (map->input_count || map->output_count))
        return tn_error_set(
            error, TN_INVALID, TN_NOWHERE,
            "%s has no graph, so inputs and outputs cannot be chosen",
            format->name);
    if (map && map->signature)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a signature can only be chosen when the dialect "
                            "changes, and this stays %s",
                            format->title);
    if (map && map->simplifies)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "only graphs of ONNX and nd4j can be simplified, "
                            "and the output, %s, has no graph",
                            format->name);
    if (map && map->opset)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "an opset can be chosen only for ONNX, and the "
                            "output is %s",
                            format->name);
    if (map && map->receipt)
        return tn_error_because(error, TN_INVALID, TN_REASON_NO_RECEIPT,
                                TN_NOWHERE,
                                "a receipt lists what rules made of tensors, "
                                "but this conversion needs no rules");
    return TN_OK;
}

/* Only the message: other files of a folder stay where they are. */
static enum tn_status write_text(struct conversion *c, enum tn_dump_form form)
{
    struct tn_write_options how = { .loss         = tn_losses_add,
                                    .loss_context = &c->losses };

    tn_convert_lose_comments(&c->about, &c->losses);
    if (c->format->lose_beside)
        TN_TRY(c->format->lose_beside(c->model, &how, c->error));
    TN_TRY(tn_losses_refuse(&c->losses));
    return tn_dump_model(c->model, form, c->target, c->options,
                         &c->summary->bytes_written, c->error);
}

/* ---- variables as constants --------------------------------------------- */

/* The result of an edit on a model that was opened without its graph is written
 * as it is; its variables are reported. */
static bool can_freeze(const struct conversion *c)
{
    return c->format->freezes_variables &&
           c->format != tn_opened_of(c->model)->format &&
           tn_freeze_is_needed(c->model) &&
           (c->model->wants_graph || tn_opened_of(c->model)->bundle.memory);
}

static enum tn_status freeze_and_write(struct conversion *c)
{
    struct tn_validity     validity = validity_of(c->convert, c->summary);
    const struct tn_model *model    = c->model;
    struct tn_model       *loaded = NULL, *frozen = NULL;

    if (!model->wants_graph)
        TN_TRY(tn_opened_read_graph(&loaded, model, c->options, c->error));
    const struct tn_model *from = loaded ? loaded : model;
    if (tn_refuse_invalid(from, &validity, c->error) == TN_OK &&
        tn_freeze(from, c->options, tn_losses_add, &c->losses, &frozen,
                  c->error) == TN_OK) {
        c->model = frozen;
        write_as(c);
        c->model = model;
    }
    tn_model_close(frozen);
    tn_model_close(loaded);
    return c->error->status;
}

static enum tn_status convert_now(struct conversion *c)
{
    enum tn_dump_form form;

    if (tn_conversion_is_needed(c->model, c->format, c->convert))
        return map_and_write(c);
    TN_TRY(check_not_mapped(c->convert, c->format, c->error));
    if (c->format == tn_opened_of(c->model)->format && c->format->message &&
        is_text_path(c->target->path, &form))
        return write_text(c, form);
    if (can_freeze(c))
        return freeze_and_write(c);
    TN_TRY(check_relaid(c));
    return write_as(c);
}

static enum tn_status convert_to(struct conversion      *c,
                                 const struct tn_target *target)
{
    *c->summary = (struct tn_convert_summary){ 0 };
    snprintf(c->summary->format, sizeof c->summary->format, "%s",
             c->format->name);
    c->target = target;
    tn_arena_init(&c->arena, c->model->memory);
    tn_about_init(&c->about, &c->arena, c->error);
    tn_losses_init(&c->losses, c->model->memory, c->convert, c->error);
    if (tn_convert_comments(c->model, &c->about, c->error) == TN_OK)
        convert_now(c);
    c->summary->losses = c->losses.rows.count;
    tn_losses_done(&c->losses);
    tn_about_done(&c->about);
    tn_arena_done(&c->arena);
    return c->error->status;
}

enum tn_status tn_convert_whole(const struct tn_model           *model,
                                const struct tn_convert_options *convert,
                                bool                             leaves_debug,
                                const struct tn_target          *target,
                                const struct tn_options         *options,
                                struct tn_convert_summary       *summary,
                                struct tn_error                 *error)
{
    struct tn_target  nowhere = *target;
    struct conversion c       = { .model   = model,
                                  .convert = convert,
                                  .options = options,
                                  .summary = summary,
                                  .error   = error };

    *summary           = (struct tn_convert_summary){ 0 };
    c.how.leaves_debug = leaves_debug;
    TN_TRY(choose_format(model, convert, target->path, &c.format, error));
    TN_TRY(check_dialect(model, c.format, error));
    TN_TRY(tn_settings_write(c.format, convert->settings,
                             convert->setting_count, &c.how, error));
    /* Output to a pipe cannot be taken back, so a strict conversion first makes
     * a dry run. */
    nowhere.is_dry_run = true;
    if (convert->is_strict && tn_output_is_stream(target->path) &&
        !target->is_dry_run)
        TN_TRY(convert_to(&c, &nowhere));
    return convert_to(&c, target);
}

/* Converts structs of the caller's version to ours. */
static enum tn_status take_options(const struct tn_convert_options *convert,
                                   struct tn_convert_options       *to,
                                   struct tn_map_options           *map,
                                   struct tn_error                 *error)
{
    static const struct tn_convert_options defaults;

    TN_TAKE_CONVERT(convert);
    *to                                = convert ? *convert : defaults;
    const struct tn_map_options *given = to->map;
    TN_TAKE_MAP(given);
    if (given) {
        *map    = *given;
        to->map = map;
    }
    return TN_OK;
}

enum tn_status tn_convert(const struct tn_model           *model,
                          const struct tn_convert_options *convert,
                          const struct tn_target          *target,
                          const struct tn_options         *options,
                          struct tn_convert_summary       *summary,
                          struct tn_error                 *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_GIVEN(model, "model", error);
    TN_EXPECT_TARGET(target, error);
    struct tn_convert_summary unused;
    struct tn_convert_options wanted;
    struct tn_map_options     map;

    TN_TAKE_OPTIONS(options);
    TN_TRY(take_options(convert, &wanted, &map, error));
    return tn_convert_whole(model, &wanted, false, target, options,
                            summary ? summary : &unused, error);
}

enum tn_status tn_plan(const struct tn_model           *model,
                       const struct tn_convert_options *convert,
                       const char *path, const struct tn_options *options,
                       const struct tn_plan_listener *listener,
                       struct tn_plan_summary *summary, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_GIVEN(model, "model", error);
    static const struct tn_plan_listener nobody;
    struct tn_convert_options            wanted;
    struct tn_map_options                map;
    struct tn_plan_summary               unused;
    struct tn_write_options              ignored = { 0 };
    const struct tn_format              *format  = NULL;
    struct tn_conversion c = { .plan = listener ? listener : &nobody };

    TN_TAKE_OPTIONS(options);
    TN_TRY(take_options(convert, &wanted, &map, error));
    c.options = options;
    if (!path && !wanted.to)
        wanted.to = tn_dialect_facts(tn_model_dialect(model))->counterpart;
    c.how      = wanted.map;
    c.summary  = summary ? summary : &unused;
    *c.summary = (struct tn_plan_summary){ 0 };
    TN_TRY(choose_format(model, &wanted, path, &format, error));
    TN_TRY(check_dialect(model, format, error));
    TN_TRY(tn_settings_write(format, wanted.settings, wanted.setting_count,
                             &ignored, error));
    snprintf(c.summary->format, sizeof c.summary->format, "%s", format->name);
    if (!format->dialect[0])
        return TN_OK;
    c.format             = format;
    c.validity.is_forced = wanted.force_invalid;
    tn_conversion_make(&c, model, error);
    tn_conversion_done(&c);
    return error->status;
}
