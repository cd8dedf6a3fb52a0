/*
 * patch_actions.c - actions of patches, besides those of `tenon edit`
 *
 *   add-op NAME TYPE BEFORE INPUT... -> OUTPUT...
 *   set-op NODE TYPE           move-op NODE BEFORE
 *   set-inputs NODE INPUT...   set-outputs NODE OUTPUT...
 *   list-inputs, list-outputs, list-values  NAME TYPE DIMS ...
 *   add-graph NODE ATTRIBUTE NAME [list]
 *   add-function FILE NAME [DOMAIN]
 *   remove-function NAME       take FILE
 *
 * TYPE is an operator, "com.microsoft:Gelu" if it is of another domain than the
 * framework's own; BEFORE is a node, or - for the end of the graph.  An input
 * that is not given is "".  A control input of TensorFlow is ^NAME.  DIMS are
 * "2,N,?", "" for a scalar, "..." if the rank is unknown; TYPE of a value may
 * be sequence(float32) or optional(float32).  A new graph has no nodes; `in @N`
 * goes to it, where N counts on from the graphs of the model.
 */
#include <inttypes.h>

#include "base/number.h"
#include "engine/edit_action.h"
#include "ir/dialect_facts.h"

/* ---- nodes -------------------------------------------------------------- */

static void split_type(const char *word, struct tn_bytes *type,
                       struct tn_bytes *domain)
{
    const char *colon = strrchr(word, ':');

    *type   = tn_text(colon ? colon + 1 : word);
    *domain = tn_bytes(word, colon ? (size_t)(colon - word) : 0);
}

static enum tn_status find_before(struct tn_edit *edit, const char *word,
                                  uint32_t *before, struct tn_error *error)
{
    *before = TN_NONE;
    return strcmp(word, "-") == 0 ? TN_OK
                                  : tn_edit_find_op(edit, word, before, error);
}

/* Names without the '^' of control inputs, which are the last ones. */
struct inputs {
    const char **names;
    uint32_t     count, control_count;
};

static enum tn_status read_inputs(struct tn_edit    *edit,
                                  const char *const *words, uint32_t count,
                                  struct inputs *inputs, struct tn_error *error)
{
    bool has_controls = edit->draft.dialect && edit->draft.dialect->producer_of;

    *inputs = (struct inputs){ 0 };
    inputs->names =
        tn_new(&edit->store->model.arena, const char *, count, error);
    if (!inputs->names)
        return error->status;
    inputs->count = count;
    for (uint32_t i = 0; i < count; i++) {
        bool is_control = has_controls && words[i][0] == '^';
        if (inputs->control_count && !is_control)
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "'%s' is behind a control input", words[i]);
        inputs->names[i] = words[i] + is_control;
        inputs->control_count += is_control;
    }
    return TN_OK;
}

enum tn_status tn_edit_act_add_op(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_error       *error)
{
    struct tn_bytes type, domain;
    struct inputs   inputs;
    uint32_t        before, arrow = 3;

    if (edit->graph == TN_NONE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a set of tensors has no nodes");
    TN_TRY(find_before(edit, words->items[2], &before, error));
    while (arrow < words->count && strcmp(words->items[arrow], "->") != 0)
        arrow++;
    TN_TRY(read_inputs(edit, words->items + 3, arrow - 3, &inputs, error));
    split_type(words->items[1], &type, &domain);
    domain = tn_bytes_dup(&edit->store->model.arena, domain, error);
    if (tn_failed(error))
        return error->status;
    struct tn_op_spec spec = {
        .name          = words->items[0],
        .type          = (const char *)type.data,
        .domain        = (const char *)domain.data,
        .inputs        = inputs.names,
        .input_count   = inputs.count,
        .control_count = inputs.control_count,
    };
    if (arrow < words->count) {
        spec.outputs      = words->items + arrow + 1;
        spec.output_count = words->count - arrow - 1;
    }
    return tn_edit_add_op(edit, edit->graph, before, &spec, NULL, error);
}

enum tn_status tn_edit_act_set_op(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_error       *error)
{
    struct tn_bytes type, domain;
    uint32_t        op;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    split_type(words->items[1], &type, &domain);
    return tn_draft_set_operator(&edit->draft, op, type, domain, error);
}

enum tn_status tn_edit_act_move_op(struct tn_edit        *edit,
                                   const struct tn_words *words,
                                   struct tn_error       *error)
{
    uint32_t op, before;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    TN_TRY(find_before(edit, words->items[1], &before, error));
    return tn_draft_move_op(&edit->draft, op, before, error);
}

enum tn_status tn_edit_act_set_inputs(struct tn_edit        *edit,
                                      const struct tn_words *words,
                                      struct tn_error       *error)
{
    struct inputs inputs;
    uint32_t      op;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    TN_TRY(
        read_inputs(edit, words->items + 1, words->count - 1, &inputs, error));
    return tn_draft_set_inputs(&edit->draft, op, inputs.names, inputs.count,
                               inputs.control_count, error);
}

enum tn_status tn_edit_act_set_outputs(struct tn_edit        *edit,
                                       const struct tn_words *words,
                                       struct tn_error       *error)
{
    uint32_t op;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    return tn_draft_set_outputs(&edit->draft, op, words->items + 1,
                                words->count - 1, error);
}

/* ---- inputs and outputs of the graph ------------------------------------ */

static enum tn_status read_dims(struct tn_edit *edit, const char *word,
                                struct tn_io *io, struct tn_error *error)
{
    struct tn_dim *dims;
    uint32_t       rank = word[0] ? 1 : 0;

