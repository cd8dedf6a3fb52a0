/* draft.c - a model that is being changed */
#include <inttypes.h>

#include "ir/changes.h"
#include "ir/dialect_facts.h"
#include "ir/draft.h"
#include "ir/levels.h"

/* ---- beginning ---------------------------------------------------------- */

/* A new op, the last of its graph; NULL after a failure. */
static struct tn_draft_op *draft_append_op(struct tn_draft *draft,
                                           uint32_t         graph,
                                           struct tn_error *error)
{
    uint32_t            id = (uint32_t)draft->ops.count;
    struct tn_draft_op *op =
        tn_list_push(&draft->ops, struct tn_draft_op, error);

    if (!op)
        return NULL;
    struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);
    *op                      = (struct tn_draft_op){
                             .graph = graph, .previous = g->last, .next = TN_NONE, .placed = TN_NONE
    };
    if (g->last != TN_NONE)
        tn_draft_op_at(draft, g->last)->next = id;
    else
        g->first = id;
    g->last = id;
    return op;
}

/* A graph of a model as it is, with its ops and its tensors. */
static uint32_t take_graph(struct tn_draft *draft, const struct tn_model *from,
                           uint32_t row, struct tn_error *error)
{
    uint32_t               id = (uint32_t)draft->graphs.count;
    const struct tn_graph *g  = tn_model_graph_at(from, row);
    struct tn_draft_graph *graph =
        tn_list_push(&draft->graphs, struct tn_draft_graph, error);

    if (!graph)
        return TN_NONE;
    *graph = (struct tn_draft_graph){
        .from         = from,
        .row          = row,
        .first        = TN_NONE,
        .last         = TN_NONE,
        .parent       = TN_NONE,
        .parent_op    = TN_NONE,
        .name         = tn_model_name(from, g->name),
        .domain       = tn_model_name(from, g->domain),
        .inputs       = g->inputs,
        .outputs      = g->outputs,
        .kind         = g->kind,
        .values       = g->values,
        .has_other_io = g->has_other_io,
        .drops_values = g->drops_values,
    };
    for (uint64_t i = 0; i < g->op_count; i++) {
        struct tn_draft_op *op = draft_append_op(draft, id, error);
        if (!op)
            return TN_NONE;
        op->from = from;
        op->row  = g->first_op + (uint32_t)i;
    }
    return id;
}

/* A tensor of a graph that was taken; TN_NONE: of no graph (checkpoints). */
static void take_tensor(struct tn_draft *draft, const struct tn_tensor *from,
                        uint32_t graph, struct tn_error *error)
{
    struct tn_draft_tensor *tensor =
        tn_list_push(&draft->tensors, struct tn_draft_tensor, error);

    if (!tensor)
        return;
    tensor->row       = *from;
    tensor->row.graph = graph;
    tensor->name      = tn_tensor_name(from);
    if (from->node != TN_NONE) /* ordinals become ids of draft ops */
        tensor->row.node = tn_draft_graph_at(draft, graph)->first + from->node;
}

static void take_tensors(struct tn_draft *draft, const struct tn_model *from,
                         uint32_t row, uint32_t graph, struct tn_error *error)
{
    for (uint64_t i = 0; i < from->tensors.count && !tn_failed(error); i++)
        if (tn_model_tensor(from, i)->graph == row)
            take_tensor(draft, tn_model_tensor(from, i), graph, error);
}

/* Subgraphs refer to the op that contains them. */
static void link_parent(struct tn_draft *draft, uint32_t graph, uint32_t parent)
{
    struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);
    const struct tn_graph *r = tn_model_graph_at(g->from, g->row);

    g->parent = parent;
    if (r->parent_node != TN_NONE) /* else beside it, like a training graph */
        g->parent_op = tn_draft_graph_at(draft, parent)->first + r->parent_node;
}

static enum tn_status take_model(struct tn_draft       *draft,
                                 const struct tn_model *base,
                                 struct tn_error       *error)
{
    for (uint32_t i = 0; i < base->graphs.count; i++) {
        if (take_graph(draft, base, i, error) == TN_NONE)
            return error->status;
        if (tn_model_graph_at(base, i)->parent_graph != TN_NONE)
            link_parent(draft, i, tn_model_graph_at(base, i)->parent_graph);
    }
    for (uint64_t i = 0; i < base->tensors.count && !tn_failed(error); i++)
        take_tensor(draft, tn_model_tensor(base, i),
                    tn_model_tensor(base, i)->graph, error);
    return error->status;
}

static enum tn_status take_nothing(struct tn_draft *draft,
                                   struct tn_error *error)
{
    if (!draft->dialect) /* tensors, and no graph */
        return TN_OK;
    struct tn_draft_graph *graph =
        tn_list_push(&draft->graphs, struct tn_draft_graph, error);

    if (graph)
        *graph = (struct tn_draft_graph){ .first      = TN_NONE,
                                          .last       = TN_NONE,
                                          .parent     = TN_NONE,
                                          .parent_op  = TN_NONE,
                                          .name       = tn_text("graph"),
                                          .kind       = TN_GRAPH_MAIN,
                                          .is_touched = true };
    return error->status;
}

/* What an earlier edit changed; graphs have the same numbers. */
static enum tn_status take_changes(struct tn_draft         *draft,
                                   const struct tn_changes *changes,
                                   struct tn_error         *error)
{
    for (uint32_t i = 0; changes && i < changes->text_count; i++) {
        struct tn_text_change *text =
            tn_list_push(&draft->texts, struct tn_text_change, error);
        if (text)
            *text = changes->texts[i];
    }
    for (uint32_t i = 0; changes && i < changes->rename_count; i++) {
        const struct tn_rename *from = &changes->renames[i];
        struct tn_draft_rename *to =
            tn_list_push(&draft->renames, struct tn_draft_rename, error);
        if (!to)
            return error->status;
        *to = (struct tn_draft_rename){ from->graph, from->old, from->now,
                                        from->now };
    }
    return error->status;
}

enum tn_status tn_draft_init(struct tn_draft *draft, struct tn_arena *arena,
                             const struct tn_model   *base,
                             const struct tn_dialect *dialect,
                             struct tn_error         *error)
{
    struct tn_memory *memory = arena->memory;

    *draft = (struct tn_draft){
        .base = base, .dialect = dialect, .memory = memory, .arena = arena
    };
    tn_list_init(&draft->ops, memory, sizeof(struct tn_draft_op));
    tn_list_init(&draft->graphs, memory, sizeof(struct tn_draft_graph));
    tn_list_init(&draft->tensors, memory, sizeof(struct tn_draft_tensor));
    tn_list_init(&draft->changes, memory, sizeof(struct tn_draft_change *));
    tn_list_init(&draft->renames, memory, sizeof(struct tn_draft_rename));
    tn_list_init(&draft->texts, memory, sizeof(struct tn_text_change));
    tn_list_init(&draft->signatures, memory, sizeof(struct tn_draft_signature));
    if (!base)
        return take_nothing(draft, error);
    draft->training   = base->training;
    draft->losses     = base->losses;
    draft->loss_count = base->loss_count;
    TN_TRY(take_changes(draft, base->changes, error));
    return take_model(draft, base, error);
}

