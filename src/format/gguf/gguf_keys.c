/*
 * gguf_keys.c - the keys that readers of GGUF require
 *
 * A file without them is a valid GGUF file, but not a model that llama.cpp
 * runs; check says so.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/intern.h"
#include "format/gguf/gguf.h"

/* ---- types ----------------------------------------------------------------- */

/* Keys with the types that readers expect.  ".x" at the beginning: of any
 * architecture, "llama.x". */
static const struct {
    const char *key;
    uint8_t     type;
} known[] = {
    { "general.architecture", TN_GGUF_STRING },
    { "general.type", TN_GGUF_STRING },
    { "general.name", TN_GGUF_STRING },
    { "general.quantization_version", TN_GGUF_UINT32 },
    { "general.file_type", TN_GGUF_UINT32 },
    { "general.alignment", TN_GGUF_UINT32 },
    { ".context_length", TN_GGUF_UINT32 },
    { ".embedding_length", TN_GGUF_UINT32 },
    { ".block_count", TN_GGUF_UINT32 },
    { ".vocab_size", TN_GGUF_UINT32 },
    { ".expert_count", TN_GGUF_UINT32 },
    { ".expert_used_count", TN_GGUF_UINT32 },
    { ".attention.key_length", TN_GGUF_UINT32 },
    { ".attention.value_length", TN_GGUF_UINT32 },
    { ".attention.layer_norm_rms_epsilon", TN_GGUF_FLOAT32 },
    { ".attention.layer_norm_epsilon", TN_GGUF_FLOAT32 },
    { ".attention.causal", TN_GGUF_BOOL },
    { ".rope.dimension_count", TN_GGUF_UINT32 },
    { ".rope.freq_base", TN_GGUF_FLOAT32 },
    { "tokenizer.ggml.model", TN_GGUF_STRING },
    { "tokenizer.ggml.pre", TN_GGUF_STRING },
    { "tokenizer.ggml.bos_token_id", TN_GGUF_UINT32 },
    { "tokenizer.ggml.eos_token_id", TN_GGUF_UINT32 },
    { "tokenizer.ggml.unknown_token_id", TN_GGUF_UINT32 },
    { "tokenizer.ggml.padding_token_id", TN_GGUF_UINT32 },
    { "tokenizer.ggml.separator_token_id", TN_GGUF_UINT32 },
    { "tokenizer.ggml.add_bos_token", TN_GGUF_BOOL },
    { "tokenizer.ggml.add_eos_token", TN_GGUF_BOOL },
    { "tokenizer.ggml.add_space_prefix", TN_GGUF_BOOL },
    { "tokenizer.chat_template", TN_GGUF_STRING },
    { "split.no", TN_GGUF_UINT16 },
    { "split.count", TN_GGUF_UINT16 },
    { "split.tensors.count", TN_GGUF_INT32 },
};

#define KNOWN_COUNT (sizeof known / sizeof known[0])

/* Of arrays, and the type of their elements. */
static const struct {
    const char *key;
    uint8_t     type;
} known_arrays[] = {
    { "tokenizer.ggml.tokens", TN_GGUF_STRING },
    { "tokenizer.ggml.merges", TN_GGUF_STRING },
    { "tokenizer.ggml.scores", TN_GGUF_FLOAT32 },
    { "tokenizer.ggml.token_type", TN_GGUF_INT32 },
};

#define ARRAY_COUNT (sizeof known_arrays / sizeof known_arrays[0])

/* Prefixes of keys that are not architectures. */
static bool is_common(struct tn_bytes key)
{
    return tn_bytes_starts_with(key, "general.") ||
           tn_bytes_starts_with(key, "tokenizer.") ||
           tn_bytes_starts_with(key, "split.");
}

static bool is_key(struct tn_bytes key, const char *pattern)
{
    return pattern[0] == '.' ? !is_common(key) &&
                                   tn_bytes_ends_with(key, pattern) &&
                                   !memchr(key.data, '.',
                                           key.size - strlen(pattern))
                             : tn_bytes_is(key, pattern);
}

uint32_t tn_gguf_key_type(struct tn_bytes key)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++)
        if (is_key(key, known[i].key))
            return known[i].type;
    return TN_GGUF_VALUE_TYPES;
}

/* ---- findings --------------------------------------------------------------- */

struct checking {
    const struct tn_model     *model;
    const struct tn_gguf_file *file;
    struct tn_report          *report;
};

static void warn(struct checking *c, const char *rule,
                 const struct tn_gguf_pair *pair, const char *where,
                 const char *format, ...) TN_PRINTF(5, 6);

