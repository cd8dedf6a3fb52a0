/*
 * pb_merge.c - merges messages and writes them in canonical form
 *
 * Each message is surveyed first.  Nearly all have their fields in order; then
 * they are written in one more walk.  Otherwise the occurrences are listed,
 * those that do not count are dropped, and the list is sorted.  Either way the
 * fields are written in series: all occurrences of one number.
 */
#include "wire/pb/pb_merge.h"

#include "base/intern.h"
#include "base/sort.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_rules.h"
#include "wire/pb/pb_write.h"

/* Where a field begins. */
struct place {
    struct tn_cursor               cursor; /* at its tag                      */
    const struct tn_pb_field_type *type;
    uint64_t                       order;
};

/* One field, read. */
struct occurrence {
    struct tn_pb_field field;
    struct tn_cursor   whole; /* all its bytes, tag included                  */
};

/* All occurrences of one field: from a list, or as they follow each other. */
struct series {
    const struct tn_pb_field_type *type;
    const struct place            *places; /* NULL: `cursor` walks them       */
    struct tn_cursor               cursor;
    uint64_t                       left;
};

static void write_message(const struct tn_pb_view *view, struct tn_rope *to);

/* ---- taking by reference ------------------------------------------------ */

static void put_reference(struct tn_rope *to, struct tn_cursor body)
{
    struct tn_span span = { body.source, body.offset, tn_left(&body) };

    if (body.source)
        tn_rope_span(to, span);
    else
        tn_rope_borrow(to, tn_bytes(body.at, (size_t)span.length));
}

/* The piece begins where the body does. */
static bool is_at(const struct tn_piece *piece, struct tn_cursor body)
{
    if (piece->kind == TN_PIECE_SPAN)
        return piece->at.span.source == body.source &&
               piece->at.span.offset == body.offset;
    return piece->kind == TN_PIECE_BYTES && piece->at.bytes == body.at;
}

/* The rope is these very bytes, taken by reference. */
static bool is_reference(const struct tn_rope *rope, struct tn_cursor body)
{
    if (rope->length != tn_left(&body))
        return false;
    return rope->length == 0 ||
           (rope->pieces.count == 1 &&
            is_at(tn_list_at(&rope->pieces, struct tn_piece, 0), body));
}

static uint64_t tag_size(const struct tn_pb_field *f)
{
    return tn_varint_size(tn_tag(f->number, f->type));
}

/* Two encodings of a number that have the same length are the same bytes, so
 * the length decides whether an encoding is the shortest. */
static void put_number(struct tn_rope *to, const struct occurrence *o,
                       uint64_t wire)
{
    const struct tn_pb_field *f    = &o->field;
    uint64_t                  size = f->type == TN_WIRE_FIXED64   ? 8
                                     : f->type == TN_WIRE_FIXED32 ? 4
                                                                  : tn_varint_size(wire);

    if (tn_left(&o->whole) == tag_size(f) + size && wire == f->value)
        put_reference(to, o->whole);
    else
        tn_pb_put_number(to, f->number, f->type, wire);
}

static void put_len(struct tn_rope *to, const struct occurrence *o)
{
    const struct tn_pb_field *f    = &o->field;
    uint64_t                  size = tn_left(&f->body);

    if (tn_left(&o->whole) == tag_size(f) + tn_varint_size(size) + size) {
        put_reference(to, o->whole);
        return;
    }
    tn_pb_put_len(to, f->number, size);
    put_reference(to, f->body);
}

/* A message or a group whose fields are already written in `message`. */
static void put_nested(struct tn_rope *to, const struct occurrence *o,
                       struct tn_rope *message)
{
    const struct tn_pb_field *f = &o->field;
    uint64_t head = f->type == TN_WIRE_LEN ? tn_varint_size(message->length)
                                           : tag_size(f); /* of the end */

    if (tn_left(&o->whole) == tag_size(f) + head + message->length &&
        is_reference(message, f->body)) {
        put_reference(to, o->whole);
        tn_rope_done(message);
    } else if (f->type == TN_WIRE_LEN) {
        tn_pb_put_message(to, f->number, message);
    } else {
        tn_pb_put_group(to, f->number, message);
    }
}