void tn_draft_done(struct tn_draft *draft)
{
    tn_list_done(&draft->renames);
    tn_list_done(&draft->texts);
    tn_list_done(&draft->signatures);
    for (uint64_t i = 0; i < draft->changes.count; i++)
        tn_list_done(
            &(*tn_list_at(&draft->changes, struct tn_draft_change *, i))
                 ->attrs);
    tn_list_done(&draft->changes);
    tn_list_done(&draft->ops);
    tn_list_done(&draft->graphs);
    tn_list_done(&draft->tensors);
}

/* ---- what the caller hands in ------------------------------------------- */

/* INVALID when the caller's id is of no graph that is still there. */
static enum tn_status draft_expect_graph(const struct tn_draft *draft,
                                         uint32_t graph, struct tn_error *error)
{
    if (graph < draft->graphs.count &&
        !tn_draft_graph_at(draft, graph)->is_removed)
        return TN_OK;
    if (graph == TN_NONE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a graph has to be named: the format has graphs");
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "there is no graph %" PRIu32, graph);
}

/* The caller's text in the draft's arena; NULL is "". */
static struct tn_bytes draft_keep(struct tn_draft *draft, const char *text,
                                  struct tn_error *error)
{
    return tn_bytes_dup(draft->arena, tn_text(text ? text : ""), error);
}

/* ---- tensors ------------------------------------------------------------ */

static struct tn_draft_tensor *find_tensor(const struct tn_draft *draft,
                                           uint32_t graph, const char *name)
{
    for (uint64_t i = 0; i < draft->tensors.count; i++) {
        struct tn_draft_tensor *tensor =
            tn_list_at(&draft->tensors, struct tn_draft_tensor, i);
        if (!tensor->is_removed && tensor->row.graph == graph &&
            tensor->row.node == TN_NONE && tn_bytes_is(tensor->name, name))
            return tensor;
    }
    return NULL;
}

/* The file no longer has this tensor: writers encode it from the payload. */
static void set_elements(struct tn_draft_tensor   *tensor,
                         const struct tn_elements *elements)
{
    const struct tn_shape *old = &tensor->row.elements.shape;
    const struct tn_shape *new = &elements->shape;

    if (old->rank == 0 || new->rank == 0 || old->dims[0] != new->dims[0])
        tensor->row.levels = NULL; /* they divide other rows */
    tensor->row.elements    = *elements;
    tensor->row.wire        = (struct tn_span){ NULL, 0, 0 };
    tensor->row.is_external = false;
}

static enum tn_status push_tensor(struct tn_draft *draft, uint32_t graph,
                                  enum tn_role role, const char *name,
                                  const struct tn_elements *elements,
                                  struct tn_error          *error)
{
    struct tn_draft_tensor *tensor =
        tn_list_push(&draft->tensors, struct tn_draft_tensor, error);

    if (!tensor)
        return error->status;
    tensor->row  = (struct tn_tensor){ .graph = graph,
                                       .node  = TN_NONE,
                                       .slot  = TN_NONE,
                                       .part  = TN_NONE,
                                       .role  = (uint8_t)role };
    tensor->name = draft_keep(draft, name, error);
    set_elements(tensor, elements);
    return error->status;
}

enum tn_status tn_draft_add_tensor(struct tn_draft *draft, uint32_t graph,
                                   const char               *name,
                                   const struct tn_elements *elements,
                                   struct tn_error          *error)
{
    TN_TRY(draft_expect_graph(draft, graph, error));
    if (find_tensor(draft, graph, name))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "there is a tensor '%s' already", name);
    TN_TRY(tn_draft_touch_graph(draft, graph, error));
    return push_tensor(draft, graph, TN_ROLE_INITIALIZER, name, elements,
                       error);
}

/* NOT_FOUND when the graph has no such tensor. */
static enum tn_status draft_expect_tensor(const struct tn_draft *draft,
                                          uint32_t graph, const char *name,
                                          struct tn_draft_tensor **tensor,
                                          struct tn_error         *error)
{
    *tensor = find_tensor(draft, graph, name);
    return *tensor ? TN_OK
                   : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                  "no tensor '%s'", name);
}

const struct tn_shape *tn_draft_shape(const struct tn_draft *draft,
                                      uint32_t graph, const char *name)
{
    const struct tn_draft_tensor *tensor = find_tensor(draft, graph, name);

    return tensor ? &tensor->row.elements.shape : NULL;
}

enum tn_status tn_draft_replace_tensor(struct tn_draft *draft, uint32_t graph,
                                       const char               *name,
                                       const struct tn_elements *elements,
                                       struct tn_error          *error)
{
    struct tn_draft_tensor *tensor;

    TN_TRY(draft_expect_tensor(draft, graph, name, &tensor, error));
    if (graph != TN_NONE)
        TN_TRY(tn_draft_touch_graph(draft, graph, error));
    set_elements(tensor, elements);
    return TN_OK;
}

enum tn_status tn_draft_replace_row(struct tn_draft          *draft,
                                    struct tn_draft_tensor   *tensor,
                                    const struct tn_elements *elements,
                                    struct tn_error          *error)
{
    if (tensor->row.graph != TN_NONE)
        TN_TRY(tn_draft_touch_graph(draft, tensor->row.graph, error));
    set_elements(tensor, elements);
    return TN_OK;
}

enum tn_status tn_draft_drop_row(struct tn_draft        *draft,
                                 struct tn_draft_tensor *tensor,
                                 struct tn_error        *error)
{
    if (tensor->row.graph != TN_NONE)
        TN_TRY(tn_draft_touch_graph(draft, tensor->row.graph, error));
    tensor->is_removed = true;
    return TN_OK;
}

enum tn_status tn_draft_add_variable(struct tn_draft *draft, const char *name,
                                     const struct tn_elements *elements,
                                     struct tn_error          *error)
{
    return push_tensor(draft, TN_NONE, TN_ROLE_VARIABLE, name, elements, error);
}

enum tn_status tn_draft_set_levels(struct tn_draft *draft, uint32_t graph,
                                   const char             *name,
                                   const struct tn_levels *levels,
                                   struct tn_error        *error)
{
    struct tn_draft_tensor *tensor;

    TN_TRY(draft_expect_tensor(draft, graph, name, &tensor, error));
    const struct tn_shape *shape = &tensor->row.elements.shape;
    if (levels && tn_levels_check(levels, shape->rank ? shape->dims[0] : 1,
                                  error) != TN_OK) {
        error->status = TN_INVALID;
        error->offset = TN_NOWHERE;
        tn_error_where(error, "tensor '%s'", name);
        return error->status;
    }
    if (graph != TN_NONE)
        TN_TRY(tn_draft_touch_graph(draft, graph, error));
    tensor->row.levels = levels;
    tensor->row.wire   = (struct tn_span){ NULL, 0, 0 };
    return TN_OK;
}

enum tn_status tn_draft_remove_tensor(struct tn_draft *draft, uint32_t graph,
                                      const char *name, struct tn_error *error)
{
    struct tn_draft_tensor *tensor;

    TN_TRY(draft_expect_tensor(draft, graph, name, &tensor, error));
    if (graph != TN_NONE)
        TN_TRY(tn_draft_touch_graph(draft, graph, error));
    tensor->is_removed = true;
    return TN_OK;
}

/* ---- functions ---------------------------------------------------------- */

static enum tn_status expect_new_function(const struct tn_draft *draft,
                                          struct tn_bytes        name,
                                          struct tn_bytes        domain,
                                          struct tn_error       *error)
{
    for (uint32_t i = 0; i < draft->graphs.count; i++) {
        const struct tn_draft_graph *g = tn_draft_graph_at(draft, i);
        if (g->kind == TN_GRAPH_FUNCTION && !g->is_removed &&
            tn_bytes_equal(g->name, name) && tn_bytes_equal(g->domain, domain))
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "there is a function '%.*s' already",
                                TN_FMT(name));
    }
    return TN_OK;
}

