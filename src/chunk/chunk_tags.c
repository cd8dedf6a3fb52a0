/* chunk_tags.c - where in a message a chunk belongs */
#include "chunk/chunk_tags.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "wire/pb/pb_rules.h"

/* ---- order -------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_texts(const struct tn_field_tag *a,
                         const struct tn_field_tag *b)
{
    return tn_bytes_compare(tn_bytes(a->at.text, a->size),
                            tn_bytes(b->at.text, b->size));
}

static int compare_keys(const struct tn_field_tag *a,
                        const struct tn_field_tag *b)
{
    if (a->key != b->key)
        return compare_numbers(a->key, b->key);
    if (a->key == TN_KEY_TEXT)
        return compare_texts(a, b);
    if (a->key == TN_KEY_INT32 || a->key == TN_KEY_INT64) {
        int64_t left = (int64_t)a->at.number, right = (int64_t)b->at.number;
        return left < right ? -1 : left > right;
    }
    return compare_numbers(a->at.number, b->at.number);
}

static int compare_tags(const struct tn_field_tag *a,
                        const struct tn_field_tag *b)
{
    if (a->kind != b->kind)
        return compare_numbers(a->kind, b->kind);
    if (a->kind == TN_TAG_KEY)
        return compare_keys(a, b);
    return compare_numbers(a->at.number, b->at.number);
}

uint64_t tn_tags_common(struct tn_tags a, struct tn_tags b)
{
    uint64_t count = 0;

    while (count < a.count && count < b.count &&
           compare_tags(&a.at[count], &b.at[count]) == 0)
        count++;
    return count;
}

int tn_tags_compare(struct tn_tags a, struct tn_tags b)
{
    uint64_t common = tn_tags_common(a, b);

    if (common < a.count && common < b.count)
        return compare_tags(&a.at[common], &b.at[common]);
    return compare_numbers(a.count, b.count);
}

struct tn_tags tn_tags_join(struct tn_tags first, struct tn_tags second,
                            struct tn_arena *arena, struct tn_error *error)
{
    struct tn_tags       tags = { NULL, first.count + second.count };
    struct tn_field_tag *all =
        tn_new(arena, struct tn_field_tag, tags.count, error);

    if (!all)
        return (struct tn_tags){ NULL, 0 };
    if (first.count)
        memcpy(all, first.at, (size_t)first.count * sizeof *all);
    if (second.count)
        memcpy(all + first.count, second.at,
               (size_t)second.count * sizeof *all);
    tags.at = all;
    return tags;
}

/* ---- keys --------------------------------------------------------------- */

enum tn_key_kind tn_key_kind_of(enum tn_pb_type type)
{
    if (type == TN_PB_STRING)
        return TN_KEY_TEXT;
    if (type == TN_PB_BOOL)
        return TN_KEY_BOOL;
    if (tn_pb_is_signed(type))
        return tn_pb_is_32bit(type) ? TN_KEY_INT32 : TN_KEY_INT64;
    return tn_pb_is_32bit(type) ? TN_KEY_UINT32 : TN_KEY_UINT64;
}

/* ---- reading ------------------------------------------------------------ */

static enum tn_status refuse(struct tn_error *error, const char *what)
{
    return tn_error_set(error, TN_MALFORMED, TN_NOWHERE, "%s", what);
}

static enum tn_status check_key(const struct tn_tag_step *step,
                                struct tn_error          *error)
{
    const struct tn_pb_field_type *key = &step->field->message->fields[0];

    if (step->element->key == TN_KEY_UNSET)
        return refuse(error, "unknown map key type: a key without a value");
    if (step->element->key != tn_key_kind_of(key->type))
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "the key is of another type than those of the map "
                            "%s",
                            step->field->name);
    return TN_OK;
}

/* Whether the element that follows a field fits it. */
static enum tn_status check_element(const struct tn_tag_step *step,
                                    struct tn_error          *error)
{
    const struct tn_pb_field_type *field = step->field;
    bool has_key   = step->element && step->element->kind == TN_TAG_KEY;
    bool has_index = step->element && step->element->kind == TN_TAG_INDEX;

    if (field->is_map)
        return has_key ? check_key(step, error)
                       : tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                                      "the map %s needs a key", field->name);
    if (has_key)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "%s is not a map and has no keys", field->name);
    if (has_index != (field->label == TN_PB_REPEATED))
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            has_index ? "%s is not repeated and has no index"
                                      : "%s is repeated and needs an index",
                            field->name);
    return TN_OK;
}

