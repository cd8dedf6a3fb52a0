/* paddle_state.c - the format paddle-state: arrays in a pickle, and the
 * container of 1.6 */
#include <stdio.h>

#include "base/arith.h"
#include "format/bare.h"
#include "format/paddle/paddle.h"
#include "format/paddle/paddle_files.h"
#include "format/paddle/paddle_state.h"
#include "format/pickled.h"
#include "format/registry.h"
#include "format/settings.h"
#include "wire/pickle/pickle.h"

/* ---- arrays of any model as a pickle of protocol 4, or as the container
 * of 1.6 - */

/*
 * A file that was read as one is copied byte for byte: it may hold more than
 * arrays.  After an edit it stays what it was; --layout asks for the other.
 * What numpy cannot hold stays behind; bfloat16 is written as uint16, which is
 * what Paddle itself does.
 */

static enum tn_dtype written_as(enum tn_dtype dtype)
{
    enum tn_dtype plain = tn_bare_substitute(dtype);

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

    tn_bare_lose_type(w->options, tensor, dtype);
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

/* The layout that the caller wants, else the old one. */
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

static enum tn_status state_write(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  struct tn_output *to, struct tn_error *error)
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

#define DEPTH_LIMIT 32
struct state {
    struct tn_bundle              *bundle;
    struct tn_model               *model;
    struct tn_error               *error;
    const struct tn_paddle_detail *program; /* NULL if there is none          */
    const struct tn_pickle        *root;
    const struct tn_pickle *names;  /* table of names, or NULL                */
    const struct tn_pickle *slices; /* of large arrays, or NULL               */
    struct tn_intern parts; /* names of slices: no tensors of their own */
    bool             is_optimizer, is_container;
};

/* ---- rows --------------------------------------------------------------- */

static const struct tn_paddle_var *find_var(const struct state *s,
                                            struct tn_bytes     name)
{
    const struct tn_paddle_var *var =
        s->program ? tn_paddle_find_stored(s->program, name) : NULL;

    return var && !s->program->has_data[var - s->program->vars] ? var : NULL;
}

/* The variable that an array is the value of: by its name, or by the one that
 * the table has for it. */
static const struct tn_paddle_var *var_for(const struct state *s,
                                           struct tn_bytes     name)
{
    const struct tn_paddle_var *var = find_var(s, name);

    if (var || !s->program || !s->names)
        return var;
    const struct tn_pickle *other = tn_pickle_find_key(s->names, name);
    return other ? find_var(s, tn_pickle_text(other)) : NULL;
}

static struct tn_tensor *add_row(struct state *s, struct tn_bytes name,
                                 const struct tn_paddle_var **var)
{
    *var = var_for(s, name);
    if (*var)
        return tn_paddle_add_row(s->model, *var, s->error);
    struct tn_tensor *row = tn_model_add_tensor(s->model, s->error);
    if (!row)
        return NULL;
    row->name  = tn_intern_copy(&s->model->names, name, s->error);
    row->graph = row->node = row->part = TN_NONE;
    row->slot                          = (uint32_t)s->model->tensors.count - 1;
    row->role = (uint8_t)(s->is_optimizer || s->program ? TN_ROLE_STATE
                                                        : TN_ROLE_VARIABLE);
    return row;
}

static void add_elements(struct state *s, struct tn_bytes name,
                         const struct tn_elements *elements)
{
    const struct tn_paddle_var *var;
    struct tn_tensor           *row = add_row(s, name, &var);

    if (!row)
        return;
    row->elements    = *elements;
    row->is_external = var != NULL;
    /* numpy has no bfloat16: only the program has the type */
    if (var && tn_lod_dtype(var->data_type) == TN_BFLOAT16 &&
        elements->shape.dtype == TN_UINT16 &&
        elements->payload.encoding == TN_ENCODING_RAW)
        row->elements.shape.dtype = TN_BFLOAT16;
}

static void add_array(struct state *s, struct tn_bytes name,
                      const struct tn_pickle *value)
{
    struct tn_elements elements = { 0 };

    tn_pickled_elements(&value->as.array, s->bundle, &s->model->arena,
                        &elements, s->error);
    if (!tn_failed(s->error))
        add_elements(s, name, &elements);
}

/* ---- arrays in slices --------------------------------------------------- */

static enum tn_status read_shape(struct state *s, const struct tn_pickle *tuple,
                                 struct tn_shape *shape)
{
    bool      is_ok = tuple && (tuple->kind == TN_PICKLE_TUPLE ||
                           tuple->kind == TN_PICKLE_LIST);
    uint64_t  count = is_ok ? tuple->as.list.count : 0;
    uint64_t *dims  = tn_new(&s->model->arena, uint64_t, count, s->error);

