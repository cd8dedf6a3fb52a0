/*
 * tf_saved_model.c - the format tf-saved-model: a folder
 *
 *   saved_model.pb or saved_model.pbtxt   SavedModel {1 schema version,
 *                                         2 meta_graphs}
 *   variables/variables.index, .data-*    the checkpoint; may be missing
 *   assets/NAME                           files that the graph names
 *   fingerprint.pb, debug/, assets.extra/, keras_metadata.pb
 *
 * Opened by its folder or by the file saved_model.pb: the siblings are the
 * same.
 */
#include "base/number.h"
#include "format/settings.h"
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_writing.h"
#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_object_graph.h"
#include "ir/changes.h"

#define PREFIX "variables/variables"

/* Names of variables without a value, at most so many. */
#define NAME_LIMIT 8

/* ---- which file --------------------------------------------------------- */

/* Model servers keep versions of a model in numbered folders. */
static enum tn_status no_model_here(struct tn_bundle *bundle,
                                    struct tn_error  *error)
{
    const char *const *names;
    uint64_t           count, versions = 0;
    const char        *last = NULL;

    TN_TRY(tn_bundle_list(bundle, "", &names, &count, error));
    for (uint64_t i = 0; i < count; i++)
        if (tn_tf_is_version_folder(names[i])) {
            last = names[i];
            versions++;
        }
    if (!last)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no saved_model.pb in this folder");
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                        "%" PRIu64 " version%s of a model: open %s%s%.*s",
                        versions, versions == 1 ? "" : "s", bundle->path,
                        bundle->path[strlen(bundle->path) - 1] == '/' ? ""
                                                                      : "/",
                        (int)(strlen(last) - 1), last);
}

static enum tn_status refuse_side_file(const char *name, struct tn_error *error)
{
    static const char *const files[][2] = {
        { "keras_metadata.pb", "what Keras remembers of a model" },
        { "tfhub_module.pb", "a mark that TensorFlow Hub sets" },
        { "fingerprint.pb", "the fingerprint of a model" },
        { "saved_model_debug_info.pb", "the source positions of a model" },
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i][0]) == 0)
            return tn_error_because(
                error, TN_INVALID, TN_REASON_NOT_A_MODEL, TN_NOWHERE,
                "this is %s; open its folder or saved_model.pb", files[i][1]);
    return TN_OK;
}

static enum tn_status find_main(struct tn_bundle  *bundle,
                                struct tn_source **source,
                                struct tn_error   *error)
{
    *source = bundle->main;
    if (bundle->main)
        return refuse_side_file(bundle->name, error);
    if (tn_bundle_has(bundle, "saved_model.pb"))
        return tn_bundle_sibling(bundle, tn_text("saved_model.pb"), source,
                                 error);
    if (tn_bundle_has(bundle, "saved_model.pbtxt"))
        return tn_bundle_sibling(bundle, tn_text("saved_model.pbtxt"), source,
                                 error);
    return no_model_here(bundle, error);
}

/* ---- the message -------------------------------------------------------- */

static uint32_t count_metas(struct tn_cursor c)
{
    struct tn_pb_field field;
    uint32_t           count = 0;

    while (tn_pb_next(&c, &field))
        count += field.number == 2;
    return count;
}

static void read_meta(struct tn_model *model, struct tn_tf_detail *detail,
                      struct tn_cursor body, struct tn_error *error)
{
    uint32_t    index = detail->meta_count++;
    const char *path =
        tn_text_format(&model->arena, error, "meta_graphs[%" PRIu32 "]", index);

    if (path)
        tn_tf_meta_read(model, body, index ? TN_GRAPH_OTHER : TN_GRAPH_MAIN,
                        path, &detail->metas[index], error);
}

static enum tn_status read_message(struct tn_model     *model,
                                   struct tn_tf_detail *detail,
                                   struct tn_error     *error)
{
    struct tn_cursor   c = tn_cursor_span(detail->message, error);
    struct tn_pb_field field;
    uint32_t           count = count_metas(c);