/* ---- series ---------------------------------------------------------------
 */

static bool series_next(struct series *series, struct occurrence *o)
{
    if (series->left == 0)
        return false;
    series->left--;
    if (series->places)
        series->cursor = series->places++->cursor;
    o->whole = series->cursor;
    if (!tn_pb_next(&series->cursor, &o->field))
        return false;
    o->whole = tn_sub(&o->whole, series->cursor.offset - o->field.offset);
    return true;
}

static bool series_last(struct series *series, struct occurrence *o)
{
    bool is_any = false;

    while (series_next(series, o))
        is_any = true;
    return is_any;
}

static void write_single(struct tn_rope *to, struct series *series,
                         bool keep_zero)
{
    enum tn_pb_type   type = series->type->type;
    struct occurrence o;

    if (!series_last(series, &o))
        return;
    keep_zero = keep_zero || series->type->has_presence;
    if (!tn_pb_is_packable(type)) {
        if (keep_zero || tn_more(&o.field.body))
            put_len(to, &o);
        return;
    }
    uint64_t bits = tn_pb_decode(type, o.field.value);
    if (bits || keep_zero)
        put_number(to, &o, tn_pb_encode(type, bits));
}

static struct tn_pb_view nested_view(const struct tn_pb_view       *view,
                                     const struct tn_pb_field_type *type)
{
    return (struct tn_pb_view){ .type       = type->message,
                                .arena      = view->arena,
                                .error      = view->error,
                                .depth      = view->depth + 1,
                                .sorts_maps = view->sorts_maps };
}

/* All occurrences are parts of one message. */
static void write_merged(const struct tn_pb_view *view, struct tn_rope *to,
                         struct series *series)
{
    struct tn_pb_view nested = nested_view(view, series->type);
    uint64_t          count  = series->left;
    struct tn_rope    message;
    struct occurrence o;
    struct tn_cursor *rest = NULL;

    if (count > 1)
        rest = tn_new(view->arena, struct tn_cursor, count - 1, view->error);
    if (count > 1 && !rest)
        return;
    nested.rest = rest;
    while (series_next(series, &o)) {
        if (nested.part_count++ == 0)
            nested.part = o.field.body;
        else
            rest[nested.part_count - 2] = o.field.body;
    }
    if (tn_failed(view->error) || count == 0)
        return;
    tn_rope_init(&message, to->arena, view->error);
    write_message(&nested, &message);
    put_nested(to, &o, &message);
    tn_rope_done(&message);
}

static void write_nested(const struct tn_pb_view *view, struct tn_rope *to,
                         const struct tn_pb_field_type *type,
                         const struct occurrence       *o)
{
    struct tn_pb_view nested = nested_view(view, type);
    struct tn_rope    message;

    nested.part       = o->field.body;
    nested.part_count = 1;
    tn_rope_init(&message, to->arena, view->error);
    write_message(&nested, &message);
    put_nested(to, o, &message);
    tn_rope_done(&message);
}

/* ---- repeated numbers --------------------------------------------------- */

/* Writes the numbers of one occurrence, by reference if their encoding is the
 * shortest.  With `number` each gets a tag: the field is not packed. */
static void write_numbers(struct tn_rope *to, const struct series *series,
                          struct tn_pb_field f, uint32_t number)
{
    const struct tn_pb_field_type *type = series->type;
    enum tn_wire_type              wire = tn_pb_wire_type(type->type);
    struct tn_cursor               at = f.body, parent = series->cursor;
    uint64_t                       value;

    while (tn_pb_number(&parent, &f, wire, &value)) {
        struct tn_cursor element = tn_sub(&at, f.body.offset - at.offset);
        uint64_t         bits    = tn_pb_decode(type->type, value);
        uint64_t         again   = tn_pb_encode(type->type, bits);
        if (!tn_pb_holds(type, bits))
            continue;
        if (number)
            tn_pb_put_number(to, number, wire, again);
        else if (wire != TN_WIRE_VARINT ||
                 (again == value && tn_left(&element) == tn_varint_size(value)))
            put_reference(to, element);
        else
            tn_pb_put_bare(to, wire, again);
    }
}

