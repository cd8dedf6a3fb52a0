/*
 * lang_builtin.c - functions over numbers, texts and lists
 *
 * A list may have unknown items.  What depends on one of them is unknown, what
 * does not (a length, another item) is not.
 */
#include "map/lang_builtin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"

const struct tn_builtin *tn_builtin_find(struct tn_bytes name)
{
    static const struct tn_builtin *const tables[] = {
        tn_builtins_of_lists, tn_builtins_of_values, tn_builtins_of_elements
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct tn_builtin *row = tables[i]; row->name; row++)
            if (tn_bytes_is(name, row->name))
                return row;
    return NULL;
}

/* ---- arguments ---------------------------------------------------------- */

static struct tn_item refuse(const struct tn_call *call, const char *why)
{
    return tn_eval_refuse(call->eval, call->expr, "%.*s: %s",
                          TN_FMT(call->expr->text), why);
}

static bool list_arg(const struct tn_call *call, uint32_t index,
                     struct tn_item *list)
{
    *list = call->args[index];
    if (list->kind == TN_ITEM_LIST)
        return true;
    refuse(call, "a list is wanted");
    return false;
}

static bool int_arg(const struct tn_call *call, uint32_t index, int64_t *number)
{
    if (tn_item_to_int(call->args[index], number))
        return true;
    refuse(call, "an int is wanted");
    return false;
}

static bool text_arg(const struct tn_call *call, uint32_t index,
                     struct tn_bytes *text)
{
    *text = tn_item_bytes(call->args[index]);
    if (call->args[index].kind == TN_ITEM_STRING)
        return true;
    refuse(call, "a string is wanted");
    return false;
}

static struct tn_item *new_list(const struct tn_call *call, uint64_t count)
{
    return tn_eval_list(call->eval, call->expr, count);
}

/* A finished list; none when there was no room for it. */
static struct tn_item made(const struct tn_item *items, uint64_t count)
{
    return items ? tn_item_list(items, (uint32_t)count) : tn_item_none();
}

/* The first unknown item, or NULL. */
static const struct tn_item *unknown_in(struct tn_item list)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (list.of.items[i].kind == TN_ITEM_UNKNOWN)
            return &list.of.items[i];
    return NULL;
}

/* What functions of several numbers take: f(xs), or f(a, b, ...).  False: the
 * answer is in *list. */
static bool numbers(const struct tn_call *call, struct tn_item *list)
{
    bool is_list = call->count == 1 && call->args[0].kind == TN_ITEM_LIST;

    *list = is_list ? call->args[0] : tn_item_list(call->args, call->count);
    if (!tn_eval_steps(call->eval, call->expr, list->count))
        return false;
    const struct tn_item *unknown = unknown_in(*list);
    if (unknown)
        *list = *unknown;
    return !unknown;
}

/* ---- numbers ------------------------------------------------------------ */

static struct tn_item run_total(const struct tn_call *call, bool is_product)
{
    struct tn_item list;
    int64_t        total   = is_product;
    double         real    = is_product;
    bool           is_real = false;

    if (!numbers(call, &list))
        return list;
    for (uint32_t i = 0; i < list.count; i++) {
        double  x;
        int64_t n = 0;
        if (!tn_item_to_double(list.of.items[i], &x))
            return refuse(call, "numbers are wanted");
        real = is_product ? real * x : real + x;
        is_real |= list.of.items[i].kind == TN_ITEM_FLOAT;
        if (!is_real)
            tn_item_to_int(list.of.items[i], &n);
        if (!is_real && (is_product ? __builtin_mul_overflow(total, n, &total)
                                    : __builtin_add_overflow(total, n, &total)))
            return refuse(call, "the result does not fit 64 bits");
    }
    return is_real ? tn_item_float(real) : tn_item_int(total);
}

static struct tn_item run_sum(const struct tn_call *call)
{
    return run_total(call, false);
}

static struct tn_item run_prod(const struct tn_call *call)
{
    return run_total(call, true);
}

static struct tn_item extreme(const struct tn_call *call, bool is_max)
{
    struct tn_item list;
    uint32_t       best = 0;
    double         x, y;

    if (!numbers(call, &list))
        return list;
    if (!list.count)
        return refuse(call, "an empty list");
    for (uint32_t i = 0; i < list.count; i++) {
        if (!tn_item_to_double(list.of.items[i], &x) ||
            !tn_item_to_double(list.of.items[best], &y))
            return refuse(call, "numbers are wanted");
        if (is_max ? x > y : x < y)
            best = i;
    }
    return list.of.items[best];
}

