/* riegeli_packed.c - packing and unpacking buffers */
#include "base/arith.h"
#include "base/block_cache.h"
#include "base/cursor.h"
#include "base/varint.h"
#include "codec/brotli.h"
#include "codec/snappy.h"
#include "codec/zstd.h"
#include "io/pipeline.h"
#include "wire/riegeli/riegeli_packed.h"

/* ---- a brotli stream, packed by several workers if it is long ----------- */

/*
 * A stream past 32 MiB is cut into at most eight parts, which are packed
 * separately: a part does not use the window of the one before it, which costs
 * a few thousand bytes.  The places of the cuts depend on its length alone.
 *
 * Shorter parts would be packed faster, since less has to be searched, and in
 * less memory: the encoder keeps what it found in 8 MiB before it writes that.
 * But they are larger than what Google's writer makes of the same record, which
 * is one stream whatever its length.
 */

#define MOST_PARTS  8
#define MOST_CACHED (UINT64_C(24) << 20)

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

    /* An empty stream has one part, too. */
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
    struct tn_source *spooled; /* after that; NULL: nothing                   */
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

/* Bytes `begin` to `end` of the input so far. */
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

    tn_block_cache_init(&parts.cache, memory, MOST_CACHED);
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

/* A brotli stream, made of parts if it is long. */
static enum tn_status pack_parts(const struct tn_riegeli_codec *codec,
                                 const struct tn_rope *plain, unsigned workers,
                                 struct tn_memory *memory, struct tn_sink *to,
                                 struct tn_error *error)
{
    workers = tn_riegeli_brotli_workers(
        codec, tn_pipeline_workers(workers ? workers : 1), memory);
    if (workers == 1 || plain->length <= TN_RIEGELI_ONE_PART ||
        !tn_riegeli_is_at_hand(plain))
        return pack_in_order(codec, plain, memory, to, error);
    return pack_at_once(codec, plain, workers, memory, to, error);
}

enum tn_status tn_riegeli_check_compression(uint8_t type, uint64_t offset,
                                            struct tn_error *error)
{
    switch (type) {
    case TN_RIEGELI_NONE:
    case TN_RIEGELI_BROTLI:
    case TN_RIEGELI_ZSTD:
    case TN_RIEGELI_SNAPPY: return TN_OK;
    default:
        return tn_error_set(error, TN_UNSUPPORTED, offset,
                            "compression type %02x", type);
    }
}

/* ---- unpacking ---------------------------------------------------------- */

static enum tn_status stop_with(struct tn_buffer *to, struct tn_error *error)
{
    if (!tn_failed(error))
        *error = *to->error;
    return error->status;
}

static enum tn_status read_all(struct tn_span span, struct tn_buffer *to,
                               struct tn_error *error)
{
    uint8_t *room = tn_buffer_room(to, (size_t)span.length);

    if (span.length > SIZE_MAX / 2 || !room)
        return stop_with(to, error);
    TN_TRY(tn_source_read(span.source, span.offset, room, (size_t)span.length,
                          error));
    to->size += (size_t)span.length;
    return TN_OK;
}

/* Takes the plain size off the front of the span. */
static enum tn_status take_size(struct tn_span *packed, uint64_t most,
                                uint64_t *size, struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_span(*packed, error);

    *size = tn_varint(&c);
    if (!tn_failed(error) && *size > most)
        tn_fail_at(&c, packed->offset, TN_MALFORMED,
                   "%" PRIu64 " bytes are packed where at most %" PRIu64
                   " can be",
                   *size, most);
    packed->length -= c.offset - packed->offset;
    packed->offset = c.offset;
    return error->status;
}

static enum tn_status open_unpacker(enum tn_riegeli_compression type,
                                    struct tn_stream          **stream,
                                    struct tn_memory *memory, uint64_t offset,
                                    struct tn_error *error)
{
    return type == TN_RIEGELI_ZSTD
               ? tn_zstd_unpacker(stream, memory, offset, error)
               : tn_brotli_unpacker(stream, memory, offset, error);
}