static struct tn_io_list keep_io_list(struct tn_draft   *draft,
                                      const char *const *names, uint32_t count,
                                      struct tn_error *error)
{
    struct tn_io *io_list = tn_new(draft->arena, struct tn_io, count, error);

    for (uint32_t i = 0; io_list && i < count; i++) {
        io_list[i].name = draft_keep(draft, names[i], error);
        io_list[i].note = "";
    }
    return (struct tn_io_list){ io_list ? count : 0, io_list };
}

enum tn_status tn_draft_add_function(
    struct tn_draft *draft, const char *name, const char *domain,
    const char *const *inputs, uint32_t input_count, const char *const *outputs,
    uint32_t output_count, uint32_t *graph, struct tn_error *error)
{
    struct tn_bytes kept_name   = draft_keep(draft, name, error);
    struct tn_bytes kept_domain = draft_keep(draft, domain, error);

    if (tn_failed(error))
        return error->status;
    TN_TRY(expect_new_function(draft, kept_name, kept_domain, error));
    struct tn_draft_graph *g =
        tn_list_push(&draft->graphs, struct tn_draft_graph, error);
    if (!g)
        return error->status;
    *g = (struct tn_draft_graph){
        .first      = TN_NONE,
        .last       = TN_NONE,
        .parent     = TN_NONE,
        .parent_op  = TN_NONE,
        .name       = kept_name,
        .domain     = kept_domain,
        .inputs     = keep_io_list(draft, inputs, input_count, error),
        .outputs    = keep_io_list(draft, outputs, output_count, error),
        .kind       = TN_GRAPH_FUNCTION,
        .is_touched = true,
    };
    *graph = (uint32_t)draft->graphs.count - 1;
    return error->status;
}

/* ---- inputs and outputs of the main graph ------------------------------- */

static enum tn_status expect_own_io(const struct tn_draft *draft,
                                    uint32_t graph, struct tn_error *error)
{
    const char *dialect = draft->dialect ? draft->dialect->name : "";

    TN_TRY(draft_expect_graph(draft, graph, error));
    const struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);
    if (g->kind != TN_GRAPH_MAIN || g->from)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "graph %" PRIu32 " is not the main graph of a new "
                            "model: its inputs and outputs stay",
                            graph);
    if (!tn_dialect_facts(dialect)->can_be_built)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the inputs and outputs of %s are ops", dialect);
    return TN_OK;
}

static struct tn_io keep_io(struct tn_draft *draft, const struct tn_io *io,
                            struct tn_error *error)
{
    struct tn_io   kept = { .dtype    = io->dtype,
                            .has_rank = io->has_rank,
                            .note     = "" };
    struct tn_dim *dims;

    kept.name = tn_bytes_dup(draft->arena, io->name, error);
    if (!io->has_rank || io->rank == 0)
        return kept;
    dims = tn_new(draft->arena, struct tn_dim, io->rank, error);
    for (uint32_t i = 0; dims && i < io->rank; i++) {
        dims[i].value  = io->dims[i].value;
        dims[i].symbol = tn_bytes_dup(draft->arena, io->dims[i].symbol, error);
    }
    kept.rank = io->rank;
    kept.dims = dims;
    return kept;
}

static bool has_io(struct tn_io_list io_list, struct tn_bytes name)
{
    for (uint32_t i = 0; i < io_list.count; i++)
        if (tn_bytes_equal(io_list.items[i].name, name))
            return true;
    return false;
}

/* Committed models share the old inputs and outputs: the new list is a copy. */
enum tn_status tn_draft_add_io(struct tn_draft *draft, uint32_t graph,
                               bool is_input, const struct tn_io *io,
                               struct tn_error *error)
{
    TN_TRY(expect_own_io(draft, graph, error));
    struct tn_draft_graph *g       = tn_draft_graph_at(draft, graph);
    struct tn_io_list     *io_list = is_input ? &g->inputs : &g->outputs;
    if (io->name.size == 0 || has_io(*io_list, io->name))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            io->name.size ? "there is an %s '%.*s' already"
                                          : "an %s without a name",
                            is_input ? "input" : "output", TN_FMT(io->name));
    struct tn_io *all =
        tn_new(draft->arena, struct tn_io, (uint64_t)io_list->count + 1, error);
    if (!all)
        return error->status;
    for (uint32_t i = 0; i < io_list->count; i++)
        all[i] = io_list->items[i];
    all[io_list->count] = keep_io(draft, io, error);
    if (!tn_failed(error))
        *io_list = (struct tn_io_list){ io_list->count + 1, all };
    return error->status;
}

/* Committed models share the old inputs and outputs. */
static bool type_io_list(struct tn_draft *draft, struct tn_io_list *io_list,
                         struct tn_bytes name, enum tn_dtype dtype,
                         struct tn_error *error)
{
    bool          is_found = false;
    struct tn_io *fresh =
        tn_new(draft->arena, struct tn_io, io_list->count, error);

    for (uint32_t i = 0; fresh && i < io_list->count; i++) {
        fresh[i] = io_list->items[i];
        if (!tn_bytes_equal(fresh[i].name, name))
            continue;
        fresh[i].dtype = dtype;
        is_found       = true;
    }
    if (fresh)
        io_list->items = fresh;
    return is_found;
}

enum tn_status tn_draft_type_io(struct tn_draft *draft, uint32_t graph,
                                const char *name, enum tn_dtype dtype,
                                struct tn_error *error)
{
    TN_TRY(draft_expect_graph(draft, graph, error));
    struct tn_draft_graph *g  = tn_draft_graph_at(draft, graph);
    struct tn_bytes        of = tn_text(name);
    if (g->kind != TN_GRAPH_FUNCTION || g->from)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "graph %" PRIu32 " is not a new function", graph);
    bool is_input  = type_io_list(draft, &g->inputs, of, dtype, error);
    bool is_output = type_io_list(draft, &g->outputs, of, dtype, error);
    if (!is_input && !is_output)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "function '%.*s' has no input or output '%s'",
                            TN_FMT(g->name), name);
    return error->status;
}

enum tn_status tn_draft_set_io(struct tn_draft *draft, uint32_t graph,
                               const struct tn_io *inputs,
                               const struct tn_io *outputs,
                               struct tn_error    *error)
{
    TN_TRY(draft_expect_graph(draft, graph, error));
    struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);
    if (g->kind != TN_GRAPH_FUNCTION)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "graph %" PRIu32 " is not a function", graph);
    g->inputs.items  = inputs;
    g->outputs.items = outputs;
    return tn_draft_touch_graph(draft, graph, error);
}

static struct tn_io_list keep_ios(struct tn_draft  *draft,
                                  struct tn_io_list from,
                                  struct tn_error  *error)
{
    struct tn_io *kept = tn_new(draft->arena, struct tn_io, from.count, error);

    for (uint32_t i = 0; kept && i < from.count; i++) {
        kept[i]     = keep_io(draft, &from.items[i], error);
        kept[i].key = tn_bytes_dup(draft->arena, from.items[i].key, error);
        kept[i].has_default = from.items[i].has_default;
        kept[i].is_guessed  = from.items[i].is_guessed;
        kept[i].note        = from.items[i].note ? from.items[i].note : "";
    }
    return (struct tn_io_list){ kept ? from.count : 0, kept };
}

