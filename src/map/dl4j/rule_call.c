/* rule_call.c - the functions that rules name, and what they share */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "ir/model_tables.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/ir_types.h"
#include "map/dl4j/rule_call.h"
#include "map/dl4j/rule_table.h"

enum tn_status tn_call_fail(struct tn_rule_call *call, enum tn_status status,
                            const char *format, ...)
{
    char what[sizeof call->error->what];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_error_set(call->error, status, TN_NOWHERE, "%s: %s",
                 call->rule->function->name, what);
    tn_error_where(call->error, "%.*s", TN_FMT(call->node->op_type));
    return call->error->status;
}

/* Whether nd4j declares an argument `k` of that type. */
static bool call_has_type(const struct tn_rule_call *call, struct tn_bytes k,
                          enum tn_arg_type type)
{
    return tn_dl4j_types(call->target, k) >> type & 1;
}

/* ---- for functions of the caller's -------------------------------------- */

uint32_t tn_call_pair_count(const struct tn_rule_call *call)
{
    return call->rule->pair_count;
}

struct tn_bytes tn_call_pair_nd4j(const struct tn_rule_call *call,
                                  uint32_t                   pair)
{
    return pair < call->rule->pair_count ? call->rule->pairs[pair].target
                                         : tn_bytes(NULL, 0);
}

struct tn_bytes tn_call_pair_framework(const struct tn_rule_call *call,
                                       uint32_t                   pair)
{
    return pair < call->rule->pair_count ? call->rule->pairs[pair].source
                                         : tn_bytes(NULL, 0);
}

static const struct tn_arg *find_parameter(const struct tn_rule_call *call,
                                           struct tn_bytes key, uint32_t index)
{
    const struct tn_map_group *group = tn_map_rule_group(call->rule, key);

    return group && index < group->count ? &group->items[index] : NULL;
}

const struct tn_arg *tn_call_parameter(const struct tn_rule_call *call,
                                       const char *key, uint32_t index)
{
    return find_parameter(call, tn_text(key), index);
}

/* A parameter that the rule must have; fails if it is missing. */
static const struct tn_arg *call_need(struct tn_rule_call *call,
                                      struct tn_bytes key, uint32_t index)
{
    const struct tn_arg *arg = find_parameter(call, key, index);

    if (!arg)
        tn_call_fail(call, TN_MALFORMED,
                     "'%.*s' has no parameter %" PRIu32 " in line %" PRIu32
                     " of the rules",
                     TN_FMT(key), index, call->rule->place.line);
    return arg;
}

int32_t tn_call_index(const struct tn_rule_call *call, struct tn_bytes name,
                      enum tn_arg_type type)
{
    return tn_dl4j_index(call->target, name, type);
}

/* ---- attributes --------------------------------------------------------- */

bool tn_call_attr(struct tn_rule_call *call, struct tn_bytes name,
                  struct tn_attr_value *value)
{
    const struct tn_map_attr   *own = tn_map_node_attr(call->node, name);
    const struct tn_vocab_attr *declared =
        call->definition ? tn_vocab_find_attr(call->definition, name) : NULL;

    if (own) {
        *value = own->value;
        return true;
    }
    /* The default of a tensor is text of the vocabulary. */
    if (!declared || !declared->has_default ||
        declared->value.kind == TN_ATTR_OTHER)
        return false;
    *value = declared->value;
    return true;
}

/* An attribute as text; empty if the node does not have it. */
static struct tn_bytes call_text(struct tn_rule_call *call,
                                 struct tn_bytes      name)
{
    struct tn_attr_value value;

    if (!tn_call_attr(call, name, &value) || value.kind != TN_ATTR_STRING ||
        value.count == 0)
        return tn_bytes(NULL, 0);
    return value.of.strings[0];
}

/* ---- inputs ------------------------------------------------------------- */

