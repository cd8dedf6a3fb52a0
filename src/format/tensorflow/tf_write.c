/*
 * tf_write.c - TensorFlow's messages: graphs, meta graphs, saved models
 *
 * A message is a rope of spans of the old one; only what an edit touched is
 * composed anew.
 */
#include "base/arith.h"
#include "base/sort.h"
#include "chunk/cpb.h"
#include "format/bare.h"
#include "format/registry.h"
#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_bundle_write.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "format/tensorflow/tf_known_files.h"
#include "format/tensorflow/tf_rename.h"
#include "format/tensorflow/tf_split.h"
#include "format/tensorflow/tf_writing.h"
#include "io/rope_source.h"
#include "io/spool.h"

static const struct tn_tf_detail no_detail;

/* The caller frees the arena. */
static void writing_init(struct tn_tf_writing *w, const struct tn_model *model,
                         const struct tn_write_options *options,
                         struct tn_output *to, struct tn_error *error)
{
    *w = (struct tn_tf_writing){ .model   = model,
                                 .options = options,
                                 .to      = to,
                                 .error   = error,
                                 .detail  = model->detail ? model->detail
                                                          : &no_detail };
    tn_arena_init(&w->arena, model->memory);
    w->encoder = (struct tn_tf_encoder){ model, &w->arena, error };
}

/* Reports so many written bytes to the meter, if there is one. */
static enum tn_status count_bytes(struct tn_tf_writing *w, uint64_t bytes)
{
    if (w->options->meter)
        return tn_meter_add(w->options->meter, bytes, w->error);
    return w->error->status;
}

/* TensorFlow cannot read larger messages, so none is made; a message that
 * already is so large may be copied. */
static enum tn_status check_size(struct tn_tf_writing *w, uint64_t size)
{
    if (size <= TN_TF_MESSAGE_MAX ||
        w->detail->message.length > TN_TF_MESSAGE_MAX)
        return w->error->status;
    return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                        "%" PRIu64 " bytes: a message that TensorFlow can read "
                        "has at most %" PRIu64
                        "; keep large constants in a checkpoint",
                        size, TN_TF_MESSAGE_MAX);
}

static enum tn_status write_rope(struct tn_tf_writing *w,
                                 const struct tn_rope *rope,
                                 struct tn_sink       *sink)
{
    TN_TRY(check_size(w, rope->length));
    TN_TRY(tn_rope_write(rope, sink, w->error));
    return count_bytes(w, rope->length);
}

/* ---- messages ----------------------------------------------------------- */

/* In an edited model the graphs have new numbers: the n-th main graph is the
 * n-th meta graph's. */
static uint32_t find_main_graph(const struct tn_model *model, uint32_t nth)
{
    for (uint32_t i = 0; i < model->graphs.count; i++)
        if (tn_model_graph_at(model, i)->kind != TN_GRAPH_FUNCTION &&
            nth-- == 0)
            return i;
    return TN_NONE;
}

/* Where the GraphDef of the n-th meta graph was read, or a bare one. */
static struct tn_tf_pieces old_pieces(struct tn_tf_writing *w, uint32_t nth)
{
    const struct tn_tf_meta *meta =
        nth < w->detail->meta_count ? &w->detail->metas[nth] : NULL;
    struct tn_span    *pieces = tn_new(&w->arena, struct tn_span,
                                    meta ? meta->graph_def_count : 1, w->error);
    uint64_t           count  = 0;
    struct tn_pb_field field;

    if (!pieces)
        return (struct tn_tf_pieces){ NULL, 0 };
    if (!meta) {
        pieces[0] = w->detail->message;
        return (struct tn_tf_pieces){ pieces, 1 };
    }
    struct tn_cursor c = tn_cursor_span(meta->wire, w->error);
    while (tn_pb_next(&c, &field))
        if (field.number == 2 && count < meta->graph_def_count)
            pieces[count++] = tn_pb_body_span(&field);
    return (struct tn_tf_pieces){ pieces, count };
}

