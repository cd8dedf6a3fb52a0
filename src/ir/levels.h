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

/* Checks the levels of a tensor with this many rows.  MALFORMED with the byte
 * offset if a level does not begin at 0, decreases, or does not end at the
 * number of items that it divides. */
enum tn_status tn_levels_check(const struct tn_levels *levels, uint64_t rows,
                               struct tn_error *error);

#endif