static void warn(struct checking *c, const char *rule,
                 const struct tn_gguf_pair *pair, const char *where,
                 const char *format, ...)
{
    char    what[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_report_format(c->report, TN_LEVEL_WARNING, rule, c->file->source->name,
                     pair ? pair->wire.offset : TN_NOWHERE, where, "%s", what);
}

static void check_types(struct checking *c)
{
    for (uint64_t i = 0; i < c->file->pairs.count; i++) {
        const struct tn_gguf_pair *pair =
            tn_list_at(&c->file->pairs, struct tn_gguf_pair, i);
        uint32_t type = tn_gguf_key_type(pair->key);
        char     key[80];
        snprintf(key, sizeof key, "%.*s", TN_FMT(pair->key));
        if (type < TN_GGUF_VALUE_TYPES && pair->type != type)
            warn(c, "wrong-type", pair, key, "%s; llama.cpp expects %s",
                 tn_gguf_value_name(pair->type), tn_gguf_value_name(type));
        for (size_t k = 0; k < ARRAY_COUNT; k++) {
            type = known_arrays[k].type;
            if (tn_bytes_is(pair->key, known_arrays[k].key) &&
                (pair->type != TN_GGUF_ARRAY || pair->element != type))
                warn(c, "wrong-type", pair, key,
                     "%s%s; llama.cpp expects an array of %s",
                     pair->type == TN_GGUF_ARRAY ? "an array of " : "",
                     tn_gguf_value_name(pair->type == TN_GGUF_ARRAY
                                            ? pair->element
                                            : pair->type),
                     tn_gguf_value_name(type));
        }
    }
}

static const struct tn_gguf_pair *find_array(struct checking *c,
                                             const char      *key)
{
    const struct tn_gguf_pair *pair = tn_gguf_find(c->file, key);

    return pair && pair->type == TN_GGUF_ARRAY ? pair : NULL;
}

/* A short text; "" if the key is not there. */
static const char *text_of(struct checking *c, const char *key, char *to,
                           size_t size, struct tn_error *error)
{
    const struct tn_gguf_pair *pair = tn_gguf_find(c->file, key);

    to[0] = '\0';
    if (!pair || pair->type != TN_GGUF_STRING)
        return to;
    size_t n = tn_min_size(pair->value.length, size - 1);
    if (n && tn_source_read(pair->value.source, pair->value.offset, to, n,
                            error) != TN_OK)
        n = 0;
    to[n] = '\0';
    return to;
}

static void need(struct checking *c, const char *key, const char *why)
{
    if (!tn_gguf_find(c->file, key))
        warn(c, "missing-key", NULL, key, "%s", why);
}

static void check_ids(struct checking *c, uint64_t tokens)
{
    static const char *const keys[] = {
        "tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
        "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.padding_token_id"
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct tn_gguf_pair *pair = tn_gguf_find(c->file, keys[i]);
        int64_t                    id;
        if (pair && tn_gguf_integer(pair, &id) &&
            (id < -1 || (id >= 0 && (uint64_t)id >= tokens)) &&
            id != (int64_t)UINT32_MAX)
            warn(c, "bad-token", pair, keys[i],
                 "token %" PRId64 " of %" PRIu64, id, tokens);
    }
}

static void check_tokenizer(struct checking *c, struct tn_error *error)
{
    static const char *const parallel[] = { "tokenizer.ggml.scores",
                                            "tokenizer.ggml.token_type" };
    const struct tn_gguf_pair *tokens =
        find_array(c, "tokenizer.ggml.tokens");
    char model[32];

    need(c, "tokenizer.ggml.model",
         "is missing: llama.cpp does not run a model without a tokenizer");
    text_of(c, "tokenizer.ggml.model", model, sizeof model, error);
    if (!model[0] || strcmp(model, "no_vocab") == 0)
        return;
    need(c, "tokenizer.ggml.tokens",
         "is missing: llama.cpp does not run a model without tokens");
    if (strcmp(model, "gpt2") == 0)
        need(c, "tokenizer.ggml.merges",
             "is missing: tokenizers of the kind gpt2 need it");
    if (!tokens)
        return;
    for (size_t i = 0; i < sizeof parallel / sizeof parallel[0]; i++) {
        const struct tn_gguf_pair *pair = find_array(c, parallel[i]);
        if (pair && pair->count != tokens->count)
            warn(c, "wrong-length", pair, parallel[i],
                 "%" PRIu64 " elements for %" PRIu64 " tokens", pair->count,
                 tokens->count);
    }
    check_ids(c, tokens->count);
}

static bool has_tensor(const struct checking *c, const char *name)
{
    return tn_model_find(c->model, name) != NULL;
}

static bool has_prefix(const struct checking *c, const char *prefix)
{
    for (uint64_t i = 0; i < c->model->tensors.count; i++)
        if (tn_bytes_starts_with(tn_tensor_name(tn_model_tensor(c->model, i)),
                                 prefix))
            return true;
    return false;
}

/* Checks that the blocks which the metadata announce exist, by the numbers in
 * names. */
static void check_blocks(struct checking *c, const struct tn_gguf_pair *pair)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_arena arena;
    int64_t         count;

    if (!pair || !tn_gguf_integer(pair, &count) || count < 0)
        return;
    if ((uint64_t)count > c->model->tensors.count) {
        warn(c, "missing-tensor", pair, "",
             "%" PRId64 " blocks, but %" PRIu64 " tensors", count,
             c->model->tensors.count);
        return;
    }
    tn_arena_init(&arena, c->model->memory);
    bool *seen = tn_new(&arena, bool, (uint64_t)count, &error);
    for (uint64_t i = 0; seen && i < c->model->tensors.count; i++) {
        struct tn_bytes name = tn_tensor_name(tn_model_tensor(c->model, i));
        uint64_t        block = 0;
        size_t          at    = 4;
        if (!tn_bytes_starts_with(name, "blk."))
            continue;
        while (at < name.size && name.data[at] >= '0' &&
               name.data[at] <= '9' && block < UINT32_MAX)
            block = block * 10 + (uint64_t)(name.data[at++] - '0');
        if (block < (uint64_t)count)
            seen[block] = true;
    }
    for (int64_t i = 0; seen && i < count; i++) {
        if (seen[i])
            continue;
        warn(c, "missing-tensor", pair, "",
             "no tensor of block %" PRId64 " of %" PRId64 " (blk.%" PRId64 ".)",
             i, count, i);
        break;
    }
    tn_arena_done(&arena);
}

