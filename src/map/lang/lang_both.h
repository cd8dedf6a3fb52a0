/* lang_both.h - HEAD <=> call: one line, two rules */
#ifndef TN_MAP_LANG_BOTH_H
#define TN_MAP_LANG_BOTH_H

#include "map/lang/lang_parser.h"

/* Reads the call as the body of `rule`, whose head was read before; `back`
 * becomes the reverse rule, from the call to the head.  A head that is only for
 * old versions has no reverse rule: back->head.op is then empty. */
bool tn_lang_both(struct tn_lang_parser *p, struct tn_lang_rule *rule,
                  const struct tn_lang_expr *call, struct tn_lang_rule *back);

/* The body of a rule of one line: its outputs are those of the value. */
bool tn_lang_one_step(struct tn_lang_parser *p, struct tn_lang_rule *rule,
                      const struct tn_lang_expr *value);

#endif
