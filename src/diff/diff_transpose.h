/* diff_transpose.h - whether one tensor is another one, transposed */
#ifndef TN_DIFF_TRANSPOSE_H
#define TN_DIFF_TRANSPOSE_H

#include "ir/payload.h"

/* Tensors of more axes are not looked at. */
enum { TN_DIFF_AXES = 4 };

/* Whether axis i of `right` is axis axes[i] of `left`, for an order of axes
 * that it finds, and the elements agree after conversion to the smaller of the
 * two types.  The order that keeps all axes is tried first. */
bool tn_diff_transposed(const struct tn_elements *left,
                        const struct tn_elements *right,
                        struct tn_memory *memory, uint32_t axes[TN_DIFF_AXES],
                        struct tn_error *error);

#endif
