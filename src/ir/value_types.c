/* value_types.c - checks the element types of values */
#include "ir/value_types.h"

#include <stdio.h>

#include "ir/op_arguments.h"
#include "ir/output_name.h"

/* Type variables of an operator that we keep track of; vocabularies have
 * fewer. */
#define VARIABLE_LIMIT 16

/* Values of one argument; of most there is one. */
struct run {
    uint64_t       length;
    const uint8_t *types; /* of each; NULL: all are `type`                    */
    uint8_t        type;  /* 0: not known                                     */
};

/* The types of a node's arguments, inputs first, then outputs. */
struct binding {
    const struct tn_vocab_op *op;
    const uint8_t            *types; /* by argument                           */
    const struct run         *runs;  /* where arguments are lists; else NULL  */
};

static enum tn_dtype dtype_of(uint8_t type)
{
    return (enum tn_dtype)(type & 63);
}

struct tn_type_words tn_type_words(uint8_t type)
{
    static const char *const around[] = { "", "sequence of ", "optional ",
                                          "optional sequence of " };
    struct tn_type_words     w;

    snprintf(w.text, sizeof w.text, "%s%s", around[type >> 6],
             tn_dtype_name(dtype_of(type)));
    return w;
}

/* ---- findings ----------------------------------------------------------- */

/* Two arguments that should have one type; `does`: takes or gives. */
static void complain_mixed(struct tn_typing *t, uint32_t op, const char *does,
                           const uint32_t values[2], const uint8_t types[2])
{
    const struct tn_model *m = t->model;

    tn_value_complain(
        &t->findings, op, "type-mismatch",
        "'%.*s' is %s and '%.*s' is %s; %.*s %s them in one type",
        TN_FMT(tn_value_short_name(m, values[0])), tn_type_words(types[0]).text,
        TN_FMT(tn_value_short_name(m, values[1])), tn_type_words(types[1]).text,
        TN_FMT(tn_model_name(m, tn_model_op_at(m, op)->type)), does);
}

static void complain_of(struct tn_typing *t, uint32_t op, const char *rule,
                        uint32_t value, uint8_t type, const char *rest)
{
    tn_value_complain(&t->findings, op, rule, "'%.*s' is %s, %s",
                      TN_FMT(tn_value_short_name(t->model, value)),
                      tn_type_words(type).text, rest);
}

/* ---- from the top ------------------------------------------------------- */

void tn_typing_init(struct tn_typing *t, const struct tn_model *model,
                    const struct tn_vocab_use *use, struct tn_report *report,
                    struct tn_error *error)
{
    *t = (struct tn_typing){
        .model    = model,
        .use      = use,
        .findings = { model, report, use->file, false },
        .error    = error,
    };
    tn_arena_init(&t->arena, model->memory);
    tn_list_init(&t->bindings, model->memory, sizeof(struct binding));
    if (!use->compares_types)
        return;
    t->told  = tn_new(&t->arena, uint8_t, model->values.count, error);
    t->types = tn_new(&t->arena, uint8_t, model->values.count, error);
    if (tn_typing_is_by_attrs(t))
        t->bound = tn_new(&t->arena, uint32_t, model->ops.count, error);
    if (tn_failed(error) || !use->declare)
        return;
    use->declare(use->context, t->told);
    if (model->values.count)
        memcpy(t->types, t->told, (size_t)model->values.count);
}

void tn_typing_done(struct tn_typing *t)
{
    tn_list_done(&t->bindings);
    tn_arena_done(&t->arena);
}

static uint32_t find_variable(const struct tn_typing    *t,
                              const struct tn_vocab_op  *op,
                              const struct tn_vocab_arg *arg)
{
    const struct tn_vocab_attr *attr;

    if (!arg->variable.size)
        return TN_NONE;
    if (tn_typing_is_by_attrs(t)) {
        attr = tn_vocab_find_attr(op, arg->variable);
        return attr ? (uint32_t)(attr - op->attrs) : TN_NONE;
    }
    for (uint32_t i = 0; i < op->variable_count; i++)
        if (tn_bytes_equal(op->variables[i].name, arg->variable))
            return i;
    return TN_NONE;
}