static struct tn_item run_min(const struct tn_call *call)
{
    return extreme(call, false);
}

static struct tn_item run_max(const struct tn_call *call)
{
    return extreme(call, true);
}

static struct tn_item run_abs(const struct tn_call *call)
{
    struct tn_item x = call->args[0];

    if (x.kind == TN_ITEM_FLOAT)
        return tn_item_float(fabs(x.of.real));
    if (x.kind != TN_ITEM_INT || x.of.number == INT64_MIN)
        return refuse(call, "a number is wanted");
    return tn_item_int(x.of.number < 0 ? -x.of.number : x.of.number);
}

/* Of strings: decimal text, as attributes of some dialects have numbers. */
static struct tn_item run_int(const struct tn_call *call)
{
    struct tn_item x = call->args[0];
    int64_t        number;

    if (x.kind == TN_ITEM_STRING && tn_int64_parse(tn_item_bytes(x), &number))
        return tn_item_int(number);
    if (x.kind == TN_ITEM_FLOAT)
        x.of.real = trunc(x.of.real);
    if (!tn_item_to_int(x, &number))
        return refuse(call, "that is no int of 64 bits");
    return tn_item_int(number);
}

static struct tn_item run_float(const struct tn_call *call)
{
    struct tn_item x = call->args[0];
    double         real;

    if (x.kind == TN_ITEM_STRING && tn_double_parse(tn_item_bytes(x), &real))
        return tn_item_float(real);
    if (!tn_item_to_double(x, &real))
        return refuse(call, "a number is wanted");
    return tn_item_float(real);
}

static struct tn_item run_bool(const struct tn_call *call)
{
    struct tn_item x = call->args[0];
    double         real;

    if (x.kind == TN_ITEM_LIST || x.kind == TN_ITEM_STRING)
        return tn_item_bool(x.count != 0);
    if (!tn_item_to_double(x, &real))
        return refuse(call, "a number is wanted");
    return tn_item_bool(real != 0);
}

/* To an int when the result fits one. */
static struct tn_item rounded(const struct tn_call *call, double (*way)(double))
{
    struct tn_item x = call->args[0];
    int64_t        number;

    if (x.kind != TN_ITEM_FLOAT)
        return run_int(call);
    if (!tn_item_to_int(tn_item_float(way(x.of.real)), &number))
        return refuse(call, "the result does not fit 64 bits");
    return tn_item_int(number);
}

static struct tn_item run_floor(const struct tn_call *call)
{
    return rounded(call, floor);
}

static struct tn_item run_ceil(const struct tn_call *call)
{
    return rounded(call, ceil);
}

static struct tn_item run_round(const struct tn_call *call)
{
    return rounded(call, nearbyint);
}

static struct tn_item real_function(const struct tn_call *call,
                                    double (*function)(double))
{
    double x;

    if (!tn_item_to_double(call->args[0], &x))
        return refuse(call, "a number is wanted");
    return tn_item_float(function(x));
}

static struct tn_item run_sqrt(const struct tn_call *call)
{
    return real_function(call, sqrt);
}

static struct tn_item run_exp(const struct tn_call *call)
{
    return real_function(call, exp);
}

static struct tn_item run_log(const struct tn_call *call)
{
    return real_function(call, log);
}

/* ---- types -------------------------------------------------------------- */

static bool dtype_arg(const struct tn_call *call, enum tn_dtype *dtype)
{
    *dtype = (enum tn_dtype)(call->args[0].of.number & 0xff);
    if (call->args[0].kind == TN_ITEM_DTYPE)
        return true;
    refuse(call, "a dtype is wanted");
    return false;
}

static bool is_float(enum tn_dtype d)
{
    return d >= TN_FLOAT32 && d <= TN_FLOAT4E2M1;
}

static bool is_signed_int(enum tn_dtype d)
{
    return d >= TN_INT8 && d <= TN_INT2;
}

static struct tn_item run_is_float(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_bool(is_float(d)) : tn_item_none();
}

static struct tn_item run_is_int(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_bool(d >= TN_INT8 && d <= TN_UINT2)
                               : tn_item_none();
}

static struct tn_item run_is_signed(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_bool(is_signed_int(d) || is_float(d))
                               : tn_item_none();
}

static struct tn_item run_bits(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_int(tn_dtype_bits(d)) : tn_item_none();
}

static struct tn_item wrapped(const struct tn_call *call, enum tn_net_wrap wrap)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_dtype(d, wrap) : tn_item_none();
}

static struct tn_item run_seq(const struct tn_call *call)
{
    return wrapped(call, TN_NET_SEQUENCE);
}

