/* rule_sets.c - the rule files that the library carries, and the user's own */
#include "map/rule_sets.h"

#include "map/lang_check.h"

/* X(file, from, to, whether both ways): rules/FILE.rules.  Where two lead the
 * same way, the first is tried first. */
#define RULES(X)                                                               \
    X(nd4j_onnx, "nd4j", "onnx", false)                                        \
    X(onnx_nd4j, "onnx", "nd4j", true)                                         \
    X(tensorflow_nd4j, "tensorflow", "nd4j", false)                            \
    X(paddle_onnx, "paddle", "onnx", false)                                    \
    X(onnx_onnxruntime, "onnx", "onnx", false)

/* X(dialect): rules/DIALECT.shapes. */
#define SHAPES(X)                                                              \
    X(nd4j)                                                                    \
    X(onnx)                                                                    \
    X(paddle)                                                                  \
    X(tensorflow)

#define X(file, from, to, both)                                                \
    extern const unsigned char tn_rules_##file[];                              \
    extern const size_t        tn_rules_##file##_size;
RULES(X)
#undef X

#define X(dialect)                                                             \
    extern const unsigned char tn_shapes_##dialect[];                          \
    extern const size_t        tn_shapes_##dialect##_size;
SHAPES(X)
#undef X

/* ---- what is carried ---------------------------------------------------- */

bool tn_rules_builtin_at(uint32_t index, struct tn_rule_text *out)
{
    const struct tn_rule_text files[] = {
#define X(file, from, to, both)                                                \
    { #file ".rules",                                                          \
      from,                                                                    \
      to,                                                                      \
      both,                                                                    \
      tn_bytes(tn_rules_##file, tn_rules_##file##_size),                       \
      NULL,                                                                    \
      0 },
        RULES(X)
#undef X
    };

    if (index >= sizeof files / sizeof files[0])
        return false;
    *out = files[index];
    return true;
}

struct tn_bytes tn_rules_builtin(const char *from, const char *to)
{
    struct tn_rule_text file;

    for (uint32_t i = 0; tn_rules_builtin_at(i, &file); i++)
        if (!strcmp(file.from, from) && !strcmp(file.to, to))
            return file.text;
    return tn_bytes(NULL, 0);
}

struct tn_bytes tn_shapes_builtin(const char *dialect)
{
#define X(name)                                                                \
    if (!strcmp(dialect, #name))                                               \
        return tn_bytes(tn_shapes_##name, tn_shapes_##name##_size);
    SHAPES(X)
#undef X
    return tn_bytes(NULL, 0);
}

/* ---- reading ------------------------------------------------------------ */

static bool leads(const struct tn_rule_text *file, const char *from,
                  const char *to)
{
    return (!strcmp(file->from, from) && !strcmp(file->to, to)) ||
           (file->is_both_ways && !strcmp(file->from, to) &&
            !strcmp(file->to, from));
}

static enum tn_status read_one(struct tn_rule_set        *set,
                               const struct tn_rule_text *file,
                               struct tn_error           *error)
{
    struct tn_lang_file *to = &set->files[set->count++];

    TN_TRY(tn_lang_parse(to, set->arena, file->name, file->text, error));
    to->functions      = file->functions;
    to->function_count = file->function_count;
    return TN_OK;
}

/* Rules of the user have not been through our tests: what is wrong with them
 * is told before they run.  They may well be for ops that nobody knows. */
static enum tn_status check_own(struct tn_rule_set *set, const char *from,
                                const char *to, struct tn_error *error)
{
    const struct tn_lang_file *file = &set->files[set->count - 1];
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

enum tn_status tn_rule_set_read(struct tn_rule_set *set, struct tn_arena *arena,
                                const char *from, const char *to,
                                const struct tn_rule_text *own,
                                uint32_t own_count, struct tn_error *error)
{
    struct tn_rule_text file;
    uint32_t            room = own_count;

    while (tn_rules_builtin_at(room - own_count, &file))
        room++;
    *set = (struct tn_rule_set){
        .arena = arena,
        .files = tn_new(arena, struct tn_lang_file, room, error),
    };
    if (!set->files)
        return error->status;
    for (uint32_t i = 0; i < own_count; i++) {
        TN_TRY(read_one(set, &own[i], error));
        TN_TRY(check_own(set, from, to, error));
    }
    for (uint32_t i = 0; tn_rules_builtin_at(i, &file); i++)
        if (leads(&file, from, to))
            TN_TRY(read_one(set, &file, error));
    return TN_OK;
}

void tn_rule_set_done(struct tn_rule_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        tn_lang_done(&set->files[i]);
    set->count = 0;
}

enum tn_status tn_shapes_read(struct tn_lang_file *file, struct tn_arena *arena,
                              const char *dialect, struct tn_error *error)
{
    struct tn_bytes text = tn_shapes_builtin(dialect);
    const char     *name = tn_text_format(arena, error, "%s.shapes", dialect);

    if (!text.size)
        text = tn_text("shapes none 1");
    *file = (struct tn_lang_file){ 0 };
    return name ? tn_lang_parse(file, arena, name, text, error) : error->status;
}
