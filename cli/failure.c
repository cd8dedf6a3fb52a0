/* failure.c - how the command reports a failure: one line, a hint, an exit
 * code */
#include "failure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <tenon/verbs.h>

#include "format_options.h"
#include "option_table.h"
#include "pager.h"
#include "print.h"

/* Queries of URLs are often signatures; in names of stores and hubs '?' is a
 * letter as others.  A password may have an '@' in it: the last one counts. */
const char *cli_path_shown(const char *path)
{
    static char shown[1024];
    const char *host = strstr(path, "://");

    if (host == NULL || strcspn(path, "?#@") == strlen(path) ||
        strncasecmp(path, "s3://", 5) == 0 ||
        strncasecmp(path, "hf://", 5) == 0)
        return path;
    host += 3;
    const char *rest = host;
    for (size_t i = 0, size = strcspn(host, "/?#"); i < size; i++)
        if (host[i] == '@')
            rest = host + i;
    snprintf(shown, sizeof(shown), "%.*s%s%.*s", (int)(host - path), path,
             rest > host ? "..." : "", (int)strcspn(rest, "?#"), rest);
    return shown;
}

const char *cli_path_name(const char *path)
{
    if (strcmp(path, "-") == 0)
        return "standard input";
    return path[0] != '\0' ? cli_path_shown(path) : "''";
}

/* Whether the message needs the status in front of it.  "malformed" tells the
 * reader what the rest is about; "io: No such file" and "unsupported: cannot
 * convert" say the same thing twice. */
static bool is_named(const struct tn_error *error)
{
    switch (error->status) {
    case TN_TRUNCATED:
    case TN_MALFORMED:
    case TN_LIMIT: return true;
    case TN_UNSUPPORTED: return error->reason == TN_REASON_NONE;
    default: return false;
    }
}

/* Whether the message itself names the file that was read or written: "cannot
 * write out.npy: No space left on device". */
static bool is_complete(const struct tn_error *error)
{
    return error->status == TN_IO && error->offset == TN_NOWHERE &&
           error->file[0] == '\0';
}

/* The place in the model is left out where it does not help, as with a full
 * disk. */
static bool has_place(const struct tn_error *error)
{
    return error->where[0] != '\0' && error->status != TN_EXISTS &&
           error->status != TN_CANCELLED && !is_complete(error);
}

static void add_place(struct cli_text *text, const struct tn_error *error)
{
    bool has_offset = error->offset != TN_NOWHERE;

    if (is_named(error))
        cli_text_addf(text, "%s%s", tn_status_name(error->status),
                      has_offset ? " " : ": ");
    if (has_offset)
        cli_text_addf(text, "at byte 0x%" PRIx64 ": ", error->offset);
    if (has_place(error)) {
        cli_text_message(text, error->where);
        cli_text_add(text, ": ");
    }
}

/* "bert.onnx exists": sentences that name the file they are about. */
static bool names_target(const struct tn_error *error)
{
    switch (error->reason) {
    case TN_REASON_TARGET_EXISTS:
    case TN_REASON_TARGET_BUSY:
    case TN_REASON_UNKNOWN_TARGET_FORMAT: return true;
    default: return false;
    }
}

static bool names_file(const struct tn_error *error)
{
    return names_target(error) || error->reason == TN_REASON_MISSING_FILE ||
           error->reason == TN_REASON_MISSING_SHARD ||
           error->reason == TN_REASON_SYMBOLIC_LINK;
}

/* As many models of a folder are listed. */
#define MOST_LISTED 40

struct listed {
    const char *folder;
    uint64_t    count;
};

