/*
 * draft_rename.c - other names for the values and the ops of a draft
 *
 * Several values are renamed at once, so that two may exchange names.  A value
 * of a graph is also known in the graphs inside it, unless one of them has a
 * value of the same name.  Where ops do not name their outputs (TensorFlow), a
 * value has the name of its op, and "split:2" follows "split".
 *
 * The writer renames what the rows do not hold, by a list of the names that the
 * file has for values: see changes.h.
 */
#include <inttypes.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "ir/changes.h"
#include "ir/dialect_facts.h"
#include "ir/draft.h"

struct renaming {
    struct tn_draft       *draft;
    uint32_t               graph;
    const struct tn_bytes *to; /* new names, by the number of the old one     */
    uint32_t               count;
    struct tn_intern       names; /* the old ones, then new ones that are not
                                     also old                                 */
    struct tn_pairs  defined;     /* (graph, name)                          */
    struct tn_pairs  mentioned;
    struct tn_error *error;
};

/* ---- names -------------------------------------------------------------- */

/* The part of a value's name that is the name of its op. */
static struct tn_bytes base_of(const struct renaming *r, struct tn_bytes name)
{
    const struct tn_dialect *dialect = r->draft->dialect;
    uint32_t                 output;

    return dialect && dialect->producer_of ? dialect->producer_of(name, &output)
                                           : name;
}

static bool names_outputs(const struct tn_draft *draft)
{
    return !draft->dialect || draft->dialect->names_outputs;
}

/* Whether `graph` is the one whose names change, or inside it. */
static bool is_inside(const struct renaming *r, uint32_t graph)
{
    while (graph != TN_NONE && graph != r->graph)
        graph = tn_draft_graph_at(r->draft, graph)->parent;
    return graph == r->graph;
}

/* Whether a name that is used in `graph` means the value of r->graph. */
static bool reaches(const struct renaming *r, uint32_t graph, uint32_t name)
{
    while (graph != r->graph) {
        if (tn_pairs_find(&r->defined, graph, name) != UINT32_MAX)
            return false;
        graph = tn_draft_graph_at(r->draft, graph)->parent;
    }
    return true;
}

/* The new name of a value that is used in `graph`; false: as it is. */
static bool renamed(const struct renaming *r, uint32_t graph,
                    struct tn_bytes name, struct tn_bytes *to)
{
    struct tn_bytes base = base_of(r, name);
    uint32_t        id   = tn_intern_find(&r->names, base);

    if (id >= r->count || !reaches(r, graph, id))
        return false;
    if (base.size == name.size) {
        *to = r->to[id];
        return true;
    }
    char *text = tn_text_format(r->draft->arena, r->error, "%.*s%.*s",
                                TN_FMT(r->to[id]), (int)(name.size - base.size),
                                (const char *)name.data + base.size);
    *to        = text ? tn_text(text) : name;
    return text != NULL;
}

/* ---- the first pass: where names are used and defined ------------------- */

static void mention(struct renaming *r, uint32_t graph, struct tn_bytes name,
                    bool is_defined)
{
    uint32_t id = tn_intern_find(&r->names, base_of(r, name));

    if (id == TN_NO_NAME)
        return;
    tn_pairs_add(&r->mentioned, graph, id, 1, r->error);
    if (is_defined)
        tn_pairs_add(&r->defined, graph, id, 1, r->error);
}

static void mention_row(struct renaming *r, const struct tn_draft_op *op)
{
    const struct tn_model *from = op->from;
    const struct tn_op    *row  = tn_model_op_at(from, op->row);

    if (!names_outputs(r->draft))
        mention(r, op->graph, tn_model_name(from, row->name), true);
    for (uint32_t i = 0; i < row->input_count; i++)
        mention(r, op->graph,
                tn_model_value_name(from, tn_op_input(from, op->row, i)),
                false);
    for (uint32_t i = 0; names_outputs(r->draft) && i < row->output_count; i++)
        mention(r, op->graph,
                tn_model_value_name(from, tn_op_output(from, op->row, i)),
                true);
}

