/*
 * cursor_test.c - the one way to read, over memory and over sources that are
 * not mapped
 */
#include "base/cursor.h"

#include <stdlib.h>

#include "support/hostile.h"

#define GIB (UINT64_C(1) << 30)

/* A source that counts what is read of it, and where. */
struct counted {
    struct tn_source source;
    uint64_t         reads;
    uint64_t         bytes;
    uint64_t         fail_at; /* this read fails; 0: none        */
    uint64_t         forbidden, forbidden_end; /* weights: nobody reads here  */
};

static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 31 + (offset >> 11));
}

static enum tn_status counted_read_at(struct tn_source *source, uint64_t offset,
                                      void *to, size_t size,
                                      struct tn_error *error)
{
    struct counted *counted = (struct counted *)source;

    assert_true(size <= source->size && offset <= source->size - size);
    if (offset < counted->forbidden_end && offset + size > counted->forbidden)
        fail_msg("weights were read at %llu", (unsigned long long)offset);
    if (++counted->reads == counted->fail_at)
        return tn_error_set(error, TN_IO, offset, "read %d fails",
                            (int)counted->reads);
    counted->bytes += size;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = byte_at(offset + i);
    return TN_OK;
}

static void counted_close(struct tn_source *source)
{
    (void)source;
}

static void counted_init(struct counted *counted, struct tn_memory *memory,
                         uint64_t size)
{
    static const struct tn_source_ops ops = { counted_read_at, counted_close };

    *counted = (struct counted){ .source = { .ops    = &ops,
                                             .size   = size,
                                             .name   = "far.bin",
                                             .memory = memory } };
    tn_arena_init(&counted->source.pins, memory);
}

static struct tn_cursor cursor_over(struct counted  *counted,
                                    struct tn_error *error)
{
    struct tn_span all = { &counted->source, 0, counted->source.size };

    return tn_cursor_span(all, error);
}

static void numbers(void **state)
{
    static const struct {
        const char    *bytes;
        uint64_t       value;
        enum tn_status status;
        uint64_t       offset; /* of the complaint, or where it stops */
    } rows[] = {
        { "00", 0, TN_OK, 1 },
        { "7f", 127, TN_OK, 1 },
        { "80 01", 128, TN_OK, 2 },
        { "80 00", 0, TN_OK, 2 }, /* longer than needed is still a number */
        { "ff ff ff ff 0f", UINT32_MAX, TN_OK, 5 },
        { "ff ff ff ff ff ff ff ff ff 01", UINT64_MAX, TN_OK, 10 },
        { "80 80 80 80 80 80 80 80 80 00", 0, TN_OK, 10 },
        { "ff ff ff ff ff ff ff ff ff 02", 0, TN_MALFORMED, 0 },
        { "ff ff ff ff ff ff ff ff ff 81 00", 0, TN_MALFORMED, 0 },
        { "80 80 80 80 80 80 80 80 80 80 00", 0, TN_MALFORMED, 0 },
        { "", 0, TN_TRUNCATED, 0 },
        { "80", 0, TN_TRUNCATED, 1 },
        { "ff ff ff ff ff ff ff ff ff", 0, TN_TRUNCATED, 9 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_bytes   bytes   = tn_hex(rows[i].bytes);
        struct tn_guarded guarded = tn_guard(bytes);
        struct tn_cursor  c       = tn_cursor_bytes(guarded.bytes, 0, &error);
        uint64_t          value   = tn_varint(&c);
        assert_int_equal(error.status, rows[i].status);
        assert_true(value == rows[i].value);
        assert_int_equal(tn_failed(&error) ? error.offset : c.offset,
                         rows[i].offset);
        tn_unguard(&guarded);
        free((void *)(uintptr_t)bytes.data);
    }
}

static void fixed_numbers(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_bytes   bytes = tn_hex("01 02 03 04 05 06 07 08 09 0a 0b 0c 0d");
    struct tn_guarded guarded = tn_guard(bytes);
    struct tn_cursor  c       = tn_cursor_bytes(guarded.bytes, 100, &error);

    (void)state;
    assert_int_equal(tn_u8(&c), 1);
    assert_int_equal(tn_u32(&c), 0x05040302);
    assert_true(tn_u64(&c) == UINT64_C(0x0d0c0b0a09080706));
    assert_false(tn_more(&c));
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_u32(&c), 0);
    assert_int_equal(error.status, TN_TRUNCATED);
    assert_int_equal(error.offset, 113); /* counted from where it began */
    assert_string_equal(error.what, "need 4 bytes, 0 left");
    tn_unguard(&guarded);
    free((void *)(uintptr_t)bytes.data);
}

