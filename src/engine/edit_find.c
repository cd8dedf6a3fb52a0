/*
 * edit_find.c - the ops that words name
 *
 * Names are indexed at the first lookup, and ops that were added since then at
 * the next one.  If the index leads to an op that was renamed or removed
 * meanwhile, all ops are searched.
 */
#include <inttypes.h>

#include "base/number.h"
#include "engine/edit_action.h"

void tn_edit_index_init(struct tn_edit *edit)
{
    tn_intern_init(&edit->index.names, &edit->store->model.arena);
    tn_pairs_init(&edit->index.ops, &edit->store->memory);
    tn_pairs_init(&edit->index.several, &edit->store->memory);
    tn_pairs_init(&edit->index.outputs, &edit->store->memory);
    tn_pairs_init(&edit->index.tensors, &edit->store->memory);
    edit->index.count        = 0;
    edit->index.tensor_count = 0;
}

void tn_edit_index_done(struct tn_edit *edit)
{
    tn_pairs_done(&edit->index.tensors);
    tn_pairs_done(&edit->index.outputs);
    tn_pairs_done(&edit->index.several);
    tn_pairs_done(&edit->index.ops);
    tn_intern_done(&edit->index.names);
}

void tn_edit_index_forget(struct tn_edit *edit)
{
    tn_edit_index_done(edit);
    tn_edit_index_init(edit);
}

struct tn_bytes tn_edit_op_name(const struct tn_edit *edit, uint32_t op)
{
    const struct tn_draft_op *o = tn_draft_op_at(&edit->draft, op);

    return o->change
               ? o->change->name
               : tn_model_name(o->from, tn_model_op_at(o->from, o->row)->name);
}

static uint32_t output_count(const struct tn_draft_op *op)
{
    return op->change ? op->change->output_count
                      : tn_model_op_at(op->from, op->row)->output_count;
}

struct tn_bytes tn_edit_op_output(const struct tn_edit *edit, uint32_t op,
                                  uint32_t index)
{
    const struct tn_draft_op *o = tn_draft_op_at(&edit->draft, op);

    if (!edit->draft.dialect->names_outputs)
        return index == 0 ? tn_edit_op_name(edit, op) : tn_bytes(NULL, 0);
    if (index >= output_count(o))
        return tn_bytes(NULL, 0);
    return o->change ? o->change->outputs[index]
                     : tn_model_value_name(
                           o->from, tn_op_output(o->from, o->row, index));
}

static void index_output(struct tn_edit *edit, uint32_t graph,
                         struct tn_bytes name, uint32_t op,
                         struct tn_error *error)
{
    uint32_t id = name.size ? tn_intern_copy(&edit->index.names, name, error)
                            : TN_NO_NAME;

    if (id != TN_NO_NAME)
        tn_pairs_add(&edit->index.outputs, graph, id, op, error);
}

void tn_edit_index_op(struct tn_edit *edit, uint32_t op, struct tn_error *error)
{
    const struct tn_draft_op *o    = tn_draft_op_at(&edit->draft, op);
    struct tn_bytes           name = tn_edit_op_name(edit, op);

    if (o->is_removed)
        return;
    for (uint32_t i = 0; i < output_count(o); i++)
        index_output(edit, o->graph, tn_edit_op_output(edit, op, i), op, error);
    if (name.size == 0)
        return;
    uint32_t id = tn_intern_copy(&edit->index.names, name, error);
    if (id == TN_NO_NAME)
        return;
    if (tn_pairs_add(&edit->index.ops, o->graph, id, op, error) != op)
        tn_pairs_add(&edit->index.several, o->graph, id, 1, error);
}

static enum tn_status index_all(struct tn_edit *edit, struct tn_error *error)
{
    while (edit->index.count < edit->draft.ops.count && !tn_failed(error))
        tn_edit_index_op(edit, edit->index.count++, error);
    return error->status;
}

static bool is_it(const struct tn_edit *edit, uint32_t op, const char *name)
{
    const struct tn_draft_op *o = tn_draft_op_at(&edit->draft, op);

    return !o->is_removed && o->graph == edit->graph &&
           tn_bytes_is(tn_edit_op_name(edit, op), name);
}

/* Searches all ops, if the index is out of date. */
static enum tn_status scan(struct tn_edit *edit, const char *name, uint32_t *op,
                           struct tn_error *error)
{
    for (uint32_t i = 0; i < edit->draft.ops.count; i++) {
        if (!is_it(edit, i, name))
            continue;
        if (*op != TN_NONE)
            return tn_error_set(
                error, TN_INVALID, TN_NOWHERE,
                "several nodes are called '%s': give the path of one of them, "
                "such as graph.node[3]",
                name);
        *op = i;
    }
    return TN_OK;
}

static enum tn_status find_named(struct tn_edit *edit, const char *name,
                                 uint32_t *op, struct tn_error *error)
{
    TN_TRY(index_all(edit, error));
    uint32_t id = tn_intern_find(&edit->index.names, tn_text(name));
    if (id == TN_NO_NAME)
        return TN_OK;
    uint32_t known = tn_pairs_find(&edit->index.ops, edit->graph, id);
    if (known == UINT32_MAX)
        return TN_OK;
    if (!is_it(edit, known, name) ||
        tn_pairs_find(&edit->index.several, edit->graph, id) != UINT32_MAX)
        return scan(edit, name, op, error);
    *op = known;
    return TN_OK;
}

