/* output_remote_test.c - outputs on a server: named, uploaded, or not there */
#define _GNU_SOURCE
#include "io/output_state.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/remote_server_testing.h"

/* ---- a web server that takes files ----------------------------------------
 */

static struct {
    char     paths[4][600];
    char     contents[4][40];
    unsigned count, puts;
    bool     denies;
} server;

static int find(const char *url)
{
    for (unsigned i = 0; i < server.count; i++)
        if (!strcmp(server.paths[i], url))
            return (int)i;
    return -1;
}

static void take(struct request *r)
{
    server.puts++;
    if (server.denies) {
        reply(r, 403, "", "");
        return;
    }
    int i = find(r->url);
    if (i >= 0 && header_of(r, "If-None-Match")) {
        reply(r, 412, "", "");
        return;
    }
    if (i < 0) {
        i = (int)server.count++;
        snprintf(server.paths[i], sizeof server.paths[i], "%s", r->url);
    }
    snprintf(server.contents[i], sizeof server.contents[i], "%.*s",
             (int)r->body.size, r->body.size ? (char *)r->body.data : "");
    reply(r, 201, "", "");
}

static void serve_request(struct request *r)
{
    int i = find(r->url);

    if (!strcmp(r->method, "PUT"))
        take(r);
    else if (i < 0)
        reply(r, 404, "", "");
    else if (!strcmp(r->method, "DELETE")) {
        server.paths[i][0] = '\0';
        reply(r, 204, "", "");
    } else
        reply(r, 200, "ETag: \"1\"\r\n", server.contents[i]);
}

/* ---- outputs --------------------------------------------------------------
 */

static struct tn_memory memory;
static char             spools[40]; /* $TMPDIR */

static int begin(void **state)
{
    (void)state;
    strcpy(spools, "/tmp/output_remote-XXXXXX");
    assert_non_null(mkdtemp(spools));
    setenv("TMPDIR", spools, 1);
    memset(&server, 0, sizeof server);
    tn_memory_init(&memory, NULL, 0);
    return 0;
}

/* What was written before it is uploaded does not stay. */
static int end(void **state)
{
    (void)state;
    assert_null(requests);
    assert_int_equal(memory.used, 0);
    assert_int_equal(rmdir(spools), 0);
    return 0;
}

static struct tn_output *open_file(const char *url, bool can_replace,
                                   struct tn_error *error)
{
    const struct tn_output_options how = { .can_replace = can_replace };
    struct tn_output              *output;

    tn_output_file(&output, &memory, url, &how, error);
    return output;
}

static void write_text(struct tn_sink *sink, const char *text)
{
    struct tn_error error = TN_ERROR_INIT;

    assert_int_equal(tn_sink_write(sink, tn_text(text), &error), TN_OK);
}

static void write_main(struct tn_output *output, const char *text)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_sink *sink;

    assert_int_equal(tn_output_main(output, &sink, &error), TN_OK);
    write_text(sink, text);
}

/* The name of the main file, from which those beside it are made. */
static void test_names(void **state)
{
    static const struct {
        const char *url, *name; /* NULL: refused                              */
    } rows[] = {
        { "https://h/a/m.onnx", "m.onnx" },
        { "https://h/m.onnx?sig=secret", "m.onnx" },
        { "https://h/a%20b%2Bc.onnx", "a b+c.onnx" },
        { "s3://b/a%20b.onnx", "a%20b.onnx" }, /* keys are as they are */
        { "https://h/%2e%2e", NULL },
        { "https://h/a%2Fb", NULL },
        { "https://h/a/", NULL },
        { "hf://o/r/m.onnx", NULL },
    };

    (void)state;
    setenv("AWS_ENDPOINT_URL", "https://store.example", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error   error  = TN_ERROR_INIT;
        struct tn_output *output = open_file(rows[i].url, true, &error);
        if (!rows[i].name) {
            assert_null(output);
            assert_true(tn_failed(&error));
            continue;
        }
        /* This server has no bucket either, which is found out before. */
        if (!strncmp(rows[i].url, "s3:", 3)) {
            assert_int_equal(error.status, TN_NOT_FOUND);
            continue;
        }
        assert_non_null(output);
        assert_string_equal(tn_output_name(output), rows[i].name);
        tn_output_close(output);
    }
    assert_int_equal(server.puts, 0);
}

