/* undump.c - tenon undump: a file from the text or JSON that dump prints */
#include <string.h>

#include "failure.h"
#include "session.h"
#include "verb_table.h"

struct undump_opts {
    struct cli_common common;
    const char       *schema, *type;
};

#define FIELD(f) offsetof(struct undump_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FILE, 0,   "schema", FIELD(schema), "FILE", "your own schema (protoc -o FILE, or a .bfbs file)" },
    { CLI_TEXT, 't', "type",   FIELD(type),   "NAME", "message or table, such as onnx.TensorProto" },
    { 0 },
};
/* clang-format on */

static int undump_file(struct cli_session       *session,
                       const struct undump_opts *opts, const char *path)
{
    struct tn_target       target = cli_target(&opts->common, opts->common.out);
    struct tn_error        error  = TN_ERROR_INIT;
    struct tn_dump_options undump = { .schema = opts->schema,
                                      .type   = opts->type };
    enum tn_status         status =
        tn_undump(path, &session->options, &undump, &target, &error);

    cli_session_clear(session);
    if (status == TN_OK)
        return 0;
    if (cli_is_about_output(&error))
        return cli_fail_writing(session->common, path, opts->common.out,
                                &error);
    int code = cli_print_error(path, &error); /* not for 'tenon check' */
    if (opts->type == NULL && !opts->common.is_quiet &&
        error.reason == TN_REASON_UNKNOWN_FORMAT)
        cli_hint("give OUT a suffix such as .onnx or .fb, or use --type, such "
                 "as onnx.ModelProto");
    return code;
}

static int run_undump(const void *opts, const struct cli_args *args)
{
    const struct undump_opts *o = opts;
    struct cli_session        session;

    if (o->common.out == NULL)
        return cli_usage("undump", "give the output with -o OUT");
    if (o->schema != NULL && o->type == NULL)
        return cli_usage("undump",
                         "--schema needs --type: the message to write");
    int code = cli_refuse_terminal("undump", o->common.out);
    if (code != 0)
        return code;
    cli_session_begin_writing(&session, opts);
    return undump_file(&session, o, args->items[0]);
}

const struct cli_verb cli_undump = {
    .name      = "undump",
    .arguments = "FILE -o OUT",
    .summary   = "make the file again from what dump printed",
    .details  = "Text and JSON are distinguished by their first bytes, formats "
                "by the names of\ntheir fields, or else by the name of OUT; "
                "--type gives it.",
    .examples = "tenon undump tiny.txt -o again.onnx",
    .least    = 1,
    .most     = 1,
    .groups   = CLI_READS | CLI_WRITES,
    .opts_size = sizeof(struct undump_opts),
    .options   = options,
    .run       = run_undump,
};
