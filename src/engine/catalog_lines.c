/*
 * catalog_lines.c - a catalog as lines of JSON, or as Arrow made of them
 *
 * Lines are collected in TARGET.part, which gets the name of the target at the
 * end, or is turned into Arrow.  They are in the order of their paths: what an
 * interrupted run left is the beginning of what the next one would write, as
 * long as no file changed.  So it is kept up to the first group that is
 * different, and cut off there.
 */
#include "engine/catalog_sink.h"
#include "engine/target.h"
#include "io/append.h"
#include "io/bundle.h"
#include "io/file_source.h"
#include "io/path.h"
#include "io/remote_url.h"
#include "engine/arrow_write.h"

/* Mapped pages of the lines are released after this many bytes. */
#define RELEASE (UINT64_C(8) << 20)

struct lines {
    struct tn_catalog_sink  sink; /* first                                    */
    struct tn_memory       *memory;
    struct tn_arena         arena; /* paths                                   */
    struct tn_catalog_place place;
    const char             *work, *lock; /* NULL for a stream                 */
    int                     claim;

    /* Existing rows: those of an interrupted run, and of a catalog. */
    struct tn_append        *append;
    struct tn_bundle         before;
    struct tn_catalog_groups left, old;
    bool                     has_left, has_old; /* there may be more groups   */
    bool                     left_is_read, old_is_read; /* one is at hand     */
    bool                     has_before; /* `before` is open                  */
    bool                     prefers_left; /* what the last old was           */

    uint64_t                reach; /* bytes of `work` that are right          */
    struct tn_output       *output; /* a stream's                             */
    struct tn_sink         *to;     /* NULL: `work` is right so far           */
    struct tn_arrow_writer *arrow;  /* of a stream                            */
    struct tn_error         own;    /* of the writer above                    */
};

static bool is_arrow(const struct lines *l)
{
    return l->place.form == TN_CATALOG_ARROW ||
           l->place.form == TN_CATALOG_ARROW_STREAM;
}

char *tn_catalog_work(struct tn_arena *arena, const char *path,
                      struct tn_error *error)
{
    return tn_text_format(arena, error, "%s.part", path);
}

/* ---- Arrow ---------------------------------------------------------------- */

/* "row" comes first, then all columns. */
static void fill_fields(struct tn_arrow_field fields[TN_CATALOG_COLUMNS + 1])
{
    fields[0] = (struct tn_arrow_field){ "row", TN_ARROW_TEXT };
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++) {
        fields[i + 1].name = tn_catalog_about[i].name;
        switch (tn_catalog_about[i].kind) {
        case TN_CATALOG_NONE:
        case TN_CATALOG_TEXT: fields[i + 1].type = TN_ARROW_TEXT; break;
        case TN_CATALOG_NUMBER: fields[i + 1].type = TN_ARROW_UINT64; break;
        case TN_CATALOG_REAL: fields[i + 1].type = TN_ARROW_DOUBLE; break;
        case TN_CATALOG_LIST: fields[i + 1].type = TN_ARROW_UINT64_LIST; break;
        }
    }
}

static const struct tn_arrow_field *fields_of(struct tn_arena *arena,
                                              struct tn_error *error)
{
    struct tn_arrow_field *fields = tn_new(arena, struct tn_arrow_field,
                                           TN_CATALOG_COLUMNS + 1, error);

    if (fields)
        fill_fields(fields);
    return fields;
}

static enum tn_status put_arrow(struct tn_arrow_writer      *arrow,
                                const struct tn_catalog_row *row)
{
    tn_arrow_text(arrow, 0, tn_text(row->is_tensor ? "tensor" : "file"));
    for (uint32_t i = 0; i < TN_CATALOG_COLUMNS; i++) {
        const struct tn_catalog_value *value = &row->values[i];
        switch (value->kind) {
        case TN_CATALOG_NONE: break;
        case TN_CATALOG_TEXT: tn_arrow_text(arrow, i + 1, value->text); break;
        case TN_CATALOG_NUMBER:
            tn_arrow_uint64(arrow, i + 1, value->number);
            break;
        case TN_CATALOG_REAL:
            tn_arrow_double(arrow, i + 1, value->real);
            break;
        case TN_CATALOG_LIST:
            tn_arrow_list(arrow, i + 1, value->list.items, value->list.count);
            break;
        }
    }
    return tn_arrow_end_row(arrow);
}

