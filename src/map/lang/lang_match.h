/*
 * lang_match.h - whether a rule applies to a node
 *
 * For both kinds of rules: puts the inputs and attributes of a node into the
 * slots of the rule's frame, and checks literals and the guard.
 */
#ifndef TN_MAP_LANG_MATCH_H
#define TN_MAP_LANG_MATCH_H

#include "map/lang/lang_code.h"

/* Fills e->frame for e->node.  Whether the rule applies; if not, the reason is
 * in e->refusal, or e->error is set.  Resets steps and refusal.
 *
 * A rule with a pattern takes a node for the nodes that make its inputs, too:
 * each of them is looked up by the value that it makes, so the cost is that of
 * the pattern, not of the graph.  e->inner are those that nothing else uses. */
bool tn_rule_enter(struct tn_eval *e, const struct tn_code_rule *rule);

/* Of a rule that was entered: calls `each` with the values that it has of nodes
 * of its pattern, and whether that node is one of e->inner. */
typedef void tn_on_reached(void *context, uint32_t value, bool is_used_up);
void tn_rule_reach(const struct tn_eval *e, const struct tn_code_rule *rule,
                   tn_on_reached *each, void *context);

#endif
