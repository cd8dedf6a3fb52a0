/*
 * scan_texts.c - texts that are what their names say: templates, YAML, and the
 * configurations that name code
 *
 * Such a text is scanned as its reader gets it: with the escapes of its
 * language undone, and to its end.
 */
#include "scan/scan.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"

#define TEXT_LIMIT (UINT64_C(16) << 20)
#define NAME_LIMIT 256

/* ---- reading --------------------------------------------------------------
 */

/* The text, up to the limit; NULL after a failure.  Other texts than those that
 * `must_end` are long only where they are data. */
static uint8_t *read_text(struct tn_scan *scan, struct tn_source *source,
                          bool must_end, size_t *size)
{
    struct tn_error own  = TN_ERROR_INIT;
    uint8_t        *text = NULL;

    *size = (size_t)tn_min(source->size, TEXT_LIMIT);
    if (*size == 0 ||
        !(text = tn_memory_resize(scan->memory, NULL, 0, *size, scan->error)))
        return NULL;
    if (tn_source_read(source, 0, text, *size, &own) != TN_OK) {
        tn_memory_free(scan->memory, text, *size);
        tn_scan_absorb(scan, &own);
        return NULL;
    }
    if (must_end && *size < source->size)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "closed", *size,
                     "a text of %" PRIu64 " bytes: what comes after the first "
                     "%zu is not looked into",
                     source->size, *size);
    return text;
}

/* Texts of other encodings than UTF-8, which Python's modules read, too. */
static void tell_encoding(struct tn_scan *scan, struct tn_bytes text)
{
    if (text.size >= 4 && (text.data[0] >= 0xfe || memchr(text.data, 0, 4)))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "encoding", 0,
                     "a text that is not UTF-8: not looked into");
}

/* The number of `count` hexadecimal digits; UINT32_MAX: they are none. */
static uint32_t read_hex(const uint8_t *at, const uint8_t *end, size_t count)
{
    uint32_t value = 0;

    if ((size_t)(end - at) < count)
        return UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        if (tn_hex_digit(at[i]) < 0)
            return UINT32_MAX;
        value = value << 4 | (uint32_t)tn_hex_digit(at[i]);
    }
    return value;
}

/* Undoes the escapes of JSON and YAML in place; the new size.  For characters
 * that are not ASCII it only matters that there is one. */
static size_t undo_escapes(uint8_t *text, size_t size)
{
    static const char from[] = "ntr0/e_", to[] = "\n\t\r\0/\x1b ";
    const uint8_t    *at = text, *end = text + size;
    uint8_t          *out = text;

    while (at < end) {
        if (*at != '\\' || end - at < 2) {
            *out++ = *at++;
            continue;
        }
        uint8_t     c      = at[1];
        size_t      digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        uint32_t    code = digits ? read_hex(at + 2, end, digits) : UINT32_MAX;
        const char *letter = c ? strchr(from, (char)c) : NULL;
        if (code != UINT32_MAX) {
            *out++ = code < 0x80 ? (uint8_t)code : '?';
            at += 2 + digits;
        } else {
            *out++ = letter ? (uint8_t)to[letter - from] : c;
            at += 2;
        }
    }
    return (size_t)(out - text);
}

/* The next place where the word is; NULL: nowhere. */
static const uint8_t *find_word(const uint8_t *at, const uint8_t *end,
                                const char *word)
{
    size_t size = strlen(word);

    for (; (size_t)(end - at) >= size; at++) {
        at = memchr(at, word[0], (size_t)(end - at) - size + 1);
        if (!at)
            return NULL;
        if (memcmp(at, word, size) == 0)
            return at;
    }
    return NULL;
}

/* ---- templates ------------------------------------------------------------
 */

/* Strings of JSON that are templates.  Each is judged as what it means: braces
 * and names can be written as escapes. */
