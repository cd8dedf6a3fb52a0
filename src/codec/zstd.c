/* zstd.c - Zstandard frames (RFC 8878), by libzstd */
#define ZSTD_STATIC_LINKING_ONLY /* for allocators of our own */
#include "codec/zstd.h"

#include <assert.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stddef.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/arith.h"
#include "base/block_cache.h"
#include "base/watch.h"
#include "codec/hooks.h"

/* The densest block: a header of three bytes and one byte, repeated. */
#define BLOCK_BYTES 4
#define BLOCK_GIVES (UINT64_C(128) << 10)

/* More than any block needs, so that a block is written there in one step. */
#define OUT_WINDOW ((size_t)136 << 10)

static ZSTD_customMem memory_of(struct tn_hooks *hooks)
{
    return (ZSTD_customMem){ tn_hook_alloc, tn_hook_free, hooks };
}

static enum tn_status blame(const struct tn_hooks *hooks, size_t code,
                            uint64_t offset, struct tn_error *error)
{
    if (tn_failed(&hooks->error))
        return tn_error_because(error, hooks->error.status, hooks->error.reason,
                                TN_NOWHERE, "%s", hooks->error.what);
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                            "out of memory for zstd");
    return tn_error_set(error, TN_MALFORMED, offset, "damaged zstd: %s",
                        ZSTD_getErrorName(code));
}

/* ---- contexts ------------------------------------------------------------
 *
 * Making one takes as long as packing a few kilobytes: the library asks for the
 * abilities of the processor, and virtual machines answer slowly.  So contexts
 * are kept if there is a cache. */

/* A larger one costs more memory than it saves time. */
#define MOST_KEPT ((size_t)4 << 20)

#define FEW 4096

struct context {
    struct tn_tool    tool; /* first */
    struct tn_memory *memory;
    struct tn_hooks   hooks;
    ZSTD_CCtx        *packer; /* one of them                                  */
    ZSTD_DCtx        *unpacker;
};

static void drop_context(struct context *context)
{
    ZSTD_freeCCtx(context->packer);
    ZSTD_freeDCtx(context->unpacker);
    tn_hooks_done(&context->hooks);
    tn_memory_free(context->memory, context, sizeof *context);
}

/* One function for each kind of tool: its address identifies the kind. Tables
 * of a packer for a few bytes differ from those of one for many, so each has
 * its own. */
static void drop_packer(struct tn_tool *tool)
{
    drop_context((struct context *)tool);
}

static void drop_small_packer(struct tn_tool *tool)
{
    struct context *context = (struct context *)tool;

    assert(!context->unpacker);
    drop_context(context);
}

static void drop_unpacker(struct tn_tool *tool)
{
    struct context *context = (struct context *)tool;

    assert(!context->packer);
    drop_context(context);
}

static struct context *new_context(struct tn_memory *memory, tn_tool_drop *drop,
                                   struct tn_error *error)
{
    struct context *context =
        tn_memory_resize(memory, NULL, 0, sizeof *context, error);

    if (!context)
        return NULL;
    *context = (struct context){ .tool = { drop }, .memory = memory };
    tn_hooks_init(&context->hooks, memory);
    if (drop == drop_unpacker)
        context->unpacker =
            ZSTD_createDCtx_advanced(memory_of(&context->hooks));
    else
        context->packer = ZSTD_createCCtx_advanced(memory_of(&context->hooks));
    if (context->packer || context->unpacker)
        return context;
    blame(&context->hooks, 0, TN_NOWHERE, error);
    drop_context(context);
    return NULL;
}

static struct context *take_context(struct tn_memory *memory,
                                    tn_tool_drop *drop, struct tn_error *error)
{
    struct tn_tool *kept = tn_block_cache_take_tool(memory, drop);

    return kept ? (struct context *)kept : new_context(memory, drop, error);
}

static void leave_context(struct context *context, const struct tn_error *error)
{
    size_t size = context->packer ? ZSTD_sizeof_CCtx(context->packer)
                                  : ZSTD_sizeof_DCtx(context->unpacker);

    if (tn_failed(error) || size > MOST_KEPT)
        context->tool.drop(&context->tool);
    else
        tn_block_cache_keep_tool(context->memory, &context->tool);
}

