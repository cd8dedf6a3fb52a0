/*
 * paddle_write.c - a program and its parameters back into files
 *
 *   NAME.pdmodel, NAME.pdmodel.txt   and NAME.pdiparams beside it
 *   __model__                        and a file for each variable
 *   model                            and params
 *   any of them with --external F    and F, which holds them all
 *
 * A program that was not edited is copied byte for byte.  The parameters are
 * written first: the file that people open comes last.
 */
#include "format/paddle/paddle_files.h"

#include "io/spool.h"
#include "wire/pb/pb_text_write.h"

#define PROGRAM_LIMIT INT32_MAX

struct writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_output              *to;
    struct tn_error               *error;
    struct tn_arena                arena;
    const struct tn_tensor       **rows; /* by name                           */
    uint64_t                       count;
    enum tn_lod_layout             layout;
};

/* ---- names -------------------------------------------------------------- */

/* The file for all parameters; NULL: each has its own. */
static const char *combined_name(struct writing *w)
{
    const char *name = tn_output_name(w->to);

    if (w->options->external)
        return w->options->external;
    if (!strcmp(name, "__model__") || !strcmp(name, "__model__.txt"))
        return NULL;
    if (!strcmp(name, "model"))
        return "params";
    return tn_paddle_with_suffix(&w->arena, name, ".pdiparams", w->error);
}

static bool is_dots(struct tn_bytes part)
{
    return tn_bytes_is(part, "") || tn_bytes_is(part, ".") ||
           tn_bytes_is(part, "..");
}

enum tn_status tn_paddle_check_name(struct tn_bytes  name,
                                    struct tn_error *error)
{
    size_t begin = 0;

    if (name.size == 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a variable without a name has no file");
    for (size_t i = 0; i <= name.size; i++) {
        uint8_t byte = i < name.size ? name.data[i] : '/';
        if (byte == '\\' || byte == '\0')
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "a variable's name with a %s in it cannot be "
                                "the name of a file",
                                byte ? "backslash" : "zero byte");
        if (byte != '/')
            continue;
        if (is_dots(tn_bytes(name.data + begin, i - begin)))
            return tn_error_set(
                error, TN_INVALID, TN_NOWHERE,
                "a variable named '%.*s' would be written outside the folder",
                TN_FMT(name));
        begin = i + 1;
    }
    return TN_OK;
}

/* ---- parameters --------------------------------------------------------- */

/* One file holds one layout: the one that its records have already if they
 * come out of one file, else that of today. */
static enum tn_status choose_layout(struct writing *w)
{
    struct tn_lod_record record;

    w->layout = tn_paddle_layout(w->options);
    if (w->layout != TN_LOD_NONE || w->count == 0)
        return TN_OK;
    TN_TRY(tn_paddle_record(w->rows[0], &record, w->error));
    w->layout = record.layout == TN_LOD_SEED ? TN_LOD_SEED : TN_LOD_SHIPPED;
    for (uint64_t i = 0; i < w->count; i++)
        if (w->rows[i]->wire.source != w->rows[0]->wire.source)
            w->layout = TN_LOD_SHIPPED;
    return TN_OK;
}

static enum tn_status refuse_rows(struct writing         *w,
                                  const struct tn_tensor *row)
{
    struct tn_lod_record record;

    TN_TRY(tn_paddle_record(row, &record, w->error));
    if (record.layout != TN_LOD_ROWS)
        return TN_OK;
    tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                 "SelectedRows stand in files of their own: write __model__");
    tn_error_where(w->error, "%.*s", TN_FMT(tn_tensor_name(row)));
    return w->error->status;
}

static enum tn_status write_combined(struct writing *w, const char *name)
{
    struct tn_paddle_records records = { .options = w->options,
                                         .memory  = w->model->memory,
                                         .error   = w->error };

    TN_TRY(choose_layout(w));
    TN_TRY(tn_output_side(w->to, name, &records.sink, w->error));
    records.layout = w->layout;
    for (uint64_t i = 0; i < w->count; i++) {
        TN_TRY(refuse_rows(w, w->rows[i]));
        TN_TRY(tn_paddle_records_put(&records, w->rows[i]));
    }
    return tn_paddle_records_flush(&records);
}

static enum tn_status write_separate(struct writing *w)
{
    w->layout = tn_paddle_layout(w->options);
    for (uint64_t i = 0; i < w->count; i++) {
        struct tn_paddle_records records = { .options = w->options,
                                             .memory  = w->model->memory,
                                             .error   = w->error,
                                             .layout  = w->layout };
        struct tn_bytes          name    = tn_tensor_name(w->rows[i]);
        TN_TRY(tn_paddle_check_name(name, w->error));
        if (tn_bytes_is(name, tn_output_name(w->to)))
            return tn_error_set(
                w->error, TN_INVALID, TN_NOWHERE,
                "a variable has the same name as the program, '%.*s'",
                TN_FMT(name));
        struct tn_bytes path = tn_bytes_dup(&w->arena, name, w->error);
        if (!path.data)
            return w->error->status;
        TN_TRY(tn_output_side(w->to, (const char *)path.data, &records.sink,
                              w->error));
        TN_TRY(tn_paddle_records_put(&records, w->rows[i]));
        TN_TRY(tn_paddle_records_flush(&records));
    }
    return TN_OK;
}