/* Fixed-width numbers need not be examined one by one: gigabytes of them are
 * never read. */
static bool is_whole_fixed(const struct tn_pb_field_type *type,
                           const struct occurrence       *o)
{
    enum tn_wire_type wire = tn_pb_wire_type(type->type);
    uint64_t          size = wire == TN_WIRE_FIXED64 ? 8 : 4;

    return wire != TN_WIRE_VARINT && o->field.type == TN_WIRE_LEN &&
           tn_left(&o->field.body) % size == 0;
}

static void write_packed(struct tn_rope *to, struct series *series)
{
    const struct tn_pb_field_type *type = series->type;
    struct tn_rope                 numbers;
    struct occurrence              o;

    tn_rope_init(&numbers, to->arena, to->error);
    while (series_next(series, &o)) {
        if (is_whole_fixed(type, &o))
            put_reference(&numbers, o.field.body);
        else if (tn_pb_fit(type, &o.field) == TN_PB_FITS_PACKED)
            write_numbers(&numbers, series, o.field, 0);
        else
            tn_pb_put_bare(
                &numbers, o.field.type,
                tn_pb_encode(type->type,
                             tn_pb_decode(type->type, o.field.value)));
    }
    if (numbers.length == 0)
        tn_rope_done(&numbers);
    else if (o.field.type == TN_WIRE_LEN)
        put_nested(to, &o, &numbers);
    else
        tn_pb_put_message(to, type->number, &numbers);
    tn_rope_done(&numbers);
}

static void write_unpacked(struct tn_rope *to, struct series *series)
{
    enum tn_pb_type   type = series->type->type;
    struct occurrence o;

    while (series_next(series, &o)) {
        if (tn_pb_fit(series->type, &o.field) == TN_PB_FITS_PACKED)
            write_numbers(to, series, o.field, series->type->number);
        else
            put_number(to, &o,
                       tn_pb_encode(type, tn_pb_decode(type, o.field.value)));
    }
}

/* ---- maps --------------------------------------------------------------- */

static uint32_t intern_key(const struct tn_pb_view       *view,
                           const struct tn_pb_field_type *type,
                           struct tn_cursor body, struct tn_intern *keys)
{
    enum tn_pb_type    kind = type->message->fields[0].type;
    struct tn_pb_field key;
    bool               has_key = tn_pb_entry_key(type->message, body, &key);

    if (kind == TN_PB_STRING)
        return tn_intern_borrow(
            keys, has_key ? tn_pb_text(&key) : tn_bytes(NULL, 0), view->error);
    uint64_t bits = has_key ? tn_pb_decode(kind, key.value) : 0;
    return tn_intern_copy(keys, tn_bytes(&bits, sizeof bits), view->error);
}

/* last[id] is the index of the last entry of that key. */
static bool find_last_entries(const struct tn_pb_view *view,
                              struct series series, struct tn_intern *keys,
                              struct tn_list *ids, struct tn_list *last)
{
    struct occurrence o;

    for (uint64_t i = 0; series_next(&series, &o); i++) {
        uint32_t  id = intern_key(view, series.type, o.field.body, keys);
        uint32_t *at = tn_list_push(ids, uint32_t, view->error);
        if (id == last->count)
            tn_list_push(last, uint32_t, view->error);
        if (!at || tn_failed(view->error))
            return false;
        *at                             = id;
        *tn_list_at(last, uint32_t, id) = (uint32_t)i;
    }
    return !tn_failed(view->error);
}

static void write_last_entries(const struct tn_pb_view *view,
                               struct tn_rope *to, struct series *series,
                               const struct tn_list *ids,
                               const struct tn_list *last)
{
    struct occurrence o;

    for (uint64_t i = 0; series_next(series, &o); i++) {
        uint32_t id = *tn_list_at(ids, uint32_t, i);
        if (*tn_list_at(last, uint32_t, id) == i)
            write_nested(view, to, series->type, &o);
    }
}

/* An entry that counts, and its key. */
struct keyed {
    struct occurrence o;
    struct tn_bytes   key;
};

