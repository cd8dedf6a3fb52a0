/*
 * paddle_state_write.c - arrays of any model as a pickle of protocol 4, or as
 * the container of 1.6
 *
 * A file that was read as one is copied byte for byte: it may hold more than
 * arrays.  After an edit it stays what it was; --layout asks for the other.
 * What numpy cannot hold stays behind; bfloat16 is written as uint16, which is
 * what Paddle itself does.
 */
#include "format/paddle/paddle_state.h"

#include "format/bare.h"
#include "format/registry.h"
#include "wire/pickle/pickle.h"

static enum tn_dtype written_as(enum tn_dtype dtype)
{
    enum tn_dtype plain = tn_bare_stand_in(dtype);

    return plain == TN_BFLOAT16 ? TN_UINT16 : plain;
}

static bool has_numpy(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_BOOL:
    case TN_INT8:
    case TN_INT16:
    case TN_INT32:
    case TN_INT64:
    case TN_UINT8:
    case TN_UINT16:
    case TN_UINT32:
    case TN_UINT64:
    case TN_FLOAT16:
    case TN_FLOAT32:
    case TN_FLOAT64:
    case TN_COMPLEX64:
    case TN_COMPLEX128: return true;
    default: return false;
    }
}

static const char *refuse(const struct tn_elements *elements)
{
    uint64_t size;

    if (elements->shape.dtype == TN_STRING)
        return "left behind: a state holds no strings";
    if (!has_numpy(written_as(elements->shape.dtype)))
        return "left behind: numpy has no such elements";
    if (!tn_shape_bytes(&elements->shape, &size))
        return "left behind: a shape of more than 2^64 bytes";
    if (elements->shape.rank > TN_PICKLE_RANK_LIMIT)
        return "left behind: more dimensions than numpy's arrays";
    return NULL;
}

struct writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_sink                *sink;
    struct tn_error               *error;
    struct tn_buffer               text;
};

static enum tn_status flush(struct writing *w)
{
    if (!tn_failed(w->error))
        tn_sink_write(w->sink, tn_buffer_bytes(&w->text), w->error);
    tn_buffer_clear(&w->text);
    return w->error->status;
}

static enum tn_status put_array(struct writing              *w,
                                const struct tn_bare_tensor *tensor)
{
    const struct tn_shape *shape = &tensor->elements->shape;
    enum tn_dtype          dtype = written_as(shape->dtype);

    tn_bare_stands_in(w->options, tensor, dtype);
    tn_pickle_put_text(&w->text, tensor->name);
    TN_TRY(tn_pickle_array_head(&w->text, dtype, shape->rank, shape->dims));
    TN_TRY(flush(w));
    TN_TRY(tn_bare_stream(tensor->elements, w->options, w->model->memory, false,
                          w->sink, w->error));
    tn_pickle_array_tail(&w->text);
    return w->error->status;
}

static enum tn_status write_pickle(struct writing           *w,
                                   const struct tn_bare_set *set)
{
    tn_pickle_begin(&w->text);
    tn_pickle_open_dict(&w->text);
    for (uint64_t i = 0; i < set->count; i++)
        if (put_array(w, &set->items[i]) != TN_OK) {
            tn_error_where(w->error, "%.*s", TN_FMT(set->items[i].name));
            return w->error->status;
        }
    tn_pickle_close_dict(&w->text);
    tn_pickle_end(&w->text);
    return flush(w);
}

static enum tn_status put_named(struct writing              *w,
                                const struct tn_bare_tensor *tensor)
{
    struct tn_lod_record record;

    TN_TRY(tn_paddle_make_record(&tensor->elements->shape, &record, w->error));
    record.layout = TN_LOD_BARE;
    tn_buffer_text(&w->text, "NAME");
    tn_buffer_u64(&w->text, tensor->name.size);
    tn_buffer_add(&w->text, tensor->name);
    TN_TRY(tn_lod_write_head(&w->text, &record));
    TN_TRY(flush(w));
    return tn_bare_stream(tensor->elements, w->options, w->model->memory, false,
                          w->sink, w->error);
}

static enum tn_status write_container(struct writing               *w,
                                      const struct tn_bare_tensor **order,
                                      uint64_t                      count)
{
    for (size_t i = 0; i < TN_PADDLE_RESERVED; i++)
        tn_buffer_byte(&w->text, 0);
    tn_buffer_text(&w->text, "TNUM");
    tn_buffer_u64(&w->text, count);
    for (uint64_t i = 0; i < count; i++)
        if (put_named(w, order[i]) != TN_OK) {
            tn_error_where(w->error, "%.*s", TN_FMT(order[i]->name));
            return w->error->status;
        }
    return flush(w);
}

/* What the model was read from; NULL: something else. */
static const struct tn_paddle_state_detail *origin(const struct tn_model *model)
{
    return tn_is_of_format(model, &tn_format_paddle_state) ? model->detail
                                                           : NULL;
}

/* As the caller wants it, else as it was. */
static bool has_container(const struct tn_model         *model,
                          const struct tn_write_options *options)
{
    if (options->layout)
        return !strcmp(options->layout, "container");
    return origin(model) && origin(model)->is_container;
}

static bool is_whole(const struct tn_model *model, bool is_container)
{
    return origin(model) && !model->is_edited &&
           origin(model)->is_container == is_container;
}

static void write_anew(struct writing *w, bool is_container,
                       struct tn_arena *arena)
{
    const struct tn_bare_tensor **order;
    struct tn_bare_set            set;
    uint64_t                      count;

    if (!is_container) {
        if (tn_bare_collect(w->model, w->options, refuse, arena, &set,
                            w->error) == TN_OK)
            write_pickle(w, &set);
    } else if (tn_paddle_collect(w->model, w->options, arena, &order, &count,
                                 w->error) == TN_OK) {
        write_container(w, order, count);
    }
}

enum tn_status tn_paddle_state_write(const struct tn_model         *model,
                                     const struct tn_write_options *options,
                                     struct tn_output              *to,
                                     struct tn_error               *error)
{
    struct writing  w = { .model = model, .options = options, .error = error };
    struct tn_arena arena;
    bool            is_container = has_container(model, options);

    TN_TRY(tn_output_main(to, &w.sink, error));
    if (is_whole(model, is_container)) {
        *options->tensors_moved += model->tensors.count;
        return tn_sink_splice(w.sink, origin(model)->file, error);
    }
    tn_arena_init(&arena, model->memory);
    tn_buffer_init(&w.text, model->memory, error);
    write_anew(&w, is_container, &arena);
    tn_buffer_done(&w.text);
    tn_arena_done(&arena);
    return error->status;
}
