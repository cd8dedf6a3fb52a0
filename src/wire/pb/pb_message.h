/*
 * pb_message.h - reading fields of a message by its type, without parsing it
 *
 * A view is a type and the bytes.  Every call walks the bytes again, so nothing
 * is kept, and the size of payloads does not matter.  The rules of pb_rules.h
 * hold; a singular message that occurs several times is all of them merged,
 * which is why a view has parts.
 *
 * Failures are sticky in the error of the cursor the view was made from.
 */
#ifndef TN_WIRE_PB_MESSAGE_H
#define TN_WIRE_PB_MESSAGE_H

#include "wire/pb/pb_rules.h"

struct tn_pb_view {
    const struct tn_pb_message *type;
    struct tn_arena            *arena; /* for lists of parts, default bytes   */
    struct tn_error            *error;
    unsigned                    depth;
    bool                        sorts_maps; /* of tn_pb_normalize_sorted      */
    uint64_t                    part_count; /* 0: absent, all is default      */
    struct tn_cursor            part;       /* the first                      */
    const struct tn_cursor     *rest;       /* the others                     */
};

/* Numbers are decoded by type: sign-extended, zigzag undone, a bool 0 or 1,
 * float and double as bits. */
struct tn_pb_value {
    uint64_t         bits;
    struct tn_cursor body; /* strings, bytes, messages, groups              */
    uint64_t offset; /* of the tag, or in a packed series                */
};

struct tn_pb_view tn_pb_view(const struct tn_pb_message *type,
                             struct tn_cursor body, struct tn_arena *arena);

/* Every field of all parts, in the order of the file; *type is NULL for unknown
 * ones. */
struct tn_pb_fields {
    const struct tn_pb_view *view;
    uint64_t                 part;
    struct tn_cursor         cursor;
    struct tn_cursor         begin; /* at the tag of the last field given     */
};
struct tn_pb_fields tn_pb_view_fields(const struct tn_pb_view *view);
bool tn_pb_fields_next(struct tn_pb_fields *fields, struct tn_pb_field *field,
                       const struct tn_pb_field_type **type);

/* Singular numbers, bools and enums; the default if not set. */
uint64_t tn_pb_view_bits(const struct tn_pb_view       *view,
                         const struct tn_pb_field_type *field);

/* Singular string or bytes, read into memory; the default, unescaped, if not
 * set. */
struct tn_bytes tn_pb_view_text(const struct tn_pb_view       *view,
                                const struct tn_pb_field_type *field);

/* Singular message or group, with all its occurrences merged. */
struct tn_pb_view tn_pb_view_message(const struct tn_pb_view       *view,
                                     const struct tn_pb_field_type *field);

/* Repeated fields and maps, packed or not. */
struct tn_pb_items {
    struct tn_pb_fields            fields;
    const struct tn_pb_field_type *type;
    struct tn_pb_field packed; /* the series of numbers being read   */
    bool               is_in_packed;
};
struct tn_pb_items tn_pb_view_items(const struct tn_pb_view       *view,
                                    const struct tn_pb_field_type *field);
bool tn_pb_items_next(struct tn_pb_items *items, struct tn_pb_value *value);

/* The message that an item of a repeated field is. */
struct tn_pb_view tn_pb_item_message(const struct tn_pb_view       *view,
                                     const struct tn_pb_field_type *field,
                                     const struct tn_pb_value      *item);

/* The last entry with this key: a view of the entry, whose field 2 is the
 * value.  `text` is the key of a map by strings, `bits` that of the others. */
bool tn_pb_view_entry(const struct tn_pb_view       *view,
                      const struct tn_pb_field_type *field,
                      struct tn_bytes text, uint64_t bits,
                      struct tn_pb_view *entry);

#endif
