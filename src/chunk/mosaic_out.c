/* mosaic_out.c - a mosaic as bytes, whole or in parts, and taking parts out */
#include <inttypes.h>

#include "chunk/mosaic_index.h"
#include "chunk/wire_walk.h"
#include "wire/pb/pb_rules.h"
#include "wire/pb/pb_write.h"

/* ---- sizes -------------------------------------------------------------- */

static uint64_t tag_size(uint32_t number)
{
    return tn_varint_size(tn_tag(number, TN_WIRE_LEN));
}

static uint64_t tile_size(const struct tn_tile *tile);

static uint64_t wire_size(const struct tn_tile *tile)
{
    uint64_t size = tile->span.length;

    for (uint64_t i = 0; tile->holes && i < tile->holes->count; i++) {
        const struct tn_hole *hole = tn_list_at(tile->holes, struct tn_hole, i);
        size -= hole->end - hole->begin;
        size += tile_size(hole->tile);
    }
    return size;
}

static uint64_t tile_size(const struct tn_tile *tile)
{
    uint64_t size = 0;

    switch (tile->kind) {
    case TN_TILE_WIRE: return wire_size(tile);
    case TN_TILE_VALUE:
        return tile->head.size + tile->span.length +
               (tile->more ? tile->more->length : 0);
    case TN_TILE_PACKED: size = wire_size(tile); break;
    case TN_TILE_MESSAGE:
        size = tile->message ? tn_mosaic_size(tile->message) : 0;
        if (tile->is_group)
            return size + 2 * tag_size(tile->number);
        break;
    case TN_TILE_NOTHING: return 0;
    }
    if (tile->kind == TN_TILE_PACKED && size == 0)
        return 0;
    return size + tag_size(tile->number) + tn_varint_size(size);
}

uint64_t tn_mosaic_size(const struct tn_mosaic *m)
{
    uint64_t size = 0;

    for (const struct tn_tile *tile = m->first; tile; tile = tile->next)
        size += tile_size(tile);
    return size;
}

/* ---- whole -------------------------------------------------------------- */

/* A walk over a tile: what is between its holes, and what is in them. */
struct tn_gaps {
    struct tn_tile *tile;
    uint64_t        at;   /* in the source                                    */
    uint64_t        hole; /* the next one                                     */
};

static struct tn_gaps gaps_of(struct tn_tile *tile)
{
    tn_tile_sort(tile);
    return (struct tn_gaps){ tile, tile->span.offset, 0 };
}

/* The bytes up to the next hole, and the tile in it (NULL at the end). */
static bool next_gap(struct tn_gaps *gaps, struct tn_span *bytes,
                     struct tn_tile **inner)
{
    const struct tn_tile *tile  = gaps->tile;
    uint64_t              end   = tile->span.offset + tile->span.length;
    uint64_t              count = tile->holes ? tile->holes->count : 0;

    if (gaps->hole > count)
        return false;
    const struct tn_hole *hole =
        gaps->hole < count ? tn_list_at(tile->holes, struct tn_hole, gaps->hole)
                           : NULL;
    uint64_t stop = hole ? hole->begin : end;
    *bytes   = (struct tn_span){ tile->span.source, gaps->at, stop - gaps->at };
    *inner   = hole ? hole->tile : NULL;
    gaps->at = hole ? hole->end : end;
    gaps->hole++;
    return true;
}

static void write_tile(struct tn_tile *tile, struct tn_rope *to);

static void write_content(const struct tn_tile *value, struct tn_rope *to)
{
    tn_rope_span(to, value->span);
    for (uint64_t i = 0; value->more && i < value->more->spans.count; i++)
        tn_rope_span(to, *tn_list_at(&value->more->spans, struct tn_span, i));
}

static void write_wire(struct tn_tile *tile, struct tn_rope *to)
{
    struct tn_gaps  gaps = gaps_of(tile);
    struct tn_span  bytes;
    struct tn_tile *inner;

    while (next_gap(&gaps, &bytes, &inner)) {
        tn_rope_span(to, bytes);
        if (inner)
            write_tile(inner, to);
    }
}

