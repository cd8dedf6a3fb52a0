/* split_message.c - a file as chunks, and back; which message it is */
#include <stdio.h>
#include <tenon/chunk.h>

#include "base/arith.h"
#include "base/expect.h"
#include "base/sized.h"
#include "chunk/cpb.h"
#include "chunk/splitter.h"
#include "engine/chunked.h"
#include "engine/opened.h"
#include "engine/read_file.h"
#include "engine/target.h"
#include "format/onnx/onnx_split.h"
#include "format/registry.h"
#include "format/settings.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "format/tensorflow/tf_split.h"
#include "format/text_model.h"
#include "io/meter.h"
#include "io/path.h"

/* ---- splitters of GraphDefs, SavedModels and ONNX models ---------------- */

#define SAVED_MODEL "tensorflow.SavedModel"
#define GRAPH_DEF   "tensorflow.GraphDef"
#define ONNX_MODEL  "onnx.ModelProto"

/* By the type of the splitter's message: a GraphDef or SavedModel by the rules
 * of TensorFlow, a ModelProto by weights and size, any other by size. */
static enum tn_status split_known(struct tn_splitter         *splitter,
                                  const struct tn_split_rule *rule,
                                  struct tn_error            *error)
{
    struct tn_tf_split_options how  = { rule->rules, rule->max_size };
    const char                *type = splitter->type->full_name;

    if (!how.max_size)
        how.max_size = tn_tf_split_limit(how.rules);
    if (strcmp(type, SAVED_MODEL) == 0)
        return tn_tf_split_saved_model(splitter, &how, error);
    if (strcmp(type, GRAPH_DEF) == 0)
        return tn_tf_split_graph(splitter, &how, error);
    if (strcmp(type, ONNX_MODEL) == 0)
        return tn_onnx_split(splitter, how.max_size, error);
    return tn_splitter_by_size(splitter, how.max_size, error);
}

/* ---- of a whole message -------------------------------------------------- */

static enum tn_status check_type(const struct tn_pb_message *type,
                                 const char *wanted, struct tn_error *error)
{
    if (type && strcmp(type->full_name, wanted) == 0)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "a splitter of %s cannot split %s", wanted,
                        type ? type->full_name : "the bytes of a field");
}

static enum tn_status open_known(struct tn_splitter **out,
                                 struct tn_message *message, const char *type,
                                 const struct tn_split_rule *rule,
                                 struct tn_error            *error)
{
    static const struct tn_split_rule defaults;
    struct tn_splitter               *splitter;

    *out = NULL;
    TN_TRY(check_type(message->type, type, error));
    TN_TRY(tn_splitter_open(&splitter, message, error));
    if (split_known(splitter, rule ? rule : &defaults, error) == TN_OK)
        *out = splitter;
    else
        tn_splitter_close(splitter);
    return error->status;
}

enum tn_status tn_splitter_graph_def(struct tn_splitter        **out,
                                     struct tn_message          *message,
                                     const struct tn_split_rule *rule,
                                     struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_known(out, message, GRAPH_DEF, rule, error);
}

enum tn_status tn_splitter_saved_model(struct tn_splitter        **out,
                                       struct tn_message          *message,
                                       const struct tn_split_rule *rule,
                                       struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_known(out, message, SAVED_MODEL, rule, error);
}

enum tn_status tn_splitter_model_proto(struct tn_splitter        **out,
                                       struct tn_message          *message,
                                       const struct tn_split_rule *rule,
                                       struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_known(out, message, ONNX_MODEL, rule, error);
}

/* ---- of a message inside ------------------------------------------------- */

/* Where a child is to be. */
struct place {
    struct tn_splitter   *parent;
    const struct tn_step *steps;
    uint64_t              count;
};

static enum tn_status open_child(struct tn_splitter **out, struct place at,
                                 const char                 *type,
                                 const struct tn_split_rule *rule,
                                 struct tn_error            *error)
{
    static const struct tn_split_rule defaults;
    struct tn_splitter               *child;
    uint64_t                          size;

