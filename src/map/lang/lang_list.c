/*
 * lang_list.c - functions over lists
 *
 * A list may have unknown items.  What depends on one of them is unknown, what
 * does not (a length, another item) is not.
 */

#include "map/lang/lang_builtin.h"

#include "base/sort.h"

static struct tn_item run_len(const struct tn_call *call)
{
    struct tn_item x = call->args[0];

    if (x.kind != TN_ITEM_LIST && x.kind != TN_ITEM_STRING)
        return tn_builtin_refuse(call, "expected a list");
    return tn_item_int(x.count);
}

/* How many from a up to, or down to, b; UINT64_MAX: step 0. */
static uint64_t range_count(int64_t a, int64_t b, int64_t step)
{
    if (step == 0)
        return UINT64_MAX;
    if (step > 0 ? a >= b : a <= b)
        return 0;
    uint64_t width =
        step > 0 ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    return (width - 1) / stride + 1;
}

static struct tn_item run_range(const struct tn_call *call)
{
    int64_t a = 0, b, step = 1;

    if (!tn_builtin_int_arg(call, call->count > 1, &b) ||
        (call->count > 1 && !tn_builtin_int_arg(call, 0, &a)) ||
        (call->count > 2 && !tn_builtin_int_arg(call, 2, &step)))
        return tn_item_none();
    uint64_t        count = range_count(a, b, step);
    struct tn_item *items = tn_builtin_new_list(call, count);
    for (uint64_t i = 0; items && i < count; i++)
        items[i] = tn_item_int(a + (int64_t)i * step);
    return tn_builtin_made(items, count);
}

static struct tn_item run_reverse(const struct tn_call *call)
{
    struct tn_item xs;

    if (!tn_builtin_list_arg(call, 0, &xs))
        return tn_item_none();
    struct tn_item *items = tn_builtin_new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++)
        items[i] = xs.of.items[xs.count - 1 - i];
    return tn_builtin_made(items, xs.count);
}

static int compare_numbers(const void *a, const void *b, void *context)
{
    const struct tn_item *x = a, *y = b;

    (void)context;
    if (x->kind == TN_ITEM_INT && y->kind == TN_ITEM_INT)
        return (x->of.number > y->of.number) - (x->of.number < y->of.number);
    double p = 0, q = 0;
    tn_item_to_double(*x, &p);
    tn_item_to_double(*y, &q);
    return (p > q) - (p < q);
}

static struct tn_item run_sorted(const struct tn_call *call)
{
    struct tn_item xs;
    double         x;

    if (!tn_builtin_known_list_arg(call, 0, &xs))
        return xs;
    struct tn_item *items = tn_builtin_new_list(call, xs.count);
    if (!items)
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count; i++) {
        items[i] = xs.of.items[i];
        if (!tn_item_to_double(items[i], &x))
            return tn_builtin_refuse(call, "expected numbers");
    }
    if (xs.count)
        tn_sort_items(items, xs.count, sizeof *items, compare_numbers, NULL);
    return tn_builtin_made(items, xs.count);
}

/* Where it is, or -1. */
static struct tn_item run_index(const struct tn_call *call)
{
    struct tn_item xs;

    if (!tn_builtin_list_arg(call, 0, &xs))
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count && !tn_eval_stopped(call->eval); i++) {
        int same = tn_eval_equal(call->eval, call->expr, xs.of.items[i],
                                 call->args[1]);
        if (same < 0)
            return tn_builtin_unknown(call);
        if (same)
            return tn_item_int(i);
    }
    return tn_item_int(-1);
}

static struct tn_item run_zip(const struct tn_call *call)
{
    struct tn_item xs;
    uint32_t       count = UINT32_MAX;

    for (uint32_t i = 0; i < call->count; i++) {
        if (!tn_builtin_list_arg(call, i, &xs))
            return tn_item_none();
        count = xs.count < count ? xs.count : count;
    }
    struct tn_item *rows = tn_builtin_new_list(call, count);
    struct tn_item *cells =
        tn_builtin_new_list(call, (uint64_t)count * call->count);
    for (uint32_t i = 0; rows && cells && i < count; i++) {
        rows[i] = tn_item_list(cells + (size_t)i * call->count, call->count);
        for (uint32_t k = 0; k < call->count; k++)
            cells[(size_t)i * call->count + k] = call->args[k].of.items[i];
    }
    return cells ? tn_builtin_made(rows, count) : tn_item_none();
}

/* The items of the items. */
static struct tn_item run_join(const struct tn_call *call)
{
    struct tn_item xss;
    uint64_t       count = 0;

