/* rule_check.c - rules against what the framework and nd4j declare */
#include "map/dl4j/rule_table.h"
#include "map/dl4j/run_mapper.h"

/* ---- the framework's side ----------------------------------------------- */

static unsigned plain_kind(struct tn_bytes type)
{
    static const struct {
        const char *type;
        unsigned    kind;
    } kinds[] = {
        { "int", TN_FROM_INT },
        { "float", TN_FROM_FLOAT },
        { "bool", TN_FROM_BOOL },
        { "string", TN_FROM_STRING },
        { "type", TN_FROM_DTYPE },
        { "tensor", TN_FROM_TENSOR },
        { "shape", TN_FROM_SHAPE | TN_FROM_LIST(TN_FROM_INT) },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (tn_bytes_is(type, kinds[i].type))
            return kinds[i].kind;
    return TN_FROM_OTHER;
}

static unsigned kind_of(const struct tn_vocab_attr *attr)
{
    struct tn_bytes type = attr->type;

    if (!attr->is_list)
        return plain_kind(type);
    if (type.size > 6)
        type = tn_bytes(type.data + 5, type.size - 6); /* list(...) */
    return TN_FROM_LIST(plain_kind(type) & 0xffu);
}

static bool is_input(const struct tn_vocab_op *op, struct tn_bytes name)
{
    for (uint32_t i = 0; i < op->input_count; i++)
        if (tn_bytes_equal(op->inputs[i].name, name))
            return true;
    return false;
}

static enum tn_status check_source(const struct tn_map_rule *rule,
                                   const struct tn_map_pair *pair,
                                   const struct tn_vocab_op *op,
                                   struct tn_error          *error)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_attr(op, pair->source);
    bool                        is_tensor = is_input(op, pair->source);

    if (!is_tensor && (!attr || rule->function->places_tensors))
        return tn_location_fail(
            error, &pair->place, TN_MALFORMED, "'%.*s' has no %s '%.*s'",
            TN_FMT(op->name),
            rule->function->places_tensors ? "input" : "attribute or input",
            TN_FMT(pair->source));
    unsigned kinds =
        (attr ? kind_of(attr) : 0) | (is_tensor ? TN_FROM_TENSOR : 0);
    if (!(rule->function->from & kinds))
        return tn_location_fail(error, &pair->place, TN_MALFORMED,
                                "%s cannot read '%.*s' of '%.*s'",
                                rule->function->name, TN_FMT(pair->source),
                                TN_FMT(op->name));
    return TN_OK;
}

/* ---- nd4j's side -------------------------------------------------------- */

static enum tn_status check_target(const struct tn_map_rule      *rule,
                                   const struct tn_map_pair      *pair,
                                   const struct tn_op_descriptor *op,
                                   bool is_lenient, struct tn_error *error)
{
    unsigned types = tn_dl4j_types(op, pair->target);

    if (types == 0 && is_lenient && rule->function->places_tensors)
        return TN_OK; /* inputs go by their order, whatever they are called */
    if (types == 0)
        return tn_location_fail(error, &pair->place, TN_MALFORMED,
                                "nd4j's '%.*s' has no argument '%.*s'",
                                TN_FMT(op->name), TN_FMT(pair->target));
    if (!(types & rule->function->to))
        return tn_location_fail(error, &pair->place, TN_MALFORMED,
                                "%s cannot give '%.*s' of nd4j's '%.*s'",
                                rule->function->name, TN_FMT(pair->target),
                                TN_FMT(op->name));
    return TN_OK;
}

static enum tn_status check_rule(const struct tn_map_rule      *rule,
                                 const struct tn_op_descriptor *target,
                                 const struct tn_vocab_op      *definition,
                                 bool is_lenient, struct tn_error *error)
{
    if (rule->function->custom)
        return TN_OK;
    for (uint32_t i = 0; i < rule->pair_count; i++) {
        if (definition)
            TN_TRY(check_source(rule, &rule->pairs[i], definition, error));
        if (target)
            TN_TRY(
                check_target(rule, &rule->pairs[i], target, is_lenient, error));
    }
    return TN_OK;
}

static enum tn_status check_outputs(const struct tn_mapper        *mapper,
                                    const struct tn_op_descriptor *target,
                                    struct tn_error               *error)
{
    for (uint32_t i = 0; target && i < mapper->output_count; i++)
        if (tn_dl4j_index(target, mapper->outputs[i].target,
                          TN_ARG_OUTPUT_TENSOR) < 0)
            return tn_location_fail(
                error, &mapper->outputs[i].place, TN_MALFORMED,
                "nd4j's '%.*s' has no output '%.*s'", TN_FMT(target->name),
                TN_FMT(mapper->outputs[i].target));
    return TN_OK;
}

enum tn_status tn_mapper_check(const struct tn_mapper        *mapper,
                               const struct tn_op_descriptor *target,
                               const struct tn_vocab_op      *definition,
                               struct tn_error               *error)
{
    for (uint32_t i = 0; i < mapper->rule_count; i++)
        TN_TRY(check_rule(&mapper->rules[i], target, definition, false, error));
    return check_outputs(mapper, target, error);
}

enum tn_status tn_mapper_check_loosely(const struct tn_mapper        *mapper,
                                       const struct tn_op_descriptor *target,
                                       const struct tn_vocab_op *definition,
                                       struct tn_error          *error)
{
    for (uint32_t i = 0; i < mapper->rule_count; i++)
        TN_TRY(check_rule(&mapper->rules[i], target, definition, true, error));
    return TN_OK;
}
