/* levels.c - sequences of unequal lengths in one tensor */
#include "ir/levels.h"

#include <inttypes.h>

/* The offsets of the next level; moves the cursor to its end. */
static struct tn_span next_level(struct tn_cursor *c)
{
    uint64_t size = tn_u64(c);

    if (size % 8 && !tn_failed(c->error))
        tn_fail(c, TN_MALFORMED, "a level of %" PRIu64 " bytes", size);
    return tn_span(c, size);
}

/* ---- the API ------------------------------------------------------------ */

uint64_t tn_tensor_level_count(const struct tn_tensor *tensor)
{
    return tensor->levels ? tensor->levels->count : 0;
}

enum tn_status tn_tensor_level(const struct tn_tensor *tensor, uint64_t level,
                               uint64_t *to, uint64_t room, uint64_t *count,
                               struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_span offsets = { 0 };

    *count = 0;
    TN_EXPECT_TENSOR(tensor, error);
    if (level >= tn_tensor_level_count(tensor))
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no level %" PRIu64 " of %" PRIu64, level,
                            tn_tensor_level_count(tensor));
    struct tn_cursor c = tn_cursor_span(tensor->levels->wire, error);
    for (uint64_t i = 0; i <= level && !tn_failed(error); i++)
        offsets = next_level(&c);
    if (tn_failed(error))
        return error->status;
    *count = offsets.length / 8;
    c      = tn_cursor_span(offsets, error);
    for (uint64_t i = 0; i < *count && i < room; i++)
        to[i] = tn_u64(&c);
    return error->status;
}

/* ---- are they levels ---------------------------------------------------- */

static void check_level(struct tn_span offsets, uint64_t level, uint64_t end,
                        struct tn_error *error)
{
    struct tn_cursor c    = tn_cursor_span(offsets, error);
    uint64_t         last = 0, count = offsets.length / 8;

    for (uint64_t i = 0; i < count && !tn_failed(error); i++) {
        uint64_t at     = c.offset;
        uint64_t offset = tn_u64(&c);
        if (i == 0 && offset != 0)
            tn_error_set(error, TN_MALFORMED, at,
                         "LoD level %" PRIu64 " begins at %" PRIu64
                         ", not at 0",
                         level, offset);
        else if (offset < last)
            tn_error_set(error, TN_MALFORMED, at,
                         "LoD level %" PRIu64 " goes back from %" PRIu64
                         " to %" PRIu64,
                         level, last, offset);
        last = offset;
    }
    if (count < 1)
        tn_error_set(error, TN_MALFORMED, offsets.offset,
                     "LoD level %" PRIu64 " is empty", level);
    else if (last != end)
        tn_error_set(error, TN_MALFORMED, offsets.offset,
                     "LoD level %" PRIu64 " ends at %" PRIu64
                     ", not at %" PRIu64,
                     level, last, end);
}

enum tn_status tn_levels_check(const struct tn_levels *levels, uint64_t rows,
                               struct tn_error *error)
{
    struct tn_cursor c    = tn_cursor_span(levels->wire, error);
    struct tn_span   here = next_level(&c);

    for (uint64_t i = 0; i < levels->count && !tn_failed(error); i++) {
        bool           is_last = i + 1 == levels->count;
        struct tn_span next = is_last ? (struct tn_span){ 0 } : next_level(&c);
        uint64_t end = is_last           ? rows
                       : next.length < 8 ? 0
                                         : next.length / 8 - 1;
        if (!tn_failed(error))
            check_level(here, i, end, error);
        here = next;
    }
    return error->status;
}
