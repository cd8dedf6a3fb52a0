/* diff.c - tenon diff: what differs between two models */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "failure.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct diff_opts {
    struct cli_common common;
    bool              is_stat, tensors_only, is_all, skips_values;
    const char       *tolerance;
    const char       *patch, *html;
    bool              is_forced;
    const char       *left_tag, *right_tag;
};

#define FIELD(f) offsetof(struct diff_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG, 's', "stat",      FIELD(is_stat),      NULL,  "count the differences only" },
    { CLI_FLAG, 'a', "all",       FIELD(is_all),       NULL,  "list every change on its own" },
    { CLI_FLAG, 't', "tensors",   FIELD(tensors_only), NULL,  "compare only tensors" },
    { CLI_FLAG, 0,   "no-values", FIELD(skips_values), NULL,  "do not compare elements of tensors" },
    { CLI_TEXT, 0,   "tolerance", FIELD(tolerance),    "X",   "elements are equal up to X * max(1, |a|)" },
    { CLI_FILE, 'p', "patch",     FIELD(patch),        "FILE", "write a patch for 'tenon apply'" },
    { CLI_FILE, 0,   "html",      FIELD(html),         "FILE", "draw both as one picture that marks changes" },
    { CLI_FLAG, 'f', "force",     FIELD(is_forced),    NULL,  "--patch, --html: replace files" },
    { CLI_TEXT, 0,   "left-tag",  FIELD(left_tag),     "TAG", "version of A in its container" },
    { CLI_TEXT, 0,   "right-tag", FIELD(right_tag),    "TAG", "version of B in its container" },
    { 0 },
};
/* clang-format on */

static bool read_tolerance(const char *text, double *tolerance)
{
    char *end;

    *tolerance = 0;
    if (text == NULL)
        return true;
    *tolerance = strtod(text, &end);
    return end != text && *end == '\0' && *tolerance >= 0 &&
           isfinite(*tolerance);
}

static void say_patch(const struct diff_opts        *opts,
                      const struct tn_patch_summary *summary)
{
    struct cli_text text = { 0 };

    if (opts->common.is_quiet || opts->common.is_json)
        return;
    cli_text_safe(&text, cli_bytes(opts->patch));
    cli_text_add(&text, ": ");
    cli_show_plural(&text, summary->actions, "action", "actions");
    if (summary->is_whole)
        cli_text_add(&text, ", with the whole model beside it");
    else if (summary->tensors > 0) {
        cli_text_add(&text, ", ");
        cli_show_plural(&text, summary->tensors, "tensor", "tensors");
        cli_text_add(&text, " beside it");
    }
    cli_text_add(&text, "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

/* Returns an exit code. */
static int write_patch(struct cli_session     *session,
                       const struct diff_opts *opts, const char *path,
                       const struct tn_diff *diff)
{
    struct tn_error         error   = TN_ERROR_INIT;
    struct tn_patch_summary summary = { 0 };
    struct tn_target        target  = { .path        = opts->patch,
                                        .can_replace = opts->is_forced };
    enum tn_status          status =
        tn_diff_write_patch(diff, &target, &session->options, &summary, &error);

    cli_session_clear(session);
    if (status != TN_OK)
        return cli_fail_writing(session->common, path, opts->patch, &error);
    say_patch(opts, &summary);
    return 0;
}

/* Returns an exit code. */
static int write_html(struct cli_session     *session,
                      const struct diff_opts *opts, const char *path,
                      const struct tn_diff *diff)
{
    struct tn_error        error   = TN_ERROR_INIT;
    struct tn_view_summary summary = { 0 };
    struct tn_target       target  = { .path        = opts->html,
                                       .can_replace = opts->is_forced };
    enum tn_status         status =
        tn_diff_write_view(diff, &target, &session->options, &summary, &error);

    cli_session_clear(session);
    return status == TN_OK
               ? 0
               : cli_fail_writing(session->common, path, opts->html, &error);
}

static int compare(struct cli_session *session, const struct diff_opts *opts,
                   const struct cli_args *args, struct tn_model *models[2],
                   double tolerance)
{
    struct tn_diff_options how   = TN_DIFF_OPTIONS_INIT;
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_diff        *diff  = NULL;
    struct cli_diff_look   look  = {
           .is_json      = opts->common.is_json,
           .is_stat      = opts->is_stat,
           .is_all       = opts->is_all,
           .tensors_only = opts->tensors_only,
           .names        = { args->items[0], args->items[1] },
    };

    how.tolerance         = tolerance;
    how.skips_values      = opts->skips_values;
    enum tn_status status = tn_diff_open(&diff, models[0], models[1], &how,
                                         &session->options, &error);
    cli_session_clear(session);
    if (status != TN_OK)
        return cli_fail(session->common, args->items[0], &error);
    int code = opts->patch != NULL
                   ? write_patch(session, opts, args->items[0], diff)
                   : 0;
    if (code == 0 && opts->html != NULL)
        code = write_html(session, opts, args->items[0], diff);
    if (code == 0) {
        cli_pager_begin();
        code = cli_print_diff(&look, diff, models[0], models[1]);
    }
    tn_diff_close(diff);
    return code;
}

static int run_diff(const void *opts_, const struct cli_args *args)
{
    const struct diff_opts *opts    = opts_;
    const char             *tags[2] = { opts->left_tag, opts->right_tag };
    struct cli_session      session;
    struct tn_model        *models[2] = { NULL, NULL };
    double                  tolerance;
    int                     code = 0;

    if (!read_tolerance(opts->tolerance, &tolerance))
        return cli_usage("diff",
                         "--tolerance takes a number from 0 on, such as "
                         "1e-5, not '%s'",
                         opts->tolerance);
    if (strcmp(args->items[0], "-") == 0 && strcmp(args->items[1], "-") == 0)
        return cli_usage("diff", "only one of the two can be standard input");
    if (opts->patch != NULL && (opts->tolerance != NULL || opts->skips_values))
        return cli_usage("diff", "--patch compares all elements exactly: leave "
                                 "out --tolerance and --no-values");
    if (opts->patch != NULL || opts->html != NULL)
        cli_session_begin_writing(&session, opts);
    else
        cli_session_begin(&session, opts);
    session.options.wants_graph = true;
    const char *tag             = session.options.tag;
    for (int i = 0; i < 2 && code == 0; i++) {
        session.options.tag = tags[i] != NULL ? tags[i] : tag;
        code = cli_session_open(&session, args->items[i], &models[i]);
    }
    if (code == 0)
        code = compare(&session, opts, args, models, tolerance);
    tn_model_close(models[0]);
    tn_model_close(models[1]);
    return code;
}

const struct cli_verb cli_diff = {
    .name      = "diff",
    .arguments = "A B",
    .summary   = "print what differs between two models, of any format",
    .details   = "Operators are matched by name, by structure and by weights, "
                 "so that another\nname is not a difference of the graph.  "
                 "Exits with 0 if the models are the same,\nwith 1 if they "
                 "differ.",
    .examples  = "tenon diff tiny.onnx moved.onnx\n"
                 "tenon diff --stat tiny.onnx smaller.onnx || true",
    .least     = 2,
    .most      = 2,
    .groups    = CLI_READS | CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct diff_opts),
    .options   = options,
    .run       = run_diff,
};