/* How many of the node's inputs a formal one covers. */
static uint32_t covered(struct tn_rule_call       *call,
                        const struct tn_vocab_arg *arg, uint32_t left)
{
    struct tn_attr_value value;

    if (arg->arity == TN_VOCAB_MANY || arg->arity == TN_VOCAB_SOME)
        return left;
    if (arg->arity != TN_VOCAB_COUNTED && arg->arity != TN_VOCAB_BY_TYPES)
        return left < 1 ? left : 1;
    if (!tn_call_attr(call, arg->list, &value) || value.count == 0)
        return 0;
    uint64_t wanted = value.count;
    if (arg->arity == TN_VOCAB_COUNTED)
        wanted = value.kind == TN_ATTR_INT && value.of.ints[0] > 0
                     ? (uint64_t)value.of.ints[0]
                     : 0;
    return wanted < left ? (uint32_t)wanted : left;
}

/* Which of the node's inputs a formal name covers; false: none is given. */
static bool call_inputs(struct tn_rule_call *call, struct tn_bytes name,
                        uint32_t *first, uint32_t *count)
{
    const struct tn_vocab_op *op = call->definition;
    uint32_t                  at = 0;

    for (uint32_t i = 0; op && i < op->input_count; i++) {
        *first = at;
        *count = covered(call, &op->inputs[i], call->node->input_count - at);
        at += *count;
        if (tn_bytes_equal(op->inputs[i].name, name))
            return *count > 0 && call->node->inputs[*first].size > 0;
    }
    return false;
}

/* A variable that is read through Identity is looked up by itself. */
static struct tn_bytes without_read(const struct tn_map_node *node,
                                    struct tn_bytes           name)
{
    if (node->framework == TN_FRAMEWORK_TENSORFLOW && name.size > 5 &&
        tn_bytes_ends_with(name, "/read"))
        name.size -= 5;
    return name;
}

static enum tn_status find_constant(struct tn_rule_call  *call,
                                    struct tn_bytes       name,
                                    struct tn_map_tensor *tensor,
                                    bool                 *is_known)
{
    const struct tn_map_context *context = call->context;

    if (!context || !context->constant)
        return TN_OK;
    return context->constant(context->context, name, tensor, is_known,
                             call->arena, call->error);
}

/* The value of an input.  *is_known is false if it is unknown, which a strict
 * context refuses. */
static enum tn_status call_constant(struct tn_rule_call  *call,
                                    struct tn_bytes       name,
                                    struct tn_map_tensor *tensor,
                                    bool                 *is_known)
{
    uint32_t first, count;

    *is_known = false;
    *tensor   = (struct tn_map_tensor){ 0 };
    if (!call_inputs(call, name, &first, &count))
        return TN_OK;
    struct tn_bytes input = call->node->inputs[first];
    struct tn_bytes read  = without_read(call->node, input);
    find_constant(call, read, tensor, is_known);
    if (!tn_failed(call->error) && !*is_known && read.size != input.size)
        find_constant(call, input, tensor, is_known);
    if (tn_failed(call->error))
        tn_error_where(call->error, "%.*s", TN_FMT(input));
    else if (!*is_known && call->context && call->context->is_strict)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "input '%.*s' must be constant", TN_FMT(name));
    return call->error->status;
}

/* ---- arguments ---------------------------------------------------------- */

/* One list can become many arguments, but more than this must be a mistake. */
#define ARGS_LIMIT (1u << 20)

/* The same at a place of the caller's. */
static enum tn_status call_add(struct tn_rule_call *call, struct tn_arg arg)
{
    if (call->args->count == ARGS_LIMIT)
        return tn_call_fail(call, TN_LIMIT, "more than %u arguments",
                            ARGS_LIMIT);
    arg.name             = tn_bytes_dup(call->arena, arg.name, call->error);
    arg.text             = tn_bytes_dup(call->arena, arg.text, call->error);
    struct tn_arg *added = tn_list_push(call->args, struct tn_arg, call->error);
    if (!added || tn_failed(call->error))
        return call->error->status;
    *added           = arg;
    added->has_value = true;
    return TN_OK;
}

