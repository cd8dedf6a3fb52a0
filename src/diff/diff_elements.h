/* diff_elements.h - the elements of two tensors, compared in step */
#ifndef TN_DIFF_ELEMENTS_H
#define TN_DIFF_ELEMENTS_H

#include "ir/payload.h"

struct tn_diff_values {
    uint64_t count, changed; /* elements                                      */
    double   max_absolute, max_relative;
};

/* Element by element in C order; both have the same number of elements, of
 * fixed size.  Types may differ: numbers are then compared as numbers.  Of one
 * type and without a tolerance, other bits are a change even of equal values:
 * 0.0 and -0.0, two kinds of NaN.  Memory is constant, unless a payload can
 * only be read from its beginning. */
enum tn_status tn_diff_elements(const struct tn_elements *left,
                                const struct tn_elements *right,
                                double tolerance, struct tn_memory *memory,
                                struct tn_diff_values *values,
                                struct tn_error       *error);

/* A sum over the elements after conversion to `dtype`, the same in any order:
 * a transposed tensor has the same. */
enum tn_status tn_diff_element_sum(const struct tn_elements *elements,
                                   enum tn_dtype             dtype,
                                   struct tn_memory *memory, uint64_t *sum,
                                   struct tn_error *error);

#endif
