/*
 * map_tensor.h - small constants, which rules turn into arguments
 *
 * Axes, shapes, thresholds.  Weights are never read here: if a tensor has more
 * than TN_MAP_ELEMENTS elements, only its type and shape are known.
 */
#ifndef TN_MAP_MAP_TENSOR_H
#define TN_MAP_MAP_TENSOR_H

#include "ir/payload.h"
#include "map/dl4j/map_node.h"

#define TN_MAP_ELEMENTS 65536
#define TN_MAP_RANK     64

struct tn_map_tensor {
    enum tn_dtype          dtype;
    uint32_t               rank;
    const int64_t         *dims;
    uint64_t               count;
    bool                   has_values; /* false: too many, or none readable   */
    const int64_t         *ints;       /* if they are numbers: both           */
    const double          *reals;
    const struct tn_bytes *strings; /* of strings                             */
};

/* Copies the elements of a tensor of a model or net into the arena.  MALFORMED:
 * its type or shape could not be read. */
enum tn_status tn_map_tensor_read(struct tn_map_tensor     *tensor,
                                  const struct tn_elements *elements,
                                  struct tn_arena          *arena,
                                  struct tn_error          *error);

/* Elements as values of the kinds INT, FLOAT, DOUBLE, BOOL or STRING, as many
 * as the dims say. */
struct tn_map_elements {
    enum tn_dtype               dtype;
    uint32_t                    rank;
    const int64_t              *dims;
    const struct tn_attr_value *items;
};

/* The same from values, rounded to the dtype. */
enum tn_status tn_map_tensor_fill(struct tn_map_tensor         *tensor,
                                  const struct tn_map_elements *from,
                                  struct tn_arena              *arena,
                                  struct tn_error              *error);

/* Writes a tensor as an org.nd4j.ir.TensorProto, in the arena.  Narrow integers
 * become INT64, halves DOUBLE: the IR's lists for them hold bit patterns, which
 * its readers get wrong.  The second function returns the type that a tensor
 * gets. */
enum tn_status tn_map_tensor_write(const struct tn_map_tensor *tensor,
                                   struct tn_arena            *arena,
                                   struct tn_bytes            *bytes,
                                   struct tn_error            *error);
enum tn_dtype  tn_map_tensor_written(enum tn_dtype dtype);

#endif
