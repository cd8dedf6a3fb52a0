/*
 * pb_json_write.c - any message as protobuf's JSON
 *
 * Fields come in the order of pb_order.h; strings and bytes go through a
 * window.
 */
#include "wire/pb/pb_json_write.h"

#include <math.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_rules.h"
#include "wire/pb/pb_time.h"

#define FLUSH_AT 32768
/* Bytes of a window: a multiple of three, so that base64 continues without
 * padding. */
#define WINDOW 6144

struct writer {
    const struct tn_pb_json_options *options;
    struct tn_sink                  *to;
    struct tn_buffer                 out;
    struct tn_json_writer            json; /* into `out` */
    struct tn_memory                *memory;
    struct tn_error                 *error;
};

static void write_message(struct writer *w, const struct tn_pb_message *type,
                          const struct tn_span *parts, uint64_t count,
                          unsigned depth);

static void flush(struct writer *w)
{
    if (!tn_failed(w->error))
        tn_sink_write(w->to, tn_buffer_bytes(&w->out), w->error);
    tn_buffer_clear(&w->out);
}

static void flush_some(struct writer *w)
{
    if (w->out.size > FLUSH_AT)
        flush(w);
}

/* Bytes in base64 */

static size_t encode64(char *to, struct tn_bytes bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";
    char             *at        = to;

    for (size_t i = 0; i < bytes.size; i += 3) {
        size_t   left = bytes.size - i;
        uint32_t bits = (uint32_t)bytes.data[i] << 16;
        if (left > 1)
            bits |= (uint32_t)bytes.data[i + 1] << 8;
        if (left > 2)
            bits |= bytes.data[i + 2];
        *at++ = letters[bits >> 18];
        *at++ = letters[bits >> 12 & 63];
        *at++ = left > 1 ? letters[bits >> 6 & 63] : '=';
        *at++ = left > 2 ? letters[bits & 63] : '=';
    }
    return (size_t)(at - to);
}

static void write_bytes(struct writer *w, struct tn_span span)
{
    uint8_t window[WINDOW];

    tn_json_raw(&w->json, tn_text("\""));
    while (span.length && !tn_failed(w->error)) {
        size_t size = (size_t)tn_min(span.length, WINDOW);
        char  *to   = (char *)tn_buffer_room(&w->out, WINDOW / 3 * 4);
        if (!to || tn_source_read(span.source, span.offset, window, size,
                                  w->error) != TN_OK)
            return;
        w->out.size += encode64(to, tn_bytes(window, size));
        span.offset += size;
        span.length -= size;
        flush_some(w);
    }
    tn_buffer_byte(&w->out, '"');
}

/* Strings */

/* Bytes of the window that end with a whole character, if more follow. */
static size_t whole_characters(const uint8_t *window, size_t size, bool is_last)
{
    for (size_t back = 1; !is_last && back < 4 && back < size; back++) {
        uint8_t byte = window[size - back];
        if (byte >= 0xc0)
            return tn_utf8_size(byte) > back ? size - back : size;
        if (byte < 0x80)
            break;
    }
    return size;
}

static void write_string(struct writer *w, struct tn_span span)
{
    uint8_t window[WINDOW];

    tn_json_string_begin(&w->json);
    while (span.length && !tn_failed(w->error)) {
        size_t size = (size_t)tn_min(span.length, WINDOW);
        if (tn_source_read(span.source, span.offset, window, size, w->error) !=
            TN_OK)
            return;
        size = whole_characters(window, size, size == span.length);
        tn_json_string_piece(&w->json, tn_bytes(window, size));
        span.offset += size;
        span.length -= size;
        flush_some(w);
    }
    tn_json_string_end(&w->json);
}

static void write_blob(struct writer *w, enum tn_pb_type type,
                       struct tn_span span)
{
    if (type == TN_PB_BYTES)
        write_bytes(w, span);
    else
        write_string(w, span);
}

/* Numbers */

static void write_float(struct writer *w, float value)
{
    char text[TN_NUMBER_ROOM];

    if (!isfinite(value) || value == 0)
        tn_json_put_double(&w->json, (double)value);
    else
        tn_json_raw(&w->json,
                    tn_bytes(text, tn_float_print_short(text, value)));
}

static void write_enum(struct writer *w, const struct tn_pb_field_type *field,
                       uint64_t value)
{
    const char *name =
        tn_pb_enum_name(field->enumeration, (int32_t)(int64_t)value);

    if (tn_pb_is_null_enum(field))
        tn_json_null(&w->json);
    else if (name)
        tn_json_text(&w->json, name);
    else
        tn_json_put_int64(&w->json, (int64_t)value);
}