static void write_inner(struct tn_tile *tile, struct tn_rope *to)
{
    struct tn_rope body;

    tn_rope_init(&body, to->arena, to->error);
    if (tile->kind == TN_TILE_PACKED)
        write_wire(tile, &body);
    else if (tile->message)
        tn_mosaic_write(tile->message, &body);
    if (tile->is_group)
        tn_pb_put_group(to, tile->number, &body);
    else if (tile->kind == TN_TILE_MESSAGE || body.length)
        tn_pb_put_message(to, tile->number, &body);
    tn_rope_done(&body);
}

static void write_tile(struct tn_tile *tile, struct tn_rope *to)
{
    switch (tile->kind) {
    case TN_TILE_WIRE: write_wire(tile, to); break;
    case TN_TILE_PACKED:
    case TN_TILE_MESSAGE: write_inner(tile, to); break;
    case TN_TILE_VALUE:
        tn_rope_bytes(to, tile->head);
        write_content(tile, to);
        break;
    case TN_TILE_NOTHING: break;
    }
}

/* ---- joints ------------------------------------------------------------- */

/* Packed numbers that end one wire and go on in the next are one field: where
 * they were divided to fit into chunks, they come back in one piece. */
struct joint {
    uint32_t       number;  /* 0 if there is none                             */
    struct tn_rope numbers; /* so far                                         */
};

static const struct tn_pb_field_type *packed_type(
    const struct tn_pb_message *type, uint32_t number)
{
    const struct tn_pb_field_type *field = tn_pb_message_field(type, number);

    return field && field->label == TN_PB_REPEATED &&
                   tn_pb_is_packable(field->type)
               ? field
               : NULL;
}

static bool has_packed(const struct tn_pb_message *type)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (packed_type(type, type->fields[i].number))
            return true;
    return false;
}

/* Packed numbers at the begin or the end of a wire; number 0: others are. */
struct packed {
    uint32_t       number;
    struct tn_span whole, body;
};

/* Whether a byte of the wire is in a hole. */
static bool is_holed(const struct tn_tile *wire, uint64_t at)
{
    for (uint64_t i = 0; wire->holes && i < wire->holes->count; i++) {
        const struct tn_hole *hole = tn_list_at(wire->holes, struct tn_hole, i);
        if (hole->begin <= at && at < hole->end)
            return true;
    }
    return false;
}

/* The first field of some wire, or the last one. */
static struct packed packed_in(const struct tn_mosaic *m, struct tn_span wire,
                               bool is_last)
{
    struct packed       found = { .number = 0 };
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;

    tn_wire_walk_init(&walk, wire, m->all->error);
    while (tn_wire_walk_next(&walk, &field, &whole)) {
        found.number = 0;
        if (field.type == TN_WIRE_LEN && packed_type(m->type, field.number))
            found = (struct packed){ field.number, whole,
                                     tn_wire_body(&field, whole) };
        if (!is_last)
            break;
    }
    tn_wire_walk_done(&walk);
    return found;
}

static struct packed packed_begin(const struct tn_mosaic *m,
                                  const struct tn_tile   *wire)
{
    if (!wire || wire->kind != TN_TILE_WIRE || m->all->is_rough ||
        !(wire->series ? packed_type(m->type, wire->series[0].number) != NULL
                       : has_packed(m->type)) ||
        is_holed(wire, wire->span.offset))
        return (struct packed){ .number = 0 };
    return packed_in(m, wire->span, false);
}

/* Cuts bytes off the front of the tile's wire: `wire` is the rest. */
static struct packed packed_end(const struct tn_mosaic *m,
                                const struct tn_tile *tile, struct tn_span wire,
                                uint32_t number)
{
    const struct tn_field_series *last =
        tile->series ? &tile->series[tile->series_count - 1] : NULL;

    if (!number || !wire.length || (last && last->number != number) ||
        is_holed(tile, wire.offset + wire.length - 1))
        return (struct packed){ .number = 0 };
    if (last && last->begin > wire.offset) {
        wire.length -= last->begin - wire.offset;
        wire.offset = last->begin;
    }
    return packed_in(m, wire, true);
}

