/*
 * pb_json_read.c - protobuf's JSON to bytes
 *
 *   message := { name: value, ... }     value null: the field is not set
 *   value   := by the field's type; repeated: [ ... ]; map: { key: value }
 *
 * Any is { "@type": url, fields of that type }, or for a type that has a JSON
 * of its own, or that the schema does not know, { "@type": url, "value": x }.
 */
#include "wire/pb/pb_json_read.h"

#include <float.h>
#include <math.h>

#include "base/byte_view.h"
#include "base/json_read.h"
#include "base/number.h"
#include "wire/pb/pb_assemble.h"
#include "wire/pb/pb_base64.h"
#include "wire/pb/pb_json_write.h"
#include "wire/pb/pb_time.h"
#include "wire/pb/pb_rules.h"

/* Base64 longer than this is not decoded before it is written. */
#define KEEP_LIMIT 65536

struct reader {
    const struct tn_pb_schema *schema;
    struct tn_arena           *arena;
    struct tn_error           *error;
    struct tn_span             text;
    struct tn_cursor           cursor;
    struct tn_json_reader      json;
    enum tn_json_event         event;
    struct tn_pb_assembly      to;
    struct tn_buffer           bytes;
};

static void read_value(struct reader *r, const struct tn_pb_field_type *field);
static void read_message(struct reader *r, const struct tn_pb_message *type);
static void read_map(struct reader *r, const struct tn_pb_field_type *field);
static void read_list(struct reader *r, const struct tn_pb_field_type *field);

static enum tn_json_event next(struct reader *r)
{
    return r->event = tn_json_next(&r->json);
}

static void refuse(struct reader *r, const char *expected)
{
    static const char *const names[] = {
        "the end",  "an object", "'}'",  "an array", "']'",  "a key",
        "a string", "a number",  "true", "false",    "null",
    };

    tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
               "found %s, expected %s", names[r->event], expected);
}

static bool is_text(const struct reader *r)
{
    return r->event == TN_JSON_NUMBER || r->event == TN_JSON_STRING;
}

/* Numbers */

static void out_of_range(struct reader *r, const char *range)
{
    tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED, "%.*s is no %s",
               TN_FMT(r->json.text), range);
}

static uint64_t read_integer(struct reader *r, enum tn_pb_type type)
{
    if (!is_text(r)) {
        refuse(r, "an integer");
        return 0;
    }
    if (!tn_pb_is_signed(type)) {
        uint64_t value = tn_json_uint64(&r->json);
        if (tn_pb_is_32bit(type) && value > UINT32_MAX)
            out_of_range(r, "unsigned number of 32 bits");
        return value;
    }
    int64_t value = tn_json_int64(&r->json);
    if (tn_pb_is_32bit(type) && (value < INT32_MIN || value > INT32_MAX))
        out_of_range(r, "number of 32 bits");
    return (uint64_t)value;
}

static uint64_t read_float(struct reader *r, enum tn_pb_type type)
{
    if (!is_text(r)) {
        refuse(r, "a number");
        return 0;
    }
    double value = tn_json_double(&r->json);
    if (type == TN_PB_DOUBLE)
        return isnan(value) ? UINT64_C(0x7ff8) << 48 : tn_double_bits(value);
    float narrow = tn_double_to_float(value);
    if (isinf(narrow) && !isinf(value))
        out_of_range(r, "number a float can hold");
    return isnan(narrow) ? 0x7fc00000u : tn_float_bits(narrow);
}

static uint64_t read_enum(struct reader                 *r,
                          const struct tn_pb_field_type *field)
{
    int32_t number = 0;

    if (r->event == TN_JSON_NULL && tn_pb_is_null_enum(field))
        return 0;
    if (r->event == TN_JSON_STRING) {
        if (tn_pb_enum_number(field->enumeration, r->json.text, &number))
            return (uint64_t)(int64_t)number;
        tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                   "%s has no value %.*s", field->enumeration->full_name,
                   TN_FMT(r->json.text));
        return 0;
    }
    uint64_t value = read_integer(r, TN_PB_ENUM);
    if (!tn_failed(r->error) && !field->enumeration->is_open &&
        !tn_pb_enum_name(field->enumeration, (int32_t)(int64_t)value))
        out_of_range(r, field->enumeration->full_name);
    return value;
}

