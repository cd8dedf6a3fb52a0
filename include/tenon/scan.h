/*
 * scan.h - what in a file could run code, or reach outside of the file
 *
 * Nothing is loaded, imported or run.  Pickles are judged by a list of what is
 * harmless; everything else is reported.
 */
#ifndef TENON_SCAN_H
#define TENON_SCAN_H

#include <tenon/options.h>
#include <tenon/status.h>

enum tn_verdict {
    TN_VERDICT_NOTE,      /* worth knowing; harmless by itself                */
    TN_VERDICT_UNKNOWN,   /* cannot be judged, or cannot be read              */
    TN_VERDICT_DANGEROUS, /* runs code, or reads or writes other files        */
};

/* "note", "unknown", "dangerous". */
TN_API const char *tn_verdict_name(enum tn_verdict verdict);

struct tn_scan_finding {
    enum tn_verdict verdict;
    const char     *rule;   /* a stable name, such as "pickle-call"           */
    const char     *file;   /* the path of the file                           */
    const char     *member; /* inside of it: "archive/data.pkl"; "": itself   */
    uint64_t        offset; /* in the member; TN_NOWHERE: none                */
    const char     *what;
};
/* Return non-zero to stop. */
typedef int tn_on_scan_finding(void                         *context,
                               const struct tn_scan_finding *finding);

/* What was looked at. */
struct tn_scan_totals {
    uint64_t files;
    uint64_t pickles;
    uint64_t findings[3]; /* by verdict                                       */
    uint64_t flagged[3];  /* files by the worst of their findings             */
};

/* Scans a file, or all files of a folder and of those below it; links that lead
 * out of it are not followed.  A file that cannot be read is a finding, too.
 * `totals` may be NULL. */
TN_API enum tn_status tn_scan(const char *path, const struct tn_options *options,
                              tn_on_scan_finding *each, void *context,
                              struct tn_scan_totals *totals,
                              struct tn_error       *error);

#endif
