/* edit.c - tenon edit: small changes to a model, without a framework */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert.h"
#include "failure.h"
#include "format_options.h"
#include "json.h"
#include "losses.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct edit_opts {
    struct cli_common  common;
    struct cli_actions actions;
    bool               force_invalid;
    const char        *patch_out;
};

#define FIELD(f) offsetof(struct edit_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FILE, 0, "patch-out", FIELD(patch_out), "FILE", "write what undoes it, for 'tenon apply OUT FILE'" },
    { CLI_FLAG, 0, "force-invalid", FIELD(force_invalid), NULL, "write even if 'tenon check' finds errors" },
    { 0 },
};
/* clang-format on */

/* The actions of the library, in the order of its table. */
static const struct cli_opt *action_rows(void)
{
    enum { MOST = 100 };
    static struct cli_opt rows[MOST + 1];
    uint32_t              count = tn_edit_action_count();

    for (uint32_t i = 0; i < count && i < MOST; i++) {
        struct tn_edit_action_info action = tn_edit_action(i);
        rows[i] = (struct cli_opt){ .kind  = CLI_ACTION,
                                    .name  = action.name,
                                    .field = FIELD(actions),
                                    .value = action.arguments,
                                    .help  = action.help };
    }
    return rows;
}

/* ---- what was done ------------------------------------------------------ */