void tn_typing_prepare(struct tn_typing *t, struct tn_typed_kind *kind,
                       const struct tn_vocab_op *op)
{
    uint32_t count = op->input_count + op->output_count;

    *kind = (struct tn_typed_kind){ .op = op };
    if (!t->types || !op->has_signature || op->variable_count > VARIABLE_LIMIT)
        return;
    kind->variables = tn_new(&t->arena, uint32_t, count, t->error);
    for (uint32_t i = 0; kind->variables && i < count; i++)
        kind->variables[i] = find_variable(
            t, op,
            i < op->input_count ? &op->inputs[i]
                                : &op->outputs[i - op->input_count]);
    kind->is_typed = kind->variables != NULL;
}

/* ---- values say the types ----------------------------------------------- */

/* What the variables of one node stand for. */
struct bindings {
    uint8_t  types[VARIABLE_LIMIT];
    uint32_t values[VARIABLE_LIMIT]; /* who said it                           */
};

static uint64_t allowed(const struct tn_vocab_types *types, uint8_t type)
{
    switch ((enum tn_wrap)(type >> 6)) {
    case TN_WRAP_SEQUENCE: return types->sequences;
    case TN_WRAP_OPTIONAL: return types->optionals;
    case TN_WRAP_OPTIONAL_SEQUENCE: return types->optional_sequences;
    default: return types->tensors;
    }
}

static bool is_allowed(const struct tn_vocab_types *types, uint8_t type)
{
    return allowed(types, type) >> dtype_of(type) & 1;
}

/* The only type that there is; 0: there are more. */
static uint8_t only_type(const struct tn_vocab_types *types)
{
    const uint64_t sets[] = { types->tensors, types->sequences,
                              types->optionals, types->optional_sequences };
    uint8_t        found  = 0;

    if (types->maps[0] | types->maps[1] | types->map_sequences[0] |
        types->map_sequences[1])
        return 0;
    for (unsigned wrap = 0; wrap < 4; wrap++) {
        if (!sets[wrap])
            continue;
        if (found || sets[wrap] & (sets[wrap] - 1))
            return 0;
        for (unsigned d = 0; d < TN_DTYPE_COUNT; d++)
            if (sets[wrap] >> d & 1)
                found = TN_TYPE(d, wrap);
    }
    return found;
}

static uint8_t type_of(const struct tn_typing *t, uint32_t value)
{
    return t->types[tn_model_defining_value(t->model, value)];
}

/* What the argument may be; NULL: the vocabulary does not tell. */
static const struct tn_vocab_types *types_of(const struct tn_typed_kind *kind,
                                             const struct tn_vocab_arg  *arg,
                                             uint32_t variable)
{
    if (variable != TN_NONE)
        return &kind->op->variables[variable].types;
    return arg->variable.size ? NULL : &arg->types;
}

/* Which type a variable stands for, by what one of its arguments is. */
static void bind(struct tn_typing *t, const struct tn_typed_kind *kind,
                 uint32_t op, uint32_t variable, uint32_t value,
                 struct bindings *b)
{
    uint8_t type = type_of(t, value);

    if (!b->types[variable]) {
        b->types[variable]  = type;
        b->values[variable] = value;
        return;
    }
    if (b->types[variable] == type || b->types[variable] == TN_TYPE_MANY)
        return;
    if (!kind->op->is_promoting)
        complain_mixed(t, op, "takes",
                       (uint32_t[]){ b->values[variable], value },
                       (uint8_t[]){ b->types[variable], type });
    b->types[variable] = TN_TYPE_MANY; /* said once; no type follows */
}

/* Not one that the variable stands for, and allowed beside those. */
static bool is_other(const struct tn_vocab_arg *arg, uint8_t type)
{
    return arg->has_others && is_allowed(&arg->types, type);
}