    if (tn_failed(s->error))
        return s->error->status;
    for (uint64_t i = 0; i < count && is_ok; i++) {
        const struct tn_pickle *dim = tuple->as.list.items[i];
        is_ok   = dim->kind == TN_PICKLE_INT && dim->as.integer >= 0;
        dims[i] = is_ok ? (uint64_t)dim->as.integer : 0;
    }
    if (!is_ok || count > TN_PICKLE_RANK_LIMIT)
        return tn_error_set(s->error, TN_MALFORMED,
                            tuple ? tuple->offset : TN_NOWHERE,
                            "the OriginShape is not a shape");
    shape->rank = (uint32_t)count;
    shape->dims = dims;
    return TN_OK;
}

static const struct tn_pickle *slice_at(struct state           *s,
                                        const struct tn_pickle *names,
                                        uint64_t                index)
{
    struct tn_bytes         name  = tn_pickle_text(names->as.list.items[index]);
    const struct tn_pickle *slice = tn_pickle_find_key(s->root, name);

    if (!slice || slice->kind != TN_PICKLE_ARRAY || slice->as.array.rank != 1) {
        tn_error_set(s->error, TN_MALFORMED, names->offset,
                     "slice '%.*s' is not among the arrays", TN_FMT(name));
        return NULL;
    }
    tn_intern_borrow(&s->parts, name, s->error);
    return slice;
}

/* All slices one after the other, as one row of numbers. */
static enum tn_status join(struct state *s, const struct tn_pickle *names,
                           struct tn_elements *joined)
{
    struct tn_arena    *arena = &s->model->arena;
    uint64_t            count = names->as.list.count;
    struct tn_elements *parts =
        tn_new(arena, struct tn_elements, count, s->error);
    uint64_t       *total = tn_new(arena, uint64_t, 1, s->error);
    struct tn_view *view  = tn_new(arena, struct tn_view, 1, s->error);

