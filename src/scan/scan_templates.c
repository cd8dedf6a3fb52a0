/*
 * scan_templates.c - chat templates, which are programs in Jinja's language
 *
 * Programs that use a model run its template; some do so without a sandbox.  A
 * template that formats messages needs none of what is searched for here: the
 * names by which Python's objects lead to its modules, filters and escapes that
 * hide such names, and other files.
 */
#include "base/arith.h"
#include "scan/scan.h"

struct sign {
    const char     *text;
    enum tn_verdict verdict;
};

static const struct sign signs[] = {
    { "__class__", TN_VERDICT_DANGEROUS },
    { "__base__", TN_VERDICT_DANGEROUS },
    { "__bases__", TN_VERDICT_DANGEROUS },
    { "__mro__", TN_VERDICT_DANGEROUS },
    { "__subclasses__", TN_VERDICT_DANGEROUS },
    { "__init__", TN_VERDICT_DANGEROUS },
    { "__globals__", TN_VERDICT_DANGEROUS },
    { "__builtins__", TN_VERDICT_DANGEROUS },
    { "__import__", TN_VERDICT_DANGEROUS },
    { "__getattribute__", TN_VERDICT_DANGEROUS },
    { "__getitem__", TN_VERDICT_DANGEROUS },
    { "__dict__", TN_VERDICT_DANGEROUS },
    { "__code__", TN_VERDICT_DANGEROUS },
    { "__call__", TN_VERDICT_DANGEROUS },
    { "__reduce", TN_VERDICT_DANGEROUS },
    { "__loader__", TN_VERDICT_DANGEROUS },
    { "__spec__", TN_VERDICT_DANGEROUS },
    { "__module__", TN_VERDICT_DANGEROUS },
    { "_TemplateReference", TN_VERDICT_DANGEROUS },
    { "mro()", TN_VERDICT_DANGEROUS },
    { "func_globals", TN_VERDICT_DANGEROUS },
    { "gi_frame", TN_VERDICT_DANGEROUS },
    { "gi_code", TN_VERDICT_DANGEROUS },
    { "cr_frame", TN_VERDICT_DANGEROUS },
    { "ag_frame", TN_VERDICT_DANGEROUS },
    { "f_globals", TN_VERDICT_DANGEROUS },
    { "f_builtins", TN_VERDICT_DANGEROUS },
    { "format_map", TN_VERDICT_UNKNOWN },
    { "\\x5f", TN_VERDICT_DANGEROUS },
    { "\\x5F", TN_VERDICT_DANGEROUS },
    { "\\u005f", TN_VERDICT_DANGEROUS },
    { "\\u005F", TN_VERDICT_DANGEROUS },
    { "\\137", TN_VERDICT_DANGEROUS },
    { "os.system", TN_VERDICT_DANGEROUS },
    { "popen", TN_VERDICT_DANGEROUS },
    { "\\U0000005", TN_VERDICT_DANGEROUS },
    { "\\N{", TN_VERDICT_DANGEROUS },
    { "'attr'", TN_VERDICT_DANGEROUS },
    { "\"attr\"", TN_VERDICT_DANGEROUS },
    { "%c", TN_VERDICT_UNKNOWN },
    { "lipsum", TN_VERDICT_UNKNOWN },
    { "cycler", TN_VERDICT_UNKNOWN },
    { "joiner", TN_VERDICT_UNKNOWN },
};

/* Words after a bar or a bracket, with blanks between. */
static const struct {
    const char     *before, *word;
    enum tn_verdict verdict;
} uses[] = {
    { "|", "attr", TN_VERDICT_DANGEROUS },
    { "{%", "include", TN_VERDICT_UNKNOWN },
    { "{%", "import", TN_VERDICT_UNKNOWN },
    { "{%", "from", TN_VERDICT_UNKNOWN },
    { "{%", "extends", TN_VERDICT_UNKNOWN },
};

