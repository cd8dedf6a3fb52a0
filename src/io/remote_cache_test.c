/* remote_cache_test.c - ranges on disk: kept, found again, broken, too many */
#define _GNU_SOURCE
#include "io/remote_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/beneath.h"
#include "support/hostile.h"

static char folder[] = "/tmp/tenon-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || setenv("TENON_CACHE", folder, 1);
}

static int remove_folder(void **state)
{
    int tmp = open("/tmp", O_RDONLY | O_DIRECTORY);

    (void)state;
    tn_beneath_remove(tmp, folder + 5);
    return close(tmp);
}

static bool has(struct tn_cache *c, uint64_t offset, uint64_t begin,
                uint64_t size)
{
    uint64_t b, s;

    return tn_cache_find(c, offset, &b, &s) && b == begin && s == size;
}

static void test_ranges(void **state)
{
    struct tn_memory memory;
    uint64_t         begin, size;
    uint8_t          back[8];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    struct tn_cache *c = tn_cache_open(&memory, "http://h/a", "\"1\"", 100);
    assert_non_null(c);
    assert_false(tn_cache_find(c, 0, &begin, &size));
    assert_int_equal(begin, UINT64_MAX);
    tn_cache_keep(c, 10, tn_text("abcd"));
    tn_cache_keep(c, 20, tn_text("efghijkl"));
    tn_cache_keep(c, 12, tn_text("overlaps"));
    assert_true(has(c, 10, 10, 4) && has(c, 13, 10, 4) && has(c, 27, 20, 8));
    assert_false(tn_cache_find(c, 14, &begin, &size));
    assert_int_equal(begin, 20);
    tn_cache_close(c);

    c = tn_cache_open(&memory, "http://h/a", "\"1\"", 100);
    assert_true(has(c, 10, 10, 4) && has(c, 20, 20, 8));
    assert_true(tn_cache_read(c, 20, 8, back));
    assert_memory_equal(back, "efghijkl", 8);
    tn_cache_close(c);

    /* Another version, another file, a file that is shorter. */
    c = tn_cache_open(&memory, "http://h/a", "\"2\"", 100);
    assert_false(tn_cache_find(c, 10, &begin, &size));
    tn_cache_close(c);
    c = tn_cache_open(&memory, "http://h/b", "\"1\"", 100);
    assert_false(tn_cache_find(c, 10, &begin, &size));
    tn_cache_close(c);
}

static void test_broken(void **state)
{
    struct tn_memory memory;
    uint8_t          back[8];
    uint64_t         begin, size;
    char             command[200];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    struct tn_cache *c = tn_cache_open(&memory, "http://h/c", "\"1\"", 100);
    tn_cache_keep(c, 0, tn_text("abcd"));
    tn_cache_keep(c, 50, tn_text("abcd"));
    snprintf(command, sizeof command,
             "for f in %s/*/0-4; do printf x >>$f; done; "
             "for f in %s/*/50-4; do : >$f; done; "
             "for d in %s/*; do : >$d/99-4; : >$d/1-0; : >$d/x; done",
             folder, folder, folder);
    assert_int_equal(system(command), 0); /* NOLINT: words of ours */
    assert_false(tn_cache_read(c, 0, 4, back));
    assert_false(tn_cache_read(c, 50, 4, back));
    assert_false(tn_cache_find(c, 0, &begin, &size));
    tn_cache_close(c);
    c = tn_cache_open(&memory, "http://h/c", "\"1\"", 100);
    assert_false(tn_cache_find(c, 0, &begin, &size));
    assert_int_equal(begin, UINT64_MAX);
    tn_cache_close(c);
}

static void test_limit(void **state)
{
    struct tn_memory memory;
    uint64_t         begin, size;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    setenv("TENON_CACHE_SIZE", "20", 1);
    struct tn_cache *c = tn_cache_open(&memory, "http://h/d", "\"1\"", 100);
    tn_cache_keep(c, 0, tn_text("0123456789"));
    tn_cache_keep(c, 20, tn_text("0123456789"));
    tn_cache_close(c);
    c = tn_cache_open(&memory, "http://h/d", "\"1\"", 100);
    assert_int_equal(tn_cache_find(c, 0, &begin, &size) +
                         tn_cache_find(c, 20, &begin, &size),
                     1);
    tn_cache_close(c);
    unsetenv("TENON_CACHE");
    assert_null(tn_cache_open(&memory, "http://h/d", "\"1\"", 100));
    setenv("TENON_CACHE", "/proc/none", 1);
    assert_null(tn_cache_open(&memory, "http://h/d", "\"1\"", 100));
}

/* What is not understood is told, instead of being taken for something. */
static void test_environment(void **state)
{
    static const struct {
        const char    *cache, *size;
        enum tn_status status;
    } rows[] = {
        { "", "", TN_OK },           { "0", "no size", TN_OK },
        { "1", "", TN_OK },          { "1", "20", TN_OK },
        { "/tmp", "1.5GiB", TN_OK }, { "/tmp", "0", TN_OK },
        { "yes", "", TN_INVALID },   { "folder", "", TN_INVALID },
        { "1", "-1", TN_INVALID },   { "1", "20 bytes", TN_INVALID },
        { "1", "all", TN_INVALID },  { "1", "99999999999999E", TN_INVALID },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        setenv("TENON_CACHE", rows[i].cache, 1);
        setenv("TENON_CACHE_SIZE", rows[i].size, 1);
        if (tn_cache_check(&error) != rows[i].status)
            fail_msg("'%s', '%s': %s", rows[i].cache, rows[i].size, error.what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_environment),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
