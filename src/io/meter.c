/* meter.c - counts bytes, and asks the user now and then whether to go on */
#include "io/meter.h"

#include <time.h>

#define INTERVAL UINT64_C(100000000)

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) +
           (uint64_t)time.tv_nsec;
}

void tn_meter_init(struct tn_meter *meter, tn_progress *callback, void *context,
                   const char *doing, uint64_t total)
{
    meter->callback = callback;
    meter->context  = context;
    meter->doing    = doing;
    meter->total    = total;
    atomic_init(&meter->done, 0);
    atomic_init(&meter->is_stopped, false);
    meter->owner     = pthread_self();
    meter->next_call = callback ? now() + INTERVAL : 0;
}

static enum tn_status verdict(struct tn_meter *meter, struct tn_error *error)
{
    if (!atomic_load(&meter->is_stopped))
        return TN_OK;
    return tn_error_set(error, TN_CANCELLED, TN_NOWHERE, "stopped while %s",
                        meter->doing);
}

enum tn_status tn_meter_add(struct tn_meter *meter, uint64_t bytes,
                            struct tn_error *error)
{
    atomic_fetch_add(&meter->done, bytes);
    if (!meter->callback)
        return TN_OK;
    if (!atomic_load(&meter->is_stopped) &&
        pthread_equal(meter->owner, pthread_self())) {
        uint64_t time = now();
        if (time >= meter->next_call) {
            meter->next_call = time + INTERVAL;
            uint64_t done    = atomic_load(&meter->done);
            if (meter->callback(meter->context, meter->doing, done,
                                meter->total))
                atomic_store(&meter->is_stopped, true);
        }
    }
    return verdict(meter, error);
}

static bool ask(void *context)
{
    struct tn_error ignored = TN_ERROR_INIT;

    return tn_meter_add(context, 0, &ignored) != TN_OK;
}

void tn_meter_watch(struct tn_meter *meter, struct tn_watch *watch,
                    struct tn_memory *memory)
{
    tn_watch_begin(watch, memory, ask, meter);
}