static enum tn_status expect_lists(const struct tn_draft *draft, uint32_t graph,
                                   struct tn_error *error)
{
    TN_TRY(draft_expect_graph(draft, graph, error));
    const char *dialect = draft->dialect ? draft->dialect->name : "";
    if (tn_dialect_facts(dialect)->lists_io)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "the inputs and outputs of %s cannot be changed: "
                        "convert the model to ONNX first",
                        tn_dialect_facts(dialect)->title);
}

/* In dialects where inputs and outputs are ops, the lists follow from those
 * ops, and writers do not look at the lists. */
static enum tn_status expect_io(const struct tn_draft *draft, uint32_t graph,
                                struct tn_error *error)
{
    const char *dialect = draft->dialect ? draft->dialect->name : "";
    const struct tn_dialect_facts *facts = tn_dialect_facts(dialect);

    if (graph == 0 && (facts->names_io || facts->has_inputs_as_ops ||
                       (draft->dialect && draft->dialect->producer_of)))
        return draft_expect_graph(draft, graph, error);
    return expect_lists(draft, graph, error);
}

enum tn_status tn_draft_list_io(struct tn_draft *draft, uint32_t graph,
                                struct tn_io_list inputs,
                                struct tn_io_list outputs,
                                struct tn_error  *error)
{
    TN_TRY(expect_io(draft, graph, error));
    TN_TRY(tn_draft_touch_graph(draft, graph, error));
    struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);
    g->inputs                = keep_ios(draft, inputs, error);
    g->outputs               = keep_ios(draft, outputs, error);
    g->has_other_io          = true;
    return error->status;
}

/* Adds this edit's changes to those of earlier edits: a value whose name did
 * not change keeps the name that it has in the file. */
static struct tn_io_list join_values(struct tn_draft  *draft,
                                     struct tn_io_list old,
                                     struct tn_io_list fresh,
                                     struct tn_error  *error)
{
    uint64_t         most  = (uint64_t)old.count + fresh.count;
    struct tn_io    *all   = tn_new(draft->arena, struct tn_io, most, error);
    uint32_t        *where = tn_new(draft->arena, uint32_t, most, error);
    struct tn_intern names;
    uint32_t         count = 0;

    if (!all || !where)
        return (struct tn_io_list){ 0, NULL };
    tn_intern_init(&names, draft->arena);
    for (uint32_t i = 0; i < most && !tn_failed(error); i++) {
        bool            is_old = i < old.count;
        struct tn_io    io = is_old ? old.items[i] : fresh.items[i - old.count];
        struct tn_bytes was   = io.key.size && !is_old ? io.key : io.name;
        uint32_t        known = tn_intern_count(&names);
        uint32_t        id    = tn_intern_borrow(&names, was, error);
        if (id == TN_NO_NAME || tn_failed(error))
            continue;
        if (id >= known) {
            where[id]    = count;
            all[count++] = io;
            continue;
        }
        struct tn_io *before = &all[where[id]];
        io.key               = before->key.size ? before->key : before->name;
        *before              = io;
    }
    tn_intern_done(&names);
    return (struct tn_io_list){ count, all };
}

enum tn_status tn_draft_set_values(struct tn_draft *draft, uint32_t graph,
                                   struct tn_io_list values, bool drops_others,
                                   struct tn_error *error)
{
    const char *dialect = draft->dialect ? draft->dialect->name : "";

    if (tn_dialect_facts(dialect)->types_values)
        TN_TRY(draft_expect_graph(draft, graph, error));
    else
        TN_TRY(expect_lists(draft, graph, error));
    TN_TRY(tn_draft_touch_graph(draft, graph, error));
    struct tn_draft_graph *g    = tn_draft_graph_at(draft, graph);
    struct tn_io_list      kept = keep_ios(draft, values, error);
    if (!drops_others)
        kept = join_values(draft, g->values, kept, error);
    if (tn_failed(error))
        return error->status;
    g->values = kept;
    g->drops_values |= drops_others;
    return TN_OK;
}

/* The graphs inside a graph that was just taken, and inside those.  Rows come
 * after their parents, so one pass finds them all. */
static enum tn_status take_subgraphs(struct tn_draft       *draft,
                                     const struct tn_model *from, uint32_t row,
                                     uint32_t graph, struct tn_error *error)
{
    uint32_t  count = (uint32_t)from->graphs.count;
    uint64_t  size  = count * sizeof(uint32_t);
    uint32_t *map   = tn_memory_resize(draft->memory, NULL, 0, size, error);

    if (!map)
        return error->status;
    memset(map, 0xff, (size_t)size);
    map[row] = graph;
    for (uint32_t i = row + 1; i < count && !tn_failed(error); i++) {
        uint32_t parent = tn_model_graph_at(from, i)->parent_graph;
        if (parent == TN_NONE || map[parent] == TN_NONE)
            continue;
        map[i] = take_graph(draft, from, i, error);
        if (map[i] == TN_NONE)
            break;
        link_parent(draft, map[i], map[parent]);
        take_tensors(draft, from, i, map[i], error);
    }
    tn_memory_free(draft->memory, map, size);
    return error->status;
}

enum tn_status tn_draft_copy_function(struct tn_draft       *draft,
                                      const struct tn_model *from, uint32_t row,
                                      const char *name, uint32_t *graph,
                                      struct tn_error *error)
{
    if (row >= from->graphs.count ||
        tn_model_graph_at(from, row)->kind != TN_GRAPH_FUNCTION ||
        from->dialect != draft->dialect)
        return tn_error_set(
            error, TN_INVALID, TN_NOWHERE,
            "graph %" PRIu32 " is not a function of the same dialect", row);
    const struct tn_graph *g = tn_model_graph_at(from, row);
    struct tn_bytes        new_name =
        name ? draft_keep(draft, name, error) : tn_model_name(from, g->name);
    TN_TRY(expect_new_function(draft, new_name, tn_model_name(from, g->domain),
                               error));
    uint32_t id = take_graph(draft, from, row, error);
    if (id == TN_NONE)
        return error->status;
    take_tensors(draft, from, row, id, error);
    TN_TRY(take_subgraphs(draft, from, row, id, error));
    struct tn_draft_graph *copy = tn_draft_graph_at(draft, id);
    copy->is_touched |= !tn_bytes_equal(copy->name, new_name);
    copy->name = new_name;
    if (graph)
        *graph = id;
    return error->status;
}

enum tn_status tn_draft_remove_function(struct tn_draft *draft, uint32_t graph,
                                        struct tn_error *error)
{
    TN_TRY(draft_expect_graph(draft, graph, error));
    struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);
    if (g->kind != TN_GRAPH_FUNCTION)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "graph %" PRIu32 " is not a function", graph);
    g->is_removed = true;
    return TN_OK;
}

/* ---- a model being changed: its ops and their attributes ---------------- */

/* ---- changes ------------------------------------------------------------ */

static struct tn_bytes *keep_all(struct tn_draft   *draft,
                                 const char *const *texts, uint32_t count,
                                 struct tn_error *error)
{
    struct tn_bytes *kept = tn_new(draft->arena, struct tn_bytes, count, error);

    for (uint32_t i = 0; kept && i < count; i++)
        kept[i] = draft_keep(draft, texts[i], error);
    return kept;
}

