/* draft_commit.c - laying a draft out as the flat tables of a new model */
#include <inttypes.h>
#include <stdio.h>

#include "ir/changes.h"
#include "ir/dialect_facts.h"
#include "ir/draft.h"

struct layout {
    struct tn_draft *draft;
    struct tn_model *model;
    struct tn_error *error;
    uint32_t *signature_graphs; /* the model's, until they are numbered */
};

static uint32_t intern(struct layout *to, struct tn_bytes text)
{
    if (text.size == 0)
        return TN_NO_NAME;
    return tn_intern_copy(&to->model->names, text, to->error);
}

/* ---- what the format says about itself ---------------------------------- */

static void copy_list(struct tn_list *to, const struct tn_list *from,
                      struct tn_error *error)
{
    void *items = from->count ? tn_list_grow(to, from->count, error) : NULL;

    if (items)
        memcpy(items, from->items, (size_t)(from->count * from->item_size));
}

/* Facts of the base that are wrong once the training changes. */
static bool is_about_training(struct tn_bytes key)
{
    static const char *const keys[] = { "updater",        "learning_rate",
                                        "regularization", "iterations",
                                        "epochs",         "state",
                                        "loss",           NULL };

    for (const char *const *known = keys; *known; known++)
        if (tn_bytes_is(key, *known))
            return true;
    return false;
}

static void copy_facts(struct layout *to, const struct tn_model *base)
{
    struct tn_list *facts = &to->model->facts;
    uint64_t        kept  = 0;

    copy_list(facts, &base->facts, to->error);
    for (uint64_t i = 0; to->draft->has_other_training &&
                         i < base->facts.count && !tn_failed(to->error);
         i++) {
        const struct tn_fact *fact = tn_list_at(facts, struct tn_fact, i);
        if (!is_about_training(fact->key))
            *tn_list_at(facts, struct tn_fact, kept++) = *fact;
    }
    if (to->draft->has_other_training && !tn_failed(to->error))
        facts->count = kept;
}

static const struct tn_draft_signature *signature_set(
    const struct tn_draft *draft, struct tn_bytes name)
{
    for (uint64_t i = 0; i < draft->signatures.count; i++) {
        const struct tn_draft_signature *row =
            tn_list_at(&draft->signatures, struct tn_draft_signature, i);
        if (tn_bytes_equal(row->now.name, name))
            return row;
    }
    return NULL;
}

static bool has_signature(const struct tn_model *base, struct tn_bytes name)
{
    for (uint64_t i = 0; i < base->signatures.count; i++)
        if (tn_bytes_equal(
                tn_list_at(&base->signatures, struct tn_signature, i)->name,
                name))
            return true;
    return false;
}

static void add_signature(struct layout *to, const struct tn_signature *one,
                          uint32_t graph, uint32_t *graphs)
{
    struct tn_list      *list = &to->model->signatures;
    struct tn_signature *slot =
        tn_list_push(list, struct tn_signature, to->error);

    if (slot)
        *slot = *one;
    if (slot && graphs)
        graphs[list->count - 1] = graph;
}

/* The graphs of the base in their order, and then new ones. */
static void copy_signatures(struct layout *to, const struct tn_model *base)
{
    const struct tn_draft *draft  = to->draft;
    uint64_t               most   = base->signatures.count + draft->signatures.count;
    uint32_t              *graphs = NULL;

    if (base->signature_graphs &&
        !(graphs = tn_new(&to->model->arena, uint32_t, most, to->error)))
        return;
    for (uint64_t i = 0; i < base->signatures.count; i++) {
        const struct tn_signature *old =
            tn_list_at(&base->signatures, struct tn_signature, i);
        const struct tn_draft_signature *set = signature_set(draft, old->name);

        if (!set || !set->is_removed)
            add_signature(to, set ? &set->now : old,
                          graphs ? base->signature_graphs[i] : 0, graphs);
    }
    for (uint64_t i = 0; i < draft->signatures.count; i++) {
        const struct tn_draft_signature *set =
            tn_list_at(&draft->signatures, struct tn_draft_signature, i);

        if (!set->is_removed && !has_signature(base, set->now.name))
            add_signature(to, &set->now, 0, graphs);
    }
    to->model->signature_graphs = to->signature_graphs = graphs;
}

