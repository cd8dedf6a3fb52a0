/*
 * file_source.c - sources over files, callbacks and standard input
 *
 * A file is mapped shared and read-only: no anonymous memory at all, however
 * big it is; but a walk from weight to weight does not use the mapping
 * (tn_source_hop). The kernel's default advice stays: structure is walked
 * forwards, where reading ahead pays, and a walk that hops over weights misses
 * so often that the kernel stops reading around it by itself.  With
 * MADV_RANDOM, a million nodes would be a million short reads.
 *
 * Weights do not come through the mapping: from BIG bytes on, read_at is a read
 * call.  It streams cold files faster than page faults do, does not count as
 * our memory, and reports an error if the file was truncated meanwhile, where a
 * page fault would be a signal.
 */
#define _DEFAULT_SOURCE
#include "io/file_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "io/os.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

#define BIG ((size_t)64 << 10)

/* What st_blocks counts in; a file that has all of them has no holes. */
#define STAT_BLOCK 512

/* A pipe is spooled in pieces of this size. */
#define SPOOL_SIZE ((size_t)256 << 10)

/* Linux reads at most 2 GiB - 4 KiB a call; stay below on every system. */
#define MOST_A_CALL ((size_t)1 << 30)

struct tn_private_map {
    uint8_t            *bytes;
    uint64_t            size;
    _Atomic unsigned    holders;
    struct tn_allocator allocator; /* of this struct                          */
};

struct file_source {
    struct tn_source source;
    _Atomic(struct tn_private_map *) private_map; /* NULL: not asked for yet */
    int              descriptor; /* -1: released, the mapping is all there is */
    uint64_t         block_size; /* of this struct with the name after it     */
    char             name[];
};

static enum tn_status fail_read(struct tn_error *error, uint64_t offset,
                                int number)
{
    if (tn_failed(error))
        return error->status;
    tn_error_errno(error, number, "cannot read");
    error->offset = offset;
    return TN_IO;
}

