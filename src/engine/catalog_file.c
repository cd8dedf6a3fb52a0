/* catalog_file.c - one file of a catalog: a job reads it, and reports its rows
 */
#include "engine/catalog_file.h"

#include <tenon/blocks.h>

#include <errno.h>
#include <stdio.h>

#include "base/intern.h"
#include "codec/sha256.h"
#include "format/registry.h"
#include "io/remote_list.h"
#include "io/remote_url.h"

void tn_catalog_unit_init(struct tn_catalog_unit  *unit,
                          const struct tn_options *options)
{
    *unit = (struct tn_catalog_unit){ .error = TN_ERROR_INIT, .worst = -1 };
    tn_memory_take_options(&unit->memory, options);
    tn_arena_init(&unit->arena, &unit->memory);
}

static void forget(struct tn_catalog_unit *u)
{
    tn_model_close(u->model);
    u->model      = NULL;
    u->digests    = NULL;
    u->statistics = NULL;
    u->described  = 0;
    u->worst      = -1;
    u->error      = (struct tn_error)TN_ERROR_INIT;
}

void tn_catalog_unit_done(struct tn_catalog_unit *unit)
{
    forget(unit);
    tn_arena_done(&unit->arena);
}

/* ---- the file then and now ----------------------------------------------- */

/* A file beside the one of the unit. */
static const char *beside(struct tn_catalog_unit *u, const char *name,
                          struct tn_error *error)
{
    const char *slash = strrchr(u->path, '/');

    if (u->is_url)
        return tn_url_beside(&u->arena, u->path, name, error);
    return tn_text_format(&u->arena, error, "%.*s%s",
                          slash ? (int)(slash - u->path) + 1 : 0, u->path,
                          name);
}

static struct tn_bytes stat_remote(struct tn_catalog_unit *u, const char *url,
                                   uint64_t *size, struct tn_error *error)
{
    struct tn_listed  listed = { .etag = "", .size = TN_ANSWER_UNKNOWN };
    struct tn_remote *remote;

    if (tn_remote_open(&remote, &u->memory, u->memory.remote, error) != TN_OK)
        return tn_bytes(NULL, 0);
    tn_remote_stat(remote, &u->arena, url, &listed, error);
    tn_remote_close(remote);
    *size = listed.size;
    return tn_failed(error)
               ? tn_bytes(NULL, 0)
               : tn_walk_show(&u->arena, tn_text(listed.etag), error);
}

/* Empty if there is none. */
static struct tn_bytes identity_of(struct tn_catalog_unit *u, const char *path,
                                   uint64_t *size, struct tn_error *error)
{
    char text[TN_WALK_IDENTITY];

    *size = TN_ANSWER_UNKNOWN;
    if (u->is_url)
        return stat_remote(u, path, size, error);
    if (!tn_walk_identity(path, text, size)) {
        bool is_missing = errno == ENOENT;
        tn_error_errno(error, errno, "cannot open");
        if (is_missing)
            error->status = TN_NOT_FOUND;
        return tn_bytes(NULL, 0);
    }
    return tn_bytes_dup(&u->arena, tn_text(text), error);
}

static void take_identity(struct tn_catalog_unit *u)
{
    uint64_t size;

    if (u->etag.size && u->has_size)
        return; /* a listing told them */
    u->etag     = identity_of(u, u->path, &size, &u->error);
    u->size     = size;
    u->has_size = size != TN_ANSWER_UNKNOWN;
}

/* The identity of a model of several files is that of all of them: that of the
 * main one, and a hash of the others'.  `parts` has a name on each line. */
static struct tn_bytes joint_etag(struct tn_catalog_unit *u,
                                  struct tn_bytes         parts)
{
    uint8_t          digest[TN_SHA256_SIZE];
    struct tn_sha256 hash;
    const uint8_t   *end = parts.data + parts.size;

