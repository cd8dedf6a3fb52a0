/*
 * watch.h - asks the caller of a long step whether to go on
 *
 * Reading a packed entry or packing one may take minutes in the middle of a
 * call, far below the function that knows who called.  Everything has its
 * memory at hand, so a call hangs its question there while it works, and long
 * steps ask it.
 *
 * Several calls may use one memory at a time.  Each is asked by its own thread.
 * A thread that asked nobody, a worker, stops when all of them want to stop: to
 * stop late is harmless, to stop another call is not.
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

/* From the thread that makes the call; each begin has its end. */
void tn_watch_begin(struct tn_watch *watch, struct tn_memory *memory,
                    tn_watch_ask *ask, void *context);
void tn_watch_end(struct tn_watch *watch);

/* CANCELLED when the caller wants to stop; from any thread.  Worth calling
 * every few kilobytes of packed data. */
enum tn_status tn_watch_poll(struct tn_memory *memory, struct tn_error *error);

/* As pthread_cond_wait(), for a thread that waits for others.  They see when the
 * call is to be stopped: only its own thread may ask, and it does so here. */
void tn_watch_wait(struct tn_memory *memory, pthread_cond_t *condition,
                   pthread_mutex_t *mutex);

#endif
