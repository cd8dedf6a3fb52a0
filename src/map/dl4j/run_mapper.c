/* run_mapper.c - applies a mapper: from one node to one op descriptor */
#include "map/dl4j/run_mapper.h"

#include <inttypes.h>

#include "map/dl4j/rule_call.h"
#include "map/dl4j/rule_table.h"

/* ---- rules -------------------------------------------------------------- */

static enum tn_status run_custom(struct tn_rule_call *call)
{
    const struct tn_map_function *function = call->rule->function;
    enum tn_status                status =
        function->custom(function->context, call, call->error);

    if (status != TN_OK && !tn_failed(call->error))
        return tn_call_fail(call, status, "failed and did not say why");
    return status;
}

static enum tn_status run_rule(struct tn_rule_call *call)
{
    const struct tn_map_function *function = call->rule->function;

    if (function->custom)
        return run_custom(call);
    if (function->run)
        return function->run(call);
    for (uint32_t i = 0; i < call->rule->pair_count; i++)
        TN_TRY(function->each(call, &call->rule->pairs[i]));
    return TN_OK;
}

static enum tn_status run_rules(const struct tn_map_job *job,
                                struct tn_list *args, struct tn_arena *arena,
                                struct tn_error *error)
{
    struct tn_rule_call call = {
        .node       = job->node,
        .definition = job->definition,
        .mapper     = job->mapper,
        .target     = job->target,
        .context    = job->context,
        .args       = args,
        .made       = job->made,
        .arena      = arena,
        .error      = error,
    };

    for (uint32_t i = 0; i < job->mapper->rule_count; i++) {
        call.rule = &job->mapper->rules[i];
        TN_TRY(run_rule(&call));
    }
    return TN_OK;
}

/* ---- inputs ------------------------------------------------------------- */

static uint32_t swapped(const struct tn_mapper *mapper, uint32_t to)
{
    for (uint32_t i = 0; i < mapper->swap_count; i++)
        if (mapper->swaps[i].to == to)
            return mapper->swaps[i].from < UINT32_MAX
                       ? (uint32_t)mapper->swaps[i].from
                       : UINT32_MAX;
    return to;
}

/* Constants that rules made of attributes are inputs after the node's own. */
static bool is_made(const struct tn_arg *arg)
{
    return arg->type == TN_ARG_INPUT_TENSOR && arg->tensor.size > 0;
}

static enum tn_status add_own(const struct tn_map_job *job, struct tn_arg *to,
                              uint32_t i, struct tn_arena *arena,
                              struct tn_error *error)
{
    uint32_t from = swapped(job->mapper, i);

    if (from >= job->node->input_count)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "input %" PRIu32
                            " is wanted, the node has %" PRIu32,
                            from, job->node->input_count);
    *to = (struct tn_arg){
        .name      = tn_bytes_dup(arena, job->node->inputs[from], error),
        .type      = TN_ARG_INPUT_TENSOR,
        .index     = (int32_t)i,
        .has_value = true,
    };
    to->text = to->name;
    return error->status;
}

/* How many of the node's own inputs stay, by what the rules named. */
static enum tn_status count_own(const struct tn_map_job *job, uint32_t named,
                                uint32_t *own, struct tn_error *error)
{
    *own = job->node->input_count;
    if (job->mapper->resolution == TN_MAP_OVERRIDE && named < *own)
        *own = named;
    if (job->mapper->resolution == TN_MAP_EQUAL && named != *own)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the rules name %" PRIu32
                            " inputs, the node has %" PRIu32,
                            named, *own);
    return TN_OK;
}

static enum tn_status fill_inputs(const struct tn_map_job *job,
                                  struct tn_op_descriptor *out,
                                  struct tn_arena         *arena,
                                  struct tn_error         *error)
{
    struct tn_args given = out->lists[TN_LIST_IN];
    uint32_t       own, count = 0;

    TN_TRY(count_own(job, given.count, &own, error));
    struct tn_arg *inputs =
        tn_new(arena, struct tn_arg, (uint64_t)own + given.count, error);
    if (!inputs)
        return error->status;
    for (uint32_t i = 0; i < own; i++)
        TN_TRY(add_own(job, &inputs[count++], i, arena, error));
    for (uint32_t i = 0; i < given.count; i++)
        if (is_made(&given.items[i])) {
            inputs[count]       = given.items[i];
            inputs[count].index = (int32_t)count;
            count++;
        }
    out->lists[TN_LIST_IN] = (struct tn_args){ count, inputs };
    return TN_OK;
}

