/* report.c - collecting findings: every problem, not only the first */
#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>

bool tn_report_is_short_of_memory(const struct tn_report *report,
                                  const struct tn_error  *error)
{
    return error->status == TN_LIMIT && report->memory &&
           report->memory->has_refused;
}

void tn_report_add(struct tn_report *report, enum tn_finding_level level,
                   const char *rule, const struct tn_error *finding)
{
    if (report->is_stopped)
        return;
    if (tn_report_is_short_of_memory(report, finding) ||
        tn_call_ended(finding)) {
        report->failure    = *finding;
        report->is_stopped = true;
        return;
    }
    report->counts[level]++;
    if (report->each && report->each(report->context, level, rule, finding))
        report->is_stopped = true;
    uint64_t total = report->counts[0] + report->counts[1] + report->counts[2];
    if (report->limit && total >= report->limit)
        report->is_stopped = true;
}

void tn_report_format(struct tn_report *report, enum tn_finding_level level,
                      const char *rule, const char *file, uint64_t offset,
                      const char *where, const char *format, ...)
{
    struct tn_error finding = TN_ERROR_INIT;
    char            what[sizeof finding.what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_error_set(&finding, TN_MALFORMED, offset, "%s", what);
    tn_error_where(&finding, "%s", where);
    tn_error_file(&finding, file);
    tn_report_add(report, level, rule, &finding);
}

void tn_report_flaw(struct tn_report *report, const struct tn_flaw *flaw,
                    const char *file, struct tn_error *error,
                    const char *format, ...)
{
    struct tn_error finding = TN_ERROR_INIT;
    char            what[sizeof finding.what];

    if (!report && flaw->level != TN_LEVEL_ERROR)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    struct tn_error *to = report ? &finding : error;
    tn_error_set(to, flaw->status, flaw->offset, "%s", what);
    if (flaw->where.size)
        tn_error_where(to, "%.*s", TN_FMT(flaw->where));
    tn_error_file(to, file);
    if (report)
        tn_report_add(report, flaw->level, flaw->rule, to);
}
