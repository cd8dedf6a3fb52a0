/* size_claims.h - what a vocabulary claims of sizes, and the words for it */
#ifndef TN_IR_SIZE_CLAIMS_H
#define TN_IR_SIZE_CLAIMS_H

#include "ir/sized_node.h"

/* Says what is wrong; what is not known is not. */
void tn_size_claim_judge(struct tn_sized_node        *j,
                         const struct tn_vocab_claim *claim);

/* Whether a condition holds; what is not known does not. */
bool tn_size_claim_is_true(struct tn_sized_node        *j,
                           const struct tn_vocab_claim *claim);

/* The first that is wrong with a node: more would be echoes. */
void tn_size_complain(struct tn_sized_node *j, const char *rule,
                      const char *format, ...) TN_PRINTF(3, 4);

#endif