/* ---- the whole ---------------------------------------------------------- */

static enum tn_status keep_args(struct tn_op_descriptor *out,
                                const struct tn_list    *args,
                                struct tn_arena *arena, struct tn_error *error)
{
    struct tn_arg *kept = tn_list_keep(args, struct tn_arg, arena, error);

    if (!kept)
        return error->status;
    out->args = (struct tn_args){ (uint32_t)args->count, kept };
    return TN_OK;
}

/* The node's name for an output; empty if it does not have it. */
static struct tn_bytes output_value(const struct tn_map_node *node,
                                    uint32_t index, struct tn_arena *arena,
                                    struct tn_error *error)
{
    const char *made;

    if (node->framework == TN_FRAMEWORK_ONNX)
        return index < node->output_count
                   ? tn_bytes_dup(arena, node->outputs[index], error)
                   : tn_bytes(NULL, 0);
    if (index == 0)
        return tn_bytes_dup(arena, node->name, error);
    made = tn_text_format(arena, error, "%.*s:%u", TN_FMT(node->name),
                          (unsigned)index);
    return made ? tn_text(made) : tn_bytes(NULL, 0);
}

/* Copied, because the descriptor outlives the declarations of the target. */
static enum tn_status fill_outputs(const struct tn_map_job *job,
                                   struct tn_op_descriptor *out,
                                   struct tn_arena         *arena,
                                   struct tn_error         *error)
{
    struct tn_args declared = job->target->lists[TN_LIST_OUT];
    struct tn_arg *outputs =
        tn_new(arena, struct tn_arg, declared.count, error);

    if (!outputs)
        return error->status;
    for (uint32_t i = 0; i < declared.count; i++) {
        outputs[i]      = declared.items[i];
        outputs[i].name = tn_bytes_dup(arena, outputs[i].name, error);
        outputs[i].text = output_value(job->node, i, arena, error);
    }
    out->lists[TN_LIST_OUT] = (struct tn_args){ declared.count, outputs };
    return error->status;
}

static enum tn_status finish(const struct tn_map_job *job,
                             struct tn_op_descriptor *out,
                             struct tn_arena *arena, struct tn_error *error)
{
    out->name           = tn_bytes_dup(arena, job->target->name, error);
    out->declaration    = job->target->declaration;
    out->is_inplaceable = job->target->is_inplaceable;
    TN_TRY(tn_dl4j_fill_lists(out, arena, error));
    TN_TRY(fill_inputs(job, out, arena, error));
    TN_TRY(fill_outputs(job, out, arena, error));
    out->in_count  = job->target->in_count < 0
                         ? job->target->in_count
                         : (int32_t)out->lists[TN_LIST_IN].count;
    out->out_count = job->target->out_count;
    out->t_count   = (int32_t)out->lists[TN_LIST_T].count;
    out->i_count   = (int32_t)out->lists[TN_LIST_I].count;
    return TN_OK;
}

enum tn_status tn_map_run(const struct tn_map_job *job,
                          struct tn_op_descriptor *out, struct tn_arena *arena,
                          struct tn_error *error)
{
    struct tn_list args;

    *out = (struct tn_op_descriptor){ 0 };
    tn_list_init(&args, arena->memory, sizeof(struct tn_arg));
    if (run_rules(job, &args, arena, error) == TN_OK &&
        keep_args(out, &args, arena, error) == TN_OK)
        finish(job, out, arena, error);
    tn_list_done(&args);
    if (tn_failed(error) && job->node->name.size > 0)
        tn_error_where(error, "%.*s", TN_FMT(job->node->name));
    return error->status;
}

/* ---- rules against declarations ---------------------------------------- */

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

enum tn_status tn_mapper_check(const struct tn_mapper        *mapper,
                               const struct tn_op_descriptor *target,
                               const struct tn_vocab_op      *definition,
                               struct tn_error               *error)
{
    for (uint32_t i = 0; i < mapper->rule_count; i++)
        TN_TRY(check_rule(&mapper->rules[i], target, definition, false, error));
    for (uint32_t i = 0; target && i < mapper->output_count; i++)
        if (tn_dl4j_index(target, mapper->outputs[i].target,
                          TN_ARG_OUTPUT_TENSOR) < 0)
            return tn_location_fail(
                error, &mapper->outputs[i].place, TN_MALFORMED,
                "nd4j's '%.*s' has no output '%.*s'", TN_FMT(target->name),
                TN_FMT(mapper->outputs[i].target));
    return TN_OK;
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