    *out = NULL;
    TN_TRY(tn_splitter_child(&child, at.parent, at.steps, at.count, error));
    TN_TRY(check_type(child->type, type, error));
    TN_TRY(tn_splitter_size(child, NULL, 0, &size, error)); /* it is there */
    TN_TRY(split_known(child, rule ? rule : &defaults, error));
    *out = child;
    return TN_OK;
}

enum tn_status tn_splitter_graph_def_child(struct tn_splitter        **out,
                                           struct tn_splitter         *parent,
                                           const struct tn_step       *steps,
                                           uint64_t                    count,
                                           const struct tn_split_rule *rule,
                                           struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_child(out, (struct place){ parent, steps, count }, GRAPH_DEF,
                      rule, error);
}

enum tn_status tn_splitter_saved_model_child(struct tn_splitter        **out,
                                             struct tn_splitter         *parent,
                                             const struct tn_step       *steps,
                                             uint64_t                    count,
                                             const struct tn_split_rule *rule,
                                             struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_child(out, (struct place){ parent, steps, count }, SAVED_MODEL,
                      rule, error);
}

enum tn_status tn_splitter_model_proto_child(struct tn_splitter        **out,
                                             struct tn_splitter         *parent,
                                             const struct tn_step       *steps,
                                             uint64_t                    count,
                                             const struct tn_split_rule *rule,
                                             struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_child(out, (struct place){ parent, steps, count }, ONNX_MODEL,
                      rule, error);
}

/* ---- a SavedModel folder, with its message as chunks -------------------- */

/* The message of the folder, as bytes. */
static enum tn_status split_folder_source(struct tn_opened  *opened,
                                          struct tn_source **source,
                                          struct tn_error   *error)
{
    struct tn_bundle *bundle = &opened->bundle;
    const char       *name   = tn_bundle_has(bundle, "saved_model.pb")
                                   ? "saved_model.pb"
                                   : "saved_model.pbtxt";

    *source = bundle->main; /* chunks that were joined */
    if (!*source)
        TN_TRY(tn_bundle_sibling(bundle, tn_text(name), source, error));
    return tn_format_binary(bundle, *source, opened->format->schema,
                            opened->format->message, source, error);
}

/* A folder that is being copied to an output. */
struct copying {
    struct tn_bundle *from;
    struct tn_output *to;
    struct tn_arena   arena;
    struct tn_list    folders; /* const char *: still to be copied, with a '/'
                                  at the end; "" is the top                   */
    bool             keeps_fingerprint;
    struct tn_error *error;
};

static bool is_left_out(const char *name, bool keeps_fingerprint)
{
    static const char *const names[] = { "saved_model.pb", "saved_model.cpb",
                                         "saved_model.pbtxt", NULL };

    for (const char *const *n = names; *n; n++)
        if (strcmp(name, *n) == 0)
            return true;
    if (tn_cpb_is_member(name, "saved_model"))
        return true;
    return !keeps_fingerprint && strcmp(name, TN_TF_FINGERPRINT) == 0;
}

static enum tn_status copy_file(struct copying *c, const char *name)
{
    struct tn_source *source;
    struct tn_sink   *sink;

    TN_TRY(tn_bundle_sibling(c->from, tn_text(name), &source, c->error));
    TN_TRY(tn_output_side(c->to, name, &sink, c->error));
    if (!source->size)
        return TN_OK;
    return tn_sink_splice(sink, (struct tn_span){ source, 0, source->size },
                          c->error);
}

static enum tn_status copy_entry(struct copying *c, const char *folder,
                                 const char *entry)
{
    const char *name =
        tn_text_format(&c->arena, c->error, "%s%s", folder, entry);

    if (!name || is_left_out(name, c->keeps_fingerprint))
        return c->error->status;
    if (name[strlen(name) - 1] != '/')
        return copy_file(c, name);
    const char **slot = tn_list_push(&c->folders, const char *, c->error);
    if (slot)
        *slot = name;
    return c->error->status;
}

