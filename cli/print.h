/*
 * print.h - standard output: its terminal, its colours, its columns
 *
 * Colours and clever layout appear on a terminal only, and never when NO_COLOR
 * is set; a pipe gets plain bytes that stay the same from release to release.
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

bool     cli_is_terminal(FILE *file);
bool     cli_can_redraw(FILE *file); /* a terminal that knows escapes        */
bool     cli_has_colour(FILE *file);
unsigned cli_columns(FILE *file); /* of the terminal; 80 when it will not say */

/* Print in a colour, where colours are wanted. */
void cli_paint(FILE *file, enum cli_colour colour, const char *text);
void cli_print(FILE *file, enum cli_colour colour, const struct cli_text *text);

/* One name, made harmless. */
void cli_print_name(FILE *file, enum cli_colour colour, struct tn_bytes name);

struct cli_column {
    const char     *title; /* a heading is printed when any column has one   */
    bool            is_right;
    enum cli_colour colour;
};

/* Fill one cell per column; they come empty.  Called twice for each row, the
 * first time to measure it, so a table takes no memory. */
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
