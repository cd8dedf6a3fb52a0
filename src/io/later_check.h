/*
 * later_check.h - runs the later part of a check at the same time as the
 * earlier
 *
 *   tn_later_check_begin(&later, report, memory, check_types, &types);
 *   check_names(report);                         on the caller's thread
 *   tn_later_check_end(&later, report, error);
 *
 * Findings are reported in the same order as if one part ran after the other:
 * those of the later part are kept until the earlier one has ended.  Only a few
 * are kept: a part that finds more, or that fails, is run again at the end.  So
 * it must not change anything that the earlier part reads, nor depend on how
 * often it runs.
 */
#ifndef TN_IO_LATER_CHECK_H
#define TN_IO_LATER_CHECK_H

#include "base/report.h"
#include "io/pipeline.h"

/* Findings go into the report; failures of our own go into the error. */
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

/* Waits until the part has begun, if there is a thread for it: use it if the
 * part takes longer than what is done at the same time. */
void tn_later_check_first(struct tn_later_check *later);

/* Reports nothing if the report was stopped or the error set meanwhile. */
void tn_later_check_end(struct tn_later_check *later, struct tn_report *report,
                        struct tn_error *error);

#endif
