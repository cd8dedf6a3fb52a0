/* model_sums.c - how many parameters a model has, and what they take */
#include "model_sums.h"

#include <stdbool.h>

#include "show.h"

static void add_to(struct cli_sum *sum, const struct tn_tensor *tensor)
{
    sum->tensors++;
    sum->elements = cli_add(sum->elements, tn_tensor_count(tensor));
    sum->bytes    = cli_add(sum->bytes, cli_tensor_bytes(tensor));
}

static bool is_parameter(const struct tn_tensor *tensor)
{
    enum tn_role role = tn_tensor_role(tensor);

    return role != TN_ROLE_STATE && role != TN_ROLE_SPARSE_INDICES;
}

/* Insertion: there are three dozen types, and few in one model. */
static void rank_dtypes(struct cli_sums *sums)
{
    for (uint32_t d = 0; d < TN_DTYPE_COUNT; d++) {
        if (sums->by_dtype[d].tensors == 0)
            continue;
        uint32_t at = sums->order_count++;
        for (; at > 0 && sums->by_dtype[sums->order[at - 1]].bytes <
                             sums->by_dtype[d].bytes;
             at--)
            sums->order[at] = sums->order[at - 1];
        sums->order[at] = d;
    }
}

void cli_sums_add_up(struct cli_sums *sums, const struct tn_model *model)
{
    *sums = (struct cli_sums){ 0 };
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        unsigned                dtype  = tn_tensor_dtype(tensor);

        if (!is_parameter(tensor)) {
            add_to(&sums->state, tensor);
            continue;
        }
        add_to(&sums->parameters, tensor);
        add_to(&sums->by_dtype[dtype < TN_DTYPE_COUNT ? dtype : 0], tensor);
    }
    rank_dtypes(sums);
}
