/*
 * paddle_format.c - the format paddle: a program and its parameters
 *
 *   DIR/__model__ + DIR/NAME...        one file for each stored variable
 *   DIR/MODEL + DIR/PARAMS             `__params__` or `params`: all in one
 *   PREFIX.pdmodel + PREFIX.pdiparams  the same under the names of 2.x
 *
 * There is no magic number: a program is known by the fields of its first
 * block, never by its name.
 */
#include "format/paddle/paddle.h"
#include "format/text_model.h"

/* ---- looking ------------------------------------------------------------ */

/* The first block says its number and its parent's: 08 00 10, then -1 in ten
 * bytes, which is what block 0 has. */
static bool is_block(struct tn_cursor *body)
{
    static const uint8_t head[] = { 0x08, 0x00, 0x10, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };

    return (uint64_t)(body->end - body->at) >= sizeof head &&
           memcmp(body->at, head, sizeof head) == 0;
}

static bool is_program(struct tn_bytes head)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(head, 0, &error);

    if (tn_varint(&c) != tn_tag(PROGRAM_BLOCKS, TN_WIRE_LEN))
        return false;
    tn_varint(&c);
    return !tn_failed(&error) && is_block(&c);
}

static bool is_word(void *context, struct tn_bytes name)
{
    bool *is_ours = context;

    *is_ours = tn_bytes_is(name, "blocks") || tn_bytes_is(name, "version") ||
               tn_bytes_is(name, "op_version_map");
    return false;
}

static bool is_program_text(struct tn_bytes head)
{
    struct tn_bytes word;
    bool            is_ours = false;

    if (!tn_is_text(head, &word))
        return false;
    tn_text_roots(head, is_word, &is_ours);
    return is_ours;
}

static bool ends_with(const char *name, const char *tail)
{
    size_t size = strlen(name), tail_size = strlen(tail);

    return size > tail_size && !strcmp(name + size - tail_size, tail);
}

static int probe_folder(const struct tn_probe *probe)
{
    int bits = 0;

    for (uint64_t i = 0; i < probe->entry_count; i++) {
        if (!strcmp(probe->entries[i], "__model__"))
            return 32;
        if (ends_with(probe->entries[i], ".pdmodel"))
            bits = 24;
    }
    return bits;
}

static int paddle_probe(const struct tn_probe *probe)
{
    if (probe->entries)
        return probe_folder(probe);
    return is_program(probe->head) ? 56 : 0;
}

static int text_probe(const struct tn_probe *probe)
{
    return !probe->entries && is_program_text(probe->head) ? 24 : 0;
}

/* ---- which files ----------------------------------------------------------
 */

/* The name without the last suffix, in the arena. */
static const char *with_suffix(struct tn_model *model, const char *name,
                               const char *suffix, struct tn_error *error)
{
    const char *dot  = strrchr(name, '.');
    int         size = (int)(dot ? (size_t)(dot - name) : strlen(name));

    return tn_text_format(&model->arena, error, "%.*s%s", size, name, suffix);
}

/* The file with all parameters, or NULL. */
static const char *find_combined(struct tn_model  *model,
                                 struct tn_bundle *bundle, const char *program,
                                 struct tn_error *error)
{
    const char *names[] = {
        with_suffix(model, program, ".pdiparams", error),
        "__params__",
        "params",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i] && tn_bundle_has(bundle, names[i]))
            return names[i];
    return NULL;
}

static bool has_separate(struct tn_model *model, struct tn_bundle *bundle,
                         struct tn_error *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    const char *first = tn_text_format(&model->arena, error, "%.*s",
                                       TN_FMT(detail->stored[0]->name));

    return first && tn_bundle_has(bundle, first);
}

static enum tn_status read_params(struct tn_model  *model,
                                  struct tn_bundle *bundle, const char *program,
                                  struct tn_error *error)
{
    const struct tn_paddle_detail *detail = model->detail;
    struct tn_source              *file;

    if (detail->stored_count == 0 || bundle->folder < 0)
        return TN_OK;
    const char *combined = find_combined(model, bundle, program, error);
    bool        is_separate =
        !ends_with(program, ".pdmodel") && has_separate(model, bundle, error);
    if (is_separate)
        return tn_paddle_separate_read(model, bundle, "", error);
    if (!combined) {
        tn_model_add_fact(model, "parameters", tn_text("not found"), error);
        return error->status;
    }
    TN_TRY(tn_bundle_sibling(bundle, tn_text(combined), &file, error));
    return tn_paddle_combined_read(model, file, error);
}

/* The program of a folder. */
static enum tn_status find_program(struct tn_bundle  *bundle,
                                   struct tn_source **source, const char **name,
                                   struct tn_error *error)
{
    const char *const *entries;
    uint64_t           count;

    TN_TRY(tn_bundle_list(bundle, "", &entries, &count, error));
    *name = NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (!strcmp(entries[i], "__model__") ||
            (!*name && ends_with(entries[i], ".pdmodel")))
            *name = entries[i];
    }
    if (!*name)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "the folder holds no program");
    return tn_bundle_sibling(bundle, tn_text(*name), source, error);
}

static enum tn_status paddle_open(struct tn_bundle *bundle,
                                  struct tn_model  *model,
                                  struct tn_error  *error)
{
    struct tn_source *source = bundle->main, *binary;
    const char       *name   = bundle->name;

    if (!source)
        TN_TRY(find_program(bundle, &source, &name, error));
    TN_TRY(tn_format_binary(bundle, source, TN_PB_PADDLE, TN_PADDLE_MESSAGE,
                            &binary, error));
    TN_TRY(tn_paddle_program_read(
        model, (struct tn_span){ binary, 0, binary->size }, error));
    TN_TRY(read_params(model, bundle, name, error));
    if (model->wants_graph)
        tn_model_resolve(model);
    return error->status;
}

const struct tn_format tn_format_paddle = {
    .name        = "paddle",
    .title       = "PaddlePaddle program",
    .dialect     = "paddle",
    .dialect_ops = &tn_dialect_paddle,
    .suffixes    = (const char *const[]){ ".pdmodel", "__model__", NULL },
    .schema      = TN_PB_PADDLE,
    .message     = TN_PADDLE_MESSAGE,
    .probe       = paddle_probe,
    .open        = paddle_open,
    .write       = tn_paddle_write,
};

const struct tn_format tn_format_paddle_text = {
    .name        = "paddle-text",
    .title       = "PaddlePaddle program as text",
    .dialect     = "paddle",
    .dialect_ops = &tn_dialect_paddle,
    .suffixes = (const char *const[]){ ".pdmodel.txt", "__model__.txt", NULL },
    .schema   = TN_PB_PADDLE,
    .message  = TN_PADDLE_MESSAGE,
    .probe    = text_probe,
    .open     = paddle_open,
    .write    = tn_paddle_write_text,
};
