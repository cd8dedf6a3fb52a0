/*
 * chunked.c - a chunked file stands in for the message that it makes
 *
 * The file does not say which message it contains.  The paths of its chunks fit
 * few types: for each type that fits, the merged message is given to the probe
 * of its format, and the one with the highest confidence is used.
 */
#include "engine/chunked.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "chunk/chunk_scalar.h"
#include "engine/opened.h"
#include "format/registry.h"
#include "format/riegeli/records.h"
#include "io/rope_source.h"

#define SAVED_MODEL "saved_model.cpb"

/* The facts of a model list at most this many chunks. */
#define SHOWN_LIMIT 32

/* ---- what the bundle keeps ----------------------------------------------- */

static void holder_close(struct tn_source *source)
{
    struct tn_chunked_file *file   = (struct tn_chunked_file *)source;
    struct tn_memory       *memory = file->cpb.memory;

    tn_arena_done(&file->arena);
    tn_cpb_close(&file->cpb);
    tn_source_close(file->original);
    tn_memory_free(memory, file, sizeof *file);
}

static enum tn_status holder_read(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size, struct tn_error *error)
{
    const struct tn_chunked_file *file = (struct tn_chunked_file *)source;

    return tn_source_read(file->cpb.file.source, offset, to, size, error);
}

static const struct tn_source_ops holder_ops = { .read_at = holder_read,
                                                 .close   = holder_close };

struct tn_chunked_file *tn_chunked_file_of(const struct tn_bundle *bundle)
{
    for (uint64_t i = 0; i < bundle->kept.count; i++) {
        struct tn_source *kept =
            *tn_list_at(&bundle->kept, struct tn_source *, i);
        if (kept->ops == &holder_ops)
            return (struct tn_chunked_file *)kept;
    }
    return NULL;
}

/* ---- which message ------------------------------------------------------- */

/* A chunked message merged as one of some type. */
struct guess {
    const struct tn_format     *format;
    struct tn_arena             arena;
    const struct tn_pb_message *type;
    struct tn_source           *merged; /* NULL: nothing                     */
    int                         bits;   /* confidence of the format's probe */
};

static void drop_guess(struct guess *guess)
{
    tn_source_close(guess->merged);
    tn_arena_done(&guess->arena);
    guess->merged = NULL;
}

/* Whether a path ends at a number. */
static bool ends_at_number(struct tn_tags              tags,
                           const struct tn_pb_message *type)
{
    struct tn_error    ignored = TN_ERROR_INIT;
    struct tn_tag_step step;

    while (tags.count) {
        if (!type || tn_tags_step(&tags, type, &step, &ignored) != TN_OK)
            return false;
        type = tn_step_message(&step);
        if (!type && !tags.count) {
            enum tn_pb_type kind = tn_step_value(&step)->type;
            return kind != TN_PB_STRING && kind != TN_PB_BYTES;
        }
    }
    return false;
}

/* Whether a chunk cannot be a number in any form: then its path is of another
 * message. */
static bool is_no_number(const struct tn_chunk_meta *meta,
                         const struct tn_chunked    *message)
{
    return message->has_chunk && message->chunk < meta->chunk_count &&
           (meta->chunks[message->chunk].type == TN_CHUNK_MESSAGE ||
            meta->chunks[message->chunk].size > TN_SCALAR_LONGEST);
}

/* The reader of metadata bounds the depth. */
static bool paths_fit(const struct tn_chunk_meta *meta,
                      const struct tn_chunked    *message,
                      const struct tn_pb_message *type)
{
    for (uint64_t i = 0; i < message->field_count; i++) {
        const struct tn_chunked_field *field = &message->fields[i];
        const struct tn_pb_message    *to    = type;
        if (!tn_tags_follow(field->tags, &to) ||
            (field->message.field_count && !to) ||
            (to && !paths_fit(meta, &field->message, to)) ||
            (!to && is_no_number(meta, &field->message) &&
             ends_at_number(field->tags, type)))
            return false;
    }
    return true;
}