static void judge_input(struct tn_typing *t, const struct tn_typed_kind *kind,
                        uint32_t op, const struct tn_op_arguments *a,
                        struct bindings *b)
{
    uint32_t variable = kind->variables[a->arg - kind->op->inputs];
    const struct tn_vocab_types *types = types_of(kind, a->arg, variable);
    uint8_t                      type  = type_of(t, a->value);
    char                         rest[100];

    if (!type && kind->op->is_promoting && variable != TN_NONE)
        b->types[variable] = TN_TYPE_MANY; /* the other may decide */
    if (!type || type == TN_TYPE_MANY || !types)
        return;
    if (is_allowed(types, type)) {
        if (variable != TN_NONE && !a->arg->is_mixed)
            bind(t, kind, op, variable, a->value, b);
    } else if (is_other(a->arg, type)) {
        b->types[variable] = TN_TYPE_MANY; /* what follows is not told */
    } else {
        snprintf(rest, sizeof rest, "which %.*s does not take as '%.*s'",
                 TN_FMT(kind->op->name), TN_FMT(a->arg->name));
        complain_of(t, op, "type-not-allowed", a->value, type, rest);
    }
}

static uint8_t made_type(struct tn_typing *t, const struct tn_typed_kind *kind,
                         uint32_t op, const struct tn_op_arguments *a,
                         const struct bindings *b)
{
    uint32_t variable                  = kind->variables[kind->op->input_count +
                                        (size_t)(a->arg - kind->op->outputs)];
    const struct tn_vocab_types *types = types_of(kind, a->arg, variable);
    uint8_t                      type = 0, told = t->told[a->value];

    if (variable != TN_NONE && !a->arg->is_mixed)
        type = b->types[variable];
    if (type == TN_TYPE_MANY ||
        (told && types && !is_allowed(types, told) && is_other(a->arg, told)))
        return 0;
    if (!type && types && !a->arg->has_others)
        type = only_type(types);
    if (!type && t->use->made)
        type = t->use->made(t->use->context, op, kind->op, a->index);
    return type;
}

/* Whether the value is the one that this node made.  Declared variables
 * (Paddle) have one type, whichever op writes them. */
static bool is_made_by(const struct tn_typing *t, uint32_t op, uint32_t value)
{
    const struct tn_value *row = tn_model_value_at(t->model, value);

    return t->model->dialect->declared ||
           (row->kind == TN_VALUE_OUTPUT && row->producer == op);
}

static void judge_output(struct tn_typing *t, uint32_t op, uint32_t value,
                         uint8_t type)
{
    char rest[100];

    if (!is_made_by(t, op, value))
        return; /* defined elsewhere already */
    t->types[value] = t->told[value] ? t->told[value] : type;
    if (!type || t->types[value] == type || t->types[value] == TN_TYPE_MANY)
        return;
    snprintf(rest, sizeof rest, "and declared as %s",
             tn_type_words(t->types[value]).text);
    complain_of(t, op, "type-mismatch", value, type, rest);
}

static void judge_results(struct tn_typing *t, uint32_t op,
                          const struct tn_results *results)
{
    const struct tn_op *row = tn_model_op_at(t->model, op);

    for (uint32_t i = 0; i < row->output_count; i++) {
        uint32_t value =
            tn_model_ref_at(t->model, (uint64_t)row->first_output + i);
        if (value != TN_NONE)
            judge_output(t, op, value,
                         i < results->count ? results->types[i] : 0);
    }
}

static void judge_values(struct tn_typing *t, const struct tn_typed_kind *kind,
                         uint32_t op, const struct tn_results *results)
{
    struct bindings        b = { { 0 }, { 0 } };
    struct tn_op_arguments a;

    if (kind && kind->is_typed) {
        tn_op_arguments_init(&a, t->model, kind->op, op, false);
        while (tn_op_arguments_next(&a))
            judge_input(t, kind, op, &a, &b);
    }
    if (results) {
        judge_results(t, op, results);
    } else if (kind && kind->is_typed) {
        tn_op_arguments_init(&a, t->model, kind->op, op, true);
        while (tn_op_arguments_next(&a))
            judge_output(t, op, a.value, made_type(t, kind, op, &a, &b));
    }
}

