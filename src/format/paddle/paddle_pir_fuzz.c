/* paddle_pir_fuzz.c - JSON to a program, to JSON, to the same program */
#include <assert.h>

#include "format/paddle/paddle_pir.h"

static enum tn_status to_program(struct tn_bytes text, struct tn_memory *memory,
                                 struct tn_buffer *to)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(text, 0, &error);
    struct tn_arena  arena;
    struct tn_rope   rope;

    tn_arena_init(&arena, memory);
    tn_rope_init(&rope, &arena, &error);
    const struct tn_tree *root = tn_tree_read(&c, &arena);
    if (root && tn_pir_to_program(root, &arena, &rope, NULL, &error) == TN_OK)
        tn_rope_write(&rope, &to->sink, &error);
    assert(error.status == TN_OK || error.what[0]);
    assert(error.offset == TN_NOWHERE || error.offset <= text.size);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error.status;
}

static enum tn_status to_json(struct tn_bytes program, struct tn_memory *memory,
                              struct tn_buffer *to)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_source source;

    tn_source_memory(&source, memory, program);
    tn_pir_from_program((struct tn_span){ &source, 0, program.size }, memory,
                        to, NULL, NULL, &error);
    tn_source_close(&source);
    assert(error.status == TN_OK || error.what[0]);
    return error.status;
}

/* What was written can be read, and says the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer first, text, second;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&first, &memory, &error);
    tn_buffer_init(&text, &memory, &error);
    tn_buffer_init(&second, &memory, &error);
    if (to_program(tn_bytes(data, size), &memory, &first) == TN_OK &&
        to_json(tn_buffer_bytes(&first), &memory, &text) == TN_OK)
        assert(to_program(tn_buffer_bytes(&text), &memory, &second) == TN_OK);
    tn_buffer_done(&first);
    tn_buffer_done(&text);
    tn_buffer_done(&second);
    assert(memory.used == 0);
    return 0;
}
