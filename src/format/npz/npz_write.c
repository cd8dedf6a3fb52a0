/*
 * npz_write.c - writing npz: each tensor an entry NAME.npy
 *
 * Stored, in the order of the model; data begin at multiples of 64 bytes of the
 * file, so that they can be mapped.  Strings are written as bytes, as long as
 * the longest.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "format/bare.h"
#include "format/npz/npz.h"
#include "format/registry.h"
#include "wire/zip/zip_write.h"

struct writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_error               *error;
    struct tn_arena                arena;
    struct tn_zip_writer           zip;
};

/* ---- strings ------------------------------------------------------------ */

/* All strings of a tensor, each as wide as the longest. */
struct string_producer {
    struct tn_producer        producer; /* first */
    const struct tn_elements *elements;
    uint64_t                  count;
    uint64_t                  width;
    bool                      is_lossy; /* one ends in a zero                 */
    struct tn_sink           *to;
};

static enum tn_status measure(void *context, uint64_t index,
                              struct tn_span text, struct tn_error *error)
{
    struct string_producer *p    = context;
    uint8_t                 last = 1;

    (void)index;
    if (text.length) {
        TN_TRY(tn_source_read(text.source, text.offset + text.length - 1, &last,
                              1, error));
        p->is_lossy = p->is_lossy || last == 0;
    }
    p->width = tn_max(p->width, text.length);
    return TN_OK;
}

static enum tn_status put_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct string_producer *p = context;

    (void)index;
    if (text.length)
        TN_TRY(tn_sink_splice(p->to, text, error));
    return tn_sink_zeros(p->to, p->width - text.length, error);
}

static enum tn_status produce_strings(const struct tn_producer *producer,
                                      struct tn_sink           *to,
                                      struct tn_error          *error)
{
    struct string_producer p = *(const struct string_producer *)producer;

    p.to = to;
    return tn_payload_strings(p.elements, 0, p.count, put_string, &p, error);
}

/* ---- tensors ------------------------------------------------------------ */

static const char *refuse(const struct tn_elements *elements)
{
    uint64_t count;

    if (elements->shape.dtype != TN_STRING &&
        !tn_npy_descr(elements->shape.dtype))
        return "left behind: numpy has no such elements";
    if (elements->shape.rank > TN_NPY_RANK_LIMIT ||
        !tn_shape_count(&elements->shape, &count))
        return "left behind: a shape that numpy cannot have";
    return NULL;
}

/* The descr of elements that can be read back. */
static enum tn_dtype read_as(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_FLOAT8E4M3FN:
    case TN_FLOAT8E4M3FNUZ:
    case TN_FLOAT8E4M3B11FNUZ:
    case TN_FLOAT8E5M2:
    case TN_FLOAT8E5M2FNUZ:
    case TN_FLOAT8E8M0:
    case TN_FLOAT4E2M1: return TN_UINT8;
    default: return tn_bare_substitute(dtype);
    }
}

static void put_strings(struct writing *w, const struct tn_bare_tensor *tensor,
                        struct tn_rope *rope, struct tn_buffer *header)
{
    const struct tn_shape  *shape = &tensor->elements->shape;
    struct string_producer *p =
        tn_new(&w->arena, struct string_producer, 1, w->error);

    if (!p)
        return;
    *p = (struct string_producer){ .producer = { .produce = produce_strings },
                                   .elements = tensor->elements };
    tn_shape_count(shape, &p->count);
    if (tn_payload_strings(tensor->elements, 0, p->count, measure, p,
                           w->error) != TN_OK)
        return;
    if (p->is_lossy)
        tn_lose_named(w->options, tensor->name,
                      "strings lose the zeros at their end");
    p->width = tn_max(p->width, 1); /* numpy has no strings of no bytes */
    if (!tn_mul(p->count, p->width, &p->producer.length)) {
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "%" PRIu64 " strings of %" PRIu64 " bytes", p->count,
                     p->width);
        return;
    }
    tn_npy_write_strings(header, p->width, shape->rank, shape->dims);
    tn_rope_bytes(rope, tn_buffer_bytes(header));
    if (p->producer.length)
        tn_rope_producer(rope, &p->producer);
}

