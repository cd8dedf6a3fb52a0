/* view_attrs.h - attributes of operators as text, each distinct list once */
#ifndef TN_VIEW_VIEW_ATTRS_H
#define TN_VIEW_VIEW_ATTRS_H

#include "base/buffer.h"
#include "view/picture.h"

struct tn_view_attr_reader {
    struct tn_picture *picture;
    struct tn_arena    arena; /* of the attributes of one op                  */
    struct tn_list     attrs; /* struct tn_attr_named                         */
    struct tn_list     slots; /* uint32_t: two texts for each attribute       */
    struct tn_buffer   text, key;
    struct tn_error    key_error; /* damaged attributes are not fatal       */
    struct tn_intern   wires;    /* attributes as they are in the file        */
    struct tn_list     of_wires; /* uint32_t: list by number                  */
    struct tn_intern   keys;     /* those of which not all bytes count        */
    struct tn_list     of_keys;
    struct tn_list     of_texts; /* uint32_t: by text, the list that brought it
                                    as its last one, or 0                     */
    struct tn_intern rendered;   /* the texts of lists that brought none      */
    struct tn_list   of_rendered;
    uint32_t        *of_alike; /* by op->alike: list + 1                    */
};

void tn_view_attr_reader_init(struct tn_view_attr_reader *reader,
                              struct tn_picture          *picture);
void tn_view_attr_reader_done(struct tn_view_attr_reader *reader);

/* The list of an op's attributes.  Attributes that cannot be decoded are shown
 * as such: a picture is for damaged models, too. */
uint32_t tn_view_attr_list(struct tn_view_attr_reader *reader, uint32_t op);

#endif