static int list_model(void *context, const struct tn_folder_model *model)
{
    struct listed  *listed = context;
    struct cli_text text   = { 0 };
    size_t          size   = strlen(listed->folder);
    size_t          length = strlen(model->path);
    const char     *none   = length > 0 && model->path[length - 1] == '/'
                                 ? "(several models)"
                                 : "(broken link)";

    if (listed->count++ >= MOST_LISTED)
        return 0;
    cli_text_addf(&text, "  %-20s  ", model->format[0] ? model->format : none);
    cli_text_safe(&text, cli_bytes(listed->folder));
    if (size > 0 && listed->folder[size - 1] != '/')
        cli_text_add(&text, "/");
    cli_text_safe(&text, cli_bytes(model->path));
    cli_text_add(&text, "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
    return 0;
}

/* A folder of several models: which there are, and of which format. */
static void list_folder(const char *path)
{
    struct tn_options options = { 0 };
    struct tn_error   error   = TN_ERROR_INIT;
    struct listed     listed  = { path, 0 };

    tn_folder_models(path, &options, list_model, &listed, &error);
    if (listed.count > MOST_LISTED)
        cli_say("  and %" PRIu64 " more", listed.count - MOST_LISTED);
}

static bool ends_with(const char *path, const char *suffix)
{
    size_t size = strlen(path), end = strlen(suffix);

    return size > end && strcmp(path + size - end, suffix) == 0;
}

/* Most formats are recognized by bytes that may be missing in a file that was
 * cut short: its name then suggests the format to ask for. */
static void advise_from(const char *path)
{
    for (uint32_t i = 0; i < tn_format_count(); i++) {
        struct tn_format_info info = tn_format_at(i);
        for (size_t k = 0; info.suffixes && info.suffixes[k] != NULL; k++)
            if (info.suffixes[k][0] == '.' &&
                strcmp(info.suffixes[k], ".json") != 0 && /* too common */
                ends_with(path, info.suffixes[k])) {
                cli_hint("by its name, this may be a file of format %s; "
                         "--from %s shows what is wrong with it",
                         info.name, info.name);
                return;
            }
    }
}

/* Whether the error is about the file that was opened as the model, not about
 * another one that an option named. */
static bool is_main(const struct tn_error *error, const char *path)
{
    return error->file[0] == '\0' || strcmp(error->file, path) == 0;
}

static void print_advice(const struct cli_common *common, const char *path,
                         const struct tn_error *error)
{
    switch (error->reason) {
    case TN_REASON_MEMORY_LIMIT:
        if (common->max_mem != 0)
            cli_hint("--max-mem sets the limit");
        return;
    case TN_REASON_MISSING_SHARD:
        if (cli_setting(&common->for_reading, "lax") == NULL)
            cli_hint("--lax opens the model without its missing shards");
        return;
    case TN_REASON_UNKNOWN_FORMAT:
        if (common->from == NULL && is_main(error, path))
            advise_from(path);
        return;
    case TN_REASON_SEVERAL_MODELS: list_folder(path); return;
    case TN_REASON_MISSING_FILE:
        if (error->file[0] != '\0' && strstr(path, "://") == NULL)
            cli_hint("the model refers to this file: put it where it was when "
                     "the model was saved");
        return;
    case TN_REASON_SYMBOLIC_LINK:
        cli_hint("a model may only read files in its own folder; 'cp -rL' "
                 "copies a folder and replaces links by the files");
        return;
    case TN_REASON_BAD_RULES: return;
    default: break;
    }
    switch (error->status) {
    case TN_TRUNCATED:
    case TN_MALFORMED:
        if (common->from != NULL)
            cli_hint("--from %s chose this format", common->from);
        else if (strcmp(path, "-") != 0)
            cli_hint("'tenon check' lists everything that is wrong with it");
        break;
    case TN_EXISTS: cli_hint("--force replaces it"); break;
    case TN_BUSY:
        cli_hint("try again after the other process has finished");
        break;
    default: break;
    }
}

bool cli_is_about_output(const struct tn_error *error)
{
    return names_target(error);
}

int cli_print_error(const char *path, const struct tn_error *error)
{
    fflush(stdout); /* what was found before the failure comes before it */
    struct cli_text text     = { 0 };
    bool            has_what = error->what[0] != '\0';
    cli_text_add(&text, "tenon: ");
    if (!names_target(error) && (path[0] == '\0' || !is_complete(error))) {
        cli_text_safe(&text, cli_bytes(cli_path_name(path)));
        cli_text_add(&text, ": ");
    }
    if (error->file[0] != '\0' && strcmp(error->file, path) != 0 &&
        !names_file(error)) {
        cli_text_safe(&text, cli_bytes(error->file));
        cli_text_add(&text, ": ");
    }
    add_place(&text, error);
    cli_text_message(&text, has_what ? error->what
                                     : tn_status_sentence(error->status));
    cli_text_add(&text, "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
    return tn_status_exit_code(error->status);
}

int cli_print_file_error(struct tn_error *error)
{
    char path[sizeof error->file];

    memcpy(path, error->file, sizeof path);
    error->file[0] = '\0';
    return cli_print_error(path, error);
}

int cli_fail(const struct cli_common *common, const char *path,
             const struct tn_error *error)
{
    int code = cli_print_error(path, error);

    if (!common->is_quiet)
        print_advice(common, path, error);
    return code;
}

int cli_fail_writing(const struct cli_common *common, const char *path,
                     const char *out, const struct tn_error *error)
{
    return cli_fail(common, cli_is_about_output(error) ? out : path, error);
}

int cli_fail_typed(const struct cli_common *common, const char *path,
                   const char *out, const char *type, const char *schema,
                   const struct tn_error *error)
{
    bool is_schema = schema != NULL && strcmp(error->file, schema) == 0;

    if (type == NULL ||
        (error->status != TN_MALFORMED && error->status != TN_TRUNCATED))
        return cli_fail_writing(common, path, out, error);
    int code = cli_print_error(path, error);
    if (!common->is_quiet && is_schema)
        cli_hint("--schema takes a descriptor set, as 'protoc -o FILE' writes "
                 "it, or a .bfbs file");
    else if (!common->is_quiet)
        cli_hint("--type %s chose this message; if that is right, 'tenon "
                 "check' lists what is wrong with the file",
                 type);
    return code;
}

int cli_fail_errno(const char *verb, const char *path, int number)
{
    struct tn_error error = TN_ERROR_INIT;
    const char     *name  = cli_path_name(path);

    error.status = TN_IO;
    snprintf(error.what, sizeof(error.what), "cannot %s %.100s: %s", verb, name,
             strerror(number));
    return cli_print_error(name, &error);
}

/* Words of the command line may be untrusted file names. */
static void print_safely(enum cli_colour colour, const char *before,
                         const char *format, va_list list)
{
    struct cli_text text = { 0 }, safe = { 0 };
    va_list         again;

    va_copy(again, list);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *line = cli_allocate((size_t)(size > 0 ? size : 0) + 1, 1);
    vsnprintf(line, (size_t)(size > 0 ? size : 0) + 1, format, list);
    cli_text_add(&text, before);
    cli_print(stderr, colour, &text);
    cli_text_safe(&safe, cli_bytes(line));
    cli_text_add(&safe, "\n");
    cli_print(stderr, CLI_PLAIN, &safe);
    free(line);
    cli_text_done(&text);
    cli_text_done(&safe);
}

int cli_usage(const char *verb, const char *format, ...)
{
    va_list list;

    fflush(stdout);
    fputs(verb != NULL ? "tenon " : "tenon", stderr);
    fputs(verb != NULL ? verb : "", stderr);
    va_start(list, format);
    print_safely(CLI_PLAIN, ": ", format, list);
    va_end(list);
    if (verb != NULL)
        cli_hint("see 'tenon %s --help'", verb);
    else
        cli_hint("see 'tenon --help' for the list of verbs");
    return CLI_USAGE;
}

bool cli_is_about_codec(const struct tn_error *error)
{
    return error->reason == TN_REASON_BAD_OPTION;
}

int cli_refuse_codec(const char *verb, const char *codec)
{
    return cli_usage(
        verb,
        "--compress takes none, snappy, brotli[:Q], Q up to 11, or "
        "zstd[:L], L up to 22, not '%s'",
        codec != NULL ? codec : "");
}

void cli_say(const char *format, ...)
{
    va_list list;

    fflush(stdout);
    va_start(list, format);
    print_safely(CLI_PLAIN, "tenon: ", format, list);
    va_end(list);
}

int cli_say_no_match(const struct cli_common *common, const char *thing,
                     const struct cli_args *args)
{
    if (common->is_quiet)
        return CLI_NO;
    cli_say("no %s matches", thing);
    for (int i = 1; i < args->count; i++)
        if (access(args->items[i], F_OK) == 0) {
            cli_hint(
                "only one model is read; '%s' is used as a pattern for names",
                args->items[i]);
            return CLI_NO;
        }
    if (args->count > 1 && strpbrk(args->items[1], "*?[") == NULL)
        cli_hint("a pattern is the whole name; '*%s*' finds names that have it "
                 "in them",
                 args->items[1]);
    return CLI_NO;
}

void cli_hint(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    print_safely(CLI_DIM, "hint: ", format, list);
    va_end(list);
}

/* A name that is escaped already. */
static void hint_safe(const char *before, const char *safe, const char *after)
{
    struct cli_text text = { 0 };

    cli_text_add(&text, "hint: ");
    cli_print(stderr, CLI_DIM, &text);
    cli_text_clear(&text);
    cli_text_addf(&text, "%s'%s'%s\n", before, safe, after);
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

void cli_hint_name(const char *safe)
{
    hint_safe("did you mean ", safe, "?");
}

void cli_hint_other(const char *safe)
{
    hint_safe("another one is printed as ", safe,
              "; this is the one that is called so");
}

void cli_hint_command(const char *verb, const char *file, const char *does)
{
    struct cli_text text = { 0 };

    cli_text_add(&text, "hint: ");
    cli_print(stderr, CLI_DIM, &text);
    cli_text_clear(&text);
    cli_text_addf(&text, "'tenon %s ", verb);
    cli_text_shell(&text, file);
    cli_text_addf(&text, "' %s\n", does);
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

int cli_finish(int code)
{
    if (cli_is_paged()) { /* left early, perhaps: that is no failure */
        cli_pager_end();
        return code;
    }
    if (ferror(stdout) == 0 && fflush(stdout) == 0)
        return code;
    return cli_fail_errno("write", "standard output", errno != 0 ? errno : EIO);
}
