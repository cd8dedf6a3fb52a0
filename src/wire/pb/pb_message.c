/* pb_message.c - reading fields of a message by its type, without parsing it */
#include "wire/pb/pb_message.h"

#include "base/arith.h"

struct tn_pb_view tn_pb_view(const struct tn_pb_message *type,
                             struct tn_cursor body, struct tn_arena *arena)
{
    return (struct tn_pb_view){ .type       = type,
                                .arena      = arena,
                                .error      = body.error,
                                .part_count = 1,
                                .part       = body };
}

/* An absent message of this type, one level deeper. */
static struct tn_pb_view child_view(const struct tn_pb_view       *view,
                                    const struct tn_pb_field_type *field)
{
    struct tn_pb_view child = { .type  = field->message,
                                .arena = view->arena,
                                .error = view->error,
                                .depth = view->depth + 1 };

    if (child.depth > TN_PB_DEPTH_LIMIT)
        tn_error_set(view->error, TN_LIMIT, view->part.offset,
                     "messages nested deeper than %d", TN_PB_DEPTH_LIMIT);
    return child;
}

/* ---- walking the parts -------------------------------------------------- */

struct tn_pb_fields tn_pb_view_fields(const struct tn_pb_view *view)
{
    struct tn_pb_fields fields = { .view = view, .part = 1 };

    fields.cursor = view->part_count
                        ? view->part
                        : tn_cursor_bytes(tn_bytes(NULL, 0), 0, view->error);
    return fields;
}

bool tn_pb_fields_next(struct tn_pb_fields *fields, struct tn_pb_field *field,
                       const struct tn_pb_field_type **type)
{
    const struct tn_pb_view *view = fields->view;

    fields->begin = fields->cursor;
    while (!tn_pb_next(&fields->cursor, field)) {
        if (tn_failed(view->error) || fields->part >= view->part_count)
            return false;
        fields->cursor = fields->begin = view->rest[fields->part++ - 1];
    }
    const struct tn_pb_field_type *known =
        tn_pb_message_field(view->type, field->number);
    bool is_value = tn_pb_fit(known, field) == TN_PB_FITS_PACKED ||
                    tn_pb_is_value(known, field);
    *type = is_value ? known : NULL;
    return true;
}

/* The occurrence of a singular field that counts. */
static bool find_last(const struct tn_pb_view       *view,
                      const struct tn_pb_field_type *field,
                      struct tn_pb_field            *last)
{
    struct tn_pb_fields            fields = tn_pb_view_fields(view);
    struct tn_pb_field             f;
    const struct tn_pb_field_type *type;
    bool                           is_set = false;

    while (tn_pb_fields_next(&fields, &f, &type)) {
        if (type == field) {
            *last  = f;
            is_set = true;
        } else if (type && tn_pb_share_oneof(type, field)) {
            is_set = false;
        }
    }
    return is_set && !tn_failed(view->error);
}

/* ---- singular ----------------------------------------------------------- */

uint64_t tn_pb_view_bits(const struct tn_pb_view       *view,
                         const struct tn_pb_field_type *field)
{
    struct tn_pb_field f;
    uint64_t           bits;

    if (find_last(view, field, &f))
        return tn_pb_decode(field->type, f.value);
    return tn_pb_field_default(field, &bits) ? bits : 0;
}

/* Up to three octal digits; protoc writes exactly three. */
static size_t unescape_octal(struct tn_bytes text, size_t i, uint8_t *to)
{
    unsigned value = 0;
    size_t   end   = i + 3;

    for (; i < end && i < text.size && (text.data[i] & 0xf8) == '0'; i++)
        value = value * 8 + (text.data[i] & 7u);
    *to = (uint8_t)value;
    return i;
}

/* What follows a backslash in the default of a bytes field. */
static size_t unescape_one(struct tn_bytes text, size_t i, uint8_t *to)
{
    static const char letters[] = "abfnrtv", meanings[] = "\a\b\f\n\r\t\v";
    uint8_t           c = text.data[i];

    if ((c & 0xf8) == '0')
        return unescape_octal(text, i, to);
    const char *letter = c ? strchr(letters, c) : NULL;
    *to                = letter ? (uint8_t)meanings[letter - letters] : c;
    return i + 1;
}

static struct tn_bytes unescape(const struct tn_pb_view *view,
                                struct tn_bytes          text)
{
    uint8_t *copy = tn_arena_alloc(view->arena, text.size, 1, view->error);
    size_t   size = 0;

    if (!copy)
        return tn_bytes(NULL, 0);
    for (size_t i = 0; i < text.size; size++) {
        if (text.data[i] == '\\' && i + 1 < text.size)
            i = unescape_one(text, i + 1, &copy[size]);
        else
            copy[size] = text.data[i++];
    }
    return tn_bytes(copy, size);
}

