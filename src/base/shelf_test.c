/* shelf_test.c - the same block again, and nothing beyond the purse */
#include "base/shelf.h"

#include <pthread.h>

#include "support/hostile.h"

#define BIG (UINT64_C(1) << 20)

static struct tn_memory purse;
static struct tn_shelf  shelf;

static void *get(uint64_t size)
{
    struct tn_error error = TN_ERROR_INIT;

    return tn_memory_resize(&shelf.memory, NULL, 0, size, &error);
}

static void give(void *block, uint64_t size)
{
    tn_memory_free(&shelf.memory, block, size);
}

static void gives_the_same_block_again(void **state)
{
    (void)state;
    tn_memory_init(&purse, NULL, 0);
    tn_shelf_init(&shelf, &purse, 4 * BIG);
    void *first = get(BIG);
    give(first, BIG);
    assert_true(purse.used >= BIG); /* it is kept, and still charged */
    assert_ptr_equal(get(BIG - 5), first);
    void *second = get(BIG);
    assert_ptr_not_equal(second, first);
    give(first, BIG - 5);
    give(second, BIG);
    tn_shelf_done(&shelf);
    assert_int_equal(purse.used, 0);
}

static void small_blocks_pass_by(void **state)
{
    (void)state;
    tn_memory_init(&purse, NULL, 0);
    tn_shelf_init(&shelf, &purse, 4 * BIG);
    give(get(100), 100);
    assert_int_equal(purse.used, 0);
    tn_shelf_done(&shelf);
}

static void keeps_no_more_than_it_may(void **state)
{
    void *blocks[8];

    (void)state;
    tn_memory_init(&purse, NULL, 0);
    tn_shelf_init(&shelf, &purse, 3 * BIG);
    for (int i = 0; i < 8; i++)
        blocks[i] = get(BIG);
    for (int i = 0; i < 8; i++)
        give(blocks[i], BIG);
    assert_true(purse.used <= 3 * BIG && purse.used >= 2 * BIG);
    give(get(4 * BIG), 4 * BIG); /* never fits */
    assert_true(purse.used <= 3 * BIG);
    tn_shelf_done(&shelf);
    assert_int_equal(purse.used, 0);
}

/* Sizes that nobody wants any more do not fill it for good. */
static void what_is_used_replaces_what_is_not(void **state)
{
    (void)state;
    tn_memory_init(&purse, NULL, 0);
    tn_shelf_init(&shelf, &purse, 3 * BIG);
    void *old[3] = { get(BIG), get(BIG), get(BIG) };
    for (int i = 0; i < 3; i++)
        give(old[i], BIG);
    void *block = get(2 * BIG);
    give(block, 2 * BIG);
    assert_ptr_equal(get(2 * BIG), block);
    give(block, 2 * BIG);
    tn_shelf_done(&shelf);
    assert_int_equal(purse.used, 0);
}

static void an_empty_purse_clears_it(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&purse, NULL, 3 * BIG);
    tn_shelf_init(&shelf, &purse, 3 * BIG);
    give(get(2 * BIG), 2 * BIG);
    void *block = get(3 * BIG);
    assert_non_null(block);
    assert_null(tn_memory_resize(&shelf.memory, NULL, 0, BIG, &error));
    assert_int_equal(error.status, TN_LIMIT); /* as the purse says */
    give(block, 3 * BIG);
    tn_shelf_done(&shelf);
    assert_int_equal(purse.used, 0);
}

static void growing_keeps_the_bytes(void **state)
{
    struct tn_error error = TN_ERROR_INIT;
    uint64_t        size  = 10;

    (void)state;
    tn_memory_init(&purse, NULL, 0);
    tn_shelf_init(&shelf, &purse, 4 * BIG);
    uint8_t *block = get(size);
    memset(block, 7, (size_t)size);
    for (; size < 2 * BIG; size *= 3) {
        block = tn_memory_resize(&shelf.memory, block, size, size * 3, &error);
        assert_non_null(block);
        for (uint64_t i = 0; i < size; i++)
            assert_int_equal(block[i], 7);
        memset(block, 7, (size_t)size * 3);
    }
    give(block, size);
    tn_shelf_done(&shelf);
    assert_int_equal(purse.used, 0);
}