static struct tn_item run_optional(const struct tn_call *call)
{
    return wrapped(call, TN_NET_OPTIONAL);
}

static struct tn_item run_handle(const struct tn_call *call)
{
    return wrapped(call, TN_NET_HANDLE);
}

static struct tn_item run_elem(const struct tn_call *call)
{
    return wrapped(call, TN_NET_TENSOR);
}

static struct tn_item run_is_seq(const struct tn_call *call)
{
    enum tn_dtype d;

    if (!dtype_arg(call, &d))
        return tn_item_none();
    return tn_item_bool(call->args[0].of.number >> 8 == TN_NET_SEQUENCE);
}

/* ---- lists -------------------------------------------------------------- */

static struct tn_item run_len(const struct tn_call *call)
{
    struct tn_item x = call->args[0];

    if (x.kind != TN_ITEM_LIST && x.kind != TN_ITEM_STRING)
        return refuse(call, "a list is wanted");
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

    if (!int_arg(call, call->count > 1, &b) ||
        (call->count > 1 && !int_arg(call, 0, &a)) ||
        (call->count > 2 && !int_arg(call, 2, &step)))
        return tn_item_none();
    uint64_t        count = range_count(a, b, step);
    struct tn_item *items = new_list(call, count);
    for (uint64_t i = 0; items && i < count; i++)
        items[i] = tn_item_int(a + (int64_t)i * step);
    return made(items, count);
}

static struct tn_item run_reverse(const struct tn_call *call)
{
    struct tn_item xs;

    if (!list_arg(call, 0, &xs))
        return tn_item_none();
    struct tn_item *items = new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++)
        items[i] = xs.of.items[xs.count - 1 - i];
    return made(items, xs.count);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct tn_item *x = a, *y = b;

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

    if (!list_arg(call, 0, &xs))
        return tn_item_none();
    if (unknown_in(xs))
        return *unknown_in(xs);
    struct tn_item *items = new_list(call, xs.count);
    if (!items)
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count; i++) {
        items[i] = xs.of.items[i];
        if (!tn_item_to_double(items[i], &x))
            return refuse(call, "numbers are wanted");
    }
    if (xs.count)
        qsort(items, xs.count, sizeof *items, compare_numbers);
    return made(items, xs.count);
}

/* Where it is, or -1. */
static struct tn_item run_index(const struct tn_call *call)
{
    struct tn_item xs;

    if (!list_arg(call, 0, &xs))
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count && !tn_eval_stopped(call->eval); i++) {
        int same = tn_eval_equal(call->eval, call->expr, xs.of.items[i],
                                 call->args[1]);
        if (same < 0)
            return tn_item_unknown(call->expr);
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
        if (!list_arg(call, i, &xs))
            return tn_item_none();
        count = xs.count < count ? xs.count : count;
    }
    struct tn_item *rows  = new_list(call, count);
    struct tn_item *cells = new_list(call, (uint64_t)count * call->count);
    for (uint32_t i = 0; rows && cells && i < count; i++) {
        rows[i] = tn_item_list(cells + (size_t)i * call->count, call->count);
        for (uint32_t k = 0; k < call->count; k++)
            cells[(size_t)i * call->count + k] = call->args[k].of.items[i];
    }
    return cells ? made(rows, count) : tn_item_none();
}

/* The items of the items. */
static struct tn_item run_join(const struct tn_call *call)
{
    struct tn_item xss;
    uint64_t       count = 0;

    if (!list_arg(call, 0, &xss) ||
        !tn_eval_steps(call->eval, call->expr, xss.count))
        return tn_item_none();
    for (uint32_t i = 0; i < xss.count; i++) {
        if (xss.of.items[i].kind == TN_ITEM_UNKNOWN)
            return xss.of.items[i];
        if (xss.of.items[i].kind != TN_ITEM_LIST)
            return refuse(call, "a list of lists is wanted");
        count += xss.of.items[i].count;
    }
    struct tn_item *items = new_list(call, count), *at = items;
    for (uint32_t i = 0; items && i < xss.count; i++)
        for (uint32_t k = 0; k < xss.of.items[i].count; k++)
            *at++ = xss.of.items[i].of.items[k];
    return made(items, count);
}

static struct tn_item run_unique(const struct tn_call *call)
{
    struct tn_item xs;
    uint32_t       count = 0;

    if (!list_arg(call, 0, &xs))
        return tn_item_none();
    if (unknown_in(xs))
        return *unknown_in(xs);
    struct tn_item *items = new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++) {
        bool is_new = !tn_eval_stopped(call->eval);
        for (uint32_t k = 0; k < count && is_new; k++)
            is_new = tn_eval_equal(call->eval, call->expr, items[k],
                                   xs.of.items[i]) == 0;
        if (is_new)
            items[count++] = xs.of.items[i];
    }
    return made(items, count);
}