static void put_graph(struct tn_tf_writing *w, uint32_t nth, struct tn_rope *to)
{
    struct tn_tf_pieces old = old_pieces(w, nth);

    uint32_t main = find_main_graph(w->model, nth);
    uint32_t end  = find_main_graph(w->model, nth + 1);

    if (main == TN_NONE)
        tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                     "there is no graph to write");
    else
        tn_tf_encode_graph(
            &w->encoder, main,
            end == TN_NONE ? (uint32_t)w->model->graphs.count : end, old, to);
}

/* A signature does not say which graph it belongs to. */
static void expect_one_meta(struct tn_tf_writing *w)
{
    const struct tn_changes *changes = w->model->changes;

    for (uint32_t i = 0; changes && w->detail->meta_count > 1 &&
                         i < changes->text_count;
         i++)
        if (changes->texts[i].kind == TN_TEXT_SIGNATURE)
            tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                         "signatures of a SavedModel with %u graphs cannot be "
                         "changed",
                         (unsigned)w->detail->meta_count);
}

/* One that was made of nothing, not read from a file. */
static bool is_new_saved_model(const struct tn_tf_writing *w)
{
    return !w->detail->meta_count &&
           tn_is_of_format(w->model, &tn_format_tf_saved_model);
}

/* A MetaInfoDef with the tag that loaders look for. */
#define TAGS_SERVE                                                             \
    "\x22\x05"                                                                 \
    "serve"

static void put_meta(struct tn_tf_writing *w, uint32_t nth, struct tn_rope *to)
{
    const struct tn_tf_meta *meta =
        nth < w->detail->meta_count ? &w->detail->metas[nth] : NULL;
    struct tn_cursor   c;
    struct tn_pb_field field;
    struct tn_rope     graph;
    bool               is_done = false;

    if (meta && !w->model->is_edited) {
        tn_rope_span(to, meta->wire);
        return;
    }
    tn_rope_init(&graph, &w->arena, w->error);
    put_graph(w, nth, &graph);
    if (!meta)
        tn_pb_put_text(to, 1, is_new_saved_model(w) ? TAGS_SERVE : "");
    c = tn_cursor_span(meta ? meta->wire : (struct tn_span){ NULL, 0, 0 },
                       w->error);
    while (tn_pb_next(&c, &field)) {
        if (field.number > 1 && !is_done) {
            tn_pb_put_message(to, 2, &graph);
            is_done = true;
        }
        if (field.number != 2 &&
            !tn_tf_is_old_signature(w->model->changes, &field))
            tn_tf_put_meta_field(to, &w->arena, w->model->changes,
                                 find_main_graph(w->model, nth), &c, &field);
    }
    if (!is_done)
        tn_pb_put_message(to, 2, &graph);
    expect_one_meta(w);
    tn_tf_put_signatures(to, &w->arena, w->model);
    tn_rope_done(&graph);
}

static void put_meta_field(struct tn_tf_writing *w, uint32_t nth,
                           struct tn_rope *to)
{
    struct tn_rope meta;

    tn_rope_init(&meta, &w->arena, w->error);
    put_meta(w, nth, &meta);
    tn_pb_put_message(to, 2, &meta);
}

/* The SavedModel message: the old one, edited, or one around a graph. */
static void put_saved_model(struct tn_tf_writing *w, struct tn_rope *to)
{
    struct tn_cursor   c   = tn_cursor_span(w->detail->message, w->error);
    uint32_t           nth = 0;
    struct tn_pb_field field;

    if (!tn_tf_is_saved_model(w)) {
        tn_pb_put_varint(to, 1, 1); /* schema version */
        put_meta_field(w, 0, to);
    } else if (!w->model->is_edited) {
        tn_rope_span(to, w->detail->message);
    } else {
        while (tn_pb_next(&c, &field))
            if (field.number == 2)
                put_meta_field(w, nth++, to);
            else
                tn_rope_span(to, tn_pb_field_span(&c, &field));
    }
}

