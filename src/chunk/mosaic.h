/*
 * mosaic.h - a message that is being taken apart or put together
 *
 * Bytes stay where they are.  A message is a row of tiles; most are wire, that
 * is whole fields as they lie in some source.  Going down a path cuts a hole
 * into the wire, and in the hole is a message with tiles of its own.
 *
 *   node[1].name   [ node ( ) node ]         wire, with a hole
 *                          |
 *                    [ name op attr ]        the message in it
 *
 * Only what a path leads through is walked, once, and indexed: the elements of
 * a repeated field by number, the entries of a map by key.  protobuf's rules
 * on repetition hold: to add wire is to merge.
 */
#ifndef TN_CHUNK_MOSAIC_H
#define TN_CHUNK_MOSAIC_H

#include "base/intern.h"
#include "base/rope.h"
#include "chunk/chunk_tags.h"
#include "chunk/wire_survey.h"

enum tn_tile_kind {
    TN_TILE_WIRE,    /* whole fields, as they lie in a source                 */
    TN_TILE_RUN,     /* numbers of one packed field                           */
    TN_TILE_MESSAGE, /* one field: a message of its own tiles                 */
    TN_TILE_VALUE,   /* one field: a number, or bytes that lie elsewhere      */
    TN_TILE_NOTHING, /* was taken out                                         */
};

struct tn_mosaic;

struct tn_tile {
    enum tn_tile_kind kind;
    uint32_t          number; /* of the field; not of WIRE                    */
    uint32_t          run_count;
    bool              is_bare; /* a number among those of a run               */
    bool              is_group;
    struct tn_span    span;  /* WIRE, RUN: the bytes; VALUE: its content    */
    struct tn_bytes   head;  /* VALUE: what comes before the content        */
    struct tn_list   *holes; /* WIRE, RUN: struct tn_hole; NULL: none       */
    const struct tn_field_run   *runs;    /* WIRE: all of it; NULL: too many  */
    const struct tn_grouped_run *grouped; /* the same; NULL: not noted   */
    union {
        struct tn_mosaic      *message; /* NULL: empty, not made yet        */
        struct tn_value_spans *more;    /* VALUE: content behind `span`; NULL:
                                           none                                */
    };
    struct tn_tile *next; /* in the row                                  */
};

/* Bytes of a wire or run that something else stands for. */
struct tn_hole {
    uint64_t        begin, end; /* in the source                              */
    struct tn_tile *tile;       /* NULL: nothing                              */
};

struct tn_value_spans {
    struct tn_list spans; /* struct tn_span; first, to be given back          */
    uint64_t       length; /* of them                                         */
};

struct tn_mosaic_index;

/* One message. */
struct tn_mosaic {
    struct tn_mosaics          *all;
    const struct tn_pb_message *type;
    unsigned                    depth;
    struct tn_tile             *first, *last;
    struct tn_mosaic_index     *indices; /* of the fields asked for so far    */
};

/* What all messages of one tree share. */
struct tn_mosaics {
    struct tn_arena *arena;
    struct tn_error *error;   /* sticky                                  */
    struct tn_list   holes;   /* struct tn_list *, to be given back    */
    struct tn_list   indices; /* struct tn_mosaic_index *, likewise    */
    bool is_rough; /* packed numbers stay apart when it is written: for who
                      only wants to know what it is                     */
    struct tn_survey_how survey;  /* of what is merged                     */
    enum tn_scalar_form  scalars; /* of chunks that are numbers            */
};

void tn_mosaics_init(struct tn_mosaics *all, struct tn_arena *arena,
                     struct tn_error *error);
void tn_mosaics_done(struct tn_mosaics *all);

/* An empty message; lives in the arena.  NULL on failure. */
struct tn_mosaic *tn_mosaic_new(struct tn_mosaics          *all,
                                const struct tn_pb_message *type);

/* Merges a serialized message into it; the source must live on.  MALFORMED when
 * the bytes are not whole fields: what follows would be misread. */
