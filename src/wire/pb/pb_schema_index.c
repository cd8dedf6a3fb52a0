/* pb_schema_index.c - what a schema is searched by: names and numbers, sorted
 */
#include <inttypes.h>
#include <stdlib.h>

#include "wire/pb/pb_loader.h"

/* by_number tables end here; larger numbers are searched. */
#define TABLE_LIMIT 1024

struct named_index {
    const char *name;
    int64_t     number;
    uint32_t    index;
};

static int compare_indices_by_name(const void *a, const void *b)
{
    const struct named_index *left = a, *right = b;

    return strcmp(left->name, right->name);
}

static int compare_indices_by_number(const void *a, const void *b)
{
    const struct named_index *left = a, *right = b;

    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

/* Sorts the keys and copies their order into the arena. */
static uint32_t *sorted_indices(struct tn_pb_loader *loader,
                                struct tn_list      *keys,
                                int (*compare)(const void *, const void *))
{
    uint32_t *order =
        tn_new(loader->arena, uint32_t, keys->count, loader->error);

    if (!order)
        return NULL;
    if (keys->count)
        qsort(keys->items, (size_t)keys->count, sizeof(struct named_index),
              compare);
    for (uint64_t i = 0; i < keys->count; i++)
        order[i] = tn_list_at(keys, struct named_index, i)->index;
    return order;
}

static void index_values(struct tn_pb_loader *loader, struct tn_pb_enum *type,
                         struct tn_list *keys, bool may_alias, uint64_t offset)
{
    struct named_index *key =
        tn_list_grow(keys, type->value_count, loader->error);

    if (!key)
        return;
    for (uint32_t i = 0; i < type->value_count; i++)
        key[i] = (struct named_index){ type->values[i].name,
                                       type->values[i].number, i };
    type->by_name = sorted_indices(loader, keys, compare_indices_by_name);
    for (uint32_t i = 1; i < type->value_count; i++)
        if (strcmp(key[i - 1].name, key[i].name) == 0)
            tn_error_set(loader->error, TN_MALFORMED, offset,
                         "two values are called %s", key[i].name);
    type->by_number = sorted_indices(loader, keys, compare_indices_by_number);
    for (uint32_t i = 1; i < type->value_count && !may_alias; i++)
        if (key[i - 1].number == key[i].number)
            tn_error_set(loader->error, TN_MALFORMED, offset,
                         "%s and %s are both %" PRId64
                         ", and aliases are not allowed",
                         key[i - 1].name, key[i].name, key[i].number);
}

void tn_pb_index_enum(struct tn_pb_loader *loader, struct tn_pb_enum *type,
                      bool may_alias, uint64_t offset)
{
    struct tn_list keys;

    tn_list_init(&keys, loader->arena->memory, sizeof(struct named_index));
    index_values(loader, type, &keys, may_alias, offset);
    tn_list_done(&keys);
}

/* ---- fields into their messages ----------------------------------------- */

static int compare_pending(const void *a, const void *b)
{
    const struct tn_pb_pending *left = a, *right = b;

    if (left->message != right->message)
        return left->message < right->message ? -1 : 1;
    if (left->field.number != right->field.number)
        return left->field.number < right->field.number ? -1 : 1;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

void tn_pb_refuse_pending(struct tn_pb_loader        *loader,
                          const struct tn_pb_pending *pending, const char *what)
{
    if (tn_failed(loader->error))
        return;
    tn_error_set(loader->error, TN_MALFORMED, pending->offset, "%s", what);
    tn_error_where(loader->error, "%s: %s.%s", pending->file->name,
                   loader->messages[pending->message].full_name,
                   pending->field.name);
}

/* Names are compared after numbers: `keys` are of one message. */
static void index_names(struct tn_pb_loader        *loader,
                        struct tn_pb_message       *message,
                        const struct tn_pb_pending *pending,
                        struct tn_list             *keys)
{
    if (message->field_count == 0)
        return;
    keys->count = 0;
    struct named_index *key =
        tn_list_grow(keys, message->field_count, loader->error);
    if (!key)
        return;
    for (uint32_t i = 0; i < message->field_count; i++)
        key[i] = (struct named_index){ message->fields[i].name, 0, i };
    message->by_name = sorted_indices(loader, keys, compare_indices_by_name);
    for (uint32_t i = 1; i < message->field_count; i++)
        if (strcmp(key[i - 1].name, key[i].name) == 0)
            tn_pb_refuse_pending(loader, &pending[key[i].index],
                                 "two fields of this name");
}

static void index_numbers(struct tn_pb_loader  *loader,
                          struct tn_pb_message *message)
{
    uint32_t largest = message->field_count
                           ? message->fields[message->field_count - 1].number
                           : 0;
    uint32_t size    = largest < TABLE_LIMIT ? largest + 1 : TABLE_LIMIT;

    /* A few large numbers must not cost a table that is mostly empty. */
    if (size / 8 > message->field_count)
        size = 0;
    uint16_t *table = tn_new(loader->arena, uint16_t, size, loader->error);
    if (!table)
        return;
    for (uint32_t i = 0; i < message->field_count; i++)
        if (message->fields[i].number < size)
            table[message->fields[i].number] = (uint16_t)(i + 1);
    message->by_number      = table;
    message->by_number_size = size;
}

static void fill_message(struct tn_pb_loader        *loader,
                         struct tn_pb_message       *message,
                         const struct tn_pb_pending *pending, uint32_t count,
                         struct tn_list *keys)
{
    struct tn_pb_field_type *fields =
        tn_new(loader->arena, struct tn_pb_field_type, count, loader->error);

    if (!fields)
        return;
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = pending[i].field;
        if (i && fields[i].number == fields[i - 1].number)
            tn_pb_refuse_pending(loader, &pending[i],
                                 "two fields of this number");
    }
    message->fields      = fields;
    message->field_count = count;
    index_names(loader, message, pending, keys);
    index_numbers(loader, message);
}

void tn_pb_fill_messages(struct tn_pb_loader *loader)
{
    struct tn_pb_pending *pending = loader->fields.items;
    uint64_t              count = loader->fields.count, at = 0;
    struct tn_list        keys;

    if (tn_failed(loader->error))
        return;
    if (count)
        qsort(pending, (size_t)count, sizeof *pending, compare_pending);
    tn_list_init(&keys, loader->arena->memory, sizeof(struct named_index));
    for (uint32_t i = 0; i < loader->message_count; i++) {
        uint64_t begin = at;
        while (at < count && pending[at].message == i)
            at++;
        if (!tn_failed(loader->error))
            fill_message(loader, &loader->messages[i],
                         at > begin ? &pending[begin] : NULL,
                         (uint32_t)(at - begin), &keys);
    }
    tn_list_done(&keys);
}