static struct tn_draft_change *new_change(struct tn_draft *draft,
                                          struct tn_error *error)
{
    struct tn_draft_change *change =
        tn_new(draft->arena, struct tn_draft_change, 1, error);
    struct tn_draft_change **slot =
        change ? tn_list_push(&draft->changes, struct tn_draft_change *, error)
               : NULL;

    if (!slot)
        return NULL;
    tn_list_init(&change->attrs, draft->memory, sizeof(struct tn_draft_attr));
    *slot = change;
    return change;
}

static struct tn_draft_change *change_from_spec(struct tn_draft         *draft,
                                                const struct tn_op_spec *spec,
                                                struct tn_error         *error)
{
    if (!spec->type || !spec->type[0] ||
        spec->control_count > spec->input_count) {
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "an op needs a type, and no more control inputs than "
                     "inputs");
        return NULL;
    }
    struct tn_draft_change *change = new_change(draft, error);
    if (!change)
        return NULL;
    change->name          = draft_keep(draft, spec->name, error);
    change->type          = draft_keep(draft, spec->type, error);
    change->domain        = draft_keep(draft, spec->domain, error);
    change->input_count   = spec->input_count;
    change->control_count = spec->control_count;
    change->output_count  = spec->output_count;
    change->inputs  = keep_all(draft, spec->inputs, spec->input_count, error);
    change->outputs = keep_all(draft, spec->outputs, spec->output_count, error);
    return tn_failed(error) ? NULL : change;
}

static void add_wire_attrs(struct tn_draft *draft, const struct tn_model *from,
                           const struct tn_op     *row,
                           struct tn_draft_change *change,
                           struct tn_error        *error)
{
    struct tn_span  span = { NULL, row->wire_offset, row->wire_length };
    struct tn_bytes name;
    struct tn_span  wire;

    if (!row->wire_length)
        return;
    span.source = *tn_list_at(&from->sources, struct tn_source *, row->source);
    struct tn_cursor node = tn_cursor_span(span, error);
    while (draft->dialect->next_attr(&node, &name, &wire)) {
        struct tn_draft_attr *attr =
            tn_list_push(&change->attrs, struct tn_draft_attr, error);
        if (attr)
            *attr = (struct tn_draft_attr){ name, wire, NULL };
    }
}

static void add_slot_attrs(const struct tn_model *from, const struct tn_op *row,
                           struct tn_draft_change *change,
                           struct tn_error        *error)
{
    for (uint32_t i = 0; i < row->attr_count; i++) {
        const struct tn_attr_slot *slot = tn_list_at(
            &from->attrs, struct tn_attr_slot, (uint64_t)row->first_attr + i);
        struct tn_draft_attr *attr =
            tn_list_push(&change->attrs, struct tn_draft_attr, error);
        if (attr)
            *attr = (struct tn_draft_attr){ tn_model_name(from, slot->name),
                                            slot->wire, slot->value };
    }
}

/* The op as a specification, so that a part of it can be changed. */
static struct tn_draft_change *change_from_row(struct tn_draft       *draft,
                                               const struct tn_model *from,
                                               uint32_t               row,
                                               struct tn_error       *error)
{
    const struct tn_op     *o      = tn_model_op_at(from, row);
    struct tn_draft_change *change = new_change(draft, error);

    if (!change)
        return NULL;
    change->name          = tn_model_name(from, o->name);
    change->type          = tn_model_name(from, o->type);
    change->domain        = tn_model_name(from, o->domain);
    change->input_count   = o->input_count;
    change->control_count = o->control_count;
    change->output_count  = o->output_count;
    change->inputs =
        tn_new(draft->arena, struct tn_bytes, o->input_count, error);
    change->outputs =
        tn_new(draft->arena, struct tn_bytes, o->output_count, error);
    for (uint32_t i = 0; change->inputs && i < o->input_count; i++)
        change->inputs[i] =
            tn_model_value_name(from, tn_op_input(from, row, i));
    for (uint32_t i = 0; change->outputs && i < o->output_count; i++)
        change->outputs[i] =
            tn_model_value_name(from, tn_op_output(from, row, i));
    if (o->first_attr == TN_NONE)
        add_wire_attrs(draft, from, o, change, error);
    else
        add_slot_attrs(from, o, change, error);
    return tn_failed(error) ? NULL : change;
}

struct tn_draft_change *tn_draft_touch_op(struct tn_draft *draft, uint32_t op,
                                          struct tn_error *error)
{
    struct tn_draft_op *o = tn_draft_op_at(draft, op);

    if (!o->change) {
        struct tn_draft_change *change =
            change_from_row(draft, o->from, o->row, error);
        if (!change)
            return NULL;
        o->change = change;
    }
    return tn_draft_touch_graph(draft, o->graph, error) == TN_OK ? o->change
                                                              : NULL;
}

/* A changed graph inside a node changes the node, and so on outwards: the
 * attribute that holds it is then written from the tables. */
enum tn_status tn_draft_touch_graph(struct tn_draft *draft, uint32_t graph,
                                    struct tn_error *error)
{
    struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);

    if (g->is_touched)
        return TN_OK;
    g->is_touched = true;
    if (g->parent_op == TN_NONE)
        return TN_OK;
    return tn_draft_touch_op(draft, g->parent_op, error) ? TN_OK : error->status;
}

/* ---- ops ---------------------------------------------------------------- */

enum tn_status tn_draft_expect_op(const struct tn_draft *draft, uint32_t op,
                                  struct tn_error *error)
{
    if (op < draft->ops.count && !tn_draft_op_at(draft, op)->is_removed)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "there is no op %" PRIu32, op);
}

/* Takes the op at the end of the graph's list and puts it before another. */
static void move_before(struct tn_draft *draft, uint32_t op, uint32_t before)
{
    struct tn_draft_op    *o    = tn_draft_op_at(draft, op);
    struct tn_draft_op    *next = tn_draft_op_at(draft, before);
    struct tn_draft_graph *g    = tn_draft_graph_at(draft, o->graph);

    tn_draft_op_at(draft, o->previous)->next = TN_NONE;
    g->last                                  = o->previous;
    o->previous                              = next->previous;
    o->next                                  = before;
    next->previous                           = op;
    if (o->previous == TN_NONE)
        g->first = op;
    else
        tn_draft_op_at(draft, o->previous)->next = op;
}

enum tn_status tn_draft_add_op(struct tn_draft *draft, uint32_t graph,
                               uint32_t before, const struct tn_op_spec *spec,
                               uint32_t *op, struct tn_error *error)
{
    uint32_t id = (uint32_t)draft->ops.count;

    TN_TRY(draft_expect_graph(draft, graph, error));
    if (before != TN_NONE) {
        TN_TRY(tn_draft_expect_op(draft, before, error));
        if (tn_draft_op_at(draft, before)->graph != graph)
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "op %" PRIu32 " is not in graph %" PRIu32,
                                before, graph);
    }
    struct tn_draft_change *change = change_from_spec(draft, spec, error);
    if (!change || tn_draft_touch_graph(draft, graph, error) != TN_OK)
        return error->status;
    struct tn_draft_op *added = draft_append_op(draft, graph, error);
    if (!added)
        return error->status;
    added->change = change;
    if (before != TN_NONE)
        move_before(draft, id, before);
    if (op)
        *op = id;
    return TN_OK;
}

