/*
 * scan_keras.c - code in the configurations of Keras
 *
 * A layer is {"class_name": ..., "config": ...}; in newer files "module" says
 * where its class is imported from.  The JSON is a file of its own in a .keras
 * archive, and an attribute somewhere in HDF5.  So any bytes are searched for
 * these keys with their values, from every quote, with JSON's escapes and
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

const uint8_t *tn_scan_skip_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end &&
           (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static bool is_below(const char *module, const char *root)
{
    size_t size = strlen(root);

    return strncmp(module, root, size) == 0 &&
           (module[size] == 0 || module[size] == '.');
}

/* Parts of Keras that compute.  Other parts reach files, other models and
 * settings. */
static bool is_computing_part(const char *part)
{
    static const char *const parts[] = {
        "activations",   "applications",   "constraints",  "dtype_policies",
        "engine",        "experimental",   "feature_column", "initializers",
        "layers",        "legacy_tf_layers", "losses",     "metrics",
        "mixed_precision", "models",       "ops",          "optimizers",
        "premade",       "premade_models", "quantizers",   "random",
        "regularizers",
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (is_below(part, parts[i]))
            return true;
    return false;
}

/* What follows the word and a dot; the end of the text if nothing does; NULL:
 * it is another word. */
static const char *after(const char *module, const char *word)
{
    size_t size = strlen(word);

    return is_below(module, word) ? module + size + (module[size] == '.') : NULL;
}

/* Modules that layers, and what belongs to them, come from. */
static bool is_of_layers(const char *module)
{
    static const char *const roots[] = { "keras", "tf_keras", "tensorflow.keras",
                                         "tensorflow.python.keras",
                                         "keras_core" };
    static const char *const others[] = { "builtins", "keras_hub", "keras_nlp",
                                          "keras_cv", "keras_rs",
                                          "keras_tuner" };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (is_below(module, others[i]))
            return true;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        const char *part = after(module, roots[i]);
        if (part && after(part, "src"))
            part = after(part, "src");
        if (part)
            return !*part || is_computing_part(part);
    }
    return false;
}

/* Layers are classes; these are the values that are not. */
static bool is_class_name(const char *name)
{
    static const char *const values[] = {
        "function", "str", "int", "float", "bool", "tuple", "list", "dict",
        "set", "slice", "complex", "bytes", "type",
    };

    if (strncmp(name, "__", 2) == 0)
        return true;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(name, values[i]) == 0)
            return true;
    /* "package>Name" of what was registered */
    return strchr(name, '>') || tn_scan_is_class(tn_text(name));
}

/* What a value of a configuration may name, by its key. */
enum named { MODULE, FUNCTION, OPERATION, VOCABULARY, NAMED };

struct search {
    struct tn_scan *scan;
    bool            has_class; /* it is a configuration of Keras              */
    struct {
        char     text[TEXT_LIMIT];
        uint64_t at;
    } first[NAMED]; /* of findings that are kept until it is known that this is
                       a configuration */
};

/* Keras finds functions by their names alone, and those of Python, too:
 * {"class_name": "function", "module": "builtins", "config": "exec"}. */
bool tn_scan_is_function_of_python(struct tn_bytes name)
{
    static const char *const functions[] = {
        "exec", "eval", "compile", "open", "__import__", "getattr", "setattr",
        "delattr", "input", "breakpoint", "globals", "locals", "vars", "exit",
        "quit", "help", "execfile", "apply", "memoryview", "print",
    };

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (tn_bytes_is(name, functions[i]))
            return true;
    return false;
}

/* Layers that are one function of TensorFlow: {"class_name": "TFOpLambda",
 * "config": {"function": "math.add"}}.  Keras finds it by this name in all that
 * TensorFlow exports; these parts compute. */
