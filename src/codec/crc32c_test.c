/* crc32c_test.c - both ways to compute it, against known values */
#include <stdlib.h>

#include "codec/crc32c.h"
#include "support/hostile.h"

/* The examples of RFC 3720, appendix B.4, and the usual check value. */
static const struct {
    const char *hex;
    uint32_t    crc;
} vectors[] = {
    { "", 0 },
    { "31 32 33 34 35 36 37 38 39", 0xe3069283 },
    { "00000000000000000000000000000000"
      "00000000000000000000000000000000",
      0x8a9136aa },
    { "ffffffffffffffffffffffffffffffff"
      "ffffffffffffffffffffffffffffffff",
      0x62a8ab43 },
    { "000102030405060708090a0b0c0d0e0f"
      "101112131415161718191a1b1c1d1e1f",
      0x46dd794e },
    { "1f1e1d1c1b1a19181716151413121110"
      "0f0e0d0c0b0a09080706050403020100",
      0x113fdb5c },
};

static void knows_the_published_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        struct tn_bytes bytes = tn_hex(vectors[i].hex);
        assert_int_equal(tn_crc32c(0, bytes.data, bytes.size), vectors[i].crc);
        assert_int_equal(tn_crc32c_tables(0, bytes.data, bytes.size),
                         vectors[i].crc);
        free((void *)(uintptr_t)bytes.data);
    }
}

static uint32_t one_bit_at_a_time(const uint8_t *at, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (; size; at++, size--) {
        crc ^= *at;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    return ~crc;
}

/* Lengths on both sides of every stride, at odd addresses. */
static void agrees_with_the_definition_at_every_length(void **state)
{
    static uint8_t bytes[40000];
    uint32_t       seed = 1;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    for (size_t size = 0; size < 39000; size += 1 + size / 40) {
        const uint8_t *at       = bytes + size % 13;
        uint32_t       expected = one_bit_at_a_time(at, size);
        assert_int_equal(tn_crc32c(0, at, size), expected);
        assert_int_equal(tn_crc32c_tables(0, at, size), expected);
        uint32_t half = tn_crc32c(0, at, size / 3);
        half          = tn_crc32c(half, at + size / 3, size - size / 3);
        assert_int_equal(half, expected);
    }
}

static void zeros_need_not_be_there(void **state)
{
    static const uint8_t zeros[5000];
    uint32_t             crc = tn_crc32c(0, "abc", 3);

    (void)state;
    for (size_t n = 0; n < sizeof zeros; n = n * 2 + 1) {
        assert_int_equal(tn_crc32c_zeros(0, n), tn_crc32c(0, zeros, n));
        assert_int_equal(tn_crc32c_zeros(crc, n), tn_crc32c(crc, zeros, n));
    }
    uint64_t far = UINT64_C(1) << 40;
    assert_int_equal(tn_crc32c_zeros(tn_crc32c_zeros(crc, far - 7), far + 7),
                     tn_crc32c_zeros(crc, 2 * far));
}

static void masks(void **state)
{
    (void)state;
    assert_int_equal(tn_crc32c_mask(0), 0xa282ead8);
    assert_int_equal(tn_crc32c_mask(0x8000), 0xa282ead9);
    assert_int_equal(tn_crc32c_mask(1), 0xa284ead8);
    assert_int_equal(tn_crc32c_mask(0xffffffff), 0xa282ead7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_published_vectors),
        cmocka_unit_test(agrees_with_the_definition_at_every_length),
        cmocka_unit_test(zeros_need_not_be_there),
        cmocka_unit_test(masks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