static void check_tensors(struct checking *c, const struct tn_gguf_pair *blocks)
{
    if (has_prefix(c, "model.layers.") || has_prefix(c, "transformer.h.")) {
        warn(c, "foreign-names", NULL, "",
             "tensors have the names of Hugging Face; llama.cpp expects "
             "blk.0.attn_q.weight and so on, with rows of q and k in another "
             "order");
        return;
    }
    if (!has_tensor(c, "token_embd.weight"))
        warn(c, "missing-tensor", NULL, "token_embd.weight",
             "is missing: llama.cpp does not run a model without it");
    check_blocks(c, blocks);
}

static void check_architecture(struct checking *c, const char *architecture)
{
    static const char *const wanted[] = { "context_length", "embedding_length",
                                          "block_count",
                                          "attention.head_count" };
    char                     key[120];

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        snprintf(key, sizeof key, "%s.%s", architecture, wanted[i]);
        need(c, key, "is missing: llama.cpp asks for it");
    }
    snprintf(key, sizeof key, "%s.block_count", architecture);
    if (c->model->tensors.count)
        check_tensors(c, tn_gguf_find(c->file, key));
}

/* Files that are not models have a type that tells so, or no tensors. */
enum tn_status tn_gguf_check(struct tn_bundle *bundle,
                             const struct tn_model *model,
                             struct tn_report *report, struct tn_error *error)
{
    const struct tn_gguf_detail *detail = model->detail;
    struct checking c = { model, &detail->files[0], report };
    char            architecture[80], type[32];

    (void)bundle;
    check_types(&c);
    text_of(&c, "general.architecture", architecture, sizeof architecture,
            error);
    text_of(&c, "general.type", type, sizeof type, error);
    if (!architecture[0]) {
        warn(&c, "missing-key", NULL, "general.architecture",
             "is missing: this is not a model that llama.cpp runs");
        return error->status;
    }
    if (type[0] && strcmp(type, "model") != 0) {
        tn_report_format(report, TN_LEVEL_NOTE, "not-a-model", "", TN_NOWHERE,
                         "general.type",
                         "'%s': not a model that llama.cpp runs alone", type);
        return error->status;
    }
    if (!model->tensors.count)
        tn_report_format(report, TN_LEVEL_NOTE, "not-a-model", "", TN_NOWHERE,
                         "", "no tensors: a vocabulary, not a model that "
                             "llama.cpp runs");
    check_architecture(&c, architecture);
    check_tokenizer(&c, error);
    return error->status;
}
