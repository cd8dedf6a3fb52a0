/* zstd_test.c - frames that lie, frames that fill their place, and windows */
#include "codec/zstd.h"

#include <stdlib.h>

#include "support/hostile.h"

#define ABC "28b52ffd 20 03 190000 616263"

static const struct {
    const char    *name, *hex, *plain;
    uint64_t       size; /* that is announced                                 */
    enum tn_status status;
} rows[] = {
    { "a frame", ABC, "abc", 3, TN_OK },
    { "an empty frame", "28b52ffd 20 00 010000", "", 0, TN_OK },
    { "one byte, repeated", "28b52ffd 20 08 430000 78", "xxxxxxxx", 8, TN_OK },
    { "fewer than announced", ABC, NULL, 4, TN_MALFORMED },
    { "more than announced", ABC, NULL, 2, TN_MALFORMED },
    { "a byte after it", ABC "00", NULL, 3, TN_MALFORMED },
    { "another frame after it", ABC ABC, NULL, 6, TN_MALFORMED },
    { "cut off", "28b52ffd 20 03 190000 61", NULL, 3, TN_MALFORMED },
    { "nothing", "", NULL, 0, TN_MALFORMED },
    { "another magic", "29b52ffd 20 03 190000 616263", NULL, 3, TN_MALFORMED },
    { "a frame to be skipped", "502a4d18 03000000 616263", NULL, 3,
      TN_MALFORMED },
    { "a block of the reserved kind", "28b52ffd 20 03 1f0000 616263", NULL, 3,
      TN_MALFORMED },
    { "a terabyte out of twelve bytes", ABC, NULL, UINT64_C(1) << 40,
      TN_MALFORMED },
    { "all there is", ABC, NULL, UINT64_MAX, TN_MALFORMED },
};

static void reads_and_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_buffer  out;
        struct tn_bytes   input   = tn_hex(rows[i].hex);
        struct tn_guarded guarded = tn_guard(input);

        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&out, &memory, &error);
        tn_zstd_decode(guarded.bytes, 77, rows[i].size, &out, &error);
        if (error.status != rows[i].status)
            fail_msg("%s: %s", rows[i].name, error.what);
        if (rows[i].plain)
            assert_true(tn_bytes_is(tn_buffer_bytes(&out), rows[i].plain));
        else
            assert_int_equal(error.offset, 77);
        tn_buffer_done(&out);
        assert_int_equal(memory.used, 0);
        tn_unguard(&guarded);
        free((void *)(uintptr_t)input.data);
    }
}

static void announced_sizes_must_be_possible(void **state)
{
    static const uint8_t  frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x03,
                                      0x19, 0x00, 0x00, 0x61, 0x62, 0x63 };
    static const uint64_t sizes[] = { 0, 2, 4, 1 << 20, UINT64_MAX };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer out;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&out, &memory, &error);
        assert_int_equal(tn_zstd_decode(tn_bytes(frame, sizeof frame), 5,
                                        sizes[i], &out, &error),
                         TN_MALFORMED);
        assert_int_equal(error.offset, 5);
        tn_buffer_done(&out);
    }
}

/* A window of 2 GiB, of which the frame has three bytes: memory is counted, and
 * the limit is said to be the reason. */
static void windows_are_counted(void **state)
{
    static const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8,
                                     0x19, 0x00, 0x00, 0x61, 0x62, 0x63 };
    struct tn_error      error   = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_stream    *stream;
    struct tn_filter     filter;
    struct tn_buffer     out;

    (void)state;
    tn_memory_init(&memory, NULL, UINT64_C(64) << 20);
    tn_buffer_init(&out, &memory, &error);
    assert_int_equal(tn_zstd_unpacker(&stream, &memory, 9, &error), TN_OK);
    tn_filter_to_buffer(&filter, stream, &out, 3);
    assert_int_equal(
        tn_filter_last(&filter, tn_bytes(frame, sizeof frame), &error),
        TN_LIMIT);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    tn_buffer_done(&out);
    assert_int_equal(memory.used, 0);
}

static enum tn_status decode(struct tn_bytes input, struct tn_memory *memory,
                             struct tn_error *error)
{
    struct tn_buffer out;

    tn_buffer_init(&out, memory, error);
    tn_zstd_decode(input, 0, 3, &out, error);
    tn_buffer_done(&out);
    return error->status;
}

static void survives_hostility(void **state)
{
    struct tn_bytes good = tn_hex(ABC);

    (void)state;
    tn_survives_hostility(decode, good);
    free((void *)(uintptr_t)good.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_refuses),
        cmocka_unit_test(announced_sizes_must_be_possible),
        cmocka_unit_test(windows_are_counted),
        cmocka_unit_test(survives_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