static void scan_strings(struct tn_scan *scan, struct tn_bytes text)
{
    const uint8_t *at = text.data, *end = text.data + text.size;
    uint8_t       *copy =
        tn_memory_resize(scan->memory, NULL, 0, text.size, scan->error);

    while (copy && at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        const uint8_t *begin = ++at;
        while (at < end && *at != '"')
            at += *at == '\\' && end - at > 1 ? 2 : 1;
        size_t size = (size_t)(at - begin);
        memcpy(copy, begin, size);
        tn_scan_template(scan, tn_bytes(copy, undo_escapes(copy, size)));
        if (at < end)
            at++;
    }
    if (copy)
        tn_memory_free(scan->memory, copy, text.size);
}

/* ---- what configurations name ---------------------------------------------
 */

/* Keys whose values are called or imported: by Hydra with the other values, by
 * MLflow to load a model, by PEFT to find a class, by old Keras, by jsonpickle,
 * by Lightning, and, beside "params", by configurations of diffusion models.
 * Those with a file's name mean that only there: modules.json and config.json
 * are of sentence-transformers, whose names have dots, schema.json of skops. */
enum means { CALLED, IMPORTED, LAYER, FUNCTION, TARGET, DOTTED };

static const struct {
    const char *key;
    enum means  means;
    const char *file;
} naming[] = {
    { "_target_", CALLED, NULL },
    { "loader_module", IMPORTED, NULL },
    { "parent_library", IMPORTED, NULL },
    { "class_name", LAYER, NULL },
    { "py/object", CALLED, NULL },
    { "py/type", CALLED, NULL },
    { "py/class", CALLED, NULL },
    { "py/function", CALLED, NULL },
    { "py/repr", CALLED, NULL },
    { "class_path", CALLED, NULL },
    { "target", TARGET, NULL },
    { "type", DOTTED, "modules.json" },
    { "activation_function", DOTTED, "config.json" },
    { "__module__", IMPORTED, "schema.json" },
    { "__class__", FUNCTION, "schema.json" },
};

/* Functions that training calls to set its seeds. */
static const char *const seeds[] = { "torch.manual_seed",
                                     "torch.cuda.manual_seed_all",
                                     "numpy.random.seed" };

static void judge_path(struct tn_scan *scan, enum means means,
                       struct tn_bytes path, uint64_t offset)
{
    size_t          dot    = path.size;
    struct tn_bytes module = path, name = tn_text("A"); /* any class */

    if (means != IMPORTED) {
        while (dot > 0 && path.data[dot - 1] != '.')
            dot--;
        module = tn_bytes(path.data, dot ? dot - 1 : 0);
        name   = tn_bytes(path.data + dot, path.size - dot);
        for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
            if (tn_bytes_is(path, seeds[i]))
                return;
    } else if (tn_bytes_is(module, "mlflow") ||
               tn_bytes_starts_with(module, "mlflow.") ||
               tn_bytes_is(module, "builtins") ||
               tn_bytes_is(module, "collections") ||
               tn_bytes_is(module, "datetime")) {
        return; /* what is used of them is told by its own name */
    }
    enum tn_name_kind kind = tn_scan_judge_name(module, name);
    if (kind == TN_NAME_HARMLESS || kind == TN_NAME_CLASS ||
        (kind == TN_NAME_FRAMEWORK && tn_scan_is_class(name)) ||
        (kind == TN_NAME_OTHER && means == TARGET))
        return;
    tn_scan_tell(scan,
                 kind == TN_NAME_POWER || kind == TN_NAME_FRAMEWORK
                     ? TN_VERDICT_DANGEROUS
                     : TN_VERDICT_UNKNOWN,
                 "config-target", offset,
                 "the configuration names '%.*s', which is %s", TN_FMT(path),
                 means == IMPORTED ? "imported" : "called with its values");
}

static void judge_value(struct tn_scan *scan, enum means means,
                        struct tn_bytes path, uint64_t offset)
{
    bool is_path = means == CALLED || means == IMPORTED;

