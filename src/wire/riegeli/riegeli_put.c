/* riegeli_put.c - writes a chunk into the file, with the block headers in
 * between */
#include "wire/riegeli/riegeli_put.h"

#include <assert.h>

#include "io/file_source.h"
#include "io/relay.h"
#include "wire/riegeli/riegeli_layout.h"

/* A sink that puts a block header wherever one belongs. */
struct layer {
    struct tn_sink  sink; /* first */
    struct tn_sink *to;
    uint64_t        base;
    uint64_t        begin, end; /* of the chunk                               */
    struct tn_sink *watcher;    /* sees all data, but no headers; may be NULL */
    struct tn_memory *memory;
};

static void store64(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void make_block(uint64_t at, uint64_t begin, uint64_t end,
                       uint8_t *bytes)
{
    store64(bytes + 8, at - begin);
    store64(bytes + 16, end - at);
    store64(bytes, tn_highwayhash64(tn_riegeli_key, tn_bytes(bytes + 8, 16)));
}

static enum tn_status put_block(struct layer *layer, uint64_t at,
                                struct tn_error *error)
{
    uint8_t bytes[TN_RIEGELI_BLOCK_HEADER];

    make_block(at, layer->begin, layer->end, bytes);
    return tn_sink_write(layer->to, tn_bytes(bytes, sizeof bytes), error);
}

/* How many bytes can be written before the next block; its header is written
 * when it is due. */
static enum tn_status room_at(struct layer *layer, uint64_t *room,
                              struct tn_error *error)
{
    uint64_t at = layer->to->offset - layer->base;

    if (at % TN_RIEGELI_BLOCK == 0) {
        TN_TRY(put_block(layer, at, error));
        at += TN_RIEGELI_BLOCK_HEADER;
    }
    *room = tn_riegeli_to_block(at);
    return TN_OK;
}

static enum tn_status layer_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct layer *layer = (struct layer *)sink;
    uint64_t      room;

    if (layer->watcher)
        TN_TRY(tn_sink_write(layer->watcher, bytes, error));
    while (bytes.size) {
        TN_TRY(room_at(layer, &room, error));
        size_t size = (size_t)tn_min(room, bytes.size);
        TN_TRY(tn_sink_write(layer->to, tn_bytes(bytes.data, size), error));
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
    }
    return TN_OK;
}

/* From here on a second thread pays for its start: one writes, while the other
 * reads and hashes. */
#define WORTH_A_THREAD (UINT64_C(2) << 20)

/* A range that is laid between block headers, window by window. */
struct laying {
    const struct layer *layer;
    struct tn_span      left;
    uint64_t            at; /* in the file                                    */
};

static enum tn_status lay_window(void *context, uint8_t *window, size_t size,
                                 struct tn_error *error)
{
    struct laying *l = context;
    uint8_t        header[TN_RIEGELI_BLOCK_HEADER];

    while (size) {
        uint64_t in_block = l->at % TN_RIEGELI_BLOCK;
        uint64_t rest     = tn_riegeli_to_block(l->at);
        if (in_block < TN_RIEGELI_BLOCK_HEADER) {
            rest = TN_RIEGELI_BLOCK_HEADER - in_block;
            make_block(l->at - in_block, l->layer->begin, l->layer->end,
                       header);
        }
        size_t part = tn_min_size(rest, size);
        if (in_block < TN_RIEGELI_BLOCK_HEADER) {
            memcpy(window, header + in_block, part);
        } else {
            TN_TRY(tn_source_read_few(l->left.source, l->left.offset, window,
                                      part, error));
            TN_TRY(tn_sink_write(l->layer->watcher, tn_bytes(window, part),
                                 error));
            l->left.offset += part;
            l->left.length -= part;
        }
        window += part;
        size -= part;
        l->at += part;
    }
    return TN_OK;
}

/* The headers in front of and between `length` bytes of data from `at` on. */
static uint64_t headers_in(uint64_t at, uint64_t length)
{
    uint64_t before = at % TN_RIEGELI_BLOCK == 0;
    uint64_t room = tn_riegeli_to_block(at) - before * TN_RIEGELI_BLOCK_HEADER;
    uint64_t behind = length > room ? length - room : 0;

    return before + (behind + TN_RIEGELI_USABLE - 1) / TN_RIEGELI_USABLE;
}