/* ---- all at once -------------------------------------------------------- */

static enum tn_status check_frame(struct tn_bytes packed, uint64_t offset,
                                  uint64_t size, struct tn_error *error)
{
    size_t   frame = ZSTD_findFrameCompressedSize(packed.data, packed.size);
    uint64_t most;

    if (ZSTD_isError(frame))
        return tn_error_set(error, TN_MALFORMED, offset, "damaged zstd: %s",
                            ZSTD_getErrorName(frame));
    if (frame != packed.size)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "a zstd frame of %zu bytes in a place of %zu",
                            frame, packed.size);
    if (!tn_mul(packed.size / BLOCK_BYTES + 1, BLOCK_GIVES, &most) ||
        size > most)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "%zu bytes of zstd cannot hold %" PRIu64,
                            packed.size, size);
    return TN_OK;
}

static enum tn_status decode_with(struct context *context,
                                  struct tn_bytes packed, uint64_t offset,
                                  uint64_t size, uint8_t *room,
                                  struct tn_error *error)
{
    ZSTD_DCtx_setParameter(context->unpacker, ZSTD_d_windowLogMax,
                           TN_ZSTD_WINDOW_LOG_MAX);
    size_t got = ZSTD_decompressDCtx(context->unpacker, room, (size_t)size,
                                     packed.data, packed.size);
    if (ZSTD_isError(got))
        return blame(&context->hooks, got, offset, error);
    if (got != size)
        return tn_error_set(error, TN_MALFORMED, offset,
                            "zstd gives %zu of %" PRIu64 " bytes", got, size);
    return TN_OK;
}

static enum tn_status decode_to(struct tn_bytes packed, uint64_t offset,
                                uint64_t size, uint8_t *room,
                                struct tn_memory *memory,
                                struct tn_error  *error)
{
    struct context *context = take_context(memory, drop_unpacker, error);

    if (!context)
        return error->status;
    decode_with(context, packed, offset, size, room, error);
    leave_context(context, error);
    return error->status;
}

enum tn_status tn_zstd_decode(struct tn_bytes packed, uint64_t offset,
                              uint64_t size, struct tn_buffer *to,
                              struct tn_error *error)
{
    TN_TRY(check_frame(packed, offset, size, error));
    uint8_t *room = tn_buffer_room(to, size ? (size_t)size : 1);
    if (!room) {
        if (to->error != error)
            *error = *to->error;
        return error->status;
    }
    TN_TRY(decode_to(packed, offset, size, room, to->memory, error));
    to->size += (size_t)size;
    return TN_OK;
}

enum tn_status tn_zstd_decode_into(struct tn_bytes packed, uint64_t size,
                                   uint8_t *room, struct tn_memory *memory,
                                   struct tn_error *error)
{
    static alignas(max_align_t) uint8_t own_room[128 << 10];
    static struct context               own;

    TN_TRY(check_frame(packed, TN_NOWHERE, size, error));
    if (!own.unpacker)
        own.unpacker = ZSTD_initStaticDCtx(own_room, sizeof own_room);
    return own.unpacker
               ? decode_with(&own, packed, TN_NOWHERE, size, room, error)
               : decode_to(packed, TN_NOWHERE, size, room, memory, error);
}

/* ---- in portions -------------------------------------------------------- */

struct zstd_stream {
    struct tn_stream stream; /* first */
    struct tn_hooks  hooks;
    ZSTD_DCtx       *unpacker;
    ZSTD_CCtx       *packer;
};

static void zstd_close(struct tn_stream *stream)
{
    struct zstd_stream *z = (struct zstd_stream *)stream;

    ZSTD_freeDCtx(z->unpacker);
    ZSTD_freeCCtx(z->packer);
    tn_hooks_done(&z->hooks);
    tn_memory_free(stream->memory, z, sizeof *z);
}

