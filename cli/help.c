/* help.c - the table as --help, and as the OPTIONS section of the manual */
#include <stdio.h>
#include <string.h>

#include "option_table.h"
#include "pager.h"
#include "print.h"

/* "-o, --out FILE" */
static void fill_option(struct cli_text *text, const struct cli_opt *row)
{
    if (row->letter != 0)
        cli_text_addf(text, "-%c, ", row->letter);
    else
        cli_text_add(text, "    ");
    cli_text_addf(text, "--%s", row->name);
    if (row->value != NULL)
        cli_text_addf(text, " %s", row->value);
}

/* One width for all sections, so that their columns line up; longer options
 * extend past it. */
static size_t widest_option(const struct cli_section *sections, size_t count)
{
    enum { MOST = 24 };
    struct cli_text text   = { 0 };
    size_t          widest = 0;

    for (size_t i = 0; i < count; i++)
        for (const struct cli_opt *row = sections[i].rows; row->kind; row++) {
            cli_text_clear(&text);
            fill_option(&text, row);
            if (row->help != NULL && text.size > widest && text.size <= MOST)
                widest = text.size;
        }
    cli_text_done(&text);
    return widest;
}

/* Text from a column on, its other lines from another one; none is longer than
 * 80. */
static void print_words(const char *text, size_t column, size_t indent)
{
    enum { MOST = 80 };

    for (size_t size; *text != '\0'; text += size + (text[size] == ' ')) {
        size = strcspn(text, " ");
        if (column > indent && column + size > MOST) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        }
        printf("%.*s%s", (int)size, text, text[size] == ' ' ? " " : "");
        column += size + 1;
    }
    putchar('\n');
}

static void print_section(const struct cli_section *section, size_t width)
{
    struct cli_text text = { 0 };

    putchar('\n');
    cli_paint(stdout, CLI_BOLD, section->title);
    putchar('\n');
    for (const struct cli_opt *row = section->rows; row->kind; row++) {
        if (row->help == NULL)
            continue;
        cli_text_clear(&text);
        fill_option(&text, row);
        printf("  %-*.*s  ", (int)width, (int)text.size, text.data);
        print_words(row->help, 4 + (text.size > width ? text.size : width),
                    4 + width);
    }
    cli_text_done(&text);
}

static void print_examples(const char *lines)
{
    putchar('\n');
    cli_paint(stdout, CLI_BOLD, "Examples");
    putchar('\n');
    while (*lines != '\0') {
        size_t size = strcspn(lines, "\n");
        printf("  %.*s\n", (int)size, lines);
        lines += size + (lines[size] == '\n');
    }
}

void cli_print_help(const struct cli_verb *verb)
{
    struct cli_section sections[CLI_MAX_SECTIONS];
    size_t             count = cli_sections(verb, sections);
    size_t             width = widest_option(sections, count);

    cli_pager_begin();
    printf("tenon %s - %s\n\n", verb->name, verb->summary);
    cli_paint(stdout, CLI_BOLD, "Usage");
    printf("\n  tenon %s [OPTION...]%s%s\n", verb->name,
           verb->arguments[0] != '\0' ? " " : "", verb->arguments);
    if (verb->details != NULL)
        printf("\n%s\n", verb->details);
    for (size_t i = 0; i < count; i++)
        print_section(&sections[i], width);
    if (verb->examples != NULL)
        print_examples(verb->examples);
}

/* ---- the manual --------------------------------------------------------- */

/* A minus that is typed is \-; a backslash is \e. */
static void print_roff(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
    }
}

static void print_man_row(const struct cli_opt *row)
{
    puts(".TP");
    if (row->letter != 0)
        printf("\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", stdout);
    print_roff(row->name);
    fputs("\\fR", stdout);
    if (row->value != NULL) {
        fputs(" \\fI", stdout);
        print_roff(row->value);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_roff(row->help);
    putchar('\n');
}

void cli_print_help_man(const struct cli_verb *verb)
{
    struct cli_section sections[CLI_MAX_SECTIONS];
    size_t             count = cli_sections(verb, sections);

    puts(".SH OPTIONS");
    for (size_t i = 0; i < count; i++) {
        if (sections[i].rows != verb->options)
            printf(".SS %s\n", sections[i].title);
        for (const struct cli_opt *row = sections[i].rows; row->kind; row++)
            if (row->help != NULL)
                print_man_row(row);
    }
}