static void end_joint(struct joint *joint, struct tn_rope *to)
{
    tn_pb_put_message(to, joint->number, &joint->numbers);
    tn_rope_done(&joint->numbers);
    joint->number = 0;
}

/* Writes a wire, but not the numbers at its end that the next one continues. */
static void write_joined(const struct tn_mosaic *m, struct tn_tile *tile,
                         struct joint *joint, struct tn_rope *to)
{
    struct tn_tile wire  = *tile;
    struct packed  first = { .number = 0 };
    struct packed  next  = packed_begin(m, tile->next);

    if (joint->number) { /* the wire before saw that this one goes on */
        first = packed_begin(m, tile);
        tn_rope_span(&joint->numbers, first.body);
        wire.span.offset += first.whole.length;
        wire.span.length -= first.whole.length;
    }
    if (joint->number && (wire.span.length || next.number != joint->number))
        end_joint(joint, to);
    struct packed last = packed_end(m, tile, wire.span, next.number);
    if (last.number && last.number == next.number) {
        wire.span.length -= last.whole.length;
        joint->number = last.number;
        tn_rope_init(&joint->numbers, to->arena, to->error);
        tn_rope_span(&joint->numbers, last.body);
    }
    write_wire(&wire, to);
}

void tn_mosaic_write(const struct tn_mosaic *m, struct tn_rope *to)
{
    struct joint joint = { .number = 0 };

    for (struct tn_tile *tile = m->first; tile; tile = tile->next) {
        if (tile->kind == TN_TILE_WIRE)
            write_joined(m, tile, &joint, to);
        else
            write_tile(tile, to);
    }
}

/* ---- in parts ----------------------------------------------------------- */

struct parting {
    const struct tn_mosaic *m;
    uint64_t                most;
    struct tn_error        *error;
    tn_mosaic_part         *each;
    void                   *context;
    struct tn_rope          part; /* the one that is being filled             */
    uint32_t packed; /* the field before was packed numbers of this; or 0    */
};

static void end_part(struct parting *p)
{
    if (!tn_failed(p->error))
        p->each(p->context, &p->part);
    tn_rope_done(&p->part);
}

static bool fits(const struct parting *p, uint64_t size)
{
    return size <= p->most && p->part.length <= p->most - size;
}

/* Returns a part with room for that many bytes. */
static struct tn_rope *part_for(struct parting *p, uint64_t size)
{
    if (p->part.length && !fits(p, size))
        end_part(p);
    return &p->part;
}

static void refuse_long(struct parting *p, uint32_t number, uint64_t size,
                        uint64_t offset)
{
    const struct tn_pb_field_type *field =
        tn_pb_message_field(p->m->type, number);

    tn_error_set(p->error, TN_LIMIT, offset,
                 "field %u (%s) of %s has %" PRIu64
                 " bytes in one piece, the limit is %" PRIu64,
                 number, field ? field->name : "unknown", p->m->type->full_name,
                 size, p->most);
}

/* The last place up to `size` bytes at which a number ends: 0 if none does. */
static uint64_t whole_numbers(struct tn_span series, uint64_t size,
                              enum tn_wire_type type, struct tn_error *error)
{
    uint8_t byte;

    if (size >= series.length)
        return series.length;
    if (type != TN_WIRE_VARINT)
        return size - size % (type == TN_WIRE_FIXED64 ? 8 : 4);
    for (; size; size--) {
        if (tn_source_read(series.source, series.offset + size - 1, &byte, 1,
                           error) != TN_OK)
            return 0;
        if (byte < 0x80)
            return size;
    }
    return 0;
}

/* Packed numbers, as many to a part as fit; the first ones go after `used`
 * bytes of the part there is. */