static struct zstd_stream *new_stream(struct tn_memory           *memory,
                                      const struct tn_stream_ops *ops,
                                      uint64_t offset, struct tn_error *error)
{
    struct zstd_stream *z = tn_memory_resize(memory, NULL, 0, sizeof *z, error);

    if (!z)
        return NULL;
    *z = (struct zstd_stream){ .stream = { ops, memory, "zstd", offset } };
    tn_hooks_init(&z->hooks, memory);
    return z;
}

static void advance(struct tn_flow *flow, size_t took, size_t gave)
{
    if (took)
        flow->in = tn_bytes(flow->in.data + took, flow->in.size - took);
    flow->out += gave;
    flow->room -= gave;
}

static enum tn_status unpack_step(struct tn_stream *stream,
                                  struct tn_flow *flow, struct tn_error *error)
{
    struct zstd_stream *z    = (struct zstd_stream *)stream;
    ZSTD_inBuffer       in   = { flow->in.data, flow->in.size, 0 };
    ZSTD_outBuffer      out  = { flow->out, flow->room, 0 };
    size_t              hint = ZSTD_decompressStream(z->unpacker, &out, &in);

    if (ZSTD_isError(hint))
        return blame(&z->hooks, hint, stream->offset, error);
    advance(flow, in.pos, out.pos);
    flow->is_done = hint == 0;
    return TN_OK;
}

enum tn_status tn_zstd_unpacker(struct tn_stream **stream,
                                struct tn_memory *memory, uint64_t offset,
                                struct tn_error *error)
{
    static const struct tn_stream_ops ops = { unpack_step, zstd_close };
    struct zstd_stream *z = new_stream(memory, &ops, offset, error);

    *stream = NULL;
    if (!z)
        return error->status;
    z->unpacker = ZSTD_createDCtx_advanced(memory_of(&z->hooks));
    if (!z->unpacker) {
        blame(&z->hooks, 0, offset, error);
        zstd_close(&z->stream);
        return error->status;
    }
    ZSTD_DCtx_setParameter(z->unpacker, ZSTD_d_windowLogMax,
                           TN_ZSTD_WINDOW_LOG_MAX);
    *stream = &z->stream;
    return TN_OK;
}

static enum tn_status pack_step(struct tn_stream *stream, struct tn_flow *flow,
                                struct tn_error *error)
{
    struct zstd_stream *z    = (struct zstd_stream *)stream;
    ZSTD_inBuffer       in   = { flow->in.data, flow->in.size, 0 };
    ZSTD_outBuffer      out  = { flow->out, flow->room, 0 };
    ZSTD_EndDirective   how  = flow->is_last ? ZSTD_e_end : ZSTD_e_continue;
    size_t              left = ZSTD_compressStream2(z->packer, &out, &in, how);

    if (ZSTD_isError(left))
        return blame(&z->hooks, left, stream->offset, error);
    advance(flow, in.pos, out.pos);
    flow->is_done = flow->is_last && left == 0;
    return TN_OK;
}

static enum tn_status set_parameters(ZSTD_CCtx *packer, int level,
                                     int window_log, uint64_t size,
                                     struct tn_error *error)
{
    size_t code =
        ZSTD_CCtx_setParameter(packer, ZSTD_c_compressionLevel, level);

    if (!ZSTD_isError(code) && window_log)
        code = ZSTD_CCtx_setParameter(packer, ZSTD_c_windowLog, window_log);
    if (!ZSTD_isError(code))
        code = ZSTD_CCtx_setPledgedSrcSize(packer, size);
    if (!ZSTD_isError(code))
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE, "zstd: %s",
                        ZSTD_getErrorName(code));
}

static enum tn_status check_parameters(int level, int window_log,
                                       struct tn_error *error)
{
    if (level >= TN_ZSTD_LEVEL_MIN && level <= TN_ZSTD_LEVEL_MAX &&
        (window_log == 0 || (window_log >= TN_ZSTD_WINDOW_LOG_MIN &&
                             window_log <= TN_ZSTD_WINDOW_LOG_MAX)))
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "zstd of level %d with window log %d", level,
                        window_log);
}

enum tn_status tn_zstd_packer(struct tn_stream **stream,
                              struct tn_memory *memory, int level,
                              int window_log, uint64_t size,
                              struct tn_error *error)
{
    static const struct tn_stream_ops ops = { pack_step, zstd_close };

