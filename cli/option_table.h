/*
 * option_table.h - one table per verb
 *
 * The table drives parsing, --help, the OPTIONS section of the manual and shell
 * completion, so they cannot disagree.  Options that several verbs share are in
 * tables of their own, which a verb includes by naming the group.
 */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenon/formats.h>
#include <tenon/options.h>

/* What an option stores at its field. */
enum cli_kind {
    CLI_END,
    CLI_FLAG,   /* bool                                                      */
    CLI_TEXT,   /* const char *                                              */
    CLI_FILE,   /* const char *: a path, for completion                      */
    CLI_FORMAT, /* const char *: the name of a format, for completion        */
    CLI_SIZE,   /* uint64_t: "2GiB", "512M", "64KB", "100"                   */
    CLI_COUNT,  /* uint64_t                                                  */
    CLI_NUMBER, /* uint64_t, from 1 to INT64_MAX; 0: not given                */
    CLI_CHOICE, /* unsigned: 1 for the first word of `value`, "name|size"    */
    CLI_ACTION, /* struct cli_actions: one more; without `value`, a flag      */
};

struct cli_opt {
    enum cli_kind kind;
    char          letter; /* 0: none                                         */
    const char   *name;
    size_t        field; /* offset in the verb's struct                      */
    const char   *value; /* its argument, for help; NULL for flags            */
    const char   *help;  /* one line; NULL hides the option                  */
};

/* Actions that were given, in their order. */
struct cli_action {
    const char *name, *value; /* value NULL: the action takes none            */
};
struct cli_actions {
    struct cli_action *items; /* free() it                                    */
    size_t             count;
};

/* Options of formats that were given. */
enum { CLI_MAX_SETTINGS = 32 };
struct cli_settings {
    struct tn_setting items[CLI_MAX_SETTINGS];
    uint32_t          count;
};

/* The first member of every verb's struct of options. */
struct cli_common {
    bool                wants_help, wants_help_man;
    bool                is_quiet;
    bool                is_json;
    bool                is_unmapped;
    bool                is_wide, is_unpaged;
    bool                is_verbose, allows_external, is_anonymous;
    bool                allows_plain;
    uint64_t            max_fetch;
    const char         *from;
    const char         *tag;
    uint64_t            max_mem;
    uint64_t            max_expand;
    uint64_t            workers;
    const char         *out;
    bool                is_forced, is_dry_run, is_synced;
    struct cli_settings for_reading, for_writing;
};

enum cli_groups {
    CLI_REPORTS = 1,  /* --json                                               */
    CLI_WRITES  = 2,  /* --out --force --dry-run --sync                       */
    CLI_READS   = 4,  /* --from --max-mem --max-expand --workers --unmapped
                         --quiet --verbose, those for URLs, and options of
                         formats for reading                                  */
    CLI_SETTINGS = 8, /* options of formats for writing                      */
    CLI_SHOWS    = 16, /* --wide --no-pager: prints tables or long lists      */
    CLI_FETCHES  = 32, /* only those for URLs                                */
};

struct cli_args {
    int    count;
    char **items; /* arguments that are not options, in order */
};

enum { CLI_MANY = 1 << 20 }; /* any number of arguments */

struct cli_verb {
    const char *name;
    const char *arguments; /* "FILE [PATTERN...]"                            */
    const char *summary;   /* a line, for the list of verbs                  */
    const char *details;   /* for --help, after the summary; may be NULL     */
    const char *examples;  /* for --help, a line each; the manual runs them  */
    const char *words;     /* completion of arguments: "bash|zsh|fish"; NULL:
                              files                                          */
    int      least, most;  /* how many arguments; CLI_MANY: any number       */
    unsigned groups;
    size_t   opts_size;
    const struct cli_opt *options;
    /* Rows that follow them in a section of their own; NULL: none. */
    const struct cli_opt *(*actions)(void);
    int (*run)(const void *opts, const struct cli_args *args);
};

/* The tables of one verb, its own first. */
enum { CLI_MAX_SECTIONS = 24 };
struct cli_section {
    const char           *title;
    const struct cli_opt *rows;
    enum {
        CLI_FIELDS,
        CLI_FOR_READING,
        CLI_FOR_WRITING
    } goes_to; /* else what
is given becomes a setting in cli_common        */
};
size_t cli_sections(const struct cli_verb *verb,
                    struct cli_section     sections[CLI_MAX_SECTIONS]);

/* Options of several formats may have the same name: on the command line they
 * are one option.  *merged is a row with the values of all of them, which are
 * stored in `words`.  False if an earlier row had the same name. */
enum { CLI_WORDS_SIZE = 400 };
bool cli_merge_rows(const struct cli_section *sections, size_t count,
                    const struct cli_opt *row, struct cli_opt *merged,
                    char words[CLI_WORDS_SIZE]);

/* Parses what follows the verb into `opts`; items of argv are reordered.
 * False: the command must end with the exit code *code; the reason was
 * printed. */
bool cli_parse(const struct cli_verb *verb, int argc, char **argv, void *opts,
               struct cli_args *args, int *code);

/* Iterates over "name|size": returns the length of the word at *words and moves
 * *words to the next one; 0 at the end. */
size_t cli_next_word(const char **words, const char **word);

/* --help and --help-man. */
void cli_print_help(const struct cli_verb *verb);
void cli_print_help_man(const struct cli_verb *verb);

/* Names at this edit distance or more from what was typed are not suggested;
 * one change in three letters is near enough. */
unsigned cli_nearness(const char *typed);

/* The edit distance of two words; any number from `limit` on if it is not below
 * `limit`. */
unsigned cli_distance(const char *left, const char *right, unsigned limit);

#endif
