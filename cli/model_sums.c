/* model_sums.c - how many parameters a model has, and what its tensors take */
#include "model_sums.h"

#include <stdbool.h>
#include <stdlib.h>

#include "show.h"

static void add_to(struct cli_sum *sum, const struct tn_tensor *tensor)
{
    sum->tensors++;
    sum->elements = cli_add(sum->elements, tn_tensor_count(tensor));
    sum->bytes    = cli_add(sum->bytes, cli_tensor_bytes(tensor));
}

static bool is_parameter(enum tn_role role, enum tn_dtype dtype)
{
    return role != TN_ROLE_STATE && role != TN_ROLE_SPARSE_INDICES &&
           tn_dtype_bits(dtype) > 0;
}

/* While adding up, each role and type has its own place. */
static struct cli_sum_group *group_of(struct cli_sums        *sums,
                                      const struct tn_tensor *tensor)
{
    unsigned role = tn_tensor_role(tensor), dtype = tn_tensor_dtype(tensor);

    role                        = role < CLI_ROLE_COUNT ? role : TN_ROLE_STATE;
    dtype                       = dtype < TN_DTYPE_COUNT ? dtype : TN_UNDEFINED;
    struct cli_sum_group *group = &sums->groups[role * TN_DTYPE_COUNT + dtype];
    group->role                 = (enum tn_role)role;
    group->dtype                = (enum tn_dtype)dtype;
    return group;
}

static int compare_groups(const void *left, const void *right)
{
    const struct cli_sum_group *l = left, *r = right;
    bool                        is_left = is_parameter(l->role, l->dtype);

    if (is_left != is_parameter(r->role, r->dtype))
        return is_left ? -1 : 1;
    if (l->sum.bytes != r->sum.bytes)
        return (l->sum.bytes < r->sum.bytes) - (l->sum.bytes > r->sum.bytes);
    if (l->role != r->role)
        return (l->role > r->role) - (l->role < r->role);
    return (l->dtype > r->dtype) - (l->dtype < r->dtype);
}

/* Close the gaps, and sort. */
static void rank_groups(struct cli_sums *sums)
{
    for (uint32_t i = 0; i < CLI_ROLE_COUNT * TN_DTYPE_COUNT; i++)
        if (sums->groups[i].sum.tensors > 0)
            sums->groups[sums->group_count++] = sums->groups[i];
    qsort(sums->groups, sums->group_count, sizeof(sums->groups[0]),
          compare_groups);
}

void cli_sums_add_up(struct cli_sums *sums, const struct tn_model *model)
{
    *sums = (struct cli_sums){ 0 };
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);

        add_to(&group_of(sums, tensor)->sum, tensor);
        if (is_parameter(tn_tensor_role(tensor), tn_tensor_dtype(tensor)))
            add_to(&sums->parameters, tensor);
    }
    rank_groups(sums);
}
