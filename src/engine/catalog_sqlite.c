/*
 * catalog_sqlite.c - a catalog as a SQLite database
 *
 *   files     a row per file
 *   tensor    a row per tensor, which has the id of its file
 *   tensors   a view: the rows of tensors with path, ETag and format
 *   stored    a view: one row for each place where elements are stored, so that
 *             sums are right where an index names tensors of other files
 *
 * A new database is made as TARGET.part and gets its name when it is complete.
 * One that is there is changed in place.  In both, rows are committed every few
 * files, all rows of a file at once: a process that is killed loses what it did
 * since the last commit, and readers see whole files.
 *
 * The database may come from a stranger: triggers are off, the schema has to be
 * ours, and its functions are not trusted.  SQLite's memory is its own; it has
 * a cache of 2 MB.
 */
#include <tenon/writer.h>

#include <inttypes.h>
#include <stdio.h>

#include "engine/catalog_sink.h"
#include "io/path.h"
#include "io/sqlite.h"

/* "TNCA" */
#define APPLICATION 0x544e4341
#define VERSION     1

/* Rows, files and bytes that were read between commits. */
#define COMMIT_ROWS  20000
#define COMMIT_FILES 256
#define COMMIT_BYTES (UINT64_C(1) << 30)

/* Files of an earlier run that are taken at a time. */
#define PAGE 256

/* Waits for readers, in milliseconds. */
#define PATIENCE 60000

struct database {
    struct tn_catalog_sink  sink; /* first                                    */
    struct tn_memory       *memory;
    struct tn_arena         arena;
    struct tn_catalog_place place;
    const char             *work, *lock; /* work NULL: changed in place       */
    int                     claim;
    struct tn_sqlite        sqlite;
    struct sqlite3         *db;
    struct sqlite3_stmt    *page, *put_file, *put_tensor, *drop_file,
        *drop_tensors;
    struct tn_arena        page_arena;
    struct tn_catalog_old *olds;
    uint32_t               old_count, old_next;
    bool                   is_over; /* there are no further files             */
    struct tn_bytes        last;    /* of the page before; in last_arena      */
    struct tn_arena        last_arena;
    bool                   has_begun; /* a transaction                        */
    bool                   is_inside; /* of the rows of a file                */
    uint64_t               rows, files, bytes; /* in it                       */
    int64_t                file_id;
};

static enum tn_status fail(struct database *d, int code, const char *doing,
                           struct tn_error *error)
{
    const char *text = d->db ? d->sqlite.errmsg(d->db) : "out of memory";
    enum tn_status status = TN_IO;

    switch (code & 0xff) {
    case TN_SQLITE_BUSY:
    case TN_SQLITE_LOCKED:
        return tn_error_because(error, TN_BUSY, TN_REASON_TARGET_BUSY,
                                TN_NOWHERE, "cannot %s %.300s: %.200s", doing,
                                d->place.target->path, text);
    case TN_SQLITE_NOMEM: status = TN_NO_MEMORY; break;
    case TN_SQLITE_CORRUPT:
    case TN_SQLITE_NOTADB: status = TN_MALFORMED; break;
    default: break;
    }
    return tn_error_set(error, status, TN_NOWHERE, "cannot %s %.300s: %.200s",
                        doing, d->place.target->path, text);
}

static enum tn_status run(struct database *d, const char *sql,
                          struct tn_error *error)
{
    int code = d->sqlite.exec(d->db, sql, NULL, NULL, NULL);

    return code == TN_SQLITE_OK ? TN_OK : fail(d, code, "write", error);
}

static enum tn_status prepare(struct database *d, struct sqlite3_stmt **to,
                              const char *sql, struct tn_error *error)
{
    int code = d->sqlite.prepare_v2(d->db, sql, -1, to, NULL);

    return code == TN_SQLITE_OK ? TN_OK : fail(d, code, "use", error);
}

/* A statement that returns no rows. */
static enum tn_status step(struct database *d, struct sqlite3_stmt *statement,
                           struct tn_error *error)
{
    int code = d->sqlite.step(statement);

    d->sqlite.reset(statement);
    d->sqlite.clear_bindings(statement);
    return code == TN_SQLITE_DONE ? TN_OK : fail(d, code, "write", error);
}

/* ---- the schema ----------------------------------------------------------- */

