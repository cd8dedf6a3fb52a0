/*
 * tf_meta_read.c - MetaGraphDef: a graph and how to call it
 *
 *   1 meta_info_def {1 meta_graph_version, 2 stripped_op_list, 4 tags,
 *     5 tensorflow_version, 6 git version, 7 stripped_default_attrs}
 *   2 graph_def   3 saver_def {3 restore_op_name}   4 collection_def (map)
 *   5 signature_def (map of {1 inputs, 2 outputs, 3 method_name})
 *   6 asset_file_def {1 tensor_info, 2 filename}   7 object_graph_def
 *   CollectionDef of older models' assets: 5 any_list {1 Any {2 AssetFileDef}}
 *   TensorInfo: 1 name, 2 dtype, 3 shape, 4 coo_sparse, 5 composite_tensor
 */
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_dtype.h"

/* ---- what a TensorFlow model says about itself, for people -------------- */

void tn_tf_add_version_facts(struct tn_model             *model,
                             const struct tn_tf_versions *versions,
                             struct tn_error             *error)
{
    if (!versions->is_present)
        return;
    tn_model_add_fact_format(model, error, "graph_version", "%" PRId32,
                             versions->producer);
    tn_model_add_fact_format(model, error, "min_consumer", "%" PRId32,
                             versions->min_consumer);
}

void tn_tf_add_size_fact(struct tn_model *model, uint64_t size,
                         struct tn_error *error)
{
    if (size > TN_TF_MESSAGE_MAX)
        tn_model_add_fact_format(
            model, error, "size_limit",
            "%" PRIu64 " bytes: TensorFlow reads messages of at most %" PRIu64,
            size, TN_TF_MESSAGE_MAX);
}

/* A graph taken out of a SavedModel refers to variables and has none of their
 * values: people should know before they look for the weights. */
void tn_tf_add_variable_fact(struct tn_model *model, struct tn_error *error)
{
    static const char *const types[] = { "VarHandleOp", "VariableV2",
                                         "Variable" };
    uint64_t                 count   = 0;

    for (uint64_t i = 0; i < model->kinds.count; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            const struct tn_op_kind *kind =
                tn_list_at(&model->kinds, struct tn_op_kind, i);
            if (tn_bytes_is(kind->type, types[k]))
                count += kind->count;
        }
    if (count)
        tn_model_add_fact_format(model, error, "variables",
                                 "%" PRIu64 ", whose values are in a "
                                 "checkpoint and not in this file",
                                 count);
}

/* What one walk over a MetaGraphDef gathers. */
struct gathering {
    struct tn_model    *model;
    struct tn_error    *error;
    struct tn_tf_meta  *meta;
    const char         *path;
    struct tn_tf_reader graph;
    struct tn_list      tags;   /* struct tn_bytes                            */
    struct tn_list      assets; /* struct asset                               */
    struct tn_list      old_assets; /* the same, out of a collection          */
    struct tn_list      collections; /* struct tn_bytes                     */
    bool                has_stripped_defaults;
};

static void push_bytes(struct tn_list *list, struct tn_bytes bytes,
                       struct tn_error *error)
{
    struct tn_bytes *slot = tn_list_push(list, struct tn_bytes, error);

    if (slot)
        *slot = bytes;
}

static void read_info(struct gathering *g, struct tn_cursor *c)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 4 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            push_bytes(&g->tags, tn_pb_text(&field), g->error);
        else if (field.number == 5 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            g->meta->tensorflow_version = tn_pb_text(&field);
        else if (field.number == 7 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            g->has_stripped_defaults = field.value != 0;
    }
    tn_error_where(g->error, "meta_info_def");
}

static void read_saver(struct gathering *g, struct tn_cursor *c)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field))
        if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            g->meta->restore_op = tn_pb_text(&field);
    tn_error_where(g->error, "saver_def");
}

struct asset {
    struct tn_bytes name, tensor;
    uint64_t        offset;
};

static void read_asset(struct gathering *g, struct tn_list *to,
                       struct tn_cursor *c)
{
    struct asset       asset = { .offset = c->offset };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field))
        if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            asset.name = tn_pb_text(&field);
        else if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            asset.tensor = tn_tf_first_text(&field.body);
    struct asset *slot = tn_list_push(to, struct asset, g->error);
    if (slot)
        *slot = asset;
}

/* The body of the only field that matters of a message around another. */
static struct tn_cursor unwrap(struct tn_cursor c, uint32_t number)
{
    struct tn_cursor   body = tn_sub(&c, 0);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == number && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            body = field.body;
    return body;
}

