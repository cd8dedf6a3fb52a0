/* sha256_test.c - digests known from FIPS 180-4, whole and in pieces */
#include <stdlib.h>
#include <string.h>

#include "codec/sha256.h"
#include "support/hostile.h"

static const struct {
    const char *text, *digest;
} vectors[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb924"
          "27ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223"
             "b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void expect_digest(struct tn_sha256 *hash, const char *hex)
{
    uint8_t         digest[TN_SHA256_SIZE];
    struct tn_bytes expected = tn_hex(hex);

    tn_sha256_finish(hash, digest);
    assert_memory_equal(digest, expected.data, sizeof digest);
    free((void *)(uintptr_t)expected.data);
}

static void knows_the_published_vectors(void **state)
{
    struct tn_sha256 hash;

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        tn_sha256_init(&hash);
        tn_sha256_add(&hash, tn_text(vectors[i].text));
        assert_int_equal(hash.sink.offset, strlen(vectors[i].text));
        expect_digest(&hash, vectors[i].digest);
    }
}

/* A million times "a": longer than the window of a splice. */
static void hashes_what_is_spliced(void **state)
{
    static uint8_t   text[1000000];
    struct tn_memory memory;
    struct tn_source source;
    struct tn_sha256 hash;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    memset(text, 'a', sizeof text);
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(text, sizeof text));
    tn_sha256_init(&hash);
    struct tn_span span = { &source, 0, sizeof text };
    assert_int_equal(tn_sink_splice(&hash.sink, span, &error), TN_OK);
    assert_int_equal(hash.sink.offset, sizeof text);
    expect_digest(&hash, "cdc76e5c9914fb9281a1c7e284d73e67"
                         "f1809a48a497200e046d39ccc7112cd0");
    tn_source_close(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_published_vectors),
        cmocka_unit_test(hashes_what_is_spliced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
