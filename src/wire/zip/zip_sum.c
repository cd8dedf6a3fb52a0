/*
 * zip_sum.c - a sink that takes the checksum of what passes
 *
 * Ranges of files are read once for both.  Holes stay holes: their checksum is
 * a matter of arithmetic.
 */
#include "wire/zip/zip_sum.h"

#include "base/arith.h"
#include "codec/crc32.h"
#include "io/file_source.h"
#include "io/relay.h"

/* Less than that goes through the stack. */
#define SMALL ((size_t)16 << 10)

static void see(void *context, struct tn_bytes window)
{
    struct zip_sum *sum = context;

    sum->crc = tn_crc32(sum->crc, window.data, window.size);
}

static enum tn_status sum_write(struct tn_sink *sink, struct tn_bytes bytes,
                                struct tn_error *error)
{
    struct zip_sum *sum = (struct zip_sum *)sink;

    see(sum, bytes);
    return sum->to ? tn_sink_write(sum->to, bytes, error) : TN_OK;
}

static enum tn_status sum_zeros(struct tn_sink *sink, uint64_t count,
                                struct tn_error *error)
{
    struct zip_sum *sum = (struct zip_sum *)sink;

    sum->crc = tn_crc32_zeros(sum->crc, count);
    return sum->to ? tn_sink_zeros(sum->to, count, error) : TN_OK;
}

static enum tn_status pass_small(struct zip_sum *sum, struct tn_span span,
                                 struct tn_error *error)
{
    uint8_t window[SMALL];
    size_t  size = (size_t)span.length;

    TN_TRY(tn_source_read(span.source, span.offset, window, size, error));
    return sum_write(&sum->sink, tn_bytes(window, size), error);
}

/* Memory that is no file's can be taken as it is. */
static enum tn_status pass_data(struct zip_sum *sum, struct tn_span span,
                                struct tn_error *error)
{
    const struct tn_relay_eye eye = { see, sum };

    if (span.source->map && tn_source_descriptor(span.source) < 0)
        return sum_write(
            &sum->sink,
            tn_bytes(span.source->map + span.offset, (size_t)span.length),
            error);
    if (span.length <= SMALL)
        return pass_small(sum, span, error);
    return tn_relay(span, sum->to, &eye, sum->memory, error);
}

static enum tn_status sum_splice(struct tn_sink *sink, struct tn_span span,
                                 struct tn_error *error)
{
    struct zip_sum *sum = (struct zip_sum *)sink;

    while (span.length) {
        struct tn_span part    = span;
        bool           is_hole = false;
        if (span.source->extent)
            part.length = span.source->extent(span.source, span.offset,
                                              span.length, &is_hole);
        if (is_hole)
            TN_TRY(sum_zeros(sink, part.length, error));
        else
            TN_TRY(pass_data(sum, part, error));
        span.offset += part.length;
        span.length -= part.length;
    }
    return TN_OK;
}

static const struct tn_sink_ops sum_ops = {
    .write  = sum_write,
    .splice = sum_splice,
    .zeros  = sum_zeros,
};

void zip_sum_init(struct zip_sum *sum, struct tn_sink *to,
                  struct tn_memory *memory)
{
    *sum = (struct zip_sum){ .sink   = { .ops = &sum_ops },
                             .to     = to,
                             .memory = memory };
}
