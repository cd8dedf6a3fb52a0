/*
 * riegeli_parts.c - one long brotli stream, packed by several workers
 *
 * The stream is cut every 4 MiB, as far as its usual window reaches back, and
 * the parts are packed apart, each as soon as its bytes are there.  Where it is
 * cut depends on its length alone.
 */
#include "base/arith.h"
#include "base/shelf.h"
#include "codec/brotli.h"
#include "io/pipeline.h"
#include "wire/riegeli/riegeli_packed.h"

#define PART_SIZE    ((size_t)4 << 20)
#define MOST_SHELVED (UINT64_C(24) << 20)

struct part {
    struct tn_bytes  plain;    /* in memory already                           */
    struct tn_buffer gathered; /* or put together here                        */
    struct tn_buffer packed;
    uint64_t         before; /* plain bytes of the parts before it            */
    struct tn_error  error;
};

/* A sink: what is written to it is gathered in the next part. */
struct parts {
    struct tn_sink                 sink; /* first */
    const struct tn_riegeli_codec *codec;
    struct tn_sink                *to;
    uint64_t                       length; /* of the whole                    */
    uint64_t                       cut;    /* bytes in parts that were added  */
    struct tn_shelf                shelf;
    struct tn_pipeline             pipeline;
    struct part                    items[TN_PIPELINE_WORKERS + 1];
};

static struct tn_bytes plain_of(const struct part *part)
{
    return part->plain.data ? part->plain : tn_buffer_bytes(&part->gathered);
}

static enum tn_status pack_part(struct parts *parts, struct part *part,
                                struct tn_error *error)
{
    struct tn_bytes   plain = plain_of(part);
    int               log   = parts->codec->window_log;
    struct tn_stream *stream;
    struct tn_filter  filter;

    TN_TRY(tn_brotli_part_packer(
        &stream, &parts->shelf.memory, parts->codec->level,
        log ? log : TN_RIEGELI_BROTLI_WINDOW_LOG, plain.size, part->before,
        part->before + plain.size == parts->length, error));
    tn_filter_to_buffer(&filter, stream, &part->packed, UINT64_MAX);
    tn_filter_last(&filter, plain, error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return error->status;
}

static void pack_slot(void *context, uint32_t slot)
{
    struct parts *parts = context;
    struct part  *part  = &parts->items[slot];

    (void)pack_part(parts, part, &part->error);
}

static struct part *next_part(struct parts *parts)
{
    return &parts->items[tn_pipeline_next(&parts->pipeline)];
}

static enum tn_status write_oldest(struct parts *parts, struct tn_error *error)
{
    uint32_t     slot = tn_pipeline_take(&parts->pipeline);
    struct part *part = &parts->items[slot];

    if (part->error.status == TN_NO_MEMORY &&
        tn_pipeline_is_shared(&parts->pipeline)) {
        part->error = (struct tn_error)TN_ERROR_INIT;
        tn_buffer_clear(&part->packed);
        tn_pipeline_again(&parts->pipeline, slot);
    }
    if (tn_failed(&part->error))
        *error = part->error;
    else
        tn_sink_write(parts->to, tn_buffer_bytes(&part->packed), error);
    part->plain = tn_bytes(NULL, 0);
    tn_buffer_clear(&part->gathered);
    tn_buffer_clear(&part->packed);
    return error->status;
}

/* The next part is complete. */
static enum tn_status add_part(struct parts *parts, struct tn_error *error)
{
    struct part *part = next_part(parts);

    part->before = parts->cut;
    parts->cut += plain_of(part).size;
    tn_pipeline_add(&parts->pipeline);
    while (tn_pipeline_is_full(&parts->pipeline) ||
           tn_pipeline_is_ready(&parts->pipeline))
        TN_TRY(write_oldest(parts, error));
    return TN_OK;
}

/* ---- what comes in ------------------------------------------------------ */

static enum tn_status parts_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct parts *parts = (struct parts *)sink;

    while (bytes.size) {
        struct tn_buffer *to   = &next_part(parts)->gathered;
        size_t            size = tn_min(bytes.size, PART_SIZE - to->size);
        to->error              = error;
        tn_buffer_add(to, tn_bytes(bytes.data, size));
        TN_TRY(error->status);
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
        if (to->size == PART_SIZE)
            TN_TRY(add_part(parts, error));
    }
    return TN_OK;
}

static const struct tn_sink_ops parts_ops = { .write = parts_write };

/* Bytes that stay where they are: whole parts of them are packed there. */
static enum tn_status add_bytes(struct parts *parts, struct tn_bytes bytes,
                                struct tn_error *error)
{
    while (bytes.size) {
        size_t used = next_part(parts)->gathered.size;
        size_t size = tn_min(bytes.size, PART_SIZE - used);
        bool   ends = parts->cut + size == parts->length;
        if (used || (size < PART_SIZE && !ends)) {
            TN_TRY(
                tn_sink_write(&parts->sink, tn_bytes(bytes.data, size), error));
        } else {
            next_part(parts)->plain = tn_bytes(bytes.data, size);
            TN_TRY(add_part(parts, error));
        }
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
    }
    return TN_OK;
}

static enum tn_status add_rope(struct parts *parts, const struct tn_rope *rope,
                               struct tn_error *error)
{
    for (uint64_t i = 0; i < rope->pieces.count; i++) {
        const struct tn_piece *piece =
            tn_list_at(&rope->pieces, struct tn_piece, i);
        struct tn_bytes bytes = tn_piece_look(piece);
        if (bytes.data)
            TN_TRY(add_bytes(parts, bytes, error));
        else
            TN_TRY(tn_piece_write(piece, &parts->sink, error));
    }
    /* The last part may be short; with no bytes at all it is empty. */
    if (next_part(parts)->gathered.size || parts->length == 0)
        TN_TRY(add_part(parts, error));
    while (tn_pipeline_count(&parts->pipeline))
        TN_TRY(write_oldest(parts, error));
    return TN_OK;
}

enum tn_status tn_riegeli_pack_parts(const struct tn_riegeli_codec *codec,
                                     const struct tn_rope          *plain,
                                     unsigned workers, struct tn_memory *memory,
                                     struct tn_sink *to, struct tn_error *error)
{
    struct parts parts = { .sink   = { .ops = &parts_ops },
                           .codec  = codec,
                           .to     = to,
                           .length = plain->length };
    unsigned     count = tn_pipeline_workers(workers ? workers : 1);

    tn_shelf_init(&parts.shelf, memory, MOST_SHELVED);
    for (unsigned i = 0; i <= count; i++) {
        struct part *part = &parts.items[i];
        part->error       = (struct tn_error)TN_ERROR_INIT;
        tn_buffer_init(&part->gathered, &parts.shelf.memory, error);
        tn_buffer_init(&part->packed, &parts.shelf.memory, &part->error);
    }
    tn_pipeline_open(&parts.pipeline, count, count + (count > 1), pack_slot,
                     &parts);
    add_rope(&parts, plain, error);
    tn_pipeline_close(&parts.pipeline);
    for (unsigned i = 0; i <= count; i++) {
        tn_buffer_done(&parts.items[i].gathered);
        tn_buffer_done(&parts.items[i].packed);
    }
    tn_shelf_done(&parts.shelf);
    return error->status;
}
