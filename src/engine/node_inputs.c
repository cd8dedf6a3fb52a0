/* node_inputs.c - facts about the inputs of one node */
#include "engine/node_inputs.h"

#include "format/onnx/onnx.h"
#include "format/tensorflow/tf_dtype.h"
#include "wire/pb/pb_wire.h"

/* ---- attributes --------------------------------------------------------- */

const struct tn_attr_value *tn_node_value(const struct tn_node_known *known,
                                          struct tn_bytes             name)
{
    const struct tn_map_attr *given = tn_map_node_attr(known->node, name);

    if (given)
        return &given->value;
    const struct tn_vocab_attr *attr =
        known->definition ? tn_vocab_find_attr(known->definition, name) : NULL;
    return attr && attr->has_default ? &attr->value : NULL;
}

static bool is_list(const struct tn_vocab_arg *arg)
{
    return arg->arity == TN_VOCAB_COUNTED || arg->arity == TN_VOCAB_BY_TYPES;
}

static bool is_counted(const struct tn_vocab_arg  *arg,
                       const struct tn_attr_value *by, uint32_t *count)
{
    if (!by)
        return false;
    if (arg->arity == TN_VOCAB_BY_TYPES) {
        *count = by->count;
        return true;
    }
    if (by->kind != TN_ATTR_INT || by->count != 1 || by->of.ints[0] < 0 ||
        by->of.ints[0] > UINT32_MAX)
        return false;
    *count = (uint32_t)by->of.ints[0];
    return true;
}

bool tn_node_count(const struct tn_node_known *known, struct tn_bytes attr,
                   uint32_t *count)
{
    const struct tn_vocab_op *op    = known->definition;
    uint64_t                  taken = 0, lists = 0;

    for (uint32_t i = 0; op && i < op->input_count; i++) {
        const struct tn_vocab_arg *arg  = &op->inputs[i];
        uint32_t                   here = 1;
        if (is_list(arg) &&
            !is_counted(arg, tn_node_value(known, arg->list), &here)) {
            if (!tn_bytes_equal(arg->list, attr))
                return false; /* two numbers, and one equation */
            lists++;
        } else if (is_list(arg) && tn_bytes_equal(arg->list, attr)) {
            *count = here;
            return true;
        } else
            taken += here;
    }
    if (!lists || taken > known->node->input_count ||
        (known->node->input_count - taken) % lists)
        return false;
    *count = (uint32_t)((known->node->input_count - taken) / lists);
    return true;
}

/* How many inputs an argument takes if `left` remain. */
static uint32_t count_inputs(const struct tn_node_known *known,
                             const struct tn_vocab_arg *arg, uint32_t left)
{
    uint32_t count = left;

    switch (arg->arity) {
    case TN_VOCAB_MANY:
    case TN_VOCAB_SOME: return left;
    case TN_VOCAB_COUNTED:
    case TN_VOCAB_BY_TYPES:
        tn_node_count(known, arg->list, &count);
        return count < left ? count : left;
    default: return left ? 1 : 0;
    }
}

/* ---- types -------------------------------------------------------------- */

/* The attribute of TensorFlow that has the types of an argument; NULL: none. */
static const struct tn_attr_value *told_types(const struct tn_node_known *known,
                                              const struct tn_vocab_arg  *arg)
{
    struct tn_bytes name =
        arg->arity == TN_VOCAB_BY_TYPES ? arg->list : arg->variable;
    const struct tn_attr_value *told =
        name.size ? tn_node_value(known, name) : NULL;

    return told && told->kind == TN_ATTR_DTYPE ? told : NULL;
}

/* Of the `index`-th input of the argument. */
static enum tn_dtype told_type(const struct tn_attr_value *told,
                               const struct tn_vocab_arg *arg, uint32_t index)
{
    uint32_t at = arg->arity == TN_VOCAB_BY_TYPES ? index : 0;

    return told && at < told->count ? (enum tn_dtype)told->of.ints[at]
                                    : TN_UNDEFINED;
}

static uint64_t any_of(const struct tn_vocab_types *types)
{
    return types->tensors     ? types->tensors
           : types->sequences ? types->sequences
                              : types->optionals;
}

/* A variable is one of the operator's, or an attribute of TensorFlow. */
uint64_t tn_node_types(const struct tn_node_known *known,
                       const struct tn_vocab_arg  *arg)
{
    const struct tn_vocab_op   *op = known->definition;
    const struct tn_vocab_attr *attr;

    for (uint32_t i = 0; arg->variable.size && i < op->variable_count; i++)
        if (tn_bytes_equal(op->variables[i].name, arg->variable))
            return any_of(&op->variables[i].types);
    attr = arg->variable.size ? tn_vocab_find_attr(op, arg->variable) : NULL;
    return attr ? attr->types : any_of(&arg->types);
}

/* The only type of a set; TN_UNDEFINED: there are several. */
static enum tn_dtype only_type(uint64_t types)
{
    if (!types || (types & (types - 1)))
        return TN_UNDEFINED;
    enum tn_dtype dtype = TN_UNDEFINED;
    while (types >>= 1)
        dtype = (enum tn_dtype)(dtype + 1);
    return dtype;
}