void tn_paddle_lose_io(const struct tn_model         *model,
                       const struct tn_write_options *options)
{
    const struct tn_paddle_detail *detail = model->detail;

    if (options->loss && detail && detail->has_pickled_ends)
        options->loss(options->loss_context, TN_NOWHERE, "",
                      "the inputs and outputs are left behind: a pickle beside "
                      "the program names them");
}

static void say_missing(struct writing *w)
{
    const struct tn_paddle_detail *detail = w->model->detail;

    if (w->options->loss && detail && detail->stored_count && !w->count)
        w->options->loss(w->options->loss_context, TN_NOWHERE, "",
                         "the parameters were not found: the program is "
                         "converted without them");
}

/* The files that only inform: where there is a place for them, as they are. */
static enum tn_status write_side(struct writing *w, struct tn_span span,
                                 const char *name)
{
    struct tn_sink *sink;

    if (!name || tn_failed(w->error))
        return w->error->status;
    TN_TRY(tn_output_side(w->to, name, &sink, w->error));
    return span.length ? tn_sink_splice(sink, span, w->error) : TN_OK;
}

static enum tn_status write_sides(struct writing *w, const char *params)
{
    const struct tn_paddle_detail *detail = w->model->detail;

    if (!detail)
        return TN_OK;
    if (detail->info.source && params)
        TN_TRY(
            write_side(w, detail->info,
                       tn_text_format(&w->arena, w->error, "%s.info", params)));
    if (detail->meta.source && params)
        TN_TRY(
            write_side(w, detail->meta,
                       tn_paddle_with_suffix(&w->arena, tn_output_name(w->to),
                                             ".meta", w->error)));
    if ((detail->info.source || detail->meta.source) && !params &&
        w->options->loss)
        w->options->loss(w->options->loss_context, TN_NOWHERE, "",
                         "what .info and .meta say is left behind: there is no "
                         "place for it beside separate files");
    return w->error->status;
}

static enum tn_status write_params(struct writing *w)
{
    TN_TRY(
        tn_paddle_params(w->model, &w->arena, &w->rows, &w->count, w->error));
    say_missing(w);
    if (w->count == 0)
        return TN_OK;
    const char *name = combined_name(w);
    if (tn_failed(w->error))
        return w->error->status;
    TN_TRY(name ? write_combined(w, name) : write_separate(w));
    return write_sides(w, name);
}

/* ---- the program -------------------------------------------------------- */

static enum tn_status put_text(struct writing *w, const struct tn_rope *program,
                               struct tn_sink *sink)
{
    struct tn_pb_schema schema;
    struct tn_source   *source = NULL;
    struct tn_span      wire   = w->model->wire;

    if (w->model->is_edited) {
        TN_TRY(tn_source_from_rope(&source, w->model->memory, program, "",
                                   w->error));
        wire = (struct tn_span){ source, 0, source->size };
    }
    if (tn_pb_schema_load(&schema, &w->arena, tn_pb_builtin_set(TN_PB_PADDLE),
                          w->error) == TN_OK)
        tn_pb_text_write(tn_pb_schema_find(&schema, TN_PADDLE_MESSAGE), wire,
                         sink, w->model->memory, w->error);
    tn_source_close(source);
    return w->error->status;
}

static enum tn_status write_program(struct writing *w, bool is_text)
{
    struct tn_rope  program;
    struct tn_sink *sink;

    tn_rope_init(&program, &w->arena, w->error);
    tn_paddle_encode(w->model, &w->arena, &program, w->error);
    if (!tn_failed(w->error) && program.length > PROGRAM_LIMIT)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "a program of %" PRIu64 " bytes, but no other program "
                     "opens more than %d",
                     program.length, PROGRAM_LIMIT);
    if (!tn_failed(w->error) &&
        tn_output_main(w->to, &sink, w->error) == TN_OK) {
        if (is_text)
            put_text(w, &program, sink);
        else
            tn_rope_write(&program, sink, w->error);
    }
    tn_rope_done(&program);
    return w->error->status;
}

static enum tn_status write_all(const struct tn_model         *model,
                                const struct tn_write_options *options,
                                struct tn_output *to, bool is_text,
                                struct tn_error *error)
{
    struct writing w = {
        .model = model, .options = options, .to = to, .error = error
    };

    tn_arena_init(&w.arena, model->memory);
    tn_paddle_lose_io(model, options);
    if (write_params(&w) == TN_OK)
        write_program(&w, is_text);
    tn_arena_done(&w.arena);
    return error->status;
}

enum tn_status tn_paddle_write(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               struct tn_output *to, struct tn_error *error)
{
    return write_all(model, options, to, false, error);
}

enum tn_status tn_paddle_write_text(const struct tn_model         *model,
                                    const struct tn_write_options *options,
                                    struct tn_output              *to,
                                    struct tn_error               *error)
{
    return write_all(model, options, to, true, error);
}