/* Files are there when they are committed, the one with the name at last. */
static void test_commit(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_sink   *side;
    struct tn_output *output =
        open_file("https://h/a/m.onnx?sig=x", false, &error);

    (void)state;
    assert_non_null(output);
    write_main(output, "main");
    assert_int_equal(tn_output_side(output, "m.data", &side, &error), TN_OK);
    write_text(side, "side");
    assert_int_equal(server.count, 0);
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    tn_output_close(output);
    assert_int_equal(server.count, 2);
    assert_string_equal(server.paths[0], "https://h/a/m.data");
    assert_string_equal(server.contents[0], "side");
    assert_string_equal(server.paths[1], "https://h/a/m.onnx?sig=x");
    assert_string_equal(server.contents[1], "main");
}

/* In a folder, what it is known by comes last. */
static void test_folder(void **state)
{
    const struct tn_output_options how   = { 0 };
    struct tn_error                error = TN_ERROR_INIT;
    struct tn_output              *output;
    struct tn_sink                *sink;

    (void)state;
    assert_int_equal(
        tn_output_folder(&output, &memory, "https://h/f/", &how, &error),
        TN_OK);
    assert_string_equal(tn_output_name(output), "f");
    assert_int_equal(tn_output_side(output, "saved_model.pb", &sink, &error),
                     TN_OK);
    write_text(sink, "graph");
    assert_int_equal(
        tn_output_side(output, "variables/variables.index", &sink, &error),
        TN_OK);
    write_text(sink, "weights");
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    tn_output_close(output);
    assert_string_equal(server.paths[0],
                        "https://h/f/variables/variables.index");
    assert_string_equal(server.paths[1], "https://h/f/saved_model.pb");
}

/* Nothing arrives of what is not committed, and nothing stays of what is
 * refused. */
static void test_refused(void **state)
{
    struct tn_error   error  = TN_ERROR_INIT;
    struct tn_output *output = open_file("https://h/m.onnx", false, &error);

    (void)state;
    assert_non_null(output);
    write_main(output, "main");
    tn_output_close(output);
    assert_int_equal(server.puts, 0);
    output = open_file("https://h/m.onnx", false, &error);
    write_main(output, "main");
    server.denies = true;
    assert_int_equal(tn_output_commit(output, &error), TN_IO);
    assert_int_equal(error.reason, TN_REASON_ACCESS_DENIED);
    tn_output_close(output);
    assert_int_equal(server.count, 0);
}

/* What is there stays, unless it may be replaced. */
static void test_exists(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    strcpy(server.paths[server.count++], "https://h/m.onnx");
    assert_null(open_file("https://h/m.onnx", false, &error));
    assert_int_equal(error.status, TN_EXISTS);
    tn_error_clear(&error);
    struct tn_output *output = open_file("https://h/m.onnx", true, &error);
    assert_non_null(output);
    write_main(output, "new");
    assert_int_equal(tn_output_commit(output, &error), TN_OK);
    tn_output_close(output);
    assert_int_equal(server.count, 1);
    assert_string_equal(server.contents[0], "new");
}

/* Two outputs of one command do not write one file. */
static void test_meets(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_output *one   = open_file("https://h/m.onnx", true, &error);
    struct tn_output *same  = open_file("https://h/m.onnx", true, &error);
    struct tn_output *other = open_file("https://h/n.onnx", true, &error);

    (void)state;
    assert_true(tn_output_meets_remote(one, same));
    assert_false(tn_output_meets_remote(one, other));
    assert_int_equal(tn_output_check_other(one, other, &error), TN_OK);
    assert_int_equal(tn_output_check_other(one, same, &error), TN_INVALID);
    tn_output_close(one);
    tn_output_close(same);
    tn_output_close(other);
}

/* A model that is written where it was read from. */
static void test_inputs(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_bundle  bundle;
    struct tn_output *output;
    bool              is_main;

    (void)state;
    strcpy(server.paths[server.count++], "https://h/m.onnx");
    strcpy(server.contents[0], "old");
    assert_int_equal(
        tn_bundle_open(&bundle, &memory, "https://h/m.onnx", NULL, &error),
        TN_OK);
    output = open_file("https://h/m.onnx", true, &error);
    assert_true(tn_output_is_remote_of(output, "m.onnx", &bundle, &is_main));
    assert_true(is_main);
    assert_false(tn_output_is_remote_of(output, "m.data", &bundle, &is_main));
    tn_output_close(output);
    tn_bundle_close(&bundle);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names),   TEST(test_commit), TEST(test_folder),
        TEST(test_refused), TEST(test_exists), TEST(test_meets),
        TEST(test_inputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
