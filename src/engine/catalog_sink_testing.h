/*
 * catalog_sink_testing.h - what every form of a catalog does
 *
 * A test includes this, says how its form is opened and what its text is, and
 * runs the tests below: rows that are new, kept, replaced, removed, left by a
 * run that was interrupted, or not of a catalog.
 */
#ifndef TN_ENGINE_CATALOG_SINK_TESTING_H
#define TN_ENGINE_CATALOG_SINK_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/catalog_sink.h"
#include "support/hostile.h"

/* Defined by the test: its form, and what a finished catalog has, as
 * "PATH:ETAG/TENSORS " for each file. */
static enum tn_status open_sink(struct tn_catalog_sink       **out,
                                const struct tn_catalog_place *place,
                                struct tn_error               *error);
static void           read_catalog(const char *path, char *to, size_t room);

struct wish {
    const char *path, *etag;
    unsigned    tensors;
};

static char             folder[40], target_path[80];
static struct tn_memory memory;
static struct {
    unsigned kept, put, removed, left; /* files of a run                      */
} done;

static int begin_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/catalog_sink-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(target_path, sizeof target_path, "%s/catalog", folder);
    tn_memory_init(&memory, NULL, 0);
    return 0;
}

static const char *beside(const char *suffix)
{
    static char path[100];

    snprintf(path, sizeof path, "%s%s", target_path, suffix);
    return path;
}

static int end_folder(void **state)
{
    (void)state;
    unlink(target_path);
    unlink(beside(".part"));
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
    assert_int_equal(memory.used, 0);
    return 0;
}

static enum tn_status put_wish(struct tn_catalog_sink      *sink,
                               const struct wish           *wish,
                               const struct tn_catalog_old *old,
                               struct tn_error             *error)
{
    static const uint64_t shape[] = { 2, 3 };
    struct tn_catalog_row row     = { 0 };

    tn_catalog_put_text(&row, TN_CATALOG_FILE, tn_text(wish->path));
    tn_catalog_put_text(&row, TN_CATALOG_ETAG, tn_text(wish->etag));
    tn_catalog_put_text(&row, TN_CATALOG_STATUS, tn_text("ok"));
    tn_catalog_put_number(&row, TN_CATALOG_TENSORS, wish->tensors);
    TN_TRY(sink->ops->put(sink, &row, old, error));
    for (unsigned i = 0; i < wish->tensors; i++) {
        row = (struct tn_catalog_row){ .is_tensor = true };
        tn_catalog_put_text(&row, TN_CATALOG_FILE, tn_text(wish->path));
        tn_catalog_put_number(&row, TN_CATALOG_TENSOR, i);
        tn_catalog_put_text(&row, TN_CATALOG_NAME, tn_text("w"));
        row.values[TN_CATALOG_SHAPE] =
            (struct tn_catalog_value){ .kind = TN_CATALOG_LIST,
                                       .list = { shape, 2 } };
        TN_TRY(sink->ops->put(sink, &row, NULL, error));
    }
    done.put++;
    return sink->ops->end(sink, 1000, error);
}

/* Takes what there is and makes it what is wished, both in order, as
 * tn_catalog() does; finishes it unless it is interrupted. */
static void merge(struct tn_catalog_sink *sink, const struct wish *wishes,
                  unsigned count, struct tn_error *error)
{
    struct tn_catalog_old old;
    bool                  has_old = sink->ops->old(sink, &old, error);

    for (unsigned i = 0; (i < count || has_old) && !tn_failed(error);) {
        int order = i == count ? -1
                    : has_old
                        ? tn_bytes_compare(old.path, tn_text(wishes[i].path))
                        : 1;
        done.left += has_old && order == 0 && old.is_work;
        if (order < 0) {
            done.removed++;
            sink->ops->remove(sink, &old, error);
        } else if (order > 0)
            put_wish(sink, &wishes[i++], NULL, error);
        else if (!tn_bytes_is(old.etag, wishes[i].etag) ||
                 sink->ops->keep(sink, &old, error) != TN_OK)
            put_wish(sink, &wishes[i++], &old, error);
        else {
            done.kept++;
            i++;
        }
        if (order <= 0 && !tn_failed(error))
            has_old = sink->ops->old(sink, &old, error);
    }
}

static enum tn_status run(const struct wish *wishes, unsigned count,
                          bool is_interrupted, bool can_replace,
                          struct tn_error *error)
{
    struct tn_target              target = { .path        = target_path,
                                             .can_replace = can_replace };
    const struct tn_catalog_place place  = { .memory = &memory,
                                             .target = &target,
                                             .form   = TN_CATALOG_NDJSON };
    struct tn_catalog_sink       *sink;

    memset(&done, 0, sizeof done);
    if (open_sink(&sink, &place, error) != TN_OK)
        return error->status;
    merge(sink, wishes, count, error);
    if (!tn_failed(error) && !is_interrupted)
        sink->ops->finish(sink, error);
    sink->ops->close(sink);
    return error->status;
}

