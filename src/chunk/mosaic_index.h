/*
 * mosaic_index.h - where the elements of one field are, in a mosaic
 *
 * Built when a path first goes through the field, and brought up to date after
 * more wire was merged: no byte is walked twice.
 *
 * As long as no single element was requested, the index has only an outline:
 * stretches of elements as they are in the wire.  They can be counted, measured
 * and sliced.  After that it has a place for each element.
 */
#ifndef TN_CHUNK_MOSAIC_INDEX_H
#define TN_CHUNK_MOSAIC_INDEX_H

#include "chunk/mosaic.h"
#include "wire/pb/pb_wire.h"

/* Where an element is: in wire or in a series at `offset`, or in a tile of its
 * own.  In wire the field has `length` bytes, and its content begins after
 * `head` of them. */
struct tn_place {
    struct tn_tile *tile;
    uint64_t        offset;
    uint64_t        length : 59;
    uint64_t        head : 5;
};

/* No wire is longer: tn_mosaic_merge() refuses it. */
#define TN_PLACE_LENGTH_MAX ((UINT64_C(1) << 59) - 1)

/* Fields [begin, end) of a series of the tile's wire. */
struct tn_stretch {
    struct tn_tile                 *tile;
    const struct tn_grouped_series *series;
    uint64_t                        begin, end;
};

/* For a singular field, all occurrences that count are places: all of them for
 * a message, the last for a value. */
struct tn_mosaic_index {
    const struct tn_pb_field_type *field;
    struct tn_mosaic_index        *next;    /* in the same message            */
    struct tn_tile                *scanned; /* up to and with this one        */
    struct tn_list                 stretches; /* struct tn_stretch: an outline;
                                                 none when there are places   */
    struct tn_list places;   /* struct tn_place                */
    uint64_t       gone;     /* places before the first: the list begins after
                                them                                          */
    struct tn_list dead;     /* struct tn_place: cleared by
                                another member of the oneof    */
    struct tn_intern keys;   /* of a map                       */
    struct tn_list   by_key; /* uint64_t: place by id of a key */
};

/* Brought up to date; NULL on failure. */
struct tn_mosaic_index *tn_mosaic_index(struct tn_mosaic              *m,
                                        const struct tn_pb_field_type *field);

/* The same without places, if there are none yet: for the functions below. */
struct tn_mosaic_index *tn_mosaic_outline(struct tn_mosaic              *m,
                                          const struct tn_pb_field_type *field);

/* The number of elements, or of occurrences of a singular field. */
uint64_t tn_index_count(const struct tn_mosaic_index *index);

/* Elements that are measured together. */
struct tn_measured {
    uint64_t count;
    uint64_t bodies, largest; /* bytes without tags and lengths: of all, and of
                                 the largest                                  */
};

/* Those from element `at` on; a single one if there are places. */
struct tn_measured tn_index_measure(const struct tn_mosaic_index *index,
                                    uint64_t at, struct tn_error *error);

/* The length of each of these elements, which are measured together, or have
 * places in wire. */
void tn_index_lengths(const struct tn_mosaic_index *index, uint64_t at,
                      uint64_t count, uint64_t *bodies, struct tn_error *error);

/* Messages, strings and bytes in no map and no oneof need nothing but
 * places. */
static inline bool tn_index_is_plain(const struct tn_pb_field_type *field)
{
    return !field->is_map && field->oneof < 0 &&
           tn_pb_wire_type(field->type) == TN_WIRE_LEN;
}

/* Removes elements [begin, end) from the outline: one piece of wire goes to the
 * rope for each stretch, and a hole remains. */
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

/* Drops places at the beginning without moving the others: slices of a million
 * elements are removed one after the other. */
void tn_index_drop(struct tn_mosaic_index *index, uint64_t count);

/* Undoes that offset of the list, before it grows or is freed. */
void tn_index_restore(struct tn_mosaic_index *index);

/* The place of a key, or NULL. */
struct tn_place *tn_place_of_key(const struct tn_mosaic_index *index,
                                 const struct tn_field_tag    *key);

/* A new tile at the end of the row, with a new place in the index. */
struct tn_tile *tn_place_append(struct tn_mosaic       *m,
                                struct tn_mosaic_index *index,
                                struct tn_tile          tile);

/* The whole field at a place in wire; nothing is read. */
static inline struct tn_span tn_place_span(const struct tn_place *place)
{
    return (struct tn_span){ place->tile->span.source, place->offset,
                             place->length };
}

/* The field at a place in wire. */
bool tn_place_field(const struct tn_place *place, struct tn_pb_field *field,
                    struct tn_span *whole, struct tn_error *error);

/* Puts a tile (NULL: nothing) at the place, which then refers to it. */
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

/* The entry of a map that a step names, with its key and perhaps its value. */
struct tn_mosaic *tn_mosaic_entry(struct tn_mosaic         *m,
                                  const struct tn_tag_step *step);

/* A tile at the end of the row; NULL on failure. */
struct tn_tile *tn_mosaic_push(struct tn_mosaic *m, struct tn_tile tile);

/* Sorts the holes of a tile by their beginning. */
void tn_tile_sort(struct tn_tile *tile);

#endif
