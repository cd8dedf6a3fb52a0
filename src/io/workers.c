/*
 * workers.c - do many independent things on a few threads
 *
 * Each slot of a pipeline is a worker, which takes jobs in order from one
 * counter.  After a failure no later job is begun, but every earlier one
 * already was; so the lowest failure is always found, and it is the one
 * reported.
 */
#include "io/workers.h"

#include <stdatomic.h>

#include "base/arith.h"
#include "io/pipeline.h"

struct crew {
    tn_job *job;
    void   *context;
    void (*meanwhile)(void *context);
    uint64_t         count;
    _Atomic uint64_t next;
    _Atomic uint64_t failed; /* the lowest failing index so far */
    pthread_mutex_t  lock;   /* for what follows                */
    struct tn_error *error;  /* belongs to `failed`             */
};

static void report(struct crew *crew, uint64_t index,
                   const struct tn_error *error)
{
    pthread_mutex_lock(&crew->lock);
    if (index < atomic_load(&crew->failed)) {
        atomic_store(&crew->failed, index);
        *crew->error = *error;
    }
    pthread_mutex_unlock(&crew->lock);
}

static void work(void *context, uint32_t slot)
{
    struct crew *crew = context;

    (void)slot;
    for (;;) {
        struct tn_error error = TN_ERROR_INIT;
        uint64_t        index = atomic_fetch_add(&crew->next, 1);
        if (index >= crew->count || index > atomic_load(&crew->failed))
            return;
        if (crew->job(crew->context, index, &error) != TN_OK)
            report(crew, index, &error);
    }
}

static void look_around(void *context)
{
    struct crew *crew = context;

    crew->meanwhile(crew->context);
}

enum tn_status tn_workers_run(unsigned workers, uint64_t count, tn_job *job,
                              void *context, struct tn_error *error)
{
    return tn_workers_run_watched(workers, count, job, NULL, context, error);
}

enum tn_status tn_workers_run_watched(unsigned workers, uint64_t count,
                                      tn_job *job,
                                      void (*meanwhile)(void *context),
                                      void *context, struct tn_error *error)
{
    struct tn_pipeline pipeline;
    struct crew        crew = { .job       = job,
                                .context   = context,
                                .meanwhile = meanwhile,
                                .count     = count,
                                .lock      = PTHREAD_MUTEX_INITIALIZER,
                                .error     = error };

    if (tn_failed(error) || count == 0)
        return error->status;
    atomic_init(&crew.next, 0);
    atomic_init(&crew.failed, UINT64_MAX);
    workers = workers ? workers : tn_pipeline_workers(0);
    workers = (unsigned)tn_min(tn_min(workers, TN_PIPELINE_SLOTS), count);
    tn_pipeline_open(&pipeline, workers, workers, work, &crew);
    if (meanwhile)
        tn_pipeline_looks(&pipeline, look_around);
    for (unsigned i = 0; i < workers; i++)
        tn_pipeline_add(&pipeline);
    while (tn_pipeline_count(&pipeline))
        tn_pipeline_take(&pipeline);
    tn_pipeline_close(&pipeline);
    pthread_mutex_destroy(&crew.lock);
    return error->status;
}
