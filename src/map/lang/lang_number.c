/*
 * lang_number.c - functions over numbers
 *
 * Integers are exact, or the rule refuses; an operation with a float gives a
 * float.
 */
#include <math.h>

#include "base/number.h"
#include "map/lang/lang_builtin.h"

/* What functions of several numbers take: f(xs), or f(a, b, ...).  False: the
 * answer is in *list. */
static bool numbers(const struct tn_call *call, struct tn_item *list)
{
    bool is_list = call->count == 1 && call->args[0].kind == TN_ITEM_LIST;

    *list = is_list ? call->args[0] : tn_item_list(call->args, call->count);
    if (!tn_eval_steps(call->eval, call->expr, list->count))
        return false;
    const struct tn_item *unknown = tn_builtin_unknown_in(*list);
    if (unknown)
        *list = *unknown;
    return !unknown;
}

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
            return tn_builtin_refuse(call, "expected numbers");
        real = is_product ? real * x : real + x;
        is_real |= list.of.items[i].kind == TN_ITEM_FLOAT;
        if (!is_real)
            tn_item_to_int(list.of.items[i], &n);
        if (!is_real && (is_product ? __builtin_mul_overflow(total, n, &total)
                                    : __builtin_add_overflow(total, n, &total)))
            return tn_builtin_refuse(call, "the result does not fit 64 bits");
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
        return tn_builtin_refuse(call, "an empty list");
    for (uint32_t i = 0; i < list.count; i++) {
        if (!tn_item_to_double(list.of.items[i], &x) ||
            !tn_item_to_double(list.of.items[best], &y))
            return tn_builtin_refuse(call, "expected numbers");
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
        return tn_builtin_refuse(call, "expected a number");
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
        return tn_builtin_refuse(call, "the number is not a 64-bit integer");
    return tn_item_int(number);
}

static struct tn_item run_float(const struct tn_call *call)
{
    struct tn_item x = call->args[0];
    double         real;

    if (x.kind == TN_ITEM_STRING && tn_double_parse(tn_item_bytes(x), &real))
        return tn_item_float(real);
    if (!tn_item_to_double(x, &real))
        return tn_builtin_refuse(call, "expected a number");
    return tn_item_float(real);
}

static struct tn_item run_bool(const struct tn_call *call)
{
    struct tn_item x = call->args[0];
    double         real;

    if (x.kind == TN_ITEM_LIST || x.kind == TN_ITEM_STRING)
        return tn_item_bool(x.count != 0);
    if (!tn_item_to_double(x, &real))
        return tn_builtin_refuse(call, "expected a number");
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
        return tn_builtin_refuse(call, "the result does not fit 64 bits");
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
        return tn_builtin_refuse(call, "expected a number");
    return tn_item_float(function(x));
}

static struct tn_item run_sqrt(const struct tn_call *call)
{
    return real_function(call, sqrt);
}

static struct tn_item run_cos(const struct tn_call *call)
{
    return real_function(call, cos);
}

static struct tn_item run_exp(const struct tn_call *call)
{
    return real_function(call, exp);
}

static struct tn_item run_log(const struct tn_call *call)
{
    return real_function(call, log);
}

const struct tn_builtin tn_builtins_of_numbers[] = {
    { "abs", 1, 1, .run = run_abs },
    { "bool", 1, 1, .run = run_bool },
    { "ceil", 1, 1, .run = run_ceil },
    { "cos", 1, 1, .run = run_cos },
    { "exp", 1, 1, .run = run_exp },
    { "float", 1, 1, .run = run_float },
    { "floor", 1, 1, .run = run_floor },
    { "int", 1, 1, .run = run_int },
    { "log", 1, 1, .run = run_log },
    { "max", 1, TN_BUILTIN_MANY, .run = run_max },
    { "min", 1, TN_BUILTIN_MANY, .run = run_min },
    { "prod", 1, TN_BUILTIN_MANY, .run = run_prod },
    { "round", 1, 1, .run = run_round },
    { "sqrt", 1, 1, .run = run_sqrt },
    { "sum", 1, TN_BUILTIN_MANY, .run = run_sum },
    { NULL, 0, 0, .run = NULL },
};