/* ---- attributes say the types ------------------------------------------- */

static bool is_seen(const struct tn_attr_types *attrs, uint32_t number)
{
    return attrs->seen[number / 64] >> number % 64 & 1;
}

/* By the attribute, or else its default. */
static uint8_t type_said(const struct tn_vocab_op   *op,
                         const struct tn_attr_types *attrs, uint32_t number)
{
    const struct tn_vocab_attr *attr = &op->attrs[number];

    if (attr->is_list)
        return 0;
    if (is_seen(attrs, number))
        return attrs->of[number];
    return attr->has_default && attr->value.kind == TN_ATTR_DTYPE
               ? TN_TYPE(attr->value.of.ints[0], TN_WRAP_NONE)
               : 0;
}

static const struct tn_vocab_arg *argument(const struct tn_vocab_op *op,
                                           uint32_t                  index)
{
    return index < op->input_count ? &op->inputs[index]
                                   : &op->outputs[index - op->input_count];
}

static uint8_t bind_argument(const struct tn_typed_kind *kind, uint32_t index,
                             const struct tn_attr_types *attrs)
{
    const struct tn_vocab_arg *arg = argument(kind->op, index);

    if (kind->variables[index] != TN_NONE)
        return type_said(kind->op, attrs, kind->variables[index]);
    return arg->variable.size ? 0 : only_type(&arg->types);
}

/* A list that its attribute does not say has no length that is known. */
static struct run bind_list(const struct tn_vocab_op   *op,
                            const struct tn_vocab_arg  *arg,
                            const struct tn_attr_types *attrs, uint8_t type)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_attr(op, arg->list);
    struct run                  run  = { UINT64_MAX, NULL, type };
    uint32_t number                  = attr ? (uint32_t)(attr - op->attrs) : 0;

    if (!attr || !is_seen(attrs, number) || attrs->counts[number] < 0)
        return run;
    run.length = (uint64_t)attrs->counts[number];
    if (arg->arity == TN_VOCAB_BY_TYPES)
        run.types = attrs->lists[number];
    return run;
}

static const struct run *bind_runs(struct tn_typing           *t,
                                   const struct tn_vocab_op   *op,
                                   const struct tn_attr_types *attrs,
                                   const uint8_t *types, uint32_t count)
{
    struct run *runs = tn_new(&t->arena, struct run, count, t->error);

    for (uint32_t i = 0; runs && i < count; i++) {
        const struct tn_vocab_arg *arg = argument(op, i);
        runs[i] = arg->list.size ? bind_list(op, arg, attrs, types[i])
                                 : (struct run){ 1, NULL, types[i] };
    }
    return runs;
}

/* More arguments than that are not compared; vocabularies have fewer. */
#define ARGUMENT_LIMIT 64

