/* remote_place_test.c - what s3:// and hf:// stand for, and whose they are */
#define _GNU_SOURCE
#include "io/remote_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/hostile.h"

static struct tn_memory memory;
static struct tn_arena  arena;
static char             home[32];

static const char *const variables[] = {
    "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL",
    "AWS_PROFILE",         "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",     "AWS_REGION",
    "AWS_DEFAULT_REGION",  "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",   "AWS_SECRET_ACCESS_KEY",
    "HF_ENDPOINT",         "HF_TOKEN",
    "HF_TOKEN_PATH",       "HF_HOME",
};

static int begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
    strcpy(home, "/tmp/remote_place-XXXXXX");
    assert_non_null(mkdtemp(home));
    setenv("HOME", home, 1);
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    return 0;
}

static int end(void **state)
{
    char path[64];

    (void)state;
    snprintf(path, sizeof path, "%s/file", home);
    unlink(path);
    rmdir(home);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
    return 0;
}

/* A file whose path a variable has. */
static void put_file(const char *variable, struct tn_bytes text)
{
    char path[64];

    snprintf(path, sizeof path, "%s/file", home);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(text.data, 1, text.size, file);
    fclose(file);
    setenv(variable, path, 1);
}

static const struct tn_login eu = { .region = "eu-x-1" }, none;

