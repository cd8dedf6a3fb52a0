/* memory_test.c - the budget holds, arenas and lists give everything back */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "support/hostile.h"

static void the_budget_has_a_limit(void **state)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 1000);
    char *block = tn_memory_resize(&memory, NULL, 0, 600, &error);
    assert_non_null(block);
    assert_int_equal(memory.used, 600);
    memset(block, 'x', 600);
    assert_null(tn_memory_resize(&memory, NULL, 0, 401, &error));
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(memory.used, 600);
    assert_string_equal(error.what, "needs 401 more bytes of memory; 600 of "
                                    "1000 are in use");
    error      = (struct tn_error)TN_ERROR_INIT;
    char *rest = tn_memory_resize(&memory, NULL, 0, 400, &error);
    assert_non_null(rest);
    tn_memory_free(&memory, rest, 400);
    assert_null(tn_memory_resize(&memory, block, 600, 0, &error));
    assert_int_equal(memory.used, 0);
    tn_memory_free(&memory, NULL, 77); /* frees nothing, charges nothing */
    assert_int_equal(memory.used, 0);
}

static void a_refused_resize_keeps_the_block(void **state)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 100);
    char *block = tn_memory_resize(&memory, NULL, 0, 40, &error);
    memcpy(block, "kept", 5);
    assert_null(tn_memory_resize(&memory, block, 40, 200, &error));
    assert_int_equal(error.status, TN_LIMIT);
    assert_string_equal(block, "kept");
    assert_int_equal(memory.used, 40);
    tn_memory_free(&memory, block, 40);
}

static void absurd_sizes_are_no_memory(void **state)
{
    static const uint64_t sizes[] = { UINT64_MAX, UINT64_MAX / 2 + 1,
                                      UINT64_C(1) << 63 };
    struct tn_memory      memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tn_error error = TN_ERROR_INIT;
        assert_null(tn_memory_resize(&memory, NULL, 0, sizes[i], &error));
        assert_int_equal(error.status, TN_NO_MEMORY);
        assert_int_equal(memory.used, 0);
    }
}

static void arena_pieces_are_aligned_zeroed_and_apart(void **state)
{
    static const size_t aligns[] = { 1, 2, 4, 8, alignof(max_align_t) };
    struct tn_error     error    = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    uint8_t            *pieces[300];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    for (size_t i = 0; i < 300; i++) {
        size_t align = aligns[i % 5], size = i * 37 % 5000 + 1;
        pieces[i] = tn_arena_alloc(&arena, size, align, &error);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % align, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)i & 0xff, size);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < i * 37 % 5000 + 1; k++)
            assert_int_equal(pieces[i][k], i & 0xff);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
    assert_non_null(tn_arena_alloc(&arena, 5, 1, &error)); /* again */
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

/* A big piece must not throw away the room that is left for small ones. */
static void big_pieces_stand_alone(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    uint8_t *first = tn_arena_alloc(&arena, 16, 1, &error);
    assert_non_null(tn_arena_alloc(&arena, 1 << 20, 1, &error));
    uint8_t *second = tn_arena_alloc(&arena, 16, 1, &error);
    assert_ptr_equal(second, first + 16);
    tn_arena_done(&arena);
}