enum tn_status tn_call_emit(struct tn_rule_call *call, const struct tn_arg *arg,
                            struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_arg copy = *arg;

    if ((unsigned)arg->type >= TN_ARG_TYPE_COUNT)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "an argument of type %u", (unsigned)arg->type);
    copy.tensor = tn_bytes_dup(call->arena, arg->tensor, call->error);
    call_add(call, copy);
    if (call->error != error && tn_failed(call->error))
        *error = *call->error;
    return call->error->status;
}

static struct tn_arg declared(const struct tn_rule_call *call,
                              struct tn_bytes name, struct tn_bytes k,
                              enum tn_arg_type type)
{
    return (struct tn_arg){ .name  = name,
                            .type  = type,
                            .index = tn_dl4j_index(call->target, k, type) };
}

/* Adds an argument named and typed, at the place nd4j declares for `k`. */
static enum tn_status call_int(struct tn_rule_call *call, struct tn_bytes name,
                               struct tn_bytes k, int64_t value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_INT64);

    arg.number = value;
    return call_add(call, arg);
}

static enum tn_status call_double(struct tn_rule_call *call,
                                  struct tn_bytes name, struct tn_bytes k,
                                  double value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_DOUBLE);

    arg.real = value;
    return call_add(call, arg);
}

static enum tn_status call_bool(struct tn_rule_call *call, struct tn_bytes name,
                                struct tn_bytes k, bool value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_BOOL);

    arg.number = value;
    return call_add(call, arg);
}

static enum tn_status call_string(struct tn_rule_call *call,
                                  struct tn_bytes name, struct tn_bytes k,
                                  struct tn_bytes value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_STRING);

    arg.text = value;
    return call_add(call, arg);
}

static enum tn_status call_type(struct tn_rule_call *call, struct tn_bytes name,
                                struct tn_bytes k, enum tn_dtype dtype)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_DATA_TYPE);

    arg.number = tn_ir_type(dtype);
    if (arg.number == 0)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "nd4j has no type for '%.*s': %s", TN_FMT(name),
                            tn_dtype_name(dtype));
    return call_add(call, arg);
}

static enum tn_status call_tensor(struct tn_rule_call *call,
                                  struct tn_bytes name, struct tn_bytes k,
                                  const struct tn_map_tensor *value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_INPUT_TENSOR);

    if (!value->has_values)
        return call_add(call, arg);
    TN_TRY(tn_map_tensor_write(value, call->arena, &arg.tensor, call->error));
    if (call->made) {
        struct tn_map_made *made =
            tn_list_push(call->made, struct tn_map_made, call->error);
        if (made)
            *made = (struct tn_map_made){ arg.tensor.data, *value };
    }
    return call_add(call, arg);
}

/* ---- functions of rules that read or make tensors ----------------------- */

/*
 * Inputs become inputs, their values arguments, and attributes constants.  The
 * functions of attributes below say what comments call k and P[k].
 */

/* ---- tensors ------------------------------------------------------------ */

static enum tn_status add_input(struct tn_rule_call *call, struct tn_bytes name,
                                int32_t index)
{
    return call_add(call, (struct tn_arg){ .name  = name,
                                           .type  = TN_ARG_INPUT_TENSOR,
                                           .index = index });
}

static enum tn_status place_tensor(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    uint32_t first, count;

    if (!call_inputs(call, pair->source, &first, &count))
        return TN_OK;
    return add_input(
        call, call->node->inputs[first],
        tn_dl4j_index(call->target, pair->target, TN_ARG_INPUT_TENSOR));
}