static enum tn_status merge_as(struct guess *guess, struct tn_cpb *cpb,
                               bool is_rough, struct tn_error *error)
{
    struct tn_mosaics all;
    struct tn_arena   arena; /* of the mosaic, which is gone soon */
    struct tn_rope    rope;

    guess->merged = NULL;
    tn_arena_init(&arena, cpb->memory);
    tn_mosaics_init(&all, &arena, error);
    all.is_rough = is_rough;
    tn_rope_init(&rope, &guess->arena, error);
    struct tn_mosaic *m = tn_mosaic_new(&all, guess->type);
    if (m && tn_chunk_merge(m, &cpb->meta.message, &cpb->store) == TN_OK)
        tn_mosaic_write(m, &rope);
    tn_mosaics_done(&all);
    tn_arena_done(&arena);
    tn_list_trim(&rope.pieces);
    if (m && !tn_failed(error))
        tn_source_rope(&guess->merged, cpb->memory, &rope, "", error);
    tn_rope_done(&rope);
    return error->status;
}

static enum tn_status try_format(struct guess           *guess,
                                 const struct tn_format *format,
                                 struct tn_cpb *cpb, const char *name,
                                 struct tn_error *error)
{
    struct tn_pb_schema schema;
    struct tn_probe     probe;
    struct tn_bundle    alone = { .name = name };

    TN_TRY(tn_pb_schema_load(&schema, &guess->arena,
                             tn_pb_builtin_set(format->schema), error));
    guess->type = tn_pb_schema_find(&schema, format->message);
    if (!guess->type || !paths_fit(&cpb->meta, &cpb->meta.message, guess->type))
        return TN_OK;
    /* Chunks whose check was put off are walked only for the best guess. */
    TN_TRY(merge_as(guess, cpb, cpb->verifies_late, error));
    alone.main = guess->merged;
    TN_TRY(tn_probe_of(&alone, &probe, error));
    guess->bits = format->probe(&probe);
    return TN_OK;
}

static bool is_about_the_machine(enum tn_status status)
{
    return status == TN_NO_MEMORY || status == TN_LIMIT || status == TN_IO ||
           status == TN_CANCELLED;
}

/* The most likely guess; `merged` is NULL if there is none. A type whose paths
 * fit and whose bytes do not is not a match, but is reported when nothing else
 * matches. */
static enum tn_status guess_message(struct guess *best, struct tn_cpb *cpb,
                                    const char *name, const char *from,
                                    struct tn_error *error)
{
    struct tn_error first = TN_ERROR_INIT;

    for (const struct tn_format *const *f = tn_formats; *f; f++) {
        struct tn_error own   = TN_ERROR_INIT;
        struct guess    guess = { .format = *f };
        if (!(*f)->message || (from && strcmp((*f)->name, from) != 0))
            continue;
        tn_arena_init(&guess.arena, cpb->memory);
        try_format(&guess, *f, cpb, name, &own);
        if (tn_failed(&own) && !tn_failed(&first))
            first = own;
        bool is_better = guess.merged && !tn_failed(&own) &&
                         (guess.bits > best->bits || (from && !best->merged));
        if (is_better) {
            struct guess worse = *best;
            *best              = guess;
            guess              = worse;
        }
        drop_guess(&guess);
    }
    if (tn_failed(&first) &&
        (!best->merged || is_about_the_machine(first.status)))
        *error = first;
    return error->status;
}

/* ---- in the place of the file -------------------------------------------- */

static enum tn_status replace_main(struct tn_bundle       *bundle,
                                   struct tn_chunked_file *file,
                                   struct guess *guess, struct tn_error *error)
{
    struct tn_source *original = bundle->main;

    tn_arena_done(&file->arena);
    file->arena       = guess->arena;
    file->type        = guess->type;
    file->format      = guess->format;
    file->original    = original;
    bundle->is_folder = !original;
    bundle->main      = guess->merged;
    if (tn_bundle_keep(bundle, &file->holder, error) == TN_OK)
        return TN_OK;
    /* After a failure: closes what would have been kept, and the original. */
    tn_source_close(bundle->main);
    bundle->main = NULL;
    return error->status;
}

