/* verb_table.h - the verbs, in the order in which --help lists them */
#ifndef CLI_VERB_TABLE_H
#define CLI_VERB_TABLE_H

#include "option_table.h"

extern const struct cli_verb cli_info, cli_ls, cli_get, cli_check, cli_hash,
    cli_scan, cli_catalog, cli_diff, cli_apply,
    cli_dump, cli_undump, cli_convert, cli_split, cli_merge, cli_tag, cli_strip,
    cli_edit, cli_simplify, cli_rules, cli_formats, cli_completion, cli_view;

extern const struct cli_verb *const cli_verbs[]; /* ends with NULL */

#endif
