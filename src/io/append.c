/* append.c - a file that is there already and grows in place */
#define _DEFAULT_SOURCE
#include "io/append.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file_sink.h"
#include "io/file_source.h"
#include "io/meter.h"

/* How often the name may be given to another file while we wait. */
#define TRIES 100

struct tn_append {
    struct tn_memory        *memory;
    struct tn_append_options options;
    struct tn_arena          arena;
    const char              *path;
    int                      file; /* holds the lock                          */
    struct tn_source        *source;
    struct tn_file_pool      pool;
    struct tn_file_sink      sink;
    struct tn_metered_sink   metered; /* in front of it, with a meter         */
    uint64_t                 begin; /* what was there and counts              */
    bool                     has_begun;
    bool                     is_committed;
};

static enum tn_status lock_file(struct tn_append *a, struct tn_error *error)
{
    int how = LOCK_EX | (a->options.can_wait ? 0 : LOCK_NB);

    while (flock(a->file, how) != 0) {
        if (errno == EWOULDBLOCK)
            return tn_error_because(
                error, TN_BUSY, TN_REASON_TARGET_BUSY, TN_NOWHERE,
                "%.120s is being written by another process", a->path);
        if (errno != EINTR)
            return tn_error_errno(error, errno, "cannot lock %s", a->path);
    }
    return TN_OK;
}

/* Whether the name still means what was locked. */
static bool is_current(const struct tn_append *a)
{
    struct stat ours, named;

    return fstat(a->file, &ours) == 0 && stat(a->path, &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static enum tn_status open_locked(struct tn_append *a, struct tn_error *error)
{
    for (int i = 0; i < TRIES; i++) {
        a->file = open(a->path, O_RDWR | O_CLOEXEC);
        if (a->file < 0)
            return tn_error_errno(error, errno, "cannot open %s", a->path);
        TN_TRY(lock_file(a, error));
        if (is_current(a))
            return TN_OK;
        close(a->file);
        a->file = -1;
    }
    return tn_error_because(
        error, TN_BUSY, TN_REASON_TARGET_BUSY, TN_NOWHERE,
        "%.120s is being replaced repeatedly by another process", a->path);
}

static int duplicate(const struct tn_append *a, struct tn_error *error)
{
    int file = fcntl(a->file, F_DUPFD_CLOEXEC, 3);

    if (file < 0)
        tn_error_errno(error, errno, "cannot open %s", a->path);
    return file;
}

static enum tn_status open_append(struct tn_append *a, const char *path,
                                  struct tn_error *error)
{
    a->path = tn_text_dup(&a->arena, path, error);
    if (!a->path)
        return error->status;
    TN_TRY(open_locked(a, error));
    int file = duplicate(a, error);
    if (file < 0)
        return error->status;
    return tn_source_file(&a->source, a->memory, file, a->path, true, error);
}

enum tn_status tn_append_open(struct tn_append **append,
                              struct tn_memory *memory, const char *path,
                              const struct tn_append_options *options,
                              struct tn_error                *error)
{
    struct tn_append *a = tn_memory_resize(memory, NULL, 0, sizeof *a, error);

    *append = NULL;
    if (!a)
        return error->status;
    *a = (struct tn_append){ .memory = memory, .file = -1 };
    if (options)
        a->options = *options;
    tn_arena_init(&a->arena, memory);
    tn_file_pool_init(&a->pool, memory, AT_FDCWD, a->options.hook);
    if (open_append(a, path, error) == TN_OK)
        *append = a;
    else
        tn_append_close(a);
    return error->status;
}

struct tn_source *tn_append_source(const struct tn_append *append)
{
    return append->source;
}

static enum tn_status cut_off(struct tn_append *a, uint64_t size,
                              struct tn_error *error)
{
    int number = tn_file_pool_step(&a->pool, "truncate", a->path);

    if (!number && ftruncate(a->file, (off_t)size) != 0)
        number = errno;
    if (number)
        return tn_error_errno(error, number, "cannot truncate %s", a->path);
    return TN_OK;
}

enum tn_status tn_append_begin(struct tn_append *append, uint64_t offset,
                               struct tn_sink **sink, struct tn_error *error)
{
    *sink = NULL;
    if (append->has_begun || offset > append->source->size)
        return tn_error_set(error, TN_INVALID, offset,
                            "an append has one begin, inside the file");
    if (offset < append->source->size)
        TN_TRY(cut_off(append, offset, error));
    int file = duplicate(append, error);
    if (file < 0)
        return error->status;
    TN_TRY(tn_file_sink_init(&append->sink, &append->pool, append->path, file,
                             false, error));
    append->sink.position = append->sink.reach = append->begin = offset;
    append->sink.origin                                        = offset;
    append->has_begun                                          = true;
    *sink = &append->sink.sink;
    if (append->options.meter) {
        tn_metered_sink_init(&append->metered, *sink, append->options.meter);
        *sink = &append->metered.sink;
    }
    return TN_OK;
}

enum tn_status tn_append_sync(struct tn_append *append, struct tn_error *error)
{
    TN_TRY(tn_file_pool_flush(&append->pool, error));
    if (!append->options.is_durable)
        return TN_OK;
    int number = tn_file_pool_step(&append->pool, "sync", append->path);
    if (!number && fdatasync(append->file) != 0)
        number = errno;
    if (number)
        return tn_error_errno(error, number, "cannot sync %s", append->path);
    return TN_OK;
}

void tn_append_commit(struct tn_append *append)
{
    append->is_committed = true;
}

void tn_append_close(struct tn_append *append)
{
    struct tn_error ignored = TN_ERROR_INIT;

    if (!append)
        return;
    tn_file_pool_done(&append->pool);
    if (append->has_begun && !append->is_committed)
        (void)cut_off(append, append->begin, &ignored);
    tn_source_close(append->source);
    if (append->file >= 0)
        close(append->file);
    tn_arena_done(&append->arena);
    tn_memory_free(append->memory, append, sizeof *append);
}
