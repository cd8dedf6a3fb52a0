/*
 * chunk_same.h - whether two messages mean the same
 *
 * Included by tests only.
 */
#ifndef TN_CHUNK_SAME_H
#define TN_CHUNK_SAME_H

#include "chunk/message.h"
#include "io/rope_source.h"
#include "wire/pb/pb_merge.h"
#include "wire/pb/pb_text_write.h"

/* Prints the meaning of a message: map entries whose key is repeated later are
 * left out. */
static inline void print(struct tn_memory           *memory,
                         const struct tn_pb_message *type,
                         struct tn_span message, struct tn_buffer *to)
{
    struct tn_error  *error = to->error;
    struct tn_arena   arena;
    struct tn_rope    rope;
    struct tn_source *plain = NULL;

    tn_arena_init(&arena, memory);
    tn_rope_init(&rope, &arena, error);
    struct tn_pb_view view =
        tn_pb_view(type, tn_cursor_span(message, error), &arena);
    tn_pb_normalize(&view, &rope);
    tn_source_rope(&plain, memory, &rope, "", error);
    tn_pb_text_write(type, (struct tn_span){ plain, 0, plain->size }, &to->sink,
                     memory, error);
    assert_string_equal(error->what, "");
    tn_source_close(plain);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static inline void assert_same(struct tn_memory           *memory,
                               const struct tn_pb_message *type,
                               struct tn_message *a, struct tn_message *b)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer first, second;

    tn_buffer_init(&first, memory, &error);
    tn_buffer_init(&second, memory, &error);
    print(memory, type, tn_message_span(a), &first);
    print(memory, type, tn_message_span(b), &second);
    assert_string_equal(tn_buffer_string(&first), tn_buffer_string(&second));
    tn_buffer_done(&first);
    tn_buffer_done(&second);
}

#endif