    if (is_path && (path.size == 0 || path.size == NAME_LIMIT))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "config-target", offset,
                     "the configuration says what is %s in a way that is not "
                     "a name",
                     means == CALLED ? "called" : "imported");
    else if (is_path || (means == TARGET && tn_bytes_find(path, '.')))
        judge_path(scan, means, path, offset);
    else if (means == FUNCTION && tn_scan_is_function_of_python(path))
        tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "config-target", offset,
                     "the configuration names '%.*s', a function of Python",
                     TN_FMT(path));
    else if (means == LAYER &&
             (tn_bytes_is(path, "Lambda") || tn_bytes_is(path, "__lambda__")))
        tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "keras-lambda", offset,
                     "a Lambda layer of Keras: it runs Python code that is in "
                     "the file");
}

static bool is_path_byte(uint8_t c)
{
    return c == '_' || c == '.' || (c >= '0' && c <= '9') ||
           (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
}

/* The value after the next place where the key is a whole word with a colon
 * after it; *at is where the key begins.  NULL: there is none. */
static const uint8_t *find_value(struct tn_bytes text, const uint8_t *from,
                                 const char *key, const uint8_t **at)
{
    const uint8_t *end = text.data + text.size;

    while ((from = find_word(from, end, key))) {
        bool is_part = from > text.data && is_path_byte(from[-1]);
        *at          = from;
        from += strlen(key);
        if (from < end && (*from == '"' || *from == '\''))
            from++;
        from = tn_scan_skip_blanks(from, end);
        if (!is_part && from < end && *from == ':')
            return tn_scan_skip_blanks(from + 1, end);
    }
    return NULL;
}

/* What a key names, wherever it occurs.  A value of null names nothing. */
static void scan_key(struct tn_scan *scan, struct tn_bytes text,
                     const char *key, enum means means)
{
    const uint8_t *at = text.data, *end = text.data + text.size, *begin;

    while ((at = find_value(text, at, key, &begin))) {
        uint64_t offset = (uint64_t)(begin - text.data);
        if (at < end && (*at == '"' || *at == '\''))
            at++;
        begin = at;
        while (at < end && is_path_byte(*at) && at - begin < NAME_LIMIT)
            at++;
        struct tn_bytes path = tn_bytes(begin, (size_t)(at - begin));
        if (means == DOTTED && !tn_bytes_find(path, '.'))
            continue; /* other programs have other types */
        if (!tn_bytes_is(path, "null"))
            judge_value(scan, means == DOTTED ? CALLED : means, path, offset);
    }
}

/* Expressions of sizes in exported programs of PyTorch, such as "Max(1, s0)":
 * reading one evaluates it as Python.  Those that only compute are harmless. */
static enum tn_verdict judge_expression(const uint8_t *at, const uint8_t *end)
{
    static const char *const functions[] = { "floor", "ceiling", "sqrt", "log",
                                             "exp",   "sin",     "cos",  "tan",
                                             "sign",  "abs" };
    bool is_member = false;

    for (; at < end && *at != '"'; at++) {
        const uint8_t *begin = at;
        while (at < end && is_path_byte(*at) && *at != '.')
            at++;
        struct tn_bytes word = tn_bytes(begin, (size_t)(at - begin));
        bool is_name = word.size && (*begin < '0' || *begin > '9');
        if (tn_bytes_contains(word, tn_text("__")) || (is_member && is_name) ||
            tn_scan_is_function_of_python(word))
            return TN_VERDICT_DANGEROUS;
        if (at == end || *at == '"')
            break;
        bool is_known = !is_name || *at != '(' ||
                        (word.data[0] >= 'A' && word.data[0] <= 'Z');
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            is_known |= tn_bytes_is(word, functions[i]);
        if (!is_known || !memchr(" .,+-*/()<>=!&|~%", *at, 17))
            return TN_VERDICT_UNKNOWN;
        is_member = *at == '.';
    }
    return at < end ? TN_VERDICT_NOTE : TN_VERDICT_UNKNOWN;
}

static void scan_expressions(struct tn_scan *scan, struct tn_bytes text)
{
    const uint8_t *at = text.data, *end = text.data + text.size, *key;

    while ((at = find_value(text, at, "expr_str", &key))) {
        enum tn_verdict verdict = at < end && *at == '"'
                                      ? judge_expression(at + 1, end)
                                      : TN_VERDICT_NOTE;
        if (verdict > TN_VERDICT_NOTE)
            tn_scan_tell(scan, verdict, "config-expression",
                         (uint64_t)(key - text.data),
                         "an expression that is more than arithmetic: reading "
                         "it runs it as Python");
    }
}

/* Layers in JSON are looked for by their quotes. */
static void scan_targets(struct tn_scan *scan, struct tn_bytes text,
                         struct tn_bytes file, bool has_layers)
{
    const uint8_t *at;
    bool           has_params = find_value(text, text.data, "params", &at);

    for (size_t i = 0; i < sizeof naming / sizeof naming[0]; i++)
        if ((naming[i].means != LAYER || has_layers) &&
            (naming[i].means != TARGET || has_params) &&
            (!naming[i].file || tn_bytes_is(file, naming[i].file)))
            scan_key(scan, text, naming[i].key, naming[i].means);
}

/* The string at *at, which then is after it; empty if there is none. */
static struct tn_bytes take_string(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *begin = *at + 1;

    if (*at == end || **at != '"')
        return tn_bytes(NULL, 0);
    const uint8_t *close = memchr(begin, '"', (size_t)(end - begin));
    if (!close)
        return tn_bytes(NULL, 0);
    *at = close + 1;
    return tn_bytes(begin, (size_t)(close - begin));
}

static const char *const pipeline_libraries[] = { "diffusers",   "transformers",
                                                  "onnxruntime", "optimum",
                                                  "flax",        "peft",
                                                  "accelerate" };

/* Of diffusers' own pipelines. */
static const char *const pipeline_folders[] = {
    "alt_diffusion",
    "amused",
    "animatediff",
    "audio_diffusion",
    "audioldm",
    "audioldm2",
    "aura_flow",
    "blip_diffusion",
    "cogvideo",
    "consistency_models",
    "controlnet",
    "controlnet_xs",
    "dance_diffusion",
    "ddim",
    "ddpm",
    "deepfloyd_if",
    "dit",
    "flux",
    "hunyuandit",
    "i2vgen_xl",
    "kandinsky",
    "kandinsky2_2",
    "kandinsky3",
    "kolors",
    "latent_consistency_models",
    "latent_diffusion",
    "latte",
    "ledits_pp",
    "ltx",
    "lumina",
    "marigold",
    "mochi",
    "musicldm",
    "pag",
    "paint_by_example",
    "pia",
    "pixart_alpha",
    "pndm",
    "repaint",
    "rdm",
    "sana",
    "score_sde_ve",
    "semantic_stable_diffusion",
    "shap_e",
    "spectrogram_diffusion",
    "stable_audio",
    "stable_cascade",
    "stable_diffusion",
    "stable_diffusion_3",
    "stable_diffusion_attend_and_excite",
    "stable_diffusion_diffedit",
    "stable_diffusion_gligen",
    "stable_diffusion_k_diffusion",
    "stable_diffusion_ldm3d",
    "stable_diffusion_panorama",
    "stable_diffusion_safe",
    "stable_diffusion_sag",
    "stable_diffusion_xl",
    "stable_video_diffusion",
    "stochastic_karras_ve",
    "t2i_adapter",
    "text_to_video_synthesis",
    "unclip",
    "unidiffuser",
    "versatile_diffusion",
    "vq_diffusion",
    "wuerstchen",
};

/* Whether a part of a pipeline comes from here: libraries of models, and the
 * folders of diffusers' own pipelines. */
static bool is_of_pipelines(struct tn_bytes library)
{
    for (size_t i = 0;
         i < sizeof pipeline_libraries / sizeof *pipeline_libraries; i++) {
        size_t size = strlen(pipeline_libraries[i]);
        if (tn_bytes_starts_with(library, pipeline_libraries[i]) &&
            (library.size == size || library.data[size] == '.'))
            return true;
    }
    for (size_t i = 0; i < sizeof pipeline_folders / sizeof *pipeline_folders;
         i++)
        if (tn_bytes_is(library, pipeline_folders[i]))
            return true;
    return false;
}

/* model_index.json of diffusers: "unet": ["diffusers", "UNet2DConditionModel"].
 * Any other library is imported, from the folder of the model, too. */
static void scan_pipeline(struct tn_scan *scan, struct tn_bytes text)
{
    const uint8_t *end = text.data + text.size;

    for (const uint8_t *at = text.data;
         at < end && (at = memchr(at, '[', (size_t)(end - at)));) {
        uint64_t offset         = (uint64_t)(at - text.data);
        at                      = tn_scan_skip_blanks(at + 1, end);
        struct tn_bytes library = take_string(&at, end);
        at                      = tn_scan_skip_blanks(at, end);
        if (!library.data || at == end || *at != ',')
            continue;
        at = tn_scan_skip_blanks(at + 1, end);
        if (!take_string(&at, end).data || is_of_pipelines(library))
            continue;
        tn_scan_tell(scan,
                     tn_scan_is_python(library) ? TN_VERDICT_DANGEROUS
                                                : TN_VERDICT_UNKNOWN,
                     "hub-code", offset,
                     "a part of the pipeline is imported from '%.*s'",
                     TN_FMT(library));
    }
}

/* A router of sentence-transformers: {"types": {"query": "module.Class"}}. */
static void scan_types(struct tn_scan *scan, struct tn_bytes text)
{
    const uint8_t *end = text.data + text.size;
    const uint8_t *at  = find_word(text.data, end, "\"types\"");

    at = at ? tn_scan_skip_blanks(at + strlen("\"types\""), end) : end;
    if (at == end || *at != ':')
        return;
    at = tn_scan_skip_blanks(at + 1, end);
    for (bool is_first = true; at < end && *at == (is_first ? '{' : ',');
         is_first      = false) {
        at = tn_scan_skip_blanks(at + 1, end);
        if (!take_string(&at, end).data)
            return;
        at = tn_scan_skip_blanks(at, end);
        if (at == end || *at != ':')
            return;
        at                     = tn_scan_skip_blanks(at + 1, end);
        uint64_t        offset = (uint64_t)(at - text.data);
        struct tn_bytes path   = take_string(&at, end);
        if (!path.data)
            return;
        if (tn_bytes_find(path, '.'))
            judge_value(scan, CALLED, path, offset);
        at = tn_scan_skip_blanks(at, end);
    }
}

/* Classes of Java, as Deeplearning4j's configurations name them. */
static void scan_java(struct tn_scan *scan, struct tn_bytes text)
{
    static const char *const known[] = { "org.deeplearning4j.", "org.nd4j.",
                                         "org.datavec.", "java.lang.",
                                         "java.util." };
    static const char        key[]   = "\"@class\"";
    const uint8_t           *at = text.data, *end = text.data + text.size;

    while ((at = find_word(at, end, key))) {
        uint64_t offset   = (uint64_t)(at - text.data);
        bool     is_known = false;
        at                = tn_scan_skip_blanks(at + strlen(key), end);
        if (at == end || *at != ':')
            continue;
        at                   = tn_scan_skip_blanks(at + 1, end);
        struct tn_bytes name = take_string(&at, end);
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            is_known |= tn_bytes_starts_with(name, known[i]);
        if (!is_known && name.data)
            tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "java-class", offset,
                         "the configuration makes objects of a class of Java, "
                         "'%.*s'",
                         TN_FMT(name));
    }
}

