/* expand.c - what a file may expand to */
#include "base/expand.h"

#include <inttypes.h>

#include "base/arith.h"

uint64_t tn_expand_most(uint64_t asked, uint64_t size)
{
    uint64_t most;

    if (asked)
        return asked;
    if (!tn_mul(size, TN_EXPAND_RATIO, &most) ||
        !tn_add(most, TN_EXPAND_FLOOR, &most))
        return UINT64_MAX; /* larger than every size */
    return most;
}

enum tn_status tn_expand_refuse(uint64_t found, uint64_t most, uint64_t offset,
                                struct tn_error *error)
{
    return tn_error_because(error, TN_LIMIT, TN_REASON_EXPANSION_LIMIT, offset,
                            "expands to %" PRIu64 " bytes or more, %" PRIu64
                            " are allowed; --max-expand allows more",
                            found, most);
}

bool tn_expand_is_refused(const struct tn_error *error)
{
    return error->reason == TN_REASON_EXPANSION_LIMIT;
}
