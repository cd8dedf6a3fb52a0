/*
 * size_splitter.c - any message into chunks no longer than a limit
 *
 *   reduce(m):    if m is longer than the limit:
 *     1. fields longer than a third of it, the largest first, until m fits:
 *        strings and bytes become chunks; a message is itself reduced, and
 *        becomes a chunk if that was not enough
 *     2. what remains is cut between fields into series as long as the limit
 *        allows; each is merged into m when it is joined, in this order
 *
 * A field that becomes a chunk stays behind, empty, so that the merged message
 * has it at the same place and is byte for byte the one that was split.  Packed
 * numbers that had to be divided are joined again when they are merged.
 *
 * The limit is a third so that series are at least two thirds full.  Series
 * need no schema: one after the other they are the bytes of m, whether they are
 * repeated fields, maps or unknown fields.
 *
 * What has no effect (an entry of a map whose key is repeated later, a member
 * of a oneof that another one cleared) has no path and cannot be a chunk.  If
 * it is large, it is dropped, or emptied if it is a member of a oneof, because
 * it clears the members before it.
 *
 * A map whose values are bytes keeps its entries together while they fit: other
 * mergers than ours cannot set such values.
 */
#include <inttypes.h>

#include "base/sort.h"
#include "chunk/mosaic_index.h"
#include "chunk/splitter.h"
#include "chunk/wire_walk.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_rules.h"

struct sizing {
    struct tn_splitter *root;
    struct tn_error    *error;
    uint64_t            most;
};

/* A field, or an element of one, that is large. */
struct large {
    const struct tn_pb_field_type *field;
    struct tn_field_tag            element; /* UNSET: the field is singular   */
    uint64_t                       size;    /* of all its bytes, with tags    */
    uint64_t                       order;   /* as they were found             */
};

/* ---- finding ------------------------------------------------------------- */

static uint64_t place_size(const struct tn_place *place)
{
    if (place->tile->kind == TN_TILE_MESSAGE)
        return place->tile->message ? tn_mosaic_size(place->tile->message) : 0;
    return place->tile->kind == TN_TILE_WIRE ? place->length
                                             : place->tile->span.length;
}

static void note_large(struct sizing *s, struct tn_list *larges,
                       const struct tn_pb_field_type *field,
                       struct tn_field_tag element, uint64_t size)
{
    if (size <= s->most / 3)
        return;
    struct large *large = tn_list_push(larges, struct large, s->error);
    if (large)
        *large = (struct large){ field, element, size, larges->count };
}

static struct tn_field_tag key_tag(const struct tn_mosaic_index *index,
                                   uint32_t                      id)
{
    enum tn_pb_type     type = index->field->message->fields[0].type;
    struct tn_bytes     text = tn_intern_text(&index->keys, id);
    struct tn_field_tag tag  = { .kind = TN_TAG_KEY,
                                 .key  = (uint8_t)tn_key_kind_of(type) };

    if (tag.key != TN_KEY_TEXT) {
        memcpy(&tag.at.number, text.data, sizeof tag.at.number);
    } else {
        tag.size    = (uint32_t)text.size;
        tag.at.text = text.data;
    }
    return tag;
}

static void find_entries(struct sizing *s, struct tn_list *larges,
                         const struct tn_mosaic_index *index)
{
    for (uint32_t id = 0; id < tn_intern_count(&index->keys); id++) {
        uint64_t at = *tn_list_at(&index->by_key, uint64_t, id);
        if (at < index->places.count)
            note_large(s, larges, index->field, key_tag(index, id),
                       place_size(tn_place_at(index, at)));
    }
}

static void find_elements(struct sizing *s, struct tn_list *larges,
                          const struct tn_mosaic_index *index)
{
    const struct tn_field_tag none  = { .kind = TN_TAG_UNSET };
    uint64_t                  total = 0;

    for (uint64_t i = 0; i < index->places.count; i++) {
        uint64_t size = place_size(tn_place_at(index, i));
        total += size;
        if (index->field->label == TN_PB_REPEATED)
            note_large(s, larges, index->field, tn_tag_index(i), size);
    }
    if (index->field->label != TN_PB_REPEATED)
        note_large(s, larges, index->field, none, total);
}

/* Drops entries whose key is repeated later. */
static void drop_entries(struct sizing *s, struct tn_mosaic *m,
                         struct tn_mosaic_index *index)
{
    uint8_t *counts =
        tn_new(&s->root->arena, uint8_t, index->places.count, s->error);