static void declare(const struct tn_node_known *known,
                    const struct tn_vocab_arg  *arg,
                    const struct tn_attr_value *told, uint32_t index,
                    struct tn_node_input *input)
{
    input->arg = arg;
    if (input->type.dtype == TN_UNDEFINED)
        input->type.dtype = told_type(told, arg, index);
    if (input->type.dtype == TN_UNDEFINED && !arg->has_others)
        input->type.dtype = only_type(tn_node_types(known, arg));
}

static void declare_in_order(const struct tn_node_known *known,
                             struct tn_node_input       *inputs)
{
    const struct tn_vocab_op *op    = known->definition;
    uint32_t                  count = known->node->input_count, at = 0;

    for (uint32_t i = 0; i < op->input_count; i++) {
        const struct tn_attr_value *told = told_types(known, &op->inputs[i]);
        uint32_t here = count_inputs(known, &op->inputs[i], count - at);
        for (uint32_t k = 0; k < here; k++, at++)
            declare(known, &op->inputs[i], told, k, &inputs[at]);
    }
}

/* Paddle's have names. */
static void declare_by_slot(const struct tn_node_known *known,
                            struct tn_node_input       *inputs)
{
    const struct tn_vocab_op *op = known->definition;

    for (uint32_t at = 0; at < known->node->input_count; at++)
        for (uint32_t i = 0; i < op->input_count; i++)
            if (tn_bytes_equal(op->inputs[i].name, known->node->slots[at]))
                declare(known, &op->inputs[i],
                        told_types(known, &op->inputs[i]), 0, &inputs[at]);
}

/* The type of the first input of a type variable whose type is known. */
static enum tn_dtype variable_type(const struct tn_node_known *known,
                                   const struct tn_node_input *inputs,
                                   struct tn_bytes             variable)
{
    for (uint32_t i = 0; i < known->node->input_count; i++)
        if (inputs[i].arg && inputs[i].type.dtype != TN_UNDEFINED &&
            tn_bytes_equal(inputs[i].arg->variable, variable))
            return inputs[i].type.dtype;
    return TN_UNDEFINED;
}

/* By argument: a node may have as many inputs as a file has room for. */
void tn_node_share_types(const struct tn_node_known *known,
                         struct tn_node_input       *inputs)
{
    const struct tn_vocab_op *op = known->definition;

    for (uint32_t a = 0; op && a < op->input_count; a++) {
        const struct tn_vocab_arg *arg   = &op->inputs[a];
        enum tn_dtype              dtype = TN_UNDEFINED;
        if (!arg->is_mixed && arg->variable.size > 0)
            dtype = variable_type(known, inputs, arg->variable);
        for (uint32_t i = 0;
             dtype != TN_UNDEFINED && i < known->node->input_count; i++)
            if (inputs[i].arg == arg && inputs[i].type.dtype == TN_UNDEFINED)
                inputs[i].type.dtype = dtype;
    }
}

/* ---- the caller --------------------------------------------------------- */

static enum tn_dtype tensor_type(enum tn_framework framework,
                                 struct tn_bytes tensor, struct tn_error *error)
{
    bool               is_onnx = framework != TN_FRAMEWORK_TENSORFLOW;
    struct tn_cursor   c       = tn_cursor_bytes(tensor, 0, error);
    struct tn_pb_field f;
    uint64_t           number = 0;

    while (tn_pb_next(&c, &f))
        if (f.number == (is_onnx ? 2u : 1u) && f.type == TN_WIRE_VARINT)
            number = f.value;
    if (!is_onnx)
        return tn_tf_dtype(number);
    const struct tn_onnx_type *type = tn_onnx_type(number);
    return type ? type->dtype : TN_UNDEFINED;
}

static void ask(const struct tn_node_known *known, struct tn_bytes name,
                struct tn_node_input *input, struct tn_error *error)
{
    const struct tn_interpret_context *context = known->context;

    if (!context)
        return;
    if (context->type && !context->type(context->context, name, &input->type))
        input->type = (struct tn_native_type){ .dtype = TN_UNDEFINED };
    if (context->constant && name.size > 0 &&
        context->constant(context->context, name, &input->tensor))
        input->type.dtype =
            tensor_type(known->node->framework, input->tensor, error);
}

enum tn_status tn_node_inputs(const struct tn_node_known *known,
                              struct tn_arena            *arena,
                              struct tn_node_input      **inputs,
                              struct tn_error            *error)
{
    uint32_t count = known->node->input_count;

    *inputs = tn_new(arena, struct tn_node_input, count, error);
    if (!*inputs)
        return error->status;
    for (uint32_t i = 0; i < count; i++)
        ask(known, known->node->inputs[i], &(*inputs)[i], error);
    if (known->definition) {
        if (known->node->framework == TN_FRAMEWORK_PADDLE)
            declare_by_slot(known, *inputs);
        else
            declare_in_order(known, *inputs);
        tn_node_share_types(known, *inputs);
    }
    return error->status;
}