    for (uint64_t i = 0; i < count && !tn_failed(s->error); i++) {
        const struct tn_pickle *slice = slice_at(s, names, i);
        if (!slice)
            break;
        tn_pickled_elements(&slice->as.array, s->bundle, &s->model->arena,
                            &parts[i], s->error);
        if (parts[i].shape.dtype != parts[0].shape.dtype ||
            !tn_add(*total, parts[i].shape.dims[0], total))
            tn_error_set(s->error, TN_MALFORMED, slice->offset,
                         "slices of different types");
    }
    if (tn_failed(s->error))
        return s->error->status;
    *view         = (struct tn_view){ .kind        = TN_VIEW_CONCAT,
                                      .inputs      = parts,
                                      .input_count = count };
    joined->shape = (struct tn_shape){ parts[0].shape.dtype, 1, total };
    joined->payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    return TN_OK;
}

/* { OriginShape: tuple, slices: [name, ...] } */
static void add_sliced(struct state *s, struct tn_bytes name,
                       const struct tn_pickle *info)
{
    const struct tn_pickle *list  = tn_pickle_find(info, "slices");
    struct tn_arena        *arena = &s->model->arena;
    struct tn_elements *flat  = tn_new(arena, struct tn_elements, 1, s->error);
    struct tn_view     *view  = tn_new(arena, struct tn_view, 1, s->error);
    struct tn_elements  whole = { 0 };
    uint64_t            count;

    if (tn_failed(s->error))
        return;
    if (!list || list->kind != TN_PICKLE_LIST || list->as.list.count == 0) {
        tn_error_set(s->error, TN_MALFORMED, info->offset,
                     "'%.*s' is in slices, and there are none", TN_FMT(name));
        return;
    }
    if (join(s, list, flat) != TN_OK ||
        read_shape(s, tn_pickle_find(info, "OriginShape"), &whole.shape) !=
            TN_OK)
        return;
    whole.shape.dtype = flat->shape.dtype;
    if (!tn_shape_count(&whole.shape, &count) || count != flat->shape.dims[0]) {
        tn_error_set(s->error, TN_MALFORMED, info->offset,
                     "the slices of '%.*s' have %" PRIu64 " elements, its "
                     "shape does not",
                     TN_FMT(name), flat->shape.dims[0]);
        return;
    }
    *view = (struct tn_view){ .kind        = TN_VIEW_RESHAPE,
                              .inputs      = flat,
                              .input_count = 1 };
    whole.payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    add_elements(s, name, &whole);
}

static void add_all_sliced(struct state *s)
{
    if (!s->slices || s->slices->kind != TN_PICKLE_DICT)
        return;
    for (uint64_t i = 0; i + 1 < s->slices->as.list.count; i += 2) {
        struct tn_bytes key = tn_pickle_text(s->slices->as.list.items[i]);
        const struct tn_pickle *info = s->slices->as.list.items[i + 1];
        if (tn_failed(s->error))
            return;
        if (info->kind != TN_PICKLE_DICT)
            tn_error_set(s->error, TN_MALFORMED, info->offset,
                         "no description of slices");
        else
            add_sliced(s, key, info);
    }
}

/* ---- the rest of a pickle ----------------------------------------------- */

static void add_value(struct state *s, struct tn_bytes name,
                      const struct tn_pickle *value, unsigned depth);

/* A tensor inside nested objects is the pair (name, array). */
static const struct tn_pickle *array_in_pair(const struct tn_pickle *value)
{
    if (value->kind != TN_PICKLE_TUPLE || value->as.list.count != 2 ||
        value->as.list.items[0]->kind != TN_PICKLE_TEXT ||
        value->as.list.items[1]->kind != TN_PICKLE_ARRAY)
        return NULL;
    return value->as.list.items[1];
}

/* "name/text", ended by a zero byte that does not count: names may have some of
 * their own. */
static struct tn_bytes join_path(struct state *s, struct tn_bytes name,
                                 bool has_slash, struct tn_bytes text)
{
    size_t   size = name.size + has_slash + text.size;
    uint8_t *path = tn_new(&s->model->arena, uint8_t, size + 1, s->error);

    if (!path)
        return tn_bytes(NULL, 0);
    if (name.size)
        memcpy(path, name.data, name.size);
    if (has_slash)
        path[name.size] = '/';
    if (text.size)
        memcpy(path + name.size + has_slash, text.data, text.size);
    return tn_bytes(path, size);
}

static void add_dict(struct state *s, struct tn_bytes name,
                     const struct tn_pickle *dict, unsigned depth)
{
    for (uint64_t i = 0; i + 1 < dict->as.list.count && !tn_failed(s->error);
         i += 2) {
        const struct tn_pickle *key  = dict->as.list.items[i];
        struct tn_bytes         text = tn_pickle_text(key);
        char                    number[24];
        if (key->kind == TN_PICKLE_INT) {
            snprintf(number, sizeof number, "%" PRId64, key->as.integer);
            text = tn_text(number);
        }
        if (depth == 0 && (tn_bytes_is(text, TN_PADDLE_NAMES) ||
                           tn_bytes_is(text, TN_PADDLE_SLICES) ||
                           tn_intern_find(&s->parts, text) != TN_NO_NAME))
            continue;
        struct tn_bytes path = join_path(s, name, depth > 0, text);
        if (path.data)
            add_value(s, path, dict->as.list.items[i + 1], depth + 1);
    }
}

static void add_list(struct state *s, struct tn_bytes name,
                     const struct tn_pickle *list, unsigned depth)
{
    for (uint64_t i = 0; i < list->as.list.count && !tn_failed(s->error); i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRIu64, i);
        struct tn_bytes path = join_path(s, name, true, tn_text(number));
        if (path.data)
            add_value(s, path, list->as.list.items[i], depth + 1);
    }
}