/* Turns the lines of `work` into Arrow. */
static enum tn_status fill_arrow(void *context, struct tn_sink *to,
                                 struct tn_error *error)
{
    struct lines           *l = context;
    struct tn_arrow_writer *arrow;
    struct tn_bundle        lines;
    struct tn_arena         arena;
    struct tn_catalog_row   row;
    struct tn_bytes         line;
    uint64_t                released = 0;

    TN_TRY(tn_bundle_open(&lines, l->memory, l->work, NULL, error));
    tn_arena_init(&arena, l->memory);
    const struct tn_arrow_field *fields = fields_of(&l->arena, error);
    if (fields &&
        tn_arrow_open(&arrow, l->memory, to, fields, TN_CATALOG_COLUMNS + 1,
                      l->place.form == TN_CATALOG_ARROW, error) == TN_OK) {
        for (uint64_t at = 0; tn_catalog_line(lines.main, at, &line, error);
             at += line.size + 1) {
            tn_arena_rewind(&arena);
            if (tn_catalog_read(&row, &arena, line, at, error) != TN_OK ||
                put_arrow(arrow, &row) != TN_OK)
                break;
            if (at - released >= RELEASE) { /* read, and not needed again */
                tn_source_release_pages(lines.main, released, RELEASE);
                released += RELEASE;
            }
        }
        tn_arrow_finish(arrow);
        tn_arrow_close(arrow);
    }
    tn_arena_done(&arena);
    tn_bundle_close(&lines);
    return error->status;
}

/* ---- what is there -------------------------------------------------------- */

/* The older catalog, unless it is to be made anew. */
static enum tn_status open_before(struct lines *l, struct tn_error *error)
{
    const char     *path = l->place.target->path;
    struct tn_error own  = TN_ERROR_INIT;
    struct tn_bytes line;

    if (l->place.target->can_replace || !tn_path_exists(path))
        return TN_OK;
    if (!is_arrow(l) &&
        tn_bundle_open(&l->before, l->memory, path, NULL, &own) == TN_OK) {
        l->has_before = true;
        if (l->before.main &&
            (l->before.main->size == 0 ||
             (tn_catalog_line(l->before.main, 0, &line, &own) &&
              tn_bytes_starts_with(line, "{\"row\": ")))) {
            l->has_old = true;
            tn_catalog_groups_init(&l->old, l->memory, l->before.main);
            return TN_OK;
        }
    }
    return tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                            TN_NOWHERE, "%.300s exists%s", path,
                            is_arrow(l) ? "" : ", and is not a catalog");
}

static enum tn_status open_work(struct lines *l, struct tn_error *error)
{
    const char *path = l->place.target->path;
    struct tn_append_options how = { .is_durable =
                                         l->place.target->is_durable };

    l->work = tn_catalog_work(&l->arena, path, error);
    l->lock = tn_text_format(&l->arena, error, "%s.lock", path);
    if (!l->work || !l->lock)
        return error->status;
    TN_TRY(tn_path_claim(l->lock, path, &l->claim, error));
    TN_TRY(open_before(l, error));
    if (l->place.target->can_replace)
        TN_TRY(tn_path_remove(l->work, error));
    TN_TRY(tn_path_touch(l->work, error));
    TN_TRY(tn_append_open(&l->append, l->memory, l->work, &how, error));
    l->has_left = true;
    tn_catalog_groups_init(&l->left, l->memory, tn_append_source(l->append));
    return TN_OK;
}

/* From now on rows are written: what an interrupted run left ends here. */
static enum tn_status begin(struct lines *l, struct tn_error *error)
{
    if (l->to)
        return TN_OK;
    l->has_left     = false;
    l->left_is_read = false;
    return tn_append_begin(l->append, l->reach, &l->to, error);
}

