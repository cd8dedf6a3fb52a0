/* mosaic.c - a message that is being taken apart or put together: paths */
#include "chunk/mosaic.h"

#include <inttypes.h>

#include "base/arith.h"
#include "chunk/chunk_scalar.h"
#include "chunk/mosaic_index.h"
#include "wire/pb/pb_message.h"
#include "wire/pb/pb_rules.h"

void tn_mosaics_init(struct tn_mosaics *all, struct tn_arena *arena,
                     struct tn_error *error)
{
    *all = (struct tn_mosaics){ .arena  = arena,
                                .error  = error,
                                .survey = { .workers = 1 } };
    tn_list_init(&all->holes, arena->memory, sizeof(struct tn_list *));
    tn_list_init(&all->indices, arena->memory,
                 sizeof(struct tn_mosaic_index *));
}

void tn_mosaics_done(struct tn_mosaics *all)
{
    for (uint64_t i = 0; i < all->holes.count; i++)
        tn_list_done(*tn_list_at(&all->holes, struct tn_list *, i));
    for (uint64_t i = 0; i < all->indices.count; i++) {
        struct tn_mosaic_index *index =
            *tn_list_at(&all->indices, struct tn_mosaic_index *, i);
        tn_index_restore(index);
        tn_list_done(&index->stretches);
        tn_list_done(&index->places);
        tn_list_done(&index->dead);
        tn_list_done(&index->by_key);
        tn_intern_done(&index->keys);
    }
    tn_list_done(&all->holes);
    tn_list_done(&all->indices);
}

struct tn_mosaic *tn_mosaic_new(struct tn_mosaics          *all,
                                const struct tn_pb_message *type)
{
    struct tn_mosaic *m = tn_new(all->arena, struct tn_mosaic, 1, all->error);

    if (m)
        *m = (struct tn_mosaic){ .all = all, .type = type };
    return m;
}

enum tn_status tn_mosaic_merge(struct tn_mosaic *m, struct tn_span message)
{
    struct tn_wire_survey survey;

    if (message.length > TN_PLACE_LENGTH_MAX)
        return tn_error_set(m->all->error, TN_LIMIT, message.offset,
                            "a message of %" PRIu64 " bytes", message.length);
    TN_TRY(tn_wire_survey(&survey, message, m->all->survey, m->all->arena,
                          m->all->error));
    if (message.length)
        tn_mosaic_push(m,
                       (struct tn_tile){ .kind         = TN_TILE_WIRE,
                                         .span         = message,
                                         .series       = survey.series,
                                         .grouped      = survey.grouped,
                                         .series_count = survey.series_count });
    return m->all->error->status;
}

enum tn_status tn_mosaic_merge_known(struct tn_mosaic             *m,
                                     struct tn_span                message,
                                     const struct tn_field_series *series,
                                     uint32_t                      series_count)
{
    tn_mosaic_push(m, (struct tn_tile){ .kind         = TN_TILE_WIRE,
                                        .span         = message,
                                        .series       = series,
                                        .series_count = series_count });
    return m->all->error->status;
}

/* ---- paths --------------------------------------------------------------- */

/* The element of that number; made when it is the next one. */
static struct tn_mosaic *element(struct tn_mosaic       *m,
                                 struct tn_mosaic_index *index, uint64_t at,
                                 enum tn_mosaic_how how)
{
    uint64_t                       count = index->places.count;
    const struct tn_pb_field_type *field = index->field;

    if (at < count)
        return tn_place_message(m, index, tn_place_at(index, at));
    if (how == TN_MOSAIC_FIND || at > count) {
        tn_error_set(
            m->all->error, how == TN_MOSAIC_FIND ? TN_NOT_FOUND : TN_MALFORMED,
            TN_NOWHERE,
            "can't access index %" PRIu64 " of %s: it has %" PRIu64 " elements",
            at, field->name, count);
        return NULL;
    }
    return tn_index_append(m, index, NULL);
}

static struct tn_mosaic *no_such_key(struct tn_mosaic              *m,
                                     const struct tn_pb_field_type *map,
                                     const struct tn_field_tag     *key)
{
    const struct tn_field_tag both[] = { tn_tag_field(map->number), *key };
    char                      text[100];

    tn_tags_print((struct tn_tags){ both, 2 }, m->type, text, sizeof text);
    tn_error_set(m->all->error, TN_NOT_FOUND, TN_NOWHERE,
                 "couldn't find key: there is no %s", text);
    return NULL;
}