    if (parts.size == 0 || u->etag.size == 0)
        return u->etag;
    tn_sha256_init(&hash);
    for (const uint8_t *at = parts.data; at < end;) {
        const uint8_t  *stop = memchr(at, '\n', (size_t)(end - at));
        size_t          size = (size_t)((stop ? stop : end) - at);
        struct tn_error own  = TN_ERROR_INIT;
        struct tn_bytes name =
            tn_bytes_dup(&u->arena, tn_bytes(at, size), &own);
        uint64_t    ignored;
        const char *path =
            name.data ? beside(u, (const char *)name.data, &own) : NULL;
        struct tn_bytes etag = path ? identity_of(u, path, &ignored, &own)
                                    : tn_bytes(NULL, 0);
        tn_sha256_add(&hash, tn_bytes(at, size));
        tn_sha256_add(&hash, tn_text("\n"));
        tn_sha256_add(&hash, etag);
        tn_sha256_add(&hash, tn_text("\n"));
        at += size + 1;
    }
    tn_sha256_finish(&hash, digest);
    char *text = tn_text_format(
        &u->arena, &u->error, "%.*s+%02x%02x%02x%02x%02x%02x%02x%02x",
        TN_FMT(u->etag), digest[0], digest[1], digest[2], digest[3], digest[4],
        digest[5], digest[6], digest[7]);
    return text ? tn_text(text) : u->etag;
}

/* Failures of the machine, not of the file: the next attempt may succeed. */
static bool is_final(struct tn_bytes status)
{
    return !tn_bytes_is(status, tn_status_name(TN_IO)) &&
           !tn_bytes_is(status, tn_status_name(TN_NO_MEMORY)) &&
           !tn_bytes_is(status, tn_status_name(TN_BUSY)) &&
           !tn_bytes_is(status, tn_status_name(TN_NOT_FOUND)) &&
           !tn_bytes_is(status, tn_status_name(TN_CANCELLED));
}

static bool is_as_it_was(struct tn_catalog_unit       *u,
                         const struct tn_catalog_work *work)
{
    return u->has_old && u->etag.size && is_final(u->old.status) &&
           tn_bytes_is(u->old.made_by, work->made_by) &&
           tn_bytes_equal(u->old.etag, joint_etag(u, u->old.parts));
}

/* ---- the job -------------------------------------------------------------- */

/* Other files that hold elements, each once. */
static void take_parts(struct tn_catalog_unit *u)
{
    struct tn_intern names;
    struct tn_buffer text;
    const char      *last = "";

    tn_intern_init(&names, &u->arena);
    tn_buffer_init(&text, &u->memory, &u->error);
    for (uint64_t i = 0; i < tn_model_tensor_count(u->model); i++) {
        const char *name = tn_tensor_file(tn_model_tensor(u->model, i));
        if (!name[0] || strcmp(name, last) == 0)
            continue;
        last            = name;
        uint32_t before = tn_intern_count(&names);
        tn_intern_borrow(&names, tn_text(name), &u->error);
        if (tn_intern_count(&names) > before)
            tn_buffer_format(&text, "%s%s", text.size ? "\n" : "", name);
    }
    u->parts = tn_bytes_dup(&u->arena, tn_buffer_bytes(&text), &u->error);
    tn_buffer_done(&text);
    tn_intern_done(&names);
}

static void hash_tensors(struct tn_catalog_unit       *u,
                         const struct tn_catalog_work *work)
{
    uint8_t(*digests)[TN_HASH_SIZE] =
        tn_arena_array(&u->arena, tn_model_tensor_count(u->model) + 1,
                       TN_HASH_SIZE, 1, &u->error);

    if (digests && tn_model_hash(u->model, &work->options, digests,
                                 &u->error) == TN_OK)
        u->digests = digests;
}

static int take_statistics(void *context, uint64_t index,
                           const struct tn_statistics *s)
{
    struct tn_catalog_unit *u = context;

    u->statistics[index] = (struct tn_catalog_statistics){
        s->min, s->max, s->mean, s->deviation, s->zeros, s->nans, s->infinities
    };
    u->described = index + 1;
    return 0;
}