/* ---- pickles in base64 ------------------------------------------------------
 */

/* Whether base64 begins as a pickle of protocols 2 to 5 does. */
static bool is_coded_pickle(struct tn_bytes text)
{
    return text.size >= 8 && tn_bytes_starts_with(text, "gA") &&
           text.data[2] >= 'I' && text.data[2] <= 'X';
}

static int code_of(uint8_t c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(letters, (char)c) : NULL;

    return at ? (int)(at - letters) : -1;
}

/* As Python decodes it: other characters than the 64 mean nothing. */
static void scan_coded(struct tn_scan *scan, struct tn_bytes text,
                       uint64_t offset)
{
    struct tn_source source;
    char             name[40];
    uint32_t         bits = 0;
    unsigned         have = 0;
    size_t           used = 0, room = text.size / 4 * 3 + 3;
    uint8_t *bytes = tn_memory_resize(scan->memory, NULL, 0, room, scan->error);

    if (!bytes)
        return;
    for (size_t i = 0; i < text.size && text.data[i] != '='; i++) {
        int code = code_of(text.data[i]);
        if (code < 0)
            continue;
        bits = bits << 6 | (uint32_t)code;
        have += 6;
        if (have >= 8)
            bytes[used++] = (uint8_t)(bits >> (have -= 8));
    }
    tn_source_memory(&source, scan->memory, tn_bytes(bytes, used));
    source.name = "";
    snprintf(name, sizeof name, "base64 at %" PRIu64, offset);
    tn_scan_member(scan, &source, tn_text(name));
    tn_memory_free(scan->memory, bytes, room);
}

