/* tf_check_vocab.c - nodes against the operators of TensorFlow */
#include "format/tensorflow/tf_check.h"
#include "ir/output_name.h"
#include "ir/value_sizes.h"

struct lexicon {
    struct tn_tf_checking *c;
    struct tn_arena       *arena;
    uint32_t *mains; /* by graph: the one whose library it can call           */
    struct tn_tf_calls calls;
    struct given      *given; /* by op                                        */
};

static uint32_t scope_of(void *context, uint32_t graph)
{
    return ((struct lexicon *)context)->mains[graph];
}

static bool is_call(void *context, uint32_t scope, const struct tn_op *op)
{
    struct lexicon *x = context;

    return tn_pairs_find(&x->c->functions, scope, op->type) != UINT32_MAX;
}

/* The version of the producer: operators are removed by it. */
static int64_t version_of(void *context, uint32_t scope, struct tn_bytes domain)
{
    const struct lexicon      *x        = context;
    const struct tn_tf_detail *d        = tn_tf_detail_of(x->c->model);
    int32_t                    producer = d->versions.producer;

    (void)domain;
    for (uint32_t i = 0; i < d->meta_count; i++)
        if (d->metas[i].graph == scope)
            producer = d->metas[i].versions.producer;
    return producer < 0 ? 0 : producer;
}

/* In the body of a function "node:out" is a whole list, and so is an argument
 * that is one. */
static bool has_list_input(void *context, uint32_t op)
{
    const struct lexicon  *x     = context;
    const struct tn_model *model = x->c->model;
    const struct tn_op    *row   = tn_model_op_at(model, op);

    if (tn_model_graph_at(model, row->graph)->kind != TN_GRAPH_FUNCTION)
        return false;
    for (uint32_t i = 0; i < row->input_count - row->control_count; i++) {
        uint32_t value = tn_op_input(model, op, i);
        if (value == TN_NONE)
            return true;
        if (tn_model_value_at(model, value)->kind == TN_VALUE_INPUT ||
            tn_output_name_is_list(tn_model_value_name(model, value)))
            return true;
    }
    return false;
}

static uint32_t callee(void *context, uint32_t op, uint32_t number)
{
    return tn_tf_check_callee(&((struct lexicon *)context)->calls, op, number);
}

static bool pass(void *context, const struct tn_crossing *c,
                 struct tn_passing *to)
{
    return tn_tf_check_pass(&((struct lexicon *)context)->calls, c, to);
}

static bool is_merge(void *context, uint32_t op)
{
    const struct tn_model *model = ((struct lexicon *)context)->c->model;
    struct tn_bytes        type =
        tn_model_name(model, tn_model_op_at(model, op)->type);

    return tn_bytes_is(type, "Merge") || tn_bytes_is(type, "RefMerge");
}

static uint32_t result_number(void *context, uint32_t value)
{
    return tn_tf_check_result_number(&((struct lexicon *)context)->calls,
                                     value);
}

static bool claim(void *context, uint64_t index, struct tn_value_claim *to)
{
    const struct tn_list *claims = &((struct lexicon *)context)->calls.claims;

    if (index >= claims->count)
        return false;
    *to = tn_list_at(claims, struct tn_tf_claim, index)->said;
    return true;
}

static void claim_path(void *context, uint64_t index, char *to, size_t size)
{
    tn_tf_claim_path(&((struct lexicon *)context)->calls, index, to, size);
}

/* Arguments of functions; those whose type an attribute says have none. */
static void declare(void *context, uint8_t *types)
{
    const struct tn_model *model = ((struct lexicon *)context)->c->model;

    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind != TN_GRAPH_FUNCTION)
            continue;
        for (uint32_t k = 0; k < graph->inputs.count; k++) {
            const struct tn_io *end   = &graph->inputs.items[k];
            uint32_t            value = tn_model_find_value(
                           model, i, tn_intern_find(&model->names, end->name));
            if (value != TN_NONE)
                types[value] = strcmp(end->note, "list") == 0
                                   ? TN_TYPE_MANY
                                   : TN_TYPE(end->dtype, TN_WRAP_NONE);
        }
    }
}

/* What a Const or a placeholder gives; all zero: nothing. */
struct given {
    uint8_t               rank;   /* as TN_RANK()                             */
    uint32_t              tensor; /* + 1                                      */
    const struct tn_dims *dims;
};

/* The shape that a placeholder says.  Before version 24 of graphs no shape was
 * a scalar's. */