static const char *sql_type(enum tn_catalog_kind kind)
{
    return kind == TN_CATALOG_NUMBER ? "INTEGER"
           : kind == TN_CATALOG_REAL ? "REAL"
                                     : "TEXT";
}

/* Columns of the table of files, or those of tensors that are their own. */
static bool is_in(int column, bool of_tensors)
{
    unsigned rows = tn_catalog_about[column].rows;

    if (!of_tensors)
        return rows & TN_OF_FILE;
    return rows == TN_OF_TENSOR || column == TN_CATALOG_BYTES;
}

static void add_columns(struct tn_buffer *sql, bool of_tensors)
{
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++) {
        const struct tn_catalog_about *about = &tn_catalog_about[i];
        if (is_in(i, of_tensors))
            tn_buffer_format(sql, ", \"%s\" %s%s", about->name,
                             sql_type(about->kind),
                             i == TN_CATALOG_FILE     ? " NOT NULL UNIQUE"
                             : i == TN_CATALOG_TENSOR ? " NOT NULL"
                                                      : "");
    }
}

static void add_view(struct tn_buffer *sql)
{
    tn_buffer_text(sql, "CREATE VIEW tensors AS SELECT f.file AS file, f.etag "
                        "AS etag, f.format AS format");
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++)
        if (is_in(i, true))
            tn_buffer_format(sql, ", t.\"%s\" AS \"%s\"",
                             tn_catalog_about[i].name,
                             tn_catalog_about[i].name);
    tn_buffer_text(sql, " FROM files AS f JOIN tensor AS t ON t.file_id = "
                        "f.id");
}

static void add_stored(struct tn_buffer *sql)
{
    tn_buffer_text(sql, "CREATE VIEW stored AS SELECT min(file) AS file");
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++)
        if (i != TN_CATALOG_FILE && tn_catalog_about[i].rows & TN_OF_TENSOR)
            tn_buffer_format(sql, ", \"%s\"", tn_catalog_about[i].name);
    tn_buffer_text(sql,
                   " FROM tensors GROUP BY place, \"offset\", CASE WHEN "
                   "\"offset\" IS NULL THEN file END, CASE WHEN \"offset\" IS "
                   "NULL THEN tensor END");
}

enum { OBJECTS = 4 };
static const char *const object_names[OBJECTS] = { "files", "tensor", "tensors",
                                                   "stored" };

/* The statement that makes one of them, as the database remembers it. */
static void make_sql(struct tn_buffer *sql, int object)
{
    tn_buffer_clear(sql);
    if (object == 0) {
        tn_buffer_text(sql, "CREATE TABLE files(id INTEGER PRIMARY KEY");
        add_columns(sql, false);
        tn_buffer_text(sql, ")");
    } else if (object == 1) {
        tn_buffer_text(sql, "CREATE TABLE tensor(file_id INTEGER NOT NULL");
        add_columns(sql, true);
        tn_buffer_text(sql, ", PRIMARY KEY(file_id, tensor)) WITHOUT ROWID");
    } else if (object == 2)
        add_view(sql);
    else
        add_stored(sql);
}

static enum tn_status make_schema(struct database *d, struct tn_error *error)
{
    struct tn_buffer sql;
    char             head[128];

    snprintf(head, sizeof head,
             "BEGIN IMMEDIATE; PRAGMA application_id = %d; "
             "PRAGMA user_version = %d;",
             APPLICATION, VERSION);
    TN_TRY(run(d, head, error));
    tn_buffer_init(&sql, d->memory, error);
    for (int i = 0; i < OBJECTS && !tn_failed(error); i++) {
        make_sql(&sql, i);
        const char *text = tn_buffer_string(&sql);
        if (!tn_failed(error))
            run(d, text, error);
    }
    tn_buffer_done(&sql);
    return tn_failed(error) ? error->status : run(d, "COMMIT", error);
}

/* A number that a statement returns; -1 if there is none. */
static enum tn_status ask(struct database *d, const char *sql, int64_t *number,
                          struct tn_error *error)
{
    struct sqlite3_stmt *statement;

    *number = -1;
    TN_TRY(prepare(d, &statement, sql, error));
    int code = d->sqlite.step(statement);
    if (code == TN_SQLITE_ROW)
        *number = d->sqlite.column_int64(statement, 0);
    else if (code != TN_SQLITE_DONE)
        fail(d, code, "read", error);
    d->sqlite.finalize(statement);
    return error->status;
}

