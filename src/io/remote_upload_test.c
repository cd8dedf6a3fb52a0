/* remote_upload_test.c - files on their way to a store, all of them or none */
#define _GNU_SOURCE
#include "io/remote_upload.h"

#include "io/remote_server_testing.h"

#define PART (UINT64_C(8) << 20)

/* ---- a store: "https://store.example/b/KEY" -------------------------------
 */

enum fault {
    NONE,
    DENY_LAST,   /* the second file gets no name                            */
    DENY_PART,   /* a part is not taken                                     */
    LOSE_ANSWER, /* files are taken, and no answer says so                  */
    OTHER_SUM,   /* what arrived has another checksum                       */
    LATE_ERROR,  /* 200, and an error in its body                           */
    LOSE_ID,     /* an upload begins without an identifier                  */
    SHORT_AFTER, /* the file is shorter than what was sent                  */
};

struct object {
    char     key[100], token[40];
    uint64_t size;
};

static struct {
    enum fault    fault;
    struct object objects[8];
    unsigned      object_count;
    bool          is_begun, is_aborted; /* an upload of parts                 */
    char          token[40];            /* of the upload                      */
    uint64_t      size;                 /* of its parts                       */
    unsigned      parts, completions;
    char          order[400]; /* of names                                     */
    unsigned      unsigned_count, without_condition;
} store;

static struct object *find(const char *key)
{
    for (unsigned i = 0; i < store.object_count; i++)
        if (!strcmp(store.objects[i].key, key))
            return &store.objects[i];
    return NULL;
}

static void put(const char *key, const char *token, uint64_t size)
{
    struct object *o = find(key);

    if (!o)
        o = &store.objects[store.object_count++];
    snprintf(o->key, sizeof o->key, "%s", key);
    snprintf(o->token, sizeof o->token, "%s", token ? token : "");
    o->size = size - (store.fault == SHORT_AFTER);
    strcat(strcat(store.order, key), " ");
}

static bool is_refused(struct request *r, const char *key)
{
    if (!header_of(r, "If-None-Match"))
        store.without_condition++;
    else if (find(key)) {
        reply(r, 412, "", "");
        return true;
    }
    if (store.fault == DENY_LAST && !strcmp(key, "last")) {
        reply(r, 403, "", "<Error><Code>AccessDenied</Code></Error>");
        return true;
    }
    return false;
}

static void serve_put(struct request *r, const char *key)
{
    if (is_refused(r, key))
        return;
    put(key, header_of(r, "x-amz-meta-tenon-upload"), r->body.size);
    if (store.fault == LOSE_ANSWER)
        r->result = BROKEN_CONNECTION;
    else
        reply(r, 200,
              store.fault == OTHER_SUM ? "x-amz-checksum-crc32c: AAAAAA==\r\n"
                                       : "",
              "");
}

static void serve_part(struct request *r)
{
    assert_true(store.is_begun);
    assert_non_null(header_of(r, "x-amz-checksum-crc32c"));
    if (store.fault == DENY_PART) {
        reply(r, 403, "", "");
        return;
    }
    store.parts++;
    store.size += r->body.size;
    reply(r, 200, "ETag: \"part\"\r\n", "");
}

static void serve_completion(struct request *r, const char *key)
{
    store.completions++;
    if (is_refused(r, key))
        return;
    if (store.fault == LATE_ERROR && store.completions == 1) {
        reply(r, 200, "", "<Error><Code>InternalError</Code></Error>");
        return;
    }
    put(key, store.token, store.size);
    store.is_begun = false;
    if (store.fault == LOSE_ANSWER)
        r->result = BROKEN_CONNECTION;
    else
        reply(r, 200, "", "<CompleteMultipartUploadResult/>");
}

static void serve_begin(struct request *r)
{
    const char *token = header_of(r, "x-amz-meta-tenon-upload");

    snprintf(store.token, sizeof store.token, "%s", token ? token : "");
    store.is_begun = true;
    reply(r, 200, "",
          store.fault == LOSE_ID
              ? "<InitiateMultipartUploadResult/>"
              : "<InitiateMultipartUploadResult><UploadId>u&amp;1</UploadId>"
                "</InitiateMultipartUploadResult>");
}

static void serve_head(struct request *r, const char *key)
{
    const struct object *o = find(key);
    char                 headers[200];

    if (!o) {
        reply(r, 404, "", "");
        return;
    }
    say(r, "HTTP/1.1 200 OK\r\n");
    snprintf(headers, sizeof headers, "x-amz-meta-tenon-upload: %s\r\n",
             o->token);
    say(r, "%s", headers);
    say(r, "Content-Length: %" PRIu64 "\r\n", o->size);
    say(r, "\r\n");
}

static void serve_delete(struct request *r, const char *key, const char *query)
{
    struct object *o = find(key);

    if (query) {
        assert_non_null(strstr(query, "uploadId=u%261"));
        store.is_aborted = true;
        store.is_begun   = false;
    } else if (o)
        *o = store.objects[--store.object_count];
    reply(r, 204, "", "");
}

static void serve_request(struct request *r)
{
    char  url[600];
    char *key, *query;

    snprintf(url, sizeof url, "%s", r->url);
    assert_int_equal(strncmp(url, "https://store.example/b", 23), 0);
    query = strchr(url, '?');
    if (query)
        *query++ = '\0';
    key = url + 23 + (url[23] == '/');
    store.unsigned_count += !header_of(r, "Authorization");
    if (!strcmp(r->method, "HEAD"))
        serve_head(r, key);
    else if (!strcmp(r->method, "DELETE"))
        serve_delete(r, key, query);
    else if (!strcmp(r->method, "PUT") && query)
        serve_part(r);
    else if (!strcmp(r->method, "PUT"))
        serve_put(r, key);
    else if (query && !strncmp(query, "uploads", 7))
        serve_begin(r);
    else
        serve_completion(r, key);
}