static enum tn_status copy_folder(struct copying *c, const char *folder)
{
    const char *const *names;
    uint64_t           count;
    size_t             size = strlen(folder);
    const char        *path = tn_text_format(&c->arena, c->error, "%.*s",
                                             (int)(size ? size - 1 : 0), folder);

    if (!path)
        return c->error->status;
    if (c->from->is_remote && !tn_bundle_lists_all(c->from))
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the files of the SavedModel that go along are not "
                            "known, since the server does not list them; "
                            "download the folder first");
    TN_TRY(tn_bundle_list(c->from, path, &names, &count, c->error));
    for (uint64_t i = 0; i < count; i++)
        TN_TRY(copy_entry(c, folder, names[i]));
    return TN_OK;
}

static enum tn_status copy_files(struct tn_bundle *from, struct tn_output *to,
                                 bool keeps_fingerprint, struct tn_error *error)
{
    struct copying c = { .from              = from,
                         .to                = to,
                         .keeps_fingerprint = keeps_fingerprint,
                         .error             = error };

    tn_arena_init(&c.arena, from->memory);
    tn_list_init(&c.folders, from->memory, sizeof(const char *));
    copy_folder(&c, "");
    while (c.folders.count && !tn_failed(error))
        copy_folder(&c,
                    *tn_list_at(&c.folders, const char *, --c.folders.count));
    tn_list_done(&c.folders);
    tn_arena_done(&c.arena);
    return error->status;
}

/* The same model in another container, so that its fingerprint changes. */
static enum tn_status renew_fingerprint(struct tn_splitter *splitter,
                                        struct tn_bundle   *from,
                                        struct tn_output *to, bool *is_dropped,
                                        struct tn_error *error)
{
    struct tn_tf_written written = {
        .from = from, .to = to, .splitter = splitter, .is_same_model = true
    };

    if (!tn_bundle_has(from, TN_TF_FINGERPRINT))
        return TN_OK;
    struct tn_error dropped;
    TN_TRY(tn_tf_old_checkpoint(from, &written.checkpoint, error));
    TN_TRY(tn_tf_write_fingerprint(&written, &dropped, error));
    *is_dropped = tn_failed(&dropped);
    return TN_OK;
}

/* Writes a folder of that name: saved_model.cpb, or saved_model.pb if nothing
 * was split, and everything else unchanged.  The fingerprint is recomputed
 * unless the message is unchanged; *drops_fingerprint if that was not
 * possible. */
static enum tn_status split_folder_write(struct tn_splitter     *splitter,
                                         struct tn_opened       *opened,
                                         const struct tn_target *target,
                                         const char             *records,
                                         bool            *drops_fingerprint,
                                         struct tn_error *error)
{
    struct tn_output_options how    = tn_target_options(target);
    struct tn_output        *output = NULL;
    struct tn_bundle        *bundle = &opened->bundle;

    how.meter      = splitter->message->meter;
    how.max_expand = splitter->message->max_expand;
    bool is_same   = tn_splitter_chunk_count(splitter) == 1 && !bundle->main &&
                   tn_bundle_has(bundle, "saved_model.pb");
    *drops_fingerprint = false;
    if (tn_output_folder(&output, &opened->memory, target->path, &how, error) ==
            TN_OK &&
        copy_files(bundle, output, is_same, error) == TN_OK &&
        (is_same || renew_fingerprint(splitter, bundle, output,
                                      drops_fingerprint, error) == TN_OK) &&
        tn_splitter_write_folder(splitter, records, output, "saved_model",
                                 error) == TN_OK &&
        tn_output_flush(output, error) == TN_OK && !target->is_dry_run)
        tn_output_commit(output, error);
    tn_output_close(output);
    return error->status;
}

static const char *const builtins[] = {
    [TN_PB_ONNX]       = "onnx",
    [TN_PB_TENSORFLOW] = "tensorflow",
};