/* Lists of inputs before this one increase its index. */
static int32_t shifted(struct tn_rule_call *call, int32_t index)
{
    int64_t shift = 0;

    for (uint32_t i = 0; i < call->rule->pair_count; i++) {
        const struct tn_map_pair *pair = &call->rule->pairs[i];
        int32_t                   at =
            tn_dl4j_index(call->target, pair->target, TN_ARG_INPUT_TENSOR);
        uint32_t first, count;

        if (at < index && call_inputs(call, pair->source, &first, &count))
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

    if (!call_inputs(call, pair->source, &first, &count))
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
    if (call_has_type(call, k, TN_ARG_INT64))
        TN_TRY(call_int(call, k, k, number));
    if (call_has_type(call, k, TN_ARG_DOUBLE))
        TN_TRY(call_double(call, k, k, real));
    return TN_OK;
}

static enum tn_status first_number(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    struct tn_map_tensor tensor;
    bool                 is_known;

    TN_TRY(call_constant(call, pair->source, &tensor, &is_known));
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

    TN_TRY(call_constant(call, pair->source, &tensor, &is_known));
    for (uint64_t i = 0; tensor.ints && i < tensor.count; i++)
        TN_TRY(call_add(call, (struct tn_arg){ .name   = pair->target,
                                               .type   = TN_ARG_INT64,
                                               .index  = base + (int32_t)i,
                                               .number = tensor.ints[i] }));
    return TN_OK;
}

static enum tn_status size_at(struct tn_rule_call      *call,
                              const struct tn_map_pair *pair)
{
    const struct tn_arg *axis = call_need(call, pair->target, 0);
    struct tn_map_tensor tensor;
    bool                 is_known;

    if (!axis)
        return call->error->status;
    TN_TRY(call_constant(call, pair->source, &tensor, &is_known));
    if (tensor.rank == 0)
        return call_int(call, pair->source, pair->target, -1);
    if (axis->number < 0 || axis->number >= tensor.rank)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "'%.*s' has %u dimensions, not dimension %lld",
                            TN_FMT(pair->source), tensor.rank,
                            (long long)axis->number);
    return call_int(call, pair->source, pair->target,
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
    return call_tensor(call, pair->target, pair->target, &tensor);
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
    if (value.kind != TN_ATTR_TENSOR)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' is not a tensor",
                            TN_FMT(name));
    return tn_map_tensor_read(tensor, &value.of.tensors[0]->elements,
                              call->arena, call->error);
}

static enum tn_status tensor_to_input(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    struct tn_map_tensor tensor;
    bool                 is_there;

    TN_TRY(attr_tensor(call, pair->source, &tensor, &is_there));
    if (!is_there)
        return TN_OK;
    return call_tensor(call, pair->target, pair->target, &tensor);
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
    *text = call_text(call, pair->source);
    return call_tensor(call, pair->target, pair->target, &tensor);
}

static enum tn_status extract_scalar(struct tn_rule_call      *call,
                                     const struct tn_map_pair *pair)
{
    const struct tn_arg *index = call_need(call, pair->target, 0);
    struct tn_map_tensor tensor;
    bool                 is_known;

    if (!index)
        return call->error->status;
    TN_TRY(call_constant(call, pair->source, &tensor, &is_known));
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
    return call_tensor(call, pair->target, pair->target, &scalar);
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
    const struct tn_arg *axis = call_need(call, pair->target, 0);
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
    TN_TRY(call_add(call, arg));
    arg.index++;
    arg.number = after;
    return call_add(call, arg);
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
    TN_TRY(call_constant(call, pair->source, &tensor, &is_known));
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

/* ---- functions of rules that make arguments of attributes --------------- */

/*
 * In comments, k is a pair's name in nd4j and v the framework's; P[k] is the
 * group of parameters of key k.  If a name does not match what the function
 * does, the function still does what Deeplearning4j's does, because its rules
 * rely on that.
 */

/* ---- scalars ------------------------------------------------------------ */

/* Value i of an attribute, as the kind of argument that holds it. */
static enum tn_status add_element(struct tn_rule_call *call,
                                  struct tn_bytes name, struct tn_bytes k,
                                  const struct tn_attr_value *value, uint32_t i)
{
    switch (value->kind) {
    case TN_ATTR_INT: return call_int(call, name, k, value->of.ints[i]);
    case TN_ATTR_FLOAT:
        return call_double(call, name, k, (double)value->of.floats[i]);
    case TN_ATTR_DOUBLE:
        return call_double(call, name, k, value->of.doubles[i]);
    case TN_ATTR_BOOL: return call_bool(call, name, k, value->of.ints[i] != 0);
    case TN_ATTR_STRING:
        return call_string(call, name, k, value->of.strings[i]);
    case TN_ATTR_DTYPE:
        return call_type(call, name, k, (enum tn_dtype)value->of.ints[i]);
    default:
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "'%.*s' holds no number, text or type",
                            TN_FMT(name));
    }
}

