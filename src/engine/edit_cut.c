/*
 * edit_cut.c - a part of a graph as a model of its own
 *
 * Needs run backwards over rows of the model: an op of the main graph needs its
 * inputs, and what the graphs inside of it take from the main graph.  These are
 * found in one pass over the ops of all graphs, so the whole is linear.
 *
 * Where inputs and outputs are, depends on the dialect: in lists (ONNX), in
 * names (SameDiff), in ops called Placeholder, with every op that nobody uses
 * as an output (TensorFlow), or in ops called feed and fetch (Paddle).
 */
#include "engine/edit_cut.h"

#include "engine/edit_known.h"
#include "format/samediff/samediff.h"
#include "ir/attr.h"
#include "ir/dialect_facts.h"

#include <inttypes.h>

/* A list of inputs or outputs, by name. */
struct io_index {
    struct tn_intern  names;
    uint32_t         *rows; /* by name                                        */
    struct tn_io_list list;
};

struct cutting {
    struct tn_draft       *draft;
    const struct tn_model *model;
    const struct tn_cut   *cut;
    struct tn_error       *error;
    struct tn_arena        arena;
    uint32_t
         *owner; /* by graph: the op of the main graph it is in, or TN_NONE */
    bool *is_needed;       /* by op                                         */
    bool *is_used;         /* by value: of the main graph                   */
    bool *is_input;        /* by value: the caller chose it                 */
    uint32_t *first_inner; /* by op: in `inner`, + 1; 0: none               */
    struct tn_list  inner; /* struct inner_use                              */
    struct tn_list  queue; /* uint32_t: values to find the producers of     */
    struct io_index inputs, outputs; /* of the model                          */
    struct tn_known known;
    bool            has_known;
    const struct tn_dialect_facts *facts;
    bool      names_ops; /* values are named after the ops that make them */
    bool     *stays;     /* by op: it is an input or an output now            */
    uint32_t *first_writer; /* by value: in `writers`, + 1; NULL: values
                               are written once                          */
    struct tn_list writers; /* struct inner_use: .value is an op          */
};

/* A value of the main graph that a graph inside of an op uses. */
struct inner_use {
    uint32_t value, next; /* next use by the same op, + 1                     */
};

/* ---- values that graphs inside ops use ----------------------------------- */

static void note_inner(struct cutting *c, uint32_t graph, uint32_t value)
{
    uint32_t owner = c->owner[graph];

    if (value == TN_NONE || owner == TN_NONE)
        return;
    value = tn_model_defining_value(c->model, value);
    if (tn_model_value_at(c->model, value)->graph != 0)
        return;
    struct inner_use *use = tn_list_push(&c->inner, struct inner_use, c->error);
    if (!use)
        return;
    *use                  = (struct inner_use){ value, c->first_inner[owner] };
    c->first_inner[owner] = (uint32_t)c->inner.count;
}

/* Graphs come after those that they are in. */
static void find_owners(struct cutting *c)
{
    for (uint32_t i = 0; i < c->model->graphs.count; i++) {
        const struct tn_graph *g = tn_model_graph_at(c->model, i);
        c->owner[i]              = TN_NONE;
        if (g->parent_graph == TN_NONE || g->parent_node == TN_NONE ||
            g->parent_graph >= i)
            continue;
        c->owner[i] =
            g->parent_graph == 0
                ? tn_model_graph_at(c->model, 0)->first_op + g->parent_node
                : c->owner[g->parent_graph];
    }
}

static void find_inner_uses(struct cutting *c)
{
    const struct tn_model *m = c->model;

    for (uint32_t i = 0; i < m->ops.count && !tn_failed(c->error); i++) {
        const struct tn_op *op = tn_model_op_at(m, i);
        for (uint32_t k = 0; op->graph != 0 && k < op->input_count; k++)
            note_inner(c, op->graph, tn_op_input(m, i, k));
    }
    for (uint32_t i = 1; i < m->graphs.count && !tn_failed(c->error); i++) {
        struct tn_io_list outputs = tn_model_graph_at(m, i)->outputs;
        for (uint32_t k = 0; c->owner[i] != TN_NONE && k < outputs.count; k++) {
            uint32_t name = tn_intern_find(&m->names, outputs.items[k].name);
            if (name != TN_NO_NAME)
                note_inner(c, i, tn_model_find_value(m, i, name));
        }
    }
}

/* ---- what is needed ----------------------------------------------------- */

static uint32_t find_value(const struct cutting *c, struct tn_bytes name)
{
    uint32_t value = tn_model_find_named(c->model, 0, name);

    if (value == TN_NONE && c->names_ops && name.size > 2 &&
        memcmp(name.data + name.size - 2, ":0", 2) == 0)
        return find_value(c, tn_bytes(name.data, name.size - 2));

    if (value != TN_NONE &&
        tn_model_value_at(c->model, value)->kind == TN_VALUE_UNDEFINED)
        return TN_NONE;
    return value;
}

static enum tn_status expect_value(struct cutting *c, struct tn_bytes name,
                                   uint32_t *value)
{
    *value = find_value(c, name);
    if (*value != TN_NONE)
        return TN_OK;
    return tn_error_set(c->error, TN_NOT_FOUND, TN_NOWHERE,
                        "the main graph has no value '%.*s'", TN_FMT(name));
}

static void need_value(struct cutting *c, uint32_t value)
{
    if (value == TN_NONE || c->is_used[value])
        return;
    c->is_used[value] = true;
    if (c->is_input[value])
        return;
    uint32_t *slot = tn_list_push(&c->queue, uint32_t, c->error);
    if (slot)
        *slot = value;
}

