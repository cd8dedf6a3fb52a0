/* npy_text_test.c - unicode strings of numpy's, read at any place */
#include "wire/npy/npy_text.h"

#include <stdlib.h>

#include "support/hostile.h"

/* Items of 12 bytes: three characters. */
#define ITEM 12

/* clang-format off */
static const struct {
    const char    *name, *hex;
    bool           is_big_endian;
    const char    *utf8; /* padded, as hex                                    */
    enum tn_status status;
    uint64_t       offset;
} cases[] = {
    { "one letter", "61000000 00000000 00000000", false, "61 00 00 00 00 00 00 00 00 00 00 00", TN_OK, 0 },
    { "big-endian", "00000061 00000062 00000063", true, "61 62 63 00 00 00 00 00 00 00 00 00", TN_OK, 0 },
    { "longer letters", "e9000000 ac200000 00f60100", false, "c3 a9 e2 82 ac f0 9f 98 80 00 00 00", TN_OK, 0 },
    { "the longest", "ffff1000 ffff1000 ffff1000", false, "f4 8f bf bf f4 8f bf bf f4 8f bf bf", TN_OK, 0 },
    { "a zero inside", "61000000 00000000 62000000", false, "61 00 62 00 00 00 00 00 00 00 00 00", TN_OK, 0 },
    { "two items", "61000000 00000000 00000000 62000000 63000000 00000000", false, "61 00 00 00 00 00 00 00 00 00 00 00 62 63 00 00 00 00 00 00 00 00 00 00", TN_OK, 0 },
    { "a surrogate", "61000000 00d80000 00000000", false, NULL, TN_MALFORMED, 4 },
    { "past the last", "61000000 62000000 00001100", false, NULL, TN_MALFORMED, 8 },
    { "the wrong order", "00000061 00000000 00000000", false, NULL, TN_MALFORMED, 0 },
};
/* clang-format on */

/* Every range of it. */
static void read_ranges(struct tn_source *text, const char *hex,
                        const char *name)
{
    struct tn_bytes expected = tn_hex(hex);
    uint8_t         got[64];

    assert_int_equal(text->size, expected.size);
    for (size_t begin = 0; begin < expected.size; begin++)
        for (size_t end = begin; end <= expected.size; end++) {
            struct tn_error error = TN_ERROR_INIT;
            assert_int_equal(
                tn_source_read(text, begin, got, end - begin, &error), TN_OK);
            if (memcmp(got, expected.data + begin, end - begin) != 0)
                fail_msg("%s: %zu to %zu", name, begin, end);
        }
    free((void *)(uintptr_t)expected.data);
}

static void characters_become_utf8(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_bytes  bytes = tn_hex(cases[i].hex);
        struct tn_memory memory;
        struct tn_source source, *text;
        uint8_t          all[64];
        tn_memory_init(&memory, NULL, 0);
        tn_source_memory(&source, &memory, bytes);
        assert_int_equal(tn_npy_text_source(
                             &text, (struct tn_span){ &source, 0, bytes.size },
                             ITEM, cases[i].is_big_endian, &memory, &error),
                         TN_OK);
        tn_source_read(text, 0, all, bytes.size, &error);
        assert_int_equal(error.status, cases[i].status);
        if (cases[i].utf8)
            read_ranges(text, cases[i].utf8, cases[i].name);
        else
            assert_int_equal(error.offset, cases[i].offset);
        tn_source_close(text);
        tn_source_close(&source);
        free((void *)(uintptr_t)bytes.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_become_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
