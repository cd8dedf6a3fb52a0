/* block_cache_test.c - the same block again, and nothing beyond the budget */
#include "base/block_cache.h"

#include <pthread.h>

#include "support/hostile.h"

#define BIG (UINT64_C(1) << 20)

static struct tn_memory      budget;
static struct tn_block_cache cache;

static void *get(uint64_t size)
{
    struct tn_error error = TN_ERROR_INIT;

    return tn_memory_resize(&cache.memory, NULL, 0, size, &error);
}

static void give(void *block, uint64_t size)
{
    tn_memory_free(&cache.memory, block, size);
}

static void gives_the_same_block_again(void **state)
{
    (void)state;
    tn_memory_init(&budget, NULL, 0);
    tn_block_cache_init(&cache, &budget, 4 * BIG);
    void *first = get(BIG);
    give(first, BIG);
    assert_true(budget.used >= BIG); /* it is kept, and still charged */
    assert_ptr_equal(get(BIG - 5), first);
    void *second = get(BIG);
    assert_ptr_not_equal(second, first);
    give(first, BIG - 5);
    give(second, BIG);
    tn_block_cache_done(&cache);
    assert_int_equal(budget.used, 0);
}

static void small_blocks_pass_by(void **state)
{
    (void)state;
    tn_memory_init(&budget, NULL, 0);
    tn_block_cache_init(&cache, &budget, 4 * BIG);
    give(get(100), 100);
    assert_int_equal(budget.used, 0);
    tn_block_cache_done(&cache);
}

static void keeps_no_more_than_it_may(void **state)
{
    void *blocks[8];

    (void)state;
    tn_memory_init(&budget, NULL, 0);
    tn_block_cache_init(&cache, &budget, 3 * BIG);
    for (int i = 0; i < 8; i++)
        blocks[i] = get(BIG);
    for (int i = 0; i < 8; i++)
        give(blocks[i], BIG);
    assert_true(budget.used <= 3 * BIG && budget.used >= 2 * BIG);
    give(get(4 * BIG), 4 * BIG); /* never fits */
    assert_true(budget.used <= 3 * BIG);
    tn_block_cache_done(&cache);
    assert_int_equal(budget.used, 0);
}

/* Sizes that nobody wants any more do not fill it for good. */
static void what_is_used_replaces_what_is_not(void **state)
{
    (void)state;
    tn_memory_init(&budget, NULL, 0);
    tn_block_cache_init(&cache, &budget, 3 * BIG);
    void *old[3] = { get(BIG), get(BIG), get(BIG) };
    for (int i = 0; i < 3; i++)
        give(old[i], BIG);
    void *block = get(2 * BIG);
    give(block, 2 * BIG);
    assert_ptr_equal(get(2 * BIG), block);
    give(block, 2 * BIG);
    tn_block_cache_done(&cache);
    assert_int_equal(budget.used, 0);
}

static void an_empty_budget_clears_it(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&budget, NULL, 3 * BIG);
    tn_block_cache_init(&cache, &budget, 3 * BIG);
    give(get(2 * BIG), 2 * BIG);
    void *block = get(3 * BIG);
    assert_non_null(block);
    assert_null(tn_memory_resize(&cache.memory, NULL, 0, BIG, &error));
    assert_int_equal(error.status, TN_LIMIT); /* as the budget says */
    give(block, 3 * BIG);
    tn_block_cache_done(&cache);
    assert_int_equal(budget.used, 0);
}

static void growing_keeps_the_bytes(void **state)
{
    struct tn_error error = TN_ERROR_INIT;
    uint64_t        size  = 10;

    (void)state;
    tn_memory_init(&budget, NULL, 0);
    tn_block_cache_init(&cache, &budget, 4 * BIG);
    uint8_t *block = get(size);
    memset(block, 7, (size_t)size);
    for (; size < 2 * BIG; size *= 3) {
        block = tn_memory_resize(&cache.memory, block, size, size * 3, &error);
        assert_non_null(block);
        for (uint64_t i = 0; i < size; i++)
            assert_int_equal(block[i], 7);
        memset(block, 7, (size_t)size * 3);
    }
    give(block, size);
    tn_block_cache_done(&cache);
    assert_int_equal(budget.used, 0);
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
    tn_memory_init(&budget, NULL, 0);
    tn_block_cache_init(&cache, &budget, BIG);
    for (uintptr_t i = 0; i < 3; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, take_turns, (void *)(i + 1)), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    tn_block_cache_done(&cache);
    assert_int_equal(budget.used, 0);
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
    tn_memory_init(&budget, NULL, 4 * BIG);
    tn_block_cache_init(&cache, &budget, 2 * BIG);
    assert_null(tn_block_cache_take_tool(&cache.memory, drop_hammer));
    struct tn_tool *first = new_hammer();
    tn_block_cache_keep_tool(&cache.memory, first);
    assert_null(tn_block_cache_take_tool(&cache.memory, drop_saw));
    assert_ptr_equal(tn_block_cache_take_tool(&cache.memory, drop_hammer),
                     first);
    assert_null(tn_block_cache_take_tool(&cache.memory, drop_hammer));
    tn_block_cache_keep_tool(&cache.memory, first);
    assert_int_equal(hammers, 1);
    void *most = get(3 * BIG + BIG / 2); /* who needs the memory gets it */
    assert_non_null(most);
    assert_int_equal(hammers, 0);
    give(most, 3 * BIG + BIG / 2);
    tn_block_cache_keep_tool(&cache.memory, new_hammer());
    tn_block_cache_done(&cache);
    assert_int_equal(hammers + budget.used, 0);
    struct hammer *alone =
        tn_memory_resize(&budget, NULL, 0, sizeof *alone, &error);
    *alone = (struct hammer){ { drop_hammer }, NULL };
    hammers++;
    assert_null(tn_block_cache_take_tool(&budget, drop_hammer));
    tn_block_cache_keep_tool(&budget,
                             &alone->tool); /* no cache: dropped at once */
    assert_int_equal(hammers + budget.used, 0);
}

static void more_tools_than_places(void **state)
{
    (void)state;
    tn_memory_init(&budget, NULL, 0);
    tn_block_cache_init(&cache, &budget, 2 * BIG);
    struct tn_tool *tools[TN_BLOCK_CACHE_TOOLS + 3];
    for (unsigned i = 0; i < TN_BLOCK_CACHE_TOOLS + 3; i++)
        tools[i] = new_hammer();
    for (unsigned i = 0; i < TN_BLOCK_CACHE_TOOLS + 3; i++)
        tn_block_cache_keep_tool(&cache.memory, tools[i]);
    assert_int_equal(hammers, TN_BLOCK_CACHE_TOOLS);
    tn_block_cache_done(&cache);
    assert_int_equal(hammers + budget.used, 0);
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
        cmocka_unit_test(an_empty_budget_clears_it),
        cmocka_unit_test(growing_keeps_the_bytes),
        cmocka_unit_test(a_block_is_in_one_hand_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