static enum tn_status unwrap(struct tn_bundle       *bundle,
                             struct tn_chunked_file *file, const char *from,
                             struct tn_error *error)
{
    struct guess best = { .merged = NULL };

    tn_arena_init(&best.arena, bundle->memory);
    if (!bundle->main) /* of a folder */
        from = tn_format_tf_saved_model.name;
    if (bundle->is_for_writing && bundle->main)
        tn_cpb_verify_late(&file->cpb);
    else /* every guess reads all of it */
        tn_cpb_load(&file->cpb, bundle->workers);
    guess_message(&best, &file->cpb, bundle->name, from, error);
    if (!tn_failed(error) && best.merged && file->cpb.verifies_late) {
        tn_source_close(best.merged);
        merge_as(&best, &file->cpb, false, error);
    }
    if (!tn_failed(error) && best.merged)
        return replace_main(bundle, file, &best, error);
    if (!tn_failed(error) && from)
        tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                     "the chunks do not form a %s: their paths do not match",
                     tn_format_named(from)->message);
    drop_guess(&best);
    tn_source_close(&file->holder);
    return error->status;
}

/* Any file of records may be opened as such, unless its name is that of a
 * chunked file: then an error reports what is missing. */
static enum tn_status open_file(struct tn_bundle        *bundle,
                                struct tn_source        *source,
                                struct tn_chunked_file **out, bool must_be,
                                struct tn_error *error)
{
    struct tn_error         own = TN_ERROR_INIT;
    struct tn_chunked_file *file =
        tn_memory_resize(bundle->memory, NULL, 0, sizeof *file, error);

    *out = NULL;
    if (!file)
        return error->status;
    *file = (struct tn_chunked_file){
        .holder    = { .ops    = &holder_ops,
                       .size   = source->size,
                       .name   = source->name,
                       .memory = bundle->memory },
        .file_size = source->size,
    };
    tn_arena_init(&file->holder.pins, bundle->memory);
    tn_arena_init(&file->arena, bundle->memory);
    const char *name = bundle->main ? bundle->name : SAVED_MODEL;
    if (tn_cpb_open_in(&file->cpb, bundle, name, source, &own) == TN_OK) {
        *out = file;
        return TN_OK;
    }
    tn_memory_free(bundle->memory, file, sizeof *file);
    tn_error_file(&own, source->name);
    if (must_be || own.status == TN_UNSUPPORTED ||
        is_about_the_machine(own.status))
        *error = own;
    return error->status;
}

static enum tn_status find_source(struct tn_bundle  *bundle,
                                  struct tn_source **source,
                                  struct tn_error   *error)
{
    uint8_t head[TN_RIEGELI_SIGNATURE_SIZE];

    *source = bundle->main;
    if (!bundle->main)
        return tn_bundle_has(bundle, SAVED_MODEL)
                   ? tn_bundle_sibling(bundle, tn_text(SAVED_MODEL), source,
                                       error)
                   : TN_OK;
    if (bundle->main->size < sizeof head)
        *source = NULL;
    else
        TN_TRY(tn_source_read(bundle->main, 0, head, sizeof head, error));
    if (*source && !tn_cpb_probe(tn_bytes(head, sizeof head)))
        *source = NULL;
    return TN_OK;
}

enum tn_status tn_chunked_unwrap(struct tn_bundle *bundle, const char *from,
                                 struct tn_error *error)
{
    const struct tn_format *wanted = from ? tn_format_named(from) : NULL;
    struct tn_source       *source;
    struct tn_chunked_file *file;

    if (from && (!wanted || !wanted->message))
        return TN_OK;
    TN_TRY(find_source(bundle, &source, error));
    if (!source)
        return TN_OK;
    bool must_be =
        !bundle->main || from || tn_text_ends_with(bundle->name, ".cpb");
    TN_TRY(open_file(bundle, source, &file, must_be, error));
    return file ? unwrap(bundle, file, from, error) : TN_OK;
}

static enum tn_status merge_file(struct tn_bundle           *bundle,
                                 struct tn_chunked_file     *file,
                                 const struct tn_pb_message *type,
                                 struct tn_error            *error)
{
    struct guess guess = { .type = type };

