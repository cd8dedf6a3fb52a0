/* lang_checking.h - what the files that check rules share */
#ifndef TN_MAP_LANG_CHECKING_H
#define TN_MAP_LANG_CHECKING_H

#include "map/lang/lang_check.h"

struct tn_lang_checks {
    const struct tn_lang_file *file;
    const struct tn_lang_side *source, *target; /* of the rule at hand        */
    tn_on_lang_finding        *on;
    void                      *context;
    struct tn_error           *error;
    struct tn_memory          *memory;
};

TN_COLD void tn_lang_found(struct tn_lang_checks     *x,
                           const struct tn_map_place *place, const char *format,
                           ...) TN_PRINTF(3, 4);

/* ---- vocabularies; lang_check_ops.c ------------------------------------- */

/* `is_complete`: every attribute of the op must be named. */
void tn_lang_check_head(struct tn_lang_checks     *x,
                        const struct tn_lang_head *head, bool is_complete);

/* A call that makes a node; `output_count` of its outputs are bound. */
void tn_lang_check_op(struct tn_lang_checks *x, const struct tn_lang_expr *call,
                      uint32_t output_count);

/* ---- names; lang_check_names.c ------------------------------------------ */

void tn_lang_check_rule(struct tn_lang_checks     *x,
                        const struct tn_lang_rule *rule);
void tn_lang_check_def(struct tn_lang_checks *x, const struct tn_lang_def *def);
void tn_lang_check_macro(struct tn_lang_checks      *x,
                         const struct tn_lang_macro *macro);

#endif