static void mention_change(struct renaming *r, const struct tn_draft_op *op)
{
    const struct tn_draft_change *change = op->change;

    if (!names_outputs(r->draft))
        mention(r, op->graph, change->name, true);
    for (uint32_t i = 0; i < change->input_count; i++)
        mention(r, op->graph, change->inputs[i], false);
    for (uint32_t i = 0; names_outputs(r->draft) && i < change->output_count;
         i++)
        mention(r, op->graph, change->outputs[i], true);
}

static void mention_graph(struct renaming *r, uint32_t graph)
{
    const struct tn_draft_graph *g = tn_draft_graph_at(r->draft, graph);

    for (uint32_t i = 0; i < g->inputs.count; i++)
        mention(r, graph, g->inputs.items[i].name, true);
    for (uint32_t i = 0; i < g->outputs.count; i++)
        mention(r, graph, g->outputs.items[i].name, false);
    for (uint32_t op = g->first; op != TN_NONE && !tn_failed(r->error);
         op          = tn_draft_op_at(r->draft, op)->next) {
        const struct tn_draft_op *o = tn_draft_op_at(r->draft, op);
        if (o->is_removed)
            continue;
        if (o->change)
            mention_change(r, o);
        else
            mention_row(r, o);
    }
}

static void mention_tensors(struct renaming *r)
{
    for (uint64_t i = 0; i < r->draft->tensors.count; i++) {
        const struct tn_draft_tensor *tensor =
            tn_list_at(&r->draft->tensors, struct tn_draft_tensor, i);
        if (!tensor->is_removed && tensor->row.node == TN_NONE &&
            (tensor->row.graph == r->graph ||
             (tensor->row.graph != TN_NONE && r->graph != TN_NONE &&
              is_inside(r, tensor->row.graph))))
            mention(r, tensor->row.graph, tensor->name, true);
    }
}

static void mention_all(struct renaming *r)
{
    for (uint32_t i = 0; r->graph != TN_NONE && i < r->draft->graphs.count; i++)
        if (!tn_draft_graph_at(r->draft, i)->is_removed && is_inside(r, i))
            mention_graph(r, i);
    mention_tensors(r);
}

/* ---- what must hold ----------------------------------------------------- */

static enum tn_status list_names(struct renaming *r, const struct tn_bytes *old)
{
    for (uint32_t i = 0; i < r->count && !tn_failed(r->error); i++)
        if (tn_intern_borrow(&r->names, old[i], r->error) != i)
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "'%.*s' is renamed twice", TN_FMT(old[i]));
    for (uint32_t i = 0; i < r->count && !tn_failed(r->error); i++) {
        uint32_t known = tn_intern_count(&r->names);
        uint32_t id    = tn_intern_borrow(&r->names, r->to[i], r->error);
        if (r->to[i].size == 0)
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "the new name of '%.*s' is empty",
                                TN_FMT(old[i]));
        if (!names_outputs(r->draft) &&
            base_of(r, r->to[i]).size != r->to[i].size)
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "'%.*s' cannot be the name of a node: it "
                                "contains a colon",
                                TN_FMT(r->to[i]));
        if (id >= r->count && id < known)
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "two values would be called '%.*s'",
                                TN_FMT(r->to[i]));
    }
    return r->error->status;
}

/* Two old names may not get the same new name, even if that is itself an old
 * name. */
static enum tn_status check_targets(struct renaming *r)
{
    struct tn_pairs taken;
    uint32_t        twice = TN_NONE;

    tn_pairs_init(&taken, r->draft->memory);
    for (uint32_t i = 0; i < r->count && !tn_failed(r->error); i++) {
        uint32_t id = tn_intern_find(&r->names, r->to[i]);
        if (tn_pairs_add(&taken, 0, id, i, r->error) != i)
            twice = i;
    }
    tn_pairs_done(&taken);
    if (twice != TN_NONE && !tn_failed(r->error))
        tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                     "two values would be called '%.*s'", TN_FMT(r->to[twice]));
    return r->error->status;
}

/* A new name may not be that of another value, and a graph inside that uses the
 * value may have no value of that name of its own. */
