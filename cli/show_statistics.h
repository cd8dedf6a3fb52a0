/* show_statistics.h - statistics of tensors as text: cells, columns, JSON */
#ifndef CLI_SHOW_STATISTICS_H
#define CLI_SHOW_STATISTICS_H

#include <tenon/tenon.h>

#include "json.h"
#include "session.h"
#include "text.h"

/* One for each tensor of a list. */
struct cli_statistics {
    struct tn_statistics **items; /* only as many bins as each has            */
    uint64_t               count;
    bool                   has_odd; /* one has NaNs or infinities             */
};

/* Computes them, or prints why that cannot be done.  Returns an exit code. */
int  cli_statistics_begin(struct cli_statistics         *statistics,
                          struct cli_session            *session,
                          const struct tn_model         *model,
                          const struct tn_tensor *const *tensors,
                          uint64_t                       count);
void cli_statistics_done(struct cli_statistics *statistics);

/* A number of a tensor in as many digits as a table has room for. */
void cli_show_rounded(struct cli_text *text, double value);

/* The histogram as a line of at most `columns` bars. */
void cli_show_histogram(struct cli_text            *text,
                        const struct tn_statistics *statistics,
                        unsigned                    columns);

/* For programs: "\tmin\tmax\tmean\tdeviation\tzeros\tnans\tinfinities\tlow\t
 * width\tbins". */
void cli_show_statistics_tsv(struct cli_text            *line,
                             const struct tn_tensor     *tensor,
                             const struct tn_statistics *statistics);

/* "statistics": {...} */
void cli_json_statistics(struct cli_json *json, const struct tn_tensor *tensor,
                         const struct tn_statistics *statistics);

#endif
