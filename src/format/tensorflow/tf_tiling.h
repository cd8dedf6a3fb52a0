/*
 * tf_tiling.h - composes a tensor of the slices that cover it
 *
 * Slices come as partitioners make them: cut along one axis, as a grid, or in
 * any other way that leaves no gap and no overlap.
 */
#ifndef TN_FORMAT_TF_TILING_H
#define TN_FORMAT_TF_TILING_H

#include "ir/payload.h"

struct tn_tf_tile {
    const uint64_t    *begin;    /* where it is, per axis                     */
    struct tn_elements elements; /* its shape, of the rank of the whole       */
    uint64_t           low, high; /* scratch: along the axis being cut        */
};

/* A payload for `shape`: nested concatenations of the tiles.  `tiles` are
 * reordered; what they point to must live as long as the arena.  MALFORMED at
 * `offset` if they overlap or leave a gap. */
enum tn_status tn_tf_join_tiles(const struct tn_shape *shape,
                                struct tn_tf_tile **tiles, uint64_t count,
                                struct tn_arena *arena, uint64_t offset,
                                struct tn_payload *payload,
                                struct tn_error   *error);

#endif
