/*
 * view_attrs.h - attributes of operators as text, each distinct list once
 *
 * A large graph is read by two threads: one finds out which attributes are
 * equal in the file and renders those that are new, part by part; the caller's
 * keeps them, in the order of ops, so that texts and lists get the same numbers
 * whoever was there.
 */
#ifndef TN_VIEW_VIEW_ATTRS_H
#define TN_VIEW_VIEW_ATTRS_H

#include "base/buffer.h"
#include "io/pipeline.h"
#include "view/picture.h"

enum { TN_VIEW_ATTR_PARTS = 8 };

/* Some ops that follow each other. */
struct tn_view_attr_part {
    uint32_t       first, count; /* of the model's ops                       */
    struct tn_list wires;   /* struct tn_bytes by op: its attributes         */
    struct tn_list numbers; /* uint32_t by op: which list, of all rendered   */
    struct tn_list lists;   /* struct rendered: those that are new           */
    struct tn_list texts;   /* size_t: sizes, two for each attribute         */
    struct tn_list calls;   /* struct rendered_call                          */
    struct tn_buffer bytes; /* of the texts                                  */
    struct tn_error  error;
};

/* What one thread at a time uses, to render parts in their order. */
struct tn_view_attr_renderer {
    const struct tn_picture  *picture;
    struct tn_view_attr_part *part;
    struct tn_error           error;
    struct tn_arena           arena; /* of the attributes of one op           */
    struct tn_arena           kept;
    struct tn_list            attrs; /* struct tn_attr_named                  */
    struct tn_buffer          text, key;
    struct tn_error           key_error; /* damaged ones are not fatal        */
    struct tn_intern          wires;    /* attributes as they are in the file */
    struct tn_list            of_wires; /* uint32_t: number of the list       */
    struct tn_intern          keys;     /* those of which not all bytes count */
    struct tn_list            of_keys;
    uint32_t                 *of_alike; /* by op->alike: number + 1           */
    uint32_t                  count;    /* of lists; 0 is the empty one       */
};

struct tn_view_attr_reader {
    struct tn_picture           *picture;
    struct tn_view_attr_renderer renderer;
    struct tn_pipeline           pipeline; /* slots are parts                 */
    struct tn_view_attr_part     parts[TN_VIEW_ATTR_PARTS];
    uint32_t                     graph; /* of the part that is added next     */
    uint64_t                     ordinal;
    struct tn_view_attr_part    *part; /* in use; NULL: none                  */
    uint32_t                     at;   /* in it                               */
    uint64_t       next_list, next_text, next_call, next_byte; /* likewise   */
    struct tn_list of_numbers; /* uint32_t: list of the picture              */
    struct tn_list slots;      /* uint32_t: two texts for each attribute     */
    struct tn_buffer text;
    struct tn_list   of_texts; /* uint32_t: by text, the list that brought it
                                  as its last one, or 0                       */
    struct tn_intern rendered; /* the texts of lists that brought none        */
    struct tn_list   of_rendered;
};

void tn_view_attr_reader_init(struct tn_view_attr_reader *reader,
                              struct tn_picture          *picture);
void tn_view_attr_reader_done(struct tn_view_attr_reader *reader);

/* The list of an op's attributes; ops are asked for graph by graph, and in the
 * order of each.  Attributes that cannot be decoded are shown as such: a
 * picture is for damaged models, too. */
uint32_t tn_view_attr_list(struct tn_view_attr_reader *reader, uint32_t op);

#endif
