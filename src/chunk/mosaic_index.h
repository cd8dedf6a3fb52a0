/*
 * mosaic_index.h - where the elements of one field are, in a mosaic
 *
 * Built when a path first goes through the field, and brought up to date when
 * more wire has been merged since: no byte is walked twice.
 *
 * While nobody has asked for one of a million elements, stretches of them as
 * they lie in the wire are all there is: an outline.  They can be counted,
 * measured and sliced.  The index has a place for each.
 */
#ifndef TN_CHUNK_MOSAIC_INDEX_H
#define TN_CHUNK_MOSAIC_INDEX_H

#include "chunk/mosaic.h"
#include "wire/pb/pb_wire.h"

/* In wire or in a run at `offset`, or a tile of its own.  In wire the field has
 * `length` bytes, and its content begins after `head` of them. */
struct tn_place {
    struct tn_tile *tile;
    uint64_t        offset;
    uint64_t        length : 59;
    uint64_t        head : 5;
};

/* No wire is longer: tn_mosaic_merge refuses it. */
#define TN_PLACE_LENGTH_MAX ((UINT64_C(1) << 59) - 1)

/* Fields [begin, end) of a run of the tile's wire. */
struct tn_stretch {
    struct tn_tile              *tile;
    const struct tn_grouped_run *run;
    uint64_t                     begin, end;
};

/* Of a singular field all occurrences that count are places: the bytes of a
 * message are all of them, of a value the last. */
struct tn_mosaic_index {
    const struct tn_pb_field_type *field;
    struct tn_mosaic_index        *next;    /* in the same message            */
    struct tn_tile                *scanned; /* up to and with this one        */
    struct tn_list                 stretches; /* struct tn_stretch: an outline;
                                                 none when there are places   */
    struct tn_list places;   /* struct tn_place                */
    uint64_t       gone;     /* places before the first: the
                                list begins behind them        */
    struct tn_list dead;     /* struct tn_place: cleared by
                                another member of the oneof    */
    struct tn_intern keys;   /* of a map                       */
    struct tn_list   by_key; /* uint64_t: place by id of a key */
};

/* Up to date; NULL on failure. */
struct tn_mosaic_index *tn_mosaic_index(struct tn_mosaic              *m,
                                        const struct tn_pb_field_type *field);

/* The same without places, if there are none yet: for what follows. */
struct tn_mosaic_index *tn_mosaic_outline(struct tn_mosaic              *m,
                                          const struct tn_pb_field_type *field);

/* How many elements, or occurrences of a singular field. */
uint64_t tn_index_count(const struct tn_mosaic_index *index);

/* Elements that are measured together. */
struct tn_some {
    uint64_t count;
    uint64_t bodies, largest; /* bytes without tags and lengths: all, the most
                                 of one                                       */
};

/* Those from element `at` on; one when there are places. */
struct tn_some tn_index_some(const struct tn_mosaic_index *index, uint64_t at,
                             struct tn_error *error);

/* How long each of so many elements is: some of those that are measured
 * together, or any that have places in wire. */
void tn_index_bodies(const struct tn_mosaic_index *index, uint64_t at,
                     uint64_t count, uint64_t *bodies, struct tn_error *error);

/* Messages, strings and bytes that are in no map and no oneof are nothing but
 * places. */
static inline bool tn_index_is_plain(const struct tn_pb_field_type *field)
{
    return !field->is_map && field->oneof < 0 &&
           tn_pb_wire_type(field->type) == TN_WIRE_LEN;
}

/* Whether the survey of the wire says all about the field's elements in it; and
 * then the stretches that it has of them. */
bool tn_outline_fits(const struct tn_mosaic_index *index,
                     const struct tn_tile         *wire);
void tn_outline_wire(struct tn_mosaic *m, struct tn_mosaic_index *index,
                     struct tn_tile *wire);

/* Where the fields of a stretch lie. */
struct tn_span tn_stretch_span(const struct tn_stretch *stretch,
                               struct tn_error         *error);

/* The elements [begin, end) leave the outline: one piece of wire goes to the
 * rope for each stretch, and a hole is left. */
void tn_outline_slice(struct tn_mosaic *m, struct tn_mosaic_index *index,
                      uint64_t begin, uint64_t end, struct tn_rope *to);

static inline bool tn_index_is_outline(const struct tn_mosaic_index *index)
{
    return index->stretches.count > 0;
}

static inline struct tn_place *tn_place_at(const struct tn_mosaic_index *index,
                                           uint64_t                      at)
{
    return tn_list_at(&index->places, struct tn_place, at);
}

/* Drops places at the begin, without moving the others: slices of a million
 * elements leave one after the other. */
void tn_index_drop(struct tn_mosaic_index *index, uint64_t count);

/* The list as it was allocated again; before it grows or goes. */
void tn_index_restore(struct tn_mosaic_index *index);

/* The place of a key, or NULL. */
struct tn_place *tn_place_of_key(const struct tn_mosaic_index *index,
                                 const struct tn_field_tag    *key);

/* A new tile at the end of the row, which is a new place of the index. */
struct tn_tile *tn_place_append(struct tn_mosaic       *m,
                                struct tn_mosaic_index *index,
                                struct tn_tile          tile);

/* All of the field that lies at a place of wire; nothing is read for it. */
static inline struct tn_span tn_place_span(const struct tn_place *place)
{
    return (struct tn_span){ place->tile->span.source, place->offset,
                             place->length };
}

/* The field that lies at a place of wire. */
bool tn_place_field(const struct tn_place *place, struct tn_pb_field *field,
                    struct tn_span *whole, struct tn_error *error);

/* Puts a tile (NULL: nothing) where the place is; the place is then that. */
struct tn_tile *tn_place_replace(struct tn_mosaic *m, struct tn_place *place,
                                 const struct tn_tile *tile);

/* The message at a place of messages, as tiles.  NULL on failure. */
struct tn_mosaic *tn_place_message(struct tn_mosaic             *m,
                                   const struct tn_mosaic_index *index,
                                   struct tn_place              *place);

/* A new, empty message at the end; with its key when the field is a map. */
struct tn_mosaic *tn_index_append(struct tn_mosaic          *m,
                                  struct tn_mosaic_index    *index,
                                  const struct tn_field_tag *key);

/* The one message of a singular field: all its occurrences, or a new one. */
struct tn_mosaic *tn_index_singular(struct tn_mosaic       *m,
                                    struct tn_mosaic_index *index);

/* The entry of a map that a step names, with key and maybe value. */
struct tn_mosaic *tn_mosaic_entry(struct tn_mosaic         *m,
                                  const struct tn_tag_step *step);

/* A tile at the end of the row; NULL on failure. */
struct tn_tile *tn_mosaic_push(struct tn_mosaic *m, struct tn_tile tile);

/* Sorts the holes of a tile by where they begin. */
void tn_tile_sort(struct tn_tile *tile);

#endif
