/*
 * catalog_sink.h - the output of a catalog, and its rows of an earlier run
 *
 * A sink first returns the files that it has from an earlier run, in the order
 * of their paths.  Then it gets, in the same order, unchanged files (keep), new
 * rows (put), and deleted files (remove).
 */
#ifndef TN_ENGINE_CATALOG_SINK_H
#define TN_ENGINE_CATALOG_SINK_H

#include <tenon/catalog.h>

#include "base/memory.h"
#include "engine/catalog_rows.h"

/* A file of an earlier run.  Texts are valid until the next one is taken. */
struct tn_catalog_old {
    struct tn_bytes path, etag, made_by, status, parts;
    uint64_t        tensors, bytes;
    /* The sink's own number of the file. */
    uint64_t mark, size;
    bool     is_work; /* in the file that an interrupted run left             */
    /* The same path in the catalog itself; of size 0 if it is not there. */
    uint64_t earlier_mark, earlier_size;
};

struct tn_catalog_sink;

struct tn_catalog_sink_ops {
    /* False at the end, and after a failure. */
    bool (*old)(struct tn_catalog_sink *sink, struct tn_catalog_old *old,
                struct tn_error *error);
    /* NOT_FOUND if its rows no longer exist: nothing is lost, make them
     * again. */
    enum tn_status (*keep)(struct tn_catalog_sink      *sink,
                           const struct tn_catalog_old *old,
                           struct tn_error             *error);
    /* The row of a file, then those of its tensors.  `old` is what it replaces,
     * or NULL. */
    enum tn_status (*put)(struct tn_catalog_sink      *sink,
                          const struct tn_catalog_row *row,
                          const struct tn_catalog_old *old,
                          struct tn_error             *error);
    enum tn_status (*remove)(struct tn_catalog_sink      *sink,
                             const struct tn_catalog_old *old,
                             struct tn_error             *error);
    /* A file is complete, and so many bytes were read for it. */
    enum tn_status (*end)(struct tn_catalog_sink *sink, uint64_t read,
                          struct tn_error *error);
    /* The catalog is complete: gives it its name. */
    enum tn_status (*finish)(struct tn_catalog_sink *sink,
                             struct tn_error        *error);
    /* Without finish(): the rows so far are kept for the next run. */
    void (*close)(struct tn_catalog_sink *sink);
};

struct tn_catalog_sink {
    const struct tn_catalog_sink_ops *ops;
};

/* The interface of all sinks. */
struct tn_catalog_place {
    struct tn_memory        *memory;
    const struct tn_target  *target;
    const struct tn_options *options; /* may be NULL                          */
    enum tn_catalog_form     form;
};

/* Lines of JSON, and Arrow, which is made of them at the end. */
enum tn_status tn_catalog_lines(struct tn_catalog_sink       **out,
                                const struct tn_catalog_place *place,
                                struct tn_error               *error);
enum tn_status tn_catalog_database(struct tn_catalog_sink       **out,
                                   const struct tn_catalog_place *place,
                                   struct tn_error               *error);

/* "NAME.part": the rows of a catalog that is not complete yet.  In the arena. */
char *tn_catalog_work(struct tn_arena *arena, const char *path,
                      struct tn_error *error);

#endif