    tn_arena_init(&guess.arena, bundle->memory);
    tn_cpb_load(&file->cpb, bundle->workers);
    if (merge_as(&guess, &file->cpb, false, error) == TN_OK) {
        guess.type = NULL; /* it is the caller's */
        return replace_main(bundle, file, &guess, error);
    }
    drop_guess(&guess);
    tn_source_close(&file->holder);
    return error->status;
}

enum tn_status tn_chunked_unwrap_as(struct tn_bundle           *bundle,
                                    const struct tn_pb_message *type,
                                    bool *is_merged, struct tn_error *error)
{
    bool                    must_be = tn_text_ends_with(bundle->name, ".cpb");
    struct tn_source       *source;
    struct tn_chunked_file *file;

    *is_merged = false;
    TN_TRY(find_source(bundle, &source, error));
    if (!source)
        return TN_OK;
    TN_TRY(open_file(bundle, source, &file, must_be, error));
    if (!file)
        return TN_OK;
    *is_merged = paths_fit(&file->cpb.meta, &file->cpb.meta.message, type);
    if (*is_merged)
        return merge_file(bundle, file, type, error);
    tn_source_close(&file->holder);
    if (!must_be)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "the chunks do not form a %s: their paths do not "
                        "match; --from riegeli shows the records",
                        type->name);
}

/* ---- damage -------------------------------------------------------------- */

/* The message of the only format that all paths fit; for a SavedModel folder
 * there is no question.  NULL: unknown. */
static const struct tn_pb_message *guess_type(const struct tn_cpb *cpb,
                                              const char          *from,
                                              struct tn_arena     *arena,
                                              struct tn_error     *error)
{
    const struct tn_pb_message *found = NULL;

    for (const struct tn_format *const *f = tn_formats; *f; f++) {
        struct tn_pb_schema schema;
        if (!(*f)->message || (from && strcmp((*f)->name, from) != 0))
            continue;
        if (tn_pb_schema_load(&schema, arena, tn_pb_builtin_set((*f)->schema),
                              error) != TN_OK)
            return NULL;
        const struct tn_pb_message *type =
            tn_pb_schema_find(&schema, (*f)->message);
        if (from)
            return type;
        if (!type || !paths_fit(&cpb->meta, &cpb->meta.message, type))
            continue;
        if (found)
            return NULL;
        found = type;
    }
    return found;
}

static void check_apart(struct tn_cpb *cpb, const char *from,
                        const char *sibling, struct tn_report *report,
                        struct tn_error *error)
{
    struct tn_arena arena;

    tn_arena_init(&arena, cpb->memory);
    const struct tn_pb_message *type = guess_type(cpb, from, &arena, error);
    if (!tn_failed(error))
        tn_cpb_check_apart(cpb, type, sibling, report, error);
    tn_arena_done(&arena);
}

/* Without its metadata the file is only a file of records. */
static void check_without_metadata(struct tn_bundle *bundle,
                                   struct tn_source *source,
                                   struct tn_error  *why,
                                   struct tn_report *report,
                                   struct tn_error  *error)
{
    struct tn_error   own     = TN_ERROR_INIT;
    uint64_t          records = 0;
    struct tn_riegeli file;

    tn_error_file(why, source->name);
    tn_report_add(
        report, TN_LEVEL_ERROR,
        why->status == TN_UNSUPPORTED ? "unsupported" : "bad-metadata", why);
    if (tn_riegeli_open(&file, source, bundle->memory, &own) == TN_OK)
        tn_records_check(&file, source->name, &records, report, error);
}

bool tn_chunked_check_damaged(struct tn_bundle *bundle, const char *from,
                              const char *sibling, struct tn_report *report,
                              struct tn_error *error)
{
    struct tn_error   own  = TN_ERROR_INIT;
    const char       *name = bundle->main ? bundle->name : SAVED_MODEL;
    struct tn_source *source;
    struct tn_cpb     cpb;

