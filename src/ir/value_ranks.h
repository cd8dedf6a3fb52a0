/*
 * value_ranks.h - ranks of values: what is given against what is taken
 *
 * A vocabulary says which ranks an argument may have, and which arguments have
 * the same.  The rank of a value is what the file declares, or follows from its
 * producer, which is judged before its consumers.  What cannot be said is not
 * judged.
 *
 * Rules: rank-mismatch, rank-not-allowed.  value_flow.c drives this.
 */
#ifndef TN_IR_VALUE_RANKS_H
#define TN_IR_VALUE_RANKS_H

#include "ir/value_findings.h"

struct tn_ranking {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    struct tn_value_findings   findings;
    struct tn_error           *error;
    struct tn_arena            arena;
    uint8_t *told;  /* by value: the file's, as TN_RANK(); 0: not known      */
    uint8_t *given; /* the same, and of what goes into graphs that nodes run */
    uint8_t *bound; /* by op: what its variable stands for                   */
    const struct tn_vocab_op **kinds; /* by op; NULL: nothing is to be said   */
    const struct tn_results *const *results; /* by op; NULL: none run graphs  */
};

void tn_ranking_init(struct tn_ranking *r, const struct tn_model *model,
                     const struct tn_vocab_use *use, struct tn_report *report,
                     struct tn_error *error);
void tn_ranking_done(struct tn_ranking *r);

/* What the node is. */
void tn_ranking_note(struct tn_ranking *r, const struct tn_vocab_op *kind,
                     uint32_t op);

/* What is known of a value; 0: nothing. */
uint8_t tn_ranking_rank(const struct tn_ranking *r, uint32_t value);

/* One node, whose inputs are known by then: judged at once. */
void tn_ranking_judge(struct tn_ranking *r, uint32_t op,
                      const struct tn_results *results);

/* `outer` goes into a graph that the node runs, as `value` of that rank. */
void tn_ranking_enter(struct tn_ranking *r, uint32_t op, uint32_t outer,
                      uint32_t value, uint8_t rank);

#endif
