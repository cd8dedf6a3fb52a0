/*
 * paddle_check.c - whether a model is complete, and agrees with itself
 *
 * The program: blocks are numbered and nested, names are declared, attributes
 * hold what their type says, inputs and outputs are numbered without a gap.
 * The parameters: each stored variable has data of its type and shape, and no
 * file is left over.  What ships but must not, the notes tell.
 */
#include "format/paddle/paddle_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/levels.h"

#define WHERE 160

void tn_paddle_complain(struct tn_paddle_checker *k,
                        enum tn_finding_level level, const char *rule,
                        struct tn_span at, const char *where,
                        const char *format, ...)
{
    char    what[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_report_format(k->report, level, rule, at.source ? at.source->name : "",
                     at.source ? at.offset : TN_NOWHERE, where, "%s", what);
}

/* ---- parameters --------------------------------------------------------- */

static void check_dtype(struct tn_paddle_checker   *k,
                        const struct tn_paddle_var *var,
                        const struct tn_tensor *row, const char *where)
{
    enum tn_dtype told    = tn_lod_dtype(var->data_type);
    enum tn_dtype found   = row->elements.shape.dtype;
    bool          is_half = found == TN_FLOAT16 || found == TN_BFLOAT16;

    if (!var->has_desc || told == found || var->type == TN_PADDLE_VOCAB)
        return;
    if (told == TN_FLOAT32 && is_half)
        tn_paddle_complain(k, TN_LEVEL_WARNING, "parameter-precision",
                           row->wire, where,
                           "stored as %s, declared as float32 in the program",
                           tn_dtype_name(found));
    else
        tn_paddle_complain(
            k, TN_LEVEL_ERROR, "parameter-dtype", row->wire, where,
            "stored as %s, declared as %s in the program", tn_dtype_name(found),
            told == TN_UNDEFINED ? "no element type" : tn_dtype_name(told));
}

static bool has_same_dims(const struct tn_paddle_var *var,
                          const struct tn_shape      *shape)
{
    if (var->rank != shape->rank)
        return false;
    for (uint32_t i = 0; i < var->rank; i++)
        if (var->dims[i] >= 0 && (uint64_t)var->dims[i] != shape->dims[i])
            return false;
    return true;
}

static void check_shape(struct tn_paddle_checker   *k,
                        const struct tn_paddle_var *var,
                        const struct tn_tensor *row, const char *where)
{
    const struct tn_shape *shape = &row->elements.shape;

    if (!var->has_desc || var->type == TN_PADDLE_VOCAB ||
        var->type == TN_PADDLE_SELECTED_ROWS || has_same_dims(var, shape))
        return;
    if (tn_paddle_dims_fit(var, shape->rank, shape->dims))
        tn_paddle_complain(
            k, TN_LEVEL_WARNING, "parameter-rank", row->wire, where,
            "stored with %" PRIu32 " dimensions, declared with %" PRIu32
            " in the program",
            shape->rank, var->rank);
    else
        tn_paddle_complain(k, TN_LEVEL_ERROR, "parameter-shape", row->wire,
                           where,
                           "stored in a shape that is not the "
                           "program's");
}

static void check_levels(struct tn_paddle_checker *k,
                         const struct tn_tensor *row, const char *where)
{
    uint64_t        count = tn_tensor_level_count(row);
    uint64_t        rows  = tn_tensor_rank(row) ? tn_tensor_dims(row)[0] : 1;
    struct tn_error error = TN_ERROR_INIT;

    if (!count)
        return;
    tn_paddle_complain(k, TN_LEVEL_WARNING, "parameter-lod", row->wire, where,
                       "%" PRIu64 " LoD level%s on a parameter", count,
                       count == 1 ? "" : "s");
    if (tn_levels_check(row->levels, rows, &error) == TN_OK)
        return;
    if (tn_machine_failed(&error))
        *k->error = error;
    else
        tn_paddle_complain(
            k, TN_LEVEL_ERROR, "wrong-lod",
            (struct tn_span){ row->wire.source, error.offset, 0 }, where, "%s",
            error.what);
}

static void check_tensor(struct tn_paddle_checker *k,
                         const struct tn_tensor   *row)
{
    char                        where[WHERE];
    const struct tn_paddle_var *var;
    struct tn_bytes             name = tn_tensor_name(row);

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    check_levels(k, row, where);
    if (!k->detail || row->graph == TN_NONE)
        return;
    var = tn_paddle_find_stored(k->detail, name);
    if (!var)
        return;
    check_dtype(k, var, row, where);
    check_shape(k, var, row, where);
}

/* A name that could not be a file's, should the parameters be split. */
static void check_name(struct tn_paddle_checker   *k,
                       const struct tn_paddle_var *var, const char *where)
{
    struct tn_error quiet = TN_ERROR_INIT;

    if (tn_paddle_check_name(var->name, &quiet) != TN_OK)
        tn_paddle_complain(k, TN_LEVEL_WARNING, "unsafe-name", var->wire, where,
                           "%s", quiet.what);
}

static void check_stored(struct tn_paddle_checker *k)
{
    const struct tn_paddle_detail *detail = k->detail;

    for (uint64_t i = 0; i < detail->stored_count; i++) {
        const struct tn_paddle_var *var = detail->stored[i];
        char                        where[WHERE];
        if (k->report->is_stopped)
            return;
        snprintf(where, sizeof where, "%.*s", TN_FMT(var->name));
        check_name(k, var, where);
        if (!detail->has_data[var - detail->vars])
            tn_paddle_complain(k, TN_LEVEL_ERROR, "missing-parameter",
                               var->wire, where,
                               "the program stores it, and no file has it");
    }
}

/* ---- files that nobody names -------------------------------------------- */

static bool is_expected(const struct tn_paddle_checker *k,
                        struct tn_bundle *bundle, const char *name)
{
    const struct tn_source *program = k->model->wire.source;

    return !strcmp(name, bundle->name) || !strcmp(name, "__model__") ||
           (program && !strcmp(name, program->name)) ||
           tn_paddle_find_stored(k->detail, tn_text(name));
}

/* Only a folder with a file for each variable is the model's own. */
static enum tn_status check_files(struct tn_paddle_checker *k,
                                  struct tn_bundle         *bundle)
{
    const char *const *entries;
    uint64_t           count;

    if (!k->detail->is_separate || bundle->folder < 0)
        return TN_OK;
    TN_TRY(tn_bundle_list(bundle, "", &entries, &count, k->error));
    for (uint64_t i = 0; i < count; i++) {
        size_t size = strlen(entries[i]);
        if (size == 0 || entries[i][size - 1] == '/' ||
            is_expected(k, bundle, entries[i]))
            continue;
        tn_report_format(k->report, TN_LEVEL_WARNING, "left-over-file",
                         entries[i], TN_NOWHERE, "",
                         "the program does not name this file");
    }
    return TN_OK;
}

/* ---- what should not ship ----------------------------------------------- */

static void check_leaks(struct tn_paddle_checker *k)
{
    struct tn_span nowhere = { NULL, 0, 0 };

    if (k->detail->info_fault)
        tn_paddle_complain(k, TN_LEVEL_WARNING, "info-file", nowhere, "", "%s",
                           k->detail->info_fault);
    if (k->detail->callstack_size)
        tn_paddle_complain(k, TN_LEVEL_NOTE, "op-callstack", nowhere, "",
                           "%" PRIu64 " bytes of source paths and lines, "
                           "%" PRIu64 " %% of the program; 'tenon strip "
                           "--callstack' removes them",
                           k->detail->callstack_size,
                           k->detail->callstack_size * 100 /
                               k->model->wire.length);
    if (k->training_count)
        tn_paddle_complain(k, TN_LEVEL_NOTE, "training-ops", nowhere, "",
                           "%" PRIu64 " operators of training; 'tenon strip "
                           "--training' removes them",
                           k->training_count);
}

enum tn_status tn_paddle_check(struct tn_bundle      *bundle,
                               const struct tn_model *model,
                               struct tn_report *report, struct tn_error *error)
{
    struct tn_paddle_checker k = { .model  = model,
                                   .report = report,
                                   .error  = error };

    if (model->dialect) {
        k.detail = model->detail;
        TN_TRY(tn_paddle_check_program(&k));
        TN_TRY(tn_paddle_check_types(&k));
        check_leaks(&k);
        check_stored(&k);
        TN_TRY(check_files(&k, bundle));
    }
    for (uint64_t i = 0; i < model->tensors.count && !report->is_stopped; i++)
        check_tensor(&k, tn_list_at(&model->tensors, struct tn_tensor, i));
    return error->status;
}

enum tn_status tn_paddle_check_graph(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error)
{
    struct tn_paddle_checker k = { .model  = model,
                                   .detail = model->detail,
                                   .report = report,
                                   .error  = error };

    if (model->is_edited || !model->dialect || !k.detail)
        return TN_OK;
    TN_TRY(tn_paddle_check_program(&k));
    return tn_paddle_check_types(&k);
}
