/* op_arguments.c - which argument of its operator each value of a node is */
#include "ir/op_arguments.h"

#include "ir/output_name.h"

/* The number of inputs whose argument is known in dialects that close gaps: if
 * one input is missing, those before the first optional one. */
uint64_t tn_op_count_before_gaps(const struct tn_vocab_op *kind, uint64_t count)
{
    for (uint32_t i = 0; count < kind->input_count && i < count; i++)
        if (kind->inputs[i].arity == TN_VOCAB_OPTIONAL)
            return i;
    return count;
}

void tn_op_arguments_init_slots(struct tn_op_arguments *a,
                                const struct tn_op     *row)
{
    a->in_slot = a->argument = a->value = 0;
    tn_error_clear(&a->failure);
    /* An edit may have moved values between slots. */
    if (!row->wire_length || row->first_attr != TN_NONE)
        a->count = 0;
    else
        a->node = tn_cursor_span(tn_model_op_wire(a->model, row), &a->failure);
}

static uint32_t find_argument(const struct tn_op_arguments *a,
                              struct tn_bytes               name)
{
    for (uint32_t i = 0; i < a->arg_count; i++)
        if (tn_bytes_equal(a->args[i].name, name))
            return i;
    return TN_NONE;
}

/* TN_NONE: the vocabulary does not have the slot. */
static uint32_t argument_of_next(struct tn_op_arguments *a)
{
    struct tn_bytes name;

    while (a->in_slot == 0) {
        a->node.error = &a->failure;
        if (!a->model->dialect->next_slot(&a->node, a->is_output, &name,
                                          &a->in_slot)) {
            a->count = 0;
            return TN_NONE;
        }
        a->argument = find_argument(a, name);
    }
    a->in_slot--;
    return a->argument;
}

bool tn_op_arguments_next_in_slot(struct tn_op_arguments *a)
{
    while (++a->index < a->count) {
        uint32_t argument = argument_of_next(a);
        if (a->index >= a->count)
            return false;
        a->value = tn_model_ref_at(a->model, a->first + a->index);
        if (argument == TN_NONE || a->value == TN_NONE)
            continue;
        a->arg = &a->args[argument];
        return true;
    }
    return false;
}

uint32_t tn_op_named_output(const struct tn_model    *model,
                            const struct tn_vocab_op *kind,
                            const struct tn_value    *row)
{
    struct tn_bytes argument =
        tn_output_name_parse(tn_model_name(model, row->name)).argument;

    if (!argument.data)
        return 0;
    for (uint32_t i = 0; i < kind->output_count; i++)
        if (tn_bytes_equal(kind->outputs[i].name, argument))
            return i;
    return TN_NONE;
}