static uint64_t read_number(struct reader                 *r,
                            const struct tn_pb_field_type *field)
{
    switch (field->type) {
    case TN_PB_ENUM: return read_enum(r, field);
    case TN_PB_FLOAT:
    case TN_PB_DOUBLE: return read_float(r, field->type);
    case TN_PB_BOOL:
        if (r->event != TN_JSON_TRUE && r->event != TN_JSON_FALSE)
            refuse(r, "true or false");
        return r->event == TN_JSON_TRUE;
    default: return read_integer(r, field->type);
    }
}

/* Strings and bytes */

/* Base64 that is decoded when it is asked for. */
struct encoded {
    struct tn_producer producer;
    struct tn_bytes    text;
};

static enum tn_status encoded_produce(const struct tn_producer *producer,
                                      struct tn_sink           *to,
                                      struct tn_error          *error)
{
    return tn_base64_decode(((const struct encoded *)producer)->text, to,
                            error);
}

/* The text is a view of the mapping, not of the reader's scratch. */
static bool stays(const struct reader *r, struct tn_bytes text)
{
    const struct tn_source *source = r->text.source;

    return source->map && text.data >= source->map &&
           text.data < source->map + source->size;
}

static void add_encoded(struct reader *r, const struct tn_pb_field_type *field,
                        uint64_t size)
{
    struct encoded *encoded = tn_new(r->arena, struct encoded, 1, r->error);

    if (!encoded)
        return;
    encoded->producer = (struct tn_producer){ encoded_produce, size };
    encoded->text     = r->json.text;
    tn_pb_add_producer(&r->to, field, &encoded->producer);
}

static void read_bytes(struct reader *r, const struct tn_pb_field_type *field)
{
    uint64_t size;
    size_t   bad;

    if (r->event != TN_JSON_STRING) {
        refuse(r, "base64");
        return;
    }
    if (!tn_base64_size(r->json.text, &size, &bad)) {
        tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                   "no base64: wrong at character %zu", bad);
        return;
    }
    if (size > KEEP_LIMIT && stays(r, r->json.text)) {
        add_encoded(r, field, size);
        return;
    }
    tn_buffer_clear(&r->bytes);
    if (tn_base64_decode(r->json.text, &r->bytes.sink, r->error) == TN_OK)
        tn_pb_add_blob(&r->to, field, tn_buffer_bytes(&r->bytes));
}

static void read_string(struct reader *r, const struct tn_pb_field_type *field)
{
    if (r->event != TN_JSON_STRING)
        refuse(r, "a string");
    else
        tn_pb_add_blob(&r->to, field, r->json.text);
}

/* Fields */

static void read_nested(struct reader *r, const struct tn_pb_field_type *field)
{
    if (!tn_pb_begin(&r->to, field->message, r->json.offset))
        return;
    read_message(r, field->message);
    if (!tn_failed(r->error))
        tn_pb_end(&r->to, field);
}

/* One value, whose event is current. */
static void read_value(struct reader *r, const struct tn_pb_field_type *field)
{
    if (tn_pb_is_message(field->type)) {
        read_nested(r, field);
    } else if (field->type == TN_PB_STRING) {
        read_string(r, field);
    } else if (field->type == TN_PB_BYTES) {
        read_bytes(r, field);
    } else {
        uint64_t value = read_number(r, field);
        if (!tn_failed(r->error))
            tn_pb_add_number(&r->to, field, value);
    }
}

static void read_list(struct reader *r, const struct tn_pb_field_type *field)
{
    if (r->event != TN_JSON_ARRAY_BEGIN) {
        refuse(r, "an array");
        return;
    }
    for (uint64_t i = 0;
         next(r) != TN_JSON_ARRAY_END && r->event != TN_JSON_END; i++) {
        read_value(r, field);
        if (tn_failed(r->error))
            tn_error_where(r->error, "%s[%" PRIu64 "]", field->name, i);
    }
}

