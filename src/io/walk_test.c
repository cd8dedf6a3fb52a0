/* walk_test.c - files below a folder, in the order of their paths */
#define _GNU_SOURCE
#include "io/walk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>

#include "support/scratch.h"

/* Entries until a disk fails; below 0: it does not. */
static int entries_left = -1;

struct dirent *readdir(DIR *folder)
{
    struct dirent *(*real)(DIR *);
    void *symbol = dlsym(RTLD_NEXT, "readdir");

    if (entries_left == 0) {
        errno = EIO;
        return NULL;
    }
    entries_left -= entries_left > 0;
    memcpy(&real, &symbol, sizeof real);
    return real(folder);
}

/* The paths below a folder, with a space after each; names of what is no file
 * have their kind before them. */
static void walk_all(const char *root, const char *except, char *to,
                     size_t room)
{
    static const char *const kinds[] = { "", "broken:", "special:", "failed:",
                                         "deep:" };
    struct tn_memory         memory;
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_walk_entry     entry;
    struct tn_walk          *walk;
    size_t                   size = 0;

    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(tn_walk_open(&walk, &memory, root, except, &error), TN_OK);
    size_t skip = tn_walk_root(walk).size;
    while (tn_walk_next(walk, &entry, &error))
        size += (size_t)snprintf(to + size, room - size, "%s%.*s ",
                                 kinds[entry.kind],
                                 (int)(entry.shown.size - skip),
                                 (const char *)entry.shown.data + skip);
    assert_int_equal(error.status, TN_OK);
    tn_walk_close(walk);
    assert_int_equal(memory.used, 0);
}

static void test_order(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              found[1000];

    (void)state;
    char *folder = tn_scratch_path(&scratch, "a");
    assert_int_equal(mkdir(folder, 0700), 0);
    tn_scratch_write(&scratch, "a/z", "");
    tn_scratch_write(&scratch, "a-b", "");
    tn_scratch_write(&scratch, "a.b", "");
    tn_scratch_write(&scratch, "a0", "");
    tn_scratch_write(&scratch, "B", "");
    tn_scratch_write(&scratch, "out.sqlite", "");
    tn_scratch_write(&scratch, "out.sqlite-journal", "");
    tn_scratch_write(&scratch, "out.sqlite.part", "");
    tn_scratch_write(&scratch, "out.sqlite.bak", "");
    char *out = tn_scratch_path(&scratch, "out.sqlite");
    walk_all(scratch.path, out, found, sizeof found);
    assert_string_equal(found, "B a-b a.b a/z a0 out.sqlite.bak ");
    free(out);
    free(folder);
    tn_scratch_close(&scratch);
}

static void test_links(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              found[1000];

    (void)state;
    char *to_file   = tn_scratch_path(&scratch, "l1");
    char *to_folder = tn_scratch_path(&scratch, "l2");
    char *to_self   = tn_scratch_path(&scratch, "l3");
    char *pipe      = tn_scratch_path(&scratch, "pipe");
    tn_scratch_write(&scratch, "file", "");
    assert_int_equal(symlink("file", to_file), 0);
    assert_int_equal(symlink(".", to_folder), 0);
    assert_int_equal(symlink("l3", to_self), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    walk_all(scratch.path, NULL, found, sizeof found);
    assert_string_equal(found, "file l1 broken:l3 special:pipe ");
    free(to_file);
    free(to_folder);
    free(to_self);
    free(pipe);
    tn_scratch_close(&scratch);
}

static void test_names(void **state)
{
    static const struct {
        const char *name, *shown;
    } cases[] = {
        { "plain", "plain" },       { "\xc3\xa9", "\xc3\xa9" },
        { "a\xff", "a\\xff" },      { "a\\xff", "a\\x5cxff" },
        { "a\\b", "a\\b" },         { "\xc3", "\\xc3" },
        { "\xed\xa0\x80", "\\xed\\xa0\\x80" }, { "", "" },
    };
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(tn_bytes_is(
            tn_walk_show(&arena, tn_text(cases[i].name), &error),
            cases[i].shown));
    tn_arena_done(&arena);
}

/* A folder that is listed in part counts as one that is not listed. */
static void test_fails_midway(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_memory  memory;
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_walk   *walk;
    char              found[1000];

    (void)state;
    char *folder = tn_scratch_path(&scratch, "a");
    assert_int_equal(mkdir(folder, 0700), 0);
    tn_scratch_write(&scratch, "a/x", "");
    tn_scratch_write(&scratch, "a/y", "");
    entries_left = 7; /* ".", "..", "a", the end, ".", ".." and a name */
    walk_all(scratch.path, NULL, found, sizeof found);
    assert_string_equal(found, "failed:a/ ");
    tn_memory_init(&memory, NULL, 0);
    entries_left = 3;
    assert_int_equal(tn_walk_open(&walk, &memory, folder, NULL, &error), TN_IO);
    assert_null(walk);
    assert_int_equal(memory.used, 0);
    entries_left = -1;
    walk_all(scratch.path, NULL, found, sizeof found);
    assert_string_equal(found, "a/x a/y ");
    free(folder);
    tn_scratch_close(&scratch);
}

static void test_identity(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              one[TN_WALK_IDENTITY], two[TN_WALK_IDENTITY];
    uint64_t          size;

    (void)state;
    tn_scratch_write(&scratch, "file", "x");
    char *file = tn_scratch_path(&scratch, "file");
    assert_true(tn_walk_identity(file, one, &size));
    assert_int_equal(size, 1);
    tn_scratch_write(&scratch, "file", "xy");
    assert_true(tn_walk_identity(file, two, &size));
    assert_string_not_equal(one, two);
    assert_false(tn_walk_identity(scratch.path, one, &size));
    free(file);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_fails_midway),
        cmocka_unit_test(test_identity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