static int compare_keyed(const void *left, const void *right, void *context)
{
    enum tn_pb_type     type = *(const enum tn_pb_type *)context;
    const struct keyed *a = left, *b = right;
    uint64_t            one, other;

    if (type == TN_PB_STRING)
        return tn_bytes_compare(a->key, b->key);
    memcpy(&one, a->key.data, sizeof one);
    memcpy(&other, b->key.data, sizeof other);
    return tn_pb_compare_numbers(type, one, other);
}

static void write_sorted_entries(const struct tn_pb_view *view,
                                 struct tn_rope *to, struct series *series,
                                 const struct tn_intern *keys,
                                 const struct tn_list   *ids,
                                 const struct tn_list   *last)
{
    enum tn_pb_type   type = series->type->message->fields[0].type;
    struct tn_list    kept; /* struct keyed */
    struct occurrence o;

    tn_list_init(&kept, view->arena->memory, sizeof(struct keyed));
    for (uint64_t i = 0; series_next(series, &o); i++) {
        uint32_t id = *tn_list_at(ids, uint32_t, i);
        if (*tn_list_at(last, uint32_t, id) != i)
            continue;
        struct keyed *slot = tn_list_push(&kept, struct keyed, view->error);
        if (!slot)
            break;
        *slot = (struct keyed){ o, tn_intern_text(keys, id) };
    }
    if (!tn_failed(view->error))
        tn_sort_items(kept.items, kept.count, sizeof(struct keyed),
                      compare_keyed, &type);
    for (uint64_t i = 0; i < kept.count && !tn_failed(view->error); i++)
        write_nested(view, to, series->type,
                     &tn_list_at(&kept, struct keyed, i)->o);
    tn_list_done(&kept);
}

static void write_map(const struct tn_pb_view *view, struct tn_rope *to,
                      struct series *series)
{
    struct tn_intern keys;
    struct tn_arena  arena; /* of the keys, for this map only */
    struct tn_list   ids, last;

    tn_arena_init(&arena, view->arena->memory);
    tn_intern_init(&keys, &arena);
    tn_list_init(&ids, arena.memory, sizeof(uint32_t));
    tn_list_init(&last, arena.memory, sizeof(uint32_t));
    if (find_last_entries(view, *series, &keys, &ids, &last)) {
        if (view->sorts_maps)
            write_sorted_entries(view, to, series, &keys, &ids, &last);
        else
            write_last_entries(view, to, series, &ids, &last);
    }
    tn_list_done(&ids);
    tn_list_done(&last);
    tn_intern_done(&keys);
    tn_arena_done(&arena);
}

/* ---- one series, and map entries' missing halves ---------------------------
 */

static void write_series(const struct tn_pb_view *view, struct tn_rope *to,
                         struct series *series)
{
    const struct tn_pb_field_type *type = series->type;
    struct occurrence              o;

    if (type->label != TN_PB_REPEATED) {
        if (type->message)
            write_merged(view, to, series);
        else
            write_single(to, series, view->type->is_map_entry);
    } else if (type->is_map && series->left > 1) {
        write_map(view, to, series);
    } else if (type->is_packed) {
        write_packed(to, series);
    } else if (tn_pb_is_packable(type->type)) {
        write_unpacked(to, series);
    } else {
        while (series_next(series, &o)) {
            if (type->message)
                write_nested(view, to, type, &o);
            else
                put_len(to, &o);
        }
    }
}

/* A map entry always has both: before field `number` is written, the ones
 * below that did not occur are. */
static void fill_entry(const struct tn_pb_view *view, struct tn_rope *to,
                       uint32_t *next, uint32_t number)
{
    if (!view->type->is_map_entry)
        return;
    for (; *next < number && *next <= 2; ++*next) {
        const struct tn_pb_field_type *type = &view->type->fields[*next - 1];
        enum tn_wire_type              wire = tn_pb_wire_type(type->type);
        uint64_t                       bits = 0;
        if (wire == TN_WIRE_LEN) {
            tn_pb_put_len(to, type->number, 0);
            continue;
        }
        tn_pb_field_default(type, &bits);
        tn_pb_put_number(to, type->number, wire,
                         tn_pb_encode(type->type, bits));
    }
    *next = number + 1;
}

