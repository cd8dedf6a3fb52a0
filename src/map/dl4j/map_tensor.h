/*
 * map_tensor.h - small constants: what a framework's TensorProto holds
 *
 * For constants that become arguments: axes, shapes, thresholds.  Weights are
 * never read here: past TN_MAP_ELEMENTS only type and shape are.
 */
#ifndef TN_MAP_MAP_TENSOR_H
#define TN_MAP_MAP_TENSOR_H

#include "map/dl4j/map_node.h"

#define TN_MAP_ELEMENTS 65536
#define TN_MAP_RANK     64

struct tn_map_tensor {
    enum tn_dtype          dtype;
    uint32_t               rank;
    const int64_t         *dims;
    uint64_t               count;
    bool                   has_values; /* false: too many, or none readable   */
    const int64_t         *ints;       /* of numbers: both                    */
    const double          *reals;
    const struct tn_bytes *strings; /* of strings                             */
};

enum tn_status tn_map_tensor_read(struct tn_map_tensor *tensor,
                                  enum tn_framework     framework,
                                  struct tn_bytes bytes, struct tn_arena *arena,
                                  struct tn_error *error);

/* The TensorProto of a framework, in the arena: as many elements as the dims
 * say, of kind INT, FLOAT, DOUBLE, BOOL or STRING.  UNSUPPORTED: it has no such
 * type. */
struct tn_map_elements {
    enum tn_dtype               dtype;
    uint32_t                    rank;
    const int64_t              *dims;
    const struct tn_attr_value *items;
};
enum tn_status tn_map_tensor_encode(const struct tn_map_elements *elements,
                                    enum tn_framework             framework,
                                    struct tn_arena              *arena,
                                    struct tn_bytes              *bytes,
                                    struct tn_error              *error);

/* The same as an org.nd4j.ir.TensorProto, in the arena. */
enum tn_status tn_map_tensor_write(const struct tn_map_tensor *tensor,
                                   struct tn_arena            *arena,
                                   struct tn_bytes            *bytes,
                                   struct tn_error            *error);

#endif