static enum tn_status check_taken(struct renaming *r, uint32_t graph)
{
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t id = tn_intern_find(&r->names, r->to[i]);
        /* An old name is free if it is renamed, too. */
        bool is_used = id >= r->count && reaches(r, graph, id) &&
                       tn_pairs_find(&r->mentioned, graph, id) != UINT32_MAX;
        bool is_hidden = tn_pairs_find(&r->mentioned, graph, i) != UINT32_MAX &&
                         reaches(r, graph, i) && !reaches(r, graph, id);
        if (is_used || is_hidden)
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "there is a value '%.*s' already",
                                TN_FMT(r->to[i]));
    }
    return TN_OK;
}

static enum tn_status check_names(struct renaming *r)
{
    uint32_t all = tn_intern_count(&r->names);

    for (uint32_t i = 0; i < r->count; i++)
        if (tn_pairs_find(&r->defined, r->graph, i) == UINT32_MAX)
            return tn_error_set(r->error, TN_NOT_FOUND, TN_NOWHERE,
                                "no %s '%.*s'",
                                r->graph == TN_NONE ? "tensor" : "value",
                                TN_FMT(tn_intern_text(&r->names, i)));
    for (uint32_t graph = 0; graph < r->draft->graphs.count; graph++)
        if (r->graph != TN_NONE && is_inside(r, graph))
            TN_TRY(check_taken(r, graph));
    for (uint32_t i = r->count; i < all; i++)
        if (tn_pairs_find(&r->defined, r->graph, i) != UINT32_MAX)
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "there is a tensor '%.*s' already",
                                TN_FMT(tn_intern_text(&r->names, i)));
    return TN_OK;
}

/* ---- the second pass: new names ----------------------------------------- */

static bool is_concerned(const struct renaming *r, const struct tn_draft_op *op)
{
    const struct tn_draft_change *change = op->change;
    struct tn_bytes               to;

    if (!names_outputs(r->draft) &&
        renamed(r, op->graph,
                change ? change->name
                       : tn_model_name(op->from,
                                       tn_model_op_at(op->from, op->row)->name),
                &to))
        return true;
    uint32_t inputs  = change ? change->input_count
                              : tn_model_op_at(op->from, op->row)->input_count;
    uint32_t outputs = change ? change->output_count
                              : tn_model_op_at(op->from, op->row)->output_count;
    for (uint32_t i = 0; i < inputs; i++)
        if (renamed(r, op->graph,
                    change ? change->inputs[i]
                           : tn_model_value_name(
                                 op->from, tn_op_input(op->from, op->row, i)),
                    &to))
            return true;
    for (uint32_t i = 0; names_outputs(r->draft) && i < outputs; i++)
        if (renamed(r, op->graph,
                    change ? change->outputs[i]
                           : tn_model_value_name(
                                 op->from, tn_op_output(op->from, op->row, i)),
                    &to))
            return true;
    return false;
}

static void rename_op(struct renaming *r, uint32_t op)
{
    uint32_t graph = tn_draft_op_at(r->draft, op)->graph;

    if (!is_concerned(r, tn_draft_op_at(r->draft, op)))
        return;
    struct tn_draft_change *change = tn_draft_touch_op(r->draft, op, r->error);
    if (!change)
        return;
    if (!names_outputs(r->draft))
        renamed(r, graph, change->name, &change->name);
    for (uint32_t i = 0; i < change->input_count; i++)
        renamed(r, graph, change->inputs[i], &change->inputs[i]);
    for (uint32_t i = 0; i < change->output_count; i++)
        renamed(r, graph, change->outputs[i], &change->outputs[i]);
}

/* Committed models share the old lists. */
static void rename_list(struct renaming *r, uint32_t graph,
                        struct tn_io_list *list, bool *has_changed)
{
    struct tn_io   *fresh = NULL;
    struct tn_bytes to;

    for (uint32_t i = 0; i < list->count && !tn_failed(r->error); i++) {
        if (!renamed(r, graph, list->items[i].name, &to))
            continue;
        if (!fresh) {
            fresh =
                tn_new(r->draft->arena, struct tn_io, list->count, r->error);
            if (!fresh)
                return;
            memcpy(fresh, list->items, list->count * sizeof *fresh);
        }
        if (fresh[i].key.size == 0)
            fresh[i].key = fresh[i].name;
        fresh[i].name = to;
    }
    if (!fresh)
        return;
    list->items  = fresh;
    *has_changed = true;
}