/* ---- which type ---------------------------------------------------------- */

static enum tn_status load_schema(struct tn_schema **schema, const char *path,
                                  const struct tn_options *options,
                                  struct tn_error         *error)
{
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_bytes  set;

    tn_memory_take_options(&memory, options);
    tn_arena_init(&arena, &memory);
    if (tn_read_file(&arena, path, TN_SCHEMA_FILE, &set, error) == TN_OK &&
        tn_schema_open(schema, set, options, error) != TN_OK)
        tn_error_file(error, path);
    tn_arena_done(&arena);
    return error->status;
}

/* The library's schema that has the type. */
static enum tn_status find_builtin(struct tn_schema **schema, const char *type,
                                   const struct tn_options *options,
                                   struct tn_error         *error)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        TN_TRY(tn_schema_builtin(schema, builtins[i], options, error));
        if (tn_pb_schema_find(&(*schema)->types, type))
            return TN_OK;
        tn_schema_close(*schema);
        *schema = NULL;
    }
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                        "unknown message '%s'; give its schema with --schema",
                        type);
}

/* By the caller's schema and type, or by the type alone. */
static enum tn_status open_schema(struct tn_schema             **schema,
                                  const struct tn_split_options *split,
                                  const char                    *type,
                                  const struct tn_options       *options,
                                  struct tn_error               *error)
{
    *schema = NULL;
    if (split->schema)
        return load_schema(schema, split->schema, options, error);
    return find_builtin(schema, type, options, error);
}

/* Whether its tensors can be written into several files. */
static bool has_shards(const struct tn_format *format)
{
    for (const struct tn_format_setting *const *s = format->settings; s && *s;
         s++)
        if (*s == &tn_setting_shard_size)
            return true;
    return false;
}

/* No format has the message of these records. */
static enum tn_status refuse_records(struct tn_opened *opened,
                                     struct tn_error  *error)
{
    struct tn_bundle *bundle = &opened->bundle;
    struct tn_error   own    = TN_ERROR_INIT;
    struct tn_cpb     cpb;

    if (bundle->main && tn_cpb_open_in(&cpb, bundle, bundle->name, bundle->main,
                                       &own) == TN_OK) {
        tn_cpb_close(&cpb);
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "these are chunks of a message of unknown type: "
                            "give its name (--type), and the schema if it is "
                            "not a built-in one (--schema)");
    }
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "the last record is not chunk metadata: these are "
                        "other records, or the file was cut short");
}

/* The root message of the files' format. */
static enum tn_status find_type(struct tn_opened *opened, const char **type,
                                const struct tn_options *options,
                                struct tn_error         *error)
{
    TN_TRY(tn_find_format(&opened->bundle, options ? options->from : NULL,
                          &opened->format, error));
    *type = opened->format->message;
    if (*type)
        return TN_OK;
    if (opened->format == &tn_format_riegeli)
        return refuse_records(opened, error);
    if (has_shards(opened->format))
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s is a set of tensors, not a message: converting "
                            "it to %s with the option shard-size divides it",
                            opened->format->name, opened->format->name);
    return tn_error_set(
        error, TN_UNSUPPORTED, TN_NOWHERE,
        "%s is not one protobuf message; sets of tensors that can "
        "be split are GGUF and safetensors",
        opened->format->name);
}

static bool is_folder(const struct tn_opened *opened)
{
    return !opened->bundle.main || opened->bundle.is_folder;
}

/* Text is turned into bytes. */
static enum tn_status find_source(struct tn_opened  *opened,
                                  struct tn_source **source,
                                  struct tn_error   *error)
{
    *source = opened->bundle.main;
    if (opened->format && is_folder(opened))
        return split_folder_source(opened, source, error);
    if (!*source)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "this is a folder: give the file to split, such as saved_model.pb");
    if (!opened->format)
        return TN_OK;
    return tn_format_binary(&opened->bundle, *source, opened->format->schema,
                            opened->format->message, source, error);
}

