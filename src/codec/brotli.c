/*
 * brotli.c - Brotli streams (RFC 7932), by libbrotli
 *
 * Debian's encoder ends the process if its allocator returns NULL.  So our
 * allocator does not return then: it jumps back to our call of the library.
 * All memory of the encoder is in the list of our hooks, so nothing leaks; the
 * encoder is not used again.
 */
#include "codec/brotli.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <inttypes.h>
#include <setjmp.h>

#include "base/arith.h"
#include "codec/hooks.h"

/* The failure of one of our allocations, if there was one; else that of the
 * encoder, which gives no reason. */
static enum tn_status blame_library(const struct tn_hooks *hooks,
                                    struct tn_error       *error)
{
    if (tn_failed(&hooks->error))
        return tn_error_because(error, hooks->error.status, hooks->error.reason,
                                TN_NOWHERE, "%s", hooks->error.what);
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "libbrotli failed to start");
}

/* ---- unpacking ---------------------------------------------------------- */

struct unpacker {
    struct tn_stream    stream; /* first */
    struct tn_hooks     hooks;
    BrotliDecoderState *state;
};

static enum tn_status unpack_step(struct tn_stream *stream,
                                  struct tn_flow *flow, struct tn_error *error)
{
    struct unpacker    *u = (struct unpacker *)stream;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(u->state, &flow->in.size, &flow->in.data,
                                      &flow->room, &flow->out, NULL);

    flow->is_done = result == BROTLI_DECODER_RESULT_SUCCESS;
    if (result != BROTLI_DECODER_RESULT_ERROR)
        return TN_OK;
    if (tn_failed(&u->hooks.error))
        return blame_library(&u->hooks, error);
    return tn_error_set(
        error, TN_MALFORMED, stream->offset, "damaged brotli: %s",
        BrotliDecoderErrorString(BrotliDecoderGetErrorCode(u->state)));
}

static void unpack_close(struct tn_stream *stream)
{
    struct unpacker *u = (struct unpacker *)stream;

    if (u->state)
        BrotliDecoderDestroyInstance(u->state);
    tn_hooks_done(&u->hooks);
    tn_memory_free(stream->memory, u, sizeof *u);
}

enum tn_status tn_brotli_unpacker(struct tn_stream **stream,
                                  struct tn_memory *memory, uint64_t offset,
                                  struct tn_error *error)
{
    static const struct tn_stream_ops ops = { unpack_step, unpack_close };
    struct unpacker                  *u;

    *stream = NULL;
    u       = tn_memory_resize(memory, NULL, 0, sizeof *u, error);
    if (!u)
        return error->status;
    *u = (struct unpacker){ .stream = { &ops, memory, "brotli", offset } };
    tn_hooks_init(&u->hooks, memory);
    u->state =
        BrotliDecoderCreateInstance(tn_hook_alloc, tn_hook_free, &u->hooks);
    if (!u->state) {
        blame_library(&u->hooks, error);
        unpack_close(&u->stream);
        return error->status;
    }
    BrotliDecoderSetParameter(u->state, BROTLI_DECODER_PARAM_LARGE_WINDOW, 1);
    *stream = &u->stream;
    return TN_OK;
}

/* ---- packing ------------------------------------------------------------ */

struct packer {
    struct tn_stream    stream; /* first */
    struct tn_hooks     hooks;
    BrotliEncoderState *state; /* NULL: it was left                          */
    bool                is_final; /* the stream ends with it                  */
    jmp_buf             out_of_memory;
};

static void *alloc_or_jump(void *context, size_t size)
{
    struct packer *p     = context;
    void          *block = tn_hook_alloc(&p->hooks, size);

    if (!block)
        longjmp(p->out_of_memory, 1);
    return block;
}

static void free_block(void *context, void *block)
{
    tn_hook_free(&((struct packer *)context)->hooks, block);
}

/* The only two calls in which the encoder allocates.  No locals: a jump would
 * spoil them. */
static void create(struct packer *p)
{
    if (setjmp(p->out_of_memory) == 0)
        p->state = BrotliEncoderCreateInstance(alloc_or_jump, free_block, p);
    else
        p->state = NULL;
}

static BrotliEncoderOperation operation(const struct packer  *p,
                                        const struct tn_flow *flow)
{
    if (!flow->is_last)
        return BROTLI_OPERATION_PROCESS;
    return p->is_final ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH;
}