static bool is_word_byte(uint8_t c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

static bool has_use(struct tn_bytes text, const char *before, const char *word)
{
    size_t lead = strlen(before), size = strlen(word);

    for (size_t i = 0; i + lead + size <= text.size; i++) {
        if (memcmp(text.data + i, before, lead) != 0)
            continue;
        size_t at = i + lead;
        while (at < text.size && (text.data[at] <= ' ' ||
                                  text.data[at] == '-' || text.data[at] == '+'))
            at++;
        if (size <= text.size - at && memcmp(text.data + at, word, size) == 0 &&
            (at + size == text.size || !is_word_byte(text.data[at + size])))
            return true;
    }
    return false;
}

static bool is_quote(uint8_t c)
{
    return c == '\'' || c == '"';
}

/* What is after a comment that begins at i. */
static size_t skip_comment(struct tn_bytes text, size_t i)
{
    for (i += 2; i + 1 < text.size; i++)
        if (text.data[i] == '#' && text.data[i + 1] == '}')
            return i + 2;
    return text.size;
}

static bool takes_item(struct tn_bytes text, size_t at)
{
    while (at < text.size && text.data[at] <= ' ')
        at++;
    return at < text.size && text.data[at] == '[';
}

/* The code of a template, for find_computed(): texts are one byte between
 * quotes, a '_' for those that have one; at the end of each piece of code is a
 * line. */
struct code {
    uint8_t *bytes;
    size_t   size;
};

static void keep(struct code *code, uint8_t byte)
{
    code->bytes[code->size++] = byte;
}

/* What names are put together from, in the code of a template: two underscores,
 * a text of nothing but one, a character of a text; NULL: nothing.  Code ends
 * at braces that are neither in quotes nor in brackets of its own; if
 * `is_all`, it never does.  What is code is kept. */
static const char *find_pieces(struct tn_bytes text, bool is_all,
                               struct code *code)
{
    bool     is_code = is_all;
    uint8_t  quote   = 0;
    unsigned open    = 0;

    for (size_t i = 0; i + 1 < text.size; i++) {
        uint8_t c = text.data[i], next = text.data[i + 1];
        if (!is_code && c == '{' && next == '#') {
            i = skip_comment(text, i) - 1;
            continue;
        }
        if (!is_code) {
            is_code = c == '{' && (next == '{' || next == '%');
            i += is_code;
            quote = 0;
            open  = 0;
            continue;
        }
        bool is_alone =
            i && is_quote(text.data[i - 1]) && next == text.data[i - 1];
        if (c == '_' && (next == '_' || is_alone))
            return "__";
        if (!quote && !is_quote(c)) {
            keep(code, c);
        } else if (!quote) {
            keep(code, '\'');
            keep(code, 'x');
        } else if (c == quote) {
            keep(code, '\'');
        } else if (c == '_') {
            code->bytes[code->size - 1] = '_';
        }
        if (quote && c == '\\' && (next == quote || next == '\\'))
            i++;
        else if (quote && c == quote && takes_item(text, i + 1))
            return "'...'[";
        else if (quote)
            quote = c == quote ? 0 : quote;
        else if (is_quote(c))
            quote = is_all ? 0 : c;
        else if (strchr("([{", c) && c)
            open++;
        else if (open && strchr(")]}", c) && c)
            open--;
        else if (!is_all && (c == '}' || c == '%') && next == '}')
            is_code = false;
        if (!is_code)
            keep(code, '\n');
    }
    return NULL;
}

/* ---- names that are computed ----------------------------------------------
 *
 * An object's member is taken by a text in brackets, or as an attribute of
 * filters.  A text that is put together can be the name of any, and templates
 * that format messages need none.
 */

#define NAMES_LIMIT  64
#define ROUNDS_LIMIT 8  /* of variables that are made of others             */
#define DEPTH_LIMIT  16 /* of brackets, on average                          */

/* Variables that hold texts, and those whose text was put together. */
struct names {
    struct tn_bytes text[NAMES_LIMIT], computed[NAMES_LIMIT];
    unsigned        texts, computeds;
    bool            is_full;
};

static bool has_name(const struct tn_bytes *list, unsigned count,
                     struct tn_bytes name)
{
    for (unsigned i = 0; i < count; i++)
        if (tn_bytes_equal(list[i], name))
            return true;
    return false;
}

static bool add_name(struct names *names, struct tn_bytes *list,
                     unsigned *count, struct tn_bytes name)
{
    if (has_name(list, *count, name))
        return false;
    names->is_full = *count == NAMES_LIMIT;
    if (!names->is_full)
        list[(*count)++] = name;
    return !names->is_full;
}

/* A name with its dots, as far as it goes; empty if none begins. */
static struct tn_bytes word_at(struct tn_bytes code, size_t at)
{
    size_t end = at;

    while (end < code.size &&
           (is_word_byte(code.data[end]) || code.data[end] == '.'))
        end++;
    return tn_bytes(code.data + at, end - at);
}

/* What an expression gives: a text, or one that is put together. */
static void judge_code(const struct names *names, struct tn_bytes code,
                       bool *is_text, bool *is_computed)
{
    bool has_operator = false;

    *is_text = *is_computed = false;
    for (size_t i = 0; i < code.size; i++) {
        uint8_t         c    = code.data[i];
        struct tn_bytes word = word_at(code, i);
        if (word.size) {
            *is_text |= has_name(names->text, names->texts, word);
            *is_computed |= has_name(names->computed, names->computeds, word);
            i += word.size - 1;
            continue;
        }
        *is_text |= c == '\'';
        *is_computed |= c == '~';
        has_operator |= c == '+' || c == '*' || c == '%' || c == '|';
        if (c == '\'' && i + 2 < code.size)
            i += 2;
    }
    *is_computed |= *is_text && has_operator;
}

/* The names from `at` up to a word, or an equals sign, and what follows. */
static bool take_names(struct names *names, struct tn_bytes line, size_t at,
                       const char *until)
{
    struct tn_bytes given[8];
    unsigned        count = 0;
    bool            is_text, is_computed, is_new = false;

    while (at < line.size) {
        struct tn_bytes word = word_at(line, at);
        at += word.size ? word.size : 1;
        if ((word.size && tn_bytes_is(word, until)) ||
            (!word.size && line.data[at - 1] == *until))
            break;
        if (word.size && count < sizeof given / sizeof given[0])
            given[count++] = word;
    }
    bool is_block = at >= line.size && *until == '='; /* set NAME ... endset */
    judge_code(names, tn_bytes(line.data + at, line.size - at), &is_text,
               &is_computed);
    for (unsigned i = 0; i < count; i++) {
        if (is_text || is_block)
            is_new |= add_name(names, names->text, &names->texts, given[i]);
        if (is_computed || is_block)
            is_new |= add_name(names, names->computed, &names->computeds,
                               given[i]);
    }
    return is_new;
}

/* Variables of all statements, which begin with one of these words; whether
 * there are more than before. */
static bool take_variables(struct names *names, struct tn_bytes code)
{
    static const char *const words[] = { "set", "with", "for" };
    bool                     is_new  = false;

    for (size_t at = 0; at < code.size;) {
        const uint8_t *end  = memchr(code.data + at, '\n', code.size - at);
        size_t         size = end ? (size_t)(end - code.data) - at
                                  : code.size - at;
        struct tn_bytes line = tn_bytes(code.data + at, size);
        size_t          head = 0;
        while (head < size && !is_word_byte(line.data[head]))
            head++;
        struct tn_bytes word = word_at(line, head);
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            if (tn_bytes_is(word, words[k]))
                is_new |= take_names(names, line, head + word.size,
                                     k == 2 ? "in" : "=");
        at += size + 1;
    }
    return is_new;
}

/* Where the bracket closes that opens before `at`. */
static size_t end_of_item(struct tn_bytes code, size_t at)
{
    unsigned depth = 0;

    for (; at < code.size && code.data[at] != '\n'; at++) {
        if (code.data[at] == '[')
            depth++;
        else if (code.data[at] == ']' && depth-- == 0)
            break;
    }
    return at;
}

static size_t skip_blanks(struct tn_bytes code, size_t at)
{
    while (at < code.size && (code.data[at] == ' ' || code.data[at] == '\t'))
        at++;
    return at;
}

/* Filters whose first argument is what they take of each object. */
static bool takes_attribute(struct tn_bytes word)
{
    static const char *const filters[] = { "map", "selectattr", "rejectattr",
                                           "groupby" };

    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (tn_bytes_is(word, filters[i]))
            return true;
    return false;
}

/* What takes a member by a name that is computed; NULL: nothing. */
static const char *find_use(const struct names *names, struct tn_bytes code)
{
    bool   is_text, is_computed, is_value = false;
    size_t left = DEPTH_LIMIT * code.size;

    for (size_t i = 0; i < code.size; i++) {
        uint8_t         c    = code.data[i];
        struct tn_bytes word = word_at(code, i);
        size_t          step = word.size ? word.size : 1;
        size_t          next = skip_blanks(code, i + step);
        uint8_t         then = next < code.size ? code.data[next] : 0;
        if (word.size) {
            size_t inside = skip_blanks(code, next + 1);
            if (tn_bytes_is(word, "attribute") && then == '=' &&
                inside < code.size && code.data[inside] != '\'')
                return "attribute=";
            if (takes_attribute(word) && then == '(' && inside < code.size &&
                code.data[inside] != '\'' &&
                !tn_bytes_is(word_at(code, inside), "attribute"))
                return "map(...)";
            i += word.size - 1;
        } else if (c == '[' && is_value) {
            size_t size = end_of_item(code, i + 1) - i - 1;
            judge_code(names, tn_bytes(code.data + i + 1, size), &is_text,
                       &is_computed);
            if (is_computed || size > left)
                return "[...]";
            left -= size;
        } else if (c == '\'' && i + 2 < code.size) {
            next = skip_blanks(code, i + 3);
            if (code.data[i + 1] == '_' && next < code.size &&
                code.data[next] == '.')
                return "'..._...'.";
            i += 2;
        }
        if (c > ' ')
            is_value = word.size || c == ')' || c == ']' || c == '\'';
    }
    return NULL;
}

static const char *find_computed(struct tn_bytes code)
{
    struct names names  = { .texts = 0 };
    unsigned     rounds = 0;

    while (rounds < ROUNDS_LIMIT && take_variables(&names, code))
        rounds++;
    return names.is_full || rounds == ROUNDS_LIMIT ? "{% set ... %}"
                                                   : find_use(&names, code);
}

/* What gives names that are not in the text; NULL: nothing. */
static const char *find_names(struct tn_scan *scan, struct tn_bytes text)
{
    size_t      room = 2 * text.size + 1;
    struct code code = { tn_memory_resize(scan->memory, NULL, 0, room,
                                          scan->error),
                         0 };
    if (!code.bytes)
        return NULL;
    const char *why = find_pieces(text, has_use(text, "{%", "raw"), &code);
    if (!why)
        why = find_computed(tn_bytes(code.bytes, code.size));
    tn_memory_free(scan->memory, code.bytes, room);
    return why;
}

void tn_scan_template(struct tn_scan *scan, struct tn_bytes text)
{
    enum tn_verdict worst = TN_VERDICT_NOTE;
    const char     *why   = NULL;

    if (!tn_bytes_contains(text, tn_text("{%")) &&
        !tn_bytes_contains(text, tn_text("{{")))
        return;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (signs[i].verdict > worst &&
            tn_bytes_contains(text, tn_text(signs[i].text))) {
            worst = signs[i].verdict;
            why   = signs[i].text;
        }
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (uses[i].verdict > worst &&
            has_use(text, uses[i].before, uses[i].word)) {
            worst = uses[i].verdict;
            why   = uses[i].word;
        }
    if (worst < TN_VERDICT_UNKNOWN && (why = find_names(scan, text)))
        worst = TN_VERDICT_UNKNOWN;
    if (why)
        tn_scan_tell(scan, worst, "chat-template", TN_NOWHERE,
                     "a chat template, which programs that use the model run, "
                     "with '%s', which none needs",
                     why);
    else
        tn_scan_tell(scan, TN_VERDICT_NOTE, "chat-template", TN_NOWHERE,
                     "a chat template, which programs that use the model run");
}
