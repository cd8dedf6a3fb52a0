/* tf_check_vocab.c - nodes against the operators of TensorFlow */
#include "format/tensorflow/tf_check.h"
#include "ir/vocab_check.h"

struct lexicon {
    struct tn_tf_checking *c;
    uint32_t *mains; /* by graph: the one whose library it can call           */
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
        const struct tn_value *from   = tn_model_value_at(model, value);
        struct tn_bytes        text   = tn_model_name(model, from->name);
        size_t                 colons = 0;
        for (size_t k = 0; k < text.size; k++)
            colons += text.data[k] == ':';
        if (colons == 1 || (colons == 0 && from->kind == TN_VALUE_INPUT))
            return true;
    }
    return false;
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
            const struct tn_end *end = &graph->inputs.items[k];
            uint32_t value = tn_model_find_value(
                model, i, tn_intern_find(&model->names, end->name));
            if (value != TN_NONE)
                types[value] = strcmp(end->note, "list") == 0
                                   ? TN_TYPE_MANY
                                   : TN_TYPE(end->dtype, TN_WRAP_NONE);
        }
    }
}

static void find_mains(struct lexicon *x, struct tn_arena *arena)
{
    const struct tn_model *model = x->c->model;
    uint32_t               main  = TN_NONE;

    x->mains = tn_new(arena, uint32_t, model->graphs.count, x->c->error);
    for (uint32_t i = 0; x->mains && i < model->graphs.count; i++) {
        if (tn_model_graph_at(model, i)->kind != TN_GRAPH_FUNCTION)
            main = i;
        x->mains[i] = main;
    }
}

void tn_tf_check_vocab(struct tn_tf_checking *c)
{
    struct tn_arena     arena;
    struct tn_vocab     vocab;
    struct lexicon      x   = { .c = c };
    struct tn_vocab_use use = {
        .vocab          = &vocab,
        .context        = &x,
        .scope          = scope_of,
        .version        = version_of,
        .is_call        = is_call,
        .has_list_input = has_list_input,
        .declare        = declare,
        .compares_types = true,
        .file           = c->file,
        .free_prefix    = "_",
        .unknown        = TN_LEVEL_NOTE,
        .deprecated     = TN_LEVEL_WARNING,
    };

    tn_arena_init(&arena, c->model->memory);
    find_mains(&x, &arena);
    if (!tn_failed(c->error) &&
        tn_vocab_index(&vocab, &arena, tn_vocab_builtin("tensorflow"),
                       c->error) == TN_OK)
        tn_vocab_check(c->model, &use, c->report, c->error);
    tn_arena_done(&arena);
}
