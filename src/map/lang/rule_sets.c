/* rule_sets.c - the built-in rule files, and the user's own */
#include "map/lang/rule_sets.h"

#include "codec/stored.h"
#include "ir/dialect_facts.h"
#include "map/lang/lang_check.h"
#include "map/lang/lang_pack.h"

/* X(file, from, to, whether both ways, what for): rules/FILE.rules.  Where two
 * lead the same way, the first is tried first. */
#define RULES(X)                                                               \
    X(nd4j_onnx, "nd4j", "onnx", false, TN_FOR_ALL)                            \
    X(onnx_nd4j, "onnx", "nd4j", true, TN_FOR_ALL)                             \
    X(tensorflow_nd4j, "tensorflow", "nd4j", false, TN_FOR_ALL)                \
    X(tensorflow_onnx, "tensorflow", "onnx", false, TN_FOR_ALL)                \
    X(tflite_onnx, "tflite", "onnx", false, TN_FOR_ALL)                        \
    X(paddle_onnx, "paddle", "onnx", false, TN_FOR_ALL)                        \
    X(onnx_onnxruntime, "onnx", "onnx", false, TN_FOR_ALL)                     \
    X(onnx_simplify, "onnx", "onnx", false, TN_FOR_LESS)                       \
    X(onnx_layers, "onnx", "onnx", false, TN_FOR_LAYERS)                       \
    X(onnx_older, "onnx", "onnx", false, TN_FOR_OLDER)                         \
    X(onnx_newer, "onnx", "onnx", false, TN_FOR_NEWER)

/* X(dialect, file): rules/FILE.shapes. */
#define SHAPES(X)                                                              \
    X(TN_DIALECT_ND4J, nd4j)                                                   \
    X(TN_DIALECT_ONNX, onnx)                                                   \
    X(TN_DIALECT_PADDLE, paddle)                                               \
    X(TN_DIALECT_TENSORFLOW, tensorflow)                                       \
    X(TN_DIALECT_TFLITE, tflite)

/* rules/compile.c writes these. */
#define STORED(symbol)                                                         \
    extern const unsigned char symbol[];                                       \
    extern const size_t        symbol##_size;