/* ---- split --------------------------------------------------------------- */

/* Call tn_watch_end() before the message is closed. */
static void start_meter(struct tn_meter *meter, struct tn_watch *watch,
                        struct tn_message       *message,
                        const struct tn_options *options, uint64_t total)
{
    tn_meter_init(meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "writing", total);
    tn_meter_watch(meter, watch, &message->memory);
    message->meter = meter;
}

static void keep_source(struct tn_message *message)
{
    (void)message; /* it is the opened files' */
}

/* The limit of a chunk: what was asked for, or that of the rules; and no chunk
 * is longer than a file. */
static uint64_t limit_of(const struct tn_split_options *split)
{
    uint64_t most =
        split->max_size ? split->max_size : tn_tf_split_limit(split->rules);

    if (split->format.max_file < TN_CPB_LEAST_FILE)
        return most;
    return tn_min(most, tn_cpb_chunk_room(split->format.max_file));
}

static enum tn_status set_format(struct tn_splitter            *splitter,
                                 const struct tn_split_options *split,
                                 struct tn_error               *error)
{
    struct tn_split_format format = split->format;

    if (format.version == 2 && !format.max_bytes)
        format.max_bytes = limit_of(split);
    return tn_splitter_format(splitter, &format, error);
}

/* The task and its parameters. */
struct job {
    struct tn_opened              *opened;
    const struct tn_options       *options;
    const struct tn_split_options *split;
    const struct tn_target        *target;
    struct tn_split_summary       *summary;
    bool                           is_merge; /* nothing is taken apart        */
    bool                           is_hasty; /* verified while it is written  */
};

static enum tn_status write_split(const struct job   *job,
                                  struct tn_splitter *splitter,
                                  struct tn_error    *error)
{
    struct tn_split_summary *summary = job->summary;
    const char              *records = job->split->records;

    if (job->is_merge) {
        TN_TRY(tn_splitter_keep_base(splitter, error));
    } else {
        TN_TRY(set_format(splitter, job->split, error));
        TN_TRY(split_known(
            splitter,
            &(struct tn_split_rule){ job->split->rules, limit_of(job->split) },
            error));
    }
    TN_TRY(tn_splitter_split(splitter, error));
    summary->chunks     = tn_splitter_chunk_count(splitter);
    summary->is_chunked = summary->chunks > 1;
    summary->is_folder  = is_folder(job->opened);
    if (summary->is_folder)
        return split_folder_write(splitter, job->opened, job->target, records,
                                  &summary->drops_fingerprint, error);
    return tn_splitter_write(splitter, job->target, records, NULL, error);
}

static enum tn_status split_source(const struct job       *job,
                                   struct tn_source       *source,
                                   const struct tn_schema *schema,
                                   const char *type, struct tn_error *error)
{
    struct tn_message  *message;
    struct tn_splitter *splitter = NULL;
    struct tn_meter     meter;
    struct tn_watch     watch;

    TN_TRY(tn_message_new(&message, schema, type, job->options, error));
    message->source = source;
    message->close  = keep_source;
    start_meter(&meter, &watch, message, job->options, 0); /* it may shrink */
    message->max_expand = tn_opened_may_expand(job->opened, job->options);
    job->summary->message_size = source->size;
    if (tn_splitter_open(&splitter, message, error) == TN_OK)
        write_split(job, splitter, error);
    tn_splitter_close(splitter);
    tn_watch_end(&watch);
    tn_message_close(message);
    return error->status;
}

static enum tn_status split_opened(const struct job *job,
                                   struct tn_error  *error)
{
    const char       *type   = job->split->type;
    struct tn_schema *schema = NULL;
    struct tn_source *source;

    if (!type)
        TN_TRY(find_type(job->opened, &type, job->options, error));
    TN_TRY(find_source(job->opened, &source, error));
    if (open_schema(&schema, job->split, type, job->options, error) == TN_OK)
        split_source(job, source, schema, type, error);
    tn_schema_close(schema);
    return error->status;
}

