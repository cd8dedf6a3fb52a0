/*
 * paddle_pir_format.c - the format paddle-pir: what Paddle 3 writes
 *
 *   PREFIX.json + PREFIX.pdiparams
 *
 * The JSON is read once and becomes an equivalent ProgramDesc, which is then
 * opened like any other.  A model that was not edited is written back as the
 * bytes that it was read from.
 */
#include "format/paddle/paddle_files.h"
#include "format/paddle/paddle_pir.h"

#include "format/paddle/paddle.h"
#include "format/registry.h"
#include "format/settings.h"
#include "io/rope_source.h"
#include "io/spool.h"

/* ---- looking ------------------------------------------------------------ */

static const uint8_t *skip_space(const uint8_t *at, const uint8_t *end)
{
    while (at < end &&
           (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static bool accept(const uint8_t **at, const uint8_t *end, const char *text)
{
    size_t size = strlen(text);

    *at = skip_space(*at, end);
    if ((size_t)(end - *at) < size || memcmp(*at, text, size) != 0)
        return false;
    *at += size;
    return true;
}

static size_t mark_size(struct tn_bytes head)
{
    return head.size >= 3 && !memcmp(head.data, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* {... "magic" : "pir" */
static bool is_pir(struct tn_bytes head)
{
    const uint8_t *at = head.data, *end = at + head.size;

    if (head.size == 0)
        return false;
    at += mark_size(head);
    if (!accept(&at, end, "{"))
        return false;
    while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        if (accept(&at, end, "\"magic\""))
            return accept(&at, end, ":") && accept(&at, end, "\"pir\"");
        at++;
    }
    return false;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t size = strlen(name), tail = strlen(suffix);

    return size > tail && !strcmp(name + size - tail, suffix);
}

/* PREFIX.json beside PREFIX.pdiparams; names are sorted, so that the first
 * comes right before the second, or nearly. */
static const char *find_pair(const char *const *entries, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        size_t stem = strlen(entries[i]) - strlen(".json");
        if (!has_suffix(entries[i], ".json"))
            continue;
        for (uint64_t k = i; k < count; k++)
            if (!strncmp(entries[k], entries[i], stem) &&
                !strcmp(entries[k] + stem, ".pdiparams"))
                return entries[i];
    }
    return NULL;
}

static int pir_probe(const struct tn_probe *probe)
{
    if (probe->entries)
        return 0;
    return is_pir(probe->head) ? 64 : 0;
}

/* ---- opening ------------------------------------------------------------ */

static enum tn_status find_json(struct tn_bundle  *bundle,
                                struct tn_source **source, const char **name,
                                struct tn_error *error)
{
    const char *const *entries;
    uint64_t           count;

    TN_TRY(tn_bundle_list(bundle, "", &entries, &count, error));
    *name = find_pair(entries, count);
    if (!*name)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "the folder holds no PREFIX.json with its "
                            "PREFIX.pdiparams");
    return tn_bundle_sibling(bundle, tn_text(*name), source, error);
}

static const struct tn_tree *read_tree(struct tn_source *json,
                                       struct tn_arena  *arena,
                                       struct tn_error  *error)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ json, 0, json->size }, error);
    struct tn_bytes head = tn_bytes(c.at, (size_t)(c.end - c.at));

    tn_skip(&c, mark_size(head));
    return tn_failed(error) ? NULL : tn_tree_read(&c, arena);
}

/* The program, in the bundle's keeping; `rope` is in what is given up. */
static void keep_program(struct tn_bundle *bundle, const struct tn_rope *rope,
                         const char *name, struct tn_source **program,
                         struct tn_error *error)
{
    struct tn_buffer bytes;
    struct tn_rope   kept;

    tn_buffer_init(&bytes, bundle->memory, error);
    tn_rope_init(&kept, &bundle->arena, error);
    if (tn_rope_write(rope, &bytes.sink, error) == TN_OK)
        tn_rope_bytes(&kept, tn_buffer_bytes(&bytes));
    if (!tn_failed(error) &&
        tn_source_rope(program, bundle->memory, &kept, name, error) == TN_OK)
        tn_bundle_keep(bundle, *program, error);
    tn_rope_done(&kept);
    tn_buffer_done(&bytes);
}

