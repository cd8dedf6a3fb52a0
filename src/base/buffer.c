/* buffer.c - bytes that grow, in counted memory */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"

static enum tn_status buffer_write(struct tn_sink *sink, struct tn_bytes bytes,
                                   struct tn_error *error)
{
    struct tn_buffer *buffer = (struct tn_buffer *)sink;

    tn_buffer_add(buffer, bytes);
    if (tn_failed(buffer->error) && buffer->error != error)
        *error = *buffer->error;
    return error->status;
}

static enum tn_status buffer_patch(struct tn_sink *sink, uint64_t back,
                                   struct tn_bytes  bytes,
                                   struct tn_error *error)
{
    struct tn_buffer *buffer = (struct tn_buffer *)sink;

    if (back > buffer->size)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the buffer was emptied meanwhile");
    memcpy(buffer->data + (buffer->size - back), bytes.data, bytes.size);
    return TN_OK;
}

/* Straight into its place. */
static enum tn_status buffer_splice(struct tn_sink *sink, struct tn_span span,
                                    struct tn_error *error)
{
    struct tn_buffer *buffer = (struct tn_buffer *)sink;
    uint8_t          *to =
        tn_buffer_room(buffer, (size_t)tn_min(span.length, SIZE_MAX / 2));

    if (!to) {
        if (buffer->error != error)
            *error = *buffer->error;
        return error->status;
    }
    TN_TRY(tn_source_read(span.source, span.offset, to, (size_t)span.length,
                          error));
    buffer->size += (size_t)span.length;
    return TN_OK;
}

static const struct tn_sink_ops buffer_ops = { .write  = buffer_write,
                                               .splice = buffer_splice,
                                               .patch  = buffer_patch };

void tn_buffer_init(struct tn_buffer *buffer, struct tn_memory *memory,
                    struct tn_error *error)
{
    *buffer = (struct tn_buffer){ .sink   = { .ops = &buffer_ops },
                                  .memory = memory,
                                  .error  = error };
}

void tn_buffer_done(struct tn_buffer *buffer)
{
    tn_memory_free(buffer->memory, buffer->data, buffer->room);
    tn_buffer_init(buffer, buffer->memory, buffer->error);
}

void tn_buffer_clear(struct tn_buffer *buffer)
{
    buffer->size = 0;
}

uint8_t *tn_buffer_room(struct tn_buffer *buffer, size_t size)
{
    uint64_t needed;

    if (tn_failed(buffer->error))
        return NULL;
    if (buffer->data && size <= buffer->room - buffer->size)
        return buffer->data + buffer->size;
    if (!tn_add(buffer->size, size, &needed))
        needed = UINT64_MAX;
    uint64_t room = tn_max(needed, (uint64_t)buffer->room * 2);
    room          = tn_max(room, 64);
    uint8_t *data = tn_memory_resize(buffer->memory, buffer->data, buffer->room,
                                     room, buffer->error);
    if (!data)
        return NULL;
    buffer->data = data;
    buffer->room = (size_t)room;
    return data + buffer->size;
}

void tn_buffer_add(struct tn_buffer *buffer, struct tn_bytes bytes)
{
    if (bytes.size == 0)
        return;
    uint8_t *to = tn_buffer_room(buffer, bytes.size);
    if (!to)
        return;
    memcpy(to, bytes.data, bytes.size);
    buffer->size += bytes.size;
}

void tn_buffer_byte(struct tn_buffer *buffer, uint8_t byte)
{
    uint8_t *to = tn_buffer_room(buffer, 1);

    if (!to)
        return;
    *to = byte;
    buffer->size++;
}

void tn_buffer_text(struct tn_buffer *buffer, const char *text)
{
    tn_buffer_add(buffer, tn_text(text));
}

void tn_buffer_format(struct tn_buffer *buffer, const char *format, ...)
{
    va_list arguments, again;

    va_start(arguments, format);
    va_copy(again, arguments);
    int   size = vsnprintf(NULL, 0, format, arguments);
    char *to   = NULL;
    if (size > 0)
        to = (char *)tn_buffer_room(buffer, (size_t)size + 1);
    if (to) {
        vsnprintf(to, (size_t)size + 1, format, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
    va_end(arguments);
}

const char *tn_buffer_string(struct tn_buffer *buffer)
{
    uint8_t *end = tn_buffer_room(buffer, 1);

    if (!end)
        return "";
    *end = '\0';
    return (const char *)buffer->data;
}

int tn_buffer_read_at(void *buffer, uint64_t offset, void *to, size_t size)
{
    const struct tn_buffer *from = buffer;

    if (size)
        memcpy(to, from->data + offset, size);
    return 0;
}
