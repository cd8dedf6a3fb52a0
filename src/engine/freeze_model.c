/*
 * freeze_model.c - variables of a SavedModel as constants of its graph
 *
 * What is needed is found first, then which values are handles of variables,
 * then an edit changes whatever makes, passes or reads one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tenon/verbs.h>

#include "base/buffer.h"
#include "engine/edit_draft.h"
#include "engine/freeze_model.h"
#include "engine/opened.h"
#include "ir/vocab.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "map/tidy/tf_tidy.h"

/* How an operator uses a handle. */
enum freeze_use {
    TN_USE_OTHER, /* something that needs a variable */
    TN_USE_PASS,  /* passes it on */
    TN_USE_READ,
    TN_USE_GATHER,
    TN_USE_GATHER_ND,
    TN_USE_SHAPE,
    TN_USE_CALL, /* all inputs are arguments of a function */
    TN_USE_IF, /* all but the first                                           */
    TN_USE_WHILE, /* and all outputs are inputs of the next round */
};

/* A class of values that share a handle, named by one of them. */
struct tn_handles {
    uint32_t    parent;
    uint32_t    tensor;  /* + 1: one of its variables; 0: none                */
    bool        is_open; /* their shapes differ                               */
    uint32_t    blocker; /* op that needs a variable                          */
    const char *why;     /* NULL: it can be frozen                            */
};

struct tn_freezing {
    const struct tn_model *model;
    struct tn_edit        *edit;
    struct tn_draft       *draft;
    struct tn_error       *error;
    struct tn_arena        arena;
    tn_on_loss            *loss;
    void                  *loss_context;
    struct tn_list         tensors;   /* uint32_t by op: tensor + 1           */
    struct tn_list         queue;     /* uint32_t: ops to look behind         */
    struct tn_intern       functions; /* names                                */
    struct tn_list         graphs;    /* uint32_t by name                     */
    struct tn_pairs        outputs;   /* (op, output): a value                */
    uint64_t               steps;     /* taken through arguments of calls     */
    struct tn_vocab        vocab;
    bool                  *is_kept;   /* by op                                */
    bool                  *is_called; /* by graph                             */
    struct tn_handles     *handles;   /* by value                             */
};

static struct tn_bytes freeze_type(const struct tn_freezing *f, uint32_t op)
{
    return tn_model_name(f->model, tn_model_op_at(f->model, op)->type);
}

static uint32_t freeze_inputs(const struct tn_freezing *f, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(f->model, op);

    return row->input_count - row->control_count;
}

static enum freeze_use    freeze_use(const struct tn_freezing *f, uint32_t op);
static struct tn_handles *freeze_handles(struct tn_freezing *f, uint32_t value);

/* ---- values that hold handles of variables ------------------------------- */

/*
 * Values that hold the same handle are one class (a union-find over the values
 * of the model): what an Identity passes on, what a call passes to a function,
 * what a While passes from round to round.  A class is frozen as a whole, when
 * everything in it has a value in the checkpoint and is only read.
 */

static const struct {
    const char     *type;
    enum freeze_use use;
} uses[] = {
    { "Identity", TN_USE_PASS },
    { "Enter", TN_USE_PASS },
    { "Exit", TN_USE_PASS },
    { "Switch", TN_USE_PASS },
    { "Merge", TN_USE_PASS },
    { "NextIteration", TN_USE_PASS },
    { "ReadVariableOp", TN_USE_READ },
    { "ResourceGather", TN_USE_GATHER },
    { "ResourceGatherNd", TN_USE_GATHER_ND },
    { "VariableShape", TN_USE_SHAPE },
    { "PartitionedCall", TN_USE_CALL },
    { "StatefulPartitionedCall", TN_USE_CALL },
    { "If", TN_USE_IF },
    { "StatelessIf", TN_USE_IF },
    { "Case", TN_USE_IF },
    { "StatelessCase", TN_USE_IF },
    { "While", TN_USE_WHILE },
    { "StatelessWhile", TN_USE_WHILE },
};

/* ---- what operators do with handles ------------------------------------- */

/* The graph of the function of that name, or TN_NONE. */
static uint32_t freeze_function(const struct tn_freezing *f,
                                struct tn_bytes           name)
{
    uint32_t id = tn_intern_find(&f->functions, name);

    return id < f->graphs.count ? *tn_list_at(&f->graphs, uint32_t, id)
                                : TN_NONE;
}

static enum freeze_use freeze_use(const struct tn_freezing *f, uint32_t op)
{
    struct tn_bytes type = freeze_type(f, op);

    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (tn_bytes_is(type, uses[i].type))
            return uses[i].use;
    return freeze_function(f, type) == TN_NONE ? TN_USE_OTHER : TN_USE_CALL;
}

static bool freeze_is_reference(struct tn_bytes type)
{
    return tn_bytes_is(type, "VariableV2") || tn_bytes_is(type, "Variable");
}

/* Whether a node creates a variable; and whether it is of the old kind, whose
 * reference every operator takes as the value. */
static bool freeze_is_variable(struct tn_bytes type)
{
    return freeze_is_reference(type) || tn_bytes_is(type, "VarHandleOp");
}

/* ---- classes of handles ------------------------------------------------- */

