/*
 * riegeli_parts.c - one long brotli stream, packed by several workers
 *
 * The stream is cut every 4 MiB, as far as its usual window reaches back, and
 * the parts are packed apart.  Where it is cut depends on its length alone.
 */
#include "base/arith.h"
#include "codec/brotli.h"
#include "io/workers.h"
#include "wire/riegeli/riegeli_packed.h"

#define PART_SIZE    ((size_t)4 << 20)
#define MOST_WORKERS 8

struct part {
    struct tn_buffer plain, packed;
};

/* A sink: what is written to it fills the parts. */
struct parts {
    struct tn_sink                 sink; /* first */
    const struct tn_riegeli_codec *codec;
    struct tn_memory              *memory;
    struct tn_sink                *to;
    uint64_t                       length;  /* of the whole                   */
    uint64_t                       written; /* plain bytes of parts done      */
    unsigned                       workers;
    unsigned                       filled; /* parts that are complete         */
    struct part                    items[MOST_WORKERS];
};

static enum tn_status pack_part(void *context, uint64_t index,
                                struct tn_error *error)
{
    struct parts     *parts  = context;
    struct part      *part   = &parts->items[index];
    uint64_t          before = parts->written + index * PART_SIZE;
    int               log    = parts->codec->window_log;
    struct tn_stream *stream;
    struct tn_filter  filter;

    TN_TRY(tn_brotli_part_packer(
        &stream, parts->memory, parts->codec->level,
        log ? log : TN_RIEGELI_BROTLI_WINDOW_LOG, part->plain.size, before,
        before + part->plain.size == parts->length, error));
    part->packed.error = error;
    tn_filter_to_buffer(&filter, stream, &part->packed, UINT64_MAX);
    tn_filter_last(&filter, tn_buffer_bytes(&part->plain), error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    part->packed.error = part->plain.error; /* `error` ends with this job */
    return error->status;
}

/* Packs the parts that are there and writes them in order. */
static enum tn_status write_parts(struct parts *parts, struct tn_error *error)
{
    unsigned count = parts->filled;

    TN_TRY(tn_workers_run(parts->workers, count, pack_part, parts, error));
    for (unsigned i = 0; i < count; i++) {
        struct part *part = &parts->items[i];
        TN_TRY(tn_sink_write(parts->to, tn_buffer_bytes(&part->packed), error));
        parts->written += part->plain.size;
        tn_buffer_clear(&part->plain);
        tn_buffer_clear(&part->packed);
    }
    parts->filled = 0;
    return TN_OK;
}

static enum tn_status parts_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct parts *parts = (struct parts *)sink;

    while (bytes.size) {
        struct tn_buffer *plain = &parts->items[parts->filled].plain;
        size_t size = (size_t)tn_min(bytes.size, PART_SIZE - plain->size);
        tn_buffer_add(plain, tn_bytes(bytes.data, size));
        if (tn_failed(plain->error))
            return error->status;
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
        parts->filled += plain->size == PART_SIZE;
        if (parts->filled == parts->workers)
            TN_TRY(write_parts(parts, error));
    }
    return TN_OK;
}

static const struct tn_sink_ops parts_ops = { .write = parts_write };

/* The last part may be short; with no bytes at all it is empty. */
static enum tn_status finish(struct parts *parts, struct tn_error *error)
{
    bool has_rest = parts->filled < parts->workers &&
                    parts->items[parts->filled].plain.size > 0;

    parts->filled += has_rest || parts->length == 0;
    return parts->filled ? write_parts(parts, error) : TN_OK;
}

enum tn_status tn_riegeli_pack_parts(const struct tn_riegeli_codec *codec,
                                     const struct tn_rope          *plain,
                                     unsigned workers, struct tn_memory *memory,
                                     struct tn_sink *to, struct tn_error *error)
{
    struct parts parts = { .sink    = { .ops = &parts_ops },
                           .codec   = codec,
                           .memory  = memory,
                           .to      = to,
                           .length  = plain->length,
                           .workers = workers < 1              ? 1
                                      : workers > MOST_WORKERS ? MOST_WORKERS
                                                               : workers };

    for (unsigned i = 0; i < MOST_WORKERS; i++) {
        tn_buffer_init(&parts.items[i].plain, memory, error);
        tn_buffer_init(&parts.items[i].packed, memory, error);
    }
    if (tn_rope_write(plain, &parts.sink, error) == TN_OK)
        finish(&parts, error);
    for (unsigned i = 0; i < MOST_WORKERS; i++) {
        tn_buffer_done(&parts.items[i].plain);
        tn_buffer_done(&parts.items[i].packed);
    }
    return error->status;
}
