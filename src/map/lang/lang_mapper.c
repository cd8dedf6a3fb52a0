/* lang_mapper.c - rules of our language as mappers of the import IR */
#include "map/lang/lang_mapper.h"

#include "map/dl4j/rule_table.h"

/* ---- kinds of arguments ------------------------------------------------- */

/* What the import IR calls the list that a vocabulary puts an attribute in, and
 * the vocabulary's word for such values. */
static const struct {
    enum tn_vocab_list list;
    enum tn_arg_type   type;
    const char        *word;
} lists[] = {
    { TN_VOCAB_IARGS, TN_ARG_INT64, "int" },
    { TN_VOCAB_AXIS, TN_ARG_INT64, "int" },
    { TN_VOCAB_TARGS, TN_ARG_DOUBLE, "float" },
    { TN_VOCAB_SCALAR, TN_ARG_DOUBLE, "float" },
    { TN_VOCAB_BARGS, TN_ARG_BOOL, "bool" },
    { TN_VOCAB_SARGS, TN_ARG_STRING, "string" },
    { TN_VOCAB_DARGS, TN_ARG_DATA_TYPE, "type" },
};

static bool find_list(const struct tn_vocab_attr *attr, enum tn_arg_type *type,
                      const char **word)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (attr->list == lists[i].list) {
            *type = lists[i].type;
            *word = lists[i].word;
            return true;
        }
    return false;
}

/* ---- one rule ----------------------------------------------------------- */

struct mapping {
    const struct tn_lang_file *file;
    const struct tn_lang_rule *rule;
    const struct tn_lang_expr *call;
    const struct tn_vocab_op  *source, *target;
    struct tn_arena           *arena;
    struct tn_error           *error;
    struct tn_map_rule         rules[3]; /* tensors, attributes, constants    */
    struct tn_map_pair        *tensors, *attrs;
    struct tn_arg             *constants;
    uint32_t                   tensor_count, attr_count, constant_count;
};

/* The only rule for its op, one op, no condition. */
static bool is_candidate(const struct tn_lang_file *file,
                         const struct tn_lang_rule *rule)
{
    if (rule->head.guard || rule->head.until != INT64_MAX ||
        rule->head.domain.size || rule->body.count != 1 || rule->native.size)
        return false;
    const struct tn_lang_expr *call = rule->body.steps[0].expr;
    if (rule->body.steps[0].kind != TN_LANG_EMIT ||
        call->kind != TN_LANG_CALL || call->callee != TN_LANG_TO_OP)
        return false;
    for (uint64_t i = 0; i < file->rules.count; i++) {
        const struct tn_lang_rule *other =
            tn_list_at(&file->rules, struct tn_lang_rule, i);
        if (other != rule && other->head.until == INT64_MAX &&
            tn_bytes_equal(other->head.op, rule->head.op))
            return false;
    }
    return true;
}

static bool find_input(const struct mapping *m, const struct tn_lang_expr *item,
                       uint32_t *index)
{
    const struct tn_lang_head *head = &m->rule->head;

    for (*index = 0; *index < head->input_count; ++*index)
        if (item->kind == TN_LANG_NAME &&
            head->inputs[*index].arity == TN_LANG_ONE &&
            tn_bytes_equal(head->inputs[*index].name, item->text))
            return true;
    return false;
}

static bool map_inputs(struct mapping *m)
{
    uint32_t from;

    if (m->call->item_count != m->rule->head.input_count)
        return false;
    for (uint32_t i = 0; i < m->call->item_count; i++) {
        if (!find_input(m, m->call->items[i], &from) ||
            from >= m->source->input_count || i >= m->target->input_count)
            return false;
        m->tensors[m->tensor_count++] =
            (struct tn_map_pair){ m->target->inputs[i].name,
                                  m->source->inputs[from].name,
                                  m->call->items[i]->place };
    }
    return true;
}

/* The framework's name for something that the rule calls by this name. */
static const struct tn_lang_attr *find_attr(const struct mapping *m,
                                            struct tn_bytes       name)
{
    const struct tn_lang_head *head = &m->rule->head;

    for (uint32_t i = 0; i < head->attr_count; i++)
        if (tn_bytes_equal(head->attrs[i].as, name) && !head->attrs[i].value)
            return &head->attrs[i];
    return NULL;
}

