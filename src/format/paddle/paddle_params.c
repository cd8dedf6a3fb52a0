/*
 * paddle_params.c - the tensors of a program, out of its parameter files
 *
 * A combined file is records and nothing else: no names, no count.  The names
 * are those of the program's stored variables, sorted by their bytes.  Separate
 * files are named like the variables.
 */
#include "format/paddle/paddle.h"

#include "io/path.h"

/* Where in its block a variable is declared. */
static uint32_t ordinal_of(const struct tn_paddle_detail *detail,
                           const struct tn_paddle_var    *var)
{
    return (uint32_t)((uint64_t)(var - detail->vars) -
                      detail->first_vars[var->block]);
}

static void keep_dims(struct tn_tensor *row, const struct tn_lod_record *record,
                      struct tn_arena *arena, struct tn_error *error)
{
    uint64_t *dims = tn_new(arena, uint64_t, record->rank, error);

    if (dims && record->rank)
        memcpy(dims, record->dims, record->rank * sizeof *dims);
    row->elements.shape =
        (struct tn_shape){ record->dtype, record->rank, dims };
    row->elements.payload =
        tn_payload_raw(&row->elements.shape, record->data, 1);
}

/* The value that the program knows it by is this tensor. */
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

static void add_tensor(struct tn_model *model, const struct tn_paddle_var *var,
                       struct tn_source           *file,
                       const struct tn_lod_record *record,
                       struct tn_error            *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_tensor              *row    = tn_model_add_tensor(model, error);

    if (!row)
        return;
    row->name  = tn_intern_borrow(&model->names, var->name, error);
    row->graph = var->block;
    row->node = row->part = TN_NONE;
    row->slot             = ordinal_of(detail, var);
    row->role             = TN_ROLE_INITIALIZER;
    row->is_external      = true;
    row->wire =
        (struct tn_span){ file, record->begin, record->end - record->begin };
    keep_dims(row, record, &model->arena, error);
    detail->has_data[var - detail->vars] = true;
    define(model, row);
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
        tn_error_set(error, TN_MALFORMED, 0, "this is no tensor record");
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

enum tn_status tn_paddle_combined_read(struct tn_model  *model,
                                       struct tn_source *file,
                                       struct tn_error  *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_cursor               c      = cursor_over(file, error);
    enum tn_lod_layout             layout =
        file->size ? layout_of(NULL, file, error) : TN_LOD_SHIPPED;
    struct tn_lod_record record;

    for (uint64_t i = 0; i < detail->stored_count && !tn_failed(error); i++) {
        const struct tn_paddle_var *var = detail->stored[i];
        if (!tn_more(&c))
            tn_fail(&c, TN_TRUNCATED,
                    "the file holds %" PRIu64 " of %" PRIu64 " tensors", i,
                    detail->stored_count);
        else if (tn_lod_read(&c, layout, &record) == TN_OK)
            add_tensor(model, var, file, &record, error);
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

static void read_one(struct tn_model *model, const struct tn_paddle_var *var,
                     struct tn_source *file, struct tn_error *error)
{
    struct tn_cursor     c      = cursor_over(file, error);
    enum tn_lod_layout   layout = layout_of(var, file, error);
    struct tn_lod_record record;

    if (tn_failed(error) || tn_lod_read(&c, layout, &record) != TN_OK)
        return;
    if (tn_more(&c))
        tn_fail(&c, TN_MALFORMED, "%" PRIu64 " bytes behind the tensor",
                tn_left(&c));
    else
        add_tensor(model, var, file, &record, error);
}

enum tn_status tn_paddle_separate_read(struct tn_model  *model,
                                       struct tn_bundle *bundle,
                                       const char       *folder,
                                       struct tn_error  *error)
{
    const struct tn_paddle_detail *detail = model->detail;

    for (uint64_t i = 0; i < detail->stored_count && !tn_failed(error); i++) {
        const struct tn_paddle_var *var = detail->stored[i];
        struct tn_source           *file;
        const char *path = tn_text_format(&model->arena, error, "%s%.*s",
                                          folder, TN_FMT(var->name));
        if (path &&
            tn_bundle_sibling(bundle, tn_text(path), &file, error) == TN_OK) {
            read_one(model, var, file, error);
            if (tn_failed(error))
                fail_in(error, file, var);
        }
    }
    return error->status;
}
