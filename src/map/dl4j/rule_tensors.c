/*
 * rule_tensors.c - functions of rules that read or make tensors
 *
 * Inputs become inputs, their values arguments, and attributes constants.  See
 * rule_attributes.c for what comments call k and P[k].
 */
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/rule_call.h"

/* ---- tensors ------------------------------------------------------------ */

static enum tn_status add_input(struct tn_rule_call *call, struct tn_bytes name,
                                int32_t index)
{
    return tn_call_add(call, (struct tn_arg){ .name  = name,
                                              .type  = TN_ARG_INPUT_TENSOR,
                                              .index = index });
}

static enum tn_status place_tensor(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    uint32_t first, count;

    if (!tn_call_inputs(call, pair->source, &first, &count))
        return TN_OK;
    return add_input(
        call, call->node->inputs[first],
        tn_dl4j_index(call->target, pair->target, TN_ARG_INPUT_TENSOR));
}

/* Lists of inputs that go before this one push it back. */
static int32_t shifted(struct tn_rule_call *call, int32_t index)
{
    int64_t shift = 0;

    for (uint32_t i = 0; i < call->rule->pair_count; i++) {
        const struct tn_map_pair *pair = &call->rule->pairs[i];
        int32_t                   at =
            tn_dl4j_index(call->target, pair->target, TN_ARG_INPUT_TENSOR);
        uint32_t first, count;

        if (at < index && tn_call_inputs(call, pair->source, &first, &count))
            shift += (int64_t)count - 1;
    }
    return (int32_t)(index + shift);
}

static enum tn_status place_tensors(struct tn_rule_call      *call,
                                    const struct tn_map_pair *pair)
{
    int32_t base = shifted(
        call, tn_dl4j_index(call->target, pair->target, TN_ARG_INPUT_TENSOR));
    uint32_t first, count;

    if (!tn_call_inputs(call, pair->source, &first, &count))
        return TN_OK;
    for (uint32_t i = 0; i < count; i++)
        TN_TRY(add_input(call, pair->source, base + (int32_t)i));
    return TN_OK;
}

static enum tn_status run_passthrough(struct tn_rule_call *call)
{
    for (uint32_t i = 0; i < call->node->input_count; i++)
        if (call->node->inputs[i].size > 0)
            TN_TRY(add_input(call, call->node->inputs[i], (int32_t)i));
    return TN_OK;
}

/* ---- values of inputs --------------------------------------------------- */

static enum tn_status add_number(struct tn_rule_call *call, struct tn_bytes k,
                                 int64_t number, double real)
{
    if (tn_call_has_type(call, k, TN_ARG_INT64))
        TN_TRY(tn_call_int(call, k, k, number));
    if (tn_call_has_type(call, k, TN_ARG_DOUBLE))
        TN_TRY(tn_call_double(call, k, k, real));
    return TN_OK;
}

static enum tn_status first_number(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    struct tn_map_tensor tensor;
    bool                 is_known;

    TN_TRY(tn_call_constant(call, pair->source, &tensor, &is_known));
    if (tensor.ints && tensor.count > 0)
        return add_number(call, pair->target, tensor.ints[0], tensor.reals[0]);
    return add_number(call, pair->target, 0, 0);
}

static enum tn_status all_numbers(struct tn_rule_call      *call,
                                  const struct tn_map_pair *pair)
{
    int32_t base = tn_dl4j_index(call->target, pair->target, TN_ARG_INT64);
    struct tn_map_tensor tensor;
    bool                 is_known;

    TN_TRY(tn_call_constant(call, pair->source, &tensor, &is_known));
    for (uint64_t i = 0; tensor.ints && i < tensor.count; i++)
        TN_TRY(tn_call_add(call, (struct tn_arg){ .name   = pair->target,
                                                  .type   = TN_ARG_INT64,
                                                  .index  = base + (int32_t)i,
                                                  .number = tensor.ints[i] }));
    return TN_OK;
}

static enum tn_status size_at(struct tn_rule_call      *call,
                              const struct tn_map_pair *pair)
{
    const struct tn_arg *axis = tn_call_need(call, pair->target, 0);
    struct tn_map_tensor tensor;
    bool                 is_known;

    if (!axis)
        return call->error->status;
    TN_TRY(tn_call_constant(call, pair->source, &tensor, &is_known));
    if (tensor.rank == 0)
        return tn_call_int(call, pair->source, pair->target, -1);
    if (axis->number < 0 || axis->number >= tensor.rank)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "'%.*s' has %u dimensions, not dimension %lld",
                            TN_FMT(pair->source), tensor.rank,
                            (long long)axis->number);
    return tn_call_int(call, pair->source, pair->target,
                       tensor.dims[axis->number]);
}

/* ---- constants for inputs ----------------------------------------------- */

