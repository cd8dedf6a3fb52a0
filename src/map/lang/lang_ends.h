/*
 * lang_ends.h - whether applying rules that simplify ends
 *
 * Such rules are applied again and again, also to their own results.  Two
 * numbers of a graph bound that: its nodes, and the paths that lead from each
 * node back to the inputs and constants.  A rule is accepted if it
 *
 *   makes fewer nodes than it certainly removes: its own, and those after
 *   `once` that have no name; or
 *
 *   makes one node instead of its own, from values that the pattern takes, each
 *   no more often than the pattern does, and leaves out a node in between, or a
 *   value of which the guard says `not is_const(value)`: then there are not
 *   more nodes, and fewer paths.
 */
#ifndef TN_MAP_LANG_ENDS_H
#define TN_MAP_LANG_ENDS_H

#include "map/lang/lang.h"

/* The most nodes that a rule makes, saturated, and the fewest that it removes.
 */
uint32_t tn_lang_makes(const struct tn_lang_file *file,
                       const struct tn_lang_rule *rule);
uint32_t tn_lang_takes(const struct tn_lang_head *head);

/* By the second of the two conditions. */
bool tn_lang_shortens(const struct tn_lang_rule *rule);

static inline bool tn_lang_ends(const struct tn_lang_file *file,
                                const struct tn_lang_rule *rule)
{
    return !rule->native.size &&
           (tn_lang_makes(file, rule) < tn_lang_takes(&rule->head) ||
            tn_lang_shortens(rule));
}

#endif
