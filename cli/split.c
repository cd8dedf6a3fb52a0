/* split.c - tenon split: a message of any size, as chunks in one file */
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "json.h"
#include "print.h"
#include "session.h"
#include "shards.h"
#include "show.h"
#include "verb_table.h"

struct split_opts {
    struct cli_common common;
    const char       *schema, *type, *compress;
    unsigned          rules;
    unsigned          version;
    bool              is_transposed, separates_bytes;
    uint64_t          max_size, max_file, max_metadata;
};

/* The default of --max-size. */
#define USUAL_SIZE (UINT64_C(2) << 30)

#define FIELD(f) offsetof(struct split_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_SIZE,   'm', "max-size",  FIELD(max_size),      "SIZE",       "largest chunk that is a message; default: 2GiB" },
    { CLI_TEXT,   'c', "compress",  FIELD(compress),      "CODEC",      "none, snappy, zstd[:L], brotli[:Q]; default brotli:6" },
    { CLI_FLAG,   0,   "transpose", FIELD(is_transposed), NULL,         "store fields in columns: smaller, slower" },
    { CLI_CHOICE, 0,   "rules",     FIELD(rules),         "cpp|python", "follow TensorFlow's C++ or Python splitter" },
    { CLI_FILE,   0,   "schema",    FIELD(schema),        "FILE",       "your own descriptor set (protoc -o FILE)" },
    { CLI_CHOICE, 0,   "format-version", FIELD(version), "1|2", "1: for TensorFlow; 2: allows the options below" },
    { CLI_SIZE,   0,   "max-file",  FIELD(max_file),      "SIZE",       "write several files of at most SIZE" },
    { CLI_SIZE,   0,   "max-metadata", FIELD(max_metadata), "SIZE",     "largest record of metadata; default: 2GiB" },
    { CLI_FLAG,   0,   "separate-bytes", FIELD(separates_bytes), NULL,  "put bytes in PREFIX.bytes.cpb, transpose messages" },
    { CLI_TEXT,   't', "type",      FIELD(type),          "NAME",       "message, such as onnx.ModelProto" },
    { 0 },
};
/* clang-format on */

static const char *finish(struct cli_text *text)
{
    cli_text_put(text, "", 1);
    return (const char *)cli_text_view(text).data;
}

/* The folder, or which of the two files it is or was to be. */
static const char *name_written(const struct split_opts       *opts,
                                const struct tn_split_summary *summary,
                                struct cli_text               *text)
{
    cli_text_add(text, opts->common.out);
    if (!summary->is_folder)
        cli_text_add(text, summary->is_chunked ? ".cpb" : ".pb");
    return finish(text);
}

