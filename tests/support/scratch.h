/*
 * scratch.h - a folder for one test, with little files in it
 *
 * Include after defining _GNU_SOURCE.  Every helper fails the test when the
 * system refuses.
 */
#ifndef TN_TESTS_SCRATCH_H
#define TN_TESTS_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/hostile.h"

struct tn_scratch {
    char path[256];
    int  folder;
};

static inline struct tn_scratch tn_scratch_open(void)
{
    struct tn_scratch scratch;
    const char       *tmp = getenv("TMPDIR");

    snprintf(scratch.path, sizeof scratch.path, "%.200s/tenon-test-XXXXXX",
             tmp && tmp[0] ? tmp : "/tmp");
    assert_non_null(mkdtemp(scratch.path));
    scratch.folder = open(scratch.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(scratch.folder >= 0);
    return scratch;
}

static inline void tn_scratch_empty(int folder)
{
    DIR           *entries = fdopendir(dup(folder));
    struct dirent *entry;

    assert_non_null(entries);
    rewinddir(entries);
    while ((entry = readdir(entries)) != NULL) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        int inner = openat(folder, entry->d_name,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
        if (inner >= 0) {
            tn_scratch_empty(inner);
            close(inner);
        }
        assert_int_equal(
            unlinkat(folder, entry->d_name, inner >= 0 ? AT_REMOVEDIR : 0), 0);
    }
    closedir(entries);
}

static inline void tn_scratch_close(struct tn_scratch *scratch)
{
    tn_scratch_empty(scratch->folder);
    close(scratch->folder);
    assert_int_equal(rmdir(scratch->path), 0);
}

/* The full path of a name; free it. */
static inline char *tn_scratch_path(const struct tn_scratch *scratch,
                                    const char              *name)
{
    char *path = NULL;

    assert_true(asprintf(&path, "%s/%s", scratch->path, name) > 0);
    return path;
}

/* The file holds these bytes from now on.  It is not emptied first: what was
 * emptied and filled again ext4 puts onto the disk when it is closed, and a
 * test that damages each byte of a file in turn would wait for that each time.
 */
static inline void tn_scratch_put(const struct tn_scratch *scratch,
                                  const char *name, struct tn_bytes bytes)
{
    int file = openat(scratch->folder, name, O_WRONLY | O_CREAT, 0666);

    assert_true(file >= 0);
    assert_int_equal(pwrite(file, bytes.data, bytes.size, 0), bytes.size);
    assert_int_equal(ftruncate(file, (off_t)bytes.size), 0);
    assert_int_equal(close(file), 0);
}

static inline void tn_scratch_write(const struct tn_scratch *scratch,
                                    const char *name, const char *text)
{
    tn_scratch_put(scratch, name, tn_text(text));
}

/* Whether the file is there and holds exactly this text. */
static inline bool tn_scratch_holds(const struct tn_scratch *scratch,
                                    const char *name, const char *text)
{
    char           *path  = tn_scratch_path(scratch, name);
    struct tn_bytes bytes = tn_load_file(path);
    bool is_same          = bytes.data && tn_bytes_equal(bytes, tn_text(text));

    free(path);
    free((void *)(uintptr_t)bytes.data);
    return is_same;
}

static inline bool tn_scratch_has(const struct tn_scratch *scratch,
                                  const char              *name)
{
    struct stat about;

    return !fstatat(scratch->folder, name, &about, AT_SYMLINK_NOFOLLOW);
}

/* How many entries of a folder of it have `part` in their name. */
static inline int tn_scratch_count(const struct tn_scratch *scratch,
                                   const char *folder, const char *part)
{
    int  inner   = openat(scratch->folder, folder, O_RDONLY | O_DIRECTORY);
    DIR *entries = fdopendir(inner);
    int  count   = 0;

    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
                 strstr(entry->d_name, part);
    closedir(entries);
    return count;
}

#endif
