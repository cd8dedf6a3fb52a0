/*
 * value_ranks.h - checks the ranks of values
 *
 * A vocabulary says which ranks an argument may have, and which arguments have
 * the same.  The rank of a value is declared by the file, or follows from its
 * producer, which is checked before its consumers.  What is unknown is not
 * checked.
 *
 * Rules: rank-mismatch, rank-not-allowed.  value_flow.c drives this.
 */
#ifndef TN_IR_VALUE_RANKS_H
#define TN_IR_VALUE_RANKS_H

#include "ir/value_findings.h"

struct tn_typed_kind;

struct tn_ranking {
    const struct tn_model     *model;
    const struct tn_vocab_use *use;
    struct tn_value_findings   findings;
    struct tn_error           *error;
    struct tn_arena            arena;
    uint8_t *told;  /* by value: the file's, as TN_RANK(); 0: not known      */
    uint8_t *given; /* the same, also for inputs of graphs that nodes run     */
    uint8_t *bound; /* by op: what its variable stands for                   */
    const struct tn_typed_kind *const *kinds; /* by op; NULL: not known       */
    const struct tn_results *const *results; /* by op; NULL: none run graphs  */
    uint8_t *merges; /* by op: enum tn_merging; NULL: none merges             */
};

/* An op whose output is one of its inputs. */
enum tn_merging {
    TN_MERGES_NOTHING,
    TN_MERGES_BRANCHES,
    TN_MERGES_ROUNDS, /* rounds of a loop, assumed to have the same rank      */
    TN_MERGES_ANY,    /* rounds of a loop that changes the rank               */
};

void tn_ranking_init(struct tn_ranking *r, const struct tn_model *model,
                     const struct tn_vocab_use *use, struct tn_report *report,
                     struct tn_error *error);
void tn_ranking_done(struct tn_ranking *r);

/* What is known of a value; 0: nothing. */
uint8_t tn_ranking_rank(const struct tn_ranking *r, uint32_t value);

/* Checks one node, whose inputs were checked before. */
void tn_ranking_judge(struct tn_ranking *r, uint32_t op,
                      const struct tn_results *results);

/* For an op with TN_MERGES_ROUNDS: whether the value of the next round has the
 * assumed rank. */
bool tn_ranking_comes_round(const struct tn_ranking *r, uint32_t op);

/* Whether a value comes from later in the graph, through an op that closes a
 * loop. */
bool tn_ranking_closes_loop(const struct tn_ranking *r, uint32_t value);

/* `outer` is passed into a graph that the node runs, as `value` with that
 * rank. */
void tn_ranking_enter(struct tn_ranking *r, uint32_t op, uint32_t outer,
                      uint32_t value, uint8_t rank);

/* The same in the first round of a loop, which does not determine the next. */
void tn_ranking_begin(struct tn_ranking *r, uint32_t value, uint8_t rank);

/* Two values become the same output of the node. */
void tn_ranking_expect_same(struct tn_ranking *r, uint32_t op, uint32_t first,
                            uint8_t first_rank, uint32_t second,
                            uint8_t second_rank);

#endif
