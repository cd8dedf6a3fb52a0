/*
 * rule_call.h - what the functions of rules have in common
 *
 * Reading attributes with their defaults, inputs by their formal names and
 * constants by their values; emitting arguments.
 */
#ifndef TN_MAP_RULE_CALL_H
#define TN_MAP_RULE_CALL_H

#include "map/dl4j/map_tensor.h"
#include "map/dl4j/rule_table.h"

/* Adds an argument named and typed, at the position that nd4j declares for `k`.
 */

/* Fails with the place of the rule. */
TN_COLD enum tn_status tn_call_fail(struct tn_rule_call *call,
                                    enum tn_status status, const char *format,
                                    ...) TN_PRINTF(3, 4);

#endif
