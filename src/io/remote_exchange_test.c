/* remote_exchange_test.c - requests whose answers are small documents */
#define _GNU_SOURCE
#include "io/remote_exchange.h"

#include "io/remote_server_testing.h"

/* ---- the server: the path of the URL says what it does --------------------
 */

static char asked_url[600], asked_line[100];

static void serve_request(struct request *r)
{
    const char *path = strchr(r->url + 8, '/');
    const char *line = header_of(r, "X-Asked");

    snprintf(asked_url, sizeof asked_url, "%s", r->url);
    snprintf(asked_line, sizeof asked_line, "%s", line ? line : "");
    if (!strcmp(path, "/good"))
        reply(r, 200, "", "a document");
    else if (!strcmp(path, "/packed"))
        reply(r, 200, "Content-Encoding: gzip\r\n", "a document");
    else if (!strcmp(path, "/endless")) {
        say(r, "HTTP/1.1 200 OK\r\n");
        say(r, "Content-Length: %" PRIu64 "\r\n", TN_EXCHANGE_MOST + 1);
        say(r, "\r\n");
    } else if (!strcmp(path, "/open-ended")) {
        say(r, "HTTP/1.1 200 OK\r\n");
        say(r, "\r\n");
        r->on_body("abc", 1, 3, r->body_data);
        r->on_body("def", 1, 3, r->body_data);
    } else if (!strcmp(path, "/cut-once")) {
        say(r, "HTTP/1.1 200 OK\r\n");
        say(r, "Content-Length: 6\r\n");
        say(r, "\r\n");
        r->on_body("abcdef", 1, request_count > 1 ? 6 : 3, r->body_data);
        r->result = request_count > 1 ? 0 : 18;
    } else if (!strcmp(path, "/moved"))
        reply(r, 302, "Location: /good\r\nX-Linked-ETag: \"of the file\"\r\n",
              "");
    else if (!strcmp(path, "/busy"))
        reply(r, 503, "Retry-After: 0\r\n", "");
    else if (!strcmp(path, "/denied"))
        reply(r, 403, "", "<Error><Code>AccessDenied</Code></Error>");
    else if (!strcmp(path, "/broken"))
        r->result = BROKEN_CONNECTION;
    else
        reply(r, 404, "", "");
}

/* ---- the rows -------------------------------------------------------------
 */

static const struct {
    const char    *path, *method;
    unsigned       accepted; /* a status that is an answer                    */
    enum tn_status status;
    enum tn_reason reason;
    unsigned       answer;
    const char    *body;
    unsigned       requests;
} rows[] = {
    { "good", NULL, 0, TN_OK, 0, 200, "a document", 1 },
    { "good", "HEAD", 0, TN_OK, 0, 200, "", 1 },
    { "open-ended", NULL, 0, TN_OK, 0, 200, "abcdef", 1 },
    { "cut-once", NULL, 0, TN_OK, 0, 200, "abcdef", 2 },
    { "moved", NULL, 0, TN_OK, 0, 200, "a document", 2 },
    { "missing", NULL, 404, TN_OK, 0, 404, "", 1 },
    { "missing", NULL, 0, TN_NOT_FOUND, TN_REASON_MISSING_FILE, 404, "", 1 },
    { "denied", NULL, 403, TN_OK, 0, 403, "", 1 },
    { "denied", NULL, 0, TN_IO, TN_REASON_ACCESS_DENIED, 403, "", 1 },
    { "packed", NULL, 0, TN_IO, TN_REASON_BAD_ANSWER, 200, "", 1 },
    { "endless", NULL, 0, TN_LIMIT, TN_REASON_REMOTE_LIMIT, 200, "", 1 },
    { "busy", NULL, 0, TN_IO, TN_REASON_SERVER_BUSY, 503, "", 2 },
    { "broken", NULL, 0, TN_IO, TN_REASON_UNREACHABLE, 0, "", 2 },
};

static struct tn_memory  memory;
static struct tn_remote *remote;

static int begin(void **state)
{
    struct tn_remote_options options = TN_REMOTE_OPTIONS_INIT;
    struct tn_error          error   = TN_ERROR_INIT;

    (void)state;
    options.attempts = 2;
    tn_memory_init(&memory, NULL, 0);
    return tn_remote_open(&remote, &memory, &options, &error);
}