static void read_old(struct lines *l, struct tn_error *error)
{
    struct tn_error own = TN_ERROR_INIT;

    if (l->has_left && !l->left_is_read) {
        l->left_is_read = tn_catalog_groups_next(&l->left, &own);
        /* A run that was killed may leave anything: only what comes before that
         * is used. */
        l->has_left = l->left_is_read;
        if (tn_machine_failed(&own))
            *error = own;
    }
    if (l->has_old && !l->old_is_read && !tn_failed(error)) {
        l->old_is_read = tn_catalog_groups_next(&l->old, error);
        l->has_old     = l->old_is_read;
        if (tn_failed(error))
            tn_error_file(error, l->place.target->path);
        else if (!l->has_old && l->old.next < l->before.main->size)
            tn_error_set(error, TN_TRUNCATED, l->old.next,
                         "%.300s ends in the middle of a file's rows",
                         l->place.target->path);
    }
}

static bool lines_old(struct tn_catalog_sink *sink, struct tn_catalog_old *old,
                      struct tn_error *error)
{
    struct lines             *l = (struct lines *)sink;
    struct tn_catalog_groups *g = NULL;
    bool                      is_in_both = false;

    read_old(l, error);
    if (tn_failed(error))
        return false;
    if (l->left_is_read && l->old_is_read) {
        int order =
            tn_bytes_compare(tn_catalog_text(&l->left.row, TN_CATALOG_FILE),
                             tn_catalog_text(&l->old.row, TN_CATALOG_FILE));
        is_in_both      = order == 0;
        l->old_is_read  = !is_in_both; /* the newer one counts */
        l->prefers_left = order <= 0;
    } else
        l->prefers_left = l->left_is_read;
    if (!l->left_is_read && !l->old_is_read)
        return false;
    g = l->prefers_left ? &l->left : &l->old;
    if (l->prefers_left)
        l->left_is_read = false;
    else
        l->old_is_read = false;
    *old = (struct tn_catalog_old){
        .path    = tn_catalog_text(&g->row, TN_CATALOG_FILE),
        .etag    = tn_catalog_text(&g->row, TN_CATALOG_ETAG),
        .made_by = tn_catalog_text(&g->row, TN_CATALOG_MADE_BY),
        .status  = tn_catalog_text(&g->row, TN_CATALOG_STATUS),
        .parts   = tn_catalog_text(&g->row, TN_CATALOG_PARTS),
        .tensors = tn_catalog_number(&g->row, TN_CATALOG_TENSORS),
        .bytes   = tn_catalog_number(&g->row, TN_CATALOG_BYTES),
        .mark    = g->begin,
        .size    = g->end - g->begin,
        .is_work = l->prefers_left,
    };
    if (is_in_both) {
        old->earlier_mark = l->old.begin;
        old->earlier_size = l->old.end - l->old.begin;
    }
    return true;
}

/* ---- rows ----------------------------------------------------------------- */

static enum tn_status lines_keep(struct tn_catalog_sink      *sink,
                                 const struct tn_catalog_old *old,
                                 struct tn_error             *error)
{
    struct lines *l = (struct lines *)sink;

    if (old->is_work && !l->to && old->mark == l->reach) {
        l->reach += old->size;
        return TN_OK;
    }
    if (old->is_work)
        return TN_NOT_FOUND;
    TN_TRY(begin(l, error));
    return tn_sink_splice(l->to,
                          (struct tn_span){ .source = l->before.main,
                                            .offset = old->mark,
                                            .length = old->size },
                          error);
}

static enum tn_status lines_put(struct tn_catalog_sink      *sink,
                                const struct tn_catalog_row *row,
                                const struct tn_catalog_old *old,
                                struct tn_error             *error)
{
    struct lines *l = (struct lines *)sink;

    (void)old;
    if (l->arrow) {
        put_arrow(l->arrow, row);
        if (tn_failed(&l->own))
            *error = l->own;
        return error->status;
    }
    TN_TRY(begin(l, error));
    tn_catalog_write(row, l->to, error);
    return error->status;
}

