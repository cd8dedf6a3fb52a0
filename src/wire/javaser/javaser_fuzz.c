/* javaser_fuzz.c - what is read is written, and read again as the same */
#include "wire/javaser/javaser.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_again(struct tn_bytes bytes, const struct tn_list *first,
                       struct tn_arena *arena)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(bytes, 0, &error);
    struct tn_list   second;

    tn_list_init(&second, arena->memory, sizeof(struct tn_javaser_entry));
    tn_javaser_read(&c, arena, &second);
    assert(error.status == TN_OK && second.count == first->count);
    for (uint64_t i = 0; i < first->count; i++) {
        const struct tn_javaser_entry *a =
            tn_list_at(first, struct tn_javaser_entry, i);
        const struct tn_javaser_entry *b =
            tn_list_at(&second, struct tn_javaser_entry, i);
        assert(tn_bytes_equal(a->key, b->key));
        assert(a->first == b->first && a->second == b->second);
    }
    tn_list_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(tn_bytes(data, size), 0, &error);
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_list   entries;
    struct tn_buffer out;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_list_init(&entries, &memory, sizeof(struct tn_javaser_entry));
    if (tn_javaser_read(&c, &arena, &entries) == TN_OK) {
        tn_buffer_init(&out, &memory, &error);
        tn_javaser_write(&out, entries.items, entries.count);
        assert(error.status == TN_OK);
        read_again(tn_buffer_bytes(&out), &entries, &arena);
        tn_buffer_done(&out);
    } else {
        assert(error.what[0] && error.offset <= size);
    }
    tn_list_done(&entries);
    tn_arena_done(&arena);
    return 0;
}