/* The entry of a key, with key and maybe value. */
static struct tn_mosaic *entry(struct tn_mosaic          *m,
                               struct tn_mosaic_index    *index,
                               const struct tn_field_tag *key,
                               enum tn_mosaic_how         how)
{
    struct tn_place *place = tn_place_of_key(index, key);

    if (place)
        return tn_place_message(m, index, place);
    if (how == TN_MOSAIC_FIND)
        return no_such_key(m, index->field, key);
    return tn_index_append(m, index, key);
}

struct tn_mosaic *tn_mosaic_entry(struct tn_mosaic         *m,
                                  const struct tn_tag_step *step)
{
    struct tn_mosaic_index *index = tn_mosaic_index(m, step->field);

    return index ? entry(m, index, step->element, TN_MOSAIC_FIND) : NULL;
}

static struct tn_mosaic *singular(struct tn_mosaic              *m,
                                  const struct tn_pb_field_type *field,
                                  enum tn_mosaic_how             how)
{
    struct tn_mosaic_index *index = tn_mosaic_index(m, field);

    if (!index)
        return NULL;
    if (how == TN_MOSAIC_FIND && index->places.count == 0) {
        tn_error_set(m->all->error, TN_NOT_FOUND, TN_NOWHERE, "there is no %s",
                     field->name);
        return NULL;
    }
    return tn_index_singular(m, index);
}

struct tn_mosaic *tn_mosaic_step(struct tn_mosaic         *m,
                                 const struct tn_tag_step *step,
                                 enum tn_mosaic_how        how)
{
    if (!step->element)
        return singular(m, step->field, how);
    struct tn_mosaic_index *index = tn_mosaic_index(m, step->field);
    if (!index)
        return NULL;
    if (!step->field->is_map)
        return element(m, index, step->element->at.number, how);
    struct tn_mosaic *pair = entry(m, index, step->element, how);
    return pair ? singular(pair, &step->field->message->fields[1], how) : NULL;
}

struct tn_mosaic *tn_mosaic_path(struct tn_mosaic *m, struct tn_tags tags,
                                 enum tn_mosaic_how  how,
                                 struct tn_tag_step *last)
{
    struct tn_tag_step step;

    *last = (struct tn_tag_step){ NULL, NULL };
    while (m && tags.count) {
        if (tn_tags_step(&tags, m->type, &step, m->all->error) != TN_OK)
            return NULL;
        if (tn_step_message(&step)) {
            m = tn_mosaic_step(m, &step, how);
            continue;
        }
        if (tags.count) { /* reports that there is nothing here to go on in */
            tn_tags_step(&tags, NULL, &step, m->all->error);
            return NULL;
        }
        *last = step;
    }
    return m;
}

uint64_t tn_mosaic_count(struct tn_mosaic              *m,
                         const struct tn_pb_field_type *field)
{
    const struct tn_mosaic_index *index = tn_mosaic_outline(m, field);

    if (!index || field->label == TN_PB_REPEATED)
        return index ? tn_index_count(index) : 0;
    return tn_index_count(index) > 0;
}

/* ---- values -------------------------------------------------------------- */

/* The field with its tag; a bare number goes among others in a series. */
static struct tn_tile value_tile(struct tn_mosaics             *all,
                                 const struct tn_pb_field_type *field,
                                 struct tn_span chunk, bool is_bare)
{
    struct tn_tile    tile = { .kind    = TN_TILE_VALUE,
                               .number  = field->number,
                               .is_bare = is_bare };
    enum tn_wire_type wire = tn_pb_wire_type(field->type);
    uint64_t          bits = chunk.length;
    uint8_t *head = tn_new(all->arena, uint8_t, 2 * TN_VARINT_MAX, all->error);

