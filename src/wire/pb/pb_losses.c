/*
 * pb_losses.c - what a message loses when it is dumped and read back
 *
 * One walk in wire order.  A field is canonical if its tag, length and value
 * take no more bytes than they need, and if it is where the writer would put
 * it.
 */
#include "wire/pb/pb_losses.h"

#include <math.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/utf8.h"
#include "wire/pb/pb_json_write.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_text_write.h"
#include "wire/pb/pb_rules.h"

struct finder {
    const struct tn_pb_losses *losses;
    struct tn_memory          *memory;
    struct tn_error           *error;
    struct tn_buffer           path;
};

/* A message that is being walked. */
struct level {
    const struct tn_pb_message *type;
    struct tn_cursor           *cursor;
    unsigned                    depth;
    uint32_t           last;   /* field before; TN_PB_UNKNOWN: an unknown     */
    uint64_t           fields; /* known ones so far                           */
    uint64_t           index;  /* occurrences of `last` so far                */
    struct tn_list     oneofs; /* uint64_t: index + 1 of the member seen      */
    struct tn_pb_map   map;    /* of `last`, when it is one                   */
    struct tn_pb_entry entry;  /* the entry before                            */
};

static void walk(struct finder *f, const struct tn_pb_message *type,
                 struct tn_cursor *c, unsigned depth);

static bool is_json(const struct finder *f)
{
    return f->losses->spelling == TN_PB_AS_JSON;
}

static void report(struct finder *f, uint64_t offset, const char *what)
{
    struct tn_pb_loss loss = { offset, tn_buffer_string(&f->path), what };

    if (!tn_failed(f->error))
        f->losses->report(f->losses->context, &loss);
}

/* The path */

static size_t step_in(struct finder *f, const struct level *level,
                      const struct tn_pb_field      *field,
                      const struct tn_pb_field_type *type)
{
    size_t size = f->path.size;

    if (size)
        tn_buffer_byte(&f->path, '.');
    if (!type)
        tn_buffer_format(&f->path, "%" PRIu32, field->number);
    else if (type->label == TN_PB_REPEATED)
        tn_buffer_format(&f->path, "%s[%" PRIu64 "]", type->name, level->index);
    else
        tn_buffer_text(&f->path, type->name);
    return size;
}

/* Encodings */

/* Tag, length and value take no more bytes than they need. */
static bool is_short(const struct tn_cursor *c, const struct tn_pb_field *field)
{
    unsigned tag   = tn_varint_size(tn_tag(field->number, field->type));
    uint64_t total = c->offset - field->offset;
    uint64_t body  = tn_left(&field->body);

    switch (field->type) {
    case TN_WIRE_VARINT: return total == tag + tn_varint_size(field->value);
    case TN_WIRE_FIXED64: return total == tag + 8u;
    case TN_WIRE_FIXED32: return total == tag + 4u;
    case TN_WIRE_LEN: return total == tag + tn_varint_size(body) + body;
    default: return total == tag + body + tag;
    }
}

static const char *number_problem(const struct tn_pb_field_type *type,
                                  uint64_t                       bits)
{
    uint64_t value = tn_pb_decode(type->type, bits);

    if (type->type == TN_PB_FLOAT && bits != 0x7fc00000u &&
        isnan(tn_float_of_bits((uint32_t)bits)))
        return "a NaN with a sign or a payload";
    if (type->type == TN_PB_DOUBLE && bits != UINT64_C(0x7ff8) << 48 &&
        isnan(tn_double_of_bits(bits)))
        return "a NaN with a sign or a payload";
    if (tn_pb_encode(type->type, value) != bits)
        return "more bits than the type has";
    return NULL;
}

static void check_number(struct finder *f, const struct tn_pb_field_type *type,
                         uint64_t bits, uint64_t offset)
{
    const char *problem = number_problem(type, bits);

    if (problem)
        report(f, offset, problem);
    if (!tn_pb_holds(type, bits))
        report(f, offset, "a packed number that the enum does not list");
    if (is_json(f) && tn_pb_is_null_enum(type) && bits)
        report(f, offset, "a null that is not zero");
}

static void check_packed(struct finder *f, const struct tn_pb_field_type *type,
                         struct tn_pb_field *field, struct tn_cursor *c)
{
    enum tn_wire_type wire = tn_pb_wire_type(type->type);
    uint64_t          bits;

    if (!tn_more(&field->body))
        report(f, field->offset, "a packed field without elements");
    for (;;) {
        uint64_t begin = field->body.offset;
        if (!tn_pb_number(c, field, wire, &bits))
            return;
        if (wire == TN_WIRE_VARINT &&
            field->body.offset - begin != tn_varint_size(bits))
            report(f, begin, "a varint longer than it needs to be");
        check_number(f, type, bits, begin);
    }
}

