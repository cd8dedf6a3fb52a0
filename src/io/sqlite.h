/*
 * sqlite.h - the part of SQLite that is used, loaded when it is needed
 *
 * The functions and numbers are SQLite's ABI, which version 3 has kept since
 * 2004; a test compares them with <sqlite3.h> where that is installed.
 * Declared here so that no build needs SQLite, and no start of a program loads
 * it.
 */
#ifndef TN_IO_SQLITE_H
#define TN_IO_SQLITE_H

#include "base/error.h"

enum tn_sqlite_number {
    TN_SQLITE_OK           = 0,
    TN_SQLITE_PERM         = 3,
    TN_SQLITE_BUSY         = 5,
    TN_SQLITE_LOCKED       = 6,
    TN_SQLITE_NOMEM        = 7,
    TN_SQLITE_READONLY     = 8,
    TN_SQLITE_IOERR        = 10,
    TN_SQLITE_CORRUPT      = 11,
    TN_SQLITE_FULL         = 13,
    TN_SQLITE_CANTOPEN     = 14,
    TN_SQLITE_NOTADB       = 26,
    TN_SQLITE_ROW          = 100,
    TN_SQLITE_DONE         = 101,
    TN_SQLITE_NULL         = 5,
    TN_SQLITE_READWRITE    = 2,
    TN_SQLITE_CREATE       = 4,
    TN_SQLITE_NOMUTEX      = 0x8000,
    TN_SQLITE_PRIVATECACHE = 0x40000,
    /* of sqlite3_db_config() */
    TN_SQLITE_ENABLE_TRIGGER = 1003,
    TN_SQLITE_DEFENSIVE      = 1010,
    TN_SQLITE_TRUSTED_SCHEMA = 1017,
};

struct sqlite3;
struct sqlite3_stmt;

struct tn_sqlite {
    int (*open_v2)(const char *path, struct sqlite3 **db, int flags,
                   const char *vfs);
    int (*close_v2)(struct sqlite3 *db);
    int (*exec)(struct sqlite3 *db, const char *sql, void *callback,
                void *context, char **message);
    int (*prepare_v2)(struct sqlite3 *db, const char *sql, int size,
                      struct sqlite3_stmt **statement, const char **tail);
    int (*step)(struct sqlite3_stmt *statement);
    int (*reset)(struct sqlite3_stmt *statement);
    int (*clear_bindings)(struct sqlite3_stmt *statement);
    int (*finalize)(struct sqlite3_stmt *statement);
    int (*bind_int64)(struct sqlite3_stmt *statement, int index,
                      int64_t value);
    int (*bind_double)(struct sqlite3_stmt *statement, int index,
                       double value);
    int (*bind_text64)(struct sqlite3_stmt *statement, int index,
                       const char *text, uint64_t size,
                       void (*destroy)(void *), unsigned char encoding);
    int64_t (*column_int64)(struct sqlite3_stmt *statement, int index);
    const unsigned char *(*column_text)(struct sqlite3_stmt *statement,
                                        int                  index);
    int (*column_bytes)(struct sqlite3_stmt *statement, int index);
    int64_t (*last_insert_rowid)(struct sqlite3 *db);
    int (*extended_errcode)(struct sqlite3 *db);
    const char *(*errmsg)(struct sqlite3 *db);
    int (*busy_timeout)(struct sqlite3 *db, int milliseconds);
    int (*db_config)(struct sqlite3 *db, int what, ...);
};

/* Loads libsqlite3.so.0, or what $TENON_LIBSQLITE3 names.  It stays loaded.
 * UNSUPPORTED if there is none. */
enum tn_status tn_sqlite_load(struct tn_sqlite *sqlite, struct tn_error *error);

#endif