/* Integers as text: 64-bit ones are quoted, and all of them as keys. */
static unsigned print_integer(char *to, enum tn_pb_type type, uint64_t value)
{
    int size = tn_pb_is_signed(type)
                   ? snprintf(to, TN_NUMBER_ROOM, "%" PRId64, (int64_t)value)
                   : snprintf(to, TN_NUMBER_ROOM, "%" PRIu64, value);

    return (unsigned)size;
}

static void write_number(struct writer *w, const struct tn_pb_field_type *field,
                         uint64_t value)
{
    char text[TN_NUMBER_ROOM];

    switch (field->type) {
    case TN_PB_BOOL: tn_json_bool(&w->json, value != 0); break;
    case TN_PB_ENUM: write_enum(w, field, value); break;
    case TN_PB_FLOAT: write_float(w, tn_float_of_bits((uint32_t)value)); break;
    case TN_PB_DOUBLE:
        tn_json_put_double(&w->json, tn_double_of_bits(value));
        break;
    default:
        print_integer(text, field->type, value);
        if (tn_pb_is_32bit(field->type))
            tn_json_raw(&w->json, tn_text(text));
        else
            tn_json_text(&w->json, text);
    }
    flush_some(w);
}

/* Fields */

static void write_key(struct writer *w, const struct tn_pb_field_type *field)
{
    if (w->options->has_lower_camel_names || field->is_extension)
        tn_json_key(&w->json, field->json_name);
    else
        tn_json_key(&w->json, field->name);
}

/* The value of a singular field, or its default if it is absent. */
static void write_singular(struct writer                  *w,
                           const struct tn_pb_occurrences *all, unsigned depth)
{
    struct tn_pb_field field = { .value = 0 };
    struct tn_list     parts;
    uint64_t           value = 0;

    if (tn_pb_is_message(all->type->type)) {
        tn_list_init(&parts, w->memory, sizeof(struct tn_span));
        if (tn_pb_walk_parts(all, &parts, w->error) == TN_OK)
            write_message(w, all->type->message, parts.items, parts.count,
                          depth);
        tn_list_done(&parts);
        return;
    }
    bool is_there = tn_pb_walk_last(all, &field, w->error);
    if (tn_pb_is_blob(all->type->type)) {
        write_blob(w, all->type->type,
                   is_there ? tn_pb_body_span(&field)
                            : (struct tn_span){ NULL, 0, 0 });
        return;
    }
    if (is_there)
        value = tn_pb_decode(all->type->type, field.value);
    else
        tn_pb_field_default(all->type, &value);
    write_number(w, all->type, value);
}

static void write_numbers(struct writer *w, struct tn_cursor *c,
                          const struct tn_pb_field_type *type,
                          struct tn_pb_field            *field)
{
    enum tn_wire_type wire = tn_pb_wire_type(type->type);
    uint64_t          bits;

    while (tn_pb_number(c, field, wire, &bits))
        if (tn_pb_holds(type, bits))
            write_number(w, type, tn_pb_decode(type->type, bits));
}

static void write_list(struct writer *w, const struct tn_pb_occurrences *all,
                       unsigned depth)
{
    struct tn_pb_walk  walk;
    struct tn_pb_field field;

    tn_json_array_begin(&w->json);
    tn_pb_walk_init(&walk, all, w->error);
    for (uint64_t i = 0; tn_pb_walk_next(&walk, &field); i++) {
        struct tn_span body = tn_pb_body_span(&field);
        if (tn_pb_is_message(all->type->type))
            write_message(w, all->type->message, &body, 1, depth);
        else if (tn_pb_is_blob(all->type->type))
            write_blob(w, all->type->type, body);
        else
            write_numbers(w, &walk.cursor, all->type, &field);
        if (tn_failed(w->error))
            tn_error_where(w->error, "%s[%" PRIu64 "]", all->type->name, i);
    }
    tn_json_array_end(&w->json);
}

/* Maps */

static void write_map_key(struct writer *w, const struct tn_pb_map *map,
                          const struct tn_pb_entry *entry)
{
    enum tn_pb_type  type = map->type->fields[0].type;
    char             text[TN_NUMBER_ROOM];
    struct tn_buffer key;

    if (type == TN_PB_BOOL) {
        tn_json_key(&w->json, entry->number ? "true" : "false");
    } else if (type != TN_PB_STRING) {
        print_integer(text, type, entry->number);
        tn_json_key(&w->json, text);
    } else {
        tn_buffer_init(&key, w->memory, w->error);
        tn_sink_splice(&key.sink, entry->text, w->error);
        tn_json_key_bytes(&w->json, tn_buffer_bytes(&key));
        tn_buffer_done(&key);
    }
}

