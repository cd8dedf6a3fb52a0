/* pb_map.c - the entries of a map field, ascending by key */
#include "wire/pb/pb_map.h"

#include "base/arith.h"
#include "base/sort.h"
#include "wire/pb/pb_rules.h"

/* Keys are compared through windows: one may be longer than memory. */
#define WINDOW 256

static int compare_text(struct tn_span a, struct tn_span b,
                        struct tn_error *error)
{
    uint8_t left[WINDOW], right[WINDOW];

    for (uint64_t at = 0; at < a.length && at < b.length;) {
        size_t size =
            (size_t)tn_min(WINDOW, tn_min(a.length - at, b.length - at));
        if (tn_source_read(a.source, a.offset + at, left, size, error) !=
                TN_OK ||
            tn_source_read(b.source, b.offset + at, right, size, error) !=
                TN_OK)
            return 0;
        int order = memcmp(left, right, size);
        if (order)
            return order;
        at += size;
    }
    return a.length < b.length ? -1 : a.length > b.length;
}

int tn_pb_entry_compare(const struct tn_pb_map   *map,
                        const struct tn_pb_entry *a,
                        const struct tn_pb_entry *b)
{
    enum tn_pb_type type = map->type->fields[0].type;

    if (type == TN_PB_STRING)
        return compare_text(a->text, b->text, map->error);
    return tn_pb_compare_numbers(type, a->number, b->number);
}

static int compare_entries(const void *left, const void *right, void *context)
{
    const struct tn_pb_entry *a = left, *b = right;
    int                       order = tn_pb_entry_compare(context, a, b);

    if (order)
        return order;
    return a->body.offset < b->body.offset ? -1 : 1;
}

void tn_pb_entry_init(struct tn_pb_entry *entry, const struct tn_pb_map *map,
                      struct tn_span body)
{
    struct tn_pb_field key;

    *entry = (struct tn_pb_entry){ .body = body };
    if (!tn_pb_entry_key(map->type, tn_cursor_span(body, map->error), &key))
        return;
    if (key.type == TN_WIRE_LEN)
        entry->text = tn_pb_body_span(&key);
    else
        entry->number = tn_pb_decode(map->type->fields[0].type, key.value);
}

enum tn_status tn_pb_map_init(struct tn_pb_map               *map,
                              const struct tn_pb_occurrences *all,
                              struct tn_memory *memory, struct tn_error *error)
{
    struct tn_pb_walk  walk;
    struct tn_pb_field field;

    *map = (struct tn_pb_map){ .type = all->type->message, .error = error };
    tn_list_init(&map->entries, memory, sizeof(struct tn_pb_entry));
    tn_pb_walk_init(&walk, all, error);
    while (tn_pb_walk_next(&walk, &field)) {
        struct tn_pb_entry *entry =
            tn_list_push(&map->entries, struct tn_pb_entry, error);
        if (!entry)
            break;
        tn_pb_entry_init(entry, map, tn_pb_body_span(&field));
    }
    if (!tn_failed(error))
        tn_sort_items(map->entries.items, map->entries.count,
                      sizeof(struct tn_pb_entry), compare_entries, map);
    return error->status;
}

void tn_pb_map_done(struct tn_pb_map *map)
{
    tn_list_done(&map->entries);
}
