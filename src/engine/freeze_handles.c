/*
 * freeze_handles.c - which values hold the handles of which variables
 *
 * Values that hold the same handle are one class (a union-find over the values
 * of the model): what an Identity passes on, what a call hands to the argument
 * of a function, what a While hands round.  A class is frozen as a whole, when
 * everything in it has a value in the checkpoint and is only read.
 */
#include "engine/freeze_work.h"

#include <string.h>

static const struct {
    const char        *type;
    enum tn_freeze_use use;
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

uint32_t tn_freeze_function(const struct tn_freezing *f, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&f->functions, name);

    return id < f->graphs.count ? *tn_list_at(&f->graphs, uint32_t, id)
                                : TN_NONE;
}

enum tn_freeze_use tn_freeze_use(const struct tn_freezing *f, uint32_t op)
{
    struct tn_bytes type = tn_freeze_type(f, op);

    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (tn_bytes_is(type, uses[i].type))
            return uses[i].use;
    return tn_freeze_function(f, type) == TN_NONE ? TN_USE_OTHER : TN_USE_CALL;
}

bool tn_freeze_is_reference(struct tn_bytes type)
{
    return tn_bytes_is(type, "VariableV2") || tn_bytes_is(type, "Variable");
}

bool tn_freeze_is_variable(struct tn_bytes type)
{
    return tn_freeze_is_reference(type) || tn_bytes_is(type, "VarHandleOp");
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

uint32_t tn_freeze_end(const struct tn_freezing *f, uint32_t graph,
                       struct tn_io_list ends, uint32_t index)
{
    uint32_t name = index < ends.count ? tn_intern_find(&f->model->names,
                                                        ends.items[index].name)
                                       : TN_NO_NAME;

    return name == TN_NO_NAME ? TN_NONE
                              : tn_model_find_value(f->model, graph, name);
}

uint32_t tn_freeze_output(const struct tn_freezing *f, uint32_t op,
                          uint32_t index)
{
    return tn_pairs_find(&f->outputs, op, index);
}

/* The handle that an op takes; TN_NONE for the reference of an old variable,
 * which is a value for whoever takes it. */
uint32_t tn_freeze_handle(const struct tn_freezing *f, uint32_t op,
                          uint32_t index)
{
    uint32_t value = tn_op_input(f->model, op, index);
    uint32_t from  = value == TN_NONE
                         ? TN_NONE
                         : tn_model_value_at(f->model, value)->producer;

    return from != TN_NONE && tn_freeze_is_reference(tn_freeze_type(f, from))
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

/* Steps through arguments that a model may cost, for each of its values: many
 * calls may name the same large function. */
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

    for (uint32_t i = 0; i + skip < tn_freeze_inputs(f, op) &&
                         i < g->inputs.count && may_step(f);
         i++)
        join(f, tn_freeze_handle(f, op, i + skip),
             tn_freeze_end(f, graph, g->inputs, i));
    for (uint32_t i = 0; gives && i < g->outputs.count && may_step(f); i++)
        join(f, tn_freeze_output(f, op, i),
             tn_freeze_end(f, graph, g->outputs, i));
}

/* The functions of a node that calls some; While's condition gives no handles.
 */
static void join_functions(struct tn_freezing *f, uint32_t op,
                           enum tn_freeze_use use)
{
    struct tn_list attrs;
    uint32_t       own = tn_freeze_function(f, tn_freeze_type(f, op));

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
            uint32_t graph = tn_freeze_function(f, attr->value.of.strings[k]);
            if (graph != TN_NONE)
                join_call(f, op, graph, use == TN_USE_IF,
                          !tn_bytes_is(attr->name, "cond"));
        }
    }
    tn_list_done(&attrs);
    for (uint32_t i = 0; use == TN_USE_WHILE && i < tn_freeze_inputs(f, op);
         i++)
        join(f, tn_freeze_handle(f, op, i), tn_freeze_output(f, op, i));
}

