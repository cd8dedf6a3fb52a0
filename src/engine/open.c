/* open.c - from a path to a model: files, format, tables */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/expand.h"
#include "base/sized.h"
#include "engine/chunked.h"
#include "engine/foreign.h"
#include "engine/inside.h"
#include "engine/opened.h"
#include "format/registry.h"
#include "format/settings.h"
#include "format/text_model.h"
#include "io/file_source.h"
#include "io/large_blocks.h"
#include "io/meter.h"
#include "wire/pb/pb_schema.h"

#define TAIL_SIZE (UINT64_C(4) << 10)

enum tn_status tn_opened_new(struct tn_opened       **out,
                             const struct tn_options *options,
                             struct tn_error         *error)
{
    struct tn_allocator allocator =
        tn_large_blocks_hold(options ? options->allocator : NULL);

    *out = NULL;
    struct tn_opened *opened =
        allocator.resize(allocator.context, NULL, 0, sizeof *opened);
    if (!opened) {
        tn_large_blocks_drop(allocator);
        return tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                            "out of memory at %zu bytes", sizeof *opened);
    }
    memset(opened, 0, sizeof *opened);
    tn_memory_take_options(&opened->memory, options);
    opened->memory.allocator = allocator;
    tn_model_init(&opened->model, &opened->memory);
    tn_list_init(&opened->held, &opened->memory, sizeof(struct tn_opened *));
    tn_list_init(&opened->origins, &opened->memory, sizeof(struct tn_opened *));
    tn_list_init(&opened->sources, &opened->memory, sizeof(struct tn_source *));
    opened->model.owner = opened;
    opened->max_expand  = options ? options->max_expand : 0;
    atomic_init(&opened->holders, 1);
    pthread_mutex_init(&opened->reading, NULL);
    *out = opened;
    return TN_OK;
}

static void destroy(struct tn_opened *opened)
{
    struct tn_allocator allocator = opened->memory.allocator;

    tn_model_done(&opened->model);
    if (opened->bundle.memory)
        tn_bundle_close(&opened->bundle);
    for (uint64_t i = 0; i < opened->held.count; i++)
        tn_opened_release(*tn_list_at(&opened->held, struct tn_opened *, i));
    tn_list_done(&opened->held);
    tn_list_done(&opened->origins);
    for (uint64_t i = 0; i < opened->sources.count; i++)
        tn_source_close(*tn_list_at(&opened->sources, struct tn_source *, i));
    tn_list_done(&opened->sources);
    pthread_mutex_destroy(&opened->reading);
    allocator.resize(allocator.context, opened, sizeof *opened, 0);
    tn_large_blocks_drop(allocator);
}

/* Edits of edits make chains of models, each of which one call has added. */
void tn_opened_release(struct tn_opened *opened)
{
    if (opened && atomic_fetch_sub(&opened->holders, 1) == 1)
        destroy(opened);
}

enum tn_status tn_opened_keep(struct tn_opened *opened,
                              struct tn_source *source, struct tn_error *error)
{
    struct tn_source **slot =
        tn_list_push(&opened->sources, struct tn_source *, error);

    if (slot)
        *slot = source;
    else
        tn_source_close(source);
    return error->status;
}

static bool is_listed(const struct tn_list   *list,
                      const struct tn_opened *opened)
{
    for (uint64_t i = 0; i < list->count; i++)
        if (*tn_list_at(list, const struct tn_opened *, i) == opened)
            return true;
    return false;
}

static enum tn_status add_origin(struct tn_opened       *opened,
                                 const struct tn_opened *origin,
                                 struct tn_error        *error)
{
    const struct tn_opened **slot;

    if (is_listed(&opened->origins, origin))
        return TN_OK;
    slot = tn_list_push(&opened->origins, const struct tn_opened *, error);
    if (slot)
        *slot = origin;
    return error->status;
}

/* Edits of edits hold the same models along many paths, so each is listed once
 * and the paths are not followed later. */
static enum tn_status add_origins(struct tn_opened       *opened,
                                  const struct tn_opened *other,
                                  struct tn_error        *error)
{
    if (!opened->max_expand)
        opened->max_expand = other->max_expand;
    if (other->bundle.memory || other->given)
        TN_TRY(add_origin(opened, other, error));
    for (uint64_t i = 0; i < other->origins.count; i++)
        TN_TRY(add_origin(
            opened, *tn_list_at(&other->origins, const struct tn_opened *, i),
            error));
    return TN_OK;
}