static void need_op(struct cutting *c, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(c->model, op);

    if (c->is_needed[op])
        return;
    c->is_needed[op] = true;
    for (uint32_t i = 0; i < row->input_count; i++)
        need_value(c, tn_op_input(c->model, op, i));
    for (uint32_t at = c->first_inner[op]; at;) {
        const struct inner_use *use =
            tn_list_at(&c->inner, struct inner_use, at - 1);
        need_value(c, use->value);
        at = use->next;
    }
}

static bool is_op_of(const struct cutting *c, uint32_t op, const char *type)
{
    return op != TN_NONE && tn_bytes_is(tn_model_op(c->model, op).type, type);
}

/* All ops except those that stand for outputs. */
static void need_all(struct cutting *c)
{
    for (uint32_t i = 0; i < c->model->ops.count && !tn_failed(c->error); i++)
        if (tn_model_op_at(c->model, i)->graph == 0 && !is_op_of(c, i, "fetch"))
            need_op(c, i);
}

static void follow(struct cutting *c)
{
    if (c->cut->keeps_ops)
        need_all(c);
    while (c->queue.count && !tn_failed(c->error)) {
        uint32_t value    = *tn_list_at(&c->queue, uint32_t, --c->queue.count);
        uint32_t producer = tn_model_value_at(c->model, value)->producer;
        if (producer != TN_NONE)
            need_op(c, producer);
        for (uint32_t at = c->first_writer ? c->first_writer[value] : 0; at;) {
            const struct inner_use *writer =
                tn_list_at(&c->writers, struct inner_use, at - 1);
            need_op(c, writer->value);
            at = writer->next;
        }
    }
}

/* Ops that write a value which another op has made: in Paddle, variables are
 * written more than once. */
static void find_writers(struct cutting *c)
{
    const struct tn_graph *main = tn_model_graph_at(c->model, 0);

    if (!c->first_writer)
        return;
    for (uint64_t i = 0; i < main->op_count && !tn_failed(c->error); i++) {
        uint32_t            op  = main->first_op + (uint32_t)i;
        const struct tn_op *row = tn_model_op_at(c->model, op);
        for (uint32_t k = 0; k < row->output_count; k++) {
            uint32_t value = tn_op_output(c->model, op, k);
            if (value == TN_NONE ||
                tn_model_value_at(c->model, value)->producer == op)
                continue;
            struct inner_use *use =
                tn_list_push(&c->writers, struct inner_use, c->error);
            if (!use)
                return;
            *use = (struct inner_use){ op, c->first_writer[value] };
            c->first_writer[value] = (uint32_t)c->writers.count;
        }
    }
}

/* "x" and "x:0" are one value, in two rows. */
static void mark_other_names(struct cutting *c)
{
    bool *is_one = c->names_ops && c->cut->input_count
                       ? tn_new(&c->arena, bool, c->model->ops.count, c->error)
                       : NULL;

    for (uint32_t i = 0; is_one && i < c->model->values.count; i++)
        if (c->is_input[i] &&
            tn_model_value_at(c->model, i)->producer != TN_NONE)
            is_one[tn_model_value_at(c->model, i)->producer] = true;
    for (uint32_t i = 0; is_one && i < c->model->values.count; i++) {
        const struct tn_value *v = tn_model_value_at(c->model, i);
        if (v->graph != 0 || v->producer == TN_NONE || !is_one[v->producer])
            continue;
        for (uint32_t k = 0; k < c->cut->input_count && !c->is_input[i]; k++) {
            const struct tn_value *chosen =
                tn_model_value_at(c->model, find_value(c, c->cut->inputs[k]));
            c->is_input[i] =
                chosen->producer == v->producer && chosen->output == v->output;
        }
    }
}

/* ---- the lists of inputs and outputs ------------------------------------ */

/* If a name occurs twice, the first counts. */
static void index_list(struct cutting *c, struct tn_io_list list,
                       struct io_index *index)
{
    index->rows = tn_new(&c->arena, uint32_t, list.count, c->error);
    index->list = list;
    for (uint32_t i = 0; index->rows && i < list.count; i++) {
        uint32_t count = tn_intern_count(&index->names);
        if (tn_intern_borrow(&index->names, list.items[i].name, c->error) ==
            count)
            index->rows[count] = i;
    }
}

static const struct tn_io *listed(const struct io_index *index,
                                  struct tn_bytes        name)
{
    uint32_t id = tn_intern_find(&index->names, name);

    return id == TN_NO_NAME ? NULL : &index->list.items[index->rows[id]];
}

/* In TFLite, a row of the file has the type of every value. */
static bool find_told(struct cutting *c, struct tn_bytes name, struct tn_io *io)
{
    struct tn_value_about about;

    if (!c->model->dialect->describe_value ||
        !c->model->dialect->describe_value(c->model, 0, name, c->draft->arena,
                                           &about, c->error))
        return false;
    struct tn_dim *dims =
        tn_new(c->draft->arena, struct tn_dim, about.rank, c->error);
    for (uint32_t i = 0; dims && i < about.rank; i++)
        dims[i].value = about.dims[i];
    io->dtype    = about.dtype;
    io->has_rank = about.has_rank;
    io->rank     = dims ? about.rank : 0;
    io->dims     = dims;
    return !tn_failed(c->error);
}