    if (!tn_builtin_list_arg(call, 0, &xss) ||
        !tn_eval_steps(call->eval, call->expr, xss.count))
        return tn_item_none();
    for (uint32_t i = 0; i < xss.count; i++) {
        if (xss.of.items[i].kind == TN_ITEM_UNKNOWN)
            return xss.of.items[i];
        if (xss.of.items[i].kind != TN_ITEM_LIST)
            return tn_builtin_refuse(call, "expected a list of lists");
        count += xss.of.items[i].count;
    }
    struct tn_item *items = tn_builtin_new_list(call, count), *at = items;
    for (uint32_t i = 0; items && i < xss.count; i++)
        for (uint32_t k = 0; k < xss.of.items[i].count; k++)
            *at++ = xss.of.items[i].of.items[k];
    return tn_builtin_made(items, count);
}

static struct tn_item run_unique(const struct tn_call *call)
{
    struct tn_item xs;
    uint32_t       count = 0;

    if (!tn_builtin_known_list_arg(call, 0, &xs))
        return xs;
    struct tn_item *items = tn_builtin_new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++) {
        bool is_new = !tn_eval_stopped(call->eval);
        for (uint32_t k = 0; k < count && is_new; k++)
            is_new = tn_eval_equal(call->eval, call->expr, items[k],
                                   xs.of.items[i]) == 0;
        if (is_new)
            items[count++] = xs.of.items[i];
    }
    return tn_builtin_made(items, count);
}

static struct tn_item run_fill(const struct tn_call *call)
{
    int64_t count;

    if (call->args[0].kind == TN_ITEM_UNKNOWN)
        return call->args[0];
    if (!tn_builtin_int_arg(call, 0, &count))
        return tn_item_none();
    if (count < 0)
        return tn_builtin_refuse(call, "a negative count");
    struct tn_item *items = tn_builtin_new_list(call, (uint64_t)count);
    for (int64_t i = 0; items && i < count; i++)
        items[i] = call->args[1];
    return tn_builtin_made(items, (uint64_t)count);
}

/* An item equal to `wanted` decides; otherwise the result is unknown if an item
 * is unknown. */
static struct tn_item quantified(const struct tn_call *call, bool wanted)
{
    struct tn_item xs, answer = tn_item_bool(!wanted);
    int64_t        number;

    if (!tn_builtin_list_arg(call, 0, &xs) ||
        !tn_eval_steps(call->eval, call->expr, xs.count))
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count; i++) {
        if (xs.of.items[i].kind == TN_ITEM_UNKNOWN)
            answer = xs.of.items[i];
        else if (!tn_item_to_int(xs.of.items[i], &number))
            return tn_builtin_refuse(call, "expected bools");
        else if ((number != 0) == wanted)
            return tn_item_bool(wanted);
    }
    return answer;
}

static struct tn_item run_all(const struct tn_call *call)
{
    return quantified(call, false);
}

static struct tn_item run_any(const struct tn_call *call)
{
    return quantified(call, true);
}

/* ---- the unknown -------------------------------------------------------- */

static struct tn_item run_known(const struct tn_call *call)
{
    struct tn_item        x       = call->args[0];
    const struct tn_item *unknown = NULL;

    if (x.kind == TN_ITEM_UNKNOWN)
        unknown = &x;
    else if (x.kind == TN_ITEM_LIST) {
        if (!tn_eval_steps(call->eval, call->expr, x.count))
            return tn_item_bool(false);
        unknown = tn_builtin_unknown_in(x);
    }
    if (unknown)
        call->eval->missed = *unknown;
    return tn_item_bool(!unknown);
}

/* The first item that is known; unknown when none is. */
static struct tn_item run_first_known(const struct tn_call *call)
{
    struct tn_item xs;

    if (!tn_builtin_list_arg(call, 0, &xs) ||
        !tn_eval_steps(call->eval, call->expr, xs.count))
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count; i++)
        if (xs.of.items[i].kind != TN_ITEM_UNKNOWN)
            return xs.of.items[i];
    return tn_builtin_unknown(call);
}

static struct tn_item run_unknown(const struct tn_call *call)
{
    return tn_builtin_unknown(call);
}

const struct tn_builtin tn_builtins_of_lists[] = {
    { "all", 1, 1, .run = run_all },
    { "any", 1, 1, .run = run_any },
    { "fill", 2, 2, .run = run_fill, .takes_unknown = true },
    { "first_known", 1, 1, .run = run_first_known },
    { "index", 2, 2, .run = run_index },
    { "iota", 1, 3, .run = run_range },
    { "join", 1, 1, .run = run_join },
    { "known", 1, 1, .run = run_known, .takes_unknown = true },
    { "len", 1, 1, .run = run_len },
    { "or_else", 2, 2, .is_lazy = true },
    { "range", 1, 3, .run = run_range },
    { "reverse", 1, 1, .run = run_reverse },
    { "sorted", 1, 1, .run = run_sorted },
    { "unique", 1, 1, .run = run_unique },
    { "unknown", 0, 0, .run = run_unknown },
    { "zip", 1, TN_BUILTIN_MANY, .run = run_zip },
    { NULL, 0, 0, .run = NULL },
};