enum tn_status tn_opened_hold(struct tn_opened *opened, struct tn_opened *other,
                              struct tn_error *error)
{
    struct tn_opened **slot;

    if (!is_listed(&opened->held, other)) {
        slot = tn_list_push(&opened->held, struct tn_opened *, error);
        if (!slot)
            return error->status;
        *slot = other;
        atomic_fetch_add(&other->holders, 1);
    }
    return add_origins(opened, other, error);
}

enum tn_status tn_opened_files(struct tn_opened **out, const char *path,
                               const struct tn_options *options,
                               struct tn_error         *error)
{
    struct tn_bundle_options how = {
        .keep_unmapped = options && options->keep_unmapped,
    };

    struct tn_asking asking;

    TN_TRY(tn_opened_new(out, options, error));
    tn_asking_begin(&asking, options, "opening", &(*out)->memory);
    tn_inside_open(&(*out)->bundle, &(*out)->memory, path, &how,
                   options ? options->from : NULL, error);
    tn_asking_end(&asking);
    if (tn_failed(error)) {
        (*out)->bundle.memory = NULL; /* it closed itself */
        tn_opened_release(*out);
        *out = NULL;
        return error->status;
    }
    (*out)->bundle.workers    = options ? options->workers : 0;
    (*out)->bundle.max_expand = (*out)->max_expand;
    return TN_OK;
}

enum tn_status tn_probe_of(struct tn_bundle *bundle, struct tn_probe *probe,
                           struct tn_error *error)
{
    *probe = (struct tn_probe){ .name = bundle->name };
    if (!bundle->main)
        return tn_bundle_list(bundle, "", &probe->entries, &probe->entry_count,
                              error);
    struct tn_source *source = bundle->main;
    size_t            tail   = (size_t)tn_min(source->size, TAIL_SIZE);
    probe->size              = source->size;
    probe->head              = tn_text_head(source, error);
    probe->tail =
        tn_bytes(tn_source_pin(source, source->size - tail, tail, error), tail);
    return error->status;
}

const struct tn_format *tn_format_named(const char *name)
{
    for (const struct tn_format *const *f = tn_formats; *f; f++)
        if (strcmp((*f)->name, name) == 0)
            return *f;
    return NULL;
}

/* ---- text: by the names of its root fields ------------------------------ */

struct roots {
    const struct tn_pb_message *type;
    uint32_t                    known;
    bool                        has_stranger;
};

static bool look_up(void *context, struct tn_bytes name)
{
    struct roots *roots = context;

    if (tn_pb_message_field_named(roots->type, name) ||
        tn_pb_message_field_json(roots->type, name))
        roots->known++;
    else if (name.data[0] < '0' || name.data[0] > '9') /* numbers: unknown */
        roots->has_stranger = true;
    return !roots->has_stranger;
}

/* How many of the text's root fields the format's message has, if all.  Prose
 * and programs have a "name:" here and there, but do not begin with one. */
static uint32_t fits(const struct tn_format *format, struct tn_bytes head,
                     struct tn_bytes first, struct tn_arena *arena,
                     struct tn_error *error)
{
    struct tn_pb_schema schema;
    struct roots        roots = { 0 };

    if (!format->message ||
        tn_pb_schema_load(&schema, arena, tn_pb_builtin_set(format->schema),
                          error) != TN_OK)
        return 0;
    roots.type = tn_pb_schema_find(&schema, format->message);
    if (look_up(&roots, first)) {
        roots.known = 0; /* it is met again, if something follows that fits */
        tn_text_roots(head, look_up, &roots);
    }
    return roots.has_stranger ? 0 : roots.known;
}

static const struct tn_format *find_text_format(const struct tn_probe *probe,
                                                struct tn_memory      *memory,
                                                struct tn_error       *error)
{
    const struct tn_format *best  = NULL;
    uint32_t                score = 0;
    struct tn_bytes         word;
    struct tn_arena         arena;

    if (probe->entries || !tn_is_text(probe->head, &word))
        return NULL;
    tn_arena_init(&arena, memory);
    for (const struct tn_format *const *f = tn_formats; *f; f++) {
        uint32_t known = fits(*f, probe->head, word, &arena, error);
        if (known > score) {
            best  = *f;
            score = known;
        }
    }
    tn_arena_done(&arena);
    return best;
}

