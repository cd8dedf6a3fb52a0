/* pb_write.c - composing protobuf messages out of pieces */
#include "wire/pb/pb_write.h"

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

static void put_fixed(struct tn_rope *to, uint32_t number,
                      enum tn_wire_type type, uint64_t bits, unsigned size)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    put_head(to, number, type, 0, false);
    tn_rope_bytes(to, tn_bytes(bytes, size));
}

void tn_pb_put_fixed32(struct tn_rope *to, uint32_t number, uint32_t bits)
{
    put_fixed(to, number, TN_WIRE_FIXED32, bits, 4);
}

void tn_pb_put_fixed64(struct tn_rope *to, uint32_t number, uint64_t bits)
{
    put_fixed(to, number, TN_WIRE_FIXED64, bits, 8);
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
}