static void arenas_rewind(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_arena_rewind(&arena); /* of nothing */
    assert_int_equal(memory.used, 0);
    for (unsigned round = 0; round < 3; round++) {
        uint8_t *first = tn_arena_alloc(&arena, 100, 1, &error);
        assert_int_equal(first[99], 0);
        memset(first, 7, 100);
        for (unsigned i = 0; i < 50; i++)
            assert_non_null(tn_arena_alloc(&arena, 100000, 8, &error));
        tn_arena_rewind(&arena);
        assert_true(memory.used < 2 << 20);
        assert_non_null(arena.blocks);
    }
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

static void arenas_refuse_what_does_not_fit(void **state)
{
    static const struct {
        uint64_t       count;
        size_t         item_size;
        enum tn_status status;
    } rows[] = {
        { 10, 8, TN_OK },
        { UINT64_C(1) << 61, 8, TN_NO_MEMORY }, /* the product is 0 */
        { (UINT64_C(1) << 61) + 1, 8, TN_NO_MEMORY },
        { UINT64_MAX, 1, TN_NO_MEMORY },
        { UINT64_MAX - 8, 1, TN_NO_MEMORY }, /* wraps with its header */
        { 100000, 8, TN_LIMIT },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_arena  arena;
        tn_memory_init(&memory, NULL, 10000);
        tn_arena_init(&arena, &memory);
        void *got =
            tn_arena_array(&arena, rows[i].count, rows[i].item_size, 8, &error);
        assert_int_equal(error.status, rows[i].status);
        assert_int_equal(got != NULL, rows[i].status == TN_OK);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

static void copies(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    struct tn_bytes copy = tn_bytes_dup(&arena, tn_bytes("a\0b", 3), &error);
    assert_int_equal(copy.size, 3);
    assert_memory_equal(copy.data, "a\0b", 4); /* with a zero after it */
    copy = tn_bytes_dup(&arena, tn_bytes(NULL, 0), &error);
    assert_non_null(copy.data);
    assert_int_equal(copy.data[0], 0);
    assert_string_equal(tn_text_dup(&arena, "text", &error), "text");
    assert_string_equal(tn_text_format(&arena, &error, "%s-%d", "x", 7), "x-7");
    assert_string_equal(tn_text_format(&arena, &error, "%s", ""), "");
    tn_arena_done(&arena);
}

static void lists_grow_and_trim(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_list   list;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_list_init(&list, &memory, sizeof(uint32_t));
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t *item = tn_list_push(&list, uint32_t, &error);
        assert_int_equal(*item, 0);
        *item = i;
    }
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(*tn_list_at(&list, uint32_t, i), i);
    tn_list_trim(&list);
    assert_int_equal(memory.used, 40000);
    assert_int_equal(*tn_list_at(&list, uint32_t, 9999), 9999);
    tn_list_done(&list);
    assert_int_equal(memory.used, 0);
}

static void room_that_is_reserved_is_enough(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_list   list;

    (void)state;
    tn_memory_init(&memory, NULL, 4000);
    tn_list_init(&list, &memory, sizeof(uint32_t));
    assert_true(tn_list_reserve(&list, 1000, &error));
    const void *items = list.items;
    assert_int_equal(list.count, 0);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(*tn_list_push(&list, uint32_t, &error), 0);
    assert_ptr_equal(list.items, items);
    assert_true(tn_list_reserve(&list, 10, &error));
    assert_false(tn_list_reserve(&list, 1001, &error));
    assert_int_equal(error.status, TN_LIMIT);
    tn_list_done(&list);
    assert_int_equal(memory.used, 0);
}

static void lists_are_kept_in_an_arena(void **state)
{
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_list   list;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_list_init(&list, &memory, sizeof(uint64_t));
    assert_non_null(tn_list_keep(&list, uint64_t, &arena, &error));
    for (uint64_t i = 0; i < 3; i++)
        *tn_list_push(&list, uint64_t, &error) = i + 7;
    assert_non_null(tn_arena_alloc(&arena, 1, 1, &error));
    const uint64_t *kept = tn_list_keep(&list, uint64_t, &arena, &error);
    tn_list_done(&list);
    assert_non_null(kept);
    assert_int_equal((uintptr_t)kept % alignof(uint64_t), 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(kept[i], i + 7);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

/* NULL is a failure alone: no items at all are room, too. */
static void an_empty_list_grows_by_nothing(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_list   list;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_list_init(&list, &memory, 16);
    assert_non_null(tn_list_grow(&list, 0, &error));
    assert_int_equal(list.count, 0);
    tn_list_done(&list);
    assert_int_equal(memory.used, 0);
}

static void lists_refuse_what_does_not_fit(void **state)
{
    struct tn_memory memory;
    struct tn_list   list;

    (void)state;
    tn_memory_init(&memory, NULL, 1000);
    tn_list_init(&list, &memory, 16);
    for (int i = 0; i < 2; i++) {
        static const uint64_t counts[] = { UINT64_C(1) << 60, UINT64_MAX };
        struct tn_error       error    = TN_ERROR_INIT;
        assert_null(tn_list_grow(&list, counts[i], &error));
        assert_int_equal(error.status, TN_NO_MEMORY);
        assert_int_equal(list.count, 0);
    }
    struct tn_error error = TN_ERROR_INIT;
    uint8_t        *kept  = tn_list_grow(&list, 2, &error);
    memset(kept, 7, 32);
    assert_null(tn_list_grow(&list, 1000, &error));
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(list.count, 2);
    assert_int_equal(((uint8_t *)list.items)[31], 7);
    tn_list_done(&list);
    assert_int_equal(memory.used, 0);
}

static enum tn_status use_everything(struct tn_bytes   input,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_arena arena;
    struct tn_list  list;

    (void)input;
    tn_arena_init(&arena, memory);
    tn_list_init(&list, memory, 8);
    for (int i = 0; i < 100 && !tn_failed(error); i++)
        if (tn_text_format(&arena, error, "%1000d", i))
            (void)tn_list_grow(&list, 10, error);
    tn_list_done(&list);
    tn_arena_done(&arena);
    return error->status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    tn_survives_no_memory(use_everything, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_has_a_limit),
        cmocka_unit_test(a_refused_resize_keeps_the_block),
        cmocka_unit_test(absurd_sizes_are_no_memory),
        cmocka_unit_test(arena_pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(big_pieces_stand_alone),
        cmocka_unit_test(arenas_rewind),
        cmocka_unit_test(arenas_refuse_what_does_not_fit),
        cmocka_unit_test(copies),
        cmocka_unit_test(lists_grow_and_trim),
        cmocka_unit_test(room_that_is_reserved_is_enough),
        cmocka_unit_test(lists_are_kept_in_an_arena),
        cmocka_unit_test(an_empty_list_grows_by_nothing),
        cmocka_unit_test(lists_refuse_what_does_not_fit),
        cmocka_unit_test(every_allocation_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
