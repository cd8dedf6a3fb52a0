/*
 * copies.h - values that are others again
 *
 * What every dialect has: identities, casts to the type that a value has, and
 * shapes that are asked for twice.  In place and in one walk, for graphs that
 * no rules make smaller.
 */
#ifndef TN_MAP_COPIES_H
#define TN_MAP_COPIES_H

#include "map/net/net.h"

/* How a dialect says it. */
struct tn_copy_ops {
    const char *identity; /* NULL: it has none                               */
    const char *cast;
    const char *shape; /* the sizes of its only input, as one value           */
};

/* How many nodes went.  Types must have been inferred; outputs of graphs stay
 * what makes them, and so does a graph with control edges. */
uint64_t tn_remove_copies(struct tn_net *net, const struct tn_copy_ops *ops);

#endif