static struct tn_item run_fill(const struct tn_call *call)
{
    int64_t count;

    if (call->args[0].kind == TN_ITEM_UNKNOWN)
        return call->args[0];
    if (!int_arg(call, 0, &count))
        return tn_item_none();
    if (count < 0)
        return refuse(call, "a negative count");
    struct tn_item *items = new_list(call, (uint64_t)count);
    for (int64_t i = 0; items && i < count; i++)
        items[i] = call->args[1];
    return made(items, (uint64_t)count);
}

/* `wanted` decides; unknown when nothing does and something is not known. */
static struct tn_item quantified(const struct tn_call *call, bool wanted)
{
    struct tn_item xs, answer = tn_item_bool(!wanted);
    int64_t        number;

    if (!list_arg(call, 0, &xs) ||
        !tn_eval_steps(call->eval, call->expr, xs.count))
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count; i++) {
        if (xs.of.items[i].kind == TN_ITEM_UNKNOWN)
            answer = xs.of.items[i];
        else if (!tn_item_to_int(xs.of.items[i], &number))
            return refuse(call, "bools are wanted");
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

/* ---- shapes ------------------------------------------------------------- */

/* The dim that two become; unknown with 2 or more is that one. */
static bool broadcast_dim(struct tn_item a, struct tn_item b,
                          struct tn_item *out)
{
    bool has_a = a.kind == TN_ITEM_INT, has_b = b.kind == TN_ITEM_INT;

    if (has_a && a.of.number == 1)
        *out = b;
    else if (has_b && b.of.number == 1)
        *out = a;
    else if (has_a)
        *out = a;
    else
        *out = b;
    return !has_a || !has_b || a.of.number == 1 || b.of.number == 1 ||
           a.of.number == b.of.number;
}

static struct tn_item broadcast_two(const struct tn_call *call,
                                    struct tn_item a, struct tn_item b)
{
    uint32_t        rank  = a.count > b.count ? a.count : b.count;
    struct tn_item *items = new_list(call, rank);

    for (uint32_t i = 0; items && i < rank; i++) {
        struct tn_item one = tn_item_int(1);
        struct tn_item x =
            i < rank - a.count ? one : a.of.items[i - (rank - a.count)];
        struct tn_item y =
            i < rank - b.count ? one : b.of.items[i - (rank - b.count)];
        if (!broadcast_dim(x, y, &items[i]))
            return refuse(call, "the shapes do not fit");
    }
    return made(items, rank);
}

static struct tn_item run_broadcast(const struct tn_call *call)
{
    struct tn_item shape, next;

    if (!list_arg(call, 0, &shape))
        return tn_item_none();
    for (uint32_t i = 1; i < call->count; i++) {
        if (!list_arg(call, i, &next))
            return tn_item_none();
        shape = broadcast_two(call, shape, next);
        if (tn_eval_stopped(call->eval))
            return tn_item_none();
    }
    return shape;
}

/* The same of a list of shapes. */
static struct tn_item run_broadcast_all(const struct tn_call *call)
{
    struct tn_item shapes;

    if (!list_arg(call, 0, &shapes) ||
        !tn_eval_steps(call->eval, call->expr, shapes.count))
        return tn_item_none();
    if (unknown_in(shapes))
        return *unknown_in(shapes);
    if (!shapes.count)
        return tn_item_list(NULL, 0);
    struct tn_call inner = *call;
    inner.args           = shapes.of.items;
    inner.count          = shapes.count;
    return run_broadcast(&inner);
}

static struct tn_item axis_of(const struct tn_call *call, struct tn_item axis,
                              struct tn_item rank)
{
    int64_t at, count;

    if (axis.kind == TN_ITEM_UNKNOWN)
        return axis;
    if (!tn_item_to_int(axis, &at))
        return refuse(call, "axes are ints");
    if (rank.kind == TN_ITEM_UNKNOWN)
        return at < 0 ? rank : axis;
    if (!tn_item_to_int(rank, &count))
        return refuse(call, "the rank is an int");
    if (at < -count || at >= count)
        return tn_eval_refuse(call->eval, call->expr,
                              "axis %" PRId64 " of rank %" PRId64, at, count);
    return tn_item_int(at < 0 ? at + count : at);
}

static struct tn_item run_axes(const struct tn_call *call)
{
    struct tn_item xs;

    if (call->args[0].kind == TN_ITEM_UNKNOWN)
        return call->args[0];
    if (call->args[0].kind != TN_ITEM_LIST)
        return axis_of(call, call->args[0], call->args[1]);
    if (!list_arg(call, 0, &xs))
        return tn_item_none();
    struct tn_item *items = new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++)
        items[i] = axis_of(call, xs.of.items[i], call->args[1]);
    return made(items, xs.count);
}

