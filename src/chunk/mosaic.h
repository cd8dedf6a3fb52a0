/*
 * mosaic.h - a message that is being split or merged
 *
 * Bytes stay where they are.  A message is a row of tiles.  Most of them are
 * wire: whole fields as they are in some source.  Following a path cuts a hole
 * into the wire, and the hole contains a message with tiles of its own.
 *
 *   node[1].name   [ node ( ) node ]         wire, with a hole
 *                          |
 *                    [ name op attr ]        the message in it
 *
 * Only the fields on a path are walked, once, and indexed: the elements of a
 * repeated field by number, the entries of a map by key.  Protobuf's rules on
 * repetition hold: appending wire merges it.
 */
#ifndef TN_CHUNK_MOSAIC_H
#define TN_CHUNK_MOSAIC_H

#include "base/intern.h"
#include "base/rope.h"
#include "chunk/chunk_tags.h"
#include "chunk/wire_survey.h"

enum tn_tile_kind {
    TN_TILE_WIRE,    /* whole fields, as they are in a source                 */
    TN_TILE_PACKED,  /* numbers of one packed field                           */
    TN_TILE_MESSAGE, /* one field: a message of its own tiles                 */
    TN_TILE_VALUE,   /* one field: a number, or bytes that are elsewhere      */
    TN_TILE_NOTHING, /* was taken out                                         */
};

struct tn_mosaic;

struct tn_tile {
    enum tn_tile_kind kind;
    uint32_t          number; /* of the field; not of WIRE                    */
    uint32_t          series_count;
    bool           is_bare; /* a number among those of a series               */
    bool           is_group;
    struct tn_span span;   /* WIRE, PACKED: the bytes; VALUE: its content   */
    struct tn_bytes head;  /* VALUE: what comes before the content        */
    struct tn_list *holes; /* WIRE, PACKED: struct tn_hole; NULL: none      */
    const struct tn_field_series *series; /* WIRE: all of it; NULL: too many  */
    const struct tn_grouped_series *grouped; /* the same; NULL: not noted   */
    union {
        struct tn_mosaic      *message; /* NULL: empty, not made yet        */
        struct tn_value_spans *more;    /* VALUE: content after `span`; NULL:
                                           none                               */
    };
    struct tn_tile *next; /* in the row                                  */
};

/* Bytes of a wire or series that are replaced by a tile. */
struct tn_hole {
    uint64_t        begin, end; /* in the source                              */
    struct tn_tile *tile;       /* NULL: nothing                              */
};

struct tn_value_spans {
    struct tn_list spans; /* struct tn_span; first, so that it can be freed   */
    uint64_t       length; /* of them                                         */
};

struct tn_mosaic_index;

/* One message. */
struct tn_mosaic {
    struct tn_mosaics          *all;
    const struct tn_pb_message *type;
    unsigned                    depth;
    struct tn_tile             *first, *last;
    struct tn_mosaic_index     *indices; /* of the fields used so far         */
};

/* What all messages of one tree share. */
struct tn_mosaics {
    struct tn_arena *arena;
    struct tn_error *error;   /* sticky                                  */
    struct tn_list   holes;   /* struct tn_list *, to be freed */
    struct tn_list   indices; /* struct tn_mosaic_index *, to be freed */
    bool is_rough; /* packed fields are not joined when it is written: for
                      callers that only need to know the format               */
    struct tn_survey_how survey;  /* of what is merged                     */
    enum tn_scalar_form  scalars; /* of chunks that are numbers            */
};

void tn_mosaics_init(struct tn_mosaics *all, struct tn_arena *arena,
                     struct tn_error *error);
void tn_mosaics_done(struct tn_mosaics *all);

/* An empty message; lives in the arena.  NULL on failure. */
struct tn_mosaic *tn_mosaic_new(struct tn_mosaics          *all,
                                const struct tn_pb_message *type);

/* Merges a serialized message into it; the source must stay open.  MALFORMED if
 * the bytes are not whole fields, because what follows would be misread. */
enum tn_status tn_mosaic_merge(struct tn_mosaic *m, struct tn_span message);

/* The same for bytes that were merged into a message before: what was found out
 * about them is borrowed. */
