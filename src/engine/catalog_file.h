/*
 * catalog_file.h - one file of a catalog: a job reads it, and reports its rows
 *
 * A job opens the file and does the slow computations; the model stays open
 * until its rows have been reported, so that rows take no memory.
 */
#ifndef TN_ENGINE_CATALOG_FILE_H
#define TN_ENGINE_CATALOG_FILE_H

#include <tenon/scan.h>
#include <tenon/statistics.h>

#include "engine/catalog_sink.h"
#include "engine/opened.h"
#include "io/walk.h"

/* What all jobs share. */
struct tn_catalog_work {
    const struct tn_catalog_options *catalog;
    struct tn_options                options; /* of each job                  */
    const char                      *made_by;
};

/* The statistics of a tensor that are reported. */
struct tn_catalog_statistics {
    double   min, max, mean, deviation;
    uint64_t zeros, nans, infinities;
};

struct tn_catalog_unit {
    struct tn_memory   memory; /* of the texts                                */
    struct tn_arena    arena;
    const char        *path;  /* to open it                                   */
    struct tn_bytes    shown; /* as it is told                                */
    enum tn_walk_kind  kind;
    int                number; /* errno of a folder                           */
    bool               is_url;
    bool               is_named; /* that is all: it was not opened            */
    struct tn_bytes    etag;  /* if a listing told it                         */
    uint64_t           size;
    bool               has_size;

    struct tn_catalog_old old;
    bool                  has_old;

    /* Rows of a catalog that was given: a group of lines. */
    struct tn_source *lines;
    uint64_t          lines_begin, lines_end;
    struct tn_bytes   status; /* what they say                                */

    enum { TN_UNIT_READ, TN_UNIT_KEEP, TN_UNIT_REMOVE } does;

    /* What the job found. */
    bool             is_same; /* as it was                                    */
    struct tn_error  error;
    struct tn_model *model;
    struct tn_bytes  parts; /* names, a line each                             */
    uint8_t (*digests)[TN_HASH_SIZE];
    struct tn_catalog_statistics *statistics;
    uint64_t                      described; /* tensors with statistics       */
    struct tn_scan_totals         scanned;
    bool                          has_scan;
    int                           worst;   /* verdict; -1: none               */
    struct tn_bytes               finding; /* the first of these              */
};

void tn_catalog_unit_init(struct tn_catalog_unit  *unit,
                          const struct tn_options *options);
/* Closes the model and forgets everything. */
void tn_catalog_unit_done(struct tn_catalog_unit *unit);

/* The job: safe to run for several units at once. */
void tn_catalog_read_file(struct tn_catalog_unit       *unit,
                          const struct tn_catalog_work *work);

/* "ok", "other", "malformed" and so on. */
const char *tn_catalog_status(const struct tn_catalog_unit *unit);

/* Reports the rows: of the file, and of its tensors. */
enum tn_status tn_catalog_tell(struct tn_catalog_unit       *unit,
                               const struct tn_catalog_work *work,
                               struct tn_catalog_sink       *sink,
                               struct tn_catalog_totals     *totals,
                               struct tn_error              *error);

#endif
