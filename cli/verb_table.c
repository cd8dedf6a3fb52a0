/* verb_table.c - the verbs, in the order in which --help lists them */
#include "verb_table.h"

#include <stddef.h>

const struct cli_verb *const cli_verbs[] = {
    &cli_info,       &cli_ls,     &cli_view,     &cli_get,   &cli_check,
    &cli_hash,       &cli_scan,   &cli_catalog, &cli_diff,     &cli_apply,
    &cli_dump,       &cli_undump, &cli_convert,  &cli_split, &cli_merge,
    &cli_tag,        &cli_strip,  &cli_edit,     &cli_simplify, &cli_rules,
    &cli_formats,    &cli_completion, NULL,
};
