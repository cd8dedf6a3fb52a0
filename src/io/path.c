/* path.c - the few questions about a path that need no bundle and no output */
#define _DEFAULT_SOURCE
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_source.h"

bool tn_path_exists(const char *path)
{
    struct stat about;

    return lstat(path, &about) == 0;
}

bool tn_path_is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool tn_path_is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

bool tn_path_is_broken_link(const char *path)
{
    struct stat about;

    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode) &&
           stat(path, &about) != 0;
}

int tn_path_open(const char *path, int flags)
{
    int file;

    do
        file = open(path, flags | O_CLOEXEC);
    while (file < 0 && errno == EINTR);
    return file;
}

bool tn_path_is(const char *path, const struct tn_source *source)
{
    struct stat here, there;
    int         file = tn_source_descriptor(source);

    return file >= 0 && fstat(file, &there) == 0 && stat(path, &here) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

enum tn_status tn_path_remove(const char *path, struct tn_error *error)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return TN_OK;
    return tn_error_errno(error, errno, "cannot remove %s", path);
}

enum tn_status tn_path_touch(const char *path, struct tn_error *error)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (file < 0)
        return tn_error_errno(error, errno, "cannot create %s", path);
    close(file);
    return TN_OK;
}

static int sync_path(const char *path, int flags)
{
    int file = open(path, flags | O_CLOEXEC);

    if (file < 0)
        return errno;
    int number = fsync(file) == 0 ? 0 : errno;
    close(file);
    return number;
}

static int sync_folder_of(const char *path)
{
    char        folder[4096] = ".";
    const char *slash        = strrchr(path, '/');
    size_t      size         = slash ? (size_t)(slash - path) + 1 : 0;

    if (size >= sizeof folder)
        return ENAMETOOLONG;
    if (size)
        snprintf(folder, sizeof folder, "%.*s", (int)size, path);
    return sync_path(folder, O_RDONLY | O_DIRECTORY);
}

enum tn_status tn_path_rename(const char *from, const char *to, bool is_durable,
                              struct tn_error *error)
{
    int number = is_durable ? sync_path(from, O_RDONLY) : 0;

    if (!number && rename(from, to) != 0)
        number = errno;
    if (!number && is_durable)
        number = sync_folder_of(to);
    if (number)
        return tn_error_errno(error, number, "cannot rename %s to %s", from,
                              to);
    return TN_OK;
}

/* Whether the name still means what was locked. */
static bool is_current(const char *path, int file)
{
    struct stat ours, named;

    return fstat(file, &ours) == 0 && stat(path, &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

enum tn_status tn_path_claim(const char *lock, const char *what, int *claim,
                             struct tn_error *error)
{
    for (int tries = 0; tries < 100; tries++) {
        *claim = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*claim < 0)
            return tn_error_errno(error, errno, "cannot create %s", lock);
        if (flock(*claim, LOCK_EX | LOCK_NB) == 0 && is_current(lock, *claim))
            return TN_OK;
        int number = errno;
        bool is_held = number == EWOULDBLOCK && is_current(lock, *claim);
        close(*claim);
        *claim = -1;
        if (is_held)
            break;
    }
    return tn_error_because(error, TN_BUSY, TN_REASON_TARGET_BUSY, TN_NOWHERE,
                            "%.300s is being written by another process", what);
}

void tn_path_release(const char *lock, int claim)
{
    if (claim < 0)
        return;
    unlink(lock);
    close(claim);
}
