/*
 * paddle_bare.c - the format paddle-params: tensor records without a program
 *
 *   record record ...   see wire/lod/lod.h; all of one layout
 *
 * There is no name in such a file.  With its program beside it, it opens as the
 * model that it belongs to.  Without a program, a single record has the name of
 * the file, and records of a combined file are numbered: 000, 001 and so on, so
 * that they stay in order when they are sorted.
 */
#include "format/paddle/paddle.h"
#include "format/paddle/paddle_files.h"

#include <stddef.h>
#include <stdio.h>

#include "format/bare.h"
#include "format/registry.h"
#include "format/settings.h"

static int params_probe(const struct tn_probe *probe)
{
    return !probe->entries && tn_paddle_is_records(probe->head) ? 40 : 0;
}

/* ---- reading ------------------------------------------------------------ */

static void add_record(struct tn_model            *model,
                       const struct tn_lod_record *record,
                       struct tn_error            *error)
{
    struct tn_tensor *row = tn_model_add_tensor(model, error);

    if (!row)
        return;
    row->graph = row->node = row->part = TN_NONE;
    row->slot                          = (uint32_t)model->tensors.count - 1;
    row->role                          = TN_ROLE_VARIABLE;
    row->name                          = TN_NO_NAME;
    tn_paddle_fill_row(row, record, NULL, &model->arena, error);
}

static enum tn_status read_records(struct tn_model   *model,
                                   struct tn_source  *file,
                                   enum tn_lod_layout layout,
                                   struct tn_error   *error)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ file, 0, file->size }, error);
    struct tn_lod_record record;

    while (tn_more(&c) && !tn_failed(error)) {
        if (tn_lod_read(&c, layout, &record) == TN_OK)
            add_record(model, &record, error);
        else
            tn_error_where(error, "tensors[%" PRIu64 "]", model->tensors.count);
    }
    return error->status;
}

static bool is_one_of_rows(struct tn_source *file)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ file, 0, file->size }, &error);
    struct tn_lod_record record;

    return tn_lod_read(&c, TN_LOD_ROWS, &record) == TN_OK && !tn_more(&c);
}

static bool is_one_shipped(struct tn_source *file)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ file, 0, file->size }, &error);
    struct tn_lod_record record;

    return tn_lod_read(&c, TN_LOD_SHIPPED, &record) == TN_OK;
}

static enum tn_status find_layout(struct tn_source   *file,
                                  enum tn_lod_layout *layout,
                                  struct tn_error    *error)
{
    uint8_t head[TN_LOD_PROBE_SIZE];
    size_t  size = file->size < sizeof head ? (size_t)file->size : sizeof head;

    TN_TRY(tn_source_read(file, 0, head, size, error));
    *layout = tn_lod_probe(tn_bytes(head, size));
    if (*layout == TN_LOD_NONE)
        return tn_error_set(error, TN_MALFORMED, 0,
                            "this is not a tensor record");
    /* SelectedRows begin like a shipped record, but are not one. */
    if (*layout == TN_LOD_SHIPPED && !is_one_shipped(file) &&
        is_one_of_rows(file))
        *layout = TN_LOD_ROWS;
    return TN_OK;
}

static size_t digits_of(uint64_t count)
{
    size_t digits = 1;

    for (; count > 10; count = (count + 9) / 10)
        digits++;
    return digits;
}

static bool is_combined_name(const char *name)
{
    return tn_text_ends_with(name, ".pdiparams") || !strcmp(name, "params") ||
           !strcmp(name, "__params__");
}

/* Without printf, which takes longer than reading the record. */
static char *put_number(char *to, uint64_t number, size_t digits)
{
    for (size_t i = digits; i-- > 0; number /= 10)
        to[i] = (char)('0' + number % 10);
    return to;
}

/* All are different, and only users look them up. */
static void name_rows(struct tn_model *model, const char *file,
                      struct tn_error *error)
{
    uint64_t count = model->tensors.count;
    size_t   size  = digits_of(count);
    char    *text  = tn_new(&model->arena, char, count *size, error);

