/*
 * edit_rename.c - actions that rename
 *
 *   rename OLD NEW ...        values of the current graph: inputs, outputs,
 *                             tensors, and what nodes compute
 *   rename-input, rename-output, rename-tensor   the same, of one kind alone
 *   rename-node NODE NEW
 *   rename-all 'OLD*' 'NEW*'  all whose names match: * stands for anything, and
 *                             the n-th * of the new name for what the n-th
 *                             matched
 *   rename-from FILE          lines OLD NEW
 */
#include <inttypes.h>

#include "base/given.h"
#include "base/sort.h"
#include "base/sized.h"
#include "engine/edit_action.h"
#include "engine/read_file.h"
#include "format/samediff/samediff.h"
#include "ir/dialect_facts.h"

/* ---- values ------------------------------------------------------------- */

/* Old and new names that are being collected. */
struct names {
    struct tn_list old, to; /* struct tn_bytes                                */
};

static void names_init(struct names *names, struct tn_memory *memory)
{
    tn_list_init(&names->old, memory, sizeof(struct tn_bytes));
    tn_list_init(&names->to, memory, sizeof(struct tn_bytes));
}

static void names_done(struct names *names)
{
    tn_list_done(&names->old);
    tn_list_done(&names->to);
}

static void add_pair(struct names *names, struct tn_bytes old,
                     struct tn_bytes to, struct tn_error *error)
{
    struct tn_bytes *one = tn_list_push(&names->old, struct tn_bytes, error);
    struct tn_bytes *two = tn_list_push(&names->to, struct tn_bytes, error);

    if (one && two) {
        *one = old;
        *two = to;
    }
}

/* An updater's state follows the name of its parameter. */
static void add_states(struct tn_edit *edit, struct names *names,
                       struct tn_error *error)
{
    const struct tn_dialect *dialect = edit->draft.dialect;
    struct tn_bytes          key, parameter;
    uint64_t                 count = names->old.count;
    struct tn_intern         olds;

    if (!dialect || !tn_dialect_facts(dialect->name)->has_training)
        return;
    tn_intern_init(&olds, &edit->store->model.arena);
    for (uint64_t i = 0; i < count; i++)
        tn_intern_borrow(&olds, *tn_list_at(&names->old, struct tn_bytes, i),
                         error);
    for (uint64_t i = 0; i < edit->draft.tensors.count && !tn_failed(error);
         i++) {
        const struct tn_draft_tensor *t =
            tn_list_at(&edit->draft.tensors, struct tn_draft_tensor, i);
        if (t->is_removed || t->row.role != TN_ROLE_STATE ||
            t->row.graph != edit->graph ||
            !tn_sd_state_split(t->name, &key, &parameter))
            continue;
        uint32_t id = tn_intern_find(&olds, parameter);
        if (id == TN_NO_NAME || tn_intern_find(&olds, t->name) != TN_NO_NAME)
            continue;
        const char *name =
            tn_sd_state_name(key, *tn_list_at(&names->to, struct tn_bytes, id),
                             &edit->store->model.arena, error);
        if (name)
            add_pair(names, t->name, tn_text(name), error);
    }
    tn_intern_done(&olds);
}

/* "loc:@name" of the attribute _class: a node that must be on the same device.
 */
static bool move_class(const struct tn_intern *olds, const struct names *names,
                       struct tn_attr_value *value, struct tn_arena *arena,
                       struct tn_error *error)
{
    static const char mark[]   = "loc:@";
    size_t            size     = sizeof mark - 1;
    bool              is_moved = false;
    struct tn_bytes  *strings =
        tn_new(arena, struct tn_bytes, value->count, error);

    for (uint32_t i = 0; strings && i < value->count; i++) {
        struct tn_bytes text = strings[i] = value->of.strings[i];
        if (text.size <= size || memcmp(text.data, mark, size) != 0)
            continue;
        uint32_t id =
            tn_intern_find(olds, tn_bytes(text.data + size, text.size - size));
        if (id == TN_NO_NAME)
            continue;
        const char *now = tn_text_format(
            arena, error, "%s%.*s", mark,
            TN_FMT(*tn_list_at(&names->to, struct tn_bytes, id)));
        if (now)
            strings[i] = tn_text(now);
        is_moved = now != NULL;
    }
    value->of.strings = strings;
    return is_moved;
}