static uint32_t class_of(struct tn_freezing *f, uint32_t value)
{
    while (f->handles[value].parent != value) {
        uint32_t above           = f->handles[value].parent;
        f->handles[value].parent = f->handles[above].parent;
        value                    = above;
    }
    return value;
}

static void join(struct tn_freezing *f, uint32_t a, uint32_t b)
{
    if (a != TN_NONE && b != TN_NONE)
        f->handles[class_of(f, a)].parent = class_of(f, b);
}

static uint32_t io_value(const struct tn_freezing *f, uint32_t graph,
                         struct tn_io_list list, uint32_t index)
{
    return index < list.count
               ? tn_model_find_named(f->model, graph, list.items[index].name)
               : TN_NONE;
}

/* The value that an op produces, or that a function takes or returns; TN_NONE
 * if it is not used. */
static uint32_t freeze_output(const struct tn_freezing *f, uint32_t op,
                              uint32_t index)
{
    return tn_pairs_find(&f->outputs, op, index);
}

/* The handle that an op takes; TN_NONE for the reference of an old variable,
 * which is an ordinary value. */
static uint32_t freeze_handle(const struct tn_freezing *f, uint32_t op,
                              uint32_t index)
{
    uint32_t value = tn_op_input(f->model, op, index);
    uint32_t from  = value == TN_NONE
                         ? TN_NONE
                         : tn_model_value_at(f->model, value)->producer;

    return from != TN_NONE && freeze_is_reference(freeze_type(f, from))
               ? TN_NONE
               : value;
}

/* "x", "x:0" and "x:output:0" are one value. */
static void join_names(struct tn_freezing *f)
{
    for (uint32_t i = 0; i < f->model->values.count && !tn_failed(f->error);
         i++) {
        const struct tn_value *value = tn_model_value_at(f->model, i);
        f->handles[i].parent         = i;
        if (value->producer == TN_NONE)
            continue;
        uint32_t first = tn_pairs_add(&f->outputs, value->producer,
                                      value->output, i, f->error);
        join(f, i, first);
    }
}

/* The most steps through arguments, for each value of the model: many calls may
 * name the same large function. */
enum { STEPS_A_VALUE = 64, STEPS_AT_LEAST = 1 << 20 };

static bool may_step(struct tn_freezing *f)
{
    if (++f->steps > STEPS_A_VALUE * f->model->values.count + STEPS_AT_LEAST)
        tn_error_set(f->error, TN_LIMIT, TN_NOWHERE,
                     "calls pass more arguments than a graph of this size has");
    return !tn_failed(f->error);
}

static void join_call(struct tn_freezing *f, uint32_t op, uint32_t graph,
                      uint32_t skip, bool gives)
{
    const struct tn_graph *g = tn_model_graph_at(f->model, graph);

    for (uint32_t i = 0;
         i + skip < freeze_inputs(f, op) && i < g->inputs.count && may_step(f);
         i++)
        join(f, freeze_handle(f, op, i + skip),
             io_value(f, graph, g->inputs, i));
    for (uint32_t i = 0; gives && i < g->outputs.count && may_step(f); i++)
        join(f, freeze_output(f, op, i), io_value(f, graph, g->outputs, i));
}

/* The functions of a node that calls some; While's condition gives no handles.
 */
static void join_functions(struct tn_freezing *f, uint32_t op,
                           enum freeze_use use)
{
    struct tn_list attrs;
    uint32_t       own = freeze_function(f, freeze_type(f, op));

    if (own != TN_NONE) {
        join_call(f, op, own, 0, true);
        return;
    }
    tn_list_init(&attrs, f->model->memory, sizeof(struct tn_attr_named));
    tn_attr_list(f->model, op, &f->arena, &attrs, f->error);
    for (uint64_t i = 0; i < attrs.count && !tn_failed(f->error); i++) {
        const struct tn_attr_named *attr =
            tn_list_at(&attrs, struct tn_attr_named, i);
        for (uint32_t k = 0;
             attr->value.kind == TN_ATTR_FUNCTION && k < attr->value.count;
             k++) {
            uint32_t graph = freeze_function(f, attr->value.of.strings[k]);
            if (graph != TN_NONE)
                join_call(f, op, graph, use == TN_USE_IF,
                          !tn_bytes_is(attr->name, "cond"));
        }
    }
    tn_list_done(&attrs);
    for (uint32_t i = 0; use == TN_USE_WHILE && i < freeze_inputs(f, op); i++)
        join(f, freeze_handle(f, op, i), freeze_output(f, op, i));
}

static void join_passed(struct tn_freezing *f, uint32_t op)
{
    uint32_t inputs =
        tn_bytes_is(freeze_type(f, op), "Merge") ? freeze_inputs(f, op) : 1;

    for (uint32_t i = 0; i < inputs && i < freeze_inputs(f, op); i++)
        for (uint32_t k = 0; k < 2; k++)
            join(f, freeze_handle(f, op, i), freeze_output(f, op, k));
}

