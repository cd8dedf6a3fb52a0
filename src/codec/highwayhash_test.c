/* highwayhash_test.c - known hashes, both paths, and bytes in any portions */
#include "codec/highwayhash.h"

#include "base/memory.h"
#include "support/hostile.h"

/* The key of Riegeli files, for which the values below were published. */
static const uint64_t key[4] = { UINT64_C(0x2f696c6567656952),
                                 UINT64_C(0x0a7364726f636572),
                                 UINT64_C(0x2f696c6567656952),
                                 UINT64_C(0x0a7364726f636572) };

/* Hashes of the bytes 0, 1, 2, ... */
static const struct {
    size_t   size;
    uint64_t hash;
} cases[] = {
    { 0, UINT64_C(0x72c3b1e9c0139fe1) },
    { 1, UINT64_C(0x2cd57bc47907559d) },
    { 2, UINT64_C(0x79f89e5c740f5e3b) },
    { 3, UINT64_C(0x3bbb8da470c80319) },
    { 4, UINT64_C(0x4d9e82979ab17ce7) },
    { 5, UINT64_C(0xfeefa31feeebed80) },
    { 7, UINT64_C(0x81d00cb703e09f52) },
    { 8, UINT64_C(0x28aad15071ce9aff) },
    { 15, UINT64_C(0x3402cb26fb217163) },
    { 16, UINT64_C(0x3e13be3a4140f4a7) },
    { 17, UINT64_C(0xa7084c614077eaca) },
    { 19, UINT64_C(0x357ed62531a86044) },
    { 31, UINT64_C(0x4d262a709c34ae7d) },
    { 32, UINT64_C(0xb73f6df550f9dce4) },
    { 33, UINT64_C(0xec2f920014eaa741) },
    { 47, UINT64_C(0x132110a48afeaea0) },
    { 63, UINT64_C(0xbea28b7a087e1493) },
    { 64, UINT64_C(0xe34b1e100f1322af) },
    { 65, UINT64_C(0xb4125566520ce871) },
    { 100, UINT64_C(0xe809487465a44f74) },
    { 1000, UINT64_C(0x64a6a10ba1110d87) },
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_guarded guarded = tn_guard(tn_bytes(counted, cases[i].size));
        assert_int_equal(tn_highwayhash64(key, guarded.bytes), cases[i].hash);
        tn_unguard(&guarded);
    }
}

static void any_portions(void **state)
{
    (void)state;
    for (size_t portion = 1; portion < 100; portion++) {
        struct tn_highwayhash hash;
        tn_highwayhash_init(&hash, key);
        for (size_t at = 0; at < sizeof counted; at += portion) {
            size_t left = sizeof counted - at;
            tn_highwayhash_add(
                &hash, tn_bytes(counted + at, left < portion ? left : portion));
            tn_highwayhash_add(&hash, tn_bytes(NULL, 0));
        }
        assert_int_equal(hash.sink.offset, sizeof counted);
        assert_int_equal(tn_highwayhash_finish(&hash),
                         UINT64_C(0x64a6a10ba1110d87));
    }
}

static void both_paths_agree(void **state)
{
    struct tn_highwayhash a, b;

    (void)state;
    tn_highwayhash_init(&a, key);
    tn_highwayhash_init(&b, key);
    for (size_t count = 0; count < 31; count++) {
        tn_highwayhash_packets(&a.state, counted + count, count);
        tn_highwayhash_packets_plainly(&b.state, counted + count, count);
        assert_memory_equal(&a.state, &b.state, sizeof a.state);
    }
}

static enum tn_status read_counted(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size,
                                   struct tn_error *error)
{
    (void)source;
    (void)error;
    memcpy(to, counted + offset, size);
    return TN_OK;
}

/* A span is hashed in place when it is mapped, in windows when it is not. */
static void is_a_sink(void **state)
{
    static const struct tn_source_ops ops = { read_counted, NULL };
    struct tn_source source = { .ops = &ops, .size = sizeof counted };

    (void)state;
    for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
        struct tn_error       error = TN_ERROR_INIT;
        struct tn_highwayhash hash;
        struct tn_span        rest = { &source, 10, sizeof counted - 10 };
        source.map                 = is_mapped ? counted : NULL;
        tn_highwayhash_init(&hash, key);
        tn_sink_write(&hash.sink, tn_bytes(counted, 10), &error);
        assert_int_equal(tn_sink_splice(&hash.sink, rest, &error), TN_OK);
        assert_int_equal(hash.sink.offset, sizeof counted);
        assert_int_equal(tn_highwayhash_finish(&hash),
                         UINT64_C(0x64a6a10ba1110d87));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(known_hashes, count_up),
        cmocka_unit_test(any_portions),
        cmocka_unit_test(both_paths_agree),
        cmocka_unit_test(is_a_sink),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
