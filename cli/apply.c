/* apply.c - tenon apply: runs the patch that tenon diff --patch wrote */
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "failure.h"
#include "format_options.h"
#include "json.h"
#include "losses.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct apply_opts {
    struct cli_common common;
    bool              force_invalid;
};

#define FIELD(f) offsetof(struct apply_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG, 0, "force-invalid", FIELD(force_invalid), NULL, "write even if 'tenon check' finds errors" },
    { 0 },
};
/* clang-format on */

static void print_receipt(const struct apply_opts         *opts,
                          const struct tn_convert_summary *summary)
{
    const struct cli_common *common = &opts->common;
    struct cli_text          text   = { 0 };

    cli_text_safe(&text,
                  cli_bytes(strcmp(common->out, "-") == 0
                                ? "standard output"
                                : cli_path_shown(common->out)));
    cli_text_addf(&text, ": %s, ", summary->format);
    cli_text_bytes(&text, summary->bytes_written);
    cli_text_add(&text,
                 common->is_dry_run ? " (nothing done: --dry-run)\n" : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_receipt(const struct apply_opts         *opts,
                        const struct cli_args           *args,
                        const struct tn_convert_summary *summary,
                        const struct cli_losses         *losses)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.apply/1");
    cli_json_put_string(&json, "path", cli_path_shown(args->items[0]));
    cli_json_put_string(&json, "patch", args->items[1]);
    cli_json_put_string(&json, "out", cli_path_shown(opts->common.out));
    cli_json_put_string(&json, "format", summary->format);
    cli_json_put_number(&json, "bytes_written", summary->bytes_written);
    cli_losses_put(losses, &json);
    cli_json_put_bool(&json, "is_dry_run", opts->common.is_dry_run);
    cli_json_end(&json);
}

static int check_usage(const struct apply_opts *opts)
{
    if (opts->common.out == NULL)
        return cli_usage("apply", "give the output with -o OUT");
    if (strcmp(opts->common.out, "-") == 0 && opts->common.is_json)
        return cli_usage("apply", "--json and -o - cannot be used together");
    int code = cli_check_settings("apply", &opts->common.for_writing);
    return code != 0 ? code : cli_refuse_terminal("apply", opts->common.out);
}

static enum tn_status make(struct cli_session *session, const char *patch,
                           const struct tn_model *model, struct tn_model **made,
                           struct tn_error *error)
{
    struct tn_edit *edit;
    enum tn_status  status =
        tn_edit_open(&edit, model, &session->options, error);

    if (status == TN_OK)
        status = tn_edit_run_patch(edit, patch, error);
    if (status == TN_OK)
        status = tn_edit_commit(edit, made, error);
    tn_edit_close(edit);
    return status;
}

static int run_apply(const void *opts_, const struct cli_args *args)
{
    const struct apply_opts  *opts    = opts_;
    struct tn_error           error   = TN_ERROR_INIT;
    struct cli_losses         losses  = { 0 };
    struct tn_convert_summary summary = { 0 };
    struct tn_model          *model = NULL, *made = NULL;
    struct cli_session        session;

    int code = check_usage(opts);
    if (code == 0) {
        cli_session_begin_writing(&session, opts);
        session.options.wants_graph = true;
        code = cli_session_open(&session, args->items[0], &model);
    }
    if (model != NULL) {
        enum tn_status status =
            make(&session, args->items[1], model, &made, &error);
        if (status == TN_OK)
            status = cli_write_edited(&session, opts->force_invalid, made,
                                      &losses, &summary, &error);
        cli_session_clear(&session);
        if (status != TN_OK) {
            code = cli_fail_writing(&opts->common, args->items[0],
                                    opts->common.out, &error);
            if (!opts->common.is_quiet && error.status == TN_NOT_FOUND &&
                error.reason == TN_REASON_NONE)
                cli_hint("PATCH must be a patch for this model, as 'tenon diff "
                         "--patch' writes it");
        } else if (opts->common.is_json)
            put_receipt(opts, args, &summary, &losses);
        else if (!opts->common.is_quiet) {
            cli_losses_print(&losses, opts->common.out);
            print_receipt(opts, &summary);
        }
    }
    cli_losses_done(&losses);
    tn_model_close(made);
    tn_model_close(model);
    return code;
}

const struct cli_verb cli_apply = {
    .name      = "apply",
    .arguments = "A PATCH -o OUT",
    .summary   = "run a patch of 'tenon diff --patch' on a model",
    .details   = "Turns A into the model that the patch describes.  A patch is "
                 "a script of\nactions of 'tenon edit'; new weights are beside "
                 "it in PATCH.safetensors.",
    .examples  = "tenon apply tiny.onnx fix.patch -o fixed.onnx",
    .least     = 2,
    .most      = 2,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS | CLI_SETTINGS,
    .opts_size = sizeof(struct apply_opts),
    .options   = options,
    .run       = run_apply,
};