/* Whether one of our tables and views is what we would make. */
static bool is_ours(struct database *d, int object, struct tn_error *error)
{
    struct sqlite3_stmt *statement;
    struct tn_buffer     sql;
    bool                 is_equal = false;

    if (prepare(d, &statement, "SELECT sql FROM sqlite_master WHERE name = ?1",
                error) != TN_OK)
        return false;
    tn_buffer_init(&sql, d->memory, error);
    make_sql(&sql, object);
    const char *name = object_names[object];
    d->sqlite.bind_text64(statement, 1, name, strlen(name), NULL, 1);
    int code = d->sqlite.step(statement);
    if (code == TN_SQLITE_ROW) {
        const unsigned char *text = d->sqlite.column_text(statement, 0);
        is_equal = text && tn_bytes_equal(
                               tn_buffer_bytes(&sql),
                               tn_bytes(text, (size_t)d->sqlite.column_bytes(
                                                  statement, 0)));
    } else if (code != TN_SQLITE_DONE)
        fail(d, code, "read", error);
    tn_buffer_done(&sql);
    d->sqlite.finalize(statement);
    return is_equal && !tn_failed(error);
}

/* Makes the schema of an empty database, or checks the one that is there. */
static enum tn_status take_schema(struct database *d, struct tn_error *error)
{
    int64_t application, version, objects;

    TN_TRY(ask(d, "SELECT count(*) FROM sqlite_master", &objects, error));
    if (objects == 0)
        return make_schema(d, error);
    TN_TRY(ask(d, "PRAGMA application_id", &application, error));
    TN_TRY(ask(d, "PRAGMA user_version", &version, error));
    bool is_known = application == APPLICATION && version == VERSION;
    for (int i = 0; i < OBJECTS && is_known; i++)
        is_known = is_ours(d, i, error);
    TN_TRY(error->status);
    if (!is_known)
        return tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                                TN_NOWHERE,
                                "%.300s exists, and is not a catalog of this "
                                "version",
                                d->place.target->path);
    return TN_OK;
}

/* ---- statements ----------------------------------------------------------- */

static enum tn_status prepare_put(struct database *d, bool of_tensors,
                                  struct sqlite3_stmt **to,
                                  struct tn_error      *error)
{
    struct tn_buffer sql;
    int              count = 1;

    tn_buffer_init(&sql, d->memory, error);
    tn_buffer_text(&sql, of_tensors ? "INSERT INTO tensor(file_id"
                                    : "INSERT OR REPLACE INTO files(id");
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++)
        if (is_in(i, of_tensors)) {
            tn_buffer_format(&sql, ", \"%s\"", tn_catalog_about[i].name);
            count++;
        }
    tn_buffer_text(&sql, ") VALUES(?1");
    for (int i = 2; i <= count; i++)
        tn_buffer_format(&sql, ", ?%d", i);
    tn_buffer_text(&sql, ")");
    const char *text = tn_buffer_string(&sql);
    if (!tn_failed(error))
        prepare(d, to, text, error);
    tn_buffer_done(&sql);
    return error->status;
}

static enum tn_status prepare_all(struct database *d, struct tn_error *error)
{
    TN_TRY(prepare(d, &d->page,
                   "SELECT id, file, etag, made_by, status, parts, tensors, "
                   "bytes FROM files WHERE file > ?1 ORDER BY file LIMIT ?2",
                   error));
    TN_TRY(prepare(d, &d->drop_file, "DELETE FROM files WHERE id = ?1",
                   error));
    TN_TRY(prepare(d, &d->drop_tensors, "DELETE FROM tensor WHERE file_id = ?1",
                   error));
    TN_TRY(prepare_put(d, false, &d->put_file, error));
    return prepare_put(d, true, &d->put_tensor, error);
}

static void finalize_all(struct database *d)
{
    struct sqlite3_stmt **all[] = { &d->page, &d->put_file, &d->put_tensor,
                                    &d->drop_file, &d->drop_tensors };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (*all[i])
            d->sqlite.finalize(*all[i]);
        *all[i] = NULL;
    }
}

static void close_database(struct database *d)
{
    finalize_all(d);
    if (d->db)
        d->sqlite.close_v2(d->db);
    d->db = NULL;
}