static void part_numbers(struct parting *p, struct tn_span series,
                         const struct tn_pb_field_type *field, uint64_t used)
{
    enum tn_wire_type type = tn_pb_wire_type(field->type);
    uint64_t head = used + tag_size(field->number) + tn_varint_size(p->most);

    while (series.length && !tn_failed(p->error)) {
        uint64_t room  = p->most > head ? p->most - head : 0;
        uint64_t taken = whole_numbers(series, room, type, p->error);
        if (taken == 0) {
            refuse_long(p, field->number, series.length, series.offset);
            return;
        }
        tn_pb_put_span(part_for(p, taken + head - used), field->number,
                       (struct tn_span){ series.source, series.offset, taken });
        series.offset += taken;
        series.length -= taken;
        head -= used;
        used = 0;
    }
}

/* Numbers of one field at the end of a part and at the beginning of the next
 * would be joined when they are merged.  If they must stay two pieces, the
 * second part begins with an empty piece, which is joined instead.  Returns the
 * length of that; 0 if there is no room. */
static uint64_t part_apart(struct parting *p, struct tn_span body,
                           const struct tn_pb_field_type *field)
{
    uint64_t empty = tag_size(field->number) + 1;
    uint64_t head  = empty + tag_size(field->number) + tn_varint_size(p->most);

    if (p->most <= head)
        return 0;
    if (body.length && !whole_numbers(body, p->most - head,
                                      tn_pb_wire_type(field->type), p->error))
        return 0;
    end_part(p);
    tn_pb_put_bytes(&p->part, field->number, tn_bytes(NULL, 0));
    return empty;
}

static void part_packed(struct parting *p, const struct tn_pb_field_type *type,
                        struct tn_span body, struct tn_span whole)
{
    bool     is_apart = p->packed == type->number && !fits(p, whole.length);
    uint64_t used     = is_apart ? part_apart(p, body, type) : 0;

    p->packed = type->number;
    if (whole.length > p->most - used)
        part_numbers(p, body, type, used);
    else
        tn_rope_span(part_for(p, whole.length), whole);
}

static void part_field(struct parting *p, const struct tn_pb_field *field,
                       struct tn_span whole)
{
    const struct tn_pb_field_type *type =
        packed_type(p->m->type, field->number);

    if (type && field->type == TN_WIRE_LEN) {
        part_packed(p, type, tn_wire_body(field, whole), whole);
        return;
    }
    p->packed = 0;
    if (whole.length > p->most)
        refuse_long(p, field->number, whole.length, whole.offset);
    else
        tn_rope_span(part_for(p, whole.length), whole);
}

static void part_wire(struct parting *p, struct tn_span wire)
{
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;

    tn_wire_walk_init(&walk, wire, p->error);
    while (tn_wire_walk_next(&walk, &field, &whole))
        part_field(p, &field, whole);
    tn_wire_walk_done(&walk);
}

static void part_tile(struct parting *p, struct tn_tile *tile);

static void part_gaps(struct parting *p, struct tn_tile *tile)
{
    struct tn_gaps  gaps = gaps_of(tile);
    struct tn_span  bytes;
    struct tn_tile *inner;

    while (!tn_failed(p->error) && next_gap(&gaps, &bytes, &inner)) {
        if (bytes.length)
            part_wire(p, bytes);
        if (inner)
            part_tile(p, inner);
    }
}

static void part_tile(struct parting *p, struct tn_tile *tile)
{
    if (tile->kind == TN_TILE_WIRE) {
        part_gaps(p, tile);
        return;
    }
    uint64_t size = tile_size(tile);
    if (size == 0)
        return;
    p->packed = 0;
    if (size > p->most) {
        refuse_long(p, tile->number, size, TN_NOWHERE);
        return;
    }
    write_tile(tile, part_for(p, size));
}

