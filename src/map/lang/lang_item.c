/*
 * lang_item.c - items: as numbers, in words, and whether two are equal
 */
#include "map/lang/lang_item.h"

#include <math.h>

#include "base/number.h"

static const char *const kind_names[] = {
    [TN_ITEM_UNSET] = "nothing",   [TN_ITEM_NONE] = "none",
    [TN_ITEM_UNKNOWN] = "unknown", [TN_ITEM_BOOL] = "a bool",
    [TN_ITEM_INT] = "an int",      [TN_ITEM_FLOAT] = "a float",
    [TN_ITEM_STRING] = "a string", [TN_ITEM_DTYPE] = "a dtype",
    [TN_ITEM_LIST] = "a list",     [TN_ITEM_VALUE] = "a value",
    [TN_ITEM_MADE] = "a value",    [TN_ITEM_TENSOR] = "a tensor",
    [TN_ITEM_GRAPH] = "a graph",   [TN_ITEM_OTHER] = "something opaque",
};

const char *tn_item_kind_name(struct tn_item item)
{
    return kind_names[item.kind];
}

bool tn_item_to_int(struct tn_item item, int64_t *number)
{
    if (tn_item_is_whole(item.kind)) {
        *number = item.of.number;
        return true;
    }
    if (item.kind != TN_ITEM_FLOAT || item.of.real != floor(item.of.real) ||
        !(item.of.real >= -0x1p63 && item.of.real < 0x1p63))
        return false;
    *number = (int64_t)item.of.real;
    return true;
}

bool tn_item_to_double(struct tn_item item, double *real)
{
    if (tn_item_is_whole(item.kind))
        *real = (double)item.of.number;
    else if (item.kind == TN_ITEM_FLOAT)
        *real = item.of.real;
    else
        return false;
    return true;
}

bool tn_item_same_real(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    return ((double)tn_double_to_float(a) == a &&
            (double)tn_double_to_float(b) == a) ||
           ((double)tn_double_to_float(b) == b &&
            (double)tn_double_to_float(a) == b);
}

/* A loop can nest lists to any depth, and share their items; real rules do not
 * compare such lists. */
#define NESTING 16

struct work {
    unsigned  depth;
    uint64_t *steps;
};

static int equal(struct tn_item a, struct tn_item b, struct work *work);

static int same_lists(struct tn_item a, struct tn_item b, struct work *work)
{
    int answer = 1;

    if (a.count != b.count)
        return 0;
    work->depth++;
    for (uint32_t i = 0; i < a.count; i++) {
        if (++*work->steps > TN_LANG_LIST_MAX)
            return -1;
        int same = equal(a.of.items[i], b.of.items[i], work);
        if (same == 0)
            return 0; /* of all lists around it, too */
        if (same < 0)
            answer = -1;
    }
    work->depth--;
    return answer;
}

static int equal(struct tn_item a, struct tn_item b, struct work *work)
{
    if (a.kind == TN_ITEM_UNKNOWN || b.kind == TN_ITEM_UNKNOWN)
        return -1;
    if (tn_item_is_whole(a.kind) && tn_item_is_whole(b.kind))
        return a.of.number == b.of.number;
    if (tn_item_is_number(a.kind) && tn_item_is_number(b.kind))
        return tn_item_same_real(tn_item_double(a), tn_item_double(b));
    if (a.kind != b.kind)
        return 0;
    switch (a.kind) {
    case TN_ITEM_STRING:
        return tn_bytes_equal(tn_item_bytes(a), tn_item_bytes(b));
    case TN_ITEM_LIST:
        return work->depth < NESTING ? same_lists(a, b, work) : -1;
    case TN_ITEM_NONE: return 1;
    case TN_ITEM_TENSOR:
    case TN_ITEM_OTHER: return a.of.tensor == b.of.tensor;
    default: return a.of.number == b.of.number;
    }
}

int tn_item_equal_counted(struct tn_item a, struct tn_item b, uint64_t *steps)
{
    struct work work = { .steps = steps };

    return equal(a, b, &work);
}

int tn_item_equal(struct tn_item a, struct tn_item b)
{
    uint64_t steps = 0;

    return tn_item_equal_counted(a, b, &steps);
}

static int64_t clamp(int64_t at, int64_t count, int64_t low, int64_t high)
{
    if (at < 0)
        at = at < -count ? low : at + count;
    return at < low ? low : at > high ? high : at;
}

struct tn_item_range tn_item_slice(int64_t count, const int64_t *begin,
                                   const int64_t *end, int64_t step)
{
    bool    is_up = step > 0;
    int64_t low = is_up ? 0 : -1, high = is_up ? count : count - 1;
    int64_t first = begin   ? clamp(*begin, count, low, high)
                    : is_up ? low
                            : high;
    int64_t last  = end ? clamp(*end, count, low, high) : is_up ? high : low;
    struct tn_item_range range = { .first = first, .step = step };

    /* In unsigned, since INT64_MIN has no positive. */
    uint64_t stride = is_up ? (uint64_t)step : 0 - (uint64_t)step;
    uint64_t width =
        is_up ? (uint64_t)(last - first) : (uint64_t)(first - last);
    if (is_up ? last > first : first > last)
        range.count = (int64_t)((width - 1) / stride + 1);
    return range;
}
