/* mosaic_index.c - where the elements of one field are, in a mosaic */
#include "base/arith.h"
#include "base/sort.h"
#include "chunk/mosaic_index.h"
#include "chunk/wire_walk.h"
#include "wire/pb/pb_message.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_rules.h"

/* ---- elements of a field as stretches that a survey counted ------------- */

/*
 * Callers that only count or measure elements, or take adjacent ones, need no
 * place for each.
 */

/* ---- making one --------------------------------------------------------- */

/* Whether the field's elements in the wire are exactly those that the survey of
 * the wire lists. */
static bool outline_fits(const struct tn_mosaic_index *index,
                         const struct tn_tile         *wire)
{
    if (!wire->grouped || !tn_index_is_plain(index->field) ||
        index->places.count)
        return false;
    for (uint32_t i = 0; i < wire->series_count; i++)
        if (wire->series[i].number == index->field->number &&
            !wire->grouped[i].groups)
            return false;
    return true;
}

static void outline_wire(struct tn_mosaic *m, struct tn_mosaic_index *index,
                         struct tn_tile *wire)
{
    for (uint32_t i = 0; i < wire->series_count; i++) {
        if (wire->series[i].number != index->field->number)
            continue;
        struct tn_stretch *stretch =
            tn_list_push(&index->stretches, struct tn_stretch, m->all->error);
        if (stretch)
            *stretch = (struct tn_stretch){ wire, &wire->grouped[i], 0,
                                            wire->grouped[i].count };
    }
}

static uint64_t stretch_offset(const struct tn_stretch *stretch, uint64_t at,
                               struct tn_error *error)
{
    return tn_series_offset(stretch->series, stretch->tile->span.source, at,
                            error);
}

/* Where the fields of a stretch are. */
static struct tn_span stretch_span(const struct tn_stretch *stretch,
                                   struct tn_error         *error)
{
    uint64_t begin = stretch_offset(stretch, stretch->begin, error);
    uint64_t end   = stretch_offset(stretch, stretch->end, error);

    return (struct tn_span){ stretch->tile->span.source, begin,
                             tn_failed(error) ? 0 : end - begin };
}

/* ---- asking it ---------------------------------------------------------- */

uint64_t tn_index_count(const struct tn_mosaic_index *index)
{
    uint64_t count = index->places.count;

    for (uint64_t i = 0; i < index->stretches.count; i++) {
        const struct tn_stretch *stretch =
            tn_list_at(&index->stretches, struct tn_stretch, i);
        count += stretch->end - stretch->begin;
    }
    return count;
}

/* The stretch that has the element, and which of its fields that is. */
static struct tn_stretch *stretch_of(const struct tn_mosaic_index *index,
                                     uint64_t at, uint64_t *field)
{
    struct tn_stretch *stretch = index->stretches.items;

    while (at >= stretch->end - stretch->begin) {
        at -= stretch->end - stretch->begin;
        stretch++;
    }
    *field = stretch->begin + at;
    return stretch;
}

static struct tn_measured one_of(uint64_t body)
{
    return (struct tn_measured){ 1, body, body };
}

static uint64_t place_body(const struct tn_place *place)
{
    return place->length - place->head;
}

struct tn_measured tn_index_measure(const struct tn_mosaic_index *index,
                                    uint64_t at, struct tn_error *error)
{
    uint64_t field, count, body;

    if (!tn_index_is_outline(index))
        return one_of(place_body(tn_place_at(index, at)));
    const struct tn_stretch     *stretch = stretch_of(index, at, &field);
    const struct tn_field_group *group =
        tn_series_group(stretch->series, field, &count);
    if (field == group->first && stretch->end - field >= count)
        return (struct tn_measured){ count, group->bodies, group->largest };
    tn_index_lengths(index, at, 1, &body, error);
    return one_of(body);
}

