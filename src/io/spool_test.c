/* spool_test.c - pieces go in, the same bytes can be read again */
#define _GNU_SOURCE
#include "io/spool.h"

#include <stdlib.h>

#include "support/every_os.h"
#include "support/hostile.h"

static enum tn_status spool_and_read(struct tn_bytes   input,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_source whole, *spooled = NULL;
    struct tn_arena  arena;
    struct tn_rope   rope;

    tn_source_memory(&whole, memory, input);
    tn_arena_init(&arena, memory);
    tn_rope_init(&rope, &arena, error);
    tn_rope_bytes(&rope, tn_text("begin "));
    for (int i = 0; i < 100; i++)
        tn_rope_span(&rope, (struct tn_span){ &whole, 0, whole.size });
    tn_rope_bytes(&rope, tn_text(" end"));
    tn_source_from_rope(&spooled, memory, &rope, "spooled", error);
    if (!tn_failed(error)) {
        uint8_t tail[4];
        assert_int_equal(spooled->size, 10 + 100 * input.size);
        assert_int_equal(
            tn_source_read(spooled, spooled->size - 4, tail, 4, error), TN_OK);
        assert_memory_equal(tail, " end", 4);
    }
    tn_source_close(spooled);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}

static void gives_back_what_it_took(void **state)
{
    static uint8_t bytes[12345] = { 7 };

    (void)state;
    tn_survives_no_memory(spool_and_read, tn_bytes(bytes, sizeof bytes));
}

static void says_where_it_cannot_write(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(spool_and_read(tn_text("x"), &memory, &error), TN_IO);
    assert_non_null(strstr(error.what, "/nonexistent"));
    assert_int_equal(memory.used, 0);
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_it_took),
        cmocka_unit_test(says_where_it_cannot_write),
    };

    return tn_run_on_every_os(tests);
}