enum tn_status tn_draft_copy_op(struct tn_draft *draft, uint32_t op,
                                uint32_t before, uint32_t *copy,
                                struct tn_error *error)
{
    uint32_t id = (uint32_t)draft->ops.count;

    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_op  row   = *tn_draft_op_at(draft, op);
    struct tn_draft_op *added = draft_append_op(draft, row.graph, error);
    if (!added)
        return error->status;
    added->from = row.from;
    added->row  = row.row;
    if (before != TN_NONE)
        move_before(draft, id, before);
    *copy = id;
    return tn_draft_touch_op(draft, id, error) ? TN_OK : error->status;
}

enum tn_status tn_draft_replace_op(struct tn_draft *draft, uint32_t op,
                                   const struct tn_op_spec *spec,
                                   struct tn_error         *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_change *change = change_from_spec(draft, spec, error);
    if (!change || tn_draft_touch_graph(draft, tn_draft_op_at(draft, op)->graph,
                                     error) != TN_OK)
        return error->status;
    struct tn_draft_op *o = tn_draft_op_at(draft, op);
    o->from               = NULL; /* nothing of the old node is kept */
    o->change             = change;
    return TN_OK;
}

enum tn_status tn_draft_remove_op(struct tn_draft *draft, uint32_t op,
                                  struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    TN_TRY(tn_draft_touch_graph(draft, tn_draft_op_at(draft, op)->graph, error));
    tn_draft_op_at(draft, op)->is_removed = true;
    return TN_OK;
}

enum tn_status tn_draft_set_input(struct tn_draft *draft, uint32_t op,
                                  uint32_t index, const char *value,
                                  struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);
    if (!change)
        return error->status;
    if (index >= change->input_count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "input %" PRIu32 " of a node that has %" PRIu32
                            ", counted from 0",
                            index, change->input_count);
    if (draft->dialect->producer_of && value[0] == '^')
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a value: control inputs are the last "
                            "inputs, without their '^'",
                            value);
    change->inputs[index] = draft_keep(draft, value, error);
    return error->status;
}

enum tn_status tn_draft_insert_input(struct tn_draft *draft, uint32_t op,
                                     uint32_t index, const char *value,
                                     struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);
    if (!change)
        return error->status;
    uint32_t count = change->input_count;
    if (index > count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "input %" PRIu32 " of %" PRIu32, index, count);
    struct tn_bytes *inputs =
        tn_new(draft->arena, struct tn_bytes, (uint64_t)count + 1, error);
    if (!inputs)
        return error->status;
    for (uint32_t i = 0; i < count; i++)
        inputs[i + (i >= index)] = change->inputs[i];
    inputs[index]       = draft_keep(draft, value, error);
    change->inputs      = inputs;
    change->input_count = count + 1;
    return error->status;
}

/* ---- attributes --------------------------------------------------------- */

enum tn_status tn_draft_set_type(struct tn_draft *draft, uint32_t op,
                                 const char *type, struct tn_error *error)
{
    uint64_t kept = 0;

    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);
    if (!change)
        return error->status;
    change->type = draft_keep(draft, type, error);
    for (uint64_t i = 0; i < change->attrs.count; i++) {
        struct tn_draft_attr *attr =
            tn_list_at(&change->attrs, struct tn_draft_attr, i);
        if (attr->name.size && attr->name.data[0] == '_')
            *tn_list_at(&change->attrs, struct tn_draft_attr, kept++) = *attr;
    }
    change->attrs.count = kept;
    return error->status;
}

static struct tn_draft_attr *find_attr(struct tn_draft_change *change,
                                       const char             *name)
{
    for (uint64_t i = 0; i < change->attrs.count; i++) {
        struct tn_draft_attr *attr =
            tn_list_at(&change->attrs, struct tn_draft_attr, i);
        if (tn_bytes_is(attr->name, name))
            return attr;
    }
    return NULL;
}

/* A copy of `count` items of one of the union's arrays. */
static const void *keep_array(struct tn_arena *arena, const void *items,
                              uint32_t count, size_t item_size,
                              struct tn_error *error)
{
    void *copy = tn_arena_array(arena, count, item_size,
                                alignof(max_align_t), error);

    if (copy && count)
        memcpy(copy, items, count * item_size);
    return copy;
}

static void keep_strings(struct tn_arena *arena, struct tn_attr_value *value,
                         struct tn_error *error)
{
    struct tn_bytes *kept =
        tn_new(arena, struct tn_bytes, value->count, error);

    for (uint32_t i = 0; kept && i < value->count; i++)
        kept[i] = tn_bytes_dup(arena, value->of.strings[i], error);
    value->of.strings = kept;
}

static void keep_shapes(struct tn_arena *arena, struct tn_attr_value *value,
                        struct tn_error *error)
{
    struct tn_attr_shape *kept =
        tn_new(arena, struct tn_attr_shape, value->count, error);

    for (uint32_t i = 0; kept && i < value->count; i++) {
        kept[i]      = value->of.shapes[i];
        kept[i].dims = keep_array(arena, kept[i].dims, kept[i].rank,
                                  sizeof(int64_t), error);
    }
    value->of.shapes = kept;
}

static void keep_tensors(struct tn_arena *arena, struct tn_attr_value *value,
                         struct tn_error *error)
{
    const struct tn_tensor **kept =
        tn_new(arena, const struct tn_tensor *, value->count, error);

    for (uint32_t i = 0; kept && i < value->count; i++)
        kept[i] = keep_array(arena, value->of.tensors[i], 1,
                             sizeof(struct tn_tensor), error);
    value->of.tensors = kept;
}

static const struct tn_attr_value *keep_value(struct tn_arena            *arena,
                                              const struct tn_attr_value *from,
                                              struct tn_error            *error)
{
    struct tn_attr_value *value =
        tn_new(arena, struct tn_attr_value, 1, error);

    if (!value)
        return NULL;
    *value = *from;
    switch (value->kind) {
    case TN_ATTR_NONE: break;
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE:
    case TN_ATTR_GRAPH:
        value->of.ints = keep_array(arena, from->of.ints, value->count,
                                    sizeof(int64_t), error);
        break;
    case TN_ATTR_FLOAT:
        value->of.floats = keep_array(arena, from->of.floats, value->count,
                                      sizeof(float), error);
        break;
    case TN_ATTR_DOUBLE:
        value->of.doubles = keep_array(arena, from->of.doubles, value->count,
                                       sizeof(double), error);
        break;
    case TN_ATTR_STRING:
    case TN_ATTR_FUNCTION:
    case TN_ATTR_REFERENCE:
    case TN_ATTR_OTHER: keep_strings(arena, value, error); break;
    case TN_ATTR_SHAPE: keep_shapes(arena, value, error); break;
    case TN_ATTR_TENSOR: keep_tensors(arena, value, error); break;
    }
    return tn_failed(error) ? NULL : value;
}

enum tn_status tn_draft_set_attr(struct tn_draft *draft, uint32_t op,
                                 const char                 *name,
                                 const struct tn_attr_value *value,
                                 struct tn_error            *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    if (!value->is_list && value->count != 1)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "attribute '%s': %" PRIu32 " values and no list",
                            name, value->count);
    struct tn_draft_change     *change = tn_draft_touch_op(draft, op, error);
    const struct tn_attr_value *kept   = keep_value(draft->arena, value, error);
    if (!change || !kept)
        return error->status;
    struct tn_draft_attr *attr = find_attr(change, name);
    if (!attr)
        attr = tn_list_push(&change->attrs, struct tn_draft_attr, error);
    if (!attr)
        return error->status;
    *attr = (struct tn_draft_attr){ .name  = draft_keep(draft, name, error),
                                    .value = kept };
    return error->status;
}