    if (tn_failed(error))
        return error->status;
    detail->metas = tn_new(&model->arena, struct tn_tf_meta, count, error);
    while (detail->metas && tn_pb_next(&c, &field)) {
        if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            detail->schema_version = (int64_t)field.value;
        else if (field.number == 2 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_meta(model, detail, field.body, error);
    }
    model->is_called_by_signature = true;
    tn_model_add_fact_format(model, error, "saved_model_schema_version",
                             "%" PRId64, detail->schema_version);
    return error->status;
}

/* ---- fingerprint.pb ----------------------------------------------------- */

static void add_hash(struct tn_model *model, struct tn_error *error,
                     uint32_t field, uint64_t value)
{
    static const char *const names[] = {
        NULL,
        "fingerprint.saved_model_checksum",
        "fingerprint.graph_def_program_hash",
        "fingerprint.signature_def_hash",
        "fingerprint.saved_object_graph_hash",
        "fingerprint.checkpoint_hash",
    };

    tn_model_add_fact_format(model, error, names[field], "%" PRIu64, value);
}

static void read_fingerprint(struct tn_model *model, struct tn_cursor c,
                             struct tn_error *error)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number <= 5 && tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            add_hash(model, error, field.number, field.value);
        else if (field.number == 7 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            tn_model_add_fact(model, "fingerprint.uuid", tn_pb_text(&field),
                              error);
    }
}

/* A damaged fingerprint is a note of a check, never a reason to refuse. */
static enum tn_status add_fingerprint(struct tn_bundle *bundle,
                                      struct tn_model  *model,
                                      struct tn_error  *error)
{
    struct tn_source *source;
    struct tn_error   own    = TN_ERROR_INIT;
    uint64_t          before = model->facts.count;

    if (!tn_bundle_has(bundle, "fingerprint.pb") ||
        tn_bundle_sibling(bundle, tn_text("fingerprint.pb"), &source, &own) !=
            TN_OK)
        return TN_OK;
    read_fingerprint(
        model,
        tn_cursor_span((struct tn_span){ source, 0, source->size }, &own),
        &own);
    if (tn_machine_failed(&own) || own.status == TN_LIMIT) {
        *error = own;
        return own.status;
    }
    if (tn_failed(&own)) {
        model->facts.count = before;
        tn_model_add_fact(model, "fingerprint", tn_text("not readable"), error);
    }
    return error->status;
}

/* ---- variables ---------------------------------------------------------- */

/* Entries that no variable of the object graph is tied to are state: of the
 * optimizer, or of the checkpoint itself. */
static void mark_state(struct tn_model *model, uint64_t first,
                       const struct tn_tf_objects *objects)
{
    for (uint64_t i = first; i < model->tensors.count; i++)
        tn_list_at(&model->tensors, struct tn_tensor, i)->role = TN_ROLE_STATE;
    for (uint32_t k = 0; k < objects->count; k++) {
        const struct tn_tf_object *object = &objects->items[k];
        if (!object->is_variable || !object->key.size ||
            object->is_of_optimizer || tn_tf_is_state_key(object->key))
            continue;
        struct tn_tensor *tensor = tn_tf_find_entry(model, first, object->key);
        if (tensor)
            tensor->role = TN_ROLE_VARIABLE;
    }
}

static void add_uninitialized(struct tn_model            *model,
                              const struct tn_tf_objects *objects,
                              uint64_t first, struct tn_error *error)
{
    uint32_t named = 0;

    for (uint32_t i = 0; i < objects->count && named < NAME_LIMIT; i++) {
        const struct tn_tf_object *object = &objects->items[i];
        if (!object->is_variable ||
            (object->key.size && tn_tf_find_entry(model, first, object->key)))
            continue;
        tn_model_add_fact(model, "uninitialized", object->name, error);
        named++;
    }
}

static enum tn_status tie_variables(struct tn_model     *model,
                                    struct tn_tf_detail *detail,
                                    struct tn_error     *error)
{
    struct tn_tf_objects objects;
    uint64_t             first = detail->first_entry;

    if (!detail->meta_count || !detail->metas[0].object_graph.length)
        return TN_OK;
    TN_TRY(tn_tf_objects_read(&objects, detail->metas[0].object_graph,
                              detail->table, &model->arena, error));
    tn_model_add_fact_format(model, error, "objects",
                             "%" PRIu32 " objects, %" PRIu32
                             " variables, %" PRIu32 " in the checkpoint",
                             objects.count, objects.variable_count,
                             objects.tied_count);
    if (objects.tied_count)
        mark_state(model, first, &objects);
    if (objects.tied_count < objects.variable_count)
        add_uninitialized(model, &objects, first, error);
    return error->status;
}

static enum tn_status add_variables(struct tn_bundle    *bundle,
                                    struct tn_model     *model,
                                    struct tn_tf_detail *detail,
                                    struct tn_error     *error)
{
    detail->first_entry = model->tensors.count;
    if (tn_bundle_has(bundle, PREFIX ".index")) {
        TN_TRY(tn_tf_table_open(&detail->table, bundle, PREFIX, error));
        detail->prefix = PREFIX;
        tn_tf_table_facts(model, detail->table, error);
        TN_TRY(tn_tf_table_tensors(model, detail->table, error));
    }
    TN_TRY(tie_variables(model, detail, error));
    model->find_alias = tn_tf_find_alias;
    for (uint64_t i = detail->first_entry; i < model->tensors.count; i++)
        model->has_variables_apart |=
            tn_model_tensor(model, i)->role == TN_ROLE_VARIABLE;
    return TN_OK;
}

