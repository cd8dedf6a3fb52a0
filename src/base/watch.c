/* watch.c - asks the caller of a long step whether to go on */
#include "base/watch.h"

#include <time.h>

#include "base/block_cache.h"

/* Nanoseconds between two questions. */
#define WHILE_WAITING 100000000

/* Held for a few instructions, and never while a caller is asked. */
static void lock(struct tn_memory *memory)
{
    while (atomic_flag_test_and_set_explicit(&memory->watch_lock,
                                             memory_order_acquire)) {
    }
}

static void unlock(struct tn_memory *memory)
{
    atomic_flag_clear_explicit(&memory->watch_lock, memory_order_release);
}

/* Blocks of a cache are paid from the memory of the call. */
static struct tn_memory *memory_of_call(struct tn_memory *memory)
{
    while (memory->cache)
        memory = memory->cache->budget;
    return memory;
}

static void add(struct tn_watch *watch, struct tn_memory *memory,
                tn_watch_ask *ask, void *context)
{
    bool is_stopped = false;

    memory = memory_of_call(memory);
    *watch = (struct tn_watch){ .memory  = memory,
                                .ask     = ask,
                                .context = context,
                                .owner   = pthread_self() };
    lock(memory);
    watch->next = atomic_load(&memory->watches);
    for (struct tn_watch *outer = watch->next; outer; outer = outer->next)
        is_stopped |= pthread_equal(outer->owner, watch->owner) &&
                      atomic_load(&outer->is_stopped);
    atomic_init(&watch->is_stopped, is_stopped && ask);
    atomic_store(&memory->watches, watch);
    unlock(memory);
}

/* If the call has been told to stop, the new step is told so, too. */
void tn_watch_begin(struct tn_watch *watch, struct tn_memory *memory,
                    tn_watch_ask *ask, void *context)
{
    add(watch, memory, ask, context);
}

void tn_watch_pause(struct tn_watch *watch, struct tn_memory *memory)
{
    add(watch, memory, NULL, NULL);
}

void tn_watch_end(struct tn_watch *watch)
{
    struct tn_memory *memory = watch->memory;

    lock(memory);
    struct tn_watch *before = atomic_load(&memory->watches);
    if (before == watch) {
        atomic_store(&memory->watches, watch->next);
    } else {
        while (before->next != watch)
            before = before->next;
        before->next = watch->next;
    }
    unlock(memory);
}

/* The newest watch of this thread, or NULL and whether all are stopped. */
static struct tn_watch *find_own(struct tn_memory *memory, bool *are_stopped)
{
    struct tn_watch *own  = NULL;
    pthread_t        self = pthread_self();

    *are_stopped = true;
    lock(memory);
    for (struct tn_watch *watch = atomic_load(&memory->watches); watch && !own;
         watch                  = watch->next) {
        *are_stopped &= atomic_load(&watch->is_stopped);
        if (pthread_equal(watch->owner, self))
            own = watch;
    }
    unlock(memory);
    return own;
}

/* All watches of this thread: they belong to one call. */
static void stop_own(struct tn_memory *memory)
{
    pthread_t self = pthread_self();

    lock(memory);
    for (struct tn_watch *watch = atomic_load(&memory->watches); watch;
         watch                  = watch->next)
        if (pthread_equal(watch->owner, self))
            atomic_store(&watch->is_stopped, true);
    unlock(memory);
}

static enum tn_status stop(struct tn_error *error)
{
    return tn_error_set(error, TN_CANCELLED, TN_NOWHERE, "stopped on request");
}

enum tn_status tn_watch_poll(struct tn_memory *memory, struct tn_error *error)
{
    bool is_stopped;

    memory = memory_of_call(memory);
    if (!atomic_load_explicit(&memory->watches, memory_order_relaxed))
        return TN_OK;
    struct tn_watch *own = find_own(memory, &is_stopped);
    if (own) {
        is_stopped = own->ask &&
                     (atomic_load(&own->is_stopped) || own->ask(own->context));
        if (is_stopped)
            stop_own(memory);
    }
    return is_stopped ? stop(error) : TN_OK;
}

enum tn_status tn_watch_recall(struct tn_memory *memory, struct tn_error *error)
{
    bool are_stopped;

    memory = memory_of_call(memory);
    if (!atomic_load_explicit(&memory->watches, memory_order_relaxed))
        return TN_OK;
    struct tn_watch *own = find_own(memory, &are_stopped);
    return own && atomic_load(&own->is_stopped) ? stop(error) : TN_OK;
}

void tn_watch_wait(struct tn_memory *memory, pthread_cond_t *condition,
                   pthread_mutex_t *mutex)
{
    struct tn_error ignored = TN_ERROR_INIT;
    struct timespec until;

    if (!atomic_load(&memory_of_call(memory)->watches) ||
        clock_gettime(CLOCK_REALTIME, &until) != 0) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    until.tv_nsec += WHILE_WAITING;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(condition, mutex, &until) == 0)
        return;
    pthread_mutex_unlock(mutex);
    (void)tn_watch_poll(memory, &ignored);
    pthread_mutex_lock(mutex);
}
