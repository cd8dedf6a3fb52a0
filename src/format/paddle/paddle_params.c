/*
 * paddle_params.c - reads and writes the tensors of a program in its parameter
 * files
 *
 * A combined file is records and nothing else: no names, no count.  The names
 * are those of the program's stored variables, sorted by their bytes; whether
 * two files belong together can only be told by the shapes.  Separate files are
 * named like the variables.
 *
 * Vocabularies, which a tokenizer's program declares, are stored as maps:
 *   u64 count, then per entry u64 length, the bytes, i32 id
 */
#include <stdio.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "format/bare.h"
#include "format/paddle/paddle.h"
#include "format/registry.h"
#include "format/settings.h"

/* ---- tensors into records, in the layout that is asked for -------------- */

/*
 * A record that has that layout is copied as it is, and neighbours in one go.
 * Any other is put together anew: its desc and levels are kept, and the data
 * are streamed from wherever they are.
 */

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
               .help  = "layout of the records; default: unchanged" },
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

/* Whether the model was read from a file of one of our formats. */
static bool is_origin(const struct tn_model *model)
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
    if (!row->wire.source || !is_origin(row->model))
        return TN_OK;
    if (row->wire.offset == row->elements.payload.span.offset) {
        record->layout = TN_LOD_BARE; /* a map of words, without a record */
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

/* ---- a tensor for a variable -------------------------------------------- */

/* Where in its block a variable is declared. */
static uint32_t ordinal_of(const struct tn_paddle_detail *detail,
                           const struct tn_paddle_var    *var)
{
    return (uint32_t)((uint64_t)(var - detail->vars) -
                      detail->first_vars[var->block]);
}

/* The stored type and shape usually are those of the program: then the
 * program's are kept. */
static const uint64_t *keep_dims(const struct tn_lod_record *record,
                                 const struct tn_paddle_var *var,
                                 struct tn_arena *arena, struct tn_error *error)
{
    size_t size = record->rank * sizeof *record->dims;

    if (size && var && var->rank == record->rank &&
        !memcmp(var->dims, record->dims, size))
        return (const uint64_t *)var->dims;
    uint64_t *dims = tn_new(arena, uint64_t, record->rank, error);
    if (dims && size)
        memcpy(dims, record->dims, size);
    return dims;
}

void tn_paddle_fill_row(struct tn_tensor           *row,
                        const struct tn_lod_record *record,
                        const struct tn_paddle_var *var, struct tn_arena *arena,
                        struct tn_error *error)
{
    const uint64_t *dims = keep_dims(record, var, arena, error);

    row->elements.shape =
        (struct tn_shape){ record->dtype, dims ? record->rank : 0, dims };
    row->elements.payload =
        tn_payload_raw(&row->elements.shape, record->data, 1);
    row->wire = (struct tn_span){ record->data.source, record->begin,
                                  record->end - record->begin };
    if (!record->level_count)
        return;
    struct tn_levels *levels = tn_new(arena, struct tn_levels, 1, error);
    if (levels)
        *levels = (struct tn_levels){ record->level_count, record->levels };
    row->levels = levels;
}

/* The value of that name in the program is this tensor. */
static void define(struct tn_model *model, const struct tn_tensor *row)
{
    uint32_t value = model->wants_graph
                         ? tn_model_find_value(model, row->graph, row->name)
                         : TN_NONE;

    if (value != TN_NONE &&
        tn_model_value_at(model, value)->kind == TN_VALUE_INITIALIZER)
        tn_model_value_at(model, value)->output =
            (uint32_t)model->tensors.count - 1;
}

struct tn_tensor *tn_paddle_add_row(struct tn_model            *model,
                                    const struct tn_paddle_var *var,
                                    struct tn_error            *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_tensor              *row    = tn_model_add_tensor(model, error);

    if (!row)
        return NULL;
    /* Stored names differ; without a graph nothing else refers to them. */
    row->name  = model->wants_graph
                     ? tn_intern_borrow(&model->names, var->name, error)
                     : tn_intern_append(&model->names, var->name, error);
    row->graph = var->block;
    row->node = row->part                = TN_NONE;
    row->slot                            = ordinal_of(detail, var);
    row->role                            = TN_ROLE_INITIALIZER;
    row->is_external                     = true;
    detail->has_data[var - detail->vars] = true;
    define(model, row);
    return row;
}

static void add_tensor(struct tn_model *model, const struct tn_paddle_var *var,
                       const struct tn_lod_record *record,
                       struct tn_error            *error)
{
    struct tn_tensor *row = tn_paddle_add_row(model, var, error);

    if (row)
        tn_paddle_fill_row(row, record, var, &model->arena, error);
}

/* ---- records and maps --------------------------------------------------- */

bool tn_paddle_is_records(struct tn_bytes head)
{
    struct tn_error      error  = TN_ERROR_INIT;
    struct tn_cursor     c      = tn_cursor_bytes(head, 0, &error);
    enum tn_lod_layout   layout = tn_lod_probe(head);
    struct tn_lod_record record;

    if (layout == TN_LOD_NONE)
        return false;
    if (tn_lod_read(&c, layout, &record) == TN_OK || record.dtype)
        return true; /* the data may well end after the head does */
    if (layout != TN_LOD_SHIPPED)
        return false;
    error = (struct tn_error)TN_ERROR_INIT;
    c     = tn_cursor_bytes(head, 0, &error);
    return tn_lod_read(&c, TN_LOD_ROWS, &record) == TN_OK || record.dtype;
}

/* SelectedRows stand in files of their own; only the program tells. */
static enum tn_lod_layout layout_of(const struct tn_paddle_var *var,
                                    struct tn_source           *file,
                                    struct tn_error            *error)
{
    uint8_t head[TN_LOD_PROBE_SIZE];
    size_t  size = file->size < sizeof head ? (size_t)file->size : sizeof head;

    if (var && var->type == TN_PADDLE_SELECTED_ROWS)
        return TN_LOD_ROWS;
    if (tn_source_read(file, 0, head, size, error) != TN_OK)
        return TN_LOD_NONE;
    enum tn_lod_layout layout = tn_lod_probe(tn_bytes(head, size));
    if (layout == TN_LOD_NONE)
        tn_error_set(error, TN_MALFORMED, 0, "this is not a tensor record");
    return layout;
}

static struct tn_cursor cursor_over(struct tn_source *file,
                                    struct tn_error  *error)
{
    return tn_cursor_span((struct tn_span){ file, 0, file->size }, error);
}

static void fail_in(struct tn_error *error, const struct tn_source *file,
                    const struct tn_paddle_var *var)
{
    tn_error_where(error, "%.*s", TN_FMT(var->name));
    tn_error_file(error, file->name);
}

/* A vocabulary as the bytes that it is. */
static void read_map(struct tn_cursor *c, struct tn_lod_record *record)
{
    uint64_t count = tn_u64(c);

    *record = (struct tn_lod_record){ .begin = c->offset - 8 };
    if (count > tn_left(c) / 12 && !tn_failed(c->error))
        tn_fail(c, TN_TRUNCATED, "%" PRIu64 " words in %" PRIu64 " bytes",
                count, tn_left(c));
    for (uint64_t i = 0; i < count && !tn_failed(c->error); i++) {
        tn_skip(c, tn_u64(c));
        tn_u32(c);
    }
    record->end     = c->offset;
    record->dtype   = TN_UINT8;
    record->rank    = 1;
    record->dims[0] = record->end - record->begin;
    record->data =
        (struct tn_span){ c->source, record->begin, record->dims[0] };
}

static void read_any(struct tn_cursor *c, const struct tn_paddle_var *var,
                     enum tn_lod_layout layout, struct tn_lod_record *record)
{
    if (var->type == TN_PADDLE_VOCAB)
        read_map(c, record);
    else
        tn_lod_read(c, layout, record);
}

/* ---- does it fit? ------------------------------------------------------- */

static uint64_t next_dim(const uint64_t *dims, uint32_t rank, uint32_t *at)
{
    while (*at < rank && dims[*at] == 1)
        ++*at;
    return *at < rank ? dims[(*at)++] : 1;
}

/* The same, but for dimensions of 1: before 2.5 a scalar was stored as one
 * element, and either way it is the same bytes. */
bool tn_paddle_dims_fit(const struct tn_paddle_var *var, uint32_t rank,
                        const uint64_t *dims)
{
    uint32_t i = 0, k = 0;

    if (!var->has_desc)
        return true;
    for (uint32_t d = 0; d < var->rank; d++)
        if (var->dims[d] < 0)
            return rank == var->rank; /* not known: any is right */
    while (i < var->rank || k < rank)
        if (next_dim((const uint64_t *)var->dims, var->rank, &i) !=
            next_dim(dims, rank, &k))
            return false;
    return true;
}

static void put_dims(char *to, size_t size, const uint64_t *dims, uint32_t rank)
{
    size_t at = (size_t)snprintf(to, size, "[");

    for (uint32_t i = 0; i < rank && at < size; i++)
        at += (size_t)snprintf(to + at, size - at, "%s%" PRId64, i ? "," : "",
                               (int64_t)dims[i]);
    if (at < size)
        snprintf(to + at, size - at, "]");
}

static void expect_fit(struct tn_cursor *c, const struct tn_paddle_var *var,
                       const struct tn_lod_record *record)
{
    char told[64], found[64];

    if (tn_failed(c->error) || var->type == TN_PADDLE_VOCAB ||
        tn_paddle_dims_fit(var, record->rank, record->dims))
        return;
    put_dims(told, sizeof told, (const uint64_t *)var->dims, var->rank);
    put_dims(found, sizeof found, record->dims, record->rank);
    tn_fail_at(c, record->begin, TN_MALFORMED,
               "a tensor of shape %s, but the program declares %s: are these "
               "the parameters of another program?",
               found, told);
}

/* ---- combined ----------------------------------------------------------- */

/* The variables whose records a file holds, in its order: all that are stored,
 * or those that `is_there` (NULL: all) says. */
struct tn_paddle_subset {
    const bool *is_there; /* by stored variable                               */
    bool        is_quiet; /* only a test: no tensors are made */
};

static enum tn_status walk(struct tn_model *model, struct tn_source *file,
                           const struct tn_paddle_subset *subset,
                           struct tn_error               *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_cursor               c      = cursor_over(file, error);
    bool               is_map = detail->stored[0]->type == TN_PADDLE_VOCAB;
    enum tn_lod_layout layout =
        file->size && !is_map ? layout_of(NULL, file, error) : TN_LOD_SHIPPED;
    struct tn_lod_record record;

    for (uint64_t i = 0; i < detail->stored_count && !tn_failed(error); i++) {
        const struct tn_paddle_var *var = detail->stored[i];
        if (subset->is_there && !subset->is_there[i])
            continue;
        if (!tn_more(&c))
            tn_fail(&c, TN_TRUNCATED,
                    "the file holds %" PRIu64 " of %" PRIu64 " tensors", i,
                    detail->stored_count);
        read_any(&c, var, layout, &record);
        expect_fit(&c, var, &record);
        if (!tn_failed(error) && !subset->is_quiet)
            add_tensor(model, var, &record, error);
        if (tn_failed(error))
            fail_in(error, file, var);
    }
    if (!tn_failed(error) && tn_more(&c)) {
        tn_fail(&c, TN_MALFORMED,
                "%" PRIu64 " bytes behind the last of %" PRIu64 " tensors",
                tn_left(&c), detail->stored_count);
        tn_error_file(error, file->name);
    }
    return error->status;
}

/* Names that some operator reads. */
static void list_read(const struct tn_model *model, struct tn_intern *names,
                      struct tn_error *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_pb_field             op, slot, name;

    for (uint32_t i = 0; i < detail->block_count; i++) {
        struct tn_cursor block = tn_cursor_span(detail->blocks[i], error);
        while (tn_pb_next(&block, &op)) {
            if (op.number != BLOCK_OPS || op.type != TN_WIRE_LEN)
                continue;
            while (tn_pb_next(&op.body, &slot))
                while (slot.number == OP_INPUTS && slot.type == TN_WIRE_LEN &&
                       tn_pb_next(&slot.body, &name))
                    if (name.number == SLOT_ARGUMENTS &&
                        name.type == TN_WIRE_LEN)
                        tn_intern_borrow(names, tn_pb_text(&name), error);
        }
    }
}

enum { WITHOUT_UNREAD = 1, WITHOUT_INNER = 2, VARIANTS = 4 };

static bool variant_fits(struct tn_model *model, struct tn_source *file,
                         unsigned variant, const struct tn_intern *read)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_error                error  = TN_ERROR_INIT;
    uint64_t                       count  = 0;
    bool *is_there = tn_new(&model->arena, bool, detail->stored_count, &error);

    for (uint64_t i = 0; is_there && i < detail->stored_count; i++) {
        const struct tn_paddle_var *var = detail->stored[i];
        bool is_unread = tn_intern_find(read, var->name) == TN_NO_NAME;
        is_there[i]    = !((variant & WITHOUT_UNREAD) && is_unread) &&
                      !((variant & WITHOUT_INNER) && var->block > 0);
        count += is_there[i];
    }
    if (!is_there || count == detail->stored_count)
        return false;
    struct tn_paddle_subset subset = { is_there, true };
    return walk(model, file, &subset, &error) == TN_OK;
}

