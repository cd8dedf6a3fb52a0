/* slice.h - Python's slices of a tensor, as a view */
#ifndef TN_ENGINE_SLICE_H
#define TN_ENGINE_SLICE_H

#include "base/memory.h"
#include "ir/payload.h"

/* `text` is "0:10,::2,-1": an index or begin:end:step per axis, from the first.
 * Axes that are not named are taken whole, "..." stands for as many as needed,
 * an index drops its axis.  The view is in the arena; INVALID says which part
 * does not fit. */
enum tn_status tn_slice_parse(const char *text, const struct tn_elements *from,
                              struct tn_arena *arena, struct tn_elements *out,
                              struct tn_error *error);

#endif
