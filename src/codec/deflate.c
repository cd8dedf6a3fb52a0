/* deflate.c - deflate streams (RFC 1951), by libdeflate and by zlib */
#include "codec/deflate.h"

#include <inttypes.h>
#include <limits.h>

#include <libdeflate.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/arith.h"
#include "codec/hooks.h"

/* ---- all at once -------------------------------------------------------- */

static enum tn_status no_room(const struct tn_buffer *to,
                              struct tn_error        *error)
{
    if (to->error != error)
        *error = *to->error;
    return error->status;
}

static enum tn_status no_memory(struct tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                        "out of memory for deflate");
}

static enum tn_status blame(enum libdeflate_result result, size_t took,
                            struct tn_bytes packed, uint64_t offset,
                            uint64_t size, struct tn_error *error)
{
    switch (result) {
    case LIBDEFLATE_SUCCESS: break;
    case LIBDEFLATE_SHORT_OUTPUT:
        return tn_error_set(error, TN_MALFORMED, offset,
                            "deflate gives less than %" PRIu64 " bytes", size);
    case LIBDEFLATE_INSUFFICIENT_SPACE:
        return tn_error_set(error, TN_MALFORMED, offset,
                            "deflate gives more than %" PRIu64 " bytes", size);
    case LIBDEFLATE_BAD_DATA:
        return tn_error_set(error, TN_MALFORMED, offset, "damaged deflate");
    }
    if (took != packed.size)
        return tn_error_set(error, TN_MALFORMED, offset + took,
                            "a deflate stream of %zu bytes in a place of %zu",
                            took, packed.size);
    return TN_OK;
}

static enum tn_status decode_with(struct libdeflate_decompressor *decoder,
                                  struct tn_bytes packed, uint64_t offset,
                                  uint64_t size, struct tn_buffer *to,
                                  struct tn_error *error)
{
    uint8_t *room = tn_buffer_room(to, size ? (size_t)size : 1);
    size_t   took = 0, gave = 0;

    if (!room)
        return no_room(to, error);
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        decoder, packed.data, packed.size, room, (size_t)size, &took, &gave);
    if (result == LIBDEFLATE_SUCCESS && gave < size)
        result = LIBDEFLATE_SHORT_OUTPUT;
    TN_TRY(blame(result, took, packed, offset, size, error));
    to->size += (size_t)size;
    return TN_OK;
}

enum tn_status tn_deflate_decode(struct tn_bytes packed, uint64_t offset,
                                 uint64_t size, struct tn_buffer *to,
                                 struct tn_error *error)
{
    if (size / TN_DEFLATE_MOST > packed.size || packed.size == 0)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "%zu bytes of deflate cannot hold %" PRIu64,
                            packed.size, size);
    struct libdeflate_decompressor *decoder = libdeflate_alloc_decompressor();
    if (!decoder)
        return no_memory(error);
    enum tn_status status =
        decode_with(decoder, packed, offset, size, to, error);
    libdeflate_free_decompressor(decoder);
    return status;
}

enum tn_status tn_deflate_encode(struct tn_bytes bytes, int level,
                                 struct tn_buffer *to, struct tn_error *error)
{
    struct libdeflate_compressor *encoder = libdeflate_alloc_compressor(level);

    if (!encoder)
        return no_memory(error);
    size_t   most = libdeflate_deflate_compress_bound(encoder, bytes.size);
    uint8_t *room = tn_buffer_room(to, most);
    if (room)
        to->size += libdeflate_deflate_compress(encoder, bytes.data, bytes.size,
                                                room, most);
    libdeflate_free_compressor(encoder);
    return room ? TN_OK : no_room(to, error);
}

/* ---- in portions -------------------------------------------------------- */

struct deflate_stream {
    struct tn_stream stream; /* first */
    struct tn_hooks  hooks;
    z_stream         z;
    int (*end)(z_stream *z);
};

static void *hook_alloc(void *hooks, unsigned count, unsigned size)
{
    uint64_t whole;

    return tn_mul(count, size, &whole) ? tn_hook_alloc(hooks, (size_t)whole)
                                       : NULL;
}

static void deflate_close(struct tn_stream *stream)
{
    struct deflate_stream *d = (struct deflate_stream *)stream;

    if (d->end)
        (void)d->end(&d->z);
    tn_hooks_done(&d->hooks);
    tn_memory_free(stream->memory, d, sizeof *d);
}