/* Its type as the model declares it, else as it follows from the graph. */
static struct tn_io type_of(struct cutting *c, struct tn_bytes name,
                            bool is_input)
{
    const struct tn_io *as_in  = listed(&c->inputs, name);
    const struct tn_io *as_out = listed(&c->outputs, name);
    struct tn_io        io     = { .name = name, .note = "" };

    if (as_in || as_out) {
        io = is_input ? *(as_in ? as_in : as_out) : *(as_out ? as_out : as_in);
        if ((is_input ? as_in : as_out) == NULL)
            io.key = tn_bytes(NULL, 0); /* it is new in this list */
        return io;
    }
    if (find_told(c, name, &io) || tn_failed(c->error))
        return io;
    if (!c->has_known) {
        c->has_known = true;
        if (tn_known_open(&c->known, c->draft->memory, c->model, c->error) ==
            TN_OK)
            tn_known_infer(&c->known);
    }
    if (!tn_failed(c->error))
        io = tn_known_io(&c->known, name, &c->arena, c->error);
    /* in Paddle, variables have types */
    if (!tn_failed(c->error) && io.dtype == TN_UNDEFINED &&
        (is_input || c->facts->lists_io) && !c->facts->has_inputs_as_ops)
        tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "the type of '%.*s' is not known, so it cannot be an %s: "
                     "choose a value before or after it",
                     TN_FMT(name), is_input ? "input" : "output");
    return io;
}

static bool has_initializer(const struct cutting *c, uint32_t value)
{
    return tn_model_value_at(c->model, value)->kind == TN_VALUE_INITIALIZER;
}

/* The model's name for the value that the caller means: "x" for "x:0". */
static struct tn_bytes name_of(const struct cutting *c, struct tn_bytes word)
{
    return tn_model_value_name(c->model, find_value(c, word));
}

/* A chosen input that an initializer has a value for becomes an input without
 * one. */
static struct tn_io_list list_inputs(struct cutting *c)
{
    const struct tn_graph *main = tn_model_graph_at(c->model, 0);
    struct tn_io_list      was  = main->inputs;
    uint32_t               most = c->cut->input_count + was.count, count = 0;
    struct tn_io *all = tn_new(&c->arena, struct tn_io, most, c->error);

    for (uint32_t i = 0; all && i < c->cut->input_count; i++)
        all[count++] = type_of(c, name_of(c, c->cut->inputs[i]), true);
    for (uint32_t i = 0; all && i < was.count; i++) {
        uint32_t value = find_value(c, was.items[i].name);
        bool     is_kept =
            value != TN_NONE && c->is_used[value] && !c->is_input[value];
        if (is_kept && (!c->cut->input_count || c->cut->keeps_inputs ||
                        was.items[i].has_default))
            all[count++] = was.items[i];
    }
    return (struct tn_io_list){ all ? count : 0, all };
}

static struct tn_io_list list_outputs(struct cutting *c)
{
    const struct tn_cut *cut = c->cut;
    struct tn_io        *all;

    if (!cut->output_count)
        return tn_model_graph_at(c->model, 0)->outputs;
    all = tn_new(&c->arena, struct tn_io, cut->output_count, c->error);
    for (uint32_t i = 0; all && i < cut->output_count; i++)
        all[i] = type_of(c, name_of(c, cut->outputs[i]), false);
    return (struct tn_io_list){ all ? cut->output_count : 0, all };
}

/* With chosen inputs, any other input that is needed is reported as missing. */
static enum tn_status check_inputs(struct cutting *c)
{
    struct tn_io_list inputs = tn_model_graph_at(c->model, 0)->inputs;

    if (!c->cut->input_count || c->cut->keeps_inputs)
        return TN_OK;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = find_value(c, inputs.items[i].name);
        if (value != TN_NONE && c->is_used[value] && !c->is_input[value] &&
            !inputs.items[i].has_default && !has_initializer(c, value))
            return tn_error_because(
                c->error, TN_INVALID, TN_REASON_MISSING_INPUT, TN_NOWHERE,
                "the outputs also need '%.*s', which is not one of the chosen "
                "inputs: add it to them",
                TN_FMT(inputs.items[i].name));
    }
    return TN_OK;
}

/* ---- the draft ---------------------------------------------------------- */

/* An op that stays must not make a value that is an input now. */
static enum tn_status blank_outputs(struct cutting *c, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(c->model, op);

    for (uint32_t i = 0; i < row->output_count; i++) {
        uint32_t value = tn_op_output(c->model, op, i);
        if (value == TN_NONE || !c->is_input[value])
            continue;
        struct tn_draft_change *change =
            tn_draft_touch_op(c->draft, op, c->error);
        if (!change)
            return c->error->status;
        change->outputs[i] = tn_bytes(NULL, 0);
    }
    return TN_OK;
}

static enum tn_status remove_ops(struct cutting *c)
{
    const struct tn_graph *main = tn_model_graph_at(c->model, 0);

    for (uint64_t i = 0; i < main->op_count; i++) {
        uint32_t op = main->first_op + (uint32_t)i;
        if (c->stays[op])
            continue;
        if (c->is_needed[op])
            TN_TRY(blank_outputs(c, op));
        else
            TN_TRY(tn_draft_remove_op(c->draft, op, c->error));
    }
    return TN_OK;
}

static enum tn_status remove_tensors(struct cutting *c)
{
    for (uint64_t i = 0; i < c->draft->tensors.count; i++) {
        struct tn_draft_tensor *tensor =
            tn_list_at(&c->draft->tensors, struct tn_draft_tensor, i);
        if (tensor->row.graph != 0 || tensor->row.node != TN_NONE)
            continue;
        uint32_t value = find_value(c, tensor->name);
        if (value == TN_NONE || (c->is_used[value] && !c->is_input[value]))
            continue;
        TN_TRY(tn_draft_touch_graph(c->draft, 0, c->error));
        tensor->is_removed = true;
    }
    return TN_OK;
}

/* Removes declarations of values that are gone, or that are inputs and outputs
 * now. */
