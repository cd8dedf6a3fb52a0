/*
 * workers.c - do many independent things on a few threads
 *
 * Jobs are taken in order from one counter.  After a failure no later job is
 * begun, but every earlier one already was; so the lowest failure is always
 * found, and it is the one reported.
 */
#include "io/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"

#define MOST_WORKERS  64
#define USUAL_WORKERS 8
#define STACK_SIZE    ((size_t)256 << 10)

struct crew {
    tn_job          *job;
    void            *context;
    uint64_t         count;
    _Atomic uint64_t next;
    _Atomic uint64_t failed;  /* the lowest failing index so far              */
    pthread_mutex_t  lock;    /* for what follows                             */
    struct tn_error *error;   /* belongs to `failed`                          */
    unsigned         busy;    /* threads still at work, besides the caller's  */
    pthread_cond_t   is_idle; /* signalled when one more has nothing to do   */
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

static void *work(void *context)
{
    struct crew *crew = context;

    for (;;) {
        struct tn_error error = TN_ERROR_INIT;
        uint64_t        index = atomic_fetch_add(&crew->next, 1);
        if (index >= crew->count || index > atomic_load(&crew->failed))
            return NULL;
        if (crew->job(crew->context, index, &error) != TN_OK)
            report(crew, index, &error);
    }
}

static void *work_and_tell(void *context)
{
    struct crew *crew = context;

    work(crew);
    pthread_mutex_lock(&crew->lock);
    crew->busy--;
    pthread_cond_signal(&crew->is_idle);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static struct timespec in_a_tenth(void)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 100000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
}

/* The caller has nothing left to do: let it look around until all are back. */
static void wait_for_all(struct crew *crew, void (*meanwhile)(void *context))
{
    pthread_mutex_lock(&crew->lock);
    while (crew->busy) {
        struct timespec until = in_a_tenth();
        pthread_cond_timedwait(&crew->is_idle, &crew->lock, &until);
        pthread_mutex_unlock(&crew->lock);
        if (meanwhile)
            meanwhile(crew->context);
        pthread_mutex_lock(&crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

static unsigned crew_size(unsigned workers, uint64_t count)
{
    if (workers == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        workers    = cores < 1               ? 1
                     : cores > USUAL_WORKERS ? USUAL_WORKERS
                                             : (unsigned)cores;
    }
    return (unsigned)tn_min(tn_min(workers, MOST_WORKERS), count);
}

/* Fewer threads than wished for are slower, not wrong: the caller's own does
 * what nobody else takes. */
static unsigned start(struct crew *crew, pthread_t *threads, unsigned wanted)
{
    pthread_attr_t small;
    unsigned       started = 0;

    if (pthread_attr_init(&small) != 0)
        return 0;
    crew->busy = wanted; /* before any of them can count down */
    if (pthread_attr_setstacksize(&small, STACK_SIZE) == 0)
        while (started < wanted &&
               !pthread_create(&threads[started], &small, work_and_tell, crew))
            started++;
    pthread_mutex_lock(&crew->lock);
    crew->busy -= wanted - started;
    pthread_mutex_unlock(&crew->lock);
    pthread_attr_destroy(&small);
    return started;
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
    pthread_t   threads[MOST_WORKERS];
    struct crew crew = { .job     = job,
                         .context = context,
                         .count   = count,
                         .lock    = PTHREAD_MUTEX_INITIALIZER,
                         .is_idle = PTHREAD_COND_INITIALIZER,
                         .error   = error };

    if (tn_failed(error) || count == 0)
        return error->status;
    atomic_init(&crew.next, 0);
    atomic_init(&crew.failed, UINT64_MAX);
    unsigned started = start(&crew, threads, crew_size(workers, count) - 1);
    work(&crew);
    wait_for_all(&crew, meanwhile);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&crew.is_idle);
    pthread_mutex_destroy(&crew.lock);
    return error->status;
}
