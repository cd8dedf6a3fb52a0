/* paddle_lod.h - where sequences of a Paddle program begin, as values */
#ifndef TN_MAP_PADDLE_LOD_H
#define TN_MAP_PADDLE_LOD_H

#include "ir/vocab.h"
#include "map/tidy/tf_tidy.h"

/* Operators on sequences get the offsets of their rows as an argument;
 * arguments are in the order of the vocabulary before and after.  Operators
 * that treat all rows as one sequence are added to `notes` (struct
 * tn_tidy_note; may be NULL).  Fails into net->error. */
enum tn_status tn_paddle_lods(struct tn_net *net, struct tn_vocab *vocab,
                              struct tn_list *notes);

#endif
