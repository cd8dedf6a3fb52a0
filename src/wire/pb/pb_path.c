/*
 * pb_path.c - following a path such as graph.node[15].name into a message
 *
 *   path  := step ("." step)*
 *   step  := field ("[" index "]" | "[" key "]")?
 *   field := name | "[" full name of an extension "]"
 *   index := digits
 *   key   := "\"" text "\"" | "-"? digits | "true" | "false"
 */
#include "wire/pb/pb_message.h"

struct path {
    const char      *text;
    size_t           at;
    struct tn_error *error;
};

static bool refuse(struct path *path, const char *what)
{
    tn_error_set(path->error, TN_INVALID, TN_NOWHERE, "path \"%s\": %s",
                 path->text, what);
    return false;
}

static bool missing(struct path *path, const char *what)
{
    tn_error_set(path->error, TN_NOT_FOUND, TN_NOWHERE, "%.*s: %s",
                 (int)path->at, path->text, what);
    return false;
}

static bool accept(struct path *path, char c)
{
    if (path->text[path->at] != c)
        return false;
    path->at++;
    return true;
}

/* Text up to one of the delimiters, or to the end. */
static struct tn_bytes take_until(struct path *path, const char *delimiters)
{
    const char *begin = path->text + path->at;
    size_t      size  = strcspn(begin, delimiters);

    path->at += size;
    return tn_bytes(begin, size);
}

static const struct tn_pb_field_type *take_field(struct path             *path,
                                                 const struct tn_pb_view *view)
{
    const struct tn_pb_field_type *field;

    if (accept(path, '[')) {
        struct tn_bytes name = take_until(path, "]");
        if (!accept(path, ']')) {
            refuse(path, "a bracket is not closed");
            return NULL;
        }
        field = tn_pb_message_field_named(view->type, name);
    } else {
        field = tn_pb_message_field_named(view->type, take_until(path, ".["));
    }
    if (!field)
        tn_error_set(path->error, TN_NOT_FOUND, TN_NOWHERE,
                     "%.*s: %s has no such field", (int)path->at, path->text,
                     view->type->full_name);
    return field;
}

static bool take_digits(struct path *path, uint64_t *number)
{
    struct tn_bytes digits = take_until(path, "]");

    *number = 0;
    for (size_t i = 0; i < digits.size; i++) {
        uint8_t digit = (uint8_t)(digits.data[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, digit, number))
            return refuse(path, "an index must be a number");
    }
    return digits.size > 0 || refuse(path, "an index must be a number");
}

/* Keys are compared as numbers of their type: -1 is 0xffffffff in a uint32. */
static bool take_key(struct path *path, const struct tn_pb_field_type *key,
                     struct tn_bytes *text, uint64_t *bits)
{
    *text = tn_bytes(NULL, 0);
    *bits = 0;
    if (key->type == TN_PB_STRING) {
        if (!accept(path, '"'))
            return refuse(path, "the key of this map is a text in quotes");
        *text = take_until(path, "\"");
        return accept(path, '"') || refuse(path, "a quote is not closed");
    }
    if (key->type == TN_PB_BOOL) {
        struct tn_bytes word = take_until(path, "]");
        *bits                = tn_bytes_is(word, "true");
        return *bits || tn_bytes_is(word, "false") ||
               refuse(path, "the key of this map is true or false");
    }
    bool is_negative = accept(path, '-');
    if (!take_digits(path, bits))
        return false;
    *bits = is_negative ? -*bits : *bits;
    return true;
}

static bool find_entry(struct path *path, const struct tn_pb_view *view,
                       const struct tn_pb_field_type *field,
                       struct tn_pb_found            *found)
{
    struct tn_bytes text;
    uint64_t        bits;

    if (!take_key(path, &field->message->fields[0], &text, &bits))
        return false;
    if (!accept(path, ']'))
        return refuse(path, "a bracket is not closed");
    struct tn_pb_view entry;
    if (!tn_pb_view_entry(view, field, text, bits, &entry))
        return missing(path, "the map has no such key");
    const struct tn_pb_field_type *value = &field->message->fields[1];
    found->field                         = value;
    found->view                          = entry;
    return true;
}

static bool find_item(struct path *path, const struct tn_pb_view *view,
                      const struct tn_pb_field_type *field,
                      struct tn_pb_found            *found)
{
    struct tn_pb_items items = tn_pb_view_items(view, field);
    uint64_t           index;

    if (!take_digits(path, &index))
        return false;
    if (!accept(path, ']'))
        return refuse(path, "a bracket is not closed");
    do {
        if (!tn_pb_items_next(&items, &found->value))
            return missing(path, "there are not so many");
    } while (index-- > 0);
    if (field->message)
        found->view = tn_pb_item_message(view, field, &found->value);
    return !tn_failed(path->error);
}

/* The value of a singular field, which found->view has. */
static void find_single(struct tn_pb_found *found)
{
    const struct tn_pb_field_type *field = found->field;
    struct tn_pb_view              owner = found->view;

    if (field->message)
        found->view = tn_pb_view_message(&owner, field);
    else
        tn_pb_view_value(&owner, field, &found->value);
}

static bool take_step(struct path *path, struct tn_pb_found *found)
{
    struct tn_pb_view              view  = found->view;
    const struct tn_pb_field_type *field = take_field(path, &view);

    if (!field)
        return false;
    found->field    = field;
    found->is_whole = false;
    if (field->label != TN_PB_REPEATED) {
        find_single(found);
        return !tn_failed(path->error);
    }
    if (!accept(path, '[')) {
        found->is_whole = true;
        return true;
    }
    if (!field->is_map)
        return find_item(path, &view, field, found);
    if (!find_entry(path, &view, field, found))
        return false;
    find_single(found);
    return !tn_failed(path->error);
}

enum tn_status tn_pb_view_path(const struct tn_pb_view *view, const char *text,
                               struct tn_pb_found *found)
{
    struct path path = { text, 0, view->error };

    *found = (struct tn_pb_found){ .view = *view };
    while (text[path.at] && !tn_failed(view->error)) {
        if (!take_step(&path, found))
            break;
        if (!text[path.at])
            break;
        if (!accept(&path, '.') || !text[path.at])
            refuse(&path, "a dot and a name must follow");
        else if (!found->field->message || found->is_whole)
            refuse(&path, "only a single message has fields");
    }
    return view->error->status;
}