static struct tn_item run_perm_inverse(const struct tn_call *call)
{
    struct tn_item xs;

    if (!list_arg(call, 0, &xs))
        return tn_item_none();
    if (unknown_in(xs))
        return *unknown_in(xs);
    struct tn_item *items = new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++) {
        int64_t at;
        if (!tn_item_to_int(xs.of.items[i], &at) || at < 0 || at >= xs.count ||
            items[at].kind != TN_ITEM_UNSET)
            return refuse(call, "that is no permutation");
        items[at] = tn_item_int(i);
    }
    return made(items, xs.count);
}

/* Product of what is known, and how many dims are not. */
static bool known_product(struct tn_item dims, uint32_t skip, int64_t *product)
{
    *product = 1;
    for (uint32_t i = 0; i < dims.count; i++) {
        int64_t n;
        if (i == skip)
            continue;
        if (!tn_item_to_int(dims.of.items[i], &n) ||
            __builtin_mul_overflow(*product, n, product))
            return false;
    }
    return true;
}

/* What stands for -1: the rest of the elements. */
static struct tn_item rest_dim(const struct tn_call *call, struct tn_item shape,
                               struct tn_item dims, uint32_t at)
{
    int64_t all, others;

    if (shape.kind != TN_ITEM_LIST || !known_product(shape, TN_NONE, &all) ||
        !known_product(dims, at, &others))
        return tn_item_unknown(call->expr);
    if (others == 0)
        return tn_item_int(0);
    if (all % others)
        return refuse(call, "the elements do not fit that shape");
    return tn_item_int(all / others);
}

static struct tn_item zero_dim(const struct tn_call *call, struct tn_item shape,
                               uint32_t at)
{
    if (shape.kind != TN_ITEM_LIST)
        return tn_item_unknown(call->expr);
    return at < shape.count ? shape.of.items[at] : tn_item_int(0);
}

/* reshaped(shape, dims, zero_copies): dims with -1, and 0 if it means "as it
 * was", replaced. */
static struct tn_item run_reshaped(const struct tn_call *call)
{
    struct tn_item shape  = call->args[0], xs;
    int64_t        copies = 0, n;
    uint32_t       rest   = TN_NONE;

    if (call->args[1].kind == TN_ITEM_UNKNOWN)
        return call->args[1];
    if (!list_arg(call, 1, &xs) ||
        (call->count > 2 && !int_arg(call, 2, &copies)))
        return tn_item_none();
    struct tn_item *items = new_list(call, xs.count);
    for (uint32_t i = 0; items && i < xs.count; i++) {
        items[i] = xs.of.items[i];
        if (!tn_item_to_int(items[i], &n))
            continue;
        if (n == -1)
            rest = i;
        else if (n == 0 && copies)
            items[i] = zero_dim(call, shape, i);
    }
    if (items && rest != TN_NONE)
        items[rest] =
            rest_dim(call, shape, tn_item_list(items, xs.count), rest);
    return made(items, xs.count);
}

/* ---- einsum ------------------------------------------------------------- */

/* Dims of the letters of an equation, and of what "..." stands for. */
struct letters {
    struct tn_item dims[256];
    bool           is_in[256];
    uint32_t       uses[256];
    struct tn_item rest; /* a list, or none */
};

static struct tn_item merge_dim(struct tn_item a, struct tn_item b)
{
    struct tn_item out;

    return broadcast_dim(a, b, &out) ? out : a;
}

static uint32_t letter_count(struct tn_bytes term)
{
    uint32_t count = 0;

    for (size_t i = 0; i < term.size; i++)
        count += term.data[i] != ' ' && term.data[i] != '.';
    return count;
}

static bool read_term(const struct tn_call *call, struct letters *letters,
                      struct tn_bytes term, struct tn_item shape)
{
    uint32_t count = letter_count(term), at = 0;

