/*
 * os.h - what the operating system offers beyond POSIX
 *
 * One table of calls for each system: Linux, and plain POSIX for all others.
 * Everything else in the library is C11 and POSIX.1-2008, with flock(2) and
 * madvise(2), which every system that we know of has.
 *
 * A call that a system does not have fails with ENOSYS, or does nothing if it
 * is only a hint; callers then have a slower or less safe alternative.
 */
#ifndef TN_IO_OS_H
#define TN_IO_OS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tn_os {
    /* Flags of open(2) for a file or folder that is only examined, or used as
     * the folder of other calls, and not read. */
    int look;

    /* openat(2) that follows no symlink and never leaves the folder. */
    int (*open_beneath)(int folder, const char *name, int flags);

    /* Both return the number of bytes, or -1.  share_range() makes blocks of
     * one file blocks of another, too, or lets a server copy them, and fails
     * where the kernel would copy every byte; both offsets are multiples of
     * 4096. send_range() copies to the target's current position, and accepts
     * pipes. */
    ssize_t (*share_range)(int from, off_t at, int to, off_t to_at,
                           size_t size);
    ssize_t (*send_range)(int from, off_t at, int to, size_t size);

    /* Reserves space in a file without making it longer.  Only a hint. */
    void (*reserve)(int file, off_t at, off_t size);

    /* The first byte at or after `at` that is data, or that is in a hole. -1
     * with ENXIO: there is none; with another error: unknown. */
    off_t (*next_data)(int file, off_t at);
    off_t (*next_hole)(int file, off_t at);

    /* Renames within a folder and fails with EEXIST if the new name exists.
     * Where the system cannot do both in one step, a file that appears in
     * between is replaced. */
    int (*rename_new)(int folder, const char *from, const char *to);
    /* Exchanges two names in one step. */
    int (*exchange)(int folder, const char *one, const char *other);

    /* A file in the folder that has no name, open for reading and writing. */
    int (*unnamed_file)(const char *folder);

    /* Opens the file behind a descriptor again, so that locks are not shared.
     */
    int (*reopen)(int file);

    /* Unpredictable bytes; zeros if the system has no source of them. */
    void (*random_bytes)(uint8_t *to, size_t size);
};

extern const struct tn_os tn_os_posix;
#ifdef __linux__
extern const struct tn_os tn_os_linux;
#endif

/* The one in use.  Tests switch to the other. */
extern const struct tn_os *tn_os;

#endif