static enum tn_status rename_graph(struct renaming *r, uint32_t graph)
{
    struct tn_draft_graph *g           = tn_draft_graph_at(r->draft, graph);
    bool                   has_changed = false, other_values = false;

    rename_list(r, graph, &g->inputs, &has_changed);
    rename_list(r, graph, &g->outputs, &has_changed);
    rename_list(r, graph, &g->values, &other_values);
    g->has_other_io |= has_changed;
    if (has_changed || other_values)
        TN_TRY(tn_draft_touch_graph(r->draft, graph, r->error));
    for (uint32_t op = tn_draft_graph_at(r->draft, graph)->first;
         op != TN_NONE && !tn_failed(r->error);
         op = tn_draft_op_at(r->draft, op)->next)
        if (!tn_draft_op_at(r->draft, op)->is_removed)
            rename_op(r, op);
    return r->error->status;
}

static void rename_tensors(struct renaming *r)
{
    struct tn_bytes to;

    for (uint64_t i = 0; i < r->draft->tensors.count && !tn_failed(r->error);
         i++) {
        struct tn_draft_tensor *tensor =
            tn_list_at(&r->draft->tensors, struct tn_draft_tensor, i);
        if (tensor->is_removed || tensor->row.node != TN_NONE ||
            tensor->row.graph != r->graph ||
            !renamed(r, r->graph, tensor->name, &to))
            continue;
        tensor->name       = to;
        tensor->is_renamed = true;
        if (r->graph != TN_NONE)
            tn_draft_touch_graph(r->draft, r->graph, r->error);
    }
}

static void rename_losses(struct renaming *r)
{
    struct tn_draft *draft = r->draft;
    struct tn_bytes *fresh =
        tn_new(draft->arena, struct tn_bytes, draft->loss_count, r->error);

    if (r->graph != 0 || !fresh)
        return;
    for (uint32_t i = 0; i < draft->loss_count; i++) {
        fresh[i] = draft->losses[i];
        renamed(r, 0, draft->losses[i], &fresh[i]);
    }
    draft->losses = fresh;
}

/* ---- for the writer ----------------------------------------------------- */

/* Values whose names differ from those in the file: rows of draft->renames by
 * their name now. */
struct renamed_now {
    struct tn_intern names;
    struct tn_list   rows; /* uint64_t by name                                */
};

static void list_now(struct renaming *r, struct renamed_now *now)
{
    struct tn_list *renames = &r->draft->renames;

    tn_intern_init(&now->names, r->draft->arena);
    tn_list_init(&now->rows, r->draft->memory, sizeof(uint64_t));
    for (uint64_t i = 0; i < renames->count && !tn_failed(r->error); i++) {
        const struct tn_draft_rename *row =
            tn_list_at(renames, struct tn_draft_rename, i);
        if (row->graph != r->graph ||
            tn_intern_borrow(&now->names, row->now, r->error) !=
                now->rows.count)
            continue;
        uint64_t *slot = tn_list_push(&now->rows, uint64_t, r->error);
        if (slot)
            *slot = i;
    }
}

/* All are looked up before the first one changes, because two may exchange
 * names. */
static void note_renames(struct renaming *r, const struct tn_bytes *old)
{
    struct tn_list    *renames = &r->draft->renames;
    struct renamed_now now;

    list_now(r, &now);
    for (uint32_t i = 0; i < r->count && !tn_failed(r->error); i++) {
        uint32_t                id = tn_intern_find(&now.names, old[i]);
        struct tn_draft_rename *row =
            id == TN_NO_NAME
                ? tn_list_push(renames, struct tn_draft_rename, r->error)
                : tn_list_at(renames, struct tn_draft_rename,
                             *tn_list_at(&now.rows, uint64_t, id));
        if (row && id == TN_NO_NAME)
            *row =
                (struct tn_draft_rename){ r->graph, old[i], old[i], r->to[i] };
        else if (row)
            row->now = r->to[i];
    }
    tn_list_done(&now.rows);
    tn_intern_done(&now.names);
}

/* ---- from the top ------------------------------------------------------- */

