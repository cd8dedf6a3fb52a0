/* sink.c - what all sinks share: windows for those that cannot splice */
#include "base/sink.h"

#include <inttypes.h>

#include "base/arith.h"

#define WINDOW 65536

enum tn_status tn_sink_write(struct tn_sink *sink, struct tn_bytes bytes,
                             struct tn_error *error)
{
    if (bytes.size == 0)
        return TN_OK;
    TN_TRY(sink->ops->write(sink, bytes, error));
    sink->offset += bytes.size;
    return TN_OK;
}

static enum tn_status splice_data(struct tn_sink *sink, struct tn_span span,
                                  struct tn_error *error)
{
    uint8_t window[WINDOW];

    while (span.length) {
        struct tn_bytes bytes =
            tn_source_take(span.source, span.offset, span.length, window,
                           sizeof window, error);
        if (!bytes.size)
            return error->status;
        tn_sink_write(sink, bytes, error);
        tn_source_give_back(span.source, span.offset, bytes, window);
        TN_TRY(error->status);
        span.offset += bytes.size;
        span.length -= bytes.size;
    }
    return TN_OK;
}

/* Holes are known to be zeros: reading them would fill the page cache. */
static enum tn_status splice_windows(struct tn_sink *sink, struct tn_span span,
                                     struct tn_error *error)
{
    bool is_hole;

    while (span.length) {
        struct tn_span part = tn_span_extent(&span, &is_hole);
        TN_TRY(is_hole ? tn_sink_zeros(sink, part.length, error)
                       : splice_data(sink, part, error));
    }
    return TN_OK;
}

enum tn_status tn_sink_splice(struct tn_sink *sink, struct tn_span span,
                              struct tn_error *error)
{
    if (span.length == 0)
        return TN_OK;
    if (!span.source) /* noted by a cursor over plain memory */
        return tn_error_set(error, TN_INVALID, span.offset,
                            "a span without a source");
    if (!tn_inside(span.offset, span.length, span.source->size))
        return tn_error_set(error, TN_TRUNCATED, span.offset,
                            "need %" PRIu64 " bytes, the file has %" PRIu64,
                            span.length, span.source->size);
    tn_source_expect(span.source, span.offset, span.length);
    if (!sink->ops->splice)
        return splice_windows(sink, span, error);
    TN_TRY(sink->ops->splice(sink, span, error));
    sink->offset += span.length;
    return TN_OK;
}

enum tn_status tn_sink_show(struct tn_sink *sink, struct tn_span span,
                            struct tn_sink *watcher, struct tn_error *error)
{
    if (!sink->ops->show || !span.length || !span.source ||
        !tn_inside(span.offset, span.length, span.source->size)) {
        TN_TRY(tn_sink_splice(watcher, span, error));
        return tn_sink_splice(sink, span, error);
    }
    tn_source_expect(span.source, span.offset, span.length);
    TN_TRY(sink->ops->show(sink, span, watcher, error));
    sink->offset += span.length;
    return TN_OK;
}

static enum tn_status look_at_part(struct tn_sink *sink, struct tn_span part,
                                   bool is_hole, struct tn_error *error)
{
    static uint8_t zeros[16 << 10]; /* not const: takes no room in a file */
    uint8_t        window[sizeof zeros];

    if (!is_hole && part.source->map)
        return sink->ops->write(
            sink, tn_bytes(part.source->map + part.offset, (size_t)part.length),
            error);
    while (part.length) {
        struct tn_bytes bytes =
            is_hole ? tn_bytes(zeros, tn_min_size(part.length, sizeof zeros))
                    : tn_source_take(part.source, part.offset, part.length,
                                     window, sizeof window, error);
        if (!bytes.size)
            return error->status;
        sink->ops->write(sink, bytes, error);
        if (!is_hole)
            tn_source_give_back(part.source, part.offset, bytes, window);
        TN_TRY(error->status);
        part.offset += bytes.size;
        part.length -= bytes.size;
    }
    return TN_OK;
}

enum tn_status tn_sink_look(struct tn_sink *sink, struct tn_span span,
                            struct tn_error *error)
{
    bool is_hole;

    if (span.length)
        tn_source_expect(span.source, span.offset, span.length);
    while (span.length) {
        struct tn_span part = tn_span_extent(&span, &is_hole);
        TN_TRY(look_at_part(sink, part, is_hole, error));
    }
    return TN_OK;
}

enum tn_status tn_sink_zeros(struct tn_sink *sink, uint64_t count,
                             struct tn_error *error)
{
    static uint8_t zeros[4096];

    if (sink->ops->zeros) {
        TN_TRY(sink->ops->zeros(sink, count, error));
        sink->offset += count;
        return TN_OK;
    }
    while (count) {
        size_t size = (size_t)tn_min(count, sizeof zeros);
        TN_TRY(tn_sink_write(sink, tn_bytes(zeros, size), error));
        count -= size;
    }
    return TN_OK;
}

enum tn_status tn_sink_patch(struct tn_sink *sink, uint64_t back,
                             struct tn_bytes bytes, struct tn_error *error)
{
    if (!sink->ops->patch || back > sink->offset || bytes.size > back)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%zu bytes cannot be written %" PRIu64
                            " before the end",
                            bytes.size, back);
    return sink->ops->patch(sink, back, bytes, error);
}

enum tn_status tn_sink_gap(struct tn_sink *sink, uint64_t count,
                           struct tn_error *error)
{
    if (!sink->ops->gap)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a gap that cannot be filled");
    TN_TRY(sink->ops->gap(sink, count, error));
    sink->offset += count;
    return TN_OK;
}

enum tn_status tn_sink_fill(struct tn_sink *sink, uint64_t offset,
                            struct tn_bytes bytes, struct tn_error *error)
{
    if (bytes.size == 0)
        return TN_OK;
    if (!sink->ops->fill)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%zu bytes cannot fill a gap", bytes.size);
    return sink->ops->fill(sink, offset, bytes, error);
}
