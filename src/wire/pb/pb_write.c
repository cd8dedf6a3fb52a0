/* pb_write.c - writes protobuf messages as ropes */
#include "wire/pb/pb_write.h"

#include "base/little.h"

static void put_head(struct tn_rope *to, uint32_t number,
                     enum tn_wire_type type, uint64_t value, bool has_value)
{
    uint8_t  head[2 * TN_VARINT_MAX];
    unsigned size = tn_varint_put(head, tn_tag(number, type));

    if (has_value)
        size += tn_varint_put(head + size, value);
    tn_rope_bytes(to, tn_bytes(head, size));
}

void tn_pb_put_varint(struct tn_rope *to, uint32_t number, uint64_t value)
{
    put_head(to, number, TN_WIRE_VARINT, value, true);
}

void tn_pb_put_len(struct tn_rope *to, uint32_t number, uint64_t size)
{
    put_head(to, number, TN_WIRE_LEN, size, true);
}

void tn_pb_put_bare(struct tn_rope *to, enum tn_wire_type type, uint64_t bits)
{
    uint8_t  bytes[TN_VARINT_MAX];
    unsigned size = type == TN_WIRE_FIXED64 ? 8 : 4;

    if (type == TN_WIRE_VARINT)
        size = tn_varint_put(bytes, bits);
    else
        tn_store_little(bytes, bits, size);
    tn_rope_bytes(to, tn_bytes(bytes, size));
}

void tn_pb_put_number(struct tn_rope *to, uint32_t number,
                      enum tn_wire_type type, uint64_t bits)
{
    put_head(to, number, type, 0, false);
    tn_pb_put_bare(to, type, bits);
}

void tn_pb_put_fixed32(struct tn_rope *to, uint32_t number, uint32_t bits)
{
    tn_pb_put_number(to, number, TN_WIRE_FIXED32, bits);
}

void tn_pb_put_fixed64(struct tn_rope *to, uint32_t number, uint64_t bits)
{
    tn_pb_put_number(to, number, TN_WIRE_FIXED64, bits);
}

void tn_pb_put_bytes(struct tn_rope *to, uint32_t number, struct tn_bytes bytes)
{
    put_head(to, number, TN_WIRE_LEN, bytes.size, true);
    tn_rope_bytes(to, bytes);
}

void tn_pb_put_text(struct tn_rope *to, uint32_t number, const char *text)
{
    tn_pb_put_bytes(to, number, tn_text(text));
}

void tn_pb_put_span(struct tn_rope *to, uint32_t number, struct tn_span body)
{
    put_head(to, number, TN_WIRE_LEN, body.length, true);
    tn_rope_span(to, body);
}

void tn_pb_put_producer(struct tn_rope *to, uint32_t number,
                        const struct tn_producer *body)
{
    put_head(to, number, TN_WIRE_LEN, body->length, true);
    tn_rope_producer(to, body);
}

void tn_pb_put_message(struct tn_rope *to, uint32_t number,
                       struct tn_rope *message)
{
    put_head(to, number, TN_WIRE_LEN, message->length, true);
    tn_rope_append(to, message);
    tn_rope_done(message);
}

void tn_pb_put_group(struct tn_rope *to, uint32_t number, struct tn_rope *group)
{
    put_head(to, number, TN_WIRE_GROUP_BEGIN, 0, false);
    tn_rope_append(to, group);
    tn_rope_done(group);
    put_head(to, number, TN_WIRE_GROUP_END, 0, false);
}