static void look_at_placeholder(struct lexicon *x, uint32_t op,
                                struct given *to)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;

    if (tn_attr_find(&attr, x->c->model, op, "shape", &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_SHAPE && value->count == 1 &&
            value->of.shapes[0].has_rank && value->of.shapes[0].rank) {
            to->rank = TN_RANK(value->of.shapes[0].rank);
            if (value->of.shapes[0].rank < TN_VOCAB_RANK_LIMIT)
                to->dims = tn_dims_new(x->arena, value->of.shapes[0].rank,
                                       value->of.shapes[0].dims, x->c->error);
        }
    }
    tn_attr_close(attr);
}

/* By op. */
static void find_given(struct lexicon *x)
{
    const struct tn_model *model = x->c->model;

    x->given = tn_new(x->arena, struct given, model->ops.count, x->c->error);
    for (uint32_t i = 0; x->given && i < model->tensors.count; i++) {
        const struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        const struct tn_graph *graph;
        if (row->role != TN_ROLE_ATTRIBUTE || row->graph == TN_NONE ||
            row->node == TN_NONE)
            continue;
        graph = tn_model_graph_at(model, row->graph);
        if (row->node < graph->op_count)
            x->given[graph->first_op + row->node] =
                (struct given){ .rank   = TN_RANK(row->elements.shape.rank),
                                .tensor = i + 1 };
    }
    for (uint32_t op = 0; x->given && op < model->ops.count; op++) {
        struct tn_bytes type =
            tn_model_name(model, tn_model_op_at(model, op)->type);
        if (tn_bytes_is(type, "Const"))
            continue;
        x->given[op] = (struct given){ 0, 0, NULL };
        if (tn_bytes_is(type, "Placeholder"))
            look_at_placeholder(x, op, &x->given[op]);
    }
}

/* What the op that a value comes from gives; NULL: not known. */
static const struct given *given_by(const struct lexicon *x, uint64_t value)
{
    const struct tn_value *row =
        tn_list_at(&x->c->model->values, struct tn_value, value);

    return x->given && row->kind == TN_VALUE_OUTPUT &&
                   row->producer != TN_NONE && row->output == 0
               ? &x->given[row->producer]
               : NULL;
}

static void declare_ranks(void *context, uint8_t *ranks)
{
    struct lexicon *x = context;

    for (uint64_t i = 0; i < x->c->model->values.count; i++)
        if (given_by(x, i))
            ranks[i] = given_by(x, i)->rank;
}

static void declare_sizes(void *context, struct tn_sizing *to)
{
    struct lexicon *x = context;

    for (uint32_t i = 0; i < x->c->model->values.count; i++) {
        const struct given *given = given_by(x, i);
        if (given && given->dims)
            tn_sizing_tell(to, i, given->dims);
        if (given && given->tensor)
            tn_sizing_tell_constant(to, i, given->tensor - 1);
    }
}

static void find_mains(struct lexicon *x)
{
    const struct tn_model *model = x->c->model;
    uint32_t               main  = TN_NONE;

    x->mains = tn_new(x->arena, uint32_t, model->graphs.count, x->c->error);
    for (uint32_t i = 0; x->mains && i < model->graphs.count; i++) {
        if (tn_model_graph_at(model, i)->kind != TN_GRAPH_FUNCTION)
            main = i;
        x->mains[i] = main;
    }
}

void tn_tf_check_vocab(struct tn_tf_checking *c)
{
    struct tn_arena     arena;
    struct lexicon      x   = { .c = c, .arena = &arena };
    struct tn_vocab_use use = {
        .context        = &x,
        .scope          = scope_of,
        .version        = version_of,
        .is_call        = is_call,
        .has_list_input = has_list_input,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .declare_sizes  = declare_sizes,
        .callee         = callee,
        .pass           = pass,
        .is_merge       = is_merge,
        .result_number  = result_number,
        .claim          = claim,
        .claim_path     = claim_path,
        .compares_types = true,
        .file           = c->file,
        .free_prefix    = "_",
        .unknown        = TN_LEVEL_NOTE,
        .deprecated     = TN_LEVEL_WARNING,
    };

    tn_arena_init(&arena, c->model->memory);
    find_mains(&x);
    find_given(&x);
    tn_tf_calls_init(&x.calls, c, x.mains);
    if (!tn_failed(c->error))
        tn_tf_calls_survey(&x.calls);
    if (!tn_failed(c->error))
        tn_vocab_check_builtin(c->model, &use, "tensorflow", c->report,
                               c->error);
    tn_tf_calls_done(&x.calls);
    tn_arena_done(&arena);
}
