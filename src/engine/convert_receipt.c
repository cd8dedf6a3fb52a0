/*
 * convert_receipt.c - where each tensor of a converted model came from
 *
 * A line of JSON for each, in the order of the result:
 *
 *   {"tensor": "w", "source": "conv1.weight", "transform": "permute [2,3,1,0]",
 *    "dtype": "float32", "shape": [3,3,3,64], "sha256": "..."}
 *
 * The hash is that of docs/hash.md.  A tensor that a rule made has no source.
 * Then one for each node that was replaced because the runtime has no kernel
 * for it:
 *
 *   {"node": "y", "op": "Tan", "rule": "onnx_onnxruntime.rules:25"}
 *
 * At the end one for each thing that was left behind:
 *
 *   {"loss": "left behind: doc_string of 2 nodes", "where": "graph.node[0]",
 *    "kind": "field"}
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/json_write.h"
#include "engine/convert_dialect.h"

static void add_numbers(struct tn_buffer *to, const char *word, uint32_t count,
                        const uint64_t *wide, const uint32_t *narrow)
{
    tn_buffer_text(to, word);
    for (uint32_t i = 0; i < count; i++)
        tn_buffer_format(to, "%s%" PRIu64, i ? "," : " [",
                         wide ? wide[i] : (uint64_t)narrow[i]);
    tn_buffer_text(to, count ? "]" : " []");
}

static void add_along(struct tn_buffer *to, const char *word,
                      const struct tn_view *view)
{
    tn_buffer_text(to, word);
    if (view->axis != TN_VIEW_NO_AXIS)
        tn_buffer_format(to, " axis %" PRIu32, view->axis);
}

static void add_scale(struct tn_buffer *to, const struct tn_view *view)
{
    add_along(to, view->offsets ? "scale and add" : "scale", view);
    tn_buffer_text(to, " and round");
}

static void add_view(struct tn_buffer *to, const struct tn_elements *elements)
{
    const struct tn_view *view = elements->payload.view;

    switch (view->kind) {
    case TN_VIEW_PERMUTE:
        add_numbers(to, "permute", elements->shape.rank, NULL, view->axes);
        break;
    case TN_VIEW_CAST:
        tn_buffer_format(to, "cast %s", tn_dtype_name(elements->shape.dtype));
        break;
    case TN_VIEW_SLICE:
        add_numbers(to, "slice", elements->shape.rank, view->begin, NULL);
        break;
    case TN_VIEW_STRIDES:
        add_numbers(to, "strides", elements->shape.rank,
                    (const uint64_t *)view->step, NULL);
        break;
    case TN_VIEW_CONCAT:
        tn_buffer_format(to, "concat %" PRIu32, view->axis);
        break;
    case TN_VIEW_RESHAPE:
        add_numbers(to, "reshape", elements->shape.rank, elements->shape.dims,
                    NULL);
        break;
    case TN_VIEW_SCALE: add_scale(to, view); break;
    case TN_VIEW_SIGN: add_along(to, "sign", view); break;
    case TN_VIEW_CLAMP: add_along(to, "clamp", view); break;
    case TN_VIEW_QUANTIZE:
        add_along(to, "quantize", view);
        tn_buffer_format(to, " %s", tn_dtype_name(elements->shape.dtype));
        break;
    case TN_VIEW_SPARSE: tn_buffer_text(to, "densify"); break;
    }
}

/* What was done, in order: views are nested in reverse. */
static void add_transform(struct tn_buffer         *to,
                          const struct tn_elements *elements)
{
    enum { DEEPEST = 16 };
    const struct tn_elements *chain[DEEPEST];
    unsigned                  count = 0;

    while (elements->payload.encoding == TN_ENCODING_VIEW && count < DEEPEST) {
        chain[count++] = elements;
        elements       = elements->payload.view->inputs;
    }
    if (!count)
        tn_buffer_text(to, "none");
    while (count--) {
        add_view(to, chain[count]);
        tn_buffer_text(to, count ? ", " : "");
    }
}

static void put_hash(struct tn_json_writer  *json,
                     const struct tn_tensor *tensor)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t           digest[TN_HASH_SIZE];
    char              text[2 * TN_HASH_SIZE];

    if (tn_tensor_hash(tensor, digest, json->error) != TN_OK)
        return;
    for (unsigned i = 0; i < TN_HASH_SIZE; i++) {
        text[2 * i]     = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    tn_json_key(json, "sha256");
    tn_json_string(json, tn_bytes(text, sizeof text));
}