static enum tn_status check_options(const struct tn_split_options *split,
                                    struct tn_error               *error)
{
    if (!split->schema || split->type)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "--schema needs --type, the message's full name");
}

/* A prefix names two files: one is written, the other removed. */
static enum tn_status spare_input(const char              *path,
                                  const struct tn_options *options,
                                  const struct tn_target  *target,
                                  struct tn_error         *error)
{
    static const char *const suffixes[] = { ".cpb", ".pb" };
    struct tn_memory         memory;
    struct tn_arena          arena;

    tn_memory_init(&memory, options ? options->allocator : NULL, 0);
    tn_arena_init(&arena, &memory);
    for (int i = 0; i < 2 && !tn_failed(error); i++) {
        const char *name =
            tn_text_format(&arena, error, "%s%s", target->path, suffixes[i]);
        if (name)
            tn_target_check_input(name, path, TN_OVERWRITE_MODEL, options,
                                  error);
    }
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_split(const char *path, const struct tn_options *options,
                        const struct tn_split_options *split,
                        const struct tn_target        *target,
                        struct tn_split_summary       *summary,
                        struct tn_error               *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_SPLIT(split);
    static const struct tn_split_options defaults;
    struct tn_split_summary              unused;
    struct tn_opened                    *opened;
    struct tn_asking                     asking;

    split    = split ? split : &defaults;
    summary  = summary ? summary : &unused;
    *summary = (struct tn_split_summary){ 0 };
    TN_TRY(check_options(split, error));
    TN_TRY(spare_input(path, options, target, error));
    TN_TRY(tn_opened_files(&opened, path, options, error));
    struct job job = { opened, options, split, target, summary, false, false };
    tn_asking_begin(&asking, options, "reading", &opened->memory);
    split_opened(&job, error);
    tn_asking_end(&asking);
    tn_opened_release(opened);
    return error->status;
}

/* ---- merge --------------------------------------------------------------- */

static enum tn_status write_message(const struct job  *job,
                                    struct tn_message *message,
                                    struct tn_error   *error)
{
    struct tn_meter meter;
    struct tn_watch watch;

    job->summary->message_size = tn_message_size(message);
    if (message->warning)
        snprintf(job->summary->warning, sizeof job->summary->warning, "%s",
                 message->warning);
    start_meter(&meter, &watch, message, job->options,
                tn_message_size(message));
    if (job->opened)
        message->max_expand = tn_opened_may_expand(job->opened, job->options);
    else if (job->options)
        message->max_expand = job->options->max_expand;
    tn_message_write(message, job->target, error);
    tn_watch_end(&watch);
    return error->status;
}

/* One message whose type is known. */
static enum tn_status merge_message(const struct job *job, const char *path,
                                    const char *type, struct tn_error *error)
{
    struct tn_schema  *schema  = NULL;
    struct tn_message *message = NULL;

    if (open_schema(&schema, job->split, type, job->options, error) == TN_OK &&
        tn_merge_read(&message, schema, type, path, NULL, 0, job->options,
                      error) == TN_OK)
        write_message(job, message, error);
    tn_message_close(message);
    tn_schema_close(schema);
    return error->status;
}

/* Chunks whose verification was put off are verified while they are written. */
static enum tn_status write_late(struct tn_message    *message,
                                 const struct tn_rope *pieces,
                                 struct tn_sink *to, struct tn_error *error)
{
    struct tn_cpb *cpb = message->more;

    return tn_cpb_stream(cpb, pieces, message->workers, to, error);
}

/* It was already merged to find its type, so that message is written. */
static enum tn_status write_unwrapped(const struct job *job, const char *type,
                                      struct tn_error *error)
{
    struct tn_cpb     *cpb     = &tn_chunked_file_of(&job->opened->bundle)->cpb;
    struct tn_schema  *schema  = NULL;
    struct tn_message *message = NULL;