static enum tn_status copy_value(struct tn_rule_call      *call,
                                 const struct tn_map_pair *pair)
{
    struct tn_attr_value value;

    if (!tn_call_attr(call, pair->source, &value) || value.count == 0)
        return TN_OK;
    if (value.is_list)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' is a list",
                            TN_FMT(pair->source));
    return add_element(call, pair->target, pair->target, &value, 0);
}

static enum tn_status run_argdescriptorconstant(struct tn_rule_call *call)
{
    for (uint32_t g = 0; g < call->rule->group_count; g++)
        for (uint32_t i = 0; i < call->rule->groups[g].count; i++)
            TN_TRY(call_add(call, call->rule->groups[g].items[i]));
    return TN_OK;
}

/* Does not negate: a number becomes a bool, a bool a number. */
static enum tn_status coerce(struct tn_rule_call      *call,
                             const struct tn_map_pair *pair)
{
    struct tn_bytes      k = pair->target;
    struct tn_attr_value value;

    if (!tn_call_attr(call, pair->source, &value) || value.count == 0)
        return TN_OK;
    if (value.kind == TN_ATTR_INT)
        return call_bool(call, k, k, value.of.ints[0] > 0);
    if (value.kind == TN_ATTR_FLOAT)
        return call_bool(call, k, k, value.of.floats[0] > 0);
    if (value.kind != TN_ATTR_BOOL)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "'%.*s' is neither number nor bool",
                            TN_FMT(pair->source));
    if (call_has_type(call, k, TN_ARG_INT64))
        TN_TRY(call_int(call, k, k, value.of.ints[0] != 0));
    if (call_has_type(call, k, TN_ARG_DOUBLE))
        TN_TRY(call_double(call, k, k, value.of.ints[0] != 0));
    return TN_OK;
}

static enum tn_status type_to_int(struct tn_rule_call      *call,
                                  const struct tn_map_pair *pair)
{
    struct tn_attr_value value;

    if (!tn_call_attr(call, pair->source, &value) || value.count == 0)
        return TN_OK;
    if (value.kind != TN_ATTR_DTYPE)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' is not a type",
                            TN_FMT(pair->source));
    enum tn_dtype dtype  = (enum tn_dtype)value.of.ints[0];
    int64_t       number = tn_nd4j_type(dtype);
    if (number < 0)
        return tn_call_fail(call, TN_UNSUPPORTED, "nd4j has no type %s",
                            tn_dtype_name(dtype));
    return call_int(call, pair->target, pair->target, number);
}

/* ---- strings ------------------------------------------------------------ */

/* A bool for each type with which k is declared. */
static enum tn_status add_truth(struct tn_rule_call *call, struct tn_bytes name,
                                struct tn_bytes k, bool truth)
{
    if (call_has_type(call, k, TN_ARG_BOOL))
        TN_TRY(call_bool(call, name, k, truth));
    if (call_has_type(call, k, TN_ARG_INT64))
        TN_TRY(call_int(call, name, k, truth));
    if (call_has_type(call, k, TN_ARG_DOUBLE))
        TN_TRY(call_double(call, name, k, truth));
    return TN_OK;
}

static enum tn_status string_equals(struct tn_rule_call      *call,
                                    const struct tn_map_pair *pair)
{
    const struct tn_arg *c = call_need(call, pair->target, 0);

    if (!c)
        return call->error->status;
    return add_truth(call, pair->source, pair->target,
                     tn_bytes_equal(call_text(call, pair->source), c->text));
}