struct tn_bytes tn_pb_view_text(const struct tn_pb_view       *view,
                                const struct tn_pb_field_type *field)
{
    struct tn_pb_field f;

    if (find_last(view, field, &f))
        return tn_pb_text(&f);
    if (tn_failed(view->error))
        return tn_bytes(NULL, 0);
    return field->type == TN_PB_BYTES ? unescape(view, field->default_text)
                                      : field->default_text;
}

/* Counts the valid occurrences, and stores them if there is an array for
 * them. */
static uint64_t find_parts(const struct tn_pb_view       *view,
                           const struct tn_pb_field_type *field,
                           struct tn_cursor *first, struct tn_cursor *rest)
{
    struct tn_pb_fields            fields = tn_pb_view_fields(view);
    struct tn_pb_field             f;
    const struct tn_pb_field_type *type;
    uint64_t                       count = 0;

    while (tn_pb_fields_next(&fields, &f, &type)) {
        if (type && tn_pb_share_oneof(type, field))
            count = 0;
        if (type != field)
            continue;
        if (count == 0)
            *first = f.body;
        else if (rest)
            rest[count - 1] = f.body;
        count++;
    }
    return tn_failed(view->error) ? 0 : count;
}

/* Before another member cleared them there may have been more parts than
 * remain: the list has room for the most there ever were. */
static uint64_t most_parts(const struct tn_pb_view       *view,
                           const struct tn_pb_field_type *field)
{
    struct tn_pb_fields            fields = tn_pb_view_fields(view);
    struct tn_pb_field             f;
    const struct tn_pb_field_type *type;
    uint64_t                       count = 0;

    while (tn_pb_fields_next(&fields, &f, &type))
        count += type == field;
    return count;
}

struct tn_pb_view tn_pb_view_message(const struct tn_pb_view       *view,
                                     const struct tn_pb_field_type *field)
{
    struct tn_pb_view child = child_view(view, field);
    uint64_t          count = find_parts(view, field, &child.part, NULL);

    if (count > 1) {
        struct tn_cursor *rest = tn_new(view->arena, struct tn_cursor,
                                        most_parts(view, field), view->error);
        if (!rest)
            return child;
        find_parts(view, field, &child.part, rest);
        child.rest = rest;
    }
    child.part_count = tn_failed(view->error) ? 0 : count;
    return child;
}

/* ---- repeated ----------------------------------------------------------- */

struct tn_pb_items tn_pb_view_items(const struct tn_pb_view       *view,
                                    const struct tn_pb_field_type *field)
{
    return (struct tn_pb_items){ .fields = tn_pb_view_fields(view),
                                 .type   = field };
}

static bool next_packed(struct tn_pb_items *items, struct tn_pb_value *value)
{
    enum tn_pb_type type = items->type->type;
    uint64_t        wire;

    do {
        value->offset = items->packed.body.offset;
        if (!tn_pb_number(&items->fields.cursor, &items->packed,
                          tn_pb_wire_type(type), &wire))
            return false;
        value->bits = tn_pb_decode(type, wire);
    } while (!tn_pb_holds(items->type, value->bits));
    return true;
}

bool tn_pb_items_next(struct tn_pb_items *items, struct tn_pb_value *value)
{
    const struct tn_pb_field_type *type;
    struct tn_pb_field             f;

    *value = (struct tn_pb_value){ .offset = TN_NOWHERE };
    for (;;) {
        if (items->is_in_packed && next_packed(items, value))
            return true;
        items->is_in_packed = false;
        if (!tn_pb_fields_next(&items->fields, &f, &type))
            return false;
        if (type != items->type)
            continue;
        if (tn_pb_fit(type, &f) == TN_PB_FITS_ONE)
            break;
        items->packed       = f;
        items->is_in_packed = true;
    }
    value->offset = f.offset;
    if (tn_pb_is_packable(type->type))
        value->bits = tn_pb_decode(type->type, f.value);
    else
        value->body = f.body;
    return true;
}

struct tn_pb_view tn_pb_item_message(const struct tn_pb_view       *view,
                                     const struct tn_pb_field_type *field,
                                     const struct tn_pb_value      *item)
{
    struct tn_pb_view child = child_view(view, field);

    child.part       = item->body;
    child.part_count = !tn_failed(view->error);
    return child;
}

bool tn_pb_view_entry(const struct tn_pb_view       *view,
                      const struct tn_pb_field_type *field,
                      struct tn_bytes text, uint64_t bits,
                      struct tn_pb_view *entry)
{
    const struct tn_pb_field_type *key   = &field->message->fields[0];
    struct tn_pb_items             items = tn_pb_view_items(view, field);
    struct tn_pb_value             item;
    bool                           is_found = false;

    while (tn_pb_items_next(&items, &item)) {
        struct tn_pb_view candidate = tn_pb_item_message(view, field, &item);
        bool              is_it =
            key->type == TN_PB_STRING
                             ? tn_bytes_equal(tn_pb_view_text(&candidate, key), text)
                             : tn_pb_view_bits(&candidate, key) == bits;
        if (!is_it || tn_failed(view->error))
            continue;
        *entry   = candidate;
        is_found = true;
    }
    return is_found && !tn_failed(view->error);
}
