/*
 * paddle_record.c - tensors into records, in the layout that is asked for
 *
 * A record that has that layout is copied as it is, and neighbours in one go.
 * Any other is put together anew: its desc and levels are kept, and the data
 * are streamed from wherever they lie.
 */
#include "format/paddle/paddle.h"

#include "base/sort.h"
#include "format/bare.h"
#include "format/registry.h"
#include "format/settings.h"

const struct tn_format_setting tn_paddle_setting_external = {
    .says  = { .name   = "external",
               .kind   = TN_OPTION_FILE,
               .letter = 'x',
               .value  = "FILE",
               .help   = "all parameters into FILE, beside OUT" },
    .field = TN_WRITE_FIELD(external),
};

const struct tn_format_setting tn_paddle_setting_layout = {
    .says  = { .name  = "layout",
               .kind  = TN_OPTION_CHOICE,
               .value = "seed|shipped",
               .help  = "layout of the records; as it was" },
    .field = TN_WRITE_FIELD(layout),
};

enum tn_lod_layout tn_paddle_layout(const struct tn_write_options *options)
{
    if (!options->layout)
        return TN_LOD_NONE;
    return strcmp(options->layout, "seed") ? TN_LOD_SHIPPED : TN_LOD_SEED;
}

/* ---- what a tensor was read from ---------------------------------------- */

/* The bytes of the tensor are a record of that layout, and its data are the
 * tensor's. */
static bool is_record(const struct tn_tensor *row, enum tn_lod_layout layout,
                      struct tn_lod_record *record)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_span(row->wire, &error);

    return tn_lod_read(&c, layout, record) == TN_OK && !tn_more(&c) &&
           record->data.offset == row->elements.payload.span.offset;
}

bool tn_paddle_is_origin(const struct tn_model *model)
{
    return tn_is_of_format(model, &tn_format_paddle) ||
           tn_is_of_format(model, &tn_format_paddle_text) ||
           tn_is_of_format(model, &tn_format_paddle_pir) ||
           tn_is_of_format(model, &tn_format_paddle_params) ||
           tn_is_of_format(model, &tn_format_paddle_state);
}

enum tn_status tn_paddle_record(const struct tn_tensor *row,
                                struct tn_lod_record   *record,
                                struct tn_error        *error)
{
    static const enum tn_lod_layout layouts[] = { TN_LOD_SHIPPED, TN_LOD_SEED,
                                                  TN_LOD_ROWS };

    *record = (struct tn_lod_record){ .layout = TN_LOD_NONE };
    if (!row->wire.source || !tn_paddle_is_origin(row->model))
        return TN_OK;
    if (row->wire.offset == row->elements.payload.span.offset) {
        record->layout = TN_LOD_BARE; /* a map of words, which is all data */
        return TN_OK;
    }
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (is_record(row, layouts[i], record))
            return TN_OK;
    return tn_error_set(error, TN_MALFORMED, row->wire.offset,
                        "the record has changed since it was read");
}

enum tn_status tn_paddle_make_record(const struct tn_shape *shape,
                                     struct tn_lod_record  *record,
                                     struct tn_error       *error)
{
    int type = tn_lod_type(shape->dtype);

    if (type < 0)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "PaddlePaddle has no elements of type %s",
                            tn_dtype_name(shape->dtype));
    if (shape->rank > TN_LOD_RANK_LIMIT)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "rank %" PRIu32 ", limit %d", shape->rank,
                            TN_LOD_RANK_LIMIT);
    *record = (struct tn_lod_record){ .layout = TN_LOD_NONE,
                                      .type   = (uint32_t)type,
                                      .rank   = shape->rank };
    if (shape->rank)
        memcpy(record->dims, shape->dims, shape->rank * sizeof *shape->dims);
    return TN_OK;
}

/* ---- any model's tensors, as records ------------------------------------ */

static const char *refuse(const struct tn_elements *elements)
{
    uint64_t size;

    if (tn_lod_type(elements->shape.dtype) < 0)
        return "left behind: PaddlePaddle has no such elements";
    if (elements->shape.rank > TN_LOD_RANK_LIMIT ||
        !tn_shape_bytes(&elements->shape, &size))
        return "left behind: a shape that no record holds";
    return NULL;
}

static bool row_is_before(const void *left, const void *right)
{
    const struct tn_tensor *a = left, *b = right;
    int order = tn_bytes_compare(tn_tensor_name(a), tn_tensor_name(b));

    return order ? order < 0 : a < b;
}

/* Constants of attributes stay in the program, and an optimizer's state has no
 * variables in it; all others are parameters. */