/* Reports which other set of variables the file fits. */
static void explain(struct tn_model *model, struct tn_source *file,
                    struct tn_error *error)
{
    static const char *const words[VARIANTS] = {
        "", "without the variables that no operator reads",
        "without those of inner blocks",
        "without inner blocks' and those that no operator reads"
    };
    struct tn_error  quiet = TN_ERROR_INIT;
    struct tn_intern read;

    if (error->status != TN_MALFORMED && error->status != TN_TRUNCATED)
        return;
    tn_intern_init(&read, &model->arena);
    list_read(model, &read, &quiet);
    for (unsigned i = 1; i < VARIANTS && !tn_failed(&quiet); i++) {
        if (!variant_fits(model, file, i, &read))
            continue;
        size_t used = strlen(error->what);
        snprintf(error->what + used, sizeof error->what - used, "; it fits %s",
                 words[i]);
        break;
    }
    tn_intern_done(&read);
}

bool tn_paddle_combined_fits(struct tn_model *model, struct tn_source *file)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_paddle_subset        all    = { NULL, true };
    struct tn_error                error  = TN_ERROR_INIT;

    return detail->stored_count && walk(model, file, &all, &error) == TN_OK;
}

enum tn_status tn_paddle_combined_read(struct tn_model  *model,
                                       struct tn_source *file,
                                       struct tn_error  *error)
{
    struct tn_paddle_subset all = { NULL, false };