static void read_bodies(const struct tn_stretch *stretch, uint64_t field,
                        uint64_t count, uint64_t *bodies,
                        struct tn_error *error)
{
    struct tn_span      rest = { stretch->tile->span.source,
                                 stretch_offset(stretch, field, error),
                                 stretch->series->series.end };
    struct tn_wire_walk walk;
    struct tn_pb_field  found;
    struct tn_span      whole;

    rest.length -= rest.offset;
    tn_wire_walk_init(&walk, rest, error);
    while (count-- && tn_wire_walk_next(&walk, &found, &whole))
        *bodies++ = tn_wire_body(&found, whole).length;
    tn_wire_walk_done(&walk);
}

void tn_index_lengths(const struct tn_mosaic_index *index, uint64_t at,
                      uint64_t count, uint64_t *bodies, struct tn_error *error)
{
    uint64_t field;

    memset(bodies, 0, (size_t)count * sizeof *bodies);
    if (tn_index_is_outline(index)) {
        const struct tn_stretch *stretch = stretch_of(index, at, &field);
        read_bodies(stretch, field, count, bodies, error);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        bodies[i] = place_body(tn_place_at(index, at + i));
}

/* ---- taking elements out of it ------------------------------------------ */

/* Removes the fields [begin, end) of a stretch. */
static void shorten(struct tn_mosaic_index *index, struct tn_stretch *stretch,
                    uint64_t begin, uint64_t end, struct tn_error *error)
{
    struct tn_stretch rest = *stretch;
    uint64_t          at =
        (uint64_t)(stretch - (struct tn_stretch *)index->stretches.items);

    rest.begin = end;
    if (begin == stretch->begin || end == stretch->end) {
        if (begin == stretch->begin)
            *stretch = rest;
        else
            stretch->end = begin;
        return;
    }
    if (!tn_list_push(&index->stretches, struct tn_stretch, error))
        return;
    stretch      = tn_list_at(&index->stretches, struct tn_stretch, at);
    stretch->end = begin;
    memmove(stretch + 2, stretch + 1,
            (size_t)(index->stretches.count - at - 2) * sizeof *stretch);
    stretch[1] = rest;
}

void tn_outline_slice(struct tn_mosaic *m, struct tn_mosaic_index *index,
                      uint64_t begin, uint64_t end, struct tn_rope *to)
{
    struct tn_error *error = m->all->error;
    uint64_t         field;

    while (begin < end && !tn_failed(error)) {
        struct tn_stretch *stretch = stretch_of(index, begin, &field);
        struct tn_stretch  taken   = *stretch;
        taken.begin                = field;
        taken.end                  = tn_min(stretch->end, field + end - begin);
        struct tn_span  span       = stretch_span(&taken, error);
        struct tn_place place      = { stretch->tile, span.offset,
                                       span.length & TN_PLACE_LENGTH_MAX, 0 };
        if (tn_failed(error) || !tn_place_replace(m, &place, NULL))
            return;
        tn_rope_span(to, span);
        shorten(index, stretch, taken.begin, taken.end, error);
        end -= taken.end - taken.begin;
    }
}

/* ---- tiles -------------------------------------------------------------- */

static struct tn_tile *new_tile(struct tn_mosaics *all, struct tn_tile tile)
{
    struct tn_tile *fresh = tn_new(all->arena, struct tn_tile, 1, all->error);

    if (fresh)
        *fresh = tile;
    return fresh;
}

struct tn_tile *tn_mosaic_push(struct tn_mosaic *m, struct tn_tile tile)
{
    struct tn_tile *fresh = new_tile(m->all, tile);

    if (!fresh)
        return NULL;
    if (m->last)
        m->last->next = fresh;
    else
        m->first = fresh;
    m->last = fresh;
    return fresh;
}

static bool add_hole(struct tn_mosaics *all, struct tn_tile *tile,
                     struct tn_hole hole)
{
    if (!tile->holes) {
        struct tn_list *list =
            tn_new(all->arena, struct tn_list, 1, all->error);
        struct tn_list **kept =
            list ? tn_list_push(&all->holes, struct tn_list *, all->error)
                 : NULL;
        if (!kept)
            return false;
        tn_list_init(list, all->arena->memory, sizeof(struct tn_hole));
        *kept       = list;
        tile->holes = list;
    }
    struct tn_hole *fresh =
        tn_list_push(tile->holes, struct tn_hole, all->error);
    if (fresh)
        *fresh = hole;
    return fresh != NULL;
}

static int compare_holes(const void *left, const void *right, void *context)
{
    const struct tn_hole *a = left, *b = right;

    (void)context;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

void tn_tile_sort(struct tn_tile *tile)
{
    if (tile->holes)
        tn_sort_items(tile->holes->items, tile->holes->count,
                      sizeof(struct tn_hole), compare_holes, NULL);
}

/* ---- places ------------------------------------------------------------- */

void tn_index_drop(struct tn_mosaic_index *index, uint64_t count)
{
    index->places.items = tn_place_at(index, count);
    index->places.count -= count;
    index->places.room -= count;
    index->gone += count;
}

void tn_index_restore(struct tn_mosaic_index *index)
{
    struct tn_list  *places = &index->places;
    struct tn_place *first  = places->items;

    if (!index->gone)
        return;
    memmove(first - index->gone, first,
            (size_t)places->count * sizeof(struct tn_place));
    places->items = first - index->gone;
    places->room += index->gone;
    index->gone = 0;
}

static void add_place(struct tn_mosaic_index *index, struct tn_place at,
                      struct tn_error *error)
{
    tn_index_restore(index);
    struct tn_place *place =
        tn_list_push(&index->places, struct tn_place, error);
    if (place)
        *place = at;
}

struct tn_tile *tn_place_append(struct tn_mosaic       *m,
                                struct tn_mosaic_index *index,
                                struct tn_tile          tile)
{
    struct tn_tile *fresh = tn_mosaic_push(m, tile);

    if (!fresh)
        return NULL;
    add_place(index, (struct tn_place){ .tile = fresh }, m->all->error);
    index->scanned = fresh;
    return fresh;
}

static struct tn_cursor cursor_from(const struct tn_tile *tile, uint64_t offset,
                                    struct tn_error *error)
{
    struct tn_span rest = tile->span;

    rest.offset = offset;
    rest.length -= offset - tile->span.offset;
    return tn_cursor_span(rest, error);
}

bool tn_place_field(const struct tn_place *place, struct tn_pb_field *field,
                    struct tn_span *whole, struct tn_error *error)
{
    struct tn_cursor c = cursor_from(place->tile, place->offset, error);

    if (!tn_pb_next(&c, field))
        return false;
    *whole = tn_pb_field_span(&c, field);
    return true;
}

/* Where the element of a series at this offset ends. */
static uint64_t end_of_number(const struct tn_tile *series, uint64_t offset,
                              enum tn_wire_type type, struct tn_error *error)
{
    struct tn_cursor c = cursor_from(series, offset, error);

    if (type == TN_WIRE_VARINT)
        tn_varint(&c);
    else
        tn_skip(&c, type == TN_WIRE_FIXED64 ? 8 : 4);
    return c.offset;
}

struct tn_tile *tn_place_replace(struct tn_mosaic *m, struct tn_place *place,
                                 const struct tn_tile *tile)
{
    struct tn_error *error = m->all->error;
    struct tn_tile  *old   = place->tile;

    if (old->kind != TN_TILE_WIRE && old->kind != TN_TILE_PACKED) {
        struct tn_tile *next = old->next;
        *old      = tile ? *tile : (struct tn_tile){ .kind = TN_TILE_NOTHING };
        old->next = next;
        return old;
    }
    struct tn_hole hole = { place->offset, place->offset + place->length,
                            NULL };
    if (old->kind == TN_TILE_PACKED)
        hole.end = end_of_number(
            old, place->offset,
            tn_pb_wire_type(tn_pb_message_field(m->type, old->number)->type),
            error);
    hole.tile = new_tile(
        m->all, tile ? *tile : (struct tn_tile){ .kind = TN_TILE_NOTHING });
    if (!hole.tile || !add_hole(m->all, old, hole))
        return NULL;
    *place = (struct tn_place){ .tile = hole.tile };
    return hole.tile;
}

/* ---- messages in holes -------------------------------------------------- */

static struct tn_mosaic *new_inner(struct tn_mosaic              *m,
                                   const struct tn_pb_field_type *field)
{
    if (m->depth >= TN_PB_DEPTH_LIMIT) {
        tn_error_set(m->all->error, TN_LIMIT, TN_NOWHERE,
                     "messages nested deeper than %d", TN_PB_DEPTH_LIMIT);
        return NULL;
    }
    struct tn_mosaic *inner = tn_mosaic_new(m->all, field->message);
    if (inner)
        inner->depth = m->depth + 1;
    return inner;
}

struct tn_mosaic *tn_place_message(struct tn_mosaic             *m,
                                   const struct tn_mosaic_index *index,
                                   struct tn_place              *place)
{
    struct tn_pb_field field;
    struct tn_span     whole;

    if (place->tile->kind == TN_TILE_MESSAGE && !place->tile->message)
        place->tile->message = new_inner(m, index->field);
    if (place->tile->kind == TN_TILE_MESSAGE)
        return place->tile->message;
    if (!tn_place_field(place, &field, &whole, m->all->error))
        return NULL;
    struct tn_tile tile = { .kind     = TN_TILE_MESSAGE,
                            .number   = index->field->number,
                            .is_group = field.type == TN_WIRE_GROUP_BEGIN,
                            .message  = new_inner(m, index->field) };
    if (!tile.message ||
        tn_mosaic_merge(tile.message, tn_pb_body_span(&field)) != TN_OK ||
        !tn_place_replace(m, place, &tile))
        return NULL;
    return tile.message;
}

/* ---- keys --------------------------------------------------------------- */

/* The bytes that stand for a key in the table: text, or a number's. */
struct key {
    uint8_t         room[8];
    struct tn_bytes bytes;
};

static void key_of_number(struct key *key, uint64_t number)
{
    memcpy(key->room, &number, sizeof number);
    key->bytes = tn_bytes(key->room, sizeof key->room);
}

static void key_of_tag(struct key *key, const struct tn_field_tag *tag)
{
    if (tag->key == TN_KEY_TEXT)
        key->bytes = tn_bytes(tag->at.text, tag->size);
    else
        key_of_number(key, tag->at.number);
}

static void key_of_entry(struct key *key, const struct tn_pb_message *entry,
                         struct tn_cursor body)
{
    enum tn_pb_type    type = entry->fields[0].type;
    struct tn_pb_field field;
    bool               has_key = tn_pb_entry_key(entry, body, &field);

    if (tn_pb_is_blob(type))
        key->bytes = has_key ? tn_pb_text(&field) : tn_bytes(NULL, 0);
    else
        key_of_number(key, has_key ? tn_pb_decode(type, field.value) : 0);
}

static void note_key(struct tn_mosaic_index *index, const struct key *key,
                     uint64_t place, struct tn_error *error)
{
    uint32_t id = tn_intern_copy(&index->keys, key->bytes, error);

    if (id == TN_NO_NAME)
        return;
    if (id == index->by_key.count)
        tn_list_push(&index->by_key, uint64_t, error);
    if (id < index->by_key.count)
        *tn_list_at(&index->by_key, uint64_t, id) = place;
}

struct tn_place *tn_place_of_key(const struct tn_mosaic_index *index,
                                 const struct tn_field_tag    *tag)
{
    struct key key;

    key_of_tag(&key, tag);
    uint32_t id = tn_intern_find(&index->keys, key.bytes);
    if (id == TN_NO_NAME)
        return NULL;
    uint64_t at = *tn_list_at(&index->by_key, uint64_t, id);
    return at < index->places.count ? tn_place_at(index, at) : NULL;
}

static struct tn_tile key_tile(const struct tn_pb_field_type *type,
                               const struct tn_field_tag     *tag,
                               struct tn_arena *arena, struct tn_error *error)
{
    struct tn_tile tile = { .kind = TN_TILE_VALUE, .number = type->number };
    size_t         size = tag->key == TN_KEY_TEXT ? tag->size : 0;
    uint8_t *head = tn_new(arena, uint8_t, 2 * TN_VARINT_MAX + size, error);
    enum tn_wire_type wire = tn_pb_wire_type(type->type);

    if (!head)
        return tile;
    tile.head.data = head;
    head += tn_varint_put(head, tn_tag(type->number, wire));
    if (wire == TN_WIRE_LEN) {
        head += tn_varint_put(head, size);
        if (size)
            memcpy(head, tag->at.text, size);
        head += size;
    } else if (wire == TN_WIRE_VARINT) {
        head += tn_varint_put(head, tn_pb_encode(type->type, tag->at.number));
    } else {
        uint64_t bits = tn_pb_encode(type->type, tag->at.number);
        for (unsigned i = 0; i < (wire == TN_WIRE_FIXED64 ? 8 : 4); i++)
            *head++ = (uint8_t)(bits >> (8 * i));
    }
    tile.head.size = (size_t)(head - tile.head.data);
    return tile;
}

struct tn_mosaic *tn_index_append(struct tn_mosaic          *m,
                                  struct tn_mosaic_index    *index,
                                  const struct tn_field_tag *key)
{
    const struct tn_pb_field_type *field = index->field;
    struct tn_error               *error = m->all->error;
    struct tn_mosaic              *inner = new_inner(m, field);
    struct key                     bytes;

    if (!inner)
        return NULL;
    if (key) {
        struct tn_tile tile =
            key_tile(&field->message->fields[0], key, m->all->arena, error);
        if (!tn_mosaic_push(inner, tile))
            return NULL;
        key_of_tag(&bytes, key);
        note_key(index, &bytes, index->places.count, error);
    }
    tn_place_append(m, index,
                    (struct tn_tile){ .kind     = TN_TILE_MESSAGE,
                                      .number   = field->number,
                                      .is_group = field->type == TN_PB_GROUP,
                                      .message  = inner });
    return tn_failed(error) ? NULL : inner;
}

struct tn_mosaic *tn_index_singular(struct tn_mosaic       *m,
                                    struct tn_mosaic_index *index)
{
    struct tn_pb_field field;
    struct tn_span     whole;

    if (index->places.count == 0)
        return tn_index_append(m, index, NULL);
    struct tn_mosaic *message =
        tn_place_message(m, index, tn_place_at(index, 0));
    for (uint64_t i = 1; message && i < index->places.count; i++) {
        struct tn_place *place = tn_place_at(index, i);
        if (!tn_place_field(place, &field, &whole, m->all->error) ||
            tn_mosaic_merge(message, tn_pb_body_span(&field)) != TN_OK ||
            !tn_place_replace(m, place, NULL))
            return NULL;
    }
    index->places.count = 1;
    return message;
}

/* ---- scanning ----------------------------------------------------------- */

/* Numbers in a series are looked up only after the series has become a tile. */
static void scan_series(struct tn_mosaic *m, struct tn_mosaic_index *index,
                        struct tn_tile *wire, const struct tn_pb_field *field,
                        struct tn_span whole)
{
    struct tn_error  *error  = m->all->error;
    enum tn_wire_type type   = tn_pb_wire_type(index->field->type);
    struct tn_cursor  body   = field->body;
    struct tn_tile   *series = new_tile(
          m->all, (struct tn_tile){ .kind   = TN_TILE_PACKED,
                                    .number = field->number,
                                    .span   = tn_wire_body(field, whole) });

    if (!series ||
        !add_hole(m->all, wire,
                  (struct tn_hole){ whole.offset, whole.offset + whole.length,
                                    series }))
        return;
    while (tn_more(&body)) {
        uint64_t at   = body.offset;
        uint64_t bits = type == TN_WIRE_VARINT    ? tn_varint(&body)
                        : type == TN_WIRE_FIXED64 ? tn_u64(&body)
                                                  : tn_u32(&body);
        if (!tn_failed(error) &&
            tn_pb_holds(index->field, tn_pb_decode(index->field->type, bits)))
            add_place(index, (struct tn_place){ .tile = series, .offset = at },
                      error);
    }
}

static bool is_rival(const struct tn_mosaic        *m,
                     const struct tn_pb_field_type *field, uint32_t number)
{
    const struct tn_pb_field_type *other =
        field->oneof >= 0 ? tn_pb_message_field(m->type, number) : NULL;

    return other && tn_pb_share_oneof(other, field);
}

static void scan_field(struct tn_mosaic *m, struct tn_mosaic_index *index,
                       struct tn_tile *wire, const struct tn_pb_field *field,
                       struct tn_span whole)
{
    const struct tn_pb_field_type *type = index->field;
    struct key                     key;

    if (tn_pb_fit(type, field) == TN_PB_FITS_PACKED) {
        scan_series(m, index, wire, field, whole);
        return;
    }
    if (!tn_pb_is_value(type, field))
        return;
    if (type->is_map) {
        key_of_entry(&key, type->message, field->body);
        note_key(index, &key, index->places.count, m->all->error);
    }
    uint64_t head = field->body.source ? field->body.offset - whole.offset : 0;
    add_place(index,
              (struct tn_place){ wire, whole.offset,
                                 whole.length & TN_PLACE_LENGTH_MAX,
                                 head & 0x1f },
              m->all->error);
}

/* Another member of the oneof clears what was there. */
static void clear_places(struct tn_mosaic_index *index, struct tn_error *error)
{
    uint64_t count = index->places.count;

    if (count == 0)
        return;
    struct tn_place *dead = tn_list_grow(&index->dead, count, error);
    if (dead)
        memcpy(dead, index->places.items, (size_t)count * sizeof *dead);
    index->places.count = 0;
}

#define ROWS 64

/* Elements one after the other, many at once; false if there are none here. */
static bool scan_rows(struct tn_mosaic *m, struct tn_mosaic_index *index,
                      struct tn_tile *wire, struct tn_wire_walk *walk)
{
    struct tn_wire_row rows[ROWS];
    uint32_t           number;
    uint64_t           count = tn_wire_walk_rows(walk, &number, rows, ROWS);

    if (count == 0 || number != index->field->number)
        return count > 0;
    tn_index_restore(index);
    struct tn_place *places =
        tn_list_grow(&index->places, count, m->all->error);
    for (uint64_t i = 0; places && i < count; i++)
        places[i] = (struct tn_place){ wire, rows[i].offset,
                                       rows[i].length & TN_PLACE_LENGTH_MAX,
                                       rows[i].head & 0x1f };
    return true;
}

static void scan_span(struct tn_mosaic *m, struct tn_mosaic_index *index,
                      struct tn_tile *wire, struct tn_span span)
{
    bool                takes_rows = tn_index_is_plain(index->field);
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;

    tn_wire_walk_init(&walk, span, m->all->error);
    for (;;) {
        if (takes_rows && scan_rows(m, index, wire, &walk))
            continue;
        if (!tn_wire_walk_next(&walk, &field, &whole))
            break;
        if (field.number == index->field->number)
            scan_field(m, index, wire, &field, whole);
        else if (is_rival(m, index->field, field.number) &&
                 tn_pb_is_value(tn_pb_message_field(m->type, field.number),
                                &field))
            clear_places(index, m->all->error);
    }
    tn_wire_walk_done(&walk);
}

static struct tn_span series_span(const struct tn_tile         *wire,
                                  const struct tn_field_series *series)
{
    return (struct tn_span){ wire->span.source, series->begin,
                             series->end - series->begin };
}

static void scan_wire(struct tn_mosaic *m, struct tn_mosaic_index *index,
                      struct tn_tile *wire)
{
    if (!wire->series)
        scan_span(m, index, wire, wire->span);
    for (uint32_t i = 0; i < wire->series_count; i++) {
        const struct tn_field_series *series = &wire->series[i];
        if (series->number == index->field->number ||
            is_rival(m, index->field, series->number))
            scan_span(m, index, wire, series_span(wire, series));
    }
}

/* ---- indices ------------------------------------------------------------ */

/* Replaces the outline by places. */
static void spread(struct tn_mosaic *m, struct tn_mosaic_index *index)
{
    for (uint64_t i = 0; i < index->stretches.count; i++) {
        const struct tn_stretch *stretch =
            tn_list_at(&index->stretches, struct tn_stretch, i);
        scan_span(m, index, stretch->tile,
                  stretch_span(stretch, m->all->error));
    }
    tn_list_done(&index->stretches);
}

static void scan(struct tn_mosaic *m, struct tn_mosaic_index *index)
{
    struct tn_tile *tile = index->scanned ? index->scanned->next : m->first;

    for (; tile && !tn_failed(m->all->error); tile = tile->next) {
        if (tile->kind == TN_TILE_WIRE && outline_fits(index, tile)) {
            outline_wire(m, index, tile);
        } else if (tile->kind == TN_TILE_WIRE) {
            spread(m, index);
            scan_wire(m, index, tile);
        } else if (tile->kind != TN_TILE_NOTHING &&
                   is_rival(m, index->field, tile->number)) {
            clear_places(index, m->all->error);
        }
        index->scanned = tile;
    }
}

static struct tn_mosaic_index *new_index(struct tn_mosaic              *m,
                                         const struct tn_pb_field_type *field)
{
    struct tn_mosaics      *all = m->all;
    struct tn_mosaic_index *index =
        tn_new(all->arena, struct tn_mosaic_index, 1, all->error);
    struct tn_mosaic_index **kept =
        index
            ? tn_list_push(&all->indices, struct tn_mosaic_index *, all->error)
            : NULL;

    if (!kept)
        return NULL;
    *kept        = index;
    index->field = field;
    index->next  = m->indices;
    m->indices   = index;
    tn_list_init(&index->stretches, all->arena->memory,
                 sizeof(struct tn_stretch));
    tn_list_init(&index->places, all->arena->memory, sizeof(struct tn_place));
    tn_list_init(&index->dead, all->arena->memory, sizeof(struct tn_place));
    tn_list_init(&index->by_key, all->arena->memory, sizeof(uint64_t));
    tn_intern_init(&index->keys, all->arena);
    return index;
}

struct tn_mosaic_index *tn_mosaic_outline(struct tn_mosaic              *m,
                                          const struct tn_pb_field_type *field)
{
    struct tn_mosaic_index *index = m->indices;

    while (index && index->field != field)
        index = index->next;
    if (!index)
        index = new_index(m, field);
    if (!index)
        return NULL;
    scan(m, index);
    return tn_failed(m->all->error) ? NULL : index;
}

struct tn_mosaic_index *tn_mosaic_index(struct tn_mosaic              *m,
                                        const struct tn_pb_field_type *field)
{
    struct tn_mosaic_index *index = tn_mosaic_outline(m, field);

    if (index)
        spread(m, index);
    return tn_failed(m->all->error) ? NULL : index;
}