static enum tn_status write_main(struct tn_tf_writing *w, struct tn_rope *rope)
{
    struct tn_sink *sink;

    if (!tn_failed(w->error) && rope->length == 0)
        tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                     "the graph is empty: its file would have no bytes");
    if (!tn_failed(w->error) && tn_output_main(w->to, &sink, w->error) == TN_OK)
        write_rope(w, rope, sink);
    tn_rope_done(rope);
    tn_arena_done(&w->arena);
    return w->error->status;
}

enum tn_status tn_tf_write_graph(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 struct tn_output *to, struct tn_error *error)
{
    struct tn_tf_writing w;
    struct tn_rope       rope;

    TN_TRY(tn_tf_lose_around(model, options, true, error));
    writing_init(&w, model, options, to, error);
    tn_rope_init(&rope, &w.arena, error);
    put_graph(&w, 0, &rope);
    return write_main(&w, &rope);
}

enum tn_status tn_tf_write_meta_graph(const struct tn_model         *model,
                                      const struct tn_write_options *options,
                                      struct tn_output              *to,
                                      struct tn_error               *error)
{
    struct tn_tf_writing w;
    struct tn_rope       rope;

    TN_TRY(tn_tf_lose_around(model, options, false, error));
    writing_init(&w, model, options, to, error);
    tn_rope_init(&rope, &w.arena, error);
    put_meta(&w, 0, &rope);
    return write_main(&w, &rope);
}

/* ---- the weights of a model as a checkpoint ----------------------------- */

static enum tn_status after_tensor(void *context, uint64_t tensor,
                                   uint64_t bytes, struct tn_error *error)
{
    struct tn_tf_writing *w = context;

    (void)tensor;
    if (w->options->meter)
        return tn_meter_add(w->options->meter, bytes, error);
    return error->status;
}

/* Data keeps its order: by file, then by offset; data without a place in a file
 * keeps the order of the model. */
static bool is_before(const void *left, const void *right)
{
    const struct tn_tensor *a = left, *b = right;
    const struct tn_span   *x = &a->elements.payload.span;
    const struct tn_span   *y = &b->elements.payload.span;

    const char *file  = x->source ? x->source->name : "";
    int         order = strcmp(file, y->source ? y->source->name : "");

    if (order)
        return order < 0;
    if (x->offset != y->offset)
        return x->offset < y->offset;
    return a < b;
}

/* The weights in that order; NULL after a failure. */
static struct tn_tf_bundle_tensor *list_weights(struct tn_tf_writing *w,
                                                uint64_t             *count)
{
    uint64_t     most = w->model->tensors.count;
    const void **rows = tn_new(&w->arena, const void *, most, w->error);
    struct tn_tf_bundle_tensor *items =
        tn_new(&w->arena, struct tn_tf_bundle_tensor, most, w->error);

    *count = 0;
    if (!rows || !items)
        return NULL;
    for (uint64_t i = 0; i < most; i++)
        if (tn_tf_is_weight(tn_model_tensor(w->model, i)))
            rows[(*count)++] = tn_model_tensor(w->model, i);
    tn_sort(rows, *count, is_before);
    for (uint64_t i = 0; i < *count; i++) {
        const struct tn_tensor *tensor = rows[i];
        items[i] = (struct tn_tf_bundle_tensor){ tn_tensor_name(tensor),
                                                 &tensor->elements };
    }
    return items;
}

/* Files beside a message; the index is hashed for the fingerprint. */
struct side_opener {
    struct tn_output *to;
    struct tn_tf_tee  index;
};

static enum tn_status open_side(void *context, const char *name,
                                struct tn_sink **sink, struct tn_error *error)
{
    struct side_opener *side = context;

    TN_TRY(tn_output_side(side->to, name, sink, error));
    if (strstr(name, ".index")) {
        tn_tf_tee_init(&side->index, *sink);
        *sink = &side->index.sink;
    }
    return TN_OK;
}

/* The weights as a checkpoint: as the main file of the output, or beside it,
 * and then the index is hashed. */
