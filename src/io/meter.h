/*
 * meter.h - counts bytes, and asks the user now and then whether to go on
 *
 * Any thread may add.  The callback is only called from the thread that made
 * the meter, at most about ten times a second, so it may draw on a terminal;
 * its "stop" reaches all threads at their next byte.
 */
#ifndef TN_IO_METER_H
#define TN_IO_METER_H

#include <pthread.h>
#include <stdatomic.h>
#include <tenon/options.h>

#include "base/error.h"
#include "base/sink.h"
#include "base/watch.h"

struct tn_meter {
    tn_progress     *callback; /* NULL: only counts                           */
    void            *context;
    const char      *doing;
    uint64_t         total; /* 0: unknown                                     */
    _Atomic uint64_t done;
    atomic_bool      is_stopped;
    pthread_t        owner;
    uint64_t         next_call; /* on the monotonic clock, in nanoseconds     */
};

void tn_meter_init(struct tn_meter *meter, tn_progress *callback, void *context,
                   const char *doing, uint64_t total);

/* Counts further bytes as done.  CANCELLED if the callback said stop, from then
 * on and for every thread. */
enum tn_status tn_meter_add(struct tn_meter *meter, uint64_t bytes,
                            struct tn_error *error);

/* Lets long steps ask the meter, too, wherever they use that memory.  Ends with
 * tn_watch_end(). */
void tn_meter_watch(struct tn_meter *meter, struct tn_watch *watch,
                    struct tn_memory *memory);

/* The "may I go on?" callback of a call, from its options, while it reads: all
 * code that allocates much of that memory asks it.  It must end before the
 * memory is released. */
struct tn_asking {
    struct tn_meter meter;
    struct tn_watch watch;
};

void tn_asking_begin(struct tn_asking        *asking,
                     const struct tn_options *options, const char *doing,
                     struct tn_memory *memory);
void tn_asking_end(struct tn_asking *asking);

/* ---- a sink that counts what goes through it, and can be stopped ----------
 */

struct tn_metered_sink {
    struct tn_sink   sink; /* first */
    struct tn_sink  *to;
    struct tn_meter *meter;
    uint64_t         uncounted; /* too few to ask the meter                   */
};

/* In front of another sink, with the same abilities. */
void tn_metered_sink_init(struct tn_metered_sink *metered, struct tn_sink *to,
                          struct tn_meter *meter);

#endif
