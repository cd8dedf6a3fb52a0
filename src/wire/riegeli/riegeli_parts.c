/*
 * riegeli_parts.c - a brotli stream, packed by several workers if it is long
 *
 * A stream past 32 MiB is cut into parts, at most eight, which are packed
 * apart: no part knows what the one before it had in its window, which costs a
 * few thousand bytes.  Where it is cut depends on its length alone.
 *
 * Shorter parts would be packed faster, since less has to be searched, and in
 * less memory: the encoder keeps what it found in 8 MiB before it writes
 * that.  But they are larger than what Google's writer makes of the same
 * record, which is one stream whatever its length.
 */
#include "base/arith.h"
#include "base/block_cache.h"
#include "codec/brotli.h"
#include "io/pipeline.h"
#include "wire/riegeli/riegeli_packed.h"

#define MOST_PARTS   8
#define MOST_SHELVED (UINT64_C(24) << 20)

static int window_log(const struct tn_riegeli_codec *codec)
{
    return codec->window_log ? codec->window_log : TN_RIEGELI_BROTLI_WINDOW_LOG;
}

unsigned tn_riegeli_brotli_workers(const struct tn_riegeli_codec *codec,
                                   unsigned                       workers,
                                   const struct tn_memory        *memory)
{
    return tn_pipeline_affords(
        workers, tn_brotli_packer_memory(codec->level, window_log(codec)),
        memory);
}

/* ---- one after the other ------------------------------------------------ */

/* A sink: begins the next part where the last one is complete. */
struct packing {
    struct tn_sink                 sink; /* first */
    const struct tn_riegeli_codec *codec;
    struct tn_memory              *memory;
    struct tn_sink                *to;
    uint64_t                       length;  /* of the whole stream            */
    uint64_t                       part;    /* length of all parts but one    */
    uint64_t                       at, end; /* of the part that is open       */
    struct tn_stream              *stream;  /* NULL: none is                  */
    struct tn_filter               filter;
};

static enum tn_status begin_part(struct packing *p, struct tn_error *error)
{
    uint64_t size = tn_min(p->part, p->length - p->at);

    TN_TRY(tn_brotli_part_packer(&p->stream, p->memory, p->codec->level,
                                 window_log(p->codec), size, p->at,
                                 size == p->length - p->at, error));
    p->end = p->at + size;
    tn_filter_to_sink(&p->filter, p->stream, p->to, UINT64_MAX);
    return TN_OK;
}

static void drop_part(struct packing *p)
{
    if (!p->stream)
        return;
    tn_filter_done(&p->filter);
    tn_stream_close(p->stream);
    p->stream = NULL;
}

static enum tn_status end_part(struct packing *p, struct tn_error *error)
{
    TN_TRY(tn_filter_last(&p->filter, tn_bytes(NULL, 0), error));
    drop_part(p);
    return TN_OK;
}

static enum tn_status packing_write(struct tn_sink *sink, struct tn_bytes bytes,
                                    struct tn_error *error)
{
    struct packing *p = (struct packing *)sink;

    while (bytes.size) {
        if (!p->stream)
            TN_TRY(begin_part(p, error));
        size_t size = (size_t)tn_min(bytes.size, p->end - p->at);
        TN_TRY(
            tn_sink_write(&p->filter.sink, tn_bytes(bytes.data, size), error));
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
        p->at += size;
        if (p->at == p->end)
            TN_TRY(end_part(p, error));
    }
    return TN_OK;
}

static const struct tn_sink_ops packing_ops = { .write = packing_write };

/* Up to eight parts, but none shorter than it must be. */
static uint64_t part_size(uint64_t length)
{
    return tn_max(TN_RIEGELI_ONE_PART,
                  length / MOST_PARTS + (length % MOST_PARTS != 0));
}

static struct packing packing_for(const struct tn_riegeli_codec *codec,
                                  const struct tn_rope          *plain,
                                  struct tn_memory *memory, struct tn_sink *to)
{
    return (struct packing){ .sink   = { .ops = &packing_ops },
                             .codec  = codec,
                             .memory = memory,
                             .to     = to,
                             .length = plain->length,
                             .part   = part_size(plain->length) };
}

static enum tn_status pack_in_order(const struct tn_riegeli_codec *codec,
                                    const struct tn_rope          *plain,
                                    struct tn_memory              *memory,
                                    struct tn_sink *to, struct tn_error *error)
{
    struct packing packing = packing_for(codec, plain, memory, to);

    /* Nothing at all is a part, too. */
    if (plain->length == 0 && begin_part(&packing, error) == TN_OK)
        end_part(&packing, error);
    if (!tn_failed(error))
        tn_rope_write(plain, &packing.sink, error);
    drop_part(&packing);
    return error->status;
}

/* ---- several at once ---------------------------------------------------- */

struct part {
    uint64_t          begin;
    struct tn_buffer  packed;
    struct tn_source *spooled; /* behind that; NULL: nothing                  */
    struct tn_error   error;
};

struct parts {
    const struct tn_riegeli_codec *codec;
    const struct tn_rope          *plain;
    struct tn_sink                *to;
    struct tn_block_cache          cache;
    struct tn_pipeline             pipeline;
    struct part                    items[TN_PIPELINE_WORKERS + 1];
};