/* Objects of Python in JSON, as stable-baselines3 stores them.  Every quote may
 * begin a string: those that were escaped look the same by now. */
static void scan_coded_strings(struct tn_scan *scan, struct tn_bytes text)
{
    const uint8_t  *at = text.data, *end = text.data + text.size;
    struct tn_bytes key = { NULL, 0 }, colon = { NULL, 0 };

    while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        uint64_t        offset = (uint64_t)(++at - text.data);
        const uint8_t  *close  = memchr(at, '"', (size_t)(end - at));
        struct tn_bytes string =
            tn_bytes(at, (size_t)((close ? close : end) - at));
        if (is_coded_pickle(string) ||
            (key.data && tn_bytes_is(key, ":serialized:")))
            scan_coded(scan, string, offset);
        key   = colon;
        colon = string;
    }
}

/* Whether a value of JSON says anything: not null, and neither an empty list
 * nor an empty object. */
static bool says_something(const uint8_t *at, const uint8_t *end)
{
    if (at == end || *at == 'n')
        return false;
    if (*at != '{' && *at != '[')
        return true;
    at = tn_scan_skip_blanks(at + 1, end);
    return at < end && *at != '}' && *at != ']';
}

/* Keys under which models of the hub name Python code of their own, models of
 * ONNX Runtime a library, and MLflow a script.  Of a key that occurs twice,
 * readers take the last. */