    if (shape.kind != TN_ITEM_LIST || shape.count < count)
        return false;
    for (size_t i = 0; i < term.size; i++) {
        uint8_t c = term.data[i];
        if (c == ' ')
            continue;
        if (c == '.') {
            if (i + 2 >= term.size)
                return false;
            uint32_t       extra = shape.count - count;
            struct tn_item rest  = tn_item_list(shape.of.items + at, extra);
            letters->rest        = letters->rest.kind == TN_ITEM_LIST
                                       ? broadcast_two(call, letters->rest, rest)
                                       : rest;
            at += extra;
            i += 2;
            continue;
        }
        struct tn_item dim = shape.of.items[at++];
        letters->dims[c] =
            letters->is_in[c] ? merge_dim(letters->dims[c], dim) : dim;
        letters->is_in[c] = true;
        letters->uses[c]++;
    }
    return !tn_eval_stopped(call->eval);
}

static struct tn_item write_term(const struct tn_call *call,
                                 const struct letters *letters,
                                 struct tn_bytes       term)
{
    uint32_t rest =
        letters->rest.kind == TN_ITEM_LIST ? letters->rest.count : 0;
    struct tn_item *items = new_list(call, term.size + rest);
    uint32_t        count = 0;

    for (size_t i = 0; items && i < term.size; i++) {
        uint8_t c = term.data[i];
        if (c == '.' && i + 2 < term.size) {
            for (uint32_t k = 0; k < rest; k++)
                items[count++] = letters->rest.of.items[k];
            i += 2;
        } else if (c != ' ' && c != '.') {
            items[count++] = letters->dims[c].kind == TN_ITEM_UNSET
                                 ? tn_item_unknown(call->expr)
                                 : letters->dims[c];
        }
    }
    return made(items, count);
}

/* Without "->": what "..." stands for, then the letters that occur once. */
static struct tn_item implied_term(const struct tn_call *call,
                                   const struct letters *letters)
{
    char   term[300] = "...";
    size_t size      = letters->rest.kind == TN_ITEM_LIST ? 3 : 0;

    for (unsigned c = 0; c < 256; c++)
        if (letters->uses[c] == 1)
            term[size++] = (char)c;
    return write_term(call, letters, tn_bytes(term, size));
}

static size_t arrow_of(struct tn_bytes equation)
{
    for (size_t i = 0; i + 1 < equation.size; i++)
        if (equation.data[i] == '-' && equation.data[i + 1] == '>')
            return i;
    return equation.size;
}

/* einsum_dims("ij,jk->ik", [shape(A), shape(B)]) */
static struct tn_item run_einsum_dims(const struct tn_call *call)
{
    struct tn_bytes equation;
    struct tn_item  shapes;
    struct letters  letters = { .rest = tn_item_none() };

    if (!text_arg(call, 0, &equation) || !list_arg(call, 1, &shapes))
        return tn_item_none();
    size_t arrow = arrow_of(equation), begin = 0;
    for (uint32_t i = 0; i < shapes.count; i++) {
        size_t end = begin;
        while (end < arrow && equation.data[end] != ',')
            end++;
        if (!read_term(call, &letters,
                       tn_bytes(equation.data + begin, end - begin),
                       shapes.of.items[i]))
            return tn_item_unknown(call->expr);
        begin = end < arrow ? end + 1 : end;
    }
    if (arrow == equation.size)
        return implied_term(call, &letters);
    return write_term(
        call, &letters,
        tn_bytes(equation.data + arrow + 2, equation.size - arrow - 2));
}

/* ---- texts -------------------------------------------------------------- */

static struct tn_item new_text(const struct tn_call *call, const char *text)
{
    char *copy = tn_text_dup(call->eval->scratch, text, call->eval->error);

    return copy ? tn_item_text(tn_text(copy)) : tn_item_none();
}

static struct tn_item run_str(const struct tn_call *call)
{
    struct tn_item x = call->args[0];
    char           text[TN_NUMBER_ROOM];

    switch (x.kind) {
    case TN_ITEM_STRING: return x;
    case TN_ITEM_BOOL:
        return tn_item_text(tn_text(x.of.number ? "true" : "false"));
    case TN_ITEM_INT:
        snprintf(text, sizeof text, "%" PRId64, x.of.number);
        return new_text(call, text);
    case TN_ITEM_FLOAT:
        tn_double_print(text, x.of.real);
        return new_text(call, text);
    case TN_ITEM_DTYPE:
        return tn_item_text(
            tn_text(tn_dtype_name((enum tn_dtype)(x.of.number & 0xff))));
    default: return refuse(call, "that has no text");
    }
}

/* The type of a name, as attributes of some dialects give it. */
static struct tn_item run_dtype_named(const struct tn_call *call)
{
    struct tn_bytes text;
    char            name[32];