/* Notes borrow from the tree, which is released. */
static void keep_notes(struct tn_list *notes, struct tn_arena *arena,
                       struct tn_error *error)
{
    for (uint64_t i = 0; i < notes->count; i++) {
        struct tn_pir_note *note = tn_list_at(notes, struct tn_pir_note, i);
        note->what               = tn_bytes_dup(arena, note->what, error);
        note->where              = tn_text_dup(arena, note->where, error);
    }
}

/* Translates the JSON, and notes what could not be translated. */
static enum tn_status make_program(
    struct tn_bundle *bundle, struct tn_model *model, struct tn_source *json,
    struct tn_source **program, struct tn_list *notes, struct tn_error *error)
{
    struct tn_arena work;
    struct tn_rope  rope;

    tn_arena_init(&work, model->memory);
    tn_rope_init(&rope, &work, error);
    const struct tn_tree *root = read_tree(json, &work, error);
    if (root && tn_pir_to_program(root, &work, &rope, notes, error) == TN_OK) {
        keep_notes(notes, &model->arena, error);
        /* Places in it are not places in the JSON, and messages tell so. */
        const char *name =
            tn_text_format(&model->arena, error, "%s, as a ProgramDesc",
                           json->name[0] ? json->name : bundle->name);
        if (name)
            keep_program(bundle, &rope, name, program, error);
    }
    tn_rope_done(&rope);
    tn_arena_done(&work);
    return error->status;
}

static void keep_detail(struct tn_model *model, struct tn_source *json,
                        const struct tn_list *notes, struct tn_error *error)
{
    struct tn_pir_detail *detail =
        tn_new(&model->arena, struct tn_pir_detail, 1, error);
    struct tn_pir_note *kept =
        tn_list_keep(notes, struct tn_pir_note, &model->arena, error);

    if (!detail || !kept)
        return;
    *detail =
        (struct tn_pir_detail){ *(const struct tn_paddle_detail *)model->detail,
                                json, kept, notes->count };
    model->detail = detail;
}