/* A key is always a string: numbers and bools are in quotes. */
static void read_map_key(struct reader *r, const struct tn_pb_field_type *key)
{
    if (key->type == TN_PB_STRING) {
        tn_pb_add_blob(&r->to, key, r->json.text);
    } else if (key->type != TN_PB_BOOL) {
        r->event       = TN_JSON_STRING;
        uint64_t value = read_integer(r, key->type);
        if (!tn_failed(r->error))
            tn_pb_add_number(&r->to, key, value);
    } else if (tn_bytes_is(r->json.text, "true") ||
               tn_bytes_is(r->json.text, "false")) {
        tn_pb_add_number(&r->to, key, tn_bytes_is(r->json.text, "true"));
    } else {
        refuse(r, "\"true\" or \"false\"");
    }
}

static void read_map(struct reader *r, const struct tn_pb_field_type *field)
{
    const struct tn_pb_message *entry = field->message;

    if (r->event != TN_JSON_OBJECT_BEGIN) {
        refuse(r, "an object");
        return;
    }
    while (next(r) == TN_JSON_KEY) {
        if (!tn_pb_begin(&r->to, entry, r->json.offset))
            return;
        read_map_key(r, &entry->fields[0]);
        next(r);
        if (!tn_failed(r->error))
            read_value(r, &entry->fields[1]);
        if (tn_failed(r->error)) {
            tn_error_where(r->error, "%s", field->name);
            return;
        }
        tn_pb_end(&r->to, field);
    }
}

/* JSON's null is a value for these two, and "not set" for all others. */
static bool takes_null(const struct tn_pb_field_type *field)
{
    if (field->type == TN_PB_MESSAGE)
        return tn_pb_special_of(field->message) == TN_PB_VALUE;
    return tn_pb_is_null_enum(field);
}

/* The value of a field whose key was read. */
static void read_field(struct reader *r, const struct tn_pb_field_type *field)
{
    const struct tn_pb_field_type *rival = tn_pb_other_member(&r->to, field);
    uint64_t                       key   = r->json.offset;
    bool                           is_repeated = tn_pb_count(&r->to, field) > 0;

    if (next(r) == TN_JSON_NULL &&
        (field->label == TN_PB_REPEATED || !takes_null(field)))
        return;
    if (is_repeated)
        tn_fail_at(&r->cursor, key, TN_MALFORMED, "%s is given twice",
                   field->name);
    else if (rival)
        tn_fail_at(&r->cursor, key, TN_MALFORMED,
                   "%s is given, and %s of the same oneof", field->name,
                   rival->name);
    else if (r->event == TN_JSON_END)
        return;
    else if (field->is_map)
        read_map(r, field);
    else if (field->label == TN_PB_REPEATED)
        read_list(r, field);
    else
        read_value(r, field);
    if (tn_failed(r->error) && field->label != TN_PB_REPEATED)
        tn_error_where(r->error, "%s", field->name);
}

static const struct tn_pb_field_type *find_field(
    const struct tn_pb_message *type, struct tn_bytes name)
{
    const struct tn_pb_field_type *field =
        tn_pb_message_field_named(type, name);

    if (field && !field->is_extension)
        return field;
    return tn_pb_message_field_json(type, name);
}

/* The members of an object that has begun; `ignored` may be NULL. */
static void read_members(struct reader *r, const struct tn_pb_message *type,
                         const char *ignored)
{
    while (next(r) == TN_JSON_KEY) {
        const struct tn_pb_field_type *field = find_field(type, r->json.text);
        if (ignored && tn_bytes_is(r->json.text, ignored)) {
            tn_json_skip(&r->json);
        } else if (field) {
            read_field(r, field);
        } else {
            tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                       "%s has no field %.*s", type->full_name,
                       TN_FMT(r->json.text));
            return;
        }
    }
}

/* Any */

