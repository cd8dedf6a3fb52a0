/*
 * pb_text_write.c - any message as protobuf's text format
 *
 *   message := field*                   indented by two spaces a level
 *   field   := name ": " value "\n" | name " {\n" message "}\n"
 *   name    := field's | group type's | "[" extension's "]" | number: unknown
 */
#include "wire/pb/pb_text_write.h"

#include <stdio.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/number.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_rules.h"

#define WINDOW   8192
#define FLUSH_AT 32768

struct writer {
    struct tn_sink   *to;
    struct tn_buffer  out;
    struct tn_memory *memory;
    struct tn_error  *error;
};

/* Text */

static void flush(struct writer *w)
{
    if (!tn_failed(w->error))
        tn_sink_write(w->to, tn_buffer_bytes(&w->out), w->error);
    tn_buffer_clear(&w->out);
}

static void put(struct writer *w, const char *text)
{
    tn_buffer_text(&w->out, text);
}

static void indent(struct writer *w, unsigned depth)
{
    uint8_t *to = tn_buffer_room(&w->out, depth * 2);

    if (w->out.size > FLUSH_AT) {
        flush(w);
        to = tn_buffer_room(&w->out, depth * 2);
    }
    if (!to)
        return;
    memset(to, ' ', depth * 2);
    w->out.size += depth * 2;
}

static void put_name(struct writer *w, const struct tn_pb_field_type *type)
{
    const char *name =
        type->type == TN_PB_GROUP ? type->message->name : type->name;

    put(w, type->is_extension ? "[" : "");
    put(w, type->is_extension ? type->name : name);
    put(w, type->is_extension ? "]" : "");
}

/* The escapes of a string: \n \r \t \" \' \\ and \ooo.  `to` has room for four
 * times as many bytes; returns how many were written. */
static size_t escape_text(char *to, struct tn_bytes bytes)
{
    char *at = to;

    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t c          = bytes.data[i];
        char    short_form = c == '\n'                            ? 'n'
                             : c == '\r'                          ? 'r'
                             : c == '\t'                          ? 't'
                             : c == '"' || c == '\'' || c == '\\' ? (char)c
                                                                  : 0;
        if (short_form) {
            *at++ = '\\';
            *at++ = short_form;
        } else if (c >= 0x20 && c < 0x7f) {
            *at++ = (char)c;
        } else {
            *at++ = '\\';
            *at++ = (char)('0' + (c >> 6));
            *at++ = (char)('0' + (c >> 3 & 7));
            *at++ = (char)('0' + (c & 7));
        }
    }
    return (size_t)(at - to);
}

static void put_string(struct writer *w, struct tn_span span)
{
    uint8_t window[WINDOW];

    put(w, "\"");
    while (span.length && !tn_failed(w->error)) {
        size_t size = (size_t)tn_min(span.length, WINDOW);
        char  *to   = (char *)tn_buffer_room(&w->out, size * 4);
        if (!to || tn_source_read(span.source, span.offset, window, size,
                                  w->error) != TN_OK)
            return;
        w->out.size += escape_text(to, tn_bytes(window, size));
        span.offset += size;
        span.length -= size;
        if (w->out.size > FLUSH_AT)
            flush(w);
    }
    put(w, "\"");
}

static void put_float(struct writer *w, enum tn_pb_type type, uint64_t value)
{
    char     text[TN_NUMBER_ROOM];
    unsigned size =
        type == TN_PB_FLOAT
            ? tn_float_print(text, tn_float_of_bits((uint32_t)value))
            : tn_double_print(text, tn_double_of_bits(value));

    tn_buffer_add(&w->out, tn_bytes(text, size));
}

static void print_number(struct writer *w, const struct tn_pb_field_type *type,
                         uint64_t value, unsigned depth)
{
    indent(w, depth);
    put_name(w, type);
    put(w, ": ");
    const char *name = NULL;
    if (type->type == TN_PB_ENUM)
        name = tn_pb_enum_name(type->enumeration, (int32_t)(int64_t)value);
    if (name)
        put(w, name);
    else if (type->type == TN_PB_BOOL)
        put(w, value ? "true" : "false");
    else if (type->type == TN_PB_FLOAT || type->type == TN_PB_DOUBLE)
        put_float(w, type->type, value);
    else if (tn_pb_is_signed(type->type))
        tn_buffer_format(&w->out, "%" PRId64, (int64_t)value);
    else
        tn_buffer_format(&w->out, "%" PRIu64, value);
    put(w, "\n");
}

static void print_string(struct writer *w, const struct tn_pb_field_type *type,
                         struct tn_span span, unsigned depth)
{
    indent(w, depth);
    put_name(w, type);
    put(w, ": ");
    put_string(w, span);
    put(w, "\n");
}