static enum tn_status string_differs(struct tn_rule_call      *call,
                                     const struct tn_map_pair *pair)
{
    const struct tn_arg *c = call_need(call, pair->target, 0);

    if (!c)
        return call->error->status;
    return add_truth(call, pair->target, pair->target,
                     !tn_bytes_equal(call_text(call, pair->source), c->text));
}

/* The constant must contain the attribute, not the reverse. */
static enum tn_status string_contains(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    const struct tn_arg *c = call_need(call, pair->target, 0);

    if (!c)
        return call->error->status;
    struct tn_bytes text = call_text(call, pair->source);
    return add_truth(call, pair->target, pair->target,
                     text.size && tn_bytes_contains(c->text, text));
}

static enum tn_status string_to_index(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    const struct tn_map_group *words =
        tn_map_rule_group(call->rule, pair->target);
    struct tn_bytes text  = call_text(call, pair->source);
    int64_t         found = -1;

    for (uint32_t i = 0; words && found < 0 && i < words->count; i++)
        if (tn_bytes_equal(words->items[i].text, text))
            found = i;
    return call_int(call, pair->target, pair->target, found);
}

static enum tn_status map_string(struct tn_rule_call      *call,
                                 const struct tn_map_pair *pair)
{
    const struct tn_map_group *words =
        tn_map_rule_group(call->rule, pair->target);
    const struct tn_arg *index = call_need(call, tn_text("index"), 0);
    struct tn_attr_value value = { 0 };

    if (!index)
        return call->error->status;
    if (!tn_call_attr(call, pair->source, &value) ||
        value.kind != TN_ATTR_STRING || index->number < 0 ||
        index->number >= value.count)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' has no element %lld",
                            TN_FMT(pair->source), (long long)index->number);
    struct tn_bytes word = value.of.strings[index->number];
    for (uint32_t i = 0; words && i < words->count; i++)
        if (tn_bytes_equal(words->items[i].name, word))
            return call_int(call, pair->target, pair->target,
                            words->items[i].number);
    return tn_call_fail(call, TN_UNSUPPORTED, "the rule has no '%.*s'",
                        TN_FMT(word));
}

/* ---- lists -------------------------------------------------------------- */

/* A default in a rule mostly has no type of its own. */
static enum tn_status add_default(struct tn_rule_call      *call,
                                  const struct tn_map_pair *pair)
{
    const struct tn_map_group *group =
        tn_map_rule_group(call->rule, pair->target);
    struct tn_arg arg;

    if (!group || group->count < 2)
        return TN_OK;
    arg = group->items[1];
    if (arg.type == TN_ARG_FLOAT)
        arg.type = call_has_type(call, pair->target, TN_ARG_DOUBLE)
                       ? TN_ARG_DOUBLE
                       : TN_ARG_INT64;
    return call_add(call, arg);
}

static enum tn_status take_element(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    const struct tn_arg *index = call_need(call, pair->target, 0);
    struct tn_attr_value value = { 0 };

    if (!index)
        return call->error->status;
    if (!tn_call_attr(call, pair->source, &value) || value.count == 0)
        return add_default(call, pair);
    if (index->number < 0 || index->number >= value.count)
        return tn_call_fail(
            call, TN_UNSUPPORTED, "'%.*s' has %u elements, not element %lld",
            TN_FMT(pair->source), value.count, (long long)index->number);
    return add_element(call, pair->target, pair->target, &value,
                       (uint32_t)index->number);
}

/* "axes", "axes1", "axes2": the names of a list's arguments. */
static struct tn_bytes numbered(struct tn_rule_call *call, struct tn_bytes k,
                                uint32_t i)
{
    char *name;

    if (i == 0)
        return k;
    name = tn_text_format(call->arena, call->error, "%.*s%u", TN_FMT(k), i);
    return name ? tn_text(name) : k;
}

/* The first rule's list begins at its own place; later ones go after all that
 * was emitted before. */