static void write_entry(struct writer *w, const struct tn_pb_map *map,
                        const struct tn_pb_entry *entry, unsigned depth)
{
    struct tn_pb_order order;

    write_map_key(w, map, entry);
    if (tn_pb_order_init(&order, map->type, &entry->body, 1, w->memory,
                         w->error) == TN_OK) {
        struct tn_pb_occurrences value = tn_pb_order_find(&order, 1);
        write_singular(w, &value, depth);
    }
    tn_pb_order_done(&order);
}

/* The last of equal keys counts. */
static void write_map(struct writer *w, const struct tn_pb_occurrences *all,
                      unsigned depth)
{
    struct tn_pb_map map;

    tn_json_object_begin(&w->json);
    tn_pb_map_init(&map, all, w->memory, w->error);
    for (uint64_t i = 0; i < map.entries.count && !tn_failed(w->error); i++) {
        struct tn_pb_entry *entry =
            tn_list_at(&map.entries, struct tn_pb_entry, i);
        if (i + 1 == map.entries.count ||
            tn_pb_entry_compare(&map, entry, entry + 1) != 0)
            write_entry(w, &map, entry, depth);
    }
    tn_pb_map_done(&map);
    tn_json_object_end(&w->json);
}

/* For a field without presence, zero means that it is absent. */
static bool is_shown(struct writer *w, const struct tn_pb_occurrences *all)
{
    struct tn_pb_field field;

    if (all->type->has_presence || all->type->label == TN_PB_REPEATED)
        return true;
    if (!tn_pb_walk_last(all, &field, w->error))
        return false;
    if (tn_pb_is_blob(all->type->type))
        return tn_pb_body_span(&field).length > 0;
    return tn_pb_decode(all->type->type, field.value) != 0;
}

/* A repeated field that only has empty packed runs has no elements. */
static bool has_elements(struct writer *w, const struct tn_pb_occurrences *all)
{
    struct tn_pb_walk  walk;
    struct tn_pb_field field;

    if (!tn_pb_is_packable(all->type->type))
        return true;
    tn_pb_walk_init(&walk, all, w->error);
    while (tn_pb_walk_next(&walk, &field))
        if (field.type != TN_WIRE_LEN || tn_more(&field.body))
            return true;
    return false;
}

static void write_field(struct writer *w, const struct tn_pb_occurrences *all,
                        unsigned depth)
{
    if (!is_shown(w, all))
        return;
    if (all->type->label == TN_PB_REPEATED && !has_elements(w, all))
        return;
    write_key(w, all->type);
    if (all->type->is_map)
        write_map(w, all, depth);
    else if (all->type->label == TN_PB_REPEATED)
        write_list(w, all, depth);
    else
        write_singular(w, all, depth);
    if (tn_failed(w->error) && all->type->label != TN_PB_REPEATED)
        tn_error_where(w->error, "%s", all->type->name);
}

static void write_fields(struct writer *w, const struct tn_pb_order *order,
                         unsigned depth)
{
    struct tn_pb_occurrences all;

    for (uint64_t at = 0;
         !tn_failed(w->error) && tn_pb_order_next(order, &at, &all);)
        if (all.type)
            write_field(w, &all, depth + 1);
}

/* Special types */

static void write_any_body(struct writer *w, const struct tn_pb_message *type,
                           struct tn_span value, unsigned depth)
{
    struct tn_pb_order order;

    if (!type || tn_pb_special_of(type) != TN_PB_ORDINARY) {
        tn_json_key(&w->json, "value");
        if (type)
            write_message(w, type, &value, 1, depth + 1);
        else
            write_bytes(w, value);
        return;
    }
    if (tn_pb_order_init(&order, type, &value, value.source != NULL, w->memory,
                         w->error) == TN_OK)
        write_fields(w, &order, depth);
    tn_pb_order_done(&order);
}

