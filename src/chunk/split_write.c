/* split_write.c - what a splitter made, as files or in memory */
#include "chunk/cpb.h"
#include "chunk/splitter.h"
#include "io/output.h"
#include "io/path.h"

static enum tn_status records_options(const struct tn_splitter  *root,
                                      struct tn_riegeli_options *options,
                                      const char *text, struct tn_error *error)
{
    *options = (struct tn_riegeli_options)TN_RIEGELI_OPTIONS_INIT;
    /* Weights rarely shrink, so packing them costs time and saves nothing. */
    options->keeps_plain  = true;
    options->records_last = true;
    options->workers      = root->message->workers;
    return text ? tn_riegeli_options_parse(options, text, error) : TN_OK;
}

/* The message as it is: nothing was taken out of it. */
static enum tn_status write_whole(struct tn_splitter *root, struct tn_sink *to,
                                  struct tn_error *error)
{
    struct tn_rope rope;

    if (root->is_adopted && root->result.has_chunk) {
        const struct tn_chunk *only =
            *tn_list_at(&root->chunks, struct tn_chunk *, root->result.chunk);
        tn_chunk_open_rope(only, &root->arena, &rope, error);
    } else {
        tn_rope_init(&rope, &root->arena, error);
        tn_mosaic_write(root->base, &rope);
    }
    tn_rope_write(&rope, to, error);
    tn_rope_done(&rope);
    return error->status;
}

static enum tn_status write_chunks(struct tn_splitter *root,
                                   struct tn_cpb_job  *job,
                                   struct tn_error    *error)
{
    job->chunks  = root->chunks.items;
    job->count   = root->chunks.count;
    job->message = &root->result;
    job->format  = root->format;
    job->version = root->has_version ? &root->version : NULL;
    job->arena   = &root->arena;
    return tn_cpb_write_files(job, error);
}

static bool is_chunked(const struct tn_splitter *root)
{
    return root->result.field_count > 0;
}

/* ---- to memory ----------------------------------------------------------- */

static enum tn_status memory_sink(void *context, const char *member,
                                  struct tn_sink **sink, struct tn_error *error)
{
    *sink = context;
    if (!member)
        return TN_OK;
    return tn_error_set(
        error, TN_UNSUPPORTED, TN_NOWHERE,
        "several files cannot go to one stream: write them to a prefix");
}

enum tn_status tn_splitter_write_memory(struct tn_splitter *splitter,
                                        const char         *records,
                                        struct tn_bytes    *bytes,
                                        bool               *was_chunked,
                                        struct tn_error    *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter       *root = splitter->root;
    struct tn_riegeli_options options;
    struct tn_cpb_job         job = { .options = &options,
                                      .open    = memory_sink,
                                      .context = &root->file.sink };

    *bytes = (struct tn_bytes){ NULL, 0 };
    TN_TRY(tn_splitter_split(splitter, error));
    TN_TRY(records_options(root, &options, records, error));
    tn_buffer_clear(&root->file);
    root->file.sink.offset = 0;
    if (is_chunked(root))
        TN_TRY(write_chunks(root, &job, error));
    else
        TN_TRY(write_whole(root, &root->file.sink, error));
    *bytes       = tn_buffer_bytes(&root->file);
    *was_chunked = is_chunked(root);
    return TN_OK;
}

/* ---- to files ------------------------------------------------------------ */

/* The files of one prefix, in an output. */
struct files {
    struct tn_output *output;
    struct tn_arena  *arena;
    const char       *prefix; /* without folders                              */
    bool              is_folder; /* else the output's main file is the main   */
    struct tn_list    names;     /* const char *: further files               */
};

static enum tn_status file_sink(void *context, const char *member,
                                struct tn_sink **sink, struct tn_error *error)
{
    struct files *files = context;

    if (!member && !files->is_folder)
        return tn_output_main(files->output, sink, error);
    const char *name =
        tn_text_format(files->arena, error, "%s%s%s.cpb", files->prefix,
                       member ? "." : "", member ? member : "");
    if (!name)
        return error->status;
    const char **slot = files->is_folder
                            ? NULL
                            : tn_list_push(&files->names, const char *, error);
    if (slot)
        *slot = name;
    TN_TRY(error->status);
    return tn_output_side(files->output, name, sink, error);
}

static enum tn_status write_output(struct tn_splitter              *root,
                                   const struct tn_riegeli_options *options,
                                   struct files *files, struct tn_error *error)
{
    struct tn_cpb_job job = { .options = options,
                              .open    = file_sink,
                              .context = files };
    struct tn_sink   *sink;

    if (is_chunked(root))
        return write_chunks(root, &job, error);
    if (files->is_folder) {
        const char *name =
            tn_text_format(files->arena, error, "%s.pb", files->prefix);
        if (name)
            tn_output_side(files->output, name, &sink, error);
        TN_TRY(error->status);
    } else {
        TN_TRY(tn_output_main(files->output, &sink, error));
    }
    return write_whole(root, sink, error);
}

