/* failure.h - how the command reports a failure: one line, a hint, an exit
 * code */
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include <stdbool.h>

#include <tenon/status.h>

struct cli_common;

enum { CLI_NO = 1, CLI_USAGE = 2 };

/* tenon: bert.onnx: malformed at byte 0x14: graph.node[3]: rank 21, limit 16
 * and, if we know what to do next, a hint.  Returns the exit code. */
int cli_fail(const struct cli_common *common, const char *path,
             const struct tn_error *error);

/* The same for a verb that reads `path` and writes `out`: errors about the
 * output name `out`. */
int cli_fail_writing(const struct cli_common *common, const char *path,
                     const char *out, const struct tn_error *error);

/* The same for a verb with --type and --schema (each may be NULL): if the bytes
 * are wrong, these may be wrong instead. */
int cli_fail_typed(const struct cli_common *common, const char *path,
                   const char *out, const char *type, const char *schema,
                   const struct tn_error *error);

/* Whether the error is about the name of the output. */
bool cli_is_about_output(const struct tn_error *error);

/* The line without the hint. */
int cli_print_error(const char *path, const struct tn_error *error);

/* The same about the file that the error names. */
int cli_print_file_error(struct tn_error *error);

/* The same for a system call of the command itself that failed:
 * tenon: cannot read list.txt: No such file or directory */
int cli_fail_errno(const char *verb, const char *path, int number);

/* Whether the failure is about the value of --compress: then it is a usage
 * error. */
bool cli_is_about_codec(const struct tn_error *error);
int  cli_refuse_codec(const char *verb, const char *codec);

/* tenon ls: no file given
 * Returns CLI_USAGE. */
int cli_usage(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* tenon: no rule reads 'Conv'
 * A line on standard error, for an answer that is no and not a failure. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* tenon: no tensor matches
 * If an argument after the first is the name of a file, a hint says that only
 * one model is read: the shell expanded *.onnx.  If the first pattern is a bare
 * word, it says how to find parts of names.  Returns CLI_NO. */
struct cli_args;
int cli_say_no_match(const struct cli_common *common, const char *thing,
                     const struct cli_args *args);

/* A hint on standard error. */
void cli_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "did you mean 'NAME'?"; the name is escaped already. */
void cli_hint_name(const char *safe);

/* What was typed is the name of one tag, and also what another is printed as:
 * says which of them was chosen. */
void cli_hint_other(const char *safe);

/* "'tenon VERB FILE' does", with FILE quoted for the shell. */
void cli_hint_command(const char *verb, const char *file, const char *does);

/* Flushes standard output; if that fails, so does the command. */
int cli_finish(int code);

/* The path, or a URL without its query and user name, which may be secrets:
 * then it is valid until the next call. */
const char *cli_path_shown(const char *path);

/* The path as messages name it: "-" is "standard input". */
const char *cli_path_name(const char *path);

#endif