static void join_all(struct tn_freezing *f)
{
    join_names(f);
    for (uint32_t i = 0; i < f->model->ops.count && !tn_failed(f->error); i++) {
        enum freeze_use use = f->is_kept[i] ? freeze_use(f, i) : TN_USE_OTHER;
        if (use == TN_USE_PASS)
            join_passed(f, i);
        else if (use >= TN_USE_CALL)
            join_functions(f, i, use);
    }
}

/* ---- what can be frozen ------------------------------------------------- */

static void block(struct tn_freezing *f, uint32_t value, uint32_t op,
                  const char *why)
{
    struct tn_handles *h = freeze_handles(f, value);

    if (!h || h->why)
        return;
    h->why     = why;
    h->blocker = op;
}

static const struct tn_shape *freeze_shape(const struct tn_freezing *f,
                                           const struct tn_handles  *h)
{
    return &tn_model_tensor(f->model, h->tensor - 1)->elements.shape;
}

static bool is_same_shape(const struct tn_shape *a, const struct tn_shape *b)
{
    return a->rank == b->rank &&
           (!a->rank ||
            memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

static void take_variable(struct tn_freezing *f, uint32_t op)
{
    uint32_t value = freeze_output(f, op, 0);
    uint32_t tensor =
        op < f->tensors.count ? *tn_list_at(&f->tensors, uint32_t, op) : 0;

    if (value == TN_NONE)
        return;
    struct tn_handles *h   = &f->handles[class_of(f, value)];
    uint32_t           old = h->tensor;
    if (!tensor) {
        block(f, value, op, "no entry of the checkpoint is restored to it");
        return;
    }
    h->tensor = tensor;
    if (!old)
        return;
    struct tn_handles      first = { .tensor = old };
    const struct tn_shape *was   = freeze_shape(f, &first),
                          *is    = freeze_shape(f, h);
    h->is_open |= !is_same_shape(was, is);
    if (was->dtype != is->dtype)
        block(f, value, op, "it shares a place with one of another type");
}

/* Most operators use the value of a reference. */
static bool wants_reference(struct tn_freezing *f, uint32_t op, uint32_t input)
{
    struct tn_error           unheard = TN_ERROR_INIT;
    const struct tn_vocab_op *known   = tn_vocab_find(
          &f->vocab, tn_bytes(NULL, 0), freeze_type(f, op), INT64_MAX, &unheard);

    if (!known || !known->has_signature)
        return freeze_function(f, freeze_type(f, op)) == TN_NONE;
    for (uint32_t i = 0; i < known->input_count; i++)
        if (known->inputs[i].is_ref &&
            (i == input || known->inputs[i].arity != TN_VOCAB_ONE))
            return true;
    return false;
}

static void look_at_use(struct tn_freezing *f, uint32_t op, uint32_t input)
{
    uint32_t value = tn_op_input(f->model, op, input);

    if (value == TN_NONE || !f->handles[class_of(f, value)].tensor)
        return;
    if (freeze_handle(f, op, input) == TN_NONE) {
        if (wants_reference(f, op, input))
            block(f, value, op, "this operator changes it");
        return;
    }
    enum freeze_use use = freeze_use(f, op);
    if (use == TN_USE_OTHER || (use < TN_USE_CALL && input != 0 &&
                                !tn_bytes_is(freeze_type(f, op), "Merge")))
        block(f, value, op, "this operator takes the variable itself");
}

/* Functions that are called in ways that are not followed here. */
static void block_arguments(struct tn_freezing *f, uint32_t op)
{
    struct tn_list attrs;

    tn_list_init(&attrs, f->model->memory, sizeof(struct tn_attr_named));
    tn_attr_list(f->model, op, &f->arena, &attrs, f->error);
    for (uint64_t i = 0; i < attrs.count && !tn_failed(f->error); i++) {
        const struct tn_attr_value *value =
            &tn_list_at(&attrs, struct tn_attr_named, i)->value;
        for (uint32_t k = 0;
             value->kind == TN_ATTR_FUNCTION && k < value->count; k++) {
            uint32_t graph = freeze_function(f, value->of.strings[k]);
            if (graph == TN_NONE)
                continue;
            struct tn_io_list list = tn_model_graph_at(f->model, graph)->inputs;
            for (uint32_t n = 0; n < list.count && may_step(f); n++)
                block(f, io_value(f, graph, list, n), op,
                      "this operator calls a function with it");
        }
    }
    tn_list_done(&attrs);
}

static void judge(struct tn_freezing *f)
{
    for (uint32_t i = 0; i < f->model->ops.count; i++)
        if (f->is_kept[i] && freeze_is_variable(freeze_type(f, i)))
            take_variable(f, i);
    for (uint32_t i = 0; i < f->model->ops.count && !tn_failed(f->error); i++) {
        if (!f->is_kept[i])
            continue;
        for (uint32_t k = 0; k < freeze_inputs(f, i); k++)
            look_at_use(f, i, k);
        if (freeze_use(f, i) == TN_USE_OTHER)
            block_arguments(f, i);
    }
}

/* The class of a value that becomes a tensor, and the shape of one of its
 * variables; NULL if the value stays as it is. */
static const struct tn_handles *freeze_class(struct tn_freezing *f,
                                             uint32_t            value)
{
    const struct tn_handles *h =
        value == TN_NONE ? NULL : &f->handles[class_of(f, value)];

    return h && h->tensor && !h->why ? h : NULL;
}

/* Fills f->handles; is_kept must be complete. */
static void freeze_find_handles(struct tn_freezing *f)
{
    join_all(f);
    judge(f);
}

/* The class of a value, frozen or not. */
static struct tn_handles *freeze_handles(struct tn_freezing *f, uint32_t value)
{
    return value == TN_NONE ? NULL : &f->handles[class_of(f, value)];
}

/* ---- small things ------------------------------------------------------- */

static void lose(const struct tn_freezing *f, struct tn_bytes name,
                 const char *what)
{
    char where[200];

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    if (f->loss)
        f->loss(f->loss_context, TN_NOWHERE, where, what);
}

static void lose_op(const struct tn_freezing *f, uint32_t op, const char *what)
{
    lose(f, tn_model_name(f->model, tn_model_op_at(f->model, op)->name), what);
}

/* Attributes of an op, as a list of struct tn_attr_named in the arena. */
static const struct tn_attr_value *attr_of(struct tn_freezing *f, uint32_t op,
                                           const char *name)
{
    struct tn_list              attrs;
    const struct tn_attr_value *found = NULL;

    tn_list_init(&attrs, f->model->memory, sizeof(struct tn_attr_named));
    if (tn_attr_list(f->model, op, &f->arena, &attrs, f->error) == TN_OK)
        for (uint64_t i = 0; i < attrs.count; i++) {
            struct tn_attr_named *attr =
                tn_list_at(&attrs, struct tn_attr_named, i);
            struct tn_attr_value *kept =
                tn_bytes_is(attr->name, name)
                    ? tn_new(&f->arena, struct tn_attr_value, 1, f->error)
                    : NULL;
            if (kept) {
                *kept = attr->value;
                found = kept;
            }
        }
    tn_list_done(&attrs);
    return found;
}

/* ---- what is needed ----------------------------------------------------- */

static void keep_op(struct tn_freezing *f, uint32_t op)
{
    uint32_t *slot = op == TN_NONE || f->is_kept[op]
                         ? NULL
                         : tn_list_push(&f->queue, uint32_t, f->error);

    if (!slot)
        return;
    f->is_kept[op] = true;
    *slot          = op;
}

static void call_function(struct tn_freezing *f, struct tn_bytes name)
{
    uint32_t graph = freeze_function(f, name);

    if (graph == TN_NONE || f->is_called[graph])
        return;
    f->is_called[graph]      = true;
    const struct tn_graph *g = tn_model_graph_at(f->model, graph);
    for (uint32_t i = 0; i < g->op_count; i++)
        keep_op(f, g->first_op + i);
}

static void call_functions(struct tn_freezing *f, uint32_t op)
{
    struct tn_list attrs;

    call_function(f, freeze_type(f, op));
    tn_list_init(&attrs, f->model->memory, sizeof(struct tn_attr_named));
    if (tn_attr_list(f->model, op, &f->arena, &attrs, f->error) == TN_OK)
        for (uint64_t i = 0; i < attrs.count; i++) {
            const struct tn_attr_value *value =
                &tn_list_at(&attrs, struct tn_attr_named, i)->value;
            for (uint32_t k = 0;
                 value->kind == TN_ATTR_FUNCTION && k < value->count; k++)
                call_function(f, value->of.strings[k]);
        }
    tn_list_done(&attrs);
}

static void look_behind(struct tn_freezing *f, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(f->model, op);

    call_functions(f, op);
    for (uint32_t i = 0; i < row->input_count; i++) {
        uint32_t value = tn_op_input(f->model, op, i);
        if (value != TN_NONE)
            keep_op(f, tn_model_value_at(f->model, value)->producer);
    }
}

static void keep_io_list(struct tn_freezing *f, struct tn_io_list list)
{
    uint32_t output;

    for (uint32_t i = 0; i < list.count; i++) {
        struct tn_bytes name =
            f->model->dialect->producer_of(list.items[i].name, &output);
        uint32_t value = tn_model_find_named(f->model, 0, name);
        if (value != TN_NONE)
            keep_op(f, tn_model_value_at(f->model, value)->producer);
    }
}

/* Operators that a loader runs once, to fill tables and the like, or to
 * train. */
static bool is_for_loader(const struct tn_signature *signature)
{
    return tn_bytes_starts_with(signature->name, "__saved_model_");
}

static void keep_needed(struct tn_freezing *f)
{
    const struct tn_graph *main  = tn_model_graph_at(f->model, 0);
    bool                   knows = false;

    for (uint64_t i = 0; i < f->model->signatures.count; i++) {
        const struct tn_signature *s =
            tn_list_at(&f->model->signatures, struct tn_signature, i);
        if (is_for_loader(s))
            continue;
        keep_io_list(f, s->inputs);
        keep_io_list(f, s->outputs);
        knows = true;
    }
    for (uint32_t i = 0; !knows && i < main->op_count; i++)
        keep_op(f, main->first_op + i);
    for (uint64_t i = 0; i < f->queue.count && !tn_failed(f->error); i++)
        look_behind(f, *tn_list_at(&f->queue, uint32_t, i));
}

static enum tn_status leave_unneeded(struct tn_freezing *f)
{
    const struct tn_graph *main = tn_model_graph_at(f->model, 0);

    for (uint32_t i = 0; i < main->op_count; i++) {
        uint32_t op = main->first_op + i;
        if (f->is_kept[op])
            continue;
        lose_op(f, op, "left behind: an operator that no signature needs");
        TN_TRY(tn_draft_remove_op(f->draft, op, f->error));
    }
    for (uint64_t i = 0; i < f->graphs.count; i++) {
        uint32_t graph = *tn_list_at(&f->graphs, uint32_t, i);
        if (f->is_called[graph])
            continue;
        lose(f,
             tn_model_name(f->model, tn_model_graph_at(f->model, graph)->name),
             "left behind: a function that no signature needs");
        TN_TRY(tn_draft_remove_function(f->draft, graph, f->error));
    }
    return f->error->status;
}

/* ---- changes ------------------------------------------------------------ */

static enum tn_status set_types(struct tn_freezing *f, uint32_t op,
                                const char *name, const int64_t *types,
                                uint32_t count, bool is_list)
{
    struct tn_attr_value value = { .kind    = TN_ATTR_DTYPE,
                                   .is_list = is_list,
                                   .count   = count,
                                   .of.ints = types };

    return tn_draft_set_attr(f->draft, op, name, &value, f->error);
}

static enum tn_status set_type(struct tn_freezing *f, uint32_t op,
                               const char *name, enum tn_dtype dtype)
{
    const int64_t one[] = { dtype };

    return set_types(f, op, name, one, 1, false);
}

static enum tn_status drop_attr(struct tn_freezing *f, uint32_t op,
                                const char *name)
{
    struct tn_error none = TN_ERROR_INIT;

    if (tn_draft_remove_attr(f->draft, op, name, &none) != TN_OK &&
        none.status != TN_NOT_FOUND)
        *f->error = none;
    return f->error->status;
}

static enum tn_status become_constant(struct tn_freezing *f, uint32_t op,
                                      const struct tn_tensor *tensor)
{
    const struct tn_tensor *const one[] = { tensor };
    struct tn_attr_value          value = { .kind       = TN_ATTR_TENSOR,
                                            .count      = 1,
                                            .of.tensors = one };

    TN_TRY(tn_draft_set_type(f->draft, op, "Const", f->error));
    TN_TRY(drop_attr(f, op, "_output_shapes"));
    TN_TRY(set_type(f, op, "dtype", tensor->elements.shape.dtype));
    return tn_draft_set_attr(f->draft, op, "value", &value, f->error);
}

/* A name that nothing in the graph has: below the op's own. */
static const char *name_below(struct tn_freezing *f, uint32_t op,
                              const char *word)
{
    const struct tn_op *row  = tn_model_op_at(f->model, op);
    struct tn_bytes     base = tn_model_name(f->model, row->name);

    for (unsigned i = 0;; i++) {
        char    *name = i ? tn_text_format(&f->arena, f->error, "%.*s/%s_%u",
                                           TN_FMT(base), word, i)
                          : tn_text_format(&f->arena, f->error, "%.*s/%s",
                                           TN_FMT(base), word);
        uint32_t id =
            name ? tn_intern_find(&f->model->names, tn_text(name)) : TN_NO_NAME;
        if (id == TN_NO_NAME ||
            tn_model_find_value(f->model, row->graph, id) == TN_NONE)
            return name;
    }
}

/* GatherV2's third input: the axis is where the batch ends. */
static enum tn_status add_axis(struct tn_freezing *f, uint32_t op, int64_t axis)
{
    uint32_t    graph = tn_model_op_at(f->model, op)->graph;
    int32_t     at    = (int32_t)axis;
    uint8_t     bytes[4];
    const char *name = name_below(f, op, "axis");

    if (!name)
        return f->error->status;
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)((uint32_t)at >> 8 * i);
    TN_TRY(tn_edit_add_elements(f->edit, graph, name, TN_INT32, 0, NULL,
                                tn_bytes(bytes, 4), f->error));
    const char *value =
        graph ? tn_text_format(&f->arena, f->error, "%s:output:0", name) : name;
    return value ? tn_draft_insert_input(f->draft, op, 2, value, f->error)
                 : f->error->status;
}

static enum tn_status become_gather(struct tn_freezing *f, uint32_t op,
                                    enum tn_dtype dtype, bool is_nd)
{
    const struct tn_attr_value *indices = attr_of(f, op, "Tindices");
    const struct tn_attr_value *batch   = attr_of(f, op, "batch_dims");
    int64_t axis = batch && batch->kind == TN_ATTR_INT && batch->count == 1
                       ? batch->of.ints[0]
                       : 0;

    TN_TRY(tn_draft_set_type(f->draft, op, is_nd ? "GatherNd" : "GatherV2",
                             f->error));
    TN_TRY(set_type(f, op, "Tparams", dtype));
    if (indices)
        TN_TRY(tn_draft_set_attr(f->draft, op, "Tindices", indices, f->error));
    if (is_nd)
        return TN_OK;
    TN_TRY(set_type(f, op, "Taxis", TN_INT32));
    if (batch)
        TN_TRY(tn_draft_set_attr(f->draft, op, "batch_dims", batch, f->error));
    return add_axis(f, op, axis);
}

static enum tn_status become_shape(struct tn_freezing *f, uint32_t op,
                                   enum tn_dtype dtype)
{
    const struct tn_attr_value *out = attr_of(f, op, "out_type");

    TN_TRY(tn_draft_set_type(f->draft, op, "Shape", f->error));
    TN_TRY(set_type(f, op, "T", dtype));
    if (out)
        TN_TRY(tn_draft_set_attr(f->draft, op, "out_type", out, f->error));
    return f->error->status;
}

/* ---- calls -------------------------------------------------------------- */

/* The list of types of inputs or outputs, with those that are tensors now. */
static enum tn_status retype(struct tn_freezing *f, uint32_t op,
                             const char *name, uint32_t skip, bool is_output)
{
    const struct tn_attr_value *old        = attr_of(f, op, name);
    bool                        is_changed = false;

    if (!old || old->kind != TN_ATTR_DTYPE || !old->is_list)
        return f->error->status;
    int64_t *types = tn_new(&f->arena, int64_t, old->count, f->error);
    for (uint32_t i = 0; types && i < old->count; i++) {
        uint32_t                 value = is_output ? freeze_output(f, op, i)
                                         : i + skip < freeze_inputs(f, op)
                                             ? tn_op_input(f->model, op, i + skip)
                                             : TN_NONE;
        const struct tn_handles *h     = freeze_class(f, value);
        types[i]                       = old->of.ints[i];
        if (!h || types[i] != TN_RESOURCE)
            continue;
        types[i]   = freeze_shape(f, h)->dtype;
        is_changed = true;
    }
    return types && is_changed ? set_types(f, op, name, types, old->count, true)
                               : f->error->status;
}

static struct tn_attr_shape attr_shape(struct tn_freezing      *f,
                                       const struct tn_handles *h)
{
    const struct tn_shape *of = freeze_shape(f, h);
    int64_t *dims             = tn_new(&f->arena, int64_t, of->rank, f->error);

    if (!dims || h->is_open)
        return (struct tn_attr_shape){ .has_rank = false };
    for (uint32_t i = 0; i < of->rank; i++)
        dims[i] = (int64_t)of->dims[i];
    return (struct tn_attr_shape){ true, of->rank, dims };
}

/* A handle is a scalar; its variable need not be. */
static enum tn_status reshape_outputs(struct tn_freezing *f, uint32_t op,
                                      const char *name)
{
    const struct tn_attr_value *old        = attr_of(f, op, name);
    bool                        is_changed = false;

    if (!old || old->kind != TN_ATTR_SHAPE || !old->is_list)
        return f->error->status;
    struct tn_attr_value  now = *old;
    struct tn_attr_shape *shapes =
        tn_new(&f->arena, struct tn_attr_shape, old->count, f->error);
    for (uint32_t i = 0; shapes && i < old->count; i++) {
        const struct tn_handles *h = freeze_class(f, freeze_output(f, op, i));
        shapes[i]                  = h ? attr_shape(f, h) : old->of.shapes[i];
        is_changed |= h != NULL;
    }
    now.of.shapes = shapes;
    return shapes && is_changed
               ? tn_draft_set_attr(f->draft, op, name, &now, f->error)
               : f->error->status;
}

/* Removes inputs that are tensors now from the list of resource inputs that are
 * only read, which has their numbers. */
static enum tn_status forget_read_only(struct tn_freezing *f, uint32_t op)
{
    static const char *const    name = "_read_only_resource_inputs";
    const struct tn_attr_value *old  = attr_of(f, op, name);
    uint32_t                    kept = 0;

    if (!old || old->kind != TN_ATTR_INT || !old->is_list)
        return f->error->status;
    int64_t *left = tn_new(&f->arena, int64_t, old->count, f->error);
    for (uint32_t i = 0; left && i < old->count; i++) {
        uint64_t at = (uint64_t)old->of.ints[i];
        if (at < freeze_inputs(f, op) &&
            !freeze_class(f, tn_op_input(f->model, op, (uint32_t)at)))
            left[kept++] = old->of.ints[i];
    }
    struct tn_attr_value now = {
        .kind = TN_ATTR_INT, .is_list = true, .count = kept, .of.ints = left
    };
    return left && kept < old->count
               ? tn_draft_set_attr(f->draft, op, name, &now, f->error)
               : f->error->status;
}

static enum tn_status change_call(struct tn_freezing *f, uint32_t op,
                                  enum freeze_use use)
{
    TN_TRY(forget_read_only(f, op));
    TN_TRY(reshape_outputs(f, op, "output_shapes"));
    TN_TRY(reshape_outputs(f, op, "_output_shapes"));
    if (use == TN_USE_WHILE)
        return retype(f, op, "T", 0, false);
    TN_TRY(retype(f, op, "Tin", use == TN_USE_IF, false));
    return retype(f, op, "Tout", 0, true);
}

/* ---- functions ---------------------------------------------------------- */

/* Whether another operator makes the value now, whose output has another
 * name. */
static bool is_renamed(struct tn_freezing *f, uint32_t value)
{
    uint32_t op = value == TN_NONE
                      ? TN_NONE
                      : tn_model_value_at(f->model, value)->producer;

    if (op == TN_NONE || !tn_model_value_at(f->model, value)->graph)
        return false;
    if (freeze_is_variable(freeze_type(f, op)))
        return freeze_class(f, freeze_output(f, op, 0)) != NULL;
    return tn_bytes_is(freeze_type(f, op), "ReadVariableOp") &&
           freeze_class(f, tn_op_input(f->model, op, 0)) != NULL;
}

/* "read:value:0" is "read:output:0" from now on. */
static const char *new_name(struct tn_freezing *f, uint32_t value)
{
    uint32_t op = tn_model_value_at(f->model, value)->producer;

    return tn_text_format(
        &f->arena, f->error, "%.*s:output:0",
        TN_FMT(tn_model_name(f->model, tn_model_op_at(f->model, op)->name)));
}

static enum tn_status rename_inputs(struct tn_freezing *f, uint32_t op)
{
    for (uint32_t i = 0; i < freeze_inputs(f, op); i++) {
        uint32_t value = tn_op_input(f->model, op, i);
        if (!is_renamed(f, value))
            continue;
        const char *name = new_name(f, value);
        if (!name)
            return f->error->status;
        TN_TRY(tn_draft_set_input(f->draft, op, i, name, f->error));
    }
    return f->error->status;
}

static struct tn_io *change_io_list(struct tn_freezing *f, uint32_t graph,
                                    struct tn_io_list list, bool *is_changed)
{
    struct tn_io *now =
        tn_new(f->draft->arena, struct tn_io, list.count, f->error);

    for (uint32_t i = 0; now && i < list.count; i++) {
        uint32_t                 value = io_value(f, graph, list, i);
        const struct tn_handles *h     = freeze_class(f, value);
        now[i]                         = list.items[i];
        if (h && now[i].dtype == TN_RESOURCE) {
            now[i].dtype = freeze_shape(f, h)->dtype;
            *is_changed  = true;
        }
        if (!is_renamed(f, value))
            continue;
        const char *name = new_name(f, value);
        if (name)
            now[i].name =
                tn_bytes_dup(f->draft->arena, tn_text(name), f->error);
        *is_changed = true;
    }
    return now;
}

static enum tn_status change_function(struct tn_freezing *f, uint32_t graph)
{
    const struct tn_graph *g          = tn_model_graph_at(f->model, graph);
    bool                   is_changed = false;
    struct tn_io *inputs  = change_io_list(f, graph, g->inputs, &is_changed);
    struct tn_io *outputs = change_io_list(f, graph, g->outputs, &is_changed);

    if (tn_failed(f->error) || !is_changed)
        return f->error->status;
    return tn_draft_set_io(f->draft, graph, inputs, outputs, f->error);
}

/* ---- all of it ---------------------------------------------------------- */

static enum tn_status change_reader(struct tn_freezing *f, uint32_t op,
                                    enum freeze_use use, enum tn_dtype dtype)
{
    switch (use) {
    case TN_USE_PASS:
        TN_TRY(drop_attr(f, op, "_output_shapes"));
        return set_type(f, op, "T", dtype);
    case TN_USE_READ:
        TN_TRY(tn_draft_set_type(f->draft, op, "Identity", f->error));
        return set_type(f, op, "T", dtype);
    case TN_USE_GATHER: return become_gather(f, op, dtype, false);
    case TN_USE_GATHER_ND: return become_gather(f, op, dtype, true);
    case TN_USE_SHAPE: return become_shape(f, op, dtype);
    default: return TN_OK;
    }
}

static enum tn_status change_op(struct tn_freezing *f, uint32_t op)
{
    enum freeze_use          use = freeze_use(f, op);
    const struct tn_handles *h;

    TN_TRY(rename_inputs(f, op));
    if (freeze_is_variable(freeze_type(f, op))) {
        if (!freeze_class(f, freeze_output(f, op, 0)))
            return TN_OK;
        uint32_t tensor = *tn_list_at(&f->tensors, uint32_t, op);
        return become_constant(f, op, tn_model_tensor(f->model, tensor - 1));
    }
    if (use >= TN_USE_CALL)
        return change_call(f, op, use);
    h = freeze_inputs(f, op) ? freeze_class(f, freeze_handle(f, op, 0)) : NULL;
    return h ? change_reader(f, op, use, freeze_shape(f, h)->dtype) : TN_OK;
}

/* Reported with the reason; variables that are frozen are not reported. */
static enum tn_status tell_variable(struct tn_freezing *f, uint32_t op)
{
    uint32_t value = freeze_output(f, op, 0);
    uint32_t tensor =
        op < f->tensors.count ? *tn_list_at(&f->tensors, uint32_t, op) : 0;
    const struct tn_handles *h = freeze_handles(f, value);
    char                     what[300];

    if (h && h->why) {
        struct tn_bytes by =
            tn_model_name(f->model, tn_model_op_at(f->model, h->blocker)->name);
        snprintf(what, sizeof what,
                 "left behind: the value of a variable, which is not frozen: "
                 "%s%s%.*s",
                 h->why, h->blocker == op ? "" : ": ",
                 h->blocker == op ? 0 : (int)by.size, (const char *)by.data);
        lose_op(f, op, what);
    }
    if (!tensor)
        return f->error->status;
    struct tn_tensor *row =
        tn_list_at(&f->model->tensors, struct tn_tensor, tensor - 1);
    struct tn_draft_tensor *of =
        tn_list_at(&f->draft->tensors, struct tn_draft_tensor, tensor - 1);
    of->is_removed |= row->graph == TN_NONE;
    return f->error->status;
}

static enum tn_status change_all(struct tn_freezing *f)
{
    for (uint32_t i = 0; i < f->model->ops.count; i++)
        if (f->is_kept[i])
            TN_TRY(change_op(f, i));
    for (uint64_t i = 0; i < f->graphs.count; i++) {
        uint32_t graph = *tn_list_at(&f->graphs, uint32_t, i);
        if (f->is_called[graph])
            TN_TRY(change_function(f, graph));
    }
    for (uint32_t i = 0; i < f->model->ops.count; i++)
        if (f->is_kept[i] && freeze_is_variable(freeze_type(f, i)))
            TN_TRY(tell_variable(f, i));
    return leave_unneeded(f);
}

/* ---- from a model ------------------------------------------------------- */

/* A net needs outputs. Which ones does not matter here, where only the tensors
 * of its variables are of interest. */
static const char *any_end(struct tn_freezing *f)
{
    const struct tn_graph *main = tn_model_graph_at(f->model, 0);
    struct tn_bytes        name = { NULL, 0 };

    for (uint32_t i = 0; i < main->op_count && !name.size; i++)
        if (freeze_is_variable(freeze_type(f, main->first_op + i)))
            name = tn_model_op(f->model, main->first_op + i).name;
    return name.size ? tn_text_format(&f->arena, f->error, "%.*s", TN_FMT(name))
                     : NULL;
}

static enum tn_status bind_variables(struct tn_freezing *f)
{
    const char      *end = any_end(f);
    struct tn_net_io io  = { .outputs = &end, .output_count = 1 };
    struct tn_net    net;

    if (!end)
        return f->error->status;
    tn_net_init(&net, &f->arena, "tensorflow", f->error);
    if (tn_net_load(&net, f->model, &io) == TN_OK)
        tn_tf_variables(&net, &f->tensors);
    tn_net_done(&net);
    return f->error->status;
}

/* Functions of the first graph; those of others come after the others. */
static void name_functions(struct tn_freezing *f)
{
    for (uint32_t i = 1; i < f->model->graphs.count; i++) {
        const struct tn_graph *g     = tn_model_graph_at(f->model, i);
        uint32_t               known = tn_intern_count(&f->functions);
        if (g->kind != TN_GRAPH_FUNCTION)
            return;
        if (tn_intern_borrow(&f->functions, tn_model_name(f->model, g->name),
                             f->error) != known)
            continue;
        uint32_t *slot = tn_list_push(&f->graphs, uint32_t, f->error);
        if (slot)
            *slot = i;
    }
}

static enum tn_status freeze(struct tn_freezing *f)
{
    const struct tn_model *m = f->model;

    f->is_kept   = tn_new(&f->arena, bool, m->ops.count, f->error);
    f->is_called = tn_new(&f->arena, bool, m->graphs.count, f->error);
    f->handles =
        tn_new(&f->arena, struct tn_handles, m->values.count, f->error);
    if (tn_failed(f->error))
        return f->error->status;
    TN_TRY(tn_vocab_open(&f->vocab, &f->arena, "tensorflow", f->error));
    TN_TRY(bind_variables(f));
    name_functions(f);
    keep_needed(f);
    freeze_find_handles(f);
    return tn_failed(f->error) ? f->error->status : change_all(f);
}

bool tn_freeze_is_needed(const struct tn_model *model)
{
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tensor->graph == TN_NONE && tensor->role == TN_ROLE_VARIABLE)
            return true;
    }
    return false;
}