    if (find_source(bundle, &source, &own) != TN_OK || !source)
        return false;
    if (!bundle->main)
        from = tn_format_tf_saved_model.name;
    if (tn_cpb_open_for_check(&cpb, bundle, name, source, &own) == TN_OK) {
        check_apart(&cpb, from, sibling, report, error);
        tn_cpb_close(&cpb);
    } else if (is_about_the_machine(own.status)) {
        *error = own;
    } else {
        check_without_metadata(bundle, source, &own, report, error);
    }
    return true;
}

/* ---- facts --------------------------------------------------------------- */

struct showing {
    const struct tn_chunked_file *file;
    struct tn_model              *model;
    struct tn_error              *error;
    uint64_t                      shown, left_out;
};

static void show_chunk(struct showing *show, const struct tn_chunked *message,
                       const char *path)
{
    const struct tn_chunk_meta *meta = &show->file->cpb.meta;

    if (!message->has_chunk || message->chunk >= meta->chunk_count)
        return;
    if (show->shown == SHOWN_LIMIT) {
        show->left_out++;
        return;
    }
    show->shown++;
    tn_model_add_fact_format(show->model, show->error, "chunk",
                             "%" PRIu64 ": %s, %" PRIu64 " bytes",
                             message->chunk, path[0] ? path : "(root)",
                             meta->chunks[message->chunk].size);
}

static void show_fields(struct showing *show, const struct tn_chunked *message,
                        const struct tn_pb_message *type, const char *above)
{
    char path[512];

    for (uint64_t i = 0; i < message->field_count; i++) {
        const struct tn_chunked_field *field = &message->fields[i];
        const struct tn_pb_message    *to    = type;
        size_t                         size =
            (size_t)snprintf(path, sizeof path, "%s%s", above,
                             above[0] && field->tags.count ? "." : "");
        size = (size_t)tn_min(size, sizeof path - 1);
        tn_tags_print(field->tags, type, path + size, sizeof path - size);
        show_chunk(show, &field->message, path);
        if (!type || !tn_tags_follow(field->tags, &to))
            to = NULL; /* numbers will do */
        show_fields(show, &field->message, to, path);
    }
}

void tn_chunked_facts(const struct tn_chunked_file *file,
                      struct tn_model *model, struct tn_error *error)
{
    const struct tn_chunk_meta *meta = &file->cpb.meta;
    struct showing show  = { .file = file, .model = model, .error = error };
    uint64_t       total = 0, in_files = file->file_size;

    for (uint64_t i = 0; i < meta->chunk_count; i++)
        total += meta->chunks[i].size;
    for (uint64_t i = 0; i < meta->file_count; i++)
        in_files += meta->files[i].size;
    tn_model_add_fact_format(model, error, "chunked",
                             "%" PRIu64 " chunks, %" PRIu64
                             " bytes, in %" PRIu64 " bytes of file",
                             meta->chunk_count, total, in_files);
    for (uint64_t i = 0; i < meta->file_count; i++)
        tn_model_add_fact_format(
            model, error, "chunk_file", "%s, %" PRIu64 " bytes",
            file->cpb.members[i].name, meta->files[i].size);
    tn_model_add_fact_format(model, error, "splitter_version", "%" PRId32,
                             meta->splitter_version);
    tn_model_add_fact_format(model, error, "join_version", "%" PRId32,
                             meta->join_version);
    show_chunk(&show, &meta->message, "");
    show_fields(&show, &meta->message, file->type, "");
    if (show.left_out)
        tn_model_add_fact_format(model, error, "chunk", "and %" PRIu64 " more",
                                 show.left_out);
}

enum tn_status tn_chunked_bare_facts(struct tn_bundle *bundle,
                                     struct tn_model  *model,
                                     struct tn_error  *error)
{
    struct tn_error        own  = TN_ERROR_INIT;
    struct tn_chunked_file file = { .file_size = bundle->main->size };

    if (tn_cpb_open_in(&file.cpb, bundle, bundle->name, bundle->main, &own) ==
        TN_OK) {
        tn_chunked_facts(&file, model, error);
        tn_cpb_close(&file.cpb);
    } else if (is_about_the_machine(own.status)) {
        *error = own;
    }
    return error->status;
}
