/*
 * pipeline.h - jobs done ahead on a few threads, taken back in order
 *
 * A ring of slots, which are numbers: the caller decides what they stand for.
 * The caller fills the next slot, adds it, and takes the oldest one when it is
 * done; in between, a slot belongs to the job.
 *
 *   while there is more
 *       if (tn_pipeline_is_full(p))
 *           use(slots[tn_pipeline_take(p)]);
 *       fill(&slots[tn_pipeline_next(p)]);
 *       tn_pipeline_add(p);
 *
 * Only one thread calls these functions, and it helps: instead of waiting for
 * the oldest job it does jobs that no thread has begun.  So the result never
 * depends on how many threads there are, or whether there are any.
 */
#ifndef TN_IO_PIPELINE_H
#define TN_IO_PIPELINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

#define TN_PIPELINE_WORKERS 8
#define TN_PIPELINE_SLOTS   32

/* A job that fails records the failure in its slot. */
typedef void tn_pipeline_job(void *context, uint32_t slot);

/* The part of the work that must be done in order, such as writing: called for
 * each slot whose job is done, one after the other, by any of the threads.  So
 * the caller's thread need not do all of it in addition to its jobs. */
typedef void tn_pipeline_end(void *context, uint32_t slot);

/* A little of the work that can wait until a thread has nothing else to do:
 * called by any thread, also by several at once.  False: there is none at the
 * moment. */
typedef bool tn_pipeline_spare(void *context);

struct tn_pipeline {
    tn_pipeline_job   *job;
    tn_pipeline_end   *end;   /* may be NULL                                  */
    tn_pipeline_spare *spare; /* likewise                                     */
    void              *context;
    struct tn_memory  *watched; /* of a call that may be stopped; NULL: none  */
    void (*meanwhile)(void *context); /* may be NULL                          */
    uint32_t        room; /* slots                                         */
    unsigned        workers;
    pthread_mutex_t lock; /* of what follows                                 */
    pthread_cond_t  has_work, is_done;
    uint64_t        taken, ended, begun, added; /* how many, ever            */
    bool            is_ending;  /* a thread is calling `end`                  */
    uint64_t        finished;   /* jobs                                       */
    uint64_t        bare_since; /* `finished` when nothing was to spare      */
    bool            done[TN_PIPELINE_SLOTS];
    unsigned        running;    /* jobs                                       */
    bool            is_awaited; /* somebody waits for the first to be begun  */
    bool            is_paused;  /* none is begun                              */
    bool            is_over;
    unsigned        started; /* threads, besides the caller's                */
    pthread_t       threads[TN_PIPELINE_SLOTS];
};

/* `room` slots, at most TN_PIPELINE_SLOTS; `workers` includes the caller's
 * thread, 0 means one per core.  Threads start when there is work for two. */
void tn_pipeline_open(struct tn_pipeline *pipeline, unsigned workers,
                      uint32_t room, tn_pipeline_job *job, void *context);

/* Call it before the first slot is added. */
static inline void tn_pipeline_ends_by(struct tn_pipeline *pipeline,
                                       tn_pipeline_end    *end)
{
    pipeline->end = end;
}

/* Call it before the first slot is added.  Work that is left when the pipeline
 * is closed is done then. */
static inline void tn_pipeline_spares_by(struct tn_pipeline *pipeline,
                                         tn_pipeline_spare  *spare)
{
    pipeline->spare = spare;
}

/* Call it before the first slot is added.  Jobs that call tn_watch_poll() with
 * that memory are then stopped with the call: only the caller's thread may ask
 * whether to go on, and it does so while it waits. */
static inline void tn_pipeline_watches(struct tn_pipeline *pipeline,
                                       struct tn_memory   *memory)
{
    pipeline->watched = memory;
}

/* Likewise.  Called ten times a second by the caller's thread while it waits
 * for others. */
static inline void tn_pipeline_looks(struct tn_pipeline *pipeline,
                                     void (*meanwhile)(void *context))
{
    pipeline->meanwhile = meanwhile;
}

/* Waits for jobs that were begun, and drops the others. */
void tn_pipeline_close(struct tn_pipeline *pipeline);

/* One per core for 0, and never more than TN_PIPELINE_WORKERS. */
unsigned tn_pipeline_workers(unsigned workers);

/* As many of `workers` as can have `each` bytes out of a budget, and within
 * `ulimit`; at least one. */
unsigned tn_pipeline_affords(unsigned workers, uint64_t each,
                             const struct tn_memory *budget);

/* Slots that were added and not taken. */
static inline uint32_t tn_pipeline_count(const struct tn_pipeline *pipeline)
{
    return (uint32_t)(pipeline->added - pipeline->taken);
}

static inline bool tn_pipeline_is_full(const struct tn_pipeline *pipeline)
{
    return tn_pipeline_count(pipeline) == pipeline->room;
}

/* The slot that is added next; it belongs to the caller while the ring is not
 * full. */
static inline uint32_t tn_pipeline_next(const struct tn_pipeline *pipeline)
{
    return (uint32_t)(pipeline->added % pipeline->room);
}

void tn_pipeline_add(struct tn_pipeline *pipeline);

/* Whether the oldest slot can be taken without waiting. */
bool tn_pipeline_is_ready(struct tn_pipeline *pipeline);

/* Waits until a thread has begun the first job that was added, if there are
 * threads: for a job that should not come last because it is the longest. */
void tn_pipeline_await_begin(struct tn_pipeline *p);

/* The oldest slot, when its job is done and ended; there must be one. */
uint32_t tn_pipeline_take(struct tn_pipeline *pipeline);

/* Whether other jobs ran beside those that were taken. */
static inline bool tn_pipeline_is_shared(const struct tn_pipeline *pipeline)
{
    return pipeline->started > 0;
}

/* Repeats the job of the slot that was taken last, or is being ended, while no
 * other job runs: it may have failed for lack of something that they used, such
 * as memory. */
void tn_pipeline_again(struct tn_pipeline *pipeline, uint32_t slot);

#endif
