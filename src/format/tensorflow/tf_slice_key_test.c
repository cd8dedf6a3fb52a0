/* tf_slice_key_test.c - the numbers and names in the keys of slices */
#include <stdlib.h>

#include "format/tensorflow/tf_slice_key.h"
#include "support/hostile.h"

static struct tn_memory memory;
static struct tn_error  error;
static struct tn_buffer buffer;

static int start(void **state)
{
    (void)state;
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&buffer, &memory, &error);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    tn_buffer_done(&buffer);
    return memory.used != 0;
}

static void expect_bytes(const char *hex)
{
    struct tn_bytes expected = tn_hex(hex);

    assert_int_equal(buffer.size, expected.size);
    assert_memory_equal(buffer.data, expected.data, expected.size);
    free((void *)(uintptr_t)expected.data);
}

static const struct {
    int64_t     value;
    const char *hex;
} signed_numbers[] = {
    { 0, "80" },
    { 63, "bf" },
    { 64, "c0 40" },
    { -1, "7f" },
    { -64, "40" },
    { -65, "3f bf" },
    { 0x424242, "f0 42 42 42" },
    { -0x800, "38 00" },
    { 47, "af" },
    { 8191, "df ff" },
    { 8192, "e0 20 00" },
    { (INT64_C(1) << 55) - 1, "ff 7f ff ff ff ff ff ff" },
    { INT64_C(1) << 55, "ff 80 80 00 00 00 00 00 00" },
    { (INT64_C(1) << 62) - 1, "ff bf ff ff ff ff ff ff ff" },
    { INT64_C(1) << 62, "ff c0 40 00 00 00 00 00 00 00" },
    { INT64_MAX, "ff c0 7f ff ff ff ff ff ff ff" },
    { INT64_MIN, "00 3f 80 00 00 00 00 00 00 00" },
};

static void signed_numbers_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof signed_numbers / sizeof *signed_numbers;
         i++) {
        tn_buffer_clear(&buffer);
        tn_tf_snum_put(&buffer, signed_numbers[i].value);
        expect_bytes(signed_numbers[i].hex);
        struct tn_cursor c =
            tn_cursor_bytes(tn_buffer_bytes(&buffer), 0, &error);
        assert_true(tn_tf_snum(&c) == signed_numbers[i].value);
        assert_false(tn_more(&c));
        assert_int_equal(error.status, TN_OK);
    }
}

/* Byte order of the codes is the order of the numbers. */
static void signed_numbers_sort(void **state)
{
    uint8_t before[16] = { 0 };
    size_t  size       = 0;

    (void)state;
    for (int64_t v = -70000; v < 70000; v += 7) {
        tn_buffer_clear(&buffer);
        tn_tf_snum_put(&buffer, v);
        size_t shorter = size < buffer.size ? size : buffer.size;
        assert_true(size == 0 || memcmp(before, buffer.data, shorter) < 0);
        memcpy(before, buffer.data, size = buffer.size);
        struct tn_cursor c =
            tn_cursor_bytes(tn_buffer_bytes(&buffer), 0, &error);
        assert_true(tn_tf_snum(&c) == v);
    }
}

static void plain_numbers_come_back(void **state)
{
    static const struct {
        uint64_t    value;
        const char *hex;
    } numbers[] = {
        { 0, "00" },
        { 1, "01 01" },
        { 256, "02 01 00" },
        { UINT64_MAX, "08 ff ff ff ff ff ff ff ff" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        tn_buffer_clear(&buffer);
        tn_tf_num_put(&buffer, numbers[i].value);
        expect_bytes(numbers[i].hex);
        struct tn_cursor c =
            tn_cursor_bytes(tn_buffer_bytes(&buffer), 0, &error);
        assert_true(tn_tf_num(&c) == numbers[i].value);
    }
}

static void keys_come_back(void **state)
{
    static const struct tn_tf_extent slice[] = { { 0, TN_TF_WHOLE },
                                                 { 16, 32 } };
    struct tn_tf_extent              extents[TN_TF_RANK_LIMIT];
    struct tn_buffer                 name;
    uint32_t                         rank;

    (void)state;
    tn_tf_slice_key_put(&buffer, tn_text("w"), slice, 2);
    expect_bytes("00 77 00 01 01 02 80 7f 90 a0");
    tn_buffer_init(&name, &memory, &error);
    assert_true(
        tn_tf_slice_key_read(tn_buffer_bytes(&buffer), &name, extents, &rank));
    assert_true(tn_bytes_is(tn_buffer_bytes(&name), "w"));
    assert_int_equal(rank, 2);
    assert_memory_equal(extents, slice, sizeof slice);

    struct tn_bytes odd = tn_bytes("\0a\xff\1", 4);
    tn_buffer_clear(&buffer);
    tn_buffer_clear(&name);
    tn_tf_slice_key_put(&buffer, odd, slice, 0);
    expect_bytes("00  00 ff 61 ff 00 01  00 01  00");
    assert_true(
        tn_tf_slice_key_read(tn_buffer_bytes(&buffer), &name, extents, &rank));
    assert_true(tn_bytes_equal(tn_buffer_bytes(&name), odd));
    assert_int_equal(rank, 0);
    tn_buffer_done(&name);
}

/* Anything else that begins with 00 is the name of a tensor. */
static void other_keys_are_no_slices(void **state)
{
    static const char *const keys[] = {
        "",
        "77",
        "00",
        "00 77",
        "00 77 00",
        "00 77 00 01",
        "00 77 00 02 00",
        "00 ff 77 00 01 00",
        "00 77 00 01 01 01",
        "00 77 00 01 01 01 80",
        "00 77 00 01 01 01 80 7f 80",
        "00 77 00 01 02 00 01 80 7f",
        "00 77 00 01 09 01 01 01 01 01 01 01 01 01",
        "00 77 00 01 01 ff",
        "00 77 00 01 01 01 c0 3f 7f",
        "00 77 00 01 01 01 ff ff ff ff ff ff ff ff ff ff 7f",
        "00 77 00 01 01 01 00 00 00 00 00 00 00 00 00 00 7f",
    };
    struct tn_tf_extent extents[TN_TF_RANK_LIMIT];
    uint32_t            rank;

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct tn_bytes   key     = tn_hex(keys[i]);
        struct tn_guarded guarded = tn_guard(key);
        tn_buffer_clear(&buffer);
        if (tn_tf_slice_key_read(guarded.bytes, &buffer, extents, &rank))
            fail_msg("%s is taken for a slice", keys[i]);
        tn_unguard(&guarded);
        free((void *)(uintptr_t)key.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(signed_numbers_come_back, start,
                                        finish),
        cmocka_unit_test_setup_teardown(signed_numbers_sort, start, finish),
        cmocka_unit_test_setup_teardown(plain_numbers_come_back, start, finish),
        cmocka_unit_test_setup_teardown(keys_come_back, start, finish),
        cmocka_unit_test_setup_teardown(other_keys_are_no_slices, start,
                                        finish),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
