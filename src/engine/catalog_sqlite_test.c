/* catalog_sqlite_test.c - a catalog as a database: made, changed, refused */
#define _GNU_SOURCE
#include "engine/catalog_sink_testing.h"

#include "io/sqlite.h"

static struct tn_sqlite sqlite;

static enum tn_status open_sink(struct tn_catalog_sink       **out,
                                const struct tn_catalog_place *place,
                                struct tn_error               *error)
{
    return tn_catalog_database(out, place, error);
}

static struct sqlite3 *open_database(const char *path)
{
    struct sqlite3 *db;

    assert_int_equal(sqlite.open_v2(path, &db, TN_SQLITE_READWRITE, NULL),
                     TN_SQLITE_OK);
    return db;
}

static void change(const char *sql)
{
    struct sqlite3 *db = open_database(target_path);

    if (sqlite.exec(db, sql, NULL, NULL, NULL) != TN_SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite.errmsg(db));
    sqlite.close_v2(db);
}

/* Rows of tensors are counted, not what the file says of itself. */
static void read_catalog(const char *path, char *to, size_t room)
{
    struct sqlite3      *db = open_database(path);
    struct sqlite3_stmt *s;
    size_t               used = 0;

    assert_int_equal(sqlite.prepare_v2(
                         db,
                         "SELECT file || ':' || etag || '/' || (SELECT "
                         "count(*) FROM tensors AS t WHERE t.file = f.file "
                         "AND t.shape = '[2,3]') FROM files AS f ORDER BY file",
                         -1, &s, NULL),
                     TN_SQLITE_OK);
    while (sqlite.step(s) == TN_SQLITE_ROW)
        used += (size_t)snprintf(to + used, room - used, "%s ",
                                 (const char *)sqlite.column_text(s, 0));
    sqlite.finalize(s);
    sqlite.close_v2(db);
}

/* Databases that are not ours, or no longer. */
static void test_others(void **state)
{
    static const char *const changes[] = {
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 99",
        "DROP TABLE tensor",
        "ALTER TABLE files RENAME COLUMN etag TO e",
    };
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        assert_int_equal(run(first, 3, false, true, &error), TN_OK);
        change(changes[i]);
        run(first, 3, false, false, &error);
        if (!tn_failed(&error))
            fail_msg("%s: was not noticed", changes[i]);
        tn_error_clear(&error);
    }
}

/* A trigger of a stranger does not run. */
static void test_trigger(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(run(first, 2, false, false, &error), TN_OK);
    change("CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM files; "
           "END");
    if (run(first, 3, false, false, &error) == TN_OK)
        expect("a:1/2 b:1/0 c d:1/1 ", 2, 1, 0);
}

/* The rows of a file are there together: those of one that was being written
 * are not. */
static void test_whole_files(void **state)
{
    struct tn_error               error  = TN_ERROR_INIT;
    struct tn_target              target = { .path = target_path };
    const struct tn_catalog_place place  = { .memory = &memory,
                                             .target = &target,
                                             .form   = TN_CATALOG_SQLITE };
    struct tn_catalog_row         row    = { 0 };
    struct tn_catalog_old         old;
    struct tn_catalog_sink       *sink;

    (void)state;
    assert_int_equal(run(first, 1, false, false, &error), TN_OK);
    assert_int_equal(open_sink(&sink, &place, &error), TN_OK);
    assert_true(sink->ops->old(sink, &old, &error));
    tn_catalog_put_text(&row, TN_CATALOG_FILE, tn_text("b"));
    tn_catalog_put_text(&row, TN_CATALOG_ETAG, tn_text("1"));
    tn_catalog_put_text(&row, TN_CATALOG_STATUS, tn_text("ok"));
    assert_int_equal(sink->ops->put(sink, &row, NULL, &error), TN_OK);
    sink->ops->close(sink);
    expect("a:1/2 ", 0, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SINK_TESTS,
        SINK_TEST(test_others),
        SINK_TEST(test_trigger),
        SINK_TEST(test_whole_files),
    };
    struct tn_error error = TN_ERROR_INIT;

    if (tn_sqlite_load(&sqlite, &error) != TN_OK) {
        printf("%s\n", error.what);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