    if (walk(model, file, &all, error) != TN_OK)
        explain(model, file, error);
    return error->status;
}

/* ---- shared by several programs ----------------------------------------- */

static bool name_is_before(const void *a, const void *b)
{
    const struct tn_bytes *x = a, *y = b;

    return tn_bytes_compare(*x, *y) < 0;
}

const struct tn_paddle_var *tn_paddle_find_stored(
    const struct tn_paddle_detail *detail, struct tn_bytes name)
{
    uint64_t at;

    TN_BISECT(at, 0, detail->stored_count,
              tn_bytes_compare(detail->stored[at]->name, name) < 0);
    return at < detail->stored_count &&
                   tn_bytes_equal(detail->stored[at]->name, name)
               ? detail->stored[at]
               : NULL;
}

enum tn_status tn_paddle_shared_read(struct tn_model        *model,
                                     struct tn_source       *file,
                                     const struct tn_intern *names,
                                     struct tn_error        *error)
{
    uint64_t           count = tn_intern_count(names);
    struct tn_cursor   c     = cursor_over(file, error);
    enum tn_lod_layout layout =
        file->size ? layout_of(NULL, file, error) : TN_LOD_SHIPPED;
    const void **order = tn_new(&model->arena, const void *, count, error);
    struct tn_lod_record record;

