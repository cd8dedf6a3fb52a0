/*
 * pt_write.c - writing a state dict that torch.load() reads
 *
 * An archive as torch.save() writes it: the pickle of an OrderedDict, protocol
 * 2, which calls nothing that torch.load(weights_only=True) refuses, and a
 * storage for each tensor.  A file that was read and not edited is copied as it
 * is, with all that is not a tensor.  Tensors that are the same bytes share a storage, so
 * that they are tied again when they are loaded.
 */
#include <stdio.h>

#include "base/varint.h"
#include "format/bare.h"
#include "format/pytorch/pt.h"
#include "format/registry.h"
#include "wire/zip/zip_write.h"

#define FOLDER "archive/"

struct writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_error               *error;
    struct tn_arena                arena;
    struct tn_zip_writer           zip;
    struct tn_bare_set             set;
    const uint64_t                *firsts; /* whose storage a tensor has      */
    struct tn_buffer               pickle;
};

static const char *refuse(const struct tn_elements *elements)
{
    enum tn_dtype dtype = tn_bare_substitute(elements->shape.dtype);
    uint64_t      bytes;

    if (!tn_pt_dtype_name(dtype))
        return "left behind: torch has no such elements";
    if (!tn_shape_bytes(&elements->shape, &bytes))
        return "left behind: a shape that torch cannot have";
    return NULL;
}

/* ---- the pickle ---------------------------------------------------------- */

static void put_text(struct tn_buffer *to, struct tn_bytes text)
{
    tn_buffer_byte(to, 'X');
    tn_buffer_u32(to, (uint32_t)text.size);
    tn_buffer_add(to, text);
}

static void put_int(struct tn_buffer *to, uint64_t value)
{
    if (value <= INT32_MAX) {
        tn_buffer_byte(to, 'J');
        tn_buffer_u32(to, (uint32_t)value);
    } else {
        tn_buffer_byte(to, 0x8a);
        tn_buffer_byte(to, 8);
        tn_buffer_u64(to, value);
    }
}

static void put_name(struct tn_buffer *to, const char *module, const char *name)
{
    tn_buffer_format(to, "c%s\n%s\n", module, name);
}

static void put_key(struct tn_buffer *to, uint64_t index)
{
    char text[24];
    int  size = snprintf(text, sizeof text, "%" PRIu64, index);

    put_text(to, tn_bytes(text, (size_t)size));
}

/* ('storage', class, key, 'cpu', count), as an id */
static void put_storage(struct tn_buffer *to, enum tn_dtype dtype,
                        uint64_t index, uint64_t count)
{
    const char *class = tn_pt_storage_class(dtype);

    tn_buffer_byte(to, '(');
    put_text(to, tn_text("storage"));
    if (class)
        put_name(to, "torch", class);
    else
        put_name(to, "torch.storage", "UntypedStorage");
    put_key(to, index);
    put_text(to, tn_text("cpu"));
    put_int(to, class ? count : count * tn_dtype_size(dtype));
    tn_buffer_text(to, "tQ");
}

static void put_sizes(struct tn_buffer *to, const struct tn_shape *shape)
{
    tn_buffer_byte(to, '(');
    for (uint32_t i = 0; i < shape->rank; i++)
        put_int(to, shape->dims[i]);
    tn_buffer_byte(to, 't');
}

/* As torch counts them: of an empty tensor as if each 0 were 1. */
static void put_strides(struct writing *w, const struct tn_shape *shape)
{
    uint64_t *strides = tn_new(&w->arena, uint64_t, shape->rank, w->error);
    uint64_t  stride  = 1;

    if (!strides)
        return;
    for (uint32_t i = shape->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= shape->dims[i] ? shape->dims[i] : 1;
    }
    tn_buffer_byte(&w->pickle, '(');
    for (uint32_t i = 0; i < shape->rank; i++)
        put_int(&w->pickle, strides[i]);
    tn_buffer_byte(&w->pickle, 't');
}

static void put_empty_dict(struct tn_buffer *to)
{
    put_name(to, "collections", "OrderedDict");
    tn_buffer_text(to, ")R");
}

