/*
 * edit_graph.c - actions that look at a whole graph
 *
 * Words become arguments here; the work is done in edit_cut.h, edit_dims.h and
 * others.
 */
#include "engine/edit_action.h"

#include "base/number.h"
#include "engine/edit_append.h"
#include "engine/edit_cut.h"
#include "engine/edit_dims.h"
#include "engine/edit_float16.h"
#include "engine/edit_opset.h"
#include "engine/edit_pairs.h"

#include <inttypes.h>

/* Actions on sets of tensors, such as a checkpoint, have no graph. */
static enum tn_status expect_graph(const struct tn_edit *edit,
                                   struct tn_error      *error)
{
    if (edit->draft.base && edit->draft.dialect)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "this model has tensors and no graph");
}

/* ---- parts --------------------------------------------------------------- */

/* Names in words, and in words with commas between names. */
static enum tn_status read_names(struct tn_edit        *edit,
                                 const struct tn_words *words,
                                 struct tn_list *to, struct tn_error *error)
{
    const struct tn_model *model = edit->draft.base;

    for (uint32_t i = 0; i < words->count; i++) {
        struct tn_bytes rest = tn_text(words->items[i]);
        while (rest.size) {
            const uint8_t *comma = memchr(rest.data, ',', rest.size);
            size_t         size =
                comma && tn_intern_find(&model->names, rest) == TN_NO_NAME
                            ? (size_t)(comma - rest.data)
                            : rest.size;
            struct tn_bytes *row = tn_list_push(to, struct tn_bytes, error);
            if (!row)
                return error->status;
            *row         = tn_bytes_dup(&edit->store->model.arena,
                                        tn_bytes(rest.data, size), error);
            size_t taken = size < rest.size ? size + 1 : size;
            rest         = tn_bytes(rest.data + taken, rest.size - taken);
        }
    }
    return error->status;
}

static enum tn_status cut(struct tn_edit *edit, const struct tn_words *words,
                          bool is_input, struct tn_error *error)
{
    struct tn_list names;

    TN_TRY(expect_graph(edit, error));
    tn_list_init(&names, &edit->store->memory, sizeof(struct tn_bytes));
    read_names(edit, words, &names, error);
    struct tn_cut how = { .inputs       = is_input ? names.items : NULL,
                          .input_count  = is_input ? (uint32_t)names.count : 0,
                          .outputs      = is_input ? NULL : names.items,
                          .output_count = is_input ? 0 : (uint32_t)names.count,
                          .keeps_inputs = true };
    if (!tn_failed(error))
        tn_draft_cut(&edit->draft, &how, error);
    tn_list_done(&names);
    return error->status;
}

enum tn_status tn_edit_act_inputs(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_error       *error)
{
    return cut(edit, words, true, error);
}

enum tn_status tn_edit_act_outputs(struct tn_edit        *edit,
                                   const struct tn_words *words,
                                   struct tn_error       *error)
{
    return cut(edit, words, false, error);
}

enum tn_status tn_edit_act_extract(struct tn_edit        *edit,
                                   const struct tn_words *words,
                                   struct tn_error       *error)
{
    TN_TRY(expect_graph(edit, error));
    return tn_draft_extract(&edit->draft, words->items[0], error);
}

/* ---- sizes --------------------------------------------------------------- */

/* A number of rows or the like; or a name, for an open one. */
static enum tn_status read_size(const char *word, int64_t *size,
                                struct tn_bytes *symbol, struct tn_error *error)
{
    bool is_name = (word[0] >= 'a' && word[0] <= 'z') ||
                   (word[0] >= 'A' && word[0] <= 'Z') || word[0] == '_';

    *symbol = tn_text(is_name ? word : "");
    *size   = -1;
    if (is_name)
        return TN_OK;
    if (!tn_int64_parse(tn_text(word), size) || *size < 1 || *size > INT32_MAX)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a size: give a number from 1 on, or a "
                            "name for a size that stays open",
                            word);
    return TN_OK;
}

/* "x[0]", or the name of a dimension. */
static enum tn_status read_dim(const char *word, struct tn_dim_change *change,
                               struct tn_error *error)
{
    struct tn_bytes text = tn_text(word);
    const char     *open = strrchr(word, '[');
    int64_t         axis;

    if (!open || text.data[text.size - 1] != ']') {
        change->was = text;
        return TN_OK;
    }
    struct tn_bytes number =
        tn_bytes(open + 1, text.size - (size_t)(open - word) - 2);
    if (open == word || !tn_int64_parse(number, &axis) || axis < 0 ||
        axis > INT32_MAX)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a dimension: give INPUT[AXIS], such "
                            "as x[0], or the name of one",
                            word);
    change->input = tn_bytes(word, (size_t)(open - word));
    change->axis  = (uint32_t)axis;
    return TN_OK;
}

