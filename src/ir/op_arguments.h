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
    const uint32_t            *refs;         /* from the first on             */
    struct tn_cursor           node;
    struct tn_error            failure;
    uint32_t                   in_slot; /* values left there                  */
    uint32_t                   argument;

    /* What tn_op_arguments_next() found. */
    uint32_t index; /* among the inputs or outputs of the node */
    uint32_t value;
    const struct tn_vocab_arg *arg;
};

/* What follows is called a few times for each of a million nodes; these parts
 * of it seldom are. */
void     tn_op_arguments_init_slots(struct tn_op_arguments *a,
                                    const struct tn_op     *row);
bool     tn_op_arguments_next_in_slot(struct tn_op_arguments *a);
uint64_t tn_op_count_before_gaps(const struct tn_vocab_op *kind,
                                 uint64_t                  count);

/* Returns no arguments if positions are unknown because the lengths of lists
 * are given by attributes. */
static inline void tn_op_arguments_init(struct tn_op_arguments   *a,
                                        const struct tn_model    *model,
                                        const struct tn_vocab_op *kind,
                                        uint32_t op, bool is_output)
{
    const struct tn_op *row = tn_model_op_at(model, op);

    a->model     = model;
    a->kind      = kind;
    a->args      = is_output ? kind->outputs : kind->inputs;
    a->arg_count = is_output ? kind->output_count : kind->input_count;
    a->is_output = is_output;
    a->has_slots = model->dialect->next_slot != NULL;
    a->first     = is_output ? row->first_output : row->first_input;
    a->count =
        is_output ? row->output_count : row->input_count - row->control_count;
    a->refs  = (const uint32_t *)model->refs.items + a->first;
    a->index = UINT32_MAX;
    a->arg   = NULL;
    if (a->has_slots)
        tn_op_arguments_init_slots(a, row);
    else if (kind->has_lists || !a->arg_count)
        a->count = 0;
    else if (!is_output && model->dialect->closes_gaps)
        a->count = tn_op_count_before_gaps(kind, a->count);
}

/* The next value that is given and whose argument is known; false if there are
 * no more. */
static inline bool tn_op_arguments_next(struct tn_op_arguments *a)
{
    if (a->has_slots)
        return tn_op_arguments_next_in_slot(a);
    for (uint32_t i = a->index + 1; i < a->count; i++) {
        if (a->refs[i] == TN_NONE)
            continue;
        a->index = i;
        a->value = a->refs[i];
        a->arg   = &a->args[i < a->arg_count ? i : a->arg_count - 1];
        return true;
    }
    return false;
}

/* The same as below, in the body of a function, where outputs have names. */
uint32_t tn_op_named_output(const struct tn_model    *model,
                            const struct tn_vocab_op *kind,
                            const struct tn_value    *row);

/* Which of its operator's outputs a value is; TN_NONE: not known. */
static inline uint32_t tn_op_output_number(const struct tn_model    *model,
                                           const struct tn_vocab_op *kind,
                                           const struct tn_value    *row)
{
    if (!model->dialect->names_outputs &&
        tn_model_graph_at(model, row->graph)->kind == TN_GRAPH_FUNCTION)
        return tn_op_named_output(model, kind, row);
    return row->output < kind->output_count ? row->output
                                            : kind->output_count - 1;
}

#endif
