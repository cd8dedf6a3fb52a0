/* gzip_test.c - gzip files of one member */
#include "codec/gzip.h"

#include <stdlib.h>

#include "support/hostile.h"

/* "hello", as gzip(1) writes it, with and without a name */
#define BODY  "cb 48 cd c9 c9 07 00 86 a6 10 36 05 00 00 00"
#define PLAIN "1f 8b 08 00 00 00 00 00 00 03 " BODY
#define NAMED "1f 8b 08 08 00 00 00 00 00 03 61 00 " BODY

static enum tn_status read_gzip(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct tn_buffer out;

    tn_buffer_init(&out, memory, error);
    if (tn_gzip_decode(input, 100, &out, error) == TN_OK)
        assert_true(tn_bytes_is(tn_buffer_bytes(&out), "hello"));
    tn_buffer_done(&out);
    return error->status;
}

static const struct {
    const char    *hex;
    enum tn_status status;
} cases[] = {
    { PLAIN, TN_OK },
    { NAMED, TN_OK },
    { "1f 8b 07 00 00 00 00 00 00 03 " BODY, TN_UNSUPPORTED },
    { "1f 8b 08 00 00 00 00 00 00 03 cb 48 cd c9 c9 07 00 86 a6 10 37 05 00 "
      "00 00",
      TN_MALFORMED },
    { "1f 8b 08 00 00 00 00 00 00 03 cb 48 cd c9 c9 07 00 86 a6 10 36 ff ff "
      "ff ff",
      TN_LIMIT },
    { "1f 8b 08 04 00 00 00 00 00 03 ff ff", TN_TRUNCATED },
};

static void test_members_are_unpacked_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes  bytes = tn_hex(cases[i].hex);
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        assert_int_equal(read_gzip(bytes, &memory, &error), cases[i].status);
        free((void *)(uintptr_t)bytes.data);
    }
}

static void test_prefixes_are_refused(void **state)
{
    struct tn_bytes good = tn_hex(PLAIN);

    (void)state;
    tn_refuses_every_prefix(read_gzip, good, NULL);
    free((void *)(uintptr_t)good.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_unpacked_or_refused),
        cmocka_unit_test(test_prefixes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
