/* rope.c - a long sequence of bytes made of pieces, most of them elsewhere */
#include "base/rope.h"

#include <inttypes.h>

#include "base/arith.h"

void tn_rope_init(struct tn_rope *rope, struct tn_arena *arena,
                  struct tn_error *error)
{
    *rope = (struct tn_rope){ .arena = arena, .error = error };
    tn_list_init(&rope->pieces, arena->memory, sizeof(struct tn_piece));
}

void tn_rope_done(struct tn_rope *rope)
{
    tn_list_done(&rope->pieces);
    rope->length = 0;
}

static struct tn_piece *last_piece(const struct tn_rope *rope)
{
    if (rope->pieces.count == 0)
        return NULL;
    return tn_list_at(&rope->pieces, struct tn_piece, rope->pieces.count - 1);
}

/* Neighbours in the same source are one piece: rewriting a million nodes that
 * did not change is then one copy. */
static bool joins(const struct tn_piece *last, const struct tn_piece *piece)
{
    if (!last || last->kind != piece->kind)
        return false;
    if (piece->kind == TN_PIECE_BYTES)
        return last->at.bytes + last->length == piece->at.bytes;
    if (piece->kind == TN_PIECE_SPAN)
        return last->at.span.source == piece->at.span.source &&
               last->at.span.offset + last->length == piece->at.span.offset;
    return false;
}

static void add_piece(struct tn_rope *rope, struct tn_piece piece)
{
    uint64_t length;

    if (tn_failed(rope->error) || piece.length == 0)
        return;
    if (!tn_add(rope->length, piece.length, &length)) {
        tn_error_set(rope->error, TN_LIMIT, TN_NOWHERE,
                     "more than 2^64 bytes to write");
        return;
    }
    struct tn_piece *last = last_piece(rope);
    if (joins(last, &piece)) {
        last->length += piece.length;
    } else {
        last = tn_list_push(&rope->pieces, struct tn_piece, rope->error);
        if (!last)
            return;
        *last = piece;
    }
    rope->length = length;
}

void tn_rope_borrow(struct tn_rope *rope, struct tn_bytes bytes)
{
    add_piece(rope, (struct tn_piece){ .kind     = TN_PIECE_BYTES,
                                       .length   = bytes.size,
                                       .at.bytes = bytes.data });
}

/* Straight out of the arena, so that two small neighbours are side by side and
 * become one piece. */
void tn_rope_bytes(struct tn_rope *rope, struct tn_bytes bytes)
{
    if (tn_failed(rope->error) || bytes.size == 0)
        return;
    uint8_t *copy = tn_arena_alloc(rope->arena, bytes.size, 1, rope->error);
    if (!copy)
        return;
    memcpy(copy, bytes.data, bytes.size);
    tn_rope_borrow(rope, tn_bytes(copy, bytes.size));
}

void tn_rope_span(struct tn_rope *rope, struct tn_span span)
{
    add_piece(rope, (struct tn_piece){ .kind    = TN_PIECE_SPAN,
                                       .length  = span.length,
                                       .at.span = span });
}

void tn_rope_producer(struct tn_rope *rope, const struct tn_producer *producer)
{
    add_piece(rope, (struct tn_piece){ .kind        = TN_PIECE_PRODUCER,
                                       .length      = producer->length,
                                       .at.producer = producer });
}

void tn_rope_append(struct tn_rope *rope, struct tn_rope *tail)
{
    /* A rope that lacks a piece must not pass as complete. */
    if (tn_failed(tail->error) && !tn_failed(rope->error))
        *rope->error = *tail->error;
    for (uint64_t i = 0; i < tail->pieces.count; i++)
        add_piece(rope, *tn_list_at(&tail->pieces, struct tn_piece, i));
    tn_rope_done(tail);
}

static enum tn_status write_producer(const struct tn_producer *producer,
                                     struct tn_sink *to, struct tn_error *error)
{
    uint64_t begin = to->offset;

    TN_TRY(producer->produce(producer, to, error));
    if (to->offset - begin != producer->length)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "a payload of %" PRIu64 " bytes gave %" PRIu64,
                            producer->length, to->offset - begin);
    return TN_OK;
}

enum tn_status tn_piece_write(const struct tn_piece *piece, struct tn_sink *to,
                              struct tn_error *error)
{
    struct tn_span span;

    switch (piece->kind) {
    case TN_PIECE_BYTES:
        return tn_sink_write(
            to, tn_bytes(piece->at.bytes, (size_t)piece->length), error);
    case TN_PIECE_SPAN:
        span        = piece->at.span;
        span.length = piece->length;
        return tn_sink_splice(to, span, error);
    case TN_PIECE_PRODUCER:
        return write_producer(piece->at.producer, to, error);
    }
    return TN_OK;
}

struct tn_bytes tn_piece_look(const struct tn_piece *piece)
{
    const struct tn_span *span = &piece->at.span;

    if (piece->kind == TN_PIECE_BYTES)
        return tn_bytes(piece->at.bytes, (size_t)piece->length);
    if (piece->kind != TN_PIECE_SPAN || !span->source || !span->source->map ||
        !tn_inside(span->offset, piece->length, span->source->size))
        return tn_bytes(NULL, 0);
    return tn_bytes(span->source->map + span->offset, (size_t)piece->length);
}

enum tn_status tn_rope_write(const struct tn_rope *rope, struct tn_sink *to,
                             struct tn_error *error)
{
    if (tn_failed(rope->error) && rope->error != error)
        *error = *rope->error;
    if (tn_failed(error))
        return error->status;
    for (uint64_t i = 0; i < rope->pieces.count; i++)
        TN_TRY(tn_piece_write(tn_list_at(&rope->pieces, struct tn_piece, i), to,
                              error));
    return TN_OK;
}