static void scan_hub(struct tn_scan *scan, struct tn_bytes text)
{
    static const char *const keys[] = { "\"auto_map\"", "\"custom_pipelines\"",
                                        "\"custom_ops_library\"",
                                        "model_code_path" };
    const uint8_t           *end    = text.data + text.size;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        for (const uint8_t *at = text.data;
             (at = find_word(at, end, keys[i]));) {
            uint64_t offset = (uint64_t)(at - text.data);
            at              = tn_scan_skip_blanks(at + strlen(keys[i]), end);
            if (at == end || *at != ':' ||
                !says_something(tn_scan_skip_blanks(at + 1, end), end))
                continue;
            tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "hub-code", offset,
                         "%s names code that comes with the model: programs "
                         "that trust it run it",
                         keys[i]);
            break;
        }
}

/* ---- YAML -----------------------------------------------------------------
 */

/* Commas and brackets may be parts of tags. */
static bool ends_tag(uint8_t c)
{
    return c <= ' ' || c == '{' || c == '}';
}

/* A tag, as a reader gets it: bytes can be written as %70. */
static size_t read_tag(const uint8_t *at, const uint8_t *end,
                       char tag[NAME_LIMIT])
{
    size_t size = 0;

    for (; at < end && !ends_tag(*at) && size + 1 < NAME_LIMIT; at++) {
        uint32_t code = *at == '%' ? read_hex(at + 1, end, 2) : UINT32_MAX;
        tag[size++]   = (char)(code == UINT32_MAX ? *at : code);
        if (code != UINT32_MAX)
            at += 2;
    }
    tag[size] = 0;
    return size;
}

