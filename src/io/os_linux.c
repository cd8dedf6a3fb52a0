/* os_linux.c - the calls of os.h as Linux has them */
#ifdef __linux__
#define _GNU_SOURCE
#include "io/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A rename elsewhere can make openat2 unsure; it then asks to be called again.
 * A process that renames all the time must not block us forever. */
#define TRIES 64

static int open_beneath(int folder, const char *name, int flags)
{
    struct open_how how = { .flags   = (uint64_t)(uint32_t)flags,
                            .mode    = flags & O_CREAT ? 0666 : 0,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                                       RESOLVE_NO_MAGICLINKS };

    for (int i = 0; i < TRIES; i++) {
        long file = syscall(SYS_openat2, folder, name, &how, sizeof how);
        if (file >= 0)
            return (int)file;
        if (errno != EAGAIN && errno != EINTR)
            break;
    }
    /* A sandbox that does not know the call fails with EPERM. */
    if (errno == EPERM)
        errno = ENOSYS;
    return -1;
}

/* File systems whose server copies within itself, by their magic numbers. */
static bool is_far(int file)
{
    struct statfs about;

    if (fstatfs(file, &about) != 0)
        return false;
    switch ((uint32_t)about.f_type) {
    case NFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case CEPH_SUPER_MAGIC: return true;
    default: return false;
    }
}

/* Only whole blocks can be shared. */
static ssize_t share_range(int from, off_t at, int to, off_t to_at, size_t size)
{
    if (is_far(to))
        return copy_file_range(from, &at, to, &to_at, size, 0);
    struct file_clone_range range = { .src_fd      = from,
                                      .src_offset  = (uint64_t)at,
                                      .src_length  = size & ~(size_t)4095,
                                      .dest_offset = (uint64_t)to_at };
    if (range.src_length == 0) { /* which would mean: to the end of the file */
        errno = EINVAL;
        return -1;
    }
    return ioctl(to, FICLONERANGE, &range) ? -1 : (ssize_t)range.src_length;
}

static ssize_t send_range(int from, off_t at, int to, size_t size)
{
    return sendfile(to, from, &at, size);
}

static void reserve(int file, off_t at, off_t size)
{
    (void)fallocate(file, FALLOC_FL_KEEP_SIZE, at, size);
}

static off_t next_data(int file, off_t at)
{
    return lseek(file, at, SEEK_DATA);
}

static off_t next_hole(int file, off_t at)
{
    return lseek(file, at, SEEK_HOLE);
}

/* Some file systems know only the plain rename. */
static int rename_new(int folder, const char *from, const char *to)
{
    if (!renameat2(folder, from, folder, to, RENAME_NOREPLACE))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return tn_os_posix.rename_new(folder, from, to);
}

static int exchange(int folder, const char *one, const char *other)
{
    int result = renameat2(folder, one, folder, other, RENAME_EXCHANGE);

    if (result && errno == EINVAL)
        errno = ENOSYS;
    return result;
}

static int unnamed_file(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    return file >= 0 ? file : tn_os_posix.unnamed_file(folder);
}

static int reopen(int file)
{
    char path[40];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static void random_bytes(uint8_t *to, size_t size)
{
    if (getrandom(to, size, 0) != (ssize_t)size)
        tn_os_posix.random_bytes(to, size);
}

const struct tn_os tn_os_linux = {
    O_PATH,    open_beneath, share_range, send_range,   reserve, next_data,
    next_hole, rename_new,   exchange,    unnamed_file, reopen,  random_bytes,
};

const struct tn_os *tn_os = &tn_os_linux;

#else
/* ISO C forbids an empty file. */
typedef int tn_os_linux_is_not_here;
#endif
