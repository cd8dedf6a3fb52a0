/* beneath_test.c - no name leads out of the folder */
#define _GNU_SOURCE
#include "io/beneath.h"

#include <errno.h>

#include "support/every_os.h"
#include "support/hostile.h"
#include "support/scratch.h"

#define N(text)                                                                \
    {                                                                          \
        text, sizeof text - 1                                                  \
    }

static void names(void **state)
{
    static const struct {
        struct {
            const char *text;
            size_t      size;
        } name;
        const char *result; /* NULL: refused, */
        const char *rule;   /* for this       */
    } rows[] = {
        { N("weights.bin"), "weights.bin", NULL },
        { N("a/b"), "a/b", NULL },
        { N("./a/./b"), "a/b", NULL },
        { N("a//b/"), "a/b", NULL },
        { N("..a/b.."), "..a/b..", NULL },
        { N(".hidden"), ".hidden", NULL },
        { N("with space"), "with space", NULL },
        { N("\xc3\xa4/\xe2\x82\xac/\xf0\x9f\x98\x80"),
          "\xc3\xa4/\xe2\x82\xac/\xf0\x9f\x98\x80", NULL },
        { N("ab:c"), "ab:c", NULL },
        { N(""), NULL, "empty" },
        { N("/etc/passwd"), NULL, "absolute" },
        { N("//x"), NULL, "absolute" },
        { N(".."), NULL, "\"..\"" },
        { N("../x"), NULL, "\"..\"" },
        { N("a/../b"), NULL, "\"..\"" },
        { N("a/.."), NULL, "\"..\"" },
        { N("."), NULL, "names no file" },
        { N("././/"), NULL, "names no file" },
        { N("a\0b"), NULL, "zero byte" },
        { N("a\0"), NULL, "zero byte" },
        { N("a\\b"), NULL, "backslash" },
        { N("..\\x"), NULL, "backslash" },
        { N("C:x"), NULL, "drive" },
        { N("z:/x"), NULL, "drive" },
        { N("\xff"), NULL, "UTF-8" },
        { N("a\xc3"), NULL, "UTF-8" },        /* cut off       */
        { N("\xc0\xaf"), NULL, "UTF-8" },     /* '/' in disguise */
        { N("\xe0\x80\xaf"), NULL, "UTF-8" }, /* again         */
        { N("\xed\xa0\x80"), NULL, "UTF-8" }, /* surrogate     */
        { N("\xf4\x90\x80\x80"), NULL, "UTF-8" },
        { N("\x80"), NULL, "UTF-8" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_arena  arena;
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        struct tn_guarded name =
            tn_guard(tn_bytes(rows[i].name.text, rows[i].name.size));
        const char *got = tn_beneath_name(&arena, name.bytes, &error);
        if (rows[i].result) {
            assert_non_null(got);
            assert_string_equal(got, rows[i].result);
        } else {
            assert_null(got);
            assert_int_equal(error.status, TN_INVALID);
            if (!strstr(error.what, rows[i].rule))
                fail_msg("row %zu: %s", i, error.what);
        }
        tn_unguard(&name);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

static void long_names(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    char             name[5000];

    (void)state;
    memset(name, 'x', sizeof name);
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_non_null(tn_beneath_name(&arena, tn_bytes(name, 255), &error));
    assert_null(tn_beneath_name(&arena, tn_bytes(name, 256), &error));
    assert_non_null(strstr(error.what, "component"));
    error = (struct tn_error)TN_ERROR_INIT;
    assert_null(tn_beneath_name(&arena, tn_bytes(name, 5000), &error));
    assert_non_null(strstr(error.what, "longer"));
    tn_arena_done(&arena);
}

/* With openat2 and without, the answer is the same. */
static void opening(void **state)
{
    static const struct {
        const char *name;
        int         flags, number; /* errno; 0: opens */
    } rows[] = {
        { "file", O_RDONLY, 0 },
        { "in/file", O_RDONLY, 0 },
        { "in/er/file", O_RDONLY, 0 },
        { "", O_RDONLY | O_DIRECTORY, 0 },
        { "in", O_RDONLY | O_DIRECTORY, 0 },
        { "in/er", O_PATH | O_DIRECTORY, 0 },
        { "file", O_PATH, 0 },
        { "nothing", O_RDONLY, ENOENT },
        { "nothing/file", O_RDONLY, ENOENT },
        { "file/file", O_RDONLY, ENOTDIR },
        { "file", O_RDONLY | O_DIRECTORY, ENOTDIR },
        { "link", O_RDONLY, ELOOP },
        { "link", O_PATH, ELOOP },
        { "dangling", O_RDONLY, ELOOP },
        { "out/etc", O_RDONLY, ELOOP },
        { "out", O_PATH | O_DIRECTORY, ELOOP },
        { "inlink/file", O_RDONLY, ELOOP },
        { "in/up/file", O_RDONLY, ELOOP },
        { "dangling", O_WRONLY | O_CREAT | O_EXCL, EEXIST },
        { "file", O_WRONLY | O_CREAT | O_EXCL, EEXIST },
        { "out/new", O_WRONLY | O_CREAT | O_EXCL, ELOOP },
    };
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    mkdirat(scratch.folder, "in", 0777);
    mkdirat(scratch.folder, "in/er", 0777);
    tn_scratch_write(&scratch, "file", "x");
    tn_scratch_write(&scratch, "in/file", "x");
    tn_scratch_write(&scratch, "in/er/file", "x");
    assert_int_equal(symlinkat("file", scratch.folder, "link"), 0);
    assert_int_equal(symlinkat("nowhere", scratch.folder, "dangling"), 0);
    assert_int_equal(symlinkat("/", scratch.folder, "out"), 0);
    assert_int_equal(symlinkat("in", scratch.folder, "inlink"), 0);
    assert_int_equal(symlinkat("..", scratch.folder, "in/up"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int is_walk = 0; is_walk < 2; is_walk++) {
            errno    = 0;
            int file = (is_walk ? tn_beneath_walk : tn_beneath_open)(
                scratch.folder, rows[i].name, rows[i].flags);
            int  number  = file < 0 ? errno : 0;
            bool is_same = number == rows[i].number ||
                           /* which of two truths comes first */
                           (rows[i].number == EEXIST && number == ELOOP);
            if (!is_same)
                fail_msg("%s, flags %x, walk %d: %s", rows[i].name,
                         (unsigned)rows[i].flags, is_walk, strerror(number));
            if (file >= 0) {
                assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
                close(file);
            }
        }
    tn_scratch_close(&scratch);
}

static void removing(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    mkdirat(scratch.folder, "keep", 0777);
    tn_scratch_write(&scratch, "keep/file", "x");
    mkdirat(scratch.folder, "tree", 0777);
    mkdirat(scratch.folder, "tree/in", 0777);
    tn_scratch_write(&scratch, "tree/in/file", "x");
    assert_int_equal(symlinkat("../keep", scratch.folder, "tree/link"), 0);
    assert_int_equal(tn_beneath_remove(scratch.folder, "tree"), 0);
    assert_false(tn_scratch_has(&scratch, "tree"));
    assert_true(tn_scratch_holds(&scratch, "keep/file", "x"));
    assert_int_equal(tn_beneath_remove(scratch.folder, "tree"), -1);
    assert_int_equal(tn_beneath_remove(scratch.folder, "keep/file"), 0);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(long_names),
        cmocka_unit_test(opening),
        cmocka_unit_test(removing),
    };

    return tn_run_on_every_os(tests);
}