enum tn_status tn_mosaic_merge(struct tn_mosaic *m, struct tn_span message);

/* The same for bytes that were merged into a message before: what was found
 * out about them is borrowed. */
enum tn_status tn_mosaic_merge_known(struct tn_mosaic          *m,
                                     struct tn_span             message,
                                     const struct tn_field_run *runs,
                                     uint32_t                   run_count);

/* ---- paths --------------------------------------------------------------- */

enum tn_mosaic_how {
    TN_MOSAIC_FIND, /* what is not there is NOT_FOUND                         */
    TN_MOSAIC_MAKE, /* is made; elements of repeated fields one by one        */
};

/* The message that the step leads to: step->field must lead to one. */
struct tn_mosaic *tn_mosaic_step(struct tn_mosaic         *m,
                                 const struct tn_tag_step *step,
                                 enum tn_mosaic_how        how);

/* Along the tags to a message; *last is the step that ends elsewhere than in a
 * message (last->field is NULL when none does), and the result the message
 * that it is a step of.  NULL on failure. */
struct tn_mosaic *tn_mosaic_path(struct tn_mosaic *m, struct tn_tags tags,
                                 enum tn_mosaic_how  how,
                                 struct tn_tag_step *last);

/* Sets a number or bytes out of a chunk: bytes as they are, numbers in the form
 * of chunk_scalar.h. */
enum tn_status tn_mosaic_set(struct tn_mosaic         *m,
                             const struct tn_tag_step *step,
                             struct tn_span            chunk);

/* Whether a chunk has set what lies there. */
bool tn_mosaic_is_set(struct tn_mosaic *m, const struct tn_tag_step *step);

/* The bits (pb_rules.h) of a number that is there; NOT_FOUND when none is. */
enum tn_status tn_mosaic_number(struct tn_mosaic         *m,
                                const struct tn_tag_step *step, uint64_t *bits);

/* More bytes behind those that were set there: of a string or bytes field. */
enum tn_status tn_mosaic_set_more(struct tn_mosaic         *m,
                                  const struct tn_tag_step *step,
                                  struct tn_span            chunk);

/* How many elements a repeated field has, entries a map, or whether there is
 * one of a singular field. */
uint64_t tn_mosaic_count(struct tn_mosaic              *m,
                         const struct tn_pb_field_type *field);

/* ---- taking apart -------------------------------------------------------- */

/* Moves what a step leads to into the rope: the fields of a message, or the
 * content of a string or bytes field.  A singular field is gone afterwards, an
 * element stays as an empty one, an entry of a map without its value. */
enum tn_status tn_mosaic_take(struct tn_mosaic         *m,
                              const struct tn_tag_step *step,
                              struct tn_rope           *to);

/* The same, but a singular field stays as an empty one: what is merged into it
 * later lies where it lay before. */
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

/* Moves everything. */
enum tn_status tn_mosaic_empty(struct tn_mosaic *m, struct tn_rope *to);

/* ---- as bytes ------------------------------------------------------------ */

/* What is written lies in the rope's arena and in sources: the message need not
 * live on.  Packed numbers at the end of wire and at the begin of the wire
 * behind it are written as one field, which is a few bytes less than
 * tn_mosaic_size says. */
void     tn_mosaic_write(const struct tn_mosaic *m, struct tn_rope *to);
uint64_t tn_mosaic_size(const struct tn_mosaic *m);

/* The same bytes in several ropes, each of whole fields and no longer than
 * `most`; packed numbers are divided, and pieces of them kept apart: merged one
 * after the other the ropes are the message again.  `each` gets them one by one
 * and takes their pieces over.  LIMIT when one field is longer. */
typedef void   tn_mosaic_part(void *context, struct tn_rope *part);
enum tn_status tn_mosaic_parts(const struct tn_mosaic *m, uint64_t most,
                               tn_mosaic_part *each, void *context);

#endif
