/*
 * scan_keras.c - code in the configurations of Keras
 *
 * A layer is {"class_name": ..., "config": ...}; in newer files "module" says
 * where its class is imported from.  The JSON is a file of its own in a .keras
 * archive, and an attribute somewhere in HDF5.  So any bytes are searched for
 * these two keys with their values, from every quote, with JSON's escapes and
 * blanks: what comes before a quote cannot hide it.
 */
#include "base/arith.h"
#include "scan/scan.h"

#define TEXT_LIMIT 128 /* of a key or a value, unescaped */

/* A string of JSON at *at, which then is after it; false: none, or a long
 * one. */
static bool read_string(const uint8_t **at, const uint8_t *end,
                        char text[TEXT_LIMIT])
{
    const uint8_t *p    = *at;
    size_t         used = 0;

    if (p == end || *p++ != '"')
        return false;
    for (; p < end && used + 1 < TEXT_LIMIT; p++) {
        unsigned code = *p;
        if (code == '"') {
            text[used] = 0;
            *at        = p + 1;
            return true;
        }
        if (code < 0x20)
            return false;
        if (code == '\\') {
            if (++p == end)
                return false;
            code = *p;
            if (code == 'u') {
                if (end - p < 5)
                    return false;
                code = 0;
                for (int i = 1; i <= 4; i++) {
                    uint8_t c = p[i] | 0x20;
                    code = code << 4 | (unsigned)(c >= 'a' ? c - 'a' + 10
                                                           : p[i] - '0');
                }
                p += 4;
            }
        }
        text[used++] = code < 0x80 ? (char)code : '?';
    }
    return false;
}

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end &&
           (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static bool is_of_keras(const char *module)
{
    static const char *const roots[] = { "keras", "tf_keras", "tensorflow",
                                         "builtins" };

    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        size_t size = strlen(roots[i]);
        if (strncmp(module, roots[i], size) == 0 &&
            (module[size] == 0 || module[size] == '.' ||
             (i == 0 && module[size] == '_')))
            return true;
    }
    return false;
}

static void judge(struct tn_scan *scan, uint64_t offset, const char *key,
                  const char *value)
{
    if (strcmp(key, "class_name") == 0 &&
        (strcmp(value, "Lambda") == 0 || strcmp(value, "__lambda__") == 0))
        tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "keras-lambda", offset,
                     "a Lambda layer of Keras: it runs Python code that is in "
                     "the file");
    if (strcmp(key, "module") == 0 && !is_of_keras(value))
        tn_scan_tell(scan,
                     tn_scan_is_python(tn_text(value)) ? TN_VERDICT_DANGEROUS
                                                       : TN_VERDICT_UNKNOWN,
                     "keras-module", offset,
                     "the configuration of a layer imports from '%s'", value);
}

/* Whether "key": "value" begins at a quote. */
static void look_at_quote(struct tn_scan *scan, const uint8_t *at,
                          const uint8_t *end, uint64_t offset)
{
    char key[TEXT_LIMIT], value[TEXT_LIMIT];

    if (!read_string(&at, end, key) ||
        (strcmp(key, "class_name") != 0 && strcmp(key, "module") != 0))
        return;
    at = skip_blanks(at, end);
    if (at == end || *at++ != ':')
        return;
    at = skip_blanks(at, end);
    if (read_string(&at, end, value))
        judge(scan, offset, key, value);
}

void tn_scan_keras(struct tn_scan *scan, struct tn_source *source)
{
    enum { WINDOW = 1 << 18, OVERLAP = 1 << 13 };
    struct tn_error own    = TN_ERROR_INIT;
    uint8_t        *window = tn_memory_resize(scan->memory, NULL, 0, WINDOW,
                                              scan->error);
    uint64_t        at     = 0;

    while (window && at < source->size && !scan->is_stopped) {
        size_t n = (size_t)tn_min(source->size - at, WINDOW);
        if (tn_source_read(source, at, window, n, &own) != TN_OK)
            break;
        /* What begins in the overlap is looked at in the next window. */
        const uint8_t *end  = window + n, *p = window,
                      *last = n < WINDOW ? end : end - OVERLAP;
        while (p < last && (p = memchr(p, '"', (size_t)(last - p)))) {
            look_at_quote(scan, p, end, at + (uint64_t)(p - window));
            p++;
        }
        at += (uint64_t)(last - window);
    }
    if (window)
        tn_memory_free(scan->memory, window, WINDOW);
    tn_scan_absorb(scan, &own);
}
