/*
 * edit_pair_ops.h - names of the operators that change little or nothing
 *
 * Identity, Cast, and those that quantise: by dialect.
 */
#ifndef TN_ENGINE_EDIT_PAIR_OPS_H
#define TN_ENGINE_EDIT_PAIR_OPS_H

#include "ir/draft.h"

/* NULL: the dialect has none. */
struct tn_pair_ops {
    const char *copy, *cast;
    const char *quantize, *dequantize;
    const char *both[7]; /* quantise and dequantise at once; ends with NULL   */
};

const struct tn_pair_ops *tn_pair_ops_of(const struct tn_dialect *dialect);

/* Sets the attributes of a new copy, or of a new Cast from one type to another.
 */
enum tn_status tn_pair_describe(struct tn_draft *draft, uint32_t op,
                                enum tn_dtype from, enum tn_dtype to,
                                struct tn_error *error);

#endif
