/* coverage.h - tenon rules coverage: which ops of a model have rules */
#ifndef CLI_COVERAGE_H
#define CLI_COVERAGE_H

#include "session.h"

struct cli_coverage {
    const char        *path;
    const char        *to; /* a format; NULL: the usual target of the dialect */
    const char *const *rules; /* files of rules, tried before ours            */
    uint32_t           rule_count;
};

int cli_coverage(struct cli_session *session, const struct cli_coverage *what);

#endif
