/*
 * later_check.h - the later part of a check, beside the earlier one
 *
 *   tn_later_check_begin(&later, report, memory, check_types, &types);
 *   check_names(report);                         on the caller's thread
 *   tn_later_check_end(&later, report, error);
 *
 * Findings come in the order that they would come in if one part ran after the
 * other: those of the later part are kept until it is its turn.  Only a few
 * are: a part that finds more, or that fails, is run once more in its turn.
 * So it must change nothing that the earlier part reads, nor depend on how
 * often it runs.
 */
#ifndef TN_IO_LATER_CHECK_H
#define TN_IO_LATER_CHECK_H

#include "base/report.h"
#include "io/pipeline.h"

/* What it finds goes into the report, what is wrong with us into the error. */
typedef void tn_check_part(void *context, struct tn_report *report,
                           struct tn_error *error);

struct tn_later_check {
    struct tn_pipeline pipeline;
    tn_check_part     *part;
    void              *context;
    struct tn_report   report; /* its own                                     */
    struct tn_error    error;
    struct tn_list     kept; /* what it found                                 */
};

void tn_later_check_begin(struct tn_later_check  *later,
                          const struct tn_report *report,
                          struct tn_memory *memory, tn_check_part *part,
                          void *context);

/* Waits until the part has begun, where a thread is there for it: for one that
 * takes longer than what is done beside it. */
void tn_later_check_first(struct tn_later_check *later);

/* Reports nothing if the report was stopped or the error set meanwhile. */
void tn_later_check_end(struct tn_later_check *later, struct tn_report *report,
                        struct tn_error *error);

#endif