    if (!head ||
        (wire != TN_WIRE_LEN && tn_scalar_read(field, all->scalars, chunk,
                                               &bits, all->error) != TN_OK))
        return tile;
    tile.head.data = head;
    if (!is_bare)
        head += tn_varint_put(head, tn_tag(field->number, wire));
    if (wire == TN_WIRE_LEN)
        tile.span = chunk;
    else
        bits = tn_pb_encode(field->type, bits);
    if (wire == TN_WIRE_LEN || wire == TN_WIRE_VARINT)
        head += tn_varint_put(head, bits);
    else
        for (unsigned i = 0; i < (wire == TN_WIRE_FIXED64 ? 8 : 4); i++)
            *head++ = (uint8_t)(bits >> (8 * i));
    tile.head.size = (size_t)(head - tile.head.data);
    return tile;
}

/* Puts the value where the place is. */
static enum tn_status set_place(struct tn_mosaic              *m,
                                const struct tn_pb_field_type *field,
                                struct tn_place *place, struct tn_span chunk)
{
    bool is_bare = place->tile->kind == TN_TILE_PACKED || place->tile->is_bare;
    struct tn_tile tile = value_tile(m->all, field, chunk, is_bare);

    if (!tn_failed(m->all->error))
        tn_place_replace(m, place, &tile);
    return m->all->error->status;
}

static enum tn_status set_new(struct tn_mosaic       *m,
                              struct tn_mosaic_index *index,
                              struct tn_span          chunk)
{
    struct tn_tile tile = value_tile(m->all, index->field, chunk, false);

    if (!tn_failed(m->all->error))
        tn_place_append(m, index, tile);
    return m->all->error->status;
}

static enum tn_status set_singular(struct tn_mosaic              *m,
                                   const struct tn_pb_field_type *field,
                                   struct tn_span                 chunk)
{
    struct tn_mosaic_index *index = tn_mosaic_index(m, field);

    if (!index)
        return m->all->error->status;
    if (index->places.count == 0)
        return set_new(m, index, chunk);
    for (uint64_t i = 1; i < index->places.count; i++)
        if (!tn_place_replace(m, tn_place_at(index, i), NULL))
            return m->all->error->status;
    index->places.count = 1;
    return set_place(m, field, tn_place_at(index, 0), chunk);
}

static enum tn_status set_element(struct tn_mosaic       *m,
                                  struct tn_mosaic_index *index, uint64_t at,
                                  struct tn_span chunk)
{
    if (at < index->places.count)
        return set_place(m, index->field, tn_place_at(index, at), chunk);
    if (at == index->places.count)
        return set_new(m, index, chunk);
    return tn_error_set(m->all->error, TN_MALFORMED, TN_NOWHERE,
                        "field index out of range: %" PRIu64
                        " of %s, which has %" PRIu64 " elements",
                        at, index->field->name, index->places.count);
}

enum tn_status tn_mosaic_set(struct tn_mosaic         *m,
                             const struct tn_tag_step *step,
                             struct tn_span            chunk)
{
    if (!step->element)
        return set_singular(m, step->field, chunk);
    struct tn_mosaic_index *index = tn_mosaic_index(m, step->field);
    if (!index)
        return m->all->error->status;
    if (!step->field->is_map)
        return set_element(m, index, step->element->at.number, chunk);
    struct tn_mosaic *pair = entry(m, index, step->element, TN_MOSAIC_MAKE);
    return pair ? set_singular(pair, &step->field->message->fields[1], chunk)
                : m->all->error->status;
}

/* ---- numbers as they are ------------------------------------------------- */

/* The place of a value; NULL if there is none, as the error says. */
static struct tn_place *find_value(struct tn_mosaic         *m,
                                   const struct tn_tag_step *step)
{
    struct tn_error *error  = m->all->error;
    bool             is_one = step->field->is_map || !step->element;

    if (step->field->is_map)
        m = tn_mosaic_entry(m, step);
    const struct tn_mosaic_index *index =
        m ? tn_mosaic_index(m, tn_step_value(step)) : NULL;
    if (!index)
        return NULL;
    uint64_t count = index->places.count;
    uint64_t at    = is_one ? count - 1 : step->element->at.number;
    if (at < count)
        return tn_place_at(index, at);
    if (is_one)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "there is no %s",
                     step->field->name);
    else
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "can't access index %" PRIu64 " of %s: it has %" PRIu64
                     " elements",
                     at, step->field->name, count);
    return NULL;
}

static uint64_t next_number(struct tn_cursor *c, enum tn_wire_type type)
{
    return type == TN_WIRE_VARINT    ? tn_varint(c)
           : type == TN_WIRE_FIXED64 ? tn_u64(c)
                                     : tn_u32(c);
}