    *stream = NULL;
    TN_TRY(check_parameters(level, window_log, error));
    struct zstd_stream *z = new_stream(memory, &ops, TN_NOWHERE, error);
    if (!z)
        return error->status;
    z->packer = ZSTD_createCCtx_advanced(memory_of(&z->hooks));
    if (!z->packer)
        blame(&z->hooks, 0, TN_NOWHERE, error);
    else
        set_parameters(z->packer, level, window_log, size, error);
    if (tn_failed(error))
        zstd_close(&z->stream);
    else
        *stream = &z->stream;
    return error->status;
}

/* ---- packing all at once ------------------------------------------------- */

/* A context without the parameters of its last use. */
static struct context *take_packer(struct tn_memory *memory, int level,
                                   int window_log, uint64_t size,
                                   struct tn_error *error)
{
    tn_tool_drop   *kind = size > FEW ? drop_packer : drop_small_packer;
    struct context *context =
        check_parameters(level, window_log, error) == TN_OK
            ? take_context(memory, kind, error)
            : NULL;

    if (!context)
        return NULL;
    ZSTD_CCtx_reset(context->packer, ZSTD_reset_session_and_parameters);
    if (set_parameters(context->packer, level, window_log, size, error) ==
        TN_OK)
        return context;
    leave_context(context, error);
    return NULL;
}

static enum tn_status encode_with(struct context *context,
                                  struct tn_bytes plain, struct tn_buffer *to,
                                  struct tn_error *error)
{
    size_t   most = ZSTD_compressBound(plain.size);
    uint8_t *room = tn_buffer_room(to, most);

    if (!room) {
        if (to->error != error)
            *error = *to->error;
        return error->status;
    }
    size_t got =
        ZSTD_compress2(context->packer, room, most, plain.data, plain.size);
    if (ZSTD_isError(got))
        return blame(&context->hooks, got, TN_NOWHERE, error);
    to->size += got;
    return TN_OK;
}

enum tn_status tn_zstd_encode(struct tn_bytes plain, int level, int window_log,
                              struct tn_buffer *to, struct tn_error *error)
{
    struct context *context =
        take_packer(to->memory, level, window_log, plain.size, error);

    if (!context)
        return error->status;
    encode_with(context, plain, to, error);
    leave_context(context, error);
    return error->status;
}

static enum tn_status encode_steps(struct context *context,
                                   struct tn_bytes plain, uint8_t *window,
                                   struct tn_buffer *head, struct tn_sink *to,
                                   struct tn_error *error)
{
    ZSTD_inBuffer in   = { plain.data, plain.size, 0 };
    size_t        left = 1;

    while (left) {
        TN_TRY(tn_watch_poll(context->hooks.memory, error));
        if (head && head->room - head->size < OUT_WINDOW)
            head = NULL;
        ZSTD_outBuffer out = { head ? head->data + head->size : window,
                               OUT_WINDOW, 0 };
        left = ZSTD_compressStream2(context->packer, &out, &in, ZSTD_e_end);
        if (ZSTD_isError(left))
            return blame(&context->hooks, left, TN_NOWHERE, error);
        if (head)
            head->size += out.pos;
        else
            TN_TRY(tn_sink_write(to, tn_bytes(window, out.pos), error));
    }
    return TN_OK;
}

enum tn_status tn_zstd_encode_to(struct tn_bytes plain, int level,
                                 int window_log, struct tn_memory *memory,
                                 struct tn_buffer *head, struct tn_sink *to,
                                 struct tn_error *error)
{
    struct context *context =
        take_packer(memory, level, window_log, plain.size, error);

    if (!context)
        return error->status;
    uint8_t *window = tn_memory_resize(memory, NULL, 0, OUT_WINDOW, error);
    /* The whole input stays in memory, so it needs no window. */
    ZSTD_CCtx_setParameter(context->packer, ZSTD_c_stableInBuffer, 1);
    if (window)
        encode_steps(context, plain, window, head, to, error);
    tn_memory_free(memory, window, OUT_WINDOW);
    leave_context(context, error);
    return error->status;
}
