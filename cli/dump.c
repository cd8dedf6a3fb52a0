/* dump.c - tenon dump: a model or any protobuf message as text or JSON */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "text.h"
#include "verb_table.h"

struct dump_opts {
    struct cli_common common;
    bool              is_text, is_json, use_json_names, is_strict;
    const char       *schema, *type;
};

#define FIELD(f) offsetof(struct dump_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG, 0,   "text",       FIELD(is_text),        NULL,   "protobuf text format; the default" },
    { CLI_FLAG, 0,   "json",       FIELD(is_json),        NULL,   "protobuf JSON" },
    { CLI_FLAG, 0,   "json-names", FIELD(use_json_names), NULL,   "JSON with lowerCamelCase names" },
    { CLI_FILE, 0,   "schema",     FIELD(schema),         "FILE", "your own schema (protoc -o FILE, or a .bfbs file)" },
    { CLI_TEXT, 't', "type",       FIELD(type),           "NAME", "message or table, such as onnx.TensorProto" },
    { CLI_FLAG, 0,   "strict",     FIELD(is_strict),      NULL,   "fail if undump could not restore everything" },
    { 0 },
};
/* clang-format on */

/* Called under --strict, for each thing that undump could not give back. */
static void on_loss(void *context, uint64_t offset, const char *where,
                    const char *what)
{
    const char *path   = context;
    char        at[40] = "";

    if (offset != TN_NOWHERE)
        snprintf(at, sizeof at, "at byte 0x%" PRIx64 ": ", offset);
    where = where != NULL ? where : "";
    cli_say("%s: %s%s%s%s", cli_path_name(path), at, where,
            where[0] != '\0' ? ": " : "", what);
}

static int dump_file(struct cli_session *session, const struct dump_opts *opts,
                     const char *path)
{
    const char      *out    = opts->common.out != NULL ? opts->common.out : "-";
    struct tn_target target = cli_target(&opts->common, out);
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_dump_options dump = {
        .form =
            opts->is_json || opts->use_json_names ? TN_DUMP_JSON : TN_DUMP_TEXT,
        .schema         = opts->schema,
        .type           = opts->type,
        .is_strict      = opts->is_strict,
        .use_json_names = opts->use_json_names,
    };
    cli_session_tag(session, path);
    if (strcmp(out, "-") == 0 && !opts->common.is_dry_run)
        cli_pager_begin();
    enum tn_status status = tn_dump(path, &session->options, &dump, &target,
                                    on_loss, (void *)path, &error);

    cli_session_clear(session);
    if (status == TN_OK || (status == TN_IO && cli_pager_is_left()))
        return 0; /* leaving the pager early is no failure */
    return cli_fail_typed(session->common, path, out, opts->type, opts->schema,
                          &error);
}

static int run_dump(const void *opts, const struct cli_args *args)
{
    const struct dump_opts *o = opts;
    struct cli_session      session;

    if (o->is_text && (o->is_json || o->use_json_names))
        return cli_usage("dump", "--text and --json cannot be used together");
    if (o->schema != NULL && o->type == NULL)
        return cli_usage("dump", "--schema needs --type: the message to read");
    cli_session_begin_writing(&session, opts);
    cli_session_prints(&session, o->common.out != NULL ? o->common.out : "-");
    return dump_file(&session, o, args->items[0]);
}

const struct cli_verb cli_dump = {
    .name      = "dump",
    .arguments = "FILE",
    .summary   = "print the whole file as protobuf text or JSON, losslessly",
    .details  = "What is printed can be edited; 'tenon undump' makes a file of "
                "it again.",
    .examples = "tenon dump tiny.onnx | head -n 5\n"
                "tenon dump --json tiny.onnx -o tiny.json",
    .least    = 1,
    .most     = 1,
    .groups   = CLI_READS | CLI_WRITES | CLI_SHOWS,
    .opts_size = sizeof(struct dump_opts),
    .options   = options,
    .run       = run_dump,
};