static bool compress(struct packer *p, struct tn_flow *flow)
{
    if (setjmp(p->out_of_memory) != 0) {
        p->state = NULL;
        return false;
    }
    return BrotliEncoderCompressStream(p->state, operation(p, flow),
                                       &flow->in.size, &flow->in.data,
                                       &flow->room, &flow->out, NULL);
}

static enum tn_status pack_step(struct tn_stream *stream, struct tn_flow *flow,
                                struct tn_error *error)
{
    struct packer *p = (struct packer *)stream;

    if (!p->state || !compress(p, flow))
        return blame_library(&p->hooks, error);
    flow->is_done = p->is_final ? BrotliEncoderIsFinished(p->state)
                                : flow->is_last && flow->in.size == 0 &&
                                      !BrotliEncoderHasMoreOutput(p->state);
    return TN_OK;
}

static void pack_close(struct tn_stream *stream)
{
    struct packer *p = (struct packer *)stream;

    if (p->state)
        BrotliEncoderDestroyInstance(p->state);
    tn_hooks_done(&p->hooks);
    tn_memory_free(stream->memory, p, sizeof *p);
}

/* For the encoder, all offsets beyond the size of the window are the same. */
#define MOST_OFFSET (UINT64_C(1) << 30)

/* From quality 4 on, matches are searched in blocks that do not overlap, so a
 * match across two of them costs more.  Up to 8 the library takes blocks of 64
 * KiB, and larger ones above. */
#define BLOCK_LOG 17

static void set_parameters(BrotliEncoderState *state, int quality,
                           int window_log, uint64_t size, uint64_t before)
{
    BrotliEncoderSetParameter(state, BROTLI_PARAM_STREAM_OFFSET,
                              (uint32_t)tn_min(before, MOST_OFFSET));
    BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, (uint32_t)quality);
    BrotliEncoderSetParameter(state, BROTLI_PARAM_LARGE_WINDOW,
                              window_log > BROTLI_MAX_WINDOW_BITS);
    BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, (uint32_t)window_log);
    BrotliEncoderSetParameter(state, BROTLI_PARAM_SIZE_HINT,
                              (uint32_t)tn_min(size, UINT32_MAX));
    if (quality >= 4 && quality <= 8)
        BrotliEncoderSetParameter(state, BROTLI_PARAM_LGBLOCK, BLOCK_LOG);
}

/* A ring of twice the window, room for twice what is written at once, which is
 * as much as the ring or 16 MiB; commands; and chains of 2^quality places. */
uint64_t tn_brotli_packer_memory(int quality, int window_log)
{
    uint64_t ring     = UINT64_C(2) << tn_max((uint64_t)window_log, BLOCK_LOG);
    uint64_t at_once  = tn_min(ring, UINT64_C(16) << 20);
    uint64_t searched = UINT64_C(65536) << tn_min((uint64_t)quality, 9);

    if (quality > 9) /* trees instead of chains, and every way to write a
                        block */
        searched = 4 * ring + (UINT64_C(32) << 20);
    return ring + 2 * at_once + at_once / 2 + searched;
}

enum tn_status tn_brotli_packer(struct tn_stream **stream,
                                struct tn_memory *memory, int quality,
                                int window_log, uint64_t size,
                                struct tn_error *error)
{
    return tn_brotli_part_packer(stream, memory, quality, window_log, size, 0,
                                 true, error);
}

enum tn_status tn_brotli_part_packer(struct tn_stream **stream,
                                     struct tn_memory *memory, int quality,
                                     int window_log, uint64_t size,
                                     uint64_t before, bool is_final,
                                     struct tn_error *error)
{
    static const struct tn_stream_ops ops = { pack_step, pack_close };
    struct packer                    *p;

    *stream = NULL;
    if (quality < 0 || quality > TN_BROTLI_QUALITY_MAX ||
        window_log < TN_BROTLI_WINDOW_LOG_MIN ||
        window_log > TN_BROTLI_WINDOW_LOG_MAX)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "brotli of quality %d with window log %d", quality,
                            window_log);
    p = tn_memory_resize(memory, NULL, 0, sizeof *p, error);
    if (!p)
        return error->status;
    *p = (struct packer){
        .stream   = { &ops, memory, "brotli", TN_NOWHERE },
        .is_final = is_final,
    };
    tn_hooks_init(&p->hooks, memory);
    create(p);
    if (!p->state) {
        blame_library(&p->hooks, error);
        pack_close(&p->stream);
        return error->status;
    }
    set_parameters(p->state, quality, window_log, size, before);
    *stream = &p->stream;
    return TN_OK;
}