/* ---- uploads --------------------------------------------------------------
 */

static struct tn_memory  memory;
static struct tn_remote *remote;
static uint8_t          *bytes; /* 2 * PART + 5                               */

static int begin(void **state)
{
    struct tn_remote_options options = TN_REMOTE_OPTIONS_INIT;
    struct tn_error          error   = TN_ERROR_INIT;

    (void)state;
    setenv("AWS_ENDPOINT_URL", "https://store.example", 1);
    setenv("AWS_ACCESS_KEY_ID", "A", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "hidden", 1);
    memset(&store, 0, sizeof store);
    tn_memory_init(&memory, NULL, 0);
    options.attempts = 2;
    bytes            = calloc(2, PART + 5);
    assert_non_null(bytes);
    return tn_remote_open(&remote, &memory, &options, &error);
}

static int end(void **state)
{
    (void)state;
    free(bytes);
    tn_remote_close(remote);
    assert_null(requests);
    assert_int_equal(memory.used, 0);
    return 0;
}

/* A file in one request, one of three parts, and the one that names them. */
static enum tn_status upload(enum fault fault, bool can_replace,
                             struct tn_error *error)
{
    const struct tn_upload_file files[] = {
        { "s3://b/short", tn_bytes(bytes, 3000) },
        { "s3://b/long", tn_bytes(bytes, 2 * PART + 5) },
        { "s3://b/last", tn_bytes(bytes, 20) },
    };

    store.fault = fault;
    return tn_upload(remote, files, 3, can_replace, error);
}

static void test_good(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(upload(NONE, false, &error), TN_OK);
    assert_int_equal(store.object_count, 3);
    assert_int_equal(find("long")->size, 2 * PART + 5);
    assert_int_equal(store.parts, 3);
    assert_false(store.is_begun);
    assert_int_equal(store.unsigned_count, 0);
    assert_int_equal(store.without_condition, 0);
    assert_string_equal(store.order, "short long last ");
}

/* What was there stays, whoever wrote it; --force replaces it. */
static void test_exists(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    put("long", "another", 7);
    assert_int_equal(upload(NONE, false, &error), TN_EXISTS);
    assert_int_equal(error.reason, TN_REASON_TARGET_EXISTS);
    assert_int_equal(store.object_count, 1);
    assert_int_equal(find("long")->size, 7);
    tn_error_clear(&error);
    assert_int_equal(upload(NONE, true, &error), TN_OK);
    assert_int_equal(find("long")->size, 2 * PART + 5);
    assert_int_equal(store.object_count, 3);
}

/* What happens, what the caller hears, and what is there then. */
static const struct {
    enum fault     fault;
    enum tn_status status;
    enum tn_reason reason;
    unsigned       objects;
    bool           is_aborted;
} rows[] = {
    { DENY_LAST, TN_IO, TN_REASON_ACCESS_DENIED, 0, false },
    { DENY_PART, TN_IO, TN_REASON_ACCESS_DENIED, 0, true },
    { LOSE_ANSWER, TN_OK, 0, 3, false },
    { OTHER_SUM, TN_IO, TN_REASON_BAD_ANSWER, 0, true },
    { LATE_ERROR, TN_OK, 0, 3, false },
    { LOSE_ID, TN_IO, TN_REASON_BAD_ANSWER, 0, false },
    { SHORT_AFTER, TN_IO, TN_REASON_BAD_ANSWER, 0, true },
};

static void test_faults(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        begin(state);
        upload(rows[i].fault, false, &error);
        if (error.status != rows[i].status || error.reason != rows[i].reason ||
            store.object_count != rows[i].objects ||
            store.is_aborted != rows[i].is_aborted)
            fail_msg("fault %d: status %d, reason %d, %u objects, %saborted: "
                     "%s",
                     (int)rows[i].fault, (int)error.status, (int)error.reason,
                     store.object_count, store.is_aborted ? "" : "not ",
                     error.what);
        assert_null(strstr(error.what, "hidden"));
        end(state);
    }
}

/* Questions that are asked before any work. */
static void test_before(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(tn_upload_check_place("s3://b/k", &error), TN_OK);
    assert_int_equal(tn_upload_check_place("hf://o/r/k", &error),
                     TN_UNSUPPORTED);
    tn_error_clear(&error);
    assert_int_equal(tn_upload_check_target(remote, "s3://b/k", &error), TN_OK);
    put("k", "another", 7);
    assert_int_equal(tn_upload_check_target(remote, "s3://b/k", &error),
                     TN_EXISTS);
    tn_error_clear(&error);
    /* This store has no object of an empty name: no such bucket. */
    assert_int_equal(tn_upload_check_bucket(remote, "s3://b/k", &error),
                     TN_NOT_FOUND);
    tn_error_clear(&error);
    put("", "", 0);
    assert_int_equal(tn_upload_check_bucket(remote, "s3://b/k", &error), TN_OK);
    assert_int_equal(tn_upload_check_bucket(remote, "s3://b", &error),
                     TN_INVALID);
}

static void test_nothing(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    request_count = 0;
    assert_int_equal(tn_upload(remote, NULL, 0, false, &error), TN_OK);
    assert_int_equal(request_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_good),   TEST(test_exists),  cmocka_unit_test(test_faults),
        TEST(test_before), TEST(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
