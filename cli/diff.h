/* diff.h - what tenon diff prints, for tenon tag diff as well */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <tenon/tenon.h>

#include "option_table.h"

struct cli_diff_look {
    bool        is_json, is_stat, is_all, tensors_only;
    const char *names[2]; /* what the two are called                          */
};

/* Prints the report.  Returns 0, or CLI_NO if something differs. */
int cli_print_diff(const struct cli_diff_look *look, const struct tn_diff *diff,
                   const struct tn_model *left, const struct tn_model *right);

#endif
