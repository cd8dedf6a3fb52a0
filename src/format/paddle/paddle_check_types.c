/*
 * paddle_check_types.c - element types and ranks that variables are declared
 * with, against what operators take and give
 *
 * The vocabulary has the operators that rules speak of, with the slots that
 * matter to them: nothing else is judged by it.
 */
#include "format/paddle/paddle_check.h"
#include "ir/vocab_check.h"

/* The block that declares it may be around the one that uses it. */
static bool find_declared(const struct tn_model *model, uint32_t value,
                          struct tn_declared *told)
{
    const struct tn_value *row = tn_model_value_at(model, value);
    struct tn_bytes        name = tn_model_name(model, row->name);
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

static enum tn_status check_model(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error)
{
    struct tn_arena     arena;
    struct tn_vocab     vocab;
    struct tn_vocab_use use = {
        .vocab          = &vocab,
        .context        = (void *)(uintptr_t)model,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .made           = made,
        .compares_types = true,
        .only_types     = true,
        .file           = model->wire.source ? model->wire.source->name : "",
    };

    tn_arena_init(&arena, model->memory);
    if (tn_vocab_index(&vocab, &arena, tn_vocab_builtin("paddle"), error) ==
        TN_OK)
        tn_vocab_check(model, &use, report, error);
    tn_arena_done(&arena);
    return error->status;
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
