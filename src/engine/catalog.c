/*
 * catalog.c - rows about many files, in the order of their paths
 *
 * Each argument is a stream of sorted paths: a folder, a URL, or a catalog that
 * was made elsewhere.  The streams are merged and compared with the rows of the
 * target, which are in the same order.  So a catalog takes no memory per file,
 * except for folders on servers, whose lists are not sorted.
 *
 * Jobs read files ahead on several threads (io/pipeline.h); their rows are
 * taken in order.
 */
#include <tenon/catalog.h>
#include <tenon/version.h>

#include <pthread.h>
#include <stdio.h>

#include "base/expect.h"
#include "base/sized.h"
#include "base/sort.h"
#include "codec/sha256.h"
#include "engine/catalog_file.h"
#include "io/bundle.h"
#include "io/file_source.h"
#include "io/meter.h"
#include "io/path.h"
#include "io/pipeline.h"
#include "io/remote_list.h"
#include "io/remote_place.h"
#include "io/remote_url.h"

/* ---- streams of paths ----------------------------------------------------- */

/* An entry of a folder on a server. */
struct listed_file {
    const char     *url;
    struct tn_bytes shown, etag;
    uint64_t        size;
};

struct stream {
    enum { OF_FILE, OF_FOLDER, OF_LIST, OF_LINES } kind;
    const char     *root;  /* as it was named                                 */
    struct tn_bytes shown; /* likewise; of a folder it ends in '/'            */
    bool            is_url, is_over;

    struct tn_walk      *walk;  /* of a folder                                */
    struct tn_walk_entry entry;
    struct tn_list       files; /* struct listed_file, of a folder on a server */
    uint64_t             next;
    struct tn_bundle         lines; /* of a catalog                           */
    struct tn_catalog_groups groups;
    bool                     has_lines;

    struct tn_bytes path; /* where it is                                      */
};

struct catalog {
    struct tn_memory       memory;
    struct tn_arena        arena; /* names                                    */
    struct tn_error       *error;
    struct tn_catalog_work work;
    const struct tn_target *target;
    struct tn_catalog_sink *sink; /* NULL: a dry run                          */
    struct tn_catalog_totals totals;
    struct stream           *streams;
    uint32_t                *heap; /* of those that are not over              */
    uint32_t                 stream_count, heap_count;

    struct tn_catalog_old old; /* the next that is there                      */
    bool                  has_old;
    struct tn_buffer      unseen; /* a folder that cannot be listed: its
                                     existing rows stay */

    struct tn_catalog_unit *units; /* slots                                   */
    struct tn_pipeline      pipeline;
    struct tn_meter         meter;

    struct tn_remote_options remote; /* that of the caller, one call at a time */
    tn_on_request           *on_request;
    void                    *request_context;
    pthread_mutex_t          request_lock;
};

static enum tn_status add_listed(void *context, const struct tn_listed *listed,
                                 struct tn_error *error)
{
    struct catalog     *c = ((void **)context)[0];
    struct stream      *s = ((void **)context)[1];
    struct listed_file *file =
        tn_list_push(&s->files, struct listed_file, error);

    if (!file)
        return error->status;
    file->url  = tn_url_beside(&c->arena, s->root, listed->name, error);
    file->etag = tn_walk_show(&c->arena, tn_text(listed->etag), error);
    file->size = listed->size;
    if (file->url)
        file->shown = tn_walk_show(&c->arena, tn_text(file->url), error);
    return error->status;
}

static int by_shown(const void *a, const void *b, void *context)
{
    (void)context;
    return tn_bytes_compare(((const struct listed_file *)a)->shown,
                            ((const struct listed_file *)b)->shown);
}

static enum tn_status list_url(struct catalog *c, struct stream *s)
{
    void             *context[] = { c, s };
    struct tn_remote *remote;

    TN_TRY(tn_remote_open(&remote, &c->memory, c->memory.remote, c->error));
    tn_remote_list(remote, s->root, true, add_listed, context, c->error);
    tn_remote_close(remote);
    TN_TRY(c->error->status);
    tn_sort_items(s->files.items, s->files.count, sizeof(struct listed_file),
                  by_shown, NULL);
    return TN_OK;
}

