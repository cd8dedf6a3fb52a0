/* pipeline.c - jobs done ahead on a few threads, taken back in order */
#include "io/pipeline.h"

#include <assert.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/watch.h"

#define STACK_SIZE      ((size_t)256 << 10)
#define EVERYTHING_ELSE (UINT64_C(16) << 20)

unsigned tn_pipeline_workers(unsigned workers)
{
    long cores = workers ? (long)workers : sysconf(_SC_NPROCESSORS_ONLN);

    if (cores < 1)
        return 1;
    return cores > TN_PIPELINE_WORKERS ? TN_PIPELINE_WORKERS : (unsigned)cores;
}

/* What `ulimit -d` leaves for one purpose.  How much of it is in use is
 * unknown; everything else is small. */
static uint64_t left_by_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur > EVERYTHING_ELSE ? limit.rlim_cur - EVERYTHING_ELSE
                                            : 0;
}

unsigned tn_pipeline_affords(unsigned workers, uint64_t each,
                             const struct tn_memory *budget)
{
    uint64_t used = budget->used;
    uint64_t left = budget->limit > used ? budget->limit - used : 0;

    left = tn_min(left, left_by_limit());
    return (unsigned)tn_max(tn_min(workers, left / each), 1);
}

void tn_pipeline_open(struct tn_pipeline *p, unsigned workers, uint32_t room,
                      tn_pipeline_job *job, void *context)
{
    assert(room > 0 && room <= TN_PIPELINE_SLOTS);
    *p = (struct tn_pipeline){ .job      = job,
                               .context  = context,
                               .room     = room,
                               .workers  = workers
                                               ? (unsigned)tn_min(workers, room)
                                               : tn_pipeline_workers(0),
                               .lock     = PTHREAD_MUTEX_INITIALIZER,
                               .has_work = PTHREAD_COND_INITIALIZER,
                               .is_done  = PTHREAD_COND_INITIALIZER };
}

/* Ends the jobs that are done, in their order.  Called with the lock held,
 * which is released while a job is ended. */
static void end_some(struct tn_pipeline *p)
{
    while (!p->is_ending && p->ended < p->begun &&
           p->done[p->ended % p->room]) {
        uint32_t slot = (uint32_t)(p->ended % p->room);
        if (p->end) {
            p->is_ending = true;
            pthread_mutex_unlock(&p->lock);
            p->end(p->context, slot);
            pthread_mutex_lock(&p->lock);
            p->is_ending = false;
        }
        p->ended++;
    }
    pthread_cond_broadcast(&p->is_done);
}

/* Called with the lock held, which is released while the job runs. */
static void do_one(struct tn_pipeline *p)
{
    uint32_t slot = (uint32_t)(p->begun++ % p->room);

    p->running++;
    if (p->is_awaited)
        pthread_cond_broadcast(&p->is_done);
    pthread_mutex_unlock(&p->lock);
    p->job(p->context, slot);
    pthread_mutex_lock(&p->lock);
    p->running--;
    p->finished++;
    p->done[slot] = true;
    if (p->spare)
        pthread_cond_signal(&p->has_work);
    end_some(p);
}

static bool has_job(const struct tn_pipeline *p)
{
    return p->begun < p->added && !p->is_paused;
}

/* Called with the lock held.  False: nothing was left when this thread last
 * asked, and no job has added anything since. */
static bool do_spare(struct tn_pipeline *p)
{
    uint64_t finished = p->finished;

    if (!p->spare || p->bare_since == finished)
        return false;
    pthread_mutex_unlock(&p->lock);
    bool was_some = p->spare(p->context);
    pthread_mutex_lock(&p->lock);
    if (!was_some)
        p->bare_since = finished;
    return true;
}

static void *work(void *context)
{
    struct tn_pipeline *p = context;

    pthread_mutex_lock(&p->lock);
    while (!p->is_over) {
        if (has_job(p))
            do_one(p);
        else if (!do_spare(p))
            pthread_cond_wait(&p->has_work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* With fewer threads than wanted the work is slower, but still correct. */
static void start(struct tn_pipeline *p)
{
    pthread_attr_t small;

    if (pthread_attr_init(&small) != 0)
        return;
    if (pthread_attr_setstacksize(&small, STACK_SIZE) == 0)
        while (p->started + 1 < p->workers &&
               !pthread_create(&p->threads[p->started], &small, work, p))
            p->started++;
    p->workers = p->started + 1;
    pthread_attr_destroy(&small);
}

void tn_pipeline_close(struct tn_pipeline *p)
{
    if (!p->room)
        return;
    pthread_mutex_lock(&p->lock);
    p->is_paused = true;
    while (do_spare(p))
        continue;
    p->is_over = true;
    pthread_cond_broadcast(&p->has_work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->has_work);
    pthread_cond_destroy(&p->is_done);
    pthread_mutex_destroy(&p->lock);
    *p = (struct tn_pipeline){ .room = 0 };
}

void tn_pipeline_add(struct tn_pipeline *p)
{
    assert(!tn_pipeline_is_full(p));
    pthread_mutex_lock(&p->lock);
    p->done[p->added++ % p->room] = false;
    pthread_cond_signal(&p->has_work);
    pthread_mutex_unlock(&p->lock);
    if (tn_pipeline_count(p) > 1 && p->started + 1 < p->workers)
        start(p);
}

bool tn_pipeline_is_ready(struct tn_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    bool is_ready = p->taken < p->ended;
    pthread_mutex_unlock(&p->lock);
    return is_ready;
}

static void wait_for_others(struct tn_pipeline *p)
{
    if (p->watched) {
        tn_watch_wait(p->watched, &p->is_done, &p->lock);
    } else if (!p->meanwhile) {
        pthread_cond_wait(&p->is_done, &p->lock);
    } else {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->is_done, &p->lock, &until);
        pthread_mutex_unlock(&p->lock);
        p->meanwhile(p->context);
        pthread_mutex_lock(&p->lock);
    }
}

void tn_pipeline_await_begin(struct tn_pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    p->is_awaited = true;
    while (p->started && p->begun == 0 && p->added)
        pthread_cond_wait(&p->is_done, &p->lock);
    p->is_awaited = false;
    pthread_mutex_unlock(&p->lock);
}

uint32_t tn_pipeline_take(struct tn_pipeline *p)
{
    uint32_t slot = (uint32_t)(p->taken % p->room);

    assert(tn_pipeline_count(p) > 0);
    pthread_mutex_lock(&p->lock);
    while (p->taken == p->ended) {
        if (has_job(p))
            do_one(p);
        else if (!do_spare(p))
            wait_for_others(p);
    }
    p->taken++;
    pthread_mutex_unlock(&p->lock);
    return slot;
}

void tn_pipeline_again(struct tn_pipeline *p, uint32_t slot)
{
    pthread_mutex_lock(&p->lock);
    p->is_paused = true;
    while (p->running)
        pthread_cond_wait(&p->is_done, &p->lock);
    pthread_mutex_unlock(&p->lock);
    p->job(p->context, slot);
    pthread_mutex_lock(&p->lock);
    p->is_paused = false;
    pthread_cond_broadcast(&p->has_work);
    pthread_mutex_unlock(&p->lock);
}