enum tn_status tn_paddle_params(const struct tn_model    *model,
                                struct tn_arena          *arena,
                                const struct tn_tensor ***rows, uint64_t *count,
                                struct tn_error *error)
{
    uint64_t                 all = model->tensors.count;
    const struct tn_tensor **some =
        tn_new(arena, const struct tn_tensor *, all, error);

    *rows  = some;
    *count = 0;
    if (!some)
        return error->status;
    for (uint64_t i = 0; i < all; i++) {
        const struct tn_tensor *row = tn_model_tensor(model, i);
        if (row->node == TN_NONE && row->graph != TN_NONE)
            some[(*count)++] = row;
    }
    tn_sort((const void **)(void *)some, *count, row_is_before);
    return TN_OK;
}

static bool is_before(const void *left, const void *right)
{
    const struct tn_bare_tensor *a = left, *b = right;

    return tn_bytes_compare(a->name, b->name) < 0;
}

enum tn_status tn_paddle_collect(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 struct tn_arena               *arena,
                                 const struct tn_bare_tensor ***order,
                                 uint64_t *count, struct tn_error *error)
{
    struct tn_bare_set set;

    TN_TRY(tn_bare_collect(model, options, refuse, arena, &set, error));
    *count = set.count;
    *order = tn_new(arena, const struct tn_bare_tensor *, set.count, error);
    for (uint64_t i = 0; *order && i < set.count; i++)
        (*order)[i] = &set.items[i];
    if (*order)
        tn_sort((const void **)(void *)*order, set.count, is_before);
    return error->status;
}

/* ---- putting them into a file ------------------------------------------- */

enum tn_status tn_paddle_records_flush(struct tn_paddle_records *r)
{
    struct tn_span span = r->pending;

    r->pending = (struct tn_span){ NULL, 0, 0 };
    if (!span.length)
        return TN_OK;
    TN_TRY(tn_sink_splice(r->sink, span, r->error));
    if (r->options->meter)
        return tn_meter_add(r->options->meter, span.length, r->error);
    return TN_OK;
}

static enum tn_status splice(struct tn_paddle_records *r, struct tn_span wire)
{
    ++*r->options->tensors_moved;
    if (r->pending.source == wire.source &&
        r->pending.offset + r->pending.length == wire.offset) {
        r->pending.length += wire.length;
        return TN_OK;
    }
    TN_TRY(tn_paddle_records_flush(r));
    r->pending = wire;
    return TN_OK;
}

static enum tn_status put_part(struct tn_paddle_records   *r,
                               const struct tn_lod_record *record, bool is_tail)
{
    struct tn_buffer buffer;

    tn_buffer_init(&buffer, r->memory, r->error);
    if (is_tail)
        tn_lod_write_tail(&buffer, record);
    else
        tn_lod_write_head(&buffer, record);
    if (!tn_failed(r->error) && buffer.size)
        tn_sink_write(r->sink, tn_buffer_bytes(&buffer), r->error);
    tn_buffer_done(&buffer);
    return r->error->status;
}

static enum tn_status put_anew(struct tn_paddle_records *r,
                               const struct tn_tensor   *row,
                               struct tn_lod_record     *record)
{
    if (record->layout == TN_LOD_NONE)
        TN_TRY(tn_paddle_make_record(&row->elements.shape, record, r->error));
    record->layout = r->layout == TN_LOD_NONE ? TN_LOD_SHIPPED : r->layout;
    if (row->levels) {
        record->level_count = row->levels->count;
        record->levels      = row->levels->wire;
    }
    TN_TRY(tn_paddle_records_flush(r));
    TN_TRY(put_part(r, record, false));
    TN_TRY(tn_bare_stream(&row->elements, r->options, r->memory, false, r->sink,
                          r->error));
    return put_part(r, record, true);
}

enum tn_status tn_paddle_records_put(struct tn_paddle_records *r,
                                     const struct tn_tensor   *row)
{
    struct tn_lod_record record;

    if (tn_paddle_record(row, &record, r->error) == TN_OK) {
        bool fits = r->layout == TN_LOD_NONE || r->layout == record.layout ||
                    record.layout == TN_LOD_ROWS ||
                    record.layout == TN_LOD_BARE;
        if (record.layout != TN_LOD_NONE && fits)
            splice(r, row->wire);
        else
            put_anew(r, row, &record);
    }
    if (tn_failed(r->error))
        tn_error_where(r->error, "%.*s", TN_FMT(tn_tensor_name(row)));
    return r->error->status;
}