/* ---- survey ------------------------------------------------------------- */

struct survey {
    bool     is_ordered;  /* ascending, unknown ones last, no oneof twice     */
    bool     has_unknown; /* fields, or perhaps numbers in packed enums       */
    uint64_t count;       /* of known fields                                  */
};

static bool may_hold_unknown(const struct tn_pb_field_type *type,
                             const struct tn_pb_field      *f)
{
    return tn_pb_is_closed(type) && tn_pb_fit(type, f) == TN_PB_FITS_PACKED;
}

/* Two members of one oneof; which oneofs occurred is a bit each, and if there
 * are more than 64, the list is used. */
static bool is_contested(const struct tn_pb_field_type *type, uint64_t *seen)
{
    if (type->oneof < 0)
        return false;
    if (type->oneof >= 64)
        return true;
    bool is_seen = *seen >> type->oneof & 1;
    *seen |= UINT64_C(1) << type->oneof;
    return is_seen;
}

static struct survey survey(const struct tn_pb_view *view)
{
    struct tn_pb_fields fields = tn_pb_view_fields(view);
    struct survey       result = { .is_ordered = view->part_count <= 1 };
    const struct tn_pb_field_type *type;
    struct tn_pb_field             f;
    uint32_t                       last = 0;
    uint64_t                       seen = 0;

    while (tn_pb_fields_next(&fields, &f, &type)) {
        if (!type) {
            result.has_unknown = true;
            last               = UINT32_MAX; /* nothing known may follow */
            continue;
        }
        result.count++;
        if (may_hold_unknown(type, &f))
            result.has_unknown = true;
        if (f.number < last || (f.number != last && is_contested(type, &seen)))
            result.is_ordered = false;
        last = f.number;
    }
    return result;
}

/* ---- messages in order -------------------------------------------------- */

/* Counts how many fields of this number follow each other. */
static struct series take_series(struct tn_pb_fields *fields)
{
    struct series                  series = { .cursor = fields->cursor };
    struct tn_pb_fields            at     = *fields;
    const struct tn_pb_field_type *type;
    struct tn_pb_field             f;

    while (tn_pb_fields_next(&at, &f, &type) && type &&
           (!series.type || type == series.type)) {
        series.type = type;
        series.left++;
        *fields = at;
    }
    return series;
}

static void write_in_order(const struct tn_pb_view *view, struct tn_rope *to)
{
    struct tn_pb_fields fields = tn_pb_view_fields(view);
    uint32_t            next   = 1;

    for (;;) {
        struct series series = take_series(&fields);
        if (!series.type || tn_failed(view->error))
            break;
        fill_entry(view, to, &next, series.type->number);
        write_series(view, to, &series);
    }
    fill_entry(view, to, &next, 3);
}

/* ---- messages out of order ---------------------------------------------- */

static void list_places(const struct tn_pb_view *view, struct place *place)
{
    struct tn_pb_fields            fields = tn_pb_view_fields(view);
    const struct tn_pb_field_type *type;
    struct tn_pb_field             f;
    uint64_t                       count = 0;

    while (tn_pb_fields_next(&fields, &f, &type)) {
        if (!type)
            continue;
        place[count] = (struct place){ fields.begin, type, count };
        count++;
    }
}

/* The first of those that count, moved to the end of the list. */
static uint64_t drop_cleared(struct place *places, uint64_t count,
                             struct tn_pb_oneofs *oneofs)
{
    uint64_t live = count;

    for (uint64_t i = count; i-- > 0;)
        if (tn_pb_oneofs_keep(oneofs, places[i].type))
            places[--live] = places[i];
    return live;
}