    if (text && count == 1 && file[0] && !is_combined_name(file)) {
        tn_list_at(&model->tensors, struct tn_tensor, 0)->name =
            tn_intern_copy(&model->names, tn_text(file), error);
        return;
    }
    for (uint64_t i = 0; text && i < count && !tn_failed(error); i++) {
        struct tn_tensor *row =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        row->name = tn_intern_append(
            &model->names, tn_bytes(put_number(text + i * size, i, size), size),
            error);
    }
}

static enum tn_status params_open(struct tn_bundle *bundle,
                                  struct tn_model  *model,
                                  struct tn_error  *error)
{
    enum tn_lod_layout layout;
    const char        *program;

    if (!bundle->main)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "this is a folder, not a file of records");
    TN_TRY(tn_paddle_program_beside(bundle, &program, error));
    if (program) {
        model->file_size = bundle->main->size;
        return tn_paddle_open_part(bundle, model, program, error);
    }
    model->file_size = bundle->main->size; /* others were only examined */
    TN_TRY(find_layout(bundle->main, &layout, error));
    TN_TRY(read_records(model, bundle->main, layout, error));
    name_rows(model, bundle->name, error);
    tn_model_add_fact(model, "layout",
                      tn_text(layout == TN_LOD_SEED   ? "seed"
                              : layout == TN_LOD_ROWS ? "selected rows"
                                                      : "shipped"),
                      error);
    tn_model_add_fact(model, "names",
                      tn_text("none: the program that has them is not here"),
                      error);
    return error->status;
}

/* ---- writing ------------------------------------------------------------ */

static const struct tn_tensor *row_of(const struct tn_bare_tensor *tensor)
{
    return (
        const struct tn_tensor *)(const void *)((const char *)tensor->elements -
                                                offsetof(struct tn_tensor,
                                                         elements));
}

static enum tn_status write_sorted(const struct tn_bare_tensor **order,
                                   uint64_t                      count,
                                   struct tn_paddle_records     *records)
{
    if (count == 0)
        return tn_error_set(records->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "there is no tensor to write: a file without "
                            "records cannot be read");
    for (uint64_t i = 0; i < count; i++) {
        struct tn_lod_record record;
        TN_TRY(tn_paddle_record(row_of(order[i]), &record, records->error));
        if (record.layout == TN_LOD_ROWS && count > 1)
            return tn_error_set(records->error, TN_UNSUPPORTED, TN_NOWHERE,
                                "SelectedRows stand in files of their own");
        if (i == 0 && records->layout == TN_LOD_NONE)
            records->layout =
                record.layout == TN_LOD_SEED ? TN_LOD_SEED : TN_LOD_SHIPPED;
        TN_TRY(tn_paddle_records_put(records, row_of(order[i])));
    }
    return tn_paddle_records_flush(records);
}

static void lose_names(const struct tn_model         *model,
                       const struct tn_write_options *options)
{
    if (!tn_is_of_format(model, &tn_format_paddle_params))
        tn_lose(options, TN_NOWHERE, "",
                "the names are left behind: records stand in the order of "
                "their names");
}

static enum tn_status params_write(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   struct tn_output *to, struct tn_error *error)
{
    struct tn_paddle_records      records = { .options = options,
                                              .memory  = model->memory,
                                              .error   = error };
    const struct tn_bare_tensor **order;
    struct tn_arena               arena;
    uint64_t                      count;

    records.layout = tn_paddle_layout(options);
    TN_TRY(tn_output_main(to, &records.sink, error));
    tn_arena_init(&arena, model->memory);
    if (tn_paddle_collect(model, options, &arena, &order, &count, error) ==
        TN_OK) {
        lose_names(model, options);
        write_sorted(order, count, &records);
    }
    tn_arena_done(&arena);
    return error->status;
}

static const struct tn_format_setting *const settings[] = {
    &tn_paddle_setting_layout,
    &tn_setting_all_tensors,
    NULL,
};

const struct tn_format tn_format_paddle_params = {
    .name       = "paddle-params",
    .has_levels = true,
    .title      = "PaddlePaddle tensor records",
    .dialect    = "",
    .suffixes   = (const char *const[]){ ".pdiparams", "__params__", NULL },
    .probe      = params_probe,
    .open       = params_open,
    .check      = tn_paddle_check,
    .settings   = settings,
    .write      = params_write,
};