enum tn_status tn_freeze(const struct tn_model   *model,
                         const struct tn_options *options, tn_on_loss *loss,
                         void *loss_context, struct tn_model **frozen,
                         struct tn_error *error)
{
    struct tn_freezing f = { .model        = model,
                             .error        = error,
                             .loss         = loss,
                             .loss_context = loss_context };

    *frozen = NULL;
    TN_TRY(tn_edit_open(&f.edit, model, options, error));
    f.draft = tn_edit_draft(f.edit);
    tn_arena_init(&f.arena, model->memory);
    tn_list_init(&f.tensors, model->memory, sizeof(uint32_t));
    tn_list_init(&f.queue, model->memory, sizeof(uint32_t));
    tn_list_init(&f.graphs, model->memory, sizeof(uint32_t));
    tn_intern_init(&f.functions, &f.arena);
    tn_pairs_init(&f.outputs, model->memory);
    if (freeze(&f) == TN_OK)
        tn_edit_commit(f.edit, frozen, error);
    tn_pairs_done(&f.outputs);
    tn_intern_done(&f.functions);
    tn_list_done(&f.graphs);
    tn_list_done(&f.queue);
    tn_list_done(&f.tensors);
    tn_arena_done(&f.arena);
    tn_edit_close(f.edit);
    return error->status;
}