/* Whether a file that was named is a catalog of lines. */
static bool open_lines(struct catalog *c, struct stream *s)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_bytes line;

    if (!tn_text_ends_with(s->root, ".ndjson") &&
        !tn_text_ends_with(s->root, ".jsonl"))
        return false;
    if (!tn_path_is_file(s->root) ||
        tn_bundle_open(&s->lines, &c->memory, s->root, NULL, &own) != TN_OK)
        return false;
    s->has_lines = true;
    if (s->lines.main->size &&
        (!tn_catalog_line(s->lines.main, 0, &line, &own) ||
         !tn_bytes_starts_with(line, "{\"row\": ")))
        return false;
    tn_source_close_file(s->lines.main); /* there may be thousands */
    tn_catalog_groups_init(&s->groups, &c->memory, s->lines.main);
    return true;
}

/* A URL without its query, which may be a secret.  Where the query says which
 * file it is, the first digits of its SHA-256 stand for it: two files are two
 * rows. */
static const char *name_url(struct catalog *c, const char *url)
{
    const char      *shown = tn_url_shown(url, &c->arena, c->error);
    const char      *query = url + strcspn(url, "?#");
    struct tn_sha256 hash;
    uint8_t          digest[TN_SHA256_SIZE];

    if (!shown || query[0] != '?' || !query[1] || tn_url_is_signed(url) ||
        tn_place_kind_of(url) != TN_PLACE_WEB)
        return shown;
    tn_sha256_init(&hash);
    tn_sha256_add(&hash, tn_bytes(query + 1, strcspn(query + 1, "#")));
    tn_sha256_finish(&hash, digest);
    return tn_text_format(&c->arena, c->error,
                          "%s?%02x%02x%02x%02x%02x%02x%02x%02x", shown,
                          digest[0], digest[1], digest[2], digest[3], digest[4],
                          digest[5], digest[6], digest[7]);
}

static enum tn_status open_stream(struct catalog *c, struct stream *s,
                                  const char *path)
{
    path = tn_place_whole(&c->arena, path, c->error);
    if (!path)
        return c->error->status;
    s->root   = path;
    s->is_url = tn_url_is(path);
    s->kind   = OF_FILE;
    tn_list_init(&s->files, &c->memory, sizeof(struct listed_file));
    if (strcmp(path, "-") == 0 || !path[0])
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "a catalog is made of files: name them");
    if (s->is_url) {
        const char *shown = name_url(c, path);
        if (!shown)
            return c->error->status;
        s->shown = tn_walk_show(&c->arena, tn_text(shown), c->error);
        if (!tn_text_ends_with(path, "/"))
            return c->error->status;
        s->kind = OF_LIST;
        return list_url(c, s);
    }
    s->shown = tn_walk_show(&c->arena, tn_text(path), c->error);
    if (tn_path_is_folder(path)) {
        s->kind = OF_FOLDER;
        TN_TRY(tn_walk_open(&s->walk, &c->memory, path, c->target->path,
                            c->error));
        s->shown = tn_walk_root(s->walk);
    } else if (open_lines(c, s))
        s->kind = OF_LINES;
    return c->error->status;
}

/* The next path of a stream; false at its end. */
static bool advance(struct catalog *c, struct stream *s)
{
    bool is_first = s->next++ == 0;

    switch (s->kind) {
    case OF_FILE:
        s->path = s->shown;
        return is_first;
    case OF_FOLDER:
        if (!tn_walk_next(s->walk, &s->entry, c->error))
            return false;
        s->path = s->entry.shown;
        return true;
    case OF_LIST:
        if (s->next > s->files.count)
            return false;
        s->path = tn_list_at(&s->files, struct listed_file, s->next - 1)->shown;
        return true;
    case OF_LINES:
        if (!tn_catalog_groups_next(&s->groups, c->error)) {
            if (!tn_failed(c->error) && s->groups.next < s->lines.main->size)
                tn_error_set(c->error, TN_TRUNCATED, s->groups.next,
                             "the catalog ends in the middle of a file's rows");
            if (tn_failed(c->error))
                tn_error_file(c->error, s->root);
            return false;
        }
        s->path = tn_catalog_text(&s->groups.row, TN_CATALOG_FILE);
        return true;
    }
    return false;
}

static void close_stream(struct stream *s)
{
    tn_walk_close(s->walk);
    tn_list_done(&s->files);
    if (s->kind == OF_LINES)
        tn_catalog_groups_done(&s->groups);
    if (s->has_lines)
        tn_bundle_close(&s->lines);
}

/* ---- the streams as one: a heap, the least path first ---------------------- */

/* Of two equal paths, the one of the first argument comes first. */
static bool is_before(const struct catalog *c, uint32_t a, uint32_t b)
{
    int order = tn_bytes_compare(c->streams[a].path, c->streams[b].path);

    return order < 0 || (order == 0 && a < b);
}

