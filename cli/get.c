/* get.c - tenon get: one tensor of a model, or a slice of it */
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct get_opts {
    struct cli_common common;
    const char       *slice;
    bool              is_npy, is_raw, is_text;
};

#define FIELD(f) offsetof(struct get_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_TEXT, 's', "slice", FIELD(slice),   "SLICE", "a slice in Python's syntax: 0:10,::2,-1" },
    { CLI_FLAG, 0,   "npy",   FIELD(is_npy),  NULL,    "NumPy format; the default for FILE.npy" },
    { CLI_FLAG, 0,   "raw",   FIELD(is_raw),  NULL,    "only elements, little-endian; for FILE.bin, FILE.raw" },
    { CLI_FLAG, 0,   "text",  FIELD(is_text), NULL,    "one row per line; for FILE.txt, and the default" },
    { 0 },
};
/* clang-format on */

static bool ends_with(const char *text, const char *suffix)
{
    size_t size = strlen(text), tail = strlen(suffix);

    return size >= tail && strcmp(text + size - tail, suffix) == 0;
}

/* The form that was asked for, else the one that the file name implies.  False
 * if there is neither. */
static bool choose_form(const struct get_opts *opts, const char *path,
                        enum tn_get_form *form)
{
    *form = TN_GET_TEXT;
    if (opts->is_npy ||
        (!opts->is_raw && !opts->is_text && ends_with(path, ".npy")))
        *form = TN_GET_NPY;
    else if (opts->is_raw || (!opts->is_text && (ends_with(path, ".bin") ||
                                                 ends_with(path, ".raw"))))
        *form = TN_GET_RAW;
    else
        return opts->is_text || strcmp(path, "-") == 0 ||
               ends_with(path, ".txt");
    return true;
}

static int check_usage(const struct get_opts *opts, const char *path,
                       enum tn_get_form *form)
{
    if (opts->is_npy + opts->is_raw + opts->is_text > 1)
        return cli_usage("get",
                         "--npy, --raw and --text cannot be used together");
    if (!choose_form(opts, path, form))
        return cli_usage(
            "get",
            "cannot tell the format from '%s': use --npy, --raw or --text",
            path);
    return *form == TN_GET_TEXT ? 0 : cli_refuse_terminal("get", path);
}

/* The name nearest to what was typed, when one is near. */
static void suggest(const struct tn_model *model, const char *typed)
{
    enum { MOST = 100000 };
    struct cli_text label = { 0 }, best = { 0 };
    unsigned        nearest = cli_nearness(typed);
    uint64_t        count   = tn_model_tensor_count(model);

    for (uint64_t i = 0; i < count && i < MOST; i++) {
        cli_text_clear(&label);
        cli_show_label(&label, tn_model_tensor(model, i));
        cli_text_put(&label, "", 1);
        unsigned distance = cli_distance(typed, label.data, nearest);
        if (distance < nearest) {
            nearest = distance;
            cli_text_clear(&best);
            cli_text_put(&best, label.data, label.size);
        }
    }
    if (best.size > 0)
        cli_hint_name(best.data);
    else
        cli_hint_command("ls", tn_model_path(model), "lists them");
    cli_text_done(&label);
    cli_text_done(&best);
}

static int no_tensor(const struct cli_session *session,
                     const struct tn_model *model, const char *name)
{
    struct tn_error error = TN_ERROR_INIT;

    error.status = TN_NOT_FOUND;
    snprintf(error.what, sizeof(error.what), "no tensor is called '%.150s'",
             name);
    int code = cli_print_error(tn_model_path(model), &error);
    if (!session->common->is_quiet)
        suggest(model, name);
    return code;
}

/* The tensor that 'tenon ls' prints so; only escapes have backslashes. */
static const struct tn_tensor *find_printed(const struct tn_model *model,
                                            const char            *typed)
{
    const struct tn_tensor *found = NULL;
    struct cli_text         label = { 0 };
    uint64_t                count = tn_model_tensor_count(model);

    for (uint64_t i = 0;
         i < count && found == NULL && strchr(typed, '\\') != NULL; i++) {
        cli_text_clear(&label);
        cli_show_label(&label, tn_model_tensor(model, i));
        if (label.size == strlen(typed) &&
            memcmp(label.data, typed, label.size) == 0)
            found = tn_model_tensor(model, i);
    }
    cli_text_done(&label);
    return found;
}

/* By name or path, else by what 'tenon ls' prints: with its escapes. */
static const struct tn_tensor *find_tensor(const struct cli_session *session,
                                           const struct tn_model    *model,
                                           const char               *typed)
{
    const struct tn_tensor *called  = tn_model_find(model, typed);
    const struct tn_tensor *printed = find_printed(model, typed);

    if (called == NULL)
        return printed;
    if (printed != NULL && printed != called && !session->common->is_quiet)
        cli_hint_other(typed);
    return called;
}

static int get_tensor(struct cli_session *session, const struct tn_model *model,
                      const char *name, const struct tn_get_options *get,
                      const char *path)
{
    struct tn_error         error  = TN_ERROR_INIT;
    struct tn_target        target = cli_target(session->common, path);
    const struct tn_tensor *tensor = find_tensor(session, model, name);

    if (tensor == NULL)
        return no_tensor(session, model, name);
    if (strcmp(path, "-") == 0 && !session->common->is_dry_run)
        cli_pager_begin();
    enum tn_status status =
        tn_get(tensor, get, &target, &session->options, &error);
    cli_session_clear(session);
    if (status == TN_OK || (status == TN_IO && cli_pager_is_left()))
        return 0; /* leaving the pager early is no failure */
    return cli_fail_writing(session->common, tn_model_path(model), path,
                            &error);
}

static int run_get(const void *opts, const struct cli_args *args)
{
    const struct get_opts *o     = opts;
    const char            *path  = o->common.out != NULL ? o->common.out : "-";
    struct tn_get_options  get   = { .slice = o->slice };
    struct tn_model       *model = NULL;
    struct cli_session     session;

    int code = check_usage(o, path, &get.form);
    if (code != 0)
        return code;
    cli_session_begin_writing(&session, opts);
    cli_session_prints(&session, path);
    code = cli_session_open(&session, args->items[0], &model);
    if (code == 0)
        code = get_tensor(&session, model, args->items[1], &get, path);
    tn_model_close(model);
    return code;
}

const struct cli_verb cli_get = {
    .name      = "get",
    .arguments = "FILE NAME",
    .summary   = "write one tensor, or a slice, as .npy, raw bytes or text",
    .details   = "NAME is a tensor's name as 'tenon ls' prints it, or its path "
                 "as 'tenon ls\n--long' shows it.  A variable of TensorFlow is "
                 "also found by its path of objects\n(dense/kernel) and by its "
                 "name in the graph.",
    .examples  = "tenon get tiny.onnx filters --slice 0:2,0\n"
                 "tenon get tiny.onnx filters -o filters.npy",
    .least     = 2,
    .most      = 2,
    .groups    = CLI_READS | CLI_WRITES | CLI_SHOWS,
    .opts_size = sizeof(struct get_opts),
    .options   = options,
    .run       = run_get,
};