static enum tn_status spread(struct tn_rule_call      *call,
                             const struct tn_map_pair *pair)
{
    struct tn_bytes      k     = pair->target;
    bool                 first = call->args->count == 0;
    struct tn_attr_value value;

    if (!tn_call_attr(call, pair->source, &value) || value.count == 0)
        return TN_OK;
    enum tn_arg_type type =
        value.kind == TN_ATTR_INT ? TN_ARG_INT64 : TN_ARG_DOUBLE;
    int64_t base = first ? tn_dl4j_index(call->target, k, type)
                         : (int64_t)call->args->count;
    if (value.kind != TN_ATTR_INT && value.kind != TN_ATTR_FLOAT)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "'%.*s' is not a list of numbers",
                            TN_FMT(pair->source));
    for (uint32_t i = 0; i < value.count; i++) {
        struct tn_arg arg = { .name  = numbered(call, k, i),
                              .type  = type,
                              .index = (int32_t)(base + i) };
        if (type == TN_ARG_INT64)
            arg.number = value.of.ints[i];
        else
            arg.real = (double)value.of.floats[i];
        TN_TRY(call_add(call, arg));
    }
    return TN_OK;
}

/* P[k]: targetValue, trueIndex, falseIndex, attributeNameOfListAttribute. */
struct choice {
    int64_t         index;
    struct tn_bytes list;
};

static enum tn_status choose(struct tn_rule_call      *call,
                             const struct tn_map_pair *pair,
                             struct choice            *choice)
{
    const struct tn_arg *list = call_need(call, pair->target, 3);

    if (!list)
        return call->error->status;
    const struct tn_arg *p = list - 3;
    bool is_target = tn_bytes_equal(call_text(call, pair->source), p[0].text);
    choice->index  = is_target ? p[1].number : p[2].number;
    choice->list   = list->text;
    return TN_OK;
}

static enum tn_status no_element(struct tn_rule_call *call,
                                 const struct choice *choice)
{
    return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' has no number %lld",
                        TN_FMT(choice->list), (long long)choice->index);
}

static enum tn_status pick_by_layout(struct tn_rule_call      *call,
                                     const struct tn_map_pair *pair)
{
    struct choice        choice;
    struct tn_attr_value value = { 0 };

    TN_TRY(choose(call, pair, &choice));
    if (!tn_call_attr(call, choice.list, &value) || value.kind != TN_ATTR_INT ||
        choice.index < 0 || choice.index >= value.count)
        return no_element(call, &choice);
    return call_int(call, pair->source, pair->target,
                    value.of.ints[choice.index]);
}

static enum tn_status pick_from_input(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    struct choice        choice;
    struct tn_map_tensor tensor;
    bool                 is_known;

    TN_TRY(choose(call, pair, &choice));
    TN_TRY(call_constant(call, choice.list, &tensor, &is_known));
    if (!is_known)
        return call_int(call, pair->source, pair->target, 0);
    if (!tensor.ints || choice.index < 0 ||
        (uint64_t)choice.index >= tensor.count)
        return no_element(call, &choice);
    return call_int(call, pair->source, pair->target,
                    tensor.ints[choice.index]);
}

static bool parse_index(struct tn_bytes text, int64_t *index)
{
    return tn_int64_parse(text, index) && *index >= 0;
}

/* P[k]: index, sizeThreshold, fallbackIndex (as text). */
static enum tn_status pick_by_size(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    const struct tn_arg *last  = call_need(call, pair->target, 2);
    struct tn_attr_value value = { 0 };
    int64_t              index;

    if (!last)
        return call->error->status;
    const struct tn_arg *p = last - 2;
    if (!tn_call_attr(call, pair->source, &value) || value.kind != TN_ATTR_INT)
        return TN_OK;
    index = p[0].number;
    if ((int64_t)value.count < p[1].number && !parse_index(p[2].text, &index))
        return tn_call_fail(call, TN_MALFORMED,
                            "fallbackIndex is not a number");
    if (index < 0 || index >= value.count)
        return tn_call_fail(
            call, TN_UNSUPPORTED, "'%.*s' has %u elements, not element %lld",
            TN_FMT(pair->source), value.count, (long long)index);
    return call_int(call, pair->target, pair->target, value.of.ints[index]);
}

