/* remote_url_test.c - URLs: taken apart, joined, shown without secrets */
#include "io/remote_url.h"

#include "support/hostile.h"

static struct tn_memory memory;
static struct tn_arena  arena;

static int begin(void **state)
{
    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tn_arena_done(&arena);
    return 0;
}

static void test_parse(void **state)
{
    static const struct {
        const char *text, *whole; /* NULL: refused                            */
        bool        is_local;
    } rows[] = {
        { "http://h", "http://h/", false },
        { "HTTPS://Host.Example:443/A/b?x=Y#z", "https://host.example/A/b?x=Y",
          false },
        { "http://h:80/a", "http://h/a", false },
        { "http://h:443/a", "http://h:443/a", false },
        { "https://h?q", "https://h/?q", false },
        { "http://localhost:8080/", "http://localhost:8080/", true },
        { "http://127.0.0.1:1/x", "http://127.0.0.1:1/x", true },
        { "http://127.9.9.9/", "http://127.9.9.9/", true },
        { "http://[::1]:8080/x", "http://[::1]:8080/x", true },
        { "http://[2001:db8::1]/x", "http://[2001:db8::1]/x", false },
        { "http://127.0.0.1.evil.example/", "http://127.0.0.1.evil.example/",
          false },
        { "http://localhost.evil.example/", "http://localhost.evil.example/",
          false },
        { "http://notlocalhost/", "http://notlocalhost/", false },
        { "ftp://h/", NULL, false },
        { "file:///etc/passwd", NULL, false },
        { "http:///x", NULL, false },
        { "http://", NULL, false },
        { "http://u:p@h/x", NULL, false },
        { "http://u@h/x", NULL, false },
        { "http://h/a b?c d#e f", "http://h/a%20b?c%20d", false },
        { "http://h/\xc3\xa4?\xff", "http://h/%C3%A4?%FF", false },
        { "http://h/\"<>^`{|}", "http://h/%22%3C%3E%5E%60%7B%7C%7D", false },
        { "http://h/%c3%a4%%zz+", "http://h/%c3%a4%%zz+", false },
        { "http://\xc3\xa4/", NULL, false },
        { "http://a b/", NULL, false },
        { "http://h/a\x7f", NULL, false },
        { "http://h/a\tb", NULL, false },
        { "http://h/\r\nHost: x", NULL, false },
        { "http://h:/x", NULL, false },
        { "http://h:x/", NULL, false },
        { "http://h:123456/", NULL, false },
        { "http://[::1/x", NULL, false },
        { "http://a\\b/", NULL, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        struct tn_url   url;
        enum tn_status  status =
            tn_url_parse(&url, &arena, rows[i].text, &error);
        assert_int_equal(status, rows[i].whole ? TN_OK : TN_INVALID);
        if (!rows[i].whole)
            continue;
        assert_string_equal(tn_url_text(&url, &arena, &error), rows[i].whole);
        assert_int_equal(url.is_local, rows[i].is_local);
    }
}

static void test_follow(void **state)
{
    static const struct {
        const char *location, *result;
    } rows[] = {
        { "https://other/x?s=1", "https://other/x?s=1" },
        { "//other/x", "http://other/x" },
        { "/x/y?z", "http://h:8080/x/y?z" },
        { "y", "http://h:8080/a/y" },
        { "../y", "http://h:8080/y" },
        { "../../../y", "http://h:8080/y" },
        { "./c/./d/..", "http://h:8080/a/c/" },
        { "?q=2", "http://h:8080/a/b?q=2" },
        { "file:///etc/passwd", NULL },
        { "ftp://h/x", NULL },
        { "data:text/plain,x", NULL },
        { "http:x", NULL },
        { "./a:b", "http://h:8080/a/a:b" },
        { "/a:b", "http://h:8080/a:b" },
        { "/a b/\xc3\xa4", "http://h:8080/a%20b/%C3%A4" },
        { "../\xff c", "http://h:8080/%FF%20c" },
        { "\\\\other\\x", NULL },
        { "http://u:p@h/", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        struct tn_url   base, to;
        assert_int_equal(
            tn_url_parse(&base, &arena, "http://h:8080/a/b?q=1", &error),
            TN_OK);
        enum tn_status status =
            tn_url_follow(&to, &arena, &base, rows[i].location, &error);
        assert_int_equal(status, rows[i].result ? TN_OK : TN_INVALID);
        if (rows[i].result)
            assert_string_equal(tn_url_text(&to, &arena, &error),
                                rows[i].result);
    }
}

static void test_beside(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_string_equal(
        tn_url_beside(&arena, "https://h/m/a.onnx?sig=1", "w/x y.bin", &error),
        "https://h/m/w/x%20y.bin");
    assert_string_equal(tn_url_beside(&arena, "https://h/m/", "a#b?c", &error),
                        "https://h/m/a%23b%3Fc");
    assert_string_equal(tn_url_beside(&arena, "https://h", "x", &error),
                        "https://h/x");
    assert_string_equal(tn_url_shown("https://h/x?secret#y", &arena, &error),
                        "https://h/x");
    assert_string_equal(tn_url_shown("https://me:a@b@h/@x?y", &arena, &error),
                        "https://...@h/@x");
    assert_string_equal(tn_url_shown("http://me:word@h", &arena, &error),
                        "http://...@h");
    assert_string_equal(tn_url_shown("https://h?a@b", &arena, &error),
                        "https://h");
    assert_true(tn_url_is("HTTPS://x"));
    assert_false(tn_url_is("https:/x"));
    assert_true(tn_url_is_cut("https:/x"));
    assert_true(tn_url_is_cut("s3:/b/k"));
    assert_false(tn_url_is_cut("s3://b/k"));
    assert_false(tn_url_is_cut("hf:x"));
    assert_false(tn_url_is_cut("http"));
    assert_false(tn_url_is("httpx://x"));
    assert_true(tn_url_is_any(tn_text("gopher://x")));
    assert_false(tn_url_is_any(tn_text("://x")));
    assert_false(tn_url_is_any(tn_text("a b://x")));
    assert_false(tn_url_is_any(tn_text("weights.bin")));
}

static void test_signed(void **state)
{
    (void)state;
    assert_true(tn_url_is_signed("https://h/x?X-Amz-Signature=1"));
    assert_true(tn_url_is_signed("https://h/x?se=2&sig=a%2F"));
    assert_true(tn_url_is_signed("https://h/x?a&Signature="));
    assert_false(tn_url_is_signed("https://h/x?file=sig=1&design=2"));
    assert_false(tn_url_is_signed("https://h/sig=1"));
    assert_false(tn_url_is_signed("https://h/x?"));
    assert_false(tn_url_is_signed("https://h/x?a#&sig=1"));
    assert_false(tn_url_is_signed(""));
    assert_true(tn_url_covers_folder("https://h/x?sv=1&sr=c&sig=2"));
    assert_true(tn_url_covers_folder("https://h/x?sig=2&sr=d&sdd=1"));
    assert_true(tn_url_covers_folder("https://h/x?ss=b&srt=co&sig=2"));
    assert_false(tn_url_covers_folder("https://h/x?sr=b&sig=2"));
    assert_false(tn_url_covers_folder("https://h/x?sr=c"));
    assert_false(tn_url_covers_folder("https://h/sr=c&sig=2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parse, begin, end),
        cmocka_unit_test_setup_teardown(test_follow, begin, end),
        cmocka_unit_test_setup_teardown(test_beside, begin, end),
        cmocka_unit_test(test_signed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