bool tn_riegeli_is_at_hand(const struct tn_rope *rope)
{
    for (uint64_t i = 0; i < rope->pieces.count; i++)
        if (!tn_piece_look(tn_list_at(&rope->pieces, struct tn_piece, i)).data)
            return false;
    return true;
}

/* Bytes `begin` to `end` of what is at hand. */
static enum tn_status write_range(const struct tn_rope *rope, uint64_t begin,
                                  uint64_t end, struct tn_sink *to,
                                  struct tn_error *error)
{
    uint64_t at = 0;

    for (uint64_t i = 0; i < rope->pieces.count && at < end; i++) {
        struct tn_bytes bytes =
            tn_piece_look(tn_list_at(&rope->pieces, struct tn_piece, i));
        uint64_t from = tn_max(at, begin), until = tn_min(at + bytes.size, end);
        if (from < until)
            TN_TRY(tn_sink_write(
                to, tn_bytes(bytes.data + (from - at), (size_t)(until - from)),
                error));
        at += bytes.size;
    }
    return TN_OK;
}

static void pack_slot(void *context, uint32_t slot)
{
    struct parts           *parts = context;
    struct part            *part  = &parts->items[slot];
    struct tn_riegeli_spill spill;
    struct packing          packing = packing_for(parts->codec, parts->plain,
                                                  &parts->cache.memory, &spill.sink);

    packing.at   = part->begin;
    uint64_t end = tn_min(part->begin + packing.part, parts->plain->length);
    tn_riegeli_spill_init(&spill, &part->packed);
    write_range(parts->plain, part->begin, end, &packing.sink, &part->error);
    drop_part(&packing);
    tn_riegeli_spill_finish(&spill, &part->spooled, &part->error);
}

static void clear_part(struct part *part)
{
    tn_buffer_clear(&part->packed);
    tn_source_close(part->spooled);
    part->spooled = NULL;
}

static enum tn_status write_part(const struct part *part, struct tn_sink *to,
                                 struct tn_error *error)
{
    struct tn_source *rest = part->spooled;

    TN_TRY(tn_sink_write(to, tn_buffer_bytes(&part->packed), error));
    return rest ? tn_sink_splice(to, (struct tn_span){ rest, 0, rest->size },
                                 error)
                : TN_OK;
}

static enum tn_status write_oldest(struct parts *parts, struct tn_error *error)
{
    uint32_t     slot = tn_pipeline_take(&parts->pipeline);
    struct part *part = &parts->items[slot];

    if (part->error.status == TN_NO_MEMORY &&
        tn_pipeline_is_shared(&parts->pipeline)) {
        part->error = (struct tn_error)TN_ERROR_INIT;
        clear_part(part);
        tn_pipeline_again(&parts->pipeline, slot);
    }
    if (tn_failed(&part->error))
        *error = part->error;
    else
        write_part(part, parts->to, error);
    clear_part(part);
    return error->status;
}

static enum tn_status pack_all(struct parts *parts, struct tn_error *error)
{
    uint64_t length = parts->plain->length, step = part_size(length);

    for (uint64_t at = 0; at < length; at += tn_min(step, length - at)) {
        parts->items[tn_pipeline_next(&parts->pipeline)].begin = at;
        tn_pipeline_add(&parts->pipeline);
        while (tn_pipeline_is_full(&parts->pipeline) ||
               tn_pipeline_is_ready(&parts->pipeline))
            TN_TRY(write_oldest(parts, error));
    }
    while (tn_pipeline_count(&parts->pipeline))
        TN_TRY(write_oldest(parts, error));
    return TN_OK;
}

static enum tn_status pack_at_once(const struct tn_riegeli_codec *codec,
                                   const struct tn_rope          *plain,
                                   unsigned workers, struct tn_memory *memory,
                                   struct tn_sink *to, struct tn_error *error)
{
    struct parts parts = { .codec = codec, .plain = plain, .to = to };

    tn_block_cache_init(&parts.cache, memory, MOST_SHELVED);
    for (unsigned i = 0; i <= workers; i++) {
        struct part *part = &parts.items[i];
        part->error       = (struct tn_error)TN_ERROR_INIT;
        tn_buffer_init(&part->packed, &parts.cache.memory, &part->error);
    }
    tn_pipeline_open(&parts.pipeline, workers, workers + 1, pack_slot, &parts);
    tn_pipeline_watches(&parts.pipeline, memory);
    pack_all(&parts, error);
    tn_pipeline_close(&parts.pipeline);
    for (unsigned i = 0; i <= workers; i++) {
        clear_part(&parts.items[i]);
        tn_buffer_done(&parts.items[i].packed);
    }
    tn_block_cache_done(&parts.cache);
    return error->status;
}

enum tn_status tn_riegeli_pack_parts(const struct tn_riegeli_codec *codec,
                                     const struct tn_rope          *plain,
                                     unsigned workers, struct tn_memory *memory,
                                     struct tn_sink *to, struct tn_error *error)
{
    workers = tn_riegeli_brotli_workers(
        codec, tn_pipeline_workers(workers ? workers : 1), memory);
    if (workers == 1 || plain->length <= TN_RIEGELI_ONE_PART ||
        !tn_riegeli_is_at_hand(plain))
        return pack_in_order(codec, plain, memory, to, error);
    return pack_at_once(codec, plain, workers, memory, to, error);
}
