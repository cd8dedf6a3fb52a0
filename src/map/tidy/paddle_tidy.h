/*
 * paddle_tidy.h - a Paddle program whose arguments stand in order
 *
 * An operator of Paddle names its arguments by slots, in any order and with any
 * number in a slot.  After tidying, the arguments of a node are those of its
 * operator in rules/paddle.ops, in that order:
 *
 *   X, B?      the slot's only argument; TN_NONE if it is empty
 *   Xs N*      all of the slot; the attribute N says how many
 *   Xs*        all of the slot; always the last
 *
 * The same holds for outputs; those that are not used are TN_NONE.  Slots that
 * the vocabulary does not have must be empty or unused.  Operators that it does
 * not have stay as they are.
 *
 * What a program before Paddle 2.5 declares as a vector of one element stays
 * one, where later programs have a scalar; where sequences begin is a value
 * (paddle_lod.h).
 *
 * Inputs and outputs of the program were made those of the net before, so
 * `feed` and `fetch` are done.
 */
#ifndef TN_MAP_PADDLE_TIDY_H
#define TN_MAP_PADDLE_TIDY_H

#include "map/tidy/tf_tidy.h"

/* `notes` (struct tn_tidy_note; NULL: not wanted) gets operators that mean less
 * afterwards.  Fails into net->error. */
enum tn_status tn_paddle_tidy(struct tn_net *net, struct tn_list *notes);

#endif
