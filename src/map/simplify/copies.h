/*
 * copies.h - removes nodes that return a value that exists already
 *
 * Every dialect has these: identities, casts to the type that a value already
 * has, and repeated requests for a shape.  Works in place and in one walk, for
 * graphs that are not simplified by rules.
 */
#ifndef TN_MAP_COPIES_H
#define TN_MAP_COPIES_H

#include "map/net/net.h"

/* The operators of a dialect that do this. */
struct tn_copy_ops {
    const char *identity; /* NULL: it has none                               */
    const char *cast;
    const char *shape; /* the sizes of its only input, as one value           */
};

/* Returns the number of removed nodes.  Types must have been inferred.  Nodes
 * that make outputs of graphs stay; graphs with control edges do not change. */
uint64_t tn_remove_copies(struct tn_net *net, const struct tn_copy_ops *ops);

#endif