static void move_classes(struct tn_edit *edit, const struct names *names,
                         struct tn_error *error)
{
    struct tn_intern     olds;
    struct tn_arena      arena;
    struct tn_attr_value value;

    tn_arena_init(&arena, &edit->store->memory);
    tn_intern_init(&olds, &edit->store->model.arena);
    for (uint64_t i = 0; i < names->old.count; i++)
        tn_intern_borrow(&olds, *tn_list_at(&names->old, struct tn_bytes, i),
                         error);
    for (uint32_t op = tn_draft_graph_at(&edit->draft, edit->graph)->first;
         op != TN_NONE && !tn_failed(error);
         op = tn_draft_op_at(&edit->draft, op)->next) {
        struct tn_error none = TN_ERROR_INIT;
        tn_arena_rewind(&arena);
        if (!tn_draft_op_at(&edit->draft, op)->is_removed &&
            tn_draft_get_attr(&edit->draft, op, "_class", &arena, &value,
                              &none) == TN_OK &&
            value.kind == TN_ATTR_STRING &&
            move_class(&olds, names, &value, &arena, error))
            tn_draft_set_attr(&edit->draft, op, "_class", &value, error);
    }
    tn_intern_done(&olds);
    tn_arena_done(&arena);
}

/* A checkpoint of TensorFlow 2 contains a string that maps objects to keys.
 * That string would keep the old keys, and the objects would not find their
 * values. */
static enum tn_status refuse_object_graph(const struct tn_edit *edit,
                                          struct tn_error      *error)
{
    for (uint64_t i = 0; i < edit->draft.tensors.count; i++) {
        const struct tn_draft_tensor *t =
            tn_list_at(&edit->draft.tensors, struct tn_draft_tensor, i);
        if (!t->is_removed && t->row.role == TN_ROLE_STATE &&
            t->row.elements.shape.dtype == TN_STRING)
            return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                                "'%.*s' lists the objects of this checkpoint "
                                "by the names of its tensors, so these stay; "
                                "remove it first, or convert the checkpoint to "
                                "safetensors",
                                TN_FMT(t->name));
    }
    return TN_OK;
}

static enum tn_status apply(struct tn_edit *edit, struct names *names,
                            struct tn_error *error)
{
    if (edit->graph == TN_NONE)
        TN_TRY(refuse_object_graph(edit, error));
    add_states(edit, names, error);
    if (tn_failed(error) || names->old.count == 0)
        return error->status;
    TN_TRY(tn_draft_rename_values(&edit->draft, edit->graph, names->old.items,
                                  names->to.items, (uint32_t)names->old.count,
                                  error));
    tn_edit_index_forget(edit);
    if (edit->graph == TN_NONE || edit->draft.dialect->names_outputs)
        return TN_OK;
    move_classes(edit, names, error);
    return error->status;
}

/* "x:0" is the value of the op "x", where ops do not name their outputs. */
static struct tn_bytes without_zero(const struct tn_edit *edit,
                                    const char           *word)
{
    size_t size = strlen(word);

    if (edit->draft.dialect && edit->draft.dialect->producer_of && size > 2 &&
        strcmp(word + size - 2, ":0") == 0)
        size -= 2;
    return tn_bytes(word, size);
}

static enum tn_status rename_pairs(struct tn_edit        *edit,
                                   const struct tn_words *words,
                                   struct tn_error       *error)
{
    struct names names;

    if (words->count % 2 != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%" PRIu32 " words: names come in pairs, OLD=NEW",
                            words->count);
    names_init(&names, &edit->store->memory);
    for (uint32_t i = 0; i < words->count; i += 2)
        if (strcmp(words->items[i], words->items[i + 1]) != 0)
            add_pair(&names, without_zero(edit, words->items[i]),
                     without_zero(edit, words->items[i + 1]), error);
    if (!tn_failed(error))
        apply(edit, &names, error);
    names_done(&names);
    return error->status;
}