enum tn_status tn_mosaic_merge_known(struct tn_mosaic             *m,
                                     struct tn_span                message,
                                     const struct tn_field_series *series,
                                     uint32_t series_count);

/* ---- paths -------------------------------------------------------------- */

enum tn_mosaic_how {
    TN_MOSAIC_FIND, /* what does not exist is NOT_FOUND                       */
    TN_MOSAIC_MAKE, /* is created; elements of repeated fields one by one     */
};

/* The message that the step leads to: step->field must be a message. */
struct tn_mosaic *tn_mosaic_step(struct tn_mosaic         *m,
                                 const struct tn_tag_step *step,
                                 enum tn_mosaic_how        how);

/* Follows the tags.  If the last step ends at a number or bytes, it is returned
 * in *last, and the result is the message that contains it; otherwise
 * last->field is NULL.  NULL on failure. */
struct tn_mosaic *tn_mosaic_path(struct tn_mosaic *m, struct tn_tags tags,
                                 enum tn_mosaic_how  how,
                                 struct tn_tag_step *last);

/* Sets a number or bytes from a chunk: bytes as they are, numbers in the form
 * of chunk_scalar.h. */
enum tn_status tn_mosaic_set(struct tn_mosaic         *m,
                             const struct tn_tag_step *step,
                             struct tn_span            chunk);

/* Whether this value was set from a chunk. */
bool tn_mosaic_is_set(struct tn_mosaic *m, const struct tn_tag_step *step);

/* The bits (pb_rules.h) of a number; NOT_FOUND if it is not set. */
enum tn_status tn_mosaic_number(struct tn_mosaic         *m,
                                const struct tn_tag_step *step, uint64_t *bits);

/* Appends bytes to a string or bytes field that was set. */
enum tn_status tn_mosaic_set_more(struct tn_mosaic         *m,
                                  const struct tn_tag_step *step,
                                  struct tn_span            chunk);

/* How many elements a repeated field or map has; 0 or 1 for a singular
 * field. */
uint64_t tn_mosaic_count(struct tn_mosaic              *m,
                         const struct tn_pb_field_type *field);

/* ---- splitting ---------------------------------------------------------- */

/* Moves what a step leads to into the rope: the fields of a message, or the
 * content of a string or bytes field.  A singular field is then absent, an
 * element stays behind empty, an entry of a map stays without its value. */
enum tn_status tn_mosaic_take(struct tn_mosaic         *m,
                              const struct tn_tag_step *step,
                              struct tn_rope           *to);

/* The same, but a singular field stays behind, empty: what is merged into it
 * later has the same position as before. */
enum tn_status tn_mosaic_hollow(struct tn_mosaic         *m,
                                const struct tn_tag_step *step,
                                struct tn_rope           *to);

/* Moves the elements [begin, end) of a repeated field or map into the rope, as
 * fields of a message of the same type. */
enum tn_status tn_mosaic_slice(struct tn_mosaic              *m,
                               const struct tn_pb_field_type *field,
                               uint64_t begin, uint64_t end,
                               struct tn_rope *to);

/* Removes a field, with all its elements. */
enum tn_status tn_mosaic_clear(struct tn_mosaic              *m,
                               const struct tn_pb_field_type *field);

/* Moves everything into the rope. */
enum tn_status tn_mosaic_empty(struct tn_mosaic *m, struct tn_rope *to);

/* ---- as bytes ----------------------------------------------------------- */

/* The result is in the rope's arena and in sources: the message may be freed.
 * Packed numbers at the end of one wire and at the beginning of the next are
 * written as one field, which takes a few bytes less than tn_mosaic_size()
 * says. */
void     tn_mosaic_write(const struct tn_mosaic *m, struct tn_rope *to);
uint64_t tn_mosaic_size(const struct tn_mosaic *m);

/* The same bytes in several ropes, each of whole fields and no longer than
 * `most`.  Packed numbers are divided, and their pieces kept apart: merged one
 * after the other, the ropes give the message again.  `each` gets them one by
 * one and takes over their pieces.  LIMIT if one field is longer. */
typedef void   tn_mosaic_part(void *context, struct tn_rope *part);
enum tn_status tn_mosaic_parts(const struct tn_mosaic *m, uint64_t most,
                               tn_mosaic_part *each, void *context);

#endif
