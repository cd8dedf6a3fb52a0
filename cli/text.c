/* text.c - text that grows, and how numbers and names are printed */
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/status.h>

#include "unicode.h"

static _Noreturn void out_of_memory(void)
{
    fputs("tenon: out of memory\n", stderr);
    exit(tn_status_exit_code(TN_NO_MEMORY));
}

void *cli_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL)
        out_of_memory();
    return memory;
}

void cli_text_clear(struct cli_text *text)
{
    text->size = 0;
}

void cli_text_done(struct cli_text *text)
{
    free(text->data);
    *text = (struct cli_text){ 0 };
}

/* Room for `more` bytes after what is there. */
static char *reserve(struct cli_text *text, size_t more)
{
    if (more <= text->capacity - text->size)
        return text->data + text->size;
    if (more > SIZE_MAX / 4 || text->size > SIZE_MAX / 4)
        out_of_memory();
    size_t capacity = (text->size + more) * 2;
    char  *data     = realloc(text->data, capacity);
    if (data == NULL)
        out_of_memory();
    text->data     = data;
    text->capacity = capacity;
    return data + text->size;
}

void cli_text_put(struct cli_text *text, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    memcpy(reserve(text, size), bytes, size);
    text->size += size;
}

void cli_text_add(struct cli_text *text, const char *string)
{
    cli_text_put(text, string, strlen(string));
}

void cli_text_addf(struct cli_text *text, const char *format, ...)
{
    va_list list, again;

    va_start(list, format);
    va_copy(again, list);
    int size = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (size > 0) {
        size_t need = (size_t)size;
        vsnprintf(reserve(text, need + 1), need + 1, format, again);
        text->size += need;
    }
    va_end(again);
}

static void add_escape(struct cli_text *text, uint32_t point)
{
    switch (point) {
    case '\t': cli_text_add(text, "\\t"); break;
    case '\n': cli_text_add(text, "\\n"); break;
    case '\r': cli_text_add(text, "\\r"); break;
    default:
        cli_text_addf(text, point < 0x80 ? "\\x%02" PRIx32 : "\\u{%" PRIx32 "}",
                      point);
    }
}

/* Adds the escape of the first code point, which is not harmless, or of the
 * first byte, which is not UTF-8.  Returns how many bytes were taken. */
static size_t add_harmful(struct cli_text *text, const uint8_t *at, size_t left)
{
    uint32_t point  = 0;
    size_t   length = cli_utf8(at, left, &point);

    if (length == 0)
        cli_text_addf(text, "\\x%02x", at[0]);
    else if (point == '\\')
        cli_text_add(text, "\\\\");
    else
        add_escape(text, point);
    return length > 0 ? length : 1;
}

static void add_escaped(struct cli_text *text, struct tn_bytes bytes,
                        bool doubles_backslashes)
{
    for (size_t i = 0; i < bytes.size;) {
        size_t run = cli_safe_prefix(bytes.data + i, bytes.size - i, '\\');

        cli_text_put(text, bytes.data + i, run);
        i += run;
        if (i < bytes.size && bytes.data[i] == '\\' && !doubles_backslashes)
            cli_text_put(text, &bytes.data[i++], 1);
        else if (i < bytes.size)
            i += add_harmful(text, bytes.data + i, bytes.size - i);
    }
}

void cli_text_safe(struct cli_text *text, struct tn_bytes name)
{
    add_escaped(text, name, true);
}

void cli_text_message(struct cli_text *text, const char *message)
{
    add_escaped(text, cli_bytes(message), false);
}

/* Letters of all scripts, digits, and what paths have between them. */
static bool is_plain_word(const char *word)
{
    size_t plain = strcspn(word, " \t\n\"'\\`$&|;<>()[]{}*?!#~");

    return word[0] != '\0' && word[plain] == '\0';
}

