/* varint_test.c - what is written is what is read, and no longer than needed */
#include "base/varint.h"

#include "base/cursor.h"
#include "support/hostile.h"

static void sizes_at_every_edge(void **state)
{
    (void)state;
    assert_int_equal(tn_varint_size(0), 1);
    for (unsigned bits = 1; bits <= 64; bits++) {
        uint64_t most  = UINT64_MAX >> (64 - bits);
        uint64_t least = UINT64_C(1) << (bits - 1);
        assert_int_equal(tn_varint_size(most), (bits + 6) / 7);
        assert_int_equal(tn_varint_size(least), (bits + 6) / 7);
    }
}

static void numbers_come_back(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 64; bits++)
        for (int less = 0; less < 3; less++) {
            uint8_t          bytes[TN_VARINT_MAX];
            struct tn_error  error = TN_ERROR_INIT;
            uint64_t         edge  = bits < 64 ? UINT64_C(1) << bits : 0;
            uint64_t         value = edge - (uint64_t)less;
            unsigned         size  = tn_varint_put(bytes, value);
            struct tn_cursor c =
                tn_cursor_bytes(tn_bytes(bytes, size), 0, &error);
            assert_int_equal(size, tn_varint_size(value));
            assert_true(tn_varint(&c) == value);
            assert_int_equal(error.status, TN_OK);
            assert_false(tn_more(&c));
        }
}

static void zigzag(void **state)
{
    static const struct {
        int64_t  plain;
        uint64_t coded;
    } rows[] = {
        { 0, 0 },
        { -1, 1 },
        { 1, 2 },
        { -2, 3 },
        { INT32_MAX, UINT32_MAX - 1 },
        { INT32_MIN, UINT32_MAX },
        { INT64_MAX, UINT64_MAX - 1 },
        { INT64_MIN, UINT64_MAX },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(tn_zigzag_encode(rows[i].plain) == rows[i].coded);
        assert_true(tn_zigzag_decode(rows[i].coded) == rows[i].plain);
    }
}

static void into_a_buffer(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    tn_buffer_varint(&buffer, tn_tag(1, TN_WIRE_LEN));
    tn_buffer_varint(&buffer, tn_tag(536870911, TN_WIRE_FIXED32));
    tn_buffer_varint(&buffer, 300);
    tn_buffer_u32(&buffer, 0x01020304);
    tn_buffer_u64(&buffer, UINT64_C(0x0102030405060708));
    assert_int_equal(buffer.size, 20);
    assert_memory_equal(buffer.data,
                        "\x0a\xfd\xff\xff\xff\x0f\xac\x02\4\3\2\1"
                        "\x08\7\6\5\4\3\2\1",
                        20);
    tn_buffer_done(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_at_every_edge),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(zigzag),
        cmocka_unit_test(into_a_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