enum tn_status tn_mosaic_parts(const struct tn_mosaic *m, uint64_t most,
                               tn_mosaic_part *each, void *context)
{
    struct parting p = { .m       = m,
                         .most    = most,
                         .error   = m->all->error,
                         .each    = each,
                         .context = context };

    tn_rope_init(&p.part, m->all->arena, p.error);
    for (struct tn_tile *tile = m->first; tile; tile = tile->next)
        part_tile(&p, tile);
    if (p.part.length)
        end_part(&p);
    tn_rope_done(&p.part);
    return p.error->status;
}

/* ---- taking out --------------------------------------------------------- */

enum tn_status tn_mosaic_empty(struct tn_mosaic *m, struct tn_rope *to)
{
    if (to)
        tn_mosaic_write(m, to);
    m->first = m->last = NULL;
    m->indices         = NULL;
    return m->all->error->status;
}

/* The content of the string or bytes at a place. */
static void write_blob(const struct tn_place *place, struct tn_rope *to,
                       struct tn_error *error)
{
    struct tn_pb_field field;
    struct tn_span     whole;

    if (place->tile->kind == TN_TILE_VALUE)
        write_content(place->tile, to);
    else if (tn_place_field(place, &field, &whole, error))
        tn_rope_span(to, tn_pb_body_span(&field));
}

static enum tn_status take_blob(struct tn_mosaic       *m,
                                struct tn_mosaic_index *index, uint64_t at,
                                bool stays, struct tn_rope *to)
{
    static const struct tn_tile nothing = { .kind = TN_TILE_NOTHING };
    struct tn_place            *place   = tn_place_at(index, at);
    struct tn_tile              empty   = { .kind   = TN_TILE_VALUE,
                                            .number = index->field->number };
    uint8_t                    *head =
        tn_new(m->all->arena, uint8_t, TN_VARINT_MAX + 1, m->all->error);

    if (!head)
        return m->all->error->status;
    /* a second chunk would be of no bytes, and would count */
    if (place->tile->kind == TN_TILE_VALUE && !place->tile->span.source)
        return tn_error_set(m->all->error, TN_NOT_FOUND, TN_NOWHERE,
                            "%s was taken before", index->field->name);
    write_blob(place, to, m->all->error);
    empty.head = tn_bytes(
        head, tn_varint_put(head, tn_tag(empty.number, TN_WIRE_LEN)) + 1);
    tn_place_replace(m, place, stays ? &empty : &nothing);
    return m->all->error->status;
}

/* Takes a value that is not a message and has one place or several. */
static enum tn_status take_value(struct tn_mosaic              *m,
                                 const struct tn_pb_field_type *field,
                                 uint64_t at, bool stays, struct tn_rope *to)
{
    struct tn_mosaic_index *index = tn_mosaic_index(m, field);

    if (!index)
        return m->all->error->status;
    uint64_t count  = index->places.count;
    bool     is_one = field->label != TN_PB_REPEATED;
    if (!tn_pb_is_blob(field->type))
        return tn_error_set(m->all->error, TN_INVALID, TN_NOWHERE,
                            "%s is a number: only messages, strings and bytes "
                            "can be chunks",
                            field->name);
    if (count == 0 || (!is_one && at >= count))
        return tn_error_set(m->all->error, TN_NOT_FOUND, TN_NOWHERE,
                            "can't access index %" PRIu64
                            " of %s: it has %" PRIu64 " elements",
                            is_one ? 0 : at, field->name, count);
    TN_TRY(take_blob(m, index, is_one ? count - 1 : at, stays || !is_one, to));
    for (uint64_t i = 0; is_one && i + 1 < count; i++)
        tn_place_replace(m, tn_place_at(index, i), NULL);
    if (is_one) {
        *tn_place_at(index, 0) = *tn_place_at(index, count - 1);
        index->places.count    = stays;
    }
    return m->all->error->status;
}

