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

bool cli_is_terminal(FILE *file);
bool cli_can_redraw(FILE *file); /* a terminal that understands escape
                                    sequences                             */
bool     cli_has_colour(FILE *file);
unsigned cli_columns(FILE *file); /* of the terminal; 80 if unknown           */

/* Prints in a colour, if the file has colours. */
void cli_paint(FILE *file, enum cli_colour colour, const char *text);
void cli_print(FILE *file, enum cli_colour colour, const struct cli_text *text);

/* A name from a file, escaped. */
void cli_print_name(FILE *file, enum cli_colour colour, struct tn_bytes name);

struct cli_column {
    const char     *title; /* headings are printed if any column has one      */
    bool            is_right;
    enum cli_colour colour;
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
void cli_print_table(FILE *file, const struct cli_table *table);

#endif