static void sink_down(struct catalog *c, uint32_t at)
{
    for (;;) {
        uint32_t least = at, left = 2 * at + 1;
        for (uint32_t i = left; i < left + 2 && i < c->heap_count; i++)
            if (is_before(c, c->heap[i], c->heap[least]))
                least = i;
        if (least == at)
            return;
        uint32_t other = c->heap[at];
        c->heap[at]    = c->heap[least];
        c->heap[least] = other;
        at             = least;
    }
}

static void step_top(struct catalog *c)
{
    if (!advance(c, &c->streams[c->heap[0]]))
        c->heap[0] = c->heap[--c->heap_count];
    if (c->heap_count)
        sink_down(c, 0);
}

static enum tn_status open_streams(struct catalog *c, const char *const *paths,
                                   uint64_t count)
{
    if (count > UINT32_MAX / 2)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE, "too many paths");
    c->streams = tn_new(&c->arena, struct stream, count + 1, c->error);
    c->heap    = tn_new(&c->arena, uint32_t, count + 1, c->error);
    if (!c->streams || !c->heap)
        return c->error->status;
    for (uint32_t i = 0; i < count; i++) {
        c->stream_count = i + 1;
        if (open_stream(c, &c->streams[i], paths[i]) != TN_OK) {
            tn_error_file(c->error, paths[i]);
            return c->error->status;
        }
        if (advance(c, &c->streams[i]))
            c->heap[c->heap_count++] = i;
        TN_TRY(c->error->status);
    }
    for (uint32_t i = c->heap_count / 2; i-- > 0;)
        sink_down(c, i);
    return TN_OK;
}

/* ---- units: what the streams and the old catalog say about a path ---------- */

static void next_old(struct catalog *c)
{
    c->has_old =
        c->sink && c->sink->ops->old(c->sink, &c->old, c->error);
}

static struct tn_bytes keep(struct tn_catalog_unit *u, struct tn_bytes text,
                            struct tn_error *error)
{
    return tn_bytes_dup(&u->arena, text, error);
}

static void take_old(struct catalog *c, struct tn_catalog_unit *u)
{
    u->has_old     = true;
    u->old         = c->old;
    u->old.path    = keep(u, c->old.path, c->error);
    u->old.etag    = keep(u, c->old.etag, c->error);
    u->old.made_by = keep(u, c->old.made_by, c->error);
    u->old.status  = keep(u, c->old.status, c->error);
    u->old.parts   = keep(u, c->old.parts, c->error);
    next_old(c);
}

static bool starts_with(struct tn_bytes text, struct tn_bytes start)
{
    return text.size >= start.size &&
           tn_bytes_equal(tn_bytes(text.data, start.size), start);
}

/* Whether a path that is in no stream should be in one. */
static bool is_gone(const struct catalog *c, struct tn_bytes path)
{
    if (c->unseen.size && starts_with(path, tn_buffer_bytes(&c->unseen)))
        return false;
    for (uint32_t i = 0; i < c->stream_count; i++) {
        const struct stream *s = &c->streams[i];
        if ((s->kind == OF_FOLDER || s->kind == OF_LIST) &&
            starts_with(path, s->shown))
            return true;
    }
    return false;
}

static void take_only_old(struct catalog *c, struct tn_catalog_unit *u)
{
    u->does  = is_gone(c, c->old.path) ? TN_UNIT_REMOVE : TN_UNIT_KEEP;
    u->shown = keep(u, c->old.path, c->error);
    take_old(c, u);
}

static void take_stream(struct catalog *c, struct tn_catalog_unit *u,
                        struct stream *s)
{
    const char *path = s->root;