static void describe_tensors(struct tn_catalog_unit       *u,
                             const struct tn_catalog_work *work)
{
    uint64_t                 count = tn_model_tensor_count(u->model);
    const struct tn_tensor **tensors =
        tn_new(&u->arena, const struct tn_tensor *, count + 1, &u->error);

    u->statistics =
        tn_new(&u->arena, struct tn_catalog_statistics, count + 1, &u->error);
    if (!tensors || !u->statistics)
        return;
    for (uint64_t i = 0; i < count; i++)
        tensors[i] = tn_model_tensor(u->model, i);
    tn_statistics_compute(u->model, tensors, count, &work->options,
                          take_statistics, u, &u->error);
}

static int take_finding(void *context, const struct tn_scan_finding *finding)
{
    struct tn_catalog_unit *u   = context;
    struct tn_error         own = TN_ERROR_INIT;

    if ((int)finding->verdict <= u->worst)
        return 0;
    u->worst   = (int)finding->verdict;
    char *text = tn_text_format(&u->arena, &own, "%s%s%s [%s]", finding->member,
                                finding->member[0] ? ": " : "", finding->what,
                                finding->rule);
    if (text)
        u->finding = tn_walk_show(&u->arena, tn_text(text), &own);
    return 0;
}

static void scan_file(struct tn_catalog_unit       *u,
                      const struct tn_catalog_work *work)
{
    struct tn_error own = TN_ERROR_INIT;

    u->has_scan = tn_scan(u->path, &work->options, take_finding, u, &u->scanned,
                          &own) == TN_OK;
    if (!u->has_scan && !tn_failed(&u->error))
        u->error = own;
}

static void fail_entry(struct tn_catalog_unit *u)
{
    switch (u->kind) {
    case TN_WALK_FILE: break;
    case TN_WALK_BROKEN:
        tn_error_set(&u->error, TN_NOT_FOUND, TN_NOWHERE,
                     "a link that leads to no file");
        break;
    case TN_WALK_SPECIAL:
        tn_error_set(&u->error, TN_INVALID, TN_NOWHERE,
                     "a pipe, a socket or a device, which is not opened");
        break;
    case TN_WALK_FAILED:
        tn_error_errno(&u->error, u->number, "cannot list the folder");
        break;
    case TN_WALK_DEEP:
        tn_error_set(&u->error, TN_LIMIT, TN_NOWHERE,
                     "a folder below %d others, which is not looked into",
                     TN_WALK_DEPTH);
        break;
    }
}

void tn_catalog_read_file(struct tn_catalog_unit       *u,
                          const struct tn_catalog_work *work)
{
    if (u->does != TN_UNIT_READ || u->lines)
        return;
    fail_entry(u);
    if (!tn_failed(&u->error))
        take_identity(u);
    if (tn_failed(&u->error))
        return;
    u->is_same  = is_as_it_was(u, work);
    u->is_named = work->catalog->only_names;
    if (u->is_same || u->is_named)
        return;
    if (tn_model_open(&u->model, u->path, &work->options, &u->error) ==
        TN_OK) {
        take_parts(u);
        u->etag = joint_etag(u, u->parts);
        if (work->catalog->wants_hashes && !tn_failed(&u->error))
            hash_tensors(u, work);
        if (work->catalog->wants_statistics && !tn_failed(&u->error))
            describe_tensors(u, work);
    }
    if (work->catalog->wants_scan && u->error.status != TN_CANCELLED)
        scan_file(u, work);
}

/* ---- rows ----------------------------------------------------------------- */

/* Suffixes of models, and of many other files. */
static bool is_common(const char *suffix)
{
    static const char *const common[] = { ".json", ".bin", ".pb",  ".pbtxt",
                                          ".meta", ".index", ".txt", "/" };

    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (strcmp(suffix, common[i]) == 0)
            return true;
    return false;
}

/* Whether its name promises a model. */
static bool is_called_model(struct tn_bytes name)
{
    for (const struct tn_format *const *f = tn_formats; *f; f++)
        for (const char *const *s = (*f)->suffixes; *s; s++)
            if (!is_common(*s) && tn_bytes_ends_with(name, *s))
                return true;
    return false;
}

const char *tn_catalog_status(const struct tn_catalog_unit *u)
{
    bool is_other = u->error.reason == TN_REASON_NOT_A_MODEL ||
                    (u->error.status == TN_NOT_FOUND &&
                     u->error.reason == TN_REASON_UNKNOWN_FORMAT);

    if (u->lines)
        return u->status.data ? (const char *)u->status.data : "";
    if (u->is_named && !tn_failed(&u->error))
        return "named";
    if (!is_other)
        return tn_status_name(u->error.status);
    return is_called_model(u->shown) ? tn_status_name(TN_MALFORMED) : "other";
}