static void join_passed(struct tn_freezing *f, uint32_t op)
{
    uint32_t inputs = tn_bytes_is(tn_freeze_type(f, op), "Merge")
                          ? tn_freeze_inputs(f, op)
                          : 1;

    for (uint32_t i = 0; i < inputs && i < tn_freeze_inputs(f, op); i++)
        for (uint32_t k = 0; k < 2; k++)
            join(f, tn_freeze_handle(f, op, i), tn_freeze_output(f, op, k));
}

static void join_all(struct tn_freezing *f)
{
    join_names(f);
    for (uint32_t i = 0; i < f->model->ops.count && !tn_failed(f->error); i++) {
        enum tn_freeze_use use =
            f->is_kept[i] ? tn_freeze_use(f, i) : TN_USE_OTHER;
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
    struct tn_handles *h = tn_freeze_handles(f, value);

    if (!h || h->why)
        return;
    h->why     = why;
    h->blocker = op;
}

const struct tn_shape *tn_freeze_shape(const struct tn_freezing *f,
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
    uint32_t value = tn_freeze_output(f, op, 0);
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
    const struct tn_shape *was   = tn_freeze_shape(f, &first),
                          *is    = tn_freeze_shape(f, h);
    h->is_open |= !is_same_shape(was, is);
    if (was->dtype != is->dtype)
        block(f, value, op, "it shares a place with one of another type");
}

/* Of a reference, most operators take the value. */
static bool wants_reference(struct tn_freezing *f, uint32_t op, uint32_t input)
{
    struct tn_error           unheard = TN_ERROR_INIT;
    const struct tn_vocab_op *known =
        tn_vocab_find(&f->vocab, tn_bytes(NULL, 0), tn_freeze_type(f, op),
                      INT64_MAX, &unheard);

    if (!known || !known->has_signature)
        return tn_freeze_function(f, tn_freeze_type(f, op)) == TN_NONE;
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
    if (tn_freeze_handle(f, op, input) == TN_NONE) {
        if (wants_reference(f, op, input))
            block(f, value, op, "this operator changes it");
        return;
    }
    enum tn_freeze_use use = tn_freeze_use(f, op);
    if (use == TN_USE_OTHER || (use < TN_USE_CALL && input != 0 &&
                                !tn_bytes_is(tn_freeze_type(f, op), "Merge")))
        block(f, value, op, "this operator takes the variable itself");
}

/* Functions that are called in ways that we do not follow. */
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
            uint32_t graph = tn_freeze_function(f, value->of.strings[k]);
            if (graph == TN_NONE)
                continue;
            struct tn_io_list ends = tn_model_graph_at(f->model, graph)->inputs;
            for (uint32_t n = 0; n < ends.count && may_step(f); n++)
                block(f, tn_freeze_end(f, graph, ends, n), op,
                      "this operator calls a function with it");
        }
    }
    tn_list_done(&attrs);
}

static void judge(struct tn_freezing *f)
{
    for (uint32_t i = 0; i < f->model->ops.count; i++)
        if (f->is_kept[i] && tn_freeze_is_variable(tn_freeze_type(f, i)))
            take_variable(f, i);
    for (uint32_t i = 0; i < f->model->ops.count && !tn_failed(f->error); i++) {
        if (!f->is_kept[i])
            continue;
        for (uint32_t k = 0; k < tn_freeze_inputs(f, i); k++)
            look_at_use(f, i, k);
        if (tn_freeze_use(f, i) == TN_USE_OTHER)
            block_arguments(f, i);
    }
}

const struct tn_handles *tn_freeze_class(struct tn_freezing *f, uint32_t value)
{
    const struct tn_handles *h =
        value == TN_NONE ? NULL : &f->handles[class_of(f, value)];

    return h && h->tensor && !h->why ? h : NULL;
}

void tn_freeze_find_handles(struct tn_freezing *f)
{
    join_all(f);
    judge(f);
}

struct tn_handles *tn_freeze_handles(struct tn_freezing *f, uint32_t value)
{
    return value == TN_NONE ? NULL : &f->handles[class_of(f, value)];
}
