/* intern_test.c - one number for one name */
#include "base/intern.h"

#include <stdio.h>

#include "support/hostile.h"

static void names_are_numbered_as_they_come(void **state)
{
    static const struct {
        struct tn_bytes text;
        uint32_t        id;
    } rows[] = {
        { { (const uint8_t *)"a", 1 }, 0 },
        { { (const uint8_t *)"b", 1 }, 1 },
        { { NULL, 0 }, 2 }, /* the empty name is a name */
        { { (const uint8_t *)"a", 1 }, 0 },
        { { (const uint8_t *)"", 0 }, 2 },
        { { (const uint8_t *)"a\0", 2 }, 3 },
        { { (const uint8_t *)"a\0\0", 3 }, 4 },
        { { (const uint8_t *)"abcdefgh", 8 }, 5 },
        { { (const uint8_t *)"abcdefghi", 9 }, 6 },
        { { (const uint8_t *)"abcdefgh", 8 }, 5 },
    };
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_intern table;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_intern_init(&table, &arena);
    assert_int_equal(tn_intern_find(&table, tn_text("a")), TN_NO_NAME);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tn_intern_borrow(&table, rows[i].text, &error),
                         rows[i].id);
        assert_int_equal(tn_intern_find(&table, rows[i].text), rows[i].id);
        assert_true(
            tn_bytes_equal(tn_intern_text(&table, rows[i].id), rows[i].text));
    }
    assert_int_equal(tn_intern_count(&table), 7);
    assert_int_equal(tn_intern_find(&table, tn_text("c")), TN_NO_NAME);
    assert_null(tn_intern_text(&table, TN_NO_NAME).data);
    tn_intern_done(&table);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

static void borrowed_is_not_copied(void **state)
{
    struct tn_error  error  = TN_ERROR_INIT;
    char             text[] = "name";
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_intern table;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_intern_init(&table, &arena);
    uint32_t copied   = tn_intern_copy(&table, tn_text(text), &error);
    text[0]           = 'N';
    uint32_t borrowed = tn_intern_borrow(&table, tn_text(text), &error);
    assert_true(tn_bytes_is(tn_intern_text(&table, copied), "name"));
    assert_ptr_equal(tn_intern_text(&table, borrowed).data, text);
    tn_intern_done(&table);
    tn_arena_done(&arena);
}

#define MANY 100000

static void many_names(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_intern table;
    char             name[64];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_intern_init(&table, &arena);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < MANY; i++) {
            snprintf(name, sizeof name, "layer_%u/weights:0", i);
            assert_int_equal(tn_intern_copy(&table, tn_text(name), &error), i);
        }
    assert_int_equal(tn_intern_count(&table), MANY);
    tn_intern_done(&table);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

/* Names that differ in one bit of one byte spread over the table. */
static void hashes_spread(void **state)
{
    static uint16_t hits[1 << 12];
    uint8_t         name[24] = { 0 };
    unsigned        most     = 0;

    (void)state;
    for (unsigned i = 0; i < 1 << 16; i++) {
        memcpy(name + i % 3 * 8, &i, sizeof i);
        uint32_t hash = tn_hash_bytes(tn_bytes(name, sizeof name), 12345);
        unsigned n    = ++hits[hash & 0xfff];
        most          = n > most ? n : most;
    }
    assert_true(most < 64); /* 16 on average */
}

/* A file must not be able to make its names collide, whatever the seed is.
 * These differ in the highest bit of a word, which a multiplication carries
 * nowhere, and in the bits of the next word that would cancel the fold. */
static void names_cannot_be_made_to_collide(void **state)
{
    static const uint64_t differences[] = {
        UINT64_C(1) << 63,
        UINT64_C(1) << 63 | UINT64_C(1) << 31,
        UINT64_C(1) << 63 | UINT64_C(1) << 34 | UINT64_C(1) << 31,
    };
    unsigned same = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        uint64_t name[2] = { 0x6168706c61, seed };
        uint32_t first   = tn_hash_bytes(tn_bytes(name, sizeof name), seed);
        name[0] ^= UINT64_C(1) << 63;
        name[1] ^= differences[seed % 3];
        same += tn_hash_bytes(tn_bytes(name, sizeof name), seed) == first;
    }
    assert_true(same < 3);
}