static bool map_literal(struct tn_arg *arg, const struct tn_lang_expr *value)
{
    arg->has_value = true;
    arg->number    = value->number;
    arg->real      = value->real;
    switch (arg->type) {
    case TN_ARG_INT64: return value->kind == TN_LANG_INT;
    case TN_ARG_BOOL: return value->kind == TN_LANG_BOOL;
    case TN_ARG_STRING:
        arg->text = value->text;
        return value->kind == TN_LANG_STRING;
    case TN_ARG_DOUBLE:
        arg->number = 0;
        if (value->kind == TN_LANG_INT)
            arg->real = (double)value->number;
        return value->kind == TN_LANG_INT || value->kind == TN_LANG_FLOAT;
    default: return false;
    }
}

static bool map_attr(struct mapping *m, const struct tn_lang_attr *attr)
{
    const struct tn_vocab_attr *target =
        tn_vocab_find_attr(m->target, attr->name);
    struct tn_arg arg = { .name = attr->name };
    const char   *word;

    if (!target || target->is_list || !find_list(target, &arg.type, &word))
        return false;
    if (attr->value->kind != TN_LANG_NAME) {
        arg.index                         = (int32_t)target->slot;
        m->constants[m->constant_count++] = arg;
        return map_literal(&m->constants[m->constant_count - 1], attr->value);
    }
    const struct tn_lang_attr  *from = find_attr(m, attr->value->text);
    const struct tn_vocab_attr *declared =
        from ? tn_vocab_find_attr(m->source, from->name) : NULL;
    if (!declared || !tn_bytes_is(declared->type, word))
        return false;
    m->attrs[m->attr_count++] =
        (struct tn_map_pair){ attr->name, from->name, attr->place };
    return true;
}

/* Whether a head requires something that a mapper would not check. */
static bool demands_something(const struct tn_lang_head *head)
{
    for (uint32_t i = 0; i < head->attr_count; i++)
        if (head->attrs[i].is_match)
            return true;
    return false;
}

static bool is_plain(struct mapping *m)
{
    if (demands_something(&m->rule->head) || !map_inputs(m))
        return false;
    for (uint32_t i = 0; i < m->call->attr_count; i++)
        if (!map_attr(m, &m->call->attrs[i]))
            return false;
    return true;
}

/* ---- the mapper --------------------------------------------------------- */

static struct tn_map_rule rule_of(const struct mapping *m, const char *function)
{
    return (struct tn_map_rule){
        .function = tn_map_function_find(tn_text(function)),
        .name     = tn_text(function),
        .place    = m->rule->place,
    };
}

static bool add_constants(struct mapping *m, struct tn_map_rule *to)
{
    struct tn_map_group *group =
        tn_new(m->arena, struct tn_map_group, 1, m->error);

    if (!group)
        return false;
    *group          = (struct tn_map_group){ tn_text("value"), m->constants,
                                             m->constant_count };
    *to             = rule_of(m, "argdescriptorconstant");
    to->groups      = group;
    to->group_count = 1;
    return true;
}

static enum tn_status add_mapper(struct mapping *m, struct tn_mappers *mappers)
{
    struct tn_map_rule *rules =
        tn_new(m->arena, struct tn_map_rule, 3, m->error);
    uint32_t count = 0;

    if (!rules)
        return m->error->status;
    if (m->tensor_count) {
        rules[count]              = rule_of(m, TN_MAP_TENSORS);
        rules[count].pairs        = m->tensors;
        rules[count++].pair_count = m->tensor_count;
    }
    if (m->attr_count) {
        rules[count]              = rule_of(m, TN_MAP_COPY);
        rules[count].pairs        = m->attrs;
        rules[count++].pair_count = m->attr_count;
    }
    if (m->constant_count && !add_constants(m, &rules[count++]))
        return m->error->status;
    return tn_mappers_add(mappers,
                          &(struct tn_mapper){ .framework  = m->file->from,
                                               .op_type    = m->rule->head.op,
                                               .target     = m->call->text,
                                               .rules      = rules,
                                               .rule_count = count,
                                               .place      = m->rule->place },
                          m->error);
}

static enum tn_status map_rule(struct mapping *m, struct tn_mappers *mappers)
{
    uint32_t attrs = m->call->attr_count;

