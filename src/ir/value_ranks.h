/*
 * value_ranks.h - ranks of values: what is given against what is taken
 *
 * A vocabulary says which ranks an argument may have, and which arguments have
 * the same.  The rank of a value is what the file declares, or follows from its
 * producer: nodes may stand in any order, so what is known is carried along the
 * graph before anything is judged.  What cannot be said is not judged.
 *
 * Rules: rank-mismatch, rank-not-allowed.  vocab_check.c drives this.
 */
#ifndef TN_IR_VALUE_RANKS_H
#define TN_IR_VALUE_RANKS_H

#include "ir/vocab_check.h"

struct tn_ranking {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    struct tn_report          *report;
    struct tn_error           *error;
    struct tn_arena            arena;
    uint8_t *told;  /* by value: the file's, as TN_RANK(); 0: not known      */
    uint8_t *bound; /* by op: what its variable stands for                   */
    const struct tn_vocab_op **kinds; /* by op; NULL: nothing is to be said   */
};

void tn_ranking_init(struct tn_ranking *r, const struct tn_model *model,
                     const struct tn_vocab_use *use, struct tn_report *report,
                     struct tn_error *error);
void tn_ranking_done(struct tn_ranking *r);

/* What the node is; and when all are noted, what is wrong. */
void tn_ranking_note(struct tn_ranking *r, const struct tn_vocab_op *kind,
                     uint32_t op);
void tn_ranking_compare(struct tn_ranking *r);

#endif