static void a_failed_cursor_is_empty(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(tn_text("0123456789"), 0, &error);

    (void)state;
    tn_fail_at(&c, 2, TN_MALFORMED, "rank %d", 9);
    assert_false(tn_more(&c));
    assert_int_equal(tn_left(&c), 0);
    assert_int_equal(tn_u8(&c), 0);
    assert_int_equal(tn_varint(&c), 0);
    assert_null(tn_take(&c, 1));
    assert_null(tn_take_bytes(&c, 1).data);
    struct tn_span span = tn_span(&c, 3);
    assert_null(span.source);
    assert_int_equal(span.length, 0);
    struct tn_cursor child = tn_sub(&c, 3);
    assert_false(tn_more(&child));
    assert_string_equal(error.what, "rank 9"); /* the first one */
    assert_int_equal(error.offset, 2);
}

static bool has_more(struct tn_cursor c)
{
    return tn_more(&c);
}

static void huge_lengths_hit_the_wall(void **state)
{
    static const uint64_t lengths[] = { 11, UINT64_C(1) << 32, UINT64_MAX,
                                        UINT64_MAX - 5 };

    (void)state;
    for (size_t i = 0; i < 4 * sizeof lengths / sizeof *lengths; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_cursor c = tn_cursor_bytes(tn_text("0123456789"), 0, &error);
        uint64_t         n = lengths[i / 4];
        if (i % 4 == 0)
            assert_null(tn_take(&c, n));
        else if (i % 4 == 1)
            tn_skip(&c, n);
        else if (i % 4 == 2)
            (void)tn_span(&c, n);
        else
            assert_false(has_more(tn_sub(&c, n)));
        assert_int_equal(error.status, TN_TRUNCATED);
        assert_int_equal(error.offset, 0);
        assert_false(tn_more(&c));
    }
}

static void a_child_stays_inside(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(tn_text("abcdefgh"), 0, &error);

    (void)state;
    assert_int_equal(tn_u8(&c), 'a');
    struct tn_cursor child = tn_sub(&c, 3);
    assert_int_equal(tn_left(&child), 3);
    assert_memory_equal(tn_take(&child, 3), "bcd", 3);
    assert_int_equal(tn_u8(&c), 'e'); /* the parent is behind the child */
    assert_null(tn_take(&child, 1));  /* though more bytes lie there */
    assert_int_equal(error.offset, 4);
}

static void nothing_at_all(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(tn_bytes(NULL, 0), 0, &error);

    (void)state;
    assert_false(tn_more(&c));
    assert_non_null(tn_take(&c, 0));
    tn_skip(&c, 0);
    c = tn_cursor_span((struct tn_span){ NULL, 0, 0 }, &error);
    assert_false(tn_more(&c));
    assert_int_equal(error.status, TN_OK);
}

static void spans_must_be_inside(void **state)
{
    static const struct {
        uint64_t offset, length;
        bool     is_fine;
    } rows[] = {
        { 0, 1000, true },  { 1000, 0, true },        { 1, 1000, false },
        { 1001, 0, false }, { UINT64_MAX, 2, false }, { 5, UINT64_MAX, false },
    };
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error error = TN_ERROR_INIT;
        struct counted  counted;
        counted_init(&counted, &memory, 1000);
        struct tn_span   span = { &counted.source, rows[i].offset,
                                  rows[i].length };
        struct tn_cursor c    = tn_cursor_span(span, &error);
        assert_int_equal(error.status, rows[i].is_fine ? TN_OK : TN_TRUNCATED);
        assert_int_equal(tn_left(&c), rows[i].is_fine ? rows[i].length : 0);
        if (!rows[i].is_fine) {
            assert_true(error.offset == rows[i].offset);
            assert_string_equal(error.file, "far.bin");
        }
        tn_source_close(&counted.source);
    }
}

/* Every read of every size over windows is what is there. */
static void windows_join(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct counted   counted;
    uint64_t         offset = 0;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    counted_init(&counted, &memory, 300000);
    struct tn_cursor c = cursor_over(&counted, &error);
    for (uint64_t n = 1; tn_left(&c) > n * 7; n = n * 3 / 2 + 1) {
        const uint8_t *bytes = tn_take(&c, n);
        assert_non_null(bytes);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(bytes[i], byte_at(offset + i));
        offset += n;
        assert_int_equal(c.offset, offset);
        assert_int_equal(tn_left(&c), 300000 - offset);
        tn_skip(&c, n * 5);
        offset += n * 5;
    }
    assert_true(offset > 200000);
    assert_int_equal(error.status, TN_OK);
    tn_source_close(&counted.source);
    assert_int_equal(memory.used, 0);
}

/* What was taken stays where it is until the source is closed. */
static void pins_stay(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct counted   counted;
    const uint8_t   *taken[100];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    counted_init(&counted, &memory, 3 * GIB);
    struct tn_cursor c = cursor_over(&counted, &error);
    for (int i = 0; i < 100; i++) {
        taken[i] = tn_take(&c, 100);
        tn_skip(&c, 1 << 20);
    }
    for (uint64_t i = 0; i < 100; i++)
        for (uint64_t k = 0; k < 100; k++)
            assert_int_equal(taken[i][k], byte_at(i * ((1 << 20) + 100) + k));
    tn_source_close(&counted.source);
    assert_int_equal(memory.used, 0);
}

