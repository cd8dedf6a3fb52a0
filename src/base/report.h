/*
 * report.h - collecting findings: every problem, not only the first
 *
 * A check looks at one piece of a model at a time, each with an error of its
 * own; a failed piece becomes a finding, and the check goes on with the next.
 */
#ifndef TN_BASE_REPORT_H
#define TN_BASE_REPORT_H

#include "base/error.h"
#include "base/memory.h"

enum tn_finding_level { TN_LEVEL_NOTE, TN_LEVEL_WARNING, TN_LEVEL_ERROR };

struct tn_report {
    /* Non-zero stops the check. */
    int (*each)(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding);
    void    *context;
    uint64_t counts[3];  /* by level                                          */
    uint64_t limit;      /* stop after so many; 0: none                       */
    bool     is_stopped; /* checks poll this                                  */
    uint64_t bytes_verified; /* of payload, by checksum                       */
    bool     skip_data; /* structure only                                    */
    unsigned workers;   /* threads for checksums; 0: one per core            */
    const struct tn_memory *memory; /* of the check; NULL: it has no limit    */
    struct tn_error failure; /* set if memory ran out.  This ends the check and
                                is not a finding, because it is not about the
                                file                                          */
};

/* Exceeding a limit of depth or count is a finding about the file; needing more
 * memory than the caller allows is not. */
bool tn_report_is_short_of_memory(const struct tn_report *report,
                                  const struct tn_error  *error);

/* `rule` is a stable name such as "dangling-input". */
void tn_report_add(struct tn_report *report, enum tn_finding_level level,
                   const char *rule, const struct tn_error *finding);

/* The same with the parts of its location; file "" is the main one. */
void tn_report_format(struct tn_report *report, enum tn_finding_level level,
                      const char *rule, const char *file, uint64_t offset,
                      const char *where, const char *format, ...)
    TN_PRINTF(7, 8);

/* What is wrong at a place of a file. */
struct tn_flaw {
    enum tn_status        status;
    enum tn_finding_level level;
    const char           *rule;
    uint64_t              offset;
    struct tn_bytes       where; /* a path in the model; may be empty         */
};

#define TN_FLAW(status, level, rule, offset, where)                            \
    (&(struct tn_flaw){ status, level, rule, offset, where })

/* A finding; without a report (NULL), a flaw that is an error goes to `error`,
 * and others are left out. */
void tn_report_flaw(struct tn_report *report, const struct tn_flaw *flaw,
                    const char *file, struct tn_error *error,
                    const char *format, ...) TN_PRINTF(5, 6);

#endif
