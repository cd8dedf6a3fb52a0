/*
 * pipeline.h - jobs done ahead on a few threads, taken back in order
 *
 * A ring of slots, which are numbers: what they stand for is the caller's.  The
 * caller fills the next slot, adds it, and takes the oldest one when it is
 * done; between those two a slot belongs to the job.
 *
 *   while there is more
 *       if (tn_pipeline_is_full(p))
 *           use(slots[tn_pipeline_take(p)]);
 *       fill(&slots[tn_pipeline_next(p)]);
 *       tn_pipeline_add(p);
 *
 * Only one thread calls these, and it helps: where it would wait for the oldest
 * job it does jobs that nobody has begun.  So the result never depends on how
 * many threads there are, or whether there are any.
 */
#ifndef TN_IO_PIPELINE_H
#define TN_IO_PIPELINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

#define TN_PIPELINE_WORKERS 8
#define TN_PIPELINE_SLOTS   32

/* What went wrong is for the slot to remember. */
typedef void tn_pipeline_job(void *context, uint32_t slot);

/* What has to be done in order, such as writing: called for each slot whose job
 * is done, one after the other, by any of the threads.  So it is not the
 * caller's thread that has to do all of it besides its share of the jobs. */
typedef void tn_pipeline_end(void *context, uint32_t slot);

/* A little of what can wait until a thread would: called by any of them, also
 * by several at once.  False: there is nothing at the moment. */
typedef bool tn_pipeline_spare(void *context);

struct tn_pipeline {
    tn_pipeline_job   *job;
    tn_pipeline_end   *end;   /* may be NULL                                  */
    tn_pipeline_spare *spare; /* likewise                                     */
    void              *context;
    struct tn_memory  *watched; /* of a call that may be stopped; NULL: none  */
    uint32_t           room; /* slots                                         */
    unsigned           workers;
    pthread_mutex_t lock; /* of what follows                                 */
    pthread_cond_t  has_work, is_done;
    uint64_t        taken, ended, begun, added; /* how many, ever            */
    bool            is_ending;  /* somebody is at it                          */
    uint64_t        finished;   /* jobs                                       */
    uint64_t        bare_since; /* so many were, when nothing was to spare   */
    bool            done[TN_PIPELINE_SLOTS];
    unsigned        running;   /* jobs                                       */
    bool            is_paused; /* none is begun                              */
    bool            is_over;
    unsigned        started; /* threads, besides the caller's                */
    pthread_t       threads[TN_PIPELINE_WORKERS];
};

/* So many slots, at most TN_PIPELINE_SLOTS; `workers` counts the caller's
 * thread, 0 stands for the cores.  Threads start when there is work for two. */
void tn_pipeline_open(struct tn_pipeline *pipeline, unsigned workers,
                      uint32_t room, tn_pipeline_job *job, void *context);

/* Before the first slot is added. */
static inline void tn_pipeline_ends_by(struct tn_pipeline *pipeline,
                                       tn_pipeline_end    *end)
{
    pipeline->end = end;
}

/* Likewise.  What is left of it when the pipeline is closed is done then. */
static inline void tn_pipeline_spares_by(struct tn_pipeline *pipeline,
                                         tn_pipeline_spare  *spare)
{
    pipeline->spare = spare;
}

/* Likewise.  Jobs that ask tn_watch_poll() with that memory are then stopped
 * with the call: only the caller's thread may ask whether it goes on, and it
 * does so while it waits. */
static inline void tn_pipeline_watches(struct tn_pipeline *pipeline,
                                       struct tn_memory   *memory)
{
    pipeline->watched = memory;
}

/* Waits for the jobs that were begun, forgets the others. */
void tn_pipeline_close(struct tn_pipeline *pipeline);

/* As open understands `workers`. */
unsigned tn_pipeline_workers(unsigned workers);

/* As many of them as get so many bytes each out of a budget, and out of what
 * `ulimit` leaves; at least one. */
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

/* The slot that is added next; nobody's while the ring is not full. */
static inline uint32_t tn_pipeline_next(const struct tn_pipeline *pipeline)
{
    return (uint32_t)(pipeline->added % pipeline->room);
}

void tn_pipeline_add(struct tn_pipeline *pipeline);

/* Whether the oldest slot can be taken without waiting. */
bool tn_pipeline_is_ready(struct tn_pipeline *pipeline);

/* The oldest slot, when its job is done and ended; there must be one. */
uint32_t tn_pipeline_take(struct tn_pipeline *pipeline);

/* Whether other jobs ran beside those that were taken. */
static inline bool tn_pipeline_is_shared(const struct tn_pipeline *pipeline)
{
    return pipeline->started > 0;
}

/* Does the job of the slot that was taken last, or is being ended, once more,
 * and no other beside it: it may have lacked what they had, such as memory. */
void tn_pipeline_again(struct tn_pipeline *pipeline, uint32_t slot);

#endif