static enum tn_status write_tensors(struct tn_tf_writing *w, const char *prefix,
                                    bool is_main)
{
    struct tn_memory           *memory = w->model->memory;
    uint64_t                    count;
    struct tn_tf_bundle_tensor *items = list_weights(w, &count);
    struct tn_tf_bundle_options how   = { .shard_size = w->options->shard_size,
                                          .is_main    = is_main,
                                          .after      = after_tensor,
                                          .context    = w };

    if (!items)
        return w->error->status;
    if (count == 0)
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "the model has no variables to put into a "
                            "checkpoint");
    *w->options->tensors_moved += count;
    if (is_main)
        return tn_tf_bundle_write(w->to, prefix, items, count, &how, memory,
                                  w->error);
    struct side_opener side = { .to = w->to };
    TN_TRY(tn_tf_bundle_write_to(open_side, &side, prefix, items, count, &how,
                                 memory, w->error));
    w->checkpoint = tn_farmhash_finish(&side.index.hash);
    return TN_OK;
}

enum tn_status tn_tf_write_checkpoint(const struct tn_model         *model,
                                      const struct tn_write_options *options,
                                      struct tn_output              *to,
                                      struct tn_error               *error)
{
    struct tn_tf_writing w;
    const char          *name = tn_output_name(to);
    size_t               size = strlen(name);

    if (size > 6 && strcmp(name + size - 6, ".index") == 0)
        size -= 6;
    else if (size > 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "TensorFlow finds a checkpoint by its index: write "
                            "%.120s.index",
                            name);
    tn_bare_lose_graph(model, options);
    writing_init(&w, model, options, to, error);
    const char *prefix =
        tn_text_format(&w.arena, error, "%.*s", (int)size, name);
    if (prefix)
        write_tensors(&w, prefix, true);
    tn_arena_done(&w.arena);
    return error->status;
}

/* ---- SavedModel folders ------------------------------------------------- */

/*
 * The message, in one file or in chunks, and the variables as a checkpoint; the
 * files beside them are copied, except a fingerprint that is no longer right.
 */

/* ---- variables ---------------------------------------------------------- */

static bool has_variables(const struct tn_tf_writing *w)
{
    for (uint64_t i = 0; i < w->model->tensors.count; i++)
        if (tn_tf_is_weight(tn_model_tensor(w->model, i)) &&
            tn_model_tensor(w->model, i)->graph == TN_NONE)
            return true;
    return false;
}

/* Whether the variables are those of the old checkpoint, all of them. */
static bool has_old_variables(const struct tn_tf_writing *w)
{
    uint64_t count = 0;

    if (!w->detail->table)
        return !has_variables(w);
    for (uint64_t i = 0; i < w->model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(w->model, i);
        if (tensor->graph != TN_NONE)
            continue;
        if (tensor->wire.source != w->detail->table->index)
            return false;
        count++;
    }
    return count == tn_tf_bundle_count(w->detail->table) &&
           !w->options->shard_size;
}

/* ---- files that are copied ----------------------------------------------- */

static enum tn_status copy_file(struct tn_tf_writing *w, const char *name)
{
    struct tn_source *source;
    struct tn_sink   *sink;

    TN_TRY(
        tn_bundle_sibling(w->detail->bundle, tn_text(name), &source, w->error));
    TN_TRY(tn_output_side(w->to, name, &sink, w->error));
    if (source->size)
        TN_TRY(tn_sink_splice(sink, (struct tn_span){ source, 0, source->size },
                              w->error));
    return count_bytes(w, source->size);
}

/* The files known to belong to a SavedModel, for one opened by its file: the
 * folder may hold other things. */