    if (!text_arg(call, 0, &text))
        return tn_item_none();
    snprintf(name, sizeof name, "%.*s", TN_FMT(text));
    enum tn_dtype dtype = tn_dtype_find(name);
    if (dtype == TN_UNDEFINED)
        return refuse(call, "no such type");
    return tn_item_dtype(dtype, TN_NET_TENSOR);
}

static struct tn_item run_chars(const struct tn_call *call)
{
    struct tn_bytes text;

    if (!text_arg(call, 0, &text))
        return tn_item_none();
    struct tn_item *items = new_list(call, text.size);
    for (size_t i = 0; items && i < text.size; i++)
        items[i] = tn_item_text(tn_bytes(text.data + i, 1));
    return made(items, text.size);
}

static size_t find_text(struct tn_bytes text, struct tn_bytes part, size_t from)
{
    for (size_t i = from; part.size <= text.size - i; i++)
        if (!part.size || !memcmp(text.data + i, part.data, part.size))
            return i;
    return text.size;
}

static struct tn_item run_find(const struct tn_call *call)
{
    struct tn_bytes text, part;

    if (!text_arg(call, 0, &text) || !text_arg(call, 1, &part) ||
        !tn_eval_steps(call->eval, call->expr, (uint64_t)text.size * part.size))
        return tn_item_none();
    size_t at       = find_text(text, part, 0);
    bool   is_found = at < text.size || !part.size;
    return tn_item_int(is_found ? (int64_t)at : -1);
}

static struct tn_item run_split(const struct tn_call *call)
{
    struct tn_bytes text, part;
    uint32_t        count = 0;

    if (!text_arg(call, 0, &text) || !text_arg(call, 1, &part) ||
        !tn_eval_steps(call->eval, call->expr, (uint64_t)text.size * part.size))
        return tn_item_none();
    if (!part.size)
        return refuse(call, "an empty separator");
    struct tn_item *items = new_list(call, (uint64_t)text.size + 1);
    for (size_t at = 0; items;) {
        size_t end     = find_text(text, part, at);
        items[count++] = tn_item_text(tn_bytes(text.data + at, end - at));
        if (end == text.size)
            break;
        at = end + part.size;
    }
    return made(items, count);
}

static struct tn_item cased(const struct tn_call *call, char first, char last,
                            int shift)
{
    struct tn_bytes text;

    if (!text_arg(call, 0, &text) ||
        !tn_eval_steps(call->eval, call->expr, text.size))
        return tn_item_none();
    char *copy = tn_arena_alloc(call->eval->scratch, text.size + 1, 1,
                                call->eval->error);
    for (size_t i = 0; copy && i < text.size; i++) {
        char c  = (char)text.data[i];
        copy[i] = (char)(c >= first && c <= last ? c + shift : c);
    }
    return copy ? tn_item_text(tn_bytes(copy, text.size)) : tn_item_none();
}

static struct tn_item run_upper(const struct tn_call *call)
{
    return cased(call, 'a', 'z', 'A' - 'a');
}

static struct tn_item run_lower(const struct tn_call *call)
{
    return cased(call, 'A', 'Z', 'a' - 'A');
}

/* ---- the unknown -------------------------------------------------------- */

static struct tn_item run_known(const struct tn_call *call)
{
    struct tn_item x = call->args[0];

    if (x.kind != TN_ITEM_LIST)
        return tn_item_bool(x.kind != TN_ITEM_UNKNOWN);
    return tn_item_bool(tn_eval_steps(call->eval, call->expr, x.count) &&
                        !unknown_in(x));
}

/* The first item that is known; unknown when none is. */
static struct tn_item run_first_known(const struct tn_call *call)
{
    struct tn_item xs;

    if (!list_arg(call, 0, &xs) ||
        !tn_eval_steps(call->eval, call->expr, xs.count))
        return tn_item_none();
    for (uint32_t i = 0; i < xs.count; i++)
        if (xs.of.items[i].kind != TN_ITEM_UNKNOWN)
            return xs.of.items[i];
    return tn_item_unknown(call->expr);
}

/* What all shapes of a list have in common. */
static struct tn_item run_merged(const struct tn_call *call)
{
    struct tn_item shapes;

    if (!list_arg(call, 0, &shapes))
        return tn_item_none();
    if (!shapes.count || shapes.of.items[0].kind != TN_ITEM_LIST)
        return tn_item_unknown(call->expr);
    uint32_t        rank = shapes.of.items[0].count;
    struct tn_item *dims = new_list(call, rank);
    if (!tn_eval_steps(call->eval, call->expr,
                       (uint64_t)shapes.count * (rank + 1)))
        return tn_item_none();
    for (uint32_t i = 0; dims && i < rank; i++)
        dims[i] = shapes.of.items[0].of.items[i];
    for (uint32_t k = 1; dims && k < shapes.count; k++) {
        struct tn_item next = shapes.of.items[k];
        if (next.kind != TN_ITEM_LIST || next.count != rank)
            return tn_item_unknown(call->expr);
        for (uint32_t i = 0; i < rank; i++)
            if (tn_eval_equal(call->eval, call->expr, dims[i],
                              next.of.items[i]) <= 0)
                dims[i] = tn_item_unknown(call->expr);
    }
    return made(dims, rank);
}

