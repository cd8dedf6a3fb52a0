/*
 * size_list.h - numbers and lists of numbers, some of them unknown
 *
 * What is computed from something unknown is unknown.  Each function leaves its
 * result in its first argument.
 */
#ifndef TN_IR_SIZE_LIST_H
#define TN_IR_SIZE_LIST_H

#include "ir/vocab.h"

/* Neither known nor asked for. */
#define TN_SIZE_UNKNOWN INT64_MIN

/* Items of a list; of longer ones nothing is known. */
#define TN_SIZE_LIST_LIMIT 64

/* A number, or several; not is_known: nothing is, but whether it is one number.
 */
struct tn_size_list {
    bool     is_known, is_list;
    uint32_t count;
    int64_t  items[TN_SIZE_LIST_LIMIT];
};

void tn_size_set(struct tn_size_list *to, int64_t number);
void tn_size_set_all(struct tn_size_list *to, const int64_t *items,
                     uint32_t count);

void tn_size_copy(struct tn_size_list *to, const struct tn_size_list *from);

/* A list of unknown length. */
void tn_size_forget(struct tn_size_list *to);

/* TN_TERM_ADD to TN_TERM_REMAINDER, item by item; a single number is combined
 * with each item of a list. */
void tn_size_compute(enum tn_vocab_term_kind kind, struct tn_size_list *a,
                     const struct tn_size_list *b);

/* All items as one number. */
void tn_size_fold(struct tn_size_list *a, enum tn_vocab_term_kind kind,
                  int64_t start);
void tn_size_least(struct tn_size_list *a);

/* Negative indices count from the end. */
void tn_size_pick(struct tn_size_list *a, const struct tn_size_list *places);
uint32_t tn_size_bound(const struct tn_size_list *list,
                       const struct tn_size_list *bound);
void     tn_size_reverse(struct tn_size_list *a);
void     tn_size_join(struct tn_size_list *a, const struct tn_size_list *b);

/* The shape that two shapes are broadcast to; unknown where they contradict
 * each other. */
void tn_size_broadcast(struct tn_size_list *a, const struct tn_size_list *b);

/* TN_TERM_INSERT, _REMOVE and _REPLACE. */
void tn_size_move(enum tn_vocab_term_kind kind, struct tn_size_list *a,
                  const struct tn_size_list *places, int64_t in_place);

#endif
