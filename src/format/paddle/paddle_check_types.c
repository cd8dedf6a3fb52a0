/*
 * paddle_check_types.c - element types, ranks and sizes that variables are
 * declared with, against what operators take and give
 *
 * The vocabulary has the operators that rules speak of, with the slots that
 * matter to them: nothing else is judged by it.
 */
#include "format/paddle/paddle_check.h"
#include "ir/attr.h"
#include "ir/value_sizes.h"

/* The block that declares it may be around the one that uses it. */
static bool find_declared(const struct tn_model *model, uint32_t value,
                          struct tn_declared *told)
{
    const struct tn_value *row   = tn_model_value_at(model, value);
    struct tn_bytes        name  = tn_model_name(model, row->name);
    uint32_t               graph = row->graph;

    for (int depth = 0; graph != TN_NONE && depth < TN_PADDLE_DEPTH_LIMIT;
         depth++) {
        if (tn_paddle_declared(model, graph, name, told))
            return told->has_type;
        graph = tn_model_graph_at(model, graph)->parent_graph;
    }
    return false;
}

/* Lists of tensors are left out: operators that take any do not say so. */
static void declare(void *context, uint8_t *types)
{
    const struct tn_model *model = context;
    struct tn_declared     told;

    for (uint32_t i = 0; i < model->values.count; i++)
        if (find_declared(model, i, &told) && !told.is_list &&
            told.dtype != TN_UNDEFINED)
            types[i] = TN_TYPE(told.dtype, TN_WRAP_NONE);
}

/* Ranks of 0 are left out: programs before Paddle 2.5 have none, and say so of
 * variables whose shape nobody inferred. */
static void declare_ranks(void *context, uint8_t *ranks)
{
    const struct tn_model *model = context;
    struct tn_declared     told;

    for (uint32_t i = 0; i < model->values.count; i++)
        if (find_declared(model, i, &told) && !told.is_list && told.rank)
            ranks[i] = TN_RANK(told.rank);
}

/* Where blocks are run by operators, they write variables of others with other
 * sizes in the next round: nothing is said then. */
static void declare_sizes(void *context, struct tn_sizing *to)
{
    const struct tn_model *model = context;
    struct tn_declared     told;

    for (uint32_t i = 0; model->graphs.count == 1 && !tn_failed(to->error) &&
                         i < model->values.count;
         i++) {
        const struct tn_dims *dims = NULL;
        if (find_declared(model, i, &told) && !told.is_list && told.rank &&
            told.rank < TN_VOCAB_RANK_LIMIT)
            dims = tn_dims_new(&to->arena, told.rank, told.dims, to->error);
        if (dims)
            tn_sizing_tell(to, i, dims);
    }
}

/* Operators with an attribute that says what they make. */
static const struct maker {
    const char   *op, *attr;
    enum tn_dtype otherwise; /* when it says -1                              */
} makers[] = {
    { "arg_max", "dtype", TN_INT64 },
    { "arg_min", "dtype", TN_INT64 },
    { "assign_value", "dtype", TN_UNDEFINED },
    { "cast", "out_dtype", TN_UNDEFINED },
    { "eye", "dtype", TN_UNDEFINED },
    { "fill_constant", "dtype", TN_UNDEFINED },
    { "fill_constant_batch_size_like", "dtype", TN_UNDEFINED },
};

static uint8_t type_said(const struct tn_model *model, uint32_t op,
                         const struct maker *maker)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    enum tn_dtype               dtype = TN_UNDEFINED;

    if (tn_attr_find(&attr, model, op, maker->attr, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_DTYPE && value->count == 1)
            dtype = (enum tn_dtype)value->of.ints[0];
        else if (value->kind == TN_ATTR_INT && value->count == 1)
            dtype = value->of.ints[0] < 0
                        ? maker->otherwise
                        : tn_lod_dtype((uint32_t)value->of.ints[0]);
    }
    tn_attr_close(attr);
    return dtype == TN_UNDEFINED ? 0 : TN_TYPE(dtype, TN_WRAP_NONE);
}

static uint8_t made(void *context, uint32_t op, const struct tn_vocab_op *kind,
                    uint32_t output)
{
    (void)output;
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (tn_bytes_is(kind->name, makers[i].op))
            return type_said(context, op, &makers[i]);
    return 0;
}

/* ---- ranks that attributes say ------------------------------------------ */

/* Operators whose result has as many dims as a list has numbers, or more by so
 * many; unless an input says the numbers. */
static const struct shaper {
    const char *op, *attr;
    const char *instead[2]; /* slots                                          */
    bool        is_more;    /* than the rank of X                             */
} shapers[] = {
    { "assign_value", "shape", { NULL, NULL }, false },
    { "expand_v2", "shape", { "Shape", "expand_shapes_tensor" }, false },
    { "fill_constant", "shape", { "ShapeTensor", "ShapeTensorList" }, false },
    { "gaussian_random", "shape", { "ShapeTensor", "ShapeTensorList" }, false },
    { "reshape", "shape", { "Shape", "ShapeTensor" }, false },
    { "reshape2", "shape", { "Shape", "ShapeTensor" }, false },
    { "uniform_random", "shape", { "ShapeTensor", "ShapeTensorList" }, false },
    { "unsqueeze", "axes", { "AxesTensor", "AxesTensorList" }, true },
    { "unsqueeze2", "axes", { "AxesTensor", "AxesTensorList" }, true },
};