static enum tn_status check_is_field(const struct tn_field_tag *tag,
                                     struct tn_error           *error)
{
    switch ((enum tn_tag_kind)tag->kind) {
    case TN_TAG_FIELD: return TN_OK;
    case TN_TAG_INDEX:
        return refuse(error, "index doesn't belong to any field");
    case TN_TAG_KEY:
        return refuse(error, "map key doesn't belong to any field");
    case TN_TAG_UNSET: break;
    }
    return refuse(error, "unknown field kind: neither field, index nor key");
}

enum tn_status tn_tags_step(struct tn_tags             *tags,
                            const struct tn_pb_message *type,
                            struct tn_tag_step *step, struct tn_error *error)
{
    const struct tn_field_tag *tag = tags->at;

    TN_TRY(check_is_field(tag, error));
    *step = (struct tn_tag_step){ NULL, NULL };
    if (type && tag->at.number <= UINT32_MAX)
        step->field = tn_pb_message_field(type, (uint32_t)tag->at.number);
    if (!step->field)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "field %" PRIu64
                            " not found in message descriptor of %s",
                            tag->at.number, type ? type->full_name : "nothing");
    uint64_t used = 1;
    if (tags->count > 1 &&
        (tag[1].kind == TN_TAG_INDEX || tag[1].kind == TN_TAG_KEY))
        step->element = &tag[used++];
    tags->at += used;
    tags->count -= used;
    return check_element(step, error);
}

const struct tn_pb_field_type *tn_step_value(const struct tn_tag_step *step)
{
    return step->field->is_map ? &step->field->message->fields[1] : step->field;
}

const struct tn_pb_message *tn_step_message(const struct tn_tag_step *step)
{
    const struct tn_pb_field_type *value = tn_step_value(step);

    return tn_pb_is_message(value->type) ? value->message : NULL;
}

bool tn_tags_follow(struct tn_tags tags, const struct tn_pb_message **type)
{
    struct tn_error    ignored = TN_ERROR_INIT;
    struct tn_tag_step step;

    while (tags.count) {
        if (!*type || tn_tags_step(&tags, *type, &step, &ignored) != TN_OK)
            return false;
        *type = tn_step_message(&step);
    }
    return true;
}

/* ---- building ----------------------------------------------------------- */

static enum tn_status find_field(const struct tn_pb_message     *type,
                                 const struct tn_step           *step,
                                 const struct tn_pb_field_type **field,
                                 struct tn_error                *error)
{
    *field = NULL;
    if (!type)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "field not found: there is no message here");
    if (step->text)
        *field = tn_pb_message_field_named(type, tn_text(step->text));
    else if (step->number >= 0 && step->number <= UINT32_MAX)
        *field = tn_pb_message_field(type, (uint32_t)step->number);
    if (*field)
        return TN_OK;
    if (step->text)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "unable to find field %s in %s", step->text,
                            type->full_name);
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "unable to find field %" PRId64 " in %s", step->number,
                        type->full_name);
}

static enum tn_status build_index(struct tn_field_tag           *tag,
                                  const struct tn_step          *step,
                                  const struct tn_pb_field_type *field,
                                  struct tn_error               *error)
{
    uint64_t index = (uint64_t)step->number;

    if (step->text ? !tn_uint64_parse(tn_text(step->text), &index)
                   : step->number < 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%s is repeated: an index comes next", field->name);
    *tag = tn_tag_index(index);
    return TN_OK;
}

/* The number, as the map's keys hold it; false when it is out of range. */
static bool key_number(enum tn_key_kind kind, const struct tn_step *step,
                       uint64_t *number)
{
    int64_t value = step->number;

    *number = (uint64_t)step->number;
    if (kind == TN_KEY_BOOL && step->text) {
        *number = !strcmp(step->text, "true") || !strcmp(step->text, "1");
        return *number || !strcmp(step->text, "false") ||
               !strcmp(step->text, "0");
    }
    if (kind == TN_KEY_UINT64)
        return !step->text || tn_uint64_parse(tn_text(step->text), number);
    if (step->text && !tn_int64_parse(tn_text(step->text), &value))
        return false;
    *number = kind == TN_KEY_BOOL ? value != 0 : (uint64_t)value;
    if (kind == TN_KEY_UINT32)
        return value >= 0 && value <= UINT32_MAX;
    return kind != TN_KEY_INT32 || (value >= INT32_MIN && value <= INT32_MAX);
}

static enum tn_status build_text_key(struct tn_field_tag  *tag,
                                     const struct tn_step *step,
                                     struct tn_arena      *arena,
                                     struct tn_error      *error)
{
    char *text = step->text
                     ? tn_text_dup(arena, step->text, error)
                     : tn_text_format(arena, error, "%" PRId64, step->number);

    if (!text)
        return error->status;
    size_t size = strlen(text);
    if (size > UINT32_MAX)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE, "a key of %zu bytes",
                            size);
    tag->size    = (uint32_t)size;
    tag->at.text = (const uint8_t *)text;
    return TN_OK;
}

