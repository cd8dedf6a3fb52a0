/* view.c - tenon view: a model as a picture, in one file */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "json.h"
#include "open_browser.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct view_opts {
    struct cli_common common;
    const char       *data;
    unsigned          form;
    bool              stats, opens;
};

#define FIELD(f) offsetof(struct view_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG,   'O', "open",  FIELD(opens), NULL,       "show it in the browser" },
    { CLI_FLAG,   's', "stats", FIELD(stats), NULL,       "with statistics of all tensors, which are read" },
    { CLI_FILE,   'd', "data",  FIELD(data),  "NUMBERS",  "colour nodes by a number each, from JSON or TSV" },
    { CLI_CHOICE, 0,   "form",  FIELD(form),  "html|svg", "default: by the suffix of OUT" },
    { 0 },
};
/* clang-format on */

/* Without -o the page is put next to other temporary files, under a name that
 * nobody else can have made. */
static char *temporary_path(const char **problem)
{
    const char     *folder = getenv("TMPDIR");
    struct cli_text text   = { 0 };

    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    cli_text_addf(&text, "%s/tenon-view-XXXXXX", folder);
    cli_text_put(&text, "", 1);
    if (mkdtemp(text.data) == NULL) {
        *problem = folder;
        cli_text_done(&text);
        return NULL;
    }
    text.size--;
    cli_text_add(&text, "/model.html");
    cli_text_put(&text, "", 1);
    return text.data;
}

static void print_receipt(const struct cli_common *common, const char *out,
                          const struct tn_view_summary *summary, bool has_graph)
{
    struct cli_text text = { 0 };

    cli_text_safe(&text,
                  cli_bytes(strcmp(out, "-") == 0 ? "standard output" : out));
    cli_text_addf(&text, ": %s, ", summary->form);
    cli_text_bytes(&text, summary->bytes_written);
    cli_text_add(&text, ", ");
    cli_show_plural(&text, summary->nodes, has_graph ? "node" : "tensor",
                    has_graph ? "nodes" : "tensors");
    cli_text_add(&text, ", ");
    cli_show_plural(&text, summary->shown, "box", "boxes");
    cli_text_add(&text, " at first");
    if (summary->numbers_used > 0) {
        cli_text_add(&text, ", ");
        cli_show_plural(&text, summary->numbers_used, "node coloured",
                        "nodes coloured");
    }
    cli_text_add(&text,
                 common->is_dry_run ? " (nothing done: --dry-run)\n" : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_receipt(const struct cli_common *common, const char *path,
                        const char *out, const struct tn_view_summary *summary)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.view/1");
    cli_json_put_string(&json, "path", path);
    cli_json_put_string(&json, "out", out);
    cli_json_put_string(&json, "form", summary->form);
    cli_json_put_number(&json, "nodes", summary->nodes);
    cli_json_put_number(&json, "blocks", summary->blocks);
    cli_json_put_number(&json, "shown", summary->shown);
    cli_json_put_number(&json, "coloured", summary->numbers_used);
    cli_json_put_number(&json, "bytes_written", summary->bytes_written);
    cli_json_put_bool(&json, "is_dry_run", common->is_dry_run);
    cli_json_end(&json);
}

static int check_usage(const struct view_opts *opts)
{
    const char *out = opts->common.out;

    if (out == NULL && !opts->opens)
        return cli_usage("view", "give the output with -o OUT.html or -o "
                                 "OUT.svg, or use --open");
    if (out != NULL && strcmp(out, "-") == 0 && opts->common.is_json)
        return cli_usage("view", "--json and -o - cannot be used together");
    if (opts->opens &&
        (opts->common.is_dry_run || (out != NULL && strcmp(out, "-") == 0)))
        return cli_usage("view", "--open needs a file: it cannot be used with "
                                 "--dry-run or -o -");
    return 0;
}

static int show_in_browser(const struct cli_common *common, const char *out)
{
    const char *program;
    int         failure = cli_open_browser(out, &program);

    if (failure == 0)
        return 0;
    int code = cli_fail_errno("start", program, failure);
    if (!common->is_quiet)
        cli_hint("the picture was written: open %s yourself, or set BROWSER",
                 out);
    return code;
}

static int fail(const struct view_opts *o, const char *path, const char *out,
                struct tn_error *error)
{
    if (o->data != NULL && strcmp(error->file, o->data) == 0)
        return cli_print_file_error(error);
    return cli_fail_writing(&o->common, path, out, error);
}

static int view_model(const struct view_opts *o, const char *path,
                      const char *out)
{
    static const enum tn_view_form forms[] = { TN_VIEW_AUTO, TN_VIEW_HTML,
                                               TN_VIEW_SVG };
    struct tn_view_options         view    = TN_VIEW_OPTIONS_INIT;
    struct tn_view_summary         summary = { 0 };
    struct tn_error                error   = TN_ERROR_INIT;
    struct tn_model               *model   = NULL;
    struct cli_session             session;

    view.form  = forms[o->form];
    view.stats = o->stats;
    view.data  = o->data;
    cli_session_begin_writing(&session, o);
    session.options.wants_graph = true;
    int code                    = cli_session_open(&session, path, &model);
    if (code != 0)
        return code;
    struct tn_target target = cli_target(&o->common, out);
    enum tn_status   status =
        tn_view(model, &view, &target, &session.options, &summary, &error);
    cli_session_clear(&session);
    bool has_graph =
        tn_model_op_count(model) > 0 || tn_model_tensor_count(model) == 0;
    tn_model_close(model);
    if (status != TN_OK)
        return fail(o, path, out, &error);
    if (o->common.is_json)
        put_receipt(&o->common, path, out, &summary);
    else if (!o->common.is_quiet)
        print_receipt(&o->common, out, &summary, has_graph);
    return o->opens ? show_in_browser(&o->common, out) : 0;
}

static int run_view(const void *opts, const struct cli_args *args)
{
    const struct view_opts *o       = opts;
    const char             *problem = NULL;

    int code = check_usage(o);
    if (code != 0)
        return code;
    if (o->common.out != NULL)
        return view_model(o, args->items[0], o->common.out);
    char *out = temporary_path(&problem);
    if (out == NULL)
        return cli_fail_errno("make a folder in", problem, errno);
    code = view_model(o, args->items[0], out);
    free(out);
    return code;
}

const struct cli_verb cli_view = {
    .name      = "view",
    .arguments = "FILE [-o OUT]",
    .summary   = "draw a model, as one HTML file or as SVG",
    .details   = "Writes a page that needs no network and no server: the graph "
                 "with scopes,\nfunctions and repeated parts as blocks that "
                 "open in place; the tensors of a\nmodel without a graph as "
                 "areas.  OUT.svg gets the first picture alone.",
    .examples  = "tenon view tiny.onnx -o tiny.html\n"
                 "tenon view tiny.onnx -o tiny.svg",
    .least     = 1,
    .most      = 1,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS,
    .opts_size = sizeof(struct view_opts),
    .options   = options,
    .run       = run_view,
};
