/*
 * dl4j_ops.h - nd4j's ops, read from an OpDescriptorList
 *
 *   opList {
 *     name: "conv2d"
 *     argDescriptor { name: "kH" argType: INT64 argIndex: 0 }
 *     opDeclarationType: CUSTOM_OP_IMPL
 *   }
 *
 * Deeplearning4j ships 718 of them (nd4j-op-def.pbtxt).  The index of an
 * argument counts within its own type.  The file does not say how many inputs
 * and outputs an op needs, nor that some take any number; what libnd4j declares
 * about these is added here.
 */
#ifndef TN_MAP_DL4J_OPS_H
#define TN_MAP_DL4J_OPS_H

#include <tenon/interpret.h>

#include "base/memory.h"
#include "wire/pb/pb_text_tree.h"

struct tn_dl4j_ops {
    struct tn_arena *arena;
    struct tn_list   list; /* struct tn_op_descriptor; by name once committed */
};

void tn_dl4j_ops_init(struct tn_dl4j_ops *ops, struct tn_arena *arena);
void tn_dl4j_ops_done(struct tn_dl4j_ops *ops);

/* Reads all ops of the text. */
enum tn_status tn_dl4j_ops_read(struct tn_dl4j_ops         *ops,
                                const struct tn_text_field *root,
                                struct tn_error            *error);

/* Adds an op, whose `args` are set and live in the arena, and fills in its
 * lists. */
enum tn_status tn_dl4j_ops_add(struct tn_dl4j_ops            *ops,
                               const struct tn_op_descriptor *op,
                               struct tn_error               *error);

/* Call it after the last one: sorts them, and refuses duplicate names. */
enum tn_status tn_dl4j_ops_commit(struct tn_dl4j_ops *ops,
                                  struct tn_error    *error);

/* NULL if there is none. */
const struct tn_op_descriptor *tn_dl4j_ops_find(const struct tn_dl4j_ops *ops,
                                                struct tn_bytes           name);

/* The declared index; -1 if there is no argument of that name and type. */
int32_t tn_dl4j_index(const struct tn_op_descriptor *op, struct tn_bytes name,
                      enum tn_arg_type type);

/* Bits by enum tn_arg_type: the types with which the op declares the name. */
unsigned tn_dl4j_types(const struct tn_op_descriptor *op, struct tn_bytes name);

/* Reads an ArgDescriptor: a declaration, a parameter or a constant. */
enum tn_status tn_dl4j_arg_read(struct tn_arg              *arg,
                                const struct tn_text_field *message,
                                struct tn_error            *error);

/* Sorts `args` into the lists, each by index; the sort is stable. */
enum tn_status tn_dl4j_fill_lists(struct tn_op_descriptor *op,
                                  struct tn_arena         *arena,
                                  struct tn_error         *error);

#endif