static void copy_head(struct layout *to)
{
    static const struct tn_model nothing;
    const struct tn_model       *base = to->draft->base;

    copy_signatures(to, base ? base : &nothing);
    to->model->dialect     = to->draft->dialect;
    to->model->wants_graph = true;
    to->model->is_edited   = true;
    to->model->training    = to->draft->training;
    to->model->losses      = to->draft->losses;
    to->model->loss_count  = to->draft->loss_count;
    if (!base)
        return;
    to->model->format              = base->format;
    to->model->title               = base->title;
    to->model->wire                = base->wire;
    to->model->file_size           = base->file_size;
    to->model->detail              = base->detail;
    to->model->has_variables_apart = base->has_variables_apart;
    copy_facts(to, base);
    copy_list(&to->model->tags, &base->tags, to->error);
}

/* The graph of the committed model that a graph of the base became. */
static uint32_t placed_graph(const struct tn_draft *draft,
                             const struct tn_model *from, int64_t row)
{
    for (uint32_t i = 0; i < draft->graphs.count; i++) {
        const struct tn_draft_graph *g = tn_draft_graph_at(draft, i);
        if (g->from == from && g->row == row && g->placed != TN_NONE)
            return g->placed;
    }
    return TN_NONE;
}

/* Graphs have other numbers after one was removed.  A signature of a removed
 * graph is removed, too, unless the edit sets it: then the writer refuses
 * it. */
static void number_signatures(struct layout *to)
{
    const struct tn_draft *draft  = to->draft;
    struct tn_list        *list   = &to->model->signatures;
    uint32_t              *graphs = to->signature_graphs;
    uint64_t               kept   = 0;

    for (uint64_t i = 0; graphs && i < list->count; i++) {
        struct tn_signature *one = tn_list_at(list, struct tn_signature, i);
        uint32_t graph           = placed_graph(draft, draft->base, graphs[i]);
        if (graph == TN_NONE && !signature_set(draft, one->name))
            continue;
        *tn_list_at(list, struct tn_signature, kept) = *one;
        graphs[kept++]                               = graph;
    }
    if (graphs)
        list->count = kept;
}

/* ---- ops ---------------------------------------------------------------- */

static void add_input(struct layout *to, uint32_t graph, struct tn_bytes name)
{
    uint32_t value = TN_NONE;

    if (name.size)
        value = tn_model_value(to->model, graph, intern(to, name), to->error);
    tn_model_add_input(to->model, value, to->error);
}

static void add_output(struct layout *to, uint32_t graph, uint32_t op,
                       uint32_t index, struct tn_bytes name)
{
    uint32_t value = TN_NONE;

    if (name.size)
        value = tn_model_value(to->model, graph, intern(to, name), to->error);
    tn_model_add_output(to->model, value, to->error);
    tn_model_define(to->model, value, TN_VALUE_OUTPUT, op, index);
}

/* The bytes of the node in the file, if it came from one. */
static void set_wire(struct layout *to, struct tn_op *row,
                     const struct tn_draft_op *op)
{
    if (!op->from)
        return;
    const struct tn_op *old = tn_model_op_at(op->from, op->row);
    if (!old->wire_length)
        return;
    row->wire_offset = old->wire_offset;
    row->wire_length = old->wire_length;
    row->source      = tn_model_source_id(
             to->model,
             *tn_list_at(&op->from->sources, struct tn_source *, old->source),
             to->error);
}

/* Graph numbers are those of an earlier commit; point_at_subgraph() gives new
 * ones to graphs that are in the slot's bytes. */
static const struct tn_attr_value *without_old_graphs(
    const struct tn_attr_value *value, struct tn_span wire)
{
    return value && value->kind == TN_ATTR_GRAPH && wire.source ? NULL : value;
}

static void add_slots(struct layout *to, struct tn_op *row,
                      const struct tn_draft_change *change)
{
    row->first_attr = (uint32_t)to->model->attrs.count;
    for (uint64_t i = 0; i < change->attrs.count; i++) {
        const struct tn_draft_attr *attr =
            tn_list_at(&change->attrs, struct tn_draft_attr, i);
        struct tn_attr_slot *slot =
            tn_list_push(&to->model->attrs, struct tn_attr_slot, to->error);
        if (!slot)
            return;
        *slot =
            (struct tn_attr_slot){ intern(to, attr->name),
                                   without_old_graphs(attr->value, attr->wire),
                                   attr->wire };
        row->attr_count++;
    }
}

