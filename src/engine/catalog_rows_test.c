/* catalog_rows_test.c - rows as lines and back, and lines of strangers */
#include "engine/catalog_rows.h"

#include "support/hostile.h"

#define FILE_A "{\"row\": \"file\", \"file\": \"a\", \"tensors\": 1}\n"
#define TENSOR_A                                                               \
    "{\"row\": \"tensor\", \"file\": \"a\", \"tensor\": 0, \"name\": \"w\", " \
    "\"shape\": [2, 3], \"min\": -0.5}\n"
#define FILE_B "{\"row\": \"file\", \"file\": \"b\", \"status\": \"other\"}\n"

static const struct {
    const char    *name, *line;
    enum tn_status status;
    uint64_t       offset; /* where the complaint must point */
} cases[] = {
    { "a file", "{\"row\": \"file\", \"file\": \"a\"}", TN_OK, 0 },
    { "null is not a value",
      "{\"row\": \"file\", \"file\": \"a\", \"etag\": null}", TN_OK, 0 },
    { "names of later versions",
      "{\"row\": \"file\", \"file\": \"a\", \"new\": {\"a\": [1]}}", TN_OK, 0 },
    { "columns of other rows",
      "{\"row\": \"file\", \"file\": \"a\", \"name\": 7}", TN_OK, 0 },
    { "no file", "{\"row\": \"file\"}", TN_MALFORMED, 0 },
    { "another row", "{\"row\": \"x\", \"file\": \"a\"}", TN_MALFORMED, 8 },
    { "no row", "{\"file\": \"a\"}", TN_MALFORMED, 1 },
    { "an array", "[1]", TN_MALFORMED, 0 },
    { "a number as text",
      "{\"row\": \"file\", \"file\": \"a\", \"size\": \"1\"}", TN_MALFORMED,
      37 },
    { "a negative size", "{\"row\": \"file\", \"file\": \"a\", \"size\": -1}",
      TN_MALFORMED, 37 },
    { "more than a line", "{\"row\": \"file\", \"file\": \"a\"} 1",
      TN_MALFORMED, 29 },
    { "a shape of texts",
      "{\"row\": \"tensor\", \"file\": \"a\", \"shape\": [\"x\"]}",
      TN_MALFORMED, 41 },
};

static void test_lines(void **state)
{
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_guarded     line  = tn_guard(tn_text(cases[i].line));
        struct tn_error       error = TN_ERROR_INIT;
        struct tn_catalog_row row;
        struct tn_arena       arena;
        tn_arena_init(&arena, &memory);
        tn_catalog_read(&row, &arena, line.bytes, 0, &error);
        if (error.status != cases[i].status ||
            (error.status != TN_OK && error.offset != cases[i].offset))
            fail_msg("%s: %d at %d: %s", cases[i].name, (int)error.status,
                     (int)error.offset, error.what);
        tn_arena_done(&arena);
        tn_unguard(&line);
    }
    assert_int_equal(memory.used, 0);
}

/* What is read is written as it was. */
static void test_round_trip(void **state)
{
    struct tn_memory      memory;
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_bytes       line  = tn_bytes(TENSOR_A, strlen(TENSOR_A) - 1);
    struct tn_catalog_row row;
    struct tn_arena       arena;
    struct tn_buffer      text;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_buffer_init(&text, &memory, &error);
    assert_int_equal(tn_catalog_read(&row, &arena, line, 0, &error), TN_OK);
    assert_true(row.is_tensor);
    assert_int_equal(row.values[TN_CATALOG_SHAPE].list.count, 2);
    tn_catalog_write(&row, &text.sink, &error);
    assert_int_equal(error.status, TN_OK);
    assert_true(tn_bytes_is(tn_buffer_bytes(&text), TENSOR_A));
    tn_buffer_done(&text);
    tn_arena_done(&arena);
}

static uint64_t count_groups(const char *lines, enum tn_status *status,
                             uint64_t *end)
{
    struct tn_memory         memory;
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_source         source;
    struct tn_catalog_groups groups;
    uint64_t                 count = 0;

    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_text(lines));
    tn_catalog_groups_init(&groups, &memory, &source);
    while (tn_catalog_groups_next(&groups, &error))
        count++;
    *status = error.status;
    *end    = groups.next;
    tn_catalog_groups_done(&groups);
    tn_source_close(&source);
    assert_int_equal(memory.used, 0);
    return count;
}

/* A group counts when it is whole. */
static void test_groups(void **state)
{
    static const struct {
        const char    *lines;
        uint64_t       count;
        enum tn_status status;
        uint64_t       end;
    } rows[] = {
        { "", 0, TN_OK, 0 },
        { FILE_A TENSOR_A FILE_B, 2, TN_OK,
          sizeof(FILE_A TENSOR_A FILE_B) - 1 },
        { FILE_A, 0, TN_OK, 0 },
        { FILE_A TENSOR_A "{\"row\": \"fi", 1, TN_OK,
          sizeof(FILE_A TENSOR_A) - 1 },
        { FILE_A FILE_B, 0, TN_MALFORMED, 0 },
        { FILE_B FILE_A TENSOR_A, 1, TN_MALFORMED, sizeof(FILE_B) - 1 },
        { FILE_B FILE_B, 1, TN_MALFORMED, sizeof(FILE_B) - 1 },
        { TENSOR_A, 0, TN_MALFORMED, 0 },
        { "{\"row\": \"file\", \"file\": \"a\", \"tensors\": "
          "18446744073709551615}\n" TENSOR_A,
          0, TN_OK, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum tn_status status;
        uint64_t       end, count = count_groups(rows[i].lines, &status, &end);
        if (count != rows[i].count || status != rows[i].status ||
            end != rows[i].end)
            fail_msg("row %d: %d groups to %d, status %d", (int)i, (int)count,
                     (int)end, (int)status);
    }
}

static enum tn_status read_one(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_catalog_row row;
    struct tn_arena       arena;

    tn_arena_init(&arena, memory);
    tn_catalog_read(&row, &arena, input, 0, error);
    tn_arena_done(&arena);
    return error->status;
}

static void test_hostility(void **state)
{
    (void)state;
    tn_survives_hostility(read_one,
                          tn_bytes(TENSOR_A, strlen(TENSOR_A) - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