/* Leaves an empty field in its place, or nothing at all. */
static enum tn_status take_singular(struct tn_mosaic              *m,
                                    const struct tn_pb_field_type *field,
                                    bool stays, struct tn_rope *to)
{
    struct tn_tag_step step = { field, NULL };

    if (!tn_pb_is_message(field->type))
        return take_value(m, field, 0, stays, to);
    struct tn_mosaic *inner = tn_mosaic_step(m, &step, TN_MOSAIC_FIND);
    if (!inner)
        return m->all->error->status;
    TN_TRY(tn_mosaic_empty(inner, to));
    struct tn_mosaic_index *index = stays ? NULL : tn_mosaic_index(m, field);
    if (!index)
        return m->all->error->status;
    tn_place_replace(m, tn_place_at(index, 0), NULL);
    index->places.count = 0;
    return m->all->error->status;
}

/* An element that is still unchanged in the wire: it is copied as it is. */
static enum tn_status take_element(struct tn_mosaic             *m,
                                   const struct tn_mosaic_index *index,
                                   struct tn_place *place, struct tn_rope *to)
{
    struct tn_tile      empty = { .kind   = TN_TILE_MESSAGE,
                                  .number = index->field->number };
    struct tn_error    *error = m->all->error;
    struct tn_wire_walk walk;
    struct tn_pb_field  field, inner;
    struct tn_span      whole;

    if (!tn_place_field(place, &field, &whole, error))
        return error->status;
    struct tn_span body = tn_pb_body_span(&field);
    empty.is_group      = field.type == TN_WIRE_GROUP_BEGIN;
    tn_wire_walk_init(&walk, body, error); /* would be a chunk that cannot be
                                              merged */
    while (tn_wire_walk_next(&walk, &inner, &whole))
        continue;
    tn_wire_walk_done(&walk);
    tn_rope_span(to, body);
    if (!tn_failed(error))
        tn_place_replace(m, place, &empty);
    return error->status;
}

static enum tn_status take_step(struct tn_mosaic         *m,
                                const struct tn_tag_step *step, bool stays,
                                struct tn_rope *to)
{
    if (!step->element)
        return take_singular(m, step->field, stays, to);
    if (step->field->is_map) {
        struct tn_mosaic *pair = tn_mosaic_entry(m, step);
        return pair ? take_singular(pair, tn_step_value(step), stays, to)
                    : m->all->error->status;
    }
    if (!tn_pb_is_message(step->field->type))
        return take_value(m, step->field, step->element->at.number, true, to);
    const struct tn_mosaic_index *index = tn_mosaic_index(m, step->field);
    uint64_t                      at    = step->element->at.number;
    if (index && at < index->places.count &&
        tn_place_at(index, at)->tile->kind == TN_TILE_WIRE)
        return take_element(m, index, tn_place_at(index, at), to);
    struct tn_mosaic *inner = tn_mosaic_step(m, step, TN_MOSAIC_FIND);
    return inner ? tn_mosaic_empty(inner, to) : m->all->error->status;
}

enum tn_status tn_mosaic_take(struct tn_mosaic         *m,
                              const struct tn_tag_step *step,
                              struct tn_rope           *to)
{
    return take_step(m, step, false, to);
}

enum tn_status tn_mosaic_hollow(struct tn_mosaic         *m,
                                const struct tn_tag_step *step,
                                struct tn_rope           *to)
{
    return take_step(m, step, true, to);
}

static void put_tag(struct tn_rope *to, uint32_t number, enum tn_wire_type type)
{
    uint8_t bytes[TN_VARINT_MAX];

    tn_rope_bytes(to,
                  tn_bytes(bytes, tn_varint_put(bytes, tn_tag(number, type))));
}

/* Takes one element as a field of its own, which leaves its place empty. */
static void slice_place(struct tn_mosaic *m, struct tn_mosaic_index *index,
                        struct tn_place *place, struct tn_rope *to)
{
    enum tn_wire_type type = tn_pb_wire_type(index->field->type);
    struct tn_span    whole;
    struct tn_cursor  c;