static bool is_known_entry(const char *name)
{
    static const char *const known[] = {
        "variables/",     "assets/",           "assets.extra/",   "debug/",
        "fingerprint.pb", "keras_metadata.pb", "tfhub_module.pb", NULL,
    };

    for (const char *const *k = known; *k; k++)
        if (strcmp(name, *k) == 0)
            return true;
    return false;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_opened_by_file(const struct tn_bundle *bundle)
{
    return bundle->main && !bundle->is_folder;
}

/* Fingerprints of chunked files are made by other rules. */
static bool was_chunked(struct tn_bundle *bundle)
{
    return bundle && tn_bundle_has(bundle, "saved_model.cpb");
}

/* Files that are written anew, or whose content is no longer right. */
static bool is_left_out(const char *name, bool keep_variables,
                        bool keep_fingerprint, bool keep_debug)
{
    if (!keep_debug && starts_with(name, "debug/"))
        return true;
    if (strcmp(name, "saved_model.pb") == 0 ||
        strcmp(name, "saved_model.cpb") == 0 ||
        strcmp(name, "saved_model.pbtxt") == 0 ||
        tn_cpb_is_member(name, "saved_model"))
        return true;
    if (strcmp(name, "fingerprint.pb") == 0)
        return !keep_fingerprint;
    return !keep_variables && (starts_with(name, "variables/variables.index") ||
                               starts_with(name, "variables/variables.data-"));
}

/* Folders that are still to be copied; names end in '/', "" is the top. */
struct copying {
    struct tn_list folders; /* const char *                                   */
    bool           keep_variables, keep_fingerprint, keep_debug;
    enum tn_status (*each)(struct tn_tf_writing *w, const char *name);
};

static enum tn_status copy_entry(struct tn_tf_writing *w,
                                 struct copying *copying, const char *folder,
                                 const char *entry)
{
    const char *name =
        tn_text_format(&w->arena, w->error, "%s%s", folder, entry);

    if (!name)
        return w->error->status;
    if (is_left_out(name, copying->keep_variables, copying->keep_fingerprint,
                    copying->keep_debug))
        return TN_OK;
    if (!folder[0] && is_opened_by_file(w->detail->bundle) &&
        tn_bundle_lists_all(w->detail->bundle) && !is_known_entry(name))
        return TN_OK;
    if (name[strlen(name) - 1] != '/')
        return copying->each(w, name);
    const char **slot = tn_list_push(&copying->folders, const char *, w->error);
    if (slot)
        *slot = name;
    return w->error->status;
}

static enum tn_status copy_folder(struct tn_tf_writing *w,
                                  struct copying *copying, const char *folder)
{
    const char *const *names;
    uint64_t           count;
    size_t             size = strlen(folder);
    const char        *path = tn_text_format(&w->arena, w->error, "%.*s",
                                             (int)(size ? size - 1 : 0), folder);

    if (!path)
        return w->error->status;
    TN_TRY(tn_bundle_list(w->detail->bundle, path, &names, &count, w->error));
    for (uint64_t i = 0; i < count; i++)
        TN_TRY(copy_entry(w, copying, folder, names[i]));
    return TN_OK;
}

struct copying_known {
    struct tn_tf_writing *writing;
    struct copying       *copying;
};

static enum tn_status copy_known(void *context, const char *name,
                                 struct tn_error *error)
{
    const struct copying_known *known = context;

    (void)error; /* that of the writing */
    return copy_entry(known->writing, known->copying, "", name);
}

static enum tn_status copy_all(struct tn_tf_writing *w, struct copying *copying)
{
    if (!w->detail->bundle || !tn_bundle_has_folder(w->detail->bundle))
        return TN_OK;
    if (!tn_bundle_lists_all(w->detail->bundle))
        return tn_tf_known_files(w->model, w->detail->bundle, &w->arena,
                                 copy_known,
                                 &(struct copying_known){ w, copying },
                                 w->error);
    tn_list_init(&copying->folders, w->model->memory, sizeof(const char *));
    copy_folder(w, copying, "");
    while (copying->folders.count && !tn_failed(w->error)) {
        const char *folder = *tn_list_at(&copying->folders, const char *,
                                         --copying->folders.count);
        copy_folder(w, copying, folder);
    }
    tn_list_done(&copying->folders);
    return w->error->status;
}

static enum tn_status copy_files(struct tn_tf_writing *w, bool keep_variables,
                                 bool keep_fingerprint)
{
    struct copying copying = { .keep_variables   = keep_variables,
                               .keep_fingerprint = keep_fingerprint,
                               .keep_debug       = !w->options->leaves_debug,
                               .each             = copy_file };

    return copy_all(w, &copying);
}

static enum tn_status lose_file(struct tn_tf_writing *w, const char *name)
{
    if (!starts_with(name, "variables/"))
        tn_lose(w->options, TN_NOWHERE, name,
                "left behind: a file of the SavedModel");
    return w->error->status;
}

enum tn_status tn_tf_lose_files(const struct tn_model         *model,
                                const struct tn_write_options *options,
                                struct tn_error               *error)
{
    struct tn_tf_writing w;
    struct copying       copying = { .keep_fingerprint = true,
                                     .keep_debug       = true,
                                     .each             = lose_file };

    if (!tn_is_of_format(model, &tn_format_tf_saved_model))
        return TN_OK;
    writing_init(&w, model, options, NULL, error);
    copy_all(&w, &copying);
    tn_arena_done(&w.arena);
    return error->status;
}

/* ---- the message -------------------------------------------------------- */

/* The message to be written, in a form that can be split and hashed. */
struct composed {
    struct tn_rope      rope;
    struct tn_source   *source;
    struct tn_schema   *schema;
    struct tn_message  *message;
    struct tn_splitter *splitter; /* NULL: neither is wanted               */
};

static bool has_producer(const struct tn_rope *rope)
{
    for (uint64_t i = 0; i < rope->pieces.count; i++)
        if (tn_list_at(&rope->pieces, struct tn_piece, i)->kind ==
            TN_PIECE_PRODUCER)
            return true;
    return false;
}

/* What is composed while it is written can be read at any place only from a
 * file. */
static enum tn_status open_rope(struct tn_tf_writing *w, struct composed *c)
{
    if (has_producer(&c->rope))
        return tn_source_from_rope(&c->source, w->model->memory, &c->rope, "",
                                   w->error);
    return tn_source_rope(&c->source, w->model->memory, &c->rope, "", w->error);
}

static void keep_source(struct tn_message *message)
{
    (void)message; /* closed together with what was composed */
}

static enum tn_status split_message(struct tn_tf_writing *w, struct composed *c)
{
    struct tn_tf_split_options how = { TN_SPLIT_CPP, w->options->image_size };

    TN_TRY(open_rope(w, c));
    TN_TRY(tn_schema_builtin(&c->schema, "tensorflow", NULL, w->error));
    TN_TRY(tn_message_new(&c->message, c->schema, "tensorflow.SavedModel", NULL,
                          w->error));
    c->message->source = c->source;
    c->message->close  = keep_source;
    TN_TRY(tn_splitter_open(&c->splitter, c->message, w->error));
    if (w->options->is_image)
        TN_TRY(tn_tf_split_saved_model(c->splitter, &how, w->error));
    else
        TN_TRY(tn_splitter_keep_base(c->splitter, w->error));
    return tn_splitter_split(c->splitter, w->error);
}

static bool is_chunked(const struct composed *c)
{
    return c->splitter && tn_splitter_chunk_count(c->splitter) > 1;
}

static enum tn_status compose(struct tn_tf_writing *w, struct composed *c)
{
    *c = (struct composed){ .source = NULL };
    tn_rope_init(&c->rope, &w->arena, w->error);
    put_saved_model(w, &c->rope);
    if (tn_failed(w->error))
        return w->error->status;
    bool has_print = tn_tf_is_saved_model(w) &&
                     tn_bundle_has(w->detail->bundle, TN_TF_FINGERPRINT);
    if (w->options->is_image || has_print)
        TN_TRY(split_message(w, c));
    if (is_chunked(c) || c->rope.length <= TN_TF_MESSAGE_MAX)
        return TN_OK;
    return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                        "%" PRIu64 " bytes: a message that TensorFlow can read "
                        "has at most %" PRIu64
                        "; --image-format writes it in chunks",
                        c->rope.length, TN_TF_MESSAGE_MAX);
}

