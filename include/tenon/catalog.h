/*
 * catalog.h - one row per file and one per tensor, for many models at once
 *
 * The rows of a catalog go to a SQLite database, to lines of JSON, or to Arrow
 * IPC.  docs/fleet.md lists the columns and has queries.
 */
#ifndef TENON_CATALOG_H
#define TENON_CATALOG_H

#include <tenon/verbs.h>

enum tn_catalog_form {
    TN_CATALOG_BY_NAME, /* by the suffix of the target; "-": lines of JSON    */
    TN_CATALOG_SQLITE,  /* .sqlite .sqlite3 .db                               */
    TN_CATALOG_NDJSON,  /* .ndjson .jsonl                                     */
    TN_CATALOG_ARROW,   /* .arrow .feather: the file form                     */
    TN_CATALOG_ARROW_STREAM, /* .arrows                                       */
};

/* A file that was looked at. */
struct tn_catalog_file {
    const char *path;   /* as it is in the catalog                            */
    const char *status; /* "ok", "other" (not a model), "named" (not opened),
                           or what is wrong: tn_status_name()                 */
    const char *error;  /* one line; "" if there is none                      */
    bool        is_kept; /* its rows were there already                       */
};
typedef void tn_on_catalog_file(void                         *context,
                                const struct tn_catalog_file *file);

struct tn_catalog_options {
    size_t               size; /* options.h: how structs of options grow      */
    enum tn_catalog_form form;
    bool     wants_hashes;     /* of every tensor: tn_tensor_hash()           */
    bool     wants_statistics; /* of every tensor: statistics.h               */
    bool     wants_scan;       /* of every file: scan.h                       */
    bool     only_names; /* paths, ETags and sizes: no file is opened         */
    unsigned jobs; /* files at a time; 0: one per core, never more than 8     */
    tn_on_catalog_file *on_file; /* in the order of the catalog; NULL: none   */
    void               *context;
};
#define TN_CATALOG_OPTIONS_INIT TN_SIZED_INIT(struct tn_catalog_options)

struct tn_catalog_totals {
    uint64_t files;  /* of any kind, in the given paths                       */
    uint64_t models; /* those that could be read                              */
    uint64_t broken;  /* rows with an error                                   */
    uint64_t kept;    /* files whose rows were there already                  */
    uint64_t removed; /* files that are no longer there                       */
    uint64_t missing; /* given paths that do not exist */
    uint64_t tensors, bytes; /* of all models                                 */
};

/*
 * Makes or updates a catalog of files, of all files below folders, and of URLs.
 * A path may also be a catalog of lines of JSON.  Its rows are copied, so that
 * parts of a catalog that were made elsewhere can be joined.
 *
 * The row of a file that cannot be read has its error.  If the target is
 * already a catalog (SQLite or lines of JSON), it is updated: files with the
 * same ETag (for local files: inode, size and time of change) keep their rows,
 * rows of deleted files are removed, and rows of files that are not below the
 * paths stay.  With target.can_replace the catalog is made from scratch. EXISTS
 * if the target is another file.  An interrupted call leaves TARGET.part, where
 * the next one continues.  BUSY while another process writes the same catalog.
 *
 * The same files give the same rows in the same order.  Memory does not depend
 * on the number of files.  UNSUPPORTED if SQLite is asked for and libsqlite3
 * cannot be loaded.  `totals` may be NULL.
 */
TN_API enum tn_status tn_catalog(const char *const *paths, uint64_t count,
                                 const struct tn_catalog_options *catalog,
                                 const struct tn_target          *target,
                                 const struct tn_options         *options,
                                 struct tn_catalog_totals        *totals,
                                 struct tn_error                 *error);

#endif
