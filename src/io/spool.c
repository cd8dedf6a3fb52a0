/* spool.c - what was composed in pieces, as a source that can be read again */
#define _DEFAULT_SOURCE
#include "io/spool.h"

#include <unistd.h>

#include "base/watch.h"
#include "io/file_source.h"

#define BUFFER_SIZE ((size_t)128 << 10)

static enum tn_status empty_buffer(struct tn_spool *spool,
                                   struct tn_error *error)
{
    TN_TRY(tn_watch_poll(spool->memory, error));
    int number  = tn_write_all(spool->file, spool->buffer, spool->used);
    spool->used = 0;
    if (number)
        return tn_error_errno(error, number, "cannot spool to %s",
                              spool->folder);
    return TN_OK;
}

static enum tn_status spool_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct tn_spool *spool = (struct tn_spool *)sink;

    while (bytes.size) {
        size_t room = BUFFER_SIZE - spool->used;
        size_t size = bytes.size < room ? bytes.size : room;
        memcpy(spool->buffer + spool->used, bytes.data, size);
        spool->used += size;
        bytes.data += size;
        bytes.size -= size;
        if (spool->used == BUFFER_SIZE)
            TN_TRY(empty_buffer(spool, error));
    }
    return TN_OK;
}

static const struct tn_sink_ops spool_ops = { .write = spool_write };

enum tn_status tn_spool_open(struct tn_spool *spool, struct tn_memory *memory,
                             struct tn_error *error)
{
    *spool = (struct tn_spool){ .sink   = { .ops = &spool_ops },
                                .memory = memory,
                                .file   = -1 };
    TN_TRY(tn_unnamed_file(&spool->file, &spool->folder, error));
    spool->buffer = tn_memory_resize(memory, NULL, 0, BUFFER_SIZE, error);
    if (!spool->buffer)
        tn_spool_drop(spool);
    return error->status;
}

static void free_buffer(struct tn_spool *spool)
{
    tn_memory_free(spool->memory, spool->buffer, BUFFER_SIZE);
    spool->buffer = NULL;
}

enum tn_status tn_spool_finish(struct tn_spool   *spool,
                               struct tn_source **source, const char *name,
                               struct tn_error *error)
{
    *source = NULL;
    if (!tn_failed(error))
        empty_buffer(spool, error);
    if (tn_failed(error)) {
        tn_spool_drop(spool);
        return error->status;
    }
    free_buffer(spool);
    int file    = spool->file;
    spool->file = -1;
    return tn_source_file(source, spool->memory, file, name, true, error);
}

void tn_spool_drop(struct tn_spool *spool)
{
    free_buffer(spool);
    if (spool->file >= 0)
        close(spool->file);
    spool->file = -1;
}

enum tn_status tn_source_from_rope(struct tn_source    **source,
                                   struct tn_memory     *memory,
                                   const struct tn_rope *rope, const char *name,
                                   struct tn_error *error)
{
    struct tn_spool spool;

    *source = NULL;
    TN_TRY(tn_spool_open(&spool, memory, error));
    tn_rope_write(rope, &spool.sink, error);
    return tn_spool_finish(&spool, source, name, error);
}
