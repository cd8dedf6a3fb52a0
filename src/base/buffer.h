/*
 * buffer.h - bytes that grow, in counted memory
 *
 * Sticky like the cursor: after a failed allocation appends do nothing, and the
 * error is checked once, at the end.  A buffer is also a sink.
 */
#ifndef TN_BASE_BUFFER_H
#define TN_BASE_BUFFER_H

#include "base/byte_view.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sink.h"

struct tn_buffer {
    struct tn_sink    sink; /* first, so that a buffer is a sink              */
    struct tn_memory *memory;
    struct tn_error  *error;
    uint8_t          *data;
    size_t            size;
    size_t            room;
};

void tn_buffer_init(struct tn_buffer *buffer, struct tn_memory *memory,
                    struct tn_error *error);
void tn_buffer_done(struct tn_buffer *buffer);

/* Empties the buffer and keeps its memory. */
void tn_buffer_clear(struct tn_buffer *buffer);

/* Room for `size` more bytes at the end, to be filled by the caller, who then
 * adds to ->size.  NULL on failure. */
uint8_t *tn_buffer_room(struct tn_buffer *buffer, size_t size);

void tn_buffer_add(struct tn_buffer *buffer, struct tn_bytes bytes);
void tn_buffer_byte(struct tn_buffer *buffer, uint8_t byte);
void tn_buffer_text(struct tn_buffer *buffer, const char *text);
void tn_buffer_format(struct tn_buffer *buffer, const char *format, ...)
    TN_PRINTF(2, 3);

static inline struct tn_bytes tn_buffer_bytes(const struct tn_buffer *buffer)
{
    return tn_bytes(buffer->data, buffer->size);
}

/* The contents as a C string, valid until the next append; "" on failure. */
const char *tn_buffer_string(struct tn_buffer *buffer);

/* A tn_read_at over a buffer, for offsets and sizes that are inside of it. */
int tn_buffer_read_at(void *buffer, uint64_t offset, void *to, size_t size);

#endif
