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
    uint8_t *merges; /* by op: enum tn_merging; NULL: none merges             */
};

/* An op that gives one of its inputs. */
enum tn_merging {
    TN_MERGES_NOTHING,
    TN_MERGES_BRANCHES,
    TN_MERGES_ROUNDS, /* of a loop, which have one rank: so it is assumed     */
    TN_MERGES_ANY,    /* of a loop, which changes it                          */
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

/* Of an op with TN_MERGES_ROUNDS whether what comes round has the rank that was
 * assumed. */
bool tn_ranking_comes_round(const struct tn_ranking *r, uint32_t op);

/* What comes from behind, through an op that closes loops. */
bool tn_ranking_closes_loop(const struct tn_ranking *r, uint32_t value);

/* `outer` goes into a graph that the node runs, as `value` of that rank. */
void tn_ranking_enter(struct tn_ranking *r, uint32_t op, uint32_t outer,
                      uint32_t value, uint8_t rank);

/* The same in the first round of a loop, which does not determine the next. */
void tn_ranking_begin(struct tn_ranking *r, uint32_t value, uint8_t rank);

/* Two values that the node gives as one. */
void tn_ranking_expect_same(struct tn_ranking *r, uint32_t op, uint32_t first,
                            uint8_t first_rank, uint32_t second,
                            uint8_t second_rank);

#endif
