/*
 * workers.h - do many independent things on a few threads
 *
 * No hidden threads: they live for one call.  Small stacks, so that memory
 * stays small.  Jobs are taken in order; the error of the lowest failing index
 * is the one reported, so the result does not depend on timing.
 */
#ifndef TN_IO_WORKERS_H
#define TN_IO_WORKERS_H

#include "base/error.h"

typedef enum tn_status tn_job(void *context, uint64_t index,
                              struct tn_error *error);

/* Runs job(context, i) for i in [0, count) on up to `workers` threads (the
 * caller's own among them; 0 means: as many as there are cores, at most 8). */
enum tn_status tn_workers_run(unsigned workers, uint64_t count, tn_job *job,
                              void *context, struct tn_error *error);

/* The same; while the caller's own thread has nothing left to do it calls
 * `meanwhile` ten times a second, to show progress and to hear "stop". */
enum tn_status tn_workers_run_watched(unsigned workers, uint64_t count,
                                      tn_job *job,
                                      void (*meanwhile)(void *context),
                                      void *context, struct tn_error *error);

#endif