static void add_scalar(struct state *s, struct tn_bytes path,
                       const struct tn_pickle *value)
{
    const char *name = (const char *)path.data;

    switch (value->kind) {
    case TN_PICKLE_INT:
        tn_model_add_fact_format(s->model, s->error, name, "%" PRId64,
                                 value->as.integer);
        break;
    case TN_PICKLE_REAL:
        tn_model_add_fact_format(s->model, s->error, name, "%.17g",
                                 value->as.real);
        break;
    case TN_PICKLE_BOOL:
        tn_model_add_fact(s->model, name,
                          tn_text(value->as.truth ? "true" : "false"),
                          s->error);
        break;
    case TN_PICKLE_NONE:
        tn_model_add_fact(s->model, name, tn_text("none"), s->error);
        break;
    default:
        tn_model_add_fact(s->model, name, tn_pickle_text(value), s->error);
        break;
    }
}

static void add_value(struct state *s, struct tn_bytes name,
                      const struct tn_pickle *value, unsigned depth)
{
    if (depth > DEPTH_LIMIT) {
        tn_error_set(s->error, TN_LIMIT, value->offset,
                     "objects nested deeper than %d", DEPTH_LIMIT);
        return;
    }
    if (value->kind == TN_PICKLE_ARRAY)
        add_array(s, name, value);
    else if (array_in_pair(value))
        add_array(s, name, array_in_pair(value));
    else if (value->kind == TN_PICKLE_DICT)
        add_dict(s, name, value, depth);
    else if (value->kind == TN_PICKLE_LIST || value->kind == TN_PICKLE_TUPLE)
        add_list(s, name, value, depth);
    else
        add_scalar(s, name, value);
}

static enum tn_status read_pickle(struct state *s, struct tn_source *file)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ file, 0, file->size }, s->error);

    TN_TRY(tn_pickle_read(&c, &s->model->arena, &s->root));
    if (tn_more(&c))
        tn_fail(&c, TN_MALFORMED, "%" PRIu64 " bytes behind the pickle",
                tn_left(&c));
    if (s->root->kind != TN_PICKLE_DICT && !tn_failed(s->error))
        return tn_error_set(s->error, TN_UNSUPPORTED, s->root->offset,
                            "the pickle is not a dict of arrays");
    s->names = tn_pickle_find(s->root, TN_PADDLE_NAMES);
    if (s->names && s->names->kind != TN_PICKLE_DICT)
        s->names = NULL;
    s->slices = tn_pickle_find(s->root, TN_PADDLE_SLICES);
    tn_intern_init(&s->parts, &s->model->arena);
    add_all_sliced(s);
    if (!tn_failed(s->error))
        add_dict(s, tn_text(""), s->root, 0);
    tn_intern_done(&s->parts);
    if (s->names)
        tn_model_add_fact_format(s->model, s->error, "structured_names",
                                 "%" PRIu64, s->names->as.list.count / 2);
    return s->error->status;
}

/* ---- the container of 1.6 ----------------------------------------------- */

static bool is_container(struct tn_bytes head)
{
    return head.size >= TN_PADDLE_RESERVED + 12 &&
           memcmp(head.data + TN_PADDLE_RESERVED, "TNUM", 4) == 0;
}

static void expect_mark(struct tn_cursor *c, const char *mark)
{
    uint64_t       at    = c->offset;
    const uint8_t *bytes = tn_take(c, 4);

    if (bytes && memcmp(bytes, mark, 4) != 0)
        tn_fail_at(c, at, TN_MALFORMED, "no \"%s\" before the tensor", mark);
}

static void read_named(struct state *s, struct tn_cursor *c)
{
    struct tn_lod_record        record;
    const struct tn_paddle_var *var;

    expect_mark(c, "NAME");
    struct tn_bytes name = tn_take_bytes(c, tn_u64(c));
    struct tn_bytes text = tn_bytes_dup(&s->model->arena, name, s->error);
    if (tn_failed(s->error) || tn_lod_read(c, TN_LOD_BARE, &record) != TN_OK)
        return;
    struct tn_tensor *row = add_row(s, text, &var);
    if (!row)
        return;
    tn_paddle_fill_row(row, &record, NULL, &s->model->arena, s->error);
    row->wire        = (struct tn_span){ NULL, 0, 0 };
    row->is_external = var != NULL;
}