void cli_text_shell(struct cli_text *text, const char *word)
{
    struct tn_bytes bytes    = cli_bytes(word);
    const char     *quote    = is_plain_word(word) ? "" : "\"";
    const char     *specials = "\"\\`$";

    cli_text_add(text, quote);
    for (size_t i = 0; i < bytes.size;) {
        size_t run  = cli_safe_prefix(bytes.data + i, bytes.size - i, '\\');
        size_t most = strcspn(word + i, specials);

        run = run < most ? run : most;
        cli_text_put(text, bytes.data + i, run);
        i += run;
        if (i == bytes.size)
            break;
        if (strchr(specials, word[i]) == NULL) {
            i += add_harmful(text, bytes.data + i, bytes.size - i);
            continue;
        }
        cli_text_add(text, "\\");
        cli_text_put(text, word + i++, 1);
    }
    cli_text_add(text, quote);
}

void cli_text_bytes(struct cli_text *text, uint64_t size)
{
    static const char *const units[] = { "B",   "KiB", "MiB", "GiB",
                                         "TiB", "PiB", "EiB" };
    double                   value   = (double)size;
    size_t                   unit    = 0;

    if (size < 1024) {
        cli_text_addf(text, "%" PRIu64 " B", size);
        return;
    }
    /* 1023.95 would print as 1024.0, so it is shown in the next unit. */
    while (value >= 1023.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    cli_text_addf(text, "%.1f %s", value, units[unit]);
}

void cli_text_number(struct cli_text *text, uint64_t number)
{
    char   digits[24];
    size_t count = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number);

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            cli_text_add(text, ",");
        cli_text_put(text, &digits[i], 1);
    }
}

/* The first character: its bytes, and its width in columns.  What combines with
 * it belongs to it. */
static size_t next_character(const uint8_t *at, size_t left, size_t *width)
{
    uint32_t point = 0;
    size_t   size  = cli_utf8(at, left, &point);

    *width = size > 0 ? cli_point_width(point) : 1;
    size   = size > 0 ? size : 1;
    while (size < left) {
        size_t more = cli_utf8(at + size, left - size, &point);
        if (more == 0 || cli_point_width(point) > 0)
            break;
        size += more;
    }
    return size;
}

size_t cli_text_width(const struct cli_text *text)
{
    const uint8_t *at    = (const uint8_t *)text->data;
    size_t         width = 0, one;

    for (size_t i = 0; i < text->size; width += one)
        i += next_character(at + i, text->size - i, &one);
    return width;
}

/* The end of the first characters that fit into `columns`. */
static size_t fit_front(const struct cli_text *text, size_t columns)
{
    const uint8_t *at = (const uint8_t *)text->data;
    size_t         i  = 0, width;

    while (i < text->size) {
        size_t size = next_character(at + i, text->size - i, &width);
        if (width > columns)
            break;
        columns -= width;
        i += size;
    }
    return i;
}

/* The beginning of what is left when `columns` of the front, or one more, are
 * gone. */
static size_t skip_front(const struct cli_text *text, size_t columns)
{
    const uint8_t *at = (const uint8_t *)text->data;
    size_t         i  = 0, width;

    for (size_t gone = 0; i < text->size && gone < columns; gone += width)
        i += next_character(at + i, text->size - i, &width);
    return i;
}

void cli_text_shorten(struct cli_text *text, size_t columns)
{
    static const char ellipsis[] = "…";
    size_t            width      = cli_text_width(text);

    if (width <= columns)
        return;
    size_t room  = columns > 0 ? columns - 1 : 0;
    size_t front = fit_front(text, room / 3);
    size_t back  = skip_front(text, width - (room - room / 3));
    size_t tail  = text->size - back;
    reserve(text, sizeof(ellipsis));
    memmove(text->data + front + sizeof(ellipsis) - 1, text->data + back, tail);
    memcpy(text->data + front, ellipsis, sizeof(ellipsis) - 1);
    text->size = front + sizeof(ellipsis) - 1 + tail;
}

struct tn_bytes cli_text_view(const struct cli_text *text)
{
    return (struct tn_bytes){ (const uint8_t *)text->data, text->size };
}

struct tn_bytes cli_bytes(const char *string)
{
    return (struct tn_bytes){ (const uint8_t *)string, strlen(string) };
}
