/* tag_text.c - the text files of a tagged container (grammar in tag_text.h) */
#include "format/samediff/tag_text.h"

#include <inttypes.h>

#include "base/alike.h"
#include "base/byte_view.h"
#include "base/utf8.h"

#define ID_LIMIT  64
#define TAG_LIMIT 255 /* bytes: what file systems have for a name */

#define SHOWN_LIMIT 100 /* bytes of a tag in a message */

/* ---- letters ------------------------------------------------------------ */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static bool is_upper(uint8_t c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(uint8_t c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

static bool is_id_letter(uint8_t c)
{
    return is_word(c) || c == '-' || c == '.';
}

static bool is_control(uint8_t c)
{
    return c < 0x20 || c == 0x7f;
}

static bool is_dots(struct tn_bytes name)
{
    return tn_bytes_is(name, ".") || tn_bytes_is(name, "..");
}

static bool is_kind(struct tn_bytes word)
{
    if (word.size == 0 || !is_upper(word.data[0]))
        return false;
    for (size_t i = 1; i < word.size; i++)
        if (!is_upper(word.data[i]) && !is_digit(word.data[i]) &&
            word.data[i] != '_')
            return false;
    return true;
}

static const char *id_refusal(struct tn_bytes id)
{
    if (id.size == 0 || id.size > ID_LIMIT)
        return "an id has 1 to 64 letters";
    for (size_t i = 0; i < id.size; i++)
        if (!is_id_letter(id.data[i]))
            return "an id has letters, digits and _ - . only";
    if (is_dots(id))
        return "no id is called so";
    return is_kind(id) ? "a kind where an id should be" : NULL;
}

/* ---- tags --------------------------------------------------------------- */

bool tn_tag_equal(struct tn_bytes a, struct tn_bytes b)
{
    return tn_alike(a, b);
}

/* A byte order mark in front of a name would be one of the file. */
static size_t mark_size(struct tn_bytes name)
{
    return name.size >= 3 && memcmp(name.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

const char *tn_tag_old_refusal(struct tn_bytes tag)
{
    if (tag.size == 0)
        return "a tag without a name";
    if (is_dots(tag))
        return "no tag is called so";
    if (mark_size(tag))
        return "a byte order mark is not a part of a name";
    for (size_t i = 0; i < tag.size; i++)
        if (is_control(tag.data[i]) || strchr("/\\:*?\"<>|", tag.data[i]))
            return "a tag has no control characters, slashes, backslashes "
                   "or : * ? \" < > |";
    return NULL;
}

/* Behind "com" and "lpt": a digit, or one that is written above the line. */
static bool is_port(struct tn_bytes number)
{
    static const char *const raised[] = { "\xc2\xb9", "\xc2\xb2", "\xc2\xb3" };

    for (size_t i = 0; i < sizeof raised / sizeof raised[0]; i++)
        if (tn_bytes_is(number, raised[i]))
            return true;
    return number.size == 1 && number.data[0] >= '1' && number.data[0] <= '9';
}

/* Names that are devices on some systems, whatever follows the dot. */
static bool is_device(struct tn_bytes tag)
{
    static const char *const devices[] = { "con",    "prn",     "aux", "nul",
                                           "conin$", "conout$", NULL };
    const uint8_t           *dot       = tn_bytes_find(tag, '.');
    struct tn_bytes          stem      = tag;

    if (dot)
        stem.size = (size_t)(dot - tag.data);
    while (stem.size && stem.data[stem.size - 1] == ' ')
        stem.size--;
    for (const char *const *device = devices; *device; device++)
        if (tn_tag_equal(stem, tn_text(*device)))
            return true;
    return stem.size > 3 && is_port(tn_bytes(stem.data + 3, stem.size - 3)) &&
           (tn_tag_equal(tn_bytes(stem.data, 3), tn_text("com")) ||
            tn_tag_equal(tn_bytes(stem.data, 3), tn_text("lpt")));
}

/* Control characters after ASCII, and the ends of lines and paragraphs. */
static bool has_wide_control(struct tn_bytes tag)
{
    for (size_t at = 0; at < tag.size;) {
        unsigned size = tn_utf8_size(tag.data[at]);
        uint32_t code = tn_utf8_code(tag.data + at, size);
        if ((code >= 0x80 && code < 0xa0) || code == 0x2028 || code == 0x2029)
            return true;
        at += size;
    }
    return false;
}

const char *tn_tag_new_refusal(struct tn_bytes tag)
{
    const char *refusal = tn_tag_old_refusal(tag);

    if (refusal)
        return refusal;
    if (tag.size > TAG_LIMIT)
        return "a tag has at most 255 bytes";
    if (!tn_utf8_is_valid(tag))
        return "a tag is UTF-8";
    if (has_wide_control(tag))
        return "a tag has no control characters";
    if (tag.data[0] == ' ')
        return "a tag does not begin with a space";
    if (tag.data[tag.size - 1] == ' ')
        return "a tag does not end in a space";
    if (tag.data[tag.size - 1] == '.')
        return "a tag does not end in a dot";
    if (tn_tag_equal(tag, tn_text("tags.txt")))
        return "the list of tags has this name";
    return is_device(tag) ? "some systems have a device of this name" : NULL;
}

enum tn_status tn_tag_refuse_new(struct tn_bytes tag, struct tn_error *error)
{
    const char     *refusal = tn_tag_new_refusal(tag);
    struct tn_bytes shown   = tn_utf8_cut(tag, SHOWN_LIMIT);

    if (!refusal)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE, "tag '%.*s%s': %s",
                        TN_FMT(shown), shown.size < tag.size ? "..." : "",
                        refusal);
}

/* ---- lines -------------------------------------------------------------- */

struct reading {
    const struct tn_tag_text *text;
    const uint8_t            *at, *end;
    struct tn_bytes           line; /* without its end                        */
    struct tn_bytes           word;
    struct tn_arena          *arena;
    struct tn_error          *error;
    bool                      has_blank; /* a blank line was there            */
};

static uint64_t place(const struct reading *r, const uint8_t *at)
{
    if (r->text->offset == TN_NOWHERE)
        return TN_NOWHERE;
    return r->text->offset + (uint64_t)(at - r->text->bytes.data);
}

static void fail(struct reading *r, const uint8_t *at, const char *what)
{
    tn_error_set(r->error, TN_MALFORMED, place(r, at), "%s", what);
    tn_error_where(r->error, "%s", r->text->entry);
}

static void doubt(const struct reading *r, const uint8_t *at, const char *rule,
                  const char *what)
{
    if (r->text->report)
        tn_report_format(r->text->report, TN_LEVEL_WARNING, rule, "",
                         place(r, at), r->text->entry, "%s", what);
}

static void check_utf8(struct reading *r)
{
    for (const uint8_t *at = r->at; at < r->end;) {
        unsigned size = tn_utf8_check(at, r->end);
        if (size == 0) {
            fail(r, at, "this is not UTF-8");
            return;
        }
        at += size;
    }
}

static void begin(struct reading *r)
{
    struct tn_bytes bytes = r->text->bytes;

    r->at  = bytes.data;
    r->end = bytes.size ? bytes.data + bytes.size : bytes.data;
    if (bytes.size >= 3 && memcmp(bytes.data, "\xef\xbb\xbf", 3) == 0) {
        doubt(r, r->at, "tag-text-bom",
              "a byte order mark, which means nothing");
        r->at += 3;
    }
    check_utf8(r);
}

static bool next_word(struct reading *r)
{
    while (r->line.size && is_blank(r->line.data[0]))
        r->line = tn_bytes(r->line.data + 1, r->line.size - 1);
    r->word = tn_bytes(r->line.data, 0);
    while (r->word.size < r->line.size && !is_blank(r->line.data[r->word.size]))
        r->word.size++;
    r->line =
        tn_bytes(r->line.data + r->word.size, r->line.size - r->word.size);
    return r->word.size > 0;
}

/* The next line that says something; the first word is read. */
static bool next_line(struct reading *r)
{
    while (r->at < r->end && !tn_failed(r->error)) {
        const uint8_t *from = r->at;
        const uint8_t *end  = memchr(from, '\n', (size_t)(r->end - from));
        r->at               = end ? end + 1 : r->end;
        end                 = end ? end : r->end;
        if (end > from && end < r->end && end[-1] == '\r')
            end--;
        r->line = tn_bytes(from, (size_t)(end - from));
        if (next_word(r))
            return true;
        if (!r->has_blank)
            doubt(r, from, "tag-text-blank-line", "a line that says nothing");
        r->has_blank = true;
    }
    return false;
}

uint64_t tn_tag_text_count(struct tn_bytes text)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_tag_text plain = { .bytes = text, .entry = "" };
    struct reading     r     = { .text = &plain, .error = &error };
    uint64_t           count = 0;

    r.at  = text.data;
    r.end = text.size ? text.data + text.size : text.data;
    while (next_line(&r))
        count++;
    return count;
}

/* ---- tags.txt ----------------------------------------------------------- */

/* Whether it is the first of that name. */
static void claim(struct reading *r, struct tn_intern *names,
                  struct tn_bytes name, const uint8_t *at, const char *what)
{
    uint32_t count = tn_intern_count(names);

    if (!tn_failed(r->error) &&
        tn_intern_borrow(names, name, r->error) != TN_NO_NAME &&
        tn_intern_count(names) == count)
        fail(r, at, what);
}

/* A tag is a whole line: it may contain blanks, but not begin or end with
 * one. */
static struct tn_bytes read_tag(struct reading *r, struct tn_intern *names)
{
    struct tn_bytes tag = tn_bytes(r->word.data, r->word.size + r->line.size);
    const char     *refusal;

    while (is_blank(tag.data[tag.size - 1]))
        tag.size--;
    refusal = tn_tag_old_refusal(tag);
    if (refusal)
        fail(r, tag.data, refusal);
    else
        claim(r, names, tn_alike_copy(r->arena, tag, r->error), tag.data,
              "the tag is there already");
    return tag;
}

enum tn_status tn_tag_text_tags(const struct tn_tag_text *text,
                                struct tn_arena          *arena,
                                const struct tn_bytes **tags, uint32_t *count,
                                struct tn_error *error)
{
    struct reading   r = { .text = text, .arena = arena, .error = error };
    struct tn_intern names;
    struct tn_list   found; /* struct tn_bytes */

    tn_intern_init(&names, arena);
    tn_list_init(&found, arena->memory, sizeof(struct tn_bytes));
    begin(&r);
    while (!tn_failed(error) && next_line(&r)) {
        struct tn_bytes *slot = tn_list_push(&found, struct tn_bytes, error);
        if (!slot)
            break;
        *slot = read_tag(&r, &names);
    }
    *count = (uint32_t)found.count;
    *tags  = tn_list_keep(&found, struct tn_bytes, arena, error);
    tn_list_done(&found);
    tn_intern_done(&names);
    return error->status;
}

/* ---- params.txt and updater.txt ----------------------------------------- */

static bool is_escape(const uint8_t *at, const uint8_t *end)
{
    return end - at >= 3 && tn_hex_digit(at[1]) >= 0 &&
           tn_hex_digit(at[2]) >= 0;
}

static struct tn_bytes decode_name(struct reading *r, struct tn_bytes word)
{
    const uint8_t *end  = word.data + word.size;
    uint8_t       *to   = NULL;
    size_t         size = 0;

    for (size_t i = 0; i < word.size; i++)
        if (is_control(word.data[i])) {
            fail(r, word.data + i, "a control byte that is not escaped");
            return word;
        }
    if (!tn_bytes_find(word, '%'))
        return word;
    to = tn_new(r->arena, uint8_t, word.size, r->error);
    for (const uint8_t *at = word.data; to && at < end; at++) {
        if (*at != '%' || !is_escape(at, end)) {
            if (*at == '%')
                doubt(r, at, "tag-text-percent",
                      "a % that begins no escape, taken as it is");
            to[size++] = *at;
            continue;
        }
        to[size++] = (uint8_t)(tn_hex_digit(at[1]) << 4 | tn_hex_digit(at[2]));
        at += 2;
    }
    for (size_t at = 0; at < size;) {
        unsigned step = tn_utf8_check(to + at, to + size);
        if (step == 0) {
            fail(r, word.data, "escapes that make no UTF-8");
            break;
        }
        at += step;
    }
    return tn_bytes(to, size);
}

static void read_ref(struct reading *r, struct tn_bytes word,
                     struct tn_list *refs)
{
    const uint8_t     *slash = tn_bytes_find(word, '/');
    struct tn_tag_ref *ref   = tn_list_push(refs, struct tn_tag_ref, r->error);
    const char        *refusal = NULL;

    if (!ref)
        return;
    ref->id = word;
    if (slash) {
        ref->tag = tn_bytes(word.data, (size_t)(slash - word.data));
        ref->id  = tn_bytes(slash + 1, word.size - ref->tag.size - 1);
        ref->tag = decode_name(r, ref->tag);
        refusal  = tn_tag_old_refusal(ref->tag);
    }
    if (!refusal)
        refusal = id_refusal(ref->id);
    if (refusal)
        fail(r, word.data, refusal);
}

/* The words after the name.  The last one waits until it is known to be the
 * last. */
static void read_refs(struct reading *r, struct tn_list *refs,
                      struct tn_tag_line *line)
{
    uint64_t        first = refs->count;
    struct tn_bytes last  = { NULL, 0 };

    while (next_word(r)) {
        if (last.size)
            read_ref(r, last, refs);
        last = r->word;
    }
    if (last.size == 0)
        fail(r, r->word.data, "a name without a file");
    else if (refs->count > first && is_kind(last))
        line->kind = last;
    else
        read_ref(r, last, refs);
    line->ref_count = (uint32_t)(refs->count - first);
}

static void read_line(struct reading *r, enum tn_tag_file which,
                      struct tn_list *refs, struct tn_tag_line *line)
{
    const uint8_t *at = r->word.data;

    line->offset = place(r, at);
    line->name   = decode_name(r, r->word);
    read_refs(r, refs, line);
    if (which == TN_TAG_PARAMS && line->ref_count > 1)
        fail(r, at, "a variable with several files");
}

/* Refs were counted while their list still moved. */
static void keep(struct tn_tag_lines *to, const struct tn_list *lines,
                 const struct tn_list *refs, struct tn_arena *arena,
                 struct tn_error *error)
{
    struct tn_tag_line *items =
        tn_new(arena, struct tn_tag_line, lines->count, error);
    struct tn_tag_ref *files =
        tn_list_keep(refs, struct tn_tag_ref, arena, error);
    uint64_t next = 0;

    *to = (struct tn_tag_lines){ 0 };
    if (tn_failed(error))
        return;
    for (uint64_t i = 0; i < lines->count; i++) {
        items[i]      = *tn_list_at(lines, struct tn_tag_line, i);
        items[i].refs = files + next;
        next += items[i].ref_count;
    }
    *to = (struct tn_tag_lines){ items, (uint32_t)lines->count };
}

enum tn_status tn_tag_text_lines(const struct tn_tag_text *text,
                                 enum tn_tag_file which, struct tn_arena *arena,
                                 struct tn_tag_lines *lines,
                                 struct tn_error     *error)
{
    struct reading   r = { .text = text, .arena = arena, .error = error };
    struct tn_intern names;
    struct tn_list   found, refs;

    tn_intern_init(&names, arena);
    tn_list_init(&found, arena->memory, sizeof(struct tn_tag_line));
    tn_list_init(&refs, arena->memory, sizeof(struct tn_tag_ref));
    begin(&r);
    while (!tn_failed(error) && next_line(&r)) {
        struct tn_tag_line *line =
            tn_list_push(&found, struct tn_tag_line, error);
        const uint8_t *at = r.word.data;
        if (!line)
            break;
        read_line(&r, which, &refs, line);
        claim(&r, &names, line->name, at, "the name is there already");
    }
    keep(lines, &found, &refs, arena, error);
    tn_list_done(&refs);
    tn_list_done(&found);
    tn_intern_done(&names);
    return error->status;
}

/* ---- writing ------------------------------------------------------------ */

/* The name with what must be escaped escaped. */
static void put_name(struct tn_buffer *to, struct tn_bytes name)
{
    size_t mark = mark_size(name);

    for (size_t i = 0; i < name.size; i++) {
        uint8_t c = name.data[i];
        if (c <= 0x20 || c == 0x7f || c == '%' || i < mark)
            tn_buffer_format(to, "%%%02X", c);
        else
            tn_buffer_byte(to, c);
    }
}

void tn_tag_text_put(struct tn_buffer *to, const struct tn_tag_line *line,
                     struct tn_bytes own)
{
    put_name(to, line->name);
    for (uint32_t i = 0; i < line->ref_count; i++) {
        const struct tn_tag_ref *ref = &line->refs[i];
        tn_buffer_byte(to, ' ');
        if (ref->tag.size && !tn_tag_equal(ref->tag, own)) {
            put_name(to, ref->tag);
            tn_buffer_byte(to, '/');
        }
        tn_buffer_add(to, ref->id);
    }
    if (line->kind.size) {
        tn_buffer_byte(to, ' ');
        tn_buffer_add(to, line->kind);
    }
    tn_buffer_byte(to, '\n');
}
