/* tf_crc.c - checksums of data of any size */
#include "format/tensorflow/tf_crc.h"

#include "base/arith.h"
#include "base/little.h"
#include "codec/crc32c.h"

#define WINDOW (UINT64_C(256) << 10)

/* The running checksum of bytes, which are also written if there is a sink. */
struct sum {
    uint32_t       *crc;
    uint8_t        *window;
    uint64_t        room;
    struct tn_sink *to;
};

static enum tn_status sum_zeros(const struct sum *sum, uint64_t count,
                                struct tn_error *error)
{
    *sum->crc = tn_crc32c_zeros(*sum->crc, count);
    return sum->to ? tn_sink_zeros(sum->to, count, error) : TN_OK;
}

static enum tn_status sum_data(const struct sum *sum, struct tn_span span,
                               struct tn_error *error)
{
    while (span.length) {
        size_t size = (size_t)tn_min(span.length, sum->room);
        TN_TRY(
            tn_source_read(span.source, span.offset, sum->window, size, error));
        *sum->crc = tn_crc32c(*sum->crc, sum->window, size);
        if (sum->to)
            TN_TRY(tn_sink_write(sum->to, tn_bytes(sum->window, size), error));
        span.offset += size;
        span.length -= size;
    }
    return TN_OK;
}

/* Holes are not read, and stay holes. */
static enum tn_status sum_span(const struct sum *sum, struct tn_span span,
                               struct tn_error *error)
{
    bool is_hole;

    while (span.length) {
        struct tn_span part = tn_span_extent(&span, &is_hole);
        if (is_hole)
            TN_TRY(sum_zeros(sum, part.length, error));
        else
            TN_TRY(sum_data(sum, part, error));
    }
    return TN_OK;
}

enum tn_status tn_tf_crc_span(uint32_t *crc, struct tn_span span,
                              struct tn_memory *memory, struct tn_error *error)
{
    uint64_t room = tn_min(span.length, WINDOW);

    if (room == 0)
        return TN_OK;
    uint8_t *window = tn_memory_resize(memory, NULL, 0, room, error);
    if (!window)
        return error->status;
    sum_span(&(struct sum){ crc, window, room, NULL }, span, error);
    tn_memory_free(memory, window, room);
    return error->status;
}

static uint32_t add_number(uint32_t crc, uint64_t value, unsigned size)
{
    uint8_t bytes[8];

    tn_store_little(bytes, value, size);
    return tn_crc32c(crc, bytes, size);
}

uint32_t tn_tf_crc_length(uint32_t crc, uint64_t length)
{
    return add_number(crc, length, length > UINT32_MAX ? 8 : 4);
}

uint32_t tn_tf_crc_u64(uint32_t crc, uint64_t length)
{
    return add_number(crc, length, 8);
}

static enum tn_status crc_write(struct tn_sink *sink, struct tn_bytes bytes,
                                struct tn_error *error)
{
    struct tn_tf_crc_sink *self = (struct tn_tf_crc_sink *)sink;

    self->crc = tn_crc32c(self->crc, bytes.data, bytes.size);
    return tn_sink_write(self->to, bytes, error);
}

static enum tn_status crc_splice(struct tn_sink *sink, struct tn_span span,
                                 struct tn_error *error)
{
    struct tn_tf_crc_sink *self = (struct tn_tf_crc_sink *)sink;

    return sum_span(&(struct sum){ &self->crc, self->window, WINDOW, self->to },
                    span, error);
}

static enum tn_status crc_zeros(struct tn_sink *sink, uint64_t count,
                                struct tn_error *error)
{
    struct tn_tf_crc_sink *self = (struct tn_tf_crc_sink *)sink;

    self->crc = tn_crc32c_zeros(self->crc, count);
    return tn_sink_zeros(self->to, count, error);
}

static const struct tn_sink_ops crc_ops = { .write  = crc_write,
                                            .splice = crc_splice,
                                            .zeros  = crc_zeros };

enum tn_status tn_tf_crc_sink_init(struct tn_tf_crc_sink *self,
                                   struct tn_sink *to, struct tn_memory *memory,
                                   struct tn_error *error)
{
    *self        = (struct tn_tf_crc_sink){ .sink   = { .ops = &crc_ops },
                                            .to     = to,
                                            .memory = memory };
    self->window = tn_memory_resize(memory, NULL, 0, WINDOW, error);
    return error->status;
}

void tn_tf_crc_sink_done(struct tn_tf_crc_sink *self)
{
    tn_memory_free(self->memory, self->window, WINDOW);
    self->window = NULL;
}