void tn_typing_note(struct tn_typing *t, struct tn_typed_kind *kind,
                    uint32_t op, const struct tn_attr_types *attrs)
{
    uint32_t count = kind->op->input_count + kind->op->output_count;
    uint8_t  types[ARGUMENT_LIMIT];

    if (!kind->is_typed || count > ARGUMENT_LIMIT)
        return;
    if (!attrs) {
        t->bound[op] = kind->last;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        types[i] = bind_argument(kind, i, attrs);
    if (kind->last && !kind->op->has_lists) {
        const struct binding *last =
            tn_list_at(&t->bindings, struct binding, kind->last - 1);
        if (!memcmp(last->types, types, count)) {
            t->bound[op] = kind->last;
            return;
        }
    }
    uint8_t        *own = tn_new(&t->arena, uint8_t, count, t->error);
    struct binding *b   = tn_list_push(&t->bindings, struct binding, t->error);
    if (!own || !b)
        return;
    memcpy(own, types, count);
    *b = (struct binding){ .op = kind->op, .types = own };
    if (kind->op->has_lists)
        b->runs = bind_runs(t, kind->op, attrs, own, count);
    t->bound[op] = kind->last = (uint32_t)t->bindings.count;
}

static const struct binding *binding_of(const struct tn_typing *t, uint32_t op)
{
    return t->bound[op]
               ? tn_list_at(&t->bindings, struct binding, t->bound[op] - 1)
               : NULL;
}

/* The type of the value that comes `index` after the first of argument
 * `first`; 0: not known. */
static uint8_t type_at(const struct binding *b, uint32_t first, uint32_t end,
                       uint64_t index)
{
    if (!b->runs)
        return index < end - first ? b->types[first + index] : 0;
    for (uint32_t i = first; i < end; i++) {
        const struct run *run = &b->runs[i];
        if (index < run->length)
            return run->length == UINT64_MAX ? 0
                   : run->types              ? run->types[index]
                                             : run->type;
        index -= run->length;
    }
    return 0;
}

/* In the body of a function "node:out:2" is the third of the values that the
 * argument `out` has, and "node:out" are all of them. */
static uint8_t named_output(const struct binding *b, struct tn_bytes name,
                            uint32_t number)
{
    uint32_t              first = b->op->input_count, i = 0;
    struct tn_output_name of = tn_output_name_parse(name);

    if (!of.argument.data)
        return type_at(b, first, first + b->op->output_count, 0);
    while (i < b->op->output_count &&
           !tn_bytes_equal(b->op->outputs[i].name, of.argument))
        i++;
    if (i == b->op->output_count)
        return 0;
    if (!of.is_one && (b->runs ? b->runs[first + i].length : 1) != 1)
        return TN_TYPE_MANY;
    return type_at(b, first + i, first + i + 1, number);
}

/* Of a function that is called like an operator. */
static uint8_t result_type(const struct tn_typing *t, uint32_t value,
                           uint32_t producer)
{
    const struct tn_results *results = t->results ? t->results[producer] : NULL;
    uint32_t                 number;

    if (!results)
        return 0;
    number = t->use->result_number
                 ? t->use->result_number(t->use->context, value)
                 : tn_model_value_at(t->model, value)->output;
    return number < results->count ? results->types[number] : 0;
}

static uint8_t given_type(const struct tn_typing *t, uint32_t value)
{
    const struct tn_value *row = tn_model_value_at(t->model, value);
    const struct binding  *b;

    if (row->kind != TN_VALUE_OUTPUT || row->producer == TN_NONE)
        return t->types[value];
    b = binding_of(t, row->producer);
    if (!b)
        return result_type(t, value, row->producer);
    if (tn_model_graph_at(t->model, row->graph)->kind == TN_GRAPH_FUNCTION)
        return named_output(b, tn_model_name(t->model, row->name), row->output);
    return type_at(b, b->op->input_count,
                   b->op->input_count + b->op->output_count, row->output);
}

static void compare_op(struct tn_typing *t, uint32_t op)
{
    const struct binding *b   = binding_of(t, op);
    const struct tn_op   *row = tn_model_op_at(t->model, op);
    char                  rest[100];

    if (!b)
        return;
    for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
        uint32_t value =
            tn_model_ref_at(t->model, (uint64_t)row->first_input + i);
        uint8_t given = value == TN_NONE ? 0 : given_type(t, value);
        uint8_t taken = type_at(b, 0, b->op->input_count, i);
        if (given == TN_TYPE_MANY)
            return; /* what follows is at no known place */
        if (!given || !taken || given == taken)
            continue;
        snprintf(rest, sizeof rest, "%.*s takes %s there", TN_FMT(b->op->name),
                 tn_type_words(taken).text);
        complain_of(t, op, "type-mismatch", value, given, rest);
    }
}

/* Compares what the functions of a node return with what the node declares. */
static void compare_results(struct tn_typing *t, uint32_t op,
                            const struct tn_results *results)
{
    const struct binding *b = binding_of(t, op);

    for (uint32_t i = 0; b && i < results->count; i++) {
        uint8_t said = type_at(b, b->op->input_count,
                               b->op->input_count + b->op->output_count, i);
        if (said && results->types[i] && said != results->types[i])
            tn_value_complain(&t->findings, op, "type-mismatch",
                              "output %" PRIu32 " is %s, the function gives %s",
                              i, tn_type_words(said).text,
                              tn_type_words(results->types[i]).text);
    }
}

