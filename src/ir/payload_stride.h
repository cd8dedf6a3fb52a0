/* payload_stride.h - elements that are a part of a row, with strides */
#ifndef TN_IR_PAYLOAD_STRIDE_H
#define TN_IR_PAYLOAD_STRIDE_H

#include "ir/payload.h"

/* The payload of elements that have a shape, as a part of a row that is stored
 * as it is: from element `start`, with these strides, or side by side if that is
 * NULL.  INVALID if it leaves the row. */
enum tn_status tn_payload_stride(struct tn_arena          *arena,
                                 const struct tn_elements *row, uint64_t start,
                                 const int64_t      *strides,
                                 struct tn_elements *elements,
                                 struct tn_error    *error);

#endif