static enum tn_status lines_remove(struct tn_catalog_sink      *sink,
                                   const struct tn_catalog_old *old,
                                   struct tn_error             *error)
{
    (void)sink;
    (void)old;
    (void)error;
    return TN_OK;
}

static enum tn_status lines_end(struct tn_catalog_sink *sink, uint64_t read,
                                struct tn_error *error)
{
    (void)sink;
    (void)read;
    (void)error;
    return TN_OK;
}

static enum tn_status finish_stream(struct lines *l, struct tn_error *error)
{
    if (l->arrow) {
        tn_arrow_finish(l->arrow);
        if (tn_failed(&l->own))
            *error = l->own;
        TN_TRY(error->status);
    }
    return tn_output_commit(l->output, error);
}

static enum tn_status lines_finish(struct tn_catalog_sink *sink,
                                   struct tn_error        *error)
{
    struct lines           *l      = (struct lines *)sink;
    const struct tn_target *target = l->place.target;

    if (l->output)
        return finish_stream(l, error);
    TN_TRY(begin(l, error));
    TN_TRY(tn_append_sync(l->append, error));
    tn_append_commit(l->append);
    tn_append_close(l->append);
    l->append = NULL;
    if (!is_arrow(l))
        return tn_path_rename(l->work, target->path, target->is_durable, error);
    TN_TRY(tn_target_write(target, l->place.options, 0, l->memory, fill_arrow,
                           l, NULL, error));
    return tn_path_remove(l->work, error);
}

static void lines_close(struct tn_catalog_sink *sink)
{
    struct lines     *l      = (struct lines *)sink;
    struct tn_memory *memory = l->memory;

    if (l->append) {
        struct tn_error ignored = TN_ERROR_INIT;
        (void)tn_append_sync(l->append, &ignored);
        tn_append_commit(l->append); /* for the next run */
        tn_append_close(l->append);
    }
    if (l->work)
        tn_catalog_groups_done(&l->left);
    if (l->has_before) {
        tn_catalog_groups_done(&l->old);
        tn_bundle_close(&l->before);
    }
    tn_arrow_close(l->arrow);
    tn_output_close(l->output);
    tn_path_release(l->lock, l->claim);
    tn_arena_done(&l->arena);
    tn_memory_free(memory, l, sizeof *l);
}

static enum tn_status open_stream(struct lines *l, struct tn_error *error)
{
    struct tn_output_options how = tn_target_options(l->place.target);

    TN_TRY(tn_output_file(&l->output, l->memory, l->place.target->path, &how,
                          error));
    TN_TRY(tn_output_main(l->output, &l->to, error));
    if (!is_arrow(l))
        return TN_OK;
    const struct tn_arrow_field *fields = fields_of(&l->arena, error);
    if (!fields)
        return error->status;
    if (tn_arrow_open(&l->arrow, l->memory, l->to, fields,
                      TN_CATALOG_COLUMNS + 1,
                      l->place.form == TN_CATALOG_ARROW, &l->own) != TN_OK)
        *error = l->own;
    return error->status;
}

enum tn_status tn_catalog_lines(struct tn_catalog_sink       **out,
                                const struct tn_catalog_place *place,
                                struct tn_error               *error)
{
    static const struct tn_catalog_sink_ops ops = {
        lines_old, lines_keep,   lines_put,  lines_remove,
        lines_end, lines_finish, lines_close
    };
    struct lines *l = tn_memory_resize(place->memory, NULL, 0, sizeof *l, error);

    *out = NULL;
    if (!l)
        return error->status;
    *l = (struct lines){ .sink   = { &ops },
                         .memory = place->memory,
                         .place  = *place,
                         .claim  = -1,
                         .own    = TN_ERROR_INIT };
    tn_arena_init(&l->arena, place->memory);
    if (place->target->path == tn_to_writer() ||
        tn_output_is_stream(place->target->path) ||
        tn_url_is(place->target->path))
        open_stream(l, error);
    else
        open_work(l, error);
    if (tn_failed(error))
        lines_close(&l->sink);
    else
        *out = &l->sink;
    return error->status;
}
