/* stream.c - filters: sinks with a codec behind them */
#include "codec/stream.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/watch.h"

#define WINDOW ((size_t)256 << 10)

/* Bytes of one step: the slowest codecs take a second for a megabyte, and the
 * caller may want to stop between two steps. */
#define PORTION ((size_t)128 << 10)

void tn_stream_close(struct tn_stream *stream)
{
    if (stream)
        stream->ops->close(stream);
}

/* How many bytes the window takes before it is passed on.  It ends at a
 * multiple of its size in the sink, so that a file is written in whole
 * pages. */
static size_t window_end(const struct tn_filter *f)
{
    return WINDOW - (size_t)(f->onward->offset % WINDOW);
}

/* Where the next bytes go. There is room for one byte more than allowed, which
 * shows that the limit is exceeded. */
static bool make_room(struct tn_filter *f, struct tn_flow *flow,
                      struct tn_error *error)
{
    uint64_t left = f->most - f->given;

    flow->room = (size_t)tn_min(left < UINT64_MAX ? left + 1 : left, WINDOW);
    if (f->to) {
        flow->out = tn_buffer_room(f->to, flow->room);
        if (!flow->out && f->to->error != error)
            *error = *f->to->error;
        return flow->out;
    }
    if (!f->window)
        f->window = tn_memory_resize(f->stream->memory, NULL, 0, WINDOW, error);
    if (!f->window)
        return false;
    flow->room = tn_min_size(window_end(f) - f->filled, flow->room);
    flow->out  = f->window + f->filled;
    return true;
}

static enum tn_status empty_window(struct tn_filter *f, struct tn_error *error)
{
    size_t size = f->filled;

    f->filled = 0;
    return tn_sink_write(f->onward, tn_bytes(f->window, size), error);
}

static enum tn_status pass_on(struct tn_filter *f, size_t size,
                              struct tn_error *error)
{
    f->given += size;
    if (f->given > f->most)
        return tn_error_set(
            error, TN_MALFORMED, f->stream->offset,
            "the %s stream gives more than the expected %" PRIu64 " bytes",
            f->stream->name, f->most);
    if (f->to) {
        f->to->size += size;
        return TN_OK;
    }
    f->filled += size;
    return f->is_done || f->filled == window_end(f) ? empty_window(f, error)
                                                    : TN_OK;
}

/* One step; *is_stuck when it neither took nor gave anything. */
static enum tn_status step(struct tn_filter *f, struct tn_flow *flow,
                           bool *is_stuck, struct tn_error *error)
{
    size_t before = flow->in.size;

    TN_TRY(tn_watch_poll(f->stream->memory, error));
    if (!make_room(f, flow, error))
        return error->status;
    const uint8_t *out = flow->out;
    TN_TRY(f->stream->ops->step(f->stream, flow, error));
    size_t gave = (size_t)(flow->out - out);
    *is_stuck   = gave == 0 && flow->in.size == before;
    f->is_done  = flow->is_done;
    return pass_on(f, gave, error);
}

/* All of it, or as much of it as the stream takes. */
static enum tn_status pump_portion(struct tn_filter *f, struct tn_flow *flow,
                                   struct tn_error *error)
{
    bool is_stuck = false;

    while (!f->is_done && !is_stuck && (flow->in.size || flow->is_last))
        TN_TRY(step(f, flow, &is_stuck, error));
    return TN_OK;
}

static enum tn_status pump(struct tn_filter *f, struct tn_flow *flow,
                           struct tn_error *error)
{
    bool is_taken = true;

    while (is_taken && !f->is_done && flow->in.size > PORTION) {
        struct tn_flow some = { .in = tn_bytes(flow->in.data, PORTION) };
        TN_TRY(pump_portion(f, &some, error));
        size_t took = PORTION - some.in.size;
        flow->in    = tn_bytes(flow->in.data + took, flow->in.size - took);
        is_taken    = some.in.size == 0;
    }
    if (is_taken)
        TN_TRY(pump_portion(f, flow, error));
    if (flow->in.size)
        return tn_error_set(error, TN_MALFORMED, f->stream->offset,
                            "the %s stream ends too early", f->stream->name);
    if (flow->is_last && !f->is_done)
        return tn_error_set(error, TN_TRUNCATED, f->stream->offset,
                            "the %s stream has no end", f->stream->name);
    return TN_OK;
}

static enum tn_status filter_write(struct tn_sink *sink, struct tn_bytes bytes,
                                   struct tn_error *error)
{
    struct tn_flow flow = { .in = bytes };

    return pump((struct tn_filter *)sink, &flow, error);
}

static const struct tn_sink_ops filter_ops = { .write = filter_write };

void tn_filter_to_buffer(struct tn_filter *filter, struct tn_stream *stream,
                         struct tn_buffer *to, uint64_t most)
{
    *filter = (struct tn_filter){
        .sink = { .ops = &filter_ops }, .stream = stream, .to = to, .most = most
    };
}

void tn_filter_to_sink(struct tn_filter *filter, struct tn_stream *stream,
                       struct tn_sink *onward, uint64_t most)
{
    tn_filter_to_buffer(filter, stream, NULL, most);
    filter->onward = onward;
}

void tn_filter_done(struct tn_filter *filter)
{
    tn_memory_free(filter->stream->memory, filter->window, WINDOW);
    filter->window = NULL;
}

enum tn_status tn_filter_last(struct tn_filter *filter, struct tn_bytes bytes,
                              struct tn_error *error)
{
    struct tn_flow flow = { .in = bytes, .is_last = true };

    TN_TRY(pump(filter, &flow, error));
    filter->sink.offset += bytes.size;
    return TN_OK;
}
