/* catalog_lines_test.c - a catalog as lines: made, continued, turned to Arrow
 */
#define _GNU_SOURCE
#include "engine/catalog_sink_testing.h"

#include <tenon/writer.h>

#include "io/bundle.h"

static enum tn_status open_sink(struct tn_catalog_sink       **out,
                                const struct tn_catalog_place *place,
                                struct tn_error               *error)
{
    return tn_catalog_lines(out, place, error);
}

static void read_catalog(const char *path, char *to, size_t room)
{
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_catalog_groups groups;
    struct tn_bundle         bundle;
    size_t                   used = 0;

    assert_int_equal(tn_bundle_open(&bundle, &memory, path, NULL, &error),
                     TN_OK);
    tn_catalog_groups_init(&groups, &memory, bundle.main);
    while (tn_catalog_groups_next(&groups, &error)) {
        struct tn_bytes name = tn_catalog_text(&groups.row, TN_CATALOG_FILE);
        struct tn_bytes etag = tn_catalog_text(&groups.row, TN_CATALOG_ETAG);
        used += (size_t)snprintf(
            to + used, room - used, "%.*s:%.*s/%d ", (int)name.size, name.data,
            (int)etag.size, etag.data,
            (int)tn_catalog_number(&groups.row, TN_CATALOG_TENSORS));
    }
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(groups.next, bundle.main->size);
    tn_catalog_groups_done(&groups);
    tn_bundle_close(&bundle);
}

/* A catalog that was cut in the middle of a file's rows is not continued. */
static void test_cut(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(run(first, 3, false, false, &error), TN_OK);
    FILE *file = fopen(target_path, "rb+");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftruncate(fileno(file), ftell(file) - 3), 0);
    fclose(file);
    assert_int_equal(run(first, 3, false, false, &error), TN_TRUNCATED);
    assert_non_null(strstr(error.what, "ends in the middle"));
}

/* Arrow has the magic of its file form at both ends; it is made anew. */
static void test_arrow(void **state)
{
    struct tn_error               error  = TN_ERROR_INIT;
    struct tn_target              target = { .path = target_path };
    const struct tn_catalog_place place  = { .memory = &memory,
                                             .target = &target,
                                             .form   = TN_CATALOG_ARROW };
    struct tn_catalog_sink       *sink;
    char                          head[7] = "", tail[7] = "";

    (void)state;
    assert_int_equal(tn_catalog_lines(&sink, &place, &error), TN_OK);
    merge(sink, first, 3, &error);
    assert_int_equal(sink->ops->finish(sink, &error), TN_OK);
    sink->ops->close(sink);
    FILE *file = fopen(target_path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, 6, file), 6);
    assert_int_equal(fseek(file, -6, SEEK_END), 0);
    assert_int_equal(fread(tail, 1, 6, file), 6);
    fclose(file);
    assert_string_equal(head, "ARROW1");
    assert_string_equal(tail, "ARROW1");
    assert_int_not_equal(access(beside(".part"), F_OK), 0);
    assert_int_equal(tn_catalog_lines(&sink, &place, &error), TN_EXISTS);
    assert_null(sink);
}

static int keep_text(void *context, const void *bytes, size_t size)
{
    strncat(context, bytes, size);
    return 0;
}

/* A stream has no rows of an earlier run, and nothing beside it. */
static void test_stream(void **state)
{
    char             text[2000] = "";
    struct tn_error  error      = TN_ERROR_INIT;
    struct tn_writer writer = { { .path = tn_to_writer() }, keep_text, text };
    const struct tn_catalog_place place = { .memory = &memory,
                                            .target = &writer.target,
                                            .form   = TN_CATALOG_NDJSON };
    struct tn_catalog_sink       *sink;

    (void)state;
    assert_int_equal(tn_catalog_lines(&sink, &place, &error), TN_OK);
    merge(sink, first, 2, &error);
    assert_int_equal(sink->ops->finish(sink, &error), TN_OK);
    sink->ops->close(sink);
    assert_string_equal(text,
                        "{\"row\": \"file\", \"file\": \"a\", \"etag\": \"1\", "
                        "\"status\": \"ok\", \"tensors\": 2}\n"
                        "{\"row\": \"tensor\", \"file\": \"a\", \"tensor\": 0, "
                        "\"name\": \"w\", \"shape\": [2, 3]}\n"
                        "{\"row\": \"tensor\", \"file\": \"a\", \"tensor\": 1, "
                        "\"name\": \"w\", \"shape\": [2, 3]}\n"
                        "{\"row\": \"file\", \"file\": \"b\", \"etag\": \"1\", "
                        "\"status\": \"ok\", \"tensors\": 0}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SINK_TESTS,
        SINK_TEST(test_cut),
        SINK_TEST(test_arrow),
        SINK_TEST(test_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
