/* chunk_order.c - the order in which fields are listed */
#include "chunk/chunk_order.h"

#include "base/arith.h"
#include "wire/pb/pb_rules.h"

#define NO_PARENT UINT64_MAX

static struct tn_tags tags_at(const struct tn_chunked *of, uint64_t index)
{
    return of->fields[index].tags;
}

static bool is_around(struct tn_tags outer, struct tn_tags inner)
{
    return tn_tags_common(outer, inner) == outer.count;
}

/* Elements of one repeated field, one after the other. */
static bool are_elements(struct tn_tags a, struct tn_tags b)
{
    uint64_t common = tn_tags_common(a, b);

    return common < a.count && common < b.count &&
           a.at[common].kind == TN_TAG_INDEX &&
           b.at[common].kind == TN_TAG_INDEX;
}

/* Sorted, what is around a field comes before it: parents are found by going up
 * from the field before. */
bool tn_chunked_was_in_order(const struct tn_chunked *sorted,
                             struct tn_arena *arena, struct tn_error *error)
{
    uint64_t  count   = sorted->field_count;
    uint64_t *parents = tn_new(arena, uint64_t, count, error);
    uint64_t *latest  = tn_new(arena, uint64_t, count, error);

    if (!parents || !latest)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place  = sorted->fields[i].place;
        uint64_t parent = i ? i - 1 : NO_PARENT;
        if (i && are_elements(tags_at(sorted, i - 1), tags_at(sorted, i)) &&
            sorted->fields[i - 1].place > place)
            return false;
        while (parent != NO_PARENT &&
               !is_around(tags_at(sorted, parent), tags_at(sorted, i)))
            parent = parents[parent];
        if (parent != NO_PARENT && latest[parent] > place)
            return false;
        parents[i] = parent;
        latest[i] = parent == NO_PARENT ? place : tn_max(place, latest[parent]);
    }
    return true;
}

/* What the tags lead to; NULL: to a message, or nowhere. */
static const struct tn_pb_field_type *value_of(struct tn_tags              tags,
                                               const struct tn_pb_message *type)
{
    struct tn_error    ignored = TN_ERROR_INIT;
    struct tn_tag_step step    = { NULL, NULL };

    while (tags.count) {
        if (!type || tn_tags_step(&tags, type, &step, &ignored) != TN_OK)
            return NULL;
        type = tn_step_message(&step);
    }
    return type || !step.field ? NULL : tn_step_value(&step);
}

bool tn_chunked_is_double(const struct tn_chunked    *sorted,
                          const struct tn_pb_message *type, uint64_t index)
{
    if (index == 0 ||
        tn_tags_compare(tags_at(sorted, index - 1), tags_at(sorted, index)))
        return false;
    const struct tn_pb_field_type *value =
        value_of(tags_at(sorted, index), type);
    return value && tn_pb_is_blob(value->type);
}

/* Readers of metadata bound the depth. */
const struct tn_chunked_field *tn_chunked_find_double(
    const struct tn_chunked *sorted, const struct tn_pb_message *type)
{
    for (uint64_t i = 0; i < sorted->field_count; i++) {
        const struct tn_chunked_field *field = &sorted->fields[i];
        const struct tn_pb_message    *inner = type;
        if (tn_chunked_is_double(sorted, type, i))
            return field;
        if (!field->message.field_count ||
            !tn_tags_follow(field->tags, &inner) || !inner)
            continue;
        field = tn_chunked_find_double(&field->message, inner);
        if (field)
            return field;
    }
    return NULL;
}
