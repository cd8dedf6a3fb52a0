/*
 * tf_write.c - TensorFlow's messages: graphs, meta graphs, saved models
 *
 * A message is a rope of spans of the old one; only what an edit touched is
 * composed anew.
 */
#include "format/tensorflow/tf_writing.h"

static const struct tn_tf_detail no_detail;

void tn_tf_writing_init(struct tn_tf_writing *w, const struct tn_model *model,
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

enum tn_status tn_tf_count_bytes(struct tn_tf_writing *w, uint64_t bytes)
{
    if (w->options->meter)
        return tn_meter_add(w->options->meter, bytes, w->error);
    return w->error->status;
}

/* TensorFlow cannot read larger messages, so we make none; but what is already
 * so large may be moved. */
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
    return tn_tf_count_bytes(w, rope->length);
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
        tn_pb_put_text(to, 1, ""); /* an empty MetaInfoDef */
    c = tn_cursor_span(meta ? meta->wire : (struct tn_span){ NULL, 0, 0 },
                       w->error);
    while (tn_pb_next(&c, &field)) {
        if (field.number > 1 && !is_done) {
            tn_pb_put_message(to, 2, &graph);
            is_done = true;
        }
        if (field.number != 2)
            tn_rope_span(to, tn_pb_field_span(&c, &field));
    }
    if (!is_done)
        tn_pb_put_message(to, 2, &graph);
    tn_rope_done(&graph);
}

static void put_meta_field(struct tn_tf_writing *w, uint32_t nth,
                           struct tn_rope *to)
{
    struct tn_rope meta;

    tn_rope_init(&meta, &w->arena, w->error);
    put_meta(w, nth, &meta);
    tn_pb_put_message(to, 2, &meta);
    tn_rope_done(&meta);
}

void tn_tf_put_saved_model(struct tn_tf_writing *w, struct tn_rope *to)
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
    tn_tf_writing_init(&w, model, options, to, error);
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
    tn_tf_writing_init(&w, model, options, to, error);
    tn_rope_init(&rope, &w.arena, error);
    put_meta(&w, 0, &rope);
    return write_main(&w, &rope);
}
