/*
 * lang_explain.h - what a rule reads, ignores and makes
 *
 * A rule is its own best explanation; this lists the parts that users look for.
 */
#ifndef TN_MAP_LANG_EXPLAIN_H
#define TN_MAP_LANG_EXPLAIN_H

#include <tenon/interpret.h>

#include "map/lang/lang.h"

/* READS: inputs and attributes.  DROPS: attributes that are ignored.  GIVES: an
 * op that is made, with the attributes it is given. */
enum tn_status tn_lang_explain(const struct tn_lang_file *file,
                               const struct tn_lang_rule *rule,
                               struct tn_memory *memory, tn_on_explain *on,
                               void *context, struct tn_error *error);

/* Calls `on` for every op that the rule makes, macros unfolded, in order. */
typedef void tn_on_lang_op(void *context, const struct tn_lang_expr *call);
void         tn_lang_each_op(const struct tn_lang_file *file,
                             const struct tn_lang_rule *rule, tn_on_lang_op *on,
                             void *context);

#endif