/* Before asset_file_def there was a collection. */
static void read_collection(struct gathering *g, struct tn_cursor *body)
{
    struct tn_tf_entry entry;
    struct tn_pb_field any;

    tn_tf_entry_read(body, &entry);
    push_bytes(&g->collections, entry.key, g->error);
    if (!tn_bytes_is(entry.key, "saved_model_assets"))
        return;
    struct tn_cursor list = unwrap(entry.value, 5);
    while (tn_pb_next(&list, &any)) {
        if (any.number != 1 || !tn_pb_expect(&list, &any, TN_WIRE_LEN))
            continue;
        struct tn_cursor asset = unwrap(any.body, 2);
        read_asset(g, &g->old_assets, &asset);
    }
}

/* ---- signatures --------------------------------------------------------- */

static void read_tensor_info(struct gathering *g, struct tn_io *io,
                             struct tn_cursor *c)
{
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            io->dtype = tn_tf_dtype(field.value);
        else if (field.number > 5 || field.number == 2 ||
                 !tn_pb_expect(c, &field, TN_WIRE_LEN))
            continue;
        else if (field.number == 1)
            io->name = tn_pb_text(&field);
        else if (field.number == 3)
            tn_tf_io_shape(io, &field.body, &g->model->arena);
        else if (field.number == 4) {
            io->note = "sparse";
            io->name = tn_tf_first_text(&field.body);
        } else if (field.number == 5)
            io->note = "composite";
    }
}

struct tn_io_list tn_tf_keep_io(struct tn_model      *model,
                                const struct tn_list *list,
                                struct tn_error      *error)
{
    struct tn_io *io_list =
        tn_list_keep(list, struct tn_io, &model->arena, error);

    return (struct tn_io_list){ io_list ? (uint32_t)list->count : 0, io_list };
}

/* The inputs (1) or outputs (2) of a SignatureDef. */
static struct tn_io_list read_io_list(struct gathering *g, struct tn_cursor c,
                                      uint32_t number)
{
    struct tn_list     list;
    struct tn_tf_entry entry;

    tn_list_init(&list, g->model->memory, sizeof(struct tn_io));
    while (tn_tf_entry_next(&c, number, &entry)) {
        struct tn_io *io = tn_list_push(&list, struct tn_io, g->error);
        if (!io)
            break;
        io->key  = entry.key;
        io->note = "";
        read_tensor_info(g, io, &entry.value);
    }
    struct tn_io_list io_list = tn_tf_keep_io(g->model, &list, g->error);
    tn_list_done(&list);
    return io_list;
}

static struct tn_bytes method_name(struct tn_cursor c)
{
    struct tn_bytes    method = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number == 3 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            method = tn_pb_text(&field);
    return method;
}

/* Keys that name an op to run, not a way to call the model. */
static bool is_hook(struct tn_bytes key)
{
    return tn_bytes_is(key, "__saved_model_init_op") ||
           tn_bytes_is(key, "__saved_model_train_op");
}

static void read_hook(struct gathering *g, const struct tn_tf_entry *entry)
{
    struct tn_io_list outputs = read_io_list(g, entry->value, 2);

    if (outputs.count)
        tn_model_add_fact(g->model,
                          tn_bytes_is(entry->key, "__saved_model_init_op")
                              ? "init_op"
                              : "train_op",
                          outputs.items[0].name, g->error);
}

static void read_signature(struct gathering *g, struct tn_cursor *body)
{
    struct tn_tf_entry entry;

    tn_tf_entry_read(body, &entry);
    if (is_hook(entry.key)) {
        read_hook(g, &entry);
    } else {
        struct tn_signature signature = {
            .name    = entry.key,
            .method  = method_name(entry.value),
            .inputs  = read_io_list(g, entry.value, 1),
            .outputs = read_io_list(g, entry.value, 2),
        };
        struct tn_signature *slot =
            tn_list_push(&g->model->signatures, struct tn_signature, g->error);
        if (slot)
            *slot = signature;
        g->meta->signature_count += slot != NULL;
    }
    tn_error_where(g->error, "signature_def[%.*s]", TN_FMT(entry.key));
}

/* ---- the whole ---------------------------------------------------------- */

static void read_field(struct gathering *g, struct tn_pb_field *field)
{
    switch (field->number) {
    case 1: read_info(g, &field->body); break;
    case 2:
        g->meta->graph_def = tn_pb_body_span(field);
        g->meta->graph_def_count++;
        tn_tf_reader_feed(&g->graph, field->body);
        break;
    case 3: read_saver(g, &field->body); break;
    case 4: read_collection(g, &field->body); break;
    case 5: read_signature(g, &field->body); break;
    case 6: read_asset(g, &g->assets, &field->body); break;
    case 7: g->meta->object_graph = tn_pb_body_span(field); break;
    default: break;
    }
    if (field->number != 2 && g->path[0]) /* graphs know their path */
        tn_error_where(g->error, "%s", g->path);
}

