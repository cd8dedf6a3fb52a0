/*
 * scan_templates.c - chat templates, which are programs in Jinja's language
 *
 * Programs that use a model run its template; some do so without a sandbox.  A
 * template that formats messages needs none of what is searched for here: the
 * names by which Python's objects lead to its modules, filters and escapes that
 * hide such names, and other files.
 */
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

/* What names are put together from, in the code of a template: two underscores,
 * a text of nothing but one, a character of a text; NULL: nothing.  Code ends
 * at braces that are neither in quotes nor in brackets of its own; if
 * `is_all`, it never does. */
static const char *find_pieces(struct tn_bytes text, bool is_all)
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
    }
    return NULL;
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
    if (worst < TN_VERDICT_UNKNOWN &&
        (why = find_pieces(text, has_use(text, "{%", "raw"))))
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
