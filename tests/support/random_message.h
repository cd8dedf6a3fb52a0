/*
 * random_message.h - messages of any schema, and schemas, made by dice
 *
 * What comes out is legal protobuf with everything in it that readers disagree
 * about: fields given twice, members of a oneof that clear each other, packed
 * and unpacked numbers, groups, maps of all kinds, unknown fields, messages of
 * nothing.  A seed always gives the same.
 */
#ifndef TN_TESTS_RANDOM_MESSAGE_H
#define TN_TESTS_RANDOM_MESSAGE_H

#include <stdio.h>

#include "base/buffer.h"
#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_rules.h"
#include "wire/pb/pb_wire.h"

/* ---- dice ---------------------------------------------------------------- */

struct tn_dice {
    uint64_t state;
};

static inline struct tn_dice tn_dice_of(uint64_t seed)
{
    return (struct tn_dice){ seed * 0x9e3779b97f4a7c15ull };
}

static inline uint64_t tn_roll(struct tn_dice *dice, uint64_t sides)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return dice->state % sides;
}

/* ---- fields -------------------------------------------------------------- */

static inline void tn_put_body(struct tn_buffer *to, uint32_t number,
                               const struct tn_buffer *body)
{
    tn_buffer_varint(to, tn_tag(number, TN_WIRE_LEN));
    tn_buffer_varint(to, body->size);
    tn_buffer_add(to, tn_buffer_bytes(body));
}

static inline void tn_put_text(struct tn_buffer *to, uint32_t number,
                               const char *text)
{
    tn_buffer_varint(to, tn_tag(number, TN_WIRE_LEN));
    tn_buffer_varint(to, strlen(text));
    tn_buffer_text(to, text);
}

static inline void tn_put_number(struct tn_buffer *to, uint32_t number,
                                 uint64_t value)
{
    tn_buffer_varint(to, tn_tag(number, TN_WIRE_VARINT));
    tn_buffer_varint(to, value);
}

/* ---- messages ------------------------------------------------------------ */

#define TN_RANDOM_LONGEST 200 /* string or bytes */

static inline void tn_random_message(struct tn_dice             *dice,
                                     const struct tn_pb_message *type,
                                     unsigned depth, struct tn_buffer *to);

static inline void tn_random_number(struct tn_dice   *dice,
                                    enum tn_wire_type wire,
                                    struct tn_buffer *to)
{
    if (wire == TN_WIRE_VARINT)
        tn_buffer_varint(to, tn_roll(dice, 4) ? tn_roll(dice, 300)
                                              : tn_roll(dice, UINT64_MAX));
    else if (wire == TN_WIRE_FIXED64)
        tn_buffer_u64(to, tn_roll(dice, UINT64_MAX));
    else
        tn_buffer_u32(to, (uint32_t)tn_roll(dice, UINT32_MAX));
}

/* The body of a message, of a string, or of packed numbers. */
static inline void tn_random_body(struct tn_dice                *dice,
                                  const struct tn_pb_field_type *field,
                                  unsigned depth, struct tn_buffer *to)
{
    enum tn_wire_type wire = tn_pb_wire_type(field->type);
    uint64_t          n;

    if (field->message) {
        tn_random_message(dice, field->message, depth + 1, to);
    } else if (wire == TN_WIRE_LEN) {
        n = tn_roll(dice, 8) ? tn_roll(dice, 12)
                             : tn_roll(dice, TN_RANDOM_LONGEST);
        for (; n; n--)
            tn_buffer_byte(to, (uint8_t)('a' + tn_roll(dice, 26)));
    } else {
        n = tn_roll(dice, 8) ? tn_roll(dice, 6) : tn_roll(dice, 400);
        for (; n; n--)
            tn_random_number(dice, wire, to);
    }
}