    for (uint64_t i = 0; counts && i < index->by_key.count; i++) {
        uint64_t at = *tn_list_at(&index->by_key, uint64_t, i);
        if (at < index->places.count)
            counts[at] = 1;
    }
    for (uint64_t i = 0; counts && i < index->places.count; i++)
        if (!counts[i] && place_size(tn_place_at(index, i)) > s->most / 3)
            tn_place_replace(m, tn_place_at(index, i), NULL);
}

static void drop_dead(struct sizing *s, struct tn_mosaic *m,
                      struct tn_mosaic_index *index)
{
    struct tn_tile empty = { .kind     = TN_TILE_MESSAGE,
                             .number   = index->field->number,
                             .is_group = index->field->type == TN_PB_GROUP };

    for (uint64_t i = 0; i < index->dead.count; i++) {
        struct tn_place *dead = tn_list_at(&index->dead, struct tn_place, i);
        if (place_size(dead) <= s->most / 3)
            continue;
        /* of strings and bytes, too: without tiles there are no bytes */
        empty.message = tn_mosaic_new(m->all, m->type);
        if (empty.message)
            tn_place_replace(m, dead, &empty);
    }
    if (index->field->is_map)
        drop_entries(s, m, index);
}

static void mark_wire(struct sizing *s, const struct tn_mosaic *m,
                      struct tn_span wire, uint8_t *marks)
{
    const struct tn_pb_field_type *type;
    struct tn_wire_walk            walk;
    struct tn_pb_field             field;
    struct tn_span                 whole;

    tn_wire_walk_init(&walk, wire, s->error);
    while (tn_wire_walk_next(&walk, &field, &whole)) {
        type = whole.length > s->most / 3
                   ? tn_pb_message_field(m->type, field.number)
                   : NULL;
        if (type)
            marks[type - m->type->fields] = 1;
    }
    tn_wire_walk_done(&walk);
}

/* Finds the fields with a large element, without an index. */
static void mark_fields(struct sizing *s, const struct tn_mosaic *m,
                        uint8_t *marks)
{
    const struct tn_pb_field_type *type;

    for (const struct tn_tile *tile = m->first; tile; tile = tile->next) {
        if (tile->kind == TN_TILE_MESSAGE || tile->kind == TN_TILE_VALUE) {
            type = tn_pb_message_field(m->type, tile->number);
            if (type)
                marks[type - m->type->fields] = 1;
            continue;
        }
        if (tile->kind == TN_TILE_WIRE)
            mark_wire(s, m, tile->span, marks);
    }
}