static enum tn_status read_container(struct state *s, struct tn_source *file)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ file, 0, file->size }, s->error);

    tn_skip(&c, TN_PADDLE_RESERVED);
    expect_mark(&c, "TNUM");
    uint64_t count = tn_u64(&c);
    for (uint64_t i = 0; i < count && !tn_failed(s->error); i++) {
        read_named(s, &c);
        if (tn_failed(s->error))
            tn_error_where(s->error, "tensors[%" PRIu64 "]", i);
    }
    if (tn_more(&c) && !tn_failed(s->error))
        tn_fail(&c, TN_MALFORMED,
                "%" PRIu64 " bytes behind the last of %" PRIu64 " tensors",
                tn_left(&c), count);
    return s->error->status;
}

static enum tn_status fill(struct state *s, struct tn_source *file)
{
    size_t          size = (size_t)tn_min(file->size, TN_PADDLE_RESERVED + 12);
    struct tn_bytes head = { tn_source_pin(file, 0, size, s->error), size };

    if (tn_failed(s->error))
        return s->error->status;
    s->is_container = is_container(head);
    if (s->is_container)
        read_container(s, file);
    else
        read_pickle(s, file);
    tn_error_file(s->error, file->name);
    return s->error->status;
}

enum tn_status tn_paddle_state_fill(struct tn_bundle *bundle,
                                    struct tn_model  *model,
                                    struct tn_source *file,
                                    struct tn_error  *error)
{
    struct state s = { .bundle  = bundle,
                       .model   = model,
                       .error   = error,
                       .program = model->detail };

    return fill(&s, file);
}

/* ---- the format --------------------------------------------------------- */

static bool ends_like_state(const char *name)
{
    return tn_text_ends_with(name, ".pdparams") ||
           tn_text_ends_with(name, ".pdopt") ||
           tn_text_ends_with(name, ".pdiparams.info");
}

/* Any pickle may be one; those with such a name, or with numpy's arrays,
 * are. */
static int state_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head;

    if (probe->entries)
        return 0;
    if (is_container(head))
        return 32;
    if (head.size < 2 || head.data[0] != 0x80 || head.data[1] < 2 ||
        head.data[1] > 5)
        return 0;
    return ends_like_state(probe->name) ? 24 : 0;
}

/* Part of a model: PREFIX.pdiparams.info, or the parameters of a checkpoint
 * that has no others. */
static enum tn_status find_program(struct tn_bundle *bundle, const char **name,
                                   struct tn_error *error)
{
    TN_TRY(tn_paddle_program_beside(bundle, name, error));
    if (!*name || tn_text_ends_with(bundle->name, ".info"))
        return TN_OK;
    const char *params = tn_paddle_with_suffix(&bundle->arena, bundle->name,
                                               ".pdiparams", error);
    if (params && tn_bundle_has(bundle, params))
        *name = NULL;
    return error->status;
}

static enum tn_status state_open(struct tn_bundle *bundle,
                                 struct tn_model *model, struct tn_error *error)
{
    struct state s       = { .bundle = bundle, .model = model, .error = error };
    const char  *program = NULL;

    if (!bundle->main)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "this is a folder, not a file of arrays");
    TN_TRY(find_program(bundle, &program, error));
    if (program)
        return tn_paddle_open_part(bundle, model, program, error);
    s.is_optimizer = tn_text_ends_with(bundle->name, ".pdopt");
    struct tn_paddle_state_detail *detail =
        tn_new(&model->arena, struct tn_paddle_state_detail, 1, error);
    if (!detail)
        return error->status;
    TN_TRY(fill(&s, bundle->main));
    detail->file  = (struct tn_span){ bundle->main, 0, bundle->main->size };
    detail->names = s.names;
    detail->is_container = s.is_container;
    model->detail        = detail;
    return error->status;
}

static const struct tn_format_setting layout = {
    .says  = { .name  = "layout",
               .kind  = TN_OPTION_CHOICE,
               .value = "pickle|container",
               .help  = "kind of the file; default: unchanged" },
    .field = TN_WRITE_FIELD(layout),
};

static const struct tn_format_setting *const settings[] = {
    &layout,
    &tn_setting_all_tensors,
    NULL,
};

const struct tn_format tn_format_paddle_state = {
    .name     = "paddle-state",
    .title    = "PaddlePaddle state of parameters or an optimizer",
    .dialect  = "",
    .suffixes = (const char *const[]){ ".pdparams", ".pdopt", NULL },
    .probe    = state_probe,
    .open     = state_open,
    .check    = tn_paddle_check,
    .settings = settings,
    .write    = state_write,
};