static enum tn_status read_params(struct tn_bundle *bundle,
                                  struct tn_model *model, const char *name,
                                  struct tn_error *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    const char                    *dot    = strrchr(name, '.');
    struct tn_source              *file;

    if (detail->stored_count == 0 || !tn_bundle_has_folder(bundle))
        return TN_OK;
    const char *params =
        tn_text_format(&model->arena, error, "%.*s.pdiparams",
                       (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    if (!params)
        return error->status;
    if (!tn_bundle_has(bundle, params)) {
        tn_model_add_fact(model, "parameters", tn_text("not found"), error);
        return error->status;
    }
    file = bundle->main;
    if (!file || strcmp(params, bundle->name) != 0)
        TN_TRY(tn_bundle_sibling(bundle, tn_text(params), &file, error));
    return tn_paddle_combined_read(model, file, error);
}

static enum tn_status open_json(struct tn_bundle *bundle,
                                struct tn_model *model, struct tn_source *json,
                                struct tn_error *error)
{
    struct tn_source *program = NULL;
    struct tn_list    notes;

    tn_list_init(&notes, model->memory, sizeof(struct tn_pir_note));
    if (make_program(bundle, model, json, &program, &notes, error) == TN_OK &&
        tn_paddle_program_read(model,
                               (struct tn_span){ program, 0, program->size },
                               error) == TN_OK)
        keep_detail(model, json, &notes, error);
    tn_list_done(&notes);
    return error->status;
}

static enum tn_status open_all(struct tn_bundle *bundle, struct tn_model *model,
                               struct tn_source *json, const char *name,
                               struct tn_error *error)
{
    TN_TRY(open_json(bundle, model, json, error));
    TN_TRY(read_params(bundle, model, name, error));
    if (model->wants_graph)
        tn_model_resolve(model);
    return error->status;
}

static enum tn_status pir_open(struct tn_bundle *bundle, struct tn_model *model,
                               struct tn_error *error)
{
    struct tn_source *json = bundle->main;
    const char       *name = bundle->name;

    if (!json)
        TN_TRY(find_json(bundle, &json, &name, error));
    return open_all(bundle, model, json, name, error);
}

bool tn_pir_is_program(struct tn_bundle *bundle, const char *name)
{
    struct tn_error   quiet = TN_ERROR_INIT;
    struct tn_source *json;

    if (!tn_bundle_has(bundle, name) ||
        tn_bundle_sibling(bundle, tn_text(name), &json, &quiet) != TN_OK)
        return false;
    size_t         size = json->size < 4096 ? (size_t)json->size : 4096;
    const uint8_t *head = tn_source_pin(json, 0, size, &quiet);
    return head && is_pir(tn_bytes(head, size));
}

enum tn_status tn_pir_open_beside(struct tn_bundle *bundle,
                                  struct tn_model *model, const char *name,
                                  struct tn_error *error)
{
    struct tn_source *json;

    model->format = tn_format_paddle_pir.name;
    model->title  = tn_format_paddle_pir.title;
    TN_TRY(tn_bundle_sibling(bundle, tn_text(name), &json, error));
    return open_all(bundle, model, json, name, error);
}

/* ---- checking ----------------------------------------------------------- */

static enum tn_status pir_check(struct tn_bundle      *bundle,
                                const struct tn_model *model,
                                struct tn_report      *report,
                                struct tn_error       *error)
{
    const struct tn_pir_detail *detail = model->detail;

    for (uint64_t i = 0; i < detail->note_count && !report->is_stopped; i++) {
        /* An operator that our own writer had no rule for is one of Paddle 2,
         * which Paddle 3 will not run; any other may be Paddle 3's, but not
         * known here. */
        const struct tn_pir_note *note = &detail->notes[i];
        const char               *file = detail->json->name;
        if (tn_pir_is_reserved(note->what, "legacy."))
            tn_report_format(report, TN_LEVEL_WARNING, "pir-legacy-operator",
                             file, note->offset, note->where,
                             "%.*s is not an operator of Paddle 3",
                             TN_FMT(note->what));
        else
            tn_report_format(report, TN_LEVEL_NOTE, "pir-unknown-operator",
                             file, note->offset, note->where,
                             "%.*s has no rule: it is kept, and not translated",
                             TN_FMT(note->what));
    }
    return tn_paddle_check(bundle, model, report, error);
}

/* ---- writing ------------------------------------------------------------ */

/* Beside PREFIX.json, all in one. */
static enum tn_status write_rows(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 const struct tn_tensor **rows, uint64_t count,
                                 struct tn_output *to, struct tn_arena *arena,
                                 struct tn_error *error)
{
    struct tn_paddle_records records = { .options = options,
                                         .memory  = model->memory,
                                         .error   = error,
                                         .layout  = TN_LOD_SHIPPED };
    const char              *name    = tn_output_name(to);
    const char              *dot     = strrchr(name, '.');
    const char              *params  = options->external;

    if (!params)
        params = tn_text_format(
            arena, error, "%.*s.pdiparams",
            (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    if (!params)
        return error->status;
    TN_TRY(tn_output_side(to, params, &records.sink, error));
    for (uint64_t i = 0; i < count; i++)
        TN_TRY(tn_paddle_records_put(&records, rows[i]));
    return tn_paddle_records_flush(&records);
}

static enum tn_status write_params(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   struct tn_output *to, struct tn_arena *arena,
                                   struct tn_error *error)
{
    const struct tn_tensor **rows;
    uint64_t                 count;

    TN_TRY(tn_paddle_params(model, arena, &rows, &count, error));
    if (count == 0)
        return TN_OK;
    return write_rows(model, options, rows, count, to, arena, error);
}

/* The text that it was read from, if it has not been changed since. */
static struct tn_source *own_text(const struct tn_model *model)
{
    if (model->is_edited || !tn_is_of_format(model, &tn_format_paddle_pir))
        return NULL;
    return ((const struct tn_pir_detail *)model->detail)->json;
}

/* Reads back what will be written, because a program may have what PIR cannot
 * express, such as two parameters of one name. */
static enum tn_status check_text(struct tn_bytes text, struct tn_memory *memory,
                                 struct tn_error *error)
{
    struct tn_error   failure = TN_ERROR_INIT;
    struct tn_source *program = NULL;
    struct tn_model   model;
    struct tn_rope    rope;

    tn_model_init(&model, memory);
    tn_rope_init(&rope, &model.arena, &failure);
    struct tn_cursor      c    = tn_cursor_bytes(text, 0, &failure);
    const struct tn_tree *root = tn_tree_read(&c, &model.arena);
    if (root &&
        tn_pir_to_program(root, &model.arena, &rope, NULL, &failure) == TN_OK &&
        tn_source_from_rope(&program, memory, &rope, "", &failure) == TN_OK)
        tn_paddle_program_read(
            &model, (struct tn_span){ program, 0, program->size }, &failure);
    tn_rope_done(&rope);
    tn_model_done(&model);
    tn_source_close(program);
    if (tn_machine_failed(&failure) || failure.status == TN_OK)
        *error = failure;
    else
        tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                     "PIR cannot say this program: %s", failure.what);
    return error->status;
}

/* The bytes of the program, or what an edit made of them. */
static enum tn_status translate(const struct tn_model         *model,
                                const struct tn_write_options *options,
                                struct tn_arena *arena, struct tn_buffer *text,
                                struct tn_error *error)
{
    struct tn_source *edited = NULL;
    struct tn_span    wire   = model->wire;
    struct tn_rope    rope;

    tn_rope_init(&rope, arena, error);
    if (model->is_edited &&
        tn_paddle_encode(model, arena, &rope, error) == TN_OK &&
        tn_source_from_rope(&edited, model->memory, &rope, "", error) == TN_OK)
        wire = (struct tn_span){ edited, 0, edited->size };
    if (!tn_failed(error) &&
        tn_pir_from_program(wire, model->memory, text, options->loss,
                            options->loss_context, error) == TN_OK)
        check_text(tn_buffer_bytes(text), model->memory, error);
    tn_source_close(edited);
    tn_rope_done(&rope);
    return error->status;
}

static enum tn_status write_program(const struct tn_model         *model,
                                    const struct tn_write_options *options,
                                    struct tn_arena               *arena,
                                    struct tn_sink                *sink,
                                    struct tn_error               *error)
{
    struct tn_source *json = own_text(model);
    struct tn_buffer  text;

    if (json)
        return tn_sink_splice(sink, (struct tn_span){ json, 0, json->size },
                              error);
    tn_buffer_init(&text, model->memory, error);
    if (translate(model, options, arena, &text, error) == TN_OK)
        tn_sink_write(sink, tn_buffer_bytes(&text), error);
    tn_buffer_done(&text);
    return error->status;
}

/* The parameters come first: the file that people open comes last. */
static enum tn_status pir_write(const struct tn_model         *model,
                                const struct tn_write_options *options,
                                struct tn_output *to, struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_sink *sink;

    tn_paddle_lose_io(model, options);
    tn_arena_init(&arena, model->memory);
    if (write_params(model, options, to, &arena, error) == TN_OK &&
        tn_output_main(to, &sink, error) == TN_OK)
        write_program(model, options, &arena, sink, error);
    tn_arena_done(&arena);
    return error->status;
}

static const struct tn_format_setting *const settings[] = {
    &tn_paddle_setting_external,
    NULL,
};

const struct tn_format tn_format_paddle_pir = {
    .name          = "paddle-pir",
    .has_levels    = true,
    .title         = "PaddlePaddle PIR program",
    .dialect       = "paddle",
    .dialect_ops   = &tn_dialect_paddle,
    .suffixes      = (const char *const[]){ ".json", NULL },
    .schema        = TN_PB_PADDLE,
    .probe         = pir_probe,
    .open          = pir_open,
    .is_part_of    = tn_paddle_is_part_of,
    .check         = pir_check,
    .check_graph   = tn_paddle_check_graph,
    .lays_out_anew = true,
    .write         = pir_write,

    .describe         = tn_paddle_describe,
    .report_rest      = tn_paddle_report_rest,
    .taken_by_graph   = tn_paddle_taken_by_graph,
    .strips_ops       = true,
    .settings         = settings,
    .taken_by_tensors = tn_paddle_taken_by_tensors,
};