/* Tags of Python for its own data: they call nothing. */
static bool is_data_tag(struct tn_bytes tag)
{
    static const char *const types[] = { "none",    "bool", "str",   "unicode",
                                         "bytes",   "int",  "long",  "float",
                                         "complex", "list", "tuple", "dict" };
    const uint8_t *at   = find_word(tag.data, tag.data + tag.size, "python/");
    size_t         head = (size_t)(at - tag.data) + strlen("python/");

    tag = tn_bytes(tag.data + head, tag.size - head);
    while (tag.size && memchr(">],", tag.data[tag.size - 1], 3))
        tag.size--;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (tn_bytes_is(tag, types[i]))
            return true;
    return false;
}

/* YAML can name what Python shall call: by tags of Python, whole or as a short
 * handle and the rest. */
static bool has_python(struct tn_bytes text)
{
    const uint8_t *end = text.data + text.size;
    char           tag[NAME_LIMIT];

    for (const uint8_t *at = text.data;
         at < end && (at = memchr(at, '!', (size_t)(end - at))); at++) {
        struct tn_bytes read = tn_bytes(tag, read_tag(at, end, tag));
        if ((tn_bytes_contains(read, tn_text("python/")) &&
             !is_data_tag(read)) ||
            read.size + 1 == NAME_LIMIT)
            return true;
    }
    for (const uint8_t *at = text.data; (at = find_word(at, end, "%TAG"));) {
        at = tn_scan_skip_blanks(at + 4, end);
        while (at < end && !ends_tag(*at))
            at++;
        size_t size = read_tag(tn_scan_skip_blanks(at, end), end, tag);
        if (tn_bytes_contains(tn_bytes(tag, size), tn_text(",2002:p")))
            return true;
    }
    return false;
}

/* Tags of HyperPyYAML, which SpeechBrain's configurations use. */
static void scan_hyper(struct tn_scan *scan, struct tn_bytes text)
{
    static const struct {
        const char *tag;
        enum means  means;
    } tags[]           = { { "!new:", CALLED },
                           { "!apply:", CALLED },
                           { "!name:", CALLED },
                           { "!module:", IMPORTED } };
    const uint8_t *end = text.data + text.size;
    char           tag[NAME_LIMIT];

    for (const uint8_t *at = text.data;
         at < end && (at = memchr(at, '!', (size_t)(end - at))); at++) {
        struct tn_bytes read = tn_bytes(tag, read_tag(at, end, tag));
        for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
            size_t head = strlen(tags[i].tag), size = head;
            if (!tn_bytes_starts_with(read, tags[i].tag))
                continue;
            while (size < read.size && is_path_byte(read.data[size]))
                size++;
            judge_value(scan, tags[i].means,
                        tn_bytes(read.data + head, size - head),
                        (uint64_t)(at - text.data));
        }
    }
}

static void scan_yaml(struct tn_scan *scan, uint8_t *text, size_t size,
                      struct tn_bytes name)
{
    scan_hyper(scan, tn_bytes(text, size));
    if (has_python(tn_bytes(text, size)))
        tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "yaml-python", TN_NOWHERE,
                     "YAML with tags of Python, which name what is called");
    size = undo_escapes(text, size);
    if (find_word(text, text + size, "__import__("))
        tn_scan_tell(scan, TN_VERDICT_DANGEROUS, "yaml-python", TN_NOWHERE,
                     "YAML with code of Python, which some programs run");
    scan_targets(scan, tn_bytes(text, size), name, true);
    scan_hub(scan, tn_bytes(text, size));
}

/* ---- TorchScript ------------------------------------------------------------
 */

/* Operators that reach files.  Those that return nothing are at the beginning
 * of a line, where no text in quotes can begin. */
static const struct {
    const char     *call;
    bool            is_line;
    enum tn_verdict verdict;
    const char     *does;
} script_calls[] = {
    { "torch.save(", true, TN_VERDICT_DANGEROUS, "writes a file" },
    { "ops.image.write_file(", true, TN_VERDICT_DANGEROUS, "writes a file" },
    { "torch.from_file(", false, TN_VERDICT_UNKNOWN, "maps a file" },
    { "ops.image.read_file(", false, TN_VERDICT_UNKNOWN, "reads a file" },
};

