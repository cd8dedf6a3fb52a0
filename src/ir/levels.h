/*
 * levels.h - sequences of unequal lengths in one tensor: PaddlePaddle's LoD
 *
 *   level 0: 0 2 3        two sequences of sequences: of two, and of one
 *   level 1: 0 4 5 9      three sequences: of four rows, one and four
 */
#ifndef TN_IR_LEVELS_H
#define TN_IR_LEVELS_H

#include "base/cursor.h"
#include "ir/model_tables.h"

/* The offsets of one level; the cursor stands before it, and then behind it. */
struct tn_span tn_levels_next(struct tn_cursor *c);

/* What is wrong with them for so many rows: a level that does not begin at 0,
 * that goes back, or whose end is not the number of what it divides.  MALFORMED
 * with the byte; TN_OK: nothing. */
enum tn_status tn_levels_check(const struct tn_levels *levels, uint64_t rows,
                               struct tn_error *error);

#endif