static enum tn_status feed(struct tn_filter *filter, struct tn_span packed,
                           uint64_t size, struct tn_error *error)
{
    if (tn_sink_splice(&filter->sink, packed, error) == TN_OK &&
        tn_filter_last(filter, tn_bytes(NULL, 0), error) == TN_OK &&
        filter->given != size)
        tn_error_set(error, TN_MALFORMED, packed.offset,
                     "%s gives %" PRIu64 " of %" PRIu64 " bytes",
                     filter->stream->name, filter->given, size);
    return error->status;
}

/* The most memory that is allocated because a few bytes say so.  A buffer that
 * grows in steps is copied at every step, which is a tenth of the time of
 * unpacking. */
#define ROOM_AT_ONCE (UINT64_C(4) << 20)

static enum tn_status unpack_brotli(struct tn_span packed, uint64_t size,
                                    struct tn_buffer *to,
                                    struct tn_error  *error)
{
    struct tn_stream *stream;
    struct tn_filter  filter;

    /* One byte more, to see that there is none. */
    if (!tn_buffer_room(to, (size_t)tn_min(size, ROOM_AT_ONCE) + 1))
        return stop_with(to, error);
    TN_TRY(tn_brotli_unpacker(&stream, to->memory, packed.offset, error));
    tn_filter_to_buffer(&filter, stream, to, size);
    feed(&filter, packed, size, error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return error->status;
}

/* These two want their input in one piece. */
static enum tn_status unpack_whole(enum tn_riegeli_compression type,
                                   struct tn_bytes bytes, uint64_t offset,
                                   uint64_t size, struct tn_buffer *to,
                                   struct tn_error *error)
{
    size_t before = to->size;

    if (type == TN_RIEGELI_ZSTD)
        return tn_zstd_decode(bytes, offset, size, to, error);
    TN_TRY(tn_snappy_decode(bytes, offset, to, error));
    if (to->size - before == size)
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, offset,
                        "snappy gives %zu of %" PRIu64 " bytes",
                        to->size - before, size);
}

static enum tn_status unpack_gathered(enum tn_riegeli_compression type,
                                      struct tn_span packed, uint64_t size,
                                      struct tn_buffer *to,
                                      struct tn_error  *error)
{
    struct tn_buffer gathered;

    if (packed.source->map)
        return unpack_whole(
            type,
            tn_bytes(packed.source->map + packed.offset, (size_t)packed.length),
            packed.offset, size, to, error);
    tn_buffer_init(&gathered, to->memory, error);
    if (read_all(packed, &gathered, error) == TN_OK)
        unpack_whole(type, tn_buffer_bytes(&gathered), packed.offset, size, to,
                     error);
    tn_buffer_done(&gathered);
    return error->status;
}

enum tn_status tn_riegeli_unpack(enum tn_riegeli_compression type,
                                 struct tn_span packed, uint64_t most,
                                 struct tn_buffer *to, struct tn_error *error)
{
    uint64_t size = packed.length;

    if (tn_failed(error) || !packed.source)
        return error->status;
    if (type == TN_RIEGELI_NONE && size > most)
        return tn_error_set(
            error, TN_MALFORMED, packed.offset,
            "%" PRIu64 " bytes where at most %" PRIu64 " can be", size, most);
    if (type == TN_RIEGELI_NONE)
        return read_all(packed, to, error);
    TN_TRY(take_size(&packed, most, &size, error));
    if (type == TN_RIEGELI_BROTLI)
        return unpack_brotli(packed, size, to, error);
    return unpack_gathered(type, packed, size, to, error);
}

/* Snappy cannot work in portions. */
static enum tn_status unpack_all(struct tn_span packed, uint64_t size,
                                 struct tn_memory *memory, struct tn_sink *to,
                                 struct tn_error *error)
{
    struct tn_buffer plain;