static void put_tensor(struct writing *w, uint64_t index)
{
    const struct tn_bare_tensor *tensor = &w->set.items[index];
    const struct tn_shape       *shape  = &tensor->elements->shape;
    struct tn_buffer            *to     = &w->pickle;
    enum tn_dtype                dtype  = tn_bare_substitute(shape->dtype);
    uint64_t                     count  = 0;
    bool                         is_old = tn_pt_storage_class(dtype);

    tn_bare_lose_type(w->options, tensor, dtype);
    tn_shape_count(shape, &count);
    put_text(to, tensor->name);
    put_name(to, "torch._utils",
             is_old ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    tn_buffer_byte(to, '(');
    put_storage(to, dtype, w->firsts[index], count);
    put_int(to, 0);
    put_sizes(to, shape);
    put_strides(w, shape);
    tn_buffer_byte(to, 0x89); /* needs no gradient */
    put_empty_dict(to);
    if (!is_old)
        put_name(to, "torch", tn_pt_dtype_name(dtype));
    tn_buffer_text(to, "tR");
}

static enum tn_status write_pickle(struct writing *w)
{
    tn_buffer_text(&w->pickle, "\x80\x02");
    put_empty_dict(&w->pickle);
    tn_buffer_byte(&w->pickle, '(');
    for (uint64_t i = 0; i < w->set.count && !tn_failed(w->error); i++)
        put_tensor(w, i);
    tn_buffer_text(&w->pickle, "u.");
    if (tn_failed(w->error))
        return w->error->status;
    return tn_zip_add_bytes(&w->zip, tn_text(FOLDER "data.pkl"),
                            tn_buffer_bytes(&w->pickle));
}

/* ---- storages ------------------------------------------------------------ */

static enum tn_status write_storage(struct writing *w, uint64_t index)
{
    const struct tn_elements   *elements = w->set.items[index].elements;
    struct tn_payload_producer *p =
        tn_new(&w->arena, struct tn_payload_producer, 1, w->error);
    uint64_t       before = w->zip.to->offset;
    struct tn_rope rope;
    struct tn_span span;
    char           name[40];

    if (!p)
        return w->error->status;
    snprintf(name, sizeof name, FOLDER "data/%" PRIu64, index);
    tn_rope_init(&rope, &w->arena, w->error);
    if (tn_payload_is_plain(elements, false, &span)) {
        if (span.length)
            tn_rope_span(&rope, span);
    } else if (tn_payload_producer_init(p, elements, w->model->memory, false,
                                        w->error) == TN_OK &&
               p->producer.length) {
        tn_rope_producer(&rope, &p->producer);
    }
    if (!tn_failed(w->error))
        tn_zip_add(&w->zip, tn_text(name), &rope);
    if (tn_failed(w->error))
        tn_error_where(w->error, "%.*s", TN_FMT(w->set.items[index].name));
    tn_rope_done(&rope);
    if (!tn_failed(w->error) && w->options->meter)
        tn_meter_add(w->options->meter, w->zip.to->offset - before, w->error);
    return w->error->status;
}

static enum tn_status write_all(struct writing *w, struct tn_sink *sink)
{
    TN_TRY(tn_bare_collect(w->model, w->options, refuse, &w->arena, &w->set,
                           w->error));
    w->firsts = tn_bare_find_shared(&w->set, &w->arena, w->error);
    if (!w->firsts)
        return w->error->status;
    tn_zip_writer_init(&w->zip, sink, w->model->memory, w->error);
    write_pickle(w);
    if (!tn_failed(w->error))
        tn_zip_add_bytes(&w->zip, tn_text(FOLDER "byteorder"),
                         tn_text("little"));
    for (uint64_t i = 0; i < w->set.count && !tn_failed(w->error); i++) {
        if (w->firsts[i] == i)
            write_storage(w, i);
        ++*w->options->tensors_moved;
    }
    if (!tn_failed(w->error))
        tn_zip_add_bytes(&w->zip, tn_text(FOLDER "version"), tn_text("3\n"));
    if (!tn_failed(w->error))
        tn_zip_finish(&w->zip);
    tn_zip_writer_done(&w->zip);
    return w->error->status;
}

enum tn_status tn_pt_write(const struct tn_model         *model,
                           const struct tn_write_options *options,
                           struct tn_output *to, struct tn_error *error)
{
    struct writing  w = { .model = model, .options = options, .error = error };
    struct tn_sink *sink;

    TN_TRY(tn_output_main(to, &sink, error));
    if (tn_is_of_format(model, &tn_format_pytorch)) {
        const struct tn_pt_detail *detail = model->detail;
        if (!model->is_edited && detail->source && !detail->is_pickle)
            return tn_sink_splice(
                sink,
                (struct tn_span){ detail->source, 0, detail->source->size },
                error);
        TN_TRY(tn_pt_report_rest(model, options, true, error));
    }
    tn_arena_init(&w.arena, model->memory);
    tn_buffer_init(&w.pickle, model->memory, error);
    write_all(&w, sink);
    tn_buffer_done(&w.pickle);
    tn_arena_done(&w.arena);
    return error->status;
}
