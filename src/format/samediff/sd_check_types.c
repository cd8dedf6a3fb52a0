/*
 * sd_check_types.c - element types and ranks of values, against what operations
 * of nd4j take
 *
 * What arrays and placeholders are is known.  What a file announces of results
 * is not: kernels decide that, by the vocabulary.
 */
#include "format/samediff/sd_check.h"
#include "ir/vocab_check.h"

typedef void noting(uint8_t *to, enum tn_dtype dtype, bool has_rank,
                    uint32_t rank);

static void note_type(uint8_t *to, enum tn_dtype dtype, bool has_rank,
                      uint32_t rank)
{
    (void)has_rank;
    (void)rank;
    if (dtype != TN_UNDEFINED)
        *to = TN_TYPE(dtype, TN_WRAP_NONE);
}

/* No shape and that of a scalar look the same in some files. */
static void note_rank(uint8_t *to, enum tn_dtype dtype, bool has_rank,
                      uint32_t rank)
{
    (void)dtype;
    if (has_rank && rank)
        *to = TN_RANK(rank);
}

static void note_inputs(const struct tn_model *model, uint32_t graph,
                        uint8_t *by_value, noting *note)
{
    const struct tn_io_list *inputs = &tn_model_graph_at(model, graph)->inputs;

    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct tn_io *end   = &inputs->items[i];
        uint32_t            value = tn_model_find_value(
                       model, graph, tn_intern_find(&model->names, end->name));
        if (value != TN_NONE && !end->note[0])
            note(&by_value[value], end->dtype, end->has_rank, end->rank);
    }
}

static void note_array(const struct tn_model *model, uint64_t index,
                       uint8_t *by_value, noting *note)
{
    const struct tn_tensor *row =
        tn_list_at(&model->tensors, struct tn_tensor, index);
    uint32_t value;

    if (row->node != TN_NONE || row->graph == TN_NONE ||
        row->name == TN_NO_NAME ||
        (row->role != TN_ROLE_INITIALIZER && row->role != TN_ROLE_VARIABLE))
        return;
    value = tn_model_find_value(model, row->graph, row->name);
    if (value != TN_NONE)
        note(&by_value[value], row->elements.shape.dtype, true,
             row->elements.shape.rank);
}

static void note_all(const struct tn_model *model, uint8_t *by_value,
                     noting *note)
{
    for (uint32_t i = 0; i < model->graphs.count; i++)
        note_inputs(model, i, by_value, note);
    for (uint64_t i = 0; i < model->tensors.count; i++)
        note_array(model, i, by_value, note);
}

static void declare(void *context, uint8_t *types)
{
    note_all(context, types, note_type);
}

static void declare_ranks(void *context, uint8_t *ranks)
{
    note_all(context, ranks, note_rank);
}

static bool is_merge(void *context, uint32_t op)
{
    const struct tn_model *model = context;

    return tn_bytes_is(tn_model_name(model, tn_model_op_at(model, op)->type),
                       "merge");
}

enum tn_status tn_sd_check_types(const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error)
{
    struct tn_vocab_use use = {
        .context        = (void *)(uintptr_t)model,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .is_merge       = is_merge,
        .compares_types = true,
        .only_types     = true,
        .file           = "",
    };

    return tn_vocab_check_builtin(model, &use, "nd4j", report, error);
}
