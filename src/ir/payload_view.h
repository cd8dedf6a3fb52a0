/*
 * payload_view.h - elements computed from other tensors' elements
 *
 * Under tn_payload_stream(), for TN_ENCODING_VIEW and TN_ENCODING_FORTRAN.
 *
 * Permuted, sliced and Fortran-ordered data are the same thing: a start and a
 * stride per axis over the elements of another tensor.  Views of such views are
 * combined into one, and gathered a window at a time, in tiles.  Views nest to
 * a depth of TN_VIEW_DEPTH_LIMIT.
 */
#ifndef TN_IR_PAYLOAD_VIEW_H
#define TN_IR_PAYLOAD_VIEW_H

#include "ir/payload.h"

#define TN_VIEW_DEPTH_LIMIT 32
#define TN_VIEW_RANK_LIMIT  256

/* As tn_payload_stream(); the range has been checked. */
enum tn_status tn_view_stream(const struct tn_elements *elements,
                              uint64_t first, uint64_t count,
                              struct tn_memory *memory, struct tn_sink *to,
                              struct tn_error *error);

/* Whether shape, type and arguments agree with the inputs', all the way down,
 * the payloads at the bottom not included. */
enum tn_status tn_view_check(const struct tn_elements *elements,
                             struct tn_error          *error);

#endif
