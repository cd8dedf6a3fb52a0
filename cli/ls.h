/* ls.h - what the two halves of tenon ls share: tensors and operators */
#ifndef CLI_LS_H
#define CLI_LS_H

#include <stdio.h>

#include <tenon/tenon.h>

#include "option_table.h"

enum ls_order { LS_AS_IT_IS, LS_BY_NAME, LS_BY_SIZE };
enum ls_layout { LS_AUTO, LS_TABLE, LS_TSV };

struct ls_opts {
    struct cli_common common;
    bool              wants_ops;
    bool              is_long, is_reverse, wants_names, is_null;
    unsigned          order;
    unsigned          layout;
    unsigned          role; /* enum ls_role                                  */
};

/* In the order of the words of --role. */
enum ls_role { LS_ANY_ROLE, LS_WEIGHTS, LS_CONSTANTS, LS_STATE };
#define LS_ROLES "weights|constants|state"

/* Print the operators that match; returns an exit code. */
int cli_ls_ops(const struct ls_opts *opts, const struct tn_model *model,
               const struct cli_args *args);

/* As with grep: asked for something and found nothing is a no. */
int cli_ls_verdict(const struct ls_opts *opts, uint64_t count,
                   const struct cli_args *args);

/* Is it for people? */
bool cli_ls_is_table(const struct ls_opts *opts);

#endif
