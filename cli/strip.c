/* strip.c - tenon strip: removes from a model what should not be published */
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "json.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct strip_opts {
    struct cli_common common;
    bool              callstack, training;
};

#define FIELD(f) offsetof(struct strip_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG, 'c', "callstack", FIELD(callstack), NULL, "source paths, stack traces, debug information" },
    { CLI_FLAG, 't', "training",  FIELD(training),  NULL, "optimizers, gradients and what only they use" },
    { 0 },
};
/* clang-format on */

static void add_count(struct cli_text *text, uint64_t count, const char *one,
                      const char *many, bool *is_first)
{
    if (count == 0)
        return;
    cli_text_add(text, *is_first ? ", without " : ", ");
    cli_show_plural(text, count, one, many);
    *is_first = false;
}

static void print_receipt(const struct cli_common       *common,
                          const struct tn_strip_summary *summary)
{
    struct cli_text text     = { 0 };
    bool            is_first = true;

    cli_text_safe(&text,
                  cli_bytes(strcmp(common->out, "-") == 0
                                ? "standard output"
                                : cli_path_shown(common->out)));
    cli_text_addf(&text, ": %s, ", summary->format);
    cli_text_bytes(&text, summary->bytes_written);
    cli_text_add(&text, " of ");
    cli_text_bytes(&text, summary->bytes_read);
    add_count(&text, summary->fields, "field", "fields", &is_first);
    add_count(&text, summary->ops, "operator", "operators", &is_first);
    add_count(&text, summary->tensors, "tensor", "tensors", &is_first);
    if (is_first)
        cli_text_add(&text, ", nothing to strip");
    cli_text_add(&text,
                 common->is_dry_run ? " (nothing done: --dry-run)\n" : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_receipt(const struct cli_common *common, const char *path,
                        const struct tn_strip_summary *summary)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.strip/1");
    cli_json_put_string(&json, "path", path);
    cli_json_put_string(&json, "out", cli_path_shown(common->out));
    cli_json_put_string(&json, "format", summary->format);
    cli_json_put_number(&json, "fields", summary->fields);
    cli_json_put_number(&json, "operators", summary->ops);
    cli_json_put_number(&json, "tensors", summary->tensors);
    cli_json_put_number(&json, "bytes_read", summary->bytes_read);
    cli_json_put_number(&json, "bytes_written", summary->bytes_written);
    cli_json_put_bool(&json, "is_dry_run", common->is_dry_run);
    cli_json_end(&json);
}

/* What else had to be removed: a fingerprint of the old bytes. */
static void on_loss(void *context, uint64_t offset, const char *where,
                    const char *what)
{
    const struct cli_common *common = context;

    (void)offset;
    if (!common->is_quiet)
        cli_say("%s: %s%s%s", cli_path_shown(common->out), where,
                where[0] ? ": " : "", what);
}

static int check_usage(const struct strip_opts *opts)
{
    if (opts->common.out == NULL)
        return cli_usage("strip", "give the output with -o OUT");
    if (!opts->callstack && !opts->training)
        return cli_usage(
            "strip", "choose what to remove: --callstack, --training or both");
    if (strcmp(opts->common.out, "-") == 0 && opts->common.is_json)
        return cli_usage("strip", "--json and -o - cannot be used together");
    return cli_refuse_terminal("strip", opts->common.out);
}

static int fail(const struct cli_common *common, const char *path,
                const struct tn_error *error)
{
    bool is_name = error->reason == TN_REASON_UNKNOWN_TARGET_FORMAT;
    int  code    = cli_fail_writing(common, path, common->out, error);

    if (is_name && !common->is_quiet)
        cli_hint("give OUT the suffix of its format, such as .pdmodel; 'tenon "
                 "formats' lists them");
    return code;
}

static int run_strip(const void *opts, const struct cli_args *args)
{
    const struct strip_opts *o       = opts;
    struct cli_common        common  = o->common;
    struct tn_strip_options  strip   = { .callstack    = o->callstack,
                                         .training     = o->training,
                                         .loss         = on_loss,
                                         .loss_context = &common };
    struct tn_strip_summary  summary = { 0 };
    struct tn_error          error   = TN_ERROR_INIT;
    struct cli_session       session;

    int code = check_usage(o);
    if (code != 0)
        return code;
    cli_session_begin_writing(&session, opts);
    cli_session_tag(&session, args->items[0]);
    struct tn_target target = cli_target(&o->common, o->common.out);
    enum tn_status   status = tn_strip(args->items[0], &session.options, &strip,
                                       &target, &summary, &error);
    cli_session_clear(&session);
    if (status != TN_OK)
        return fail(&o->common, args->items[0], &error);
    if (o->common.is_json)
        put_receipt(&o->common, args->items[0], &summary);
    else if (!o->common.is_quiet)
        print_receipt(&o->common, &summary);
    return 0;
}

const struct cli_verb cli_strip = {
    .name      = "strip",
    .arguments = "FILE -o OUT",
    .summary   = "remove source paths or training parts from a model",
    .details   = "Writes the model without source paths (--callstack) or "
                 "without what belongs to\ntraining (--training).  OUT appears "
                 "when it is complete.",
    .examples  = "tenon strip tiny.onnx -o shipped.onnx --callstack",
    .least     = 1,
    .most      = 1,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS,
    .opts_size = sizeof(struct strip_opts),
    .options   = options,
    .run       = run_strip,
};