static enum tn_status pread_all(int descriptor, uint64_t offset, void *to,
                                size_t size, struct tn_error *error)
{
    for (uint8_t *at = to; size;) {
        ssize_t n = pread(descriptor, at, tn_min_size(size, MOST_A_CALL),
                          (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_read(error, offset, errno);
        if (n == 0)
            return tn_error_set(error, TN_IO, offset,
                                "the file became shorter while it was read");
        at += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return TN_OK;
}

static enum tn_status file_read_at(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size,
                                   struct tn_error *error)
{
    struct file_source *file = (struct file_source *)source;
    bool is_cheap = source->map && (size < BIG || file->descriptor < 0);

    if (!is_cheap)
        return pread_all(file->descriptor, offset, to, size, error);
    memcpy(to, source->map + offset, size);
    return TN_OK;
}

static void file_close(struct tn_source *source)
{
    struct file_source *file = (struct file_source *)source;

    tn_private_map_drop(atomic_load(&file->private_map));
    if (source->map && source->size)
        munmap((void *)(uintptr_t)source->map, (size_t)source->size);
    if (file->descriptor >= 0)
        close(file->descriptor);
    tn_memory_free(source->memory, file, file->block_size);
}

/* Holes are only worth knowing about when they are large. */
static uint64_t file_run(struct tn_source *source, uint64_t offset,
                         uint64_t length, bool *is_hole)
{
    int descriptor = ((struct file_source *)source)->descriptor;

    *is_hole = false;
    if (length < TN_HOLE_MIN || descriptor < 0)
        return length;
    off_t data = tn_os->next_data(descriptor, (off_t)offset);
    if (data < 0 && errno != ENXIO) /* ENXIO: nothing but a hole is left */
        return length;
    uint64_t next = data < 0 ? offset + length : (uint64_t)data;
    if (next > offset) {
        *is_hole = true;
        return tn_min(next - offset, length);
    }
    off_t hole = tn_os->next_hole(descriptor, (off_t)offset);
    return hole > (off_t)offset ? tn_min((uint64_t)hole - offset, length)
                                : length;
}

static const struct tn_source_ops file_ops = { file_read_at, file_close };

/* A file that cannot be mapped (a 32-bit machine, an address space limit, a
 * file system without it) is read instead. */
static const uint8_t *map_file(int descriptor, uint64_t size)
{
    static const uint8_t nothing[1];

    if (size == 0)
        return nothing;
    if (size > SIZE_MAX / 2)
        return NULL;
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, descriptor, 0);
    return map == MAP_FAILED ? NULL : map;
}

/* A source of `type` bytes with its name after it. */
static void *new_source(struct tn_memory *memory, uint64_t size,
                        const char *name, struct tn_error *error)
{
    uint64_t block_size = size + strlen(name) + 1;
    uint8_t *block      = tn_memory_resize(memory, NULL, 0, block_size, error);

    if (!block)
        return NULL;
    memset(block, 0, (size_t)size);
    memcpy(block + size, name, strlen(name) + 1);
    struct tn_source *source = (struct tn_source *)block;
    source->name             = (const char *)block + size;
    source->memory           = memory;
    tn_arena_init(&source->pins, memory);
    return source;
}

static enum tn_status open_file(struct tn_source **out,
                                struct tn_memory *memory, int descriptor,
                                const char *name, bool is_mapped,
                                struct tn_error *error)
{
    struct stat about;

    if (fstat(descriptor, &about) != 0)
        return tn_error_errno(error, errno, "cannot read %s", name);
    if (!S_ISREG(about.st_mode))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%s is not a regular file", name);
    struct file_source *file = new_source(memory, sizeof *file, name, error);
    if (!file)
        return error->status;
    file->block_size  = sizeof *file + strlen(name) + 1;
    file->descriptor  = descriptor;
    file->source.ops  = &file_ops;
    file->source.size = (uint64_t)about.st_size;
    if ((uint64_t)about.st_blocks * STAT_BLOCK < file->source.size)
        file->source.extent = file_run;
    if (is_mapped)
        file->source.map = map_file(descriptor, file->source.size);
    *out = &file->source;
    return TN_OK;
}

enum tn_status tn_source_file(struct tn_source **source,
                              struct tn_memory *memory, int descriptor,
                              const char *name, bool is_mapped,
                              struct tn_error *error)
{
    *source = NULL;
    enum tn_status status =
        open_file(source, memory, descriptor, name, is_mapped, error);
    if (status != TN_OK)
        close(descriptor);
    return status;
}

int tn_source_descriptor(const struct tn_source *source)
{
    if (source->ops != &file_ops)
        return -1;
    return ((const struct file_source *)source)->descriptor;
}

bool tn_source_hop(struct tn_source *source)
{
    if (tn_source_descriptor(source) < 0 || !source->map)
        return false;
    source->aside  = source->map;
    source->map    = NULL;
    source->hopped = 0;
    return true;
}

/* Through a descriptor of its own: a lock belongs to what was opened, and the
 * source's may be shared.  The lock is released at once. */
bool tn_source_is_growing(const struct tn_source *source)
{
    int         descriptor = tn_source_descriptor(source);
    struct stat about;

    if (descriptor < 0)
        return false;
    int  file    = tn_os->reopen(descriptor);
    bool is_busy = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 &&
                   errno == EWOULDBLOCK;
    if (file >= 0)
        close(file); /* and the lock */
    return is_busy || (fstat(descriptor, &about) == 0 &&
                       (uint64_t)about.st_size != source->size);
}

enum tn_status tn_source_read_few(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size, struct tn_error *error)
{
    int descriptor = tn_source_descriptor(source);

    if (descriptor < 0 || !tn_inside(offset, size, source->size))
        return tn_source_read(source, offset, to, size, error);
    enum tn_status status = pread_all(descriptor, offset, to, size, error);
    if (status != TN_OK)
        tn_error_file(error, source->name);
    return status;
}

/* Whole pages only: the first and last page may hold bytes of a neighbour. */
void tn_source_release_pages(const struct tn_source *source, uint64_t offset,
                             uint64_t length)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;

    if (source->ops != &file_ops || !source->map ||
        !tn_inside(offset, length, source->size))
        return;
    uintptr_t begin = (uintptr_t)source->map + (uintptr_t)offset;
    uintptr_t end   = (begin + (uintptr_t)length) & ~page;
    begin           = (begin + page) & ~page;
    if (begin < end)
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void tn_source_close_file(struct tn_source *source)
{
    struct file_source *file = (struct file_source *)source;

    if (source->ops != &file_ops || !source->map || file->descriptor < 0)
        return;
    close(file->descriptor);
    file->descriptor = -1;
}

/* ---- a mapping of its own, to write to ----------------------------------- */

static struct tn_private_map *new_private_map(const struct file_source *file)
{
    struct tn_allocator    allocator = file->source.memory->allocator;
    struct tn_private_map *map =
        allocator.resize(allocator.context, NULL, 0, sizeof *map);

    if (!map)
        return NULL;
    /* Pages that nobody writes to stay those of the file, so no memory is
     * reserved for them. */
    void *bytes =
        mmap(NULL, (size_t)file->source.size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_NORESERVE, file->descriptor, 0);
    if (bytes == MAP_FAILED) {
        allocator.resize(allocator.context, map, sizeof *map, 0);
        return NULL;
    }
    *map = (struct tn_private_map){ .bytes     = bytes,
                                    .size      = file->source.size,
                                    .allocator = allocator };
    atomic_init(&map->holders, 1);
    return map;
}

struct tn_private_map *tn_source_map_private(struct tn_source *source)
{
    struct file_source *file = (struct file_source *)source;

    if (source->ops != &file_ops || !source->map || !source->size ||
        file->descriptor < 0)
        return NULL;
    struct tn_private_map *map = atomic_load(&file->private_map);
    if (!map) {
        struct tn_private_map *made = new_private_map(file);
        if (!made)
            return NULL;
        /* Another thread may have mapped it first: then its mapping is used. */
        if (atomic_compare_exchange_strong(&file->private_map, &map, made))
            map = made;
        else
            tn_private_map_drop(made);
    }
    tn_private_map_hold(map);
    return map;
}

uint8_t *tn_private_map_bytes(const struct tn_private_map *map)
{
    return map->bytes;
}

void tn_private_map_hold(struct tn_private_map *map)
{
    atomic_fetch_add(&map->holders, 1);
}

void tn_private_map_drop(struct tn_private_map *map)
{
    if (!map || atomic_fetch_sub(&map->holders, 1) != 1)
        return;
    struct tn_allocator allocator = map->allocator;
    munmap(map->bytes, (size_t)map->size);
    allocator.resize(allocator.context, map, sizeof *map, 0);
}

/* ---- callbacks ------------------------------------------------------------ */

struct callback_source {
    struct tn_source source;
    uint64_t         block_size;
    int (*read_at)(void *context, uint64_t offset, void *to, size_t size);
    void *context;
};

static enum tn_status callback_read_at(struct tn_source *source,
                                       uint64_t offset, void *to, size_t size,
                                       struct tn_error *error)
{
    struct callback_source *callback = (struct callback_source *)source;

    int number = callback->read_at(callback->context, offset, to, size);
    return number ? fail_read(error, offset, number) : TN_OK;
}

static void callback_close(struct tn_source *source)
{
    struct callback_source *callback = (struct callback_source *)source;

    tn_memory_free(source->memory, callback, callback->block_size);
}

static const struct tn_source_ops callback_ops = { callback_read_at,
                                                   callback_close };

enum tn_status tn_source_callback(
    struct tn_source **source, struct tn_memory *memory, uint64_t size,
    int (*read_at)(void *context, uint64_t offset, void *to, size_t size),
    void *context, const char *name, struct tn_error *error)
{
    struct callback_source *callback;

    *source  = NULL;
    callback = new_source(memory, sizeof *callback, name, error);
    if (!callback)
        return error->status;
    callback->block_size  = sizeof *callback + strlen(name) + 1;
    callback->read_at     = read_at;
    callback->context     = context;
    callback->source.ops  = &callback_ops;
    callback->source.size = size;
    *source               = &callback->source;
    return TN_OK;
}

int tn_write_all(int file, const uint8_t *from, size_t size)
{
    while (size) {
        ssize_t n = write(file, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        from += n;
        size -= (size_t)n;
    }
    return 0;
}

/* /dev/zero would fill the disk.  Input from a terminal ends. */
static bool is_endless(int descriptor)
{
    struct stat about;

    return fstat(descriptor, &about) == 0 && S_ISCHR(about.st_mode) &&
           !isatty(descriptor);
}

static enum tn_status pour(int from, int to, uint8_t *window, const char *name,
                           const char *folder, struct tn_error *error)
{
    bool is_device = is_endless(from);

    for (;;) {
        ssize_t n = read(from, window, SPOOL_SIZE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tn_error_errno(error, errno, "cannot read %s",
                                  name[0] ? name : "the input");
        if (n == 0)
            return TN_OK;
        if (is_device)
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "this is a device without an end");
        int number = tn_write_all(to, window, (size_t)n);
        if (number)
            return tn_error_errno(error, number, "cannot spool to %s", folder);
    }
}

enum tn_status tn_unnamed_file(int *file, const char **folder,
                               struct tn_error *error)
{
    const char *wanted = getenv("TMPDIR");

    *folder = wanted && wanted[0] ? wanted : "/tmp";
    *file   = tn_os->unnamed_file(*folder);
    if (*file < 0)
        return tn_error_errno(error, errno, "cannot spool to %s", *folder);
    return TN_OK;
}

enum tn_status tn_source_spool(struct tn_source **source,
                               struct tn_memory *memory, int descriptor,
                               const char *name, struct tn_error *error)
{
    const char *folder;
    int         file;

    *source = NULL;
    TN_TRY(tn_unnamed_file(&file, &folder, error));
    uint8_t *window = tn_memory_resize(memory, NULL, 0, SPOOL_SIZE, error);
    if (window)
        pour(descriptor, file, window, name, folder, error);
    tn_memory_free(memory, window, SPOOL_SIZE);
    if (!tn_failed(error))
        return tn_source_file(source, memory, file, name, true, error);
    close(file);
    return error->status;
}
