/*
 * paddle_tidy.h - puts the arguments of a Paddle program in order
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
 * A vector of one element in a program before Paddle 2.5 stays a vector,
 * although later programs have a scalar there.  The places where sequences
 * begin become values (paddle_lod.c).
 *
 * Loading has made `feed` and `fetch` the inputs and outputs of the net.
 */
#ifndef TN_MAP_PADDLE_TIDY_H
#define TN_MAP_PADDLE_TIDY_H

#include "ir/vocab.h"
#include "map/net/net.h"
#include "map/tidy/tf_tidy.h"

/* `notes` (struct tn_tidy_note; may be NULL) gets operators that lose a part of
 * their meaning.  Fails into net->error. */
enum tn_status tn_paddle_tidy(struct tn_net *net, struct tn_list *notes);

/* ---- paddle_lod.c: where sequences begin, as values -----------------------
 */

/* Operators on sequences get the offsets of their rows as an argument;
 * arguments are in the order of the vocabulary before and after.  Operators
 * that treat all rows as one sequence are added to `notes` (struct
 * tn_tidy_note; may be NULL).  Fails into net->error. */
enum tn_status tn_paddle_lods(struct tn_net *net, struct tn_vocab *vocab,
                              struct tn_list *notes);

/* ---- paddle_crf.c: the best path through tags, as two loops ---------------
 */

/* Every crf_decoding becomes Loops of operators that have rules; arguments must
 * be in the order of the vocabulary.  Fails into net->error. */
enum tn_status tn_paddle_crf(struct tn_net *net);

/* ---- paddle_quant.c: quantised layers in the order that ONNX has them -----
 */

/* A layer of constant weights between fake_quantize_... and
 * fake_dequantize_... takes what was quantised as reals, and weights of int8 as
 * reals; arguments must be in the order of the vocabulary.  Fails into
 * net->error. */
enum tn_status tn_paddle_quant(struct tn_net *net);

/* ---- paddle_ranks.c: ranks that a program declares ------------------------
 */

/* Of values whose rank does not follow from operators; types must have been
 * inferred.  How many there were: others may follow from them. */
uint64_t tn_paddle_ranks(struct tn_net *net);

#endif