static void check_numbers(struct finder *f, const struct level *level,
                          const struct tn_pb_field_type *type,
                          struct tn_pb_field            *field)
{
    bool is_packed = field->type == TN_WIRE_LEN;

    if (type->label == TN_PB_REPEATED && is_packed != type->is_packed)
        report(f, field->offset,
               is_packed ? "packed, and the schema does not pack it"
                         : "not packed, and the schema packs it");
    if (is_packed) {
        check_packed(f, type, field, level->cursor);
        return;
    }
    check_number(f, type, field->value, field->offset);
    if (type->label != TN_PB_REPEATED && !type->has_presence &&
        !level->type->is_map_entry &&
        tn_pb_decode(type->type, field->value) == 0)
        report(f, field->offset, "a zero where there is no presence");
}

/* Strings */

/* Through a window; a character may be across its end. */
static bool is_text(struct finder *f, struct tn_span span)
{
    uint8_t window[1024];

    while (span.length && !tn_failed(f->error)) {
        size_t size = (size_t)tn_min(span.length, sizeof window), at = 0;
        if (tn_source_read(span.source, span.offset, window, size, f->error) !=
            TN_OK)
            return true;
        while (at < size) {
            unsigned one = tn_utf8_check(window + at, window + size);
            if (one == 0)
                break;
            at += one;
        }
        if (at == 0 || (at < size && size == span.length))
            return false;
        span.offset += at;
        span.length -= at;
    }
    return true;
}

static void check_blob(struct finder *f, const struct level *level,
                       const struct tn_pb_field_type *type,
                       const struct tn_pb_field      *field)
{
    struct tn_span body = tn_pb_body_span(field);

    if (type->label != TN_PB_REPEATED && !type->has_presence &&
        !level->type->is_map_entry && body.length == 0)
        report(f, field->offset, "an empty string where there is no presence");
    if (is_json(f) && type->type == TN_PB_STRING && !is_text(f, body))
        report(f, field->offset, "a string that is not UTF-8");
}

/* Order */

static void check_oneof(struct finder *f, struct level *level,
                        const struct tn_pb_field_type *type, uint64_t offset)
{
    uint32_t  index = (uint32_t)(type - level->type->fields);
    uint64_t *seen;

    if (type->oneof < 0)
        return;
    if (level->oneofs.count == 0 &&
        !tn_list_grow(&level->oneofs, level->type->oneof_count, f->error))
        return;
    seen = tn_list_at(&level->oneofs, uint64_t, type->oneof);
    if (*seen && *seen != (uint64_t)index + 1)
        report(f, offset, "another member of the oneof was set before");
    *seen = (uint64_t)index + 1;
}

static void check_place(struct finder *f, struct level *level,
                        const struct tn_pb_field_type *type, uint64_t offset)
{
    uint32_t index = (uint32_t)(type - level->type->fields);

    if (level->fields && level->last != index && index < level->last)
        report(f, offset, "a field out of order");
    else if (!level->fields && level->last == TN_PB_UNKNOWN && level->index)
        report(f, offset, "a field behind an unknown one");
    else if (level->fields && level->last == index &&
             type->label != TN_PB_REPEATED)
        report(f, offset, "a singular field given again");
    else if (level->fields && level->last == index && type->is_packed)
        report(f, offset, "a packed field in several pieces");
    check_oneof(f, level, type, offset);
}

/* Maps */

static void check_entry_order(struct finder *f, struct level *level,
                              const struct tn_pb_field_type *type,
                              const struct tn_pb_field      *field)
{
    struct tn_pb_entry entry;

    level->map = (struct tn_pb_map){ .type = type->message, .error = f->error };
    tn_pb_entry_init(&entry, &level->map, tn_pb_body_span(field));
    if (level->index) {
        int order = tn_pb_entry_compare(&level->map, &level->entry, &entry);
        if (order > 0)
            report(f, field->offset, "map keys out of order");
        else if (order == 0 && is_json(f))
            report(f, field->offset, "a map key given again");
    }
    level->entry = entry;
}

/* Unknown fields */

static void walk_unknown(struct finder *f, const struct tn_cursor *c,
                         const struct tn_pb_field *field, int budget)
{
    struct tn_pb_field inner;
    struct tn_cursor   body = field->body;

    if (!is_short(c, field))
        report(f, field->offset, "a varint longer than it needs to be");
    if (field->type == TN_WIRE_GROUP_BEGIN) {
        report(f, field->offset, "an unknown group");
        return;
    }
    if (field->type != TN_WIRE_LEN ||
        !tn_pb_looks_like_message(tn_pb_body_span(field), budget))
        return;
    while (tn_pb_next(&body, &inner))
        walk_unknown(f, &body, &inner, budget - 1);
}

