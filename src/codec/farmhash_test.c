/* farmhash_test.c - known fingerprints, and bytes in any portions */
#include "codec/farmhash.h"

#include "base/memory.h"
#include "support/hostile.h"

/* Of texts: published with other implementations. */
static const struct {
    const char *text;
    uint64_t    hash;
} texts[] = {
    { "", UINT64_C(0x9ae16a3b2f90404f) },
    { "a", UINT64_C(0xb3454265b6df75e3) },
    { "ab", UINT64_C(0xaa8d6e5242ada51e) },
    { "abc", UINT64_C(0x24a5b3a074e7f369) },
    { "abcd", UINT64_C(0x1a5502de4a1f8101) },
    { "abcdefg", UINT64_C(0x3c40c92b1ccb7355) },
    { "abcdefgh", UINT64_C(0xfee9d22990c82909) },
    { "0123456789'01234", UINT64_C(0x4283d4ef43627f64) },
    { "0123456789=012345", UINT64_C(0x46a7416ed4861e3b) },
    { "/dWQW6&i7h$1@", UINT64_C(11452602314494946942) },
    { "9JqLl0AW7e69Y.&vMHQ5C", UINT64_C(2827089714349584095) },
    { "wE,gHSvhK Jv=KR#(R |!%vctTJ0fx)", UINT64_C(413905253809041649) },
    { "7.b^/n=oR_w(vLN?c?xN<5t$p8HY2!s:U", UINT64_C(2506644862971557451) },
    { "F7479877-4690-4A44-AFC9-8FE987EA512F:some_other_id",
      UINT64_C(6862335115798125349) },
};

/* Of the bytes 0, 1, 2, ... */
static const struct {
    size_t   size;
    uint64_t hash;
} counts[] = {
    { 0, UINT64_C(0x9ae16a3b2f90404f) },
    { 1, UINT64_C(0xbe6056edf5e94b54) },
    { 3, UINT64_C(0x94a13d22e9eba49a) },
    { 4, UINT64_C(0x82bffd898958e540) },
    { 7, UINT64_C(0xa2e0bff20db0a6a1) },
    { 8, UINT64_C(0xad5a13e1e8e93b98) },
    { 16, UINT64_C(0x0efd25a0a34156d4) },
    { 17, UINT64_C(0xbbb6a6f8f20d1f1c) },
    { 32, UINT64_C(0x1a9d8199972cdf49) },
    { 33, UINT64_C(0xe8756ec1cb75524e) },
    { 64, UINT64_C(0xf58504bb53decc4b) },
    { 65, UINT64_C(0xc6a3282c3e793dbe) },
    { 128, UINT64_C(0x1c484c95f0ea5dd3) },
    { 200, UINT64_C(0x074c7fcc26d66fb3) },
};

static uint8_t counted[1000];

static int count_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counted; i++)
        counted[i] = (uint8_t)i;
    return 0;
}

static void known_hashes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tn_guarded guarded = tn_guard(tn_text(texts[i].text));
        assert_int_equal(tn_farmhash64(guarded.bytes), texts[i].hash);
        tn_unguard(&guarded);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct tn_guarded guarded = tn_guard(tn_bytes(counted, counts[i].size));
        assert_int_equal(tn_farmhash64(guarded.bytes), counts[i].hash);
        tn_unguard(&guarded);
    }
}

static uint64_t in_portions(size_t size, size_t portion)
{
    struct tn_farmhash hash;

    tn_farmhash_init(&hash);
    for (size_t at = 0; at < size; at += portion) {
        size_t left = size - at;
        tn_farmhash_add(
            &hash, tn_bytes(counted + at, left < portion ? left : portion));
        tn_farmhash_add(&hash, tn_bytes(NULL, 0));
    }
    assert_int_equal(hash.sink.offset, size);
    return tn_farmhash_finish(&hash);
}

/* Around the ends of blocks above all. */
static void any_portions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t portion = 1; portion < 200; portion++)
            assert_int_equal(in_portions(counts[i].size, portion),
                             counts[i].hash);
    for (size_t size = 60; size < 300; size++)
        for (size_t portion = 1; portion < 140; portion += 3)
            assert_int_equal(in_portions(size, portion),
                             tn_farmhash64(tn_bytes(counted, size)));
}

static enum tn_status read_counted(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size,
                                   struct tn_error *error)
{
    (void)source, (void)error;
    memcpy(to, counted + offset, size);
    return TN_OK;
}

static void spans_of_any_source(void **state)
{
    static const struct tn_source_ops ops = { .read_at = read_counted };

    (void)state;
    for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
        struct tn_source   source = { .ops  = &ops,
                                      .size = sizeof counted,
                                      .map  = is_mapped ? counted : NULL };
        struct tn_error    error  = TN_ERROR_INIT;
        struct tn_farmhash hash;
        tn_farmhash_init(&hash);
        tn_sink_splice(&hash.sink, (struct tn_span){ &source, 1, 70 }, &error);
        tn_sink_splice(&hash.sink, (struct tn_span){ &source, 71, 929 },
                       &error);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(hash.sink.offset, 999);
        assert_int_equal(tn_farmhash_finish(&hash),
                         tn_farmhash64(tn_bytes(counted + 1, 999)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_hashes),
        cmocka_unit_test(any_portions),
        cmocka_unit_test(spans_of_any_source),
    };

    return cmocka_run_group_tests(tests, count_up, NULL);
}