static void put_source(struct tn_json_writer  *json,
                       const struct tn_tensor *tensor,
                       const struct tn_tensor *origin,
                       struct tn_buffer       *scratch)
{
    char path[256];

    bool is_made = !origin || !origin->model ||
                   (!tn_tensor_name(origin).size && origin->graph == TN_NONE);
    if (is_made) {
        tn_json_key(json, "source");
        tn_json_null(json);
        return;
    }
    tn_json_key(json, "source");
    if (tn_tensor_name(origin).size) {
        tn_json_string(json, tn_tensor_name(origin));
    } else {
        tn_tensor_path(origin, path, sizeof path);
        tn_json_text(json, path);
    }
    tn_buffer_clear(scratch);
    add_transform(scratch, &tensor->elements);
    tn_json_key(json, "transform");
    tn_json_string(json, tn_buffer_bytes(scratch));
}

static void put_line(struct tn_sink *to, const struct tn_tensor *tensor,
                     const struct tn_tensor *origin, struct tn_buffer *scratch,
                     struct tn_error *error)
{
    struct tn_json_writer json;

    tn_json_writer_init(&json, to, false, error);
    tn_json_object_begin(&json);
    tn_json_key(&json, "tensor");
    tn_json_string(&json, tn_tensor_name(tensor));
    put_source(&json, tensor, origin, scratch);
    tn_json_key(&json, "dtype");
    tn_json_text(&json, tn_dtype_name(tn_tensor_dtype(tensor)));
    tn_json_key(&json, "shape");
    tn_json_array_begin(&json);
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        tn_json_put_uint64(&json, tn_tensor_dims(tensor)[i]);
    tn_json_array_end(&json);
    put_hash(&json, tensor);
    tn_json_object_end(&json);
    tn_sink_write(to, tn_text("\n"), error);
}

static void put_touched(struct tn_sink *to, const struct tn_touched *touched,
                        struct tn_error *error)
{
    struct tn_json_writer json;

    tn_json_writer_init(&json, to, false, error);
    tn_json_object_begin(&json);
    tn_json_key(&json, "node");
    tn_json_string(&json, touched->name);
    tn_json_key(&json, "op");
    tn_json_string(&json, touched->type);
    tn_json_key(&json, "rule");
    tn_json_text(&json, touched->rule ? touched->rule : "");
    tn_json_object_end(&json);
    tn_sink_write(to, tn_text("\n"), error);
}

static void put_loss(struct tn_sink *to, const struct tn_loss *loss,
                     struct tn_error *error)
{
    struct tn_json_writer json;

    tn_json_writer_init(&json, to, false, error);
    tn_json_object_begin(&json);
    tn_json_key(&json, "loss");
    tn_json_text(&json, loss->what);
    tn_json_key(&json, "where");
    tn_json_text(&json, loss->where);
    tn_json_key(&json, "kind");
    tn_json_text(&json, tn_loss_kind(loss->what));
    tn_json_object_end(&json);
    tn_sink_write(to, tn_text("\n"), error);
}

static void fill(const struct tn_conversion *c, const struct tn_losses *losses,
                 struct tn_sink *to, struct tn_meter *meter)
{
    struct tn_error *error = c->error;
    struct tn_buffer scratch;

    tn_buffer_init(&scratch, &c->store->memory, error);
    for (uint64_t i = 0; i < c->model->tensors.count && !tn_failed(error);
         i++) {
        const struct tn_tensor *tensor = tn_model_tensor(c->model, i);
        put_line(to, tensor,
                 *tn_list_at(&c->origins, const struct tn_tensor *, i),
                 &scratch, error);
        if (!tn_failed(error))
            tn_meter_add(meter, tn_tensor_size(tensor), error);
    }
    for (uint64_t i = 0; i < c->touched.count && !tn_failed(error); i++)
        put_touched(to, tn_list_at(&c->touched, struct tn_touched, i), error);
    for (uint64_t i = 0; i < losses->rows.count && !tn_failed(error); i++)
        put_loss(to, tn_list_at(&losses->rows, struct tn_loss, i), error);
    tn_buffer_done(&scratch);
}

enum tn_status tn_conversion_receipt(const struct tn_conversion *c,
                                     const struct tn_losses     *losses,
                                     struct tn_output           *receipt)
{
    const struct tn_options *options = c->options;
    struct tn_meter          meter;
    struct tn_sink          *sink;

    tn_meter_init(&meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "hashing", 0);
    TN_TRY(tn_output_main(receipt, &sink, c->error));
    fill(c, losses, sink, &meter);
    if (tn_failed(c->error))
        return c->error->status;
    return tn_output_flush(receipt, c->error);
}
