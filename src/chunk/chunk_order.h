/*
 * chunk_order.h - the order in which fields are listed, and its effect
 *
 * Readers of a file sort its fields; mergers of chunks in memory take them as
 * they are listed.  Both make the same message if a message is listed before
 * what is inside it, and the parts of one field in the order of their chunks.
 */
#ifndef TN_CHUNK_ORDER_H
#define TN_CHUNK_ORDER_H

#include "chunk/chunk_meta.h"

/* Whether fields that were just sorted (tn_chunked_sort() notes their old
 * positions) were listed in an order that makes the same message.  Looks at the
 * top level only; false if in doubt. */
bool tn_chunked_was_in_order(const struct tn_chunked *sorted,
                             struct tn_arena *arena, struct tn_error *error);

/* Whether the field before this one is for the same string or bytes. */
bool tn_chunked_is_double(const struct tn_chunked    *sorted,
                          const struct tn_pb_message *type, uint64_t index);

/* A string or bytes field with several chunks, in a sorted message of that
 * type; NULL if there is none. */
const struct tn_chunked_field *tn_chunked_find_double(
    const struct tn_chunked *sorted, const struct tn_pb_message *type);

#endif
