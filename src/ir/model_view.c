/* model_view.c - what the public headers let a caller see of a model */
#include <stdio.h>

#include "ir/attr.h"
#include "ir/model_tables.h"

/* A caller without a model, as one whose opening failed, sees an empty one. */
static const struct tn_model nothing = { .format = "", .title = "" };

static const struct tn_model *given(const struct tn_model *model)
{
    return model ? model : &nothing;
}

const char *tn_model_format(const struct tn_model *model)
{
    return given(model)->format;
}

const char *tn_model_title(const struct tn_model *model)
{
    return given(model)->title;
}

const char *tn_model_dialect(const struct tn_model *model)
{
    model = given(model);
    return model->dialect ? model->dialect->name : "";
}

uint64_t tn_model_file_size(const struct tn_model *model)
{
    return given(model)->file_size;
}

uint32_t tn_model_fact_count(const struct tn_model *model)
{
    return (uint32_t)given(model)->facts.count;
}

struct tn_fact tn_model_fact(const struct tn_model *model, uint32_t index)
{
    model = given(model);
    if (index >= model->facts.count)
        return (struct tn_fact){ { NULL, 0 }, { NULL, 0 } };
    return *tn_list_at(&model->facts, struct tn_fact, index);
}

uint32_t tn_model_tag_count(const struct tn_model *model)
{
    return (uint32_t)given(model)->tags.count;
}

struct tn_bytes tn_model_tag(const struct tn_model *model, uint32_t index)
{
    model = given(model);
    if (index >= model->tags.count)
        return tn_bytes(NULL, 0);
    return *tn_list_at(&model->tags, struct tn_bytes, index);
}

uint32_t tn_model_signature_count(const struct tn_model *model)
{
    return (uint32_t)given(model)->signatures.count;
}

const struct tn_signature *tn_model_signature(const struct tn_model *model,
                                              uint32_t               index)
{
    model = given(model);
    if (index >= model->signatures.count)
        return NULL;
    return tn_list_at(&model->signatures, struct tn_signature, index);
}

struct tn_io_list tn_model_inputs(const struct tn_model *model)
{
    model = given(model);
    if (!model->graphs.count)
        return (struct tn_io_list){ 0, NULL };
    return tn_model_graph_at(model, 0)->inputs;
}

struct tn_io_list tn_model_outputs(const struct tn_model *model)
{
    model = given(model);
    if (!model->graphs.count)
        return (struct tn_io_list){ 0, NULL };
    return tn_model_graph_at(model, 0)->outputs;
}

uint32_t tn_model_op_kind_count(const struct tn_model *model)
{
    return (uint32_t)given(model)->kinds.count;
}

const struct tn_op_kind *tn_model_op_kind(const struct tn_model *model,
                                          uint32_t               index)
{
    model = given(model);
    if (index >= model->kinds.count)
        return NULL;
    return tn_list_at(&model->kinds, struct tn_op_kind, index);
}

uint64_t tn_model_node_count(const struct tn_model *model)
{
    return given(model)->node_count;
}

static uint32_t count_graphs(const struct tn_model *model,
                             enum tn_graph_kind     kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < model->graphs.count; i++)
        count += tn_model_graph_at(model, i)->kind == kind;
    return count;
}

uint32_t tn_model_subgraph_count(const struct tn_model *model)
{
    return count_graphs(given(model), TN_GRAPH_SUBGRAPH);
}

uint32_t tn_model_function_count(const struct tn_model *model)
{
    return count_graphs(given(model), TN_GRAPH_FUNCTION);
}

struct tn_bytes tn_model_training(const struct tn_model *model)
{
    return given(model)->training;
}

uint32_t tn_model_loss_count(const struct tn_model *model)
{
    return given(model)->loss_count;
}

struct tn_bytes tn_model_loss(const struct tn_model *model, uint32_t index)
{
    model = given(model);
    return index < model->loss_count ? model->losses[index] : tn_bytes(NULL, 0);
}

uint64_t tn_model_tensor_count(const struct tn_model *model)
{
    return given(model)->tensors.count;
}

const struct tn_tensor *tn_model_tensor(const struct tn_model *model,
                                        uint64_t               index)
{
    model = given(model);
    if (index >= model->tensors.count)
        return NULL;
    return tn_list_at(&model->tensors, struct tn_tensor, index);
}

static const struct tn_tensor *find_by_path(const struct tn_model *model,
                                            const char            *path)
{
    char text[512];

    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tn_tensor_path(tensor, text, sizeof text) < sizeof text &&
            strcmp(text, path) == 0)
            return tensor;
    }
    return NULL;
}

