/* remote_sign_test.c - the examples that Amazon publishes */
#include "io/remote_sign.h"

#include "support/hostile.h"

#define S3_HOST   "examplebucket.s3.amazonaws.com"
#define S3_KEY    "AKIAIOSFODNN7EXAMPLE"
#define S3_SECRET "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

static void test_published(void **state)
{
    static const struct tn_sign_header plain[] = {
        { "host", "example.amazonaws.com" },
        { "x-amz-date", "20150830T123600Z" },
    };
    static const struct tn_sign_header range[] = {
        { "host", S3_HOST },
        { "range", "bytes=0-9" },
        { "x-amz-content-sha256", TN_SIGN_EMPTY },
        { "x-amz-date", "20130524T000000Z" },
    };
    static const struct tn_sign_header bucket[] = {
        { "host", S3_HOST },
        { "x-amz-content-sha256", TN_SIGN_EMPTY },
        { "x-amz-date", "20130524T000000Z" },
    };
    static const struct {
        struct tn_sign sign;
        const char    *signature;
    } rows[] = {
        { { "GET", "/", "", plain, 2, TN_SIGN_EMPTY, "20150830T123600Z",
            "us-east-1", "service", "AKIDEXAMPLE",
            "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
          "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
        { { "GET", "/test.txt", "", range, 4, TN_SIGN_EMPTY, "20130524T000000Z",
            "us-east-1", "s3", S3_KEY, S3_SECRET },
          "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41" },
        { { "GET", "/", "lifecycle", bucket, 3, TN_SIGN_EMPTY,
            "20130524T000000Z", "us-east-1", "s3", S3_KEY, S3_SECRET },
          "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543" },
        { { "GET", "/", "prefix=J&max-keys=2", bucket, 3, TN_SIGN_EMPTY,
            "20130524T000000Z", "us-east-1", "s3", S3_KEY, S3_SECRET },
          "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7" },
    };
    struct tn_memory memory;
    struct tn_arena  arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        const char     *line  = tn_sign_request(&arena, &rows[i].sign, &error);
        assert_non_null(line);
        assert_string_equal(strrchr(line, '=') + 1, rows[i].signature);
        assert_null(strstr(line, rows[i].sign.secret));
    }
    tn_arena_done(&arena);
}

static void test_date(void **state)
{
    char date[TN_SIGN_DATE];

    (void)state;
    tn_sign_date(1369353600, date);
    assert_string_equal(date, "20130524T000000Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_date),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