static bool is_computing(const char *function)
{
    static const char *const parts[] = {
        "math",
        "nn",
        "image",
        "linalg",
        "signal",
        "strings",
        "random",
        "audio",
        "bitwise",
        "sets",
        "sparse",
        "ragged",
        "quantization",
        "dtypes",
        "keras.activations",
        "keras.backend",
        "keras.losses",
        "keras.ops",
        "__operators__",
        "experimental.numpy",
        "compat.v1.nn",
        "compat.v1.math",
        "compat.v1.image",
        "compat.v1.linalg",
        "compat.v1.keras.backend",
    };
    static const char *const others[] = {
        "py_function", "numpy_function", "load_library",   "load_op_library",
        "function",    "print",          "recompute_grad",
    };

    if (!strchr(function, '.')) {
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            if (strcmp(function, others[i]) == 0)
                return false;
        return true;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (is_below(function, parts[i]))
            return true;
    return false;
}

static void tell_named(struct search *s, enum named kind, uint64_t offset,
                       const char *name)
{
    bool is_bad;

    switch (kind) {
    case MODULE:
        tn_scan_tell(s->scan,
                     tn_scan_is_python(tn_text(name)) ? TN_VERDICT_DANGEROUS
                                                      : TN_VERDICT_UNKNOWN,
                     "keras-module", offset,
                     "the configuration of a layer imports from '%s'", name);
        break;
    case FUNCTION:
        tn_scan_tell(s->scan, TN_VERDICT_DANGEROUS, "keras-function", offset,
                     "the configuration of a layer names '%s', a function of "
                     "Python",
                     name);
        break;
    case OPERATION:
        is_bad = is_below(name, "io") || !strchr(name, '.');
        tn_scan_tell(s->scan,
                     is_bad ? TN_VERDICT_DANGEROUS : TN_VERDICT_UNKNOWN,
                     "keras-function", offset,
                     "a layer calls '%s' of TensorFlow, which does more than "
                     "compute",
                     name);
        break;
    default:
        tn_scan_tell(s->scan, TN_VERDICT_UNKNOWN, "keras-file", offset,
                     "a layer reads its vocabulary from the file '%s'", name);
        break;
    }
}

/* JSON of other programs has such keys, too: they count only if there are
 * classes. */
static void judge_named(struct search *s, enum named kind, uint64_t offset,
                        const char *name)
{
    bool is_fine = kind == MODULE ? is_of_layers(name)
                   : kind == FUNCTION
                       ? !tn_scan_is_function_of_python(tn_text(name))
                   : kind == OPERATION ? is_computing(name)
                                       : !name[0];

    if (is_fine)
        return;
    if (s->has_class) {
        tell_named(s, kind, offset, name);
    } else if (!s->first[kind].text[0]) {
        memcpy(s->first[kind].text, name, TEXT_LIMIT);
        s->first[kind].at = offset;
    }
}

static void judge_class(struct search *s, uint64_t offset, const char *name)
{
    s->has_class = true;
    for (int kind = 0; kind < NAMED; kind++) {
        if (s->first[kind].text[0])
            tell_named(s, (enum named)kind, s->first[kind].at,
                       s->first[kind].text);
        s->first[kind].text[0] = 0;
    }
    if (strcmp(name, "TorchModuleWrapper") == 0)
        tn_scan_tell(s->scan, TN_VERDICT_DANGEROUS, "keras-model", offset,
                     "a layer that loads a pickled module of PyTorch from its "
                     "configuration");
    if (strcmp(name, "JaxLayer") == 0 || strcmp(name, "FlaxLayer") == 0)
        tn_scan_tell(s->scan, TN_VERDICT_UNKNOWN, "keras-model", offset,
                     "a layer that calls functions that its configuration "
                     "names");
    if (strcmp(name, "TFSMLayer") == 0)
        tn_scan_tell(s->scan, TN_VERDICT_UNKNOWN, "keras-model", offset,
                     "a layer that loads a SavedModel from a path in its "
                     "configuration");
    if (strcmp(name, "Lambda") == 0 || strcmp(name, "__lambda__") == 0)
        tn_scan_tell(s->scan, TN_VERDICT_DANGEROUS, "keras-lambda", offset,
                     "a Lambda layer of Keras: it runs Python code that is in "
                     "the file");
    else if (!is_class_name(name))
        tn_scan_tell(s->scan, TN_VERDICT_DANGEROUS, "keras-function", offset,
                     "the configuration of a layer calls '%s', which is not a "
                     "class",
                     name);
}

#define BLANK_LIMIT 4096

/* Whether "key": "value" begins at a quote. */
static void look_at_quote(struct search *s, const uint8_t *at,
                          const uint8_t *end, uint64_t offset)
{
    static const char *const keys[NAMED] = {
        [MODULE]     = "module",
        [FUNCTION]   = "config",
        [OPERATION]  = "function",
        [VOCABULARY] = "vocabulary",
    };
    char           key[TEXT_LIMIT], value[TEXT_LIMIT] = { 0 };
    const uint8_t *begin;
    int            kind = 0;

    if (!read_string(&at, end, key))
        return;
    while (kind < NAMED && strcmp(key, keys[kind]) != 0)
        kind++;
    if (kind == NAMED && strcmp(key, "class_name") != 0)
        return;
    begin = at;
    at    = tn_scan_skip_blanks(at, end);
    if (at < end && *at == ':')
        at = tn_scan_skip_blanks(at + 1, end);
    if (at - begin > BLANK_LIMIT) {
        tn_scan_tell(s->scan, TN_VERDICT_UNKNOWN, "keras-odd", offset,
                     "\"%s\" is followed by very many blanks", key);
        return;
    }
    if (!read_string(&at, end, value))
        return;
    if (kind < NAMED)
        judge_named(s, (enum named)kind, offset, value);
    else
        judge_class(s, offset, value);
}

void tn_scan_keras(struct tn_scan *scan, struct tn_source *source)
{
    enum { WINDOW = 1 << 18, OVERLAP = 1 << 13 };
    struct tn_error own    = TN_ERROR_INIT;
    uint8_t        *window = tn_memory_resize(scan->memory, NULL, 0, WINDOW,
                                              scan->error);
    struct search   s      = { .scan = scan };
    uint64_t        at     = 0;

    while (window && at < source->size && !scan->is_stopped) {
        size_t n = (size_t)tn_min(source->size - at, WINDOW);
        if (tn_source_read(source, at, window, n, &own) != TN_OK)
            break;
        /* What begins in the overlap is looked at in the next window. */
        const uint8_t *end  = window + n, *p = window,
                      *last = n < WINDOW ? end : end - OVERLAP;
        while (p < last && (p = memchr(p, '"', (size_t)(last - p)))) {
            look_at_quote(&s, p, end, at + (uint64_t)(p - window));
            p++;
        }
        at += (uint64_t)(last - window);
    }
    if (window)
        tn_memory_free(scan->memory, window, WINDOW);
    tn_scan_absorb(scan, &own);
}