enum tn_status tn_edit_rename(struct tn_edit *edit, uint32_t graph,
                              const char *old, const char *new_name,
                              struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(old && new_name, "name", error);
    const char     *pair[] = { old, new_name };
    struct tn_words words  = { 2, pair };
    uint32_t        was    = edit->graph;

    if (graph == 0 && edit->draft.graphs.count == 0)
        graph = TN_NONE;
    if (graph >= edit->draft.graphs.count && graph != TN_NONE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "there is no graph %" PRIu32, graph);
    edit->graph = graph;
    rename_pairs(edit, &words, error);
    edit->graph = was;
    return error->status;
}

enum tn_status tn_edit_act_rename(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_error       *error)
{
    return rename_pairs(edit, words, error);
}

/* ---- values of one kind ------------------------------------------------- */

/* "x" is "x:0" where a value is an output of the op of its name. */
static bool is_called(const struct tn_edit *edit, struct tn_bytes name,
                      const char *word)
{
    const struct tn_dialect *dialect = edit->draft.dialect;
    uint32_t                 output;

    return tn_bytes_is(name, word) ||
           (dialect && dialect->producer_of &&
            tn_bytes_is(dialect->producer_of(name, &output), word));
}

static bool has_io(const struct tn_edit *edit, struct tn_io_list list,
                   const char *word)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (is_called(edit, list.items[i].name, word))
            return true;
    return false;
}

static enum tn_status rename_io(struct tn_edit *edit, bool is_input,
                                const struct tn_words *words,
                                struct tn_error       *error)
{
    if (edit->graph == TN_NONE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a set of tensors has no inputs and outputs");
    const struct tn_draft_graph *g =
        tn_draft_graph_at(&edit->draft, edit->graph);
    for (uint32_t i = 0; i < words->count; i += 2)
        if (!has_io(edit, is_input ? g->inputs : g->outputs, words->items[i]))
            return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no %s '%s'",
                                is_input ? "input" : "output", words->items[i]);
    return rename_pairs(edit, words, error);
}

enum tn_status tn_edit_act_rename_input(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error)
{
    return rename_io(edit, true, words, error);
}

enum tn_status tn_edit_act_rename_output(struct tn_edit        *edit,
                                         const struct tn_words *words,
                                         struct tn_error       *error)
{
    return rename_io(edit, false, words, error);
}

static bool has_tensor(const struct tn_edit *edit, uint32_t graph,
                       const char *word)
{
    for (uint64_t i = 0; i < edit->draft.tensors.count; i++) {
        const struct tn_draft_tensor *t =
            tn_list_at(&edit->draft.tensors, struct tn_draft_tensor, i);
        if (!t->is_removed && t->row.graph == graph &&
            tn_bytes_is(t->name, word))
            return true;
    }
    return false;
}

/* Variables beside a graph (a SavedModel's checkpoint) are of no graph. */
static enum tn_status refuse_variable(const struct tn_edit *edit,
                                      const char *name, struct tn_error *error)
{
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "'%s' is a variable: functions of a %s restore it by "
                        "its key, so the key stays",
                        name, edit->draft.base ? edit->draft.base->title : "");
}

enum tn_status tn_edit_act_rename_tensor(struct tn_edit        *edit,
                                         const struct tn_words *words,
                                         struct tn_error       *error)
{
    for (uint32_t i = 0; i < words->count; i += 2)
        if (!has_tensor(edit, edit->graph, words->items[i])) {
            if (edit->graph != TN_NONE &&
                has_tensor(edit, TN_NONE, words->items[i]))
                return refuse_variable(edit, words->items[i], error);
            return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                "no tensor '%s'", words->items[i]);
        }
    return rename_pairs(edit, words, error);
}

/* ---- nodes -------------------------------------------------------------- */