static struct tn_bytes show(struct tn_arena *arena, struct tn_bytes text,
                            struct tn_error *error)
{
    return tn_walk_show(arena, text, error);
}

static void put_error(struct tn_catalog_unit *u, struct tn_catalog_row *row,
                      struct tn_error *error)
{
    const struct tn_error *e = &u->error;
    char *text = tn_text_format(&u->arena, error, "%s%s%s%s%s", e->file,
                                e->file[0] ? ": " : "", e->where,
                                e->where[0] ? ": " : "", e->what);

    if (!tn_failed(e) || !text)
        return;
    tn_catalog_put_text(row, TN_CATALOG_ERROR,
                        show(&u->arena, tn_text(text), error));
    if (e->offset != TN_NOWHERE)
        tn_catalog_put_number(row, TN_CATALOG_ERROR_OFFSET, e->offset);
}

static void put_scan(const struct tn_catalog_unit *u,
                     struct tn_catalog_row        *row)
{
    uint64_t count = 0;

    if (!u->has_scan)
        return;
    for (int i = 0; i < 3; i++)
        count += u->scanned.findings[i];
    tn_catalog_put_text(row, TN_CATALOG_VERDICT,
                        tn_text(u->worst < 0 ? "clean"
                                             : tn_verdict_name(
                                                   (enum tn_verdict)u->worst)));
    tn_catalog_put_number(row, TN_CATALOG_PICKLES, u->scanned.pickles);
    tn_catalog_put_number(row, TN_CATALOG_FINDINGS, count);
    if (u->finding.size)
        tn_catalog_put_text(row, TN_CATALOG_FINDING, u->finding);
}

