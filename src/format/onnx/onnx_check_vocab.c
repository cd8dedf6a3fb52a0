/* onnx_check_vocab.c - nodes against the operators of the imported versions */
#include "format/onnx/onnx_check.h"
#include "ir/vocab_check.h"

#include <stdio.h>

struct lexicon {
    struct tn_onnx_checker *ch;
    struct tn_pairs         functions; /* (domain, name) -> any               */
};

/* The two spellings of the default domain have one number. */
static uint32_t domain_id(const struct tn_model *model, uint32_t domain)
{
    return tn_intern_find(&model->names,
                          tn_onnx_domain(tn_model_name(model, domain)));
}

static void index_functions(struct lexicon *x)
{
    const struct tn_model *model = x->ch->model;

    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind == TN_GRAPH_FUNCTION)
            tn_pairs_add(&x->functions, domain_id(model, graph->domain),
                         graph->name, i, x->ch->error);
    }
}

static uint32_t scope_of(void *context, uint32_t graph)
{
    return ((struct lexicon *)context)->ch->roots[graph];
}

static bool is_call(void *context, uint32_t scope, const struct tn_op *op)
{
    struct lexicon *x = context;

    (void)scope;
    return tn_pairs_find(&x->functions, domain_id(x->ch->model, op->domain),
                         op->type) != UINT32_MAX;
}

static int64_t version_of(void *context, uint32_t scope, struct tn_bytes domain)
{
    const struct tn_onnx_checker *ch = ((struct lexicon *)context)->ch;
    uint32_t                      id =
        domain.size ? tn_intern_find(&ch->model->names, domain) : TN_NO_NAME;
    int64_t version;

    if ((domain.size && id == TN_NO_NAME) ||
        !tn_onnx_imported(ch, scope, id, &version) || version < 0 ||
        version > INT32_MAX)
        return -1;
    return version;
}

/* ---- types -------------------------------------------------------------- */

/* The value that a tensor of the model is: of the graph's own list, or what a
 * Constant gives.  TN_NONE: it is none. */
static uint32_t value_of(const struct tn_model  *model,
                         const struct tn_tensor *row)
{
    const struct tn_graph *graph;
    const struct tn_op    *op;

    if (row->graph == TN_NONE)
        return TN_NONE;
    if (row->node == TN_NONE)
        return row->role != TN_ROLE_INITIALIZER || row->name == TN_NO_NAME
                   ? TN_NONE
                   : tn_model_find_value(model, row->graph, row->name);
    graph = tn_model_graph_at(model, row->graph);
    if (row->role != TN_ROLE_ATTRIBUTE || row->part != TN_NONE ||
        row->node >= graph->op_count)
        return TN_NONE;
    op = tn_model_op_at(model, graph->first_op + row->node);
    return op->output_count == 1 &&
                   tn_bytes_is(tn_model_name(model, op->type), "Constant") &&
                   tn_onnx_domain(tn_model_name(model, op->domain)).size == 0
               ? tn_model_ref_at(model, op->first_output)
               : TN_NONE;
}

/* Of constants the tensor says it, of other values the graph. */
static void declare(void *context, uint8_t *types)
{
    const struct tn_onnx_checker *ch    = ((struct lexicon *)context)->ch;
    const struct tn_model        *model = ch->model;

    for (uint64_t i = 0; i < ch->declared.count; i++) {
        const struct tn_onnx_declared *row =
            tn_list_at(&ch->declared, struct tn_onnx_declared, i);
        if (!types[row->value]) /* that it comes twice is told elsewhere */
            types[row->value] = row->type;
    }
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        uint32_t value = row->node == TN_NONE ? value_of(model, row) : TN_NONE;
        if (value != TN_NONE)
            types[value] = TN_TYPE(row->elements.shape.dtype, TN_WRAP_NONE);
    }
}

static void declare_ranks(void *context, uint8_t *ranks)
{
    const struct tn_onnx_checker *ch    = ((struct lexicon *)context)->ch;
    const struct tn_model        *model = ch->model;

    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        uint32_t value = value_of(model, row);
        if (value != TN_NONE)
            ranks[value] = TN_RANK(row->elements.shape.rank);
    }
    for (uint64_t i = 0; i < ch->declared.count; i++) {
        const struct tn_onnx_declared *row =
            tn_list_at(&ch->declared, struct tn_onnx_declared, i);
        if (!ranks[row->value])
            ranks[row->value] = row->rank;
    }
}

/* An initializer that is an input, too, may be another when the model runs:
 * before version 4 of the format all were inputs, and none was. */
static bool is_overridable(const struct tn_onnx_checker *ch, uint32_t value)
{
    return ch->detail->ir_version >= 4 &&
           tn_model_value_at(ch->model, value)->kind == TN_VALUE_INPUT;
}

/* Of the main graph: what is declared in others holds for the round or the call
 * that somebody thought of. */
static void declare_sizes(void *context, struct tn_sizing *to)
{
    const struct tn_onnx_checker *ch    = ((struct lexicon *)context)->ch;
    const struct tn_model        *model = ch->model;

    for (uint64_t i = 0; i < ch->declared.count; i++) {
        const struct tn_onnx_declared *row =
            tn_list_at(&ch->declared, struct tn_onnx_declared, i);
        uint32_t graph = tn_model_value_at(model, row->value)->graph;
        if (row->dims && tn_model_graph_at(model, graph)->kind == TN_GRAPH_MAIN)
            tn_sizing_tell(to, row->value, row->dims);
    }
    for (uint32_t i = 0; i < model->tensors.count; i++) {
        uint32_t value =
            value_of(model, tn_list_at(&model->tensors, struct tn_tensor, i));
        if (value != TN_NONE && !is_overridable(ch, value))
            tn_sizing_tell_constant(to, value, i);
    }
}