/* ---- opening -------------------------------------------------------------- */

static enum tn_status open_at(struct database *d, const char *path,
                              struct tn_error *error)
{
    /* A name such as ":memory:" is a file here. */
    const char *plain =
        tn_text_format(&d->arena, error, "%s%s", path[0] == '/' ? "" : "./",
                       path);

    if (!plain)
        return error->status;
    int code = d->sqlite.open_v2(plain, &d->db,
                                 TN_SQLITE_READWRITE | TN_SQLITE_CREATE |
                                     TN_SQLITE_NOMUTEX |
                                     TN_SQLITE_PRIVATECACHE,
                                 NULL);
    if (code != TN_SQLITE_OK)
        return fail(d, code, "open", error);
    d->sqlite.busy_timeout(d->db, PATIENCE);
    d->sqlite.db_config(d->db, TN_SQLITE_DEFENSIVE, 1, NULL);
    d->sqlite.db_config(d->db, TN_SQLITE_TRUSTED_SCHEMA, 0, NULL);
    d->sqlite.db_config(d->db, TN_SQLITE_ENABLE_TRIGGER, 0, NULL);
    TN_TRY(run(d, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", error));
    /* An incomplete database need not be safe on disk. */
    if (d->work && !d->place.target->is_durable)
        TN_TRY(run(d, "PRAGMA synchronous = OFF", error));
    TN_TRY(take_schema(d, error));
    return prepare_all(d, error);
}

static enum tn_status remove_work(struct database *d, struct tn_error *error)
{
    const char *journal =
        tn_text_format(&d->arena, error, "%s-journal", d->work);

    if (!journal)
        return error->status;
    TN_TRY(tn_path_remove(d->work, error));
    return tn_path_remove(journal, error);
}

/* What an interrupted run left is used if it is good, and thrown away if not. */
static enum tn_status open_work(struct database *d, struct tn_error *error)
{
    struct tn_error own = TN_ERROR_INIT;

    if (d->place.target->can_replace)
        TN_TRY(remove_work(d, error));
    if (open_at(d, d->work, &own) == TN_OK)
        return TN_OK;
    close_database(d);
    if (own.status != TN_MALFORMED && own.status != TN_EXISTS) {
        *error = own;
        return own.status;
    }
    TN_TRY(remove_work(d, error));
    return open_at(d, d->work, error);
}

static enum tn_status database_open(struct database *d, struct tn_error *error)
{
    const char *path = d->place.target->path;

    if (path == tn_to_writer() || strcmp(path, "-") == 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a SQLite database is a file: name it");
    TN_TRY(tn_sqlite_load(&d->sqlite, error));
    d->lock = tn_text_format(&d->arena, error, "%s.lock", path);
    if (!d->lock)
        return error->status;
    TN_TRY(tn_path_claim(d->lock, path, &d->claim, error));
    if (tn_path_exists(path) && !d->place.target->can_replace) {
        struct tn_error own = TN_ERROR_INIT;
        open_at(d, path, &own);
        if (own.status == TN_MALFORMED && !d->put_file)
            tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                             TN_NOWHERE, "%.300s exists, and is not a catalog",
                             path);
        else if (tn_failed(&own))
            *error = own;
        return error->status;
    }
    d->work = tn_catalog_work(&d->arena, path, error);
    return d->work ? open_work(d, error) : error->status;
}

/* ---- what is there -------------------------------------------------------- */

static struct tn_bytes column(struct database *d, int index,
                              struct tn_error *error)
{
    const unsigned char *text = d->sqlite.column_text(d->page, index);
    int                  size = d->sqlite.column_bytes(d->page, index);

    return tn_bytes_dup(&d->page_arena,
                        tn_bytes(text, text && size > 0 ? (size_t)size : 0),
                        error);
}

static enum tn_status read_page(struct database *d, struct tn_error *error)
{
    int code;

    tn_arena_rewind(&d->page_arena);
    d->old_count = d->old_next = 0;
    d->olds = tn_new(&d->page_arena, struct tn_catalog_old, PAGE, error);
    if (!d->olds)
        return error->status;
    d->sqlite.bind_text64(d->page, 1,
                          d->last.size ? (const char *)d->last.data : "",
                          d->last.size, NULL, 1);
    d->sqlite.bind_int64(d->page, 2, PAGE);
    while ((code = d->sqlite.step(d->page)) == TN_SQLITE_ROW &&
           d->old_count < PAGE && !tn_failed(error)) {
        struct tn_catalog_old *old = &d->olds[d->old_count++];
        old->mark    = (uint64_t)d->sqlite.column_int64(d->page, 0);
        old->path    = column(d, 1, error);
        old->etag    = column(d, 2, error);
        old->made_by = column(d, 3, error);
        old->status  = column(d, 4, error);
        old->parts   = column(d, 5, error);
        old->tensors = (uint64_t)d->sqlite.column_int64(d->page, 6);
        old->bytes   = (uint64_t)d->sqlite.column_int64(d->page, 7);
    }
    if (code != TN_SQLITE_DONE && code != TN_SQLITE_ROW)
        fail(d, code, "read", error);
    d->sqlite.reset(d->page);
    TN_TRY(error->status);
    d->is_over = d->old_count < PAGE;
    if (d->old_count) {
        struct tn_bytes last = d->olds[d->old_count - 1].path;
        if (tn_bytes_compare(last, d->last) <= 0 && d->last.size)
            return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                                "%.300s is damaged: files are not in order",
                                d->place.target->path);
        tn_arena_rewind(&d->last_arena);
        d->last = tn_bytes_dup(&d->last_arena, last, error);
    }
    return error->status;
}

static bool database_old(struct tn_catalog_sink *sink,
                         struct tn_catalog_old *old, struct tn_error *error)
{
    struct database *d = (struct database *)sink;

