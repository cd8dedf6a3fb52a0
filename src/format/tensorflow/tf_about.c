/*
 * tf_about.c - what a TensorFlow model says about itself, and what else is in
 * it
 *
 * A SavedModel is a program and its surroundings.  Another dialect takes the
 * graph of one signature; a GraphDef, which is TensorFlow's own, takes the
 * whole graph and nothing around it.
 */
#include <stdio.h>

#include "format/tensorflow/tf_bundle.h"
#include "format/registry.h"
#include "format/tensorflow/tf_writing.h"

enum { META_INFO = 1, INFO_META_VERSION = 1, INFO_GIT_VERSION = 6 };

static void describe_info(struct tn_cursor c, struct tn_about *about)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == INFO_META_VERSION)
            tn_about_add_text(about, "tensorflow.meta_graph_version",
                              tn_pb_text(&field));
        else if (field.number == INFO_GIT_VERSION)
            tn_about_add_text(about, "tensorflow.git_version",
                              tn_pb_text(&field));
    }
}

void tn_tf_describe(const struct tn_model *model, struct tn_about *about)
{
    const struct tn_tf_detail *detail = tn_tf_detail_of(model);
    struct tn_pb_field         field;

    if (!detail || !detail->meta_count)
        return;
    const struct tn_tf_meta *meta = &detail->metas[0];
    tn_about_add_text(about, "tensorflow.version", meta->tensorflow_version);
    tn_about_add_text(about, "tensorflow.tags", meta->tags);
    struct tn_cursor c = tn_cursor_span(meta->wire, about->error);
    while (tn_pb_next(&c, &field))
        if (field.number == META_INFO && field.type == TN_WIRE_LEN)
            describe_info(field.body, about);
}

/* ---- reporting ---------------------------------------------------------- */

/* Of several graphs with tags of their own, one is taken. */
static void lose_metas(const struct tn_model         *model,
                       const struct tn_write_options *options)
{
    const struct tn_tf_detail *detail = tn_tf_detail_of(model);
    char                       where[40], what[160];

    for (uint32_t i = 1; detail && i < detail->meta_count; i++) {
        snprintf(where, sizeof where, "meta_graphs[%u]", (unsigned)i);
        snprintf(what, sizeof what,
                 "left behind: the graph for the tags '%.*s'",
                 TN_FMT(detail->metas[i].tags));
        tn_lose(options, TN_NOWHERE, where, what);
    }
}

/* The values of variables. */
static void lose_variables(const struct tn_model         *model,
                           const struct tn_write_options *options)
{
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tensor->graph == TN_NONE)
            tn_lose_named(options, tn_tensor_name(tensor),
                          "left behind: the value of a variable; a checkpoint "
                          "(tf-checkpoint) or a SavedModel holds it");
    }
}

enum tn_status tn_tf_report_rest(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 bool is_bare, struct tn_error *error)
{
    (void)is_bare;
    lose_metas(model, options);
    return tn_tf_lose_files(model, options, error);
}

enum tn_status tn_tf_lose_beside(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 struct tn_error               *error)
{
    lose_variables(model, options);
    return tn_tf_lose_files(model, options, error);
}

/* ---- fields ------------------------------------------------------------- */

/* clang-format off */
#define MODEL { "tensorflow.SavedModel", NULL, "saved_model_schema_version! meta_graphs" }
#define INFO { "tensorflow.MetaGraphDef.MetaInfoDef", NULL, "meta_graph_version! tags! tensorflow_version! tensorflow_git_version! stripped_default_attrs!" }

/* Signatures: the engine reports which of them was taken. */
const struct tn_strip_field tn_tf_trace_fields[] = {
    { "tensorflow.NodeDef", 6 },
    { "tensorflow.GraphDef", 5 },
    { NULL, 0 },
};

const struct tn_rest_row tn_tf_taken_by_graph[] = {
    MODEL,
    { "tensorflow.MetaGraphDef", NULL, "meta_info_def graph_def signature_def" },
    INFO,
    { "tensorflow.MetaGraphDef.SignatureDefEntry", NULL, "key! value" },
    { "tensorflow.SignatureDef", NULL, "inputs! outputs!" },
    { "tensorflow.GraphDef", NULL, "node library version! versions!" },
    { "tensorflow.NodeDef", NULL, "name! op! input! attr!" },
    { "tensorflow.FunctionDefLibrary", NULL, "function" },
    { "tensorflow.FunctionDef", NULL, "signature node_def ret!" },
    { "tensorflow.OpDef", NULL, "name! input_arg output_arg attr! is_stateful! control_output!" },
    { "tensorflow.OpDef.ArgDef", NULL, "name! type! type_attr! number_attr! type_list_attr!" },
    { NULL, NULL, NULL },
};

/* "The graph is left behind" stands for the graph; a bare GraphDef is all
 * graph. */
const struct tn_rest_row tn_tf_taken_by_tensors[] = {
    MODEL,
    { "tensorflow.MetaGraphDef", NULL, "meta_info_def graph_def!" },
    INFO,
    { NULL, NULL, NULL },
};

/* A MetaGraphDef or SavedModel as a GraphDef, and a SavedModel as a
 * MetaGraphDef. */
static const struct tn_rest_row taken_by_graph_def[] = {
    MODEL,
    { "tensorflow.MetaGraphDef", NULL, "graph_def!" },
    { NULL, NULL, NULL },
};
/* clang-format on */

enum tn_status tn_tf_lose_around(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 bool is_graph, struct tn_error *error)
{
    const struct tn_tf_detail *detail = tn_tf_detail_of(model);
    bool is_model = tn_is_of_format(model, &tn_format_tf_saved_model);

    if (!detail || !detail->meta_count || !options->loss)
        return TN_OK;
    struct tn_rest rest = { .schema       = TN_PB_TENSORFLOW,
                            .message      = "tensorflow.MetaGraphDef",
                            .taken        = taken_by_graph_def,
                            .path         = is_model ? "meta_graphs[0]" : "",
                            .loss         = options->loss,
                            .loss_context = options->loss_context };
    lose_metas(model, options);
    if (is_model)
        TN_TRY(tn_tf_lose_beside(model, options, error));
    if (!is_graph)
        return TN_OK;
    return tn_rest_report(&rest, detail->metas[0].wire, model->memory, error);
}
