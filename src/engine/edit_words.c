/* edit_words.c - the text of edits: one action a line, in words */
#include "engine/edit_words.h"

#include <inttypes.h>

void tn_words_init(struct tn_words_reader *reader, struct tn_memory *memory,
                   struct tn_bytes text)
{
    *reader = (struct tn_words_reader){ .text = text, .has_comments = true };
    tn_list_init(&reader->items, memory, sizeof(const char *));
}

void tn_words_done(struct tn_words_reader *reader)
{
    tn_list_done(&reader->items);
}

/* ---- reading ------------------------------------------------------------ */

/* A line that is being read. */
struct line {
    struct tn_words_reader *reader;
    struct tn_arena        *arena;
    struct tn_buffer       *word;
    size_t                  begin; /* of the line in the text                 */
    struct tn_error        *error;
};

static bool fail_at(const struct line *line, size_t at, const char *what)
{
    tn_error_set(line->error, TN_INVALID, TN_NOWHERE,
                 "line %" PRIu32 ", column %zu: %s", line->reader->line,
                 at - line->begin + 1, what);
    return false;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_control(uint8_t byte)
{
    return byte < 0x20 || byte == 0x7f;
}

/* After the backslash. */
static bool read_escape(struct line *line)
{
    static const char       letters[] = "\"\\nrt", bytes[] = "\"\\\n\r\t";
    struct tn_words_reader *r  = line->reader;
    size_t                  at = r->at - 1;
    uint8_t     letter = r->at < r->text.size ? r->text.data[r->at++] : '\0';
    const char *known  = letter ? strchr(letters, letter) : NULL;

    if (known) {
        tn_buffer_byte(line->word, (uint8_t)bytes[known - letters]);
        return true;
    }
    if (letter != 'x' || r->text.size - r->at < 2)
        return fail_at(line, at, "after '\\' expected \" \\ n r t or xHH");
    int high = tn_hex_digit(r->text.data[r->at]);
    int low  = tn_hex_digit(r->text.data[r->at + 1]);
    if (high < 0 || low < 0)
        return fail_at(line, at, "after '\\x' expected two hexadecimal digits");
    if (high == 0 && low == 0)
        return fail_at(line, at, "a word cannot contain a zero byte");
    r->at += 2;
    tn_buffer_byte(line->word, (uint8_t)(high * 16 + low));
    return true;
}

/* After the opening quote. */
static bool read_quoted(struct line *line)
{
    struct tn_words_reader *r     = line->reader;
    size_t                  began = r->at - 1;

    while (r->at < r->text.size) {
        uint8_t byte = r->text.data[r->at];
        if (byte == '\n')
            break;
        r->at++;
        if (byte == '"')
            return true;
        if (byte == '\0')
            return fail_at(line, r->at - 1,
                           "a word cannot contain a zero byte");
        if (byte != '\\')
            tn_buffer_byte(line->word, byte);
        else if (!read_escape(line))
            return false;
    }
    return fail_at(line, began, "this quote is not closed on its line");
}

static bool ends_word(const struct tn_words_reader *r)
{
    return r->at == r->text.size || is_blank(r->text.data[r->at]) ||
           r->text.data[r->at] == '=' || r->text.data[r->at] == '\n';
}

static bool read_bare(struct line *line)
{
    struct tn_words_reader *r = line->reader;

    while (!ends_word(r)) {
        uint8_t byte = r->text.data[r->at];
        if (byte == '"')
            return fail_at(line, r->at,
                           "a quote inside a word: put the whole "
                           "word between quotes");
        if (is_control(byte))
            return fail_at(line, r->at,
                           "a control character: write it as \\xHH "
                           "between quotes");
        tn_buffer_byte(line->word, byte);
        r->at++;
    }
    return true;
}

static bool keep_word(struct line *line)
{
    struct tn_words_reader *r = line->reader;

    if (r->items.count == TN_EDIT_WORDS_MOST)
        return fail_at(line, r->at, "more than 1048576 words in a line");
    struct tn_bytes text =
        tn_bytes_dup(line->arena, tn_buffer_bytes(line->word), line->error);
    const char **slot = tn_list_push(&r->items, const char *, line->error);
    if (slot)
        *slot = (const char *)text.data;
    return !tn_failed(line->error);
}

static bool read_word(struct line *line)
{
    struct tn_words_reader *r = line->reader;

    tn_buffer_clear(line->word);
    if (r->text.data[r->at] != '"')
        return read_bare(line) && keep_word(line);
    r->at++;
    if (!read_quoted(line))
        return false;
    if (!ends_word(r))
        return fail_at(line, r->at, "expected a blank after the quote");
    return keep_word(line);
}

/* Blanks, and one '=' between two words. */
static bool skip_blanks(struct line *line)
{
    struct tn_words_reader *r         = line->reader;
    bool                    has_equal = false;

    for (; r->at < r->text.size; r->at++) {
        if (is_blank(r->text.data[r->at]))
            continue;
        if (r->text.data[r->at] != '=')
            break;
        if (has_equal || r->items.count == 0)
            return fail_at(line, r->at,
                           "'=' separates two words: write one that is empty "
                           "as \"\", and one with a '=' between quotes");
        has_equal = true;
    }
    if (has_equal && (r->at == r->text.size || r->text.data[r->at] == '\n'))
        return fail_at(line, r->at,
                       "nothing follows the '='; an empty word is "
                       "\"\"");
    return true;
}

static bool read_line(struct line *line)
{
    struct tn_words_reader *r = line->reader;

    line->begin    = r->at;
    r->items.count = 0;
    r->line++;
    for (;;) {
        if (!skip_blanks(line))
            return false;
        if (r->at == r->text.size || r->text.data[r->at] == '\n')
            break;
        if (r->has_comments && r->text.data[r->at] == '#') {
            while (r->at < r->text.size && r->text.data[r->at] != '\n')
                r->at++;
            break;
        }
        if (!read_word(line))
            return false;
    }
    r->at += r->at < r->text.size; /* the end of the line */
    return true;
}

bool tn_words_next(struct tn_words_reader *reader, struct tn_arena *arena,
                   struct tn_words *words, struct tn_error *error)
{
    struct tn_buffer word;
    struct line      line = { reader, arena, &word, 0, error };

    tn_buffer_init(&word, reader->items.memory, error);
    reader->items.count = 0;
    while (!tn_failed(error) && reader->at < reader->text.size &&
           reader->items.count == 0)
        read_line(&line);
    tn_buffer_done(&word);
    *words =
        (struct tn_words){ (uint32_t)reader->items.count, reader->items.items };
    return !tn_failed(error) && words->count > 0;
}

/* ---- writing ------------------------------------------------------------ */

static bool needs_quotes(struct tn_bytes word)
{
    if (word.size == 0 || word.data[0] == '#')
        return true;
    for (size_t i = 0; i < word.size; i++)
        if (is_blank(word.data[i]) || is_control(word.data[i]) ||
            word.data[i] == '=' || word.data[i] == '"')
            return true;
    return false;
}

static void put_byte(struct tn_buffer *to, uint8_t byte)
{
    switch (byte) {
    case '"': tn_buffer_text(to, "\\\""); break;
    case '\\': tn_buffer_text(to, "\\\\"); break;
    case '\n': tn_buffer_text(to, "\\n"); break;
    case '\r': tn_buffer_text(to, "\\r"); break;
    case '\t': tn_buffer_text(to, "\\t"); break;
    default:
        if (is_control(byte))
            tn_buffer_format(to, "\\x%02x", byte);
        else
            tn_buffer_byte(to, byte);
    }
}

void tn_words_put(struct tn_buffer *to, struct tn_bytes word)
{
    if (to->size > 0 && to->data[to->size - 1] != '\n')
        tn_buffer_byte(to, ' ');
    if (!needs_quotes(word)) {
        tn_buffer_add(to, word);
        return;
    }
    tn_buffer_byte(to, '"');
    for (size_t i = 0; i < word.size; i++)
        put_byte(to, word.data[i]);
    tn_buffer_byte(to, '"');
}