/* Weights in the middle: stepped over by a span, a skip and a child. */
static void weights_are_never_read(void **state)
{
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 1 << 20);
    for (int way = 0; way < 3; way++) {
        struct tn_error error = TN_ERROR_INIT;
        struct counted  counted;
        counted_init(&counted, &memory, 6 * GIB);
        /* The first window may hold the beginning of the weights. */
        counted.forbidden     = 64 << 10;
        counted.forbidden_end = 6 * GIB - 20;

        struct tn_cursor c = cursor_over(&counted, &error);
        assert_int_equal(tn_u8(&c), byte_at(0));
        uint64_t n = 6 * GIB - 20 - c.offset;
        if (way == 0) {
            struct tn_span span = tn_span(&c, n);
            assert_ptr_equal(span.source, &counted.source);
            assert_int_equal(span.offset, 1);
            assert_true(span.length == n);
        } else if (way == 1) {
            tn_skip(&c, n);
        } else {
            struct tn_cursor child = tn_sub(&c, n);
            assert_true(tn_left(&child) == n);
            tn_skip(&child, n);
            assert_false(tn_more(&child));
        }
        assert_int_equal(tn_u8(&c), byte_at(6 * GIB - 20));
        tn_skip(&c, 19);
        assert_false(tn_more(&c));
        assert_int_equal(error.status, TN_OK);
        assert_true(counted.bytes <= (64 << 10) + 20);
        tn_source_close(&counted.source);
        assert_int_equal(memory.used, 0);
    }
}

/* A child that is larger than the window reads on by itself. */
static void a_child_over_windows(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct counted   counted;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    counted_init(&counted, &memory, 200000);
    struct tn_cursor c = cursor_over(&counted, &error);
    tn_skip(&c, 10);
    assert_int_equal(tn_u8(&c), byte_at(10));
    struct tn_cursor child = tn_sub(&c, 150000);
    uint64_t         sum   = 0;
    for (uint64_t i = 0; tn_more(&child); i++) {
        uint8_t byte = tn_u8(&child);
        assert_int_equal(byte, byte_at(11 + i));
        sum++;
    }
    assert_int_equal(sum, 150000);
    assert_int_equal(tn_u8(&c), byte_at(150011));
    assert_null(tn_take(&child, 1));
    assert_int_equal(error.offset, 150011);
    assert_string_equal(error.file, "far.bin");
    tn_source_close(&counted.source);
}

static enum tn_status hop(struct counted *counted, struct tn_error *error)
{
    struct tn_cursor c = cursor_over(counted, error);

    for (int i = 0; tn_more(&c) && i < 1000; i++) {
        (void)tn_varint(&c);
        struct tn_cursor child = tn_sub(&c, 100000);
        (void)tn_u64(&child);
        (void)tn_span(&child, tn_left(&child));
    }
    return error->status;
}

static void every_read_fails_once(void **state)
{
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (uint64_t n = 1;; n++) {
        struct tn_error error = TN_ERROR_INIT;
        struct counted  counted;
        counted_init(&counted, &memory, 1 << 20);
        counted.fail_at       = n;
        enum tn_status status = hop(&counted, &error);
        tn_source_close(&counted.source);
        assert_int_equal(memory.used, 0);
        if (counted.reads < n) {
            assert_int_equal(status, TN_TRUNCATED); /* 100000 do not fit */
            assert_true(n > 5);
            return;
        }
        assert_int_equal(status, TN_IO);
        assert_int_equal(counted.reads, n); /* nobody reads on */
        assert_string_equal(error.file, "far.bin");
    }
}

static void the_budget_limits_pins(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct counted   counted;

    (void)state;
    tn_memory_init(&memory, NULL, 200000);
    counted_init(&counted, &memory, 6 * GIB);
    struct tn_cursor c = cursor_over(&counted, &error);
    assert_null(tn_take(&c, 5 * GIB)); /* no allocation of that size */
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(counted.reads, 0);
    assert_false(tn_more(&c));
    tn_source_close(&counted.source);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(fixed_numbers),
        cmocka_unit_test(a_failed_cursor_is_empty),
        cmocka_unit_test(huge_lengths_hit_the_wall),
        cmocka_unit_test(a_child_stays_inside),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(spans_must_be_inside),
        cmocka_unit_test(windows_join),
        cmocka_unit_test(pins_stay),
        cmocka_unit_test(weights_are_never_read),
        cmocka_unit_test(a_child_over_windows),
        cmocka_unit_test(every_read_fails_once),
        cmocka_unit_test(the_budget_limits_pins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