bool tn_tensor_is_attribute(const struct tn_tensor *tensor)
{
    return tensor->role == TN_ROLE_ATTRIBUTE ||
           ((tensor->role == TN_ROLE_SPARSE_VALUES ||
             tensor->role == TN_ROLE_SPARSE_INDICES) &&
            tensor->node != TN_NONE);
}

const struct tn_tensor *tn_model_find(const struct tn_model *model,
                                      const char            *name)
{
    struct tn_bytes         text  = tn_text(name ? name : "");
    const struct tn_tensor *found = NULL;

    if (!name)
        return NULL;
    model = given(model);
    /* By text: a name that nothing refers to has an id that cannot be found. */
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tensor->name == TN_NO_NAME ||
            !tn_bytes_equal(tn_model_name(model, tensor->name), text))
            continue;
        if (!tn_tensor_is_attribute(tensor))
            return tensor;
        if (!found)
            found = tensor;
    }
    if (!found)
        found = find_by_path(model, name);
    return found || !model->find_alias ? found : model->find_alias(model, text);
}

/* ---- graphs, ops and values --------------------------------------------- */

uint32_t tn_model_graph_count(const struct tn_model *model)
{
    return (uint32_t)given(model)->graphs.count;
}

struct tn_graph_info tn_model_graph(const struct tn_model *model,
                                    uint32_t               graph)
{
    model = given(model);
    if (graph >= model->graphs.count)
        return (struct tn_graph_info){ .path = "", .parent_graph = TN_NONE };
    const struct tn_graph *g = tn_model_graph_at(model, graph);
    return (struct tn_graph_info){
        .kind         = (enum tn_graph_kind)g->kind,
        .name         = tn_model_name(model, g->name),
        .domain       = tn_model_name(model, g->domain),
        .path         = g->path,
        .parent_graph = g->parent_graph,
        .op_count     = g->op_count,
        .first_op     = g->first_op,
        .inputs       = g->inputs,
        .outputs      = g->outputs,
    };
}

uint32_t tn_model_op_count(const struct tn_model *model)
{
    return (uint32_t)given(model)->ops.count;
}

struct tn_op_info tn_model_op(const struct tn_model *model, uint32_t op)
{
    model = given(model);
    if (op >= model->ops.count)
        return (struct tn_op_info){ .graph = TN_NONE };
    const struct tn_op *o = tn_model_op_at(model, op);
    return (struct tn_op_info){
        .name          = tn_model_name(model, o->name),
        .type          = tn_model_name(model, o->type),
        .domain        = tn_model_name(model, o->domain),
        .graph         = o->graph,
        .input_count   = o->input_count - o->control_count,
        .control_count = o->control_count,
        .output_count  = o->output_count,
    };
}

uint32_t tn_op_input(const struct tn_model *model, uint32_t op, uint32_t index)
{
    model = given(model);
    if (op >= model->ops.count)
        return TN_NONE;
    const struct tn_op *o = tn_model_op_at(model, op);
    if (index >= o->input_count)
        return TN_NONE;
    return tn_model_ref_at(model, (uint64_t)o->first_input + index);
}

uint32_t tn_op_output(const struct tn_model *model, uint32_t op, uint32_t index)
{
    model = given(model);
    if (op >= model->ops.count)
        return TN_NONE;
    const struct tn_op *o = tn_model_op_at(model, op);
    if (index >= o->output_count)
        return TN_NONE;
    return tn_model_ref_at(model, (uint64_t)o->first_output + index);
}

/* The last one that begins at the op or before it: their ops are one after the
 * other, and the table of ops may be gone. */
static uint32_t graph_of(const struct tn_model *model, uint32_t op)
{
    uint32_t low = 0, high = (uint32_t)model->graphs.count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (tn_model_graph_at(model, middle)->first_op <= op)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t tn_op_path(const struct tn_model *model, uint32_t op, char *to,
                  size_t size)
{
    model          = given(model);
    uint32_t graph = op < model->ops.count ? tn_model_op_at(model, op)->graph
                                           : graph_of(model, op);
    uint32_t first = graph < model->graphs.count
                         ? tn_model_graph_at(model, graph)->first_op
                         : 0;

    return tn_model_path_of(model, graph, op - first, to, size);
}

uint32_t tn_model_value_count(const struct tn_model *model)
{
    return (uint32_t)given(model)->values.count;
}

struct tn_value_info tn_model_value_info(const struct tn_model *model,
                                         uint32_t               value)
{
    model = given(model);
    if (value >= model->values.count)
        return (struct tn_value_info){ .graph = TN_NONE, .producer = TN_NONE };
    const struct tn_value *v = tn_model_value_at(model, value);
    return (struct tn_value_info){
        .name     = tn_model_name(model, v->name),
        .kind     = (enum tn_value_kind)v->kind,
        .graph    = v->graph,
        .producer = v->producer,
        .output   = v->output,
    };
}
