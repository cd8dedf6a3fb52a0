/* tf_graph.c - the format tf-graph: one GraphDef, binary or as text */
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_writing.h"
#include "format/text_model.h"

enum tn_status tn_tf_open_message(struct tn_bundle *bundle,
                                  struct tn_source *source, const char *message,
                                  struct tn_model      *model,
                                  struct tn_tf_detail **detail,
                                  struct tn_error      *error)
{
    struct tn_source *binary;

    if (!source)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a folder is no %s: name the file",
                            strrchr(message, '.') + 1);
    TN_TRY(tn_format_binary(bundle, source, TN_PB_TENSORFLOW, message, &binary,
                            error));
    *detail = tn_new(&model->arena, struct tn_tf_detail, 1, error);
    if (!*detail)
        return error->status;
    (*detail)->bundle     = bundle;
    (*detail)->message    = (struct tn_span){ binary, 0, binary->size };
    (*detail)->model_file = source->name;
    model->detail         = *detail;
    model->dialect        = &tn_dialect_tensorflow;
    model->wire           = (*detail)->message;
    return TN_OK;
}

static enum tn_status graph_open(struct tn_bundle *bundle,
                                 struct tn_model *model, struct tn_error *error)
{
    struct tn_tf_detail *detail;
    struct tn_tf_reader  reader;

    TN_TRY(tn_tf_open_message(bundle, bundle->main, "tensorflow.GraphDef",
                              model, &detail, error));
    tn_tf_reader_begin(&reader, model, TN_GRAPH_MAIN, "", error);
    tn_tf_reader_feed(&reader, tn_cursor_span(detail->message, error));
    tn_tf_reader_end(&reader);
    detail->versions = reader.versions;
    tn_tf_add_version_facts(model, &reader.versions, error);
    tn_tf_add_size_fact(model, detail->message.length, error);
    tn_tf_add_variable_fact(model, error);
    return error->status;
}

const struct tn_format tn_format_tf_graph = {
    .name        = "tf-graph",
    .title       = "TensorFlow GraphDef",
    .dialect     = "tensorflow",
    .dialect_ops = &tn_dialect_tensorflow,
    .suffixes    = (const char *const[]){ ".pb", ".pbtxt", NULL },
    .schema      = TN_PB_TENSORFLOW,
    .message     = "tensorflow.GraphDef",
    .probe       = tn_tf_probe_graph,
    .open        = graph_open,
    .check       = tn_tf_check_graph,
    .check_graph = tn_tf_check_structure,
    .write       = tn_tf_write_graph,

    .freezes_variables = true,

    .taken_by_graph = tn_tf_taken_by_graph,
    .trace_fields   = tn_tf_trace_fields,
};

/* ---- the format tf-meta-graph: a MetaGraphDef on its own ---------------- */

static enum tn_status meta_graph_open(struct tn_bundle *bundle,
                                      struct tn_model  *model,
                                      struct tn_error  *error)
{
    struct tn_tf_detail *detail;

    TN_TRY(tn_tf_open_message(bundle, bundle->main, "tensorflow.MetaGraphDef",
                              model, &detail, error));
    detail->metas = tn_new(&model->arena, struct tn_tf_meta, 1, error);
    if (!detail->metas)
        return error->status;
    detail->meta_count = 1;
    TN_TRY(tn_tf_meta_read(model, tn_cursor_span(detail->message, error),
                           TN_GRAPH_MAIN, "", detail->metas, error));
    tn_tf_use_signature_io(model);
    tn_tf_add_size_fact(model, detail->message.length, error);
    tn_tf_add_variable_fact(model, error);
    return error->status;
}

/* Savers write PREFIX.meta beside the PREFIX.index of a checkpoint. */
static bool is_part_of(const char *name, const char *other)
{
    size_t stem = strlen(name) - strlen(".meta");

    return tn_text_ends_with(name, ".meta") && !strncmp(name, other, stem) &&
           !strcmp(other + stem, ".index");
}

const struct tn_format tn_format_tf_meta_graph = {
    .name        = "tf-meta-graph",
    .title       = "TensorFlow MetaGraphDef",
    .dialect     = "tensorflow",
    .dialect_ops = &tn_dialect_tensorflow,
    .suffixes    = (const char *const[]){ ".meta", NULL },
    .schema      = TN_PB_TENSORFLOW,
    .message     = "tensorflow.MetaGraphDef",
    .probe       = tn_tf_probe_meta_graph,
    .open        = meta_graph_open,
    .is_part_of  = is_part_of,
    .check       = tn_tf_check_saved_model,
    .check_graph = tn_tf_check_structure,
    .write       = tn_tf_write_meta_graph,

    .taken_by_graph   = tn_tf_taken_by_graph,
    .trace_fields     = tn_tf_trace_fields,
    .taken_by_tensors = tn_tf_taken_by_tensors,
    .describe         = tn_tf_describe,
    .report_rest      = tn_tf_report_rest,
};