/* Looks ahead for "@type" in the object that has begun, wherever it is. */
static bool find_any_type(struct reader *r, struct tn_buffer *url)
{
    uint64_t              used = r->json.offset - r->text.offset;
    struct tn_span        rest = { r->text.source, r->json.offset,
                                   r->text.length - used };
    struct tn_cursor      c    = tn_cursor_span(rest, r->error);
    struct tn_json_reader ahead;
    bool                  is_found = false;

    tn_json_open(&ahead, &c, r->arena->memory);
    tn_json_next(&ahead);
    while (!is_found && tn_json_next(&ahead) == TN_JSON_KEY) {
        is_found = tn_bytes_is(ahead.text, "@type");
        if (!is_found)
            tn_json_skip(&ahead);
        else if (tn_json_next(&ahead) == TN_JSON_STRING)
            tn_buffer_add(url, ahead.text);
        else
            is_found = false;
    }
    tn_json_close(&ahead);
    return is_found && !tn_failed(r->error);
}

/* {"@type": url, "value": x}: the inside is after "value". */
static void read_any_value(struct reader                 *r,
                           const struct tn_pb_field_type *value,
                           const struct tn_pb_message    *inner)
{
    while (next(r) == TN_JSON_KEY) {
        if (tn_bytes_is(r->json.text, "@type")) {
            tn_json_skip(&r->json);
        } else if (!tn_bytes_is(r->json.text, "value")) {
            tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                       "found %.*s, expected \"value\"", TN_FMT(r->json.text));
            return;
        } else {
            next(r);
            if (inner)
                read_message(r, inner);
            else
                read_bytes(r, value);
        }
    }
}

static void read_any_inside(struct reader *r, struct tn_buffer *url,
                            const struct tn_pb_field_type *value)
{
    const struct tn_pb_message *inner = tn_pb_any_type(r->schema, url);

    if (!inner) {
        read_any_value(r, value, NULL);
        return;
    }
    if (!tn_pb_begin(&r->to, inner, r->json.offset))
        return;
    if (tn_pb_special_of(inner) == TN_PB_ORDINARY)
        read_members(r, inner, "@type");
    else
        read_any_value(r, value, inner);
    if (!tn_failed(r->error))
        tn_pb_end(&r->to, value);
}

static void read_any(struct reader *r, const struct tn_pb_message *type)
{
    const struct tn_pb_field_type *title = tn_pb_message_field(type, 1);
    const struct tn_pb_field_type *value = tn_pb_message_field(type, 2);
    struct tn_buffer               url;

    if (r->event != TN_JSON_OBJECT_BEGIN) {
        refuse(r, "an object");
        return;
    }
    tn_buffer_init(&url, r->arena->memory, r->error);
    if (find_any_type(r, &url)) {
        tn_pb_add_blob(&r->to, title, tn_buffer_bytes(&url));
        read_any_inside(r, &url, value);
    } else if (!tn_failed(r->error) && next(r) != TN_JSON_OBJECT_END) {
        tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                   "an Any without \"@type\"");
    }
    tn_buffer_done(&url);
}

/* google.protobuf.Value: the event says which member is meant. */
static void read_any_json(struct reader *r, const struct tn_pb_message *type)
{
    static const uint32_t numbers[] = {
        [TN_JSON_NULL] = 1,        [TN_JSON_NUMBER] = 2,
        [TN_JSON_STRING] = 3,      [TN_JSON_TRUE] = 4,
        [TN_JSON_FALSE] = 4,       [TN_JSON_OBJECT_BEGIN] = 5,
        [TN_JSON_ARRAY_BEGIN] = 6,
    };
    uint32_t number = numbers[r->event];

    if (number == 0)
        refuse(r, "a value");
    else
        read_value(r, tn_pb_message_field(type, number));
}

