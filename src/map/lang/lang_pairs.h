/*
 * lang_pairs.h - complex numbers as pairs of reals
 *
 * A value of complex numbers becomes one of reals with one axis more, the last,
 * of two: real and imaginary part.  Rules that begin with `pairs` are for nodes
 * with such values; all others are not.
 */
#ifndef TN_MAP_LANG_PAIRS_H
#define TN_MAP_LANG_PAIRS_H

#include "map/net/net_build.h"

/* The type of the parts, or TN_UNDEFINED for what is not complex. */
enum tn_dtype tn_pair_part(enum tn_dtype dtype);

/* Whether an input or output of the node is complex. */
bool tn_pair_in(const struct tn_net *net, const struct tn_net_node *node);

/* The type of the pairs that replace a value of complex numbers; dims are in
 * the arena, NULL if memory ran out. */
bool tn_pair_type(struct tn_net_type *type, struct tn_arena *arena,
                  struct tn_error *error);

/* Makes pairs of a value that was copied from a net where it is complex:
 * changes its type, and the shape of its elements if it is a constant. */
void tn_pair_value(struct tn_net *net, uint32_t value);

#endif
