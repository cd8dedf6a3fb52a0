/*
 * op_arguments.h - which argument of its operator each value of a node is
 *
 * By position, where the last argument may stand for many values; or by the
 * names of slots in dialects that have them (Paddle).
 */
#ifndef TN_IR_OP_ARGUMENTS_H
#define TN_IR_OP_ARGUMENTS_H

#include "ir/attr.h"
#include "ir/vocab.h"

struct tn_op_arguments {
    const struct tn_model     *model;
    const struct tn_vocab_op  *kind;
    const struct tn_vocab_arg *args;
    uint32_t                   arg_count;
    bool                       is_output, has_slots;
    uint64_t                   first, count; /* in model->refs                */
    struct tn_cursor           node;
    struct tn_error            failure;
    uint32_t                   in_slot; /* values left there                  */
    uint32_t                   argument;

    /* What tn_op_arguments_next() found. */
    uint32_t index; /* among the inputs or outputs of the node */
    uint32_t value;
    const struct tn_vocab_arg *arg;
};

/* Returns no arguments if positions are unknown because the lengths of lists
 * are given by attributes. */
void tn_op_arguments_init(struct tn_op_arguments   *a,
                          const struct tn_model    *model,
                          const struct tn_vocab_op *kind, uint32_t op,
                          bool is_output);

/* The next value that is given and whose argument is known; false if there are
 * no more. */
bool tn_op_arguments_next(struct tn_op_arguments *a);

/* Which of its operator's outputs a value is; TN_NONE: not known. */
uint32_t tn_op_output_number(const struct tn_model    *model,
                             const struct tn_vocab_op *kind,
                             const struct tn_value    *row);

#endif
