/* op_slots.c - in which slots an operator has its arguments */
#include "ir/op_slots.h"

#include <inttypes.h>

#include "ir/attr.h"

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
        if (!count)
            continue;
        tn_buffer_text(to, sum ? " " : "");
        tn_buffer_add(to, name);
        if (count > 1)
            tn_buffer_format(to, " %" PRIu32, count);
        sum += count;
    }
    return !tn_failed(&none) &&
           sum == (is_output ? row->output_count : row->input_count);
}