static enum tn_status forget_values(struct cutting *c)
{
    const struct tn_model *m = c->model;
    struct tn_io          *all =
        tn_new(&c->arena, struct tn_io, m->values.count, c->error);
    uint32_t count = 0;

    for (uint32_t i = 0; all && i < m->values.count; i++) {
        const struct tn_value *v = tn_model_value_at(m, i);
        if (v->graph != 0 || v->kind != TN_VALUE_OUTPUT ||
            (c->is_needed[v->producer] && !c->is_input[i]))
            continue;
        all[count++] =
            (struct tn_io){ .name = tn_model_value_name(m, i), .note = "" };
    }
    for (uint32_t i = 0; all && i < c->cut->output_count; i++)
        if (count < m->values.count)
            all[count++] =
                (struct tn_io){ .name = c->cut->outputs[i], .note = "" };
    return all ? tn_draft_set_values(c->draft, 0,
                                     (struct tn_io_list){ count, all }, false,
                                     c->error)
               : c->error->status;
}

/* ---- inputs that are ops: TensorFlow ------------------------------------- */

static enum tn_status describe_placeholder(struct cutting *c, uint32_t op,
                                           const struct tn_io *io)
{
    int64_t              dtype = io->dtype;
    int64_t             *dims  = tn_new(&c->arena, int64_t, io->rank, c->error);
    struct tn_attr_shape shape = { io->has_rank, io->rank, dims };

    for (uint32_t i = 0; dims && i < io->rank; i++)
        dims[i] = io->dims[i].value;
    if (tn_failed(c->error))
        return c->error->status;
    TN_TRY(tn_draft_set_attr(c->draft, op, "dtype",
                             &(struct tn_attr_value){ .kind    = TN_ATTR_DTYPE,
                                                      .count   = 1,
                                                      .of.ints = &dtype },
                             c->error));
    return tn_draft_set_attr(c->draft, op, "shape",
                             &(struct tn_attr_value){ .kind  = TN_ATTR_SHAPE,
                                                      .count = 1,
                                                      .of.shapes = &shape },
                             c->error);
}

/* Ops that take the value, by whichever name, take another one instead.
 * Control inputs wait for the op, which stays. */
static enum tn_status rewire(struct cutting *c, const struct tn_value *old,
                             const char *now)
{
    const struct tn_graph *main = tn_model_graph_at(c->model, 0);

    for (uint64_t i = 0; i < main->op_count; i++) {
        uint32_t            op  = main->first_op + (uint32_t)i;
        const struct tn_op *row = tn_model_op_at(c->model, op);
        for (uint32_t k = 0;
             c->is_needed[op] && k < row->input_count - row->control_count;
             k++) {
            uint32_t               id = tn_op_input(c->model, op, k);
            const struct tn_value *v =
                id == TN_NONE ? NULL : tn_model_value_at(c->model, id);
            if (v && v->producer == old->producer && v->output == old->output)
                TN_TRY(tn_draft_set_input(c->draft, op, k, now, c->error));
        }
    }
    return TN_OK;
}

/* The op that made it, or a new one if that is needed for its other outputs. */
static enum tn_status make_placeholder(struct cutting *c, struct tn_io *io,
                                       struct tn_fresh *fresh)
{
    uint32_t               value = find_value(c, io->name);
    const struct tn_value *v     = tn_model_value_at(c->model, value);
    struct tn_op_spec      spec  = { .type = "Placeholder" };
    uint32_t               op    = v->producer;

    if (op == TN_NONE)
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "'%.*s' cannot be an input: no node makes it",
                            TN_FMT(io->name));
    struct tn_bytes name = tn_model_op(c->model, op).name;
    if (tn_bytes_is(tn_model_op(c->model, op).type, "Placeholder")) {
        c->stays[op] = true;
        return TN_OK;
    }
    bool is_free = !c->is_needed[op] && v->output == 0 && !c->stays[op];
    spec.name    = is_free
                       ? tn_text_format(&c->arena, c->error, "%.*s", TN_FMT(name))
                       : tn_fresh_name(fresh, name, "/input", c->error);
    if (tn_failed(c->error))
        return c->error->status;
    if (is_free) {
        TN_TRY(tn_draft_replace_op(c->draft, op, &spec, c->error));
        c->stays[op] = true;
    } else {
        TN_TRY(tn_draft_add_op(c->draft, 0,
                               tn_draft_graph_at(c->draft, 0)->first, &spec,
                               &op, c->error));
        TN_TRY(rewire(c, v, spec.name));
        io->name = tn_text(spec.name);
    }
    return describe_placeholder(c, op, io);
}

static enum tn_status make_placeholders(struct cutting   *c,
                                        struct tn_io_list inputs)
{
    struct tn_fresh fresh;
    struct tn_io   *all = (struct tn_io *)(uintptr_t)inputs.items;

    tn_fresh_init(&fresh, c->model, &c->arena);
    for (uint32_t i = 0; i < c->cut->input_count && !tn_failed(c->error); i++)
        make_placeholder(c, &all[i], &fresh);
    tn_fresh_done(&fresh);
    return c->error->status;
}

/* ---- inputs and outputs that are ops: Paddle ------------------------------
 */