enum tn_status tn_edit_rename_op(struct tn_edit *edit, uint32_t op,
                                 const char *name, struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    if (op >= edit->draft.ops.count ||
        tn_draft_op_at(&edit->draft, op)->is_removed)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "there is no op %" PRIu32, op);
    if (!edit->draft.dialect->names_outputs) {
        struct tn_bytes old = tn_bytes_dup(&edit->store->model.arena,
                                           tn_edit_op_name(edit, op), error);
        return old.data
                   ? tn_edit_rename(edit,
                                    tn_draft_op_at(&edit->draft, op)->graph,
                                    (const char *)old.data, name, error)
                   : error->status;
    }
    TN_TRY(tn_draft_rename_op(&edit->draft, op, tn_text(name), error));
    tn_edit_index_op(edit, op, error);
    return error->status;
}

/* Whether files have a place for the names of nodes. */
static enum tn_status expect_node_names(const struct tn_edit *edit,
                                        struct tn_error      *error)
{
    const struct tn_dialect_facts *facts =
        tn_dialect_facts(edit->draft.dialect->name);

    if (!facts->has_nameless_ops)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "nodes of %s have no names; --rename changes the name "
                        "of what one computes",
                        facts->title);
}

enum tn_status tn_edit_act_rename_node(struct tn_edit        *edit,
                                       const struct tn_words *words,
                                       struct tn_error       *error)
{
    uint32_t op;

    TN_TRY(expect_node_names(edit, error));
    for (uint32_t i = 0; i + 1 < words->count; i += 2) {
        TN_TRY(tn_edit_find_op(edit, words->items[i], &op, error));
        TN_TRY(tn_edit_rename_op(edit, op, words->items[i + 1], error));
    }
    if (words->count % 2 != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "names come in pairs, NODE=NEW");
    return TN_OK;
}

/* ---- by pattern --------------------------------------------------------- */

enum { STARS_MOST = 9 };

/* What the stars of a pattern matched. */
struct stars {
    struct tn_bytes items[STARS_MOST];
    uint32_t        count;
};

/* Each star takes as little as it can; the last ones as much as is left.  Time
 * is at most the product of the sizes. */
static bool matches(const char *pattern, struct tn_bytes name,
                    struct stars *stars)
{
    size_t      at    = 0;
    const char *again = NULL; /* the pattern after the last star              */

    stars->count = 0;
    while (at < name.size || *pattern) {
        if (*pattern == '*') {
            if (stars->count == STARS_MOST)
                return false;
            stars->items[stars->count++] = tn_bytes(name.data + at, 0);
            again                        = ++pattern;
        } else if (at < name.size && (uint8_t)*pattern == name.data[at] &&
                   *pattern) {
            pattern++;
            at++;
        } else if (again) {
            struct tn_bytes *star = &stars->items[stars->count - 1];
            at = (size_t)(star->data - name.data) + ++star->size;
            if (at > name.size)
                return false;
            pattern = again;
        } else {
            return false;
        }
    }
    return true;
}

static uint32_t count_stars(const char *pattern)
{
    uint32_t count = 0;

    for (; *pattern; pattern++)
        count += *pattern == '*';
    return count;
}

static struct tn_bytes fill_in(struct tn_edit *edit, const char *pattern,
                               const struct stars *stars,
                               struct tn_error    *error)
{
    struct tn_buffer text;
    uint32_t         star = 0;

    tn_buffer_init(&text, &edit->store->memory, error);
    for (; *pattern; pattern++)
        if (*pattern == '*' && star < stars->count)
            tn_buffer_add(&text, stars->items[star++]);
        else
            tn_buffer_byte(&text, (uint8_t)*pattern);
    struct tn_bytes kept =
        tn_bytes_dup(&edit->store->model.arena, tn_buffer_bytes(&text), error);
    tn_buffer_done(&text);
    return kept;
}

static enum tn_status check_pattern(const struct tn_words *words,
                                    struct tn_error       *error)
{
    uint32_t old = count_stars(words->items[0]);
    uint32_t to  = count_stars(words->items[1]);

