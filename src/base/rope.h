/*
 * rope.h - a long sequence of bytes made of pieces, most of them elsewhere
 *
 * What a writer builds: headers are in memory, payloads are spans of their
 * source, or producers that stream their bytes.  Lengths are known before the
 * first byte is written, so nested length prefixes cost nothing.
 */
#ifndef TN_BASE_ROPE_H
#define TN_BASE_ROPE_H

#include "base/memory.h"
#include "base/sink.h"

/* Streams exactly `length` bytes on request. */
struct tn_producer {
    enum tn_status (*produce)(const struct tn_producer *producer,
                              struct tn_sink *to, struct tn_error *error);
    uint64_t length;
};

enum tn_piece_kind { TN_PIECE_BYTES, TN_PIECE_SPAN, TN_PIECE_PRODUCER };

struct tn_piece {
    enum tn_piece_kind kind;
    uint64_t           length;
    union {
        const uint8_t            *bytes;
        struct tn_span            span;
        const struct tn_producer *producer;
    } at;
};

/* Pieces live in lists of counted memory; small bytes are copied into the
 * arena and neighbours are joined. */
struct tn_rope {
    struct tn_arena *arena;
    struct tn_list   pieces; /* struct tn_piece */
    uint64_t         length;
    struct tn_error *error; /* sticky: after a failure adding does nothing */
};

void tn_rope_init(struct tn_rope *rope, struct tn_arena *arena,
                  struct tn_error *error);
void tn_rope_done(struct tn_rope *rope);

/* Copied. */
void tn_rope_bytes(struct tn_rope *rope, struct tn_bytes bytes);
/* Borrowed until the rope is written. */
void tn_rope_borrow(struct tn_rope *rope, struct tn_bytes bytes);
void tn_rope_span(struct tn_rope *rope, struct tn_span span);
void tn_rope_producer(struct tn_rope *rope, const struct tn_producer *producer);
/* Moves all pieces of `tail` to the end; `tail` is empty afterwards. */
void tn_rope_append(struct tn_rope *rope, struct tn_rope *tail);

/* Writes one piece; and returns its bytes if they are in memory (.data is NULL
 * if they would have to be read). */
enum tn_status  tn_piece_write(const struct tn_piece *piece, struct tn_sink *to,
                               struct tn_error *error);
struct tn_bytes tn_piece_look(const struct tn_piece *piece);

enum tn_status tn_rope_write(const struct tn_rope *rope, struct tn_sink *to,
                             struct tn_error *error);

#endif