/* The op of that type for a value: its own, else a copy of another one. */
static enum tn_status find_port(struct cutting *c, const char *type,
                                uint32_t value, uint32_t *op)
{
    const struct tn_graph *main  = tn_model_graph_at(c->model, 0);
    bool                   feeds = strcmp(type, "feed") == 0;
    uint32_t               other = TN_NONE;

    for (uint64_t i = 0; i < main->op_count; i++) {
        uint32_t            at  = main->first_op + (uint32_t)i;
        const struct tn_op *row = tn_model_op_at(c->model, at);
        if (!is_op_of(c, at, type) ||
            (feeds ? row->output_count : row->input_count) != 1)
            continue;
        other = at;
        if ((feeds ? tn_op_output(c->model, at, 0)
                   : tn_op_input(c->model, at, 0)) != value)
            continue;
        *op          = at;
        c->stays[at] = true;
        return TN_OK;
    }
    if (other == TN_NONE)
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the program has no %s operator that could be "
                            "copied for '%.*s'",
                            type, TN_FMT(tn_model_value_name(c->model, value)));
    return tn_draft_copy_op(
        c->draft, other,
        feeds ? tn_draft_graph_at(c->draft, 0)->first : TN_NONE, op, c->error);
}

static enum tn_status expect_one_writer(struct cutting *c, uint32_t value)
{
    const struct tn_value *v = tn_model_value_at(c->model, value);

    if (v->producer == TN_NONE)
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "'%.*s' cannot be an input: no operator makes it",
                            TN_FMT(tn_model_value_name(c->model, value)));
    if (!c->first_writer[value] && !c->is_needed[v->producer])
        return TN_OK;
    return tn_error_set(
        c->error, TN_UNSUPPORTED, TN_NOWHERE,
        "'%.*s' cannot be an input: %s; choose a value before or after it",
        TN_FMT(tn_model_value_name(c->model, value)),
        c->first_writer[value] ? "several operators write it"
                               : "the operator that makes it is needed for "
                                 "another output of it");
}

static enum tn_status make_ports(struct cutting *c, struct tn_io_list list,
                                 const char *type)
{
    bool feeds = strcmp(type, "feed") == 0;

    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t value = find_value(c, list.items[i].name), op;
        int64_t  col   = i;
        if (feeds &&
            !is_op_of(c, tn_model_value_at(c->model, value)->producer, type))
            TN_TRY(expect_one_writer(c, value));
        TN_TRY(find_port(c, type, value, &op));
        struct tn_draft_change *change =
            tn_draft_touch_op(c->draft, op, c->error);
        if (!change)
            return c->error->status;
        *(feeds ? change->outputs : change->inputs) =
            tn_bytes_dup(c->draft->arena, list.items[i].name, c->error);
        TN_TRY(tn_draft_set_attr(c->draft, op, "col",
                                 &(struct tn_attr_value){ .kind  = TN_ATTR_INT,
                                                          .count = 1,
                                                          .of.ints = &col },
                                 c->error));
    }
    return c->error->status;
}

/* ---- the training configuration of removed variables: SameDiff ----------- */

static bool is_lost_state(void *context, struct tn_bytes name)
{
    const struct cutting *c = context;
    struct tn_bytes       key, parameter;

    if (!tn_sd_state_split(name, &key, &parameter))
        return false;
    uint32_t value = find_value(c, parameter);
    return value == TN_NONE || !c->is_used[value] || c->is_input[value];
}

static enum tn_status keep_training(struct cutting *c)
{
    const struct tn_model *m = c->model;
    const char           **left =
        tn_new(&c->arena, const char *, m->loss_count, c->error);
    uint32_t count = 0;

    for (uint32_t i = 0; left && i < m->loss_count; i++) {
        uint32_t value = find_value(c, m->losses[i]);
        if (value != TN_NONE && c->is_used[value] && !c->is_input[value])
            left[count++] = tn_text_format(&c->arena, c->error, "%.*s",
                                           TN_FMT(m->losses[i]));
    }
    if (tn_failed(c->error))
        return c->error->status;
    TN_TRY(tn_draft_remove_states(c->draft, is_lost_state, c, c->error));
    if (count == m->loss_count)
        return TN_OK;
    return tn_draft_set_losses(c->draft, left, count, c->error);
}

/* ---- functions ----------------------------------------------------------- */

struct calls {
    uint32_t *function;     /* by graph: the function it is in, or TN_NONE  */
    uint32_t *first, *next; /* by function, by graph: its graphs, + 1    */
    bool     *is_kept;
    struct tn_pairs functions; /* (domain, name) -> graph                     */
    struct tn_list  queue;     /* uint32_t: functions whose ops call others   */
};

static void call(struct cutting *c, struct calls *calls, uint32_t id)
{
    const struct tn_op *op = tn_model_op_at(c->model, id);
    uint32_t called = tn_pairs_find(&calls->functions, op->domain, op->type);

    if (called == UINT32_MAX || calls->is_kept[called])
        return;
    calls->is_kept[called] = true;
    uint32_t *slot         = tn_list_push(&calls->queue, uint32_t, c->error);
    if (slot)
        *slot = called;
}

static void call_all(struct cutting *c, struct calls *calls, uint32_t graph)
{
    const struct tn_graph *g = tn_model_graph_at(c->model, graph);

    for (uint64_t i = 0; i < g->op_count && !tn_failed(c->error); i++) {
        uint32_t op = g->first_op + (uint32_t)i;
        if (graph != 0 || c->is_needed[op])
            call(c, calls, op);
    }
}

static void find_functions(struct cutting *c, struct calls *calls)
{
    for (uint32_t i = 0; i < c->model->graphs.count; i++) {
        const struct tn_graph *g = tn_model_graph_at(c->model, i);
        calls->function[i]       = TN_NONE;
        if (g->kind == TN_GRAPH_FUNCTION) {
            tn_pairs_add(&calls->functions, g->domain, g->name, i, c->error);
            calls->function[i] = i;
        } else if (g->parent_graph < i) {
            calls->function[i] = calls->function[g->parent_graph];
        }
        if (calls->function[i] == TN_NONE)
            continue;
        calls->next[i]                   = calls->first[calls->function[i]];
        calls->first[calls->function[i]] = i + 1;
    }
}