/* Slots of an op that an earlier edit changed and this one does not. */
static void copy_slots(struct layout *to, struct tn_op *row,
                       const struct tn_draft_op *op)
{
    const struct tn_op *old = tn_model_op_at(op->from, op->row);

    if (old->first_attr == TN_NONE)
        return;
    row->first_attr = (uint32_t)to->model->attrs.count;
    for (uint32_t i = 0; i < old->attr_count; i++) {
        const struct tn_attr_slot *from =
            tn_list_at(&op->from->attrs, struct tn_attr_slot,
                       (uint64_t)old->first_attr + i);
        struct tn_attr_slot *slot =
            tn_list_push(&to->model->attrs, struct tn_attr_slot, to->error);
        if (!slot)
            return;
        *slot       = *from;
        slot->name  = intern(to, tn_model_name(op->from, from->name));
        slot->value = without_old_graphs(from->value, from->wire);
        row->attr_count++;
    }
}

static void place_changed(struct layout *to, uint32_t graph, uint32_t id,
                          const struct tn_draft_op *op)
{
    const struct tn_draft_change *change = op->change;
    struct tn_op                 *row    = tn_model_op_at(to->model, id);

    row->name          = intern(to, change->name);
    row->type          = intern(to, change->type);
    row->domain        = intern(to, change->domain);
    row->control_count = change->control_count;
    add_slots(to, row, change);
    set_wire(to, row, op);
    for (uint32_t i = 0; i < change->input_count; i++)
        add_input(to, graph, change->inputs[i]);
    if (!to->draft->dialect->names_outputs)
        add_output(to, graph, id, 0, change->name);
    else
        for (uint32_t i = 0; i < change->output_count; i++)
            add_output(to, graph, id, i, change->outputs[i]);
}

static void place_row(struct layout *to, uint32_t graph, uint32_t id,
                      const struct tn_draft_op *op)
{
    const struct tn_model *from = op->from;
    const struct tn_op    *old  = tn_model_op_at(from, op->row);
    struct tn_op          *row  = tn_model_op_at(to->model, id);

    row->name          = intern(to, tn_model_name(from, old->name));
    row->type          = intern(to, tn_model_name(from, old->type));
    row->domain        = intern(to, tn_model_name(from, old->domain));
    row->control_count = old->control_count;
    copy_slots(to, row, op);
    set_wire(to, row, op);
    for (uint32_t i = 0; i < old->input_count; i++)
        add_input(to, graph,
                  tn_model_value_name(from, tn_op_input(from, op->row, i)));
    for (uint32_t i = 0; i < old->output_count; i++)
        add_output(to, graph, id, i,
                   tn_model_value_name(from, tn_op_output(from, op->row, i)));
}

static void place_op(struct layout *to, uint32_t graph, struct tn_draft_op *op)
{
    uint32_t id = tn_model_add_op(to->model, graph, to->error);

    if (id == TN_NONE)
        return;
    op->placed = id;
    if (op->change)
        place_changed(to, graph, id, op);
    else
        place_row(to, graph, id, op);
    tn_model_count_op(to->model, tn_model_op_at(to->model, id)->domain,
                      tn_model_op_at(to->model, id)->type, to->error);
    tn_model_graph_at(to->model, graph)->op_count++;
}

/* ---- graphs ------------------------------------------------------------- */

/* Numbers of graphs in a value without a wire are those of the model that the
 * op is from; new ops and new values have those of the draft, which are the
 * same as those of its base. */
static bool is_numbered_by_draft(const struct tn_draft    *draft,
                                 const struct tn_draft_op *op)
{
    return !op->from || op->from == draft->base;
}

/* The attribute of a changed op whose value names a graph, and which of the
 * value's graphs it is; NULL: none does. */
