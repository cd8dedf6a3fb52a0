/* sqlite.c - loads SQLite when the first database is opened */
#include "io/sqlite.h"

#include <stdlib.h>

#include "io/library.h"

static enum tn_status refuse(const char *why, struct tn_error *error)
{
    return tn_error_set(
        error, TN_UNSUPPORTED, TN_NOWHERE,
        "SQLite databases need libsqlite3, which could not be loaded "
        "(%.200s); Debian and Ubuntu have it in the package libsqlite3-0, and "
        "$TENON_LIBSQLITE3 can name the library; .ndjson and .arrow need no "
        "library",
        why ? why : "unknown error");
}

enum tn_status tn_sqlite_load(struct tn_sqlite *sqlite, struct tn_error *error)
{
    const char *named   = getenv("TENON_LIBSQLITE3");
    void       *library = dlopen(named && named[0] ? named : "libsqlite3.so.0",
                                 RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return refuse(dlerror(), error);
#define FIND(name) tn_library_find(library, "sqlite3_" #name, &sqlite->name)
    bool has_all = FIND(open_v2) && FIND(close_v2) && FIND(exec) &&
                   FIND(prepare_v2) && FIND(step) && FIND(reset) &&
                   FIND(clear_bindings) && FIND(finalize) &&
                   FIND(bind_int64) && FIND(bind_double) &&
                   FIND(bind_text64) && FIND(column_int64) &&
                   FIND(column_text) && FIND(column_bytes) &&
                   FIND(last_insert_rowid) && FIND(extended_errcode) &&
                   FIND(errmsg) && FIND(busy_timeout) && FIND(db_config);
#undef FIND
    return has_all ? TN_OK : refuse("version 3.8.7 or newer is needed", error);
}