static int compare_places(const void *a, const void *b, void *context)
{
    const struct place *left = a, *right = b;

    (void)context;
    if (left->type->number != right->type->number)
        return left->type->number < right->type->number ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

static void write_places(const struct tn_pb_view *view, struct tn_rope *to,
                         const struct place *places, uint64_t count)
{
    uint32_t next = 1;

    for (uint64_t i = 0; i < count && !tn_failed(view->error);) {
        struct series series = { .type = places[i].type, .places = &places[i] };
        for (; i < count && places[i].type == series.type; i++)
            series.left++;
        fill_entry(view, to, &next, series.type->number);
        write_series(view, to, &series);
    }
    fill_entry(view, to, &next, 3);
}

static void write_sorted(const struct tn_pb_view *view, struct tn_rope *to,
                         uint64_t count)
{
    struct tn_list      places;
    struct tn_pb_oneofs oneofs;

    tn_list_init(&places, view->arena->memory, sizeof(struct place));
    struct place *place = tn_list_grow(&places, count + 1, view->error);
    if (tn_pb_oneofs_init(&oneofs, view->type, places.memory, view->error) &&
        place)
        list_places(view, place);
    if (!tn_failed(view->error)) {
        uint64_t first = drop_cleared(place, count, &oneofs);
        tn_sort_items(place + first, (size_t)(count - first), sizeof *place,
                      compare_places, NULL);
        write_places(view, to, place + first, count - first);
    }
    tn_pb_oneofs_done(&oneofs);
    tn_list_done(&places);
}

/* ---- unknown fields ----------------------------------------------------- */

/* Unknown groups are messages of which nothing is known. */
static const struct tn_pb_field_type unknown_group = {
    .name    = "",
    .type    = TN_PB_GROUP,
    .label   = TN_PB_REPEATED,
    .oneof   = -1,
    .message = &(const struct tn_pb_message){ .full_name = "", .name = "" },
};

static void write_unknown(const struct tn_pb_view *view, struct tn_rope *to,
                          const struct occurrence *o)
{
    if (o->field.type == TN_WIRE_LEN)
        put_len(to, o);
    else if (o->field.type == TN_WIRE_GROUP_BEGIN)
        write_nested(view, to, &unknown_group, o);
    else
        put_number(to, o, o->field.value);
}

/* Writes the numbers in a packed series that the enum does not have, each as a
 * field. */
static void write_unknown_numbers(struct tn_rope                *to,
                                  const struct tn_pb_field_type *type,
                                  struct tn_pb_fields            fields,
                                  struct tn_pb_field            *f)
{
    uint64_t value;

    while (tn_pb_number(&fields.cursor, f, TN_WIRE_VARINT, &value))
        if (!tn_pb_holds(type, tn_pb_decode(type->type, value)))
            tn_pb_put_varint(to, type->number, tn_pb_decode(type->type, value));
}

static void write_unknowns(const struct tn_pb_view *view, struct tn_rope *to)
{
    struct tn_pb_fields            fields = tn_pb_view_fields(view);
    const struct tn_pb_field_type *type;
    struct occurrence              o;

    while (tn_pb_fields_next(&fields, &o.field, &type)) {
        o.whole = tn_sub(&fields.begin, fields.cursor.offset - o.field.offset);
        if (!type)
            write_unknown(view, to, &o);
        else if (may_hold_unknown(type, &o.field))
            write_unknown_numbers(to, type, fields, &o.field);
    }
}

/* ---- the whole ---------------------------------------------------------- */

/* Calls itself through series; the depth is bounded here. */
static void write_message(const struct tn_pb_view *view, struct tn_rope *to)
{
    if (view->depth > TN_PB_DEPTH_LIMIT) {
        tn_error_set(view->error, TN_LIMIT, view->part.offset,
                     "messages nested deeper than %d", TN_PB_DEPTH_LIMIT);
        return;
    }
    struct survey found = survey(view);
    if (tn_failed(view->error))
        return;
    if (found.is_ordered)
        write_in_order(view, to);
    else
        write_sorted(view, to, found.count);
    if (found.has_unknown)
        write_unknowns(view, to);
}

enum tn_status tn_pb_normalize(const struct tn_pb_view *view,
                               struct tn_rope          *to)
{
    write_message(view, to);
    if (tn_failed(view->error) && to->error != view->error)
        *to->error = *view->error;
    return to->error->status;
}

enum tn_status tn_pb_normalize_sorted(const struct tn_pb_view *view,
                                      struct tn_rope          *to)
{
    struct tn_pb_view sorted = *view;

    sorted.sorts_maps = true;
    return tn_pb_normalize(&sorted, to);
}
