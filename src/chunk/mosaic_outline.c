/*
 * mosaic_outline.c - elements of a field as stretches that a survey counted
 *
 * Whoever only wants to know how many there are and how long, or takes some
 * that lie side by side, needs no place for each.
 */
#include "base/arith.h"
#include "chunk/mosaic_index.h"
#include "chunk/wire_walk.h"

/* ---- making one ---------------------------------------------------------- */

bool tn_outline_fits(const struct tn_mosaic_index *index,
                     const struct tn_tile         *wire)
{
    if (!wire->grouped || !tn_index_is_plain(index->field) ||
        index->places.count)
        return false;
    for (uint32_t i = 0; i < wire->run_count; i++)
        if (wire->runs[i].number == index->field->number &&
            !wire->grouped[i].groups)
            return false;
    return true;
}

void tn_outline_wire(struct tn_mosaic *m, struct tn_mosaic_index *index,
                     struct tn_tile *wire)
{
    for (uint32_t i = 0; i < wire->run_count; i++) {
        if (wire->runs[i].number != index->field->number)
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
    return tn_run_offset(stretch->run, stretch->tile->span.source, at, error);
}

struct tn_span tn_stretch_span(const struct tn_stretch *stretch,
                               struct tn_error         *error)
{
    uint64_t begin = stretch_offset(stretch, stretch->begin, error);
    uint64_t end   = stretch_offset(stretch, stretch->end, error);

    return (struct tn_span){ stretch->tile->span.source, begin,
                             tn_failed(error) ? 0 : end - begin };
}

/* ---- asking it ----------------------------------------------------------- */

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

static struct tn_some one_of(uint64_t body)
{
    return (struct tn_some){ 1, body, body };
}

static uint64_t place_body(const struct tn_place *place)
{
    return place->length - place->head;
}

struct tn_some tn_index_some(const struct tn_mosaic_index *index, uint64_t at,
                             struct tn_error *error)
{
    uint64_t field, count, body;

    if (!tn_index_is_outline(index))
        return one_of(place_body(tn_place_at(index, at)));
    const struct tn_stretch     *stretch = stretch_of(index, at, &field);
    const struct tn_field_group *group =
        tn_run_group(stretch->run, field, &count);
    if (field == group->first && stretch->end - field >= count)
        return (struct tn_some){ count, group->bodies, group->largest };
    tn_index_bodies(index, at, 1, &body, error);
    return one_of(body);
}

static void read_bodies(const struct tn_stretch *stretch, uint64_t field,
                        uint64_t count, uint64_t *bodies,
                        struct tn_error *error)
{
    struct tn_span      rest = { stretch->tile->span.source,
                                 stretch_offset(stretch, field, error),
                                 stretch->run->run.end };
    struct tn_wire_walk walk;
    struct tn_pb_field  found;
    struct tn_span      whole;

    rest.length -= rest.offset;
    tn_wire_walk_init(&walk, rest, error);
    while (count-- && tn_wire_walk_next(&walk, &found, &whole))
        *bodies++ = tn_wire_body(&found, whole).length;
    tn_wire_walk_done(&walk);
}

void tn_index_bodies(const struct tn_mosaic_index *index, uint64_t at,
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

/* ---- taking elements out of it ------------------------------------------- */

/* The fields [begin, end) of a stretch are gone. */
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
        struct tn_span  span       = tn_stretch_span(&taken, error);
        struct tn_place place      = { stretch->tile, span.offset,
                                       span.length & TN_PLACE_LENGTH_MAX, 0 };
        if (tn_failed(error) || !tn_place_replace(m, &place, NULL))
            return;
        tn_rope_span(to, span);
        shorten(index, stretch, taken.begin, taken.end, error);
        end -= taken.end - taken.begin;
    }
}