static const struct tn_draft_attr *attr_naming(const struct tn_draft *draft,
                                               uint32_t graph, uint32_t *slot,
                                               uint32_t *index)
{
    const struct tn_draft_graph *g  = tn_draft_graph_at(draft, graph);
    const struct tn_draft_op    *op = tn_draft_op_at(draft, g->parent_op);
    uint32_t id = is_numbered_by_draft(draft, op) ? graph : g->row;

    for (*slot = 0; op->change && *slot < op->change->attrs.count; ++*slot) {
        const struct tn_draft_attr *attr =
            tn_list_at(&op->change->attrs, struct tn_draft_attr, *slot);
        if (!attr->value || attr->value->kind != TN_ATTR_GRAPH ||
            attr->wire.source)
            continue;
        for (*index = 0; *index < attr->value->count; ++*index)
            if (attr->value->of.ints[*index] == (int64_t)id)
                return attr;
    }
    return NULL;
}

/* "graph.node[3].attribute[0].g", of a new graph. */
static const char *path_in_attr(struct layout *to, uint32_t graph,
                                const char *node, uint32_t *slot)
{
    uint32_t                    index;
    const struct tn_draft_attr *attr =
        attr_naming(to->draft, graph, slot, &index);

    if (!attr || !attr->value->is_list)
        return tn_text_format(&to->model->arena, to->error,
                              "%s.attribute[%" PRIu32 "].g", node, *slot);
    return tn_text_format(&to->model->arena, to->error,
                          "%s.attribute[%" PRIu32 "].graphs[%" PRIu32 "]", node,
                          *slot, index);
}

/* The path of a graph now: numbers of nodes may have changed. */
static const char *path_of(struct layout *to, uint32_t graph, uint32_t parent,
                           uint32_t node, uint32_t *slot)
{
    const struct tn_draft_graph *g = tn_draft_graph_at(to->draft, graph);
    char                         old[512], now[512];

    if (!g->from && g->kind == TN_GRAPH_MAIN)
        return tn_dialect_facts(to->draft->dialect->name)->main_graph;
    if (!g->from && g->kind == TN_GRAPH_SUBGRAPH) {
        tn_model_path_of(to->model, parent, node, now, sizeof now);
        return path_in_attr(to, graph, now, slot);
    }
    if (!g->from)
        return tn_text_format(&to->model->arena, to->error, "functions['%.*s']",
                              TN_FMT(g->name));
    const struct tn_graph *row = tn_model_graph_at(g->from, g->row);
    if (parent == TN_NONE || node == TN_NONE)
        return row->path;
    size_t length = tn_model_path_of(g->from, row->parent_graph,
                                     row->parent_node, old, sizeof old);
    tn_model_path_of(to->model, parent, node, now, sizeof now);
    const char *tail = length < strlen(row->path) ? row->path + length : "";
    return tn_text_format(&to->model->arena, to->error, "%s%s", now, tail);
}

static void fill_graph(struct layout *to, uint32_t id,
                       const struct tn_draft_graph *g, uint32_t parent,
                       uint32_t node)
{
    struct tn_graph *row = tn_model_graph_at(to->model, id);

    row->name         = intern(to, g->name);
    row->domain       = intern(to, g->domain);
    row->inputs       = g->inputs;
    row->outputs      = g->outputs;
    row->parent_graph = parent;
    row->parent_node  = node;
    row->is_touched   = g->is_touched;
    row->has_other_io = g->has_other_io;
    row->drops_values = g->drops_values;
    row->values       = g->values;
    if (!g->from && parent != TN_NONE)
        row->depth = tn_model_graph_at(to->model, parent)->depth + 1;
    if (!g->from)
        return;
    const struct tn_graph *old = tn_model_graph_at(g->from, g->row);
    row->parent_slot           = old->parent_slot;
    row->depth                 = old->depth;
    row->wire                  = old->wire;
    row->is_touched |= old->is_touched;
}

/* Where inputs of the main graph are ops (Placeholder, feed), those define
 * them. Where values are named after the ops that make them, the outputs of a
 * function are references such as "add:z:0", which find_producers() follows. */
