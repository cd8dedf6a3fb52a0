/* os_posix.c - the calls of os.h with POSIX alone */
#include "io/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_beneath(int folder, const char *name, int flags)
{
    (void)folder, (void)name, (void)flags;
    errno = ENOSYS;
    return -1;
}

static ssize_t share_range(int from, off_t at, int to, off_t to_at, size_t size)
{
    (void)from, (void)at, (void)to, (void)to_at, (void)size;
    errno = ENOSYS;
    return -1;
}

static ssize_t send_range(int from, off_t at, int to, size_t size)
{
    (void)from, (void)at, (void)to, (void)size;
    errno = ENOSYS;
    return -1;
}

static void reserve(int file, off_t at, off_t size)
{
    (void)file, (void)at, (void)size;
}

static off_t next_of_its_kind(int file, off_t at)
{
    (void)file, (void)at;
    errno = ENOSYS;
    return -1;
}

static int rename_new(int folder, const char *from, const char *to)
{
    struct stat about;

    if (!fstatat(folder, to, &about, AT_SYMLINK_NOFOLLOW)) {
        errno = EEXIST;
        return -1;
    }
    return renameat(folder, from, folder, to);
}

static int exchange(int folder, const char *one, const char *other)
{
    (void)folder, (void)one, (void)other;
    errno = ENOSYS;
    return -1;
}

/* It has a name for a moment. */
static int unnamed_file(const char *folder)
{
    char path[4096];
    int  size = snprintf(path, sizeof path, "%s/tenon-XXXXXX", folder);

    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int file = mkstemp(path);
    if (file >= 0) {
        (void)fcntl(file, F_SETFD, FD_CLOEXEC);
        (void)unlink(path);
    }
    return file;
}

static int reopen(int file)
{
    (void)file;
    errno = ENOSYS;
    return -1;
}

static void random_bytes(uint8_t *to, size_t size)
{
    int    file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    size_t done = 0;

    for (ssize_t n = 1; file >= 0 && n > 0 && done < size; done += (size_t)n) {
        n = read(file, to + done, size - done);
        if (n < 0)
            n = 0;
    }
    for (; done < size; done++)
        to[done] = 0;
    if (file >= 0)
        close(file);
}

/* O_NONBLOCK: a pipe without a writer is not waited for. */
const struct tn_os tn_os_posix = {
    O_RDONLY | O_NONBLOCK,
    open_beneath,
    share_range,
    send_range,
    reserve,
    next_of_its_kind,
    next_of_its_kind,
    rename_new,
    exchange,
    unnamed_file,
    reopen,
    random_bytes,
};

#ifndef __linux__
const struct tn_os *tn_os = &tn_os_posix;
#endif