    if (tn_failed(error))
        return error->status;
    for (uint64_t i = 0; i < count; i++)
        order[i] = tn_list_at(&names->names, struct tn_bytes, i);
    tn_sort(order, count, name_is_before);
    for (uint64_t i = 0; i < count && !tn_failed(error); i++) {
        const struct tn_bytes      *name = order[i];
        const struct tn_paddle_var *var =
            tn_paddle_find_stored(model->detail, *name);
        tn_lod_read(&c, layout, &record);
        if (var)
            expect_fit(&c, var, &record);
        if (var && !tn_failed(error))
            add_tensor(model, var, &record, error);
        if (tn_failed(error))
            tn_error_where(error, "%.*s", TN_FMT(*name));
    }
    if (!tn_failed(error) && tn_more(&c))
        tn_fail(&c, TN_MALFORMED,
                "%" PRIu64 " bytes behind the last of %" PRIu64 " tensors",
                tn_left(&c), count);
    tn_error_file(error, file->name);
    return error->status;
}

/* ---- separate ----------------------------------------------------------- */

static void read_one(struct tn_model *model, const struct tn_paddle_var *var,
                     struct tn_source *file, struct tn_error *error)
{
    struct tn_cursor   c      = cursor_over(file, error);
    bool               is_map = var->type == TN_PADDLE_VOCAB;
    enum tn_lod_layout layout =
        is_map ? TN_LOD_NONE : layout_of(var, file, error);
    struct tn_lod_record record;

