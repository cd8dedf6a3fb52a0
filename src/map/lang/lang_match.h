/*
 * lang_match.h - whether a rule takes a node
 *
 * What rules of both kinds have in common: the inputs and attributes of a node
 * go into the slots of the rule's frame, literals and the guard are looked at.
 */
#ifndef TN_MAP_LANG_MATCH_H
#define TN_MAP_LANG_MATCH_H

#include "map/lang/lang_code.h"

/* Fills e->frame for e->node and says whether the rule takes it; if not,
 * e->refusal has the reason, or e->error.  Steps and refusal begin anew.
 *
 * A rule with a pattern takes a node for the nodes that make its inputs, too:
 * each of them is looked up by the value that it makes, so the cost is that of
 * the pattern, not of the graph.  e->inner are those that nothing else uses. */
bool tn_rule_enter(struct tn_eval *e, const struct tn_code_rule *rule);

#endif
