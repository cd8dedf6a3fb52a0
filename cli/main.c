/* main.c - tenon VERB ...: finds the verb and lets it run */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/verbs.h>

#include "failure.h"
#include "folder.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "text.h"
#include "verb_table.h"

static const struct cli_verb *find_verb(const char *name)
{
    for (size_t i = 0; cli_verbs[i] != NULL; i++)
        if (strcmp(cli_verbs[i]->name, name) == 0)
            return cli_verbs[i];
    return NULL;
}

static void print_verb(void *context, uint64_t row, struct cli_text *cells)
{
    (void)context;
    cli_text_add(&cells[0], cli_verbs[row]->name);
    cli_text_add(&cells[1], cli_verbs[row]->summary);
}

static void print_overview(FILE *file)
{
    static const struct cli_column columns[] = {
        { .colour = CLI_BOLD },
        { 0 },
    };

    struct cli_table table = {
        .indent       = 2,
        .column_count = 2,
        .columns      = columns,
        .on_row       = print_verb,
    };

    while (cli_verbs[table.row_count] != NULL)
        table.row_count++;
    fputs("tenon - look into, check and convert neural network model files\n\n"
          "Usage\n  tenon VERB [OPTION...] FILE...\n\nVerbs\n",
          file);
    cli_print_table(file, &table);
    fputs("\n'tenon VERB --help' explains a verb; 'tenon --version' prints the "
          "version.\n",
          file);
}

/* What other programs call it. */
static const struct cli_verb *other_word(const char *word)
{
    static const struct {
        const char            *words;
        const struct cli_verb *verb;
    } known[] = {
        { " show print describe inspect stat stats summary ", &cli_info },
        { " list tensors layers nodes weights ", &cli_ls },
        { " draw plot graph visualize netron open ", &cli_view },
        { " extract cat export-tensor ", &cli_get },
        { " validate verify lint test fsck ", &cli_check },
        { " checksum sha256 sha256sum digest ", &cli_hash },
        { " compare cmp ", &cli_diff },
        { " export translate transform save ", &cli_convert },
        { " optimize optimise shrink fold ", &cli_simplify },
        { " rename change set ", &cli_edit },
    };
    char spaced[64];

    snprintf(spaced, sizeof(spaced), " %.50s ", word);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(known[i].words, spaced) != NULL)
            return known[i].verb;
    return NULL;
}

static int refuse_verb(const char *word)
{
    const struct cli_verb *best    = other_word(word);
    unsigned               nearest = best == NULL && word[0] != '-' ? 3 : 0;

    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        unsigned distance = cli_distance(word, cli_verbs[i]->name, nearest);
        if (distance < nearest) {
            nearest = distance;
            best    = cli_verbs[i];
        }
    }
    if (best != NULL)
        return cli_usage(NULL, "unknown verb '%s'; did you mean '%s'?", word,
                         best->name);
    if (access(word, F_OK) == 0)
        return cli_usage(NULL,
                         "'%s' is a file, not a verb; did you mean "
                         "'tenon info %s'?",
                         word, word);
    return cli_usage(
        NULL, word[0] == '-' ? "unknown option '%s'" : "unknown verb '%s'",
        word);
}

static int run_verb(const struct cli_verb *verb, int argc, char **argv)
{
    void           *opts = cli_allocate(1, verb->opts_size);
    struct cli_args args;
    int             code;

    if (cli_parse(verb, argc, argv, opts, &args, &code))
        code = verb->run(opts, &args);
    cli_session_report();
    free(opts);
    return code;
}

static int help(int argc, char **argv)
{
    if (argc == 0 || argv[0][0] == '-') { /* help --help */
        print_overview(stdout);
        return 0;
    }
    const struct cli_verb *verb = find_verb(argv[0]);
    if (verb == NULL)
        return refuse_verb(argv[0]);
    cli_print_help(verb);
    return 0;
}

/* Made while the command is built, see cmake/TenonNotices.cmake. */
extern const unsigned char cli_notices[];
extern const size_t        cli_notices_size;

static int print_notices(void)
{
    cli_pager_begin();
    fwrite(cli_notices, 1, cli_notices_size, stdout);
    return 0;
}

static int run(int argc, char **argv)
{
    while (argc > 1 && strcmp(argv[1], "--no-pager") == 0) { /* as with git */
        cli_pager_forbid();
        argc--;
        argv++;
    }
    if (argc < 2) {
        int code = cli_list_folder();
        if (code >= 0)
            return code;
        print_overview(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 ||
        strcmp(word, "-v") == 0 || strcmp(word, "version") == 0) {
        printf("tenon %s\n", tn_version());
        return 0;
    }
    if (strcmp(word, "--licenses") == 0 || strcmp(word, "--licences") == 0)
        return print_notices();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0)
        return help(argc - 2, argv + 2);
    const struct cli_verb *verb = find_verb(word);
    return verb != NULL ? run_verb(verb, argc - 2, argv + 2)
                        : refuse_verb(word);
}

/* A model must never be opened as descriptor 1 and then be printed into.  The
 * stand-in is read-only, so that output to a closed descriptor still fails. */
static void occupy_standard_descriptors(void)
{
    for (int i = 0; i <= 2; i++)
        if (fcntl(i, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", i == 0 ? O_WRONLY : O_RDONLY) < 0)
            abort();
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    signal(SIGPIPE, SIG_DFL); /* a reader that has seen enough is not an
                                 error */
    signal(SIGXFSZ, SIG_IGN); /* a failed write is reported and cleaned up   */
    int code = cli_finish(run(argc, argv));
    cli_session_end();
    return code;
}