/* ---- assets ------------------------------------------------------------- */

/* One that is not there is a finding of a check. */
static enum tn_status add_asset(struct tn_bundle *bundle,
                                struct tn_model *model, struct tn_bytes file,
                                struct tn_bytes tensor, struct tn_error *error)
{
    struct tn_error own   = TN_ERROR_INIT;
    struct tn_asset asset = { .tensor = tensor, .file = file };
    const char     *path =
        tn_text_format(&model->arena, error, "assets/%.*s", TN_FMT(file));

    if (!path || !tn_bundle_has_folder(bundle) || !file.size ||
        tn_bytes_find(file, 0))
        return error->status;
    if (tn_bundle_sibling(bundle, tn_text(path), &asset.source, &own) != TN_OK)
        asset.source = NULL;
    if (tn_call_ended(&own) || own.status == TN_LIMIT) {
        *error = own;
        return own.status;
    }
    struct tn_asset *slot =
        tn_list_push(&model->assets, struct tn_asset, error);
    if (slot)
        *slot = asset;
    return error->status;
}

/* Those of the main graph. */
static enum tn_status add_assets(struct tn_bundle          *bundle,
                                 struct tn_model           *model,
                                 const struct tn_tf_detail *detail,
                                 struct tn_error           *error)
{
    const struct tn_tf_meta *meta = detail->metas;

    for (uint32_t i = 0;
         detail->meta_count && model->wants_graph && i < meta->asset_count; i++)
        TN_TRY(add_asset(bundle, model, meta->assets[i], meta->asset_tensors[i],
                         error));
    return error->status;
}

static enum tn_status saved_model_open(struct tn_bundle *bundle,
                                       struct tn_model  *model,
                                       struct tn_error  *error)
{
    struct tn_source    *source;
    struct tn_tf_detail *detail;

    TN_TRY(find_main(bundle, &source, error));
    TN_TRY(tn_tf_open_message(bundle, source, "tensorflow.SavedModel", model,
                              &detail, error));
    TN_TRY(read_message(model, detail, error));
    tn_tf_use_signature_io(model);
    TN_TRY(add_variables(bundle, model, detail, error));
    TN_TRY(add_assets(bundle, model, detail, error));
    return add_fingerprint(bundle, model, error);
}

static const struct tn_format_setting image = {
    .says  = { .name = "image-format",
               .kind = TN_OPTION_FLAG,
               .help = "write chunks if it is too large for one file" },
    .field = TN_WRITE_FIELD(is_image),
};

static const struct tn_format_setting image_size = {
    .says  = { .name   = "max-size",
               .kind   = TN_OPTION_SIZE,
               .letter = 'm',
               .value  = "SIZE",
               .help   = "--image-format: largest chunk; default: 2GiB",
               .needs  = "image-format" },
    .field = TN_WRITE_FIELD(image_size),
};

static const struct tn_format_setting compress = {
    .says  = { .name   = "compress",
               .kind   = TN_OPTION_TEXT,
               .letter = 'c',
               .value  = "CODEC",
               .help   = "--image-format: none, snappy, brotli[:Q], zstd[:L]",
               .needs  = "image-format" },
    .field = TN_WRITE_FIELD(compress),
};

static const struct tn_format_setting *const settings[] = {
    &image, &image_size, &compress, &tn_setting_shard_size, NULL,
};

const struct tn_format tn_format_tf_saved_model = {
    .name        = "tf-saved-model",
    .title       = "TensorFlow SavedModel",
    .dialect     = "tensorflow",
    .dialect_ops = &tn_dialect_tensorflow,
    .suffixes    = (const char *const[]){ "/", NULL },
    .schema      = TN_PB_TENSORFLOW,
    .message     = "tensorflow.SavedModel",
    .is_folder   = true,
    .probe       = tn_tf_probe_saved_model,
    .open        = saved_model_open,
    .check       = tn_tf_check_saved_model,
    .check_graph = tn_tf_check_structure,
    .write       = tn_tf_write_saved_model,
    .texts       = 1u << TN_TEXT_SIGNATURE,

    .taken_by_graph   = tn_tf_taken_by_graph,
    .settings         = settings,
    .trace_fields     = tn_tf_trace_fields,
    .taken_by_tensors = tn_tf_taken_by_tensors,
    .describe         = tn_tf_describe,
    .report_rest      = tn_tf_report_rest,
    .lose_beside      = tn_tf_lose_beside,
};