static inline void tn_random_field(struct tn_dice                *dice,
                                   const struct tn_pb_field_type *field,
                                   unsigned depth, struct tn_buffer *to)
{
    enum tn_wire_type wire = tn_pb_wire_type(field->type);
    struct tn_buffer  body;

    if (field->type == TN_PB_GROUP) {
        tn_buffer_varint(to, tn_tag(field->number, TN_WIRE_GROUP_BEGIN));
        tn_random_message(dice, field->message, depth + 1, to);
        tn_buffer_varint(to, tn_tag(field->number, TN_WIRE_GROUP_END));
        return;
    }
    if (wire != TN_WIRE_LEN &&
        (field->label != TN_PB_REPEATED || tn_roll(dice, 2))) {
        tn_buffer_varint(to, tn_tag(field->number, wire));
        tn_random_number(dice, wire, to);
        return;
    }
    tn_buffer_init(&body, to->memory, to->error);
    tn_random_body(dice, field, depth, &body);
    tn_put_body(to, field->number, &body);
    tn_buffer_done(&body);
}

static inline void tn_random_message(struct tn_dice             *dice,
                                     const struct tn_pb_message *type,
                                     unsigned depth, struct tn_buffer *to)
{
    uint64_t count = type->is_map_entry ? 2 : tn_roll(dice, depth < 4 ? 14 : 2);

    for (uint64_t i = 0; i < count && type->field_count; i++) {
        uint64_t which =
            type->is_map_entry ? i : tn_roll(dice, type->field_count);
        if (depth < 6 || !type->fields[which].message)
            tn_random_field(dice, &type->fields[which], depth, to);
    }
    if (!tn_roll(dice, 20) && !type->is_map_entry)
        tn_put_text(to, 19999, "???");
}

/* ---- schemas ------------------------------------------------------------- */

/* FileDescriptorSet { file { package "r", messages M0 ... } }, of which each
 * has some fields of everything, of a schema of proto2 (groups) or proto3. */
#define TN_RANDOM_TYPES 4
#define TN_RANDOM_ROOT  "r.M0"

enum { /* of descriptor.proto */
       TN_DESCRIPTOR_GROUP   = 10,
       TN_DESCRIPTOR_MESSAGE = 11,
       TN_DESCRIPTOR_ENUM    = 14,
};

static inline void tn_random_type(struct tn_dice *dice, bool has_groups,
                                  struct tn_buffer *field)
{
    uint64_t type = 1 + tn_roll(dice, 18);
    char     name[40];

    if (type == TN_DESCRIPTOR_GROUP && !has_groups)
        type = TN_DESCRIPTOR_MESSAGE;
    tn_put_number(field, 5, type);
    snprintf(name, sizeof name, ".r.M%d", (int)tn_roll(dice, TN_RANDOM_TYPES));
    if (type == TN_DESCRIPTOR_ENUM)
        tn_put_text(field, 6, ".r.E");
    else if (type == TN_DESCRIPTOR_GROUP || type == TN_DESCRIPTOR_MESSAGE)
        tn_put_text(field, 6, name);
}

/* The entry of a map, as a nested type of M<owner>. */
static inline void tn_random_entry(struct tn_dice *dice, int number,
                                   struct tn_buffer *owner)
{
    static const uint8_t keys[] = { 3, 4, 5, 8, 9, 13 };
    struct tn_buffer     entry, field, options;
    char                 name[40];

    tn_buffer_init(&entry, owner->memory, owner->error);
    tn_buffer_init(&field, owner->memory, owner->error);
    tn_buffer_init(&options, owner->memory, owner->error);
    snprintf(name, sizeof name, "F%dEntry", number);
    tn_put_text(&entry, 1, name);
    tn_put_text(&field, 1, "key");
    tn_put_number(&field, 3, 1);
    tn_put_number(&field, 4, 1);
    tn_put_number(&field, 5, keys[tn_roll(dice, sizeof keys)]);
    tn_put_body(&entry, 2, &field);
    tn_buffer_clear(&field);
    tn_put_text(&field, 1, "value");
    tn_put_number(&field, 3, 2);
    tn_put_number(&field, 4, 1);
    tn_random_type(dice, false, &field);
    tn_put_body(&entry, 2, &field);
    tn_put_number(&options, 7, 1);
    tn_put_body(&entry, 7, &options);
    tn_put_body(owner, 3, &entry);
    tn_buffer_done(&entry);
    tn_buffer_done(&field);
    tn_buffer_done(&options);
}