/* Numbers of an attribute as a tensor of that shape. */
static enum tn_status tensor_of(struct tn_rule_call        *call,
                                const struct tn_attr_value *value,
                                struct tn_map_tensor *tensor, uint32_t rank)
{
    int64_t *dims  = tn_new(call->arena, int64_t, 2, call->error);
    int64_t *ints  = tn_new(call->arena, int64_t, value->count, call->error);
    double  *reals = tn_new(call->arena, double, value->count, call->error);

    if (!dims || !ints || !reals)
        return call->error->status;
    bool is_real = value->kind == TN_ATTR_FLOAT;
    for (uint32_t i = 0; i < value->count; i++) {
        ints[i]  = is_real ? 0 : value->of.ints[i];
        reals[i] = is_real ? (double)value->of.floats[i] : (double)ints[i];
    }
    dims[0] = rank == 2 ? 1 : value->count;
    dims[1] = value->count;
    *tensor = (struct tn_map_tensor){
        .dtype      = is_real ? TN_FLOAT32 : TN_INT64,
        .rank       = rank,
        .dims       = dims,
        .count      = value->count,
        .has_values = true,
        .ints       = ints,
        .reals      = reals,
    };
    return TN_OK;
}

/* A shape as the list of its dimensions. */
static struct tn_attr_value flat(const struct tn_attr_value *value)
{
    if (value->kind != TN_ATTR_SHAPE || value->count == 0)
        return *value;
    return (struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                   .is_list = true,
                                   .count   = value->of.shapes[0].rank,
                                   .of.ints = value->of.shapes[0].dims };
}

static enum tn_status add_tensor(struct tn_rule_call      *call,
                                 const struct tn_map_pair *pair,
                                 uint32_t scalar_rank, uint32_t list_rank)
{
    struct tn_attr_value value;
    struct tn_map_tensor tensor;

    if (!tn_call_attr(call, pair->source, &value))
        return TN_OK;
    value = flat(&value);
    if (value.count == 0)
        return TN_OK;
    if (value.kind != TN_ATTR_INT && value.kind != TN_ATTR_FLOAT)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' holds no numbers",
                            TN_FMT(pair->source));
    TN_TRY(tensor_of(call, &value, &tensor,
                     value.is_list ? list_rank : scalar_rank));
    return tn_call_tensor(call, pair->target, pair->target, &tensor);
}

static enum tn_status list_to_tensor(struct tn_rule_call      *call,
                                     const struct tn_map_pair *pair)
{
    return add_tensor(call, pair, 0, 1);
}

/* Integers get a dimension more than floats do. */
static enum tn_status list_to_row(struct tn_rule_call      *call,
                                  const struct tn_map_pair *pair)
{
    struct tn_attr_value value;
    bool                 is_int =
        tn_call_attr(call, pair->source, &value) && value.kind == TN_ATTR_INT;

    return add_tensor(call, pair, 0, is_int ? 2 : 1);
}

static enum tn_status scalar_to_matrix(struct tn_rule_call      *call,
                                       const struct tn_map_pair *pair)
{
    return add_tensor(call, pair, 2, 2);
}

/* A tensor that is an attribute; not there: count is 0. */
static enum tn_status attr_tensor(struct tn_rule_call  *call,
                                  struct tn_bytes       name,
                                  struct tn_map_tensor *tensor, bool *is_there)
{
    struct tn_attr_value value;

    *is_there = tn_call_attr(call, name, &value) && value.count > 0;
    *tensor   = (struct tn_map_tensor){ 0 };
    if (!*is_there)
        return TN_OK;
    if (value.kind != TN_ATTR_OTHER)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' is not a tensor",
                            TN_FMT(name));
    return tn_map_tensor_read(tensor, call->node->framework,
                              value.of.strings[0], call->arena, call->error);
}

static enum tn_status tensor_to_input(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    struct tn_map_tensor tensor;
    bool                 is_there;

    TN_TRY(attr_tensor(call, pair->source, &tensor, &is_there));
    if (!is_there)
        return TN_OK;
    return tn_call_tensor(call, pair->target, pair->target, &tensor);
}

static enum tn_status first_of_attribute(struct tn_rule_call      *call,
                                         const struct tn_map_pair *pair)
{
    struct tn_map_tensor tensor;
    bool                 is_there;

    TN_TRY(attr_tensor(call, pair->source, &tensor, &is_there));
    if (!tensor.ints || tensor.count == 0)
        return TN_OK;
    return add_number(call, pair->target, tensor.ints[0], tensor.reals[0]);
}

static enum tn_status string_to_input(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    struct tn_bytes *text =
        tn_new(call->arena, struct tn_bytes, 1, call->error);
    struct tn_map_tensor tensor = {
        .dtype = TN_STRING, .count = 1, .has_values = true, .strings = text
    };

    if (!text)
        return call->error->status;
    *text = tn_call_text(call, pair->source);
    return tn_call_tensor(call, pair->target, pair->target, &tensor);
}