/* slice_count(n, begin, end, step): how many of n a slice takes. */
static struct tn_item run_slice_count(const struct tn_call *call)
{
    int64_t at[4] = { 0, 0, 0, 1 };
    bool    has[4];

    for (uint32_t i = 0; i < 4; i++) {
        has[i] = call->args[i].kind != TN_ITEM_NONE;
        if (has[i] && !int_arg(call, i, &at[i]))
            return tn_item_none();
    }
    if (at[0] < 0 || at[3] == 0)
        return refuse(call, "a count and a step are wanted");
    return tn_item_int(tn_item_slice(at[0], has[1] ? &at[1] : NULL,
                                     has[2] ? &at[2] : NULL, at[3])
                           .count);
}

static struct tn_item run_unknown(const struct tn_call *call)
{
    return tn_item_unknown(call->expr);
}

#define MANY 64

const struct tn_builtin tn_builtins_of_lists[] = {
    { "abs", 1, 1, false, false, run_abs },
    { "all", 1, 1, false, false, run_all },
    { "any", 1, 1, false, false, run_any },
    { "axes", 2, 2, true, false, run_axes },
    { "bits", 1, 1, false, false, run_bits },
    { "bool", 1, 1, false, false, run_bool },
    { "broadcast", 1, MANY, false, false, run_broadcast },
    { "broadcast_all", 1, 1, false, false, run_broadcast_all },
    { "ceil", 1, 1, false, false, run_ceil },
    { "chars", 1, 1, false, false, run_chars },
    { "dtype_named", 1, 1, false, false, run_dtype_named },
    { "einsum_dims", 2, 2, false, false, run_einsum_dims },
    { "elem", 1, 1, false, false, run_elem },
    { "exp", 1, 1, false, false, run_exp },
    { "fill", 2, 2, true, false, run_fill },
    { "find", 2, 2, false, false, run_find },
    { "first_known", 1, 1, false, false, run_first_known },
    { "float", 1, 1, false, false, run_float },
    { "floor", 1, 1, false, false, run_floor },
    { "handle", 1, 1, false, false, run_handle },
    { "index", 2, 2, false, false, run_index },
    { "int", 1, 1, false, false, run_int },
    { "iota", 1, 3, false, false, run_range },
    { "is_float", 1, 1, false, false, run_is_float },
    { "is_int", 1, 1, false, false, run_is_int },
    { "is_seq", 1, 1, false, false, run_is_seq },
    { "is_signed", 1, 1, false, false, run_is_signed },
    { "join", 1, 1, false, false, run_join },
    { "known", 1, 1, true, false, run_known },
    { "len", 1, 1, false, false, run_len },
    { "log", 1, 1, false, false, run_log },
    { "lower", 1, 1, false, false, run_lower },
    { "max", 1, MANY, false, false, run_max },
    { "merged", 1, 1, false, false, run_merged },
    { "min", 1, MANY, false, false, run_min },
    { "optional", 1, 1, false, false, run_optional },
    { "or_else", 2, 2, true, true, NULL },
    { "perm_inverse", 1, 1, false, false, run_perm_inverse },
    { "prod", 1, MANY, false, false, run_prod },
    { "range", 1, 3, false, false, run_range },
    { "reshaped", 2, 3, true, false, run_reshaped },
    { "reverse", 1, 1, false, false, run_reverse },
    { "round", 1, 1, false, false, run_round },
    { "seq", 1, 1, false, false, run_seq },
    { "slice_count", 4, 4, false, false, run_slice_count },
    { "sorted", 1, 1, false, false, run_sorted },
    { "split", 2, 2, false, false, run_split },
    { "sqrt", 1, 1, false, false, run_sqrt },
    { "str", 1, 1, false, false, run_str },
    { "sum", 1, MANY, false, false, run_sum },
    { "unique", 1, 1, false, false, run_unique },
    { "unknown", 0, 0, false, false, run_unknown },
    { "upper", 1, 1, false, false, run_upper },
    { "zip", 1, MANY, false, false, run_zip },
    { NULL, 0, 0, false, false, NULL },
};
