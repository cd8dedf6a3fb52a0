/* print.c - printing to a terminal or a pipe: colours and columns */
#include "print.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cli_is_terminal(FILE *file)
{
    return isatty(fileno(file)) == 1;
}

bool cli_can_redraw(FILE *file)
{
    const char *terminal = getenv("TERM");

    return terminal != NULL && strcmp(terminal, "dumb") != 0 &&
           cli_is_terminal(file);
}

bool cli_has_colour(FILE *file)
{
    const char *veto = getenv("NO_COLOR");

    return (veto == NULL || veto[0] == '\0') && cli_can_redraw(file);
}

unsigned cli_columns(FILE *file)
{
    struct winsize size = { 0 };

    if (ioctl(fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

static const char *colour_code(enum cli_colour colour)
{
    switch (colour) {
    case CLI_PLAIN: return "";
    case CLI_BOLD: return "\033[1m";
    case CLI_DIM: return "\033[2m";
    case CLI_RED: return "\033[31m";
    case CLI_YELLOW: return "\033[33m";
    case CLI_GREEN: return "\033[32m";
    case CLI_CYAN: return "\033[36m";
    }
    return "";
}

void cli_print(FILE *file, enum cli_colour colour, const struct cli_text *text)
{
    bool is_painted =
        colour != CLI_PLAIN && text->size > 0 && cli_has_colour(file);

    if (is_painted)
        fputs(colour_code(colour), file);
    fwrite(text->data != NULL ? text->data : "", 1, text->size, file);
    if (is_painted)
        fputs("\033[0m", file);
}

void cli_paint(FILE *file, enum cli_colour colour, const char *string)
{
    struct cli_text text = { 0 };

    cli_text_add(&text, string);
    cli_print(file, colour, &text);
    cli_text_done(&text);
}

void cli_print_name(FILE *file, enum cli_colour colour, struct tn_bytes name)
{
    struct cli_text text = { 0 };

    cli_text_safe(&text, name);
    cli_print(file, colour, &text);
    cli_text_done(&text);
}

/* ---- tables ------------------------------------------------------------- */

enum { MAX_COLUMNS = 12 };

/* A cell wider than this sticks out of its own row; it does not push the
 * columns of all the others off the screen.  Its row falls into step again as
 * soon as the cells after it leave room.  Where every fourth row would stick
 * out, long names are how this model is, and the column is made for them. */
enum { WIDEST_CELL = 60, WIDEST_COLUMN = 160, FEW = 4 };

struct layout {
    struct cli_text cells[MAX_COLUMNS];
    size_t          widths[MAX_COLUMNS];
    size_t          long_widths[MAX_COLUMNS]; /* of cells that stick out      */
    uint64_t        long_counts[MAX_COLUMNS];
};

static void clear_cells(struct layout *layout, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cli_text_clear(&layout->cells[i]);
}

static void fill_titles(struct layout *layout, const struct cli_table *table)
{
    clear_cells(layout, table->column_count);
    for (unsigned i = 0; i < table->column_count; i++)
        if (table->columns[i].title != NULL)
            cli_text_add(&layout->cells[i], table->columns[i].title);
}

static void fill_row(struct layout *layout, const struct cli_table *table,
                     uint64_t row)
{
    clear_cells(layout, table->column_count);
    table->on_row(table->context, row, layout->cells);
}

static void measure(struct layout *layout, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        size_t width = cli_text_width(&layout->cells[i]);
        if (width > WIDEST_CELL) {
            layout->long_counts[i]++;
            if (width > layout->long_widths[i] && width <= WIDEST_COLUMN)
                layout->long_widths[i] = width;
        } else if (width > layout->widths[i]) {
            layout->widths[i] = width;
        }
    }
}

static void widen(struct layout *layout, const struct cli_table *table)
{
    for (unsigned i = 0; i < table->column_count; i++)
        if (layout->long_counts[i] >= (table->row_count + FEW - 1) / FEW &&
            layout->long_widths[i] > 0)
            layout->widths[i] = layout->long_widths[i];
}

static void print_line(FILE *file, struct layout *layout,
                       const struct cli_table *table, bool is_heading)
{
    size_t owed = table->indent; /* spaces, paid only when text follows */
    size_t late = 0;             /* by how much cells stuck out so far      */

    for (unsigned i = 0; i < table->column_count; i++) {
        const struct cli_text *cell  = &layout->cells[i];
        size_t                 width = cli_text_width(cell);
        size_t                 space =
            width < layout->widths[i] ? layout->widths[i] - width : 0;
        size_t made_up = space < late ? space : late;

        space -= made_up;
        late -= made_up;
        if (width > layout->widths[i])
            late += width - layout->widths[i];
        if (cell->size > 0) {
            size_t count = owed + (table->columns[i].is_right ? space : 0);
            fprintf(file, "%*s", (int)(count < 4096 ? count : 4096), "");
            cli_print(file, is_heading ? CLI_DIM : table->columns[i].colour,
                      cell);
            owed = table->columns[i].is_right ? 0 : space;
        } else {
            owed += space;
        }
        owed += layout->widths[i] > 0 || width > 0 ? 2 : 0;
    }
    fputc('\n', file);
}

void cli_print_table(FILE *file, const struct cli_table *table)
{
    struct layout layout = { 0 };

    for (uint64_t row = 0; row < table->row_count; row++) {
        fill_row(&layout, table, row);
        measure(&layout, table->column_count);
    }
    widen(&layout, table);
    if (table->columns[0].title != NULL) {
        fill_titles(&layout, table);
        measure(&layout, table->column_count);
        print_line(file, &layout, table, true);
    }
    for (uint64_t row = 0; row < table->row_count; row++) {
        fill_row(&layout, table, row);
        print_line(file, &layout, table, false);
    }
    for (unsigned i = 0; i < table->column_count; i++)
        cli_text_done(&layout.cells[i]);
}