static bool find_changed(struct tn_draft_change *change, const char *name,
                         struct tn_draft_attr *found)
{
    const struct tn_draft_attr *attr = find_attr(change, name);

    if (attr)
        *found = *attr;
    return attr != NULL;
}

/* In the slots of an earlier edit, or in the file. */
static bool find_unchanged(const struct tn_draft    *draft,
                           const struct tn_draft_op *o, const char *name,
                           struct tn_draft_attr *found, struct tn_error *error)
{
    const struct tn_op *row = tn_model_op_at(o->from, o->row);

    for (uint32_t i = 0; row->first_attr != TN_NONE && i < row->attr_count;
         i++) {
        const struct tn_attr_slot *slot =
            tn_list_at(&o->from->attrs, struct tn_attr_slot,
                       (uint64_t)row->first_attr + i);
        *found = (struct tn_draft_attr){ tn_model_name(o->from, slot->name),
                                         slot->wire, slot->value };
        if (tn_bytes_is(found->name, name))
            return true;
    }
    if (row->first_attr != TN_NONE || !row->wire_length)
        return false;
    struct tn_cursor node = tn_cursor_span(tn_model_op_wire(o->from, row), error);
    found->value          = NULL;
    while (draft->dialect->next_attr(&node, &found->name, &found->wire))
        if (tn_bytes_is(found->name, name))
            return true;
    return false;
}

enum tn_status tn_draft_get_attr(const struct tn_draft *draft, uint32_t op,
                                 const char *name, struct tn_arena *arena,
                                 struct tn_attr_value *value,
                                 struct tn_error      *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    const struct tn_draft_op *o     = tn_draft_op_at(draft, op);
    struct tn_draft_attr      found = { .value = NULL };

    if (!(o->change ? find_changed(o->change, name, &found)
                    : find_unchanged(draft, o, name, &found, error)))
        return tn_failed(error) ? error->status
                                : tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                               "no attribute '%s'", name);
    if (!found.value)
        return draft->dialect->decode(o->from, o->row, found.wire, arena, value,
                                      error);
    *value = *found.value;
    return TN_OK;
}

enum tn_status tn_draft_remove_attr(struct tn_draft *draft, uint32_t op,
                                    const char *name, struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);
    if (!change)
        return error->status;
    struct tn_draft_attr *attr = find_attr(change, name);
    if (!attr)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no attribute '%s'", name);
    struct tn_draft_attr *end =
        tn_list_at(&change->attrs, struct tn_draft_attr, change->attrs.count);
    memmove(attr, attr + 1, (size_t)(end - attr - 1) * sizeof *attr);
    change->attrs.count--;
    return TN_OK;
}

/* ---- which variables are trained, and how: a draft's training ----------- */

/* Only SameDiff models have these. */
static enum tn_status expect_training(const struct tn_draft *draft,
                                      struct tn_error       *error)
{
    const char *dialect = draft->dialect ? draft->dialect->name : "";

    if (tn_dialect_facts(dialect)->has_training)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "models of %s say nothing about training",
                        draft->dialect ? dialect : "tensors");
}

/* ---- kinds of variables ------------------------------------------------- */

/* Committed models share the old inputs and outputs. */
static enum tn_status drop_input(struct tn_draft *draft, uint32_t graph,
                                 struct tn_bytes name, struct tn_error *error)
{
    struct tn_draft_graph *g     = tn_draft_graph_at(draft, graph);
    uint32_t               count = 0;
    struct tn_io          *fresh =
        tn_new(draft->arena, struct tn_io, g->inputs.count, error);

    for (uint32_t i = 0; fresh && i < g->inputs.count; i++)
        if (!tn_bytes_equal(g->inputs.items[i].name, name))
            fresh[count++] = g->inputs.items[i];
    if (fresh)
        g->inputs = (struct tn_io_list){ count, fresh };
    return error->status;
}

static enum tn_status add_input(struct tn_draft              *draft,
                                const struct tn_draft_tensor *tensor,
                                struct tn_error              *error)
{
    struct tn_draft_graph *g     = tn_draft_graph_at(draft, tensor->row.graph);
    const struct tn_shape *shape = &tensor->row.elements.shape;
    uint32_t               count = g->inputs.count;
    struct tn_io          *fresh =
        tn_new(draft->arena, struct tn_io, (uint64_t)count + 1, error);
    struct tn_dim *dims =
        tn_new(draft->arena, struct tn_dim, shape->rank, error);

    if (!fresh || !dims)
        return error->status;
    for (uint32_t i = 0; i < count; i++)
        fresh[i] = g->inputs.items[i];
    for (uint32_t i = 0; i < shape->rank; i++)
        dims[i].value = (int64_t)shape->dims[i];
    fresh[count] = (struct tn_io){ .name     = tensor->name,
                                   .dtype    = shape->dtype,
                                   .has_rank = true,
                                   .rank     = shape->rank,
                                   .dims     = dims,
                                   .note     = "" };
    g->inputs    = (struct tn_io_list){ count + 1, fresh };
    return TN_OK;
}

enum tn_status tn_draft_set_variable(struct tn_draft *draft, uint32_t graph,
                                     const char           *name,
                                     enum tn_variable_kind kind,
                                     struct tn_error      *error)
{
    struct tn_draft_tensor *tensor;

    TN_TRY(expect_training(draft, error));
    TN_TRY(draft_expect_graph(draft, graph, error));
    TN_TRY(draft_expect_tensor(draft, graph, name, &tensor, error));
    if (tensor->row.role == TN_ROLE_STATE)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is the state of an updater, no variable",
                            name);
    TN_TRY(tn_draft_touch_graph(draft, graph, error));
    TN_TRY(drop_input(draft, graph, tensor->name, error));
    if (kind == TN_VARIABLE_PLACEHOLDER) {
        TN_TRY(add_input(draft, tensor, error));
        tensor->is_removed = true;
    }
    tensor->row.role =
        kind == TN_VARIABLE_TRAINED ? TN_ROLE_VARIABLE : TN_ROLE_INITIALIZER;
    return TN_OK;
}

/* ---- the configuration -------------------------------------------------- */

enum tn_status tn_draft_set_training(struct tn_draft *draft,
                                     struct tn_bytes  json,
                                     struct tn_error *error)
{
    TN_TRY(expect_training(draft, error));
    draft->training =
        json.data ? tn_bytes_dup(draft->arena, json, error) : tn_bytes(NULL, 0);
    draft->has_other_training = true;
    return error->status;
}

enum tn_status tn_draft_set_losses(struct tn_draft   *draft,
                                   const char *const *names, uint32_t count,
                                   struct tn_error *error)
{
    TN_TRY(expect_training(draft, error));
    struct tn_bytes *kept = tn_new(draft->arena, struct tn_bytes, count, error);

    for (uint32_t i = 0; kept && i < count; i++)
        kept[i] = draft_keep(draft, names[i], error);
    if (tn_failed(error))
        return error->status;
    draft->losses             = kept;
    draft->loss_count         = count;
    draft->has_other_training = true;
    return TN_OK;
}

/* ---- states ------------------------------------------------------------- */

/* The parameter that a state belongs to; its elements are like the state's. */
static enum tn_status expect_parameter(const struct tn_draft    *draft,
                                       const char               *param,
                                       const struct tn_elements *elements,
                                       struct tn_error          *error)
{
    struct tn_draft_tensor *tensor;

