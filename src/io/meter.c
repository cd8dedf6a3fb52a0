/* meter.c - counts bytes, and asks the user now and then whether to go on */
#include "io/meter.h"

#include <time.h>

#include "base/arith.h"

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
            if (meter->total) /* which may be an estimate */
                done = tn_min(done, meter->total);
            if (meter->callback(meter->context, meter->doing, done,
                                meter->total))
                atomic_store(&meter->is_stopped, true);
        }
    }
    if (!atomic_load(&meter->is_stopped))
        return TN_OK;
    return tn_error_set(error, TN_CANCELLED, TN_NOWHERE, "stopped while %s",
                        meter->doing);
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

void tn_asking_begin(struct tn_asking        *asking,
                     const struct tn_options *options, const char *doing,
                     struct tn_memory *memory)
{
    asking->meter.callback = NULL;
    if (!options || !options->progress)
        return;
    tn_meter_init(&asking->meter, options->progress, options->progress_context,
                  doing, 0);
    tn_meter_watch(&asking->meter, &asking->watch, memory);
}

void tn_asking_end(struct tn_asking *asking)
{
    if (asking->meter.callback)
        tn_watch_end(&asking->watch);
}

/* ---- a sink that counts ------------------------------------------------ */

/* Bytes that are moved before the user is asked again whether to go on. */
#define MOST_AT_ONCE (UINT64_C(64) << 20)

/* Asking reads the clock, so it is not done for every word of a text. */
#define LEAST_TO_ASK (UINT64_C(64) << 10)

static enum tn_status count_bytes(struct tn_metered_sink *metered,
                                  uint64_t size, struct tn_error *error)
{
    uint64_t bytes = metered->uncounted + size;

    metered->uncounted = bytes < LEAST_TO_ASK ? bytes : 0;
    return bytes < LEAST_TO_ASK ? TN_OK
                                : tn_meter_add(metered->meter, bytes, error);
}

static enum tn_status metered_write(struct tn_sink *sink, struct tn_bytes bytes,
                                    struct tn_error *error)
{
    struct tn_metered_sink *metered = (struct tn_metered_sink *)sink;

    TN_TRY(tn_sink_write(metered->to, bytes, error));
    return count_bytes(metered, bytes.size, error);
}

static enum tn_status metered_splice(struct tn_sink *sink, struct tn_span span,
                                     struct tn_error *error)
{
    struct tn_metered_sink *metered = (struct tn_metered_sink *)sink;

    while (span.length) {
        struct tn_span part = span;
        part.length         = tn_min(span.length, MOST_AT_ONCE);
        TN_TRY(tn_sink_splice(metered->to, part, error));
        TN_TRY(count_bytes(metered, part.length, error));
        span.offset += part.length;
        span.length -= part.length;
    }
    return TN_OK;
}

static enum tn_status metered_show(struct tn_sink *sink, struct tn_span span,
                                   struct tn_sink  *watcher,
                                   struct tn_error *error)
{
    struct tn_metered_sink *metered = (struct tn_metered_sink *)sink;

    while (span.length) {
        struct tn_span part = span;
        part.length         = tn_min(span.length, MOST_AT_ONCE);
        TN_TRY(tn_sink_show(metered->to, part, watcher, error));
        TN_TRY(count_bytes(metered, part.length, error));
        span.offset += part.length;
        span.length -= part.length;
    }
    return TN_OK;
}

static enum tn_status metered_expect(struct tn_sink *sink, uint64_t count,
                                     struct tn_error *error)
{
    return tn_sink_expect(((struct tn_metered_sink *)sink)->to, count, error);
}

static enum tn_status metered_zeros(struct tn_sink *sink, uint64_t count,
                                    struct tn_error *error)
{
    struct tn_metered_sink *metered = (struct tn_metered_sink *)sink;

    while (count) {
        uint64_t part = tn_min(count, MOST_AT_ONCE);
        TN_TRY(tn_sink_zeros(metered->to, part, error));
        TN_TRY(count_bytes(metered, part, error));
        count -= part;
    }
    return TN_OK;
}

static enum tn_status metered_patch(struct tn_sink *sink, uint64_t back,
                                    struct tn_bytes  bytes,
                                    struct tn_error *error)
{
    struct tn_metered_sink *metered = (struct tn_metered_sink *)sink;

    return tn_sink_patch(metered->to, back, bytes, error);
}

static enum tn_status metered_gap(struct tn_sink *sink, uint64_t count,
                                  struct tn_error *error)
{
    struct tn_metered_sink *metered = (struct tn_metered_sink *)sink;

    return tn_sink_gap(metered->to, count, error); /* counted when filled */
}

/* Several threads may use the meter; `uncounted` belongs to one. */
static enum tn_status metered_fill(struct tn_sink *sink, uint64_t offset,
                                   struct tn_bytes  bytes,
                                   struct tn_error *error)
{
    struct tn_metered_sink *metered = (struct tn_metered_sink *)sink;

    TN_TRY(tn_sink_fill(metered->to, offset, bytes, error));
    return tn_meter_add(metered->meter, bytes.size, error);
}

static const struct tn_sink_ops metered_ops = {
    .write  = metered_write,
    .splice = metered_splice,
    .show   = metered_show,
    .zeros  = metered_zeros,
    .expect = metered_expect,
    .patch  = metered_patch,
};

/* In front of a file. */
static const struct tn_sink_ops metered_file_ops = {
    .write  = metered_write,
    .splice = metered_splice,
    .show   = metered_show,
    .zeros  = metered_zeros,
    .expect = metered_expect,
    .patch  = metered_patch,
    .gap    = metered_gap,
    .fill   = metered_fill,
};

/* For a sink whose bytes cannot be changed after they were written. */
static const struct tn_sink_ops metered_stream_ops = {
    .write  = metered_write,
    .splice = metered_splice,
    .show   = metered_show,
    .zeros  = metered_zeros,
    .expect = metered_expect,
};

void tn_metered_sink_init(struct tn_metered_sink *metered, struct tn_sink *to,
                          struct tn_meter *meter)
{
    *metered = (struct tn_metered_sink){
        .sink  = { .ops    = tn_sink_can_fill(to)    ? &metered_file_ops
                             : tn_sink_can_patch(to) ? &metered_ops
                                                     : &metered_stream_ops,
                   .offset = to->offset },
        .to    = to,
        .meter = meter,
    };
}