static void print_receipt(const struct split_opts       *opts,
                          const struct tn_split_summary *summary,
                          const char                    *written)
{
    bool            is_dry = opts->common.is_dry_run;
    struct cli_text text   = { 0 };

    cli_text_safe(&text, cli_bytes(written));
    cli_text_add(&text, ": ");
    cli_show_plural(&text, summary->chunks, "chunk", "chunks");
    cli_text_add(&text, " of a message of ");
    cli_text_bytes(&text, summary->message_size);
    if (summary->drops_fingerprint)
        cli_text_add(&text, ", without fingerprint.pb, which no longer fits");
    cli_text_add(&text, is_dry ? " (nothing done: --dry-run)\n" : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_receipt(const struct split_opts *opts, const char *path,
                        const struct tn_split_summary *summary,
                        const char                    *written)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.split/1");
    cli_json_put_string(&json, "path", path);
    cli_json_put_string(&json, "out", written);
    cli_json_put_number(&json, "message_size", summary->message_size);
    cli_json_put_number(&json, "chunks", summary->chunks);
    cli_json_put_bool(&json, "is_chunked", summary->is_chunked);
    cli_json_put_bool(&json, "is_dry_run", opts->common.is_dry_run);
    cli_json_end(&json);
}

/* --compress and --transpose in the words of a records file. */
static const char *records_of(const struct split_opts *opts,
                              struct cli_text         *text)
{
    const char *codec = opts->compress ? opts->compress : "brotli:6";

    cli_text_add(text, strcmp(codec, "none") == 0 ? "uncompressed" : codec);
    if (opts->is_transposed)
        cli_text_add(text, ",transpose");
    return finish(text);
}

static int split_file(struct cli_session      *session,
                      const struct split_opts *opts, const char *path)
{
    struct tn_target target  = cli_target(&opts->common, opts->common.out);
    struct tn_error  error   = TN_ERROR_INIT;
    struct cli_text  records = { 0 }, written = { 0 };
    struct tn_split_summary summary = { 0 };
    struct tn_split_options split   = {
          .schema   = opts->schema,
          .type     = opts->type,
          .rules    = opts->rules == 2 ? TN_SPLIT_PYTHON : TN_SPLIT_CPP,
          .max_size = opts->max_size,
          .records  = records_of(opts, &records),
          .format   = { .version         = opts->version,
                        .separates_bytes = opts->separates_bytes,
                        .max_metadata    = opts->max_metadata,
                        .max_file        = opts->max_file },
    };
    int code = 0;

    enum tn_status status =
        tn_split(path, &session->options, &split, &target, &summary, &error);
    cli_session_clear(session);
    if (status == TN_UNSUPPORTED && opts->type == NULL) {
        code = cli_shards(session, path, opts->common.out,
                          opts->max_size ? opts->max_size : USUAL_SIZE);
        if (code != CLI_NO_SHARDS) {
            cli_text_done(&records);
            return code;
        }
        code = 0;
    }
    const char *name = name_written(opts, &summary, &written);
    if (status != TN_OK && cli_is_about_codec(&error))
        code = cli_refuse_codec("split", opts->compress);
    else if (status != TN_OK) {
        code = cli_fail_typed(session->common, path, name, opts->type,
                              opts->schema, &error);
        if (status == TN_LIMIT && error.reason == TN_REASON_NONE &&
            opts->max_size != 0 && !opts->common.is_quiet)
            cli_hint("--max-size sets the limit");
    } else if (opts->common.is_json)
        put_receipt(opts, path, &summary, name);
    else if (!opts->common.is_quiet)
        print_receipt(opts, &summary, name);
    cli_text_done(&records);
    cli_text_done(&written);
    return code;
}

static int run_split(const void *opts, const struct cli_args *args)
{
    const struct split_opts *o = opts;
    struct cli_session       session;

    if (o->common.out == NULL)
        return cli_usage("split", "give the output with -o PREFIX");
    if (strcmp(o->common.out, "-") == 0)
        return cli_usage("split",
                         "chunks cannot go to standard output: use -o PREFIX");
    if (o->schema != NULL && o->type == NULL)
        return cli_usage("split", "--schema needs --type: the message to "
                                  "split");
    if (o->version != 2 &&
        (o->max_file || o->max_metadata || o->separates_bytes))
        return cli_usage("split",
                         "--max-file, --max-metadata and --separate-bytes need "
                         "--format-version 2, which TensorFlow does not read");
    cli_session_begin_writing(&session, opts);
    return split_file(&session, o, args->items[0]);
}

const struct cli_verb cli_split = {
    .name      = "split",
    .arguments = "FILE -o PREFIX",
    .summary   = "split a message too large for protobuf into chunks",
    .details   = "Writes PREFIX.cpb, or PREFIX.pb when all of it fits into one "
                 "chunk.  Graphs and\nSavedModels of TensorFlow are split by "
                 "its own rules, other messages by size.\nVersion 2 of the "
                 "format can also divide long bytes, and write several "
                 "files.\nSets of tensors (GGUF, safetensors) become several "
                 "files of at most --max-size.",
    .examples  = "tenon split tiny.onnx -o tiny --max-size 200",
    .least     = 1,
    .most      = 1,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS,
    .opts_size = sizeof(struct split_opts),
    .options   = options,
    .run       = run_split,
};