static enum tn_status lay_data(struct layer *layer, struct tn_span span,
                               struct tn_error *error)
{
    struct laying laying = { layer, span, layer->to->offset - layer->base };
    uint64_t      length = span.length + headers_in(laying.at, span.length) *
                                        TN_RIEGELI_BLOCK_HEADER;

    return tn_relay(length, layer->to, lay_window, &laying, layer->memory,
                    error);
}

static enum tn_status splice_data(struct layer *layer, struct tn_span span,
                                  struct tn_error *error)
{
    uint64_t room;

    if (layer->watcher && span.length >= WORTH_A_THREAD)
        return lay_data(layer, span, error);
    while (span.length) {
        TN_TRY(room_at(layer, &room, error));
        struct tn_span part = span;
        part.length         = tn_min(room, span.length);
        TN_TRY(layer->watcher
                   ? tn_sink_show(layer->to, part, layer->watcher, error)
                   : tn_sink_splice(layer->to, part, error));
        span.offset += part.length;
        span.length -= part.length;
    }
    return TN_OK;
}

static enum tn_status layer_zeros(struct tn_sink *sink, uint64_t count,
                                  struct tn_error *error)
{
    struct layer *layer = (struct layer *)sink;
    uint64_t      room;

    if (layer->watcher)
        TN_TRY(tn_sink_zeros(layer->watcher, count, error));
    while (count) {
        TN_TRY(room_at(layer, &room, error));
        uint64_t size = tn_min(room, count);
        TN_TRY(tn_sink_zeros(layer->to, size, error));
        count -= size;
    }
    return TN_OK;
}

/* Holes stay holes, except for the pages in which blocks begin. */
static enum tn_status layer_splice(struct tn_sink *sink, struct tn_span span,
                                   struct tn_error *error)
{
    bool is_hole;

    while (span.length) {
        struct tn_span part = tn_span_extent(&span, &is_hole);
        TN_TRY(is_hole ? layer_zeros(sink, part.length, error)
                       : splice_data((struct layer *)sink, part, error));
    }
    return TN_OK;
}

static const struct tn_sink_ops layer_ops = { .write  = layer_write,
                                              .splice = layer_splice,
                                              .zeros  = layer_zeros };

/* ---- one chunk ---------------------------------------------------------- */

enum tn_status tn_riegeli_hash(const struct tn_rope *data, uint64_t *hash,
                               struct tn_error *error)
{
    struct tn_highwayhash h;

    tn_highwayhash_init(&h, tn_riegeli_key);
    TN_TRY(tn_rope_write(data, &h.sink, error));
    *hash = tn_highwayhash_finish(&h);
    return TN_OK;
}

static void make_header(const struct tn_riegeli_frame *frame, uint8_t *bytes)
{
    store64(bytes + 8, frame->data_size);
    store64(bytes + 16, frame->data_hash);
    store64(bytes + 24, frame->record_count << 8 | frame->type);
    store64(bytes + 32, frame->decoded_size);
    store64(bytes, tn_highwayhash64(tn_riegeli_key, tn_bytes(bytes + 8, 32)));
}

/* Where the chunk ends, which begins and has data as the frame says. */
static enum tn_status find_end(struct tn_riegeli_frame *frame,
                               struct tn_error         *error)
{
    if (tn_riegeli_end(frame->begin, frame->data_size, frame->record_count,
                       &frame->end))
        return TN_OK;
    return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                        "a file of more than 2^64 bytes");
}

/* The rest of a chunk, without block headers. */
static enum tn_status put_zeros(struct layer *layer, uint64_t end,
                                struct tn_error *error)
{
    struct tn_sink *to = layer->to;
    uint64_t        room;

    while (to->offset - layer->base < end) {
        TN_TRY(room_at(layer, &room, error));
        uint64_t left = end - (to->offset - layer->base);
        TN_TRY(tn_sink_zeros(to, tn_min(room, left), error));
    }
    return TN_OK;
}