static void define_io_list(struct layout *to, uint32_t graph,
                           const struct tn_draft_graph *g)
{
    bool              by_op   = to->draft->dialect->producer_of != NULL;
    struct tn_io_list io_list = g->inputs;

    for (uint32_t i = 0;
         by_op && g->kind == TN_GRAPH_FUNCTION && i < g->outputs.count; i++)
        tn_model_value(to->model, graph, intern(to, g->outputs.items[i].name),
                       to->error);
    if (g->kind == TN_GRAPH_MAIN &&
        (by_op ||
         tn_dialect_facts(to->draft->dialect->name)->has_inputs_as_ops))
        return;
    for (uint32_t i = 0; i < io_list.count; i++) {
        if (io_list.items[i].name.size == 0)
            continue;
        uint32_t value = tn_model_value(
            to->model, graph, intern(to, io_list.items[i].name), to->error);
        tn_model_define(to->model, value, TN_VALUE_INPUT, TN_NONE, 0);
    }
}

static bool is_inside(struct tn_span part, struct tn_span whole)
{
    return whole.source == part.source && part.offset >= whole.offset &&
           part.offset - whole.offset < whole.length;
}

/* Whether a value in the row of an op names a graph of the same model. */
static bool is_in_slot(const struct tn_model *model, uint32_t op,
                       uint32_t graph)
{
    const struct tn_op *row = tn_model_op_at(model, op);

    for (uint32_t i = 0; row->first_attr != TN_NONE && i < row->attr_count;
         i++) {
        const struct tn_attr_slot *slot =
            tn_list_at(&model->attrs, struct tn_attr_slot,
                       (uint64_t)row->first_attr + i);
        for (uint32_t k = 0; slot->value && !slot->wire.source &&
                             slot->value->kind == TN_ATTR_GRAPH &&
                             k < slot->value->count;
             k++)
            if (slot->value->of.ints[k] == (int64_t)graph)
                return true;
    }
    return false;
}

/* Whether the op that a graph is in has lost the attribute that holds the
 * graph.  Graphs that are beside their ops in the file, and only named by them,
 * stay. */
static bool has_lost_slot(const struct tn_draft *draft, uint32_t graph)
{
    const struct tn_draft_graph *g  = tn_draft_graph_at(draft, graph);
    const struct tn_draft_op    *op = tn_draft_op_at(draft, g->parent_op);
    uint32_t                     slot, index;

    if (!op->change || attr_naming(draft, graph, &slot, &index))
        return false;
    if (!g->from)
        return true;
    if (op->from != g->from)
        return false;
    struct tn_span wire = tn_model_graph_at(g->from, g->row)->wire;
    if (!wire.source)
        return is_in_slot(op->from, op->row, g->row);
    if (!is_inside(wire, tn_model_op_wire(op->from,
                                          tn_model_op_at(op->from, op->row))))
        return false;
    for (uint64_t i = 0; i < op->change->attrs.count; i++)
        if (is_inside(wire,
                      tn_list_at(&op->change->attrs, struct tn_draft_attr, i)
                          ->wire))
            return false;
    return true;
}

static bool is_gone(const struct tn_draft *draft, uint32_t graph)
{
    const struct tn_draft_graph *g = tn_draft_graph_at(draft, graph);

    if (g->is_removed)
        return true;
    if (g->parent == TN_NONE)
        return false;
    if (g->parent_op == TN_NONE)
        return tn_draft_graph_at(draft, g->parent)->placed == TN_NONE;
    const struct tn_draft_op *op = tn_draft_op_at(draft, g->parent_op);
    return op->placed == TN_NONE || (g->from && !op->from) ||
           has_lost_slot(draft, graph);
}

static void place_graph(struct layout *to, uint32_t graph)
{
    struct tn_draft_graph *g      = tn_draft_graph_at(to->draft, graph);
    uint32_t               parent = TN_NONE, node = TN_NONE, slot = TN_NONE;
    const char            *word = "node";

    if (g->parent != TN_NONE)
        parent = tn_draft_graph_at(to->draft, g->parent)->placed;
    if (g->parent_op != TN_NONE)
        node = tn_draft_op_at(to->draft, g->parent_op)->placed -
               tn_model_graph_at(to->model, parent)->first_op;
    if (g->from)
        word = tn_model_graph_at(g->from, g->row)->node_word;
    const char *path = path_of(to, graph, parent, node, &slot);
    g->placed = tn_model_add_graph(to->model, (enum tn_graph_kind)g->kind, path,
                                   word, to->error);
    if (g->placed == TN_NONE || tn_failed(to->error))
        return;
    fill_graph(to, g->placed, g, parent, node);
    if (!g->from)
        tn_model_graph_at(to->model, g->placed)->parent_slot = slot;
    define_io_list(to, g->placed, g);
    for (uint32_t op = g->first; op != TN_NONE && !tn_failed(to->error);
         op          = tn_draft_op_at(to->draft, op)->next)
        if (!tn_draft_op_at(to->draft, op)->is_removed)
            place_op(to, g->placed, tn_draft_op_at(to->draft, op));
}

