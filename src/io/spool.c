/* spool.c - what was composed in pieces, as a source that can be read again */
#define _GNU_SOURCE
#include "io/spool.h"

#include <unistd.h>

#include "io/file_source.h"

#define BUFFER_SIZE ((size_t)128 << 10)

struct spool_sink {
    struct tn_sink sink;
    const char    *folder;
    int            file;
    size_t         used;
    uint8_t       *buffer;
};

static enum tn_status empty_buffer(struct spool_sink *spool,
                                   struct tn_error   *error)
{
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
    struct spool_sink *spool = (struct spool_sink *)sink;

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

enum tn_status tn_source_from_rope(struct tn_source    **source,
                                   struct tn_memory     *memory,
                                   const struct tn_rope *rope, const char *name,
                                   struct tn_error *error)
{
    struct spool_sink spool = { .sink = { .ops = &spool_ops } };

    *source = NULL;
    TN_TRY(tn_unnamed_file(&spool.file, &spool.folder, error));
    spool.buffer = tn_memory_resize(memory, NULL, 0, BUFFER_SIZE, error);
    if (spool.buffer && tn_rope_write(rope, &spool.sink, error) == TN_OK)
        empty_buffer(&spool, error);
    tn_memory_free(memory, spool.buffer, BUFFER_SIZE);
    if (!tn_failed(error))
        return tn_source_file(source, memory, spool.file, name, true, error);
    close(spool.file);
    return error->status;
}
