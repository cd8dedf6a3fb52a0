/*
 * pb_rules.h - protobuf's rules on numbers, repetition, oneofs and maps
 *
 *   numbers     64 bits: signed types and enums sign-extended, floats and
 *               doubles as their bits; narrow types keep their low half
 *   fit         a field whose wire type does not fit its type is unknown, and
 *               so is a number that a closed enum does not list; repeated
 *               numbers may be packed, whatever the schema says
 *   repetition  of a singular field the last occurrence counts; messages merge,
 *               repeated fields append
 *   oneof       a member clears the others: those count that come after the
 *               last occurrence of another member
 *   maps        the key of an entry is its last field 1; of entries with one
 *               key the last counts
 */
#ifndef TN_WIRE_PB_RULES_H
#define TN_WIRE_PB_RULES_H

#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_wire.h"

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

/* Converts the number in the file to that of the type; any bit makes a bool
 * true. */
static inline uint64_t tn_pb_decode(enum tn_pb_type type, uint64_t bits)
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
static inline uint64_t tn_pb_encode(enum tn_pb_type type, uint64_t value)
{
    if (type == TN_PB_SINT32 || type == TN_PB_SINT64)
        return tn_zigzag_encode((int64_t)value);
    if (type == TN_PB_SFIXED32)
        return (uint32_t)value;
    return value;
}

/* How the wire type of a field fits its type (NULL: unknown field). */
enum tn_pb_fit { TN_PB_FITS_NOT, TN_PB_FITS_ONE, TN_PB_FITS_PACKED };
enum tn_pb_fit tn_pb_fit(const struct tn_pb_field_type *type,
                         const struct tn_pb_field      *field);

/* A number that a closed enum does not list is an unknown field. */
static inline bool tn_pb_is_closed(const struct tn_pb_field_type *type)
{
    return type->type == TN_PB_ENUM && !type->enumeration->is_open;
}

/* Whether the field can hold this number: a closed enum only holds the values
 * that it lists. */
bool tn_pb_holds(const struct tn_pb_field_type *type, uint64_t bits);

/* Whether the field is one value of this type, neither packed nor unknown. */
bool tn_pb_is_value(const struct tn_pb_field_type *type,
                    const struct tn_pb_field      *field);

/* Whether they are members of the same oneof: each clears the other. */
static inline bool tn_pb_share_oneof(const struct tn_pb_field_type *a,
                                     const struct tn_pb_field_type *b)
{
    return a != b && a->oneof >= 0 && a->oneof == b->oneof;
}

/* Decides which occurrences of members of oneofs count; call it from the last
 * field of a message to the first. */
struct tn_pb_oneofs {
    struct tn_list members; /* by oneof: the one that stays */
};
bool tn_pb_oneofs_init(struct tn_pb_oneofs        *oneofs,
                       const struct tn_pb_message *type,
                       struct tn_memory *memory, struct tn_error *error);
bool tn_pb_oneofs_keep(struct tn_pb_oneofs           *oneofs,
                       const struct tn_pb_field_type *field);
void tn_pb_oneofs_done(struct tn_pb_oneofs *oneofs);

/* The key of a map's entry; false if it has none: then the key is zero or the
 * empty string. */
bool tn_pb_entry_key(const struct tn_pb_message *entry, struct tn_cursor body,
                     struct tn_pb_field *key);

/* Compares numbers of that type. */
int tn_pb_compare_numbers(enum tn_pb_type type, uint64_t a, uint64_t b);

#endif