    u->shown  = keep(u, s->path, c->error);
    u->is_url = s->is_url;
    switch (s->kind) {
    case OF_FILE:
        if (!s->is_url) {
            u->kind = tn_walk_kind(path);
            if (!tn_path_exists(path))
                c->totals.missing++;
        }
        break;
    case OF_FOLDER:
        path      = s->entry.path;
        u->kind   = s->entry.kind;
        u->number = s->entry.number;
        if (u->kind == TN_WALK_FAILED || u->kind == TN_WALK_DEEP) {
            tn_buffer_clear(&c->unseen);
            tn_buffer_add(&c->unseen, s->path);
        }
        break;
    case OF_LIST: {
        const struct listed_file *file =
            tn_list_at(&s->files, struct listed_file, s->next - 1);
        path        = file->url;
        u->etag     = keep(u, file->etag, c->error);
        u->size     = file->size;
        u->has_size = file->size != TN_ANSWER_UNKNOWN;
        break;
    }
    case OF_LINES:
        u->lines       = s->lines.main;
        u->lines_begin = s->groups.begin;
        u->lines_end   = s->groups.end;
        u->etag = keep(u, tn_catalog_text(&s->groups.row, TN_CATALOG_ETAG),
                       c->error);
        u->status = keep(u, tn_catalog_text(&s->groups.row, TN_CATALOG_STATUS),
                         c->error);
        u->is_same = c->has_old &&
                     tn_bytes_equal(c->old.path, s->path) &&
                     tn_bytes_equal(c->old.etag, u->etag) && u->etag.size &&
                     tn_bytes_equal(c->old.made_by,
                                    tn_catalog_text(&s->groups.row,
                                                    TN_CATALOG_MADE_BY));
        break;
    }
    u->path = tn_text_dup(&u->arena, path, c->error);
}

/* Fills the next unit; false when there is none. */
static bool next_unit(struct catalog *c, struct tn_catalog_unit *u)
{
    struct stream *s = c->heap_count ? &c->streams[c->heap[0]] : NULL;

    if ((!s && !c->has_old) || tn_failed(c->error))
        return false;
    tn_catalog_unit_init(u, &c->work.options);
    int order = !s            ? 1
                : !c->has_old ? -1
                              : tn_bytes_compare(s->path, c->old.path);
    if (order > 0)
        take_only_old(c, u);
    else
        take_stream(c, u, s);
    if (order == 0)
        take_old(c, u);
    /* A path that was named twice counts once. */
    while (order <= 0 && c->heap_count && !tn_failed(c->error) &&
           tn_bytes_equal(c->streams[c->heap[0]].path, u->shown))
        step_top(c);
    if (!tn_failed(c->error))
        return true;
    tn_catalog_unit_done(u); /* it may have no path */
    return false;
}

/* ---- results --------------------------------------------------------------- */

static void run_job(void *context, uint32_t slot)
{
    struct catalog *c = context;

    tn_catalog_read_file(&c->units[slot], &c->work);
}

static void count(struct catalog *c, const char *status)
{
    c->totals.files++;
    if (strcmp(status, "ok") == 0)
        c->totals.models++;
    else if (strcmp(status, "other") != 0 && strcmp(status, "named") != 0)
        c->totals.broken++;
}

static void notify(struct catalog *c, struct tn_catalog_unit *u,
                   const char *status, bool is_kept)
{
    struct tn_catalog_file file = { .path   = (const char *)u->shown.data,
                                    .status = status,
                                    .error  = u->error.what,
                                    .is_kept = is_kept };

    if (c->work.catalog->on_file)
        c->work.catalog->on_file(c->work.catalog->context, &file);
}

/* Existing rows stay. NOT_FOUND: they no longer exist. */
static enum tn_status keep_unit(struct catalog *c, struct tn_catalog_unit *u)
{
    enum tn_status status =
        c->sink ? c->sink->ops->keep(c->sink, &u->old, c->error) : TN_OK;

    if (status != TN_OK)
        return status;
    if (u->does == TN_UNIT_KEEP)
        return TN_OK; /* not one of those that were named */
    c->totals.kept++;
    c->totals.tensors += u->old.tensors;
    c->totals.bytes += u->old.bytes;
    count(c, (const char *)u->old.status.data);
    notify(c, u, (const char *)u->old.status.data, true);
    return TN_OK;
}

static enum tn_status put_unit(struct catalog *c, struct tn_catalog_unit *u)
{
    bool        reads  = c->work.catalog->wants_hashes ||
                         c->work.catalog->wants_statistics;
    const char *status = tn_catalog_status(u);

    if (u->error.status == TN_CANCELLED) {
        *c->error = u->error;
        return c->error->status;
    }
    TN_TRY(tn_catalog_tell(u, &c->work, c->sink, &c->totals, c->error));
    count(c, status);
    notify(c, u, status, false);
    return c->sink ? c->sink->ops->end(c->sink, reads ? u->size : 0, c->error)
                   : TN_OK;
}

/* An interrupted run left rows of a path that is not named now, and they were
 * cut off: the catalog's own rows of the path stay.  If it has none, the rows
 * are lost, as they would be without that run. */
