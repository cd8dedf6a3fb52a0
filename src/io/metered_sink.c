/* metered_sink.c - a sink that counts what goes through it, and can be stopped
 */
#include "io/metered_sink.h"

#include "base/arith.h"

/* So much is moved between two questions whether to go on. */
#define MOST_AT_ONCE (UINT64_C(64) << 20)

/* Asking costs a look at the clock: not for every word of a text. */
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

/* The meter knows threads; `uncounted` does not. */
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
    .zeros  = metered_zeros,
    .patch  = metered_patch,
};

/* In front of a file. */
static const struct tn_sink_ops metered_file_ops = {
    .write  = metered_write,
    .splice = metered_splice,
    .zeros  = metered_zeros,
    .patch  = metered_patch,
    .gap    = metered_gap,
    .fill   = metered_fill,
};

/* In front of something that cannot be written over. */
static const struct tn_sink_ops metered_stream_ops = {
    .write  = metered_write,
    .splice = metered_splice,
    .zeros  = metered_zeros,
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
