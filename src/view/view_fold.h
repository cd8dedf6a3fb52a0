/*
 * view_fold.h - repeated parts of a list
 *
 * Finds where a list is a part repeated two or more times, such as the layers
 * of a model without names.  Parts are equal if their members look alike and
 * take their inputs from the same members.
 */
#ifndef TN_VIEW_VIEW_FOLD_H
#define TN_VIEW_VIEW_FOLD_H

#include "base/memory.h"

struct tn_view_run {
    uint32_t start, period, count;
};

/* Members are numbered from 0. */
struct tn_view_sequence {
    const uint64_t *looks;
    const uint32_t *sizes; /* nodes in each; 0 counts as 1                    */
    const uint8_t  *bars;  /* 1: never part of a repetition                   */
    const uint8_t *starts; /* 1: a part may well begin here; NULL: not known  */
    const uint32_t *first_preds; /* by member, and one more: in `preds`       */
    const uint32_t *preds;       /* members that it takes values from         */
};

struct tn_view_folder {
    struct tn_memory *memory;
    struct tn_error  *error;
    struct tn_list    grams; /* uint64_t                                      */
    struct tn_list    table; /* uint32_t                                      */
    struct tn_list    live;  /* int32_t                                       */
    struct tn_list    taken; /* uint8_t                                       */
    struct tn_list    candidates;
};

void tn_view_folder_init(struct tn_view_folder *folder,
                         struct tn_memory *memory, struct tn_error *error);
void tn_view_folder_done(struct tn_view_folder *folder);

/* Appends what repeats in [low, high) to `runs` (struct tn_view_run), in order,
 * without overlaps.  Periods are at most half of it. */
void tn_view_fold(struct tn_view_folder         *folder,
                  const struct tn_view_sequence *sequence, uint32_t low,
                  uint32_t high, struct tn_list *runs);

#endif