static bool begins_line(struct tn_bytes text, const uint8_t *at)
{
    while (at > text.data && at[-1] == ' ')
        at--;
    return at == text.data || at[-1] == '\n';
}

static void scan_script(struct tn_scan *scan, struct tn_bytes text)
{
    const uint8_t *end = text.data + text.size;

    for (size_t i = 0; i < sizeof script_calls / sizeof script_calls[0]; i++)
        for (const uint8_t *at = text.data;
             (at = find_word(at, end, script_calls[i].call)); at++) {
            if (script_calls[i].is_line && !begins_line(text, at))
                continue;
            tn_scan_tell(scan, script_calls[i].verdict, "reaching-operator",
                         (uint64_t)(at - text.data),
                         "TorchScript calls %s...), which %s",
                         script_calls[i].call, script_calls[i].does);
            break;
        }
}

/* ---- by name --------------------------------------------------------------
 */

/* Without the folders before it. */
static struct tn_bytes last_part(struct tn_bytes name)
{
    size_t at = name.size;

    while (at > 0 && name.data[at - 1] != '/')
        at--;
    return tn_bytes(name.data + at, name.size - at);
}

static bool ends_as(struct tn_bytes name, const char *const *ends)
{
    for (; *ends; ends++)
        if (tn_bytes_ends_with(name, *ends))
            return true;
    return false;
}

void tn_scan_text(struct tn_scan *scan, struct tn_source *source,
                  struct tn_bytes name)
{
    static const char *const templates[] = { ".jinja", ".jinja2", ".j2", NULL };
    static const char *const holders[]   = { "tokenizer_config.json",
                                             "chat_template.json",
                                             "processor_config.json",
                                             "preprocessor_config.json", NULL };
    static const char *const configs[]   = { "config.json", "model_index.json",
                                             "chat_template.json", NULL };
    static const char *const yamls[]     = { ".yaml", ".yml", "MLmodel", NULL };
    bool                     is_template = ends_as(name, templates);
    struct tn_bytes          file        = last_part(name);
    /* stable-baselines3 calls its JSON so. */
    bool is_json = tn_bytes_ends_with(name, ".json") ||
                   (scan->depth && tn_bytes_is(file, "data"));
    bool   is_yaml = ends_as(name, yamls);
    size_t size;

    bool is_script = scan->depth && tn_bytes_ends_with(name, ".py") &&
                     tn_bytes_contains(name, tn_text("/code/__torch__"));
    if (!is_template && !is_json && !is_yaml && !is_script)
        return;
    uint8_t *text =
        read_text(scan, source, !is_json || ends_as(name, configs), &size);
    size_t room = size;
    if (!text)
        return;
    tell_encoding(scan, tn_bytes(text, size));
    if (is_script) {
        scan_script(scan, tn_bytes(text, size));
    } else if (is_template) {
        tn_scan_template(scan, tn_bytes(text, size));
    } else if (is_yaml) {
        scan_yaml(scan, text, size, file);
    } else {
        /* Prompts of LangChain say which language they are in. */
        if (ends_as(name, holders) ||
            find_word(text, text + size, "\"jinja2\""))
            scan_strings(scan, tn_bytes(text, size));
        size = undo_escapes(text, size);
        scan_targets(scan, tn_bytes(text, size), file, false);
        scan_hub(scan, tn_bytes(text, size));
        scan_java(scan, tn_bytes(text, size));
        scan_expressions(scan, tn_bytes(text, size));
        if (tn_bytes_is(file, "config.json") ||
            tn_bytes_is(file, "router_config.json"))
            scan_types(scan, tn_bytes(text, size));
        scan_coded_strings(scan, tn_bytes(text, size));
        if (tn_bytes_is(file, "model_index.json"))
            scan_pipeline(scan, tn_bytes(text, size));
    }
    tn_memory_free(scan->memory, text, room);
}