    if (strcmp(word, "...") == 0)
        return TN_OK;
    io->has_rank = true;
    for (const char *at = word; *at; at++)
        rank += *at == ',';
    dims = tn_new(&edit->store->model.arena, struct tn_dim, rank, error);
    if (!dims)
        return error->status;
    for (uint32_t i = 0; i < rank; i++) {
        size_t          size = strcspn(word, ",");
        struct tn_bytes text = tn_bytes(word, size);
        dims[i].value        = -1;
        if (!tn_bytes_is(text, "?") && !tn_int64_parse(text, &dims[i].value)) {
            dims[i].value = -1;
            dims[i].symbol =
                tn_bytes_dup(&edit->store->model.arena, text, error);
        }
        word += size + (word[size] == ',');
    }
    io->rank = rank;
    io->dims = dims;
    return error->status;
}

/* The current entry of that name, so that properties in the file besides type
 * and shape stay. */
static const struct tn_io *io_named(struct tn_io_list list, const char *name)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (tn_bytes_is(list.items[i].name, name))
            return &list.items[i];
    return NULL;
}

/* "float32", "?" or "sequence(float32)". */
static enum tn_status read_type(const char *word, struct tn_io *io,
                                struct tn_error *error)
{
    static const char *const notes[] = { "sequence", "optional" };
    char                     inner[32];
    size_t                   size = strlen(word);

    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        size_t begin = strlen(notes[i]);
        if (strncmp(word, notes[i], begin) != 0 || word[begin] != '(' ||
            word[size - 1] != ')' || size - begin - 2 >= sizeof inner)
            continue;
        memcpy(inner, word + begin + 1, size - begin - 2);
        inner[size - begin - 2] = '\0';
        io->note                = notes[i];
        word                    = inner;
        break;
    }
    io->dtype = tn_dtype_find(word);
    if (io->dtype == TN_UNDEFINED && strcmp(word, "?") != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a type of elements", word);
    return TN_OK;
}

enum tn_status tn_edit_read_io(struct tn_edit *edit, struct tn_io_list now,
                               const char *const *words, struct tn_io *io,
                               struct tn_error *error)
{
    const struct tn_io *old = io_named(now, words[0]);

    *io = (struct tn_io){ .note = "" };
    if (strcmp(words[1], "as-it-is") == 0 && old) {
        *io            = *old;
        io->is_guessed = false; /* the file names it from now on */
        return TN_OK;
    }
    if (old)
        io->key = old->key;
    io->name = tn_text(words[0]);
    TN_TRY(read_type(words[1], io, error));
    return read_dims(edit, words[2], io, error);
}

static enum tn_status read_ios(struct tn_edit *edit, struct tn_io_list now,
                               const struct tn_words *words,
                               struct tn_io_list *made, struct tn_error *error)
{
    if (edit->graph == TN_NONE || words->count % 3 != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            edit->graph == TN_NONE
                                ? "a set of tensors has no inputs and outputs"
                                : "for each its name, type and dimensions");
    struct tn_io *items = tn_new(&edit->store->model.arena, struct tn_io,
                                 words->count / 3 + 1, error);
    if (!items)
        return error->status;
    for (uint32_t i = 0; i < words->count / 3; i++)
        TN_TRY(tn_edit_read_io(edit, now, words->items + 3 * (size_t)i,
                               &items[i], error));
    *made = (struct tn_io_list){ words->count / 3, items };
    return TN_OK;
}

