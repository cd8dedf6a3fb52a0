/* riegeli_packed.c - packed buffers, there and back */
#include "wire/riegeli/riegeli_packed.h"

#include "base/arith.h"
#include "base/cursor.h"
#include "base/varint.h"
#include "codec/brotli.h"
#include "codec/snappy.h"
#include "codec/zstd.h"

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

/* What a few bytes may ask for at once.  A buffer that grows to its size in
 * steps is copied as often, which is a tenth of unpacking. */
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

/* Snappy knows no portions. */
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

static enum tn_status pack_stream(const struct tn_riegeli_codec *codec,
                                  struct tn_bytes plain, struct tn_buffer *to,
                                  struct tn_error *error)
{
    struct tn_stream *stream;
    struct tn_filter  filter;

    TN_TRY(open_packer(codec, &stream, to->memory, plain.size, error));
    tn_filter_to_buffer(&filter, stream, to, UINT64_MAX);
    tn_filter_last(&filter, plain, error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return error->status;
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
    return pack_stream(codec, plain, to, error);
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
        return tn_riegeli_pack_parts(codec, plain, workers, memory, to, error);
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
#define ROOM_STEP      ((size_t)256 << 10) /* rooms that fit the next, too */

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

/* How much room a record is given to be packed into, before anybody knows how
 * much it needs: what is too much is never touched. */
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