enum tn_status tn_edit_act_set_dim(struct tn_edit        *edit,
                                   const struct tn_words *words,
                                   struct tn_error       *error)
{
    struct tn_dim_change change = { 0 };

    TN_TRY(expect_graph(edit, error));
    TN_TRY(read_dim(words->items[0], &change, error));
    TN_TRY(read_size(words->items[1], &change.size, &change.symbol, error));
    return tn_edit_change_dim(edit, &change, error);
}

enum tn_status tn_edit_act_dynamic(struct tn_edit        *edit,
                                   const struct tn_words *words,
                                   struct tn_error       *error)
{
    struct tn_dim_change change = { 0 };

    TN_TRY(expect_graph(edit, error));
    TN_TRY(read_dim(words->items[0], &change, error));
    TN_TRY(read_size(words->items[1], &change.size, &change.symbol, error));
    if (change.size >= 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is a number: an open size has a name, such "
                            "as batch; for a number, use set-dim",
                            words->items[1]);
    return tn_edit_change_dim(edit, &change, error);
}

enum tn_status tn_edit_act_batch(struct tn_edit        *edit,
                                 const struct tn_words *words,
                                 struct tn_error       *error)
{
    struct tn_bytes symbol;
    int64_t         size;

    TN_TRY(expect_graph(edit, error));
    TN_TRY(read_size(words->items[0], &size, &symbol, error));
    return tn_edit_change_rows(edit, size, symbol, error);
}

/* ---- 16 bits ---------------------------------------------------------------
 */

static struct tn_edit_text *keep_text(struct tn_edit *edit, const char *text,
                                      struct tn_error *error)
{
    struct tn_arena     *arena = &edit->home->model.arena;
    struct tn_edit_text *kept  = tn_new(arena, struct tn_edit_text, 1, error);

    if (kept)
        kept->text = tn_text_dup(arena, text, error);
    return kept;
}

/* If there is no memory for a note, the edit does not fail. */
static void add_note(void *context, const char *text)
{
    struct tn_edit      *edit   = context;
    struct tn_error      unsaid = TN_ERROR_INIT;
    struct tn_edit_text *note   = keep_text(edit, text, &unsaid);

    if (!note || !note->text)
        return;
    *(edit->notes_end ? edit->notes_end : &edit->notes) = note;
    edit->notes_end                                     = &note->next;
    edit->note_count++;
}

const char *tn_edit_note(const struct tn_edit *edit, uint32_t index)
{
    const struct tn_edit_text *note = edit->notes;

    while (note && index--)
        note = note->next;
    return note ? note->text : NULL;
}

enum tn_status tn_edit_act_keep_float32(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error)
{
    for (uint32_t i = 0; i < words->count; i++) {
        char *all =
            tn_text_dup(&edit->home->model.arena, words->items[i], error);
        for (char *word = all; word && *word;) {
            char *comma = strchr(word, ',');
            if (comma)
                *comma = '\0';
            struct tn_edit_text *kept = keep_text(edit, word, error);
            if (!kept)
                return error->status;
            kept->next = edit->wide;
            edit->wide = kept;
            word       = comma ? comma + 1 : NULL;
        }
    }
    return error->status;
}

static enum tn_status narrow(struct tn_edit *edit, enum tn_dtype dtype,
                             bool takes_io, struct tn_error *error)
{
    uint32_t     count = 0;
    const char **kept;

    for (const struct tn_edit_text *w = edit->wide; w; w = w->next)
        count++;
    kept = tn_new(&edit->store->model.arena, const char *, count, error);
    if (!kept)
        return error->status;
    count = 0;
    for (const struct tn_edit_text *w = edit->wide; w; w = w->next)
        kept[count++] = w->text;
    return tn_draft_narrow(&edit->draft,
                           &(struct tn_narrow){ .dtype      = dtype,
                                                .takes_io   = takes_io,
                                                .kept       = kept,
                                                .kept_count = count,
                                                .note       = add_note,
                                                .context    = edit },
                           error);
}

#define NARROWS(name, dtype, takes_io)                                         \
    enum tn_status name(struct tn_edit *edit, const struct tn_words *words,    \
                        struct tn_error *error)                                \
    {                                                                          \
        (void)words;                                                           \
        return narrow(edit, dtype, takes_io, error);                           \
    }

NARROWS(tn_edit_act_float16, TN_FLOAT16, false)
NARROWS(tn_edit_act_float16_io, TN_FLOAT16, true)
NARROWS(tn_edit_act_bfloat16, TN_BFLOAT16, false)
NARROWS(tn_edit_act_bfloat16_io, TN_BFLOAT16, true)

/* ---- nodes that change nothing or little -----------------------------------
 */

static enum tn_status remove_pairs(struct tn_edit *edit, enum tn_pair_kind kind,
                                   struct tn_error *error)
{
    uint64_t count;