static void forget_places(struct tn_draft *draft)
{
    for (uint64_t i = 0; i < draft->ops.count; i++)
        tn_draft_op_at(draft, (uint32_t)i)->placed = TN_NONE;
    for (uint64_t i = 0; i < draft->graphs.count; i++)
        tn_draft_graph_at(draft, (uint32_t)i)->placed = TN_NONE;
}

/* The slot whose bytes the graph is in; NULL: the op has no slots, or the
 * attribute was replaced. */
static struct tn_attr_slot *slot_around(const struct tn_model *model,
                                        const struct tn_op    *op,
                                        struct tn_span         graph)
{
    for (uint32_t i = 0; op->first_attr != TN_NONE && i < op->attr_count; i++) {
        struct tn_attr_slot *slot = tn_list_at(
            &model->attrs, struct tn_attr_slot, (uint64_t)op->first_attr + i);
        if (slot->wire.source && slot->wire.source == graph.source &&
            graph.offset >= slot->wire.offset &&
            graph.offset - slot->wire.offset < slot->wire.length)
            return slot;
    }
    return NULL;
}

static bool is_in_a_list(const struct tn_graph *graph)
{
    size_t size = strlen(graph->path);

    return size > 0 &&
           graph->path[size - 1] == ']'; /* attribute[0].graphs[1] */
}

/* Graphs that sit in a touched op are written from the tables: the slot that
 * holds them gets their new numbers, those of untouched ones too. */
static void point_at_subgraph(struct layout *to, uint32_t graph)
{
    const struct tn_graph *g = tn_model_graph_at(to->model, graph);

    if (g->parent_graph == TN_NONE || g->parent_node == TN_NONE)
        return;
    const struct tn_op *op = tn_model_op_at(
        to->model, tn_model_graph_at(to->model, g->parent_graph)->first_op +
                       g->parent_node);
    struct tn_attr_slot *slot = slot_around(to->model, op, g->wire);
    if (!slot)
        return;
    uint32_t count = slot->value ? slot->value->count : 0;
    int64_t *ids   = tn_new(&to->model->arena, int64_t, count + 1, to->error);
    struct tn_attr_value *value =
        tn_new(&to->model->arena, struct tn_attr_value, 1, to->error);
    if (!ids || !value)
        return;
    if (count)
        memcpy(ids, slot->value->of.ints, count * sizeof *ids);
    ids[count]  = graph;
    *value      = (struct tn_attr_value){ .kind    = TN_ATTR_GRAPH,
                                          .is_list = is_in_a_list(g),
                                          .count   = count + 1,
                                          .of.ints = ids };
    slot->value = value;
}

/* The graph that a value of an op names, in the committed model. */
static uint32_t graph_named(const struct tn_draft    *draft,
                            const struct tn_draft_op *op, int64_t id)
{
    if (is_numbered_by_draft(draft, op))
        return id >= 0 && (uint64_t)id < draft->graphs.count
                   ? tn_draft_graph_at(draft, (uint32_t)id)->placed
                   : TN_NONE;
    return placed_graph(draft, op->from, id);
}

static void number_graphs(struct layout *to, const struct tn_draft_op *op,
                          struct tn_attr_slot *slot)
{
    const struct tn_attr_value *old = slot->value;
    struct tn_attr_value       *now =
        tn_new(&to->model->arena, struct tn_attr_value, 1, to->error);
    int64_t *ids = tn_new(&to->model->arena, int64_t, old->count, to->error);