/* The codec as a records file names it. */
static const char *records_of(const struct tn_write_options *options)
{
    const char *codec = options->compress;

    return codec && !strcmp(codec, "none") ? "uncompressed" : codec;
}

static enum tn_status write_message(struct tn_tf_writing *w, struct composed *c)
{
    struct tn_sink *sink;

    if (is_chunked(c)) {
        TN_TRY(tn_splitter_write_folder(c->splitter, records_of(w->options),
                                        w->to, "saved_model", w->error));
    } else {
        TN_TRY(tn_output_side(w->to, "saved_model.pb", &sink, w->error));
        TN_TRY(tn_rope_write(&c->rope, sink, w->error));
    }
    return count_bytes(w, c->rope.length);
}

/* ---- the fingerprint, and the whole ------------------------------------- */

/* If the debug folder is left out, debug information was taken out of the
 * message, too. */
static bool is_same_message(const struct tn_tf_writing *w)
{
    return !w->model->is_edited && !w->options->leaves_debug;
}

/* A fingerprint holds hashes of both files: it is kept while they are
 * unchanged. */
static bool keeps_message(const struct tn_tf_writing *w,
                          const struct composed      *c)
{
    return is_same_message(w) && tn_tf_is_saved_model(w) && !is_chunked(c) &&
           strstr(w->detail->model_file, ".pbtxt") == NULL &&
           !was_chunked(w->detail->bundle);
}