static void print_receipt(const struct edit_opts          *opts,
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
    cli_text_add(&text, ", ");
    cli_show_plural(&text, opts->actions.count, "action", "actions");
    cli_text_add(&text,
                 common->is_dry_run ? " (nothing done: --dry-run)\n" : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_receipt(const struct edit_opts *opts, const char *path,
                        const struct tn_convert_summary *summary,
                        const struct cli_losses         *losses)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.edit/1");
    cli_json_put_string(&json, "path", cli_path_shown(path));
    cli_json_put_string(&json, "out", cli_path_shown(opts->common.out));
    cli_json_put_string(&json, "format", summary->format);
    cli_json_key(&json, "actions");
    cli_json_open(&json, '[');
    for (size_t i = 0; i < opts->actions.count; i++) {
        const struct cli_action *action = &opts->actions.items[i];
        cli_json_open_flat(&json, '{');
        cli_json_put_string(&json, "action", action->name);
        if (action->value != NULL)
            cli_json_put_string(&json, "value", action->value);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_put_number(&json, "bytes_written", summary->bytes_written);
    cli_losses_put(losses, &json);
    cli_json_put_bool(&json, "is_dry_run", opts->common.is_dry_run);
    cli_json_end(&json);
}

static void report(const struct edit_opts *opts, const char *path,
                   const struct tn_convert_summary *summary,
                   const struct cli_losses         *losses)
{
    if (opts->common.is_json)
        put_receipt(opts, path, summary, losses);
    else if (!opts->common.is_quiet) {
        cli_losses_print(losses, opts->common.out);
        print_receipt(opts, summary);
    }
}

/* ---- the verb ----------------------------------------------------------- */

static int check_usage(const struct edit_opts *opts)
{
    if (opts->common.out == NULL)
        return cli_usage("edit", "give the output with -o OUT");
    if (opts->actions.count == 0)
        return cli_usage("edit", "no action given: such as --rename OLD=NEW; "
                                 "'tenon help edit' lists them");
    if (strcmp(opts->common.out, "-") == 0 && opts->common.is_json)
        return cli_usage("edit", "--json and -o - cannot be used together");
    if (opts->patch_out != NULL && strcmp(opts->common.out, "-") == 0)
        return cli_usage("edit",
                         "--patch-out and -o - cannot be used together");
    int code = cli_check_settings("edit", &opts->common.for_writing);
    return code != 0 ? code : cli_refuse_terminal("edit", opts->common.out);
}

/* Actions report values that are no longer what they were. */
static void take_notes(const struct tn_edit *edit, struct cli_losses *losses)
{
    const char *note;

    for (uint32_t i = 0; (note = tn_edit_note(edit, i)) != NULL; i++)
        cli_losses_add(losses, TN_NOWHERE, "", note);
}

static enum tn_status make(struct cli_session     *session,
                           const struct edit_opts *opts,
                           const struct tn_model *model, struct tn_model **made,
                           struct cli_losses *losses, struct tn_error *error)
{
    struct tn_edit *edit;
    enum tn_status  status =
        tn_edit_open(&edit, model, &session->options, error);

    for (size_t i = 0; status == TN_OK && i < opts->actions.count; i++)
        status = tn_edit_act(edit, opts->actions.items[i].name,
                             opts->actions.items[i].value, error);
    if (status == TN_OK)
        status = tn_edit_commit(edit, made, error);
    if (status == TN_OK)
        take_notes(edit, losses);
    tn_edit_close(edit);
    return status;
}

/* The patch that turns the file that was written into the old model. */
static enum tn_status write_patch(struct cli_session     *session,
                                  const struct edit_opts *opts,
                                  const struct tn_model  *old,
                                  struct tn_error        *error)
{
    struct tn_target        target = cli_target(&opts->common, opts->patch_out);
    struct tn_model        *written = NULL;
    struct tn_diff         *diff    = NULL;
    struct tn_patch_summary summary;

    if (opts->patch_out == NULL || opts->common.is_dry_run)
        return TN_OK;
    enum tn_status status =
        tn_model_open(&written, opts->common.out, &session->options, error);
    if (status == TN_OK)
        status =
            tn_diff_open(&diff, written, old, NULL, &session->options, error);
    if (status == TN_OK)
        status = tn_diff_write_patch(diff, &target, &session->options, &summary,
                                     error);
    tn_diff_close(diff);
    tn_model_close(written);
    return status;
}

/* Before anything is written. */
static int check_patch(const struct edit_opts *opts)
{
    if (opts->patch_out == NULL || opts->common.is_forced ||
        access(opts->patch_out, F_OK) != 0)
        return 0;
    struct tn_error error = { .status = TN_EXISTS,
                              .reason = TN_REASON_TARGET_EXISTS,
                              .offset = TN_NOWHERE };
    snprintf(error.what, sizeof(error.what), "%.200s already exists",
             opts->patch_out);
    return cli_fail(&opts->common, opts->patch_out, &error);
}

/* Most failures are wrong names. The hint lists names of the model, so it does
 * not fit errors about other files. */
static int fail(const struct cli_common *common, const char *path,
                const struct tn_error *error)
{
    int code = cli_fail_writing(common, path, common->out, error);

    if (!common->is_quiet && error->status == TN_NOT_FOUND &&
        error->reason == TN_REASON_NONE && error->file[0] == '\0')
        cli_hint("'tenon info' lists inputs, outputs and signatures, 'tenon "
                 "ls' tensors, 'tenon ls --ops' nodes and values");
    return code;
}

static int run_edit(const void *opts, const struct cli_args *args)
{
    const struct edit_opts   *o       = opts;
    struct tn_error           error   = TN_ERROR_INIT;
    struct cli_losses         losses  = { 0 };
    struct tn_convert_summary summary = { 0 };
    struct tn_model          *model = NULL, *made = NULL;
    struct cli_session        session;

    int code = check_usage(o);
    if (code == 0)
        code = check_patch(o);
    if (code == 0) {
        cli_session_begin_writing(&session, opts);
        session.options.wants_graph = true;
        code = cli_session_open(&session, args->items[0], &model);
    }
    if (model != NULL) {
        enum tn_status status =
            make(&session, o, model, &made, &losses, &error);
        size_t notes = losses.count;
        if (status == TN_OK)
            status = cli_write_edited(&session, o->force_invalid, made, &losses,
                                      &summary, &error);
        if (status == TN_OK)
            status = write_patch(&session, o, model, &error);
        if (status == TN_OK && o->patch_out != NULL && losses.count > notes)
            cli_losses_add(&losses, TN_NOWHERE, "",
                           "the patch cannot restore what is left behind");
        cli_session_clear(&session);
        if (status == TN_OK)
            report(o, args->items[0], &summary, &losses);
        else
            code = fail(&o->common, args->items[0], &error);
    }
    cli_losses_done(&losses);
    tn_model_close(made);
    tn_model_close(model);
    free(o->actions.items);
    return code;
}

const struct cli_verb cli_edit = {
    .name      = "edit",
    .arguments = "FILE -o OUT",
    .summary   = "change a model: names, attributes, weights, and more",
    .details   = "Runs the actions in the order given and writes the result; "
                 "weights are not\nloaded.  OUT appears when it is complete.",
    .examples =
        "tenon edit tiny.onnx -o edited.onnx --set-attr 'decide axis=1'",
    .least     = 1,
    .most      = 1,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS | CLI_SETTINGS,
    .opts_size = sizeof(struct edit_opts),
    .options   = options,
    .actions   = action_rows,
    .run       = run_edit,
};
