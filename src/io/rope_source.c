/* rope_source.c - pieces that are elsewhere, read as if they were one file */
#include "io/rope_source.h"

#include "base/arith.h"

/* A piece, and where it begins in the whole. */
struct part {
    uint64_t        begin;
    struct tn_piece piece;
};

struct rope_source {
    struct tn_source source; /* first, so that it can be found again          */
    struct tn_list   parts;  /* struct part, ascending                        */
};

/* The part that holds this offset, which is inside. */
static uint64_t find_part(const struct rope_source *rope, uint64_t offset)
{
    uint64_t low = 0, high = rope->parts.count;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (tn_list_at(&rope->parts, struct part, middle)->begin <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum tn_status read_part(const struct part *part, uint64_t skip,
                                void *to, size_t size, struct tn_error *error)
{
    const struct tn_piece *piece = &part->piece;

    if (piece->kind == TN_PIECE_BYTES) {
        memcpy(to, piece->at.bytes + skip, size);
        return TN_OK;
    }
    return tn_source_read(piece->at.span.source, piece->at.span.offset + skip,
                          to, size, error);
}

static enum tn_status rope_read_at(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size,
                                   struct tn_error *error)
{
    const struct rope_source *rope = (const struct rope_source *)source;
    uint8_t                  *out  = to;

    for (uint64_t i = find_part(rope, offset); size; i++) {
        const struct part *part = tn_list_at(&rope->parts, struct part, i);
        uint64_t           skip = offset - part->begin;
        size_t now = (size_t)tn_min(size, part->piece.length - skip);
        TN_TRY(read_part(part, skip, out, now, error));
        out += now;
        offset += now;
        size -= now;
    }
    return TN_OK;
}

static void rope_close(struct tn_source *source)
{
    struct rope_source *rope = (struct rope_source *)source;

    tn_list_done(&rope->parts);
    tn_memory_free(source->memory, rope, sizeof *rope);
}

static const struct tn_source_ops rope_ops = { rope_read_at, rope_close };

/* Asks the source of each piece for its holes. */
static uint64_t rope_run(struct tn_source *source, uint64_t offset,
                         uint64_t length, bool *is_hole)
{
    const struct rope_source *rope = (const struct rope_source *)source;
    const struct part        *part =
        tn_list_at(&rope->parts, struct part, find_part(rope, offset));
    uint64_t skip = offset - part->begin;
    uint64_t here = tn_min(length, part->piece.length - skip);

    *is_hole = false;
    if (part->piece.kind != TN_PIECE_SPAN ||
        !part->piece.at.span.source->extent)
        return here;
    struct tn_source *inner = part->piece.at.span.source;
    return inner->extent(inner, part->piece.at.span.offset + skip, here,
                         is_hole);
}

static const uint8_t *rope_look(struct tn_source *source, uint64_t offset,
                                uint64_t *got)
{
    const struct rope_source *rope = (const struct rope_source *)source;
    const struct part        *part =
        tn_list_at(&rope->parts, struct part, find_part(rope, offset));
    uint64_t       skip  = offset - part->begin;
    uint64_t       here  = part->piece.length - skip;
    const uint8_t *bytes = NULL;

    *got = here;
    if (part->piece.kind == TN_PIECE_BYTES)
        bytes = part->piece.at.bytes + skip;
    else
        bytes = tn_source_look(part->piece.at.span.source,
                               part->piece.at.span.offset + skip, got);
    *got = tn_min(*got, here);
    return bytes;
}

static enum tn_status add_part(struct rope_source    *rope,
                               const struct tn_piece *piece,
                               struct tn_error       *error)
{
    if (piece->kind == TN_PIECE_PRODUCER)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "a piece that can only be read from its begin");
    if (piece->kind == TN_PIECE_SPAN &&
        (!piece->at.span.source ||
         !tn_inside(piece->at.span.offset, piece->length,
                    piece->at.span.source->size)))
        return tn_error_set(error, TN_TRUNCATED, piece->at.span.offset,
                            "a piece ends after its source");
    struct part *part = tn_list_push(&rope->parts, struct part, error);
    if (!part)
        return error->status;
    *part = (struct part){ rope->source.size, *piece };
    if (piece->kind == TN_PIECE_SPAN && piece->at.span.source->extent)
        rope->source.extent = rope_run;
    rope->source.size += piece->length;
    return TN_OK;
}

/* A single piece in memory can be used as it is. */
static const uint8_t *map_of(const struct rope_source *rope)
{
    static const uint8_t nothing[1];

    if (rope->parts.count == 0)
        return nothing;
    const struct tn_piece *piece =
        &tn_list_at(&rope->parts, struct part, 0)->piece;
    if (rope->parts.count > 1)
        return NULL;
    if (piece->kind == TN_PIECE_BYTES)
        return piece->at.bytes;
    const uint8_t *map = piece->at.span.source->map;
    return map ? map + piece->at.span.offset : NULL;
}

enum tn_status tn_source_rope(struct tn_source    **source,
                              struct tn_memory     *memory,
                              const struct tn_rope *rope, const char *name,
                              struct tn_error *error)
{
    *source = NULL;
    TN_TRY(rope->error->status);
    struct rope_source *made =
        tn_memory_resize(memory, NULL, 0, sizeof *made, error);
    if (!made)
        return error->status;
    *made = (struct rope_source){ .source = { .ops    = &rope_ops,
                                              .name   = name,
                                              .memory = memory,
                                              .look   = rope_look } };
    tn_arena_init(&made->source.pins, memory);
    tn_list_init(&made->parts, memory, sizeof(struct part));
    if (rope->pieces.count &&
        tn_list_grow(&made->parts, rope->pieces.count, error))
        made->parts.count = 0; /* room for all of them, and no more */
    for (uint64_t i = 0; i < rope->pieces.count && !tn_failed(error); i++)
        if (add_part(made, tn_list_at(&rope->pieces, struct tn_piece, i),
                     error) != TN_OK)
            break;
    if (tn_failed(error)) {
        tn_source_close(&made->source);
        return error->status;
    }
    made->source.map = map_of(made);
    *source          = &made->source;
    return TN_OK;
}

bool tn_rope_source_pieces(const struct tn_source *source, uint64_t offset,
                           uint64_t length, struct tn_rope *to)
{
    const struct rope_source *rope = (const struct rope_source *)source;

    if (source->ops != &rope_ops || !tn_inside(offset, length, source->size))
        return false;
    for (uint64_t i = find_part(rope, offset); length; i++) {
        const struct part *part = tn_list_at(&rope->parts, struct part, i);
        uint64_t           skip = offset - part->begin;
        uint64_t           now  = tn_min(length, part->piece.length - skip);
        struct tn_span     span = part->piece.at.span;
        if (part->piece.kind == TN_PIECE_BYTES)
            tn_rope_borrow(to,
                           tn_bytes(part->piece.at.bytes + skip, (size_t)now));
        else
            tn_rope_span(
                to, (struct tn_span){ span.source, span.offset + skip, now });
        offset += now;
        length -= now;
    }
    return true;
}

void tn_rope_flatten(struct tn_rope *from, struct tn_rope *to)
{
    for (uint64_t i = 0; i < from->pieces.count; i++) {
        struct tn_piece *piece = tn_list_at(&from->pieces, struct tn_piece, i);
        struct tn_span   span  = piece->at.span;

        if (piece->kind == TN_PIECE_BYTES)
            tn_rope_borrow(to,
                           tn_bytes(piece->at.bytes, (size_t)piece->length));
        else if (piece->kind == TN_PIECE_PRODUCER)
            tn_rope_producer(to, piece->at.producer);
        else if (!tn_rope_source_pieces(span.source, span.offset, piece->length,
                                        to))
            tn_rope_span(to, (struct tn_span){ span.source, span.offset,
                                               piece->length });
    }
    tn_rope_done(from);
    tn_list_trim(&to->pieces);
}
