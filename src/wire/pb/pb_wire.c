/* pb_wire.c - walking protobuf bytes without a schema and without copying */
#include "wire/pb/pb_wire.h"

static const char *wire_type_name(enum tn_wire_type type)
{
    switch (type) {
    case TN_WIRE_VARINT: return "a varint";
    case TN_WIRE_FIXED64: return "eight bytes";
    case TN_WIRE_LEN: return "length-prefixed";
    case TN_WIRE_GROUP_BEGIN: return "a group";
    case TN_WIRE_GROUP_END: return "the end of a group";
    case TN_WIRE_FIXED32: return "four bytes";
    }
    return "of no known wire type";
}

static bool read_tag(struct tn_cursor *c, struct tn_pb_field *field)
{
    field->value  = 0;
    field->offset = c->offset;
    uint64_t tag  = tn_varint(c);

    field->number = (uint32_t)(tag >> 3);
    field->type   = (enum tn_wire_type)(tag & 7);
    if (tn_failed(c->error))
        return false;
    if (tag >> 32 || field->number == 0 || (tag & 7) > TN_WIRE_FIXED32) {
        tn_fail_at(c, field->offset, TN_MALFORMED,
                   "0x%" PRIx64 " is not the tag of a protobuf field", tag);
        return false;
    }
    return true;
}

static void skip_value(struct tn_cursor *c, enum tn_wire_type type)
{
    if (type == TN_WIRE_VARINT)
        tn_varint(c);
    else if (type == TN_WIRE_LEN)
        tn_skip(c, tn_varint(c));
    else
        tn_skip(c, type == TN_WIRE_FIXED64 ? 8 : 4);
}

/* The fields of a group, up to its end tag.  Groups inside are matched with a
 * stack of our own: the file must not decide how much of the call stack is
 * used. */
static struct tn_cursor take_group(struct tn_cursor *c, uint32_t number)
{
    uint32_t           open[TN_PB_DEPTH_LIMIT];
    unsigned           depth = 0;
    struct tn_cursor   body  = *c;
    struct tn_pb_field inner;

    open[depth++] = number;
    while (depth && read_tag(c, &inner)) {
        if (inner.type == TN_WIRE_GROUP_BEGIN) {
            if (depth == TN_PB_DEPTH_LIMIT)
                tn_fail_at(c, inner.offset, TN_LIMIT,
                           "groups nested deeper than %d", TN_PB_DEPTH_LIMIT);
            else
                open[depth++] = inner.number;
        } else if (inner.type == TN_WIRE_GROUP_END) {
            if (open[--depth] != inner.number)
                tn_fail_at(c, inner.offset, TN_MALFORMED,
                           "group %" PRIu32 " is closed as %" PRIu32,
                           open[depth], inner.number);
        } else {
            skip_value(c, inner.type);
        }
    }
    if (tn_failed(c->error))
        return *c;
    return tn_sub(&body, inner.offset - body.offset);
}

bool tn_pb_next_slowly(struct tn_cursor *c, struct tn_pb_field *field)
{
    if (!tn_more(c) || !read_tag(c, field))
        return false;
    switch (field->type) {
    case TN_WIRE_VARINT: field->value = tn_varint(c); break;
    case TN_WIRE_FIXED64: field->value = tn_u64(c); break;
    case TN_WIRE_FIXED32: field->value = tn_u32(c); break;
    case TN_WIRE_LEN: field->body = tn_sub(c, tn_varint(c)); break;
    case TN_WIRE_GROUP_BEGIN: field->body = take_group(c, field->number); break;
    case TN_WIRE_GROUP_END:
        tn_fail_at(c, field->offset, TN_MALFORMED,
                   "group %" PRIu32 " ends and never began", field->number);
        break;
    }
    return !tn_failed(c->error);
}

bool tn_pb_expect(struct tn_cursor *c, const struct tn_pb_field *field,
                  enum tn_wire_type type)
{
    if (field->type == type)
        return true;
    tn_fail_at(c, field->offset, TN_MALFORMED,
               "field %" PRIu32 " is %s, it should be %s", field->number,
               wire_type_name(field->type), wire_type_name(type));
    return false;
}

/* Skips short strings and messages of other numbers, which most fields are. */
static void step_over_short(struct tn_cursor *c, uint32_t number)
{
    const uint8_t *at = c->at;

    while (c->end - at >= 2 && at[0] < 0x80 && (at[0] & 7) == TN_WIRE_LEN &&
           at[0] >> 3 != number && at[0] >= 8 && at[1] < 0x80 &&
           c->end - at >= 2 + at[1])
        at += 2 + at[1];
    tn_skip(c, (uint64_t)(at - c->at));
}

void tn_pb_step_to(struct tn_cursor *c, uint32_t number)
{
    struct tn_cursor   before;
    struct tn_pb_field field;

    step_over_short(c, number);
    before = *c;
    while (tn_pb_next(c, &field)) {
        if (field.number == number) {
            *c = before;
            return;
        }
        step_over_short(c, number);
        before = *c;
    }
}

bool tn_pb_next_named(struct tn_cursor *c, uint32_t number,
                      uint32_t name_number, struct tn_bytes *name,
                      struct tn_span *message)
{
    struct tn_pb_field field;

    do {
        if (!tn_pb_next(c, &field))
            return false;
    } while (field.number != number);
    if (!tn_pb_expect(c, &field, TN_WIRE_LEN))
        return false;
    *message              = tn_pb_body_span(&field);
    *name                 = tn_bytes("", 0);
    struct tn_cursor body = field.body;
    while (tn_pb_next(&body, &field))
        if (field.number == name_number &&
            tn_pb_expect(&body, &field, TN_WIRE_LEN))
            *name = tn_pb_text(&field);
    return !tn_failed(c->error);
}

static uint64_t read_number(struct tn_cursor *c, enum tn_wire_type type)
{
    if (type == TN_WIRE_VARINT)
        return tn_varint(c);
    return type == TN_WIRE_FIXED64 ? tn_u64(c) : tn_u32(c);
}

bool tn_pb_number(struct tn_cursor *c, struct tn_pb_field *field,
                  enum tn_wire_type type, uint64_t *value)
{
    if (field->type == TN_WIRE_LEN) {
        if (!tn_more(&field->body))
            return false;
        *value = read_number(&field->body, type);
        return !tn_failed(c->error);
    }
    if (field->type == TN_WIRE_GROUP_END) /* taken by the call before */
        return false;
    if (!tn_pb_expect(c, field, type))
        return false;
    *value      = field->value;
    field->type = TN_WIRE_GROUP_END;
    return true;
}

uint64_t tn_pb_count_values(struct tn_cursor message, uint32_t number,
                            enum tn_wire_type type)
{
    struct tn_pb_field field;
    uint64_t           count = 0, value;

    while (tn_pb_next(&message, &field)) {
        if (field.number != number)
            continue;
        if (type == TN_WIRE_LEN)
            count++;
        else
            while (tn_pb_number(&message, &field, type, &value))
                count++;
    }
    return count;
}
