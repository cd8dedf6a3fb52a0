/*
 * diff_side.h - one of two models that are compared: hashes of its structure
 *
 * Every op gets three numbers, and names are part of none of them:
 *
 *   local   operator, attributes, number of inputs and outputs, type and shape
 *           of the weights it takes
 *   above   local, and the same of everything that it is computed from
 *   below   local, and the same of everything that is computed from it
 *
 * Equal numbers suggest that two ops are the same.  What is then reported comes
 * from a comparison of the ops, so that a collision cannot hide a difference.
 * All of it is linear in ops and edges, whatever the graph looks like: cycles
 * are cut where a walk in the order of the file closes them.
 */
#ifndef TN_DIFF_SIDE_H
#define TN_DIFF_SIDE_H

#include "ir/attr.h"
#include "ir/model_tables.h"

struct tn_diff_side {
    const struct tn_model *model;
    struct tn_memory      *memory;
    uint64_t              *local, *above, *below; /* by op                    */
    uint32_t              *order; /* ops, producers first, graph by graph     */
    uint64_t              *shapes; /* by graph: its ops, in order             */
    uint32_t *tensor_of;           /* by value: tensor that defines it      */
    uint32_t *input_of;            /* by value: which input of its graph   */
    uint32_t *op_tensor;           /* by op: its first tensor in an
                                      attribute, or TN_NONE                */
    uint32_t *next_tensor;         /* by tensor: the next one of its op  */
    uint32_t  op_count, value_count, graph_count;
    uint64_t  tensor_count;
};

/* Needs a model that was opened with its graph, if it has one. */
enum tn_status tn_diff_side_init(struct tn_diff_side   *side,
                                 const struct tn_model *model,
                                 struct tn_memory      *memory,
                                 struct tn_error       *error);
void           tn_diff_side_done(struct tn_diff_side *side);

/* The name of an op, or of its first output if the op has none. */
struct tn_bytes tn_diff_op_name(const struct tn_model *model, uint32_t op);

/* Hashes that are the same in every run. */
uint64_t tn_diff_hash(struct tn_bytes bytes, uint64_t seed);

static inline uint64_t tn_diff_join(uint64_t a, uint64_t b)
{
    uint64_t x =
        (a ^ UINT64_C(0x9e3779b97f4a7c15)) +
        (b ^ UINT64_C(0x2545f4914f6cdd1d)) * UINT64_C(0xff51afd7ed558ccd);

    x ^= x >> 32;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 29;
}

/* The largest number of tn_op.alike in the model. */
uint64_t tn_diff_most_alike(const struct tn_model *model);

/* An array of `count` numbers, all TN_NONE; NULL after a failure. */
uint32_t *tn_diff_nones(struct tn_memory *memory, uint64_t count,
                        struct tn_error *error);

#endif