static void *take_turns(void *context)
{
    uint8_t mark = (uint8_t)(uintptr_t)context;

    for (int i = 0; i < 2000; i++) {
        uint64_t size  = BIG / 16 * (uint64_t)(i % 5 + 1);
        uint8_t *block = get(size);
        memset(block, mark, 4096);
        for (int k = 0; k < 4096; k += 512)
            if (block[k] != mark)
                return context;
        give(block, size);
    }
    return NULL;
}

static void a_block_is_in_one_hand_only(void **state)
{
    pthread_t threads[3];
    void     *failed;

    (void)state;
    tn_memory_init(&purse, NULL, 0);
    tn_shelf_init(&shelf, &purse, BIG);
    for (uintptr_t i = 0; i < 3; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, take_turns, (void *)(i + 1)), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    tn_shelf_done(&shelf);
    assert_int_equal(purse.used, 0);
}

/* A hammer, and how many there are. */
struct hammer {
    struct tn_tool tool; /* first */
    void          *handle;
};

static unsigned hammers;

static void drop_hammer(struct tn_tool *tool)
{
    hammers--;
    give(((struct hammer *)tool)->handle, BIG);
    give(tool, sizeof(struct hammer));
}

static void drop_saw(struct tn_tool *tool)
{
    (void)tool;
    fail();
}

static struct tn_tool *new_hammer(void)
{
    struct hammer *hammer = get(sizeof *hammer);

    *hammer = (struct hammer){ { drop_hammer }, get(BIG) };
    hammers++;
    return &hammer->tool;
}

static void tools_are_used_again(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&purse, NULL, 4 * BIG);
    tn_shelf_init(&shelf, &purse, 2 * BIG);
    assert_null(tn_shelf_take_tool(&shelf.memory, drop_hammer));
    struct tn_tool *first = new_hammer();
    tn_shelf_keep_tool(&shelf.memory, first);
    assert_null(tn_shelf_take_tool(&shelf.memory, drop_saw));
    assert_ptr_equal(tn_shelf_take_tool(&shelf.memory, drop_hammer), first);
    assert_null(tn_shelf_take_tool(&shelf.memory, drop_hammer));
    tn_shelf_keep_tool(&shelf.memory, first);
    assert_int_equal(hammers, 1);
    void *most = get(3 * BIG + BIG / 2); /* who needs the memory gets it */
    assert_non_null(most);
    assert_int_equal(hammers, 0);
    give(most, 3 * BIG + BIG / 2);
    tn_shelf_keep_tool(&shelf.memory, new_hammer());
    tn_shelf_done(&shelf);
    assert_int_equal(hammers + purse.used, 0);
    struct hammer *alone =
        tn_memory_resize(&purse, NULL, 0, sizeof *alone, &error);
    *alone = (struct hammer){ { drop_hammer }, NULL };
    hammers++;
    assert_null(tn_shelf_take_tool(&purse, drop_hammer));
    tn_shelf_keep_tool(&purse, &alone->tool); /* no shelf: dropped at once */
    assert_int_equal(hammers + purse.used, 0);
}

static void more_tools_than_places(void **state)
{
    (void)state;
    tn_memory_init(&purse, NULL, 0);
    tn_shelf_init(&shelf, &purse, 2 * BIG);
    struct tn_tool *tools[TN_SHELF_TOOLS + 3];
    for (unsigned i = 0; i < TN_SHELF_TOOLS + 3; i++)
        tools[i] = new_hammer();
    for (unsigned i = 0; i < TN_SHELF_TOOLS + 3; i++)
        tn_shelf_keep_tool(&shelf.memory, tools[i]);
    assert_int_equal(hammers, TN_SHELF_TOOLS);
    tn_shelf_done(&shelf);
    assert_int_equal(hammers + purse.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_are_used_again),
        cmocka_unit_test(more_tools_than_places),
        cmocka_unit_test(gives_the_same_block_again),
        cmocka_unit_test(small_blocks_pass_by),
        cmocka_unit_test(keeps_no_more_than_it_may),
        cmocka_unit_test(what_is_used_replaces_what_is_not),
        cmocka_unit_test(an_empty_purse_clears_it),
        cmocka_unit_test(growing_keeps_the_bytes),
        cmocka_unit_test(a_block_is_in_one_hand_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
