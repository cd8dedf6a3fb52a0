/* snappy_test.c - blocks there and back, and blocks that lie */
#include <stdlib.h>

#include "codec/snappy.h"
#include "support/hostile.h"

static enum tn_status decode(struct tn_bytes input, struct tn_memory *memory,
                             struct tn_error *error)
{
    struct tn_buffer plain;

    tn_buffer_init(&plain, memory, error);
    enum tn_status status = tn_snappy_decode(input, 0, &plain, error);
    tn_buffer_done(&plain);
    return status;
}

static const struct {
    const char    *name, *hex, *plain;
    enum tn_status status;
} cases[] = {
    { "empty block", "00", "", TN_OK },
    { "literal", "03 08 61 62 63", "abc", TN_OK },
    { "copy", "06 08 61 62 63 0a 03 00", "abcabc", TN_OK },
    { "no length", "", NULL, TN_MALFORMED },
    { "endless length", "ff ff ff ff ff ff", NULL, TN_MALFORMED },
    { "4 GiB out of 5 bytes", "ff ff ff ff 0f", NULL, TN_MALFORMED },
    { "too short", "04 08 61 62 63", NULL, TN_MALFORMED },
    { "too long", "02 08 61 62 63", NULL, TN_MALFORMED },
    { "copy from before", "06 08 61 62 63 0a 04 00", NULL, TN_MALFORMED },
};

static void reads_and_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_buffer  plain;
        struct tn_bytes   input   = tn_hex(cases[i].hex);
        struct tn_guarded guarded = tn_guard(input);

        tn_memory_init(&memory, NULL, 1 << 16);
        tn_buffer_init(&plain, &memory, &error);
        if (tn_snappy_decode(guarded.bytes, 77, &plain, &error) !=
            cases[i].status)
            fail_msg("%s: %s", cases[i].name, error.what);
        if (cases[i].plain)
            assert_true(tn_bytes_is(tn_buffer_bytes(&plain), cases[i].plain));
        else
            assert_int_equal(error.offset, 77);
        tn_buffer_done(&plain);
        tn_unguard(&guarded);
        free((void *)(uintptr_t)input.data);
    }
}

static void comes_back_from_the_densest_block(void **state)
{
    static uint8_t   zeros[100000];
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer packed, plain;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&packed, &memory, &error);
    tn_buffer_init(&plain, &memory, &error);
    tn_snappy_encode(tn_bytes(zeros, sizeof zeros), &packed, &error);
    assert_true(packed.size < sizeof zeros / 20);
    tn_snappy_decode(tn_buffer_bytes(&packed), 0, &plain, &error);
    assert_int_equal(error.status, TN_OK);
    assert_true(
        tn_bytes_equal(tn_buffer_bytes(&plain), tn_bytes(zeros, sizeof zeros)));
    tn_survives_every_flip(decode, tn_bytes(packed.data, 64));
    tn_survives_no_memory(decode, tn_buffer_bytes(&packed));
    tn_buffer_done(&packed);
    tn_buffer_done(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_refuses),
        cmocka_unit_test(comes_back_from_the_densest_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
