/* model_sums.h - how many parameters a model has, and how many bytes they take
 */
#ifndef CLI_MODEL_SUMS_H
#define CLI_MODEL_SUMS_H

#include <tenon/model.h>

struct cli_sum {
    uint64_t tensors, elements, bytes;
};

struct cli_sums {
    struct cli_sum parameters; /* what a model learns or is given */
    struct cli_sum state; /* optimizers, bookkeeping, indices             */
    struct cli_sum by_dtype[TN_DTYPE_COUNT]; /* of the parameters */
    uint32_t order[TN_DTYPE_COUNT]; /* dtypes that occur, most bytes first */
    uint32_t order_count;
};

/* Sums stop at the largest number instead of wrapping. */
void cli_sums_add_up(struct cli_sums *sums, const struct tn_model *model);

#endif