static enum tn_status run(struct renaming *r, const struct tn_bytes *old)
{
    TN_TRY(list_names(r, old));
    TN_TRY(check_targets(r));
    mention_all(r);
    if (tn_failed(r->error))
        return r->error->status;
    TN_TRY(check_names(r));
    for (uint32_t i = 0; r->graph != TN_NONE && i < r->draft->graphs.count; i++)
        if (!tn_draft_graph_at(r->draft, i)->is_removed && is_inside(r, i))
            TN_TRY(rename_graph(r, i));
    rename_tensors(r);
    rename_losses(r);
    note_renames(r, old);
    return r->error->status;
}

enum tn_status tn_draft_rename_values(struct tn_draft *draft, uint32_t graph,
                                      const struct tn_bytes *old,
                                      const struct tn_bytes *to, uint32_t count,
                                      struct tn_error *error)
{
    struct tn_bytes *kept_old =
        tn_new(draft->arena, struct tn_bytes, count, error);
    struct tn_bytes *kept_new =
        tn_new(draft->arena, struct tn_bytes, count, error);
    struct renaming r = { .draft = draft,
                          .graph = graph,
                          .to    = kept_new,
                          .count = count,
                          .error = error };

    for (uint32_t i = 0; kept_old && kept_new && i < count; i++) {
        kept_old[i] = tn_bytes_dup(draft->arena, old[i], error);
        kept_new[i] = tn_bytes_dup(draft->arena, to[i], error);
    }
    if (tn_failed(error))
        return error->status;
    tn_intern_init(&r.names, draft->arena);
    tn_pairs_init(&r.defined, draft->memory);
    tn_pairs_init(&r.mentioned, draft->memory);
    run(&r, kept_old);
    tn_pairs_done(&r.mentioned);
    tn_pairs_done(&r.defined);
    tn_intern_done(&r.names);
    return error->status;
}

enum tn_status tn_draft_rename_op(struct tn_draft *draft, uint32_t op,
                                  struct tn_bytes name, struct tn_error *error)
{
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);

    if (!change)
        return error->status;
    if (names_outputs(draft)) {
        change->name = tn_bytes_dup(draft->arena, name, error);
        return error->status;
    }
    struct tn_bytes old = change->name;
    return tn_draft_rename_values(draft, tn_draft_op_at(draft, op)->graph, &old,
                                  &name, 1, error);
}

/* ---- the list in the committed model ------------------------------------ */

static int by_graph_and_name(const void *left, const void *right, void *context)
{
    const struct tn_rename *a = left, *b = right;

    (void)context;
    if (a->graph != b->graph)
        return a->graph < b->graph ? -1 : 1;
    return tn_bytes_compare(a->old, b->old);
}

enum tn_status tn_draft_list_changes(const struct tn_draft *draft,
                                     struct tn_model       *model,
                                     struct tn_error       *error)
{
    struct tn_changes *changes =
        tn_new(&model->arena, struct tn_changes, 1, error);
    struct tn_rename *rows =
        tn_new(&model->arena, struct tn_rename, draft->renames.count, error);
    uint32_t count = 0;

    if (!changes || !rows)
        return error->status;
    for (uint64_t i = 0; i < draft->renames.count; i++) {
        const struct tn_draft_rename *row =
            tn_list_at(&draft->renames, struct tn_draft_rename, i);
        uint32_t graph = row->graph == TN_NONE
                             ? TN_NONE
                             : tn_draft_graph_at(draft, row->graph)->placed;
        if (tn_bytes_equal(row->old, row->now) ||
            (row->graph != TN_NONE && graph == TN_NONE))
            continue;
        rows[count++] = (struct tn_rename){ graph, row->old, row->now };
    }
    if (count)
        tn_sort_items(rows, count, sizeof *rows, by_graph_and_name, NULL);
    *changes =
        (struct tn_changes){ .renames      = rows,
                             .rename_count = count,
                             .texts        = draft->texts.items,
                             .text_count   = (uint32_t)draft->texts.count };
    if (draft->texts.count)
        changes->texts = tn_list_keep(&draft->texts, struct tn_text_change,
                                      &model->arena, error);
    if (count || changes->text_count)
        model->changes = changes;
    return error->status;
}