static void check_unknown(struct finder *f, struct level *level,
                          const struct tn_pb_field *field)
{
    size_t size = step_in(f, level, field, NULL);

    if (is_json(f))
        report(f, field->offset, "an unknown field");
    else
        walk_unknown(f, level->cursor, field, TN_PB_UNKNOWN_DEPTH);
    f->path.size = size;
}

/* Messages */

static void walk_body(struct finder *f, const struct tn_pb_message *type,
                      struct tn_cursor body, unsigned depth, uint64_t offset)
{
    if (depth > TN_PB_DEPTH_LIMIT)
        tn_error_set(f->error, TN_LIMIT, offset,
                     "messages nested deeper than %d", TN_PB_DEPTH_LIMIT);
    else
        walk(f, type, &body, depth);
}

static void check_known(struct finder *f, struct level *level,
                        const struct tn_pb_field_type *type,
                        struct tn_pb_field            *field)
{
    uint32_t index = (uint32_t)(type - level->type->fields);

    check_place(f, level, type, field->offset);
    if (!level->fields || level->last != index)
        level->index = 0;
    size_t size = step_in(f, level, field, type);
    if (!is_short(level->cursor, field))
        report(f, field->offset, "a varint longer than it needs to be");
    if (type->is_map)
        check_entry_order(f, level, type, field);
    if (tn_pb_is_message(type->type))
        walk_body(f, type->message, field->body, level->depth + 1,
                  field->offset);
    else if (tn_pb_is_blob(type->type))
        check_blob(f, level, type, field);
    else
        check_numbers(f, level, type, field);
    f->path.size = size;
    level->last  = index;
    level->index++;
    level->fields++;
}

/* A number that a closed enum does not list, not packed: kept as unknown. */
static bool is_unlisted(const struct tn_pb_field_type *type,
                        const struct tn_pb_field      *field)
{
    return field->type == TN_WIRE_VARINT && !tn_pb_holds(type, field->value);
}

/* In JSON an Any is spelled out, so what is inside is rewritten too. */
static void check_any(struct finder *f, struct tn_cursor c, unsigned depth)
{
    struct tn_pb_field field;
    struct tn_buffer   url;
    struct tn_cursor   value = { .at = NULL };

    tn_buffer_init(&url, f->memory, f->error);
    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == 1) {
            tn_buffer_clear(&url);
            tn_sink_splice(&url.sink, tn_pb_body_span(&field), f->error);
        } else if (field.number == 2) {
            value = field.body;
        }
    }
    const struct tn_pb_message *type = tn_pb_any_type(f->losses->schema, &url);
    if (type && value.at && !tn_failed(f->error))
        walk_body(f, type, value, depth + 1, value.offset);
    else if (type && !value.at)
        report(f, c.offset, "an Any without a value");
    tn_buffer_done(&url);
}

static void walk(struct finder *f, const struct tn_pb_message *type,
                 struct tn_cursor *c, unsigned depth)
{
    struct tn_cursor   begin = *c;
    struct tn_pb_field field;
    struct level       level = { .type = type, .cursor = c, .depth = depth };

    tn_list_init(&level.oneofs, f->memory, sizeof(uint64_t));
    while (tn_pb_next(c, &field)) {
        const struct tn_pb_field_type *known =
            tn_pb_message_field(type, field.number);
        if (tn_pb_fit(known, &field) != TN_PB_FITS_NOT &&
            !is_unlisted(known, &field)) {
            check_known(f, &level, known, &field);
            continue;
        }
        check_unknown(f, &level, &field);
        level.last = TN_PB_UNKNOWN;
        level.index++;
    }
    uint64_t offset = begin.offset;
    if (level.type->is_map_entry && level.fields != level.type->field_count)
        report(f, offset, "a map entry that is not one key and one value");
    enum tn_pb_special special = tn_pb_special_of(level.type);
    if (is_json(f) && special == TN_PB_ANY)
        check_any(f, begin, level.depth);
    if (is_json(f) && special == TN_PB_VALUE && level.fields == 0)
        report(f, begin.offset, "a Value without a kind");
    tn_list_done(&level.oneofs);
}

enum tn_status tn_pb_losses_find(const struct tn_pb_losses  *losses,
                                 const struct tn_pb_message *type,
                                 struct tn_span              message,
                                 struct tn_memory           *memory,
                                 struct tn_error            *error)
{
    struct finder    f = { .losses = losses, .memory = memory, .error = error };
    struct tn_cursor c = tn_cursor_span(message, error);

    tn_buffer_init(&f.path, memory, error);
    walk(&f, type, &c, 0);
    tn_buffer_done(&f.path);
    return error->status;
}
