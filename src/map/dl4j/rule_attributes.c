/*
 * rule_attributes.c - functions of rules that make arguments of attributes
 *
 * In comments, k is a pair's name in nd4j and v the framework's; P[k] is the
 * group of parameters of key k.  Where a name promises something else than the
 * function does, the function does what Deeplearning4j's does: its rules count
 * on it.
 */
#include "base/number.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/ir_types.h"
#include "map/dl4j/rule_call.h"

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
    if (tn_call_has_type(call, k, TN_ARG_INT64))
        TN_TRY(tn_call_int(call, k, k, value.of.ints[0] != 0));
    if (tn_call_has_type(call, k, TN_ARG_DOUBLE))
        TN_TRY(tn_call_double(call, k, k, value.of.ints[0] != 0));
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
    return tn_call_int(call, pair->target, pair->target, number);
}

/* ---- strings ------------------------------------------------------------ */

/* A truth for each type that k is declared under. */
static enum tn_status add_truth(struct tn_rule_call *call, struct tn_bytes name,
                                struct tn_bytes k, bool truth)
{
    if (tn_call_has_type(call, k, TN_ARG_BOOL))
        TN_TRY(tn_call_bool(call, name, k, truth));
    if (tn_call_has_type(call, k, TN_ARG_INT64))
        TN_TRY(tn_call_int(call, name, k, truth));
    if (tn_call_has_type(call, k, TN_ARG_DOUBLE))
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

/* The constant contains the attribute, not the other way round. */
static enum tn_status string_contains(struct tn_rule_call      *call,
                                      const struct tn_map_pair *pair)
{
    const struct tn_arg *c = tn_call_need(call, pair->target, 0);

    if (!c)
        return call->error->status;
    struct tn_bytes text = tn_call_text(call, pair->source);
    return add_truth(call, pair->target, pair->target,
                     text.size && tn_bytes_contains(c->text, text));
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
        arg.type = tn_call_has_type(call, pair->target, TN_ARG_DOUBLE)
                       ? TN_ARG_DOUBLE
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
        TN_TRY(tn_call_add(call, arg));
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
        return tn_call_fail(call, TN_MALFORMED,
                            "fallbackIndex is not a number");
    if (index < 0 || index >= value.count)
        return tn_call_fail(
            call, TN_UNSUPPORTED, "'%.*s' has %u elements, not element %lld",
            TN_FMT(pair->source), value.count, (long long)index);
    return tn_call_int(call, pair->target, pair->target, value.of.ints[index]);
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
