/* overwrite.c - a few bytes of an existing file, changed in place */
#include "io/overwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "io/file_source.h"

bool tn_overwrite_is_file(const char *path, const struct tn_source *source)
{
    struct stat here, there;
    int         file = tn_source_descriptor(source);

    return file >= 0 && fstat(file, &there) == 0 && stat(path, &here) == 0 &&
           S_ISREG(here.st_mode) && here.st_nlink == 1 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

static enum tn_status fail(const char *path, struct tn_error *error)
{
    tn_error_set(error, TN_IO, TN_NOWHERE, "cannot write: %s", strerror(errno));
    tn_error_file(error, path);
    return error->status;
}

static enum tn_status write_bytes(int file, const char *path, uint64_t offset,
                                  struct tn_bytes bytes, bool is_durable,
                                  struct tn_error *error)
{
    struct stat about;

    if (fstat(file, &about) != 0)
        return fail(path, error);
    if (!tn_inside(offset, bytes.size, (uint64_t)about.st_size))
        return tn_error_set(error, TN_INVALID, offset,
                            "%zu bytes past the end of the file", bytes.size);
    ssize_t done = pwrite(file, bytes.data, bytes.size, (off_t)offset);
    if (done < 0)
        return fail(path, error);
    if ((size_t)done != bytes.size)
        return tn_error_set(error, TN_IO, offset,
                            "only %zd of %zu bytes were written", done,
                            bytes.size);
    return is_durable && fsync(file) != 0 ? fail(path, error) : TN_OK;
}

enum tn_status tn_overwrite(const char *path, uint64_t offset,
                            struct tn_bytes bytes, bool is_durable,
                            struct tn_error *error)
{
    if (bytes.size == 0)
        return TN_OK;
    if (bytes.size > TN_OVERWRITE_PAGE ||
        offset / TN_OVERWRITE_PAGE !=
            (offset + bytes.size - 1) / TN_OVERWRITE_PAGE)
        return tn_error_set(error, TN_INVALID, offset,
                            "%zu bytes that are not in one page", bytes.size);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return fail(path, error);
    write_bytes(file, path, offset, bytes, is_durable, error);
    if (close(file) != 0 && !tn_failed(error))
        fail(path, error);
    return error->status;
}
