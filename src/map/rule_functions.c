/*
 * rule_functions.c - the functions that rules name
 *
 * In comments, k is a pair's name in nd4j and v the framework's; P[k] is the
 * group of parameters of key k.  Where a name promises something else than the
 * function does, the function does what Deeplearning4j's does: its rules count
 * on it.
 */
#include "base/arith.h"
#include "base/number.h"
#include "map/dl4j_ops.h"
#include "map/ir_types.h"
#include "map/rule_call.h"

typedef enum tn_status on_pair(struct tn_rule_call      *call,
                               const struct tn_map_pair *pair);

static enum tn_status each_pair(struct tn_rule_call *call, on_pair *on)
{
    for (uint32_t i = 0; i < call->rule->pair_count; i++)
        TN_TRY(on(call, &call->rule->pairs[i]));
    return TN_OK;
}

static unsigned types_of(const struct tn_rule_call *call, struct tn_bytes k)
{
    return tn_dl4j_types(call->target, k);
}

static bool has_type(const struct tn_rule_call *call, struct tn_bytes k,
                     enum tn_arg_type type)
{
    return types_of(call, k) >> type & 1;
}

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

static enum tn_status run_ndarraymapping(struct tn_rule_call *call)
{
    return each_pair(call, place_tensor);
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

static enum tn_status run_multiinputindex(struct tn_rule_call *call)
{
    return each_pair(call, place_tensors);
}

static enum tn_status run_passthrough(struct tn_rule_call *call)
{
    for (uint32_t i = 0; i < call->node->input_count; i++)
        if (call->node->inputs[i].size > 0)
            TN_TRY(add_input(call, call->node->inputs[i], (int32_t)i));
    return TN_OK;
}

/* ---- scalars ------------------------------------------------------------ */

/* Value i of an attribute, as the kind of argument that holds it. */
static enum tn_status add_element(struct tn_rule_call *call,
                                  struct tn_bytes name, struct tn_bytes k,
                                  const struct tn_attr_value *value, uint32_t i)
{
    switch (value->kind) {
    case TN_ATTR_INT: return tn_call_int(call, name, k, value->of.ints[i]);
    case TN_ATTR_FLOAT:
        return tn_call_double(call, name, k, (double)value->of.floats[i]);
    case TN_ATTR_DOUBLE:
        return tn_call_double(call, name, k, value->of.doubles[i]);
    case TN_ATTR_BOOL:
        return tn_call_bool(call, name, k, value->of.ints[i] != 0);
    case TN_ATTR_STRING:
        return tn_call_string(call, name, k, value->of.strings[i]);
    case TN_ATTR_DTYPE:
        return tn_call_type(call, name, k, (enum tn_dtype)value->of.ints[i]);
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

static enum tn_status run_valuemapping(struct tn_rule_call *call)
{
    return each_pair(call, copy_value);
}

static enum tn_status run_argdescriptorconstant(struct tn_rule_call *call)
{
    for (uint32_t g = 0; g < call->rule->group_count; g++)
        for (uint32_t i = 0; i < call->rule->groups[g].count; i++)
            TN_TRY(tn_call_add(call, call->rule->groups[g].items[i]));
    return TN_OK;
}

/* Nothing is negated: a number becomes a bool, a bool a number. */
static enum tn_status coerce(struct tn_rule_call      *call,
                             const struct tn_map_pair *pair)
{
    struct tn_bytes      k = pair->target;
    struct tn_attr_value value;

    if (!tn_call_attr(call, pair->source, &value) || value.count == 0)
        return TN_OK;
    if (value.kind == TN_ATTR_INT)
        return tn_call_bool(call, k, k, value.of.ints[0] > 0);
    if (value.kind == TN_ATTR_FLOAT)
        return tn_call_bool(call, k, k, value.of.floats[0] > 0);
    if (value.kind != TN_ATTR_BOOL)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "'%.*s' is neither number nor bool",
                            TN_FMT(pair->source));
    if (has_type(call, k, TN_ARG_INT64))
        TN_TRY(tn_call_int(call, k, k, value.of.ints[0] != 0));
    if (has_type(call, k, TN_ARG_DOUBLE))
        TN_TRY(tn_call_double(call, k, k, value.of.ints[0] != 0));
    return TN_OK;
}

static enum tn_status run_invertbooleannumber(struct tn_rule_call *call)
{
    return each_pair(call, coerce);
}

static enum tn_status type_to_int(struct tn_rule_call      *call,
                                  const struct tn_map_pair *pair)
{
    struct tn_attr_value value;

    if (!tn_call_attr(call, pair->source, &value) || value.count == 0)
        return TN_OK;
    if (value.kind != TN_ATTR_DTYPE)
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' is no type",
                            TN_FMT(pair->source));
    enum tn_dtype dtype  = (enum tn_dtype)value.of.ints[0];
    int64_t       number = tn_nd4j_type(dtype);
    if (number < 0)
        return tn_call_fail(call, TN_UNSUPPORTED, "nd4j has no type %s",
                            tn_dtype_name(dtype));
    return tn_call_int(call, pair->target, pair->target, number);
}

static enum tn_status run_datatypetoint(struct tn_rule_call *call)
{
    return each_pair(call, type_to_int);
}

/* ---- strings ------------------------------------------------------------ */

/* A truth for each type that k is declared under. */
static enum tn_status add_truth(struct tn_rule_call *call, struct tn_bytes name,
                                struct tn_bytes k, bool truth)
{
    if (has_type(call, k, TN_ARG_BOOL))
        TN_TRY(tn_call_bool(call, name, k, truth));
    if (has_type(call, k, TN_ARG_INT64))
        TN_TRY(tn_call_int(call, name, k, truth));
    if (has_type(call, k, TN_ARG_DOUBLE))
        TN_TRY(tn_call_double(call, name, k, truth));
    return TN_OK;
}

static enum tn_status string_equals(struct tn_rule_call      *call,
                                    const struct tn_map_pair *pair)
{
    const struct tn_arg *c = tn_call_need(call, pair->target, 0);

    if (!c)
        return call->error->status;
    return add_truth(call, pair->source, pair->target,
                     tn_bytes_equal(tn_call_text(call, pair->source), c->text));
}

static enum tn_status run_stringequals(struct tn_rule_call *call)
{
    return each_pair(call, string_equals);
}

static enum tn_status string_differs(struct tn_rule_call      *call,
                                     const struct tn_map_pair *pair)
{
    const struct tn_arg *c = tn_call_need(call, pair->target, 0);

    if (!c)
        return call->error->status;
    return add_truth(
        call, pair->target, pair->target,
        !tn_bytes_equal(tn_call_text(call, pair->source), c->text));
}

static enum tn_status run_stringnotequals(struct tn_rule_call *call)
{
    return each_pair(call, string_differs);
}

static bool contains(struct tn_bytes text, struct tn_bytes part)
{
    for (size_t at = 0; part.size > 0 && part.size <= text.size - at; at++)
        if (!memcmp(text.data + at, part.data, part.size))
            return true;
    return false;
}

/* The constant contains the attribute, not the other way round. */
static enum tn_status string_contains(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    const struct tn_arg *c = tn_call_need(call, pair->target, 0);

    if (!c)
        return call->error->status;
    return add_truth(call, pair->target, pair->target,
                     contains(c->text, tn_call_text(call, pair->source)));
}

static enum tn_status run_stringcontains(struct tn_rule_call *call)
{
    return each_pair(call, string_contains);
}

static enum tn_status string_to_index(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    const struct tn_map_group *words =
        tn_map_rule_group(call->rule, pair->target);
    struct tn_bytes text  = tn_call_text(call, pair->source);
    int64_t         found = -1;

    for (uint32_t i = 0; words && found < 0 && i < words->count; i++)
        if (tn_bytes_equal(words->items[i].text, text))
            found = i;
    return tn_call_int(call, pair->target, pair->target, found);
}

static enum tn_status run_stringtoindex(struct tn_rule_call *call)
{
    return each_pair(call, string_to_index);
}

static enum tn_status map_string(struct tn_rule_call      *call,
                                 const struct tn_map_pair *pair)
{
    const struct tn_map_group *words =
        tn_map_rule_group(call->rule, pair->target);
    const struct tn_arg *index = tn_call_need(call, tn_text("index"), 0);
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
            return tn_call_int(call, pair->target, pair->target,
                               words->items[i].number);
    return tn_call_fail(call, TN_UNSUPPORTED, "the rule has no '%.*s'",
                        TN_FMT(word));
}

static enum tn_status run_mapstringtoindex(struct tn_rule_call *call)
{
    return each_pair(call, map_string);
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
        arg.type = has_type(call, pair->target, TN_ARG_DOUBLE) ? TN_ARG_DOUBLE
                                                               : TN_ARG_INT64;
    return tn_call_add(call, arg);
}

static enum tn_status take_element(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    const struct tn_arg *index = tn_call_need(call, pair->target, 0);
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

static enum tn_status run_listattributevaluelookup(struct tn_rule_call *call)
{
    return each_pair(call, take_element);
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
                            "'%.*s' is no list of "
                            "numbers",
                            TN_FMT(pair->source));
    for (uint32_t i = 0; i < value.count; i++) {
        struct tn_arg arg = { .name  = numbered(call, k, i),
                              .type  = type,
                              .index = (int32_t)(base + i) };
        if (type == TN_ARG_INT64)
            arg.number = value.of.ints[i];
        else
            arg.real = (double)value.of.floats[i];
        TN_TRY(tn_call_add(call, arg));
    }
    return TN_OK;
}

static enum tn_status run_listnumbertolistnumber(struct tn_rule_call *call)
{
    return each_pair(call, spread);
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
    const struct tn_arg *list = tn_call_need(call, pair->target, 3);