static enum tn_status build_key(struct tn_field_tag           *tag,
                                const struct tn_step          *step,
                                const struct tn_pb_field_type *field,
                                struct tn_arena *arena, struct tn_error *error)
{
    enum tn_key_kind kind = tn_key_kind_of(field->message->fields[0].type);
    uint64_t         number;

    *tag = (struct tn_field_tag){ .kind = TN_TAG_KEY, .key = (uint8_t)kind };
    if (kind == TN_KEY_TEXT)
        return build_text_key(tag, step, arena, error);
    if (!key_number(kind, step, &number))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "no key of the map %s comes next", field->name);
    tag->at.number = number;
    return TN_OK;
}

enum tn_status tn_tags_build(struct tn_tags             *tags,
                             const struct tn_pb_message *type,
                             const struct tn_step *steps, uint64_t count,
                             bool can_end_whole, struct tn_arena *arena,
                             struct tn_error *error)
{
    struct tn_field_tag *tag = tn_new(arena, struct tn_field_tag, count, error);
    const struct tn_pb_field_type *field;

    *tags = (struct tn_tags){ tag, count };
    if (!tag)
        return error->status;
    for (uint64_t i = 0; i < count; i++) {
        TN_TRY(find_field(type, &steps[i], &field, error));
        tag[i] = tn_tag_field(field->number);
        type   = field->message;
        if (field->label != TN_PB_REPEATED)
            continue;
        if (i + 1 == count && can_end_whole)
            break;
        if (++i == count)
            return tn_error_set(
                error, TN_INVALID, TN_NOWHERE,
                "%s is repeated: the index of an element is missing",
                field->name);
        TN_TRY(field->is_map
                   ? build_key(&tag[i], &steps[i], field, arena, error)
                   : build_index(&tag[i], &steps[i], field, error));
        if (field->is_map)
            type = field->message->fields[1].message;
    }
    return TN_OK;
}

/* ---- printing ----------------------------------------------------------- */

struct printer {
    char  *to;
    size_t size, used;
};

TN_PRINTF(2, 3)
static void print(struct printer *p, const char *format, ...)
{
    va_list list;
    size_t  left = p->used < p->size ? p->size - p->used : 0;

    va_start(list, format);
    int more = vsnprintf(left ? p->to + p->used : NULL, left, format, list);
    va_end(list);
    p->used += more > 0 ? (size_t)more : 0;
}

static void print_key(struct printer *p, const struct tn_field_tag *tag)
{
    if (tag->key == TN_KEY_TEXT)
        print(p, "[\"%.*s\"]", (int)(tag->size > 60 ? 60 : tag->size),
              (const char *)tag->at.text);
    else if (tag->key == TN_KEY_BOOL)
        print(p, "[%s]", tag->at.number ? "true" : "false");
    else if (tag->key == TN_KEY_INT32 || tag->key == TN_KEY_INT64)
        print(p, "[%" PRId64 "]", (int64_t)tag->at.number);
    else
        print(p, "[%" PRIu64 "]", tag->at.number);
}

/* The field of a tag, or NULL. */
static const struct tn_pb_field_type *field_of(const struct tn_field_tag  *tag,
                                               const struct tn_pb_message *type)
{
    if (!type || tag->kind != TN_TAG_FIELD || tag->at.number > UINT32_MAX)
        return NULL;
    return tn_pb_message_field(type, (uint32_t)tag->at.number);
}

size_t tn_tags_print(struct tn_tags tags, const struct tn_pb_message *type,
                     char *to, size_t size)
{
    const struct tn_pb_field_type *field = NULL;
    struct printer                 p     = { to, size, 0 };

    if (size)
        to[0] = '\0';
    for (uint64_t i = 0; i < tags.count; i++) {
        const struct tn_field_tag *tag = &tags.at[i];
        if (tag->kind == TN_TAG_KEY) {
            print_key(&p, tag);
            type = field && field->is_map ? field->message->fields[1].message
                                          : NULL;
        } else if (tag->kind == TN_TAG_INDEX) {
            print(&p, "[%" PRIu64 "]", tag->at.number);
        } else if ((field = field_of(tag, type)) != NULL) {
            print(&p, "%s%s", i ? "." : "", field->name);
            type = field->message;
        } else {
            print(&p, "%s%" PRIu64, i ? "." : "", tag->at.number);
            type = NULL;
        }
    }
    return p.used;
}

void tn_tags_where(struct tn_tags tags, const struct tn_pb_message *type,
                   struct tn_error *error)
{
    char text[sizeof error->where];

    if (!tn_failed(error) || tags.count == 0)
        return;
    tn_tags_print(tags, type, text, sizeof text);
    tn_error_where(error, "%s", text);
}