    if (d->old_next == d->old_count) {
        if (d->is_over || read_page(d, error) != TN_OK)
            return false;
        if (d->old_count == 0)
            return false;
    }
    *old = d->olds[d->old_next++];
    return true;
}

/* ---- rows ----------------------------------------------------------------- */

static enum tn_status begin(struct database *d, struct tn_error *error)
{
    if (d->has_begun)
        return TN_OK;
    TN_TRY(run(d, "BEGIN IMMEDIATE", error));
    d->has_begun = true;
    return TN_OK;
}

static enum tn_status commit(struct database *d, struct tn_error *error)
{
    if (!d->has_begun)
        return TN_OK;
    d->has_begun = false;
    d->rows = d->files = d->bytes = 0;
    return run(d, "COMMIT", error);
}

static void bind(struct database *d, struct sqlite3_stmt *s, int index,
                 const struct tn_catalog_value *value, struct tn_buffer *text)
{
    switch (value->kind) {
    case TN_CATALOG_NONE: break;
    case TN_CATALOG_TEXT:
        d->sqlite.bind_text64(
            s, index, value->text.size ? (const char *)value->text.data : "",
            value->text.size, NULL, 1);
        break;
    case TN_CATALOG_NUMBER: /* SQLite's integers are signed */
        if (value->number <= INT64_MAX)
            d->sqlite.bind_int64(s, index, (int64_t)value->number);
        else
            d->sqlite.bind_double(s, index, (double)value->number);
        break;
    case TN_CATALOG_REAL: d->sqlite.bind_double(s, index, value->real); break;
    case TN_CATALOG_LIST: /* as JSON */
        tn_buffer_clear(text);
        for (uint32_t i = 0; i < value->list.count; i++)
            tn_buffer_format(text, "%s%" PRIu64, i ? "," : "[",
                             value->list.items[i]);
        tn_buffer_text(text, value->list.count ? "]" : "[]");
        d->sqlite.bind_text64(s, index, (const char *)text->data, text->size,
                              NULL, 1);
        break;
    }
}

static enum tn_status drop_tensors(struct database *d, int64_t id,
                                   struct tn_error *error)
{
    d->sqlite.bind_int64(d->drop_tensors, 1, id);
    return step(d, d->drop_tensors, error);
}

static enum tn_status database_put(struct tn_catalog_sink      *sink,
                                   const struct tn_catalog_row *row,
                                   const struct tn_catalog_old *old,
                                   struct tn_error             *error)
{
    struct database     *d = (struct database *)sink;
    struct sqlite3_stmt *s = row->is_tensor ? d->put_tensor : d->put_file;
    struct tn_buffer     text;
    int                  index = 1;

