/*
 * convert_many.c - tenon convert and check, again and again in one process
 *
 *   convert_many < jobs > answers
 *
 * A job is a line: what would follow `tenon`, separated by tabs.  The
 * answer to it is a line with the exit code and the number of bytes that were
 * printed, and then these bytes.  Of one word more, interpret PATH OPSET
 * INPUTS, these are the ops that a node becomes, an OpDescriptorList as JSON.
 *
 * All of it is the command's own code, but that our rules are read once and not
 * for every model.  Proofs convert thousands of small ones.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/rules.h>
#include <tenon/verbs.h>

#include "failure.h"
#include "verb_table.h"

enum { MAX_WORDS = 64 };

static struct tn_rulebook *book;

/* ---- the command, with a book ------------------------------------------- */

/* The linker gives these two names their meaning: who calls tn_convert() comes
 * to the first, the function itself is the second. */
enum tn_status __wrap_tn_convert(const struct tn_model           *model,
                                 const struct tn_convert_options *convert,
                                 const struct tn_target          *target,
                                 const struct tn_options         *options,
                                 struct tn_convert_summary       *summary,
                                 struct tn_error                 *error);
enum tn_status __real_tn_convert(const struct tn_model           *model,
                                 const struct tn_convert_options *convert,
                                 const struct tn_target          *target,
                                 const struct tn_options         *options,
                                 struct tn_convert_summary       *summary,
                                 struct tn_error                 *error);

enum tn_status __wrap_tn_convert(const struct tn_model           *model,
                                 const struct tn_convert_options *convert,
                                 const struct tn_target          *target,
                                 const struct tn_options         *options,
                                 struct tn_convert_summary       *summary,
                                 struct tn_error                 *error)
{
    struct tn_map_options     map  = *convert->map;
    struct tn_convert_options with = *convert;

    map.book = book;
    with.map = &map;
    return __real_tn_convert(model, &with, target, options, summary, error);
}

/* ---- nodes -------------------------------------------------------------- */

static struct tn_interpreter *interpreter;

static int say(const struct tn_error *error)
{
    printf("%s: %s\n", error->where, error->what);
    return (int)error->status;
}

static int print_ops(const struct tn_op_descriptor *op, struct tn_error *error)
{
    size_t size;
    char  *text = NULL;

    if (tn_op_descriptor_encode(op, TN_DESCRIPTOR_JSON, true, NULL, 0, &size,
                                error) != TN_OK ||
        !(text = malloc(size + 1)) ||
        tn_op_descriptor_encode(op, TN_DESCRIPTOR_JSON, true, text, size, &size,
                                error) != TN_OK)
        return say(error);
    fwrite(text, 1, size, stdout);
    free(text);
    return 0;
}

static struct tn_bytes read_node(const char *path)
{
    static uint8_t bytes[1 << 22];
    FILE          *file = fopen(path, "rb");
    size_t         size = file ? fread(bytes, 1, sizeof bytes, file) : 0;

    if (file)
        fclose(file);
    return (struct tn_bytes){ bytes, size };
}

static int interpret(char **words)
{
    const struct tn_interpreter_options ours    = { .file_count = 0 };
    struct tn_error                     error   = TN_ERROR_INIT;
    struct tn_interpret_context         context = { .opset  = atoll(words[1]),
                                                    .inputs = words[2] };
    struct tn_op_descriptor            *op      = NULL;

    if (!interpreter &&
        tn_interpreter_open(&interpreter, &ours, NULL, &error) != TN_OK)
        return say(&error);
    int code = tn_interpret_node(&op, interpreter, read_node(words[0]),
                                 &context, &error) == TN_OK
                   ? print_ops(op, &error)
                   : say(&error);
    tn_op_descriptor_close(op);
    return cli_finish(code);
}

static int run(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[0], "interpret"))
        return interpret(argv + 1);

    const struct cli_verb *verb =
        argc && !strcmp(argv[0], "check") ? &cli_check : &cli_convert;
    void           *opts = calloc(1, verb->opts_size);
    struct cli_args args;
    int             code = 1;

    if (opts && argc && cli_parse(verb, argc - 1, argv + 1, opts, &args, &code))
        code = verb->run(opts, &args);
    free(opts);
    return cli_finish(code);
}

/* ---- jobs and answers --------------------------------------------------- */

static int split(char *line, char **words)
{
    int count = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *word; (word = strsep(&line, "\t")) && count < MAX_WORDS - 1;)
        words[count++] = word;
    words[count] = NULL;
    return count;
}

/* Whatever is printed goes to the file behind `printed` from now on; the
 * answers go where standard output went. */
static FILE *take_output(int printed)
{
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w");

    if (dup2(printed, STDOUT_FILENO) < 0 || dup2(printed, STDERR_FILENO) < 0)
        return NULL;
    return answers;
}

static void answer(FILE *answers, int printed, int code)
{
    char    piece[4096];
    off_t   size = lseek(printed, 0, SEEK_END), at = 0;
    ssize_t got;

    fprintf(answers, "%d %lld\n", code, (long long)size);
    for (; (got = pread(printed, piece, sizeof piece, at)) > 0; at += got)
        fwrite(piece, 1, (size_t)got, answers);
    fflush(answers);
    if (at != size || ftruncate(printed, 0) != 0 ||
        lseek(printed, 0, SEEK_SET) != 0)
        abort();
}

int main(void)
{
    struct tn_error error = TN_ERROR_INIT;
    char           *words[MAX_WORDS], *line = NULL;
    size_t          room    = 0;
    FILE           *printed = tmpfile(), *answers;

    if (tn_rulebook_open(&book, NULL, 0, NULL, &error) != TN_OK || !printed ||
        !(answers = take_output(fileno(printed))))
        return 1;
    while (getline(&line, &room, stdin) > 0) {
        int count = split(line, words);
        answer(answers, fileno(printed), run(count, words));
    }
    free(line);
    tn_interpreter_close(interpreter);
    tn_rulebook_close(book);
    return 0;
}