static enum tn_status list_io(struct tn_edit *edit, bool is_input,
                              const struct tn_words *words,
                              struct tn_error       *error)
{
    struct tn_io_list lists[2] = { { 0, NULL }, { 0, NULL } }, made;

    if (edit->graph != TN_NONE) {
        const struct tn_draft_graph *g =
            tn_draft_graph_at(&edit->draft, edit->graph);
        lists[0] = g->inputs;
        lists[1] = g->outputs;
    }
    TN_TRY(read_ios(edit, lists[!is_input], words, &made, error));
    lists[!is_input] = made;
    return tn_draft_list_io(&edit->draft, edit->graph, lists[0], lists[1],
                            error);
}

enum tn_status tn_edit_act_list_inputs(struct tn_edit        *edit,
                                       const struct tn_words *words,
                                       struct tn_error       *error)
{
    return list_io(edit, true, words, error);
}

enum tn_status tn_edit_act_list_outputs(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error)
{
    return list_io(edit, false, words, error);
}

enum tn_status tn_edit_act_list_values(struct tn_edit        *edit,
                                       const struct tn_words *words,
                                       struct tn_error       *error)
{
    struct tn_io_list made;

    TN_TRY(read_ios(edit, (struct tn_io_list){ 0, NULL }, words, &made, error));
    bool is_whole = tn_dialect_facts(edit->draft.dialect->name)->lists_io;
    return tn_draft_set_values(&edit->draft, edit->graph, made, is_whole,
                               error);
}

/* ---- graphs, functions, and whole models --------------------------------- */

enum tn_status tn_edit_act_add_graph(struct tn_edit        *edit,
                                     const struct tn_words *words,
                                     struct tn_error       *error)
{
    bool     in_list = words->count == 4;
    uint32_t op;

    if (in_list && strcmp(words->items[3], "list") != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "'%s' is not 'list'",
                            words->items[3]);
    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    return tn_draft_add_graph(&edit->draft, op, words->items[1],
                              words->items[2], in_list, NULL, error);
}

/* A function has more than nodes (attributes, opsets of its own), so it is
 * copied from a file. */
enum tn_status tn_edit_act_add_function(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error)
{
    const char            *name   = words->items[1];
    const char            *domain = words->count > 2 ? words->items[2] : NULL;
    const struct tn_model *model;

    TN_TRY(tn_edit_open_model(edit, words->items[0], true, &model, error));
    for (uint32_t i = 0; i < model->graphs.count; i++) {
        const struct tn_graph *g = tn_model_graph_at(model, i);
        if (g->kind == TN_GRAPH_FUNCTION &&
            tn_bytes_is(tn_model_name(model, g->name), name) &&
            (!domain || tn_bytes_is(tn_model_name(model, g->domain), domain)))
            return tn_edit_copy_function(edit, model, i, NULL, NULL, error);
    }
    tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no function '%s'", name);
    tn_error_file(error, words->items[0]);
    return error->status;
}

enum tn_status tn_edit_act_remove_function(struct tn_edit        *edit,
                                           const struct tn_words *words,
                                           struct tn_error       *error)
{
    uint32_t graph;

    TN_TRY(tn_edit_find_graph(edit, words->items[0], &graph, error));
    return tn_edit_remove_function(edit, graph, error);
}

/* For everything that no other action can express: takes another model. */
enum tn_status tn_edit_act_take(struct tn_edit        *edit,
                                const struct tn_words *words,
                                struct tn_error       *error)
{
    const char       *path    = tn_edit_path(edit, words->items[0], error);
    struct tn_options options = edit->options;
    struct tn_model  *model   = NULL;

    options.wants_graph = true;
    if (!path)
        return error->status;
    if (tn_model_open(&model, path, &options, error) != TN_OK) {
        if (!error->file[0])
            tn_error_file(error, path);
        return error->status;
    }
    tn_edit_restart(edit, model, error);
    tn_model_close(model);
    return error->status;
}
