/*
 * lang_ends.h - whether rules that simplify come to an end
 *
 * Such rules are applied to what they have made, again and again.  Two numbers
 * of a graph bound that: its nodes, and the paths that lead from each node back
 * to where values come from.  A rule is good when it
 *
 *   makes fewer nodes than it surely takes away: its own, and those behind
 *   `once` that have no name; or
 *
 *   makes one node for its own, of values that the pattern takes, each no more
 *   often than the pattern does, and leaves out a node in between, or a value
 *   of which the guard says `not is_const(value)`: then the nodes are not more,
 *   and the paths are fewer.
 */
#ifndef TN_MAP_LANG_ENDS_H
#define TN_MAP_LANG_ENDS_H

#include "map/lang/lang.h"

/* Nodes that a rule makes at most, saturated, and takes away at least. */
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