static enum tn_status keep_earlier(struct catalog *c, struct tn_catalog_unit *u)
{
    if (!u->old.earlier_size)
        return TN_OK;
    u->old.is_work = false;
    u->old.mark    = u->old.earlier_mark;
    u->old.size    = u->old.earlier_size;
    return keep_unit(c, u);
}

static enum tn_status tell_unit(struct catalog *c, struct tn_catalog_unit *u)
{
    if (u->does == TN_UNIT_REMOVE) {
        c->totals.removed++;
        return c->sink->ops->remove(c->sink, &u->old, c->error);
    }
    if (u->does == TN_UNIT_KEEP || u->is_same) {
        enum tn_status status = keep_unit(c, u);
        if (status != TN_NOT_FOUND || tn_failed(c->error))
            return c->error->status;
        if (u->does == TN_UNIT_KEEP)
            return keep_earlier(c, u);
        u->has_old = false;
        u->is_same = false;
        tn_catalog_read_file(u, &c->work);
    }
    return put_unit(c, u);
}

static void take_one(struct catalog *c)
{
    struct tn_catalog_unit *u = &c->units[tn_pipeline_take(&c->pipeline)];

    if (!tn_failed(c->error))
        tell_unit(c, u);
    if (!tn_failed(c->error))
        tn_meter_add(&c->meter, u->size, c->error);
    tn_catalog_unit_done(u);
}

static enum tn_status run_units(struct catalog *c)
{
    while (!tn_failed(c->error)) {
        if (tn_pipeline_is_full(&c->pipeline))
            take_one(c);
        if (tn_failed(c->error) ||
            !next_unit(c, &c->units[tn_pipeline_next(&c->pipeline)]))
            break;
        tn_pipeline_add(&c->pipeline);
    }
    while (tn_pipeline_count(&c->pipeline))
        take_one(c);
    return c->error->status;
}

/* ---- the call -------------------------------------------------------------- */

static int job_progress(void *context, const char *doing, uint64_t done,
                        uint64_t total)
{
    struct catalog *c   = context;
    struct tn_error own = TN_ERROR_INIT;

    (void)doing;
    (void)done;
    (void)total;
    return tn_meter_add(&c->meter, 0, &own) != TN_OK;
}

static void look(void *context)
{
    (void)job_progress(context, "", 0, 0);
}

/* Several models are opened at once, and the caller's function is called by one
 * thread at a time. */
static void on_request(void *context, const struct tn_request *request)
{
    struct catalog *c = context;

    pthread_mutex_lock(&c->request_lock);
    c->on_request(c->request_context, request);
    pthread_mutex_unlock(&c->request_lock);
}

static enum tn_status share_requests(struct catalog *c, struct tn_error *error)
{
    const struct tn_remote_options *theirs = c->work.options.remote;

    TN_TAKE_REMOTE(theirs);
    if (!theirs || !theirs->on_request)
        return TN_OK;
    c->remote              = *theirs;
    c->on_request          = theirs->on_request;
    c->request_context     = theirs->context;
    c->remote.on_request   = on_request;
    c->remote.context      = c;
    c->work.options.remote = &c->remote;
    return TN_OK;
}

static enum tn_status name_maker(struct catalog *c)
{
    const struct tn_catalog_options *o    = c->work.catalog;
    const struct tn_options         *read = &c->work.options;

    c->work.made_by = tn_text_format(
        &c->arena, c->error, "tenon %s%s%s%s%s%s%s%s%s", TN_VERSION_STRING,
        o->only_names ? " names" : "",
        o->wants_hashes ? " hash" : "", o->wants_statistics ? " statistics" : "",
        o->wants_scan ? " scan" : "", read->from ? " from=" : "",
        read->from ? read->from : "", read->tag ? " tag=" : "",
        read->tag ? read->tag : "");
    return c->error->status;
}

static enum tn_catalog_form form_of(const char *path, enum tn_catalog_form form)
{
    static const struct {
        const char          *suffix;
        enum tn_catalog_form form;
    } known[] = {
        { ".sqlite", TN_CATALOG_SQLITE },  { ".sqlite3", TN_CATALOG_SQLITE },
        { ".db", TN_CATALOG_SQLITE },      { ".ndjson", TN_CATALOG_NDJSON },
        { ".jsonl", TN_CATALOG_NDJSON },   { ".arrow", TN_CATALOG_ARROW },
        { ".feather", TN_CATALOG_ARROW },  { ".arrows", TN_CATALOG_ARROW_STREAM },
    };