    TN_TRY(expect_graph(edit, error));
    return tn_draft_remove_pairs(&edit->draft, kind, &count, error);
}

#define REMOVES(name, kind)                                                    \
    enum tn_status name(struct tn_edit *edit, const struct tn_words *words,    \
                        struct tn_error *error)                                \
    {                                                                          \
        (void)words;                                                           \
        return remove_pairs(edit, kind, error);                                \
    }

REMOVES(tn_edit_act_remove_identities, TN_PAIR_IDENTITY)
REMOVES(tn_edit_act_remove_casts, TN_PAIR_CAST)
REMOVES(tn_edit_act_remove_qdq, TN_PAIR_QDQ)

enum tn_status tn_edit_act_insert_identity(struct tn_edit        *edit,
                                           const struct tn_words *words,
                                           struct tn_error       *error)
{
    TN_TRY(expect_graph(edit, error));
    return tn_draft_insert_pair(
        &edit->draft,
        &(struct tn_pair){ .kind  = TN_PAIR_IDENTITY,
                           .value = tn_text(words->items[0]) },
        error);
}

static enum tn_status read_type(const char *word, enum tn_dtype *dtype,
                                struct tn_error *error)
{
    *dtype = tn_dtype_find(word);
    if (*dtype != TN_UNDEFINED)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "'%s' is not a type: give one such as float16", word);
}

enum tn_status tn_edit_act_insert_casts(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error)
{
    struct tn_pair pair = { .kind  = TN_PAIR_CAST,
                            .value = tn_text(words->items[0]) };

    TN_TRY(expect_graph(edit, error));
    TN_TRY(read_type(words->items[1], &pair.dtype, error));
    return tn_draft_insert_pair(&edit->draft, &pair, error);
}

enum tn_status tn_edit_act_insert_qdq(struct tn_edit        *edit,
                                      const struct tn_words *words,
                                      struct tn_error       *error)
{
    struct tn_pair pair = { .kind  = TN_PAIR_QDQ,
                            .value = tn_text(words->items[0]),
                            .dtype = TN_INT8 };
    double         scale;

    TN_TRY(expect_graph(edit, error));
    if (!tn_double_parse(tn_text(words->items[1]), &scale))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a scale; give a number such as 0.05",
                            words->items[1]);
    pair.scale = (float)scale;
    if (words->count > 2 &&
        !tn_int64_parse(tn_text(words->items[2]), &pair.zero))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a zero point", words->items[2]);
    if (words->count > 3)
        TN_TRY(read_type(words->items[3], &pair.dtype, error));
    return tn_draft_insert_pair(&edit->draft, &pair, error);
}

/* ---- opsets ----------------------------------------------------------------
 */

enum tn_status tn_edit_act_opset(struct tn_edit        *edit,
                                 const struct tn_words *words,
                                 struct tn_error       *error)
{
    uint64_t number;

    TN_TRY(expect_graph(edit, error));
    TN_TRY(tn_edit_number(words->items[0], &number, error));
    return tn_edit_set_opset(
        edit, number > UINT32_MAX ? UINT32_MAX : (uint32_t)number, error);
}

/* ---- two models ------------------------------------------------------------
 */

/* The model that a word names, with its graph; the edit keeps it. */
static enum tn_status open_graph(struct tn_edit *edit, const char *word,
                                 const struct tn_model **model,
                                 struct tn_error        *error)
{
    const char       *path    = tn_edit_path(edit, word, error);
    struct tn_options options = edit->options;
    struct tn_model  *opened  = NULL;

    options.wants_graph = true;
    *model              = NULL;
    if (!path)
        return error->status;
    if (tn_model_open(&opened, path, &options, error) == TN_OK &&
        tn_opened_hold(edit->store, tn_opened_of(opened), error) == TN_OK)
        *model = opened;
    else if (!error->file[0])
        tn_error_file(error, path);
    tn_model_close(opened); /* the store holds it */
    return error->status;
}

static enum tn_status append(struct tn_edit *edit, const char *prefix,
                             const char *const *words, uint32_t count,
                             struct tn_error *error)
{
    struct tn_append how = { .prefix     = prefix,
                             .pairs      = words + 1,
                             .pair_count = count - 1 };

    TN_TRY(expect_graph(edit, error));
    if (how.pair_count % 2)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is without an input: give OUTPUT=INPUT",
                            words[count - 1]);
    TN_TRY(open_graph(edit, words[0], &how.model, error));
    return tn_draft_append_model(&edit->draft, &how, error);
}

enum tn_status tn_edit_act_append(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_error       *error)
{
    return append(edit, NULL, words->items, words->count, error);
}

enum tn_status tn_edit_act_append_as(struct tn_edit        *edit,
                                     const struct tn_words *words,
                                     struct tn_error       *error)
{
    return append(edit, words->items[0], words->items + 1, words->count - 1,
                  error);
}
