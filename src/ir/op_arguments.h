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

/* The same as below, for dialects whose arguments have slots. */
bool tn_op_arguments_next_in_slot(struct tn_op_arguments *a);

/* The next value that is given and whose argument is known; false if there are
 * no more. */
static inline bool tn_op_arguments_next(struct tn_op_arguments *a)
{
    if (a->has_slots)
        return tn_op_arguments_next_in_slot(a);
    while (++a->index < a->count) {
        a->value = tn_model_ref_at(a->model, a->first + a->index);
        if (a->value == TN_NONE)
            continue;
        a->arg =
            &a->args[a->index < a->arg_count ? a->index : a->arg_count - 1];
        return true;
    }
    return false;
}

/* Which of its operator's outputs a value is; TN_NONE: not known. */
uint32_t tn_op_output_number(const struct tn_model    *model,
                             const struct tn_vocab_op *kind,
                             const struct tn_value    *row);

#endif
