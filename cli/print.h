/*
 * print.h - printing to a terminal or a pipe: colours and columns
 *
 * Colours and terminal layout are used on a terminal only, and colours never
 * when NO_COLOR is set.  A pipe gets plain text, which stays the same from
 * release to release.
 */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "text.h"

enum cli_colour {
    CLI_PLAIN,
    CLI_BOLD,
    CLI_DIM,
    CLI_RED,
    CLI_YELLOW,
    CLI_GREEN,
    CLI_CYAN
};

/* Standard output counts as a terminal also when it goes through a pager. */
bool cli_is_terminal(FILE *file);
bool cli_can_redraw(FILE *file); /* a terminal that understands escape
                                    sequences                             */
bool     cli_has_colour(FILE *file);
unsigned cli_columns(FILE *file); /* of the terminal; 80 if unknown           */

/* Those of standard output, before it goes through a pager. */
void cli_remember_columns(void);

/* --wide: tables are as wide as what is in them. */
void cli_print_wide(void);

/* Prints in a colour, if the file has colours. */
void cli_paint(FILE *file, enum cli_colour colour, const char *text);
void cli_print(FILE *file, enum cli_colour colour, const struct cli_text *text);

/* A name from a file, escaped. */
void cli_print_name(FILE *file, enum cli_colour colour, struct tn_bytes name);

struct cli_column {
    const char     *title; /* headings are printed if any column has one      */
    bool            is_right;
    enum cli_colour colour;
    bool is_extra; /* may be left out where the terminal is too narrow      */
    bool is_whole; /* is not shortened: half of it would be another number  */
};

/* Fills one cell per column; they are empty at first.  Called twice for each
 * row, the first time to measure it, so that no table is kept in memory. */
typedef void cli_on_row(void *context, uint64_t row, struct cli_text *cells);

struct cli_table {
    unsigned                 indent;
    unsigned                 column_count;
    const struct cli_column *columns;
    uint64_t                 row_count;
    cli_on_row              *on_row;
    void                    *context;
};

/* On a terminal the table is no wider than the terminal: cells are shortened in
 * the middle; if that is not enough, extra columns are left out, the last one
 * first.  Elsewhere, and with --wide, nothing is shortened. */
void cli_print_table(FILE *file, const struct cli_table *table);

/* A paragraph.  On a terminal it is broken between words, and continues
 * `indent` columns from the left; `used` columns of its first line are printed
 * already.  Words that are longer than a line are shortened in the middle.
 * Ends the line. */
void cli_print_wrapped(FILE *file, enum cli_colour colour, unsigned used,
                       unsigned indent, const struct cli_text *text);

/* Whether lines are fitted to the terminal. */
bool cli_is_fitted(FILE *file);

#endif