    if (tn_failed(error))
        return;
    read_any(&c, var, layout, &record);
    if (tn_failed(error))
        return;
    if (tn_more(&c))
        tn_fail(&c, TN_MALFORMED, "%" PRIu64 " bytes behind the tensor",
                tn_left(&c));
    else
        add_tensor(model, var, &record, error);
}

static enum tn_status read_named(struct tn_model            *model,
                                 struct tn_bundle           *bundle,
                                 const struct tn_paddle_var *var,
                                 bool *is_missing, struct tn_error *error)
{
    struct tn_source *file;

    if (tn_paddle_check_name(var->name, error) != TN_OK) {
        error->offset = var->wire.offset;
        tn_error_where(error, "%.*s", TN_FMT(var->name));
        return error->status;
    }
    if (tn_bundle_sibling(bundle, var->name, &file, error) == TN_OK) {
        read_one(model, var, file, error);
        if (tn_failed(error))
            fail_in(error, file, var);
    } else if (error->status == TN_NOT_FOUND) {
        *is_missing = true;
        *error      = (struct tn_error)TN_ERROR_INIT;
    }
    return error->status;
}

enum tn_status tn_paddle_separate_read(struct tn_model  *model,
                                       struct tn_bundle *bundle,
                                       struct tn_error  *error)
{
    struct tn_paddle_detail *detail =
        (struct tn_paddle_detail *)(uintptr_t)model->detail;
    const struct tn_paddle_var *first = NULL;

    detail->is_separate = true;
    for (uint64_t i = 0; i < detail->stored_count; i++) {
        bool is_missing = false;
        TN_TRY(
            read_named(model, bundle, detail->stored[i], &is_missing, error));
        if (is_missing && !first)
            first = detail->stored[i];
        detail->missing_count += is_missing;
    }
    if (first)
        tn_model_add_fact_format(
            model, error, "parameters",
            "%" PRIu64 " of %" PRIu64 " files are missing, first %.*s",
            detail->missing_count, detail->stored_count, TN_FMT(first->name));
    return error->status;
}