static enum tn_status blame_zlib(const struct deflate_stream *d, int code,
                                 struct tn_error *error)
{
    if (tn_failed(&d->hooks.error))
        return tn_error_because(error, d->hooks.error.status,
                                d->hooks.error.reason, TN_NOWHERE, "%s",
                                d->hooks.error.what);
    if (code == Z_MEM_ERROR)
        return no_memory(error);
    return tn_error_set(error, TN_MALFORMED, d->stream.offset,
                        "damaged deflate: %s",
                        d->z.msg ? d->z.msg : zError(code));
}

/* zlib counts in `unsigned`; the rest is left to the next step. */
static void lend(z_stream *z, const struct tn_flow *flow)
{
    static const uint8_t nothing[1];

    z->next_in   = flow->in.size ? flow->in.data : nothing;
    z->avail_in  = (unsigned)tn_min(flow->in.size, UINT_MAX);
    z->next_out  = flow->out;
    z->avail_out = (unsigned)tn_min(flow->room, UINT_MAX);
}

static void take_back(const z_stream *z, struct tn_flow *flow)
{
    size_t took = flow->in.size ? (size_t)(z->next_in - flow->in.data) : 0;
    size_t gave = (size_t)(z->next_out - flow->out);

    if (took)
        flow->in = tn_bytes(flow->in.data + took, flow->in.size - took);
    flow->out += gave;
    flow->room -= gave;
}

static enum tn_status unpack_step(struct tn_stream *stream,
                                  struct tn_flow *flow, struct tn_error *error)
{
    struct deflate_stream *d = (struct deflate_stream *)stream;

    lend(&d->z, flow);
    int code = inflate(&d->z, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return blame_zlib(d, code, error);
    take_back(&d->z, flow);
    flow->is_done = code == Z_STREAM_END;
    return TN_OK;
}

static enum tn_status pack_step(struct tn_stream *stream, struct tn_flow *flow,
                                struct tn_error *error)
{
    struct deflate_stream *d = (struct deflate_stream *)stream;

    lend(&d->z, flow);
    bool is_last = flow->is_last && d->z.avail_in == flow->in.size;
    int  code    = deflate(&d->z, is_last ? Z_FINISH : Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return blame_zlib(d, code, error);
    take_back(&d->z, flow);
    flow->is_done = code == Z_STREAM_END;
    return TN_OK;
}

static struct deflate_stream *new_stream(struct tn_memory           *memory,
                                         const struct tn_stream_ops *ops,
                                         uint64_t                    offset,
                                         struct tn_error            *error)
{
    struct deflate_stream *d =
        tn_memory_resize(memory, NULL, 0, sizeof *d, error);

    if (!d)
        return NULL;
    *d =
        (struct deflate_stream){ .stream = { ops, memory, "deflate", offset } };
    tn_hooks_init(&d->hooks, memory);
    d->z.zalloc = hook_alloc;
    d->z.zfree  = tn_hook_free;
    d->z.opaque = &d->hooks;
    return d;
}

static enum tn_status finish_opening(struct tn_stream     **stream,
                                     struct deflate_stream *d, int code,
                                     int (*end)(z_stream *z),
                                     struct tn_error *error)
{
    *stream = NULL;
    if (code != Z_OK) {
        blame_zlib(d, code, error);
        deflate_close(&d->stream);
        return error->status;
    }
    d->end  = end;
    *stream = &d->stream;
    return TN_OK;
}

enum tn_status tn_deflate_unpacker(struct tn_stream **stream,
                                   struct tn_memory *memory, uint64_t offset,
                                   struct tn_error *error)
{
    static const struct tn_stream_ops ops = { unpack_step, deflate_close };
    struct deflate_stream *d = new_stream(memory, &ops, offset, error);

    *stream = NULL;
    if (!d)
        return error->status;
    int code = inflateInit2(&d->z, -MAX_WBITS);
    return finish_opening(stream, d, code, inflateEnd, error);
}

enum tn_status tn_deflate_packer(struct tn_stream **stream,
                                 struct tn_memory *memory, int level,
                                 struct tn_error *error)
{
    static const struct tn_stream_ops ops = { pack_step, deflate_close };
    struct deflate_stream *d = new_stream(memory, &ops, TN_NOWHERE, error);

    *stream = NULL;
    if (!d)
        return error->status;
    int code = deflateInit2(&d->z, level < 9 ? level : 9, Z_DEFLATED,
                            -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    return finish_opening(stream, d, code, deflateEnd, error);
}