#define X(file, from, to, both, purpose)                                       \
    STORED(tn_rules_##file##_text)                                             \
    extern const struct tn_stored tn_rules_##file;
RULES(X)
#undef X

#define X(dialect, file) extern const struct tn_stored tn_shapes_##file;
SHAPES(X)
#undef X

/* ---- built-in files ----------------------------------------------------- */

bool tn_rules_builtin_at(uint32_t index, struct tn_rule_text *out)
{
    const struct tn_rule_text files[] = {
#define X(file, from, to, both, purpose)                                       \
    { #file ".rules",                                                          \
      from,                                                                    \
      to,                                                                      \
      both,                                                                    \
      { NULL, 0 },                                                             \
      tn_bytes(tn_rules_##file##_text, tn_rules_##file##_text_size),           \
      &tn_rules_##file,                                                        \
      NULL,                                                                    \
      0,                                                                       \
      NULL,                                                                    \
      purpose },
        RULES(X)
#undef X
    };

    if (index >= sizeof files / sizeof files[0])
        return false;
    *out = files[index];
    return true;
}

/* Without bytes where there are none. */
static struct tn_rule_text find_shapes(const char *dialect)
{
    const struct tn_rule_text files[TN_DIALECT_COUNT] = {
#define X(dialect, file)                                                       \
    [dialect] = { .name   = #file ".shapes",                                   \
                  .stored = &tn_shapes_##file },
        SHAPES(X)
#undef X
    };

    return files[tn_dialect_facts(dialect)->id];
}

static enum tn_status unpack(struct tn_lang_file *file, struct tn_arena *arena,
                             const struct tn_rule_text *ours,
                             struct tn_error           *error)
{
    struct tn_pack_blocks *blocks;
    struct tn_bytes        packed =
        tn_stored_open(ours->stored, arena, &blocks, error);

    *file = (struct tn_lang_file){ 0 };
    return packed.data
               ? tn_lang_unpack(file, arena, ours->name, packed, blocks, error)
               : error->status;
}

/* ---- the cache ---------------------------------------------------------- */

#define X(...) +1
enum { RULE_FILES = 0 RULES(X) };
#undef X

enum tn_status tn_rule_cache_init(struct tn_rule_cache *cache,
                                  struct tn_arena      *arena,
                                  struct tn_error      *error)
{
    *cache = (struct tn_rule_cache){
        .arena  = arena,
        .rules  = tn_new(arena, struct tn_lang_file, RULE_FILES, error),
        .shapes = tn_new(arena, struct tn_lang_file, TN_DIALECT_COUNT, error),
    };
    return cache->rules && cache->shapes ? TN_OK : error->status;
}

void tn_rule_cache_done(struct tn_rule_cache *cache)
{
    for (uint32_t i = 0; cache->rules && i < RULE_FILES; i++)
        tn_lang_done(&cache->rules[i]);
    for (uint32_t i = 0; cache->shapes && i < TN_DIALECT_COUNT; i++)
        tn_lang_done(&cache->shapes[i]);
    *cache = (struct tn_rule_cache){ 0 };
}

/* A file that could not be read is not kept, so that it can be tried again. */
static const struct tn_lang_file *keep(struct tn_lang_file *file,
                                       struct tn_error     *error)
{
    if (!tn_failed(error))
        return file;
    tn_lang_done(file);
    *file = (struct tn_lang_file){ 0 };
    return NULL;
}

const struct tn_lang_file *tn_rule_cache_rules(struct tn_rule_cache *cache,
                                               uint32_t              index,
                                               struct tn_error      *error)
{
    struct tn_lang_file *file = &cache->rules[index];
    struct tn_rule_text  text;

    if (file->name)
        return file;
    tn_rules_builtin_at(index, &text);
    unpack(file, cache->arena, &text, error);
    return keep(file, error);
}

enum tn_status tn_rule_cache_complete(struct tn_rule_cache *cache,
                                      uint32_t index, struct tn_error *error)
{
    struct tn_lang_file *file = &cache->rules[index];
    struct tn_rule_text  ours;

    if (!tn_rule_cache_rules(cache, index, error))
        return error->status;
    tn_rules_builtin_at(index, &ours);
    if (!file->text.data)
        file->text = tn_stored_read(ours.stored_text, cache->arena, error);
    return tn_failed(error) ? error->status : tn_lang_complete(file, error);
}

const struct tn_lang_file *tn_rule_cache_shapes(struct tn_rule_cache *cache,
                                                const char           *dialect,
                                                struct tn_error      *error)
{
    struct tn_lang_file *file = &cache->shapes[tn_dialect_facts(dialect)->id];

    if (file->name)
        return file;
    tn_shapes_read(file, cache->arena, dialect, error);
    return keep(file, error);
}

const struct tn_lang_file *tn_rule_cache_within(struct tn_rule_cache *cache,
                                                const char           *dialect,
                                                enum tn_rule_purpose  purpose,
                                                struct tn_error      *error)
{
    struct tn_rule_text file;

    for (uint32_t i = 0; tn_rules_builtin_at(i, &file); i++)
        if (file.purpose == purpose && tn_is_same_dialect(file.from, dialect))
            return tn_rule_cache_rules(cache, i, error);
    return NULL;
}

/* ---- a set -------------------------------------------------------------- */

static bool leads(const struct tn_rule_text *file, const char *from,
                  const char *to)
{
    return (tn_is_same_dialect(file->from, from) &&
            tn_is_same_dialect(file->to, to)) ||
           (file->is_both_ways && tn_is_same_dialect(file->from, to) &&
            tn_is_same_dialect(file->to, from));
}

/* The user's rules were not tested here, so they are checked before they run.
 * They may be for ops that no vocabulary has. */
static enum tn_status check_own(struct tn_rule_set *set, const char *from,
                                const char *to, struct tn_error *error)
{
    const struct tn_lang_file *file = &set->own[set->own_count - 1];
    struct tn_vocab            vocabs[2];
    struct tn_lang_side        sides[2];

    if ((!tn_bytes_is(file->from, from) || !tn_bytes_is(file->to, to)) &&
        (!tn_bytes_is(file->from, to) || !tn_bytes_is(file->to, from)))
        return TN_OK; /* it is not used here */
    TN_TRY(tn_lang_side_open(&sides[0], &vocabs[0], set->arena, file->from,
                             error));
    TN_TRY(
        tn_lang_side_open(&sides[1], &vocabs[1], set->arena, file->to, error));
    sides[0].has_others = sides[1].has_others = true;
    return tn_lang_check(file, &sides[0], &sides[1], NULL, NULL, error);
}

static enum tn_status read_own(struct tn_rule_set        *set,
                               const struct tn_rule_text *text,
                               struct tn_error           *error)
{
    struct tn_lang_file *file = &set->own[set->own_count++];

    TN_TRY(tn_lang_parse(file, set->arena, text->name, text->text, error));
    for (uint64_t i = 0; text->places && i < file->rules.count; i++)
        tn_list_at(&file->rules, struct tn_lang_rule, i)->place =
            text->places[i];
    file->functions          = text->functions;
    file->function_count     = text->function_count;
    set->files[set->count++] = file;
    return TN_OK;
}

static enum tn_status take_ours(struct tn_rule_set   *set,
                                struct tn_rule_cache *cache, uint32_t index,
                                struct tn_error *error)
{
    const struct tn_lang_file *file = tn_rule_cache_rules(cache, index, error);

    if (!file)
        return error->status;
    set->files[set->count++] = file;
    return TN_OK;
}

enum tn_status tn_rule_set_read(struct tn_rule_set *set, struct tn_arena *arena,
                                struct tn_rule_cache *cache, const char *from,
                                const char *to, const struct tn_rule_text *own,
                                uint32_t own_count, struct tn_error *error)
{
    struct tn_rule_text file;

    *set = (struct tn_rule_set){
        .arena = arena,
        .own   = tn_new(arena, struct tn_lang_file, own_count, error),
        .files = tn_new(arena, const struct tn_lang_file *,
                        (uint64_t)own_count + RULE_FILES, error),
    };
    if (!set->own || !set->files)
        return error->status;
    for (uint32_t i = 0; i < own_count; i++) {
        TN_TRY(read_own(set, &own[i], error));
        if (!own[i].places)
            TN_TRY(check_own(set, from, to, error));
    }
    for (uint32_t i = 0; cache && tn_rules_builtin_at(i, &file); i++)
        if (leads(&file, from, to) && file.purpose == TN_FOR_ALL)
            TN_TRY(take_ours(set, cache, i, error));
    return TN_OK;
}

bool tn_rule_text_leads(const struct tn_rule_text *own, uint32_t own_count,
                        const char *from, const char *to)
{
    for (uint32_t i = 0; i < own_count; i++)
        if (leads(&own[i], from, to))
            return true;
    return false;
}

void tn_rule_set_done(struct tn_rule_set *set)
{
    for (uint32_t i = 0; i < set->own_count; i++)
        tn_lang_done(&set->own[i]);
    set->own_count = set->count = 0;
}

/* ---- shapes ------------------------------------------------------------- */

enum tn_status tn_shapes_read(struct tn_lang_file *file, struct tn_arena *arena,
                              const char *dialect, struct tn_error *error)
{
    struct tn_rule_text shapes = find_shapes(dialect);

    if (shapes.stored)
        return unpack(file, arena, &shapes, error);
    const char *name = tn_text_format(arena, error, "%s.shapes", dialect);
    *file            = (struct tn_lang_file){ 0 };
    return name ? tn_lang_parse(file, arena, name, tn_text("shapes none 1"),
                                error)
                : error->status;
}
