/* completion.c - tenon completion: the tables as scripts for shells */
#include <stdio.h>
#include <string.h>

#include <tenon/verbs.h>

#include "failure.h"
#include "verb_table.h"

/* Called for each option of a verb that --help shows. */
typedef void on_option(const struct cli_verb *verb, const struct cli_opt *row);

static void each_option(const struct cli_verb *verb, on_option *call)
{
    struct cli_section sections[CLI_MAX_SECTIONS];
    size_t             count = cli_sections(verb, sections);
    struct cli_opt     merged;
    char               words[CLI_WORDS_SIZE];

    for (size_t i = 0; i < count; i++)
        for (const struct cli_opt *row = sections[i].rows; row->kind; row++)
            if (row->help != NULL &&
                cli_merge_rows(sections, count, row, &merged, words))
                call(verb, &merged);
}

/* "name|size" as "name size". */
static void print_words(const char *words)
{
    for (; *words != '\0'; words++)
        putchar(*words == '|' ? ' ' : *words);
}

/* For --to: formats that can be written. */
static void print_formats(bool can_write)
{
    const char *space = "";

    for (uint32_t i = 0; i < tn_format_count(); i++) {
        struct tn_format_info info = tn_format_at(i);
        if (can_write && !info.can_write)
            continue;
        printf("%s%s", space, info.name);
        space = " ";
    }
}

static void print_verbs(void)
{
    for (size_t i = 0; cli_verbs[i] != NULL; i++)
        printf("%s ", cli_verbs[i]->name);
}

/* In single quotes: '\'' for a quote; brackets and colons as `escape` says. */
static void print_quoted(const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* Prints the words that an option takes; false if they cannot be listed. */
static bool print_values(const struct cli_opt *row)
{
    if (row->kind == CLI_CHOICE)
        print_words(row->value);
    else if (row->kind == CLI_FORMAT)
        print_formats(strcmp(row->name, "to") == 0);
    else
        return false;
    return true;
}

/* ---- bash --------------------------------------------------------------- */

static void bash_name(const struct cli_verb *verb, const struct cli_opt *row)
{
    (void)verb;
    printf(" --%s", row->name);
    if (row->letter != 0)
        printf(" -%c", row->letter);
}

static void bash_values(const struct cli_verb *verb, const struct cli_opt *row)
{
    if (row->kind != CLI_CHOICE && row->kind != CLI_FORMAT)
        return;
    printf("    %s:--%s", verb->name, row->name);
    if (row->letter != 0)
        printf(" | %s:-%c", verb->name, row->letter);
    fputs(") words=\"", stdout);
    print_values(row);
    puts("\" ;;");
}

static void print_bash(void)
{
    fputs("# Completion of tenon for bash: source this file.\n"
          "_tenon()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
          "    local verb=${COMP_WORDS[1]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        words=\"",
          stdout);
    print_verbs();
    fputs("help --version --licenses --help\"\n"
          "    elif [[ $verb == help ]]; then\n        words=\"",
          stdout);
    print_verbs();
    fputs("\"\n    elif [[ $cur == -* ]]; then\n        case $verb in\n",
          stdout);
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        printf("        %s) words=\"", cli_verbs[i]->name);
        each_option(cli_verbs[i], bash_name);
        puts("\" ;;");
    }
    puts("        esac\n    else\n    case $verb:$prev in");
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        const struct cli_verb *verb = cli_verbs[i];
        each_option(verb, bash_values);
        if (verb->words != NULL) {
            printf("    %s:*) words=\"", verb->name);
            print_words(verb->words);
            puts("\" ;;");
        }
    }
    puts("    esac\n    fi\n"
         "    [[ -n $words ]] && "
         "mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "    return 0\n}\n"
         "complete -o default -F _tenon tenon");
}

/* ---- zsh ---------------------------------------------------------------- */