    tn_buffer_init(&plain, memory, error);
    if (unpack_gathered(TN_RIEGELI_SNAPPY, packed, size, &plain, error) ==
        TN_OK)
        tn_sink_write(to, tn_buffer_bytes(&plain), error);
    tn_buffer_done(&plain);
    return error->status;
}

enum tn_status tn_riegeli_unpack_to(enum tn_riegeli_compression type,
                                    struct tn_span packed, uint64_t size,
                                    struct tn_memory *memory,
                                    struct tn_sink *to, struct tn_error *error)
{
    struct tn_stream *stream;
    struct tn_filter  filter;
    uint64_t          stated, begin = packed.offset;

    TN_TRY(take_size(&packed, size, &stated, error));
    if (stated != size)
        return tn_error_set(error, TN_MALFORMED, begin,
                            "records of %" PRIu64 " bytes, but %" PRIu64
                            " in the chunk's header",
                            stated, size);
    if (type == TN_RIEGELI_SNAPPY)
        return unpack_all(packed, size, memory, to, error);
    TN_TRY(open_unpacker(type, &stream, memory, packed.offset, error));
    tn_filter_to_sink(&filter, stream, to, size);
    feed(&filter, packed, size, error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return error->status;
}

enum tn_status tn_riegeli_unpack_spooled(enum tn_riegeli_compression type,
                                         struct tn_span packed, uint64_t size,
                                         struct tn_memory  *memory,
                                         struct tn_source **to,
                                         struct tn_error   *error)
{
    struct tn_spool spool;

    *to = NULL;
    TN_TRY(tn_spool_open(&spool, memory, error));
    tn_riegeli_unpack_to(type, packed, size, memory, &spool.sink, error);
    tn_spool_finish(&spool, to, "", error);
    return error->status;
}

/* ---- packing ------------------------------------------------------------ */

static enum tn_status open_packer(const struct tn_riegeli_codec *codec,
                                  struct tn_stream             **stream,
                                  struct tn_memory *memory, uint64_t size,
                                  struct tn_error *error)
{
    if (codec->type == TN_RIEGELI_ZSTD)
        return tn_zstd_packer(stream, memory, codec->level, codec->window_log,
                              size, error);
    return tn_brotli_packer(stream, memory, codec->level,
                            codec->window_log ? codec->window_log
                                              : TN_RIEGELI_BROTLI_WINDOW_LOG,
                            size, error);
}

enum tn_status tn_riegeli_pack(const struct tn_riegeli_codec *codec,
                               struct tn_bytes plain, struct tn_buffer *to,
                               struct tn_error *error)
{
    if (codec->type != TN_RIEGELI_NONE)
        tn_buffer_varint(to, plain.size);
    else
        tn_buffer_add(to, plain);
    if (tn_failed(to->error))
        return stop_with(to, error);
    if (codec->type == TN_RIEGELI_NONE)
        return TN_OK;
    if (codec->type == TN_RIEGELI_SNAPPY)
        return tn_snappy_encode(plain, to, error);
    if (codec->type == TN_RIEGELI_ZSTD)
        return tn_zstd_encode(plain, codec->level, codec->window_log, to,
                              error);
    struct tn_stream *stream;
    struct tn_filter  filter;
    TN_TRY(open_packer(codec, &stream, to->memory, plain.size, error));
    tn_filter_to_buffer(&filter, stream, to, UINT64_MAX);
    tn_filter_last(&filter, plain, error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return error->status;
}

static enum tn_status pack_rope_whole(const struct tn_riegeli_codec *codec,
                                      const struct tn_rope          *plain,
                                      struct tn_memory              *memory,
                                      struct tn_sink                *to,
                                      struct tn_error               *error)
{
    struct tn_buffer bytes, packed;