    if (old > STARS_MOST)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "%" PRIu32 " stars in a pattern, at most %d", old,
                            STARS_MOST);
    if (to <= old)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "'%s' has %" PRIu32 " stars, and '%s' only %" PRIu32
                        ": each stands for what one of the old name matched",
                        words->items[1], to, words->items[0], old);
}

/* A name of the graph: renamed if it matches. */
struct matching {
    struct tn_edit        *edit;
    const struct tn_words *words;
    struct names           names;
    struct tn_intern       seen;
    struct tn_error       *error;
};

static void try_name(struct matching *m, struct tn_bytes name)
{
    uint32_t     known = tn_intern_count(&m->seen);
    struct stars stars;

    if (name.size == 0 || !matches(m->words->items[0], name, &stars) ||
        tn_intern_borrow(&m->seen, name, m->error) != known)
        return;
    struct tn_bytes to = fill_in(m->edit, m->words->items[1], &stars, m->error);
    if (!tn_failed(m->error) && !tn_bytes_equal(name, to))
        add_pair(&m->names, name, to, m->error);
}

/* "x:0": a value with another name than its op. */
static bool is_output_name(const struct tn_dialect *dialect,
                           struct tn_bytes          name)
{
    uint32_t output;

    return dialect->producer_of &&
           dialect->producer_of(name, &output).size != name.size;
}

static void try_values(struct matching *m)
{
    const struct tn_draft       *draft = &m->edit->draft;
    const struct tn_draft_graph *g = tn_draft_graph_at(draft, m->edit->graph);

    for (uint32_t i = 0; i < g->inputs.count; i++)
        if (!is_output_name(draft->dialect, g->inputs.items[i].name))
            try_name(m, g->inputs.items[i].name);
    for (uint32_t id = g->first; id != TN_NONE && !tn_failed(m->error);
         id          = tn_draft_op_at(draft, id)->next) {
        const struct tn_draft_op *op = tn_draft_op_at(draft, id);
        if (op->is_removed)
            continue;
        if (!draft->dialect->names_outputs) {
            try_name(m, tn_edit_op_name(m->edit, id));
            continue;
        }
        uint32_t count = op->change
                             ? op->change->output_count
                             : tn_model_op_at(op->from, op->row)->output_count;
        for (uint32_t i = 0; i < count; i++)
            try_name(m, op->change ? op->change->outputs[i]
                                   : tn_model_value_name(
                                         op->from,
                                         tn_op_output(op->from, op->row, i)));
    }
}

/* In a graph that names values by their nodes, a constant has the name of its
 * node; "" if that was removed. */
static struct tn_bytes name_of_constant(const struct matching        *m,
                                        const struct tn_draft_tensor *t)
{
    const struct tn_draft *draft = &m->edit->draft;

    if (draft->dialect->names_outputs || !draft->base ||
        t->row.graph >= draft->base->graphs.count)
        return tn_bytes(NULL, 0);
    const struct tn_graph *graph = tn_model_graph_at(draft->base, t->row.graph);
    uint64_t               op    = graph->first_op + (uint64_t)t->row.node;
    if (t->row.node >= graph->op_count || op >= draft->ops.count ||
        tn_draft_op_at(draft, (uint32_t)op)->is_removed)
        return tn_bytes(NULL, 0);
    return tn_edit_op_name(m->edit, (uint32_t)op);
}

static void try_tensors(struct matching *m, uint32_t graph)
{
    for (uint64_t i = 0; i < m->edit->draft.tensors.count; i++) {
        const struct tn_draft_tensor *t =
            tn_list_at(&m->edit->draft.tensors, struct tn_draft_tensor, i);
        if (!t->is_removed && t->row.graph == graph &&
            t->row.role != TN_ROLE_STATE)
            try_name(m, t->row.node == TN_NONE || graph == TN_NONE
                            ? t->name
                            : name_of_constant(m, t));
    }
}

