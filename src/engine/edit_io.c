/*
 * edit_io.c - actions on the outputs of a graph
 *
 *   add-output NAME ...    values that nodes compute become outputs, too
 *   drop-output NAME ...   outputs become ordinary values; their nodes stay
 *
 * An output has the type that inference finds.  ONNX and SameDiff have a list
 * of outputs; where they are ops, edit_cut.h makes and removes those.
 */
#include <inttypes.h>

#include "base/sized.h"
#include "engine/edit_action.h"
#include "engine/edit_cut.h"
#include "engine/edit_known.h"
#include "ir/dialect_facts.h"

static enum tn_status expect_outputs(const struct tn_edit *edit,
                                     struct tn_error      *error)
{
    if (edit->graph == TN_NONE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a set of tensors has no outputs");
    return TN_OK;
}

/* Whether outputs are ops of the graph. */
static bool are_ops(const struct tn_edit *edit)
{
    const struct tn_dialect *dialect = edit->draft.dialect;

    return dialect->producer_of ||
           tn_dialect_facts(dialect->name)->has_inputs_as_ops;
}

static enum tn_status change_ops(struct tn_edit        *edit,
                                 const struct tn_words *words, bool drops,
                                 struct tn_error *error)
{
    struct tn_bytes *names =
        tn_new(&edit->store->model.arena, struct tn_bytes, words->count, error);

    for (uint32_t i = 0; names && i < words->count; i++)
        names[i] = tn_text(words->items[i]);
    return names ? tn_draft_change_outputs(&edit->draft, names, words->count,
                                           drops, error)
                 : error->status;
}

static bool is_output(struct tn_io_list list, const char *name)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (tn_bytes_is(list.items[i].name, name))
            return true;
    return false;
}

/* An output that the file has to name from now on, as all others: those of a
 * list that was chosen are not guessed. */
static struct tn_io listed(struct tn_io io)
{
    io.is_guessed = false;
    return io;
}

/* ---- more --------------------------------------------------------------- */

static enum tn_status expect_value(struct tn_edit *edit, const char *name,
                                   struct tn_error *error)
{
    const struct tn_draft_graph *g =
        tn_draft_graph_at(&edit->draft, edit->graph);
    uint32_t output;

    if (is_output(g->outputs, name))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is an output already", name);
    if (are_ops(edit)) /* tn_draft_change_outputs() looks for it */
        return TN_OK;
    if (tn_edit_find_producer(edit, name, &output, error) != TN_NONE ||
        tn_edit_find_tensor(edit, edit->graph, name, error) ||
        is_output(g->inputs, name))
        return TN_OK;
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no value '%s'", name);
}

static enum tn_status add_outputs(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_known       *known,
                                  struct tn_error       *error)
{
    const struct tn_draft_graph *g =
        tn_draft_graph_at(&edit->draft, edit->graph);
    uint64_t      count = (uint64_t)g->outputs.count + words->count;
    struct tn_io *all   = tn_new(&known->arena, struct tn_io, count, error);

    if (!all)
        return error->status;
    for (uint32_t i = 0; i < g->outputs.count; i++)
        all[i] = listed(g->outputs.items[i]);
    for (uint32_t i = 0; i < words->count && !tn_failed(error); i++)
        all[g->outputs.count + i] =
            tn_known_io(known, tn_text(words->items[i]), &known->arena, error);
    if (tn_failed(error))
        return error->status;
    struct tn_io_list outputs = { (uint32_t)count, all };
    return tn_draft_list_io(&edit->draft, edit->graph, g->inputs, outputs,
                            error);
}

enum tn_status tn_edit_act_add_output(struct tn_edit        *edit,
                                      const struct tn_words *words,
                                      struct tn_error       *error)
{
    struct tn_known known;

    TN_TRY(expect_outputs(edit, error));
    if (edit->graph != 0)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "only the main graph can get other outputs: the "
                            "node around another one has as many as it needs");
    for (uint32_t i = 0; i < words->count; i++)
        TN_TRY(expect_value(edit, words->items[i], error));
    if (are_ops(edit))
        return change_ops(edit, words, false, error);
    if (tn_known_open(&known, &edit->store->memory, edit->draft.base, error) ==
            TN_OK &&
        tn_known_infer(&known) == TN_OK)
        add_outputs(edit, words, &known, error);
    tn_known_close(&known);
    return error->status;
}

/* ---- fewer -------------------------------------------------------------- */

static bool is_word(const struct tn_words *words, struct tn_bytes name)
{
    for (uint32_t i = 0; i < words->count; i++)
        if (tn_bytes_is(name, words->items[i]))
            return true;
    return false;
}

enum tn_status tn_edit_act_drop_output(struct tn_edit        *edit,
                                       const struct tn_words *words,
                                       struct tn_error       *error)
{
    TN_TRY(expect_outputs(edit, error));
    const struct tn_draft_graph *g =
        tn_draft_graph_at(&edit->draft, edit->graph);
    struct tn_io *left  = tn_new(&edit->store->model.arena, struct tn_io,
                                 g->outputs.count, error);
    uint32_t      count = 0;

    for (uint32_t i = 0; i < words->count; i++)
        if (!is_output(g->outputs, words->items[i]))
            return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                "no output '%s'", words->items[i]);
    for (uint32_t i = 0; left && i < g->outputs.count; i++)
        if (!is_word(words, g->outputs.items[i].name))
            left[count++] = listed(g->outputs.items[i]);
    if (tn_failed(error))
        return error->status;
    if (count == 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a graph needs an output");
    if (are_ops(edit))
        return change_ops(edit, words, true, error);
    return tn_draft_list_io(&edit->draft, edit->graph, g->inputs,
                            (struct tn_io_list){ count, left }, error);
}
