/* split_folder.c - a SavedModel folder, with its message as chunks */
#include "engine/split_folder.h"

#include "chunk/cpb.h"
#include "engine/target.h"
#include "format/tensorflow/tf_renew.h"
#include "format/text_model.h"

enum tn_status tn_split_folder_source(struct tn_opened  *opened,
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

/* A folder on its way to an output. */
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
    TN_TRY(tn_tf_renew(&written, &dropped, error));
    *is_dropped = tn_failed(&dropped);
    return TN_OK;
}

enum tn_status tn_split_folder_write(struct tn_splitter     *splitter,
                                     struct tn_opened       *opened,
                                     const struct tn_target *target,
                                     const char             *records,
                                     bool                   *drops_fingerprint,
                                     struct tn_error        *error)
{
    struct tn_output_options how    = tn_target_options(target);
    struct tn_output        *output = NULL;
    struct tn_bundle        *bundle = &opened->bundle;

    how.meter      = splitter->message->meter;
    how.max_expand = splitter->message->max_expand;
    bool is_same = tn_splitter_chunk_count(splitter) == 1 && !bundle->main &&
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