static void keep_called(struct cutting *c, struct calls *calls)
{
    for (uint32_t i = 0; i < c->model->graphs.count; i++)
        if (calls->function[i] == TN_NONE &&
            (c->owner[i] == TN_NONE || c->is_needed[c->owner[i]]))
            call_all(c, calls, i);
    while (calls->queue.count && !tn_failed(c->error)) {
        uint32_t f = *tn_list_at(&calls->queue, uint32_t, --calls->queue.count);
        for (uint32_t g = calls->first[f]; g; g = calls->next[g - 1])
            call_all(c, calls, g - 1);
    }
}

/* Removes functions that no remaining op calls, also not through remaining
 * functions. */
static enum tn_status remove_functions(struct cutting *c)
{
    uint32_t     count = (uint32_t)c->model->graphs.count;
    struct calls calls = {
        .function = tn_new(&c->arena, uint32_t, count, c->error),
        .first    = tn_new(&c->arena, uint32_t, count, c->error),
        .next     = tn_new(&c->arena, uint32_t, count, c->error),
        .is_kept  = tn_new(&c->arena, bool, count, c->error),
    };

    if (tn_failed(c->error))
        return c->error->status;
    tn_pairs_init(&calls.functions, c->draft->memory);
    tn_list_init(&calls.queue, c->draft->memory, sizeof(uint32_t));
    find_functions(c, &calls);
    keep_called(c, &calls);
    tn_list_done(&calls.queue);
    tn_pairs_done(&calls.functions);
    for (uint32_t i = 0; i < count && !tn_failed(c->error); i++)
        if (calls.function[i] == i && !calls.is_kept[i])
            tn_draft_remove_function(c->draft, i, c->error);
    return c->error->status;
}

static enum tn_status take_names(struct cutting *c)
{
    struct tn_io_list outputs = tn_model_graph_at(c->model, 0)->outputs;
    uint32_t          value;

    for (uint32_t i = 0; i < c->cut->input_count; i++) {
        TN_TRY(expect_value(c, c->cut->inputs[i], &value));
        if (c->is_input[value])
            return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                                "'%.*s' is named twice among the inputs",
                                TN_FMT(c->cut->inputs[i]));
        c->is_input[value] = true;
    }
    mark_other_names(c);
    uint32_t count =
        c->cut->output_count ? c->cut->output_count : outputs.count;
    for (uint32_t i = 0; i < count; i++) {
        struct tn_bytes name =
            c->cut->output_count ? c->cut->outputs[i] : outputs.items[i].name;
        if (c->cut->output_count)
            TN_TRY(expect_value(c, name, &value));
        else
            value = find_value(c, name);
        if (value != TN_NONE && c->is_input[value])
            return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                                "'%.*s' cannot be an input and an output",
                                TN_FMT(name));
        need_value(c, value);
    }
    return c->error->status;
}

static enum tn_status expect_used_inputs(struct cutting *c)
{
    for (uint32_t i = 0; i < c->cut->input_count; i++)
        if (!c->is_used[find_value(c, c->cut->inputs[i])])
            return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                                "no output depends on '%.*s': leave it out of "
                                "the inputs",
                                TN_FMT(c->cut->inputs[i]));
    return TN_OK;
}

/* The ops that stand for inputs and outputs, in dialects that have such ops. */
static enum tn_status place_io(struct cutting *c, struct tn_io_list inputs,
                               struct tn_io_list outputs)
{
    if (c->names_ops)
        return make_placeholders(c, inputs);
    if (!c->facts->has_inputs_as_ops)
        return TN_OK;
    TN_TRY(make_ports(c, inputs, "feed"));
    return make_ports(c, outputs, "fetch");
}

/* A signature lists its inputs and outputs. */
static enum tn_status expect_no_signatures(struct cutting *c)
{
    if (!c->names_ops || !c->model->signatures.count)
        return TN_OK;
    return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "this model is called by its signatures, which cannot "
                        "be changed: make a GraphDef of it with 'tenon convert "
                        "IN -o graph.pb', and change that");
}

static enum tn_status run_cut(struct cutting *c)
{
    struct tn_io_list inputs, outputs;

    TN_TRY(expect_no_signatures(c));
    find_owners(c);
    find_inner_uses(c);
    find_writers(c);
    TN_TRY(take_names(c));
    follow(c);
    TN_TRY(expect_used_inputs(c));
    TN_TRY(check_inputs(c));
    index_list(c, tn_model_graph_at(c->model, 0)->inputs, &c->inputs);
    index_list(c, tn_model_graph_at(c->model, 0)->outputs, &c->outputs);
    if (tn_failed(c->error))
        return c->error->status;
    inputs  = list_inputs(c);
    outputs = list_outputs(c);
    if (tn_failed(c->error))
        return c->error->status;
    TN_TRY(place_io(c, inputs, outputs));
    TN_TRY(tn_draft_list_io(c->draft, 0, inputs, outputs, c->error));
    TN_TRY(remove_ops(c));
    TN_TRY(remove_tensors(c));
    if (c->facts->has_training)
        TN_TRY(keep_training(c));
    if (!c->facts->lists_io)
        return TN_OK;
    TN_TRY(forget_values(c));
    return remove_functions(c);
}

static bool make_tables(struct cutting *c)
{
    const struct tn_model *m = c->model;

    c->owner       = tn_new(&c->arena, uint32_t, m->graphs.count, c->error);
    c->is_needed   = tn_new(&c->arena, bool, m->ops.count, c->error);
    c->is_used     = tn_new(&c->arena, bool, m->values.count, c->error);
    c->is_input    = tn_new(&c->arena, bool, m->values.count, c->error);
    c->first_inner = tn_new(&c->arena, uint32_t, m->ops.count, c->error);
    c->stays       = tn_new(&c->arena, bool, m->ops.count, c->error);
    c->facts       = tn_dialect_facts(m->dialect->name);
    c->names_ops   = m->dialect->producer_of != NULL;
    if (c->facts->has_inputs_as_ops)
        c->first_writer =
            tn_new(&c->arena, uint32_t, m->values.count, c->error);
    return !tn_failed(c->error);
}