static void write_any(struct writer *w, const struct tn_pb_order *order,
                      unsigned depth)
{
    struct tn_pb_occurrences url   = tn_pb_order_find(order, 0);
    struct tn_pb_occurrences value = tn_pb_order_find(order, 1);
    struct tn_pb_field       field;
    struct tn_buffer         text;
    struct tn_span           body = { NULL, 0, 0 };

    tn_buffer_init(&text, w->memory, w->error);
    if (tn_pb_walk_last(&url, &field, w->error))
        tn_sink_splice(&text.sink, tn_pb_body_span(&field), w->error);
    if (tn_pb_walk_last(&value, &field, w->error))
        body = tn_pb_body_span(&field);
    tn_json_object_begin(&w->json);
    if (text.size || body.length) {
        tn_json_key(&w->json, "@type");
        tn_json_string(&w->json, tn_buffer_bytes(&text));
        write_any_body(w, tn_pb_any_type(w->options->schema, &text), body,
                       depth);
    }
    tn_json_object_end(&w->json);
    tn_buffer_done(&text);
}

/* The one member that is set. */
static void write_value(struct writer *w, const struct tn_pb_order *order,
                        unsigned depth)
{
    struct tn_pb_occurrences all;

    for (uint64_t at = 0; tn_pb_order_next(order, &at, &all);)
        if (all.type) {
            write_singular(w, &all, depth + 1);
            return;
        }
    tn_json_null(&w->json);
}

static int64_t number_of(struct writer *w, const struct tn_pb_order *order,
                         uint32_t index)
{
    struct tn_pb_occurrences all = tn_pb_order_find(order, index);
    struct tn_pb_field       field;

    if (!tn_pb_walk_last(&all, &field, w->error))
        return 0;
    return (int64_t)tn_pb_decode(all.type->type, field.value);
}

static uint64_t place_of(const struct tn_pb_order *order)
{
    if (order->series.count == 0)
        return TN_NOWHERE;
    return tn_list_at(&order->series, struct tn_pb_series, 0)->begin;
}

static void write_time(struct writer *w, const struct tn_pb_order *order,
                       bool is_duration)
{
    char              text[TN_PB_TIME_ROOM];
    struct tn_pb_time t    = { number_of(w, order, 0), number_of(w, order, 1) };
    unsigned          size = is_duration ? tn_pb_duration_print(text, t)
                                         : tn_pb_timestamp_print(text, t);

    if (size)
        tn_json_string(&w->json, tn_bytes(text, size));
    else
        tn_error_set(w->error, TN_MALFORMED, place_of(order),
                     "%s is out of range: %" PRId64 " s, %" PRId64 " ns",
                     order->type->name, t.seconds, t.nanos);
}

static void write_mask_path(struct writer *w, struct tn_span path,
                            struct tn_buffer *mask)
{
    struct tn_buffer text;

    tn_buffer_init(&text, w->memory, w->error);
    tn_sink_splice(&text.sink, path, w->error);
    if (mask->size)
        tn_buffer_byte(mask, ',');
    if (!tn_pb_mask_camel(mask, tn_buffer_bytes(&text)))
        tn_error_set(w->error, TN_MALFORMED, path.offset,
                     "a field mask that JSON cannot spell: %.*s",
                     TN_FMT(tn_buffer_bytes(&text)));
    tn_buffer_done(&text);
}

static void write_mask(struct writer *w, const struct tn_pb_occurrences *paths)
{
    struct tn_pb_walk  walk;
    struct tn_pb_field field;
    struct tn_buffer   mask;

    tn_buffer_init(&mask, w->memory, w->error);
    tn_pb_walk_init(&walk, paths, w->error);
    while (tn_pb_walk_next(&walk, &field))
        write_mask_path(w, tn_pb_body_span(&field), &mask);
    tn_json_string(&w->json, tn_buffer_bytes(&mask));
    tn_buffer_done(&mask);
}

static void write_ordered(struct writer *w, const struct tn_pb_order *order,
                          unsigned depth)
{
    struct tn_pb_occurrences first =
        order->type->field_count ? tn_pb_order_find(order, 0)
                                 : (struct tn_pb_occurrences){ .type = NULL };

    switch (tn_pb_special_of(order->type)) {
    case TN_PB_ANY: write_any(w, order, depth); break;
    case TN_PB_WRAPPER: write_singular(w, &first, depth + 1); break;
    case TN_PB_STRUCT: write_map(w, &first, depth + 1); break;
    case TN_PB_LIST: write_list(w, &first, depth + 1); break;
    case TN_PB_VALUE: write_value(w, order, depth); break;
    case TN_PB_DURATION: write_time(w, order, true); break;
    case TN_PB_TIMESTAMP: write_time(w, order, false); break;
    case TN_PB_FIELD_MASK: write_mask(w, &first); break;
    case TN_PB_ORDINARY:
        tn_json_object_begin(&w->json);
        write_fields(w, order, depth);
        tn_json_object_end(&w->json);
    }
}

static void write_message(struct writer *w, const struct tn_pb_message *type,
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
        write_ordered(w, &order, depth);
    tn_pb_order_done(&order);
    flush_some(w);
}