static void zsh_value(const struct cli_opt *row)
{
    if (row->value == NULL)
        return;
    fputs(":", stdout);
    print_quoted(row->value, ":");
    fputs(":", stdout);
    if (row->kind == CLI_FILE || row->kind == CLI_ACTION)
        fputs("_files", stdout);
    if (row->kind == CLI_CHOICE || row->kind == CLI_FORMAT) {
        putchar('(');
        print_values(row);
        putchar(')');
    }
}

static void zsh_form(const struct cli_opt *row, const char *dashes,
                     const char *name)
{
    printf("        '%s%s[", dashes, name);
    print_quoted(row->help, "[]:");
    putchar(']');
    zsh_value(row);
    puts("' \\");
}

static void zsh_option(const struct cli_verb *verb, const struct cli_opt *row)
{
    char letter[2] = { row->letter, '\0' };

    (void)verb;
    zsh_form(row, "--", row->name);
    if (row->letter != 0)
        zsh_form(row, "-", letter);
}

static void print_zsh(void)
{
    puts("#compdef tenon\n# Completion of tenon for zsh.\n"
         "_tenon() {\n    local -a verbs\n    verbs=(");
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        printf("        '%s:", cli_verbs[i]->name);
        print_quoted(cli_verbs[i]->summary, "");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n"
         "        _describe verb verbs\n        return\n    fi\n"
         "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
         "    case $verb in");
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        printf("    %s)\n        _arguments -s \\\n", cli_verbs[i]->name);
        each_option(cli_verbs[i], zsh_option);
        if (cli_verbs[i]->words != NULL) {
            fputs("        '*:word:(", stdout);
            print_words(cli_verbs[i]->words);
            puts(")' ;;");
        } else {
            puts("        '*:file:_files' ;;");
        }
    }
    /* Autoloaded from $fpath, or sourced. */
    puts("    esac\n}\nif [[ $funcstack[1] == _tenon ]]; then _tenon \"$@\"\n"
         "else compdef _tenon tenon\nfi");
}

/* ---- fish --------------------------------------------------------------- */

static void fish_description(const char *text)
{
    fputs(" -d '", stdout);
    for (; *text != '\0'; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    puts("'");
}

static void fish_option(const struct cli_verb *verb, const struct cli_opt *row)
{
    printf("complete -c tenon -n '__fish_seen_subcommand_from %s' -l %s",
           verb->name, row->name);
    if (row->letter != 0)
        printf(" -s %c", row->letter);
    if (row->kind == CLI_FILE)
        fputs(" -r", stdout);
    else if (row->value != NULL)
        fputs(row->kind == CLI_ACTION ? " -r" : " -x", stdout);
    if (row->kind == CLI_CHOICE || row->kind == CLI_FORMAT) {
        fputs(" -a '", stdout);
        print_values(row);
        putchar('\'');
    }
    fish_description(row->help);
}

static void print_fish(void)
{
    puts("# Completion of tenon for fish.");
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        const struct cli_verb *verb = cli_verbs[i];

        printf("complete -c tenon -n __fish_use_subcommand -f -a %s",
               verb->name);
        fish_description(verb->summary);
        if (verb->words != NULL) {
            printf("complete -c tenon -n '__fish_seen_subcommand_from %s' -f "
                   "-a '",
                   verb->name);
            print_words(verb->words);
            puts("'");
        }
        each_option(verb, fish_option);
    }
}

/* ---- the verb ----------------------------------------------------------- */

static int run_completion(const void *opts, const struct cli_args *args)
{
    const char *shell = args->items[0];

    (void)opts;
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else if (strcmp(shell, "fish") == 0)
        print_fish();
    else
        return cli_usage("completion",
                         "unknown shell '%s': use bash, zsh or fish", shell);
    return 0;
}

const struct cli_verb cli_completion = {
    .name      = "completion",
    .arguments = "bash|zsh|fish",
    .summary   = "print a completion script for your shell",
    .details   = "For bash: source <(tenon completion bash)",
    .examples  = "source <(tenon completion bash)",
    .words     = "bash|zsh|fish",
    .least     = 1,
    .most      = 1,
    .opts_size = sizeof(struct cli_common),
    .run       = run_completion,
};
