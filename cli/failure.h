/* failure.h - how the command says no: one line, a hint, an exit code */
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include <stdbool.h>

#include <tenon/status.h>

struct cli_common;

enum { CLI_NO = 1, CLI_USAGE = 2 };

/* tenon: bert.onnx: malformed at byte 0x14: graph.node[3]: rank 21, limit 16
 * and, where we know what to do next, a line that says so.  Returns the exit
 * code. */
int cli_fail(const struct cli_common *common, const char *path,
             const struct tn_error *error);

/* The same for a verb that reads `path` and writes `out`: a refusal that is
 * about what should be written says so. */
int cli_fail_writing(const struct cli_common *common, const char *path,
                     const char *out, const struct tn_error *error);

/* Is it about the name of what should be written? */
bool cli_is_about_output(const struct tn_error *error);

/* The line without the advice. */
int cli_complain(const char *path, const struct tn_error *error);

/* The same about the file that the error names. */
int cli_complain_file(struct tn_error *error);

/* The same for the system's refusals that the command meets itself:
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
 * A line on standard error: an honest no, which is no failure. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* tenon: no tensor matches
 * With advice when a pattern, one of the arguments behind the first, is the name
 * of a file: *.onnx was meant as many models.  Returns CLI_NO. */
struct cli_args;
int cli_say_no_match(const struct cli_common *common, const char *thing,
                     const struct cli_args *args);

/* A line of advice on standard error. */
void cli_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "did you mean 'NAME'?", of a name that has its escapes already. */
void cli_hint_name(const char *safe);

/* Two are meant by what was typed, which one of them is printed as. */
void cli_hint_other(const char *safe);

/* "'tenon VERB FILE' does", with FILE as a shell wants it. */
void cli_hint_command(const char *verb, const char *file, const char *does);

/* Flush standard output; a report that did not arrive is a failure. */
int cli_finish(int code);

/* How a path is called when talking about it. */
const char *cli_path_name(const char *path);

#endif
