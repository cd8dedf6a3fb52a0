/* large_blocks_test.c - bytes stay what they are, however a block grows */
#define _GNU_SOURCE
#include "io/large_blocks.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/hostile.h"

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = { 1,           4096,    MIB - 1,        MIB,
                                MIB + 1,     3 * MIB, 3 * MIB + 5000, 40 * MIB,
                                2 * MIB + 7, MIB,     MIB - 1,        100,
                                33 * MIB,    10 };

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 7 + i / 4096);
}

static void what_was_in_a_block_stays(void **state)
{
    struct tn_allocator all   = tn_large_blocks();
    uint8_t            *block = NULL;
    size_t              size  = 0;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t   kept  = size < sizes[i] ? size : sizes[i];
        uint8_t *moved = all.resize(all.context, block, size, sizes[i]);
        assert_non_null(moved);
        for (size_t k = 0; k < kept; k++)
            if (moved[k] != byte_at(k))
                fail_msg("%zu to %zu: byte %zu", size, sizes[i], k);
        for (size_t k = kept; k < sizes[i]; k++)
            moved[k] = byte_at(k);
        block = moved;
        size  = sizes[i];
    }
    assert_null(all.resize(all.context, block, size, 0));
    assert_null(all.resize(all.context, NULL, 0, 0));
}

/* More than there can be: the old block is still there. */
static void what_cannot_be_had_changes_nothing(void **state)
{
    struct tn_allocator all        = tn_large_blocks();
    size_t              sizes_of[] = { 100, 5 * MIB };

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t *block = all.resize(all.context, NULL, 0, sizes_of[i]);
        assert_non_null(block);
        block[99] = 42;
#ifndef __SANITIZE_ADDRESS__ /* which ends the process */
        assert_null(all.resize(all.context, block, sizes_of[i], SIZE_MAX / 2));
#endif
        assert_int_equal(block[99], 42);
        assert_null(all.resize(all.context, block, sizes_of[i], 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_in_a_block_stays),
        cmocka_unit_test(what_cannot_be_had_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