    if (!now || !ids)
        return;
    *now         = *old;
    now->of.ints = ids;
    slot->value  = now;
    for (uint32_t i = 0; i < old->count; i++) {
        ids[i] = graph_named(to->draft, op, old->of.ints[i]);
        if (ids[i] == TN_NONE)
            tn_error_set(to->error, TN_INVALID, TN_NOWHERE,
                         "attribute '%.*s' names a graph that is gone",
                         TN_FMT(tn_model_name(to->model, slot->name)));
    }
}

/* Values that are not in the bytes of their slot name graphs by numbers. */
static void number_values(struct layout *to)
{
    for (uint64_t i = 0; i < to->draft->ops.count; i++) {
        const struct tn_draft_op *op = tn_draft_op_at(to->draft, (uint32_t)i);
        if (op->placed == TN_NONE)
            continue;
        const struct tn_op *row = tn_model_op_at(to->model, op->placed);
        for (uint32_t k = 0; row->first_attr != TN_NONE && k < row->attr_count;
             k++) {
            struct tn_attr_slot *slot =
                tn_list_at(&to->model->attrs, struct tn_attr_slot,
                           (uint64_t)row->first_attr + k);
            if (slot->value && slot->value->kind == TN_ATTR_GRAPH &&
                !slot->wire.source)
                number_graphs(to, op, slot);
        }
    }
}

/* ---- tensors ------------------------------------------------------------ */

/* The place of an attribute's tensor, unless its node or attribute is gone. */
static bool keeps_attribute(struct layout *to, const struct tn_draft_tensor *t,
                            struct tn_tensor *row)
{
    const struct tn_draft_op *op = tn_draft_op_at(to->draft, t->row.node);

    if (op->placed == TN_NONE || !op->from)
        return false;
    row->node = op->placed - tn_model_graph_at(to->model, row->graph)->first_op;
    if (!op->change)
        return true;
    for (uint64_t i = 0; i < op->change->attrs.count; i++) {
        const struct tn_draft_attr *attr =
            tn_list_at(&op->change->attrs, struct tn_draft_attr, i);
        if (attr->wire.source == t->row.wire.source && !attr->value &&
            t->row.wire.offset >= attr->wire.offset &&
            t->row.wire.offset - attr->wire.offset < attr->wire.length) {
            row->slot = (uint32_t)i;
            return true;
        }
    }
    return false;
}

static void place_tensor(struct layout *to, const struct tn_draft_tensor *t)
{
    struct tn_tensor row = t->row;

    if (t->is_removed)
        return;
    if (row.graph != TN_NONE) {
        row.graph = tn_draft_graph_at(to->draft, row.graph)->placed;
        if (row.graph == TN_NONE)
            return;
        if (row.node != TN_NONE && !keeps_attribute(to, t, &row))
            return;
    }
    struct tn_tensor *tensor = tn_model_add_tensor(to->model, to->error);
    if (!tensor)
        return;
    row.model = to->model;
    row.name  = intern(to, t->name);
    if (t->is_renamed && row.graph == TN_NONE)
        row.wire = (struct tn_span){ NULL, 0, 0 };
    *tensor = row;
    if (row.graph == TN_NONE || row.node != TN_NONE ||
        row.role == TN_ROLE_STATE)
        return;
    uint32_t value = tn_model_value(to->model, row.graph, row.name, to->error);
    tn_model_define(to->model, value, TN_VALUE_INITIALIZER, TN_NONE, 0);
}

/* The tensors that new attribute values bring. */
static void place_values(struct layout *to, uint32_t op)
{
    const struct tn_op *o = tn_model_op_at(to->model, op);

    for (uint32_t i = 0; o->first_attr != TN_NONE && i < o->attr_count; i++) {
        const struct tn_attr_slot *slot =
            tn_list_at(&to->model->attrs, struct tn_attr_slot,
                       (uint64_t)o->first_attr + i);
        if (!slot->value || slot->value->kind != TN_ATTR_TENSOR)
            continue;
        for (uint32_t k = 0; k < slot->value->count; k++) {
            struct tn_tensor *t = tn_model_add_tensor(to->model, to->error);
            if (!t)
                return;
            t->elements = slot->value->of.tensors[k]->elements;
            t->role     = TN_ROLE_ATTRIBUTE;
            t->name     = o->name;
            t->graph    = o->graph;
            t->node     = op - tn_model_graph_at(to->model, o->graph)->first_op;
            t->slot     = i;
            t->part     = slot->value->is_list ? k : TN_NONE;
        }
    }
}

