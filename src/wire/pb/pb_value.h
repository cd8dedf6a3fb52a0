/*
 * pb_value.h - one number of a field: what the wire's bits mean and back
 *
 * A value is 64 bits: signed types sign-extended, unsigned, bools and enums
 * (sign-extended) as they are, floats and doubles as their bits.
 */
#ifndef TN_WIRE_PB_VALUE_H
#define TN_WIRE_PB_VALUE_H

#include "wire/pb/pb_schema.h"

static inline bool tn_pb_is_signed(enum tn_pb_type type)
{
    return type == TN_PB_INT32 || type == TN_PB_INT64 || type == TN_PB_SINT32 ||
           type == TN_PB_SINT64 || type == TN_PB_SFIXED32 ||
           type == TN_PB_SFIXED64 || type == TN_PB_ENUM;
}

static inline bool tn_pb_is_32bit(enum tn_pb_type type)
{
    return type == TN_PB_INT32 || type == TN_PB_UINT32 ||
           type == TN_PB_SINT32 || type == TN_PB_FIXED32 ||
           type == TN_PB_SFIXED32 || type == TN_PB_ENUM;
}

static inline bool tn_pb_is_message(enum tn_pb_type type)
{
    return type == TN_PB_MESSAGE || type == TN_PB_GROUP;
}

static inline bool tn_pb_is_blob(enum tn_pb_type type)
{
    return type == TN_PB_STRING || type == TN_PB_BYTES;
}

/* Narrow types keep their low half, as protobuf does; a bool is any bit. */
static inline uint64_t tn_pb_value_of_wire(enum tn_pb_type type, uint64_t bits)
{
    if (type == TN_PB_BOOL)
        return bits != 0;
    if (type == TN_PB_SINT32)
        return (uint64_t)tn_zigzag_decode((uint32_t)bits);
    if (type == TN_PB_SINT64)
        return (uint64_t)tn_zigzag_decode(bits);
    if (!tn_pb_is_32bit(type))
        return bits;
    return tn_pb_is_signed(type) ? (uint64_t)(int32_t)(uint32_t)bits
                                 : (uint32_t)bits;
}

/* The one canonical encoding. */
static inline uint64_t tn_pb_wire_of_value(enum tn_pb_type type, uint64_t value)
{
    if (type == TN_PB_SINT32 || type == TN_PB_SINT64)
        return tn_zigzag_encode((int64_t)value);
    if (type == TN_PB_SFIXED32)
        return (uint32_t)value;
    return value;
}

#endif
