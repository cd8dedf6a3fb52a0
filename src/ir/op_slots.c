/* op_slots.c - in which slots an operator has its arguments */
#include "ir/op_slots.h"

#include <inttypes.h>

#include "ir/attr.h"

void tn_op_slot_add(struct tn_buffer *to, struct tn_bytes name, uint32_t count)
{
    if (!count)
        return;
    tn_buffer_text(to, to->size ? " " : "");
    tn_buffer_add(to, name);
    if (count > 1)
        tn_buffer_format(to, " %" PRIu32, count);
}

bool tn_op_slots_text(const struct tn_model *model, uint32_t op, bool is_output,
                      struct tn_buffer *to)
{
    const struct tn_op *row   = tn_model_op_at(model, op);
    uint64_t            sum   = 0;
    uint32_t            count = 0;
    struct tn_error     none  = TN_ERROR_INIT;
    struct tn_bytes     name;

    if (!model->dialect || !model->dialect->next_slot || !row->wire_length)
        return false;
    struct tn_cursor node = tn_cursor_span(tn_model_op_wire(model, row), &none);
    while (model->dialect->next_slot(&node, is_output, &name, &count)) {
        tn_op_slot_add(to, name, count);
        sum += count;
    }
    return !tn_failed(&none) &&
           sum == (is_output ? row->output_count : row->input_count);
}

struct tn_new_slots tn_new_slots(const struct tn_vocab_op *kind, bool is_output,
                                 uint32_t value_count)
{
    struct tn_new_slots slots = { .left = value_count, .is_input = !is_output };
    uint32_t            needed = 0;

    if (!kind)
        return slots;
    slots.args      = is_output ? kind->outputs : kind->inputs;
    slots.arg_count = is_output ? kind->output_count : kind->input_count;
    slots.is_full   = value_count == slots.arg_count;
    for (uint32_t i = 0; i < slots.arg_count; i++)
        needed += slots.args[i].arity == TN_VOCAB_ONE;
    if (!slots.is_full && value_count != needed)
        slots.arg_count = 0;
    return slots;
}

bool tn_new_slots_next(struct tn_new_slots *slots, struct tn_bytes *name,
                       uint32_t *count)
{
    while (slots->left && slots->arg_count) {
        const struct tn_vocab_arg *arg = slots->args++;
        slots->arg_count--;
        if (!slots->is_full && arg->arity != TN_VOCAB_ONE)
            continue;
        slots->left--;
        *name  = arg->name;
        *count = 1;
        return true;
    }
    *name       = tn_text(slots->is_input ? "X" : "Out");
    *count      = slots->left;
    slots->left = 0;
    return *count > 0;
}