static void test_urls(void **state)
{
    static const struct {
        const char *place, *commit, *url; /* NULL: refused                    */
    } rows[] = {
        { "https://h/x?y", "", "https://h/x?y" },
        { "s3://b/k", "", "https://b.s3.eu-x-1.amazonaws.com/k" },
        { "S3://b/k/", "", "https://b.s3.eu-x-1.amazonaws.com/k/" },
        { "s3://a.b/k", "", "https://s3.eu-x-1.amazonaws.com/a.b/k" },
        { "s3://b/a b+c%2F?#", "",
          "https://b.s3.eu-x-1.amazonaws.com/a%20b%2Bc%252F%3F%23" },
        { "s3://b", "", NULL },
        { "s3://b/", "", NULL },
        { "s3:///k", "", NULL },
        { "s3://evil.example@b/k", "", NULL },
        { "s3://b:80/k", "", NULL },
        { "s3://.b/k", "", NULL },
        { "s3://b\r\nHost: x/k", "", NULL },
        { "s3://"
          "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
          "/k",
          "", NULL }, /* 64 letters */
        { "hf://o/r/a/b", "", "https://huggingface.co/o/r/resolve/main/a/b" },
        { "hf://o/r@v1/a b", "",
          "https://huggingface.co/o/r/resolve/v1/a%20b" },
        { "hf://o/r@refs/a", "", "https://huggingface.co/o/r/resolve/refs/a" },
        { "hf://o/r@v?x/a", "", "https://huggingface.co/o/r/resolve/v%3Fx/a" },
        { "hf://o/r@refs/pr/7/a", "",
          "https://huggingface.co/o/r/resolve/refs%2Fpr%2F7/a" },
        { "hf://o/r@refs/convert/onnx/a/b", "",
          "https://huggingface.co/o/r/resolve/refs%2Fconvert%2Fonnx/a/b" },
        { "hf://o/r@refs/pr/7x/a", "",
          "https://huggingface.co/o/r/resolve/refs/pr/7x/a" },
        { "hf://o/r@refs/pr//a", "",
          "https://huggingface.co/o/r/resolve/refs/pr//a" },
        { "hf://o/r@refs/pr/7", "",
          NULL }, /* the repository at that revision */
        { "hf://o/r@a%2fb%2Fc%20/d", "",
          "https://huggingface.co/o/r/resolve/a%2Fb%2Fc%2520/d" },
        { "hf://datasets/o/r@v/a", "",
          "https://huggingface.co/datasets/o/r/resolve/v/a" },
        { "hf://spaces/o/r/a", "",
          "https://huggingface.co/spaces/o/r/resolve/main/a" },
        { "hf://datasets/o/r", "", NULL },
        { "hf://datasets/o", "", NULL },
        { "hf://o@v/r/x", "", NULL },
        { "hf://o/r@v1/a", "c0ffee",
          "https://huggingface.co/o/r/resolve/c0ffee/a" },
        { "hf://o/r@/a", "", NULL },
        { "hf://o/r", "", NULL },
        { "hf://o/r/", "", NULL },
        { "hf://o/../x", "", NULL },
        { "hf://../r/x", "", NULL },
        { "hf://o", "", NULL },
        { "hf://", "", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        const char     *url =
            tn_place_url(&arena, rows[i].place, rows[i].commit, &eu, &error);
        if (!rows[i].url) {
            assert_null(url);
            assert_int_equal(error.status, TN_INVALID);
        } else {
            assert_non_null(url);
            assert_string_equal(url, rows[i].url);
        }
    }
}

static void test_whole(void **state)
{
    static const struct {
        const char *url, *whole;
    } rows[] = {
        { "hf://o/r", "hf://o/r/" },
        { "hf://o/r@v1", "hf://o/r@v1/" },
        { "hf://o/r/", "hf://o/r/" },
        { "hf://o/r/x", "hf://o/r/x" },
        { "hf://o/r@refs/pr/7", "hf://o/r@refs/pr/7/" },
        { "hf://o/r@refs/pr", "hf://o/r@refs/pr" },
        { "hf://datasets/o/r", "hf://datasets/o/r/" },
        { "hf://datasets/o", "hf://datasets/o" },
        { "hf://o", "hf://o" }, /* an owner has many */
        { "hf://o/", "hf://o/" },
        { "s3://b", "s3://b/" },
        { "s3://b/", "s3://b/" },
        { "s3://b/k", "s3://b/k" },
        { "s3://", "s3://" },
        { "https://h", "https://h" },
        { "models/r", "models/r" },
        { "-", "-" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        const char     *whole = tn_place_whole(&arena, rows[i].url, &error);
        assert_non_null(whole);
        assert_string_equal(whole, rows[i].whole);
    }
}

static void test_endpoints(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    /* A region comes from a file or a server, and goes into a host name. */
    static const struct tn_login evil  = { .region = "x.evil/" },
                                 china = { .region = "cn-north-1" },
                                 named = { .endpoint = "http://h:1/" },
                                 word  = { .endpoint = "h:1" };
    assert_null(tn_place_url(&arena, "s3://b/k", "", &evil, &error));
    assert_int_equal(error.status, TN_INVALID);
    tn_error_clear(&error);
    assert_string_equal(tn_place_url(&arena, "s3://b/k", "", &none, &error),
                        "https://b.s3.us-east-1.amazonaws.com/k");
    assert_string_equal(tn_place_url(&arena, "s3://b/k", "", &china, &error),
                        "https://b.s3.cn-north-1.amazonaws.com.cn/k");
    assert_string_equal(tn_place_url(&arena, "s3://a.b/k", "", &china, &error),
                        "https://s3.cn-north-1.amazonaws.com.cn/a.b/k");
    assert_string_equal(tn_place_url(&arena, "s3://b/k", "", &named, &error),
                        "http://h:1/b/k");
    assert_null(tn_place_url(&arena, "s3://b/k", "", &word, &error));
    assert_int_equal(error.status, TN_INVALID);
    tn_error_clear(&error);
    setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9//", 1);
    assert_string_equal(tn_place_url(&arena, "s3://a.b/k", "", &named, &error),
                        "http://127.0.0.1:9/a.b/k");
    setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:8", 1);
    assert_string_equal(tn_place_url(&arena, "s3://b/k", "", &none, &error),
                        "http://127.0.0.1:8/b/k");
    setenv("HF_ENDPOINT", "http://127.0.0.1:7/", 1);
    assert_string_equal(tn_place_url(&arena, "hf://o/r/k", "", &none, &error),
                        "http://127.0.0.1:7/o/r/resolve/main/k");
    assert_string_equal(tn_place_revision_url(&arena, "hf://o/r@v1/", &error),
                        "http://127.0.0.1:7/api/models/o/r/revision/v1");
}

static void test_lists(void **state)
{
    static const struct tn_login r = { .region = "r" };
    static const struct {
        const char *place, *url, *prefix;
        bool        is_recursive;
    } rows[] = {
        { "s3://b/d e/",
          "https://b.s3.r.amazonaws.com/?delimiter=%2F&encoding-type=url&"
          "list-type=2&prefix=d%20e%2F",
          "d e/", false },
        { "s3://b/",
          "https://b.s3.r.amazonaws.com/?encoding-type=url&list-type=2&prefix=",
          "", true },
        { "s3://b", NULL, NULL, true },
        { "hf://o/r/", "https://huggingface.co/api/models/o/r/tree/main", "",
          false },
        { "hf://o/r@v/d//",
          "https://huggingface.co/api/models/o/r/tree/v/d?recursive=true",
          "d//", true },
        { "hf://o/r@refs/pr/7/d/",
          "https://huggingface.co/api/models/o/r/tree/refs%2Fpr%2F7/d", "d/",
          false },
        { "hf://datasets/o/r/",
          "https://huggingface.co/api/datasets/o/r/tree/main", "", false },
        { "http://h/d/", "http://h/d/", "", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        const char     *prefix;
        const char     *url =
            tn_place_list_url(&arena, rows[i].place, "", &r,
                              rows[i].is_recursive, &prefix, &error);
        assert_int_equal(url != NULL, rows[i].url != NULL);
        if (!url)
            continue;
        assert_string_equal(url, rows[i].url);
        assert_string_equal(prefix, rows[i].prefix);
    }
}

/* Where a profile has its store. */
static void test_profile_endpoints(void **state)
{
    static const struct {
        const char *text, *endpoint;
    } rows[] = {
        { "[p]\nendpoint_url = http://h:9000\n", "http://h:9000" },
        { "[profile p]\nservices = x\nendpoint_url=http://all\n"
          "[services x]\ndynamodb =\n  endpoint_url = http://no\n"
          "s3 =\n  signature_version = s3v4\n\tendpoint_url = http://yes\n"
          "sts =\n  endpoint_url = http://no\n",
          "http://yes" },
        { "[services x]\ns3 =\n  endpoint_url = http://yes\n"
          "[services y]\ns3 =\n  endpoint_url = http://no\n"
          "[p]\nservices = x\n",
          "http://yes" },
        { "[services x]\ns3 =\nendpoint_url = http://no\n[p]\nservices = x\n",
          "" },
        { "[services y]\ns3 =\n  endpoint_url = http://no\n[p]\nservices = x\n",
          "" },
        { "[services x]\ns3 =\n  endpoint_url = http://no\n", "" },
        { "[q]\nendpoint_url = http://no\n", "" },
        { "[p]\ns3 =\n  endpoint_url = http://no\n", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_guarded text  = tn_guard(tn_text(rows[i].text));
        struct tn_login   login = { 0 };
        tn_login_parse(&login, text.bytes, "p");
        assert_string_equal(login.endpoint, rows[i].endpoint);
        tn_unguard(&text);
    }
}

static void test_profiles(void **state)
{
    static const struct {
        const char *text, *access, *region;
    } rows[] = {
        { "[default]\naws_access_key_id = A\n[p]\naws_access_key_id=P\n", "P",
          "" },
        { "[profile p]\r\nregion = r \r\naws_access_key_id=\tP\r\n", "P", "r" },
        { " [ p ] \n#aws_access_key_id=C\n;region=c\naws_access_key_id=P", "P",
          "" },
        { "[p]\naws_access_key_id=P\naws_access_key_id=Q\n", "P", "" },
        { "aws_access_key_id=P\n", "", "" }, /* of no section */
        { "[pp]\naws_access_key_id=P\n", "", "" },
        { "[p\naws_access_key_id=P\n", "", "" },
        { "[", "", "" },
        { "[]", "", "" },
        { "[p]\n=\naws_access_key_id\nregion=\n", "", "" },
        /* Indented lines belong to a setting without a value. */
        { "[p]\n  aws_access_key_id=P\ns3 =\n  region=x\n\tregion=z\n"
          "region=y\n",
          "P", "y" },
        { "", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_guarded text  = tn_guard(tn_text(rows[i].text));
        struct tn_login   login = { 0 };
        tn_login_parse(&login, text.bytes, "p");
        assert_string_equal(login.access, rows[i].access);
        assert_string_equal(login.region, rows[i].region);
        tn_unguard(&text);
    }
}

/* Values that do not fit, or that a zero would cut, are none. */
static void test_values(void **state)
{
    static const char zero[] = "[p]\nregion=a\0b\n";
    struct tn_login   login  = { 0 };
    char              text[TN_PLACE_KEY + 32];
    int               written = snprintf(text, sizeof text, "[p]\nregion=");

    (void)state;
    tn_login_parse(&login, tn_bytes(zero, sizeof zero - 1), "p");
    assert_string_equal(login.region, "");
    memset(text + written, 'r', TN_PLACE_KEY);
    tn_login_parse(&login, tn_bytes(text, (size_t)written + TN_PLACE_KEY), "p");
    assert_string_equal(login.region, "");
    tn_login_parse(&login, tn_bytes(text, (size_t)written + TN_PLACE_KEY - 1),
                   "p");
    assert_int_equal(strlen(login.region), TN_PLACE_KEY - 1);
}

static enum tn_status log_in(struct tn_login *login, enum tn_place_kind kind)
{
    struct tn_error error = TN_ERROR_INIT;

    *login = (struct tn_login){ 0 };
    tn_login_read(login, kind, &memory, &error);
    return error.status;
}

static void test_store(void **state)
{
    struct tn_login login;

    (void)state;
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_OK); /* nothing is there */
    assert_string_equal(login.access, "");
    assert_string_equal(login.region, "us-east-1");
    put_file("AWS_SHARED_CREDENTIALS_FILE",
             tn_text("[default]\naws_access_key_id=A\n"
                     "aws_secret_access_key=S\naws_session_token=T\n"));
    /* Half of a pair is in the environment, so that the file's counts. */
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    setenv("AWS_REGION", "r", 1);
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_OK);
    assert_string_equal(login.access, "A");
    assert_string_equal(login.secret, "S");
    assert_string_equal(login.region, "r");
    /* The file's token does not belong to the environment's pair. */
    setenv("AWS_SECRET_ACCESS_KEY", "F", 1);
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_OK);
    assert_string_equal(login.access, "E");
    assert_string_equal(login.token, "");
    setenv("AWS_SESSION_TOKEN", "x\r\nHost: evil", 1);
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_INVALID);
}

/* Why there are no credentials is told where a store wants some. */
static void test_problems(void **state)
{
    struct tn_login login;

    (void)state;
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_OK);
    assert_non_null(strstr(login.problem, "AWS_ACCESS_KEY_ID"));
    setenv("AWS_PROFILE", "work", 1);
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_OK);
    assert_non_null(strstr(login.problem, "no profile work"));
    put_file("AWS_CONFIG_FILE",
             tn_text("[profile work]\nrole_arn=arn:x\nsource_profile=y\n"));
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_OK);
    assert_non_null(strstr(login.problem, "by role_arn"));
    put_file("AWS_SHARED_CREDENTIALS_FILE",
             tn_text("[work]\naws_access_key_id=A\naws_secret_access_key=S\n"));
    assert_int_equal(log_in(&login, TN_PLACE_S3), TN_OK);
    assert_string_equal(login.problem, "");
    assert_int_equal(log_in(&login, TN_PLACE_HUB), TN_OK);
    assert_non_null(strstr(login.problem, "HF_TOKEN"));
}

