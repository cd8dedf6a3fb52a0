/* model_sums.h - how many parameters a model has, and what its tensors take */
#ifndef CLI_MODEL_SUMS_H
#define CLI_MODEL_SUMS_H

#include <tenon/model.h>

enum { CLI_ROLE_COUNT = TN_ROLE_STATE + 1 };

struct cli_sum {
    uint64_t tensors, elements, bytes;
};

/* Tensors of one role and one type. */
struct cli_sum_group {
    enum tn_role   role;
    enum tn_dtype  dtype;
    struct cli_sum sum;
};

struct cli_sums {
    struct cli_sum parameters;
    uint32_t group_count; /* that occur: parameters first, most bytes first */
    struct cli_sum_group groups[CLI_ROLE_COUNT * TN_DTYPE_COUNT];
};

/* Parameters are the numbers that a model learned or was given: neither text,
 * nor indices, nor the state of an optimizer.  Sums stop at the largest number
 * instead of wrapping. */
void cli_sums_add_up(struct cli_sums *sums, const struct tn_model *model);

#endif