/* Unknown fields: by number, as well as the wire alone can tell */

static bool is_message_body(struct tn_cursor c, int budget)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_GROUP_BEGIN)
            continue;
        if (budget <= 0 || !is_message_body(field.body, budget - 1))
            return false;
    }
    return !tn_failed(c.error);
}

bool tn_pb_looks_like_message(struct tn_span body, int budget)
{
    struct tn_error error = TN_ERROR_INIT; /* a failure is an answer here */

    if (body.length == 0 || budget <= 0)
        return false;
    return is_message_body(tn_cursor_span(body, &error), budget);
}

static void print_unknown(struct writer *w, const struct tn_pb_field *field,
                          unsigned depth, int budget);

static void print_unknown_body(struct writer *w, struct tn_cursor c,
                               unsigned depth, int budget)
{
    struct tn_pb_field field;

    put(w, " {\n");
    while (tn_pb_next(&c, &field))
        print_unknown(w, &field, depth + 1, budget);
    indent(w, depth);
    put(w, "}\n");
}

static void print_unknown(struct writer *w, const struct tn_pb_field *field,
                          unsigned depth, int budget)
{
    struct tn_span body = tn_pb_body_span(field);

    indent(w, depth);
    tn_buffer_format(&w->out, "%" PRIu32, field->number);
    if (field->type == TN_WIRE_VARINT) {
        tn_buffer_format(&w->out, ": %" PRIu64 "\n", field->value);
    } else if (field->type == TN_WIRE_FIXED32) {
        tn_buffer_format(&w->out, ": 0x%08" PRIx64 "\n", field->value);
    } else if (field->type == TN_WIRE_FIXED64) {
        tn_buffer_format(&w->out, ": 0x%016" PRIx64 "\n", field->value);
    } else if (field->type == TN_WIRE_GROUP_BEGIN ||
               tn_pb_looks_like_message(body, budget)) {
        print_unknown_body(w, field->body, depth, budget - 1);
    } else {
        put(w, ": ");
        put_string(w, body);
        put(w, "\n");
    }
}

/* Numbers that a closed enum does not list, out of a field it knows. */
static void print_unlisted(struct writer *w, struct tn_cursor *c,
                           const struct tn_pb_field_type *type,
                           struct tn_pb_field field, unsigned depth)
{
    uint64_t value;

    while (tn_pb_number(c, &field, TN_WIRE_VARINT, &value)) {
        if (tn_pb_holds(type, value))
            continue;
        indent(w, depth);
        tn_buffer_format(&w->out, "%" PRIu32 ": %" PRIu64 "\n", type->number,
                         value);
    }
}

static void print_unknowns(struct writer *w, const struct tn_pb_message *type,
                           const struct tn_pb_occurrences *all, unsigned depth)
{
    struct tn_pb_walk  walk;
    struct tn_pb_field field;

    tn_pb_walk_init(&walk, all, w->error);
    while (tn_pb_walk_next(&walk, &field)) {
        const struct tn_pb_field_type *known =
            tn_pb_message_field(type, field.number);
        if (tn_pb_fit(known, &field) != TN_PB_FITS_NOT)
            print_unlisted(w, &walk.cursor, known, field, depth);
        else
            print_unknown(w, &field, depth, TN_PB_UNKNOWN_DEPTH);
    }
}

/* Known fields */

static void print_fields(struct writer *w, const struct tn_pb_message *type,
                         const struct tn_span *parts, uint64_t count,
                         unsigned depth);

static void print_message(struct writer *w, const struct tn_pb_field_type *type,
                          const struct tn_span *parts, uint64_t count,
                          unsigned depth)
{
    indent(w, depth);
    put_name(w, type);
    put(w, " {\n");
    print_fields(w, type->message, parts, count, depth + 1);
    indent(w, depth);
    put(w, "}\n");
}

/* Elements of one wire field, packed or not. */
static void print_numbers(struct writer *w, struct tn_cursor *c,
                          const struct tn_pb_field_type *type,
                          struct tn_pb_field *field, unsigned depth)
{
    enum tn_wire_type wire = tn_pb_wire_type(type->type);
    uint64_t          bits;

    while (tn_pb_number(c, field, wire, &bits))
        if (tn_pb_holds(type, bits))
            print_number(w, type, tn_pb_decode(type->type, bits), depth);
}