static void test_hub(void **state)
{
    static uint8_t  large[(size_t)300 << 10];
    struct tn_login login;

    (void)state;
    assert_int_equal(log_in(&login, TN_PLACE_HUB), TN_OK);
    assert_string_equal(login.token, "");
    put_file("HF_TOKEN_PATH", tn_text(" hf_x\n"));
    assert_int_equal(log_in(&login, TN_PLACE_HUB), TN_OK);
    assert_string_equal(login.token, "hf_x");
    put_file("HF_TOKEN_PATH", tn_text("a\nHost: evil\n"));
    assert_int_equal(log_in(&login, TN_PLACE_HUB), TN_INVALID);
    put_file("HF_TOKEN_PATH", tn_bytes(large, sizeof large));
    assert_int_equal(log_in(&login, TN_PLACE_HUB), TN_INVALID);
    setenv("HF_TOKEN_PATH", home, 1); /* a folder */
    assert_int_equal(log_in(&login, TN_PLACE_HUB), TN_INVALID);
    setenv("HF_TOKEN", "hf_y", 1); /* then no file is read */
    assert_int_equal(log_in(&login, TN_PLACE_HUB), TN_OK);
    assert_string_equal(login.token, "hf_y");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_urls),      TEST(test_whole),
        TEST(test_endpoints), TEST(test_lists),
        TEST(test_profiles),  TEST(test_values),
        TEST(test_store),     TEST(test_problems),
        TEST(test_hub),       TEST(test_profile_endpoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
