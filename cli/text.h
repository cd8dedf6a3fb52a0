/*
 * text.h - text that grows, and how numbers and names are printed
 *
 * Begin with `struct cli_text text = { 0 };`.  If memory runs out, the command
 * ends with exit code 8.  That is safe: files are written by the library, never
 * by a verb.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <tenon/bytes.h>

struct cli_text {
    char  *data; /* not terminated; may be NULL when size is 0 */
    size_t size;
    size_t capacity;
};

/* Empty, but keeps its memory for the next use. */
void cli_text_clear(struct cli_text *text);
void cli_text_done(struct cli_text *text);

void cli_text_put(struct cli_text *text, const void *bytes, size_t size);
void cli_text_add(struct cli_text *text, const char *string);
void cli_text_addf(struct cli_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A name from a file, escaped: what controls a terminal or is not UTF-8 becomes
 * \n, \t, \xHH or \u{HHHH}, and a backslash is doubled, so that the printed
 * form is unambiguous. */
void cli_text_safe(struct cli_text *text, struct tn_bytes name);

/* A message of the library, in which control characters are escaped already:
 * the rest of what could harm is escaped, and backslashes are not doubled. */
void cli_text_message(struct cli_text *text, const char *message);

/* A word of a command line, quoted if a shell would change it. */
void cli_text_shell(struct cli_text *text, const char *word);

/* "240 B", "17.4 MiB". */
void cli_text_bytes(struct cli_text *text, uint64_t size);

/* "1,234,567". */
void cli_text_number(struct cli_text *text, uint64_t number);

/* Its width on a terminal, in columns. */
size_t cli_text_width(const struct cli_text *text);

/* Makes a text that is wider than `columns` exactly that wide, or a column less:
 * what is in the middle becomes an ellipsis.  More of the end is kept than of
 * the beginning, which many names of a model have in common. */
void cli_text_shorten(struct cli_text *text, size_t columns);

/* Views of a text, and of a terminated string. */
struct tn_bytes cli_text_view(const struct cli_text *text);
struct tn_bytes cli_bytes(const char *string);

/* malloc and realloc that end the command instead of failing. */
void *cli_allocate(size_t count, size_t size);

#endif