static uint64_t wire_number(const struct tn_place *place,
                            enum tn_wire_type type, struct tn_error *error)
{
    const struct tn_tile *tile = place->tile;
    struct tn_pb_field    field;
    struct tn_span        span;
    struct tn_cursor      c;

    if (tile->kind == TN_TILE_WIRE)
        return tn_place_field(place, &field, &span, error) ? field.value : 0;
    if (tile->kind == TN_TILE_PACKED) {
        span = tile->span;
        span.length -= place->offset - span.offset;
        span.offset = place->offset;
        c           = tn_cursor_span(span, error);
        return next_number(&c, type);
    }
    c = tn_cursor_bytes(tile->head, 0, error);
    if (!tile->is_bare)
        tn_varint(&c);
    return next_number(&c, type);
}

enum tn_status tn_mosaic_number(struct tn_mosaic         *m,
                                const struct tn_tag_step *step, uint64_t *bits)
{
    enum tn_pb_type        type  = tn_step_value(step)->type;
    const struct tn_place *place = find_value(m, step);

    if (place)
        *bits = tn_pb_decode(
            type, wire_number(place, tn_pb_wire_type(type), m->all->error));
    return m->all->error->status;
}

/* ---- values in several pieces -------------------------------------------- */

/* The tile of a value that was set. */
static struct tn_tile *value_at(struct tn_mosaic         *m,
                                const struct tn_tag_step *step)
{
    const struct tn_pb_field_type *field = tn_step_value(step);
    uint64_t                       at    = 0;

    if (step->field->is_map)
        m = tn_mosaic_entry(m, step);
    else if (step->element)
        at = step->element->at.number;
    const struct tn_mosaic_index *index  = m ? tn_mosaic_index(m, field) : NULL;
    bool                          is_one = field->label != TN_PB_REPEATED;
    if (!index || at >= index->places.count ||
        (is_one && index->places.count > 1)) /* wire has come since */
        return NULL;
    struct tn_tile *tile = tn_place_at(index, at)->tile;
    return tile->kind == TN_TILE_VALUE ? tile : NULL;
}

bool tn_mosaic_is_set(struct tn_mosaic *m, const struct tn_tag_step *step)
{
    struct tn_error ignored = *m->all->error;
    bool            is_set  = value_at(m, step) != NULL;

    if (m->all->error->status == TN_NOT_FOUND) /* an entry that is to be made */
        *m->all->error = ignored;
    return is_set;
}

static struct tn_value_spans *spans_of(struct tn_mosaics *all,
                                       struct tn_tile    *tile)
{
    struct tn_value_spans *more = tile->more;

    if (more)
        return more;
    more = tn_new(all->arena, struct tn_value_spans, 1, all->error);
    struct tn_list **kept =
        more ? tn_list_push(&all->holes, struct tn_list *, all->error) : NULL;
    if (!kept)
        return NULL;
    tn_list_init(&more->spans, all->arena->memory, sizeof(struct tn_span));
    *kept             = &more->spans;
    return tile->more = more;
}

enum tn_status tn_mosaic_set_more(struct tn_mosaic         *m,
                                  const struct tn_tag_step *step,
                                  struct tn_span            chunk)
{
    struct tn_error *error = m->all->error;
    struct tn_tile  *tile  = value_at(m, step);
    uint64_t         length;

    if (!tile)
        return tn_failed(error) ? error->status
                                : tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                                               "more bytes for %s, which has "
                                               "none yet",
                                               step->field->name);
    struct tn_value_spans *more = spans_of(m->all, tile);
    struct tn_span        *slot =
        more ? tn_list_push(&more->spans, struct tn_span, error) : NULL;
    if (!slot)
        return error->status;
    *slot = chunk;
    if (!tn_add(more->length, chunk.length, &more->length) ||
        !tn_add(more->length, tile->span.length, &length))
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "more than 2^64 bytes in %s", step->field->name);
    uint8_t *head = (uint8_t *)(uintptr_t)tile->head.data;
    head += tn_varint_put(head, tn_tag(tile->number, TN_WIRE_LEN));
    head += tn_varint_put(head, length);
    tile->head.size = (size_t)(head - tile->head.data);
    return TN_OK;
}
