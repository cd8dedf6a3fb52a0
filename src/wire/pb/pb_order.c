/* pb_order.c - the fields of a message, sorted by number */
#include "wire/pb/pb_order.h"

#include "base/arith.h"
#include "base/sort.h"
#include "wire/pb/pb_rules.h"

static const struct tn_pb_field_type *field_type(
    const struct tn_pb_order *order, uint32_t field)
{
    return field == TN_PB_UNKNOWN ? NULL : &order->type->fields[field];
}

/* What a wire field of a closed enum holds. */
struct enum_mix {
    bool has_listed, has_others;
};

static struct enum_mix mix_of(struct tn_cursor              *c,
                              const struct tn_pb_field_type *type,
                              struct tn_pb_field             field)
{
    struct enum_mix mix = { false, false };
    uint64_t        value;

    while (tn_pb_number(c, &field, TN_WIRE_VARINT, &value)) {
        bool listed = tn_pb_holds(type, value);
        mix.has_listed |= listed;
        mix.has_others |= !listed;
    }
    return mix;
}

static void add_series(struct tn_pb_order *order, uint32_t field,
                       uint64_t begin, uint64_t end, struct tn_error *error)
{
    struct tn_pb_series *last = NULL;

    if (order->series.count)
        last = tn_list_at(&order->series, struct tn_pb_series,
                          order->series.count - 1);
    if (last && last->field == field && last->end == begin) {
        last->end = end;
        return;
    }
    last = tn_list_push(&order->series, struct tn_pb_series, error);
    if (last)
        *last = (struct tn_pb_series){ begin, end, field };
}

static void add_field(struct tn_pb_order *order, struct tn_cursor *c,
                      const struct tn_pb_field *field)
{
    const struct tn_pb_field_type *type =
        tn_pb_message_field(order->type, field->number);
    struct enum_mix mix = { tn_pb_fit(type, field) != TN_PB_FITS_NOT, false };

    if (!mix.has_listed)
        mix.has_others = true;
    else if (tn_pb_is_closed(type))
        mix = mix_of(c, type, *field);
    if (mix.has_listed)
        add_series(order, (uint32_t)(type - order->type->fields), field->offset,
                   c->offset, c->error);
    if (mix.has_others)
        add_series(order, TN_PB_UNKNOWN, field->offset, c->offset, c->error);
}

static int compare_series(const void *left, const void *right, void *context)
{
    const struct tn_pb_series *a = left, *b = right;

    (void)context;
    if (a->field != b->field)
        return a->field < b->field ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* From the end backwards, so that fields that another member clears are
 * known. */
static void drop_cleared(struct tn_pb_order *order, struct tn_error *error)
{
    struct tn_pb_series *series = order->series.items;
    uint64_t             count = order->series.count, live = count;
    struct tn_pb_oneofs  oneofs;

    if (count < 2 || order->type->oneof_count == 0)
        return;
    if (tn_pb_oneofs_init(&oneofs, order->type, order->series.memory, error)) {
        for (uint64_t i = count; i-- > 0;)
            if (tn_pb_oneofs_keep(&oneofs, field_type(order, series[i].field)))
                series[--live] = series[i];
        memmove(series, series + live, (size_t)(count - live) * sizeof *series);
        order->series.count -= live;
    }
    tn_pb_oneofs_done(&oneofs);
}

void tn_pb_series_sort(struct tn_list *series)
{
    tn_sort_items(series->items, series->count, sizeof(struct tn_pb_series),
                  compare_series, NULL);
}

enum tn_status tn_pb_order_init(struct tn_pb_order         *order,
                                const struct tn_pb_message *type,
                                const struct tn_span *parts, uint64_t count,
                                struct tn_memory *memory,
                                struct tn_error  *error)
{
    struct tn_pb_field field;

    *order = (struct tn_pb_order){ .type = type };
    tn_list_init(&order->series, memory, sizeof(struct tn_pb_series));
    for (uint64_t i = 0; i < count; i++) {
        struct tn_cursor c = tn_cursor_span(parts[i], error);
        order->source      = parts[i].source;
        while (tn_pb_next(&c, &field))
            add_field(order, &c, &field);
    }
    if (!tn_failed(error))
        drop_cleared(order, error);
    if (!tn_failed(error))
        tn_pb_series_sort(&order->series);
    return error->status;
}

void tn_pb_order_done(struct tn_pb_order *order)
{
    tn_list_done(&order->series);
}

bool tn_pb_order_next(const struct tn_pb_order *order, uint64_t *at,
                      struct tn_pb_occurrences *all)
{
    const struct tn_pb_series *series = order->series.items;
    uint64_t                   begin = *at, end = begin;

    if (begin == order->series.count)
        return false;
    uint32_t field = series[begin].field;
    while (end < order->series.count && series[end].field == field)
        end++;
    *all = (struct tn_pb_occurrences){
        .type   = field_type(order, field),
        .source = order->source,
        .series = series + begin,
        .count  = end - begin,
    };
    *at = end;
    return true;
}

struct tn_pb_occurrences tn_pb_order_find(const struct tn_pb_order *order,
                                          uint32_t                  field)
{
    const struct tn_pb_field_type *type = &order->type->fields[field];
    struct tn_pb_occurrences       all;

    for (uint64_t at = 0; tn_pb_order_next(order, &at, &all);)
        if (all.type == type)
            return all;
    return (struct tn_pb_occurrences){ .type = type, .source = order->source };
}

void tn_pb_walk_init(struct tn_pb_walk              *walk,
                     const struct tn_pb_occurrences *all,
                     struct tn_error                *error)
{
    *walk = (struct tn_pb_walk){
        .all    = *all,
        .cursor = tn_cursor_bytes(tn_bytes(NULL, 0), 0, error),
    };
}

bool tn_pb_walk_next(struct tn_pb_walk *walk, struct tn_pb_field *field)
{
    struct tn_error *error = walk->cursor.error;

    while (!tn_more(&walk->cursor)) {
        if (walk->series == walk->all.count || tn_failed(error))
            return false;
        const struct tn_pb_series *series = &walk->all.series[walk->series++];
        walk->cursor =
            tn_cursor_span((struct tn_span){ walk->all.source, series->begin,
                                             series->end - series->begin },
                           error);
    }
    return tn_pb_next(&walk->cursor, field);
}

bool tn_pb_walk_last(const struct tn_pb_occurrences *all,
                     struct tn_pb_field *field, struct tn_error *error)
{
    struct tn_pb_occurrences end = *all;
    struct tn_pb_walk        walk;

    if (all->count == 0)
        return false;
    end.series += end.count - 1;
    end.count = 1;
    tn_pb_walk_init(&walk, &end, error);
    while (tn_pb_walk_next(&walk, field))
        ;
    return !tn_failed(error);
}

enum tn_status tn_pb_walk_parts(const struct tn_pb_occurrences *all,
                                struct tn_list *parts, struct tn_error *error)
{
    struct tn_pb_walk  walk;
    struct tn_pb_field field;

    tn_pb_walk_init(&walk, all, error);
    while (tn_pb_walk_next(&walk, &field)) {
        struct tn_span *part = tn_list_push(parts, struct tn_span, error);
        if (part)
            *part = tn_pb_body_span(&field);
    }
    return error->status;
}

/* ---- maps -------------------------------------------------------------- */

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
