/* tf_write_checkpoint.c - the weights of a model as a checkpoint */
#include "base/sort.h"
#include "format/bare.h"
#include "format/tensorflow/tf_bundle_write.h"
#include "format/tensorflow/tf_renew.h"
#include "format/tensorflow/tf_writing.h"

static enum tn_status after_tensor(void *context, uint64_t tensor,
                                   uint64_t bytes, struct tn_error *error)
{
    struct tn_tf_writing *w = context;

    (void)tensor;
    if (w->options->meter)
        return tn_meter_add(w->options->meter, bytes, error);
    return error->status;
}

/* Data keeps the order it has: by file, then by offset; what has no place of
 * its own as it stands in the model. */
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

enum tn_status tn_tf_write_tensors(struct tn_tf_writing *w, const char *prefix,
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
    tn_tf_writing_init(&w, model, options, to, error);
    const char *prefix =
        tn_text_format(&w.arena, error, "%.*s", (int)size, name);
    if (prefix)
        tn_tf_write_tensors(&w, prefix, true);
    tn_arena_done(&w.arena);
    return error->status;
}