/* "@12", or "graph.node[3]" of the model that the edit began with. */
static uint32_t find_placed(const struct tn_edit *edit, const char *word)
{
    const struct tn_model *base = edit->draft.base;
    const char            *mark = strrchr(word, '[');
    int64_t                number;
    char                   path[512];

    if (word[0] == '@')
        return tn_int64_parse(tn_text(word + 1), &number) && number >= 0 &&
                       number < (int64_t)edit->draft.ops.count
                   ? (uint32_t)number
                   : TN_NONE;
    size_t size = strlen(word);
    if (!base || !mark || word[size - 1] != ']' ||
        !tn_int64_parse(tn_bytes((const uint8_t *)mark + 1,
                                 (size_t)(word + size - 2 - mark)),
                        &number))
        return TN_NONE;
    for (uint32_t i = 0; i < base->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(base, i);
        if (number < 0 || (uint64_t)number >= graph->op_count)
            continue;
        tn_model_path_of(base, i, (uint32_t)number, path, sizeof path);
        if (strcmp(path, word) == 0)
            return graph->first_op + (uint32_t)number;
    }
    return TN_NONE;
}

/* The name of a graph for --in: that of a function, or a path. */
static struct tn_bytes word_of(const struct tn_draft_graph *graph)
{
    if (graph->kind == TN_GRAPH_FUNCTION)
        return graph->name;
    return graph->from ? tn_text(tn_model_graph_at(graph->from, graph->row)->path)
                       : tn_bytes(NULL, 0);
}

/* Names in functions and subgraphs are local: the error tells where a node of
 * that name is. */
static enum tn_status not_found(struct tn_edit *edit, const char *word,
                                struct tn_error *error)
{
    uint32_t id = tn_intern_find(&edit->index.names, tn_text(word));

    for (uint32_t i = 0; id != TN_NO_NAME && i < edit->draft.graphs.count; i++) {
        struct tn_bytes graph = word_of(tn_draft_graph_at(&edit->draft, i));
        if (i != edit->graph && graph.size &&
            tn_pairs_find(&edit->index.ops, i, id) != UINT32_MAX)
            return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                "no node '%s' here; the graph '%.*s' has one: "
                                "give --in '%.*s' first",
                                word, TN_FMT(graph), TN_FMT(graph));
    }
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no node '%s'", word);
}

enum tn_status tn_edit_find_op(struct tn_edit *edit, const char *word,
                               uint32_t *op, struct tn_error *error)
{
    /* Patches name nodes by number: "@7" is node 7 even if another node is
     * called "@7". */
    *op = word[0] == '@' ? find_placed(edit, word) : TN_NONE;
    if (*op == TN_NONE)
        TN_TRY(find_named(edit, word, op, error));
    if (*op == TN_NONE)
        *op = find_placed(edit, word);
    if (*op != TN_NONE && !tn_draft_op_at(&edit->draft, *op)->is_removed)
        return TN_OK;
    return not_found(edit, word, error);
}

/* ---- values and tensors ------------------------------------------------- */

uint32_t tn_edit_find_producer(struct tn_edit *edit, const char *name,
                               uint32_t *output, struct tn_error *error)
{
    if (edit->graph == TN_NONE || index_all(edit, error) != TN_OK)
        return TN_NONE;
    uint32_t id = tn_intern_find(&edit->index.names, tn_text(name));
    uint32_t op = id == TN_NO_NAME
                      ? UINT32_MAX
                      : tn_pairs_find(&edit->index.outputs, edit->graph, id);
    if (op == UINT32_MAX || tn_draft_op_at(&edit->draft, op)->is_removed)
        return TN_NONE;
    for (*output = 0; *output < output_count(tn_draft_op_at(&edit->draft, op));
         ++*output)
        if (tn_bytes_is(tn_edit_op_output(edit, op, *output), name))
            return op;
    *output = 0;
    return tn_bytes_is(tn_edit_op_output(edit, op, 0), name) ? op : TN_NONE;
}

static void index_tensors(struct tn_edit *edit, struct tn_error *error)
{
    struct tn_edit_index *index = &edit->index;

    for (; index->tensor_count < edit->draft.tensors.count && !tn_failed(error);
         index->tensor_count++) {
        const struct tn_draft_tensor *t = tn_list_at(
            &edit->draft.tensors, struct tn_draft_tensor, index->tensor_count);
        if (t->is_removed || t->row.node != TN_NONE ||
            index->tensor_count >= UINT32_MAX)
            continue;
        uint32_t id = tn_intern_copy(&index->names, t->name, error);
        if (id != TN_NO_NAME)
            tn_pairs_add(&index->tensors, t->row.graph, id,
                         (uint32_t)index->tensor_count, error);
    }
}

struct tn_draft_tensor *tn_edit_find_tensor(struct tn_edit *edit,
                                            uint32_t graph, const char *name,
                                            struct tn_error *error)
{
    index_tensors(edit, error);
    uint32_t id  = tn_intern_find(&edit->index.names, tn_text(name));
    uint32_t row = id == TN_NO_NAME
                       ? UINT32_MAX
                       : tn_pairs_find(&edit->index.tensors, graph, id);
    if (row == UINT32_MAX)
        return NULL;
    struct tn_draft_tensor *t =
        tn_list_at(&edit->draft.tensors, struct tn_draft_tensor, row);
    if (!t->is_removed && tn_bytes_is(t->name, name))
        return t;
    /* That tensor is gone; another one of the name may have been added. */
    for (uint64_t i = 0; i < edit->draft.tensors.count; i++) {
        t = tn_list_at(&edit->draft.tensors, struct tn_draft_tensor, i);
        if (!t->is_removed && t->row.node == TN_NONE && t->row.graph == graph &&
            tn_bytes_is(t->name, name))
            return t;
    }
    return NULL;
}
