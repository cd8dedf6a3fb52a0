/* onnx_check_vocab.c - nodes against the operators of the imported versions */
#include "format/onnx/onnx_check.h"
#include "ir/vocab_check.h"

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

void tn_onnx_check_vocab(struct tn_onnx_checker *ch)
{
    struct tn_vocab     vocab;
    struct lexicon      x   = { .ch = ch };
    struct tn_vocab_use use = {
        .vocab       = &vocab,
        .context     = &x,
        .scope       = scope_of,
        .version     = version_of,
        .is_call     = is_call,
        .file        = "",
        .free_prefix = "__",
        .attr_word   = "attribute",
        .unknown     = TN_LEVEL_ERROR,
        .deprecated  = TN_LEVEL_ERROR,
    };

    tn_pairs_init(&x.functions, ch->model->memory);
    index_functions(&x);
    if (!tn_failed(ch->error) &&
        tn_vocab_index(&vocab, &ch->arena, tn_vocab_builtin("onnx"),
                       ch->error) == TN_OK)
        tn_vocab_check(ch->model, &use, ch->report, ch->error);
    tn_pairs_done(&x.functions);
}
