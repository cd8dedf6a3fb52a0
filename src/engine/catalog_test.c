/* catalog_test.c - catalogs that become one: rows kept, replaced, refused */
#define _GNU_SOURCE
#include <tenon/catalog.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/hostile.h"

#define FILE_ROW(file, etag, rest)                                             \
    "{\"row\": \"file\", \"file\": \"" file "\", \"etag\": \"" etag            \
    "\", \"status\": \"ok\", " rest "\"made_by\": \"m\"}\n"
#define TENSOR(file)                                                           \
    "{\"row\": \"tensor\", \"file\": \"" file                                  \
    "\", \"tensor\": 0, \"name\": \"w\"}\n"
#define A       FILE_ROW("a", "1", "\"tensors\": 1, ") TENSOR("a")
#define A_NEWER FILE_ROW("a", "2", "")
#define A_LATER                                                                \
    FILE_ROW("a", "1", "\"tensors\": 1, \"of_a_later_version\": [1], ")        \
    TENSOR("a")
#define A_TAGLESS FILE_ROW("a", "", "\"nodes\": 7, ")
#define B         FILE_ROW("b", "1", "")
#define C         FILE_ROW("c", "1", "")

static char folder[32], old[64], new[64];

static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/catalog_test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(old, sizeof old, "%s/old.ndjson", folder);
    snprintf(new, sizeof new, "%s/new.ndjson", folder);
    return 0;
}

static void clear(void)
{
    static const char *const suffixes[] = { "", ".part", ".lock" };
    char                     path[80];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(path, sizeof path, "%s%s", old, suffixes[i]);
        unlink(path);
    }
    unlink(new);
}

static int end(void **state)
{
    (void)state;
    clear();
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
    return 0;
}

static void save(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char *load(const char *path)
{
    static char text[4000];
    FILE       *file = fopen(path, "rb");

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static enum tn_status make(const char *const *paths, uint64_t count,
                           const char *to, struct tn_catalog_totals *totals)
{
    struct tn_catalog_options options = TN_CATALOG_OPTIONS_INIT;
    struct tn_target          target  = { .path = to };
    struct tn_error           error   = TN_ERROR_INIT;

    options.jobs = 2;
    tn_catalog(paths, count, &options, &target, NULL, totals, &error);
    assert_true(error.status == TN_OK || error.what[0]);
    return error.status;
}

static void test_merge(void **state)
{
    static const struct {
        const char    *old, *new; /* NULL: not there                          */
        enum tn_status status;
        const char    *merged;
        uint64_t       kept;
    } rows[] = {
        { NULL, A B, TN_OK, A B, 0 },
        { "", A B, TN_OK, A B, 0 },
        { A C, B, TN_OK, A B C, 0 }, /* what is not named stays */
        { A C, A_NEWER, TN_OK, A_NEWER C, 0 },
        { A_LATER, A, TN_OK, A_LATER, 1 }, /* the same, so as it was */
        { A_TAGLESS, A_TAGLESS, TN_OK, A_TAGLESS, 0 },
        { A, "", TN_OK, A, 0 },
        { A, B A, TN_MALFORMED, A, 0 },
        { A, B B, TN_MALFORMED, A, 0 },
        { A, TENSOR("b"), TN_MALFORMED, A, 0 },
        { A, B "{\"row\": \"file\", \"fi", TN_TRUNCATED, A, 0 },
        { A, FILE_ROW("b", "1", "\"tensors\": 2, ") TENSOR("b"), TN_TRUNCATED,
          A, 0 },
        { B A, C, TN_MALFORMED, B A, 0 }, /* ours is damaged: left alone */
        { "a file of somebody\n", A, TN_EXISTS, "a file of somebody\n", 0 },
    };
    const char *path = new;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_catalog_totals totals;

        clear();
        if (rows[i].old)
            save(old, rows[i].old);
        save(new, rows[i].new);
        enum tn_status status = make(&path, 1, old, &totals);
        if (status != rows[i].status)
            fail_msg("row %d: status %d", (int)i, (int)status);
        assert_string_equal(load(old), rows[i].merged);
        if (status == TN_OK)
            assert_int_equal(totals.kept, rows[i].kept);
    }
}

/* Of a path that two catalogs have the rows of the first count. */
static void test_order(void **state)
{
    const char              *paths[] = { new, old };
    char                     to[64];
    struct tn_catalog_totals totals;

    (void)state;
    snprintf(to, sizeof to, "%s/all.ndjson", folder);
    save(new, A_NEWER C);
    save(old, A B);
    assert_int_equal(make(paths, 2, to, &totals), TN_OK);
    assert_string_equal(load(to), A_NEWER B C);
    assert_int_equal(totals.files, 3);
    assert_int_equal(totals.models, 3);
    unlink(to);
}

static void test_refused(void **state)
{
    const char              *good = new, *gone = "/no/such/file", *input = "-";
    struct tn_catalog_totals totals;

    (void)state;
    save(new, A);
    assert_int_equal(make(&good, 1, "/no/such/folder/x.ndjson", NULL), TN_IO);
    assert_int_equal(make(&good, 1, "x.txt", NULL), TN_INVALID);
    assert_int_equal(make(&good, 1, "http://127.0.0.1:1/x.sqlite?y", NULL),
                     TN_UNSUPPORTED);
    assert_int_equal(make(&input, 1, old, NULL), TN_INVALID);
    clear();
    assert_int_equal(make(&gone, 1, old, &totals), TN_OK); /* a row says so */
    assert_int_equal(totals.missing, 1);
    assert_int_equal(totals.broken, 1);
    assert_non_null(strstr(load(old), "/no/such/file"));
}

/* Rows of tensors are those of the file before them, numbered. */
static void test_numbers(void **state)
{
    static const char *const rows[] = {
        "{\"row\": \"tensor\", \"file\": \"a\"}\n",
        "{\"row\": \"tensor\", \"file\": \"a\", \"tensor\": 1}\n",
        "{\"row\": \"tensor\", \"file\": \"b\", \"tensor\": 0}\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = new;
        char        text[300];
        snprintf(text, sizeof text,
                 "{\"row\": \"file\", \"file\": \"a\", \"status\": \"ok\", "
                 "\"tensors\": 1}\n%s",
                 rows[i]);
        save(new, text);
        assert_int_equal(make(&path, 1, old, NULL), TN_MALFORMED);
        clear();
    }
}

/* Rows that could not be made whole are not looked at. */
static void test_without_memory(void **state)
{
    const char    *paths[] = { TN_CORPUS "/onnx/everything.onnx",
                               TN_CORPUS "/onnx/attribute-ir1.onnx" };
    enum tn_status status  = TN_NO_MEMORY;

    (void)state;
    for (uint64_t n = 0; status == TN_NO_MEMORY; n++) {
        struct tn_budget          budget    = { .left = n };
        struct tn_allocator       allocator = { tn_budget_resize, &budget };
        struct tn_options         options   = TN_OPTIONS_INIT;
        struct tn_catalog_options catalog   = TN_CATALOG_OPTIONS_INIT;
        struct tn_target          target    = { .path = old };
        struct tn_error           error     = TN_ERROR_INIT;

        options.allocator = &allocator;
        options.workers   = 1;
        catalog.jobs      = 1;
        clear();
        status =
            tn_catalog(paths, 2, &catalog, &target, &options, NULL, &error);
        assert_true(status == TN_OK || error.what[0]);
    }
    assert_int_equal(status, TN_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_merge),
        TEST(test_order),
        TEST(test_refused),
        TEST(test_numbers),
        TEST(test_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