    if (!list)
        return call->error->status;
    const struct tn_arg *p = list - 3;
    bool                 is_target =
        tn_bytes_equal(tn_call_text(call, pair->source), p[0].text);
    choice->index = is_target ? p[1].number : p[2].number;
    choice->list  = list->text;
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
    return tn_call_int(call, pair->source, pair->target,
                       value.of.ints[choice.index]);
}

static enum tn_status run_conditionalfield(struct tn_rule_call *call)
{
    return each_pair(call, pick_by_layout);
}

static enum tn_status pick_from_input(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    struct choice        choice;
    struct tn_map_tensor tensor;
    bool                 is_known;

    TN_TRY(choose(call, pair, &choice));
    TN_TRY(tn_call_constant(call, choice.list, &tensor, &is_known));
    if (!is_known)
        return tn_call_int(call, pair->source, pair->target, 0);
    if (!tensor.ints || choice.index < 0 ||
        (uint64_t)choice.index >= tensor.count)
        return no_element(call, &choice);
    return tn_call_int(call, pair->source, pair->target,
                       tensor.ints[choice.index]);
}

static enum tn_status run_conditionalfieldndarray(struct tn_rule_call *call)
{
    return each_pair(call, pick_from_input);
}

static bool parse_index(struct tn_bytes text, int64_t *index)
{
    return tn_int64_parse(text, index) && *index >= 0;
}

/* P[k]: index, sizeThreshold, fallbackIndex (as text). */
static enum tn_status pick_by_size(struct tn_rule_call      *call,
                                   const struct tn_map_pair *pair)
{
    const struct tn_arg *last  = tn_call_need(call, pair->target, 2);
    struct tn_attr_value value = { 0 };
    int64_t              index;

    if (!last)
        return call->error->status;
    const struct tn_arg *p = last - 2;
    if (!tn_call_attr(call, pair->source, &value) || value.kind != TN_ATTR_INT)
        return TN_OK;
    index = p[0].number;
    if ((int64_t)value.count < p[1].number && !parse_index(p[2].text, &index))
        return tn_call_fail(call, TN_MALFORMED, "fallbackIndex is no number");
    if (index < 0 || index >= value.count)
        return tn_call_fail(
            call, TN_UNSUPPORTED, "'%.*s' has %u elements, not element %lld",
            TN_FMT(pair->source), value.count, (long long)index);
    return tn_call_int(call, pair->target, pair->target, value.of.ints[index]);
}

static enum tn_status run_sizethreshold(struct tn_rule_call *call)
{
    return each_pair(call, pick_by_size);
}

/* ---- values of inputs --------------------------------------------------- */

static enum tn_status add_number(struct tn_rule_call *call, struct tn_bytes k,
                                 int64_t number, double real)
{
    if (has_type(call, k, TN_ARG_INT64))
        TN_TRY(tn_call_int(call, k, k, number));
    if (has_type(call, k, TN_ARG_DOUBLE))
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

static enum tn_status run_inputtonumerical(struct tn_rule_call *call)
{
    return each_pair(call, first_number);
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

static enum tn_status run_ndarraytointvalue(struct tn_rule_call *call)
{
    return each_pair(call, all_numbers);
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

static enum tn_status run_ndarraysizeat(struct tn_rule_call *call)
{
    return each_pair(call, size_at);
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

static enum tn_status run_listnumbertondarray(struct tn_rule_call *call)
{
    return each_pair(call, list_to_tensor);
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

static enum tn_status run_numberlisttondarray(struct tn_rule_call *call)
{
    return each_pair(call, list_to_row);
}

static enum tn_status scalar_to_matrix(struct tn_rule_call      *call,
                                       const struct tn_map_pair *pair)
{
    return add_tensor(call, pair, 2, 2);
}

static enum tn_status run_attributescalar(struct tn_rule_call *call)
{
    return each_pair(call, scalar_to_matrix);
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
        return tn_call_fail(call, TN_UNSUPPORTED, "'%.*s' is no tensor",
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

static enum tn_status run_ndarrayinputtondarray(struct tn_rule_call *call)
{
    return each_pair(call, tensor_to_input);
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

static enum tn_status run_attributendarraytoscalar(struct tn_rule_call *call)
{
    return each_pair(call, first_of_attribute);
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

static enum tn_status run_inputstringtondarray(struct tn_rule_call *call)
{
    return each_pair(call, string_to_input);
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

static enum tn_status run_ndarrayextractscalar(struct tn_rule_call *call)
{
    return each_pair(call, extract_scalar);
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

static enum tn_status run_flattendims(struct tn_rule_call *call)
{
    return each_pair(call, flatten);
}

/* ---- the table ---------------------------------------------------------- */

#define FROM_NUMBERS                                                           \
    (TN_FROM_INT | TN_FROM_FLOAT | TN_FROM_LIST(TN_FROM_INT | TN_FROM_FLOAT))
#define GIVES_SCALAR                                                           \
    (TN_GIVES(INT64) | TN_GIVES(DOUBLE) | TN_GIVES(BOOL) | TN_GIVES(STRING) |  \
     TN_GIVES(DATA_TYPE) | TN_GIVES(INT32) | TN_GIVES(FLOAT))
#define GIVES_TRUTH  (TN_GIVES(BOOL) | TN_GIVES(INT64) | TN_GIVES(DOUBLE))
#define GIVES_NUMBER (TN_GIVES(INT64) | TN_GIVES(DOUBLE) | TN_GIVES(INT32))
#define LISTS        TN_FROM_LIST(0xffu)

/* clang-format off */
static const struct tn_map_function functions[] = {
    { "ndarraymapping",   true, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), run_ndarraymapping, NULL, NULL },
    { "multiinputindex",  true, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), run_multiinputindex, NULL, NULL },
    { "passthrough",      true, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), run_passthrough, NULL, NULL },

    /* Outputs hold no values; a shipped rule names one, and must load. */
    { "valuemapping", false, TN_FROM_ANY & ~TN_FROM_TENSOR, GIVES_SCALAR | TN_GIVES(OUTPUT_TENSOR), run_valuemapping, NULL, NULL },
    { "argdescriptorconstant", false, TN_FROM_ANY, ~0u, run_argdescriptorconstant, NULL, NULL },
    { "invertbooleannumber", false, TN_FROM_INT | TN_FROM_FLOAT | TN_FROM_BOOL, GIVES_TRUTH, run_invertbooleannumber, NULL, NULL },
    { "stringequals", false, TN_FROM_STRING, GIVES_TRUTH, run_stringequals, NULL, NULL },
    { "stringnotequalsadapterrule", false, TN_FROM_STRING, GIVES_TRUTH, run_stringnotequals, NULL, NULL },
    { "stringcontains", false, TN_FROM_STRING, GIVES_TRUTH, run_stringcontains, NULL, NULL },
    { "stringtoindex", false, TN_FROM_STRING, TN_GIVES(INT64), run_stringtoindex, NULL, NULL },
    { "mapstringtoindex", false, TN_FROM_LIST(TN_FROM_STRING), TN_GIVES(INT64), run_mapstringtoindex, NULL, NULL },
    { "listattributevaluelookuptoindex", false, LISTS | TN_FROM_INT, ~TN_GIVES(OUTPUT_TENSOR), run_listattributevaluelookup, NULL, NULL },
    { "listnumbertolistnumber", false, FROM_NUMBERS, GIVES_NUMBER, run_listnumbertolistnumber, NULL, NULL },
    { "conditionalfieldvalueintindex", false, TN_FROM_STRING | TN_FROM_INT, TN_GIVES(INT64), run_conditionalfield, NULL, NULL },
    { "conditionalfieldvalueintindexndarray", false, TN_FROM_STRING | TN_FROM_TENSOR, TN_GIVES(INT64), run_conditionalfieldndarray, NULL, NULL },
    { "ndarrayinputtonumericalattribute", false, TN_FROM_TENSOR, GIVES_NUMBER, run_inputtonumerical, NULL, NULL },
    { "ndarraytointattributevalue", false, TN_FROM_TENSOR, TN_GIVES(INT64), run_ndarraytointvalue, NULL, NULL },
    { "ndarraysizeat", false, TN_FROM_TENSOR, TN_GIVES(INT64), run_ndarraysizeat, NULL, NULL },
    { "datatypetoint", false, TN_FROM_DTYPE, TN_GIVES(INT64), run_datatypetoint, NULL, NULL },
    { "listnumbertondarray", false, FROM_NUMBERS | TN_FROM_SHAPE, TN_GIVES(INPUT_TENSOR), run_listnumbertondarray, NULL, NULL },
    { "ndarrayinputtondarray", false, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), run_ndarrayinputtondarray, NULL, NULL },
    { "convertinputstringtondarray", false, TN_FROM_STRING, TN_GIVES(INPUT_TENSOR), run_inputstringtondarray, NULL, NULL },
    { "convertinputnumberlisttondarray", false, FROM_NUMBERS, TN_GIVES(INPUT_TENSOR), run_numberlisttondarray, NULL, NULL },
    { "attributescalarndarrayattribute", false, TN_FROM_INT | TN_FROM_FLOAT, TN_GIVES(INPUT_TENSOR), run_attributescalar, NULL, NULL },
    { "attributendarraytoscalarattribute", false, TN_FROM_TENSOR, GIVES_NUMBER, run_attributendarraytoscalar, NULL, NULL },
    { "ndarrayextractscalarvalue", false, TN_FROM_TENSOR, TN_GIVES(INPUT_TENSOR), run_ndarrayextractscalar, NULL, NULL },
    { "flattendims", false, TN_FROM_LIST(TN_FROM_INT) | TN_FROM_SHAPE | TN_FROM_TENSOR, TN_GIVES(INT64), run_flattendims, NULL, NULL },
    { "sizethresholdarrayint", false, TN_FROM_INT | TN_FROM_STRING | TN_FROM_LIST(TN_FROM_INT), TN_GIVES(INT64), run_sizethreshold, NULL, NULL },
};

/* What the design document calls them. */
static const struct { const char *alias, *name; } aliases[] = {
    { "StringEqualsConversion", "stringequals" },
    { "IndexLookup",            "listattributevaluelookuptoindex" },
};
/* clang-format on */

const struct tn_map_function *tn_map_function_at(unsigned index)
{
    return index < sizeof functions / sizeof functions[0] ? &functions[index]
                                                          : NULL;
}

const struct tn_map_function *tn_map_function_find(struct tn_bytes name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (tn_bytes_is(name, aliases[i].alias))
            name = tn_text(aliases[i].name);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (tn_bytes_is(name, functions[i].name))
            return &functions[i];
    return NULL;
}
