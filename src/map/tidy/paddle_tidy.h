/*
 * paddle_tidy.h - a Paddle program whose arguments stand in order
 *
 * An operator of Paddle names its arguments by slots, in any order and as many
 * in a slot as it likes.  After tidying, the arguments of a node are those of
 * its operator in rules/paddle.ops, in that order:
 *
 *   X, B?      the slot's only argument; TN_NONE when it is empty
 *   Xs N*      all of the slot, and the attribute N says how many
 *   Xs*        all of the slot; always the last
 *
 * Outputs likewise, but those that nobody uses are TN_NONE.  Slots that the
 * vocabulary does not have must be empty or unused.  Operators that it does
 * not have are left as they are.
 *
 * What a program before Paddle 2.5 declares as a vector of one element is that,
 * where others would give a number; where sequences begin is a value
 * (paddle_lod.h).
 *
 * Ends of the program have become ends of the net before: what `feed` and
 * `fetch` do is done.
 */
#ifndef TN_MAP_PADDLE_TIDY_H
#define TN_MAP_PADDLE_TIDY_H

#include "map/tidy/tf_tidy.h"

/* To `notes` (struct tn_tidy_note; NULL: nobody wants them) go operators that
 * mean less afterwards.  Fails into net->error. */
enum tn_status tn_paddle_tidy(struct tn_net *net, struct tn_list *notes);

#endif