static enum tn_status extract_scalar(struct tn_rule_call      *call,
                                     const struct tn_map_pair *pair)
{
    const struct tn_arg *index = tn_call_need(call, pair->target, 0);
    struct tn_map_tensor tensor;
    bool                 is_known;

    if (!index)
        return call->error->status;
    TN_TRY(tn_call_constant(call, pair->source, &tensor, &is_known));
    if (!tensor.reals)
        return TN_OK;
    if (index->number < 0 || (uint64_t)index->number >= tensor.count)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' has no element %lld",
                            TN_FMT(pair->source), (long long)index->number);
    struct tn_map_tensor scalar = { .dtype      = TN_FLOAT64,
                                    .count      = 1,
                                    .has_values = true,
                                    .ints       = tensor.ints + index->number,
                                    .reals = tensor.reals + index->number };
    return tn_call_tensor(call, pair->target, pair->target, &scalar);
}

/* ---- products of dimensions --------------------------------------------- */

static bool product(const int64_t *values, int64_t begin, int64_t end,
                    int64_t *result)
{
    *result = 1;
    for (int64_t i = begin; i < end; i++)
        if (__builtin_mul_overflow(*result, values[i], result))
            return false;
    return true;
}

/* The second product leaves the last element out, as the original does. */
static enum tn_status add_products(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair,
                                   const int64_t *values, int64_t count)
{
    const struct tn_arg *axis = tn_call_need(call, pair->target, 0);
    int32_t base = tn_dl4j_index(call->target, pair->target, TN_ARG_INT64);
    int64_t before, after;

    if (!axis)
        return call->error->status;
    if (axis->number < 0 || axis->number > count ||
        !product(values, 0, axis->number, &before) ||
        !product(values, axis->number, count - 1, &after))
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "'%.*s' cannot be flattened at %lld",
                            TN_FMT(pair->source), (long long)axis->number);
    struct tn_arg arg = { .name   = pair->target,
                          .type   = TN_ARG_INT64,
                          .index  = base,
                          .number = before };
    TN_TRY(tn_call_add(call, arg));
    arg.index++;
    arg.number = after;
    return tn_call_add(call, arg);
}

static enum tn_status flatten(struct tn_rule_call      *call,
                              const struct tn_map_pair *pair)
{
    struct tn_attr_value value;
    struct tn_map_tensor tensor;
    bool                 is_known;

    if (tn_call_attr(call, pair->source, &value)) {
        value = flat(&value);
        if (value.kind == TN_ATTR_INT)
            return add_products(call, pair, value.of.ints, value.count);
    }
    TN_TRY(tn_call_constant(call, pair->source, &tensor, &is_known));
    if (!tensor.ints)
        return TN_OK;
    return add_products(call, pair, tensor.ints, (int64_t)tensor.count);
}

/* ---- the table ---------------------------------------------------------- */

#define FROM_NUMBERS                                                           \
    (TN_FROM_INT | TN_FROM_FLOAT | TN_FROM_LIST(TN_FROM_INT | TN_FROM_FLOAT))
#define GIVES_NUMBER (TN_GIVES(INT64) | TN_GIVES(DOUBLE) | TN_GIVES(INT32))

/* clang-format off */
const struct tn_map_function tn_map_functions_of_tensors[] = {
    { "ndarraymapping", true, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), .each = place_tensor },
    { "multiinputindex", true, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), .each = place_tensors },
    { "passthrough", true, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), .run = run_passthrough },
    { "ndarrayinputtonumericalattribute", false, TN_FROM_TENSOR, GIVES_NUMBER, .each = first_number },
    { "ndarraytointattributevalue", false, TN_FROM_TENSOR, TN_GIVES(INT64), .each = all_numbers },
    { "ndarraysizeat", false, TN_FROM_TENSOR, TN_GIVES(INT64), .each = size_at },
    { "listnumbertondarray", false, FROM_NUMBERS | TN_FROM_SHAPE, TN_GIVES(INPUT_TENSOR), .each = list_to_tensor },
    { "ndarrayinputtondarray", false, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), .each = tensor_to_input },
    { "convertinputstringtondarray", false, TN_FROM_STRING, TN_GIVES(INPUT_TENSOR), .each = string_to_input },
    { "convertinputnumberlisttondarray", false, FROM_NUMBERS, TN_GIVES(INPUT_TENSOR), .each = list_to_row },
    { "attributescalarndarrayattribute", false, TN_FROM_INT | TN_FROM_FLOAT, TN_GIVES(INPUT_TENSOR), .each = scalar_to_matrix },
    { "attributendarraytoscalarattribute", false, TN_FROM_TENSOR, GIVES_NUMBER, .each = first_of_attribute },
    { "ndarrayextractscalarvalue", false, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), .each = extract_scalar },
    { "flattendims", false, TN_FROM_LIST(TN_FROM_INT) | TN_FROM_SHAPE | TN_FROM_TENSOR, TN_GIVES(INT64), .each = flatten },
    { NULL, false, 0, 0, .run = NULL },
};
/* clang-format on */