static enum tn_status no_format(struct tn_bundle      *bundle,
                                const struct tn_probe *probe,
                                struct tn_error       *error)
{
    const char    *what   = tn_not_a_model(probe);
    enum tn_reason reason = tn_is_unknown_zip(probe) ? TN_REASON_UNKNOWN_FORMAT
                                                     : TN_REASON_NOT_A_MODEL;

    if (what)
        return tn_error_because(error, TN_NOT_FOUND, reason, TN_NOWHERE,
                                "this is %s", what);
    if (probe->entry_count)
        return tn_inside_refuse(bundle, error);
    return tn_error_because(error, TN_NOT_FOUND, TN_REASON_UNKNOWN_FORMAT,
                            TN_NOWHERE,
                            "unknown model format; 'tenon formats' lists the "
                            "known ones, --from chooses one");
}

/* The format with the highest confidence, and another one with the same; NULL
 * if a format that is not read here has the highest. */
static const struct tn_format *ask_all(const struct tn_probe   *probe,
                                       const struct tn_format **rival)
{
    const struct tn_format *best_format = NULL;
    int                     best        = 0;

    *rival = NULL;
    if (!tn_foreign_model(probe, &best))
        best = 0;
    for (const struct tn_format *const *f = tn_formats; *f; f++) {
        int bits = (*f)->probe(probe);
        if (bits > 0 && bits == best)
            *rival = *f;
        if (bits > best) {
            best_format = *f;
            *rival      = NULL;
            best        = bits;
        }
    }
    return best_format;
}

/* An interrupted download: which format would it be if it were complete?
 * Opening it as that then says at which byte it ends too early. */
static const struct tn_format *ask_about_more(struct tn_probe          probe,
                                              const struct tn_format **rival)
{
    if (probe.entries || probe.size == 0 || probe.size > probe.head.size)
        return NULL;
    probe.size++;
    return ask_all(&probe, rival);
}

enum tn_status tn_find_kind(struct tn_bundle *bundle, bool may_be_text,
                            const struct tn_format **format,
                            struct tn_error         *error)
{
    const struct tn_format *rival;
    struct tn_probe         probe;
    int                     bits;

    *format = NULL;
    if (!bundle->main && tn_bundle_has(bundle, "saved_model.cpb")) {
        *format = &tn_format_tf_saved_model; /* in chunks */
        return TN_OK;
    }
    TN_TRY(tn_probe_of(bundle, &probe, error));
    *format = ask_all(&probe, &rival);
    if (!*format && may_be_text && !tn_foreign_model(&probe, &bits))
        *format = find_text_format(&probe, bundle->memory, error);
    return error->status;
}

enum tn_status tn_find_format(struct tn_bundle *bundle, const char *from,
                              const struct tn_format **format,
                              struct tn_error         *error)
{
    struct tn_probe         probe;
    const struct tn_format *rival = NULL;
    int                     bits;

    *format = NULL;
    TN_TRY(tn_chunked_unwrap(bundle, from, error));
    if (tn_chunked_file_of(bundle)) {
        *format = tn_chunked_file_of(bundle)->format;
        return TN_OK;
    }
    if (from) {
        *format = tn_format_named(from);
        return *format
                   ? TN_OK
                   : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                  "unknown format '%s'; see 'tenon formats'",
                                  from);
    }
    TN_TRY(tn_probe_of(bundle, &probe, error));
    *format = ask_all(&probe, &rival);
    if (!*format && !tn_foreign_model(&probe, &bits))
        *format = find_text_format(&probe, bundle->memory, error);
    if (!*format && !tn_not_a_model(&probe))
        *format = ask_about_more(probe, &rival);
    if (!*format)
        return tn_failed(error) ? error->status
                                : no_format(bundle, &probe, error);
    if (rival)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "this could be %s or %s: choose one with --from",
                            (*format)->name, rival->name);
    return TN_OK;
}

static uint64_t files_size(const struct tn_bundle *bundle)
{
    const struct tn_chunked_file *chunked = tn_chunked_file_of(bundle);
    uint64_t                      size = bundle->main ? bundle->main->size : 0;

    if (chunked) /* of a folder it is among the siblings */
        size = chunked->original ? chunked->file_size : 0;
    for (uint64_t i = 0; i < bundle->opened.count; i++) {
        const struct tn_source *source =
            *tn_list_at(&bundle->opened, struct tn_source *, i);
        size += source ? source->size : 0;
    }
    return size;
}

