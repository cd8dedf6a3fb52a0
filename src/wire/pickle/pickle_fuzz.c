/* pickle_fuzz.c - whatever the program does, the result is finite data; and
 * described, it takes memory in proportion to the file */
#include "wire/pickle/pickle.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Containers appear once, so that a walk is as long as the file at most. */
static void walk(const struct tn_pickle *value, size_t size, uint64_t *seen,
                 unsigned depth)
{
    assert(++*seen <= 4 * size);
    assert(value->kind != TN_PICKLE_NAME || depth > 0);
    assert(value->offset < size);
    if (value->kind == TN_PICKLE_ARRAY && value->as.array.is_filled)
        assert(value->as.array.data.span.length <= size);
    if (value->kind < TN_PICKLE_LIST || value->kind > TN_PICKLE_DICT ||
        depth == 100)
        return;
    for (uint64_t i = 0; i < value->as.list.count; i++)
        walk(value->as.list.items[i], size, seen, depth + 1);
}

static void see(void *context, uint64_t offset, const char *by,
                const struct tn_pickle *callee, const struct tn_pickle *args)
{
    assert(callee && by[0] && offset < *(size_t *)context);
    (void)args;
}

static void describe(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(tn_bytes(data, size), 0, &error);
    struct tn_pickle_watch  watch = { .context = &size, .call = see };
    struct tn_memory        memory;
    struct tn_arena         arena;
    const struct tn_pickle *result;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    if (tn_pickle_describe(&c, &arena, &watch, &result) == TN_OK)
        assert(result && result->offset < size);
    else
        assert(error.what[0] && error.offset <= size);
    assert(memory.used <= 4096 + 1024 * (uint64_t)size);
    tn_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    describe(data, size);
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(tn_bytes(data, size), 0, &error);
    struct tn_memory memory;
    struct tn_arena  arena;
    const struct tn_pickle *result;
    uint64_t                seen = 0;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    if (tn_pickle_read(&c, &arena, &result) == TN_OK)
        walk(result, size, &seen, 0);
    else
        assert(error.what[0] && error.offset <= size);
    assert(memory.used <= 4096 + 512 * (uint64_t)size);
    tn_arena_done(&arena);
    return 0;
}
