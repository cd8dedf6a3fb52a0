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

static size_t resident_bytes(void)
{
    FILE *file  = fopen("/proc/self/statm", "r");
    long  pages = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static uint8_t *filled(struct tn_allocator all, size_t size)
{
    uint8_t *block = all.resize(all.context, NULL, 0, size);

    assert_non_null(block);
    memset(block, 1, size);
    return block;
}

/* A block that was freed serves the next of about that size. */
static void freed_blocks_serve_again(void **state)
{
    struct tn_allocator all    = tn_large_blocks_hold(NULL);
    struct tn_allocator shared = tn_large_blocks_hold(&all);
    uint8_t            *first  = filled(all, 8 * MIB);

    (void)state;
    all.resize(all.context, first, 8 * MIB, 0);
    uint8_t *again = filled(shared, 8 * MIB - 100);
#ifndef __SANITIZE_ADDRESS__ /* which keeps blocks of its own */
    assert_ptr_equal(first, again);
#endif
    tn_large_blocks_drop(all);
    again = shared.resize(shared.context, again, 8 * MIB - 100, 20 * MIB);
    assert_non_null(again);
    assert_int_equal(again[MIB], 1);
    shared.resize(shared.context, again, 20 * MIB, 0);
    tn_large_blocks_drop(shared);
}

/* What is kept goes before more is taken than there ever was. */
static void what_is_kept_makes_no_peak_higher(void **state)
{
#ifndef __SANITIZE_ADDRESS__
    struct tn_allocator all    = tn_large_blocks_hold(NULL);
    size_t              before = resident_bytes(), sizes_of[8];
    uint8_t            *blocks[8];

    for (size_t i = 0; i < 8; i++)
        blocks[i] = filled(all, sizes_of[i] = (4 + i) * MIB);
    size_t most = resident_bytes() - before;
    for (size_t round = 0; round < 4; round++) {
        for (size_t i = 0; i < 8; i++)
            all.resize(all.context, blocks[i], sizes_of[i], 0);
        for (size_t i = 0; i < 4; i++) /* other sizes, as much in all */
            blocks[i] = filled(all, sizes_of[i] = (10 + i + round) * MIB);
        for (size_t i = 4; i < 8; i++)
            blocks[i] = NULL, sizes_of[i] = 0;
        assert_true(resident_bytes() - before <= most + MIB);
    }
    for (size_t i = 0; i < 8; i++)
        all.resize(all.context, blocks[i], sizes_of[i], 0);
    tn_large_blocks_drop(all);
    assert_true(resident_bytes() - before < 2 * MIB);
#else
    (void)resident_bytes;
#endif
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_in_a_block_stays),
        cmocka_unit_test(what_cannot_be_had_changes_nothing),
        cmocka_unit_test(freed_blocks_serve_again),
        cmocka_unit_test(what_is_kept_makes_no_peak_higher),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
