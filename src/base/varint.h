/*
 * varint.h - numbers into buffers: base-128, zigzag, fixed width, and tags
 *
 * Reading them is cursor.h: tn_varint(), tn_u32(), tn_u64().  A tag of protobuf
 * is number << 3 | wire type.
 */
#ifndef TN_BASE_VARINT_H
#define TN_BASE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum tn_wire_type {
    TN_WIRE_VARINT      = 0,
    TN_WIRE_FIXED64     = 1,
    TN_WIRE_LEN         = 2,
    TN_WIRE_GROUP_BEGIN = 3,
    TN_WIRE_GROUP_END   = 4,
    TN_WIRE_FIXED32     = 5,
};

#define TN_VARINT_MAX 10

/* Bytes the number takes: 1 to 10. */
static inline unsigned tn_varint_size(uint64_t value)
{
    unsigned bits = 64u - (unsigned)__builtin_clzll(value | 1);

    return (bits + 6) / 7;
}

/* Writes at most TN_VARINT_MAX bytes; returns how many. */
static inline unsigned tn_varint_put(uint8_t *to, uint64_t value)
{
    unsigned n = 0;

    for (; value >= 0x80; value >>= 7)
        to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

static inline uint64_t tn_tag(uint32_t number, enum tn_wire_type type)
{
    return (uint64_t)number << 3 | type;
}

static inline void tn_buffer_varint(struct tn_buffer *buffer, uint64_t value)
{
    uint8_t *to = tn_buffer_room(buffer, TN_VARINT_MAX);

    if (to)
        buffer->size += tn_varint_put(to, value);
}

static inline void tn_buffer_u32(struct tn_buffer *buffer, uint32_t value)
{
    uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8),
                         (uint8_t)(value >> 16), (uint8_t)(value >> 24) };

    tn_buffer_add(buffer, tn_bytes(bytes, sizeof bytes));
}

static inline void tn_buffer_u64(struct tn_buffer *buffer, uint64_t value)
{
    tn_buffer_u32(buffer, (uint32_t)value);
    tn_buffer_u32(buffer, (uint32_t)(value >> 32));
}

static inline int64_t tn_zigzag_decode(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}

static inline uint64_t tn_zigzag_encode(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

#endif
