/* describe_ops.h - the operations of an nd4j model, as op descriptors */
#ifndef TN_ENGINE_DESCRIBE_OPS_H
#define TN_ENGINE_DESCRIBE_OPS_H

#include "engine/interpreter.h"

struct tn_describing {
    struct tn_interpreter *interpreter;
    const struct tn_model *model; /* as it is about to be written             */
    struct tn_arena       *arena; /* of the descriptors                       */

    /* The caller's name for a value, and whether it is the caller's own, whose
     * elements it has.  NULL: the model's name, and false. */
    struct tn_bytes (*name)(const void *context, struct tn_bytes name);
    bool (*is_known)(const void *context, struct tn_bytes name);
    const void *context;
};

/* Fills in `first`; those that follow it are in the arena.  An output of the
 * model that no operation makes becomes an `identity` of a constant or
 * input. */
enum tn_status tn_describe_ops(const struct tn_describing *d,
                               struct tn_op_descriptor    *first,
                               struct tn_error            *error);

#endif