enum tn_status tn_splitter_write_folder(struct tn_splitter *root,
                                        const char         *records,
                                        struct tn_output   *to,
                                        const char         *prefix,
                                        struct tn_error    *error)
{
    struct files files = {
        .output = to, .arena = &root->arena, .prefix = prefix, .is_folder = true
    };
    struct tn_riegeli_options options;

    TN_TRY(records_options(root, &options, records, error));
    return write_output(root, &options, &files, error);
}

static enum tn_status check_stale(const char             *stale,
                                  const struct tn_target *target,
                                  const struct tn_source *input,
                                  struct tn_error        *error)
{
    if (input && tn_path_is(stale, input))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the output would replace the input; use another "
                            "prefix");
    if (target->can_replace || target->is_dry_run || !tn_path_exists(stale))
        return TN_OK;
    return tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                            TN_NOWHERE,
                            "%s exists; readers that find two files for one "
                            "message take the .cpb",
                            stale);
}

static bool is_written(const struct files *files, const char *name)
{
    for (uint64_t i = 0; i < files->names.count; i++)
        if (strcmp(*tn_list_at(&files->names, const char *, i), name) == 0)
            return true;
    return false;
}

/* Further files that an earlier split left, which the new metadata do not know.
 * `folder` ends in a slash.  The new files exist, so this can no longer be
 * stopped: it does not poll the caller. */
static enum tn_status remove_strangers(const struct files        *files,
                                       const struct tn_allocator *allocator,
                                       const char                *folder,
                                       struct tn_error           *error)
{
    struct tn_bundle_options how = { .keep_unmapped = true };
    struct tn_memory         memory;
    struct tn_bundle         bundle;
    const char *const       *names;
    uint64_t                 count = 0;

    tn_memory_init(&memory, allocator, 0);
    TN_TRY(tn_bundle_open(&bundle, &memory, folder, &how, error));
    tn_bundle_list(&bundle, "", &names, &count, error);
    for (uint64_t i = 0; i < count && !tn_failed(error); i++) {
        if (!tn_cpb_is_member(names[i], files->prefix) ||
            is_written(files, names[i]))
            continue;
        const char *path =
            tn_text_format(&bundle.arena, error, "%s%s", folder, names[i]);
        if (path)
            tn_path_remove(path, error);
    }
    tn_bundle_close(&bundle);
    return error->status;
}

static enum tn_status write_file(struct tn_splitter              *root,
                                 const struct tn_target          *target,
                                 const struct tn_riegeli_options *options,
                                 const char *path, struct tn_error *error)
{
    struct files             files = { .arena = &root->arena };
    struct tn_output_options how   = { .can_replace = target->can_replace,
                                       .is_durable  = target->is_durable,
                                       .is_dry      = target->is_dry_run,
                                       .hook        = root->hook,
                                       .meter       = root->message->meter,
                                       .max_expand  = root->message->max_expand };

    const char *slash = strrchr(target->path, '/');
    files.prefix      = slash ? slash + 1 : target->path;
    tn_list_init(&files.names, root->arena.memory, sizeof(const char *));
    const char *folder =
        tn_text_format(&root->arena, error, "%.*s",
                       slash ? (int)(slash + 1 - target->path) : 2,
                       slash ? target->path : "./");
    if (folder &&
        tn_output_file(&files.output, &root->message->memory, path, &how,
                       error) == TN_OK &&
        write_output(root, options, &files, error) == TN_OK &&
        !target->is_dry_run && tn_output_commit(files.output, error) == TN_OK &&
        target->can_replace)
        remove_strangers(&files, &root->arena.memory->allocator, folder,
                         error);
    tn_output_close(files.output);
    tn_list_done(&files.names);
    return error->status;
}

enum tn_status tn_splitter_write(struct tn_splitter     *splitter,
                                 const struct tn_target *target,
                                 const char *records, const char **written,
                                 struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter       *root = splitter->root;
    struct tn_riegeli_options options;

    if (written)
        *written = NULL;
    TN_TRY(tn_output_expect_path(target->path, error));
    TN_TRY(tn_splitter_split(splitter, error));
    TN_TRY(records_options(root, &options, records, error));
    bool        chunked = is_chunked(root);
    const char *path = tn_text_format(&root->arena, error, "%s%s", target->path,
                                      chunked ? ".cpb" : ".pb");
    const char *stale = tn_text_format(&root->arena, error, "%s%s",
                                       target->path, chunked ? ".pb" : ".cpb");
    if (!path || !stale)
        return error->status;
    TN_TRY(check_stale(stale, target, root->message->source, error));
    TN_TRY(write_file(root, target, &options, path, error));
    if (target->can_replace && !target->is_dry_run)
        TN_TRY(tn_path_remove(stale, error));
    if (written)
        *written = path;
    return TN_OK;
}