/* ---- other outputs --------------------------------------------------------
 */

static bool is_among(const struct tn_bytes *names, uint32_t count,
                     struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(names[i], name))
            return true;
    return false;
}

/* A copy of a value, without users. */
static enum tn_status add_copy(struct cutting *c, struct tn_bytes name,
                               struct tn_fresh *fresh, struct tn_io *made)
{
    uint32_t value, op;
    TN_TRY(expect_value(c, name, &value));
    struct tn_io io = type_of(c, tn_model_value_name(c->model, value), true);
    const struct tn_value *v = tn_model_value_at(c->model, value);
    if (v->producer == TN_NONE)
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "'%.*s' cannot be an output: no node makes it",
                            TN_FMT(name));
    const char *text =
        tn_text_format(&c->arena, c->error, "%.*s", TN_FMT(io.name));
    int64_t           dtype = io.dtype;
    struct tn_op_spec spec  = { .type        = c->facts->identity,
                                .inputs      = &text,
                                .input_count = 1 };

    if (tn_failed(c->error))
        return c->error->status;
    spec.name = tn_fresh_name(fresh, tn_model_op(c->model, v->producer).name,
                              "/output", c->error);
    if (tn_failed(c->error))
        return c->error->status;
    TN_TRY(tn_draft_add_op(c->draft, 0, TN_NONE, &spec, &op, c->error));
    io.name = tn_text(spec.name);
    io.key  = tn_bytes(NULL, 0);
    *made   = io;
    return tn_draft_set_attr(c->draft, op, "T",
                             &(struct tn_attr_value){ .kind    = TN_ATTR_DTYPE,
                                                      .count   = 1,
                                                      .of.ints = &dtype },
                             c->error);
}

static enum tn_status add_copies(struct cutting        *c,
                                 const struct tn_bytes *names, uint32_t count)
{
    const struct tn_graph *main = tn_model_graph_at(c->model, 0);
    uint32_t               old  = main->outputs.count;
    struct tn_io          *all =
        tn_new(&c->arena, struct tn_io, (uint64_t)old + count, c->error);
    struct tn_fresh fresh;

    TN_TRY(expect_no_signatures(c));
    index_list(c, main->inputs, &c->inputs);
    index_list(c, main->outputs, &c->outputs);
    for (uint32_t i = 0; all && i < old; i++)
        all[i] = main->outputs.items[i];
    tn_fresh_init(&fresh, c->model, &c->arena);
    for (uint32_t i = 0; i < count && !tn_failed(c->error); i++)
        add_copy(c, names[i], &fresh, &all[old + i]);
    tn_fresh_done(&fresh);
    if (tn_failed(c->error))
        return c->error->status;
    return tn_draft_list_io(c->draft, 0, main->inputs,
                            (struct tn_io_list){ old + count, all }, c->error);
}

static void cutting_init(struct cutting *c)
{
    tn_arena_init(&c->arena, c->draft->memory);
    tn_list_init(&c->inner, c->draft->memory, sizeof(struct inner_use));
    tn_list_init(&c->writers, c->draft->memory, sizeof(struct inner_use));
    tn_list_init(&c->queue, c->draft->memory, sizeof(uint32_t));
    tn_intern_init(&c->inputs.names, &c->arena);
    tn_intern_init(&c->outputs.names, &c->arena);
}

static void cutting_done(struct cutting *c)
{
    if (c->has_known)
        tn_known_close(&c->known);
    tn_intern_done(&c->inputs.names);
    tn_intern_done(&c->outputs.names);
    tn_list_done(&c->queue);
    tn_list_done(&c->writers);
    tn_list_done(&c->inner);
    tn_arena_done(&c->arena);
}

enum tn_status tn_draft_cut(struct tn_draft *draft, const struct tn_cut *cut,
                            struct tn_error *error)
{
    struct cutting c = {
        .draft = draft, .model = draft->base, .cut = cut, .error = error
    };

    cutting_init(&c);
    if (make_tables(&c))
        run_cut(&c);
    cutting_done(&c);
    return error->status;
}

enum tn_status tn_draft_change_outputs(struct tn_draft       *draft,
                                       const struct tn_bytes *names,
                                       uint32_t count, bool drops,
                                       struct tn_error *error)
{
    static const struct tn_cut nothing;
    struct tn_io_list          was = tn_model_graph_at(draft->base, 0)->outputs;
    struct cutting             c   = {
                      .draft = draft, .model = draft->base, .cut = &nothing, .error = error
    };

    cutting_init(&c);
    struct tn_bytes *all =
        tn_new(&c.arena, struct tn_bytes, (uint64_t)was.count + count, error);
    struct tn_cut cut = { .outputs = all, .keeps_ops = true };
    if (all && make_tables(&c)) {
        cut.keeps_ops = !c.names_ops;
        for (uint32_t i = 0; i < was.count; i++)
            if (!drops || !is_among(names, count, was.items[i].name))
                all[cut.output_count++] = was.items[i].name;
        for (uint32_t i = 0; !drops && i < count; i++)
            all[cut.output_count++] = names[i];
        if (c.names_ops && !drops)
            add_copies(&c, names, count);
        else
            tn_draft_cut(draft, &cut, error);
    }
    cutting_done(&c);
    return error->status;
}

