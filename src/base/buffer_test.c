/* buffer_test.c - bytes that grow, and stop growing for good after a failure */
#include "base/buffer.h"

#include <string.h>

#include "support/hostile.h"

static void everything_is_appended(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    tn_buffer_add(&buffer, tn_bytes(NULL, 0));
    assert_int_equal(tn_buffer_bytes(&buffer).size, 0);
    assert_string_equal(tn_buffer_string(&buffer), "");
    tn_buffer_text(&buffer, "one");
    tn_buffer_byte(&buffer, ' ');
    tn_buffer_format(&buffer, "%d%s", 2, "");
    tn_buffer_format(&buffer, "%s", "");
    tn_buffer_add(&buffer, tn_bytes("\0x", 2));
    assert_int_equal(buffer.size, 7);
    assert_memory_equal(buffer.data, "one 2\0x", 7);
    assert_memory_equal(tn_buffer_string(&buffer), "one 2\0x", 8);
    assert_int_equal(buffer.size, 7); /* the zero is not counted */
    tn_buffer_clear(&buffer);
    tn_buffer_text(&buffer, "new");
    assert_string_equal(tn_buffer_string(&buffer), "new");
    tn_buffer_done(&buffer);
    assert_int_equal(memory.used, 0);
    assert_int_equal(error.status, TN_OK);
}

static void a_million_bytes(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    for (int i = 0; i < 1000000; i++)
        tn_buffer_byte(&buffer, (uint8_t)(i * 7 >> 3));
    assert_int_equal(buffer.size, 1000000);
    for (int i = 0; i < 1000000; i++)
        if (buffer.data[i] != (uint8_t)(i * 7 >> 3))
            fail_msg("byte %d", i);
    assert_true(memory.used <= 2000000 + 64);
    tn_buffer_done(&buffer);
}

static void a_failure_sticks(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 200);
    tn_buffer_init(&buffer, &memory, &error);
    tn_buffer_text(&buffer, "kept");
    tn_buffer_format(&buffer, "%500d", 1);
    assert_int_equal(error.status, TN_LIMIT);
    tn_buffer_text(&buffer, "x"); /* there would be room for it */
    tn_buffer_byte(&buffer, 'x');
    assert_null(tn_buffer_room(&buffer, 1));
    assert_string_equal(tn_buffer_string(&buffer), "");
    assert_int_equal(buffer.size, 4);
    assert_memory_equal(buffer.data, "kept", 4);
    tn_buffer_done(&buffer);
    assert_int_equal(memory.used, 0);
}

static void absurd_room(void **state)
{
    static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 3, SIZE_MAX / 2 + 1 };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer buffer;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&buffer, &memory, &error);
        tn_buffer_text(&buffer, "four");
        assert_null(tn_buffer_room(&buffer, sizes[i]));
        assert_int_equal(error.status, TN_NO_MEMORY);
        tn_buffer_done(&buffer);
    }
}

/* As a sink it reports to the caller of the sink too. */
static void a_buffer_is_a_sink(void **state)
{
    struct tn_error  error = TN_ERROR_INIT, callers = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 100);
    tn_buffer_init(&buffer, &memory, &error);
    assert_int_equal(tn_sink_write(&buffer.sink, tn_text("abc"), &callers),
                     TN_OK);
    assert_int_equal(tn_sink_zeros(&buffer.sink, 2, &callers), TN_OK);
    assert_int_equal(buffer.sink.offset, 5);
    assert_memory_equal(buffer.data, "abc\0\0", 5);
    assert_int_equal(tn_sink_zeros(&buffer.sink, 1000, &callers), TN_LIMIT);
    assert_int_equal(callers.status, TN_LIMIT);
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(buffer.sink.offset, 5);
    tn_buffer_done(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_appended),
        cmocka_unit_test(a_million_bytes),
        cmocka_unit_test(a_failure_sticks),
        cmocka_unit_test(absurd_room),
        cmocka_unit_test(a_buffer_is_a_sink),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