static inline void tn_random_field_type(struct tn_dice *dice, int owner,
                                        int number, bool is_old,
                                        struct tn_buffer *to)
{
    struct tn_buffer field;
    char             name[40];
    uint64_t         kind = tn_roll(dice, 8); /* 0 map, 1 oneof, 2-4 many */

    tn_buffer_init(&field, to->memory, to->error);
    snprintf(name, sizeof name, "f%d", number);
    tn_put_text(&field, 1, name);
    tn_put_number(&field, 3, (uint64_t)number);
    tn_put_number(&field, 4, kind == 0 || (kind >= 2 && kind <= 4) ? 3 : 1);
    if (kind == 0) {
        snprintf(name, sizeof name, ".r.M%d.F%dEntry", owner, number);
        tn_put_number(&field, 5, TN_DESCRIPTOR_MESSAGE);
        tn_put_text(&field, 6, name);
        tn_random_entry(dice, number, to);
    } else {
        tn_random_type(dice, is_old, &field);
    }
    if (kind == 1)
        tn_put_number(&field, 9, 0);
    tn_put_body(to, 2, &field);
    tn_buffer_done(&field);
}

static inline void tn_random_message_type(struct tn_dice *dice, int owner,
                                          bool is_old, struct tn_buffer *file)
{
    struct tn_buffer message, oneof;
    char             name[40];
    int              number = 0;

    tn_buffer_init(&message, file->memory, file->error);
    tn_buffer_init(&oneof, file->memory, file->error);
    snprintf(name, sizeof name, "M%d", owner);
    tn_put_text(&message, 1, name);
    for (uint64_t n = owner ? tn_roll(dice, 8) : 8; n; n--) {
        number += 1 + (int)tn_roll(dice, tn_roll(dice, 6) ? 3 : 3000);
        tn_random_field_type(dice, owner, number, is_old, &message);
    }
    tn_put_text(&oneof, 1, "one");
    tn_put_body(&message, 8, &oneof);
    tn_put_body(file, 4, &message);
    tn_buffer_done(&message);
    tn_buffer_done(&oneof);
}

static inline void tn_random_enum(struct tn_buffer *file)
{
    static const char *const names[] = { "ZERO", "ONE", "TWO" };
    struct tn_buffer         type, value;

    tn_buffer_init(&type, file->memory, file->error);
    tn_buffer_init(&value, file->memory, file->error);
    tn_put_text(&type, 1, "E");
    for (uint64_t i = 0; i < 3; i++) {
        tn_buffer_clear(&value);
        tn_put_text(&value, 1, names[i]);
        tn_put_number(&value, 2, i);
        tn_put_body(&type, 2, &value);
    }
    tn_put_body(file, 5, &type);
    tn_buffer_done(&type);
    tn_buffer_done(&value);
}

static inline void tn_random_schema(struct tn_dice *dice, struct tn_buffer *set)
{
    struct tn_buffer file;
    bool             is_old = tn_roll(dice, 2);

    tn_buffer_init(&file, set->memory, set->error);
    tn_put_text(&file, 1, "r.proto");
    tn_put_text(&file, 2, "r");
    for (int i = 0; i < TN_RANDOM_TYPES; i++)
        tn_random_message_type(dice, i, is_old, &file);
    tn_random_enum(&file);
    if (!is_old)
        tn_put_text(&file, 12, "proto3");
    tn_put_body(set, 1, &file);
    tn_buffer_done(&file);
}

#endif