/* ---- a scope ------------------------------------------------------------ */

/* "/encoder/layer.0/MatMul" is in "encoder", "/encoder/layer.0" and
 * "encoder/layer". */
static bool is_in_scope(struct tn_bytes name, struct tn_bytes scope)
{
    if (name.size && name.data[0] == '/' && scope.size && scope.data[0] != '/')
        name = tn_bytes(name.data + 1, name.size - 1);
    if (name.size < scope.size ||
        memcmp(name.data, scope.data, scope.size) != 0)
        return false;
    return name.size == scope.size || strchr("/.:", name.data[scope.size]);
}

struct extraction {
    struct tn_list inputs, outputs; /* struct tn_bytes */
    bool          *is_inside;       /* by op of the main graph                */
    bool          *is_listed;       /* by value                               */
};

static void list_value(const struct cutting *c, struct extraction *x,
                       struct tn_list *to, uint32_t value)
{
    if (x->is_listed[value])
        return;
    x->is_listed[value]  = true;
    struct tn_bytes *row = tn_list_push(to, struct tn_bytes, c->error);
    if (row)
        *row = tn_model_value_name(c->model, value);
}

/* A constant, or a copy of one. */
static bool makes_constant(const struct cutting *c, uint32_t op)
{
    for (unsigned depth = 0; op != TN_NONE && depth < 4; depth++) {
        struct tn_bytes type = tn_model_op(c->model, op).type;
        if (tn_bytes_is(type, "Constant") || tn_bytes_is(type, "Const"))
            return true;
        if (!tn_bytes_is(type, c->facts->identity) ||
            tn_model_op_at(c->model, op)->input_count != 1 ||
            tn_op_input(c->model, op, 0) == TN_NONE)
            return false;
        op =
            tn_model_value_at(c->model, tn_op_input(c->model, op, 0))->producer;
    }
    return false;
}

/* A use of a value of the main graph by an op, or by a graph in it.  Constants
 * come along. */
static void cross(const struct cutting *c, struct extraction *x, uint32_t op,
                  uint32_t value)
{
    if (value == TN_NONE)
        return;
    const struct tn_value *v     = tn_model_value_at(c->model, value);
    bool                   inner = op != TN_NONE && x->is_inside[op];
    bool is_made_inside = v->producer != TN_NONE && x->is_inside[v->producer];
    bool is_constant    = !is_made_inside && makes_constant(c, v->producer);

    if (inner && !is_made_inside && !is_constant &&
        (v->kind == TN_VALUE_OUTPUT || v->kind == TN_VALUE_INPUT))
        list_value(c, x, &x->inputs, value);
    if (!inner && is_made_inside)
        list_value(c, x, &x->outputs, value);
}

static void cross_all(struct cutting *c, struct extraction *x)
{
    const struct tn_graph *main = tn_model_graph_at(c->model, 0);

    for (uint64_t i = 0; i < main->op_count; i++) {
        uint32_t            op  = main->first_op + (uint32_t)i;
        const struct tn_op *row = tn_model_op_at(c->model, op);
        for (uint32_t k = 0; k < row->input_count; k++)
            cross(c, x, op, tn_op_input(c->model, op, k));
        for (uint32_t at = c->first_inner[op]; at;) {
            const struct inner_use *use =
                tn_list_at(&c->inner, struct inner_use, at - 1);
            cross(c, x, op, use->value);
            at = use->next;
        }
    }
    for (uint32_t i = 0; i < main->outputs.count; i++)
        cross(c, x, TN_NONE, find_value(c, main->outputs.items[i].name));
}

static enum tn_status find_scope(struct cutting *c, struct extraction *x,
                                 const char *scope)
{
    const struct tn_graph *main  = tn_model_graph_at(c->model, 0);
    uint64_t               count = 0;

    x->is_inside = tn_new(&c->arena, bool, c->model->ops.count, c->error);
    x->is_listed = tn_new(&c->arena, bool, c->model->values.count, c->error);
    if (tn_failed(c->error))
        return c->error->status;
    for (uint64_t i = 0; i < main->op_count; i++) {
        uint32_t op = main->first_op + (uint32_t)i;
        x->is_inside[op] =
            is_in_scope(tn_model_op(c->model, op).name, tn_text(scope));
        count += x->is_inside[op];
    }
    if (count)
        return TN_OK;
    return tn_error_set(c->error, TN_NOT_FOUND, TN_NOWHERE,
                        "no node of the main graph is in scope '%s'", scope);
}

enum tn_status tn_draft_extract(struct tn_draft *draft, const char *scope,
                                struct tn_error *error)
{
    struct cutting c = { .draft = draft, .model = draft->base, .error = error };
    struct extraction x;

    cutting_init(&c);
    tn_list_init(&x.inputs, draft->memory, sizeof(struct tn_bytes));
    tn_list_init(&x.outputs, draft->memory, sizeof(struct tn_bytes));
    if (make_tables(&c)) {
        find_owners(&c);
        find_inner_uses(&c);
        if (!tn_failed(error) && find_scope(&c, &x, scope) == TN_OK)
            cross_all(&c, &x);
    }
    struct tn_cut cut = { .inputs       = x.inputs.items,
                          .input_count  = (uint32_t)x.inputs.count,
                          .outputs      = x.outputs.items,
                          .output_count = (uint32_t)x.outputs.count };
    if (!tn_failed(error) && !cut.output_count)
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "nothing outside of scope '%s' uses what its nodes make",
                     scope);
    if (!tn_failed(error))
        tn_draft_cut(draft, &cut, error);
    tn_list_done(&x.outputs);
    tn_list_done(&x.inputs);
    cutting_done(&c);
    return error->status;
}