/* The first value in a slot of inputs; TN_NONE: there is none. */
static uint32_t find_in_slot(const struct tn_model *model, uint32_t op,
                             const char *slot)
{
    const struct tn_op *row     = tn_model_op_at(model, op);
    struct tn_error     failure = TN_ERROR_INIT;
    struct tn_cursor    node =
        tn_cursor_span(tn_model_op_wire(model, row), &failure);
    struct tn_bytes name;
    uint32_t        count, index = 0;

    while (model->dialect->next_slot(&node, false, &name, &count)) {
        if (tn_bytes_is(name, slot) && count && index < row->input_count)
            return tn_model_ref_at(model, (uint64_t)row->first_input + index);
        index += count;
    }
    return TN_NONE;
}

/* How long the list is; 0: it is none, or empty. */
static uint32_t count_numbers(const struct tn_model *model, uint32_t op,
                              const char *name)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    uint32_t                    count = 0;

    if (tn_attr_find(&attr, model, op, name, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->is_list && value->kind == TN_ATTR_INT)
            count = value->count;
    }
    tn_attr_close(attr);
    return count;
}

static uint8_t shaped(const struct tn_model *model, uint32_t op,
                      const struct shaper *s)
{
    struct tn_declared told;
    uint32_t           count = count_numbers(model, op, s->attr);
    uint32_t           x;

    for (int i = 0; i < 2 && s->instead[i]; i++)
        if (find_in_slot(model, op, s->instead[i]) != TN_NONE)
            return 0;
    if (!count)
        return 0;
    if (s->is_more) {
        x = find_in_slot(model, op, "X");
        if (x == TN_NONE || !find_declared(model, x, &told) || !told.rank)
            return 0;
        count += told.rank;
    }
    return TN_RANK(count);
}

static uint8_t made_rank(void *context, uint32_t op,
                         const struct tn_vocab_op *kind, uint32_t output)
{
    (void)output;
    for (size_t i = 0; i < sizeof shapers / sizeof shapers[0]; i++)
        if (tn_bytes_is(kind->name, shapers[i].op))
            return shaped(context, op, &shapers[i]);
    return 0;
}

/* ---- conditions --------------------------------------------------------- */

/* One element decides what runs. */
static const struct decider {
    const char *op, *slot;
    bool        takes_int32; /* a branch by its number                       */
} deciders[] = {
    { "conditional_block", "Cond", false },
    { "conditional_block_infer", "Cond", false },
    { "select_input", "Mask", true },
    { "select_output", "Mask", true },
    { "while", "Condition", false },
};

/* The first conditions were lists of any tensors, of which none is empty. */
static bool is_list_of_any(const struct tn_model *model, uint32_t op,
                           const struct decider *d)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    bool                        is_scalar = false;

    if (strcmp(d->slot, "Cond"))
        return false;
    if (tn_attr_find(&attr, model, op, "is_scalar_condition", &failure) ==
        TN_OK) {
        value     = tn_attr_get(attr);
        is_scalar = value->kind == TN_ATTR_BOOL && value->count == 1 &&
                    value->of.ints[0];
    }
    tn_attr_close(attr);
    return !is_scalar;
}

static void check_decider(const struct tn_value_findings *to, uint32_t op,
                          const struct decider *d)
{
    uint32_t           value = find_in_slot(to->model, op, d->slot);
    struct tn_bytes    name;
    struct tn_declared told;

    if (value == TN_NONE || !find_declared(to->model, value, &told) ||
        told.is_list || is_list_of_any(to->model, op, d))
        return;
    name = tn_value_short_name(to->model, value);
    if (told.dtype != TN_UNDEFINED && told.dtype != TN_BOOL &&
        !(d->takes_int32 && told.dtype == TN_INT32))
        tn_value_complain(to, op, "type-not-allowed",
                          "'%.*s' is %s, which %s does not take as '%s'",
                          TN_FMT(name), tn_dtype_name(told.dtype), d->op,
                          d->slot);
    for (uint32_t i = 0; i < told.rank; i++)
        if (told.dims[i] != 1 && told.dims[i] != -1) {
            tn_value_complain(to, op, "condition-size",
                              "dimension %" PRIu32 " of '%.*s' is %" PRId64
                              "; %s takes one element as '%s'",
                              i, TN_FMT(name), told.dims[i], d->op, d->slot);
            return;
        }
}

static void check_conditions(const struct tn_value_findings *to)
{
    const struct tn_model *model = to->model;

    for (uint32_t op = 0; op < model->ops.count && !to->report->is_stopped;
         op++) {
        const struct tn_op *row  = tn_model_op_at(model, op);
        struct tn_bytes     type = tn_model_name(model, row->type);
        for (size_t i = 0; i < sizeof deciders / sizeof deciders[0]; i++)
            if (row->wire_length && row->first_attr == TN_NONE &&
                tn_bytes_is(type, deciders[i].op))
                check_decider(to, op, &deciders[i]);
    }
}

/* ---- from the top ------------------------------------------------------- */

static enum tn_status check_model(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error)
{
    struct tn_vocab_use use = {
        .context        = (void *)(uintptr_t)model,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .declare_sizes  = declare_sizes,
        .made           = made,
        .made_rank      = made_rank,
        .compares_types = true,
        .only_types     = true,
        .file           = model->wire.source ? model->wire.source->name : "",
    };

    check_conditions(&(struct tn_value_findings){
        .model = model, .report = report, .file = use.file });
    TN_TRY(tn_paddle_check_order(model, report, error));
    return tn_vocab_check_builtin(model, &use, "paddle", report, error);
}

/* A writer that lays a program out anew does not want its graph: it is read
 * for this alone. */
enum tn_status tn_paddle_check_types(struct tn_paddle_checker *k)
{
    struct tn_model again;

    if (k->model->wants_graph)
        return check_model(k->model, k->report, k->error);
    tn_model_init(&again, k->model->memory);
    again.wants_graph = true;
    if (tn_paddle_program_read(&again, k->model->wire, k->error) == TN_OK)
        check_model(&again, k->report, k->error);
    tn_model_done(&again);
    return k->error->status;
}