static enum tn_status renew_fingerprint(struct tn_tf_writing  *w,
                                        const struct composed *c,
                                        bool                   keep_variables)
{
    struct tn_tf_written written = {
        .from          = w->detail->bundle,
        .to            = w->to,
        .splitter      = c->splitter,
        .checkpoint    = w->checkpoint,
        .is_same_model = is_same_message(w) && keep_variables,
    };
    struct tn_error dropped = TN_ERROR_INIT;

    if (!c->splitter || !tn_tf_is_saved_model(w))
        return TN_OK;
    if (keep_variables)
        TN_TRY(
            tn_tf_old_checkpoint(written.from, &written.checkpoint, w->error));
    TN_TRY(tn_tf_write_fingerprint(&written, &dropped, w->error));
    if (tn_failed(&dropped)) {
        const char *why =
            tn_text_format(&w->arena, w->error, "left out: %s", dropped.what);
        if (why)
            tn_lose(w->options, TN_NOWHERE, TN_TF_FINGERPRINT, why);
    }
    return w->error->status;
}

static enum tn_status write_files(struct tn_tf_writing *w, struct composed *c)
{
    bool keep_variables = has_old_variables(w);
    bool keep_print     = keeps_message(w, c) && keep_variables;

    if (tn_tf_is_saved_model(w))
        TN_TRY(copy_files(w, keep_variables, keep_print));
    if (!keep_variables && has_variables(w))
        TN_TRY(write_tensors(w, "variables/variables", false));
    TN_TRY(write_message(w, c));
    return keep_print ? TN_OK : renew_fingerprint(w, c, keep_variables);
}

enum tn_status tn_tf_write_saved_model(const struct tn_model         *model,
                                       const struct tn_write_options *options,
                                       struct tn_output              *to,
                                       struct tn_error               *error)
{
    struct composed      c;
    struct tn_tf_writing w;

    writing_init(&w, model, options, to, error);
    if (!w.detail->meta_count && !is_new_saved_model(&w))
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "a bare graph has no signatures, so it is not a SavedModel");
    if (compose(&w, &c) == TN_OK)
        write_files(&w, &c);
    tn_splitter_close(c.splitter);
    tn_message_close(c.message);
    tn_schema_close(c.schema);
    tn_source_close(c.source);
    tn_rope_done(&c.rope);
    tn_arena_done(&w.arena);
    return error->status;
}