static int compare_larges(const void *left, const void *right, void *context)
{
    const struct large *a = left, *b = right;

    (void)context;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Lists all that can be taken out of m, the largest first. */
static void find_larges(struct sizing *s, struct tn_mosaic *m,
                        struct tn_list *larges)
{
    uint8_t *marks =
        tn_new(&s->root->arena, uint8_t, m->type->field_count, s->error);

    if (!marks)
        return;
    mark_fields(s, m, marks);
    for (uint32_t i = 0; i < m->type->field_count; i++) {
        const struct tn_pb_field_type *field = &m->type->fields[i];
        if (!marks[i] ||
            (!tn_pb_is_message(field->type) && !tn_pb_is_blob(field->type)))
            continue;
        struct tn_mosaic_index *index = tn_mosaic_index(m, field);
        if (!index)
            return;
        drop_dead(s, m, index);
        if (field->is_map)
            find_entries(s, larges, index);
        else
            find_elements(s, larges, index);
    }
    tn_sort_items(larges->items, larges->count, sizeof(struct large),
                  compare_larges, NULL);
}

/* ---- taking -------------------------------------------------------------- */

static struct tn_tags path_to(struct sizing *s, struct tn_tags path,
                              const struct large *large)
{
    const struct tn_field_tag more[] = { tn_tag_field(large->field->number),
                                         large->element };
    struct tn_tags            step   = { more, large->element.kind ? 2u : 1u };

    return tn_tags_join(path, step, &s->root->arena, s->error);
}

/* Makes it a chunk.  Returns how much shorter the message is then. */
static uint64_t take(struct sizing *s, struct tn_mosaic *m,
                     const struct tn_tag_step *step, struct tn_tags tags)
{
    struct tn_rope rope;

    tn_rope_init(&rope, &s->root->arena, s->error);
    tn_mosaic_hollow(m, step, &rope);
    uint64_t length = rope.length;
    tn_splitter_add(s->root,
                    tn_step_message(step) ? TN_CHUNK_MESSAGE : TN_CHUNK_BYTES,
                    &rope, tags, TN_AT_END);
    tn_rope_done(&rope);
    return length;
}

static void reduce(struct sizing *s, struct tn_mosaic *m, struct tn_tags path);

static uint64_t take_message(struct sizing *s, struct tn_mosaic *m,
                             const struct tn_tag_step *step,
                             struct tn_tags tags, uint64_t size)
{
    struct tn_mosaic *inner = tn_mosaic_step(m, step, TN_MOSAIC_FIND);

    if (!inner)
        return 0;
    uint64_t before = tn_mosaic_size(inner);
    if (before > s->most)
        reduce(s, inner, tags);
    uint64_t after  = tn_mosaic_size(inner);
    uint64_t gained = before > after ? before - after : 0;
    if (tn_failed(s->error) || size - gained <= s->most || after <= s->most / 3)
        return gained;
    return gained + take(s, m, step, tags);
}

/* The value of an entry need not be there. */
static bool has_value(struct sizing *s, struct tn_mosaic *m,
                      const struct tn_tag_step *step)
{
    if (!step->field->is_map)
        return true;
    struct tn_mosaic *entry = tn_mosaic_entry(m, step);
    return entry && tn_mosaic_count(entry, tn_step_value(step)) > 0 &&
           !tn_failed(s->error);
}

static uint64_t take_large(struct sizing *s, struct tn_mosaic *m,
                           struct tn_tags path, const struct large *large,
                           uint64_t size)
{
    struct tn_tags     tags = path_to(s, path, large);
    struct tn_tag_step step = { large->field, NULL };

    if (!tags.at)
        return 0;
    if (large->element.kind)
        step.element = &tags.at[tags.count - 1];
    if (!has_value(s, m, &step))
        return 0;
    if (tn_step_message(&step))
        return take_message(s, m, &step, tags, size);
    bool is_blob = tn_pb_is_blob(tn_step_value(&step)->type);
    if (!is_blob || (large->field->is_map && large->size <= s->most))
        return 0;
    return take(s, m, &step, tags);
}

/* ---- series ----------------------------------------------------------------
 */

struct running {
    struct sizing *s;
    struct tn_tags path;
    bool is_base; /* of the next series                                */
};

static void add_series(void *context, struct tn_rope *series)
{
    struct running *r = context;

    if (r->is_base)
        tn_rope_append(&r->s->root->first_piece, series);
    else
        tn_splitter_add(r->s->root, TN_CHUNK_MESSAGE, series, r->path,
                        TN_AT_END);
    r->is_base = false;
}

/* The first series of the whole message stays: it is the base. */
static void cut_series(struct sizing *s, struct tn_mosaic *m,
                       struct tn_tags path)
{
    struct running running = { s, path, m == s->root->base };

    if (tn_mosaic_parts(m, s->most, add_series, &running) == TN_OK)
        tn_mosaic_empty(m, NULL);
}

static void reduce(struct sizing *s, struct tn_mosaic *m, struct tn_tags path)
{
    if (tn_mosaic_size(m) <= s->most)
        return;
    struct tn_list larges;
    uint64_t       size = tn_mosaic_size(m);
    tn_list_init(&larges, s->root->arena.memory, sizeof(struct large));
    find_larges(s, m, &larges);
    for (uint64_t i = 0;
         i < larges.count && size > s->most && !tn_failed(s->error); i++)
        size -=
            take_large(s, m, path, tn_list_at(&larges, struct large, i), size);
    tn_list_done(&larges);
    if (!tn_failed(s->error) && tn_mosaic_size(m) > s->most)
        cut_series(s, m, path);
    if (!s->error->where[0]) /* the innermost call has the whole path */
        tn_tags_where(path, s->root->type, s->error);
}

enum tn_status tn_splitter_by_size(struct tn_splitter *splitter,
                                   uint64_t max_size, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;
    struct sizing       s    = { root, &root->failure, max_size };
    struct tn_tag_step  last;

    if (root->is_split)
        tn_error_set(s.error, TN_INVALID, TN_NOWHERE,
                     "the message is split already");
    if (max_size == 0)
        tn_error_set(s.error, TN_INVALID, TN_NOWHERE,
                     "the largest chunk size must not be 0");
    if (splitter == root && !tn_failed(s.error))
        TN_TRY(tn_splitter_keep_base(root, error));
    struct tn_mosaic *m =
        tn_failed(s.error)
            ? NULL
            : tn_mosaic_path(root->base, splitter->path, TN_MOSAIC_FIND, &last);
    if (m)
        reduce(&s, m, splitter->path);
    if (!tn_failed(s.error))
        tn_splitter_order(root);
    return tn_splitter_end(root, error);
}