    if (cpb->store.joined[0] && !cpb->is_two)
        snprintf(job->summary->warning, sizeof job->summary->warning,
                 TN_JOINED_WARNING, cpb->store.joined);
    if (open_schema(&schema, job->split, type, job->options, error) == TN_OK &&
        tn_message_new(&message, schema, type, job->options, error) == TN_OK) {
        message->source = job->opened->bundle.main;
        message->close  = keep_source;
        message->more   = cpb;
        message->write  = job->is_hasty ? write_late : NULL;
        write_message(job, message, error);
    }
    tn_message_close(message);
    tn_schema_close(schema);
    return error->status;
}

static enum tn_status merge_opened(const struct job *job, const char *path,
                                   struct tn_error *error)
{
    const char *type = NULL;

    TN_TRY(find_type(job->opened, &type, job->options, error));
    if (is_folder(job->opened))
        return split_opened(job, error);
    if (tn_chunked_file_of(&job->opened->bundle))
        return write_unwrapped(job, type, error);
    return merge_message(job, path, type, error);
}

static enum tn_status merge_as_told(struct job *job, const char *path,
                                    struct tn_error *error)
{
    struct tn_asking asking;

    TN_TRY(tn_opened_files(&job->opened, path, job->options, error));
    job->opened->bundle.is_for_writing = job->is_hasty;
    tn_asking_begin(&asking, job->options, "reading", &job->opened->memory);
    merge_opened(job, path, error);
    tn_asking_end(&asking);
    tn_opened_release(job->opened);
    return error->status;
}

/* Whether the output can be discarded, and the input be read again. */
static bool can_be_hasty(const char *path, const struct tn_target *target)
{
    return !target->is_dry_run && strcmp(target->path, "-") != 0 &&
           strcmp(path, "-") != 0;
}

static bool is_about_the_bytes(enum tn_status status)
{
    return status != TN_IO && status != TN_EXISTS && status != TN_BUSY &&
           status != TN_CANCELLED;
}

/* A chunked file does not name its format, which follows from the merged
 * message.  A folder with a SavedModel becomes one.  Nearly all files are
 * intact: so it is first written and verified at the same time.  If that fails,
 * it is verified before a byte is written, which finds out what is wrong. */
static enum tn_status merge_unknown(struct job *job, const char *path,
                                    struct tn_error *error)
{
    struct tn_error own = TN_ERROR_INIT;

    job->is_hasty = can_be_hasty(path, job->target);
    if (!job->is_hasty)
        return merge_as_told(job, path, error);
    if (merge_as_told(job, path, &own) == TN_OK)
        return TN_OK;
    job->is_hasty = false;
    if (is_about_the_bytes(own.status))
        return merge_as_told(job, path, error);
    *error = own;
    return error->status;
}

enum tn_status tn_merge_file(const char *path, const struct tn_options *options,
                             const struct tn_split_options *merge,
                             const struct tn_target        *target,
                             struct tn_split_summary       *summary,
                             struct tn_error               *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_SPLIT(merge);
    static const struct tn_split_options defaults;
    struct tn_split_summary              unused;
    struct tn_memory                     memory;
    struct tn_arena                      arena;

    merge    = merge ? merge : &defaults;
    summary  = summary ? summary : &unused;
    *summary = (struct tn_split_summary){ .chunks = 1 };
    TN_TRY(check_options(merge, error));
    struct job job = { NULL, options, merge, target, summary, true, false };
    tn_memory_take_options(&memory, options);
    tn_arena_init(&arena, &memory);
    const char *found = tn_merge_find(path, &arena, error);
    if (!tn_failed(error))
        tn_target_check_input(target->path, found, TN_OVERWRITE_MODEL, options,
                              error);
    if (!tn_failed(error) && merge->type)
        merge_message(&job, found, merge->type, error);
    else if (!tn_failed(error))
        merge_unknown(&job, found, error);
    tn_arena_done(&arena);
    return error->status;
}