static void add_size(uint64_t *sum, const struct tn_opened *opened)
{
    uint64_t files =
        opened->bundle.memory ? files_size(&opened->bundle) : UINT64_C(0);

    if (!tn_add(*sum, files, sum) || !tn_add(*sum, opened->given, sum))
        *sum = UINT64_MAX;
}

uint64_t tn_opened_may_expand(const struct tn_opened  *opened,
                              const struct tn_options *options)
{
    uint64_t asked = options ? options->max_expand : 0, size = 0;

    add_size(&size, opened);
    for (uint64_t i = 0; i < opened->origins.count; i++)
        add_size(&size,
                 *tn_list_at(&opened->origins, const struct tn_opened *, i));
    return tn_expand_most(asked ? asked : opened->max_expand, size);
}

static enum tn_status check_payload(const struct tn_tensor *tensor,
                                    struct tn_error        *error)
{
    if (tn_payload_check(&tensor->elements, error) != TN_OK)
        tn_error_where(error, "tensor '%.*s'", TN_FMT(tn_tensor_name(tensor)));
    return error->status;
}

/* With what was counted before; a string is a byte at least. */
static enum tn_status add_tensor(const struct tn_tensor *tensor, uint64_t most,
                                 uint64_t *sum, struct tn_error *error)
{
    uint64_t size = tn_tensor_size(tensor);

    if (!tn_add(*sum, size ? size : tn_tensor_count(tensor), sum))
        *sum = UINT64_MAX;
    if (*sum <= most)
        return check_payload(tensor, error);
    tn_expand_refuse(*sum, most, TN_NOWHERE, error);
    tn_error_where(error, "tensor '%.*s'", TN_FMT(tn_tensor_name(tensor)));
    return error->status;
}

enum tn_status tn_opened_check_tensor(const struct tn_tensor *tensor,
                                      uint64_t most, struct tn_error *error)
{
    uint64_t sum = 0;

    return add_tensor(tensor, most, &sum, error);
}

enum tn_status tn_opened_check_payloads(const struct tn_model *model,
                                        struct tn_error       *error)
{
    for (uint64_t i = 0; i < model->tensors.count; i++)
        TN_TRY(check_payload(tn_model_tensor(model, i), error));
    return TN_OK;
}

enum tn_status tn_opened_check_expansion(const struct tn_model *model,
                                         uint64_t most, struct tn_error *error)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < model->tensors.count; i++)
        TN_TRY(add_tensor(tn_model_tensor(model, i), most, &sum, error));
    return TN_OK;
}

/* A file of at least this size consists mainly of weights. */
#define LARGE_FILE (UINT64_C(16) << 20)

/* One message, weights and all, which is walked over once: unless another
 * thread reads it, too. */
static bool hop(const struct tn_opened *opened, struct tn_source *main)
{
    return main && opened->format->message && main->size >= LARGE_FILE &&
           !opened->is_shared && tn_source_hop(main);
}

/* Files may be those of another one. */
static enum tn_status read_from(struct tn_bundle *bundle,
                                struct tn_opened *opened, bool wants_graph,
                                struct tn_error *error)
{
    struct tn_model *model = &opened->model;

    model->format      = opened->format->name;
    model->title       = opened->format->title;
    model->wants_graph = wants_graph;
    bool has_hopped    = hop(opened, bundle->main);
    opened->format->open(bundle, model, error);
    if (has_hopped)
        tn_source_map(bundle->main);
    TN_TRY(error->status);
    if (tn_chunked_file_of(bundle))
        tn_chunked_facts(tn_chunked_file_of(bundle), model, error);
    else if (opened->format == &tn_format_riegeli)
        tn_chunked_bare_facts(bundle, model, error);
    if (!model->file_size)
        model->file_size = files_size(bundle);
    return tn_model_finish(model, error);
}

enum tn_status tn_opened_read(struct tn_opened *opened, bool wants_graph,
                              struct tn_error *error)
{
    return read_from(&opened->bundle, opened, wants_graph, error);
}