enum tn_status tn_pb_json_write(const struct tn_pb_message      *type,
                                struct tn_span                   message,
                                const struct tn_pb_json_options *options,
                                struct tn_sink *to, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct writer w = {
        .options = options, .to = to, .memory = memory, .error = error
    };

    tn_buffer_init(&w.out, memory, error);
    tn_json_writer_init(&w.json, &w.out.sink, options->is_pretty, error);
    write_message(&w, type, &message, 1, 0);
    tn_buffer_byte(&w.out, '\n');
    flush(&w);
    tn_buffer_done(&w.out);
    return error->status;
}

/* ---- types with a JSON of their own ------------------------------------ */

/* A user's schema may use these names for something else: the special form
 * needs the fields it stands for. */
static bool has_field(const struct tn_pb_message *type, uint32_t number,
                      const char *name, enum tn_pb_type kind)
{
    const struct tn_pb_field_type *field = tn_pb_message_field(type, number);

    return field && strcmp(field->name, name) == 0 && field->type == kind;
}

static bool is_wrapper(const struct tn_pb_message *type)
{
    static const char *const names[] = {
        "DoubleValue", "FloatValue", "Int64Value",  "UInt64Value", "Int32Value",
        "UInt32Value", "BoolValue",  "StringValue", "BytesValue",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type->name, names[i]) == 0)
            return type->field_count == 1 && type->fields[0].number == 1 &&
                   type->fields[0].label != TN_PB_REPEATED &&
                   !tn_pb_is_message(type->fields[0].type);
    return false;
}

static bool is_time(const struct tn_pb_message *type)
{
    return has_field(type, 1, "seconds", TN_PB_INT64) &&
           has_field(type, 2, "nanos", TN_PB_INT32);
}

enum tn_pb_special tn_pb_special_of(const struct tn_pb_message *type)
{
    static const char package[] = "google.protobuf.";

    if (strncmp(type->full_name, package, sizeof package - 1) != 0 ||
        strcmp(type->full_name + sizeof package - 1, type->name) != 0)
        return TN_PB_ORDINARY;
    if (is_wrapper(type))
        return TN_PB_WRAPPER;
    if (strcmp(type->name, "Any") == 0 &&
        has_field(type, 1, "type_url", TN_PB_STRING) &&
        has_field(type, 2, "value", TN_PB_BYTES))
        return TN_PB_ANY;
    if (strcmp(type->name, "Struct") == 0 &&
        has_field(type, 1, "fields", TN_PB_MESSAGE) && type->fields[0].is_map)
        return TN_PB_STRUCT;
    if (strcmp(type->name, "ListValue") == 0 &&
        has_field(type, 1, "values", TN_PB_MESSAGE) &&
        type->fields[0].label == TN_PB_REPEATED)
        return TN_PB_LIST;
    if (strcmp(type->name, "Value") == 0 && type->field_count == 6 &&
        has_field(type, 1, "null_value", TN_PB_ENUM) &&
        has_field(type, 2, "number_value", TN_PB_DOUBLE) &&
        has_field(type, 3, "string_value", TN_PB_STRING) &&
        has_field(type, 4, "bool_value", TN_PB_BOOL) &&
        has_field(type, 5, "struct_value", TN_PB_MESSAGE) &&
        has_field(type, 6, "list_value", TN_PB_MESSAGE))
        return TN_PB_VALUE;
    if (strcmp(type->name, "Duration") == 0 && is_time(type))
        return TN_PB_DURATION;
    if (strcmp(type->name, "Timestamp") == 0 && is_time(type))
        return TN_PB_TIMESTAMP;
    if (strcmp(type->name, "FieldMask") == 0 &&
        has_field(type, 1, "paths", TN_PB_STRING) &&
        type->fields[0].label == TN_PB_REPEATED)
        return TN_PB_FIELD_MASK;
    return TN_PB_ORDINARY;
}

const struct tn_pb_message *tn_pb_any_type(const struct tn_pb_schema *schema,
                                           struct tn_buffer          *url)
{
    const char *text  = tn_buffer_string(url);
    const char *slash = strrchr(text, '/');

    if (!schema || strlen(text) != url->size)
        return NULL;
    return tn_pb_schema_find(schema, slash ? slash + 1 : text);
}

bool tn_pb_is_null_enum(const struct tn_pb_field_type *field)
{
    return field->type == TN_PB_ENUM &&
           strcmp(field->enumeration->full_name, "google.protobuf.NullValue") ==
               0;
}
