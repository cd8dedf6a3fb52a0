/* path.c - the few questions about a path that need no bundle and no output */
#define _DEFAULT_SOURCE
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
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