static enum tn_status intern_many(struct tn_bytes   input,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct tn_arena  arena;
    struct tn_intern table;
    char             name[32];

    (void)input;
    tn_arena_init(&arena, memory);
    tn_intern_init(&table, &arena);
    for (int i = 0; i < 500 && !tn_failed(error); i++) {
        snprintf(name, sizeof name, "name %d", i);
        uint32_t id = tn_intern_copy(&table, tn_text(name), error);
        assert_int_equal(id == TN_NO_NAME, tn_failed(error));
    }
    /* What was there before the failure can still be found. */
    if (tn_intern_count(&table))
        assert_int_equal(tn_intern_find(&table, tn_text("name 0")), 0);
    tn_intern_done(&table);
    tn_arena_done(&arena);
    return error->status;
}

static void appended_names_are_not_found(void **state)
{
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_intern table;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_intern_init(&table, &arena);
    assert_int_equal(tn_intern_append(&table, tn_text("a"), &error), 0);
    assert_int_equal(tn_intern_append(&table, tn_text("a"), &error), 1);
    assert_int_equal(tn_intern_find(&table, tn_text("a")), TN_NO_NAME);
    assert_int_equal(tn_intern_borrow(&table, tn_text("a"), &error), 2);
    assert_int_equal(tn_intern_find(&table, tn_text("a")), 2);
    assert_true(tn_bytes_is(tn_intern_text(&table, 0), "a"));
    assert_int_equal(tn_intern_count(&table), 3);
    tn_intern_done(&table);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

static void appended_names_can_be_adopted(void **state)
{
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_intern table;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_intern_init(&table, &arena);
    uint32_t known = tn_intern_borrow(&table, tn_text("known"), &error);
    uint32_t first = tn_intern_append(&table, tn_text("late"), &error);
    uint32_t again = tn_intern_append(&table, tn_text("late"), &error);
    uint32_t same  = tn_intern_append(&table, tn_text("known"), &error);
    tn_intern_fetch(&table, tn_text("late"));
    assert_true(tn_intern_reserve(&table, 1000, &error));
    assert_int_equal(tn_intern_adopt(&table, first, &error), first);
    assert_int_equal(tn_intern_adopt(&table, again, &error), first);
    assert_int_equal(tn_intern_adopt(&table, same, &error), known);
    assert_int_equal(tn_intern_find(&table, tn_text("late")), first);
    assert_int_equal(tn_intern_count(&table), 4);
    tn_intern_done(&table);
    tn_arena_done(&arena);
}

/* The last word of a text overlaps the one before: every byte must count,
 * whatever the length. */
static void every_byte_changes_the_hash(void **state)
{
    uint8_t text[40] = { 0 };

    (void)state;
    for (size_t size = 1; size <= sizeof text; size++)
        for (size_t i = 0; i < size; i++) {
            uint32_t before = tn_hash_bytes(tn_bytes(text, size), 1);
            text[i]         = 1;
            assert_int_not_equal(tn_hash_bytes(tn_bytes(text, size), 1),
                                 before);
            text[i] = 0;
        }
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    tn_survives_no_memory(intern_many, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_numbered_as_they_come),
        cmocka_unit_test(borrowed_is_not_copied),
        cmocka_unit_test(many_names),
        cmocka_unit_test(hashes_spread),
        cmocka_unit_test(names_cannot_be_made_to_collide),
        cmocka_unit_test(appended_names_are_not_found),
        cmocka_unit_test(appended_names_can_be_adopted),
        cmocka_unit_test(every_byte_changes_the_hash),
        cmocka_unit_test(every_allocation_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