    tn_buffer_init(&bytes, memory, error);
    tn_buffer_init(&packed, memory, error);
    if (tn_rope_write(plain, &bytes.sink, error) == TN_OK &&
        tn_riegeli_pack(codec, tn_buffer_bytes(&bytes), &packed, error) ==
            TN_OK)
        tn_sink_write(to, tn_buffer_bytes(&packed), error);
    tn_buffer_done(&bytes);
    tn_buffer_done(&packed);
    return error->status;
}

enum tn_status tn_riegeli_pack_rope(const struct tn_riegeli_codec *codec,
                                    const struct tn_rope          *plain,
                                    unsigned workers, struct tn_memory *memory,
                                    struct tn_sink *to, struct tn_error *error)
{
    struct tn_stream *stream;
    struct tn_filter  filter;
    uint8_t           size[TN_VARINT_MAX];

    if (codec->type == TN_RIEGELI_NONE)
        return tn_rope_write(plain, to, error);
    if (codec->type == TN_RIEGELI_SNAPPY)
        return pack_rope_whole(codec, plain, memory, to, error);
    TN_TRY(tn_sink_write(to, tn_bytes(size, tn_varint_put(size, plain->length)),
                         error));
    if (codec->type == TN_RIEGELI_BROTLI)
        return pack_parts(codec, plain, workers, memory, to, error);
    TN_TRY(open_packer(codec, &stream, memory, plain->length, error));
    tn_filter_to_sink(&filter, stream, to, UINT64_MAX);
    if (tn_rope_write(plain, &filter.sink, error) == TN_OK)
        tn_filter_last(&filter, tn_bytes(NULL, 0), error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return error->status;
}

/* ---- spilling ----------------------------------------------------------- */

#define MOST_IN_MEMORY ((size_t)4 << 20)
#define ROOM_STEP      ((size_t)256 << 10) /* sizes that fit the next, too */

static enum tn_status spill_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct tn_riegeli_spill *spill = (struct tn_riegeli_spill *)sink;

    if (!spill->is_spooled && (spill->to->size > MOST_IN_MEMORY ||
                               bytes.size > MOST_IN_MEMORY - spill->to->size)) {
        TN_TRY(tn_spool_open(&spill->spool, spill->to->memory, error));
        spill->is_spooled = true;
    }
    return tn_sink_write(spill->is_spooled ? &spill->spool.sink
                                           : &spill->to->sink,
                         bytes, error);
}

void tn_riegeli_spill_init(struct tn_riegeli_spill *spill, struct tn_buffer *to)
{
    static const struct tn_sink_ops ops = { .write = spill_write };

    *spill = (struct tn_riegeli_spill){ .sink = { .ops = &ops }, .to = to };
}

void tn_riegeli_spill_finish(struct tn_riegeli_spill *spill,
                             struct tn_source **rest, struct tn_error *error)
{
    *rest = NULL;
    if (spill->is_spooled)
        tn_spool_finish(&spill->spool, rest, "", error);
}

/* How much address space a record gets for its packed form, before the size is
 * known. Pages that are not needed are never touched. */
static size_t room_for(size_t size)
{
    return (size_t)tn_min(size / 8 / ROOM_STEP * ROOM_STEP, MOST_IN_MEMORY);
}

enum tn_status tn_riegeli_pack_bytes(const struct tn_riegeli_codec *codec,
                                     struct tn_bytes                plain,
                                     struct tn_memory              *memory,
                                     struct tn_riegeli_spill       *to,
                                     struct tn_error               *error)
{
    uint8_t size[TN_VARINT_MAX];

    if (!tn_buffer_room(to->to, room_for(plain.size)))
        return stop_with(to->to, error);
    TN_TRY(tn_sink_write(
        &to->sink, tn_bytes(size, tn_varint_put(size, plain.size)), error));
    return tn_zstd_encode_to(plain, codec->level, codec->window_log, memory,
                             to->to, &to->sink, error);
}