static void read_time(struct reader *r, const struct tn_pb_message *type,
                      bool is_duration)
{
    struct tn_pb_time t;

    if (r->event != TN_JSON_STRING) {
        refuse(r, is_duration ? "a duration" : "a point in time");
    } else if (!(is_duration ? tn_pb_duration_parse(r->json.text, &t)
                             : tn_pb_timestamp_parse(r->json.text, &t))) {
        out_of_range(r, type->full_name);
    } else {
        tn_pb_add_number(&r->to, tn_pb_message_field(type, 1),
                         (uint64_t)t.seconds);
        tn_pb_add_number(&r->to, tn_pb_message_field(type, 2),
                         (uint64_t)t.nanos);
    }
}

static void read_mask_path(struct reader                 *r,
                           const struct tn_pb_field_type *field,
                           struct tn_bytes                path)
{
    tn_buffer_clear(&r->bytes);
    if (tn_pb_mask_snake(&r->bytes, path))
        tn_pb_add_blob(&r->to, field, tn_buffer_bytes(&r->bytes));
    else
        tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                   "no path of a field mask: %.*s", TN_FMT(path));
}

/* Paths with commas between them. */
static void read_mask(struct reader *r, const struct tn_pb_field_type *field)
{
    struct tn_bytes text = r->json.text;

    if (r->event != TN_JSON_STRING) {
        refuse(r, "a field mask");
        return;
    }
    for (bool more = text.size > 0; more && !tn_failed(r->error);) {
        const uint8_t *comma = tn_bytes_find(text, ',');
        size_t         size  = comma ? (size_t)(comma - text.data) : text.size;
        read_mask_path(r, field, tn_bytes(text.data, size));
        more = comma != NULL;
        size += more;
        text = tn_bytes(text.data + size, text.size - size);
    }
}

/* A message whose first event is current. */
static void read_message(struct reader *r, const struct tn_pb_message *type)
{
    switch (tn_pb_special_of(type)) {
    case TN_PB_ANY: read_any(r, type); break;
    case TN_PB_WRAPPER: read_value(r, &type->fields[0]); break;
    case TN_PB_STRUCT: read_map(r, &type->fields[0]); break;
    case TN_PB_LIST: read_list(r, &type->fields[0]); break;
    case TN_PB_VALUE: read_any_json(r, type); break;
    case TN_PB_DURATION: read_time(r, type, true); break;
    case TN_PB_TIMESTAMP: read_time(r, type, false); break;
    case TN_PB_FIELD_MASK: read_mask(r, &type->fields[0]); break;
    case TN_PB_ORDINARY:
        if (r->event == TN_JSON_OBJECT_BEGIN)
            read_members(r, type, NULL);
        else
            refuse(r, "an object");
    }
}

static void read_all(struct reader *r, const struct tn_pb_message *type,
                     struct tn_rope *to)
{
    if (!tn_pb_begin(&r->to, type, r->text.offset))
        return;
    if (next(r) == TN_JSON_END)
        return;
    read_message(r, type);
    if (!tn_failed(r->error))
        next(r); /* nothing may follow */
    if (!tn_failed(r->error))
        tn_pb_finish(&r->to, to);
}

enum tn_status tn_pb_json_read(const struct tn_pb_schema  *schema,
                               const struct tn_pb_message *type,
                               struct tn_span text, struct tn_rope *to,
                               struct tn_error *error)
{
    struct tn_memory *memory = to->arena->memory;
    struct reader    *r = tn_memory_resize(memory, NULL, 0, sizeof *r, error);

    if (!r)
        return error->status;
    r->schema = schema;
    r->arena  = to->arena;
    r->error  = error;
    r->text   = text;
    r->cursor = tn_cursor_span(text, error);
    tn_json_open(&r->json, &r->cursor, memory);
    tn_pb_assembly_init(&r->to, to->arena, error);
    tn_buffer_init(&r->bytes, memory, error);
    read_all(r, type, to);
    tn_buffer_done(&r->bytes);
    tn_pb_assembly_done(&r->to);
    tn_json_close(&r->json);
    tn_memory_free(memory, r, sizeof *r);
    if (tn_failed(to->error) && !tn_failed(error))
        *error = *to->error;
    return error->status;
}
