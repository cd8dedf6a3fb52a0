/*
 * lang_operator.h - operators between two items of the rule language
 */
#ifndef TN_MAP_LANG_OPERATOR_H
#define TN_MAP_LANG_OPERATOR_H

#include "map/lang/lang_code.h"

/* What a comparison or arithmetic makes of two items that are known; `code` is
 * the operator, and is blamed. */
struct tn_item tn_operate(struct tn_eval *e, const struct tn_code *code,
                          struct tn_item a, struct tn_item b);

#endif