/* "a,b": in the arena. */
static struct tn_bytes join(struct gathering *g, const struct tn_list *list,
                            const char *between)
{
    struct tn_buffer text;

    tn_buffer_init(&text, g->model->memory, g->error);
    for (uint64_t i = 0; i < list->count; i++) {
        if (i)
            tn_buffer_text(&text, between);
        tn_buffer_add(&text, *tn_list_at(list, struct tn_bytes, i));
    }
    struct tn_bytes joined =
        tn_bytes_dup(&g->model->arena, tn_buffer_bytes(&text), g->error);
    tn_buffer_done(&text);
    return joined;
}

static void keep_assets(struct gathering *g)
{
    const struct tn_list *from  = g->assets.count ? &g->assets : &g->old_assets;
    struct tn_arena      *arena = &g->model->arena;
    struct tn_bytes      *names =
        tn_new(arena, struct tn_bytes, from->count, g->error);
    struct tn_bytes *tensors =
        tn_new(arena, struct tn_bytes, from->count, g->error);
    uint64_t *offsets = tn_new(arena, uint64_t, from->count, g->error);

    if (!names || !tensors || !offsets)
        return;
    for (uint64_t i = 0; i < from->count; i++) {
        const struct asset *asset = tn_list_at(from, struct asset, i);
        names[i]                  = asset->name;
        tensors[i]                = asset->tensor;
        offsets[i]                = asset->offset;
        tn_model_add_fact(g->model, "asset", asset->name, g->error);
    }
    g->meta->asset_count   = (uint32_t)from->count;
    g->meta->assets        = names;
    g->meta->asset_tensors = tensors;
    g->meta->asset_offsets = offsets;
}

static void add_facts(struct gathering *g)
{
    struct tn_tf_meta *meta = g->meta;

    if (meta->tensorflow_version.size)
        tn_model_add_fact(g->model, "tensorflow_version",
                          meta->tensorflow_version, g->error);
    tn_tf_add_version_facts(g->model, &meta->versions, g->error);
    if (g->has_stripped_defaults)
        tn_model_add_fact(g->model, "stripped_default_attrs", tn_text("true"),
                          g->error);
    if (g->collections.count)
        tn_model_add_fact(g->model, "collections",
                          join(g, &g->collections, ", "), g->error);
}

static void gather(struct gathering *g, struct tn_cursor c)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        if (field.number <= 7 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_field(g, &field);
}

static void finish(struct gathering *g)
{
    struct tn_tf_meta *meta = g->meta;

    tn_tf_reader_end(&g->graph);
    if (tn_failed(g->error))
        return;
    meta->graph     = g->graph.graph;
    meta->graph_end = (uint32_t)g->model->graphs.count;
    meta->versions  = g->graph.versions;
    meta->tags      = join(g, &g->tags, ",");
    if (g->tags.count)
        push_bytes(&g->model->tags, meta->tags, g->error);
    add_facts(g);
    keep_assets(g);
}

enum tn_status tn_tf_meta_read(struct tn_model *model, struct tn_cursor c,
                               enum tn_graph_kind kind, const char *path,
                               struct tn_tf_meta *meta, struct tn_error *error)
{
    struct gathering g = {
        .model = model, .error = error, .meta = meta, .path = path
    };
    const char *graph_path = tn_text_format(
        &model->arena, error, "%s%sgraph_def", path, path[0] ? "." : "");

    if (!graph_path)
        return error->status;
    *meta = (struct tn_tf_meta){
        .wire            = { c.source, c.offset, tn_left(&c) },
        .first_signature = (uint32_t)model->signatures.count,
    };
    tn_list_init(&g.tags, model->memory, sizeof(struct tn_bytes));
    tn_list_init(&g.assets, model->memory, sizeof(struct asset));
    tn_list_init(&g.old_assets, model->memory, sizeof(struct asset));
    tn_list_init(&g.collections, model->memory, sizeof(struct tn_bytes));
    tn_tf_reader_begin(&g.graph, model, kind, graph_path, error);
    gather(&g, c);
    finish(&g);
    tn_list_done(&g.tags);
    tn_list_done(&g.assets);
    tn_list_done(&g.old_assets);
    tn_list_done(&g.collections);
    return error->status;
}

void tn_tf_use_signature_io(struct tn_model *model)
{
    const struct tn_signature *chosen = NULL;

    for (uint64_t i = 0; i < model->signatures.count; i++) {
        const struct tn_signature *signature =
            tn_list_at(&model->signatures, struct tn_signature, i);
        if (tn_bytes_is(signature->name, "serving_default") ||
            model->signatures.count == 1)
            chosen = signature;
    }
    if (!chosen || !model->graphs.count)
        return;
    tn_model_graph_at(model, 0)->inputs  = chosen->inputs;
    tn_model_graph_at(model, 0)->outputs = chosen->outputs;
}