uint32_t tn_typing_output_count(const struct tn_typing *t, uint32_t op)
{
    const struct binding *b     = t->bound ? binding_of(t, op) : NULL;
    uint64_t              count = 0;

    if (!b || !b->runs)
        return b ? b->op->output_count : 0;
    for (uint32_t i = 0; i < b->op->output_count; i++) {
        uint64_t length = b->runs[b->op->input_count + i].length;
        if (length > UINT32_MAX || count + length > UINT32_MAX)
            return 0;
        count += length;
    }
    return (uint32_t)count;
}

void tn_typing_compare(struct tn_typing *t)
{
    if (!t->bound || !t->types)
        return;
    for (uint32_t op = 0;
         op < t->model->ops.count && !t->findings.report->is_stopped; op++)
        compare_op(t, op);
}

/* ---- through graphs that nodes run -------------------------------------- */

void tn_typing_judge(struct tn_typing *t, const struct tn_typed_kind *kind,
                     uint32_t op, const struct tn_results *results)
{
    if (!t->types)
        return;
    if (!tn_typing_is_by_attrs(t))
        judge_values(t, kind, op, results);
    else if (results)
        compare_results(t, op, results);
}

uint8_t tn_typing_type(const struct tn_typing *t, uint32_t value)
{
    uint8_t type = 0;

    if (t->types)
        type =
            tn_typing_is_by_attrs(t) ? given_type(t, value) : type_of(t, value);
    return type == TN_TYPE_MANY ? 0 : type;
}

void tn_typing_enter(struct tn_typing *t, uint32_t op, uint32_t outer,
                     uint32_t value, uint8_t type)
{
    if (!t->types || (!t->told[value] && tn_typing_is_by_attrs(t)))
        return; /* what an attribute of the call says is of no use there */
    t->types[value] = t->told[value] ? t->told[value] : type;
    if (!type || t->types[value] == type || t->types[value] == TN_TYPE_MANY)
        return;
    if (outer == TN_NONE)
        tn_typing_expect(t, op, value, t->types[value], type);
    else
        tn_value_complain(&t->findings, op, "type-mismatch",
                          "'%.*s' is %s, and is given '%.*s' as %s",
                          TN_FMT(tn_value_short_name(t->model, value)),
                          tn_type_words(t->types[value]).text,
                          TN_FMT(tn_value_short_name(t->model, outer)),
                          tn_type_words(type).text);
}

/* A loop may begin with an optional value, and give it. */
static uint8_t without_optional(uint8_t type)
{
    static const uint8_t inner[] = { TN_WRAP_NONE, TN_WRAP_SEQUENCE,
                                     TN_WRAP_NONE, TN_WRAP_SEQUENCE };

    return TN_TYPE(dtype_of(type), inner[type >> 6]);
}

void tn_typing_expect_same(struct tn_typing *t, uint32_t op, uint32_t first,
                           uint8_t first_type, uint32_t second,
                           uint8_t second_type)
{
    if (first_type && second_type &&
        without_optional(first_type) != without_optional(second_type))
        complain_mixed(t, op, "gives", (uint32_t[]){ first, second },
                       (uint8_t[]){ first_type, second_type });
}

void tn_typing_expect(struct tn_typing *t, uint32_t op, uint32_t value,
                      uint8_t type, uint8_t wanted)
{
    struct tn_bytes kind =
        tn_model_name(t->model, tn_model_op_at(t->model, op)->type);
    char rest[140];

    if (!type || !wanted || type == wanted)
        return;
    if (kind.size > 60)
        kind.size = 60;
    snprintf(rest, sizeof rest, "%.*s takes %s there", TN_FMT(kind),
             tn_type_words(wanted).text);
    complain_of(t, op, "type-mismatch", value, type, rest);
}