    if (form != TN_CATALOG_BY_NAME)
        return form;
    if (path == tn_to_writer() || strcmp(path, "-") == 0)
        return TN_CATALOG_NDJSON;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (tn_text_ends_with(path, known[i].suffix))
            return known[i].form;
    return TN_CATALOG_BY_NAME;
}

static enum tn_status open_sink(struct catalog          *c,
                                const struct tn_options *options)
{
    const char *name   = c->target->path;
    bool        is_url = name != tn_to_writer() && tn_url_is(name);

    if (is_url) /* without its query, which may be a secret */
        name = tn_url_shown(name, &c->arena, c->error);
    if (!name)
        return c->error->status;
    struct tn_catalog_place place = {
        .memory  = &c->memory,
        .target  = c->target,
        .options = options,
        .form    = form_of(name, c->work.catalog->form),
    };

    if (place.form == TN_CATALOG_BY_NAME ||
        (unsigned)place.form > TN_CATALOG_ARROW_STREAM)
        return tn_error_because(
            c->error, TN_INVALID, TN_REASON_UNKNOWN_TARGET_FORMAT, TN_NOWHERE,
            "cannot tell the form of a catalog from '%.100s'; names end in "
            ".sqlite, .ndjson, .arrow or .arrows",
            name);
    if (place.form == TN_CATALOG_SQLITE && is_url)
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "SQLite changes a database in place, which servers "
                            "do not offer; write it to a file and upload that, "
                            "or write .ndjson or .arrow there");
    if (c->target->is_dry_run)
        return TN_OK;
    if (place.form == TN_CATALOG_SQLITE)
        return tn_catalog_database(&c->sink, &place, c->error);
    return tn_catalog_lines(&c->sink, &place, c->error);
}

static enum tn_status run(struct catalog *c, const char *const *paths,
                          uint64_t count, const struct tn_options *options)
{
    unsigned jobs = tn_pipeline_workers(c->work.catalog->jobs);
    uint32_t room = jobs * 2;

    c->units = tn_new(&c->arena, struct tn_catalog_unit, room, c->error);
    if (!c->units)
        return c->error->status;
    if (jobs > 1 && c->work.options.workers == 0)
        c->work.options.workers = 1;
    if (jobs > 1)
        c->work.options.max_memory /= jobs;
    TN_TRY(name_maker(c));
    TN_TRY(open_sink(c, options));
    TN_TRY(open_streams(c, paths, count));
    next_old(c);
    tn_pipeline_open(&c->pipeline, jobs, room, run_job, c);
    tn_pipeline_looks(&c->pipeline, look);
    run_units(c);
    tn_pipeline_close(&c->pipeline);
    if (c->sink && !tn_failed(c->error))
        c->sink->ops->finish(c->sink, c->error);
    return c->error->status;
}

static enum tn_status expect_paths(const char *const *paths, uint64_t count,
                                   struct tn_error *error)
{
    for (uint64_t i = 0; i < count; i++)
        TN_EXPECT_PATH(paths ? paths[i] : NULL, error);
    return TN_OK;
}

enum tn_status tn_catalog(const char *const *paths, uint64_t count,
                          const struct tn_catalog_options *catalog,
                          const struct tn_target          *target,
                          const struct tn_options         *options,
                          struct tn_catalog_totals        *totals,
                          struct tn_error                 *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TARGET(target, error);
    TN_TRY(expect_paths(paths, count, error));
    TN_TAKE_OPTIONS(options);
    TN_TAKE_CATALOG(catalog);
    struct catalog c = { .error        = error,
                         .target       = target,
                         .work.catalog = catalog,
                         .request_lock = PTHREAD_MUTEX_INITIALIZER };
    c.work.options = options ? *options : (struct tn_options)TN_OPTIONS_INIT;
    c.work.options.progress         = job_progress;
    c.work.options.progress_context = &c;
    TN_TRY(share_requests(&c, error));
    tn_memory_take_options(&c.memory, &c.work.options);
    tn_arena_init(&c.arena, &c.memory);
    tn_buffer_init(&c.unseen, &c.memory, error);
    tn_meter_init(&c.meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "catalog", 0);
    run(&c, paths, count, options);
    for (uint32_t i = 0; i < c.stream_count; i++)
        close_stream(&c.streams[i]);
    if (c.sink)
        c.sink->ops->close(c.sink);
    tn_buffer_done(&c.unseen);
    tn_arena_done(&c.arena);
    if (totals)
        *totals = c.totals;
    return error->status;
}