/* ---- the table ---------------------------------------------------------- */

#define GIVES_SCALAR                                                           \
    (TN_GIVES(INT64) | TN_GIVES(DOUBLE) | TN_GIVES(BOOL) | TN_GIVES(STRING) |  \
     TN_GIVES(DATA_TYPE) | TN_GIVES(INT32) | TN_GIVES(FLOAT))
#define GIVES_TRUTH (TN_GIVES(BOOL) | TN_GIVES(INT64) | TN_GIVES(DOUBLE))
#define LISTS       TN_FROM_LIST(0xffu)

/* clang-format off */
const struct tn_map_function tn_map_functions_of_attributes[] = {
    /* Outputs hold no values; a shipped rule names one, and must load. */
    { "valuemapping", false, TN_FROM_ANY & ~TN_FROM_TENSOR, GIVES_SCALAR | TN_GIVES(OUTPUT_TENSOR), .each = copy_value },
    { "argdescriptorconstant", false, TN_FROM_ANY, ~0u, .run = run_argdescriptorconstant },
    { "invertbooleannumber", false, TN_FROM_INT | TN_FROM_FLOAT | TN_FROM_BOOL, GIVES_TRUTH, .each = coerce },
    { "stringequals", false, TN_FROM_STRING, GIVES_TRUTH, .each = string_equals },
    { "stringnotequalsadapterrule", false, TN_FROM_STRING, GIVES_TRUTH, .each = string_differs },
    { "stringcontains", false, TN_FROM_STRING, GIVES_TRUTH, .each = string_contains },
    { "stringtoindex", false, TN_FROM_STRING, TN_GIVES(INT64), .each = string_to_index },
    { "mapstringtoindex", false, TN_FROM_LIST(TN_FROM_STRING), TN_GIVES(INT64), .each = map_string },
    { "listattributevaluelookuptoindex", false, LISTS | TN_FROM_INT, ~TN_GIVES(OUTPUT_TENSOR), .each = take_element },
    { "listnumbertolistnumber", false, FROM_NUMBERS, GIVES_NUMBER, .each = spread },
    { "conditionalfieldvalueintindex", false, TN_FROM_STRING | TN_FROM_INT, TN_GIVES(INT64), .each = pick_by_layout },
    { "conditionalfieldvalueintindexndarray", false, TN_FROM_STRING | TN_FROM_TENSOR, TN_GIVES(INT64), .each = pick_from_input },
    { "datatypetoint", false, TN_FROM_DTYPE, TN_GIVES(INT64), .each = type_to_int },
    { "sizethresholdarrayint", false, TN_FROM_INT | TN_FROM_STRING | TN_FROM_LIST(TN_FROM_INT), TN_GIVES(INT64), .each = pick_by_size },
    { NULL, false, 0, 0, .run = NULL },
};
/* clang-format on */

/* ---- the functions that rules name, found ------------------------------- */

static const struct tn_map_function *const tables[] = {
    tn_map_functions_of_tensors,
    tn_map_functions_of_attributes,
};

/* Other names for them. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    { "StringEqualsConversion", "stringequals" },
    { "IndexLookup", "listattributevaluelookuptoindex" },
};

const struct tn_map_function *tn_map_function_at(unsigned index)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct tn_map_function *row = tables[i]; row->name; row++)
            if (!index--)
                return row;
    return NULL;
}

const struct tn_map_function *tn_map_function_find(struct tn_bytes name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (tn_bytes_is(name, aliases[i].alias))
            name = tn_text(aliases[i].name);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct tn_map_function *row = tables[i]; row->name; row++)
            if (tn_bytes_is(name, row->name))
                return row;
    return NULL;
}