/* ---- graphs that nodes run, and what the file says twice ----------------- */

static uint32_t callee(void *context, uint32_t op, uint32_t number)
{
    return tn_onnx_callee(((struct lexicon *)context)->ch, op, number);
}

static bool pass(void *context, const struct tn_crossing *c,
                 struct tn_passing *to)
{
    return tn_onnx_pass(((struct lexicon *)context)->ch, c, to);
}

/* Inputs, outputs and value_info, which may speak of one value. */
static bool claim(void *context, uint64_t index, struct tn_value_claim *to)
{
    const struct tn_onnx_checker  *ch = ((struct lexicon *)context)->ch;
    const struct tn_onnx_declared *row;

    if (index >= ch->declared.count)
        return false;
    row = tn_list_at(&ch->declared, struct tn_onnx_declared, index);
    *to = (struct tn_value_claim){ row->value, row->type, row->rank,
                                   row->offset };
    return true;
}

static void claim_path(void *context, uint64_t index, char *to, size_t size)
{
    const struct tn_onnx_checker  *ch = ((struct lexicon *)context)->ch;
    const struct tn_onnx_declared *row =
        tn_list_at(&ch->declared, struct tn_onnx_declared, index);
    uint32_t graph = tn_model_value_at(ch->model, row->value)->graph;

    snprintf(to, size, "%s.%s[%" PRIu32 "]",
             tn_model_graph_at(ch->model, graph)->path,
             row->field == GRAPH_INPUT    ? "input"
             : row->field == GRAPH_OUTPUT ? "output"
                                          : "value_info",
             row->index);
}

/* ---- what attributes make ------------------------------------------------ */

/* Operators with an attribute that says what they make. */
static const struct maker {
    const char *op, *attr;
    bool        is_sequence;
} makers[] = {
    { "Cast", "to", false },
    { "Constant", "value", false },
    { "Constant", "value_float", false },
    { "Constant", "value_floats", false },
    { "Constant", "value_int", false },
    { "Constant", "value_ints", false },
    { "Constant", "value_string", false },
    { "Constant", "value_strings", false },
    { "ConstantOfShape", "value", false },
    { "EyeLike", "dtype", false },
    { "RandomNormal", "dtype", false },
    { "RandomNormalLike", "dtype", false },
    { "RandomUniform", "dtype", false },
    { "RandomUniformLike", "dtype", false },
    { "Multinomial", "dtype", false },
    { "Bernoulli", "dtype", false },
    { "SequenceEmpty", "dtype", true },
};

static uint8_t type_in(const struct maker *m, const struct tn_attr_value *value)
{
    const struct tn_onnx_type *type;

    switch (value->kind) {
    case TN_ATTR_TENSOR:
        return TN_TYPE(value->of.tensors[0]->elements.shape.dtype,
                       TN_WRAP_NONE);
    case TN_ATTR_FLOAT: return TN_TYPE(TN_FLOAT32, TN_WRAP_NONE);
    case TN_ATTR_STRING: /* the first Cast says its type by name */
        return strncmp(m->attr, "value", 5) ? 0
                                            : TN_TYPE(TN_STRING, TN_WRAP_NONE);
    case TN_ATTR_INT: break;
    default: return 0;
    }
    if (value->is_list || !strncmp(m->attr, "value", 5))
        return TN_TYPE(TN_INT64, TN_WRAP_NONE);
    type = value->count ? tn_onnx_type((uint64_t)value->of.ints[0]) : NULL;
    return type ? TN_TYPE(type->dtype,
                          m->is_sequence ? TN_WRAP_SEQUENCE : TN_WRAP_NONE)
                : 0;
}

static uint8_t made(void *context, uint32_t op, const struct tn_vocab_op *kind,
                    uint32_t output)
{
    struct lexicon *x    = context;
    uint8_t         type = 0;

    (void)output;
    for (size_t i = 0; !type && i < sizeof makers / sizeof *makers; i++) {
        struct tn_error failure = TN_ERROR_INIT;
        struct tn_attr *attr    = NULL;
        if (!tn_bytes_is(kind->name, makers[i].op))
            continue;
        if (tn_attr_find(&attr, x->ch->model, op, makers[i].attr, &failure) ==
            TN_OK)
            type = type_in(&makers[i], tn_attr_get(attr));
        tn_attr_close(attr);
    }
    return type;
}

void tn_onnx_check_vocab(struct tn_onnx_checker *ch)
{
    struct lexicon      x   = { .ch = ch };
    struct tn_vocab_use use = {
        .context        = &x,
        .scope          = scope_of,
        .version        = version_of,
        .is_call        = is_call,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .declare_sizes  = declare_sizes,
        .made           = made,
        .callee         = callee,
        .pass           = pass,
        .claim          = claim,
        .claim_path     = claim_path,
        .compares_types = true,
        .file           = "",
        .free_prefix    = "__",
        .attr_word      = "attribute",
        .unknown        = TN_LEVEL_ERROR,
        .deprecated     = TN_LEVEL_ERROR,
    };

    tn_pairs_init(&x.functions, ch->model->memory);
    index_functions(&x);
    tn_onnx_check_arity(ch);
    if (!tn_failed(ch->error))
        tn_vocab_check_builtin(ch->model, &use, "onnx", ch->report, ch->error);
    tn_pairs_done(&x.functions);
}