static void put_numbers(struct writing *w, const struct tn_bare_tensor *tensor,
                        struct tn_rope *rope, struct tn_buffer *header)
{
    const struct tn_shape      *shape = &tensor->elements->shape;
    struct tn_payload_producer *p =
        tn_new(&w->arena, struct tn_payload_producer, 1, w->error);
    struct tn_span span;

    tn_bare_lose_type(w->options, tensor, read_as(shape->dtype));
    if (shape->dtype == TN_BFLOAT16)
        tn_lose_named(w->options, tensor->name,
                      "bfloat16 is written as two bytes of no type (V2): numpy "
                      "has no bfloat16");
    if (!p ||
        tn_npy_write(header, shape->dtype, shape->rank, shape->dims) != TN_OK)
        return;
    tn_rope_bytes(rope, tn_buffer_bytes(header));
    if (tn_payload_is_plain(tensor->elements, false, &span)) {
        if (span.length)
            tn_rope_span(rope, span);
    } else if (tn_payload_producer_init(p, tensor->elements, w->model->memory,
                                        false, w->error) == TN_OK &&
               p->producer.length) {
        tn_rope_producer(rope, &p->producer);
    }
}

static enum tn_status put_tensor(struct writing              *w,
                                 const struct tn_bare_tensor *tensor)
{
    struct tn_rope   rope;
    struct tn_buffer header, name;
    uint64_t         before = w->zip.to->offset;

    tn_rope_init(&rope, &w->arena, w->error);
    tn_buffer_init(&header, w->model->memory, w->error);
    tn_buffer_init(&name, w->model->memory, w->error);
    tn_buffer_add(&name, tensor->name);
    tn_buffer_text(&name, TN_NPZ_MEMBER);
    if (tensor->elements->shape.dtype == TN_STRING)
        put_strings(w, tensor, &rope, &header);
    else
        put_numbers(w, tensor, &rope, &header);
    if (!tn_failed(w->error))
        tn_zip_add(&w->zip, tn_buffer_bytes(&name), &rope);
    if (tn_failed(w->error))
        tn_error_where(w->error, "%.*s", TN_FMT(tensor->name));
    tn_buffer_done(&name);
    tn_buffer_done(&header);
    tn_rope_done(&rope);
    ++*w->options->tensors_moved;
    if (!tn_failed(w->error) && w->options->meter)
        tn_meter_add(w->options->meter, w->zip.to->offset - before, w->error);
    return w->error->status;
}

static enum tn_status write_all(struct writing *w, struct tn_sink *sink)
{
    struct tn_bare_set set;

    TN_TRY(tn_bare_collect(w->model, w->options, refuse, &w->arena, &set,
                           w->error));
    tn_zip_writer_init(&w->zip, sink, w->model->memory, w->error);
    w->zip.has_keys = true;
    for (uint64_t i = 0; i < set.count && !tn_failed(w->error); i++)
        put_tensor(w, &set.items[i]);
    if (!tn_failed(w->error))
        tn_zip_finish(&w->zip);
    tn_zip_writer_done(&w->zip);
    return w->error->status;
}

enum tn_status tn_npz_write(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error)
{
    struct writing  w = { .model = model, .options = options, .error = error };
    struct tn_sink *sink;

    TN_TRY(tn_output_main(to, &sink, error));
    if (tn_is_of_format(model, &tn_format_npz))
        TN_TRY(tn_npz_report_rest(model, options, true, error));
    tn_arena_init(&w.arena, model->memory);
    write_all(&w, sink);
    tn_arena_done(&w.arena);
    return error->status;
}
