/* os_test.c - each system's calls do what io/os.h says */
#define _GNU_SOURCE
#include "io/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "support/every_os.h"
#include "support/scratch.h"

static int open_scratch(struct tn_scratch *scratch)
{
    *scratch   = tn_scratch_open();
    int folder = open(scratch->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(folder >= 0);
    return folder;
}

static void a_taken_name_stays(void **state)
{
    struct tn_scratch scratch;
    int               folder = open_scratch(&scratch);

    (void)state;
    tn_scratch_write(&scratch, "one", "1");
    tn_scratch_write(&scratch, "two", "22");
    assert_int_equal(tn_os->rename_new(folder, "one", "two"), -1);
    assert_int_equal(errno, EEXIST);
    assert_true(tn_scratch_has(&scratch, "one"));
    assert_int_equal(tn_os->rename_new(folder, "one", "three"), 0);
    assert_false(tn_scratch_has(&scratch, "one"));
    assert_true(tn_scratch_has(&scratch, "three"));
    assert_int_equal(tn_os->rename_new(folder, "gone", "four"), -1);
    assert_int_equal(errno, ENOENT);
    close(folder);
    tn_scratch_close(&scratch);
}

static off_t size_of(int folder, const char *name)
{
    struct stat about;

    assert_int_equal(fstatat(folder, name, &about, 0), 0);
    return about.st_size;
}

static void names_are_exchanged_or_untouched(void **state)
{
    struct tn_scratch scratch;
    int               folder = open_scratch(&scratch);

    (void)state;
    tn_scratch_write(&scratch, "one", "1");
    tn_scratch_write(&scratch, "two", "22");
    bool is_done = tn_os->exchange(folder, "one", "two") == 0;
    if (!is_done)
        assert_int_equal(errno, ENOSYS);
    assert_int_equal(size_of(folder, "one"), is_done ? 2 : 1);
    assert_int_equal(size_of(folder, "two"), is_done ? 1 : 2);
    close(folder);
    tn_scratch_close(&scratch);
}

static void an_unnamed_file_leaves_no_name(void **state)
{
    struct tn_scratch scratch;
    int               folder = open_scratch(&scratch);
    char              back[4];

    (void)state;
    int file = tn_os->unnamed_file(scratch.path);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, "byte", 4, 1000), 4);
    assert_int_equal(pread(file, back, 4, 1000), 4);
    assert_memory_equal(back, "byte", 4);
    assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 0);
    close(file);
    assert_int_equal(tn_os->unnamed_file("/nowhere/at/all"), -1);
    close(folder);
    tn_scratch_close(&scratch);
}

/* A lock that was taken through one descriptor keeps the other out. */
static void a_file_opened_again_has_its_own_lock(void **state)
{
    struct tn_scratch scratch;
    int               folder = open_scratch(&scratch);

    (void)state;
    tn_scratch_write(&scratch, "one", "1");
    int file  = openat(folder, "one", O_RDWR | O_CLOEXEC);
    int again = tn_os->reopen(file);
    if (again >= 0) {
        assert_int_equal(flock(file, LOCK_EX), 0);
        assert_int_equal(flock(again, LOCK_SH | LOCK_NB), -1);
        assert_int_equal(errno, EWOULDBLOCK);
        close(again);
    } else {
        assert_int_equal(errno, ENOSYS);
    }
    close(file);
    close(folder);
    tn_scratch_close(&scratch);
}

static void random_bytes_differ(void **state)
{
    uint8_t one[32] = { 0 }, other[32] = { 0 }, zeros[32] = { 0 };

    (void)state;
    tn_os->random_bytes(one, sizeof one);
    tn_os->random_bytes(other, sizeof other);
    assert_memory_not_equal(one, zeros, sizeof one);
    assert_memory_not_equal(one, other, sizeof one);
}

static void what_is_only_looked_at(void **state)
{
    struct tn_scratch scratch;
    int               folder = open_scratch(&scratch);
    struct stat       about;

    (void)state;
    tn_scratch_write(&scratch, "one", "1");
    assert_int_equal(mkfifoat(folder, "pipe", 0600), 0);
    for (int i = 0; i < 2; i++) { /* and a pipe is not waited for */
        int file = openat(folder, i ? "pipe" : "one", tn_os->look | O_CLOEXEC);
        assert_true(file >= 0);
        assert_int_equal(fstat(file, &about), 0);
        assert_int_equal(S_ISFIFO(about.st_mode), i);
        close(file);
    }
    close(folder);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taken_name_stays),
        cmocka_unit_test(names_are_exchanged_or_untouched),
        cmocka_unit_test(an_unnamed_file_leaves_no_name),
        cmocka_unit_test(a_file_opened_again_has_its_own_lock),
        cmocka_unit_test(random_bytes_differ),
        cmocka_unit_test(what_is_only_looked_at),
    };

    return tn_run_on_every_os(tests);
}
