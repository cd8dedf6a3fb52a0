/*
 * edit_pairs.h - inserts and removes nodes that change little or nothing
 *
 * Identity; pairs of Casts, to another type and back; pairs of QuantizeLinear
 * and DequantizeLinear.
 */
#ifndef TN_ENGINE_EDIT_PAIRS_H
#define TN_ENGINE_EDIT_PAIRS_H

#include "engine/edit_draft.h"

enum tn_pair_kind {
    TN_PAIR_IDENTITY, /* Identity                                             */
    TN_PAIR_CAST,     /* Casts that lose nothing: to the type of the input, or
                         to a type that holds it and back                     */
    TN_PAIR_QDQ,      /* DequantizeLinear of QuantizeLinear                   */
};

/* Removes all of one kind, in all graphs.  The draft must have no changes. */
enum tn_status tn_draft_remove_pairs(struct tn_draft  *draft,
                                     enum tn_pair_kind kind, uint64_t *count,
                                     struct tn_error *error);

/* What is inserted between a value of the main graph and its users. */
struct tn_pair {
    enum tn_pair_kind kind;
    struct tn_bytes   value;
    enum tn_dtype dtype; /* CAST: in between; QDQ: quantised, int8 or uint8 */
    float         scale; /* QDQ                                           */
    int64_t       zero;
};

/* NOT_FOUND if there is no such value, INVALID if nothing uses it or its type
 * is not one that the pair takes. */
enum tn_status tn_draft_insert_pair(struct tn_draft      *draft,
                                    const struct tn_pair *pair,
                                    struct tn_error      *error);

#endif