    TN_TRY(draft_expect_tensor(draft, 0, param, &tensor, error));
    if (tensor->row.role == TN_ROLE_STATE ||
        !tn_shape_equal(&tensor->row.elements.shape, &elements->shape))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the state of '%s' has another type or shape than "
                            "it",
                            param);
    return TN_OK;
}

enum tn_status tn_draft_set_state(struct tn_draft *draft, const char *param,
                                  const char               *name,
                                  const struct tn_elements *elements,
                                  struct tn_error          *error)
{
    struct tn_error own = TN_ERROR_INIT;

    TN_TRY(expect_training(draft, error));
    TN_TRY(expect_parameter(draft, param, elements, error));
    if (tn_draft_replace_tensor(draft, 0, name, elements, &own) == TN_OK)
        return TN_OK;
    if (own.status != TN_NOT_FOUND) {
        *error = own;
        return error->status;
    }
    TN_TRY(tn_draft_add_tensor(draft, 0, name, elements, error));
    tn_list_at(&draft->tensors, struct tn_draft_tensor,
               draft->tensors.count - 1)
        ->row.role            = TN_ROLE_STATE;
    draft->has_other_training = true;
    return TN_OK;
}

enum tn_status tn_draft_remove_states(struct tn_draft *draft,
                                      tn_draft_claim *is_one, void *context,
                                      struct tn_error *error)
{
    TN_TRY(expect_training(draft, error));
    TN_TRY(tn_draft_touch_graph(draft, 0, error));
    for (uint64_t i = 0; i < draft->tensors.count; i++) {
        struct tn_draft_tensor *tensor =
            tn_list_at(&draft->tensors, struct tn_draft_tensor, i);
        if (tensor->row.role == TN_ROLE_STATE && is_one(context, tensor->name))
            tensor->is_removed = true;
    }
    draft->has_other_training = true;
    return TN_OK;
}

/* ---- another model at the end -------------------------------------------- */

struct appending {
    struct tn_draft       *draft;
    const struct tn_model *from;
    tn_draft_namer        *rename;
    void                  *context;
    struct tn_error       *error;
    uint32_t              *graphs; /* by graph of the model: of the draft     */
    uint32_t              *first;  /* by graph of the model: its first op     */
};

static struct tn_bytes renamed(const struct appending *a, struct tn_bytes name)
{
    return name.size ? a->rename(a->context, name, false) : name;
}

/* Op `id` of the draft is a row of the other model. */
static enum tn_status rename_row(struct appending *a, uint32_t id)
{
    struct tn_draft_change *change = tn_draft_touch_op(a->draft, id, a->error);

    if (!change)
        return a->error->status;
    if (change->name.size)
        change->name = a->rename(a->context, change->name, true);
    for (uint32_t i = 0; i < change->input_count; i++)
        change->inputs[i] = renamed(a, change->inputs[i]);
    for (uint32_t i = 0; i < change->output_count; i++)
        change->outputs[i] = renamed(a, change->outputs[i]);
    return a->error->status;
}

static enum tn_status append_main(struct appending *a)
{
    const struct tn_graph *main = tn_model_graph_at(a->from, 0);

    a->graphs[0] = 0;
    a->first[0]  = (uint32_t)a->draft->ops.count;
    TN_TRY(tn_draft_touch_graph(a->draft, 0, a->error));
    for (uint64_t i = 0; i < main->op_count; i++) {
        struct tn_draft_op *op = draft_append_op(a->draft, 0, a->error);
        if (!op)
            return a->error->status;
        op->from = a->from;
        op->row  = main->first_op + (uint32_t)i;
        TN_TRY(rename_row(a, a->first[0] + (uint32_t)i));
    }
    return TN_OK;
}

static struct tn_io_list rename_ios(struct appending *a, struct tn_io_list was)
{
    struct tn_io *all =
        tn_new(a->draft->arena, struct tn_io, was.count, a->error);

    for (uint32_t i = 0; all && i < was.count; i++) {
        all[i]      = was.items[i];
        all[i].key  = all[i].key.size ? all[i].key : all[i].name;
        all[i].name = renamed(a, all[i].name);
    }
    return (struct tn_io_list){ all ? was.count : 0, all };
}

static enum tn_status append_inner(struct appending *a, uint32_t row)
{
    const struct tn_graph *r  = tn_model_graph_at(a->from, row);
    uint32_t               id = take_graph(a->draft, a->from, row, a->error);

    if (id == TN_NONE)
        return a->error->status;
    struct tn_draft_graph *g = tn_draft_graph_at(a->draft, id);
    a->graphs[row]           = id;
    a->first[row]            = g->first;
    g->parent                = a->graphs[r->parent_graph];
    g->parent_op             = a->first[r->parent_graph] + r->parent_node;
    g->is_touched            = true;
    g->has_other_io          = true;
    g->drops_values          = true;
    g->inputs                = rename_ios(a, r->inputs);
    g->outputs               = rename_ios(a, r->outputs);
    for (uint64_t i = 0; i < r->op_count && !tn_failed(a->error); i++)
        rename_row(a, a->first[row] + (uint32_t)i);
    return a->error->status;
}

static enum tn_status append_tensor(struct appending       *a,
                                    const struct tn_tensor *from)
{
    if (from->graph == TN_NONE || a->graphs[from->graph] == TN_NONE)
        return TN_OK;
    struct tn_draft_tensor *tensor =
        tn_list_push(&a->draft->tensors, struct tn_draft_tensor, a->error);
    if (!tensor)
        return a->error->status;
    tensor->row       = *from;
    tensor->row.graph = a->graphs[from->graph];
    tensor->name      = tn_tensor_name(from);
    if (from->node != TN_NONE) {
        tensor->row.node = a->first[from->graph] + from->node;
        return TN_OK;
    }
    tensor->name            = renamed(a, tensor->name);
    tensor->row.wire        = (struct tn_span){ NULL, 0, 0 };
    tensor->row.is_external = false;
    return a->error->status;
}

static enum tn_status append_all(struct appending *a)
{
    uint32_t count = (uint32_t)a->from->graphs.count;

    memset(a->graphs, 0xff, count * sizeof *a->graphs);
    TN_TRY(append_main(a));
    for (uint32_t i = 1; i < count; i++) {
        const struct tn_graph *g = tn_model_graph_at(a->from, i);
        if (g->kind == TN_GRAPH_SUBGRAPH && g->parent_graph < i &&
            a->graphs[g->parent_graph] != TN_NONE && g->parent_node != TN_NONE)
            TN_TRY(append_inner(a, i));
    }
    for (uint64_t i = 0; i < a->from->tensors.count; i++)
        TN_TRY(append_tensor(a, tn_model_tensor(a->from, i)));
    return TN_OK;
}

enum tn_status tn_draft_append(struct tn_draft       *draft,
                               const struct tn_model *from,
                               tn_draft_namer *rename, void *context,
                               struct tn_error *error)
{
    uint64_t         count = from->graphs.count;
    struct appending a     = {
            .draft   = draft,
            .from    = from,
            .rename  = rename,
            .context = context,
            .error   = error,
            .graphs  = tn_new(draft->arena, uint32_t, count, error),
            .first   = tn_new(draft->arena, uint32_t, count, error),
    };

    if (from->dialect != draft->dialect)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "it is not of the same dialect");
    return a.graphs && a.first ? append_all(&a) : error->status;
}