/* The sum stays at its largest number. */
static void add(uint64_t *sum, uint64_t more)
{
    *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

static void put_model(const struct tn_catalog_unit *u,
                      struct tn_catalog_row        *row)
{
    uint64_t count = tn_model_tensor_count(u->model), elements = 0, bytes = 0;

    for (uint64_t i = 0; i < count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(u->model, i);
        add(&elements, tn_tensor_count(tensor));
        add(&bytes, tn_tensor_size(tensor));
    }
    tn_catalog_put_text(row, TN_CATALOG_FORMAT,
                        tn_text(tn_model_format(u->model)));
    if (tn_model_dialect(u->model)[0])
        tn_catalog_put_text(row, TN_CATALOG_DIALECT,
                            tn_text(tn_model_dialect(u->model)));
    tn_catalog_put_number(row, TN_CATALOG_NODES, tn_model_node_count(u->model));
    tn_catalog_put_number(row, TN_CATALOG_SIGNATURES,
                          tn_model_signature_count(u->model));
    tn_catalog_put_number(row, TN_CATALOG_TENSORS, count);
    tn_catalog_put_number(row, TN_CATALOG_PARAMETERS, elements);
    tn_catalog_put_number(row, TN_CATALOG_BYTES, bytes);
}

/* The columns with which the rows of a file begin. */
static void put_head(const struct tn_catalog_unit *u,
                     struct tn_catalog_row        *row)
{
    tn_catalog_put_text(row, TN_CATALOG_FILE, u->shown);
    if (u->etag.size)
        tn_catalog_put_text(row, TN_CATALOG_ETAG, u->etag);
}

static void file_row(struct tn_catalog_unit       *u,
                     const struct tn_catalog_work *work,
                     struct tn_catalog_row *row, struct tn_error *error)
{
    *row = (struct tn_catalog_row){ 0 };
    put_head(u, row);
    if (u->has_size)
        tn_catalog_put_number(row, TN_CATALOG_SIZE, u->size);
    tn_catalog_put_text(row, TN_CATALOG_STATUS, tn_text(tn_catalog_status(u)));
    put_error(u, row, error);
    if (u->model)
        put_model(u, row);
    if (u->parts.size)
        tn_catalog_put_text(row, TN_CATALOG_PARTS, u->parts);
    put_scan(u, row);
    tn_catalog_put_text(row, TN_CATALOG_MADE_BY, tn_text(work->made_by));
}

static const char *role_name(enum tn_role role)
{
    static const char *const names[] = { "initializer",   "attribute",
                                         "variable",      "sparse-values",
                                         "sparse-indices", "state" };

    return (unsigned)role < sizeof names / sizeof names[0] ? names[role] : "";
}

/* The path of the file that has the elements. */
static struct tn_bytes place_of(struct tn_catalog_unit *u, const char *name,
                                struct tn_arena *arena, struct tn_error *error)
{
    if (!name[0])
        return u->shown;
    size_t folder = u->shown.size;
    while (folder > 0 && u->shown.data[folder - 1] != '/')
        folder--;
    struct tn_bytes last = show(arena, tn_text(name), error);
    uint8_t *path = tn_new(arena, uint8_t, folder + last.size + 1, error);
    if (!path)
        return tn_bytes(NULL, 0);
    memcpy(path, u->shown.data, folder);
    if (last.size)
        memcpy(path + folder, last.data, last.size);
    return tn_bytes(path, folder + last.size);
}

static void put_hash(const struct tn_catalog_unit *u, uint64_t index,
                     struct tn_catalog_row *row, char hex[2 * TN_HASH_SIZE + 1])
{
    if (!u->digests)
        return;
    for (size_t i = 0; i < TN_HASH_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", u->digests[index][i]);
    tn_catalog_put_text(row, TN_CATALOG_SHA256, tn_bytes(hex, 2 * TN_HASH_SIZE));
}

static void put_statistics(const struct tn_catalog_unit *u, uint64_t index,
                           struct tn_catalog_row *row)
{
    if (index >= u->described)
        return;
    const struct tn_catalog_statistics *s = &u->statistics[index];
    tn_catalog_put_real(row, TN_CATALOG_MIN, s->min);
    tn_catalog_put_real(row, TN_CATALOG_MAX, s->max);
    tn_catalog_put_real(row, TN_CATALOG_MEAN, s->mean);
    tn_catalog_put_real(row, TN_CATALOG_DEVIATION, s->deviation);
    tn_catalog_put_number(row, TN_CATALOG_ZEROS, s->zeros);
    tn_catalog_put_number(row, TN_CATALOG_NANS, s->nans);
    tn_catalog_put_number(row, TN_CATALOG_INFINITIES, s->infinities);
}

static enum tn_status tell_tensor(struct tn_catalog_unit *u, uint64_t index,
                                  struct tn_arena        *arena,
                                  struct tn_catalog_sink *sink,
                                  struct tn_error        *error)
{
    const struct tn_tensor *t   = tn_model_tensor(u->model, index);
    struct tn_catalog_row   row = { .is_tensor = true };
    struct tn_block_info    blocks;
    char                    hex[2 * TN_HASH_SIZE + 1];

    put_head(u, &row);
    tn_catalog_put_text(&row, TN_CATALOG_FORMAT,
                        tn_text(tn_model_format(u->model)));
    tn_catalog_put_number(&row, TN_CATALOG_BYTES, tn_tensor_size(t));
    tn_catalog_put_number(&row, TN_CATALOG_TENSOR, index);
    tn_catalog_put_text(&row, TN_CATALOG_NAME,
                        show(arena, tn_tensor_name(t), error));
    tn_catalog_put_text(&row, TN_CATALOG_TYPE,
                        tn_text(tn_tensor_blocks(t, &blocks)
                                    ? blocks.name
                                    : tn_dtype_name(tn_tensor_dtype(t))));
    row.values[TN_CATALOG_SHAPE].kind       = TN_CATALOG_LIST;
    row.values[TN_CATALOG_SHAPE].list.items = tn_tensor_dims(t);
    row.values[TN_CATALOG_SHAPE].list.count = tn_tensor_rank(t);
    tn_catalog_put_number(&row, TN_CATALOG_ELEMENTS, tn_tensor_count(t));
    tn_catalog_put_text(&row, TN_CATALOG_ROLE,
                        tn_text(role_name(tn_tensor_role(t))));
    tn_catalog_put_text(&row, TN_CATALOG_STORAGE, tn_text(tn_tensor_storage(t)));
    tn_catalog_put_text(&row, TN_CATALOG_PLACE,
                        place_of(u, tn_tensor_file(t), arena, error));
    if (tn_tensor_offset(t) != TN_NOWHERE)
        tn_catalog_put_number(&row, TN_CATALOG_OFFSET, tn_tensor_offset(t));
    tn_catalog_put_number(&row, TN_CATALOG_STORED, tn_tensor_stored_size(t));
    put_hash(u, index, &row, hex);
    put_statistics(u, index, &row);
    if (!tn_failed(error))
        sink->ops->put(sink, &row, NULL, error);
    return error->status;
}

static enum tn_status tell_model(struct tn_catalog_unit       *u,
                                 const struct tn_catalog_work *work,
                                 struct tn_catalog_sink       *sink,
                                 struct tn_catalog_totals     *totals,
                                 struct tn_error              *error)
{
    uint64_t count = u->model ? tn_model_tensor_count(u->model) : 0;
    struct tn_catalog_row row;
    struct tn_arena       arena;

    file_row(u, work, &row, error);
    TN_TRY(error->status);
    totals->tensors += count;
    add(&totals->bytes, tn_catalog_number(&row, TN_CATALOG_BYTES));
    if (!sink)
        return TN_OK;
    TN_TRY(sink->ops->put(sink, &row, u->has_old ? &u->old : NULL, error));
    tn_arena_init(&arena, &u->memory);
    for (uint64_t i = 0; i < count && !tn_failed(error); i++) {
        tn_arena_rewind(&arena);
        tell_tensor(u, i, &arena, sink, error);
    }
    tn_arena_done(&arena);
    return error->status;
}

/* The row must belong to the file before it, and have the next number. */
static enum tn_status check_tensor(const struct tn_catalog_unit *u,
                                   const struct tn_catalog_row  *row,
                                   uint64_t number, uint64_t offset,
                                   struct tn_error *error)
{
    const struct tn_catalog_value *value = &row->values[TN_CATALOG_TENSOR];

    if (!tn_bytes_equal(tn_catalog_text(row, TN_CATALOG_FILE), u->shown))
        return tn_error_set(error, TN_MALFORMED, offset,
                            "the row of a tensor of another file");
    if (value->kind != TN_CATALOG_NUMBER || value->number != number)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "the rows of tensors are not numbered from 0 on");
    return TN_OK;
}

/* Rows of another catalog, as they are. */
static enum tn_status tell_lines(struct tn_catalog_unit   *u,
                                 struct tn_catalog_sink   *sink,
                                 struct tn_catalog_totals *totals,
                                 struct tn_error          *error)
{
    struct tn_arena       arena;
    struct tn_catalog_row row;
    struct tn_bytes       line;
    uint64_t              number = 0; /* of the next tensor */

    tn_arena_init(&arena, &u->memory);
    for (uint64_t at = u->lines_begin; at < u->lines_end && !tn_failed(error);
         at += line.size + 1) {
        tn_arena_rewind(&arena);
        if (!tn_catalog_line(u->lines, at, &line, error) ||
            tn_catalog_read(&row, &arena, line, at, error) != TN_OK ||
            (row.is_tensor &&
             check_tensor(u, &row, number++, at, error) != TN_OK)) {
            tn_error_file(error, u->path); /* not the target */
            break;
        }
        if (row.is_tensor)
            totals->tensors++;
        else
            add(&totals->bytes, tn_catalog_number(&row, TN_CATALOG_BYTES));
        if (sink)
            sink->ops->put(sink, &row,
                           !row.is_tensor && u->has_old ? &u->old : NULL,
                           error);
    }
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_catalog_tell(struct tn_catalog_unit       *u,
                               const struct tn_catalog_work *work,
                               struct tn_catalog_sink       *sink,
                               struct tn_catalog_totals     *totals,
                               struct tn_error              *error)
{
    if (u->lines)
        return tell_lines(u, sink, totals, error);
    return tell_model(u, work, sink, totals, error);
}