static int end(void **state)
{
    (void)state;
    tn_remote_close(remote);
    assert_null(requests);
    assert_int_equal(memory.used, 0);
    return 0;
}

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error    error = TN_ERROR_INIT;
        struct tn_exchange e;
        char               url[80];
        snprintf(url, sizeof url, "https://h/%s", rows[i].path);
        request_count = 0;
        assert_int_equal(tn_exchange_open(&e, remote, url, NULL, &error),
                         TN_OK);
        e.transfer.method = rows[i].method;
        e.accepted[0]     = rows[i].accepted;
        tn_exchange_run(&e, &error);
        if (error.status != rows[i].status || error.reason != rows[i].reason ||
            e.transfer.answer.status != rows[i].answer ||
            request_count != rows[i].requests ||
            (error.status == TN_OK && rows[i].answer == 200 &&
             strcmp(tn_buffer_string(&e.body), rows[i].body) != 0))
            fail_msg("%s: status %d, reason %d, answer %u, %u requests, \"%s\"",
                     rows[i].path, (int)error.status, (int)error.reason,
                     e.transfer.answer.status, request_count,
                     tn_buffer_string(&e.body));
        tn_exchange_close(&e);
    }
}

/* What the request says of itself, and what a redirect says of the file. */
static void test_request(void **state)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_exchange e;

    (void)state;
    assert_int_equal(
        tn_exchange_open(&e, remote, "https://h/moved?old=1", "new=2", &error),
        TN_OK);
    e.lines[e.line_count++] = "X-Asked: yes";
    assert_int_equal(tn_exchange_run(&e, &error), TN_NOT_FOUND);
    assert_string_equal(asked_url, "https://h/moved?new=2");
    assert_string_equal(asked_line, "yes");
    tn_exchange_close(&e);
    tn_error_clear(&error);
    assert_int_equal(
        tn_exchange_open(&e, remote, "https://h/moved", NULL, &error), TN_OK);
    assert_int_equal(tn_exchange_run(&e, &error), TN_OK);
    assert_string_equal(e.linked, "\"of the file\"");
    tn_exchange_close(&e);
}

/* The document that lists a folder; what is in its prefix is not encoded. */
static void test_list(void **state)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_exchange e;
    const char        *prefix;

    (void)state;
    setenv("AWS_ENDPOINT_URL", "https://store.example", 1);
    setenv("AWS_ACCESS_KEY_ID", "A", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "hidden", 1);
    assert_int_equal(
        tn_exchange_open_list(&e, remote, "s3://b/a b/", true, &prefix, &error),
        TN_OK);
    assert_string_equal(prefix, "a b/");
    assert_int_equal(tn_exchange_run(&e, &error), TN_NOT_FOUND);
    assert_non_null(strstr(asked_url, "https://store.example/b"));
    assert_non_null(strstr(asked_url, "prefix=a%20b%2F"));
    assert_null(strstr(error.what, "hidden"));
    tn_exchange_close(&e);
}

/* One that is closed before it is answered, and one that was never opened. */
static void test_close(void **state)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_exchange e, never = { 0 };

    (void)state;
    assert_int_equal(
        tn_exchange_open(&e, remote, "https://h/good", NULL, &error), TN_OK);
    tn_exchange_start(&e);
    tn_exchange_close(&e);
    tn_exchange_close(&never);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Numbers of the environment count unless the caller has his own. */
static void test_environment(void **state)
{
    static const struct {
        const char    *text;
        enum tn_status status;
        unsigned       timeout, attempts;
    } values[] = {
        { "", TN_OK, 30, 5 },
        { "7", TN_OK, 7, 7 },
        { "99999", TN_OK, 99999, 99999 },
        { "0", TN_INVALID, 0, 0 },
        { "-5", TN_INVALID, 0, 0 },
        { "1m", TN_INVALID, 0, 0 },
        { "100000", TN_INVALID, 0, 0 },
        { "18446744073709551617", TN_INVALID, 0, 0 },
    };
    const struct tn_remote_options own = { .size     = sizeof own,
                                           .timeout  = 2,
                                           .attempts = 3 };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT, none = TN_ERROR_INIT;
        struct tn_remote *made;
        setenv("TENON_TIMEOUT", values[i].text, 1);
        setenv("TENON_ATTEMPTS", values[i].text, 1);
        assert_int_equal(tn_remote_open(&made, &memory, NULL, &error),
                         values[i].status);
        if (made) {
            assert_int_equal(made->options.timeout, values[i].timeout);
            assert_int_equal(made->options.attempts, values[i].attempts);
        } else
            assert_non_null(strstr(error.what, "TENON_TIMEOUT is '"));
        tn_remote_close(made);
        assert_int_equal(tn_remote_open(&made, &memory, &own, &none), TN_OK);
        assert_int_equal(made->options.timeout, 2);
        tn_remote_close(made);
    }
    unsetenv("TENON_TIMEOUT");
    unsetenv("TENON_ATTEMPTS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_answers), TEST(test_request),     TEST(test_list),
        TEST(test_close),   TEST(test_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