    m->tensors =
        tn_new(m->arena, struct tn_map_pair, m->call->item_count, m->error);
    m->attrs     = tn_new(m->arena, struct tn_map_pair, attrs, m->error);
    m->constants = tn_new(m->arena, struct tn_arg, attrs, m->error);
    if (tn_failed(m->error))
        return m->error->status;
    return is_plain(m) ? add_mapper(m, mappers) : TN_OK;
}

enum tn_status tn_lang_mappers(struct tn_mappers         *mappers,
                               const struct tn_lang_file *file,
                               struct tn_vocab *source, struct tn_vocab *nd4j,
                               struct tn_error *error)
{
    for (uint64_t i = 0; i < file->rules.count; i++) {
        const struct tn_lang_rule *rule =
            tn_list_at(&file->rules, struct tn_lang_rule, i);

        if (!is_candidate(file, rule))
            continue;
        struct mapping m = { .file  = file,
                             .rule  = rule,
                             .call  = rule->body.steps[0].expr,
                             .arena = mappers->arena,
                             .error = error };
        m.source = tn_vocab_find(source, tn_bytes(NULL, 0), rule->head.op,
                                 INT64_MAX, error);
        m.target = tn_vocab_find(nd4j, tn_bytes(NULL, 0), m.call->text,
                                 INT64_MAX, error);
        if (tn_failed(error))
            return error->status;
        if (m.source && m.target)
            TN_TRY(map_rule(&m, mappers));
    }
    return TN_OK;
}

/* ---- descriptors -------------------------------------------------------- */

static uint32_t add_values(struct tn_arg *args, const struct tn_vocab_arg *from,
                           uint32_t count, enum tn_arg_type type)
{
    for (uint32_t i = 0; i < count; i++)
        args[i] = (struct tn_arg){ .name  = from[i].name,
                                   .type  = type,
                                   .index = (int32_t)i };
    return count;
}

/* How many, of a list whose last may stand for any number. */
static int32_t count_values(const struct tn_vocab_arg *args, uint32_t count)
{
    if (count && args[count - 1].arity == TN_VOCAB_SOME)
        return TN_ANY_NUMBER;
    if (count && args[count - 1].arity == TN_VOCAB_MANY)
        return TN_ANY_OR_NONE;
    return (int32_t)count;
}

static uint32_t add_attrs(struct tn_arg *args, const struct tn_vocab_op *op)
{
    uint32_t    count = 0;
    const char *word;

    for (uint32_t i = 0; i < op->attr_count; i++) {
        struct tn_arg arg = { .name  = op->attrs[i].name,
                              .index = (int32_t)op->attrs[i].slot };

        if (find_list(&op->attrs[i], &arg.type, &word))
            args[count++] = arg;
    }
    return count;
}

static enum tn_status add_descriptor(struct tn_dl4j_ops       *ops,
                                     const struct tn_vocab_op *op,
                                     struct tn_error          *error)
{
    struct tn_arg *args =
        tn_new(ops->arena, struct tn_arg,
               op->input_count + op->output_count + op->attr_count, error);
    uint32_t count = 0;

    if (!args)
        return error->status;
    count += add_values(args, op->inputs, op->input_count, TN_ARG_INPUT_TENSOR);
    count += add_values(args + count, op->outputs, op->output_count,
                        TN_ARG_OUTPUT_TENSOR);
    count += add_attrs(args + count, op);
    return tn_dl4j_ops_add(
        ops,
        &(struct tn_op_descriptor){
            .name        = op->name,
            .declaration = op->kernel.size ? TN_LEGACY_XYZ : TN_CUSTOM_OP_IMPL,
            .in_count    = count_values(op->inputs, op->input_count),
            .out_count   = count_values(op->outputs, op->output_count),
            .args        = { count, args },
        },
        error);
}

enum tn_status tn_vocab_descriptors(struct tn_dl4j_ops *ops,
                                    struct tn_vocab    *nd4j,
                                    struct tn_error    *error)
{
    for (uint32_t i = 0; i < nd4j->row_count; i++) {
        const struct tn_vocab_op *op = tn_vocab_at(nd4j, i, error);

        if (!op)
            return error->status;
        TN_TRY(add_descriptor(ops, op, error));
    }
    return TN_OK;
}
