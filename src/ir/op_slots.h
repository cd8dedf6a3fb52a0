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

/* Adds the slots that hold something, in order: "X Y", or "X 2" for two values
 * in one slot.  False: the dialect has no slots, or the file does not say which
 * values of the op are in which. */
bool tn_op_slots_text(const struct tn_model *model, uint32_t op, bool is_output,
                      struct tn_buffer *to);

#endif
