/* merge.c - tenon merge: joins chunks into one message again */
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "json.h"
#include "print.h"
#include "session.h"
#include "shards.h"
#include "verb_table.h"

struct merge_opts {
    struct cli_common common;
    const char       *schema, *type;
};

#define FIELD(f) offsetof(struct merge_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FILE, 0,   "schema", FIELD(schema), "FILE", "your own descriptor set (protoc -o FILE)" },
    { CLI_TEXT, 't', "type",   FIELD(type),   "NAME", "message, such as onnx.ModelProto" },
    { 0 },
};
/* clang-format on */

/* protobuf's libraries count in 31 bits. */
#define MOST_OF_A_MESSAGE ((UINT64_C(1) << 31) - 1)

static void print_receipt(const struct cli_common       *common,
                          const struct tn_split_summary *summary)
{
    struct cli_text text = { 0 };

    cli_text_safe(&text,
                  cli_bytes(strcmp(common->out, "-") == 0
                                ? "standard output"
                                : cli_path_shown(common->out)));
    cli_text_add(&text, ": ");
    cli_text_bytes(&text, summary->message_size);
    cli_text_add(&text, common->is_dry_run ? " to write" : " written");
    if (summary->drops_fingerprint)
        cli_text_add(&text, ", without fingerprint.pb, which no longer fits");
    if (summary->message_size > MOST_OF_A_MESSAGE)
        cli_text_add(&text, "; protobuf's libraries read no more than 2 GiB");
    cli_text_add(&text,
                 common->is_dry_run ? " (nothing done: --dry-run)\n" : "\n");
    if (summary->warning[0]) {
        cli_text_add(&text, "warning: ");
        cli_text_safe(&text, cli_bytes(summary->warning));
        cli_text_add(&text, "\n");
    }
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_receipt(const struct cli_common *common, const char *path,
                        const struct tn_split_summary *summary)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.merge/1");
    cli_json_put_string(&json, "path", path);
    cli_json_put_string(&json, "out", cli_path_shown(common->out));
    cli_json_put_number(&json, "message_size", summary->message_size);
    cli_json_put_bool(&json, "is_dry_run", common->is_dry_run);
    if (summary->warning[0])
        cli_json_put_string(&json, "warning", summary->warning);
    cli_json_end(&json);
}

static int merge_file(struct cli_session      *session,
                      const struct merge_opts *opts, const char *path)
{
    struct tn_target target       = cli_target(&opts->common, opts->common.out);
    struct tn_error  error        = TN_ERROR_INIT;
    struct tn_split_options merge = { .schema = opts->schema,
                                      .type   = opts->type };
    struct tn_split_summary summary = { 0 };
    enum tn_status status = tn_merge_file(path, &session->options, &merge,
                                          &target, &summary, &error);

    cli_session_clear(session);
    if ((status == TN_UNSUPPORTED || status == TN_NOT_FOUND) &&
        opts->type == NULL) {
        int code = cli_shards(session, path, opts->common.out, 0);
        if (code != CLI_NO_SHARDS)
            return code;
    }
    if (status != TN_OK)
        return cli_fail_typed(session->common, path, opts->common.out,
                              opts->type, opts->schema, &error);
    if (opts->common.is_json)
        put_receipt(&opts->common, path, &summary);
    else if (!opts->common.is_quiet)
        print_receipt(&opts->common, &summary);
    return 0;
}

static int run_merge(const void *opts, const struct cli_args *args)
{
    const struct merge_opts *o = opts;
    struct cli_session       session;

    if (o->common.out == NULL)
        return cli_usage("merge", "give the output with -o OUT");
    if (o->schema != NULL && o->type == NULL)
        return cli_usage("merge", "--schema needs --type: the message to "
                                  "make");
    if (strcmp(o->common.out, "-") == 0 && o->common.is_json)
        return cli_usage("merge", "--json and -o - cannot be used together");
    int code = cli_refuse_terminal("merge", o->common.out);
    if (code != 0)
        return code;
    cli_session_begin_writing(&session, opts);
    return merge_file(&session, o, args->items[0]);
}

const struct cli_verb cli_merge = {
    .name      = "merge",
    .arguments = "PREFIX[.cpb] -o OUT",
    .summary   = "join chunks into one message again",
    .details   = "The type of the message usually follows from the chunks; "
                 "--type gives it.\nSets of tensors in several files (GGUF, "
                 "safetensors) become one file.",
    .examples  = "tenon merge tiny.cpb -o again.onnx",
    .least     = 1,
    .most      = 1,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS,
    .opts_size = sizeof(struct merge_opts),
    .options   = options,
    .run       = run_merge,
};