/* ---- values ------------------------------------------------------------- */

/* In dialects where "split:2" is the third output of "split". */
static void find_producers(struct layout *to)
{
    const struct tn_dialect *dialect = to->draft->dialect;

    if (!dialect || !dialect->producer_of)
        return;
    for (uint32_t i = 0; i < to->model->values.count; i++) {
        struct tn_value *value = tn_model_value_at(to->model, i);
        if (value->kind != TN_VALUE_UNDEFINED)
            continue;
        uint32_t        output = 0;
        struct tn_bytes base   = dialect->producer_of(
              tn_model_name(to->model, value->name), &output);
        uint32_t source = tn_model_find_named(to->model, value->graph, base);
        if (source == TN_NONE || source == i)
            continue;
        const struct tn_value *from = tn_model_value_at(to->model, source);
        tn_model_define(to->model, i, (enum tn_value_kind)from->kind,
                        from->producer, output);
    }
}

/* ---- signatures --------------------------------------------------------- */

static struct tn_bytes name_now(const struct tn_draft *draft,
                                struct tn_bytes        name)
{
    for (uint64_t i = 0; i < draft->renames.count; i++) {
        const struct tn_draft_rename *row =
            tn_list_at(&draft->renames, struct tn_draft_rename, i);
        if (row->graph == 0 && tn_bytes_equal(row->was, name))
            return row->now;
    }
    return name;
}

/* A value of a signature is one of the main graph: "x:0". */
static struct tn_io_list rename_io_list(struct layout *to, struct tn_io_list old)
{
    struct tn_io *fresh =
        tn_new(&to->model->arena, struct tn_io, old.count, to->error);

    for (uint32_t i = 0; fresh && i < old.count; i++) {
        struct tn_bytes name   = old.items[i].name;
        uint32_t        output = 0;
        struct tn_bytes base   = to->draft->dialect->producer_of
                                     ? to->draft->dialect->producer_of(name, &output)
                                     : name;
        struct tn_bytes now = name_now(to->draft, base);
        fresh[i]            = old.items[i];
        if (tn_bytes_equal(now, base))
            continue;
        const char *text = tn_text_format(
            &to->model->arena, to->error, "%.*s%.*s", TN_FMT(now),
            (int)(name.size - base.size), (const char *)name.data + base.size);
        if (text)
            fresh[i].name = tn_text(text);
    }
    return fresh ? (struct tn_io_list){ old.count, fresh } : old;
}

static void rename_signatures(struct layout *to)
{
    if (!to->model->changes || !to->draft->dialect)
        return;
    for (uint64_t i = 0; i < to->model->signatures.count; i++) {
        struct tn_signature *signature =
            tn_list_at(&to->model->signatures, struct tn_signature, i);
        signature->inputs  = rename_io_list(to, signature->inputs);
        signature->outputs = rename_io_list(to, signature->outputs);
    }
}

enum tn_status tn_draft_commit(struct tn_draft *draft, struct tn_model *model,
                               struct tn_error *error)
{
    struct layout to = { .draft = draft, .model = model, .error = error };

    forget_places(draft);
    copy_head(&to);
    for (uint32_t i = 0; i < draft->graphs.count && !tn_failed(error); i++)
        if (!is_gone(draft, i))
            place_graph(&to, i);
    number_signatures(&to);
    for (uint32_t i = 0; i < model->graphs.count && !tn_failed(error); i++)
        point_at_subgraph(&to, i);
    if (!tn_failed(error))
        number_values(&to);
    for (uint64_t i = 0; i < draft->tensors.count && !tn_failed(error); i++)
        place_tensor(&to,
                     tn_list_at(&draft->tensors, struct tn_draft_tensor, i));
    for (uint32_t i = 0; i < model->ops.count && !tn_failed(error); i++)
        place_values(&to, i);
    if (!tn_failed(error))
        tn_draft_list_changes(draft, model, error);
    rename_signatures(&to);
    find_producers(&to);
    tn_model_resolve(model);
    return tn_model_finish(model, error);
}
