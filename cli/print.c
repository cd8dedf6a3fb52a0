/* print.c - printing to a terminal or a pipe: colours and columns */
#include "print.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pager.h"

static unsigned remembered; /* columns of the terminal behind a pager        */
static bool     is_wide;

bool cli_is_terminal(FILE *file)
{
    return isatty(fileno(file)) == 1 || (file == stdout && cli_is_paged());
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

    if (file == stdout && cli_is_paged())
        return remembered;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

void cli_remember_columns(void)
{
    remembered = cli_columns(stdout);
}

void cli_print_wide(void)
{
    is_wide = true;
}

bool cli_is_fitted(FILE *file)
{
    return !is_wide && cli_is_terminal(file);
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

/* A cell wider than this extends past its column in its own row; it does not
 * push the columns of all other rows off the screen.  Its row is aligned again
 * as soon as the cells after it leave room.  If every fourth row would extend
 * past the column, long names are normal in this model, and the column becomes
 * as wide as they are. */
enum { WIDEST_CELL = 60, WIDEST_COLUMN = 160, FEW = 4 };

/* No column is made narrower than this, or than its title.  NARROW holds while
 * extra columns can still be left out; NARROWEST is the last resort. */
enum { NARROW = 16, NARROWEST = 8 };

struct layout {
    struct cli_text cells[MAX_COLUMNS];
    size_t          widths[MAX_COLUMNS];
    size_t          long_widths[MAX_COLUMNS]; /* of cells that stick out      */
    uint64_t        long_counts[MAX_COLUMNS];
    size_t          title_widths[MAX_COLUMNS];
    size_t          least; /* NARROW or NARROWEST                             */
    bool            is_fitted;
    unsigned        left_out; /* columns                      */
    bool            is_left_out[MAX_COLUMNS];
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
        if (width > WIDEST_CELL && !layout->is_fitted) {
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

/* ---- tables that fit a terminal ------------------------------------------ */

static bool has_column(const struct layout *layout, unsigned i)
{
    return layout->widths[i] > 0 && !layout->is_left_out[i];
}

static bool can_shrink(const struct cli_table *table, unsigned i)
{
    return !table->columns[i].is_right && !table->columns[i].is_whole;
}

/* How narrow the column may become. */
static size_t least_width(const struct layout    *layout,
                          const struct cli_table *table, unsigned i)
{
    size_t least = layout->title_widths[i] > layout->least
                       ? layout->title_widths[i]
                       : layout->least;

    return can_shrink(table, i) && least < layout->widths[i]
               ? least
               : layout->widths[i];
}

/* The width of a line: as it is now, or with every column as narrow as it may
 * become. */
static size_t line_width(const struct layout    *layout,
                         const struct cli_table *table, bool is_least)
{
    size_t sum = table->indent;

    for (unsigned i = 0; i < table->column_count; i++)
        if (has_column(layout, i))
            sum +=
                (sum > table->indent ? 2 : 0) +
                (is_least ? least_width(layout, table, i) : layout->widths[i]);
    return sum;
}

/* Leaves the last column out, of all or of those that are extra. */
static bool leave_one_out(struct layout *layout, const struct cli_table *table,
                          bool is_extra)
{
    unsigned last = 0;

    for (unsigned i = 1; i < table->column_count; i++)
        if (has_column(layout, i) && (table->columns[i].is_extra || !is_extra))
            last = i;
    if (last == 0)
        return false;
    layout->is_left_out[last] = true;
    layout->left_out++;
    return true;
}

/* Takes a column from the widest that can spare one. */
static bool shrink_one(struct layout *layout, const struct cli_table *table)
{
    unsigned widest = table->column_count;

    for (unsigned i = 0; i < table->column_count; i++)
        if (has_column(layout, i) &&
            layout->widths[i] > least_width(layout, table, i) &&
            (widest == table->column_count ||
             layout->widths[i] > layout->widths[widest]))
            widest = i;
    if (widest == table->column_count)
        return false;
    layout->widths[widest]--;
    return true;
}

static void fit(struct layout *layout, const struct cli_table *table,
                size_t columns)
{
    enum { ROOM = 4096 }; /* the most steps, because a cell may be very long */

    layout->least = NARROW;
    while (line_width(layout, table, true) > columns &&
           leave_one_out(layout, table, true))
        continue;
    layout->least = NARROWEST;
    while (line_width(layout, table, true) > columns &&
           leave_one_out(layout, table, false))
        continue;
    for (unsigned i = 0; i < table->column_count; i++)
        if (layout->widths[i] > ROOM && can_shrink(table, i))
            layout->widths[i] = ROOM;
    while (line_width(layout, table, false) > columns &&
           shrink_one(layout, table))
        continue;
    if (line_width(layout, table, false) > columns && columns > table->indent)
        layout->widths[0] = columns - table->indent;
}

static void print_left_out(FILE *file, const struct layout *layout,
                           unsigned indent)
{
    struct cli_text text = { 0 };

    if (layout->left_out == 0)
        return;
    cli_text_addf(&text,
                  layout->left_out == 1
                      ? "%*s%u column does not fit; --wide shows all"
                      : "%*s%u columns do not fit; --wide shows all",
                  (int)indent, "", layout->left_out);
    cli_print_wrapped(file, CLI_DIM, 0, indent, &text);
    cli_text_done(&text);
}

/* ---- lines --------------------------------------------------------------- */

static void print_line(FILE *file, struct layout *layout,
                       const struct cli_table *table, bool is_heading)
{
    size_t owed = table->indent; /* spaces, paid only when text follows */
    size_t late = 0;             /* by how much cells stuck out so far      */

    for (unsigned i = 0; i < table->column_count; i++) {
        struct cli_text *cell = &layout->cells[i];
        if (layout->is_left_out[i])
            continue;
        if (layout->is_fitted)
            cli_text_shorten(cell, layout->widths[i]);
        size_t width = cli_text_width(cell);
        size_t space =
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

static void measure_titles(struct layout *layout, const struct cli_table *table)
{
    fill_titles(layout, table);
    measure(layout, table->column_count);
    for (unsigned i = 0; i < table->column_count; i++)
        layout->title_widths[i] = cli_text_width(&layout->cells[i]);
}

void cli_print_table(FILE *file, const struct cli_table *table)
{
    struct layout layout    = { .is_fitted = cli_is_fitted(file) };
    bool          has_title = table->columns[0].title != NULL;

    for (uint64_t row = 0; row < table->row_count; row++) {
        fill_row(&layout, table, row);
        measure(&layout, table->column_count);
    }
    widen(&layout, table);
    if (has_title)
        measure_titles(&layout, table);
    if (layout.is_fitted)
        fit(&layout, table, cli_columns(file));
    if (has_title) {
        fill_titles(&layout, table);
        print_line(file, &layout, table, true);
    }
    for (uint64_t row = 0; row < table->row_count && !ferror(file); row++) {
        fill_row(&layout, table, row);
        print_line(file, &layout, table, false);
    }
    print_left_out(file, &layout, table->indent);
    for (unsigned i = 0; i < table->column_count; i++)
        cli_text_done(&layout.cells[i]);
}

/* ---- paragraphs ---------------------------------------------------------- */

void cli_print_wrapped(FILE *file, enum cli_colour colour, unsigned used,
                       unsigned indent, const struct cli_text *text)
{
    size_t          columns = cli_columns(file), at = used;
    struct cli_text word = { 0 };

    if (!cli_is_fitted(file) || columns < 2 * (size_t)indent) {
        cli_print(file, colour, text);
        fputc('\n', file);
        return;
    }
    bool is_broken = false; /* the line begins here: no space before it      */
    for (size_t i = 0; i < text->size; i++) {
        size_t begin = i;
        while (i < text->size && text->data[i] != ' ')
            i++;
        if (i == begin && is_broken)
            continue;
        cli_text_clear(&word);
        cli_text_put(&word, text->data + begin, i - begin);
        cli_text_shorten(&word, columns - indent);
        size_t width = cli_text_width(&word);
        size_t space = begin > 0 && !is_broken;
        is_broken    = at + space + width > columns && at > indent;
        if (is_broken) {
            fprintf(file, "\n%*s", (int)indent, "");
            at    = indent;
            space = 0;
        }
        fprintf(file, "%*s", (int)space, "");
        cli_print(file, colour, &word);
        at += space + width;
        is_broken = is_broken && width == 0;
    }
    fputc('\n', file);
    cli_text_done(&word);
}
