/* rope_source_test.c - pieces read as one file, at every offset and length */
#include "io/rope_source.h"

#include "support/hostile.h"

static const char whole[] = "one, two and the three";

/* The text above out of pieces: borrowed, copied, spans of a source. */
static void fill(struct tn_rope *rope, struct tn_source *source)
{
    tn_rope_span(rope, (struct tn_span){ source, 10, 3 });
    tn_rope_borrow(rope, tn_text(", "));
    tn_rope_span(rope, (struct tn_span){ source, 0, 4 });
    tn_rope_span(rope, (struct tn_span){ source, 4, 4 });
    tn_rope_bytes(rope, tn_text("the "));
    tn_rope_span(rope, (struct tn_span){ source, 20, 5 });
}

static enum tn_status read_all(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_source source, *joined = NULL;
    struct tn_arena  arena;
    struct tn_rope   rope;
    char             text[sizeof whole];
    size_t           size = sizeof whole - 1;

    tn_source_memory(&source, memory, input);
    tn_arena_init(&arena, memory);
    tn_rope_init(&rope, &arena, error);
    fill(&rope, &source);
    tn_source_rope(&joined, memory, &rope, "joined", error);
    tn_rope_done(&rope);
    for (size_t begin = 0; !tn_failed(error) && begin <= size; begin++)
        for (size_t end = begin; end <= size; end++) {
            assert_int_equal(joined->size, size);
            tn_source_read(joined, begin, text, end - begin, error);
            assert_memory_equal(text, whole + begin, end - begin);
        }
    tn_source_close(joined);
    tn_arena_done(&arena);
    tn_source_close(&source);
    return error->status;
}

static const char parts[] = "two and oh one moving three";

static void test_reads(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    char             input[] = "two and ..one.......three";

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(read_all(tn_text(input), &memory, &error), TN_OK);
    assert_int_equal(memory.used, 0);
    tn_survives_no_memory(read_all, tn_text(input));
    assert_int_equal(read_all(tn_text("two and ..one"), &memory, &error),
                     TN_TRUNCATED);
}

static void test_pieces(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_source source, *joined, *part;
    struct tn_arena  arena;
    struct tn_rope   rope, some;
    char             text[8];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_source_memory(&source, &memory, tn_text("two and ..one.......three"));
    tn_rope_init(&rope, &arena, &error);
    fill(&rope, &source);
    tn_source_rope(&joined, &memory, &rope, "", &error);
    tn_rope_init(&some, &arena, &error);
    assert_true(tn_rope_source_pieces(joined, 2, 7, &some));
    assert_int_equal(some.pieces.count, 3);
    assert_false(tn_rope_source_pieces(joined, 20, 7, &some));
    assert_false(tn_rope_source_pieces(&source, 0, 7, &some));
    tn_source_rope(&part, &memory, &some, "", &error);
    tn_source_read(part, 0, text, 7, &error);
    assert_memory_equal(text, "e, two ", 7);
    assert_int_equal(error.status, TN_OK);
    tn_source_close(part);
    tn_rope_done(&some);
    tn_rope_done(&rope);
    tn_rope_span(&rope, (struct tn_span){ joined, 2, 7 });
    tn_rope_bytes(&rope, tn_text("!"));
    tn_rope_span(&rope, (struct tn_span){ &source, 0, 3 });
    tn_rope_flatten(&rope, &some);
    assert_int_equal(rope.length, 0);
    assert_int_equal(some.length, 11);
    assert_int_equal(some.pieces.count, 5);
    for (uint64_t i = 0; i < 5; i++)
        assert_ptr_not_equal(
            tn_list_at(&some.pieces, struct tn_piece, i)->at.span.source,
            joined);
    tn_source_close(joined);
    tn_rope_done(&some);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

/* A single piece in memory is memory; nothing is nothing. */
static void test_maps(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_source source, *joined;
    struct tn_arena  arena;
    struct tn_rope   rope;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_source_memory(&source, &memory, tn_text(parts));
    tn_rope_init(&rope, &arena, &error);
    tn_source_rope(&joined, &memory, &rope, "", &error);
    assert_int_equal(joined->size, 0);
    tn_source_close(joined);
    tn_rope_span(&rope, (struct tn_span){ &source, 4, 3 });
    tn_source_rope(&joined, &memory, &rope, "", &error);
    assert_ptr_equal(joined->map, source.map + 4);
    tn_source_close(joined);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_arena_done(&arena);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_maps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
