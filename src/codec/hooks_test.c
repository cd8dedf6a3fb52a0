/* hooks_test.c - every block is counted, and none is lost */
#include "codec/hooks.h"

#include <string.h>

#include "support/hostile.h"

#define COUNT 20

/* Blocks freed in this order: from the front, from the end, from the middle. */
static void any_order_of_freeing_will_do(void **state)
{
    static const int strides[] = { 1, COUNT - 1, 7 };

    (void)state;
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        struct tn_memory memory;
        struct tn_hooks  hooks;
        uint8_t         *blocks[COUNT];

        tn_memory_init(&memory, NULL, 0);
        tn_hooks_init(&hooks, &memory);
        for (size_t i = 0; i < COUNT; i++) {
            blocks[i] = tn_hook_alloc(&hooks, i * 10);
            assert_non_null(blocks[i]);
            assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
            memset(blocks[i], (int)i, i * 10);
        }
        for (int i = 0; i < COUNT; i++) {
            int at = i * strides[s] % COUNT;
            for (int k = 0; k < at * 10; k++)
                assert_int_equal(blocks[at][k], at);
            uint64_t before = memory.used;
            tn_hook_free(&hooks, blocks[at]);
            assert_true(memory.used < before);
        }
        assert_int_equal(memory.used, 0);
        assert_null(hooks.blocks);
    }
}

static void what_a_library_forgets_is_given_back(void **state)
{
    struct tn_memory memory;
    struct tn_hooks  hooks;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_hooks_init(&hooks, &memory);
    void *second = NULL;
    for (size_t i = 0; i < COUNT; i++) {
        void *block = tn_hook_alloc(&hooks, 100);
        second      = i == 1 ? block : second;
    }
    tn_hook_free(&hooks, second);
    tn_hook_free(&hooks, NULL);
    assert_true(memory.used >= (COUNT - 1) * 100);
    tn_hooks_done(&hooks);
    assert_int_equal(memory.used, 0);
    tn_hooks_done(&hooks);
}

static const struct {
    const char    *name;
    uint64_t       limit;
    size_t         size;
    enum tn_status status;
} rows[] = {
    { "no bytes are a block, too", 0, 0, TN_OK },
    { "below the limit", 1000, 900, TN_OK },
    { "the header counts", 1000, 1000, TN_LIMIT },
    { "past the limit", 1000, 100000, TN_LIMIT },
    { "more than there is", 1000, SIZE_MAX, TN_NO_MEMORY },
    { "a size that wraps", 0, SIZE_MAX - 8, TN_NO_MEMORY },
};

static void a_refusal_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_memory memory;
        struct tn_hooks  hooks;

        tn_memory_init(&memory, NULL, rows[i].limit);
        tn_hooks_init(&hooks, &memory);
        void *block = tn_hook_alloc(&hooks, rows[i].size);
        if (hooks.error.status != rows[i].status)
            fail_msg("%s: %d, %s", rows[i].name, (int)hooks.error.status,
                     hooks.error.what);
        assert_int_equal(block != NULL, rows[i].status == TN_OK);
        /* libbrotli asks for three blocks and looks at them later */
        tn_hook_free(&hooks, block);
        assert_non_null(tn_hook_alloc(&hooks, 1));
        assert_int_equal(hooks.error.status, rows[i].status);
        tn_hooks_done(&hooks);
        assert_int_equal(memory.used, 0);
    }
}

static enum tn_status use(struct tn_bytes input, struct tn_memory *memory,
                          struct tn_error *error)
{
    struct tn_hooks hooks;

    tn_hooks_init(&hooks, memory);
    for (size_t i = 0; i < input.size && !tn_failed(&hooks.error); i++)
        tn_hook_alloc(&hooks, input.data[i]);
    *error = hooks.error;
    tn_hooks_done(&hooks);
    return error->status;
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(use, tn_text("some sizes of blocks"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_of_freeing_will_do),
        cmocka_unit_test(what_a_library_forgets_is_given_back),
        cmocka_unit_test(a_refusal_says_why),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