    TN_TRY(begin(d, error));
    d->is_inside = true;
    if (!row->is_tensor && old)
        TN_TRY(drop_tensors(d, (int64_t)old->mark, error));
    tn_buffer_init(&text, d->memory, error);
    if (row->is_tensor)
        d->sqlite.bind_int64(s, 1, d->file_id);
    else if (old)
        d->sqlite.bind_int64(s, 1, (int64_t)old->mark);
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++)
        if (is_in(i, row->is_tensor))
            bind(d, s, ++index, &row->values[i], &text);
    step(d, s, error);
    tn_buffer_done(&text);
    if (!row->is_tensor)
        d->file_id = d->sqlite.last_insert_rowid(d->db);
    d->rows++;
    return error->status;
}

static enum tn_status database_keep(struct tn_catalog_sink      *sink,
                                    const struct tn_catalog_old *old,
                                    struct tn_error             *error)
{
    (void)sink;
    (void)old;
    (void)error;
    return TN_OK;
}

static enum tn_status database_remove(struct tn_catalog_sink      *sink,
                                      const struct tn_catalog_old *old,
                                      struct tn_error             *error)
{
    struct database *d = (struct database *)sink;

    TN_TRY(begin(d, error));
    TN_TRY(drop_tensors(d, (int64_t)old->mark, error));
    d->sqlite.bind_int64(d->drop_file, 1, (int64_t)old->mark);
    d->rows++;
    return step(d, d->drop_file, error);
}

static enum tn_status database_end(struct tn_catalog_sink *sink, uint64_t read,
                                   struct tn_error *error)
{
    struct database *d = (struct database *)sink;

    d->is_inside = false;
    d->files++;
    d->bytes += read;
    if (d->rows < COMMIT_ROWS && d->files < COMMIT_FILES &&
        d->bytes < COMMIT_BYTES)
        return TN_OK;
    return commit(d, error);
}

/* A journal that a killed process left, of a database that was there before:
 * SQLite would play it back into the new one. */
static enum tn_status remove_journals(struct database *d,
                                      struct tn_error *error)
{
    static const char *const suffixes[] = { "-journal", "-wal", "-shm" };

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const char *path = tn_text_format(&d->arena, error, "%s%s",
                                          d->place.target->path, suffixes[i]);
        if (!path)
            return error->status;
        TN_TRY(tn_path_remove(path, error));
    }
    return TN_OK;
}

static enum tn_status database_finish(struct tn_catalog_sink *sink,
                                      struct tn_error        *error)
{
    struct database *d = (struct database *)sink;

    TN_TRY(commit(d, error));
    if (!d->work)
        return TN_OK;
    finalize_all(d);
    int code = d->sqlite.close_v2(d->db);
    if (code != TN_SQLITE_OK)
        return fail(d, code, "close", error);
    d->db = NULL;
    TN_TRY(remove_journals(d, error));
    return tn_path_rename(d->work, d->place.target->path,
                          d->place.target->is_durable, error);
}

static void database_close(struct tn_catalog_sink *sink)
{
    struct database *d       = (struct database *)sink;
    struct tn_error  ignored = TN_ERROR_INIT;

    if (d->has_begun) { /* whole files alone */
        d->has_begun = false;
        (void)run(d, d->is_inside ? "ROLLBACK" : "COMMIT", &ignored);
    }
    close_database(d);
    tn_path_release(d->lock, d->claim);
    tn_arena_done(&d->page_arena);
    tn_arena_done(&d->last_arena);
    tn_arena_done(&d->arena);
    tn_memory_free(d->memory, d, sizeof *d);
}

enum tn_status tn_catalog_database(struct tn_catalog_sink       **out,
                                   const struct tn_catalog_place *place,
                                   struct tn_error               *error)
{
    static const struct tn_catalog_sink_ops ops = {
        database_old, database_keep,   database_put,  database_remove,
        database_end, database_finish, database_close
    };
    struct database *d =
        tn_memory_resize(place->memory, NULL, 0, sizeof *d, error);

    *out = NULL;
    if (!d)
        return error->status;
    *d = (struct database){ .sink   = { &ops },
                            .memory = place->memory,
                            .place  = *place,
                            .claim  = -1 };
    tn_arena_init(&d->arena, place->memory);
    tn_arena_init(&d->page_arena, place->memory);
    tn_arena_init(&d->last_arena, place->memory);
    if (database_open(d, error) == TN_OK)
        *out = &d->sink;
    else
        database_close(&d->sink);
    return error->status;
}