static enum tn_status rename_matching(struct tn_edit        *edit,
                                      const struct tn_words *words,
                                      bool only_tensors, struct tn_error *error)
{
    struct matching m = { .edit = edit, .words = words, .error = error };

    TN_TRY(check_pattern(words, error));
    names_init(&m.names, &edit->store->memory);
    tn_intern_init(&m.seen, &edit->store->model.arena);
    if (!only_tensors && edit->graph != TN_NONE)
        try_values(&m);
    try_tensors(&m, edit->graph);
    if (!tn_failed(error) && m.seen.names.count == 0)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no name matches '%s'",
                     words->items[0]);
    if (!tn_failed(error))
        apply(edit, &m.names, error);
    tn_intern_done(&m.seen);
    names_done(&m.names);
    return error->status;
}

enum tn_status tn_edit_act_rename_all(struct tn_edit        *edit,
                                      const struct tn_words *words,
                                      struct tn_error       *error)
{
    return rename_matching(edit, words, false, error);
}

enum tn_status tn_edit_act_rename_tensors(struct tn_edit        *edit,
                                          const struct tn_words *words,
                                          struct tn_error       *error)
{
    return rename_matching(edit, words, true, error);
}

enum tn_status tn_edit_act_rename_nodes(struct tn_edit        *edit,
                                        const struct tn_words *words,
                                        struct tn_error       *error)
{
    struct stars stars;
    bool         is_found = false;

    TN_TRY(check_pattern(words, error));
    if (edit->graph == TN_NONE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a set of tensors has no nodes");
    TN_TRY(expect_node_names(edit, error));
    if (!edit->draft.dialect->names_outputs)
        return rename_matching(edit, words, false, error);
    for (uint32_t op = tn_draft_graph_at(&edit->draft, edit->graph)->first;
         op != TN_NONE; op = tn_draft_op_at(&edit->draft, op)->next) {
        struct tn_bytes name = tn_edit_op_name(edit, op);
        if (tn_draft_op_at(&edit->draft, op)->is_removed ||
            !matches(words->items[0], name, &stars))
            continue;
        is_found           = true;
        struct tn_bytes to = fill_in(edit, words->items[1], &stars, error);
        if (tn_failed(error))
            return error->status;
        TN_TRY(tn_edit_rename_op(edit, op, (const char *)to.data, error));
    }
    return is_found ? TN_OK
                    : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                   "no node matches '%s'", words->items[0]);
}

/* ---- from a file -------------------------------------------------------- */

static enum tn_status read_pairs(struct tn_edit *edit, struct tn_bytes text,
                                 struct names *names, struct tn_error *error)
{
    struct tn_words_reader reader;
    struct tn_words        words;

    tn_words_init(&reader, &edit->store->memory, text);
    while (tn_words_next(&reader, &edit->store->model.arena, &words, error)) {
        if (words.count != 2) {
            tn_error_set(error, TN_INVALID, TN_NOWHERE,
                         "line %" PRIu32 ": %" PRIu32
                         " words, expected OLD NEW",
                         reader.line, words.count);
            break;
        }
        if (strcmp(words.items[0], words.items[1]) != 0)
            add_pair(names, tn_text(words.items[0]), tn_text(words.items[1]),
                     error);
    }
    tn_words_done(&reader);
    return error->status;
}

enum tn_status tn_edit_act_rename_from(struct tn_edit        *edit,
                                       const struct tn_words *words,
                                       struct tn_error       *error)
{
    const char     *path = tn_edit_path(edit, words->items[0], error);
    struct tn_bytes text;
    struct names    names;
    struct tn_arena arena;

    if (!path)
        return error->status;
    names_init(&names, &edit->store->memory);
    tn_arena_init(&arena, &edit->store->memory);
    if (tn_read_file(&arena, path, "a list of names", &text, error) == TN_OK &&
        read_pairs(edit, text, &names, error) != TN_OK)
        tn_error_file(error, path);
    if (!tn_failed(error))
        apply(edit, &names, error);
    tn_arena_done(&arena);
    names_done(&names);
    return error->status;
}