    if (place->tile->kind == TN_TILE_WIRE) {
        tn_rope_span(to, tn_place_span(place));
    } else if (place->tile->kind == TN_TILE_PACKED) {
        whole = place->tile->span;
        whole.length -= place->offset - whole.offset;
        whole.offset = place->offset;
        c            = tn_cursor_span(whole, m->all->error);
        tn_pb_put_number(to, index->field->number, type,
                         type == TN_WIRE_VARINT    ? tn_varint(&c)
                         : type == TN_WIRE_FIXED64 ? tn_u64(&c)
                                                   : tn_u32(&c));
    } else {
        if (place->tile->is_bare)
            put_tag(to, index->field->number, type);
        write_tile(place->tile, to);
    }
    tn_place_replace(m, place, NULL);
}

/* How many places from `begin` on are neighbours in one wire. */
static uint64_t neighbours(const struct tn_mosaic_index *index, uint64_t begin,
                           uint64_t end)
{
    const struct tn_place *place = tn_place_at(index, begin);
    uint64_t               count = 1;

    if (place->tile->kind != TN_TILE_WIRE)
        return 1;
    while (begin + count < end && place[count].tile == place->tile &&
           place[count].offset ==
               place[count - 1].offset + place[count - 1].length)
        count++;
    return count;
}

/* Moves the elements [begin, end) into the rope.  Neighbours, and usually all
 * of them are, become one piece and leave one hole. */
static void slice_places(struct tn_mosaic *m, struct tn_mosaic_index *index,
                         uint64_t begin, uint64_t end, struct tn_rope *to)
{
    while (begin < end && !tn_failed(m->all->error)) {
        uint64_t         count = neighbours(index, begin, end);
        struct tn_place  first = *tn_place_at(index, begin);
        struct tn_place *last  = tn_place_at(index, begin + count - 1);
        if (count > 1)
            first.length = (last->offset + last->length - first.offset) &
                           TN_PLACE_LENGTH_MAX;
        slice_place(m, index, &first, to);
        begin += count;
    }
}

/* After places [begin, end) were removed: updates the places of the other
 * keys. */
static void forget_places(struct tn_mosaic_index *index, uint64_t begin,
                          uint64_t end)
{
    uint64_t count = index->places.count;

    if (begin == 0 && index->by_key.count == 0) {
        tn_index_drop(index, end);
        return;
    }
    if (end < count)
        memmove(tn_place_at(index, begin), tn_place_at(index, end),
                (size_t)(count - end) * sizeof(struct tn_place));
    index->places.count -= end - begin;
    for (uint64_t i = 0; i < index->by_key.count; i++) {
        uint64_t *place = tn_list_at(&index->by_key, uint64_t, i);
        if (*place >= end && *place != UINT64_MAX)
            *place -= end - begin;
        else if (*place >= begin)
            *place = UINT64_MAX;
    }
}

enum tn_status tn_mosaic_slice(struct tn_mosaic              *m,
                               const struct tn_pb_field_type *field,
                               uint64_t begin, uint64_t end, struct tn_rope *to)
{
    struct tn_mosaic_index *index = tn_mosaic_outline(m, field);

    if (!index)
        return m->all->error->status;
    uint64_t count = tn_index_count(index);
    if (field->label != TN_PB_REPEATED || begin > end || end > count)
        return tn_error_set(m->all->error, TN_NOT_FOUND, TN_NOWHERE,
                            "no elements %" PRIu64 " to %" PRIu64
                            " of %s, which has %" PRIu64,
                            begin, end, field->name, count);
    if (tn_index_is_outline(index)) {
        tn_outline_slice(m, index, begin, end, to);
    } else {
        slice_places(m, index, begin, end, to);
        forget_places(index, begin, end);
    }
    return m->all->error->status;
}

enum tn_status tn_mosaic_clear(struct tn_mosaic              *m,
                               const struct tn_pb_field_type *field)
{
    struct tn_mosaic_index *index = tn_mosaic_index(m, field);

    if (!index)
        return m->all->error->status;
    uint64_t count = index->places.count;
    for (uint64_t i = 0; i < count && !tn_failed(m->all->error); i++)
        tn_place_replace(m, tn_place_at(index, i), NULL);
    forget_places(index, 0, count);
    return m->all->error->status;
}
