/* draft_training.c - which variables are trained, and how: a draft's training
 */
#include <inttypes.h>

#include "ir/dialect_facts.h"
#include "ir/draft_parts.h"

/* Only SameDiff keeps these in a model. */
static enum tn_status expect_training(const struct tn_draft *draft,
                                      struct tn_error       *error)
{
    if (tn_dialect_facts(draft->dialect->name)->has_training)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "models of %s say nothing about training",
                        draft->dialect->name);
}

/* ---- kinds of variables -------------------------------------------------- */

/* Models that were committed share the old ends. */
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
    TN_TRY(tn_draft_expect_graph(draft, graph, error));
    TN_TRY(tn_draft_expect_tensor(draft, graph, name, &tensor, error));
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

/* ---- the configuration --------------------------------------------------- */

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
        kept[i] = tn_draft_keep(draft, names[i], error);
    if (tn_failed(error))
        return error->status;
    draft->losses             = kept;
    draft->loss_count         = count;
    draft->has_other_training = true;
    return TN_OK;
}

/* ---- states -------------------------------------------------------------- */

/* The parameter that a state belongs to; its elements are like the state's. */
static enum tn_status expect_parameter(const struct tn_draft    *draft,
                                       const char               *param,
                                       const struct tn_elements *elements,
                                       struct tn_error          *error)
{
    struct tn_draft_tensor *tensor;

    TN_TRY(tn_draft_expect_tensor(draft, 0, param, &tensor, error));
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
