/* onnx_check_vocab.c - nodes against the operators of the imported versions */
#include "format/onnx/onnx_check.h"
#include "ir/vocab_check.h"

struct lexicon {
    struct tn_onnx_checker *ch;
    struct tn_pairs         functions; /* (domain, name) -> any               */
    struct tn_pairs         versions;  /* (root, domain) -> version + 1       */
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

/* ---- versions: the highest counts, says the specification ------------------
 */

static int64_t version_in_model(const struct tn_onnx_detail *detail,
                                struct tn_bytes              domain)
{
    int64_t version = -1;

    for (uint64_t i = 0; i < detail->import_count; i++)
        if (detail->imports[i].version > version &&
            tn_bytes_equal(tn_onnx_domain(detail->imports[i].domain), domain))
            version = detail->imports[i].version;
    /* Before IR version 3 there were no imports, and one operator set. */
    if (version < 0 && detail->ir_version < 3 && domain.size == 0)
        return 1;
    return version;
}

static int64_t read_import(struct tn_cursor body, struct tn_bytes domain)
{
    struct tn_bytes    found   = { NULL, 0 };
    int64_t            version = 0;
    struct tn_pb_field field;

    while (tn_pb_next(&body, &field))
        if (field.number == IMPORT_DOMAIN && field.type == TN_WIRE_LEN)
            found = tn_pb_text(&field);
        else if (field.number == IMPORT_VERSION)
            version = (int64_t)field.value;
    return tn_bytes_equal(tn_onnx_domain(found), domain) ? version : -1;
}

static int64_t version_in_function(struct tn_span wire, struct tn_bytes domain)
{
    struct tn_error    failure = TN_ERROR_INIT;
    struct tn_cursor   c       = tn_cursor_span(wire, &failure);
    int64_t            version = -1;
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number != FUNCTION_OPSET_IMPORT || field.type != TN_WIRE_LEN)
            continue;
        int64_t found = read_import(field.body, domain);
        if (found > version)
            version = found;
    }
    return version;
}

static int64_t version_of(void *context, uint32_t scope, struct tn_bytes domain)
{
    struct lexicon        *x     = context;
    const struct tn_graph *graph = tn_model_graph_at(x->ch->model, scope);
    uint32_t               id    = tn_intern_find(&x->ch->model->names, domain);
    uint32_t               known = tn_pairs_find(&x->versions, scope, id);

    if (known != UINT32_MAX)
        return (int64_t)known - 1;
    int64_t version = graph->kind == TN_GRAPH_FUNCTION
                          ? version_in_function(graph->wire, domain)
                          : version_in_model(x->ch->detail, domain);
    if (version < 0 || version > INT32_MAX)
        version = -1;
    tn_pairs_add(&x->versions, scope, id, (uint32_t)(version + 1),
                 x->ch->error);
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
    tn_pairs_init(&x.versions, ch->model->memory);
    index_functions(&x);
    if (!tn_failed(ch->error) &&
        tn_vocab_index(&vocab, &ch->arena, tn_vocab_builtin("onnx"),
                       ch->error) == TN_OK)
        tn_vocab_check(ch->model, &use, ch->report, ch->error);
    tn_pairs_done(&x.functions);
    tn_pairs_done(&x.versions);
}
