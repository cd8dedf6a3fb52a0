/*
 * watch.h - asks the caller of a long step whether to go on
 *
 * Decompressing or compressing an entry may take minutes in the middle of a
 * call, far below the function that knows the caller.  All code has its memory
 * budget at hand, so a call attaches its question to the budget while it works,
 * and long steps ask it.
 *
 * Several calls may use one budget at a time.  Each is asked by its own thread.
 * A thread that has asked no question, such as a worker, stops when all of them
 * want to stop: stopping late is harmless, stopping another call is not.
 */
#ifndef TN_BASE_WATCH_H
#define TN_BASE_WATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"

/* Whether to stop.  Called from the thread that began the watch, often. */
typedef bool tn_watch_ask(void *context);

struct tn_watch {
    struct tn_watch  *next;
    struct tn_memory *memory;
    tn_watch_ask     *ask;
    void             *context;
    pthread_t         owner;
    atomic_bool       is_stopped;
};

/* Called by the thread that makes the call; each begin needs its end. */
void tn_watch_begin(struct tn_watch *watch, struct tn_memory *memory,
                    tn_watch_ask *ask, void *context);
void tn_watch_end(struct tn_watch *watch);

/* Until its end nothing asks or stops the thread: for cleaning up after a call
 * that was told to stop, which allocates and waits as other steps do. */
void tn_watch_pause(struct tn_watch *watch, struct tn_memory *memory);

/* CANCELLED if the caller wants to stop; from any thread.  Worth calling every
 * few kilobytes of compressed data. */
enum tn_status tn_watch_poll(struct tn_memory *memory, struct tn_error *error);

/* CANCELLED if the caller has said so already; nobody is asked.  For the moment
 * before a result is kept: a step that went on without its types or numbers has
 * dropped the status of tn_watch_poll(). */
enum tn_status tn_watch_recall(struct tn_memory *memory,
                               struct tn_error  *error);

/* Like pthread_cond_wait(), for a thread that waits for others.  Only the
 * call's own thread may ask whether to stop; it does so here, and the others
 * see the answer. */
void tn_watch_wait(struct tn_memory *memory, pthread_cond_t *condition,
                   pthread_mutex_t *mutex);

#endif