static void print_repeated(struct writer                  *w,
                           const struct tn_pb_occurrences *all, unsigned depth)
{
    struct tn_pb_walk  walk;
    struct tn_pb_field field;

    tn_pb_walk_init(&walk, all, w->error);
    for (uint64_t i = 0; tn_pb_walk_next(&walk, &field); i++) {
        struct tn_span body = tn_pb_body_span(&field);
        if (tn_pb_is_message(all->type->type))
            print_message(w, all->type, &body, 1, depth);
        else if (tn_pb_is_blob(all->type->type))
            print_string(w, all->type, body, depth);
        else
            print_numbers(w, &walk.cursor, all->type, &field, depth);
        if (tn_failed(w->error))
            tn_error_where(w->error, "%s[%" PRIu64 "]", all->type->name, i);
    }
}

static void print_map(struct writer *w, const struct tn_pb_occurrences *all,
                      unsigned depth)
{
    struct tn_pb_map map;

    tn_pb_map_init(&map, all, w->memory, w->error);
    for (uint64_t i = 0; i < map.entries.count && !tn_failed(w->error); i++)
        print_message(w, all->type,
                      &tn_list_at(&map.entries, struct tn_pb_entry, i)->body, 1,
                      depth);
    tn_pb_map_done(&map);
    tn_error_where(w->error, "%s", all->type->name);
}

static void print_merged(struct writer *w, const struct tn_pb_occurrences *all,
                         unsigned depth)
{
    struct tn_list parts;

    tn_list_init(&parts, w->memory, sizeof(struct tn_span));
    if (tn_pb_walk_parts(all, &parts, w->error) == TN_OK)
        print_message(w, all->type, parts.items, parts.count, depth);
    tn_list_done(&parts);
    tn_error_where(w->error, "%s", all->type->name);
}

/* `is_kept`: prints it even if it has its default value. */
static void print_last(struct writer *w, const struct tn_pb_occurrences *all,
                       bool is_kept, unsigned depth)
{
    const struct tn_pb_field_type *type  = all->type;
    struct tn_pb_field             field = { .value = 0 };
    uint64_t                       value = 0;

    if (!tn_pb_walk_last(all, &field, w->error) && !is_kept)
        return;
    if (tn_pb_is_blob(type->type)) {
        struct tn_span body = all->count ? tn_pb_body_span(&field)
                                         : (struct tn_span){ NULL, 0, 0 };
        if (is_kept || body.length)
            print_string(w, type, body, depth);
        return;
    }
    if (all->count)
        value = tn_pb_decode(type->type, field.value);
    else
        tn_pb_field_default(type, &value);
    if (is_kept || value)
        print_number(w, type, value, depth);
}

static void print_known(struct writer *w, const struct tn_pb_occurrences *all,
                        bool is_kept, unsigned depth)
{
    if (all->type->is_map)
        print_map(w, all, depth);
    else if (all->type->label == TN_PB_REPEATED)
        print_repeated(w, all, depth);
    else if (tn_pb_is_message(all->type->type))
        print_merged(w, all, depth);
    else
        print_last(w, all, is_kept || all->type->has_presence, depth);
}

/* A map entry always shows its key and its value. */
static void print_entry(struct writer *w, const struct tn_pb_order *order,
                        unsigned depth)
{
    for (uint32_t i = 0; i < order->type->field_count; i++) {
        struct tn_pb_occurrences all = tn_pb_order_find(order, i);
        print_known(w, &all, true, depth);
    }
}

static void print_in_order(struct writer *w, const struct tn_pb_order *order,
                           unsigned depth)
{
    struct tn_pb_occurrences all;
    bool                     is_entry = order->type->is_map_entry;

    if (is_entry)
        print_entry(w, order, depth);
    for (uint64_t at = 0; tn_pb_order_next(order, &at, &all);) {
        if (tn_failed(w->error))
            return;
        if (!all.type)
            print_unknowns(w, order->type, &all, depth);
        else if (!is_entry)
            print_known(w, &all, false, depth);
    }
}

static void print_fields(struct writer *w, const struct tn_pb_message *type,
                         const struct tn_span *parts, uint64_t count,
                         unsigned depth)
{
    struct tn_pb_order order;

    if (depth > TN_PB_DEPTH_LIMIT) {
        tn_error_set(w->error, TN_LIMIT, count ? parts[0].offset : TN_NOWHERE,
                     "messages nested deeper than %d", TN_PB_DEPTH_LIMIT);
        return;
    }
    if (tn_pb_order_init(&order, type, parts, count, w->memory, w->error) ==
        TN_OK)
        print_in_order(w, &order, depth);
    tn_pb_order_done(&order);
}

enum tn_status tn_pb_text_write(const struct tn_pb_message *type,
                                struct tn_span message, struct tn_sink *to,
                                struct tn_memory *memory,
                                struct tn_error  *error)
{
    struct writer w = { .to = to, .memory = memory, .error = error };

    tn_buffer_init(&w.out, memory, error);
    print_fields(&w, type, &message, 1, 0);
    flush(&w);
    tn_buffer_done(&w.out);
    return error->status;
}
