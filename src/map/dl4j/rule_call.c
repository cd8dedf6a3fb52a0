/* rule_call.c - what the functions of rules have in common */
#include "map/dl4j/rule_call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/ir_types.h"

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

bool tn_call_has_type(const struct tn_rule_call *call, struct tn_bytes k,
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

const struct tn_arg *tn_call_need(struct tn_rule_call *call,
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
    /* The default of a tensor is text of the vocabulary, not a TensorProto. */
    if (!declared || !declared->has_default ||
        declared->value.kind == TN_ATTR_OTHER)
        return false;
    *value = declared->value;
    return true;
}

struct tn_bytes tn_call_text(struct tn_rule_call *call, struct tn_bytes name)
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

bool tn_call_inputs(struct tn_rule_call *call, struct tn_bytes name,
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

static bool find_constant(struct tn_rule_call *call, struct tn_bytes input,
                          struct tn_bytes *tensor)
{
    const struct tn_interpret_context *context = call->context;
    struct tn_bytes                    name = without_read(call->node, input);

    return context && context->constant &&
           (context->constant(context->context, name, tensor) ||
            (name.size != input.size &&
             context->constant(context->context, input, tensor)));
}

enum tn_status tn_call_constant(struct tn_rule_call *call, struct tn_bytes name,
                                struct tn_map_tensor *tensor, bool *is_known)
{
    uint32_t        first, count;
    struct tn_bytes bytes;

    *is_known = false;
    *tensor   = (struct tn_map_tensor){ 0 };
    if (!tn_call_inputs(call, name, &first, &count))
        return TN_OK;
    if (!find_constant(call, call->node->inputs[first], &bytes)) {
        if (call->context && call->context->is_strict)
            return tn_call_fail(call, TN_UNSUPPORTED,
                                "input '%.*s' must be constant", TN_FMT(name));
        return TN_OK;
    }
    *is_known = true;
    if (tn_map_tensor_read(tensor, call->node->framework, bytes, call->arena,
                           call->error) != TN_OK)
        tn_error_where(call->error, "%.*s", TN_FMT(call->node->inputs[first]));
    return call->error->status;
}

/* ---- arguments ---------------------------------------------------------- */

/* Many arguments can come out of one list; that many cannot be meant. */
#define ARGS_LIMIT (1u << 20)

enum tn_status tn_call_add(struct tn_rule_call *call, struct tn_arg arg)
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
    tn_call_add(call, copy);
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

enum tn_status tn_call_int(struct tn_rule_call *call, struct tn_bytes name,
                           struct tn_bytes k, int64_t value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_INT64);

    arg.number = value;
    return tn_call_add(call, arg);
}

enum tn_status tn_call_double(struct tn_rule_call *call, struct tn_bytes name,
                              struct tn_bytes k, double value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_DOUBLE);

    arg.real = value;
    return tn_call_add(call, arg);
}

enum tn_status tn_call_bool(struct tn_rule_call *call, struct tn_bytes name,
                            struct tn_bytes k, bool value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_BOOL);

    arg.number = value;
    return tn_call_add(call, arg);
}

enum tn_status tn_call_string(struct tn_rule_call *call, struct tn_bytes name,
                              struct tn_bytes k, struct tn_bytes value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_STRING);

    arg.text = value;
    return tn_call_add(call, arg);
}

enum tn_status tn_call_type(struct tn_rule_call *call, struct tn_bytes name,
                            struct tn_bytes k, enum tn_dtype dtype)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_DATA_TYPE);

    arg.number = tn_ir_type(dtype);
    if (arg.number == 0)
        return tn_call_fail(call, TN_UNSUPPORTED,
                            "nd4j has no type for '%.*s': %s", TN_FMT(name),
                            tn_dtype_name(dtype));
    return tn_call_add(call, arg);
}

enum tn_status tn_call_tensor(struct tn_rule_call *call, struct tn_bytes name,
                              struct tn_bytes             k,
                              const struct tn_map_tensor *value)
{
    struct tn_arg arg = declared(call, name, k, TN_ARG_INPUT_TENSOR);

    if (value->has_values)
        TN_TRY(
            tn_map_tensor_write(value, call->arena, &arg.tensor, call->error));
    return tn_call_add(call, arg);
}