/* Two threads may convert the same model, and a bundle serves one at a time. */
static enum tn_status read_graph(struct tn_opened *files,
                                 struct tn_opened *opened,
                                 struct tn_error  *error)
{
    opened->format          = files->format;
    opened->model.wants_tag = files->model.wants_tag;
    opened->model.is_lax    = files->model.is_lax;
    opened->is_shared       = true;
    TN_TRY(tn_opened_hold(opened, files, error));
    pthread_mutex_lock(&files->reading);
    read_from(&files->bundle, opened, true, error);
    pthread_mutex_unlock(&files->reading);
    return error->status;
}

enum tn_status tn_opened_read_graph(struct tn_model        **out,
                                    const struct tn_model   *model,
                                    const struct tn_options *options,
                                    struct tn_error         *error)
{
    struct tn_opened *opened;
    struct tn_asking  asking;

    if (!tn_opened_of(model)->bundle.memory)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the model was opened without its graph");
    TN_TRY(tn_opened_new(&opened, options, error));
    tn_asking_begin(&asking, options, "opening", &opened->memory);
    read_graph(tn_opened_of(model), opened, error);
    tn_asking_end(&asking);
    if (!tn_failed(error))
        *out = &opened->model;
    else
        tn_opened_release(opened);
    return error->status;
}

enum tn_status tn_opened_choose_tag(struct tn_opened        *opened,
                                    const struct tn_options *options,
                                    struct tn_error         *error)
{
    struct tn_read_options how = { 0 };

    if (options && options->tag)
        opened->model.wants_tag =
            tn_text_dup(&opened->model.arena, options->tag, error);
    if (options)
        TN_TRY(tn_settings_read(opened->format, options->settings,
                                options->setting_count, &how, error));
    opened->model.is_lax = how.is_lax;
    if (opened->model.wants_tag && !opened->format->has_tags)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%s files have no tags; containers (.samediff) do",
                            opened->format->name);
    return TN_OK;
}

static enum tn_status read_or_release(struct tn_opened        *opened,
                                      const struct tn_options *options,
                                      struct tn_model        **out,
                                      struct tn_error         *error)
{
    const char      *from = options ? options->from : NULL;
    struct tn_asking asking;

    tn_asking_begin(&asking, options, "opening", &opened->memory);
    if (tn_find_format(&opened->bundle, from, &opened->format, error) ==
            TN_OK &&
        tn_opened_choose_tag(opened, options, error) == TN_OK)
        tn_opened_read(opened, options && options->wants_graph, error);
    tn_asking_end(&asking);
    if (tn_failed(error))
        tn_opened_release(opened);
    else
        *out = &opened->model;
    return error->status;
}

enum tn_status tn_model_open(struct tn_model **out, const char *path,
                             const struct tn_options *options,
                             struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_opened *opened;

    TN_TRY(tn_opened_files(&opened, path, options, error));
    return read_or_release(opened, options, out, error);
}

enum tn_status tn_model_open_source(struct tn_model **out, const char *name,
                                    uint64_t size, tn_read_at *read_at,
                                    void                    *context,
                                    const struct tn_options *options,
                                    struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_opened *opened;
    struct tn_source *source;

    TN_TRY(tn_opened_new(&opened, options, error));
    if (tn_source_callback(&source, &opened->memory, size, read_at, context, "",
                           error) != TN_OK ||
        tn_bundle_from_source(&opened->bundle, &opened->memory, source, name,
                              error) != TN_OK) {
        opened->bundle.memory = NULL;
        tn_opened_release(opened);
        return error->status;
    }
    return read_or_release(opened, options, out, error);
}

const char *tn_model_path(const struct tn_model *model)
{
    const struct tn_opened *opened = model ? tn_opened_of(model) : NULL;

    return opened && opened->bundle.memory ? opened->bundle.path : "";
}

void tn_model_close(struct tn_model *model)
{
    if (model)
        tn_opened_release(tn_opened_of(model));
}

/* ---- findings ----------------------------------------------------------- */

int tn_listener_report(void *context, enum tn_finding_level level,
                       const char *rule, const struct tn_error *finding)
{
    struct tn_listener *listener = context;
    struct tn_finding   told     = {
              .severity = (enum tn_severity)level,
              .rule     = rule,
              .file     = finding->file,
              .offset   = finding->offset,
              .where    = finding->where,
              .what     = finding->what,
              .reason   = finding->reason,
    };

    return listener->each ? listener->each(listener->context, &told) : 0;
}
