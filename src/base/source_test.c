/* source_test.c - reading inside, refusing outside, pinning once */
#include "base/source.h"

#include <string.h>

#include "support/hostile.h"

struct stingy {
    struct tn_source source;
    uint64_t         reads;
    bool             is_broken;
    bool             is_closed;
};

static enum tn_status stingy_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    struct stingy *stingy = (struct stingy *)source;

    assert_true(size > 0 && offset + size <= source->size);
    stingy->reads++;
    if (stingy->is_broken)
        return tn_error_set(error, TN_IO, offset, "broken");
    memset(to, (int)offset, size);
    return TN_OK;
}

static void stingy_close(struct tn_source *source)
{
    ((struct stingy *)source)->is_closed = true;
}

static void stingy_init(struct stingy *stingy, struct tn_memory *memory)
{
    static const struct tn_source_ops ops = { stingy_read_at, stingy_close };

    *stingy = (struct stingy){ .source = { .ops    = &ops,
                                           .size   = 100,
                                           .name   = "side.bin",
                                           .memory = memory } };
    tn_arena_init(&stingy->source.pins, memory);
}

static const struct {
    uint64_t offset;
    size_t   size;
    bool     is_inside;
} rows[] = {
    { 0, 0, true },
    { 0, 100, true },
    { 99, 1, true },
    { 100, 0, true },
    { 100, 1, false },
    { 101, 0, false },
    { 50, 51, false },
    { 0, SIZE_MAX, false },
    { UINT64_MAX, 1, false },
    { UINT64_MAX, 0, false },
    { 10, SIZE_MAX - 5, false },
};

/* Memory and a source that reads answer alike. */
static void ranges(void **state)
{
    struct tn_memory memory;
    uint8_t          bytes[100] = { 0 }, got[100];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT, pinning = TN_ERROR_INIT;
        struct tn_source plain;
        struct stingy    stingy;
        tn_source_memory(&plain, &memory, tn_bytes(bytes, sizeof bytes));
        stingy_init(&stingy, &memory);
        struct tn_source *source = i % 2 ? &stingy.source : &plain;
        enum tn_status expected  = rows[i / 2].is_inside ? TN_OK : TN_TRUNCATED;
        assert_int_equal(tn_source_read(source, rows[i / 2].offset, got,
                                        rows[i / 2].size, &error),
                         expected);
        const uint8_t *pin = tn_source_pin(source, rows[i / 2].offset,
                                           rows[i / 2].size, &pinning);
        assert_int_equal(pin != NULL, rows[i / 2].is_inside);
        assert_int_equal(pinning.status, expected);
        if (expected != TN_OK) {
            assert_true(error.offset == rows[i / 2].offset);
            assert_int_equal(stingy.reads, 0);
            assert_string_equal(error.file, i % 2 ? "side.bin" : "");
        }
        tn_source_close(source);
        assert_int_equal(stingy.is_closed, i % 2);
        assert_int_equal(memory.used, 0);
    }
    tn_source_close(NULL);
}

static void memory_is_pinned_in_place(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_source source;
    const char      *text = "some text";

    (void)state;
    tn_memory_init(&memory, NULL, 1); /* it needs none */
    tn_source_memory(&source, &memory, tn_text(text));
    assert_ptr_equal(tn_source_pin(&source, 5, 4, &error), text + 5);
    tn_source_close(&source);
    tn_source_memory(&source, &memory, tn_bytes(NULL, 0));
    assert_non_null(source.map);
    assert_int_equal(tn_source_read(&source, 0, NULL, 0, &error), TN_OK);
    tn_source_close(&source);
}

static void failures_name_the_file(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct stingy    stingy;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    stingy_init(&stingy, &memory);
    stingy.is_broken = true;
    assert_null(tn_source_pin(&stingy.source, 7, 5, &error));
    assert_int_equal(error.status, TN_IO);
    assert_int_equal(error.offset, 7);
    assert_string_equal(error.file, "side.bin");
    tn_source_close(&stingy.source);
    assert_int_equal(memory.used, 0);
}

static void pins_are_charged(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct stingy    stingy;

    (void)state;
    tn_memory_init(&memory, NULL, 50);
    stingy_init(&stingy, &memory);
    assert_null(tn_source_pin(&stingy.source, 0, 90, &error));
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(stingy.reads, 0);
    tn_source_close(&stingy.source);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),
        cmocka_unit_test(memory_is_pinned_in_place),
        cmocka_unit_test(failures_name_the_file),
        cmocka_unit_test(pins_are_charged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
