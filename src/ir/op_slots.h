/*
 * op_slots.h - in which slots an operator has its arguments
 *
 * In dialects with named slots (PaddlePaddle), equal lists of values do not
 * mean equal inputs: "X" may hold both, or one of them and "Y" the other.
 */
#ifndef TN_IR_OP_SLOTS_H
#define TN_IR_OP_SLOTS_H

#include "base/buffer.h"
#include "ir/model_tables.h"
#include "ir/vocab.h"

/* Adds the slots that hold something, in order: "X Y", or "X 2" for two values
 * in one slot.  False: the dialect has no slots, or the file does not say which
 * values of the op are in which. */
bool tn_op_slots_text(const struct tn_model *model, uint32_t op, bool is_output,
                      struct tn_buffer *to);

/* Adds one of them to an empty text, or to one that has slots already. */
void tn_op_slot_add(struct tn_buffer *to, struct tn_bytes name, uint32_t count);

/* The slots of an op that an edit adds, whose values are a plain list: those
 * that the operator must have, in the order of the vocabulary, if there are as
 * many values; or all of them.  What does not fit is in one slot, as the values
 * of Concat are. */
struct tn_new_slots {
    const struct tn_vocab_arg *args;
    uint32_t                   arg_count;
    uint32_t                   left; /* values that have no slot yet         */
    bool                       is_full, is_input;
};

/* `kind` NULL: nothing is known of the operator. */
struct tn_new_slots tn_new_slots(const struct tn_vocab_op *kind, bool is_output,
                                 uint32_t value_count);
bool tn_new_slots_next(struct tn_new_slots *slots, struct tn_bytes *name,
                       uint32_t *count);

#endif