/* The header as it is so far, the data, and zeros. */
static enum tn_status put(struct tn_sink *to, uint64_t base,
                          struct tn_riegeli_frame *frame,
                          const struct tn_rope *data, struct tn_sink *watcher,
                          struct tn_error *error)
{
    uint8_t      header[TN_RIEGELI_CHUNK_HEADER];
    struct layer layer = { .sink  = { .ops = &layer_ops },
                           .to    = to,
                           .base  = base,
                           .begin = to->offset - base };

    frame->begin     = layer.begin;
    frame->data_size = data->length;
    TN_TRY(find_end(frame, error));
    layer.end = frame->end;
    make_header(frame, header);
    TN_TRY(tn_sink_write(&layer.sink, tn_bytes(header, sizeof header), error));
    layer.watcher = watcher;
    layer.memory  = data->arena->memory;
    TN_TRY(tn_rope_write(data, &layer.sink, error));
    return put_zeros(&layer, frame->end, error);
}

enum tn_status tn_riegeli_put_hashed(struct tn_sink *to, uint64_t base,
                                     struct tn_riegeli_frame *frame,
                                     const struct tn_rope    *data,
                                     struct tn_error         *error)
{
    return put(to, base, frame, data, NULL, error);
}

/* A block may begin in the middle of it. */
static enum tn_status patch_header(struct tn_sink *to, uint64_t base,
                                   const struct tn_riegeli_frame *frame,
                                   struct tn_error               *error)
{
    uint8_t  header[TN_RIEGELI_CHUNK_HEADER];
    uint64_t done = 0, end = to->offset - base;

    make_header(frame, header);
    while (done < sizeof header) {
        uint64_t place = tn_riegeli_place(frame->begin, done);
        uint64_t part =
            tn_min(sizeof header - done, tn_riegeli_to_block(place));
        TN_TRY(tn_sink_patch(to, end - place,
                             tn_bytes(header + done, (size_t)part), error));
        done += part;
    }
    return TN_OK;
}

/* From here on writing the header twice is cheaper than reading data twice. */
#define READ_ONCE (UINT64_C(1) << 20)

static bool has_holes(const struct tn_rope *data)
{
    for (uint64_t i = 0; i < data->pieces.count; i++) {
        const struct tn_piece *piece =
            tn_list_at(&data->pieces, struct tn_piece, i);
        if (piece->kind == TN_PIECE_SPAN && piece->at.span.source &&
            piece->at.span.source->extent)
            return true;
    }
    return false;
}

enum tn_status tn_riegeli_put_chunk(struct tn_sink *to, uint64_t base,
                                    struct tn_riegeli_frame *frame,
                                    const struct tn_rope    *data,
                                    struct tn_error         *error)
{
    struct tn_highwayhash hash;

    if (data->length < READ_ONCE || !tn_sink_can_patch(to) || has_holes(data)) {
        TN_TRY(tn_riegeli_hash(data, &frame->data_hash, error));
        return put(to, base, frame, data, NULL, error);
    }
    tn_highwayhash_init(&hash, tn_riegeli_key);
    TN_TRY(tn_sink_expect(to, data->length, error));
    TN_TRY(put(to, base, frame, data, &hash.sink, error));
    frame->data_hash = tn_highwayhash_finish(&hash);
    return patch_header(to, base, frame, error);
}

/* ---- a chunk of a length that is not known ------------------------------ */

static struct layer layer_of(const struct tn_riegeli_chunk_sink *laying)
{
    return (struct layer){ .sink  = { .ops = &layer_ops },
                           .to    = laying->to,
                           .base  = laying->base,
                           .begin = laying->begin,
                           .end   = laying->end };
}

static enum tn_status laying_write(struct tn_sink *sink, struct tn_bytes bytes,
                                   struct tn_error *error)
{
    struct tn_riegeli_chunk_sink *laying = (struct tn_riegeli_chunk_sink *)sink;
    struct layer                  layer  = layer_of(laying);