struct tn_bytes tn_changes_name(const struct tn_changes *changes,
                                uint32_t graph, struct tn_bytes name)
{
    const struct tn_rename wanted = { graph, name, { NULL, 0 } };
    const uint32_t         count  = changes ? changes->rename_count : 0;
    uint64_t               at;

    TN_BISECT(at, 0, count,
              by_graph_and_name(&changes->renames[at], &wanted, NULL) < 0);
    return at < count &&
                   !by_graph_and_name(&changes->renames[at], &wanted, NULL)
               ? changes->renames[at].now
               : name;
}

const struct tn_text_change *tn_changes_text(const struct tn_changes *changes,
                                             enum tn_text_kind        kind,
                                             struct tn_bytes          key)
{
    for (uint32_t i = 0; changes && i < changes->text_count; i++)
        if (changes->texts[i].kind == kind &&
            tn_bytes_equal(changes->texts[i].key, key))
            return &changes->texts[i];
    return NULL;
}

void tn_changes_miss(const struct tn_text_change *text, struct tn_error *error)
{
    if (!text->may_miss)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "the metadata has no key '%.*s'", TN_FMT(text->key));
}

/* ---- one value in place of another -------------------------------------- */

static enum tn_status check_redirection(struct renaming *r)
{
    const struct tn_draft_graph *g   = tn_draft_graph_at(r->draft, r->graph);
    struct tn_bytes              old = tn_intern_text(&r->names, 0);

    for (uint32_t i = 0; i < g->inputs.count + g->outputs.count; i++) {
        bool                is_input = i < g->inputs.count;
        const struct tn_io *io       = is_input
                                           ? &g->inputs.items[i]
                                           : &g->outputs.items[i - g->inputs.count];
        if (tn_bytes_equal(base_of(r, io->name), old))
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "'%.*s' is an %s of the graph", TN_FMT(old),
                                is_input ? "input" : "output");
    }
    for (uint32_t graph = 0; graph < r->draft->graphs.count; graph++)
        if (graph != r->graph && is_inside(r, graph) &&
            tn_pairs_find(&r->defined, graph, 1) != UINT32_MAX &&
            tn_pairs_find(&r->mentioned, graph, 0) != UINT32_MAX)
            return tn_error_set(r->error, TN_INVALID, TN_NOWHERE,
                                "a graph inside uses '%.*s' and has a '%.*s' "
                                "of its own",
                                TN_FMT(old), TN_FMT(r->to[0]));
    return TN_OK;
}

static enum tn_status redirect(struct renaming *r)
{
    mention_all(r);
    if (tn_failed(r->error))
        return r->error->status;
    TN_TRY(check_redirection(r));
    for (uint32_t i = 0; i < r->draft->graphs.count; i++) {
        if (tn_draft_graph_at(r->draft, i)->is_removed || !is_inside(r, i))
            continue;
        for (uint32_t op = tn_draft_graph_at(r->draft, i)->first;
             op != TN_NONE && !tn_failed(r->error);
             op = tn_draft_op_at(r->draft, op)->next)
            if (!tn_draft_op_at(r->draft, op)->is_removed)
                rename_op(r, op);
    }
    return r->error->status;
}

enum tn_status tn_draft_redirect(struct tn_draft *draft, uint32_t graph,
                                 struct tn_bytes old, struct tn_bytes to,
                                 struct tn_error *error)
{
    struct tn_bytes kept_old = tn_bytes_dup(draft->arena, old, error);
    struct tn_bytes kept_new = tn_bytes_dup(draft->arena, to, error);
    struct renaming r        = { .draft = draft,
                                 .graph = graph,
                                 .to    = &kept_new,
                                 .count = 1,
                                 .error = error };

    if (tn_failed(error))
        return error->status;
    tn_intern_init(&r.names, draft->arena);
    tn_pairs_init(&r.defined, draft->memory);
    tn_pairs_init(&r.mentioned, draft->memory);
    tn_intern_borrow(&r.names, kept_old, error);
    tn_intern_borrow(&r.names, kept_new, error);
    redirect(&r);
    tn_pairs_done(&r.mentioned);
    tn_pairs_done(&r.defined);
    tn_intern_done(&r.names);
    return error->status;
}