static void expect(const char *contents, unsigned kept, unsigned put,
                   unsigned removed)
{
    char text[400] = "";

    read_catalog(target_path, text, sizeof text);
    assert_string_equal(text, contents);
    assert_int_equal(done.kept, kept);
    assert_int_equal(done.put, put);
    assert_int_equal(done.removed, removed);
    assert_int_not_equal(access(beside(".part"), F_OK), 0);
    assert_int_not_equal(access(beside(".lock"), F_OK), 0);
}

static const struct wish first[] = { { "a", "1", 2 },
                                     { "b", "1", 0 },
                                     { "c d", "1", 1 } };

/* A new one, then one of which a file is as it was, one is newer, one is gone
 * and one is new. */
static void test_runs(void **state)
{
    static const struct wish second[] = { { "a", "1", 2 },
                                          { "b", "2", 3 },
                                          { "e", "1", 1 } };
    struct tn_error          error    = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(run(first, 3, false, false, &error), TN_OK);
    expect("a:1/2 b:1/0 c d:1/1 ", 0, 3, 0);
    assert_int_equal(run(first, 3, false, false, &error), TN_OK);
    expect("a:1/2 b:1/0 c d:1/1 ", 3, 0, 0);
    assert_int_equal(run(second, 3, false, false, &error), TN_OK);
    expect("a:1/2 b:2/3 e:1/1 ", 1, 2, 1);
    assert_int_equal(run(NULL, 0, false, false, &error), TN_OK);
    expect("", 0, 0, 3);
}

/* Everything is made anew. */
static void test_force(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(run(first, 3, false, false, &error), TN_OK);
    assert_int_equal(run(first, 2, false, true, &error), TN_OK);
    expect("a:1/2 b:1/0 ", 0, 2, 0);
}

/* What an interrupted run did is not done again, unless it has changed. */
static void test_interrupted(void **state)
{
    static const struct wish changed[] = { { "a", "1", 2 },
                                           { "b", "2", 1 },
                                           { "c d", "1", 1 } };
    struct tn_error          error     = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(run(first, 2, true, false, &error), TN_OK);
    assert_int_not_equal(access(target_path, F_OK), 0);
    assert_int_equal(access(beside(".part"), F_OK), 0);
    assert_int_equal(run(first, 3, false, false, &error), TN_OK);
    expect("a:1/2 b:1/0 c d:1/1 ", 2, 1, 0);
    unlink(target_path);
    assert_int_equal(run(first, 3, true, false, &error), TN_OK);
    assert_int_equal(run(changed, 3, false, false, &error), TN_OK);
    expect("a:1/2 b:2/1 c d:1/1 ", done.kept, 3 - done.kept, 0);
    assert_true(done.kept >= 1);
}

static void save(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A file of somebody else is no catalog, and stays as it is; what is left of a
 * run that was killed may be anything. */
static void test_strange(void **state)
{
    struct tn_error error    = TN_ERROR_INIT;
    char            text[40] = "";

    (void)state;
    save(target_path, "a letter to somebody\n");
    assert_int_equal(run(first, 3, false, false, &error), TN_EXISTS);
    assert_int_equal(error.reason, TN_REASON_TARGET_EXISTS);
    FILE *file = fopen(target_path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), 21);
    fclose(file);
    assert_string_equal(text, "a letter to somebody\n");
    unlink(target_path);
    tn_error_clear(&error);
    save(beside(".part"), "{\"row\": \"file\", \"file\": \"a\", \"tens");
    assert_int_equal(run(first, 3, false, false, &error), TN_OK);
    expect("a:1/2 b:1/0 c d:1/1 ", 0, 3, 0);
}

/* One at a time. */
static void test_busy(void **state)
{
    struct tn_error               error  = TN_ERROR_INIT;
    struct tn_target              target = { .path = target_path };
    const struct tn_catalog_place place  = { .memory = &memory,
                                             .target = &target,
                                             .form   = TN_CATALOG_NDJSON };
    struct tn_catalog_sink       *sink;

    (void)state;
    assert_int_equal(open_sink(&sink, &place, &error), TN_OK);
    assert_int_equal(run(first, 3, false, false, &error), TN_BUSY);
    sink->ops->close(sink);
    tn_error_clear(&error);
    assert_int_equal(run(first, 3, false, false, &error), TN_OK);
    expect("a:1/2 b:1/0 c d:1/1 ", 0, 3, 0);
}

#define SINK_TEST(name)                                                        \
    cmocka_unit_test_setup_teardown(name, begin_folder, end_folder)
#define SINK_TESTS                                                             \
    SINK_TEST(test_runs), SINK_TEST(test_force), SINK_TEST(test_interrupted),  \
        SINK_TEST(test_strange), SINK_TEST(test_busy)

#endif