    tn_highwayhash_add(&laying->hash, bytes);
    return layer_write(&layer.sink, bytes, error);
}

static const struct tn_sink_ops laying_ops = { .write = laying_write };

enum tn_status tn_riegeli_chunk_begin(struct tn_riegeli_chunk_sink *laying,
                                      struct tn_sink *to, uint64_t base,
                                      struct tn_error *error)
{
    static const uint8_t header[TN_RIEGELI_CHUNK_HEADER];

    *laying = (struct tn_riegeli_chunk_sink){ .sink  = { .ops = &laying_ops },
                                              .to    = to,
                                              .base  = base,
                                              .begin = to->offset - base };
    laying->end = laying->begin; /* blocks say so until they are patched */
    tn_highwayhash_init(&laying->hash, tn_riegeli_key);
    struct layer layer = layer_of(laying);
    return tn_sink_write(&layer.sink, tn_bytes(header, sizeof header), error);
}

/* No zeros are needed: data are longer than a chunk of one record must be. */
enum tn_status tn_riegeli_chunk_end(struct tn_riegeli_chunk_sink *laying,
                                    struct tn_riegeli_frame      *frame,
                                    struct tn_error              *error)
{
    frame->begin     = laying->begin;
    frame->data_size = laying->sink.offset;
    frame->data_hash = tn_highwayhash_finish(&laying->hash);
    TN_TRY(find_end(frame, error));
    assert(frame->end == laying->to->offset - laying->base);
    TN_TRY(patch_header(laying->to, laying->base, frame, error));
    uint64_t at = frame->begin, end = laying->to->offset - laying->base;
    uint8_t  bytes[TN_RIEGELI_BLOCK_HEADER];

    at += at % TN_RIEGELI_BLOCK ? tn_riegeli_to_block(at) : 0;
    for (; at < frame->end; at += TN_RIEGELI_BLOCK) {
        make_block(at, frame->begin, frame->end, bytes);
        TN_TRY(tn_sink_patch(laying->to, end - at,
                             tn_bytes(bytes, sizeof bytes), error));
    }
    return TN_OK;
}

/* ---- padding ------------------------------------------------------------ */

/* Bytes of a chunk between two places, without the blocks that begin there. */
static uint64_t usable_between(uint64_t begin, uint64_t end)
{
    uint64_t blocks = (end + TN_RIEGELI_BLOCK - 1) / TN_RIEGELI_BLOCK -
                      (begin + TN_RIEGELI_BLOCK - 1) / TN_RIEGELI_BLOCK;

    return end - begin - tn_min(blocks * TN_RIEGELI_BLOCK_HEADER, end - begin);
}

static enum tn_status produce_zeros(const struct tn_producer *producer,
                                    struct tn_sink *to, struct tn_error *error)
{
    return tn_sink_zeros(to, producer->length, error);
}

enum tn_status tn_riegeli_put_padding(struct tn_sink *to, uint64_t base,
                                      uint64_t          multiple,
                                      struct tn_memory *memory,
                                      struct tn_error  *error)
{
    struct tn_riegeli_frame frame = { .type = TN_RIEGELI_PADDING };
    uint64_t                begin = to->offset - base;
    uint64_t                end   = begin;
    struct tn_arena         arena;
    struct tn_rope          data;

    if (multiple <= 1 || begin % multiple == 0)
        return TN_OK;
    end += multiple - begin % multiple;
    while (usable_between(begin, end) < TN_RIEGELI_CHUNK_HEADER ||
           !tn_riegeli_is_boundary(end))
        if (!tn_add(end, multiple, &end))
            return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                                "padding past 2^64 bytes");
    struct tn_producer zeros = { produce_zeros, usable_between(begin, end) -
                                                    TN_RIEGELI_CHUNK_HEADER };
    tn_arena_init(&arena, memory);
    tn_rope_init(&data, &arena, error);
    tn_rope_producer(&data, &zeros);
    if (!tn_failed(error))
        tn_riegeli_put_chunk(to, base, &frame, &data, error);
    tn_rope_done(&data);
    tn_arena_done(&arena);
    return error->status;
}
