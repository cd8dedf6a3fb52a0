/* sqlite_test.c - our numbers are SQLite's, where its header is there */
#include "io/sqlite.h"

#include <stdlib.h>

#include "support/hostile.h"

#if defined(__has_include)
#if __has_include(<sqlite3.h>)
#include <sqlite3.h>

#define SAME(name) _Static_assert((int)TN_SQLITE_##name == SQLITE_##name, #name)

SAME(OK);
SAME(PERM);
SAME(BUSY);
SAME(LOCKED);
SAME(NOMEM);
SAME(READONLY);
SAME(IOERR);
SAME(CORRUPT);
SAME(FULL);
SAME(CANTOPEN);
SAME(NOTADB);
SAME(ROW);
SAME(DONE);
SAME(NULL);
#define SAME_OPEN(name)                                                        \
    _Static_assert((int)TN_SQLITE_##name == SQLITE_OPEN_##name, #name)
SAME_OPEN(READWRITE);
SAME_OPEN(CREATE);
SAME_OPEN(NOMUTEX);
SAME_OPEN(PRIVATECACHE);
#define SAME_CONFIG(name)                                                      \
    _Static_assert((int)TN_SQLITE_##name == SQLITE_DBCONFIG_##name, #name)
SAME_CONFIG(ENABLE_TRIGGER);
SAME_CONFIG(DEFENSIVE);
SAME_CONFIG(TRUSTED_SCHEMA);
#endif
#endif

static void test_missing(void **state)
{
    struct tn_sqlite sqlite;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    setenv("TENON_LIBSQLITE3", "/nowhere/libsqlite3.so", 1);
    assert_int_equal(tn_sqlite_load(&sqlite, &error), TN_UNSUPPORTED);
    assert_non_null(strstr(error.what, "libsqlite3-0"));
    unsetenv("TENON_LIBSQLITE3");
}

static void test_there(void **state)
{
    struct tn_sqlite sqlite;
    struct tn_error  error = TN_ERROR_INIT;
    struct sqlite3  *db    = NULL;

    (void)state;
    if (tn_sqlite_load(&sqlite, &error) != TN_OK)
        skip();
    assert_int_equal(sqlite.open_v2(":memory:", &db,
                                    TN_SQLITE_READWRITE | TN_SQLITE_CREATE,
                                    NULL),
                     TN_SQLITE_OK);
    assert_int_equal(sqlite.exec(db, "create table a(b)", NULL, NULL, NULL),
                     TN_SQLITE_OK);
    sqlite.close_v2(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_missing),
                                        cmocka_unit_test(test_there) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
