/* remote_answer_test.c - what servers answer, and which of it is believed */
#include "io/remote_answer.h"

#include <stdio.h>

#include "support/hostile.h"

#define NOW INT64_C(784111777) /* Sun, 06 Nov 1994 08:49:37 GMT */

static void read_lines(struct tn_answer *answer, const char *lines)
{
    *answer = (struct tn_answer){ 0 };
    tn_answer_begin(answer);
    while (*lines) {
        size_t size = strcspn(lines, "\n") + 1;
        assert_true(tn_answer_line(answer, tn_bytes(lines, size), NOW));
        lines += size;
    }
}

static void test_links(void **state)
{
    static const char *const rows[][2] = {
        { "<https://h/p?c=2>; rel=\"next\"", "https://h/p?c=2" },
        { "<a>; rel=\"prev\", <b>; rel=\"next\"", "b" },
        { "<a>; rel=\"next\", <b>; rel=\"last\"", "a" },
        { "<a>; rel=\"prev\"", "" },
        { "<a; rel=\"next\"", "" },
        { ">a<; rel=\"next\"", "" },
        { "rel=\"next\"", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_answer answer;
        char             lines[200];
        snprintf(lines, sizeof lines, "HTTP/1.1 200 OK\r\nLink: %s\r\n",
                 rows[i][0]);
        read_lines(&answer, lines);
        assert_string_equal(answer.next, rows[i][1]);
    }
}

static void test_ranges(void **state)
{
    static const struct {
        const char *text;
        bool        is_good;
        uint64_t    first, last, total;
    } rows[] = {
        { "bytes 0-99/1000", true, 0, 99, 1000 },
        { "bytes 5-5/6", true, 5, 5, 6 },
        { "Bytes 0-0/*", true, 0, 0, TN_ANSWER_UNKNOWN },
        { "bytes */7", true, TN_ANSWER_UNKNOWN, TN_ANSWER_UNKNOWN, 7 },
        { "bytes 0-9223372036854775807/9223372036854775808", true, 0, INT64_MAX,
          (uint64_t)INT64_MAX + 1 },
        { "bytes 0-99/99", false, 0, 0, 0 },
        { "bytes 9-8/10", false, 0, 0, 0 },
        { "bytes */*", false, 0, 0, 0 },
        { "bytes 0-1", false, 0, 0, 0 },
        { "bytes 0-1/", false, 0, 0, 0 },
        { "bytes 0-1/2x", false, 0, 0, 0 },
        { "bytes -1/2", false, 0, 0, 0 },
        { "bytes +0-1/2", false, 0, 0, 0 },
        { "bytes 0- 1/2", false, 0, 0, 0 },
        { "items 0-1/2", false, 0, 0, 0 },
        { "bytes 0-1/18446744073709551616", false, 0, 0, 0 },
        { "", false, 0, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t first, last, total;
        assert_int_equal(
            tn_answer_parse_range(tn_text(rows[i].text), &first, &last, &total),
            rows[i].is_good);
        if (!rows[i].is_good)
            continue;
        assert_int_equal(first, rows[i].first);
        assert_int_equal(last, rows[i].last);
        assert_int_equal(total, rows[i].total);
    }
}

static void test_lines(void **state)
{
    struct tn_answer a;

    (void)state;
    read_lines(&a, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 Partial\r\n"
                   "ETAG:  \"a\" \r\ncontent-length: 5\r\nRetry-After: Sun, "
                   "06 Nov 1994 08:49:47 GMT\r\n\r\nEtag: \"trailer\"\r\n");
    assert_int_equal(a.status, 206);
    assert_string_equal(a.etag, "\"a\"");
    assert_int_equal(a.length, 5);
    assert_int_equal(a.retry_after, 10);
    assert_false(a.is_bad);
    read_lines(&a, "HTTP/2 503\r\nRetry-After: 3600\r\n\r\n");
    assert_int_equal(a.status, 503);
    assert_int_equal(a.retry_after, 3600);
    read_lines(&a, "HTTP/1.1 206 x\r\nETag: a\r\nETag: b\r\n\r\n");
    assert_true(a.is_bad);
    read_lines(&a, "HTTP/1.1 206 x\r\nContent-Length: 5\r\n"
                   "Content-Length: 6\r\n\r\n");
    assert_true(a.is_bad);
    read_lines(&a, "HTTP/1.1 206 x\r\nContent-Length: -5\r\n\r\n");
    assert_true(a.is_bad);
    read_lines(&a, "HTTP/1.1 206 x\r\nETag: \"a\rX: b\"\r\n\r\n");
    assert_true(a.is_bad);
    read_lines(&a, "HTTP/1.1 206 x\r\nETag: a\r\nHTTP/1.1 200: y\r\n\r\n");
    assert_int_equal(a.status, 206);
    assert_string_equal(a.etag, "a");
    read_lines(&a, "HTTP/1.1 206 x\r\nContent-Type: multipart/x\r\n"
                   "Content-Type: text/plain\r\n\r\n");
    assert_true(a.is_multipart);
    read_lines(&a, "HTTP/1.1 2x6 y\r\n\r\n");
    assert_int_equal(a.status, 0);
    read_lines(&a, "HTTP/1.1 200 x\r\nRetry-After: soon\r\n\r\n");
    assert_int_equal(a.retry_after, TN_ANSWER_UNKNOWN);
    assert_true(tn_answer_is_strong("\"a\""));
    assert_false(tn_answer_is_strong("W/\"a\""));
    assert_false(tn_answer_is_strong(""));
}

static void test_limits(void **state)
{
    static char      line[TN_ANSWER_MOST_HEADERS];
    struct tn_answer a = { 0 };

    (void)state;
    memset(line, 'x', sizeof line);
    tn_answer_begin(&a);
    assert_true(tn_answer_line(&a, tn_bytes(line, sizeof line), NOW));
    assert_false(tn_answer_line(&a, tn_bytes(line, 1), NOW));
    memcpy(line, "ETag: ", 6);
    a = (struct tn_answer){ 0 };
    tn_answer_begin(&a);
    assert_true(tn_answer_line(&a, tn_bytes(line, 1000), NOW));
    assert_true(a.is_bad);
    assert_string_equal(a.etag, "");
}

static void test_judging(void **state)
{
    static const struct tn_version version = { "\"v\"", "", 1000 };
    static const struct {
        const char    *lines;
        bool           is_first;
        enum tn_reason reason; /* NONE: believed                              */
    } rows[] = {
        { "206\nContent-Range: bytes 0-99/1000\nETag: \"v\"", false, 0 },
        { "206\nContent-Range: bytes 0-49/1000\nETag: \"v\"", false, 0 },
        { "206\nContent-Range: bytes 0-99/*\nETag: \"v\"", false, 0 },
        { "206\nContent-Range: bytes 0-99/5000\nETag: \"w\"", true,
          TN_REASON_REMOTE_CHANGED }, /* the size was known               */
        { "206\nContent-Range: bytes 0-99/1000\nETag: \"w\"", false,
          TN_REASON_REMOTE_CHANGED },
        { "206\nContent-Range: bytes 0-99/1000", false,
          TN_REASON_REMOTE_CHANGED },
        { "206\nContent-Range: bytes 1-100/1000\nETag: \"v\"", false,
          TN_REASON_BAD_ANSWER },
        { "206\nContent-Range: bytes 0-100/1000\nETag: \"v\"", false,
          TN_REASON_BAD_ANSWER },
        { "206\nContent-Range: bytes 0-99/1000\nContent-Length: 101\nETag: "
          "\"v\"",
          false, TN_REASON_BAD_ANSWER },
        { "206\nETag: \"v\"", false, TN_REASON_BAD_ANSWER },
        { "206\nContent-Range: bytes */1000\nETag: \"v\"", false,
          TN_REASON_BAD_ANSWER },
        { "206\nContent-Range: bytes 0-99/1000\nContent-Type: "
          "multipart/byteranges\nETag: \"v\"",
          false, TN_REASON_BAD_ANSWER },
        { "206\nContent-Range: bytes 0-99/1000\nContent-Encoding: gzip\nETag: "
          "\"v\"",
          false, TN_REASON_BAD_ANSWER },
        { "206\nContent-Range: bytes 0-99/1000\nContent-Encoding: "
          "identity\nETag: \"v\"",
          false, 0 },
        { "206\nContent-Range: bytes 0-99/1000\nTransfer-Encoding: gzip, "
          "chunked\nETag: \"v\"",
          false, TN_REASON_BAD_ANSWER },
        { "206\nContent-Range: bytes 0-99/1000\nTransfer-Encoding: "
          "Chunked\nETag: \"v\"",
          false, 0 },
        { "206\nContent-Range: bytes 0-99/1000\nTransfer-Encoding: "
          "identity\nETag: \"v\"",
          false, TN_REASON_BAD_ANSWER },
        { "202\nContent-Length: 5\nETag: \"v\"", true, TN_REASON_BAD_ANSWER },
        { "204\nETag: \"v\"", false, TN_REASON_BAD_ANSWER },
        { "203\nContent-Length: 100\nETag: \"v\"", true, 0 },
        { "200\nContent-Length: 100\nContent-Range: bytes 0-99/100\nETag: "
          "\"v\"",
          true, 0 },
        { "200\nContent-Length: 100\nContent-Range: bytes 0-99/1000\nETag: "
          "\"v\"",
          true, TN_REASON_BAD_ANSWER },
        { "200\nContent-Length: 1000\nETag: \"v\"", false,
          TN_REASON_NO_RANGES },
        { "200\nContent-Length: 1000\nETag: \"w\"", false,
          TN_REASON_REMOTE_CHANGED },
        { "200\nContent-Length: 100\nETag: \"v\"", true, 0 },
        { "200\nContent-Length: 101\nETag: \"v\"", true, TN_REASON_NO_RANGES },
        { "200\nETag: \"v\"", true, TN_REASON_NO_RANGES },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_asked  asked = { .last     = 99,
                                   .is_first = rows[i].is_first,
                                   .is_whole = rows[i].is_first,
                                   .version  = &version };
        struct tn_answer answer;
        char             lines[400];
        uint64_t         first, length;

        snprintf(lines, sizeof lines, "HTTP/1.1 %s\n\n", rows[i].lines);
        read_lines(&answer, lines);
        tn_answer_judge(&answer, &asked, &first, &length, &error);
        assert_int_equal(error.reason, rows[i].reason);
        assert_int_equal(error.status != TN_OK, rows[i].reason != 0);
        if (!rows[i].reason)
            assert_true(first == 0 && length > 0 && length <= 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_judging),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
